//! The same pictures through the program: exit code 1, one line that says it all, and nothing written.

use crate::craft::{encoded, hollow_jpeg, planar_tiles, png_header, rotated_jpeg};
use image::ImageFormat;
use model::Channels;
use pictures::{generate, load, save};
use std::path::Path;
use std::process::{Command, Output};

fn filter(input: &Path, output: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kernel-ladder"));
    command.arg("run").args([input, output]).args(["--engine", "cpu-simd"]).output().expect("the program starts")
}

#[test]
fn a_picture_that_cannot_be_opened_is_one_line_and_exit_code_1_and_an_old_output_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = folder.path().join("out.png");
    std::fs::write(&output, b"old").expect("written");
    let whole = encoded(ImageFormat::Png);
    let planes = planar_tiles();
    let hostile: [(&str, &[u8]); 5] = [
        ("empty.png", b""),
        // Its decoder panics.
        ("planes.tiff", &planes),
        ("cut.png", whole.split_at(whole.len() / 2).0),
        ("huge.png", &png_header(100_000, 100_000)),
        ("text.png", b"Dear reader, this is no picture."),
    ];
    let mut paths = vec![folder.path().to_owned(), folder.path().join("missing.png")];
    for (name, bytes) in hostile {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        paths.push(path);
    }
    for path in paths {
        let ran = filter(&path, &output);
        let message = String::from_utf8(ran.stderr).expect("UTF-8");
        assert_eq!(ran.status.code(), Some(1), "{message}");
        assert!(ran.stdout.is_empty());
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(message.trim_end().ends_with(&path.display().to_string()), "{message}");
        assert_eq!(std::fs::read(&output).expect("there"), b"old");
    }
}

#[test]
fn what_was_changed_on_the_way_in_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let (input, output) = (folder.path().join("turned.png"), folder.path().join("out.png"));
    std::fs::write(&input, rotated_jpeg(6)).expect("written");
    let ran = filter(&input, &output);
    let message = String::from_utf8(ran.stderr).expect("UTF-8");
    assert!(ran.status.success() && message.contains("is JPEG, despite its name") && message.contains("EXIF"), "{message}");
    let picture = load(&output).expect("a picture").picture;
    assert_eq!((picture.width_px(), picture.height_px()), (16, 32));
}

#[test]
fn alpha_passes_through_the_filter_to_the_byte() {
    let folder = tempfile::tempdir().expect("a folder");
    let (input, output) = (folder.path().join("in.png"), folder.path().join("out.png"));
    let alpha: Vec<u8> = (0..50 * 40).map(|index| (index * 11 % 256) as u8).collect();
    save(&input, &generate(50, 40, Channels::Rgb, 4).with_alpha(Some(alpha.clone()))).expect("saved");
    let ran = filter(&input, &output);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(load(&output).expect("a picture").picture.alpha(), Some(&alpha[..]));
}

#[test]
fn a_picture_of_hundreds_of_megapixels_is_not_run_by_mistake() {
    let folder = tempfile::tempdir().expect("a folder");
    let (input, output) = (folder.path().join("hollow.jpg"), folder.path().join("out.png"));
    std::fs::write(&input, hollow_jpeg(26_000, 26_000)).expect("written");
    let ran = filter(&input, &output);
    let message = String::from_utf8(ran.stderr).expect("UTF-8");
    assert_eq!(ran.status.code(), Some(2), "{message}");
    assert!(message.contains("676 megapixels") && message.contains("--large"), "{message}");
    assert!(!output.exists());
}

#[test]
fn an_output_takes_no_inputs_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = folder.path().join("in.png");
    let bytes = encoded(ImageFormat::Png);
    std::fs::write(&input, &bytes).expect("written");
    let program = |arguments: &[&str]| {
        let ran = Command::new(env!("CARGO_BIN_EXE_kernel-ladder")).current_dir(folder.path()).args(arguments).output();
        let ran = ran.expect("the program starts");
        (ran.status.code(), String::from_utf8(ran.stderr).expect("UTF-8"))
    };
    std::fs::write(folder.path().join("my.cl"), "work of days").expect("written");
    std::fs::write(folder.path().join("g.json"), "a bundle").expect("written");
    for arguments in [
        &["run", "in.png", "./in.png"][..],
        &["bench", "--picture", "in.png", "--csv", "in.png"],
        &["bench", "--csv", "a.csv", "--bundle", "a.csv"],
        &["report", "g.json", "--out", "g.json"],
        &["merge", "g.json", "--out", "./g.json"],
        &["access", "in.png", "--pixel", "1,1", "--png", "in.png"],
        &["compiled", "naive", "--binary", "my.cl"],
        &["autotune", "--lesson", "my.cl"],
    ] {
        let (code, message) = program(arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {message}");
        assert!(message.contains("Nothing was done"), "{arguments:?}: {message}");
    }
    for (name, content) in [("in.png", &bytes[..]), ("my.cl", b"work of days"), ("g.json", b"a bundle")] {
        assert_eq!(std::fs::read(folder.path().join(name)).expect("there"), content, "{name}");
    }
}
