//! What of many files belongs together: students with their devices, steps with what they did on each, votes, tasks.

use super::{HandedIn, Kept, LessonDone, Sent, TaskDone, TaskKind, TaskState};
use engine::device::DeviceInfo;
use kernels::filters::{self, Ladder, Says};
use model::measure::Comparison;
use std::collections::{BTreeMap, BTreeSet};
use study::bundle::{Bundle, DeviceRun};
use study::predict::votes::Votes;
use study::predict::{Change, is_decided};
use study::{PredictionRecord, Seen, device_hash};

/// Who sent a file: what they want to be called, and their machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Student {
    /// What they want to be called.
    pub alias: Option<String>,
    /// The machine's label.
    pub machine: String,
}

impl Student {
    /// The alias, or else the machine's label.
    #[must_use]
    pub fn label(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.machine)
    }
}

/// All that a class handed in.
#[derive(Clone, Debug, Default)]
pub struct Class {
    /// Files that were handed in.
    pub files: usize,
    /// So many of them are bundles.
    pub bundles: usize,
    /// So many gave way to a later one by the same student.
    pub replaced: usize,
    /// Some of them are made up.
    pub is_made_up: bool,
    /// Rows of other versions, which cannot be shown.
    pub unknown: usize,
    /// Who handed them in.
    pub students: BTreeSet<Student>,
    /// Kinds of devices, the most frequent one first.
    pub kinds: Vec<Kind>,
    /// Devices whose kind is in none of the files.
    pub nameless: usize,
    /// Steps that anybody predicted or measured, ladder by ladder.
    pub steps: Vec<Step>,
    /// Tasks by lesson and screen.
    pub lessons: BTreeMap<String, BTreeMap<usize, Tally>>,
}

/// A kind of device: the same name on the same platform.
#[derive(Clone, Debug)]
pub struct Kind {
    /// Its name with its platform.
    pub name: String,
    /// One of them.
    pub info: DeviceInfo,
    /// Their drivers.
    pub drivers: BTreeSet<String>,
    /// How many there are.
    pub count: usize,
}

/// Which step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StepKey {
    /// The ladder, or the lesson.
    pub ladder: String,
    /// The step or screen, from 0.
    pub index: usize,
    /// The step's key; of a screen the two variants.
    pub step: String,
    /// The key of the step that it was compared with; empty for a screen.
    pub against: String,
}

impl StepKey {
    /// The ladder, where this version has it: a screen of a lesson has none.
    #[must_use]
    pub fn ladder(&self) -> Option<&'static Ladder> {
        filters::ladder(&self.ladder)
    }

    /// What the step's guide says of it in comparison with the one that it was compared with.
    #[must_use]
    pub fn says(&self) -> Option<Says> {
        let ladder = self.ladder()?;
        let claim = ladder.steps.get(self.index)?.claim?;
        (ladder.steps.get(claim.against)?.key == self.against).then_some(claim.says)
    }
}

/// A step as a class saw it.
#[derive(Clone, Debug)]
pub struct Step {
    /// Which.
    pub key: StepKey,
    /// What it did, device by device.
    pub dots: Vec<Dot>,
    /// What was answered, in the order of [`Change::ALL`].
    pub answers: [Answers; 5],
    /// Reasons that were chosen, and those of them that are right.
    pub reasons: (usize, usize),
    /// Hands that were counted, with what was true there.
    pub hands: Vec<(Votes, Vec<Change>)>,
}

impl Step {
    /// How many answered.
    #[must_use]
    pub fn voters(&self) -> usize {
        self.answers.iter().map(Answers::all).sum()
    }

    /// The median of the speed-ups with the least and the most; `None` where nothing was measured.
    #[must_use]
    pub fn speed_ups(&self) -> Option<[f64; 3]> {
        let mut ratios: Vec<f64> = self.dots.iter().map(|dot| dot.comparison.ratio).collect();
        ratios.sort_by(f64::total_cmp);
        Some([*ratios.first()?, median(&ratios)?, *ratios.last()?])
    }

    /// On how many devices the guide's claim was confirmed, and on how many it was tested.
    #[must_use]
    pub fn confirmed(&self) -> Option<(usize, usize)> {
        let seen: Vec<Seen> = self.dots.iter().filter_map(|dot| dot.seen).collect();
        (!seen.is_empty()).then(|| (seen.iter().filter(|seen| **seen == Seen::Confirmed).count(), seen.len()))
    }
}

/// The median of what is sorted.
#[must_use]
pub fn median(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    // Of an even number the middle of two, on the logarithmic scale that ratios are shown on.
    if sorted.len().is_multiple_of(2) { Some((sorted.get(middle - 1)? * upper).sqrt()) } else { Some(upper) }
}

/// What a step did on one device.
#[derive(Clone, Debug, PartialEq)]
pub struct Dot {
    /// Whose.
    pub student: Student,
    /// Its place in [`Class::kinds`]; `None` where the files do not say.
    pub kind: Option<usize>,
    /// The speed-up with its interval.
    pub comparison: Comparison,
    /// Width and height of the picture.
    pub size_px: [usize; 2],
    /// Whether other programs were running.
    pub is_busy: bool,
    /// What came of the guide's claim.
    pub seen: Option<Seen>,
}

/// How many gave an answer, by whether it is right on their own device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// It is.
    pub right: usize,
    /// It is not.
    pub wrong: usize,
    /// The interval there does not decide it.
    pub open: usize,
}

impl Answers {
    /// All of them.
    #[must_use]
    pub fn all(&self) -> usize {
        self.right + self.wrong + self.open
    }
}

/// What became of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// What was asked.
    pub kind: TaskKind,
    /// Reached or answered.
    pub done: usize,
    /// Passed over.
    pub skipped: usize,
    /// Neither.
    pub open: usize,
    /// Answers of which the lesson says whether they are right, and those that are.
    pub judged: (usize, usize),
}

/// A dot before it is known of which kind its device is, with what decides between two of one device: the later one, of one file that with its pairs.
struct Found<'a> {
    rank: (&'a str, bool, u64),
    dot: Dot,
}

type Dots<'a> = BTreeMap<(StepKey, Student, String), Found<'a>>;

impl Class {
    /// Puts together what was handed in, in this order.
    #[must_use]
    pub fn of(handed_in: &[HandedIn]) -> Self {
        let mut class = Self { files: handed_in.len(), ..Self::default() };
        let sent: Vec<&Sent> =
            handed_in.iter().filter_map(|file| if let HandedIn::Sent(sent) = file { Some(&**sent) } else { None }).collect();
        let bundles: Vec<&Bundle> =
            handed_in.iter().filter_map(|file| if let HandedIn::Bundle(bundle) = file { Some(bundle) } else { None }).collect();
        class.bundles = bundles.len();
        class.is_made_up = sent.iter().any(|sent| sent.is_made_up);
        let latest = latest(&sent);
        class.replaced = sent.len() - latest.len();
        let mut devices: BTreeMap<(Student, String), Option<DeviceInfo>> = BTreeMap::new();
        let mut found = Dots::new();
        for sent in &latest {
            let student = sent.student();
            class.students.insert(student.clone());
            for (_, run) in sent.bundle.devices() {
                devices.insert((student.clone(), device_hash(&run.device)), Some(run.device.clone()));
                measured(run, &student, &sent.written, &mut found);
            }
            let known = sent.devices.iter().map(|info| (device_hash(info), info)).collect::<BTreeMap<_, _>>();
            for record in records(sent) {
                predicted(record, &student, &sent.written, &mut found);
                let info = known.get(&record.device).map(|info| (*info).clone());
                let there = devices.entry((student.clone(), record.device.clone())).or_default();
                *there = there.take().or(info);
            }
            let foreign: usize = sent.bundle.foreign.iter().map(|run| run.records.len()).sum();
            class.unknown += foreign + sent.predictions.len() - records(sent).count() + unknown(&sent.lessons);
            class.add_tasks(sent);
        }
        for bundle in bundles {
            class.unknown += bundle.foreign.iter().map(|run| run.records.len()).sum::<usize>();
            for (_, run) in bundle.devices() {
                let student = Student { alias: None, machine: run.machine.clone().unwrap_or_default() };
                class.students.insert(student.clone());
                devices.insert((student.clone(), device_hash(&run.device)), Some(run.device.clone()));
                let date = run.readings.iter().map(|reading| reading.record.date.as_str()).max().unwrap_or_default();
                measured(run, &student, date, &mut found);
            }
        }
        let kind_of = class.add_kinds(&devices);
        class.add_steps(found, &kind_of);
        for sent in &latest {
            class.add_votes(sent);
        }
        class.steps.sort_by_key(|step| order(&step.key));
        class
    }

    /// Whether anybody predicted anything.
    #[must_use]
    pub fn has_votes(&self) -> bool {
        self.steps.iter().any(|step| step.voters() > 0 || !step.hands.is_empty())
    }

    /// How many devices there are.
    #[must_use]
    pub fn devices(&self) -> usize {
        self.kinds.iter().map(|kind| kind.count).sum::<usize>() + self.nameless
    }

    /// Sorts devices by kind; gives the kind of each by its hash. Who did not say what it is may have one like somebody else's.
    fn add_kinds(&mut self, devices: &BTreeMap<(Student, String), Option<DeviceInfo>>) -> BTreeMap<String, usize> {
        let known: BTreeMap<&String, &DeviceInfo> = devices.iter().filter_map(|((_, hash), info)| Some((hash, info.as_ref()?))).collect();
        let mut kinds: BTreeMap<String, Kind> = BTreeMap::new();
        for (_, hash) in devices.keys() {
            let Some(info) = known.get(hash) else {
                self.nameless += 1;
                continue;
            };
            let name = name_of(info);
            let kind = kinds.entry(name.clone()).or_insert_with(|| Kind {
                name,
                info: DeviceInfo { host: None, ..(*info).clone() },
                drivers: BTreeSet::new(),
                count: 0,
            });
            kind.drivers.insert(info.driver());
            kind.count += 1;
        }
        self.kinds = kinds.into_values().collect();
        self.kinds.sort_by_key(|kind| std::cmp::Reverse(kind.count));
        let place = |info: &DeviceInfo| self.kinds.iter().position(|kind| kind.name == name_of(info));
        known.into_iter().filter_map(|(hash, info)| Some((hash.clone(), place(info)?))).collect()
    }

    fn add_steps(&mut self, found: Dots<'_>, kind_of: &BTreeMap<String, usize>) {
        for ((key, _, hash), Found { dot, .. }) in found {
            let dot = Dot { kind: kind_of.get(&hash).copied(), ..dot };
            self.step(key).dots.push(dot);
        }
        for step in &mut self.steps {
            step.dots.sort_by(|one, other| one.comparison.ratio.total_cmp(&other.comparison.ratio));
        }
    }

    /// Of each student the first answer to a step counts: who answers again may remember.
    fn add_votes(&mut self, sent: &Sent) {
        let mut answered: BTreeSet<StepKey> = BTreeSet::new();
        let mut in_order: Vec<&PredictionRecord> = records(sent).collect();
        in_order.sort_by_key(|record| record.order);
        for record in in_order {
            let (key, truth) = (key_of(record), &record.predicted.truth);
            if let Some(votes) = record.votes {
                self.step(key).hands.push((votes, truth.clone()));
                continue;
            }
            let Some(guess) = record.predicted.guess else { continue };
            if !answered.insert(key.clone()) {
                continue;
            }
            let step = self.step(key);
            if let Some(answers) = step.answers.get_mut(guess.change.index()) {
                match (is_decided(truth), truth.contains(&guess.change)) {
                    (false, _) => answers.open += 1,
                    (true, true) => answers.right += 1,
                    (true, false) => answers.wrong += 1,
                }
            }
            if let Some(is_right) = record.predicted.has_right_reason {
                step.reasons.0 += 1;
                step.reasons.1 += usize::from(is_right);
            }
        }
    }

    fn add_tasks(&mut self, sent: &Sent) {
        for LessonDone { lesson, tasks } in sent.lessons.iter().filter_map(Kept::known) {
            let there = self.lessons.entry(lesson.clone()).or_default();
            for &TaskDone { screen, kind, state, is_right, .. } in tasks {
                let tally = there.entry(screen).or_insert(Tally { kind, done: 0, skipped: 0, open: 0, judged: (0, 0) });
                match state {
                    TaskState::Done => tally.done += 1,
                    TaskState::Skipped => tally.skipped += 1,
                    TaskState::Open => tally.open += 1,
                }
                if let Some(is_right) = is_right {
                    tally.judged.0 += 1;
                    tally.judged.1 += usize::from(is_right);
                }
            }
        }
    }

    /// The step of that key, which is added where it is not there yet.
    fn step(&mut self, key: StepKey) -> &mut Step {
        let index = self.steps.iter().position(|step| step.key == key).unwrap_or(self.steps.len());
        if index == self.steps.len() {
            let step = Step { key, dots: Vec::new(), answers: Default::default(), reasons: (0, 0), hands: Vec::new() };
            self.steps.push(step);
        }
        // One was just put there.
        #[expect(clippy::indexing_slicing, reason = "the index is that of a step that is there")]
        &mut self.steps[index]
    }
}

/// Of each student the latest file; of two of one time the one that was named last.
fn latest<'a>(sent: &[&'a Sent]) -> Vec<&'a Sent> {
    let is_later = |one: usize, other: usize, at: &[&Sent]| {
        let date = |index: usize| at.get(index).map(|sent| sent.written.as_str());
        (date(one), one) > (date(other), other)
    };
    let is_latest = |index: usize, of: &Sent| {
        let mut others = sent.iter().enumerate().filter(|(_, other)| other.student() == of.student());
        others.all(|(other, _)| other == index || is_later(index, other, sent))
    };
    sent.iter().enumerate().filter(|(index, of)| is_latest(*index, of)).map(|(_, sent)| *sent).collect()
}

/// The predictions that this version understands.
fn records(sent: &Sent) -> impl Iterator<Item = &PredictionRecord> {
    sent.predictions.iter().filter_map(Kept::known).filter(|record| record.schema == PredictionRecord::SCHEMA)
}

fn unknown<T>(rows: &[Kept<T>]) -> usize {
    rows.iter().filter(|row| row.known().is_none()).count()
}

fn name_of(info: &DeviceInfo) -> String {
    DeviceInfo { host: None, ..info.clone() }.display_name()
}

/// Ladders in the order of the program, lessons behind them, and steps in theirs.
fn order(key: &StepKey) -> (usize, StepKey) {
    let place = filters::ladders().enumerate().find(|(_, ladder)| ladder.name == key.ladder).map_or(usize::MAX, |(place, _)| place);
    (place, key.clone())
}

/// Which step a prediction is of.
fn key_of(record: &PredictionRecord) -> StepKey {
    let (name, step) = (record.predicted.ladder.clone(), record.step_key.clone());
    let Some(ladder) = filters::ladder(&name) else {
        return StepKey { ladder: name, index: record.predicted.step, step, against: String::new() };
    };
    let index = ladder.steps.iter().position(|known| known.key == step).unwrap_or(record.predicted.step);
    let against = ladder.steps.get(record.against).map_or_else(String::new, |against| against.key.clone());
    StepKey { ladder: name, index, step, against }
}

/// A ratio that can be shown.
fn is_ratio(comparison: &Comparison) -> bool {
    [comparison.ratio, comparison.low, comparison.high].iter().all(|value| value.is_finite() && *value > 0.0)
}

fn put<'a>(found: &mut Dots<'a>, key: StepKey, hash: String, new: Found<'a>) {
    let place = (key, new.dot.student.clone(), hash);
    match found.get(&place) {
        Some(known) if known.rank > new.rank => {}
        _ => {
            found.insert(place, new);
        }
    }
}

/// The steps of a device that were compared with all their pairs kept; those of another version's ladders are left out.
fn measured<'a>(run: &DeviceRun, student: &Student, date: &'a str, found: &mut Dots<'a>) {
    let hash = device_hash(&run.device);
    for tested in run.tested.iter().filter(|tested| tested.step.is_current() && is_ratio(&tested.step.comparison)) {
        let there = &tested.step;
        let index = filters::ladder(&there.ladder).and_then(|ladder| ladder.steps.iter().position(|step| step.key == there.step));
        let key = StepKey {
            ladder: there.ladder.clone(),
            index: index.unwrap_or_default(),
            step: there.step.clone(),
            against: there.against.clone(),
        };
        let seen = key.says().map(|says| there.seen(says));
        let dot = Dot {
            student: student.clone(),
            kind: None,
            comparison: there.comparison,
            size_px: there.size_px,
            is_busy: there.is_busy,
            seen,
        };
        let pixels = there.size_px.iter().product::<usize>() as u64;
        put(found, key, hash.clone(), Found { rank: (date, true, pixels), dot });
    }
}

/// What was seen after a prediction.
fn predicted<'a>(record: &PredictionRecord, student: &Student, date: &'a str, found: &mut Dots<'a>) {
    if !is_ratio(&record.comparison) {
        return;
    }
    let key = key_of(record);
    let seen = key.says().map(|says| Seen::of(says, &record.comparison));
    let dot = Dot {
        student: student.clone(),
        kind: None,
        comparison: record.comparison,
        size_px: [record.width_px, record.height_px],
        is_busy: record.busy,
        seen,
    };
    put(found, key, record.device.clone(), Found { rank: (date, false, record.order), dot });
}
