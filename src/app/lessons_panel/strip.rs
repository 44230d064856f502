//! The ladder below a lesson: a bar for each step, or for the two variants of a screen. What is asked for has a question mark in the place of its bar.

use super::CourseAction;
use super::course::Here;
use super::view::is_protected;
use crate::app::action::Action;
use crate::app::state::State;
use crate::app::theme::{accent, color};
use base::texts::{filled, text};
use egui::{Align2, FontId, Rect, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};
use engine::Task;
use model::{LocalSize, Summary, local_label};
use study::lessons::{Item, Screen};
use view::plot::{Role, units};

/// Height of the strip, in points.
const HEIGHT: f32 = 66.0;

/// A bar.
struct Bar<'a> {
    label: String,
    time: Option<&'a Summary>,
    /// It is asked for, so nothing of it is told.
    is_asked: bool,
    is_here: bool,
    /// The screen that a press goes to.
    screen: Option<usize>,
}

/// Draws the strip.
pub fn strip_ui(ui: &mut Ui, state: &State, here: &Here, screen: &Screen, actions: &mut Vec<Action>) {
    let bars = bars(state, here, screen);
    let most = bars.iter().filter_map(|bar| bar.time).map(|time| time.upper_quartile_ns).fold(1.0, f64::max);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
    let width = rect.width() / bars.len().max(1) as f32;
    for (index, bar) in bars.iter().enumerate() {
        let left = rect.left() + width * index as f32;
        let cell = Rect::from_min_max(pos2(left, rect.top()), pos2(left + width - 6.0, rect.bottom()));
        let sense = if bar.screen.is_some() { Sense::click() } else { Sense::hover() };
        let response = ui.interact(cell, ui.scope_id().with(("bar", index)), sense);
        let told = match bar.time {
            _ if bar.is_asked => "?".to_owned(),
            Some(time) => units::time_between(time.median_ns, time.lower_quartile_ns, time.upper_quartile_ns),
            None => text("course.strip.none").to_owned(),
        };
        let kind = if bar.screen.is_some() { egui::Role::Button } else { egui::Role::Label };
        response.widget_info(|| WidgetInfo::labeled(kind, true, format!("{}: {told}", bar.label)));
        draw(ui, cell, bar, most, response.hovered() && bar.screen.is_some());
        if response.clicked() {
            actions.extend(bar.screen.map(|screen| Action::Course(CourseAction::Go(screen))));
        }
        response.on_hover_text(format!("{}\n{told}", bar.label));
    }
}

fn draw(ui: &Ui, cell: Rect, bar: &Bar, most: f64, is_hovered: bool) {
    let is_dark = ui.visuals().dark_mode;
    let painter = ui.painter_at(cell);
    if bar.is_here || is_hovered {
        painter.rect_filled(cell, 4.0, ui.visuals().faint_bg_color);
    }
    let ink = if bar.is_here { ui.visuals().strong_text_color() } else { ui.visuals().weak_text_color() };
    painter.text(cell.min + vec2(4.0, 2.0), Align2::LEFT_TOP, &bar.label, FontId::proportional(13.0), ink);
    let area = Rect::from_min_max(pos2(cell.left() + 4.0, cell.top() + 22.0), pos2(cell.right() - 4.0, cell.top() + 42.0));
    let below = pos2(area.left(), cell.bottom() - 2.0);
    if bar.is_asked {
        painter.rect_stroke(area, 3.0, Stroke::new(1.0, ui.visuals().weak_text_color()), egui::StrokeKind::Inside);
        painter.text(area.center(), Align2::CENTER_CENTER, "?", FontId::proportional(16.0), ui.visuals().text_color());
        return;
    }
    let Some(time) = bar.time else { return };
    let x = |nanoseconds: f64| area.left() + area.width() * (nanoseconds / most) as f32;
    painter.rect_filled(area.with_max_x(x(time.median_ns).max(area.left() + 1.0)), 3.0, color(Role::Device, is_dark));
    let whisker = Stroke::new(1.5, color(Role::Strong, is_dark));
    painter.hline(x(time.lower_quartile_ns)..=x(time.upper_quartile_ns), area.center().y, whisker);
    painter.text(below, Align2::LEFT_BOTTOM, units::time(time.median_ns), FontId::proportional(13.0), ui.visuals().text_color());
    if bar.is_here {
        painter.hline(cell.x_range(), cell.bottom(), Stroke::new(2.0, accent(is_dark)));
    }
}

fn bars<'a>(state: &'a State, here: &Here, screen: &Screen) -> Vec<Bar<'a>> {
    let time = |task: Option<Task>| state.history.newest_of(&task?)?.record.kernel();
    let is_asked = is_protected(state, here, screen);
    if screen.step.is_some() {
        let bar = |(index, own): (usize, &Screen)| {
            let of = own.step?;
            let task = of.ladder.steps.get(of.step).and_then(|step| state.step_task(of.ladder, step));
            // Steps behind this one are still to be asked about.
            let is_told = index < here.index || index == here.index && !is_asked;
            Some(Bar {
                label: own.title.clone(),
                time: time(task).filter(|_| is_told),
                is_asked: index == here.index && is_asked,
                is_here: index == here.index,
                screen: (index != here.index).then_some(index),
            })
        };
        return here.lesson.screens.iter().enumerate().filter_map(bar).collect();
    }
    let Some(show) = &screen.show else { return Vec::new() };
    let is_task = matches!(screen.item, Some(Item::Task(_)));
    let (first, second) = if is_task { (state.shown_task(show), state.task()) } else { (state.against_task(show), state.shown_task(show)) };
    let is_number = matches!(screen.item, Some(Item::Number(_) | Item::Choose(_)));
    let bar = |task: Option<Task>, label: String, is_after: bool| {
        let hides = is_asked && (is_after || is_number);
        Bar { label, time: time(task).filter(|_| !hides), is_asked: hides, is_here: is_after, screen: None }
    };
    let on_device = |task: &Option<Task>| match task.as_ref()?.target {
        engine::Target::Device { variant, local, .. } => Some((variant, local)),
        engine::Target::Cpu(_) => None,
    };
    let [one, other] = [on_device(&first), on_device(&second)];
    let is_one_variant = one.zip(other).is_some_and(|((one, at), (other, other_at))| one == other && at != other_at);
    let named = |task: &Option<Task>, key: &'static str| {
        let variant = on_device(task).map(|(variant, local)| match local {
            // The same at another local size.
            LocalSize::Explicit(size) if is_one_variant => format!("{variant}, {}", local_label(size)),
            _ => variant.to_string(),
        });
        filled(key, &[("variant", &variant.unwrap_or_default())])
    };
    let mut bars = Vec::new();
    if first.is_some() && first != second {
        bars.push(bar(first.clone(), named(&first, if is_task { "course.strip.start" } else { "course.strip.before" }), false));
    }
    let name = match (is_task, bars.is_empty()) {
        (true, _) => "course.strip.yours",
        (false, true) => "course.strip.only",
        (false, false) => "course.strip.after",
    };
    bars.push(bar(second.clone(), named(&second, name), true));
    bars
}
