//! What is compared with what: the arms of an experiment.

use super::definition::{Definition, Moves, OfSame};
use crate::why::Facts;
use crate::{Finding, Probe};
use base::texts::Words;
use engine::device::{DeviceInfo, DeviceKind};
use engine::{Compared, KernelText, PictureRef, Target, Task};
use kernels::filters::VariantExt;
use kernels::footprint::{self, Rewrite};
use kernels::kernel_source;
use kernels::launch::Shape;
use model::measure::Verdict;
use model::{Added, AddedKind, CompiledKernel, LocalSize, Mix, Moved, Space, StageId, TilePart, Variant, WHOLE, Whose, WorkClass, values};
use pictures::Picture;

/// Two tasks whose difference was explained.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// The device of both.
    pub device: &'a DeviceInfo,
    /// The one that is compared with, and the one that is explained.
    pub tasks: [&'a Task; 2],
    /// The local sizes that both ran with, where they are known.
    pub locals: [Option<[usize; 2]>; 2],
    /// How they compared.
    pub compared: &'a Compared,
}

/// What an arm says of the difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The two agree in the cause: what is left of the difference is not its work.
    Alike,
    /// The pair under other circumstances: the difference over what it was.
    Grown,
    /// The second has more of the cause than the first: what that costs, of what the slower takes more.
    Added,
    /// The second has at least some more of the cause: that can confirm, and not refute.
    AddedSome,
    /// The second takes the parameter of what is added, or does the arithmetic that it takes, but has nothing added: that must cost little, and says nothing else.
    Control,
    /// The second has as much added as the next arm moves: what that costs is no part of the cause, and may be more than the difference.
    Base,
    /// The second has as much of the cause again: what that costs of the whole time.
    AddedTime,
    /// As [`Role::Control`], of the whole time.
    ControlTime,
    /// The second has more of something that is said not to be full: what of the time stays.
    Spare,
    /// The second has something that must take time, as another arm asks what it takes.
    Weight,
}

impl Role {
    /// Whether it asks about the time, and not about the difference.
    #[must_use]
    pub const fn is_of_time(self) -> bool {
        matches!(self, Self::AddedTime | Self::ControlTime | Self::Spare | Self::Weight)
    }
}

/// Two tasks that are compared.
#[derive(Clone, Debug)]
pub struct Arm {
    /// What is special about it: a text of `experiments.arm`.
    pub name: &'static str,
    /// The two, in the order of the pair.
    pub tasks: Box<(Task, Task)>,
    /// What it says.
    pub role: Role,
    /// Over one set of buffers, which stays in the caches.
    pub is_warm: bool,
    /// What the second has more of in the compiled code, where that can be read.
    pub kept: Option<Kept>,
}

/// What the compiler has to keep of what was added: so many more instructions at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Loads from buffers and image objects.
    Loads(u32),
    /// Loads, and stores to buffers.
    Accesses(u32),
    /// Arithmetic.
    Arithmetic(u32),
    /// Arithmetic on single numbers.
    Scalars(u32),
    /// Multiplications with an addition in one instruction.
    Fused(u32),
    /// Arithmetic of another width.
    OtherWidth,
    /// Other instructions than before.
    Anything,
}

/// How much of what was added is in the compiled code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// As much as was asked for.
    All,
    /// Less: what it costs can confirm, and not refute.
    Some,
    /// Nothing.
    None,
}

impl Kept {
    /// How much of it the second code has.
    #[must_use]
    pub fn left(self, [without, with]: [&[CompiledKernel]; 2]) -> Left {
        let sum = |kernels: &[CompiledKernel], count: fn(&Mix) -> u32| {
            kernels.iter().filter_map(|one| one.whole.as_ref()).map(count).sum::<u32>()
        };
        let more = |count: fn(&Mix) -> u32, least: u32| match sum(with, count).saturating_sub(sum(without, count)) {
            more if more >= least => Left::All,
            0 => Left::None,
            _ => Left::Some,
        };
        let either = |is_there: bool| if is_there { Left::All } else { Left::None };
        match self {
            // What reads an image object is a function on a processor.
            Self::Loads(least) => more(|mix| mix.loads_from(Space::Global) + mix.texture_reads + mix.calls, least),
            Self::Accesses(least) => {
                more(|mix| mix.loads_from(Space::Global) + mix.texture_reads + mix.calls + mix.stores_to(Space::Global), least)
            }
            Self::Scalars(least) => more(|mix| mix.scalar_arithmetic, least),
            Self::Fused(least) => more(|mix| mix.fused, least),
            Self::OtherWidth => {
                let widest = |kernels: &[CompiledKernel]| kernels.iter().filter_map(widest_arithmetic).max();
                either(widest(without) != widest(with))
            }
            Self::Arithmetic(least) => more(|mix| mix.scalar_arithmetic + mix.vector_arithmetic.values().sum::<u32>(), least),
            Self::Anything => {
                let hashes = |kernels: &[CompiledKernel]| kernels.iter().map(|kernel| kernel.code_hash.clone()).collect::<Vec<_>>();
                either(hashes(without) != hashes(with))
            }
        }
    }
}

impl Arm {
    fn new(name: &'static str, role: Role, first: Task, second: Task) -> Self {
        Self { name, tasks: Box::new((first, second)), role, is_warm: false, kept: None }
    }

    /// What is to be measured.
    #[must_use]
    pub fn probe(&self) -> Probe {
        let (first, second) = (*self.tasks).clone();
        if self.is_warm { Probe::CompareCached(first, second) } else { Probe::Compare(first, second) }
    }

    /// How much the compiler kept of what the second has more of; `None` where nothing was added, or its code cannot be read.
    #[must_use]
    pub fn left(&self, findings: &[Finding]) -> Option<Left> {
        let kept = self.kept?;
        let [without, with] = [&self.tasks.0, &self.tasks.1].map(|task| code_of(task, findings));
        let (without, with) = (without?.as_ref().ok()?, with?.as_ref().ok()?);
        // Whether anything changed at all shows without its instructions, too.
        let is_counted = |kernel: &CompiledKernel| kept == Kept::Anything || kernel.whole.is_some();
        let is_read = |kernels: &[CompiledKernel]| !kernels.is_empty() && kernels.iter().all(is_counted);
        (is_read(without) && is_read(with)).then(|| kept.left([without, with]))
    }

    /// The next of its tasks whose code is to be looked at.
    #[must_use]
    pub fn next_code(&self, findings: &[Finding]) -> Option<&Task> {
        self.kept?;
        [&self.tasks.0, &self.tasks.1].into_iter().find(|task| code_of(task, findings).is_none())
    }

    /// What was found of it.
    #[must_use]
    pub fn found<'a>(&self, findings: &'a [Finding]) -> Option<&'a base::error::Result<Compared>> {
        findings.iter().find_map(|finding| match finding {
            Finding::Compared(tasks, compared) if *tasks == self.tasks => Some(compared),
            _ => None,
        })
    }
}

/// Bits of the widest arithmetic on vectors where most data is moved; `None` where there is none.
fn widest_arithmetic(kernel: &CompiledKernel) -> Option<u32> {
    kernel.core()?.vector_arithmetic.keys().max().copied()
}

/// What was found of a task's code.
fn code_of<'a>(task: &Task, findings: &'a [Finding]) -> Option<&'a base::error::Result<Vec<CompiledKernel>>> {
    findings.iter().find_map(|finding| match finding {
        Finding::Code(known, code) if **known == *task => Some(code),
        _ => None,
    })
}

/// The arms of an experiment on these two, of which these facts are known.
///
/// # Errors
/// Why it cannot be made of them.
pub fn arms(definition: &Definition, facts: &Facts, pair: &Pair) -> Result<Vec<Arm>, Words> {
    let is_same = match pair.compared.comparison.verdict {
        Verdict::Unclear => return Err(Words::text("experiments.none.unclear")),
        Verdict::Same => true,
        Verdict::Faster | Verdict::Slower => false,
    };
    if is_same && definition.same.is_none() {
        return Err(Words::text("experiments.none.same"));
    }
    match definition.moves {
        Moves::LaunchCost => Ok(larger(pair, Role::Grown)),
        Moves::WorkItems => Ok(larger(pair, Role::Alike)),
        Moves::LocalSize => local_sizes(pair),
        Moves::Loads => loads(pair),
        Moves::Operations => operations(pair),
        Moves::Instructions => instructions(facts, pair),
        Moves::AccessPattern => access_pattern(pair),
        Moves::LoadWidth => load_width(pair),
        Moves::BorderTests => border_tests(pair),
        Moves::Divergence => Ok(divergence(pair)),
        Moves::ResidentGroups => resident_groups(pair),
        Moves::Cache => cache(pair),
        Moves::TexturePath => texture_path(pair),
        Moves::Tile => tile(pair, ["frame", "tile-filled"], TilePart::Filled),
        // What is added is not known before the code was looked at.
        Moves::Shuffles | Moves::Divisions | Moves::Conversions => Ok(Vec::new()),
        Moves::Barrier => tile(pair, ["frame", "barrier"], TilePart::Barrier),
        Moves::Arithmetic => arithmetic(pair),
        Moves::Spare => spare(pair),
        Moves::Contraction => contraction(pair),
        Moves::Lanes => lanes(pair),
        Moves::Vectorizer => vectorizer(pair),
        Moves::Sums => sums(pair),
        Moves::Banks => banks(pair),
        Moves::Starts => starts(pair),
    }
}

/// Both over 4 and 16 times the pixels.
fn larger(pair: &Pair, role: Role) -> Vec<Arm> {
    let [first, second] = pair.tasks;
    let of = |(name, times): (&'static str, usize)| {
        let (width, height) = first.picture.size();
        let (width, height) = (width.saturating_mul(times), height.saturating_mul(times));
        pictures::check_size(width, height, first.spec.channels).ok()?;
        let picture = pictures::filled(Some(&first.picture.picture), width, height, first.picture.picture.channels());
        let picture = PictureRef::new(std::sync::Arc::new(picture));
        let over = |task: &Task| Task { picture: picture.clone(), ..task.clone() };
        Some(Arm::new(name, role, over(first), over(second)))
    };
    [("pixels-4", 2), ("pixels-16", 4)].into_iter().filter_map(of).collect()
}

/// Both at the first's local size, and both at the second's.
fn local_sizes(pair: &Pair) -> Result<Vec<Arm>, Words> {
    let [first, second] = pair.tasks;
    let size = |index: usize, task: &Task| match task.target {
        Target::Device { local: LocalSize::Explicit(local), .. } => Some(LocalSize::Explicit(local)),
        _ => pair.locals.get(index).copied().flatten().map(LocalSize::Explicit),
    };
    // Where the driver chose for both, it is not told what it chose: there is nothing to exchange.
    let (one, other) = match (size(0, first), size(1, second)) {
        (None, None) => return Err(Words::text("experiments.none.same-local")),
        (one, other) => (one.unwrap_or(LocalSize::Driver), other.unwrap_or(LocalSize::Driver)),
    };
    if one == other {
        return Err(Words::text("experiments.none.same-local"));
    }
    // Two that differ in nothing else are the same then, whatever the cause.
    if one_task_but_for_local(first, second) {
        return Err(Words::text("experiments.none.only-local"));
    }
    let both = |name, local| Arm::new(name, Role::Alike, first.with_local(local), second.with_local(local));
    Ok(vec![both("local-of-first", one), both("local-of-second", other)])
}

/// Whether the two are one task at the same local size.
fn one_task_but_for_local(first: &Task, second: &Task) -> bool {
    first.with_local(LocalSize::Driver) == second.with_local(LocalSize::Driver)
}

/// Instructions of a class, added to the faster one: as many as its compiled code has fewer.
#[derive(Clone, Debug)]
pub struct Calibration {
    class: WorkClass,
    /// How many fewer.
    fewer: f64,
    task: Task,
}

/// So often a class is tried, to see how many instructions one is.
const TRIED: u32 = 4;

/// No more are added.
const MOST_OF_CLASS: f64 = 512.0;

impl Calibration {
    /// Of an experiment that adds a class of instructions; `None` of others.
    ///
    /// # Errors
    /// The faster one has no fewer, or they were not counted.
    pub fn new(definition: &Definition, facts: &Facts, pair: &Pair) -> Result<Option<Self>, Words> {
        let (class, name) = match definition.moves {
            Moves::Shuffles => (WorkClass::Shuffles, "shuffles"),
            Moves::Divisions => (WorkClass::Divisions, "divisions"),
            Moves::Conversions => (WorkClass::Conversions, "conversions"),
            _ => return Ok(None),
        };
        let (few, fewer) = pair.fewer(facts, name);
        let fewer = fewer.filter(|fewer| *fewer >= 1.0).ok_or_else(|| Words::text("experiments.none.no-operations"))?;
        Ok(Some(Self { class, fewer, task: few.clone() }))
    }

    fn texts(&self, count: u32) -> [KernelText; 2] {
        [false, true].map(|is_done| KernelText::Moved(Moved::Class { class: self.class, count, is_done }))
    }

    /// What is to be looked at before the arms are known.
    fn tried(&self) -> [Task; 2] {
        self.texts(TRIED).map(|text| with_text(&self.task, text))
    }

    /// The next of these.
    #[must_use]
    pub fn next_code(&self, findings: &[Finding]) -> Option<Task> {
        self.tried().into_iter().find(|task| code_of(task, findings).is_none())
    }

    /// The arms, once the code was looked at: none where it cannot be read, or what was tried is not in it.
    #[must_use]
    pub fn arms(&self, findings: &[Finding]) -> Vec<Arm> {
        let count = |kernel: &CompiledKernel| {
            let mix = kernel.body()?;
            Some(match self.class {
                WorkClass::Shuffles => mix.shuffles,
                WorkClass::Divisions => mix.special_functions,
                WorkClass::Conversions => mix.conversions,
                WorkClass::Sums32 | WorkClass::Sums16 => mix.scalar_arithmetic + mix.vector_arithmetic.values().sum::<u32>(),
            })
        };
        let counted = self.tried().map(|task| {
            let code = code_of(&task, findings)?.as_ref().ok()?;
            Some(f64::from(code.iter().map(count).sum::<Option<u32>>()?))
        });
        let [Some(without), Some(with)] = counted else { return Vec::new() };
        let of_one = (with - without) / f64::from(TRIED);
        if of_one <= 0.0 {
            return Vec::new();
        }
        let count = (self.fewer / of_one).round().clamp(1.0, MOST_OF_CLASS) as u32;
        let mut arms = added(["frame", "class-added"], &self.task, self.texts(count), Kept::Anything);
        if let Some(arm) = arms.last_mut() {
            arm.role = Role::AddedSome;
        }
        arms
    }
}

/// The variant of a task, on a device.
fn variant(task: &Task) -> Result<Variant, Words> {
    match task.target {
        Target::Device { variant, .. } => Ok(variant),
        Target::Cpu(_) => Err(Words::text("experiments.none.not-made")),
    }
}

/// The task with another text.
fn with_text(task: &Task, text: KernelText) -> Task {
    Task { text, ..task.clone() }
}

/// A control and what it is compared with, of additions to a task.
fn added(names: [&'static str; 2], task: &Task, [without, with]: [KernelText; 2], kept: Kept) -> Vec<Arm> {
    let [without, with] = [without, with].map(|text| with_text(task, text));
    vec![
        Arm::new(names[0], Role::Control, task.clone(), without.clone()),
        Arm { kept: Some(kept), ..Arm::new(names[1], Role::Added, without, with) },
    ]
}

impl<'a> Pair<'a> {
    /// The one that takes less time, then the other; of two that are as fast as each other, by `is_less`.
    fn fewer_first(&self, is_less: impl Fn(&Task, &Task) -> bool) -> [&'a Task; 2] {
        let [first, second] = self.tasks;
        match self.compared.comparison.verdict {
            Verdict::Faster => [second, first],
            Verdict::Same | Verdict::Unclear if is_less(second, first) => [second, first],
            Verdict::Slower | Verdict::Same | Verdict::Unclear => [first, second],
        }
    }

    /// The faster one, and how many fewer of a fact it has; `None` where that is not known of both.
    fn fewer(&self, facts: &Facts, fact: &str) -> (&'a Task, Option<f64>) {
        let [fast, _] = self.fewer_first(|_, _| false);
        let [before, after] = ["before", "after"].map(|side| facts.get(&format!("{side}.{fact}")));
        let more = before.zip(after).map(|(before, after)| after - before);
        (fast, more.map(|more| if fast == self.tasks[0] { more } else { -more }))
    }
}

/// What a filter's descriptions of launches are asked about.
fn with_shape<T>(task: &Task, ask: impl FnOnce(&Shape) -> T) -> Result<T, Words> {
    let variant = variant(task)?;
    let (width_px, height_px) = task.picture.size();
    Ok(ask(&Shape { variant: &variant, setting: task.setting(), parameters: &task.spec.parameters, width_px, height_px }))
}

/// The faster one with the loads that it saves.
fn loads(pair: &Pair) -> Result<Vec<Arm>, Words> {
    let count = |task: &Task| task.counts().map_or(0.0, |counts| counts.loads);
    let [few, many] = pair.fewer_first(|one, other| count(one) < count(other));
    let (filter, of) = (few.filter(), variant(many)?);
    let count = with_shape(few, |shape| footprint::more_loads(filter.footprint, filter.launch, shape, &of))?.map_err(Words::text)?;
    let texts = |of| [false, true].map(|is_done| KernelText::Moved(Moved::Loads { of, count, places: Whose::Own, stores: 0, is_done }));
    let again = |name, of| added(["parameter", name], few, texts(of), Kept::Loads(count.div_ceil(2)));
    let Err(why) = can_be_made(few, &texts(of)[1]) else { return Ok(again("loads-again", of)) };
    // One reads an image object, the other a buffer: of the buffer its own loads, as many more. They are in the cache already, so they cost less than what was
    // saved; loads of texels may cost more.
    let own = variant(few)?;
    if why != Words::text("experiments.none.other-path") || own.is_on(StageId::Image) {
        return Err(why);
    }
    can_be_made(few, &texts(own)[1]).map_err(|_| why)?;
    let mut arms = again("own-loads-again", own);
    arms.iter_mut().filter(|arm| arm.role == Role::Added).for_each(|arm| arm.role = Role::AddedSome);
    Ok(arms)
}

/// How many passes of a task work that is added goes into: it is added to each of them.
fn worked_passes(task: &Task) -> Result<f64, Words> {
    let describe = task.filter().footprint;
    let added = Added { kind: AddedKind::Integer, per_pixel: 1, one_by_one: false };
    let passes = with_shape(task, |shape| footprint::added_work(describe, shape, &(task.filter().launch)(shape), added).len())?;
    Ok(passes.max(1) as f64)
}

/// Whether a text can be made of a task: known without a device.
fn can_be_made(task: &Task, text: &KernelText) -> Result<(), Words> {
    let KernelText::Moved(moved) = *text else { return Ok(()) };
    let filter = task.filter();
    let local = task.local().unwrap_or_default();
    with_shape(task, |shape| footprint::moved(filter.footprint, filter.launch, shape, (filter.launch)(shape), local, moved).map(drop))?
        .map_err(Words::text)
}

/// The faster one with the operations that it saves, of the class of which most are saved.
fn operations(pair: &Pair) -> Result<Vec<Arm>, Words> {
    let count = |task: &Task| task.counts().map_or(0.0, |counts| counts.operations);
    let [few, many] = pair.fewer_first(|one, other| count(one) < count(other));
    let missing = || Words::text("experiments.none.no-operations");
    let (own, theirs) = (few.counts().ok_or_else(missing)?, many.counts().ok_or_else(missing)?);
    let integer = (theirs.operations - theirs.float_operations) - (own.operations - own.float_operations);
    let float = theirs.float_operations - own.float_operations;
    let (kind, more) = if float > integer { (AddedKind::Float, float) } else { (AddedKind::Integer, integer) };
    if more < 0.5 {
        return Err(missing());
    }
    let text = |per_pixel| KernelText::Added(Added { kind, per_pixel, one_by_one: false });
    let more = (more / worked_passes(few)?).round().max(1.0);
    Ok(added(["frame", "operations-again"], few, [text(0), text(more as u32)], Kept::Arithmetic(1)))
}

/// The faster one with the instructions that its compiled code has fewer of, where that is counted: in code without loops.
fn instructions(facts: &Facts, pair: &Pair) -> Result<Vec<Arm>, Words> {
    let (few, more) = pair.fewer(facts, "instructions_per_pixel");
    let more = more.filter(|more| *more >= 0.5).ok_or_else(|| Words::text("experiments.none.no-instructions"))?;
    let text = |per_pixel| KernelText::Added(Added { kind: AddedKind::Integer, per_pixel, one_by_one: false });
    Ok(added(["frame", "instructions-again"], few, [text(0), text(more.round() as u32)], Kept::Arithmetic(1)))
}

/// The most bytes that a task loads and stores at once.
fn widest_accesses(task: &Task) -> Result<[Option<usize>; 2], Words> {
    let filter = task.filter();
    with_shape(task, |shape| footprint::widest_accesses(filter.footprint, shape, &(filter.launch)(shape)))
}

/// The one with wider loads or stores with both as narrow as the other one's.
fn load_width(pair: &Pair) -> Result<Vec<Arm>, Words> {
    let filter = pair.tasks[0].filter();
    let widest = |task: &Task| widest_accesses(task).unwrap_or_default().map(|bytes| bytes.unwrap_or(1));
    let [wide, narrow] = pair.fewer_first(|one, other| widest(one) > widest(other));
    let text = kernel_source::compose(filter, &variant(wide)?, wide.setting(), &wide.spec.parameters).map_err(|error| Words::of(&error))?;
    let (own, theirs) = (widest(wide), widest(narrow));
    let piece = |own: usize, theirs: usize| {
        let widest = [8, 4, 2, 1].into_iter().find(|&lanes| usize::from(lanes) <= theirs).unwrap_or(1);
        if theirs < own { widest } else { WHOLE }
    };
    let [loads, stores] = [piece(own[0], theirs[0]), piece(own[1], theirs[1])];
    if [loads, stores] == [WHOLE; 2] {
        return Err(Words::text("experiments.none.same-width"));
    }
    let rewrite = Rewrite::Narrow { loads: usize::from(loads), stores: usize::from(stores), is_done: true };
    kernel_source::with_moved(&text, &[rewrite]).map_err(|_| Words::text("experiments.none.no-vectors"))?;
    let text = |is_done| KernelText::Moved(Moved::Narrow { loads, stores, is_done });
    Ok(added(["frame", "narrow"], wide, [text(false), text(true)], Kept::Accesses(1)))
}

/// How many operations a task has per pixel, of the class of which it has most.
fn own_operations(task: &Task) -> Result<(AddedKind, u32), Words> {
    let missing = || Words::text("experiments.none.no-operations");
    let counts = task.counts().ok_or_else(missing)?;
    let integer = counts.operations - counts.float_operations;
    let (kind, most) =
        if counts.float_operations > integer { (AddedKind::Float, counts.float_operations) } else { (AddedKind::Integer, integer) };
    let per_pixel = (most / worked_passes(task)?).round() as u32;
    if per_pixel == 0 { Err(missing()) } else { Ok((kind, per_pixel)) }
}

/// What is added to a task, and what of its time that costs.
fn added_of_time(names: [&'static str; 2], task: &Task, added: Added, role: Role, kept: Kept) -> [Arm; 2] {
    let text = |per_pixel| with_text(task, KernelText::Added(Added { per_pixel, ..added }));
    let (without, with) = (text(0), text(added.per_pixel));
    [
        Arm::new(names[0], Role::ControlTime, task.clone(), without.clone()),
        Arm { kept: Some(kept), ..Arm::new(names[1], role, without, with) },
    ]
}

/// The first with as many operations again.
fn arithmetic(pair: &Pair) -> Result<Vec<Arm>, Words> {
    let task = pair.tasks[0];
    let (kind, per_pixel) = own_operations(task)?;
    let added = Added { kind, per_pixel, one_by_one: false };
    Ok(added_of_time(["frame", "operations-twice"], task, added, Role::AddedTime, Kept::Arithmetic(1)).into())
}

/// The first with as many operations again, and with as many bytes as its source has.
fn spare(pair: &Pair) -> Result<Vec<Arm>, Words> {
    let task = pair.tasks[0];
    let (kind, per_pixel) = own_operations(task)?;
    let operations = Added { kind, per_pixel, one_by_one: false };
    let channels = u32::try_from(task.spec.channels.count()).unwrap_or(1);
    let bytes = Added { kind: AddedKind::Bytes, per_pixel: channels, one_by_one: false };
    let operations = added_of_time(["frame", "operations-twice"], task, operations, Role::Spare, Kept::Arithmetic(1));
    let bytes = added_of_time(["frame", "bytes-twice"], task, bytes, Role::Spare, Kept::Loads(1));
    Ok(operations.into_iter().chain(bytes).collect())
}

/// The first with multiplications and additions apart, against the second, in which they are joined.
fn contraction(pair: &Pair) -> Result<Vec<Arm>, Words> {
    let [first, second] = pair.tasks;
    let text = KernelText::Moved(Moved::Uncontracted);
    can_be_made(first, &text)?;
    let apart = with_text(first, text);
    Ok(vec![Arm { kept: Some(Kept::Fused(1)), ..Arm::new("uncontracted", Role::Grown, apart, second.clone()) }])
}

/// So many instructions of what is added stand in a row; more are in a loop.
const IN_A_ROW: u32 = 64;

/// The faster one with as many operations again: as vectors, and number by number.
fn lanes(pair: &Pair) -> Result<Vec<Arm>, Words> {
    let [fast, _] = pair.fewer_first(|_, _| false);
    // A compiler that packs work-items would pack what is added, too.
    if !variant(fast)?.is_on(StageId::Vectorize) {
        return Err(Words::text("experiments.none.no-vectors"));
    }
    let (kind, per_pixel) = own_operations(fast)?;
    let text = |per_pixel, one_by_one| with_text(fast, KernelText::Added(Added { kind, per_pixel, one_by_one }));
    let [without, vectors, numbers] = [text(0, false), text(per_pixel, false), text(per_pixel, true)];
    Ok(vec![
        Arm::new("frame", Role::Control, fast.clone(), without.clone()),
        Arm { kept: Some(Kept::Arithmetic(1)), ..Arm::new("operations-as-vectors", Role::Control, without, vectors.clone()) },
        Arm { kept: Some(Kept::Scalars(per_pixel.min(IN_A_ROW) / 2)), ..Arm::new("operations-one-by-one", Role::Added, vectors, numbers) },
    ])
}

/// The faster one, or the first of two that are as fast, with each work-item by itself.
fn vectorizer(pair: &Pair) -> Result<Vec<Arm>, Words> {
    let [first, second] = pair.tasks;
    let text = |is_done| KernelText::Moved(Moved::Apart { is_done });
    let packed = |task: &Task| {
        // The source's own vectors stay what they are.
        if variant(task)?.is_on(StageId::Vectorize) { Err(Words::text("experiments.none.own-vectors")) } else { Ok(()) }
    };
    if pair.compared.comparison.verdict == Verdict::Same {
        packed(first)?;
        let apart = with_text(first, text(true));
        return Ok(vec![
            Arm::new("frame", Role::Control, first.clone(), with_text(first, text(false))),
            Arm { kept: Some(Kept::OtherWidth), ..Arm::new("apart", Role::Grown, apart, second.clone()) },
        ]);
    }
    let [fast, _] = pair.fewer_first(|_, _| false);
    packed(fast)?;
    Ok(added(["frame", "apart"], fast, [text(false), text(true)], Kept::OtherWidth))
}

/// So many sums take time beside every kernel.
const MANY_SUMS: u32 = 256;

/// The second with many sums of 32 bits, and with as many of 16 bits.
fn sums(pair: &Pair) -> Result<Vec<Arm>, Words> {
    let [_, task] = pair.tasks;
    let text = |class, is_done| KernelText::Moved(Moved::Class { class, count: MANY_SUMS, is_done });
    can_be_made(task, &text(WorkClass::Sums16, true))?;
    let of = |class, is_done| with_text(task, text(class, is_done));
    let [without, wide, narrow] = [of(WorkClass::Sums32, false), of(WorkClass::Sums32, true), of(WorkClass::Sums16, true)];
    Ok(vec![
        Arm { kept: Some(Kept::Arithmetic(MANY_SUMS)), ..Arm::new("sums-32", Role::Weight, without, wide.clone()) },
        Arm::new("sums-16", Role::Grown, wide, narrow),
    ])
}

/// The faster one with as many work-items as the other one starts.
fn starts(pair: &Pair) -> Result<Vec<Arm>, Words> {
    let items = |task: &Task| {
        with_shape(task, |shape| (task.filter().launch)(shape).passes.iter().map(|pass| pass.global[0] * pass.global[1]).sum::<usize>())
    };
    let [fast, slow] = pair.fewer_first(|_, _| false);
    let times = items(slow)? as f64 / items(fast)?.max(1) as f64;
    if times < 1.5 {
        return Err(Words::text("experiments.none.no-more-items"));
    }
    let text = KernelText::Moved(Moved::Items(times.round() as u32));
    can_be_made(fast, &text)?;
    Ok(vec![Arm::new("more-items", Role::Added, fast.clone(), with_text(fast, text))])
}

/// The second with rows of its tile that begin in other banks.
fn banks(pair: &Pair) -> Result<Vec<Arm>, Words> {
    let [first, second] = pair.tasks;
    let own = variant(second)?;
    let skewed = own.with(StageId::Local, values::LOCAL_SKEW);
    if !own.is_on(StageId::Local) || own == skewed || skewed.check(second.filter(), second.setting()).is_err() {
        return Err(Words::text("experiments.none.not-made"));
    }
    Ok(vec![Arm::new("skewed", Role::Alike, first.clone(), second.with_variant(skewed))])
}

/// Tests over the other's source, which has a halo; and no tests.
fn border_tests(pair: &Pair) -> Result<Vec<Arm>, Words> {
    let [first, second] = pair.tasks;
    let [one, other] = [variant(first)?, variant(second)?];
    let is_padded = |variant: &Variant| variant.is_on(StageId::Padded);
    if is_padded(&one) == is_padded(&other) {
        return Err(Words::text("experiments.none.same-border"));
    }
    let on = |task: &Task, of: Variant| with_text(task, KernelText::Moved(Moved::Surface(of)));
    let (tests, halo) = if is_padded(&other) { (first, other) } else { (second, one) };
    can_be_made(tests, &KernelText::Moved(Moved::Surface(halo)))?;
    let kept = |tests: Task| if is_padded(&other) { (tests, second.clone()) } else { (first.clone(), tests) };
    let (before, after) = kept(on(tests, halo));
    let mut arms = vec![Arm::new("tests-over-halo", Role::Grown, before, after)];
    let without = variant(tests)?.with(StageId::Padded, 1);
    if without != halo && without.check(tests.filter(), tests.setting()).is_ok() {
        let (before, after) = kept(tests.with_variant(without));
        arms.push(Arm::new("no-tests", Role::Alike, before, after));
    }
    Ok(arms)
}

/// Both over another picture.
fn over(pair: &Pair, picture: Picture) -> [Task; 2] {
    let picture = PictureRef::new(std::sync::Arc::new(picture));
    pair.tasks.map(|task| Task { picture: picture.clone(), ..task.clone() })
}

/// Over one value everywhere, and over noise.
fn divergence(pair: &Pair) -> Vec<Arm> {
    let (width, height) = pair.tasks[0].picture.size();
    let channels = pair.tasks[0].picture.picture.channels();
    let [first, second] = over(pair, Picture::from_fn(width, height, channels, |_, _, _| 128));
    // The mixing steps of SplitMix64 (Steele, Lea, Flood 2014).
    let mixed = |x: usize, y: usize, channel: usize| {
        let mixed = ((y * width + x) * 3 + channel) as u64;
        let mixed = (mixed ^ (mixed >> 30)).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed.wrapping_mul(0x94d0_49bb_1331_11eb) >> 56) as u8
    };
    let [noisy_first, noisy_second] = over(pair, Picture::from_fn(width, height, channels, mixed));
    vec![Arm::new("flat", Role::Alike, first, second), Arm::new("noise", Role::Grown, noisy_first, noisy_second)]
}

/// Both with so much local memory that equally few groups have room.
fn resident_groups(pair: &Pair) -> Result<Vec<Arm>, Words> {
    if !pair.device.local_mem_is_dedicated {
        return Err(Words::text("experiments.none.no-local-memory"));
    }
    let used = |task: &Task, local: Option<[usize; 2]>| {
        let filter = task.filter();
        with_shape(task, |shape| (filter.launch)(shape).local_bytes(local.unwrap_or([1, 1])))
    };
    let [first, second] = pair.tasks;
    let most = used(first, pair.locals[0])?.max(used(second, pair.locals[1])?);
    // As much as a group may have, less what drivers keep for themselves.
    let bytes = pair.device.local_mem_bytes.saturating_sub(most).saturating_sub(1024);
    if bytes < pair.device.local_mem_bytes / 2 {
        return Err(Words::text("experiments.none.no-local-memory"));
    }
    let capped = |task: &Task| with_text(task, KernelText::Moved(Moved::LocalBytes(u32::try_from(bytes).unwrap_or(u32::MAX))));
    Ok(vec![Arm::new("capped", Role::Alike, capped(first), capped(second))])
}

/// A picture of so many pixels on a side is within the caches of a processor.
const CACHED_PX: usize = 256;

/// And one of so many within those of a GPU.
const CACHED_BY_GPU_PX: usize = 1024;

/// Over a picture that stays in the cache.
fn cache(pair: &Pair) -> Result<Vec<Arm>, Words> {
    let (width, height) = pair.tasks[0].picture.size();
    let side = if pair.device.kind == DeviceKind::Gpu { CACHED_BY_GPU_PX } else { CACHED_PX };
    if width * height < 4 * side * side {
        return Err(Words::text("experiments.none.cached-already"));
    }
    let picture = &pair.tasks[0].picture.picture;
    let [first, second] = over(pair, pictures::filled(Some(picture), side, side, picture.channels()));
    Ok(vec![Arm { is_warm: true, ..Arm::new("cached", Role::Grown, first, second) }])
}

/// The one that reads an image object with its texels in a buffer.
fn texture_path(pair: &Pair) -> Result<Vec<Arm>, Words> {
    let [first, second] = pair.tasks;
    let is_image = |task: &Task| Ok::<bool, Words>(variant(task)?.is_on(StageId::Image));
    let buffer = || KernelText::Moved(Moved::Buffer);
    let (before, after) = match (is_image(first)?, is_image(second)?) {
        (false, true) => (first.clone(), with_text(second, buffer())),
        (true, false) => (with_text(first, buffer()), second.clone()),
        _ => return Err(Words::text("experiments.none.same-path")),
    };
    for task in [&before, &after] {
        can_be_made(task, &task.text)?;
    }
    Ok(vec![Arm::new("buffer", Role::Alike, before, after)])
}

/// The one without a tile with one that nothing is taken from.
fn tile(pair: &Pair, names: [&'static str; 2], part: TilePart) -> Result<Vec<Arm>, Words> {
    let is_local = |task: &Task| Ok::<bool, Words>(variant(task)?.is_on(StageId::Local));
    let [first, second] = pair.tasks;
    let (plain, tiled, used) = match (is_local(first)?, is_local(second)?) {
        (false, true) => (first, second, pair.locals[1]),
        (true, false) => (second, first, pair.locals[0]),
        _ => return Err(Words::text("experiments.none.no-tile")),
    };
    let of = variant(tiled)?;
    let text = |part| KernelText::Moved(Moved::Tile { of, part });
    can_be_made(plain, &text(part))?;
    // Groups as large as those that have the tile.
    let plain = used.map_or_else(|| plain.clone(), |used| plain.with_local(LocalSize::Explicit(used)));
    Ok(added(names, &plain, [text(TilePart::Nothing), text(part)], Kept::Anything))
}

/// One's arithmetic with the other's addresses.
fn access_pattern(pair: &Pair) -> Result<Vec<Arm>, Words> {
    let [first, second] = pair.tasks;
    let [one, other] = [variant(first)?, variant(second)?];
    let walks = |variant: &Variant| variant.is_on(StageId::Walk) || variant.is_on(StageId::Running);
    if walks(&one) || walks(&other) {
        return Err(Words::text("experiments.none.loads-shared"));
    }
    let is_exchanged = one.is_on(StageId::Coalesced) != other.is_on(StageId::Coalesced);
    if is_exchanged && one.without(StageId::Coalesced) != other.without(StageId::Coalesced) {
        // With the same mapping the two differ in all but that. Each runs at the local size of the one whose addresses it has.
        let exchanged = |task: &Task, like: &Task| {
            like.local().map_or_else(|| task.clone(), |local| with_text(&task.with_local(local), KernelText::Moved(Moved::Mapping)))
        };
        return Ok(vec![
            Arm::new("exchanged-first", Role::Alike, exchanged(first, second), second.clone()),
            Arm::new("exchanged-second", Role::Alike, first.clone(), exchanged(second, first)),
        ]);
    }
    let owned = |variant: &Variant| variant.owned(first.spec.channels);
    if !is_exchanged && owned(&one) == owned(&other) {
        return Err(Words::text("experiments.none.same-addresses"));
    }
    // Else the exchange would be the variant itself: as many loads and stores more, once at its own addresses, once at the other's.
    let [fast, slow] = pair.fewer_first(|_, _| false);
    let filter = fast.filter();
    let of = |task: &Task| with_shape(task, |shape| footprint::own_loads(filter.footprint, shape, &(filter.launch)(shape)));
    let shared = || Words::text("experiments.none.loads-shared");
    let count = of(fast)?.ok_or_else(shared)?.min(of(slow)?.ok_or_else(shared)?);
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    // Stores are moved, too, where they can be told apart, and are as wide.
    let is_as_wide = widest_accesses(fast)?[1] == widest_accesses(slow)?[1];
    let stores_of = |task: &Task| with_shape(task, |shape| footprint::own_stores(filter.footprint, shape, &(filter.launch)(shape)));
    let stores = stores_of(fast)?.zip(stores_of(slow)?).map_or(0, |(own, theirs)| own.min(theirs));
    let stores = if is_as_wide { stores } else { 0 };
    let stores = u32::try_from(stores).unwrap_or(0);
    // Those of the slower one, so that they are as wide: for the pixels of the faster one's work-items, and for those of its own.
    let of = variant(slow)?;
    let [near, far] =
        [Whose::Own, Whose::Theirs].map(|places| KernelText::Moved(Moved::Loads { of, count, places, stores, is_done: true }));
    can_be_made(fast, &near)?;
    can_be_made(fast, &far)?;
    let mut arms = added(["near", "far"], fast, [near, far], Kept::Anything);
    arms.iter_mut().filter(|arm| arm.role == Role::Control).for_each(|arm| arm.role = Role::Base);
    Ok(arms)
}

impl Definition {
    /// Whether a difference is to appear, or to be absent, where there is none.
    pub(super) const fn of_same(&self) -> Option<OfSame> {
        self.same
    }
}

#[cfg(test)]
mod tests {
    use super::{Calibration, Kept, Left, Pair, Role};
    use crate::Finding;
    use crate::experiment::definition::by_id;
    use crate::testing::compared_as;
    use crate::why::Facts;
    use engine::device::DeviceInfo;
    use engine::{KernelText, PictureRef, Target, Task};
    use model::measure::{Comparison, Verdict};
    use model::{Channels, CodeForm, CompiledKernel, HostMemory, LocalSize, Mix, Moved, Resources, Space, Variant, Width, WorkClass};
    use pictures::Picture;
    use std::sync::Arc;

    fn kernel(shuffles: u32, loads: u32) -> CompiledKernel {
        let loads = [(Width { space: Space::Global, bits: 8 }, loads)].into();
        CompiledKernel {
            kernel: "laplace".to_owned(),
            form: CodeForm::Ptx,
            group: None,
            code_hash: format!("{shuffles}"),
            code_bytes: None,
            resources: Resources::default(),
            hot_block: None,
            innermost_loop: None,
            whole: Some(Mix { loads, shuffles, ..Mix::default() }),
        }
    }

    #[test]
    fn as_many_of_a_class_are_added_as_the_code_of_the_faster_one_has_fewer() {
        let picture = PictureRef::new(Arc::new(Picture::from_fn(64, 64, Channels::Rgb, |_, _, _| 0)));
        let of = |variant: &str| {
            let variant = Variant::parse(variant).expect("known");
            Task::new(picture.clone(), Target::Device { index: 0, variant, local: LocalSize::Driver, host_memory: HostMemory::Copy })
        };
        let tasks = [of("padded+vectorize=5"), of("padded+vectorize=5+merged")];
        let compared = compared_as(Comparison { ratio: 0.5, low: 0.49, high: 0.51, verdict: Verdict::Slower, starts: 1 });
        let device = DeviceInfo::example();
        let pair = Pair { device: &device, tasks: [&tasks[0], &tasks[1]], locals: [None; 2], compared: &compared };
        let definition = by_id("added-shuffles").expect("known");
        let mut facts = Facts::default();
        assert!(Calibration::new(definition, &facts, &pair).is_err(), "nothing was counted");
        facts.set("before.shuffles", 20.0);
        facts.set("after.shuffles", 50.0);
        let calibration = Calibration::new(definition, &facts, &pair).expect("fewer").expect("of a class");
        // Four are tried, and are eight instructions: 30 are 15.
        let mut findings = Vec::new();
        for shuffles in [20, 28] {
            let task = calibration.next_code(&findings).expect("to be looked at");
            findings.push(Finding::Code(Box::new(task), Ok(vec![kernel(shuffles, 0)])));
        }
        assert_eq!(calibration.next_code(&findings), None);
        let arms = calibration.arms(&findings);
        assert_eq!(arms.iter().map(|arm| arm.role).collect::<Vec<_>>(), [Role::Control, Role::AddedSome]);
        let added = Moved::Class { class: WorkClass::Shuffles, count: 15, is_done: true };
        assert_eq!((&arms[1].tasks.1.text, arms[1].tasks.1.target), (&KernelText::Moved(added), tasks[0].target));
        // A compiler that drops them leaves nothing to compare.
        findings[1] = Finding::Code(Box::new(calibration.tried()[1].clone()), Ok(vec![kernel(20, 0)]));
        assert!(calibration.arms(&findings).is_empty());
    }

    #[test]
    fn what_was_added_has_to_be_in_the_code() {
        let [without, with] = [[kernel(0, 9)], [kernel(0, 60)]];
        let left = |kept: Kept, codes: [&[CompiledKernel; 1]; 2]| kept.left(codes.map(<[_; 1]>::as_slice));
        let both = [&without, &with];
        assert_eq!([50, 52].map(|least| left(Kept::Loads(least), both)), [Left::All, Left::Some]);
        assert_eq!(left(Kept::Loads(1), [&with, &without]), Left::None);
        assert_eq!([left(Kept::Arithmetic(1), both), left(Kept::Anything, both)], [Left::None; 2]);
        assert_eq!(left(Kept::Anything, [&without, &[kernel(1, 9)]]), Left::All);
        assert_eq!([51, 52].map(|least| left(Kept::Accesses(least), both)), [Left::All, Left::Some]);
        // A function that reads an image object.
        let called = [CompiledKernel { whole: without[0].whole.clone().map(|whole| Mix { calls: 5, ..whole }), ..kernel(0, 9) }];
        assert_eq!(left(Kept::Loads(5), [&without, &called]), Left::All);
        let of = |scalars: u32, fused: u32, bits: &[u32]| {
            let vector_arithmetic = bits.iter().map(|bits| (*bits, 1)).collect();
            let whole = Mix { scalar_arithmetic: scalars, fused, vector_arithmetic, ..Mix::default() };
            [CompiledKernel { hot_block: Some(whole.clone()), whole: Some(whole), ..kernel(0, 0) }]
        };
        let (plain, packed) = (of(9, 0, &[]), of(3, 4, &[128, 512]));
        assert_eq!([6, 7].map(|least| left(Kept::Scalars(least), [&packed, &plain])), [Left::All, Left::Some]);
        assert_eq!([left(Kept::Fused(4), [&plain, &packed]), left(Kept::Fused(1), [&packed, &plain])], [Left::All, Left::None]);
        let same = of(3, 4, &[512]);
        assert_eq!([left(Kept::OtherWidth, [&packed, &plain]), left(Kept::OtherWidth, [&packed, &same])], [Left::All, Left::None]);
    }
}
