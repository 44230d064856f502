//! Tags. Whatever is shown goes through [`escaped`].

pub use crate::plot::escaped;

use super::{Block, Kind, Row, Story, Tone, text};
use crate::plot::{inline_svg, measure};
use std::fmt::Write as _;

/// Size of figures on a page, in units; wider than the page, they shrink.
const FIGURE: [f64; 2] = [720.0, 320.0];

/// A page that grows from top to bottom.
#[derive(Clone, Debug, Default)]
pub struct Page {
    body: String,
    /// Ids and titles of its sections.
    sections: Vec<(String, String)>,
}

impl Page {
    /// Begins a section.
    pub fn section(&mut self, id: &str, title: &str) {
        self.add(&format!("<h2 id=\"{id}\">{}</h2>\n", escaped(title)));
        self.sections.push((id.to_owned(), title.to_owned()));
    }

    /// A heading within a section.
    pub fn heading(&mut self, title: &str) {
        self.add(&format!("<h3>{}</h3>\n", escaped(title)));
    }

    /// A paragraph.
    pub fn paragraph(&mut self, text: &str) {
        self.add(&format!("<p>{}</p>\n", escaped(text)));
    }

    /// All blocks of a story; its title is for a section's head.
    pub fn story(&mut self, story: &Story) {
        for block in &story.blocks {
            match block {
                Block::Heading(words) => self.heading(&words.to_string()),
                Block::Sentence(tone, words) => match tone {
                    Tone::Plain | Tone::Weak => self.paragraph(&words.to_string()),
                    Tone::Strong => self.add(&format!("<p><strong>{}</strong></p>\n", escaped(&words.to_string()))),
                    Tone::Warning => self.add(&format!("<p class=\"reversed\">{}</p>\n", escaped(&words.to_string()))),
                },
                Block::Table(of) => self.table(&Table::of(of)),
                Block::Figure(figure) => {
                    let label = story.title.as_ref().map(ToString::to_string).unwrap_or_default();
                    let scene = figure.scene(FIGURE, &measure);
                    self.add(&format!("{}\n", inline_svg(&scene, &label)));
                }
                Block::Code(code) => self.add(&format!("<pre><code>{}</code></pre>\n", escaped(code.trim_end()))),
            }
        }
    }

    /// A table.
    pub fn table(&mut self, table: &Table) {
        self.add(&table.html());
    }

    /// Tags that are made already.
    pub fn add(&mut self, html: &str) {
        self.body.push_str(html);
    }

    /// Everything so far.
    #[must_use]
    pub fn body(&self) -> &str {
        &self.body
    }

    /// Links to all sections, under a title.
    #[must_use]
    pub fn contents(&self, title: &str) -> String {
        let item = |(id, title): &(String, String)| format!("<li><a href=\"#{id}\">{}</a></li>\n", escaped(title));
        let items: String = self.sections.iter().map(item).collect();
        format!("<nav aria-label=\"{}\"><ul>\n{items}</ul></nav>\n", escaped(title))
    }
}

/// What stands in one place of a table.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    html: String,
    class: &'static str,
}

impl Cell {
    /// A text.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self { html: escaped(text), class: "" }
    }

    /// A number, which stands to the right.
    #[must_use]
    pub fn number(text: &str) -> Self {
        Self { html: escaped(text), class: "number" }
    }

    /// Lines, one below the other.
    #[must_use]
    pub fn lines<'a>(lines: impl IntoIterator<Item = &'a str>) -> Self {
        let lines: Vec<String> = lines.into_iter().map(escaped).collect();
        Self { html: lines.join("<br>"), class: "" }
    }

    /// The same with a class of the style sheet.
    #[must_use]
    pub fn of_class(self, class: &'static str) -> Self {
        Self { class, ..self }
    }
}

/// Rows that belong together, under a title that is the same for all.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// Empty for none.
    pub title: String,
    /// The first cell of a row names it.
    pub rows: Vec<Vec<Cell>>,
}

/// A table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// What it is.
    pub caption: String,
    /// The heads of columns; of several lines, one below the other.
    pub heads: Vec<Vec<String>>,
    /// What follows.
    pub groups: Vec<Rows>,
}

impl Table {
    /// A story's.
    #[must_use]
    pub fn of(table: &super::Table) -> Self {
        let cell = |(index, own): (usize, &super::Cell)| {
            let is_number = table.columns.get(index).is_some_and(|column| column.kind == Kind::Number);
            let class = own.mark().map_or(if is_number { "number" } else { "" }, super::Mark::class);
            Cell::lines(own.lines().iter().map(String::as_str)).of_class(class)
        };
        let row = |row: &Row| {
            let (first, others) = row.parts();
            let mut cells: Vec<Cell> = first.into_iter().chain(others).enumerate().map(cell).collect();
            if let Row::Instead(_, why) = row {
                cells.push(Cell::text(&why.to_string()));
                cells.resize(table.columns.len(), Cell::default());
            }
            cells
        };
        Self {
            caption: table.caption.as_ref().map(ToString::to_string).unwrap_or_default(),
            heads: table.columns.iter().map(|column| column.heads.iter().map(ToString::to_string).collect()).collect(),
            groups: (table.groups.iter())
                .map(|group| Rows { title: text::joined(group.title.as_slice(), ""), rows: group.rows.iter().map(row).collect() })
                .collect(),
        }
    }

    fn html(&self) -> String {
        let caption = escaped(&self.caption);
        let mut html = format!(
            "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"{caption}\">\n<table>\n<caption>{caption}</caption>\n"
        );
        let head = |lines: &Vec<String>| {
            let lines: Vec<String> = lines.iter().map(|line| escaped(line)).collect();
            format!("<th scope=\"col\">{}</th>", lines.join("<br>"))
        };
        // Writing to a string does not fail.
        let _ = writeln!(html, "<thead><tr>{}</tr></thead>", self.heads.iter().map(head).collect::<String>());
        for Rows { title, rows } in self.groups.iter().filter(|group| !group.rows.is_empty()) {
            html.push_str("<tbody>\n");
            if !title.is_empty() {
                let _ = writeln!(
                    html,
                    "<tr><th scope=\"rowgroup\" colspan=\"{}\" class=\"group\">{}</th></tr>",
                    self.heads.len(),
                    escaped(title)
                );
            }
            for row in rows {
                let _ = writeln!(html, "<tr>{}</tr>", row.iter().enumerate().map(cell).collect::<String>());
            }
            html.push_str("</tbody>\n");
        }
        html + "</table>\n</div>\n"
    }
}

fn cell((index, Cell { html, class }): (usize, &Cell)) -> String {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    if index == 0 { format!("<th scope=\"row\"{class}>{html}</th>") } else { format!("<td{class}>{html}</td>") }
}

/// Bytes as text (RFC 4648).
#[must_use]
pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let letter = LETTERS.get((word >> (18 - 6 * place)) as usize & 63).copied().unwrap_or(b'=');
            text.push(if place <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Cell, Page, Rows, Table, base64};

    #[test]
    fn base64_is_that_of_the_rfc() {
        let cases =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy")];
        for (bytes, text) in cases {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xff, 0xef, 0xbe]), "/+++");
    }

    #[test]
    fn a_table_has_heads_for_columns_rows_and_groups() {
        let rows = vec![vec![Cell::text("a < b"), Cell::number("1.5 ms"), Cell::lines(["x", "<y>"])]];
        let groups = vec![Rows { title: "GPU".to_owned(), rows }, Rows { title: "nothing".to_owned(), rows: Vec::new() }];
        let heads = [vec!["step"], vec!["time", "ms"], vec!["check"]].map(|lines| lines.into_iter().map(str::to_owned).collect());
        let mut page = Page::default();
        page.section("times", "Times & more");
        page.table(&Table { caption: "Times".to_owned(), heads: heads.into(), groups });
        for part in [
            "<h2 id=\"times\">Times &amp; more</h2>",
            "<caption>Times</caption>",
            "<th scope=\"col\">step</th><th scope=\"col\">time<br>ms</th>",
            "<th scope=\"rowgroup\" colspan=\"3\" class=\"group\">GPU</th>",
            "<tr><th scope=\"row\">a &lt; b</th><td class=\"number\">1.5 ms</td><td>x<br>&lt;y&gt;</td></tr>",
        ] {
            assert!(page.body().contains(part), "{part} is not in {}", page.body());
        }
        assert!(!page.body().contains("nothing"));
        assert!(page.contents("Contents").contains("<a href=\"#times\">Times &amp; more</a>"));
    }
}
