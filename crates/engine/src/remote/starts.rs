//! More processes, in which a comparison is repeated: what a process's start decides once for all of its runs (where code, stacks and buffers come to lie)
//! differs from one to the next, and so does the ratio.
//!
//! They are started for the first comparison, are asked one after the other, and wait for the next comparison: starting costs more than
//! comparing. Whatever is compared is run and verified in each of them before it is timed there.

use super::Remote;
use crate::{Backend as _, Compared, PictureRef, Proof, Request, Task};
use base::error::{Error, ErrorKind, Result};
use base::texts::filled;
use model::Budget;
use model::measure::{MIN_PAIRS, Progress};

/// The processes besides the first.
#[derive(Default)]
pub struct Starts {
    started: Vec<Start>,
    /// No more could be had: so many are there, and are made do with.
    most: Option<usize>,
    /// Why, as a clause.
    problem: Option<String>,
}

/// One of them.
struct Start {
    apart: Remote,
    /// What was verified there, of the picture that was last compared over.
    proofs: Vec<Proof>,
}

/// One of two that are compared.
pub struct Side<'a> {
    /// What runs.
    pub task: &'a Task,
    /// What it should bring, where the first process has told that.
    pub reference: Option<PictureRef>,
}

/// A task that is right there, or why that process cannot run it.
type Proven = std::result::Result<Proof, Error>;

impl Starts {
    /// The shares of all processes but the first. Where another one cannot be had (a device that one process has for itself, or too little memory), there are
    /// fewer, which the comparison says.
    ///
    /// # Errors
    /// Cancelled; an output that is wrong in one of them; one that ended over it.
    pub fn compare(
        &mut self,
        another: impl Fn() -> Remote,
        sides: &[Side<'_>; 2],
        budget: Budget,
        progress: &dyn Progress,
    ) -> Result<Vec<Compared>> {
        let wanted = budget.starts.min(Budget::MOST_STARTS).saturating_sub(1);
        let share = budget.share(false, MIN_PAIRS);
        let mut shares = Vec::new();
        let wanted_now = wanted.min(self.most.unwrap_or(wanted));
        self.start(another, wanted_now);
        for index in 0..wanted_now {
            let Some(start) = self.started.get_mut(index) else { break };
            match start.proven(sides, progress)? {
                Ok([first, second]) => shares.push(start.apart.compare_here(&first, &second, share, progress)?),
                Err(why) => {
                    self.make_do_with(index, wanted, &why);
                    break;
                }
            }
        }
        Ok(shares)
    }

    /// Starts what is missing, all at once: nothing is measured meanwhile.
    fn start(&mut self, another: impl Fn() -> Remote, wanted: usize) {
        let known = self.started.len();
        self.started.extend((known..wanted).map(|_| Start { apart: another(), proofs: Vec::new() }));
        std::thread::scope(|scope| {
            for start in self.started.iter_mut().skip(known) {
                // Where the system refuses a thread, it is started by the first question, which also tells what keeps it from starting.
                let _ = std::thread::Builder::new().name("start".to_owned()).spawn_scoped(scope, || start.apart.wake());
            }
        });
    }

    fn make_do_with(&mut self, most: usize, wanted: usize, why: &Error) {
        self.started.truncate(most);
        self.most = Some(most);
        let told = filled("errors.told", &[("what", &why.what), ("why", &why.why)]);
        self.problem = Some(filled("errors.apart.fewer-starts", &[("starts", &(most + 1)), ("wanted", &(wanted + 1)), ("why", &told)]));
    }

    /// Why there are fewer than wanted, once.
    pub fn take_problem(&mut self) -> Option<String> {
        self.problem.take()
    }
}

impl Drop for Starts {
    /// All of them are told before the first is waited for.
    fn drop(&mut self) {
        for start in &mut self.started {
            start.apart.part();
        }
    }
}

impl Start {
    /// Both tasks, verified here.
    fn proven(&mut self, sides: &[Side<'_>; 2], progress: &dyn Progress) -> Result<std::result::Result<[Proof; 2], Error>> {
        self.proofs.retain(|proof| sides.iter().any(|side| side.task.picture == proof.task().picture));
        let [first, second] = sides;
        let first = match self.proof(first, progress)? {
            Ok(proof) => proof,
            Err(why) => return Ok(Err(why)),
        };
        Ok(self.proof(second, progress)?.map(|second| [first, second]))
    }

    fn proof(&mut self, Side { task, reference }: &Side<'_>, progress: &dyn Progress) -> Result<Proven> {
        if let Some(known) = self.proofs.iter().find(|proof| proof.task() == *task) {
            return Ok(Ok(known.clone()));
        }
        let is_final = |error: &Error| matches!(error.kind, ErrorKind::Cancelled | ErrorKind::Lost);
        if let Some(reference) = reference {
            match self.apart.ask(Request::Expect((*task).clone(), reference.clone()), progress) {
                Err(error) if is_final(&error) => return Err(error),
                // Where it could not take it, it computes its own.
                _ => {}
            }
        }
        let why = match self.apart.prove(task, progress) {
            Ok(proof) => {
                self.proofs.push(proof.clone());
                return Ok(Ok(proof));
            }
            Err(why) if is_final(&why) => return Err(why),
            Err(why) => why,
        };
        // Another process runs it. If this one does, too, it is what it makes that is wrong.
        match self.apart.execute(task, progress) {
            Ok(_) => Err(why),
            Err(error) if is_final(&error) => Err(error),
            Err(_) => Ok(Err(why)),
        }
    }
}
