//! Where bytes lie in rows and columns of pixels, and who touches them: what the three views are painted from.

use super::place::between_pitch;
use super::request::bytes_of;
use super::{Answer, Question};
use kernels::footprint::{Access, Place, Space};
use kernels::launch::{Launch, Surface};
use model::Channels;
use std::collections::{BTreeMap, BTreeSet};

/// Column and row of a pixel; what lies beyond the picture is before 0 or past the end.
pub type Pixel = [isize; 2];

/// Who touches a byte, a word or a pixel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touch {
    /// The work-item that was asked for.
    pub own: bool,
    /// It reaches the byte by way of the tile.
    pub by_tile: bool,
    /// All other lanes that touch it.
    pub others: BTreeSet<usize>,
}

impl Touch {
    fn add(&mut self, lane: usize, own: bool, by_tile: bool) {
        self.own |= own;
        self.by_tile |= own && by_tile;
        if !own {
            self.others.insert(lane);
        }
    }
}

/// The pixel of each byte of an access, in what it loads from or stores to; empty where that is not known. For the tile see [`Sources`].
pub fn pixels_of(launch: &Launch, channels: Channels, access: &Access) -> Vec<Pixel> {
    let (pitch, origin, pixel_bytes) = match access.space {
        Space::Source => {
            let layout = launch.source.layout();
            (layout.pitch_bytes, layout.origin_bytes, layout.pixel_bytes)
        }
        Space::Destination => (launch.destination.pitch_bytes, 0, launch.destination.channels.count()),
        Space::Between(index) => {
            let pixel_bytes = access.bytes() / access.lanes.max(1) * channels.count();
            (between_pitch(launch, index).unwrap_or(0), 0, pixel_bytes)
        }
        Space::Table(_) | Space::Constant | Space::Tile => return Vec::new(),
    };
    match access.place {
        Place::Bytes { first, count } if pitch > 0 => {
            let (row, column) = (origin / pitch, origin % pitch);
            let pixel = |byte: usize| {
                let along = ((byte % pitch).cast_signed() - column.cast_signed()).div_euclid(pixel_bytes.max(1).cast_signed());
                [along, (byte / pitch).cast_signed() - row.cast_signed()]
            };
            (first..first + count).map(pixel).collect()
        }
        Place::Texel { x, y, bytes } => {
            let (Surface::Image(texels), Space::Source) = (&launch.source, access.space) else {
                // Between passes a texel is a pixel.
                return vec![[x.cast_signed(), y.cast_signed()]; bytes];
            };
            let per_texel = (bytes / pixel_bytes.max(1)).max(1);
            let first = (x.cast_signed() - texels.origin_texel().cast_signed()) * per_texel.cast_signed();
            let row = y.cast_signed() - texels.origin_row().cast_signed();
            (0..bytes).map(|byte| [first + (byte / pixel_bytes.max(1)).cast_signed(), row]).collect()
        }
        _ => Vec::new(),
    }
}

/// Which pixel each byte of the tile was filled from.
#[derive(Clone, Debug, Default)]
pub struct Sources(BTreeMap<usize, (Space, Pixel)>);

impl Sources {
    /// Follows the loads and stores of the group that fill its tile: what is stored was loaded just before.
    pub fn of(answer: &Answer, channels: Channels) -> Self {
        let mut sources = BTreeMap::new();
        for (_, accesses) in &answer.group {
            for (load, store) in accesses.iter().zip(accesses.iter().skip(1)) {
                let fills = load.kind.is_load() && !store.kind.is_load() && store.space == Space::Tile;
                let bytes = bytes_of(store).filter(|_| fills).into_iter().flatten();
                for (byte, pixel) in bytes.zip(pixels_of(&answer.launch, channels, load)) {
                    sources.insert(byte, (load.space, pixel));
                }
            }
        }
        Self(sources)
    }

    /// Bytes of the tile that were filled.
    pub fn filled(&self) -> impl Iterator<Item = usize> {
        self.0.keys().copied()
    }

    /// The pixels of an access, by way of the tile where it loads from that, with what they are pixels of.
    pub fn pixels(&self, launch: &Launch, channels: Channels, access: &Access) -> Vec<(Space, Pixel)> {
        if access.space == Space::Tile {
            let bytes = bytes_of(access).into_iter().flatten();
            return bytes.filter_map(|byte| self.0.get(&byte).copied()).collect();
        }
        pixels_of(launch, channels, access).into_iter().map(|pixel| (access.space, pixel)).collect()
    }
}

/// What the views show of an answer.
pub struct Touched {
    /// What the cells of the photo are pixels of: the source, or what lies between passes.
    pub plane: Space,
    /// Pixels of the plane that are loaded.
    pub loaded: BTreeMap<Pixel, Touch>,
    /// Pixels that are stored, where the output is the picture.
    pub stored: BTreeMap<Pixel, Touch>,
    /// Pixels that the sub-group makes, and those that the group does.
    pub made: [BTreeSet<Pixel>; 2],
    /// Bytes of global buffers, by what is loaded from or stored to.
    pub bytes: BTreeMap<Space, BTreeMap<usize, Touch>>,
    /// Words of the tile that are loaded.
    pub words: BTreeMap<usize, Touch>,
    /// Words of the tile that are stored.
    pub put: BTreeMap<usize, Touch>,
}

impl Touched {
    /// By the steps of these numbers.
    pub fn by(question: &Question, answer: &Answer, sources: &Sources, steps: std::ops::Range<usize>) -> Self {
        let channels = question.shape.channels();
        let all = answer.steps.iter().flat_map(|step| sources.pixels(&answer.launch, channels, &step.own));
        let mut planes = all.map(|(space, _)| space).filter(|space| *space != Space::Destination);
        let first = planes.next();
        // A pass that loads from the source is shown on it, whatever it stores.
        let plane = if first == Some(Space::Source) || planes.any(|space| space == Space::Source) { Some(Space::Source) } else { first };
        let plane = plane.unwrap_or(Space::Source);
        let mut touched = Self {
            plane,
            loaded: BTreeMap::new(),
            stored: BTreeMap::new(),
            made: [BTreeSet::new(), BTreeSet::new()],
            bytes: BTreeMap::new(),
            words: BTreeMap::new(),
            put: BTreeMap::new(),
        };
        for step in answer.steps.get(steps).unwrap_or_default() {
            for (lane, access) in &step.lanes {
                touched.add(answer, sources, channels, *lane, access);
            }
        }
        if plane == Space::Source {
            touched.made = [Some(answer.sub_group), None].map(|of| made(question, answer, of));
        }
        touched
    }

    fn add(&mut self, answer: &Answer, sources: &Sources, channels: Channels, lane: usize, access: &Access) {
        let (own, by_tile) = (lane == answer.lane, access.space == Space::Tile);
        let is_load = access.kind.is_load();
        let pixels: BTreeSet<_> = sources.pixels(&answer.launch, channels, access).into_iter().collect();
        for (space, pixel) in pixels {
            if is_load && space == self.plane {
                self.loaded.entry(pixel).or_default().add(lane, own, by_tile);
            } else if !is_load && space == Space::Destination {
                self.stored.entry(pixel).or_default().add(lane, own, false);
            }
        }
        let Some(bytes) = bytes_of(access) else { return };
        if access.space == Space::Tile {
            let words: BTreeSet<_> = bytes.map(|byte| byte / super::memory::BANK_BYTES).collect();
            let touches = if is_load { &mut self.words } else { &mut self.put };
            for word in words {
                touches.entry(word).or_default().add(lane, own, true);
            }
        } else if access.space.is_global() {
            let touches = self.bytes.entry(access.space).or_default();
            for byte in bytes {
                touches.entry(byte).or_default().add(lane, own, false);
            }
        }
    }
}

/// Pixels inside the picture that the group's work-items make; of one sub-group, or of all.
fn made(question: &Question, answer: &Answer, sub_group: Option<usize>) -> BTreeSet<Pixel> {
    let shape = &question.shape;
    let is_inside = |[x, y]: &Pixel| (0..shape.width_px.cast_signed()).contains(x) && (0..shape.height_px.cast_signed()).contains(y);
    let of = |item: &kernels::footprint::WorkItem| super::index_in_group(item.local, item.local_size) / question.sub_group.max(1);
    let items = answer.group.iter().filter(|(item, _)| sub_group.is_none_or(|wanted| of(item) == wanted));
    let stores = items.flat_map(|(_, accesses)| accesses).filter(|access| access.space == Space::Destination);
    stores.flat_map(|store| pixels_of(&answer.launch, shape.channels(), store)).filter(is_inside).collect()
}

/// What the work-group makes of the picture: left, top, right, bottom, the last two not included. `None` where it makes none of its pixels.
#[must_use]
pub fn group_bounds(question: &Question, answer: &Answer) -> Option<[usize; 4]> {
    let made = made(question, answer, None);
    (!made.is_empty()).then(|| super::photo::bounds(made.into_iter()).map(isize::unsigned_abs))
}
