//! Projects on the worker's thread: their reference, single configurations, and a search that rests while anything else is asked.

use super::{Deliver, Shared, Update, Watch};
use base::error::{Error, Result};
use base::texts::misused;
use engine::Backend;
use engine::device::DeviceInfo;
use kernels::project::{Point, Problem, Project};
use model::{Budget, CompiledKernel};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use study::projects::{self, Answer, Head, Strategy, Terms, Trial, Trials, Tune};
use view::story::Story;

/// Something that is asked about a project.
#[derive(Clone, Debug)]
pub struct ProjectJob {
    /// Comes back with every update that answers it.
    pub id: u64,
    /// The project. A person has agreed to its reference program, where it has one.
    pub project: Arc<Project>,
    /// On which device.
    pub device: DeviceInfo,
    /// The folder that keeps trials, where they are kept.
    pub folder: Option<PathBuf>,
    /// What.
    pub wish: ProjectWish,
}

/// What is asked about a project.
#[derive(Clone, Debug)]
pub enum ProjectWish {
    /// What is known of it from earlier sessions; nothing runs.
    Recall,
    /// Run this configuration, check it, and measure it for longer than a search does.
    Check(Point),
    /// Say why this configuration is faster than the default, or slower.
    Explain(Point),
    /// Search for the fastest configuration; what is known of it is not tried again. It takes the place of a search that is under way.
    Search(Terms),
}

/// How a search is steered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Steer {
    /// No trial begins until it goes on; its clock stands still.
    Pause,
    /// It goes on.
    #[default]
    Continue,
    /// No more trials: the comparisons of its end come next.
    Finish,
}

/// News of a project.
#[derive(Clone, Debug)]
pub enum ProjectNews {
    /// What was tried in earlier sessions.
    Recalled(Vec<Trial>),
    /// What came of one configuration, with its compiled code.
    Checked(Box<Trial>, Vec<CompiledKernel>),
    /// Why one configuration is faster than another.
    Explained(Box<Story>),
    /// A search has tried another configuration.
    Tried(Box<Trial>),
    /// What follows so far.
    Told(Box<Told>),
}

/// What follows of the trials so far.
#[derive(Clone, Debug)]
pub struct Told {
    /// In words and tables.
    pub story: Story,
    /// The fastest configuration: of a search that came to its end, the one that won the comparisons.
    pub best: Option<(Point, f64)>,
    /// The two parameters that matter most.
    pub axes: Option<[usize; 2]>,
    /// How many configurations are allowed.
    pub allowed: usize,
}

/// What the worker keeps of projects.
#[derive(Default)]
pub(super) struct Projects {
    /// The data of the project that was asked about last, with what outputs should be; for which project and device.
    problem: Option<((String, usize), Arc<Problem>)>,
    search: Option<Searching>,
}

/// A search under way.
struct Searching {
    id: u64,
    tune: Tune,
    problem: Arc<Problem>,
    file: Option<Trials>,
}

impl Projects {
    /// Whether a search is under way.
    pub fn is_searching(&self) -> bool {
        self.search.is_some()
    }

    /// Ends the search: its request.
    pub fn end(&mut self) -> Option<u64> {
        self.search.take().map(|search| search.id)
    }

    /// Devices are looked for anew: the request of the search, which is over.
    pub fn forget_devices(&mut self) -> Option<u64> {
        self.problem = None;
        self.end()
    }

    /// Answers what is asked.
    pub fn answer(&mut self, job: &ProjectJob, backend: &mut dyn Backend, shared: &Shared, deliver: &Deliver) {
        let watch = Watch { shared, deliver, id: job.id, gives_way: |_| false, rows: (0, 0) };
        let result = match &job.wish {
            ProjectWish::Recall => recall(job, deliver),
            ProjectWish::Check(point) => self.check(job, point, backend, &watch),
            ProjectWish::Explain(point) => self.explain(job, point, backend, &watch),
            ProjectWish::Search(terms) => {
                if let Some(id) = self.end() {
                    deliver(Update::Finished { id, result: Err(Error::cancelled()) });
                }
                match self.begin(job, *terms, backend, &watch) {
                    // It is over when its search is.
                    Ok(()) => return,
                    Err(error) => Err(error),
                }
            }
        };
        deliver(Update::Finished { id: job.id, result });
    }

    /// The data of a project with what its outputs should be.
    fn problem(&mut self, job: &ProjectJob, backend: &mut dyn Backend, watch: &Watch<'_>) -> Result<Arc<Problem>> {
        let (project, device) = (&job.project, job.device.index);
        let name = (projects::name(project, "expected"), device);
        if let Some((_, problem)) = self.problem.as_ref().filter(|(known, _)| *known == name) {
            return Ok(Arc::clone(problem));
        }
        let problem = projects::with_expected(project, device, projects::REFERENCE, backend, watch)?;
        self.problem = Some((name, Arc::clone(&problem)));
        Ok(problem)
    }

    fn check(&mut self, job: &ProjectJob, point: &Point, backend: &mut dyn Backend, watch: &Watch<'_>) -> Result<()> {
        if !job.project.is_allowed(point) {
            return Err(misused("errors.project.not-allowed", &[("label", &job.project.label(point))]));
        }
        let problem = self.problem(job, backend, watch)?;
        let (trial, code) = projects::check(&job.project, point, &job.device, &problem, backend, watch)?;
        tell(watch.deliver, job.id, ProjectNews::Checked(Box::new(trial), code));
        Ok(())
    }

    fn explain(&mut self, job: &ProjectJob, point: &Point, backend: &mut dyn Backend, watch: &Watch<'_>) -> Result<()> {
        let problem = self.problem(job, backend, watch)?;
        let points = [job.project.default_point(), point.clone()];
        let budget = Budget { starts: 1, ..Budget::default() };
        let why = projects::why(&job.project, points, &job.device, &problem, budget, (backend, watch))?;
        tell(watch.deliver, job.id, ProjectNews::Explained(Box::new(why.story())));
        Ok(())
    }

    fn begin(&mut self, job: &ProjectJob, terms: Terms, backend: &mut dyn Backend, watch: &Watch<'_>) -> Result<()> {
        let problem = self.problem(job, backend, watch)?;
        // The time is for the search: a reference may take longer than that.
        let begun = Instant::now();
        let (file, earlier) = match job.trials()? {
            Some((file, earlier)) => (Some(file), earlier),
            None => (None, Vec::new()),
        };
        let mut tune = Tune::new(Arc::clone(&job.project), job.device.index, terms, earlier, begun)?;
        tell(watch.deliver, job.id, ProjectNews::Recalled(tune.trials.clone()));
        tune.rest();
        self.search = Some(Searching { id: job.id, tune, problem, file });
        Ok(())
    }

    /// Tries the next configuration of the search; after the last one, or where it `is_to_end`, the comparisons follow.
    pub fn step(&mut self, is_to_end: bool, backend: &mut dyn Backend, shared: &Shared, deliver: &Deliver) {
        let Some(search) = &mut self.search else { return };
        let id = search.id;
        let watch = Watch { shared, deliver, id, gives_way: |_| false, rows: (search.tune.trials.len(), search.tune.points.len()) };
        search.tune.go_on();
        if is_to_end {
            search.tune.end_search();
        }
        let stepped = search.step(backend, &watch);
        search.tune.rest();
        let result = match stepped {
            Ok(true) => return,
            Ok(false) => Ok(()),
            // The flag is still set: the next turn ends the search.
            Err(error) if error.is_cancelled() => return,
            Err(error) => Err(error),
        };
        self.search = None;
        deliver(Update::Finished { id, result });
    }
}

impl Searching {
    /// True while there is more to do.
    fn step(&mut self, backend: &mut dyn Backend, watch: &Watch<'_>) -> Result<bool> {
        let Some(point) = self.tune.next_point() else {
            let answer = self.tune.finish(&self.problem, backend, watch)?;
            tell(watch.deliver, self.id, told(&self.tune, answer.as_ref(), true));
            return Ok(false);
        };
        let trial = self.tune.take(point, &self.problem, backend, watch)?.clone();
        if let Some(file) = &mut self.file {
            file.add(&trial, &self.tune.project)?;
        }
        tell(watch.deliver, self.id, ProjectNews::Tried(Box::new(trial)));
        tell(watch.deliver, self.id, told(&self.tune, None, false));
        Ok(true)
    }
}

impl ProjectJob {
    /// The file of trials with what it holds, where trials are kept.
    fn trials(&self) -> Result<Option<(Trials, Vec<Trial>)>> {
        let Some(folder) = &self.folder else { return Ok(None) };
        let path = folder.join(projects::kept_name(&self.project, &self.device));
        // Where that fails, opening the file says why.
        let _ = std::fs::create_dir_all(folder);
        let head = Head::new(&self.project, &self.device.name, &self.device.driver());
        Trials::open(&path, &head, &self.project).map(Some)
    }
}

fn recall(job: &ProjectJob, deliver: &Deliver) -> Result<()> {
    // A file that is not there has nothing to tell, and is not made for that.
    let is_there = job.folder.as_ref().is_some_and(|folder| folder.join(projects::kept_name(&job.project, &job.device)).is_file());
    let earlier = if is_there { job.trials()?.map(|(_, earlier)| earlier).unwrap_or_default() } else { Vec::new() };
    let terms = Terms { strategy: Strategy::All, seed: 0, limit: Duration::ZERO, most: 0 };
    let tune = Tune::new(Arc::clone(&job.project), job.device.index, terms, earlier, Instant::now())?;
    tell(deliver, job.id, ProjectNews::Recalled(tune.trials.clone()));
    tell(deliver, job.id, told(&tune, None, false));
    Ok(())
}

fn told(tune: &Tune, answer: Option<&Answer>, is_over: bool) -> ProjectNews {
    let best = match answer {
        Some(answer) => Some((answer.best.clone(), answer.best_ns)),
        None => tune.best().map(|(point, time_ns)| (point.clone(), time_ns)),
    };
    let story = if is_over || !tune.trials.is_empty() { projects::words(tune, answer, is_over) } else { Story::default() };
    ProjectNews::Told(Box::new(Told { story, best, axes: projects::main_parameters(tune), allowed: tune.points.len() }))
}

fn tell(deliver: &Deliver, id: u64, news: ProjectNews) {
    deliver(Update::Project { id, news });
}
