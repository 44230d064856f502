//! What a filter computes, on a card: in a sentence, as a formula, and as a small drawing of what an output pixel is made of.

use super::scene_ui::{measure, scene_ui};
use super::theme::space;
use base::texts::text;
use egui::{CollapsingHeader, Label, RichText, Ui};
use kernels::filters::Filter;
use model::Parameters;
use view::plot::neighbors;

/// Draws the card, as wide as there is room.
pub fn filter_card(ui: &mut Ui, filter: &Filter, parameters: &Parameters) {
    ui.add(Label::new(filter.summary()).wrap());
    ui.add(Label::new(RichText::new(filter.formula()).monospace().small()).wrap());
    ui.add_space(space::SMALL);
    let width = f64::from(ui.available_width());
    scene_ui(ui, &neighbors(&(filter.drawing)(parameters), width, &measure(ui)));
}

/// The card, folded away below a heading.
pub fn folded_filter_card(ui: &mut Ui, filter: &Filter, parameters: &Parameters) {
    let heading = RichText::new(text("window.about.filter")).small();
    CollapsingHeader::new(heading).id_salt("filter card").show(ui, |ui| filter_card(ui, filter, parameters));
}

#[cfg(test)]
mod tests {
    use super::filter_card;
    use crate::app::theme;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;
    use kernels::filters;

    #[test]
    fn every_filter_has_a_card_no_wider_than_its_room() {
        for filter in filters::all() {
            for room in [240.0, 420.0] {
                let draw = |ui: &mut egui::Ui, width: &mut f32| {
                    theme::install(ui.ctx());
                    let card = ui.scope(|ui| {
                        ui.set_max_width(room);
                        filter_card(ui, filter, &filter.defaults());
                    });
                    *width = card.response.rect.width();
                };
                let mut harness = Harness::builder().with_size(egui::vec2(800.0, 800.0)).build_ui_state(draw, 0.0_f32);
                harness.run();
                assert!(*harness.state() <= room + 1.0, "{} in {room}: {}", filter.name(), harness.state());
                assert!(harness.query_by_label(filter.formula()).is_some());
            }
        }
    }
}
