//! The bar that finds a word in the edited kernel.

use super::typing::matches;
use crate::app::labels;
use crate::app::theme::space;
use crate::app::widgets::name;
use base::texts::{filled, text as words};
use egui::{EventFilter, Id, Key, Modifiers, Role, TextEdit, Ui, vec2};
use std::ops::Range;

/// Width of the field, in points.
const FIELD_POINTS: f32 = 180.0;

/// Width of a button with a sign, in points.
const SIGN_POINTS: f32 = 28.0;

/// What is sought, while the bar is open.
#[derive(Default)]
pub struct Find {
    sought: Option<String>,
    /// Which of the matches is selected.
    current: usize,
    /// The field takes the keyboard.
    is_new: bool,
}

/// Where to go in the bar's matches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Next,
    Previous,
    /// The first one from the cursor on.
    Nearest,
}

/// What a frame of the bar comes to.
#[derive(Default)]
pub struct Found {
    /// All matches, as bytes.
    pub all: Vec<Range<usize>>,
    /// The one that is selected.
    pub current: Option<Range<usize>>,
    /// It is to be selected in the text and brought into view.
    pub is_moved: bool,
    /// The keyboard goes back to the text.
    pub is_closed: bool,
}

impl Find {
    /// Takes the keys that open the bar and go on in it, and draws it where it is open. `selected` is what is selected in `text`, in bytes.
    pub fn show(&mut self, ui: &mut Ui, field: Id, text: &str, selected: &Range<usize>) -> Found {
        let own = ui.make_persistent_id("find");
        let is_here = ui.memory(|memory| memory.focused().is_none_or(|focused| focused == field || focused == own));
        let consumed = |modifiers, key| is_here && ui.input_mut(|input| input.consume_key(modifiers, key));
        if consumed(Modifiers::COMMAND, Key::F) {
            let word = text.get(selected.clone()).filter(|word| !word.is_empty() && !word.contains('\n'));
            self.sought = Some(word.map_or_else(|| self.sought.take().unwrap_or_default(), str::to_owned));
            self.is_new = true;
        }
        if self.sought.is_none() {
            return Found::default();
        }
        let mut step = None;
        // Shift first: a key without it is pressed with it, too.
        for (modifiers, key, to) in [(Modifiers::SHIFT, Key::F3, Step::Previous), (Modifiers::NONE, Key::F3, Step::Next)] {
            step = step.or(consumed(modifiers, key).then_some(to));
        }
        let bar = ui.horizontal(|ui| self.bar_ui(ui, own, text, &mut step)).inner;
        if bar.is_closed {
            let current = bar.all.get(self.current).cloned();
            return Found { current, ..bar };
        }
        let all = bar.all;
        match step {
            Some(Step::Next) => self.current = (self.current + 1) % all.len().max(1),
            Some(Step::Previous) => self.current = (self.current + all.len().max(1) - 1) % all.len().max(1),
            Some(Step::Nearest) => self.current = all.iter().position(|found| found.start >= selected.start).unwrap_or(0),
            None => self.current = self.current.min(all.len().saturating_sub(1)),
        }
        let current = all.get(self.current).cloned();
        Found { is_moved: step.is_some() && current.is_some(), current, all, is_closed: false }
    }

    fn bar_ui(&mut self, ui: &mut Ui, own: Id, text: &str, step: &mut Option<Step>) -> Found {
        let Some(sought) = &mut self.sought else { return Found::default() };
        ui.spacing_mut().item_spacing.x = space::SMALL;
        // With Escape among its keys the field keeps the keyboard until the bar is closed: else Escape would end what is being measured, too.
        let filter = EventFilter { horizontal_arrows: true, escape: true, ..EventFilter::default() };
        let edit =
            TextEdit::singleline(sought).id(own).desired_width(FIELD_POINTS).event_filter(filter).hint_text(words("window.editor.find"));
        let response = ui.add(edit);
        name(&response, Role::TextInput, labels::find_text(), None);
        if std::mem::take(&mut self.is_new) {
            response.request_focus();
            *step = Some(Step::Nearest);
        }
        if response.changed() {
            *step = Some(Step::Nearest);
        }
        // A field of one line gives the keyboard away with Enter; here Enter goes on.
        if response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
            *step = Some(if ui.input(|input| input.modifiers.shift) { Step::Previous } else { Step::Next });
            response.request_focus();
        }
        let all = matches(text, sought);
        let values: [(&str, &dyn std::fmt::Display); 2] = [("at", &(self.current + 1).min(all.len())), ("count", &all.len())];
        // Signs, as a row of words has no room in a narrow panel.
        let button = |ui: &mut Ui, sign: &str, label: &str, about: &'static str, is_enabled: bool| {
            let button = ui.add_enabled(is_enabled, egui::Button::new(sign).min_size(vec2(SIGN_POINTS, 0.0)));
            name(&button, Role::Button, label, None);
            button.on_hover_text(words(about)).clicked()
        };
        if button(ui, "‹", labels::find_previous(), "window.editor.find-previous-about", !all.is_empty()) {
            *step = Some(Step::Previous);
        }
        if button(ui, "›", labels::find_next(), "window.editor.find-next-about", !all.is_empty()) {
            *step = Some(Step::Next);
        }
        let is_closed = button(ui, "×", labels::find_close(), "window.editor.find-close-about", true)
            || (response.has_focus() && ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape)));
        // Last: its width changes, and what stands before it must not move.
        if !sought.is_empty() {
            ui.weak(filled("window.editor.find-count", &values));
        }
        if is_closed {
            self.sought = None;
        }
        Found { all, is_closed, ..Found::default() }
    }
}
