//! What tests share: pictures.

#![allow(clippy::indexing_slicing, reason = "a helper of tests fails by panicking, as the tests themselves do")]

pub use base::testing::*;
pub use model::testing::*;

use crate::Picture;
use model::Channels;

/// Noise over all bytes, the same on every run: xorshift32 (Marsaglia 2003).
#[must_use]
pub fn noise(width_px: usize, height_px: usize, channels: Channels) -> Picture {
    let mut state = (width_px * 1000 + height_px) as u32 | 1;
    Picture::from_fn(width_px, height_px, channels, |_, _, _| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 24) as u8
    })
}

/// Noise, noise that is flat enough for no sum to saturate (a wrong one must not hide behind 0 or 255), and the extremes of every partial sum.
#[must_use]
pub fn awkward_pictures(width_px: usize, height_px: usize, channels: Channels) -> [Picture; 4] {
    let picture = |value: &dyn Fn(usize, usize, usize) -> u8| Picture::from_fn(width_px, height_px, channels, value);
    let noise = noise(width_px, height_px, channels);
    let flat = picture(&|x, y, channel| noise.pixel(x, y).map_or(0, |pixel| 120 + pixel[channel] % 32));
    let edges = picture(&|x, y, channel| if (x / 2 + y + channel) % 2 == 0 || x % 64 >= 40 { 255 } else { 0 });
    let full = picture(&|_, _, channel| if channel == 1 { 0 } else { 255 });
    [noise, flat, edges, full]
}
