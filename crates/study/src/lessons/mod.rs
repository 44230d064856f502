//! Lessons that a teacher writes: one text file each, in TOML, without a build. [`read`](fn@read) turns a file into a [`Lesson`] or says what is wrong with it,
//! each fault with its line and column; [`Shelf`] holds those that are built in and those of the person's folder.
//!
//! A lesson never states a measured figure: prose names facts of [`crate::why::FACTS`] in braces, a question for a number names the fact or formula that
//! has it, a task names conditions over facts, and what another device did is a row of a page in `assets/claims/`. All of them are looked up or measured
//! when the screen is shown. `docs/lessons.md` has an example with every part.

mod claims;
mod folder;
mod ladder;
mod notes;
mod read;
mod rows;
mod shelf;
mod show;
#[cfg(test)]
mod tests;
mod way;

pub use base::fault::Fault;
pub use claims::Claimed;
pub use folder::{FOLDER, read_file, read_folder, user_folder, write_example, write_new};
pub use ladder::{StepOf, ladder_of, name_of, of_ladder};
pub use notes::{all_notes, notes};
pub use read::read;
pub use shelf::{Edition, Shelf};
pub use way::of_way;

pub use shelf::files;

use crate::KINDS;
use crate::why::{Condition, Facts, Formula};
use base::texts::{filled, text};
use engine::device::{DeviceInfo, DeviceKind};
use kernels::filters::Ladder;
use model::{HostMemory, LocalSize, Spec, Variant};
use serde::Deserialize;
use view::plot::Concept;

/// The example of `docs/lessons.md`: every part of a lesson once.
pub static EXAMPLE: &str = include_str!("../../../../assets/lessons/example.toml");

/// Panels of the window that are of no study, by the names that files use.
const PLAIN_PANELS: [&str; 9] = ["pictures", "timings", "source", "compiled", "verdicts", "timeline", "readings", "access", "roofline"];

/// Panels of the window that a screen can bring in front, by the names that files use.
pub fn panels() -> impl Iterator<Item = &'static str> + Clone {
    PLAIN_PANELS.into_iter().chain(KINDS.iter().map(|kind| kind.name))
}

/// A lesson: screens in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    /// Its title.
    pub title: String,
    /// What the learner can do after it.
    pub goal: String,
    /// How long it takes, in minutes.
    pub minutes: u32,
    /// The device that it is about.
    pub device: Needs,
    /// The start task where there is one, the screens, the end check where there is one.
    pub screens: Vec<Screen>,
    /// What is known after it, for its card: at most [`MOST_KNOWN`] sentences.
    pub known: Vec<String>,
    /// What a teacher has beside it, shown in the teacher's view alone.
    pub teacher: Option<Notes>,
}

/// The card of a lesson has so many lines of what is known at most: more are not kept in mind.
pub const MOST_KNOWN: usize = 3;

impl Lesson {
    /// How long it takes, what it is about and how many screens it has: "25 min, about GPUs, 9 screens".
    #[must_use]
    pub fn about(&self) -> String {
        let device = text(match self.device {
            Needs::Any => "lessons.list.any",
            Needs::Gpu => "lessons.list.gpu",
            Needs::Cpu => "lessons.list.cpu",
        });
        let count = self.screens.len();
        let key = if count == 1 { "lessons.list.about-one" } else { "lessons.list.about" };
        filled(key, &[("minutes", &self.minutes), ("device", &device), ("count", &count)])
    }
}

/// The kind of device that a lesson or a screen is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Needs {
    /// Any.
    #[default]
    Any,
    /// A graphics processor.
    Gpu,
    /// The host's processor as an OpenCL device.
    Cpu,
}

impl Needs {
    /// The kind that a device is of, where lessons tell it from others.
    #[must_use]
    pub fn of(device: &DeviceInfo) -> Self {
        [Self::Gpu, Self::Cpu].into_iter().find(|kind| kind.is_met_by(device)).unwrap_or_default()
    }

    /// As files have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Gpu => "gpu",
            Self::Cpu => "cpu",
        }
    }

    /// Whether a device is of this kind.
    #[must_use]
    pub fn is_met_by(self, device: &DeviceInfo) -> bool {
        match self {
            Self::Any => true,
            Self::Gpu => device.kind == DeviceKind::Gpu,
            Self::Cpu => device.kind == DeviceKind::Cpu,
        }
    }
}

/// A teacher's notes. They name no facts: they are read without a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notes {
    /// What students can do afterwards; `None`: the lesson's goal.
    pub goal: Option<String>,
    /// How long it takes with a class, where that is longer than alone; may be empty.
    pub class: String,
    /// The plan.
    pub plan: Vec<Step>,
    /// What to draw on the board; may be empty.
    pub draw: String,
    /// The answer to each screen that asks something, in their order, with the reason.
    pub answers: Vec<String>,
    /// Common errors.
    pub errors: Vec<CommonError>,
    /// A task for those who are done early; may be empty.
    pub extension: String,
}

/// A part of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// How long it takes.
    pub minutes: u32,
    /// What is done.
    pub what: String,
}

/// What students often believe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommonError {
    /// What they believe.
    pub error: String,
    /// What to say to it.
    pub say: String,
}

/// What a screen is in its lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A task before anything is explained.
    Start,
    /// One of the screens between.
    Middle,
    /// The check at the end.
    End,
}

/// One screen: prose, something to show, and one thing that is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Screen {
    /// What it is in its lesson.
    pub part: Part,
    /// Its title.
    pub title: String,
    /// Paragraphs, which may have facts in braces.
    pub text: Vec<String>,
    /// The kind of device that it is left out without.
    pub device: Needs,
    /// What there is to show.
    pub show: Option<Show>,
    /// What is asked.
    pub item: Option<Item>,
    /// What another device did, from a page of claims.
    pub record: Option<Record>,
    /// Paragraphs that come once what is asked was answered.
    pub then: Vec<String>,
    /// The step of a ladder that it is made from.
    pub step: Option<StepOf>,
}

impl Screen {
    /// What a prediction of this screen is kept under, in the lesson of this name: its step of a ladder, where it is one.
    #[must_use]
    pub fn place_in(&self, lesson: &str, index: usize) -> (String, usize) {
        self.step.map_or_else(|| (lesson.to_owned(), index), |of| (of.ladder.name.to_owned(), of.step))
    }

    /// Its task, where it asks for one.
    #[must_use]
    pub fn task(&self) -> Option<&Goal> {
        if let Some(Item::Task(goal)) = &self.item { Some(goal) } else { None }
    }

    /// What its task leaves for the learner to write.
    #[must_use]
    pub fn gap(&self) -> Option<&Gap> {
        self.task()?.gap.as_ref()
    }
}

/// A variant to show.
#[derive(Clone, Debug, PartialEq)]
pub struct Show {
    /// Filter, parameters, channels and border mode.
    pub spec: Spec,
    /// The variant; facts named `after` are its.
    pub variant: Variant,
    /// Its local work size.
    pub local: LocalSize,
    /// How the picture gets into the device's memory and back.
    pub memory: HostMemory,
    /// What it is compared with; facts named `before` are its.
    pub against: Option<Against>,
    /// The picture; `None`: whatever is open.
    pub picture: Option<Picture>,
    /// The panel that comes in front, of [`panels`].
    pub panel: Option<&'static str>,
    /// What plays in its place.
    pub figure: Option<Concept>,
}

impl Show {
    /// What is shown, as what it is compared with is written.
    #[must_use]
    pub const fn side(&self) -> Against {
        Against { variant: self.variant, local: self.local, memory: self.memory }
    }
}

/// What a variant is compared with: the same filter over the same picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Against {
    /// The variant.
    pub variant: Variant,
    /// Its local work size.
    pub local: LocalSize,
    /// How the picture gets into the device's memory and back.
    pub memory: HostMemory,
}

/// A picture that every installation has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picture {
    /// A built-in sample, by its file's name.
    Sample(&'static str),
    /// A generated one: width and height in pixels.
    Generated([usize; 2]),
}

/// What a screen asks.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// How the variant's time compares with that of the one that it is shown against.
    Predict,
    /// One of several answers.
    Choose(Choose),
    /// A number.
    Number(Number),
    /// To change what is shown until something holds.
    Task(Goal),
    /// What the experiment will show that tests an explanation of how the variant compares with the one that it is shown against: a rule's id.
    Experiment(String),
}

/// A question with answers to choose from.
#[derive(Clone, Debug, PartialEq)]
pub struct Choose {
    /// The question.
    pub question: String,
    /// The answers, each with what refutes it; `None` for the right one.
    pub answers: Vec<(String, Option<String>)>,
}

/// A question for a number that the program knows or measures.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// The question.
    pub question: String,
    /// Where the true number comes from.
    pub is: Formula,
    /// How far the answer may be off, as a share of the true number.
    pub tolerance: f64,
}

impl Number {
    /// Whether an answer is near enough to the true number.
    #[must_use]
    pub fn is_right(&self, given: f64, truth: f64) -> bool {
        // An answer as it is read off the screen is right.
        (given - truth).abs() <= self.tolerance * truth.abs() + 1e-9
    }
}

/// Something to reach by changing what is shown. Facts named `before` are those of what the screen shows, facts named `after` of what is chosen now.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// What is to be reached.
    pub goal: String,
    /// It is reached where all of these hold.
    pub when: Vec<Condition>,
    /// A hint on demand; may be empty.
    pub hint: String,
    /// The local size is chosen, too; `false`: only where a condition depends on it.
    pub local_size: bool,
    /// The learner writes a part of the kernel, which facts named `edited` are of; `None`: stages and sizes are chosen.
    pub gap: Option<Gap>,
}

impl Goal {
    /// Whether it is reached.
    #[must_use]
    pub fn is_reached(&self, facts: &Facts) -> bool {
        Condition::all(&self.when, facts)
    }
}

/// What of a kernel is left for the learner to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// What is taken out of the variant's own kernel, once.
    pub take: String,
    /// What stands there instead.
    pub leave: String,
}

impl Gap {
    /// The kernel with the gap; `None` where it does not have what is taken out, or has it twice.
    #[must_use]
    pub fn cut(&self, kernel: &str) -> Option<String> {
        (kernel.matches(&self.take).count() == 1).then(|| kernel.replacen(&self.take, &self.leave, 1))
    }
}

/// What a device did at a step of a ladder, in a page of `assets/claims/`.
#[derive(Clone, Debug)]
pub struct Record {
    /// The page's name, without extension.
    pub page: String,
    /// The ladder.
    pub ladder: &'static Ladder,
    /// The step, from 0.
    pub step: usize,
    /// What the page says.
    pub claimed: Claimed,
}

impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        (&self.page, self.ladder.name, self.step) == (&other.page, other.ladder.name, other.step)
    }
}
