//! Where the panels are. Pictures get the most room; the stages are always visible.

use super::action::{Action, Command};
use super::help::help_ui;
use super::ladder_strip::ladder_strip;
use super::notices_ui::notices_ui;
use super::pictures::{PicturesPanel, pictures_ui};
use super::settings::Tab;
use super::source_panel::{SourcePanel, source_ui};
use super::stages_panel::stages_panel;
use super::state::State;
use super::status_bar::status_bar;
use super::theme::space;
use super::timings::{TimingsPanel, timings_ui};
use super::top_bar::top_bar;
use super::widgets::{command_button, segments};
use crate::error::Result;
use egui::{Align, CentralPanel, Color32, FontId, Frame, Layout, Margin, Panel, Ui, UiBuilder};

/// What the large panels keep between frames.
pub struct Panels {
    /// Its view thread is told of outputs by the worker's.
    pub pictures: PicturesPanel,
    timings: TimingsPanel,
    source: SourcePanel,
}

impl Panels {
    /// Starts what the panels need.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn new(ctx: &egui::Context) -> Result<Self> {
        Ok(Self { pictures: PicturesPanel::new(ctx)?, timings: TimingsPanel::default(), source: SourcePanel::default() })
    }
}

/// Height that is left to the pictures where there is that much.
const MIN_PICTURES: f32 = 300.0;

/// Draws the whole window and returns what the person did.
pub fn draw(ui: &mut Ui, panels: &mut Panels, state: &State, frame_text: &str) -> Vec<Action> {
    let mut actions = Vec::new();
    let fill = ui.visuals().panel_fill;
    let bar = Frame::new().fill(fill).inner_margin(Margin::symmetric(12, 6));
    let window = ui.available_size();
    Panel::top("top bar").frame(bar).show(ui, |ui| top_bar(ui, state, &mut actions));
    Panel::bottom("status bar").frame(bar).show(ui, |ui| status_bar(ui, state, frame_text, &mut actions));
    Panel::left("stages")
        .frame(Frame::new().fill(fill).inner_margin(Margin { left: 16, right: 8, top: 10, bottom: 6 }))
        .resizable(true)
        .default_size((window.x * 0.23).clamp(300.0, 360.0))
        .size_range(240.0..=480.0)
        .show(ui, |ui| stages_panel(ui, state, &mut actions));
    if !state.notices.all().is_empty() {
        Panel::top("notices").frame(bar).show(ui, |ui| notices_ui(ui, state, &mut actions));
    }
    if let Some((ladder, step)) = state.ladder() {
        Panel::top("ladder").frame(bar).show(ui, |ui| ladder_strip(ui, state, ladder, step));
    }
    Panel::bottom("lower")
        .frame(Frame::new().fill(fill).inner_margin(Margin::symmetric(12, 6)))
        .resizable(true)
        .default_size(window.y * 0.38)
        // In a low window the pictures keep their room, whatever height was dragged to in a high one.
        .size_range(190.0..=(ui.available_height() - MIN_PICTURES).max(190.0))
        .show(ui, |ui| lower(ui, panels, state, &mut actions));
    CentralPanel::default()
        .frame(Frame::new().fill(fill).inner_margin(Margin::symmetric(12, 6)))
        .show(ui, |ui| pictures_ui(ui, &mut panels.pictures, state, &mut actions));
    help_ui(ui, state, &mut actions);
    drop_hint(ui);
    actions
}

fn lower(ui: &mut Ui, panels: &mut Panels, state: &State, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        let tabs = Tab::ALL.into_iter().map(|tab| (tab, tab.label().to_owned(), tab.label().to_owned()));
        if let Some(tab) = segments(ui, Some(state.settings.tab), tabs) {
            actions.push(Action::SetTab(tab));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            for command in [Command::MeasureLadder, Command::MeasureCpu, Command::Measure] {
                command_button(ui, state, command, false, actions);
            }
        });
    });
    ui.add_space(space::SMALL);
    // The panel keeps the height that it was dragged to, however little or much is in it.
    let rect = ui.available_rect_before_wrap();
    ui.advance_cursor_after_rect(rect);
    let mut inner = ui.new_child(UiBuilder::new().max_rect(rect));
    inner.shrink_clip_rect(rect.expand(4.0));
    match state.settings.tab {
        Tab::Timings => timings_ui(&mut inner, &mut panels.timings, state, actions),
        Tab::Source => source_ui(&mut inner, &mut panels.source, state, actions),
    }
}

/// Says what happens while a file hangs over the window.
fn drop_hint(ui: &Ui) {
    if ui.input(|input| input.raw.hovered_files.is_empty()) {
        return;
    }
    let painter = ui.ctx().layer_painter(egui::LayerId::new(egui::Order::Foreground, egui::Id::unique("drop hint")));
    let rect = ui.ctx().content_rect();
    painter.rect_filled(rect, 0.0, Color32::from_black_alpha(160));
    painter.text(rect.center(), egui::Align2::CENTER_CENTER, "Drop to open the picture", FontId::proportional(28.0), Color32::WHITE);
}
