//! Programs of a person's folder, which are run with as little as they need: one folder to write to, and no network.
//!
//! This program starts itself with a word that nobody types, confines itself, and becomes the program: what confines a process is inherited, and cannot be taken
//! back by it.

use super::confine::confine_to;
use super::launch::this_program;
use base::error::Result;
use base::system::without_console;
use base::texts::failed;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;

/// The word that nobody types.
pub const CONFINED: &str = "confined";

/// A command that runs `program` so that it writes no files outside of `folder` and has no network, in a group of its own. Its temporary files are in the folder, too.
#[must_use]
pub fn confined(program: &OsStr, arguments: &[OsString], folder: &Path) -> Command {
    let mut command = Command::new(this_program());
    command.arg(CONFINED).arg(folder).arg("--").arg(program).args(arguments);
    // As Unix and Windows call the folder of temporary files.
    command.envs(["TMPDIR", "TEMP", "TMP"].map(|name| (name, folder)));
    without_console(&mut command);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
}

/// Confines this process to writing in `folder`, and becomes the program.
///
/// # Errors
/// The program cannot be started. What the system cannot confine is not confined.
pub fn become_confined(folder: &Path, words: &[OsString]) -> Result<()> {
    let not_run = |why: &dyn std::fmt::Display| failed("errors.project.program", &[("why", why)]);
    let Some((program, arguments)) = words.split_first() else { return Err(not_run(&"")) };
    confine_to(folder);
    let mut command = Command::new(program);
    command.args(arguments);
    #[cfg(unix)]
    {
        let error = std::os::unix::process::CommandExt::exec(&mut command);
        Err(not_run(&error))
    }
    #[cfg(not(unix))]
    {
        let status = without_console(&mut command).status().map_err(|error| not_run(&error))?;
        std::process::exit(status.code().unwrap_or(1))
    }
}
