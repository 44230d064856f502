//! The worker's process, from this side: started, asked, watched, and ended where it does not answer.

use super::frame;
#[cfg(target_os = "linux")]
use super::handed::{Sender, pair};
use super::launch::{Carried, Launch};
use super::message::{Answer, FromWorker, Question, ToWorker, VERSION};
use super::pictures::{Laid, REFERENCES, SOURCES, Sent};
use crate::device::{CACHE, CallUnderWay, replaced_cache};
use crate::error::{Error, Result};
use crate::image::Picture;
use crate::measure::Progress;
use crate::texts::{self, failed, filled, text};
use std::collections::VecDeque;
use std::fmt::Display;
use std::io::{BufRead as _, BufReader, ErrorKind, Write as _};
use std::path::PathBuf;
#[cfg(not(target_os = "linux"))]
use std::process::ChildStdin as Sender;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// How often it is seen whether the person cancelled.
const GLANCE: Duration = Duration::from_millis(20);

/// How long a worker may take to start: it loads a program of some megabytes, and no driver.
const START: Duration = Duration::from_secs(30);

/// How long a worker may take to end.
pub const PARTING: Duration = Duration::from_secs(3);

/// So much of what drivers say on stderr is kept for when the worker ends.
const LAST_WORDS: usize = 30;

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

/// A worker that runs.
pub struct Process {
    child: Child,
    /// `None` at its end.
    to: Option<Sender>,
    from: Receiver<std::io::Result<FromWorker>>,
    last_words: Arc<Mutex<VecDeque<String>>>,
    number: u64,
    /// The number of its first device in the list of all machines' devices.
    pub first_device: usize,
    /// Pictures on their way there.
    pub laid: Laid,
    /// Sources that it still has.
    pub sent: Sent<()>,
    /// References that it has sent.
    pub references: Sent<Arc<Picture>>,
    /// The output of its last run, until that was checked.
    pub last_output: Weak<Picture>,
    /// Outputs that lie in its memory, by the number of their question.
    outputs: Vec<(u64, Weak<Picture>)>,
    /// What went there.
    carried: Carried,
    /// The machine, where it is another one.
    host: Option<String>,
    /// Where it notes its calls.
    under_way: Option<CallUnderWay>,
}

impl Process {
    /// Starts a worker and waits until it is ready.
    ///
    /// # Errors
    /// It does not start, or is another version.
    pub fn start(launch: &Launch) -> Result<Self> {
        let not_started = |why: &dyn Display| failed("errors.apart.not-started", &[("program", &launch.name()), ("why", why)]);
        let mut command = launch.command();
        // It would replace a cache that cannot be written by one of its own, and could not remove that at its end.
        if let Some(folder) = replaced_cache().filter(|_| std::env::var_os(CACHE).is_none()) {
            command.env(CACHE, folder);
        }
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(target_os = "linux")]
        let to = {
            let (theirs, ours) = pair().map_err(|error| not_started(&error))?;
            command.stdin(theirs);
            Some(ours)
        };
        #[cfg(not(target_os = "linux"))]
        command.stdin(Stdio::piped());
        let mut child = command.spawn().map_err(|error| not_started(&error))?;
        // It has the worker's end of stdin, which would keep that from being seen as closed.
        drop(command);
        #[cfg(not(target_os = "linux"))]
        let to = child.stdin.take();
        let (Some(to), Some(stdout), Some(stderr)) = (to, child.stdout.take(), child.stderr.take()) else {
            return Err(not_started(&text("errors.apart.no-pipes")));
        };
        let (tell, from) = channel();
        let mut stdout = launch.carried.counting_received(BufReader::new(stdout));
        let listen = move || loop {
            let message = frame::read(&mut stdout).transpose();
            let Some(message) = message else { return };
            let is_over = message.is_err();
            if tell.send(message).is_err() || is_over {
                return;
            }
        };
        let last_words = Arc::new(Mutex::new(VecDeque::new()));
        let kept = Arc::clone(&last_words);
        let overhear = move || {
            // Drivers write what they like.
            for line in BufReader::new(stderr).split(b'\n').map_while(std::io::Result::ok) {
                let line = String::from_utf8_lossy(&line).into_owned();
                {
                    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                    if kept.len() >= LAST_WORDS {
                        kept.pop_front();
                    }
                    kept.push_back(line.clone());
                }
                // Nobody may be left to read it.
                let _ = writeln!(std::io::stderr(), "{line}");
            }
        };
        for (name, job) in [("worker's answers", Box::new(listen) as Box<dyn FnOnce() + Send>), ("worker's stderr", Box::new(overhear))] {
            std::thread::Builder::new().name(name.to_owned()).spawn(job).map_err(|error| not_started(&error))?;
        }
        let (sent, references) = (Sent::new(SOURCES), Sent::new(REFERENCES));
        let mut process = Self {
            child,
            to: Some(to),
            from,
            last_words,
            number: 0,
            first_device: 0,
            laid: Laid::of(launch.carriage),
            carried: launch.carried.clone(),
            host: launch.host.clone(),
            sent,
            references,
            last_output: Weak::new(),
            outputs: Vec::new(),
            under_way: None,
        };
        match process.from.recv_timeout(START) {
            Ok(Ok(FromWorker::Ready(VERSION, notes))) => {
                process.under_way = notes.and_then(|path| CallUnderWay::open(&path).ok());
                Ok(process)
            }
            Ok(Ok(said)) => Err(match (&launch.host, said) {
                (Some(host), FromWorker::Ready(version, _)) => {
                    other_version(host, &filled("errors.apart.speaks", &[("there", &version), ("here", &VERSION)]))
                }
                _ => not_started(&text("errors.apart.version")),
            }),
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                let code = process.wait(Duration::from_secs(2)).ok().and_then(|status| status.code());
                let ended = process.ended(text("errors.apart.starting"));
                Err(match &launch.host {
                    Some(host) => not_reached(host, code, &ended),
                    None => ended,
                })
            }
            Err(RecvTimeoutError::Timeout) => Err(process.silent(text("errors.apart.starting"), START)),
        }
    }

    /// Asks, and waits for the answer. The second says whether the process may be asked again: an error that it answered with is no reason not to.
    pub fn ask(&mut self, question: Question, doing: &str, patience: Patience, progress: &dyn Progress) -> (Result<Answer>, bool) {
        self.number += 1;
        let number = self.number;
        let returned = self.outputs.extract_if(.., |(_, output)| output.strong_count() == 0).map(|(number, _)| number).collect();
        let Ok(handed) = self.hand_over() else { return (Err(self.ended(doing)), false) };
        let asked = ToWorker::Asked { number, language: texts::language(), returned, handed, question: Box::new(question) };
        if self.tell(&asked).is_err() {
            return (Err(self.ended(doing)), false);
        }
        // Counted in glances, not by the clock: while the program itself stands still, nobody is silent.
        let (mut silence, mut since_stop) = (Duration::ZERO, None::<Duration>);
        loop {
            if since_stop.is_none() && (progress.is_cancelled() || LETTING_GO.load(Ordering::Relaxed)) {
                since_stop = Some(Duration::ZERO);
                // One that cannot be told so has ended, which is seen below.
                let _ = self.tell(&ToWorker::Cancel(number));
            }
            match self.from.recv_timeout(GLANCE) {
                Ok(Ok(FromWorker::Answered(of, answer))) if of == number => return (answer.map(|answer| *answer), true),
                Ok(Ok(FromWorker::Progress { done, total, text })) => progress.report(done, total, &text),
                // To a question of before, which cannot be.
                Ok(Ok(FromWorker::Answered(..) | FromWorker::Ready(..) | FromWorker::Alive)) => {}
                Ok(Err(error)) if error.kind() == ErrorKind::InvalidData => {
                    let _ = self.end();
                    return (Err(self.with_last_words(failed("errors.apart.garbled", &[("doing", &doing)]))), false);
                }
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => return (Err(self.ended(doing)), false),
                Err(RecvTimeoutError::Timeout) => {
                    silence += GLANCE;
                    since_stop = since_stop.map(|since| since + GLANCE);
                    let stop = if LETTING_GO.load(Ordering::Relaxed) { PARTING } else { patience.stop };
                    if since_stop.is_some_and(|since| since > stop) {
                        // What does not stop costs the worker, and no words: the person has let go of it.
                        let _ = self.end();
                        return (Err(Error::cancelled()), false);
                    }
                    if silence > patience.answer {
                        return (Err(self.silent(doing, patience.answer)), false);
                    }
                    continue;
                }
            }
            silence = Duration::ZERO;
        }
    }

    /// Hands over the memory of what was laid down for the next message, and returns its names.
    #[cfg(target_os = "linux")]
    fn hand_over(&mut self) -> std::io::Result<Vec<PathBuf>> {
        let Some(to) = &mut self.to else { return Ok(Vec::new()) };
        let (names, files) = self.laid.files()?.into_iter().unzip();
        to.hand(files)?;
        Ok(names)
    }

    /// Names have to do.
    #[cfg(not(target_os = "linux"))]
    fn hand_over(&mut self) -> std::io::Result<Vec<PathBuf>> {
        Ok(Vec::new())
    }

    /// The output of the question that was answered last has arrived.
    pub fn received(&mut self, output: &Arc<Picture>) {
        self.last_output = Arc::downgrade(output);
        self.outputs.push((self.number, Arc::downgrade(output)));
    }

    /// Itself, unless it came to an end.
    pub fn if_running(mut self) -> Option<Self> {
        matches!(self.child.try_wait(), Ok(None)).then_some(self)
    }

    /// The process's number, by which the system knows it.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    fn tell(&mut self, message: &ToWorker) -> std::io::Result<()> {
        self.to.as_mut().map_or(Ok(()), |to| frame::write(message, self.carried.counting_sent(to)))
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
        let status = self.wait(Duration::from_secs(2)).or_else(|_| self.end()).map_or_else(|error| error.to_string(), how);
        let doing = self.in_call(doing);
        let error = match &self.host {
            Some(host) => failed("errors.apart.cut", &[("host", host), ("doing", &doing), ("how", &status)]),
            None => failed("errors.apart.ended", &[("doing", &doing), ("how", &status)]),
        };
        self.with_last_words(error.of_lost_device())
    }

    /// "running …, in `clWaitForEvents`", where it was in such a call.
    fn in_call(&self, doing: &str) -> String {
        let call = self.under_way.as_ref().and_then(CallUnderWay::call);
        call.map_or_else(|| doing.to_owned(), |call| filled("errors.apart.in-call", &[("doing", &doing), ("call", &call.name())]))
    }

    /// The error of a worker that did not answer, which is ended.
    fn silent(&mut self, doing: &str, waited: Duration) -> Error {
        let _ = self.end();
        let error = failed("errors.apart.silent", &[("doing", &self.in_call(doing)), ("seconds", &waited.as_secs())]);
        self.with_last_words(error.of_lost_device())
    }

    fn with_last_words(&self, error: Error) -> Error {
        // The last of them may still be on the way: whoever collects them ends with them.
        let begun = Instant::now();
        while Arc::strong_count(&self.last_words) > 1 && begun.elapsed() < Duration::from_millis(200) {
            std::thread::sleep(Duration::from_millis(2));
        }
        let words = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        if words.is_empty() { error } else { error.with_detail(words.iter().map(String::as_str).collect::<Vec<_>>().join("\n")) }
    }
}

impl Drop for Process {
    /// Nothing more is asked: it saves what was built, and ends.
    fn drop(&mut self) {
        drop(self.to.take());
        let _ = self.wait(PARTING).or_else(|_| self.end());
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

/// "signal 11 (SIGSEGV) ended it", "it ended with code 101".
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
    filled("errors.apart.by-code", &[("code", &code)])
}
