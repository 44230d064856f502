//! Comparing two tasks in interleaved pairs.

use super::expected::Expected;
use super::plan::{Memory, Plan, Scratch};
use super::sampling::shared_rotation;
use super::{Engine, KernelText, Prepared, Proof, Target, Task, bands, doubted, on_cpu, on_device};
use crate::compiled::CodeComparison;
use crate::device::Session;
use base::error::Result;
use base::texts::text;
use model::Budget;
use model::measure::{Coin, Comparison, Computes, CpuGate, Pair, Places, Progress, compare, mostly_busy, sample};
use pictures::Picture;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What comparing two tasks brought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// The ratio of kernel times; above 1 the second is faster.
    pub comparison: Comparison,
    /// The pairs that were compared, in the order taken.
    pub pairs: Vec<Pair>,
    /// Whether both ran over the same memory.
    pub places: Places,
    /// Other work was busy throughout: a note. The interval decides: it is as wide as that work made it, and holds all the same.
    pub busy: bool,
    /// How their compiled code compares, where both were looked at ([`super::Request::Compiled`]).
    pub code: Option<CodeComparison>,
}

impl Compared {
    /// Of pairs that were taken in one process or in several.
    #[must_use]
    pub fn of(pairs: Vec<Pair>, places: Places, busy: bool, code: Option<CodeComparison>) -> Self {
        let comparison = compare(&pairs, places);
        Self { comparison, pairs, places, busy, code }
    }

    /// Of what several processes brought, in the order in which they were asked. It is as busy as most of them were. `None` of none.
    #[must_use]
    pub fn of_starts(starts: Vec<Self>) -> Option<Self> {
        let places = starts.first()?.places;
        let busy = mostly_busy(starts.iter().map(|start| start.busy));
        let (mut pairs, mut code) = (Vec::new(), None);
        for (start, compared) in starts.into_iter().enumerate() {
            pairs.extend(compared.pairs.into_iter().map(|pair| Pair { start, ..pair }));
            code = code.or(compared.code);
        }
        Some(Self::of(pairs, places, busy, code))
    }
}

impl Engine {
    /// Runs both in interleaved pairs for `budget.sample_ns` in all, and compares their kernel times. What disturbs the machine, or lets its clock drift,
    /// then disturbs both. This is one start of those that a comparison may have, and the budget is this one's share.
    ///
    /// Where a buffer lies moves a short kernel by some percent, the second of a pair may find a cache that the first has warmed, and one that always
    /// goes first may always have it harder. So both run over the same memory, each run takes the next of an odd number of sets, and a coin decides who
    /// goes first (Curtsinger and Berger 2013). A variant compared with itself is then two draws from one lot.
    ///
    /// # Errors
    /// Cancelled; one of them does not run, its timestamps are invalid or not believed, or an output of what was timed is wrong.
    pub(super) fn pairs(&mut self, [first, second]: &[Proof; 2], budget: Budget, progress: &dyn Progress) -> Result<Compared> {
        let (first, second) = (&self.checked(first.task())?, &self.checked(second.task())?);
        progress.report(1, 3, text("progress.comparing"));
        self.kept.get_mut().give_up_large();
        let sources = (self.derived.source(first), self.derived.source(second));
        let expected = (self.expected(first, progress)?, self.expected(second, progress)?);
        for task in [first, second] {
            self.prepare(task)?;
        }
        let (session, other) = (self.prepared(first)?, self.prepared(second)?);
        let computes = |side: Option<(&Session, &Prepared)>| side.map_or(Computes::OnHost, |(session, _)| on_device::computes(session));
        let mut gate = CpuGate::of(computes(session).of_both(computes(other)));
        let sides = Sides::new(
            &Contestant { task: first, source: &sources.0, on_device: session },
            &Contestant { task: second, source: &sources.1, on_device: other },
            budget,
        )?;
        let (mut turn, mut coin) = (0, Coin::tossed_by_the_clock());
        let mut next = || {
            turn = (turn + 1) % sides.sets;
            turn
        };
        let sampled = sample(&budget, &mut gate, progress, || {
            // In the order of the coin, each over the next set.
            if coin.is_heads() {
                let (first_place, second_place) = (next(), next());
                let first_ns = sides.first.run_over(first_place)?;
                Ok(Pair { first_ns, second_ns: sides.second.run_over(second_place)?, first_place, second_place, start: 0 })
            } else {
                let (second_place, first_place) = (next(), next());
                let second_ns = sides.second.run_over(second_place)?;
                Ok(Pair { first_ns: sides.first.run_over(first_place)?, second_ns, first_place, second_place, start: 0 })
            }
        })?;
        // Where both write to the same destinations, each goes once more over every other one: all of them are looked at, and both sides.
        let are_halved = sides.is_one_destination && sides.sets > 1;
        let host = &mut on_device::HostBuffers::default();
        for (side, task, expected, turn) in [(&sides.first, first, &expected.0, 0), (&sides.second, second, &expected.1, 1)] {
            side.check(task, expected, host, |set| !are_halved || set % 2 == turn)?;
        }
        let codes = self.known_compiled(first).zip(self.known_compiled(second));
        let code = codes.map(|(one, other)| one.compared_with(&other));
        Ok(Compared::of(sampled.samples, sides.places, sampled.busy, code))
    }
}

/// One of the two that are compared. `on_device` has its session and what was built; `None` for a CPU competitor.
struct Contestant<'a> {
    task: &'a Task,
    source: &'a Arc<Picture>,
    on_device: Option<(&'a Session, &'a Prepared)>,
}

impl<'a> Contestant<'a> {
    /// Bytes that one run goes through.
    fn set_bytes(&self) -> usize {
        match self.on_device {
            Some((_, Prepared::Whole(plan))) => plan.launch.total_bytes(),
            Some((_, Prepared::Bands(_))) | None => self.task.bytes_moved(),
        }
    }

    /// Fills the source of `memory`.
    fn upload(&self, session: &Session, plan: &Plan, memory: &Memory) -> Result<()> {
        plan.upload(session, memory, self.source, self.task.spec.border, &mut Scratch::default()).map(drop)
    }

    /// Ready to run over `count` sets of its own.
    fn alone(&self, count: usize, budget: Budget) -> Result<Side<'a>> {
        let (session, plan) = match self.on_device {
            None => return self.on_cpu(self.pairs(count, budget)),
            Some((session, Prepared::Bands(banded))) => {
                return Ok(Side::Bands(Box::new(bands::Runner::new(session, banded, self.task, self.source))));
            }
            Some((session, Prepared::Whole(plan))) => (session, plan),
        };
        let set = |_| {
            let memory = plan.memory(session)?;
            self.upload(session, plan, &memory)?;
            memory.poison(session)?;
            Ok(memory)
        };
        Ok(Side::Device(on_device::Runner::over(session, plan, (0..count).map(set).collect::<Result<_>>()?)))
    }

    fn pairs(&self, count: usize, budget: Budget) -> on_cpu::Pairs {
        on_cpu::pairs(self.task, self.source, budget, Some(count))
    }

    fn on_cpu(&self, pairs: on_cpu::Pairs) -> Result<Side<'a>> {
        match self.task.target {
            Target::Cpu(engine) => Ok(Side::Cpu(on_cpu::Runner::new(engine, self.task, pairs))),
            Target::Device { .. } => Err(super::not_prepared()),
        }
    }
}

/// Both, with the memory that they share.
struct Sides<'a> {
    first: Side<'a>,
    second: Side<'a>,
    sets: usize,
    places: Places,
    /// Both write to the same destinations of the same device.
    is_one_destination: bool,
}

impl<'a> Sides<'a> {
    fn new(first: &Contestant<'a>, second: &Contestant<'a>, budget: Budget) -> Result<Self> {
        let (one, other) = (&first.task.spec, &second.task.spec);
        // The border mode decides what lies in a halo.
        let is_same_picture = first.task.picture == second.task.picture && (one.channels, one.border) == (other.channels, other.border);
        let largest = first.set_bytes().max(second.set_bytes());
        match (first.on_device, second.on_device) {
            (Some((session, Prepared::Whole(plan))), Some((other, Prepared::Whole(theirs))))
                if session.info().index == other.info().index =>
            {
                Self::on_one_device([(first, plan), (second, theirs)], session, is_same_picture, budget)
            }
            (None, None) if is_same_picture && first.set_bytes() == second.set_bytes() => {
                let sets = shared_rotation(budget, largest, usize::MAX);
                let pairs = first.pairs(sets, budget);
                Ok(Self {
                    first: first.on_cpu(pairs.clone())?,
                    second: second.on_cpu(pairs)?,
                    sets,
                    places: Places::Shared,
                    is_one_destination: false,
                })
            }
            (one, other) => {
                let affordable = |(session, _): (&Session, &Prepared)| on_device::affordable_sets(session, largest);
                let affordable = [one, other].into_iter().flatten().map(affordable).min();
                let sets = shared_rotation(budget, largest, affordable.unwrap_or(usize::MAX));
                Ok(Self {
                    first: first.alone(sets, budget)?,
                    second: second.alone(sets, budget)?,
                    sets,
                    places: Places::Own,
                    is_one_destination: false,
                })
            }
        }
    }

    fn on_one_device(
        [(first, plan), (second, other)]: [(&Contestant<'a>, &'a Plan); 2],
        session: &'a Session,
        is_same_picture: bool,
        budget: Budget,
    ) -> Result<Self> {
        let has_same_source = is_same_picture && other.has_source_of(plan);
        let is_shared = has_same_source && plan.launch.between == other.launch.between;
        let bytes = first.set_bytes() + if is_shared { 0 } else { second.set_bytes() };
        let sets = shared_rotation(budget, bytes, on_device::affordable_sets(session, bytes));
        let destination_bytes = plan.launch.destination.total_bytes.max(other.launch.destination.total_bytes);
        let (mut of_first, mut of_second) = (Vec::new(), Vec::new());
        for _ in 0..sets {
            let memory = plan.memory_for(session, destination_bytes)?;
            first.upload(session, plan, &memory)?;
            let beside = other.memory_beside(session, plan, &memory, has_same_source)?;
            if !has_same_source {
                second.upload(session, other, &beside)?;
            }
            // As in `on_device::Runner::new`: no timed run pays for memory that was not there yet.
            memory.poison(session)?;
            beside.poison(session)?;
            of_first.push(memory);
            of_second.push(beside);
        }
        Ok(Self {
            first: Side::Device(on_device::Runner::over(session, plan, of_first)),
            second: Side::Device(on_device::Runner::over(session, other, of_second)),
            sets,
            places: if is_shared { Places::Shared } else { Places::Own },
            is_one_destination: true,
        })
    }
}

/// One of the two, ready to run again and again.
enum Side<'a> {
    Cpu(on_cpu::Runner<'a>),
    Device(on_device::Runner<'a>),
    Bands(Box<bands::Runner<'a>>),
}

impl Side<'_> {
    /// Runs once over the set of that index; nanoseconds.
    fn run_over(&self, set: usize) -> Result<u64> {
        match self {
            Self::Cpu(runner) => Ok(runner.run_over(set)),
            Self::Device(runner) => runner.kernel_over(set)?.ok_or_else(super::no_timestamps),
            // Over the same memory each time, which every band is new in.
            Self::Bands(runner) => runner.run()?.kernel_ns.ok_or_else(super::no_timestamps),
        }
    }

    /// That what was timed is right, in these sets of memory, and that its times can be true.
    fn check(&self, task: &Task, expected: &Expected, host: &mut on_device::HostBuffers, sets: impl Fn(usize) -> bool) -> Result<()> {
        let doubt = match self {
            Self::Cpu(runner) => return runner.check(expected),
            Self::Device(runner) => {
                runner.check(expected, host, sets)?;
                // Nobody has seen what a person wrote.
                if matches!(task.text, KernelText::Edited(_)) {
                    runner.check_that_it_works_again(expected, host)?;
                }
                runner.doubt()?
            }
            Self::Bands(runner) => {
                runner.check(expected)?;
                runner.doubt()?
            }
        };
        doubt.map_or(Ok(()), |doubt| Err(doubted(&doubt)))
    }
}
