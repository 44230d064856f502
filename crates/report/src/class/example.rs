//! Made-up files: what a class could hand in, for who wants to see the page before there is one. They say in themselves that they are made up.

use super::{Kept, LessonDone, Sent, TaskDone, TaskKind, TaskState};
use base::error::Result;
use base::texts::Language;
use engine::Compared;
use engine::device::{DeviceInfo, DeviceKind};
use fastrand::Rng;
use kernels::filters::{self, Ladder, Says};
use model::measure::{Pair, Places, compare};
use model::{Budget, FilterId};
use study::bundle::{self, Aliases, BenchRun, Bundle, DeviceRun, PictureOrigin, Recipe};
use study::claims::elsewhere::StepThere;
use study::lessons::{Item, Lesson, Screen, Shelf};
use study::predict::{Bot, Change, Guess, Predicted, truth};
use study::why;
use study::{Asked, PredictionRecord};

/// The ladder that all of them climb.
const LADDER: &str = "mali-t600";

/// So many of the built-in lessons were opened.
const LESSONS: usize = 2;

/// Width and height of the picture.
const SIZE_PX: [usize; 2] = [1024, 1024];

/// By how much devices of one kind differ, from the slowest to the fastest.
const NOISE_LN: f64 = 0.2;

/// Of each comparison, in so many processes.
const PAIRS: usize = 24;
const STARTS: usize = 3;

/// Of the steps, what a kind of device makes of them is the same for all seeds.
const KINDS: [(&str, DeviceKind, u32); 3] =
    [("Made-up-GPU-A", DeviceKind::Gpu, 32), ("Made-up-GPU-B", DeviceKind::Gpu, 8), ("Made-up-CPU", DeviceKind::Cpu, 8)];

/// Natural logarithms of the speed-ups that each kind has: ladder steps and screens take theirs in turn.
const SPEED_UPS_LN: [[f64; 8]; 3] = [
    [0.55, 0.0, 0.02, 0.7, -0.12, 0.25, -0.5, 0.1],
    [0.9, 0.45, 0.12, 0.3, 0.35, -0.2, -0.05, 1.3],
    [1.4, -0.3, 0.0, 0.08, 0.15, 0.02, 0.4, 2.1],
];

/// So many files, the same ones for the same seed.
///
/// # Errors
/// Never for plain data.
pub fn made_up(students: usize, seed: u64) -> Result<Vec<Sent>> {
    let mut rng = Rng::with_seed(seed);
    (0..students).map(|index| Student { index, rng: rng.fork() }.sent()).collect()
}

/// Nobody.
struct Student {
    index: usize,
    rng: Rng,
}

impl Student {
    fn kind(&self) -> usize {
        // Half of them have the first kind.
        [0, 1, 0, 2].get(self.index % 4).copied().unwrap_or(0)
    }

    fn device(&self) -> DeviceInfo {
        let (name, kind, compute_units) = KINDS.get(self.kind()).copied().unwrap_or(("", DeviceKind::Other, 1));
        let own =
            DeviceInfo { name: name.to_owned(), platform: "Made-up-platform".to_owned(), kind, compute_units, ..DeviceInfo::example() };
        DeviceInfo { vendor: "Made-up-vendor".to_owned(), ..own }
    }

    fn sent(mut self) -> Result<Sent> {
        let number = self.index + 1;
        let device = self.device();
        let shelf = Shelf::default();
        let lessons: Vec<(String, &Lesson)> = shelf
            .names()
            .into_iter()
            .take(LESSONS)
            .filter_map(|name| Some((name.to_owned(), &**shelf.find(name, Language::English)?)))
            .collect();
        let (mut predictions, mut tested) = (Vec::new(), Vec::new());
        let ladder = filters::all().iter().find_map(|filter| filter.ladder(LADDER));
        for (ladder, index) in ladder.into_iter().flat_map(|ladder| (0..ladder.steps.len()).map(move |index| (ladder, index))) {
            self.climb(ladder, index, &device, &mut predictions, &mut tested);
        }
        for (name, lesson) in &lessons {
            for (index, screen) in lesson.screens.iter().enumerate() {
                self.predict_screen(name, index, screen, &device, &mut predictions);
            }
        }
        for (order, record) in (1..).zip(&mut predictions) {
            record.order = order;
        }
        let machine = format!("made-up-machine-{number:02}");
        let mut bundle = Bundle::default();
        let recipe =
            Recipe { ladder: Some(LADDER.to_owned()), picture: PictureOrigin::Generated, budget: Budget::default(), compares_rows: false };
        let devices = vec![DeviceRun { machine: None, device: device.clone(), readings: Vec::new(), tested }];
        bundle.add(BenchRun { recipe, cpu: Vec::new(), devices }, &Aliases::given(&machine));
        let done = lessons.iter().map(|(name, lesson)| Kept::of(self.tasks(name, lesson))).collect::<Result<_>>()?;
        Ok(Sent {
            is_made_up: true,
            written: format!("2026-01-01T{:02}:{:02}:00Z", number / 60 % 24, number % 60),
            machine,
            alias: Some(format!("made-up-{number:02}")),
            bundle,
            devices: vec![device],
            predictions: predictions.into_iter().map(Kept::of).collect::<Result<_>>()?,
            lessons: done,
            ..Sent::default()
        })
    }

    /// Two that are compared: what the kind of device makes of it, with some noise of the machine and of each pair.
    fn compared(&mut self, turn: usize) -> Compared {
        let of_kind = SPEED_UPS_LN.get(self.kind()).and_then(|all| all.get(turn % all.len())).copied().unwrap_or(0.0);
        let ratio = (of_kind + NOISE_LN * (self.rng.f64() - 0.5)).exp();
        let mut time = |ns: f64| (ns * (1.0 + 0.02 * (self.rng.f64() - 0.5))) as u64;
        let pair = |index: usize| Pair {
            first_ns: time(1e7),
            second_ns: time(1e7 / ratio),
            first_place: 0,
            second_place: 0,
            start: index * STARTS / PAIRS,
        };
        let pairs: Vec<Pair> = (0..PAIRS).map(pair).collect();
        Compared { comparison: compare(&pairs, Places::Shared), pairs, places: Places::Shared, busy: false, code: None }
    }

    fn climb(
        &mut self,
        ladder: &'static Ladder,
        index: usize,
        device: &DeviceInfo,
        predictions: &mut Vec<PredictionRecord>,
        tested: &mut Vec<bundle::Tested>,
    ) {
        let Some(step) = ladder.steps.get(index) else { return };
        let Some((claim, against)) = step.claim.and_then(|claim| Some((claim, ladder.steps.get(claim.against)?))) else { return };
        let compared = self.compared(index.saturating_sub(1));
        let there = StepThere::of([ladder.name, &step.key, &against.key], step.variant(), SIZE_PX, &compared, &[]);
        let asked = Asked { key: step.key.clone(), against: claim.against, filter: ladder.filter, size_px: SIZE_PX.into(), device };
        predictions.extend(self.predicted(ladder.name, index, &asked, &compared, Some(claim.says)));
        tested.push(bundle::Tested { step: there, pairs: compared.pairs, places: compared.places });
    }

    fn predict_screen(
        &mut self,
        lesson: &str,
        index: usize,
        screen: &Screen,
        device: &DeviceInfo,
        predictions: &mut Vec<PredictionRecord>,
    ) {
        let (Some(Item::Predict), Some(show)) = (&screen.item, &screen.show) else { return };
        let Some(against) = show.against else { return };
        let compared = self.compared(index);
        let (key, filter): (String, FilterId) = (format!("{} > {}", against.variant, show.variant), show.spec.filter);
        let asked = Asked { key, against: index, filter, size_px: SIZE_PX.into(), device };
        predictions.extend(self.predicted(lesson, index, &asked, &compared, None));
    }

    /// A prediction; `None` where the step was not asked about.
    fn predicted(
        &mut self,
        ladder: &str,
        step: usize,
        asked: &Asked<'_>,
        compared: &Compared,
        says: Option<Says>,
    ) -> Option<PredictionRecord> {
        if self.rng.f64() < 0.1 {
            return None;
        }
        let truth = truth(&compared.comparison);
        let change = match self.rng.f64() {
            share if share < 0.5 => truth.first().copied().unwrap_or(Change::Same),
            share if share < 0.8 => Change::Faster,
            _ => self.rng.choice(Change::ALL).unwrap_or(Change::Same),
        };
        let has_right_reason = (self.rng.f64() < 0.9).then(|| self.rng.f64() < 0.6);
        let guess = Some(Guess { change, is_sure: self.rng.bool() });
        let bots = Bot::ALL.map(|bot| bot.guess(says, None));
        let predicted = Predicted { ladder: ladder.to_owned(), step, guess, truth, bots, has_right_reason };
        let seconds = 5.0 + (self.rng.f64() * 400.0).round() / 10.0;
        let mut record = asked.record(predicted, compared, None, seconds);
        let rules: Vec<String> = why::rule_ids().skip(step % 5).take(3).map(str::to_owned).collect();
        record.reason_true = rules.first().cloned();
        record.reason_chosen = has_right_reason.and_then(|is_right| rules.get(usize::from(!is_right)).cloned());
        record.reasons_shown = rules;
        Some(record)
    }

    /// What became of a lesson's tasks: the later, the more often they are open.
    fn tasks(&mut self, name: &str, lesson: &Lesson) -> LessonDone {
        let count = lesson.screens.len().max(1) as f64;
        let tasks = lesson.screens.iter().enumerate().filter_map(|(screen, of)| {
            let kind = TaskKind::of(of.item.as_ref()?)?;
            let state = match self.rng.f64() {
                share if share < 0.9 - 0.5 * screen as f64 / count => TaskState::Done,
                share if share < 0.93 - 0.4 * screen as f64 / count => TaskState::Skipped,
                _ => TaskState::Open,
            };
            let mut task = TaskDone { screen, kind, state, answer: None, is_right: None };
            if let (Some(Item::Choose(choose)), TaskState::Done) = (&of.item, state) {
                let answer = self.rng.usize(..choose.answers.len().max(1));
                task.answer = Some(answer as f64);
                task.is_right = choose.answers.get(answer).map(|(_, refuted)| refuted.is_none());
            }
            Some(task)
        });
        LessonDone { lesson: name.to_owned(), tasks: tasks.collect() }
    }
}
