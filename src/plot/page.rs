//! The printed page: what was measured where and when, the chart, and what had no room in it.

use super::bars::{EDGE, LINE, MOST_OF_WIDTH, SMALL, figure, names_width};
use super::heading::Heading;
use super::options::{Entry, Options};
use super::palette::Role;
use super::print;
use super::rows::chart;
use super::scene::{Anchor, Measure, Scene, wrapped};
use crate::error::Result;

const TITLE: f64 = 19.0;
const MARGIN: f64 = 16.0;
/// The page is wide enough for its names, within these bounds.
const WIDTHS: [f64; 2] = [860.0, 1500.0];
/// Longer texts are cut in the middle.
const MOST_LINES: usize = 8;

/// The chart of `entries` as an SVG document.
///
/// # Errors
/// Where it cannot be drawn.
pub fn plot_svg(entries: &[Entry<'_>], options: &Options) -> Result<String> {
    print::svg(&print::measured(|measure| page(entries, options, measure))?)
}

/// The chart of `entries` as a PNG file's bytes.
///
/// # Errors
/// Where it cannot be drawn or encoded.
pub fn plot_png(entries: &[Entry<'_>], options: &Options) -> Result<Vec<u8>> {
    print::png(&print::measured(|measure| page(entries, options, measure))?)
}

fn page(entries: &[Entry<'_>], options: &Options, measure: Measure<'_>) -> Scene {
    let chart = chart(entries, options);
    let heading = Heading::new(entries, &chart, options);
    let [least, most] = WIDTHS;
    let width = (names_width(&chart, measure) / MOST_OF_WIDTH).clamp(least, most);
    let figure = figure(&chart, width, measure);
    let mut page = Scene::new(width + 2.0 * MARGIN, MARGIN);
    let paragraph = |page: &mut Scene, text: &str, size: f64, role: Role| {
        for line in wrapped(text, size, width - EDGE, MOST_LINES, measure) {
            page.text(line, (MARGIN + EDGE, page.height + size * LINE / 2.0), size, role, Anchor::Left);
            page.height += size * LINE;
        }
    };
    paragraph(&mut page, &heading.title, TITLE, Role::Strong);
    page.height += MARGIN / 2.0;
    for line in &heading.lines {
        paragraph(&mut page, line, SMALL, Role::Weak);
    }
    page.height += MARGIN / 2.0;
    for part in [figure.axis, figure.rows, Scene::new(width, MARGIN / 4.0), figure.legend] {
        page.below(part, MARGIN);
    }
    for (text, role) in &figure.notes {
        paragraph(&mut page, text, SMALL, *role);
    }
    page.height += MARGIN;
    page
}
