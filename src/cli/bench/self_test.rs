//! `kernel-ladder bench --self-test`: variants compared with themselves.

use super::planning::Plan;
use super::report::significant;
use crate::cli::output::TerminalProgress;
use base::error::Result;
use base::texts::{Words, filled, text};
use engine::{Backend, Compared, KernelText, PictureRef, Target, Task};
use model::measure::Progress as _;
use model::{CpuEngine, HostMemory};
use serde::Serialize;
use std::fmt::Display;
use std::sync::Arc;
use study::{Prober, SelfTest};
use view::story::{Block, Cell, Kind, Story, Table, Tone, said};

/// One line of the table.
#[derive(Serialize)]
pub struct Row {
    place: String,
    size: String,
    #[serde(flatten)]
    test: SelfTest,
}

/// Compares every variant of the plan with itself, `repeats` times at each size, and the CPU competitors likewise.
///
/// # Errors
/// Cancelled, or a picture that cannot be made.
pub fn run(engine: &mut dyn Backend, plan: &Plan, repeats: usize) -> Result<Vec<Row>> {
    let mut progress = TerminalProgress::new();
    let mut places: Vec<(String, Vec<Target>)> =
        vec![(text("tables.self-test.place").to_owned(), CpuEngine::ALL.map(Target::Cpu).to_vec())];
    for device in &plan.devices {
        let target = |row: &super::planning::Row| {
            let local = row.locals.first().copied().unwrap_or_default();
            Target::Device { index: device.index, variant: row.variant, local, host_memory: HostMemory::Copy }
        };
        let mut targets: Vec<Target> = Vec::new();
        for target in plan.rows.iter().map(target) {
            // A ladder may come to a variant twice.
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        places.push((device.display_name(), targets));
    }
    let mut rows = Vec::new();
    let mut all: Vec<Vec<Compared>> = places.iter().map(|_| Vec::new()).collect();
    for &(width, height) in &plan.sizes {
        let picture = PictureRef::new(Arc::new(plan.picture_of(width, height)));
        for ((place, targets), all) in places.iter().zip(&mut all) {
            let mut compared = Vec::new();
            for repeat in 0..repeats {
                for (index, &target) in targets.iter().enumerate() {
                    let values: [(&str, &dyn Display); 5] =
                        [("place", place), ("width", &width), ("height", &height), ("round", &(repeat + 1)), ("count", &repeats)];
                    progress.job = filled("tables.self-test.job", &values);
                    progress.report(index, targets.len(), text("tables.self-test.comparing"));
                    let task = Task { spec: plan.spec.clone(), picture: picture.clone(), target, text: KernelText::Composed };
                    // What does not run here has nothing to be compared.
                    compared.extend(Prober::new(plan.budget).compare(&task, &task, engine, &progress)?.ok());
                }
            }
            rows.push(Row { place: place.clone(), size: format!("{width} x {height}"), test: SelfTest::of(&compared) });
            all.append(&mut compared);
        }
    }
    rows.extend(places.iter().zip(&all).map(|((place, _), all)| Row {
        place: place.clone(),
        size: text("tables.self-test.all").to_owned(),
        test: SelfTest::of(all),
    }));
    progress.clear();
    Ok(rows)
}

/// The table, and how to read it.
pub fn story(rows: &[Row]) -> Story {
    let heads = [
        (Kind::Words, "tables.self-test.compared"),
        (Kind::Words, "tables.self-test.size"),
        (Kind::Number, "tables.self-test.quiet"),
        (Kind::Number, "tables.self-test.busy"),
        (Kind::Number, "tables.self-test.held"),
        (Kind::Number, "tables.self-test.half-width"),
        (Kind::Number, "tables.self-test.detects"),
    ];
    let mut table = Table::headed("self-test", heads);
    let of = |(count, all): (usize, usize)| Cell::Words(said(|| filled("tables.self-test.of", &[("count", &count), ("all", &all)])));
    for Row { place, size, test } in rows {
        table.row([
            Cell::of(place),
            Cell::of(size),
            of(test.quiet()),
            of((test.false_busy, test.busy)),
            Cell::of(&format!("{} ({} %)", test.held, significant(test.held_percent()))),
            Cell::or_missing(test.median_reach_percent.map(|reach| format!("{} %", significant(reach)))),
            Cell::or_missing(test.finds_percent.map(|percent| format!("{percent} %"))),
        ]);
    }
    let mut story = Story::default();
    story.push(Block::Table(table));
    story.say(Tone::Weak, Words::text("tables.self-test.about-false"));
    story.say(Tone::Weak, Words::text("tables.self-test.about-detects"));
    story
}
