//! Draws the lesson: question, outcome, reason, and the table of all steps at the end.

use super::axis::axis_ui;
use super::{Answer, Open, Phase, Told};
use crate::app::action::{Action, Command};
use crate::app::glossary::explained;
use crate::app::state::State;
use crate::app::theme::{self, space};
use crate::app::widgets::command_button;
use crate::engine::{Target, Task};
use crate::filters::Ladder;
use crate::plot::units;
use crate::source::{self, Diff, LineOp};
use crate::study::prediction::{Bot, Change, Guess, score, summarize};
use crate::why::Reason;
use egui::{Button, Color32, Grid, Key, Label, RichText, ScrollArea, Ui};

/// At most so many changed lines are shown with a question: more are read in the Source tab.
const MOST_LINES: usize = 18;

/// Draws the panel.
pub fn lesson_panel(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    ScrollArea::vertical().auto_shrink([false, false]).id_salt("lesson").show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = space::SMALL;
        let Some((ladder, index)) = state.ladder() else {
            ui.label(
                "Choose a ladder above: a lesson climbs it step by step, and asks what each step does on this device before it is measured",
            );
            return;
        };
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(ladder.label()).strong()).on_hover_text(ladder.source());
            let mut asks = state.settings.asks_first;
            if ui.checkbox(&mut asks, "Ask me before each step").changed() {
                actions.push(Action::Lesson(Answer::AskFirst(asks)));
            }
        });
        match &state.lesson.open {
            Some(open) => question_ui(ui, state, open, actions),
            None => between_steps(ui, state, ladder, index, actions),
        }
    });
}

/// No question is open: where the ladder stands, and the way on.
fn between_steps(ui: &mut Ui, state: &State, ladder: &Ladder, index: usize, actions: &mut Vec<Action>) {
    if let Some(step) = ladder.steps.get(index) {
        ui.label(RichText::new(format!("Step {} of {}: {}", index + 1, ladder.steps.len(), step.label())).strong());
        explained(ui, step.why());
        if let Some((_, reasons)) = state.why_step(ladder, index) {
            reasons_ui(ui, &reasons);
        }
    }
    let is_last = index + 1 >= ladder.steps.len();
    if !is_last {
        command_button(ui, state, Command::NextStep, false, actions);
    }
    if is_last || !state.lesson.told.is_empty() {
        ui.add_space(space::MEDIUM);
        table_ui(ui, state, ladder);
        summary_ui(ui, state);
    }
}

fn question_ui(ui: &mut Ui, state: &State, open: &Open, actions: &mut Vec<Action>) {
    let Some((step, against)) = open.step().zip(open.ladder.steps.get(open.against)) else { return };
    ui.label(RichText::new(format!("Step {} of {}: {}", open.step + 1, open.ladder.steps.len(), step.label())).strong());
    explained(ui, step.why());
    let compared_with = format!("step {} ({})", open.against + 1, against.label());
    match &open.phase {
        Phase::Asked => {
            counts_ui(ui, &open.pair);
            ui.add_space(space::SMALL);
            ui.label(RichText::new(format!("Against {compared_with}, on this device, it is …")).strong());
            guesses_ui(ui, open, actions);
            ui.add_space(space::SMALL);
            lines_ui(ui, &open.pair);
        }
        Phase::Running(guess) => {
            ui.label(guess.map_or_else(String::new, |guess| format!("You said: {}", guess_text(guess))));
            let progress = state.pending.last().and_then(|pending| pending.progress.as_ref());
            let text =
                progress.map_or_else(|| "Waiting for the device…".to_owned(), |(done, total, text)| format!("{text} ({done} of {total})"));
            ui.horizontal(|ui| {
                ui.spinner();
                ui.label(format!("Running both, interleaved. {text}"));
            });
            if state.pending.is_empty() {
                ui.label("The two could not be compared: the rows of the chart say why");
                next_button(ui, actions);
            }
        }
        Phase::Seen(told) => {
            outcome_ui(ui, told, &compared_with);
            reason_ui(ui, told, actions);
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
        if ui.checkbox(&mut is_sure, "I am sure (S)").changed() {
            actions.push(Action::Lesson(Answer::Sure(is_sure)));
        }
        if ui.button("Skip").on_hover_text("Run it without a guess (Enter)").clicked() {
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
fn counts_ui(ui: &mut Ui, pair: &(Task, Task)) {
    let mut facts = crate::why::Facts::default();
    facts.add_task(crate::why::Side::Before, &pair.0, None);
    facts.add_task(crate::why::Side::After, &pair.1, None);
    let names = ["loads", "operations", "work_items", "loaded_bytes", "stores", "local_bytes", "passes"];
    let changes = |name: &&str| facts.get(&format!("before.{name}")) != facts.get(&format!("after.{name}"));
    let changed: Vec<String> = names.iter().filter(|name| changes(name)).filter_map(|name| facts.evidence(name)).take(3).collect();
    if changed.is_empty() {
        ui.label(RichText::new("What is counted in the source stays as it is: loads, stores, operations, work-items").weak());
    }
    for text in changed {
        ui.label(RichText::new(text).monospace());
    }
}

/// The lines of the source that the step changes.
fn lines_ui(ui: &mut Ui, pair: &(Task, Task)) {
    let Some((before, after)) = text_of(&pair.0).zip(text_of(&pair.1)) else { return };
    let diff = Diff::new(&before, &after);
    let changed: Vec<_> = diff.lines.iter().filter(|line| line.op != LineOp::Same && !line.text.trim().is_empty()).collect();
    ui.label(RichText::new(format!("{} lines change", changed.len())).weak());
    let (added, removed) = (theme::right(ui.visuals().dark_mode), ui.visuals().error_fg_color);
    for line in changed.iter().take(MOST_LINES) {
        let (sign, ink) = if line.op == LineOp::Added { ("+", added) } else { ("−", removed) };
        ui.add(Label::new(RichText::new(format!("{sign} {}", line.text)).monospace().size(12.5).color(ink)).truncate());
    }
    if changed.len() > MOST_LINES {
        ui.label(RichText::new(format!("… and {} more", changed.len() - MOST_LINES)).weak());
    }
}

fn text_of(task: &Task) -> Option<std::sync::Arc<str>> {
    let Target::Device { variant, .. } = task.target else { return None };
    source::compose(task.filter(), &variant, task.setting(), &task.spec.parameters).ok()
}

fn outcome_ui(ui: &mut Ui, told: &Told, compared_with: &str) {
    let comparison = &told.compared.comparison;
    let result = format!("Here, against {compared_with}: {}", units::in_words(comparison));
    ui.label(RichText::new(result).strong());
    let guess = told.predicted.guess;
    axis_ui(ui, guess.map(|guess| guess.change), comparison);
    let text = match guess {
        None => "You did not guess".to_owned(),
        Some(guess) => match score(guess, &told.predicted.truth) {
            None => format!(
                "You said {}. The interval reaches over more than two of the answers, so this step is not scored.",
                guess_text(guess)
            ),
            Some(score) if score.points >= 1.0 => format!("You said {}: as it is", guess_text(guess)),
            Some(score) if score.points > 0.0 => format!("You said {}: next to it", guess_text(guess)),
            Some(_) => format!("You said {}: here it is otherwise", guess_text(guess)),
        },
    };
    ui.label(text);
}

fn guess_text(guess: Guess) -> String {
    format!("{}{}", guess.change.label(), if guess.is_sure { ", sure" } else { "" })
}

/// Asks why, then shows what refutes the other reasons, and the evidence.
fn reason_ui(ui: &mut Ui, told: &Told, actions: &mut Vec<Action>) {
    ui.add_space(space::SMALL);
    match (&told.question, told.chosen) {
        (Some(question), None) => {
            ui.label(RichText::new("Why?").strong());
            for (index, answer) in question.answers.iter().enumerate() {
                if ui.add(Button::new(&answer.say).wrap()).clicked() {
                    actions.push(Action::Lesson(Answer::Reason(index)));
                }
            }
            if ui.button("Skip the reason").clicked() {
                actions.push(Action::Lesson(Answer::Next));
            }
            return;
        }
        (Some(question), Some(chosen)) => {
            for (index, answer) in question.answers.iter().enumerate().filter(|(_, answer)| answer.refuted.is_some()) {
                let own = if index == chosen { "You chose: " } else { "Not: " };
                let refuted = answer.refuted.as_deref().unwrap_or_default();
                ui.label(RichText::new(format!("{own}{}. {refuted}.", answer.say.trim_end_matches('.'))).weak());
            }
        }
        (None, _) => {}
    }
    reasons_ui(ui, &told.reasons);
    next_button(ui, actions);
}

fn next_button(ui: &mut Ui, actions: &mut Vec<Action>) {
    ui.add_space(space::SMALL);
    if ui.button("Next step").clicked() {
        actions.push(Action::Lesson(Answer::Next));
    }
}

/// Why, with what it rests on; or that nothing is known.
pub fn reasons_ui(ui: &mut Ui, reasons: &[Reason]) {
    if reasons.is_empty() {
        ui.label(RichText::new("No rule explains this here. The bottleneck test tells whether memory or arithmetic decides.").weak());
    }
    for reason in reasons {
        ui.label(RichText::new(reason.line()).color(ink(ui, reason)));
        for line in &reason.evidence {
            ui.label(RichText::new(format!("    {line}")).monospace().size(12.5).weak());
        }
        if !reason.next.is_empty() {
            ui.label(RichText::new(format!("Try next: {}", reason.next)).weak());
        }
    }
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
            for head in ["Step", "The guide says", "Here", "You", "Why"] {
                ui.label(RichText::new(head).weak());
            }
            ui.end_row();
            for index in 0..ladder.steps.len() {
                ui.label(ladder.step_title(index).unwrap_or_default());
                ui.label(ladder.claim_text(index).unwrap_or_default());
                let told = state.lesson.told_of(ladder, index);
                let why = state.why_step(ladder, index);
                let here = match (&why, told) {
                    (Some((seen, _)), _) => seen.label().to_owned(),
                    (None, Some(told)) => units::in_words(&told.compared.comparison),
                    (None, None) => String::new(),
                };
                ui.label(here);
                ui.label(told.and_then(|told| told.predicted.guess).map_or_else(String::new, guess_text));
                let reasons = why.map(|(_, reasons)| reasons).or_else(|| told.map(|told| told.reasons.clone())).unwrap_or_default();
                let text = reasons.first().map_or_else(String::new, |reason| reason.say.clone());
                ui.add(Label::new(text.as_str()).truncate()).on_hover_text(text);
                ui.end_row();
            }
        });
    });
}

/// How the guesses did, beside the rule of thumb that did best.
fn summary_ui(ui: &mut Ui, state: &State) {
    let steps: Vec<_> = state.lesson.told.iter().map(|told| told.predicted.clone()).collect();
    let Some(summary) = summarize(&steps) else { return };
    let bots = Bot::ALL.map(Bot::label).join(", ");
    ui.label(format!(
        "You predicted {} {}: {:.1} points of {}. The rule of thumb “{}” gets {:.1}.",
        summary.scored,
        if summary.scored == 1 { "step" } else { "steps" },
        summary.points * summary.scored as f64,
        summary.scored,
        summary.best_bot.label(),
        summary.best_bot_points * summary.scored as f64,
    ))
    .on_hover_text(format!(
        "Right counts 1, next to it ½. Rules of thumb: {bots}. A ladder of five steps cannot show that predictions improve; several can."
    ));
    if summary.not_scored > 0 {
        ui.label(RichText::new(format!("{} not scored: the interval decided nothing", summary.not_scored)).weak());
    }
    if summary.reasons.0 > 0 {
        ui.label(format!("Reasons: {} of {} right", summary.reasons.1, summary.reasons.0));
    }
}
