//! Damaged, oversized and unusual pictures: each is either loaded with a note or refused with what, why and what to do.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "helpers of tests fail by panicking, too")]

mod command_line;
mod craft;

use base::error::Error;
use craft::{
    CMYK_JPEG, CMYK_TIFF, TWO_FRAMES_GIF, TWO_FRAMES_WEBP, bmp_header, encoded, hollow_jpeg, planar_tiles, png_header, rotated_jpeg,
    rotated_webp, tiff_header,
};
use image::{DynamicImage, ExtendedColorType, ImageFormat};
use model::Channels;
use pictures::{Large, MAX_PICTURE_BYTES, MOST_UNASKED_PX, Opened, load, load_bytes, open, samples, save};
use std::io::Cursor;
use std::path::Path;

const FORMATS: [(&str, ImageFormat); 6] = [
    ("a.png", ImageFormat::Png),
    ("a.jpg", ImageFormat::Jpeg),
    ("a.bmp", ImageFormat::Bmp),
    ("a.tiff", ImageFormat::Tiff),
    ("a.webp", ImageFormat::WebP),
    ("a.gif", ImageFormat::Gif),
];

/// A refusal that says all it should, with the place at the very end.
fn refused(result: Result<pictures::Loaded, Error>, place: &str) -> Error {
    let error = result.expect_err("refused");
    assert!(!error.what.is_empty() && !error.why.is_empty(), "{error}");
    assert!(error.remedy.ends_with(place) && error.remedy.len() > place.len() + 10, "{error}");
    assert!(!error.to_string().contains('\n'), "{error}");
    error
}

#[test]
fn a_truncated_file_of_any_format_is_refused_and_no_cut_panics() {
    for (name, format) in FORMATS {
        let whole = encoded(format);
        load_bytes(name, &whole).expect("whole");
        let half = refused(load_bytes(name, &whole[..whole.len() / 2]), name);
        assert!(half.why.contains("truncated") || half.why.contains("damaged"), "{half}");
        assert!(!half.why.contains("gave up"), "a decoder panicked: {half}");
        for end in (0..whole.len()).step_by(1 + whole.len() / 97) {
            if let Err(error) = load_bytes(name, &whole[..end]) {
                assert!(!error.why.contains("gave up"), "{name} cut to {end} bytes: {error}");
            }
        }
    }
}

#[test]
fn a_jpeg_without_its_last_rows_is_not_made_up() {
    let whole = encoded(ImageFormat::Jpeg);
    let error = refused(load_bytes("a.jpg", &whole[..whole.len() - 20]), "a.jpg");
    assert!(error.why.contains("it is truncated"), "{error}");
}

#[test]
fn flipped_bytes_never_panic() {
    for (name, format) in FORMATS {
        let whole = encoded(format);
        for at in (0..whole.len()).step_by(1 + whole.len() / 61) {
            let mut damaged = whole.clone();
            damaged[at] ^= 0xFF;
            if let Err(error) = load_bytes(name, &damaged) {
                assert!(!error.why.contains("gave up"), "{name} with byte {at} flipped: {error}");
            }
        }
    }
}

#[test]
fn an_empty_file_and_a_text_are_refused() {
    assert!(refused(load_bytes("a.png", b""), "a.png").why.contains("0 bytes"));
    assert!(refused(load_bytes("a.png", b"Dear reader, this is no picture at all."), "a.png").why.contains("not a supported picture"));
    assert!(refused(load_bytes("zeros.png", &[0; 4096]), "zeros.png").why.contains("not a supported picture"));
    let avif = refused(load_bytes("a.avif", b"\0\0\0\x20ftypavif\0\0\0\0avifmif1"), "a.avif");
    assert!(avif.why.contains("AVIF") && avif.remedy.contains("convert it to PNG"), "{avif}");
}

#[test]
fn a_wrong_extension_works_with_a_note() {
    for (_, format) in FORMATS {
        let wrong = if format == ImageFormat::Png { "a.jpg" } else { "a.png" };
        let loaded = load_bytes(wrong, &encoded(format)).expect("read by content");
        assert!(loaded.notes[0].contains(wrong), "{:?}", loaded.notes);
        assert_eq!((loaded.picture.width_px(), loaded.picture.height_px()), (40, 30));
    }
    let without = load_bytes("a", &encoded(ImageFormat::Png)).expect("read by content");
    assert!(without.notes.is_empty(), "no extension claims nothing: {:?}", without.notes);
}

#[test]
fn one_by_a_hundred_thousand_is_a_picture() {
    let folder = tempfile::tempdir().expect("a folder");
    for (width_px, height_px) in [(1, 100_000), (100_000, 1)] {
        let picture = pictures::generate(width_px, height_px, Channels::Rgb, 5);
        let path = folder.path().join("line.png");
        save(&path, &picture).expect("saved");
        assert_eq!(load(&path).expect("loaded").picture, picture);
    }
}

#[test]
fn a_claimed_hundred_thousand_squared_is_refused_with_two_numbers_before_memory_is_taken() {
    let headers =
        [("a.png", png_header(100_000, 100_000)), ("a.bmp", bmp_header(100_000, 100_000)), ("a.bmp", bmp_header(100_000, -100_000))];
    for (name, header) in headers.into_iter().chain([("a.tiff", tiff_header(100_000, 100_000))]) {
        let error = refused(load_bytes(name, &header), name);
        // 10 000 000 000 bytes of gray, or thrice that in RGB.
        assert!(
            error.why.starts_with("100000 x 100000")
                && error.why.contains("0000000000 bytes")
                && error.why.contains(&MAX_PICTURE_BYTES.to_string()),
            "{error}"
        );
    }
}

#[test]
fn a_header_of_an_allowed_size_without_data_is_refused_as_cut_off() {
    for (name, header) in [("a.png", png_header(2000, 2000)), ("a.bmp", bmp_header(2000, 2000)), ("a.tiff", tiff_header(2000, 2000))] {
        let error = refused(load_bytes(name, &header), name);
        assert!(error.why.contains("truncated") || error.why.contains("damaged"), "{error}");
    }
}

#[test]
fn a_side_of_zero_is_refused() {
    for (name, header) in [("a.png", png_header(0, 5)), ("a.bmp", bmp_header(5, 0))] {
        refused(load_bytes(name, &header), name);
    }
}

#[test]
fn what_is_not_a_readable_file_is_refused_with_its_path() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.png");
    std::fs::write(&file, encoded(ImageFormat::Png)).expect("written");
    for (path, why) in [
        (folder.path().to_owned(), "folder"),
        (folder.path().join("missing.png"), "no such file"),
        (folder.path().join("missing/a.png"), "no such file"),
        (file.join("b.png"), "not a folder"),
        (folder.path().join("x".repeat(300)), ""),
        (Path::new("").to_owned(), ""),
    ] {
        let error = refused(load(&path), &path.display().to_string());
        assert!(error.why.contains(why), "{error}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn devices_and_unreadable_files_are_refused_instead_of_read_for_ever() {
    for path in ["/dev/zero", "/dev/null", "/proc/self/mem"] {
        refused(load(Path::new(path)), path);
    }
}

#[test]
fn exif_orientation_turns_the_picture() {
    // Orientation, then size, the place of a black pixel and of a white one, as the TIFF tag's table says.
    type Place = (usize, usize);
    let cases: [(u8, Place, Place, Place); 5] = [
        (1, (32, 16), (2, 8), (29, 8)),
        (2, (32, 16), (29, 8), (2, 8)),
        (3, (32, 16), (29, 8), (2, 8)),
        (6, (16, 32), (8, 2), (8, 29)),
        (8, (16, 32), (8, 29), (8, 2)),
    ];
    for (orientation, size, black, white) in cases {
        let loaded = load_bytes("turned.jpg", &rotated_jpeg(orientation)).expect("loaded");
        let picture = &loaded.picture;
        assert_eq!((picture.width_px(), picture.height_px()), size, "orientation {orientation}");
        assert_eq!(picture.channels(), Channels::Gray);
        assert!(picture.pixel(black.0, black.1).expect("inside")[0] < 30, "orientation {orientation}");
        assert!(picture.pixel(white.0, white.1).expect("inside")[0] > 225, "orientation {orientation}");
        assert_eq!(loaded.notes.len(), usize::from(orientation != 1), "{:?}", loaded.notes);
    }
}

#[test]
fn a_webp_is_turned_with_and_without_the_prefix_that_jpeg_has_before_its_exif() {
    for before in [&b""[..], b"Exif\0\0"] {
        for (orientation, size, black) in [(1, (32, 16), (2, 8)), (3, (32, 16), (29, 8)), (6, (16, 32), (8, 2)), (8, (16, 32), (8, 29))] {
            let loaded = load_bytes("turned.webp", &rotated_webp(orientation, before)).expect("loaded");
            let picture = &loaded.picture;
            assert_eq!((picture.width_px(), picture.height_px()), size, "orientation {orientation}");
            assert_eq!(picture.pixel(black.0, black.1), Some(&[0; 3][..]), "orientation {orientation}");
            assert_eq!(loaded.notes.len(), usize::from(orientation != 1), "{:?}", loaded.notes);
        }
    }
}

#[test]
fn a_picture_of_hundreds_of_megapixels_is_asked_about_before_a_pixel_is_decoded() {
    let folder = tempfile::tempdir().expect("a folder");
    let asked = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        open(&path, Large::Ask)
    };
    let is_large = |opened: Result<Opened, Error>, side: usize| {
        assert_eq!(opened.expect("its size"), Opened::Large { width_px: side, height_px: side });
    };
    is_large(asked("a.jpg", &hollow_jpeg(26_000, 26_000)), 26_000);
    // One below the limit of size, but made of next to nothing.
    is_large(asked("b.jpg", &hollow_jpeg(7_900, 7_900)), 7_900);
    is_large(asked("c.png", &png_header(26_000, 26_000)), 26_000);
    is_large(asked("d.tiff", &tiff_header(26_000, 26_000)), 26_000);
    const { assert!(7_900 * 7_900 < MOST_UNASKED_PX && 26_000 * 26_000 > MOST_UNASKED_PX) };
    let Opened::Picture(loaded) = asked("e.png", &encoded(ImageFormat::Png)).expect("small") else { panic!("asked about 40 x 30") };
    assert_eq!((loaded.picture.width_px(), loaded.notes.len()), (40, 0));
    let error = asked("f.jpg", &hollow_jpeg(26_000, 26_000)).expect("its size").asked_for().expect_err("nobody asks");
    assert!(error.why.contains("676 megapixels") && error.remedy.contains("--large"), "{error}");
}

#[test]
fn a_large_picture_is_made_smaller_where_that_is_wanted() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("white.png");
    let white = pictures::Picture::new(8100, 8100, Channels::Gray, vec![255; 8100 * 8100]).expect("its bytes");
    save(&path, &white).expect("saved");
    let Opened::Picture(smaller) = open(&path, Large::Reduce).expect("read") else { panic!("asked") };
    assert_eq!((smaller.picture.width_px(), smaller.picture.height_px()), (2700, 2700));
    assert!(smaller.notes[0].contains("2700 × 2700 instead of 8100 × 8100"), "{:?}", smaller.notes);
    assert!(smaller.picture.bytes().iter().all(|byte| *byte == 255));
    let Opened::Picture(whole) = open(&path, Large::Whole).expect("read") else { panic!("asked") };
    assert_eq!((whole.picture, whole.notes.len()), (white, 0));
}

#[test]
fn a_tiff_that_its_decoder_cannot_read_is_told_with_its_kind() {
    let error = refused(load_bytes("planes.tiff", &planar_tiles()), "planes.tiff");
    assert!(error.why.contains("RGB(8)") && error.why.contains("PlanarConfiguration 2") && error.why.contains("TileWidth 16"), "{error}");
    assert!(error.remedy.contains("convert it to PNG"), "{error}");
}

#[test]
fn sixteen_bits_are_rounded_with_a_note() {
    for (color, channels, has_alpha) in [
        (ExtendedColorType::L16, Channels::Gray, false),
        (ExtendedColorType::La16, Channels::Gray, true),
        (ExtendedColorType::Rgb16, Channels::Rgb, false),
        (ExtendedColorType::Rgba16, Channels::Rgb, true),
    ] {
        // One pixel after another, each of 0x0000, 0x0080 (rounds to 0), 0x0081 (rounds to 1), 0xFF7E (to 254), 0xFFFF.
        let samples = usize::from(color.channel_count());
        let values: Vec<u16> = [0, 0x80, 0x81, 0xFF7E, 0xFFFF].into_iter().flat_map(|value| vec![value; samples]).collect();
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
        let mut file = Cursor::new(Vec::new());
        image::write_buffer_with_format(&mut file, &bytes, 5, 1, color, ImageFormat::Png).expect("encoded");
        let loaded = load_bytes("deep.png", file.get_ref()).expect("loaded");
        assert_eq!((loaded.picture.channels(), loaded.picture.alpha().is_some()), (channels, has_alpha));
        let expected: Vec<u8> = [0, 0, 1, 254, 255].into_iter().flat_map(|value| vec![value; channels.count()]).collect();
        assert_eq!(loaded.picture.bytes(), expected);
        assert_eq!(loaded.notes, ["16 bits per channel were rounded to 8"]);
    }
}

#[test]
fn floating_point_is_scaled_with_a_note() {
    let pixels = image::Rgb32FImage::from_raw(2, 1, vec![0.0, 0.5, 1.0, -3.0, 7.0, f32::NAN]).expect("two pixels");
    let mut file = Cursor::new(Vec::new());
    DynamicImage::ImageRgb32F(pixels).write_to(&mut file, ImageFormat::Tiff).expect("encoded");
    let loaded = load_bytes("float.tiff", file.get_ref()).expect("loaded");
    assert_eq!(loaded.picture.bytes()[..5], [0, 128, 255, 0, 255]);
    assert!(loaded.notes[0].contains("Floating-point"), "{:?}", loaded.notes);
}

#[test]
fn cmyk_becomes_rgb_with_a_note() {
    for (name, bytes) in [("cmyk.jpg", CMYK_JPEG), ("cmyk.tiff", CMYK_TIFF)] {
        let loaded = load_bytes(name, bytes).expect("loaded");
        for (x, y, expected) in [(2, 2, [0, 255, 255]), (12, 2, [255, 0, 255]), (2, 12, [255, 255, 0]), (12, 12, [127; 3])] {
            let pixel = loaded.picture.pixel(x, y).expect("inside");
            assert!(pixel.iter().zip(expected).all(|(&is, should): (&u8, u8)| is.abs_diff(should) <= 2), "{name} at {x}, {y}: {pixel:?}");
        }
        assert_eq!(loaded.notes.len(), 1, "{:?}", loaded.notes);
        assert!(loaded.notes[0].contains("CMYK"), "{:?}", loaded.notes);
    }
}

#[test]
fn of_an_animation_the_first_frame_is_used_with_a_note() {
    for (name, bytes) in [("two_frames.gif", TWO_FRAMES_GIF), ("two_frames.webp", TWO_FRAMES_WEBP)] {
        let loaded = load_bytes(name, bytes).expect("loaded");
        assert_eq!(loaded.picture.pixel(3, 2), Some(&[200, 10, 20][..]), "{name}");
        assert!(loaded.notes.iter().any(|note| note.contains("first frame")), "{name}: {:?}", loaded.notes);
    }
}

#[test]
fn rgba_through_a_file_keeps_alpha_to_the_byte() {
    let folder = tempfile::tempdir().expect("a folder");
    let alpha: Vec<u8> = (0..64 * 48).map(|index| (index * 7 % 256) as u8).collect();
    for channels in Channels::ALL {
        let picture = pictures::generate(64, 48, channels, 2).with_alpha(Some(alpha.clone()));
        for name in ["a.png", "a.webp", "a.tiff", "a.bmp"] {
            let path = folder.path().join(name);
            save(&path, &picture).expect("saved");
            let back = load(&path).expect("loaded").picture;
            assert_eq!(back.alpha(), Some(&alpha[..]), "{name}");
            assert_eq!(back.to_channels(channels).bytes(), picture.bytes(), "{name}");
        }
    }
}

#[test]
fn gray_stays_gray_and_a_sample_survives_a_round_trip() {
    let folder = tempfile::tempdir().expect("a folder");
    for sample in samples() {
        let picture = sample.load().expect("built in").picture;
        let path = folder.path().join("copy.png");
        assert_eq!(save(&path, &picture).expect("saved"), [""; 0]);
        assert_eq!(load(&path).expect("loaded").picture, picture, "{}", sample.name);
    }
}
