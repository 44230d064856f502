//! Which instruction set runs: one plain loop, compiled several times, chosen at run time.

use std::sync::OnceLock;

/// Work whose loops the compiler vectorizes. `run` is compiled once per instruction set.
///
/// An implementation marks `run`, and what it calls in its loops, `#[inline(always)]`: only code that is inlined into the function
/// that enables an instruction set is compiled for it.
pub trait Vectorized {
    /// Does the work.
    fn run(self);
}

/// A set of instructions that this crate has a compiled version for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionSet {
    /// 512-bit registers with byte and word lanes, and fused multiplication and addition.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// 256-bit registers, and fused multiplication and addition, which all but the rarest processors with AVX2 have.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// What every processor of this architecture has: SSE2 on x86-64, NEON on 64-bit ARM.
    Baseline,
}

impl InstructionSet {
    /// All that this processor can run, widest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        #[cfg(target_arch = "x86_64")]
        let wider = [(has_avx512(), Self::Avx512), (has_avx2(), Self::Avx2)];
        #[cfg(not(target_arch = "x86_64"))]
        let wider: [(bool, Self); 0] = [];
        wider.into_iter().filter_map(|(is_there, set)| is_there.then_some(set)).chain([Self::Baseline]).collect()
    }

    /// The widest that this processor can run.
    #[must_use]
    pub fn best() -> Self {
        static BEST: OnceLock<InstructionSet> = OnceLock::new();
        *BEST.get_or_init(|| Self::available().first().copied().unwrap_or(Self::Baseline))
    }

    /// As readings show it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => "AVX-512BW",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => "AVX2",
            Self::Baseline if cfg!(target_arch = "x86_64") => "SSE2",
            Self::Baseline if cfg!(target_arch = "aarch64") => "NEON",
            Self::Baseline => "compiler's default",
        }
    }

    /// Whether `f32::mul_add` is one instruction. Where it is none, it is a function call for each number, far slower than two instructions.
    #[inline(always)]
    #[must_use]
    pub const fn fuses_mul_add(self) -> bool {
        !matches!(self, Self::Baseline) || cfg!(target_arch = "aarch64")
    }

    /// Runs `work` in the version compiled for this set; in the baseline version where the processor lacks the set.
    pub fn run(self, work: impl Vectorized) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 if has_avx512() => {
                // SAFETY: the processor has just been found to have the features that the function enables.
                unsafe { avx512(work) }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 if has_avx2() => {
                // SAFETY: as above.
                unsafe { avx2(work) }
            }
            _ => work.run(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vl") && is_x86_feature_detected!("fma")
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512bw,avx512vl,fma")]
fn avx512(work: impl Vectorized) {
    work.run();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2(work: impl Vectorized) {
    work.run();
}

#[cfg(test)]
mod tests {
    use super::{InstructionSet, Vectorized};

    struct Mark<'a>(&'a mut bool);

    impl Vectorized for Mark<'_> {
        fn run(self) {
            *self.0 = true;
        }
    }

    #[test]
    fn every_available_set_does_the_work_and_the_best_comes_first() {
        let sets = InstructionSet::available();
        assert_eq!(sets.first(), Some(&InstructionSet::best()));
        assert_eq!(sets.last(), Some(&InstructionSet::Baseline));
        for set in sets {
            let mut done = false;
            set.run(Mark(&mut done));
            assert!(done, "{}", set.name());
        }
    }
}
