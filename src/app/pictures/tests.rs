//! The panel as a person uses it, found by labels, without a display.

use super::prepare::Source;
use super::textures::Layer;
use super::{Against, Look, Mode, PicturesPanel, hold_label, pictures_ui};
use crate::app::settings::Settings;
use crate::app::state::{Opened, Shown, State};
use egui::{Key, pos2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use engine::{Executed, PictureRef, Target, Task, Verified};
use model::{Channels, CpuEngine, Verification};
use pictures::Picture;
use std::sync::Arc;
use std::time::{Duration, Instant};

struct World {
    state: State,
    panel: Option<PicturesPanel>,
}

fn gradient(width: usize, height: usize) -> Arc<Picture> {
    Arc::new(Picture::from_fn(width, height, Channels::Rgb, |x, y, channel| (x + 3 * y + 50 * channel) as u8))
}

fn inverted(picture: &Picture) -> Arc<Picture> {
    let bytes: Vec<u8> = picture.bytes().iter().map(|byte| !byte).collect();
    Arc::new(Picture::new(picture.width_px(), picture.height_px(), picture.channels(), bytes).expect("same size"))
}

fn shown(id: u64, task: Task, output: Arc<Picture>) -> Shown {
    Shown { id, task, executed: Executed::on_host(output, 0), verified: None }
}

fn verification() -> Verification {
    Verification { differing_pixels: 0, total_pixels: 1, max_difference: 0, first_differing: None, tolerance: 0, ..Verification::default() }
}

/// A state with `original` and its inverse as the output.
fn state(original: &Arc<Picture>) -> State {
    let mut state = State::new(Settings::default());
    let picture = PictureRef::new(Arc::clone(original));
    let task = Task::new(picture.clone(), Target::Cpu(CpuEngine::Simd));
    state.picture = Some(Opened { name: "gradient".to_owned(), path: None, picture });
    state.shown = Some(shown(1, task, inverted(original)));
    state
}

fn harness(state: State) -> Harness<'static, World> {
    harness_of(state, vec2(900.0, 500.0))
}

fn harness_of(state: State, size: egui::Vec2) -> Harness<'static, World> {
    let world = World { state, panel: None };
    let frame = |ui: &mut egui::Ui, world: &mut World| {
        let panel = world.panel.get_or_insert_with(|| PicturesPanel::new(ui.ctx()).expect("threads"));
        let mut actions = Vec::new();
        pictures_ui(ui, panel, &world.state, None, &mut actions);
        for action in actions {
            assert!(world.state.apply(action).is_empty(), "nothing in this panel asks for work elsewhere");
        }
    };
    Harness::builder().with_size(size).build_ui_state(frame, world)
}

/// Runs frames until everything is sharp.
fn settle(harness: &mut Harness<'_, World>) {
    let deadline = Instant::now() + Duration::from_secs(30);
    harness.run_steps(2);
    while !harness.state().panel.as_ref().is_some_and(PicturesPanel::is_settled) {
        assert!(Instant::now() < deadline, "the view thread did not deliver");
        std::thread::sleep(Duration::from_millis(2));
        harness.step();
    }
    harness.run_steps(2);
}

fn look(harness: &Harness<'_, World>) -> Look {
    harness.state().state.settings.pictures.look
}

fn scale(harness: &Harness<'_, World>) -> f64 {
    match look(harness) {
        Look::Fit => f64::NAN,
        Look::At { scale, .. } => scale,
    }
}

#[test]
fn modes_are_chosen_by_their_labels() {
    let mut harness = harness(state(&gradient(300, 200)));
    settle(&mut harness);
    for mode in Mode::ALL {
        harness.get_by_label(mode.label()).click();
        settle(&mut harness);
        assert_eq!(harness.state().state.settings.pictures.mode, mode);
    }
}

#[test]
fn zoom_buttons_and_keys_change_the_look() {
    let mut harness = harness(state(&gradient(300, 200)));
    settle(&mut harness);
    harness.get_by_label("1:1").click();
    settle(&mut harness);
    assert!((scale(&harness) - 1.0).abs() < 1e-9);
    harness.get_by_label("Zoom in").click();
    settle(&mut harness);
    assert!((scale(&harness) - 2_f64.sqrt()).abs() < 1e-9);
    harness.get_by_label("Fit").click();
    settle(&mut harness);
    assert_eq!(look(&harness), Look::Fit);
    harness.get_by_label("Original image").focus();
    settle(&mut harness);
    for (key, expected) in [(Key::Num1, 1.0), (Key::Plus, 2_f64.sqrt()), (Key::Minus, 1.0)] {
        harness.key_press(key);
        settle(&mut harness);
        assert!((scale(&harness) - expected).abs() < 1e-9, "{key:?}: {:?}", look(&harness));
    }
    harness.key_press(Key::Num0);
    settle(&mut harness);
    assert_eq!(look(&harness), Look::Fit);
}

#[test]
fn wheel_and_drag_move_both_panes_together() {
    let mut harness = harness(state(&gradient(1200, 900)));
    settle(&mut harness);
    let pane = harness.get_by_label("Original image").rect();
    harness.hover_at(pane.center());
    harness.step();
    let wheel = egui::Event::MouseWheel {
        unit: egui::MouseWheelUnit::Point,
        delta: vec2(0.0, 400.0),
        source: egui::MouseWheelSource::Wheel,
        phase: egui::TouchPhase::Move,
        modifiers: egui::Modifiers::NONE,
    };
    harness.event(wheel);
    harness.run_steps(30);
    settle(&mut harness);
    let Look::At { center: before, .. } = look(&harness) else { panic!("still fit") };
    harness.drag_at(pane.center());
    harness.run_steps(2);
    harness.hover_at(pane.center() + vec2(-60.0, 10.0));
    harness.run_steps(2);
    harness.drop_at(pane.center() + vec2(-60.0, 10.0));
    settle(&mut harness);
    let Look::At { scale, center } = look(&harness) else { panic!("fit again") };
    assert!(((center[0] - before[0]) * scale - 60.0).abs() < 1.0, "{before:?} {center:?} {scale}");
    assert!(((before[1] - center[1]) * scale - 10.0).abs() < 1.0, "{before:?} {center:?} {scale}");
}

#[test]
fn pointing_at_a_pixel_reads_its_bytes_with_the_reference() {
    let original = gradient(30, 20);
    let mut state = state(&original);
    let mut reference = Picture::clone(&inverted(&original));
    reference.bytes_mut().iter_mut().for_each(|byte| *byte = byte.saturating_add(1));
    let verified = Verified { verification: verification(), reference: Arc::new(reference), proof: None };
    state.shown.as_mut().expect("shown").verified = Some(verified);
    let mut harness = harness(state);
    settle(&mut harness);
    let pane = harness.get_by_label("Filtered image").rect();
    harness.hover_at(pane.center() + vec2(1.0, 1.0));
    harness.run_steps(2);
    // Pixel (15, 10): 15 + 30 + 50 c, and its inverse.
    let text = "x 15 y 10   original 45 95 145 → filtered 210 160 110   reference 211 161 111   Δ −1 −1 −1";
    assert!(harness.query_by_label(text).is_some(), "{:?}", harness.root());
}

#[test]
fn holding_the_button_or_space_shows_the_original() {
    let mut harness = harness(state(&gradient(300, 200)));
    settle(&mut harness);
    let originals = |harness: &Harness<'_, World>| harness.query_all_by_label("Original").count();
    assert_eq!(originals(&harness), 1);
    let button = harness.get_by_label(hold_label()).rect().center();
    harness.drag_at(button);
    harness.run_steps(2);
    assert_eq!(originals(&harness), 2);
    harness.drop_at(button);
    harness.run_steps(2);
    assert_eq!(originals(&harness), 1);
    harness.key_down(Key::Space);
    harness.run_steps(2);
    assert_eq!(originals(&harness), 2);
    harness.key_up(Key::Space);
    harness.run_steps(2);
    harness.get_by_label(Mode::Flip.label()).focus();
    harness.run_steps(2);
    harness.key_down(Key::Space);
    harness.run_steps(2);
    assert_eq!(originals(&harness), 0, "Space is meant for the control that has the keyboard");
    harness.key_up(Key::Space);
    harness.run_steps(2);
    harness.get_by_label("Compared images").focus();
    harness.run_steps(2);
    harness.key_down(Key::Space);
    harness.run_steps(2);
    assert_eq!(originals(&harness), 1);
    harness.key_up(Key::Space);
}

#[test]
fn the_divider_is_dragged_and_moved_by_keys() {
    let mut start = state(&gradient(300, 200));
    start.settings.pictures.mode = Mode::Split;
    let mut harness = harness(start);
    settle(&mut harness);
    let grip = harness.get_by_label("Split position").rect().center();
    // A picture of 300 × 200 in a wider pane: it is as high as that.
    let quarter = vec2(1.5 * harness.get_by_label("Compared images").rect().height() / 4.0, 0.0);
    harness.drag_at(grip);
    harness.run_steps(2);
    harness.hover_at(grip - quarter);
    harness.run_steps(2);
    harness.drop_at(grip - quarter);
    harness.run_steps(2);
    let caption = harness.get_by_label("Filtered").rect().left() - harness.get_by_label("Split position").rect().center().x;
    assert!((0.0..20.0).contains(&caption), "the caption goes with the divider: {caption}");
    let split = |harness: &Harness<'_, World>| harness.state().state.settings.pictures.split;
    assert!((split(&harness) - 0.25).abs() < 0.02, "{}", split(&harness));
    let before = split(&harness);
    harness.get_by_label("Split position").focus();
    harness.run_steps(2);
    harness.key_press(Key::ArrowRight);
    harness.run_steps(2);
    assert!((split(&harness) - before - 0.02).abs() < 1e-4, "{}", split(&harness));
}

#[test]
fn the_difference_has_a_gain_and_waits_for_a_reference() {
    let mut start = state(&gradient(300, 200));
    start.settings.pictures.mode = Mode::Difference;
    let mut harness = harness(start);
    settle(&mut harness);
    assert!(harness.get_by_label(Against::Reference.label()).accesskit_node().is_disabled());
    harness.get_by_role_and_label(egui::accesskit::Role::Slider, "Gain").set_value_accesskit(16.0);
    settle(&mut harness);
    assert_eq!(harness.state().state.settings.pictures.gain, 16);
    let output = Arc::clone(&harness.state().state.shown.as_ref().expect("shown").executed.output);
    harness.state_mut().state.shown.as_mut().expect("shown").verified =
        Some(Verified { verification: verification(), reference: output, proof: None });
    settle(&mut harness);
    harness.get_by_label(Against::Reference.label()).click();
    settle(&mut harness);
    assert_eq!(harness.state().state.settings.pictures.against, Against::Reference);
}

#[test]
fn an_old_output_stays_and_is_marked() {
    let mut harness = harness(state(&gradient(300, 200)));
    settle(&mut harness);
    harness.state_mut().state.is_unasked = true;
    harness.run_steps(3);
    std::thread::sleep(Duration::from_millis(1));
    harness.run_steps(20);
    assert!(harness.query_by_label("Previous result, updating…").is_some());
    assert!(harness.query_by_label("Filtered").is_some());
    harness.state_mut().state.is_unasked = false;
    harness.run_steps(2);
    assert!(harness.query_by_label("Previous result, updating…").is_none());
}

#[test]
fn another_picture_is_shown_whole() {
    let mut harness = harness(state(&gradient(300, 200)));
    settle(&mut harness);
    harness.get_by_label("1:1").click();
    settle(&mut harness);
    harness.state_mut().state.picture = state(&gradient(64, 64)).picture;
    settle(&mut harness);
    assert_eq!(look(&harness), Look::Fit);
    harness.state_mut().state.picture = None;
    harness.run_steps(2);
    assert!(harness.query_by_label("Open a picture, or drop one here").is_some());
}

#[test]
fn an_announced_output_is_on_the_screen_in_the_first_frame_that_knows_of_it() {
    let original = gradient(2048, 2048);
    let mut harness = harness(state(&original));
    settle(&mut harness);
    let begin = Instant::now();
    let panel = harness.state().panel.as_ref().expect("drawn");
    panel.announcer().announce(&original);
    while !panel.textures.preparer.has_made() {
        assert!(begin.elapsed() < Duration::from_secs(20), "the view thread did not deliver");
        std::thread::sleep(Duration::from_millis(1));
    }
    println!("2048 x 2048: ready to upload {:?} after it was announced", begin.elapsed());
    harness.state_mut().state.shown.as_mut().expect("shown").executed.output = Arc::clone(&original);
    harness.step();
    let panel = harness.state().panel.as_ref().expect("drawn");
    assert_eq!(panel.textures.shown(Layer::Filtered), Some(&Source::Picture(original)));
}

#[test]
fn textures_of_pictures_that_are_gone_are_freed() {
    let mut harness = harness(state(&gradient(1500, 1200)));
    settle(&mut harness);
    harness.get_by_label("1:1").click();
    settle(&mut harness);
    let next = gradient(40, 30);
    harness.state_mut().state = state(&next);
    settle(&mut harness);
    let panel = harness.state().panel.as_ref().expect("drawn");
    assert_eq!(panel.textures.held_px(), 2 * 40 * 30);
}

/// What the window's thread does for a picture of 200 megapixels: hand over a base of at most a megapixel, then cells.
#[test]
#[ignore = "1.2 GB of pictures; run by hand to see frame times"]
fn a_picture_larger_than_any_texture_is_shown_without_stalling() {
    let mut harness = harness(state(&gradient(20_000, 10_000)));
    let mut frames_ms = Vec::new();
    let mut run_frames = |harness: &mut Harness<'_, World>, at_least: usize| {
        let begin = Instant::now();
        let mut count = 0;
        while count < at_least || !harness.state().panel.as_ref().is_some_and(PicturesPanel::is_settled) {
            let frame = Instant::now();
            harness.step();
            frames_ms.push(frame.elapsed().as_secs_f64() * 1e3);
            std::thread::sleep(Duration::from_millis(8));
            count += 1;
            assert!(begin.elapsed() < Duration::from_mins(1), "the view thread did not deliver");
        }
        begin.elapsed()
    };
    let whole = run_frames(&mut harness, 2);
    harness.get_by_label("1:1").click();
    let sharp = run_frames(&mut harness, 3);
    for step in 0..100 {
        harness.drag_at(pos2(400.0 - 3.0 * step as f32, 200.0));
        run_frames(&mut harness, 1);
    }
    harness.drop_at(pos2(100.0, 200.0));
    frames_ms.sort_by(f64::total_cmp);
    let percentile = |percent: usize| frames_ms[(frames_ms.len() - 1) * percent / 100];
    println!(
        "whole after {whole:?}, sharp at 1:1 after {sharp:?}; frames: median {:.2} ms, 99th percentile {:.2} ms",
        percentile(50),
        percentile(99)
    );
    assert!(percentile(99) < 8.0, "{} ms", percentile(99));
}

#[test]
fn a_low_panel_has_pictures_rather_than_what_is_said_of_them() {
    for (height, least) in [(60.0, 40.0), (110.0, 50.0), (150.0, 55.0), (400.0, 200.0)] {
        let mut harness = harness_of(state(&gradient(600, 400)), vec2(300.0, height));
        for _ in 0..3 {
            harness.step();
        }
        let picture = harness.get_by_label("Original image").rect();
        assert!(picture.height() >= least, "{height}: {picture:?}");
    }
}
