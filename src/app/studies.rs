//! Roofs, and studies of the chosen variant: what was asked of the worker, and what was found so far. It is worked out here when news come, so that panels only
//! have to draw it.

use super::autotune_panel::LIMITS_S;
use super::panes::Pane;
use super::state::{Effect, Job, State};
use crate::engine::{Target, Task};
use crate::filters::Filter;
use crate::model::{Budget, CpuEngine, LocalSize, Record, Roofs, Setting, Variant};
use crate::study::ablation::{self, Ablation, Part, Worth};
use crate::study::{
    AddedCurve, Autotune, Autotuned, Bottleneck, BreakEven, Diagnosis, Finding, LocalSizes, PathStep, Probe, Rivals, SIZES, Search,
    Sequence, SizeSweep, Study, Through, Tuned,
};
use crate::texts::text;
use crate::worker::Bench;
use std::sync::Arc;
use std::time::Duration;

/// Sizes beyond this many pixels take too long to be measured while a person waits; the command line has them.
const MOST_PIXELS: usize = 3840 * 2160;

/// As many studies as a person goes back to.
const MOST_KEPT: usize = 24;

/// What can be asked of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StudyKind {
    /// What it waits for.
    Bottleneck,
    /// What each stage is worth.
    Ablation,
    /// From which picture size on the device wins.
    BreakEven,
    /// Which local work size is best.
    LocalSizes,
    /// Which variant is fastest.
    Autotune,
}

impl StudyKind {
    /// All, in the order of menus.
    pub const ALL: [Self; 5] = [Self::Bottleneck, Self::Ablation, Self::BreakEven, Self::LocalSizes, Self::Autotune];

    /// Keys of the command's label and of what it does.
    #[must_use]
    pub const fn command_keys(self) -> (&'static str, &'static str) {
        match self {
            Self::Bottleneck => ("studies.command.bottleneck", "studies.command.bottleneck-about"),
            Self::Ablation => ("studies.command.ablation", "studies.command.ablation-about"),
            Self::BreakEven => ("studies.command.break-even", "studies.command.break-even-about"),
            Self::LocalSizes => ("studies.command.tune", "studies.command.tune-about"),
            Self::Autotune => ("studies.command.autotune", "studies.command.autotune-about"),
        }
    }

    fn job(self) -> &'static str {
        text(match self {
            Self::Bottleneck => "studies.job.bottleneck",
            Self::Ablation => "studies.job.ablation",
            Self::BreakEven => "studies.job.break-even",
            Self::LocalSizes => "studies.job.tune",
            Self::Autotune => "studies.job.autotune",
        })
    }

    /// Where it is shown.
    #[must_use]
    pub const fn pane(self) -> Pane {
        match self {
            Self::Bottleneck => Pane::Bottleneck,
            Self::Ablation => Pane::Ablation,
            Self::BreakEven => Pane::BreakEven,
            Self::LocalSizes => Pane::LocalSizes,
            Self::Autotune => Pane::Autotune,
        }
    }
}

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
    /// Of which variant, over which picture.
    pub task: Task,
    /// How it stands.
    pub stand: Stand,
    /// What it found.
    pub answer: Answer,
}

/// What studies found, worked out.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Time against added work.
    Bottleneck {
        /// The comparisons.
        findings: Vec<Finding>,
        /// Time against added work so far.
        curves: Vec<AddedCurve>,
        /// What follows of them, once all are there.
        diagnosis: Option<Diagnosis>,
    },
    /// Stages taken apart.
    Ablation {
        /// What is compared.
        parts: Vec<Part>,
        /// The comparisons.
        findings: Vec<Finding>,
        /// What follows of them.
        found: Ablation,
    },
    /// Records of the device and of all competitors.
    BreakEven {
        /// By sizes, from small to large.
        records: Vec<Record>,
        /// Against each competitor.
        results: Vec<BreakEven>,
    },
    /// Times by local work size.
    LocalSizes {
        /// The measurements.
        findings: Vec<Finding>,
        /// What follows of them.
        tuned: Tuned,
    },
    /// The fastest variant and the way to it.
    Autotune {
        /// The readings and comparisons.
        findings: Vec<Finding>,
        /// What follows of them.
        tuned: Autotuned,
        /// From naive to the best one.
        path: Vec<PathStep>,
        /// All of it at once.
        whole: Worth,
        /// What the search is held to.
        setting: Setting,
    },
}

impl Answer {
    fn new(kind: StudyKind, variant: &Variant, filter: &Filter, setting: Setting) -> Self {
        match kind {
            StudyKind::Bottleneck => Self::Bottleneck { findings: Vec::new(), curves: Vec::new(), diagnosis: None },
            StudyKind::Ablation => {
                let parts = ablation::parts(variant, filter, setting);
                Self::Ablation { found: Ablation::of(variant, &parts, &[]), parts, findings: Vec::new() }
            }
            StudyKind::BreakEven => Self::BreakEven { records: Vec::new(), results: Vec::new() },
            StudyKind::LocalSizes => Self::LocalSizes { findings: Vec::new(), tuned: Tuned::default() },
            StudyKind::Autotune => {
                Self::Autotune { findings: Vec::new(), tuned: Autotuned::default(), path: Vec::new(), whole: None, setting }
            }
        }
    }

    /// What it is an answer to.
    #[must_use]
    pub const fn kind(&self) -> StudyKind {
        match self {
            Self::Bottleneck { .. } => StudyKind::Bottleneck,
            Self::Ablation { .. } => StudyKind::Ablation,
            Self::BreakEven { .. } => StudyKind::BreakEven,
            Self::LocalSizes { .. } => StudyKind::LocalSizes,
            Self::Autotune { .. } => StudyKind::Autotune,
        }
    }

    fn take_finding(&mut self, task: &Task, finding: Finding) {
        match self {
            Self::Bottleneck { findings, curves, .. } => {
                findings.push(finding);
                *curves = AddedCurve::all(findings, task);
            }
            Self::Ablation { parts, findings, found } => {
                findings.push(finding);
                if let Target::Device { variant, .. } = &task.target {
                    *found = Ablation::of(variant, parts, findings);
                }
            }
            Self::LocalSizes { findings, tuned } => {
                findings.push(finding);
                *tuned = Tuned::of(&*findings);
            }
            Self::Autotune { findings, tuned, path, whole, setting } => {
                findings.push(finding);
                *tuned = Autotuned::of(findings);
                *path = tuned.path(task.filter(), *setting, findings);
                *whole = tuned.whole(findings);
            }
            Self::BreakEven { .. } => {}
        }
    }

    fn take_record(&mut self, task: &Task, record: &Record) {
        match self {
            Self::BreakEven { records, results } => {
                records.push(record.clone());
                let rivals = Rivals::of(records);
                *results = CpuEngine::ALL.map(|engine| BreakEven::of(&rivals, engine)).to_vec();
            }
            Self::LocalSizes { .. } => self.take_finding(task, Finding::Record(task.clone(), Box::new(record.clone()))),
            Self::Bottleneck { .. } | Self::Ablation { .. } | Self::Autotune { .. } => {}
        }
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
    pub fn of(&self, kind: StudyKind, task: &Task) -> Option<&Studied> {
        let is_of = |studied: &&Studied| {
            studied.answer.kind() == kind
                && match kind {
                    StudyKind::Bottleneck | StudyKind::Ablation => studied.task == *task,
                    StudyKind::BreakEven => (&studied.task.spec, studied.task.target) == (&task.spec, task.target),
                    StudyKind::LocalSizes => studied.task.with_local(LocalSize::Driver) == task.with_local(LocalSize::Driver),
                    StudyKind::Autotune => {
                        let any = |task: &Task| task.with_variant(Variant::naive()).with_local(LocalSize::Driver);
                        any(&studied.task) == any(task)
                    }
                }
        };
        self.all.iter().rev().find(is_of)
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

    /// Takes what a probe of a study brought; nothing where it is of no study.
    pub(super) fn take_finding(&mut self, id: u64, finding: Finding) {
        if let Some(studied) = self.running(id) {
            studied.answer.take_finding(&studied.task, finding);
        }
    }

    /// Takes a record of a study; false where it is of none.
    pub(super) fn take_record(&mut self, id: u64, task: &Task, record: &Record) -> bool {
        let studied = self.running(id);
        let is_of_study = studied.is_some();
        if let Some(studied) = studied {
            studied.answer.take_record(task, record);
        }
        is_of_study
    }

    /// Takes what follows from a bottleneck test.
    pub(super) fn take_diagnosis(&mut self, id: u64, found: Diagnosis) {
        if let Some(Studied { answer: Answer::Bottleneck { diagnosis, .. }, .. }) = self.running(id) {
            *diagnosis = Some(found);
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
        self.all.retain(|studied| studied.answer.kind() == StudyKind::BreakEven || studied.stand == Stand::Running);
    }
}

impl State {
    /// The newest study of what is chosen, on the first device where a CPU competitor is.
    #[must_use]
    pub fn studied(&self, kind: StudyKind) -> Option<&Studied> {
        self.studies.of(kind, &self.task_on_device()?)
    }

    /// Starts a study of what is chosen, and shows its panel.
    pub(super) fn study(&mut self, kind: StudyKind) -> Vec<Effect> {
        let Some(task) = self.task_on_device() else { return Vec::new() };
        let Target::Device { variant, .. } = task.target else { return Vec::new() };
        let setting = self.study_setting(&task);
        let mut answer = Answer::new(kind, &variant, task.filter(), setting);
        let study: Box<dyn Study> = match &answer {
            Answer::Bottleneck { .. } => Box::new(Bottleneck::new(task.clone())),
            Answer::Ablation { parts, .. } => Box::new(Sequence::new(ablation::probes(&variant, parts, &task))),
            Answer::BreakEven { .. } => {
                let sizes = SIZES.into_iter().filter(|(width, height)| width * height <= MOST_PIXELS);
                Box::new(SizeSweep::new(task.clone(), sizes))
            }
            Answer::LocalSizes { .. } => {
                let Some(device) = self.device_of(&task).cloned() else { return Vec::new() };
                // One that was cancelled, or a shorter one, is gone on with; what was disturbed is measured again.
                let earlier: Vec<Finding> = match self.studies.of(kind, &task).map(|studied| &studied.answer) {
                    Some(Answer::LocalSizes { findings, .. }) => findings.iter().filter(|finding| !finding.is_busy()).cloned().collect(),
                    _ => Vec::new(),
                };
                answer = Answer::LocalSizes { tuned: Tuned::of(&earlier), findings: earlier.clone() };
                Box::new(LocalSizes::new(task.clone(), self.studies.search, device, earlier))
            }
            Answer::Autotune { .. } => {
                let Some(device) = self.device_of(&task).cloned() else { return Vec::new() };
                Box::new(Autotune::new(task.clone(), device, Through::Guided, self.studies.limit))
            }
        };
        let id = self.post(Job::Bench(kind.job().to_owned()));
        self.studies.push(Studied { id, task, stand: Stand::Running, answer });
        self.bring_in_front(kind.pane());
        vec![Effect::Bench(Bench { id, study, budget: Budget::default() })]
    }

    /// What the device of a task and what is computed allow.
    fn study_setting(&self, task: &Task) -> Setting {
        let setting = task.setting();
        self.device_of(task).map_or(setting, |device| setting.on(device.abilities()))
    }

    /// Why the chosen variant cannot be studied now.
    pub(super) fn why_no_study(&self, kind: StudyKind) -> Option<&'static str> {
        let Some(task) = self.task_on_device() else { return Some(text("window.why-not.needs-picture")) };
        let is_running = self.studies.of(kind, &task).is_some_and(|studied| studied.stand == Stand::Running);
        let is_naive = matches!(task.target, Target::Device { variant, .. } if variant == Variant::naive());
        match kind {
            _ if is_running => Some(text("studies.why-not.running")),
            StudyKind::Ablation if is_naive => Some(text("studies.why-not.naive")),
            _ => None,
        }
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
