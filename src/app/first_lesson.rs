//! The one obvious thing to do at the first start: the ladder that gains most on a device like this one.

use super::action::{Action, Command};
use super::labels;
use super::state::State;
use super::widgets::command_button;
use crate::device::{DeviceInfo, DeviceKind};
use crate::filters::Ladder;
use crate::model::FilterId;
use crate::texts::{filled, text};
use egui::{Align, Button, Label, Layout, RichText, Ui};
use std::fmt::Display;

/// A ladder to begin with, and what it gained where it was measured.
#[derive(Clone, Copy, Debug)]
pub struct FirstLesson {
    /// The ladder.
    pub ladder: &'static Ladder,
    /// The key of what the best step gained over the first one, from the pages in `assets/claims/`.
    pub gain: &'static str,
}

/// The lesson that fits `device`: of all ladders that it can run the one with the largest gain on a device of its kind, where each step is one idea.
#[must_use]
pub fn first_lesson(device: &DeviceInfo) -> Option<FirstLesson> {
    let (filter, name, gain) = match device.kind {
        DeviceKind::Cpu if device.max_image_px.is_some() => (FilterId::Epsilon, "adreno-epsilon", "window.first-lesson.cpu-14"),
        DeviceKind::Cpu => (FilterId::Add, "adreno-vectorized-add", "window.first-lesson.cpu-12"),
        _ => (FilterId::Add, "adreno-vectorized-add", "window.first-lesson.h200-7"),
    };
    Some(FirstLesson { ladder: filter.filter().ladder(name)?, gain })
}

/// Draws the offer; the caller leaves it out where a ladder is being climbed or the offer was declined.
pub fn first_lesson_ui(ui: &mut Ui, state: &State, lesson: FirstLesson, actions: &mut Vec<Action>) {
    let FirstLesson { ladder, gain } = lesson;
    ui.horizontal(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            command_button(ui, state, Command::DeclineLesson, false, actions);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let start = ui.add(
                    Button::new(
                        RichText::new(filled(
                            "window.first-lesson.start",
                            &[("start", &labels::start_lesson()), ("ladder", &ladder.label())],
                        ))
                        .strong(),
                    )
                    .selected(true),
                );
                if start.on_hover_text(ladder.source()).clicked() {
                    actions.push(Action::StartLadder(ladder));
                }
                let filter = ladder.filter.filter();
                let values: [(&str, &dyn Display); 3] =
                    [("filter", &filter.label()), ("count", &ladder.steps.len()), ("gain", &text(gain))];
                let words = filled("window.first-lesson.told", &values);
                ui.add(Label::new(&words).truncate()).on_hover_text(words);
            });
        })
    });
}

#[cfg(test)]
mod tests {
    use super::first_lesson;
    use crate::device::{DeviceInfo, DeviceKind};

    #[test]
    fn every_device_has_a_lesson_whose_first_step_it_can_run() {
        for kind in [DeviceKind::Cpu, DeviceKind::Gpu, DeviceKind::Accelerator, DeviceKind::Other] {
            for max_image_px in [None, Some([16384, 16384])] {
                let device = DeviceInfo { kind, max_image_px, ..DeviceInfo::example() };
                let lesson = first_lesson(&device).expect("a lesson");
                let filter = lesson.ladder.filter.filter();
                let setting = crate::model::Setting::of(&filter.spec(lesson.ladder.channels, lesson.ladder.border)).on(device.abilities());
                let first = lesson.ladder.steps[0].variant();
                assert_eq!(first.fitted(filter, setting).variant, first, "{kind:?} {max_image_px:?}: {}", lesson.ladder.name);
            }
        }
        let pocl = DeviceInfo { kind: DeviceKind::Cpu, max_image_px: Some([16384, 16384]), ..DeviceInfo::example() };
        assert_eq!(first_lesson(&pocl).expect("a lesson").ladder.name, "adreno-epsilon");
    }
}
