//! Who computes what: 32 work-items that follow each other, and the pixels that each of their loads touches. All of it follows from
//! [`view::access::answer`], as the access picture does.

use super::Tried;
use crate::app::glossary::entries;
use crate::app::theme::{accent, color};
use base::texts::filled;
use egui::{Align2, FontId, Rect, Sense, Ui, pos2, vec2};
use engine::device::SECTOR_BYTES;
use engine::{Target, Task};
use kernels::footprint::Place;
use kernels::launch::Shape;
use view::access::memory::DEFAULT_BANKS;
use view::access::{Question, answer};
use view::plot::Role;

/// Work-items of a sub-group on most GPUs, and enough to see an order.
const ITEMS: usize = 32;

/// Loads of a sub-group, one after the other.
pub struct Lanes {
    /// For each load the columns and rows of its bytes, from the first column and row.
    loads: Vec<Vec<[usize; 2]>>,
    /// Segments that a load touches at most.
    segments: usize,
}

impl Lanes {
    /// Of a side of a switch; `None` where its loads do not tell their bytes.
    pub fn of(task: &Task) -> Option<Self> {
        let Target::Device { variant, .. } = task.target else { return None };
        let (width, height) = task.picture.size();
        let setting = task.setting();
        let question = Question {
            filter: task.filter(),
            shape: Shape { variant: &variant, setting, parameters: &task.spec.parameters, width_px: width, height_px: height },
            // Away from the border, at a multiple of the work-group.
            pixel: [width / 2 / ITEMS * ITEMS, height / 2 / ITEMS * ITEMS],
            pass: None,
            local: [ITEMS, 1],
            sub_group: ITEMS,
            is_loop: false,
            banks: DEFAULT_BANKS,
        };
        let answered = answer(&question).ok()?;
        let channels = setting.channels.count();
        let pitch = width * channels;
        let place = |first: usize| [first % pitch / channels, first / pitch];
        let loads = answered.steps.iter().filter(|step| step.own.kind.is_load());
        let places: Option<Vec<Vec<[usize; 2]>>> = loads
            .clone()
            .map(|step| {
                let of_lane = |(_, access): &(usize, kernels::footprint::Access)| match access.place {
                    Place::Bytes { first, .. } => Some(place(first)),
                    _ => None,
                };
                step.lanes.iter().map(of_lane).collect()
            })
            .collect();
        let places = places.filter(|places| !places.is_empty())?;
        let all = || places.iter().flatten();
        let (left, top) = (all().map(|[x, _]| *x).min().unwrap_or(0), all().map(|[_, y]| *y).min().unwrap_or(0));
        let relative = |[x, y]: [usize; 2]| [x - left, y - top];
        let segments =
            loads.filter_map(|step| step.segments.as_ref()?.iter().find(|own| own.size_bytes == SECTOR_BYTES).map(|own| own.touched));
        Some(Self {
            segments: segments.max().unwrap_or(0),
            loads: places.into_iter().map(|lanes| lanes.into_iter().map(relative).collect()).collect(),
        })
    }
}

/// Loads per second that are shown.
const LOADS_PER_SECOND: f64 = 2.5;

/// Draws the loads of a side, one after the other; all at once where figures stand still.
pub fn lanes_ui(ui: &mut Ui, lanes: &Lanes, height: f32, is_still: bool) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
    let words = filled("start.lanes", &[("items", &ITEMS), ("segments", &lanes.segments)]);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, words.as_str()));
    let is_dark = ui.visuals().dark_mode;
    let painter = ui.painter_at(rect);
    let body = Rect::from_min_max(rect.min, pos2(rect.right(), rect.bottom() - 22.0));
    let all = || lanes.loads.iter().flatten();
    let extent = [all().map(|[x, _]| x + 1).max(), all().map(|[_, y]| y + 1).max()].map(|most| most.unwrap_or(1).max(ITEMS + 2) as f32);
    let [columns, rows] = extent;
    let cell = (body.width() / columns).min(body.height() / rows).max(1.0);
    let corner = body.center() - vec2(columns, rows) * cell / 2.0;
    let now = if is_still {
        lanes.loads.len()
    } else {
        ui.ctx().request_repaint_after_secs((1.0 / LOADS_PER_SECOND / 2.0) as f32);
        (ui.input(|input| input.time) * LOADS_PER_SECOND) as usize % (lanes.loads.len() + 2)
    };
    painter.rect_filled(Rect::from_min_size(corner, vec2(columns, rows) * cell), 2.0, ui.visuals().faint_bg_color);
    for (index, load) in lanes.loads.iter().enumerate().take(now + 1) {
        let ink = if index == now { accent(is_dark) } else { color(Role::Weak, is_dark).gamma_multiply(0.5) };
        for [x, y] in load {
            let at = corner + vec2(*x as f32, *y as f32) * cell;
            painter.rect_filled(Rect::from_min_size(at, vec2(cell, cell)).shrink(cell * 0.08), 0.0, ink);
        }
    }
    painter.text(rect.center_bottom(), Align2::CENTER_BOTTOM, &words, FontId::proportional(14.0), ui.visuals().text_color());
    response.on_hover_ui(|ui| drop(ui.label(entries(&words))));
}

/// Both sides of a switch, where it is one of order.
pub fn both(tried: &Tried) -> Option<[Lanes; 2]> {
    if !tried.switch.is_order {
        return None;
    }
    Some([Lanes::of(&tried.pair.0)?, Lanes::of(&tried.pair.1)?])
}
