//! The side that answers: what `kernel-ladder worker` runs.

use super::confine::confine;
use super::frame;
use super::message::{Answer, FromWorker, Output, Proven, Question, SentPicture, SentProof, SentTask, ToWorker, VERSION};
use super::pictures::{Carriage, Laid, REFERENCES, SOURCES, Sent, receive, send};
use super::process::PARTING;
use crate::device::{NoDevice, note_calls};
use crate::engine::{Backend, Engine, Executed, PictureRef, Proof, Task};
use crate::error::{Error, Result};
use crate::image::Picture;
use crate::measure::{Progress, work_for};
use crate::model::Confinement;
use crate::shared_memory::take_over;
use crate::texts::{self, failed};
use std::fs::File;
use std::io::BufReader;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Instant;

/// Answers what comes over stdin until it is closed. Pictures go back as they are asked to.
///
/// # Errors
/// The pipes cannot be had. There is nobody to ask then.
pub fn serve(carriage: Carriage) -> Result<()> {
    let not_served = |error: std::io::Error| failed("errors.apart.not-served", &[("why", &error)]);
    // Before there is another thread, and before any driver's code.
    let confinement = confine();
    let to = Mutex::new(answers_alone().map_err(not_served)?);
    if carriage == Carriage::Shared {
        hear_of_parents_end();
    }
    #[cfg(unix)]
    work_for(std::os::unix::process::parent_id());
    // Whoever asks makes words of it.
    texts::speak_keys();
    tell(&to, &FromWorker::Ready(VERSION, note_calls()));
    // The number of the question that is to end.
    let cancelled = Arc::new(AtomicU64::new(0));
    let (post, questions) = channel();
    let stop = Arc::clone(&cancelled);
    #[cfg(target_os = "linux")]
    let (stdin, arrived) = super::handed::Receiver::of_stdin().map_err(not_served)?;
    #[cfg(not(target_os = "linux"))]
    let stdin = std::io::stdin();
    let listen = move || {
        let mut from = BufReader::new(stdin);
        loop {
            match frame::read(&mut from) {
                Ok(Some(ToWorker::Cancel(number))) => stop.store(number, Ordering::Relaxed),
                Ok(Some(ToWorker::Asked { number, returned, handed, question })) => {
                    #[cfg(target_os = "linux")]
                    let handed = {
                        let mut arrived = arrived.lock().unwrap_or_else(PoisonError::into_inner);
                        let count = handed.len().min(arrived.len());
                        handed.into_iter().zip(arrived.drain(..count)).collect()
                    };
                    #[cfg(not(target_os = "linux"))]
                    let handed = {
                        // Names have to do.
                        drop(handed);
                        Vec::new()
                    };
                    if post.send((number, returned, handed, question)).is_err() {
                        return;
                    }
                }
                // Nobody waits any more. What was built is saved, but a driver that hangs does not keep the process.
                Ok(None) | Err(_) => {
                    drop(post);
                    std::thread::sleep(PARTING);
                    end_at_once();
                }
            }
        }
    };
    std::thread::Builder::new().name("questions".to_owned()).spawn(listen).map_err(not_served)?;
    let mut served = Served {
        confinement,
        engine: if carriage == Carriage::Shared { Engine::new().sharing() } else { Engine::new() },
        carriage,
        got: Sent::new(SOURCES),
        laid: Laid::of(carriage),
        sent: Sent::new(REFERENCES),
        reference: (Weak::new(), 0),
        last: None,
        number: 0,
        lent: Vec::new(),
    };
    for (number, returned, handed, question) in questions {
        take_over(handed);
        served.lent.retain(|(number, _)| !returned.contains(number));
        served.number = number;
        let answer = served.answer(*question, &Telling::new(&to, number, &cancelled));
        tell(&to, &FromWorker::Answered(number, answer.map(Box::new)));
    }
    Ok(())
}

/// A process that is stopped cannot see that its stdin is closed: the system lets it go on when its parent ends, and then it sees that, and ends as well. To one that
/// is not stopped the signal means nothing, so that it does no harm if it comes early, with the end of the parent's thread that started this process.
fn hear_of_parents_end() {
    #[cfg(target_os = "linux")]
    {
        // Where the system refuses, only a stopped one stays.
        let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::CONT));
    }
}

/// Ends this process as it is: drivers' own ends, which may hang as well, are not waited for, and no core file with pictures in it is written.
fn end_at_once() -> ! {
    #[cfg(unix)]
    {
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
    std::process::abort()
}

/// Where messages go: stdout as it was, while whatever a driver prints there goes to stderr.
#[cfg(unix)]
fn answers_alone() -> std::io::Result<File> {
    // Programs that a driver starts do not get it: they would keep the pipe open after a crash.
    let messages = File::from(rustix::io::fcntl_dupfd_cloexec(std::io::stdout(), 3)?);
    rustix::stdio::dup2_stdout(std::io::stderr())?;
    Ok(messages)
}

/// Where messages go.
#[cfg(not(unix))]
fn answers_alone() -> std::io::Result<impl std::io::Write> {
    Ok(std::io::stdout())
}

fn tell(to: &Mutex<impl std::io::Write>, message: &FromWorker) {
    // Where nobody listens, stdin is closed, too: the process ends by that.
    let _ = frame::write(message, &mut *to.lock().unwrap_or_else(PoisonError::into_inner));
}

/// A question's progress, on its way to whoever asked.
struct Telling<'a, W> {
    to: &'a Mutex<W>,
    number: u64,
    cancelled: &'a AtomicU64,
    begun: Instant,
    /// The second in which a sign of life was given last.
    told_s: AtomicU64,
}

impl<'a, W> Telling<'a, W> {
    fn new(to: &'a Mutex<W>, number: u64, cancelled: &'a AtomicU64) -> Self {
        Self { to, number, cancelled, begun: Instant::now(), told_s: AtomicU64::new(0) }
    }
}

impl<W: std::io::Write + Send> Progress for Telling<'_, W> {
    fn is_cancelled(&self) -> bool {
        // Asked between runs: a sign of life where nothing else is told.
        let now_s = self.begun.elapsed().as_secs();
        if self.told_s.swap(now_s, Ordering::Relaxed) != now_s {
            tell(self.to, &FromWorker::Alive);
        }
        self.cancelled.load(Ordering::Relaxed) == self.number
    }

    fn report(&self, done: usize, total: usize, text: &str) {
        tell(self.to, &FromWorker::Progress { done, total, text: text.to_owned() });
    }
}

/// The engine, and what the other side has sent and was sent.
struct Served {
    confinement: Confinement,
    engine: Engine,
    /// How pictures come and go.
    carriage: Carriage,
    got: Sent<PictureRef>,
    /// Pictures of the last answer.
    laid: Laid,
    sent: Sent<()>,
    /// The reference that was sent last, and its number.
    reference: (Weak<Picture>, u64),
    /// The last run.
    last: Option<Executed>,
    /// Of the question that is answered.
    number: u64,
    /// Outputs that the other side has, by the number of their question: nothing else may take their place.
    lent: Vec<(u64, Arc<Picture>)>,
}

impl Served {
    fn answer(&mut self, question: Question, progress: &dyn Progress) -> Result<Answer> {
        // Whoever asks again has taken up what it was told of before.
        self.laid.clear();
        Ok(match question {
            Question::Rescan => {
                let found: std::result::Result<_, NoDevice> = self.engine.rescan();
                Answer::Devices(found, self.engine.scanned().problems, self.confinement)
            }
            Question::Execute(task) => {
                let task = self.task(task)?;
                self.last = None;
                let executed = self.engine.execute(&task, &())?;
                self.lent.push((self.number, Arc::clone(&executed.output)));
                let output = self.laid.lay(&executed.output).map_err(|error| no_room(&error))?;
                let run = executed.clone().with_output(output);
                self.last = Some(executed);
                Answer::Executed(Box::new(run))
            }
            Question::Verify(task, output) => {
                let task = self.task(task)?;
                let executed = match (output, self.last.take()) {
                    (Output::Last, Some(executed)) => executed,
                    (Output::Last, None) => return Err(failed("errors.apart.other-answer", &[])),
                    (Output::Of(run), _) => {
                        let picture = run.output.picture(self.carriage).map_err(|error| no_picture(&error))?;
                        run.with_output(Arc::new(picture))
                    }
                };
                let verified = self.engine.verify(&task, &executed, progress)?;
                let proven = verified.proof.as_ref().map(Proven::of);
                Answer::Verified(verified.verification, self.send_reference(&verified.reference)?, proven)
            }
            Question::Prove(task) => {
                let task = self.task(task)?;
                Answer::Proven(Proven::of(&self.engine.prove(&task, progress)?))
            }
            Question::Measure(proof, budget) => {
                let proof = self.proof(proof)?;
                Answer::Measured(Box::new(self.engine.measure(&proof, budget, progress)?))
            }
            Question::Glance(proof) => {
                let proof = self.proof(proof)?;
                Answer::Glanced(self.engine.glance(&proof, progress)?)
            }
            Question::Compare(first, second, budget) => {
                let (first, second) = (self.proof(*first)?, self.proof(*second)?);
                Answer::Compared(Box::new(self.engine.compare_in_one_start(&first, &second, budget, progress)?))
            }
            Question::Compiled(task) => {
                let task = self.task(task)?;
                Answer::Compiled(self.engine.compiled(&task, progress)?)
            }
            Question::NoteCode(task) => {
                let task = self.task(task)?;
                self.engine.note_code(&task, progress)?;
                Answer::CodeNoted
            }
            Question::KnownRoofs(device) => Answer::Roofs(self.engine.known_roofs(device, progress)),
            Question::MeasureRoofs(device) => Answer::Roofs(Some(self.engine.measure_roofs(device, progress)?)),
            Question::Tidy => Answer::Tidied(self.engine.tidy()),
            Question::ObjectsCreated => Answer::Objects(self.engine.objects_created()),
        })
    }

    fn task(&mut self, sent: SentTask) -> Result<Task> {
        let SentTask { spec, picture, target, text } = sent;
        let picture = receive(&mut self.got, &picture, self.carriage, PictureRef::new);
        let picture = picture.map_err(|error| no_picture(&error))?;
        Ok(Task { spec, picture, target, text })
    }

    fn proof(&mut self, sent: SentProof) -> Result<Proof> {
        let task = self.task(sent.task.clone())?;
        sent.proven.of_task(&task)
    }

    fn send_reference(&mut self, reference: &Arc<Picture>) -> Result<SentPicture> {
        if !std::ptr::eq(self.reference.0.as_ptr(), Arc::as_ptr(reference)) {
            self.reference = (Arc::downgrade(reference), self.reference.1 + 1);
        }
        send(&mut self.sent, &mut self.laid, self.reference.1, reference).map_err(|error| no_room(&error))
    }
}

fn no_picture(why: &std::io::Error) -> Error {
    failed("errors.apart.no-picture", &[("why", why)])
}

/// There is no room for what goes back.
fn no_room(why: &std::io::Error) -> Error {
    failed("errors.apart.no-room-back", &[("why", why)])
}
