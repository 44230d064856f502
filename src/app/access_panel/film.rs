//! The access picture that plays: the loads and stores of a sub-group one after the other, before and after. All frames are laid out at once, on a thread of
//! their own, from the same data as the still picture; playing chooses one.

use super::asked::{Asked, LINE_BYTES, LOCAL, SEGMENT_BYTES, SUB_GROUP, Shown};
use super::draw::frames;
use super::picture_info;
use crate::app::background::Background;
use crate::app::scene_ui::paint;
use crate::app::theme::space;
use crate::engine::{Target, Task};
use crate::model::LocalSize;
use crate::plot::Scene;
use crate::texts::{filled, language, text};
use egui::{Button, Context, Key, Label, Role, Sense, TextStyle, Ui, WidgetInfo, vec2};

/// Steps per second.
const STEPS_PER_SECOND: f64 = 3.0;
/// So long the whole picture stays before it plays again, in seconds.
const REST: f64 = 4.0;
/// Lines above the picture.
const LINES: f32 = 2.0;
/// Widths and heights differ by so many points at least: nothing is laid out anew for each point that a person drags.
const ROOM_STEP: f32 = 24.0;

/// One variant, frame by frame: who makes the pixel, each load and store, all of them.
#[derive(Debug, Default)]
pub struct Film {
    /// The frames, each with what is told of it.
    pub frames: Vec<(Vec<String>, Scene)>,
    /// Loads and stores.
    pub steps: usize,
}

/// What is played.
#[derive(Clone, Debug, PartialEq)]
struct Wanted {
    sides: Vec<Asked>,
    room: [usize; 2],
}

/// What the figure keeps between frames.
#[derive(Default)]
pub struct FilmPanel {
    /// A film for each side, or why there is none.
    made: Background<Wanted, Vec<Result<Film, String>>>,
    /// What was made last is of these.
    sides: Vec<Asked>,
    /// The side that plays, of two.
    side: usize,
    is_paused: bool,
    /// When it began to play, by the window's clock, less what it was paused for.
    begun: f64,
    paused_at: f64,
}

/// What is played of a task.
fn asked_of(task: &Task, is_processor: bool) -> Option<Asked> {
    let Target::Device { variant, local, .. } = task.target else { return None };
    let (width, height) = task.picture.size();
    let local = match local {
        LocalSize::Explicit(size) => size,
        LocalSize::Driver => LOCAL,
    };
    Some(Asked {
        shown: Shown { spec: task.spec.clone(), variant, local },
        before: None,
        picture: task.picture.clone(),
        // Away from the border, where a work-group begins.
        pixel: [width, height].map(|side| side / 2 / SUB_GROUP * SUB_GROUP),
        pass: None,
        sub_group: if is_processor { 1 } else { SUB_GROUP },
        is_loop: is_processor,
        segment_bytes: if is_processor { LINE_BYTES } else { SEGMENT_BYTES },
        step: None,
        language: language(),
    })
}

impl FilmPanel {
    /// Another figure begins to play from its begin; the same one in other room plays on.
    fn follow(&mut self, wanted: Wanted, ctx: &Context) {
        let make = |wanted: &Wanted, ctx: &Context| {
            wanted.sides.iter().map(|asked| frames(asked, wanted.room, ctx).map_err(|error| error.to_string())).collect()
        };
        self.made.follow(wanted, "film", ctx, make);
        if let Some((wanted, _)) = self.made.shown().filter(|(wanted, _)| wanted.sides != self.sides) {
            self.sides = wanted.sides.clone();
            (self.begun, self.is_paused) = (ctx.input(|input| input.time), false);
        }
    }
}

/// What a figure of a lesson may show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// Numbers and steps: not while they are asked for.
    pub counts: bool,
    /// Motion.
    pub motion: bool,
}

/// Draws the figure of one or two tasks into all of `ui`; `names` are on the buttons that choose between two.
pub fn film_ui(ui: &mut Ui, panel: &mut FilmPanel, tasks: &[(Task, String)], is_processor: bool, allowed: Allowed) {
    let sides: Vec<Asked> = tasks.iter().filter_map(|(task, _)| asked_of(task, is_processor)).collect();
    if sides.is_empty() {
        return;
    }
    let line = ui.text_style_height(&TextStyle::Body) + ui.spacing().item_spacing.y;
    let controls = ui.spacing().interact_size.y + space::SMALL + LINES * line;
    let room = vec2(ui.available_width(), (ui.available_height() - controls).max(40.0));
    let stepped = |points: f32| (points / ROOM_STEP).floor().max(4.0) as usize * ROOM_STEP as usize;
    panel.side = panel.side.min(sides.len() - 1);
    panel.follow(Wanted { sides, room: [stepped(room.x), stepped(room.y)] }, ui.ctx());
    let Some((_, films)) = panel.made.shown() else {
        ui.weak(text("access.panel.following"));
        return;
    };
    let film = match films.get(panel.side.min(films.len().saturating_sub(1))) {
        Some(Ok(film)) => film,
        Some(Err(why)) => {
            ui.label(why);
            return;
        }
        None => return,
    };
    let now = ui.input(|input| input.time);
    let last = film.frames.len().saturating_sub(1);
    let position = (if panel.is_paused { panel.paused_at } else { now } - panel.begun).max(0.0);
    let whole = last as f64 / STEPS_PER_SECOND;
    let index = match allowed {
        Allowed { counts: false, .. } => 0,
        Allowed { motion: false, .. } => last,
        Allowed { counts: true, motion: true } => ((position % (whole + REST)) * STEPS_PER_SECOND) as usize,
    };
    let plays = allowed.counts && allowed.motion;
    if plays && !panel.is_paused {
        ui.ctx().request_repaint_after_secs((0.5 / STEPS_PER_SECOND) as f32);
    }
    if let Some((lines, scene)) = film.frames.get(index.min(last)) {
        // As high as the longest: the picture does not jump.
        let top = ui.cursor().top();
        for line in lines.iter().take(LINES as usize) {
            ui.add(Label::new(line).truncate());
        }
        ui.add_space((top + LINES * line - ui.cursor().top()).max(0.0));
        scene_ui_in(ui, scene, room);
    }
    let steps = film.steps;
    let count = films.len();
    ui.horizontal(|ui| {
        if plays {
            let label = text(if panel.is_paused { "course.film.play" } else { "course.film.pause" });
            let button = ui.add(Button::new(label)).on_hover_text(text("course.film.pause-about"));
            let is_key = ui.memory(|memory| memory.focused().is_none()) && ui.input(|input| input.key_pressed(Key::Space));
            if button.clicked() || is_key {
                if panel.is_paused {
                    panel.begun += now - panel.paused_at;
                } else {
                    panel.paused_at = now;
                }
                panel.is_paused = !panel.is_paused;
            }
        }
        if count > 1 {
            for (side, (_, label)) in tasks.iter().enumerate() {
                let response = ui.add(Button::selectable(panel.side == side, label).frame_when_inactive(true));
                response.widget_info(|| WidgetInfo::selected(Role::RadioButton, true, panel.side == side, label.as_str()));
                if response.clicked() {
                    (panel.side, panel.begun, panel.is_paused) = (side, now, false);
                }
            }
        }
        if allowed.counts {
            ui.label(filled("course.film.steps", &[("count", &steps)]));
        }
    });
}

/// A scene in the middle of so much room.
fn scene_ui_in(ui: &mut Ui, scene: &Scene, room: egui::Vec2) {
    let (area, response) = ui.allocate_exact_size(room, Sense::hover());
    response.widget_info(|| picture_info(scene));
    let left = area.left() + (area.width() - scene.width as f32) / 2.0;
    paint(&ui.painter_at(area), scene, egui::pos2(left, area.top()), ui.visuals().dark_mode);
}
