//! This program, copied to another machine.

use super::launch::{Launch, Ssh};
use super::process::last_line;
use crate::error::Result;
use crate::texts::{failed, text};
use std::fmt::Display;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};
use std::thread;

/// What the other machine's shell does with the program, which comes over stdin: only one that came whole and runs there takes the place of the one before it. A
/// connection that breaks and another copy at the same time do no harm.
fn take(bytes: usize) -> String {
    format!(
        "set -e; mkdir -p \"$HOME/.local/bin\"; cd \"$HOME/.local/bin\"; part=$(mktemp .kernel-ladder.XXXXXX); trap \"rm -f $part\" 0; cat > $part; \
         [ $(wc -c < $part) -eq {bytes} ]; chmod 755 $part; version=$(./$part --version); mv -f $part kernel-ladder; echo \"$version\""
    )
}

/// System and processor, as both machines are to have.
const KIND: &str = "uname -sm";

/// Copies this program to `host`, into the person's own `.local/bin`, and returns the version that it then has there.
///
/// # Errors
/// The machine is not reached, is of another kind, or the program does not run there.
pub fn install(ssh: &Ssh, host: &str) -> Result<String> {
    // It may be tried again.
    let not_copied = |why: &dyn Display| failed("errors.apart.not-copied", &[("host", &host), ("why", why)]).of_missing_program();
    let there = said(ssh, host, KIND, Vec::new()).map_err(|why| not_copied(&why))?;
    let own = Command::new("uname").arg("-sm").output().map_err(|error| not_copied(&error))?;
    let own = String::from_utf8_lossy(&own.stdout).trim().to_owned();
    if there != own {
        return Err(failed("errors.apart.other-kind", &[("host", &host), ("there", &there), ("here", &own)]));
    }
    let program = std::fs::read(&ssh.program).map_err(|error| not_copied(&error))?;
    said(ssh, host, &take(program.len()), program).map_err(|why| not_copied(&why))
}

/// What a command says over there, or why it failed.
fn said(ssh: &Ssh, host: &str, command: &str, input: Vec<u8>) -> std::result::Result<String, String> {
    let mut command = Launch::shell(ssh, host, command).command();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
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
    Err(last_line(&words).unwrap_or_else(|| text("errors.apart.cut-off")).to_owned())
}
