//! A lesson as a page to print: its steps, what was predicted and what was seen, the lines of code that changed, the times as a chart.

use super::changed::{ChangedLine, changed_lines};
use super::glossary::pieces;
use super::lesson::{Told, summary_of};
use super::state::State;
use base::texts::{filled, text};
use engine::device::DeviceInfo;
use kernels::kernel_source::LineOp;
use report::document;
use std::fmt::{Display, Write as _};
use study::lessons::Screen;
use study::predict::Guess;
use view::plot::{self, Entry, Options, units};
use view::story::html::{Page, escaped};

/// What the page is made of; laying it out is for the file thread.
#[derive(Clone, Debug)]
pub struct Handout {
    title: String,
    lead: Vec<String>,
    parts: Vec<Part>,
    entries: Vec<Entry<'static>>,
    options: Options,
}

/// One screen.
#[derive(Clone, Debug)]
struct Part {
    title: String,
    texts: Vec<String>,
    lines: Vec<ChangedLine>,
    seen: Vec<String>,
}

/// A text in HTML.
fn with_code(line: &str) -> String {
    let of = |(piece, is_code): (&str, bool)| if is_code { format!("<code>{}</code>", escaped(piece)) } else { escaped(piece) };
    pieces(line).into_iter().map(of).collect()
}

/// More changed lines are read in the program.
const MOST_LINES: usize = 24;

impl Handout {
    /// The page, as HTML.
    #[must_use]
    pub fn html(&self) -> String {
        let mut page = Page::default();
        for line in &self.lead {
            page.paragraph(line);
        }
        if !self.entries.is_empty() {
            page.section("times", text("course.handout.times"));
            page.add(&plot::plot_svg(&self.entries, &self.options));
        }
        for (index, part) in self.parts.iter().enumerate() {
            page.section(&format!("screen-{}", index + 1), &part.title);
            for line in &part.texts {
                page.add(&format!("<p>{}</p>\n", with_code(line)));
            }
            for line in &part.seen {
                page.add(&format!("<p><strong>{}</strong></p>\n", escaped(line)));
            }
            if !part.lines.is_empty() {
                let sign = |line: &ChangedLine| if line.op == LineOp::Added { '+' } else { '−' };
                let mut code = String::new();
                for line in part.lines.iter().take(MOST_LINES) {
                    // Writing to a string never fails.
                    let _ = writeln!(code, "{} {}", sign(line), escaped(&line.text));
                }
                if part.lines.len() > MOST_LINES {
                    code += &escaped(&filled("course.code.others", &[("count", &(part.lines.len() - MOST_LINES))]));
                }
                page.add(&format!("<pre>{code}</pre>\n"));
            }
        }
        document(&self.title, &page)
    }
}

impl State {
    /// The lesson that is open, as a page.
    #[must_use]
    pub fn handout(&self) -> Option<Handout> {
        let here = self.here()?;
        let told = |(index, screen): (usize, &Screen)| self.lesson.told_at(here.name, index, screen);
        let screens = here.lesson.screens.iter().enumerate();
        let predicted: Vec<_> = screens.clone().filter_map(told).map(|told| told.predicted.clone()).collect();
        let device = self.device_or_first().map(DeviceInfo::label).unwrap_or_default();
        let mut lead = vec![here.lesson.goal.clone(), filled("course.handout.device", &[("device", &device)])];
        lead.extend(summary_of(&predicted));
        let parts = screens.map(|(index, screen)| self.part(&here.lesson, screen, told((index, screen)))).collect();
        let entries = super::timings::plotted(self);
        Some(Handout { title: here.lesson.title.clone(), lead, parts, entries, options: self.settings.timings.options.clone() })
    }

    fn part(&self, lesson: &study::lessons::Lesson, screen: &Screen, told: Option<&Told>) -> Part {
        let facts = self.screen_facts(lesson, screen);
        let filled_in = |line: &String| super::lessons_panel::with_facts(line, &facts);
        let pair = screen.show.as_ref().and_then(|show| self.against_task(show).zip(self.shown_task(show)));
        let lines = pair.map_or_else(Vec::new, |pair| changed_lines(&pair, self.abilities_of(&pair.1)));
        let mut texts: Vec<String> = screen.text.iter().map(filled_in).collect();
        let mut seen = Vec::new();
        if let Some(told) = told {
            if let Some(guess) = told.predicted.guess.map(Guess::label) {
                seen.push(filled("course.handout.predicted", &[("guess", &guess)]));
            }
            let words: &dyn Display = &units::outcome(&told.compared.comparison, told.compared.busy);
            seen.push(filled("course.handout.seen", &[("words", words)]));
            seen.extend(told.reasons.first().map(study::why::Reason::line));
        }
        // What comes after the answer is printed only where there was one.
        if told.is_some() || screen.item.is_none() {
            texts.extend(screen.then.iter().map(filled_in));
        }
        Part { title: screen.title.clone(), texts, lines, seen }
    }
}

#[cfg(test)]
mod tests {
    use crate::app::lesson::Answer;
    use crate::app::lesson::tests::{begun, lesson, next, outcome};
    use model::measure::Verdict;
    use study::predict::Change;

    #[test]
    fn code_in_a_text_is_code_in_html() {
        assert_eq!(super::with_code("`a<b` and c"), "<code>a&lt;b</code> and c");
        assert_eq!(super::with_code("one ` alone"), "one ` alone");
    }

    #[test]
    fn a_handout_has_what_was_predicted_and_seen_and_what_was_not_asked_stays_open() {
        let mut state = begun();
        let _ = next(&mut state);
        let _ = lesson(&mut state, Answer::Guess(Change::MuchFaster));
        outcome(&mut state, Verdict::Faster, [1.6, 1.7, 1.8]);
        let page = state.handout().expect("a lesson").html();
        assert!(page.contains("1.70× (1.60–1.80)") && page.contains("much faster") && page.contains("<pre>"), "{page}");
        let ladder = study::lessons::ladder_of("ladder:mali-t600").expect("known");
        assert!(page.contains(&view::plot::escaped(ladder.steps[1].why())));
        assert!(!page.contains(&view::plot::escaped(ladder.steps[3].why())), "not before it is answered");
    }
}
