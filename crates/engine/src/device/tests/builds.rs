//! Building: errors, memory, disk.

use super::{INVERT, session};
use crate::device::{Access, Arg, CacheSettings, Session};
use model::BuildFrom;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[test]
fn a_build_error_has_the_device_the_log_and_the_line() {
    let session = session(&CacheSettings::off());
    let source = "__kernel void broken(__global uchar *target) {\n    int i = 0;\n    target[i] = undeclared_name;\n}\n";
    let error = session.build(source, "", "broken").expect_err("does not build");
    assert!(error.what.contains(&session.info().name), "{}", error.what);
    let log = error.detail.expect("a log");
    assert!(log.contains("undeclared_name"), "{log}");
    assert!(log.contains(":3:") || log.contains("(3)"), "the third line is named: {log}");
    assert!(error.why.contains("undeclared_name"), "{}", error.why);
}

#[test]
fn a_missing_kernel_and_zero_bytes_are_errors() {
    let session = session(&CacheSettings::off());
    let error = session.build(INVERT, "", "convert").expect_err("no such kernel");
    assert_eq!(error.remedy, "the source has no kernel with this name");
    assert!(session.build(INVERT, "-DX=\0", "invert").is_err());
    assert!(session.build(INVERT, "", "in\0vert").is_err());
}

#[test]
fn memory_is_hit_for_the_same_source_and_options_alone() {
    let session = session(&CacheSettings::off());
    let from = |source: &str, options| session.build(source, options, "invert").expect("builds").report().from;
    assert_eq!(from(INVERT, ""), BuildFrom::Source);
    assert_eq!(from(INVERT, ""), BuildFrom::Memory);
    assert_eq!(from(INVERT, "-DX=1"), BuildFrom::Source);
    assert_eq!(from(&format!("{INVERT}\n"), ""), BuildFrom::Source);
    assert_eq!(from(INVERT, ""), BuildFrom::Memory);
}

#[test]
fn a_second_kernel_of_a_program_needs_no_second_build() {
    let session = session(&CacheSettings::off());
    let source = format!("{INVERT} {}", INVERT.replace("invert", "again"));
    assert_eq!(session.build(&source, "", "invert").expect("builds").report().from, BuildFrom::Source);
    assert_eq!(session.build(&source, "", "again").expect("builds").report().from, BuildFrom::Memory);
}

/// Builds in a new session, and runs what came of it.
fn build_and_run(folder: &Path) -> BuildFrom {
    let session = session(&CacheSettings::at(folder));
    let built = session.build(INVERT, "", "invert").expect("builds");
    assert_eq!(run(&session, &built), [248; 8]);
    built.report().from
}

fn run(session: &Session, built: &crate::device::Built) -> [u8; 8] {
    let source = session.buffer(8, Access::Read).expect("small");
    let target = session.buffer(8, Access::Write).expect("small");
    session.write(&source, &[7; 8]).expect("fits");
    session.run(built, &[Arg::Buffer(&source), Arg::Buffer(&target), Arg::Int(8)], [8, 1], None).expect("runs");
    let wrong = session.run(built, &[Arg::Buffer(&source), Arg::Buffer(&target), Arg::Float(8.0)], [8, 1], None);
    assert!(wrong.is_err(), "what arguments are declared as is known of binaries too");
    let mut bytes = [0; 8];
    session.read(&target, &mut bytes).expect("fits");
    bytes
}

/// The one file of the cache.
fn file(folder: &Path) -> PathBuf {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files.remove(0)
}

#[test]
fn the_next_session_finds_the_binary_on_disk() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    assert_eq!(build_and_run(folder.path()), BuildFrom::Source);
    assert_eq!(build_and_run(folder.path()), BuildFrom::Disk);
}

#[test]
fn the_log_of_a_good_build_is_the_same_from_source_memory_and_disk() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = format!("#warning look here\n{INVERT}");
    let built = |session: &Session| session.build(&source, "", "invert").expect("builds").report().clone();
    let first = session(&CacheSettings::at(folder.path()));
    let (from_source, from_memory) = (built(&first), built(&first));
    drop(first);
    let from_disk = built(&session(&CacheSettings::at(folder.path())));
    assert_eq!([from_source.from, from_memory.from, from_disk.from], [BuildFrom::Source, BuildFrom::Memory, BuildFrom::Disk]);
    assert!(from_source.log.contains("look here") || session(&CacheSettings::off()).info().platform != "Portable Computing Language");
    assert_eq!([&from_memory.log, &from_disk.log], [&from_source.log; 2]);
}

#[test]
fn programs_are_saved_in_portions_when_there_is_time() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let session = session(&CacheSettings::at(folder.path()));
    session.build(INVERT, "", "invert").expect("builds");
    session.build(INVERT, "-DX=1", "invert").expect("builds");
    assert_eq!(session.save_programs(Duration::ZERO), 1, "one is saved, one waits");
    assert_eq!(session.save_programs(Duration::ZERO), 0);
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 2);
}

#[test]
fn a_damaged_binary_is_built_anew_and_replaced() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    assert_eq!(build_and_run(folder.path()), BuildFrom::Source);
    let whole = std::fs::read(file(folder.path())).expect("readable");
    let middle = whole.len() / 2;
    let mut flipped = whole.clone();
    flipped[middle] ^= 0x10;
    for damaged in [flipped, whole[..middle].to_vec(), Vec::new(), b"kernel-ladder 0\n".to_vec()] {
        std::fs::write(file(folder.path()), damaged).expect("writable");
        assert_eq!(build_and_run(folder.path()), BuildFrom::Source);
        assert_eq!(build_and_run(folder.path()), BuildFrom::Disk, "it was replaced");
    }
}

#[test]
fn a_cache_that_cannot_be_written_is_no_error() {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let below = file.path().join("folder");
    assert_eq!(build_and_run(&below), BuildFrom::Source);
    assert_eq!(build_and_run(&below), BuildFrom::Source);
}
