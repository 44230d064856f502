//! Questions with answers, questions for a number, and tasks.

use super::course::Given;
use super::{CourseAction, with_facts};
use crate::app::action::Action;
use crate::app::experiments::{Stand, Testing};
use crate::app::experiments_ui::{question_ui, result_ui};
use crate::app::glossary::{coded, explained};
use crate::app::labels;
use crate::app::lesson::digit;
use crate::app::state::State;
use crate::app::theme;
use crate::app::widgets::{again_button, name};
use base::texts::{filled, text};
use egui::{Button, Key, RichText, Role, TextEdit, Ui};
use study::experiment;
use study::lessons::{Choose, Goal, Number, Screen};
use study::why::{Condition, Facts, claim_of, sentence_of};
use view::plot::units;

fn push(actions: &mut Vec<Action>, action: CourseAction) {
    actions.push(Action::Course(action));
}

/// Takes the answer back.
fn take_back_button(ui: &mut Ui, actions: &mut Vec<Action>) {
    if ui.button(text("lessons.item.again")).clicked() {
        push(actions, CourseAction::Again);
    }
}

/// That a task was skipped, which can be taken back.
fn skipped_ui(ui: &mut Ui, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(text("lessons.item.skipped")).weak());
        take_back_button(ui, actions);
    });
}

fn skip_button(ui: &mut Ui, actions: &mut Vec<Action>) {
    if ui.button(text("lessons.item.skip")).clicked() {
        push(actions, CourseAction::Give(Given::Skipped));
    }
}

/// A question with answers; after the answer, what refutes the wrong ones. Whether it was answered.
pub fn choose_ui(ui: &mut Ui, state: &State, choose: &Choose, facts: &Facts, actions: &mut Vec<Action>) -> bool {
    explained(ui, &with_facts(&choose.question, facts));
    if state.given() == Some(Given::Skipped) {
        skipped_ui(ui, actions);
        return true;
    }
    let Some(Given::Choice(chosen)) = state.given() else {
        for (index, (say, _)) in choose.answers.iter().enumerate() {
            let label = format!("{}  {}", index + 1, with_facts(say, facts));
            let label = coded(ui, &label, ui.visuals().widgets.inactive.text_color());
            if ui.add(Button::new(label).wrap()).clicked() || digit(ui, index) {
                push(actions, CourseAction::Give(Given::Choice(index)));
            }
        }
        skip_button(ui, actions);
        return false;
    };
    for (index, (say, refuted)) in choose.answers.iter().enumerate() {
        let say = with_facts(say, facts);
        let say = say.trim_end_matches(['.', '。']);
        match refuted {
            None => {
                let key = if index == chosen { "lessons.item.right-chosen" } else { "lessons.item.right" };
                let told = coded(ui, &filled(key, &[("answer", &say)]), theme::right(ui.visuals().dark_mode));
                ui.label(told);
            }
            Some(refuted) => {
                let key = if index == chosen { "window.lesson.you-chose" } else { "window.lesson.not" };
                let refuted = with_facts(refuted, facts);
                let refuted = refuted.trim_end_matches(['.', '。']);
                let told = coded(ui, &filled(key, &[("reason", &say), ("refuted", &refuted)]), ui.visuals().weak_text_color());
                ui.label(told);
            }
        }
    }
    take_back_button(ui, actions);
    true
}

/// A question for a number. Whether it was answered.
pub fn number_ui(ui: &mut Ui, state: &State, number: &Number, facts: &Facts, written: &mut String, actions: &mut Vec<Action>) -> bool {
    explained(ui, &with_facts(&number.question, facts));
    let truth = number.is.value(facts);
    match (state.given(), truth) {
        (Some(given), Some(truth)) => {
            let told = units::number(truth);
            match given {
                Given::Number(given) if number.is_right(given, truth) => {
                    let ink = theme::right(ui.visuals().dark_mode);
                    let values: [(&str, &dyn std::fmt::Display); 2] = [("given", &units::number(given)), ("truth", &told)];
                    ui.label(RichText::new(filled("lessons.item.number-right", &values)).color(ink));
                }
                Given::Number(given) => {
                    ui.label(filled("lessons.item.number-other", &[("given", &units::number(given)), ("truth", &told)]));
                }
                _ => {
                    ui.label(filled("lessons.item.number", &[("truth", &told)]));
                }
            }
            evidence_ui(ui, number.is.facts(), facts);
            take_back_button(ui, actions);
            true
        }
        (given, None) => {
            unknown_ui(ui, state, actions);
            given == Some(Given::Skipped)
        }
        (None, Some(_)) => {
            ui.horizontal(|ui| {
                let edit = ui.add(TextEdit::singleline(written).desired_width(90.0));
                name(&edit, Role::TextInput, text("lessons.item.your-number"), Some(written));
                // Ready to be typed into, once for each screen: who leaves it is not called back.
                let place = state.here().map(|here| (here.name.to_owned(), here.index));
                let is_new = ui.data_mut(|data| data.get_temp::<(String, usize)>(edit.id) != place);
                if let Some(place) = place.filter(|_| is_new) {
                    edit.request_focus();
                    ui.data_mut(|data| data.insert_temp(edit.id, place));
                }
                let is_entered = edit.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
                let given = number_of(written);
                let is_clicked = ui.add_enabled(given.is_some(), Button::new(text("lessons.item.answer"))).clicked();
                if let Some(given) = given.filter(|_| is_clicked || is_entered) {
                    push(actions, CourseAction::Give(Given::Number(given)));
                }
                skip_button(ui, actions);
            });
            keypad_ui(ui, written);
            false
        }
    }
}

/// Digits to press, for who has a mouse or a finger alone.
fn keypad_ui(ui: &mut Ui, written: &mut String) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        for sign in "1234567890.".chars() {
            if ui.add(Button::new(sign.to_string()).min_size(egui::vec2(24.0, 0.0))).clicked() {
                written.push(sign);
            }
        }
        let back = ui.add_enabled(!written.is_empty(), Button::new(RichText::new("←")).min_size(egui::vec2(24.0, 0.0)));
        name(&back, Role::Button, text("lessons.item.erase"), None);
        if back.clicked() {
            written.pop();
        }
    });
}

/// The number that a person wrote: with a comma, a sign of times or of percent, too.
fn number_of(written: &str) -> Option<f64> {
    let bare = written.trim().trim_matches(['×', 'x', '%', '≈', ' ']).replace(',', ".");
    bare.parse::<f64>().ok().filter(|number| number.is_finite())
}

/// What is asked for depends on a run.
fn unknown_ui(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    let is_over_another = state.here().is_some_and(|here| {
        let show = here.screen().and_then(|screen| screen.show.as_ref());
        show.is_some_and(|show| !state.has_picture(show))
    });
    if is_over_another {
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(text("lessons.item.show-first")).weak());
            skip_button(ui, actions);
        });
        return;
    }
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(text("lessons.item.unknown")).weak());
        let is_busy = !state.pending.is_empty();
        let can_run = !state.device_list().is_empty() && !is_busy;
        if ui.add_enabled(can_run, Button::new(text("lessons.item.measure"))).on_hover_text(text("lessons.item.measure-about")).clicked() {
            push(actions, CourseAction::Measure);
        }
        if is_busy {
            ui.spinner();
        }
        skip_button(ui, actions);
    });
}

/// Facts in words, each name once.
fn evidence_ui<'a>(ui: &mut Ui, names: impl Iterator<Item = &'a str>, facts: &Facts) {
    let mut bare: Vec<&str> = names.map(|name| name.rsplit('.').next().unwrap_or(name)).collect();
    bare.dedup();
    for line in bare.into_iter().filter_map(|name| facts.evidence(name)) {
        ui.label(RichText::new(line).monospace().size(12.5).weak());
    }
}

/// Something to reach by changing what is shown. Whether it was reached or skipped.
pub fn task_ui(ui: &mut Ui, state: &State, goal: &Goal, facts: &Facts, actions: &mut Vec<Action>) -> bool {
    explained(ui, &with_facts(&goal.goal, facts));
    let given = state.given();
    if given.is_none() {
        // What was chosen before the screen came is no answer.
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(text("lessons.item.begin")).weak());
            skip_button(ui, actions);
        });
        return false;
    }
    let holds: Vec<Option<bool>> = goal.when.iter().map(|condition| condition.holds(facts)).collect();
    evidence_ui(ui, goal.when.iter().flat_map(Condition::facts), facts);
    let is_reached = holds.iter().all(|holds| *holds == Some(true));
    // Of a gap that was given up the program may have put in what reaches it.
    let is_given_up = goal.gap.is_some() && given == Some(Given::Skipped);
    if is_reached && is_given_up {
        skipped_ui(ui, actions);
        return true;
    }
    if is_reached && given != Some(Given::Done) {
        push(actions, CourseAction::Give(Given::Done));
    }
    if is_reached || given == Some(Given::Done) {
        ui.label(RichText::new(text("lessons.item.reached")).color(theme::right(ui.visuals().dark_mode)).strong());
        if !is_reached || goal.gap.is_some() {
            take_back_button(ui, actions);
        }
        return true;
    }
    let likely = facts.most_likely();
    let is_likely = goal.is_reached(&likely);
    let waits = goal.gap.is_some() && state.waits_for_consent().is_some();
    // An edited kernel is tried by itself.
    if given == Some(Given::Skipped) {
        skipped_ui(ui, actions);
    } else if waits {
        ui.horizontal_wrapped(|ui| {
            ui.label(filled("lessons.item.waits", &[("button", &labels::trust_folder())]));
            skip_button(ui, actions);
        });
    } else if is_likely {
        let words = state.goal_comparison(goal.gap.is_some()).unwrap_or_default();
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(filled("lessons.item.probably", &[("words", &words)])).strong());
            again_button(ui, state, || Action::Course(CourseAction::MeasureAgain), actions);
            skip_button(ui, actions);
        });
    } else if holds.contains(&None) && goal.gap.is_none() && is_unchanged(state) {
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(text("course.change-first")).weak());
            skip_button(ui, actions);
        });
    } else if holds.contains(&None) && goal.gap.is_none() {
        unknown_ui(ui, state, actions);
    } else {
        ui.horizontal_wrapped(|ui| {
            ui.label(text(goal.gap.as_ref().map_or("lessons.item.not-yet", |gap| state.not_yet(gap))));
            skip_button(ui, actions);
        });
    }
    if !goal.hint.is_empty() {
        // Closed on each screen.
        let place = state.here().map(|here| (here.name.to_owned(), here.index));
        let hint = egui::CollapsingHeader::new(text("lessons.item.hint")).id_salt(("hint", place.clone()));
        hint.show(ui, |ui| explained(ui, &with_facts(&goal.hint, facts)));
    }
    if let Some(gap) = &goal.gap {
        let place = state.here().map(|here| (here.name.to_owned(), here.index));
        let solution = egui::CollapsingHeader::new(text("course.solution")).id_salt(("solution", place));
        solution.show(ui, |ui| {
            ui.label(RichText::new(without_indent(&gap.take)).monospace());
            if ui.button(text("course.insert-solution")).on_hover_text(text("course.insert-solution-about")).clicked() {
                push(actions, CourseAction::InsertSolution);
            }
        });
    }
    given == Some(Given::Skipped)
}

/// Lines of code without the blanks that all of them begin with.
fn without_indent(code: &str) -> String {
    let blanks = |line: &str| line.len() - line.trim_start().len();
    let indent = code.lines().filter(|line| !line.trim().is_empty()).map(blanks).min().unwrap_or(0);
    code.lines().map(|line| line.get(indent..).unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Whether what is chosen is still what the task begins with.
fn is_unchanged(state: &State) -> bool {
    let pair = state.here().and_then(|here| state.screen_pair(here.screen()?));
    pair.is_some_and(|(before, after)| before == after)
}

/// The experiment that tests an explanation of what the screen compares: what it will show, then what it shows. Whether it is over.
pub fn experiment_ui(ui: &mut Ui, state: &State, screen: &Screen, rule: &str, facts: &Facts, actions: &mut Vec<Action>) -> bool {
    // What the file names was held to both when it was read.
    let (Some(definition), Some(show)) = (experiment::likely(rule, facts), &screen.show) else { return true };
    let say = facts.fill(sentence_of(rule)).unwrap_or_else(|| with_facts(claim_of(rule), facts));
    explained(ui, &filled("experiments.ask.explanation", &[("say", &say)]));
    if state.why_not_shown(show).is_some() {
        return true;
    }
    let pair = state.screen_pair(screen);
    let asked = pair.as_ref().and_then(|pair| state.experiments.of(pair, rule));
    match (asked, pair.as_ref()) {
        (Some(asked), Some(pair)) if !matches!(asked.stand, Stand::Asked | Stand::Ended) => {
            let is_over = result_ui(ui, asked, definition);
            if is_over && ui.button(text("lessons.item.again")).clicked() {
                actions.push(Action::TestReason(Box::new(pair.clone()), rule.to_owned(), Testing::Ask));
            }
            is_over
        }
        _ => {
            question_ui(ui, definition, |expected| push(actions, CourseAction::Test(expected)));
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::number_of;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (written, number) in [
            ("27", Some(27.0)),
            (" 1,8 ", Some(1.8)),
            ("×15", Some(15.0)),
            ("3 x", Some(3.0)),
            ("20 %", Some(20.0)),
            ("", None),
            ("many", None),
            ("inf", None),
        ] {
            assert_eq!(number_of(written), number, "{written}");
        }
    }
}
