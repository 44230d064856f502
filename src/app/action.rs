//! Everything a person can do in the window. Panels queue actions; [`super::state::State::apply`] alone acts on them.

use super::access_panel::AccessSettings;
use super::answers::AnswersAction;
use super::compiled_panel::CompiledSettings;
use super::editing::Editing;
use super::experiments::Testing;
use super::history_file::Kept;
use super::lesson::Answer;
use super::lessons_panel::CourseAction;
use super::nav::Section;
use super::own_project::ProjectAction;
use super::pictures::PicturesSettings;
use super::settings::{Place, Theme};
use super::source_panel::SourceSettings;
use super::start::StartAction;
use super::timings::TimingsSettings;
use super::workspace::{Arrangement, Workspace};
use crate::runner::{Look, Update};
use base::error::Error;
use base::files::Lines;
use base::texts::{Language, text};
use base::trust::{Agreed, Origin};
use egui::{Key, KeyboardShortcut, Modifiers};
use engine::Task;
use kernels::filters::{Filter, Ladder};
use model::{BorderMode, Channels, HostMemory, LocalSize, StageId, Variant};
use pictures::Picture;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use study::lessons::Edition;
use study::{KINDS, Kind, PredictionRecord, Search, Tuning};
use view::plot::Form;

/// One wish of the person, or one piece of news from another thread.
#[derive(Debug)]
pub enum Action {
    /// A menu command, a button or a shortcut without further data.
    Run(Command),
    /// Open this file, a picture or a kernel: the path field, a dropped file, a recent file.
    OpenPath(PathBuf),
    /// The text of the path field changed.
    EditPath(String),
    /// The text of the export folder's field changed.
    EditExportPath(String),
    /// What the student wants to be called by the teacher changed.
    EditTeacherAlias(String),
    /// Names of other machines are typed.
    EditHosts(String),
    /// Open the sample picture of this name.
    OpenSample(String),
    /// A picture came by the clipboard; the shell's own conversion happens on the file thread.
    PasteImage(Arc<egui::ColorImage>),
    /// A picture was loaded: its name for titles, the file that it came from, and what the person should know of the conversion.
    PictureLoaded {
        /// For titles and file names of exports.
        name: String,
        /// Where it came from; `None` for samples, generated and pasted pictures.
        path: Option<PathBuf>,
        /// The picture.
        picture: Arc<Picture>,
        /// "16-bit values were reduced to 8-bit", and the like.
        notes: Vec<String>,
    },
    /// Something on the file thread failed.
    Failed(Error),
    /// The history of earlier sessions was read.
    HistoryRead(Kept),
    /// A kernel was read: it is edited in the place of the chosen variant's own, and runs once the person agreed.
    KernelRead(Arc<str>, Origin),
    /// What the person agreed to run in earlier sessions was read.
    AgreedRead(Lines<Agreed>),
    /// What they agreed to could not be kept.
    AgreedNotKept(Error),
    /// The history could not be kept.
    HistoryNotKept(Error),
    /// A picture file is so large that the person is asked first: its path, width and height.
    PictureIsLarge(PathBuf, [usize; 2]),
    /// Settings could not be read or kept.
    SettingsNotKept(Error),
    /// The predictions of earlier sessions were read.
    PredictionsRead(Lines<PredictionRecord>),
    /// Predictions could not be kept.
    PredictionsNotKept(Error),
    /// What searches of earlier sessions found was read.
    TuningsRead(Lines<Tuning>),
    /// Something with what studies answered.
    Answers(AnswersAction),
    /// What a search found could not be kept.
    TuningsNotKept(Error),
    /// A file was written; what the format could not keep.
    Exported(PathBuf, Vec<String>),
    /// Write this export to this file.
    ExportTo(Export, PathBuf),
    /// These files of students were chosen for the page of a class.
    ClassChosen(Vec<PathBuf>),
    /// Look after the filters of this folder, and show the first one.
    OpenFilters(PathBuf),
    /// A filter's folder was read; whether it is to be shown at once.
    FilterRead(&'static Filter, bool),
    /// There is something wrong in the folder of the filter of that name.
    FilterRefused(String, Error),
    /// Something with the project that is open.
    Project(ProjectAction),
    /// Use another filter.
    SetFilter(&'static Filter),
    /// Set one parameter of the filter.
    SetParameter(&'static str, f64),
    /// Use another border mode.
    SetBorder(BorderMode),
    /// Compute in other channels.
    SetChannels(Channels),
    /// Set a stage to a value (its off value switches it off). Stages that it needs or cannot stand follow, and that is told.
    SetStage(StageId, u8),
    /// Set all stages at once; what is not allowed in the present setting is fitted, and that is told.
    SetVariant(Variant),
    /// Set the local work size.
    SetLocal(LocalSize),
    /// How many local work sizes the next search tries.
    SetSearch(Search),
    /// How long the search for the fastest variant may take.
    SetSearchLimit(Duration),
    /// Set how the picture gets into the device's memory and back.
    SetHostMemory(HostMemory),
    /// Compute somewhere else.
    SetPlace(Place),
    /// Go to a step of a published ladder of the filter: ladder's name, step from 0.
    SetStep(&'static str, usize),
    /// Go to the first step of a ladder of any filter.
    StartLadder(&'static Ladder),
    /// Forget the ladder; the variant stays.
    LeaveLadder,
    /// Bring the variant, local size, host memory, border and channels of a row of the history back, and run it.
    BringBack(u64),
    /// Name a row of the history; an empty name takes the name away.
    NameRow(u64, String),
    /// Drop a row of the history.
    RemoveRow(u64),
    /// Show this very task: everything that is chosen becomes what it computes.
    ShowTask(Box<Task>),
    /// Compare these two once more, for longer: what was seen of them decides nothing.
    CompareAgain(Box<(Task, Task)>),
    /// Put a rule's explanation of how these two compare to the test, or ask what the test will show.
    TestReason(Box<(Task, Task)>, String, Testing),
    /// An answer in a lesson.
    Lesson(Answer),
    /// Something in a lesson that somebody wrote.
    Course(CourseAction),
    /// The lessons of the person's folder were read.
    LessonsRead {
        /// The folder.
        folder: PathBuf,
        /// What it holds.
        editions: Vec<Edition>,
        /// The name of the lesson that was written there before, to be opened.
        written: Option<String>,
    },
    /// Arrange a workspace's panels like this.
    Arrange(Workspace, Arrangement),
    /// Light, dark or the system's.
    SetTheme(Theme),
    /// Go to another place of the program.
    GoTo(Section),
    /// Something at Start.
    Start(StartAction),
    /// Whether figures stand still.
    SetStill(bool),
    /// Whether the program opens in the Lab.
    SetOpensLab(bool),
    /// Speak another language.
    SetLanguage(Language),
    /// The picture panel's own settings changed.
    SetPictures(PicturesSettings),
    /// Look at how this pixel is made: column and row.
    PickPixel([usize; 2]),
    /// How its access picture is drawn has changed.
    SetAccess(AccessSettings),
    /// The timing panel's own settings changed.
    SetTimings(TimingsSettings),
    /// The source panel's own settings changed.
    SetSource(SourceSettings),
    /// Something was done in the editor.
    Edit(Editing),
    /// The settings of the panel of compiled code changed.
    SetCompiled(CompiledSettings),
    /// The panel of compiled code is on the screen and needs this.
    Look(Box<Look>),
    /// Take a notice off the screen.
    DismissNotice(u64),
    /// News from the worker.
    Runner(Box<Update>),
    /// The debounce of a slider is over: ask the worker now.
    Render,
    /// Nothing was asked for a while: take what other programs disturbed again.
    Retake,
}

/// What can be exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Export {
    /// The filtered picture, with its alpha.
    Filtered,
    /// Original and filtered picture beside each other.
    SideBySide,
    /// The history as comma-separated values.
    Csv,
    /// The history as JSON.
    Json,
    /// What this session measured, as `bench --bundle` writes it.
    Bundle,
    /// The same as a page.
    Report,
    /// The same with predictions and tasks, for a teacher.
    Teacher,
    /// The lesson that is open, as a page to print.
    Handout,
    /// The timing plot, which does not play.
    Plot(Form),
    /// The roofline.
    Roofline(Form),
    /// The timeline of the last run.
    Timeline(Form),
    /// The map of local work sizes, which does not play.
    LocalSizes(Form),
    /// What the panel of this study tells, or the last study, in the form that its file's ending names.
    Study(Option<&'static Kind>),
    /// What was found of the project, in the form that its file's ending names.
    Project,
    /// Its best configuration, as a header for C.
    ProjectHeader,
    /// The resolved kernel.
    Source,
    /// The access picture.
    Access(Form),
    /// Predictions as comma-separated values.
    PredictionsCsv,
    /// Predictions as JSON.
    PredictionsJson,
}

impl Export {
    /// All, in the order of the menu.
    pub const ALL: [Self; 27] = [
        Self::Filtered,
        Self::SideBySide,
        Self::Csv,
        Self::Json,
        Self::Bundle,
        Self::Report,
        Self::Study(None),
        Self::Project,
        Self::ProjectHeader,
        Self::Teacher,
        Self::Handout,
        Self::Plot(Form::Png),
        Self::Plot(Form::Svg),
        Self::Roofline(Form::Png),
        Self::Roofline(Form::Svg),
        Self::Roofline(Form::Gif),
        Self::Timeline(Form::Png),
        Self::Timeline(Form::Svg),
        Self::Timeline(Form::Gif),
        Self::LocalSizes(Form::Png),
        Self::LocalSizes(Form::Svg),
        Self::Source,
        Self::Access(Form::Svg),
        Self::Access(Form::Png),
        Self::Access(Form::Gif),
        Self::PredictionsCsv,
        Self::PredictionsJson,
    ];
}

impl Export {
    /// The form of its file, where it is a figure's.
    #[must_use]
    pub const fn form(self) -> Option<Form> {
        match self {
            Self::Plot(form) | Self::Roofline(form) | Self::Timeline(form) | Self::LocalSizes(form) | Self::Access(form) => Some(form),
            _ => None,
        }
    }
}

/// A command without further data: one entry in a menu, one button, one shortcut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    /// Ask for a picture file.
    Open,
    /// Take the picture, or the path of one, from the clipboard.
    Paste,
    /// Make the test picture.
    Generate,
    /// Open the large picture that is asked about, made smaller.
    OpenReduced,
    /// Open the large picture that is asked about, as it is.
    OpenWhole,
    /// Forget recent files.
    ClearRecent,
    /// Ask where to write an export.
    Export(Export),
    /// Ask for the files of students, and make the page of a class.
    ClassPage,
    /// Choose a folder with a filter of one's own.
    OpenFilter,
    /// Choose a kernel file to write a project from.
    NewProject,
    /// Choose a file with what comparisons with baselines came to.
    OpenGateHistory,
    /// Look for OpenCL devices again.
    Rescan,
    /// Copy this program to the machines that do not have it, or have another version, and look for devices there.
    CopyProgram,
    /// One step up the ladder.
    NextStep,
    /// One step down the ladder.
    PreviousStep,
    /// All stages off.
    Naive,
    /// Compute on the OpenCL device again.
    BackToDevice,
    /// What was chosen before the last change.
    Undo,
    /// What was undone.
    Redo,
    /// Measure what is shown once more, for longer.
    Measure,
    /// Measure every step of the ladder and the CPU competitors.
    MeasureLadder,
    /// Measure the three CPU competitors.
    MeasureCpu,
    /// Measure what the device can do at most.
    MeasureRoofs,
    /// Study the chosen variant.
    Study(&'static Kind),
    /// End whatever is being measured.
    Cancel,
    /// Forget all readings.
    ClearHistory,
    /// Show this workspace.
    Workspace(Workspace),
    /// Arrange the workspace's panels as it comes.
    ResetLayout,
    /// Show or hide the page of shortcuts and words.
    Help,
    /// Fill the screen, or become a window again.
    FullScreen,
    /// Show or hide the time that frames take.
    ShowFrames,
    /// Close the window.
    Quit,
}

/// What menus, tooltips and the help page say of a command.
#[derive(Clone, Copy, Debug)]
pub struct CommandText {
    /// In menus and on buttons: the accessible name.
    pub label: &'static str,
    /// What it does, in one sentence without a full stop.
    pub tooltip: &'static str,
    /// The keys, where there are any.
    pub shortcut: Option<KeyboardShortcut>,
}

impl Command {
    /// All, in the order of the help page.
    pub fn all() -> impl Iterator<Item = Self> {
        let before = [
            Self::Open,
            Self::OpenFilter,
            Self::NewProject,
            Self::OpenGateHistory,
            Self::Paste,
            Self::Generate,
            Self::OpenReduced,
            Self::OpenWhole,
            Self::ClearRecent,
            Self::NextStep,
            Self::PreviousStep,
            Self::Naive,
            Self::BackToDevice,
            Self::Undo,
            Self::Redo,
            Self::Measure,
            Self::MeasureLadder,
            Self::MeasureCpu,
            Self::MeasureRoofs,
        ];
        let between = [Self::Cancel, Self::ClearHistory, Self::Rescan, Self::CopyProgram];
        let after = [Self::ResetLayout, Self::Help, Self::FullScreen, Self::ShowFrames, Self::Quit];
        let studies = KINDS.iter().copied().map(Self::Study).chain(between);
        let exports = Export::ALL.into_iter().map(Self::Export).chain([Self::ClassPage]);
        before.into_iter().chain(studies).chain(exports).chain(Workspace::ALL.into_iter().map(Self::Workspace)).chain(after)
    }

    /// Whether its keys work outside the Lab: elsewhere the keys are the lesson's.
    #[must_use]
    pub const fn is_everywhere(self) -> bool {
        matches!(
            self,
            Self::Open | Self::OpenFilter | Self::Paste | Self::Cancel | Self::Help | Self::FullScreen | Self::ShowFrames | Self::Quit
        )
    }

    /// The only place where a command's shortcut is written, and where its label and tooltip are looked up.
    #[must_use]
    pub fn text(self) -> CommandText {
        let ctrl = |key| Some(KeyboardShortcut::new(Modifiers::COMMAND, key));
        let ctrl_shift = |key| Some(KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), key));
        let plain = |key| Some(KeyboardShortcut::new(Modifiers::NONE, key));
        let (label, tooltip, shortcut) = match self {
            Self::Open => ("window.command.open", "window.command.open-about", ctrl(Key::O)),
            Self::Paste => ("window.command.paste", "window.command.paste-about", ctrl(Key::V)),
            Self::Generate => ("window.command.generate", "window.command.generate-about", ctrl(Key::G)),
            Self::OpenReduced => ("window.command.open-reduced", "window.command.open-reduced-about", None),
            Self::OpenWhole => ("window.command.open-whole", "window.command.open-whole-about", None),
            Self::ClearRecent => ("window.command.clear-recent", "window.command.clear-recent-about", None),
            Self::NextStep => ("window.command.next-step", "window.command.next-step-about", ctrl(Key::ArrowRight)),
            Self::PreviousStep => ("window.command.previous-step", "window.command.previous-step-about", ctrl(Key::ArrowLeft)),
            Self::Naive => ("window.command.naive", "window.command.naive-about", ctrl(Key::N)),
            Self::BackToDevice => ("window.command.back-to-device", "window.command.back-to-device-about", ctrl(Key::D)),
            Self::Undo => ("window.command.undo", "window.command.undo-about", ctrl(Key::Z)),
            Self::Redo => ("window.command.redo", "window.command.redo-about", ctrl_shift(Key::Z)),
            Self::Measure => ("window.command.measure", "window.command.measure-about", plain(Key::F5)),
            Self::MeasureLadder => ("window.command.measure-ladder", "window.command.measure-ladder-about", ctrl(Key::L)),
            Self::MeasureCpu => ("window.command.measure-cpu", "window.command.measure-cpu-about", ctrl(Key::M)),
            Self::MeasureRoofs => ("studies.command.roofs", "studies.command.roofs-about", ctrl_shift(Key::R)),
            Self::Study(kind) => {
                let (letter, is_shifted) = kind.shortcut;
                let shortcut = Key::from_name(letter).and_then(if is_shifted { ctrl_shift } else { ctrl });
                return CommandText { label: kind.text("command", ""), tooltip: kind.text("command", "-about"), shortcut };
            }
            Self::Cancel => ("window.command.cancel", "window.command.cancel-about", plain(Key::Escape)),
            Self::ClearHistory => ("window.command.clear-history", "window.command.clear-history-about", None),
            Self::Rescan => ("window.command.rescan", "window.command.rescan-about", ctrl(Key::R)),
            Self::CopyProgram => ("window.command.copy-program", "window.command.copy-program-about", None),
            Self::Export(Export::Filtered) => ("window.command.export-filtered", "window.command.export-filtered-about", ctrl(Key::S)),
            Self::Export(Export::SideBySide) => {
                ("window.command.export-side-by-side", "window.command.export-side-by-side-about", ctrl_shift(Key::S))
            }
            Self::Export(Export::Csv) => ("window.command.export-csv", "window.command.export-csv-about", ctrl(Key::E)),
            Self::Export(Export::Json) => ("window.command.export-json", "window.command.export-json-about", ctrl_shift(Key::E)),
            Self::Export(Export::Bundle) => ("window.command.export-bundle", "window.command.export-bundle-about", None),
            Self::Export(Export::Report) => ("window.command.export-report", "window.command.export-report-about", None),
            Self::Export(Export::Study(None)) => ("studies.command.last", "studies.command.last-about", None),
            Self::Export(Export::Study(Some(_))) => ("studies.command.export", "studies.command.last-about", None),
            Self::Export(Export::Project) => ("project.window.export", "project.window.export-about", None),
            Self::Export(Export::ProjectHeader) => ("project.window.header", "project.window.header-about", None),
            Self::Export(Export::Handout) => ("course.handout.do", "course.handout.about", None),
            Self::Export(Export::Teacher) => ("window.command.export-teacher", "window.command.export-teacher-about", None),
            Self::Export(Export::Plot(Form::Png)) => ("window.command.export-png", "window.command.export-png-about", ctrl(Key::P)),
            // It does not play: nothing offers that.
            Self::Export(Export::Plot(Form::Svg | Form::Gif)) => {
                ("window.command.export-svg", "window.command.export-svg-about", ctrl_shift(Key::P))
            }
            Self::Export(Export::Roofline(Form::Png)) => ("studies.command.roofline-png", "studies.command.roofline-png-about", None),
            Self::Export(Export::Roofline(Form::Svg)) => ("studies.command.roofline-svg", "studies.command.roofline-svg-about", None),
            Self::Export(Export::Roofline(Form::Gif)) => ("studies.command.roofline-gif", "studies.command.roofline-gif-about", None),
            Self::Export(Export::Timeline(Form::Png)) => ("window.command.timeline-png", "window.command.timeline-png-about", None),
            Self::Export(Export::Timeline(Form::Svg)) => ("window.command.timeline-svg", "window.command.timeline-svg-about", None),
            Self::Export(Export::Timeline(Form::Gif)) => ("window.command.timeline-gif", "window.command.timeline-gif-about", None),
            Self::Export(Export::LocalSizes(Form::Png)) => ("studies.command.sizes-png", "studies.command.sizes-png-about", None),
            Self::Export(Export::LocalSizes(Form::Svg | Form::Gif)) => {
                ("studies.command.sizes-svg", "studies.command.sizes-svg-about", None)
            }
            Self::Export(Export::Source) => ("window.command.export-source", "window.command.export-source-about", ctrl(Key::K)),
            Self::Export(Export::Access(Form::Svg)) => ("window.command.export-access-svg", "window.command.export-access-svg-about", None),
            Self::Export(Export::Access(Form::Gif)) => ("course.gif.do", "course.gif.about", None),
            Self::Export(Export::Access(Form::Png)) => ("window.command.export-access-png", "window.command.export-access-png-about", None),
            Self::Export(Export::PredictionsCsv) => ("prediction.export-csv", "prediction.export-csv-about", None),
            Self::Export(Export::PredictionsJson) => ("prediction.export-json", "prediction.export-json-about", None),
            Self::Workspace(workspace) => {
                let key = match workspace {
                    Workspace::Learn => Key::Num1,
                    Workspace::Compare => Key::Num2,
                    Workspace::Tune => Key::Num3,
                    Workspace::Present => Key::Num4,
                };
                let (label, about) = workspace.keys();
                (label, about, ctrl(key))
            }
            Self::NewProject => ("project.window.new-project", "project.window.new-project-about", None),
            Self::OpenGateHistory => ("project.window.gate-history", "project.window.gate-history-about", None),
            Self::OpenFilter => ("window.command.open-filter", "window.command.open-filter-about", None),
            Self::ClassPage => ("window.command.class-page", "window.command.class-page-about", None),
            Self::ResetLayout => ("window.command.reset-layout", "window.command.reset-layout-about", None),
            Self::Help => ("window.command.help", "window.command.help-about", plain(Key::F1)),
            Self::FullScreen => ("window.command.full-screen", "window.command.full-screen-about", plain(Key::F11)),
            Self::ShowFrames => ("window.command.show-frames", "window.command.show-frames-about", plain(Key::F12)),
            Self::Quit => ("window.command.quit", "window.command.quit-about", ctrl(Key::Q)),
        };
        CommandText { label: text(label), tooltip: text(tooltip), shortcut }
    }
}

#[cfg(test)]
mod tests {
    use super::Command;

    #[test]
    fn labels_and_shortcuts_are_unique_and_sentences_have_no_full_stop() {
        for command in Command::all() {
            let text = command.text();
            assert!(!text.tooltip.ends_with('.'), "{}", text.label);
            assert_eq!(Command::all().filter(|other| other.text().label == text.label).count(), 1, "{}", text.label);
            if text.shortcut.is_some() {
                assert_eq!(Command::all().filter(|other| other.text().shortcut == text.shortcut).count(), 1, "{}", text.label);
            }
        }
    }
}
