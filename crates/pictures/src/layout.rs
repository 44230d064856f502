//! How a picture lies in a device buffer or image object: tight, padded with a halo and slack, or in texels.

use super::{BorderMode, Channels, Picture};
use rayon::iter::{IndexedParallelIterator as _, ParallelIterator as _};
use rayon::slice::ParallelSliceMut as _;
use serde::{Deserialize, Serialize};

/// Padded pitches are a multiple of this many bytes: no common device has a longer cache line, and rows start aligned.
pub const PITCH_ALIGNMENT_BYTES: usize = 128;

/// Bytes that one core lays out at a time: fewer are not worth waking another one.
const PART_BYTES: usize = 256 << 10;

/// The place of every pixel in a buffer: pixel (x, y) begins at byte `origin_bytes + y * pitch_bytes + x * pixel_bytes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Layout {
    /// Width in pixels.
    pub width_px: usize,
    /// Height in pixels.
    pub height_px: usize,
    /// Gray or RGB.
    pub channels: Channels,
    /// Bytes from one pixel to the next: the channels, or 4 where RGB lies in texels of RGBA.
    pub pixel_bytes: usize,
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
            pixel_bytes: channels.count(),
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
        Self::with_halo(width_px, height_px, channels, halo_px, slack_bytes, surplus_rows, PITCH_ALIGNMENT_BYTES)
    }

    /// The same layout with every row `bytes` later, as in a part of a larger picture: what was aligned no longer is. Behind a row with its halo, there is so
    /// much slack.
    #[must_use]
    pub fn shifted(self, bytes: usize) -> Self {
        let right_bytes = self.halo_px * self.pixel_bytes;
        debug_assert!(self.origin_bytes % self.pitch_bytes.max(1) + self.row_bytes() + right_bytes + bytes <= self.pitch_bytes);
        Self { origin_bytes: self.origin_bytes + bytes, ..self }
    }

    /// One pixel a texel, rows of texels without a gap: gray in one byte, RGB in the first three of four.
    #[must_use]
    pub fn texels(width_px: usize, height_px: usize, channels: Channels) -> Self {
        let pixel_bytes = match channels {
            Channels::Gray => 1,
            Channels::Rgb => 4,
        };
        let pitch_bytes = width_px * pixel_bytes;
        Self { pixel_bytes, pitch_bytes, total_bytes: pitch_bytes * height_px, ..Self::tight(width_px, height_px, channels) }
    }

    /// Four gray pixels a texel of four bytes. Rows are whole texels and follow each other without a gap; pixel (0, 0) begins a texel, with
    /// a halo of `halo_px` around the picture, at least `slack_px` pixels after each row, and `surplus_rows` rows below the halo.
    #[must_use]
    pub fn texels_of_four(width_px: usize, height_px: usize, halo_px: usize, slack_px: usize, surplus_rows: usize) -> Self {
        Self::with_halo(width_px, height_px, Channels::Gray, halo_px, slack_px, surplus_rows, 4)
    }

    /// Left margin and pitch are multiples of `alignment_bytes`.
    fn with_halo(
        width_px: usize,
        height_px: usize,
        channels: Channels,
        halo_px: usize,
        slack_bytes: usize,
        surplus_rows: usize,
        alignment_bytes: usize,
    ) -> Self {
        let halo_bytes = halo_px * channels.count();
        let left_bytes = halo_bytes.next_multiple_of(alignment_bytes);
        let right_bytes = slack_bytes.max(halo_bytes);
        let pitch_bytes = (left_bytes + width_px * channels.count() + right_bytes).next_multiple_of(alignment_bytes);
        let rows_below = halo_px + surplus_rows;
        Self {
            width_px,
            height_px,
            channels,
            pixel_bytes: channels.count(),
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

    /// Whether a picture's own bytes are this layout's bytes: no halo, no gap between rows, nothing around.
    #[must_use]
    pub fn is_tight(&self) -> bool {
        self.origin_bytes == 0 && self.pitch_bytes == self.row_bytes() && self.total_bytes == self.row_bytes() * self.height_px
    }

    /// `picture` in this layout, see [`Layout::pack_into`].
    #[must_use]
    pub fn pack(&self, picture: &Picture, border: BorderMode) -> Vec<u8> {
        let mut buffer = vec![0; self.total_bytes];
        self.pack_into(picture, border, &mut buffer);
        buffer
    }

    /// Lays `picture` out in `buffer`, of `total_bytes` bytes, every one of which is written: mapped memory holds anything at first. The
    /// halo is filled by `border`; slack bytes and surplus rows are 0.
    ///
    /// `picture` has this layout's size and channels.
    pub fn pack_into(&self, picture: &Picture, border: BorderMode, buffer: &mut [u8]) {
        self.pack_rows_into(picture, border, 0, buffer);
    }

    /// The part of [`Layout::pack_into`] from the buffer's row `first_row` on, as many rows as `buffer` has. Large parts are laid out by all cores.
    pub fn pack_rows_into(&self, picture: &Picture, border: BorderMode, first_row: usize, buffer: &mut [u8]) {
        let rows = (PART_BYTES / self.pitch_bytes.max(1)).max(1);
        let part_bytes = rows * self.pitch_bytes.max(1);
        if buffer.len() <= part_bytes {
            self.pack_part(picture, border, first_row, buffer);
            return;
        }
        let parts = buffer.par_chunks_mut(part_bytes).enumerate();
        parts.for_each(|(index, part)| self.pack_part(picture, border, first_row + index * rows, part));
    }

    fn pack_part(&self, picture: &Picture, border: BorderMode, first_row: usize, buffer: &mut [u8]) {
        if self.pixel_bytes != self.channels.count() {
            pack_texels(picture, first_row, buffer);
            return;
        }
        let halo_bytes = self.halo_px * self.channels.count();
        let left_bytes = self.origin_bytes % self.pitch_bytes.max(1);
        let row_bytes = self.row_bytes();
        let (halo, height) = (self.halo_px.cast_signed(), self.height_px.cast_signed());
        let mut rows = buffer.chunks_exact_mut(self.pitch_bytes.max(1));
        for (y, row) in (first_row.cast_signed() - halo..height + halo).zip(&mut rows) {
            let source_start = border.source_index(y, self.height_px) * row_bytes;
            let source = picture.bytes().get(source_start..source_start + row_bytes);
            let (before, rest) = row.split_at_mut((left_bytes - halo_bytes).min(row.len()));
            let (target, behind) = rest.split_at_mut((row_bytes + 2 * halo_bytes).min(rest.len()));
            before.fill(0);
            behind.fill(0);
            if let Some(source) = source {
                self.pack_row(source, border, target);
            }
        }
        rows.for_each(|surplus| surplus.fill(0));
    }

    /// One row: halo, pixels, halo.
    fn pack_row(&self, source: &[u8], border: BorderMode, target: &mut [u8]) {
        let channels = self.channels.count();
        let (halo, width) = (self.halo_px.cast_signed(), self.width_px.cast_signed());
        let halo_bytes = self.halo_px * channels;
        let (left, rest) = target.split_at_mut(halo_bytes);
        let (inner, right) = rest.split_at_mut(source.len());
        inner.copy_from_slice(source);
        let columns = (-halo..0).zip(left.chunks_exact_mut(channels)).chain((width..width + halo).zip(right.chunks_exact_mut(channels)));
        for (x, pixel) in columns {
            let from = border.source_index(x, self.width_px) * channels;
            if let Some(neighbor) = source.get(from..from + channels) {
                pixel.copy_from_slice(neighbor);
            }
        }
    }
}

/// Each RGB pixel at the beginning of its texel of four bytes; such a layout has no halo.
fn pack_texels(picture: &Picture, first_row: usize, buffer: &mut [u8]) {
    let bytes = picture.bytes().get(first_row * picture.row_bytes()..).unwrap_or_default();
    for (&[red, green, blue], texel) in bytes.as_chunks::<3>().0.iter().zip(buffer.as_chunks_mut::<4>().0) {
        *texel = [red, green, blue, 0];
    }
}

#[cfg(test)]
mod tests {
    use super::Layout;
    use crate::Picture;
    use model::{BorderMode, Channels};

    #[test]
    fn a_halo_holds_what_the_border_mode_says() {
        let picture = Picture::from_fn(3, 2, Channels::Gray, |x, y, _| (10 * (y + 1) + x) as u8);
        let layout = Layout::padded(3, 2, Channels::Gray, 2, 0, 0);
        let buffer = layout.pack(&picture, BorderMode::Reflect101);
        let row = |y: usize| {
            let start = layout.origin_bytes - 2 * layout.pitch_bytes + y * layout.pitch_bytes - 2;
            buffer[start..start + 7].to_vec()
        };
        // Row 0 is 10 11 12: mirrored to 12 11 | 10 11 12 | 11 10.
        assert_eq!(row(2), [12, 11, 10, 11, 12, 11, 10]);
        assert_eq!(row(3), [22, 21, 20, 21, 22, 21, 20]);
        // With two rows, −1 is row 1, −2 is row 0, 2 is row 0, 3 is row 1.
        assert_eq!((row(0), row(1), row(4), row(5)), (row(2), row(3), row(2), row(3)));
        let replicate = layout.pack(&picture, BorderMode::Replicate);
        assert_eq!(replicate[layout.origin_bytes - 2..layout.origin_bytes + 5], [10, 10, 10, 11, 12, 12, 12]);
    }

    #[test]
    fn every_layout_holds_the_picture_where_it_says() {
        for (width, height) in [(1, 1), (5, 3), (43, 2), (128, 1)] {
            for channels in Channels::ALL {
                let picture = Picture::from_fn(width, height, channels, |x, y, channel| (x * 31 + y * 17 + channel * 5) as u8);
                for layout in [Layout::tight(width, height, channels), Layout::padded(width, height, channels, 1, 40, 7)] {
                    let buffer = layout.pack(&picture, BorderMode::Copy);
                    for (y, row) in picture.bytes().chunks_exact(layout.row_bytes()).enumerate() {
                        let start = layout.origin_bytes + y * layout.pitch_bytes;
                        assert_eq!(buffer[start..start + row.len()], *row, "row {y}");
                    }
                    assert_eq!(buffer.len(), layout.total_bytes);
                    assert_eq!(layout.is_tight(), layout.halo_px == 0);
                }
            }
        }
    }

    #[test]
    fn whatever_was_there_before_is_overwritten() {
        let picture = Picture::from_fn(5, 3, Channels::Rgb, |x, y, channel| (x * 31 + y * 17 + channel * 5) as u8);
        let gray = picture.to_channels(Channels::Gray);
        for (layout, picture) in [
            (Layout::tight(5, 3, Channels::Rgb), &picture),
            (Layout::padded(5, 3, Channels::Rgb, 2, 40, 7), &picture),
            (Layout::texels(5, 3, Channels::Rgb), &picture),
            (Layout::texels_of_four(5, 3, 2, 9, 4), &gray),
        ] {
            let mut buffer = vec![0xEE; layout.total_bytes];
            layout.pack_into(picture, BorderMode::Replicate, &mut buffer);
            assert_eq!(buffer, layout.pack(picture, BorderMode::Replicate), "{layout:?}");
        }
    }

    #[test]
    fn pieces_of_a_layout_are_the_whole() {
        let picture = Picture::from_fn(5, 3, Channels::Rgb, |x, y, channel| (x * 31 + y * 17 + channel * 5) as u8);
        let layouts =
            [Layout::padded(5, 3, Channels::Rgb, 2, 40, 7), Layout::tight(5, 3, Channels::Rgb), Layout::texels(5, 3, Channels::Rgb)];
        for layout in layouts {
            for rows in [1, 2, 4, 5, 13, 14, 20] {
                let mut buffer = vec![0xEE; layout.total_bytes];
                for (index, piece) in buffer.chunks_mut(rows * layout.pitch_bytes).enumerate() {
                    layout.pack_rows_into(&picture, BorderMode::Reflect101, index * rows, piece);
                }
                assert_eq!(buffer, layout.pack(&picture, BorderMode::Reflect101), "{rows} rows at a time, {layout:?}");
            }
        }
    }

    #[test]
    fn what_all_cores_lay_out_is_what_one_does() {
        // Some parts of 256 KiB, the last one smaller.
        let picture = Picture::from_fn(700, 401, Channels::Rgb, |x, y, channel| (x * 31 + y * 17 + channel * 5) as u8);
        for layout in [Layout::padded(700, 401, Channels::Rgb, 2, 40, 7), Layout::texels(700, 401, Channels::Rgb)] {
            let mut one = vec![0xEE; layout.total_bytes];
            for (row, bytes) in one.chunks_mut(layout.pitch_bytes).enumerate() {
                layout.pack_part(&picture, BorderMode::Reflect101, row, bytes);
            }
            assert!(layout.pack(&picture, BorderMode::Reflect101) == one, "{layout:?}");
        }
    }

    #[test]
    fn rgb_in_texels_has_a_fourth_byte_of_0() {
        let picture = Picture::from_fn(2, 2, Channels::Rgb, |x, y, channel| (100 * y + 10 * x + channel) as u8);
        let layout = Layout::texels(2, 2, Channels::Rgb);
        let bytes = layout.pack(&picture, BorderMode::Copy);
        assert_eq!(bytes, [0, 1, 2, 0, 10, 11, 12, 0, 100, 101, 102, 0, 110, 111, 112, 0]);
        assert!(!layout.is_tight() && Layout::texels(2, 2, Channels::Gray).is_tight());
    }

    #[test]
    fn texels_of_four_have_a_halo_of_pixels() {
        let picture = Picture::from_fn(5, 1, Channels::Gray, |x, _, _| x as u8 + 1);
        let layout = Layout::texels_of_four(5, 1, 1, 0, 0);
        let bytes = layout.pack(&picture, BorderMode::Replicate);
        // Three texels a row, three rows: the halo's one pixel ends the first texel.
        assert_eq!(bytes, [0, 0, 0, 1, 1, 2, 3, 4, 5, 5, 0, 0].repeat(3));
    }

    #[test]
    fn padded_rows_are_aligned_and_have_their_slack() {
        let layout = Layout::padded(43, 2, Channels::Rgb, 1, 200, 3);
        assert_eq!((layout.pitch_bytes % 128, layout.origin_bytes % 128), (0, 0));
        assert!(layout.pitch_bytes >= 128 + 43 * 3 + 200);
        assert_eq!(layout.total_bytes, layout.pitch_bytes * (1 + 2 + 1 + 3));
    }

    #[test]
    fn a_shifted_row_begins_that_much_later() {
        let picture = Picture::from_fn(3, 2, Channels::Gray, |x, y, _| (1 + x + 10 * y) as u8);
        let layout = Layout::padded(3, 2, Channels::Gray, 0, 16, 0).shifted(1);
        let bytes = layout.pack(&picture, BorderMode::Copy);
        assert_eq!((&bytes[..5], &bytes[128..133]), (&[0, 1, 2, 3, 0][..], &[0, 11, 12, 13, 0][..]));
        assert_eq!(layout.total_bytes, 256);
    }
}
