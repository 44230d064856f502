//! The controls under the pictures. Labels are unique: they are what tests and screen readers go by.

use super::geometry::{Frame, Look};
use super::settings::{Against, MAX_GAIN, Mode, PicturesSettings};
use crate::app::theme::space;
use base::texts::text;
use egui::{self, Button, Key, RichText, Slider, TextStyle, Ui, Vec2};

/// Label of the button that shows the original while it is pressed.
#[must_use]
pub fn hold_label() -> &'static str {
    text("window.pictures.hold")
}

/// Points that all controls take beside each other, and what two lines of them take, at the usual type size.
const ONE_LINE: f32 = 690.0;
const TWO_LINES: f32 = 380.0;

/// Height that captions, values and pictures have before controls get a second line.
const PICTURES_FIRST: f32 = 190.0;

/// In a panel that is lower than this there are pictures, and no controls at all.
const NO_CONTROLS: f32 = 118.0;

/// In a panel that is lower than this there is no line of numbers.
const NO_READOUT: f32 = 160.0;

/// In a panel that is lower than this nothing says which picture is which: there are the pictures alone.
const NO_CAPTIONS: f32 = 84.0;

/// Whether a panel so high has room for a line of numbers.
pub fn has_readout(ui: &Ui, height: f32) -> bool {
    height >= NO_READOUT * TextStyle::Button.resolve(ui.style()).size / 15.0
}

/// Whether it has room for captions.
pub fn has_captions(ui: &Ui, height: f32) -> bool {
    height >= NO_CAPTIONS * TextStyle::Button.resolve(ui.style()).size / 15.0
}

/// How many lines the controls take in a panel of this size. Where it is low, pictures go first: controls that have no room are cut off, and keys and
/// wheel do the same.
pub fn lines(ui: &Ui, panel: Vec2) -> u8 {
    let scale = TextStyle::Button.resolve(ui.style()).size / 15.0;
    let row = ui.spacing().interact_size.y + ui.spacing().item_spacing.y;
    if panel.y < NO_CONTROLS * scale {
        return 0;
    }
    let most = ((panel.y - PICTURES_FIRST * scale) / row).clamp(1.0, 3.0) as u8;
    let wanted = match panel.x / scale {
        width if width >= ONE_LINE => 1,
        width if width >= TWO_LINES => 2,
        _ => 3,
    };
    wanted.min(most)
}

/// The controls in 0 to 3 `lines`. True while the person holds the button or Space to see the original.
pub fn rows(ui: &mut Ui, lines: u8, wish: &mut PicturesSettings, frame: Option<&Frame>, is_pane_focused: bool) -> bool {
    // Narrow enough for a window of 1024 points.
    ui.spacing_mut().item_spacing.x = space::SMALL;
    if lines == 0 {
        return holds_space(ui, is_pane_focused);
    }
    let mut is_held = false;
    ui.horizontal(|ui| {
        mode_buttons(ui, wish);
        if lines == 1 {
            ui.separator();
            zoom_buttons(ui, &mut wish.look, frame);
            ui.separator();
            is_held = hold_button(ui, is_pane_focused);
        }
    });
    if lines > 1 {
        ui.horizontal(|ui| {
            zoom_buttons(ui, &mut wish.look, frame);
            if lines == 2 {
                ui.separator();
                is_held = hold_button(ui, is_pane_focused);
            }
        });
    }
    if lines > 2 {
        ui.horizontal(|ui| is_held = hold_button(ui, is_pane_focused));
    }
    is_held
}

fn mode_buttons(ui: &mut Ui, wish: &mut PicturesSettings) {
    for mode in Mode::ALL {
        if ui.selectable_label(wish.mode == mode, mode.label()).on_hover_text(mode.reason()).clicked() {
            wish.mode = mode;
        }
    }
}

fn hold_button(ui: &mut Ui, is_pane_focused: bool) -> bool {
    // Half a button would be no button: the space bar does the same.
    let font = TextStyle::Button.resolve(ui.style());
    let words = ui.painter().layout_no_wrap(hold_label().to_owned(), font, egui::Color32::PLACEHOLDER).size().x;
    if words + 2.0 * ui.spacing().button_padding.x > ui.available_rect_before_wrap().intersect(ui.clip_rect()).width() {
        return holds_space(ui, is_pane_focused);
    }
    let hold = ui.add(Button::new(hold_label()).sense(egui::Sense::click_and_drag()));
    let hold = hold.on_hover_text(text("window.pictures.hold-about"));
    hold.is_pointer_button_down_on() || holds_space(ui, hold.has_focus() || is_pane_focused)
}

fn zoom_buttons(ui: &mut Ui, look: &mut Look, frame: Option<&Frame>) {
    ui.add_enabled_ui(frame.is_some(), |ui| enabled_zoom_buttons(ui, look, frame));
}

fn enabled_zoom_buttons(ui: &mut Ui, look: &mut Look, frame: Option<&Frame>) {
    let before = *look;
    if ui.selectable_label(before == Look::Fit, text("window.pictures.fit")).on_hover_text(text("window.pictures.fit-about")).clicked() {
        *look = Look::Fit;
    }
    let Some(frame) = frame else { return };
    let is_one_to_one = before != Look::Fit && (frame.scale(before) - 1.0).abs() < 1e-6;
    if ui.selectable_label(is_one_to_one, "1:1").on_hover_text(text("window.pictures.one-to-one-about")).clicked() {
        *look = before.one_to_one(frame);
    }
    if named(ui, "−", text("window.pictures.zoom-out")).on_hover_text(text("window.pictures.zoom-out-about")).clicked() {
        *look = before.stepped(false, frame);
    }
    let percent = RichText::new(percent(frame.scale(before))).small();
    ui.add_sized([52.0, ui.spacing().interact_size.y], egui::Label::new(percent).selectable(false));
    if named(ui, "+", text("window.pictures.zoom-in")).on_hover_text(text("window.pictures.zoom-in-about")).clicked() {
        *look = before.stepped(true, frame);
    }
}

/// A button whose accessible name says more than its sign.
fn named(ui: &mut Ui, sign: &str, name: &'static str) -> egui::Response {
    let response = ui.button(sign);
    let enabled = response.enabled();
    response.widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::Button, enabled, name));
    response
}

fn percent(scale: f64) -> String {
    let percent = scale * 100.0;
    if percent < 9.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

/// Space flips unless it is meant for another control.
fn holds_space(ui: &Ui, is_mine: bool) -> bool {
    let is_free = is_mine || ui.memory(|memory| memory.focused().is_none());
    is_free && ui.input(|input| input.key_down(Key::Space))
}

/// What the difference is taken from, and its gain.
pub fn difference(ui: &mut Ui, wish: &mut PicturesSettings, has_reference: bool) {
    for against in Against::ALL {
        let is_there = against == Against::Original || has_reference;
        let button = ui.add_enabled(is_there, Button::selectable(wish.against == against, against.label()));
        if button.on_disabled_hover_text(text("window.pictures.no-reference")).clicked() {
            wish.against = against;
        }
    }
    ui.spacing_mut().slider_width = 90.0;
    let slider = Slider::new(&mut wish.gain, 1..=MAX_GAIN).logarithmic(true).integer().prefix("× ");
    let label = ui.label(text("window.pictures.gain"));
    ui.add(slider).labelled_by(label.id).on_hover_text(text("window.pictures.gain-about"));
}
