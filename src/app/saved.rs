//! Settings, with the drafts in them, and how the window stood: read at the start, and written whole or not at all on a thread of their own.
//!
//! Windows share the file of settings. Each writes only what the person changed in it since it last wrote; the rest stays as it is in the file, what this
//! version does not know, too.

use super::action::Action;
use super::storage::{KeptFiles, Tell};
use base::error::{Error, Result};
use base::files::{self, Lock};
use base::texts::failed;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// The file of settings.
pub const SETTINGS: &str = "settings.json";

/// The file of how the window stood.
pub const WINDOW: &str = "layout.json";

/// What earlier versions kept instead: a map of texts, of which one is the settings.
const EARLIER: &str = "app.ron";

/// A folder that does not answer for so long belongs to a disk or a network that hangs: the window opens without it.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long the window's end waits for what is being written.
const LAST_PATIENCE: Duration = Duration::from_secs(5);

/// What earlier sessions left, as it was read.
#[derive(Default)]
pub struct Saved {
    /// Text of settings.
    pub settings: Option<String>,
    /// How the window stood.
    pub window: WindowPlace,
    /// What kept them from being read. They are not written in this session, then.
    pub error: Option<Error>,
}

/// How the window stood, and what egui remembers of its widgets.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WindowPlace {
    /// Width and height in points while it was not maximized.
    pub size: Option<[f32; 2]>,
    /// It filled the screen.
    pub is_maximized: bool,
    /// Which headings were open, how wide panels were.
    pub memory: Option<Value>,
}

impl Saved {
    /// Reads what there is, and waits a few seconds at most.
    #[must_use]
    pub fn read(kept: &KeptFiles) -> Self {
        let Some(path) = kept.settings.clone() else { return Self::default() };
        let window = kept.window.clone();
        let late = || Self { error: Some(failed("errors.window.settings-late", &[("path", &path.display())])), ..Self::default() };
        let (tell, told) = channel();
        let theirs = path.clone();
        let begun = std::thread::Builder::new().name("settings".to_owned()).spawn(move || {
            // Nobody may wait for it any more.
            let _ = tell.send(Self::read_now(&theirs, window.as_deref()));
        });
        if begun.is_err() {
            return late();
        }
        told.recv_timeout(PATIENCE).unwrap_or_else(|_| late())
    }

    fn read_now(path: &Path, window: Option<&Path>) -> Self {
        let settings = match read(path) {
            Ok(None) => read_earlier(&path.with_file_name(EARLIER)),
            other => other,
        };
        let window = window.and_then(|path| serde_json::from_slice(&files::read(path).ok()?).ok()).unwrap_or_default();
        match settings {
            Ok(settings) => Self { settings, window, error: None },
            Err(error) => Self { settings: None, window, error: Some(error) },
        }
    }
}

/// The file's text; `None` where there is no file.
fn read(path: &Path) -> Result<Option<String>> {
    match files::read(path) {
        // What is no text is damaged, and told as that.
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("errors.window.settings-not-read", &[("why", &error), ("path", &path.display())])),
    }
}

/// The settings of an earlier version. That file stays, but for the person alone: everybody could read it.
fn read_earlier(path: &Path) -> Result<Option<String>> {
    let Some(text) = read(path)? else { return Ok(None) };
    #[cfg(unix)]
    let _ = std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600));
    let texts: HashMap<String, String> = ron::from_str(&text).unwrap_or_default();
    Ok(texts.get("settings").cloned())
}

/// Writes settings and how the window stands, on a thread of its own.
pub struct Saver {
    jobs: Option<Sender<Job>>,
    ended: Receiver<()>,
}

enum Job {
    Settings(String),
    Window(Box<WindowPlace>),
}

impl Saver {
    /// Starts the thread. `loaded` is the text of the settings that the window began with.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn start(kept: &KeptFiles, loaded: &str, tell: Tell) -> Result<Self> {
        let (jobs, todo) = channel();
        let (tell_end, ended) = channel();
        let (settings, window) = (kept.settings.clone(), kept.window.clone());
        let mut last: Value = serde_json::from_str(loaded).unwrap_or_default();
        let work = move || {
            let mut is_told = false;
            for job in todo {
                let done = match job {
                    Job::Settings(text) => settings.as_deref().map_or(Ok(()), |path| keep(path, &mut last, &text)),
                    Job::Window(place) => window.as_deref().map_or(Ok(()), |path| write_window(path, &place)),
                };
                // Once is enough to be told: the next one fails likewise.
                if let Err(error) = done
                    && !std::mem::replace(&mut is_told, true)
                {
                    tell(Action::SettingsNotKept(error));
                }
            }
            let _ = tell_end.send(());
        };
        super::storage::named_thread("saving-settings", work)?;
        Ok(Self { jobs: Some(jobs), ended })
    }

    /// Writes these settings, soon.
    pub fn keep(&self, text: String) {
        self.post(Job::Settings(text));
    }

    /// Writes how the window stands, soon.
    pub fn keep_window(&self, place: WindowPlace) {
        self.post(Job::Window(Box::new(place)));
    }

    fn post(&self, job: Job) {
        if let Some(jobs) = &self.jobs {
            // The receiver lives as long as this sender.
            let _ = jobs.send(job);
        }
    }

    /// Waits until all is written, a few seconds at most.
    pub fn end(&mut self) {
        self.jobs = None;
        let _ = self.ended.recv_timeout(LAST_PATIENCE);
    }
}

fn write_window(path: &Path, place: &WindowPlace) -> Result<()> {
    files::write_private(path, &serde_json::to_vec(place).unwrap_or_default())
}

/// Writes what differs between `last`, which this window wrote or read, and `text` into the file. `last` is `text` afterwards.
fn keep(path: &Path, last: &mut Value, text: &str) -> Result<()> {
    let refuse = |error: std::io::Error| failed("errors.window.settings-not-kept", &[("why", &error), ("path", &path.display())]);
    let own: Value = serde_json::from_str(text).unwrap_or_default();
    let _lock = Lock::of(path).map_err(refuse)?;
    let there = match files::read(path) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(refuse(error)),
    };
    let merged = match there.as_deref().map(serde_json::from_slice::<Map<String, Value>>) {
        Some(Ok(theirs)) => Value::Object(merge(last, &own, theirs)),
        // Nobody can read it, but somebody may mend it.
        Some(Err(_)) => {
            files::write_private(&damaged(path), there.as_deref().unwrap_or_default())?;
            own.clone()
        }
        None => own.clone(),
    };
    files::write_private(path, merged.to_string().as_bytes())?;
    *last = own;
    Ok(())
}

fn damaged(path: &Path) -> PathBuf {
    path.with_extension("damaged.json")
}

/// The fields in `theirs`, but for those that differ between `last` and `own`: these are as in `own`.
fn merge(last: &Value, own: &Value, theirs: Map<String, Value>) -> Map<String, Value> {
    let mut merged = theirs;
    for (key, value) in own.as_object().into_iter().flatten() {
        let before = last.get(key);
        let there = merged.get(key);
        if before == Some(value) && there.is_some() {
            continue;
        }
        let value = match (key.as_str(), value, there) {
            ("drafts" | "recent", Value::Array(value), Some(Value::Array(there))) => {
                Value::Array(merge_lists(before.and_then(Value::as_array).map_or(&[], Vec::as_slice), value, there))
            }
            // How far each lesson is.
            ("course" | "progress", Value::Object(_), Some(Value::Object(there))) => {
                Value::Object(merge(before.unwrap_or(&Value::Null), value, there.clone()))
            }
            _ => value.clone(),
        };
        merged.insert(key.clone(), value);
    }
    // What was there and is not any more was taken away.
    for (key, _) in last.as_object().into_iter().flatten() {
        if own.get(key).is_none() {
            merged.remove(key);
        }
    }
    merged
}

/// A draft is the one of its variant; anything else is itself.
fn identity(item: &Value) -> &Value {
    item.get("of").unwrap_or(item)
}

/// What this window added or changed, then what another one did; what either took away is gone.
fn merge_lists(last: &[Value], own: &[Value], theirs: &[Value]) -> Vec<Value> {
    fn find<'a>(list: &'a [Value], item: &Value) -> Option<&'a Value> {
        list.iter().find(|other| identity(other) == identity(item))
    }
    let mine = own.iter().filter_map(|item| if find(last, item) == Some(item) { find(theirs, item) } else { Some(item) });
    let others = theirs.iter().filter(|item| find(own, item).is_none() && find(last, item) != Some(item));
    mine.chain(others).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::{SETTINGS, Saved, Saver, WINDOW, WindowPlace, keep, merge};
    use crate::app::settings::{Settings, Theme};
    use crate::app::storage::KeptFiles;
    use serde_json::{Value, json};
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::mpsc::channel;

    fn settings(theme: Theme, hosts: &str) -> Settings {
        Settings { theme, hosts: hosts.to_owned(), ..Settings::default() }
    }

    fn value(settings: &Settings) -> Value {
        serde_json::from_str(&settings.to_text()).expect("its own text")
    }

    fn in_file(path: &Path) -> Value {
        serde_json::from_slice(&std::fs::read(path).expect("there")).expect("whole")
    }

    #[test]
    fn each_window_writes_what_was_changed_in_it_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(SETTINGS);
        let begun = settings(Theme::System, "");
        let (mut first, mut second) = (value(&begun), value(&begun));
        std::fs::write(&path, r#"{"of a newer version":[1.5,"two"]}"#).expect("written");
        keep(&path, &mut first, &settings(Theme::Light, "").to_text()).expect("kept");
        keep(&path, &mut second, &settings(Theme::System, "lab1").to_text()).expect("kept");
        let read = in_file(&path);
        assert_eq!((&read["theme"], &read["hosts"]), (&json!("Light"), &json!("lab1")));
        assert_eq!(read["of a newer version"], json!([1.5, "two"]));
        // What a window changes back is its own change, too.
        keep(&path, &mut first, &begun.to_text()).expect("kept");
        assert_eq!(in_file(&path)["theme"], json!("System"));
    }

    #[test]
    fn drafts_and_lessons_of_two_windows_come_together() {
        let draft = |of: &str, text: &str| json!({ "of": of, "text": text });
        let last = json!({ "drafts": [draft("a", "old"), draft("b", "old"), draft("c", "old")], "course": { "progress": { "1": 1 } } });
        let own =
            json!({ "drafts": [draft("d", "mine"), draft("a", "mine"), draft("b", "old")], "course": { "progress": { "1": 1, "2": 5 } } });
        let theirs = json!({ "drafts": [draft("e", "theirs"), draft("a", "old"), draft("b", "theirs"), draft("c", "old")], "course": { "progress": { "1": 7 } } });
        let merged = Value::Object(merge(&last, &own, theirs.as_object().expect("fields").clone()));
        let expected = [draft("d", "mine"), draft("a", "mine"), draft("b", "theirs"), draft("e", "theirs")];
        assert_eq!(merged["drafts"], json!(expected));
        assert_eq!(merged["course"], json!({ "progress": { "1": 7, "2": 5 } }));
    }

    #[test]
    fn damaged_settings_are_kept_beside_the_new_ones() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(SETTINGS);
        std::fs::write(&path, "{\"drafts\":[{").expect("written");
        keep(&path, &mut value(&Settings::default()), &settings(Theme::Light, "").to_text()).expect("kept");
        assert_eq!(std::fs::read_to_string(folder.path().join("settings.damaged.json")).expect("there"), "{\"drafts\":[{");
        assert_eq!(in_file(&path)["theme"], json!("Light"));
    }

    #[test]
    fn settings_of_an_earlier_version_are_found_and_nobody_else_reads_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = KeptFiles::of(folder.path());
        let begun = settings(Theme::Dark, "lab \"7\"");
        let earlier = folder.path().join("app.ron");
        let text = ron::to_string(&std::collections::BTreeMap::from([("settings", begun.to_text()), ("egui", "()".to_owned())]));
        std::fs::write(&earlier, text.expect("plain data")).expect("written");
        let saved = Saved::read(&kept);
        assert_eq!(saved.settings.as_deref().map(Settings::load), Some((begun, None)));
        let (tell, told) = channel();
        let tell = Arc::new(move |action| drop(tell.send(action)));
        let mut saver = Saver::start(&kept, &saved.settings.expect("there"), tell).expect("a thread");
        saver.keep(settings(Theme::Light, "lab7").to_text());
        saver.keep_window(WindowPlace { size: Some([900.0, 700.0]), ..WindowPlace::default() });
        saver.end();
        assert!(told.try_recv().is_err(), "nothing failed");
        let again = Saved::read(&kept);
        assert_eq!(again.settings.as_deref().map(Settings::load), Some((settings(Theme::Light, "lab7"), None)));
        assert_eq!(again.window.size, Some([900.0, 700.0]));
        #[cfg(unix)]
        for name in ["app.ron", SETTINGS, WINDOW] {
            use std::os::unix::fs::PermissionsExt as _;
            let metadata = std::fs::metadata(folder.path().join(name)).expect("there");
            assert_eq!(metadata.permissions().mode() & 0o777, 0o600, "{name}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_costs_no_settings_and_is_told() {
        let Some(disk) = crate::testing::disk::SmallDisk::new() else { return };
        let kept = KeptFiles::of(disk.path());
        let before = settings(Theme::Dark, "lab1").to_text();
        keep(&disk.path().join(SETTINGS), &mut Value::Null, &before).expect("kept");
        disk.fill();
        let (tell, told) = channel();
        let tell = Arc::new(move |action| drop(tell.send(action)));
        let mut saver = Saver::start(&kept, &before, tell).expect("a thread");
        saver.keep(settings(Theme::Light, &"lab2 ".repeat(20_000)).to_text());
        saver.keep(settings(Theme::Light, &"lab3 ".repeat(20_000)).to_text());
        saver.end();
        assert_eq!(Saved::read(&kept).settings.as_deref().map(Settings::load), Some((settings(Theme::Dark, "lab1"), None)));
        let told: Vec<_> = told.try_iter().collect();
        assert!(
            matches!(&told[..], [crate::app::action::Action::SettingsNotKept(error)] if error.to_string().contains("space")),
            "{told:?}"
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_pipe_in_the_place_of_settings_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join(SETTINGS);
        crate::testing::pipe(&pipe);
        let saved = Saved::read(&KeptFiles::of(folder.path()));
        assert!(saved.settings.is_none() && saved.error.expect("told").why.contains("not a regular file"));
    }
}
