//! What a definition cannot say, attached to a built-in filter by its name: programs that compute the same, and what its work-items do, access by access.

use super::{Conditional, Grid, ReferenceRows};
use crate::filters::FilterOnCpu;
use crate::footprint::Describe;
use model::Parameters;

/// What is attached to a filter.
pub(super) struct Attached {
    /// Its plain reference; `None`: its outputs are held to the naive kernel.
    pub reference: Option<ReferenceRows>,
    /// The CPU competitors.
    pub cpu: Option<FilterOnCpu>,
    /// What its work-items do; `None`: what the definition tells of it.
    pub footprint: Option<Describe>,
    /// What an output pixel is made of.
    pub drawing: fn(&Parameters) -> Vec<Grid>,
    /// What its kernels do under a condition that depends on the pixels.
    pub conditional: Option<Conditional>,
}

impl Attached {
    /// Nothing.
    pub const NONE: Self = Self { reference: None, cpu: None, footprint: None, drawing: |_| Vec::new(), conditional: None };
}

/// By the filters' names.
static ATTACHED: &[(&str, &Attached)] = &[
    ("laplace", &super::laplace::ATTACHED),
    ("sobel", &super::sobel::ATTACHED),
    ("gaussian", &super::gaussian::ATTACHED),
    ("epsilon", &super::epsilon::ATTACHED),
    ("box", &super::box_filter::ATTACHED),
    ("bilateral", &super::bilateral::ATTACHED),
    ("median", &super::median::ATTACHED),
    ("median-wide", &super::median_wide::ATTACHED),
    ("dilate", &super::dilate::ATTACHED),
    ("edges", &super::edges::ATTACHED),
    ("curve", &super::curve::ATTACHED),
    ("integral", &super::integral::ATTACHED),
    ("resize", &super::resize::ATTACHED),
    ("despeckle", &super::despeckle::ATTACHED),
    ("match", &super::match_template::ATTACHED),
    ("rotate", &super::rotate::ATTACHED),
    ("demosaic", &super::demosaic::ATTACHED),
    ("equalize", &super::equalize::ATTACHED),
    ("exposure", &super::exposure::ATTACHED),
    ("copy", &super::copy::ATTACHED),
    ("add", &super::add::ATTACHED),
    ("luma", &super::luma::ATTACHED),
];

/// What is attached to the filter of this name.
pub(super) fn of(name: &str) -> &'static Attached {
    ATTACHED.iter().find(|(known, _)| *known == name).map_or(&Attached::NONE, |(_, attached)| attached)
}
