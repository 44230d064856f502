//! Device times that cannot be true, because the host waited so much longer.
//!
//! Launching a kernel and hearing of its end takes the host some microseconds, often longer than a short kernel itself. So one wait says nothing. Where the host
//! waited far longer than the device's clock says, the kernel runs again, several times with one wait at the end: what each run adds is then its own time, and what a
//! launch of almost nothing adds is known from a launch of almost nothing. A driver that forgets to convert its ticks (Apple's reports times 42 times too short)
//! is found so, and a slow start is not taken for a wrong clock.

use crate::Doubt;
use base::error::Result;

/// One run as both clocks saw it, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watched {
    /// Kernel time by the device's clock.
    pub device_ns: u64,
    /// How long the host waited.
    pub host_ns: u64,
}

/// Times are doubted where the host's clock says more than so many times as much …
const FACTOR: f64 = 8.0;

/// … and so much more at least: what starts and waits differ by.
const LEAST_NS: f64 = 100_000.0;

/// Runs with one wait take about so long together.
const AT_ONCE_NS: f64 = 20e6;

/// Most of them.
const MOST_AT_ONCE: f64 = 8.0;

/// So often they are taken before a time is doubted: other work makes some of them longer, none of them shorter.
const TRIES: usize = 5;

/// What runs again, so many times with one wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// What was timed.
    Runs,
    /// The same over as little as can be: what it takes is its start.
    Starts,
}

/// Whether the device's times of these runs are to be doubted, as a whole or toward the end.
///
/// `again` says how long so many took on the host's clock, in nanoseconds. It is only called where one wait is far longer than the device's clock says.
///
/// # Errors
/// Those of `again`.
pub fn doubt(runs: &[Watched], mut again: impl FnMut(Again, usize) -> Result<u64>) -> Result<Option<Doubt>> {
    let late = runs.get(runs.len() - runs.len() / 4..).unwrap_or_default();
    for part in [runs, late].into_iter().filter(|part| !part.is_empty()) {
        let device_ns = median(part, |run| run.device_ns);
        let waited_ns = median(part, |run| run.host_ns);
        if !is_beyond(device_ns, waited_ns) {
            continue;
        }
        let count = (AT_ONCE_NS / waited_ns).clamp(1.0, MOST_AT_ONCE).floor();
        let (mut runs_ns, mut starts_ns) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..TRIES {
            runs_ns = runs_ns.min(again(Again::Runs, count as usize)? as f64);
            // With all that starting costs it is no longer than that.
            if !is_beyond(device_ns, runs_ns / count) {
                break;
            }
            starts_ns = starts_ns.min(again(Again::Starts, count as usize)? as f64);
        }
        let host_ns = (runs_ns - if starts_ns.is_finite() { starts_ns } else { 0.0 }) / count;
        if is_beyond(device_ns, host_ns) {
            return Ok(Some(Doubt { device_ns, host_ns }));
        }
    }
    Ok(None)
}

fn is_beyond(device_ns: f64, host_ns: f64) -> bool {
    host_ns > FACTOR * device_ns && host_ns - device_ns > LEAST_NS
}

fn median(runs: &[Watched], of: impl Fn(&Watched) -> u64) -> f64 {
    let mut all: Vec<u64> = runs.iter().map(of).collect();
    all.sort_unstable();
    all.get(all.len() / 2).map_or(0.0, |middle| *middle as f64)
}

#[cfg(test)]
mod tests {
    use super::{Again, Watched, doubt};

    /// A device on which a launch costs the host `start_us` and a kernel takes `kernel_us`, whose clock divides by `divisor` from run `from` of 100 on.
    fn doubts(start_us: u64, kernel_us: u64, divisor: u64, from: usize) -> bool {
        let ns = 1000;
        let run = |index: usize| {
            let device_ns = if index < from { kernel_us * ns } else { kernel_us * ns / divisor };
            Watched { device_ns, host_ns: (start_us + kernel_us) * ns }
        };
        let runs: Vec<_> = (0..100).map(run).collect();
        let again = |what, count: usize| Ok(count as u64 * (start_us + if what == Again::Runs { kernel_us } else { 0 }) * ns);
        doubt(&runs, again).expect("nothing fails").is_some()
    }

    #[test]
    fn a_clock_that_is_far_too_slow_is_doubted() {
        for (start_us, kernel_us) in [(10, 300), (50, 300), (500, 400), (20, 5_000), (0, 2_000_000)] {
            for divisor in [42, 1000] {
                for from in [0, 3, 70] {
                    assert!(doubts(start_us, kernel_us, divisor, from), "{start_us} {kernel_us} / {divisor} from {from}");
                }
            }
        }
    }

    #[test]
    fn a_slow_start_is_no_wrong_clock() {
        for (start_us, kernel_us) in [(20, 8), (1_000, 8), (100_000, 5), (300, 2_000)] {
            assert!(!doubts(start_us, kernel_us, 1, 0), "{start_us} {kernel_us}");
        }
    }

    #[test]
    fn one_wait_that_was_disturbed_says_nothing_and_nothing_runs_again() {
        let mut runs = vec![Watched { device_ns: 8_000, host_ns: 28_000 }; 100];
        runs[99].host_ns = 30_000_000;
        assert_eq!(doubt(&runs, |_, _| panic!("it need not run")).expect("nothing fails"), None);
        assert_eq!(doubt(&[], |_, _| panic!("it need not run")).expect("nothing fails"), None);
    }

    #[test]
    fn a_first_run_that_was_compiled_is_run_once_more() {
        let mut calls = 0;
        let again = |what, count| {
            assert_eq!(what, Again::Runs, "nor need its start be known");
            calls += 1;
            Ok(count as u64 * 30_000)
        };
        assert_eq!(doubt(&[Watched { device_ns: 8_000, host_ns: 90_000_000 }], again).expect("nothing fails"), None);
        assert_eq!(calls, 1);
    }
}
