//! Bundles that somebody sent. What a spoiled one says is only looked at where its sum is right, so most are given the right one.

use super::spoil::{Given, Way};
use super::{Kind, spoil, trees};
use sha2::{Digest as _, Sha256};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use study::bundle::{self, Bundle};

/// Before the sum.
const SUM: &str = "\"sha256\":\"";

/// Hexadecimal digits of a sum.
const DIGITS: usize = 64;

/// With the sum that the rest of the text has. It is written without blanks.
fn summed(text: String) -> String {
    let place = text.find(SUM).map(|at| at + SUM.len()).map(|at| at..at + DIGITS);
    let Some(place) = place.filter(|place| text.get(place.clone()).is_some_and(|sum| sum.bytes().all(|digit| digit.is_ascii_hexdigit())))
    else {
        return text;
    };
    let bare = [&text[..place.start], &text[place.end..]].concat();
    let sum: String = Sha256::digest(bare.trim_end().as_bytes()).iter().fold(String::new(), |sum, byte| sum + &format!("{byte:02x}"));
    [&text[..place.start], &sum, &text[place.end..]].concat()
}

/// What it says is another thing, and the sum is right.
fn said_otherwise(given: &mut Given<'_>) -> Vec<u8> {
    let way = *given.rng.choice(trees::JSON).expect("a way");
    match String::from_utf8(way(given)) {
        Ok(text) => summed(text).into_bytes(),
        Err(error) => error.into_bytes(),
    }
}

/// What a benchmark of these arguments brings.
fn measured(folder: &Path, arguments: &[&str]) -> Vec<u8> {
    let path = folder.join("bundle.json");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kernel-ladder"));
    command.args(["bench", "--size", "32x16", "--budget-ms", "1"]).args(arguments).arg("--bundle").arg(&path);
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read(path).expect("written")
}

pub fn bundles() -> Kind {
    let folder = tempfile::tempdir().expect("a folder");
    let of = |arguments: &[&str]| measured(folder.path(), arguments);
    let valid = vec![of(&["--ladder", "mali-t600"]), of(&["--variant", "naive", "coalesced", "--compare", "--channels", "gray"])];
    for text in &valid {
        let text = String::from_utf8(text.clone()).expect("JSON");
        assert_eq!(summed(text.clone()), text, "this is how the sum is made");
    }
    let read = |bytes: &[u8]| {
        let told = |error: base::error::Error| error.to_string();
        let read = bundle::of_bytes(&"a file", bytes).map_err(told)?;
        let (merged, _) = Bundle::merged([read.clone(), read]);
        report::html(&merged).map(drop).map_err(told)
    };
    Kind {
        valid,
        ways: [&[said_otherwise as Way; 8], trees::JSON, spoil::TEXT].concat(),
        words: &["{", "}", "[", "]", ",", ":", "null", "\"", "\\u0000", "\\ud800"],
        read: Arc::new(read),
        most_bytes: (64 << 20, 80),
        count: 600,
    }
}
