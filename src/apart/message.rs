//! What the two processes say to each other.

use super::pictures::Shape;
use crate::compiled::Compiled;
use crate::device::{DeviceInfo, NoDevice};
use crate::engine::{Build, Compared, Executed, KernelText, Proof, Target, Task, wrong_output};
use crate::error::Error;
use crate::model::{Budget, Confinement, Record, Roofs, Spec, Verification};
use crate::texts::spoken;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// Of the messages, to be raised with any change of what they hold. On one machine both sides are the same program, unless its file was replaced while it ran;
/// another machine may have another build, which is asked as long as this number is the same.
pub const VERSION: u32 = 3;

/// How a worker's first message begins after its length, whatever the version: a map of one entry by the name "Ready".
pub const READY: &[u8; 7] = b"\xa1\x65Ready";

/// The first message has no more bytes: a number and a path.
pub const READY_BYTES: u32 = 1 << 16;

/// To the worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum ToWorker {
    /// Something to do. The answer, or an error, bears the same number.
    Asked {
        /// Of this question.
        number: u64,
        /// Runs whose outputs nobody has any more on this side.
        returned: Vec<u64>,
        /// Names of the files that come with it, in their order: memory of the asking process, see [`super::handed`].
        #[serde(default)]
        handed: Vec<PathBuf>,
        /// What.
        question: Box<Question>,
    },
    /// The question of that number is to end soon.
    Cancel(u64),
}

/// From the worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum FromWorker {
    /// The first thing said: [`VERSION`], and where it notes which call of OpenCL is under way. Its first bytes tell it from what else may be printed there, see
    /// [`READY`], and stay as they are in all versions.
    Ready(u32, Option<PathBuf>),
    /// There is nothing to tell, but it goes on.
    Alive,
    /// How far the question is.
    Progress {
        /// Steps done.
        done: usize,
        /// Of so many.
        total: usize,
        /// What is going on.
        text: String,
    },
    /// What became of the question of that number.
    Answered(u64, Result<Box<Answer>, Error>),
}

/// What a [`Backend`](crate::engine::Backend) is asked.
#[derive(Debug, Serialize, Deserialize)]
pub enum Question {
    /// Which devices are there?
    Rescan,
    /// Run it once.
    Execute(SentTask),
    /// Is the output right?
    Verify(SentTask, Output),
    /// Run it once: is the output right? Without the picture.
    Prove(SentTask),
    /// Sample it.
    Measure(SentProof, Budget),
    /// The median after a few runs.
    Glance(SentProof),
    /// Run both in pairs, for this process's share of a comparison.
    Compare(Box<SentProof>, Box<SentProof>, Budget),
    /// What did the compiler make of it?
    Compiled(SentTask),
    /// Look at that, so that records and comparisons can tell of it; the code itself is not wanted.
    NoteCode(SentTask),
    /// What can the device do at most, where that is known?
    KnownRoofs(usize),
    /// Measure that.
    MeasureRoofs(usize),
    /// Is there work that nobody waits for?
    Tidy,
    /// How many OpenCL objects were created so far?
    ObjectsCreated,
}

/// The answers, in the order of the questions.
#[derive(Debug, Serialize, Deserialize)]
pub enum Answer {
    /// The devices, what the scan met besides, and what the process is kept from.
    Devices(Result<Vec<DeviceInfo>, NoDevice>, Vec<String>, Confinement),
    /// The run.
    Executed(Box<SentRun>),
    /// The check, the reference, and what is proven.
    Verified(Verification, SentPicture, Option<Proven>),
    /// What is proven.
    Proven(Proven),
    /// The row.
    Measured(Box<Record>),
    /// In nanoseconds.
    Glanced(f64),
    /// How they compare.
    Compared(Box<Compared>),
    /// The code.
    Compiled(Arc<Compiled>),
    /// It was looked at.
    CodeNoted,
    /// The roofs, where they are known.
    Roofs(Option<Arc<Roofs>>),
    /// Whether there is more of it.
    Tidied(bool),
    /// So many.
    Objects(u64),
}

impl Answer {
    /// What is shown of it at once, in the language that is spoken here; what is kept of it has its keys.
    #[must_use]
    pub fn heard(self) -> Self {
        let all = |texts: Vec<String>| texts.iter().map(|text| spoken(text)).collect();
        match self {
            Self::Devices(found, problems, confinement) => Self::Devices(found.map_err(NoDevice::heard), all(problems), confinement),
            Self::Compiled(compiled) => Self::Compiled(Arc::new(Arc::unwrap_or_clone(compiled).heard())),
            other => other,
        }
    }
}

/// Which run is to be checked.
#[derive(Debug, Serialize, Deserialize)]
pub enum Output {
    /// The worker's last one.
    Last,
    /// This one, of before.
    Of(Box<SentRun>),
}

/// A picture, by the number that its sender gave it. Where the other side does not have it yet, its shape: the bytes then lie in the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SentPicture {
    /// The same number is the same picture.
    pub number: u64,
    /// `None`: it was sent before.
    pub shape: Option<Shape>,
}

/// A [`Task`](crate::engine::Task).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SentTask {
    /// What is computed.
    pub spec: Spec,
    /// Of which picture.
    pub picture: SentPicture,
    /// Where and how.
    pub target: Target,
    /// The kernel's text.
    pub text: KernelText,
}

/// A [`Proof`](crate::engine::Proof).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SentProof {
    /// What was proven.
    pub task: SentTask,
    /// The rest of it.
    pub proven: Proven,
}

/// A [`Proof`](crate::engine::Proof) without its task, which both sides know.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Proven {
    /// The check.
    pub verification: Verification,
    /// How its program was built.
    pub build: Build,
    /// Kernel time of the run that was checked.
    pub kernel_ns: Option<u64>,
}

impl Proven {
    /// What a proof says.
    #[must_use]
    pub fn of(proof: &Proof) -> Self {
        Self { verification: proof.verification(), build: proof.build().clone(), kernel_ns: proof.kernel_ns() }
    }

    /// The proof, of the task as it is known here.
    ///
    /// # Errors
    /// Nothing is proven: the output was wrong.
    pub fn of_task(self, task: &Task) -> Result<Proof, Error> {
        let Self { verification, build, kernel_ns } = self;
        Proof::of_parts(task, verification, build, kernel_ns).ok_or_else(|| wrong_output(&verification))
    }
}

/// A run whose output lies in the file.
pub type SentRun = Executed<Shape>;
