//! Rotation by 90 degrees clockwise on the CPU: in tiles, so that a cache line that was read serves all rows of the output that its pixels go to.

use crate::band::{Band, Source};
use crate::channels::side_by_side;
use crate::strips::prefetch_all;
use crate::{Bands, Channels, Job, Pixels};
use std::ops::Range;

/// Bytes of a row of the output that are put together before they are written, at most.
const TILE_BYTES: usize = 1024;

/// Rows of the output that are put together at a time: as many columns of the source.
const TILE_ROWS: usize = 128;

/// Rows and columns of a block that is turned in registers.
const BLOCK: usize = 8;

/// Blocks that lie side by side.
const BLOCKS: usize = TILE_ROWS / BLOCK;

/// Bytes between the rows of a tile: a power of two would put all of them into the same few places of a cache.
const PITCH: usize = TILE_BYTES + 64;

/// How many rows ahead the source is asked for: hardware does not see that the next row follows.
const AHEAD: usize = 16;

/// Turns the picture.
pub fn run(job: Job) {
    job.bands(&Rotate);
}

/// The arithmetic.
struct Rotate;

impl Bands for Rotate {
    /// Pixel by pixel in tiles.
    fn scalar(&self, band: Band) {
        match band.source.picture.channels {
            Channels::Gray => pixel_by_pixel::<1>(band),
            Channels::Rgb => pixel_by_pixel::<3>(band),
        }
    }

    #[inline(always)]
    fn simd(&self, band: Band) {
        match band.source.picture.channels {
            Channels::Gray => by_tiles::<1>(band),
            Channels::Rgb => by_tiles::<3>(band),
        }
    }

    fn output_height(&self, picture: Pixels) -> usize {
        picture.width_px
    }
}

/// Pixels of a row of a tile: whole blocks.
#[inline(always)]
const fn tile_px(channels: usize) -> usize {
    TILE_BYTES / channels / BLOCK * BLOCK
}

fn pixel_by_pixel<const CHANNELS: usize>(Band { source, mut rows, .. }: Band) {
    let (height, tile_px) = (source.picture.height_px, tile_px(CHANNELS));
    for mut block in rows.blocks(TILE_ROWS) {
        for first in (0..height).step_by(tile_px) {
            for (x, out) in block.iter_mut() {
                let out = out.as_chunks_mut::<CHANNELS>().0;
                for (place, out) in (first..height).zip(out.get_mut(first..).unwrap_or_default()).take(tile_px) {
                    let row = source.row((height - 1 - place).cast_signed()).as_chunks::<CHANNELS>().0;
                    let Some(pixel) = row.get(x) else { return };
                    *out = *pixel;
                }
            }
        }
    }
}

/// Columns of some rows of the source, from the lowest one up, become the rows of a tile, and these parts of rows of the output.
#[inline(always)]
fn by_tiles<const CHANNELS: usize>(Band { source, mut rows, finish, .. }: Band) {
    let (height, tile_px) = (source.picture.height_px, tile_px(CHANNELS));
    let mut tile = vec![[0; PITCH]; TILE_ROWS];
    for mut block in rows.blocks(TILE_ROWS) {
        let columns = block.first_row..block.first_row + block.bytes.len() / block.row_bytes;
        for first in (0..height).step_by(tile_px) {
            let places = first..(first + tile_px).min(height);
            if CHANNELS == 1 {
                turn_gray(source, places.clone(), columns.clone(), &mut tile);
            } else {
                turn_colors(source, places.clone(), columns.clone(), &mut tile);
            }
            for ((y, out), finished) in block.iter_mut().zip(tile.iter_mut()) {
                let bytes = places.start * CHANNELS..places.end * CHANNELS;
                if let (Some(finished), Some(out)) = (finished.get_mut(..bytes.len()), out.get_mut(bytes.clone())) {
                    finish.write(y, bytes.start, finished, out);
                }
            }
        }
    }
}

#[inline(always)]
fn prefetch_ahead(source: Source, y: usize, bytes: Range<usize>) {
    prefetch_all(source.row(y.saturating_sub(AHEAD).cast_signed()).get(bytes).unwrap_or_default());
}

/// By blocks of 8 × 8 bytes. A row of a block is one number, and blocks side by side are one vector.
#[inline(always)]
fn turn_gray(source: Source, places: Range<usize>, columns: Range<usize>, tile: &mut [[u8; PITCH]]) {
    let last = source.picture.height_px - 1;
    for first in places.clone().step_by(BLOCK) {
        let mut rows = [[0_u64; BLOCKS]; BLOCK];
        for (place, row) in (first..places.end).zip(&mut rows) {
            prefetch_ahead(source, last - place, columns.clone());
            let bytes = source.row((last - place).cast_signed()).get(columns.clone()).unwrap_or_default();
            let mut whole = [0; TILE_ROWS];
            let bytes = bytes.first_chunk().unwrap_or_else(|| {
                whole.get_mut(..bytes.len()).unwrap_or_default().copy_from_slice(bytes);
                &whole
            });
            for (row, bytes) in row.iter_mut().zip(bytes.as_chunks().0) {
                *row = u64::from_le_bytes(*bytes);
            }
        }
        transpose(&mut rows);
        let place = first - places.start;
        for (index, column) in rows.iter().enumerate() {
            for (block, number) in column.iter().enumerate() {
                if let Some(out) = tile.get_mut(block * BLOCK + index).and_then(|row| row.get_mut(place..)?.first_chunk_mut()) {
                    *out = number.to_le_bytes();
                }
            }
        }
    }
}

/// Each block by itself: its halves change places across the diagonal, then the halves of these, then single bytes. Row by row and not in loops, which would be
/// vectorized across the rows.
#[inline(always)]
fn transpose([zero, one, two, three, four, five, six, seven]: &mut [[u64; BLOCKS]; BLOCK]) {
    exchange::<4>(zero, four);
    exchange::<4>(one, five);
    exchange::<4>(two, six);
    exchange::<4>(three, seven);
    exchange::<2>(zero, two);
    exchange::<2>(one, three);
    exchange::<2>(four, six);
    exchange::<2>(five, seven);
    exchange::<1>(zero, one);
    exchange::<1>(two, three);
    exchange::<1>(four, five);
    exchange::<1>(six, seven);
}

/// Every other `DISTANCE` bytes of two rows that lie so many rows apart: the second ones of the row above for the first ones of that below.
#[inline(always)]
fn exchange<const DISTANCE: usize>(above: &mut [u64; BLOCKS], below: &mut [u64; BLOCKS]) {
    let (shift, mask) = (8 * DISTANCE, u64::MAX / ((1 << (8 * DISTANCE)) + 1));
    for (above, below) in above.iter_mut().zip(below) {
        let differing = (*above >> shift ^ *below) & mask;
        *above ^= differing << shift;
        *below ^= differing;
    }
}

/// By blocks of eight rows: of each column, eight colors make three numbers.
#[inline(always)]
fn turn_colors(source: Source, places: Range<usize>, columns: Range<usize>, tile: &mut [[u8; PITCH]]) {
    let last = source.picture.height_px - 1;
    let bytes = 3 * columns.start..3 * columns.end;
    let mut rows = [[0_u8; 3 * TILE_ROWS + 1]; BLOCK];
    for first in places.clone().step_by(BLOCK) {
        for (place, row) in (first..places.end).zip(&mut rows) {
            prefetch_ahead(source, last - place, bytes.clone());
            let bytes = source.row((last - place).cast_signed()).get(bytes.clone()).unwrap_or_default();
            row.get_mut(..bytes.len()).unwrap_or_default().copy_from_slice(bytes);
        }
        let place = 3 * (first - places.start);
        for (column, out) in (0..columns.len().min(TILE_ROWS)).zip(tile.iter_mut()) {
            // Vectors would gather each byte from elsewhere: measured, that takes a quarter longer.
            let column = std::hint::black_box(column);
            // Four bytes, of which the last one is the next pixel's.
            let color = |row: &[u8; 3 * TILE_ROWS + 1]| {
                let color = row.get(3 * column..).and_then(|row| row.first_chunk()).copied().unwrap_or_default();
                u64::from(u32::from_le_bytes(color) & 0x00FF_FFFF)
            };
            let colors = side_by_side(rows.each_ref().map(color));
            if let Some(out) = out.get_mut(place..).and_then(|out| out.first_chunk_mut()) {
                *out = colors;
            }
        }
    }
}
