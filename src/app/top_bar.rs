//! Menus and workspaces; below them filter, border, channels, ladder, device.

use super::action::{Action, Command, Export};
use super::filter_card::filter_card;
use super::labels;
use super::nav::{language_menu, sections_ui, theme_menu};
use super::panes::Pane;
use super::settings::Place;
use super::state::State;
use super::storage::path_from_text;
use super::theme::space;
use super::widgets::{Value, choice, choice_with, command_button, field, form_button, menu, name, segments, select_all_on_focus};
use super::workspace::Workspace;
use base::texts::{filled, pair, text};
use egui::{Button, Color32, Response, Role, TextEdit, TextStyle, Ui, WidgetInfo, vec2};
use kernels::filters;
use model::{BorderMode, Channels, Labelled};
use pictures::samples;
use view::plot::Form;

/// Draws the bar; its lower row wraps where the window is narrow.
pub fn top_bar(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    ui.spacing_mut().item_spacing.y = space::SMALL;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = space::SMALL;
        sections_ui(ui, state, actions);
        ui.add_space(space::MEDIUM);
        picture(ui, state, actions);
        export_menu(ui, state, actions);
        theme_menu(ui, state, actions);
        language_menu(ui, actions);
        panels_menu(ui, state, actions);
        command_button(ui, state, Command::Help, false, actions);
        workspaces(ui, state, actions);
    });
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 12.0;
        filter(ui, state, actions);
        ladder(ui, state, actions);
        device(ui, state, true, actions);
    });
}

/// The workspaces, at the right end of the row where there is room for all, else as a menu.
fn workspaces(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    let now = state.settings.workspaces.now;
    let font = TextStyle::Button.resolve(ui.style());
    let text_width = |label: &str| ui.painter().layout_no_wrap(label.to_owned(), font.clone(), Color32::PLACEHOLDER).size().x;
    let (padding, gap) = (2.0 * ui.spacing().button_padding.x, ui.spacing().item_spacing.x);
    let width: f32 = Workspace::ALL.into_iter().map(|workspace| text_width(workspace.label()) + padding + gap).sum();
    let room = ui.available_width() - width;
    if room < 0.0 {
        menu(ui, labels::workspace(), now.label(), 84.0, |ui| {
            for workspace in Workspace::ALL {
                command_button(ui, state, Command::Workspace(workspace), true, actions);
            }
        });
        return;
    }
    ui.add_space(room);
    for workspace in Workspace::ALL {
        let command = Command::Workspace(workspace);
        let response = ui.add(Button::selectable(workspace == now, workspace.label()).frame_when_inactive(true));
        let label = format!("{} {}", labels::workspace(), workspace.label());
        response.widget_info(|| WidgetInfo::selected(Role::RadioButton, response.enabled(), workspace == now, label.as_str()));
        if response.clicked() && workspace != now {
            actions.push(Action::Run(command));
        }
        response.on_hover_text(hover_text(ui, command));
    }
}

/// What a command does, with its keys.
fn hover_text(ui: &Ui, command: Command) -> String {
    let text = command.text();
    let keys = text.shortcut.map_or_else(String::new, |keys| format!(" ({})", ui.ctx().format_shortcut(&keys)));
    format!("{}{keys}", text.tooltip)
}

/// Shows and hides panels.
fn panels_menu(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    let workspaces = &state.settings.workspaces;
    let before = workspaces.arrangement(ui.ctx().content_rect().width());
    let mut after = before.clone();
    menu(ui, labels::panels_menu(), labels::panels_menu(), 88.0, |ui| {
        ui.set_min_width(200.0);
        ui.weak(pair(&labels::workspace(), &workspaces.now.label()));
        ui.checkbox(&mut after.stages, labels::stages());
        for &pane in Pane::all() {
            let mut is_shown = !after.hidden.contains(&pane);
            if ui.checkbox(&mut is_shown, pane.title()).changed() {
                after.show(pane, is_shown);
            }
        }
        ui.separator();
        command_button(ui, state, Command::ResetLayout, true, actions);
        command_button(ui, state, Command::FullScreen, true, actions);
    });
    if after != before {
        actions.push(Action::Arrange(workspaces.now, after));
    }
}

fn picture(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    let title = state.picture.as_ref().map_or(text("window.bar.none"), |opened| opened.name.as_str());
    menu(ui, labels::picture_menu(), &pair(&labels::picture_menu(), &title), 150.0, |ui| picture_menu(ui, state, actions));
}

fn picture_menu(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    ui.set_min_width(320.0);
    command_button(ui, state, Command::Open, true, actions);
    command_button(ui, state, Command::OpenFilter, true, actions);
    command_button(ui, state, Command::Paste, true, actions);
    command_button(ui, state, Command::Generate, true, actions);
    ui.separator();
    path_row(ui, state, actions);
    ui.separator();
    ui.weak(text("window.bar.samples"));
    for sample in samples() {
        if ui.button(sample.label()).on_hover_text(sample.rights()).clicked() {
            actions.push(Action::OpenSample(sample.name.to_owned()));
            ui.close();
        }
    }
    if !state.settings.recent.is_empty() {
        ui.separator();
        ui.weak(text("window.bar.recent"));
        for path in &state.settings.recent {
            let file = path.file_name().map_or_else(|| path.display().to_string(), |file| file.to_string_lossy().into_owned());
            if ui.button(file).on_hover_text(path.display().to_string()).clicked() {
                actions.push(Action::OpenPath(path.clone()));
                ui.close();
            }
        }
        command_button(ui, state, Command::ClearRecent, true, actions);
    }
    ui.separator();
    command_button(ui, state, Command::Quit, true, actions);
}

/// One line to type into, and what it says now.
fn text_field(ui: &mut Ui, said: &str, label: &str, hint: &str, width: f32) -> (Response, String) {
    let mut said = said.to_owned();
    let edit = ui.add(TextEdit::singleline(&mut said).hint_text(hint).desired_width(width));
    name(&edit, Role::TextInput, label, Some(&said));
    (edit, said)
}

/// A path to type or paste, for where no file dialog is installed.
fn path_row(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        let (edit, path) = text_field(ui, &state.path_text, labels::path_field(), text("window.bar.path-hint"), 220.0);
        select_all_on_focus(ui, &edit, &path);
        let is_entered = edit.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
        if edit.changed() {
            actions.push(Action::EditPath(path.clone()));
        }
        let is_clicked = ui.add_enabled(!path.trim().is_empty(), Button::new(labels::open_path())).clicked();
        if (is_clicked || is_entered) && !path.trim().is_empty() {
            actions.push(Action::OpenPath(path_from_text(&path)));
            ui.close();
        }
    });
}

fn filter(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    let now = state.choice();
    let all = filters::all().iter().enumerate().map(|(index, filter)| Value {
        value: index,
        text: filter.label().to_owned(),
        about: filter.summary().to_owned(),
    });
    let index = filters::all().iter().position(|filter| filter.name() == now.spec.filter.name()).unwrap_or(0);
    let card = |ui: &mut Ui, value: &Value<usize>| {
        if let Some(filter) = filters::all().get(value.value) {
            let parameters = if value.value == index { now.spec.parameters.clone() } else { filter.defaults() };
            filter_card(ui, filter, &parameters);
        }
    };
    if let Some(filter) = choice_with(ui, labels::filter(), 150.0, index, all, card).and_then(|index| filters::all().get(index)) {
        actions.push(Action::SetFilter(filter));
    }
    border(ui, state, actions);
    field(ui, labels::channels(), 104.0, |ui| {
        let known = Channels::ALL.into_iter().filter(|channels| now.filter().channels.contains(channels));
        let texts = known.map(|channels| {
            let label = text(match channels {
                Channels::Rgb => "window.bar.rgb",
                Channels::Gray => "window.bar.gray",
            });
            (channels, label.to_owned(), format!("{} {label}", labels::channels()))
        });
        if let Some(channels) = segments(ui, Some(now.spec.channels), texts) {
            actions.push(Action::SetChannels(channels));
        }
    });
}

fn border(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    const WIDTH: f32 = 104.0;
    let now = state.choice();
    if now.filter().looks_at_neighbors() {
        let about = |border: BorderMode| border_about(border).to_owned();
        let borders =
            now.filter().borders.iter().map(|&border| Value { value: border, text: border.name().to_owned(), about: about(border) });
        actions.extend(choice(ui, labels::border(), WIDTH, now.spec.border, borders).map(Action::SetBorder));
        return;
    }
    field(ui, labels::border(), WIDTH, |ui| {
        let response = ui.add_enabled(false, Button::new(text("window.bar.none")).min_size(vec2(WIDTH, 0.0)));
        name(&response, Role::ComboBox, labels::border(), Some(text("window.bar.none")));
        response.on_disabled_hover_text(text("window.bar.no-neighbors"));
    });
}

/// What a filter sees beyond the edge, with an example.
fn border_about(border: BorderMode) -> &'static str {
    match border {
        BorderMode::Copy => text("window.bar.copy"),
        BorderMode::Replicate => text("window.bar.replicate"),
        BorderMode::Reflect101 => text("window.bar.reflect101"),
    }
}

fn ladder(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    let place = state.ladder();
    let ladders = state.choice().filter().ladders();
    let now = place.and_then(|(ladder, _)| ladders.iter().position(|other| other.name == ladder.name));
    let none = Value { value: None, text: labels::no_ladder().to_owned(), about: text("window.bar.free").to_owned() };
    let values = std::iter::once(none).chain(ladders.iter().enumerate().map(|(index, ladder)| Value {
        value: Some(index),
        text: ladder.label().to_owned(),
        about: format!("{}\n{}", ladder.source(), filled("window.about.ladder", &[("device", &ladder.device())])),
    }));
    match choice(ui, labels::ladder(), 172.0, now, values) {
        Some(Some(index)) => actions.extend(ladders.get(index).map(|ladder| Action::SetStep(ladder.name, 0))),
        Some(None) => actions.push(Action::LeaveLadder),
        None => {}
    }
    field(ui, text("window.bar.step"), 144.0, |ui| {
        ui.spacing_mut().item_spacing.x = space::SMALL;
        step_button(ui, state, Command::PreviousStep, "‹", actions);
        let told = match place {
            Some((ladder, step)) => {
                let key = if state.step().is_some() { "window.bar.step-of" } else { "window.bar.step-of-changed" };
                filled(key, &[("number", &(step + 1)), ("count", &ladder.steps.len())])
            }
            None => text("window.bar.no-ladder").to_owned(),
        };
        let response = ui.label(told);
        if let Some((ladder, step)) = place
            && let Some(step) = ladder.steps.get(step)
        {
            let about = format!("{}\n{}", step.label(), step.why());
            response.on_hover_text(match state.step() {
                Some(_) => about,
                None => format!("{about}\n{}", text("window.bar.changed")),
            });
        }
        step_button(ui, state, Command::NextStep, "›", actions);
    });
}

fn step_button(ui: &mut Ui, state: &State, command: Command, glyph: &str, actions: &mut Vec<Action>) {
    let (text, why_not) = (command.text(), state.why_not(command));
    let response = ui.add_enabled(why_not.is_none(), Button::new(glyph).min_size(vec2(30.0, 0.0)));
    name(&response, Role::Button, text.label, None);
    if response.clicked() {
        actions.push(Action::Run(command));
    }
    response.on_hover_text(hover_text(ui, command)).on_disabled_hover_text(why_not.unwrap_or_default());
}

/// Where is computed; CPU competitors are offered `with_cpu`.
pub fn device(ui: &mut Ui, state: &State, with_cpu: bool, actions: &mut Vec<Action>) {
    // Drivers give long names: a wide window shows more of them.
    let width = (ui.ctx().content_rect().width() * 0.2).clamp(160.0, 340.0);
    field(ui, labels::device(), width, |ui| {
        let shown = if with_cpu { state.device() } else { state.device_or_first() };
        let title = match (state.place, shown, &state.devices) {
            (Place::Cpu(engine), ..) if with_cpu => engine.label().to_owned(),
            (_, Some(device), _) => device.label(),
            (_, None, None) => text("window.bar.looking").to_owned(),
            (_, None, Some(_)) => text("window.bar.none").to_owned(),
        };
        let combo = egui::ComboBox::from_id_salt(labels::device()).width(width).selected_text(&title).truncate();
        // A click into the field of other machines leaves it open.
        let combo = combo.close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside).show_ui(ui, |ui| {
            for device in state.device_list() {
                let place = Place::Device(device.index);
                let row = ui.selectable_label(state.place == place, device.label());
                if row
                    .on_hover_text(format!(
                        "{}\n{}\n{}",
                        device.platform,
                        device.opencl_version,
                        filled("window.bar.driver", &[("version", &device.driver_version)])
                    ))
                    .clicked()
                {
                    actions.push(Action::SetPlace(place));
                    ui.close();
                }
            }
            ui.separator();
            for &engine in state.choice().filter().competitors().iter().filter(|_| with_cpu) {
                let place = Place::Cpu(engine);
                if ui.selectable_label(state.place == place, engine.label()).clicked() {
                    actions.push(Action::SetPlace(place));
                    ui.close();
                }
            }
            ui.separator();
            hosts(ui, state, actions);
            command_button(ui, state, Command::Rescan, true, actions);
            if state.why_not(Command::CopyProgram).is_none() {
                command_button(ui, state, Command::CopyProgram, true, actions);
            }
        });
        name(&combo.response, Role::ComboBox, labels::device(), Some(&title));
        combo.response.on_hover_text(title);
    });
}

/// Other machines, whose devices then join the list.
fn hosts(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    ui.weak(text("window.bar.hosts"));
    let (edit, hosts) = text_field(ui, &state.settings.hosts, labels::hosts(), text("window.bar.hosts-hint"), f32::INFINITY);
    if edit.changed() {
        actions.push(Action::EditHosts(hosts));
    }
    if edit.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter)) {
        actions.push(Action::Run(Command::Rescan));
    }
    edit.on_hover_text(text("window.bar.hosts-about"));
}

/// Figures have a row each in the menu, with a button for each form of file.
const FIGURES: &[(&str, &[Export])] = &[
    ("window.pane.timings", &[Export::Plot(Form::Png), Export::Plot(Form::Svg)]),
    ("window.pane.access", &[Export::Access(Form::Png), Export::Access(Form::Svg), Export::Access(Form::Gif)]),
    ("window.pane.timeline", &[Export::Timeline(Form::Png), Export::Timeline(Form::Svg), Export::Timeline(Form::Gif)]),
    ("studies.pane.local-sizes", &[Export::LocalSizes(Form::Png), Export::LocalSizes(Form::Svg)]),
    ("studies.pane.roofline", &[Export::Roofline(Form::Png), Export::Roofline(Form::Svg), Export::Roofline(Form::Gif)]),
];

fn export_menu(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    menu(ui, labels::export_menu(), labels::export_menu(), 76.0, |ui| {
        ui.set_min_width(320.0);
        let is_figure = |export: &Export| FIGURES.iter().any(|(_, exports)| exports.contains(export));
        // What is of a project is offered beside it.
        let is_of_project = |export: &Export| matches!(export, Export::Project | Export::ProjectHeader);
        for export in Export::ALL.into_iter().filter(|export| !is_figure(export) && !is_of_project(export)) {
            command_button(ui, state, Command::Export(export), true, actions);
        }
        command_button(ui, state, Command::ClassPage, true, actions);
        ui.separator();
        egui::Grid::new("figures").show(ui, |ui| {
            for (title, exports) in FIGURES {
                ui.label(text(title));
                for export in *exports {
                    if form_button(ui, state, *export, actions) {
                        ui.close();
                    }
                }
                ui.end_row();
            }
        });
        ui.separator();
        ui.weak(text("window.bar.folder"));
        let folder = &state.settings.export_folder;
        let (edit, folder) = text_field(ui, folder, labels::export_path(), text("window.bar.folder-hint"), f32::INFINITY);
        if edit.changed() {
            actions.push(Action::EditExportPath(folder));
        }
        ui.weak(text("window.bar.teacher-alias"));
        let alias = &state.settings.teacher_alias;
        let (edit, alias) = text_field(ui, alias, labels::teacher_alias(), text("window.bar.teacher-alias-hint"), f32::INFINITY);
        if edit.changed() {
            actions.push(Action::EditTeacherAlias(alias));
        }
    });
}
