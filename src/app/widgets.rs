//! Small pieces that several panels share.

use super::action::{Action, Command, Export};
use super::state::State;
use super::theme::space;
use base::texts::text;
use egui::text::CCursorRange;
use egui::{Button, Color32, ComboBox, RectAlign, Response, RichText, Role, Stroke, TextEdit, Tooltip, Ui, WidgetInfo, vec2};

/// Height of a control with its caption above it.
pub const FIELD_HEIGHT: f32 = 48.0;

/// A control under a small caption, `width` points wide: a row of them reads like a form and wraps where the window is narrow.
pub fn field<R>(ui: &mut Ui, caption: &str, width: f32, add_control: impl FnOnce(&mut Ui) -> R) -> R {
    let layout = egui::Layout::top_down(egui::Align::LEFT);
    ui.allocate_ui_with_layout(vec2(width, FIELD_HEIGHT), layout, |ui| {
        ui.set_width(width);
        ui.spacing_mut().item_spacing.y = 2.0;
        ui.label(RichText::new(caption).small().weak());
        ui.horizontal(add_control).inner
    })
    .inner
}

/// One value of a [`choice`].
pub struct Value<T> {
    /// The value.
    pub value: T,
    /// As it is shown.
    pub text: String,
    /// What it means; may be empty.
    pub about: String,
}

/// A choice among a few values under its caption, which is also its accessible name. Returns what was newly chosen.
pub fn choice<T: PartialEq + Copy>(ui: &mut Ui, caption: &str, width: f32, now: T, values: impl Iterator<Item = Value<T>>) -> Option<T> {
    choice_with(ui, caption, width, now, values, |ui, value| {
        if !value.about.is_empty() {
            ui.label(&value.about);
        }
    })
}

/// The same, where what a value means is drawn by `about_ui`, on hover of its entry, and of the choice where it is chosen.
pub fn choice_with<T: PartialEq + Copy>(
    ui: &mut Ui,
    caption: &str,
    width: f32,
    now: T,
    values: impl Iterator<Item = Value<T>>,
    about_ui: impl Fn(&mut Ui, &Value<T>),
) -> Option<T> {
    let values: Vec<_> = values.collect();
    let chosen_now = values.iter().find(|value| value.value == now);
    let text = chosen_now.map_or("", |value| value.text.as_str());
    let mut chosen = None;
    field(ui, caption, width, |ui| {
        let combo = ComboBox::from_id_salt(caption).width(width).selected_text(text).truncate().show_ui(ui, |ui| {
            for value in &values {
                let row = ui.selectable_label(value.value == now, value.text.as_str());
                if !value.about.is_empty() {
                    let mut about = Tooltip::for_enabled(&row);
                    // Beside the entry: below it would cover those that follow.
                    about.popup = about.popup.align(RectAlign::RIGHT_START);
                    about.show(|ui| about_ui(ui, value));
                }
                if row.clicked() && value.value != now {
                    chosen = Some(value.value);
                }
            }
        });
        name(&combo.response, Role::ComboBox, caption, Some(text));
        combo.response.on_hover_ui(|ui| {
            ui.label(text);
            if let Some(value) = chosen_now {
                about_ui(ui, value);
            }
        });
    });
    chosen
}

/// A button that shows `title` and opens a list of commands and fields. The list stays open while a field in it is being used.
pub fn menu(ui: &mut Ui, label: &str, title: &str, width: f32, add_entries: impl FnOnce(&mut Ui)) {
    let combo = ComboBox::from_id_salt(label)
        .width(width)
        .selected_text(title)
        .truncate()
        .height(640.0)
        .close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside)
        .show_ui(ui, |ui| {
            // A list of entries, not a stack of buttons.
            let entries = &mut ui.visuals_mut().widgets.inactive;
            entries.weak_bg_fill = Color32::TRANSPARENT;
            entries.bg_stroke = Stroke::NONE;
            add_entries(ui);
        });
    name(&combo.response, Role::Button, label, Some(title));
}

/// Selects all that a field of text has when it gets the keyboard, so that what is typed takes its place. A second click goes to its letter.
pub fn select_all_on_focus(ui: &Ui, field: &Response, text: &str) {
    let id = field.id.with("selected");
    let is_pressed = ui.input(|input| input.pointer.any_down());
    if field.gained_focus() {
        ui.data_mut(|data| data.insert_temp(id, true));
    }
    // While the button is down, the field itself selects what lies between the press and the pointer.
    if !is_pressed && field.has_focus() && ui.data_mut(|data| data.remove_temp::<bool>(id)).is_some() {
        let mut state = TextEdit::load_state(ui.ctx(), field.id).unwrap_or_default();
        state.cursor.set_char_range(Some(CCursorRange::select_all_str(text)));
        state.store(ui.ctx(), field.id);
        ui.ctx().request_repaint();
    }
}

/// Gives a control its accessible name, whatever text it shows.
pub fn name(response: &Response, kind: Role, label: &str, value: Option<&str>) {
    response.widget_info(|| {
        let mut info = WidgetInfo::labeled(kind, response.enabled(), label);
        info.current_text_value = value.map(str::to_owned);
        info
    });
}

/// A button for a command; disabled with the sentence why where it cannot be given now. `in_menu`, it shows its shortcut and closes the
/// menu.
pub fn command_button(ui: &mut Ui, state: &State, command: Command, in_menu: bool, actions: &mut Vec<Action>) -> Response {
    let text = command.text();
    let mut button = Button::new(text.label);
    if let (true, Some(keys)) = (in_menu, text.shortcut) {
        button = button.shortcut_text(ui.ctx().format_shortcut(&keys));
    }
    let why_not = state.why_not(command);
    let response = ui.add_enabled(why_not.is_none(), button).on_hover_text(text.tooltip);
    name(&response, Role::Button, text.label, None);
    if response.clicked() {
        actions.push(Action::Run(command));
        if in_menu {
            ui.close();
        }
    }
    match why_not {
        Some(sentence) => response.on_disabled_hover_text(sentence),
        None => response,
    }
}

/// "PNG", which is the whole command's label for who cannot see its row. Whether it was pressed; what is no figure has no such button.
pub fn form_button(ui: &mut Ui, state: &State, export: Export, actions: &mut Vec<Action>) -> bool {
    let Some(form) = export.form() else { return false };
    let command = Command::Export(export);
    let (words, why_not) = (command.text(), state.why_not(command));
    let response = ui.add_enabled(why_not.is_none(), Button::new(form.extension().to_uppercase()));
    name(&response, Role::Button, words.label, None);
    let is_pressed = response.clicked();
    if is_pressed {
        actions.push(Action::Run(command));
    }
    let tooltip =
        words.shortcut.map_or_else(|| words.tooltip.to_owned(), |keys| format!("{} ({})", words.tooltip, ui.ctx().format_shortcut(&keys)));
    match why_not {
        Some(sentence) => drop(response.on_disabled_hover_text(sentence)),
        None => drop(response.on_hover_text(tooltip)),
    }
    is_pressed
}

/// Least width of one value of [`segments`], in points.
pub const SEGMENT_WIDTH: f32 = 32.0;

/// A row of mutually exclusive values, each with its text and its accessible name. Returns what was newly chosen.
pub fn segments<T: PartialEq + Copy>(ui: &mut Ui, now: Option<T>, values: impl Iterator<Item = (T, String, String)>) -> Option<T> {
    ui.horizontal(|ui| segments_in(ui, now, values)).inner
}

/// The same on as many lines as they need.
pub fn segments_wrapped<T: PartialEq + Copy>(ui: &mut Ui, now: Option<T>, values: impl Iterator<Item = (T, String, String)>) -> Option<T> {
    ui.horizontal_wrapped(|ui| segments_in(ui, now, values)).inner
}

fn segments_in<T: PartialEq + Copy>(ui: &mut Ui, now: Option<T>, values: impl Iterator<Item = (T, String, String)>) -> Option<T> {
    let mut chosen = None;
    ui.spacing_mut().item_spacing = vec2(space::SMALL, space::SMALL);
    for (value, text, label) in values {
        let is_now = now == Some(value);
        let response = ui.add(Button::selectable(is_now, text).frame_when_inactive(true).min_size(vec2(SEGMENT_WIDTH, 0.0)));
        response.widget_info(|| WidgetInfo::selected(Role::RadioButton, response.enabled(), is_now, label.as_str()));
        if response.clicked() && !is_now {
            chosen = Some(value);
        }
    }
    chosen
}

/// Beside what is undecided: a button that asks for `action`, which measures it once more, for longer; not while something is being measured.
pub fn again_button(ui: &mut Ui, state: &State, action: impl FnOnce() -> Action, actions: &mut Vec<Action>) {
    let can_run = state.pending.is_empty() && !state.device_list().is_empty();
    let button = ui.add_enabled(can_run, Button::new(text("window.again.label")).small());
    if button.on_hover_text(text("window.again.about")).clicked() {
        actions.push(action());
    }
}
