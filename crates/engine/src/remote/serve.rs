//! The side that answers: what `kernel-ladder worker` runs.

use super::confine::confine;
use super::frame;
use super::message::{FromRemote, SentPicture, ToRemote, VERSION};
use super::pictures::{Carriage, Laid, REFERENCES, SOURCES, Sent, receive, send};
use super::process::PARTING;
use crate::device::note_calls;
use crate::{Backend as _, Engine, PictureRef, Reply, Request, other_answer};
use base::error::Result;
use base::shared_memory::{remove_of_ended, take_over};
use base::system::{end_at_once, stdout_apart};
use base::texts::{self, failed};
use kernels::catalog;
use model::Confinement;
use model::measure::{Progress, work_for};
use pictures::Picture;
use std::io::BufReader;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// How long nobody asks for anything before the next run is prepared for.
const REST: Duration = Duration::from_millis(100);

/// Answers what comes over stdin until it is closed. Pictures go back as they are asked to.
///
/// # Errors
/// The pipes cannot be had. There is nobody to ask then.
pub fn serve(carriage: Carriage) -> Result<()> {
    let not_served = |error: std::io::Error| failed("errors.apart.not-served", &[("why", &error)]);
    // Before there is another thread, and before any driver's code.
    let confinement = confine();
    base::system::crash_without_dialog();
    // While whatever a driver prints goes to stderr.
    let to = Mutex::new(stdout_apart().map_err(not_served)?);
    if carriage == Carriage::Shared {
        hear_of_parents_end();
    }
    let asker = base::system::parent();
    asker.into_iter().for_each(work_for);
    // Whoever asks makes words of it.
    texts::speak_keys();
    tell(&to, &FromRemote::Ready(VERSION, note_calls()));
    // The number of the question that is to end.
    let cancelled = Arc::new(AtomicU64::new(0));
    let (post, requests) = channel();
    let stop = Arc::clone(&cancelled);
    #[cfg(target_os = "linux")]
    let (stdin, arrived) = super::handed::Receiver::of_stdin().map_err(not_served)?;
    #[cfg(not(target_os = "linux"))]
    let stdin = std::io::stdin();
    let listen = move || {
        let mut from = BufReader::new(stdin);
        loop {
            match frame::read(&mut from) {
                Ok(Some(ToRemote::Cancel(number))) => stop.store(number, Ordering::Relaxed),
                // Here, as what is asked next can be read only where its filter is known. What is wrong with it was told where it was read.
                Ok(Some(ToRemote::Bring(folder))) => drop(catalog::bring(&folder)),
                Ok(Some(ToRemote::Asked { number, returned, handed, request })) => {
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
                    if post.send((number, returned, handed, request)).is_err() {
                        return;
                    }
                }
                // Nobody waits any more. What was built is saved, but a driver that hangs does not keep the process.
                Ok(None) | Err(_) => {
                    drop(post);
                    std::thread::sleep(PARTING);
                    asker.into_iter().for_each(remove_of_ended);
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
    // Something was run for somebody to look at, who may ask for more of the kind.
    let mut has_run = false;
    loop {
        let next = match requests.recv_timeout(REST) {
            Err(RecvTimeoutError::Timeout) => {
                // Not after mere measurements: whoever asks for these may be timing something else meanwhile.
                if std::mem::take(&mut has_run) {
                    served.engine.make_ready();
                }
                requests.recv().ok()
            }
            next => next.ok(),
        };
        // Nobody asks any more.
        let Some((number, returned, handed, request)) = next else { break };
        take_over(handed);
        served.lent.retain(|(number, _)| !returned.contains(number));
        served.number = number;
        has_run |= matches!(*request, Request::Execute(_));
        let reply = served.reply(*request, &Telling::new(&to, number, &cancelled));
        tell(&to, &FromRemote::Answered(number, reply.map(Box::new)));
    }
    // It may have been killed.
    asker.into_iter().for_each(remove_of_ended);
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

fn tell(to: &Mutex<impl std::io::Write>, message: &FromRemote) {
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
            tell(self.to, &FromRemote::Alive);
        }
        self.cancelled.load(Ordering::Relaxed) == self.number
    }

    fn report(&self, done: usize, total: usize, text: &str) {
        tell(self.to, &FromRemote::Progress { done, total, text: text.to_owned() });
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
    /// The last run's output.
    last: Option<Arc<Picture>>,
    /// Of the question that is answered.
    number: u64,
    /// Outputs that the other side has, by the number of their question: nothing else may take their place.
    lent: Vec<(u64, Arc<Picture>)>,
}

impl Served {
    fn reply(&mut self, request: Request<SentPicture>, progress: &dyn Progress) -> Result<Reply<SentPicture>> {
        // Whoever asks again has taken up what it was told of before.
        self.laid.clear();
        let request = request.try_map(&mut |named| self.picture(&named))?;
        if matches!(request, Request::Execute(_) | Request::Verify(..)) {
            self.last = None;
        }
        let mut reply = self.engine.ask(request, progress)?;
        match &mut reply {
            Reply::Devices(_, scanned) => scanned.confinement = Some(self.confinement),
            Reply::Executed(run) => {
                self.lent.push((self.number, Arc::clone(&run.output)));
                self.last = Some(Arc::clone(&run.output));
            }
            _ => {}
        }
        let is_run = matches!(reply, Reply::Executed(_));
        reply.try_map(|picture| {
            let sent = if is_run { self.laid.lay(&picture).map(SentPicture::Once) } else { self.send_reference(&picture) };
            sent.map_err(|error| failed("errors.apart.no-room-back", &[("why", &error)]))
        })
    }

    fn picture(&mut self, named: &SentPicture) -> Result<PictureRef> {
        if let SentPicture::Last = named {
            return self.last.take().map(PictureRef::new).ok_or_else(other_answer);
        }
        let picture = receive(&mut self.got, named, self.carriage, PictureRef::new);
        picture.map_err(|error| failed("errors.apart.no-picture", &[("why", &error)]))
    }

    fn send_reference(&mut self, reference: &Arc<Picture>) -> std::io::Result<SentPicture> {
        if !std::ptr::eq(self.reference.0.as_ptr(), Arc::as_ptr(reference)) {
            self.reference = (Arc::downgrade(reference), self.reference.1 + 1);
        }
        send(&mut self.sent, &mut self.laid, self.reference.1, reference)
    }
}
