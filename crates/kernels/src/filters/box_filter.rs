//! Box filter: the average of a block of 2·radius × 2·radius pixels, rounded half up, each channel on its own.

mod accesses;

use super::reasons::{KNOWN_TRIP_COUNT, TEXTURE_CACHE, TILE_HANDLES_BORDER, WORDS_FROM_MEMORY};
use super::{Filter, Grid, Offer, Parameter, Parameters, Reference, exact, words};
use crate::filters::Rule;
use crate::image::Layout;
use crate::model::{BorderMode, Channels, Reach, StageId, TexelFormat, Variant, values};
use crate::schedule::{Argument, Between, Launch, Pass, Shape, Surface, Texels, Tile};
use kernel_ladder_cpu::filters::box_filter as cpu;
use kernel_ladder_cpu::reference::box_filter as reference;

/// The name of the slider, and where it starts.
const RADIUS: &str = "radius";
const DEFAULT_RADIUS: usize = 4;

/// Lanes of the vectors that a vectorized work-item loads.
const LANES: usize = 16;

/// Rows of 16-bit sums that are read as vectors begin at a multiple of 128 bytes, as padded rows do.
const PITCH_LANES: usize = 64;

/// The filter's row.
pub static FILTER: Filter = Filter {
    id: crate::model::FilterId::Box,
    kernel_file: "box/box.cl",
    files: &[],
    ladders: &[],
    stages: &[
        Offer::all(StageId::Coalesced),
        Offer::all(StageId::Padded),
        Offer::only(StageId::Vectorize, &[5, 16]),
        Offer::all(StageId::Local),
        Offer::only(StageId::Rows, &[4, 8]).because("columns"),
        Offer::only(StageId::Image, &[1]),
        Offer::all(StageId::ImageBetween),
        Offer::all(StageId::Separable),
        Offer::all(StageId::Running),
        Offer::all(StageId::TwoSteps),
        Offer::all(StageId::Specialized),
        Offer::all(StageId::Unroll),
        Offer::only(StageId::Access, &[values::ACCESS_INT4]).because("columns"),
        Offer::only(StageId::Lanes, &[values::LANES_INT]).because("columns"),
    ],
    rules: RULES,
    channels: &Channels::ALL,
    output_channels: None,
    borders: &BorderMode::ALL,
    parameters: &[Parameter {
        name: RADIUS,
        min: 1.0,
        max: cpu::MAX_RADIUS as f64,
        default: DEFAULT_RADIUS as f64,
        step: 1.0,
        is_whole: true,
    }],
    default_border: BorderMode::Replicate,
    reach: &|parameters| {
        let radius = radius_of(parameters);
        Reach { before: radius - 1, after: radius }
    },
    // All pixels of the block are 255.
    sum_range: &|parameters| 0..=(2 * radius_of(parameters).cast_signed() as i32).pow(2) * 255,
    tolerance: &exact,
    defines: &defines,
    inlines: |_| false,
    launch: &launch,
    accesses: &accesses::accesses,
    reference: Reference::Rows(|picture, border, parameters, rows| reference::rows(picture.pixels(), border, radius_of(parameters), rows)),
    drawing: |parameters| vec![Grid::between("block", [radius_of(parameters) - 1, radius_of(parameters)], |_| Some(1.0))],
    conditional: None,
    cpu: Some(|job, parameters| cpu::run(job, radius_of(parameters))),
};

const DIRECT_SUM: &str = "tile-is-for-direct-sum";
const COLUMN_SUMS: &str = "words-keep-column-sums";

const RULES: &[(StageId, Rule)] = &[
    (StageId::Coalesced, Rule::nothing_to_do(|variant, _| variant.is_on(StageId::Running), "walk-has-one-dimension")),
    (StageId::Vectorize, Rule::not_built_without(StageId::Specialized, "vectors-need-known-area")),
    (StageId::Local, Rule::not_built_with(StageId::Padded, TILE_HANDLES_BORDER)),
    (StageId::Local, Rule::not_built_with(StageId::Image, TEXTURE_CACHE)),
    (StageId::Local, Rule::not_built_with(StageId::Separable, DIRECT_SUM)),
    (StageId::Local, Rule::not_built_with(StageId::TwoSteps, DIRECT_SUM)),
    (StageId::ImageBetween, Rule::not_built_without(StageId::Image, "gaussian-compares-sources")),
    (StageId::Rows, Rule::not_built_without(StageId::Access, "rows-share-column-sums")),
    (StageId::Access, Rule::not_built_without(StageId::Specialized, "words-beside-need-radius")),
    (StageId::Access, Rule::not_built_with(StageId::Local, WORDS_FROM_MEMORY)),
    (StageId::Access, Rule::not_built_with(StageId::Separable, COLUMN_SUMS)),
    (StageId::Access, Rule::not_built_with(StageId::TwoSteps, COLUMN_SUMS)),
    (StageId::Access, Rule::not_built_with(StageId::Unroll, "words-are-always-unrolled")),
    (StageId::Unroll, Rule::needs(StageId::Specialized, KNOWN_TRIP_COUNT)),
    (StageId::Unroll, Rule::not_built_with(StageId::Separable, "only-direct-sum-nests-loops")),
    (StageId::Unroll, Rule::not_built_with(StageId::TwoSteps, "short-loops-unroll-themselves")),
    (StageId::Unroll, Rule::not_built_with(StageId::Local, "unrolling-is-for-global-reads")),
];

/// The parameter, or its default where `parameters` are not complete.
pub(crate) fn radius_of(parameters: &Parameters) -> usize {
    parameters.0.get(RADIUS).map_or(DEFAULT_RADIUS, |radius| radius.round().max(1.0) as usize)
}

fn defines(variant: &Variant, parameters: &Parameters) -> Vec<(&'static str, i64)> {
    if variant.is_on(StageId::Specialized) { vec![("RADIUS", radius_of(parameters).cast_signed() as i64)] } else { Vec::new() }
}

/// How a variant's passes lie over the picture.
struct Plan<'a> {
    shape: &'a Shape<'a>,
    radius: usize,
    source: Surface,
    destination: Layout,
}

fn launch(shape: &Shape) -> Launch {
    let (radius, pixels, channels) = (radius_of(shape.parameters), shape.pixels_per_item(), shape.channels());
    let source = if shape.is_on(StageId::Image) {
        Surface::Image(Texels::one_pixel(shape))
    } else if words::are_words(shape) {
        Surface::Buffer(words::padded(shape, radius, 0))
    } else if shape.is_on(StageId::Padded) {
        // A block's last load begins at its last neighbor and is one vector long; a row's last block begins at or before its last pixel.
        let slack_bytes = if pixels > 1 { radius * channels.count() + LANES } else { 0 };
        Surface::Buffer(Layout::padded(shape.width_px, shape.height_px, channels, radius, slack_bytes, 0))
    } else {
        Surface::Buffer(shape.tight())
    };
    let destination = if pixels > 1 { shape.whole_blocks(shape.owned(), channels) } else { shape.tight() };
    let plan = Plan { shape, radius, source, destination };
    let is_split = shape.is_on(StageId::Separable) || shape.is_on(StageId::TwoSteps);
    let (between, mut passes) = if is_split { plan.split() } else { (Vec::new(), vec![plan.direct()]) };
    if shape.setting.border == BorderMode::Copy && (is_split || pixels > 1) {
        passes.push(plan.keep_edges());
    }
    Launch { source, destination, between, tables: Vec::new(), passes }
}

impl Plan<'_> {
    fn source_arguments(&self) -> Vec<Argument> {
        match self.source {
            Surface::Buffer(layout) => vec![Argument::Source, Argument::size(layout.origin_bytes), Argument::size(layout.pitch_bytes)],
            Surface::Image(_) => vec![Argument::Source],
        }
    }

    fn pass(&self, kernel: &'static str, global: [usize; 2], arguments: [Vec<Argument>; 2]) -> Pass {
        let radius = (!self.shape.is_on(StageId::Specialized)).then_some(self.radius);
        let sizes = radius.into_iter().chain([self.shape.width_px, self.shape.height_px]).map(Argument::size);
        Pass { kernel, global, arguments: arguments.into_iter().flatten().chain(sizes).collect() }
    }

    fn destination_arguments(&self) -> Vec<Argument> {
        vec![Argument::Destination, Argument::size(self.destination.pitch_bytes)]
    }

    /// The whole sum in one kernel.
    fn direct(&self) -> Pass {
        let shape = self.shape;
        let global = shape.global(shape.owned());
        let mut pass = self.pass("box", global, [self.source_arguments(), self.destination_arguments()]);
        if shape.is_on(StageId::Local) {
            let (channels, around) = (shape.channels().count(), 2 * self.radius - 1);
            pass.arguments.push(Argument::Tile(Tile {
                item_bytes: channels,
                extra_bytes: around * channels,
                item_rows: 1,
                extra_rows: around,
                coalesced: shape.is_on(StageId::Coalesced),
                is_skewed: shape.is_skewed(),
            }));
        }
        pass
    }

    /// A first pass that leaves 16-bit sums, and a second that sums these.
    fn split(&self) -> (Vec<Between>, Vec<Pass>) {
        let Shape { width_px, height_px, .. } = *self.shape;
        let (side, channels, pixels) = (2 * self.radius, self.shape.channels(), self.shape.pixels_per_item());
        // What lies beyond the edges is summed as well: the kernel file's head comment says how many sums that makes.
        let (across, down) = if self.shape.is_on(StageId::TwoSteps) {
            (width_px + side - 2, height_px + side - 2)
        } else {
            (width_px, height_px + side - 1)
        };
        let (between, between_arguments) = if self.shape.is_on(StageId::ImageBetween) {
            let format = if channels == Channels::Gray { TexelFormat::R16 } else { TexelFormat::Rgba16 };
            (Between::Image { width: across, height: down, format }, vec![Argument::Between(0)])
        } else {
            // The last vector begins at most `side - 2` pixels behind the row's last pixel.
            let lanes = if pixels > 1 {
                ((width_px + side - 2) * channels.count() + LANES).next_multiple_of(PITCH_LANES)
            } else {
                across * channels.count()
            };
            let pitch_bytes = lanes * size_of::<u16>();
            (Between::Buffer { bytes: pitch_bytes * down }, vec![Argument::Between(0), Argument::size(pitch_bytes)])
        };
        let [first, second] = if self.shape.is_on(StageId::Running) {
            [[down, 1], [width_px, 1]]
        } else {
            let sums = Shape { width_px: across, height_px: down, ..*self.shape };
            [sums.global(self.shape.owned()), self.shape.global(self.shape.owned())]
        };
        let passes = vec![
            self.pass("first_pass", first, [self.source_arguments(), between_arguments.clone()]),
            self.pass("second_pass", second, [between_arguments, self.destination_arguments()]),
        ];
        (vec![between], passes)
    }

    /// Puts the source where the block does not fit.
    fn keep_edges(&self) -> Pass {
        let global = [self.shape.width_px.max(self.shape.height_px), 2 * (2 * self.radius - 1)];
        self.pass("keep_edges", global, [self.source_arguments(), self.destination_arguments()])
    }
}

#[cfg(test)]
mod tests {
    use super::{FILTER, Parameters, RADIUS, launch};
    use crate::image::Picture;
    use crate::model::{BorderMode, Channels, Setting, Variant};
    use crate::schedule::Shape;

    fn radius(value: usize) -> Parameters {
        Parameters([(RADIUS.to_owned(), value as f64)].into())
    }

    fn gray(width: usize, height: usize, bytes: &[u8]) -> Picture {
        Picture::new(width, height, Channels::Gray, bytes.to_vec()).expect("a picture")
    }

    fn filtered(picture: &Picture, border: BorderMode, parameters: &Parameters) -> Vec<u8> {
        FILTER.reference(picture, border, parameters).expect("a plain reference").bytes().to_vec()
    }

    #[test]
    fn two_by_two_by_hand() {
        let picture = gray(3, 3, &[10, 20, 30, 40, 50, 60, 70, 80, 91]);
        // A block is the pixel, the one to the right, and both below: (10 + 20 + 40 + 50 + 2) / 4 = 30, (50 + 60 + 80 + 91 + 2) / 4 = 70.
        // Right column, replicate: (30 + 30 + 60 + 60 + 2) / 4 = 45, (60 + 60 + 91 + 91 + 2) / 4 = 76; bottom right 91.
        let replicate = filtered(&picture, BorderMode::Replicate, &radius(1));
        assert_eq!(replicate, [30, 40, 45, 60, 70, 76, 75, 86, 91]);
        // Reflect101 takes column 1 for column 3: right column (30 + 20 + 60 + 50 + 2) / 4 = 40.
        assert_eq!(filtered(&picture, BorderMode::Reflect101, &radius(1))[2], 40);
        // Copy: the block fits where there is a pixel to the right and below.
        assert_eq!(filtered(&picture, BorderMode::Copy, &radius(1)), [30, 40, 30, 60, 70, 60, 70, 80, 91]);
    }

    #[test]
    fn a_point_spreads_over_the_blocks_that_reach_it() {
        let point = Picture::from_fn(20, 20, Channels::Gray, |x, y, _| if (x, y) == (10, 10) { 255 } else { 0 });
        let bytes = filtered(&point, BorderMode::Replicate, &Parameters::default());
        // (255 + 32) >> 6 = 4, for pixels 10 - 4 = 6 to 10 + 3 = 13.
        for (index, byte) in bytes.into_iter().enumerate() {
            let is_reached = (6..=13).contains(&(index % 20)) && (6..=13).contains(&(index / 20));
            assert_eq!(byte, if is_reached { 4 } else { 0 }, "pixel {index}");
        }
    }

    #[test]
    fn the_reference_is_the_definition() {
        let picture = Picture::from_fn(9, 7, Channels::Rgb, |x, y, channel| (x * 37 + y * 91 + channel * 53 + x * y * 7) as u8);
        for border in [BorderMode::Replicate, BorderMode::Reflect101] {
            for reach in [1, 2, 3, 5, 16] {
                let bytes = filtered(&picture, border, &radius(reach));
                let at = |x: isize, y: isize, channel: usize| {
                    let pixel = picture.pixel(border.source_index(x, 9), border.source_index(y, 7)).expect("inside");
                    usize::from(pixel[channel])
                };
                for (index, byte) in bytes.into_iter().enumerate() {
                    let (x, y, channel) = ((index / 3 % 9).cast_signed(), (index / 27).cast_signed(), index % 3);
                    let offsets = || 1 - reach.cast_signed()..=reach.cast_signed();
                    let sum: usize = offsets().flat_map(|dy| offsets().map(move |dx| at(x + dx, y + dy, channel))).sum();
                    assert_eq!(usize::from(byte), (sum + 2 * reach * reach) / (4 * reach * reach), "{border:?} {reach} {index}");
                }
            }
        }
    }

    #[test]
    fn flat_pictures_and_single_pixels_stay_as_they_are() {
        for border in BorderMode::ALL {
            for reach in 1..=16 {
                assert_eq!(filtered(&gray(1, 1, &[77]), border, &radius(reach)), [77]);
                assert_eq!(filtered(&gray(5, 2, &[255; 10]), border, &radius(reach)), [255; 10]);
            }
        }
    }

    fn loads(name: &str) -> (f64, f64) {
        let variant = Variant::parse(name).expect("known");
        let setting = Setting::new(Channels::Gray, BorderMode::Replicate);
        let shape = Shape { variant: &variant, setting, parameters: &radius(4), width_px: 640, height_px: 480 };
        let counts = FILTER.counts(&shape, [16, 16]).expect("described");
        (counts.loads, counts.stores)
    }

    #[test]
    fn counts_are_those_of_the_guide() {
        assert_eq!(loads("naive"), (64.0, 1.0));
        assert_eq!(loads("image+between+twostep"), (20.0, 2.0));
        assert_eq!(loads("separable"), (16.0, 2.0));
        // A row of 640 and a column of 480 begin with 7 reads, which are nothing beside the others.
        let begin = 7.0 / 640.0 + 7.0 / 480.0;
        assert!((loads("separable+running").0 - 4.0 - begin).abs() < 1e-9);
        assert!((loads("separable+running").1 - 2.0).abs() < 1e-9);
        // A group of 16 × 16 reads 23 × 23 pixels.
        assert_eq!(loads("coalesced+local"), (529.0 / 256.0, 1.0));
        assert_eq!(loads("padded+vectorize=16+specialized"), (4.0, 1.0 / 16.0));
        assert_eq!(loads("padded+vectorize=16+separable+specialized"), (1.0, 2.0 / 16.0));
    }

    #[test]
    fn a_kernel_of_its_own_keeps_the_edges_of_two_passes() {
        let variant = Variant::parse("coalesced+separable").expect("known");
        for (border, kernels) in [(BorderMode::Replicate, 2), (BorderMode::Copy, 3)] {
            let setting = Setting::new(Channels::Rgb, border);
            let launch = launch(&Shape { variant: &variant, setting, parameters: &radius(3), width_px: 67, height_px: 35 });
            assert_eq!(launch.passes.len(), kernels);
            // Five rows of sums more than the picture has: two above it and three below.
            assert_eq!((launch.passes[0].global, launch.passes[1].global), ([67, 40], [67, 35]));
        }
    }
}
