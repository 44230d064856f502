//! 8-bit pictures: interleaved gray or RGB, with alpha kept aside.

mod bytes;
mod compose;
mod generate;
mod jpeg;
mod layout;
mod limits;
mod load;
mod samples;
mod save;
pub mod testing;
mod tiff;

pub use bytes::{Bytes, Sharing};
pub use compose::{difference, side_by_side};
pub use generate::{enlarged, filled, generate, tile};
use kernel_ladder_cpu::Pixels;
pub use kernel_ladder_cpu::filters::luma::luma;
pub use layout::{Layout, PITCH_ALIGNMENT_BYTES};
pub use limits::{HALO_PX, MAX_BUFFER_BYTES, MAX_DECODED_BYTES, MAX_PICTURE_BYTES, MOST_UNASKED_PX, SLACK_BYTES, SURPLUS_ROWS, check_size};
pub use load::{Large, Loaded, Opened, READABLE_EXTENSIONS, load, load_bytes, open, quiet_decoders};
use model::{BorderMode, Channels};
pub use samples::{Sample, samples};
pub use save::{WRITABLE_EXTENSIONS, check_writable_extension, png, save};
use std::ops::Range;
use std::sync::Arc;

/// A picture in host memory: `height_px` rows of `width_px * channels` bytes without any gap between rows.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    width_px: usize,
    height_px: usize,
    channels: Channels,
    bytes: Bytes,
    /// Of the picture that was opened, and of all that was made of it.
    alpha: Option<Arc<Bytes>>,
}

impl std::fmt::Debug for Picture {
    /// Size and channels only: the bytes would drown every message.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Picture({} x {} {})", self.width_px, self.height_px, self.channels.name())
    }
}

impl Picture {
    /// A picture over `bytes`, which must hold exactly `width_px * height_px * channels` bytes, and neither side may be 0.
    ///
    /// # Errors
    /// A usage error that names both numbers where they disagree.
    pub fn new(width_px: usize, height_px: usize, channels: Channels, bytes: impl Into<Bytes>) -> base::error::Result<Self> {
        let bytes = bytes.into();
        let expected = width_px.saturating_mul(height_px).saturating_mul(channels.count());
        if width_px == 0 || height_px == 0 || bytes.len() != expected {
            let values: [(&str, &dyn std::fmt::Display); 5] = [
                ("width", &width_px),
                ("height", &height_px),
                ("channels", &channels.name()),
                ("expected", &expected),
                ("bytes", &bytes.len()),
            ];
            return Err(base::texts::misused("errors.picture.bytes", &values));
        }
        Ok(Self { width_px, height_px, channels, bytes, alpha: None })
    }

    /// A picture whose bytes are computed: `value(x, y, channel)`.
    #[must_use]
    pub fn from_fn(width_px: usize, height_px: usize, channels: Channels, mut value: impl FnMut(usize, usize, usize) -> u8) -> Self {
        let mut bytes = Vec::with_capacity(width_px * height_px * channels.count());
        for y in 0..height_px {
            for x in 0..width_px {
                for channel in 0..channels.count() {
                    bytes.push(value(x, y, channel));
                }
            }
        }
        Self { width_px, height_px, channels, bytes: bytes.into(), alpha: None }
    }

    /// A black picture of this width and height, with the alpha of `like` where that has the same.
    #[must_use]
    pub fn blank(like: &Self, [width_px, height_px]: [usize; 2], channels: Channels, sharing: Sharing) -> Self {
        let bytes = Bytes::zeroed(width_px * height_px * channels.count(), sharing);
        let is_same = [width_px, height_px] == [like.width_px, like.height_px];
        Self { width_px, height_px, channels, bytes, alpha: like.alpha.clone().filter(|_| is_same) }
    }

    /// The same picture with an alpha plane of `width_px * height_px` bytes; a plane of another length is dropped.
    #[must_use]
    pub fn with_alpha(self, alpha: Option<Vec<u8>>) -> Self {
        self.with_shared_alpha(alpha.map(|plane| Arc::new(plane.into())))
    }

    /// As [`Picture::with_alpha`], of a plane that other pictures have, too.
    #[must_use]
    pub fn with_shared_alpha(mut self, alpha: Option<Arc<Bytes>>) -> Self {
        self.alpha = alpha.filter(|plane| plane.len() == self.width_px * self.height_px);
        self
    }

    /// Whether another process may read all of it.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.bytes.path().is_some() && self.alpha.as_ref().is_none_or(|plane| plane.path().is_some())
    }

    /// A copy that another process may read.
    ///
    /// # Errors
    /// The system has no room for it there.
    pub fn to_shared(&self) -> std::io::Result<Self> {
        let alpha = self.alpha.as_ref().map(|plane| plane.to_shared().map(Arc::new)).transpose()?;
        Ok(Self { bytes: self.bytes.to_shared()?, alpha, ..*self })
    }

    /// The same picture where another process may read it; as it is where the system has no room for that.
    #[must_use]
    pub fn into_shared(self) -> Self {
        if self.is_shared() { self } else { self.to_shared().unwrap_or(self) }
    }

    /// The color bytes alone, for another picture.
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        self.bytes
    }

    /// Width in pixels, at least 1.
    #[must_use]
    pub fn width_px(&self) -> usize {
        self.width_px
    }

    /// Height in pixels, at least 1.
    #[must_use]
    pub fn height_px(&self) -> usize {
        self.height_px
    }

    /// Gray or RGB.
    #[must_use]
    pub fn channels(&self) -> Channels {
        self.channels
    }

    /// Bytes per row: `width_px * channels`.
    #[must_use]
    pub fn row_bytes(&self) -> usize {
        self.width_px * self.channels.count()
    }

    /// These rows as a picture of their own, without alpha; rows beyond the picture are left out, and one row is there at least.
    #[must_use]
    pub fn rows(&self, rows: Range<usize>) -> Self {
        let end = rows.end.clamp(1, self.height_px);
        let start = rows.start.min(end - 1);
        let bytes = self.bytes.get(start * self.row_bytes()..end * self.row_bytes()).unwrap_or_default();
        Self { height_px: end - start, bytes: bytes.to_vec().into(), alpha: None, ..*self }
    }

    /// These columns as a picture of their own, without alpha; columns beyond the picture are left out, and one column is there at least.
    #[must_use]
    pub fn columns(&self, columns: Range<usize>) -> Self {
        let end = columns.end.clamp(1, self.width_px);
        let start = columns.start.min(end - 1);
        let count = self.channels.count();
        let rows = self.bytes.chunks_exact(self.row_bytes());
        let bytes: Vec<u8> = rows.flat_map(|row| row.get(start * count..end * count).unwrap_or_default()).copied().collect();
        Self { width_px: end - start, bytes: bytes.into(), alpha: None, ..*self }
    }

    /// All color bytes, row after row.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The same as the CPU competitors see it.
    #[must_use]
    pub fn pixels(&self) -> Pixels<'_> {
        Pixels { width_px: self.width_px, height_px: self.height_px, channels: self.channels, bytes: &self.bytes }
    }

    /// All color bytes, to be written.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.bytes.to_mut()
    }

    /// All color bytes with where they lie.
    #[must_use]
    pub fn placed(&self) -> &Bytes {
        &self.bytes
    }

    /// The alpha plane that was set aside on loading, one byte a pixel.
    #[must_use]
    pub fn alpha(&self) -> Option<&[u8]> {
        self.alpha.as_deref().map(|plane| &**plane)
    }

    /// The alpha plane with where it lies, for another picture of that size, too.
    #[must_use]
    pub fn placed_alpha(&self) -> Option<&Arc<Bytes>> {
        self.alpha.as_ref()
    }

    /// The color bytes of pixel (x, y), or `None` outside.
    #[must_use]
    pub fn pixel(&self, x: usize, y: usize) -> Option<&[u8]> {
        self.pixels().pixel(x, y)
    }

    /// The same picture with the asked channels. Gray from RGB is [`luma`]; RGB from gray repeats the byte. Alpha is kept.
    #[must_use]
    pub fn to_channels(&self, channels: Channels) -> Self {
        let bytes: Vec<u8> = match (self.channels, channels) {
            (Channels::Rgb, Channels::Gray) => self.bytes.as_chunks().0.iter().copied().map(luma).collect(),
            (Channels::Gray, Channels::Rgb) => self.bytes.iter().flat_map(|&byte| [byte; 3]).collect(),
            _ => self.bytes.to_vec(),
        };
        Self { bytes: bytes.into(), channels, alpha: self.alpha.clone(), ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::{Channels, Picture};

    #[test]
    fn rows_and_columns_are_cut_out_and_one_is_left_at_least() {
        let picture = Picture::from_fn(4, 3, Channels::Rgb, |x, y, channel| (100 * y + 10 * x + channel) as u8);
        let piece = picture.rows(1..9).columns(2..9);
        assert_eq!((piece.width_px(), piece.height_px()), (2, 2));
        assert_eq!((piece.pixel(0, 0), piece.pixel(1, 1)), (picture.pixel(2, 1), picture.pixel(3, 2)));
        assert_eq!(picture.columns(7..9), picture.columns(3..4));
        assert_eq!(picture.columns(0..4), picture);
    }
}
