//! Which work-item makes an output pixel.

use super::Question;
use kernels::footprint::{Access, Kind, Place, Space, WorkItem, accesses};
use kernels::launch::{Argument, Launch, Pass};

/// A byte or a texel that some pass stores, with its place in rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    space: Space,
    /// The byte's offset; of a texel nothing but its place is known.
    byte: Option<usize>,
    /// Column and row, in pixels, sums or texels.
    place: [usize; 2],
}

impl Target {
    /// The output pixel.
    #[must_use]
    pub fn pixel(launch: &Launch, [x, y]: [usize; 2]) -> Self {
        let layout = &launch.destination;
        Self { space: Space::Destination, byte: Some(y * layout.pitch_bytes + x * layout.channels.count()), place: [x, y] }
    }

    /// What a load of an intermediate brings, the first of it.
    fn loaded(launch: &Launch, channels: usize, access: &Access) -> Option<Self> {
        let Space::Between(index) = access.space else { return None };
        let (byte, place) = match access.place {
            Place::Bytes { first, count } => {
                let step = count / access.lanes.max(1) * channels;
                let pitch = between_pitch(launch, index)?;
                (Some(first), [first % pitch / step.max(1), first / pitch])
            }
            Place::Texel { x, y, .. } => (None, [x, y]),
            Place::Somewhere { .. } => return None,
        };
        Some(Self { space: access.space, byte, place })
    }

    /// Its offset; `None` for a texel.
    #[must_use]
    pub const fn byte(&self) -> Option<usize> {
        self.byte
    }

    /// Whether the access stores it.
    #[must_use]
    pub fn is_stored_by(&self, access: &Access) -> bool {
        let is_there = match (access.place, self.byte) {
            (Place::Bytes { first, count }, Some(byte)) => (first..first + count).contains(&byte),
            (Place::Texel { x, y, .. }, None) => [x, y] == self.place,
            _ => false,
        };
        !access.kind.is_load() && access.space == self.space && is_there
    }
}

/// Bytes from a row of the intermediate to the next, as the passes are told.
pub fn between_pitch(launch: &Launch, index: usize) -> Option<usize> {
    let of_pass = |pass: &Pass| {
        let mut after = pass.arguments.iter().skip_while(|&given| *given != Argument::Between(index)).skip(1);
        match after.next() {
            Some(&Argument::Int(pitch)) => usize::try_from(pitch).ok().filter(|pitch| *pitch > 0),
            _ => None,
        }
    };
    launch.passes.iter().find_map(of_pass)
}

/// A pass, its work-item, and what that was found by.
#[derive(Clone, Copy, Debug)]
pub struct Maker {
    pub pass: usize,
    pub item: WorkItem,
    pub target: Target,
}

/// The last pass that stores the pixel, or the pass that was asked for: there, the work-item of one of the intermediate results that the pixel is made
/// of, the middle one of those that are loaded for it.
pub fn maker(question: &Question, launch: &Launch) -> Option<Maker> {
    let target = Target::pixel(launch, question.pixel);
    let stores_pixels = |pass: &Pass| pass.arguments.contains(&Argument::Destination);
    let wanted = question.pass;
    let with_number = launch.passes.iter().enumerate().rev();
    let in_pass = |(pass, described): (usize, &Pass)| {
        let item = stores_pixels(described).then(|| find(question, launch, pass, &target)).flatten()?;
        Some(Maker { pass, item, target })
    };
    // A later pass that only repairs edges stores what it does not load from another: what is made of an intermediate is made before it.
    let mut makers = with_number.filter_map(in_pass);
    match wanted {
        None => makers.next(),
        Some(pass) => makers.find_map(|maker| match maker.pass {
            found if found == pass => Some(maker),
            later if later > pass => earlier(question, launch, maker, pass),
            _ => None,
        }),
    }
}

/// The work-item of the earlier pass `wanted` that makes what the work-item of a later one loads.
fn earlier(question: &Question, launch: &Launch, later: Maker, wanted: usize) -> Option<Maker> {
    let all = accesses(question.filter.footprint, &question.shape, launch, later.pass, later.item)?;
    let window = &all.get(window(&all, &later.target)?)?;
    let loads: Vec<_> = window.iter().filter(|access| access.kind.is_load() && matches!(access.space, Space::Between(_))).collect();
    let middle = loads.get(loads.len().checked_sub(1)? / 2)?;
    let target = Target::loaded(launch, question.shape.channels().count(), middle)?;
    let item = find(question, launch, wanted, &target)?;
    Some(Maker { pass: wanted, item, target })
}

/// Of a work-item's accesses those that make `target`: after what it has stored before that, up to the end of the stores.
pub fn window(accesses: &[Access], target: &Target) -> Option<std::ops::Range<usize>> {
    let is_store = |access: &Access| matches!(access.kind, Kind::Store | Kind::ImageWrite) && access.space != Space::Tile;
    let store = accesses.iter().position(|access| target.is_stored_by(access))?;
    let before = accesses.get(..store)?;
    let run = before.iter().rposition(|access| !is_store(access)).map_or(0, |last| last + 1);
    let begin = accesses.get(..run)?.iter().rposition(is_store).map_or(0, |last| last + 1);
    let end = accesses.get(store..)?.iter().position(|access| !is_store(access)).map_or(accesses.len(), |length| store + length);
    Some(begin..end)
}

/// Pixels that work-items of some pass may own along a row.
const BLOCKS_PX: [usize; 6] = [1, 4, 5, 8, 15, 16];

/// The work-item of the pass that stores `target`.
fn find(question: &Question, launch: &Launch, pass: usize, target: &Target) -> Option<WorkItem> {
    let (shape, described) = (&question.shape, launch.passes.get(pass)?);
    let item_at = |[first, second]: [usize; 2]| {
        let local @ [across, down] = question.local.map(|side| side.max(1));
        WorkItem { group: [first / across, second / down], local: [first % across, second % down], local_size: local }
    };
    let makes = |item: &WorkItem| {
        let stored = accesses(question.filter.footprint, shape, launch, pass, *item);
        stored.is_some_and(|accesses| accesses.iter().any(|access| target.is_stored_by(access)))
    };
    // What a work-item owns tells where it is: a block of pixels or of bytes, a row or a column. Whether it is so, its stores tell.
    let [x, y] = target.place;
    let by_bytes = x * shape.channels().count() / shape.owned().bytes.max(1);
    let own = [x / shape.pixels_per_item().max(1), by_bytes].into_iter().chain(BLOCKS_PX.map(|block| x / block));
    let columns: Vec<_> = own.collect();
    let rows = [y / shape.rows_per_item().max(1), y];
    // Of a picture that is turned, it is the other way round; blocks of rows are counted from below.
    let from_below = [shape.height_px.saturating_sub(1 + x), x].map(|row| row / shape.rows_per_item().max(1));
    let turned = [y / shape.pixels_per_item().max(1), y].into_iter().flat_map(|column| from_below.map(|row| [column, row]));
    let turned = turned.flat_map(|[column, row]| [[column, row], [row, column]]);
    let blocks = columns.iter().flat_map(|&column| rows.map(|row| [column, row])).flat_map(|[column, row]| [[column, row], [row, column]]);
    let lines = columns.iter().copied().chain([y]).map(|line| [line, 0]);
    let [across, down] = described.global;
    let is_started = |[first, second]: &[usize; 2]| *first < across && *second < down;
    let guessed = blocks.chain(lines).chain(turned).filter(is_started).map(item_at).find(&makes);
    // A pass over the edges counts them in an order of its own; there are few.
    let is_few = across.saturating_mul(down) <= 8 * (shape.width_px + shape.height_px) * 64;
    guessed.or_else(|| if is_few { WorkItem::all(described.global, question.local.map(|side| side.max(1))).find(&makes) } else { None })
}
