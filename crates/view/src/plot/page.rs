//! The printed page: what was measured where and when, the chart, and what had no room in it.

use super::bars::{EDGE, LINE, MOST_OF_WIDTH, SMALL, figure, names_width};
use super::film::{FILM_WIDTH, Film, film_gif};
use super::font::measure;
use super::heading::Heading;
use super::heat_map::{HeatMap, heat_map};
use super::options::{Entry, Options};
use super::palette::Role;
use super::raster::png;
use super::roofline::{Roofline, roofline, roofline_film};
use super::rows::chart;
use super::scene::{Anchor, Measure, Scene, wrapped};
use super::svg::svg;
use super::timeline::{Timeline, timeline, timeline_film};
use base::error::Result;

const TITLE: f64 = 19.0;
const MARGIN: f64 = 16.0;
/// The page is wide enough for its names, within these bounds.
const WIDTHS: [f64; 2] = [860.0, 1500.0];
/// Of a roofline, which has no rows that decide.
const HEIGHT_PER_WIDTH: f64 = 0.55;
/// Longer texts are cut in the middle.
const MOST_LINES: usize = 8;

/// Forms of a figure as a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// An SVG document.
    Svg,
    /// A PNG.
    Png,
    /// The figure playing, as an animated GIF.
    Gif,
}

impl Form {
    /// How names of such files end, and what the button is called in capitals.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Gif => "gif",
        }
    }
}

/// The chart of `entries` as an SVG document.
#[must_use]
pub fn plot_svg(entries: &[Entry<'_>], options: &Options) -> String {
    svg(&page(entries, options, &measure))
}

/// The chart of `entries` as a PNG file's bytes.
///
/// # Errors
/// Where it cannot be encoded.
pub fn plot_png(entries: &[Entry<'_>], options: &Options) -> Result<Vec<u8>> {
    png(&page(entries, options, &measure))
}

/// A roofline as a file's bytes; playing, it shows the ladder's steps one after the other.
///
/// # Errors
/// Where it cannot be encoded.
pub fn roofline_file(form: Form, heading: &Heading, data: &Roofline) -> Result<Vec<u8>> {
    let size = |width: f64| [width, width * HEIGHT_PER_WIDTH];
    let still = |measure: Measure<'_>| under_heading(heading, WIDTHS[0], measure, |width| roofline(data, size(width), measure));
    file(form, heading, still, |measure| roofline_film(data, size(FILM_WIDTH), measure))
}

/// A timeline as a file's bytes; playing, its clock runs.
///
/// # Errors
/// Where it cannot be encoded.
pub fn timeline_file(form: Form, heading: &Heading, data: &Timeline) -> Result<Vec<u8>> {
    let still = |measure: Measure<'_>| under_heading(heading, WIDTHS[0], measure, |width| timeline(data, width, None, measure));
    file(form, heading, still, |measure| timeline_film(data, [FILM_WIDTH, f64::INFINITY], measure))
}

/// Figures below a heading as a file's bytes, one below the other; they do not play.
///
/// # Errors
/// Where it cannot be encoded.
pub fn figures_file(form: Form, heading: &Heading, figures: impl Fn([f64; 2], Measure<'_>) -> Vec<Scene>) -> Result<Vec<u8>> {
    let figures = figures([WIDTHS[0], WIDTHS[0] * HEIGHT_PER_WIDTH], &measure);
    let width = figures.iter().map(|figure| figure.width).fold(WIDTHS[0], f64::max);
    let mut page = headed(heading, width, &measure);
    for figure in figures {
        page.below(figure, MARGIN);
        page.height += 2.0 * MARGIN;
    }
    if form == Form::Png { png(&page) } else { Ok(svg(&page).into_bytes()) }
}

/// A map of times as a file's bytes; it does not play.
///
/// # Errors
/// Where it cannot be encoded.
pub fn heat_map_file(form: Form, heading: &Heading, data: &HeatMap) -> Result<Vec<u8>> {
    figures_file(form, heading, |[width, _], measure| vec![heat_map(data, width, measure)])
}

fn file(form: Form, heading: &Heading, still: impl Fn(Measure<'_>) -> Scene, film: impl Fn(Measure<'_>) -> Film) -> Result<Vec<u8>> {
    figure_file(form, still, |measure| vec![(heading.title.clone(), film(measure))])
}

/// A figure as a file's bytes: as it stands, or playing, each film under its title, [`FILM_WIDTH`] units wide.
///
/// # Errors
/// Where it cannot be encoded.
pub fn figure_file(
    form: Form,
    still: impl FnOnce(Measure<'_>) -> Scene,
    films: impl FnOnce(Measure<'_>) -> Vec<(String, Film)>,
) -> Result<Vec<u8>> {
    match form {
        Form::Svg => Ok(svg(&still(&measure)).into_bytes()),
        Form::Png => png(&still(&measure)),
        Form::Gif => film_gif(films),
    }
}

fn page(entries: &[Entry<'_>], options: &Options, measure: Measure<'_>) -> Scene {
    let chart = chart(entries, options);
    let [least, most] = WIDTHS;
    let width = (names_width(&chart, measure) / MOST_OF_WIDTH).clamp(least, most);
    let figure = figure(&chart, width, measure);
    let mut page = headed(&Heading::new(entries, &chart, options), width, measure);
    for part in [figure.axis, figure.rows, Scene::new(width, MARGIN / 4.0), figure.legend] {
        page.below(part, MARGIN);
    }
    for (text, role) in &figure.notes {
        paragraph(&mut page, text, SMALL, *role, measure);
    }
    page.height += MARGIN;
    page
}

fn under_heading(heading: &Heading, width: f64, measure: Measure<'_>, figure: impl Fn(f64) -> Scene) -> Scene {
    let mut page = headed(heading, width, measure);
    page.below(figure(width), MARGIN);
    page.height += MARGIN;
    page
}

/// A page `width` units wide within its margins, with a heading and nothing below it yet.
fn headed(heading: &Heading, width: f64, measure: Measure<'_>) -> Scene {
    let mut page = Scene::new(width + 2.0 * MARGIN, MARGIN);
    paragraph(&mut page, &heading.title, TITLE, Role::Strong, measure);
    page.height += MARGIN / 2.0;
    for line in &heading.lines {
        paragraph(&mut page, line, SMALL, Role::Weak, measure);
    }
    page.height += MARGIN / 2.0;
    page
}

fn paragraph(page: &mut Scene, text: &str, size: f64, role: Role, measure: Measure<'_>) {
    let width = page.width - 2.0 * MARGIN - EDGE;
    for line in wrapped(text, size, width, MOST_LINES, measure) {
        page.text(line, (MARGIN + EDGE, page.height + size * LINE / 2.0), size, role, Anchor::Left);
        page.height += size * LINE;
    }
}
