//! This program, copied to another machine.

use super::launch::{Launch, this_program};
use crate::error::Result;
use crate::texts::{failed, text};
use std::fmt::Display;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};
use std::thread;

/// What the other machine's shell does with the program, which comes over stdin: it stands there whole or not at all.
const TAKE: &str = "set -e; mkdir -p \"$HOME/.local/bin\"; cd \"$HOME/.local/bin\"; cat > .kernel-ladder.part; chmod 755 .kernel-ladder.part; \
                    mv .kernel-ladder.part kernel-ladder; ./kernel-ladder --version";

/// System and processor, as both machines are to have.
const KIND: &str = "uname -sm";

/// Copies this program to `host`, into the person's own `.local/bin`, and returns the version that it then has there.
///
/// # Errors
/// The machine is not reached, is of another kind, or the program does not run there.
pub fn install(host: &str) -> Result<String> {
    let not_copied = |why: &dyn Display| failed("errors.apart.not-copied", &[("host", &host), ("why", why)]);
    let there = said(host, KIND, Vec::new()).map_err(|why| not_copied(&why))?;
    let own = Command::new("uname").arg("-sm").output().map_err(|error| not_copied(&error))?;
    let own = String::from_utf8_lossy(&own.stdout).trim().to_owned();
    if there != own {
        return Err(failed("errors.apart.other-kind", &[("host", &host), ("there", &there), ("here", &own)]));
    }
    let program = std::fs::read(this_program()).map_err(|error| not_copied(&error))?;
    said(host, TAKE, program).map_err(|why| not_copied(&why))
}

/// What a command says over there, or why it failed.
fn said(host: &str, command: &str, input: Vec<u8>) -> std::result::Result<String, String> {
    let mut ssh = Launch::shell(host, command).command();
    ssh.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = ssh.spawn().map_err(|error| error.to_string())?;
    let mut stdin = child.stdin.take();
    // It may say something before it has taken all.
    let send = move || stdin.as_mut().map_or(Ok(()), |stdin| stdin.write_all(&input));
    let sent = thread::Builder::new().name("program".to_owned()).spawn(send).map_err(|error| error.to_string())?;
    let Output { status, stdout, stderr } = child.wait_with_output().map_err(|error| error.to_string())?;
    let is_sent = sent.join().is_ok_and(|sent| sent.is_ok());
    if status.success() && is_sent {
        return Ok(String::from_utf8_lossy(&stdout).trim().to_owned());
    }
    let words = String::from_utf8_lossy(&stderr);
    let last = words.lines().rfind(|line| !line.trim().is_empty());
    Err(last.map_or_else(|| text("errors.apart.cut-off").to_owned(), str::to_owned))
}
