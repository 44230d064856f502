//! What the window knows. Panels read it; [`State::apply`] alone changes it.

use super::access_panel::{AccessSettings, Asked};
use super::action::Export;
use super::answers::Answers;
use super::compiled_panel::Looks;
use super::editing::Trials;
use super::experiments::Experiments;
use super::history::{History, Row};
use super::history_file::HistoryJob;
use super::lesson::Lesson;
use super::lessons_panel::{Course, LessonsJob};
use super::nav::Section;
use super::notice::Notices;
use super::own_project::OwnProject;
use super::panes::Pane;
use super::settings::{Choice, Place, Settings};
use super::start::Start;
use super::studies::Studies;
use super::tunings::Tunings;
use super::undo::Undo;
use crate::runner::{Bench, Look, ProjectJob, Show, Steer, Trial};
use base::files::LinesJob;
use base::texts::Language;
use base::trust::{Agreed, Trust};
use engine::device::{DeviceInfo, NoDevice};
use engine::{Compared, Executed, KernelText, PictureRef, Scanned, Target, Task, Verified};
use kernels::filters::{Ladder, Step};
use model::measure::{Comparison, compare_readings};
use model::{Abilities, Contender, CpuEngine, LocalSize, Machine, Record, Roofs, Setting, Shares, Spec, StageId};
use pictures::Large;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use study::claims::elsewhere::{self, DeviceClaims};
use study::lessons::Shelf;
use study::{Answer, Bus, PredictionRecord, Tuning};
use view::plot::Form;
use view::story::Story;

/// Everything the window shows. Settings outlive it; the rest is this session's.
pub struct State {
    /// Filters of a person's own that cannot be used as their folders are now.
    pub refused_filters: Vec<String>,
    /// The request that was the last one where it gave no picture: its kernel is not the one that made the picture on the screen.
    pub without_picture: Option<u64>,
    /// What is saved.
    pub settings: Settings,
    /// What owns the window.
    pub section: Section,
    /// What Start has measured.
    pub start: Start,
    /// OpenCL devices, or why there are none; `None` until the worker has looked.
    pub devices: Option<Result<Vec<DeviceInfo>, NoDevice>>,
    /// Bytes sent to the machine of a device and received from it, by the device's index, where it is another machine.
    pub carried: BTreeMap<usize, (u64, u64)>,
    /// What the last scan for devices has met besides.
    pub scanned: Scanned,
    /// What computes.
    pub place: Place,
    /// The picture that is worked on.
    pub picture: Option<Opened>,
    /// The newest result. It stays until a newer one is there.
    pub shown: Option<Shown>,
    /// What has been asked of the worker and is not over, the newest last.
    pub pending: Vec<Pending>,
    /// True while a change waits for its slider to rest.
    pub is_unasked: bool,
    /// All readings of this session.
    pub history: History,
    /// Tasks over this picture that were run in interleaved pairs, the newest last.
    pub compared: Vec<((Task, Task), Compared)>,
    /// What devices can do at most, as far as it is known.
    pub roofs: Vec<Arc<Roofs>>,
    /// Studies of variants, with what they have found so far.
    pub studies: Studies,
    /// Kernels of a person's own.
    pub own_project: OwnProject,
    /// Explanations that were put to the test.
    pub experiments: Experiments,
    /// What searches found.
    pub(super) tunings: Tunings,
    /// What studies answered.
    pub(super) answers: Answers,
    /// What compilers made of variants, as far as it was looked at.
    pub looks: Looks,
    /// What came of kernels that the person edits.
    pub trials: Trials,
    /// What the person agreed to run.
    pub trust: Trust,
    /// What the last change did.
    pub change: Change,
    /// What was chosen before, and what was undone.
    pub undo: Undo,
    /// The ladder as a lesson.
    pub lesson: Lesson,
    /// What the ladders' steps did on other devices.
    pub elsewhere: &'static [DeviceClaims],
    /// Lessons that somebody wrote.
    pub course: Course,
    /// Column and row of the pixel that was clicked.
    pub pixel: Option<[usize; 2]>,
    /// How its access picture is drawn.
    pub access: AccessSettings,
    /// What is told.
    pub notices: Notices,
    /// The text of the path field.
    pub path_text: String,
    /// Whether the help page is open.
    pub is_help_open: bool,
    /// A panel that is to come in front, with a number by which the tiles know that they have done so.
    pub front: Option<(u64, Pane)>,
    /// The request that measures a whole ladder.
    pub(super) ladder_request: Option<u64>,
    /// The request that measures roofs.
    pub(super) roofs_request: Option<u64>,
    /// Counts actions: while it stays, so does everything else here, and nothing has to be laid out anew.
    pub revision: u64,
    /// How often readings that other programs disturbed were taken again.
    pub(super) retaken: Vec<(Task, u8)>,
    /// Devices whose roofs were measured once more, as other programs had run the first time.
    pub(super) roofs_retaken: Vec<usize>,
    pub(super) next_id: u64,
    pub(super) is_sample_asked: bool,
    /// The large picture that the person is asked about.
    pub(super) large_picture: Option<PathBuf>,
    /// For what the CPU competitors were measured without being asked, so that a cancel is not undone.
    pub(super) cpu_asked: Option<(PictureRef, Spec)>,
}

/// A picture with its name.
#[derive(Clone, Debug)]
pub struct Opened {
    /// For titles and names of exports, without extension.
    pub name: String,
    /// The file, where it is one.
    pub path: Option<PathBuf>,
    /// The picture with its identity.
    pub picture: PictureRef,
}

/// What a picture from the clipboard is called.
pub const PASTED: &str = "pasted";

impl Opened {
    /// Whether a person brought it: a file, or what was pasted. All others are the program's: samples as they are or enlarged, and generated ones.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.path.is_some() || self.name == PASTED
    }
}

/// A result on the screen.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The request that it answers.
    pub id: u64,
    /// What was asked: picture, channels, border, variant.
    pub task: Task,
    /// Output, source, limits, one sample of each time.
    pub executed: Executed,
    /// The check, once it is there.
    pub verified: Option<Verified>,
}

/// Something that the worker was asked for.
#[derive(Clone, Debug)]
pub struct Pending {
    /// Comes back with every update.
    pub id: u64,
    /// What kind of job, with its task where it shows a picture.
    pub job: Job,
    /// Steps done, of so many, and what is going on.
    pub progress: Option<(usize, usize, String)>,
}

/// Kinds of jobs.
#[derive(Clone, Debug)]
pub enum Job {
    /// A picture to show.
    Show(Box<Task>),
    /// Rows to measure, named for the status bar.
    Bench(String),
}

/// What the last change did, to be marked until the next one.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Stages whose value changed, the one that was switched and those that followed.
    pub stages: Vec<StageId>,
    /// "Padded source is now on", for those that followed.
    pub notes: Vec<String>,
    /// What was chosen before it.
    pub before: Option<Choice>,
    /// The same as a task, which knows where it was computed.
    pub task: Option<Task>,
}

/// What [`State::apply`] wants done outside. The shell carries it out without waiting.
#[derive(Debug)]
pub enum Effect {
    /// Ask the worker to show this.
    Show(Box<Show>),
    /// Call [`super::action::Action::Render`] once the slider rests.
    RenderSoon,
    /// Call [`super::action::Action::Retake`] after a while of rest.
    RetakeSoon,
    /// Ask the worker to measure these.
    Bench(Bench),
    /// Ask the worker what a compiler made of this.
    Look(Box<Look>),
    /// Call `super::editing::Editing::Try` once nothing was typed for a moment.
    TrySoon,
    /// Ask the worker to try this edited kernel.
    Try(Box<Trial>),
    /// Ask the worker this about a project.
    Project(Box<ProjectJob>),
    /// Steer its search.
    Steer(Steer),
    /// End what is being measured.
    Cancel,
    /// Look for devices again, on these machines, too.
    Rescan(Vec<String>),
    /// Copy this program to these machines, and look for devices there.
    CopyTo(Vec<String>),
    /// Work for the file thread.
    Files(FileJob),
    /// Speak this language in the whole process.
    Speak(Language),
    /// Look after the filters of a folder.
    OpenFilters(PathBuf),
    /// Close the window.
    Quit,
    /// Fill the screen, or become a window again.
    FullScreen,
}

/// Work for the file thread.
#[derive(Clone, Debug)]
pub enum FileJob {
    /// Ask for a picture file. The dialog is made on the window's own thread and awaited on the other.
    AskOpen,
    /// Load this file.
    Open(PathBuf),
    /// Load this file, which is large and was asked about.
    OpenLarge(PathBuf, Large),
    /// Load this sample.
    Sample(String),
    /// Load this sample, enlarged until it has about as many pixels as a photo.
    Enlarged(String),
    /// Make the test picture in this width and height.
    Generate([usize; 2]),
    /// Look into the clipboard.
    Paste,
    /// Convert what the window system pasted.
    Convert(Arc<egui::ColorImage>),
    /// Ask where to write this export, suggesting a file name.
    AskSave(Export, String),
    /// Ask for the files of students.
    AskClass,
    /// Ask for a folder with a filter.
    AskFilter,
    /// Ask for a kernel file to write a project from.
    AskNewProject,
    /// Ask for a file with what comparisons with baselines came to.
    AskGateHistory,
    /// Write a project from this file into a folder beside it.
    NewProject(PathBuf),
    /// Make the page of a class, with the titles of these lessons: beside the first file, or into that folder.
    ClassPage {
        /// The files of students.
        paths: Vec<PathBuf>,
        /// The folder that exports are written into.
        folder: Option<PathBuf>,
        /// All lessons.
        shelf: Box<Shelf>,
    },
    /// Keep the history.
    History(HistoryJob),
    /// Keep predictions.
    Predictions(LinesJob<PredictionRecord>),
    /// Keep what searches found.
    Tunings(LinesJob<Tuning>),
    /// Keep what studies answered.
    Answers(LinesJob<Answer>),
    /// Keep what the person agreed to run.
    Agreed(LinesJob<Agreed>),
    /// Lessons in the person's folder.
    Lessons(LessonsJob),
    /// Write this. Where the person has confirmed the name, a file of that name gives way; else another name is found.
    Save {
        /// The file.
        path: PathBuf,
        /// The person chose this very name.
        is_confirmed: bool,
        /// What.
        writing: Box<Writing>,
    },
}

/// What is to be written, by shared memory: nothing picture-sized is copied for it.
#[derive(Clone, Debug)]
pub enum Writing {
    /// A picture.
    Picture(Arc<pictures::Picture>),
    /// Original, the channels that it was computed in, and output, which may have others.
    SideBySide(PictureRef, model::Channels, Arc<pictures::Picture>),
    /// Text as it is.
    Text(Arc<str>),
    /// What a study has to tell, in the form that the file's ending names.
    Story(Box<Story>),
    /// Records as comma-separated values.
    Csv(Vec<Record>),
    /// Records as JSON.
    Json(Vec<Record>),
    /// A bundle of what a session measured, or its page.
    Bundle(Export, Box<study::bundle::Session>),
    /// A file for the teacher.
    ForTeacher(Box<super::for_teacher::ForTeacher>),
    /// A lesson as a page.
    Handout(Box<super::handout::Handout>),
    /// Predictions, as this export wants them.
    Predictions(Export, Vec<PredictionRecord>),
    /// The timing panel's rows, as the panel shows them.
    Plot(Form, Vec<view::plot::Entry<'static>>, view::plot::Options),
    /// The access picture, as the panel shows it.
    Access(Form, Box<Asked>),
    /// The roofline panel's chart.
    Roofline(Form, view::plot::Heading, view::plot::Roofline),
    /// The map of local work sizes.
    LocalSizes(Form, view::plot::Heading, view::plot::HeatMap),
    /// The timeline panel's figure.
    Timeline(Form, view::plot::Heading, view::plot::Timeline),
}

/// Whether both are one device with one driver; our own version may differ.
pub(super) fn is_same_machine(one: &Machine, other: &Machine) -> bool {
    (&one.device, &one.driver, &one.alias) == (&other.device, &other.driver, &other.alias)
}

/// Whether records of that machine are of this device.
pub(super) fn is_device(machine: &Machine, device: &DeviceInfo) -> bool {
    is_same_machine(machine, &device.machine())
}

impl State {
    /// A session that begins with `settings`.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let place = settings.cpu.map_or(Place::Device(0), Place::Cpu);
        Self {
            refused_filters: Vec::new(),
            without_picture: None,
            carried: BTreeMap::new(),
            scanned: Scanned::default(),
            section: Section::default(),
            start: Start::default(),
            settings,
            devices: None,
            place,
            picture: None,
            shown: None,
            pending: Vec::new(),
            is_unasked: false,
            history: History::default(),
            compared: Vec::new(),
            roofs: Vec::new(),
            studies: Studies::default(),
            own_project: OwnProject::default(),
            experiments: Experiments::default(),
            tunings: Tunings::default(),
            answers: Answers::default(),
            looks: Looks::default(),
            trials: Trials::default(),
            trust: Trust::default(),
            change: Change::default(),
            undo: Undo::default(),
            lesson: Lesson::default(),
            elsewhere: elsewhere::devices(),
            course: Course::default(),
            pixel: None,
            access: AccessSettings::default(),
            notices: Notices::default(),
            path_text: String::new(),
            is_help_open: false,
            front: None,
            ladder_request: None,
            roofs_request: None,
            revision: 0,
            retaken: Vec::new(),
            roofs_retaken: Vec::new(),
            next_id: 0,
            is_sample_asked: false,
            large_picture: None,
            cpu_asked: None,
        }
    }

    /// What is computed.
    #[must_use]
    pub fn choice(&self) -> &Choice {
        &self.settings.choice
    }

    /// All devices; none before the first scan.
    #[must_use]
    pub fn device_list(&self) -> &[DeviceInfo] {
        match &self.devices {
            Some(Ok(devices)) => devices,
            _ => &[],
        }
    }

    /// The device that computes, where one does.
    #[must_use]
    pub fn device(&self) -> Option<&DeviceInfo> {
        match self.place {
            Place::Device(index) => self.device_list().iter().find(|device| device.index == index),
            Place::Cpu(_) => None,
        }
    }

    /// The device that computes; the first one where a CPU competitor does.
    #[must_use]
    pub fn device_or_first(&self) -> Option<&DeviceInfo> {
        self.device().or(self.device_list().first())
    }

    /// What that machine can do at most, where it is known.
    #[must_use]
    pub fn roofs_of(&self, machine: &Machine) -> Option<&Arc<Roofs>> {
        self.roofs.iter().find(|roofs| is_same_machine(&roofs.machine, machine))
    }

    /// What a device can do at most, where it is known.
    #[must_use]
    pub fn device_roofs(&self, device: &DeviceInfo) -> Option<&Arc<Roofs>> {
        self.roofs.iter().find(|roofs| is_device(&roofs.machine, device))
    }

    /// How near a reading came to the roofs of its device: to those that are known now, else to those that were known when it was taken. `None` where neither
    /// are, for CPU competitors, and for what was not seen to be right.
    #[must_use]
    pub fn shares(&self, record: &Record) -> Option<Shares> {
        let measured = record.measured().filter(|measured| measured.is_right() && matches!(record.contender, Contender::Device { .. }))?;
        match self.roofs_of(&record.machine) {
            Some(roofs) => Shares::of(measured, roofs),
            None => measured.roofline,
        }
    }

    /// How near the transfers of a reading came to the bus, where that is known.
    #[must_use]
    pub fn bus(&self, record: &Record) -> Bus {
        self.roofs_of(&record.machine).map(|roofs| Bus::of(record, roofs)).unwrap_or_default()
    }

    /// Whether a picture is on its way.
    #[must_use]
    pub fn is_show_pending(&self) -> bool {
        self.pending.iter().any(|pending| matches!(pending.job, Job::Show(_)))
    }

    /// Whether a newer picture is on its way, or about to be asked for.
    #[must_use]
    pub fn is_picture_awaited(&self) -> bool {
        self.is_unasked || self.is_show_pending()
    }

    /// Whether nothing is on its way, nor about to be asked for once sliders and keys rest.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        self.pending.is_empty() && !self.is_unasked && !self.trials.is_typing()
    }

    /// What was asked of the worker by that number, while it is not over.
    #[must_use]
    pub fn pending_of(&self, id: u64) -> Option<&Pending> {
        self.pending.iter().find(|pending| pending.id == id)
    }

    /// The device that a task runs on; `None` for a CPU competitor.
    #[must_use]
    pub fn device_of(&self, task: &Task) -> Option<&DeviceInfo> {
        match task.target {
            Target::Device { index, .. } => self.device_list().iter().find(|device| device.index == index),
            Target::Cpu(_) => None,
        }
    }

    /// Channels, border mode and what the device can do, which decide with the variant what is allowed here.
    #[must_use]
    pub fn setting(&self) -> Setting {
        self.choice().setting().on(self.device().map_or(Abilities::ALL, DeviceInfo::abilities))
    }

    /// What the device of a task can do.
    #[must_use]
    pub fn abilities_of(&self, task: &Task) -> Abilities {
        self.device_of(task).map_or(Abilities::ALL, DeviceInfo::abilities)
    }

    /// The newest reading of what is shown: status bar, strip and chart show this one.
    #[must_use]
    pub fn shown_row(&self) -> Option<&Row> {
        self.history.newest_of(&self.shown.as_ref()?.task)
    }

    /// True where what is shown is not what is chosen: it waits for its successor, or the successor failed.
    #[must_use]
    pub fn is_old(&self) -> bool {
        let Some(shown) = &self.shown else { return false };
        self.is_unasked || self.task().is_some_and(|wanted| wanted != shown.task)
    }

    /// The ladder that is being climbed, with the step's index, where the filter has it.
    #[must_use]
    pub fn ladder(&self) -> Option<(&'static Ladder, usize)> {
        let place = self.settings.ladder.as_ref()?;
        let ladder = self.choice().filter().ladder(&place.name)?;
        Some((ladder, place.step.min(ladder.steps.len().saturating_sub(1))))
    }

    /// The step that is being shown, unless the variant, or the local work size that belongs to the step, was changed since.
    #[must_use]
    pub fn step(&self) -> Option<&'static Step> {
        let (ladder, index) = self.ladder()?;
        let choice = self.choice();
        ladder.steps.get(index).filter(|step| step.variant() == choice.variant && step.local_or(choice.local) == choice.local)
    }

    /// The local work size for steps without their own: the chosen one, unless the present step brought it.
    #[must_use]
    pub fn free_local(&self) -> LocalSize {
        let present = self.ladder().and_then(|(ladder, index)| ladder.steps.get(index));
        let is_brought = present.is_some_and(|step| step.local.map(LocalSize::Explicit) == Some(self.choice().local));
        if is_brought { LocalSize::Driver } else { self.choice().local }
    }

    /// What would be asked of the worker now; `None` without a picture or before devices are known.
    #[must_use]
    pub fn task(&self) -> Option<Task> {
        self.devices.as_ref()?;
        let choice = self.choice();
        let target = match self.place {
            Place::Device(index) => Target::Device { index, variant: choice.variant, local: choice.local, host_memory: choice.host_memory },
            Place::Cpu(engine) => Target::Cpu(engine),
        };
        self.task_on(target)
    }

    /// A step of a ladder over the picture, in the ladder's own channels and border mode; on the first device where a CPU competitor is chosen.
    pub(super) fn step_task(&self, ladder: &Ladder, step: &Step) -> Option<Task> {
        Some(study::step_task(ladder, step, &self.task_on_device()?, self.free_local()))
    }

    /// What is chosen, on the first device where a CPU competitor is chosen.
    pub(super) fn task_on_device(&self) -> Option<Task> {
        let index = match self.place {
            Place::Device(index) => index,
            Place::Cpu(_) => self.device_list().first()?.index,
        };
        let Choice { variant, local, host_memory, .. } = *self.choice();
        self.task_on(Target::Device { index, variant, local, host_memory })
    }

    /// A CPU competitor over what the ladder computes.
    pub(super) fn ladder_task(&self, ladder: &Ladder, engine: CpuEngine) -> Option<Task> {
        let mut task = self.task_on(Target::Cpu(engine))?;
        (task.spec.channels, task.spec.border) = (ladder.channels, ladder.border);
        Some(task)
    }

    /// How two tasks compared when they were last run in interleaved pairs, the second against the first.
    pub(super) fn compared(&self, first: &Task, second: &Task) -> Option<&Compared> {
        let is_asked = |((own_first, own_second), _): &&((Task, Task), Compared)| own_first == first && own_second == second;
        self.compared.iter().rev().find(is_asked).map(|(_, compared)| compared)
    }

    /// How two tasks compare, the second against the first: interleaved where they were, else by their newest readings. `None` where one of them was
    /// not measured.
    #[must_use]
    pub fn comparison(&self, first: &Task, second: &Task) -> Option<Comparison> {
        if let Some(compared) = self.compared(first, second) {
            return Some(compared.comparison);
        }
        let reading = |task: &Task| {
            let record = &self.history.newest_of(task)?.record;
            Some((record.kernel()?, record.is_busy()))
        };
        compare_readings(reading(first)?, reading(second)?)
    }

    /// Whether other programs ran while [`Self::comparison`] was measured.
    #[must_use]
    pub fn is_comparison_busy(&self, first: &Task, second: &Task) -> bool {
        let is_busy = |task: &Task| self.history.newest_of(task).is_some_and(|row| row.record.is_busy());
        self.compared(first, second).map_or_else(|| is_busy(first) || is_busy(second), |compared| compared.busy)
    }

    /// What the last change did to the time of what is chosen. `None` where one of the two is not measured, or where something else is computed now, or
    /// by another device.
    #[must_use]
    pub fn effect(&self) -> Option<Comparison> {
        let (before, now) = self.changed()?;
        self.comparison(before, &now)
    }

    /// What was chosen before the last change, and what is chosen now: the same picture and spec on the same device.
    #[must_use]
    pub fn changed(&self) -> Option<(&Task, Task)> {
        let (before, now) = (self.change.task.as_ref()?, self.task()?);
        let is_device = match (before.target, now.target) {
            (Target::Device { index: first, .. }, Target::Device { index: second, .. }) => first == second,
            _ => false,
        };
        let is_like = is_device && (&before.spec, &before.picture) == (&now.spec, &now.picture) && *before != now;
        is_like.then_some((before, now))
    }

    /// The chosen filter, parameters, channels and border over the picture, on another target.
    pub(super) fn task_on(&self, target: Target) -> Option<Task> {
        Some(Task { spec: self.choice().spec.clone(), picture: self.picture.as_ref()?.picture.clone(), target, text: KernelText::Composed })
    }
}
