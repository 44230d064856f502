//! What a filter has to know of the whole picture before the first row of its output.

use crate::instructions::{InstructionSet, Vectorized};
use crate::{CpuEngine, Job};
use rayon::prelude::*;

/// Something that is found in parts of a picture, and joined.
pub trait Survey: Sync {
    /// What is found.
    type Found: Send;

    /// Of whole pixels by plain loops.
    fn scalar(&self, bytes: &[u8]) -> Self::Found;

    /// The same by loops that are compiled once per instruction set.
    fn simd(&self, bytes: &[u8]) -> Self::Found;

    /// Of two parts.
    fn joined(&self, first: Self::Found, second: Self::Found) -> Self::Found;
}

impl Job<'_> {
    /// What `survey` finds in the source, by the engine and the instructions of this job.
    pub(crate) fn surveyed<S: Survey>(&self, survey: &S) -> S::Found {
        let Self { engine, set, source, .. } = *self;
        let (bytes, row_bytes) = (source.picture.bytes, source.picture.row_bytes());
        match engine {
            CpuEngine::Scalar => survey.scalar(bytes),
            CpuEngine::Simd => by_simd(survey, set, bytes),
            CpuEngine::Threads => {
                let rows = source.picture.height_px.div_ceil(4 * rayon::current_num_threads());
                let parts = bytes.par_chunks((rows * row_bytes).max(1));
                let found = parts.map(|part| by_simd(survey, set, part)).reduce_with(|first, second| survey.joined(first, second));
                found.unwrap_or_else(|| by_simd(survey, set, &[]))
            }
        }
    }
}

fn by_simd<S: Survey>(survey: &S, set: InstructionSet, bytes: &[u8]) -> S::Found {
    let mut found = None;
    set.run(Part { survey, bytes, found: &mut found });
    // It has just been found.
    found.unwrap_or_else(|| survey.scalar(bytes))
}

struct Part<'a, S: Survey> {
    survey: &'a S,
    bytes: &'a [u8],
    found: &'a mut Option<S::Found>,
}

impl<S: Survey> Vectorized for Part<'_, S> {
    #[inline(always)]
    fn run(self) {
        *self.found = Some(self.survey.simd(self.bytes));
    }
}
