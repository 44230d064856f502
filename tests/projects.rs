//! Projects, kernels of a person's own, as scripts meet them: from a kernel file to the best configuration; what is told of mistakes; and folders that mean harm. Each
//! test starts the real program over a real driver.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may panic")]

mod envelope;

use kernels::project::{Element, numpy};
use model::Channels;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A home and folders of its own.
struct Place {
    folder: TempDir,
}

struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Ran {
    fn done(self) -> Self {
        assert_eq!(self.code, Some(0), "{}\n{}", self.stdout, self.stderr);
        self
    }

    /// Refused, with all of these words.
    fn refused(self, words: &[&str]) -> Self {
        assert_ne!(self.code, Some(0), "{}", self.stdout);
        for word in words {
            assert!(self.stderr.contains(word), "'{word}' is not in: {}\n{}", self.stderr, self.stdout);
        }
        self
    }

    fn json(&self) -> Value {
        envelope::result(&self.stdout, &self.stderr)
    }
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A project of the repository, copied here.
    fn with(self, name: &str) -> Self {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/projects").join(name);
        std::fs::create_dir(self.path(name)).expect("made");
        for entry in std::fs::read_dir(from).expect("there") {
            let path = entry.expect("an entry").path();
            std::fs::copy(&path, self.path(name).join(path.file_name().expect("a name"))).expect("copied");
        }
        self
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.path(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    fn write(&self, file: &str, text: &str) {
        std::fs::write(self.path(file), text).expect("written");
    }

    /// One text of a file in the place of another.
    fn change(&self, file: &str, from: &str, to: &str) {
        let text = self.read(file);
        assert!(text.contains(from), "{file} has no '{from}'");
        self.write(file, &text.replacen(from, to, 1));
    }

    fn run<const N: usize>(&self, arguments: [&str; N]) -> Ran {
        self.run_all(&arguments)
    }

    fn run_all(&self, arguments: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kernel-ladder"));
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        let home = self.path("home");
        std::fs::create_dir_all(&home).expect("made");
        command.env("HOME", home).env("KERNEL_LADDER_CACHE", "").env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        for variable in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
            command.env_remove(variable);
        }
        let Output { status, stdout, stderr } = command.output().expect("it starts");
        Ran { code: status.code(), stdout: String::from_utf8(stdout).expect("UTF-8"), stderr: String::from_utf8(stderr).expect("UTF-8") }
    }
}

#[test]
fn a_kernel_file_becomes_a_project_that_is_checked_and_tuned() {
    let place = Place::new().with("unsharp");
    let kernel = place.read("unsharp/unsharp.cl");
    place.write("mine.cl", &format!("#define PX 1\n#define BUG 0\n{kernel}"));
    let made = place.run(["new", "mine", "--from", "mine.cl"]).done();
    assert!(made.stdout.contains("kernel-ladder check mine"), "{}", made.stdout);
    assert!(place.read("mine/project.toml").contains("TODO: float amount"));
    place.run(["new", "mine", "--from", "mine.cl"]).refused(&["already something"]);
    // As it is made, it reads and runs; that a size is wrong, and the kernel reads what lies behind the source, is found as two runs differ, or as the driver crashes.
    place.run(["check", "mine"]).refused(&["kernel-ladder: The "]);
    // The one that a person has finished.
    let checked = place.run(["check", "unsharp"]).done();
    assert!(checked.stdout.contains("54 allowed configurations") && checked.stdout.contains("correct"), "{}", checked.stdout);
    place.run(["check", "unsharp", "--set", "BUG=1"]).refused(&["output is wrong", "differ by more than the tolerance"]);
    place.run(["check", "unsharp", "--set", "BUG=2"]).refused(&["'2' is not a value of 'BUG'", "0, 1"]);
    place.run(["check", "unsharp", "--set", "LY=4", "--set", "LX=64"]).refused(&["not allowed"]);
}

#[test]
fn a_search_finds_the_right_ones_goes_on_after_a_kill_and_leaves_files_for_others() {
    let place = Place::new().with("unsharp");
    let arguments = |most: &'static str| {
        let search = ["autotune", "unsharp", "--seconds", "60", "--most", most, "--json", "--trials", "trials.jsonl"];
        let files = ["--header", "best.h", "--t4", "t4.json", "--cache", "cache.json", "--out", "page.html"];
        let mut all = [""; 17];
        all.iter_mut().zip(search.into_iter().chain(files)).for_each(|(place, word)| *place = word);
        all
    };
    let first = place.run(arguments("12")).done().json();
    assert_eq!(first["trials"].as_array().map(Vec::len), Some(12));
    // As if it had been killed in the middle of a line.
    let whole = place.read("trials.jsonl");
    assert_eq!(whole.lines().count(), 13);
    place.write("trials.jsonl", &whole[..whole.len() - 20]);
    let found = place.run(arguments("54")).done().json();
    let all = found["trials"].as_array().expect("trials");
    let mut seen: Vec<String> = all.iter().map(|trial| trial["configuration"].to_string()).collect();
    seen.sort();
    seen.dedup();
    assert_eq!((all.len(), seen.len(), found["allowed"].as_u64()), (54, 54, Some(54)), "each once");
    for trial in all {
        let is_wrong = trial["configuration"]["BUG"] == 1;
        assert_eq!(trial["outcome"], if is_wrong { "wrong" } else { "timed" }, "{trial}");
        assert_eq!(trial["median_ns"].is_number(), !is_wrong);
    }
    let best = &found["best"]["configuration"];
    assert_eq!(best["BUG"], 0);
    let defines = place.read("best.h");
    for (name, value) in best.as_object().expect("names") {
        assert!(defines.contains(&format!("#define {name} {value}\n")), "{defines}");
    }
    let results: Value = serde_json::from_str(&place.read("t4.json")).expect("JSON");
    assert_eq!(results["results"].as_array().map(Vec::len), Some(54));
    let kept: Value = serde_json::from_str(&place.read("cache.json")).expect("JSON");
    assert_eq!(kept["cache"].as_object().map(serde_json::Map::len), Some(54));
    // What Kernel Tuner has measured is tried first, the fastest before all, and what failed there is not.
    let mut fastest: Vec<(f64, &Value)> =
        kept["cache"].as_object().expect("entries").values().filter_map(|entry| Some((entry["time"].as_f64()?, entry))).collect();
    fastest.sort_by(|one, other| one.0.total_cmp(&other.0));
    let again = place.run(["autotune", "unsharp", "--seconds", "60", "--most", "4", "--json", "--from-cache", "cache.json"]).done().json();
    for (trial, (_, entry)) in again["trials"].as_array().expect("trials").iter().zip(&fastest) {
        for (name, value) in trial["configuration"].as_object().expect("names") {
            assert_eq!(&entry[name], value, "{trial} {entry}");
        }
    }
    place.write("other.json", &place.read("cache.json").replace("\"BUG\"", "\"CAT\""));
    place.run(["autotune", "unsharp", "--seconds", "60", "--from-cache", "other.json"]).refused(&["Kernel Tuner cache", "other.json"]);
    let page = place.read("page.html");
    assert!(page.contains("<svg") && page.contains("share of the differences"), "{page}");
    // Trials of another project are not gone on with, and stay as they are.
    place.change("unsharp/project.toml", "width = 203", "width = 204");
    let before = place.read("trials.jsonl");
    place.run(arguments("12")).refused(&["another version of the project"]);
    assert_eq!(place.read("trials.jsonl"), before);
}

#[test]
fn the_time_is_kept() {
    let place = Place::new().with("unsharp");
    place.change("unsharp/project.toml", "width = 203", "width = 803");
    let begun = Instant::now();
    let told = place.run(["autotune", "unsharp", "--seconds", "8"]).done();
    // No assertion on a fast machine, which would be a timed one: that it ends at all, long before all are tried twice over on a slow one.
    assert!(begun.elapsed() < Duration::from_mins(1), "{:?}", begun.elapsed());
    assert!(told.stdout.contains("allowed configurations tried"), "{}", told.stdout);
}

#[test]
fn a_reduction_has_a_buffer_between_its_kernels_that_depends_on_a_parameter() {
    let place = Place::new().with("reduce");
    let found = place.run(["autotune", "reduce", "--seconds", "60", "--strategy", "all", "--json"]).done().json();
    let trials = found["trials"].as_array().expect("trials");
    assert_eq!(trials.len(), 9);
    assert!(trials.iter().all(|trial| trial["outcome"] == "timed"), "{found}");
    // A mistake of all configurations would not be found: this is said.
    let told = place.run(["check", "reduce"]).done();
    assert!(told.stdout.contains("Missing: a reference"), "{}", told.stdout);
    // Without the barrier it is a race, or the wrong sum.
    place.change("reduce/reduce.cl", "step > 0", "step > 1");
    place.change("reduce/project.toml", "role = \"output\"", "role = \"output\"\nexpected = \"total.npy\"");
    std::fs::write(place.path("reduce/total.npy"), numpy(Element::Long, &7_i64.to_le_bytes())).expect("written");
    place.run(["check", "reduce"]).refused(&["1 of 1 elements of 'total' differ", "instead of 7"]);
}

#[test]
fn why_one_configuration_is_faster_is_put_to_the_test() {
    let place = Place::new().with("unsharp");
    let asked = ["why", "unsharp", "--set", "LX=32", "--set", "PX=4", "--budget-ms", "30"];
    let words = |more: &[&'static str]| asked.iter().copied().chain(more.iter().copied()).collect::<Vec<_>>();
    let found = place.run_all(&words(&["--json", "--out", "why.html"])).done().json();
    let names: Vec<&str> = found["parameters"].as_array().expect("parts").iter().filter_map(|part| part["parameter"].as_str()).collect();
    assert_eq!(names, ["LX", "PX"], "those that differ, and no other");
    for part in found["parameters"].as_array().expect("parts") {
        assert!(part["alone"]["comparison"]["ratio"].is_number() && part["last"]["comparison"]["ratio"].is_number(), "{part}");
    }
    let items = |of: usize| found["starts"][of]["work_items"].as_u64().expect("a number");
    assert!(items(0) > 3 * items(1), "{found}");
    let page = place.read("why.html");
    assert!(page.contains("Which parameters do it") && page.contains("last, to the second"), "{page}");
    // A value that is wrong is an answer in its row; a wrong configuration is none.
    let told = place.run_all(&words(&["--against", "BUG=1"])).refused(&["is not measured"]);
    assert!(told.stderr.contains("BUG=1"), "{}", told.stderr);
    place.run(["why", "unsharp", "--budget-ms", "30"]).refused(&["Both configurations are", "no difference to explain"]);
    place.run(["why", "unsharp", "--set", "LY=2", "--test"]).refused(&["--test does not apply to a project"]);
    place.run(["why", "unsharp", "naive"]).refused(&["'unsharp' is a project"]);
    place.run(["why", "naive", "coalesced", "--out", "x.html"]).refused(&["--out applies to projects only"]);
    place.run(["why", "naive"]).refused(&["One variant cannot be compared"]);
}

#[test]
fn compiled_code_of_a_project_is_read() {
    let place = Place::new().with("unsharp");
    let read = place.run(["compiled", "unsharp", "--set", "PX=4", "--against", "PX=1", "--listing", "--json"]).done().json();
    let codes = read["variants"].as_array().expect("two");
    assert_eq!(codes.len(), 2, "{read}");
    assert_eq!(read["project"], "unsharp");
    for code in codes {
        let kernel = &code["kernels"][0];
        assert!(kernel["listing"].as_array().is_some_and(|lines| lines.len() > 10) || kernel["no_code"].is_string(), "{code}");
    }
    // A driver that notes lines notes those of the kernel's file.
    let file = place.read("unsharp/unsharp.cl");
    let kernel = &codes[1]["kernels"][0];
    let lines = kernel["lines"].as_array().expect("a list");
    let of = |line: &Value, piece: &str| line[piece].as_u64().expect("a number");
    for line in lines {
        assert!(of(line, "hot_block") <= of(line, "innermost_loop").max(of(line, "whole")) && of(line, "whole") > 0, "{line}");
    }
    let listing: Vec<&str> = kernel["listing"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let shown: Vec<&&str> = listing.iter().filter(|line| line.starts_with("// ")).collect();
    assert_eq!(shown.is_empty(), lines.is_empty(), "{listing:?}");
    for line in shown {
        let (number, words) = line[3..].split_once(": ").expect("a number and the line");
        let number: usize = number.parse().unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(file.lines().nth(number - 1).map(str::trim), Some(words), "{line}");
    }
    assert_eq!(read["comparison"]["is_same_text"], false);
    let same = place.run(["compiled", "unsharp", "--against", "BUG=0", "--json"]).done().json();
    assert_eq!(same["comparison"]["is_same_text"], true, "{same}");
    place.run(["compiled", "unsharp", "--for", "gfx1030"]).refused(&["--for does not apply to a project"]);
    place.run(["compiled", "naive", "--against", "PX=1"]).refused(&["--against applies to projects only"]);
}

#[test]
fn a_matrix_product_takes_and_is_held_to_stored_arrays() {
    let place = Place::new().with("matmul");
    let size = 64_usize;
    let number = |seed: usize| ((seed * 2_654_435_761) % 1000) as f32 / 500.0 - 1.0;
    let a: Vec<f32> = (0..size * size).map(number).collect();
    let b: Vec<f32> = (0..size * size).map(|index| number(index + 77)).collect();
    let cell = |index: usize| (0..size).map(|k| a[index / size * size + k] * b[k * size + index % size]).sum::<f32>();
    let c: Vec<f32> = (0..size * size).map(cell).collect();
    let save = |name: &str, numbers: &[f32]| {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        std::fs::write(place.path("matmul").join(name), numpy(Element::Float, &bytes)).expect("written");
    };
    place.run(["check", "matmul"]).refused(&["there is no file 'a.npy'"]);
    for (name, numbers) in [("a.npy", &a), ("b.npy", &b), ("c.npy", &c)] {
        save(name, numbers);
    }
    let told = place.run(["check", "matmul"]).done();
    assert!(!told.stdout.contains("Missing"), "{}", told.stdout);
    let mut wrong = c.clone();
    wrong[100] = f32::NAN;
    save("c.npy", &wrong);
    place.run(["check", "matmul"]).refused(&["1 of 4096 elements", "index 100", "instead of NaN"]);
    save("c.npy", &c[..100]);
    place.run(["check", "matmul"]).refused(&["project.toml:", "it has 100 elements"]);
}

#[test]
fn mistakes_are_told_by_line_and_column_with_what_was_expected() {
    let place = Place::new().with("unsharp");
    let definition = place.read("unsharp/project.toml");
    for (from, to, words) in [
        (
            "kernel = \"unsharp\"\n",
            "kernel = \"unsharpp\"\n",
            &["project.toml:39:10:", "no kernel 'unsharpp'", "did you mean 'unsharp'"][..],
        ),
        ("\"height\", 1.5]\n\n[reference]", "\"height\"]\n\n[reference]", &["takes 5 arguments, but the list has 4", "float amount"]),
        ("ceil_div(width, PX)", "ceil_div(widht, PX)", &["there is no name 'widht'", "did you mean 'width'"]),
        ("count = \"width * height\"", "count = \"width * PX\"", &["'PX' depends on a parameter"]),
        ("type = \"uchar\"\ncount = \"3", "type = \"float\"\ncount = \"3", &["buffer 'source' has float elements", "global uchar *source"]),
        (
            "arguments = [\"source\", \"destination\"",
            "arguments = [\"sourc\", \"destination\"",
            &["'sourc' is no buffer", "did you mean 'source'"],
        ),
        ("values = [1, 2, 4]", "values = []", &["'LY' must be numbers or words"]),
        ("role = \"output\"", "role = \"outptu\"", &["unknown variant `outptu`", "did you mean 'output'"]),
        ("[let]", "[lett]", &["unknown field `lett`", "did you mean 'let'"]),
    ] {
        assert!(definition.contains(from), "{from}");
        place.write("unsharp/project.toml", &definition.replacen(from, to, 1));
        place.run(["check", "unsharp"]).refused(&["cannot be used yet", "project.toml:"]).refused(words);
    }
    place.write("unsharp/project.toml", &definition);
    place.change("unsharp/unsharp.cl", "int sum = 0, own = 0;", "int sum = 0, own = 0");
    place.run(["check", "unsharp"]).refused(&["unsharp.cl:9:"]);
    place.run(["check", "nothing"]).refused(&["kernel-ladder new NAME --from"]);
    place.run(["autotune", "--seed", "3"]).refused(&["--seed was given without a project"]);
}

#[test]
fn a_reference_program_runs_once_it_was_agreed_to_and_never_unasked() {
    let place = Place::new().with("unsharp");
    let naive = place.read("unsharp/project.toml");
    let (before, _) = naive.split_once("[reference]").expect("a reference");
    let with = |command: &str| place.write("unsharp/project.toml", &format!("{before}[reference]\nseconds = 3\ncommand = {command}\n"));
    // It writes what nothing computes: that it ran can be seen, and where it may write.
    let script = "#!/bin/sh\ntouch ran\necho words from the script >&2\ncp \"$1\" out; touch \"$3\" && echo escaped >&2\n";
    place.write("unsharp/reference.sh", script);
    let outside = place.path("outside");
    with(&format!("[\"sh\", \"reference.sh\", \"{{source}}\", \"{{destination}}\", \"{}\"]", outside.display()));
    for _ in 0..2 {
        place.run(["check", "unsharp"]).refused(&["was not run", "have not agreed", "--agree"]);
        place.run(["autotune", "unsharp", "--seconds", "5"]).refused(&["have not agreed"]);
    }
    let ran = place.run(["check", "unsharp", "--agree"]);
    let ran = if ran.stderr.contains("words from the script") { ran } else { panic!("{}", ran.stderr) };
    ran.refused(&["reference program failed"]);
    #[cfg(target_os = "linux")]
    assert!(!outside.exists(), "it has written outside of its folder");
    // Agreed once: not asked again, until the script is another one.
    place.run(["check", "unsharp"]).refused(&["words from the script"]);
    place.write("unsharp/reference.sh", "sleep 1000 & sleep 1000\n");
    place.run(["check", "unsharp"]).refused(&["have not agreed"]);
    let begun = Instant::now();
    place.run(["check", "unsharp", "--agree"]).refused(&["did not end within 3 s"]);
    assert!(begun.elapsed() < Duration::from_secs(100), "it was waited for");
    // One that does as it should.
    place.write("unsharp/reference.sh", "cp \"$1\" \"$2\"\n");
    place.run(["check", "unsharp", "--agree"]).refused(&["did not write 'destination' as it should", "it has 61509 elements"]);
    with("[\"no-such-program-here\"]");
    place.run(["check", "unsharp", "--agree"]).refused(&["no-such-program-here"]);
    assert!(!place.path("unsharp/ran").exists() && !place.path("ran").exists(), "it runs elsewhere");
}

#[test]
fn folders_that_mean_harm_are_answered_and_nothing_outside_is_read() {
    let place = Place::new().with("unsharp");
    place.write("secret.cl", "__kernel void unsharp() {}\n");
    let definition = place.read("unsharp/project.toml");
    let with = |from: &str, to: &str| {
        assert!(definition.contains(from), "{from}");
        place.write("unsharp/project.toml", &definition.replacen(from, to, 1));
    };
    let picture = "from = { picture = [\"width\", \"height\"], channels = 3 }";
    for path in ["../secret.cl", "/etc/passwd", "./../secret.cl"] {
        with("kernel = \"unsharp.cl\"", &format!("kernel = \"{path}\""));
        place.run(["check", "unsharp"]).refused(&["lies outside the folder"]);
        with(picture, &format!("from = {{ file = \"{path}\" }}"));
        place.run(["check", "unsharp"]).refused(&["project.toml:"]);
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(place.path("secret.cl"), place.path("unsharp/link.cl")).expect("a link");
        with("kernel = \"unsharp.cl\"", "kernel = \"link.cl\"");
        place.run(["check", "unsharp"]).refused(&["lies outside the folder"]);
    }
    place.write("unsharp/includes.cl", "#include \"../secret.cl\"\n");
    with("kernel = \"unsharp.cl\"", "kernel = \"includes.cl\"");
    place.run(["check", "unsharp"]).refused(&["includes.cl:1:"]);
    place.write("unsharp/includes.cl", "#include </etc/passwd>\n__kernel void unsharp() {}\n");
    place.run(["check", "unsharp"]).refused(&["include"]);
    place.write("unsharp/includes.cl", "#include \"includes.cl\"\n");
    place.run(["check", "unsharp"]).refused(&["included too often"]);
    // Huge, in each way.
    for (from, to, words) in [
        ("width = 203", "width = 1e9", "are too many"),
        ("count = \"3 * width * height\"", "count = \"9e15\"", "must be a whole number"),
        (
            "values = [1, 2, 4]\n\n[[parameter]]\nname = \"BUG\"",
            "values = [1, 2, 4]\n\n[[parameter]]\nname = \"BUG\"\nvalues = [0]\n\n[[parameter]]\nname = \"B2\"",
            "B2",
        ),
    ] {
        with(from, to);
        let ran = place.run(["check", "unsharp"]);
        assert!(ran.stderr.contains(words) || ran.code == Some(0), "{words}: {}", ran.stderr);
    }
    // A sparse file of ten gigabytes is not read.
    let huge = std::fs::File::create(place.path("unsharp/huge.npy")).expect("made");
    huge.set_len(10 << 30).expect("sparse");
    with(picture, "from = { file = \"huge.npy\" }");
    place.run(["check", "unsharp"]).refused(&["has 10737418240 bytes"]);
    place.write("unsharp/project.toml", &definition);
    place.run(["check", "unsharp"]).done();
}

#[test]
fn a_kernel_that_never_ends_or_writes_outside_costs_one_trial() {
    let place = Place::new().with("unsharp");
    place.change(
        "unsharp/unsharp.cl",
        "#if BUG\n",
        "#if BUG\n        if (PX == 1) while (width > 0) destination[0] += 1;\n        if (PX == 2) destination[width * height + 5] = 1;\n",
    );
    let found = place.run(["autotune", "unsharp", "--seconds", "60", "--most", "8", "--strategy", "all", "--json"]);
    let found = found.done().json();
    let trials = found["trials"].as_array().expect("trials");
    let of = |px: u64| trials.iter().filter(move |trial| trial["configuration"]["BUG"] == 1 && trial["configuration"]["PX"] == px);
    let why = |trial: &Value| trial["why"].as_str().unwrap_or_default().to_owned();
    assert!(of(1).count() > 0 && of(1).all(|trial| trial["outcome"] == "not-run"), "{found}");
    assert!(of(2).all(|trial| trial["outcome"] != "timed"), "{found}");
    assert!(of(2).any(|trial| why(trial).contains("outside")), "{found}");
    assert_eq!(found["best"]["configuration"]["BUG"], 0);
}

/// The mean of 3 × 3 texels of the generated picture, its edges repeated, alpha as it is: as the project `soften` has it.
fn softened(width: usize, height: usize) -> Vec<u8> {
    let picture = pictures::generate(width, height, Channels::Rgb, 5);
    let at = |x: usize, y: usize, channel: usize| {
        let [x, y] = [(x, width), (y, height)].map(|(place, side)| place.clamp(1, side) - 1);
        if channel == 3 { 255 } else { u32::from(picture.bytes()[(y * width + x) * 3 + channel]) }
    };
    let mean = |x: usize, y: usize, channel: usize| (0..9).map(|k| at(x + k % 3, y + k / 3, channel)).sum::<u32>() / 9;
    (0..width * height * 4).map(|index| mean(index / 4 % width, index / 4 / width, index % 4) as u8).collect()
}

#[test]
fn an_image_filter_over_a_scratch_image_is_held_to_plain_numbers() {
    let place = Place::new().with("soften");
    let save = |bytes: &[u8]| std::fs::write(place.path("soften/softened.npy"), numpy(Element::Uchar, bytes)).expect("written");
    let right = softened(61, 35);
    save(&right);
    let told = place.run(["check", "soften"]).done().stdout;
    assert!(told.contains("2 images with"), "{told}");
    let found = place.run(["autotune", "soften", "--seconds", "60", "--strategy", "all", "--json"]).done().json();
    let trials = found["trials"].as_array().expect("trials");
    assert_eq!(trials.len(), 8);
    for trial in trials {
        assert_eq!(trial["outcome"], if trial["configuration"]["BUG"] == 1 { "wrong" } else { "timed" }, "{trial}");
    }
    place.run(["check", "soften", "--set", "BUG=1"]).refused(&["output is wrong", "of 8540 elements of 'destination'"]);
    // One element that should be another one is found, whichever it is: the last.
    let mut wrong = right.clone();
    *wrong.last_mut().expect("some") ^= 1;
    save(&wrong);
    place.run(["check", "soften"]).refused(&["1 of 8540 elements", "index 8539"]);
    save(&right);
    // A kernel that leaves texels unwritten.
    place.change("soften/soften.cl", "write_imageui(destination,", "if (x != 60) write_imageui(destination,");
    place.run(["check", "soften"]).refused(&["output is wrong"]);
    place.change("soften/soften.cl", "if (x != 60) ", "");
    // The sampler decides what lies beyond the edges.
    place.change("soften/project.toml", "sampler clamp-to-edge nearest", "sampler clamp nearest");
    place.run(["check", "soften"]).refused(&["output is wrong"]);
}

#[test]
fn images_go_to_naive_kernels_and_to_programs_with_their_sides() {
    let place = Place::new().with("soften");
    place.change("soften/project.toml", "expected = \"softened.npy\"\n", "");
    let naive = "__kernel void naive(__read_only image2d_t source, __write_only image2d_t destination) {
        const sampler_t edges = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
        uint4 sum = 0;
        for (int k = 0; k < 9; ++k) sum += read_imageui(source, edges, (int2)(get_global_id(0) + k % 3 - 1, get_global_id(1) + k / 3 - 1));
        write_imageui(destination, (int2)(get_global_id(0), get_global_id(1)), sum / 9);
    }";
    place.write("soften/naive.cl", naive);
    let definition = place.read("soften/project.toml");
    let reference = "[reference]\nkernel = \"naive.cl\"\n[[reference.launch]]\nkernel = \"naive\"\nglobal = [\"width\", \"height\"]\n";
    place.write("soften/project.toml", &format!("{definition}\n{reference}arguments = [\"source\", \"destination\"]\n"));
    let told = place.run(["check", "soften"]).done();
    assert!(told.stdout.contains("correct") && !told.stdout.contains("Missing"), "{}", told.stdout);
    place.run(["check", "soften", "--set", "BUG=1"]).refused(&["output is wrong"]);
    place.change("soften/naive.cl", "sum / 9", "sum / 8");
    place.run(["check", "soften"]).refused(&["output is wrong"]);
    // A program gets height, width and channels, and its output is the source.
    let reference = "[reference]\ncommand = [\"sh\", \"reference.sh\", \"{source}\", \"{destination}\"]\n";
    place.write("soften/project.toml", &format!("{definition}\n{reference}"));
    place.write("soften/reference.sh", "head -c 128 \"$1\" | grep -a -q '(35, 61, 4,)' && cp \"$1\" \"$2\"\n");
    place.run(["check", "soften", "--agree"]).refused(&["output is wrong"]);
    place.change("soften/soften.cl", "sum / 9)", "read_imageui(sums, edges, (int2)(x, y)))");
    place.change("soften/soften.cl", "write_imageui(sums, at, sum)", "write_imageui(sums, at, read_imageui(source, edges, at))");
    place.run(["check", "soften", "--agree"]).done();
}

#[test]
fn a_launch_of_three_dimensions_takes_volumes_layers_vectors_and_bytes() {
    let place = Place::new().with("volume");
    let out = |lanes: f32, small: f32, less: f32| -> Vec<f32> {
        let element = |index: usize| {
            let [x, y, z] = [index % 12, index / 12 % 7, index / 84].map(|side| side as f32);
            let (texel, layer) = (1000.0 + index as f32, 0.5 + index as f32);
            0.5 * x + 2.0 * y + 3.0 * z + lanes * texel + small * layer + less * 5.0
        };
        (0..12 * 7 * 5).map(element).collect()
    };
    let save = |numbers: Vec<f32>| {
        let bytes: Vec<u8> = numbers.into_iter().flat_map(f32::to_le_bytes).collect();
        std::fs::write(place.path("volume/out.npy"), numpy(Element::Float, &bytes)).expect("written");
    };
    save(out(0.25, 200.0, -10.0));
    for deep in ["LZ=1", "LZ=2"] {
        place.run(["check", "volume", "--set", deep]).done();
    }
    // Each of the values counts.
    for numbers in [out(0.5, 200.0, -10.0), out(0.25, 201.0, -10.0), out(0.25, 200.0, -7.0)] {
        save(numbers);
        place.run(["check", "volume"]).refused(&["elements of 'out' differ"]);
    }
    save(out(0.25, 200.0, -10.0));
    place.change("volume/project.toml", "local = [4, 4, \"LZ\"]", "local = [64, 64, \"LZ * 4\"]");
    place.run(["check", "volume"]).refused(&["64 × 64 × 4", "nearest"]);
    place.change(
        "volume/project.toml",
        "global = [\"width\", \"height\", \"depth\"]\nlocal = [64, 64, \"LZ * 4\"]",
        "global = [\"width\"]",
    );
    place.run(["check", "volume"]).refused(&["output is wrong"]);
}

#[test]
fn an_image_that_the_device_cannot_have_is_told_with_what_to_do() {
    let place = Place::new().with("soften");
    place.change("soften/project.toml", "expected = \"softened.npy\"\n", "");
    place.change("soften/project.toml", "width = 61\nheight = 35", "width = 200000\nheight = 2");
    let words = ["No image object was created on", "does not fit into an image object on"];
    let ran = place.run(["check", "soften"]).refused(&["The image 'source' cannot be made", "smaller size for this [[image]]"]);
    assert!(words.iter().any(|words| ran.stderr.contains(words)), "{}", ran.stderr);
    // Of scratch, it is the fate of a configuration.
    place.change("soften/project.toml", "width = 200000\nheight = 2", "width = 61\nheight = 35");
    place.change(
        "soften/project.toml",
        "size = [\"width\", \"height\"]\nrole = \"scratch\"",
        "size = [\"PX == 3 ? 1e7 : width\", \"height\"]\nrole = \"scratch\"",
    );
    let found = place.run(["autotune", "soften", "--seconds", "60", "--strategy", "all", "--json"]).done().json();
    for trial in found["trials"].as_array().expect("trials").iter().filter(|trial| trial["configuration"]["PX"] == 3) {
        assert_eq!(trial["outcome"], "not-run");
        assert!(trial["why"].as_str().is_some_and(|why| why.contains("'sums'")), "{trial}");
    }
}

#[test]
fn a_new_project_of_an_image_kernel_passes_its_check_once_it_is_filled_in() {
    let place = Place::new().with("soften");
    let kernel = "__kernel void invert(__read_only image2d_t source, sampler_t how, __write_only image2d_t target, uchar most, float4 scale) {
        const int2 at = (int2)(get_global_id(0), get_global_id(1));
        const float4 texel = read_imagef(source, how, at);
        write_imagef(target, at, (float4)(most / 255.0f) - texel * scale);
    }
    __kernel void fill(__global short *planes, short height) { planes[(get_global_id(2) * height + get_global_id(1)) * 256 + get_global_id(0)] = height; }";
    place.write("invert.cl", kernel);
    place.run(["new", "made", "--from", "invert.cl"]).done();
    let told = place.run(["check", "made"]).done();
    assert!(told.stdout.contains("1 buffers, 2 images") && told.stdout.contains("marked TODO"), "{}", told.stdout);
    // Filled in: without a reference it is held to itself, and with a stored one to what it should be.
    place.change("made/project.toml", "    1,  # TODO: uchar most", "    255,");
    place.change("made/project.toml", "    1,  # TODO: float4 scale", "    \"1, 1, 1, 0\",");
    place.change("made/project.toml", "    \"sampler clamp-to-edge nearest\",  # TODO: sampler_t how", "    \"sampler clamp nearest\",");
    place.change("made/project.toml", "width = 256\nheight = 256", "width = 256\nheight = 8");
    place.change("made/project.toml", "name = \"target\"", "name = \"target\"\nexpected = \"inverted.npy\"\ntolerance = { absolute = 1 }");
    place.change("made/project.toml", "name = \"planes\"", "name = \"planes\"\nexpected = \"planes.npy\"");
    let inverted: Vec<u8> = pictures::generate(256, 8, Channels::Rgb, 1)
        .bytes()
        .chunks_exact(3)
        .flat_map(|pixel| [255 - pixel[0], 255 - pixel[1], 255 - pixel[2], 255])
        .collect();
    std::fs::write(place.path("made/inverted.npy"), numpy(Element::Uchar, &inverted)).expect("written");
    let planes: Vec<u8> = std::iter::repeat_n(8_i16.to_le_bytes(), 256 * 8 * 16).flatten().collect();
    std::fs::write(place.path("made/planes.npy"), numpy(Element::Short, &planes)).expect("written");
    place.run(["check", "made"]).done();
    place.change("made/project.toml", "    255,", "    200,");
    place.run(["check", "made"]).refused(&["elements of 'target' differ"]);
}

#[test]
fn problems_of_kernel_tuner_are_imported_and_run() {
    let place = Place::new();
    let t1 = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/projects/t1");
    for (name, allowed) in [("vector-add", 27), ("convolution", 72), ("matmul", 92)] {
        let problem = t1.join(name).join("problem.json");
        place.run(["new", name, "--from", problem.to_str().expect("UTF-8")]).done();
        let checked = place.run(["check", name]).done();
        assert!(checked.stdout.contains(&format!("{allowed} allowed configurations")), "{}", checked.stdout);
    }
    let text = std::fs::read_to_string(t1.join("matmul/problem.json")).expect("there");
    assert!(text.contains("\"OpenCL\""));
    place.write("cuda.json", &text.replace("\"OpenCL\"", "\"CUDA\""));
    place.run(["new", "cuda", "--from", "cuda.json"]).refused(&["written in CUDA", "OpenCL"]);
    assert!(!place.path("cuda").exists(), "nothing was made");
}
