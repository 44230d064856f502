//! TIFF files of kinds that the general decoder refuses, and the name of a file's kind.

use image::metadata::Orientation;
use image::{DynamicImage, GrayImage, RgbImage};
use std::io::Cursor;
use tiff::ColorType;
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::tags::Tag;

/// The kind in a few words: "32-bit gray, compression 50001, in planes, in tiles".
pub(super) fn kind(bytes: &[u8]) -> Option<String> {
    let mut decoder = Decoder::new(Cursor::new(bytes)).ok()?;
    let mut words = vec![if let Ok(color) = decoder.colortype() {
        format!("{color:?}")
    } else {
        let mut number = |tag| decoder.find_tag_unsigned::<u32>(tag).ok().flatten().map_or("?".to_owned(), |number| number.to_string());
        format!("PhotometricInterpretation {}, SamplesPerPixel {}", number(Tag::PhotometricInterpretation), number(Tag::SamplesPerPixel))
    }];
    if let Ok(Some(compression)) = decoder.find_tag_unsigned::<u16>(Tag::Compression) {
        words.push(format!("Compression {compression}"));
    }
    if let Ok(Some(planes)) = decoder.find_tag_unsigned::<u16>(Tag::PlanarConfiguration) {
        words.push(format!("PlanarConfiguration {planes}"));
    }
    if let Ok(Some(width)) = decoder.find_tag_unsigned::<u32>(Tag::TileWidth) {
        words.push(format!("TileWidth {width}"));
    }
    Some(words.join(", "))
}

/// What [`decode`] makes of a file.
#[derive(Debug)]
pub(super) struct Own {
    /// As it lies in the file.
    pub pixels: DynamicImage,
    /// How it is to be turned.
    pub orientation: Orientation,
    /// The key of what is to be said.
    pub note: Option<&'static str>,
}

/// Whether it is of a kind that [`decode`] reads, with its size in pixels.
pub(super) fn size_of_own_kind(bytes: &[u8]) -> Option<(u32, u32)> {
    let gray = palette_as_gray(bytes);
    let mut decoder = Decoder::new(Cursor::new(gray.as_deref().unwrap_or(bytes))).ok()?;
    is_own_kind(&mut decoder, gray.is_some()).ok()?.then(|| decoder.dimensions().ok())?
}

fn is_own_kind(decoder: &mut Decoder<Cursor<&[u8]>>, has_palette: bool) -> tiff::TiffResult<bool> {
    Ok(match (decoder.colortype()?, has_palette) {
        (ColorType::Gray(1 | 2 | 4 | 8), true) | (ColorType::Gray(2 | 4 | 32), false) => true,
        // Others may have fewer samples of color than of brightness.
        (ColorType::YCbCr(8), false) => decoder.find_tag_unsigned::<u16>(Tag::Compression)? == Some(JPEG),
        _ => false,
    })
}

/// A picture whose pixels are numbers of colors, gray of 2, 4 or 32 bits, or brightness and color as JPEG has them; of the last, floating-point numbers are taken as from 0 to 1, and others of 32
/// bits by their upper 8. `None` where it is of another kind.
///
/// # Errors
/// As the decoder tells them.
pub(super) fn decode(bytes: &[u8], most_bytes: usize) -> tiff::TiffResult<Option<Own>> {
    let mut limits = Limits::default();
    limits.decoding_buffer_size = most_bytes;
    limits.intermediate_buffer_size = most_bytes;
    // The decoder knows no colors by number, but gray of as many bits lies in the file in the same way.
    let gray = palette_as_gray(bytes);
    let mut decoder = Decoder::new(Cursor::new(gray.as_deref().unwrap_or(bytes)))?.with_limits(limits);
    let (width_px, height_px) = decoder.dimensions()?;
    let color = decoder.colortype()?;
    if !is_own_kind(&mut decoder, gray.is_some())? {
        return Ok(None);
    }
    let bits = color.bit_depth();
    let map = gray.is_some().then(|| decoder.get_tag_u16_vec(Tag::ColorMap)).transpose()?;
    let orientation = decoder.find_tag_unsigned::<u8>(Tag::Orientation)?.and_then(Orientation::from_exif);
    let orientation = orientation.unwrap_or(Orientation::NoTransforms);
    let pixels = decoder.read_image()?;
    let note = match pixels {
        DecodingResult::F32(_) => Some("errors.picture.note.float"),
        DecodingResult::U32(_) => Some("errors.picture.note.32-bits"),
        _ => None,
    };
    if let (ColorType::YCbCr(_), DecodingResult::U8(values)) = (color, &pixels) {
        let rgb = values.as_chunks::<3>().0.iter().copied().flat_map(rgb_of).collect();
        let pixels = RgbImage::from_raw(width_px, height_px, rgb).map(DynamicImage::ImageRgb8);
        return Ok(pixels.map(|pixels| Own { pixels, orientation, note }));
    }
    let values: Vec<u8> = match pixels {
        DecodingResult::U8(packed) if bits <= 8 => unpacked(&packed, bits, width_px as usize, height_px as usize),
        DecodingResult::F32(values) => values.iter().map(|value| (value.clamp(0.0, 1.0) * 255.0).round() as u8).collect(),
        DecodingResult::U32(values) => values.iter().map(|value| (value >> 24) as u8).collect(),
        _ => return Ok(None),
    };
    let Some(map) = map else {
        // Of 2 and 4 bits, the largest value is white.
        let scale = if bits < 8 { 255 / ((1_u8 << bits) - 1) } else { 1 };
        let gray = values.into_iter().map(|value| value * scale).collect();
        let pixels = GrayImage::from_raw(width_px, height_px, gray).map(DynamicImage::ImageLuma8);
        return Ok(pixels.map(|pixels| Own { pixels, orientation, note }));
    };
    // All reds, then all greens, then all blues, of 16 bits each; some writers leave the upper 8 empty.
    let count = map.len() / 3;
    let shift = if map.iter().all(|value| *value < 256) { 0 } else { 8 };
    let channel = |value: u8, channel: usize| map.get(channel * count + usize::from(value)).map_or(0, |value| (value >> shift) as u8);
    let colors: Vec<[u8; 3]> = (0..=u8::MAX).map(|value| [0, 1, 2].map(|number| channel(value, number))).collect();
    let rgb = values.into_iter().flat_map(|value| colors.get(usize::from(value)).copied().unwrap_or_default()).collect();
    let pixels = RgbImage::from_raw(width_px, height_px, rgb).map(DynamicImage::ImageRgb8);
    Ok(pixels.map(|pixels| Own { pixels, orientation, note }))
}

/// The same file, which says that its numbers are gray; `None` where they are no numbers of colors, or its offsets have not 32 bits.
fn palette_as_gray(bytes: &[u8]) -> Option<Vec<u8>> {
    let two = |at: usize| <[u8; 2]>::try_from(bytes.get(at..at.checked_add(2)?)?).ok();
    let four = |at: usize| <[u8; 4]>::try_from(bytes.get(at..at.checked_add(4)?)?).ok();
    let is_little = match bytes.get(..4)? {
        b"II\x2a\0" => true,
        b"MM\0\x2a" => false,
        _ => return None,
    };
    let short = |bytes: [u8; 2]| if is_little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) };
    let long = |bytes: [u8; 4]| if is_little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) };
    let directory = long(four(4)?) as usize;
    let entries = usize::from(short(two(directory)?));
    let entry = (0..entries).map(|entry| directory + 2 + 12 * entry).find(|&at| two(at).map(short) == Some(PHOTOMETRIC))?;
    if short(two(entry + 8)?) != PALETTE {
        return None;
    }
    let mut gray = bytes.to_vec();
    let black_is_zero = if is_little { 1_u16.to_le_bytes() } else { 1_u16.to_be_bytes() };
    gray.get_mut(entry + 8..entry + 10)?.copy_from_slice(&black_is_zero);
    Some(gray)
}

/// Brightness and two differences of color, as JPEG has them (ITU-T T.871).
fn rgb_of([y, blue, red]: [u8; 3]) -> [u8; 3] {
    let [y, blue, red] = [f32::from(y), f32::from(blue) - 128.0, f32::from(red) - 128.0];
    [y + 1.402 * red, y - 0.344_136 * blue - 0.714_136 * red, y + 1.772 * blue].map(|value| value.round().clamp(0.0, 255.0) as u8)
}

/// The number of a compression.
const JPEG: u16 = 7;

/// The number of the tag that says what the numbers of a pixel mean.
const PHOTOMETRIC: u16 = 262;

/// Its value where they are numbers of colors.
const PALETTE: u16 = 3;

/// One value in each byte; every row of the packed ones begins at a byte.
fn unpacked(packed: &[u8], bits: u8, width_px: usize, height_px: usize) -> Vec<u8> {
    let bits = usize::from(bits);
    let row_bytes = (width_px * bits).div_ceil(8);
    let mask = ((1_u16 << bits) - 1) as u8;
    let mut values = Vec::with_capacity(width_px * height_px);
    for row in packed.chunks_exact(row_bytes.max(1)).take(height_px) {
        values.extend((0..width_px).map(|x| {
            let bit = x * bits;
            row.get(bit / 8).map_or(0, |byte| (byte >> (8 - bits - bit % 8)) & mask)
        }));
    }
    values
}

#[cfg(test)]
mod tests {
    use super::{decode, kind, unpacked};

    /// A little-endian TIFF of one strip: tags (number, type 3 or 4, values), of which the strip's place is filled in, then the strip.
    fn tiff(tags: &[(u16, u16, &[u32])], strip: &[u8]) -> Vec<u8> {
        let directory = 8;
        let mut behind = directory + 2 + 12 * (tags.len() + 1) + 4;
        let mut entries: Vec<(u16, u16, Vec<u32>)> = tags.iter().map(|(tag, kind, values)| (*tag, *kind, values.to_vec())).collect();
        entries.push((273, 4, vec![0]));
        entries.sort();
        let long = |values: &[u32], kind: u16| values.len() * if kind == 3 { 2 } else { 4 };
        let outside: usize = entries.iter().map(|(_, kind, values)| long(values, *kind)).filter(|bytes| *bytes > 4).sum();
        let strip_at = behind + outside;
        let (mut head, mut data) = (b"II\x2a\0\x08\0\0\0".to_vec(), Vec::new());
        head.extend((entries.len() as u16).to_le_bytes());
        for (tag, kind, values) in &entries {
            let values: Vec<u32> = if *tag == 273 { vec![strip_at as u32] } else { values.clone() };
            let bytes: Vec<u8> = values
                .iter()
                .flat_map(|value| if *kind == 3 { (*value as u16).to_le_bytes().to_vec() } else { value.to_le_bytes().to_vec() })
                .collect();
            head.extend(tag.to_le_bytes());
            head.extend(kind.to_le_bytes());
            head.extend((values.len() as u32).to_le_bytes());
            if bytes.len() > 4 {
                head.extend((behind as u32).to_le_bytes());
                behind += bytes.len();
                data.extend(bytes);
            } else {
                head.extend(bytes.iter().copied().chain([0; 4]).take(4));
            }
        }
        head.extend([0; 4]);
        [head, data, strip.to_vec()].concat()
    }

    fn of(width: u32, height: u32, bits: u32, photometric: u32, more: &[(u16, u16, &[u32])], strip: &[u8]) -> Vec<u8> {
        let (width, height, bits, photometric, length) = ([width], [height], [bits], [photometric], [strip.len() as u32]);
        let mut tags: Vec<(u16, u16, &[u32])> = vec![
            (256, 3, &width),
            (257, 3, &height),
            (258, 3, &bits),
            (259, 3, &[1]),
            (262, 3, &photometric),
            (277, 3, &[1]),
            (278, 3, &height),
            (279, 4, &length),
        ];
        tags.extend(more);
        tiff(&tags, strip)
    }

    #[test]
    fn numbers_of_colors_become_colors() {
        // Reds, greens, blues of 4 colors.
        let map: Vec<u32> = [[0, 0xFFFF, 0, 0x8000], [0, 0, 0xFFFF, 0x8000], [0xFFFF, 0, 0, 0x8000]].concat();
        let file = of(5, 2, 2, 3, &[(320, 3, &map)], &[0b00_01_10_11, 0b00_000000, 0b11_10_01_00, 0b01_000000]);
        let own = decode(&file, 1 << 20).expect("whole").expect("its kind");
        let picture = own.pixels.into_rgb8();
        let (blue, red, green, gray) = ([0, 0, 255], [255, 0, 0], [0, 255, 0], [128; 3]);
        let expected = [[blue, red, green, gray, blue], [gray, green, red, blue, red]].concat().concat();
        assert_eq!(picture.into_raw(), expected);
    }

    #[test]
    fn four_bits_of_gray_reach_from_black_to_white() {
        let file = of(3, 1, 4, 1, &[], &[0x0F, 0x80]);
        let picture = decode(&file, 1 << 20).expect("whole").expect("its kind").pixels;
        assert_eq!(picture.into_luma8().into_raw(), [0, 255, 136]);
    }

    #[test]
    fn floating_point_gray_is_from_0_to_1() {
        let strip: Vec<u8> = [0.0_f32, 0.5, 7.0, f32::NAN].iter().flat_map(|value| value.to_le_bytes()).collect();
        let file = of(4, 1, 32, 1, &[(339, 3, &[3])], &strip);
        let picture = decode(&file, 1 << 20).expect("whole").expect("its kind").pixels;
        assert_eq!(picture.into_luma8().into_raw(), [0, 128, 255, 0]);
    }

    #[test]
    fn brightness_and_differences_become_colors() {
        // Black, white, and JPEG's red, green and blue.
        let expected = [
            ([0, 128, 128], [0; 3]),
            ([255, 128, 128], [255; 3]),
            ([76, 85, 255], [254, 0, 0]),
            ([150, 44, 21], [0, 255, 1]),
            ([29, 255, 107], [0, 0, 254]),
        ];
        for (sample, color) in expected {
            assert_eq!(super::rgb_of(sample), color, "{sample:?}");
        }
    }

    #[test]
    fn rows_begin_at_bytes() {
        assert_eq!(unpacked(&[0b1010_0000, 0b0100_0000], 1, 3, 2), [1, 0, 1, 0, 1, 0]);
        assert_eq!(unpacked(&[7, 8], 8, 1, 2), [7, 8]);
    }

    #[test]
    fn a_kind_is_named() {
        let file = of(3, 1, 4, 1, &[], &[0x0F, 0x80]);
        assert_eq!(kind(&file).as_deref(), Some("Gray(4), Compression 1"));
        assert_eq!(kind(b"no TIFF"), None);
    }
}
