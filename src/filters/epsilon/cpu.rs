//! Epsilon filter 9 × 9 on the CPU: 8-bit lanes compare and count, 16-bit lanes add.

#![allow(clippy::inline_always, reason = "only code inlined into a function with enabled instructions is compiled for them")]

use crate::cpu::instructions::Vectorized;
use crate::cpu::{CpuEngine, by_rows};
use crate::filters::Parameters;
use crate::filters::epsilon::{REACH_PX, SIDE_PX, threshold};
use crate::image::{BorderMode, Picture};

/// Pixels that are worked on at a time: nine source rows, bounds and sums of a strip take 17 KiB, half of the smallest first-level caches.
const STRIP_PX: usize = 1024;

/// The competitors.
pub fn run(engine: CpuEngine, picture: &Picture, border: BorderMode, parameters: &Parameters, output: &mut [u8]) {
    let threshold = threshold(parameters);
    by_rows(engine, picture, output, |first_row, output, set| {
        let band = Band { picture, border, threshold, first_row, output };
        match set {
            Some(set) => set.run(band),
            None => band.scalar(),
        }
    });
}

/// Output rows `first_row..`, as many as `output` holds.
struct Band<'a> {
    picture: &'a Picture,
    border: BorderMode,
    threshold: u8,
    first_row: usize,
    output: &'a mut [u8],
}

impl Band<'_> {
    /// Plain loops, pixel by pixel, as the studies' single CPU core: the border is looked up a row at a time, nothing else is prepared.
    fn scalar(self) {
        let Self { picture, border, threshold, first_row, output } = self;
        let mut rows = PaddedRows::new(picture, border);
        for (y, out) in (first_row..).zip(output.chunks_exact_mut(picture.width_px().max(1))) {
            let rows = rows.around(y);
            for (x, out) in out.iter_mut().enumerate() {
                *out = mean_around(rows, x, threshold);
            }
            keep_border(picture, border, y, out);
        }
    }
}

/// The output pixel in the middle of nine rows of nine that begin at column `x`.
fn mean_around(rows: [&[u8]; SIDE_PX], x: usize, threshold: u8) -> u8 {
    let nines = rows.map(|row| row.get(x..).and_then(<[u8]>::first_chunk::<SIDE_PX>).copied().unwrap_or_default());
    let [_, _, _, _, [_, _, _, _, center, ..], ..] = nines;
    let (mut sum, mut count) = (0, 0);
    for &neighbor in nines.as_flattened() {
        if neighbor.abs_diff(center) <= threshold {
            sum += u32::from(neighbor);
            count += 1;
        }
    }
    ((2 * sum + count) / (2 * count).max(1)) as u8
}

impl Vectorized for Band<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { picture, border, threshold, first_row, output } = self;
        let mut rows = PaddedRows::new(picture, border);
        let mut strip = Strip::new();
        for (y, out) in (first_row..).zip(output.chunks_exact_mut(picture.width_px().max(1))) {
            let rows = rows.around(y);
            for (index, out) in out.chunks_mut(STRIP_PX).enumerate() {
                let start = index * STRIP_PX;
                let reach = start..start + out.len() + SIDE_PX - 1;
                let [_, _, _, _, middle, ..] = rows;
                strip.begin(middle.get(start + REACH_PX..start + REACH_PX + out.len()).unwrap_or_default(), threshold);
                for row in rows {
                    strip.add_row(row.get(reach.clone()).unwrap_or_default());
                }
                strip.finish(out);
            }
            keep_border(picture, border, y, out);
        }
    }
}

/// Sums and counts of a strip of pixels.
struct Strip {
    /// The smallest value that is near to the center.
    low: [u8; STRIP_PX],
    /// From there to the largest.
    span: [u8; STRIP_PX],
    sums: [u16; STRIP_PX],
    counts: [u8; STRIP_PX],
    length: usize,
}

impl Strip {
    const fn new() -> Self {
        Self { low: [0; STRIP_PX], span: [0; STRIP_PX], sums: [0; STRIP_PX], counts: [0; STRIP_PX], length: 0 }
    }

    #[inline(always)]
    fn begin(&mut self, centers: &[u8], threshold: u8) {
        self.length = centers.len();
        for ((low, span), &center) in self.low.iter_mut().zip(&mut self.span).zip(centers) {
            *low = center.saturating_sub(threshold);
            *span = center.saturating_add(threshold) - *low;
        }
        self.sums.fill(0);
        self.counts.fill(0);
    }

    /// Adds a row of the mask: pixel i of the strip has the neighbors i .. i + 8 of `row`. Nine of them add at most 9 · 255, all 81 at most
    /// 20655.
    #[inline(always)]
    fn add_row(&mut self, row: &[u8]) {
        let lanes = self.low.iter().zip(&self.span).zip(&mut self.sums).zip(&mut self.counts);
        for ((((&low, &span), sum), count), neighbors) in lanes.zip(row.array_windows::<SIDE_PX>()) {
            let (mut row_sum, mut row_count) = (0, 0);
            for &neighbor in neighbors {
                // Below `low` the difference wraps to more than any span.
                let is_near = neighbor.wrapping_sub(low) <= span;
                row_sum += if is_near { u16::from(neighbor) } else { 0 };
                row_count += u8::from(is_near);
            }
            *sum += row_sum;
            *count += row_count;
        }
    }

    /// sum / count, rounded half up. What is cut off is never nearer than 1 / (4 · count) to a whole number, see `epsilon_window.clh`.
    #[inline(always)]
    fn finish(&self, out: &mut [u8]) {
        for ((out, &sum), &count) in out.iter_mut().zip(&self.sums).zip(&self.counts) {
            *out = ((f32::from(sum) + 0.25) / f32::from(count) + 0.5) as u8;
        }
    }
}

/// The nine rows around an output row, each with its halo; a row is copied and padded once.
struct PaddedRows<'a> {
    picture: &'a Picture,
    border: BorderMode,
    /// Nine rows; row r of the picture's surroundings lies at place (r + 9) % 9.
    rows: Vec<u8>,
    /// The rows from here on are still to come, counted with the halo above the picture: row 0 is the fourth above.
    next: Option<usize>,
}

impl<'a> PaddedRows<'a> {
    fn new(picture: &'a Picture, border: BorderMode) -> Self {
        Self { picture, border, rows: vec![0; SIDE_PX * (picture.width_px() + SIDE_PX - 1)], next: None }
    }

    /// Rows y − 4 .. y + 4, each with four pixels more on both sides.
    fn around(&mut self, y: usize) -> [&[u8]; SIDE_PX] {
        for row in self.next.unwrap_or(y)..y + SIDE_PX {
            self.fill(row);
        }
        self.next = Some(y + SIDE_PX);
        let length = self.row_length();
        std::array::from_fn(|index| {
            let place = (y + index) % SIDE_PX * length;
            self.rows.get(place..place + length).unwrap_or_default()
        })
    }

    fn row_length(&self) -> usize {
        self.picture.width_px() + SIDE_PX - 1
    }

    /// `row` counts from the halo's first.
    fn fill(&mut self, row: usize) {
        let (width, height) = (self.picture.width_px(), self.picture.height_px());
        let y = self.border.source_index(row.cast_signed() - REACH_PX.cast_signed(), height);
        let source = self.picture.bytes().get(y * width..(y + 1) * width).unwrap_or_default();
        let place = row % SIDE_PX * self.row_length();
        let length = self.row_length();
        let padded = self.rows.get_mut(place..place + length).unwrap_or_default();
        let (left, rest) = padded.split_at_mut(REACH_PX);
        let (middle, right) = rest.split_at_mut(width);
        middle.copy_from_slice(source);
        let columns = (0..REACH_PX).chain(width + REACH_PX..width + 2 * REACH_PX);
        for (column, pixel) in columns.zip(left.iter_mut().chain(right)) {
            let x = self.border.source_index(column.cast_signed() - REACH_PX.cast_signed(), width);
            *pixel = source.get(x).copied().unwrap_or_default();
        }
    }
}

/// With border mode `copy`, what the mask does not fit on is the source.
fn keep_border(picture: &Picture, border: BorderMode, y: usize, out: &mut [u8]) {
    if border != BorderMode::Copy {
        return;
    }
    let (width, height) = (picture.width_px(), picture.height_px());
    let source = picture.bytes().get(y * width..(y + 1) * width).unwrap_or_default();
    let is_inner_row = y >= REACH_PX && y + REACH_PX < height;
    for (x, (out, &pixel)) in out.iter_mut().zip(source).enumerate() {
        if !is_inner_row || x < REACH_PX || x + REACH_PX >= width {
            *out = pixel;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Band, run as epsilon};
    use crate::cpu::CpuEngine;
    use crate::cpu::instructions::InstructionSet;
    use crate::filters::Parameters;
    use crate::filters::epsilon::FILTER;
    use crate::image::{BorderMode, Channels, Picture};
    use std::collections::BTreeMap;

    /// Every competitor and every instruction set of this processor against the plain reference.
    fn compare_all(picture: &Picture, threshold: u8) {
        let parameters = Parameters(BTreeMap::from([("threshold".to_owned(), f64::from(threshold))]));
        for border in BorderMode::ALL {
            let expected = FILTER.reference(picture, border, &parameters);
            let check = |name: &str, output: &[u8]| {
                let differs = output.iter().zip(expected.bytes()).position(|(got, want)| got != want);
                assert_eq!(differs, None, "{name}, {picture:?}, {border:?}, threshold {threshold}");
            };
            for engine in CpuEngine::ALL {
                let mut output = vec![0xA5; picture.bytes().len()];
                epsilon(engine, picture, border, &parameters, &mut output);
                check(engine.name(), &output);
            }
            for set in InstructionSet::available() {
                let mut output = vec![0xA5; picture.bytes().len()];
                set.run(Band { picture, border, threshold, first_row: 0, output: &mut output });
                check(set.name(), &output);
            }
        }
    }

    fn noise(width: usize, height: usize, amplitude: u32) -> Picture {
        let mut state = (width * 1000 + height) as u32 | 1;
        Picture::from_fn(width, height, Channels::Gray, |_, _, _| {
            // xorshift32 (Marsaglia 2003).
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            (100 + (state >> 24) % amplitude) as u8
        })
    }

    #[test]
    fn small_pictures_equal_the_reference() {
        for width in 1..=20 {
            for height in [1, 2, 3, 8, 9, 10, 13] {
                compare_all(&noise(width, height, 60), 20);
            }
        }
    }

    #[test]
    fn extremes_of_every_sum_equal_the_reference() {
        for threshold in [0, 1, 20, 254, 255] {
            compare_all(&noise(37, 21, 156), threshold);
            compare_all(&Picture::from_fn(33, 19, Channels::Gray, |_, _, _| 255), threshold);
            compare_all(&Picture::from_fn(33, 19, Channels::Gray, |x, y, _| if (x + y) % 2 == 0 { 255 } else { 0 }), threshold);
        }
    }

    #[test]
    fn several_strips_and_bands_equal_the_reference() {
        for (width, height) in [(1023, 5), (1024, 3), (1025, 3), (2061, 2), (3, 301)] {
            compare_all(&noise(width, height, 60), 20);
        }
    }
}
