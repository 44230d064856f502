//! Charts of readings: laid out once, painted by the window and as print-quality SVG and PNG. Knows nothing of egui.
//!
//! [`Entry`]s become rows in [`chart`]; a wrong output is never a bar there. [`figure`] lays rows out as [`Scene`]s: lists of rectangles, lines
//! and texts with a [`Role`] for a color. [`roofline`](fn@roofline), [`timeline()`], [`curves()`] and [`waterfall()`] are other such figures.
//! A [`Film`] is a figure that plays; a [`Concept`] is an idea that has one.
//! A painter only paints them: the window has one of its own, [`svg`](fn@svg) and [`png`] are the files'.

mod bars;
mod concepts;
mod curves;
mod figures;
mod film;
mod font;
mod heading;
mod heat_map;
mod labels;
mod marks;
mod neighbors;
mod options;
mod page;
mod palette;
mod pattern;
mod pdf;
mod raster;
mod roofline;
mod rows;
mod scale;
mod scene;
mod svg;
#[cfg(test)]
mod tests;
mod timeline;
pub mod units;
mod waterfall;

pub use bars::{Figure, aligned, figure};
pub use concepts::Concept;
pub use curves::{Curve, CurvePoint, Curves, curves};
pub use figures::{Bars, Problem, Span};
pub use film::{FILM_WIDTH, Film, Frame};
pub use font::measure;
pub use heading::Heading;
pub use heat_map::{HeatMap, LEGEND as SIZE_LEGEND, heat_map, size_legend, size_opacity};
pub use neighbors::neighbors;
pub use options::{Baseline, Entry, LadderStep, Options, Order, Quantity, baseline_index};
pub use page::{Form, figure_file, figures_file, heat_map_file, plot_png, plot_svg, roofline_file, timeline_file};
pub use palette::Role;
pub use pdf::pdf;
pub use raster::png;
pub use roofline::{Ceiling, Dot, Limit, Roofline, roofline, roofline_film};
pub use rows::{Chart, Row, chart, charts};
pub use scale::{Axis, Scale};
pub use scene::{Anchor, Hit, Item, Measure, Point, Rectangle, Scene, Segment, Shape, wrapped};
pub use svg::{colors, escaped, inline_svg, svg};
pub use timeline::{Phase, Section, Timeline, TimelineRow, timeline, timeline_film};
pub use waterfall::{Fall, WaterfallRow, waterfall};
