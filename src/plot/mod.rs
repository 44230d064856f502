//! Charts of readings: the rows that the window shows, and print-quality SVG and PNG. Knows nothing of egui.
//!
//! [`Entry`]s become rows in [`chart`]; a wrong output is never a bar there. The window paints these rows itself, [`plot_svg`] and
//! [`plot_png`] draw the same rows for print. Colors and patterns are the ones of [`Role`] in both.

mod canvas;
mod draw;
mod figures;
mod heading;
mod options;
mod palette;
pub mod pattern;
mod rows;
mod scale;
#[cfg(test)]
mod tests;
pub mod units;

pub use draw::{plot_png, plot_svg};
pub use figures::{Bars, Problem, Span, stack};
pub use heading::Heading;
pub use options::{Baseline, Entry, LadderStep, Options, Quantity, baseline_index};
pub use palette::Role;
pub use rows::{Chart, Row, chart};
pub use scale::{Axis, Scale};
