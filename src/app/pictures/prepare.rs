//! From byte pictures to what the GPU takes: colors of one place of one source. Runs on the view thread, never on the window's.

use super::pyramid::{Place, Pyramid};
use super::reduce::reduced_row;
use egui::{Color32, ColorImage};
use model::Channels;
use pictures::{Picture, luma};
use rayon::prelude::*;
use std::sync::Arc;

/// What is to be seen. Two sources are equal where they are made from the same pictures in memory, not from equal ones.
#[derive(Clone, Debug)]
pub enum Source {
    /// A picture as it is; alpha becomes transparency.
    Picture(Arc<Picture>),
    /// A picture in color as the gray that a filter computes of it.
    Luma(Arc<Picture>),
    /// |filtered − against| × gain for each channel, saturated. Where one is gray and the other is not, their luma is compared.
    Difference {
        /// The filter's output.
        filtered: Arc<Picture>,
        /// The original or the reference, of the same size.
        against: Arc<Picture>,
        /// 1 to 64.
        gain: u8,
    },
}

impl Source {
    /// The levels of this source.
    #[must_use]
    pub fn pyramid(&self) -> Pyramid {
        let picture = self.filtered();
        Pyramid { size_px: [picture.width_px(), picture.height_px()] }
    }

    /// True where a background shines through.
    #[must_use]
    pub fn has_alpha(&self) -> bool {
        matches!(self, Self::Picture(picture) | Self::Luma(picture) if picture.alpha().is_some())
    }

    /// The same view of another output of the filter.
    #[must_use]
    pub fn with_filtered(&self, new: &Arc<Picture>) -> Self {
        match self {
            Self::Picture(_) | Self::Luma(_) => Self::Picture(Arc::clone(new)),
            Self::Difference { against, gain, .. } => {
                Self::Difference { filtered: Arc::clone(new), against: Arc::clone(against), gain: *gain }
            }
        }
    }

    /// The picture itself, or the first of the two that are compared.
    #[must_use]
    pub fn filtered(&self) -> &Arc<Picture> {
        match self {
            Self::Picture(picture) | Self::Luma(picture) => picture,
            Self::Difference { filtered, .. } => filtered,
        }
    }
}

impl PartialEq for Source {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Picture(a), Self::Picture(b)) | (Self::Luma(a), Self::Luma(b)) => Arc::ptr_eq(a, b),
            (
                Self::Difference { filtered: a, against: b, gain: c },
                Self::Difference { filtered: other_a, against: other_b, gain: other_c },
            ) => Arc::ptr_eq(a, other_a) && Arc::ptr_eq(b, other_b) && c == other_c,
            _ => false,
        }
    }
}

/// A part of a source that becomes one texture.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    /// Of what.
    pub source: Source,
    /// Which part.
    pub place: Place,
}

/// The colors of `chunk`, computed over all threads of the pool that it is called in; `None` once `is_stale` says so.
///
/// A pixel of a reduced level is the mean of the pixels that it stands for, rounded half up. Of a difference it is the largest:
/// one wrong pixel in a large picture must stay visible.
#[must_use]
pub fn prepare(chunk: &Chunk, is_stale: &(dyn Fn() -> bool + Sync)) -> Option<ColorImage> {
    let Chunk { source, place } = chunk;
    let region = source.pyramid().region(*place);
    let size = [region.width(), region.height()];
    let mut pixels = vec![Color32::TRANSPARENT; size[0] * size[1]];
    pixels.par_chunks_exact_mut(size[0].max(1)).enumerate().for_each(|(row, out)| {
        if !is_stale() {
            let y = region.y0 + row;
            if place.level == 0 { native_row(source, y, region.x0, out) } else { reduced_row(source, place.level, y, &region, out) }
        }
    });
    (!is_stale()).then(|| ColorImage::new(size, pixels))
}

/// Row `y` of level 0 from column `x0` on.
pub(super) fn native_row(source: &Source, y: usize, x0: usize, out: &mut [Color32]) {
    match source {
        Source::Picture(picture) => picture_row(picture, y, x0, out),
        Source::Luma(picture) => {
            gray_row(out, triples(row_of(picture, y, x0, out.len())).iter().copied().map(luma));
            apply_alpha(picture, y, x0, out);
        }
        Source::Difference { filtered, against, gain } => {
            let amplify = |a: u8, b: u8| (u16::from(a.abs_diff(b)) * u16::from(*gain)).min(255) as u8;
            let (a, b) = (row_of(filtered, y, x0, out.len()), row_of(against, y, x0, out.len()));
            match (filtered.channels(), against.channels()) {
                (Channels::Rgb, Channels::Rgb) => {
                    for ((out, a), b) in out.iter_mut().zip(triples(a)).zip(triples(b)) {
                        *out = Color32::from_rgb(amplify(a[0], b[0]), amplify(a[1], b[1]), amplify(a[2], b[2]));
                    }
                }
                (Channels::Gray, Channels::Gray) => gray_row(out, a.iter().zip(b).map(|(&a, &b)| amplify(a, b))),
                (Channels::Gray, Channels::Rgb) => gray_row(out, a.iter().zip(triples(b)).map(|(&a, b)| amplify(a, luma(*b)))),
                (Channels::Rgb, Channels::Gray) => gray_row(out, triples(a).iter().zip(b).map(|(a, &b)| amplify(luma(*a), b))),
            }
        }
    }
}

fn gray_row(out: &mut [Color32], values: impl Iterator<Item = u8>) {
    for (out, value) in out.iter_mut().zip(values) {
        *out = Color32::from_gray(value);
    }
}

fn picture_row(picture: &Picture, y: usize, x0: usize, out: &mut [Color32]) {
    let bytes = row_of(picture, y, x0, out.len());
    match picture.channels() {
        Channels::Gray => gray_row(out, bytes.iter().copied()),
        Channels::Rgb => {
            for (out, pixel) in out.iter_mut().zip(triples(bytes)) {
                *out = Color32::from_rgb(pixel[0], pixel[1], pixel[2]);
            }
        }
    }
    apply_alpha(picture, y, x0, out);
}

/// Makes row `y` from column `x0` on as transparent as the picture is.
fn apply_alpha(picture: &Picture, y: usize, x0: usize, out: &mut [Color32]) {
    let start = y * picture.width_px() + x0;
    if let Some(alpha) = picture.alpha().and_then(|plane| plane.get(start..start + out.len())) {
        for (out, &alpha) in out.iter_mut().zip(alpha) {
            let [red, green, blue, _] = out.to_array().map(|value| ((u16::from(value) * u16::from(alpha) + 127) / 255) as u8);
            *out = Color32::from_rgba_premultiplied(red, green, blue, alpha);
        }
    }
}

/// The color bytes of `count` pixels from (`x0`, `y`) on; empty outside.
pub(super) fn row_of(picture: &Picture, y: usize, x0: usize, count: usize) -> &[u8] {
    let channels = picture.channels().count();
    let start = y * picture.row_bytes() + x0 * channels;
    picture.bytes().get(start..start + count * channels).unwrap_or_default()
}

fn triples(bytes: &[u8]) -> &[[u8; 3]] {
    bytes.as_chunks().0
}

#[cfg(test)]
mod tests {
    use super::{Chunk, Place, Source, prepare};
    use crate::testing::noise;
    use egui::{Color32, ColorImage};
    use model::Channels;
    use pictures::Picture;
    use std::sync::Arc;

    fn made(source: &Source, place: Place) -> ColorImage {
        prepare(&Chunk { source: source.clone(), place }, &|| false).expect("not stale")
    }

    const NATIVE: Place = Place { level: 0, cell: None };

    #[test]
    fn level_0_is_the_picture_itself() {
        for channels in Channels::ALL {
            let picture = noise(7, 5, channels);
            let image = made(&Source::Picture(Arc::new(picture.clone())), NATIVE);
            assert_eq!(image.size, [7, 5]);
            for y in 0..5 {
                for x in 0..7 {
                    let pixel = picture.pixel(x, y).expect("inside");
                    let expected = Color32::from_rgb(pixel[0], pixel[pixel.len() / 2], pixel[pixel.len() - 1]);
                    assert_eq!(image[(x, y)], expected, "{x} {y}");
                }
            }
        }
    }

    #[test]
    fn a_cell_is_its_part_of_the_level() {
        let source = Source::Picture(Arc::new(noise(1300, 1100, Channels::Rgb)));
        for level in [0, 1] {
            let whole = made(&source, Place { level, cell: None });
            let cell = made(&source, Place { level, cell: Some([1, 1]) });
            for (x, y) in [(0, 0), (5, 17), (cell.size[0] - 1, cell.size[1] - 1)] {
                assert_eq!(cell[(x, y)], whole[(x + 512, y + 512)], "level {level}: {x} {y}");
            }
        }
    }

    #[test]
    fn a_reduced_pixel_is_the_mean_of_those_it_stands_for() {
        let picture = Picture::new(3, 3, Channels::Gray, vec![0, 10, 100, 20, 32, 201, 7, 8, 9]).expect("a picture");
        let image = made(&Source::Picture(Arc::new(picture)), Place { level: 1, cell: None });
        assert_eq!(image.size, [2, 2]);
        // (0 + 10 + 20 + 32) / 4 = 15.5; (100 + 201) / 2 = 150.5; (7 + 8) / 2 = 7.5; 9 alone.
        let values: Vec<_> = image.pixels.iter().map(egui::Color32::r).collect();
        assert_eq!(values, [16, 151, 8, 9]);
        assert!(image.pixels.iter().all(|color| color.a() == 255));
    }

    #[test]
    fn a_difference_is_amplified_and_saturates() {
        let filtered = Arc::new(Picture::new(2, 1, Channels::Rgb, vec![10, 20, 30, 200, 0, 7]).expect("a picture"));
        let against = Arc::new(Picture::new(2, 1, Channels::Rgb, vec![13, 20, 29, 0, 100, 7]).expect("a picture"));
        let image = made(&Source::Difference { filtered, against, gain: 4 }, NATIVE);
        assert_eq!(image.pixels, [Color32::from_rgb(12, 0, 4), Color32::from_rgb(255, 255, 0)]);
    }

    #[test]
    fn a_color_picture_is_shown_as_the_gray_that_is_computed_of_it() {
        let color = Arc::new(noise(37, 21, Channels::Rgb).with_alpha(Some((0..37 * 21).map(|index| index as u8).collect())));
        let gray = Source::Picture(Arc::new(color.to_channels(Channels::Gray)));
        let source = Source::Luma(color);
        assert!(source.has_alpha());
        for level in [0, 2] {
            let place = Place { level, cell: None };
            assert_eq!(made(&source, place), made(&gray, place), "level {level}");
        }
    }

    #[test]
    fn gray_is_compared_with_the_luma_of_a_color_picture() {
        let color = Arc::new(noise(9, 4, Channels::Rgb));
        let gray = Arc::new(color.to_channels(Channels::Gray));
        for (filtered, against) in [(&gray, &color), (&color, &gray)] {
            let source = Source::Difference { filtered: Arc::clone(filtered), against: Arc::clone(against), gain: 64 };
            assert!(made(&source, NATIVE).pixels.iter().all(|&pixel| pixel == Color32::BLACK));
        }
    }

    #[test]
    fn one_wrong_pixel_stays_visible_when_reduced() {
        let original = Arc::new(noise(64, 64, Channels::Gray));
        let mut wrong = Picture::clone(&original);
        wrong.bytes_mut()[64 * 40 + 33] ^= 0x80;
        let source = Source::Difference { filtered: Arc::new(wrong), against: original, gain: 1 };
        let image = made(&source, Place { level: 3, cell: None });
        let lit: Vec<_> = image.pixels.iter().enumerate().filter(|(_, color)| color.r() == 128).map(|(index, _)| index).collect();
        assert_eq!(lit, [5 * 8 + 4]);
    }

    #[test]
    fn alpha_becomes_transparency() {
        let picture = Picture::new(2, 1, Channels::Gray, vec![201, 201]).expect("a picture").with_alpha(Some(vec![0, 128]));
        let source = Source::Picture(Arc::new(picture));
        assert!(source.has_alpha());
        assert_eq!(made(&source, NATIVE).pixels, [Color32::TRANSPARENT, Color32::from_rgba_premultiplied(101, 101, 101, 128)]);
        assert_eq!(made(&source, Place { level: 1, cell: None }).pixels, [Color32::from_rgba_premultiplied(51, 51, 51, 64)]);
    }

    #[test]
    fn a_stale_chunk_is_given_up() {
        let source = Source::Picture(Arc::new(noise(4, 4, Channels::Gray)));
        assert!(prepare(&Chunk { source, place: NATIVE }, &|| true).is_none());
    }
}
