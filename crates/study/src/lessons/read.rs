//! From a file's text to a lesson, or to everything that is wrong with it.

use super::claims;
use super::rows::{ChooseRow, GapRow, LessonRow, NotesRow, NumberRow, RecordRow, ScreenRow, TaskRow};
use super::{Choose, CommonError, Gap, Goal, Item, Lesson, MOST_KNOWN, Notes, Number, Part, Record, Screen, Show, Step};
use crate::experiment::tested_rules;
use crate::why::{Condition, Formula, fact_names, is_known, rule_ids};
use base::expr::{self, Expr};
use base::fault::{Fault, say};
use base::foreign::plain;
use base::texts::meant;
use kernels::filters;
use kernels::filters::FilterIdExt;
use kernels::filters::SettingExt;
use kernels::kernel_source;
use model::Setting;
use std::fmt::Display;
use toml::Spanned;

/// Reads a lesson.
///
/// # Errors
/// What is wrong with it, in the order of the file: everything, unless that is very much. What is no TOML ends the reading: then there is one fault.
pub fn read(text: &str) -> Result<Lesson, Vec<Fault>> {
    let row: LessonRow = toml::from_str(text).map_err(|error| vec![Fault::of_toml(text, &error)])?;
    let mut reader = Reader { text, usual: &row, faults: Vec::new() };
    let lesson = reader.lesson();
    let mut faults = reader.faults;
    faults.sort_by_key(|fault| (fault.line, fault.column));
    if faults.is_empty() { Ok(lesson) } else { Err(faults) }
}

/// Which facts a text may name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    /// Those of the device.
    Device,
    /// And those of what is shown.
    After,
    /// And those of what it is compared with.
    Both,
}

pub(super) struct Reader<'a> {
    text: &'a str,
    pub(super) usual: &'a LessonRow,
    faults: Vec<Fault>,
}

/// More faults are not told: nobody mends so many before reading the file again.
const MOST_FAULTS: usize = 100;

impl Reader<'_> {
    fn is_full(&self) -> bool {
        self.faults.len() >= MOST_FAULTS
    }

    /// Notes a fault at a byte of the file.
    pub(super) fn fault(&mut self, byte: usize, why: String, remedy: String) {
        if self.is_full() {
            return;
        }
        self.faults.push(Fault::at(self.text, byte, why, remedy));
    }

    /// Notes a fault by the keys of what is wrong and of what to do.
    pub(super) fn tell(&mut self, byte: usize, why: &'static str, values: &[(&str, &dyn Display)], remedy: &'static str) {
        self.fault(byte, say(why, values), say(remedy, &[]));
    }

    fn lesson(&mut self) -> Lesson {
        let row = self.usual;
        let starts = row.start.iter().map(|screen| (Part::Start, screen));
        let middles = row.screens.iter().map(|screen| (Part::Middle, screen));
        let ends = row.end.iter().map(|screen| (Part::End, screen));
        let screens: Vec<_> = starts.chain(middles).chain(ends).collect();
        if screens.is_empty() {
            self.tell(row.title.span().start, "lessons.fault.no-screen", &[], "lessons.fault.write-screen");
        }
        let screens: Vec<_> = screens.into_iter().enumerate().map(|(index, (part, screen))| self.screen(index, part, screen)).collect();
        Lesson {
            title: self.words(&row.title, Names::Device),
            goal: self.words(&row.goal, Names::Device),
            minutes: row.minutes,
            device: row.device,
            known: self.known(&row.known),
            teacher: row.teacher.as_ref().map(|notes| self.notes(notes, &screens)),
            screens,
        }
    }

    fn known(&mut self, rows: &[Spanned<String>]) -> Vec<String> {
        if let Some(more) = rows.get(MOST_KNOWN) {
            self.tell(more.span().start, "lessons.fault.many-known", &[("most", &MOST_KNOWN)], "lessons.fault.write-known");
        }
        rows.iter().map(|row| self.note(row)).collect()
    }

    fn notes(&mut self, row: &NotesRow, screens: &[Screen]) -> Notes {
        let (answers, items) = (row.answers.get_ref(), screens.iter().filter(|screen| screen.item.is_some()).count());
        // A screen with a fault may have lost its item.
        if self.faults.is_empty() && answers.len() != items {
            let values: [(&str, &dyn Display); 2] = [("count", &answers.len()), ("items", &items)];
            self.tell(row.answers.span().start, "lessons.fault.answers", &values, "lessons.fault.write-answers");
        }
        let plan = row.plan.iter().map(|step| Step { minutes: step.minutes, what: self.note(&step.what) });
        let plan = plan.collect();
        let errors = row.errors.iter().map(|row| CommonError { error: self.note(&row.error), say: self.note(&row.say) });
        let errors = errors.collect();
        Notes {
            goal: row.goal.as_ref().map(|goal| self.note(goal)),
            class: row.class.as_ref().map_or_else(String::new, |class| self.note(class)),
            plan,
            draw: row.draw.as_ref().map_or_else(String::new, |draw| self.note(draw)),
            answers: answers.iter().map(|answer| self.note(answer)).collect(),
            errors,
            extension: row.extension.as_ref().map_or_else(String::new, |extension| self.note(extension)),
        }
    }

    /// A text that is read where no facts are known.
    fn note(&mut self, text: &Spanned<String>) -> String {
        if let Some(name) = named(text.get_ref()).next() {
            let written = self.text.get(text.span()).unwrap_or_default();
            let byte = text.span().start + written.find(&format!("{{{name}}}")).unwrap_or(0);
            self.tell(byte, "lessons.fault.note-fact", &[("name", &name)], "lessons.fault.write-note");
        } else if text.get_ref().trim().is_empty() {
            self.tell(text.span().start, "lessons.fault.empty", &[], "lessons.fault.write-text");
        }
        plain(&joined(text.get_ref())).into_owned()
    }

    fn screen(&mut self, index: usize, part: Part, row: &ScreenRow) -> Screen {
        let has_against = row.show.as_ref().is_some_and(|show| show.get_ref().against.is_some());
        let names = match (&row.show, &row.task) {
            (None, _) => Names::Device,
            (Some(_), Some(_)) => Names::Both,
            (Some(_), None) if has_against => Names::Both,
            (Some(_), None) => Names::After,
        };
        let show = row.show.as_ref().and_then(|show| self.show(show.get_ref()));
        self.hold_gap(row, show.as_ref());
        Screen {
            part,
            title: self.words(&row.title, Names::Device),
            text: self.paragraphs(&row.text, names),
            device: row.device,
            show,
            item: self.item(index, row, names),
            record: row.record.as_ref().and_then(|record| self.record(record)),
            then: row.then.as_ref().map_or_else(Vec::new, |then| self.paragraphs(then, names)),
            step: None,
        }
    }

    /// Holds what a task takes out of a kernel to the kernel.
    fn hold_gap(&mut self, row: &ScreenRow, show: Option<&Show>) {
        let gap = row.task.as_ref().and_then(|task| task.get_ref().gap.as_ref());
        let (Some(gap), Some(show)) = (gap, show) else { return };
        let kernel = kernel_source::compose(show.spec.filter.filter(), &show.variant, Setting::of(&show.spec), &show.spec.parameters);
        // A variant that is not allowed is a fault already.
        if kernel.is_ok_and(|kernel| gap_of(gap.get_ref()).cut(&kernel).is_none()) {
            self.tell(gap.span().start, "lessons.fault.no-gap", &[("variant", &show.variant)], "lessons.fault.write-gap");
        }
    }

    /// One sentence or a few.
    fn words(&mut self, text: &Spanned<String>, names: Names) -> String {
        if text.get_ref().trim().is_empty() {
            self.tell(text.span().start, "lessons.fault.empty", &[], "lessons.fault.write-text");
        }
        self.hold_facts(text, names);
        plain(&joined(text.get_ref())).into_owned()
    }

    fn paragraphs(&mut self, text: &Spanned<String>, names: Names) -> Vec<String> {
        self.words(text, names);
        let mut paragraphs: Vec<Vec<&str>> = vec![Vec::new()];
        for line in text.get_ref().lines() {
            match (line.trim(), paragraphs.last_mut()) {
                ("", _) => paragraphs.push(Vec::new()),
                (line, Some(last)) => last.push(line),
                _ => {}
            }
        }
        paragraphs.iter().filter(|lines| !lines.is_empty()).map(|lines| plain(&joined(&lines.join("\n"))).into_owned()).collect()
    }

    /// Holds the facts that a text names in braces to those that there are.
    fn hold_facts(&mut self, text: &Spanned<String>, names: Names) {
        for name in named(text.get_ref()) {
            if self.is_full() {
                return;
            }
            // In the file as it is written, so that the place is right.
            let span = text.span();
            let written = self.text.get(span.clone()).unwrap_or_default();
            let byte = span.start + written.find(&format!("{{{name}}}")).unwrap_or(0);
            self.hold_fact(byte, name, names);
        }
    }

    fn hold_fact(&mut self, byte: usize, name: &str, names: Names) {
        if !is_known(name) {
            self.fault(byte, say("lessons.fault.no-fact", &[("name", &name)]), meant(name, fact_names()));
        } else if name.starts_with("after.") && names == Names::Device {
            self.tell(byte, "lessons.fault.nothing-shown", &[("name", &name)], "lessons.fault.write-show");
        } else if name.starts_with("before.") && names != Names::Both {
            self.tell(byte, "lessons.fault.nothing-before", &[("name", &name)], "lessons.fault.write-against");
        }
    }

    fn item(&mut self, index: usize, row: &ScreenRow, names: Names) -> Option<Item> {
        let predict = row.predict.as_ref().filter(|predict| *predict.get_ref());
        let places = [
            predict.map(|predict| predict.span().start),
            row.choose.as_ref().map(|row| row.span().start),
            row.number.as_ref().map(|row| row.span().start),
            row.task.as_ref().map(|row| row.span().start),
            row.experiment.as_ref().map(|row| row.span().start),
        ];
        if let Some(second) = places.iter().flatten().nth(1) {
            self.tell(*second, "lessons.fault.two-items", &[], "lessons.fault.split-screen");
        }
        let has_show = row.show.is_some();
        let needs_show = [places[0], places[3], places[4]].into_iter().flatten().next();
        if let Some(place) = needs_show.filter(|_| !has_show) {
            self.tell(place, "lessons.fault.no-show", &[], "lessons.fault.write-show");
        }
        if let Some(predict) = predict {
            if has_show && names != Names::Both {
                self.tell(predict.span().start, "lessons.fault.predict-one", &[], "lessons.fault.write-against");
            }
            return Some(Item::Predict);
        }
        if let Some(choose) = &row.choose {
            return Some(Item::Choose(self.choose(index, choose, names)));
        }
        if let Some(number) = &row.number {
            return self.number(number.get_ref(), names).map(Item::Number);
        }
        if let Some(rule) = &row.experiment {
            if has_show && names != Names::Both {
                self.tell(rule.span().start, "lessons.fault.experiment-one", &[], "lessons.fault.write-against");
            }
            return self.experiment(rule);
        }
        row.task.as_ref().map(|task| Item::Task(self.task(task.get_ref(), names)))
    }

    /// An explanation that an experiment tests.
    fn experiment(&mut self, rule: &Spanned<String>) -> Option<Item> {
        let name = rule.get_ref().as_str();
        if tested_rules().any(|known| known == name) {
            return Some(Item::Experiment(name.to_owned()));
        }
        let key = if rule_ids().any(|known| known == name) { "lessons.fault.no-experiment" } else { "lessons.fault.no-rule" };
        self.fault(rule.span().start, say(key, &[("name", &name)]), meant(name, tested_rules()));
        None
    }

    fn choose(&mut self, index: usize, row: &Spanned<ChooseRow>, names: Names) -> Choose {
        let (span, row) = (row.span(), row.get_ref());
        if row.wrong.is_empty() {
            self.tell(span.start, "lessons.fault.no-wrong", &[], "lessons.fault.write-wrong");
        }
        let question = self.words(&row.question, names);
        let right = (self.words(&row.right, names), None);
        let mut answers: Vec<_> =
            row.wrong.iter().map(|wrong| (self.words(&wrong.say, names), Some(self.words(&wrong.refuted, names)))).collect();
        // In another place on each screen, and in the same one in every language.
        answers.insert((2 * index + 1) % (answers.len() + 1), right);
        Choose { question, answers }
    }

    fn number(&mut self, row: &NumberRow, names: Names) -> Option<Number> {
        let question = self.words(&row.question, names);
        let is = self.expression(&row.is, Expr::number, names).map(Formula)?;
        Some(Number { question, is, tolerance: row.tolerance.max(0.0) })
    }

    /// An expression over facts; `None` where it has a fault.
    fn expression(&mut self, text: &Spanned<String>, read: impl FnOnce(&str) -> Result<Expr, expr::Fault>, names: Names) -> Option<Expr> {
        let (span, text) = (text.span(), text.get_ref().as_str());
        // In the file as it is written, behind the quote; where it is written with escapes, the quote itself.
        let begin = self.text.get(span.clone()).and_then(|written| written.find(text)).map(|quote| span.start + quote);
        let byte = |column: usize| {
            let within = text.char_indices().nth(column - 1).map_or(text.len(), |(within, _)| within);
            begin.map_or(span.start, |begin| begin + within)
        };
        let expr = read(text).map_err(|fault| self.fault(byte(fault.column), fault.sentence, String::new())).ok()?;
        for (name, column) in expr.names() {
            self.hold_fact(byte(column), name, names);
        }
        Some(expr)
    }

    fn task(&mut self, row: &TaskRow, names: Names) -> Goal {
        // What is shown is compared with what is chosen, where anything is shown.
        let conditions = row.when.iter().filter_map(|condition| self.expression(condition, Expr::condition, Names::Both));
        let when = conditions.map(Condition).collect();
        if row.when.is_empty() {
            self.tell(row.goal.span().start, "lessons.fault.no-condition", &[], "lessons.fault.write-condition");
        }
        let hint = row.hint.as_ref().map_or_else(String::new, |hint| self.words(hint, names));
        let goal = self.words(&row.goal, names);
        Goal { goal, when, hint, local_size: row.local_size, gap: row.gap.as_ref().map(|gap| gap_of(gap.get_ref())) }
    }

    fn record(&mut self, row: &RecordRow) -> Option<Record> {
        let (name, key) = (row.ladder.get_ref().as_str(), row.step.get_ref().as_str());
        let Some(ladder) = filters::ladder(name) else {
            let remedy = meant(name, filters::ladders().map(|ladder| ladder.name));
            self.fault(row.ladder.span().start, say("lessons.fault.no-ladder", &[("name", &name)]), remedy);
            return None;
        };
        let Some(step) = ladder.steps.iter().position(|step| step.key == key) else {
            let remedy = meant(key, ladder.steps.iter().map(|step| step.key.as_str()));
            self.fault(row.step.span().start, say("lessons.fault.no-step", &[("name", &key)]), remedy);
            return None;
        };
        let page = row.page.get_ref().as_str();
        let Some(claimed) = claims::find(page, ladder, step) else {
            let remedy = meant(page, claims::pages());
            self.fault(row.page.span().start, say("lessons.fault.no-page", &[("name", &page)]), remedy);
            return None;
        };
        Some(Record { page: page.to_owned(), ladder, step, claimed })
    }
}

fn gap_of(row: &GapRow) -> Gap {
    Gap { take: row.take.trim_matches('\n').to_owned(), leave: row.leave.trim_matches('\n').to_owned() }
}

/// The names in braces.
pub(super) fn named(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|part| part.split_once('}').map(|(name, _)| name))
}

/// Lines as one: Chinese and its punctuation need no blank between them.
fn joined(text: &str) -> String {
    // From the first block of Chinese signs on; its punctuation has its own room.
    let is_wide = |letter: char| letter >= '\u{2e80}';
    let is_stop = |letter: char| ('\u{3000}'..'\u{3040}').contains(&letter) || letter >= '\u{ff00}';
    text.lines().map(str::trim).filter(|line| !line.is_empty()).fold(String::new(), |mut all, line| {
        let is_tight = all.ends_with(is_wide) && line.starts_with(is_wide) || all.ends_with(is_stop) || line.starts_with(is_stop);
        if !all.is_empty() && !is_tight {
            all.push(' ');
        }
        all + line
    })
}
