//! A teacher's notes of a lesson, as Markdown: what `kernel-ladder lessons --teacher` prints. No screen of the window has them.

use super::{Lesson, Needs, Shelf};
use base::texts::{filled, language, text};

/// The head's paragraphs: how to run a class, and where the notes are from.
const HEAD: [&str; 8] = [
    "lessons.teacher.about",
    "lessons.teacher.before",
    "lessons.teacher.start",
    "lessons.teacher.predict",
    "lessons.teacher.experiment",
    "lessons.teacher.tasks",
    "lessons.teacher.end",
    "lessons.teacher.made",
];

/// The notes of every built-in lesson under a head on how to run a class: `docs/teaching.md`, in English.
#[must_use]
pub fn all_notes() -> String {
    let shelf = Shelf::default();
    let lessons = shelf.names().into_iter().filter_map(|name| Some((name, shelf.find(name, language())?)));
    let head = HEAD.iter().fold(format!("# {}\n", text("lessons.teacher.title")), |head, key| format!("{head}\n{}\n", text(key)));
    let notes = lessons.filter_map(|(name, lesson)| notes(name, lesson));
    std::iter::once(head).chain(notes).collect::<Vec<_>>().join("\n")
}

/// The notes of one lesson; `None` where it has none.
#[must_use]
pub fn notes(name: &str, lesson: &Lesson) -> Option<String> {
    let notes = lesson.teacher.as_ref()?;
    let title = filled("lessons.cli.entry", &[("name", &name), ("title", &lesson.title)]);
    let goal = filled("lessons.teacher.goal", &[("goal", notes.goal.as_ref().unwrap_or(&lesson.goal))]);
    let plan = notes.plan.iter().map(|step| filled("lessons.teacher.step", &[("minutes", &step.minutes), ("what", &step.what)]));
    let asking = lesson.screens.iter().enumerate().filter(|(_, screen)| screen.item.is_some());
    let answers = asking.zip(&notes.answers).map(|((index, screen), answer)| {
        let key = match screen.device {
            Needs::Any => "lessons.teacher.answer",
            Needs::Gpu => "lessons.teacher.answer-gpu",
            Needs::Cpu => "lessons.teacher.answer-cpu",
        };
        filled(key, &[("number", &(index + 1)), ("title", &screen.title), ("answer", answer)])
    });
    let errors = notes.errors.iter().map(|error| filled("lessons.teacher.error", &[("error", &error.error), ("say", &error.say)]));
    let class = (!notes.class.is_empty()).then(|| filled("lessons.teacher.class", &[("class", &notes.class)]));
    let draw = (!notes.draw.is_empty()).then(|| filled("lessons.teacher.draw", &[("draw", &notes.draw)]));
    let extension = (!notes.extension.is_empty()).then(|| filled("lessons.teacher.extension", &[("extension", &notes.extension)]));
    let parts = [
        Some(format!("## {title}")),
        Some(lesson.about()),
        Some(goal),
        class,
        list("lessons.teacher.plan", plan),
        draw,
        list("lessons.teacher.answers", answers),
        list("lessons.teacher.errors", errors),
        extension,
    ];
    Some(parts.into_iter().flatten().map(|part| format!("{part}\n")).collect::<Vec<_>>().join("\n"))
}

/// Lines under a heading; `None` where there are none.
fn list(heading: &'static str, lines: impl Iterator<Item = String>) -> Option<String> {
    let lines: Vec<String> = lines.map(|line| format!("- {line}")).collect();
    (!lines.is_empty()).then(|| format!("### {}\n\n{}", text(heading), lines.join("\n")))
}
