//! The ablation of the chosen variant: each stage alone, as the last one, and one after the other.

use super::action::Action;
use super::scene_ui::{Kept, hits_ui, measure};
use super::state::State;
use super::studies::{Answer, Stand, StudyKind};
use super::studies_ui::{head_ui, warning};
use super::theme::{self, space};
use crate::engine::Target;
use crate::measure::Verdict;
use crate::model::Variant;
use crate::plot::{Fall, Scene, WaterfallRow, units, waterfall};
use crate::study::{
    ablation::{self, Ablation, Worth},
    telling,
};
use crate::texts::{filled, text};
use egui::{Color32, Grid, Label, RichText, ScrollArea, Ui};

/// What this panel keeps between frames.
#[derive(Default)]
pub struct AblationPanel {
    drawn: Kept<Scene>,
}

/// Draws the panel into all of `ui`.
pub fn ablation_panel(ui: &mut Ui, panel: &mut AblationPanel, state: &State, actions: &mut Vec<Action>) {
    ScrollArea::vertical().auto_shrink([false, false]).id_salt("ablation").show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = space::SMALL;
        let Some(studied) = head_ui(ui, state, StudyKind::Ablation, "studies.ablation.none", actions) else { return };
        let Answer::Ablation { found, .. } = &studied.answer else { return };
        let Target::Device { variant, .. } = &studied.task.target else { return };
        let all = found.stages.iter().flat_map(|stage| [&stage.alone, &stage.last, &stage.added]).chain([&found.whole]);
        if all.filter_map(|worth| worth.as_ref()?.as_ref().ok()).any(|compared| compared.busy) {
            warning(ui, text("studies.panel.busy"));
        }
        ui.add_space(space::SMALL);
        ui.label(RichText::new(text("studies.ablation.waterfall")).strong());
        let width = ui.available_width();
        let measure = measure(ui);
        let scene = panel.drawn.get(ui, state, [width, 0.0], || waterfall(&rows(variant, found), f64::from(width), &measure));
        hits_ui(ui, scene, "waterfall", false, |ui, index| {
            ui.label(scene.hits.get(index).map_or("", |hit| hit.name.as_str()));
        });
        ui.add_space(space::MEDIUM);
        table_ui(ui, variant, found);
        ui.add_space(space::SMALL);
        interactions_ui(ui, variant, found, studied.stand);
    });
}

/// The steps of the waterfall, and the whole as it was compared at once.
fn rows(variant: &Variant, found: &Ablation) -> Vec<WaterfallRow> {
    waterfall_rows(found.stages.iter().map(|stage| (ablation::name(variant, &stage.stages), &stage.added)), &found.whole)
}

/// Steps by their names, each worth so much over the one before, and the whole as it was compared at once.
pub fn waterfall_rows<'a>(steps: impl Iterator<Item = (String, &'a Worth)>, whole: &Worth) -> Vec<WaterfallRow> {
    let mut from = Some(1.0);
    let mut rows: Vec<WaterfallRow> = Vec::new();
    for (label, worth) in steps {
        let fall = match (worth, from) {
            (Some(Ok(compared)), Some(begin)) => {
                let comparison = &compared.comparison;
                let to = begin * comparison.ratio;
                from = Some(to);
                Fall::Step { from: begin, to, ends: [begin * comparison.low, begin * comparison.high] }
            }
            (Some(Err(why)), _) => {
                from = None;
                Fall::None(filled("studies.ablation.not-compared", &[("why", why)]))
            }
            (None, _) | (_, None) => {
                from = None;
                Fall::None(String::new())
            }
        };
        rows.push(WaterfallRow { label, fall, value: ratio(worth), is_whole: false });
    }
    let fall = match whole {
        Some(Ok(compared)) => {
            let comparison = &compared.comparison;
            Fall::Step { from: 1.0, to: comparison.ratio, ends: [comparison.low, comparison.high] }
        }
        Some(Err(why)) => Fall::None(filled("studies.ablation.not-compared", &[("why", why)])),
        None => Fall::None(String::new()),
    };
    rows.push(WaterfallRow { label: text("studies.ablation.whole").to_owned(), fall, value: ratio(whole), is_whole: true });
    rows
}

/// "1.50× (1.40–1.60)", empty where it was not compared.
fn ratio(worth: &Worth) -> String {
    let Some(Ok(compared)) = worth else { return String::new() };
    units::with_note(&units::comparison(&compared.comparison), compared.busy)
}

fn table_ui(ui: &mut Ui, variant: &Variant, found: &Ablation) {
    ScrollArea::horizontal().id_salt("ablation-table").show(ui, |ui| {
        Grid::new("ablation").num_columns(3).spacing([space::LARGE, space::SMALL]).striped(true).show(ui, |ui| {
            for head in ["studies.ablation.stage", "studies.ablation.alone", "studies.ablation.last"] {
                ui.label(RichText::new(text(head)).small().weak());
            }
            ui.end_row();
            for stage in &found.stages {
                let labels: Vec<_> = stage.stages.iter().map(|stage| stage.stage().label()).collect();
                ui.label(ablation::name(variant, &stage.stages)).on_hover_text(labels.join(" + "));
                // What it adds to those above is in the waterfall.
                for worth in [&stage.alone, &stage.last] {
                    cell_ui(ui, worth);
                }
                ui.end_row();
            }
        });
    });
}

fn cell_ui(ui: &mut Ui, worth: &Worth) {
    match worth {
        None => drop(ui.weak("…")),
        Some(Err(why)) => drop(ui.weak("–").on_hover_text(filled("studies.ablation.not-compared", &[("why", why)]))),
        Some(Ok(compared)) => {
            let verdict = units::with_starts(units::verdict(compared.comparison.verdict, compared.busy), &compared.comparison);
            ui.label(RichText::new(ratio(worth)).color(ink(ui, compared.comparison.verdict))).on_hover_text(verdict);
        }
    }
}

fn ink(ui: &Ui, verdict: Verdict) -> Color32 {
    match verdict {
        Verdict::Faster => theme::right(ui.visuals().dark_mode),
        Verdict::Slower => ui.visuals().warn_fg_color,
        Verdict::Same | Verdict::Unclear => ui.visuals().text_color(),
    }
}

fn interactions_ui(ui: &mut Ui, variant: &Variant, found: &Ablation, stand: Stand) {
    let mut is_any = false;
    for stage in &found.stages {
        let Some(words) = telling::interaction(variant, stage) else { continue };
        is_any = true;
        ui.add(Label::new(words).wrap());
    }
    if !is_any && stand == Stand::Done {
        ui.label(RichText::new(text("studies.ablation.no-interaction")).weak());
    }
    // Where steps interact, or the clock drifts, their product is another figure than that of the whole.
    if let Some(product) = found.steps().last().filter(|_| found.steps().len() == found.stages.len()) {
        ui.label(RichText::new(filled("studies.ablation.steps", &[("ratio", &units::speed_up(*product))])).weak());
    }
}

#[cfg(test)]
mod tests {
    use super::rows;
    use crate::engine::Compared;
    use crate::measure::{Comparison, Verdict};
    use crate::model::{StageId, Variant};
    use crate::plot::Fall;
    use crate::study::ablation::{Ablation, StageWorth};
    use crate::testing::compared_as;

    fn compared(ratio: f64) -> Compared {
        let comparison = Comparison { ratio, low: ratio * 0.9, high: ratio * 1.1, verdict: Verdict::Faster, starts: 1 };
        compared_as(comparison)
    }

    #[test]
    fn steps_begin_where_the_one_before_ended_and_the_whole_at_one() {
        let stage = |stage, added| StageWorth { stages: vec![stage], alone: None, last: None, added: Some(added) };
        let stages = vec![stage(StageId::Coalesced, Ok(compared(2.0))), stage(StageId::Padded, Ok(compared(1.5)))];
        let found = Ablation { stages, whole: Some(Ok(compared(2.9))) };
        let variant = Variant::parse("coalesced+padded").expect("a variant");
        let rows = rows(&variant, &found);
        let step = |index: usize| match &rows[index].fall {
            Fall::Step { from, to, ends } => (*from, *to, ends.map(|end| (end * 100.0).round() / 100.0)),
            Fall::None(why) => panic!("{why}"),
        };
        assert_eq!(step(0), (1.0, 2.0, [1.8, 2.2]));
        assert_eq!(step(1), (2.0, 3.0, [2.7, 3.3]));
        assert_eq!(step(2), (1.0, 2.9, [2.61, 3.19]));
        assert_eq!(rows[1].value, "1.50× (1.35–1.65)");
        // What was not compared begins nothing.
        let broken = Ablation {
            stages: vec![stage(StageId::Coalesced, Err("it failed".into())), stage(StageId::Padded, Ok(compared(1.5)))],
            whole: None,
        };
        let rows = super::rows(&variant, &broken);
        assert_eq!(rows[0].fall, Fall::None("not compared: it failed".into()));
        assert_eq!((&rows[1].fall, &rows[2].fall), (&Fall::None(String::new()), &Fall::None(String::new())));
    }
}
