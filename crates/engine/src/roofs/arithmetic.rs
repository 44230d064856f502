//! Probes of arithmetic, of local and of constant memory: long chains of which the host knows the result.

use super::chains::{self, CHAINS, FEW_CHAINS, ROUNDS, SPAN, START_WORDS, STARTS, STRIDE};
use super::memory::{Field, word};
use super::missing;
use super::probe::{Choice, Number, Probe, Recipe, WORD_BYTES};
use super::trial::{LOCALS, Subject, Trials, doubted};
use crate::device::{Access, Buffer, DeviceKind, Session};
use base::error::Result;
use base::texts::filled;
use model::{Budget, LocalSize, OperationClass, ProbeSetup, Roof};

/// Steps of a run. Twice as many are 1024 rounds, and half precision holds these and what chains begin with.
const STEPS: usize = 64;

/// A run lasts at least so long, far more than its launch.
const LEAST_NS: u64 = 2_000_000;

/// Work-items that the first trial has.
const FIRST_ITEMS: usize = 1 << 12;

/// Twice the steps have to take at least so many times as long.
const LEAST_GROWTH: f64 = 1.5;

/// Groups of a probe of local memory have so many work-items at most: their tile then fits the 32 KiB that every device has.
const MOST_ITEMS_OF_TILE: usize = 256;

/// Words of a table in constant memory: what the widest pieces of the largest group reach. 48 KiB, and every device has 64.
const TABLE_WORDS: usize = (MOST_ITEMS_OF_TILE + 2 * SPAN) * 16;

/// The same where the driver is to choose: the host has to know whose output it compares.
const ITEMS_OF_TILE: usize = 64;

/// What is tried beside that.
const TILE_LOCALS: [usize; 2] = [128, MOST_ITEMS_OF_TILE];

/// A class whose width and group another one's roof has told.
const SHORT: Budget = Budget { warmup_runs: 2, warmup_ns: 10_000_000, sample_ns: 100_000_000, ..GROWTH };

/// Twice the steps.
const GROWTH: Budget =
    Budget { warmup_runs: 3, warmup_ns: 25_000_000, sample_ns: 50_000_000, min_samples: 5, max_samples: 500, warm_cache: false, starts: 1 };

/// The class of the same numbers whose width and group a class takes over; `None` where those are looked for.
pub const fn first_of(class: OperationClass) -> Option<OperationClass> {
    match class {
        OperationClass::IntegerAdd | OperationClass::FloatMultiplyAdd | OperationClass::HalfMultiplyAdd | OperationClass::LocalMemory => {
            None
        }
        OperationClass::IntegerLogic
        | OperationClass::IntegerMinMax
        | OperationClass::IntegerMultiply
        | OperationClass::IntegerMultiplyAdd => Some(OperationClass::IntegerAdd),
        OperationClass::FloatAdd | OperationClass::NativeFunction | OperationClass::Function | OperationClass::Conversion => {
            Some(OperationClass::FloatMultiplyAdd)
        }
        OperationClass::HalfAdd => Some(OperationClass::HalfMultiplyAdd),
    }
}

/// What chains are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chains {
    /// Operations of a class.
    Class(OperationClass),
    /// Loads from constant memory.
    Constant {
        /// All work-items of a group load the same.
        is_uniform: bool,
    },
}

impl Chains {
    /// Whether the host has to know the group: what a work-item loads depends on its place in it.
    fn is_of_group(self) -> bool {
        matches!(self, Self::Class(OperationClass::LocalMemory) | Self::Constant { .. })
    }
}

/// What a class's kernel is made of.
struct Form {
    file: &'static str,
    /// Values of the file's names.
    defines: Vec<(&'static str, usize)>,
    /// Its arguments behind the steps.
    numbers: Vec<Number>,
    /// Chains of a work-item.
    chains: usize,
    /// Operations, or bytes, of a chain in a round.
    work: usize,
}

impl Form {
    fn of(chains: Chains, local_items: usize) -> Self {
        let class = match chains {
            Chains::Class(class) => class,
            Chains::Constant { is_uniform } => {
                return Self {
                    file: "roofs/constant.cl",
                    defines: vec![("UNIFORM", usize::from(is_uniform)), ("SPAN", SPAN)],
                    numbers: vec![Number::size(STRIDE)],
                    chains: FEW_CHAINS,
                    work: WORD_BYTES,
                };
            }
        };
        let integer = |operation, work| Self {
            file: "roofs/integer.cl",
            defines: vec![("OPERATION", operation)],
            numbers: Vec::new(),
            chains: CHAINS,
            work,
        };
        let real = |operation, work, numbers: [f32; 3]| Self {
            file: "roofs/float.cl",
            defines: vec![("OPERATION", operation), ("HALF", usize::from(class.is_half()))],
            numbers: numbers.map(Number::Float).to_vec(),
            chains: CHAINS,
            work,
        };
        match class {
            OperationClass::IntegerAdd => integer(0, 2),
            OperationClass::IntegerLogic => integer(1, 4),
            OperationClass::IntegerMinMax => Self { chains: FEW_CHAINS, ..integer(2, 4) },
            OperationClass::IntegerMultiply => integer(3, 2),
            OperationClass::IntegerMultiplyAdd => integer(4, 4),
            OperationClass::FloatMultiplyAdd | OperationClass::HalfMultiplyAdd => real(0, 4, [-1.0, 3.0, 4.0]),
            OperationClass::FloatAdd | OperationClass::HalfAdd => real(1, 2, [0.0, -3.0, 4.0]),
            OperationClass::NativeFunction => real(2, 1, [0.0; 3]),
            OperationClass::Function => real(3, 1, [0.0; 3]),
            OperationClass::Conversion => real(4, 2, [0.0, 1.0, 0.0]),
            OperationClass::LocalMemory => Self {
                file: "roofs/local.cl",
                defines: vec![("ITEMS", local_items), ("SPAN", SPAN)],
                numbers: vec![Number::size(STRIDE)],
                chains: FEW_CHAINS,
                work: WORD_BYTES,
            },
        }
    }
}

/// Chains of operations of a class.
pub struct Arithmetic<'a> {
    session: &'a Session,
    field: &'a Field,
    chains: Chains,
    /// What chains of floats begin with; of loads from constant memory, what is loaded.
    starts: Buffer,
}

impl<'a> Arithmetic<'a> {
    /// With its starts uploaded.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn new(session: &'a Session, field: &'a Field, chains: Chains) -> Result<Self> {
        let bytes: Vec<u8> = match chains {
            Chains::Class(_) => (0..START_WORDS).flat_map(|index| chains::start(index).to_ne_bytes()).collect(),
            Chains::Constant { .. } => (0..TABLE_WORDS).flat_map(|index| word(index).to_ne_bytes()).collect(),
        };
        let starts = session.buffer(bytes.len(), Access::Read)?;
        session.write(&starts, &bytes)?;
        Ok(Self { session, field, chains, starts })
    }

    /// A probe of so many steps.
    ///
    /// # Errors
    /// It does not build, or its local size does not fit.
    pub fn of_steps(&self, choice: Choice, items: usize, steps: usize) -> Result<Probe<'_>> {
        let Choice { lanes, local, is_consecutive } = choice;
        let local_items = local_items(local);
        let form = Form::of(self.chains, local_items);
        let has_starts = matches!(form.file, "roofs/float.cl" | "roofs/constant.cl");
        let local = if self.chains.is_of_group() { LocalSize::Explicit([local_items, 1]) } else { local };
        let mut defines = vec![("LANES", lanes), ("CHAINS", form.chains), ("ROUNDS", ROUNDS)];
        defines.extend(form.defines);
        let starts = if has_starts { &self.starts } else { &self.field.source };
        let mut probe = Probe::new(
            self.session,
            Recipe {
                file: form.file,
                defines,
                buffers: vec![starts, self.field.destination.buffer()],
                numbers: Vec::new(),
                setup: ProbeSetup { lanes, local, items: 0, bytes: 0, is_consecutive },
                work: 0.0,
            },
        )?;
        self.resize(&mut probe, items, steps);
        Ok(probe)
    }

    /// The same probe over so many work-items, each with so many steps.
    pub fn resize(&self, probe: &mut Probe, items: usize, steps: usize) {
        let ProbeSetup { lanes, local, .. } = probe.setup;
        // A work-item writes a piece.
        let items = items.min(self.field.bytes / WORD_BYTES / lanes);
        let form = Form::of(self.chains, local_items(local));
        let numbers = std::iter::once(Number::size(steps)).chain(form.numbers).collect();
        probe.resize(items, numbers, (form.work * form.chains * ROUNDS * steps * lanes) as f64 * items as f64);
    }

    /// Compares with what the chains come to after so many steps.
    ///
    /// # Errors
    /// The first number that is wrong, or the driver's refusal.
    pub fn verify_steps(&self, probe: &Probe, steps: usize) -> Result<()> {
        let ProbeSetup { lanes, local, items, .. } = probe.setup;
        let starts = if self.chains.is_of_group() { local_items(local) } else { STARTS };
        let (class, is_uniform) = match self.chains {
            Chains::Class(class) => (class, false),
            // The sums are those of a tile.
            Chains::Constant { is_uniform } => (OperationClass::LocalMemory, is_uniform),
        };
        let item = |index: usize| chains::Item { start: if is_uniform { 0 } else { index / lanes }, lane: index % lanes, lanes };
        let results: Vec<u32> = (0..starts * lanes).map(|index| chains::outcome(class, item(index), steps * ROUNDS)).collect();
        probe.verify(&self.field.destination, items * lanes, |index| results.get(index % results.len()).copied().unwrap_or_default())
    }
}

/// Work-items of a group of a probe of local memory.
fn local_items(local: LocalSize) -> usize {
    match local {
        LocalSize::Explicit([along, _]) => along.min(MOST_ITEMS_OF_TILE),
        LocalSize::Driver => ITEMS_OF_TILE,
    }
}

/// So that the trait's lifetime is that of the borrow.
impl<'a> Subject<'a> for &'a Arithmetic<'_> {
    fn lanes(&self) -> &'static [usize] {
        // Wide vectors fill the registers of a processor's SIMD units, and overflow those of a GPU.
        if self.session.info().kind == DeviceKind::Cpu { &[8, 1, 4, 16] } else { &[1, 2, 4] }
    }

    fn locals(&self) -> &'static [usize] {
        if self.chains.is_of_group() { &TILE_LOCALS } else { &LOCALS }
    }

    fn probe(&self, choice: Choice, items: usize) -> Result<Probe<'a>> {
        self.of_steps(choice, items, STEPS)
    }

    fn verify(&self, probe: &Probe<'a>) -> Result<()> {
        self.verify_steps(probe, STEPS)
    }
}

impl Trials<'_> {
    /// The best choice, measured over enough work-items.
    ///
    /// # Errors
    /// Cancelled; no choice runs, the output is wrong, or the compiler found a way around the work.
    pub fn best_of(&mut self, arithmetic: &Arithmetic) -> Result<Roof> {
        let subject = &arithmetic;
        let widest = subject.lanes().first().copied().unwrap_or(1);
        let widest = Choice { lanes: widest, local: LocalSize::Driver, is_consecutive: false };
        let items = enough(arithmetic, &mut arithmetic.of_steps(widest, FIRST_ITEMS, STEPS)?)?;
        let choice = self.search(subject, items, FIRST_ITEMS)?;
        self.grown(arithmetic, choice, &Budget::default())
    }

    /// Measured briefly with the choice that was best for a class of the same numbers.
    ///
    /// # Errors
    /// As [`Trials::best_of`].
    pub fn alike(&mut self, arithmetic: &Arithmetic, first: &ProbeSetup) -> Result<Roof> {
        let &ProbeSetup { lanes, local, is_consecutive, .. } = first;
        self.grown(arithmetic, Choice { lanes, local, is_consecutive }, &SHORT)
    }

    /// A choice, measured and compared before and after; twice the steps have to take about twice as long.
    fn grown(&mut self, arithmetic: &Arithmetic, choice: Choice, budget: &Budget) -> Result<Roof> {
        let mut probe = arithmetic.of_steps(choice, FIRST_ITEMS, STEPS)?;
        let items = enough(arithmetic, &mut probe)?;
        arithmetic.verify_steps(&probe, STEPS)?;
        let roof = self.roof(&probe, budget)?;
        arithmetic.verify_steps(&probe, STEPS)?;
        arithmetic.resize(&mut probe, items, 2 * STEPS);
        arithmetic.verify_steps(&probe, 2 * STEPS)?;
        let (time, _) = self.time(&GROWTH, || probe.run())?;
        let growth = time.min_ns / roof.time.min_ns;
        if growth < LEAST_GROWTH {
            return Err(missing(&filled("roofs.measuring.grew", &[("growth", &format!("{growth:.2}"))])));
        }
        Ok(roof)
    }
}

/// Gives a probe as many work-items as make a run last; how many these are.
fn enough(arithmetic: &Arithmetic, probe: &mut Probe) -> Result<usize> {
    loop {
        let items = probe.setup.items;
        // The second run: the first may compile.
        probe.run()?;
        if probe.run()? >= LEAST_NS {
            return Ok(items);
        }
        // With times that are far too short this would go on for long.
        probe.doubt()?.map_or(Ok(()), |doubt| Err(doubted(&doubt)))?;
        arithmetic.resize(probe, 2 * items, STEPS);
        if probe.setup.items == items {
            return Ok(items);
        }
    }
}
