//! The program's places, and the slim bar above all but the Lab.

use super::action::{Action, Command};
use super::labels;
use super::settings::Theme;
use super::state::State;
use super::theme::space;
use super::widgets::{menu, name};
use base::texts::{Language, language, text};
use egui::{Align, Button, Layout, RichText, Role, Ui, WidgetInfo};

/// A place of the program: what owns the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Section {
    /// One switch and what it does here: the first ten seconds.
    Start,
    /// Lessons, the course's and ladders.
    Course,
    /// Everything as panels.
    #[default]
    Lab,
    /// Kernels of a person's own.
    Kernels,
}

impl Section {
    /// All, in the order of the bar.
    pub const ALL: [Self; 4] = [Self::Start, Self::Course, Self::Lab, Self::Kernels];

    /// On its button.
    #[must_use]
    pub fn label(self) -> &'static str {
        text(match self {
            Self::Start => "start.section.start",
            Self::Course => "start.section.course",
            Self::Lab => "start.section.lab",
            Self::Kernels => "start.section.kernels",
        })
    }

    fn about(self) -> &'static str {
        text(match self {
            Self::Start => "start.section.start-about",
            Self::Course => "start.section.course-about",
            Self::Lab => "start.section.lab-about",
            Self::Kernels => "start.section.kernels-about",
        })
    }
}

/// The places.
pub fn sections_ui(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    for section in Section::ALL {
        let is_here = state.section == section;
        let response = ui.add(Button::selectable(is_here, section.label()).frame_when_inactive(true));
        response.widget_info(|| WidgetInfo::selected(Role::RadioButton, true, is_here, section.label()));
        if response.clicked() && !is_here {
            actions.push(Action::GoTo(section));
        }
        response.on_hover_text(section.about());
    }
}

/// The bar above all but the Lab: the places, language, looks and help.
pub fn nav_bar(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        ui.set_min_height(32.0);
        ui.label(RichText::new(text("start.name")).strong());
        ui.add_space(space::LARGE);
        ui.spacing_mut().item_spacing.x = space::SMALL;
        sections_ui(ui, state, actions);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let help = ui.add(Button::new("?")).on_hover_text(Command::Help.text().tooltip);
            name(&help, Role::Button, Command::Help.text().label, None);
            if help.clicked() {
                actions.push(Action::Run(Command::Help));
            }
            theme_menu(ui, state, actions);
            language_menu(ui, actions);
        });
    });
}

/// Light, dark or the system's; and whether figures move.
pub fn theme_menu(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    menu(ui, labels::theme(), labels::theme(), 76.0, |ui| {
        for theme in Theme::ALL {
            if ui.selectable_label(state.settings.theme == theme, theme.label()).clicked() {
                actions.push(Action::SetTheme(theme));
                ui.close();
            }
        }
        ui.separator();
        let mut is_still = state.settings.is_still;
        if ui.checkbox(&mut is_still, text("start.still")).on_hover_text(text("start.still-about")).changed() {
            actions.push(Action::SetStill(is_still));
        }
        let mut opens_lab = state.settings.opens_lab;
        if ui.checkbox(&mut opens_lab, text("start.opens-lab")).on_hover_text(text("start.opens-lab-about")).changed() {
            actions.push(Action::SetOpensLab(opens_lab));
        }
    });
}

/// Room for the longest name of a language.
const LANGUAGE_WIDTH: f32 = 96.0;

/// Shows the language that is spoken now, in that language: who cannot read it looks for another one there.
pub fn language_menu(ui: &mut Ui, actions: &mut Vec<Action>) {
    menu(ui, labels::language(), language().label(), LANGUAGE_WIDTH, |ui| {
        for other in Language::ALL {
            if ui.selectable_label(language() == other, other.label()).clicked() {
                actions.push(Action::SetLanguage(other));
                ui.close();
            }
        }
    });
}
