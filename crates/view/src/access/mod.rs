//! The access picture: which work-item, work-group and lane make an output pixel, every byte that it loads and stores, and what memory makes of the
//! loads and stores of its sub-group. All of it follows from [`kernels::footprint::accesses`]; formulas and conventions are in [`memory`].
//!
//! A [`Question`] is answered by an [`Answer`]: plain data, the same for the table on the command line, the picture as a file and the window.

mod answer;
mod bounds;
mod compare;
mod drawing;
mod grid;
mod hover;
mod lanes;
mod marks;
pub mod memory;
mod photo;
mod place;
mod request;
mod reuse;
mod strips;
mod sums;
#[cfg(test)]
mod tests;
pub mod words;

pub use answer::{Answer, SizeTotals, Step, Totals, answer};
pub use drawing::{Show, View, file, film, scene};
pub use grid::group_bounds;
pub use lanes::{Lane, Lanes, TestRow, lanes_file, lanes_film, lanes_page, sum_words};
pub use reuse::Reuse;
pub use sums::SoFar;

use kernels::filters::Filter;
use kernels::launch::Shape;

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The filter.
    pub filter: &'static Filter,
    /// The variant and the picture's size, which the variant must be allowed for.
    pub shape: Shape<'a>,
    /// Column and row of an output pixel.
    pub pixel: [usize; 2],
    /// The pass, by its number from 0; `None`: the last that stores the pixel.
    pub pass: Option<usize>,
    /// Work-items of a work-group, in both dimensions.
    pub local: [usize; 2],
    /// Work-items of a sub-group; of a loop those that run at once: more than 1 where a compiler packs them into vectors.
    pub sub_group: usize,
    /// The work-items of a group run in a loop, dimension 0 first, as on processors, which have no sub-groups.
    pub is_loop: bool,
    /// Banks of local memory.
    pub banks: usize,
}

/// The lane of a work-item in its sub-group: `(lx · ly_id + lx_id) mod W`. OpenCL leaves it to the implementation; known drivers do it so.
#[must_use]
pub const fn lane_of(local: [usize; 2], local_size: [usize; 2], sub_group: usize) -> usize {
    index_in_group(local, local_size) % if sub_group == 0 { 1 } else { sub_group }
}

/// The number of a work-item in its group, dimension 0 first.
#[must_use]
pub const fn index_in_group([first, second]: [usize; 2], [across, _]: [usize; 2]) -> usize {
    across * second + first
}
