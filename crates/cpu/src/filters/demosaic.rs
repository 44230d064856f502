//! Demosaic on the CPU: all four means of neighbors for every pixel, of which each takes those that it lacks.

use crate::band::Band;
use crate::strips::{Aligned, MAX_STRIP_BYTES, strips_of};
use crate::window::{PaddedRows, square_at};
use crate::{Bands, Job};
use std::array::from_fn;

/// Rows and columns around a pixel that its colors are made of.
const SIDE_PX: usize = 3;

/// Bytes of a pixel of the output.
const CHANNELS: usize = 3;

/// The most pixels of a strip of the output.
const MAX_STRIP_PX: usize = MAX_STRIP_BYTES.div_ceil(CHANNELS);

/// Makes RGB of the Bayer pattern RGGB.
pub fn run(job: Job) {
    job.bands(&Demosaic);
}

/// The arithmetic.
struct Demosaic;

impl Bands for Demosaic {
    fn scalar(&self, Band { source, mut rows, .. }: Band) {
        let mut padded = PaddedRows::<SIDE_PX>::new(source);
        for (y, out) in rows.iter_mut() {
            let around = padded.around(y);
            for (x, out) in out.as_chunks_mut::<CHANNELS>().0.iter_mut().enumerate() {
                let Some(square) = square_at(around, x) else { return };
                *out = color(&Around::of(&square), x % 2 == 0, y % 2 == 0);
            }
        }
    }

    #[inline(always)]
    fn simd(&self, Band { source, mut rows, finish, .. }: Band) {
        let mut padded = PaddedRows::<SIDE_PX>::new(source);
        let mut finished = Aligned([0; MAX_STRIP_BYTES]);
        let mut planes = [const { Aligned([0; MAX_STRIP_PX]) }; CHANNELS];
        for (y, out) in rows.iter_mut() {
            let around = padded.around(y);
            for (bytes, out) in strips_of::<CHANNELS, _>(out) {
                let Some(finished) = finished.0.get_mut(..out.len()) else { return };
                let pixels = bytes.start / CHANNELS..bytes.end / CHANNELS;
                let shifted = around.map(|row| from_fn(|x| row.get(pixels.start + x..pixels.end + x).unwrap_or_default()));
                strip(shifted, pixels.start % 2 == 0, y % 2 == 0, &mut planes);
                let [red, green, blue] = &planes;
                for (((out, &red), &green), &blue) in finished.as_chunks_mut().0.iter_mut().zip(&red.0).zip(&green.0).zip(&blue.0) {
                    *out = [red, green, blue];
                }
                finish.write(y, bytes.start, finished, out);
            }
        }
    }
}

/// A pixel and the means of its neighbors, rounded half up.
struct Around {
    pixel: u8,
    /// Left and right.
    beside: u8,
    /// Above and below.
    upright: u8,
    /// Both.
    cross: u8,
    /// Across its corners.
    corners: u8,
}

impl Around {
    /// Of the pixel in the middle.
    #[inline(always)]
    fn of([above, here, below]: &[[u8; SIDE_PX]; SIDE_PX]) -> Self {
        let [top_left, top, top_right] = above.map(u16::from);
        let [left, _, right] = here.map(u16::from);
        let [bottom_left, bottom, bottom_right] = below.map(u16::from);
        let of_two = |sum: u16| ((sum + 1) >> 1) as u8;
        let of_four = |sum: u16| ((sum + 2) >> 2) as u8;
        let [_, pixel, _] = *here;
        Self {
            pixel,
            beside: of_two(left + right),
            upright: of_two(top + bottom),
            cross: of_four(left + right + (top + bottom)),
            corners: of_four(top_left + top_right + (bottom_left + bottom_right)),
        }
    }
}

/// Red, green and blue in a column and a row of even or odd numbers.
#[inline(always)]
fn color(around: &Around, is_even_column: bool, is_even_row: bool) -> [u8; CHANNELS] {
    let &Around { pixel, beside, upright, cross, corners } = around;
    match (is_even_column, is_even_row) {
        (true, true) => [pixel, cross, corners],
        (false, true) => [beside, pixel, upright],
        (true, false) => [upright, pixel, beside],
        (false, false) => [corners, cross, pixel],
    }
}

/// A strip of output by colors, from three rows that are shifted by one pixel each time.
#[inline(always)]
fn strip(
    rows: [[&[u8]; SIDE_PX]; SIDE_PX],
    begins_even: bool,
    is_even_row: bool,
    [red, green, blue]: &mut [Aligned<[u8; MAX_STRIP_PX]>; CHANNELS],
) {
    let [above, here, below] = rows.map(|[left, middle, right]| left.iter().zip(middle).zip(right));
    let planes = red.0.iter_mut().zip(&mut green.0).zip(&mut blue.0);
    let places = above.zip(here).zip(below).zip(planes).enumerate();
    for (place, (((above, here), below), ((red, green), blue))) in places {
        let square = [above, here, below].map(|((&left, &middle), &right)| [left, middle, right]);
        let around = Around::of(&square);
        [*red, *green, *blue] = color(&around, (place % 2 == 0) == begins_even, is_even_row);
    }
}
