//! Bilateral filter: a mean of the neighbors in which those near in space and near in color count more (Tomasi and Manduchi, 1998), with the
//! window and the color difference of OpenCV's `bilateralFilter` for 8-bit pictures.

mod accesses;
mod cpu;

use super::reasons::{KNOWN_TRIP_COUNT, TEXTURE_CACHE, TILE_HANDLES_BORDER};
use super::{Filter, Grid, Offer, Parameter, Parameters};
use crate::filters::Rule;
use crate::image::{Layout, Picture};
use crate::model::{BorderMode, Channels, Reach, StageId, Variant, values};
use crate::schedule::{Argument, Launch, Pass, Shape, Surface, Table, Texels, Tile};
use std::ops::Range;

/// The filter's row.
pub static FILTER: Filter = Filter {
    id: crate::model::FilterId::Bilateral,
    kernel_file: "bilateral.cl",
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
        Parameter { name: "radius", min: 1.0, max: 7.0, default: DEFAULT_RADIUS, step: 1.0 },
        Parameter { name: "sigma_space", min: 0.5, max: 20.0, default: DEFAULT_SIGMA_SPACE, step: 0.5 },
        Parameter { name: "sigma_color", min: 1.0, max: 150.0, default: DEFAULT_SIGMA_COLOR, step: 1.0 },
    ],
    // As in OpenCV.
    default_border: BorderMode::Reflect101,
    reach: |parameters| Reach::around(Window::of(parameters).radius_px),
    // No weight is above 1.
    sum_range: |parameters| 0..=Window::of(parameters).places().count().cast_signed() as i32 * 255,
    tolerance,
    defines: |variant, parameters| {
        let radius = Window::of(parameters).radius_px.cast_signed() as i64;
        if variant.is_on(StageId::Specialized) { vec![("RADIUS", radius)] } else { Vec::new() }
    },
    inlines: |_| false,
    launch,
    accesses: accesses::accesses,
    reference_rows,
    drawing,
    cpu: |job, parameters| job.bands(&cpu::Bilateral(Window::of(parameters))),
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

/// The window and its weights: the definition, in double precision.
pub struct Window {
    /// How far the farthest neighbors are.
    pub radius_px: usize,
    /// Standard deviation of the weight in space, in pixels.
    pub sigma_space: f64,
    /// Standard deviation of the weight in color, in steps of 0–255.
    pub sigma_color: f64,
}

impl Window {
    /// As the parameters say; defaults for those that are missing.
    #[must_use]
    pub fn of(parameters: &Parameters) -> Self {
        let value = |name, default| parameters.0.get(name).copied().unwrap_or(default);
        Self {
            radius_px: value("radius", DEFAULT_RADIUS).round() as usize,
            sigma_space: value("sigma_space", DEFAULT_SIGMA_SPACE),
            sigma_color: value("sigma_color", DEFAULT_SIGMA_COLOR),
        }
    }

    /// (dx, dy) of every neighbor, the center included: dx² + dy² ≤ radius².
    pub fn places(&self) -> impl Iterator<Item = (isize, isize)> + use<> {
        let radius = self.radius_px.cast_signed();
        let square = (-radius..=radius).flat_map(move |dy| (-radius..=radius).map(move |dx| (dx, dy)));
        square.filter(move |(dx, dy)| dx * dx + dy * dy <= radius * radius)
    }

    /// The weight of a neighbor that far away: 1 at the center.
    #[must_use]
    pub fn near(&self, (dx, dy): (isize, isize)) -> f64 {
        (-((dx * dx + dy * dy) as f64) / (2.0 * self.sigma_space * self.sigma_space)).exp()
    }

    /// The weight of a neighbor whose channels differ by `difference` in all.
    #[must_use]
    pub fn alike(&self, difference: usize) -> f64 {
        (-((difference * difference) as f64) / (2.0 * self.sigma_color * self.sigma_color)).exp()
    }

    /// The weights of every difference that pixels of so many channels can have.
    #[must_use]
    pub fn all_alike(&self, channels: usize) -> Vec<f64> {
        (0..=255 * channels).map(|difference| self.alike(difference)).collect()
    }

    /// Whether the square around the window leaves a picture of that size, so that `copy` keeps the pixel.
    #[must_use]
    pub fn leaves(&self, (x, y): (usize, usize), width_px: usize, height_px: usize) -> bool {
        x < self.radius_px || y < self.radius_px || x + self.radius_px >= width_px || y + self.radius_px >= height_px
    }
}

fn launch(shape: &Shape) -> Launch {
    let window = Window::of(shape.parameters);
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
    let window = Window::of(shape.parameters);
    let radius = window.radius_px.cast_signed();
    let side = 2 * window.radius_px + 1;
    let row = if shape.is_on(StageId::Shift) { side.next_power_of_two() } else { side }.cast_signed();
    let places = (-radius..=radius).flat_map(|dy| (-radius..row - radius).map(move |dx| (dx, dy)));
    floats(places.map(|(dx, dy)| if dx * dx + dy * dy <= radius * radius { window.near((dx, dy)) } else { 0.0 }))
}

/// The weight of each difference of colors.
fn color_table(shape: &Shape) -> Vec<u8> {
    floats(Window::of(shape.parameters).all_alike(shape.channels().count()).into_iter())
}

/// As kernels read them. OpenCL devices that this program meets have the host's byte order.
fn floats(values: impl Iterator<Item = f64>) -> Vec<u8> {
    values.flat_map(|value| (value as f32).to_ne_bytes()).collect()
}

/// The circle with the weights in space; those in color depend on the picture.
fn drawing(parameters: &Parameters) -> Vec<Grid> {
    let window = Window::of(parameters);
    let places: Vec<_> = window.places().collect();
    vec![Grid::around("circle", window.radius_px, |[x, y]| places.contains(&(x, y)).then(|| window.near((x, y))))]
}

/// The plain reference, in double precision, rounded to nearest. Weights of differences are computed once for all pixels, columns are mapped
/// once for all rows.
fn reference_rows(picture: &Picture, border: BorderMode, parameters: &Parameters, rows: Range<usize>) -> Vec<u8> {
    match picture.channels() {
        Channels::Gray => reference_pixels::<1>(picture, border, &Window::of(parameters), rows),
        Channels::Rgb => reference_pixels::<3>(picture, border, &Window::of(parameters), rows),
    }
}

fn reference_pixels<const CHANNELS: usize>(picture: &Picture, border: BorderMode, window: &Window, rows: Range<usize>) -> Vec<u8> {
    let (width, height, radius) = (picture.width_px(), picture.height_px(), window.radius_px.cast_signed());
    let alike = window.all_alike(CHANNELS);
    let places: Vec<_> = window.places().map(|place| (place, window.near(place))).collect();
    let columns: Vec<usize> = (-radius..width.cast_signed() + radius).map(|x| border.source_index(x, width)).collect();
    let (pixels, _) = picture.bytes().as_chunks::<CHANNELS>();
    let mut output = Vec::with_capacity(rows.len() * picture.row_bytes());
    for y in rows {
        // The row dy below is number dy + radius.
        let around: Vec<&[[u8; CHANNELS]]> = (-radius..=radius)
            .map(|dy| border.source_index(y.cast_signed() + dy, height) * width)
            .map(|start| pixels.get(start..start + width).unwrap_or_default())
            .collect();
        let at = |x: usize, (dx, dy): (isize, isize)| {
            let column = columns.get((x.cast_signed() + dx + radius).cast_unsigned());
            column.zip(around.get((dy + radius).cast_unsigned())).and_then(|(&column, row)| row.get(column)).copied()
        };
        for x in 0..width {
            let center = at(x, (0, 0)).unwrap_or([0; CHANNELS]);
            if border == BorderMode::Copy && window.leaves((x, y), width, height) {
                output.extend(center);
                continue;
            }
            let (mut sums, mut weights) = ([0.0; CHANNELS], 0.0);
            for &(place, near) in &places {
                let Some(neighbor) = at(x, place) else { continue };
                let difference: usize = neighbor.iter().zip(&center).map(|(&a, &b)| usize::from(a.abs_diff(b))).sum();
                let weight = near * alike.get(difference).copied().unwrap_or(0.0);
                sums.iter_mut().zip(neighbor).for_each(|(sum, value)| *sum += weight * f64::from(value));
                weights += weight;
            }
            output.extend(sums.map(|sum| (sum / weights).round() as u8));
        }
    }
    output
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
        FILTER.reference(picture, border, parameters).bytes().to_vec()
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
