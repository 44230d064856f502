//! Bilateral filter on the CPU, in single precision.
//!
//! The scalar competitor computes exp for each neighbor, as the plain loop does. The SIMD competitors compute it too, 16 pixels at a time by a
//! polynomial: a lookup table, which is how OpenCV does it, would need one load a lane.

use crate::Channels;
use crate::band::{Band, Source};
use crate::reference::bilateral::Window;
use crate::{Bands, Job};

/// Pixels of one block: their sums stay in registers while the window is walked. Measured: 32 gain nothing, 8 take twice the time with AVX-512.
const LANES: usize = 16;

/// Output rows for which source rows are spread out at a time: with a radius of 7 half as many again are needed around them, and
/// those of a picture 8000 pixels wide still fit second-level caches.
const ROWS: usize = 16;

/// Averages by `window`.
pub fn run(job: Job, window: Window) {
    job.bands(&Bilateral(window));
}

/// The arithmetic.
struct Bilateral(Window);

impl Bands for Bilateral {
    /// The square around the window.
    fn scalar(&self, band: Band) {
        match band.source.picture.channels {
            Channels::Gray => scalar::<1>(&self.0, band),
            Channels::Rgb => scalar::<3>(&self.0, band),
        }
    }

    #[inline(always)]
    fn simd(&self, band: Band) {
        match (band.source.picture.channels, band.set.fuses_mul_add()) {
            (Channels::Gray, false) => simd::<1, false>(&self.0, band),
            (Channels::Gray, true) => simd::<1, true>(&self.0, band),
            (Channels::Rgb, false) => simd::<3, false>(&self.0, band),
            (Channels::Rgb, true) => simd::<3, true>(&self.0, band),
        }
    }
}

/// Pixel by pixel and neighbor by neighbor.
fn scalar<const CHANNELS: usize>(window: &Window, Band { source, mut rows, .. }: Band) {
    let (picture, border) = (source.picture, source.border);
    let (width, height) = (picture.width_px, picture.height_px);
    let places: Vec<_> = window.places().collect();
    let spread_space = (2.0 * window.sigma_space * window.sigma_space) as f32;
    let spread_color = (2.0 * window.sigma_color * window.sigma_color) as f32;
    let (pixels, _) = picture.bytes.as_chunks::<CHANNELS>();
    let at = |x: isize, y: isize| {
        let place = border.source_index(y, height) * width + border.source_index(x, width);
        pixels.get(place).copied().unwrap_or([0; CHANNELS])
    };
    for (row, out) in rows.iter_mut() {
        for (column, out) in out.as_chunks_mut::<CHANNELS>().0.iter_mut().enumerate() {
            let (x, y) = (column.cast_signed(), row.cast_signed());
            let center = at(x, y);
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

#[inline(always)]
fn simd<const CHANNELS: usize, const FUSED: bool>(window: &Window, Band { source, mut rows, finish, .. }: Band) {
    let radius = window.radius_px;
    let mut planes = Planes::<CHANNELS>::new(source.picture.width_px, radius);
    let log2_e = std::f64::consts::LOG2_E;
    let neighbors: Vec<_> = window
        .places()
        .map(|(dx, dy)| Neighbor {
            offset: (dy + radius.cast_signed()).cast_unsigned() * planes.pitch + (dx + radius.cast_signed()).cast_unsigned(),
            log_near: (-((dx * dx + dy * dy) as f64) / (2.0 * window.sigma_space * window.sigma_space) * log2_e) as f32,
        })
        .collect();
    let color_factor = (-log2_e / (2.0 * window.sigma_color * window.sigma_color)) as f32;
    for mut rows in rows.blocks(ROWS) {
        planes.fill(source, rows.first_row);
        for (line, (y, out)) in rows.iter_mut().enumerate() {
            for (block, out) in out.chunks_mut(LANES * CHANNELS).enumerate() {
                let corner = line * planes.pitch + block * LANES;
                let values = planes.filter_block::<FUSED>(corner, radius, &neighbors, color_factor);
                for (lane, out) in out.as_chunks_mut::<CHANNELS>().0.iter_mut().enumerate() {
                    *out = std::array::from_fn(|channel| values.get(channel).and_then(|values| values.get(lane)).map_or(0, |&value| value));
                }
            }
            finish.keep_border(y, 0, out);
        }
    }
}

/// A neighbor: where it lies in a plane, seen from the block's first pixel and a radius up and to the left, and log2 of its weight in space.
struct Neighbor {
    offset: usize,
    log_near: f32,
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
    fn fill(&mut self, source: Source, top: usize) {
        let (width, radius) = (source.picture.width_px, self.radius.cast_signed());
        for (channel, plane) in self.values.iter_mut().enumerate() {
            for (y, row) in (top.cast_signed() - radius..).zip(plane.chunks_exact_mut(self.pitch)) {
                let (pixels, _) = source.row(y).as_chunks::<CHANNELS>();
                let value = |pixel: &[u8; CHANNELS]| pixel.get(channel).map_or(0.0, |&byte| f32::from(byte));
                let (left, rest) = row.split_at_mut(self.radius);
                let (inner, right) = rest.split_at_mut(width);
                inner.iter_mut().zip(pixels).for_each(|(place, pixel)| *place = value(pixel));
                let beyond = (-radius..0).zip(left).chain((width.cast_signed()..).zip(right));
                beyond.for_each(|(x, place)| *place = pixels.get(source.border.source_index(x, width)).map_or(0.0, value));
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
    fn filter_block<const FUSED: bool>(
        &self,
        corner: usize,
        radius: usize,
        neighbors: &[Neighbor],
        color_factor: f32,
    ) -> [[u8; LANES]; CHANNELS] {
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
                *weight = exp2::<FUSED>(mul_add::<FUSED>(difference * difference, color_factor, neighbor.log_near));
            }
            for (sums, values) in sums.iter_mut().zip(&values) {
                for ((sum, value), weight) in sums.iter_mut().zip(values).zip(&lane_weights) {
                    *sum = mul_add::<FUSED>(*weight, *value, *sum);
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
fn exp2<const FUSED: bool>(exponent: f32) -> f32 {
    /// 1.5 · 2²³: added, it leaves the nearest whole number in the lowest bits.
    const TO_WHOLE: f32 = 12_582_912.0;
    let exponent = if exponent < -125.0 { -125.0 } else { exponent };
    let shifted = exponent + TO_WHOLE;
    let rest = exponent - (shifted - TO_WHOLE);
    // 2^rest for −1/2 ≤ rest ≤ 1/2: the polynomial of degree 4 with the smallest relative error, fitted at 2000 Chebyshev nodes.
    let mut power = 0.009_570_099;
    for coefficient in [0.055_917_86, 0.240_247_44, 0.693_121_8, 0.999_999_3] {
        power = mul_add::<FUSED>(power, rest, coefficient);
    }
    // The whole number is added to the power's own exponent, 23 bits up.
    f32::from_bits(power.to_bits().wrapping_add(shifted.to_bits() << 23))
}

/// `factor` * `value` + `summand`, with one rounding where that is one instruction.
#[inline(always)]
fn mul_add<const FUSED: bool>(factor: f32, value: f32, summand: f32) -> f32 {
    if FUSED { factor.mul_add(value, summand) } else { factor * value + summand }
}

#[cfg(test)]
mod tests {
    use super::exp2;

    fn assert_is_close<const FUSED: bool>() {
        for step in 0..=125_000_u32 {
            let exponent = -(step as f32) / 1000.0;
            let exact = f64::from(exponent).exp2();
            assert!((f64::from(exp2::<FUSED>(exponent)) / exact - 1.0).abs() < 3.5e-6, "{exponent}");
        }
        for exponent in [-126.0, -1e3, -3e5, f32::MIN] {
            assert!((0.0..1e-37).contains(&exp2::<FUSED>(exponent)), "{exponent}");
        }
    }

    #[test]
    fn powers_of_two_are_close_and_never_grow_below_the_smallest() {
        assert_is_close::<false>();
        assert_is_close::<true>();
    }
}
