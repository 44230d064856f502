//! The moving picture of the README: Start with the real engine on the machine that runs this, its switch pressed, both halves filling at their measured speeds.
//!
//!     cargo test --test user_flows film -- --ignored
//!
//! Run it where the picture is to come from, then look at it.

use super::window::Window;
use egui::accesskit::Role;
use engine::Engine;
use engine::device::CacheSettings;
use image::codecs::gif::{GifEncoder, Repeat};
use image::imageops::{self, FilterType};
use image::{Delay, Frame};
use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

/// Size of the window, and of the picture.
const WINDOW: [f32; 2] = [1100.0, 700.0];
const WIDTH: u32 = 715;
const HEIGHT: u32 = 455;
/// Between two frames.
const STEP: Duration = Duration::from_millis(180);
/// What is seen before the switch is pressed, and after.
const BEFORE: usize = 4;
const AFTER: usize = 20;
/// How coarsely colors are chosen, from 1 to 30.
const SPEED: i32 = 10;
/// The last frame stays.
const STAY: Duration = Duration::from_secs(3);

fn frame(window: &mut Window, delay: Duration) -> Frame {
    let whole = window.harness.render().expect("a picture");
    let small = imageops::resize(&whole, WIDTH, HEIGHT, FilterType::Triangle);
    Frame::from_parts(small, 0, 0, Delay::from_saturating_duration(delay))
}

/// Frames in real time: what plays goes by the clock.
fn film(window: &mut Window, count: usize, frames: &mut Vec<Frame>) {
    let begun = Instant::now();
    for index in 0..count {
        while begun.elapsed() < STEP * index as u32 {
            std::thread::sleep(Duration::from_millis(5));
            window.harness.step();
        }
        window.harness.step();
        frames.push(frame(window, STEP));
    }
}

#[test]
#[ignore = "writes assets/start.gif, which is looked at"]
fn film_of_start() {
    let mut window = Window::at_start(WINDOW, Box::new(|| Box::new(Engine::with_cache(CacheSettings::off()))), None);
    window.wait("the switch", |state| state.start.shown().is_some() && state.pending.is_empty());
    window.harness.run_steps(10);
    let mut frames = Vec::new();
    film(&mut window, BEFORE, &mut frames);
    let switch = window.state().start.switch();
    window.node(Role::RadioButton, switch.label(true)).click();
    film(&mut window, AFTER, &mut frames);
    window.settle();
    film(&mut window, 2, &mut frames);
    frames.push(frame(&mut window, STAY));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/start.gif");
    let mut encoder = GifEncoder::new_with_speed(File::create(&path).expect("a file"), SPEED);
    encoder.set_repeat(Repeat::Infinite).expect("a repeat");
    encoder.encode_frames(frames).expect("frames");
    let bytes = std::fs::metadata(&path).expect("a file").len();
    println!("{}: {bytes} bytes", path.display());
    assert!(bytes < 3_000_000, "{bytes} bytes are too many for a README");
}
