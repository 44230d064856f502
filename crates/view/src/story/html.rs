//! Tags. Whatever is shown goes through [`escaped`].

pub use crate::plot::escaped;

use super::{Block, Cell, Column, Group, Kind, Mark, Row, Story, Table, Tone};
use crate::plot::{inline_svg, measure};

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
                Block::Table(table) => self.table(table),
                Block::Figure(figure) => {
                    let label = story.title.as_ref().map(ToString::to_string).unwrap_or_default();
                    let scene = figure.scene(FIGURE, &measure);
                    self.add(&format!("{}\n", inline_svg(&scene, &label)));
                }
                Block::Code(code) => self.add(&format!("<pre><code>{}</code></pre>\n", escaped(code.trim_end()))),
            }
        }
    }

    /// A table, without the groups that have no rows.
    pub fn table(&mut self, table: &Table) {
        let caption = lines(&table.caption);
        self.add(&format!(
            "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"{caption}\">\n<table>\n<caption>{caption}</caption>\n"
        ));
        let head = |column: &Column| format!("<th scope=\"col\">{}</th>", lines(&column.heads));
        let heads: String = table.columns.iter().map(head).collect();
        self.add(&format!("<thead><tr>{heads}</tr></thead>\n"));
        for Group { title, rows } in table.groups.iter().filter(|group| !group.rows.is_empty()) {
            self.add("<tbody>\n");
            if title.is_some() {
                let (columns, title) = (table.columns.len(), lines(title));
                self.add(&format!("<tr><th scope=\"rowgroup\" colspan=\"{columns}\" class=\"group\">{title}</th></tr>\n"));
            }
            self.body.extend(rows.iter().map(|of| row(of, &table.columns)));
            self.add("</tbody>\n");
        }
        self.add("</table>\n</div>\n");
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

/// One below the other.
fn lines(parts: impl IntoIterator<Item: ToString>) -> String {
    parts.into_iter().map(|part| escaped(&part.to_string())).collect::<Vec<_>>().join("<br>")
}

/// What a cell says, with its verdict in words: a color alone is lost on paper, and on who cannot tell it.
fn told(cell: &Cell) -> Vec<String> {
    match cell {
        Cell::Compared(..) => vec![cell.told()],
        _ => cell.lines(),
    }
}

fn row(row: &Row, columns: &[Column]) -> String {
    let cell = |(index, (cell, column)): (usize, (&Cell, &Column))| {
        let class = cell.mark().map(Mark::class).or((column.kind == Kind::Number).then_some("number"));
        let class = class.map(|class| format!(" class=\"{class}\"")).unwrap_or_default();
        let (tag, scope) = if index == 0 { ("th", " scope=\"row\"") } else { ("td", "") };
        format!("<{tag}{scope}{class}>{}</{tag}>", lines(told(cell)))
    };
    let (first, others) = row.parts();
    let mut html: String = first.into_iter().chain(others).zip(columns).enumerate().map(cell).collect();
    if let Row::Instead(_, why) = row {
        html.extend(["<td>", &lines([why]), "</td>", &"<td></td>".repeat(columns.len().saturating_sub(2))]);
    }
    format!("<tr>{html}</tr>\n")
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
    use super::{Page, base64};
    use crate::story::Kind::{Number, Words};
    use crate::story::{Cell, Table, Unit};

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
        let heads = [(Words, "step"), (Number, "time"), (Words, "check")];
        let mut table = Table::headed("times", heads).captioned("Times");
        table.columns[1].heads.push("ms".into());
        table.group(&"GPU");
        table.row([Cell::of(&"a < b"), Cell::Number(1.5e6, Unit::Time), Cell::Lines(["x", "<y>"].map(|line| Cell::of(&line)).into())]);
        table.group(&"nothing");
        let mut page = Page::default();
        page.section("times", "Times & more");
        page.table(&table);
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
