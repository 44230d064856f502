//! How the picture gets into the device's memory and back: copied, or mapped where it lies.

use super::action::Action;
use super::labels;
use super::state::State;
use super::theme::space;
use super::widgets::segments_wrapped;
use egui::{Label, RichText, Ui};
use model::HostMemory;

/// Draws the control; without a device there is nothing to choose.
pub fn host_memory_ui(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    if state.device().is_none() {
        return;
    }
    let now = state.choice().host_memory;
    ui.add_space(space::SMALL);
    ui.horizontal(|ui| {
        ui.strong(labels::host_memory());
        ui.add(Label::new(RichText::new(now.short_reason()).small().weak()).truncate()).on_hover_text(now.reason());
    });
    let texts = HostMemory::ALL.map(|choice| (choice, choice.short().to_owned(), format!("{} {}", labels::host_memory(), choice.short())));
    if let Some(choice) = segments_wrapped(ui, Some(now), texts.into_iter()) {
        actions.push(Action::SetHostMemory(choice));
    }
}
