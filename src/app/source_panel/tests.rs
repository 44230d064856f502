//! The source panel as a person uses it: by labels, with actions applied.

use super::{Against, SourcePanel, source_ui};
use crate::app::action::Action;
use crate::app::settings::Settings;
use crate::app::state::State;
use crate::app::{labels, theme};
use crate::model::StageId;
use egui::vec2;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;

struct World {
    state: State,
    panel: SourcePanel,
}

fn harness() -> Harness<'static, World> {
    let world = World { state: State::new(Settings::default()), panel: SourcePanel::default() };
    let frame = |ui: &mut egui::Ui, world: &mut World| {
        theme::install(ui.ctx());
        let mut actions = Vec::new();
        let bottom = ui.max_rect().bottom();
        source_ui(ui, &mut world.panel, &world.state, &mut actions);
        assert!(ui.min_rect().bottom() <= bottom + 0.5, "the panel would grow with every frame");
        for action in actions {
            assert!(world.state.apply(action).is_empty());
        }
    };
    Harness::builder().with_size(vec2(700.0, 320.0)).with_max_steps(20).build_ui_state(frame, world)
}

fn switch(harness: &mut Harness<'static, World>, action: Action) {
    // Without a picture there is nothing to ask the worker for.
    assert!(harness.state_mut().state.apply(action).is_empty());
    harness.run();
}

#[test]
fn a_switch_is_told_with_the_variant_before_it() {
    let mut harness = harness();
    harness.run();
    assert!(harness.query_by_label_contains("new since").is_none());
    switch(&mut harness, Action::SetStage(StageId::Coalesced, 1));
    harness.get_by_label_contains("new since naive");
}

#[test]
fn another_local_size_keeps_the_marks_of_the_last_switch() {
    let mut harness = harness();
    harness.run();
    switch(&mut harness, Action::SetStage(StageId::Coalesced, 1));
    let _ = harness.state_mut().state.apply(Action::SetLocal(crate::model::LocalSize::Explicit([16, 4])));
    harness.run();
    harness.get_by_label_contains("new since naive");
}

#[test]
fn the_difference_names_both_sides() {
    let mut harness = harness();
    harness.run();
    switch(&mut harness, Action::SetVariant(crate::model::Variant::parse("coalesced+padded").expect("a variant")));
    harness.get_by_label(labels::difference_view()).click();
    harness.run();
    harness.get_by_label_contains("From naive to coalesced+padded: ");
    harness.get_by_label(labels::compare_with()).click();
    harness.run();
    harness.get_by_label("Naive").click();
    harness.run();
    harness.get_by_label_contains("From naive to coalesced+padded: ");
    harness.get_by_label(labels::compare_with()).click();
    harness.run();
    harness.get_by_label("Mali-T600 Laplace: 2 Vectorize").click();
    harness.run();
    assert_eq!(harness.state().state.settings.source.against, Against::Step("mali-t600".into(), 1));
    harness.get_by_label_contains("From padded+vectorize=5 to coalesced+padded: ");
}

#[test]
fn a_step_that_is_not_allowed_here_says_why() {
    let mut harness = harness();
    harness.run();
    switch(&mut harness, Action::SetChannels(crate::model::Channels::Gray));
    let settings =
        super::SourceSettings { view: super::View::Difference, against: Against::Step("mali-t600".into(), 1), only_changes: false };
    switch(&mut harness, Action::SetSource(settings));
    harness.get_by_label_contains("difference not available: gray pictures have");
}

#[test]
fn nothing_switched_yet_is_told_in_the_difference_view() {
    let mut harness = harness();
    harness.run();
    harness.get_by_label(labels::difference_view()).click();
    harness.run();
    harness.get_by_label_contains("no stage changed yet");
    harness.get_by_label(labels::kernel_source());
}

#[test]
fn after_a_change_of_filter_there_is_nothing_to_compare() {
    let mut harness = harness();
    harness.run();
    switch(&mut harness, Action::SetFilter(crate::model::FilterId::Bilateral.filter()));
    harness.get_by_label(labels::difference_view()).click();
    harness.run();
    harness.get_by_label_contains("the filter was changed, so no comparison is possible");
    assert!(harness.query_by_label_contains("From naive").is_none());
}
