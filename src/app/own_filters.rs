//! Folders with filters and the project of a person's own, read while the program runs: a thread of their own looks after them.

use super::action::Action;
use super::own_project::ProjectAction;
use super::storage::{Tell, named_thread};
use base::error::Result;
use base::files::Stamp;
use base::texts::failed;
use kernels::catalog::{self, OwnFolder};
use kernels::project::{self, PROJECT};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;
use study::projects;

/// How often it is seen whether a file was saved.
const GLANCE: Duration = Duration::from_millis(700);

/// What a folder that is looked after holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Filter,
    /// One at a time.
    Project,
}

/// A folder that is looked after.
struct Watched {
    folder: PathBuf,
    holds: Holds,
    /// The person named it just now: its filter is shown as soon as it can be.
    is_wanted: bool,
    /// As it was looked at last; `None` where it was not there.
    read: Option<Stamp>,
    /// Nothing was said of it yet, not even that it is not there.
    is_new: bool,
}

/// The handle of the thread, which ends when this is dropped.
pub struct OwnFilters {
    open: Sender<PathBuf>,
}

impl OwnFilters {
    /// Looks after these folders, and after each that is opened later. What is wrong with those that were not brought is said first.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn start(folders: Vec<OwnFolder>, tell: Tell) -> Result<Self> {
        let (open, opened) = channel::<PathBuf>();
        let watch_over = |OwnFolder { path, is_brought }| {
            let read = if is_brought { catalog::stamp(&path) } else { None };
            Watched { folder: path, holds: Holds::Filter, is_wanted: false, read, is_new: !is_brought }
        };
        let mut watched: Vec<Watched> = folders.into_iter().map(watch_over).collect();
        let watch = move || {
            loop {
                for watched in &mut watched {
                    look(watched, &tell);
                }
                match opened.recv_timeout(GLANCE) {
                    Ok(path) => open_folder(&mut watched, &path, &tell),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        };
        named_thread("filters", watch)?;
        Ok(Self { open })
    }

    /// Reads the filters of a folder, shows the first of them, and looks after all; or reads the project that it is, and looks after that.
    pub fn open(&self, folder: PathBuf) {
        // The thread lives as long as this sender.
        let _ = self.open.send(folder);
    }
}

fn open_folder(watched: &mut Vec<Watched>, path: &Path, tell: &Tell) {
    if path.join(PROJECT).is_file() {
        watched.retain(|known| known.holds != Holds::Project);
        let folder = path.to_owned();
        return watched.push(Watched { folder, holds: Holds::Project, is_wanted: true, read: None, is_new: true });
    }
    match catalog::filters_in(path) {
        Ok(folders) if folders.is_empty() => tell(Action::Failed(failed("errors.catalog.no-definition", &[("path", &path.display())]))),
        Ok(folders) => {
            watched.retain(|known| !folders.contains(&known.folder));
            let first = |index: usize| index == 0;
            watched.extend(folders.into_iter().enumerate().map(|(index, folder)| Watched {
                folder,
                holds: Holds::Filter,
                is_wanted: first(index),
                read: None,
                is_new: true,
            }));
        }
        Err(error) => tell(Action::Failed(error)),
    }
}

/// Reads a folder where it is not as it was read last.
fn look(watched: &mut Watched, tell: &Tell) {
    let now = match watched.holds {
        Holds::Filter => catalog::stamp(&watched.folder),
        Holds::Project => project::stamp(&watched.folder),
    };
    if !std::mem::take(&mut watched.is_new) && (now == watched.read || now.is_none()) {
        return;
    }
    watched.read = now;
    let is_wanted = std::mem::take(&mut watched.is_wanted);
    tell(match watched.holds {
        Holds::Project => {
            let read = projects::read(&watched.folder).map(Arc::new);
            let to_do = projects::to_do(&watched.folder);
            Action::Project(ProjectAction::Read { folder: watched.folder.clone(), read, to_do, is_wanted })
        }
        Holds::Filter => match catalog::open(&watched.folder) {
            Ok(filter) => Action::FilterRead(filter, is_wanted),
            Err(error) => {
                // It is shown once it is mended.
                watched.is_wanted = is_wanted;
                Action::FilterRefused(watched.folder.file_name().unwrap_or_default().to_string_lossy().into_owned(), error)
            }
        },
    });
}
