//! Bilateral filter: a mean of the neighbors in which those near in space and near in color count more (Tomasi and Manduchi, 1998), with the
//! window and the color difference of OpenCV's `bilateralFilter` for 8-bit pictures.

mod accesses;

use super::reasons::{KNOWN_TRIP_COUNT, TEXTURE_CACHE, TILE_HANDLES_BORDER};
use super::{Filter, Grid, Offer, Parameter, Parameters, Reference};
use crate::filters::Rule;
use crate::image::Layout;
use crate::model::{BorderMode, Channels, Reach, StageId, Variant, values};
use crate::schedule::{Argument, Launch, Pass, Shape, Surface, Table, Texels, Tile};
use kernel_ladder_cpu::filters::bilateral as cpu;
use kernel_ladder_cpu::reference::bilateral::{self as reference, Window};

/// The filter's row.
pub static FILTER: Filter = Filter {
    id: crate::model::FilterId::Bilateral,
    kernel_file: "bilateral/bilateral.cl",
    files: &[],
    ladders: &[],
    stages: &[
        Offer::all(StageId::Coalesced),
        Offer::all(StageId::Padded),
        Offer::only(StageId::Local, &[1]),
        Offer::only(StageId::Image, &[1]),
        Offer::all(StageId::Specialized),
        Offer::only(StageId::Float, &[values::FLOAT_FMA]).because("bilateral"),
        Offer::all(StageId::Half),
        Offer::all(StageId::Unroll),
        Offer::all(StageId::Native),
        Offer::all(StageId::Relaxed),
        Offer::all(StageId::Table),
        Offer::all(StageId::Shift),
    ],
    rules: RULES,
    channels: &Channels::ALL,
    output_channels: None,
    borders: &BorderMode::ALL,
    parameters: &[
        Parameter { name: "radius", min: 1.0, max: 7.0, default: DEFAULT_RADIUS, step: 1.0, is_whole: true },
        Parameter { name: "sigma_space", min: 0.5, max: 20.0, default: DEFAULT_SIGMA_SPACE, step: 0.5, is_whole: false },
        Parameter { name: "sigma_color", min: 1.0, max: 150.0, default: DEFAULT_SIGMA_COLOR, step: 1.0, is_whole: false },
    ],
    // As in OpenCV.
    default_border: BorderMode::Reflect101,
    reach: &|parameters| Reach::around(window_of(parameters).radius_px),
    // No weight is above 1.
    sum_range: &|parameters| 0..=window_of(parameters).places().count().cast_signed() as i32 * 255,
    tolerance: &tolerance,
    defines: &|variant, parameters| {
        let radius = window_of(parameters).radius_px.cast_signed() as i64;
        if variant.is_on(StageId::Specialized) { vec![("RADIUS", radius)] } else { Vec::new() }
    },
    inlines: |_| false,
    launch: &launch,
    accesses: &accesses::accesses,
    reference: Reference::Rows(|picture, border, parameters, rows| reference::rows(picture.pixels(), border, &window_of(parameters), rows)),
    drawing,
    conditional: None,
    cpu: Some(|job, parameters| cpu::run(job, window_of(parameters))),
};

const DEFAULT_RADIUS: f64 = 3.0;
const DEFAULT_SIGMA_SPACE: f64 = 3.0;
const DEFAULT_SIGMA_COLOR: f64 = 30.0;

/// What the kernel file does not combine, and what would make no sense.
const RULES: &[(StageId, Rule)] = &[
    (StageId::Padded, Rule::not_built_without(StageId::Coalesced, SUITABLE_MAPPING)),
    (StageId::Local, Rule::not_built_without(StageId::Coalesced, SUITABLE_MAPPING)),
    (StageId::Local, Rule::not_built_with(StageId::Padded, TILE_HANDLES_BORDER)),
    (StageId::Image, Rule::not_built_without(StageId::Coalesced, SUITABLE_MAPPING)),
    (StageId::Image, Rule::not_built_with(StageId::Local, TEXTURE_CACHE)),
    (StageId::Specialized, Rule::not_built_without(StageId::Coalesced, FIRST_STEP)),
    (StageId::Float, Rule::not_built_without(StageId::Coalesced, FIRST_STEP)),
    (StageId::Float, Rule::not_built_with(StageId::Padded, SAME_SUMS)),
    (StageId::Float, Rule::not_built_with(StageId::Local, SAME_SUMS)),
    (StageId::Float, Rule::not_built_with(StageId::Image, SAME_SUMS)),
    (StageId::Float, Rule::not_built_with(StageId::Native, FMA_ALONE)),
    (StageId::Float, Rule::not_built_with(StageId::Table, FMA_ALONE)),
    (StageId::Float, Rule::nothing_to_do_with(StageId::Relaxed, "relaxed-fuses-anyway")),
    (StageId::Half, Rule::not_built_without(StageId::Coalesced, FIRST_STEP)),
    (StageId::Half, Rule::not_built_with(StageId::Padded, SAME_WEIGHTS)),
    (StageId::Half, Rule::not_built_with(StageId::Local, SAME_WEIGHTS)),
    (StageId::Half, Rule::not_built_with(StageId::Image, SAME_WEIGHTS)),
    (StageId::Half, Rule::excludes(StageId::Native, "native-is-float-only")),
    (StageId::Half, Rule::excludes(StageId::Relaxed, "half-squares-overflow")),
    (StageId::Unroll, Rule::needs(StageId::Specialized, KNOWN_TRIP_COUNT)),
    (StageId::Shift, Rule::not_built_without(StageId::Coalesced, FIRST_STEP)),
    (StageId::Shift, Rule::nothing_to_do_with(StageId::Specialized, "known-divisor-needs-no-division")),
    (StageId::Shift, Rule::not_built_with(StageId::Padded, SAME_INDICES)),
    (StageId::Shift, Rule::not_built_with(StageId::Local, SAME_INDICES)),
    (StageId::Shift, Rule::not_built_with(StageId::Image, SAME_INDICES)),
    (StageId::Shift, Rule::not_built_with(StageId::Float, FMA_ALONE)),
    (StageId::Shift, Rule::not_built_with(StageId::Half, "same-indices-in-half")),
];

const SUITABLE_MAPPING: &str = "sources-in-suitable-mapping";
const FIRST_STEP: &str = "plain-mapping-is-first-step";
const SAME_SUMS: &str = "same-sums";
const SAME_WEIGHTS: &str = "same-weights";
const SAME_INDICES: &str = "same-indices";
const FMA_ALONE: &str = "fma-alone";

/// In float, weights are right to some millionths, native ones included on every device tried: only a mean that lies so close between two
/// values can be rounded the other way.
///
/// In half, an exponent of -5 (where 148 neighbors together still weigh as much as the center) is off by half a percent at most and moves a mean by
/// less than half a step. Weights below 6.1e-5 are subnormal, though, and a device may take them as 0: 148 neighbors of 255 then lack
/// 255 * 148 * 6.1e-5 = 2.3. Intel's CPU runtime, which keeps them, differs by 1 at most.
fn tolerance(variant: &Variant) -> u8 {
    if variant.is_on(StageId::Half) { 3 } else { 1 }
}

/// The window that the parameters say; defaults for those that are missing.
fn window_of(parameters: &Parameters) -> Window {
    let value = |name, default| parameters.0.get(name).copied().unwrap_or(default);
    Window {
        radius_px: value("radius", DEFAULT_RADIUS).round() as usize,
        sigma_space: value("sigma_space", DEFAULT_SIGMA_SPACE),
        sigma_color: value("sigma_color", DEFAULT_SIGMA_COLOR),
    }
}

fn launch(shape: &Shape) -> Launch {
    let window = window_of(shape.parameters);
    let channels = shape.channels();
    let destination = shape.tight();
    let (source, mut arguments) = if shape.is_on(StageId::Image) {
        (Surface::Image(Texels::one_pixel(shape)), shape.image_arguments(&destination))
    } else {
        let layout = if shape.is_on(StageId::Padded) {
            Layout::padded(shape.width_px, shape.height_px, channels, window.radius_px, 0, 0)
        } else {
            shape.tight()
        };
        (Surface::Buffer(layout), shape.buffer_arguments(&layout, &destination))
    };
    if !shape.is_on(StageId::Specialized) {
        arguments.push(Argument::size(window.radius_px));
    }
    let mut tables = Vec::new();
    if shape.is_on(StageId::Table) {
        tables = vec![space_table as Table, color_table];
        arguments.extend([Argument::Table(0), Argument::Table(1)]);
    } else {
        arguments.extend([Argument::Float(window.sigma_space as f32), Argument::Float(window.sigma_color as f32)]);
    }
    if shape.is_on(StageId::Local) {
        let halo_px = 2 * window.radius_px;
        arguments.push(Argument::Tile(Tile {
            item_bytes: channels.count(),
            extra_bytes: halo_px * channels.count(),
            item_rows: 1,
            extra_rows: halo_px,
            coalesced: shape.is_on(StageId::Coalesced),
            is_skewed: false,
        }));
    }
    let pass = Pass { kernel: "bilateral", global: shape.global(shape.owned()), arguments };
    Launch { source, destination, between: Vec::new(), tables, passes: vec![pass] }
}

/// The weight of each place of the square around the window, row by row; 0 outside the circle. Rows are lengthened to a power of two where
/// the kernel takes its indices apart by shift and mask.
fn space_table(shape: &Shape) -> Vec<u8> {
    let window = window_of(shape.parameters);
    let radius = window.radius_px.cast_signed();
    let side = 2 * window.radius_px + 1;
    let row = if shape.is_on(StageId::Shift) { side.next_power_of_two() } else { side }.cast_signed();
    let places = (-radius..=radius).flat_map(|dy| (-radius..row - radius).map(move |dx| (dx, dy)));
    floats(places.map(|(dx, dy)| if dx * dx + dy * dy <= radius * radius { window.near((dx, dy)) } else { 0.0 }))
}

/// The weight of each difference of colors.
fn color_table(shape: &Shape) -> Vec<u8> {
    floats(window_of(shape.parameters).all_alike(shape.channels().count()).into_iter())
}

/// As kernels read them. OpenCL devices that this program meets have the host's byte order.
fn floats(values: impl Iterator<Item = f64>) -> Vec<u8> {
    values.flat_map(|value| (value as f32).to_ne_bytes()).collect()
}

/// The circle with the weights in space; those in color depend on the picture.
fn drawing(parameters: &Parameters) -> Vec<Grid> {
    let window = window_of(parameters);
    let places: Vec<_> = window.places().collect();
    vec![Grid::around("circle", window.radius_px, |[x, y]| places.contains(&(x, y)).then(|| window.near((x, y))))]
}

#[cfg(test)]
mod tests {
    use super::{FILTER, Parameters, Window};
    use crate::image::Picture;
    use crate::model::{BorderMode, Channels, Setting, Variant};
    use crate::schedule::Shape;

    fn parameters(radius: f64, sigma_space: f64, sigma_color: f64) -> Parameters {
        let named = [("radius", radius), ("sigma_space", sigma_space), ("sigma_color", sigma_color)];
        Parameters(named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    fn filtered(picture: &Picture, border: BorderMode, parameters: &Parameters) -> Vec<u8> {
        FILTER.reference(picture, border, parameters).expect("a plain reference").bytes().to_vec()
    }

    #[test]
    fn five_pixels_by_hand() {
        // Radius 1 is a cross. Sigmas such that exp(−1 / (2 σs²)) = 1/2 and exp(−Δ² / (2 σc²)) = 1/4 for Δ = 10:
        // 1 / (2 σs²) = ln 2, and 100 / (2 σc²) = ln 4.
        let (sigma_space, sigma_color) = ((0.5 / 2f64.ln()).sqrt(), (50.0 / 4f64.ln()).sqrt());
        let picture = Picture::new(3, 3, Channels::Gray, vec![0, 100, 0, 110, 100, 100, 0, 90, 0]).expect("a picture");
        // Center 100, weights 1; above 100 and right 100, 1/2 each; left 110 and below 90, 1/8 each: the mean is 100.
        // Right of it, replicate: center 100 with itself on the right, 1 + 1/2; left 100, 1/2; above and below 0, e^−138 each.
        let cross = parameters(1.0, sigma_space, sigma_color);
        let bytes = filtered(&picture, BorderMode::Replicate, &cross);
        assert_eq!((bytes[4], bytes[5]), (100, 100));
        // Left, replicate: center 110 with itself on the left, 1 + 1/2; right 100, 1/8: (165 + 12.5) / 1.625 = 109.23.
        assert_eq!(bytes[3], 109);
        // Left, reflect101: left and right are both 100: (110 + 25) / 1.25 = 108.
        assert_eq!(filtered(&picture, BorderMode::Reflect101, &cross)[3], 108);
        // Copy: only the center pixel has its whole window.
        assert_eq!(filtered(&picture, BorderMode::Copy, &cross), [0, 100, 0, 110, 100, 100, 0, 90, 0]);
    }

    #[test]
    fn channels_share_their_weight() {
        // All three channels differ by 10 together: the difference is 30, as of one channel that differs by 30.
        let (sigma_space, sigma_color) = ((0.5 / 2f64.ln()).sqrt(), (450.0 / 4f64.ln()).sqrt());
        let picture = Picture::new(2, 1, Channels::Rgb, vec![100, 100, 100, 110, 110, 90]).expect("a picture");
        // Replicate, radius 1: center twice beside it and above and below, 1 + 3/2; the other 1/2 · 1/4.
        // 100 + 10 · (1/8) / (21/8) = 100.476, and 100 − 0.476; the other pixel 110 − 0.476, 90 + 0.476.
        let bytes = filtered(&picture, BorderMode::Replicate, &parameters(1.0, sigma_space, sigma_color));
        assert_eq!(bytes, [100, 100, 100, 110, 110, 90]);
        // With weights that fall off slowly the mean is that of all five: (4 · 100 + 110) / 5.
        let bytes = filtered(&picture, BorderMode::Replicate, &parameters(1.0, 20.0, 150.0));
        assert_eq!(bytes[..3], [102, 102, 98]);
    }

    #[test]
    fn edges_stay_and_noise_goes() {
        // Two halves with noise of ±2: a mean of either half lies within it, and nothing of one half reaches the other.
        let picture = Picture::from_fn(20, 9, Channels::Gray, |x, y, _| {
            let noise = (x * 7 + y * 13) % 5;
            if x < 10 { 50 + noise as u8 } else { 200 + noise as u8 }
        });
        let bytes = filtered(&picture, BorderMode::Reflect101, &Parameters::default());
        for (place, byte) in bytes.iter().enumerate() {
            let low = if place % 20 < 10 { 51 } else { 201 };
            assert!((low..=low + 2).contains(byte), "{byte} at {place}");
        }
    }

    #[test]
    fn weights_that_vanish_leave_the_center() {
        let picture = Picture::from_fn(9, 9, Channels::Rgb, |x, y, channel| if (x + y) % 2 == 0 { 0 } else { 250 + channel as u8 });
        for border in BorderMode::ALL {
            assert_eq!(filtered(&picture, border, &parameters(1.0, 0.5, 1.0)), picture.bytes(), "{border:?}");
        }
    }

    #[test]
    fn windows_are_circles() {
        let places = |radius| Window { radius_px: radius, sigma_space: 1.0, sigma_color: 1.0 }.places().count();
        assert_eq!([1, 2, 3, 7].map(places), [5, 13, 29, 149]);
    }

    #[test]
    fn counts_follow_the_window_and_the_source() {
        for (name, channels, radius, loads, loaded_bytes) in [
            ("naive", Channels::Rgb, 3.0, 29.0, 87.0),
            ("coalesced+image", Channels::Rgb, 1.0, 5.0, 20.0),
            ("coalesced+image", Channels::Gray, 1.0, 5.0, 5.0),
            ("coalesced+table", Channels::Gray, 7.0, 149.0 + 149.0, 149.0 + 149.0 * 4.0),
            // A group of 16 × 16 loads 30 × 30 pixels, byte by byte.
            ("coalesced+local", Channels::Rgb, 7.0, 2700.0 / 256.0, 2700.0 / 256.0),
        ] {
            let variant = Variant::parse(name).expect("a known variant");
            let setting = Setting::new(channels, BorderMode::Replicate);
            let shape = Shape { variant: &variant, setting, parameters: &parameters(radius, 3.0, 30.0), width_px: 64, height_px: 64 };
            let counts = FILTER.counts(&shape, [16, 16]).expect("described");
            assert_eq!((counts.loads, counts.loaded_bytes), (loads, loaded_bytes), "{name}");
            assert_eq!((counts.stores, counts.stored_bytes), (1.0, channels.count() as f64), "{name}");
        }
    }
}
