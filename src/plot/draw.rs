//! Print-quality charts by plotters: light background, real log axis, spread as whiskers, rows without a reading as notes.

use super::canvas::{Anchor, Canvas, Drawn, GRAY_INK, GRID, INK, fitted, register_font, text_width};
use super::figures::Span;
use super::heading::Heading;
use super::options::{Entry, Options};
use super::palette::Role;
use super::pattern::{Rectangle, hatch, stripes};
use super::rows::{Chart, Row, chart};
use crate::error::{Error, Result};
use plotters::prelude::{BitMapBackend, DrawingBackend, RGBColor, SVGBackend};

/// Units of the title, of other text, and of values below the first.
const TITLE: f64 = 26.0;
const TEXT: f64 = 18.0;
const SMALL: f64 = 16.0;
const MARGIN: f64 = 20.0;
const LINE: f64 = 22.0;
const BARS_WIDTH: f64 = 640.0;
const VALUES_WIDTH: f64 = 230.0;
/// Longer names are cut in the middle.
const MAX_LABEL_WIDTH: f64 = 900.0;
/// Pixels per unit in a PNG: sharp on paper at the usual sizes.
const PNG_FACTOR: f64 = 2.0;
/// PNG sides above this are drawn with fewer pixels per unit.
const MAX_PNG_SIDE: f64 = 16_000.0;

/// The chart of `entries` as an SVG document.
///
/// # Errors
/// Where plotters cannot draw.
pub fn plot_svg(entries: &[Entry<'_>], options: &Options) -> Result<String> {
    register_font()?;
    let page = Page::new(entries, options);
    let mut text = String::new();
    let size = (page.width.ceil() as u32, page.height.ceil() as u32);
    Canvas::new(SVGBackend::with_string(&mut text, size), 1.0)
        .and_then(|canvas| page.draw(&canvas).and_then(|()| canvas.finish()))
        .map_err(|error| not_drawn(&error))?;
    Ok(text)
}

/// The chart of `entries` as a PNG file's bytes, two pixels per unit of the SVG.
///
/// # Errors
/// Where plotters cannot draw or the picture cannot be encoded.
pub fn plot_png(entries: &[Entry<'_>], options: &Options) -> Result<Vec<u8>> {
    register_font()?;
    let page = Page::new(entries, options);
    let factor = PNG_FACTOR.min(MAX_PNG_SIDE / page.width.max(page.height));
    let (width, height) = ((page.width * factor).ceil() as u32, (page.height * factor).ceil() as u32);
    let mut pixels = vec![0; width as usize * height as usize * 3];
    Canvas::new(BitMapBackend::with_buffer(&mut pixels, (width, height)), factor)
        .and_then(|canvas| page.draw(&canvas).and_then(|()| canvas.finish()))
        .map_err(|error| not_drawn(&error))?;
    let mut file = Vec::new();
    let encoder = image::codecs::png::PngEncoder::new(&mut file);
    image::ImageEncoder::write_image(encoder, &pixels, width, height, image::ExtendedColorType::Rgb8).map_err(|error| not_drawn(&error))?;
    Ok(file)
}

fn not_drawn(error: &dyn std::fmt::Display) -> Error {
    Error::failed("The plot was not drawn", error.to_string(), "export the timings as CSV instead")
}

/// Everything that is on the page, and where.
struct Page {
    chart: Chart,
    heading: Heading,
    drawn: Vec<Row>,
    notes: Vec<(String, RGBColor)>,
    row_height: f64,
    bars_left: f64,
    bars_top: f64,
    width: f64,
    height: f64,
}

impl Page {
    fn new(entries: &[Entry<'_>], options: &Options) -> Self {
        let chart = chart(entries, options);
        let heading = Heading::new(entries, &chart, options);
        let has_bar = |row: &&Row| row.bars.kernel.is_some() || row.bars.round_trip.is_some();
        let drawn: Vec<Row> = chart.rows.iter().filter(has_bar).cloned().collect();
        let notes: Vec<_> = chart.rows.iter().filter(|row| !has_bar(row)).map(note).collect();
        let labels = drawn.iter().map(|row| text_width(&row.title(), TEXT)).fold(60.0, f64::max).min(MAX_LABEL_WIDTH);
        let lines = heading
            .lines
            .iter()
            .chain(notes.iter().map(|(text, _)| text))
            .map(|line| text_width(line, SMALL))
            .chain([text_width(&heading.title, TITLE)]);
        let bars_left = MARGIN + labels + 10.0;
        let width = (bars_left + BARS_WIDTH + VALUES_WIDTH).max(lines.fold(0.0, f64::max).min(1600.0)) + MARGIN;
        let row_height = if options.round_trip { 38.0 } else { 28.0 };
        // Title, heading lines, legend, then the axis labels above the bars.
        let bars_top = MARGIN + TITLE + 8.0 + LINE * (heading.lines.len() as f64 + 2.0) + 8.0;
        let height = bars_top + row_height * drawn.len() as f64 + 14.0 + LINE * notes.len() as f64 + MARGIN;
        Self { chart, heading, drawn, notes, row_height, bars_left, bars_top, width, height }
    }

    fn x(&self, value: f64) -> f64 {
        self.bars_left + self.chart.axis.position(value) * BARS_WIDTH
    }

    fn draw<DB: DrawingBackend>(&self, canvas: &Canvas<DB>) -> Drawn<DB> {
        self.draw_heading(canvas)?;
        self.draw_axis(canvas)?;
        for (index, row) in self.drawn.iter().enumerate() {
            self.draw_row(canvas, row, self.bars_top + index as f64 * self.row_height)?;
        }
        let below = self.bars_top + self.row_height * self.drawn.len() as f64 + 14.0;
        for (index, note) in self.notes.iter().enumerate() {
            let (text, ink) = note;
            let shown = fitted(text, SMALL, self.width - 2.0 * MARGIN);
            canvas.text(&shown, (MARGIN, below + LINE * (index as f64 + 0.5)), SMALL, *ink, Anchor::Left)?;
        }
        Ok(())
    }

    fn draw_heading<DB: DrawingBackend>(&self, canvas: &Canvas<DB>) -> Drawn<DB> {
        let room = self.width - 2.0 * MARGIN;
        canvas.text(&fitted(&self.heading.title, TITLE, room), (MARGIN, MARGIN + TITLE / 2.0), TITLE, INK, Anchor::Left)?;
        let mut y = MARGIN + TITLE + 8.0 + LINE / 2.0;
        for line in &self.heading.lines {
            canvas.text(&fitted(line, SMALL, room), (MARGIN, y), SMALL, GRAY_INK, Anchor::Left)?;
            y += LINE;
        }
        let mut x = MARGIN;
        let has_parts = self.drawn.iter().any(|row| row.bars.parts.is_some());
        let gray = if has_parts { "upload, read-back" } else { "round trip" };
        for (role, text) in [(Role::Cpu, "CPU"), (Role::Device, "OpenCL kernel"), (Role::Transfers, gray)] {
            draw_bar(canvas, [x, y - 6.0, x + 28.0, y + 6.0], role)?;
            canvas.text(text, (x + 34.0, y), SMALL, INK, Anchor::Left)?;
            x += 34.0 + text_width(text, SMALL) + 18.0;
        }
        if self.drawn.iter().any(|row| row.bars.parts.is_some_and(|parts| parts.other_ns > 0.0)) {
            canvas.outline([x, y - 6.0, x + 28.0, y + 6.0], color(Role::Transfers))?;
            canvas.text("launching, waiting", (x + 34.0, y), SMALL, INK, Anchor::Left)?;
        }
        Ok(())
    }

    fn draw_axis<DB: DrawingBackend>(&self, canvas: &Canvas<DB>) -> Drawn<DB> {
        let bottom = self.bars_top + self.row_height * self.drawn.len() as f64;
        if self.drawn.is_empty() {
            return canvas.text("Nothing was measured", (MARGIN, self.bars_top - LINE / 2.0), TEXT, INK, Anchor::Left);
        }
        let mut free_from = 0.0;
        for &tick in self.chart.axis.ticks() {
            let x = self.x(tick);
            canvas.lines(&[[(x, self.bars_top - 4.0), (x, bottom)]], GRID, 1.0)?;
            let text = self.chart.quantity.tick(tick);
            let half = text_width(&text, SMALL) / 2.0;
            if x - half >= free_from {
                canvas.text(&text, (x, self.bars_top - LINE / 2.0), SMALL, GRAY_INK, Anchor::Center)?;
                free_from = x + half + 6.0;
            }
        }
        let origin = self.bars_left + self.chart.axis.origin() * BARS_WIDTH;
        canvas.lines(&[[(origin, self.bars_top - 4.0), (origin, bottom)]], GRAY_INK, 1.0)
    }

    fn draw_row<DB: DrawingBackend>(&self, canvas: &Canvas<DB>, row: &Row, top: f64) -> Drawn<DB> {
        let middle = top + self.row_height / 2.0;
        let label = fitted(&row.title(), TEXT, self.bars_left - 10.0 - MARGIN);
        canvas.text(&label, (self.bars_left - 10.0, middle), TEXT, INK, Anchor::Right)?;
        let values_left = self.bars_left + BARS_WIDTH + 12.0;
        let has_two = row.bars.round_trip.is_some();
        let kernel_top = if has_two { top + 5.0 } else { middle - 8.0 };
        let busy = if row.is_busy { " busy" } else { "" };
        if let Some(span) = row.bars.kernel {
            self.draw_value(canvas, span, [kernel_top, 16.0], row.role)?;
            self.draw_spread(canvas, span, kernel_top + 8.0)?;
            let text = format!("{}{busy}", span.text(self.chart.quantity));
            canvas.text(&text, (values_left, kernel_top + 8.0), TEXT, INK, Anchor::Left)?;
        } else if let Some(problem) = &row.problem {
            canvas.text(&problem.text, (values_left, kernel_top + 8.0), SMALL, color(Role::Failure), Anchor::Left)?;
        }
        let Some(span) = row.bars.round_trip else { return Ok(()) };
        let thin_top = top + 23.0;
        self.draw_round_trip(canvas, row, span, thin_top)?;
        self.draw_spread(canvas, span, thin_top + 4.5)?;
        canvas.text(&span.text(self.chart.quantity), (values_left, thin_top + 4.5), SMALL, GRAY_INK, Anchor::Left)
    }

    /// A bar, or a point where the axis has no lengths.
    fn draw_value<DB: DrawingBackend>(&self, canvas: &Canvas<DB>, span: Span, [top, height]: [f64; 2], role: Role) -> Drawn<DB> {
        if !self.chart.axis.is_log() {
            return draw_bar(canvas, self.bar(span.median, top, height), role);
        }
        let (x, y) = (self.x(span.median), top + height / 2.0);
        match role {
            Role::Cpu => draw_bar(canvas, [x - 5.0, y - 5.0, x + 5.0, y + 5.0], role),
            Role::Transfers => canvas.outline([x - 3.5, y - 3.5, x + 3.5, y + 3.5], color(role)),
            Role::Device | Role::Failure => canvas.dot((x, y), 5.5, color(role)),
        }
    }

    fn bar(&self, value: f64, top: f64, height: f64) -> Rectangle {
        let origin = self.bars_left + self.chart.axis.origin() * BARS_WIDTH;
        let x = self.x(value);
        [origin.min(x), top, origin.max(x).max(origin.min(x) + 1.0), top + height]
    }

    fn draw_round_trip<DB: DrawingBackend>(&self, canvas: &Canvas<DB>, row: &Row, span: Span, top: f64) -> Drawn<DB> {
        let Some(parts) = row.bars.parts else { return self.draw_value(canvas, span, [top, 9.0], Role::Transfers) };
        for (from, to, role) in super::figures::stack(&parts) {
            let piece = [self.x(from), top, self.x(to), top + 9.0];
            match role {
                Some(role) => draw_bar(canvas, piece, role)?,
                None => canvas.outline(piece, color(Role::Transfers))?,
            }
        }
        Ok(())
    }

    /// A line over the quartiles, an arrow where the axis ends before the line does.
    fn draw_spread<DB: DrawingBackend>(&self, canvas: &Canvas<DB>, span: Span, y: f64) -> Drawn<DB> {
        let (lower, upper) = (self.x(span.lower), self.x(span.upper));
        canvas.lines(&[[(lower, y), (upper, y)], [(lower, y - 3.0), (lower, y + 3.0)]], INK, 1.5)?;
        if self.chart.axis.ends_before(span.upper) {
            canvas.lines(&[[(upper - 5.0, y - 4.0), (upper, y)], [(upper - 5.0, y + 4.0), (upper, y)]], INK, 1.5)
        } else {
            canvas.lines(&[[(upper, y - 3.0), (upper, y + 3.0)]], INK, 1.5)
        }
    }
}

/// In the failure color only where something failed.
fn note(row: &Row) -> (String, RGBColor) {
    let problem = row.problem.as_ref();
    let text = problem.map_or("nothing to show", |problem| problem.text.as_str());
    let is_failure = problem.is_some_and(|problem| problem.is_failure);
    (format!("{}: {text}", row.title()), if is_failure { color(Role::Failure) } else { GRAY_INK })
}

fn color(role: Role) -> RGBColor {
    let [red, green, blue] = role.rgb(false);
    RGBColor(red, green, blue)
}

/// A bar in its role's color and pattern.
fn draw_bar<DB: DrawingBackend>(canvas: &Canvas<DB>, bar: Rectangle, role: Role) -> Drawn<DB> {
    let ink = color(role);
    let segments = match role {
        Role::Cpu => hatch(bar, 6.0),
        Role::Transfers => stripes(bar, 4.0),
        Role::Device | Role::Failure => return canvas.fill(bar, ink),
    };
    canvas.lines(&segments, ink, 1.5)?;
    canvas.outline(bar, ink)
}
