//! Draws the vote of a class, and both votes beside the result.

use super::Answer;
use super::vote::{Count, Round, Vote};
use crate::app::action::Action;
use crate::app::theme::{self, space};
use crate::app::widgets::name;
use base::texts::{filled, text};
use egui::{Align, Button, Color32, Grid, Id, Key, ProgressBar, RichText, Role, Sense, Ui, vec2};
use std::time::Instant;
use study::predict::Change;
use study::predict::votes::{Hands, Votes, Worth, marked, share_right, total};

/// Width of the bar of all hands, where there is that much.
const BAR_POINTS: f32 = 130.0;

/// What the words and numbers beside two bars take.
const WORDS_POINTS: f32 = 280.0;

/// The answers with a button to count a hand and one to take it back; numbers stay hidden but for the one that is being counted.
pub fn vote_ui(ui: &mut Ui, vote: &Vote, actions: &mut Vec<Action>) {
    let (title, next) = match vote.round {
        Round::First => ("prediction.vote.first", "prediction.vote.to-talk"),
        Round::Talk => ("prediction.vote.talk", "prediction.vote.to-second"),
        Round::Second => ("prediction.vote.second", "prediction.vote.reveal"),
    };
    ui.label(text(title));
    if let Some(begun) = vote.talk_begun.filter(|_| vote.round == Round::Talk) {
        timer_ui(ui, begun);
    }
    if let Some(hands) = vote.hands() {
        // Low rows: on a projector all answers and what comes next are seen at once.
        Grid::new("hands").num_columns(4).spacing([space::MEDIUM, 2.0]).show(ui, |ui| {
            for ((number, change), count) in (1..).zip(Change::ALL).zip(hands) {
                ui.label(format!("{number}  {}", change.label()));
                for (sign, key, act) in
                    [("−", "prediction.vote.remove", Count::Remove(change)), ("+", "prediction.vote.add", Count::Add(change))]
                {
                    let button = ui.add(Button::new(sign).small().min_size(vec2(32.0, 0.0)));
                    name(&button, Role::Button, &filled(key, &[("change", &change.label())]), None);
                    if button.clicked() {
                        actions.push(Action::Lesson(Answer::Vote(act)));
                    }
                }
                match count {
                    0 => ui.label(""),
                    count if vote.last == Some(change) => ui.label(RichText::new(count.to_string()).strong()),
                    _ => ui.label(RichText::new(text("prediction.vote.hidden")).weak()),
                };
                ui.end_row();
            }
        });
        ui.label(filled("prediction.vote.total", &[("count", &total(hands))]));
    }
    let is_counted = vote.hands().is_none_or(|hands| total(hands) > 0);
    ui.horizontal_wrapped(|ui| {
        if ui.add_enabled(is_counted, Button::new(text(next))).clicked() {
            actions.push(Action::Lesson(Answer::Vote(Count::Next)));
        }
        if vote.round == Round::Talk && ui.button(text("prediction.vote.reveal")).clicked() {
            actions.push(Action::Lesson(Answer::Vote(Count::Reveal)));
        }
        if ui.button(text("window.lesson.skip")).clicked() {
            actions.push(Action::Lesson(Answer::Skip));
        }
    });
    let end = ui.label(RichText::new(text("prediction.vote.keys")).small().weak());
    if is_new_round(ui, vote.round) {
        end.scroll_to_me(Some(Align::BOTTOM));
    }
    if ui.ctx().memory(|memory| memory.focused().is_none()) {
        keys(ui, actions);
    }
}

/// A screen that is new has its size only after some frames.
const NEW_FRAMES: u64 = 3;

/// Whether this round came on the screen just now.
fn is_new_round(ui: &Ui, round: Round) -> bool {
    let (place, frame) = (Id::unique("vote-round"), ui.ctx().cumulative_frame_nr());
    let begun = ui.data_mut(|data| {
        let before = data.get_temp::<(Round, u64, u64)>(place).filter(|(known, _, seen)| *known == round && seen + 1 >= frame);
        let begun = before.map_or(frame, |(_, begun, _)| begun);
        data.insert_temp(place, (round, begun, frame));
        begun
    });
    let is_new = frame < begun + NEW_FRAMES;
    if is_new {
        ui.ctx().request_repaint();
    }
    is_new
}

/// So long pairs talk as a rule.
const TALK_SECONDS: u64 = 120;

/// How long the talk has gone on, and how long it goes on as a rule. Nothing happens at its end: the teacher sees the room.
fn timer_ui(ui: &mut Ui, begun: Instant) {
    let passed = begun.elapsed().as_secs();
    let clock = |seconds: u64| format!("{}:{:02}", seconds / 60, seconds % 60);
    let share = passed.min(TALK_SECONDS) as f32 / TALK_SECONDS as f32;
    let words = filled("course.talk", &[("passed", &clock(passed)), ("usual", &clock(TALK_SECONDS))]);
    ui.add(ProgressBar::new(share).desired_width(ui.available_width().min(260.0)).text(words));
    ui.ctx().request_repaint_after_secs(1.0);
}

fn keys(ui: &Ui, actions: &mut Vec<Action>) {
    let keys = [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5];
    ui.input(|input| {
        for event in &input.events {
            // Where Shift makes another sign of a digit, the key's place still tells which.
            let egui::Event::Key { key, physical_key, pressed: true, modifiers, .. } = event else { continue };
            let change = keys.iter().position(|own| own == key || Some(*own) == *physical_key).and_then(|index| Change::ALL.get(index));
            match change {
                Some(&change) if modifiers.shift_only() => actions.push(Action::Lesson(Answer::Vote(Count::Remove(change)))),
                Some(&change) if modifiers.is_none() => actions.push(Action::Lesson(Answer::Vote(Count::Add(change)))),
                _ => {}
            }
        }
        if input.key_pressed(Key::Enter) {
            actions.push(Action::Lesson(Answer::Vote(Count::Next)));
        }
    });
}

/// Both votes, with what was seen marked, and whether such a step is good for a vote.
pub fn votes_ui(ui: &mut Ui, votes: &Votes, truth: &[Change]) {
    ui.add_space(space::SMALL);
    // What decides nothing makes no answer right or wrong.
    let marked = marked(truth);
    let has_second = total(&votes.second) > 0;
    let bar_points = ((ui.available_width() - WORDS_POINTS) / 2.0).clamp(40.0, BAR_POINTS);
    Grid::new("votes").num_columns(4).spacing([space::MEDIUM, space::SMALL]).show(ui, |ui| {
        let heads = ["prediction.vote.answer", "prediction.vote.first-hands", "prediction.vote.second-hands"];
        for head in heads.iter().take(if has_second { 3 } else { 2 }) {
            ui.label(RichText::new(text(head)).weak());
        }
        ui.end_row();
        for (index, change) in Change::ALL.into_iter().enumerate() {
            let is_seen = marked.contains(&change);
            let label = RichText::new(change.label());
            ui.label(if is_seen { label.strong() } else { label });
            let ink = if is_seen { theme::accent(ui.visuals().dark_mode) } else { ui.visuals().weak_text_color() };
            bar(ui, bar_points, (&votes.first, index), ink);
            if has_second {
                bar(ui, bar_points, (&votes.second, index), ink);
            }
            ui.label(RichText::new(if is_seen { text("prediction.vote.seen") } else { "" }).color(ink));
            ui.end_row();
        }
    });
    if marked.is_empty() {
        ui.label(text("prediction.vote.undecided"));
    }
    if let Some(first) = share_right(&votes.first, truth) {
        ui.label(votes.in_words(truth).unwrap_or_default());
        ui.label(RichText::new(Worth::of_share(first).label()).weak()).on_hover_text(text("prediction.vote.worth-about"));
    }
}

/// The hands for one answer, as a bar out of all hands of the vote, with their number.
fn bar(ui: &mut Ui, width: f32, (hands, index): (&Hands, usize), ink: Color32) {
    let count = hands.get(index).copied().unwrap_or_default();
    let share = count as f32 / total(hands).max(1) as f32;
    ui.horizontal(|ui| {
        let height = ui.text_style_height(&egui::TextStyle::Body);
        let (rect, _) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
        let filled = egui::Rect::from_min_size(rect.min, vec2((rect.width() * share).max(1.0), height));
        ui.painter().rect_filled(rect, 2.0, ui.visuals().faint_bg_color);
        ui.painter().rect_filled(filled, 2.0, ink);
        ui.label(count.to_string());
    });
}
