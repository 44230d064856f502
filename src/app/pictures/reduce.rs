//! Rows of reduced levels.

use super::prepare::{Source, native_row, row_of};
use super::pyramid::Region;
use egui::Color32;
use pictures::Picture;

/// Up to this level a column of bytes sums up in 16 bits: 2^8 rows × 255 < 2^16.
const MAX_LEVEL_OF_16_BITS: u8 = 8;

/// Row `y` of a reduced level, columns of `region`: means rounded half up, of differences the largest.
pub fn reduced_row(source: &Source, level: u8, y: usize, region: &Region, out: &mut [Color32]) {
    match source {
        Source::Picture(picture) if picture.alpha().is_none() && level <= MAX_LEVEL_OF_16_BITS => {
            mean_row_of_bytes(picture, level, y, region, out);
        }
        Source::Picture(_) | Source::Luma(_) => row_of_colors(source, level, y, region, out, |total, value| total + value, true),
        Source::Difference { .. } => row_of_colors(source, level, y, region, out, u32::max, false),
    }
}

/// Columns first, a whole row at a time: that loop is one the compiler vectorizes, and it reads memory in order.
fn mean_row_of_bytes(picture: &Picture, level: u8, y: usize, region: &Region, out: &mut [Color32]) {
    let factor = 1_usize << level;
    let (x0, x1) = (region.x0 * factor, (region.x1 * factor).min(picture.width_px()));
    let rows = y * factor..((y + 1) * factor).min(picture.height_px());
    let channels = picture.channels().count();
    let mut columns = vec![0_u16; (x1 - x0) * channels];
    for row in rows.clone() {
        for (total, &byte) in columns.iter_mut().zip(row_of(picture, row, x0, x1 - x0)) {
            *total += u16::from(byte);
        }
    }
    for (out, block) in out.iter_mut().zip(columns.chunks(factor * channels)) {
        let count = (block.len() / channels * rows.len()) as u32;
        let mean = |channel: usize| mean(block.iter().skip(channel).step_by(channels).map(|&value| u32::from(value)).sum(), count);
        *out = if channels == 1 { Color32::from_gray(mean(0)) } else { Color32::from_rgb(mean(0), mean(1), mean(2)) };
    }
}

/// The same over finished colors, for what is not bytes in a row: transparency and differences.
fn row_of_colors(
    source: &Source,
    level: u8,
    y: usize,
    region: &Region,
    out: &mut [Color32],
    fold: impl Fn(u32, u32) -> u32,
    is_mean: bool,
) {
    let [width, height] = source.pyramid().size_px;
    let factor = 1_usize << level;
    let (x0, x1) = (region.x0 * factor, (region.x1 * factor).min(width));
    let rows = y * factor..((y + 1) * factor).min(height);
    let mut native = vec![Color32::TRANSPARENT; x1 - x0];
    let mut totals = vec![[0_u32; 4]; out.len()];
    for row in rows.clone() {
        native_row(source, row, x0, &mut native);
        for (total, block) in totals.iter_mut().zip(native.chunks(factor)) {
            for color in block {
                for (total, value) in total.iter_mut().zip(color.to_array()) {
                    *total = fold(*total, u32::from(value));
                }
            }
        }
    }
    for ((out, total), block) in out.iter_mut().zip(&totals).zip(native.chunks(factor)) {
        let count = if is_mean { (block.len() * rows.len()) as u32 } else { 1 };
        let [red, green, blue, alpha] = total.map(|total| mean(total, count));
        *out = Color32::from_rgba_premultiplied(red, green, blue, alpha);
    }
}

/// Rounded half up; a shift where the block is whole, as nearly all are.
fn mean(total: u32, count: u32) -> u8 {
    let rounded = total + count / 2;
    if count.is_power_of_two() { (rounded >> count.trailing_zeros()) as u8 } else { (rounded / count.max(1)) as u8 }
}

#[cfg(test)]
mod tests {
    use super::super::prepare::Source;
    use super::super::pyramid::Region;
    use super::reduced_row;
    use egui::Color32;
    use model::Channels;
    use pictures::Picture;
    use std::sync::Arc;

    fn row(picture: &Picture, level: u8, y: usize) -> Vec<Color32> {
        let source = Source::Picture(Arc::new(picture.clone()));
        let [width, height] = source.pyramid().level_size(level);
        let mut out = vec![Color32::TRANSPARENT; width];
        reduced_row(&source, level, y, &Region { x0: 0, y0: 0, x1: width, y1: height }, &mut out);
        out
    }

    #[test]
    fn bytes_and_colors_give_the_same_means() {
        for channels in Channels::ALL {
            let bytes = Picture::from_fn(77, 41, channels, |x, y, channel| (x * x + 31 * y + 7 * channel) as u8);
            let colors = bytes.clone().with_alpha(Some(vec![255; 77 * 41]));
            for level in 1..=7 {
                let last = 41_usize.div_ceil(1 << level) - 1;
                for y in [0, last] {
                    assert_eq!(row(&bytes, level, y), row(&colors, level, y), "level {level}, row {y}");
                }
            }
        }
    }

    #[test]
    fn a_column_of_256_white_rows_does_not_overflow() {
        let white = Picture::from_fn(3, 300, Channels::Gray, |_, _, _| 255);
        assert_eq!(row(&white, 8, 0), [Color32::WHITE]);
        assert_eq!(row(&white, 9, 0), [Color32::WHITE]);
    }
}
