//! Kernels of a person's own: the project's configurations, one of them run, and the search for the fastest.

use super::action::{Action, Command, Export};
use super::autotune_panel::limit_label;
use super::map_ui::{CellWords, map_ui};
use super::own_project::{LIMITS_S, OwnProject, ProjectAction};
use super::scene_ui::{Kept, hits_ui, measure};
use super::state::State;
use super::story_ui::{figure_size, scenes, story_ui};
use super::studies_ui::{running_ui, warning};
use super::theme::{right, space};
use super::top_bar::device;
use super::widgets::{Value, choice, command_button, field, segments};
use crate::runner::Steer;
use base::error::Error;
use base::texts::{filled, text};
use egui::{CentralPanel, Frame, Label, Margin, Panel, RichText, ScrollArea, Ui};
use kernels::project::{PROJECT, Point, Project, Reference};
use model::CompiledKernel;
use std::fmt::Display;
use std::time::Duration;
use study::projects::{self, Ending, HeatMap, Strategy, Trial};
use view::plot::{Scene, units};
use view::story::{Figure, Story};

/// A choice of a parameter's value, and of a strategy.
const VALUE_POINTS: f32 = 110.0;

/// Room for the choices of a search's time.
const LIMITS_POINTS: f32 = 280.0;

/// A map with more cells than these cannot be read, nor drawn in time.
const MOST_CELLS: usize = 2500;

/// A build log takes no more of the panel's height.
const LOG_POINTS: f32 = 220.0;

/// What this panel keeps between frames.
#[derive(Default)]
pub struct ProjectPanel {
    drawn: Kept<Drawn>,
    history: Kept<Vec<Scene>>,
}

/// The figures of what was tried so far.
struct Drawn {
    progress: Option<Scene>,
    /// What each place of it runs.
    points: Vec<Point>,
    map: Option<HeatMap>,
    /// For each cell of the map, the fastest trial.
    cells: Vec<Option<(Point, String)>>,
}

impl Drawn {
    fn of(ui: &Ui, own: &OwnProject, size: [f32; 2]) -> Self {
        let trials = &own.trials;
        let none = Self { progress: None, points: Vec::new(), map: None, cells: Vec::new() };
        let Some(project) = own.project.as_deref() else { return none };
        let measure = measure(ui);
        let curves = projects::progress_chart(project, trials);
        let progress = curves.map(|curves| Figure::Curves(curves).scene(size.map(f64::from), &measure));
        let points = projects::improving(trials).map(|(_, trial)| trial.point.clone()).collect();
        let (map, fastest) = own.axes().and_then(|axes| projects::heat_map(project, trials, axes)).unzip();
        let told = |index: usize| {
            let trial = trials.get(index)?;
            let values: [(&str, &dyn Display); 2] = [("label", &project.label(&trial.point)), ("time", &units::time(trial.time_ns()?))];
            Some((trial.point.clone(), filled("project.window.cell", &values)))
        };
        let cells = fastest.into_iter().flatten().map(|index| index.and_then(told)).collect();
        Self { progress, points, map, cells }
    }
}

/// Below this width in points, what was found stands below the controls.
const NARROW_POINTS: f32 = 900.0;

/// Of a wide window, so much is for configuration and search, in points at least and at most.
const CONTROLS_PART: f32 = 0.42;
const CONTROLS_POINTS: [f32; 2] = [420.0, 620.0];

/// Lines that are read are no longer than this.
const TEXT_POINTS: f32 = 640.0;

/// Draws it into all of `ui`.
pub fn project_ui(ui: &mut Ui, panel: &mut ProjectPanel, state: &State, actions: &mut Vec<Action>) {
    let frame = Frame::new().inner_margin(Margin::symmetric(24, 12));
    let own = &state.own_project;
    if let Some(story) = &own.gate {
        CentralPanel::default().frame(frame).show(ui, |ui| {
            scrolled(ui, "gate-history", |ui| gate_ui(ui, &mut panel.history, state, story, actions));
        });
        return;
    }
    let is_wide = ui.available_width() >= NARROW_POINTS;
    let may_run = own.project.is_some() && state.agreement_wanted().is_none();
    let has_results = may_run && (!own.trials.is_empty() || own.checked.is_some() || own.why.is_some());
    if is_wide && has_results {
        let [least, most] = CONTROLS_POINTS;
        let width = (ui.available_width() * CONTROLS_PART).clamp(least, most);
        Panel::left("project-controls").frame(frame).resizable(false).exact_size(width).show(ui, |ui| {
            scrolled(ui, "project-controls", |ui| controls_ui(ui, state, actions));
        });
        CentralPanel::default().frame(frame).show(ui, |ui| {
            scrolled(ui, "project-found", |ui| found_ui(ui, panel, state, actions));
        });
    } else {
        CentralPanel::default().frame(frame).show(ui, |ui| {
            scrolled(ui, "project", |ui| {
                controls_ui(ui, state, actions);
                if has_results {
                    ui.separator();
                    found_ui(ui, panel, state, actions);
                }
            });
        });
    }
}

fn scrolled(ui: &mut Ui, id: &str, add_contents: impl FnOnce(&mut Ui)) {
    ScrollArea::vertical().auto_shrink([false, false]).id_salt(id).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = space::SMALL;
        add_contents(ui);
    });
}

/// The project, its configuration and the search.
fn controls_ui(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    let own = &state.own_project;
    if let Some(fault) = &own.fault {
        fault_ui(ui, fault);
        ui.add_space(space::MEDIUM);
    }
    let Some(project) = own.project.as_deref() else {
        if own.fault.is_none() {
            empty_ui(ui);
        }
        ui.horizontal(|ui| {
            command_button(ui, state, Command::OpenFilter, false, actions);
            command_button(ui, state, Command::NewProject, false, actions);
            command_button(ui, state, Command::OpenGateHistory, false, actions);
        });
        return;
    };
    head_ui(ui, state, project, actions);
    if let Some(wanted) = state.agreement_wanted() {
        ui.add_space(space::MEDIUM);
        warning(ui, &filled("project.window.agree-what", &[("command", &wanted)]));
        let about = filled("project.window.agree-about", &[("folder", &project.folder.display())]);
        ui.scope(|ui| {
            ui.set_max_width(TEXT_POINTS);
            ui.add(Label::new(about).wrap());
        });
        if ui.button(text("project.window.agree")).clicked() {
            actions.push(Action::Project(ProjectAction::Agree));
        }
        return;
    }
    ui.add_space(space::MEDIUM);
    ui.label(RichText::new(text("project.window.configuration")).strong());
    configuration_ui(ui, state, project, actions);
    ui.add_space(space::MEDIUM);
    ui.label(RichText::new(text("project.window.searching")).strong());
    search_ui(ui, state, actions);
    if let Some(told) = own.told.as_ref().filter(|_| !own.trials.is_empty()) {
        ui.add_space(space::MEDIUM);
        story_ui(ui, &told.story, &[]);
        ui.add_space(space::MEDIUM);
        ui.horizontal_wrapped(|ui| {
            for export in [Export::Project, Export::ProjectHeader] {
                command_button(ui, state, Command::Export(export), false, actions);
            }
        });
    }
}

/// What comparisons with baselines came to.
fn gate_ui(ui: &mut Ui, drawn: &mut Kept<Vec<Scene>>, state: &State, story: &Story, actions: &mut Vec<Action>) {
    if let Some(title) = &story.title {
        ui.label(RichText::new(title.to_string()).heading());
    }
    ui.horizontal_wrapped(|ui| {
        if button(ui, "project.window.gate-close", None) {
            actions.push(Action::Project(ProjectAction::ShowGate(None)));
        }
        command_button(ui, state, Command::OpenGateHistory, false, actions);
    });
    ui.add_space(space::MEDIUM);
    let size = figure_size(ui);
    story_ui(ui, story, drawn.get(ui, state, size, || scenes(ui, story, size)));
}

/// What this place is for.
fn empty_ui(ui: &mut Ui) {
    ui.set_max_width(TEXT_POINTS);
    ui.label(RichText::new(text("project.window.title")).heading());
    ui.add_space(space::SMALL);
    for key in ["project.window.none", "project.window.none-open", "project.window.none-new"] {
        ui.add(Label::new(text(key)).wrap());
        ui.add_space(space::SMALL);
    }
}

/// What is wrong, why and what to do.
fn fault_ui(ui: &mut Ui, fault: &Error) {
    warning(ui, &fault.what);
    reason_ui(ui, fault);
}

/// Why, what to do, and the log.
fn reason_ui(ui: &mut Ui, fault: &Error) {
    for words in [&fault.why, &fault.remedy] {
        if !words.is_empty() {
            ui.add(Label::new(words.trim_matches('\n')).wrap());
        }
    }
    if let Some(detail) = fault.detail.as_ref().filter(|detail| !detail.is_empty()) {
        ScrollArea::both().id_salt("project-log").max_height(LOG_POINTS).show(ui, |ui| {
            ui.add(Label::new(RichText::new(detail.as_str()).monospace()).extend());
        });
    }
}

fn head_ui(ui: &mut Ui, state: &State, project: &Project, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(&project.name).heading()).on_hover_text(project.folder.display().to_string());
        ui.add_space(space::MEDIUM);
        command_button(ui, state, Command::OpenFilter, false, actions);
        command_button(ui, state, Command::NewProject, false, actions);
        command_button(ui, state, Command::OpenGateHistory, false, actions);
    });
    if let Some(told) = &state.own_project.told {
        let bytes = units::binary_bytes(project.problem().total_bytes() as u64);
        let values: [(&str, &dyn Display); 4] = [
            ("parameters", &project.parameters.len()),
            ("count", &told.allowed),
            ("memory", &projects::memory_label(project.problem())),
            ("bytes", &bytes),
        ];
        ui.label(RichText::new(filled("project.window.head", &values)).weak());
    }
    device(ui, state, false, actions);
    if let Some(device) = state.device_or_first() {
        ui.label(RichText::new(format!("{}, {}", device.name, device.driver())).small().weak());
    } else {
        ui.label(text("studies.panel.no-device"));
    }
    if matches!(project.reference, Reference::Default) {
        ui.add(Label::new(RichText::new(text("project.check.no-reference")).weak()).wrap());
    }
    let to_do = state.own_project.to_do;
    if to_do > 0 {
        let path = project.folder.join(PROJECT);
        warning(ui, &filled("project.window.to-do", &[("count", &to_do), ("path", &path.display())]));
    }
}

/// A value of each parameter, and a button that runs them.
fn configuration_ui(ui: &mut Ui, state: &State, project: &Project, actions: &mut Vec<Action>) {
    let own = &state.own_project;
    ui.horizontal_wrapped(|ui| {
        for (index, parameter) in project.parameters.iter().enumerate() {
            let now = own.point.get(index).copied().unwrap_or_default();
            let values =
                parameter.values.iter().enumerate().map(|(value, shown)| Value { value, text: shown.to_string(), about: String::new() });
            if let Some(value) = choice(ui, &parameter.name, VALUE_POINTS, now, values) {
                actions.push(Action::Project(ProjectAction::Set(index, value)));
            }
        }
    });
    ui.horizontal_wrapped(|ui| {
        if button(ui, "project.window.run", state.why_no_check()) {
            actions.push(Action::Project(ProjectAction::Check));
        }
        if own.point != project.default_point() && button(ui, "project.window.default", state.why_no_run()) {
            actions.push(Action::Project(ProjectAction::Take(project.default_point())));
        }
        if own.point != project.default_point() && button(ui, "project.window.explain", state.why_no_check()) {
            actions.push(Action::Project(ProjectAction::Explain));
        }
        let best = own.told.as_ref().and_then(|told| told.best.as_ref()).map(|(point, _)| point);
        if let Some(best) = best.filter(|best| **best != own.point)
            && button(ui, "project.window.best", state.why_no_run())
        {
            actions.push(Action::Project(ProjectAction::Take(best.clone())));
        }
        if let Some(id) = own.checking() {
            running_ui(ui, state, id);
        }
    });
}

/// A button with its tooltip, disabled where there is a reason. Whether it was clicked.
fn button(ui: &mut Ui, key: &str, why_not: Option<&str>) -> bool {
    let label = base::texts::find(key).unwrap_or_default();
    let about = base::texts::find(&format!("{key}-about")).unwrap_or_default();
    let response = ui.add_enabled(why_not.is_none(), egui::Button::new(label));
    response.on_hover_text(about).on_disabled_hover_text(why_not.unwrap_or_default()).clicked()
}

/// What came of one configuration.
fn checked_ui(ui: &mut Ui, project: &Project, trial: &Trial, code: &[CompiledKernel]) {
    let label = project.label(&trial.point);
    if let Some(why) = projects::complaint(project, trial) {
        let values: [(&str, &dyn Display); 2] = [("label", &label), ("what", &why.what)];
        warning(ui, &filled("project.window.not-right", &values));
        return reason_ui(ui, &why);
    }
    if let Ending::Timed { median_ns, quartiles_ns: [low, high], busy, .. } = trial.ending {
        let time = units::time_between(median_ns, low, high);
        let words = filled("project.check.right", &[("label", &label), ("time", &time)]);
        ui.label(RichText::new(words).color(right(ui.visuals().dark_mode)));
        if busy {
            warning(ui, text("studies.panel.busy"));
        }
    }
    let counts = projects::counts(code);
    if !counts.is_empty() {
        ui.label(RichText::new(filled("project.window.compiled", &[("counts", &counts)])).weak());
    }
}

/// How the next search goes, and how the one that is under way stands.
fn search_ui(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    let own = &state.own_project;
    ui.horizontal_wrapped(|ui| {
        let strategies = Strategy::ALL.map(|strategy| Value {
            value: strategy,
            text: base::texts::find(&format!("project.strategy.{}", strategy.name())).unwrap_or_default().to_owned(),
            about: base::texts::find(&format!("project.strategy.{}-about", strategy.name())).unwrap_or_default().to_owned(),
        });
        let caption = text("project.window.strategy");
        if let Some(strategy) = choice(ui, caption, VALUE_POINTS * 1.2, own.strategy, strategies.into_iter()) {
            actions.push(Action::Project(ProjectAction::SetStrategy(strategy)));
        }
        let limits = LIMITS_S.map(|seconds| (seconds, limit_label(seconds), limit_label(seconds)));
        let chosen =
            field(ui, text("project.window.limit"), LIMITS_POINTS, |ui| segments(ui, Some(own.limit.as_secs()), limits.into_iter()));
        if let Some(seconds) = chosen {
            actions.push(Action::Project(ProjectAction::SetLimit(Duration::from_secs(seconds))));
        }
    });
    ui.horizontal_wrapped(|ui| {
        let Some(id) = own.searching() else {
            let key = match () {
                () if own.trials.is_empty() => "project.window.search",
                () if is_complete(own) => "project.window.compare",
                () => "project.window.search-more",
            };
            if button(ui, key, state.why_no_search()) {
                actions.push(Action::Project(ProjectAction::Search));
            }
            return;
        };
        if own.steer != Steer::Finish {
            let is_paused = own.steer == Steer::Pause;
            let (key, steer) =
                if is_paused { ("project.window.continue", Steer::Continue) } else { ("project.window.pause", Steer::Pause) };
            if button(ui, key, None) {
                actions.push(Action::Project(ProjectAction::Steer(steer)));
            }
            if button(ui, "project.window.finish", None) {
                actions.push(Action::Project(ProjectAction::Steer(Steer::Finish)));
            }
        }
        command_button(ui, state, Command::Cancel, false, actions);
        if own.steer == Steer::Pause {
            ui.label(filled("project.window.paused", &[("count", &own.trials.len())]));
        } else {
            running_ui(ui, state, id);
        }
    });
}

/// Whether every allowed configuration was tried.
fn is_complete(own: &OwnProject) -> bool {
    own.told.as_ref().is_some_and(|told| told.allowed <= own.trials.len())
}

/// What was found so far: the configuration that was run, the best time over the trials, the map of two parameters.
fn found_ui(ui: &mut Ui, panel: &mut ProjectPanel, state: &State, actions: &mut Vec<Action>) {
    let own = &state.own_project;
    let Some(project) = own.project.as_deref() else { return };
    if let Some((trial, code)) = &own.checked {
        checked_ui(ui, project, trial, code);
        ui.add_space(space::MEDIUM);
    }
    if let Some(why) = &own.why {
        ui.label(RichText::new(text("project.window.why")).strong());
        story_ui(ui, why, &[]);
        ui.add_space(space::MEDIUM);
    }
    let size = figure_size(ui);
    let drawn = panel.drawn.get(ui, state, size, || Drawn::of(ui, own, size));
    let may_run = state.why_no_run().is_none();
    if let Some(scene) = &drawn.progress {
        ui.add_space(space::SMALL);
        ui.label(RichText::new(text("project.window.progress")).strong());
        let clicked = hits_ui(ui, scene, "project-progress", may_run, |ui, index| {
            ui.label(scene.hits.get(index).map_or("", |hit| hit.name.as_str()));
        });
        // The line's end is the last improvement again.
        if let Some(point) = clicked.and_then(|index| drawn.points.get(index).or(drawn.points.last())) {
            actions.push(Action::Project(ProjectAction::Take(point.clone())));
        }
    }
    if let (Some(map), Some([across, down]), false) = (&drawn.map, own.axes(), own.trials.is_empty()) {
        ui.add_space(space::SMALL);
        ui.label(RichText::new(text("project.window.map")).strong());
        axes_ui(ui, project, [across, down], actions);
        if map.xs.len() * map.ys.len() > MOST_CELLS {
            ui.label(text("project.window.large-map"));
            return;
        }
        let clicked = map_ui(ui, "project-map", map, |index| match drawn.cells.get(index) {
            Some(Some((point, told))) => CellWords { spoken: told.clone(), is_chosen: *point == own.point },
            _ => CellWords { spoken: text("project.window.no-time").to_owned(), is_chosen: false },
        });
        let point = clicked.filter(|_| may_run).and_then(|index| drawn.cells.get(index)?.as_ref());
        if let Some((point, _)) = point {
            actions.push(Action::Project(ProjectAction::Take(point.clone())));
        }
    }
}

/// Which two parameters the map is of.
fn axes_ui(ui: &mut Ui, project: &Project, [across, down]: [usize; 2], actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        let named = |other: usize| {
            let several = project.parameters.iter().enumerate().filter(move |(index, it)| it.values.len() > 1 && *index != other);
            several.map(|(value, parameter)| Value { value, text: parameter.name.clone(), about: String::new() })
        };
        if let Some(chosen) = choice(ui, text("project.window.across"), VALUE_POINTS, across, named(down)) {
            actions.push(Action::Project(ProjectAction::SetAxes([chosen, down])));
        }
        if let Some(chosen) = choice(ui, text("project.window.down"), VALUE_POINTS, down, named(across)) {
            actions.push(Action::Project(ProjectAction::SetAxes([across, chosen])));
        }
    });
}
