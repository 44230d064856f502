//! Text that others wrote (drivers, other machines, people whose files are read), on its way to what interprets text: a terminal, a spreadsheet, a Markdown viewer.
//!
//! Each place that prints or writes such text does it by these functions; the window and pages of HTML draw text as it is.

use std::borrow::Cow;
use std::fmt::Write as _;

/// For a terminal: without control characters, which could move the cursor, rename the window or hide what was printed. Line ends and tabulators stay. The others
/// are escaped as in JSON, so that JSON stays what it says.
#[must_use]
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(is_active) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        // ssh ends its lines as terminals want it, by `\r\n`.
        let ends_line = letter == '\r' && letters.peek() == Some(&'\n');
        match letter {
            _ if ends_line => {}
            // All of them have four digits. Writing to a String cannot fail.
            _ if is_active(letter) => _ = write!(plain, "\\u{:04x}", u32::from(letter)),
            _ => plain.push(letter),
        }
    }
    Cow::Owned(plain)
}

/// The same in one line.
#[must_use]
pub fn plain_line(text: &str) -> Cow<'_, str> {
    match plain(text) {
        text if !text.contains(['\n', '\t']) => text,
        text => Cow::Owned(text.split_whitespace().collect::<Vec<_>>().join(" ")),
    }
}

/// Whether it does something in a terminal: control characters, and those that turn the direction of writing around.
fn is_active(letter: char) -> bool {
    (letter.is_control() && !matches!(letter, '\n' | '\t')) || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text's cell of a CSV file: spreadsheets take what begins so for a formula, which may start programs. As OWASP advises, an apostrophe goes before it.
#[must_use]
pub fn csv_text(text: &str) -> Cow<'_, str> {
    let text = plain(text);
    // A number is none.
    if text.parse::<f64>().is_err() && text.starts_with(['=', '+', '-', '@', '\t', '\n']) { Cow::Owned(format!("'{text}")) } else { text }
}

/// Within a paragraph or a table of Markdown: as text, whatever it looks like.
#[must_use]
pub fn markdown(text: &str) -> Cow<'_, str> {
    let text = plain_line(text);
    if !text.contains(is_markup) {
        return text;
    }
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            _ if is_markup(letter) => escaped.extend(['\\', letter]),
            _ => escaped.push(letter),
        }
    }
    Cow::Owned(escaped)
}

/// What makes tags, entities, links, code and table cells.
fn is_markup(letter: char) -> bool {
    matches!(letter, '<' | '&' | '`' | '[' | ']' | '|' | '\\' | '*')
}

/// As a string of a TOML file: it knows all of JSON's escapes, and forbids one character more.
#[must_use]
pub fn toml_text(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}

#[cfg(test)]
mod tests {
    use super::{csv_text, markdown, plain, plain_line};

    #[test]
    fn a_terminal_gets_nothing_that_it_obeys() {
        assert_eq!(plain("a \u{1b}]0;title\u{7}b\u{9b}2J\u{202e}c\rd"), "a \\u001b]0;title\\u0007b\\u009b2J\\u202ec\\u000dd");
        assert_eq!(plain("one\r\n\ttwo, 像素 é\n"), "one\n\ttwo, 像素 é\n");
        assert_eq!(plain_line("one\r\n\ttwo"), "one two");
    }

    #[test]
    fn json_stays_the_same_json() {
        let name = "\u{7f}\u{9b}2J\u{202e}\u{1b}\n";
        let json = serde_json::Value::from(name).to_string();
        assert_ne!(plain(&json), json, "it has what a terminal obeys");
        assert_eq!(serde_json::from_str::<String>(&plain(&json)).expect("JSON"), name);
    }

    #[test]
    fn a_spreadsheet_gets_no_formula() {
        for (text, cell) in [
            ("=cmd|' /c calc'!A0", "'=cmd|' /c calc'!A0"),
            ("+1+cmd|' /c calc'!A0", "'+1+cmd|' /c calc'!A0"),
            ("-1.5e3", "-1.5e3"),
            ("-a", "'-a"),
            ("@SUM(1)", "'@SUM(1)"),
            ("PoCL = 3", "PoCL = 3"),
        ] {
            assert_eq!(csv_text(text), cell);
        }
    }

    #[test]
    fn markdown_gets_neither_tags_nor_links() {
        assert_eq!(markdown("<img src=x onerror=alert(1)> [a](b) | `c`\nd"), "&lt;img src=x onerror=alert(1)> \\[a\\](b) \\| \\`c\\` d");
        assert_eq!(markdown("AMD Radeon (TM) Pro_W 5.1 #2"), "AMD Radeon (TM) Pro_W 5.1 #2");
    }

    #[test]
    fn a_string_of_toml_is_read_back() {
        for text in ["", "a \"b\" \\", "\u{0}\n\t\u{1f}\u{7f}\u{80}", "属性"] {
            let table: toml::Table = format!("text = {}", super::toml_text(text)).parse().expect("TOML");
            assert_eq!(table["text"].as_str(), Some(text));
        }
    }
}
