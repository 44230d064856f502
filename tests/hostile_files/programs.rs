//! Built programs in the disk cache. A driver sees one only where its checksum is right: some processes end over a damaged one.

use super::Kind;
use super::spoil::{BYTES, Given, Way};
use super::trees::JSON;
use engine::device::{CacheSettings, Devices, Session};
use sha2::{Digest as _, Sha256};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const SOURCE: &str = "__kernel void invert(__global const uchar *source, __global uchar *target, int count) {
    int i = get_global_id(0);
    if (i < count) target[i] = 255 - source[i];
}";

/// Where the checksum is: behind the magic.
const CHECKSUM: Range<usize> = 16..48;

/// Where the length is of what the build told: behind the key.
const LENGTH: Range<usize> = 80..84;

/// The kernel, built anew or from the file; whether it is the file's.
fn build(folder: &Path) -> bool {
    let devices = Devices::discover().expect("PoCL");
    let session = Session::open(&devices, 0, &CacheSettings::at(folder)).expect("opens");
    let built = session.build(SOURCE, "", "invert").expect("whatever the file holds, the source is there");
    let is_stored = built.report().from == model::BuildFrom::Disk;
    if !folder.join("kept").exists() {
        session.save_programs(Duration::from_mins(1));
    }
    is_stored
}

/// With the checksum that the bytes behind it have.
fn signed(mut bytes: Vec<u8>) -> Vec<u8> {
    if let Some(own) = bytes.get(CHECKSUM.end..).map(Sha256::digest) {
        bytes[CHECKSUM].copy_from_slice(&own);
    }
    bytes
}

/// What the build told is another text, and the checksum is right. The driver's own binary stays as it is: what signs another one is no damage.
fn told_otherwise(given: &mut Given<'_>) -> Vec<u8> {
    if signed(given.whole.to_vec()) != given.whole {
        return given.whole.to_vec();
    }
    let length = given.whole.get(LENGTH).and_then(|four| <[u8; 4]>::try_from(four).ok()).map_or(0, u32::from_le_bytes) as usize;
    let Some((told, binary)) = given.whole.get(LENGTH.end..).and_then(|rest| rest.split_at_checked(length)) else { return Vec::new() };
    let ways = [JSON, BYTES].concat();
    let way = *given.rng.choice(&ways).expect("a way");
    let (head, words) = (&given.whole[..LENGTH.start], given.words);
    let told = way(&mut Given { rng: given.rng, whole: told, other: told, words });
    signed([head, &(told.len() as u32).to_le_bytes(), &told, binary].concat())
}

/// What the build told is longer than the file, and the checksum is right.
fn other_length(given: &mut Given<'_>) -> Vec<u8> {
    if given.whole.len() < LENGTH.end {
        return Vec::new();
    }
    let length = *given.rng.choice(&[0x7FFF_FFFF, u32::MAX, given.whole.len() as u32]).expect("some");
    signed(given.with(LENGTH, &length.to_le_bytes()))
}

/// Where the checksum is right.
const SIGNED: &[Way] = &[told_otherwise, told_otherwise, told_otherwise, other_length];

pub fn programs() -> Kind {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(!build(folder.path()), "nothing is there yet");
    let entries: Vec<_> = std::fs::read_dir(folder.path()).expect("listed").map(|entry| entry.expect("listed").path()).collect();
    let [path] = <[_; 1]>::try_from(entries).expect("one program");
    let valid = std::fs::read(&path).expect("there");
    std::fs::write(folder.path().join("kept"), "").expect("written");
    let read = move |bytes: &[u8]| {
        std::fs::write(&path, bytes).expect("written");
        // It is built again.
        if build(folder.path()) { Ok(()) } else { Err("implausible".to_owned()) }
    };
    Kind {
        valid: vec![valid],
        ways: [BYTES, SIGNED, SIGNED].concat(),
        words: &["{", "}", "null"],
        read: Arc::new(read),
        most_bytes: (16 << 20, 20),
        count: 300,
    }
}
