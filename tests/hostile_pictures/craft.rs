//! Files that no program would write, or that few do.

use image::{ExtendedColorType, ImageFormat};
use model::Channels;
use pictures::{Picture, generate};
use std::io::Cursor;

/// 16 × 16 pixels: quadrants of pure cyan, magenta, yellow, and black at 128 of 255.
pub const CMYK_JPEG: &[u8] = include_bytes!("cmyk.jpg");
/// The same.
pub const CMYK_TIFF: &[u8] = include_bytes!("cmyk.tiff");
/// 6 × 4 pixels of (200, 10, 20), then another color.
pub const TWO_FRAMES_GIF: &[u8] = include_bytes!("two_frames.gif");
/// The same.
pub const TWO_FRAMES_WEBP: &[u8] = include_bytes!("two_frames.webp");

/// 40 × 30 pixels of everything, in a file of the format.
pub fn encoded(format: ImageFormat) -> Vec<u8> {
    let picture = generate(40, 30, Channels::Rgb, 3);
    let mut file = Cursor::new(Vec::new());
    image::write_buffer_with_format(&mut file, picture.bytes(), 40, 30, ExtendedColorType::Rgb8, format).expect("encoded");
    file.into_inner()
}

/// Signature and IHDR chunk of a PNG of 8-bit RGB; its data are missing. The checksum is right.
pub fn png_header(width_px: u32, height_px: u32) -> Vec<u8> {
    let mut chunk = b"IHDR".to_vec();
    chunk.extend([width_px.to_be_bytes(), height_px.to_be_bytes()].concat());
    chunk.extend([8, 2, 0, 0, 0]);
    let crc = chunk.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 })
    });
    [b"\x89PNG\r\n\x1a\n\0\0\0\x0d", &chunk[..], &(!crc).to_be_bytes()].concat()
}

/// File and information header of a BMP of 24 bits a pixel; its data are missing.
pub fn bmp_header(width_px: i32, height_px: i32) -> Vec<u8> {
    let mut header = b"BM".to_vec();
    header.extend([0_u32, 0, 54, 40].map(u32::to_le_bytes).concat());
    header.extend([width_px, height_px].map(i32::to_le_bytes).concat());
    header.extend([1_u16, 24].map(u16::to_le_bytes).concat());
    header.extend([0; 24]);
    header
}

/// A little-endian TIFF of one uncompressed strip that claims a size; its data are missing.
pub fn tiff_header(width_px: u32, height_px: u32) -> Vec<u8> {
    let entries: [(u16, u16, u32, u32); 9] = [
        (256, 4, 1, width_px),
        (257, 4, 1, height_px),
        (258, 3, 1, 8),
        (259, 3, 1, 1),
        (262, 3, 1, 1),
        (273, 4, 1, 8),
        (277, 3, 1, 1),
        (278, 4, 1, height_px),
        (279, 4, 1, u32::MAX),
    ];
    let mut file = b"II*\0\x08\0\0\0\x09\0".to_vec();
    for (tag, kind, count, value) in entries {
        file.extend([&tag.to_le_bytes()[..], &kind.to_le_bytes(), &count.to_le_bytes(), &value.to_le_bytes()].concat());
    }
    file.extend([0; 4]);
    file
}

/// A JPEG of 32 × 16 pixels, left half black and right half white, with an EXIF orientation.
pub fn rotated_jpeg(orientation: u8) -> Vec<u8> {
    let picture = Picture::from_fn(32, 16, Channels::Gray, |x, _, _| if x < 16 { 0 } else { 255 });
    let mut file = Cursor::new(Vec::new());
    image::write_buffer_with_format(&mut file, picture.bytes(), 32, 16, ExtendedColorType::L8, ImageFormat::Jpeg).expect("encoded");
    let exif = [b"\xFF\xE1\0\x22Exif\0\0", &exif(orientation)[..]].concat();
    let jpeg = file.into_inner();
    let (start, rest) = jpeg.split_at(2);
    [start, &exif, rest].concat()
}

/// A big-endian TIFF header, one entry: tag 0x112 (orientation), type 3 (16 bits), one of them.
fn exif(orientation: u8) -> Vec<u8> {
    [b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0", &[orientation][..], b"\0\0\0\0\0\0"].concat()
}

/// A WebP of 32 × 16 pixels, left half black and right half white, with an EXIF orientation behind `before`.
pub fn rotated_webp(orientation: u8, before: &[u8]) -> Vec<u8> {
    let picture = Picture::from_fn(32, 16, Channels::Rgb, |x, _, _| if x < 16 { 0 } else { 255 });
    let mut file = Cursor::new(Vec::new());
    image::write_buffer_with_format(&mut file, picture.bytes(), 32, 16, ExtendedColorType::Rgb8, ImageFormat::WebP).expect("encoded");
    let simple = file.into_inner();
    let chunk = |name: &[u8; 4], data: &[u8]| {
        let padding = vec![0; data.len() % 2];
        [&name[..], &(data.len() as u32).to_le_bytes(), data, &padding].concat()
    };
    // Flags (8: there is EXIF), three bytes of nothing, width and height less 1 in 24 bits each.
    let header = chunk(b"VP8X", &[8, 0, 0, 0, 31, 0, 0, 15, 0, 0]);
    // Behind "RIFF", the size, and "WEBP" lies the picture's own chunk.
    let body = [b"WEBP", &header[..], &simple[12..], &chunk(b"EXIF", &[before, &exif(orientation)].concat())].concat();
    [b"RIFF", &(body.len() as u32).to_le_bytes()[..], &body].concat()
}

/// A JPEG whose header claims these sides: a few bytes of data for as many pixels as one likes.
pub fn hollow_jpeg(width_px: u16, height_px: u16) -> Vec<u8> {
    let mut jpeg = encoded(ImageFormat::Jpeg);
    let frame = jpeg.windows(2).position(|two| two == [0xFF, 0xC0]).expect("a frame header");
    jpeg[frame + 5..frame + 7].copy_from_slice(&height_px.to_be_bytes());
    jpeg[frame + 7..frame + 9].copy_from_slice(&width_px.to_be_bytes());
    jpeg
}

/// A TIFF of 20 × 20 pixels of RGB in planes and in tiles of 16 × 16, in which a decoder loses its way.
pub fn planar_tiles() -> Vec<u8> {
    let (tiles, tile_bytes, directory_bytes) = (12_u32, 256_u32, 2 + 12 * 11 + 4);
    let behind = 8 + directory_bytes;
    let (bits_at, offsets_at) = (behind, behind + 6);
    let counts_at = offsets_at + 4 * tiles;
    let data_at = counts_at + 4 * tiles;
    let entries: [(u16, u16, u32, u32); 10] = [
        (256, 4, 1, 20),
        (257, 4, 1, 20),
        (258, 3, 3, bits_at),
        (259, 3, 1, 1),
        (262, 3, 1, 2),
        (277, 3, 1, 3),
        (284, 3, 1, 2),
        (322, 4, 1, 16),
        (323, 4, 1, 16),
        (324, 4, tiles, offsets_at),
    ];
    let mut file = b"II*\0\x08\0\0\0\x0b\0".to_vec();
    for (tag, kind, count, value) in entries.into_iter().chain([(325, 4, tiles, counts_at)]) {
        file.extend([&tag.to_le_bytes()[..], &kind.to_le_bytes(), &count.to_le_bytes(), &value.to_le_bytes()].concat());
    }
    file.extend([0; 4]);
    file.extend([8_u16; 3].map(u16::to_le_bytes).concat());
    file.extend((0..tiles).flat_map(|tile| (data_at + tile * tile_bytes).to_le_bytes()));
    file.extend((0..tiles).flat_map(|_| tile_bytes.to_le_bytes()));
    file.extend((0..tiles * tile_bytes).map(|byte| (byte % 251) as u8));
    file
}
