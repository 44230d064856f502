//! Roofs, and studies of the chosen variant: what was asked of the worker, and what was found so far. The worker works out what follows, so that panels only have to
//! draw it.

use super::autotune_panel::LIMITS_S;
use super::panes::Pane;
use super::state::{Effect, Job, State};
use crate::runner::Bench;
use base::texts::text;
use engine::{Target, Task};
use model::{Budget, Roofs, Setting};
use std::sync::Arc;
use std::time::Duration;
use study::{Finding, Kind, Probe, Question, Search, Sequence, Subject};
use view::story::Story;

/// Sizes beyond this many pixels take too long to be measured while a person waits; the command line has them.
const MOST_PIXELS: usize = 3840 * 2160;

/// As many studies as a person goes back to.
const MOST_KEPT: usize = 24;

/// How a study stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stand {
    /// The worker is at it, or will be.
    Running,
    /// All was measured.
    Done,
    /// It was cancelled, or failed.
    Cut,
}

/// A study with what it found so far.
#[derive(Clone, Debug)]
pub struct Studied {
    /// The request.
    pub id: u64,
    /// What is asked.
    pub kind: &'static Kind,
    /// Of which variant, over which picture.
    pub task: Task,
    /// How it stands.
    pub stand: Stand,
    /// What its probes brought.
    pub findings: Vec<Finding>,
    /// What follows of it so far.
    pub story: Option<Story>,
}

impl Studied {
    /// What follows so far, with what it is of.
    #[must_use]
    pub fn titled(&self) -> Option<Story> {
        let title = self.kind.title(&self.task);
        Some(Story { title: Some(title), ..self.story.clone()? })
    }
}

/// All studies of this session, the newest last.
#[derive(Clone, Debug)]
pub struct Studies {
    all: Vec<Studied>,
    /// How many local work sizes the next search tries.
    pub search: Search,
    /// How long the next search for the fastest variant may take.
    pub limit: Duration,
}

impl Default for Studies {
    fn default() -> Self {
        Self { all: Vec::new(), search: Search::default(), limit: Duration::from_secs(LIMITS_S[0]) }
    }
}

impl Studies {
    /// The newest study of that kind of this variant here: over the same picture, unless the study brings pictures of its own.
    #[must_use]
    pub fn of(&self, kind: &'static Kind, task: &Task) -> Option<&Studied> {
        self.all.iter().rev().find(|studied| studied.kind == kind && kind.subject.is_same(&studied.task, task))
    }

    /// The newest that has something to tell.
    #[must_use]
    pub fn last(&self) -> Option<&Studied> {
        self.all.iter().rev().find(|studied| studied.story.is_some())
    }

    fn running(&mut self, id: u64) -> Option<&mut Studied> {
        self.all.iter_mut().find(|studied| studied.id == id && studied.stand == Stand::Running)
    }

    fn push(&mut self, studied: Studied) {
        self.all.push(studied);
        if self.all.len() > MOST_KEPT {
            self.all.remove(0);
        }
    }

    /// Takes what a probe of a study brought; false where it is of none.
    pub(super) fn take_finding(&mut self, id: u64, finding: &Finding) -> bool {
        let studied = self.running(id);
        let is_of_study = studied.is_some();
        if let Some(studied) = studied {
            studied.findings.push(finding.clone());
        }
        is_of_study
    }

    /// Takes what follows of a study so far.
    pub(super) fn take_story(&mut self, id: u64, story: Story) {
        if let Some(studied) = self.running(id) {
            studied.story = Some(story);
        }
    }

    /// The study of that request, where all was measured.
    pub(super) fn done(&self, id: u64) -> Option<&Studied> {
        self.all.iter().find(|studied| studied.id == id && studied.stand == Stand::Done)
    }

    /// A request is over.
    pub(super) fn end(&mut self, id: u64, is_done: bool) {
        if let Some(studied) = self.running(id) {
            studied.stand = if is_done { Stand::Done } else { Stand::Cut };
        }
    }

    /// The worker has forgotten all requests.
    pub(super) fn end_all(&mut self) {
        for studied in self.all.iter_mut().filter(|studied| studied.stand == Stand::Running) {
            studied.stand = Stand::Cut;
        }
    }

    /// Drops what is of the picture that gives way to another; a study that runs is let go on.
    pub(super) fn forget_picture(&mut self) {
        self.all.retain(|studied| studied.kind.subject.has_own_pictures() || studied.stand == Stand::Running);
    }
}

impl State {
    /// The newest study of what is chosen, on the first device where a CPU competitor is.
    #[must_use]
    pub fn studied(&self, kind: &'static Kind) -> Option<&Studied> {
        self.studies.of(kind, &self.task_on_device()?)
    }

    /// Starts a study of what is chosen, and shows its panel.
    pub(super) fn study(&mut self, kind: &'static Kind) -> Vec<Effect> {
        let Some(task) = self.task_on_device() else { return Vec::new() };
        let Some(device) = self.device_of(&task).cloned() else { return Vec::new() };
        // One that was cancelled, or a shorter one, is gone on with; what was disturbed is measured again.
        let last = self.studies.of(kind, &task).filter(|_| kind.goes_on);
        let earlier: Vec<Finding> =
            last.map_or_else(Vec::new, |studied| studied.findings.iter().filter(|finding| !finding.is_busy()).cloned().collect());
        let sizes = match kind.subject {
            Subject::Sizes(sizes) => sizes.iter().copied().filter(|(width, height)| width * height <= MOST_PIXELS).collect(),
            Subject::Variant | Subject::AnyLocal | Subject::Filter => Vec::new(),
        };
        let question = Question {
            task: task.clone(),
            setting: self.study_setting(&task),
            roofs: self.device_roofs(&device).cloned(),
            device,
            sizes,
            earlier: earlier.clone(),
            search: self.studies.search,
            limit: self.studies.limit,
        };
        let study = (kind.begin)(question);
        let id = self.post(Job::Bench(kind.text("job", "").to_owned()));
        let story = study.conclude(&[], false);
        self.studies.push(Studied { id, kind, task, stand: Stand::Running, findings: earlier, story });
        self.bring_in_front(Pane::Study(kind));
        vec![Effect::Bench(Bench { id, study, budget: Budget::default() })]
    }

    /// What the device of a task and what is computed allow.
    pub(super) fn study_setting(&self, task: &Task) -> Setting {
        let setting = task.setting();
        self.device_of(task).map_or(setting, |device| setting.on(device.abilities()))
    }

    /// Why the chosen variant cannot be studied now.
    pub(super) fn why_no_study(&self, kind: &'static Kind) -> Option<&'static str> {
        let Some(task) = self.task_on_device() else { return Some(text("window.why-not.needs-picture")) };
        if self.studies.of(kind, &task).is_some_and(|studied| studied.stand == Stand::Running) {
            return Some(text("studies.why-not.running"));
        }
        let Target::Device { variant, .. } = &task.target else { return None };
        (kind.why_not)(variant).map(text)
    }

    /// Measures what the device can do at most, and shows its panel.
    pub(super) fn measure_roofs(&mut self) -> Vec<Effect> {
        let Some(device) = self.device_or_first().map(|device| device.index) else { return Vec::new() };
        let id = self.post(Job::Bench(text("studies.job.roofs").to_owned()));
        self.roofs_request = Some(id);
        self.bring_in_front(Pane::Roofline);
        vec![Effect::Bench(Bench { id, study: Box::new(Sequence::new([Probe::Roofs(device)])), budget: Budget::default() })]
    }

    /// Whether roofs are being measured.
    #[must_use]
    pub fn is_measuring_roofs(&self) -> bool {
        self.roofs_request.is_some_and(|id| self.pending_of(id).is_some())
    }

    /// Takes what a device can do at most in the place of what was known of it; not what was measured on a busy machine in the place of a quiet one's.
    pub(super) fn take_roofs(&mut self, roofs: Arc<Roofs>) {
        match self.roofs.iter_mut().find(|known| super::state::is_same_machine(&known.machine, &roofs.machine)) {
            Some(known) if roofs.is_busy() && !known.is_busy() => {}
            Some(known) => *known = roofs,
            None => self.roofs.push(roofs),
        }
    }
}
