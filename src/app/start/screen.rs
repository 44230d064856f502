//! Draws Start: a split picture that fills at measured speeds, the lines that the switch changes, who computes what, bars with intervals, and two ways on.

use super::fill::Fill;
use super::lanes::{Lanes, both, lanes_ui};
use super::{StartAction, Tried};
use crate::app::action::{Action, Command};
use crate::app::changed::{ChangedLine, changed_lines, line_ui};
use crate::app::nav::Section;
use crate::app::state::State;
use crate::app::theme::{accent, color, right, space};
use crate::app::widgets::command_button;
use base::texts::{filled, text};
use egui::{
    Align, Align2, Button, CentralPanel, Color32, FontId, Frame, Label, Layout, Margin, Panel, Rect, RichText, Sense, Spinner, Stroke,
    TextureHandle, Ui, UiBuilder, WidgetInfo, lerp, pos2, vec2,
};
use engine::Task;
use kernels::kernel_source::LineOp;
use model::Summary;
use std::fmt::Display;
use std::time::Duration;
use view::plot::{Role, units};

/// The slower half takes this long to fill; the faster one takes its measured share of it.
const FILL: Duration = Duration::from_secs(3);

/// Below this width in points the code stands below the picture.
const NARROW_POINTS: f32 = 900.0;

/// More lines than these are not a few characters.
const MOST_LINES: usize = 4;

/// What Start keeps between frames.
#[derive(Default)]
pub struct StartPanel {
    fill: Fill,
    /// Of the pair of this switch over this picture.
    told: Option<((Task, Task), Told)>,
}

/// What is drawn of a switch, gathered once.
struct Told {
    lines: Vec<ChangedLine>,
    lanes: Option<[Lanes; 2]>,
}

/// Draws it into all of `ui`.
pub fn start_ui(ui: &mut Ui, panel: &mut StartPanel, state: &State, actions: &mut Vec<Action>) {
    Panel::bottom("start-status").frame(Frame::new().inner_margin(Margin::symmetric(24, 6))).show(ui, |ui| status_ui(ui, state, actions));
    let frame = Frame::new().inner_margin(Margin::symmetric(24, 12));
    Panel::bottom("start-bars").frame(frame).show_separator_line(false).show(ui, |ui| {
        bars_ui(ui, state);
        ui.add_space(space::MEDIUM);
        ways_on(ui, state, actions);
    });
    CentralPanel::default().frame(Frame::new().inner_margin(Margin::symmetric(24, 8))).show(ui, |ui| {
        if state.devices.is_some() && state.device_list().is_empty() {
            no_device_ui(ui, state, actions);
            return;
        }
        let switch = state.start.switch();
        ui.label(RichText::new(switch.title()).size((ui.available_width() / 42.0).clamp(20.0, 30.0)).strong());
        ui.add_space(space::MEDIUM);
        let all = ui.available_rect_before_wrap();
        if all.width() >= NARROW_POINTS {
            // As wide as the picture needs where it is as high as there is room.
            let shape = state.picture.as_ref().map_or(1.5, |opened| opened.picture.size().0 as f32 / opened.picture.size().1.max(1) as f32);
            let (left, right) = all.split_left_right_at_fraction((all.height() * shape / all.width() + 0.02).clamp(0.4, 0.62));
            picture_ui(ui, panel, state, left.with_max_x(left.right() - 12.0));
            ui.scope_builder(UiBuilder::new().max_rect(right.with_min_x(right.left() + 12.0)), |ui| code_ui(ui, panel, state, actions));
        } else {
            let (top, below) = all.split_top_bottom_at_fraction(0.58);
            picture_ui(ui, panel, state, top);
            ui.scope_builder(UiBuilder::new().max_rect(below.with_min_y(below.top() + 8.0)), |ui| code_ui(ui, panel, state, actions));
        }
    });
}

/// Without a driver nothing can be measured: what is missing is told by the notice; here are the places that work all the same.
fn no_device_ui(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    ui.add_space(ui.available_height() * 0.25);
    ui.vertical_centered(|ui| {
        ui.label(RichText::new(text("start.no-device")).size(24.0).strong());
        ui.label(text("start.no-device-about"));
        ui.add_space(space::LARGE);
        command_button(ui, state, Command::Rescan, false, actions);
    });
}

/// The switch that stands there with its times, where both sides were measured and are right.
fn times(state: &State) -> Option<(&Tried, [&Summary; 2])> {
    let tried = state.start.shown()?;
    let time = |task: &Task| {
        let measured = state.history.newest_of(task)?.record.measured()?;
        measured.kernel.as_ref().filter(|_| measured.is_right())
    };
    Some((tried, [time(&tried.pair.0)?, time(&tried.pair.1)?]))
}

/// What is known of the two sides: both once the switch is decided on, before that the slower one as soon as it is measured.
fn known(state: &State) -> Vec<&Summary> {
    if let Some((_, times)) = times(state) {
        return times.to_vec();
    }
    let first = state.start.trying().and_then(|(before, _)| state.history.newest_of(before)?.record.kernel());
    first.into_iter().collect()
}

/// How far each half is filled: 0 to 1. Whole where figures stand still.
fn filled_shares(state: &State, ui: &Ui, times: &[&Summary]) -> Vec<f32> {
    let begun = state.start.pressed.or(state.start.begun);
    let Some(begun) = begun.filter(|_| !state.settings.is_still) else { return vec![1.0; times.len()] };
    let slowest = times.iter().map(|time| time.median_ns).fold(1.0, f64::max);
    let passed = begun.elapsed().as_secs_f64() / FILL.as_secs_f64();
    let shares: Vec<f32> = times.iter().map(|time| (passed * slowest / time.median_ns.max(1.0)).min(1.0) as f32).collect();
    if shares.iter().any(|share| *share < 1.0) {
        ui.ctx().request_repaint();
    }
    shares
}

fn picture_ui(ui: &mut Ui, panel: &mut StartPanel, state: &State, area: Rect) {
    ui.advance_cursor_after_rect(area);
    let output = state.shown.as_ref().map(|shown| (&shown.task.picture, &shown.executed.output));
    let Some((original, output)) = output else {
        let words = if state.devices.is_none() { "start.looking" } else { "start.first" };
        ui.put(area, Label::new(RichText::new(text(words)).weak()));
        return;
    };
    let Some(textures) = panel.fill.follow(ui.ctx(), original, output) else { return };
    let [before, after] = textures;
    let size = before.size_vec2();
    let scale = (area.width() / size.x).min(area.height() / size.y);
    let picture = Rect::from_center_size(area.center_top() + vec2(0.0, size.y * scale / 2.0), size * scale);
    let response = ui.interact(picture, ui.scope_id().with("start-picture"), Sense::hover());
    let (off, on) = (state.start.switch().label(false), state.start.switch().label(true));
    let sides: [(&str, &dyn Display); 2] = [("off", &off), ("on", &on)];
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, filled("start.picture", &sides)));
    let dim = Color32::from_gray(90);
    let part = |texture: &TextureHandle, [left, right]: [f32; 2], [top, bottom]: [f32; 2], tint| {
        let uv = Rect::from_min_max(pos2(left, top), pos2(right, bottom));
        let to = |at: egui::Pos2| pos2(lerp(picture.x_range(), at.x), lerp(picture.y_range(), at.y));
        ui.painter().image(texture.id(), Rect::from_min_max(to(uv.min), to(uv.max)), uv, tint);
    };
    part(before, [0.0, 1.0], [0.0, 1.0], dim);
    let times = known(state);
    if times.is_empty() {
        return;
    }
    let shares = filled_shares(state, ui, &times);
    let halves = [[0.0, 0.5], [0.5, 1.0]];
    let shown = if state.start.is_on { 2 } else { 1 };
    for (half, share) in halves.into_iter().zip(shares).take(shown) {
        part(after, half, [0.0, share], Color32::WHITE);
    }
    let (middle, painter) = (picture.center().x, ui.painter());
    painter.vline(middle, picture.y_range(), Stroke::new(3.0, Color32::from_black_alpha(160)));
    painter.vline(middle, picture.y_range(), Stroke::new(1.0, Color32::WHITE));
    for (words, [left, right]) in [off, if state.start.is_on { on } else { "?" }].into_iter().zip(halves) {
        let at = pos2(lerp(picture.x_range(), f32::midpoint(left, right)), picture.bottom() - 16.0);
        let galley = painter.layout_no_wrap(words.to_owned(), FontId::proportional(16.0), Color32::WHITE);
        let back = Rect::from_center_size(at, galley.size() + vec2(16.0, 6.0));
        painter.rect_filled(back, 4.0, Color32::from_black_alpha(170));
        painter.galley(back.center() - galley.size() / 2.0, galley, Color32::WHITE);
    }
}

/// The changed lines, the switch, and who computes what.
fn code_ui(ui: &mut Ui, panel: &mut StartPanel, state: &State, actions: &mut Vec<Action>) {
    let Some(tried) = state.start.shown() else {
        measuring_ui(ui, state, actions);
        return;
    };
    if panel.told.as_ref().is_none_or(|(pair, _)| *pair != tried.pair) {
        let lines = changed_lines(&tried.pair, state.abilities_of(&tried.pair.0));
        panel.told = Some((tried.pair.clone(), Told { lines, lanes: both(tried) }));
    }
    let Some((_, told)) = &panel.told else { return };
    let (is_on, is_dark) = (state.start.is_on, ui.visuals().dark_mode);
    let op = if is_on { LineOp::Added } else { LineOp::Removed };
    let inks = [ui.visuals().text_color(), accent(is_dark)];
    Frame::new().fill(ui.visuals().extreme_bg_color).corner_radius(6).inner_margin(12).show(ui, |ui| {
        ui.set_width(ui.available_width());
        for line in told.lines.iter().filter(|line| line.op == op).take(MOST_LINES) {
            line_ui(ui, line, "", 18.0, inks);
        }
    });
    ui.add_space(space::MEDIUM);
    ui.horizontal(|ui| {
        for value in [false, true] {
            let label = tried.switch.label(value);
            let button = Button::selectable(is_on == value, RichText::new(label).size(18.0)).frame_when_inactive(true);
            let response = ui.add(button.min_size(vec2(110.0, 38.0)));
            response.widget_info(|| WidgetInfo::selected(egui::Role::RadioButton, true, is_on == value, label));
            if response.clicked() {
                actions.push(Action::Start(StartAction::Put(value)));
            }
        }
    });
    if let Some([before, after]) = &told.lanes {
        ui.add_space(space::MEDIUM);
        let height = ui.available_height().min(300.0);
        if height > 70.0 {
            lanes_ui(ui, if is_on { after } else { before }, height, state.settings.is_still);
        }
    }
}

fn measuring_ui(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        if state.start.is_stopped {
            ui.label(text("start.stopped"));
            if ui.button(text("window.again.label")).clicked() {
                actions.push(Action::Start(StartAction::Again));
            }
        } else {
            ui.add(Spinner::new());
            ui.label(RichText::new(text("start.measuring")).weak());
        }
    });
}

/// A bar for each side: the median with its quartiles. The second one is there once the switch was pressed.
fn bars_ui(ui: &mut Ui, state: &State) {
    let times = known(state);
    if times.is_empty() {
        ui.add_space(56.0);
        return;
    }
    let switch = state.start.switch();
    let most = times.iter().map(|time| time.upper_quartile_ns).fold(1.0, f64::max);
    let shown = if state.start.is_on { 2 } else { 1 };
    let row = 26.0;
    for index in 0..2 {
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), row), Sense::hover());
        let Some(time) = times.get(index).filter(|_| index < shown) else { continue };
        let label = switch.label(index == 1);
        let words = units::time_between(time.median_ns, time.lower_quartile_ns, time.upper_quartile_ns);
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, format!("{label}: {words}")));
        let painter = ui.painter_at(rect);
        let ink = ui.visuals().text_color();
        painter.text(rect.left_center(), Align2::LEFT_CENTER, label, FontId::proportional(16.0), ink);
        let area = Rect::from_min_max(pos2(rect.left() + 90.0, rect.top() + 4.0), pos2(rect.right() - 240.0, rect.bottom() - 4.0));
        let x = |nanoseconds: f64| area.left() + area.width() * (nanoseconds / most) as f32;
        let is_dark = ui.visuals().dark_mode;
        painter.rect_filled(area.with_max_x(x(time.median_ns)), 3.0, color(Role::Device, is_dark));
        let whisker = Stroke::new(2.0, color(Role::Strong, is_dark));
        let [low, high] = [x(time.lower_quartile_ns), x(time.upper_quartile_ns)];
        painter.hline(low..=high, area.center().y, whisker);
        for end in [low, high] {
            painter.vline(end, area.center().y - 5.0..=area.center().y + 5.0, whisker);
        }
        let at = pos2(x(time.upper_quartile_ns) + 10.0, rect.center().y);
        painter.text(at, Align2::LEFT_CENTER, words, FontId::proportional(16.0), ink);
    }
}

/// What came of it, and the two ways on.
fn ways_on(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        let big = |words: &str| Button::new(RichText::new(words).size(17.0)).min_size(vec2(0.0, 40.0));
        if ui.add(big(text("start.why")).selected(state.start.is_on)).on_hover_text(text("start.why-about")).clicked() {
            actions.push(Action::Start(StartAction::Why));
        }
        if ui.add(big(text("start.photo"))).on_hover_text(Command::Open.text().tooltip).clicked() {
            actions.push(Action::Run(Command::Open));
        }
        if let Some((tried, _)) = times(state).filter(|_| state.start.is_on) {
            let comparison = &tried.compared.comparison;
            ui.add_space(space::LARGE);
            ui.label(RichText::new(units::outcome(comparison, tried.compared.busy)).size(20.0).strong());
            let exact = RichText::new(text("start.exact")).color(right(ui.visuals().dark_mode)).size(16.0);
            ui.label(exact).on_hover_text(text("start.exact-about"));
        }
    });
}

/// What computes, and what is going on.
fn status_ui(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        ui.set_min_height(24.0);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if state.section == Section::Start && state.why_not(Command::Cancel).is_none() {
                command_button(ui, state, Command::Cancel, false, actions);
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let device = state.device_or_first();
                let is_processor = device.is_some_and(|device| device.kind == engine::device::DeviceKind::Cpu);
                let words = match device {
                    Some(_) if is_processor => text("start.processor").to_owned(),
                    Some(device) => device.label(),
                    None => text("window.status.no-device").to_owned(),
                };
                let label = ui.add(Label::new(RichText::new(words).small().weak()).truncate());
                if let Some(device) = device {
                    label.on_hover_text(format!("{}\n{}", device.label(), device.driver_version));
                }
            });
        });
    });
}
