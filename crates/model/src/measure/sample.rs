//! Warm up, then sample adaptively to a time budget, leaving out what was taken while other work was busy.

use super::Progress;
use super::gate::Gate;
use crate::Budget;
use base::error::{Error, Result};
use std::time::Instant;

/// While others are busy, sampling goes on for at most this many budgets in all.
const EXTENSION: u64 = 3;

/// What sampling brought.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled<T> {
    /// The samples in the order taken: those of calm windows, or all of them where `busy`.
    pub samples: Vec<T>,
    /// Share of all samples taken that were left out, 0 to 1: 0 where all were kept.
    pub discarded_share: f64,
    /// Share of all samples taken that fell into busy windows, whether they were left out or kept, 0 to 1.
    pub disturbed_share: f64,
    /// True where it never calmed: the samples are kept, and spread as that work made them.
    pub busy: bool,
}

/// Runs `run` untimed as long as the budget's warm-up asks, then collects its results for `budget.sample_ns` of host time: at least
/// `min_samples` whatever it costs, at most `max_samples`.
///
/// The gate judges windows of samples, since it cannot see single short ones. A window in which other processes used more than its limit is taken
/// again, for at most three times the budget in all.
///
/// # Errors
/// Those of `run`; cancellation, which is asked between runs.
pub fn sample<T>(budget: &Budget, gate: &mut dyn Gate, progress: &dyn Progress, run: impl FnMut() -> Result<T>) -> Result<Sampled<T>> {
    let epoch = Instant::now();
    sample_on(&|| u64::try_from(epoch.elapsed().as_nanos()).unwrap_or(u64::MAX), budget, gate, progress, run)
}

/// [`sample`] on any monotonic clock, in nanoseconds.
fn sample_on<T>(
    clock: &dyn Fn() -> u64,
    budget: &Budget,
    gate: &mut dyn Gate,
    progress: &dyn Progress,
    mut run: impl FnMut() -> Result<T>,
) -> Result<Sampled<T>> {
    let mut run = || if progress.is_cancelled() { Err(Error::cancelled()) } else { run() };
    let budget = &Budget { max_samples: budget.max_samples.max(budget.min_samples).max(1), ..*budget };
    warm_up(clock, budget, &mut run)?;
    let mut taken = Taken { windows: Vec::new(), calm_samples: 0, calm_ns: 0, calm_others_ns: 0, calm_limit_ns: 0.0 };
    let begun_ns = clock();
    loop {
        let wanted = budget.max_samples.saturating_sub(taken.calm_samples);
        let length_ns = gate.window_ns().min(budget.sample_ns.saturating_sub(taken.calm_ns).max(gate.window_ns() / 2));
        let window = take_window(clock, length_ns, wanted, gate, &mut run)?;
        taken.push(window);
        if taken.is_enough(budget) {
            break;
        }
        let is_over = clock().saturating_sub(begun_ns) >= budget.sample_ns.saturating_mul(EXTENSION);
        if is_over && taken.samples() >= budget.min_samples {
            break;
        }
    }
    Ok(taken.into_sampled(budget, gate))
}

fn warm_up<T>(clock: &dyn Fn() -> u64, budget: &Budget, run: &mut dyn FnMut() -> Result<T>) -> Result<()> {
    let begun_ns = clock();
    let mut runs = 0;
    while runs < budget.warmup_runs || clock().saturating_sub(begun_ns) < budget.warmup_ns {
        run()?;
        runs += 1;
    }
    Ok(())
}

/// Samples that are judged together.
struct Window<T> {
    samples: Vec<T>,
    wall_ns: u64,
    others_ns: u64,
    /// More time of others than this disturbs it.
    limit_ns: f64,
    is_busy: bool,
}

/// Samples for at least `length_ns`, and at least once; keeps no more than `wanted`.
fn take_window<T>(
    clock: &dyn Fn() -> u64,
    length_ns: u64,
    wanted: usize,
    gate: &mut dyn Gate,
    run: &mut dyn FnMut() -> Result<T>,
) -> Result<Window<T>> {
    gate.begin();
    let begun_ns = clock();
    let mut samples = Vec::new();
    let wall_ns = loop {
        let sample = run()?;
        // A window goes on past the last sample wanted: the gate needs its length to judge them.
        if samples.len() < wanted {
            samples.push(sample);
        }
        let wall_ns = clock().saturating_sub(begun_ns);
        let is_enough = samples.len() >= wanted && !gate.fills_windows();
        if wall_ns >= length_ns || is_enough {
            break wall_ns;
        }
    };
    let others_ns = gate.others_ns().unwrap_or(0);
    let limit_ns = gate.limit_cores() * wall_ns as f64;
    Ok(Window { samples, wall_ns, others_ns, limit_ns, is_busy: is_busy(others_ns, limit_ns, gate.resolution_ns()) })
}

/// One unit of the gate's resolution says nothing, however short the window.
fn is_busy(others_ns: u64, limit_ns: f64, resolution_ns: u64) -> bool {
    others_ns > resolution_ns && others_ns as f64 > limit_ns
}

/// All windows so far, and sums over the calm ones.
struct Taken<T> {
    windows: Vec<Window<T>>,
    calm_samples: usize,
    calm_ns: u64,
    calm_others_ns: u64,
    calm_limit_ns: f64,
}

impl<T> Taken<T> {
    fn push(&mut self, window: Window<T>) {
        if !window.is_busy {
            self.calm_samples += window.samples.len();
            self.calm_ns += window.wall_ns;
            self.calm_others_ns += window.others_ns;
            self.calm_limit_ns += window.limit_ns;
        }
        self.windows.push(window);
    }

    fn samples(&self) -> usize {
        self.windows.iter().map(|window| window.samples.len()).sum()
    }

    fn is_enough(&self, budget: &Budget) -> bool {
        self.calm_samples >= budget.max_samples || (self.calm_ns >= budget.sample_ns && self.calm_samples >= budget.min_samples)
    }

    /// Too few calm samples: all are kept and the figure is marked. So it is where each window slipped under the gate's resolution but all of
    /// them together do not. Windows that end as soon as there are samples enough may be too short to say anything together, too.
    fn into_sampled(self, budget: &Budget, gate: &dyn Gate) -> Sampled<T> {
        let all = self.samples();
        let busy_samples = all - self.calm_samples;
        let never_calm = self.calm_samples < budget.min_samples.max(1);
        let resolution_ns = if gate.fills_windows() { 0 } else { gate.resolution_ns() };
        let busy = never_calm || is_busy(self.calm_others_ns, self.calm_limit_ns, resolution_ns);
        let kept = self.windows.into_iter().filter(|window| never_calm || !window.is_busy);
        let samples = kept.flat_map(|window| window.samples).take(budget.max_samples).collect();
        let disturbed_share = busy_samples as f64 / all.max(1) as f64;
        Sampled { samples, discarded_share: if never_calm { 0.0 } else { disturbed_share }, disturbed_share, busy }
    }
}

#[cfg(test)]
mod tests {
    use super::{Gate, Sampled, sample_on};
    use crate::Budget;
    use crate::measure::Progress;
    use base::error::{Error, Result};
    use std::cell::Cell;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const MS: u64 = 1_000_000;

    const BUDGET: Budget =
        Budget { warmup_runs: 3, warmup_ns: 25 * MS, sample_ns: 300 * MS, min_samples: 5, max_samples: 500, warm_cache: false, starts: 1 };

    /// A gate that judges nothing.
    struct OpenGate;

    impl Gate for OpenGate {
        fn window_ns(&self) -> u64 {
            0
        }

        fn fills_windows(&self) -> bool {
            true
        }

        fn begin(&mut self) {}

        fn others_ns(&mut self) -> Option<u64> {
            None
        }

        fn limit_cores(&self) -> f64 {
            0.0
        }

        fn resolution_ns(&self) -> u64 {
            0
        }
    }

    /// A gate that tells the loads of a list, window by window, and is calm after its end.
    struct Script {
        loads_ms: Vec<u64>,
        window: usize,
        fills_windows: bool,
    }

    impl Gate for Script {
        fn window_ns(&self) -> u64 {
            100 * MS
        }

        fn fills_windows(&self) -> bool {
            self.fills_windows
        }

        fn begin(&mut self) {}

        fn others_ns(&mut self) -> Option<u64> {
            self.window += 1;
            Some(self.loads_ms.get(self.window - 1).copied().unwrap_or(0) * MS)
        }

        fn limit_cores(&self) -> f64 {
            0.15
        }

        fn resolution_ns(&self) -> u64 {
            10 * MS
        }
    }

    /// Samples on a clock that only runs advance, by `run_ns` each; a sample is the time at its end.
    fn sampled(budget: &Budget, gate: &mut dyn Gate, run_ns: u64) -> Sampled<u64> {
        let now = Cell::new(0);
        let run = || {
            now.set(now.get() + run_ns);
            Ok(now.get())
        };
        sample_on(&|| now.get(), budget, gate, &(), run).expect("nothing fails")
    }

    fn gated(loads_ms: &[u64], run_ns: u64) -> Sampled<u64> {
        sampled(&BUDGET, &mut Script { loads_ms: loads_ms.to_vec(), window: 0, fills_windows: true }, run_ns)
    }

    #[test]
    fn warm_up_lasts_three_runs_and_25_ms() {
        // Ten runs of 3 ms are the first that last 25 ms or more, nine are 27: the first sample ends at 30.
        assert_eq!(sampled(&BUDGET, &mut OpenGate, 3 * MS).samples[0], 30 * MS);
        // One run of 80 ms is long enough, and still there are three.
        assert_eq!(sampled(&BUDGET, &mut OpenGate, 80 * MS).samples[0], 320 * MS);
    }

    #[test]
    fn samples_fill_the_budget_within_their_bounds() {
        assert_eq!(sampled(&BUDGET, &mut OpenGate, 3 * MS).samples.len(), 100);
        assert_eq!(sampled(&BUDGET, &mut OpenGate, 400 * MS).samples.len(), 5);
        assert_eq!(sampled(&BUDGET, &mut OpenGate, MS / 10).samples.len(), 500);
    }

    #[test]
    fn a_busy_window_is_taken_again() {
        let calm = gated(&[], 10 * MS);
        assert_eq!((calm.samples.len(), calm.discarded_share, calm.busy), (30, 0.0, false));
        let once = gated(&[0, 16], 10 * MS);
        assert_eq!((once.samples.len(), once.discarded_share, once.busy), (30, 0.25, false));
        // The second window began after 30 ms of warm-up and 100 ms of calm.
        assert!(!once.samples.iter().any(|end| (131 * MS..=230 * MS).contains(end)), "{:?}", once.samples);
    }

    #[test]
    fn more_than_the_gates_limit_is_busy() {
        assert!(!gated(&[15; 20], 10 * MS).busy);
        assert!(gated(&[16; 20], 10 * MS).busy);
    }

    #[test]
    fn where_it_never_calms_all_samples_are_kept_and_marked() {
        let busy = gated(&[200; 20], 10 * MS);
        // Three times the budget of 300 ms.
        assert_eq!((busy.samples.len(), busy.busy), (90, true));
        assert_eq!((busy.discarded_share, busy.disturbed_share), (0.0, 1.0));
    }

    #[test]
    fn a_few_calm_samples_are_enough() {
        let mut loads = vec![200; 8];
        loads.insert(4, 0);
        let mixed = gated(&loads, 10 * MS);
        assert_eq!((mixed.samples.len(), mixed.busy), (10, false));
        assert!((mixed.discarded_share - 8.0 / 9.0).abs() < 1e-12 && (mixed.disturbed_share - 8.0 / 9.0).abs() < 1e-12);
    }

    #[test]
    fn short_runs_fill_a_window_but_no_more_samples_than_wanted() {
        let many = gated(&[], MS / 10);
        assert_eq!((many.samples.len(), many.busy), (500, false));
        // Five hundred runs would be 50 ms; the window that the gate can judge is 100.
        let judged = gated(&[16], MS / 10);
        assert_eq!((judged.samples.len(), judged.discarded_share), (500, 0.5));
    }

    #[test]
    fn where_load_hardly_matters_no_run_is_made_to_judge_it() {
        // Five hundred runs of 0.1 ms are 50 ms; a tick in so short a time says nothing.
        let mut gate = Script { loads_ms: vec![10], window: 0, fills_windows: false };
        let short = sampled(&BUDGET, &mut gate, MS / 10);
        assert_eq!((short.samples.len(), short.busy), (500, false));
        assert_eq!(short.samples[499] - short.samples[0], 499 * MS / 10, "no runs between them that nobody wants");
        let mut gate = Script { loads_ms: vec![40; 20], window: 0, fills_windows: false };
        assert!(sampled(&BUDGET, &mut gate, MS).busy, "a load that is one");
    }

    #[test]
    fn a_tick_in_a_short_window_is_not_yet_a_load() {
        let short = Budget { sample_ns: 50 * MS, ..BUDGET };
        let run = |load_ms| sampled(&short, &mut Script { loads_ms: vec![load_ms; 20], window: 0, fills_windows: true }, 5 * MS);
        // 10 ms of 50 is 0.2 core, but also a single tick: kept, and marked since nothing says that it was calm.
        assert_eq!((run(10).samples.len(), run(10).discarded_share, run(10).busy), (10, 0.0, true));
        assert!(!run(7).busy);
    }

    #[test]
    fn cancellation_is_asked_before_every_run() {
        struct After(AtomicUsize);
        impl Progress for After {
            fn is_cancelled(&self) -> bool {
                self.0.fetch_add(1, Ordering::Relaxed) >= 4
            }
            fn report(&self, _: usize, _: usize, _: &str) {}
        }
        let mut runs = 0;
        let run = || {
            runs += 1;
            Ok(())
        };
        let result: Result<Sampled<()>> = super::sample(&BUDGET, &mut OpenGate, &After(AtomicUsize::new(0)), run);
        assert!(result.expect_err("cancelled").is_cancelled());
        assert_eq!(runs, 4);
    }

    #[test]
    fn the_error_of_a_run_ends_sampling() {
        let result = super::sample(&BUDGET, &mut OpenGate, &(), || Err::<(), _>(Error::failed("It broke", "of itself", "")));
        assert_eq!(result.expect_err("the error").what, "It broke");
    }
}
