//! What searches found before, in the file that the window keeps, too: offered at the next question of its kind.

use super::output;
use base::error::Result;
use base::files::{LinesJob, read_lines, user_file};
use engine::Task;
use engine::device::DeviceInfo;
use study::{Sought, Tuning, telling};

/// What an earlier search found that answers this question about `task`.
///
/// # Errors
/// Where the file is there and cannot be read.
pub fn known(sought: Sought, task: &Task, device: &DeviceInfo) -> Result<Option<Tuning>> {
    let Some(file) = user_file::<Tuning>() else { return Ok(None) };
    let kept = read_lines::<Tuning>(&file)?;
    if let Some(error) = kept.damage() {
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
    let Some((file, tuning)) = user_file::<Tuning>().zip(found) else { return };
    if let Err(error) = LinesJob::Append(Box::new(tuning)).run(&file) {
        output::complain(&error);
    }
}
