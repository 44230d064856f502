//! The access picture of the pixel that was clicked: who makes it, and what each of its loads and stores fetches, step by step.

mod asked;
mod draw;
mod film;
#[cfg(test)]
mod tests;

pub use asked::{AccessSettings, Asked, asked};
pub use draw::file;
pub use film::{AccessFilm, access_film};

use super::action::{Action, Export};
use super::background::Background;
use super::compiled_panel::{against, is_at_rest};
use super::film::picture_info;
use super::scene_ui::{area_at, paint};
use super::source_panel::against_ui;
use super::state::State;
use super::theme::accent;
use super::widgets::{Value, choice, field, form_button, name, segments};
use crate::runner::Look;
use asked::{is_processor, segment_bytes, task};
use base::texts::{filled, text};
use draw::Page;
use egui::{
    Button, DragValue, EventFilter, Key, Label, Rect, Response, RichText, Role, ScrollArea, Sense, Stroke, StrokeKind, Ui, WidgetInfo, vec2,
};
use engine::Task;
use kernels::filters::FilterIdExt;
use view::access::memory::SEGMENT_SIZES_BYTES;
use view::plot::{Form, Scene};

/// Sub-groups that devices have, and work-items that compilers pack into vectors; 1 stands for one after the other.
const SUB_GROUPS: [usize; 6] = [1, 4, 8, 16, 32, 64];

/// Widths differ by so many points at least: the picture is not laid out anew for each point that a person drags.
const WIDTH_STEP: f32 = 16.0;

/// In tiles of these widths in points all controls have room side by side where the variant to compare with takes little of it.
const ONE_ROW: std::ops::Range<f32> = 680.0..740.0;

/// What this panel keeps between frames.
#[derive(Default)]
pub struct AccessPanel {
    /// Of what was asked, in so many points of width; or why there is no picture.
    drawn: Background<(Asked, usize), Result<Page, String>>,
    /// The picture has the keyboard.
    is_focused: bool,
    /// The number of the frame that showed it last.
    frame: u64,
}

/// The pixel that the access picture is about, to be marked in the photo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Column and row.
    pub pixel: [usize; 2],
    /// What its work-group makes: left, top, right, bottom, the last two not included.
    pub group: Option<[usize; 4]>,
}

impl AccessPanel {
    /// What to mark while the panel is on the screen.
    #[must_use]
    pub fn spot(&self, ctx: &egui::Context) -> Option<Spot> {
        let is_on_screen = self.frame + 1 >= ctx.cumulative_frame_nr();
        let ((asked, _), page) = self.drawn.shown().filter(|_| is_on_screen)?;
        Some(Spot { pixel: asked.pixel, group: page.as_ref().ok().and_then(|page| page.group) })
    }

    fn page(&self) -> Option<&Page> {
        self.drawn.shown().and_then(|(_, page)| page.as_ref().ok())
    }
}

/// Draws the panel into all of `ui`.
pub fn access_panel(ui: &mut Ui, panel: &mut AccessPanel, state: &State, actions: &mut Vec<Action>) {
    panel.frame = ui.ctx().cumulative_frame_nr();
    let Some((asked, notes)) = asked(state) else {
        ui.label(text("access.panel.open"));
        return;
    };
    look(state, actions);
    controls(ui, panel, state, &asked, actions);
    let room = ui.available_width() - ui.spacing().scroll.allocated_width() - 4.0;
    let width = (room / WIDTH_STEP).floor().max(20.0) as usize * WIDTH_STEP as usize;
    panel.drawn.follow((asked, width), "access picture", ui.ctx(), |(asked, width), ctx| draw::page(asked, *width, ctx));
    panel.is_focused = ScrollArea::both()
        .auto_shrink([false, false])
        .id_salt("access")
        .show(ui, |ui| {
            for note in notes {
                ui.add(Label::new(RichText::new(&note).small().weak()).truncate()).on_hover_text(note);
            }
            match panel.drawn.shown().map(|(_, page)| page) {
                Some(Ok(page)) => return picture_ui(ui, &page.scene).has_focus(),
                Some(Err(why)) => ui.label(why),
                None => ui.weak(text("access.panel.following")),
            };
            false
        })
        .inner;
}

/// On processors the code tells what the driver made of work-groups and vectors: it is looked at where nobody has. As the panel of compiled code would, so
/// that the two do not ask in turns.
fn look(state: &State, actions: &mut Vec<Action>) {
    let Some((shown, wanted)) = state.shown.as_ref().zip(task(state)).filter(|_| is_processor(state) && is_at_rest(state)) else { return };
    let against = against(state, &shown.task, &state.settings.source.against).ok();
    let is_known = |task: &Task| state.looks.compiled_of(task).is_some();
    let is_enough = is_known(&wanted) && against.as_ref().is_none_or(|other| !state.access.is_compared || is_known(other));
    let look = Look { task: wanted, against, with_lines: false };
    if shown.task == look.task && !is_enough && state.looks.is_new(&look) {
        actions.push(Action::Look(Box::new(look)));
    }
}

/// The picture, which a person can point into and walk through by keys.
fn picture_ui(ui: &mut Ui, scene: &Scene) -> Response {
    let (area, response) = ui.allocate_exact_size(vec2(scene.width as f32, scene.height as f32), Sense::click());
    response.widget_info(|| picture_info(scene));
    paint(ui.painter(), scene, area.min, ui.visuals().dark_mode);
    let stroke = Stroke::new(2.0, accent(ui.visuals().dark_mode));
    if response.clicked() {
        response.request_focus();
    }
    if response.has_focus() {
        let filter = EventFilter { horizontal_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
        ui.painter().rect_stroke(ui.clip_rect().intersect(area.expand(4.0)), 0.0, stroke, StrokeKind::Inside);
    }
    let hit = response.hover_pos().and_then(|pointer| {
        let is_under = |hit: &&view::plot::Hit| area_at(area.min, hit.area).contains(pointer);
        scene.hits.iter().rev().find(is_under)
    });
    let Some(hit) = hit else { return response };
    ui.painter().rect_stroke(area_at(area.min, hit.area), 0.0, stroke, StrokeKind::Outside);
    response.on_hover_text_at_pointer(&hit.name)
}

fn controls(ui: &mut Ui, panel: &AccessPanel, state: &State, asked: &Asked, actions: &mut Vec<Action>) {
    let area = ui.max_rect();
    let mut settings = state.access.clone();
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        pixel_ui(ui, asked, actions);
        step_ui(ui, panel, area, &mut settings);
        segment_ui(ui, state, &mut settings);
        sub_group_ui(ui, state, asked, &mut settings);
        if let Some([passes, shown]) = panel.page().map(|page| page.passes).filter(|[passes, _]| *passes > 1) {
            let told = |pass: usize| filled("access.panel.pass-of", &[("pass", &(pass + 1)), ("count", &passes)]);
            let values = (0..passes).map(|pass| Value { value: pass, text: told(pass), about: String::new() });
            if let Some(pass) = choice(ui, text("access.panel.pass"), 64.0, shown, values) {
                settings.pass = Some(pass);
            }
        } else if panel.page().is_some() {
            settings.pass = None;
        }
        compare_ui(ui, state, &mut settings, actions);
        if asked.shown.spec.filter.filter().conditional.is_some() {
            field(ui, text("access.lanes.show"), 100.0, |ui| {
                let response = ui.checkbox(&mut settings.shows_lanes, "").on_hover_text(text("access.lanes.show-about"));
                let is_on = settings.shows_lanes;
                response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, is_on, text("access.lanes.show")));
            });
        }
        export_ui(ui, state, actions);
    });
    if settings != state.access {
        actions.push(Action::SetAccess(settings));
    }
}

fn pixel_ui(ui: &mut Ui, asked: &Asked, actions: &mut Vec<Action>) {
    let photo = &asked.picture.picture;
    field(ui, text("access.panel.pixel"), 100.0, |ui| {
        let mut wanted = asked.pixel;
        let sides = [(photo.width_px(), "access.panel.column"), (photo.height_px(), "access.panel.row")];
        for (place, (length, axis)) in wanted.iter_mut().zip(sides) {
            let response = ui.add(DragValue::new(place).range(0..=length.saturating_sub(1)));
            name(&response, Role::SpinButton, text(axis), None);
        }
        if wanted != asked.pixel {
            actions.push(Action::PickPixel(wanted));
        }
    });
}

fn step_ui(ui: &mut Ui, panel: &AccessPanel, area: Rect, settings: &mut AccessSettings) {
    let steps = panel.page().map_or(0, |page| page.steps);
    let now = settings.step.unwrap_or(steps + 1).min(steps + 1);
    let caption = match now {
        0 => text("access.panel.who").to_owned(),
        step if step <= steps => filled("access.panel.step", &[("step", &step), ("count", &steps)]),
        _ => text("access.panel.all-steps").to_owned(),
    };
    field(ui, &caption, 108.0, |ui| {
        let back = ui.add(Button::new("‹")).on_hover_text(text("access.panel.previous-about"));
        name(&back, Role::Button, text("access.panel.previous"), None);
        let on = ui.add(Button::new("›")).on_hover_text(text("access.panel.next-about"));
        name(&on, Role::Button, text("access.panel.next"), None);
        let [left, right] = arrows(ui, panel, area);
        if back.clicked() || left {
            settings.step = if now == 0 { None } else { Some(now - 1) };
        } else if on.clicked() || right {
            settings.step = Some(if now > steps { 0 } else { now + 1 }).filter(|step| *step <= steps);
        }
        if ui.add_enabled(now <= steps, Button::new(text("access.panel.all"))).clicked() {
            settings.step = None;
        }
    });
}

fn segment_ui(ui: &mut Ui, state: &State, settings: &mut AccessSettings) {
    let caption = if is_processor(state) { "access.panel.line" } else { "access.panel.segment" };
    field(ui, text(caption), 128.0, |ui| {
        let value = |size: usize| (size, size.to_string(), filled("access.panel.segment-of", &[("size", &size)]));
        if let Some(size) = segments(ui, Some(segment_bytes(state)), SEGMENT_SIZES_BYTES.into_iter().map(value)) {
            settings.segment_bytes = Some(size);
        }
    });
}

fn sub_group_ui(ui: &mut Ui, state: &State, asked: &Asked, settings: &mut AccessSettings) {
    let is_one_by_one = |width: usize| width == 1 && is_processor(state);
    let about = |width: usize| if is_one_by_one(width) { text("access.panel.one-by-one").to_owned() } else { String::new() };
    let mut widths = SUB_GROUPS.to_vec();
    if !widths.contains(&asked.sub_group) {
        widths.push(asked.sub_group);
        widths.sort_unstable();
    }
    let values = widths.into_iter().map(|width| Value { value: width, text: width.to_string(), about: about(width) });
    let caption = text(if is_processor(state) { "access.panel.packed" } else { "access.panel.sub-group" });
    if let Some(width) = choice(ui, caption, 64.0, asked.sub_group, values) {
        settings.sub_group = Some(width);
    }
}

fn compare_ui(ui: &mut Ui, state: &State, settings: &mut AccessSettings, actions: &mut Vec<Action>) {
    // Where that lets all controls stand side by side, the choice is narrower.
    let choice_width = if ONE_ROW.contains(&ui.max_rect().width()) { 112.0 } else { 160.0 };
    let mut source = state.settings.source.clone();
    field(ui, text("access.panel.compare"), choice_width + 28.0, |ui| {
        let response = ui.checkbox(&mut settings.is_compared, "").on_hover_text(text("access.panel.compare-about"));
        let is_on = settings.is_compared;
        response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, is_on, text("access.panel.compare")));
        ui.add_enabled_ui(is_on, |ui| against_ui(ui, state, &mut source, choice_width));
    });
    if source != state.settings.source {
        actions.push(Action::SetSource(source));
    }
}

fn export_ui(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    field(ui, super::labels::export_menu(), 96.0, |ui| {
        for form in [Form::Svg, Form::Png, Form::Gif] {
            form_button(ui, state, Export::Access(form), actions);
        }
    });
}

/// Whether ← or → was pressed for the panel: its picture has the keyboard, or nothing has and the pointer is over it.
fn arrows(ui: &Ui, panel: &AccessPanel, area: Rect) -> [bool; 2] {
    let is_free = ui.rect_contains_pointer(area) && ui.memory(|memory| memory.focused().is_none());
    let is_here = panel.is_focused || is_free;
    [Key::ArrowLeft, Key::ArrowRight].map(|key| is_here && ui.input(|input| input.modifiers.is_none() && input.key_pressed(key)))
}
