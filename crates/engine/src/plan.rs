//! A variant built for a device and ready for a picture, and the device memory that it runs over.

use super::{KernelText, Target, Task};
use crate::device::{self, Access, Arg, Buffer, Built, DeviceInfo, EventTimes, GuardedBuffer, Image, Poison, Rows, Session, Staging};
use base::error::Result;
use base::texts::{Words, failed, filled, speaking_keys};
use kernels::footprint::{self};
use kernels::kernel_source;
use kernels::launch::{Argument, Between, Launch, Shape, Surface, Texels};
use model::measure::Again;
use model::{BorderMode, Counts, HostMemory, LocalSize, Setting, StageId, Variant};
use pictures::{Layout, Picture};
use std::cell::Cell;
use std::fmt::Display;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// What is asked of a device beside the task's spec and picture.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// The device's index.
    pub index: usize,
    /// Stages.
    pub variant: Variant,
    /// Local work size.
    pub local: LocalSize,
    /// How the picture gets into the device's memory and back.
    pub host_memory: HostMemory,
}

impl Asked {
    /// Of a task on a device.
    pub fn of(task: &Task) -> Option<Self> {
        match task.target {
            Target::Device { index, variant, local, host_memory } => Some(Self { index, variant, local, host_memory }),
            Target::Cpu(_) => None,
        }
    }
}

/// A variant built for a device and ready for a picture: nothing in it changes between samples.
pub struct Plan {
    /// The text that was built.
    pub source: Arc<str>,
    /// What is launched.
    pub launch: Launch,
    /// Memory and arithmetic operations per pixel.
    pub counts: Option<Counts>,
    /// The kernel of each pass.
    pub built: Vec<Built>,
    /// What is passed to the driver; `None` for NULL.
    pub local: Option<[usize; 2]>,
    /// What the person should know.
    pub notes: Vec<Words>,
    /// Whether it has run once.
    pub has_run: Cell<bool>,
    /// What the compiler was told.
    pub options: String,
    host_memory: HostMemory,
    tables: Vec<Buffer>,
}

impl Plan {
    /// What the variant needs for `height_px` rows of the picture, in bytes; `None` where the device does not take them at once.
    pub fn bytes_taken(info: &DeviceInfo, task: &Task, asked: &Asked, height_px: usize) -> Option<usize> {
        let setting = task.setting().on(info.abilities());
        let shape = shape(task, asked, setting, height_px);
        let launch = (task.filter().launch)(&shape);
        let is_taken = check_indices(&launch, &asked.variant).is_ok() && does_fit(info, &launch);
        is_taken.then(|| launch.total_bytes())
    }

    /// Composes, builds, lays out, uploads tables and chooses the local size, for a picture as wide as the task's with `height_px` rows.
    ///
    /// # Errors
    /// The variant is not allowed, does not build, the picture is too large for 32-bit indices, or the local size does not fit.
    pub fn new(session: &Session, task: &Task, asked: &Asked, height_px: usize) -> Result<Self> {
        let setting = task.setting().on(session.info().abilities());
        let (filter, parameters, variant) = (task.filter(), &task.spec.parameters, &asked.variant);
        let source = match &task.text {
            KernelText::Edited(text) => {
                kernel_source::refuse_includes(text)?;
                Arc::clone(text)
            }
            KernelText::Composed | KernelText::Added(_) | KernelText::Moved(_) => {
                kernel_source::compose(filter, variant, setting, parameters)?
            }
        };
        let shape = shape(task, asked, setting, height_px);
        let launch = (filter.launch)(&shape);
        check_indices(&launch, variant)?;
        let (source, launch) = with_added(source, launch, task, &shape)?;
        let (source, launch) = with_moved(source, launch, task, &shape)?;
        // A kernel that is built for a size has to know it now, so the driver cannot be left to choose.
        let group = kernel_source::is_built_for_local(variant).then_some(match asked.local {
            LocalSize::Explicit(local) => local,
            LocalSize::Driver => kernel_source::DEFAULT_GROUP,
        });
        let options = kernel_source::build_options(variant, setting.abilities, group);
        let built = launch.passes.iter().map(|pass| session.build(&source, &options, pass.kernel)).collect::<Result<Vec<_>>>()?;
        let (local, mut notes) = local_size(session, &launch, &built, group.map_or(asked.local, LocalSize::Explicit))?;
        if let (LocalSize::Driver, Some(group)) = (asked.local, group) {
            notes.push(chosen_local(group));
        }
        let tables = launch.tables.iter().map(|table| uploaded(session, &table.bytes(&shape))).collect::<Result<_>>()?;
        // Nobody has counted what a person wrote.
        let is_edited = matches!(task.text, KernelText::Edited(_));
        let counts = if is_edited { None } else { filter.counts(&shape, local.unwrap_or([1, 1])) };
        Ok(Self { source, launch, counts, built, local, notes, has_run: Cell::new(false), options, host_memory: asked.host_memory, tables })
    }

    /// The memory that one run needs.
    ///
    /// # Errors
    /// The device has not enough of it, or an image object of that size is beyond its limits.
    pub fn memory(&self, session: &Session) -> Result<Memory> {
        self.memory_for(session, self.launch.destination.total_bytes)
    }

    /// The same with room for `destination_bytes` of output, which another plan may need beside this one.
    ///
    /// # Errors
    /// As [`Plan::memory`].
    pub fn memory_for(&self, session: &Session, destination_bytes: usize) -> Result<Memory> {
        let between = self.launch.between.iter().map(|between| {
            Ok(Rc::new(match *between {
                Between::Buffer { bytes } => Object::Guarded(session.guarded_buffer(bytes)?),
                Between::Image { width, height, format } => Object::Image(session.image(width, height, format, Access::ReadWrite)?),
            }))
        });
        Ok(Memory {
            source: Rc::new(match &self.launch.source {
                Surface::Buffer(layout) => Object::Buffer(session.buffer_in(self.host_memory, layout.total_bytes, Access::Read)?),
                Surface::Image(Texels { width, height, format, .. }) => {
                    Object::Image(session.image_in(self.host_memory, *width, *height, *format, Access::Read)?)
                }
            }),
            between: between.collect::<Result<_>>()?,
            destination: Rc::new(session.guarded_buffer_in(self.host_memory, destination_bytes)?),
        })
    }

    /// Whether this plan's source lies as the other's does: one copy then serves both, where the pictures are the same.
    pub fn has_source_of(&self, other: &Self) -> bool {
        self.launch.source == other.launch.source && self.host_memory == other.host_memory
    }

    /// Memory for this plan beside that of `other`, for runs that are compared: where a buffer lies can move a short kernel by some percent, so both
    /// write to the same output, and whatever else they need alike is the same, too. `has_same_source`: source object and its bytes serve both.
    ///
    /// # Errors
    /// As [`Plan::memory`].
    pub fn memory_beside(&self, session: &Session, other: &Self, theirs: &Memory, has_same_source: bool) -> Result<Memory> {
        let own = if has_same_source && self.launch.between == other.launch.between { None } else { Some(self.memory(session)?) };
        let (source, between) = match own {
            None => (Rc::clone(&theirs.source), theirs.between.clone()),
            Some(own) if self.launch.between == other.launch.between => (own.source, theirs.between.clone()),
            Some(own) if has_same_source => (Rc::clone(&theirs.source), own.between),
            Some(own) => (own.source, own.between),
        };
        Ok(Memory { source, between, destination: Rc::clone(&theirs.destination) })
    }

    /// Runs every pass, one after the other; the timestamps of each.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn run(&self, session: &Session, memory: &Memory) -> Result<Vec<EventTimes>> {
        let run = |launch: device::Launch| session.run(launch.built, &launch.args, launch.global, launch.local);
        let times = self.launches(memory).map(|launch| launch.and_then(run)).collect();
        self.has_run.set(true);
        times
    }

    /// Runs every pass with kernels that were built in another way, so that drivers that compile for a local size do so.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn run_built(&self, session: &Session, memory: &Memory, built: &[Built]) -> Result<()> {
        let mut launches = self.launches(memory).zip(built);
        launches.try_for_each(|(launch, built)| {
            launch.and_then(|launch| session.run(built, &launch.args, launch.global, launch.local)).map(drop)
        })
    }

    /// Runs all passes so many times with one wait at the end; how long that took on the host's clock, in nanoseconds.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn run_at_once(&self, session: &Session, memory: &Memory, what: Again, count: usize) -> Result<u64> {
        let launches = self.launches(memory).collect::<Result<Vec<_>>>()?;
        session.run_again(launches, what, count)
    }

    /// Every pass as it is launched over that memory.
    pub fn launches<'a>(&'a self, memory: &'a Memory) -> impl Iterator<Item = Result<device::Launch<'a>>> {
        self.launch.passes.iter().zip(&self.built).map(|(pass, built)| {
            let args = pass.arguments.iter().map(|argument| self.argument(memory, argument)).collect::<Result<Vec<_>>>()?;
            Ok(device::Launch { built, args, global: pass.global, local: self.local })
        })
    }

    fn argument<'a>(&'a self, memory: &'a Memory, argument: &Argument) -> Result<Arg<'a>> {
        let missing = || failed("errors.engine.no-argument", &[("argument", &format_args!("{argument:?}"))]);
        Ok(match *argument {
            Argument::Source => memory.source.arg(),
            Argument::Between(index) => memory.between.get(index).ok_or_else(missing)?.arg(),
            Argument::Destination => Arg::Buffer(memory.destination.buffer()),
            Argument::Table(index) => Arg::Buffer(self.tables.get(index).ok_or_else(missing)?),
            Argument::Int(value) => Arg::Int(value),
            Argument::Float(value) => Arg::Float(value),
            // Without a size the driver chooses one; a tile then has the size for one work-item, which `local_size` rules out.
            Argument::Tile(tile) => Arg::LocalBytes(tile.bytes(self.local.unwrap_or([1, 1]))),
        })
    }

    /// Uploads `picture`, into a mapped buffer without a detour. Returns how long it took to lay the picture out, in nanoseconds; `None` where that and the upload
    /// are one.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn upload(
        &self,
        session: &Session,
        memory: &Memory,
        picture: &Picture,
        border: BorderMode,
        scratch: &mut Scratch,
    ) -> Result<Option<u64>> {
        let layout = self.launch.source.layout();
        let is_plain = !self.host_memory.is_mapped();
        if let (Object::Buffer(buffer), false, false) = (memory.source.as_ref(), is_plain, layout.is_tight()) {
            session.with_mapped_mut(buffer, 0..layout.total_bytes, |bytes| layout.pack_into(picture, border, bytes))?;
            return Ok(None);
        }
        let (to, rows) = match memory.source.as_ref() {
            Object::Buffer(buffer) => (Rows::Buffer(buffer), layout.total_bytes / layout.pitch_bytes.max(1)),
            Object::Image(image) => (Rows::Image(image), image.height()),
            // Kernels alone write to those.
            Object::Guarded(_) => return Err(super::not_prepared()),
        };
        let work = if layout.is_tight() { HostWork::Copy } else { HostWork::LayOut };
        if is_plain && let Some(staging) = scratch.staging_for(session, layout.pitch_bytes, layout.total_bytes, work) {
            session.write_staged(staging, to, rows, layout.pitch_bytes, |row, piece| layout.pack_rows_into(picture, border, row, piece))?;
            return Ok(None);
        }
        let packed = &mut scratch.packed;
        match to {
            Rows::Buffer(buffer) if layout.is_tight() => session.write(buffer, picture.bytes()).map(|()| Some(0)),
            Rows::Buffer(buffer) => write_in_pieces(session, buffer, layout, picture, border, packed).map(Some),
            Rows::Image(image) if layout.is_tight() => session.write_image(image, layout.pitch_bytes, picture.bytes()).map(|()| Some(0)),
            Rows::Image(image) => {
                let begun = Instant::now();
                packed.resize(layout.total_bytes, 0);
                layout.pack_into(picture, border, packed);
                let layout_ns = super::elapsed_ns(begun);
                session.write_image(image, layout.pitch_bytes, packed).map(|()| Some(layout_ns))
            }
        }
    }

    /// Reads the output's rows into all of `bytes`.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn read_back(&self, session: &Session, memory: &Memory, scratch: &mut Scratch, bytes: &mut [u8]) -> Result<()> {
        let (to, buffer) = (&self.launch.destination, memory.destination.buffer());
        if !self.host_memory.is_mapped()
            && let Some(staging) = scratch.staging_for(session, to.row_bytes(), bytes.len(), HostWork::Copy)
        {
            return session.read_staged(staging, buffer, to.pitch_bytes, to.row_bytes(), bytes);
        }
        session.read_rows(buffer, to.pitch_bytes, to.row_bytes(), bytes)
    }

    /// Whether `memory` was made for a plan that needs the same.
    pub fn fits(&self, memory: &Memory) -> bool {
        let source = match (&self.launch.source, memory.source.as_ref()) {
            (Surface::Buffer(layout), Object::Buffer(buffer)) => buffer.len_bytes() == layout.total_bytes,
            (Surface::Image(texels), Object::Image(image)) => is_image(image, texels.width, texels.height, texels.format),
            _ => false,
        };
        let between = |(between, object): (&Between, &Rc<Object>)| match (*between, object.as_ref()) {
            (Between::Buffer { bytes }, Object::Guarded(buffer)) => buffer.buffer().len_bytes() == bytes,
            (Between::Image { width, height, format }, Object::Image(image)) => is_image(image, width, height, format),
            _ => false,
        };
        source
            && memory.destination.buffer().host_memory() == self.host_memory
            && memory.destination.buffer().len_bytes() == self.launch.destination.total_bytes
            && memory.between.len() == self.launch.between.len()
            && self.launch.between.iter().zip(&memory.between).all(between)
    }
}

/// Host memory that transfers pass through, kept between them: page faults of fresh allocations are not taken for transfers.
#[derive(Default)]
pub struct Scratch {
    packed: Vec<u8>,
    staging: Option<Staging>,
    is_staged: bool,
}

/// What the host does with the rows of a transfer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HostWork {
    /// It lays them out.
    LayOut,
    /// It only copies them, as a driver does.
    Copy,
}

impl HostWork {
    /// From so many bytes on, staging took less time than the driver's own way (H100, fifth-generation bus, 16 cores: laying out 7680 × 4320 RGB 4.4 against 16 ms,
    /// copying it 4 against 13; copying 2048 × 2048 1.3 against 1.0).
    const fn least_staged_bytes(self) -> usize {
        match self {
            Self::LayOut => 4 << 20,
            Self::Copy => 16 << 20,
        }
    }
}

impl Scratch {
    /// With pinned memory for devices that have memory of their own. Making it takes longer than one transfer saves: for those who transfer often.
    pub fn staged() -> Self {
        Self { is_staged: true, ..Self::default() }
    }

    /// Pinned memory for rows of so many bytes, of which there are `total_bytes`; `None` where the device shares the host's memory, so that there is nothing
    /// that goes on beside the host's work, where its driver has no such memory left, and where the driver's own way takes no longer: for few bytes.
    fn staging_for(&mut self, session: &Session, row_bytes: usize, total_bytes: usize, work: HostWork) -> Option<&mut Staging> {
        let info = session.info();
        if !self.is_staged || total_bytes < work.least_staged_bytes() || !info.has_bus() {
            return None;
        }
        if self.staging.as_ref().is_none_or(|staging| !staging.serves(session, row_bytes)) {
            self.staging = session.staging(row_bytes).ok();
        }
        self.staging.as_mut()
    }
}

/// Bytes that are laid out at a time: a copy of the whole picture would cost as much memory again, and falls out of the caches before it is written.
const PIECE_BYTES: usize = 16 << 20;

/// Lays rows out in `packed` and writes them, piece by piece. How long laying out took, in nanoseconds.
fn write_in_pieces(
    session: &Session,
    buffer: &Buffer,
    layout: &Layout,
    picture: &Picture,
    border: BorderMode,
    packed: &mut Vec<u8>,
) -> Result<u64> {
    let pitch_bytes = layout.pitch_bytes.max(1);
    let (rows, rows_at_once) = (layout.total_bytes / pitch_bytes, (PIECE_BYTES / pitch_bytes).max(1));
    packed.resize(rows_at_once.min(rows) * pitch_bytes, 0);
    let mut layout_ns = 0;
    for first_row in (0..rows).step_by(rows_at_once) {
        let begun = Instant::now();
        let piece = packed.get_mut(..rows_at_once.min(rows - first_row) * pitch_bytes).unwrap_or_default();
        layout.pack_rows_into(picture, border, first_row, piece);
        layout_ns += super::elapsed_ns(begun);
        session.write_at(buffer, first_row * pitch_bytes, piece)?;
    }
    Ok(layout_ns)
}

fn is_image(image: &Image, width: usize, height: usize, format: model::TexelFormat) -> bool {
    (image.width(), image.height(), image.format()) == (width, height, format)
}

/// Source, intermediates and destination on the device. Two plans that are compared share what they can.
pub struct Memory {
    source: Rc<Object>,
    between: Vec<Rc<Object>>,
    /// The output.
    pub destination: Rc<GuardedBuffer>,
}

/// A memory object.
enum Object {
    Buffer(Buffer),
    Guarded(GuardedBuffer),
    Image(Image),
}

impl Object {
    fn buffer(&self) -> Option<&Buffer> {
        match self {
            Self::Buffer(buffer) => Some(buffer),
            Self::Guarded(buffer) => Some(buffer.buffer()),
            Self::Image(_) => None,
        }
    }

    fn arg(&self) -> Arg<'_> {
        match self {
            Self::Buffer(buffer) => Arg::Buffer(buffer),
            Self::Guarded(buffer) => Arg::Buffer(buffer.buffer()),
            Self::Image(image) => Arg::Image(image),
        }
    }
}

impl Memory {
    /// Its buffers: the picture's, those between passes, the output's. Not its image objects.
    pub fn buffers(&self) -> Vec<&Buffer> {
        let between = self.between.iter().filter_map(|object| object.buffer());
        self.source.buffer().into_iter().chain(between).chain([self.destination.buffer()]).collect()
    }

    /// The picture's buffer; `None` of an image object.
    pub fn source_buffer(&self) -> Option<&Buffer> {
        self.source.buffer()
    }

    /// Bytes of all its objects, without guards.
    pub fn bytes(&self) -> usize {
        let of = |object: &Object| match object {
            Object::Buffer(buffer) => buffer.len_bytes(),
            Object::Guarded(buffer) => buffer.buffer().len_bytes(),
            Object::Image(image) => image.width() * image.height() * image.format().bytes(),
        };
        of(&self.source) + self.between.iter().map(|object| of(object)).sum::<usize>() + self.destination.buffer().len_bytes()
    }

    /// Fills everything that kernels write with a new poison: what is never written then differs from what it should be.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn poison(&self, session: &Session) -> Result<()> {
        let poison = &Poison::random();
        for object in &self.between {
            match object.as_ref() {
                Object::Buffer(buffer) => session.poison(buffer, poison)?,
                Object::Guarded(buffer) => session.poison(buffer.buffer(), poison)?,
                Object::Image(image) => session.poison_image(image, poison)?,
            }
        }
        session.poison(self.destination.buffer(), poison)
    }

    /// Fills the picture's buffer with anything: memory that nobody has written to may not be there yet, and the first upload would wait for it.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn fill_source(&self, session: &Session) -> Result<()> {
        self.source.buffer().map_or(Ok(()), |buffer| session.poison(buffer, &Poison::random()))
    }

    /// Spoils some of the output, wherever chance has it.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn damage(&self, session: &Session) -> Result<()> {
        session.damage(self.destination.buffer())
    }

    /// That no kernel wrote outside of what it was given.
    ///
    /// # Errors
    /// It did; or the driver's refusal.
    pub fn check_guards(&self, session: &Session) -> Result<()> {
        for object in &self.between {
            if let Object::Guarded(buffer) = object.as_ref() {
                session.check_guards(buffer)?;
            }
        }
        session.check_guards(&self.destination)
    }
}

/// Text and launch with what the task adds to them.
fn with_added(mut source: Arc<str>, launch: Launch, task: &Task, shape: &Shape) -> Result<(Arc<str>, Launch)> {
    let Some(added) = task.text.added() else { return Ok((source, launch)) };
    let work = footprint::added_work(task.filter().footprint, shape, &launch, added);
    for work in &work {
        let text = kernel_source::with_added(&source, work)
            .map_err(|why| failed("errors.engine.nothing-added", &[("kernel", &work.kernel), ("why", &why)]))?;
        source = Arc::from(text);
    }
    Ok((source, launch.with_added(&work)))
}

/// Text and launch with what an experiment moves in them.
fn with_moved(source: Arc<str>, launch: Launch, task: &Task, shape: &Shape) -> Result<(Arc<str>, Launch)> {
    let KernelText::Moved(moved) = task.text else { return Ok((source, launch)) };
    let filter = task.filter();
    let refused = |why: &dyn Display| failed("errors.engine.nothing-moved", &[("why", why)]);
    let (launch, rewrites) = footprint::moved(filter.footprint, filter.launch, shape, launch, task.local().unwrap_or_default(), moved)
        .map_err(|key| refused(&Words::text(key)))?;
    let text = kernel_source::with_moved(&source, &rewrites).map_err(|why| refused(&why))?;
    Ok((Arc::from(text), launch))
}

/// `height_px` rows of the task's picture.
fn shape<'a>(task: &'a Task, asked: &'a Asked, setting: Setting, height_px: usize) -> Shape<'a> {
    let width_px = task.picture.picture.width_px();
    Shape { variant: &asked.variant, setting, parameters: &task.spec.parameters, width_px, height_px }
}

/// Whether the device can have these memory objects at once, beside others.
fn does_fit(info: &DeviceInfo, launch: &Launch) -> bool {
    let is_buffer = |bytes: usize| GuardedBuffer::whole_bytes(info, bytes) as u64 <= info.max_alloc_bytes;
    let is_image = |width, height, format| device::check_image_size(info, width, height, format).is_ok();
    let source = match &launch.source {
        Surface::Buffer(layout) => is_buffer(layout.total_bytes),
        Surface::Image(Texels { width, height, format, .. }) => is_image(*width, *height, *format),
    };
    let between = launch.between.iter().all(|between| match *between {
        Between::Buffer { bytes } => is_buffer(bytes),
        Between::Image { width, height, format } => is_image(width, height, format),
    });
    let half = info.global_mem_bytes / 2;
    source && between && is_buffer(launch.destination.total_bytes) && launch.total_bytes() as u64 <= half
}

/// Indices that the variant's arithmetic can have.
fn check_indices(launch: &Launch, variant: &Variant) -> Result<()> {
    check_sizes(launch)?;
    if variant.is_on(StageId::Mul24) { check_factors(launch) } else { Ok(()) }
}

/// Kernels index with 32 bits.
fn check_sizes(launch: &Launch) -> Result<()> {
    let between = launch.between.iter().map(Between::total_bytes);
    let sizes = between.chain([launch.source.layout().total_bytes, launch.destination.total_bytes]);
    let largest = sizes.max().unwrap_or(0);
    if i32::try_from(largest).is_ok() {
        return Ok(());
    }
    Err(failed("errors.engine.indices", &[("bytes", &largest), ("limit", &i32::MAX)]))
}

/// Kernels that multiply rows and pitches with 24 bits: OpenCL defines `mul24` where both factors lie in −2²³ … 2²³ − 1. A row index is at most the
/// height, the row below the picture.
fn check_factors(launch: &Launch) -> Result<()> {
    let (source, destination) = (launch.source.layout(), &launch.destination);
    let largest = source.height_px.max(source.pitch_bytes).max(destination.pitch_bytes);
    if largest < 1 << 23 {
        return Ok(());
    }
    let values: [(&str, &dyn Display); 3] =
        [("largest", &largest), ("limit", &((1 << 23) - 1)), ("stage", &StageId::Mul24.stage().label())];
    Err(failed("errors.engine.factors", &values))
}

fn uploaded(session: &Session, table: &[u8]) -> Result<Buffer> {
    let buffer = session.buffer(table.len(), Access::Read)?;
    session.write(&buffer, table)?;
    Ok(buffer)
}

/// That the program chose the local size, where the driver was asked to.
fn chosen_local([x, y]: [usize; 2]) -> Words {
    Words::from(speaking_keys(|| filled("errors.engine.chosen-local", &[("x", &x), ("y", &y)])))
}

/// The local size for every pass, checked against each, and what has to be said about it.
fn local_size(session: &Session, launch: &Launch, built: &[Built], asked: LocalSize) -> Result<(Option<[usize; 2]>, Vec<Words>)> {
    let local_bytes = |local: [usize; 2]| launch.local_bytes(local);
    let mut notes = Vec::new();
    // The kernel with the smallest limit decides for all.
    let limits = built.iter().map(Built::limits).min_by_key(|limits| limits.max_work_group_size);
    // A tile has to have a size before the launch, so the driver cannot be left to choose.
    let needs_size = asked == LocalSize::Driver && local_bytes([1, 1]) > 0;
    let wanted = [limits.map_or(8, |limits| limits.preferred_multiple.clamp(8, 32)), 8];
    let chosen = needs_size.then(|| device::largest_local_fitting(session.info(), limits, wanted, &local_bytes)).flatten();
    notes.extend(chosen.map(chosen_local));
    let asked = chosen.map_or(if needs_size { LocalSize::Explicit(wanted) } else { asked }, LocalSize::Explicit);
    let local = device::check_local(session.info(), limits, asked, &local_bytes)?;
    Ok((local, notes))
}

#[cfg(test)]
mod tests {
    use super::{Launch, check_factors};
    use kernels::launch::Pass;
    use model::Channels;
    use pictures::Layout;

    #[test]
    fn factors_of_24_bits_end_before_2_to_the_23() {
        let launch = |width, height| {
            let layout = Layout::tight(width, height, Channels::Gray);
            Launch::single(layout, layout, Pass { kernel: "copy", global: [1, 1], arguments: Vec::new() })
        };
        // 2^23 = 8 388 608.
        check_factors(&launch(8_388_607, 1)).expect("the longest row");
        check_factors(&launch(1, 8_388_607)).expect("the most rows");
        for (width, height) in [(8_388_608, 1), (1, 8_388_608)] {
            check_factors(&launch(width, height)).expect_err("one more");
        }
    }
}
