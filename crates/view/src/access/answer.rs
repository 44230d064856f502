//! The answer to a question about an output pixel.

use super::memory::{Banks, SEGMENT_SIZES_BYTES, Segments, banks, greatest_common_divisor, segments, unique_bytes};
use super::place::{self, Maker};
use super::request::{Request, accesses_at, bytes_of, together};
use super::{Question, index_in_group, lane_of};
use base::error::{Error, Result};
use base::texts::misused;
use kernels::footprint::{Access, Kind, Place, Space, Trace, WorkItem};
use kernels::launch::Launch;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::ops::Range;

/// A work-item that does more than this is shown by what it does for the pixel alone: it walks along a whole row or column.
const MOST_STEPS: usize = 1024;

/// Everything about an output pixel.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What the host launches.
    pub launch: Launch,
    /// The pass, by its number in the launch.
    pub pass: usize,
    /// The work-item that makes the pixel, or, in an earlier pass, what the pixel is made of.
    pub item: WorkItem,
    /// Its lane in its sub-group.
    pub lane: usize,
    /// The number of its sub-group in the work-group.
    pub sub_group: usize,
    /// Work-items of that sub-group: the last of a group may have fewer than others.
    pub sub_group_items: usize,
    /// The lanes of the vector that is stored, where it is one, that the pixel lies in.
    pub vector_lanes: Option<Range<usize>>,
    /// Its loads and stores in the order of its program.
    pub steps: Vec<Step>,
    /// Loads and stores that are not among the steps, as the work-item makes other pixels by them.
    pub other_accesses: usize,
    /// What the work-items of its group load and store in these steps, by their number in the group.
    pub group: Vec<(WorkItem, Vec<Access>)>,
    /// Sums.
    pub totals: Totals,
}

/// One load or store.
#[derive(Clone, Debug)]
pub struct Step {
    /// The work-item's own.
    pub own: Access,
    /// Its lane and the others that execute it together with it, and what they access.
    pub lanes: Vec<(usize, Access)>,
    /// Bytes that all lanes want, and how many of these are distinct. Of image objects these are the bytes of texels.
    pub wanted_bytes: usize,
    /// The distinct ones.
    pub unique_bytes: usize,
    /// Of global memory, in buffers: segments of each of [`SEGMENT_SIZES_BYTES`].
    pub segments: Option<[Segments; 3]>,
    /// Of local memory.
    pub banks: Option<Banks>,
    /// For each own byte, how many other lanes of the sub-group load it too, at any moment. Empty where no bytes are known.
    pub also_loaded: Vec<usize>,
}

/// Sums over the loads of the sub-group's work-items, per pixel that they make.
#[derive(Clone, Debug, PartialEq)]
pub struct Totals {
    /// Pixels, or what an earlier pass makes of each, that the sub-group makes in these steps.
    pub sub_group_px: f64,
    /// The same for the work-group.
    pub group_px: f64,
    /// Bytes of global buffers that loads ask for.
    pub wanted_bytes_per_px: f64,
    /// By size of the segments.
    pub by_size: [SizeTotals; 3],
    /// The bytes that hold a pixel in what is loaded from: no kernel fetches less, unless its cache holds them already.
    pub floor_bytes_per_px: f64,
    /// Reads of image objects.
    pub image_reads_per_px: f64,
    /// Turns of local memory for loads and stores of the tile.
    pub bank_cycles_per_px: f64,
}

impl Totals {
    /// What loads fetch in segments of this size; `None` where they fetch nothing.
    #[must_use]
    pub fn fetched(&self, segment_bytes: usize) -> Option<&SizeTotals> {
        self.by_size.iter().find(|size| size.size_bytes == segment_bytes).filter(|size| size.cold > 0.0)
    }
}

/// What loads fetch from global memory in segments of one size, in bytes per pixel. The truth lies between the first and the last.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SizeTotals {
    /// Bytes of a segment.
    pub size_bytes: usize,
    /// Without any cache: each load fetches its segments anew.
    pub cold: f64,
    /// Where the sub-group's work-items fetch each segment once.
    pub once_per_sub_group: f64,
    /// Where the work-group's do.
    pub once_per_group: f64,
}

/// Answers the question.
///
/// # Errors
/// A usage error for a pixel outside the picture, a pass that there is not, and a pixel that no work-item of the pass has to do with.
pub fn answer(question: &Question) -> Result<Answer> {
    let shape = &question.shape;
    let launch = (question.filter.launch)(shape);
    // A pixel of the output, which may have another size.
    let ([x, y], [width, height]) = (question.pixel, [launch.destination.width_px, launch.destination.height_px]);
    if x >= width || y >= height {
        return Err(no_answer(question, "errors.access.outside", &[("width", &width), ("height", &height)]));
    }
    let passes = launch.passes.len();
    if question.pass.is_some_and(|pass| pass >= passes) {
        return Err(no_answer(question, "errors.access.no-pass", &[("count", &passes)]));
    }
    let Some(maker) = place::maker(question, &launch) else {
        let first = WorkItem { group: [0, 0], local: [0, 0], local_size: [1, 1] };
        let is_told = Trace::described(question.filter.footprint, shape, &launch, question.pass.unwrap_or(0), first).is_some();
        return Err(if is_told {
            no_answer(question, "errors.access.no-maker", &[])
        } else {
            no_answer(question, "errors.access.untold", &[("variant", shape.variant)])
        });
    };
    Ok(answer_for(question, launch, maker))
}

fn no_answer(question: &Question, key: &'static str, values: &[(&str, &dyn Display)]) -> Error {
    let [x, y] = &question.pixel;
    let pixel: [(&str, &dyn Display); 2] = [("x", x), ("y", y)];
    misused(key, &[&pixel, values].concat())
}

fn answer_for(question: &Question, launch: Launch, Maker { pass, item, target }: Maker) -> Answer {
    let local_size = item.local_size;
    let sub_group_of = |item: &WorkItem| index_in_group(item.local, local_size) / question.sub_group.max(1);
    let all = accesses_at(question, &launch, pass, item, None);
    // Of a walk, what is done for this pixel.
    let window = if all.len() > MOST_STEPS { place::window(&all, &target).unwrap_or(0..all.len()) } else { 0..all.len() };
    let own = all.get(window.clone()).unwrap_or_default();
    let moments = (window.len() < all.len()).then(|| own.iter().map(|access| access.when).collect::<BTreeSet<_>>());
    let of_item = |item| (item, accesses_at(question, &launch, pass, item, moments.as_ref()));
    let group: Vec<_> = WorkItem::all_of_group(item.group, local_size).map(of_item).collect();
    let in_sub_group = group.iter().filter(|(other, _)| sub_group_of(other) == sub_group_of(&item));
    let lanes: Vec<(usize, Vec<Access>)> =
        in_sub_group.map(|(other, accesses)| (lane_of(other.local, local_size, question.sub_group), accesses.clone())).collect();
    let lane = lane_of(item.local, local_size, question.sub_group);
    let requests = together(&lanes);
    let also = also_loaded(own, &lanes, lane);
    let steps = |access: &Access| {
        let request = requests.get(&access.when).cloned().unwrap_or_default();
        step(question, &launch, *access, request, &also)
    };
    Answer {
        pass,
        item,
        lane,
        sub_group: sub_group_of(&item),
        sub_group_items: lanes.len(),
        vector_lanes: vector_lanes(&launch, own, &target),
        steps: own.iter().map(steps).collect(),
        other_accesses: all.len() - own.len(),
        totals: totals(question, &launch, &requests, &lanes, &group),
        group,
        launch,
    }
}

/// Which lanes of the vector that stores an output pixel it lies in, among all accesses of the work-item that makes it.
pub fn vector_lanes_of(launch: &Launch, own: &[Access], pixel: [usize; 2]) -> Option<Range<usize>> {
    vector_lanes(launch, own, &place::Target::pixel(launch, pixel))
}

/// Which lanes of the vector that stores it the pixel lies in.
fn vector_lanes(launch: &Launch, own: &[Access], target: &place::Target) -> Option<Range<usize>> {
    let store = own.iter().find(|access| target.is_stored_by(access)).filter(|store| store.lanes > 1)?;
    let (Place::Bytes { first, .. }, byte) = (store.place, target.byte()?) else { return None };
    let lane_bytes = (store.bytes() / store.lanes).max(1);
    let begin = (byte - first) / lane_bytes;
    // A pixel is one vector where its channels are the lanes.
    let channels = if store.space == Space::Destination { launch.destination.channels.count() } else { 1 };
    Some(begin..(begin + channels).min(store.lanes))
}

/// For each byte that the work-item loads, how many other lanes load it too.
fn also_loaded(own: &[Access], lanes: &[(usize, Vec<Access>)], own_lane: usize) -> BTreeMap<(Space, usize), usize> {
    let loaded = |accesses: &[Access]| -> BTreeSet<(Space, usize)> {
        let loads = accesses.iter().filter(|access| access.kind.is_load());
        loads
            .filter_map(|access| bytes_of(access).map(|bytes| (access.space, bytes)))
            .flat_map(|(space, bytes)| bytes.map(move |byte| (space, byte)))
            .collect()
    };
    let mut also: BTreeMap<_, usize> = loaded(own).into_iter().map(|byte| (byte, 0)).collect();
    for (_, accesses) in lanes.iter().filter(|(lane, _)| *lane != own_lane) {
        for byte in loaded(accesses) {
            if let Some(count) = also.get_mut(&byte) {
                *count += 1;
            }
        }
    }
    also
}

fn step(question: &Question, launch: &Launch, own: Access, request: Request, also: &BTreeMap<(Space, usize), usize>) -> Step {
    let ranges = request.ranges();
    let is_image = matches!(own.kind, Kind::ImageRead | Kind::ImageWrite);
    let in_segments = own.space.is_global() && !is_image && bytes_of(&own).is_some();
    let step_bytes = alignment_step_bytes(question, launch, &own);
    let with_lanes = || request.lanes.iter().filter_map(|(lane, access)| Some((*lane, bytes_of(access)?))).collect::<Vec<_>>();
    let known = bytes_of(&own).filter(|_| own.kind.is_load());
    Step {
        own,
        wanted_bytes: request.lanes.iter().map(|(_, access)| access.bytes()).sum(),
        unique_bytes: if is_image { request.texels() * own.bytes() } else { unique_bytes(&ranges) },
        segments: in_segments.then(|| SEGMENT_SIZES_BYTES.map(|size| Segments::of(&ranges, size, step_bytes))),
        banks: (own.space == Space::Tile).then(|| banks(&with_lanes(), question.banks)),
        also_loaded: known.into_iter().flatten().map(|byte| also.get(&(own.space, byte)).copied().unwrap_or(0)).collect(),
        lanes: request.lanes,
    }
}

/// By multiples of how many bytes the same access of other work-groups lies elsewhere: along a row and from row to row. Buffers begin at a multiple of
/// any segment.
fn alignment_step_bytes(question: &Question, launch: &Launch, access: &Access) -> usize {
    let shape = &question.shape;
    let lane_bytes = access.bytes() / access.lanes.max(1);
    let pitch = match access.space {
        Space::Source => launch.source.layout().pitch_bytes,
        Space::Destination => launch.destination.pitch_bytes,
        Space::Between(index) => place::between_pitch(launch, index).unwrap_or(0),
        // Numbers of a table are the same for all.
        Space::Table(_) | Space::Constant | Space::Tile => return 0,
    };
    let [columns, lines] = if shape.is_on(model::StageId::Coalesced) { question.local } else { [question.local[1], question.local[0]] };
    // What a work-item owns, in bytes of the picture, is as many sums of `lane_bytes` each.
    let along = columns * shape.owned().bytes * lane_bytes_of_a_channel(access.space, lane_bytes);
    greatest_common_divisor(along, pitch * lines * shape.rows_per_item())
}

/// Bytes for each channel's number: of what lies between passes it is what a lane takes.
const fn lane_bytes_of_a_channel(space: Space, lane_bytes: usize) -> usize {
    if matches!(space, Space::Between(_)) { lane_bytes } else { 1 }
}

type Requests = BTreeMap<kernels::footprint::Moment, Request>;

fn totals(
    question: &Question,
    launch: &Launch,
    requests: &Requests,
    lanes: &[(usize, Vec<Access>)],
    group: &[(WorkItem, Vec<Access>)],
) -> Totals {
    let sub_group_px = made_px(question, launch, lanes.iter().flat_map(|(_, accesses)| accesses));
    let group_px = made_px(question, launch, group.iter().flat_map(|(_, accesses)| accesses));
    let per_px = |sum: usize, pixels: f64| if pixels > 0.0 { sum as f64 / pixels } else { 0.0 };
    let of_lanes = || lanes.iter().flat_map(|(_, accesses)| accesses);
    // What a work-item has in a register is not fetched again.
    let is_fetched =
        |access: &&Access| access.kind == Kind::Load && access.space.is_global() && !access.is_repeat && bytes_of(access).is_some();
    let by_space = |accesses: &mut dyn Iterator<Item = &Access>| {
        let mut spaces = BTreeMap::<Space, Vec<Range<usize>>>::new();
        for access in accesses.filter(is_fetched) {
            spaces.entry(access.space).or_default().extend(bytes_of(access));
        }
        spaces
    };
    let sub_group_spaces = by_space(&mut of_lanes());
    let group_spaces = by_space(&mut group.iter().flat_map(|(_, accesses)| accesses));
    let once = |spaces: &BTreeMap<Space, Vec<Range<usize>>>, size: usize| {
        spaces.values().map(|ranges| segments(ranges, size).len()).sum::<usize>() * size
    };
    let fetches = || requests.values().filter(|request| request.lanes.first().is_some_and(|(_, access)| is_fetched(&access)));
    let size_totals = |size| SizeTotals {
        size_bytes: size,
        cold: per_px(fetches().map(|request| segments(&request.ranges(), size).len()).sum::<usize>() * size, sub_group_px),
        once_per_sub_group: per_px(once(&sub_group_spaces, size), sub_group_px),
        once_per_group: per_px(once(&group_spaces, size), group_px),
    };
    let cycles = |request: &Request| {
        let is_tile = request.lanes.first().is_some_and(|(_, access)| access.space == Space::Tile);
        let with_bytes = request.lanes.iter().filter_map(|(lane, access)| Some((*lane, bytes_of(access)?)));
        if is_tile { banks(&with_bytes.collect::<Vec<_>>(), question.banks).cycles } else { 0 }
    };
    Totals {
        sub_group_px,
        group_px,
        wanted_bytes_per_px: per_px(of_lanes().filter(is_fetched).map(Access::bytes).sum(), sub_group_px),
        by_size: SEGMENT_SIZES_BYTES.map(size_totals),
        floor_bytes_per_px: floor_bytes(question, launch, &sub_group_spaces, of_lanes()),
        image_reads_per_px: per_px(of_lanes().filter(|access| access.kind == Kind::ImageRead && !access.is_repeat).count(), sub_group_px),
        bank_cycles_per_px: per_px(requests.values().map(cycles).sum(), sub_group_px),
    }
}

/// Bytes of a pixel in all that is loaded from: the source's channels, and the numbers of what lies between passes.
fn floor_bytes<'a>(
    question: &Question,
    launch: &Launch,
    spaces: &BTreeMap<Space, Vec<Range<usize>>>,
    mut accesses: impl Iterator<Item = &'a Access>,
) -> f64 {
    let channels = question.shape.channels().count();
    let of_space = |space: &Space| match space {
        Space::Source => launch.source.layout().pixel_bytes,
        Space::Between(_) => {
            accesses.find(|access| access.space == *space).map_or(0, |access| access.bytes() / access.lanes.max(1) * channels)
        }
        _ => 0,
    };
    spaces.keys().map(of_space).sum::<usize>() as f64
}

/// Pixels of the picture that stores reach, or as many sums between passes.
fn made_px<'a>(question: &Question, launch: &Launch, accesses: impl Iterator<Item = &'a Access>) -> f64 {
    let (layout, channels) = (&launch.destination, question.shape.channels().count());
    let (mut bytes, mut parts) = (BTreeSet::new(), BTreeSet::new());
    for store in accesses.filter(|access| !access.kind.is_load()) {
        match (store.space, store.place) {
            (Space::Destination, Place::Bytes { first, count }) => {
                let is_inside =
                    |byte: &usize| byte % layout.pitch_bytes < layout.row_bytes() && byte / layout.pitch_bytes < layout.height_px;
                bytes.extend((first..first + count).filter(is_inside));
            }
            (Space::Between(_), Place::Bytes { first, count }) => {
                parts.extend((first..first + count).step_by((count / store.lanes.max(1)).max(1)));
            }
            // A texel is a pixel.
            (Space::Between(_), Place::Texel { x, y, .. }) => parts.extend((0..channels).map(|channel| (y << 32) + x * channels + channel)),
            _ => {}
        }
    }
    bytes.len() as f64 / layout.channels.count() as f64 + parts.len() as f64 / channels as f64
}
