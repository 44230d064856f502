//! How large a picture may be, checked before a single pixel is decoded or generated.

use super::{Channels, Layout};
use base::error::Result;
use base::texts::misused;
use std::fmt::Display;

/// Most bytes of one device buffer, padding included: kernels index bytes with OpenCL's 32-bit `int`. Larger pictures are run in bands of rows.
pub const MAX_BUFFER_BYTES: usize = i32::MAX as usize;

/// Most bytes of a picture. It is in the host's memory several times: as loaded, as filtered, and as the reference has it.
pub const MAX_PICTURE_BYTES: usize = 4 << 30;

/// Most bytes a decoder may fill before the picture is converted to 8 bits a channel.
pub const MAX_DECODED_BYTES: u64 = 4 << 30;

/// Pictures of more pixels are opened once the person says so: naive kernels run for minutes over them on some devices.
pub const MOST_UNASKED_PX: usize = 64_000_000;

/// So many pixels do the most demanding filter, parameters and stages add on each side of a picture. A test of the filters holds this one and the next two to them.
pub const HALO_PX: usize = 16;
/// And so many bytes at the end of a row.
pub const SLACK_BYTES: usize = 128;
/// And so many rows below it.
pub const SURPLUS_ROWS: usize = 8;

/// Whether a picture of this size can be had, and device buffers for the rows that one row of its output depends on.
///
/// # Errors
/// A usage error with the numbers.
pub fn check_size(width_px: usize, height_px: usize, channels: Channels) -> Result<()> {
    let refuse = |key, needed: u128, limit: usize| {
        let values: [(&str, &dyn Display); 4] = [("width", &width_px), ("height", &height_px), ("needed", &needed), ("limit", &limit)];
        Err(misused(key, &values))
    };
    if width_px == 0 || height_px == 0 {
        return refuse("errors.picture.no-pixels", 0, MAX_PICTURE_BYTES);
    }
    // 128 bits hold the product of any two sides.
    let needed = (width_px as u128 * height_px as u128).saturating_mul(channels.count() as u128);
    if needed > MAX_PICTURE_BYTES as u128 {
        return refuse("errors.picture.too-large", needed, MAX_PICTURE_BYTES);
    }
    let band = Layout::padded(width_px, height_px.min(2 * HALO_PX + 1), channels, HALO_PX, SLACK_BYTES, SURPLUS_ROWS).total_bytes;
    if band > MAX_BUFFER_BYTES {
        return refuse("errors.picture.too-large-padded", band as u128, MAX_BUFFER_BYTES);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Channels, MAX_PICTURE_BYTES, check_size};

    #[test]
    fn the_sizes_that_the_remedy_names_fit_and_larger_ones_do_not() {
        for (channels, fits, too_large) in [(Channels::Rgb, 32_000, 38_000), (Channels::Gray, 65_000, 66_000)] {
            check_size(fits, fits, channels).expect("named as fitting");
            check_size(too_large, too_large, channels).expect_err("beyond the limit");
        }
    }

    #[test]
    fn a_line_of_pixels_is_a_picture_in_both_directions() {
        check_size(1, 100_000, Channels::Rgb).expect("a column");
        check_size(100_000, 1, Channels::Rgb).expect("a row");
    }

    #[test]
    fn a_refusal_names_both_numbers() {
        let error = check_size(100_000, 100_000, Channels::Rgb).expect_err("30 GB");
        assert!(error.why.contains("30000000000") && error.why.contains(&MAX_PICTURE_BYTES.to_string()), "{error}");
    }

    #[test]
    fn padding_counts_and_nothing_overflows() {
        check_size(1, 50_000_000, Channels::Gray).expect("bands of a column");
        let row = check_size(100_000_000, 1, Channels::Gray).expect_err("100 MB tight, 3.3 GB padded");
        assert!(row.why.contains("padding"), "{row}");
        check_size(usize::MAX, usize::MAX, Channels::Rgb).expect_err("beyond every buffer");
        check_size(0, 5, Channels::Rgb).expect_err("no pixel");
    }
}
