//! What the host prepares, passes and launches for a variant, as plain data: surfaces, passes, arguments, NDRanges, local memory.
//!
//! A filter's [`crate::filters::Filter::launch`] describes it for a [`Shape`]; the engine carries it out without knowing the filter.

#[cfg(test)]
mod padding_tests;

use model::{Channels, Ownership, Parameters, Setting, StageId, TexelFormat, Variant, values};
use pictures::Layout;

/// What is asked for: a variant over a picture of this size.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// Stages.
    pub variant: &'a Variant,
    /// Channels and border mode.
    pub setting: Setting,
    /// The filter's parameters, complete (see [`crate::filters::Filter::complete`]).
    pub parameters: &'a Parameters,
    /// Width of the picture.
    pub width_px: usize,
    /// Height of the picture.
    pub height_px: usize,
}

impl Shape<'_> {
    /// Whether the stage is on.
    #[must_use]
    pub fn is_on(&self, id: StageId) -> bool {
        self.variant.is_on(id)
    }

    /// The stage's value, as kernel files see it.
    #[must_use]
    pub fn value(&self, id: StageId) -> usize {
        usize::from(self.variant.value(id))
    }

    /// Whether the stage has this value, one of [`model::values`].
    #[must_use]
    pub fn has_value(&self, id: StageId, value: u8) -> bool {
        self.variant.value(id) == value
    }

    /// What one work-item computes.
    #[must_use]
    pub fn owned(&self) -> Ownership {
        self.variant.owned(self.channels())
    }

    /// Whole pixels that one work-item computes along a row.
    #[must_use]
    pub fn pixels_per_item(&self) -> usize {
        self.owned().bytes / self.channels().count()
    }

    /// Rows that one work-item computes.
    #[must_use]
    pub fn rows_per_item(&self) -> usize {
        self.owned().rows
    }

    /// The pitch of a work-group's tile whose rows have so many bytes.
    #[must_use]
    pub fn tile_pitch(&self, row_bytes: usize) -> usize {
        if self.is_skewed() { skewed_pitch(row_bytes) } else { row_bytes }
    }

    /// Whether the rows of a tile are lengthened.
    #[must_use]
    pub fn is_skewed(&self) -> bool {
        self.has_value(StageId::Local, values::LOCAL_SKEW)
    }

    /// Gray or RGB.
    #[must_use]
    pub fn channels(&self) -> Channels {
        self.setting.channels
    }

    /// The parameter of that name; 0 where the filter has none such, which [`crate::filters::Filter::complete`] rules out.
    #[must_use]
    pub fn parameter(&self, name: &str) -> f64 {
        self.parameters.0.get(name).copied().unwrap_or(0.0)
    }

    /// A whole-numbered parameter.
    #[must_use]
    pub fn int(&self, name: &str) -> i32 {
        self.parameter(name).round() as i32
    }

    /// A parameter as kernels take it.
    #[must_use]
    pub fn float(&self, name: &str) -> f32 {
        self.parameter(name) as f32
    }

    /// The NDRange for work-items that each own so much of the picture: dimension 0 counts blocks along a row where the mapping is coalesced, and
    /// blocks of rows where it is not.
    #[must_use]
    pub fn global(&self, owned: Ownership) -> [usize; 2] {
        let [across, down] = owned.items(self.width_px * self.channels().count(), self.height_px);
        if self.is_on(StageId::Coalesced) { [across, down] } else { [down, across] }
    }

    /// The picture's rows one after the other, without a gap.
    #[must_use]
    pub fn tight(&self) -> Layout {
        Layout::tight(self.width_px, self.height_px, self.channels())
    }
}

/// The bytes of a table.
#[derive(Clone, Copy)]
pub struct Table {
    /// Which of a filter's tables.
    pub name: &'static str,
    /// Computes them.
    pub of: &'static (dyn Fn(&Shape) -> Vec<u8> + Sync),
}

impl Table {
    /// The bytes for a shape.
    #[must_use]
    pub fn bytes(&self, shape: &Shape) -> Vec<u8> {
        (self.of)(shape)
    }
}

impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl std::fmt::Debug for Table {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Table({})", self.name)
    }
}

/// How a filter says what is prepared and launched for a variant.
pub type LaunchOf = &'static (dyn Fn(&Shape) -> Launch + Sync);

/// Everything that is prepared and launched for one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// How the source picture lies on the device.
    pub source: Surface,
    /// How the output lies in its buffer: pixel (0, 0) at byte 0. Its channels are those of the output.
    pub destination: Layout,
    /// What passes hand to each other.
    pub between: Vec<Between>,
    /// What computes the constant data of the filter (masks, lookup tables), uploaded before the first run and in no timing. Not the data itself:
    /// a launch is described far more often than run.
    pub tables: Vec<Table>,
    /// The kernels, one after the other.
    pub passes: Vec<Pass>,
}

impl Launch {
    /// One pass of kernel `kernel` from buffer to buffer.
    #[must_use]
    pub fn single(source: Layout, destination: Layout, pass: Pass) -> Self {
        Self { source: Surface::Buffer(source), destination, between: Vec::new(), tables: Vec::new(), passes: vec![pass] }
    }

    /// Bytes of local memory that a work-group of `local` work-items needs: those of the neediest pass.
    #[must_use]
    pub fn local_bytes(&self, local: [usize; 2]) -> usize {
        self.passes.iter().map(|pass| pass.local_bytes(local)).max().unwrap_or(0)
    }

    /// Bytes of all device memory that one run needs.
    #[must_use]
    pub fn total_bytes(&self) -> usize {
        let between: usize = self.between.iter().map(Between::total_bytes).sum();
        self.source.layout().total_bytes + self.destination.total_bytes + between
    }
}

/// How the source picture lies on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// In a buffer object.
    Buffer(Layout),
    /// In an image object.
    Image(Texels),
}

impl Surface {
    /// Where the picture's bytes lie.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        match self {
            Self::Buffer(layout) | Self::Image(Texels { layout, .. }) => layout,
        }
    }
}

/// A picture in an image object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texels {
    /// Width of the image object in texels.
    pub width: usize,
    /// Height of the image object in texels.
    pub height: usize,
    /// What a texel holds.
    pub format: TexelFormat,
    /// Where the picture's bytes lie in the rows of texels, which follow each other without a gap.
    pub layout: Layout,
}

impl Texels {
    /// One pixel a texel: gray in one channel, RGB in four with an alpha of 0. Unsigned integers, or normalized where the sampler interpolates.
    #[must_use]
    pub fn one_pixel(shape: &Shape) -> Self {
        let layout = Layout::texels(shape.width_px, shape.height_px, shape.channels());
        let format = match (shape.channels(), shape.has_value(StageId::Image, values::IMAGE_LINEAR)) {
            (Channels::Gray, false) => TexelFormat::R8,
            (Channels::Rgb, false) => TexelFormat::RGBA8,
            (Channels::Gray, true) => TexelFormat::R8_UNORM,
            (Channels::Rgb, true) => TexelFormat::RGBA8_UNORM,
        };
        Self { width: shape.width_px, height: shape.height_px, format, layout }
    }

    /// Four gray pixels a texel, with a halo of `halo_px` pixels that the host fills: a sampler repeats texels, not pixels. At least
    /// `slack_px` pixels follow each row, and `surplus_rows` rows the lower halo.
    #[must_use]
    pub fn four_pixels(shape: &Shape, halo_px: usize, slack_px: usize, surplus_rows: usize) -> Self {
        let layout = Layout::texels_of_four(shape.width_px, shape.height_px, halo_px, slack_px, surplus_rows);
        let (width, height) = (layout.pitch_bytes / 4, layout.total_bytes / layout.pitch_bytes.max(1));
        Self { width, height, format: TexelFormat::RGBA8, layout }
    }

    /// The texel column of pixel (0, 0).
    #[must_use]
    pub fn origin_texel(&self) -> usize {
        self.layout.origin_bytes % self.layout.pitch_bytes.max(1) / self.format.bytes()
    }

    /// The texel row of pixel (0, 0).
    #[must_use]
    pub fn origin_row(&self) -> usize {
        self.layout.origin_bytes / self.layout.pitch_bytes.max(1)
    }
}

/// What one pass writes and the next reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// A buffer object.
    Buffer {
        /// Its size.
        bytes: usize,
    },
    /// An image object.
    Image {
        /// Width in texels.
        width: usize,
        /// Height in texels.
        height: usize,
        /// What a texel holds.
        format: TexelFormat,
    },
}

impl Between {
    /// Its size in bytes.
    #[must_use]
    pub fn total_bytes(&self) -> usize {
        match *self {
            Self::Buffer { bytes } => bytes,
            Self::Image { width, height, format } => width * height * format.bytes(),
        }
    }
}

/// One kernel of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Pass {
    /// Name of the `__kernel` function.
    pub kernel: &'static str,
    /// Work-items per dimension, before rounding up to the local size.
    pub global: [usize; 2],
    /// Its arguments, in order.
    pub arguments: Vec<Argument>,
}

impl Pass {
    /// Bytes of its `__local` arguments for a work-group of `local` work-items.
    #[must_use]
    pub fn local_bytes(&self, local: [usize; 2]) -> usize {
        self.arguments.iter().map(|argument| if let Argument::Tile(tile) = argument { tile.bytes(local) } else { 0 }).sum()
    }
}

/// One argument of a pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Argument {
    /// The source picture, buffer or image object.
    Source,
    /// The intermediate of that index.
    Between(usize),
    /// The output's buffer.
    Destination,
    /// The table of that index, a `__constant` or `__global` pointer.
    Table(usize),
    /// An `int`.
    Int(i32),
    /// A `float`.
    Float(f32),
    /// Local memory.
    Tile(Tile),
}

impl Argument {
    /// A size as an `int`. One that is too large for it becomes the largest: the engine refuses pictures of that size.
    #[must_use]
    pub fn size(value: usize) -> Self {
        Self::Int(i32::try_from(value).unwrap_or(i32::MAX))
    }
}

/// A work-group's tile in local memory: what its work-items own, and what more it holds in each direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Bytes of a tile's row for each work-item along a row.
    pub item_bytes: usize,
    /// More bytes in each of the tile's rows: halo, spare lanes of wide loads.
    pub extra_bytes: usize,
    /// Rows of the tile for each work-item across rows.
    pub item_rows: usize,
    /// More rows: the halo.
    pub extra_rows: usize,
    /// Whether dimension 0 walks along a row.
    pub coalesced: bool,
    /// Whether rows are lengthened, see [`skewed_pitch`].
    pub is_skewed: bool,
}

/// The pitch of a skewed tile whose rows have so many bytes: an odd number of 4-byte words. A bank is as wide as a word, and their number is a power of two.
/// So 32 rows that are an odd number of words apart begin in 32 banks; rows that are one *byte* further apart, four by four in the same one.
#[must_use]
pub const fn skewed_pitch(row_bytes: usize) -> usize {
    (row_bytes.div_ceil(4) | 1).saturating_mul(4)
}

impl Tile {
    /// Bytes for a work-group of `local` work-items.
    #[must_use]
    pub fn bytes(&self, local: [usize; 2]) -> usize {
        let [first, second] = local;
        let (across, down) = if self.coalesced { (first, second) } else { (second, first) };
        let row_bytes = across.saturating_mul(self.item_bytes).saturating_add(self.extra_bytes);
        let pitch = if self.is_skewed { skewed_pitch(row_bytes) } else { row_bytes };
        pitch.saturating_mul(down.saturating_mul(self.item_rows).saturating_add(self.extra_rows))
    }
}

#[cfg(test)]
mod tests {
    use super::{Ownership, Shape, Texels, Tile};
    use model::{BorderMode, Channels, Parameters, Setting, TexelFormat, Variant};
    use pictures::Layout;

    #[test]
    fn dimension_0_counts_rows_unless_coalesced() {
        for (name, blocks, words) in [("naive", [9, 14], [18, 26]), ("coalesced", [14, 9], [26, 18])] {
            let variant = Variant::parse(name).expect("known");
            let setting = Setting::new(Channels::Rgb, BorderMode::Copy);
            let shape = Shape { variant: &variant, setting, parameters: &Parameters::default(), width_px: 67, height_px: 35 };
            // 67 pixels are 14 blocks of 5, 35 rows are 9 blocks of 4.
            assert_eq!(shape.global(Ownership { rows: 4, ..Ownership::pixels(5, Channels::Rgb) }), blocks);
            // Their 201 bytes are 26 times two 32-bit words, the last of which runs 7 bytes past the row.
            let two_words = Ownership { bytes: 8, rows: 2 };
            assert_eq!(shape.global(two_words), words);
            let layout = Layout::padded(67, 35, Channels::Rgb, 0, two_words.surplus_bytes(Channels::Rgb), 0);
            assert!(layout.pitch_bytes >= 201 + 7, "{layout:?}");
        }
    }

    #[test]
    fn a_tile_follows_the_mapping() {
        // 16 work-items of 3 bytes along a row and a pixel on each side, 4 rows and one above and below.
        let tile = Tile { item_bytes: 3, extra_bytes: 6, item_rows: 1, extra_rows: 2, coalesced: true, is_skewed: false };
        assert_eq!(tile.bytes([16, 4]), 54 * 6);
        assert_eq!(Tile { coalesced: false, ..tile }.bytes([16, 4]), 18 * 18);
        assert_eq!(tile.bytes([usize::MAX, 2]), usize::MAX);
        // 54 bytes are 14 words: 15 of them. Seven words stay.
        assert_eq!((Tile { is_skewed: true, ..tile }.bytes([16, 4]), super::skewed_pitch(28)), (60 * 6, 28));
        assert_eq!(Tile { is_skewed: true, ..tile }.bytes([usize::MAX, 2]), usize::MAX);
    }

    #[test]
    fn texels_of_four_know_where_the_picture_begins() {
        let variant = Variant::naive();
        let setting = Setting::new(Channels::Gray, BorderMode::Replicate);
        let shape = Shape { variant: &variant, setting, parameters: &Parameters::default(), width_px: 10, height_px: 3 };
        // A halo of 5 pixels takes two texels; 8 + 10 + 5 pixels take 6 texels.
        let texels = Texels::four_pixels(&shape, 5, 0, 1);
        assert_eq!((texels.origin_texel(), texels.origin_row(), texels.width, texels.height), (2, 5, 6, 5 + 3 + 5 + 1));
        let single = Texels::one_pixel(&shape);
        assert_eq!((single.origin_texel(), single.origin_row(), single.width, single.height), (0, 0, 10, 3));
        assert_eq!(single.format, TexelFormat::R8);
        let linear = Variant::parse("coalesced+image=linear").expect("known");
        assert_eq!(Texels::one_pixel(&Shape { variant: &linear, ..shape }), Texels { format: TexelFormat::R8_UNORM, ..single });
    }
}
