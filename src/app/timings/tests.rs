//! The timing panel as a person uses it: by labels, with queued actions applied.

use super::{TimingsPanel, timings_ui, visible};
use crate::app::action::Action;
use crate::app::settings::Settings;
use crate::app::state::{Opened, Shown, State};
use crate::app::{labels, theme};
use crate::testing::records::{ladder, on_cpu, on_device};
use egui::vec2;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use engine::{Executed, KernelText, PictureRef, Target, Task};
use kernels::filters::FilterIdExt;
use model::{Channels, Contender, CpuEngine, FilterId, Record};
use pictures::Picture;
use std::sync::Arc;
use view::plot::{Order, Quantity, Scale};

struct World {
    state: State,
    panel: TimingsPanel,
    /// What was queued, in order; the panel's own settings are applied at once.
    queued: Vec<Action>,
}

/// A picture of 2048 × 1024 would only cost time: the readings are told to be of this size.
fn resized(mut reading: Record) -> Record {
    (reading.picture.width_px, reading.picture.height_px) = (8, 4);
    reading
}

fn state(readings: Vec<Record>) -> State {
    let mut state = State::new(Settings::default());
    let picture = Picture::from_fn(8, 4, Channels::Rgb, |_, _, _| 0);
    state.picture = Some(Opened { name: "test".into(), path: None, picture: PictureRef::new(Arc::new(picture)) });
    for reading in readings {
        push(&mut state, resized(reading));
    }
    state
}

/// Adds a reading as if the task that it says had been asked.
fn push(state: &mut State, record: Record) {
    let target = match &record.contender {
        Contender::Cpu { engine, .. } => Target::Cpu(*engine),
        Contender::Device { variant, local, host_memory, .. } => {
            Target::Device { index: 0, variant: *variant, local: *local, host_memory: *host_memory }
        }
    };
    let picture = state.picture.as_ref().expect("a picture").picture.clone();
    state.history.push(Task { spec: record.spec.clone(), picture, target, text: KernelText::Composed }, record);
}

fn harness(state: State) -> Harness<'static, World> {
    let world = World { state, panel: TimingsPanel::default(), queued: Vec::new() };
    let frame = |ui: &mut egui::Ui, world: &mut World| {
        theme::install(ui.ctx());
        let mut actions = Vec::new();
        let bottom = ui.max_rect().bottom();
        timings_ui(ui, &mut world.panel, &world.state, &mut actions);
        assert!(ui.min_rect().bottom() <= bottom + 0.5, "the panel would grow with every frame");
        for action in actions {
            match action {
                Action::SetTimings(settings) => world.state.settings.timings = settings,
                other => world.queued.push(other),
            }
        }
    };
    Harness::builder().with_size(vec2(700.0, 320.0)).with_max_steps(20).build_ui_state(frame, world)
}

#[test]
fn a_click_on_a_bar_asks_for_its_row() {
    let mut harness = harness(state(ladder()));
    harness.run();
    harness.get_by_label("coalesced kernel 20 ms, round trip 26 ms").click();
    harness.run();
    assert!(matches!(harness.state().queued[..], [Action::BringBack(2)]), "{:?}", harness.state().queued);
}

#[test]
fn bars_are_reached_and_pressed_by_keyboard() {
    let mut harness = harness(state(vec![on_device("naive", 40e6)]));
    harness.run();
    harness.get_by_label_contains("naive kernel").focus();
    harness.run();
    harness.key_press(egui::Key::Enter);
    harness.run();
    assert!(matches!(harness.state().queued[..], [Action::BringBack(1)]), "{:?}", harness.state().queued);
}

#[test]
fn the_axis_and_the_quantity_are_switched() {
    let mut harness = harness(state(ladder()));
    harness.run();
    harness.get_by_label(labels::log_axis()).click();
    harness.run();
    assert_eq!(harness.state().state.settings.timings.options.scale, Scale::Log);
    harness.get_by_label("GB/s").click();
    harness.run();
    assert_eq!(harness.state().state.settings.timings.options.quantity, Quantity::Bandwidth);
    harness.get_by_label_contains("naive kernel 0.3 GB/s");
}

#[test]
fn rows_are_sorted_left_out_and_shown_again() {
    let mut harness = harness(state(ladder()));
    harness.run();
    harness.get_by_label(labels::rows()).click();
    harness.run();
    harness.get_by_label(labels::cpu_rows()).click();
    harness.get_by_label(labels::fastest_first()).click();
    harness.run();
    harness.key_press(egui::Key::Escape);
    harness.run();
    assert!(harness.query_by_label_contains("CPU scalar kernel").is_none());
    let top = |harness: &Harness<'_, World>, label: &str| harness.get_by_label_contains(label).rect().top();
    assert!(top(&harness, "merged+short16 @ 32x4 kernel 2.5 ms") < top(&harness, "naive kernel 40 ms"));
    harness.get_by_label_contains("merged+short16 @ 32x4 kernel").click_secondary();
    harness.run();
    harness.get_by_label("Hide").click();
    harness.run();
    assert!(harness.query_by_label_contains("merged+short16").is_none());
    harness.get_by_label(labels::rows()).click();
    harness.run();
    harness.get_by_label(labels::show_hidden()).click();
    harness.run();
    harness.get_by_label_contains("merged+short16 @ 32x4 kernel");
    assert!(harness.query_by_label(labels::show_hidden()).is_none());
}

#[test]
fn the_row_on_screen_is_brought_into_view_wherever_it_moves() {
    let mut state = state(ladder());
    let row = state.history.rows().last().expect("a row");
    let (task, output) = (row.task.clone(), Arc::clone(&row.task.picture.picture));
    state.shown = Some(Shown { id: 1, task, executed: Executed::on_host(output, 0), verified: None });
    let mut harness = harness(state);
    harness.set_size(vec2(700.0, 220.0));
    harness.run();
    for order in ["at the bottom", "near the top"] {
        let row = harness.get_by_label_contains("on screen").rect();
        assert!(row.top() > 45.0 && row.bottom() < 205.0, "{order}: {row:?}");
        harness.state_mut().state.settings.timings.options.order = Order::Fastest;
        harness.run();
    }
}

#[test]
fn speed_ups_are_against_the_chosen_baseline() {
    let mut harness = harness(state(ladder()));
    harness.run();
    harness.get_by_label("Speed-up").click();
    harness.run();
    // No figure without its interval: the quartiles are 3 % below and 5 % above the medians.
    harness.get_by_label_contains("coalesced kernel 2.00× (1.85–2.16)");
    harness.get_by_label("naive kernel 1×, round trip 1×, baseline");
    harness.get_by_label(labels::baseline()).click();
    harness.run();
    harness.get_by_label("CPU scalar").click();
    harness.run();
    harness.get_by_label_contains("naive kernel 2.50× (2.31–2.71)");
    harness.get_by_label(labels::baseline()).click();
    harness.run();
    harness.get_by_label("The previous variant").click();
    harness.run();
    harness.get_by_label_contains("coalesced+padded+vectorize=4 kernel 4.00× (3.70–4.33)");
    harness.get_by_label_contains("merged+short16 @ 32x4 kernel 2.00× (1.85–2.16)");
}

#[test]
fn what_was_not_measured_says_why_and_a_wrong_output_has_no_time() {
    let mut harness = harness(state(ladder()));
    harness.run();
    harness.get_by_label("coalesced+padded failed: wrong output, 12 of 2000000 pixels differ");
    harness.get_by_label_contains("coalesced+local not supported: the tile needs 40000 bytes");
    assert!(harness.query_by_label_contains("coalesced+padded kernel").is_none());
}

#[test]
fn without_readings_the_panel_offers_to_measure() {
    let mut harness = harness(state(Vec::new()));
    harness.run();
    harness.get_by_label("No timings yet for this picture, filter, channel setting and border");
    harness.get_by_label("Measure all CPU");
}

#[test]
fn the_newest_of_each_is_shown_where_the_first_was_and_named_rows_stay() {
    let mut state = state(vec![on_device("naive", 40e6), on_device("coalesced", 20e6), on_device("naive", 30e6)]);
    let ids = |state: &State| visible(state).into_iter().map(|row| row.id).collect::<Vec<_>>();
    assert_eq!(ids(&state), [3, 2]);
    state.history.name(1, "first try");
    assert_eq!(ids(&state), [1, 2, 3]);
    state.history.name(1, "");
    state.settings.timings.every_run = true;
    assert_eq!(ids(&state), [1, 2, 3]);
}

#[test]
fn readings_of_other_pictures_and_settings_are_left_out() {
    let mut state = state(vec![on_device("naive", 40e6)]);
    push(&mut state, on_device("padded", 1.0));
    let mut gray = resized(on_cpu(CpuEngine::Simd, 1.0));
    gray.spec.channels = Channels::Gray;
    push(&mut state, gray);
    assert_eq!(visible(&state).len(), 1);
}

/// Box with radius 4 and with radius 16 are two things: they share no bar and no baseline.
#[test]
fn readings_of_other_parameters_are_left_out() {
    let mut state = state(Vec::new());
    let filter = FilterId::Box.filter();
    state.settings.choice.spec = filter.spec(Channels::Rgb, filter.default_border);
    let of_radius = |radius: f64, record: Record| {
        let mut record = resized(record);
        record.spec = filter.spec(Channels::Rgb, filter.default_border);
        record.spec.parameters.0.insert("radius".into(), radius);
        record
    };
    push(&mut state, of_radius(4.0, on_cpu(CpuEngine::Scalar, 1e6)));
    push(&mut state, of_radius(4.0, on_device("naive", 7e6)));
    push(&mut state, of_radius(16.0, on_device("naive", 105e6)));
    let shown = |state: &State| visible(state).into_iter().map(|row| row.id).collect::<Vec<_>>();
    assert_eq!(shown(&state), [1, 2]);
    state.settings.choice.spec.parameters.0.insert("radius".into(), 16.0);
    assert_eq!(shown(&state), [3]);
}
