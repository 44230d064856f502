//! Drivers that work and then lie: from one call on nothing is launched, or nothing is read back, or a byte is wrong, or times are far too short; and every call says that
//! all is well. No figure that comes of it may be called right.
//!
//! By default each command meets one of these lies and `bench` all of them; with `KERNEL_LADDER_FULL=1` each command meets each lie from each of twelve calls on.

use super::{Ended, Layer, all_are_wanted, is_told};
use serde_json::Value;
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

/// A driver's lie from one call on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lie {
    /// What the functions' names begin with.
    functions: &'static str,
    mode: &'static str,
}

const LIES: [Lie; 6] = [
    Lie { functions: "clEnqueueNDRangeKernel", mode: "idle" },
    Lie { functions: "clEnqueueReadBuffer", mode: "deaf" },
    Lie { functions: "clEnqueueNDRangeKernel", mode: "flip" },
    Lie { functions: "clEnqueueReadBuffer", mode: "mangle" },
    Lie { functions: "clGetEventProfilingInfo", mode: "shortened" },
    Lie { functions: "clGetEventProfilingInfo", mode: "ticks" },
];

impl Lie {
    /// Outputs are right, and times are not.
    fn is_of_times(self) -> bool {
        self.functions == "clGetEventProfilingInfo"
    }
}

/// The lie begins with one of these calls at the latest.
const CALLS: usize = 12;

/// Kernels of this size take more than 0.3 ms on a processor: of shorter ones a wait does not tell how long they took.
const SIZE: &str = "1280x960";

/// The best of all copies takes half as long.
const LARGE: &str = "2560x1920";

/// Everything that prints a figure.
const COMMANDS: [(&str, &[&str]); 11] = [
    ("bench", &["bench", "--filter", "laplace", "--variant", "naive", "--size", SIZE, "--budget-ms", "20"]),
    ("compare", &["bench", "--filter", "laplace", "--variant", "naive", "coalesced", "--compare", "--size", SIZE, "--budget-ms", "20"]),
    ("run", &["run", "hubble_deep_field.jpg", "OUT", "--filter", "laplace", "--variant", "naive"]),
    ("try", &["try", "naive", "KERNEL", "--filter", "laplace", "--size", SIZE, "--budget-ms", "20"]),
    ("tune", &["tune", "naive", "--search", "rapid", "--filter", "laplace", "--size", SIZE, "--budget-ms", "20"]),
    ("ablation", &["ablation", "coalesced+padded", "--filter", "laplace", "--size", SIZE, "--budget-ms", "20"]),
    ("bottleneck", &["bottleneck", "naive", "--filter", "laplace", "--size", SIZE, "--budget-ms", "20"]),
    ("break-even", &["break-even", "naive", "--filter", "laplace", "--size", "640x480", SIZE, "--budget-ms", "20"]),
    ("widths", &["widths", "naive", "--filter", "laplace", "--size", SIZE, "1279x960", "--budget-ms", "20"]),
    ("autotune", &["autotune", "--filter", "copy", "--size", LARGE, "--seconds", "3"]),
    ("roofs", &["roofs", "--again"]),
];

/// No run of these takes so long by itself.
const MOST: Duration = Duration::from_mins(3);

/// The command over the layer.
fn command(layer: &Layer, arguments: &[&str]) -> Command {
    let mut command = layer.program();
    for argument in arguments {
        match *argument {
            "OUT" => command.arg(layer.path("out.png")),
            "KERNEL" => command.arg(layer.path("kernel.cl")),
            other => command.arg(other),
        };
    }
    command.arg("--json");
    command
}

/// What is false in what it said; `None` where nothing is.
fn falsehood(name: &str, lie: Lie, ended: &Ended) -> Option<String> {
    let told = || format!("{}\n{}", ended.stdout.chars().take(3000).collect::<String>(), ended.stderr);
    let mut said: Value = serde_json::from_str(&ended.stdout)
        .map_or(Value::Null, |mut said: Value| said.get_mut("result").map(Value::take).unwrap_or_default());
    match ended.status.map(|status| status.code()) {
        Some(Some(1)) if is_told(&ended.stderr) => {}
        // Times of the host's clock are true, and what the device's clock says is not shown.
        Some(Some(0)) if lie.is_of_times() && ["bench", "compare", "run", "break-even"].contains(&name) => {}
        code => return Some(format!("it ended with {code:?}: {}", told())),
    }
    // Nothing is launched for these.
    if let Some(found) = said.get_mut("found").and_then(Value::as_object_mut).filter(|_| lie.functions == "clEnqueueNDRangeKernel") {
        found.retain(|roof, _| !["upload", "read-back"].contains(&roof.as_str()));
    }
    let mut shown = Vec::new();
    figures(&said, &mut shown);
    (!shown.is_empty()).then(|| format!("it shows {shown:?}: {}", told()))
}

/// Collects the figures of devices that are in it: kernel times, ratios of them, rates.
fn figures(said: &Value, found: &mut Vec<String>) {
    match said {
        Value::Array(all) => all.iter().for_each(|one| figures(one, found)),
        Value::Object(all) => {
            // A competitor's time is the host's.
            if all.get("contender").is_some_and(|contender| contender.get("cpu").is_some()) {
                return;
            }
            for (key, value) in all {
                let is_figure = match key.as_str() {
                    "kernel" | "comparison" | "whole" | "time" => value.get("median_ns").or_else(|| value.get("ratio")).is_some(),
                    "kernel_ns" | "best_ns" => value.is_number(),
                    _ => false,
                };
                if is_figure {
                    found.push(format!("{key}: {}", value.to_string().chars().take(80).collect::<String>()));
                } else if key != "break_even" {
                    figures(value, found);
                }
            }
        }
        _ => {}
    }
}

/// What came of a run.
enum Came {
    /// The lie began with a later call than the command made.
    Unmet,
    /// Nothing false was said.
    Right,
    /// What was false.
    False(String),
}

/// One run: a command, a lie, and the call that it begins with.
struct Row {
    /// Of [`COMMANDS`].
    name: &'static str,
    arguments: &'static [&'static str],
    lie: Lie,
    call: usize,
}

impl Row {
    /// Those that are run.
    fn all() -> Vec<Self> {
        let mut rows = Vec::new();
        for (place, (name, arguments)) in COMMANDS.into_iter().enumerate() {
            for (number, lie) in LIES.into_iter().enumerate() {
                // `run` launches once; a kernel's time is told by four calls.
                let most = if name == "run" { 2 } else { CALLS };
                for call in 1..=most {
                    let is_in_turn = (place + 2) % LIES.len() == number && call == 1 + (5 * place + 3) % most;
                    let is_of_bench = name == "bench" && call == 4 + number;
                    // Roofs take long.
                    if all_are_wanted() || is_of_bench || (is_in_turn && name != "roofs") {
                        rows.push(Self { name, arguments, lie, call });
                    }
                }
            }
        }
        rows
    }

    fn run(&self, layer: &Layer) -> Came {
        let Self { name, arguments, lie, call } = self;
        let (fault, done) = (layer.told("fault"), layer.told("fault.done"));
        let _ = std::fs::remove_file(&done);
        std::fs::write(&fault, format!("{} {call} {}\n", lie.functions, lie.mode)).expect("written");
        let ended = layer.ended(command(layer, arguments), MOST);
        println!("{name:>10} {:>9} {call:>2}: {:?} in {:.1} s", lie.mode, ended.status, ended.took.as_secs_f64());
        if !done.exists() {
            return Came::Unmet;
        }
        falsehood(name, *lie, &ended).map_or(Came::Right, |why| {
            let failure = format!("{name}, {lie:?} from call {call} on: {why}");
            // All of them take an hour: none is kept for its end.
            println!("FALSE: {failure}");
            Came::False(failure)
        })
    }
}

/// Takes one row after the other, with a layer of its own.
fn run_those_that_are_left(left: &Mutex<std::vec::IntoIter<Row>>) -> Option<Vec<(String, Came)>> {
    let layer = Layer::built()?;
    let own =
        layer.program().args(["try", "naive", "--filter", "laplace", "--start"]).arg(layer.path("kernel.cl")).output().expect("starts");
    assert!(own.status.success(), "{}", String::from_utf8_lossy(&own.stderr));
    let next = || left.lock().expect("no other thread panicked").next();
    Some(std::iter::from_fn(next).map(|row| (format!("{} {} {}", row.name, row.lie.mode, row.call), row.run(&layer))).collect())
}

#[test]
fn no_figure_of_a_driver_that_works_and_then_lies_is_called_right() {
    let left = Mutex::new(Row::all().into_iter());
    // A run keeps two cores busy.
    let threads = std::thread::available_parallelism().map_or(1, |cores| (cores.get() / 2).max(1));
    let found = std::thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(|| run_those_that_are_left(&left))).collect();
        all.into_iter().map(|one| one.join().expect("no panic")).collect::<Option<Vec<_>>>()
    });
    let Some(found) = found else { return };
    let (mut failures, mut unreached, mut met) = (Vec::new(), Vec::new(), 0);
    for (row, outcome) in found.into_iter().flatten() {
        match outcome {
            Came::Unmet => unreached.push(row),
            Came::Right => met += 1,
            Came::False(failure) => {
                met += 1;
                failures.push(failure);
            }
        }
    }
    println!("{met} lies were met; not reached: {unreached:?}");
    assert!(met > 2 * unreached.len(), "most lies have to be met, or nothing is tested: {met} were");
    assert!(failures.is_empty(), "{} of {met} lies:\n{}", failures.len(), failures.join("\n\n"));
}
