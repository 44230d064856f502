//! Hostile files and messages: thousands of each kind, made from valid ones, go through the program's own readers. Each ends, soon, as a value or as an error in
//! words, and without more memory than its kind may take. Which inputs are tried is always the same: number 17 of a kind is the same file everywhere.
//!
//! Continuous integration tries a share of them; all, with the table of what became of them:
//!
//! ```text
//! KERNEL_LADDER_FULL=1 cargo test --test hostile_files -- --nocapture
//! ```
//!
//! `KERNEL_LADDER_ONLY=settings` tries one kind, `KERNEL_LADDER_ONLY="settings 17"` one input. A stack that runs over ends the test; the name of its thread, which
//! is then printed, says over which input.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test may panic, and says what it counted"
)]

mod bundles;
mod code;
mod count;
#[path = "../hostile_pictures/craft.rs"]
mod craft;
mod kept;
mod kernels;
mod lessons;
// Programs of some lines take the worker's place, which only Unix starts.
#[cfg(unix)]
mod messages;
mod pictures;
mod programs;
mod spoil;
mod trees;
mod window;

use count::Peak;
use fastrand::Rng;
use spoil::{Given, Way};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Makes a kind: its valid inputs are written or recorded then.
type MakeKind = fn() -> Kind;

/// Every kind. Another one is a function that makes its [`Kind`], and a line.
const KINDS: &[(&str, MakeKind)] = &[
    ("settings", kept::settings),
    ("history", kept::history),
    ("predictions", kept::predictions),
    ("tunings", kept::tunings),
    ("roofs", kept::roofs),
    ("built programs", programs::programs),
    ("bundles", bundles::bundles),
    ("lessons", lessons::lessons),
    ("preprocessor", kernels::preprocessor),
    ("edited kernels", kernels::edited),
    ("build logs", kernels::build_logs),
    ("machine code", code::machine_code),
    ("pictures", pictures::pictures),
    #[cfg(unix)]
    ("messages to worker", messages::to_worker),
    #[cfg(unix)]
    ("messages from worker", messages::from_worker),
    #[cfg(unix)]
    ("worker process", messages::worker_process),
    #[cfg(unix)]
    ("window's side", messages::window_side),
    ("window", window::window),
];

/// What reads an input: a value, or why not, in words.
type Read = dyn Fn(&[u8]) -> Result<(), String> + Send + Sync;

/// A kind of file or message.
pub struct Kind {
    /// As the program writes them. Each is accepted.
    pub valid: Vec<Vec<u8>>,
    /// How they are spoiled.
    pub ways: Vec<Way>,
    /// Words that mean something to the reader.
    pub words: &'static [&'static str],
    /// What reads them.
    pub read: Arc<Read>,
    /// The most memory that a reader may ask for at once: a fixed part, and so many bytes for each byte of the input.
    pub most_bytes: (usize, usize),
    /// How many are tried, of which continuous integration tries some.
    pub count: usize,
}

/// So many times fewer inputs where not all are tried.
const SHARE: usize = 20;

/// No input takes longer, on a slow machine that does something else, too.
const LONGEST: Duration = Duration::from_secs(20);

/// The most memory that an input may really use: a fixed part, and so many bytes for each of its own.
const MOST_RESIDENT: (usize, usize) = (128 << 20, 40);

/// An error that is longer is no clear one.
const LONGEST_WORDS: usize = 4000;

/// So many zeros as an input.
const ZEROS: [usize; 2] = [1 << 20, 100 << 20];

/// Panics of any thread since the last input.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Panics of decoders that the program has caught.
static CAUGHT: AtomicUsize = AtomicUsize::new(0);

/// What became of the inputs of a kind.
#[derive(Default)]
struct Tally {
    accepted: usize,
    refused: usize,
    allocated: usize,
    resident: usize,
    longest: Duration,
    slowest: usize,
    faults: Vec<String>,
}

impl Kind {
    /// The input of that number: first the valid ones, then nothing and zeros, then what is made of them.
    fn input(&self, name: &str, number: usize, takes_all: bool) -> Vec<u8> {
        if let Some(valid) = self.valid.get(number) {
            return valid.clone();
        }
        match number - self.valid.len() {
            0 => return Vec::new(),
            1 => return vec![0; ZEROS[usize::from(takes_all)]],
            _ => {}
        }
        let seed = name.bytes().fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3));
        let rng = &mut Rng::with_seed(seed.wrapping_add(number as u64));
        let mut bytes = rng.choice(&self.valid).expect("a valid one").clone();
        let other = rng.choice(&self.valid).expect("a valid one");
        // Most have one fault: of several, the first hides the others.
        for _ in 0..*rng.choice(&[1, 1, 1, 2, 4]).expect("some") {
            let way = *rng.choice(&self.ways).expect("a way");
            bytes = way(&mut Given { rng, whole: &bytes, other, words: self.words });
        }
        bytes
    }

    fn try_one(&self, name: &str, number: usize, takes_all: bool, tally: &mut Tally) {
        let input: Arc<[u8]> = self.input(name, number, takes_all).into();
        let mut fault = |why: String| tally.faults.push(format!("{name} {number}: {why}"));
        let (tell, told) = channel();
        let (read, theirs) = (Arc::clone(&self.read), Arc::clone(&input));
        let (peak, begun) = (Peak::begin(), Instant::now());
        // As large a stack as the threads have that read files in the program.
        let thread = std::thread::Builder::new().name(format!("{name} {number}")).stack_size(2 << 20).spawn(move || {
            let _ = tell.send(read(&theirs));
        });
        let read = match told.recv_timeout(LONGEST) {
            Ok(read) => Some(read),
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                fault(format!("no end after {} s", LONGEST.as_secs()));
                return;
            }
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => None,
        };
        let _ = thread.expect("a thread").join();
        let (took, allocated, resident) = (begun.elapsed(), peak.allocated(), peak.resident());
        let panics = std::mem::take(&mut *PANICS.lock().unwrap_or_else(PoisonError::into_inner));
        if !panics.is_empty() {
            fault(panics.join("; "));
        }
        let most = self.most_bytes.0 + self.most_bytes.1 * input.len();
        if allocated > most {
            fault(format!("{allocated} bytes are allocated for an input of {}, and {most} may be", input.len()));
        }
        let most = MOST_RESIDENT.0 + MOST_RESIDENT.1 * input.len();
        if resident > most {
            fault(format!("{resident} bytes are used for an input of {}, and {most} may be", input.len()));
        }
        if took > tally.longest {
            (tally.longest, tally.slowest) = (took, number);
        }
        tally.allocated = tally.allocated.max(allocated);
        tally.resident = tally.resident.max(resident);
        match read {
            Some(Ok(())) => tally.accepted += 1,
            Some(Err(words)) => {
                tally.refused += 1;
                let is_valid = number < self.valid.len();
                if is_valid || words.trim().is_empty() || words.len() > LONGEST_WORDS {
                    let shown: String = words.chars().take(200).collect();
                    tally.faults.push(format!("{name} {number}: valid: {is_valid}, {} bytes of words: {shown}", words.len()));
                }
            }
            None => {}
        }
    }
}

/// A panic is a fault, in whatever thread. Only those of decoders of pictures are caught by the program, which says so.
fn watch_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let thread = std::thread::current();
        let name = thread.name().unwrap_or_default().to_owned();
        if pictures::is_decoder(panic) {
            CAUGHT.fetch_add(1, Ordering::Relaxed);
        } else {
            PANICS.lock().unwrap_or_else(PoisonError::into_inner).push(format!("in '{name}': {panic}"));
            eprintln!("'{name}': {panic}");
        }
    }));
}

#[test]
fn hostile_inputs_end_with_a_value_or_an_error_in_words() {
    let takes_all = std::env::var("KERNEL_LADDER_FULL").is_ok_and(|value| value == "1");
    let only = std::env::var("KERNEL_LADDER_ONLY").unwrap_or_default();
    let (only, one) = match only.rsplit_once(' ').map(|(kind, number)| (kind, number.parse::<usize>())) {
        Some((kind, Ok(number))) => (kind, Some(number)),
        _ => (only.as_str(), None),
    };
    watch_panics();
    let (mut faults, mut inputs) = (Vec::new(), 0);
    let mut table = "kind                   inputs accepted refused  MiB most: used  longest (of input)\n".to_owned();
    for (name, make) in KINDS.iter().filter(|(name, _)| only.is_empty() || only == *name) {
        let kind = make();
        let count = if takes_all { kind.count } else { kind.count / SHARE };
        // The valid ones, nothing, zeros, and as many spoiled ones as are wanted.
        let numbers = one.map_or(0..kind.valid.len() + 2 + count, |one| one..one + 1);
        let mut tally = Tally::default();
        let (begun, tried) = (Instant::now(), numbers.len());
        for number in numbers {
            kind.try_one(name, number, takes_all, &mut tally);
        }
        let Tally { accepted, refused, allocated, resident, longest, slowest, faults: own } = tally;
        inputs += tried;
        let [allocated, resident] = [allocated, resident].map(|bytes| bytes as f64 / f64::from(1 << 20));
        let ms = longest.as_secs_f64() * 1e3;
        let row = format!("{name:<22} {tried:>6} {accepted:>8} {refused:>7} {allocated:>9.1} {resident:>9.1} {ms:>8.1} ms ({slowest})\n");
        eprintln!("{row}   in {:.1} s", begun.elapsed().as_secs_f64());
        table += &row;
        faults.extend(own);
    }
    eprintln!(
        "\n{table}{inputs} inputs, {} faults; panics of decoders that the program caught: {}",
        faults.len(),
        CAUGHT.load(Ordering::Relaxed)
    );
    let shown = faults.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    assert!(faults.is_empty(), "{} faults:\n{shown}", faults.len());
}
