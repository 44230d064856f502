//! Kernels of a person's own in the window: from a folder to the fastest configuration, by the real engine.

use super::window::Window;
use egui::accesskit::Role;
use engine::Engine;
use engine::device::CacheSettings;
use kernel_ladder::app::labels;
use kernel_ladder::app::nav::Section;
use std::fs;
use std::path::{Path, PathBuf};

/// A project that is tried within a second or two.
fn project(folder: &Path) -> PathBuf {
    let project = folder.join("scale");
    fs::create_dir(&project).expect("made");
    let kernel = "__kernel void scale(__global const int *in, __global int *out) {\n    int i = get_global_id(0);\n    out[i] = 3 * in[i] + BUG;\n}\n";
    fs::write(project.join("scale.cl"), kernel).expect("written");
    fs::write(project.join("project.toml"), TOML).expect("written");
    project
}

const TOML: &str = r#"
kernel = "scale.cl"

[[parameter]]
name = "LX"
values = [1, 16, 64]
default = 16

[[parameter]]
name = "BUG"
values = [0, 1]

[[buffer]]
name = "in"
type = "int"
count = 4096
from = { count_from = 0 }

[[buffer]]
name = "out"
type = "int"
count = 4096
role = "output"

[[launch]]
kernel = "scale"
global = [4096]
local = ["LX"]
arguments = ["in", "out"]
"#;

fn window(folder: &Path) -> Window {
    let mut window = Window::keeping_with(&folder.join("data"), Box::new(|| Box::new(Engine::with_cache(CacheSettings::off()))));
    window.settle();
    window
}

fn open(window: &mut Window, path: &Path) {
    window.click(Role::Button, labels::picture_menu());
    window.write(labels::path_field(), &path.to_string_lossy());
    window.click(Role::Button, labels::open_path());
    window.wait("the project", |state| state.section == Section::Kernels && state.own_project.told.is_some());
}

#[test]
fn a_folder_is_run_searched_exported_and_known_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = project(folder.path());
    let mut window = window(folder.path());
    if window.state().device_list().is_empty() {
        return;
    }
    open(&mut window, &path);
    assert!(window.has_part("2 parameters, 6 allowed configurations"));
    assert!(window.has_part("Missing: a reference"), "the default alone is weak evidence, and that is said");

    window.click(Role::Button, "Run");
    window.wait("one configuration", |state| state.own_project.checked.is_some() && state.own_project.checking().is_none());
    assert!(window.has_part("LX=16 BUG=0: correct, "));
    window.choose(Role::ComboBox, "BUG", "1");
    window.click(Role::Button, "Run");
    window.wait("a wrong one", |state| {
        state.own_project.checking().is_none() && state.own_project.checked.as_ref().is_some_and(|(trial, _)| trial.why_not().is_some())
    });
    assert!(window.has_part("LX=16 BUG=1: The output is wrong"));

    // Asked right after another, both come to their end. All are tried before the time is over, on a loaded machine, too.
    window.click(Role::RadioButton, "2 min");
    window.click(Role::Button, "Run");
    window.click(Role::Button, "Search");
    window.wait("the end", |state| state.own_project.searching().is_none() && state.own_project.trials.len() == 6);
    window.wait("the other one", |state| state.own_project.checking().is_none() && state.pending.is_empty());
    let own = &window.state().own_project;
    let (best, _) = own.told.as_ref().and_then(|told| told.best.clone()).expect("a best one");
    assert_eq!(own.trials.iter().filter(|trial| trial.time_ns().is_some()).count(), 3, "those with the bug have no time");
    assert_eq!(best[1], 0);
    assert!(window.has_part("Best: LX=") && window.has_part("4096 of 4096 elements of 'out'"), "the best, and why three failed");
    assert!(window.has("Compare the best again") && !window.has("Search for longer"), "nothing is left to try");

    // A cell runs the fastest configuration in it.
    let cell = format!("LX={} BUG=0: ", [1, 16, 64][best[0]]);
    window.node_starting(&cell).click();
    window.wait("the clicked one", |state| {
        let own = &state.own_project;
        own.checking().is_none() && own.checked.as_ref().is_some_and(|(trial, _)| trial.point == best && trial.time_ns().is_some())
    });
    let header = window.state().own_project.header().expect("a header");
    assert!(header.contains("#define BUG 0") && header.contains(&format!("#define LX {}", [1, 16, 64][best[0]])), "{header}");
    drop(window);

    // Another session knows what was tried.
    let mut window = self::window(folder.path());
    open(&mut window, &path);
    assert_eq!(window.state().own_project.trials.len(), 6);
    assert!(window.has("Compare the best again"));

    // Another definition is another search; a mistake is told by line, and what was there stays.
    fs::write(path.join("project.toml"), TOML.replace("[1, 16, 64]", "[1, 16, 64")).expect("written");
    window.wait("the mistake", |state| state.own_project.fault.is_some());
    assert!(window.has_part("scale") && window.state().own_project.trials.len() == 6);
    fs::write(path.join("project.toml"), TOML.replace("[1, 16, 64]", "[1, 16, 32]")).expect("written");
    window.wait("the other definition", |state| state.own_project.fault.is_none() && state.own_project.trials.is_empty());
}

#[test]
fn a_search_is_paused_continued_and_finished_before_its_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = project(folder.path());
    // More configurations than any machine builds within the limit.
    let unused: Vec<_> = (0..10_000).map(|value| value.to_string()).collect();
    let unused = format!("\n[[parameter]]\nname = \"UNUSED\"\nvalues = [{}]\n", unused.join(", "));
    fs::write(path.join("project.toml"), TOML.to_owned() + &unused).expect("written");
    let mut window = window(folder.path());
    if window.state().device_list().is_empty() {
        return;
    }
    open(&mut window, &path);
    window.click(Role::RadioButton, "30 s");
    window.click(Role::Button, "Search");
    window.wait("a trial", |state| !state.own_project.trials.is_empty());
    window.click(Role::Button, "Pause");
    assert!(window.has_part("Paused after"));
    assert!(!window.is_disabled(Role::Button, "Cancel"), "also of one that waits");
    window.click(Role::Button, "Continue");
    assert!(!window.has_part("Paused after") && window.has("Pause"));
    window.click(Role::Button, "Finish now");
    window.wait("the end", |state| state.own_project.searching().is_none());
    let own = &window.state().own_project;
    let told = own.told.as_ref().expect("figures");
    assert!(told.best.is_some() && own.trials.len() < told.allowed, "{} of {}", own.trials.len(), told.allowed);
    assert!(window.has("Search for longer"));
}

#[test]
fn what_a_configuration_differs_in_from_the_default_is_explained() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = project(folder.path());
    let mut window = window(folder.path());
    if window.state().device_list().is_empty() {
        return;
    }
    open(&mut window, &path);
    let explain = "Explain against the default";
    assert!(!window.has(explain), "the default has nothing to explain");
    window.choose(Role::ComboBox, "LX", "1");
    window.click(Role::Button, explain);
    window.wait("an explanation", |state| state.own_project.why.is_some() && state.own_project.checking().is_none());
    assert!(window.has_part("LX=16 BUG=0 → LX=1 BUG=0"), "what is compared");
    assert!(window.has_part("What it is, and what it is not"));
    // Of a wrong one there is none, and why is told.
    window.choose(Role::ComboBox, "BUG", "1");
    window.click(Role::Button, explain);
    window.wait("a refusal", |state| state.own_project.checking().is_none() && !state.notices.all().is_empty());
    assert!(window.has_part("The configuration LX=1 BUG=1 is not measured"));
    // Another run makes room.
    window.click(Role::Button, "Run the default");
    window.wait("the default", |state| state.own_project.checking().is_none() && state.own_project.checked.is_some());
    assert!(window.state().own_project.why.is_none());
}

#[test]
fn a_reference_program_runs_after_one_question() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = project(folder.path());
    let program = "import sys, numpy\nnumpy.save(sys.argv[2], 3 * numpy.load(sys.argv[1]))\n";
    fs::write(path.join("reference.py"), program).expect("written");
    let reference = "\n[reference]\ncommand = [\"python3\", \"reference.py\", \"{in}\", \"{out}\"]\n";
    fs::write(path.join("project.toml"), TOML.to_owned() + reference).expect("written");
    let mut window = window(folder.path());
    if window.state().device_list().is_empty() {
        return;
    }
    open(&mut window, &path);
    assert!(window.has_part("python3 reference.py") && !window.has("Run") && !window.has("Search"));
    window.click(Role::Button, "Run this program");
    window.click(Role::Button, "Run");
    window.wait("its outcome", |state| state.own_project.checking().is_none());
    // Where there is no numpy, that is told.
    assert!(window.state().own_project.checked.is_some() || !window.state().notices.all().is_empty());
    drop(window);
    let mut window = self::window(folder.path());
    open(&mut window, &path);
    assert!(window.has("Run"), "it was agreed to");
}

#[test]
fn the_history_of_a_gate_is_opened_by_its_path_and_closed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("times.jsonl");
    let row = |ratio: f64| {
        format!(
            r#"{{"row":"blur","before_ns":1000,"now_ns":1000,"ratio":{{"ratio":{ratio},"low":{},"high":{}}},"verdict":"{}","compared":"kernel"}}"#,
            ratio - 0.01,
            ratio + 0.01,
            if ratio > 1.03 { "slower" } else { "not-slower" }
        )
    };
    let line = |day: u32, ratio: f64| {
        format!(r#"{{"date":"2026-11-0{day}T10:00:00Z","commit":"{day}{:039}","verdict":"slower","rows":[{}]}}"#, 0, row(ratio))
    };
    fs::write(&file, format!("{}\n{}\n", line(1, 1.0), line(2, 1.06))).expect("written");
    let mut window = window(folder.path());
    window.click(Role::Button, labels::picture_menu());
    window.write(labels::path_field(), &file.to_string_lossy());
    window.click(Role::Button, labels::open_path());
    window.wait("the history", |state| state.section == Section::Kernels && state.own_project.gate.is_some());
    assert!(window.has("Gate history: times.jsonl") && window.has_part("slower rows: 1 of 1") && window.has_part("blur"));
    window.click(Role::Button, "Close");
    assert!(!window.has("Gate history: times.jsonl") && window.state().own_project.gate.is_none());
}
