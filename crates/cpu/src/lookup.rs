//! A table of all bytes, looked up in registers: measured, a load for each byte takes twice (AVX2) to eight times (AVX-512 VBMI) as long. And bytes that are taken from
//! elsewhere in a register.

use super::instructions::InstructionSet;
use super::pointwise::Pointwise;
use crate::reference::equalize::VALUES;

/// What becomes of each byte.
pub struct Lookup {
    table: [u8; VALUES],
    by: By,
}

/// How bytes are looked up.
#[derive(Clone, Copy)]
enum By {
    /// AVX-512 VBMI: an instruction finds 64 bytes in 128.
    #[cfg(target_arch = "x86_64")]
    Permutes,
    /// AVX2: an instruction finds 32 bytes in 16.
    #[cfg(target_arch = "x86_64")]
    Shuffles,
    /// One by one.
    Loads,
}

impl By {
    /// The best that goes with `set`.
    fn of(set: InstructionSet) -> Self {
        match set {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 if is_x86_feature_detected!("avx512vbmi") && is_x86_feature_detected!("avx512bw") => Self::Permutes,
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 | InstructionSet::Avx2 if is_x86_feature_detected!("avx2") => Self::Shuffles,
            _ => Self::Loads,
        }
    }
}

impl Lookup {
    /// Of `table`, by instructions that go with `set`.
    pub fn new(table: [u8; VALUES], set: InstructionSet) -> Self {
        Self { table, by: By::of(set) }
    }

    /// Of what `output_of` makes of each byte.
    pub fn of(output_of: impl Fn(u8) -> u8, set: InstructionSet) -> Self {
        let mut table = [0; VALUES];
        for (byte, output) in (0..=u8::MAX).zip(&mut table) {
            *output = output_of(byte);
        }
        Self::new(table, set)
    }

    /// Whether it takes no longer than a few instructions of arithmetic.
    #[inline(always)]
    pub const fn beats_arithmetic(&self) -> bool {
        match self.by {
            #[cfg(target_arch = "x86_64")]
            By::Permutes => true,
            _ => false,
        }
    }

    /// What becomes of this byte.
    #[inline(always)]
    pub fn byte(&self, byte: u8) -> u8 {
        // Every byte has its place; the compiler knows.
        self.table.get(usize::from(byte)).copied().unwrap_or_default()
    }

    /// What becomes of `bytes`. `out` is as long.
    #[inline(always)]
    pub fn bytes(&self, bytes: &[u8], out: &mut [u8]) {
        match self.by {
            // SAFETY: `By::of` found that the processor has the features that the function enables.
            #[cfg(target_arch = "x86_64")]
            By::Permutes => unsafe { by_permutes(&self.table, bytes, out) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            By::Shuffles => unsafe { by_shuffles(&self.table, bytes, out) },
            By::Loads => {
                for (out, &byte) in out.iter_mut().zip(bytes) {
                    *out = self.byte(byte);
                }
            }
        }
    }
}

impl Pointwise<1> for Lookup {
    #[inline(always)]
    fn byte(&self, [byte]: [u8; 1]) -> u8 {
        Self::byte(self, byte)
    }

    #[inline(always)]
    fn strip(&self, source: &[[u8; 1]], out: &mut [u8]) {
        self.bytes(source.as_flattened(), out);
    }
}

/// Bytes that are looked up at a time.
#[cfg(target_arch = "x86_64")]
const BLOCK: usize = 64;

/// Calls `$look_up` for each block of bytes, the last of which may be in part.
#[cfg(target_arch = "x86_64")]
macro_rules! each_block {
    ($bytes:ident, $out:ident, $look_up:expr) => {
        let ((blocks, rest), (out_blocks, out_rest)) = ($bytes.as_chunks::<BLOCK>(), $out.as_chunks_mut::<BLOCK>());
        for (block, out) in blocks.iter().zip(out_blocks) {
            *out = $look_up(block);
        }
        let mut last = [0; BLOCK];
        for (place, &byte) in last.iter_mut().zip(rest) {
            *place = byte;
        }
        for (out, byte) in out_rest.iter_mut().zip($look_up(&last)) {
            *out = byte;
        }
    };
}

/// The lower seven bits choose in each half of the table, and the highest bit the half.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn by_permutes(table: &[u8; VALUES], bytes: &[u8], out: &mut [u8]) {
    use std::arch::x86_64::{__m512i, _mm512_mask_blend_epi8, _mm512_movepi8_mask, _mm512_permutex2var_epi8};
    // SAFETY: each bit pattern is valid in both types, which are of one size.
    let [first, second, third, fourth] = unsafe { std::mem::transmute::<[u8; VALUES], [__m512i; 4]>(*table) };
    let look_up = |block: &[u8; BLOCK]| -> [u8; BLOCK] {
        // SAFETY: as above.
        let block = unsafe { std::mem::transmute::<[u8; BLOCK], __m512i>(*block) };
        let (low, high) = (_mm512_permutex2var_epi8(first, block, second), _mm512_permutex2var_epi8(third, block, fourth));
        let found = _mm512_mask_blend_epi8(_mm512_movepi8_mask(block), low, high);
        // SAFETY: as above.
        unsafe { std::mem::transmute::<__m512i, [u8; BLOCK]>(found) }
    };
    each_block!(bytes, out, look_up);
}

/// Sixteenths of the table, one after the other. A shuffle finds nothing for a byte of 128 and more, and otherwise goes by its lower four bits: a byte of b finds
/// something in the sixteenths 0 to b / 16 of its half of the table, if 16 is subtracted from it each time. So each sixteenth is stored as its difference, by
/// exclusive or, from the one before.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn by_shuffles(table: &[u8; VALUES], bytes: &[u8], out: &mut [u8]) {
    use std::arch::x86_64::{
        __m256i, _mm256_broadcastsi128_si256, _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_subs_epi8,
        _mm256_xor_si256,
    };
    const HALF: usize = 8;
    let (mut differences, mut before) = ([_mm256_setzero_si256(); 2 * HALF], [0; 16]);
    for (index, (difference, sixteenth)) in differences.iter_mut().zip(table.as_chunks::<16>().0).enumerate() {
        if index == HALF {
            before = [0; 16];
        }
        let mut bytes = *sixteenth;
        for (byte, before) in bytes.iter_mut().zip(before) {
            *byte ^= before;
        }
        // SAFETY: each bit pattern is valid in both types, which are of one size.
        *difference = _mm256_broadcastsi128_si256(unsafe { std::mem::transmute::<[u8; 16], std::arch::x86_64::__m128i>(bytes) });
        before = *sixteenth;
    }
    let (low, high) = differences.split_at(HALF);
    let look_up = |block: &[u8; BLOCK]| -> [u8; BLOCK] {
        // SAFETY: as above.
        let mut vectors = unsafe { std::mem::transmute::<[u8; BLOCK], [__m256i; 2]>(*block) };
        for vector in &mut vectors {
            // Bytes of the other half of the table are negative, and stay so: the subtraction saturates.
            let (mut lower, mut upper) = (*vector, _mm256_xor_si256(*vector, _mm256_set1_epi8(i8::MIN)));
            let mut found = _mm256_setzero_si256();
            for (&low, &high) in low.iter().zip(high) {
                found = _mm256_xor_si256(found, _mm256_xor_si256(_mm256_shuffle_epi8(low, lower), _mm256_shuffle_epi8(high, upper)));
                lower = _mm256_subs_epi8(lower, _mm256_set1_epi8(16));
                upper = _mm256_subs_epi8(upper, _mm256_set1_epi8(16));
            }
            *vector = found;
        }
        // SAFETY: as above.
        unsafe { std::mem::transmute::<[__m256i; 2], [u8; BLOCK]>(vectors) }
    };
    each_block!(bytes, out, look_up);
}

/// Bytes of a color.
#[cfg(target_arch = "x86_64")]
const COLOR: usize = 3;

/// Takes the first of each two colors into `out`, by instructions that go with `set`; how many bytes of it are there then. None without such instructions; the last few
/// are never among them.
#[inline(always)]
pub fn every_other_color(colors: &[u8], out: &mut [u8], set: InstructionSet) -> usize {
    #[cfg(target_arch = "x86_64")]
    if let By::Permutes = By::of(set) {
        // SAFETY: `By::of` found that the processor has the features that the function enables.
        return unsafe { every_other_by_permutes(colors, out) };
    }
    let _ = (colors, out, set);
    0
}

/// An instruction finds 21 colors among 42, and a byte more, which the next one overwrites.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn every_other_by_permutes(colors: &[u8], out: &mut [u8]) -> usize {
    use std::arch::x86_64::{__m512i, _mm512_permutex2var_epi8};
    const TAKEN: usize = BLOCK / COLOR * COLOR;
    let mut places = [0; BLOCK];
    for (byte, place) in places.iter_mut().enumerate() {
        *place = (byte / COLOR * 2 * COLOR + byte % COLOR) as u8;
    }
    // SAFETY: each bit pattern is valid in both types, which are of one size.
    let places = unsafe { std::mem::transmute::<[u8; BLOCK], __m512i>(places) };
    let mut taken = 0;
    while let (Some(colors), Some(out)) = (
        colors.get(2 * taken..).and_then(|colors| colors.first_chunk::<{ 2 * BLOCK }>()),
        out.get_mut(taken..).and_then(|out| out.first_chunk_mut::<BLOCK>()),
    ) {
        // SAFETY: as above.
        let [low, high] = unsafe { std::mem::transmute::<[u8; 2 * BLOCK], [__m512i; 2]>(*colors) };
        // SAFETY: as above.
        *out = unsafe { std::mem::transmute::<__m512i, [u8; BLOCK]>(_mm512_permutex2var_epi8(low, places, high)) };
        taken += TAKEN;
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::{Lookup, VALUES, every_other_color};
    use crate::InstructionSet;

    #[test]
    fn every_byte_is_found_by_every_set_at_every_length() {
        let mut random = fastrand::Rng::with_seed(1);
        let table: [u8; VALUES] = std::array::from_fn(|_| random.u8(..));
        for set in InstructionSet::available() {
            for length in (0..200).chain([256, 1000]) {
                let bytes: Vec<u8> = (0..length).map(|byte| (7 * byte + length) as u8).collect();
                let mut out = vec![0; length];
                Lookup::new(table, set).bytes(&bytes, &mut out);
                assert_eq!(out, bytes.iter().map(|&byte| table[usize::from(byte)]).collect::<Vec<_>>(), "{} {length}", set.name());
            }
        }
    }

    #[test]
    fn every_other_color_is_taken_by_every_set_at_every_length() {
        for set in InstructionSet::available() {
            for pixels in (0..150).chain([1000]) {
                let colors: Vec<u8> = (0..6 * pixels).map(|byte| (byte * 7 + byte / 251) as u8).collect();
                let mut out = vec![0; 3 * pixels];
                let taken = every_other_color(&colors, &mut out, set);
                let expected: Vec<u8> = colors.as_chunks::<6>().0.iter().flat_map(|pair| [pair[0], pair[1], pair[2]]).collect();
                assert!(taken.is_multiple_of(3) && out[..taken] == expected[..taken], "{} {pixels}", set.name());
            }
        }
    }
}
