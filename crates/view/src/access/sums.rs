//! Sums: over the first steps, as a reader walks through them, and what tells two variants apart.

use super::Answer;
use super::memory::segments;
use super::request::bytes_of;
use super::words::of_size;
use kernels::footprint::{Kind, Space};
use std::collections::BTreeSet;

/// What the sub-group has loaded and stored in the first steps. What it has in registers already is left out, as in [`super::Totals`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SoFar {
    /// Bytes of global buffers that loads asked for.
    pub wanted_bytes: usize,
    /// Segments that they fetch without a cache.
    pub touched: usize,
    /// Different ones of these.
    pub distinct: usize,
    /// Reads of image objects.
    pub image_reads: usize,
    /// Turns of the tile's banks, for loads and stores.
    pub bank_turns: usize,
    /// Bytes of global buffers that were stored.
    pub stored_bytes: usize,
    /// Segments that these touch.
    pub stored_segments: usize,
}

impl SoFar {
    /// After so many steps, in segments of `size_bytes`.
    #[must_use]
    pub fn after(answer: &Answer, steps: usize, size_bytes: usize) -> Self {
        let (mut sums, mut distinct) = (Self::default(), BTreeSet::<(Space, usize)>::new());
        for step in answer.steps.iter().take(steps) {
            sums.bank_turns += step.banks.as_ref().map_or(0, |banks| banks.cycles);
            if step.own.is_repeat {
                continue;
            }
            let touched = of_size(step, size_bytes).map(|segments| segments.touched);
            match (step.own.kind, touched) {
                (Kind::Load, Some(touched)) => {
                    sums.wanted_bytes += step.wanted_bytes;
                    sums.touched += touched;
                    let ranges: Vec<_> = step.lanes.iter().filter_map(|(_, access)| bytes_of(access)).collect();
                    distinct.extend(segments(&ranges, size_bytes).into_iter().map(|segment| (step.own.space, segment)));
                }
                (Kind::Store, Some(touched)) => {
                    sums.stored_bytes += step.wanted_bytes;
                    sums.stored_segments += touched;
                }
                (Kind::ImageRead, _) => sums.image_reads += step.lanes.len(),
                _ => {}
            }
        }
        sums.distinct = distinct.len();
        sums
    }
}

/// The most segments of that size that one load touches.
#[must_use]
pub fn most_of_a_load(answer: &Answer, size_bytes: usize) -> usize {
    let loads = answer.steps.iter().filter(|step| step.own.kind.is_load());
    loads.filter_map(|step| of_size(step, size_bytes)).map(|segments| segments.touched).max().unwrap_or(0)
}
