//! This program, copied to another machine.

use super::launch::{Carried, Launch, Ssh};
use super::process::{CANNOT_RUN, does_not_run, last_line, unclean};
use base::error::{Error, Result};
use base::files::incomplete;
use base::foreign::plain_line;
use base::texts::{failed, filled, text};
use std::fmt::Display;
use std::io::{Read, Write as _};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, sleep};
use std::time::Duration;

/// How long nothing may go to the other machine, nor come from it.
const SILENCE: Duration = Duration::from_mins(1);

/// What is asked there is answered with a line, and errors have a few.
const WORDS_BYTES: u64 = 1 << 16;

/// How often that is looked at.
const GLANCE: Duration = Duration::from_millis(20);

/// What the other machine's shell does with the program, which comes over stdin: only one that came whole and runs there takes the place of the one before it. A
/// connection that breaks and another copy at the same time do no harm. Nothing is moved into a folder that has the program's name.
fn take(bytes: usize) -> String {
    format!(
        "set -e; [ -n \"$HOME\" ] || exit {NO_HOME}; mkdir -p \"$HOME/.local/bin\"; cd \"$HOME/.local/bin\"; \
         [ ! -d kernel-ladder ] || exit {IS_FOLDER}; part=$(mktemp .kernel-ladder.XXXXXX); trap \"rm -f $part\" 0; cat > $part; [ $(wc -c < $part) -eq {bytes} ] || exit {IS_INCOMPLETE}; chmod 755 $part; \
         version=$(./$part --version) || exit {CANNOT_RUN}; mv -f $part kernel-ladder; echo \"{MARK}$version\""
    )
}

/// What that ends with where there is no home folder.
const NO_HOME: i32 = 72;

/// What it ends with where a folder has the program's name.
const IS_FOLDER: i32 = 73;

/// What it ends with where the program did not come whole.
const IS_INCOMPLETE: i32 = 74;

/// What comes before an answer tells it from what the shell prints by itself.
const MARK: &str = "kernel-ladder: ";

/// What runs there for the system and processor, as both machines are to have.
fn kind() -> String {
    format!("echo \"{MARK}$(uname -sm)\"")
}

/// The same of this machine. Windows has no such program, and no other system runs a program of it.
fn own_kind() -> std::io::Result<String> {
    if cfg!(windows) {
        return Ok(format!("{} {}", std::env::consts::OS, std::env::consts::ARCH));
    }
    let own = Command::new("uname").arg("-sm").output()?;
    Ok(String::from_utf8_lossy(&own.stdout).trim().to_owned())
}

/// Copies this program to `host`, into the person's own `.local/bin`, and returns the version that it then has there. What goes and comes is counted.
///
/// # Errors
/// The machine is not reached, is of another kind, or the program does not run there.
pub fn install(ssh: &Ssh, host: &str, carried: &Carried) -> Result<String> {
    let not_copied = |why: &dyn Display| failed("errors.apart.not-copied", &[("host", &host), ("why", why)]);
    let over_there = |command: &str, input| {
        let said = said(&Launch::shell(ssh, host, command), input, carried, SILENCE).map_err(|failure| match failure.code {
            Some(CANNOT_RUN) => does_not_run(host, &failure.why),
            Some(NO_HOME) => not_copied(&text("errors.apart.no-home")),
            Some(IS_FOLDER) => not_copied(&text("errors.apart.is-folder")),
            Some(IS_INCOMPLETE) => not_copied(&incomplete()).of_missing_program(),
            // It may be tried again.
            _ => not_copied(&failure.why).of_missing_program(),
        })?;
        let answer = said.strip_prefix(MARK).filter(|answer| !answer.contains('\n'));
        answer.map(|answer| plain_line(answer).into_owned()).ok_or_else(|| {
            let first = said.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with(MARK));
            unclean(host, &plain_line(first.unwrap_or_default()))
        })
    };
    let there = over_there(&kind(), Vec::new())?;
    let here = |why: std::io::Error| -> Error { not_copied(&why) };
    let own = own_kind().map_err(here)?;
    if there != own {
        return Err(failed("errors.apart.other-kind", &[("host", &host), ("there", &there), ("here", &own)]));
    }
    let program = std::fs::read(&ssh.program).map_err(here)?;
    over_there(&take(program.len()), program)
}

/// A command that did not succeed.
#[derive(Debug)]
struct Failure {
    code: Option<i32>,
    /// Its last words.
    why: String,
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self { code: None, why: error.to_string() }
    }
}

/// What a command says that takes `input`, and may be silent for so long.
fn said(launch: &Launch, input: Vec<u8>, carried: &Carried, patience: Duration) -> std::result::Result<String, Failure> {
    let mut command = launch.command();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let stdin = child.stdin.take().map(|pipe| carried.counting_sent(pipe));
    // It may say something before it has taken all.
    let sent = Builder::new().name("program".to_owned()).spawn(move || match stdin {
        Some(mut stdin) => input.chunks(1 << 16).try_for_each(|chunk| stdin.write_all(chunk)),
        None => Ok(()),
    })?;
    let is_flooded = Arc::new(AtomicBool::new(false));
    let stdout = child.stdout.take().map(|pipe| Box::new(carried.counting_received(pipe)) as Box<dyn Read + Send>);
    let stderr = child.stderr.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>);
    let [stdout, stderr] = [stdout, stderr].map(|pipe| {
        let is_flooded = Arc::clone(&is_flooded);
        Builder::new().name("ssh's words".to_owned()).spawn(move || {
            let mut words = Vec::new();
            // What cannot be read is not said.
            let _ = pipe.map(|pipe| pipe.take(WORDS_BYTES).read_to_end(&mut words));
            is_flooded.fetch_or(words.len() as u64 >= WORDS_BYTES, Ordering::Relaxed);
            String::from_utf8_lossy(&words).trim().to_owned()
        })
    });
    let (stdout, stderr) = (stdout?, stderr?);
    // Counted in glances, not by the clock: while the program itself stands still, nobody is silent.
    let (mut silence, mut before) = (Duration::ZERO, carried.get());
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        let why = if is_flooded.load(Ordering::Relaxed) {
            Some(text("errors.apart.endless").to_owned())
        } else {
            (silence > patience).then(|| filled("errors.apart.no-sign", &[("seconds", &patience.as_secs())]))
        };
        if let Some(why) = why {
            child.kill()?;
            child.wait()?;
            return Err(Failure { code: None, why });
        }
        sleep(GLANCE);
        let now = carried.get();
        silence = if now == before { silence + GLANCE } else { Duration::ZERO };
        before = now;
    };
    if is_flooded.load(Ordering::Relaxed) {
        return Err(Failure { code: None, why: text("errors.apart.endless").to_owned() });
    }
    let is_sent = sent.join().is_ok_and(|sent| sent.is_ok());
    let [stdout, stderr] = [stdout, stderr].map(|words| words.join().unwrap_or_default());
    if status.success() && is_sent {
        return Ok(stdout);
    }
    Err(Failure { code: status.code(), why: last_line(&stderr).unwrap_or_else(|| text("errors.apart.cut-off")).to_owned() })
}

#[cfg(all(test, unix))]
mod tests {
    use super::{Carried, Failure, Launch, said};
    use crate::remote::Ssh;
    use base::error::Error;
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};
    use std::time::Duration;

    /// What this script of `sh` says in the place of ssh, with so much to take, if it may be silent for so long.
    fn said_by(script: &str, bytes: usize, seconds: u64) -> (Result<String, Failure>, (u64, u64)) {
        let ssh = Ssh { command: PathBuf::from("/bin/sh"), arguments: vec!["-c".into(), script.into()], program: PathBuf::new() };
        let carried = Carried::default();
        let said = said(&Launch::shell(&ssh, "one", "true"), vec![7; bytes], &carried, Duration::from_secs(seconds));
        (said, carried.get())
    }

    #[test]
    fn what_is_taken_and_said_is_counted() {
        let (said, carried) = said_by("wc -c", 1_000_000, 60);
        assert_eq!((said.expect("it succeeds"), carried), ("1000000".to_owned(), (1_000_000, 8)));
    }

    #[test]
    fn a_failure_has_its_code_and_its_last_words() {
        let (said, _) = said_by("echo first >&2; echo last >&2; exit 126", 0, 60);
        let Failure { code, why } = said.expect_err("it fails");
        assert_eq!((code, why.as_str()), (Some(126), "last"));
        // Whoever does not take all has failed, whatever the code.
        assert!(said_by("exec true", 1_000_000, 60).0.is_err());
    }

    #[test]
    fn silence_ends_it_and_a_slow_one_goes_on() {
        let (said, _) = said_by("exec sleep 100", 0, 1);
        assert!(said.expect_err("it is ended").why.contains("did not respond"));
        let (said, _) = said_by("for i in $(seq 30); do sleep 0.1; echo $i; done", 0, 2);
        assert!(said.expect("it speaks").ends_with("30"));
    }

    #[test]
    fn whoever_says_too_much_is_not_heard_to_the_end() {
        for script in ["exec yes", "exec yes >&2", "head -c 1000000 /dev/zero"] {
            let (said, (_, received)) = said_by(script, 0, 60);
            assert!(said.expect_err(script).why.contains("its output does not end"), "{script}");
            assert!(received <= 2 << 16, "{script}: {received}");
        }
    }

    /// What comes of a copy of a small program to a machine whose shell runs `before` by itself, and the files that are there then.
    fn installed(before: &str, home: &Path) -> (Result<String, Error>, Vec<String>) {
        let program = home.join("program");
        assert!(std::fs::write(&program, "#!/bin/sh\necho 'kernel-ladder 9'\n").is_ok());
        // The command is the last of ssh's arguments.
        let script = format!("{before}; for command; do :; done; eval \"$command\"");
        let ssh = Ssh { command: PathBuf::from("/bin/sh"), arguments: ["-c", &script, "sh"].map(OsString::from).to_vec(), program };
        let installed = super::install(&ssh, "lab", &Carried::default());
        let files = std::fs::read_dir(home.join(".local/bin")).into_iter().flatten().flatten();
        (installed, files.map(|file| file.file_name().to_string_lossy().into_owned()).collect())
    }

    #[test]
    fn a_copy_that_does_not_come_whole_is_told_as_that() {
        let home = tempfile::tempdir().expect("a folder");
        // What the shell takes of it before the copy is missing there.
        let (refused, files) = installed(&format!("export HOME='{}'; head -c 5 > /dev/null", home.path().display()), home.path());
        assert_eq!(refused.expect_err("a part is missing").why, "it is truncated: its end is missing");
        assert!(files.is_empty(), "{files:?}");
    }

    #[test]
    fn a_copy_takes_its_place_or_says_why_not_and_leaves_no_part() {
        let homes = [(); 4].map(|()| tempfile::tempdir().expect("a folder"));
        let home_of = |home: &tempfile::TempDir| format!("export HOME='{}'", home.path().display());
        let [good, taken, homeless, chatty] = &homes;
        let (version, files) = installed(&home_of(good), good.path());
        assert_eq!((version, files), (Ok("kernel-ladder 9".to_owned()), vec!["kernel-ladder".to_owned()]));

        let folder = taken.path().join(".local/bin/kernel-ladder");
        std::fs::create_dir_all(&folder).expect("made");
        let (refused, files) = installed(&home_of(taken), taken.path());
        assert!(refused.expect_err("a folder").why.contains("is a folder"));
        assert_eq!((files.len(), std::fs::read_dir(folder).expect("there").count()), (1, 0));

        for unset in ["unset HOME", "export HOME="] {
            let (refused, _) = installed(unset, homeless.path());
            assert!(refused.expect_err("no home").why.contains("HOME is not set"), "{unset}");
        }

        for (chatter, first) in [
            ("echo Welcome", "Welcome"),
            ("echo; echo \"kernel-ladder: is here\"; echo Hi", "Hi"),
            ("printf \"\\033[2JHi\\n\"", "\\u001b[2JHi"),
        ] {
            let (refused, files) = installed(&format!("{}; {chatter}", home_of(chatty)), chatty.path());
            let refused = refused.expect_err(chatter);
            assert!(refused.what.contains("prints text before") && refused.why.contains(&format!("\"{first}\"")), "{refused}");
            assert!(files.is_empty());
        }
    }
}
