//! Bilateral, plainly.

use crate::{BorderMode, Channels, Pixels};
use std::ops::Range;

/// The window and its weights: the definition, in double precision.
pub struct Window {
    /// How far the farthest neighbors are.
    pub radius_px: usize,
    /// Standard deviation of the weight in space, in pixels.
    pub sigma_space: f64,
    /// Standard deviation of the weight in color, in steps of 0–255.
    pub sigma_color: f64,
}

impl Window {
    /// (dx, dy) of every neighbor, the center included: dx² + dy² ≤ radius².
    pub fn places(&self) -> impl Iterator<Item = (isize, isize)> + use<> {
        let radius = self.radius_px.cast_signed();
        let square = (-radius..=radius).flat_map(move |dy| (-radius..=radius).map(move |dx| (dx, dy)));
        square.filter(move |(dx, dy)| dx * dx + dy * dy <= radius * radius)
    }

    /// The weight of a neighbor that far away: 1 at the center.
    #[must_use]
    pub fn near(&self, (dx, dy): (isize, isize)) -> f64 {
        (-((dx * dx + dy * dy) as f64) / (2.0 * self.sigma_space * self.sigma_space)).exp()
    }

    /// The weight of a neighbor whose channels differ by `difference` in all.
    #[must_use]
    pub fn alike(&self, difference: usize) -> f64 {
        (-((difference * difference) as f64) / (2.0 * self.sigma_color * self.sigma_color)).exp()
    }

    /// The weights of every difference that pixels of so many channels can have.
    #[must_use]
    pub fn all_alike(&self, channels: usize) -> Vec<f64> {
        (0..=255 * channels).map(|difference| self.alike(difference)).collect()
    }

    /// Whether the square around the window leaves a picture of that size, so that `copy` keeps the pixel.
    #[must_use]
    pub fn leaves(&self, (x, y): (usize, usize), width_px: usize, height_px: usize) -> bool {
        x < self.radius_px || y < self.radius_px || x + self.radius_px >= width_px || y + self.radius_px >= height_px
    }
}

/// The output bytes of the given rows, which lie inside the picture: in double precision, rounded to nearest. Weights of differences are computed once for all pixels, columns are mapped
/// once for all rows.
#[must_use]
pub fn rows(picture: Pixels, border: BorderMode, window: &Window, rows: Range<usize>) -> Vec<u8> {
    match picture.channels {
        Channels::Gray => reference_pixels::<1>(picture, border, window, rows),
        Channels::Rgb => reference_pixels::<3>(picture, border, window, rows),
    }
}

fn reference_pixels<const CHANNELS: usize>(picture: Pixels, border: BorderMode, window: &Window, rows: Range<usize>) -> Vec<u8> {
    let (width, height, radius) = (picture.width_px, picture.height_px, window.radius_px.cast_signed());
    let alike = window.all_alike(CHANNELS);
    let places: Vec<_> = window.places().map(|place| (place, window.near(place))).collect();
    let columns: Vec<usize> = (-radius..width.cast_signed() + radius).map(|x| border.source_index(x, width)).collect();
    let (pixels, _) = picture.bytes.as_chunks::<CHANNELS>();
    let mut output = Vec::with_capacity(rows.len() * picture.row_bytes());
    for y in rows {
        // The row dy below is number dy + radius.
        let around: Vec<&[[u8; CHANNELS]]> = (-radius..=radius)
            .map(|dy| border.source_index(y.cast_signed() + dy, height) * width)
            .map(|start| pixels.get(start..start + width).unwrap_or_default())
            .collect();
        let at = |x: usize, (dx, dy): (isize, isize)| {
            let column = columns.get((x.cast_signed() + dx + radius).cast_unsigned());
            column.zip(around.get((dy + radius).cast_unsigned())).and_then(|(&column, row)| row.get(column)).copied()
        };
        for x in 0..width {
            let center = at(x, (0, 0)).unwrap_or([0; CHANNELS]);
            if border == BorderMode::Copy && window.leaves((x, y), width, height) {
                output.extend(center);
                continue;
            }
            let (mut sums, mut weights) = ([0.0; CHANNELS], 0.0);
            for &(place, near) in &places {
                let Some(neighbor) = at(x, place) else { continue };
                let difference: usize = neighbor.iter().zip(&center).map(|(&a, &b)| usize::from(a.abs_diff(b))).sum();
                let weight = near * alike.get(difference).copied().unwrap_or(0.0);
                sums.iter_mut().zip(neighbor).for_each(|(sum, value)| *sum += weight * f64::from(value));
                weights += weight;
            }
            output.extend(sums.map(|sum| (sum / weights).round() as u8));
        }
    }
    output
}
