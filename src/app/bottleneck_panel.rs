//! The bottleneck test of the chosen variant: time against added work, and what follows.

use super::action::Action;
use super::scene_ui::{Kept, hits_ui, measure};
use super::state::State;
use super::studies::{Answer, StudyKind};
use super::studies_ui::{head_ui, warning};
use super::theme::space;
use crate::model::AddedKind;
use crate::plot::{Curve, CurvePoint, Curves, Role, Scale, Scene, curves, units};
use crate::study::{AddedCurve, AddedPoint, largest_frame, telling};
use crate::texts::{filled, text};
use egui::{RichText, ScrollArea, Ui};
use std::fmt::Display;

/// Room for what is said below the chart.
const BELOW_POINTS: f32 = 150.0;

/// Less high, the panel is scrolled.
const LEAST_POINTS: f32 = 180.0;

/// What this panel keeps between frames.
#[derive(Default)]
pub struct BottleneckPanel {
    drawn: Kept<Scene>,
}

/// Draws the panel into all of `ui`.
pub fn bottleneck_panel(ui: &mut Ui, panel: &mut BottleneckPanel, state: &State, actions: &mut Vec<Action>) {
    ScrollArea::vertical().auto_shrink([false, false]).id_salt("bottleneck").show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = space::SMALL;
        let Some(studied) = head_ui(ui, state, StudyKind::Bottleneck, "studies.bottleneck.none", actions) else { return };
        let Answer::Bottleneck { curves: found, diagnosis, .. } = &studied.answer else { return };
        let frame = largest_frame(found);
        if let Some(conclusion) = diagnosis.as_ref().and_then(telling::conclusion) {
            ui.label(RichText::new(conclusion).strong());
        }
        if found.iter().flat_map(|curve| &curve.points).chain(&frame).any(|point| point.busy) {
            warning(ui, text("studies.panel.busy"));
        }
        if found.iter().any(|curve| !curve.points.is_empty()) {
            let size = [ui.available_width(), (ui.available_height() - BELOW_POINTS).max(LEAST_POINTS)];
            let measure = measure(ui);
            let scene = panel.drawn.get(ui, state, size, || curves(&data(found), size.map(f64::from), &measure));
            hits_ui(ui, scene, "bottleneck", false, |ui, index| {
                ui.label(scene.hits.get(index).map_or("", |hit| hit.name.as_str()));
            });
        }
        for line in diagnosis.iter().flat_map(telling::curve_sentences) {
            ui.label(line);
        }
        if let Some(frame) = &frame {
            ui.label(RichText::new(telling::frame_sentence(frame)).weak());
        }
    });
}

/// The colors of the roofline: memory and arithmetic have theirs.
const fn role(kind: AddedKind) -> Role {
    match kind {
        AddedKind::Bytes => Role::Transfers,
        AddedKind::Integer => Role::Device,
        AddedKind::Float => Role::Cpu,
    }
}

fn data(found: &[AddedCurve]) -> Curves {
    let curve = |curve: &AddedCurve| Curve {
        label: curve.kind.unit().to_owned(),
        role: role(curve.kind),
        points: curve.points.iter().map(|at| point(curve.kind, at)).collect(),
    };
    Curves {
        curves: found.iter().map(curve).collect(),
        titles: [text("studies.bottleneck.horizontal").to_owned(), text("studies.bottleneck.vertical").to_owned()],
        ticks: [units::number, units::speed_up],
        scale: Scale::Linear,
        levels: vec![1.0],
        marks: Vec::new(),
    }
}

fn point(kind: AddedKind, at: &AddedPoint) -> CurvePoint {
    let time = units::speed_up_between(at.time, at.low, at.high);
    let (amount, unit) = (units::number(at.per_pixel), kind.unit());
    let values: [(&str, &dyn Display); 3] = [("amount", &amount), ("unit", &unit), ("time", &time)];
    CurvePoint { x: at.per_pixel, y: at.time, low: at.low, high: at.high, name: filled("studies.bottleneck.spoken", &values) }
}
