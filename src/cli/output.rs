//! Results to stdout, messages and progress to stderr.

use crate::error::{Error, Result};
use crate::measure::Progress;
use crate::texts::{failed, filled, printable};
use serde::Serialize;
use std::io::{ErrorKind as IoErrorKind, IsTerminal as _, Write as _};

/// Prints a result. A reader that has closed the pipe has seen enough: that is the person's own cancel.
///
/// # Errors
/// Cancelled for a closed pipe; failed for anything else, a full disk say.
pub fn print(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|error| not_printed(&error))
}

/// Prints a value as JSON.
///
/// # Errors
/// As [`print`].
pub fn print_json(value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value).map_err(|error| failed("errors.cli.not-json", &[("why", &error)]))?;
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
    // Names of files, lessons and drivers' words come from anybody.
    let _ = writeln!(std::io::stderr(), "kernel-ladder: {}", printable(&format!("{error}{detail}")));
}

/// Prints something that is worth knowing and no error.
pub fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", printable(&filled("tables.note", &[("note", &text)])));
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
        Self { is_terminal: std::io::stderr().is_terminal(), job: String::new() }
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
            let _ = write!(std::io::stderr(), "\r{text}\x1b[K");
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
