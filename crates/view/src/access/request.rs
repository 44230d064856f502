//! Loads and stores that work-items execute together.

use super::Question;
use kernels::footprint::{Access, Moment, Place, Trace, WorkItem};
use kernels::launch::Launch;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What the lanes of a sub-group load or store at one moment.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Each lane's number, and what it accesses.
    pub lanes: Vec<(usize, Access)>,
}

impl Request {
    /// The bytes of lanes that access a buffer at a place that is known.
    pub fn ranges(&self) -> Vec<Range<usize>> {
        self.lanes.iter().filter_map(|(_, access)| bytes_of(access)).collect()
    }

    /// Distinct texels.
    pub fn texels(&self) -> usize {
        let texel = |(_, access): &(usize, Access)| if let Place::Texel { x, y, .. } = access.place { Some((x, y)) } else { None };
        self.lanes.iter().filter_map(texel).collect::<BTreeSet<_>>().len()
    }
}

/// The bytes of a buffer; `None` for a texel, or where the place is not known.
pub fn bytes_of(access: &Access) -> Option<Range<usize>> {
    match access.place {
        Place::Bytes { first, count } => Some(first..first + count),
        Place::Somewhere { .. } | Place::Texel { .. } => None,
    }
}

/// The accesses of one work-item, of which those are kept that belong to the moments asked for.
pub fn accesses_at(question: &Question, launch: &Launch, pass: usize, item: WorkItem, moments: Option<&BTreeSet<Moment>>) -> Vec<Access> {
    let Some(trace) = Trace::described(question.filter.footprint, &question.shape, launch, pass, item) else { return Vec::new() };
    let mut accesses = trace.into_accesses();
    accesses.retain(|access| moments.is_none_or(|moments| moments.contains(&access.when)));
    accesses
}

/// Accesses of many lanes, put together by moments.
pub fn together(lanes: &[(usize, Vec<Access>)]) -> BTreeMap<Moment, Request> {
    let mut requests = BTreeMap::<Moment, Request>::new();
    for (lane, accesses) in lanes {
        for access in accesses {
            requests.entry(access.when).or_default().lanes.push((*lane, *access));
        }
    }
    requests
}
