//! Pictures from files and from memory, as 8-bit gray or RGB with alpha apart.

use super::jpeg::{self, JpegFacts};
use super::limits::{MAX_DECODED_BYTES, MOST_UNASKED_PX, check_size};
use super::{Channels, Picture, tiff};
use base::error::{Error, Result};
use base::files;
use base::texts::{failed, filled, misused, text};
use image::metadata::Orientation;
use image::{AnimationDecoder as _, DynamicImage, ExtendedColorType, ImageDecoder, ImageFormat, ImageReader, Limits};
use std::cell::Cell;
use std::io::{Cursor, Read as _};
use std::path::Path;

/// What can be read, for messages and file dialogs.
pub const READABLE_EXTENSIONS: [&str; 9] = ["png", "jpg", "jpeg", "bmp", "tif", "tiff", "webp", "gif", "jfif"];

/// Largest file that is read: no picture within the limits needs more, and a device file would never end.
const MAX_FILE_BYTES: u64 = MAX_DECODED_BYTES;

/// A picture with what should be said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// 8 bits a channel; alpha apart.
    pub picture: Picture,
    /// The file's name without its folder, or what the caller called it.
    pub name: String,
    /// What was changed on the way in, one sentence without a full stop each.
    pub notes: Vec<String>,
}

impl Loaded {
    /// A picture over pixels of four bytes (red, green, blue, alpha), as a clipboard hands them over. Alpha is kept unless all of it is
    /// opaque.
    ///
    /// # Errors
    /// When the size is not possible, or `rgba` has not four bytes a pixel.
    pub fn from_rgba(name: impl Into<String>, width_px: usize, height_px: usize, rgba: &[u8]) -> Result<Self> {
        check_size(width_px, height_px, Channels::Rgb)?;
        let (bytes, alpha) = split_alpha::<4>(rgba);
        let alpha = alpha.iter().any(|&value| value != u8::MAX).then_some(alpha);
        let picture = Picture::new(width_px, height_px, Channels::Rgb, bytes)?.with_alpha(alpha);
        Ok(Self { picture, name: name.into(), notes: Vec::new() })
    }
}

/// What becomes of a picture that is so large, or made of so few bytes, that nobody may have meant it: a file of a few bytes can claim hundreds of megapixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Large {
    /// Its size alone is read.
    Ask,
    /// It is read, and made smaller.
    Reduce,
    /// It is read as it is.
    Whole,
}

/// What came of opening a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opened {
    /// The picture.
    Picture(Loaded),
    /// It is large, and that is to be asked about.
    Large {
        /// Width in pixels.
        width_px: usize,
        /// Height in pixels.
        height_px: usize,
    },
}

/// A picture that is made smaller has at most so many pixels.
const REDUCED_PX: u64 = 16_000_000;

/// More pixels than this from each byte of a file are not those of a photograph or a drawing, but of an area of one color.
const MOST_PX_PER_BYTE: u64 = 2000;

/// Whether a picture of this size, in a file of so many bytes, is asked about.
fn is_large(width_px: u32, height_px: u32, file_bytes: usize) -> bool {
    let pixels = u64::from(width_px) * u64::from(height_px);
    let is_hollow = pixels > REDUCED_PX && pixels / MOST_PX_PER_BYTE > file_bytes as u64;
    pixels > MOST_UNASKED_PX as u64 || is_hollow
}

/// Reads the picture at `path`, whatever its size. The format is found by content; the extension only leads to a note where it is wrong.
///
/// # Errors
/// What keeps it from being read, and what to do; the path comes last.
pub fn load(path: &Path) -> Result<Loaded> {
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    let place = path.display().to_string();
    let bytes = read_file(path).map_err(|error| placed(error, &place))?;
    decode_whole(name, &place, &bytes)
}

/// As [`load`]; of a picture that is `large` as that says.
///
/// # Errors
/// As [`load`].
pub fn open(path: &Path, large: Large) -> Result<Opened> {
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    let place = path.display().to_string();
    let bytes = read_file(path).map_err(|error| placed(error, &place))?;
    decode_named(name, &place, &bytes, large)
}

/// The picture in `bytes`, which came without a file (a sample, the clipboard, a drop). `name` stands in notes and messages.
///
/// # Errors
/// What keeps it from being read, and what to do; the name comes last.
pub fn load_bytes(name: &str, bytes: &[u8]) -> Result<Loaded> {
    decode_whole(name.to_owned(), name, bytes)
}

fn decode_whole(name: String, place: &str, bytes: &[u8]) -> Result<Loaded> {
    decode_named(name, place, bytes, Large::Whole)?.asked_for()
}

impl Opened {
    /// The picture.
    ///
    /// # Errors
    /// A usage error where it is large, and nobody said that it is wanted.
    pub fn asked_for(self) -> Result<Loaded> {
        match self {
            Self::Picture(loaded) => Ok(loaded),
            Self::Large { width_px, height_px } => {
                let megapixels = width_px * height_px / 1_000_000;
                let values: [(&str, &dyn std::fmt::Display); 4] =
                    [("width", &width_px), ("height", &height_px), ("megapixels", &megapixels), ("limit", &(MOST_UNASKED_PX / 1_000_000))];
                Err(misused("errors.picture.large", &values))
            }
        }
    }
}

/// The error with the picture's path or name after what to do.
fn placed(error: Error, place: &str) -> Error {
    Error { remedy: filled("errors.picture.placed", &[("remedy", &error.remedy), ("path", &place)]), ..error }
}

fn read_file(path: &Path) -> Result<Vec<u8>> {
    use std::io::ErrorKind;
    let explain = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => failed("errors.picture.not-found", &[]),
        ErrorKind::PermissionDenied => failed("errors.picture.not-permitted", &[]),
        ErrorKind::NotADirectory => failed("errors.picture.no-folder", &[]),
        _ => failed("errors.picture.not-read", &[("why", &error)]),
    };
    // Asked before opening: opening a pipe waits for whoever writes into it, forever if need be.
    let metadata = std::fs::metadata(path).map_err(explain)?;
    if metadata.is_dir() {
        return Err(failed("errors.picture.is-folder", &[]));
    }
    if !metadata.is_file() {
        return Err(failed("errors.picture.is-device", &[]));
    }
    let mut bytes = Vec::new();
    let file = files::open_regular(path, std::fs::OpenOptions::new().read(true)).map_err(explain)?;
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(explain)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(failed("errors.picture.long-file", &[("limit", &MAX_FILE_BYTES), ("bytes", &metadata.len())]));
    }
    Ok(bytes)
}

fn decode_named(name: String, place: &str, bytes: &[u8], large: Large) -> Result<Opened> {
    let format = find_format(bytes).map_err(|error| placed(error, place))?;
    // Decoders are other people's code fed with strangers' bytes: a panic there is one more way of being damaged.
    let outcome = quietly(|| decode(format, bytes, large));
    let outcome = outcome.unwrap_or_else(|_| Err(failed("errors.picture.decoder", &[("kind", &kind(format, bytes))])));
    let (picture, mut notes) = match outcome.map_err(|error| placed(error, place))? {
        Decoded::Picture(picture, notes) => (picture, notes),
        Decoded::Large(width_px, height_px) => return Ok(Opened::Large { width_px: width_px as usize, height_px: height_px as usize }),
    };
    let claimed = Path::new(&name).extension().and_then(ImageFormat::from_extension);
    if claimed.is_some_and(|claimed| claimed != format) {
        notes.insert(0, filled("errors.picture.note.other-format", &[("format", &label(format)), ("name", &name)]));
    }
    Ok(Opened::Picture(Loaded { picture, name, notes }))
}

thread_local! {
    /// A decoder is at work on this thread, whose panics are told as errors.
    static IS_DECODING: Cell<bool> = const { Cell::new(false) };
}

/// Panics of decoders are told as what they are, damaged pictures, and not printed besides. For the program's start.
pub fn quiet_decoders() {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !IS_DECODING.get() {
            print(panic);
        }
    }));
}

/// What a decoder makes of a file, or its panic.
fn quietly<T>(decode: impl FnOnce() -> T + std::panic::UnwindSafe) -> std::thread::Result<T> {
    IS_DECODING.set(true);
    let outcome = std::panic::catch_unwind(decode);
    IS_DECODING.set(false);
    outcome
}

/// The format's name; of a TIFF, which is many formats, with what kind it is.
fn kind(format: ImageFormat, bytes: &[u8]) -> String {
    let kind = (format == ImageFormat::Tiff).then(|| quietly(|| tiff::kind(bytes)).ok().flatten()).flatten();
    kind.map_or_else(|| label(format), |kind| format!("{} ({kind})", label(format)))
}

fn find_format(bytes: &[u8]) -> Result<ImageFormat> {
    if bytes.is_empty() {
        return Err(failed("errors.picture.empty", &[]));
    }
    match image::guess_format(bytes) {
        Ok(format) if format.reading_enabled() => Ok(format),
        Ok(format) => Err(failed("errors.picture.format", &[("format", &label(format))])),
        Err(_) => Err(failed("errors.picture.no-picture", &[])),
    }
}

/// A format's name as people write it.
pub(super) fn label(format: ImageFormat) -> String {
    match format {
        ImageFormat::WebP => "WebP".to_owned(),
        other => format!("{other:?}").to_uppercase(),
    }
}

/// What a decoder made of a file, with notes; or the size of a picture that is to be asked about.
enum Decoded {
    Picture(Picture, Vec<String>),
    Large(u32, u32),
}

fn decode(format: ImageFormat, bytes: &[u8], large: Large) -> Result<Decoded> {
    if let Some((width_px, height_px)) = claimed_size(format, bytes) {
        // One channel is the least; the exact number is known, and checked, once the decoder has read the header.
        check_size(width_px, height_px, Channels::Gray).map_err(as_failure)?;
        // Where some decoders want data, too, before they tell of the header.
        let sides = u32::try_from(width_px).ok().zip(u32::try_from(height_px).ok());
        if let Some((width_px, height_px)) = sides.filter(|(width_px, height_px)| is_large(*width_px, *height_px, bytes.len()))
            && large == Large::Ask
        {
            return Ok(Decoded::Large(width_px, height_px));
        }
    }
    let jpeg = if format == ImageFormat::Jpeg { jpeg::scan(bytes) } else { JpegFacts { components: 0, is_complete: true } };
    let damaged = |error: image::ImageError| undecoded(format, bytes, &error);
    if format == ImageFormat::Tiff
        && let Some((width_px, height_px)) = tiff::size_of_own_kind(bytes)
    {
        check_size(width_px as usize, height_px as usize, Channels::Rgb).map_err(as_failure)?;
        if large == Large::Ask && is_large(width_px, height_px, bytes.len()) {
            return Ok(Decoded::Large(width_px, height_px));
        }
        let decoded = tiff::decode(bytes, MAX_DECODED_BYTES as usize);
        let decoded = decoded.map_err(|error| failed("errors.picture.damaged", &[("format", &label(format)), ("why", &error)]))?;
        if let Some(tiff::Own { mut pixels, orientation, note }) = decoded {
            let mut notes: Vec<String> = note.into_iter().map(|key| text(key).to_owned()).collect();
            reduce_and_turn(&mut pixels, large, bytes.len(), orientation, &mut notes);
            return Ok(Decoded::Picture(to_picture(pixels, format, &mut notes)?, notes));
        }
    }
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(decoder_limits());
    let mut decoder = reader.into_decoder().map_err(damaged)?;
    let (width_px, height_px) = decoder.dimensions();
    let channels = if decoder.color_type().has_color() { Channels::Rgb } else { Channels::Gray };
    check_size(width_px as usize, height_px as usize, channels).map_err(as_failure)?;
    if decoder.total_bytes() > MAX_DECODED_BYTES {
        return Err(failed("errors.picture.long-decoded", &[("bytes", &decoder.total_bytes()), ("limit", &MAX_DECODED_BYTES)]));
    }
    if large == Large::Ask && is_large(width_px, height_px, bytes.len()) {
        return Ok(Decoded::Large(width_px, height_px));
    }
    if !jpeg.is_complete {
        return Err(failed("errors.picture.no-end", &[("incomplete", &files::incomplete())]));
    }
    let is_cmyk = jpeg.components == 4 || matches!(decoder.original_color_type(), ExtendedColorType::Cmyk8 | ExtendedColorType::Cmyk16);
    let orientation = orientation(&mut decoder);
    let mut pixels = DynamicImage::from_decoder(decoder).map_err(damaged)?;
    let mut notes = Vec::new();
    reduce_and_turn(&mut pixels, large, bytes.len(), orientation, &mut notes);
    if is_cmyk {
        notes.push(text("errors.picture.note.cmyk").to_owned());
    }
    if has_more_frames(format, bytes) {
        notes.push(text("errors.picture.note.first-frame").to_owned());
    }
    Ok(Decoded::Picture(to_picture(pixels, format, &mut notes)?, notes))
}

/// How the picture is to be turned. Many writers of WebP put before its EXIF what JPEG has there.
fn orientation(decoder: &mut impl ImageDecoder) -> Orientation {
    let told = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    if told != Orientation::NoTransforms {
        return told;
    }
    let exif = decoder.exif_metadata().ok().flatten().unwrap_or_default();
    exif.strip_prefix(b"Exif\0\0").and_then(Orientation::from_exif_chunk).unwrap_or(Orientation::NoTransforms)
}

/// Makes a large picture smaller where that is wanted, and turns it upright.
fn reduce_and_turn(pixels: &mut DynamicImage, large: Large, file_bytes: usize, orientation: Orientation, notes: &mut Vec<String>) {
    let (width_px, height_px) = (pixels.width(), pixels.height());
    if large == Large::Reduce && is_large(width_px, height_px, file_bytes) {
        let shorter = |factor: u32| (width_px.div_ceil(factor), height_px.div_ceil(factor));
        let fits = |(width_px, height_px): (u32, u32)| u64::from(width_px) * u64::from(height_px) <= REDUCED_PX;
        let (width, height) = (2..=u32::from(u16::MAX)).map(shorter).find(|size| fits(*size)).unwrap_or((1, 1));
        *pixels = pixels.thumbnail_exact(width, height);
        let values: [(&str, &dyn std::fmt::Display); 4] =
            [("from_width", &width_px), ("from_height", &height_px), ("width", &width), ("height", &height)];
        notes.push(filled("errors.picture.note.reduced", &values));
    }
    pixels.apply_orientation(orientation);
    if orientation != Orientation::NoTransforms {
        notes.push(text("errors.picture.note.turned").to_owned());
    }
}

fn decoder_limits() -> Limits {
    let mut limits = Limits::default();
    limits.max_alloc = Some(2 * MAX_DECODED_BYTES);
    limits
}

/// A picture too large is a wrong file here, not a wrong request.
fn as_failure(error: Error) -> Error {
    Error::failed(text("errors.picture.not-read.what"), error.why, error.remedy)
}

/// Width and height that the header claims, where decoders refuse too large a picture without saying how large it is.
fn claimed_size(format: ImageFormat, bytes: &[u8]) -> Option<(usize, usize)> {
    let four = |at: usize| bytes.get(at..at + 4).and_then(|four| <[u8; 4]>::try_from(four).ok());
    let (width, height) = match format {
        // Signature (8 bytes), then the IHDR chunk: length, type, width, height, big-endian.
        ImageFormat::Png => (u32::from_be_bytes(four(16)?), u32::from_be_bytes(four(20)?)),
        // File header (14 bytes), then the size of the next header; from 40 bytes on, signed 32-bit sides (negative: top-down).
        ImageFormat::Bmp if u32::from_le_bytes(four(14)?) >= 40 => {
            (i32::from_le_bytes(four(18)?).unsigned_abs(), i32::from_le_bytes(four(22)?).unsigned_abs())
        }
        _ => return None,
    };
    Some((width as usize, height as usize))
}

fn undecoded(format: ImageFormat, bytes: &[u8], error: &image::ImageError) -> Error {
    let kind_of_file = kind(format, bytes);
    let format = label(format);
    let is_cut_off = |error: &std::io::Error| error.kind() == std::io::ErrorKind::UnexpectedEof;
    match error {
        image::ImageError::IoError(io) if is_cut_off(io) => {
            failed("errors.picture.cut-off", &[("incomplete", &files::incomplete()), ("format", &format)])
        }
        image::ImageError::Unsupported(kind) => failed("errors.picture.kind", &[("format", &kind_of_file), ("kind", &kind)]),
        other => failed("errors.picture.damaged", &[("format", &format), ("why", &other)]),
    }
}

fn has_more_frames(format: ImageFormat, bytes: &[u8]) -> bool {
    match format {
        ImageFormat::Gif => image::codecs::gif::GifDecoder::new(Cursor::new(bytes)).is_ok_and(|mut decoder| {
            decoder.set_limits(decoder_limits()).is_ok() && decoder.into_frames().nth(1).is_some_and(|frame| frame.is_ok())
        }),
        ImageFormat::WebP => image::codecs::webp::WebPDecoder::new(Cursor::new(bytes)).is_ok_and(|decoder| decoder.has_animation()),
        _ => false,
    }
}

fn to_picture(pixels: DynamicImage, format: ImageFormat, notes: &mut Vec<String>) -> Result<Picture> {
    let (width_px, height_px) = (pixels.width() as usize, pixels.height() as usize);
    match pixels.color() {
        image::ColorType::L16 | image::ColorType::La16 | image::ColorType::Rgb16 | image::ColorType::Rgba16 => {
            notes.push(text("errors.picture.note.16-bits").to_owned());
        }
        image::ColorType::Rgb32F | image::ColorType::Rgba32F => {
            notes.push(text("errors.picture.note.float").to_owned());
        }
        _ => {}
    }
    let (channels, bytes, alpha) = match (pixels.color().has_color(), pixels.has_alpha()) {
        (false, false) => (Channels::Gray, pixels.into_luma8().into_raw(), None),
        (true, false) => (Channels::Rgb, pixels.into_rgb8().into_raw(), None),
        (false, true) => {
            let (bytes, alpha) = split_alpha::<2>(&pixels.into_luma_alpha8().into_raw());
            (Channels::Gray, bytes, Some(alpha))
        }
        (true, true) => {
            let (bytes, alpha) = split_alpha::<4>(&pixels.into_rgba8().into_raw());
            // The GIF decoder always makes an alpha plane up.
            let is_made_up = format == ImageFormat::Gif && alpha.iter().all(|&value| value == u8::MAX);
            (Channels::Rgb, bytes, (!is_made_up).then_some(alpha))
        }
    };
    Ok(Picture::new(width_px, height_px, channels, bytes)?.with_alpha(alpha))
}

/// Pixels of `N` bytes whose last is alpha, as color bytes and alpha bytes.
fn split_alpha<const N: usize>(pixels: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let count = pixels.len() / N;
    let (mut colors, mut alpha) = (Vec::with_capacity(count * (N - 1)), Vec::with_capacity(count));
    for pixel in pixels.as_chunks::<N>().0 {
        if let Some((last, color)) = pixel.split_last() {
            colors.extend_from_slice(color);
            alpha.push(*last);
        }
    }
    (colors, alpha)
}

#[cfg(test)]
mod tests {
    use super::Loaded;

    #[test]
    fn clipboard_pixels_keep_alpha_unless_all_of_it_is_opaque() {
        let clear = Loaded::from_rgba("pasted", 2, 1, &[1, 2, 3, 255, 4, 5, 6, 7]).expect("two pixels");
        assert_eq!((clear.picture.bytes(), clear.picture.alpha()), (&[1, 2, 3, 4, 5, 6][..], Some(&[255, 7][..])));
        let opaque = Loaded::from_rgba("pasted", 1, 1, &[1, 2, 3, 255]).expect("a pixel");
        assert!(opaque.picture.alpha().is_none());
        Loaded::from_rgba("pasted", 2, 2, &[0; 7]).expect_err("too few bytes");
        Loaded::from_rgba("pasted", 0, 2, &[]).expect_err("no pixel");
    }
}
