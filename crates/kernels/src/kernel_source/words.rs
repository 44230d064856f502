//! What differs within lines that took each other's place.

use super::diff::{Diff, LineOp, differences};
use std::ops::Range;

/// Lines with less than this in common, from 0 to 1, were written anew: marks on nearly every word of them would say nothing.
const LEAST_IN_COMMON: f32 = 0.3;

/// A line of which more than this share is marked is new as a whole: its own color says that.
const MOST_MARKED: f32 = 0.7;

/// A word, a run of blanks, or one other character of a line: its line, and where it is in it.
type Token<'a> = (&'a str, usize, Range<usize>);

/// For each line of `diff` the words that the lines in its place do not have, as ranges of bytes.
#[must_use]
pub fn changed_words(diff: &Diff) -> Vec<Vec<Range<usize>>> {
    let mut words = vec![Vec::new(); diff.lines.len()];
    let run = |from: usize, op: LineOp| diff.lines.iter().skip(from).take_while(|line| line.op == op).count();
    let mut index = 0;
    while index < diff.lines.len() {
        let removed = index..index + run(index, LineOp::Removed);
        let added = removed.end..removed.end + run(removed.end, LineOp::Added);
        index = added.end.max(index + 1);
        if !removed.is_empty() && !added.is_empty() {
            mark(diff, &tokens(diff, removed), &tokens(diff, added), &mut words);
        }
    }
    for (marks, line) in words.iter_mut().zip(&diff.lines) {
        let marked: usize = marks.iter().map(ExactSizeIterator::len).sum();
        if marked as f32 > MOST_MARKED * line.text.trim().len() as f32 {
            marks.clear();
        }
    }
    words
}

/// Marks what one side has and the other has not.
fn mark(lines: &Diff, old: &[Token<'_>], new: &[Token<'_>], words: &mut [Vec<Range<usize>>]) {
    let found = differences(old.iter().map(|(text, ..)| *text), new.iter().map(|(text, ..)| *text));
    let changed = (found.count_removals() + found.count_additions()) as usize;
    let all = old.len() + new.len();
    if ((all - changed) as f32) < LEAST_IN_COMMON * all as f32 {
        return;
    }
    let removed = old.iter().zip(0..).filter(|(_, index)| found.is_removed(*index)).map(|(token, _)| token);
    let added = new.iter().zip(0..).filter(|(_, index)| found.is_added(*index)).map(|(token, _)| token);
    for (text, line, range) in removed.chain(added) {
        let Some(marks) = words.get_mut(*line).filter(|_| !text.trim().is_empty()) else { continue };
        let between = |last: &Range<usize>| diff_text(lines, *line).get(last.end..range.start).is_some_and(|gap| gap.trim().is_empty());
        match marks.last_mut() {
            // Blanks between two marked words belong to the mark.
            Some(last) if between(last) => last.end = range.end,
            _ => marks.push(range.clone()),
        }
    }
}

fn diff_text(lines: &Diff, index: usize) -> &str {
    lines.lines.get(index).map_or("", |line| line.text.as_str())
}

fn tokens(diff: &Diff, lines: Range<usize>) -> Vec<Token<'_>> {
    let mut all = Vec::new();
    for (index, line) in diff.lines.iter().enumerate().skip(lines.start).take(lines.len()) {
        let mut rest = line.text.as_str();
        while let Some(first) = rest.chars().next() {
            let kind = |letter: char| (letter.is_alphanumeric() || letter == '_', letter.is_whitespace());
            let is_run = kind(first) != (false, false);
            let length = if is_run { rest.find(|letter| kind(letter) != kind(first)).unwrap_or(rest.len()) } else { first.len_utf8() };
            let start = line.text.len() - rest.len();
            let (token, after) = rest.split_at(length);
            all.push((token, index, start..start + length));
            rest = after;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::changed_words;
    use crate::kernel_source::Diff;

    /// The marked words of each line that has any.
    fn marked(old: &str, new: &str) -> Vec<Vec<String>> {
        let diff = Diff::new(old, new);
        let words = changed_words(&diff);
        assert_eq!(words.len(), diff.lines.len());
        let of = |(line, ranges): (&crate::kernel_source::DiffLine, &Vec<std::ops::Range<usize>>)| {
            ranges.iter().map(|range| line.text[range.clone()].to_owned()).collect::<Vec<_>>()
        };
        diff.lines.iter().zip(&words).map(of).filter(|marks| !marks.is_empty()).collect()
    }

    #[test]
    fn the_words_that_changed_are_marked_on_both_sides() {
        assert_eq!(
            marked("  uchar4 é = vload4(0, row);\n", "  uchar8 é = vload8(0, row);\n"),
            [["uchar4", "vload4"], ["uchar8", "vload8"]]
        );
        assert_eq!(marked("a = b + c;\n", "a = b;\n"), [["+ c"]]);
    }

    #[test]
    fn lines_that_came_or_went_alone_and_lines_written_anew_have_no_marks() {
        assert!(marked("one\ntwo\n", "one\n").is_empty());
        assert!(marked("one\n", "one\ntwo = 3\n").is_empty());
        assert!(marked("int sum = 0;\n", "return clamp(left, right)\n").is_empty());
        assert!(marked("same\n", "same\n").is_empty() && marked("", "").is_empty());
    }

    #[test]
    fn words_are_compared_over_a_whole_run_of_lines() {
        let old = "int left = row[x - 1];\nint right = row[x + 1];\n";
        let new = "int left = row[x - 3];\nfloat noise();\nint right = row[x + 3];\n";
        let marked = marked(old, new);
        assert_eq!(
            (marked.len(), &marked[..3]),
            (4, &[["1"], ["1"], ["3"]].map(|words| words.map(str::to_owned).to_vec())[..]),
            "not the line that is new"
        );
        assert!(marked[3].contains(&"3".to_owned()), "{marked:?}");
    }
}
