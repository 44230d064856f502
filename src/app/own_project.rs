//! The project that is open: what its folder says, what of it was tried, and what is asked of the worker next.

use super::nav::Section;
use super::state::{Effect, FileJob, Job, Pending, State};
use crate::runner::{ProjectJob, ProjectNews, ProjectWish, Steer, Told};
use base::error::{Error, Result};
use base::files::LinesJob;
use base::texts::{filled, text};
use engine::device::DeviceInfo;
use kernels::project::{PROJECT, Point, Project, Reference};
use model::CompiledKernel;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use study::projects::{self, Strategy, Terms, Trial};
use view::story::Story;

/// So long searches may take, in seconds.
pub const LIMITS_S: [u64; 4] = [10, 30, 120, 600];

/// Something that is done with the project.
#[derive(Debug)]
pub enum ProjectAction {
    /// A folder was read.
    Read {
        /// It.
        folder: PathBuf,
        /// The project, or everything that is wrong with it.
        read: Result<Arc<Project>>,
        /// How many of its entries are still to be done.
        to_do: usize,
        /// The person named it just now.
        is_wanted: bool,
    },
    /// Write one from this kernel file, and open it.
    Make(PathBuf),
    /// One was written into this folder; what could not be taken over.
    Made(PathBuf, Vec<String>),
    /// Choose a value of a parameter, by index.
    Set(usize, usize),
    /// Choose this configuration and run it.
    Take(Point),
    /// Run the chosen configuration.
    Check,
    /// Say why the chosen configuration is faster than the default, or slower.
    Explain,
    /// The reference program may run.
    Agree,
    /// Begin to search, with what is known.
    Search,
    /// Steer the search.
    Steer(Steer),
    /// How the next search chooses configurations.
    SetStrategy(Strategy),
    /// How long it may take.
    SetLimit(Duration),
    /// The two parameters of the map.
    SetAxes([usize; 2]),
    /// Show what comparisons with baselines came to, or the project again.
    ShowGate(Option<Box<Story>>),
}

/// The project that is open.
#[derive(Clone, Debug)]
pub struct OwnProject {
    /// Where it is.
    pub folder: Option<PathBuf>,
    /// As it was read last without a mistake.
    pub project: Option<Arc<Project>>,
    /// How many of its entries are still to be done.
    pub to_do: usize,
    /// What is wrong with the folder as it is now.
    pub fault: Option<Error>,
    /// The chosen configuration.
    pub point: Point,
    /// What was tried on the chosen device, in order.
    pub trials: Vec<Trial>,
    /// What follows from that.
    pub told: Option<Told>,
    /// What came of the configuration that was run last, with its compiled code.
    pub checked: Option<(Trial, Vec<CompiledKernel>)>,
    /// Why a configuration is faster than the default, or slower, where that was asked last.
    pub why: Option<Story>,
    /// What comparisons with baselines came to, where a file with that is open. It stands in the place of the project.
    pub gate: Option<Story>,
    /// How the next search chooses configurations.
    pub strategy: Strategy,
    /// How long it may take.
    pub limit: Duration,
    /// The two parameters of the map, where the person has chosen them.
    axes: Option<[usize; 2]>,
    /// How the search is steered.
    pub steer: Steer,
    /// Requests: what is known, one configuration, a search.
    recall: Option<u64>,
    check: Option<u64>,
    search: Option<u64>,
    /// What the trials are of: hash, device, driver.
    of: Option<[String; 3]>,
    /// The number of the device, which other devices of that name do not have.
    device: Option<usize>,
}

impl Default for OwnProject {
    fn default() -> Self {
        Self {
            folder: None,
            project: None,
            fault: None,
            to_do: 0,
            point: Point::new(),
            trials: Vec::new(),
            told: None,
            checked: None,
            why: None,
            gate: None,
            strategy: Strategy::default(),
            limit: Duration::from_secs(LIMITS_S[1]),
            axes: None,
            steer: Steer::Continue,
            recall: None,
            check: None,
            search: None,
            of: None,
            device: None,
        }
    }
}

impl OwnProject {
    /// The request of the search that is under way.
    #[must_use]
    pub const fn searching(&self) -> Option<u64> {
        self.search
    }

    /// The request that runs one configuration.
    #[must_use]
    pub const fn checking(&self) -> Option<u64> {
        self.check
    }

    /// The two parameters of the map: those that were chosen, else those that matter most.
    #[must_use]
    pub fn axes(&self) -> Option<[usize; 2]> {
        self.axes.or_else(|| self.told.as_ref()?.axes)
    }

    /// Whether anything was tried.
    #[must_use]
    pub fn has_story(&self) -> bool {
        self.told.is_some() && !self.trials.is_empty()
    }

    /// Whether a configuration is known that is right.
    #[must_use]
    pub fn has_best(&self) -> bool {
        self.told.as_ref().is_some_and(|told| told.best.is_some())
    }

    /// What follows so far with its figures, as files have it; `None` where nothing was tried.
    #[must_use]
    pub fn story(&self) -> Option<Story> {
        let (project, told) = (self.project.as_ref()?, self.told.as_ref().filter(|_| self.has_story())?);
        let [_, device, driver] = self.of.as_ref()?;
        let mut story = Story { title: Some(format!("{}, {device}, {driver}", project.name).into()), ..told.story.clone() };
        story.blocks.extend(projects::figures(project, &self.trials, self.axes()));
        story.blocks.extend(self.why.iter().flat_map(|why| why.blocks.clone()));
        Some(story)
    }

    /// The best configuration as a header for C.
    #[must_use]
    pub fn header(&self) -> Option<String> {
        let (point, time_ns) = self.told.as_ref()?.best.as_ref()?;
        let [_, device, _] = self.of.as_ref()?;
        Some(projects::header(self.project.as_ref()?, point, device, &view::plot::units::time(*time_ns), None))
    }

    /// Nothing of what was tried is of this project on this device.
    fn forget(&mut self) {
        (self.recall, self.check, self.search) = (None, None, None);
        (self.told, self.checked, self.why, self.axes, self.steer) = (None, None, None, None, Steer::Continue);
        self.trials.clear();
    }
}

impl State {
    /// Why nothing of the project can be asked for now.
    #[must_use]
    pub fn why_no_search(&self) -> Option<&'static str> {
        if self.own_project.project.is_none() {
            Some(text("project.window.why-not.none"))
        } else if self.device_or_first().is_none() {
            Some(text("studies.panel.no-device"))
        } else if self.agreement_wanted().is_some() {
            Some(text("project.window.why-not.agree"))
        } else {
            None
        }
    }

    /// Why no configuration can run now. A search waits for one that runs, another one does not.
    #[must_use]
    pub fn why_no_run(&self) -> Option<&'static str> {
        self.why_no_search().or_else(|| self.own_project.check.map(|_| text("project.window.why-not.running")))
    }

    /// Why the chosen configuration cannot run now.
    #[must_use]
    pub fn why_no_check(&self) -> Option<&'static str> {
        let own = &self.own_project;
        let is_allowed = own.project.as_ref().is_none_or(|project| project.is_allowed(&own.point));
        self.why_no_run().or((!is_allowed).then(|| text("project.window.why-not.not-allowed")))
    }

    /// The reference program of the project, where the person has not agreed to it.
    #[must_use]
    pub fn agreement_wanted(&self) -> Option<String> {
        let project = self.own_project.project.as_ref()?;
        let Reference::Command(command) = &project.reference else { return None };
        let origin = projects::agreement(project)?;
        (!self.trust.covers(&origin)).then(|| command.words.join(" "))
    }

    pub(super) fn act_on_project(&mut self, action: ProjectAction) -> Vec<Effect> {
        match action {
            ProjectAction::Read { folder, read, to_do, is_wanted } => {
                let effects = self.take_project(folder, read, is_wanted);
                self.own_project.to_do = to_do;
                return effects;
            }
            ProjectAction::Make(from) => return vec![Effect::Files(FileJob::NewProject(from))],
            ProjectAction::Made(folder, notes) => {
                self.tell_exported(&folder.join(PROJECT), notes);
                return vec![Effect::OpenFilters(folder)];
            }
            ProjectAction::Set(parameter, value) => {
                if let Some(place) = self.own_project.point.get_mut(parameter) {
                    *place = value;
                }
            }
            ProjectAction::Take(point) => {
                self.own_project.point = point;
                return self.check_point();
            }
            ProjectAction::Check => return self.check_point(),
            ProjectAction::Explain => return self.ask_of_point("project.window.job-explain", ProjectWish::Explain),
            ProjectAction::Agree => return self.agree_to_reference(),
            ProjectAction::Search => return self.search_project(),
            ProjectAction::Steer(steer) => {
                return self.steer_search(steer);
            }
            ProjectAction::SetStrategy(strategy) => self.own_project.strategy = strategy,
            ProjectAction::SetLimit(limit) => self.own_project.limit = limit,
            ProjectAction::ShowGate(story) => {
                let is_shown = story.is_some();
                self.own_project.gate = story.map(|story| *story);
                if !is_shown {
                    return Vec::new();
                }
                // Where the program was started with the file, there is no picture yet.
                let sample = self.ask_for_sample();
                return self.go_to(Section::Kernels).into_iter().chain(sample).collect();
            }
            ProjectAction::SetAxes(axes) => self.own_project.axes = Some(axes),
        }
        Vec::new()
    }

    fn take_project(&mut self, folder: PathBuf, read: Result<Arc<Project>>, is_wanted: bool) -> Vec<Effect> {
        let mut effects = Vec::new();
        if self.own_project.folder.as_ref() != Some(&folder) {
            // What it finds until it ends is kept.
            effects.extend(self.own_project.search.map(|_| Effect::Steer(Steer::Finish)));
            let kept = OwnProject { strategy: self.own_project.strategy, limit: self.own_project.limit, ..OwnProject::default() };
            self.own_project = OwnProject { folder: Some(folder), ..kept };
        }
        let own = &mut self.own_project;
        match read {
            Ok(project) => {
                own.fault = None;
                let is_point = project.parameters.len() == own.point.len()
                    && project.parameters.iter().zip(&own.point).all(|(parameter, value)| *value < parameter.values.len());
                if !is_point || own.project.is_none() {
                    own.point = project.default_point();
                }
                own.project = Some(project);
            }
            Err(error) => own.fault = Some(error),
        }
        if is_wanted {
            effects.extend(self.go_to(Section::Kernels));
        }
        effects
    }

    /// What waits is not being measured: nothing else has to wait for it.
    fn steer_search(&mut self, steer: Steer) -> Vec<Effect> {
        let Some(id) = self.own_project.search else { return Vec::new() };
        if self.own_project.steer == Steer::Finish {
            return Vec::new();
        }
        self.own_project.steer = steer;
        self.pending.retain(|pending| pending.id != id);
        if let Some(project) = self.own_project.project.as_ref().filter(|_| steer != Steer::Pause) {
            let job = Job::Bench(filled("project.window.job-search", &[("name", &project.name)]));
            self.pending.push(Pending { id, job, progress: None });
        }
        vec![Effect::Steer(steer)]
    }

    fn agree_to_reference(&mut self) -> Vec<Effect> {
        let Some(origin) = self.own_project.project.as_deref().and_then(projects::agreement) else { return Vec::new() };
        let agreed = self.trust.agree(origin);
        vec![Effect::Files(FileJob::Agreed(LinesJob::Append(Box::new(agreed))))]
    }

    fn project_job(&self, id: u64, wish: ProjectWish) -> Option<Effect> {
        let project = Arc::clone(self.own_project.project.as_ref()?);
        let device = self.device_or_first()?.clone();
        Some(Effect::Project(Box::new(ProjectJob { id, project, device, folder: None, wish })))
    }

    fn check_point(&mut self) -> Vec<Effect> {
        self.own_project.why = None;
        self.ask_of_point("project.window.job-check", ProjectWish::Check)
    }

    fn ask_of_point(&mut self, job: &'static str, wish: fn(Point) -> ProjectWish) -> Vec<Effect> {
        if self.why_no_run().is_some() {
            return Vec::new();
        }
        let Some(project) = self.own_project.project.clone() else { return Vec::new() };
        let id = self.post(Job::Bench(filled(job, &[("name", &project.name)])));
        self.own_project.check = Some(id);
        self.project_job(id, wish(self.own_project.point.clone())).into_iter().collect()
    }

    fn search_project(&mut self) -> Vec<Effect> {
        if self.why_no_search().is_some() || self.own_project.search.is_some() {
            return Vec::new();
        }
        let Some(project) = self.own_project.project.clone() else { return Vec::new() };
        let id = self.post(Job::Bench(filled("project.window.job-search", &[("name", &project.name)])));
        self.own_project.search = Some(id);
        self.own_project.steer = Steer::Continue;
        let own = &self.own_project;
        // Each search has its own chance: what was tried is not tried again anyway.
        let terms = Terms { strategy: own.strategy, seed: own.trials.len() as u64, limit: own.limit, most: usize::MAX };
        self.project_job(id, ProjectWish::Search(terms)).into_iter().collect()
    }

    /// Asks what is known of the project on the chosen device, where that is not what is shown.
    pub(super) fn follow_project(&mut self) -> Vec<Effect> {
        let Some(project) = &self.own_project.project else { return Vec::new() };
        let device = self.device_or_first();
        let (of, index) = (device.map(|device| key(project, device)), device.map(|device| device.index));
        if self.own_project.of == of && self.own_project.device == index {
            return Vec::new();
        }
        // What it finds until it ends is kept, and told when one comes back.
        let ending = self.own_project.search.map(|_| Effect::Steer(Steer::Finish));
        self.own_project.forget();
        let is_device = of.is_some();
        (self.own_project.of, self.own_project.device) = (of, index);
        if !is_device {
            return ending.into_iter().collect();
        }
        self.next_id += 1;
        self.own_project.recall = Some(self.next_id);
        let recall = self.project_job(self.next_id, ProjectWish::Recall);
        ending.into_iter().chain(recall).collect()
    }

    pub(super) fn take_project_news(&mut self, id: u64, news: ProjectNews) {
        let own = &mut self.own_project;
        if ![own.recall, own.check, own.search].contains(&Some(id)) {
            return;
        }
        match news {
            ProjectNews::Recalled(trials) => own.trials = trials,
            ProjectNews::Checked(trial, code) => own.checked = Some((*trial, code)),
            ProjectNews::Explained(story) => own.why = Some(*story),
            ProjectNews::Tried(trial) => own.trials.push(*trial),
            ProjectNews::Told(told) => own.told = Some(*told),
        }
    }

    /// The worker has forgotten all requests.
    pub(super) fn end_all_of_project(&mut self) {
        let own = &mut self.own_project;
        (own.recall, own.check, own.search, own.steer) = (None, None, None, Steer::Continue);
    }

    /// A request is over.
    pub(super) fn end_project(&mut self, id: u64) {
        let own = &mut self.own_project;
        if own.search == Some(id) {
            own.steer = Steer::Continue;
        }
        for request in [&mut own.recall, &mut own.check, &mut own.search] {
            *request = request.filter(|known| *known != id);
        }
    }
}

fn key(project: &Project, device: &DeviceInfo) -> [String; 3] {
    [project.hash.clone(), device.name.clone(), device.driver()]
}
