//! One probe kernel, built for a device and ready to run.

use crate::device::{Arg, Buffer, Built, GuardedBuffer, Launch, Poison, Session, check_local};
use base::error::{Error, Result};
use base::texts::failed;
use kernels::kernel_source;
use model::measure::{Watched, doubt};
use model::{Doubt, LocalSize, ProbeSetup};
use std::cell::RefCell;
use std::fmt::Display;

/// What is tried: how wide, in which groups, in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Numbers side by side.
    pub lanes: usize,
    /// Local work size.
    pub local: LocalSize,
    /// See [`ProbeSetup::is_consecutive`].
    pub is_consecutive: bool,
}

/// A number that a kernel is given.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// An `int`.
    Int(i32),
    /// A `float`.
    Float(f32),
}

impl Number {
    /// A size as an `int`, which those of probes fit.
    pub fn size(value: usize) -> Self {
        Self::Int(i32::try_from(value).unwrap_or(i32::MAX))
    }
}

/// Bytes of a number in a buffer.
pub const WORD_BYTES: usize = size_of::<u32>();

/// Outputs are read and compared in parts of so many numbers.
const PART_WORDS: usize = 1 << 20;

/// A kernel with everything that it takes.
pub struct Probe<'a> {
    session: &'a Session,
    built: Built,
    buffers: Vec<&'a Buffer>,
    numbers: Vec<Number>,
    local: Option<[usize; 2]>,
    /// How it runs.
    pub setup: ProbeSetup,
    /// Bytes, operations, loads or launches of a run.
    pub work: f64,
    /// What both clocks say of its runs.
    watched: RefCell<Vec<Watched>>,
}

/// What a probe is made of.
pub struct Recipe<'a> {
    /// Its file in `kernels/roofs/`.
    pub file: &'static str,
    /// Values of the file's names.
    pub defines: Vec<(&'static str, usize)>,
    /// Its first arguments.
    pub buffers: Vec<&'a Buffer>,
    /// Its other arguments.
    pub numbers: Vec<Number>,
    /// How it runs.
    pub setup: ProbeSetup,
    /// Bytes, operations, loads or launches of a run.
    pub work: f64,
}

impl<'a> Probe<'a> {
    /// Builds it.
    ///
    /// # Errors
    /// It does not build, or its local size does not fit.
    pub fn new(session: &'a Session, recipe: Recipe<'a>) -> Result<Self> {
        let text = kernel_source::compose_probe(recipe.file, &recipe.defines)?;
        let built = session.build(&text, "", "probe")?;
        let local = check_local(session.info(), Some(built.limits()), recipe.setup.local, &|_| 0)?;
        let Recipe { buffers, numbers, setup, work, .. } = recipe;
        Ok(Self { session, built, buffers, numbers, local, setup, work, watched: RefCell::default() })
    }

    /// The same kernel over so many work-items, with other numbers and the work that these make.
    pub fn resize(&mut self, items: usize, numbers: Vec<Number>, work: f64) {
        self.setup.items = items;
        (self.numbers, self.work) = (numbers, work);
        // What was seen is of other runs.
        self.watched.get_mut().clear();
    }

    /// Runs once; its kernel time in nanoseconds.
    ///
    /// # Errors
    /// The driver's refusal, or invalid timestamps.
    pub fn run(&self) -> Result<u64> {
        self.run_with(&self.numbers)
    }

    /// Runs once with other numbers.
    ///
    /// # Errors
    /// As [`Probe::run`].
    pub fn run_with(&self, numbers: &[Number]) -> Result<u64> {
        let Launch { built, args, global, local } = self.launch(numbers);
        let times = self.session.run(built, &args, global, local)?;
        let device_ns = times.kernel_ns().ok_or_else(|| failed("errors.roofs.timestamps", &[]))?;
        self.watched.borrow_mut().push(Watched { device_ns, host_ns: times.waited_ns });
        Ok(device_ns)
    }

    fn launch(&self, numbers: &[Number]) -> Launch<'_> {
        let number = |number: &Number| match *number {
            Number::Int(value) => Arg::Int(value),
            Number::Float(value) => Arg::Float(value),
        };
        let args = self.buffers.iter().map(|&buffer| Arg::Buffer(buffer)).chain(numbers.iter().map(number)).collect();
        Launch { built: &self.built, args, global: [self.setup.items, 1], local: self.local }
    }

    /// Whether the device's times of its runs are to be doubted.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn doubt(&self) -> Result<Option<Doubt>> {
        doubt(&self.watched.borrow(), |what, count| self.session.run_again(vec![self.launch(&self.numbers)], what, count))
    }

    /// Runs once over a poisoned output and compares `words` numbers of it with what they should be.
    ///
    /// # Errors
    /// The first number that is wrong; or the driver's refusal, or a write outside the output.
    pub fn verify(&self, output: &GuardedBuffer, words: usize, expected: impl Fn(usize) -> u32) -> Result<()> {
        self.session.poison(output.buffer(), &Poison::random())?;
        self.run()?;
        self.session.check_guards(output)?;
        let mut bytes = vec![0; PART_WORDS.min(words) * WORD_BYTES];
        for first in (0..words).step_by(PART_WORDS) {
            let count = PART_WORDS.min(words - first);
            let part = bytes.get_mut(..count * WORD_BYTES).unwrap_or_default();
            Poison::random().fill(part);
            self.session.read_at(output.buffer(), first * WORD_BYTES, part)?;
            let numbers = part.as_chunks::<WORD_BYTES>().0.iter().map(|bytes| u32::from_ne_bytes(*bytes));
            if let Some(error) = (first..).zip(numbers).find_map(|(index, found)| wrong(index, found, expected(index))) {
                return Err(error);
            }
        }
        Ok(())
    }
}

/// That number `index` is not what it should be; `None` where it is.
pub fn wrong(index: usize, found: u32, expected: u32) -> Option<Error> {
    let values: [(&str, &dyn Display); 3] = [("index", &index), ("found", &found), ("expected", &expected)];
    (found != expected).then(|| failed("errors.roofs.wrong", &values))
}
