//! Files, dialogs and the clipboard, on threads of their own: the window never waits for a disk, a portal or a person.

use super::access_panel;
use super::action::{Action, Export};
use super::answers::AnswersAction;
use super::own_project::ProjectAction;
use super::saved;
use super::start::enlarged;
use super::state::{FileJob, PASTED, Writing};
use base::error::{Error, Result};
use base::files::{Line, Lines, LinesJob, write_atomically};
use base::texts::{failed, misused, text};
use base::trust::{Agreed, Origin};
use kernels::catalog::DEFINITION;
use kernels::project::PROJECT;
use model::measure::{write_csv, write_json};
use model::{Channels, Record};
use pictures::{Large, Loaded, Opened, READABLE_EXTENSIONS, WRITABLE_EXTENSIONS};
use report::class::{self, Class};
use report::story_file;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};
use study::baseline::History;
use study::bundle::{self, Aliases, Bundle};
use study::lessons::{self, Shelf};
use study::projects;
use study::trial::read_kernel;
use study::{Answer, PredictionRecord, Tuning, write_predictions_csv, write_predictions_json};
use url::Url;
use view::plot::{Form, heat_map_file, plot_png, plot_svg, roofline_file, timeline_file};

/// Takes an action to the window and wakes it. Callable from any thread.
pub type Tell = Arc<dyn Fn(Action) + Send + Sync>;

/// Pixels of a photo.
const PHOTO_PX: usize = 8_000_000;

/// Of kernels.
const KERNEL_EXTENSION: &str = "cl";

/// Of what comparisons with baselines came to.
const GATE_HISTORY_EXTENSIONS: [&str; 2] = ["jsonl", "json"];

/// A dialog that is over sooner than this without an answer was never seen: a person is not that fast.
const NEVER_SEEN: Duration = Duration::from_millis(400);

/// The handle of the file threads, which end when this is dropped. What outlasts the window has one of its own: where its folder hangs, pictures are shown
/// all the same.
pub struct Files {
    jobs: Sender<FileJob>,
    kept: Sender<FileJob>,
    tell: Tell,
}

impl Files {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn start(tell: Tell, kept: KeptFiles) -> Result<Self> {
        let (jobs, todo) = channel();
        let theirs = Arc::clone(&tell);
        named_thread("files", move || serve(&todo, &theirs))?;
        let (kept_jobs, todo) = channel();
        let theirs = Arc::clone(&tell);
        named_thread("kept-files", move || serve_kept(&todo, &theirs, kept))?;
        Ok(Self { jobs, kept: kept_jobs, tell })
    }

    /// Takes a job over. Dialogs are made here, as some systems want it, and awaited elsewhere.
    pub fn post(&self, job: FileJob) {
        let begun = match job {
            FileJob::AskOpen => self.ask_open(),
            FileJob::AskClass => self.ask_class(),
            FileJob::AskFilter => self.ask_filter(),
            FileJob::AskNewProject => self.ask_new_project(),
            FileJob::AskGateHistory => self.ask_gate_history(),
            FileJob::AskSave(export, name) => self.ask_save(export, &name),
            other => {
                let is_kept = matches!(
                    other,
                    FileJob::History(_)
                        | FileJob::Predictions(_)
                        | FileJob::Tunings(_)
                        | FileJob::Answers(_)
                        | FileJob::Agreed(_)
                        | FileJob::Lessons(_)
                );
                // The receivers live as long as these senders.
                let _ = if is_kept { self.kept.send(other) } else { self.jobs.send(other) };
                Ok(())
            }
        };
        if let Err(error) = begun {
            (self.tell)(Action::Failed(error));
        }
    }

    fn ask_open(&self) -> Result<()> {
        let dialog = rfd::AsyncFileDialog::new()
            .set_title(text("window.files.open"))
            .add_filter(text("window.files.pictures"), &READABLE_EXTENSIONS)
            .add_filter(text("window.files.kernels"), &[KERNEL_EXTENSION])
            .pick_file();
        self.await_dialog(dialog, "errors.window.open-dialog", |file| Action::OpenPath(file.path().to_owned()))
    }

    fn ask_filter(&self) -> Result<()> {
        let dialog = rfd::AsyncFileDialog::new().set_title(text("window.command.open-filter")).pick_folder();
        self.await_dialog(dialog, "errors.window.open-dialog", |folder| Action::OpenFilters(folder.path().to_owned()))
    }

    fn ask_new_project(&self) -> Result<()> {
        let dialog = rfd::AsyncFileDialog::new()
            .set_title(text("project.window.new-project"))
            .add_filter(text("window.files.kernels"), &[KERNEL_EXTENSION, "json"])
            .pick_file();
        self.await_dialog(dialog, "errors.window.open-dialog", |file| Action::Project(ProjectAction::Make(file.path().to_owned())))
    }

    fn ask_gate_history(&self) -> Result<()> {
        let dialog = rfd::AsyncFileDialog::new()
            .set_title(text("project.window.gate-history"))
            .add_filter(text("window.files.files"), &GATE_HISTORY_EXTENSIONS)
            .pick_file();
        self.await_dialog(dialog, "errors.window.open-dialog", |file| Action::OpenPath(file.path().to_owned()))
    }

    fn ask_class(&self) -> Result<()> {
        let dialog = rfd::AsyncFileDialog::new()
            .set_title(text("window.command.class-page"))
            .add_filter(text("window.files.files"), &["json"])
            .pick_files();
        let paths = |files: Vec<rfd::FileHandle>| files.iter().map(|file| file.path().to_owned()).collect();
        self.await_dialog(dialog, "errors.window.class-dialog", move |files| Action::ClassChosen(paths(files)))
    }

    fn ask_save(&self, export: Export, name: &str) -> Result<()> {
        let extensions: &[&str] = match export {
            Export::Filtered | Export::SideBySide => &WRITABLE_EXTENSIONS,
            Export::Csv | Export::PredictionsCsv => &["csv"],
            Export::Json | Export::Bundle | Export::Teacher | Export::PredictionsJson => &["json"],
            Export::Report | Export::Handout => &["html"],
            Export::Plot(form) | Export::Roofline(form) | Export::Timeline(form) | Export::LocalSizes(form) | Export::Access(form) => {
                &[form.extension()]
            }
            Export::Study(_) | Export::Project => &story_file::EXTENSIONS,
            Export::ProjectHeader => &["h"],
            Export::Source => &[KERNEL_EXTENSION],
        };
        let dialog = rfd::AsyncFileDialog::new()
            .set_title(text("window.label.export-menu"))
            .set_file_name(name)
            .add_filter(text("window.files.files"), extensions)
            .save_file();
        self.await_dialog(dialog, "errors.window.save-dialog", move |file| Action::ExportTo(export, file.path().to_owned()))
    }

    fn await_dialog<T>(
        &self,
        dialog: impl Future<Output = Option<T>> + Send + 'static,
        never_seen: &'static str,
        chosen: impl FnOnce(T) -> Action + Send + 'static,
    ) -> Result<()> {
        let tell = Arc::clone(&self.tell);
        named_thread("file dialog", move || {
            let asked = Instant::now();
            match pollster::block_on(dialog) {
                Some(chosen_files) => tell(chosen(chosen_files)),
                None if asked.elapsed() < NEVER_SEEN => tell(Action::Failed(failed(never_seen, &[]))),
                None => {}
            }
        })
    }
}

pub(super) fn named_thread(name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .map(drop)
        .map_err(|error| failed("errors.window.thread", &[("why", &error)]))
}

/// Files of the person that outlast the window; `None` keeps none.
#[derive(Clone, Debug, Default)]
pub struct KeptFiles {
    /// Readings.
    pub history: Option<PathBuf>,
    /// Predictions.
    pub predictions: Option<PathBuf>,
    /// What searches found.
    pub tunings: Option<PathBuf>,
    /// What studies answered.
    pub answers: Option<PathBuf>,
    /// The folder of what searches through projects tried.
    pub searches: Option<PathBuf>,
    /// What the person agreed to run.
    pub agreed: Option<PathBuf>,
    /// The folder of the person's own lessons.
    pub lessons: Option<PathBuf>,
    /// Settings and drafts.
    pub settings: Option<PathBuf>,
    /// How the window stood.
    pub window: Option<PathBuf>,
}

impl KeptFiles {
    /// Those of a folder.
    #[must_use]
    pub fn of(folder: &Path) -> Self {
        Self {
            history: Some(folder.join(Record::FILE)),
            predictions: Some(folder.join(PredictionRecord::FILE)),
            tunings: Some(folder.join(Tuning::FILE)),
            answers: Some(folder.join(Answer::FILE)),
            searches: Some(folder.join("searches")),
            agreed: Some(folder.join(Agreed::FILE)),
            lessons: Some(folder.join(lessons::FOLDER)),
            settings: Some(folder.join(saved::SETTINGS)),
            window: Some(folder.join(saved::WINDOW)),
        }
    }
}

/// Does a job on a file that outlasts the window. `path` is given up with the first failure: once is enough to be told, the next job would fail likewise.
fn keep<T: Line>(
    job: &LinesJob<T>,
    path: &mut Option<PathBuf>,
    read: fn(Lines<T>) -> Action,
    refused: fn(Error) -> Action,
) -> Option<Action> {
    match job.run(path.as_deref()?) {
        Ok(kept) => kept.map(read),
        Err(error) => {
            *path = None;
            Some(refused(error))
        }
    }
}

fn serve_kept(todo: &Receiver<FileJob>, tell: &Tell, mut kept: KeptFiles) {
    for job in todo {
        let told = match &job {
            FileJob::History(job) => keep(job, &mut kept.history, Action::HistoryRead, Action::HistoryNotKept),
            FileJob::Predictions(job) => keep(job, &mut kept.predictions, Action::PredictionsRead, Action::PredictionsNotKept),
            FileJob::Tunings(job) => keep(job, &mut kept.tunings, Action::TuningsRead, Action::TuningsNotKept),
            FileJob::Answers(job) => keep(
                job,
                &mut kept.answers,
                |kept| Action::Answers(AnswersAction::Read(kept)),
                |error| Action::Answers(AnswersAction::NotKept(error)),
            ),
            FileJob::Agreed(job) => keep(job, &mut kept.agreed, Action::AgreedRead, Action::AgreedNotKept),
            FileJob::Lessons(job) => kept.lessons.as_deref().map(|folder| job.run(folder)),
            _ => None,
        };
        if let Some(action) = told {
            tell(action);
        }
    }
}

fn serve(todo: &Receiver<FileJob>, tell: &Tell) {
    for job in todo {
        // A decoder that panics on a hostile file must not take all later files with it.
        let done = std::panic::catch_unwind(|| work(&job));
        tell(match done {
            Ok(Ok(action)) => action,
            Ok(Err(error)) => Action::Failed(error),
            Err(_) => Action::Failed(failed("errors.window.panicked", &[])),
        });
    }
}

/// Whether a file is opened as a kernel's text, and not as a picture.
pub fn is_kernel(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(KERNEL_EXTENSION))
}

/// Whether a file is opened as the history of a gate, and not as a picture.
fn is_gate_history(path: &Path) -> bool {
    path.extension().is_some_and(|extension| GATE_HISTORY_EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known)))
}

fn work(job: &FileJob) -> Result<Action> {
    match job {
        FileJob::Open(path) if is_kernel(path) => read_kernel(path).map(|text| Action::KernelRead(Arc::clone(&text), Origin::text(&text))),
        FileJob::Open(path) if path.is_dir() => Ok(Action::OpenFilters(path.clone())),
        FileJob::Open(path) if path.file_name().is_some_and(|name| name == DEFINITION || name == PROJECT) => {
            Ok(Action::OpenFilters(path.parent().map_or_else(PathBuf::new, Path::to_owned)))
        }
        FileJob::Open(path) if is_gate_history(path) => {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let story = History::read(path)?.story(&name);
            Ok(Action::Project(ProjectAction::ShowGate(Some(Box::new(story)))))
        }
        FileJob::Open(path) => open(path.clone(), Large::Ask),
        FileJob::NewProject(from) => {
            let folder = projects::folder_for(from);
            projects::create(&folder, from).map(|notes| Action::Project(ProjectAction::Made(folder, notes)))
        }
        FileJob::OpenLarge(path, large) => open(path.clone(), *large),
        FileJob::Sample(name) => sample(name),
        FileJob::Enlarged(name) => enlarged_sample(name),
        FileJob::Generate([width_px, height_px]) => {
            let picture = pictures::generate(*width_px, *height_px, Channels::Rgb, 1);
            Ok(loaded_action(Loaded { picture, name: "generated".to_owned(), notes: Vec::new() }, None))
        }
        FileJob::Paste => paste(),
        FileJob::Convert(pasted) => {
            let rgba: Vec<u8> = pasted.pixels.iter().flat_map(egui::Color32::to_srgba_unmultiplied).collect();
            let [width_px, height_px] = pasted.size;
            Loaded::from_rgba(PASTED, width_px, height_px, &rgba).map(|loaded| loaded_action(loaded, None))
        }
        FileJob::Save { path, is_confirmed, writing } => {
            let path = if *is_confirmed { path.clone() } else { free_name(path) };
            write(&path, writing).map(|notes| Action::Exported(path, notes))
        }
        FileJob::ClassPage { paths, folder, shelf } => class_page(paths, folder.as_deref(), shelf),
        // Dialogs never come here, see `Files::post`; what outlasts the window has its own way.
        FileJob::AskOpen
        | FileJob::AskClass
        | FileJob::AskFilter
        | FileJob::AskNewProject
        | FileJob::AskGateHistory
        | FileJob::AskSave(..)
        | FileJob::History(_)
        | FileJob::Predictions(_)
        | FileJob::Tunings(_)
        | FileJob::Answers(_)
        | FileJob::Agreed(_)
        | FileJob::Lessons(_) => Err(Error::cancelled()),
    }
}

/// Writes the page of a class; what could not be read is noted.
fn class_page(paths: &[PathBuf], folder: Option<&Path>, shelf: &Shelf) -> Result<Action> {
    let (handed_in, faults) = class::read_all(paths)?;
    let page = class::html(&Class::of(&handed_in), faults.len(), shelf);
    let beside = paths.first().and_then(|first| first.parent()).unwrap_or(Path::new(""));
    let folder = folder.unwrap_or(beside);
    let path = free_name(&folder.join("class-page.html"));
    write_atomically(&path, page.as_bytes())?;
    Ok(Action::Exported(path, faults.iter().map(Error::to_string).collect()))
}

fn open(path: PathBuf, large: Large) -> Result<Action> {
    Ok(match pictures::open(&path, large)? {
        Opened::Picture(loaded) => loaded_action(loaded, Some(path)),
        Opened::Large { width_px, height_px } => Action::PictureIsLarge(path, [width_px, height_px]),
    })
}

fn loaded_action(loaded: Loaded, path: Option<PathBuf>) -> Action {
    let name = Path::new(&loaded.name).file_stem().map_or_else(|| loaded.name.clone(), |stem| stem.to_string_lossy().into_owned());
    // The engine's process reads it where it is.
    Action::PictureLoaded { name, path, picture: Arc::new(loaded.picture.into_shared()), notes: loaded.notes }
}

fn sample(name: &str) -> Result<Action> {
    let known = pictures::samples().iter().find(|sample| sample.name == name);
    let sample = known.ok_or_else(|| misused("errors.window.sample", &[("name", &name)]))?;
    sample.load().map(|loaded| loaded_action(loaded, None))
}

/// The sample, as large as a photo.
fn enlarged_sample(name: &str) -> Result<Action> {
    let known = pictures::samples().iter().find(|sample| sample.name == name);
    let loaded = known.ok_or_else(|| misused("errors.window.sample", &[("name", &name)]))?.load()?;
    let stem = Path::new(name).file_stem().and_then(|stem| stem.to_str()).unwrap_or(name);
    let factor = (1..=64).find(|factor| loaded.picture.width_px() * loaded.picture.height_px() * factor * factor >= PHOTO_PX).unwrap_or(1);
    Ok(loaded_action(Loaded { picture: pictures::enlarged(&loaded.picture, factor), name: enlarged(stem), notes: Vec::new() }, None))
}

fn paste() -> Result<Action> {
    let refused = |error: arboard::Error| match error {
        arboard::Error::ContentNotAvailable => failed("errors.window.clipboard-empty", &[]),
        other => failed("errors.window.clipboard", &[("why", &other)]),
    };
    let mut clipboard = arboard::Clipboard::new().map_err(refused)?;
    // Of files that a file manager copied, which on Windows and macOS are no text.
    if let Some(path) = clipboard.get().file_list().ok().and_then(|files| files.into_iter().next()) {
        return open(path, Large::Ask);
    }
    match clipboard.get_image() {
        Ok(pasted) => Loaded::from_rgba(PASTED, pasted.width, pasted.height, &pasted.bytes).map(|loaded| loaded_action(loaded, None)),
        Err(arboard::Error::ContentNotAvailable) => open(path_from_text(&clipboard.get_text().map_err(refused)?), Large::Ask),
        Err(error) => Err(refused(error)),
    }
}

/// The path that pasted or typed text means: quotes, blanks and a `file://` address are understood.
#[must_use]
pub fn path_from_text(text: &str) -> PathBuf {
    let line = text.trim().lines().next().unwrap_or("").trim().trim_matches(['"', '\'']);
    let address = line.strip_prefix("file:").and_then(|_| Url::parse(line).ok());
    address.and_then(|address| address.to_file_path().ok()).unwrap_or_else(|| PathBuf::from(line))
}

fn write(path: &Path, writing: &Writing) -> Result<Vec<String>> {
    let text = |bytes: &[u8]| write_atomically(path, bytes).map(|()| Vec::new());
    match writing {
        Writing::Picture(picture) => pictures::save(path, picture),
        Writing::SideBySide(original, channels, output) => {
            pictures::check_writable_extension(path)?;
            let original = original.picture.to_channels(*channels);
            pictures::save(path, &pictures::side_by_side(&original, output))
        }
        Writing::Text(source) => text(source.as_bytes()),
        Writing::Story(story) => text(&story_file::paint(story, path)?),
        Writing::Csv(readings) => {
            let mut bytes = Vec::new();
            write_csv(readings, &mut bytes)?;
            text(&bytes)
        }
        Writing::Bundle(export, session) => {
            let mut bundle = Bundle::default();
            session.runs().into_iter().for_each(|run| bundle.add(run, &Aliases::opaque()));
            session.answers.iter().for_each(|answer| bundle.add_answer(answer, &Aliases::opaque()));
            match export {
                Export::Report => text(report::html(&bundle)?.as_bytes()),
                _ => bundle::write(path, &bundle).map(|()| Vec::new()),
            }
        }
        Writing::Handout(handout) => text(handout.html().as_bytes()),
        Writing::ForTeacher(made_of) => class::write(path, &made_of.sent()?).map(|()| Vec::new()),
        Writing::Predictions(export, records) => {
            let mut bytes = Vec::new();
            match export {
                Export::PredictionsJson => write_predictions_json(records, &mut bytes)?,
                _ => write_predictions_csv(records, &mut bytes)?,
            }
            text(&bytes)
        }
        Writing::Plot(form, entries, options) => text(&match form {
            Form::Png => plot_png(entries, options)?,
            _ => plot_svg(entries, options).into_bytes(),
        }),
        Writing::Access(form, asked) => text(&access_panel::file(asked, *form)?),
        Writing::Roofline(form, heading, data) => text(&roofline_file(*form, heading, data)?),
        Writing::LocalSizes(form, heading, data) => text(&heat_map_file(*form, heading, data)?),
        Writing::Timeline(form, heading, data) => text(&timeline_file(*form, heading, data)?),
        Writing::Json(readings) => {
            let mut bytes = Vec::new();
            write_json(readings, &mut bytes)?;
            text(&bytes)
        }
    }
}

/// `path`, or "name (2).png" and so on where a file of that name is there: nothing is overwritten without a word.
fn free_name(path: &Path) -> PathBuf {
    let part = |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().into_owned()).unwrap_or_default();
    let (stem, extension) = (part(path.file_stem()), part(path.extension()));
    let numbered = (2..10_000).map(|number| path.with_file_name(format!("{stem} ({number}).{extension}")));
    std::iter::once(path.to_owned()).chain(numbered).find(|path| !path.exists()).unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{class_page, free_name, path_from_text};
    use crate::app::action::Action;
    use report::class;
    use std::path::{Path, PathBuf};
    use study::lessons::Shelf;

    #[test]
    fn a_file_that_is_there_is_not_overwritten() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("coffee 1.5.png");
        assert_eq!(free_name(&path), path);
        std::fs::write(&path, "first").expect("written");
        let second = folder.path().join("coffee 1.5 (2).png");
        assert_eq!(free_name(&path), second);
        std::fs::write(&second, "second").expect("written");
        assert_eq!(free_name(&path), folder.path().join("coffee 1.5 (3).png"));
    }

    #[test]
    fn the_page_of_a_class_is_written_beside_its_files_and_notes_what_is_no_such_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let paths: Vec<PathBuf> = ["a.json", "b.json", "c.json"].map(|name| folder.path().join(name)).into();
        for (path, sent) in paths.iter().zip(class::made_up(2, 1).expect("plain data")) {
            class::write(path, &sent).expect("written");
        }
        std::fs::write(&paths[2], "{}").expect("written");
        let shelf = Shelf::default();
        let Ok(Action::Exported(page, notes)) = class_page(&paths, None, &shelf) else { panic!("a page") };
        assert_eq!(page, folder.path().join("class-page.html"));
        let html = std::fs::read_to_string(&page).expect("written");
        assert!(html.contains("Files: 2. Students: 2.") && html.contains("could not be read: 1"), "{html}");
        assert!(notes.len() == 1 && notes[0].contains("c.json"), "{notes:?}");
        // Where none can be read there is no page.
        let error = class_page(&paths[2..], None, &shelf).expect_err("nothing to show");
        assert!(error.to_string().contains("c.json") && !folder.path().join("class-page (2).html").exists(), "{error}");
    }

    #[test]
    fn pasted_paths_are_understood() {
        for (text, path) in [
            ("/a/b.png\n", "/a/b.png"),
            (" \"/a/b c.png\" ", "/a/b c.png"),
            ("file:///a/b%20c.png\nfile:///d.png", "/a/b c.png"),
            ("file:///a/100%.png", "/a/100%.png"),
            ("relative.png", "relative.png"),
        ] {
            assert_eq!(path_from_text(text), Path::new(path), "{text}");
        }
    }
}
