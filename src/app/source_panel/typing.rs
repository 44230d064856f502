//! What editors do with a key besides putting in its letter: pure functions from a text and what is selected in it to a change.

use super::lexer::Class;
use std::ops::Range;

/// One level of indentation, as the kernels have it.
pub const LEVEL: &str = "    ";

/// Begins a comment that ends with its line.
const COMMENT: &str = "//";

/// A change of a text. All places are bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What goes.
    pub replaced: Range<usize>,
    /// What comes in its place.
    pub by: String,
    /// What is selected afterwards.
    pub selected: Range<usize>,
}

impl Change {
    /// The text with the change made.
    #[must_use]
    pub fn made(&self, text: &str) -> String {
        let (before, behind) = (text.get(..self.replaced.start).unwrap_or(""), text.get(self.replaced.end..).unwrap_or(""));
        format!("{before}{}{behind}", self.by)
    }
}

fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1)
}

/// The whole lines that a selection touches, without the last line's end. A line in which it only ends is none of them.
fn lines_of(text: &str, selected: &Range<usize>) -> Range<usize> {
    let start = line_start(text, selected.start);
    let mut last = selected.end;
    if last > selected.start && line_start(text, last) == last {
        last -= 1;
    }
    let end = text.get(last..).and_then(|behind| behind.find('\n')).map_or(text.len(), |length| last + length);
    start..end.max(start)
}

fn indent_of(line: &str) -> &str {
    line.get(..line.len() - line.trim_start_matches([' ', '\t']).len()).unwrap_or("")
}

/// Each of the lines as `edit` makes it. A cursor stays at its letter; of a selection whole lines stay selected.
fn with_lines(text: &str, selected: &Range<usize>, edit: impl Fn(&str) -> String) -> Change {
    let lines = lines_of(text, selected);
    let by = text.get(lines.clone()).unwrap_or("").split('\n').map(edit).collect::<Vec<_>>().join("\n");
    let selected = if selected.is_empty() {
        // What lies between the cursor and its line's end stays as it is, unless the cursor stood in what went.
        let at = (lines.start + by.len()).saturating_sub(lines.end - selected.start).max(lines.start);
        at..at
    } else {
        lines.start..lines.start + by.len()
    };
    Change { replaced: lines, by, selected }
}

/// Makes comments of the selected lines, or code again where all of them are comments.
#[must_use]
pub fn toggle_comment(text: &str, selected: &Range<usize>) -> Change {
    let lines = text.get(lines_of(text, selected)).unwrap_or("");
    let filled = || lines.split('\n').filter(|line| !line.trim().is_empty());
    if filled().next().is_some() && filled().all(|line| line.trim_start().starts_with(COMMENT)) {
        return with_lines(text, selected, |line| {
            let indent = indent_of(line);
            let rest = line.trim_start().strip_prefix(COMMENT).unwrap_or(line.trim_start());
            format!("{indent}{}", rest.strip_prefix(' ').unwrap_or(rest))
        });
    }
    // All at one column, so that the comments read as one.
    let column = filled().map(|line| indent_of(line).len()).min().unwrap_or(0);
    with_lines(text, selected, |line| match (line.get(..column), line.get(column..)) {
        (Some(indent), Some(rest)) if !line.trim().is_empty() => format!("{indent}{COMMENT} {rest}"),
        _ => line.to_owned(),
    })
}

/// Tab: one level more for the selected lines; without a line's end in the selection, blanks up to the next level.
#[must_use]
pub fn indent(text: &str, selected: &Range<usize>) -> Change {
    if text.get(selected.clone()).is_some_and(|part| part.contains('\n')) {
        return with_lines(text, selected, |line| if line.trim().is_empty() { line.to_owned() } else { format!("{LEVEL}{line}") });
    }
    let column = text.get(line_start(text, selected.start)..selected.start).map_or(0, |before| before.chars().count());
    let by = " ".repeat(LEVEL.len() - column % LEVEL.len());
    let at = selected.start + by.len();
    Change { replaced: selected.clone(), by, selected: at..at }
}

/// Shift+Tab: one level less for the selected lines.
#[must_use]
pub fn unindent(text: &str, selected: &Range<usize>) -> Change {
    with_lines(text, selected, |line| {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        let less = line.strip_prefix('\t').or_else(|| line.get(blanks.min(LEVEL.len())..));
        less.unwrap_or(line).to_owned()
    })
}

/// Enter: the next line begins where this one does, one level further behind an opening brace.
#[must_use]
pub fn new_line(text: &str, selected: &Range<usize>) -> Change {
    let before = text.get(line_start(text, selected.start)..selected.start).unwrap_or("");
    let indent = indent_of(before);
    let opens = before.trim_end().ends_with('{');
    let by = format!("\n{indent}{}", if opens { LEVEL } else { "" });
    let at = selected.start + by.len();
    // A pair of braces is opened up, with the cursor between them.
    let closes = opens && text.get(selected.end..).is_some_and(|behind| behind.starts_with('}'));
    Change { replaced: selected.clone(), by: if closes { format!("{by}\n{indent}") } else { by }, selected: at..at }
}

/// Before a closing brace is typed as the first letter of a line: the line ends the level, so it begins a level less far. Nothing elsewhere.
#[must_use]
pub fn before_closing(text: &str, selected: &Range<usize>) -> Option<Change> {
    let before = text.get(line_start(text, selected.start)..selected.start)?;
    let is_blank = selected.is_empty() && !before.is_empty() && before.chars().all(|letter| letter == ' ');
    is_blank.then(|| {
        let start = selected.start - before.len().min(LEVEL.len());
        Change { replaced: start..selected.start, by: String::new(), selected: start..start }
    })
}

/// The bracket beside the cursor and the one that belongs to it, as bytes; the one before the cursor first. Those in comments and texts are none.
#[must_use]
pub fn bracket_pair(text: &str, pieces: &[(Range<usize>, Class)], cursor: usize) -> Option<[usize; 2]> {
    let is_code = |class: &Class| !matches!(class, Class::Comment | Class::Text);
    let brackets = pieces.iter().filter(|(_, class)| is_code(class)).flat_map(|(range, _)| {
        let letters = text.get(range.clone()).unwrap_or("").char_indices();
        letters.filter(|(_, letter)| "()[]{}".contains(*letter)).map(|(at, letter)| (range.start + at, letter))
    });
    let (mut open, mut pairs) = (Vec::new(), Vec::new());
    for (at, letter) in brackets {
        let opening = match letter {
            ')' => '(',
            ']' => '[',
            '}' => '{',
            _ => {
                open.push((at, letter));
                continue;
            }
        };
        // One that closes nothing leaves those that are open as they are: while somebody types, that is the usual case.
        if let Some((from, _)) = open.pop_if(|(_, last)| *last == opening) {
            pairs.push([from, at]);
        }
    }
    let at = |place: usize| pairs.iter().find(|pair| pair.contains(&place)).copied();
    cursor.checked_sub(1).and_then(at).or_else(|| at(cursor))
}

/// Where a text holds another, as bytes; capital letters count only where the other has some.
#[must_use]
pub fn matches(text: &str, sought: &str) -> Vec<Range<usize>> {
    if sought.is_empty() {
        return Vec::new();
    }
    let is_exact = sought.chars().any(char::is_uppercase);
    // Of ASCII alone, so that no place moves.
    let text = if is_exact { text.to_owned() } else { text.to_ascii_lowercase() };
    text.match_indices(sought).map(|(at, found)| at..at + found.len()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::lexer::classify;
    use super::{Change, before_closing, bracket_pair, indent, matches, new_line, toggle_comment, unindent};
    use std::ops::Range;

    /// A text whose selection is between bars, and the same after the change.
    fn after(marked: &str, change: impl Fn(&str, &Range<usize>) -> Change) -> String {
        let start = marked.find('|').expect("a bar");
        let text = marked.replace('|', "");
        let end = marked.rfind('|').expect("a bar").saturating_sub(1).max(start);
        let change = change(&text, &(start..end));
        let mut made = change.made(&text);
        made.insert(change.selected.end, '|');
        if !change.selected.is_empty() {
            made.insert(change.selected.start, '|');
        }
        made
    }

    #[test]
    fn comments_come_at_one_column_and_go_again() {
        let code = "|    a;\n\n        b;\n|c;\n";
        let commented = after(code, toggle_comment);
        assert_eq!(commented, "|    // a;\n\n    //     b;|\nc;\n", "the line in which the selection only ends is none of it");
        assert_eq!(after(&commented, toggle_comment), "|    a;\n\n        b;|\nc;\n");
        assert_eq!(after("    x| = 1;\n", toggle_comment), "    // x| = 1;\n");
        assert_eq!(after("    // x| = 1;\n", toggle_comment), "    x| = 1;\n");
        assert_eq!(after("//|x", toggle_comment), "|x");
        // One line of code among comments: all become comments.
        assert_eq!(after("|// a\nb|", toggle_comment), "|// // a\n// b|");
        assert_eq!(after("|", toggle_comment), "|");
    }

    #[test]
    fn lines_are_indented_and_unindented() {
        assert_eq!(after("|a\n\n  b|\nc", indent), "|    a\n\n      b|\nc");
        assert_eq!(after("|    a\n\n  b\n\tc|", unindent), "|a\n\nb\nc|");
        assert_eq!(after("ab|", indent), "ab  |");
        assert_eq!(after("abcd|", indent), "abcd    |");
        assert_eq!(after("a|bc|d", indent), "a   |d");
        assert_eq!(after("      a|b", unindent), "  a|b");
        // A cursor in what goes stays in its line.
        assert_eq!(after("x\n  |    a", unindent), "x\n|  a");
        assert_eq!(after("x\n |a", unindent), "x\n|a");
    }

    #[test]
    fn a_new_line_keeps_the_level_and_a_brace_changes_it() {
        assert_eq!(after("    a;|\n", new_line), "    a;\n    |\n");
        assert_eq!(after("  if (x) { |", new_line), "  if (x) { \n      |");
        assert_eq!(after("  {|}", new_line), "  {\n      |\n  }");
        assert_eq!(after("  |  a", new_line), "  \n  |  a", "no more than stands before the cursor");
        assert_eq!(after("a|bc|d", new_line), "a\n|d");
        let closed = |text: &str, selected: &Range<usize>| before_closing(text, selected).expect("a line of blanks");
        assert_eq!(after("{\n        |", closed), "{\n    |");
        assert_eq!(after("{\n  |", closed), "{\n|");
        assert!(before_closing("a", &(1..1)).is_none() && before_closing("{\n", &(2..2)).is_none());
    }

    #[test]
    fn a_bracket_has_the_one_that_belongs_to_it() {
        let text = "f(a[1], \")\"); /* ( */ { ) }";
        let pair = |cursor| bracket_pair(text, &classify(text), cursor);
        let [open, close] = [text.find('(').expect("one"), text.find(");").expect("one")];
        assert_eq!(pair(open), Some([open, close]), "before it");
        assert_eq!(pair(open + 1), Some([open, close]), "behind it");
        assert_eq!(pair(close + 1), Some([open, close]));
        assert_eq!(pair(text.find("[1").expect("one")), Some([3, 5]));
        let (open, close) = (text.find('{').expect("one"), text.len() - 1);
        assert_eq!(pair(open), Some([open, close]), "what closes nothing is passed over");
        // In a comment, in a text, without a partner, and beside none.
        for at in ["( */", ")\"", ") }", "* ("] {
            assert_eq!(pair(text.find(at).expect(at)), None, "{at}");
        }
    }

    #[test]
    fn small_letters_find_both_and_capital_ones_themselves() {
        assert_eq!(matches("Ab aB é AB", "ab"), [0..2, 3..5, 9..11]);
        assert_eq!(matches("Ab aB AB AB", "AB"), [6..8, 9..11]);
        assert_eq!(matches("aaaaa", "aa"), [0..2, 2..4]);
        assert_eq!(matches("abc", ""), Vec::<Range<usize>>::new());
    }
}
