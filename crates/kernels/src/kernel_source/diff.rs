//! What differs between two resolved sources, line by line.

use imara_diff::{Algorithm, InternedInput};
use std::fmt::Write as _;
use std::iter::Peekable;

/// Unchanged lines around a change in unified text.
const CONTEXT_LINES: usize = 3;

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
        let input = InternedInput::new(old, new);
        let mut found = imara_diff::Diff::compute(Algorithm::Myers, &input);
        found.postprocess_lines(&input);
        let (mut old, mut new) = (numbered(old), numbered(new));
        let mut lines = Vec::new();
        let mut tell = |op, old_number, new_number, text: &str| lines.push(DiffLine { op, old_number, new_number, text: text.to_owned() });
        loop {
            if let Some((number, text)) = old.next_if(|(number, _)| found.is_removed(*number as u32 - 1)) {
                tell(LineOp::Removed, Some(number), None, text);
            } else if let Some((number, text)) = new.next_if(|(number, _)| found.is_added(*number as u32 - 1)) {
                tell(LineOp::Added, None, Some(number), text);
            } else if let (Some((old_number, text)), Some((new_number, _))) = (old.next(), new.next()) {
                tell(LineOp::Same, Some(old_number), Some(new_number), text);
            } else {
                return Self { lines };
            }
        }
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

/// The lines of a text without their ends, counted from 1.
fn numbered(text: &str) -> Peekable<impl Iterator<Item = (usize, &str)>> {
    let lines = text.split_inclusive('\n').map(|line| line.trim_end_matches(['\r', '\n']));
    (1..).zip(lines).peekable()
}

/// What two lists of words or lines do not have in common.
#[must_use]
pub fn differences<'a>(old: impl Iterator<Item = &'a str>, new: impl Iterator<Item = &'a str>) -> imara_diff::Diff {
    let mut input = InternedInput::default();
    input.update_before(old);
    input.update_after(new);
    let mut found = imara_diff::Diff::compute(Algorithm::Myers, &input);
    found.postprocess_no_heuristic(&input);
    found
}

/// The comparison as unified text with both names in its head; empty where the texts are equal.
#[must_use]
pub fn unified(old_name: &str, old: &str, new_name: &str, new: &str) -> String {
    let Diff { lines } = Diff::new(old, new);
    let is_shown = |index: usize| {
        let around = index.saturating_sub(CONTEXT_LINES)..(index + CONTEXT_LINES + 1).min(lines.len());
        lines.get(around).is_some_and(|around| around.iter().any(|line| line.op != LineOp::Same))
    };
    let mut text = String::new();
    let mut start = 0;
    while start < lines.len() {
        let length = (start..lines.len()).take_while(|&index| is_shown(index)).count();
        let (before, hunk) = lines.split_at(start);
        let hunk = hunk.get(..length).unwrap_or_default();
        if !hunk.is_empty() {
            if text.is_empty() {
                text = format!("--- {old_name}\n+++ {new_name}\n");
            }
            let [old, new] = [LineOp::Added, LineOp::Removed].map(|other| place(before, hunk, other));
            let _ = writeln!(text, "@@ -{old} +{new} @@");
        }
        for line in hunk {
            let mark = match line.op {
                LineOp::Same => ' ',
                LineOp::Removed => '-',
                LineOp::Added => '+',
            };
            let _ = writeln!(text, "{mark}{}", line.text);
        }
        start += length.max(1);
    }
    text
}

/// Where a hunk begins in one of the texts, and how many of its lines it has: "4,7"; the line before, where it has none. `other`: what lines of the other text
/// alone are.
fn place(before: &[DiffLine], hunk: &[DiffLine], other: LineOp) -> String {
    let [above, length] = [before, hunk].map(|lines| lines.iter().filter(|line| line.op != other).count());
    match length {
        0 => format!("{above},0"),
        1 => format!("{}", above + 1),
        _ => format!("{},{length}", above + 1),
    }
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

    #[test]
    fn unified_text_is_that_of_diff() {
        let numbered = |changed: &[(usize, &str)], count: usize| {
            let line = |number: usize| {
                changed.iter().find(|(at, _)| *at == number).map_or_else(|| format!("{number}\n"), |(_, text)| (*text).to_owned())
            };
            (1..=count).map(line).collect::<String>()
        };
        let plain = numbered(&[], 40);
        let changes: [&[(usize, &str)]; 6] = [
            &[(1, "new\n")],
            &[(5, "")],
            &[(6, "x\ny\n6\n"), (13, "")],
            &[(12, "x\n"), (20, "y\n")],
            &[(40, "")],
            &[(3, ""), (4, ""), (30, "30\n31a\n")],
        ];
        let folder = tempfile::tempdir().expect("a folder");
        for changed in changes {
            let other = numbered(changed, 40);
            for (old, new) in [(&plain, &other), (&other, &plain), (&String::new(), &other)] {
                let paths = ["old", "new"].map(|name| folder.path().join(name));
                std::fs::write(&paths[0], old).expect("written");
                std::fs::write(&paths[1], new).expect("written");
                let theirs = std::process::Command::new("diff").args(["-u", "--label", "one", "--label", "other"]).args(&paths).output();
                let Ok(theirs) = theirs else { return eprintln!("diff is not installed") };
                assert_eq!(unified("one", old, "other", new), String::from_utf8_lossy(&theirs.stdout), "{changed:?}");
            }
        }
    }
}
