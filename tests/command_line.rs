//! The command line as scripts see it: exit codes, stdout, stderr. Each test starts the real program.

#![allow(clippy::expect_used, clippy::indexing_slicing, reason = "a test's helper fails by panicking, as the test itself does")]

mod envelope;

use base::files::{Line as _, LinesJob};
use engine::Engine;
use engine::device::CacheSettings;
use kernels::filters;
use model::measure::{Comparison, Verdict};
use model::{Channels, LocalSize, Variant};
use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use study::{Candidate, Sought, Tuning};

/// What a run left behind.
struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Ran {
    fn json(&self) -> Value {
        envelope::result(&self.stdout, &self.stderr)
    }

    /// Asserts success, showing everything where it is none.
    fn done(self) -> Self {
        assert_eq!(self.code, Some(0), "{}\n{}", self.stdout, self.stderr);
        self
    }

    /// Asserts an exit code, a message that holds all `words`, and nothing on stdout.
    fn refused(self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{}\n{}", self.stdout, self.stderr);
        assert_eq!(self.stdout, "");
        for word in words {
            assert!(self.stderr.contains(word), "'{word}' is not in: {}", self.stderr);
        }
    }
}

/// The program without a display, as no command may need one; with a home of the tests' own and without a cache of built kernels, so that
/// nothing depends on what the user has, nor changes it.
fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kernel-ladder"));
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").stdin(Stdio::null());
    command.env("HOME", env!("CARGO_TARGET_TMPDIR")).env("KERNEL_LADDER_CACHE", "");
    for variable in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
        command.env_remove(variable);
    }
    command
}

fn outcome(mut command: Command) -> Ran {
    let Output { status, stdout, stderr } = command.output().expect("the program starts");
    Ran { code: status.code(), stdout: String::from_utf8(stdout).expect("UTF-8"), stderr: String::from_utf8(stderr).expect("UTF-8") }
}

fn run<const N: usize>(arguments: [&str; N]) -> Ran {
    let mut command = program();
    command.args(arguments);
    outcome(command)
}

fn asset(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name).display().to_string()
}

#[test]
#[cfg_attr(windows, ignore = "the folder of data is the user's, and no variable moves it")]
fn results_of_studies_are_kept_listed_compared_exported_and_put_into_reports() {
    let home = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| {
        let mut command = program();
        command.args(arguments).env("XDG_DATA_HOME", home.path()).current_dir(home.path());
        outcome(command)
    };
    assert!(run(&["studies"]).done().stdout.starts_with("There are no kept results of studies."));
    run(&["studies", "3f9a"]).refused(2, &["There is no kept result '3f9a'", "kernel-ladder studies"]);
    let study = ["break-even", "naive", "--size", "16x16", "32x32", "--budget-ms", "1"];
    if run(&study).code != Some(0) {
        // Without a driver there is nothing to keep.
        return;
    }
    assert!(run(&study).done().stderr.contains("this result is kept as "));
    let listed = run(&["studies", "--json"]).done().json();
    let ids: Vec<&str> = listed.as_array().expect("a list").iter().filter_map(|one| one["id"].as_str()).collect();
    assert_eq!((ids.len(), &listed[0]["study"]), (2, &Value::from("break-even")));
    let [newest, oldest] = [ids[0], ids[1]];
    let shown = run(&["studies", &newest[..7]]).done().stdout;
    assert!(shown.contains("Measured on ") && shown.contains("16 × 16"), "{shown}");
    assert_eq!(run(&["studies", newest, "--json"]).done().json()["id"], newest);
    let both = run(&["studies", newest, oldest]).done().stdout;
    assert!(both.contains("measured at different times"), "{both}");
    for ending in ["html", "md", "json", "csv", "txt", "svg", "png", "pdf"] {
        let file = format!("both.{ending}");
        run(&["studies", newest, oldest, "--out", &file]).done();
        assert!(home.path().join(&file).metadata().expect("written").len() > 100, "{file}");
    }
    run(&["merge", "--study", newest, "--out", "bundle.json"]).done();
    run(&["report", "bundle.json", "--study", oldest, "--out", "page.html"]).done();
    let page = std::fs::read_to_string(home.path().join("page.html")).expect("written");
    assert!(page.matches("Break-even").count() >= 2 && page.contains("Results of studies: 2"), "{page}");
    run(&["studies", newest, "--forget"]).done();
    assert_eq!(run(&["studies", "--json"]).done().json().as_array().map(Vec::len), Some(1));
}

/// A folder of its own and a path in it.
fn scratch(name: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path: PathBuf = folder.path().join(name);
    (folder, path.display().to_string())
}

#[test]
fn help_names_every_command_and_is_no_error() {
    let help = run(["--help"]).done();
    for command in
        ["devices", "list", "run", "bench", "compare", "merge", "report", "class", "roofs", "bottleneck", "break-even", "source", "diff"]
    {
        assert!(help.stdout.contains(&format!("\n  {command} ")), "{command} is not in: {}", help.stdout);
        assert!(run([command, "--help"]).done().stdout.contains("Usage: kernel-ladder"));
    }
    assert!(run(["--version"]).done().stdout.contains(env!("CARGO_PKG_VERSION")));
}

/// A copy of the filter of the tests, with a piece of its definition replaced.
fn emboss_with(from: &str, to: &str) -> (tempfile::TempDir, String) {
    let (folder, path) = scratch("emboss");
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filters/emboss");
    for part in ["", "ladders"] {
        std::fs::create_dir_all(Path::new(&path).join(part)).expect("a folder");
        for entry in std::fs::read_dir(own.join(part)).expect("the filter").map(|entry| entry.expect("an entry").path()) {
            if entry.is_file() {
                let text = std::fs::read_to_string(&entry).expect("a text");
                let text = if entry.ends_with("filter.toml") { text.replacen(from, to, 1) } else { text };
                std::fs::write(Path::new(&path).join(part).join(entry.file_name().expect("a name")), text).expect("written");
            }
        }
    }
    (folder, path)
}

#[test]
fn whoever_names_a_filter_is_told_the_mistakes_in_its_folder() {
    let (_folder, path) = emboss_with("name = \"padded\"", "name = \"paded\"");
    for arguments in [["list", "--filter"], ["autotune", "--filter"], ["source", "--filter"]] {
        let [command, option] = arguments;
        run([command, "--filters", &path, option, "emboss"]).refused(1, &["filter.toml:", "there is no stage 'paded'", "'padded'"]);
    }
    run(["list", "--filters", &path, "--language", "zh"]).refused(1, &["没有阶段“paded”"]);
    let (_folder, path) = emboss_with("define = \"QUAD\"", "define = \"QUART\"");
    run(["list", "--filters", &path]).refused(1, &["no kernel of the folder tests 'QUART'"]);
    let (_folder, path) = emboss_with("quad ? 4 : channels", "4 / quad");
    run(["list", "--filters", &path]).refused(1, &["the number of work-items is not a number for variant"]);
    let (_folder, path) = emboss_with("default = 4", "default = 40");
    run(["list", "--filters", &path]).refused(1, &["the default of 'strength', 40, is not between 1 and 16"]);
    run(["list", "--filters", "nothing-here"]).refused(1, &["it has no filter.toml"]);
}

#[test]
fn what_does_not_go_together_is_refused() {
    run(["photo.jpg", "devices"]).refused(2, &["A picture and a command", "photo.jpg"]);
    run(["--filters", "nothing-here", "list"]).refused(1, &["nothing-here"]);
    run(["source", "--filter", "copy", "--border", "reflect101"]).refused(2, &["'copy' has no border mode 'reflect101'"]);
    run(["source", "--filter", "sobl"]).refused(2, &["did you mean 'sobel'?"]);
    run(["source", "--variant", "mergd"]).refused(2, &["did you mean 'merged'?"]);
    run(["topic", "measurin"]).refused(2, &["did you mean 'measuring'?"]);
    run(["man", "bnch"]).refused(2, &["did you mean 'bench'?"]);
}

#[test]
fn wrong_use_is_exit_code_2_and_says_what_to_do() {
    run(["benhc"]).refused(2, &["'benhc' is neither a command nor an existing file", "--help"]);
    run(["run", "in.png"]).refused(2, &["<OUT>"]);
    run(["source", "--variant", "fast"]).refused(2, &["there is no stage 'fast'", "coalesced"]);
    run(["source", "--filter", "sharpest"]).refused(2, &["Unknown filter 'sharpest'", "laplace"]);
    run(["source", "--variant", "merged"]).refused(2, &["Needs Vectorize"]);
    run(["source", "--channels", "blue"]).refused(2, &["blue", "gray", "rgb"]);
    run(["diff", "naive"]).refused(2, &["<B>"]);
    run(["bench", "--ladder", "mali"]).refused(2, &["Unknown ladder 'mali'", "mali-t600"]);
    run(["bench", "--ladder", "mali-t600", "--all"]).refused(2, &["cannot be used with"]);
    run(["bench", "--size", "0x7"]).refused(2, &["0 x 7"]);
    run(["bench", "--budget-ms", "0"]).refused(2, &["--budget-ms"]);
    run(["run", "in.png", "out.png", "--local", "32"]).refused(2, &["Invalid local size '32'", "32x4"]);
    run(["run", "in.png", "out.png", "--set", "threshold=3"]).refused(2, &["threshold", "has no parameters"]);
    run(["run", "in.png", "out.png", "--engine", "cpu-simd", "--variant", "naive"]).refused(2, &["--variant cannot be combined with"]);
    run(["run", "in.png", "out.xyz", "--engine", "cpu-simd"]).refused(2, &["xyz"]);
    run(["bench", "--local", "0x0"]).refused(2, &["0x0", "at least one work-item"]);
    run(["run", "in.png", "out.png", "--local", "32x0"]).refused(2, &["32x0"]);
    run(["bench", "--filter", "box", "--set", "radius=2.5"]).refused(2, &["radius cannot be 2.5", "use 2 or 3"]);
}

/// The processor is measured beside it, which nobody asked for.
#[test]
fn nothing_measured_of_what_was_asked_for_is_exit_code_1() {
    let ran = run(["bench", "--variant", "naive", "--local", "5000x5000", "--size", "16x16", "--budget-ms", "1"]);
    assert_eq!(ran.code, Some(1), "{}\n{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("unsupported") && ran.stderr.contains("none of the 1 rows can run on the device"),
        "{}\n{}",
        ran.stdout,
        ran.stderr
    );
    let ran = run(["break-even", "naive", "--local", "5000x5000", "--size", "16x16", "--budget-ms", "1", "--json"]);
    assert_eq!(ran.code, Some(1), "{}\n{}", ran.stdout, ran.stderr);
    assert_eq!(ran.json()["break_even"][0]["even"], Value::Null);
}

#[test]
fn the_break_even_has_no_negative_figures_and_no_verdicts_of_separate_runs() {
    let ran = run(["break-even", "naive", "--size", "16x16", "32x32", "64x64", "--budget-ms", "1", "--json"]).done();
    let found = &ran.json()["break_even"];
    assert_eq!(found.as_array().map(Vec::len), Some(3));
    for one in found.as_array().expect("three") {
        assert!(one["device"]["fixed_ns"].as_f64().is_some_and(|fixed| fixed >= 0.0), "{one}");
        assert!(!one.to_string().contains("verdict") && one["even"]["where"].is_string(), "{one}");
    }
}

#[test]
fn a_study_that_has_nothing_to_compare_is_refused_and_not_kept() {
    run(["widths", "naive", "--size", "64x64", "--budget-ms", "1"]).refused(2, &["nothing to compare", "at least two sizes"]);
}

#[test]
fn failures_are_exit_code_1() {
    let (_folder, out) = scratch("out.png");
    let (_folder, missing) = scratch("missing/picture.png");
    run(["run", &missing, &out, "--engine", "cpu-simd"]).refused(1, &[&missing]);
    run(["run", &asset("camera.png"), &missing, "--engine", "cpu-simd"]).refused(1, &[&missing]);
    let (_folder, damaged) = scratch("damaged.png");
    std::fs::write(&damaged, b"\x89PNG\r\n\x1a\nand then nothing").expect("written");
    run(["run", &damaged, &out, "--engine", "cpu-simd"]).refused(1, &["damaged.png"]);
    assert!(!Path::new(&out).exists());
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_display_the_window_says_what_else_to_do() {
    run([]).refused(1, &["no display", "--help", "xvfb-run"]);
}

#[test]
fn list_names_filters_stages_rules_and_ladders() {
    let overview = run(["list"]).done().stdout;
    for words in ["laplace ", "Laplace sharpen", "ladders mali-t600", "luma", "--filter NAME"] {
        assert!(overview.contains(words), "'{words}' is not in: {overview}");
    }
    let text = run(["list", "--filter", "laplace"]).done().stdout;
    for words in ["laplace", "vectorize=4", "Needs Padded source", "mali-t600", "8.8× at 2048x2048"] {
        assert!(text.contains(words), "'{words}' is not in: {text}");
    }
    let luma = run(["list", "--filter", "luma"]).done().stdout;
    assert!(luma.contains("output gray; any border mode") && !luma.contains("mali-t600"), "{luma}");
    assert_eq!(run(["list", "--filter", "luma", "--json"]).done().json().as_array().map(Vec::len), Some(1));
    let list = run(["list", "--json"]).done().json();
    assert_eq!(list[0]["name"], "laplace");
    assert_eq!(list[0]["ladders"][0]["steps"][0]["variant"], "naive");
}

#[test]
fn source_and_diff_print_what_is_built() {
    let naive = run(["source"]).done().stdout;
    assert!(naive.contains("__kernel void laplace("), "{naive}");
    let json = run(["source", "--json"]).done().json();
    assert_eq!(json["source"], naive.as_str());
    let diff = run(["diff", "naive", "padded"]).done().stdout;
    let lines: Vec<&str> = diff.lines().collect();
    assert!(lines[0].starts_with("---") && lines[0].contains("naive"), "{diff}");
    assert!(lines[1].starts_with("+++") && lines[1].contains("padded"), "{diff}");
    assert_eq!(run(["diff", "naive", "naive"]).done().stdout, "");
    assert_eq!(run(["diff", "naive", "padded", "--json"]).done().json()["diff"], diff.as_str());
}

#[test]
fn devices_are_listed_with_their_limits() {
    let list = run(["devices", "--json"]).done().json();
    let first = &list[0];
    assert_eq!(first["index"], 0);
    let text = run(["devices"]).done().stdout;
    for words in
        [first["name"].as_str().expect("a name"), first["driver_version"].as_str().expect("a version"), "work-group", "local memory"]
    {
        assert!(text.contains(words), "'{words}' is not in: {text}");
    }
    run(["run", &asset("camera.png"), "out.png", "--device", "99"]).refused(2, &["Device 99 does not exist", "kernel-ladder devices"]);
}

#[test]
#[cfg_attr(windows, ignore = "drivers are registered in the registry, and are installed otherwise")]
fn without_a_loader_or_a_driver_it_says_what_to_install() {
    let empty = tempfile::tempdir().expect("a folder");
    let (_folder, missing) = scratch("libOpenCL.so.1");
    let mut messages = Vec::new();
    for (variable, value) in [("OPENCL_DYLIB_PATH", OsStr::new(&missing)), ("OCL_ICD_VENDORS", empty.path().as_os_str())] {
        let mut command = program();
        command.arg("devices").env(variable, value);
        let ran = outcome(command);
        assert!(ran.stderr.contains("apt"), "{}", ran.stderr);
        messages.push(ran.stderr.clone());
        ran.refused(1, &[]);
        let mut command = program();
        command.args(["devices", "--json"]).env(variable, value);
        let ran = outcome(command);
        assert_eq!((ran.code, ran.json()), (Some(1), serde_json::json!([])));
        // The CPU needs no driver.
        let (_folder, out) = scratch("out.png");
        let mut command = program();
        command.args(["run", &asset("camera.png"), &out, "--engine", "cpu-simd"]).env(variable, value);
        outcome(command).done();
    }
    assert_ne!(messages[0], messages[1], "two causes, two messages");
}

#[test]
#[cfg_attr(windows, ignore = "drivers are registered in the registry")]
fn a_registered_driver_that_offers_nothing_is_named() {
    let (vendors, library) = scratch("libgone.so");
    std::fs::write(vendors.path().join("gone.icd"), &library).expect("written");
    let mut command = program();
    command.arg("devices").env("OCL_ICD_VENDORS", vendors.path());
    outcome(command).refused(1, &["The OpenCL drivers provide no device", "gone.icd", &library, "apt"]);
}

/// PoCL offers nothing where it cannot write its cache; a folder below a file cannot be made by anybody.
#[cfg(target_os = "linux")]
#[test]
fn without_a_writable_home_the_devices_are_the_same() {
    let (folder, file) = scratch("file");
    std::fs::write(&file, "").expect("written");
    let temporary = folder.path().join("temporary");
    std::fs::create_dir(&temporary).expect("made");
    let homeless = |arguments: &[&str]| {
        let mut command = program();
        command.args(arguments).env("HOME", format!("{file}/home")).env("TMPDIR", &temporary);
        command.env_remove("XDG_CACHE_HOME").env_remove("POCL_CACHE_DIR").env_remove("KERNEL_LADDER_CACHE");
        outcome(command).done()
    };
    let devices = homeless(&["devices", "--json"]);
    assert_eq!(devices.json(), run(["devices", "--json"]).done().json());
    assert!(devices.stderr.contains("is not writable") && devices.stderr.contains(&file), "{}", devices.stderr);
    let all_are_pocl = devices.json().as_array().is_some_and(|all| all.iter().all(|it| it["platform"] == "Portable Computing Language"));
    if all_are_pocl {
        // What the person chose is left alone, and the driver's silence is not taken for a missing driver.
        let mut command = program();
        command.arg("devices").env("POCL_CACHE_DIR", format!("{file}/cache"));
        outcome(command).refused(1, &["platform Portable Computing Language has no device", "POCL_CACHE_DIR"]);
    }
    let out = folder.path().join("out.png").display().to_string();
    homeless(&["run", &asset("camera.png"), &out]);
    assert_eq!(std::fs::read_dir(&temporary).expect("listed").count(), 0, "nothing is left behind");
}

#[test]
fn every_engine_writes_the_same_picture() {
    let picture = asset("chelsea.png");
    for border in ["copy", "replicate", "reflect101"] {
        let pictures = ["opencl", "cpu-scalar", "cpu-simd", "cpu-threads"].map(|engine| {
            let (_folder, out) = scratch("out.png");
            let ran = run(["run", &picture, &out, "--engine", engine, "--border", border]).done();
            assert!(ran.stdout.contains("bit-exact"), "{}", ran.stdout);
            pictures::load(Path::new(&out)).expect("a picture").picture
        });
        assert!(pictures.iter().all(|other| *other == pictures[0]), "{border}");
        let source = pictures::load(Path::new(&picture)).expect("a picture").picture;
        assert_ne!(pictures[0], source, "{border}");
    }
}

/// A peer that takes a second for whatever it is asked, and leaves every picture as it is.
#[cfg(unix)]
const SLOW_PEER: &str = r#"
printf 'peer\tSlow <one> 1.0\ta sleeping machine\n'
while IFS="$(printf '\t')" read -r verb filter channels width height path runs written rest; do
  case "$verb $filter" in
    *luma) printf 'unknown\n' ;;
    measure*) printf 'times\tleave_it\t1000000.5 999999.5 1000000\n' ;;
    output*) cp "$path" "$written" && printf 'wrote\tleave_it\t%s\n' "$written" ;;
  esac
  printf 'done\n'
done
"#;

#[cfg(unix)]
#[test]
fn a_peer_is_measured_beside_ours_and_its_output_compared() {
    let (folder, script) = scratch("peer.sh");
    std::fs::write(&script, SLOW_PEER).expect("written");
    let peer = format!("slow=sh {script}");
    let asked = ["peers", "--peer", &peer, "--size", "256x64", "--channels", "rgb", "--seconds", "1", "--rounds", "8"];
    let run_with = |more: &[&str]| {
        let mut command = program();
        command.args(asked).args(more);
        outcome(command)
    };
    if run(["devices"]).code != Some(0) {
        return;
    }
    let told = run_with(&["--filter", "add", "--filter", "copy", "--filter", "luma", "--json"]).done().json();
    assert_eq!((&told["peers"][0]["key"], &told["peers"][0]["device"]), (&Value::from("slow"), &Value::from("a sleeping machine")));
    let rows = told["rows"].as_array().expect("rows");
    let of = |filter: &str| rows.iter().find(|row| row["spec"]["filter"] == filter).expect("a row");
    for filter in ["add", "copy"] {
        let beside = &of(filter)["beside"][0];
        assert_eq!((&beside["function"], &beside["ns"]), (&Value::from("leave_it"), &Value::from(1e9)), "{beside}");
        let (ours, over) = (of(filter)["ns"].as_f64().expect("a time"), &beside["ours_over_it"]);
        let [low, ratio, high] = ["low", "ratio", "high"].map(|end| over[end].as_f64().expect("a number"));
        // A second over what ours takes, whatever that is.
        assert!(low <= ratio && ratio <= high && ratio > 1.0 && ours > 0.0, "{over} {ours}");
    }
    // Left as it is, a copy is right to the last byte, and nothing is right of a sum.
    assert_eq!(of("copy")["beside"][0]["output"], serde_json::json!({ "share": 0.0, "most": 0, "at_edge": null }));
    let added = &of("add")["beside"][0]["output"];
    assert!(added["share"].as_f64() > Some(0.9) && added["most"] == 50, "{added}");
    assert_eq!(of("luma")["beside"], serde_json::json!([]));
    let page = run_with(&["--filter", "copy"]).done().stdout;
    for part in [
        "Beside other libraries",
        "Slow &lt;one> 1.0, on a sleeping machine",
        "leave_it (Slow &lt;one> 1.0)",
        "the same |",
        "Rows with a peer: 1.",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    std::fs::write(&script, "echo hello").expect("written");
    run_with(&["--filter", "copy"]).refused(1, &["The answer of peer slow was not understood", "hello"]);
    std::fs::write(&script, "exit 0").expect("written");
    run_with(&["--filter", "copy"]).refused(1, &["Peer slow ended"]);
    // The last message of a peer says why it did not start.
    std::fs::write(&script, "echo 'no such library' >&2; exit 1").expect("written");
    run_with(&["--filter", "copy"]).refused(1, &["Peer slow did not start", "no such library"]);
    // One bad answer ends a peer: what it says next is no answer to what is asked next.
    std::fs::write(&script, SLOW_PEER.replace("'wrote\\tleave_it\\t%s\\n'", "'oops\\nwrote\\tleave_it\\t%s\\n'")).expect("written");
    let told = run_with(&["--filter", "copy", "--filter", "add", "--json"]).done().json();
    assert_eq!(told["rows"].as_array().map(Vec::len), Some(2));
    assert!(told["rows"].as_array().is_some_and(|rows| rows.iter().all(|row| row["beside"] == serde_json::json!([]))), "{told}");
    assert!(told["rows"][0]["failed"].to_string().contains("oops") && !told["rows"][1]["failed"].to_string().contains("wrote"), "{told}");
    run(["peers", "--peer", "nobody"]).refused(2, &["nobody", "opencv-umat"]);
    drop(folder);
}

#[cfg(unix)]
#[test]
fn a_peer_is_measured_beside_a_cpu_competitor_without_any_device() {
    let ((folder, script), empty) = (scratch("peer.sh"), tempfile::tempdir().expect("a folder"));
    std::fs::write(&script, SLOW_PEER).expect("written");
    let run_with = |more: &[&str]| {
        let mut command = program();
        let peer = format!("slow=sh {script}");
        command.args(["peers", "--engine", "cpu-simd", "--peer", &peer, "--size", "256x64", "--channels", "rgb", "--rounds", "8"]);
        // A folder without drivers.
        command.args(more).env("OCL_ICD_VENDORS", empty.path());
        outcome(command)
    };
    let told = run_with(&["--filter", "add", "--filter", "copy", "--json"]).done().json();
    assert_eq!((&told["engine"], &told["device"], &told["seconds"]), (&Value::from("cpu-simd"), &Value::Null, &Value::Null));
    let [add, copy] = [&told["rows"][0], &told["rows"][1]];
    assert!(
        add["ns"].as_f64() > Some(0.0) && add["variant"].is_null() && add["beside"][0]["ours_over_it"]["low"].as_f64() > Some(1.0),
        "{add}"
    );
    // Both are measured in the same rounds; of a copy itself there is nothing to say.
    let [low, high] = ["low", "high"].map(|end| add["over_copy"][end].as_f64());
    assert!(Some(0.0) < low && low <= high && copy["over_copy"].is_null(), "{add} {copy}");
    let page = run_with(&["--filter", "add"]).done().stdout;
    for part in ["CPU SIMD", "**Ours**: the code of this program that devices are compared with", "as many threads", "leave_it"] {
        assert!(page.contains(part) && !page.contains("searches of"), "{part}: {page}");
    }
    for surplus in [["--device", "0"], ["--seconds", "9"]] {
        run_with(&surplus).refused(2, &[surplus[0], "cpu-simd"]);
    }
    drop(folder);
}

#[test]
fn run_tells_programs_what_it_did() {
    let (_folder, out) = scratch("out.png");
    let name = "coalesced+padded+vectorize=4+merged+short16";
    // A sample's name will do where there is no such file.
    let ran = run(["run", "coffee.png", &out, "--variant", name, "--local", "8x3", "--channels", "gray", "--json"]).done().json();
    assert_eq!([&ran["variant"], &ran["spec"]["channels"], &ran["engine"]], [name, "gray", "opencl"]);
    assert_eq!((&ran["local_size_used"], &ran["verification"]["differing_pixels"]), (&serde_json::json!([8, 3]), &serde_json::json!(0)));
    assert!(Path::new(&out).exists());
    run(["run", "coffee.png", &out, "--local", "0x4"]).refused(2, &["0"]);
}

#[test]
fn bench_measures_a_ladder_against_the_cpu() {
    let (_folder, csv) = scratch("rows.csv");
    let ran = run(["bench", "--ladder", "mali-t600", "--size", "61x33", "--budget-ms", "5", "--csv", &csv]).done();
    for words in [
        "CPU scalar",
        "CPU SIMD all cores",
        "4 short16: padded+vectorize=5+merged+short16",
        "bit-exact",
        "slower than step 5 (Four pixels)",
    ] {
        assert!(ran.stdout.contains(words), "'{words}' is not in: {}", ran.stdout);
    }
    assert_eq!(ran.stderr, "", "progress is for terminals");
    let mut reader = csv::Reader::from_path(&csv).expect("the file");
    let seen = reader.headers().expect("a header").iter().position(|column| column == "ladder.seen").expect("a column");
    let rows: Vec<_> = reader.into_records().map(|row| row.expect("a row")[seen].to_owned()).collect();
    // Three competitors and six steps; nothing is claimed of the first step.
    assert_eq!(rows.len(), 9);
    assert!(rows[..4].iter().all(String::is_empty), "{rows:?}");
    assert!(rows[4..].iter().all(|seen| ["confirmed", "not seen", "reversed", "unclear"].contains(&seen.as_str())), "{rows:?}");
}

#[test]
fn bench_finds_a_ladders_filter_and_goes_through_all_ladders() {
    let rows = run(["bench", "--ladder", "bifrost", "--size", "16x16", "--budget-ms", "1", "--json"]).done().json();
    assert_eq!(
        (&rows[4]["ladder"]["name"], &rows[4]["ladder"]["claim"]),
        (&Value::from("bifrost"), &Value::from("faster than step 1 (Scalar)"))
    );
    let page = run(["bench", "--ladders", "--filter", "laplace", "--size", "16x16", "--budget-ms", "1"]).done().stdout;
    for words in ["## Mali-T600 Laplace", "## Bifrost Laplace", "### 16 × 16 on ", "| Not from a guide: faster than step 1 (Scalar) |"] {
        assert!(page.contains(words), "'{words}' is not in: {page}");
    }
    // One that is named twice is measured once.
    let page = run(["bench", "--ladders", "--ladder", "bifrost", "bifrost", "--size", "16x16", "--budget-ms", "1"]).done().stdout;
    assert!(page.matches("## Bifrost Laplace").count() == 1 && !page.contains("## Mali-T600 Laplace"), "{page}");
}

#[test]
fn bench_rows_that_cannot_be_measured_have_a_reason() {
    let arguments =
        ["bench", "--variant", "naive", "padded+vectorize=5", "--channels", "gray", "--size", "16x16", "--budget-ms", "1", "--json"];
    let rows = run(arguments).done().json();
    let rows = rows.as_array().expect("an array");
    assert_eq!(rows.len(), 5);
    assert_eq!((&rows[3]["status"], &rows[4]["status"]), (&Value::from("measured"), &Value::from("unsupported")));
    assert!(rows[4]["reason"].as_str().is_some_and(|reason| reason.contains("gray")), "{}", rows[4]["reason"]);
    assert!(rows[3]["record"]["outcome"]["measured"]["kernel"]["samples_ns"].as_array().is_some_and(|samples| samples.len() >= 5));
}

#[test]
fn bench_compares_rows_in_interleaved_pairs() {
    let arguments = ["bench", "--variant", "naive", "coalesced", "--size", "64x64", "--budget-ms", "5", "--compare", "--json"];
    let rows = run(arguments).done().json();
    assert_eq!(rows[3]["compared_with_row_above"], Value::Null, "the first has no row above");
    let compared = &rows[4]["compared_with_row_above"];
    let verdict = compared["verdict"].as_str().expect("a verdict");
    assert!(["FASTER", "SLOWER", "SAME", "UNCLEAR"].contains(&verdict), "{compared}");
    assert!(compared["pairs"].as_u64().is_some_and(|pairs| pairs >= 5), "{compared}");
    assert_eq!(compared["starts"], Value::from(7), "{compared}");
}

#[test]
fn bench_says_what_is_of_one_run() {
    let table = |starts| {
        let rows = ["bench", "--variant", "naive", "coalesced", "--size", "64x64", "--budget-ms", "5", "--compare", "--starts", starts];
        run(rows).done().stdout
    };
    let (one, two) = (table("1"), table("2"));
    assert!(one.contains("from one run of the program") && !two.contains("from one run of the program"), "{one}\n{two}");
    run(["bench", "--starts", "0"]).refused(2, &["--starts"]);
    run(["bench", "--starts", "51"]).refused(2, &["--starts"]);
}

#[test]
#[cfg_attr(windows, ignore = "Wine has no shared virtual memory")]
fn host_memory_is_chosen_and_compared() {
    let arguments =
        ["bench", "--variant", "coalesced", "--memory", "copy", "map", "use-host-ptr", "svm", "--size", "64x64", "--budget-ms", "1"];
    let table = run(arguments).done().stdout;
    for words in ["coalesced ", "coalesced, map ", "coalesced, use-host-ptr ", "coalesced, svm "] {
        assert!(table.contains(words), "'{words}' is not in: {table}");
    }
    run(["bench", "--memory", "pinned"]).refused(2, &["copy, map, use-host-ptr, svm"]);
    let (_folder, picture) = scratch("out.png");
    let told = run(["run", "camera.png", &picture, "--memory", "use-host-ptr", "--json"]).done().json();
    assert_eq!((&told["host_memory"], &told["verification"]["differing_pixels"]), (&Value::from("use-host-ptr"), &Value::from(0)));
    run(["run", "camera.png", &picture, "--engine", "cpu-simd", "--memory", "map"]).refused(2, &["--memory cannot be combined with"]);
}

#[test]
fn a_filters_parameters_are_told_with_every_reading() {
    let (_folder, csv) = scratch("rows.csv");
    let table =
        run(["bench", "--filter", "box", "--variant", "naive", "--set", "radius=7", "--size", "16x16", "--budget-ms", "1", "--csv", &csv]);
    let table = table.done().stdout;
    assert!(table.contains("(radius 7)"), "{table}");
    let text = std::fs::read_to_string(&csv).expect("the file");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let column = reader.headers().expect("a header").iter().position(|column| column == "parameters.radius").expect("a column");
    let radii: Vec<_> = reader.records().map(|row| row.expect("a row")[column].to_owned()).collect();
    assert_eq!(radii, ["7.0"; 4], "the three competitors' too");
}

#[test]
fn bench_takes_pictures_sizes_and_local_sizes() {
    let arguments = [
        "bench",
        "--variant",
        "naive",
        "--picture",
        "camera.png",
        "--size",
        "64x48",
        "32x16",
        "--local",
        "driver",
        "8x2",
        "--budget-ms",
        "1",
        "--json",
    ];
    let rows = run(arguments).done().json();
    let rows = rows.as_array().expect("an array");
    // Two sizes of three competitors and two local sizes each.
    assert_eq!(rows.len(), 10);
    let (first, last) = (&rows[0]["record"], &rows[9]["record"]);
    assert_eq!((&first["picture"]["width_px"], &first["spec"]["channels"]), (&Value::from(64), &Value::from("gray")));
    assert_eq!((&last["picture"]["width_px"], &last["contender"]["device"]["local"]), (&Value::from(32), &Value::from("8x2")));
    let (_folder, missing) = scratch("missing/rows.csv");
    run(["bench", "--csv", &missing, "--size", "16x16"]).refused(1, &[&missing]);
}

#[test]
fn a_benchmark_is_bundled_merged_and_made_a_page_of() {
    let (folder, one) = scratch("one.json");
    let [other, both, page] = ["other.json", "both.json", "page.html"].map(|name| folder.path().join(name).display().to_string());
    run(["bench", "--ladder", "mali-t600", "--size", "64x48", "32x16", "--budget-ms", "5", "--bundle", &one]).done();
    run([
        "bench",
        "--variant",
        "naive",
        "coalesced",
        "--compare",
        "--picture",
        "camera.png",
        "--size",
        "64x48",
        "--budget-ms",
        "5",
        "--bundle",
        &other,
    ])
    .done();
    // Two sizes of three competitors and six steps; three competitors and two variants.
    assert_eq!(
        run(["merge", &one, &other, &one, "--out", &both]).done().stdout,
        format!("{both}: devices: 1; measurements: 23; duplicates omitted: 18\n")
    );
    run(["report", &both, "--out", &page]).done();
    let html = std::fs::read_to_string(&page).expect("written");
    for words in [
        "2 Vectorize",
        "or this program where it is marked as ours",
        "--ladder mali-t600 --size 64x48 32x16 --budget-ms 5",
        "--picture camera.png",
        "vload",
        "bit-exact",
    ] {
        assert!(html.contains(words), "'{words}' is not in the page");
    }
    assert_eq!(html.matches("<img ").count(), 6, "two pictures of each of three subjects");
    run(["report", &one, "--out", &page, "--language", "zh"]).done();
    let html = std::fs::read_to_string(&page).expect("written");
    assert!(html.contains("<html lang=\"zh\">") && html.contains("各项主张") && !html.contains("where it is marked as ours"));
    // The command that it tells does the same again.
    let command = html.split("<pre class=\"command\">").nth(1).and_then(|rest| rest.split("</pre>").next()).expect("a command");
    let words: Vec<&str> = command.split_whitespace().skip(1).collect();
    let mut again = program();
    again.args(&words).args(["--bundle", &other]);
    outcome(again).done();
    let records = |path: &str| {
        let bundle: Value = serde_json::from_str(&std::fs::read_to_string(path).expect("written")).expect("JSON");
        let readings = bundle["runs"][0]["devices"][0]["readings"].as_array().expect("readings").clone();
        readings
            .iter()
            .map(|reading| {
                [
                    &reading["record"]["spec"],
                    &reading["record"]["contender"]["device"]["variant"],
                    &reading["record"]["picture"],
                    &reading["kernel"],
                    &reading["step"],
                ]
                .map(Value::clone)
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(records(&one), records(&other));
}

/// Every text of a JSON value with the path to it, but for what was measured.
fn texts_of(path: &str, value: &Value, texts: &mut Vec<(String, String)>) {
    match value {
        Value::String(_) if ["date", "sha256", "verdict", "sameness", "build_from"].iter().any(|name| path.ends_with(name)) => {}
        Value::String(text) => texts.push((path.to_owned(), text.clone())),
        Value::Array(items) => items.iter().enumerate().for_each(|(index, item)| texts_of(&format!("{path}.{index}"), item, texts)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| texts_of(&format!("{path}.{name}"), value, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[test]
fn what_is_written_is_the_same_in_every_language_but_for_what_was_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str, language: &str| folder.path().join(format!("{language}-{name}")).display().to_string();
    let [english, chinese] = ["en", "zh"].map(|language| {
        let [bundle, csv] = ["bundle.json", "rows.csv"].map(|name| path(name, language));
        // A ladder with its claims and reasons, and a local size that no device has.
        let rows = |more: &[&str]| {
            let mut command = program();
            command
                .args(["bench", "--language", language, "--size", "64x48", "--budget-ms", "5", "--csv", &csv, "--bundle", &bundle])
                .args(more);
            outcome(command)
        };
        let json = rows(&["--variant", "naive", "coalesced", "--local", "driver", "5000x5000", "--compare", "--json"]).stdout;
        let read = |path: &str| std::fs::read_to_string(path).expect("written");
        let (bundle, csv) = (read(&bundle), read(&csv));
        for ladder in [["adreno-vectorized-add", "--why", "test"].as_slice(), &["mali-t600"]] {
            rows(&[["--starts", "1", "--ladder"].as_slice(), ladder].concat()).done();
            let claims = read(&path("rows.csv", language)) + &read(&path("bundle.json", language));
            assert!(!claims.chars().any(base::texts::is_han), "{claims}");
        }
        (json, bundle, csv)
    });
    let texts = |json: &str| {
        let mut texts = Vec::new();
        let mut value: Value = serde_json::from_str(json).expect("JSON");
        // The arguments name the language.
        value.as_object_mut().expect("an object").remove("settings");
        texts_of("", &value, &mut texts);
        texts
    };
    assert_eq!(texts(&chinese.0), texts(&english.0));
    assert_eq!(texts(&chinese.1), texts(&english.1));
    assert!(english.1.contains("\"key\":\"words.instructions.scalar\"") && english.1.contains("5000"), "{}", english.1);
    let columns = |csv: &str| {
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let header = reader.headers().expect("a header").clone();
        let wanted =
            ["instructions.text", "instructions", "status", "reason", "variant", "local", "device", "compared_with_row_above.code"];
        let cells = |row: &csv::StringRecord| {
            let named = header.iter().zip(row).filter(|(name, _)| wanted.contains(name));
            named.map(|(name, cell)| format!("{name}: {cell}")).collect::<Vec<_>>()
        };
        reader.records().map(|row| cells(&row.expect("as long as the header"))).collect::<Vec<_>>()
    };
    assert_eq!(columns(&chinese.2), columns(&english.2));
    assert!(columns(&english.2)[4].iter().any(|cell| cell.starts_with("reason: ") && cell.contains("5000")), "{:?}", columns(&english.2));
    // Whoever reads it reads their own language.
    let report = |language: &str| {
        let page = path("page.html", language);
        run(["report", &path("bundle.json", "en"), &path("bundle.json", "zh"), "--out", &page, "--language", language]).done();
        std::fs::read_to_string(page).expect("written")
    };
    assert!(report("zh").contains("各项主张") && report("en").contains("or this program where it is marked as ours"));
}

#[test]
fn a_bundle_names_neither_the_person_nor_their_files() {
    let (folder, _) = scratch("");
    let home = folder.path().join("home").join("jane-doe-secret");
    let pictures = home.join("divorce papers");
    std::fs::create_dir_all(&pictures).expect("a folder");
    let picture = pictures.join("my-lawyer.png");
    std::fs::copy(asset("camera.png"), pictures.join("sample.png")).expect("copied");
    run(["run", &asset("camera.png"), &picture.display().to_string(), "--engine", "cpu-simd"]).done();
    let bundle = home.join("out.json");
    let bench = |picture: &Path| {
        let mut command = program();
        command
            .env("HOME", &home)
            .env("USER", "jane-doe-secret")
            .env("LOGNAME", "jane-doe-secret")
            .env("HOSTNAME", "janes-laptop")
            .current_dir(&pictures);
        // A step that the device cannot do is there with its reason.
        command.args([
            "bench",
            "--variant",
            "naive",
            "padded+vectorize=5",
            "--channels",
            "gray",
            "--size",
            "32x16",
            "--budget-ms",
            "1",
            "--picture",
        ]);
        outcome({
            command.arg(picture).arg("--bundle").arg(&bundle);
            command
        })
        .done();
        std::fs::read_to_string(&bundle).expect("written")
    };
    let text = bench(&picture);
    assert!(text.contains("\"picture\":\"own\""), "{text}");
    for words in ["jane", "lawyer", "divorce", "papers", "janes-laptop", &folder.path().display().to_string(), "/home"] {
        assert!(!text.contains(words), "'{words}' is in: {text}");
    }
    // Nor has the page anything of the picture.
    let page = folder.path().join("page.html").display().to_string();
    run(["report", &bundle.display().to_string(), "--out", &page]).done();
    let html = std::fs::read_to_string(&page).expect("written");
    assert!(!html.contains("<img ") && !html.contains("lawyer") && html.contains("--picture PICTURE"), "{html}");
    // A sample is one, whatever it is called.
    assert!(bench(&pictures.join("sample.png")).contains("\"picture\":{\"sample\":\"camera.png\"}"));
}

/// The filter of the tests in a folder of its own, whose kernel with coalesced mapping does that many eighths of its work again.
fn emboss_repeating(folder: &Path, eighths: usize) {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filters/emboss");
    std::fs::create_dir_all(folder.join("emboss/ladders")).expect("a folder");
    for name in ["filter.toml", "naive.cl", "texts.en.toml", "texts.zh.toml", "ladders/steps.toml", "emboss.cl"] {
        let mut text = std::fs::read_to_string(own.join(name)).expect("there");
        if name == "emboss.cl" && eighths > 0 {
            let of_channels = "    for (int channel = 0; channel < CHANNELS; ++channel) {";
            let repeated = format!("    for (int repeat = 0; repeat < 1 + (x % 8 < {eighths}); ++repeat)\n{of_channels}");
            assert!(text.contains(of_channels));
            text = text.replace(of_channels, &repeated).replace("*restrict ", "*");
        }
        std::fs::write(folder.join("emboss").join(name), text).expect("written");
    }
}

#[test]
fn a_kernel_that_became_slower_is_found_and_one_that_did_not_is_not() {
    let (folder, file) = scratch("baseline.json");
    let filters = folder.path().join("filters");
    let filters_name = filters.display().to_string();
    let bench =
        ["--filters", &filters_name, "bench", "--filter", "emboss", "--variant", "coalesced", "--size", "512x512", "--budget-ms", "20"];
    let compare = ["--filters", &filters_name, "compare", &file, "--processes", "3"];
    let run = |first: &[&str], more: &[&str]| {
        let mut command = program();
        command.args(first).args(more);
        outcome(command)
    };
    emboss_repeating(&filters, 0);
    run(&bench, &["--save", &file, "--starts", "2"]).refused(2, &["--starts 3"]);
    run(&bench, &["--save", &file, "--starts", "3"]).done();
    // A kernel that is the same is not slower, whatever else the machine does.
    let same = run(&compare, &["--json"]).done().json();
    assert_eq!(same["tables"]["rows"][0]["question"], "same kernel, started alike; the ratio is of the machine");
    // Three processes beside other tests decide little of the machine; none of them is to be called slower by a wide margin.
    let same = run(&compare, &["--machine", "--fail-slower", "300%", "--json"]);
    assert!([Some(0), Some(4)].contains(&same.code), "{}\n{}", same.stdout, same.stderr);
    assert_eq!(same.json()["tables"]["rows"][0]["question"], "same text, then and now");

    // Twice the work, and right.
    emboss_repeating(&filters, 8);
    let junit = folder.path().join("kernels.xml");
    let history = folder.path().join("times.jsonl");
    let slower = run(&compare, &["--junit", &junit.display().to_string(), "--history", &history.display().to_string(), "--json"]);
    assert_eq!(slower.code, Some(3), "{}\n{}", slower.stdout, slower.stderr);
    let told = slower.json();
    let row = &told["tables"]["rows"][0];
    assert_eq!((&told["verdict"], &row["question"]), (&Value::from("slower"), &Value::from("kernel texts, interleaved")));
    assert!(row["ratio"]["low"].as_f64().is_some_and(|low| low > 1.0), "{row}");
    let xml = std::fs::read_to_string(&junit).expect("written");
    assert!(xml.contains("tests=\"1\" failures=\"1\"") && xml.contains("<failure type=\"slower\""), "{xml}");
    let line: Value = serde_json::from_str(&std::fs::read_to_string(&history).expect("written")).expect("a line of JSON");
    assert_eq!((&line["verdict"], &line["rows"][0]["compared"]), (&Value::from("slower"), &Value::from("kernel")));

    // Commit by commit.
    let name = history.display().to_string();
    let told = outcome({
        let mut command = program();
        command.args(["history", &name, "--json"]);
        command
    });
    let comparison = &told.done().json()["comparisons"][0];
    assert_eq!((&comparison["verdict"], &comparison["rows"][0]["compared"]), (&Value::from("slower"), &Value::from("kernel")));
    assert!(comparison["baseline"]["date"].is_string() && comparison["fail_slower"] == 0.03, "{comparison}");
    let page = folder.path().join("times.svg");
    let mut command = program();
    command.args(["history", &name, "--out", &page.display().to_string()]);
    outcome(command).done();
    assert!(std::fs::read_to_string(&page).expect("written").contains("<svg"));
    let mut command = program();
    command.args(["history", &file]);
    outcome(command).refused(1, &["not a gate history", "--history"]);

    // A wrong output is no question of times.
    let path = filters.join("emboss/emboss.cl");
    let wrong = std::fs::read_to_string(&path).expect("there").replace("clamp(128 + strength", "clamp(127 + strength");
    std::fs::write(&path, wrong).expect("written");
    let failed = run(&compare, &["--junit", &junit.display().to_string()]);
    assert_eq!(failed.code, Some(1), "{}\n{}", failed.stdout, failed.stderr);
    assert!(failed.stderr.contains("1 of 1 rows failed") && failed.stdout.contains("failed: "), "{}\n{}", failed.stdout, failed.stderr);
    assert!(std::fs::read_to_string(&junit).expect("written").contains("<failure type=\"failed\""));

    // Without the folder, the rows are of a filter that is not known.
    let mut without = program();
    without.args(["compare", &file]);
    outcome(without).refused(1, &["emboss", "--filters"]);
    emboss_repeating(&filters, 0);
    let text = std::fs::read_to_string(&file).expect("written");
    let changed = |from: &str, to: &str| text.replacen(from, to, 1);
    std::fs::write(&file, changed("\"cores\":", "\"cores\": 9")).expect("written");
    run(&compare, &[]).refused(1, &["damaged", "--save"]);
    // Of a machine with more cores, as its own program would seal it.
    let sum = text.find("\"sha256\":\"").expect("a sum") + 10;
    let without = format!("{}{}", &text[..sum], &text[sum + 64..]);
    std::fs::write(&file, study::bundle::sealed(without.replacen("\"cores\":", "\"cores\":9", 1).trim_end())).expect("written");
    run(&compare, &[]).refused(1, &["another machine", "cores", "--across"]);
    let across = run(&compare, &["--across", "--markdown"]).done().stdout;
    assert!(across.contains("no verdict") && across.contains("| row | baseline | now | time now / baseline |"), "{across}");
}

#[test]
fn a_search_for_a_variant_goes_on_where_it_was_ended() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (trials, chart) = (path("trials.jsonl"), path("found.svg"));
    let run = |filter: &str| {
        let mut command = program();
        command.args([
            "autotune",
            "--filter",
            filter,
            "--size",
            "256x256",
            "--seconds",
            "6",
            "--trials",
            &trials,
            "--out",
            &chart,
            "--json",
        ]);
        outcome(command)
    };
    let first = run("copy").done().json();
    assert!(std::fs::read_to_string(&chart).expect("written").contains("<svg"));
    let lines = || std::fs::read_to_string(&trials).expect("written");
    let read = |text: &str| text.lines().skip(1).map(|line| serde_json::from_str::<Value>(line).expect("JSON")).collect::<Vec<_>>();
    let before = lines();
    let timed = read(&before).iter().filter(|line| line["outcome"] == "timed").count();
    assert_eq!(Some(timed), first["tried"].as_array().map(Vec::len));
    // As if it had been killed in the middle of a line.
    std::fs::write(&trials, &before[..before.len() - 10]).expect("written");
    run("copy").done();
    let after = read(&lines());
    assert!(after.len() + 1 >= before.lines().count() - 1, "{} after {}", after.len(), before.lines().count());
    let mut candidates: Vec<String> = after.iter().map(|line| format!("{} {}", line["variant"], line["local"])).collect();
    candidates.sort();
    let count = candidates.len();
    candidates.dedup();
    assert_eq!(candidates.len(), count, "each once");
    // Trials of another filter are not gone on with, and stay as they are.
    let before = lines();
    run("add").refused(1, &["trials.jsonl"]);
    assert_eq!(lines(), before);
}

#[test]
fn events_are_counted_or_it_is_said_why_not() {
    let run = |arguments: &[&str]| {
        let mut command = program();
        command.args(["counters"]).args(arguments);
        outcome(command)
    };
    let told = run(&["naive", "coalesced", "--filter", "copy", "--size", "256x256", "--json"]).done().json();
    let variants = told["variants"].as_array().expect("two");
    assert_eq!(variants.len(), 2);
    for variant in variants {
        let [counted, missing] = ["counts", "missing"].map(|part| variant["events"][part].as_object().expect("a table").len());
        assert_eq!(counted + missing, model::Event::ALL.len(), "{variant}");
    }
    let story = run(&["naive", "--filter", "copy", "--size", "256x256"]).done().stdout;
    assert!(story.contains("Bytes that must be moved") && story.contains("Kernel time of a run"), "{story}");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("profile.csv");
    std::fs::write(&file, "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\"0\",\"blur\",\"Registers Per Thread\",\"register/thread\",\"32\"\n")
        .expect("written");
    let name = file.display().to_string();
    let story = run(&["--ncu", &name]).done().stdout;
    assert!(story.contains("blur (1 launches)") && story.contains("Registers Per Thread") && story.contains("CUDA"), "{story}");
    std::fs::write(&file, "a,b\n").expect("written");
    run(&["--ncu", &name]).refused(1, &["no counters", "ncu --csv"]);
}

/// Runs the program with what stands in for ssh: each machine has a home of its own, and `gone` cannot be reached.
#[cfg(unix)]
fn with_machines(folder: &Path) -> impl Fn(&[&str]) -> Ran {
    let ssh = format!("{}/tests/stand_in_ssh {}", env!("CARGO_MANIFEST_DIR"), folder.display());
    move |arguments| {
        let mut command = program();
        command.args(arguments).env("KERNEL_LADDER_SSH", &ssh);
        outcome(command)
    }
}

#[cfg(unix)]
#[test]
fn other_machines_are_asked_by_ssh() {
    let (folder, file) = scratch("both.json");
    let run = with_machines(folder.path());
    run(&["devices", "--on", "gone"]).refused(1, &["gone could not be reached", "Connection refused", "ssh gone"]);
    run(&["devices", "--on", "one"]).refused(1, &["one has no kernel-ladder", "--on one --install"]);
    run(&["devices", "--install"]).refused(2, &["--on HOST"]);
    // Installed by those machines' systems. The first says `Ready(99, None)`, as a message; the second knows no worker.
    let others = [
        ("later", "printf '\\013\\000\\000\\000\\241\\145Ready\\202\\030\\143\\366'", "uses version 99 of the message format"),
        ("older", "echo 'unrecognized subcommand' >&2; exit 2", "unrecognized subcommand"),
    ];
    for (host, script, why) in others {
        let installed = folder.path().join(host).join("bin");
        std::fs::create_dir_all(&installed).expect("ours");
        let program = installed.join("kernel-ladder");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("written");
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("ours");
        run(&["devices", "--on", host]).refused(1, &[&format!("{host} has another version of kernel-ladder"), why, "--install"]);
    }
    // What is copied goes before what the system has.
    assert!(run(&["devices", "--on", "older", "--install"]).done().stdout.contains("OpenCL"));
    for host in ["one", "two"] {
        let installed = run(&["devices", "--on", host, "--install"]).done();
        assert!(
            installed.stderr.contains(&format!("Copied to {host}: kernel-ladder ")) && installed.stdout.contains("OpenCL"),
            "{}",
            installed.stderr
        );
    }
    assert_eq!(run(&["devices", "--on", "one"]).done().stdout.replace("one: ", ""), run(&["devices"]).done().stdout);
    let filtered = folder.path().join("filtered.png").display().to_string();
    let ran = run(&["run", &asset("camera.png"), &filtered, "--on", "two"]).done();
    // The picture has 768 × 432 pixels of three bytes, and comes back as it went.
    assert!(ran.stderr.contains("Sent to two: ") && ran.stderr.contains("Timings exclude these transfers"), "{}", ran.stderr);
    let bench =
        |hosts, file| run(&["bench", "--on", hosts, "--ladder", "mali-t600", "--size", "32x16", "--budget-ms", "1", "--bundle", file]);
    // Three CPU competitors and six steps on each.
    assert_eq!(bench("one,two", &file).done().stdout, format!("{file}: devices: 2; measurements: 18\n"), "alike, and two");
    let text = std::fs::read_to_string(&file).expect("written");
    assert!(!text.contains("\"one\"") && text.matches("\"alias\":\"machine-").count() == 18, "{text}");
    let table = run(&["bench", "--on", "one", "--variant", "naive", "--size", "32x16", "--budget-ms", "1"]).done().stdout;
    assert!(table.contains("CPU: one: ") && table.lines().nth(1).is_some_and(|line| line.starts_with("Device 0: one: ")), "{table}");
    run(&["bench", "--on", "one,two", "--bundle", &file, "--alias", "box"]).refused(2, &["1 names", "2 machines"]);
    let lost = bench("one,gone", &file);
    assert_eq!((lost.code, lost.stdout), (Some(1), format!("{file}: devices: 1; measurements: 9\n")));
    assert!(lost.stderr.contains("On gone: ") && lost.stderr.contains("1 of 2 failed"), "{}", lost.stderr);
    run(&["bench", "--on", "one,two"]).refused(2, &["--bundle FILE"]);
    run(&["bench", "--on", "one,two", "--bundle", &file, "--json"]).refused(2, &["one bundle"]);
    run(&["devices", "--on", "one,two"]).refused(2, &["one,two"]);
}

#[test]
fn a_kernel_that_reads_another_file_is_refused_and_shows_nothing_of_it() {
    let (_folder, kernel) = scratch("kernel.cl");
    let (_folder, secret) = scratch("secret");
    std::fs::write(&secret, "a private key\n").expect("written");
    run(["try", "naive", "--filter", "laplace", "--start", &kernel]).done();
    let own = std::fs::read_to_string(&kernel).expect("written");
    for (line, word) in [(format!("#include \"{secret}\""), "#include"), (format!("#define M <{secret}>\n#/**/inc\\\nlude M"), "#include")]
    {
        std::fs::write(&kernel, format!("{own}\n{line}\n")).expect("written");
        let tried = run(["try", "naive", &kernel, "--filter", "laplace", "--size", "64x48", "--budget-ms", "1"]);
        assert!(!format!("{}{}", tried.stdout, tried.stderr).contains("private key"));
        tried.refused(1, &[word, "would read another file"]);
    }
}

/// A stranger may put them there; a network home that hangs looks the same.
#[cfg(target_os = "linux")]
#[test]
fn pipes_in_the_cache_hold_nobody_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let bench = || {
        let mut command = program();
        command.args(["bench", "--filter", "copy", "--variant", "naive", "--size", "64x48", "--budget-ms", "1"]);
        command.env("KERNEL_LADDER_CACHE", folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program starts");
        let begun = std::time::Instant::now();
        loop {
            match child.try_wait().expect("it is ours") {
                Some(status) => return status.success(),
                None if begun.elapsed() > std::time::Duration::from_mins(1) => {
                    child.kill().and_then(|()| child.wait()).expect("it is ours");
                    return false;
                }
                None => std::thread::sleep(std::time::Duration::from_millis(20)),
            }
        }
    };
    assert!(bench(), "without pipes");
    let entries = std::fs::read_dir(folder.path()).expect("there").flatten().map(|entry| entry.path());
    let kept: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|extension| extension == "bin")).collect();
    for path in kept.iter().chain([&folder.path().join("pipe.bin"), &folder.path().join("roofs-0.json")]) {
        let _ = std::fs::remove_file(path);
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).expect("made");
    }
    assert!(!kept.is_empty() && bench(), "with pipes");
}

#[test]
fn what_is_no_bundle_is_told() {
    let (_folder, file) = scratch("x.json");
    let (_folder, out) = scratch("out.html");
    for (content, words) in [("", "it is truncated"), ("[]", "but not a bundle of this program"), ("\u{1}", "it is not JSON")] {
        std::fs::write(&file, content).expect("written");
        run(["report", &file, "--out", &out]).refused(1, &[words, &file]);
        run(["merge", &file, "--out", &out]).refused(1, &[words, &file]);
    }
    run(["merge", "--out", &out]).refused(2, &["<BUNDLE>"]);
    run(["report", &file]).refused(2, &["--out"]);
    assert!(!Path::new(&out).exists());
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let mut child = program().arg("list").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    // Closed before anything is read.
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

/// A prediction as the window keeps it.
const PREDICTION: &str = r#"{"schema":1,"order":1,"ladder":"mali-t600","step":1,"guess":{"change":"faster","is_sure":true},"truth":["slower"],"bots":[{"change":"faster","is_sure":false},{"change":"same","is_sure":false},{"change":"faster","is_sure":false},{"change":"much-faster","is_sure":false}],"has_right_reason":null,"step_key":"vectorize","against":0,"filter":"laplace","width_px":600,"height_px":400,"device":"a1b2c3d4e5f6","ratio":0.8,"low":0.78,"high":0.82,"verdict":"SLOWER","reasons_shown":["fewer-loads","shuffles-cost"],"reason_chosen":"shuffles-cost","reason_true":"shuffles-cost","seconds":12.5,"rules":"86cac99d","votes":null,"recalls":[]}"#;

#[test]
#[cfg_attr(windows, ignore = "the folder of data is the user's, and no variable moves it")]
fn predictions_are_told_and_exported() {
    let home = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| {
        let mut command = program();
        command.arg("predictions").args(arguments).env("XDG_DATA_HOME", home.path());
        outcome(command)
    };
    assert!(run(&[]).done().stdout.starts_with("No predictions yet"));
    let folder = home.path().join("kernel-ladder");
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::write(folder.join("predictions.jsonl"), format!("{PREDICTION}\n")).expect("written");
    let told = run(&[]).done().stdout;
    assert!(told.contains("faster, sure") && told.contains("0.800× (0.780–0.820)") && told.contains("scored: 1"), "{told}");
    let csv = run(&["--csv"]).done().stdout;
    assert!(csv.starts_with("order,ladder,step,") && csv.lines().count() == 2 && csv.contains("fewer-loads|shuffles-cost"), "{csv}");
    let json = run(&["--json"]).done().json();
    assert_eq!((&json["predictions"][0]["truth"], &json["predictions"][0]["points"]), (&serde_json::json!(["slower"]), &0.0.into()));
    assert!(run(&["--fields"]).done().stdout.contains("lower end of the ratio's 95 % interval"));
    run(&["--csv", "--json"]).refused(2, &["--json"]);
}

#[test]
#[cfg_attr(windows, ignore = "the folder of data is the user's, and no variable moves it")]
fn what_a_search_found_is_offered_run_and_made_a_lesson() {
    let (home, (_folder, out), (_lessons, lesson)) = (tempfile::tempdir().expect("a folder"), scratch("out.png"), scratch("fast.toml"));
    let run = |arguments: &[&str]| {
        let mut command = program();
        command.args(arguments).env("XDG_DATA_HOME", home.path());
        outcome(command)
    };
    let tuned = ["run", "camera.png", &out, "--tuned", "--json"];
    run(&tuned).refused(1, &["kernel-ladder autotune --filter laplace --channels gray --border copy --size 512x512 --device 0"]);
    run(&["run", "camera.png", &out, "--tuned", "--variant", "naive"]).refused(2, &["--variant"]);
    let mut engine = Engine::with_cache(CacheSettings::off());
    let device = engine.devices().expect("devices").first().expect("one");
    let filter = filters::by_name("laplace").expect("known");
    let tuning = Tuning {
        schema: Tuning::SCHEMA,
        sought: Sought::Variant,
        machine: device.machine(),
        spec: filter.spec(Channels::Gray, filter.default_border),
        width_px: 512,
        height_px: 512,
        found: Candidate { variant: Variant::parse("coalesced+padded").expect("known"), local: LocalSize::Explicit([64, 2]) },
        comparison: Comparison { ratio: 1.5, low: 1.4, high: 1.6, verdict: Verdict::Faster, starts: 1 },
        busy: false,
    };
    let kept = home.path().join("kernel-ladder").join(Tuning::FILE);
    LinesJob::Append(Box::new(tuning)).run(&kept).expect("written");
    let told = run(&tuned).done().json();
    assert_eq!((&told["variant"], &told["local_size_used"]), (&Value::from("coalesced+padded"), &serde_json::json!([64, 2])));
    let searched = run(&["autotune", "--channels", "gray", "--size", "512x512", "--seconds", "20", "--lesson", &lesson]).done();
    assert!(searched.stderr.contains("512 × 512: coalesced+padded, 64 × 2"), "{}", searched.stderr);
    run(&["lessons", "--check", &lesson]).done();
    assert!(std::fs::read_to_string(&lesson).expect("written").contains("[[screen]]"));
}

#[test]
fn each_rule_that_is_not_told_is_told_when_asked_for() {
    let why = |more: &[&str]| {
        let mut command = program();
        command.args(["why", "naive", "coalesced", "--size", "64x48", "--budget-ms", "1", "--starts", "1"]).args(more);
        outcome(command).done()
    };
    let plain = why(&[]).stdout;
    assert!(!plain.contains("Why not the other reasons?"), "{plain}");
    let all = why(&["--all"]).stdout;
    assert!(all.contains("Why not the other reasons?") && all.contains("There are fewer loads: "), "{all}");
    let json = why(&["--all", "--json"]).json();
    let others = json["others"].as_array().expect("a list");
    assert!(others.len() > 55 && others.iter().all(|other| other["why_not"].as_str().is_some_and(|why| !why.is_empty())), "{others:?}");
    let bench = run(["bench", "--ladder", "adreno-vectorized-add", "--size", "64x48", "--budget-ms", "1", "--starts", "1", "--why", "all"]);
    assert!(bench.done().stdout.contains("Why not the other reasons?"));
}

#[test]
fn explanations_that_are_put_to_the_test_are_counted_kept_and_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let [bundle, page] = ["bundle.json", "page.html"].map(path);
    let mut command = program();
    command.args([
        "bench",
        "--ladder",
        "adreno-vectorized-add",
        "maleoon-memcpy",
        "--size",
        "256x256",
        "--budget-ms",
        "5",
        "--starts",
        "1",
    ]);
    command.args(["--why", "test", "--bundle", &bundle]);
    let ran = outcome(command).done();
    let counts = ran.stdout.lines().skip_while(|line| !line.starts_with("ladder ")).collect::<Vec<_>>();
    assert!(counts[0].contains("explained") && counts[0].contains("only possible"), "{}", ran.stdout);
    let steps = |name: &str| -> usize {
        let line = counts.iter().find(|line| line.split_whitespace().next() == Some(name)).unwrap_or_else(|| panic!("{name}: {counts:?}"));
        line.split_whitespace().nth(1).and_then(|count| count.parse().ok()).expect("a count")
    };
    assert_eq!(steps("adreno-vectorized-add") + steps("maleoon-memcpy"), steps("all"));
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(&bundle).expect("written")).expect("JSON");
    let tested = kept["runs"].as_array().expect("runs").iter().flat_map(|run| run["devices"][0]["tested"].as_array().expect("steps"));
    let tested: Vec<&Value> = tested.collect();
    assert_eq!(tested.len(), steps("all"));
    assert!(tested.iter().all(|tested| tested["step"]["is_put_to_test"] == true), "{tested:?}");
    // The page of what was kept shows it, in each language; it was held to what can be when it was read.
    for (language, title) in [("en", "Explanations put to the test"), ("zh", "接受检验的解释")] {
        run(["report", &bundle, "--out", &page, "--language", language]).done();
        assert!(std::fs::read_to_string(&page).expect("written").contains(title), "{language}");
    }
    run(["bench", "--ladder", "mali-t600", "no-such-ladder"]).refused(2, &["no-such-ladder", "mali-t600"]);
}

#[test]
fn files_of_a_class_are_made_up_and_become_a_page() {
    let (folder, page) = scratch("class.html");
    let handed_in = folder.path().join("handed-in");
    let given = handed_in.display().to_string();
    let made_up = run(["class", "--example", "5", &given]).done();
    assert_eq!(made_up.stdout, format!("{given}: made-up files: 5\n"));
    // A bundle of a benchmark is accepted as well.
    let bundle = handed_in.join("bench.json").display().to_string();
    run(["bench", "--ladder", "mali-t600", "--size", "64x48", "--budget-ms", "5", "--bundle", &bundle, "--alias", "box-1"]).done();
    assert_eq!(run(["class", &given, "--out", &page]).done().stdout, format!("{page}: files: 6; students: 6; devices: 6\n"));
    let html = || std::fs::read_to_string(&page).expect("written");
    for words in [
        "Made-up files: ",
        "2 Vectorize, compared with 1 Original",
        "box-1",
        "Predictions: ",
        "Tasks and questions",
        "Bundles, which contain neither",
    ] {
        assert!(html().contains(words), "'{words}' is not in the page");
    }
    run(["class", &given, "--out", &page, "--language", "zh"]).done();
    assert!(html().contains("<html lang=\"zh\">") && html().contains("虚构的文件") && !html().contains("Made-up files"));
    // A damaged file is told, and the page is made of the others.
    std::fs::write(handed_in.join("made-up-03-for-teacher.json"), "{\"format\":").expect("written");
    let ran = run(["class", &given, "--out", &page]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stderr.contains("made-up-03-for-teacher.json") && ran.stderr.contains("damaged"), "{}", ran.stderr);
    assert!(html().contains("Files: 5. ") && html().contains("could not be read: 1"));
    // What is no use is said, and nothing is written.
    std::fs::remove_file(&page).expect("it was written");
    run(["class", &handed_in.join("made-up-03-for-teacher.json").display().to_string(), "--out", &page]).refused(1, &["damaged"]);
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).expect("a folder");
    run(["class", &empty.display().to_string(), "--out", &page]).refused(1, &["no file with the extension .json"]);
    assert!(!Path::new(&page).exists());
    run(["class", &given]).refused(2, &["--out"]);
    run(["class", "--out", &page]).refused(2, &["<FILE>"]);
    run(["class", "--example", "2", &given, &page]).refused(2, &["exactly one folder"]);
    run(["class", "--example", "0", &given]).refused(2, &["0"]);
    run(["class", &bundle, "--out", &bundle]).refused(2, &[&bundle]);
}

#[test]
fn every_result_has_a_schema_that_refuses_others() {
    let names = run(["schema"]).done().stdout;
    assert!(names.lines().count() > 20 && names.lines().any(|name| name == "bench"), "{names}");
    for name in names.lines() {
        let schema: Value = serde_json::from_str(&run(["schema", name]).done().stdout).expect("JSON");
        let described = schema["properties"]["result"].as_object().expect("an object");
        assert!(described.contains_key("type"), "{name} says nothing");
        // A field that was null wherever it was seen may be anything elsewhere.
        assert!(!schema.to_string().contains(r#":{"type":"null"}"#), "{name}");
        // Of no result is a number.
        let wrong = serde_json::json!({ "schema": schema["properties"]["schema"]["const"], "program": "", "date": "2026-11-26T00:00:00Z",
            "machine": { "system": "", "architecture": "", "cpu": "", "device": null, "platform": null, "driver": null }, "settings": [], "result": 1 });
        assert!(envelope::held_to(&schema, &wrong).is_err(), "{name}");
    }
    let sample = run(["source", "--variant", "padded", "--json"]).done();
    assert!(sample.json()["source"].as_str().expect("a text").contains("__kernel"));
    run(["schema", "benhc"]).refused(2, &["benhc", "bench"]);
}
