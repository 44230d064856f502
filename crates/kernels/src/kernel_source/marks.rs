//! What a compiler says of a source, by lines: read from its build log.

use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::Path;

/// One thing that it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Line of the source, from 1.
    pub line: usize,
    /// Column, from 1, in bytes.
    pub column: usize,
    /// Whether it keeps the source from being built; else it is a warning.
    pub is_error: bool,
    /// The compiler's own words.
    pub words: String,
}

/// Errors and warnings of a build log, in its order. All drivers that were seen have a compiler made of Clang and write as it does,
/// `PLACE:12:5: error: words`; some versions of PoCL write `error: PLACE:12:5: words`. Notes belong to what they stand under, and places in header files are not
/// the source's.
#[must_use]
pub fn marks(log: &str) -> Vec<Mark> {
    let mut marks: Vec<Mark> = Vec::new();
    for mark in log.lines().filter_map(mark) {
        // PoCL tells some of them twice.
        if !marks.contains(&mark) {
            marks.push(mark);
        }
    }
    marks
}

fn mark(line: &str) -> Option<Mark> {
    let (place, [row, column], rest) = line.match_indices(':').find_map(|(at, _)| numbers_at(line, at))?;
    let extension = Path::new(place).extension().and_then(OsStr::to_str);
    if matches!(extension, Some("h" | "clh")) {
        return None;
    }
    let severity = |text: &str| {
        let words = [("fatal error", true), ("error", true), ("warning", false)];
        words.into_iter().find(|(word, _)| text.starts_with(word) && text.get(word.len()..).is_some_and(|rest| rest.starts_with(':')))
    };
    let (is_error, words) = match (severity(rest), severity(place.trim_start())) {
        (Some((word, is_error)), _) => (is_error, rest.get(word.len() + 1..)?),
        (None, Some((_, is_error))) => (is_error, rest),
        (None, None) => return None,
    };
    Some(Mark { line: row, column, is_error, words: words.trim().to_owned() })
}

/// What stands before `:12:5:` where that begins at `at`, the two numbers, and what stands behind.
fn numbers_at(line: &str, at: usize) -> Option<(&str, [usize; 2], &str)> {
    let (place, rest) = (line.get(..at)?, line.get(at + 1..)?);
    let (row, rest) = rest.split_once(':')?;
    let (column, rest) = rest.split_once(':')?;
    Some((place, [row.parse().ok()?, column.parse().ok()?], rest.trim_start()))
}

/// The marks as a compiler shows them: `NAME:12:5: error: words`, the line, and an arrow under its place.
#[must_use]
pub fn shown(marks: &[Mark], name: &str, source: &str) -> String {
    let lines: Vec<&str> = source.lines().collect();
    let mut text = String::new();
    for Mark { line, column, is_error, words } in marks {
        let severity = if *is_error { "error" } else { "warning" };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name}:{line}:{column}: {severity}: {words}");
        if let Some(own) = line.checked_sub(1).and_then(|index| lines.get(index)) {
            // Tabs stay tabs, so that the arrow stands where the person's terminal puts the place.
            let before: String = own.chars().take(column.saturating_sub(1)).map(|letter| if letter == '\t' { '\t' } else { ' ' }).collect();
            let _ = writeln!(text, "{line:>6} | {own}\n{:>6} | {before}^", "");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Mark, marks, shown};

    #[test]
    fn every_driver_is_understood() {
        let error = |line, column, words: &str| Mark { line, column, is_error: true, words: words.to_owned() };
        for log in [
            "<kernel>:3:7: error: use of undeclared identifier 'x'\n  int y = x;\n      ^\n1 error generated.",
            "1:3:7: error: use of undeclared identifier 'x'\n        int y = x;\nCompilation failed",
            "error: /tmp/pocl/tempfile_r3.cl:3:7: use of undeclared identifier 'x'\nDevice cpu failed to build the program",
            "C:\\kernels\\my.cl:3:7: error: use of undeclared identifier 'x'",
            "<source>:3:7: fatal error: use of undeclared identifier 'x'",
        ] {
            assert_eq!(marks(log), vec![error(3, 7, "use of undeclared identifier 'x'")], "{log}");
        }
        let both = "a.cl:9:1: warning: no previous prototype\na.cl:2:1: note: declared here\na.cl:9:1: warning: no previous prototype\na.cl:10:4: error: no";
        assert_eq!(marks(both), vec![Mark { is_error: false, ..error(9, 1, "no previous prototype") }, error(10, 4, "no")]);
        for none in [
            "",
            "1 error generated.",
            "12:30:11 error",
            "/usr/include/opencl-c.h:3:7: error: no",
            "ratio 3:4: error: no",
            "a:1:b: error: no",
        ] {
            assert!(marks(none).is_empty(), "{none}: {:?}", marks(none));
        }
    }

    #[test]
    fn a_mark_stands_under_its_place() {
        let mark = Mark { line: 2, column: 6, is_error: true, words: "no".to_owned() };
        let text = shown(&[mark.clone(), Mark { line: 99, is_error: false, ..mark }], "my.cl", "one\n\tint x = y;\n");
        assert_eq!(text, "my.cl:2:6: error: no\n     2 | \tint x = y;\n       | \t    ^\nmy.cl:99:6: warning: no\n");
    }
}
