//! The source panel as a person uses it: by labels, with actions applied.

use super::{Against, SourcePanel, source_ui};
use crate::app::action::Action;
use crate::app::editing::Editing;
use crate::app::settings::Settings;
use crate::app::state::{Effect, State};
use crate::app::{labels, theme};
use crate::runner::Update;
use crate::testing::sessions::{news, on_device, open};
use base::error::Error;
use egui::accesskit::Role;
use egui::{Key, Modifiers, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use engine::device::DeviceInfo;
use engine::{Executed, Printed};
use kernels::filters::FilterIdExt;
use model::{Channels, StageId, Verification};
use pictures::Picture;
use std::sync::Arc;
use study::trial::Tried;

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
            let effects = world.state.apply(action);
            assert!(effects.iter().all(|effect| matches!(effect, Effect::TrySoon)), "{effects:?}");
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
    let _ = harness.state_mut().state.apply(Action::SetLocal(model::LocalSize::Explicit([16, 4])));
    harness.run();
    harness.get_by_label_contains("new since naive");
}

#[test]
fn the_difference_names_both_sides() {
    let mut harness = harness();
    harness.run();
    switch(&mut harness, Action::SetVariant(model::Variant::parse("coalesced+padded").expect("a variant")));
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
    switch(&mut harness, Action::SetChannels(model::Channels::Gray));
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
    switch(&mut harness, Action::SetFilter(model::FilterId::Bilateral.filter()));
    harness.get_by_label(labels::difference_view()).click();
    harness.run();
    harness.get_by_label_contains("the filter was changed, so no comparison is possible");
    assert!(harness.query_by_label_contains("From naive").is_none());
}

/// As a keyboard sends it.
const CTRL: Modifiers = Modifiers { ctrl: true, ..Modifiers::COMMAND };

/// The editor, with the cursor at the begin of its text.
fn editing(text: &str) -> Harness<'static, World> {
    let mut harness = harness();
    harness.run();
    harness.get_by_label(labels::edit_kernel()).click();
    harness.run();
    let _ = harness.state_mut().state.apply(Action::Edit(Editing::Type(text.into())));
    harness.run();
    harness.get_by_label(labels::edited_kernel()).focus();
    harness.run();
    press(&mut harness, CTRL, Key::Home);
    assert!(harness.get_by_label(labels::edited_kernel()).is_focused());
    harness
}

fn press(harness: &mut Harness<'static, World>, modifiers: Modifiers, key: Key) {
    harness.key_press_modifiers(modifiers, key);
    harness.run_ok();
}

fn typed(harness: &Harness<'static, World>) -> String {
    harness.state().state.draft().expect("a draft").to_string()
}

#[test]
fn keys_do_what_they_do_in_editors() {
    let mut harness = editing("{\nab\nab }\n");
    press(&mut harness, CTRL, Key::Slash);
    assert_eq!(typed(&harness), "// {\nab\nab }\n");
    press(&mut harness, CTRL, Key::Slash);
    press(&mut harness, Modifiers::NONE, Key::End);
    press(&mut harness, Modifiers::NONE, Key::Enter);
    assert_eq!(typed(&harness), "{\n    \nab\nab }\n");
    press(&mut harness, Modifiers::SHIFT, Key::Tab);
    press(&mut harness, CTRL, Key::Z);
    assert_eq!(typed(&harness), "{\n    \nab\nab }\n", "undone");
    // What is found is selected: what is typed after Escape takes its place.
    press(&mut harness, CTRL, Key::F);
    harness.get_by_label(labels::find_text()).type_text("AB");
    harness.run_ok();
    harness.get_by_label_contains("0 of 0");
    for _ in 0..2 {
        press(&mut harness, Modifiers::NONE, Key::Backspace);
    }
    harness.get_by_label(labels::find_text()).type_text("ab");
    harness.run_ok();
    harness.get_by_label_contains("1 of 2");
    press(&mut harness, Modifiers::NONE, Key::Enter);
    harness.get_by_label_contains("2 of 2");
    press(&mut harness, Modifiers::NONE, Key::F3);
    harness.get_by_label_contains("1 of 2");
    press(&mut harness, Modifiers::SHIFT, Key::Enter);
    press(&mut harness, Modifiers::NONE, Key::Escape);
    assert!(harness.query_by_label(labels::find_text()).is_none());
    harness.get_by_label(labels::edited_kernel()).type_text("x");
    harness.run_ok();
    assert_eq!(typed(&harness), "{\n    \nab\nx }\n");
    // Escape closes the list of words and leaves the keyboard where it is.
    harness.get_by_label(labels::edited_kernel()).type_text(" get_glo");
    harness.run_ok();
    press(&mut harness, Modifiers::NONE, Key::Escape);
    harness.get_by_label(labels::edited_kernel()).type_text("!");
    harness.run_ok();
    assert_eq!(typed(&harness), "{\n    \nab\nx get_glo! }\n");
    assert!(harness.get_by_label(labels::edited_kernel()).is_focused());
}

/// Messages of a build are about the kernel that was built, not about the one that made the picture.
#[test]
fn a_kernel_that_does_not_build_is_the_one_shown() {
    let show =
        |effects: Vec<Effect>| effects.into_iter().find_map(|effect| if let Effect::Show(show) = effect { Some(show.id) } else { None });
    let mut state = on_device(Settings::default(), DeviceInfo::example());
    let id = show(open(&mut state, "small", [40, 30])).expect("a show");
    let picture = Arc::new(Picture::from_fn(40, 30, Channels::Rgb, |_, _, _| 9));
    let executed = Executed { source: Some("the kernel that ran".into()), ..Executed::on_host(picture, 0) };
    let _ = news(&mut state, Update::Rendered { id, executed: Box::new(executed) });
    let _ = news(&mut state, Update::Finished { id, result: Ok(()) });
    let mut sources = super::Sources::default();
    assert_eq!(&*sources.shown(&state).expect("a source").text, "the kernel that ran");
    let id = show(state.apply(Action::SetStage(StageId::Coalesced, 1))).expect("a show");
    let _ = news(&mut state, Update::Finished { id, result: Err(Error::failed("The kernel was not built", "", "")) });
    let shown = sources.shown(&state).expect("a source");
    assert!(shown.name.contains("coalesced") && shown.text.contains("__kernel"), "{}", shown.text);
}

#[test]
fn a_wrong_output_is_shown_beside_where_it_is_wrong() {
    let mut state = on_device(Settings::default(), DeviceInfo::example());
    let _ = open(&mut state, "small", [40, 30]);
    state.settings.source.view = super::View::Edit;
    let _ = state.apply(Action::Edit(Editing::Type("wrong".into())));
    let effects = state.apply(Action::Edit(Editing::Try));
    let tried = effects.into_iter().find_map(|effect| if let Effect::Try(trial) = effect { Some(trial.id) } else { None });
    let picture = |value| Arc::new(Picture::from_fn(40, 30, Channels::Rgb, |x, y, _| if (x, y) == (3, 4) { value } else { 9 }));
    let printed = Printed { lines: vec!["x is 3".to_owned()], count: 1 };
    let verification = Verification {
        differing_pixels: 1,
        total_pixels: 1200,
        max_difference: 1,
        first_differing: Some((3, 4)),
        tolerance: 0,
        ..Verification::default()
    };
    let outcome = Tried {
        executed: Some(Executed { printed, ..Executed::on_host(picture(8), 0) }),
        verification: Some(verification),
        reference: Some(picture(9)),
        ..Tried::default()
    };
    state.trials.take(tried.expect("it is tried"), outcome);
    let world = World { state, panel: SourcePanel::default() };
    let frame = |ui: &mut egui::Ui, world: &mut World| {
        theme::install(ui.ctx());
        source_ui(ui, &mut world.panel, &world.state, &mut Vec::new());
    };
    let mut harness = Harness::builder().with_size(vec2(700.0, 420.0)).build_ui_state(frame, world);
    harness.run_steps(3);
    harness.get_by_label("At (3, 4): 8 8 8 instead of 9 9 9");
    harness.get_by_label("x is 3");
    assert!(harness.query_by_role_and_label(Role::Image, "Output of the edited kernel").is_none());
    harness.get_by_label(labels::edited_output()).click();
    harness.run_steps(3);
    let shown = |label| harness.get_by_role_and_label(Role::Image, label).rect();
    let (output, difference) = (shown("Output of the edited kernel"), shown("Difference from the reference, × 64"));
    assert_eq!(output.size(), difference.size());
    assert!(output.height() > 80.0 && !output.intersects(difference), "{output:?} {difference:?}");
    harness.get_by_role_and_label(Role::Image, "Output of the edited kernel").hover();
    harness.run_steps(2);
    harness.get_by_label_contains(": 9 9 9, same as the reference");
    // It goes again with what was typed.
    let _ = harness.state_mut().state.apply(Action::Edit(Editing::Revert));
    harness.run_steps(3);
    assert!(harness.query_by_role_and_label(Role::Image, "Output of the edited kernel").is_none());
}
