//! Resize on the CPU. Where the output is smaller, two rows are joined first, in one loop over all columns, and then those columns that an output pixel lies between. Where it is
//! larger, it is the columns first: each row of the source is then spread once, and not for every row of the output that lies beside it. What is kept in between fits 16
//! bits, and nothing is rounded before the end.
//!
//! Where both sides are halved, every output byte is the mean of four: no weights are needed.
//!
//! No vector takes pixels from anywhere. So the left and the right neighbors of many output pixels are first copied to where they lie side by side.

use crate::band::{Band, Source};
use crate::channels::side_by_side;
use crate::lookup::every_other_color;
use crate::reference::resize::{PARTS, place, size};
use crate::strips::{Aligned, MAX_STRIP_BYTES, strips_of};
use crate::{Bands, Channels, InstructionSet, Job, Pixels};
use std::ops::Range;

/// Parts of a pixel, see [`PARTS`].
const WHOLE: u32 = PARTS as u32;

/// Values that are copied at a time: a color and one more, which the next color overwrites. Two moves of three values are slower.
const COLOR_AND_MORE: usize = 4;

/// Resizes both sides to so many percent.
pub fn run(job: Job, percent: usize) {
    let picture = job.source.picture;
    let ([width, height], channels) = (size(picture, percent), picture.channels.count());
    let places = |length, out_length| -> Vec<Place> { (0..out_length).map(|index| Place::of(index, length, out_length)).collect() };
    let columns = places(picture.width_px, width);
    let beyond = columns.iter().flat_map(|place| std::iter::repeat_n(place.beyond, channels)).collect();
    let order = match percent {
        _ if [width, height].map(|side| 2 * side) == [picture.width_px, picture.height_px] => Order::Halves,
        ..=100 => Order::RowsFirst,
        _ => Order::ColumnsFirst,
    };
    job.bands(&Resize { order, columns, beyond, rows: places(picture.height_px, height) });
}

/// Between which two pixels an output pixel lies.
struct Place {
    /// The first of them, counted from one before the picture.
    first: usize,
    /// How many parts beyond the first one's center it lies: the weight of the second.
    beyond: u8,
}

impl Place {
    fn of(index: usize, length: usize, out_length: usize) -> Self {
        let (first, beyond) = place(index, length, out_length);
        // At least −1, and less than a whole pixel.
        Self { first: (first + 1).unsigned_abs(), beyond: beyond as u8 }
    }
}

/// What lies between two bytes, times 256, by a single multiplication. Wraps below 0 on the way, and back; at most 256 · 255.
#[inline(always)]
fn between_bytes(first: u8, second: u8, beyond: u8) -> u16 {
    let [first, second, beyond] = [first, second, beyond].map(u32::from);
    (WHOLE * first).wrapping_add(beyond.wrapping_mul(second.wrapping_sub(first))) as u16
}

/// What lies between two of these, times 256. Products of 16 bits by 16: a difference would need one more.
#[inline(always)]
fn between(first: u16, second: u16, beyond: u8) -> u32 {
    (WHOLE - u32::from(beyond)) * u32::from(first) + u32::from(beyond) * u32::from(second)
}

/// A sum of bytes with weights that sum to 65536.
#[inline(always)]
fn rounded(sum: u32) -> u8 {
    ((sum + WHOLE * WHOLE / 2) / (WHOLE * WHOLE)) as u8
}

/// What SIMD joins first.
enum Order {
    RowsFirst,
    ColumnsFirst,
    /// Two rows and two columns at once.
    Halves,
}

/// The arithmetic.
struct Resize {
    order: Order,
    /// Where the columns and rows of the output lie.
    columns: Vec<Place>,
    rows: Vec<Place>,
    /// Of the column of each byte of a row.
    beyond: Vec<u8>,
}

impl Bands for Resize {
    fn scalar(&self, band: Band) {
        match band.source.picture.channels {
            Channels::Gray => self.pixel_by_pixel::<1>(band),
            Channels::Rgb => self.pixel_by_pixel::<3>(band),
        }
    }

    #[inline(always)]
    fn simd(&self, band: Band) {
        match (&self.order, band.source.picture.channels) {
            (Order::RowsFirst, Channels::Gray) => self.rows_first::<1, 1>(band),
            (Order::RowsFirst, Channels::Rgb) => self.rows_first::<3, COLOR_AND_MORE>(band),
            (Order::ColumnsFirst, Channels::Gray) => self.columns_first::<1, 1>(band),
            (Order::ColumnsFirst, Channels::Rgb) => self.columns_first::<3, COLOR_AND_MORE>(band),
            (Order::Halves, Channels::Gray) => halves::<1>(band, halved_gray),
            (Order::Halves, Channels::Rgb) => halves::<3>(band, halved_colors),
        }
    }

    fn output_height(&self, _picture: Pixels) -> usize {
        self.rows.len()
    }
}

impl Resize {
    /// Plain loops: two pixels of each of two rows.
    fn pixel_by_pixel<const CHANNELS: usize>(&self, Band { source, mut rows, .. }: Band) {
        let mut two = TwoRows::new(padded_length(source));
        for (y, out) in rows.iter_mut() {
            let Some(place) = self.rows.get(y) else { return };
            let lines = two.around(source, place, |row, padded| pad::<_, CHANNELS>(row.iter().copied(), padded));
            let lines = lines.map(|line| line.as_chunks::<CHANNELS>().0);
            for (out, column) in out.as_chunks_mut::<CHANNELS>().0.iter_mut().zip(&self.columns) {
                let pair = |line: &[[u8; CHANNELS]]| line.get(column.first..).and_then(|line| line.first_chunk()).copied();
                let [Some([above, above_right]), Some([below, below_right])] = lines.map(pair) else { return };
                for (channel, out) in out.iter_mut().enumerate() {
                    let of = |pixel: &[u8; CHANNELS]| pixel.get(channel).copied().unwrap_or_default();
                    let joined = |left, right| between_bytes(of(left), of(right), column.beyond);
                    *out = rounded(between(joined(&above, &above_right), joined(&below, &below_right), place.beyond));
                }
            }
        }
    }

    #[inline(always)]
    fn rows_first<const CHANNELS: usize, const COPIED: usize>(&self, Band { source, mut rows, finish, .. }: Band) {
        let mut joined = vec![0; padded_length(source)];
        let mut beside = Beside::new();
        let mut finished = Aligned([0; MAX_STRIP_BYTES]);
        for (y, out) in rows.iter_mut() {
            let Some(place) = self.rows.get(y) else { return };
            let [above, below] = [0, 1].map(|step| source.row((place.first + step).cast_signed() - 1));
            let values = above.iter().zip(below).map(|(&above, &below)| between_bytes(above, below, place.beyond));
            pad::<_, CHANNELS>(values, &mut joined);
            for (bytes, out) in strips_of::<CHANNELS, _>(out) {
                let (Some(finished), Some(beyond)) = (finished.0.get_mut(..out.len()), self.beyond.get(bytes.clone())) else { return };
                let Some([left, right]) = beside.gathered::<CHANNELS, COPIED>(&joined, self.places::<CHANNELS>(&bytes)) else { return };
                for (((out, &left), &right), &beyond) in finished.iter_mut().zip(left).zip(right).zip(beyond) {
                    *out = rounded(between(left, right, beyond));
                }
                finish.write(y, bytes.start, finished, out);
            }
        }
    }

    #[inline(always)]
    fn columns_first<const CHANNELS: usize, const COPIED: usize>(&self, Band { source, mut rows, finish, .. }: Band) {
        let mut padded = vec![0; padded_length(source)];
        let mut beside = Beside::new();
        let mut two = TwoRows::new(rows.row_bytes);
        let mut finished = Aligned([0; MAX_STRIP_BYTES]);
        for (y, out) in rows.iter_mut() {
            let Some(place) = self.rows.get(y) else { return };
            let [above, below] = two.around(source, place, |row, spread| {
                pad::<_, CHANNELS>(row.iter().copied(), &mut padded);
                for (bytes, out) in strips_of::<CHANNELS, _>(spread) {
                    let Some(beyond) = self.beyond.get(bytes.clone()) else { return };
                    let Some([left, right]) = beside.gathered::<CHANNELS, COPIED>(&padded, self.places::<CHANNELS>(&bytes)) else { return };
                    for (((out, &left), &right), &beyond) in out.iter_mut().zip(left).zip(right).zip(beyond) {
                        *out = between_bytes(left, right, beyond);
                    }
                }
            });
            for (bytes, out) in strips_of::<CHANNELS, _>(out) {
                let Some(finished) = finished.0.get_mut(..out.len()) else { return };
                let [above, below] = [above, below].map(|row| row.get(bytes.clone()).unwrap_or_default());
                for ((out, &above), &below) in finished.iter_mut().zip(above).zip(below) {
                    *out = rounded(between(above, below, place.beyond));
                }
                finish.write(y, bytes.start, finished, out);
            }
        }
    }

    /// Where the pixels of these bytes lie.
    #[inline(always)]
    fn places<const CHANNELS: usize>(&self, bytes: &Range<usize>) -> &[Place] {
        self.columns.get(bytes.start / CHANNELS..bytes.end / CHANNELS).unwrap_or_default()
    }
}

/// Halves both sides, strip by strip.
#[inline(always)]
fn halves<const CHANNELS: usize>(Band { source, mut rows, finish, set, .. }: Band, halved: impl Fn([&[u8]; 2], &mut [u8], InstructionSet)) {
    let mut finished = Aligned([0; MAX_STRIP_BYTES]);
    for (y, out) in rows.iter_mut() {
        let (above, below) = (source.row(2 * y.cast_signed()), source.row(2 * y.cast_signed() + 1));
        for (bytes, out) in strips_of::<CHANNELS, _>(out) {
            let read = 2 * bytes.start..2 * bytes.end;
            let (Some(above), Some(below), Some(finished)) = (above.get(read.clone()), below.get(read), finished.0.get_mut(..out.len()))
            else {
                return;
            };
            halved([above, below], finished, set);
            finish.write(y, bytes.start, finished, out);
        }
    }
}

/// The mean of four bytes, rounded half up.
#[inline(always)]
fn mean_of(four: [u8; 4]) -> u8 {
    let [first, second, third, fourth] = four;
    ((u16::from(first) + u16::from(second) + u16::from(third) + u16::from(fourth) + 2) >> 2) as u8
}

#[inline(always)]
fn halved_gray([above, below]: [&[u8]; 2], out: &mut [u8], _: InstructionSet) {
    for ((out, [above, above_right]), [below, below_right]) in out.iter_mut().zip(above.as_chunks().0).zip(below.as_chunks().0) {
        *out = mean_of([*above, *above_right, *below, *below_right]);
    }
}

/// Of all pixels and their right neighbors, in vectors; then every other one is kept.
#[inline(always)]
fn halved_colors([above, below]: [&[u8]; 2], out: &mut [u8], set: InstructionSet) {
    const CHANNELS: usize = 3;
    let mut means = Aligned([0; 2 * MAX_STRIP_BYTES]);
    let (above_right, below_right) = (above.get(CHANNELS..).unwrap_or_default(), below.get(CHANNELS..).unwrap_or_default());
    for ((((mean, above), above_right), below), below_right) in means.0.iter_mut().zip(above).zip(above_right).zip(below).zip(below_right) {
        *mean = mean_of([*above, *above_right, *below, *below_right]);
    }
    let taken = every_other_color(&means.0, out, set);
    let (means, out) = (means.0.get(2 * taken..).unwrap_or_default(), out.get_mut(taken..).unwrap_or_default());
    // Eight colors at a time, as three numbers: vectors would gather each color from elsewhere.
    let (out_eights, out_rest) = out.as_chunks_mut::<{ 8 * CHANNELS }>();
    let (eights, rest) = means.split_at(16 * CHANNELS * out_eights.len());
    for (means, out) in eights.as_chunks::<{ 16 * CHANNELS }>().0.iter().zip(out_eights) {
        let mut colors = [0; 8];
        for (color, pair) in colors.iter_mut().zip(means.as_chunks::<{ 2 * CHANNELS }>().0) {
            let [red, green, blue, ..] = *pair;
            *color = u64::from(u32::from_le_bytes([red, green, blue, 0]));
        }
        *out = side_by_side(colors);
    }
    for (out, [red, green, blue, ..]) in out_rest.as_chunks_mut().0.iter_mut().zip(rest.as_chunks::<{ 2 * CHANNELS }>().0) {
        *out = [*red, *green, *blue];
    }
}

/// The left and the right neighbors of a strip of pixels.
struct Beside<T> {
    both: [Aligned<[T; MAX_STRIP_BYTES + COLOR_AND_MORE]>; 2],
}

impl<T: Copy + Default> Beside<T> {
    fn new() -> Self {
        Self { both: std::array::from_fn(|_| Aligned([T::default(); _])) }
    }

    /// From a padded row, which ends in one more value. `COPIED` values are copied for each pixel.
    #[inline(always)]
    fn gathered<const CHANNELS: usize, const COPIED: usize>(&mut self, row: &[T], places: &[Place]) -> Option<[&[T]; 2]> {
        let [left, right] = &mut self.both;
        if COPIED == CHANNELS {
            let beside = left.0.as_chunks_mut::<COPIED>().0.iter_mut().zip(right.0.as_chunks_mut::<COPIED>().0);
            for ((left, right), place) in beside.zip(places) {
                [*left, *right] = *row.as_chunks().0.get(place.first..)?.first_chunk()?;
            }
        } else {
            for (index, place) in places.iter().enumerate() {
                let pair = row.get(place.first * CHANNELS..place.first * CHANNELS + CHANNELS + COPIED)?;
                let to = index * CHANNELS..index * CHANNELS + COPIED;
                *left.0.get_mut(to.clone())?.first_chunk_mut::<COPIED>()? = *pair.first_chunk()?;
                *right.0.get_mut(to)?.first_chunk_mut::<COPIED>()? = *pair.last_chunk()?;
            }
        }
        Some([&left.0, &right.0])
    }
}

/// Values of a row with its first and its last pixel once more, and one more.
fn padded_length(source: Source) -> usize {
    source.picture.row_bytes() + 2 * source.channels() + 1
}

/// Writes a row with its first and its last pixel once more.
#[inline(always)]
fn pad<T: Copy, const CHANNELS: usize>(row: impl Iterator<Item = T>, padded: &mut [T]) {
    let end = padded.len() - CHANNELS - 1;
    for (place, value) in padded.get_mut(CHANNELS..end).unwrap_or_default().iter_mut().zip(row) {
        *place = value;
    }
    padded.copy_within(CHANNELS..2 * CHANNELS, 0);
    padded.copy_within(end - CHANNELS..end, end);
}

/// What was made of two rows of the source.
struct TwoRows<T> {
    /// Of row r at place r % 2.
    rows: [Vec<T>; 2],
    made: [Option<usize>; 2],
}

impl<T: Copy + Default> TwoRows<T> {
    fn new(length: usize) -> Self {
        Self { rows: std::array::from_fn(|_| vec![T::default(); length]), made: [None; 2] }
    }

    /// Of those that a row of the output lies between, made where they were not made for the one before. Edge pixels repeat.
    #[inline(always)]
    fn around(&mut self, source: Source, place: &Place, mut make: impl FnMut(&[u8], &mut [T])) -> [&[T]; 2] {
        let last = source.picture.height_px - 1;
        let numbers = [place.first.saturating_sub(1), place.first.min(last)];
        for number in numbers {
            if let (Some(row), Some(made)) = (self.rows.get_mut(number % 2), self.made.get_mut(number % 2))
                && *made != Some(number)
            {
                make(source.row(number.cast_signed()), row);
                *made = Some(number);
            }
        }
        numbers.map(|number| self.rows.get(number % 2).map(Vec::as_slice).unwrap_or_default())
    }
}
