//! The NDRange, the buffers and the local memory that a variant needs. The kernel files' head comments tell why.

use crate::filters::Filter;
use crate::image::Layout;
use crate::stages::{Setting, StageId};
use crate::variant::Variant;

/// The value of the local memory stage that sets the tile's rows one byte further apart.
const SKEW: u8 = 2;

/// What a launch needs beside the local size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Work-items per dimension, before rounding up to the local size.
    pub global: [usize; 2],
    /// How the source lies in its buffer.
    pub source: Layout,
    /// How the destination lies in its buffer: pixel (0, 0) at byte 0.
    pub destination: Layout,
}

/// The NDRange and both layouts for a picture of `width_px` × `height_px`.
#[must_use]
pub fn geometry(filter: &Filter, variant: &Variant, setting: Setting, width_px: usize, height_px: usize) -> Geometry {
    let channels = setting.channels;
    let (pixels, rows) = (variant.pixels_per_item(), variant.rows_per_item());
    let (source, destination) = if variant.is_on(StageId::Padded) {
        // A block's last load begins at its right neighbor and is one vector long; a row's last block begins at or before its last pixel.
        let slack_bytes = vector_bytes(*variant, setting);
        // A block of several rows may begin in the last row, and loads its rows whether they are there or not.
        let surplus_rows = rows - 1;
        // A block is stored whole, and may begin at a row's last pixel.
        let surplus_bytes = (pixels - 1) * channels.count();
        (
            Layout::padded(width_px, height_px, channels, filter.radius_px, slack_bytes, surplus_rows),
            Layout::padded(width_px, height_px, channels, 0, surplus_bytes, 0),
        )
    } else {
        let tight = Layout::tight(width_px, height_px, channels);
        (tight, tight)
    };
    let (across, down) = (width_px.div_ceil(pixels), height_px.div_ceil(rows));
    let global = if variant.is_on(StageId::Coalesced) { [across, down] } else { [down, across] };
    Geometry { global, source, destination }
}

/// Bytes of the `__local` argument for a work-group of `local` work-items; 0 where the variant uses no local memory.
///
/// The tile has the group's pixels and the filter's radius on each side, and room for wide loads that begin at the last right neighbor.
#[must_use]
pub fn local_bytes(filter: &Filter, variant: &Variant, setting: Setting, local: [usize; 2]) -> usize {
    if !variant.is_on(StageId::Local) {
        return 0;
    }
    let [first, second] = local;
    let (across, down) = if variant.is_on(StageId::Coalesced) { (first, second) } else { (second, first) };
    let halo_px = 2 * filter.radius_px;
    let spare_bytes = vector_bytes(*variant, setting) - variant.pixels_per_item() * setting.channels.count();
    let row_bytes = (across * variant.pixels_per_item() + halo_px) * setting.channels.count() + spare_bytes;
    let skew_bytes = usize::from(variant.value(StageId::Local) == SKEW);
    (row_bytes + skew_bytes) * (down * variant.rows_per_item() + halo_px)
}

/// Bytes that a work-item loads at once: its pixels, rounded up to the lanes of one vector, or to 16 + 8.
fn vector_bytes(variant: Variant, setting: Setting) -> usize {
    let bytes = variant.pixels_per_item() * setting.channels.count();
    match bytes {
        0..=4 => bytes,
        5..=8 => 8,
        9..=16 => 16,
        _ => bytes.next_multiple_of(8),
    }
}

#[cfg(test)]
mod tests {
    use super::{geometry, local_bytes};
    use crate::filters::laplace::FILTER;
    use crate::image::{BorderMode, Channels};
    use crate::stages::Setting;
    use crate::variant::Variant;

    const RGB: Setting = Setting { channels: Channels::Rgb, border: BorderMode::Copy };

    fn variant(name: &str) -> Variant {
        Variant::parse(name).expect("a known variant")
    }

    #[test]
    fn dimension_0_counts_rows_unless_coalesced() {
        assert_eq!(geometry(&FILTER, &Variant::naive(), RGB, 67, 35).global, [35, 67]);
        assert_eq!(geometry(&FILTER, &variant("coalesced"), RGB, 67, 35).global, [67, 35]);
        // 67 pixels are 14 blocks of 5, 35 rows are 9 blocks of 4.
        assert_eq!(geometry(&FILTER, &variant("coalesced+padded+vectorize=5+rows=4"), RGB, 67, 35).global, [14, 9]);
    }

    #[test]
    fn a_padded_destination_has_room_for_a_whole_last_block() {
        let geometry = geometry(&FILTER, &variant("padded+vectorize=8"), RGB, 41, 3);
        // 41 pixels end at byte 123; the sixth block of 8 ends at byte 144.
        assert!(geometry.destination.pitch_bytes >= 144, "{}", geometry.destination.pitch_bytes);
        assert_eq!((geometry.destination.origin_bytes, geometry.destination.pitch_bytes % 128), (0, 0));
    }

    #[test]
    fn a_tile_holds_the_groups_pixels_and_a_halo() {
        assert_eq!(local_bytes(&FILTER, &variant("coalesced"), RGB, [16, 4]), 0);
        // (16 + 2) pixels of 3 bytes, 4 + 2 rows.
        assert_eq!(local_bytes(&FILTER, &variant("coalesced+local"), RGB, [16, 4]), 54 * 6);
        assert_eq!(local_bytes(&FILTER, &variant("coalesced+local=skew"), RGB, [16, 4]), 55 * 6);
        assert_eq!(local_bytes(&FILTER, &variant("local"), RGB, [16, 4]), 6 * 3 * 18);
        // 16 blocks of 5 pixels and 2 more, and 1 byte for the sixteenth lane; 4 · 2 + 2 rows.
        assert_eq!(local_bytes(&FILTER, &variant("coalesced+padded+vectorize=5+local+rows=2"), RGB, [16, 4]), (82 * 3 + 1) * 10);
    }
}
