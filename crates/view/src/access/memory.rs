//! How memory hands over what the lanes of a sub-group want at once: segments of global memory, banks of local memory.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The sizes of what memory hands over, in bytes: a sector of NVIDIA's; a line of Intel's, Mali's and of CPUs, a request of AMD's; a line of AMD's CDNA
/// 2, of NVIDIA's and of Apple's.
pub const SEGMENT_SIZES_BYTES: [usize; 3] = [32, 64, 128];

/// A bank of local memory is so many bytes wide on all common devices.
pub const BANK_BYTES: usize = 4;

/// NVIDIA's, AMD's and Intel's GPUs have 32; older ones of Intel's 16.
pub const DEFAULT_BANKS: usize = 32;

/// What local memory serves at once: a 4-byte word for each of 32 lanes.
const BANK_REQUEST_BYTES: usize = 128;

/// The distinct bytes of all ranges.
#[must_use]
pub fn unique_bytes(ranges: &[Range<usize>]) -> usize {
    let mut sorted: Vec<_> = ranges.iter().filter(|range| !range.is_empty()).collect();
    sorted.sort_by_key(|range| range.start);
    let (mut count, mut end) = (0, 0);
    for range in sorted {
        count += range.end.saturating_sub(range.start.max(end));
        end = end.max(range.end);
    }
    count
}

/// The numbers of the segments of `size_bytes` that the ranges touch: S(k) = | ⋃ { ⌊a/g⌋ … ⌊(a + w − 1)/g⌋ } | is how many.
#[must_use]
pub fn segments(ranges: &[Range<usize>], size_bytes: usize) -> BTreeSet<usize> {
    let size = size_bytes.max(1);
    ranges.iter().filter(|range| !range.is_empty()).flat_map(|range| range.start / size..=(range.end - 1) / size).collect()
}

/// What one load or store of a sub-group costs in segments of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segments {
    /// Bytes of a segment.
    pub size_bytes: usize,
    /// Segments that are touched, S.
    pub touched: usize,
    /// The fewest that could hold the distinct bytes, I = ⌈U/g⌉.
    pub ideal: usize,
    /// The fewest and the most that it touches anywhere in the picture, where other work-groups are aligned otherwise.
    pub over_picture: [usize; 2],
    /// The distinct bytes, U.
    pub unique_bytes: usize,
}

impl Segments {
    /// Of ranges that lie elsewhere in the picture by multiples of `step_bytes`.
    #[must_use]
    pub fn of(ranges: &[Range<usize>], size_bytes: usize, step_bytes: usize) -> Self {
        let unique = unique_bytes(ranges);
        let touched = segments(ranges, size_bytes).len();
        // All multiples of a step, modulo the segment, are the multiples of their greatest common divisor.
        let step = greatest_common_divisor(step_bytes, size_bytes).max(1);
        let (mut least, mut most) = (touched, touched);
        for shift in (0..size_bytes).step_by(step) {
            let shifted: Vec<_> = ranges.iter().map(|range| range.start + shift..range.end + shift).collect();
            let count = segments(&shifted, size_bytes).len();
            (least, most) = (least.min(count), most.max(count));
        }
        Self { size_bytes, touched, ideal: unique.div_ceil(size_bytes.max(1)), over_picture: [least, most], unique_bytes: unique }
    }

    /// Bytes that are handed over.
    #[must_use]
    pub const fn fetched_bytes(&self) -> usize {
        self.touched * self.size_bytes
    }

    /// The share of the bytes handed over that some lane wants, U / (S·g); 1 where nothing is.
    #[must_use]
    pub fn used_share(&self) -> f64 {
        if self.touched == 0 { 1.0 } else { self.unique_bytes as f64 / self.fetched_bytes() as f64 }
    }

    /// Segments more than the fewest, S − I.
    #[must_use]
    pub const fn excess(&self) -> usize {
        self.touched.saturating_sub(self.ideal)
    }
}

/// The greatest common divisor; the other number where one is 0.
#[must_use]
pub fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// What one access of a sub-group to local memory costs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Banks {
    /// The most distinct words that lanes want of one bank at once: 1 is no conflict.
    pub degree: usize,
    /// The turns that all lanes take together: a sum of degrees, where wide lanes are served by halves or quarters.
    pub cycles: usize,
    /// The words of banks that several words are wanted of at once, by bank.
    pub conflicts: BTreeMap<usize, BTreeSet<usize>>,
}

/// The conflicts of lanes, each with its bytes, in a memory of so many banks. A bank serves one word at a time, to any number of lanes. Lanes of 8 bytes
/// are served by halves of the sub-group, those of 16 by quarters, and sub-groups of 64 by halves: 128 bytes at once.
#[must_use]
pub fn banks(lanes: &[(usize, Range<usize>)], banks: usize) -> Banks {
    let widest = lanes.iter().map(|(_, range)| range.len()).max().unwrap_or(0).max(BANK_BYTES).next_power_of_two();
    let lanes_at_once = (BANK_REQUEST_BYTES / widest).max(1);
    let mut parts = BTreeMap::<usize, BTreeMap<usize, BTreeSet<usize>>>::new();
    for (lane, range) in lanes.iter().filter(|(_, range)| !range.is_empty()) {
        let part = parts.entry(lane / lanes_at_once).or_default();
        for word in range.start / BANK_BYTES..=(range.end - 1) / BANK_BYTES {
            part.entry(word % banks.max(1)).or_default().insert(word);
        }
    }
    let mut found = Banks::default();
    for words in parts.into_values() {
        let degree = words.values().map(BTreeSet::len).max().unwrap_or(0);
        found.degree = found.degree.max(degree);
        found.cycles += degree;
        for (bank, words) in words.into_iter().filter(|(_, words)| words.len() > 1) {
            found.conflicts.entry(bank).or_default().extend(words);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{DEFAULT_BANKS, Segments, banks, segments, unique_bytes};
    use std::ops::Range;

    const LANES: usize = 32;

    fn lanes(step_bytes: usize, width_bytes: usize) -> Vec<(usize, Range<usize>)> {
        (0..LANES).map(|lane| (lane, lane * step_bytes..lane * step_bytes + width_bytes)).collect()
    }

    fn degree(step_bytes: usize, width_bytes: usize) -> usize {
        banks(&lanes(step_bytes, width_bytes), DEFAULT_BANKS).degree
    }

    #[test]
    fn degrees_of_rows_and_columns_by_hand() {
        // A row of bytes; lanes 4, 8 and 16 bytes apart.
        assert_eq!([1, 4, 8, 16].map(|step| degree(step, 1)), [1, 1, 2, 4]);
        // A column of words, by the pitch in words.
        assert_eq!([32, 33, 34, 36].map(|pitch| degree(4 * pitch, 4)), [32, 1, 2, 4]);
        // A column of bytes, by the pitch in bytes.
        assert_eq!([34, 35, 36, 128].map(|pitch| degree(pitch, 1)), [2, 3, 1, 32]);
        // The same word for all.
        assert_eq!(degree(0, 4), 1);
    }

    #[test]
    fn wide_lanes_are_served_in_parts() {
        // 16 bytes each, side by side: four quarters of eight lanes, each 32 words of as many banks.
        let quarters = banks(&lanes(16, 16), DEFAULT_BANKS);
        assert_eq!((quarters.degree, quarters.cycles, quarters.conflicts.len()), (1, 4, 0));
        let halves = banks(&lanes(8, 8), DEFAULT_BANKS);
        assert_eq!((halves.degree, halves.cycles), (1, 2));
        // 64 lanes of four bytes, by halves.
        let wave: Vec<_> = (0..64).map(|lane| (lane, lane * 4..lane * 4 + 4)).collect();
        assert_eq!((banks(&wave, DEFAULT_BANKS).degree, banks(&wave, DEFAULT_BANKS).cycles), (1, 2));
        assert_eq!(banks(&[], DEFAULT_BANKS).degree, 0);
    }

    #[test]
    fn conflicts_name_the_words() {
        // Words 0, 32 and 64 of one bank; word 1 alone.
        let found = banks(&[(0, 0..4), (1, 128..132), (2, 256..260), (3, 4..8)], DEFAULT_BANKS);
        assert_eq!(found.conflicts.into_iter().map(|(bank, words)| (bank, words.len())).collect::<Vec<_>>(), [(0, 3)]);
    }

    #[test]
    fn segments_and_distinct_bytes_by_hand() {
        let ranges = [0..16, 15..31, 40..41, 127..129, 9..9];
        assert_eq!(unique_bytes(&ranges), 31 + 1 + 2);
        assert_eq!([32, 64, 128].map(|size| segments(&ranges, size).len()), [4, 3, 2]);
        let four = std::array::from_fn::<_, 1, _>(|_| 30..34);
        let found = Segments::of(&four, 32, 1);
        assert_eq!((found.touched, found.ideal, found.excess(), found.over_picture), (2, 1, 1, [1, 2]));
        assert!((found.used_share() - 4.0 / 64.0).abs() < 1e-12);
        // In steps of 16 bytes it begins at 30 or at 14.
        assert_eq!(Segments::of(&four, 32, 16).over_picture, [1, 2]);
        assert_eq!(Segments::of(&[0..16, 16..32], 32, 32).over_picture, [1, 1]);
        let nothing = Segments::of(&[], 32, 1);
        assert_eq!((nothing.touched, nothing.excess()), (0, 0));
    }
}
