//! How a filter says what a work-item does: the words that its description is written in.

use super::access::{Access, Kind, Moment, Place, Space, WorkItem};
use crate::launch::{Argument, Between, Launch, Pass, Shape, Surface};
use model::{BorderMode, ByClass, Numbers, Operation, OperationClass, StageId};

/// Pixels, sums or numbers in rows, wherever they lie: place (x, y) is known by its bytes or its texel.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    space: Space,
    grid: Grid,
    /// Width and height of what is meant by places inside.
    size_px: [usize; 2],
    /// How the kernel brings an index inside; `None` where it does not have to.
    inside: Option<fn(isize, usize) -> usize>,
    /// What is further beyond the end than so many pixels is taken from there.
    at_most_beyond_px: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
enum Grid {
    Bytes { origin: isize, pitch: isize, step: isize, lane_bytes: usize },
    Texels { origin: [isize; 2], size: [usize; 2], bytes: usize },
}

impl Plane {
    /// The same so many bytes further on: one channel of each pixel, say.
    #[must_use]
    pub fn shifted(mut self, by: isize) -> Self {
        if let Grid::Bytes { origin, .. } = &mut self.grid {
            *origin += by;
        }
        self
    }

    /// The same, but where the kernel has to bring indices inside, it does so in this way.
    #[must_use]
    pub fn with_inside(self, inside: fn(isize, usize) -> usize) -> Self {
        Self { inside: self.inside.map(|_| inside), ..self }
    }

    /// The same, but what is further beyond the right and lower end than so many pixels is taken from there.
    #[must_use]
    pub fn at_most_beyond(self, pixels: usize) -> Self {
        Self { at_most_beyond_px: Some(pixels), ..self }
    }

    fn place(&self, [x, y]: [isize; 2], lane: usize, lanes: usize) -> Place {
        let [width, height] = self.size_px;
        let at_most = |place: isize, length: usize| match self.at_most_beyond_px {
            Some(pixels) => place.min((length + pixels).cast_signed() - 1),
            None => place,
        };
        let [x, y] = [at_most(x, width), at_most(y, height)];
        let [x, y] = self.inside.map_or([x, y], |inside| [inside(x, width).cast_signed(), inside(y, height).cast_signed()]);
        match self.grid {
            Grid::Bytes { origin, pitch, step, lane_bytes } => {
                let first = origin + y * pitch + x * step + (lane * lane_bytes).cast_signed();
                Place::Bytes { first: first.cast_unsigned(), count: lanes * lane_bytes }
            }
            Grid::Texels { origin, size, bytes } => {
                // What the sampler does.
                let clamped = |place: isize, length: usize| BorderMode::Replicate.source_index(place, length);
                Place::Texel { x: clamped(origin[0] + x, size[0]), y: clamped(origin[1] + y, size[1]), bytes }
            }
        }
    }

    const fn is_image(&self) -> bool {
        matches!(self.grid, Grid::Texels { .. })
    }
}

/// How kernels bring an index inside `0..length`: by clamping or by mirroring.
#[must_use]
pub fn inside_by(border: BorderMode) -> fn(isize, usize) -> usize {
    match border {
        BorderMode::Reflect101 => |index, length| BorderMode::Reflect101.source_index(index, length),
        BorderMode::Copy | BorderMode::Replicate => |index, length| BorderMode::Replicate.source_index(index, length),
    }
}

/// The same where a mask reaches one pixel: an index is mirrored once, as what lies further out is never used.
#[must_use]
pub fn inside_by_one(border: BorderMode) -> fn(isize, usize) -> usize {
    match border {
        BorderMode::Reflect101 => |index, length| {
            let (mirrored, last) = (index.abs(), length.cast_signed() - 1);
            mirrored.min(2 * last - mirrored).max(0).cast_unsigned()
        },
        BorderMode::Copy | BorderMode::Replicate => inside_by(border),
    }
}

/// What one work-item does in one pass, written down as it is described.
pub struct Trace<'a> {
    /// The variant and the picture.
    pub shape: &'a Shape<'a>,
    /// The pass.
    pub pass: &'a Pass,
    /// The work-item.
    pub item: WorkItem,
    launch: &'a Launch,
    accesses: Vec<Access>,
    operations: usize,
    float_operations: usize,
    by_class: ByClass,
    owned_px: f64,
    /// The turn of the loops around what comes next, and the number of that in the turn.
    turn: Moment,
    number: u64,
    is_untold: bool,
}

/// How a filter describes what a work-item does.
pub type Describe = &'static (dyn Fn(&mut Trace) + Sync);

impl<'a> Trace<'a> {
    /// Nothing yet; `None` where there is no such pass.
    #[must_use]
    pub fn new(shape: &'a Shape<'a>, launch: &'a Launch, pass: usize, item: WorkItem) -> Option<Self> {
        let (pass, turn) = (launch.passes.get(pass)?, Moment::default());
        Some(Self {
            shape,
            pass,
            item,
            launch,
            accesses: Vec::new(),
            operations: 0,
            float_operations: 0,
            by_class: ByClass::default(),
            owned_px: 0.0,
            turn,
            number: 0,
            is_untold: false,
        })
    }

    /// What a filter describes of a work-item; `None` where there is no such pass, or where nobody has told what the filter's work-items do.
    #[must_use]
    pub fn described(describe: Describe, shape: &'a Shape<'a>, launch: &'a Launch, pass: usize, item: WorkItem) -> Option<Self> {
        let mut trace = Self::new(shape, launch, pass, item)?;
        describe(&mut trace);
        (!trace.is_untold).then_some(trace)
    }

    /// Nobody has told what work-items do.
    pub const fn leave_untold(&mut self) {
        self.is_untold = true;
    }

    /// What was written down.
    #[must_use]
    pub fn into_accesses(self) -> Vec<Access> {
        self.accesses
    }

    /// What was written down so far.
    #[must_use]
    pub fn accesses(&self) -> &[Access] {
        &self.accesses
    }

    /// Arithmetic operations so far, see [`model::Counts`].
    #[must_use]
    pub const fn operations(&self) -> usize {
        self.operations
    }

    /// Those of them that are done in float or half.
    #[must_use]
    pub const fn float_operations(&self) -> usize {
        self.float_operations
    }

    /// All of them by class, with what belongs to them.
    #[must_use]
    pub const fn by_class(&self) -> &ByClass {
        &self.by_class
    }

    /// Pixels, inside the picture or beyond, whose results the work-item is there for; 0 in a pass that only repairs edges.
    #[must_use]
    pub const fn owned_px(&self) -> f64 {
        self.owned_px
    }

    // Who the work-item is.

    /// What counts along a row, then what counts down the rows.
    fn along_and_down(&self, [first, second]: [usize; 2]) -> [usize; 2] {
        if self.shape.is_on(StageId::Coalesced) { [first, second] } else { [second, first] }
    }

    /// The work-item's column and row in the NDRange.
    #[must_use]
    pub fn column_and_row(&self) -> [usize; 2] {
        self.along_and_down(self.item.global())
    }

    /// The first pixel of the block of `pixels` × `rows` that the work-item owns; `None` where that is beyond the picture.
    pub fn own_block(&mut self, pixels: usize, rows: usize) -> Option<[isize; 2]> {
        self.own_block_of([self.shape.width_px, self.shape.height_px], pixels, rows)
    }

    /// The first place of its block in something of another size than the picture.
    pub fn own_block_of(&mut self, [width, height]: [usize; 2], pixels: usize, rows: usize) -> Option<[isize; 2]> {
        let [column, row] = self.column_and_row();
        let [x, y] = [column * pixels, row * rows];
        self.owned_px = (pixels * rows) as f64;
        (x < width && y < height).then_some([x.cast_signed(), y.cast_signed()])
    }

    /// The work-item is there for so many pixels.
    pub const fn owns(&mut self, pixels: usize) {
        self.owned_px = pixels as f64;
    }

    /// The work-item is there for so many bytes of the picture, which need not be whole pixels.
    pub fn owns_bytes(&mut self, bytes: usize) {
        self.owned_px = bytes as f64 / self.shape.channels().count() as f64;
    }

    /// Work-items of the group along a row and down the rows.
    #[must_use]
    pub fn group_size(&self) -> [usize; 2] {
        self.along_and_down(self.item.local_size)
    }

    /// Column and row of the group's first work-item in the NDRange.
    #[must_use]
    pub fn group_origin(&self) -> [usize; 2] {
        let ([column, row], [columns, lines]) = (self.along_and_down(self.item.group), self.group_size());
        [column * columns, row * lines]
    }

    /// Whether border mode `copy` leaves the pixel as it is: the mask reaches so far before and after it, and does not fit.
    #[must_use]
    pub fn keeps_source(&self, [x, y]: [isize; 2], before: usize, after: usize) -> bool {
        let leaves = |place: isize, length: usize| place < before.cast_signed() || place + after.cast_signed() >= length.cast_signed();
        self.shape.setting.border == BorderMode::Copy && (leaves(x, self.shape.width_px) || leaves(y, self.shape.height_px))
    }

    /// The pixel of a work-item, number `place` of line `line`, in a pass that is there for edges alone: so many columns and rows at the start, and so many at
    /// the end. Whole rows first, then what the other rows have of the columns. `None` where it has none.
    #[must_use]
    pub fn edge_place(&self, [place, line]: [usize; 2], [before, after]: [usize; 2]) -> Option<[isize; 2]> {
        let lines = before + after;
        let edge_line =
            |line: usize, length: usize| if line < before { line } else { length.saturating_sub(after).max(before) + line - before };
        let (width, height) = (self.shape.width_px, self.shape.height_px);
        let (x, y, end) = if line < lines {
            (place, edge_line(line, height), height)
        } else {
            (edge_line(line - lines, width), before + place, height.saturating_sub(after))
        };
        (line < 2 * lines && x < width && y < end).then(|| [x, y].map(usize::cast_signed))
    }

    // What it reads and writes.

    /// The source picture. Without a halo, places beyond an edge are those that the border mode has for them.
    #[must_use]
    pub fn source(&self) -> Plane {
        let shape = self.shape;
        let [first, second] = self.numbers_after(Argument::Source);
        let layout = self.launch.source.layout();
        let (grid, is_image) = match self.launch.source {
            Surface::Buffer(_) => {
                (Grid::Bytes { origin: first, pitch: second, step: shape.channels().count().cast_signed(), lane_bytes: 1 }, false)
            }
            Surface::Image(texels) => {
                let size = [texels.width, texels.height];
                // The texel of pixel (0, 0) is told only where it is not the first.
                (
                    Grid::Texels {
                        origin: [texels.origin_texel().cast_signed(), texels.origin_row().cast_signed()],
                        size,
                        bytes: texels.format.bytes(),
                    },
                    true,
                )
            }
        };
        let border = shape.setting.border;
        let meets_border = layout.halo_px == 0 && (!is_image || border == BorderMode::Reflect101);
        let inside = meets_border.then(|| inside_by(border));
        Plane { space: Space::Source, grid, size_px: [shape.width_px, shape.height_px], inside, at_most_beyond_px: None }
    }

    /// The output.
    #[must_use]
    pub fn destination(&self) -> Plane {
        let [pitch, _] = self.numbers_after(Argument::Destination);
        let step = self.launch.destination.channels.count().cast_signed();
        self.unbounded(Space::Destination, Grid::Bytes { origin: 0, pitch, step, lane_bytes: 1 })
    }

    /// The intermediate of that index, of so many bytes a lane where it is a buffer.
    #[must_use]
    pub fn between(&self, index: usize, lane_bytes: usize) -> Plane {
        let grid = if let Some(&Between::Image { width, height, format }) = self.launch.between.get(index) {
            Grid::Texels { origin: [0, 0], size: [width, height], bytes: format.bytes() }
        } else {
            let [pitch, _] = self.numbers_after(Argument::Between(index));
            Grid::Bytes { origin: 0, pitch, step: (self.shape.channels().count() * lane_bytes).cast_signed(), lane_bytes }
        };
        self.unbounded(Space::Between(index), grid)
    }

    /// The group's tile, whose first byte belongs to pixel `first` of the picture.
    #[must_use]
    pub fn tile(&self, first: [isize; 2], pitch_bytes: usize, pixel_bytes: usize, lane_bytes: usize) -> Plane {
        let (pitch, step) = (pitch_bytes.cast_signed(), pixel_bytes.cast_signed());
        self.unbounded(Space::Tile, Grid::Bytes { origin: -first[1] * pitch - first[0] * step, pitch, step, lane_bytes })
    }

    /// Numbers of so many bytes in a row, in a table or in constant memory.
    #[must_use]
    pub fn numbers(&self, space: Space, bytes: usize) -> Plane {
        self.unbounded(space, Grid::Bytes { origin: 0, pitch: 0, step: bytes.cast_signed(), lane_bytes: bytes })
    }

    fn unbounded(&self, space: Space, grid: Grid) -> Plane {
        Plane { space, grid, size_px: [self.shape.width_px, self.shape.height_px], inside: None, at_most_beyond_px: None }
    }

    /// The two numbers that the pass is given after that argument.
    fn numbers_after(&self, argument: Argument) -> [isize; 2] {
        let mut after = self.pass.arguments.iter().skip_while(|&given| *given != argument).skip(1);
        let mut next = || match after.next() {
            Some(&Argument::Int(number)) => isize::try_from(number).unwrap_or(0),
            _ => 0,
        };
        [next(), next()]
    }

    // What it does.

    /// Loads from place (x, y) on: one instruction for each of `parts`, of so many lanes, one after the other. From an image object it is one texel.
    pub fn load(&mut self, from: &Plane, place: [isize; 2], parts: &[usize]) {
        self.access(from, place, parts, true, false);
    }

    /// Loads from each of the places `columns` of row `y`, one after the other.
    pub fn load_along(&mut self, from: &Plane, columns: impl IntoIterator<Item = isize>, y: isize, parts: &[usize]) {
        for x in columns {
            self.load(from, [x, y], parts);
        }
    }

    /// Loads what the work-item has already, see [`Access::is_repeat`].
    pub fn load_again(&mut self, from: &Plane, place: [isize; 2], parts: &[usize]) {
        self.access(from, place, parts, true, true);
    }

    /// Loads as [`Trace::load`] does, or again where the place is the one that the work-item has `loaded` before.
    pub fn load_beside(&mut self, loaded: [isize; 2], from: &Plane, place: [isize; 2], parts: &[usize]) {
        self.access(from, place, parts, true, place == loaded);
    }

    /// Loads a number whose place depends on the pixels' values.
    pub fn load_somewhere(&mut self, space: Space, bytes: usize) {
        self.push(Access {
            space,
            kind: Kind::Load,
            place: Place::Somewhere { bytes },
            lanes: 1,
            is_repeat: false,
            when: Moment::default(),
        });
    }

    /// Copies a pixel byte by byte, as a loop over its channels does.
    pub fn copy_by_channels(&mut self, from: &Plane, from_place: [isize; 2], to: &Plane, to_place: [isize; 2]) {
        for channel in 0..self.shape.channels().count().cast_signed() {
            self.load(&from.shifted(channel), from_place, &[1]);
            self.store(&to.shifted(channel), to_place, &[1]);
        }
    }

    /// Whether all that the work-item does is to copy its pixel: the naive kernel, where a mask that reaches so far does not fit in border mode `copy`.
    pub fn copies_edge(&mut self, from: &Plane, to: &Plane, place: [isize; 2], reach_px: usize) -> bool {
        let copies = self.shape.variant.is_textbook() && self.keeps_source(place, reach_px, reach_px);
        if copies {
            self.branch(0, |trace| trace.copy_by_channels(from, place, to, place));
        }
        copies
    }

    /// Stores, as [`Trace::load`] loads.
    pub fn store(&mut self, to: &Plane, place: [isize; 2], parts: &[usize]) {
        self.access(to, place, parts, false, false);
    }

    fn access(&mut self, plane: &Plane, place: [isize; 2], parts: &[usize], is_load: bool, is_repeat: bool) {
        let kind = match (is_load, plane.is_image()) {
            (true, false) => Kind::Load,
            (false, false) => Kind::Store,
            (true, true) => Kind::ImageRead,
            (false, true) => Kind::ImageWrite,
        };
        let parts = if plane.is_image() { &[1] } else { parts };
        let mut lane = 0;
        for &lanes in parts {
            let place = plane.place(place, lane, lanes);
            self.push(Access { space: plane.space, kind, place, lanes, is_repeat, when: Moment::default() });
            lane += lanes;
        }
    }

    fn push(&mut self, access: Access) {
        self.accesses.push(Access { when: self.turn.inner(self.number), ..access });
        self.number += 1;
    }

    // Who does it together with it.

    /// A loop in which work-items may differ: in how many turns they take, or in what they do in one. In a turn that two of them take, they begin
    /// together.
    pub fn turns<T>(&mut self, turns: impl IntoIterator<Item = T>, mut each: impl FnMut(&mut Self, T)) {
        let (turn, number) = (self.turn, self.number);
        for (index, item) in (0..).zip(turns) {
            (self.turn, self.number) = (turn.inner(number).inner(index), 0);
            each(self, item);
        }
        (self.turn, self.number) = (turn, number + 1);
    }

    /// A branch that not all work-items take, by its number among those that begin here: behind it they are together again.
    pub fn branch<T>(&mut self, which: u64, inside: impl FnOnce(&mut Self) -> T) -> T {
        let (turn, number) = (self.turn, self.number);
        (self.turn, self.number) = (turn.inner(number).inner(u64::MAX - which), 0);
        let result = inside(self);
        (self.turn, self.number) = (turn, number);
        result
    }

    /// The type of the numbers that the filter's arithmetic is done with: integers, unless a stage makes them float or half.
    #[must_use]
    pub fn computes_in(&self) -> Numbers {
        match (self.shape.is_on(StageId::Half), self.shape.is_on(StageId::Float)) {
            (true, _) => Numbers::Half,
            (false, true) => Numbers::Float,
            (false, false) => Numbers::Integer,
        }
    }

    /// Computes so many lanes, each with these arithmetic operations, see [`model::Counts`], in the numbers that the stages ask for.
    pub fn compute(&mut self, lanes: usize, operations: &[(Operation, usize)]) {
        self.compute_in(self.computes_in(), lanes, operations);
    }

    /// Computes so in numbers of this type, whatever the stages are.
    pub fn compute_in(&mut self, numbers: Numbers, lanes: usize, operations: &[(Operation, usize)]) {
        for &(operation, count) in operations {
            self.operations += lanes * count;
            self.float_operations += if numbers == Numbers::Integer { 0 } else { lanes * count };
            self.beside(numbers, lanes, &[(operation, count)]);
        }
    }

    /// What the device has to do beside the operations that are counted.
    pub fn beside(&mut self, numbers: Numbers, lanes: usize, operations: &[(Operation, usize)]) {
        for &(operation, count) in operations {
            self.by_class.add(numbers.class(operation), (lanes * count) as f64);
        }
    }

    /// Converts so many lanes to or from the type that is computed with. A single integer is loaded and stored in the width that it is to have.
    pub fn convert(&mut self, numbers: Numbers, lanes: usize) {
        match numbers {
            Numbers::Integer if lanes == 1 => {}
            Numbers::Integer => self.beside(numbers, lanes, &[(Operation::Logic, 1)]),
            Numbers::Float | Numbers::Half => self.by_class.add(OperationClass::Conversion, lanes as f64),
        }
    }

    /// Saturates so many lanes to bytes. Floats are saturated by their conversion.
    pub fn saturate(&mut self, numbers: Numbers, lanes: usize) {
        if numbers == Numbers::Integer {
            self.beside(numbers, lanes, &[(Operation::MinMax, 2)]);
        }
        self.convert(numbers, lanes);
    }

    /// A kernel that walks down `rows` rows from `y` on and needs one more on each side: `load` a row as soon as it is needed, `store` where all three are
    /// there. `steps` of the rows are walked, whether or not there is anything to be stored for them.
    pub fn walk_rows(&mut self, y: isize, steps: usize, mut load: impl FnMut(&mut Self, isize), mut store: impl FnMut(&mut Self, isize)) {
        load(self, y - 1);
        load(self, y);
        self.turns((y..).take(steps), |trace, row| {
            load(trace, row + 1);
            if row < trace.shape.height_px.cast_signed() {
                store(trace, row);
            }
        });
    }

    /// Border mode `copy` after a block of `pixels` that was stored by `parts`: the outermost rows are stored once more, as they were loaded, and the
    /// outermost pixels of other rows are loaded and stored byte by byte.
    pub fn restore_edge(&mut self, from: &Plane, to: &Plane, [x, y]: [isize; 2], pixels: usize, parts: &[usize]) {
        let (last_x, last_y) = (self.shape.width_px.cast_signed() - 1, self.shape.height_px.cast_signed() - 1);
        if y == 0 || y == last_y {
            return self.branch(0, |trace| trace.store(to, [x, y], parts));
        }
        let block = x..x + pixels.cast_signed();
        for (which, x) in [(1, (x == 0).then_some(0)), (2, block.contains(&last_x).then_some(last_x))] {
            if let Some(x) = x {
                self.branch(which, |trace| trace.copy_by_channels(from, [x, y], to, [x, y]));
            }
        }
    }

    /// The group's work-items share `columns` × `rows` places; what this one does at each of its own.
    pub fn share(&mut self, [columns, rows]: [usize; 2], mut each: impl FnMut(&mut Self, [usize; 2])) {
        let ([column, line], [step, lines]) = (self.along_and_down(self.item.local), self.group_size());
        self.turns((line..rows).step_by(lines.max(1)), |trace, row| {
            trace.turns((column..columns).step_by(step.max(1)), |trace, column| each(trace, [column, row]));
        });
    }

    /// The group's work-items share a tile of `size` pixels, the first of which is pixel `first` of the picture, and copy it byte by byte.
    pub fn fill_by_channels(&mut self, source: &Plane, tile: &Plane, first: [isize; 2], size: [usize; 2]) {
        self.share(size, |trace, [column, row]| {
            let place = [first[0] + column.cast_signed(), first[1] + row.cast_signed()];
            trace.copy_by_channels(source, place, tile, place);
        });
    }
}
