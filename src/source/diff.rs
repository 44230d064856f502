//! What differs between two resolved sources, line by line.

use similar::{ChangeTag, TextDiff};
use std::time::Duration;

/// Unchanged lines around a change in unified text.
const CONTEXT_LINES: usize = 3;

/// After this time the differences need not be the fewest any more: two long listings of machine code without anything in common would take minutes.
const LONGEST_SEARCH: Duration = Duration::from_millis(500);

/// What happened to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineOp {
    /// In both.
    Same,
    /// In the old text alone.
    Removed,
    /// In the new text alone.
    Added,
}

/// One line of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine {
    /// What happened to it.
    pub op: LineOp,
    /// Its number in the old text, counted from 1.
    pub old_number: Option<usize>,
    /// Its number in the new text, counted from 1.
    pub new_number: Option<usize>,
    /// The line without its end.
    pub text: String,
}

/// All lines of two texts in reading order, removed lines before the added ones that took their place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// The lines.
    pub lines: Vec<DiffLine>,
}

impl Diff {
    /// Compares two texts.
    #[must_use]
    pub fn new(old: &str, new: &str) -> Self {
        let lines = TextDiff::configure()
            .timeout(LONGEST_SEARCH)
            .diff_lines(old, new)
            .iter_all_changes()
            .map(|change| DiffLine {
                op: match change.tag() {
                    ChangeTag::Equal => LineOp::Same,
                    ChangeTag::Delete => LineOp::Removed,
                    ChangeTag::Insert => LineOp::Added,
                },
                old_number: change.old_index().map(|index| index + 1),
                new_number: change.new_index().map(|index| index + 1),
                text: change.value().trim_end_matches(['\r', '\n']).to_owned(),
            })
            .collect();
        Self { lines }
    }

    /// Whether the texts are equal.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.iter().all(|line| line.op == LineOp::Same)
    }

    /// How many lines were removed, and how many added.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        let count = |op| self.lines.iter().filter(|line| line.op == op).count();
        (count(LineOp::Removed), count(LineOp::Added))
    }
}

/// The comparison as unified text with both names in its head; empty where the texts are equal.
#[must_use]
pub fn unified(old_name: &str, old: &str, new_name: &str, new: &str) -> String {
    TextDiff::from_lines(old, new).unified_diff().context_radius(CONTEXT_LINES).header(old_name, new_name).to_string()
}

#[cfg(test)]
mod tests {
    use super::{Diff, LineOp, unified};

    const OLD: &str = "one\ntwo\nthree\nfour\n";
    const NEW: &str = "one\n2\nthree\nfour\nfive\nsix\n";

    #[test]
    fn every_line_has_its_numbers() {
        let diff = Diff::new(OLD, NEW);
        let told: Vec<_> = diff.lines.iter().map(|line| (line.op, line.old_number, line.new_number, line.text.as_str())).take(4).collect();
        assert_eq!(
            told,
            [
                (LineOp::Same, Some(1), Some(1), "one"),
                (LineOp::Removed, Some(2), None, "two"),
                (LineOp::Added, None, Some(2), "2"),
                (LineOp::Same, Some(3), Some(3), "three"),
            ]
        );
        assert_eq!(diff.counts(), (1, 3));
        assert!(!diff.is_empty());
        assert!(Diff::new(OLD, OLD).is_empty());
    }

    #[test]
    fn unified_text_names_both_sides() {
        let text = unified("naive", OLD, "padded", NEW);
        assert!(text.starts_with("--- naive\n+++ padded\n@@ -1,4 +1,6 @@\n one\n-two\n+2\n"), "{text}");
        assert_eq!(unified("naive", OLD, "padded", OLD), "");
    }
}
