//! Paints scenes as SVG: as a document on white, or within an HTML page in the page's colors, light or dark, and with its font.

use super::font;
use super::palette::Role;
use super::scene::{Anchor, Scene, Segment, Shape};
use std::fmt::{self, Write as _};

/// Pixels per unit of a document; a viewer scales it as it likes.
const FACTOR: f64 = 1.5;

/// The roles of charts with the names of their colors; all others are of panels that no page has.
const COLORS: [(Role, &str); 10] = [
    (Role::Cpu, "cpu"),
    (Role::Device, "device"),
    (Role::Transfers, "transfers"),
    (Role::Failure, "failure"),
    (Role::Warning, "warning"),
    (Role::Accent, "accent"),
    (Role::Text, "text"),
    (Role::Strong, "strong"),
    (Role::Weak, "weak"),
    (Role::Grid, "grid"),
];

/// Declarations of the colors that [`inline_svg`] paints with, for a style sheet: `--cpu:#6b46b8;` and so on.
#[must_use]
pub fn colors(dark: bool) -> String {
    COLORS.map(|(role, name)| format!("--{name}:{};", code(role, dark))).concat()
}

/// `scene` as an SVG element that `label` tells of; what can be pointed at has its words.
#[must_use]
pub fn inline_svg(scene: &Scene, label: &str) -> String {
    let (width, height) = (scene.width.ceil(), scene.height.ceil());
    let label = escaped(label);
    let head = format!(r#"<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-label="{label}">"#);
    element(head, scene, page_ink)
}

/// `scene` as an SVG document.
#[must_use]
pub fn svg(scene: &Scene) -> String {
    let size @ [width, height] = [scene.width, scene.height].map(f64::ceil);
    let [across, down] = size.map(|units| Length(units * FACTOR));
    let begin = format!(r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{across}" height="{down}""#);
    let head = format!(r#"{begin} font-family="{}"><rect width="{width}" height="{height}" fill="white"/>"#, font::FAMILY);
    element(head, scene, |role| code(role, false))
}

fn element(mut svg: String, scene: &Scene, ink: impl Fn(Role) -> String) -> String {
    // Writing to a string does not fail.
    let _ = paint(scene, ink, &mut svg);
    svg.push_str("</svg>");
    svg
}

fn paint(scene: &Scene, ink: impl Fn(Role) -> String, svg: &mut String) -> fmt::Result {
    for item in &scene.items {
        let ink = ink(item.role);
        match &item.shape {
            Shape::Fill([left, top, right, bottom], opacity) => {
                let [x, y, width, height] = [*left, *top, right - left, bottom - top].map(Length);
                let opacity = Length(*opacity);
                write!(svg, r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{ink}" fill-opacity="{opacity}"/>"#)?;
            }
            Shape::Outline([left, top, right, bottom]) => {
                let [x, y, width, height] = [*left, *top, right - left, bottom - top].map(Length);
                write!(svg, r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="none" stroke="{ink}"/>"#)?;
            }
            Shape::Lines(segments, width) => {
                write!(svg, r#"<path d="{}" stroke="{ink}" stroke-width="{}"/>"#, Path(segments), Length(*width))?;
            }
            Shape::Dot((x, y), radius) => {
                write!(svg, r#"<circle cx="{}" cy="{}" r="{}" fill="{ink}"/>"#, Length(*x), Length(*y), Length(*radius))?;
            }
            Shape::Text { text, at: (x, y), size, anchor } => {
                let anchor = match anchor {
                    Anchor::Left => "start",
                    Anchor::Center => "middle",
                    Anchor::Right => "end",
                };
                // A viewer's own font may be wider than ours, which the scene was laid out for.
                let [x, y, width, size] = [*x, y + font::base_line(*size), font::measure(text, *size), *size].map(Length);
                let place = format!(r#"x="{x}" y="{y}" textLength="{width}" lengthAdjust="spacingAndGlyphs" text-anchor="{anchor}""#);
                write!(svg, r#"<text {place} font-size="{size}" fill="{ink}">{}</text>"#, escaped(text))?;
            }
        }
    }
    for hit in &scene.hits {
        let [left, top, right, bottom] = hit.area;
        let [x, y, width, height] = [left, top, right - left, bottom - top].map(Length);
        let name = escaped(&hit.name);
        write!(svg, r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="transparent"><title>{name}</title></rect>"#)?;
    }
    Ok(())
}

/// The page says which color it is, where the color has a name there.
fn page_ink(role: Role) -> String {
    COLORS.iter().find(|(known, _)| *known == role).map_or_else(|| code(role, false), |(_, name)| format!("var(--{name})"))
}

fn code(role: Role, dark: bool) -> String {
    let [red, green, blue] = role.rgb(dark);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// A length with as many digits as can be seen.
struct Length(f64);

impl fmt::Display for Length {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", (self.0 * 100.0).round() / 100.0)
    }
}

/// Lines, each by itself.
struct Path<'a>(&'a [Segment]);

impl fmt::Display for Path<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|[from, to]| write!(formatter, "M{} {}L{} {}", Length(from.0), Length(from.1), Length(to.0), Length(to.1)))
    }
}

/// A text as HTML and XML have it, between tags and as the value of an attribute.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // No document may have them.
            letter if letter.is_control() && !matches!(letter, '\n' | '\t') => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{colors, escaped, inline_svg};
    use crate::plot::{Anchor, Hit, Role, Scene};

    #[test]
    fn every_shape_is_painted_in_the_pages_colors() {
        let mut scene = Scene::new(100.0, 50.5);
        scene.fill([1.0, 2.0, 4.0, 6.0], Role::Device, 0.5);
        scene.outline([1.0, 2.0, 4.0, 6.0], Role::Cpu);
        scene.lines(vec![[(0.0, 1.0), (2.0, 3.125)]], Role::Grid, 1.5);
        scene.dot((5.0, 6.0), 2.0, Role::Accent);
        scene.text("a < b", (7.0, 8.0), 12.0, Role::Text, Anchor::Right);
        scene.hits.push(Hit { area: [0.0, 0.0, 100.0, 10.0], index: 0, name: "naive: \"1 ms\"".to_owned() });
        let svg = inline_svg(&scene, "times & more");
        for part in [
            r#"<svg viewBox="0 0 100 51" width="100" height="51" role="img" aria-label="times &amp; more">"#,
            r#"<rect x="1" y="2" width="3" height="4" fill="var(--device)" fill-opacity="0.5"/>"#,
            r#"<rect x="1" y="2" width="3" height="4" fill="none" stroke="var(--cpu)"/>"#,
            r#"<path d="M0 1L2 3.13" stroke="var(--grid)" stroke-width="1.5"/>"#,
            r#"<circle cx="5" cy="6" r="2" fill="var(--accent)"/>"#,
            r#"text-anchor="end" font-size="12" fill="var(--text)">a &lt; b</text>"#,
            "<title>naive: &quot;1 ms&quot;</title>",
        ] {
            assert!(svg.contains(part), "{part} is not in {svg}");
        }
        for dark in [false, true] {
            let colors = colors(dark);
            for name in ["cpu", "device", "grid", "text", "accent"] {
                assert!(colors.contains(&format!("--{name}:#")), "{name} in {colors}");
            }
        }
        assert_ne!(colors(false), colors(true));
    }

    #[test]
    fn nothing_in_a_text_is_markup() {
        assert_eq!(escaped("<script>\"&'\u{0}\n"), "&lt;script&gt;&quot;&amp;&#39;\u{fffd}\n");
    }
}
