//! Figures that play and show one idea each, whatever variant is chosen: a tree of sums, a scan, atomics that meet, a tile, a branch, a halo, two queues.
//! Each is made of parameters: the numbers in its lines are computed from what it draws.

mod atomics;
mod halo;
mod lanes;
mod paper;
mod queues;
mod reduction;
mod scan;
#[cfg(test)]
mod tests;
mod transpose;

use super::film::Film;
use super::scene::Measure;
use paper::Paper;

/// An idea that has a figure. Lessons know it by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concept {
    /// A work-group adds its values in halves.
    ReductionTree,
    /// Prefix sums, in steps and as a tree.
    Scan,
    /// Lanes that meet at a counter, and lanes that do not.
    Atomics,
    /// Rows become columns, without a tile and with one.
    TransposeTile,
    /// A branch that some lanes take.
    DivergingLanes,
    /// Two stencils, one after the other, in one kernel.
    FusedHalo,
    /// Images that go through one queue, and through two.
    TwoQueues,
}

impl Concept {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::ReductionTree, Self::Scan, Self::Atomics, Self::TransposeTile, Self::DivergingLanes, Self::FusedHalo, Self::TwoQueues];

    /// What files call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReductionTree => "reduction-tree",
            Self::Scan => "scan",
            Self::Atomics => "atomics",
            Self::TransposeTile => "transpose-tile",
            Self::DivergingLanes => "diverging-lanes",
            Self::FusedHalo => "fused-halo",
            Self::TwoQueues => "two-queues",
        }
    }

    /// The one of that name; `None` where there is none.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|concept| concept.name() == name)
    }

    /// Its figure for a room of so many units, in the language that is spoken now. The first frame counts nothing: it may stand while a count is asked for.
    #[must_use]
    pub fn film(self, room: [f64; 2], measure: Measure<'_>) -> Film {
        let (paper, factor) = Paper::of(room, measure);
        let mut film = match self {
            Self::ReductionTree => reduction::film(&paper),
            Self::Scan => scan::film(&paper),
            Self::Atomics => atomics::film(&paper),
            Self::TransposeTile => transpose::film(&paper),
            Self::DivergingLanes => lanes::film(&paper),
            Self::FusedHalo => halo::film(&paper),
            Self::TwoQueues => queues::film(&paper),
        };
        for frame in &mut film.frames {
            frame.scene = std::mem::take(&mut frame.scene).scaled(factor);
        }
        film
    }
}
