//! What lies where an output is expected, until there is one.

use rayon::prelude::*;
use std::hash::{BuildHasher as _, RandomState};

/// Bytes that memory is filled with before a run whose output will be compared: what the run leaves unwritten differs from what it should be, and no earlier output
/// can pass for this one's.
///
/// Each one is another pattern, so that a kernel cannot tell by a byte that it knows whether its output was written before. It is no single byte, as a flat area of a
/// picture is, and has none of the smallest and largest numbers, which are written often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Poison([u8; Self::BYTES]);

impl Poison {
    /// Length of the pattern: a length that OpenCL fills with.
    const BYTES: usize = 16;

    /// Another one each time.
    #[must_use]
    pub fn random() -> Self {
        let random = RandomState::new();
        let mut bytes = [0; Self::BYTES];
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = (16 + random.hash_one(index) % 224) as u8;
        }
        if bytes.iter().all(|byte| *byte == bytes[0]) {
            bytes[0] = 255 - bytes[0];
        }
        Self(bytes)
    }

    /// The pattern, over and over, from its first byte on.
    pub fn fill(&self, bytes: &mut [u8]) {
        // Parts that each begin with the pattern's first byte: one core does not keep up with a memory.
        bytes.par_chunks_mut(Self::BYTES << 16).for_each(|part| {
            let (whole, rest) = part.as_chunks_mut::<{ Self::BYTES }>();
            whole.fill(self.0);
            rest.iter_mut().zip(self.0).for_each(|(to, byte)| *to = byte);
        });
    }

    /// So many bytes of it.
    #[must_use]
    pub fn bytes(&self, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        self.fill(&mut bytes);
        bytes
    }

    /// The pattern itself.
    pub(super) fn pattern(&self) -> &[u8] {
        &self.0
    }

    /// One byte of it, for what is filled with one value.
    pub(super) fn byte(&self) -> u8 {
        self.0[0]
    }
}

#[cfg(test)]
mod tests {
    use super::Poison;

    #[test]
    fn no_two_are_alike_and_none_is_flat() {
        let all: Vec<Poison> = (0..1000).map(|_| Poison::random()).collect();
        for (index, poison) in all.iter().enumerate() {
            assert!(!all[..index].contains(poison));
            let bytes = poison.bytes(37);
            assert!(bytes.iter().any(|&byte| byte != bytes[0]) && bytes.iter().all(|byte| (16..240).contains(byte)));
            assert_eq!(bytes[..5], bytes[32..], "it goes on as it began");
        }
        let firsts: std::collections::BTreeSet<u8> = all.iter().map(Poison::byte).collect();
        assert!(firsts.len() > 190, "nor is it the same byte that is met first");
    }
}
