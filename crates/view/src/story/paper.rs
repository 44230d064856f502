//! A story on paper: pages of A4, upright, as scenes. What does not fit into a line goes on in the next one, and what does not fit on a page on the next one.

use super::{Block, Cell, Column, Figure, Kind, Row, Story, Table, Tone};
use crate::plot::{Anchor, Measure, Role, Scene, wrapped};
use base::texts::{Words, filled};

/// A4 in units of scenes, 96 per inch.
const PAGE: [f64; 2] = [793.7, 1122.5];
const MARGIN: f64 = 64.0;
/// Where the number of a page stands, from its lower edge.
const FOOT: f64 = 36.0;
const TITLE: f64 = 20.0;
const HEADING: f64 = 15.0;
const TEXT: f64 = 12.0;
const SMALL: f64 = 10.5;
const LINE: f64 = 1.45;
/// Between columns.
const APART: f64 = 14.0;
/// Between blocks.
const GAP: f64 = 10.0;
/// No column is made narrower than this, however many there are.
const LEAST_COLUMN: f64 = 44.0;
/// Of one cell or paragraph.
const MOST_LINES: usize = 60;
/// The height of a figure that may be as high as there is room for, per width.
const FIGURE_PER_WIDTH: f64 = 0.55;

/// The pages.
#[must_use]
pub fn pages(story: &Story, measure: Measure<'_>) -> Vec<Scene> {
    let mut paper = Paper { pages: vec![empty()], y: MARGIN, measure };
    if let Some(title) = &story.title {
        paper.paragraph(&title.to_string(), TITLE, Role::Strong);
        paper.y += GAP;
    }
    for block in &story.blocks {
        match block {
            Block::Heading(words) => {
                // Not alone at the end of a page.
                paper.make_room(GAP + HEADING * LINE + 4.0 * TEXT * LINE);
                paper.y += GAP;
                paper.paragraph(&words.to_string(), HEADING, Role::Strong);
            }
            Block::Sentence(tone, words) => {
                let role = match tone {
                    Tone::Plain => Role::Text,
                    Tone::Strong => Role::Strong,
                    Tone::Weak => Role::Weak,
                    Tone::Warning => Role::Warning,
                };
                paper.paragraph(&words.to_string(), TEXT, role);
                paper.y += GAP / 2.0;
            }
            Block::Table(table) => paper.table(table),
            Block::Figure(figure) => paper.figure(figure),
            Block::Code(code) => {
                for line in code.trim_end().lines() {
                    paper.paragraph(line, SMALL, Role::Text);
                }
                paper.y += GAP;
            }
        }
    }
    paper.numbered()
}

fn empty() -> Scene {
    let [width, height] = PAGE;
    Scene::new(width, height)
}

/// Pages that grow from top to bottom.
struct Paper<'a> {
    pages: Vec<Scene>,
    /// Where the last page goes on.
    y: f64,
    measure: Measure<'a>,
}

impl Paper<'_> {
    const WIDTH: f64 = PAGE[0] - 2.0 * MARGIN;
    const BOTTOM: f64 = PAGE[1] - MARGIN;

    /// Begins a page where there is less room than that; whether it did.
    fn make_room(&mut self, height: f64) -> bool {
        let is_full = self.y + height > Self::BOTTOM && self.y > MARGIN;
        if is_full {
            self.pages.push(empty());
            self.y = MARGIN;
        }
        is_full
    }

    /// Draws on the last page.
    fn draw(&mut self, draw: impl FnOnce(&mut Scene)) {
        if let Some(page) = self.pages.last_mut() {
            draw(page);
        }
    }

    fn paragraph(&mut self, text: &str, size: f64, role: Role) {
        for line in wrapped(text, size, Self::WIDTH, MOST_LINES, self.measure) {
            self.make_room(size * LINE);
            let y = self.y + size * LINE / 2.0;
            self.draw(|page| page.text(line, (MARGIN, y), size, role, Anchor::Left));
            self.y += size * LINE;
        }
    }

    fn figure(&mut self, figure: &Figure) {
        let scene = figure.scene([Self::WIDTH, Self::WIDTH * FIGURE_PER_WIDTH], self.measure);
        let room = Self::BOTTOM - MARGIN;
        let factor = (Self::WIDTH / scene.width).min(room / scene.height).min(1.0);
        let scene = scene.scaled(factor);
        self.make_room(scene.height);
        let (height, y) = (scene.height, self.y);
        self.draw(|page| {
            let whole = std::mem::replace(&mut page.height, y);
            page.below(scene, MARGIN);
            page.height = whole;
        });
        self.y += height + GAP;
    }

    fn table(&mut self, table: &Table) {
        let widths = widths(table, self.measure);
        if let Some(caption) = &table.caption {
            self.make_room(4.0 * TEXT * LINE);
            self.paragraph(&caption.to_string(), TEXT, Role::Strong);
        }
        let heads: Vec<String> = table.columns.iter().map(|column| lines(&column.heads)).collect();
        self.row(&heads, &table.columns, &widths, Role::Weak);
        self.rule();
        for group in table.groups.iter().filter(|group| !group.rows.is_empty()) {
            if let Some(title) = &group.title {
                self.make_room(3.0 * SMALL * LINE);
                self.paragraph(&title.to_string(), SMALL, Role::Strong);
            }
            for row in &group.rows {
                let (first, others) = row.parts();
                let mut cells: Vec<String> = first.into_iter().chain(others).map(Cell::told).collect();
                if let Row::Instead(_, why) = row {
                    cells.push(why.to_string());
                }
                if self.make_room(self.height(&cells, &widths)) {
                    self.row(&heads, &table.columns, &widths, Role::Weak);
                    self.rule();
                }
                self.row(&cells, &table.columns, &widths, Role::Text);
            }
        }
        self.y += GAP;
    }

    fn height(&self, cells: &[String], widths: &[f64]) -> f64 {
        let lines = cells.iter().zip(widths).map(|(cell, width)| in_cell(cell, *width, self.measure).len());
        lines.max().unwrap_or(1) as f64 * SMALL * LINE
    }

    fn row(&mut self, cells: &[String], columns: &[Column], widths: &[f64], role: Role) {
        let height = self.height(cells, widths);
        let mut left = MARGIN;
        for ((cell, column), width) in cells.iter().zip(columns).zip(widths) {
            for (index, line) in in_cell(cell, *width, self.measure).into_iter().enumerate() {
                let y = self.y + (index as f64 + 0.5) * SMALL * LINE;
                let (x, anchor) = match column.kind {
                    Kind::Words => (left, Anchor::Left),
                    Kind::Number => (left + width, Anchor::Right),
                };
                self.draw(|page| page.text(line, (x, y), SMALL, role, anchor));
            }
            left += width + APART;
        }
        self.y += height + 2.0;
    }

    fn rule(&mut self) {
        let y = self.y;
        self.draw(|page| page.lines(vec![[(MARGIN, y), (MARGIN + Self::WIDTH, y)]], Role::Grid, 1.0));
        self.y += 3.0;
    }

    /// With "1 of 3" at the foot of each page, where there are several.
    fn numbered(mut self) -> Vec<Scene> {
        let count = self.pages.len();
        if count > 1 {
            for (index, page) in self.pages.iter_mut().enumerate() {
                let number = filled("report.page-of", &[("page", &(index + 1)), ("pages", &count)]);
                page.text(number, (PAGE[0] / 2.0, PAGE[1] - FOOT), SMALL, Role::Weak, Anchor::Center);
            }
        }
        self.pages
    }
}

fn lines(words: &[Words]) -> String {
    words.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// The lines of a cell.
fn in_cell(text: &str, width: f64, measure: Measure<'_>) -> Vec<String> {
    text.lines().flat_map(|line| wrapped(line, SMALL, width, MOST_LINES, measure)).collect()
}

/// Columns as wide as their widest cell; where that is too much together, the wide ones share what the narrow ones leave.
fn widths(table: &Table, measure: Measure<'_>) -> Vec<f64> {
    let widest = |text: &str| text.lines().map(|line| measure(line, SMALL)).fold(0.0, f64::max);
    let mut wanted: Vec<f64> = table.columns.iter().map(|column| widest(&lines(&column.heads))).collect();
    for row in table.rows() {
        let (first, others) = row.parts();
        for (wanted, cell) in wanted.iter_mut().zip(first.into_iter().chain(others)) {
            *wanted = wanted.max(widest(&cell.told()));
        }
    }
    // What a measure rounds must not wrap.
    for width in &mut wanted {
        *width += 0.5;
    }
    let room = Paper::WIDTH - APART * wanted.len().saturating_sub(1) as f64;
    let fair = fair_share(&wanted, room);
    wanted.into_iter().map(|width| width.min(fair.max(LEAST_COLUMN))).collect()
}

/// The width that no column may exceed so that all together need no more than `room`.
fn fair_share(wanted: &[f64], room: f64) -> f64 {
    let mut sorted = wanted.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut left = room;
    for (index, width) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - index) as f64;
        if *width > share {
            return share;
        }
        left -= width;
    }
    f64::INFINITY
}

#[cfg(test)]
mod tests {
    use super::{MARGIN, PAGE, Paper, fair_share, pages};
    use crate::plot::{Shape, measure};
    use crate::story::{Block, Cell, Kind, Story, Table, Tone};

    #[test]
    fn columns_share_what_there_is() {
        assert!(fair_share(&[10.0, 20.0], 40.0).is_infinite());
        assert!((fair_share(&[10.0, 100.0, 100.0], 110.0) - 50.0).abs() < 1e-9);
        assert!((fair_share(&[100.0, 100.0], 50.0) - 25.0).abs() < 1e-9);
    }

    #[test]
    fn a_long_story_goes_on_on_the_next_page_and_nothing_leaves_the_paper() {
        let mut table = Table::headed("rows", [(Kind::Words, "variant"), (Kind::Words, "note"), (Kind::Number, "median")]);
        let long = "a long explanation of many words ".repeat(9);
        for number in 0..60 {
            table.row([Cell::Code(format!("row {number}")), Cell::of(&long), Cell::count(number)]);
        }
        let mut story = Story { title: Some("A title".into()), ..Story::default() };
        story.say(Tone::Plain, long.as_str().into());
        story.push(Block::Table(table));
        let pages = pages(&story, &measure);
        assert!(pages.len() > 1, "{}", pages.len());
        let texts: Vec<&str> = pages.iter().flat_map(crate::plot::Scene::texts).collect();
        for number in 0..60 {
            assert!(texts.contains(&format!("row {number}").as_str()), "row {number} is lost");
        }
        for item in pages.iter().flat_map(|page| &page.items) {
            let Shape::Text { text, at: (x, y), size, anchor } = &item.shape else { continue };
            let width = measure(text, *size);
            let left = match anchor {
                crate::plot::Anchor::Left => *x,
                crate::plot::Anchor::Center => x - width / 2.0,
                crate::plot::Anchor::Right => x - width,
            };
            assert!(left >= MARGIN - 1.0 && left + width <= MARGIN + Paper::WIDTH + 1.0, "'{text}' at {left}");
            assert!(*y > 0.0 && *y < PAGE[1], "'{text}' at {y}");
        }
    }
}
