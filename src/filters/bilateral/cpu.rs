//! Bilateral filter on the CPU, in single precision.
//!
//! The scalar competitor computes exp for each neighbor, as the plain loop does. The SIMD competitors compute it too, 16 pixels at a time by a
//! polynomial: a lookup table, which is how OpenCV does it, would need one load a lane.

#![allow(clippy::inline_always, reason = "only code inlined into a function with enabled instructions is compiled for them")]

use crate::cpu::instructions::{InstructionSet, Vectorized};
use crate::cpu::{CpuEngine, by_rows};
use crate::filters::Parameters;
use crate::filters::bilateral::Window;
use crate::image::{BorderMode, Channels, Picture};

/// Pixels of one block: their sums stay in registers while the window is walked. Measured: 32 gain nothing, 8 take twice the time with AVX-512.
const LANES: usize = 16;

/// Output rows for which source rows are spread out at a time: with a radius of 7 half as many again are needed around them, and
/// those of a picture 8000 pixels wide still fit second-level caches.
const ROWS: usize = 16;

/// The competitors.
pub fn run(engine: CpuEngine, picture: &Picture, border: BorderMode, parameters: &Parameters, output: &mut [u8]) {
    let window = &Window::of(parameters);
    by_rows(engine, picture, output, |first_row, output, set| {
        let band = Band { picture, border, window, first_row, output };
        match set {
            Some(set) => band.simd(set),
            None => band.scalar(),
        }
    });
}

/// Output rows `first_row..`, as many as `output` holds. Border rows and columns included.
pub struct Band<'a> {
    /// The whole source.
    pub picture: &'a Picture,
    /// What lies beyond its edge.
    pub border: BorderMode,
    /// Radius and sigmas.
    pub window: &'a Window,
    /// The first output row.
    pub first_row: usize,
    /// Whole output rows without gaps.
    pub output: &'a mut [u8],
}

impl Band<'_> {
    /// SIMD, by the instructions of `set`.
    pub fn simd(self, set: InstructionSet) {
        match self.picture.channels() {
            Channels::Gray => set.run(Simd::<1>(self)),
            Channels::Rgb => set.run(Simd::<3>(self)),
        }
    }

    /// Plain loops, pixel by pixel and neighbor by neighbor, as the study's single CPU core.
    pub fn scalar(self) {
        match self.picture.channels() {
            Channels::Gray => self.scalar_pixels::<1>(),
            Channels::Rgb => self.scalar_pixels::<3>(),
        }
    }

    fn scalar_pixels<const CHANNELS: usize>(self) {
        let Self { picture, border, window, first_row, output } = self;
        let (width, height) = (picture.width_px(), picture.height_px());
        let places: Vec<_> = window.places().collect();
        let spread_space = (2.0 * window.sigma_space * window.sigma_space) as f32;
        let spread_color = (2.0 * window.sigma_color * window.sigma_color) as f32;
        let (pixels, _) = picture.bytes().as_chunks::<CHANNELS>();
        let at = |x: isize, y: isize| {
            let place = border.source_index(y, height) * width + border.source_index(x, width);
            pixels.get(place).copied().unwrap_or([0; CHANNELS])
        };
        let (out, _) = output.as_chunks_mut::<CHANNELS>();
        for (index, out) in out.iter_mut().enumerate() {
            let (column, row) = (index % width, first_row + index / width);
            let (x, y) = (column.cast_signed(), row.cast_signed());
            let center = at(x, y);
            if border == BorderMode::Copy && window.leaves((column, row), width, height) {
                *out = center;
                continue;
            }
            let (mut sums, mut weights) = ([0.0; CHANNELS], 0.0);
            for &(dx, dy) in &places {
                let neighbor = at(x + dx, y + dy);
                let difference: f32 = neighbor.iter().zip(center).map(|(&a, b)| f32::from(a.abs_diff(b))).sum();
                let weight = (-((dx * dx + dy * dy) as f32) / spread_space - difference * difference / spread_color).exp();
                sums.iter_mut().zip(neighbor).for_each(|(sum, value)| *sum += weight * f32::from(value));
                weights += weight;
            }
            *out = sums.map(|sum| (sum / weights + 0.5) as u8);
        }
    }
}

struct Simd<'a, const CHANNELS: usize>(Band<'a>);

/// A neighbor: where it lies in a plane, seen from the block's first pixel and a radius up and to the left, and log2 of its weight in space.
struct Neighbor {
    offset: usize,
    log_near: f32,
}

impl<const CHANNELS: usize> Vectorized for Simd<'_, CHANNELS> {
    #[inline(always)]
    fn run(self) {
        let Band { picture, border, window, first_row, output } = self.0;
        let (radius, width) = (window.radius_px, picture.width_px());
        let mut planes = Planes::<CHANNELS>::new(width, radius);
        let log2_e = std::f64::consts::LOG2_E;
        let neighbors: Vec<_> = window
            .places()
            .map(|(dx, dy)| Neighbor {
                offset: (dy + radius.cast_signed()).cast_unsigned() * planes.pitch + (dx + radius.cast_signed()).cast_unsigned(),
                log_near: (-((dx * dx + dy * dy) as f64) / (2.0 * window.sigma_space * window.sigma_space) * log2_e) as f32,
            })
            .collect();
        let color_factor = (-log2_e / (2.0 * window.sigma_color * window.sigma_color)) as f32;
        for (index, out) in output.chunks_mut((ROWS * picture.row_bytes()).max(1)).enumerate() {
            let top = first_row + index * ROWS;
            planes.fill(picture, border, top);
            for (line, out) in out.chunks_exact_mut(picture.row_bytes().max(1)).enumerate() {
                for (block, out) in out.chunks_mut(LANES * CHANNELS).enumerate() {
                    let corner = line * planes.pitch + block * LANES;
                    let values = planes.filter_block(corner, radius, &neighbors, color_factor);
                    for (lane, out) in out.as_chunks_mut::<CHANNELS>().0.iter_mut().enumerate() {
                        *out = std::array::from_fn(|channel| {
                            values.get(channel).and_then(|values| values.get(lane)).map_or(0, |&value| value)
                        });
                    }
                }
                keep_border(picture, border, window, top + line, out);
            }
        }
    }
}

/// Rows of the source spread out to one `f32` a channel, each channel in a plane of its own, with a halo of one radius around.
struct Planes<const CHANNELS: usize> {
    values: [Vec<f32>; CHANNELS],
    /// From one row to the next.
    pitch: usize,
    radius: usize,
}

impl<const CHANNELS: usize> Planes<CHANNELS> {
    #[inline(always)]
    fn new(width: usize, radius: usize) -> Self {
        // The last block of a row may have pixels that are not there.
        let pitch = width.next_multiple_of(LANES) + 2 * radius;
        Self { values: std::array::from_fn(|_| vec![0.0; pitch * (ROWS + 2 * radius)]), pitch, radius }
    }

    /// The rows from `top - radius` on.
    #[inline(always)]
    fn fill(&mut self, picture: &Picture, border: BorderMode, top: usize) {
        let (width, radius) = (picture.width_px(), self.radius.cast_signed());
        let (pixels, _) = picture.bytes().as_chunks::<CHANNELS>();
        for (channel, plane) in self.values.iter_mut().enumerate() {
            for (y, row) in (top.cast_signed() - radius..).zip(plane.chunks_exact_mut(self.pitch)) {
                let start = border.source_index(y, picture.height_px()) * width;
                let source = pixels.get(start..start + width).unwrap_or_default();
                let value = |pixel: &[u8; CHANNELS]| pixel.get(channel).map_or(0.0, |&byte| f32::from(byte));
                let (left, rest) = row.split_at_mut(self.radius);
                let (inner, right) = rest.split_at_mut(width);
                inner.iter_mut().zip(source).for_each(|(place, pixel)| *place = value(pixel));
                let beyond = (-radius..0).zip(left).chain((width.cast_signed()..).zip(right));
                beyond.for_each(|(x, place)| *place = source.get(border.source_index(x, width)).map_or(0.0, value));
            }
        }
    }

    /// `LANES` values of every plane from `start` on.
    #[inline(always)]
    fn load(&self, start: usize) -> [[f32; LANES]; CHANNELS] {
        std::array::from_fn(|channel| {
            let plane = self.values.get(channel).and_then(|plane| plane.get(start..start + LANES));
            plane.and_then(|lanes| lanes.first_chunk()).copied().unwrap_or([0.0; LANES])
        })
    }

    /// The output of `LANES` pixels whose windows' upper left corner begins at `corner`.
    #[inline(always)]
    fn filter_block(&self, corner: usize, radius: usize, neighbors: &[Neighbor], color_factor: f32) -> [[u8; LANES]; CHANNELS] {
        let centers = self.load(corner + radius * self.pitch + radius);
        let (mut sums, mut weights) = ([[0.0; LANES]; CHANNELS], [0.0; LANES]);
        for neighbor in neighbors {
            let values = self.load(corner + neighbor.offset);
            let mut differences = [0.0_f32; LANES];
            for (values, centers) in values.iter().zip(&centers) {
                for ((difference, value), center) in differences.iter_mut().zip(values).zip(centers) {
                    *difference += (value - center).abs();
                }
            }
            // A loop, as `map` over an array is not inlined here: only inlined code is compiled for the instructions that were found.
            let mut lane_weights = [0.0; LANES];
            for (weight, difference) in lane_weights.iter_mut().zip(&differences) {
                *weight = exp2(difference * difference * color_factor + neighbor.log_near);
            }
            for (sums, values) in sums.iter_mut().zip(&values) {
                for ((sum, value), weight) in sums.iter_mut().zip(values).zip(&lane_weights) {
                    *sum += weight * value;
                }
            }
            for (sum, weight) in weights.iter_mut().zip(&lane_weights) {
                *sum += weight;
            }
        }
        let mut bytes = [[0; LANES]; CHANNELS];
        for (bytes, sums) in bytes.iter_mut().zip(&sums) {
            for ((byte, sum), weight) in bytes.iter_mut().zip(sums).zip(&weights) {
                *byte = (sum / weight + 0.5) as u8;
            }
        }
        bytes
    }
}

/// 2 to the power of `exponent`, which is 0 at most, within 3 millionths; what is below 2^−125 becomes about that.
#[inline(always)]
fn exp2(exponent: f32) -> f32 {
    /// 1.5 · 2²³: added, it leaves the nearest whole number in the lowest bits.
    const TO_WHOLE: f32 = 12_582_912.0;
    let exponent = if exponent < -125.0 { -125.0 } else { exponent };
    let shifted = exponent + TO_WHOLE;
    let rest = exponent - (shifted - TO_WHOLE);
    // 2^rest for −1/2 ≤ rest ≤ 1/2: the polynomial of degree 4 with the smallest relative error, fitted at 2000 Chebyshev nodes.
    let power = 0.009_570_099_f32 * rest + 0.055_917_86;
    let power = ((power * rest + 0.240_247_44) * rest + 0.693_121_8) * rest + 0.999_999_3;
    // The whole number is added to the power's own exponent, 23 bits up.
    f32::from_bits(power.to_bits().wrapping_add(shifted.to_bits() << 23))
}

/// With border mode `copy`, what the square around the window does not fit on is the source.
#[inline(always)]
fn keep_border(picture: &Picture, border: BorderMode, window: &Window, y: usize, out: &mut [u8]) {
    if border != BorderMode::Copy {
        return;
    }
    let (radius, row_bytes) = (window.radius_px, picture.row_bytes());
    let source = picture.bytes().get(y * row_bytes..(y + 1) * row_bytes).unwrap_or_default();
    let is_edge_row = y < radius || y + radius >= picture.height_px();
    let edge = if is_edge_row { row_bytes } else { (radius * picture.channels().count()).min(row_bytes) };
    for range in [0..edge, row_bytes - edge..row_bytes] {
        if let (Some(out), Some(source)) = (out.get_mut(range.clone()), source.get(range)) {
            out.copy_from_slice(source);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::run as bilateral;
    use super::{Band, InstructionSet, exp2};
    use crate::cpu::CpuEngine;
    use crate::filters::Parameters;
    use crate::filters::bilateral::{FILTER, Window};
    use crate::image::{BorderMode, Channels, Picture};

    fn parameters(radius: f64, sigma_space: f64, sigma_color: f64) -> Parameters {
        let named = [("radius", radius), ("sigma_space", sigma_space), ("sigma_color", sigma_color)];
        Parameters(named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// Every competitor and every instruction set against the reference; how many bytes differ by one.
    fn compare(picture: &Picture, border: BorderMode, parameters: &Parameters) -> usize {
        let expected = FILTER.reference(picture, border, parameters);
        let window = Window::of(parameters);
        let mut differing = 0;
        let mut check = |name: &str, run: &dyn Fn(&mut [u8])| {
            // What nobody writes stays far from the reference.
            let mut output: Vec<u8> = expected.bytes().iter().map(|byte| byte.wrapping_add(128)).collect();
            run(&mut output);
            for (place, (got, want)) in output.iter().zip(expected.bytes()).enumerate() {
                assert!(got.abs_diff(*want) <= 1, "{name}, {picture:?}, {border:?}, {parameters:?}: byte {place} is {got}, not {want}");
                differing += usize::from(got != want);
            }
        };
        for engine in CpuEngine::ALL {
            check(engine.name(), &|output| bilateral(engine, picture, border, parameters, output));
        }
        for set in InstructionSet::available() {
            check(set.name(), &|output| Band { picture, border, window: &window, first_row: 0, output }.simd(set));
        }
        differing
    }

    fn noise(width: usize, height: usize, channels: Channels) -> Picture {
        let mut state = (width * 1000 + height) as u32 | 1;
        Picture::from_fn(width, height, channels, |x, _, _| {
            // xorshift32 (Marsaglia 2003), in the left half flat enough for all neighbors to count.
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            if 2 * x < width { 100 + (state >> 27) as u8 } else { (state >> 24) as u8 }
        })
    }

    #[test]
    fn all_competitors_are_within_one_of_the_reference() {
        let (mut bytes, mut differing) = (0, 0);
        for (width, height) in [(1, 1), (2, 1), (1, 2), (3, 3), (5, 7), (16, 16), (17, 1), (1, 17), (33, 2), (61, 33), (67, 35)] {
            for channels in Channels::ALL {
                let picture = noise(width, height, channels);
                for border in BorderMode::ALL {
                    for (radius, sigma_space, sigma_color) in
                        [(3.0, 3.0, 30.0), (1.0, 0.5, 1.0), (7.0, 20.0, 150.0), (7.0, 0.5, 150.0), (2.0, 20.0, 1.0)]
                    {
                        differing += compare(&picture, border, &parameters(radius, sigma_space, sigma_color));
                        bytes += picture.bytes().len();
                    }
                }
            }
        }
        // Only means that lie between two values may differ at all.
        assert!(differing * 1000 < bytes, "{differing} of {bytes} bytes differ");
    }

    #[test]
    fn powers_of_two_are_close_and_never_grow_below_the_smallest() {
        for step in 0..=125_000_u32 {
            let exponent = -(step as f32) / 1000.0;
            let exact = f64::from(exponent).exp2();
            assert!((f64::from(exp2(exponent)) / exact - 1.0).abs() < 3.5e-6, "{exponent}");
        }
        for exponent in [-126.0, -1e3, -3e5, f32::MIN] {
            assert!((0.0..1e-37).contains(&exp2(exponent)), "{exponent}");
        }
    }
}
