//! What the window knows of lessons that somebody wrote, and what happens in them.

use crate::app::action::Action;
use crate::app::editing::Editing;
use crate::app::experiments::Testing;
use crate::app::lesson::{About, Open, Phase, Remember, Told};
use crate::app::nav::Section;
use crate::app::panes::Pane;
use crate::app::settings::Place;
use crate::app::source_panel::View;
use crate::app::state::{Effect, FileJob, State};
use crate::app::studies::Stand;
use base::texts::{language, text};
use base::trust::Origin;
use engine::device::{DeviceKind, SECTOR_BYTES, USUAL_SUB_GROUP};
use engine::{KernelText, Target, Task};
use kernels::filters::FilterIdExt;
use kernels::filters::SettingExt;
use kernels::filters::VariantExt;
use kernels::kernel_source;
use model::{CpuEngine, Setting, Variant};
use pictures::samples;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use study::lessons::{self, Against, Edition, Gap, Item, Lesson, Needs, Picture, Screen, Shelf, Show, StepOf};
use study::why::Facts;
use study::{AUTOTUNE, Autotuned, Expected, Probe};
use view::plot::units;

/// More pixels keep a processor busy for too long, of the slowest filters' first steps.
const MOST_PROCESSOR_PX: usize = 1_500_000;

/// Fewer pixels are filtered by a GPU in less time than a kernel takes to start: then variants do not differ, whatever they do.
const LEAST_GPU_PX: usize = 1 << 20;

/// What a GPU gets where nothing that suits it is open.
const GPU_PX: [usize; 2] = [2048, 2048];

/// The lessons there are, and what waits.
#[derive(Debug, Default)]
pub struct Course {
    /// All lessons.
    pub shelf: Shelf,
    /// The person's folder, once it was read.
    pub folder: Option<PathBuf>,
    /// What is done once its picture is there.
    awaited: Option<Awaited>,
    /// What a task compared unasked last: where that came to nothing, it is not begun again by itself.
    compared_unasked: Option<(Task, Task)>,
    /// The picture that is being loaded for it: loaded twice, the second would take away what was begun over the first.
    pub(in crate::app) loading: Option<Picture>,
}

#[derive(Debug)]
enum Awaited {
    Enter,
    Test(Option<Expected>),
}

/// What of lessons outlives the window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CourseSettings {
    /// The lesson that is open, by name.
    pub open: Option<String>,
    /// How far each one is, by name.
    pub progress: BTreeMap<String, Progress>,
    /// Large enough for a projector.
    pub is_large: bool,
    /// A teacher sits here: notes can be shown.
    pub is_teacher: bool,
}

/// How far a lesson is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Progress {
    /// The screen that is shown, from 0.
    pub screen: usize,
    /// The last screen that was seen.
    pub furthest: usize,
    /// What was answered, by screen.
    pub given: BTreeMap<usize, Given>,
}

impl Progress {
    /// Whether the card at the end is shown, of so many screens.
    #[must_use]
    pub const fn is_over(&self, count: usize) -> bool {
        self.screen >= count
    }
}

/// What was answered on a screen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Given {
    /// This answer of several, from 0.
    Choice(usize),
    /// This number.
    Number(f64),
    /// What the task begins with was shown: from here on counts what is chosen.
    Begun,
    /// The task was done.
    Done,
    /// It was skipped.
    Skipped,
}

/// What a person does in lessons.
#[derive(Clone, Debug, PartialEq)]
pub enum CourseAction {
    /// Opens the lesson of that name where it was left.
    Open(String),
    /// Back to the list.
    Leave,
    /// To this screen, from 0; behind the last one there is the lesson's card.
    Go(usize),
    /// Asks for the prediction again.
    Predict,
    /// Forgets how far all lessons are, and what was predicted: somebody else sits down.
    NewStudent,
    /// Types and controls large enough for a projector, or as usual.
    Present(bool),
    /// Whether a teacher sits here.
    Teach(bool),
    /// Runs the screen's experiment, with what the person expects of it.
    Test(Option<Expected>),
    /// Measures what the screen compares.
    Measure,
    /// Measures it once more, for longer.
    MeasureAgain,
    /// Answers.
    Give(Given),
    /// Takes the answer back.
    Again,
    /// Opens the kernel without the task's gap in the editor. What was typed there stays, behind it.
    InsertSolution,
    /// Reads the person's folder again.
    Reload,
    /// Writes the example into the person's folder.
    WriteExample,
    /// Writes the way that the last search found into the person's folder as a lesson, and opens it.
    WriteWay,
}

/// Work for the file thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LessonsJob {
    /// Read the folder.
    Read,
    /// Write the example there, then read.
    WriteExample,
    /// Write a lesson under a name like this, then read and open it.
    Write {
        /// The file's name, without extension.
        name: String,
        /// Its text.
        text: String,
    },
}

impl LessonsJob {
    /// Does it, over the person's folder.
    #[must_use]
    pub fn run(&self, folder: &Path) -> Action {
        let written = match self {
            Self::Read => Ok(None),
            Self::WriteExample => lessons::write_example(folder).map(|_| None),
            Self::Write { name, text } => lessons::write_new(folder, name, text).map(Some),
        };
        match written.and_then(|written| Ok((written, lessons::read_folder(folder)?))) {
            Ok((written, editions)) => Action::LessonsRead { folder: folder.to_owned(), editions, written },
            Err(error) => Action::Failed(error),
        }
    }
}

/// Where in which lesson.
#[derive(Clone, Debug)]
pub struct Here<'a> {
    /// The lesson's name.
    pub name: &'a str,
    /// The lesson in the language that is spoken now.
    pub lesson: Arc<Lesson>,
    /// The screen, from 0.
    pub index: usize,
    /// The last screen was left: the lesson's card is shown.
    pub is_over: bool,
    /// It is no file of the person's folder.
    pub is_built_in: bool,
}

impl Here<'_> {
    /// The screen.
    #[must_use]
    pub fn screen(&self) -> Option<&Screen> {
        self.lesson.screens.get(self.index)
    }
}

impl State {
    /// The lesson that is open, where it is there.
    #[must_use]
    pub fn here(&self) -> Option<Here<'_>> {
        let name = self.settings.course.open.as_deref()?;
        let (lesson, is_built_in) = if let Some(ladder) = lessons::ladder_of(name) {
            (Arc::clone(lessons::of_ladder(ladder)?), true)
        } else {
            let edition = self.course.shelf.edition(name, language())?;
            (Arc::clone(edition.lesson.as_ref()?), edition.path.is_none())
        };
        let screen = self.progress(name).map_or(0, |progress| progress.screen);
        let count = lesson.screens.len();
        let index = screen.min(count.saturating_sub(1));
        Some(Here { name, lesson, index, is_over: screen >= count, is_built_in })
    }

    /// How far a lesson is; `None` where it was never opened.
    #[must_use]
    pub fn progress(&self, name: &str) -> Option<&Progress> {
        self.settings.course.progress.get(name)
    }

    /// What was answered on the screen that is shown.
    #[must_use]
    pub fn given(&self) -> Option<Given> {
        let here = self.here()?;
        self.progress(here.name)?.given.get(&here.index).copied()
    }

    /// Takes what the person's folder holds, and opens the lesson that was just written there.
    pub(in crate::app) fn take_lessons(&mut self, folder: PathBuf, editions: Vec<Edition>, written: Option<String>) -> Vec<Effect> {
        self.course.folder = Some(folder);
        self.course.shelf.take(editions);
        let Some(name) = written else { return Vec::new() };
        // A file of that name that is gone was another lesson.
        self.settings.course.progress.remove(&name);
        self.lesson.told.retain(|told| told.predicted.ladder != name);
        self.act_in_course(CourseAction::Open(name))
    }

    /// The way that the last search found, as a lesson, where it has one.
    fn way(&self) -> Option<LessonsJob> {
        let studied = self.studied(AUTOTUNE).filter(|studied| studied.stand == Stand::Done)?;
        let (like, device) = (&studied.task, self.device_of(&studied.task)?);
        let tuned = Autotuned::of(&studied.findings);
        let path = tuned.path(like.filter(), like.setting().on(device.abilities()), &studied.findings);
        let name = format!("fastest-{}-{}", like.filter().name(), like.spec.channels.name());
        Some(LessonsJob::Write { name, text: lessons::of_way(like, Needs::of(device), &path, tuned.best?)? })
    }

    /// Acts on what a person does in lessons.
    pub(in crate::app) fn act_in_course(&mut self, action: CourseAction) -> Vec<Effect> {
        match action {
            CourseAction::Open(name) => {
                // Another lesson may be open, with a question that is its own.
                self.leave_screen();
                let progress = self.settings.course.progress.entry(name.clone()).or_default();
                // Who opens a lesson that is over takes it once more, from its first screen.
                let is_over = progress.screen > progress.furthest;
                progress.screen = if is_over { 0 } else { progress.screen };
                self.settings.course.open = Some(name);
                self.section = Section::Course;
                return self.enter_screen();
            }
            CourseAction::Leave => {
                self.settings.course.open = None;
                self.leave_screen();
            }
            CourseAction::Go(index) => {
                self.note_answer();
                self.leave_screen();
                let index = self.next_for_this_device(index);
                self.change_progress(|progress, count| {
                    progress.screen = index.min(count);
                    progress.furthest = progress.furthest.max(progress.screen.min(count.saturating_sub(1)));
                });
                return self.enter_screen();
            }
            CourseAction::Predict => {
                let told = self.here().and_then(|here| Some(here.screen()?.place_in(here.name, here.index)));
                if let Some((name, screen)) = told {
                    self.lesson.told.retain(|told| (told.predicted.ladder.as_str(), told.predicted.step) != (name.as_str(), screen));
                }
                self.change_given(None);
                return self.enter_screen();
            }
            CourseAction::NewStudent => {
                self.settings.course.progress.clear();
                self.settings.course.open = None;
                (self.lesson.told, self.lesson.open) = (Vec::new(), None);
                self.lesson.contrasts.clear();
                return self.remember(Remember::Forget);
            }
            CourseAction::Teach(is_teacher) => self.settings.course.is_teacher = is_teacher,
            CourseAction::Present(is_large) => self.settings.course.is_large = is_large,
            CourseAction::Test(expected) => return self.test_screen(expected),
            CourseAction::Measure => return self.measure_screen(),
            CourseAction::MeasureAgain => return self.measure_task_again(),
            CourseAction::Give(given) => self.change_given(Some(given)),
            CourseAction::Again => {
                self.leave_screen();
                self.change_given(None);
                // What was typed into a gap was the answer.
                let mut effects = if self.has_gap() { self.edit(Editing::Revert) } else { Vec::new() };
                effects.extend(self.enter_screen());
                return effects;
            }
            CourseAction::InsertSolution => return self.insert_solution(),
            CourseAction::Reload => return vec![Effect::Files(FileJob::Lessons(LessonsJob::Read))],
            CourseAction::WriteExample => return vec![Effect::Files(FileJob::Lessons(LessonsJob::WriteExample))],
            CourseAction::WriteWay => return self.way().map(|job| Effect::Files(FileJob::Lessons(job))).into_iter().collect(),
        }
        Vec::new()
    }

    /// Changes how far the open lesson is; the closure also gets how many screens it has.
    fn change_progress(&mut self, change: impl FnOnce(&mut Progress, usize)) {
        let Some(here) = self.here() else { return };
        let (name, count) = (here.name.to_owned(), here.lesson.screens.len());
        change(self.settings.course.progress.entry(name).or_default(), count);
    }

    fn change_given(&mut self, given: Option<Given>) {
        let Some(index) = self.here().map(|here| here.index) else { return };
        self.change_progress(|progress, _| {
            match given {
                Some(given) => progress.given.insert(index, given),
                None => progress.given.remove(&index),
            };
        });
    }

    fn has_gap(&self) -> bool {
        self.here().is_some_and(|here| here.screen().is_some_and(|screen| screen.gap().is_some()))
    }

    /// Closes the question of a screen that is left, unless it is being measured.
    fn leave_screen(&mut self) {
        self.course.awaited = None;
        if self.lesson.open.as_ref().is_some_and(|open| !matches!(open.phase, Phase::Running(_))) {
            self.lesson.open = None;
        }
    }

    /// Whether the picture is open that a screen wants.
    #[must_use]
    pub fn has_picture(&self, show: &Show) -> bool {
        let Some(opened) = &self.picture else { return false };
        let is_ours = |name: &str| !opened.is_own() && opened.name == name;
        match show.picture {
            // The person's own is as it is. Of ours, a large one would keep a processor busy for every step, and a small one is over on a GPU before it began.
            None => {
                let (width, height) = opened.picture.size();
                opened.is_own() || if self.is_on_processor() { width * height <= MOST_PROCESSOR_PX } else { width * height >= LEAST_GPU_PX }
            }
            Some(Picture::Sample(file)) => is_ours(Path::new(file).file_stem().and_then(|stem| stem.to_str()).unwrap_or(file)),
            Some(Picture::Generated([width, height])) => is_ours("generated") && opened.picture.size() == (width, height),
        }
    }

    fn is_on_processor(&self) -> bool {
        self.device_or_first().is_none_or(|device| device.kind == DeviceKind::Cpu)
    }

    /// A side of what a screen shows, as a task.
    fn side_task(&self, show: &Show, side: Against) -> Option<Task> {
        let index = match self.place {
            Place::Device(index) => index,
            Place::Cpu(_) => self.device_list().first().map_or(0, |device| device.index),
        };
        let target = Target::Device { index, variant: side.variant, local: side.local, host_memory: side.memory };
        Some(Task { spec: show.spec.clone(), picture: self.picture.as_ref()?.picture.clone(), target, text: KernelText::Composed })
    }

    /// What a screen shows.
    #[must_use]
    pub fn shown_task(&self, show: &Show) -> Option<Task> {
        self.side_task(show, show.side())
    }

    /// What a screen compares it with.
    #[must_use]
    pub fn against_task(&self, show: &Show) -> Option<Task> {
        show.against.and_then(|against| self.side_task(show, against))
    }

    /// What a screen compares: the tasks that its facts named `before` and `after` are of. A task is about what is chosen now.
    #[must_use]
    pub fn screen_pair(&self, screen: &Screen) -> Option<(Task, Task)> {
        let show = screen.show.as_ref().filter(|show| self.has_picture(show))?;
        let shown = self.shown_task(show)?;
        if screen.task().is_some() {
            let now = self.task().filter(|now| now.spec == shown.spec && matches!(now.target, Target::Device { .. }));
            return Some((shown, now?));
        }
        Some((self.against_task(show).unwrap_or_else(|| shown.clone()), shown))
    }

    /// Why what a screen shows cannot run here; `None` where it can.
    #[must_use]
    pub fn why_not_shown(&self, show: &Show) -> Option<String> {
        let Some(device) = self.device().or(self.device_list().first()) else {
            return Some(text("window.why-not.needs-device").to_owned());
        };
        let setting = Setting::of(&show.spec).on(device.abilities());
        let mut variants = std::iter::once(show.variant).chain(show.against.map(|against| against.variant));
        let objection = |variant: Variant| variant.check(show.spec.filter.filter(), setting).err().map(|error| error.why);
        variants.find_map(objection)
    }

    /// All that is known of what a screen shows.
    #[must_use]
    pub fn screen_facts(&self, lesson: &Lesson, screen: &Screen) -> Facts {
        let Some((before, after)) = self.screen_pair(screen) else {
            let mut facts = Facts::default();
            if let Some(device) = self.device() {
                facts.add_device(device);
            }
            return facts;
        };
        let now = self.facts_of(lesson, &before, &after);
        let Some(goal) = screen.task().filter(|goal| goal.gap.is_none() && self.given() == Some(Given::Done) && !goal.is_reached(&now))
        else {
            return now;
        };
        // Something else is chosen since the task was reached: what the screen says then is about what it was reached with.
        let mut tried = self
            .compared
            .iter()
            .rev()
            .filter(|(pair, _)| pair.0 == before)
            .map(|((before, after), _)| self.facts_of(lesson, before, after));
        tried.find(|facts| goal.is_reached(facts)).unwrap_or(now)
    }

    fn facts_of(&self, lesson: &Lesson, before: &Task, after: &Task) -> Facts {
        let mut facts = Facts::default();
        if let Some(device) = self.device_of(after) {
            facts.add_device(device);
        }
        if lesson.device == Needs::Gpu || facts.get("sub_group").is_some() {
            // As the lessons' texts count, whatever the device here has.
            facts.set("sub_group", USUAL_SUB_GROUP as f64);
            facts.set("segment_size", SECTOR_BYTES as f64);
        }
        let records = [before, after].map(|task| self.history.newest_of(task).map(|row| &row.record));
        facts.add_pair([before, after], records, self.compared(before, after));
        self.add_edited(&mut facts, before);
        let rival = Task { target: Target::Cpu(CpuEngine::Threads), ..after.clone() };
        let rival = self.history.newest_of(&rival).and_then(|row| row.record.measured());
        facts.set("cpu_ns", rival.map(|measured| measured.round_trip.total.median_ns));
        facts
    }

    /// The first screen from `index` on, in the direction in which the person walks, that is about a device like this one.
    fn next_for_this_device(&self, index: usize) -> usize {
        let (Some(here), Some(device)) = (self.here(), self.device()) else { return index };
        let suits = |index: &usize| here.lesson.screens.get(*index).is_none_or(|screen| screen.device.is_met_by(device));
        let now = if here.is_over { here.lesson.screens.len() } else { here.index };
        if index >= now {
            (index..=here.lesson.screens.len()).find(suits).unwrap_or(index)
        } else {
            (0..=index).rev().find(suits).unwrap_or(index)
        }
    }

    /// Shows what the screen has to show, once its picture is there, and asks what it asks: nothing of it waits for a press. Before a prediction it is what
    /// the screen's variant is compared with that is shown.
    pub(in crate::app) fn enter_screen(&mut self) -> Vec<Effect> {
        let here = self.here();
        let Some((lesson, index, screen)) = here
            .as_ref()
            .filter(|here| !here.is_over && self.section == Section::Course)
            .and_then(|here| Some((here.name.to_owned(), here.index, here.screen()?.clone())))
        else {
            return Vec::new();
        };
        let Some(show) = &screen.show else { return Vec::new() };
        if self.devices.is_none() || self.picture.is_none() || self.why_not_shown(show).is_some() {
            return Vec::new();
        }
        if !self.has_picture(show) {
            return self.load_for(show, Awaited::Enter);
        }
        let is_seen = self.told_here().is_some();
        let asks = matches!(screen.item, Some(Item::Predict)) && !is_seen && self.given().is_none();
        if screen.task().is_some() && self.given().is_none() {
            self.change_given(Some(Given::Begun));
        }
        let mut effects = if let Some(step) = screen.step {
            self.show_step(step, asks)
        } else {
            let task = if asks { self.against_task(show) } else { self.shown_task(show) };
            task.map_or_else(Vec::new, |task| self.choose(&Action::ShowTask(Box::new(task))))
        };
        effects.extend(self.begin_exercise(show));
        if asks {
            match screen.step {
                Some(step) => drop(self.ask(step.ladder, step.step)),
                None => self.predict(lesson, index, show),
            }
        }
        effects.extend(self.measure_for_number(&screen));
        effects
    }

    /// Shows a step of a ladder, or, before it is asked about, the one that it is compared with.
    fn show_step(&mut self, StepOf { ladder, step }: StepOf, is_before: bool) -> Vec<Effect> {
        let mut effects = Vec::new();
        if self.choice().spec.filter != ladder.filter {
            let filter = ladder.filter.filter();
            self.settings.choice.spec = filter.spec(ladder.channels, ladder.border);
        }
        let shown = if is_before { self.base_of(ladder, step).unwrap_or(step) } else { step };
        effects.extend(self.choose(&Action::SetStep(ladder.name, shown)));
        effects
    }

    /// A number that comes of a run is measured unasked: whoever is asked for it cannot wait for a button.
    fn measure_for_number(&mut self, screen: &Screen) -> Vec<Effect> {
        let Some(Item::Number(number)) = &screen.item else { return Vec::new() };
        let lesson = self.here().map(|here| here.lesson);
        let is_known = lesson.is_none_or(|lesson| number.is.value(&self.screen_facts(&lesson, screen)).is_some());
        if is_known { Vec::new() } else { self.measure_screen() }
    }

    /// What was seen of the screen's prediction in this session.
    #[must_use]
    pub fn told_here(&self) -> Option<&Told> {
        let here = self.here()?;
        self.lesson.told_at(here.name, here.index, here.screen()?)
    }

    /// A prediction that was seen is done where there was a guess, and else skipped: that outlives the session.
    fn note_answer(&mut self) {
        let is_asked = self.here().is_some_and(|here| here.screen().is_some_and(|screen| matches!(screen.item, Some(Item::Predict))));
        let Some(told) = self.told_here().filter(|_| is_asked) else { return };
        let given = if told.is_answered() { Given::Done } else { Given::Skipped };
        self.change_given(Some(given));
    }

    /// The gap of the screen's task, and the kernel that it is cut out of.
    fn exercise(&self, show: &Show) -> Option<(Gap, Arc<str>)> {
        let here = self.here()?;
        let gap = here.screen()?.gap()?;
        let setting = Setting::of(&show.spec).on(self.device()?.abilities());
        let own = kernel_source::compose(show.spec.filter.filter(), &show.variant, setting, &show.spec.parameters).ok()?;
        Some((gap.clone(), own))
    }

    /// Opens the kernel of what is shown in the editor, with the gap that the screen's task has. What was typed there before stays.
    fn begin_exercise(&mut self, show: &Show) -> Vec<Effect> {
        let Some(kernel) = self.exercise(show).and_then(|(gap, own)| gap.cut(&own)) else { return Vec::new() };
        self.settings.source.view = View::Edit;
        self.bring_in_front(Pane::Source);
        // A lesson that is not built in is a stranger's, with all that is written in it.
        let is_built_in = self.here().is_some_and(|here| here.is_built_in);
        let origin = match &self.course.folder {
            Some(folder) if !is_built_in => Origin::folder(folder),
            _ => Origin::Here,
        };
        if self.draft().is_some() { Vec::new() } else { self.open_kernel(kernel.into(), origin) }
    }

    /// The gap of the screen's task once more, where the text with it was given up; nothing elsewhere.
    pub(in crate::app) fn begin_exercise_again(&mut self) -> Vec<Effect> {
        let show = self.here().filter(|here| self.section == Section::Course && !here.is_over).and_then(|here| here.screen()?.show.clone());
        if self.has_gap() && self.given() == Some(Given::Skipped) {
            self.change_given(Some(Given::Begun));
        }
        show.map_or_else(Vec::new, |show| self.begin_exercise(&show))
    }

    /// The variant's own kernel in the editor: it is the program's, whoever wrote the lesson.
    fn insert_solution(&mut self) -> Vec<Effect> {
        let show = self.here().and_then(|here| here.screen()?.show.clone());
        let Some((_, own)) = show.and_then(|show| self.exercise(&show)) else { return Vec::new() };
        // Whoever looks it up has not solved it.
        self.change_given(Some(Given::Skipped));
        self.open_kernel(own, Origin::Here)
    }

    /// What to say of a task's gap that is not filled yet: a key of the texts.
    pub(super) fn not_yet(&self, gap: &Gap) -> &'static str {
        let is_untouched = self.draft().is_none_or(|draft| draft.contains(&gap.leave));
        let edited = self.edited_task();
        let Some(tried) = edited.as_ref().and_then(|edited| self.trials.of(edited)).filter(|_| !is_untouched) else {
            return "course.not-yet";
        };
        match tried.verification {
            None if tried.fault.is_some() => "course.not-running",
            Some(verification) if !verification.is_right() => "course.not-right",
            _ => "course.not-yet",
        }
    }

    /// Facts of a kernel that is edited in the place of the shown variant's own.
    pub(super) fn add_edited(&self, facts: &mut Facts, shown: &Task) {
        let Some(edited) = self.edited_task().filter(|edited| edited.spec == shown.spec && edited.target == shown.target) else { return };
        let Some(tried) = self.trials.of(&edited) else { return };
        // What does not even run has no output.
        facts.set("edited_right", tried.verification.map(|verification| f64::from(u8::from(verification.is_right()))));
        let Some(compared) = &tried.compared else { return };
        facts.set("edited_speed_up", compared.comparison.ratio);
        facts.set("edited_least_speed_up", compared.comparison.low);
        facts.set("edited_share", self.edited_roof(&edited, compared).map(|(rate, roof)| rate / roof));
    }

    fn load_for(&mut self, show: &Show, awaited: Awaited) -> Vec<Effect> {
        self.course.awaited = Some(awaited);
        let usual = || {
            let sample = samples().first().filter(|_| self.is_on_processor());
            Some(sample.map_or(Picture::Generated(GPU_PX), |sample| Picture::Sample(sample.name)))
        };
        let picture = show.picture.or_else(usual).filter(|picture| self.course.loading != Some(*picture));
        self.course.loading = picture.or(self.course.loading);
        picture.map_or_else(Vec::new, |picture| {
            vec![Effect::Files(match picture {
                Picture::Sample(name) => FileJob::Sample(name.to_owned()),
                Picture::Generated(size) => FileJob::Generate(size),
            })]
        })
    }

    /// What waited for the picture that was loaded; `None` where nothing did.
    pub(in crate::app) fn resume_lesson(&mut self) -> Option<Vec<Effect>> {
        self.course.loading = None;
        Some(match self.course.awaited.take()? {
            Awaited::Enter => self.enter_screen(),
            Awaited::Test(expected) => self.test_screen(expected),
        })
    }

    /// Asks how the two variants of the screen compare.
    fn predict(&mut self, lesson: String, screen: usize, show: &Show) {
        if let Some(pair) = self.against_task(show).zip(self.shown_task(show)) {
            self.lesson.open = Some(Open::new(About::Screen { lesson, screen }, pair, self.setting().abilities, self.settings.asks_class));
        }
    }

    /// Runs the experiment of the screen, over its picture.
    fn test_screen(&mut self, expected: Option<Expected>) -> Vec<Effect> {
        let here = self.here();
        let Some((screen, show)) = here.as_ref().and_then(|here| here.screen()).and_then(|screen| Some((screen, screen.show.as_ref()?)))
        else {
            return Vec::new();
        };
        let Some(Item::Experiment(rule)) = &screen.item else { return Vec::new() };
        if self.why_not_shown(show).is_some() {
            return Vec::new();
        }
        let (rule, show) = (rule.clone(), show.clone());
        if !self.has_picture(&show) {
            return self.load_for(&show, Awaited::Test(expected));
        }
        let Some(pair) = self.against_task(&show).zip(self.shown_task(&show)) else { return Vec::new() };
        let mut effects = self.choose(&Action::ShowTask(Box::new(pair.1.clone())));
        effects.extend(self.test_reason(&pair, &rule, Testing::Run(expected)));
        effects
    }

    /// A task that asks for a ratio gets it without a press: what was just switched is interleaved with what the task begins with.
    ///
    /// `is_new`: something else is shown now. Else a job ended that stood in the way.
    pub(in crate::app) fn measure_task_unasked(&mut self, is_new: bool) -> Vec<Effect> {
        let Some(here) = self.here().filter(|here| self.section == Section::Course && !here.is_over) else { return Vec::new() };
        let Some(screen) = here.screen().filter(|_| self.pending.is_empty()) else { return Vec::new() };
        let Some(goal) = screen.task().filter(|goal| goal.gap.is_none()) else { return Vec::new() };
        let Some((before, after)) = self.screen_pair(screen).filter(|(before, after)| before != after) else { return Vec::new() };
        let facts = self.screen_facts(&here.lesson, screen);
        let is_open = goal.when.iter().any(|condition| condition.holds(&facts).is_none());
        let pair = (before, after);
        let is_tried = !is_new && self.course.compared_unasked.as_ref() == Some(&pair);
        if !is_open || is_tried || self.compared(&pair.0, &pair.1).is_some() {
            return Vec::new();
        }
        self.course.compared_unasked = Some(pair.clone());
        let (before, after) = pair;
        self.bench(text("lessons.measuring"), vec![Probe::Compare(before, after)])
    }

    /// What is compared for a task: its edited kernel where it has a gap, else what is chosen now.
    #[must_use]
    pub fn goal_comparison(&self, is_edited: bool) -> Option<String> {
        if is_edited {
            let compared = self.trials.of(&self.edited_task()?)?.compared.as_ref()?;
            return Some(units::with_note(&units::comparison(&compared.comparison), compared.busy));
        }
        let (before, after) = self.here().and_then(|here| self.screen_pair(here.screen()?))?;
        let comparison = self.comparison(&before, &after)?;
        Some(units::with_note(&units::comparison(&comparison), self.is_comparison_busy(&before, &after)))
    }

    fn measure_task_again(&mut self) -> Vec<Effect> {
        if self.has_gap() {
            return self.edit(Editing::TryAgain);
        }
        let pair = self.here().and_then(|here| self.screen_pair(here.screen()?));
        pair.map_or_else(Vec::new, |pair| self.compare_again(pair))
    }

    /// Measures both sides of what the screen compares, and interleaved where they differ.
    fn measure_screen(&mut self) -> Vec<Effect> {
        let Some((before, after)) = self.here().and_then(|here| self.screen_pair(here.screen()?)) else { return Vec::new() };
        let is_one = before == after;
        let mut probes = vec![Probe::Measure(after.clone())];
        if !is_one {
            probes = vec![Probe::Measure(before.clone()), Probe::Measure(after.clone()), Probe::Compare(before, after.clone())];
        }
        let rival = Task { target: Target::Cpu(CpuEngine::Threads), ..after };
        if self.history.newest_of(&rival).is_none() {
            probes.push(Probe::Measure(rival));
        }
        self.bench(text("lessons.measuring"), probes)
    }
}
