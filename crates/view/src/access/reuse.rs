//! On processors the work-items of a group run in a loop: when the next one comes that loads from the same line of memory.

use super::request::bytes_of;
use super::{Answer, index_in_group};
use kernels::footprint::{Access, Kind, Space};
use std::collections::{BTreeMap, BTreeSet};

/// How many work-items before and after the chosen one another of its group loads from a line, in the order of the loop; `None` where none does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reuse {
    /// Back to the last one before it.
    pub before: Option<usize>,
    /// On to the next one after it.
    pub after: Option<usize>,
}

/// A line by what it is of and its number there.
pub type Line = (Space, usize);

/// The lines that the chosen work-item loads from.
pub fn lines(answer: &Answer, line_bytes: usize) -> BTreeMap<Line, Reuse> {
    let own_index = index_in_group(answer.item.local, answer.item.local_size);
    let own = answer.group.iter().find(|(item, _)| *item == answer.item);
    let mut reuse: BTreeMap<Line, Reuse> =
        own.map(|(_, accesses)| loaded(accesses, line_bytes)).into_iter().flatten().map(|line| (line, Reuse::default())).collect();
    for (item, accesses) in answer.group.iter().filter(|(item, _)| *item != answer.item) {
        let index = index_in_group(item.local, item.local_size);
        for line in loaded(accesses, line_bytes) {
            let Some(found) = reuse.get_mut(&line) else { continue };
            let (side, distance) =
                if index < own_index { (&mut found.before, own_index - index) } else { (&mut found.after, index - own_index) };
            *side = Some(side.map_or(distance, |nearest| nearest.min(distance)));
        }
    }
    reuse
}

/// How many lines are alike, the most first.
pub fn summary(answer: &Answer, line_bytes: usize) -> Vec<(Reuse, usize)> {
    let mut counts = BTreeMap::<Reuse, usize>::new();
    for reuse in lines(answer, line_bytes).into_values() {
        *counts.entry(reuse).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

fn loaded(accesses: &[Access], line_bytes: usize) -> BTreeSet<Line> {
    let loads = accesses.iter().filter(|access| access.kind == Kind::Load && access.space.is_global());
    let lines = loads.filter_map(|access| bytes_of(access).filter(|bytes| !bytes.is_empty()).map(|bytes| (access.space, bytes)));
    let size = line_bytes.max(1);
    lines.flat_map(|(space, bytes)| (bytes.start / size..=(bytes.end - 1) / size).map(move |line| (space, line))).collect()
}
