//! The window. Panels are functions from state to queued actions; one `apply` changes state; other threads compute and touch files.
//!
//! | file | holds |
//! |---|---|
//! | `state`, `settings`, `history`, `notice` | what the window knows; `history_file`, `lesson::memory` and `tunings` keep readings, predictions and what searches found over a restart, `saved` settings and drafts |
//! | `action` | what a person can do, with every command's label, tooltip and shortcut; `labels` has the other controls' |
//! | `apply`, `choose`, `news` | the only places that change state; `undo` keeps what was chosen before |
//! | `shell` | the `eframe::App`: drains news, carries effects out, saves settings |
//! | `files` | files, dialogs and the clipboard, on threads of their own |
//! | `layout`, `top_bar`, `stages_panel`, `local_size`, `host_memory`, `effect`, `ladder_strip`, `status_bar`, `notices_ui`, `help` | the window's frame |
//! | `workspace`, `panes`, `tiles` | how panels are arranged, which there are (a new one is a line in `panes`), and the tiles that show them |
//! | `pictures`, `timings`, `source_panel`, `compiled_panel`, `verdicts_panel`, `history_panel`, `predictions_panel`, `timeline_panel`, `roofline_panel` | panels |
//! | `lessons_panel`, `lesson` | the Course: the list of lessons, the one lesson view, its card; what is asked and told in it |
//! | `studies`, `studies_ui`, `story_ui` | studies of the chosen variant, and what they have to tell |
//! | `background` | work on a thread of its own whose newest result is shown |
//! | `own_project`, `project_panel`, `map_ui`, `own_filters` | Kernels: the project that is open, what is asked of the worker for it, how it is drawn; the thread that looks after folders |
//! | `nav`, `start`, `changed` | the places Start, Course, Lab and Kernels; the first of them; the lines of the source that a change changes |
//! | `theme`, `widgets`, `scene_ui`, `film`, `frames` | looks, shared pieces, painting of figures, figures that play, the time that frames take |

pub mod access_panel;
pub mod action;
mod answers;
mod apply;
mod autotune_panel;
mod background;
mod changed;
mod choose;
pub mod compiled_panel;
mod concept_film;
mod editing;
mod effect;
pub mod experiments;
mod experiments_ui;
mod film;
mod filter_card;
mod for_teacher;
mod frames;
mod glossary;
mod handout;
mod help;
pub mod history;
mod history_file;
mod history_panel;
mod host_memory;
mod icon;
pub mod labels;
mod ladder_strip;
mod latency;
mod layout;
pub mod lesson;
pub mod lessons_panel;
mod local_size;
mod local_sizes_panel;
mod map_ui;
pub mod nav;
mod news;
pub mod notice;
mod notices_ui;
mod own_filters;
pub mod own_project;
pub mod panes;
pub mod pictures;
mod predictions_panel;
mod project_panel;
mod roofline_panel;
mod saved;
mod scene_ui;
pub mod settings;
mod shell;
pub mod source_panel;
mod stages_panel;
pub mod start;
pub mod state;
mod status_bar;
mod storage;
mod story_ui;
pub mod studies;
mod studies_ui;
#[cfg(test)]
mod tests;
pub mod theme;
mod tiles;
pub mod timeline_panel;
pub mod timings;
mod top_bar;
mod tunings;
pub mod undo;
mod verdicts_panel;
pub mod widgets;
pub mod workspace;

pub use saved::Saved;
pub use shell::{App, Start};
pub use storage::KeptFiles;

use crate::runner::MakeBackend;
use base::error::Result;
use base::files::user_data;
use base::texts::{self, Language};
use engine::remote::Machines;
use kernels::catalog::OwnFolder;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// Opens the window and returns when it is closed. `picture` is shown instead of the sample. It speaks `language`, or what was chosen in it before,
/// or the locale's. Devices of `hosts` are listed, too, besides those of the machines that are kept. With `KERNEL_LADDER_FRAMES=1` in the environment, how long frames took is printed in the end, by the clock and by the thread's
/// processor time.
///
/// # Errors
/// Where no window can be opened, with what to install.
pub fn run(picture: Option<PathBuf>, language: Option<Language>, hosts: Vec<String>, filters: Vec<OwnFolder>) -> Result<()> {
    let begun = Instant::now();
    texts::set_language(language.unwrap_or_else(Language::of_environment));
    check_display()?;
    let kept = user_data().map_or_else(KeptFiles::default, |folder| KeptFiles::of(&folder));
    let saved = Saved::read(&kept);
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_app_id("kernel-ladder")
            .with_title("Kernel Ladder")
            .with_icon(icon::icon())
            .with_inner_size(saved.window.size.unwrap_or([1400.0, 900.0]))
            .with_maximized(saved.window.is_maximized)
            .with_min_inner_size([800.0, 560.0]),
        // With the snapshot tests' feature wgpu would be the default: slower to start, slower to upload.
        renderer: eframe::Renderer::Glow,
        // It smooths gradients, of which there are few, shadows and fades; where software draws, each pixel of the window would pay for it.
        dithering: false,
        ..Default::default()
    };
    let print_frames = std::env::var_os("KERNEL_LADDER_FRAMES").is_some_and(|value| value == "1");
    let make_backend: MakeBackend = Box::new(|wake| Box::new(Machines::new(Arc::clone(wake))));
    let start = Start { picture, hosts, filters, make_backend, language, kept, saved, begun, print_frames };
    eframe::run_native("kernel-ladder", options, Box::new(move |cc| Ok(Box::new(App::new(cc, start)?))))
        .map_err(|error| texts::failed(NOT_OPENED, &[("why", &error)]))
}

/// What to install is known for Linux alone.
const NOT_OPENED: &str = if cfg!(target_os = "linux") { "errors.window.not-opened" } else { "errors.window.not-opened-here" };

/// Asked first, because the window library's own message names a line of its source instead of a way on.
fn check_display() -> Result<()> {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if !cfg!(target_os = "linux") || ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"].into_iter().any(is_set) {
        return Ok(());
    }
    Err(texts::failed("errors.window.no-display", &[]))
}
