//! The picture as this crate sees it: bytes of others.

use crate::{BorderMode, Channels};

/// A picture in somebody's memory: `height_px` rows of `width_px * channels` bytes without any gap between rows. Neither side is 0.
#[derive(Clone, Copy)]
pub struct Pixels<'a> {
    /// Width in pixels.
    pub width_px: usize,
    /// Height in pixels.
    pub height_px: usize,
    /// Gray or RGB.
    pub channels: Channels,
    /// All rows. Where they are fewer than the height says, what is missing reads as 0.
    pub bytes: &'a [u8],
}

impl<'a> Pixels<'a> {
    /// Bytes per row.
    #[inline(always)]
    #[must_use]
    pub fn row_bytes(self) -> usize {
        self.width_px * self.channels.count()
    }

    /// The bytes of pixel (x, y), or `None` outside.
    #[inline(always)]
    #[must_use]
    pub fn pixel(self, x: usize, y: usize) -> Option<&'a [u8]> {
        if x >= self.width_px || y >= self.height_px {
            return None;
        }
        let count = self.channels.count();
        let start = (y * self.width_px + x) * count;
        self.bytes.get(start..start + count)
    }

    /// A byte of the pixel at (x, y), which may lie outside: `border` names the one that stands for it.
    #[inline(always)]
    #[must_use]
    pub fn byte(self, border: BorderMode, x: isize, y: isize, channel: usize) -> u8 {
        let pixel = self.pixel(border.source_index(x, self.width_px), border.source_index(y, self.height_px));
        pixel.and_then(|bytes| bytes.get(channel)).copied().unwrap_or(0)
    }
}
