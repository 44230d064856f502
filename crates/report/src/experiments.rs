//! Explanations that were put to the test: the steps counted by how far they are explained, and each step with its experiments.

use super::subject::Devices;
use base::texts::{Words, pair, text};
use engine::device::DeviceInfo;
use kernels::filters;
use study::bundle::{Bundle, Tested, is_same_device};
use study::experiment::{Counted, Proof, PutToTest, counted, telling};
use view::plot::units;
use view::story::html::Page;
use view::story::{Cell, Kind, Table};

/// A step with what experiments said of its reasons.
struct Step<'a> {
    tested: &'a Tested,
    reasons: Vec<PutToTest>,
}

/// The section; nothing where nothing was put to the test.
pub fn section(bundle: &Bundle, devices: &Devices<'_>, page: &mut Page) {
    let of = |device: &DeviceInfo| -> Vec<Step<'_>> {
        let runs = bundle.devices().map(|(_, run)| run).filter(|run| is_same_device(&run.device, device));
        // Of those that are not of today no rule says anything.
        let steps = runs.flat_map(|run| &run.tested).filter(|tested| tested.step.is_current());
        steps.filter_map(|tested| Some(Step { tested, reasons: tested.step.tests()? })).collect()
    };
    let all: Vec<(&str, Vec<Step<'_>>)> =
        devices.all().map(|(device, name)| (name, of(device))).filter(|(_, steps)| !steps.is_empty()).collect();
    if all.is_empty() {
        return;
    }
    page.section("experiments", text("experiments.table.title"));
    page.paragraph(text("report.experiments.about"));
    page.table(&counts(&all));
    page.table(&steps(&all));
}

/// How many steps are explained, and how far, on each device.
fn counts(all: &[(&str, Vec<Step<'_>>)]) -> Table {
    let counted = all.iter().map(|(name, steps)| {
        let counted = steps.iter().map(|step| Counted::of(step.tested.step.comparison.verdict, &step.reasons));
        ((*name).to_owned(), counted.fold(Counted::default(), Counted::and))
    });
    counted::table("report.device", counted).captioned(text("report.experiments.counts"))
}

/// Each step of each device, with its reasons and their experiments.
fn steps(all: &[(&str, Vec<Step<'_>>)]) -> Table {
    let heads = ["experiments.table.step", "tables.bench.speed-up", "experiments.table.left", "report.experiments.reasons"];
    let mut table = Table::headed("steps", heads.map(|head| (Kind::Words, head))).captioned(text("report.experiments.steps"));
    for (name, steps) in all {
        table.group(name);
        for step in steps {
            table.row(row(step));
        }
    }
    table
}

fn row(step: &Step<'_>) -> [Cell; 4] {
    let there = &step.tested.step;
    let ladder = filters::all().iter().find_map(|filter| filter.ladder(&there.ladder));
    let title = |key: &str| {
        let title = ladder.and_then(|ladder| ladder.step_title(ladder.steps.iter().position(|step| step.key == key)?));
        title.unwrap_or_else(|| key.to_owned())
    };
    let [width, height] = there.size_px;
    let label = ladder.map_or(there.ladder.as_str(), |ladder| ladder.label());
    let name = pair(&label, &format!("{} → {}", title(&there.against), title(&there.step)));
    let size = format!("{width} × {height}");
    let left = there.proof().map_or("experiments.table.undecided", Proof::key);
    let lines = step.reasons.iter().flat_map(telling::lines).map(|line| Cell::of(&line));
    [
        Cell::Lines([name, size].map(|line| Cell::of(&line)).into()),
        Cell::of(&units::outcome(&there.comparison, there.is_busy)),
        Cell::Words(Words::text(left)),
        Cell::Lines(lines.collect()),
    ]
}
