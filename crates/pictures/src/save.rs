//! Pictures to files, with alpha put back where the format has it.

use super::load::label;
use super::{Channels, Picture};
use base::error::{Error, Result};
use base::texts::{failed, filled, misused, text};
use image::codecs::gif::GifEncoder;
use image::codecs::jpeg::JpegEncoder;
use image::{ExtendedColorType, ImageEncoder as _, ImageError, ImageFormat};
use std::collections::HashSet;
use std::fmt::Display;
use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;

/// The extensions that [`save`] knows, for messages and file dialogs.
pub const WRITABLE_EXTENSIONS: [&str; 8] = ["png", "jpg", "jpeg", "bmp", "tif", "tiff", "webp", "gif"];

/// Of 100. Above it files grow fast and look no better.
const JPEG_QUALITY: u8 = 95;

/// 1 (slow) to 30: the quantizer's share of samples. At 10 an 8K picture takes seconds, not minutes.
const GIF_SPEED: i32 = 10;

/// Writes `picture` in the format of the extension, atomically (see [`base::files::write_atomically`]). Returns what the format could
/// not keep, one sentence without a full stop each.
///
/// # Errors
/// A usage error for an extension that is not in [`WRITABLE_EXTENSIONS`] or a side longer than the format allows; else why the file was not
/// written. An existing file is untouched then.
pub fn save(path: &Path, picture: &Picture) -> Result<Vec<String>> {
    let format = format_of(path)?;
    check_sides(format, picture, path)?;
    let (mut notes, mut unencodable) = (Vec::new(), None);
    let written = base::files::write_atomically_by(path, |file| {
        let mut buffered = BufWriter::new(file);
        encode(format, picture, &mut notes, &mut buffered).map_err(|error| match error {
            ImageError::IoError(error) => error,
            error => io::Error::other(unencodable.insert(error).to_string()),
        })?;
        buffered.flush()
    });
    match (written, unencodable) {
        (Ok(()), _) => Ok(notes),
        (Err(_), Some(error)) => Err(failed("errors.saving.not-encoded", &[("why", &error), ("path", &path.display())])),
        (Err(error), None) => Err(Error { what: text("errors.saving.not-encoded.what").to_owned(), ..error }),
    }
}

/// `picture` as the bytes of a PNG file.
///
/// # Errors
/// Where it cannot be encoded.
pub fn png(picture: &Picture) -> Result<Vec<u8>> {
    let mut file = io::Cursor::new(Vec::new());
    let encoded = encode(ImageFormat::Png, picture, &mut Vec::new(), &mut file);
    encoded.map_err(|error| failed("errors.saving.no-png", &[("why", &error)]))?;
    Ok(file.into_inner())
}

/// Whether [`save`] can write to a file of this name, asked before long work is done for it.
///
/// # Errors
/// A usage error that lists the extensions.
pub fn check_writable_extension(path: &Path) -> Result<()> {
    format_of(path).map(|_| ())
}

fn format_of(path: &Path) -> Result<ImageFormat> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let known = extension.as_deref().filter(|extension| WRITABLE_EXTENSIONS.contains(extension)).and_then(ImageFormat::from_extension);
    known.ok_or_else(|| {
        let key = if extension.is_some() { "errors.saving.format" } else { "errors.saving.no-extension" };
        let (extension, known) = (extension.unwrap_or_default(), format!(".{}", WRITABLE_EXTENSIONS.join(", .")));
        misused(key, &[("extension", &extension), ("known", &known), ("path", &path.display())])
    })
}

/// The longest side that the format (JPEG, GIF: 16-bit fields; WebP: 14-bit) or most readers of it (BMP) take.
const fn longest_side_px(format: ImageFormat) -> usize {
    match format {
        ImageFormat::Jpeg | ImageFormat::Gif | ImageFormat::Bmp => 65_535,
        ImageFormat::WebP => 16_384,
        _ => u32::MAX as usize,
    }
}

fn check_sides(format: ImageFormat, picture: &Picture, path: &Path) -> Result<()> {
    let (longest, limit) = (picture.width_px().max(picture.height_px()), longest_side_px(format));
    if longest > limit {
        let values: [(&str, &dyn Display); 4] =
            [("longest", &longest), ("limit", &limit), ("format", &label(format)), ("path", &path.display())];
        return Err(misused("errors.saving.sides", &values));
    }
    Ok(())
}

/// The channels and the alpha that `format` can keep of `picture`, with a note on what it cannot.
fn representable<'a>(format: ImageFormat, picture: &'a Picture, notes: &mut Vec<String>) -> (Channels, Option<&'a [u8]>) {
    let has_no_gray = matches!(format, ImageFormat::WebP | ImageFormat::Gif);
    if has_no_gray && picture.channels() == Channels::Gray {
        notes.push(filled("errors.saving.note.no-gray", &[("format", &label(format))]));
    }
    if format == ImageFormat::Jpeg && picture.alpha().is_some() {
        notes.push(text("errors.saving.note.no-alpha").to_owned());
    }
    if format == ImageFormat::Gif && picture.alpha().is_some_and(|alpha| alpha.iter().any(|value| !matches!(value, 0 | 255))) {
        notes.push(text("errors.saving.note.gif-alpha").to_owned());
    }
    let alpha = picture.alpha().filter(|_| format != ImageFormat::Jpeg);
    // The encoders of BMP and TIFF know alpha beside three colors only.
    let needs_rgb = has_no_gray || (alpha.is_some() && matches!(format, ImageFormat::Bmp | ImageFormat::Tiff));
    (if needs_rgb { Channels::Rgb } else { picture.channels() }, alpha)
}

fn encode(
    format: ImageFormat,
    picture: &Picture,
    notes: &mut Vec<String>,
    file: &mut (impl Write + Seek),
) -> std::result::Result<(), ImageError> {
    let (channels, alpha) = representable(format, picture, notes);
    note_losses(format, picture, notes);
    let converted = (picture.channels() != channels).then(|| picture.to_channels(channels));
    let colors = converted.as_ref().unwrap_or(picture).bytes();
    let joined = alpha.map(|alpha| join_alpha(colors, alpha, channels.count()));
    let pixels = joined.as_deref().unwrap_or(colors);
    let color = match (channels, alpha) {
        (Channels::Gray, None) => ExtendedColorType::L8,
        (Channels::Gray, Some(_)) => ExtendedColorType::La8,
        (Channels::Rgb, None) => ExtendedColorType::Rgb8,
        (Channels::Rgb, Some(_)) => ExtendedColorType::Rgba8,
    };
    // check_sides keeps both within 32 bits.
    let (width_px, height_px) = (picture.width_px() as u32, picture.height_px() as u32);
    match format {
        ImageFormat::Jpeg => JpegEncoder::new_with_quality(file, JPEG_QUALITY).write_image(pixels, width_px, height_px, color),
        ImageFormat::Gif => GifEncoder::new_with_speed(file, GIF_SPEED).encode(pixels, width_px, height_px, color),
        _ => image::write_buffer_with_format(file, pixels, width_px, height_px, color, format),
    }
}

/// Colors that the format cannot keep exactly: what is saved is then not what was verified.
fn note_losses(format: ImageFormat, picture: &Picture, notes: &mut Vec<String>) {
    if format == ImageFormat::Jpeg {
        notes.push(filled("errors.saving.note.lossy", &[("quality", &JPEG_QUALITY)]));
    }
    if format == ImageFormat::Gif && picture.channels() == Channels::Rgb && has_more_than_256_colors(picture.bytes()) {
        notes.push(text("errors.saving.note.colors").to_owned());
    }
}

fn has_more_than_256_colors(bytes: &[u8]) -> bool {
    let mut colors = HashSet::new();
    bytes.as_chunks::<3>().0.iter().any(|color| colors.insert(color) && colors.len() > 256)
}

fn join_alpha(colors: &[u8], alpha: &[u8], channels: usize) -> Vec<u8> {
    let mut joined = Vec::with_capacity(colors.len() + alpha.len());
    for (color, &alpha) in colors.chunks_exact(channels).zip(alpha) {
        joined.extend_from_slice(color);
        joined.push(alpha);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::{WRITABLE_EXTENSIONS, save};
    use crate::{Picture, load};
    use base::error::ErrorKind;
    use model::Channels;

    /// Few colors, so that GIF keeps them; every byte of alpha is 0 or 255 for the same reason.
    fn picture(channels: Channels, has_alpha: bool) -> Picture {
        let picture = Picture::from_fn(7, 5, channels, |x, y, channel| (x * 30 + y * 7 + channel * 3) as u8);
        let alpha = (0..35).map(|index| if index % 3 == 0 { 0 } else { 255 }).collect();
        picture.with_alpha(has_alpha.then_some(alpha))
    }

    #[test]
    fn every_lossless_format_gives_the_same_pixels_back() {
        let folder = tempfile::tempdir().expect("a folder");
        for extension in ["png", "bmp", "tif", "tiff", "webp", "gif", "PNG"] {
            for channels in Channels::ALL {
                let path = folder.path().join(format!("a.{extension}"));
                let original = picture(channels, false);
                save(&path, &original).expect("saved");
                let loaded = load(&path).expect("loaded");
                assert_eq!(loaded.notes, [""; 0]);
                // Formats without gray come back as RGB of equal channels.
                assert_eq!(loaded.picture.to_channels(channels).bytes(), original.bytes(), "{extension} {}", channels.name());
                assert!(loaded.picture.alpha().is_none(), "{extension}");
                if matches!(extension, "png" | "tif" | "tiff") {
                    assert_eq!(loaded.picture.channels(), channels, "{extension}");
                }
            }
        }
    }

    #[test]
    fn alpha_comes_back_byte_for_byte_or_a_note_says_why_not() {
        let folder = tempfile::tempdir().expect("a folder");
        for extension in WRITABLE_EXTENSIONS {
            for channels in Channels::ALL {
                let path = folder.path().join(format!("a.{extension}"));
                let original = picture(channels, true);
                let notes = save(&path, &original).expect("saved");
                let loaded = load(&path).expect("loaded");
                if extension.starts_with('j') {
                    assert!(notes.iter().any(|note| note.contains("no alpha")), "{notes:?}");
                    continue;
                }
                assert_eq!(loaded.picture.alpha(), original.alpha(), "{extension} {}", channels.name());
                if extension != "gif" {
                    assert_eq!(loaded.picture.to_channels(channels).bytes(), original.bytes(), "{extension} {}", channels.name());
                }
            }
        }
    }

    #[test]
    fn what_a_format_cannot_keep_is_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let alpha = (0..1024).map(|index| (index % 256) as u8).collect();
        let colorful = Picture::from_fn(32, 32, Channels::Rgb, |x, y, channel| [x * 8, y * 8, 0][channel] as u8).with_alpha(Some(alpha));
        let notes = |name: &str| save(&folder.path().join(name), &colorful).expect("saved").join("; ");
        assert!(notes("a.gif").contains("256 colors") && notes("a.gif").contains("became opaque"));
        assert!(notes("a.jpg").contains("lossy") && notes("a.jpg").contains("no alpha"));
        assert_eq!(notes("a.png"), "");
    }

    #[test]
    fn an_unknown_extension_is_a_wrong_request_that_lists_the_known_ones() {
        for name in ["a.xyz", "a", "png", "a.avif"] {
            let error = save(std::path::Path::new(name), &picture(Channels::Rgb, false)).expect_err("no format");
            assert_eq!(error.kind, ErrorKind::Usage);
            assert!(error.remedy.contains(".png, .jpg") && error.remedy.ends_with(name), "{error}");
        }
    }

    #[test]
    fn a_side_beyond_the_format_names_both_numbers_and_keeps_the_old_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let column = Picture::new(1, 100_000, Channels::Gray, vec![9; 100_000]).expect("a picture");
        for (name, limit) in [("a.jpg", "65535"), ("a.webp", "16384"), ("a.gif", "65535"), ("a.bmp", "65535")] {
            let path = folder.path().join(name);
            std::fs::write(&path, b"old").expect("written");
            let error = save(&path, &column).expect_err("too long");
            assert!(error.why.contains("100000") && error.why.contains(limit), "{error}");
            assert_eq!(std::fs::read(&path).expect("there"), b"old");
        }
        for name in ["a.png", "a.tiff"] {
            save(&folder.path().join(name), &column).expect("saved");
            assert_eq!(load(&folder.path().join(name)).expect("loaded").picture, column);
        }
    }
}
