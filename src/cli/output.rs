//! Results to stdout, messages and progress to stderr, without what terminals obey: devices, drivers and files of others are named in them.

use super::schema::{Envelope, JsonOf};
use base::error::{Error, Result};
use base::foreign::{plain, plain_line};
use base::texts::{failed, filled, in_english};
use clap::ColorChoice;
use engine::device::DeviceInfo;
use model::measure::Progress;
use serde::Serialize;
use std::io::{ErrorKind as IoErrorKind, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether notes and progress are left out.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Whether errors are colored.
static IS_COLORED: AtomicBool = AtomicBool::new(false);

/// From here on only results and errors are printed.
pub fn be_quiet() {
    IS_QUIET.store(true, Ordering::Relaxed);
}

/// Colors errors, or not. Left to the program, they are colored on a terminal where <https://no-color.org> is not asked for.
pub fn choose_color(choice: ColorChoice) {
    let is_wanted = || std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let is_colored = match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => is_wanted(),
    };
    IS_COLORED.store(is_colored, Ordering::Relaxed);
}

/// Prints a result. A reader that has closed the pipe has seen enough: that is the person's own cancel.
///
/// # Errors
/// Cancelled for a closed pipe; failed for anything else, a full disk say.
pub fn print(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(plain(text).as_bytes()).and_then(|()| stdout.flush()).map_err(|error| not_printed(&error))
}

/// Prints the value that `make` makes as the result of a command, in JSON, with what every command says around it: see [`super::schema`]. It is for programs:
/// whatever it says is English. `device` is the one that was used, where it was one.
///
/// # Errors
/// As [`print`](fn@print).
pub fn print_json<T: Serialize>(of: JsonOf, device: Option<&DeviceInfo>, make: impl FnOnce() -> T) -> Result<()> {
    let text = in_english(|| serde_json::to_string_pretty(&Envelope::around(of, device, make())));
    let text = text.map_err(|error| failed("errors.cli.not-json", &[("why", &error)]))?;
    print(&format!("{text}\n"))
}

fn not_printed(error: &std::io::Error) -> Error {
    match error.kind() {
        IoErrorKind::BrokenPipe => Error::cancelled(),
        _ => failed("errors.cli.not-printed", &[("why", error)]),
    }
}

/// Prints an error with its long detail. A cancel says nothing. Nobody is left to tell where stderr is closed.
pub fn complain(error: &Error) {
    if error.is_cancelled() {
        return;
    }
    let detail = error.detail.as_ref().map_or_else(String::new, |detail| format!("\n\n{}", detail.trim_end()));
    let text = plain(&format!("kernel-ladder: {error}{detail}")).into_owned();
    let [red, end] = if IS_COLORED.load(Ordering::Relaxed) { ["\x1b[1;31m", "\x1b[0m"] } else { [""; 2] };
    let (name, rest) = text.split_once(' ').unwrap_or((&text, ""));
    let _ = writeln!(std::io::stderr(), "{red}{name}{end} {rest}");
}

/// Prints something that is worth knowing and no error.
pub fn note(text: &str) {
    if IS_QUIET.load(Ordering::Relaxed) {
        return;
    }
    let _ = writeln!(std::io::stderr(), "{}", plain(&filled("tables.note", &[("note", &text)])));
}

/// One line on stderr that is rewritten as work goes on; nothing where stderr is not a terminal.
pub struct TerminalProgress {
    is_terminal: bool,
    /// What the steps of the work belong to ("[3/18] 2048 x 2048 naive").
    pub job: String,
}

impl TerminalProgress {
    /// Progress without a job yet.
    pub fn new() -> Self {
        Self { is_terminal: std::io::stderr().is_terminal() && !IS_QUIET.load(Ordering::Relaxed), job: String::new() }
    }

    /// Progress that nobody sees: several such lines cannot be rewritten.
    pub fn silent() -> Self {
        Self { is_terminal: false, job: String::new() }
    }

    /// Wipes the line, so that results do not follow half a message.
    pub fn clear(&self) {
        self.show("");
    }

    fn show(&self, text: &str) {
        if self.is_terminal {
            // Return, text, erase to the end of the line.
            let _ = write!(std::io::stderr(), "\r{}\x1b[K", plain_line(text));
        }
    }
}

impl Progress for TerminalProgress {
    fn is_cancelled(&self) -> bool {
        false
    }

    fn report(&self, _done: usize, _total: usize, text: &str) {
        // A line that wraps cannot be rewritten: most terminals are at least 80 columns wide.
        let line: String = format!("{} {text}", self.job).chars().take(79).collect();
        self.show(&line);
    }
}
