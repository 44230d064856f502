//! The one lesson view: it owns the window. Text and question at the left, figure and code at the right, the ladder below, one status line. What a question
//! asks for is nowhere on the screen before it is answered.

use super::course::{Given, Here};
use super::screen::{go_on_ui, is_left_out, prose_ui};
use super::strip::strip_ui;
use super::{CourseAction, LessonsPanel, follow};
use crate::app::access_panel::access_film;
use crate::app::action::{Action, Command};
use crate::app::changed::{bare, body_first, changed_lines, line_ui, source_of};
use crate::app::concept_film::concept_film_ui;
use crate::app::film::Allowed;
use crate::app::lesson::{Answer, Phase, Told};
use crate::app::panes::{Pane, Panels};
use crate::app::roofline_panel::{has_roofline, roofline_film_ui};
use crate::app::source_panel::source_ui;
use crate::app::stages_panel::switches_ui;
use crate::app::state::State;
use crate::app::theme::{enlarge, right, space};
use crate::app::timeline_panel::{has_device_clock, timeline_film_ui};
use crate::app::widgets::{command_button, name};
use base::texts::{filled, text};
use egui::{
    Align, Button, CentralPanel, Frame, Key, Label, Layout, Margin, Panel, Rect, RichText, Role, ScrollArea, Sense, Ui, UiBuilder, pos2,
    vec2,
};
use engine::Task;
use engine::device::DeviceKind;
use kernels::kernel_source::LineOp;
use study::lessons::{Goal, Item, Needs, Screen, notes};

/// Height of a line of code, in points.
const LINE: f32 = 19.0;

/// Changed lines that are shown at once.
const MOST_LINES: usize = 10;

/// Less high, a window has no room for a column of text and what is asked, in points.
const LOW: f32 = 440.0;

/// Around the button that goes on, in points.
const GO_ON: f32 = 20.0;

/// How much larger the type of a lesson is than that of panels.
const TYPE: f32 = 1.12;

/// Draws it into all of `ui`.
pub fn lesson_ui(ui: &mut Ui, panels: &mut Panels, state: &State, here: &Here, actions: &mut Vec<Action>) {
    let Some(screen) = here.screen() else { return };
    follow(&mut panels.lessons, state, here);
    let bar = Frame::new().inner_margin(Margin::symmetric(16, 5));
    Panel::top("lesson-head").frame(bar).show(ui, |ui| head_ui(ui, &mut panels.lessons, state, here, actions));
    Panel::bottom("lesson-status").frame(bar).show(ui, |ui| status_ui(ui, state, here, screen, actions));
    // One kernel alone is compared with nothing.
    let is_compared = screen.show.as_ref().is_some_and(|show| show.against.is_some());
    // Of a kernel that is edited, the editor says it: the strip has variants alone.
    let is_task = screen.task().is_some_and(|goal| goal.gap.is_none());
    if is_compared || screen.step.is_some() || screen.show.is_some() && is_task {
        Panel::bottom("lesson-strip").frame(bar).show(ui, |ui| strip_ui(ui, state, here, screen, actions));
    }
    let width = ui.available_width();
    // With nothing to show, the text has all of it.
    // In a low window more of it beside each other: a question is seen with all its answers.
    let share = if ui.available_height() < LOW { 0.41 } else { 0.34 };
    let text_width = if screen.show.is_some() { (width * share).clamp(300.0, 480.0) } else { (width - 48.0).min(760.0) };
    Panel::left("lesson-text")
        .frame(Frame::new().inner_margin(Margin { left: 16, right: 12, top: 10, bottom: 6 }))
        .resizable(false)
        .show_separator_line(screen.show.is_some())
        .exact_size(text_width)
        .show(ui, |ui| {
            enlarge(ui.style_mut(), TYPE);
            // The way on is below the text, and in sight however long that is. Each screen begins at its top.
            let id = egui::Id::unique("lesson-goes-on");
            let went_on = ui.data(|data| data.get_temp(id).unwrap_or(false));
            let room = ui.available_height() - if went_on { ui.spacing().interact_size.y + GO_ON } else { 0.0 };
            let scroll = ScrollArea::vertical().auto_shrink([false, true]).max_height(room.max(0.0));
            let scroll = scroll.id_salt((here.name, here.index, here.is_over)).show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = space::MEDIUM;
                ui.set_max_width(ui.available_width() - 8.0);
                prose_ui(ui, &mut panels.lessons, state, here, screen, actions)
            });
            if scroll.inner {
                go_on_ui(ui, here, actions);
            }
            if went_on != scroll.inner {
                ui.data_mut(|data| data.insert_temp(id, scroll.inner));
                ui.ctx().request_repaint();
            }
        });
    CentralPanel::default()
        .frame(Frame::new().inner_margin(Margin { left: 8, right: 16, top: 10, bottom: 6 }))
        .show(ui, |ui| right_ui(ui, panels, state, here, screen, actions));
    notes_ui(ui, &mut panels.lessons, state, here);
    keys(ui, state, here, actions);
}

/// The teacher's notes of the lesson, in a window of their own; never where a class sees the screen.
fn notes_ui(ui: &Ui, panel: &mut LessonsPanel, state: &State, here: &Here) {
    if !state.settings.course.is_teacher || state.settings.course.is_large || !panel.shows_notes {
        return;
    }
    let Some(notes) = notes(here.name, &here.lesson) else { return };
    let window = egui::Window::new(text("course.class.notes")).open(&mut panel.shows_notes).default_size([560.0, 520.0]);
    let window = window.pivot(egui::Align2::RIGHT_BOTTOM).default_pos(ui.ctx().content_rect().right_bottom() - vec2(16.0, 120.0));
    window.collapsible(false).show(ui.ctx(), |ui| {
        ScrollArea::vertical().show(ui, |ui| {
            // The notes are Markdown, as the command line prints them.
            let plain = notes.replace("**", "").replace("\n- ", "\n• ");
            for line in plain.lines().filter(|line| !line.is_empty()) {
                let heading = line.trim_start_matches('#');
                let words = RichText::new(heading.trim_start());
                ui.add(Label::new(if heading.len() < line.len() { words.strong() } else { words }).wrap());
            }
        });
    });
}

/// Title, how far, and the ways out.
fn head_ui(ui: &mut Ui, panel: &mut LessonsPanel, state: &State, here: &Here, actions: &mut Vec<Action>) {
    let count = here.lesson.screens.len();
    ui.horizontal(|ui| {
        ui.set_min_height(30.0);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if ui.button(text("course.leave")).on_hover_text(text("course.leave-about")).clicked() {
                actions.push(Action::Course(CourseAction::Leave));
            }
            let mut is_large = state.settings.course.is_large;
            if ui.checkbox(&mut is_large, text("course.present")).on_hover_text(text("course.present-about")).changed() {
                actions.push(Action::Course(CourseAction::Present(is_large)));
            }
            let mut asks_class = state.settings.asks_class;
            if ui.checkbox(&mut asks_class, text("prediction.vote.on")).on_hover_text(text("prediction.vote.on-about")).changed() {
                actions.push(Action::Lesson(Answer::AskClass(asks_class)));
            }
            if state.settings.course.is_teacher && !is_large && here.lesson.teacher.is_some() {
                ui.checkbox(&mut panel.shows_notes, text("course.class.notes"));
            }
            let on = ui.button("›").on_hover_text(text("course.next-about"));
            name(&on, Role::Button, text("lessons.screen.next"), None);
            let back = ui.add_enabled(here.index > 0 || here.is_over, Button::new("‹"));
            name(&back, Role::Button, text("lessons.screen.previous"), None);
            if on.clicked() && !here.is_over {
                actions.push(Action::Course(CourseAction::Go(here.index + 1)));
            } else if back.clicked() {
                actions.push(Action::Course(CourseAction::Go(if here.is_over { count - 1 } else { here.index - 1 })));
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let dots = 13.0 * count as f32 + space::LARGE;
                let room = (ui.available_width() - dots).max(60.0);
                ui.scope(|ui| {
                    ui.set_max_width(room);
                    ui.add(Label::new(RichText::new(&here.lesson.title).strong()).truncate()).on_hover_text(&here.lesson.goal);
                });
                dots_ui(ui, state, here);
            });
        });
    });
}

/// What became of a screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stand {
    /// It was answered, or there was nothing to answer and it was seen.
    Done,
    /// It was passed over.
    Skipped,
    /// It was not come to.
    Open,
    /// It is for another kind of device.
    LeftOut,
}

/// What became of each screen of a lesson.
#[derive(Clone, Debug)]
pub struct Stands(Vec<Stand>);

impl Stands {
    /// Of the lesson of this name.
    #[must_use]
    pub fn of(state: &State, lesson_name: &str, screens: &[Screen]) -> Self {
        let Some(progress) = state.progress(lesson_name) else { return Self(vec![Stand::Open; screens.len()]) };
        let stand = |(index, screen): (usize, &Screen)| {
            let is_past = index < progress.screen || index < progress.furthest;
            match progress.given.get(&index) {
                Some(Given::Begun | Given::Skipped) | None if is_left_out(state, screen.device) => Stand::LeftOut,
                Some(Given::Skipped) => Stand::Skipped,
                Some(Given::Begun) | None if screen.item.is_some() && is_past => {
                    let told = state.lesson.told_at(lesson_name, index, screen);
                    if told.is_some_and(Told::is_answered) { Stand::Done } else { Stand::Skipped }
                }
                Some(Given::Begun) => Stand::Open,
                Some(_) => Stand::Done,
                None if is_past && screen.item.is_none() => Stand::Done,
                None => Stand::Open,
            }
        };
        Self(screens.iter().enumerate().map(stand).collect())
    }

    /// The first screen that was passed over, or not come to.
    #[must_use]
    pub fn first_left(&self) -> Option<usize> {
        self.0.iter().position(|stand| matches!(stand, Stand::Skipped | Stand::Open))
    }

    /// How many screens stand so.
    #[must_use]
    pub fn count(&self, wanted: Stand) -> usize {
        self.0.iter().filter(|stand| **stand == wanted).count()
    }
}

/// A dot for each screen: full where it is done, half where it was skipped, empty before; small where it is for another device.
fn dots_ui(ui: &mut Ui, state: &State, here: &Here) {
    let stands = Stands::of(state, here.name, &here.lesson.screens);
    let count = here.lesson.screens.len();
    let (rect, response) = ui.allocate_exact_size(vec2(13.0 * count as f32, 16.0), Sense::hover());
    let told = filled(
        "course.dots",
        &[
            ("number", &(here.index + 1)),
            ("count", &count),
            ("done", &stands.count(Stand::Done)),
            ("skipped", &stands.count(Stand::Skipped)),
            ("open", &stands.count(Stand::Open)),
        ],
    );
    response.widget_info(|| egui::WidgetInfo::labeled(Role::Label, true, told.as_str()));
    let (ink, weak) = (ui.visuals().text_color(), ui.visuals().weak_text_color());
    for (index, stand) in stands.0.into_iter().enumerate() {
        let center = pos2(rect.left() + 13.0 * index as f32 + 6.5, rect.center().y);
        let painter = ui.painter();
        match stand {
            Stand::Done => drop(painter.circle_filled(center, 4.0, ink)),
            Stand::Skipped => {
                painter.circle_stroke(center, 4.0, (1.2, weak));
                painter.hline(center.x - 3.0..=center.x + 3.0, center.y, (1.5, weak));
            }
            Stand::Open => drop(painter.circle_stroke(center, 4.0, (1.2, weak))),
            Stand::LeftOut => drop(painter.circle_filled(center, 1.5, weak)),
        }
        if index == here.index && !here.is_over {
            painter.hline(center.x - 5.0..=center.x + 5.0, rect.bottom(), (2.0, crate::app::theme::accent(ui.visuals().dark_mode)));
        }
    }
    response.on_hover_text(told);
}

/// Whether a question of the screen waits for its answer: then nothing may tell it.
#[must_use]
pub fn is_protected(state: &State, here: &Here, screen: &Screen) -> bool {
    match screen.item {
        // The experiment's own view tells nothing before its answer.
        None | Some(Item::Task(_) | Item::Experiment(_)) => false,
        Some(Item::Choose(_) | Item::Number(_)) => state.given().is_none(),
        Some(Item::Predict) => {
            let is_waiting = |phase: &Phase| matches!(phase, Phase::Asked | Phase::Running(_));
            match &state.lesson.open {
                Some(open) if open.about.place() == pair_ref(&screen.place_in(here.name, here.index)) => is_waiting(&open.phase),
                _ => state.told_here().is_none() && state.given().is_none(),
            }
        }
    }
}

fn pair_ref((name, index): &(String, usize)) -> (&str, usize) {
    (name, *index)
}

/// Figure and code, or what a task is done with.
fn right_ui(ui: &mut Ui, panels: &mut Panels, state: &State, here: &Here, screen: &Screen, actions: &mut Vec<Action>) {
    let Some(show) = &screen.show else {
        return;
    };
    if is_left_out(state, screen.device) || state.why_not_shown(show).is_some() {
        return;
    }
    match &screen.item {
        Some(Item::Task(goal)) if goal.gap.is_some() => source_ui(ui, &mut panels.source, state, actions),
        Some(Item::Task(goal)) => {
            let all = ui.available_rect_before_wrap();
            let (left, right) = all.split_left_right_at_fraction(0.58);
            within(ui, "left", left.with_max_x(left.right() - 8.0), |ui| {
                figure_ui(ui, panels, state, here, screen, actions);
            });
            within(ui, "right", right.with_min_x(right.left() + 8.0), |ui| switches_ui(ui, state, needs_local_size(goal), actions));
            ui.advance_cursor_after_rect(all);
        }
        _ if panels.lessons.is_whole => {
            whole_button(ui, &mut panels.lessons);
            let all = ui.available_rect_before_wrap();
            within(ui, "whole", all, |ui| source_ui(ui, &mut panels.source, state, actions));
        }
        // The code is the figure itself: without comments, which may tell what is asked.
        _ if show.panel.and_then(Pane::named) == Some(Pane::Source) && show.against.is_none() && show.figure.is_none() => {
            code_ui(ui, &mut panels.lessons, state, screen);
        }
        _ => {
            let all = ui.available_rect_before_wrap();
            // As high as the lines need, at most a third: the figure gets the rest.
            let count = panels.lessons.code.as_ref().map_or(MOST_LINES, |(_, lines, _)| lines.len());
            let most = (all.height() * 0.34).clamp(90.0, 260.0);
            let lines = if show.against.is_some() { (LINE * (count.min(MOST_LINES) + 2) as f32 + 24.0).min(most) } else { most };
            let (top, bottom) = all.split_top_bottom_at_y(all.bottom() - lines);
            within(ui, "top", top.with_max_y(top.bottom() - 8.0), |ui| {
                figure_ui(ui, panels, state, here, screen, actions);
            });
            within(ui, "bottom", bottom, |ui| code_ui(ui, &mut panels.lessons, state, screen));
            ui.advance_cursor_after_rect(all);
        }
    }
}

/// Whether a goal is about what the work-group decides.
fn needs_local_size(goal: &Goal) -> bool {
    let names = ["segments", "group", "lanes", "local", "idle_share", "work_items"];
    goal.local_size || goal.when.iter().flat_map(study::why::Condition::facts).any(|fact| names.iter().any(|name| fact.contains(name)))
}

fn within(ui: &mut Ui, id: &'static str, area: Rect, add: impl FnOnce(&mut Ui)) {
    // Each part has a name of its own: two that scroll would else be one.
    ui.scope_builder(UiBuilder::new().id_salt(id).max_rect(area), |ui| {
        ui.set_clip_rect(ui.clip_rect().intersect(area));
        add(ui);
    });
}

/// The figure or the panel that the screen names; the access picture plays, also in the place of the source, which has a place of its own. Panels that show times or counts
/// are left out while these are asked for.
fn figure_ui(ui: &mut Ui, panels: &mut Panels, state: &State, here: &Here, screen: &Screen, actions: &mut Vec<Action>) {
    let Some(show) = &screen.show else { return };
    let is_protected = is_protected(state, here, screen);
    let allowed = Allowed {
        counts: !(is_protected && matches!(screen.item, Some(Item::Number(_) | Item::Choose(_)))),
        motion: !state.settings.is_still,
    };
    if let Some(concept) = show.figure {
        return concept_film_ui(ui, &mut panels.films.concept, concept, allowed);
    }
    let named = show.panel.and_then(Pane::named).filter(|pane| !matches!(pane, Pane::Access | Pane::Source));
    match named.filter(|pane| !is_protected || *pane == Pane::Pictures) {
        Some(Pane::Timeline) if state.shown.as_ref().is_some_and(has_device_clock) => {
            return state.shown.iter().for_each(|shown| timeline_film_ui(ui, &mut panels.films.timeline, shown, allowed));
        }
        Some(Pane::Roofline) if has_roofline(state) => return roofline_film_ui(ui, &mut panels.films.roofline, state, allowed),
        Some(pane) => return pane.draw(ui, panels, state, actions),
        // Loads and stores are another matter, and may not be counted now.
        None if named.is_some() && !allowed.counts => return Pane::Pictures.draw(ui, panels, state, actions),
        None => {}
    }
    // Of some filters it is not described what their work-items load.
    let is_described = panels.lessons.facts.as_ref().is_some_and(|(_, facts)| facts.get("after.loads").is_some());
    if !is_described {
        return Pane::Pictures.draw(ui, panels, state, actions);
    }
    let is_task = matches!(screen.item, Some(Item::Task(_)));
    let after = if is_task { state.task() } else { state.shown_task(show) };
    let before = state.against_task(show).filter(|_| !is_task);
    let tasks: Vec<(Task, &'static str)> = match (before, after) {
        (Some(before), Some(after)) => vec![(before, text("course.film.before")), (after, text("course.film.after"))],
        (None, Some(after)) => vec![(after, text("course.film.now"))],
        _ => Vec::new(),
    };
    // A lesson about lanes is about a GPU's, whatever runs it.
    let device = state.device_or_first();
    let is_processor = here.lesson.device == Needs::Cpu
        || here.lesson.device == Needs::Any && device.is_some_and(|device| device.kind == DeviceKind::Cpu) && screen.step.is_some();
    access_film(ui, &mut panels.films.access, &tasks, is_processor, allowed);
}

fn whole_button(ui: &mut Ui, panel: &mut LessonsPanel) {
    if panel.is_whole && ui.button(text("course.code.back")).clicked() {
        panel.is_whole = false;
    }
}

/// The few lines that change, or the kernel itself where nothing is compared: without comments, wrapped.
fn code_ui(ui: &mut Ui, panel: &mut LessonsPanel, state: &State, screen: &Screen) {
    let Some(show) = &screen.show else { return };
    let Some(after) = state.shown_task(show) else { return };
    let abilities = state.abilities_of(&after);
    let before = state.against_task(show);
    let key = (before.clone(), after.clone());
    if panel.code.as_ref().is_none_or(|(known, ..)| *known != key) {
        let (lines, body) = match before {
            Some(before) => (changed_lines(&(before, after), abilities), String::new()),
            None => (Vec::new(), source_of(&after, abilities).map(|source| body_first(&bare(&source))).unwrap_or_default()),
        };
        panel.code = Some((key, lines, body));
    }
    let Some((_, lines, body)) = &panel.code else { return };
    let mut is_whole = panel.is_whole;
    Frame::new().fill(ui.visuals().extreme_bg_color).corner_radius(6).inner_margin(8).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ScrollArea::vertical().auto_shrink([false, false]).id_salt("lesson-code").show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            if show.against.is_none() {
                ui.add(Label::new(RichText::new(body).monospace()).wrap());
                return;
            }
            ui.horizontal(|ui| {
                let told = match lines.len() {
                    0 => text("course.code.same").to_owned(),
                    count => filled("course.code.lines", &[("count", &count)]),
                };
                ui.label(RichText::new(told).weak());
                if ui.small_button(text("course.code.whole")).clicked() {
                    is_whole = true;
                }
            });
            let (added, removed) = (right(ui.visuals().dark_mode), ui.visuals().error_fg_color);
            for line in lines.iter().take(MOST_LINES) {
                let (sign, ink) = if line.op == LineOp::Added { ("+ ", added) } else { ("− ", removed) };
                line_ui(ui, line, sign, 14.0, [ink.gamma_multiply(0.85), ink]);
            }
            if lines.len() > MOST_LINES {
                ui.label(RichText::new(filled("course.code.others", &[("count", &(lines.len() - MOST_LINES))])).weak());
            }
        });
    });
    panel.is_whole = is_whole;
}

/// One line: whether the output is right, what computes, what is going on. No time while it is asked for.
fn status_ui(ui: &mut Ui, state: &State, here: &Here, screen: &Screen, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        ui.set_min_height(26.0);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if !state.pending.is_empty() {
                command_button(ui, state, Command::Cancel, false, actions);
                ui.spinner();
                let told = state.pending.last().and_then(|pending| pending.progress.as_ref());
                if let Some((done, total, _)) = told.filter(|(_, total, _)| *total > 0) {
                    ui.label(RichText::new(format!("{done}/{total}")).small().weak());
                }
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.spacing_mut().item_spacing.x = space::LARGE;
                // Where a kernel is edited, its output is in question, and not that of the variant.
                let verification = if screen.gap().is_some() {
                    state.edited_task().and_then(|task| state.trials.of(&task)?.verification.as_ref())
                } else {
                    state.shown.as_ref().and_then(|shown| shown.verified.as_ref()).filter(|_| !state.is_old()).map(|own| &own.verification)
                };
                if let Some(verification) = verification {
                    let ink = if verification.is_right() { right(ui.visuals().dark_mode) } else { ui.visuals().error_fg_color };
                    ui.label(RichText::new(verification.label()).color(ink));
                }
                let is_busy = state.shown_row().is_some_and(|row| row.record.is_busy());
                if is_busy && !is_protected(state, here, screen) {
                    ui.label(RichText::new(text("course.busy")).weak()).on_hover_text(text("course.busy-about"));
                }
                let device = state.device().map_or_else(|| text("window.status.no-device").to_owned(), engine::device::DeviceInfo::label);
                ui.add(Label::new(RichText::new(device).small().weak()).truncate());
            });
        });
    });
}

/// Arrows walk, Enter goes on once the screen is answered, Escape leaves. Digits answer, where the answers are drawn.
fn keys(ui: &Ui, state: &State, here: &Here, actions: &mut Vec<Action>) {
    let is_focused = ui.memory(|memory| memory.focused().is_some());
    // The key that lets a control go does not leave the lesson, too.
    let place = egui::Id::unique("lesson-focus");
    let was_focused = ui.data_mut(|data| {
        let was_focused = data.get_temp(place).unwrap_or(false);
        data.insert_temp(place, is_focused);
        was_focused
    });
    if is_focused || egui::Popup::is_any_open(ui.ctx()) {
        return;
    }
    let is_open = here.screen().is_some_and(|screen| is_protected(state, here, screen));
    let pressed = |key| ui.input(|input| input.modifiers.is_none() && input.key_pressed(key));
    if pressed(Key::ArrowRight) || pressed(Key::Enter) && !was_focused && !is_open && !asks_reason(state) {
        actions.push(Action::Course(CourseAction::Go(here.index + 1)));
    } else if pressed(Key::ArrowLeft) && here.index > 0 {
        actions.push(Action::Course(CourseAction::Go(here.index - 1)));
    } else if pressed(Key::Escape) && !was_focused && state.pending.is_empty() && !state.is_help_open {
        actions.push(Action::Course(CourseAction::Leave));
    }
}

/// Whether the reason of what was seen is being asked for.
fn asks_reason(state: &State) -> bool {
    let phase = state.lesson.open.as_ref().map(|open| &open.phase);
    matches!(phase, Some(Phase::Seen(told)) if told.question.is_some() && told.chosen.is_none())
}
