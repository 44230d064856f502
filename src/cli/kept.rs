//! What searches found before, in the file that the window keeps, too: offered at the next question of its kind.

use super::output;
use crate::device::DeviceInfo;
use crate::engine::Task;
use crate::error::Result;
use crate::files::{Line as _, LinesJob, read_lines, user_data};
use crate::study::{Sought, Tuning, telling};
use std::path::PathBuf;

/// The file; `None` where the system names no folder for this user.
fn file() -> Option<PathBuf> {
    user_data().map(|folder| folder.join(Tuning::FILE))
}

/// What an earlier search found that answers this question about `task`.
///
/// # Errors
/// Where the file is there and cannot be read.
pub fn known(sought: Sought, task: &Task, device: &DeviceInfo) -> Result<Option<Tuning>> {
    let Some(file) = file() else { return Ok(None) };
    let kept = read_lines::<Tuning>(&file)?;
    if let Some(error) = kept.damage(["errors.window.unread-tuning", "errors.window.unread-tunings"]) {
        output::complain(&error);
    }
    Ok(Tuning::known(&kept.lines, sought, task, device).cloned())
}

/// Says on stderr what an earlier search found. A file that cannot be read is told, too: the search goes on without it.
pub fn offer(sought: Sought, task: &Task, device: &DeviceInfo) {
    match known(sought, task, device) {
        Ok(Some(tuning)) => {
            for sentence in telling::found_before(&tuning) {
                output::note(&sentence);
            }
        }
        Ok(None) => {}
        Err(error) => output::complain(&error),
    }
}

/// Keeps what a search found, where there is something to keep. Where that cannot be written, it is told: the search was not in vain.
pub fn keep(found: Option<Tuning>) {
    let Some((file, tuning)) = file().zip(found) else { return };
    if let Err(error) = LinesJob::Append(Box::new(tuning)).run(&file) {
        output::complain(&error);
    }
}
