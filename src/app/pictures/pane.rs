//! One pane: wheel, drag, double-click and keys become a new look.

use super::geometry::{Frame, Look};
use base::texts::text;
use egui::{self, CursorIcon, EventFilter, Key, Pos2, Rect, Response, Sense, Ui, Vec2, vec2};

/// Wheel points that magnify e-fold; a notch of a usual mouse is 50 points.
const WHEEL_POINTS_PER_E_FOLD: f32 = 220.0;
/// Points that an arrow key moves the picture by.
const ARROW_POINTS: f32 = 48.0;

/// Keys of the pictures, for the page of shortcuts; the mouse's part is written there.
pub const KEYS: [(&str, &str); 5] = [
    ("window.picture-keys.zoom", "window.picture-keys.zoom-about"),
    ("window.picture-keys.fit", "window.picture-keys.fit-about"),
    ("window.picture-keys.one", "window.picture-keys.one-about"),
    ("window.picture-keys.arrows", "window.picture-keys.arrows-about"),
    ("window.picture-keys.space", "window.picture-keys.space-about"),
];

/// Lets a person move the picture in this pane. `name` is what a screen reader says.
pub fn interact(ui: &Ui, frame: &Frame, look: &mut Look, name: &'static str) -> Response {
    let response = ui.interact(frame.pane, ui.scope_id().with(name), Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::Image, true, name));
    if let Some(new) = by_keys(ui, frame, *look, &response).or_else(|| by_pointer(ui, frame, *look, &response)) {
        *look = new;
    }
    if response.has_focus() {
        let filter = EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
    }
    if response.dragged() { response.on_hover_cursor(CursorIcon::Grabbing) } else { response.on_hover_cursor(CursorIcon::Crosshair) }
}

fn by_pointer(ui: &Ui, frame: &Frame, look: Look, response: &Response) -> Option<Look> {
    if response.double_clicked() {
        return response.interact_pointer_pos().map(|pointer| look.toggled(pointer, frame));
    }
    if response.dragged() && response.drag_delta() != Vec2::ZERO {
        return Some(look.panned(response.drag_delta(), frame));
    }
    let pointer = response.hover_pos()?;
    let (wheel, pinch) = ui.input(|input| (input.smooth_scroll_delta().y, input.zoom_delta()));
    let factor = f64::from((wheel / WHEEL_POINTS_PER_E_FOLD).exp() * pinch);
    ((factor - 1.0).abs() > 1e-6).then(|| look.zoomed(factor, pointer, frame))
}

/// Keys work in the pane that has the keyboard, and in the one under the pointer where nothing has it.
fn by_keys(ui: &Ui, frame: &Frame, look: Look, response: &Response) -> Option<Look> {
    let is_free = response.contains_pointer() && ui.memory(|memory| memory.focused().is_none());
    if !response.has_focus() && !is_free {
        return None;
    }
    ui.input(|input| {
        if input.modifiers.any() && !input.modifiers.shift_only() {
            return None;
        }
        let pressed = |keys: &[Key]| keys.iter().any(|&key| input.key_pressed(key));
        let arrow = |key, x: f32, y: f32| if input.key_pressed(key) { vec2(x, y) * ARROW_POINTS } else { Vec2::ZERO };
        let moved = arrow(Key::ArrowLeft, 1.0, 0.0)
            + arrow(Key::ArrowRight, -1.0, 0.0)
            + arrow(Key::ArrowUp, 0.0, 1.0)
            + arrow(Key::ArrowDown, 0.0, -1.0);
        if pressed(&[Key::Plus, Key::Equals]) {
            Some(look.stepped(true, frame))
        } else if pressed(&[Key::Minus]) {
            Some(look.stepped(false, frame))
        } else if pressed(&[Key::Num0]) {
            Some(Look::Fit)
        } else if pressed(&[Key::Num1]) {
            Some(look.one_to_one(frame))
        } else {
            (moved != Vec2::ZERO).then(|| look.panned(moved, frame))
        }
    })
}

/// The divider of the split view over `picture`, which is what shows of it: dragged, or moved by the arrow keys.
pub fn divider(ui: &Ui, picture: Rect, split: &mut f32) {
    let x = egui::lerp(picture.x_range(), *split);
    let grip = Rect::from_x_y_ranges(x - 7.0..=x + 7.0, picture.y_range());
    let response = ui.interact(grip, ui.scope_id().with("divider"), Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::slider(true, f64::from(*split), text("window.pictures.split-position")));
    if let (true, Some(Pos2 { x, .. })) = (response.dragged(), response.interact_pointer_pos()) {
        *split = (x - picture.left()) / picture.width().max(1.0);
    }
    if response.has_focus() {
        let filter = EventFilter { horizontal_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
        let step = |key| if ui.input(|input| input.key_pressed(key)) { 0.02 } else { 0.0 };
        *split += step(Key::ArrowRight) - step(Key::ArrowLeft);
    }
    *split = split.clamp(0.0, 1.0);
    paint_divider(ui, picture, egui::lerp(picture.x_range(), *split), &response);
    response.on_hover_and_drag_cursor(CursorIcon::ResizeHorizontal);
}

fn paint_divider(ui: &Ui, picture: Rect, x: f32, response: &Response) {
    let is_active = response.hovered() || response.dragged() || response.has_focus();
    let stroke = if is_active { ui.visuals().selection.stroke } else { egui::Stroke::new(1.0, egui::Color32::WHITE) };
    // A dark line on either side keeps the light one visible on light pictures.
    let edge = egui::Stroke::new(stroke.width + 2.0, egui::Color32::from_black_alpha(140));
    ui.painter().vline(x, picture.y_range(), edge);
    ui.painter().vline(x, picture.y_range(), stroke);
    let handle = Rect::from_center_size(egui::pos2(x, picture.center().y), vec2(8.0, 32.0));
    ui.painter().rect(handle, 4.0, ui.visuals().widgets.inactive.bg_fill, stroke, egui::StrokeKind::Middle);
}
