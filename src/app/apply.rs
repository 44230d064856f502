//! The only place where state changes: actions in, effects out. Nothing here waits, computes or touches files.

use super::access_panel::asked;
use super::action::{Action, Command, Export};
use super::history_file::HistoryJob;
use super::lessons_panel::{CourseAction, LessonsJob};
use super::nav::Section;
use super::notice::{Notice, Severity, Topic};
use super::panes::Pane;
use super::settings::Place;
use super::source_panel::View;
use super::state::{Effect, FileJob, Job, Opened, Pending, Shown, State, Writing};
use super::studies::Studied;
use super::timeline_panel::timeline_of;
use super::undo::Dragged;
use crate::runner::{Bench, Show};
use base::error::Error;
use base::texts::{failed, joined, text};
use engine::{PictureRef, Target, Task};
use kernels::filters::Filter;
use kernels::filters::FilterIdExt;
use model::{Budget, Channels, Record, Spec, Variant};
use pictures::{Large, samples};
use std::path::{Path, PathBuf};
use study::bundle::Session;
use study::{Kind, Probe, Sequence, ladder_probes};
use view::plot::units;
use view::story::Story;

/// Sampling after every change: enough for a median, short enough to keep up with a person who clicks.
const SHORT: Budget = Budget {
    warmup_runs: 3,
    warmup_ns: 25_000_000,
    sample_ns: 150_000_000,
    min_samples: 5,
    max_samples: 200,
    warm_cache: false,
    starts: 1,
};

/// Side of the generated test picture.
const GENERATED_PX: usize = 2048;

impl State {
    /// Acts on `action` and says what is to be done outside.
    #[must_use = "the effects are still to be carried out"]
    pub fn apply(&mut self, action: Action) -> Vec<Effect> {
        self.revision += 1;
        let (before, dragged) = (self.chosen_before(&action), Dragged::of(&action));
        let mut effects = self.act(action);
        effects.extend(self.follow_project());
        self.note_step(before, dragged);
        effects
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Run(command) => return self.run(command),
            Action::OpenPath(path) => return files(FileJob::Open(path)),
            Action::OpenSample(name) => return files(FileJob::Sample(name)),
            Action::PasteImage(image) => return files(FileJob::Convert(image)),
            Action::PictureLoaded { name, path, picture, notes } => {
                return self.take_picture(Opened { name, path, picture: PictureRef::new(picture) }, &notes);
            }
            Action::OpenFilters(folder) => return self.open_folder(folder),
            Action::FilterRead(filter, is_wanted) => return self.take_filter(filter, is_wanted),
            Action::FilterRefused(name, error) => self.refuse_filter(name, error),
            Action::Project(action) => return self.act_on_project(action),
            Action::Answers(action) => return self.act_on_answers(action),
            Action::ClassChosen(paths) => return self.make_class_page(paths),
            Action::ExportTo(export, path) => return self.export(export, path, true),
            Action::Runner(update) => return self.absorb(*update),
            Action::Render => return self.render(),
            Action::Retake => return self.retake(),
            Action::SetFilter(_)
            | Action::SetParameter(..)
            | Action::SetBorder(_)
            | Action::SetChannels(_)
            | Action::SetStage(..)
            | Action::SetVariant(_)
            | Action::SetLocal(_)
            | Action::SetHostMemory(_)
            | Action::SetPlace(_)
            | Action::SetStep(..)
            | Action::ShowTask(_)
            | Action::BringBack(_) => return self.choose(&action),
            Action::StartLadder(ladder) => return self.act_in_course(CourseAction::Open(study::lessons::name_of(ladder))),
            Action::SetSearch(search) => self.studies.search = search,
            Action::SetSearchLimit(limit) => self.studies.limit = limit,
            Action::EditPath(text) => self.path_text = text,
            Action::EditExportPath(text) => self.settings.export_folder = text,
            Action::EditTeacherAlias(text) => self.settings.teacher_alias = text,
            Action::EditHosts(text) => self.settings.hosts = text,
            Action::Failed(error) => {
                self.course.loading = None;
                self.notices.error(Topic::Files, error, Vec::new());
                return self.ask_for_sample();
            }
            Action::PictureIsLarge(path, size) => return self.ask_about_large(path, size),
            Action::Exported(path, notes) => self.tell_exported(&path, notes),
            Action::LeaveLadder => self.settings.ladder = None,
            Action::NameRow(id, name) => {
                let named = self.history.name(id, &name);
                return named.map_or_else(Vec::new, |record| self.keep_history(HistoryJob::Change(Box::new(record))));
            }
            Action::RemoveRow(id) => {
                let removed = self.history.remove(id);
                return removed.map_or_else(Vec::new, |record| self.keep_history(HistoryJob::Remove(vec![record])));
            }
            Action::HistoryRead(kept) => return self.take_history(kept),
            Action::SettingsNotKept(error) => self.notices.error(Topic::Settings, error, Vec::new()),
            Action::HistoryNotKept(error) => self.notices.error(Topic::History, error, Vec::new()),
            Action::PredictionsRead(kept) => return self.take_predictions(kept),
            Action::PredictionsNotKept(error) => self.notices.error(Topic::Predictions, error, Vec::new()),
            Action::TuningsRead(kept) => return self.take_tunings(kept),
            Action::TuningsNotKept(error) | Action::AgreedNotKept(error) => self.notices.error(Topic::Files, error, Vec::new()),
            Action::CompareAgain(pair) => return self.compare_again(*pair),
            Action::TestReason(pair, rule, testing) => return self.test_reason(&pair, &rule, testing),
            Action::Lesson(answer) => return self.answer(answer),
            Action::Course(action) => return self.act_in_course(action),
            Action::LessonsRead { folder, editions, written } => return self.take_lessons(folder, editions, written),
            Action::Arrange(workspace, arrangement) => drop(self.settings.workspaces.arranged.insert(workspace, arrangement)),
            Action::SetTheme(theme) => self.settings.theme = theme,
            Action::GoTo(section) => return self.go_to(section),
            Action::Start(action) => return self.act_at_start(action),
            Action::SetStill(is_still) => self.settings.is_still = is_still,
            Action::SetOpensLab(opens_lab) => self.settings.opens_lab = opens_lab,
            Action::SetLanguage(language) => {
                self.settings.language = Some(language);
                // Faults of lessons are told in the language that is spoken then.
                return vec![Effect::Speak(language), Effect::Files(FileJob::Lessons(LessonsJob::Read))];
            }
            Action::SetPictures(settings) => self.settings.pictures = settings,
            Action::PickPixel(pixel) => self.pixel = Some(pixel),
            Action::SetAccess(settings) => self.access = settings,
            Action::SetTimings(settings) => self.settings.timings = settings,
            Action::SetSource(settings) => self.settings.source = settings,
            Action::Edit(editing) => return self.edit(editing),
            Action::AgreedRead(kept) => {
                self.notices.damaged(Topic::Files, &kept);
                self.trust.take(kept);
            }
            Action::KernelRead(text, origin) => {
                self.notices.settle(Topic::Files);
                self.settings.source.view = View::Edit;
                self.bring_in_front(Pane::Source);
                return self.open_kernel(text, origin);
            }
            Action::SetCompiled(settings) => self.settings.compiled = settings,
            Action::Look(look) => {
                self.looks.ask(&look);
                return vec![Effect::Look(look)];
            }
            Action::DismissNotice(id) => self.notices.dismiss(id),
        }
        Vec::new()
    }

    fn run(&mut self, command: Command) -> Vec<Effect> {
        if self.why_not(command).is_some() {
            return Vec::new();
        }
        match command {
            Command::Open => return files(FileJob::AskOpen),
            Command::NewProject => return files(FileJob::AskNewProject),
            Command::OpenGateHistory => return files(FileJob::AskGateHistory),
            Command::OpenFilter => return files(FileJob::AskFilter),
            Command::ClassPage => return files(FileJob::AskClass),
            Command::Paste => return files(FileJob::Paste),
            Command::Generate => return files(FileJob::Generate([GENERATED_PX; 2])),
            Command::OpenReduced => return self.open_large(Large::Reduce),
            Command::OpenWhole => return self.open_large(Large::Whole),
            Command::Export(export) => {
                let name = self.export_name(export);
                let folder = self.settings.export_folder.trim();
                return if folder.is_empty() {
                    files(FileJob::AskSave(export, name))
                } else {
                    self.export(export, std::path::Path::new(folder).join(name), false)
                };
            }
            Command::Rescan => return vec![Effect::Rescan(self.settings.host_list())],
            Command::CopyProgram => {
                let hosts = self.without_program();
                // Asked once. The worker, which may be measuring, says so then.
                self.scanned.without_program.clear();
                self.scanned.copying.extend(hosts.iter().cloned());
                return vec![Effect::CopyTo(hosts)];
            }
            Command::Cancel => {
                // Who ends a measurement does not want it again by itself.
                self.give_up_retaking();
                self.trials.give_up();
                return vec![Effect::Cancel];
            }
            Command::Undo | Command::Redo => return self.choose(&Action::Run(command)),
            Command::FullScreen => return vec![Effect::FullScreen],
            Command::Quit => return vec![Effect::Quit],
            Command::NextStep => return self.step_by(1),
            Command::PreviousStep => return self.step_by(-1),
            Command::BackToDevice => return self.back_to_device(),
            Command::Naive => return self.choose(&Action::SetVariant(Variant::naive())),
            // After a crash, say: it is computed and checked, too.
            Command::Measure if self.is_unchecked() => return self.render(),
            Command::Measure => {
                return self
                    .task()
                    .map_or_else(Vec::new, |task| self.bench(text("window.job.measuring-again"), vec![Probe::Measure(task)]));
            }
            Command::MeasureLadder => return self.measure_ladder(),
            Command::MeasureCpu => return self.measure_cpu(),
            Command::MeasureRoofs => return self.measure_roofs(),
            Command::Study(kind) => return self.study(kind),
            Command::ClearRecent => self.settings.recent.clear(),
            Command::ClearHistory => {
                let (removed, foreign) = self.history.clear();
                self.compared.clear();
                return [HistoryJob::Remove(removed), HistoryJob::RemoveForeign(foreign)]
                    .into_iter()
                    .flat_map(|job| self.keep_history(job))
                    .collect();
            }
            Command::Workspace(workspace) => self.settings.workspaces.now = workspace,
            Command::ResetLayout => {
                let workspaces = &mut self.settings.workspaces;
                workspaces.arranged.remove(&workspaces.now);
            }
            Command::Help => self.is_help_open = !self.is_help_open,
            Command::ShowFrames => self.settings.show_frames = !self.settings.show_frames,
        }
        Vec::new()
    }

    /// A picture given at the start that is not opened leaves the window with its sample.
    pub(super) fn ask_for_sample(&mut self) -> Vec<Effect> {
        if self.picture.is_some() || std::mem::replace(&mut self.is_sample_asked, true) {
            return Vec::new();
        }
        samples().first().map_or_else(Vec::new, |sample| files(FileJob::Sample(sample.name.to_owned())))
    }

    /// Asks whether a large picture is opened, and how.
    fn ask_about_large(&mut self, path: PathBuf, [width_px, height_px]: [usize; 2]) -> Vec<Effect> {
        let pixels = width_px * height_px;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = units::binary_bytes(pixels as u64 * 3);
        let megapixels = pixels / 1_000_000;
        let values: [(&str, &dyn std::fmt::Display); 5] =
            [("name", &name), ("megapixels", &megapixels), ("width", &width_px), ("height", &height_px), ("bytes", &bytes)];
        let error = failed("errors.window.large-picture", &values);
        self.notices.settle(Topic::LargePicture);
        self.notices.push(Notice {
            ways_on: vec![Command::OpenReduced, Command::OpenWhole],
            ..Notice::from_error(Topic::LargePicture, Severity::Warning, error)
        });
        self.large_picture = Some(path);
        self.ask_for_sample()
    }

    fn open_large(&mut self, large: Large) -> Vec<Effect> {
        self.notices.settle(Topic::LargePicture);
        self.large_picture.take().map_or_else(Vec::new, |path| files(FileJob::OpenLarge(path, large)))
    }

    /// Why a command cannot be given now: the sentence that its disabled button shows.
    #[must_use]
    pub fn why_not(&self, command: Command) -> Option<&'static str> {
        let sentence = |is_missing: bool, key: &'static str| is_missing.then(|| text(key));
        match command {
            Command::NextStep => {
                let is_last = self.ladder().is_some_and(|(ladder, step)| step + 1 >= ladder.steps.len());
                sentence(is_last, "window.why-not.last-step")
            }
            Command::PreviousStep => sentence(self.ladder().is_some_and(|(_, step)| step == 0), "window.why-not.first-step"),
            Command::MeasureCpu if self.choice().filter().competitors().is_empty() => Some(text("window.why-not.no-competitors")),
            Command::Measure | Command::MeasureCpu => sentence(self.task().is_none(), "window.why-not.needs-picture"),
            Command::MeasureLadder | Command::BackToDevice | Command::MeasureRoofs | Command::Study(_) if self.device_list().is_empty() => {
                Some(text("window.why-not.needs-device"))
            }
            Command::MeasureLadder => sentence(self.task().is_none(), "window.why-not.needs-picture")
                .or_else(|| sentence(self.choice().filter().ladders().is_empty(), "window.why-not.no-ladder"))
                .or_else(|| sentence(self.ladder().is_none(), "window.why-not.choose-ladder")),
            Command::MeasureRoofs => sentence(self.is_measuring_roofs(), "studies.why-not.running"),
            Command::Study(kind) => self.why_no_study(kind),
            Command::OpenReduced | Command::OpenWhole => sentence(self.large_picture.is_none(), "window.why-not.no-large-picture"),
            Command::CopyProgram if !self.without_program().is_empty() => None,
            Command::CopyProgram if self.scanned.copying.is_empty() => Some(text("window.why-not.nowhere-to-copy")),
            Command::CopyProgram => Some(text("window.why-not.being-copied")),
            Command::BackToDevice => sentence(matches!(self.place, Place::Device(_)), "window.why-not.device-computes"),
            Command::Undo => sentence(!self.undo.can_undo(), "window.why-not.nothing-to-undo"),
            Command::Redo => sentence(!self.undo.can_redo(), "window.why-not.nothing-to-redo"),
            // A search that waits is nobody's concern elsewhere.
            Command::Cancel => {
                let waits = self.section == Section::Kernels && self.own_project.searching().is_some();
                sentence(self.pending.is_empty() && !waits, "window.why-not.nothing-measured")
            }
            Command::ResetLayout => {
                let workspaces = &self.settings.workspaces;
                sentence(!workspaces.arranged.contains_key(&workspaces.now), "window.why-not.panels-in-place")
            }
            Command::ClearRecent => sentence(self.settings.recent.is_empty(), "window.why-not.no-recent"),
            Command::ClearHistory if self.history.foreign().len() > 0 => None,
            Command::Export(Export::Bundle | Export::Report) => sentence(self.history.rows().is_empty(), "window.why-not.no-readings-now"),
            Command::Export(Export::Handout) => sentence(self.here().is_none(), "course.handout.needs-lesson"),
            Command::Export(Export::Teacher) => sentence(self.has_nothing_to_send(), "window.why-not.nothing-to-send"),
            Command::ClearHistory | Command::Export(Export::Csv | Export::Json | Export::Plot(_)) => {
                sentence(self.history.kept().next().is_none(), "window.why-not.no-readings")
            }
            Command::Export(Export::PredictionsCsv | Export::PredictionsJson) => {
                sentence(self.lesson.memory.records().is_empty(), "prediction.none-to-export")
            }
            Command::Export(Export::Filtered | Export::SideBySide) => sentence(self.shown.is_none(), "window.why-not.no-output"),
            Command::Export(Export::Access(_)) => sentence(self.picture.is_none(), "window.why-not.needs-picture"),
            Command::Export(Export::Timeline(_)) => {
                sentence(self.shown.as_ref().and_then(timeline_of).is_none(), "window.why-not.no-timeline")
            }
            Command::Export(Export::LocalSizes(_)) => {
                sentence(super::local_sizes_panel::exported(self).is_none(), "studies.why-not.no-sizes")
            }
            Command::Export(Export::Roofline(_)) => sentence(!super::roofline_panel::has_roofline(self), "studies.why-not.no-roofline"),
            Command::Export(Export::Study(of)) => {
                let is_told = of.map_or_else(|| self.studies.last().is_some(), |kind| self.has_told(kind));
                sentence(!is_told, "studies.why-not.none-yet")
            }
            Command::Export(Export::Project) => sentence(!self.own_project.has_story(), "project.window.why-not.nothing-tried"),
            Command::Export(Export::ProjectHeader) => sentence(!self.own_project.has_best(), "project.window.why-not.nothing-tried"),
            Command::Export(Export::Source) => {
                sentence(self.edited_source().or_else(|| self.shown_source()).is_none(), "window.why-not.no-kernel")
            }
            Command::Open
            | Command::ClassPage
            | Command::OpenFilter
            | Command::NewProject
            | Command::OpenGateHistory
            | Command::Paste
            | Command::Generate
            | Command::Rescan
            | Command::Naive
            | Command::Workspace(_)
            | Command::Help
            | Command::FullScreen
            | Command::ShowFrames
            | Command::Quit => None,
        }
    }

    /// The machines to which this program can be copied: what a person has taken out of the list since is none of them.
    fn without_program(&self) -> Vec<String> {
        let wanted = self.settings.host_list();
        self.scanned.without_program.iter().filter(|host| wanted.contains(host)).cloned().collect()
    }

    fn take_picture(&mut self, opened: Opened, notes: &[String]) -> Vec<Effect> {
        if opened.path.is_some() {
            self.notices.settle(Topic::LargePicture);
            self.large_picture = None;
        }
        let channels_of = |opened: &Opened| opened.picture.picture.channels();
        // The first picture keeps the saved choice; later ones bring their own channels where these are others.
        let brings = self.picture.as_ref().is_some_and(|before| channels_of(before) != channels_of(&opened));
        if let Some(path) = &opened.path {
            self.settings.remember(path.clone());
        }
        if self.picture.is_some() {
            // With the first picture comes the note that saved settings were damaged: that stays.
            self.notices.settle(Topic::Files);
        }
        if !notes.is_empty() {
            let notes = joined("words.list.clauses", notes.iter().cloned());
            let error = failed("errors.window.converted", &[("name", &opened.name), ("notes", &notes)]);
            self.notices.push(Notice::from_error(Topic::Files, Severity::Info, error));
        }
        let channels = channels_of(&opened);
        self.picture = Some(opened);
        self.compared.clear();
        self.studies.forget_picture();
        self.looks.forget();
        self.lesson.open = None;
        if let Some(effects) = self.resume_lesson() {
            return effects;
        }
        if let Some(effects) = self.begin_section() {
            return effects;
        }
        if brings && self.choice().filter().channels.contains(&channels) {
            return self.choose(&Action::SetChannels(channels));
        }
        self.render()
    }

    /// Asks the worker to show what is chosen.
    pub(super) fn render(&mut self) -> Vec<Effect> {
        self.is_unasked = false;
        let Some(task) = self.task() else { return Vec::new() };
        let id = self.post(Job::Show(Box::new(task.clone())));
        vec![Effect::Show(Box::new(Show { id, task, budget: Some(SHORT) }))]
    }

    /// Has the tiles show a panel.
    pub(super) fn bring_in_front(&mut self, pane: Pane) {
        self.next_id += 1;
        self.front = Some((self.next_id, pane));
    }

    pub(super) fn post(&mut self, job: Job) -> u64 {
        self.next_id += 1;
        self.pending.push(Pending { id: self.next_id, job, progress: None });
        self.next_id
    }

    pub(super) fn bench(&mut self, name: &str, probes: Vec<Probe>) -> Vec<Effect> {
        if probes.is_empty() {
            return Vec::new();
        }
        let id = self.post(Job::Bench(name.to_owned()));
        vec![Effect::Bench(Bench { id, study: Box::new(Sequence::new(probes)), budget: Budget::default() })]
    }

    /// Interleaves two once more, for the longer the more often they were.
    pub(super) fn compare_again(&mut self, pair: (Task, Task)) -> Vec<Effect> {
        let times = self.compared.iter().filter(|(known, _)| *known == pair).count();
        let id = self.post(Job::Bench(text("window.job.comparing-again").to_owned()));
        let study = Box::new(Sequence::new([Probe::Compare(pair.0, pair.1)]));
        vec![Effect::Bench(Bench { id, study, budget: Budget::default().again(times) })]
    }

    fn open_folder(&mut self, folder: PathBuf) -> Vec<Effect> {
        self.notices.settle(Topic::Files);
        // Where the program was started with the folder, there is no picture yet.
        let sample = self.ask_for_sample();
        std::iter::once(Effect::OpenFilters(folder)).chain(sample).collect()
    }

    pub(super) fn tell_exported(&mut self, path: &Path, notes: Vec<String>) {
        self.notices.settle(Topic::Files);
        let why = std::iter::once(path.display().to_string()).chain(notes).collect::<Vec<_>>().join("; ");
        self.notices.info(Topic::Files, text("window.notice.file-written"), why);
    }

    /// A filter's folder has mistakes in it. Its earlier definition stays.
    fn refuse_filter(&mut self, name: String, error: Error) {
        self.refused_filters.retain(|known| *known != name);
        self.refused_filters.push(name);
        self.notices.error(Topic::Filters, error, Vec::new());
    }

    /// A filter of a person's own can be used: it takes the place of its earlier definition, and is shown where it was asked for.
    fn take_filter(&mut self, filter: &'static Filter, is_wanted: bool) -> Vec<Effect> {
        self.refused_filters.retain(|known| known != filter.name());
        if self.refused_filters.is_empty() {
            self.notices.settle(Topic::Filters);
        }
        // Of whatever filter is shown now.
        self.settings.drafts.iter_mut().for_each(|draft| draft.follow(filter.id));
        let now = self.choice().spec.filter;
        let is_earlier = now.name() == filter.name() && now != filter.id;
        if !is_wanted && !is_earlier {
            return Vec::new();
        }
        if is_wanted {
            self.section = Section::Lab;
        }
        self.choose(&Action::SetFilter(filter))
    }

    /// Measures the CPU competitors over what is chosen.
    pub(super) fn measure_cpu(&mut self) -> Vec<Effect> {
        let tasks = self.choice().filter().competitors().iter().filter_map(|engine| self.task_on(Target::Cpu(*engine)));
        let probes = tasks.map(Probe::Measure).collect();
        self.bench(text("window.job.measuring-cpu"), probes)
    }

    /// Measures every step of the ladder, and tests what the guide claims of it.
    fn measure_ladder(&mut self) -> Vec<Effect> {
        let Some((ladder, _)) = self.ladder() else { return Vec::new() };
        let Some(like) = self.task_on_device() else { return Vec::new() };
        let probes = ladder_probes(ladder, &like, self.free_local());
        let effects = self.bench(text("window.job.measuring-ladder"), probes);
        self.ladder_request = Some(self.next_id);
        effects
    }

    /// The source that ran, where a kernel did.
    #[must_use]
    pub fn shown_source(&self) -> Option<&std::sync::Arc<str>> {
        self.shown.as_ref()?.executed.source.as_ref()
    }

    fn export_name(&self, export: Export) -> String {
        let picture = self.picture.as_ref().map_or("picture", |opened| opened.name.as_str());
        let spec = self.shown.as_ref().map_or(&self.choice().spec, |shown| &shown.task.spec);
        let computed = file_name_of(spec);
        match export {
            Export::Filtered => format!("{picture}-{computed}.png"),
            Export::SideBySide => format!("{picture}-{computed}-side-by-side.png"),
            Export::Csv => format!("{}timings.csv", self.filter_of_all_rows()),
            Export::Json => format!("{}timings.json", self.filter_of_all_rows()),
            Export::Bundle => format!("{}bundle.json", self.filter_of_all_rows()),
            Export::Report => format!("{}report.html", self.filter_of_all_rows()),
            Export::Handout => format!("{}.html", self.here().map_or_else(|| "lesson".to_owned(), |here| here.name.replace(':', "-"))),
            Export::Teacher => format!("{}-for-teacher.json", file_name_for_teacher(&self.settings.teacher_alias)),
            Export::PredictionsCsv => "predictions.csv".to_owned(),
            Export::PredictionsJson => "predictions.json".to_owned(),
            Export::Plot(form) => format!("{}-timings.{}", file_name_of(&self.choice().spec), form.extension()),
            Export::Access(form) => {
                format!("{}-{}-access.{}", file_name_of(&self.choice().spec), self.choice().variant, form.extension())
            }
            Export::Roofline(form) => format!("{}-roofline.{}", file_name_of(&self.choice().spec), form.extension()),
            Export::LocalSizes(form) => format!("{}-local-sizes.{}", file_name_of(&self.choice().spec), form.extension()),
            Export::Timeline(form) => format!("{computed}-timeline.{}", form.extension()),
            Export::Study(of) => {
                let of = of.or_else(|| self.studies.last().map(|studied| studied.kind));
                of.map_or_else(|| "study.md".to_owned(), |kind| format!("{}-{}.md", file_name_of(self.spec_of_study(kind)), kind.name))
            }
            Export::Project => format!("{}.md", self.project_name()),
            Export::ProjectHeader => "best.h".to_owned(),
            Export::Source => match self.shown.as_ref().map(|shown| shown.task.target) {
                Some(Target::Device { variant, .. }) => format!("{computed}-{variant}.cl"),
                _ => format!("{computed}.cl"),
            },
        }
    }

    /// What the panel of a study tells, or the last study that has something to tell.
    fn exported_story(&self, of: Option<&'static Kind>) -> Option<Story> {
        match of {
            Some(kind) => self.told_by(kind),
            None => self.studies.last().and_then(Studied::titled),
        }
    }

    /// What was computed in what the panel of a study tells.
    fn spec_of_study(&self, kind: &'static Kind) -> &Spec {
        let studied = || self.studies.last().filter(|studied| studied.kind == kind).map(|studied| &studied.task.spec);
        self.answers.opened_spec(kind).or_else(studied).unwrap_or(&self.choice().spec)
    }

    fn project_name(&self) -> &str {
        self.own_project.project.as_ref().map_or("project", |project| project.name.as_str())
    }

    /// "laplace-" where all readings are of one filter.
    fn filter_of_all_rows(&self) -> String {
        let mut filters = self.history.kept().map(|(_, record)| record.spec.filter);
        let first = filters.next();
        first.filter(|first| filters.all(|other| other == *first)).map_or_else(String::new, |first| format!("{first}-"))
    }

    /// What this session measured; earlier ones left readings without their pictures and devices.
    pub(super) fn session(&self) -> Session {
        Session {
            readings: self.history.rows().iter().map(|row| (row.task.clone(), row.record.clone())).collect(),
            compared: self.compared.clone(),
            experiments: self.experiments.told(),
            devices: self.device_list().to_vec(),
            budget: Budget::default(),
            answers: self.answers.of_session().to_vec(),
        }
    }

    /// Makes the page of a class of these files.
    fn make_class_page(&self, paths: Vec<PathBuf>) -> Vec<Effect> {
        let folder = Some(self.settings.export_folder.trim()).filter(|folder| !folder.is_empty()).map(PathBuf::from);
        files(FileJob::ClassPage { paths, folder, shelf: Box::new(self.course.shelf.clone()) })
    }

    fn export(&self, export: Export, path: PathBuf, is_confirmed: bool) -> Vec<Effect> {
        let readings = || -> Vec<Record> { self.history.kept().map(|(_, record)| record.clone()).collect() };
        let writing = match export {
            Export::Filtered => self.shown.as_ref().map(|shown| Writing::Picture(shown.executed.output.clone())),
            Export::SideBySide => {
                let both = |shown: &Shown| {
                    Writing::SideBySide(shown.task.picture.clone(), shown.task.spec.channels, shown.executed.output.clone())
                };
                self.shown.as_ref().map(both)
            }
            Export::Csv => Some(Writing::Csv(readings())),
            Export::Json => Some(Writing::Json(readings())),
            Export::Bundle | Export::Report => Some(Writing::Bundle(export, Box::new(self.session()))),
            Export::Handout => self.handout().map(|handout| Writing::Handout(Box::new(handout))),
            Export::Teacher => Some(Writing::ForTeacher(Box::new(self.for_teacher()))),
            Export::PredictionsCsv | Export::PredictionsJson => Some(Writing::Predictions(export, self.lesson.memory.records().to_vec())),
            Export::Plot(form) => Some(Writing::Plot(form, super::timings::plotted(self), self.settings.timings.options.clone())),
            Export::Access(form) => asked(self).map(|(asked, _)| Writing::Access(form, Box::new(asked))),
            Export::Roofline(form) => super::roofline_panel::exported(self).map(|(heading, data)| Writing::Roofline(form, heading, data)),
            Export::LocalSizes(form) => {
                super::local_sizes_panel::exported(self).map(|(heading, data)| Writing::LocalSizes(form, heading, data))
            }
            Export::Timeline(form) => super::timeline_panel::exported(self).map(|(heading, data)| Writing::Timeline(form, heading, data)),
            Export::Study(of) => self.exported_story(of).map(|story| Writing::Story(Box::new(story))),
            Export::Project => self.own_project.story().map(|story| Writing::Story(Box::new(story))),
            Export::ProjectHeader => self.own_project.header().map(|header| Writing::Text(header.into())),
            Export::Source => self.edited_source().or_else(|| self.shown_source()).cloned().map(Writing::Text),
        };
        writing.map_or_else(Vec::new, |writing| files(FileJob::Save { path, is_confirmed, writing: Box::new(writing) }))
    }
}

/// "box-radius-16-reflect101": filter, parameters and, where these tell outputs apart, channels and border mode.
fn file_name_of(spec: &Spec) -> String {
    let filter = spec.filter.filter();
    let mut parts = vec![spec.filter.name().to_owned()];
    parts.extend(spec.parameters.0.iter().map(|(name, value)| format!("{name}-{value}")));
    if filter.channels.len() > 1 && spec.channels == Channels::Gray {
        parts.push(spec.channels.name().to_owned());
    }
    if filter.looks_at_neighbors() {
        parts.push(spec.border.name().to_owned());
    }
    parts.join("-")
}

/// The alias without what file systems or shells take for something else.
fn file_name_for_teacher(alias: &str) -> String {
    let words = alias.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join("-").chars().take(40).collect::<String>();
    if name.is_empty() { "kernel-ladder".to_owned() } else { name }
}

fn files(job: FileJob) -> Vec<Effect> {
    vec![Effect::Files(job)]
}
