//! All steps of a ladder at once: what the guide claims, what was published, what was seen here.

use super::action::Action;
use super::ladder_strip::{Here, Tested, claim, claim_again, color, here, published};
use super::state::State;
use super::theme::{space, type_scale};
use crate::filters::{Ladder, Step};
use crate::study::elsewhere::DeviceClaims;
use crate::texts::{filled, joined, text};
use egui::{Button, Grid, RichText, ScrollArea, Ui};

/// The keys of the columns' heads.
const HEADS: [&str; 5] =
    ["window.verdicts.step", "window.verdicts.guide", "window.verdicts.verdict", "window.verdicts.here", "window.verdicts.published"];

/// Width from which on the steps are a table, at the usual type size; in a narrower panel each has lines of its own.
const TABLE_POINTS: f32 = 900.0;

/// So much wider, and there is room for the same steps on another device.
const ELSEWHERE_POINTS: f32 = 300.0;

/// Draws the panel into all of `ui`.
pub fn verdicts_ui(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    let Some((ladder, now)) = state.ladder() else {
        ui.weak(text("window.verdicts.choose"));
        return;
    };
    let width = ui.available_width() / type_scale(ui);
    let is_table = width >= TABLE_POINTS;
    let elsewhere = state.device_elsewhere(ladder).filter(|_| width >= TABLE_POINTS + ELSEWHERE_POINTS);
    ScrollArea::both().auto_shrink([false, false]).show(ui, |ui| {
        ui.label(RichText::new(ladder.label()).strong()).on_hover_text(ladder.source());
        ui.label(RichText::new(filled("window.verdicts.source", &[("device", &ladder.device())])).small().weak())
            .on_hover_text(ladder.source());
        ui.add_space(space::SMALL);
        let steps =
            ladder.steps.iter().enumerate().map(|(index, step)| Row { state, ladder, index, step, elsewhere, is_now: index == now });
        if !is_table {
            for row in steps {
                row.lines(ui, actions);
            }
            return;
        }
        Grid::new("verdicts")
            .num_columns(HEADS.len() + usize::from(elsewhere.is_some()))
            .spacing([space::LARGE, space::SMALL])
            .striped(true)
            .show(ui, |ui| {
                for head in HEADS {
                    ui.label(RichText::new(text(head)).small().weak());
                }
                if let Some(device) = elsewhere {
                    ui.label(RichText::new(filled("window.elsewhere.column", &[("device", &device.name())])).small().weak());
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
    let found = RichText::new(claim.found);
    let found = if let Some(color) = color(ui, claim.seen) { found.color(color) } else { found };
    ui.label(found).on_hover_text(claim.how);
}

/// One step.
struct Row<'a> {
    state: &'a State,
    ladder: &'static Ladder,
    index: usize,
    step: &'static Step,
    /// The device whose column there is.
    elsewhere: Option<&'static DeviceClaims>,
    is_now: bool,
}

impl Row<'_> {
    fn cells(&self, ui: &mut Ui, actions: &mut Vec<Action>) {
        self.button(ui, actions);
        self.claim(ui, actions);
        ui.label(self.here().unwrap_or_else(|| "–".to_owned()));
        ui.label(published(self.state, self.ladder, self.index).unwrap_or_else(|| "–".to_owned()));
        if let Some(device) = self.elsewhere {
            self.there(ui, device);
        }
    }

    /// What the step did on another device, unless the ladder's last question asks for it.
    fn there(&self, ui: &mut Ui, device: &'static DeviceClaims) {
        let there = self.state.step_elsewhere(self.ladder, self.index).into_iter().find(|there| std::ptr::eq(there.device, device));
        match there {
            None => ui.weak("–"),
            Some(there) if self.state.is_held_back(self.ladder, self.index, &there) => ui.weak("?"),
            Some(there) => ui.label(there.words()).on_hover_ui(|ui| drop(ui.label(there.explained()))),
        };
    }

    fn lines(&self, ui: &mut Ui, actions: &mut Vec<Action>) {
        self.button(ui, actions);
        ui.indent(self.index, |ui| {
            // Lines of text, not rows of controls.
            ui.spacing_mut().interact_size.y = 0.0;
            if let Some(claim) = claim(self.state, self.ladder, self.index) {
                self.says(ui, &claim);
                ui.horizontal_wrapped(|ui| {
                    ui.weak(text("window.verdicts.seen-here"));
                    let seen = claim.seen;
                    found(ui, claim);
                    claim_again(ui, self.state, self.ladder, self.index, seen, actions);
                });
            }
            let figures = [
                published(self.state, self.ladder, self.index)
                    .map(|figure| filled("window.verdicts.published-figure", &[("figure", &figure)])),
                self.here().map(|figure| filled("window.verdicts.here-figure", &[("figure", &figure)])),
            ];
            let figures = joined("words.list.clauses", figures.into_iter().flatten());
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
    fn claim(&self, ui: &mut Ui, actions: &mut Vec<Action>) {
        let Some(claim) = claim(self.state, self.ladder, self.index) else {
            ui.weak(text("window.verdicts.no-claim"));
            ui.weak("–");
            return;
        };
        self.says(ui, &claim);
        let seen = claim.seen;
        ui.horizontal(|ui| {
            found(ui, claim);
            claim_again(ui, self.state, self.ladder, self.index, seen, actions);
        });
    }

    /// The claim; where the guide makes it is told where the pointer rests, as that may be a long heading.
    fn says(&self, ui: &mut Ui, claim: &Tested) {
        ui.label(&claim.says).on_hover_text(self.ladder.claim_line(self.index).unwrap_or_default());
    }

    /// The step's own figure; nothing where it is what the others are compared with.
    fn here(&self) -> Option<String> {
        match here(self.state, self.ladder, self.index) {
            Here::Base => None,
            Here::NotMeasured => Some(text("window.step.found-nothing").to_owned()),
            Here::Figure(figure) => Some(figure),
        }
    }
}
