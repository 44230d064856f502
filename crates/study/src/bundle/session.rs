//! A session in the window, as the benchmarks that a bundle has.

use super::{BenchRun, DeviceRun, PictureOrigin, Reading, Recipe, Tested};
use crate::Answer;
use crate::claims::elsewhere::StepThere;
use crate::experiment::{self, PutToTest};
use crate::step_task;
use crate::why::{self, Facts};
use base::texts::Words;
use engine::device::DeviceInfo;
use engine::{Compared, PictureRef, Target, Task};
use kernels::filters::{Ladder, Step};
use model::{Budget, Record};
use std::sync::Arc;

/// Two tasks, the rule that explains how they compare, and what its experiment said; or why there is none.
pub type Experimented = ((Task, Task), String, Result<experiment::Tested, Words>);

/// What a session measured and compared, and where.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// Readings with what they are of, in the order taken.
    pub readings: Vec<(Task, Record)>,
    /// Comparisons, the second against the first.
    pub compared: Vec<((Task, Task), Compared)>,
    /// What experiments said of a rule's explanation of two, in the order made.
    pub experiments: Vec<Experimented>,
    /// The devices of the last scan.
    pub devices: Vec<DeviceInfo>,
    /// How long each reading was sampled.
    pub budget: Budget,
    /// What studies answered, in the order made.
    pub answers: Vec<Arc<Answer>>,
}

impl Session {
    /// A benchmark for each filter with its settings, over each picture. Reads pictures: not for the window's thread.
    #[must_use]
    pub fn runs(&self) -> Vec<BenchRun> {
        let newest = |index: usize, task: &Task| self.readings.iter().skip(index + 1).all(|(later, _)| later != task);
        let readings: Vec<&(Task, Record)> =
            self.readings.iter().enumerate().filter(|(index, (task, _))| newest(*index, task)).map(|(_, reading)| reading).collect();
        let mut subjects: Vec<&Task> = Vec::new();
        for (task, _) in &readings {
            if !subjects.iter().any(|known| is_like(known, task)) {
                subjects.push(task);
            }
        }
        let run = |like: &Task| {
            let own: Vec<&(Task, Record)> = readings.iter().copied().filter(|(task, _)| is_like(like, task)).collect();
            self.run(like, &own)
        };
        subjects.into_iter().map(run).collect()
    }

    fn run(&self, like: &Task, readings: &[&(Task, Record)]) -> BenchRun {
        let tested = |ladder: &&Ladder| self.tested(ladder, like).next().is_some();
        let ladders = like.filter().ladders();
        let has_steps = |ladder: &&Ladder| readings.iter().filter(|(task, _)| step_of(ladder, task).is_some()).count() > 1;
        let ladder = ladders.iter().find(tested).or_else(|| ladders.iter().find(has_steps));
        let on_device = |device: &DeviceInfo| DeviceRun {
            machine: None,
            device: device.clone(),
            readings: readings
                .iter()
                .filter(|(task, record)| is_on(task, record, device))
                .map(|reading| of_ladder(ladder, reading))
                .collect(),
            tested: ladder.map_or_else(Vec::new, |ladder| {
                let there = self.tested(ladder, like).filter(|(_, pair, _)| index_of(&pair.1) == Some(device.index));
                there.filter_map(|(step, pair, compared)| self.step_there(ladder, step, device, pair, compared)).collect()
            }),
        };
        let devices = self.devices.iter().map(on_device).filter(|run| !run.readings.is_empty());
        BenchRun {
            recipe: Recipe {
                ladder: ladder.map(|ladder| ladder.name.to_owned()),
                picture: origin(&like.picture),
                budget: self.budget,
                compares_rows: false,
            },
            cpu: readings.iter().filter(|(task, _)| index_of(task).is_none()).map(|(_, record)| record.clone()).collect(),
            devices: devices.collect(),
        }
    }

    /// The newest comparison of each step with the one that its guide compares it with.
    fn tested<'a>(&'a self, ladder: &'a Ladder, like: &'a Task) -> impl Iterator<Item = (usize, &'a (Task, Task), &'a Compared)> {
        (0..ladder.steps.len()).flat_map(move |index| {
            let mut devices: Vec<usize> = Vec::new();
            let mut found = Vec::new();
            for (pair, compared) in self.compared.iter().rev() {
                let Some(device) = index_of(&pair.1).filter(|device| is_like(like, &pair.1) && !devices.contains(device)) else { continue };
                let against = ladder.steps.get(index).and_then(|step| ladder.steps.get(step.claim?.against));
                let both = ladder.steps.get(index).zip(against);
                if both.is_some_and(|(step, against)| is_step(ladder, step, &pair.1) && is_step(ladder, against, &pair.0)) {
                    devices.push(device);
                    found.push((index, pair, compared));
                }
            }
            found
        })
    }

    fn step_there(&self, ladder: &Ladder, index: usize, device: &DeviceInfo, pair: &(Task, Task), compared: &Compared) -> Option<Tested> {
        let step = ladder.steps.get(index)?;
        let against = ladder.steps.get(step.claim?.against)?;
        let newest = |wanted: &Task| self.readings.iter().rev().find(|(task, _)| task == wanted).map(|(_, record)| record);
        let records = [newest(&pair.0), newest(&pair.1)];
        let facts = Facts::of_pair(&why::Pair { device, tasks: [&pair.0, &pair.1], records, compared: Some(compared) });
        let seen = compared.comparison.verdict.into();
        let reasons = why::explain(seen, &facts);
        let (width, height) = pair.1.picture.size();
        let step = StepThere::of([ladder.name, &step.key, &against.key], step.variant(), [width, height], compared, &reasons);
        let step =
            if self.experiments.iter().any(|(of, ..)| of == pair) { step.put_to_test(&self.put_to_test(pair, seen, &facts)) } else { step };
        Some(Tested { step, pairs: compared.pairs.clone(), places: compared.places })
    }

    /// The reasons of how two compare, each with its newest experiment: those that were tested until one was enough, and of each part one that stands.
    fn put_to_test(&self, pair: &(Task, Task), seen: why::Seen, facts: &Facts) -> Vec<PutToTest> {
        let tested = |rule: &str| {
            let newest = self.experiments.iter().rev().find(|(of, tested, _)| of == pair && tested == rule);
            newest.map_or_else(|| Err(Words::text("experiments.none.not-run")), |(.., tested)| tested.clone())
        };
        let mut told: Vec<PutToTest> = Vec::new();
        for reason in why::candidates(seen, facts) {
            if told.iter().any(|one| one.settles(reason.part)) {
                continue;
            }
            let tested = tested(&reason.rule);
            let stands = told.iter().any(|one| one.reason.part == reason.part && !one.is_refuted());
            if tested.is_ok() || !stands {
                told.push(PutToTest { reason, tested });
            }
        }
        told
    }
}

/// Whether both are of one filter, with the same settings, over the same picture.
fn is_like(one: &Task, other: &Task) -> bool {
    one.spec == other.spec && one.picture == other.picture
}

fn index_of(task: &Task) -> Option<usize> {
    match task.target {
        Target::Device { index, .. } => Some(index),
        Target::Cpu(_) => None,
    }
}

/// Whether it was measured on this device: another one may have had the number since.
fn is_on(task: &Task, record: &Record, device: &DeviceInfo) -> bool {
    let own = device.machine();
    let machine = &record.machine;
    index_of(task) == Some(device.index) && (&machine.device, &machine.driver, &machine.alias) == (&own.device, &own.driver, &own.alias)
}

fn is_step(ladder: &Ladder, step: &Step, task: &Task) -> bool {
    task.local().is_some_and(|free| step_task(ladder, step, task, free) == *task)
}

fn step_of<'a>(ladder: &'a Ladder, task: &Task) -> Option<&'a Step> {
    ladder.steps.iter().find(|step| is_step(ladder, step, task))
}

fn of_ladder(ladder: Option<&Ladder>, (task, record): &(Task, Record)) -> Reading {
    let step = ladder.and_then(|ladder| step_of(ladder, task)).map(|step| step.key.clone());
    Reading { record: record.clone(), step, kernel: None, above: None }
}

fn origin(picture: &PictureRef) -> PictureOrigin {
    let ((width, height), own) = (picture.size(), picture.picture.as_ref());
    if own.alpha().is_some() {
        return PictureOrigin::Own;
    }
    if *own == pictures::generate(width, height, own.channels(), 1) { PictureOrigin::Generated } else { PictureOrigin::of(Some(own)) }
}
