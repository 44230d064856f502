//! How a picture lies in a device buffer: tight, or padded with a halo and slack.

use super::{BorderMode, Channels, Picture};
use serde::{Deserialize, Serialize};

/// Padded pitches are a multiple of this many bytes: no common device has a longer cache line, and rows start aligned.
pub const PITCH_ALIGNMENT_BYTES: usize = 128;

/// The place of every pixel in a buffer: pixel (x, y) begins at byte `origin_bytes + y * pitch_bytes + x * channels`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Layout {
    /// Width in pixels.
    pub width_px: usize,
    /// Height in pixels.
    pub height_px: usize,
    /// Gray or RGB.
    pub channels: Channels,
    /// Rows and columns of made-up neighbors around the picture (0 in a tight layout).
    pub halo_px: usize,
    /// Bytes from one row to the next.
    pub pitch_bytes: usize,
    /// Byte offset of pixel (0, 0).
    pub origin_bytes: usize,
    /// Rows that may be addressed below the last one (halo, and the surplus rows of the last work-item).
    pub rows_below: usize,
    /// Size of the whole buffer in bytes.
    pub total_bytes: usize,
}

impl Layout {
    /// Rows follow each other without a gap: pitch = width × channels, no halo.
    #[must_use]
    pub fn tight(width_px: usize, height_px: usize, channels: Channels) -> Self {
        let pitch_bytes = width_px * channels.count();
        Self {
            width_px,
            height_px,
            channels,
            halo_px: 0,
            pitch_bytes,
            origin_bytes: 0,
            rows_below: 0,
            total_bytes: pitch_bytes * height_px,
        }
    }

    /// Pitch a multiple of 128 bytes, a left margin of 128 bytes or more that ends in the halo, `slack_bytes` addressable after
    /// the last pixel of every row (the halo included), and `surplus_rows` addressable rows below the halo.
    #[must_use]
    pub fn padded(width_px: usize, height_px: usize, channels: Channels, halo_px: usize, slack_bytes: usize, surplus_rows: usize) -> Self {
        let halo_bytes = halo_px * channels.count();
        let left_bytes = halo_bytes.next_multiple_of(PITCH_ALIGNMENT_BYTES);
        let right_bytes = slack_bytes.max(halo_bytes);
        let pitch_bytes = (left_bytes + width_px * channels.count() + right_bytes).next_multiple_of(PITCH_ALIGNMENT_BYTES);
        let rows_below = halo_px + surplus_rows;
        Self {
            width_px,
            height_px,
            channels,
            halo_px,
            pitch_bytes,
            origin_bytes: halo_px * pitch_bytes + left_bytes,
            rows_below,
            total_bytes: (halo_px + height_px + rows_below) * pitch_bytes,
        }
    }

    /// Bytes of one row's pixels: width × channels.
    #[must_use]
    pub fn row_bytes(&self) -> usize {
        self.width_px * self.channels.count()
    }

    /// `picture` in this layout. The halo is filled by `border`; slack bytes and surplus rows are 0.
    ///
    /// `picture` has this layout's size and channels; rows beyond it stay 0.
    #[must_use]
    pub fn pack(&self, picture: &Picture, border: BorderMode) -> Vec<u8> {
        let mut buffer = vec![0; self.total_bytes];
        let row_bytes = self.row_bytes();
        let channels = self.channels.count();
        let halo_bytes = self.halo_px * channels;
        let (Ok(halo), Ok(height)) = (isize::try_from(self.halo_px), isize::try_from(self.height_px)) else { return buffer };
        for (row_index, y) in (-halo..height + halo).enumerate() {
            let source_start = border.source_index(y, self.height_px) * row_bytes;
            let left = self.origin_bytes % self.pitch_bytes.max(1);
            let start = row_index * self.pitch_bytes + left;
            let (Some(source), Some(row)) = (
                picture.bytes().get(source_start..source_start + row_bytes),
                buffer.get_mut(start - halo_bytes..start + row_bytes + halo_bytes),
            ) else {
                break;
            };
            if let Some(inner) = row.get_mut(halo_bytes..halo_bytes + row_bytes) {
                inner.copy_from_slice(source);
            }
            for step in 1..=halo {
                for (x, place) in [
                    (-step, self.halo_px - step.unsigned_abs()),
                    (self.width_px.cast_signed() - 1 + step, self.halo_px + self.width_px - 1 + step.unsigned_abs()),
                ] {
                    let from = border.source_index(x, self.width_px) * channels;
                    if let (Some(pixel), Some(target)) =
                        (source.get(from..from + channels), row.get_mut(place * channels..(place + 1) * channels))
                    {
                        target.copy_from_slice(pixel);
                    }
                }
            }
        }
        buffer
    }

    /// The picture's bytes out of a buffer in this layout, rows without a gap; empty where the buffer is too short.
    #[must_use]
    pub fn unpack(&self, buffer: &[u8]) -> Vec<u8> {
        let row_bytes = self.row_bytes();
        let mut bytes = Vec::with_capacity(row_bytes * self.height_px);
        for y in 0..self.height_px {
            let start = self.origin_bytes + y * self.pitch_bytes;
            let Some(row) = buffer.get(start..start + row_bytes) else { return Vec::new() };
            bytes.extend_from_slice(row);
        }
        bytes
    }
}
