//! What one work-item computes, in bytes and rows: from it follow the NDRange and the room past a picture's rows.

use crate::Channels;
use serde::{Deserialize, Serialize};

/// What one work-item computes: so many bytes of each of so many rows. In bytes, as a work-item that owns 32-bit words need not own whole
/// pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Ownership {
    /// Bytes along a row.
    pub bytes: usize,
    /// Rows.
    pub rows: usize,
}

impl Ownership {
    /// So many pixels of one row.
    #[must_use]
    pub const fn pixels(count: usize, channels: Channels) -> Self {
        Self { bytes: count * channels.count(), rows: 1 }
    }

    /// Work-items along a row of `row_bytes`, and down `height_px` rows.
    #[must_use]
    pub fn items(self, row_bytes: usize, height_px: usize) -> [usize; 2] {
        [row_bytes.div_ceil(self.bytes.max(1)), height_px.div_ceil(self.rows.max(1))]
    }

    /// The most bytes that the last work-item of a row owns past the row's end. Rows are whole pixels, so their lengths leave, over this
    /// ownership, any multiple of the greatest common divisor of both: 4 pixels of RGB may be 3 too many, 9 bytes; 8 bytes of RGB may be 7 too
    /// many.
    #[must_use]
    pub const fn surplus_bytes(self, channels: Channels) -> usize {
        self.bytes - greatest_common_divisor(self.bytes, channels.count())
    }

    /// The most rows that the last work-item of a column owns past the last row.
    #[must_use]
    pub const fn surplus_rows(self) -> usize {
        self.rows.saturating_sub(1)
    }
}

const fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// What a stage changes in what a work-item owns, by the stage's value.
#[derive(Clone, Copy, Debug)]
pub enum Owns {
    /// Nothing.
    Same,
    /// The value is the number of pixels along a row.
    Pixels,
    /// The value is the number of rows.
    Rows,
    /// The value stands for so many bytes along a row, pixels or not.
    Bytes(fn(u8) -> usize),
}

impl Owns {
    /// `owned` as a stage with this value changes it.
    #[must_use]
    pub fn changed(self, owned: Ownership, value: u8, channels: Channels) -> Ownership {
        match self {
            Self::Same => owned,
            Self::Pixels => Ownership { bytes: usize::from(value) * channels.count(), ..owned },
            Self::Rows => Ownership { rows: usize::from(value), ..owned },
            Self::Bytes(bytes) => Ownership { bytes: bytes(value), ..owned },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Channels, Ownership, Owns};
    use crate::Variant;

    #[test]
    fn a_variant_owns_what_its_stages_say() {
        let owned = |name: &str, channels| {
            let owned = Variant::parse(name).expect("known").owned(channels);
            (owned.bytes, owned.rows)
        };
        assert_eq!((owned("naive", Channels::Gray), owned("naive", Channels::Rgb)), ((1, 1), (3, 1)));
        // Five pixels of three bytes; sixteen of one.
        assert_eq!(owned("padded+vectorize=5", Channels::Rgb), (15, 1));
        assert_eq!(owned("rows=2+block=16", Channels::Gray), (16, 2));
        assert_eq!(owned("padded+vectorize=4+rows=8", Channels::Rgb), (12, 8));
        // Four ints are 16 bytes, as are sixteen chars.
        assert_eq!((owned("padded+access=int4", Channels::Rgb), owned("padded+access=uchar16", Channels::Gray)), ((16, 1), (16, 1)));
    }

    #[test]
    fn words_that_are_no_whole_pixels_cover_every_byte() {
        // Two 32-bit words of each of two rows. 67 pixels of RGB are 201 bytes: 25 times 8, and 1 left over.
        let words = Owns::Bytes(|value| 4 * usize::from(value)).changed(Ownership { bytes: 3, rows: 2 }, 2, Channels::Rgb);
        assert_eq!(words, Ownership { bytes: 8, rows: 2 });
        assert_eq!(words.items(201, 35), [26, 18]);
        // 26 · 8 − 201 = 7, which is as bad as it gets.
        assert_eq!((words.surplus_bytes(Channels::Rgb), words.surplus_rows()), (7, 1));
        // A row that fits exactly.
        assert_eq!(words.items(24, 2), [3, 1]);
    }

    #[test]
    fn the_surplus_is_the_worst_of_all_widths() {
        for channels in Channels::ALL {
            for bytes in [1, 3, 4, 8, 12, 15, 16, 24, 32].into_iter().filter(|bytes| bytes % channels.count() == 0 || bytes % 4 == 0) {
                let owned = Ownership { bytes, rows: 1 };
                let past = |width: usize| owned.items(width * channels.count(), 1)[0] * bytes - width * channels.count();
                assert_eq!((1..=200).map(past).max(), Some(owned.surplus_bytes(channels)), "{bytes} bytes of {channels:?}");
            }
        }
        assert_eq!(Ownership::pixels(4, Channels::Rgb).surplus_bytes(Channels::Rgb), 9);
    }
}
