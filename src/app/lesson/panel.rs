//! Draws the lesson: question, outcome, reason, and the table of all steps at the end.

use super::axis::axis_ui;
use super::elsewhere::{contrast_ui, elsewhere_ui};
use super::recall_ui::recall_ui;
use super::vote_ui::{vote_ui, votes_ui};
use super::{About, Answer, Open, Phase, Remember, Told};
use crate::app::action::{Action, Command};
use crate::app::experiments_ui::test_ui;
use crate::app::glossary::explained;
use crate::app::ladder_strip::title;
use crate::app::state::State;
use crate::app::studies::StudyKind;
use crate::app::theme::{self, space};
use crate::app::widgets::{again_button, command_button};
use crate::device::DeviceKind;
use crate::engine::Task;
use crate::filters::Ladder;
use crate::plot::units;
use crate::source::{DiffLine, LineOp};
use crate::study::prediction::{Bot, Change, Guess, Predicted, is_decided, score, summarize};
use crate::study::votes::Votes;
use crate::texts::{filled, text};
use crate::why::{self, Facts, Level, Reason};
use egui::{Button, Checkbox, CollapsingHeader, Color32, Grid, Key, Label, RichText, ScrollArea, Ui};
use std::fmt::Display;

/// At most so many changed lines are shown with a question: more are read in the Source tab.
const MOST_LINES: usize = 18;

/// Draws the panel.
pub fn lesson_panel(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    ScrollArea::vertical().auto_shrink([false, false]).id_salt("lesson").show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = space::SMALL;
        recall_ui(ui, state, actions);
        let Some((ladder, index)) = state.ladder() else {
            ui.label(text("window.lesson.choose"));
            return;
        };
        match &state.lesson.open {
            // In a low window the answers are to be seen without scrolling: what is set once lies below them.
            Some(open) if matches!(open.about, About::Step { .. }) => {
                question_ui(ui, state, open, actions);
                ui.add_space(space::MEDIUM);
                head_ui(ui, state, ladder, actions);
            }
            _ => {
                head_ui(ui, state, ladder, actions);
                between_steps(ui, state, ladder, index, actions);
            }
        }
    });
}

/// The ladder, whether and whom the lesson asks, and what it would gain by.
fn head_ui(ui: &mut Ui, state: &State, ladder: &'static Ladder, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(ladder.label()).strong()).on_hover_text(ladder.source());
        let mut asks = state.settings.asks_first;
        if ui.checkbox(&mut asks, text("window.lesson.ask-first")).changed() {
            actions.push(Action::Lesson(Answer::AskFirst(asks)));
        }
        let mut asks_class = state.settings.asks_class;
        let class = ui.add_enabled(asks, Checkbox::new(&mut asks_class, text("prediction.vote.on")));
        if class.on_hover_text(text("prediction.vote.on-about")).changed() {
            actions.push(Action::Lesson(Answer::AskClass(asks_class)));
        }
        if asks && !state.asks() {
            ui.label(RichText::new(text("prediction.finished.tune")).small().weak());
        }
    });
    if state.lesson.is_just_finished {
        ui.label(filled("prediction.finished.note", &[("ask", &text("window.lesson.ask-first"))]));
    }
    if is_picture_small(state) {
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(text("window.lesson.small-picture")).weak());
            command_button(ui, state, Command::Generate, false, actions);
        });
    }
}

/// A GPU filters fewer pixels in less time than a kernel takes to start: then variants do not differ, whatever they do.
const SMALL_PX: usize = 1 << 20;

fn is_picture_small(state: &State) -> bool {
    let is_gpu = state.device().is_some_and(|device| device.kind == DeviceKind::Gpu);
    is_gpu && state.picture.as_ref().is_some_and(|opened| opened.picture.size().0 * opened.picture.size().1 < SMALL_PX)
}

/// No question is open: where the ladder stands, and the way on.
fn between_steps(ui: &mut Ui, state: &State, ladder: &'static Ladder, index: usize, actions: &mut Vec<Action>) {
    // What the step does is told above the panels.
    if let Some((_, reasons)) = state.why_step(ladder, index) {
        reasons_here_ui(ui, state, &reasons, state.step_pair(ladder, index).as_ref(), actions);
        if let Some((compared, facts)) = state.step_facts(ladder, index) {
            others_ui(ui, compared.comparison.verdict.into(), facts);
        }
        elsewhere_ui(ui, state, ladder, index);
    }
    let is_last = index + 1 >= ladder.steps.len();
    if !is_last {
        command_button(ui, state, Command::NextStep, false, actions);
    }
    if is_last {
        contrast_ui(ui, state, ladder, actions);
        if let Some(next) = ladder.continuation() {
            ui.add_space(space::SMALL);
            let label = filled("window.lesson.go-on", &[("ladder", &next.label())]);
            if ui.button(label).on_hover_text(next.source()).clicked() {
                actions.push(Action::StartLadder(next));
            }
        }
    }
    let has_earlier = (0..ladder.steps.len()).any(|step| state.lesson.memory.earlier_of(ladder, step).is_some());
    if is_last || has_earlier || !state.lesson.told.is_empty() {
        ui.add_space(space::MEDIUM);
        table_ui(ui, state, ladder);
        summary_ui(ui, state);
        if !state.lesson.memory.records().is_empty() && ui.button(text("prediction.look")).clicked() {
            actions.push(Action::Lesson(Answer::Remember(Remember::Look)));
        }
    }
}

fn question_ui(ui: &mut Ui, state: &State, open: &Open, actions: &mut Vec<Action>) {
    let About::Step { ladder, step: index, against: other, left_out } = &open.about else { return };
    let Some((step, against)) = ladder.steps.get(*index).zip(ladder.steps.get(*other)) else { return };
    for (index, why) in left_out {
        let title = ladder.step_title(*index).unwrap_or_default();
        ui.label(RichText::new(filled("window.lesson.left-out", &[("step", &title), ("why", why)])).weak());
    }
    // Once it runs, it is the step that is told above the panels.
    if state.ladder().is_none_or(|(_, now)| now != *index) {
        ui.label(RichText::new(title(ladder, *index, step)).strong());
        explained(ui, step.why());
    }
    let compared_with = filled("words.claim.step-named", &[("number", &(other + 1)), ("label", &against.label())]);
    asked_ui(ui, state, open, &compared_with, actions);
}

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
            ui.add_space(space::SMALL);
            lines_ui(ui, &open.changes.lines);
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
                ui.label(text("window.lesson.not-compared"));
                again_button(ui, state, || Action::Lesson(Answer::Again), actions);
                next_button(ui, open, actions);
            } else {
                ui.horizontal(|ui| {
                    ui.spinner();
                    ui.label(filled("window.lesson.running", &[("progress", &progress)]));
                });
            }
        }
        Phase::Seen(told) => {
            outcome_ui(ui, told, compared_with);
            if !is_decided(&told.predicted.truth) {
                again_button(ui, state, || Action::Lesson(Answer::Again), actions);
            }
            if !reason_ui(ui, state, told, actions) {
                if let About::Step { ladder, step, .. } = open.about {
                    elsewhere_ui(ui, state, ladder, step);
                }
                next_button(ui, open, actions);
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
            if input.key_pressed(Key::Enter) {
                actions.push(Action::Lesson(Answer::Skip));
            }
        });
    }
}

/// Three counts at most, of those that change.
fn counts_ui(ui: &mut Ui, facts: &Facts) {
    let names = ["loads", "operations", "work_items", "loaded_bytes", "stores", "local_bytes", "passes"];
    let changes = |name: &&str| facts.get(&format!("before.{name}")) != facts.get(&format!("after.{name}"));
    let changed: Vec<String> = names.iter().filter(|name| changes(name)).filter_map(|name| facts.evidence(name)).take(3).collect();
    if changed.is_empty() {
        ui.label(RichText::new(text("window.lesson.nothing-counted")).weak());
    }
    for fact in changed {
        ui.label(RichText::new(fact).monospace());
    }
}

/// The lines of the source that the step changes.
fn lines_ui(ui: &mut Ui, changed: &[DiffLine]) {
    ui.label(RichText::new(filled("window.lesson.lines-change", &[("count", &changed.len())])).weak());
    let (added, removed) = (theme::right(ui.visuals().dark_mode), ui.visuals().error_fg_color);
    for line in changed.iter().take(MOST_LINES) {
        let (sign, ink) = if line.op == LineOp::Added { ("+", added) } else { ("−", removed) };
        ui.add(Label::new(RichText::new(format!("{sign} {}", line.text)).monospace().size(12.5).color(ink)).truncate());
    }
    if changed.len() > MOST_LINES {
        ui.label(RichText::new(filled("window.lesson.more-lines", &[("count", &(changed.len() - MOST_LINES))])).weak());
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
                if ui.add(Button::new(&answer.say).wrap()).clicked() {
                    actions.push(Action::Lesson(Answer::Reason(index)));
                }
            }
            if ui.button(text("window.lesson.skip-reason")).clicked() {
                actions.push(Action::Lesson(Answer::Next));
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
    reasons_here_ui(ui, state, &told.reasons, pair.as_ref(), actions);
    others_ui(ui, told.compared.comparison.verdict.into(), &told.facts);
    false
}

/// A lesson's screens have a way on of their own.
fn next_button(ui: &mut Ui, open: &Open, actions: &mut Vec<Action>) {
    if matches!(open.about, About::Screen { .. }) {
        return;
    }
    ui.add_space(space::SMALL);
    if ui.button(Command::NextStep.text().label).clicked() {
        actions.push(Action::Lesson(Answer::Next));
    }
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
        command_button(ui, state, Command::Study(StudyKind::Bottleneck), false, actions);
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
        crate::why::Part::Cause => ui.visuals().text_color(),
        crate::why::Part::Limit => ui.visuals().weak_text_color(),
    }
}

/// All steps: what the guide says, what was published, what was seen here, why, and what the person said.
fn table_ui(ui: &mut Ui, state: &State, ladder: &Ladder) {
    ScrollArea::horizontal().id_salt("lesson table").show(ui, |ui| {
        Grid::new("steps of the lesson").striped(true).num_columns(5).spacing([space::LARGE, space::SMALL]).show(ui, |ui| {
            let heads = ["window.lesson.step", "window.lesson.guide", "window.lesson.seen", "window.lesson.you", "window.lesson.reason"];
            for head in heads {
                ui.label(RichText::new(text(head)).weak());
            }
            ui.end_row();
            for index in 0..ladder.steps.len() {
                ui.label(ladder.step_title(index).unwrap_or_default());
                ui.label(ladder.claim_line(index).unwrap_or_default());
                let told = state.lesson.told_of(ladder.name, index);
                let why = state.why_step(ladder, index);
                let here = match (&why, told) {
                    (Some((seen, _)), _) => seen.label().to_owned(),
                    (None, Some(told)) => units::outcome(&told.compared.comparison, told.compared.busy),
                    (None, None) => String::new(),
                };
                ui.label(here);
                ui.label(you_text(state, ladder, index));
                let reasons = why.map(|(_, reasons)| reasons).or_else(|| told.map(|told| told.reasons.clone())).unwrap_or_default();
                let say = reasons.first().map_or_else(String::new, |reason| reason.say.clone());
                ui.add(Label::new(say.as_str()).truncate()).on_hover_text(say);
                ui.end_row();
            }
        });
    });
}

/// What the person, or a class, said of a step: in this session, else in an earlier one.
fn you_text(state: &State, ladder: &Ladder, step: usize) -> String {
    let said = |predicted: &Predicted, votes: Option<&Votes>| match votes {
        Some(votes) => votes.in_words(&predicted.truth),
        None => predicted.guess.map(Guess::label),
    };
    let now = state.lesson.told_of(ladder.name, step).and_then(|told| said(&told.predicted, told.votes.as_ref()));
    let earlier = || {
        let record = state.lesson.memory.earlier_of(ladder, step)?;
        said(&record.predicted, record.votes.as_ref()).map(|guess| filled("prediction.earlier", &[("guess", &guess)]))
    };
    now.or_else(earlier).unwrap_or_default()
}

/// How the guesses did, beside the rule of thumb that did best.
fn summary_ui(ui: &mut Ui, state: &State) {
    let steps: Vec<_> = state.lesson.told.iter().map(|told| told.predicted.clone()).collect();
    let Some(summary) = summarize(&steps) else { return };
    let bots = Bot::ALL.map(Bot::label).join(", ");
    let points = |mean: f64| format!("{:.1}", mean * summary.scored as f64);
    let values: [(&str, &dyn Display); 4] = [
        ("count", &summary.scored),
        ("points", &points(summary.points)),
        ("bot", &summary.best_bot.label()),
        ("bot_points", &points(summary.best_bot_points)),
    ];
    let key = if summary.scored == 1 { "window.lesson.summary-one" } else { "window.lesson.summary" };
    ui.label(filled(key, &values)).on_hover_text(filled("window.lesson.summary-about", &[("bots", &bots)]));
    if summary.not_scored > 0 {
        ui.label(RichText::new(filled("window.lesson.count-not-scored", &[("count", &summary.not_scored)])).weak());
    }
    if summary.reasons.0 > 0 {
        ui.label(filled("window.lesson.reasons", &[("right", &summary.reasons.1), ("count", &summary.reasons.0)]));
    }
}

#[cfg(test)]
mod tests {
    use super::others_ui;
    use crate::app::theme;
    use crate::texts::text;
    use crate::why::{Facts, Seen};
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

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
