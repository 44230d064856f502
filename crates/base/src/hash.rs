//! Hashes as text.

use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// The SHA-256 of `bytes`: 64 hexadecimal digits.
#[must_use]
pub fn sha256(bytes: impl AsRef<[u8]>) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// Two digits for each byte.
#[must_use]
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The first digits of [`sha256`]: enough to tell a few things apart.
#[must_use]
pub fn short_sha256(bytes: impl AsRef<[u8]>, digits: usize) -> String {
    let mut text = sha256(bytes);
    text.truncate(digits);
    text
}
