//! The panel as a person uses it: by labels.

use super::{AccessPanel, access_panel};
use crate::app::action::Action;
use crate::app::settings::Settings;
use crate::app::source_panel::Against;
use crate::app::state::{Opened, State};
use crate::app::theme;
use crate::runner::{Look, Looked};
use egui::vec2;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use engine::PictureRef;
use engine::compiled::{self, Compiled, Kernel, Origin, Queried};
use engine::device::{DeviceInfo, DeviceKind};
use model::{Channels, LocalSize, Resources, Variant};
use pictures::Picture;
use std::sync::Arc;

struct World {
    state: State,
    panel: AccessPanel,
    queued: Vec<Action>,
}

fn harness() -> Harness<'static, World> {
    let mut state = State::new(Settings::default());
    let picture = Picture::from_fn(64, 32, Channels::Rgb, |x, y, channel| (x * 4 + y + channel) as u8);
    state.picture = Some(Opened { name: "test".into(), path: None, picture: PictureRef::new(Arc::new(picture)) });
    state.settings.choice.local = LocalSize::Explicit([16, 2]);
    let world = World { state, panel: AccessPanel::default(), queued: Vec::new() };
    let frame = |ui: &mut egui::Ui, world: &mut World| {
        theme::install(ui.ctx());
        access_panel(ui, &mut world.panel, &world.state, &mut world.queued);
        for action in world.queued.drain(..) {
            let _ = world.state.apply(action);
        }
    };
    Harness::builder().with_size(vec2(1000.0, 600.0)).build_ui_state(frame, world)
}

/// Waits for the thread that draws.
fn settle(harness: &mut Harness<'static, World>) {
    // What is chosen in one frame is asked in the next.
    harness.run_steps(2);
    for _ in 0..2000 {
        harness.step();
        if harness.state().panel.drawn.is_at_rest() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    panic!("the picture is never drawn");
}

fn says(harness: &Harness<'static, World>, words: &str) -> bool {
    let page = harness.state().panel.page().expect("a picture");
    page.scene.texts().any(|text| text.contains(words))
}

#[test]
fn a_person_walks_from_who_to_the_last_store_and_on_to_the_first() {
    let mut harness = harness();
    settle(&mut harness);
    // The middle of the picture, everything at once: nine loads of each channel, the center again, and three stores.
    assert!(says(&harness, "Pixel 32,16 is computed by") && says(&harness, "All 33 loads and stores at once"));
    harness.get_by_label("Next load or store").click();
    settle(&mut harness);
    assert!(says(&harness, "It performs 33 loads and stores"));
    for _ in 0..2 {
        harness.get_by_label("Next load or store").click();
        settle(&mut harness);
    }
    assert!(says(&harness, "2 of 33: Load 1 byte of the source"));
    harness.get_by_label("Previous load or store").click();
    settle(&mut harness);
    assert!(says(&harness, "1 of 33"));
    harness.get_by_label("Segments of 128 bytes").click();
    settle(&mut harness);
    assert!(says(&harness, "× 128 fetched"));
}

#[test]
fn another_pixel_is_another_picture_and_one_outside_is_brought_inside() {
    let mut harness = harness();
    let _ = harness.state_mut().state.apply(Action::PickPixel([5, 7]));
    settle(&mut harness);
    assert!(says(&harness, "Pixel 5,7 is computed by"));
    let _ = harness.state_mut().state.apply(Action::PickPixel([500, 7]));
    settle(&mut harness);
    assert!(says(&harness, "Pixel 63,7 is computed by"));
}

#[test]
fn another_variant_is_drawn_above_or_a_sentence_says_why_there_is_none() {
    let mut harness = harness();
    settle(&mut harness);
    harness.get_by_role_and_label(egui::Role::CheckBox, "Compare").click();
    settle(&mut harness);
    assert!(harness.query_by_label_contains("Nothing to compare with").is_some());
    let state = &mut harness.state_mut().state;
    state.settings.choice.variant = Variant::parse("coalesced").expect("known");
    state.settings.source.against = Against::Naive;
    settle(&mut harness);
    assert!(says(&harness, "First: naive") && says(&harness, "Second: coalesced") && says(&harness, "Differences: "));
}

#[test]
fn arrow_keys_walk_once_the_picture_has_the_keyboard() {
    let mut harness = harness();
    settle(&mut harness);
    harness.get_by_label("Access diagram").focus();
    settle(&mut harness);
    harness.key_press(egui::Key::ArrowRight);
    settle(&mut harness);
    assert!(says(&harness, "It performs 33 loads and stores"));
    harness.key_press(egui::Key::ArrowRight);
    settle(&mut harness);
    // Two of the 32 lanes make pixels of the last row, which the border mode copies.
    assert!(says(&harness, "1 of 33") && says(&harness, "So far 30 bytes requested"));
    harness.key_press(egui::Key::ArrowLeft);
    harness.run_steps(2);
    harness.key_press(egui::Key::ArrowLeft);
    settle(&mut harness);
    assert!(says(&harness, "All 33 loads and stores at once"));
}

#[test]
fn the_photo_is_marked_while_the_panel_is_on_the_screen() {
    let mut harness = harness();
    settle(&mut harness);
    // Groups of 16 × 2 work-items, whose dimension 0 runs down the rows.
    let spot = harness.state().panel.spot(&harness.ctx).expect("one");
    assert_eq!((spot.pixel, spot.group), ([32, 16], Some([32, 16, 34, 32])));
    harness.state_mut().panel.frame = 0;
    assert_eq!(harness.state().panel.spot(&harness.ctx), None);
}

/// What PoCL made of a variant of Laplace for work-groups of 16 × 4, with what another driver says of vectors.
fn compiled(work_items_per_vector: u32) -> Compiled {
    let code = compiled::read(include_bytes!("../../../tests/compiled/pocl_laplace_five.bin"), "laplace", Some(&[16, 4]), &[512, 512]);
    let resources = Resources { work_items_per_vector: Some(work_items_per_vector), ..Resources::default() };
    let origin = Origin { device: String::new(), driver: String::new(), options: String::new(), local: None };
    Compiled {
        source: None,
        origin,
        bare_source: "".into(),
        launch: String::new(),
        kernels: vec![Kernel { name: "laplace".to_owned(), code, lined: None, unread: None, resources, queried: Queried::default() }],
        binary: Arc::from([]),
        log: String::new(),
    }
}

#[test]
fn on_processors_the_code_tells_the_work_group_and_how_many_work_items_run_at_once() {
    let mut state = State::new(Settings::default());
    let picture = Picture::from_fn(64, 32, Channels::Rgb, |x, _, _| x as u8);
    state.picture = Some(Opened { name: "test".into(), path: None, picture: PictureRef::new(Arc::new(picture)) });
    let drawn = |state: &State| {
        let (asked, notes) = super::asked(state).expect("a picture");
        ((asked.shown.local, asked.sub_group, asked.is_loop, asked.segment_bytes), notes.join("; "))
    };
    // Without a device, as on a GPU whose driver does not tell.
    let (asked, notes) = drawn(&state);
    assert_eq!(asked, ([32, 1], 32, false, 32));
    assert!(notes.contains("does not report it: 32 × 1 is drawn"), "{notes}");
    state.devices = Some(Ok(vec![DeviceInfo { kind: DeviceKind::Cpu, ..DeviceInfo::example() }]));
    let (asked, notes) = drawn(&state);
    assert_eq!(asked, ([32, 1], 1, true, 64));
    assert!(notes.contains("32 × 1 is drawn") && notes.contains("drawn one by one"), "{notes}");
    let look = Look { task: super::task(&state).expect("a task"), against: None, with_lines: false };
    state.looks.take(Arc::new(Looked::new(look, Ok(Arc::new(compiled(8))), None)));
    let (asked, notes) = drawn(&state);
    assert_eq!(asked, ([16, 4], 8, true, 64));
    assert!(notes.contains("chose a work-group of 16 × 4") && notes.contains("vectorizes 8 work-items"), "{notes}");
    // Of the other variant nothing is known: it is drawn for the same work-group, and that is said.
    state.settings.choice.variant = Variant::parse("coalesced").expect("known");
    state.settings.source.against = Against::Naive;
    state.access.is_compared = true;
    let (asked, notes) = super::asked(&state).expect("a picture");
    assert_eq!((asked.shown.local, asked.before.expect("naive").local), ([16, 4], [16, 4]));
    assert_eq!(notes.iter().filter(|note| note.contains("16 × 4 is drawn")).count(), 1, "{notes:?}");
}
