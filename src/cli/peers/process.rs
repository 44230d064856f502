//! A peer: a program that computes the same as a filter, measures itself, and is asked line by line. `docs/peers.md` describes the lines.

use base::error::{Error, Result};
use base::foreign::plain_line;
use base::texts::failed;
use model::Spec;
use std::fmt::Display;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a peer may be silent: some compile their code at first.
const PATIENCE: Duration = Duration::from_mins(3);

/// How long is waited for the last message of a peer that has ended.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How many lines it may say before it comes to the end of an answer.
const MOST_LINES: usize = 100;

/// A running peer. It ends when this is dropped.
pub struct Peer {
    /// The name that it is known by to this program.
    pub key: String,
    /// What it calls itself, with its version.
    pub name: String,
    /// What it computes on.
    pub device: String,
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    is_lost: bool,
}

/// What is asked of a peer.
pub struct Asked<'a> {
    /// What is computed.
    pub spec: &'a Spec,
    /// Width and height of the picture.
    pub size: (usize, usize),
    /// The file with its bytes, row by row.
    pub path: &'a Path,
}

/// What a peer answers of one of its functions.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer<T> {
    /// What was asked for, by the function of that name.
    Of(String, T),
    /// It could not, for this reason.
    Failed(String),
}

impl Peer {
    /// Starts a peer, and waits until it has said who it is.
    ///
    /// # Errors
    /// It cannot be started, says nothing, or something else.
    pub fn start(key: &str, command: &mut Command) -> Result<Self> {
        let broken = |why: &dyn Display| failed("errors.peer.start", &[("peer", &key), ("why", why)]);
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = spawned.map_err(|error| broken(&error))?;
        let pipes = child.stdin.take().zip(child.stdout.take()).zip(child.stderr.take());
        let ((input, output), complaints) = pipes.ok_or_else(|| broken(&io::Error::from(io::ErrorKind::BrokenPipe)))?;
        let (say, lines) = channel();
        let listen = move || BufReader::new(output).lines().map_while(std::result::Result::ok).try_for_each(|line| say.send(line));
        thread::Builder::new().name(format!("peer {key}")).spawn(listen).map_err(|error| broken(&error))?;
        // Its messages are read all the time, or it would wait for room; the last one says why it does not start.
        let last = Arc::new(Mutex::new(String::new()));
        let keep = Arc::clone(&last);
        let overhear = move || {
            for line in BufReader::new(complaints).lines().map_while(std::result::Result::ok).filter(|line| !line.trim().is_empty()) {
                *keep.lock().unwrap_or_else(PoisonError::into_inner) = line;
            }
        };
        let overhearing = thread::Builder::new().name(format!("peer {key}, messages")).spawn(overhear).map_err(|error| broken(&error))?;
        let mut peer = Self { key: key.to_owned(), name: String::new(), device: String::new(), child, input, lines, is_lost: false };
        let greeting = peer.line().map_err(|error| {
            let until = Instant::now() + LAST_WORDS;
            while !overhearing.is_finished() && Instant::now() < until {
                thread::sleep(Duration::from_millis(10));
            }
            let last = last.lock().unwrap_or_else(PoisonError::into_inner);
            if last.is_empty() { error } else { broken(&plain_line(&last)) }
        })?;
        let fields: Vec<&str> = greeting.split('\t').collect();
        let ["peer", name, device] = fields.as_slice() else { return Err(peer.misspoken(&greeting)) };
        (peer.name, peer.device) = (plain_line(name).into_owned(), plain_line(device).into_owned());
        Ok(peer)
    }

    /// Whether it was ended because of an answer: what it still says may belong to an earlier question.
    pub const fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// Ends it.
    pub fn end(&mut self) {
        self.is_lost = true;
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Microseconds of so many runs, by function; nothing where the peer does not know the filter.
    ///
    /// # Errors
    /// It has ended, says nothing, or something that is no answer.
    pub fn measure(&mut self, asked: &Asked, runs: usize) -> Result<Vec<Answer<Vec<f64>>>> {
        let numbers =
            |text: &str| text.split_whitespace().map(|number| number.parse().ok().filter(|us| *us > 0.0)).collect::<Option<Vec<f64>>>();
        self.ask("measure", asked, runs, None, "times", |text| numbers(text).filter(|times| !times.is_empty()))
    }

    /// What its functions bring: a file with the bytes of each. The first is `path`.
    ///
    /// # Errors
    /// As of [`Self::measure`].
    pub fn output(&mut self, asked: &Asked, path: &Path) -> Result<Vec<Answer<String>>> {
        self.ask("output", asked, 1, Some(path), "wrote", |text| Some(text.to_owned()))
    }

    fn ask<T>(
        &mut self,
        verb: &str,
        asked: &Asked,
        runs: usize,
        written: Option<&Path>,
        answered: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Vec<Answer<T>>> {
        let Asked { spec, size: (width, height), path } = *asked;
        let written = written.map_or_else(|| "-".to_owned(), |path| path.display().to_string());
        let mut fields =
            vec![verb.to_owned(), spec.filter.to_string(), spec.channels.name().to_owned(), width.to_string(), height.to_string()];
        fields.extend([path.display().to_string(), runs.to_string(), written]);
        fields.extend(spec.parameters.0.iter().map(|(name, value)| format!("{name}={value}")));
        let ended = |peer: &Self, error: &dyn Display| failed("errors.peer.ended", &[("peer", &peer.key), ("why", error)]);
        writeln!(self.input, "{}", fields.join("\t")).and_then(|()| self.input.flush()).map_err(|error| ended(self, &error))?;
        let mut answers = Vec::new();
        for _ in 0..MOST_LINES {
            let line = self.line()?;
            match line.split('\t').collect::<Vec<_>>().as_slice() {
                ["done"] => return Ok(answers),
                ["unknown"] => {}
                ["failed", why] => answers.push(Answer::Failed(plain_line(why).into_owned())),
                [word, name, text] if *word == answered => match read(text) {
                    Some(told) => answers.push(Answer::Of(plain_line(name).into_owned(), told)),
                    None => return Err(self.misspoken(&line)),
                },
                _ => return Err(self.misspoken(&line)),
            }
        }
        Err(self.misspoken("…"))
    }

    fn line(&self) -> Result<String> {
        self.lines.recv_timeout(PATIENCE).map_err(|error| match error {
            RecvTimeoutError::Timeout => failed("errors.peer.silent", &[("peer", &self.key), ("seconds", &PATIENCE.as_secs())]),
            RecvTimeoutError::Disconnected => failed("errors.peer.gone", &[("peer", &self.key)]),
        })
    }

    fn misspoken(&self, line: &str) -> Error {
        failed("errors.peer.line", &[("peer", &self.key), ("line", &plain_line(line))])
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.end();
    }
}
