//! A text with what each line is: plain source with marked lines, or two sources in one.

use super::lexer::{Class, classify};
use super::palette;
use egui::text::{LayoutJob, TextFormat};
use egui::{FontId, text::TextWrapping};
use kernels::kernel_source::{Diff, LineOp, changed_words};
use std::ops::Range;

/// Unchanged lines that stay around a change where only changes are shown.
const CONTEXT_LINES: usize = 3;

/// One line's numbers and fate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Number in the older source, from 1; `None` where it has no such line, or there is no older one.
    pub old_number: Option<usize>,
    /// Number in the source that is shown, from 1.
    pub new_number: Option<usize>,
    /// Came, went or stayed.
    pub op: LineOp,
}

/// A text whose lines are marked, with its colors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    /// Without a line end at its end, unless it is edited.
    pub text: String,
    /// One for each line of `text`.
    pub lines: Vec<Line>,
    /// Consecutive pieces of `text`.
    pub pieces: Vec<(Range<usize>, Class)>,
    /// Words that changed within their lines, as parts of `text` in order.
    pub words: Vec<(Range<usize>, LineOp)>,
    /// Whether lines have numbers of two sources.
    pub is_difference: bool,
}

impl Listing {
    /// `source` with the lines marked that `before` did not have.
    #[must_use]
    pub fn of_source(source: &str, before: Option<&str>) -> Self {
        Self::of_text(source.trim_end_matches(['\r', '\n']), before)
    }

    /// As [`Listing::of_source`], with all line ends at the end.
    #[must_use]
    pub fn of_text(source: &str, before: Option<&str>) -> Self {
        let mut listing = Self { pieces: classify(source), text: source.to_owned(), ..Self::default() };
        let mut starts = vec![0];
        starts.extend(listing.text.match_indices('\n').map(|(at, _)| at + 1));
        listing.lines = (0..starts.len()).map(|index| Line { old_number: None, new_number: Some(index + 1), op: LineOp::Same }).collect();
        let diff = before.map_or_else(Diff::default, |before| Diff::new(before, source));
        for (line, words) in diff.lines.iter().zip(changed_words(&diff)) {
            let index = line.new_number.filter(|_| line.op == LineOp::Added).map(|number| number - 1);
            let Some((own, start)) = index.and_then(|index| Some((listing.lines.get_mut(index)?, *starts.get(index)?))) else { continue };
            own.op = LineOp::Added;
            listing.words.extend(words.into_iter().map(|word| (start + word.start..start + word.end, LineOp::Added)));
        }
        listing
    }

    /// Both sources in one, removed lines before those that took their place; all lines, or only those near a change.
    #[must_use]
    pub fn of_difference(old: &str, new: &str, only_changes: bool) -> Self {
        let diff = Diff::new(old, new);
        let (old_pieces, new_pieces) = (pieces_of_lines(old), pieces_of_lines(new));
        let keep = kept(&diff, only_changes);
        let mut listing = Self { is_difference: true, ..Self::default() };
        let mut is_gap = false;
        for ((line, words), keep) in diff.lines.iter().zip(changed_words(&diff)).zip(keep) {
            if !keep {
                is_gap = true;
                continue;
            }
            if std::mem::take(&mut is_gap) {
                listing.push("…", &[], Line { old_number: None, new_number: None, op: LineOp::Same });
            }
            // Colors come from the whole source that the line is from: a comment may have begun above.
            let (pieces, number) = match line.op {
                LineOp::Removed => (&old_pieces, line.old_number),
                LineOp::Same | LineOp::Added => (&new_pieces, line.new_number),
            };
            let pieces = number.and_then(|number| pieces.get(number - 1)).map_or(&[][..], Vec::as_slice);
            listing.push(&line.text, pieces, Line { old_number: line.old_number, new_number: line.new_number, op: line.op });
            let start = listing.text.len() - line.text.len();
            listing.words.extend(words.into_iter().map(|word| (start + word.start..start + word.end, line.op)));
        }
        listing
    }

    fn push(&mut self, text: &str, pieces: &[(Range<usize>, Class)], line: Line) {
        if !self.lines.is_empty() {
            self.text.push('\n');
            self.pieces.push((self.text.len() - 1..self.text.len(), Class::Plain));
        }
        let start = self.text.len();
        self.text.push_str(text);
        let mut end = start;
        for (range, class) in pieces {
            let piece = start + range.start..(start + range.end).min(self.text.len());
            if piece.start == end && piece.end > piece.start {
                end = piece.end;
                self.pieces.push((piece, *class));
            }
        }
        if end < self.text.len() {
            self.pieces.push((end..self.text.len(), Class::Plain));
        }
        self.lines.push(line);
    }

    /// The text laid out line by line, never wrapped.
    #[must_use]
    pub fn job(&self, font: &FontId, is_dark: bool) -> LayoutJob {
        let mut job = LayoutJob { wrap: TextWrapping::no_max_width(), ..LayoutJob::default() };
        let mut words = self.words.as_slice();
        for (range, class) in &self.pieces {
            let plain = TextFormat::simple(font.clone(), palette::ink(*class, is_dark));
            let mut at = range.start;
            while at < range.end {
                // Words are in order: those before this place are done with.
                while let Some(((word, _), rest)) = words.split_first()
                    && word.end <= at
                {
                    words = rest;
                }
                let (end, mark) = match words.first() {
                    Some((word, op)) if word.start <= at => (word.end, palette::word_ground(*op, is_dark)),
                    Some((word, _)) => (word.start, None),
                    None => (range.end, None),
                };
                let end = end.min(range.end);
                let format = TextFormat { background: mark.unwrap_or(plain.background), ..plain.clone() };
                job.append(self.text.get(at..end).unwrap_or(""), 0.0, format);
                at = end;
            }
        }
        job
    }

    /// The first line of each run of changed lines, from 0.
    #[must_use]
    pub fn changes(&self) -> Vec<usize> {
        let is_changed = |index: usize| self.lines.get(index).is_some_and(|line| line.op != LineOp::Same);
        (0..self.lines.len()).filter(|&index| is_changed(index) && (index == 0 || !is_changed(index - 1))).collect()
    }

    /// The line of the first kernel function, from 0.
    #[must_use]
    pub fn kernel_line(&self) -> Option<usize> {
        self.text.split('\n').position(|line| line.trim_start().starts_with("__kernel") || line.trim_start().starts_with("kernel "))
    }

    /// How many lines came, and how many went.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        let count = |op| self.lines.iter().filter(|line| line.op == op).count();
        (count(LineOp::Added), count(LineOp::Removed))
    }
}

/// The pieces of each line, relative to the line's begin.
fn pieces_of_lines(source: &str) -> Vec<Vec<(Range<usize>, Class)>> {
    let mut starts = vec![0];
    starts.extend(source.match_indices('\n').map(|(at, _)| at + 1));
    let mut lines: Vec<Vec<(Range<usize>, Class)>> = vec![Vec::new(); starts.len()];
    for (range, class) in classify(source) {
        let first = starts.partition_point(|start| *start <= range.start).saturating_sub(1);
        for (start, line) in starts.iter().zip(&mut lines).skip(first) {
            if *start >= range.end {
                break;
            }
            let end = starts.get(starts.partition_point(|next| next <= start)).map_or(source.len(), |next| next - 1);
            let piece = range.start.max(*start)..range.end.min(end);
            if piece.start < piece.end {
                line.push((piece.start - start..piece.end - start, class));
            }
        }
    }
    lines
}

/// For each line whether it is shown: all, or those near a change.
pub fn kept(diff: &Diff, only_changes: bool) -> Vec<bool> {
    let changes: Vec<usize> = diff.lines.iter().enumerate().filter(|(_, line)| line.op != LineOp::Same).map(|(index, _)| index).collect();
    let is_near = |index: usize| {
        let next = changes.partition_point(|change| *change + CONTEXT_LINES < index);
        changes.get(next).is_some_and(|change| *change <= index + CONTEXT_LINES)
    };
    (0..diff.lines.len()).map(|index| !only_changes || is_near(index)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Class, Line, LineOp, Listing};
    use egui::epaint::text::ByteRangeExt as _;

    const OLD: &str = "int a;\n/* one\n two */\nb;\n";
    const NEW: &str = "int a;\n/* one\n 2 */\nb;\nreturn;\n";

    fn shown(listing: &Listing) -> Vec<(&str, LineOp)> {
        listing.text.split('\n').zip(listing.lines.iter().map(|line| line.op)).collect()
    }

    fn class_of(listing: &Listing, text: &str) -> Class {
        let at = listing.text.find(text).expect("the text");
        listing.pieces.iter().find(|(range, _)| range.contains(&at)).expect("a piece").1
    }

    fn assert_covered(listing: &Listing) {
        let mut end = 0;
        for (range, _) in &listing.pieces {
            assert_eq!(range.start, end, "{listing:?}");
            end = range.end;
        }
        assert_eq!(end, listing.text.len());
        assert_eq!(listing.lines.len(), listing.text.split('\n').count());
    }

    #[test]
    fn new_lines_of_a_source_are_marked() {
        let listing = Listing::of_source(NEW, Some(OLD));
        let marked: Vec<_> = shown(&listing).into_iter().filter(|(_, op)| *op == LineOp::Added).map(|(text, _)| text).collect();
        assert_eq!(marked, [" 2 */", "return;"]);
        assert_covered(&listing);
        assert!(Listing::of_source(NEW, None).lines.iter().all(|line| line.op == LineOp::Same));
    }

    #[test]
    fn a_difference_has_both_sides_with_their_numbers_and_colors() {
        let listing = Listing::of_difference(OLD, NEW, false);
        assert_eq!(
            shown(&listing),
            [
                ("int a;", LineOp::Same),
                ("/* one", LineOp::Same),
                (" two */", LineOp::Removed),
                (" 2 */", LineOp::Added),
                ("b;", LineOp::Same),
                ("return;", LineOp::Added),
            ]
        );
        assert_eq!(listing.lines[4], Line { old_number: Some(4), new_number: Some(4), op: LineOp::Same });
        assert_eq!(listing.counts(), (2, 1));
        assert_eq!(listing.changes(), [2, 5]);
        assert_covered(&listing);
        // Both lines lie inside a comment that began above them.
        assert_eq!((class_of(&listing, " two"), class_of(&listing, " 2 */")), (Class::Comment, Class::Comment));
        assert_eq!(class_of(&listing, "return"), Class::Keyword);
        // Each side has the colors of its own source.
        let listing = Listing::of_difference("/*\nint\n*/\n", "/* */\nint;\n", false);
        assert_eq!((class_of(&listing, "int\n"), class_of(&listing, "int;")), (Class::Comment, Class::Type));
    }

    #[test]
    fn changed_words_are_marked_where_they_stand() {
        let (old, new) = ("int a;\nx = vload4(0, row);\nb;\n", "int a;\nx = vload8(0, row);\nb;\n");
        for (listing, expected) in [
            (Listing::of_source(new, Some(old)), vec![("vload8", LineOp::Added)]),
            (Listing::of_difference(old, new, false), vec![("vload4", LineOp::Removed), ("vload8", LineOp::Added)]),
            (Listing::of_difference(old, new, true), vec![("vload4", LineOp::Removed), ("vload8", LineOp::Added)]),
        ] {
            let marked: Vec<_> = listing.words.iter().map(|(range, op)| (&listing.text[range.clone()], *op)).collect();
            assert_eq!(marked, expected);
            let job = listing.job(&egui::FontId::monospace(14.0), true);
            assert_eq!(job.text, listing.text);
            let grounds: Vec<_> = job
                .sections
                .iter()
                .filter(|section| section.format.background != egui::Color32::TRANSPARENT)
                .map(|section| &job.text[section.byte_range.as_usize()])
                .collect();
            assert_eq!(grounds.concat(), expected.iter().map(|(word, _)| *word).collect::<String>());
        }
    }

    #[test]
    fn only_changes_leaves_far_lines_out() {
        let old = (0..40).map(|number| format!("line {number}")).collect::<Vec<_>>().join("\n") + "\n";
        let new = old.replace("line 20\n", "new 20\n");
        let listing = Listing::of_difference(&old, &new, true);
        let texts: Vec<_> = shown(&listing).into_iter().map(|(text, _)| text).collect();
        assert_eq!(texts, ["…", "line 17", "line 18", "line 19", "line 20", "new 20", "line 21", "line 22", "line 23"]);
        assert_covered(&listing);
    }

    #[test]
    fn equal_and_empty_sources_have_a_listing() {
        for (old, new) in [("", ""), ("a\n", "a\n"), ("", "a\n"), ("a\n", ""), ("a", "a\n"), ("/*", "/* é\r\n*/")] {
            for only_changes in [true, false] {
                let listing = Listing::of_difference(old, new, only_changes);
                assert!(listing.lines.is_empty() || listing.lines.len() == listing.text.split('\n').count(), "{old:?} {new:?} {listing:?}");
            }
            assert_covered(&Listing::of_source(new, Some(old)));
        }
    }
}
