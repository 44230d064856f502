//! A band of output rows: what the driver hands to a filter's arithmetic, one band for one thread.

use super::instructions::InstructionSet;
use super::store::StripWriter;
use crate::Pixels;
use crate::{BorderMode, Reach};

/// Output rows to be computed, border rows and columns included.
pub struct Band<'a> {
    /// Where their values come from.
    pub source: Source<'a>,
    /// Where they go.
    pub rows: OutputRows<'a>,
    /// How finished bytes get there.
    pub finish: Finish<'a>,
    /// What SIMD code runs by.
    pub set: InstructionSet,
}

/// A source picture and what lies beyond its edge.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The whole picture.
    pub picture: Pixels<'a>,
    /// What lies beyond its edge.
    pub border: BorderMode,
}

impl<'a> Source<'a> {
    /// Bytes per pixel.
    #[inline(always)]
    pub fn channels(self) -> usize {
        self.picture.channels.count()
    }

    /// Row `y`, which may lie outside: the border mode names the one that stands for it.
    #[inline(always)]
    pub fn row(self, y: isize) -> &'a [u8] {
        let row_bytes = self.picture.row_bytes();
        let start = self.border.source_index(y, self.picture.height_px) * row_bytes;
        self.picture.bytes.get(start..start + row_bytes).unwrap_or_default()
    }
}

/// Whole rows of the output, without gaps.
pub struct OutputRows<'a> {
    /// The first of them.
    pub first_row: usize,
    /// Bytes per row, at least 1.
    pub row_bytes: usize,
    /// The bytes of all.
    pub bytes: &'a mut [u8],
}

impl OutputRows<'_> {
    /// Each row with its number.
    #[inline(always)]
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (usize, &mut [u8])> {
        (self.first_row..).zip(self.bytes.chunks_exact_mut(self.row_bytes))
    }

    /// So many rows at a time; fewer in the last block.
    #[inline(always)]
    pub fn blocks(&mut self, rows: usize) -> impl Iterator<Item = OutputRows<'_>> {
        let (first_row, row_bytes) = (self.first_row, self.row_bytes);
        let blocks = self.bytes.chunks_mut(rows * row_bytes).enumerate();
        blocks.map(move |(index, bytes)| OutputRows { first_row: first_row + index * rows, row_bytes, bytes })
    }
}

/// Takes finished bytes to the output. With border mode `copy` those that the mask does not fit on become the source's first.
pub struct Finish<'a> {
    pub source: Source<'a>,
    pub reach: Reach,
    pub writer: StripWriter,
}

impl Finish<'_> {
    /// Writes `finished`, which are the bytes of row `y` from `start` on, to `out` of the same length.
    #[inline(always)]
    pub fn write(&self, y: usize, start: usize, finished: &mut [u8], out: &mut [u8]) {
        self.keep_border(y, start, finished);
        self.writer.write(finished, out);
    }

    /// For bytes that were computed in their place: `out` are those of row `y` from `start` on.
    #[inline(always)]
    pub fn keep_border(&self, y: usize, start: usize, out: &mut [u8]) {
        if self.source.border != BorderMode::Copy || self.reach.after == 0 {
            return;
        }
        let (picture, Reach { before, after }) = (self.source.picture, self.reach);
        let (width, row_bytes, channels) = (picture.width_px, picture.row_bytes(), picture.channels.count());
        let is_edge_row = y < before || y + after >= picture.height_px;
        let (left, right) = if is_edge_row { (width, width) } else { (before.min(width), width.saturating_sub(after)) };
        let source = self.source.row(y.cast_signed());
        for edge in [0..left * channels, right * channels..row_bytes] {
            let (from, to) = (edge.start.max(start), edge.end.min(start + out.len()));
            if from < to
                && let (Some(source), Some(out)) = (source.get(from..to), out.get_mut(from - start..to - start))
            {
                out.copy_from_slice(source);
            }
        }
    }
}
