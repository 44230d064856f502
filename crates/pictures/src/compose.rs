//! Two pictures made into one: side by side, and their difference.

use super::{Channels, Picture};

/// White columns between the two pictures.
const GAP_PX: usize = 8;

/// Both pictures next to each other on white, eight columns apart, tops aligned. RGB where either is; alpha where either has it.
#[must_use]
pub fn side_by_side(left: &Picture, right: &Picture) -> Picture {
    let (left, right) = in_same_channels(left, right);
    let (width_px, height_px) = (left.width_px + GAP_PX + right.width_px, left.height_px.max(right.height_px));
    let channels = left.channels;
    let join = |left_plane: &[u8], right_plane: &[u8], bytes_per_pixel: usize| {
        let mut bytes = vec![u8::MAX; width_px * height_px * bytes_per_pixel];
        let right_start = (left.width_px + GAP_PX) * bytes_per_pixel;
        let sides = [(left_plane, left.width_px, 0), (right_plane, right.width_px, right_start)];
        for (plane, side_width_px, start) in sides {
            let row_bytes = side_width_px * bytes_per_pixel;
            for (row, target) in plane.chunks_exact(row_bytes).zip(bytes.chunks_exact_mut(width_px * bytes_per_pixel)) {
                if let Some(target) = target.get_mut(start..start + row_bytes) {
                    target.copy_from_slice(row);
                }
            }
        }
        bytes
    };
    // Where only one has alpha, the other is opaque: an empty plane leaves the 255 that stands there.
    let alpha = (left.alpha.is_some() || right.alpha.is_some())
        .then(|| join(left.alpha().unwrap_or_default(), right.alpha().unwrap_or_default(), 1));
    let bytes = join(&left.bytes, &right.bytes, channels.count()).into();
    Picture { width_px, height_px, channels, bytes, alpha: None }.with_alpha(alpha)
}

/// min(255, |a − b| × `gain`) of every byte, over the area that both pictures cover; RGB where either is. Alpha is not compared.
#[must_use]
pub fn difference(a: &Picture, b: &Picture, gain: u32) -> Picture {
    let (a, b) = in_same_channels(a, b);
    let (width_px, height_px) = (a.width_px.min(b.width_px), a.height_px.min(b.height_px));
    let row_bytes = width_px * a.channels.count();
    let rows = a.bytes.chunks_exact(a.row_bytes()).zip(b.bytes.chunks_exact(b.row_bytes())).take(height_px);
    let mut bytes = Vec::with_capacity(row_bytes * height_px);
    for (row_a, row_b) in rows {
        let pairs = row_a.iter().zip(row_b).take(row_bytes);
        bytes.extend(pairs.map(|(&a, &b)| u32::from(a.abs_diff(b)).saturating_mul(gain).min(255) as u8));
    }
    Picture { width_px, height_px, channels: a.channels, bytes: bytes.into(), alpha: None }
}

type Shared<'a> = std::borrow::Cow<'a, Picture>;

fn in_same_channels<'a>(a: &'a Picture, b: &'a Picture) -> (Shared<'a>, Shared<'a>) {
    let as_rgb = |picture: &'a Picture, other: &Picture| match (picture.channels, other.channels) {
        (Channels::Gray, Channels::Rgb) => Shared::Owned(picture.to_channels(Channels::Rgb)),
        _ => Shared::Borrowed(picture),
    };
    (as_rgb(a, b), as_rgb(b, a))
}

#[cfg(test)]
mod tests {
    use super::{Channels, Picture, difference, side_by_side};

    fn gray(width_px: usize, bytes: &[u8]) -> Picture {
        Picture::new(width_px, bytes.len() / width_px, Channels::Gray, bytes.to_vec()).expect("whole rows")
    }

    #[test]
    fn side_by_side_keeps_both_and_fills_with_white() {
        let both = side_by_side(&gray(2, &[1, 2]), &gray(1, &[3, 4]).with_alpha(Some(vec![5, 6])));
        assert_eq!((both.width_px(), both.height_px()), (11, 2));
        let white = [255; 8];
        assert_eq!(both.bytes(), [&[1, 2][..], &white, &[3, 255, 255], &white, &[4]].concat());
        assert_eq!(both.alpha().map(<[u8]>::to_vec), Some([&[255; 10][..], &[5], &[255; 10], &[6]].concat()));
    }

    #[test]
    fn gray_beside_rgb_becomes_rgb() {
        let rgb = Picture::new(1, 1, Channels::Rgb, vec![1, 2, 3]).expect("a pixel");
        let both = side_by_side(&gray(1, &[9]), &rgb);
        assert_eq!(both.pixel(0, 0), Some(&[9, 9, 9][..]));
        assert_eq!(both.pixel(9, 0), Some(&[1, 2, 3][..]));
        assert!(both.alpha().is_none());
    }

    #[test]
    fn difference_is_absolute_amplified_and_saturated() {
        let (a, b) = (gray(4, &[10, 20, 0, 200]), gray(4, &[13, 10, 255, 200]));
        assert_eq!(difference(&a, &b, 1).bytes(), [3, 10, 255, 0]);
        assert_eq!(difference(&b, &a, 20).bytes(), [60, 200, 255, 0]);
        assert_eq!(difference(&a, &b, u32::MAX).bytes(), [255, 255, 255, 0]);
        assert_eq!(difference(&a, &b, 0).bytes(), [0; 4]);
    }

    #[test]
    fn difference_of_unlike_sizes_covers_what_both_have() {
        let small = difference(&gray(3, &[1, 2, 3, 4, 5, 6]), &gray(2, &[0, 0]), 1);
        assert_eq!((small.width_px(), small.height_px(), small.bytes()), (2, 1, &[1, 2][..]));
    }
}
