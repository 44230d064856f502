//! Draws the lesson: question, outcome, reason, and the table of all steps at the end.

use super::axis::axis_ui;
use super::elsewhere::elsewhere_ui;
use super::vote_ui::{vote_ui, votes_ui};
use super::{About, Answer, Open, Phase, Told};
use crate::app::action::{Action, Command};
use crate::app::experiments_ui::test_ui;
use crate::app::state::State;
use crate::app::theme::space;
use crate::app::widgets::{again_button, command_button};
use base::texts::{filled, text};
use egui::{Button, CollapsingHeader, Color32, Key, Label, RichText, Ui};
use engine::Task;
use model::measure::Verdict;
use std::fmt::Display;
use study::BOTTLENECK;
use study::predict::{Change, Predicted, is_decided, score, summarize};
use study::why::{self, Facts, Level, Reason};
use view::plot::units;

/// The question, the run, and what was seen, with the reason.
pub fn asked_ui(ui: &mut Ui, state: &State, open: &Open, compared_with: &str, actions: &mut Vec<Action>) {
    match &open.phase {
        Phase::Asked => {
            counts_ui(ui, &open.changes.facts);
            ui.add_space(space::SMALL);
            ui.label(RichText::new(filled("window.lesson.question", &[("step", &compared_with)])).strong());
            match &open.vote {
                Some(vote) => vote_ui(ui, vote, actions),
                None => guesses_ui(ui, open, actions),
            }
        }
        Phase::Running(guess) => {
            if let Some(guess) = guess {
                ui.label(filled("window.lesson.you-said", &[("guess", &guess.label())]));
            }
            let progress = state.pending.last().and_then(|pending| pending.progress.as_ref());
            let progress = progress.map_or_else(
                || text("window.lesson.waiting").to_owned(),
                |(done, total, what)| filled("window.lesson.progress", &[("what", what), ("done", done), ("total", total)]),
            );
            if state.pending.is_empty() {
                ui.label(text("course.stopped"));
                again_button(ui, state, || Action::Lesson(Answer::Again), actions);
            } else {
                ui.horizontal_wrapped(|ui| {
                    ui.spinner();
                    ui.label(filled("window.lesson.running", &[("progress", &progress)]));
                });
            }
        }
        Phase::Seen(told) => {
            outcome_ui(ui, told, compared_with);
            // An interval that touches two categories is scored, and may still be inconclusive.
            if !is_decided(&told.predicted.truth) || told.compared.comparison.verdict == Verdict::Unclear {
                again_button(ui, state, || Action::Lesson(Answer::Again), actions);
            }
            let asks = reason_ui(ui, state, told, actions);
            if let (false, About::Step { ladder, step, .. }) = (asks, &open.about) {
                elsewhere_ui(ui, state, ladder, *step);
            }
        }
    }
}

/// The five guesses, with their keys.
fn guesses_ui(ui: &mut Ui, open: &Open, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        for (number, change) in (1..).zip(Change::ALL) {
            if ui.add(Button::new(format!("{number}  {}", change.label()))).clicked() {
                actions.push(Action::Lesson(Answer::Guess(change)));
            }
        }
        let mut is_sure = open.is_sure;
        if ui.checkbox(&mut is_sure, text("window.lesson.sure")).changed() {
            actions.push(Action::Lesson(Answer::Sure(is_sure)));
        }
        if ui.button(text("window.lesson.skip")).on_hover_text(text("window.lesson.skip-about")).clicked() {
            actions.push(Action::Lesson(Answer::Skip));
        }
    });
    if ui.ctx().memory(|memory| memory.focused().is_none()) {
        let keys = [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5];
        ui.input(|input| {
            let guesses = keys.into_iter().zip(Change::ALL).filter(|(key, _)| input.key_pressed(*key));
            actions.extend(guesses.map(|(_, change)| Action::Lesson(Answer::Guess(change))));
            if input.key_pressed(Key::S) && input.modifiers.is_none() {
                actions.push(Action::Lesson(Answer::Sure(!open.is_sure)));
            }
        });
    }
}

/// Whether the digit of an answer was pressed, with no field to type it into.
#[must_use]
pub fn digit(ui: &Ui, index: usize) -> bool {
    let keys = [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5, Key::Num6, Key::Num7, Key::Num8, Key::Num9];
    let is_free = ui.memory(|memory| memory.focused().is_none());
    is_free && keys.get(index).is_some_and(|key| ui.input(|input| input.modifiers.is_none() && input.key_pressed(*key)))
}

/// Three counts at most, of those that change.
fn counts_ui(ui: &mut Ui, facts: &Facts) {
    let names = ["loads", "operations", "work_items", "loaded_bytes", "stores", "local_bytes", "passes"];
    let changes = |name: &&str| facts.get(&format!("before.{name}")) != facts.get(&format!("after.{name}"));
    let changed: Vec<String> = names.iter().filter(|name| changes(name)).filter_map(|name| facts.evidence(name)).take(3).collect();
    // Where loads are not counted at all, nothing is known to be unchanged.
    if changed.is_empty() && facts.get("after.loads").is_some() {
        ui.label(RichText::new(text("window.lesson.nothing-counted")).weak());
    }
    for fact in changed {
        ui.label(RichText::new(fact).monospace());
    }
}

/// The result beside the guess.
pub fn outcome_ui(ui: &mut Ui, told: &Told, compared_with: &str) {
    let comparison = &told.compared.comparison;
    let result = filled("window.lesson.here", &[("step", &compared_with), ("words", &units::outcome(comparison, told.compared.busy))]);
    ui.label(RichText::new(result).strong());
    if let Some(one_run) = comparison.one_run() {
        ui.label(RichText::new(one_run).small().weak());
    }
    let guess = told.predicted.guess;
    axis_ui(ui, guess.map(|guess| guess.change), comparison);
    if let Some(votes) = &told.votes {
        votes_ui(ui, votes, &told.predicted.truth);
        return;
    }
    let Some(guess) = guess else {
        ui.label(text("window.lesson.no-guess"));
        return;
    };
    let key = match score(guess, &told.predicted.truth) {
        None => "window.lesson.not-scored",
        Some(score) if score.points >= 1.0 => "window.lesson.right",
        Some(score) if score.points > 0.0 => "window.lesson.next-to",
        Some(_) => "window.lesson.otherwise",
    };
    ui.label(filled(key, &[("guess", &guess.label())]));
}

/// Asks why, then shows what refutes the other reasons, and the evidence. True while it asks.
fn reason_ui(ui: &mut Ui, state: &State, told: &Told, actions: &mut Vec<Action>) -> bool {
    ui.add_space(space::SMALL);
    match (&told.question, told.chosen) {
        (Some(question), None) => {
            ui.label(RichText::new(text("window.lesson.why")).strong());
            for (index, answer) in question.answers.iter().enumerate() {
                if ui.add(Button::new(format!("{}  {}", index + 1, answer.say)).wrap()).clicked() || digit(ui, index) {
                    actions.push(Action::Lesson(Answer::Reason(index)));
                }
            }
            return true;
        }
        (Some(question), Some(chosen)) => {
            for (index, answer) in question.answers.iter().enumerate().filter(|(_, answer)| answer.refuted.is_some()) {
                let key = if index == chosen { "window.lesson.you-chose" } else { "window.lesson.not" };
                let refuted = answer.refuted.as_deref().unwrap_or_default();
                let say = answer.say.trim_end_matches(['.', '。']);
                ui.label(RichText::new(filled(key, &[("reason", &say), ("refuted", &refuted)])).weak());
            }
        }
        (None, _) => {}
    }
    let pair = state
        .ladder()
        .and_then(|(ladder, _)| state.step_pair(ladder, told.predicted.step).filter(|_| ladder.name == told.predicted.ladder));
    reasons_here_ui(ui, state, &told.reasons_now(), pair.as_ref(), actions);
    others_ui(ui, told.compared.comparison.verdict.into(), &told.facts);
    false
}

/// Why here, with the experiment that tests each reason; where it is not sure, the test that can tell is a button.
fn reasons_here_ui(ui: &mut Ui, state: &State, reasons: &[Reason], pair: Option<&(Task, Task)>, actions: &mut Vec<Action>) {
    let left = pair.map_or_else(|| reasons.to_vec(), |pair| state.reasons_left(pair, reasons));
    if left.is_empty() {
        reasons_ui(ui, &left, Reason::line);
    }
    for reason in &left {
        reasons_ui(ui, std::slice::from_ref(reason), Reason::line);
        if let Some(pair) = pair {
            test_ui(ui, state, pair, reason, actions);
        }
    }
    if left.is_empty() || left.iter().any(|reason| reason.level == Level::Possible) {
        command_button(ui, state, Command::Study(BOTTLENECK), false, actions);
    }
}

/// Why, with what it rests on; or that nothing is known.
pub fn reasons_ui(ui: &mut Ui, reasons: &[Reason], line: fn(&Reason) -> String) {
    if reasons.is_empty() {
        ui.label(RichText::new(text("window.lesson.no-rule")).weak());
    }
    for reason in reasons {
        ui.label(RichText::new(line(reason)).color(ink(ui, reason)));
        for line in &reason.evidence {
            ui.label(RichText::new(format!("    {line}")).monospace().size(12.5).weak());
        }
        if !reason.next.is_empty() {
            ui.label(RichText::new(filled("window.lesson.try-next", &[("what", &reason.next)])).weak());
        }
    }
}

/// Why it is not something else, for whoever asks: each rule that is not told, with the condition that does not hold.
pub fn others_ui(ui: &mut Ui, seen: why::Seen, facts: &Facts) {
    CollapsingHeader::new(RichText::new(text("why.other.title")).small()).id_salt("others").show(ui, |ui| {
        for line in why::others_lines(seen, facts) {
            ui.add(Label::new(RichText::new(line).small().weak()).wrap());
        }
    });
}

fn ink(ui: &Ui, reason: &Reason) -> Color32 {
    match reason.part {
        study::why::Part::Cause => ui.visuals().text_color(),
        study::why::Part::Limit => ui.visuals().weak_text_color(),
    }
}

/// How guesses did, beside the rule of thumb that did best, in lines; none where none was made.
#[must_use]
pub fn summary_of(steps: &[Predicted]) -> Vec<String> {
    let Some(summary) = summarize(steps) else { return Vec::new() };
    let points = |mean: f64| format!("{:.1}", mean * summary.scored as f64);
    let values: [(&str, &dyn Display); 4] = [
        ("count", &summary.scored),
        ("points", &points(summary.points)),
        ("bot", &summary.best_bot.label()),
        ("bot_points", &points(summary.best_bot_points)),
    ];
    let key = if summary.scored == 1 { "window.lesson.summary-one" } else { "window.lesson.summary" };
    let mut lines = vec![filled(key, &values)];
    if summary.not_scored > 0 {
        lines.push(filled("window.lesson.count-not-scored", &[("count", &summary.not_scored)]));
    }
    if summary.reasons.0 > 0 {
        lines.push(filled("window.lesson.reasons", &[("right", &summary.reasons.1), ("count", &summary.reasons.0)]));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::others_ui;
    use crate::app::theme;
    use base::texts::text;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;
    use study::why::{Facts, Seen};

    #[test]
    fn the_others_are_listed_for_whoever_asks() {
        let mut facts = Facts::default();
        facts.set("before.operations", 10.0);
        facts.set("after.operations", 9.0);
        let mut is_ready = false;
        let mut harness = Harness::builder().with_size([900.0, 3000.0]).build_ui(|ui| {
            // Fonts are there from the next frame on.
            if std::mem::replace(&mut is_ready, true) {
                others_ui(ui, Seen::Faster, &facts);
            } else {
                theme::install(ui.ctx());
            }
        });
        harness.run();
        let line = "Arithmetic operations per pixel in the source, after: 9, needs ≤ 8";
        assert_eq!(harness.query_all_by_label_contains(line).count(), 0);
        harness.get_by_label(text("why.other.title")).click();
        harness.run();
        assert_eq!(harness.query_all_by_label_contains(line).count(), 1);
    }
}
