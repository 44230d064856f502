//! Exposure on the CPU: the sum of all bytes, then each byte times the gain, in lanes of 16 bits or, where that is faster, by a table.

use crate::lookup::Lookup;
use crate::pointwise::{Pointwise, read_alone};
use crate::reference::exposure::gain;
use crate::survey::Survey;
use crate::{CpuEngine, Job};

/// Bytes whose sum fits 32 bits with room to spare, and that are summed at a time.
const PART_BYTES: usize = 1 << 14;

/// Brings the mean of all bytes to `target`.
pub fn run(job: Job, target: u8) {
    let gain = gain(job.surveyed(&Sum), job.source.picture.bytes.len(), target);
    // The largest gain, 65536, is the only one beyond 16 bits. One less makes no difference to any byte: 16 · byte + 1/2 is less by no more than 255 / 4096.
    let exposure = Exposure { gain: gain.min(u64::from(u16::MAX)) as u16 };
    let lookup = Lookup::of(|byte| exposure.byte([byte]), job.set);
    // Plain loops multiply.
    if job.engine != CpuEngine::Scalar && lookup.beats_arithmetic() {
        job.pointwise(&lookup);
    } else {
        job.pointwise(&exposure);
    }
}

/// What all bytes sum to.
struct Sum;

impl Survey for Sum {
    type Found = u64;

    fn scalar(&self, bytes: &[u8]) -> u64 {
        bytes.iter().map(|byte| u64::from(read_alone(byte))).sum()
    }

    #[inline(always)]
    fn simd(&self, bytes: &[u8]) -> u64 {
        let part = |part: &[u8]| u64::from(part.iter().map(|&byte| u32::from(byte)).sum::<u32>());
        let (parts, rest) = bytes.as_chunks::<PART_BYTES>();
        parts.iter().map(|bytes| part(bytes)).sum::<u64>() + part(rest)
    }

    fn joined(&self, first: u64, second: u64) -> u64 {
        first + second
    }
}

/// The arithmetic. A gain of 1 is 4096.
struct Exposure {
    gain: u16,
}

impl Pointwise<1> for Exposure {
    /// (byte · gain + 2048) >> 12 is (16 · byte · gain + 32768) >> 16: the upper half of a product, and the highest bit of the lower one.
    #[inline(always)]
    fn byte(&self, [byte]: [u8; 1]) -> u8 {
        let product = u32::from(u16::from(byte) << 4) * u32::from(self.gain);
        ((product >> 16) as u16 + (product as u16 >> 15)).min(255) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::Exposure;
    use crate::pointwise::Pointwise as _;
    use crate::reference::exposure::{LARGEST, ONE};

    #[test]
    fn sixteen_bits_are_enough_for_every_gain() {
        for gain in 0..=LARGEST {
            let filter = Exposure { gain: gain.min(65535) as u16 };
            for byte in 0..=255 {
                assert_eq!(u64::from(filter.byte([byte])), ((u64::from(byte) * gain + ONE / 2) / ONE).min(255), "{byte} times {gain}");
            }
        }
    }
}
