//! Drivers that go wrong: in one call of each function that the program uses, in every way that `layer.cpp` knows.
//!
//! Each fault is one run of the command line over that layer, which passes all other calls on to the system's own OpenCL library. The run has to end with code 0 and
//! readings of right outputs, or with code 1 and a message; and it has to end. A share of all faults runs by default, all of them with `KERNEL_LADDER_FULL=1`.

#![allow(clippy::expect_used, reason = "a test may panic")]

mod build;
mod lies;

use engine::device::Call;
use model::Record;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// What can go wrong in any function; the last ones take long.
const MODES: [&str; 11] = ["refuse", "unknown", "skip", "abort", "crash", "leave", "lose", "corrupt", "huge", "delay", "hang"];

/// So many of them take their turns by default.
const SHORT_MODES: usize = 9;

/// Besides, in timestamps: from one call on.
const LIES: [&str; 4] = ["backwards", "frozen", "shortened", "stretched"];

/// The call that goes wrong, of all calls of the function: the first, and one in the middle of sampling where there are so many.
const NUMBERS: [usize; 2] = [1, 40];

/// Runs that reach all functions between them.
const RUNS: &[&[&str]] = &[
    &["--filter", "laplace", "--variant", "coalesced+padded", "--size", "64x48"],
    &["--filter", "gaussian", "--variant", "image+between+separable", "--size", "64x48"],
    &["--filter", "laplace", "--variant", "image", "--memory", "map", "--size", "64x48"],
    &["--filter", "laplace", "--variant", "coalesced", "--memory", "map", "--size", "64x48"],
    &["--filter", "copy", "--variant", "coalesced", "--size", "1600x1200"],
    &["--filter", "laplace", "--variant", "coalesced", "--memory", "svm", "--size", "64x48"],
];

/// The wait for the kernel among all waits of the first run of these.
const KERNELS_WAIT: usize = 5;

/// How long the driver may be silent. A slow machine builds a kernel meanwhile.
const PATIENCE_S: u64 = 6;

/// No run of these takes so long by itself.
const MOST: Duration = Duration::from_secs(90);

fn all_are_wanted() -> bool {
    std::env::var("KERNEL_LADDER_FULL").is_ok_and(|value| value == "1")
}

/// The layer and where faults are told to it.
struct Layer {
    folder: TempDir,
    library: PathBuf,
}

impl Layer {
    /// Builds it, see [`build::layer_in`].
    fn built() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let library = build::layer_in(folder.path())?;
        std::fs::create_dir(folder.path().join("cache")).expect("made");
        Some(Self { folder, library })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Where the layer is told of faults. It renames the file in a process that may write in its caches alone.
    fn told(&self, name: &str) -> PathBuf {
        self.path("cache").join(name)
    }

    /// The program over this layer, with built kernels in a folder that outlives it.
    fn bench(&self, arguments: &[&str]) -> Command {
        let mut command = self.program();
        command.arg("bench").args(arguments).args(["--budget-ms", "20", "--json"]);
        command
    }

    fn program(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kernel-ladder"));
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env("HOME", self.folder.path()).stdin(Stdio::null());
        command.env("OPENCL_DYLIB_PATH", &self.library).env("KERNEL_LADDER_CACHE", self.path("cache"));
        command.env("KERNEL_LADDER_PATIENCE", PATIENCE_S.to_string()).env("RUST_BACKTRACE", "0");
        command
    }

    /// How often the program calls each function in that run.
    fn calls(&self, arguments: &[&str]) -> BTreeMap<String, usize> {
        let path = self.path("calls");
        let _ = std::fs::remove_file(&path);
        let output = self.bench(arguments).env("KERNEL_LADDER_CALLS", &path).env("KERNEL_LADDER_CONFINE", "0").output().expect("it starts");
        assert!(output.status.success(), "{arguments:?} without a fault: {}", String::from_utf8_lossy(&output.stderr));
        let mut calls = BTreeMap::new();
        for line in std::fs::read_to_string(&path).expect("calls").lines() {
            *calls.entry(line.to_owned()).or_default() += 1;
        }
        calls
    }

    /// Runs with that fault, and says what came of it; `None` where the fault was not reached.
    fn outcome(&self, fault: &Fault) -> Option<Outcome> {
        let (told, done, next) = (self.told("fault"), self.told("fault.done"), self.told("fault.next"));
        let _ = std::fs::remove_file(&done);
        let line = format!("{} {} {}\n", fault.function, fault.number, fault.mode);
        if fault.function == Call::GetEventInfo.name() {
            // It is only asked why waiting for a kernel failed.
            std::fs::write(&told, format!("{} {KERNELS_WAIT} refuse\n", Call::WaitForEvents.name())).expect("written");
            std::fs::write(&next, line).expect("written");
        } else {
            std::fs::write(&told, line).expect("written");
        }
        let ended = self.ended(self.bench(fault.run), MOST);
        let was_reached = done.exists() && !told.exists();
        let _ = (std::fs::remove_file(&told), std::fs::remove_file(&next));
        if !was_reached {
            return None;
        }
        Some(match ended.status {
            Some(status) => judged(status.code(), &ended.stdout, &ended.stderr, ended.took),
            None => Outcome::Wrong(format!("it did not end\n{}", ended.stderr)),
        })
    }

    /// Runs it with the fault that was told, for so long at most.
    fn ended(&self, mut command: Command, most: Duration) -> Ended {
        let (begun, stdout, stderr) = (Instant::now(), self.path("stdout"), self.path("stderr"));
        let file = |path| std::fs::File::create(path).expect("a file");
        command.env("KERNEL_LADDER_FAULT", self.told("fault")).stdout(file(&stdout)).stderr(file(&stderr));
        let mut child = command.spawn().expect("it starts");
        let status = loop {
            match child.try_wait().expect("it is ours") {
                Some(status) => break Some(status),
                None if begun.elapsed() > most => {
                    child.kill().and_then(|()| child.wait()).expect("it is ours");
                    break None;
                }
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        let read = |path| String::from_utf8_lossy(&std::fs::read(path).expect("it was written")).into_owned();
        Ended { status, stdout: read(&stdout), stderr: read(&stderr), took: begun.elapsed() }
    }
}

/// What a run came to.
struct Ended {
    /// `None`: it did not end.
    status: Option<ExitStatus>,
    stdout: String,
    stderr: String,
    took: Duration,
}

/// One thing that goes wrong.
#[derive(Clone, Debug)]
struct Fault {
    function: &'static str,
    number: usize,
    mode: &'static str,
    /// Of [`RUNS`].
    run: &'static [&'static str],
}

/// What came of a fault.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// A message, and no reading of what went wrong.
    Told,
    /// All outputs were right; kernel times are kept.
    Unharmed,
    /// As before, and the driver's timestamps are not believed.
    TimesNotBelieved,
    /// What must not be, and why.
    Wrong(String),
}

/// What `bench --json` prints.
#[derive(Deserialize)]
struct Printed {
    result: Vec<Row>,
}

/// A row of it.
#[derive(Deserialize)]
struct Row {
    record: Record,
}

/// What a run that ended with that code (`None`: by a signal) came to.
fn judged(code: Option<i32>, stdout: &str, stderr: &str, took: Duration) -> Outcome {
    let wrong = |why: &str| Outcome::Wrong(format!("{why}\n{stderr}"));
    let rows: Vec<Row> = match (code, serde_json::from_str::<Printed>(stdout)) {
        (Some(0 | 1), Ok(printed)) => printed.result,
        // Nothing was measured at all.
        (Some(1), Err(_)) if stdout.is_empty() => Vec::new(),
        (Some(0 | 1), Err(error)) => return wrong(&format!("what it printed is not JSON: {error}")),
        _ => return wrong(&format!("it ended with {code:?}")),
    };
    let on_device = || rows.iter().filter(|row| matches!(row.record.contender, model::Contender::Device { .. }));
    for measured in on_device().filter_map(|row| row.record.measured()) {
        if !measured.verification.is_right() {
            return wrong("a reading was kept of an output that is wrong");
        }
        let all_ns: u64 = measured.kernel.iter().flat_map(|kernel| &kernel.samples_ns).sum();
        if u128::from(all_ns) > took.as_nanos() {
            return wrong("kernels took longer than the whole run");
        }
    }
    match code {
        Some(1) if is_told(stderr) => Outcome::Told,
        Some(1) => wrong("it ended with 1 and no message"),
        _ if on_device().any(|row| row.record.measured().is_none_or(|measured| measured.kernel.is_none())) => Outcome::TimesNotBelieved,
        _ => Outcome::Unharmed,
    }
}

/// "What: why — what to do" in its last lines.
fn is_told(stderr: &str) -> bool {
    stderr.lines().any(|line| line.starts_with("kernel-ladder: ") && line.contains(": ") && line.len() > 40)
}

/// All faults of functions that the runs reach, in the order of the functions.
fn faults(layer: &Layer) -> Vec<Fault> {
    let calls: Vec<BTreeMap<String, usize>> = RUNS.iter().map(|arguments| layer.calls(arguments)).collect();
    // Once more, with what was built before: programs from binaries.
    let again: Vec<BTreeMap<String, usize>> = RUNS.iter().map(|arguments| layer.calls(arguments)).collect();
    let mut faults = Vec::new();
    for function in Call::ALL.iter().map(|call| call.name()) {
        let count = |run: usize| [&calls, &again].into_iter().filter_map(|all| all.get(run)?.get(function)).max().copied().unwrap_or(0);
        // The first run that calls it at all; `clGetEventInfo` where waiting failed.
        let run = (0..RUNS.len()).find(|&run| count(run) > 0).unwrap_or(0);
        let lies: &[&str] = if function == Call::GetEventProfilingInfo.name() { &LIES } else { &[] };
        for number in NUMBERS.into_iter().filter(|&number| number <= count(run).max(1)) {
            faults.extend(MODES.iter().chain(lies).map(|&mode| Fault {
                function,
                number,
                mode,
                run: RUNS.get(run).copied().unwrap_or_default(),
            }));
        }
    }
    faults
}

#[test]
fn the_layer_has_every_function_that_is_called() {
    let source = include_str!("layer.cpp");
    for call in Call::ALL {
        let (passed, own) = (format!(", {})", call.name()), format!(" {}(", call.name()));
        assert!(source.contains(&passed) || source.contains(&own), "{} is missing in layer.cpp", call.name());
    }
}

#[test]
fn a_driver_that_goes_wrong_costs_what_was_asked_and_is_told() {
    let Some(layer) = Layer::built() else { return };
    let all = faults(&layer);
    let functions: BTreeSet<&str> = all.iter().map(|fault| fault.function).collect();
    assert_eq!(functions.len(), Call::ALL.len());
    // By default one fault of each function, each mode in its turn, and what takes long where drivers take long.
    let chosen = |fault: &&Fault| {
        let function = Call::ALL.iter().position(|call| call.name() == fault.function).unwrap_or_default();
        let turn = MODES.get(function % SHORT_MODES).copied();
        let takes_long = ["delay", "hang"].contains(&fault.mode) && ["clBuildProgram", "clWaitForEvents"].contains(&fault.function);
        let is_in_turn = turn == Some(fault.mode) || LIES.contains(&fault.mode) || takes_long;
        all_are_wanted() || (fault.number == 1 && is_in_turn)
    };
    let mut counts: BTreeMap<(&str, Outcome), usize> = BTreeMap::new();
    let (mut unreached, mut failures) = (BTreeSet::new(), Vec::new());
    for fault in all.iter().filter(chosen) {
        match layer.outcome(fault) {
            None => {
                unreached.insert(format!("{} {}", fault.function, fault.number));
            }
            Some(Outcome::Wrong(why)) => failures.push(format!("{fault:?}: {why}")),
            Some(outcome) => {
                // A time that is too long, too short or none is a false reading. One that is a thousandth of the true one looks like a faster device.
                let is_lie = matches!(fault.mode, "backwards" | "frozen" | "stretched");
                if is_lie && outcome == Outcome::Unharmed {
                    failures.push(format!("{fault:?}: its times were believed"));
                }
                *counts.entry((fault.mode, outcome)).or_default() += 1;
            }
        }
    }
    for ((mode, outcome), count) in &counts {
        println!("{mode:>10}  {outcome:?}: {count}");
    }
    println!("not reached: {unreached:?}");
    let met: usize = counts.values().sum::<usize>() + failures.len();
    assert!(met > 2 * unreached.len(), "most faults have to be met, or nothing is tested: {met} were");
    assert!(failures.is_empty(), "{} of {} faults:\n{}", failures.len(), counts.values().sum::<usize>(), failures.join("\n\n"));
}
