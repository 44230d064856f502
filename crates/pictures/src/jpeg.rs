//! What the JPEG decoder does not tell: how many components there are, and whether the data are complete.
//!
//! Marker segments as in ITU-T T.81 annex B: `FF`, a code, and (but for a few codes) a length of two bytes that counts itself.

/// What [`scan`] finds in the marker segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct JpegFacts {
    /// Components of the frame: 1 gray, 3 color, 4 CMYK or YCCK; 0 where there is no frame header.
    pub components: u8,
    /// The end-of-image marker was reached. Without it the last rows are missing, and a lenient decoder makes them up.
    pub is_complete: bool,
}

/// Walks the marker segments without decoding anything. A thumbnail inside a segment is stepped over, not mistaken for the end.
pub(super) fn scan(bytes: &[u8]) -> JpegFacts {
    let mut facts = JpegFacts::default();
    let mut at = 0;
    while let Some(code) = next_marker(bytes, &mut at) {
        match code {
            0xD9 => {
                facts.is_complete = true;
                break;
            }
            // Start of image, restarts and TEM have no length.
            0xD8 | 0xD0..=0xD7 | 0x01 => {}
            _ => {
                let Some(&[high, low]) = bytes.get(at..at + 2) else { break };
                // Frame headers: C0 to CF but for DHT, JPG and DAC. Length, precision, height, width, component count.
                if matches!(code, 0xC0..=0xCF) && !matches!(code, 0xC4 | 0xC8 | 0xCC) {
                    facts.components = bytes.get(at + 7).copied().unwrap_or(0);
                }
                at += usize::from(u16::from_be_bytes([high, low])).max(2);
            }
        }
    }
    facts
}

/// The code of the next marker at or after `at`, which is left behind it. Entropy-coded bytes, stuffed zeros and fill bytes are skipped.
fn next_marker(bytes: &[u8], at: &mut usize) -> Option<u8> {
    loop {
        *at += bytes.get(*at..)?.iter().position(|&byte| byte == 0xFF)? + 1;
        match *bytes.get(*at)? {
            0x00 => *at += 1,
            0xFF => {}
            code => {
                *at += 1;
                return Some(code);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{JpegFacts, scan};

    const FRAME: [u8; 12] = [0xFF, 0xC0, 0, 11, 8, 0, 1, 0, 1, 4, 0x11, 0];

    #[test]
    fn components_and_end_are_found() {
        let jpeg = [&[0xFF, 0xD8][..], &FRAME, &[0, 0, 0xFF, 0xDA, 0, 2, 1, 2, 0xFF, 0, 3, 0xFF, 0xD9]].concat();
        assert_eq!(scan(&jpeg), JpegFacts { components: 4, is_complete: true });
        assert_eq!(scan(&jpeg[..jpeg.len() - 1]), JpegFacts { components: 4, is_complete: false });
    }

    #[test]
    fn the_end_of_a_thumbnail_is_not_the_end() {
        let with_thumbnail = [0xFF, 0xD8, 0xFF, 0xE1, 0, 6, 0xFF, 0xD8, 0xFF, 0xD9];
        assert!(!scan(&with_thumbnail).is_complete);
    }

    #[test]
    fn every_cut_of_anything_is_survived() {
        let jpeg = [&[0xFF, 0xD8][..], &FRAME, &[0xFF]].concat();
        for end in 0..jpeg.len() {
            assert!(!scan(&jpeg[..end]).is_complete);
        }
    }
}
