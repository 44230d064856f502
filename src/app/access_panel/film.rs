//! The access picture that plays: the loads and stores of a sub-group one after the other, before and after, from the same data as the still picture.

use super::asked::{Asked, LOCAL, Shown};
use super::draw::{branches, film};
use crate::app::film::{Allowed, Played};
use base::texts::language;
use egui::Ui;
use engine::device::{LINE_BYTES, SECTOR_BYTES, USUAL_SUB_GROUP};
use engine::{Target, Task};
use model::{LocalSize, StageId};

/// What the figure keeps between frames.
pub type AccessFilm = Played<Vec<Asked>>;

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
        pixel: [width, height].map(|side| side / 2 / USUAL_SUB_GROUP * USUAL_SUB_GROUP),
        pass: None,
        sub_group: if is_processor { 1 } else { USUAL_SUB_GROUP },
        is_loop: is_processor,
        segment_bytes: if is_processor { LINE_BYTES } else { SECTOR_BYTES },
        step: None,
        is_lanes: false,
        language: language(),
    })
}

/// Whether two variants differ in nothing but [`StageId::Select`], and one of them has a branch that depends on the pixels.
fn is_about_branches(sides: &[Asked]) -> bool {
    let [before, after] = sides else { return false };
    let without = |asked: &Asked| asked.shown.variant.with(StageId::Select, 0);
    before.shown.variant != after.shown.variant
        && before.shown.spec == after.shown.spec
        && without(before) == without(after)
        && sides.iter().any(branches)
}

/// Draws the figure of one or two tasks into all of `ui`; their names are on the buttons that choose between two.
pub fn access_film(ui: &mut Ui, panel: &mut AccessFilm, tasks: &[(Task, &'static str)], is_processor: bool, allowed: Allowed) {
    let known = tasks.iter().filter_map(|(task, name)| Some((asked_of(task, is_processor)?, *name)));
    let (mut sides, names): (Vec<Asked>, Vec<&'static str>) = known.unzip();
    // A branch less: what is loaded is the same, so the lanes are the figure. They are a GPU's, as one work-item alone waits for none.
    if is_about_branches(&sides) {
        for side in &mut sides {
            (side.is_lanes, side.sub_group, side.is_loop) = (true, USUAL_SUB_GROUP, false);
        }
    }
    if !sides.is_empty() {
        let make = |sides: &Vec<Asked>, room: [usize; 2], ctx: &egui::Context| {
            sides.iter().map(|asked| film(asked, room, ctx).map_err(|error| error.to_string())).collect()
        };
        panel.ui(ui, sides, &names, make, allowed);
    }
}
