//! The access picture of the pixel that was clicked: who makes it, and what each of its loads and stores fetches, step by step.

mod draw;
#[cfg(test)]
mod tests;

use super::action::Action;
use super::scene_ui::scene_ui;
use super::state::State;
use super::widgets::{Value, choice, field, name, segments};
use crate::access::memory::SEGMENT_SIZES_BYTES;
use crate::device::DeviceKind;
use crate::model::LocalSize;
use draw::{Asked, Drawn, Page};
use egui::{Button, DragValue, Key, RichText, Role, ScrollArea, Ui};
use std::sync::mpsc::{Receiver, TryRecvError};

/// Sub-groups that devices have; 1 stands for those that run work-items one after the other.
const SUB_GROUPS: [usize; 6] = [1, 4, 8, 16, 32, 64];

/// Where the driver chooses the work-group, it is shown for this.
const LOCAL: [usize; 2] = [32, 1];

/// Widths differ by so many points at least: the picture is not laid out anew for each point that a person drags.
const WIDTH_STEP: f32 = 16.0;

/// What this panel keeps between frames.
#[derive(Default)]
pub struct AccessPanel {
    /// See [`Asked::step`].
    step: Option<usize>,
    segment_bytes: Option<usize>,
    sub_group: Option<usize>,
    pass: Option<usize>,
    drawn: Option<Drawn>,
    running: Option<Receiver<Drawn>>,
}

/// Draws the panel into all of `ui`.
pub fn access_panel(ui: &mut Ui, panel: &mut AccessPanel, state: &State, actions: &mut Vec<Action>) {
    let Some(opened) = &state.picture else {
        ui.label("Open a picture, then click one of its pixels");
        return;
    };
    let photo = &opened.picture.picture;
    let size = [photo.width_px(), photo.height_px()];
    let pixel = state.pixel.map_or_else(|| size.map(|side| side / 2), |pixel| [0, 1].map(|axis| nearest(&pixel, &size, axis)));
    controls(ui, panel, state, pixel, size, actions);
    if state.choice().local == LocalSize::Driver {
        let text = format!("The driver chooses the work-group's size; this is for {} × {}", LOCAL[0], LOCAL[1]);
        ui.label(RichText::new(text).small().weak());
    }
    let asked = Asked {
        spec: state.choice().spec.clone(),
        variant: state.choice().variant,
        picture: opened.picture.clone(),
        pixel,
        pass: panel.pass,
        local: if let LocalSize::Explicit(local) = state.choice().local { local } else { LOCAL },
        sub_group: sub_group(panel, state),
        segment_bytes: segment_bytes(panel, state),
        step: panel.step,
        width: ((ui.available_width() - ui.spacing().scroll.allocated_width() - 4.0) / WIDTH_STEP).floor().max(20.0) as usize
            * WIDTH_STEP as usize,
    };
    follow(panel, asked, ui.ctx());
    ScrollArea::both().auto_shrink([false, false]).id_salt("access").show(ui, |ui| match panel.drawn.as_ref().map(|drawn| &drawn.result) {
        Some(Ok(page)) => drop(scene_ui(ui, &page.scene)),
        Some(Err(why)) => drop(ui.label(why)),
        None => drop(ui.weak("Following loads and stores …")),
    });
}

/// A place inside the picture, which may be another than the pixel was chosen in.
fn nearest(pixel: &[usize; 2], size: &[usize; 2], axis: usize) -> usize {
    let (place, length) = (pixel.get(axis).copied().unwrap_or(0), size.get(axis).copied().unwrap_or(1));
    place.min(length.saturating_sub(1))
}

fn is_cpu(state: &State) -> bool {
    state.device().or(state.device_list().first()).is_some_and(|device| device.kind == DeviceKind::Cpu)
}

fn sub_group(panel: &AccessPanel, state: &State) -> usize {
    panel.sub_group.unwrap_or(if is_cpu(state) { 1 } else { 32 })
}

fn segment_bytes(panel: &AccessPanel, state: &State) -> usize {
    panel.segment_bytes.unwrap_or(if is_cpu(state) { 64 } else { 32 })
}

/// Takes what has been drawn, and asks for what is not: one thing at a time, the newest wish next.
fn follow(panel: &mut AccessPanel, asked: Asked, ctx: &egui::Context) {
    match panel.running.as_ref().map(Receiver::try_recv) {
        Some(Ok(drawn)) => (panel.drawn, panel.running) = (Some(drawn), None),
        Some(Err(TryRecvError::Disconnected)) => panel.running = None,
        Some(Err(TryRecvError::Empty)) | None => {}
    }
    let is_there = panel.drawn.as_ref().is_some_and(|drawn| drawn.asked == asked);
    if !is_there && panel.running.is_none() {
        panel.running = draw::ask(asked, ctx);
    }
}

fn page(panel: &AccessPanel) -> Option<&Page> {
    panel.drawn.as_ref().and_then(|drawn| drawn.result.as_ref().ok())
}

fn controls(ui: &mut Ui, panel: &mut AccessPanel, state: &State, pixel: [usize; 2], size: [usize; 2], actions: &mut Vec<Action>) {
    let area = ui.max_rect();
    ui.horizontal_wrapped(|ui| {
        field(ui, "Pixel (or click one)", 130.0, |ui| {
            let mut wanted = pixel;
            for ((place, length), axis) in wanted.iter_mut().zip(size).zip(["Column", "Row"]) {
                let response = ui.add(DragValue::new(place).range(0..=length.saturating_sub(1)));
                name(&response, Role::SpinButton, axis, None);
            }
            if wanted != pixel {
                actions.push(Action::PickPixel(wanted));
            }
        });
        let steps = page(panel).map_or(0, |page| page.steps);
        let now = panel.step.unwrap_or(steps + 1).min(steps + 1);
        let caption = match now {
            0 => "Who makes the pixel".to_owned(),
            step if step <= steps => format!("Step {step} of {steps}"),
            _ => "All steps at once".to_owned(),
        };
        field(ui, &caption, 130.0, |ui| {
            let back = ui.add(Button::new("‹")).on_hover_text("Previous step (←)");
            name(&back, Role::Button, "Previous step", None);
            let on = ui.add(Button::new("›")).on_hover_text("Next step (→); after the last, the first");
            name(&on, Role::Button, "Next step", None);
            let [left, right] = arrows(ui, area);
            if back.clicked() || left {
                panel.step = Some(if now == 0 { steps + 1 } else { now - 1 });
            } else if on.clicked() || right {
                panel.step = Some(if now > steps { 0 } else { now + 1 });
            }
            if ui.add_enabled(now <= steps, Button::new("All")).clicked() {
                panel.step = None;
            }
        });
        field(ui, "Segment in bytes", 130.0, |ui| {
            let sizes = SEGMENT_SIZES_BYTES.into_iter().map(|size| (size, size.to_string(), format!("Segments of {size} bytes")));
            if let Some(size) = segments(ui, Some(segment_bytes(panel, state)), sizes) {
                panel.segment_bytes = Some(size);
            }
        });
        let about =
            |width: usize| if width == 1 { "Work-items run one after the other, as on processors".to_owned() } else { String::new() };
        let values = SUB_GROUPS.map(|width| Value { value: width, text: width.to_string(), about: about(width) });
        if let Some(width) = choice(ui, "Sub-group", 70.0, sub_group(panel, state), values.into_iter()) {
            panel.sub_group = Some(width);
        }
        if let Some([passes, shown]) = page(panel).map(|page| page.passes).filter(|[passes, _]| *passes > 1) {
            let values = (0..passes).map(|pass| Value { value: pass, text: format!("{} of {passes}", pass + 1), about: String::new() });
            if let Some(pass) = choice(ui, "Pass", 70.0, shown, values) {
                panel.pass = Some(pass);
            }
        } else if page(panel).is_some() {
            panel.pass = None;
        }
    });
}

/// Whether ← or → was pressed over the panel, while nothing has the keyboard.
fn arrows(ui: &Ui, area: egui::Rect) -> [bool; 2] {
    let is_over = ui.rect_contains_pointer(area);
    if is_over && ui.input(|input| input.pointer.primary_pressed()) {
        // A click takes the keyboard from the picture, whose arrow keys move it.
        ui.memory_mut(|memory| memory.focused().into_iter().for_each(|focused| memory.surrender_focus(focused)));
    }
    let is_here = is_over && ui.memory(|memory| memory.focused().is_none());
    [Key::ArrowLeft, Key::ArrowRight].map(|key| is_here && ui.input(|input| input.modifiers.is_none() && input.key_pressed(key)))
}
