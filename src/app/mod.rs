//! The window. Panels are functions from state to queued actions; one `apply` changes state; other threads compute and touch files.
//!
//! | file | holds |
//! |---|---|
//! | `state`, `settings`, `history`, `notice` | what the window knows |
//! | `action` | what a person can do, with every command's label, tooltip and shortcut |
//! | `apply`, `choose`, `news` | the only places that change state |
//! | `shell` | the `eframe::App`: drains news, lays out panels, carries effects out |
//! | `pictures`, `timings`, `source_panel` | the three large panels |

pub mod action;
mod apply;
mod choose;
pub mod history;
pub mod labels;
mod news;
pub mod notice;
pub mod pictures;
pub mod settings;
mod shell;
pub mod source_panel;
pub mod state;
pub mod timings;

pub use shell::{App, Start};

use crate::error::{Error, Result};
use crate::worker::MakeBackend;
use std::path::PathBuf;

/// Opens the window and returns when it is closed. `picture` is shown instead of the sample.
///
/// # Errors
/// Where no window can be opened, with what to install.
pub fn run(picture: Option<PathBuf>, make_backend: MakeBackend) -> Result<()> {
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_app_id("kernel-ladder")
            .with_title("Kernel Ladder")
            .with_inner_size([1400.0, 900.0])
            .with_min_inner_size([800.0, 560.0]),
        // With the snapshot tests' feature wgpu would be the default: slower to start, slower to upload.
        renderer: eframe::Renderer::Glow,
        ..Default::default()
    };
    let start = Start { picture, make_backend };
    eframe::run_native("kernel-ladder", options, Box::new(move |cc| Ok(Box::new(App::new(cc, start)?)))).map_err(|error| {
        Error::failed(
            "The window did not open",
            error.to_string(),
            "Debian/Ubuntu: apt install libx11-6 libxcursor1 libxi6 libx11-xcb1 libxkbcommon-x11-0 libgl1; without a display use the command line, see --help",
        )
    })
}
