//! What an experiment does to a launch, and what the kernel's text needs to know for it.

use super::Describe;
use super::access::{Access, Place, Space, WorkItem};
use super::trace::Trace;
use crate::launch::LaunchOf;
use crate::launch::Surface;
use crate::launch::{Argument, Between, Launch, Shape, Tile};
use model::{Channels, LocalSize, Moved, StageId, TexelFormat, TilePart, Variant, Whose, WorkClass};

/// More loads than this are no longer written one after the other.
const MOST_LOADS: usize = 512;

/// What is moved in the text of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum Rewrite {
    /// Loads beside its own.
    Loads(LoadsWork),
    /// Dimensions 0 and 1 are exchanged.
    Exchanged,
    /// A kernel has local memory that nothing uses.
    Unused {
        /// Name of the `__kernel` function.
        kernel: &'static str,
    },
    /// A tile that nothing is taken from.
    Tile(TileWork),
    /// Vectors are loaded and stored in pieces.
    Narrow {
        /// Numbers of a piece that is loaded; more than a vector has where that stays whole.
        loads: usize,
        /// The same of one that is stored.
        stores: usize,
        /// Otherwise whole, from and to places that are computed alike.
        is_done: bool,
    },
    /// No multiplication and addition are joined.
    Uncontracted,
    /// Work-items store to memory that is volatile.
    Apart {
        /// Name of the `__kernel` function.
        kernel: &'static str,
        /// Otherwise to memory that is not.
        is_done: bool,
    },
    /// Instructions of a class are done beside its own.
    Class {
        /// Name of the `__kernel` function.
        kernel: &'static str,
        /// Which.
        class: WorkClass,
        /// How many.
        count: u32,
        /// Otherwise everything but these.
        is_done: bool,
    },
    /// An image object is a buffer of texels.
    Buffer {
        /// Width and height in texels.
        size: [usize; 2],
        /// Bytes of a texel.
        texel_bytes: usize,
    },
}

/// A tile of the group's pixels, filled beside a kernel's own work.
#[derive(Clone, Debug, PartialEq)]
pub struct TileWork {
    /// Name of the `__kernel` function.
    pub kernel: &'static str,
    /// Which of its parameters is the source.
    pub source: usize,
    /// The dimension that counts along a row.
    pub along: usize,
    /// The tile: of what the kernel's work-items own, and as much around it as the other variant has.
    pub tile: Tile,
    /// The first byte of the first group's, the pitch, and the last byte of the source.
    pub origin: isize,
    /// Bytes from one row of the source to the next.
    pub pitch: usize,
    /// Bytes of the source.
    pub total: usize,
    /// What is done with it.
    pub part: TilePart,
}

/// Loads that are done beside a kernel's own.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadsWork {
    /// Name of the `__kernel` function.
    pub kernel: &'static str,
    /// Which of its parameters is the source.
    pub source: usize,
    /// The dimension that counts along a row.
    pub along: usize,
    /// From one work-item to the next along a row, in bytes or in texels.
    pub step_along: usize,
    /// From one work-item to the next down the rows, in bytes or in rows of texels.
    pub step_down: usize,
    /// Where the first work-item's are.
    pub from: From,
    /// Each load, from its work-item's place.
    pub loads: Vec<LoadAt>,
    /// What is stored beside them.
    pub stores: Option<StoresWork>,
    /// Otherwise its parameter alone.
    pub is_done: bool,
}

/// Stores that are done beside a kernel's own, to a buffer of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoresWork {
    /// From one work-item to the next along a row, in bytes.
    pub step_along: usize,
    /// From one work-item to the next down the rows, in bytes.
    pub step_down: usize,
    /// Bytes of the buffer.
    pub total: usize,
    /// Each store, from its work-item's place: the first byte, and how many.
    pub stores: Vec<(usize, usize)>,
}

/// Where the loads are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// A buffer. All begin in rows whose loads stay within it.
    Bytes {
        /// The byte of the first work-item.
        origin: isize,
        /// The first row of work-items whose loads stay within it.
        first_row: usize,
        /// How many such rows there are: those of more work-items begin anew.
        rows: usize,
        /// Numbers of 32 bits, rather than bytes.
        is_words: bool,
    },
    /// An image object: the texel of the first work-item.
    Texels {
        /// Column and row.
        origin: [usize; 2],
    },
}

/// One load, counted from its work-item's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadAt {
    /// So many bytes from this one on.
    Bytes {
        /// The first.
        at: isize,
        /// How many.
        bytes: usize,
    },
    /// A texel.
    Texel {
        /// Columns further.
        x: isize,
        /// Rows further.
        y: isize,
    },
}

/// A launch as an experiment moves it, and what is to be done to the text; or the key of why it cannot be moved so.
pub type MovedLaunch = Result<(Launch, Vec<Rewrite>), &'static str>;

/// `describe` and `launch_of` are the filter's; the launch has this local size.
///
/// # Errors
/// The key of why this cannot be moved in this variant.
pub fn moved(describe: Describe, launch_of: LaunchOf, shape: &Shape, launch: Launch, local: LocalSize, moved: Moved) -> MovedLaunch {
    match moved {
        Moved::Loads { of, count, places, stores, is_done } => {
            let other = Shape { variant: &of, ..*shape };
            let other_launch = launch_of(&other);
            let global = source_pass(&launch).and_then(|pass| launch.passes.get(pass)).ok_or(NOT_MADE)?.global;
            // Rounded up to whole groups. The driver's own choice divides it; the engine's, for a tile, never comes here.
            let [first, second] = if let LocalSize::Explicit(local) = local { local.map(|items| items.max(1)) } else { [1, 1] };
            let started = [global[0].next_multiple_of(first), global[1].next_multiple_of(second)];
            let mut work = loads(describe, shape, (&launch, started), &other, &other_launch, places, count as usize, is_done)?;
            if stores > 0 {
                let (base, base_launch) = if places == Whose::Own { (shape, &launch) } else { (&other, &other_launch) };
                // How many along a row, and down the rows.
                let [first, second] = started;
                let items = if base.is_on(StageId::Coalesced) { [first, second] } else { [second, first] };
                work.stores = Some(stores_work(describe, base, base_launch, items, stores as usize)?);
            }
            let mut launch = launch;
            let scratch = work.stores.as_ref().map(|work| {
                launch.between.push(Between::Buffer { bytes: work.total });
                Argument::Between(launch.between.len() - 1)
            });
            for pass in launch.passes.iter_mut().filter(|pass| pass.kernel == work.kernel) {
                pass.arguments.push(Argument::Int(0));
                pass.arguments.extend(scratch);
            }
            Ok((launch, vec![Rewrite::Loads(work)]))
        }
        Moved::Mapping => Ok((exchanged(launch), vec![Rewrite::Exchanged])),
        Moved::LocalBytes(bytes) => Ok(with_unused(launch, bytes as usize)),
        Moved::Surface(of) => {
            let other = launch_of(&Shape { variant: &of, ..*shape });
            Ok((on_surface(launch, other.source)?, Vec::new()))
        }
        Moved::Tile { of, part } => with_tile(shape, launch, &launch_of(&Shape { variant: &of, ..*shape }), part),
        Moved::Narrow { loads, stores, is_done } => {
            Ok((launch, vec![Rewrite::Narrow { loads: usize::from(loads), stores: usize::from(stores), is_done }]))
        }
        Moved::Items(times) => more_items(shape, launch, times as usize),
        Moved::Uncontracted => Ok((launch, vec![Rewrite::Uncontracted])),
        Moved::Apart { is_done } => Ok(apart(launch, is_done)),
        Moved::Class { class, count, is_done } => {
            let mut launch = launch;
            let index = source_pass(&launch).ok_or(NOT_MADE)?;
            let pass = launch.passes.get_mut(index).ok_or(NOT_MADE)?;
            pass.arguments.push(Argument::Int(0));
            let kernel = pass.kernel;
            Ok((launch, vec![Rewrite::Class { kernel, class, count, is_done }]))
        }
        Moved::Buffer => as_buffer(launch),
    }
}

const NOT_MADE: &str = "experiments.none.not-made";

/// The same, whose groups have so much more local memory.
fn with_unused(mut launch: Launch, bytes: usize) -> (Launch, Vec<Rewrite>) {
    let unused = Tile { item_bytes: 0, extra_bytes: bytes, item_rows: 0, extra_rows: 1, coalesced: true, is_skewed: false };
    let mut rewrites: Vec<Rewrite> = Vec::new();
    for pass in &mut launch.passes {
        pass.arguments.push(Argument::Tile(unused));
        let rewrite = Rewrite::Unused { kernel: pass.kernel };
        if !rewrites.contains(&rewrite) {
            rewrites.push(rewrite);
        }
    }
    (launch, rewrites)
}

/// The same with more work-items down the rows. Kernels are ready for some that are beyond the picture, as an NDRange is rounded up to whole groups.
fn more_items(shape: &Shape, mut launch: Launch, times: usize) -> MovedLaunch {
    // Those of a tile fill it first, and those that walk have a whole row.
    if [StageId::Walk, StageId::Running, StageId::Local].into_iter().any(|stage| shape.is_on(stage)) {
        return Err(NOT_MADE);
    }
    let down = usize::from(shape.is_on(StageId::Coalesced));
    for pass in &mut launch.passes {
        if let Some(items) = pass.global.get_mut(down) {
            *items = items.saturating_mul(times);
        }
    }
    Ok((launch, Vec::new()))
}

/// The same, whose kernels take a 0.
fn apart(mut launch: Launch, is_done: bool) -> (Launch, Vec<Rewrite>) {
    let mut rewrites: Vec<Rewrite> = Vec::new();
    for pass in &mut launch.passes {
        pass.arguments.push(Argument::Int(0));
        let rewrite = Rewrite::Apart { kernel: pass.kernel, is_done };
        if !rewrites.contains(&rewrite) {
            rewrites.push(rewrite);
        }
    }
    (launch, rewrites)
}

/// The same over a source that lies in another way: kernels are told its origin and pitch.
fn on_surface(mut launch: Launch, source: Surface) -> Result<Launch, &'static str> {
    let (Surface::Buffer(_), Surface::Buffer(layout)) = (launch.source, source) else { return Err("experiments.none.other-path") };
    for pass in &mut launch.passes {
        let Some(at) = pass.arguments.iter().position(|argument| *argument == Argument::Source) else { continue };
        let told = [layout.origin_bytes, layout.pitch_bytes].map(Argument::size);
        let is_told = |argument: Option<&Argument>| matches!(argument, Some(Argument::Int(_)));
        if !is_told(pass.arguments.get(at + 1)) || !is_told(pass.arguments.get(at + 2)) {
            return Err(NOT_MADE);
        }
        for (argument, value) in pass.arguments.iter_mut().skip(at + 1).zip(told) {
            *argument = value;
        }
    }
    launch.source = source;
    Ok(launch)
}

/// The same with a tile like that of the other launch.
fn with_tile(shape: &Shape, mut launch: Launch, other: &Launch, part: TilePart) -> MovedLaunch {
    let Surface::Buffer(layout) = launch.source else { return Err("experiments.none.other-path") };
    let mut tiles = other.passes.iter().flat_map(|pass| &pass.arguments);
    let theirs = tiles.find_map(|argument| if let Argument::Tile(tile) = argument { Some(*tile) } else { None });
    let theirs = theirs.ok_or("experiments.none.no-tile")?;
    if shape.is_on(StageId::Walk) || shape.is_on(StageId::Running) || shape.is_on(StageId::Local) {
        return Err("experiments.none.loads-shared");
    }
    let index = source_pass(&launch).ok_or(NOT_MADE)?;
    let pass = launch.passes.get_mut(index).ok_or(NOT_MADE)?;
    let source = pass.arguments.iter().position(|argument| *argument == Argument::Source).ok_or(NOT_MADE)?;
    let (owned, coalesced) = (shape.owned(), shape.is_on(StageId::Coalesced));
    let tile = Tile { item_bytes: owned.bytes, item_rows: owned.rows, coalesced, is_skewed: false, ..theirs };
    // The halo is as wide before the group as behind it.
    let before = (tile.extra_rows / 2 * layout.pitch_bytes + tile.extra_bytes / 2).cast_signed();
    let work = TileWork {
        kernel: pass.kernel,
        source,
        along: usize::from(!coalesced),
        tile,
        origin: layout.origin_bytes.cast_signed() - before,
        pitch: layout.pitch_bytes,
        total: layout.total_bytes,
        part,
    };
    pass.arguments.extend([Argument::Tile(tile), Argument::Int(0)]);
    Ok((launch, vec![Rewrite::Tile(work)]))
}

/// The same with the source's texels in a buffer.
fn as_buffer(mut launch: Launch) -> MovedLaunch {
    let Surface::Image(texels) = launch.source else { return Err("experiments.none.no-image") };
    if launch.between.iter().any(|between| matches!(between, Between::Image { .. })) {
        return Err(NOT_MADE);
    }
    launch.source = Surface::Buffer(texels.layout);
    let rewrite = Rewrite::Buffer { size: [texels.width, texels.height], texel_bytes: texels.format.bytes() };
    Ok((launch, vec![rewrite]))
}

/// The same with dimensions 0 and 1 exchanged.
fn exchanged(mut launch: Launch) -> Launch {
    for pass in &mut launch.passes {
        pass.global.swap(0, 1);
        for argument in &mut pass.arguments {
            if let Argument::Tile(tile) = argument {
                tile.coalesced = !tile.coalesced;
            }
        }
    }
    launch
}

/// How many loads from the source a work-item in the middle does for what it owns; `None` where that cannot be said.
#[must_use]
pub fn own_loads(describe: Describe, shape: &Shape, launch: &Launch) -> Option<usize> {
    let pass = source_pass(launch)?;
    let global = launch.passes.get(pass)?.global;
    Some(item_loads(describe, shape, launch, pass, global.map(|items| items / 2)).ok()?.len())
}

/// How many stores to the output a work-item in the middle does for what it owns; `None` where that cannot be said.
#[must_use]
pub fn own_stores(describe: Describe, shape: &Shape, launch: &Launch) -> Option<usize> {
    let pass = destination_pass(launch)?;
    let global = launch.passes.get(pass)?.global;
    Some(item_stores(describe, shape, launch, pass, global.map(|items| items / 2)).ok()?.len())
}

/// The most bytes that a work-item in the middle loads at once from the source, and stores at once to the output; `None` where that cannot be said.
#[must_use]
pub fn widest_accesses(describe: Describe, shape: &Shape, launch: &Launch) -> [Option<usize>; 2] {
    let widest = |pass: Option<usize>, space: Space| {
        let pass = pass?;
        let global = launch.passes.get(pass)?.global;
        let item = WorkItem { group: global.map(|items| items / 2), local: [0, 0], local_size: [1, 1] };
        let trace = Trace::described(describe, shape, launch, pass, item)?;
        trace.accesses().iter().filter(|access| access.space == space).map(Access::bytes).max()
    };
    [widest(source_pass(launch), Space::Source), widest(destination_pass(launch), Space::Destination)]
}

/// The pass that reads the source.
fn source_pass(launch: &Launch) -> Option<usize> {
    launch.passes.iter().position(|pass| pass.arguments.contains(&Argument::Source))
}

/// The pass that writes the output.
fn destination_pass(launch: &Launch) -> Option<usize> {
    launch.passes.iter().position(|pass| pass.arguments.contains(&Argument::Destination))
}

/// What a work-item loads from the source, where it owns what its variant says.
fn item_loads(describe: Describe, shape: &Shape, launch: &Launch, pass: usize, id: [usize; 2]) -> Result<Vec<Access>, &'static str> {
    let is_own = |access: &Access| access.space == Space::Source && access.kind.is_load() && !access.is_repeat;
    Ok(item_accesses(describe, shape, launch, pass, id)?.into_iter().filter(is_own).collect())
}

/// What a work-item stores to the output, where it owns what its variant says.
fn item_stores(describe: Describe, shape: &Shape, launch: &Launch, pass: usize, id: [usize; 2]) -> Result<Vec<Access>, &'static str> {
    let is_own = |access: &Access| access.space == Space::Destination && !access.kind.is_load();
    Ok(item_accesses(describe, shape, launch, pass, id)?.into_iter().filter(is_own).collect())
}

fn item_accesses(describe: Describe, shape: &Shape, launch: &Launch, pass: usize, id: [usize; 2]) -> Result<Vec<Access>, &'static str> {
    if [StageId::Walk, StageId::Running, StageId::Local].into_iter().any(|stage| shape.is_on(stage)) {
        return Err("experiments.none.loads-shared");
    }
    let item = WorkItem { group: id, local: [0, 0], local_size: [1, 1] };
    let trace = Trace::described(describe, shape, launch, pass, item).ok_or(NOT_MADE)?;
    let owned = shape.owned();
    let owned_px = (owned.bytes * owned.rows) as f64 / shape.channels().count() as f64;
    if (trace.owned_px() - owned_px).abs() > 1e-6 {
        return Err("experiments.none.loads-shared");
    }
    Ok(trace.into_accesses())
}

/// So many stores as a work-item of `shape` does to the output, for its own pixels, in a buffer whose rows lie as those of the output do, with room for so many
/// work-items along a row and down the rows: each has bytes of its own.
fn stores_work(
    describe: Describe,
    shape: &Shape,
    launch: &Launch,
    [along, down]: [usize; 2],
    count: usize,
) -> Result<StoresWork, &'static str> {
    let pass = destination_pass(launch).ok_or(NOT_MADE)?;
    let (block, layout) = (shape.owned(), launch.destination);
    // The output may have fewer channels.
    let bytes_of = |bytes: usize| bytes * layout.channels.count() / shape.channels().count();
    let row_bytes = shape.width_px * shape.channels().count();
    // The block in the middle of the picture.
    let [column, row] = [row_bytes / block.bytes.max(1) / 2, shape.height_px / block.rows.max(1) / 2];
    let place = row * block.rows * layout.pitch_bytes + bytes_of(column * block.bytes);
    let all = item_stores(describe, shape, launch, pass, ids(shape, [column, row]))?;
    let at = |access: &Access| match access.place {
        Place::Bytes { first, count } => first.checked_sub(place).map(|at| (at, count)).ok_or(NOT_MADE),
        _ => Err(NOT_MADE),
    };
    if all.is_empty() || count > all.len() {
        return Err(NOT_MADE);
    }
    // Spread evenly over all.
    let stores = (0..count).filter_map(|index| all.get(index * all.len() / count)).map(at).collect::<Result<Vec<_>, _>>()?;
    let (step_along, step_down) = (bytes_of(block.bytes), (block.rows * layout.pitch_bytes).max(along * bytes_of(block.bytes)));
    let end = stores.iter().map(|(at, bytes)| at + bytes).max().unwrap_or(0);
    let total = down * step_down + end;
    if i32::try_from(total).is_err() {
        return Err("experiments.none.too-many");
    }
    Ok(StoresWork { step_along, step_down, total, stores })
}

/// A work-item's ids from its column and row.
fn ids(shape: &Shape, [column, row]: [usize; 2]) -> [usize; 2] {
    if shape.is_on(StageId::Coalesced) { [column, row] } else { [row, column] }
}

/// The loads of `other` for the pixels of a work-item of `shape`, or of one of its own.
#[allow(clippy::too_many_arguments, reason = "two variants with their launches")]
fn loads(
    describe: Describe,
    shape: &Shape,
    (launch, started): (&Launch, [usize; 2]),
    other: &Shape,
    other_launch: &Launch,
    places: Whose,
    count: usize,
    is_done: bool,
) -> Result<LoadsWork, &'static str> {
    let pass = source_pass(launch).ok_or(NOT_MADE)?;
    let other_pass = source_pass(other_launch).ok_or(NOT_MADE)?;
    let own = launch.passes.get(pass).ok_or(NOT_MADE)?;
    let source = own.arguments.iter().position(|argument| *argument == Argument::Source).ok_or(NOT_MADE)?;
    let (base, theirs) = (if places == Whose::Own { shape } else { other }, other.owned());
    let block = base.owned();
    let row_bytes = shape.width_px * shape.channels().count();
    // The block in the middle of the picture.
    let [column, row] = [row_bytes / block.bytes.max(1) / 2, shape.height_px / block.rows.max(1) / 2];
    let [first_byte, first_row] = [column * block.bytes, row * block.rows];
    let columns = first_byte / theirs.bytes.max(1)..(first_byte + block.bytes).div_ceil(theirs.bytes.max(1));
    let rows = first_row / theirs.rows.max(1)..(first_row + block.rows).div_ceil(theirs.rows.max(1));
    let mut all = Vec::new();
    for row in rows {
        for column in columns.clone() {
            all.extend(item_loads(describe, other, other_launch, other_pass, ids(other, [column, row]))?);
        }
    }
    if all.is_empty() || count == 0 {
        return Err("experiments.none.no-loads");
    }
    if count > MOST_LOADS {
        return Err("experiments.none.too-many");
    }
    // As many as are asked for, spread evenly over all.
    let chosen: Vec<Access> = (0..count)
        .filter_map(|index| all.get(if count <= all.len() { index * all.len() / count } else { index % all.len() }).copied())
        .collect();
    let along = usize::from(!base.is_on(StageId::Coalesced));
    let (from, step_along, step_down, loads) = match (&launch.source, &other_launch.source) {
        (Surface::Buffer(layout), Surface::Buffer(theirs)) => {
            let pitch = theirs.pitch_bytes.max(1).cast_signed();
            let place = (theirs.origin_bytes + first_row * theirs.pitch_bytes + first_byte).cast_signed();
            let at = |access: &Access| match access.place {
                Place::Bytes { first, count } => {
                    let far = first.cast_signed() - place;
                    let down = (far + pitch / 2).div_euclid(pitch);
                    let at = down * layout.pitch_bytes.cast_signed() + far - down * pitch;
                    Ok(LoadAt::Bytes { at, bytes: count })
                }
                _ => Err(NOT_MADE),
            };
            let loads = chosen.iter().map(at).collect::<Result<Vec<_>, _>>()?;
            let ends = loads.iter().filter_map(|load| match load {
                LoadAt::Bytes { at, bytes } => Some((*at, *at + bytes.cast_signed())),
                LoadAt::Texel { .. } => None,
            });
            let (low, high) = ends.fold((0, 0), |(low, high): (isize, isize), (start, end)| (low.min(start), high.max(end)));
            let (origin, step_down) = (layout.origin_bytes.cast_signed(), (block.rows * layout.pitch_bytes).max(1));
            // Words are found by rounding down, which takes up to 15 bytes.
            let first_row = (16 - low - origin).max(0).cast_unsigned().div_ceil(step_down);
            let high = layout.total_bytes.cast_signed() - high - 16 - origin;
            let items = started.get(along).copied().unwrap_or_default();
            let room = high - (first_row * step_down + items * block.bytes).cast_signed();
            let Ok(room) = usize::try_from(room) else { return Err("experiments.none.too-small") };
            let from = From::Bytes { origin, first_row, rows: room / step_down + 1, is_words: other.is_on(StageId::Access) };
            (from, block.bytes, step_down, loads)
        }
        (Surface::Image(texels), Surface::Image(theirs)) if texels.format == theirs.format => {
            let is_packed = texels.format == TexelFormat::RGBA8 && texels.layout.channels == Channels::Gray;
            let texel_bytes = if is_packed { 4 } else { shape.channels().count() };
            let place = [theirs.origin_texel() + first_byte / texel_bytes, theirs.origin_row() + first_row].map(usize::cast_signed);
            let at = |access: &Access| match access.place {
                Place::Texel { x, y, .. } => Ok(LoadAt::Texel { x: x.cast_signed() - place[0], y: y.cast_signed() - place[1] }),
                _ => Err(NOT_MADE),
            };
            let loads = chosen.iter().map(at).collect::<Result<Vec<_>, _>>()?;
            let from = From::Texels { origin: [texels.origin_texel(), texels.origin_row()] };
            (from, (block.bytes / texel_bytes).max(1), block.rows, loads)
        }
        _ => return Err("experiments.none.other-path"),
    };
    Ok(LoadsWork { kernel: own.kernel, source, along, step_along, step_down, from, loads, stores: None, is_done })
}

/// How many more loads per work-item of `few` its pixels take in `many`; an error's key where that cannot be said.
///
/// # Errors
/// They cannot be counted, or there are no more.
pub fn more_loads(describe: Describe, launch_of: LaunchOf, few: &Shape, many: &Variant) -> Result<u32, &'static str> {
    let other = Shape { variant: many, ..*few };
    let [own, theirs] = [few, &other].map(|shape| {
        let loads = own_loads(describe, shape, &launch_of(shape)).ok_or("experiments.none.loads-shared")?;
        let owned = shape.owned();
        Ok::<f64, &'static str>(loads as f64 / (owned.bytes * owned.rows) as f64)
    });
    let owned = few.owned();
    let more = (theirs? - own?) * (owned.bytes * owned.rows) as f64;
    if more < 0.5 { Err("experiments.none.no-loads") } else { Ok(more.round() as u32) }
}
