//! The panel as a person uses it: by labels.

use super::{AccessPanel, access_panel};
use crate::app::action::Action;
use crate::app::settings::Settings;
use crate::app::state::{Opened, State};
use crate::app::theme;
use crate::engine::PictureRef;
use crate::image::Picture;
use crate::model::{Channels, LocalSize};
use egui::vec2;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
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
    };
    Harness::builder().with_size(vec2(1000.0, 600.0)).build_ui_state(frame, world)
}

/// Waits for the thread that draws.
fn settle(harness: &mut Harness<'static, World>) {
    for _ in 0..2000 {
        harness.step();
        if harness.state().panel.running.is_none() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    panic!("the picture is never drawn");
}

fn says(harness: &Harness<'static, World>, words: &str) -> bool {
    let page = super::page(&harness.state().panel).expect("a picture");
    page.scene.texts().any(|text| text.contains(words))
}

#[test]
fn a_person_walks_from_who_to_the_last_store_and_on_to_the_first() {
    let mut harness = harness();
    settle(&mut harness);
    // The middle of the picture, everything at once: nine loads of each channel, the center again, and three stores.
    assert!(says(&harness, "Pixel 32,16 is made by") && says(&harness, "All 33 loads and stores at once"));
    harness.get_by_label("Next step").click();
    settle(&mut harness);
    assert!(says(&harness, "It makes 33 loads and stores"));
    for _ in 0..2 {
        harness.get_by_label("Next step").click();
        settle(&mut harness);
    }
    assert!(says(&harness, "2 of 33: Load 1 byte of the source"));
    harness.get_by_label("Previous step").click();
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
    settle(&mut harness);
    assert!(says(&harness, "Pixel 5,7 is made by"));
    let _ = harness.state_mut().state.apply(Action::PickPixel([500, 7]));
    settle(&mut harness);
    settle(&mut harness);
    assert!(says(&harness, "Pixel 63,7 is made by"));
}
