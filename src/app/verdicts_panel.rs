//! All steps of a ladder at once: what the guide claims, what was published, what was seen here.

use super::action::Action;
use super::ladder_strip::{Here, Tested, claim, color, here, published};
use super::state::State;
use super::theme::space;
use crate::filters::{Ladder, Step};
use egui::{Button, Grid, RichText, ScrollArea, TextStyle, Ui};

/// Heads of the columns.
const HEADS: [&str; 5] = ["Step", "Guide", "Verdict", "Here", "Published"];

/// Width from which on the steps are a table, at the usual type size; in a narrower panel each has lines of its own.
const TABLE_POINTS: f32 = 900.0;

/// Draws the panel into all of `ui`.
pub fn verdicts_ui(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    let Some((ladder, now)) = state.ladder() else {
        ui.weak("Choose a ladder: its steps are listed here, with what the guide claims and what was seen");
        return;
    };
    let is_table = ui.available_width() >= TABLE_POINTS * TextStyle::Body.resolve(ui.style()).size / 15.0;
    ScrollArea::both().auto_shrink([false, false]).show(ui, |ui| {
        ui.label(RichText::new(ladder.label()).strong()).on_hover_text(ladder.source());
        ui.label(RichText::new(format!("Published figures are from {}", ladder.device())).small().weak()).on_hover_text(ladder.source());
        ui.add_space(space::SMALL);
        let steps = ladder.steps.iter().enumerate().map(|(index, step)| Row { state, ladder, index, step, is_now: index == now });
        if !is_table {
            for row in steps {
                row.lines(ui, actions);
            }
            return;
        }
        Grid::new("verdicts").num_columns(HEADS.len()).spacing([space::LARGE, space::SMALL]).striped(true).show(ui, |ui| {
            for head in HEADS {
                ui.label(RichText::new(head).small().weak());
            }
            ui.end_row();
            for row in steps {
                row.cells(ui, actions);
                ui.end_row();
            }
        });
    });
}

/// What became of a claim, in its color.
fn found(ui: &mut Ui, claim: Tested) {
    let text = RichText::new(claim.found);
    let text = if let Some(color) = color(ui, claim.seen) { text.color(color) } else { text };
    ui.label(text).on_hover_text(claim.how);
}

/// One step.
struct Row<'a> {
    state: &'a State,
    ladder: &'static Ladder,
    index: usize,
    step: &'static Step,
    is_now: bool,
}

impl Row<'_> {
    fn cells(&self, ui: &mut Ui, actions: &mut Vec<Action>) {
        self.button(ui, actions);
        self.claim(ui);
        ui.label(self.here().unwrap_or_else(|| "–".to_owned()));
        ui.label(published(self.state, self.ladder, self.index).unwrap_or_else(|| "–".to_owned()));
    }

    fn lines(&self, ui: &mut Ui, actions: &mut Vec<Action>) {
        self.button(ui, actions);
        ui.indent(self.index, |ui| {
            // Lines of text, not rows of controls.
            ui.spacing_mut().interact_size.y = 0.0;
            if let Some(claim) = claim(self.state, self.ladder, self.index) {
                ui.horizontal_wrapped(|ui| {
                    ui.weak("Guide:");
                    ui.label(&claim.says);
                });
                ui.horizontal_wrapped(|ui| {
                    ui.weak("Here:");
                    found(ui, claim);
                });
            }
            let figures = [
                published(self.state, self.ladder, self.index).map(|figure| format!("Published: {figure}")),
                self.here().map(|figure| format!("here: {figure}")),
            ];
            let figures = figures.into_iter().flatten().collect::<Vec<_>>().join("; ");
            ui.label(RichText::new(figures).small().weak());
        });
        ui.add_space(space::SMALL);
    }

    fn button(&self, ui: &mut Ui, actions: &mut Vec<Action>) {
        let button = ui.add(Button::selectable(self.is_now, format!("{} {}", self.index + 1, self.step.label())));
        if button.on_hover_text(format!("{}\n{}", self.step.variant(), self.step.why())).clicked() {
            actions.push(Action::SetStep(self.ladder.name, self.index));
        }
    }

    /// What the guide says, and what became of it.
    fn claim(&self, ui: &mut Ui) {
        let Some(claim) = claim(self.state, self.ladder, self.index) else {
            ui.weak("no claim");
            ui.weak("–");
            return;
        };
        ui.label(&claim.says);
        found(ui, claim);
    }

    /// The step's own figure; nothing where it is what the others are compared with.
    fn here(&self) -> Option<String> {
        match here(self.state, self.ladder, self.index) {
            Here::Base => None,
            Here::NotMeasured => Some("not measured yet".to_owned()),
            Here::Figure(figure) => Some(figure),
        }
    }
}
