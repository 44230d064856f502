//! The window's frame: bars, stages, the step of the ladder, and the tiles in what is left.

use super::action::Action;
use super::help::help_ui;
use super::ladder_strip::ladder_strip;
use super::lessons_panel::course_ui;
use super::nav::{Section, nav_bar};
use super::notices_ui::notices_ui;
use super::panes::Panels;
use super::project_panel::project_ui;
use super::stages_panel::stages_panel;
use super::start::start_ui;
use super::state::State;
use super::status_bar::status_bar;
use super::theme::{enlarge, space};
use super::tiles::{Tiles, tiles_ui};
use super::top_bar::top_bar;
use base::texts::text;
use egui::{
    Align2, Area, CentralPanel, Color32, FontId, Frame, Id, Label, Margin, Order, Panel, Rect, RichText, Ui, UiBuilder, UiStackInfo, vec2,
};

/// Draws the whole window and returns what the person did.
pub fn draw(ui: &mut Ui, tiles: &mut Tiles, panels: &mut Panels, state: &State, frame_text: &str) -> Vec<Action> {
    // The window is cleared in that color, so no panel paints it; what fades at an edge of a list asks for it.
    let ground = UiStackInfo::default().with_frame(Frame::new().fill(ui.visuals().panel_fill));
    let whole = UiBuilder::new().max_rect(ui.max_rect()).ui_stack_info(ground);
    ui.scope_builder(whole, |ui| draw_on_ground(ui, tiles, panels, state, frame_text)).inner
}

fn draw_on_ground(ui: &mut Ui, tiles: &mut Tiles, panels: &mut Panels, state: &State, frame_text: &str) -> Vec<Action> {
    let mut actions = Vec::new();
    magnify(ui.ctx(), state);
    let below = match state.section {
        Section::Lab => lab(ui, tiles, panels, state, &mut actions),
        Section::Start | Section::Course | Section::Kernels => {
            let bar = Frame::new().inner_margin(Margin::symmetric(16, 6));
            // A projector has few lines: the lesson has its own way out.
            if !is_presented(state) {
                Panel::top("nav").frame(bar).show(ui, |ui| nav_bar(ui, state, &mut actions));
            }
            let below = ui.available_rect_before_wrap();
            match state.section {
                Section::Start => start_ui(ui, &mut panels.start, state, &mut actions),
                Section::Kernels => project_ui(ui, &mut panels.project, state, &mut actions),
                Section::Course | Section::Lab => course_ui(ui, panels, state, &mut actions),
            }
            below
        }
    };
    notices_ui(ui.ctx(), below, state, &mut actions);
    frame_times(ui.ctx(), below, frame_text);
    help_ui(ui, state, &mut actions);
    drop_hint(ui);
    actions
}

/// How much larger than usual a lesson is on a projector.
const PRESENT_ZOOM: f32 = 1.35;

/// Whether a lesson is shown to a class.
fn is_presented(state: &State) -> bool {
    state.section == Section::Course && state.settings.course.is_large && state.settings.course.open.is_some()
}

/// From this size on, in points, a window has more room than Start and lessons need: they grow with it, up to so much.
const ROOMY: [f32; 2] = [1500.0, 950.0];
const MOST_GROWTH: f32 = 1.5;

/// How much a window of this size, in points of no zoom, lets Start and lessons grow: in tenths, as nothing is laid out anew for each point that is dragged.
fn growth([width, height]: [f32; 2]) -> f32 {
    let [wide, high] = ROOMY;
    (10.0 * (width / wide).min(height / high).clamp(1.0, MOST_GROWTH)).floor() / 10.0
}

/// A lesson that is presented is larger as a whole, and all that is read at ease where there is room; on top of what a person has zoomed to.
fn magnify(ctx: &egui::Context, state: &State) {
    let now = ctx.zoom_factor();
    // The zoom itself changes the last digits of the size: on the edge of a tenth the two would chase each other.
    let size = (ctx.content_rect().size() * now).round();
    let grown = if matches!(state.section, Section::Lab | Section::Kernels) { 1.0 } else { growth(size.into()) };
    let magnified = if is_presented(state) { PRESENT_ZOOM * grown } else { grown };
    // Kept over a restart, as the zoom itself is: the person's own, and what it was made.
    let id = Id::unique("own zoom");
    let [own, made] = ctx.data_mut(|data| *data.get_persisted_mut_or(id, [now, now]));
    let own = own_zoom(now, own, made);
    let wanted = own * magnified;
    if (now - wanted).abs() > ZOOM_STEP {
        ctx.set_zoom_factor(wanted);
    }
    ctx.data_mut(|data| data.insert_persisted(id, [own, wanted]));
}

/// Zooms that differ by less are one.
const ZOOM_STEP: f32 = 1e-3;

/// What a person has zoomed to, where it was `own` and the whole was `made` of it: another whole than that is their doing, and 1 is a wish for no zoom.
fn own_zoom(now: f32, own: f32, made: f32) -> f32 {
    if (now - made).abs() <= ZOOM_STEP {
        own
    } else if (now - 1.0).abs() <= ZOOM_STEP {
        1.0
    } else {
        own * now / made.max(ZOOM_STEP)
    }
}

/// All panels. Returns what the bars leave.
fn lab(ui: &mut Ui, tiles: &mut Tiles, panels: &mut Panels, state: &State, actions: &mut Vec<Action>) -> Rect {
    let bar = Frame::new().inner_margin(Margin::symmetric(12, 6));
    let width = ui.ctx().content_rect().width();
    Panel::top("top bar").frame(bar).show(ui, |ui| top_bar(ui, state, actions));
    Panel::bottom("status bar").frame(bar).show(ui, |ui| status_bar(ui, state, actions));
    if state.settings.workspaces.arrangement(width).stages {
        Panel::left("stages")
            .frame(Frame::new().inner_margin(Margin { left: 16, right: 8, top: 10, bottom: 6 }))
            .resizable(true)
            .default_size((width * 0.23).clamp(300.0, 360.0))
            .size_range(240.0..=480.0)
            .show(ui, |ui| stages_panel(ui, state, actions));
    }
    if let Some((ladder, step)) = state.ladder() {
        Panel::top("ladder").frame(bar).show(ui, |ui| {
            enlarge(ui.style_mut(), state.settings.workspaces.now.type_scale());
            ladder_strip(ui, state, ladder, step, actions);
        });
    }
    let below = ui.available_rect_before_wrap();
    CentralPanel::default().frame(Frame::new()).show(ui, |ui| tiles_ui(ui, tiles, panels, state, actions));
    below
}

/// How long frames take, over the lower left corner of what the bars leave: nothing moves for it.
fn frame_times(ctx: &egui::Context, area: Rect, text: &str) {
    if text.is_empty() {
        return;
    }
    let corner = area.left_bottom() + vec2(space::SMALL, -space::SMALL);
    Area::new(Id::unique("frame times")).order(Order::Tooltip).pivot(Align2::LEFT_BOTTOM).fixed_pos(corner).interactable(false).show(
        ctx,
        |ui| {
            Frame::popup(ui.style()).show(ui, |ui| {
                ui.set_max_width(area.width() - 2.0 * space::LARGE);
                ui.add(Label::new(RichText::new(text).small().weak()).wrap());
            });
        },
    );
}

/// Says what happens while a file hangs over the window.
fn drop_hint(ui: &Ui) {
    if ui.input(|input| input.raw.hovered_files.is_empty()) {
        return;
    }
    let painter = ui.ctx().layer_painter(egui::LayerId::new(Order::Foreground, Id::unique("drop hint")));
    let rect = ui.ctx().content_rect();
    painter.rect_filled(rect, 0.0, Color32::from_black_alpha(160));
    painter.text(rect.center(), Align2::CENTER_CENTER, text("window.tiles.drop"), FontId::proportional(28.0), Color32::WHITE);
}

#[cfg(test)]
mod tests {
    use super::{growth, own_zoom};

    #[test]
    fn a_persons_own_zoom_is_told_from_what_was_made_of_it() {
        let is = |found: f32, wanted: f32| assert!((found - wanted).abs() < 1e-3, "{found}");
        // Nothing was pressed; a step up from 1.5, which is 1.0 made half as large again; no zoom is asked for.
        is(own_zoom(1.5, 1.0, 1.5), 1.0);
        is(own_zoom(1.6, 1.0, 1.5), 1.0667);
        is(own_zoom(1.0, 1.2, 1.8), 1.0);
    }

    #[test]
    fn only_what_is_larger_than_needed_grows_and_not_without_end() {
        for (size, wanted) in
            [([1024.0, 700.0], 1.0), ([1400.0, 900.0], 1.0), ([1920.0, 1080.0], 1.1), ([2560.0, 1440.0], 1.5), ([3840.0, 2160.0], 1.5)]
        {
            assert!((growth(size) - wanted).abs() < 1e-6, "{size:?}: {}", growth(size));
        }
    }
}
