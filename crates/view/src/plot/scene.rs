//! A figure as a list of what to paint: laid out once, for a width and a way to measure text. The window and the exported files paint the same
//! list, so they cannot differ in anything but colors and pixels.

use super::palette::Role;
use base::texts::is_han;

/// x to the right and y down, in units: points of the window.
pub type Point = (f64, f64);

/// A rectangle: left, top, right, bottom.
pub type Rectangle = [f64; 4];

/// A line from one point to another.
pub type Segment = [Point; 2];

/// The width in units of one line of text at a font size.
pub type Measure<'a> = &'a dyn Fn(&str, f64) -> f64;

/// Where a text's point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// At its left end.
    Left,
    /// In its middle.
    Center,
    /// At its right end.
    Right,
}

/// Something to paint, in the color of a role: the painter knows whether its background is dark.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Its color.
    pub role: Role,
    /// What.
    pub shape: Shape,
}

/// Lengths are in units.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A filled rectangle with its opacity from 0, nothing, to 1.
    Fill(Rectangle, f64),
    /// A rectangle's edge, one unit wide.
    Outline(Rectangle),
    /// Lines, each by itself, with their width.
    Lines(Vec<Segment>, f64),
    /// A filled circle: its center and radius.
    Dot(Point, f64),
    /// One line of text.
    Text {
        /// The text.
        text: String,
        /// Its middle from top to bottom, and what `anchor` says from left to right.
        at: Point,
        /// Font size.
        size: f64,
        /// Which of its points `at` is.
        anchor: Anchor,
    },
}

impl Shape {
    /// Top and bottom: what lies outside of what can be seen need not be painted.
    #[must_use]
    pub fn y_range(&self) -> [f64; 2] {
        match self {
            Self::Fill([_, top, _, bottom], _) | Self::Outline([_, top, _, bottom]) => [*top, *bottom],
            Self::Lines(segments, _) => {
                let ys = || segments.iter().flatten().map(|(_, y)| *y);
                [ys().fold(f64::INFINITY, f64::min), ys().fold(f64::NEG_INFINITY, f64::max)]
            }
            Self::Dot((_, y), radius) => [y - radius, y + radius],
            Self::Text { at: (_, y), size, .. } => [y - size, y + size],
        }
    }

    fn moved(mut self, (dx, dy): Point) -> Self {
        let point = |(x, y): Point| (x + dx, y + dy);
        match &mut self {
            Self::Fill(area, _) | Self::Outline(area) => *area = moved(*area, (dx, dy)),
            Self::Lines(segments, _) => {
                for end in segments.iter_mut().flatten() {
                    *end = point(*end);
                }
            }
            Self::Dot(at, _) | Self::Text { at, .. } => *at = point(*at),
        }
        self
    }

    fn scaled(mut self, factor: f64) -> Self {
        match &mut self {
            Self::Fill(area, _) | Self::Outline(area) => *area = area.map(|along| along * factor),
            Self::Lines(segments, width) => {
                *width *= factor;
                for end in segments.iter_mut().flatten() {
                    *end = scaled(*end, factor);
                }
            }
            Self::Dot(at, size) | Self::Text { at, size, .. } => {
                *at = scaled(*at, factor);
                *size *= factor;
            }
        }
        self
    }
}

fn scaled((x, y): Point, factor: f64) -> Point {
    (x * factor, y * factor)
}

fn moved([left, top, right, bottom]: Rectangle, (dx, dy): Point) -> Rectangle {
    [left + dx, top + dy, right + dx, bottom + dy]
}

/// A place that can be pointed at.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Where.
    pub area: Rectangle,
    /// Which of the rows or points that the scene was made of.
    pub index: usize,
    /// What lies there, in words: for who cannot see it.
    pub name: String,
}

/// What to paint, in this order, and what can be pointed at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// Units from left to right.
    pub width: f64,
    /// Units from top to bottom.
    pub height: f64,
    /// From the back to the front.
    pub items: Vec<Item>,
    /// Where they overlap, the last one lies above.
    pub hits: Vec<Hit>,
}

/// Height of a line of a paragraph, in font sizes.
pub const LINE: f64 = 1.45;

impl Scene {
    /// An empty scene.
    #[must_use]
    pub fn new(width: f64, height: f64) -> Self {
        Self { width, height, ..Self::default() }
    }

    fn add(&mut self, role: Role, shape: Shape) {
        self.items.push(Item { role, shape });
    }

    /// Adds a filled rectangle.
    pub fn fill(&mut self, area: Rectangle, role: Role, opacity: f64) {
        self.add(role, Shape::Fill(area, opacity));
    }

    /// Adds a rectangle's edge.
    pub fn outline(&mut self, area: Rectangle, role: Role) {
        self.add(role, Shape::Outline(area));
    }

    /// Adds lines, where there are any.
    pub fn lines(&mut self, segments: Vec<Segment>, role: Role, width: f64) {
        if !segments.is_empty() {
            self.add(role, Shape::Lines(segments, width));
        }
    }

    /// Adds a filled circle.
    pub fn dot(&mut self, center: Point, radius: f64, role: Role) {
        self.add(role, Shape::Dot(center, radius));
    }

    /// Adds one line of text.
    pub fn text(&mut self, text: impl Into<String>, at: Point, size: f64, role: Role, anchor: Anchor) {
        self.add(role, Shape::Text { text: text.into(), at, size, anchor });
    }

    /// Text below everything, within so many units from `left`, on as many lines as it needs, four at most.
    pub fn paragraph(&mut self, text: &str, (left, width): (f64, f64), size: f64, role: Role, measure: Measure<'_>) {
        for line in wrapped(text, size, width, 4, measure) {
            self.text(line, (left, self.height + size * LINE / 2.0), size, role, Anchor::Left);
            self.height += size * LINE;
        }
    }

    /// What marks mean, below everything: each in a cell of this width and height with its text beside it, on as many lines as they need.
    pub fn keys<'a, P: FnOnce(&mut Self, Rectangle)>(
        &mut self,
        entries: impl IntoIterator<Item = (P, &'a str)>,
        [width, height]: [f64; 2],
        size: f64,
        measure: Measure<'_>,
    ) {
        const GAP: f64 = 6.0;
        const APART: f64 = 16.0;
        let line = height.max(size) + GAP;
        let mut left = 0.0;
        for (paint, text) in entries {
            let needed = width + GAP + measure(text, size) + APART;
            if left > 0.0 && left + needed > self.width {
                (left, self.height) = (0.0, self.height + line);
            }
            let middle = self.height + line / 2.0;
            paint(self, [left, middle - height / 2.0, left + width, middle + height / 2.0]);
            self.text(text, (left + width + GAP, middle), size, Role::Text, Anchor::Left);
            left += needed;
        }
        self.height += line;
    }

    /// Puts `other` below everything, `left` units from the left.
    pub fn below(&mut self, other: Self, left: f64) {
        let by = (left, self.height);
        self.items.extend(other.items.into_iter().map(|Item { role, shape }| Item { role, shape: shape.moved(by) }));
        self.hits.extend(other.hits.into_iter().map(|hit| Hit { area: moved(hit.area, by), ..hit }));
        self.height += other.height;
    }

    /// The same, so many times as large, its type and lines included.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        let items = self.items.into_iter().map(|item| Item { shape: item.shape.scaled(factor), ..item }).collect();
        let hits = self.hits.into_iter().map(|hit| Hit { area: hit.area.map(|along| along * factor), ..hit }).collect();
        Self { width: self.width * factor, height: self.height * factor, items, hits }
    }

    /// Puts `other` on top, `left` units from the left; what is below stays where it is.
    pub fn beside(&mut self, other: Self, left: f64) {
        let height = std::mem::replace(&mut self.height, 0.0);
        self.below(other, left);
        self.height = self.height.max(height);
    }

    /// All texts, in order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.items.iter().filter_map(|item| if let Shape::Text { text, .. } = &item.shape { Some(text.as_str()) } else { None })
    }
}

/// `text` cut in the middle to fit `width` units: a variant's first and last stages both tell it apart.
#[must_use]
pub fn fitted(text: &str, size: f64, width: f64, measure: Measure<'_>) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= 2 || measure(text, size) <= width {
        return text.to_owned();
    }
    let cut = |kept: usize| -> String {
        let (head, tail) = (kept.div_ceil(2), kept / 2);
        letters.iter().take(head).chain(&['…']).chain(letters.iter().skip(letters.len() - tail)).collect()
    };
    let (mut fits, mut too_many) = (2, letters.len());
    while fits + 1 < too_many {
        let kept = usize::midpoint(fits, too_many);
        if measure(&cut(kept), size) <= width {
            fits = kept;
        } else {
            too_many = kept;
        }
    }
    cut(fits)
}

/// Chinese punctuation that no line begins with, and such that none ends with.
const CLOSING: &str = "，。：；？！、）”";
const OPENING: &str = "（“";

/// Whether a line may end between two letters: after blanks and the "+" between stages, and at any Chinese character.
fn breaks(letter: char, next: Option<char>) -> bool {
    if next.is_some_and(|next| CLOSING.contains(next)) || OPENING.contains(letter) {
        return false;
    }
    matches!(letter, ' ' | '+') || is_han(letter) || CLOSING.contains(letter) || next.is_some_and(is_han)
}

/// `text` on at most `most` lines of `width` units, broken after blanks and the "+" between stages, and at Chinese characters; the last line is
/// `fitted`.
#[must_use]
pub fn wrapped(text: &str, size: f64, width: f64, most: usize, measure: Measure<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text.trim();
    while lines.len() + 1 < most && measure(rest, size) > width {
        let ends = rest.char_indices().filter_map(|(at, letter)| {
            let end = at + letter.len_utf8();
            breaks(letter, rest.get(end..).and_then(|rest| rest.chars().next())).then_some(end)
        });
        let fits = |end: &usize| rest.get(..*end).is_some_and(|line| measure(line.trim_end(), size) <= width);
        let Some(end) = ends.take_while(fits).last() else { break };
        let (line, remaining) = rest.split_at(end);
        lines.push(line.trim_end().to_owned());
        rest = remaining.trim_start();
    }
    lines.push(fitted(rest, size, width, measure));
    lines
}

#[cfg(test)]
mod tests {
    use super::{Anchor, Hit, Role, Scene, Shape, fitted, wrapped};
    use crate::testing::measure;

    #[test]
    fn a_scene_is_scaled_with_its_type_and_its_hits() {
        let mut scene = Scene::new(10.0, 20.0);
        scene.fill([1.0, 2.0, 3.0, 4.0], Role::Text, 0.5);
        scene.lines(vec![[(1.0, 2.0), (3.0, 4.0)]], Role::Text, 1.5);
        scene.dot((1.0, 2.0), 3.0, Role::Text);
        scene.text("a".to_owned(), (1.0, 2.0), 8.0, Role::Text, Anchor::Left);
        scene.hits.push(Hit { area: [1.0, 2.0, 3.0, 4.0], index: 7, name: "hit".to_owned() });
        let twice = scene.scaled(2.0);
        assert_eq!((twice.width, twice.height, twice.hits[0].area), (20.0, 40.0, [2.0, 4.0, 6.0, 8.0]));
        let shapes: Vec<_> = twice.items.into_iter().map(|item| item.shape).collect();
        let text = Shape::Text { text: "a".to_owned(), at: (2.0, 4.0), size: 16.0, anchor: Anchor::Left };
        let lines = Shape::Lines(vec![[(2.0, 4.0), (6.0, 8.0)]], 3.0);
        assert_eq!(shapes, [Shape::Fill([2.0, 4.0, 6.0, 8.0], 0.5), lines, Shape::Dot((2.0, 4.0), 6.0), text]);
    }

    #[test]
    fn what_does_not_fit_is_cut_in_the_middle() {
        assert_eq!(fitted("abcdefghij", 2.0, 10.0, &measure), "abcdefghij");
        assert_eq!(fitted("abcdefghij", 2.0, 9.0, &measure), "abcd…ghij");
        assert_eq!(fitted("abcdefghij", 2.0, 6.0, &measure), "abc…ij");
        // Two letters stay, however narrow it is.
        assert_eq!(fitted("abcdefghij", 2.0, 0.0, &measure), "a…j");
        assert_eq!(fitted("ab", 2.0, 0.0, &measure), "ab");
    }

    #[test]
    fn lines_break_after_blanks_and_between_stages() {
        assert_eq!(wrapped("padded+vectorize=4+merged", 2.0, 19.0, 2, &measure), ["padded+vectorize=4+", "merged"]);
        assert_eq!(wrapped("the tile needs too much", 2.0, 10.0, 9, &measure), ["the tile", "needs too", "much"]);
        assert_eq!(wrapped("the tile needs too much", 2.0, 10.0, 2, &measure), ["the tile", "needs…much"]);
        assert_eq!(wrapped("unbreakable", 2.0, 5.0, 2, &measure), ["un…le"]);
        // Chinese has no blanks; no line begins with a comma or ends with an opening bracket.
        assert_eq!(wrapped("加载，存储（字节）", 2.0, 2.0, 9, &measure), ["加", "载，", "存储", "（字", "节）"]);
        assert_eq!(wrapped("取回 32 字节", 2.0, 5.0, 9, &measure), ["取回 32", "字节"]);
        assert_eq!(wrapped("", 2.0, 5.0, 2, &measure), [""]);
    }
}
