//! Trying choices, and measuring the best one.

use super::probe::{Choice, Probe};
use base::error::{Error, Result};
use base::texts::{failed, text};
use model::measure::{Gate, Progress, sample};
use model::{Budget, Doubt, LocalSize, Roof, Summary};

/// A roof's probe, at any choice and size.
pub trait Subject<'a> {
    /// Widths to try, the first one first.
    fn lanes(&self) -> &'static [usize] {
        &[4, 1, 2, 8, 16]
    }

    /// Local work sizes to try beside the driver's own choice.
    fn locals(&self) -> &'static [usize] {
        &LOCALS
    }

    /// Whether there are two orders to choose from.
    fn has_orders(&self) -> bool {
        false
    }

    /// The probe; what `size` counts is the subject's own.
    ///
    /// # Errors
    /// It cannot be built or launched so.
    fn probe(&self, choice: Choice, size: usize) -> Result<Probe<'a>>;

    /// Runs once and compares.
    ///
    /// # Errors
    /// Its output is wrong, or the driver's refusal.
    fn verify(&self, probe: &Probe<'a>) -> Result<()>;
}

/// Bytes for a trial's verification: a wrong kernel is wrong here, too. Enough for a whole work-group of the widest pieces: an NDRange that had to be rounded up
/// would have work-items without a piece.
const VERIFIED_BYTES: usize = 4 << 20;

/// Local work sizes that most subjects try.
pub const LOCALS: [usize; 4] = [64, 128, 256, 1024];

/// Bytes of each buffer from which on copies of more and more are made.
const SMALLEST_COPY_BYTES: usize = 128 << 10;

/// A trial.
pub const BRIEF: Budget =
    Budget { warmup_runs: 2, warmup_ns: 2_000_000, sample_ns: 20_000_000, min_samples: 3, max_samples: 100, warm_cache: true, starts: 1 };

/// Times that are not believed are no figures.
pub fn doubted(doubt: &Doubt) -> Error {
    failed("errors.roofs.doubted", &[("why", &doubt.why())])
}

/// What takes samples.
pub struct Trials<'a> {
    pub gate: &'a mut dyn Gate,
    pub progress: &'a dyn Progress,
    /// Why the device's times are not believed, once that was found of one of them.
    pub doubt: Option<Doubt>,
}

impl Trials<'_> {
    /// Kernel times of a run, and whether other work disturbed them throughout.
    ///
    /// # Errors
    /// Cancelled, or what `run` meets.
    pub fn time(&mut self, budget: &Budget, run: impl FnMut() -> Result<u64>) -> Result<(Summary, bool)> {
        let sampled = sample(budget, self.gate, self.progress, run)?;
        let time = Summary::of(sampled.samples).ok_or_else(|| failed("errors.roofs.no-sample", &[]))?;
        Ok((time, sampled.busy))
    }

    /// That times can be true.
    ///
    /// # Errors
    /// They are not believed.
    pub fn believe(&mut self, found: Option<Doubt>) -> Result<()> {
        let Some(doubt) = found else { return Ok(()) };
        self.doubt = Some(doubt);
        Err(doubted(&doubt))
    }

    /// A probe that was verified, measured. Whoever shows the figure verifies it once more.
    ///
    /// # Errors
    /// As [`Trials::time`], and times that are not believed.
    pub fn roof(&mut self, probe: &Probe, budget: &Budget) -> Result<Roof> {
        let (time, busy) = self.time(budget, || probe.run())?;
        self.believe(probe.doubt()?)?;
        Ok(Roof { work: probe.work, time, setup: probe.setup, busy })
    }

    /// The best choice at this size of buffers, measured.
    ///
    /// # Errors
    /// Cancelled; no choice runs, or the best one's output is wrong at this size.
    pub fn best_at<'a>(&mut self, subject: &impl Subject<'a>, bytes: usize) -> Result<Roof> {
        self.best_within(subject, bytes, &Budget::default())
    }

    fn best_within<'a>(&mut self, subject: &impl Subject<'a>, bytes: usize, budget: &Budget) -> Result<Roof> {
        let choice = self.search(subject, bytes, VERIFIED_BYTES.min(bytes))?;
        let probe = subject.probe(choice, bytes)?;
        self.checked_roof(subject, &probe, budget)
    }

    /// A choice at a size, measured briefly.
    ///
    /// # Errors
    /// Cancelled; it cannot run so, or its output is wrong.
    pub fn brief<'a>(&mut self, subject: &impl Subject<'a>, choice: Choice, size: usize) -> Result<Roof> {
        let probe = subject.probe(choice, size)?;
        self.checked_roof(subject, &probe, &BRIEF)
    }

    /// A probe measured, with its output compared before and after.
    ///
    /// # Errors
    /// As [`Trials::roof`], and an output that is wrong.
    fn checked_roof<'a>(&mut self, subject: &impl Subject<'a>, probe: &Probe<'a>, budget: &Budget) -> Result<Roof> {
        subject.verify(probe)?;
        let roof = self.roof(probe, budget)?;
        subject.verify(probe)?;
        Ok(roof)
    }

    /// Looks for the fastest choice: width first, then group, then order, each with the best of what was decided before. Each is verified at
    /// `verified_size` and timed at `size`.
    ///
    /// # Errors
    /// Cancelled, or why none runs.
    pub fn search<'a>(&mut self, subject: &impl Subject<'a>, size: usize, verified_size: usize) -> Result<Choice> {
        let first = Choice { lanes: 0, local: LocalSize::Driver, is_consecutive: false };
        let mut best: Option<(f64, Choice)> = None;
        let mut refused = None;
        let mut attempt = |best: &mut Option<(f64, Choice)>, choice: Choice| -> Result<()> {
            let timed = subject.probe(choice, verified_size).and_then(|probe| subject.verify(&probe)).and_then(|()| {
                let probe = subject.probe(choice, size)?;
                self.roof(&probe, &BRIEF)
            });
            match timed {
                Err(error) if error.is_cancelled() => return Err(error),
                Err(error) => refused = Some(error),
                Ok(roof) if best.is_none_or(|(rate, _)| roof.rate() > rate) => *best = Some((roof.rate(), choice)),
                Ok(_) => {}
            }
            Ok(())
        };
        for &lanes in subject.lanes() {
            attempt(&mut best, Choice { lanes, ..first })?;
        }
        let chosen = |best: &Option<(f64, Choice)>| best.map_or(first, |(_, choice)| choice);
        for &side in subject.locals() {
            let choice = Choice { local: LocalSize::Explicit([side, 1]), ..chosen(&best) };
            // Without a width there is nothing to go on with.
            if choice.lanes > 0 {
                attempt(&mut best, choice)?;
            }
        }
        if subject.has_orders() && best.is_some() {
            let choice = Choice { is_consecutive: true, ..chosen(&best) };
            attempt(&mut best, choice)?;
        }
        match (best, refused) {
            (Some((_, choice)), _) => Ok(choice),
            (None, Some(error)) => Err(error),
            (None, None) => Err(super::missing(text("roofs.measuring.nothing-to-try"))),
        }
    }

    /// Copies of more and more bytes, from few up to `bytes` in each buffer, each with the choice that is best for so many: what wins from memory need not win
    /// within a cache. `large` is that of the most.
    ///
    /// # Errors
    /// Cancelled, or the driver's refusal.
    pub fn over_sizes<'a>(&mut self, subject: &impl Subject<'a>, large: &Roof, bytes: usize) -> Result<Vec<Roof>> {
        let sizes = std::iter::successors(Some(SMALLEST_COPY_BYTES), |size| Some(2 * size)).take_while(|&size| size <= bytes);
        let copies = sizes.map(|size| if size == bytes { Ok(large.clone()) } else { self.best_within(subject, size, &BRIEF) });
        copies.collect()
    }
}
