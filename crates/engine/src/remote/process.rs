//! The worker's process, from this side: started, asked, watched, and ended where it does not answer.

use super::frame;
#[cfg(target_os = "linux")]
use super::handed::{Sender as Stdin, pair};
use super::launch::{Carried, Launch};
use super::message::{FromRemote, READY, READY_BYTES, SentPicture, ToRemote, VERSION};
use super::pictures::{Carriage, Laid, REFERENCES, SOURCES, Sent, receive, send};
use super::words::{LastWords, overhear};
use crate::device::{CACHE, CallUnderWay, replaced_cache};
use crate::{PictureRef, Printed, Reply, Request};
use base::error::{Error, Result};
use base::foreign::plain_line;
use base::shared_memory::remove_of_ended;
use base::texts::{failed, filled, speaking_keys, spoken, text};
use kernels::catalog;
use model::FilterId;
use model::measure::Progress;
use pictures::Picture;
use std::fmt::Display;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Write as _};
use std::path::PathBuf;
#[cfg(not(target_os = "linux"))]
use std::process::ChildStdin as Stdin;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// How often it is seen whether the person cancelled.
const GLANCE: Duration = Duration::from_millis(20);

/// How long a worker may take to start: it loads a program of some megabytes, and no driver.
const START: Duration = Duration::from_secs(30);

/// How long a worker may take to end.
pub const PARTING: Duration = Duration::from_secs(3);

/// So many characters of what a shell says of its own are shown.
const CHATTER: usize = 80;

/// So many messages wait for whoever asked; the worker waits with the next one.
const WAITING: usize = 4;

/// A worker sends no more messages in a second: an answer, and now and then how far it is.
const MESSAGES_PER_SECOND: f64 = 1000.0;

/// No answer of another machine has more bytes, but for pictures: the largest have the code of kernels or the samples of many runs.
pub const ANSWER_BYTES: u32 = 1 << 24;

/// No list of another machine's devices has more.
pub const DEVICES_BYTES: u32 = 1 << 20;

/// How long a worker may be silent.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// In the middle of a question. A kernel that takes longer for a run cannot be told from one that never ends.
    pub answer: Duration,
    /// After it was told to stop.
    pub stop: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { answer: Duration::from_mins(5), stop: Duration::from_secs(10) }
    }
}

/// What an answer may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How long the worker may be silent.
    pub patience: Patience,
    /// How long it may take in all, whatever it says meanwhile.
    pub in_all: Option<Duration>,
    /// How many bytes a message may have.
    pub bytes: u32,
}

/// The environment variable with the seconds that a worker may be silent in the middle of a question.
const PATIENCE: &str = "KERNEL_LADDER_PATIENCE";

impl Patience {
    /// As the environment says.
    ///
    /// # Errors
    /// What it says is no number of seconds from 1 on, as a clause.
    pub fn from_env() -> std::result::Result<Self, String> {
        let Some(said) = std::env::var_os(PATIENCE) else { return Ok(Self::default()) };
        let seconds = said.to_str().and_then(|said| said.parse().ok()).filter(|seconds| *seconds > 0);
        let answer = seconds.map(Duration::from_secs).ok_or_else(|| {
            let values: [(&str, &dyn Display); 3] =
                [("name", &PATIENCE), ("said", &said.display()), ("seconds", &Self::default().answer.as_secs())];
            filled("errors.apart.patience", &values)
        })?;
        Ok(Self { answer, ..Self::default() })
    }
}

/// Set where the program ends: what does not stop at once is let go of.
static LETTING_GO: AtomicBool = AtomicBool::new(false);

/// The program ends: no question is waited for any more.
pub fn let_go() {
    LETTING_GO.store(true, Ordering::Relaxed);
}

/// Runners of this machine that run.
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

fn running() -> MutexGuard<'static, Vec<u32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends all workers whose caches are about to be removed, and lets none be started any more: the program ends. Those with caches that stay end by themselves, once
/// they have saved what was built.
#[cfg(unix)]
pub fn end_before_cache() {
    use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
    if replaced_cache().is_none() {
        return;
    }
    let running = running();
    for id in running.iter().filter_map(|id| i32::try_from(*id).ok().and_then(Pid::from_raw)) {
        let has_ended = || !matches!(waitpid(Some(id), WaitOptions::NOHANG), Ok(None));
        // The number of one that has ended may be another process's.
        if !has_ended() && kill_process(id, Signal::KILL).is_ok() {
            let begun = Instant::now();
            while !has_ended() && begun.elapsed() < PARTING {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
    }
    std::mem::forget(running);
}

/// A message on its way to a worker, with the files that go beside it.
struct Message {
    bytes: Vec<u8>,
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "there are none"))]
    files: Vec<File>,
}

impl Message {
    fn write(self, stdin: &mut Stdin, carried: &Carried) -> std::io::Result<()> {
        #[cfg(target_os = "linux")]
        stdin.hand(self.files)?;
        carried.counting_sent(stdin).write_all(&self.bytes)
    }
}

/// A worker that runs.
pub struct Process {
    child: Child,
    /// Messages on their way there, written by a thread of their own: whoever does not take them keeps nobody. `None` at its end.
    to: Option<Sender<Message>>,
    from: Receiver<std::io::Result<FromRemote>>,
    /// How many bytes a message may have now.
    most_bytes: Arc<AtomicU32>,
    last_words: LastWords,
    number: u64,
    /// Pictures on their way there.
    laid: Laid,
    /// Sources that it still has.
    sent: Sent<()>,
    /// References that it has sent.
    references: Sent<Arc<Picture>>,
    /// The output of its last run, until that was checked.
    last_output: Weak<Picture>,
    /// Outputs that lie in its memory, by the number of their question.
    outputs: Vec<(u64, Weak<Picture>)>,
    /// How pictures come from there.
    carriage: Carriage,
    /// The machine, where it is another one.
    host: Option<String>,
    /// Where it notes its calls.
    under_way: Option<CallUnderWay>,
    /// Filters of a person's own that it knows.
    brought: Vec<FilterId>,
}

impl Process {
    /// Starts a worker and waits until it is ready.
    ///
    /// # Errors
    /// It does not start, or is another version; cancelled.
    pub fn start(launch: &Launch, progress: &dyn Progress) -> Result<Self> {
        let not_started = |why: &dyn Display| failed("errors.apart.not-started", &[("program", &launch.name()), ("why", why)]);
        let mut command = launch.command();
        // It would replace a cache that cannot be written by one of its own, and could not remove that at its end.
        if let Some(folder) = replaced_cache().filter(|_| std::env::var_os(CACHE).is_none()) {
            command.env(CACHE, folder);
        }
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(target_os = "linux")]
        let stdin = {
            let (theirs, ours) = pair().map_err(|error| not_started(&error))?;
            command.stdin(theirs);
            Some(ours)
        };
        #[cfg(not(target_os = "linux"))]
        command.stdin(Stdio::piped());
        let mut child = {
            let mut running = running();
            let child = command.spawn().map_err(|error| not_started(&error))?;
            if launch.host.is_none() {
                running.push(child.id());
            }
            child
        };
        // It has the worker's end of stdin, which would keep that from being seen as closed.
        drop(command);
        #[cfg(not(target_os = "linux"))]
        let stdin = child.stdin.take();
        let (Some(mut stdin), Some(stdout), Some(stderr)) = (stdin, child.stdout.take(), child.stderr.take()) else {
            return Err(not_started(&text("errors.apart.no-pipes")));
        };
        let (to, messages) = channel();
        let carried = launch.carried.clone();
        let write = move || {
            // Where that fails nobody takes messages any more, which is seen as the end of what comes from there.
            let _ = messages.into_iter().try_for_each(|message: Message| message.write(&mut stdin, &carried));
        };
        let (tell, from) = sync_channel(WAITING);
        let stdout = BufReader::new(launch.carried.counting_received(stdout));
        let most_bytes = Arc::new(AtomicU32::new(READY_BYTES));
        let listen = {
            let (most_bytes, is_host) = (Arc::clone(&most_bytes), launch.host.is_some());
            move || listen(stdout, &tell, &most_bytes, is_host)
        };
        let last_words = LastWords::default();
        let overhear = {
            let (kept, is_host) = (last_words.clone(), launch.host.is_some());
            move || overhear(stderr, &kept, is_host, std::io::stderr())
        };
        for (name, job) in [
            ("worker's questions", Box::new(write) as Box<dyn FnOnce() + Send>),
            ("worker's answers", Box::new(listen)),
            ("worker's stderr", Box::new(overhear)),
        ] {
            Builder::new().name(name.to_owned()).spawn(job).map_err(|error| not_started(&error))?;
        }
        let (sent, references) = (Sent::new(SOURCES), Sent::new(REFERENCES));
        let mut process = Self {
            child,
            to: Some(to),
            from,
            most_bytes,
            last_words,
            number: 0,
            laid: Laid::of(launch.carriage),
            carriage: launch.carriage,
            host: launch.host.clone(),
            sent,
            references,
            last_output: Weak::new(),
            outputs: Vec::new(),
            under_way: None,
            brought: Vec::new(),
        };
        process.made_ready(launch, progress)?;
        Ok(process)
    }

    /// Waits until it is ready.
    fn made_ready(&mut self, launch: &Launch, progress: &dyn Progress) -> Result<()> {
        let not_started = |why: &dyn Display| failed("errors.apart.not-started", &[("program", &launch.name()), ("why", why)]);
        let mut waited = Stopwatch::default();
        let said = loop {
            match self.from.recv_timeout(GLANCE) {
                Err(RecvTimeoutError::Timeout) if progress.is_cancelled() || LETTING_GO.load(Ordering::Relaxed) => {
                    let _ = self.end();
                    return Err(Error::cancelled());
                }
                Err(RecvTimeoutError::Timeout) if waited.passed() > START => return Err(self.silent(text("errors.apart.starting"), START)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break None,
                Ok(said) => break Some(said),
            }
        };
        match said {
            Some(Ok(FromRemote::Ready(VERSION, notes))) => {
                // What another machine calls a file is none of this one's.
                let notes = notes.filter(|_| self.carriage == Carriage::Shared);
                self.under_way = notes.and_then(|path| CallUnderWay::open(&path).ok());
                Ok(())
            }
            Some(Ok(said)) => Err(match (&launch.host, said) {
                (Some(host), FromRemote::Ready(version, _)) => {
                    other_version(host, &filled("errors.apart.speaks", &[("there", &version), ("here", &VERSION)]))
                }
                _ => not_started(&text("errors.apart.version")),
            }),
            Some(Err(error)) if chatter(&error).is_some() => {
                let _ = self.end();
                let said = chatter(&error).map_or("", |Chatter(said)| said);
                Err(unclean(launch.host.as_deref().unwrap_or_default(), said))
            }
            Some(Err(_)) | None => {
                let code = self.wait(Duration::from_secs(2)).ok().and_then(|status| status.code());
                let ended = self.ended(text("errors.apart.starting"));
                Err(match &launch.host {
                    Some(host) => not_reached(host, code, &ended),
                    None => ended,
                })
            }
        }
    }

    /// Asks, and waits for the answer; pictures are laid down for it. The second says whether the process may be asked again: an error that it answered with is no
    /// reason not to.
    pub fn ask(&mut self, request: Request, doing: &str, limits: Limits, progress: &dyn Progress) -> (Result<Reply<SentPicture>>, bool) {
        let output = if let Request::Verify(_, output) | Request::Expect(_, output) = &request { Some(output.id) } else { None };
        let send = &mut |picture: PictureRef| {
            let sent = if output == Some(picture.id) { self.send_output(&picture.picture) } else { self.send(&picture) };
            sent.map_err(|error| failed("errors.apart.no-room", &[("why", &error)]))
        };
        let (reply, is_well) = match request.try_map(send) {
            Ok(request) => self.ask_as_sent(request, doing, limits, progress),
            Err(error) => (Err(error), true),
        };
        self.laid.clear();
        if reply.is_err() {
            // It may not have heard of all pictures, nor taken them up. What it has already is taken from the memory of it, whatever is sent.
            self.sent = Sent::new(SOURCES);
        }
        (reply, is_well)
    }

    fn send(&mut self, picture: &PictureRef) -> std::io::Result<SentPicture> {
        send(&mut self.sent, &mut self.laid, picture.id, &picture.picture)
    }

    /// Sends the folders of filters that a question is about, those that it has not got yet.
    fn bring_filters(&mut self, request: &mut Request<SentPicture>) -> std::io::Result<()> {
        for task in request.tasks_mut() {
            let id = task.spec.filter;
            if id.is_built_in() || self.brought.contains(&id) {
                continue;
            }
            if let Some(folder) = catalog::folder_of(id) {
                self.tell(&ToRemote::Bring(Box::new(folder)), Vec::new())?;
            }
            self.brought.push(id);
        }
        Ok(())
    }

    /// The worker has its last run's output for one check.
    fn send_output(&mut self, output: &Arc<Picture>) -> std::io::Result<SentPicture> {
        let last = std::mem::take(&mut self.last_output);
        if std::ptr::eq(last.as_ptr(), Arc::as_ptr(output)) { Ok(SentPicture::Last) } else { self.laid.lay(output).map(SentPicture::Once) }
    }

    /// The picture that the last answer names.
    ///
    /// # Errors
    /// It is not there, or is no such picture.
    pub fn receive(&mut self, named: &SentPicture) -> std::io::Result<Arc<Picture>> {
        let picture = receive(&mut self.references, named, self.carriage, |picture| picture)?;
        if let SentPicture::Once(_) = named {
            self.last_output = Arc::downgrade(&picture);
            self.outputs.push((self.number, Arc::downgrade(&picture)));
        }
        Ok(picture)
    }

    fn ask_as_sent(
        &mut self,
        request: Request<SentPicture>,
        doing: &str,
        limits: Limits,
        progress: &dyn Progress,
    ) -> (Result<Reply<SentPicture>>, bool) {
        self.number += 1;
        let number = self.number;
        self.most_bytes.store(limits.bytes, Ordering::Relaxed);
        let returned = self.outputs.extract_if(.., |(_, output)| output.strong_count() == 0).map(|(number, _)| number).collect();
        let Ok((handed, files)) = self.handed() else { return (Err(self.ended(doing)), false) };
        let mut request = request;
        if self.bring_filters(&mut request).is_err() {
            return (Err(self.ended(doing)), false);
        }
        let asked = ToRemote::Asked { number, returned, handed, request: Box::new(request) };
        if self.tell(&asked, files).is_err() {
            return (Err(self.ended(doing)), false);
        }
        let Patience { answer: patience, stop } = limits.patience;
        let mut in_all = Stopwatch::default();
        let (mut silent_since, mut stop_since, mut messages) = (Duration::ZERO, None::<Duration>, 0.0);
        loop {
            let now = in_all.passed();
            let is_let_go = LETTING_GO.load(Ordering::Relaxed);
            if stop_since.is_none() && (is_let_go || progress.is_cancelled()) {
                stop_since = Some(now);
                // One that cannot be told so has ended, which is seen below.
                let _ = self.tell(&ToRemote::Cancel(number), Vec::new());
            }
            let stop = if is_let_go { PARTING } else { stop };
            if stop_since.is_some_and(|since| now > since + stop) {
                // What does not stop costs the worker, and no words: the person has let go of it.
                let _ = self.end();
                return (Err(Error::cancelled()), false);
            }
            if now > silent_since + patience {
                return (Err(self.silent(doing, patience)), false);
            }
            if let Some(most) = limits.in_all.filter(|most| now > *most) {
                return (Err(self.stopped("errors.apart.too-slow", doing, &[("seconds", &most.as_secs())])), false);
            }
            match self.from.recv_timeout(GLANCE) {
                Ok(Ok(FromRemote::Answered(of, answer))) if of == number => {
                    return (answer.map(|answer| answer.heard()).map_err(Error::heard), true);
                }
                Ok(Ok(FromRemote::Progress { done, total, text })) => progress.report(done, total, &spoken(&text)),
                // To a question of before, which cannot be.
                Ok(Ok(FromRemote::Answered(..) | FromRemote::Ready(..) | FromRemote::Alive)) => {}
                Ok(Err(error)) if error.kind() == ErrorKind::InvalidData => {
                    return (Err(self.stopped("errors.apart.garbled", doing, &[])), false);
                }
                Ok(Err(error)) => {
                    let last = filled("errors.apart.last-message", &[("why", &error)]);
                    return (Err(self.ended(doing).with_more_detail(last)), false);
                }
                Err(RecvTimeoutError::Disconnected) => return (Err(self.ended(doing)), false),
                Err(RecvTimeoutError::Timeout) => continue,
            }
            silent_since = now;
            messages += 1.0;
            if messages > MESSAGES_PER_SECOND * (1.0 + now.as_secs_f64()) {
                return (Err(self.stopped("errors.apart.flooded", doing, &[])), false);
            }
        }
    }

    /// What the worker prints from now on is told by [`Process::printed`].
    pub fn listen(&self) {
        self.last_words.listen();
    }

    /// What it printed since then.
    pub fn printed(&self) -> Printed {
        self.last_words.printed()
    }

    /// The files of the pictures of this question, and their names.
    #[cfg(target_os = "linux")]
    fn handed(&self) -> std::io::Result<(Vec<PathBuf>, Vec<File>)> {
        Ok(self.laid.files()?.into_iter().unzip())
    }

    /// Where files cannot be handed over, the names have to do.
    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "on Linux it is another function")]
    fn handed(&self) -> std::io::Result<(Vec<PathBuf>, Vec<File>)> {
        Ok((Vec::new(), Vec::new()))
    }

    /// Itself, unless it came to an end.
    pub fn if_running(mut self) -> Option<Self> {
        matches!(self.child.try_wait(), Ok(None)).then_some(self)
    }

    /// The process's number, by which the system knows it.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Nothing more is asked: it saves what was built, and ends.
    pub fn part(&mut self) {
        drop(self.to.take());
    }

    fn tell(&mut self, message: &ToRemote, files: Vec<File>) -> std::io::Result<()> {
        let message = Message { bytes: frame::bytes(message)?, files };
        self.to.as_ref().map_or(Ok(()), |to| to.send(message).map_err(|_| ErrorKind::BrokenPipe.into()))
    }

    fn end(&mut self) -> std::io::Result<ExitStatus> {
        let _ = self.child.kill();
        // One that stands in the system's own driver does not even die.
        self.wait(PARTING)
    }

    /// Waits for its end, so long at most.
    fn wait(&mut self, most: Duration) -> std::io::Result<ExitStatus> {
        let begun = Instant::now();
        loop {
            match self.child.try_wait()? {
                Some(status) => return Ok(status),
                None if begun.elapsed() > most => return Err(ErrorKind::TimedOut.into()),
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        }
    }

    /// The error of a worker that ended by itself.
    fn ended(&mut self, doing: &str) -> Error {
        // Its pipe may close a moment before it is gone.
        let status = self.wait(Duration::from_secs(2)).or_else(|_| self.end());
        let error = speaking_keys(|| {
            let (doing, status) = (self.in_call(doing), status.map_or_else(|error| error.to_string(), how));
            match &self.host {
                Some(host) => failed("errors.apart.cut", &[("host", host), ("doing", &doing), ("how", &status)]),
                None => failed("errors.apart.ended", &[("doing", &doing), ("how", &status)]),
            }
        });
        let error = error.heard();
        self.with_last_words(error.of_lost_device())
    }

    /// "running …, in `clWaitForEvents`", where it was in such a call.
    fn in_call(&self, doing: &str) -> String {
        let call = self.under_way.as_ref().and_then(CallUnderWay::call);
        call.map_or_else(|| doing.to_owned(), |call| filled("errors.apart.in-call", &[("doing", &doing), ("call", &call.name())]))
    }

    /// The error of a worker that did not answer, which is ended.
    fn silent(&mut self, doing: &str, waited: Duration) -> Error {
        let doing = speaking_keys(|| self.in_call(doing));
        self.stopped("errors.apart.silent", &doing, &[("seconds", &waited.as_secs())]).of_lost_device()
    }

    /// The error of a worker that is ended for what it did while it was `doing`.
    fn stopped(&mut self, key: &'static str, doing: &str, values: &[(&str, &dyn Display)]) -> Error {
        let _ = self.end();
        // By keys: the row that it costs is kept.
        let error = speaking_keys(|| failed(key, &[values, &[("doing", &doing)]].concat())).heard();
        self.with_last_words(error)
    }

    fn with_last_words(&self, error: Error) -> Error {
        let words = self.last_words.complete();
        if words.is_empty() { error } else { error.with_detail(words) }
    }
}

/// Time that passes while somebody watches, which is counted in glances and not by the clock: while the program itself stands still, nobody is silent.
#[derive(Default)]
struct Stopwatch {
    passed: Duration,
    last: Option<Instant>,
}

impl Stopwatch {
    /// So long since it was first asked.
    fn passed(&mut self) -> Duration {
        let now = Instant::now();
        let step = self.last.map_or(Duration::ZERO, |last| now - last);
        self.last = Some(now);
        // What takes longer than two glances is the program's own standing still.
        self.passed += step.min(2 * GLANCE);
        self.passed
    }
}

/// What another machine printed where a worker's first message was due.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Chatter(String);

/// Hands on what comes from a worker.
fn listen(mut from: BufReader<impl Read>, tell: &SyncSender<std::io::Result<FromRemote>>, most_bytes: &AtomicU32, is_host: bool) {
    let head = match if is_host { ready_head(&mut from) } else { Ok(Vec::new()) } {
        Ok(head) => head,
        Err(error) => {
            let _ = tell.send(Err(error));
            return;
        }
    };
    let mut from = head.chain(from);
    loop {
        let message = frame::read_within(&mut from, || most_bytes.load(Ordering::Relaxed)).transpose();
        let Some(message) = message else { return };
        let is_over = message.is_err();
        if tell.send(message).is_err() || is_over {
            return;
        }
    }
}

/// The head of a worker's first message; an error with what came in its place. A shell that prints something when it starts comes first.
fn ready_head(from: &mut BufReader<impl Read>) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    from.take(4 + READY.len() as u64).read_to_end(&mut head)?;
    // What is shorter came to its end.
    if head.len() < 4 + READY.len() || head.ends_with(READY) {
        return Ok(head);
    }
    head.extend_from_slice(from.buffer());
    // The message itself may be there already, after its length.
    if let Some(message) = head.windows(READY.len()).position(|bytes| bytes == READY) {
        head.truncate(message.saturating_sub(4));
    }
    let words = String::from_utf8_lossy(&head);
    let first = words.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let first: String = plain_line(first).chars().take(CHATTER).collect();
    Err(std::io::Error::new(ErrorKind::InvalidData, Chatter(first)))
}

impl Drop for Process {
    fn drop(&mut self) {
        self.part();
        let has_ended = self.wait(PARTING).or_else(|_| self.end()).is_ok();
        if has_ended && self.host.is_none() {
            remove_of_ended(self.child.id());
        }
        running().retain(|id| *id != self.child.id());
    }
}

/// What shells end with where there is no such program.
const NO_SUCH_PROGRAM: i32 = 127;

/// What they end with where it is no program for that machine.
pub const CANNOT_RUN: i32 = 126;

/// What this program ends with where it is asked for something that it does not know: an older one has no such worker.
const WRONG_USE: i32 = 2;

/// Why there is no worker on another machine: ssh says it, or the shell there.
fn not_reached(host: &str, code: Option<i32>, ended: &Error) -> Error {
    let why = ended.detail.as_deref().and_then(last_line).unwrap_or(&ended.why);
    match code {
        Some(NO_SUCH_PROGRAM) => failed("errors.apart.not-installed", &[("host", &host), ("why", &why)]).of_missing_program(),
        Some(CANNOT_RUN) => does_not_run(host, why),
        Some(WRONG_USE) => other_version(host, why),
        _ => failed("errors.apart.not-reached", &[("host", &host), ("why", &why)]),
    }
}

fn chatter(error: &std::io::Error) -> Option<&Chatter> {
    error.get_ref()?.downcast_ref()
}

/// A shell there says something of its own where this program's words are due.
pub fn unclean(host: &str, said: &str) -> Error {
    failed("errors.apart.unclean", &[("host", &host), ("said", &said)])
}

/// Another copy would not run there, either.
pub fn does_not_run(host: &str, why: &str) -> Error {
    failed("errors.apart.does-not-run", &[("host", &host), ("why", &why)])
}

fn other_version(host: &str, why: &str) -> Error {
    failed("errors.apart.other-version", &[("host", &host), ("why", &why)]).of_missing_program()
}

/// The last line that is not blank, without blanks around it.
pub fn last_line(words: &str) -> Option<&str> {
    // ssh ends its lines as terminals want it, by `\r\n`.
    words.lines().map(str::trim).rfind(|line| !line.is_empty())
}

/// "it was ended by signal 11 (SIGSEGV)", "it exited with code 101".
fn how(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        let name = match signal {
            4 => "SIGILL",
            6 => "SIGABRT",
            7 => "SIGBUS",
            8 => "SIGFPE",
            9 => "SIGKILL",
            11 => "SIGSEGV",
            15 => "SIGTERM",
            _ => "",
        };
        let values: [(&str, &dyn Display); 2] = [("signal", &signal), ("name", &name)];
        return filled(if name.is_empty() { "errors.apart.by-signal" } else { "errors.apart.by-named-signal" }, &values);
    }
    let code = status.code().unwrap_or_default();
    #[cfg(windows)]
    if let Some(exception) = exception(code.cast_unsigned()) {
        return exception;
    }
    filled("errors.apart.by-code", &[("code", &code)])
}

/// "it was ended by exception 0xC0000005 (access violation)": what Windows ends a process with has its upper bits set.
#[cfg(any(windows, test))]
fn exception(code: u32) -> Option<String> {
    let name = match code {
        0xC000_0005 => "STATUS_ACCESS_VIOLATION",
        0xC000_0006 => "STATUS_IN_PAGE_ERROR",
        0xC000_001D => "STATUS_ILLEGAL_INSTRUCTION",
        0xC000_0094 => "STATUS_INTEGER_DIVIDE_BY_ZERO",
        0xC000_00FD => "STATUS_STACK_OVERFLOW",
        0xC000_013A => "STATUS_CONTROL_C_EXIT",
        0xC000_0374 => "STATUS_HEAP_CORRUPTION",
        0xC000_0409 => "STATUS_STACK_BUFFER_OVERRUN",
        code if code >> 28 == 0xC => "NTSTATUS",
        _ => return None,
    };
    let code = format!("{code:#010X}").replacen("0X", "0x", 1);
    let values: [(&str, &dyn Display); 2] = [("code", &code), ("name", &name)];
    Some(filled("errors.apart.by-exception", &values))
}

#[cfg(test)]
mod tests {
    use super::exception;

    #[test]
    fn what_windows_ends_a_process_with_has_a_name() {
        let said = exception(0xC000_0005).expect("an exception");
        assert!(said.contains("0xC0000005") && said.contains("STATUS_ACCESS_VIOLATION"), "{said}");
        assert!(exception(0xC06D_007E).is_some_and(|said| said.contains("0xC06D007E")));
        assert!([0, 1, 101, 0x4001_0004].into_iter().all(|code| exception(code).is_none()));
    }
}
