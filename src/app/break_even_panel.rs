//! From which picture size on the device wins: where the time of a round trip goes, against the CPU over sizes.

use super::action::Action;
use super::scene_ui::{Kept, hits_ui, measure};
use super::state::State;
use super::studies::{Answer, StudyKind};
use super::studies_ui::{head_ui, warning};
use super::theme::space;
use crate::model::{CpuEngine, Labelled, Record};
use crate::plot::{Curve, CurvePoint, Curves, Role, Scale, Scene, curves, units};
use crate::study::{BreakEven, Even, Ledger, Rivals, telling};
use crate::texts::{filled, text};
use egui::{Grid, RichText, ScrollArea, Ui};

/// Room for the sentences below the chart.
const BELOW_POINTS: f32 = 90.0;

const LEAST_POINTS: f32 = 180.0;
const MOST_POINTS: f32 = 420.0;

/// What this panel keeps between frames.
#[derive(Default)]
pub struct BreakEvenPanel {
    drawn: Kept<Scene>,
}

/// Draws the panel into all of `ui`.
pub fn break_even_panel(ui: &mut Ui, panel: &mut BreakEvenPanel, state: &State, actions: &mut Vec<Action>) {
    ScrollArea::vertical().auto_shrink([false, false]).id_salt("break-even").show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = space::SMALL;
        let Some(studied) = head_ui(ui, state, StudyKind::BreakEven, "studies.break-even.none", actions) else { return };
        let Answer::BreakEven { records, results } = &studied.answer else { return };
        if records.iter().any(Record::is_busy) {
            warning(ui, text("studies.panel.busy"));
        }
        if !records.iter().any(|record| record.measured().is_some()) {
            return;
        }
        for result in results.iter().filter(|result| !result.at.is_empty()) {
            ui.label(telling::break_even_sentence(result));
        }
        let size = [ui.available_width(), (ui.available_height() - BELOW_POINTS).clamp(LEAST_POINTS, MOST_POINTS)];
        let measure = measure(ui);
        let scene = panel.drawn.get(ui, state, size, || curves(&data(records, results), size.map(f64::from), &measure));
        hits_ui(ui, scene, "break-even", false, |ui, index| {
            ui.label(scene.hits.get(index).map_or("", |hit| hit.name.as_str()));
        });
        ui.add_space(space::SMALL);
        let rivals = Rivals::of(records);
        ledger_ui(ui, &rivals);
        ui.add_space(space::SMALL);
        speed_ups_ui(ui, &rivals, results);
    });
}

/// A competitor's color is that of all; their shapes and labels tell them apart.
fn data(records: &[Record], results: &[BreakEven]) -> Curves {
    let rivals = Rivals::of(records);
    let device = Curve {
        label: text("studies.break-even.device").to_owned(),
        role: Role::Device,
        points: rivals.iter().filter_map(|size| point(text("studies.break-even.device"), size.device)).collect(),
    };
    let competitor = |engine: CpuEngine| {
        let own = rivals.iter().filter_map(|size| size.cpu.iter().find(|(known, _)| *known == engine));
        Curve {
            label: engine.label().to_owned(),
            role: Role::Cpu,
            points: own.filter_map(|(_, record)| point(engine.label(), record)).collect(),
        }
    };
    let marks = results.iter().filter_map(|result| match result.even? {
        Even::Within { pixels, .. } => Some((pixels, result.against.label().to_owned())),
        Even::Below | Even::Above => None,
    });
    Curves {
        curves: std::iter::once(device).chain(CpuEngine::ALL.map(competitor)).collect(),
        titles: [text("studies.break-even.horizontal").to_owned(), text("studies.break-even.vertical").to_owned()],
        ticks: [units::number, units::time],
        scale: Scale::Log,
        levels: Vec::new(),
        marks: marks.collect(),
    }
}

fn pixels(record: &Record) -> f64 {
    let (width, height) = record.picture.size();
    (width * height) as f64
}

fn point(name: &str, record: &Record) -> Option<CurvePoint> {
    let total = &record.measured()?.round_trip.total;
    let time = units::time_between(total.median_ns, total.lower_quartile_ns, total.upper_quartile_ns);
    let (x, shown) = (pixels(record), units::grouped(pixels(record) as usize));
    let name = filled("studies.break-even.spoken", &[("name", &name), ("pixels", &shown), ("time", &time)]);
    Some(CurvePoint { x, y: total.median_ns, low: total.lower_quartile_ns, high: total.upper_quartile_ns, name })
}

/// Heads of the ledger behind the picture's size, in the order of [`Ledger::cells`].
const LEDGER: [&str; 7] = [
    "studies.break-even.build",
    "studies.break-even.layout",
    "studies.break-even.upload",
    "studies.break-even.wait",
    "studies.break-even.kernel",
    "studies.break-even.readback",
    "studies.break-even.total",
];

fn ledger_ui(ui: &mut Ui, rivals: &[Rivals<'_>]) {
    ScrollArea::horizontal().id_salt("ledger").show(ui, |ui| {
        Grid::new("ledger").num_columns(2 + LEDGER.len()).spacing([space::LARGE, 2.0]).striped(true).show(ui, |ui| {
            let competitors = CpuEngine::ALL.map(CpuEngine::label);
            let heads = std::iter::once(text("studies.break-even.size")).chain(LEDGER.map(text)).chain(competitors);
            heads.for_each(|head| drop(ui.label(RichText::new(head).small().weak())));
            ui.end_row();
            for size in rivals {
                ui.label(size_text(size.device.picture.size()));
                match size.device.measured() {
                    Some(measured) => Ledger::of(measured).cells().into_iter().for_each(|ns| time_ui(ui, ns)),
                    None => LEDGER.iter().for_each(|_| time_ui(ui, None)),
                }
                for engine in CpuEngine::ALL {
                    let record = size.cpu.iter().find(|(known, _)| *known == engine).and_then(|(_, record)| record.measured());
                    time_ui(ui, record.map(|measured| measured.round_trip.total.median_ns));
                }
                ui.end_row();
            }
        });
    });
    ui.label(RichText::new(text("studies.break-even.ledger")).small().weak());
}

fn size_text((width, height): (usize, usize)) -> String {
    format!("{width} × {height}")
}

fn time_ui(ui: &mut Ui, ns: Option<f64>) {
    ui.label(ns.map_or_else(|| "–".to_owned(), units::time));
}

fn speed_ups_ui(ui: &mut Ui, rivals: &[Rivals<'_>], results: &[BreakEven]) {
    ScrollArea::horizontal().id_salt("speed-ups").show(ui, |ui| {
        Grid::new("speed-ups").num_columns(1 + results.len()).spacing([space::LARGE, 2.0]).striped(true).show(ui, |ui| {
            ui.label(RichText::new(text("studies.break-even.size")).small().weak());
            for result in results {
                let over = filled("studies.break-even.over", &[("name", &result.against.label())]);
                ui.label(RichText::new(over).small().weak());
            }
            ui.end_row();
            for size in rivals {
                let picture = size.device.picture.size();
                ui.label(size_text(picture));
                for result in results {
                    let at = result.at.iter().find(|(known, _)| *known == picture).map(|(_, lead)| lead);
                    ui.label(at.map_or_else(|| "–".to_owned(), |lead| units::speed_up_between(lead.ratio, lead.low, lead.high)));
                }
                ui.end_row();
            }
        });
    });
    ui.label(RichText::new(text("studies.break-even.speed-ups")).small().weak());
}
