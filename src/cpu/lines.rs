//! Rows of a picture as SIMD code wants them: whole lines, 16-bit lanes, a halo on both sides instead of border tests.

use crate::image::{BorderMode, Picture};

/// The rows above, at and below row `y`, each `picture.row_bytes()` long; beyond the edge by `border`. `None` below the picture.
#[inline]
pub fn rows_around(picture: &Picture, border: BorderMode, y: usize) -> Option<[&[u8]; 3]> {
    let row_bytes = picture.row_bytes();
    let row = |y: isize| {
        let start = border.source_index(y, picture.height_px()) * row_bytes;
        picture.bytes().get(start..start + row_bytes)
    };
    let y = isize::try_from(y).ok().filter(|&y| y.unsigned_abs() < picture.height_px())?;
    Some([row(y - 1)?, row(y)?, row(y + 1)?])
}

/// One row of 16-bit values with a halo of one pixel on both sides, so that neighbors to the left and right always exist.
pub struct HaloLine {
    channels: usize,
    values: Vec<u16>,
}

impl HaloLine {
    /// A line for rows of `picture`, all 0.
    pub fn new(picture: &Picture) -> Self {
        let channels = picture.channels().count();
        Self { channels, values: vec![0; picture.row_bytes() + 2 * channels] }
    }

    /// The row without its halo, to be written.
    #[inline(always)]
    pub fn inner_mut(&mut self) -> &mut [u16] {
        let end = self.values.len() - self.channels;
        self.values.get_mut(self.channels..end).unwrap_or_default()
    }

    /// Fills the halo from the row as `border` says.
    #[inline]
    pub fn fill_halo(&mut self, border: BorderMode) {
        let channels = self.channels;
        let width = self.values.len() / channels - 2;
        let Ok(after) = isize::try_from(width) else { return };
        for (place, x) in [(0, -1), (width + 1, after)] {
            let from = (border.source_index(x, width) + 1) * channels;
            self.values.copy_within(from..from + channels, place * channels);
        }
    }

    /// The neighbors to the left, the values themselves and the neighbors to the right, each as long as the row.
    #[inline(always)]
    pub fn neighbors(&self) -> [&[u16]; 3] {
        let length = self.values.len() - 2 * self.channels;
        [0, self.channels, 2 * self.channels].map(|start| self.values.get(start..start + length).unwrap_or_default())
    }
}
