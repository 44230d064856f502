//! Filters that look at a square of pixels, `SIDE` on each side, around the pixel in its middle.

use super::band::{Band, OutputRows, Source};
use super::strips::{Aligned, MAX_STRIP_BYTES, strips};
use crate::Channels;
use crate::{Bands, Job};

/// A filter over a square, which gets every row with its halo: no arithmetic sees a border.
pub trait Window<const SIDE: usize>: Sync {
    /// One output byte from the bytes of its channel around it: rows from the top, each from the left.
    fn byte(&self, square: &[[u8; SIDE]; SIDE]) -> u8;

    /// A strip of output bytes by SIMD. The bytes around `out[i]` are `row[i + column * channels]`, for the `SIDE` columns of each row.
    fn strip(&self, rows: [&[u8]; SIDE], channels: usize, out: &mut [u8]);
}

impl Job<'_> {
    /// Runs a filter that comes as [`Window`].
    pub(crate) fn window<const SIDE: usize>(self, filter: &impl Window<SIDE>) {
        self.bands(&ByWindow(filter));
    }
}

struct ByWindow<'a, Filter, const SIDE: usize>(&'a Filter);

impl<Filter: Window<SIDE>, const SIDE: usize> Bands for ByWindow<'_, Filter, SIDE> {
    fn scalar(&self, band: Band) {
        scalar(band, |square| self.0.byte(square));
    }

    #[inline(always)]
    fn simd(&self, band: Band) {
        let Band { source, mut rows, finish, .. } = band;
        let mut padded = PaddedRows::<SIDE>::new(source);
        let mut finished = Aligned([0; MAX_STRIP_BYTES]);
        for (y, out) in rows.iter_mut() {
            let around = padded.around(y);
            for (columns, out) in strips(out) {
                let Some(finished) = finished.0.get_mut(..out.len()) else { return };
                let reach = columns.start..columns.end + padded_bytes::<SIDE>(source);
                self.0.strip(around.map(|row| row.get(reach.clone()).unwrap_or_default()), source.channels(), finished);
                finish.write(y, columns.start, finished, out);
            }
        }
    }
}

/// Plain loops over squares, pixel by pixel. The check for each pixel that its neighbors exist keeps the compiler from vectorizing along the row;
/// it unrolls the channels.
pub fn scalar<const SIDE: usize>(band: Band, byte: impl Fn(&[[u8; SIDE]; SIDE]) -> u8) {
    match band.source.picture.channels {
        Channels::Gray => scalar_pixels::<SIDE, 1>(band.source, band.rows, byte),
        Channels::Rgb => scalar_pixels::<SIDE, 3>(band.source, band.rows, byte),
    }
}

fn scalar_pixels<const SIDE: usize, const CHANNELS: usize>(source: Source, mut rows: OutputRows, byte: impl Fn(&[[u8; SIDE]; SIDE]) -> u8) {
    let mut padded = PaddedRows::<SIDE>::new(source);
    for (y, out) in rows.iter_mut() {
        let around = padded.around(y).map(|row| row.as_chunks::<CHANNELS>().0);
        for (x, out) in out.as_chunks_mut::<CHANNELS>().0.iter_mut().enumerate() {
            let Some(pixels) = pixels_at(&around, x) else { return };
            for (channel, out) in out.iter_mut().enumerate() {
                let at = |row: usize, column: usize| pixels.get(row)?.get(column)?.get(channel).copied();
                *out = byte(&std::array::from_fn(|row| std::array::from_fn(|column| at(row, column).unwrap_or_default())));
            }
        }
    }
}

/// The pixels from column `x` on, of each row.
#[inline(always)]
fn pixels_at<'a, const SIDE: usize, const CHANNELS: usize>(
    rows: &[&'a [[u8; CHANNELS]]; SIDE],
    x: usize,
) -> Option<[&'a [[u8; CHANNELS]; SIDE]; SIDE]> {
    let mut pixels = [&[[0; CHANNELS]; SIDE]; SIDE];
    for (place, row) in pixels.iter_mut().zip(rows) {
        *place = row.get(x..)?.first_chunk()?;
    }
    Some(pixels)
}

/// Of rows of one byte per pixel, those from column `x` on.
#[inline(always)]
pub fn square_at<const SIDE: usize>(rows: [&[u8]; SIDE], x: usize) -> Option<[[u8; SIDE]; SIDE]> {
    let mut square = [[0; SIDE]; SIDE];
    for (place, row) in square.iter_mut().zip(rows) {
        *place = *row.get(x..)?.first_chunk()?;
    }
    Some(square)
}

/// Bytes by which a row grows when it gets its halo.
#[inline(always)]
fn padded_bytes<const SIDE: usize>(source: Source) -> usize {
    (SIDE - 1) * source.channels()
}

/// The rows around an output row, each with its halo; a row is copied and padded once.
pub struct PaddedRows<'a, const SIDE: usize> {
    source: Source<'a>,
    /// Counted with the halo above the picture, row r lies at place r % SIDE.
    rows: Vec<u8>,
    /// The rows from here on are still to come.
    next: Option<usize>,
}

impl<'a, const SIDE: usize> PaddedRows<'a, SIDE> {
    /// No rows yet.
    pub fn new(source: Source<'a>) -> Self {
        let length = source.picture.row_bytes() + padded_bytes::<SIDE>(source);
        Self { source, rows: vec![0; SIDE * length], next: None }
    }

    /// The rows from SIDE / 2 above `y` to as many below.
    pub fn around(&mut self, y: usize) -> [&[u8]; SIDE] {
        for row in self.next.unwrap_or(y)..y + SIDE {
            self.fill(row);
        }
        self.next = Some(y + SIDE);
        let length = self.rows.len() / SIDE;
        std::array::from_fn(|index| {
            let place = (y + index) % SIDE * length;
            self.rows.get(place..place + length).unwrap_or_default()
        })
    }

    /// `row` counts from the halo's first.
    fn fill(&mut self, row: usize) {
        let (source, length, reach) = (self.source, self.rows.len() / SIDE, (SIDE / 2).cast_signed());
        let (channels, width) = (source.channels(), source.picture.width_px);
        let bytes = source.row(row.cast_signed() - reach);
        let place = row % SIDE * length;
        let (left, rest) = self.rows.get_mut(place..place + length).unwrap_or_default().split_at_mut(padded_bytes::<SIDE>(source) / 2);
        let (middle, right) = rest.split_at_mut(bytes.len());
        middle.copy_from_slice(bytes);
        let beyond = (-reach..0).zip(left.chunks_exact_mut(channels)).chain((width.cast_signed()..).zip(right.chunks_exact_mut(channels)));
        for (x, pixel) in beyond {
            let from = source.border.source_index(x, width) * channels;
            pixel.copy_from_slice(bytes.get(from..from + channels).unwrap_or_default());
        }
    }
}
