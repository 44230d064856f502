//! A ladder as a lesson: before a step is measured, the person says what it will do; then both are run interleaved, the answer stands beside the guess, and
//! the question is why.
//!
//! The reason is asked after the outcome is seen: the reasons to choose from would give the outcome away.

mod axis;
mod elsewhere;
mod memory;
mod panel;
mod recall_ui;
#[cfg(test)]
pub(super) mod tests;
mod vote;
mod vote_ui;

pub use elsewhere::contrast_ui;
pub use elsewhere::{Contrast, There};
pub use memory::{Memory, Remember};
pub use panel::{asked_ui, digit, others_ui, outcome_ui, reasons_ui, summary_of};
pub use recall_ui::recall_ui;
pub use vote::{Count, Vote};

use super::action::Action;
use super::changed::{ChangedLine, changed_lines};
use super::state::{Effect, State};
use base::texts::text;
use engine::{Compared, Target, Task};
use kernels::filters::VariantExt;
use kernels::filters::{Ladder, Step};
use model::Abilities;
use std::time::Instant;
use study::lessons::Screen;
use study::predict::votes::Votes;
use study::predict::{Bot, Change, Guess, Predicted, truth};
use study::why::{self, Facts, Pair, Question, Reason};
use study::{Asked, PredictionRecord, Probe};

/// What is asked, and what was answered in this session.
#[derive(Debug, Default)]
pub struct Lesson {
    /// The step that is asked about.
    pub open: Option<Open>,
    /// Steps that were seen, in the order in which they were.
    pub told: Vec<Told>,
    /// Predictions of this session and of earlier ones.
    pub memory: Memory,
    /// Answers to the last question of a ladder: what a step does on another device.
    pub contrasts: Vec<Contrast>,
    /// What is known of each two tasks that were compared, the newest last: gathered once, as panels ask for it in every frame.
    facts: Vec<((Task, Task), Facts)>,
}

/// A step that is asked about.
#[derive(Debug)]
pub struct Open {
    /// What is asked about.
    pub about: About,
    /// Both as tasks, the one that is compared with first.
    pub pair: (Task, Task),
    /// What the step changes. It is gathered once: panels ask for it in every frame.
    pub changes: Changes,
    /// Whether the person is sure.
    pub is_sure: bool,
    /// The vote of a class, in place of a guess.
    pub vote: Option<Vote>,
    /// When it was asked.
    pub asked: Instant,
    /// From the question to the guess.
    pub seconds: f64,
    /// Whether it was told already, and is measured once more; and whether it was kept then.
    pub told: Option<Kept>,
    /// How far it is.
    pub phase: Phase,
}

/// Whether a prediction was kept with those of earlier sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It is, or is not to be.
    Yes,
    /// Nothing was known of it.
    NotYet,
}

/// What is told of a step before it is measured.
#[derive(Debug)]
pub struct Changes {
    /// What is counted, before and after.
    pub facts: Facts,
    /// Lines of the source that come or go.
    pub lines: Vec<ChangedLine>,
}

impl Changes {
    fn of(pair: &(Task, Task), abilities: Abilities) -> Self {
        let (before, after) = pair;
        let mut facts = Facts::default();
        facts.add_task(why::Side::Before, before, None);
        facts.add_task(why::Side::After, after, None);
        Self { facts, lines: changed_lines(pair, abilities) }
    }
}

/// What a question is about.
#[derive(Debug)]
pub enum About {
    /// A step of a ladder.
    Step {
        /// The ladder.
        ladder: &'static Ladder,
        /// The step, from 0.
        step: usize,
        /// The step that it is compared with: the one that its guide names, else the one before.
        against: usize,
        /// Steps before it that cannot run on this device, each with the reason.
        left_out: Vec<(usize, String)>,
    },
    /// A screen of a lesson that somebody wrote.
    Screen {
        /// The lesson's name.
        lesson: String,
        /// The screen, from 0.
        screen: usize,
    },
}

/// How far a question is.
#[derive(Debug)]
pub enum Phase {
    /// The outcome is asked for.
    Asked,
    /// Both are being run.
    Running(Option<Guess>),
    /// The outcome is there.
    Seen(Box<Told>),
}

/// A step that was seen.
#[derive(Clone, Debug)]
pub struct Told {
    /// The prediction, with what was true.
    pub predicted: Predicted,
    /// How the two compared.
    pub compared: Compared,
    /// Why.
    pub reasons: Vec<Reason>,
    /// What is known of both, by which it is not something else.
    pub facts: Facts,
    /// The reasons to choose from; `None` where nothing is to be asked.
    pub question: Option<Question>,
    /// The reason that was chosen.
    pub chosen: Option<usize>,
    /// The votes of a class, in place of a guess.
    pub votes: Option<Votes>,
}

/// What a person does in a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Count the hands of a class, or take one person's guess.
    AskClass(bool),
    /// Counts hands.
    Vote(Count),
    /// Does something with what is kept.
    Remember(Remember),
    /// Says whether the guess is sure.
    Sure(bool),
    /// Guesses.
    Guess(Change),
    /// Shows the step without a guess.
    Skip,
    /// Runs both once more, for longer.
    Again,
    /// Chooses a reason.
    Reason(usize),
    /// Guesses what a step does on another device.
    Contrast(Change),
}

impl Told {
    /// Why, in the language that is spoken now: it may have changed since.
    #[must_use]
    pub fn reasons_now(&self) -> Vec<Reason> {
        self.reasons.iter().map(Reason::retold).collect()
    }

    /// Whether somebody said what it would be.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        self.predicted.guess.is_some() || self.votes.is_some()
    }
}

impl Open {
    /// A question that is asked now, of a device with these abilities; of a class where hands are counted.
    pub(in crate::app) fn new(about: About, pair: (Task, Task), abilities: Abilities, asks_class: bool) -> Self {
        let vote = asks_class.then(Vote::default);
        let changes = Changes::of(&pair, abilities);
        Self { about, pair, changes, is_sure: false, vote, asked: Instant::now(), seconds: 0.0, told: None, phase: Phase::Asked }
    }
}

impl About {
    /// What predictions are kept under: the ladder's or the lesson's name, and the step or screen.
    #[must_use]
    pub fn place(&self) -> (&str, usize) {
        match self {
            Self::Step { ladder, step, .. } => (ladder.name, *step),
            Self::Screen { lesson, screen } => (lesson, *screen),
        }
    }

    /// What a prediction is known by where steps or screens are added before it, and the step that it is compared with: of a screen, which a person edits,
    /// what its two variants are.
    fn key(&self, pair: &(Task, Task)) -> (String, usize) {
        let variant = |task: &Task| match task.target {
            Target::Device { variant, .. } => variant.to_string(),
            Target::Cpu(engine) => engine.name().to_owned(),
        };
        match self {
            Self::Step { ladder, step, against, .. } => {
                (ladder.steps.get(*step).map_or_else(String::new, |step| step.key.clone()), *against)
            }
            Self::Screen { screen, .. } => (format!("{} > {}", variant(&pair.0), variant(&pair.1)), *screen),
        }
    }

    /// The step's row of the ladder; `None` for a screen.
    #[must_use]
    pub fn step(&self) -> Option<&'static Step> {
        match self {
            Self::Step { ladder, step, .. } => ladder.steps.get(*step),
            Self::Screen { .. } => None,
        }
    }
}

/// As many comparisons as a long session looks back on.
const MOST_FACTS: usize = 200;

impl Lesson {
    /// What is known of two tasks, where they were compared.
    pub(in crate::app) fn facts_of(&self, pair: &(Task, Task)) -> Option<&Facts> {
        self.facts.iter().rev().find(|(known, _)| known == pair).map(|(_, facts)| facts)
    }

    /// What was seen last of a step, or of a screen of a lesson.
    #[must_use]
    pub fn told_of(&self, ladder: &str, step: usize) -> Option<&Told> {
        self.told.iter().rev().find(|told| told.predicted.ladder == ladder && told.predicted.step == step)
    }

    /// What was seen last of a screen of a lesson, a ladder's or another one.
    #[must_use]
    pub fn told_at(&self, lesson: &str, index: usize, screen: &Screen) -> Option<&Told> {
        let (name, step) = screen.place_in(lesson, index);
        self.told_of(&name, step)
    }
}

impl State {
    /// Acts on what a person does in a lesson.
    pub(super) fn answer(&mut self, answer: Answer) -> Vec<Effect> {
        match answer {
            Answer::Sure(is_sure) => {
                if let Some(open) = &mut self.lesson.open {
                    open.is_sure = is_sure;
                }
            }
            Answer::AskClass(asks) => {
                self.settings.asks_class = asks;
                if let Some(open) = self.lesson.open.as_mut().filter(|open| matches!(open.phase, Phase::Asked)) {
                    open.vote = asks.then(Vote::default);
                }
            }
            Answer::Vote(count) => {
                let vote = self.lesson.open.as_mut().filter(|open| matches!(open.phase, Phase::Asked)).and_then(|open| open.vote.as_mut());
                if vote.is_some_and(|vote| vote.count(count)) {
                    return self.reveal(None);
                }
            }
            Answer::Remember(what) => return self.remember(what),
            Answer::Guess(change) => return self.reveal(Some(change)),
            Answer::Skip => {
                if let Some(open) = self.lesson.open.as_mut().filter(|open| matches!(open.phase, Phase::Asked)) {
                    open.vote = None;
                }
                return self.reveal(None);
            }
            Answer::Again => return self.measure_question_again(),
            Answer::Reason(index) => return self.choose_reason(index),
            Answer::Contrast(change) => self.guess_elsewhere(change),
        }
        Vec::new()
    }

    /// Why a step cannot run on this device: something that the device lacks.
    fn why_not_here(&self, ladder: &Ladder, index: usize) -> Option<String> {
        let step = ladder.steps.get(index)?;
        let task = self.step_task(ladder, step)?;
        let abilities = self.abilities_of(&task);
        step.variant().check(task.filter(), task.setting().on(abilities)).err().map(|error| error.why)
    }

    /// The step that a step is compared with on this device: the one that its guide names, else the one before; the last that runs where that one does not.
    pub(super) fn base_of(&self, ladder: &Ladder, index: usize) -> Option<usize> {
        let runs = |index: &usize| self.why_not_here(ladder, *index).is_none();
        Some(ladder.base(index)?).filter(runs).or_else(|| (0..index).rev().find(runs))
    }

    /// Asks about a step of the ladder that is climbed, where there is something to compare it with and a device to run it on.
    pub(super) fn ask(&mut self, ladder: &'static Ladder, index: usize) -> bool {
        let Some((step, against)) = ladder.steps.get(index).zip(self.base_of(ladder, index)) else { return false };
        let here = self.ladder().map_or(0, |(_, here)| here);
        let left_out = (here + 1..index).filter_map(|index| Some((index, self.why_not_here(ladder, index)?))).collect();
        let tasks = ladder.steps.get(against).and_then(|other| self.step_task(ladder, other)).zip(self.step_task(ladder, step));
        let Some(pair) = tasks.filter(|_| !self.device_list().is_empty()) else { return false };
        let about = About::Step { ladder, step: index, against, left_out };
        self.lesson.open = Some(Open::new(about, pair, self.setting().abilities, self.settings.asks_class));
        true
    }

    /// Closes the question where something else is chosen than what it is about.
    pub(super) fn leave_question(&mut self, action: &Action) {
        let is_running = self.lesson.open.as_ref().is_some_and(|open| matches!(open.phase, Phase::Running(_)));
        if !is_running
            && matches!(
                action,
                Action::SetFilter(_) | Action::SetParameter(..) | Action::SetPlace(_) | Action::SetStep(..) | Action::ShowTask(_)
            )
        {
            self.lesson.open = None;
        }
    }

    /// Runs both, once the guess is made.
    fn reveal(&mut self, change: Option<Change>) -> Vec<Effect> {
        let Some(open) = self.lesson.open.as_mut().filter(|open| matches!(open.phase, Phase::Asked)) else { return Vec::new() };
        open.seconds = open.asked.elapsed().as_secs_f64();
        open.phase = Phase::Running(change.map(|change| Guess { change, is_sure: open.is_sure }));
        let (first, second) = open.pair.clone();
        let shown = match open.about {
            About::Step { ladder, step, .. } => Action::SetStep(ladder.name, step),
            About::Screen { .. } => Action::ShowTask(Box::new(second.clone())),
        };
        let mut effects = self.choose(&shown);
        let probes = vec![Probe::Measure(first.clone()), Probe::Measure(second.clone()), Probe::Compare(first, second)];
        effects.extend(self.bench(text("window.job.both-steps"), probes));
        effects
    }

    /// Runs both once more, for longer; the guess stays.
    fn measure_question_again(&mut self) -> Vec<Effect> {
        if !self.pending.is_empty() {
            return Vec::new();
        }
        let Some(open) = &mut self.lesson.open else { return Vec::new() };
        let guess = match &open.phase {
            Phase::Asked => return Vec::new(),
            Phase::Running(guess) => *guess,
            Phase::Seen(told) => told.predicted.guess,
        };
        open.phase = Phase::Running(guess);
        let pair = open.pair.clone();
        self.compare_again(pair)
    }

    /// Takes the outcome of the pair that is asked about.
    pub(super) fn take_outcome(&mut self, pair: &(Task, Task), compared: &Compared) -> Vec<Effect> {
        let facts = self.facts(pair, compared);
        self.lesson.facts.push((pair.clone(), facts));
        if self.lesson.facts.len() > MOST_FACTS {
            self.lesson.facts.remove(0);
        }
        let Some(guess) = self.lesson.open.as_ref().filter(|open| open.pair == *pair).and_then(|open| match open.phase {
            Phase::Running(guess) => Some(guess),
            Phase::Asked | Phase::Seen(_) => None,
        }) else {
            return Vec::new();
        };
        let facts = self.lesson.facts_of(pair).cloned().unwrap_or_default();
        let device = self.device_of(&pair.1).cloned();
        let Some(open) = &mut self.lesson.open else { return Vec::new() };
        let seen = compared.comparison.verdict.into();
        let says = open.about.step().and_then(|step| step.claim).map(|claim| claim.says);
        let (name, step) = open.about.place();
        let loads = facts.get("before.loads").zip(facts.get("after.loads"));
        let told = Told {
            predicted: Predicted {
                ladder: name.to_owned(),
                step,
                guess,
                truth: truth(&compared.comparison),
                bots: Bot::ALL.map(|bot| bot.guess(says, loads)),
                has_right_reason: None,
            },
            compared: compared.clone(),
            reasons: why::explain(seen, &facts),
            question: guess.and_then(|_| why::question(seen, &facts, seed(name, step))),
            facts,
            chosen: None,
            votes: open.vote.map(|vote| vote.votes),
        };
        // What nobody guessed, and what could not be measured, is no prediction.
        let is_kept = told.is_answered() && !told.predicted.truth.is_empty();
        let record = device.as_ref().filter(|_| is_kept).map(|device| {
            let (key, against) = open.about.key(pair);
            let asked = Asked { key, against, filter: pair.1.spec.filter, size_px: pair.1.picture.size(), device };
            let mut record = asked.record(told.predicted.clone(), compared, told.votes, open.seconds);
            if let Some(question) = &told.question {
                record.reasons_shown = question.answers.iter().map(|answer| answer.id.clone()).collect();
                record.reason_true = Some(question.truth.rule.clone());
            }
            record
        });
        let before = open.told.replace(if record.is_some() { Kept::Yes } else { Kept::NotYet });
        let place = (told.predicted.ladder.clone(), step);
        if before.is_some() {
            // The longer run takes the place of the shorter one.
            let is_of = |told: &Told| (told.predicted.ladder.as_str(), told.predicted.step) == (place.0.as_str(), step);
            if let Some(index) = self.lesson.told.iter().rposition(is_of) {
                self.lesson.told.remove(index);
            }
        }
        self.lesson.told.push(told.clone());
        open.phase = Phase::Seen(Box::new(told));
        match (before, record) {
            (Some(Kept::Yes), Some(record)) => self.complete_prediction(&place.0, place.1, |known| {
                *known = PredictionRecord { order: known.order, recalls: std::mem::take(&mut known.recalls), ..record };
            }),
            (_, Some(record)) => self.keep_prediction(record),
            (_, None) => Vec::new(),
        }
    }

    fn choose_reason(&mut self, index: usize) -> Vec<Effect> {
        let Some(open) = &mut self.lesson.open else { return Vec::new() };
        let Phase::Seen(told) = &mut open.phase else { return Vec::new() };
        let Some(answer) = told.question.as_ref().and_then(|question| question.answers.get(index)).cloned() else { return Vec::new() };
        if told.chosen.is_some() {
            return Vec::new();
        }
        let is_right = Some(answer.refuted.is_none());
        told.predicted.has_right_reason = is_right;
        told.chosen = Some(index);
        if let Some(last) = self.lesson.told.last_mut() {
            *last = (**told).clone();
        }
        let (name, step) = open.about.place();
        let name = name.to_owned();
        self.complete_prediction(&name, step, |record| {
            (record.reason_chosen, record.predicted.has_right_reason) = (Some(answer.id), is_right);
        })
    }

    /// All that is known of two tasks that were compared.
    fn facts(&self, pair: &(Task, Task), compared: &Compared) -> Facts {
        let Some(device) = self.device_of(&pair.1) else { return Facts::default() };
        let records = [&pair.0, &pair.1].map(|task| self.history.newest_of(task).map(|row| &row.record));
        Facts::of_pair(&Pair { device, tasks: [&pair.0, &pair.1], records, compared: Some(compared) })
    }

    /// What a guide compares a step of a ladder with, and the step.
    #[must_use]
    pub fn step_pair(&self, ladder: &Ladder, index: usize) -> Option<(Task, Task)> {
        let step = ladder.steps.get(index)?;
        self.step_task(ladder, ladder.steps.get(step.claim?.against)?).zip(self.step_task(ladder, step))
    }
}

/// The order of the answers, the same whenever the step is met.
fn seed(ladder: &str, step: usize) -> u64 {
    ladder.bytes().fold(step as u64, |seed, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)))
}
