//! `kernel-ladder bench --self-test`: variants compared with themselves.

use super::planning::Plan;
use super::report::significant;
use crate::cli::output::TerminalProgress;
use crate::cli::table::{Align, Table};
use crate::engine::{Compared, Engine, PictureRef, Target, Task};
use crate::error::Result;
use crate::measure::Progress as _;
use crate::model::{CpuEngine, HostMemory};
use crate::study::{Prober, SelfTest};
use serde::Serialize;
use std::sync::Arc;

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
pub fn run(engine: &mut Engine, plan: &Plan, repeats: usize) -> Result<Vec<Row>> {
    let mut progress = TerminalProgress::new();
    let mut places: Vec<(String, Vec<Target>)> = vec![("CPU competitors".to_owned(), CpuEngine::ALL.map(Target::Cpu).to_vec())];
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
                    progress.job = format!("{place}, {width} x {height}, round {} of {repeats}", repeat + 1);
                    progress.report(index, targets.len(), "Comparing with itself");
                    let task = Task { spec: plan.spec.clone(), picture: picture.clone(), target, added: None };
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
        size: "all".to_owned(),
        test: SelfTest::of(all),
    }));
    progress.clear();
    Ok(rows)
}

/// The table, and how to read it.
pub fn render(rows: &[Row]) -> String {
    let (left, right) = (Align::Left, Align::Right);
    let mut table = Table::new(&[
        ("Compared with itself", left),
        ("size", left),
        ("comparisons", right),
        ("false verdicts", right),
        ("without the busy mark", right),
        ("busy", right),
        ("intervals with 1", right),
        ("half width, median", right),
        ("detects from", right),
    ]);
    for Row { place, size, test } in rows {
        table.row(vec![
            place.clone(),
            size.clone(),
            test.comparisons.to_string(),
            test.false_verdicts.to_string(),
            test.false_unmarked.to_string(),
            test.busy.to_string(),
            format!("{} ({} %)", test.held, significant(test.held_percent())),
            test.median_reach_percent.map_or_else(|| "-".to_owned(), |reach| format!("{} %", significant(reach))),
            test.finds_percent.map_or_else(|| "-".to_owned(), |percent| format!("{percent} %")),
        ]);
    }
    format!(
        "{}\nfalse verdicts: FASTER or SLOWER for a variant compared with itself; 95 % of the intervals should contain 1\n\
         detects from: the smallest slowdown that 90 % of the comparisons call SLOWER, simulated by lengthening the second's times\n",
        table.render()
    )
}
