//! Pictures.

use super::craft::{
    CMYK_JPEG, CMYK_TIFF, TWO_FRAMES_GIF, TWO_FRAMES_WEBP, bmp_header, encoded, hollow_jpeg, planar_tiles, png_header, rotated_jpeg,
    rotated_webp, tiff_header,
};
use super::{Kind, spoil};
use image::ImageFormat;
use pictures::{MAX_PICTURE_BYTES, load_bytes};
use std::panic::PanicHookInfo;
use std::sync::Arc;

/// Whether a decoder panicked: the program catches that, and says that the decoder gave up.
pub fn is_decoder(panic: &PanicHookInfo<'_>) -> bool {
    let file = panic.location().map(|location| location.file().replace('\\', "/")).unwrap_or_default();
    let is_reading = std::thread::current().name().is_some_and(|name| name.starts_with("pictures "));
    is_reading && !file.starts_with("src/") && !file.starts_with("tests/")
}

/// A header of a picture that its limits allow, without a pixel behind it, or without enough of them; and pixels that the decoder loses its way in.
fn headers() -> [Vec<u8>; 5] {
    [png_header(2000, 2000), bmp_header(2000, 2000), tiff_header(2000, 2000), hollow_jpeg(2000, 2000), planar_tiles()]
}

/// One of them is a better start than the end of a whole picture.
fn header_alone(given: &mut spoil::Given<'_>) -> Vec<u8> {
    let headers = headers();
    let way = *given.rng.choice(spoil::BYTES).expect("a way");
    let header = given.rng.choice(&headers).expect("some");
    way(&mut spoil::Given { rng: &mut given.rng.fork(), whole: header, other: given.other, words: &[] })
}

pub fn pictures() -> Kind {
    use ImageFormat::{Bmp, Gif, Jpeg, Png, Tiff, WebP};
    let read = |bytes: &[u8]| load_bytes("a.png", bytes).map(drop).map_err(|error| error.to_string());
    let formats = [Png, Jpeg, Bmp, Tiff, WebP, Gif].map(encoded);
    let others = [CMYK_JPEG, CMYK_TIFF, TWO_FRAMES_GIF, TWO_FRAMES_WEBP].map(<[u8]>::to_vec);
    Kind {
        valid: formats.into_iter().chain(others).chain([rotated_jpeg(6), rotated_webp(6, b"Exif\0\0")]).collect(),
        ways: [spoil::BYTES, &[header_alone]].concat(),
        words: &[],
        read: Arc::new(read),
        // A header may claim as much, and decoders then ask for it; what the file does not fill is not used.
        most_bytes: (MAX_PICTURE_BYTES + (256 << 20), 40),
        count: 1500,
    }
}
