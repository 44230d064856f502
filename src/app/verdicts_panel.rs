//! All steps of a ladder at once: what the guide claims, what was published, what was seen here.

use super::action::Action;
use super::ladder_strip::{claim_again, claimed};
use super::state::State;
use super::story_ui::{cell_ui, table_ui};
use super::theme::{space, type_scale};
use base::texts::{Words, filled, joined, text};
use egui::{Button, RichText, ScrollArea, Ui};
use kernels::filters::Ladder;
use study::claims::elsewhere::DeviceClaims;
use study::claims::{Claimed, Column, table};
use view::story::{self, Cell, Kind, said};

/// What the steps' table has.
const COLUMNS: [Column; 5] = [Column::Step, Column::ClaimBriefly, Column::Found, Column::HereTold, Column::PublishedTold];

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
        if !ladder.is_own {
            ui.label(RichText::new(filled("window.verdicts.source", &[("device", &ladder.device())])).small().weak())
                .on_hover_text(ladder.source());
        }
        ui.add_space(space::SMALL);
        let rows: Vec<Claimed> = (0..ladder.steps.len()).map(|index| claimed(state, ladder, index)).collect();
        if !is_table {
            for row in &rows {
                lines(ui, state, row, now, actions);
            }
            return;
        }
        let mut table = table(ladder, &rows, &COLUMNS);
        if let Some(first) = table.columns.first_mut() {
            first.heads = vec![Words::text("window.verdicts.step")];
        }
        if let Some(device) = elsewhere {
            table.add(
                story::Column::headed("elsewhere", Kind::Words, said(|| filled("window.elsewhere.column", &[("device", &device.name())]))),
                |index| there(state, ladder, index, device),
            );
        }
        table_ui(ui, &table, |ui, index, column, cell| match (rows.get(index), COLUMNS.get(column)) {
            (Some(row), Some(Column::Step)) => button(ui, row, now, actions),
            (Some(row), Some(Column::Found)) => drop(ui.horizontal(|ui| {
                cell_ui(ui, cell);
                claim_again(ui, state, row, actions);
            })),
            _ => drop(cell_ui(ui, cell)),
        });
    });
}

/// What the step did on another device, unless the ladder's last question asks for it.
fn there(state: &State, ladder: &'static Ladder, index: usize, device: &'static DeviceClaims) -> Cell {
    match state.step_elsewhere(ladder, index).into_iter().find(|there| std::ptr::eq(there.device, device)) {
        None => Cell::Missing,
        Some(there) if state.is_held_back(ladder, index, &there) => Cell::Words(Words::Plain("?".to_owned())),
        Some(there) => Cell::Explained(Box::new(Cell::Words(said(|| there.words()))), said(|| there.explained())),
    }
}

/// A step in lines of its own.
fn lines(ui: &mut Ui, state: &State, row: &Claimed, now: usize, actions: &mut Vec<Action>) {
    button(ui, row, now, actions);
    ui.indent(row.index, |ui| {
        // Lines of text, not rows of controls.
        ui.spacing_mut().interact_size.y = 0.0;
        let found = row.cell(Column::Found);
        if found != Cell::Missing {
            cell_ui(ui, &row.cell(Column::ClaimBriefly));
            ui.horizontal_wrapped(|ui| {
                ui.weak(text("window.verdicts.seen-here"));
                cell_ui(ui, &found);
                claim_again(ui, state, row, actions);
            });
        }
        let figure = |column, key| {
            let cell = row.cell(column);
            (cell != Cell::Missing).then(|| filled(key, &[("figure", &cell.told())]))
        };
        let figures =
            [figure(Column::PublishedTold, "window.verdicts.published-figure"), figure(Column::HereTold, "window.verdicts.here-figure")];
        let figures = joined("words.list.clauses", figures.into_iter().flatten());
        ui.label(RichText::new(figures).small().weak());
    });
    ui.add_space(space::SMALL);
}

fn button(ui: &mut Ui, row: &Claimed, now: usize, actions: &mut Vec<Action>) {
    let Some(step) = row.ladder.steps.get(row.index) else { return };
    let button = ui.add(Button::selectable(row.index == now, row.cell(Column::Step).told()));
    if button.on_hover_text(format!("{}\n{}", step.variant(), step.why())).clicked() {
        actions.push(Action::SetStep(row.ladder.name, row.index));
    }
}
