//! Laplace sharpen on the CPU: 10 · center − the 3 × 3 box sum, saturated.

use super::instructions::{InstructionSet, Vectorized};
use super::lines::{HaloLine, rows_around};
use crate::image::{BorderMode, Picture};

/// Output rows `first_row..`, as many as `output` holds. Border rows and columns included.
pub struct Band<'a> {
    /// The whole source.
    pub picture: &'a Picture,
    /// What lies beyond its edge.
    pub border: BorderMode,
    /// The first output row.
    pub first_row: usize,
    /// Whole output rows without gaps.
    pub output: &'a mut [u8],
}

impl Band<'_> {
    /// SIMD, by the instructions of `set`.
    pub fn simd(self, set: InstructionSet) {
        set.run(self);
    }

    /// Plain loops, pixel by pixel, as the study's single CPU core.
    pub fn scalar(self) {
        let (row_bytes, channels) = (self.picture.row_bytes(), self.picture.channels().count());
        for (y, out) in (self.first_row..).zip(self.output.chunks_exact_mut(row_bytes)) {
            let Some(rows) = rows_around(self.picture, self.border, y) else { return };
            for (index, out) in out.iter_mut().enumerate() {
                let x = (index / channels).cast_signed();
                let columns = [x - 1, x, x + 1].map(|x| self.border.source_index(x, self.picture.width_px()) * channels + index % channels);
                let mut sum = 0;
                for row in rows {
                    for column in columns {
                        sum += i32::from(row.get(column).copied().unwrap_or(0));
                    }
                }
                let center = i32::from(rows[1].get(index).copied().unwrap_or(0));
                *out = (10 * center - sum).clamp(0, 255) as u8;
            }
            keep_border(self.picture, self.border, y, out);
        }
    }
}

impl Vectorized for Band<'_> {
    #[inline(always)]
    fn run(self) {
        let mut sums = HaloLine::new(self.picture);
        for (y, out) in (self.first_row..).zip(self.output.chunks_exact_mut(self.picture.row_bytes())) {
            let Some(rows) = rows_around(self.picture, self.border, y) else { return };
            add_columns(rows, sums.inner_mut());
            sums.fill_halo(self.border);
            sharpen_row(rows[1], sums.neighbors(), out);
            keep_border(self.picture, self.border, y, out);
        }
    }
}

/// The sum of each column of three rows: at most 3 · 255.
#[inline(always)]
fn add_columns([above, center, below]: [&[u8]; 3], sums: &mut [u16]) {
    for (((sum, &above), &center), &below) in sums.iter_mut().zip(above).zip(center).zip(below) {
        *sum = u16::from(above) + u16::from(center) + u16::from(below);
    }
}

/// 10 · center − the box sum. Both fit 16 bits: 10 · 255 = 2550 and 9 · 255 = 2295.
#[inline(always)]
fn sharpen_row(center: &[u8], [left, middle, right]: [&[u16]; 3], out: &mut [u8]) {
    for ((((out, &center), &left), &middle), &right) in out.iter_mut().zip(center).zip(left).zip(middle).zip(right) {
        let sharpened = (10 * u16::from(center)).cast_signed() - (left + middle + right).cast_signed();
        *out = sharpened.clamp(0, 255) as u8;
    }
}

/// With border mode `copy`, what the mask does not fit on is the source: rows and columns at the edge.
#[inline]
fn keep_border(picture: &Picture, border: BorderMode, y: usize, out: &mut [u8]) {
    let (row_bytes, channels) = (picture.row_bytes(), picture.channels().count());
    let Some(source) = picture.bytes().get(y * row_bytes..(y + 1) * row_bytes) else { return };
    if border != BorderMode::Copy {
        return;
    }
    if y == 0 || y + 1 == picture.height_px() {
        out.copy_from_slice(source);
        return;
    }
    for range in [0..channels, row_bytes - channels..row_bytes] {
        if let (Some(out), Some(source)) = (out.get_mut(range.clone()), source.get(range)) {
            out.copy_from_slice(source);
        }
    }
}
