//! What buffers hold at the start: numbers that are made, pictures, and files, those of numpy among them.

use super::job::Element;
use std::fmt;

/// The first bytes of a `.npy` file.
const MAGIC: &[u8] = b"\x93NUMPY";

/// Why a `.npy` file cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NumpyFault {
    /// It is none, or is cut short.
    Damaged,
    /// Its elements are of another type: numpy's name of it.
    Type(String),
    /// It has its columns first.
    ColumnsFirst,
    /// It has another number of elements.
    Count(usize),
}

/// `count` numbers of an even spread from `low` to `high`, the same ones for the same seed on every machine.
///
/// Whole elements get whole numbers, both ends among them. The generator is `SplitMix64` (Steele, Lea and Flood 2014).
pub fn random(element: Element, count: usize, [low, high]: [f64; 2], seed: u32) -> Vec<u8> {
    let mut state = u64::from(seed);
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        // The upper 53 bits: from 0 to just below 1.
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut bytes = Vec::with_capacity(count * element.bytes());
    for _ in 0..count {
        let share = next();
        let number = if element.is_float() { low + share * (high - low) } else { (low + share * (high - low + 1.0)).floor().min(high) };
        element.push(number, &mut bytes);
    }
    bytes
}

/// `count` numbers, of which each is `step` more than the one before.
pub fn counted(element: Element, count: usize, from: f64, step: f64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(count * element.bytes());
    (0..count).for_each(|index| element.push(from + step * index as f64, &mut bytes));
    bytes
}

/// The elements of a `.npy` file, as they lie in a buffer.
///
/// The format is that of numpy.lib.format: magic, version, length of the header, a header that is a Python dictionary with `descr`, `fortran_order` and `shape`,
/// and the elements.
///
/// # Errors
/// See [`NumpyFault`].
pub fn numpy_bytes(file: &[u8], element: Element, count: usize) -> Result<&[u8], NumpyFault> {
    let rest = file.strip_prefix(MAGIC).ok_or(NumpyFault::Damaged)?;
    let (version, rest) = rest.split_at_checked(2).ok_or(NumpyFault::Damaged)?;
    let length_bytes = if version.first() == Some(&1) { 2 } else { 4 };
    let (length, rest) = rest.split_at_checked(length_bytes).ok_or(NumpyFault::Damaged)?;
    let length = length.iter().rev().fold(0_usize, |length, byte| (length << 8) | usize::from(*byte));
    let (header, data) = rest.split_at_checked(length).ok_or(NumpyFault::Damaged)?;
    let header = String::from_utf8_lossy(header);
    let after = |name: &str| header.split_once(name).map(|(_, rest)| rest.trim_start_matches(['\'', '"', ':', ' ']));
    let descr = after("'descr'").and_then(|rest| rest.split(['\'', '"']).next()).ok_or(NumpyFault::Damaged)?;
    if descr.trim_start_matches(['|', '<', '=']) != element.numpy().trim_start_matches(['|', '<']) {
        return Err(NumpyFault::Type(descr.chars().take(20).collect()));
    }
    let shape = after("'shape'").and_then(|rest| rest.strip_prefix('(')?.split(')').next()).ok_or(NumpyFault::Damaged)?;
    let sides = shape.split(',').map(str::trim).filter(|side| !side.is_empty());
    let mut total = 1_usize;
    let mut dimensions = 0;
    for side in sides {
        let side: usize = side.parse().map_err(|_| NumpyFault::Damaged)?;
        total = total.saturating_mul(side);
        dimensions += 1;
    }
    if dimensions > 1 && after("'fortran_order'").is_some_and(|rest| rest.starts_with("True")) {
        return Err(NumpyFault::ColumnsFirst);
    }
    if total != count {
        return Err(NumpyFault::Count(total));
    }
    data.get(..count.saturating_mul(element.bytes())).ok_or(NumpyFault::Damaged)
}

/// A `.npy` file, of version 1, with one dimension.
#[must_use]
pub fn numpy(element: Element, bytes: &[u8]) -> Vec<u8> {
    numpy_of_sides(element, &[bytes.len() / element.bytes()], bytes)
}

/// A `.npy` file, of version 1, whose elements are these sides' product.
#[must_use]
pub fn numpy_of_sides(element: Element, sides: &[usize], bytes: &[u8]) -> Vec<u8> {
    // A comma behind the last side, too: "(4,)" is a tuple.
    let sides = sides.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let mut header = format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({sides},), }}", element.numpy());
    // Magic, version, length and header are a multiple of 64 bytes, and the header ends with a line end.
    let head = MAGIC.len() + 4;
    while !(head + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut file = MAGIC.to_vec();
    file.extend([1, 0]);
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(bytes);
    file
}

impl fmt::Display for NumpyFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        use base::texts::clause;
        formatter.write_str(&match self {
            Self::Damaged => clause("project.numpy.damaged", &[]),
            Self::Type(name) => clause("project.numpy.type", &[("type", name)]),
            Self::ColumnsFirst => clause("project.numpy.columns-first", &[]),
            Self::Count(count) => clause("project.numpy.count", &[("count", count)]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Element, NumpyFault, counted, numpy, numpy_bytes, numpy_of_sides, random};

    #[test]
    fn numpy_files_read_back_and_foreign_ones_are_refused() {
        let bytes = counted(Element::Int, 6, -2.0, 1.0);
        let file = numpy(Element::Int, &bytes);
        assert_eq!((file.len() - bytes.len()) % 64, 0);
        assert_eq!(numpy_bytes(&file, Element::Int, 6), Ok(bytes.as_slice()));
        assert_eq!(numpy_bytes(&file, Element::Float, 6), Err(NumpyFault::Type("<i4".to_owned())));
        assert_eq!(numpy_bytes(&file, Element::Int, 7), Err(NumpyFault::Count(6)));
        for end in 0..file.len() {
            assert!(numpy_bytes(&file[..end], Element::Int, 6).is_err(), "{end}");
        }
        let shaped = numpy_of_sides(Element::Int, &[1, 2, 3], &bytes);
        assert!(String::from_utf8_lossy(&shaped).contains("'shape': (1, 2, 3,)"));
        assert_eq!(numpy_bytes(&shaped, Element::Int, 6), Ok(bytes.as_slice()));
        let mut square = file.clone();
        let header = String::from_utf8_lossy(&square[10..128]).replace("(6,), ", "(2, 3)").replace("False", "True ");
        square.splice(10..128, header.bytes().chain(std::iter::repeat(b' ')).take(118));
        assert_eq!(numpy_bytes(&square, Element::Int, 6), Err(NumpyFault::ColumnsFirst));
    }

    #[test]
    fn random_numbers_are_the_same_everywhere_and_within_their_ends() {
        let bytes = random(Element::Uchar, 10_000, [3.0, 5.0], 1);
        assert!(bytes.iter().all(|byte| (3..=5).contains(byte)));
        let mut counts = [0; 256];
        for byte in &bytes {
            counts[usize::from(*byte)] += 1;
        }
        assert!(counts[3..=5].iter().all(|count| *count > 3000), "an even spread");
        assert_eq!(random(Element::Uchar, 8, [0.0, 255.0], 7), random(Element::Uchar, 8, [0.0, 255.0], 7));
        assert_ne!(random(Element::Uchar, 8, [0.0, 255.0], 7), random(Element::Uchar, 8, [0.0, 255.0], 8));
        assert!(Element::Float.numbers(&random(Element::Float, 1000, [-1.0, 1.0], 1)).all(|number| (-1.0..=1.0).contains(&number)));
    }
}
