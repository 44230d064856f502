//! Looking at what a compiler made of a variant, beside another's: everything that the window draws of it is made here, on the worker's thread.

use base::error::{Error, ErrorKind, Result};
use engine::compiled::{CodeComparison, Compiled, KernelCode, LineCount, LineKind, ListingLine, numbered};
use engine::{Backend, Task};
use kernels::kernel_source::Diff;
use model::CompiledKernel;
use model::measure::Progress;
use std::collections::HashMap;
use std::sync::Arc;

/// A wish to see a variant's code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// Whose code.
    pub task: Task,
    /// Whose code it is compared with.
    pub against: Option<Task>,
    /// Which lines of the source instructions were made of is to be seen, too: the kernel is built once more for that.
    pub with_lines: bool,
}

/// What was seen.
#[derive(Debug)]
pub struct Looked {
    /// What was asked.
    pub look: Look,
    /// The code, or why there is none.
    pub compiled: Result<Arc<Compiled>>,
    /// The same of the other variant, where one was asked for.
    pub against: Option<Result<Arc<Compiled>>>,
    /// How the second compares with the first; `None` where one of them is missing.
    pub comparison: Option<CodeComparison>,
    /// The variant's kernels in the order they run.
    pub kernels: Vec<LookedKernel>,
}

/// A kernel, to be drawn.
#[derive(Debug)]
pub struct LookedKernel {
    /// Name of the `__kernel` function.
    pub name: String,
    /// Its counts; `None` where its code could not be had.
    pub counts: Option<CompiledKernel>,
    /// The counts of the other variant's kernel at the same place.
    pub counts_before: Option<CompiledKernel>,
    /// Its code as text.
    pub listing: Listing,
    /// The same of the other variant's kernel at the same place.
    pub listing_before: Listing,
    /// The text that was built, line by line; nothing where lines were not asked for, or are not known.
    pub source: Vec<SourceLine>,
    /// What differs from the other variant's, in normalized instructions; `None` without one.
    pub difference: Option<Diff>,
}

/// Code as text.
#[derive(Debug, Default)]
pub struct Listing {
    /// Its lines.
    pub lines: Vec<ListingLine>,
    /// The most characters that one has.
    pub longest: usize,
    /// The first line of the hot block.
    pub hot: Option<usize>,
}

impl Listing {
    fn of(lines: Vec<ListingLine>) -> Self {
        let longest = lines.iter().map(|line| line.text.chars().count()).max().unwrap_or(0);
        let hot = lines.iter().position(|line| line.kind == LineKind::Hot);
        Self { lines, longest, hot }
    }
}

/// A line of the text that was built.
#[derive(Debug)]
pub struct SourceLine {
    /// "12", or "tools.h:12" of a file that it includes.
    pub number: String,
    /// How many instructions of the hot block were made of it, its number, and the line as it is written: "  12    34  sum += …".
    pub text: String,
    /// How many instructions were made of it.
    pub count: LineCount,
}

impl SourceLine {
    fn of(number: String, text: &str, count: LineCount) -> Self {
        let hot = if count.hot_block > 0 { count.hot_block.to_string() } else { String::new() };
        Self { text: format!("{hot:>4} {number:>5}  {text}"), number, count }
    }
}

impl Look {
    /// Whether this answers `other`, too.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        self.task == other.task && self.against == other.against && (self.with_lines || !other.with_lines)
    }

    /// Looks.
    pub(super) fn run(self, backend: &mut dyn Backend, progress: &dyn Progress) -> Looked {
        // A compiler that ends on its notes of lines is asked for none.
        let compiled = if self.with_lines { backend.lines(&self.task, progress) } else { backend.compiled(&self.task, progress) };
        let compiled = match compiled {
            Err(error) if self.with_lines && error.kind == ErrorKind::Lost => backend.compiled(&self.task, progress),
            compiled => compiled,
        };
        let against = self.against.as_ref().map(|task| backend.compiled(task, progress));
        Looked::new(self, compiled, against)
    }
}

impl Looked {
    /// Of what a backend found.
    #[must_use]
    pub fn new(look: Look, compiled: Result<Arc<Compiled>>, against: Option<Result<Arc<Compiled>>>) -> Self {
        let other = against.as_ref().and_then(|against| against.as_ref().ok());
        let comparison = compiled.as_ref().ok().zip(other).map(|(compiled, other)| other.compared_with(compiled));
        let kernels = compiled.as_ref().map_or_else(|_| Vec::new(), |compiled| kernels(compiled, other.map(Arc::as_ref)));
        Self { look, compiled, against, comparison, kernels }
    }

    /// Whether it was ended before it was done.
    pub(super) fn is_cancelled(&self) -> bool {
        std::iter::once(&self.compiled).chain(&self.against).any(|found| found.as_ref().is_err_and(Error::is_cancelled))
    }
}

fn kernels(compiled: &Compiled, other: Option<&Compiled>) -> Vec<LookedKernel> {
    let before = |index: usize| other.and_then(|other| other.kernels.get(index));
    let of = |(index, kernel): (usize, &engine::compiled::Kernel)| {
        let code = kernel.code.as_ref().ok();
        let code_before = before(index).and_then(|before| before.code.as_ref().ok());
        LookedKernel {
            name: kernel.name.clone(),
            counts: kernel.summary(),
            counts_before: before(index).and_then(engine::compiled::Kernel::summary),
            listing_before: code_before.map_or_else(Listing::default, |code| Listing::of(code.listing(None))),
            source: kernel
                .lined
                .as_ref()
                .zip(compiled.source.as_deref())
                .map_or_else(Vec::new, |(code, source)| source_lines(code, source)),
            listing: kernel
                .lined
                .as_ref()
                .or(code)
                .map_or_else(Listing::default, |code| Listing::of(code.listing(compiled.source.as_deref()))),
            difference: code_before.zip(code).map(|(before, code)| Diff::new(&before.normal_text(), &code.normal_text())),
        }
    };
    compiled.kernels.iter().enumerate().map(of).collect()
}

fn source_lines(code: &KernelCode, source: &str) -> Vec<SourceLine> {
    let counts: HashMap<u32, LineCount> = code.by_line().into_iter().map(|count| (count.line, count)).collect();
    let line = |((number, text), line): ((String, &str), u32)| {
        SourceLine::of(number, text, counts.get(&line).copied().unwrap_or(LineCount { line, ..LineCount::default() }))
    };
    numbered(source).into_iter().zip(1..).map(line).collect()
}
