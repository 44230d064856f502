//! The lines of the source that a change changes, without comments: what a person reads beside a question.

use egui::text::{LayoutJob, TextFormat};
use egui::{Color32, FontId, Label, Stroke, Ui};
use engine::{Target, Task};
use kernels::kernel_source::{self, Diff, LineOp, changed_words};
use model::Abilities;
use std::ops::Range;

/// A line that comes or goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedLine {
    /// Which of the two.
    pub op: LineOp,
    /// The line, without its end.
    pub text: String,
    /// Its words that the other variant does not have, as ranges of bytes.
    pub words: Vec<Range<usize>>,
}

/// What a task's kernel is composed of; `None` for a CPU competitor and for what cannot be composed.
#[must_use]
pub fn source_of(task: &Task, abilities: Abilities) -> Option<std::sync::Arc<str>> {
    let Target::Device { variant, .. } = task.target else { return None };
    kernel_source::compose(task.filter(), &variant, task.setting().on(abilities), &task.spec.parameters).ok()
}

/// A source without comments and empty lines.
#[must_use]
pub fn bare(source: &str) -> String {
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    let code = |line: &str| line.split_once(" //").map_or(line, |(code, _)| code).trim_end().to_owned() + "\n";
    source.lines().filter(is_code).map(code).collect()
}

/// From the kernel function on; what it calls comes behind it.
#[must_use]
pub fn body_first(source: &str) -> String {
    match source.find("__kernel").map(|at| source.split_at(at)) {
        Some((before, kernel)) => format!("{kernel}{before}"),
        None => source.to_owned(),
    }
}

/// The lines that tell the second task's kernel from the first one's.
#[must_use]
pub fn changed_lines((before, after): &(Task, Task), abilities: Abilities) -> Vec<ChangedLine> {
    let Some((old, new)) = source_of(before, abilities).zip(source_of(after, abilities)) else { return Vec::new() };
    let diff = Diff::new(&body_first(&bare(&old)), &body_first(&bare(&new)));
    let words = changed_words(&diff);
    let lines = diff.lines.into_iter().zip(words.into_iter().chain(std::iter::repeat(Vec::new())));
    lines.filter(|(line, _)| line.op != LineOp::Same).map(|(line, words)| ChangedLine { op: line.op, text: line.text, words }).collect()
}

/// Draws a line of code, its changed words underlined in `mark`; it wraps.
pub fn line_ui(ui: &mut Ui, line: &ChangedLine, sign: &str, size: f32, [ink, mark]: [Color32; 2]) {
    let font = FontId::monospace(size);
    let plain = TextFormat::simple(font.clone(), ink);
    let marked = TextFormat { underline: Stroke::new(1.5, mark), ..TextFormat::simple(font, mark) };
    let mut job = LayoutJob::default();
    job.append(sign, 0.0, plain.clone());
    let mut done = 0;
    for word in &line.words {
        if let Some((before, word)) = line.text.get(done..word.start).zip(line.text.get(word.clone())) {
            job.append(before, 0.0, plain.clone());
            job.append(word, 0.0, marked.clone());
        }
        done = word.end;
    }
    job.append(line.text.get(done..).unwrap_or_default(), 0.0, plain);
    ui.add(Label::new(job).wrap());
}

#[cfg(test)]
mod tests {
    use super::{bare, body_first};

    #[test]
    fn comments_and_empty_lines_are_left_out() {
        assert_eq!(body_first("int a;\n__kernel void k()\n"), "__kernel void k()\nint a;\n");
        assert_eq!(bare("// Why.\n\nint a; // why\n  // more\n  a = 1;\n"), "int a;\n  a = 1;\n");
    }
}
