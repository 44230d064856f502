//! How a worker is started: here, or on another machine.

use super::pictures::Carriage;
use base::system::without_console;
use std::ffi::{OsStr, OsString};
use std::io::{Read, Result, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Environment variables that a process has (or, with `None`, has not), besides those of this one.
pub type Environment = Vec<(OsString, Option<OsString>)>;

/// The environment variable with the command that is used in the place of `ssh`, its arguments after blanks.
const SSH: &str = "KERNEL_LADDER_SSH";

/// A connection that says nothing for so long is lost.
const ALIVE: [&str; 6] = ["-o", "BatchMode=yes", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3"];

/// What the other machine's shell runs. Shells that nobody logs into often have none of the folders where a person puts programs; what
/// was copied there goes before what the system has.
const THERE: &str = "PATH=\"${HOME:+$HOME/.local/bin:}$PATH${HOME:+:$HOME/.cargo/bin}\"; exec kernel-ladder worker --carry";

/// How a worker is started.
#[derive(Clone, Debug)]
pub struct Launch {
    program: PathBuf,
    arguments: Vec<OsString>,
    environment: Environment,
    /// How pictures get there.
    pub carriage: Carriage,
    /// The machine, where it is another one.
    pub host: Option<String>,
    /// What went there and came back.
    pub carried: Carried,
}

/// This program, for another process of it.
pub fn this_program() -> PathBuf {
    // By this name it is the same program though its file was replaced since. Elsewhere that name means nothing, or a file that anybody may have put there.
    let same = Path::new("/proc/self/exe");
    let program = if cfg!(target_os = "linux") && same.exists() { Ok(same.to_owned()) } else { std::env::current_exe() };
    program.unwrap_or_else(|_| PathBuf::from("kernel-ladder"))
}

impl Launch {
    /// On this machine.
    pub fn here(program: PathBuf) -> Self {
        Self {
            program,
            arguments: vec!["worker".into()],
            environment: Environment::new(),
            carriage: Carriage::Shared,
            host: None,
            carried: Carried::default(),
        }
    }

    /// On another one, by OpenSSH as it is installed, with the person's keys and configuration.
    pub fn on_host(ssh: &Ssh, host: &str) -> Self {
        Self::shell(ssh, host, THERE)
    }

    /// A command there, in the words of POSIX shells and without single quotes.
    pub fn shell(ssh: &Ssh, host: &str, command: &str) -> Self {
        let Ssh { command: program, mut arguments, .. } = ssh.clone();
        arguments.extend(ALIVE.map(OsString::from));
        // What begins with a minus sign is a host's name, too.
        // The person's own shell there may be any other one: fish, csh.
        let command = format!("exec sh -c '{command}'");
        arguments.extend(["--", host, &command].map(OsString::from));
        Self { program, arguments, carriage: Carriage::Message, host: Some(host.to_owned()), ..Self::here(PathBuf::new()) }
    }

    /// The same with these variables, too.
    pub fn with_environment(self, environment: Environment) -> Self {
        Self { environment, ..self }
    }

    /// As errors name it.
    pub fn name(&self) -> String {
        self.host.as_ref().map_or_else(|| self.program.display().to_string(), |host| format!("{} {host}", self.program.display()))
    }

    /// The command that starts it.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        without_console(command.args(&self.arguments));
        for (name, value) in &self.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }
}

/// How other machines are reached, and what is copied to them.
#[derive(Clone, Debug)]
pub struct Ssh {
    /// The program that reaches them.
    pub command: PathBuf,
    /// Its own arguments, before ours.
    pub arguments: Vec<OsString>,
    /// This program.
    pub program: PathBuf,
}

impl Default for Ssh {
    /// OpenSSH, unless the environment names another command; this program.
    fn default() -> Self {
        let said = std::env::var(SSH).unwrap_or_default();
        let mut words = said.split_whitespace();
        let command = PathBuf::from(words.next().unwrap_or("ssh"));
        Self { command, arguments: words.map(|word| OsStr::new(word).to_owned()).collect(), program: this_program() }
    }
}

/// Bytes that went to workers and came from them.
#[derive(Clone, Debug, Default)]
pub struct Carried(Arc<[AtomicU64; 2]>);

impl Carried {
    /// Sent and received so far.
    pub fn get(&self) -> (u64, u64) {
        let [sent, received] = &*self.0;
        (sent.load(Ordering::Relaxed), received.load(Ordering::Relaxed))
    }

    /// The same pipe, counted.
    pub fn counting_sent<W: Write>(&self, pipe: W) -> Counting<W> {
        Counting { pipe, carried: self.clone() }
    }

    /// The same pipe, counted.
    pub fn counting_received<R: Read>(&self, pipe: R) -> Counting<R> {
        Counting { pipe, carried: self.clone() }
    }

    fn add(&self, is_received: bool, count: usize) {
        if let Some(counter) = self.0.get(usize::from(is_received)) {
            counter.fetch_add(count as u64, Ordering::Relaxed);
        }
    }
}

/// A pipe whose bytes are counted.
pub struct Counting<P> {
    pipe: P,
    carried: Carried,
}

impl<W: Write> Write for Counting<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let count = self.pipe.write(bytes)?;
        self.carried.add(false, count);
        Ok(count)
    }

    fn flush(&mut self) -> Result<()> {
        self.pipe.flush()
    }
}

impl<R: Read> Read for Counting<R> {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize> {
        let count = self.pipe.read(bytes)?;
        self.carried.add(true, count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::{Carried, Launch, Ssh};
    use std::ffi::OsStr;
    use std::io::{Read as _, Write as _};

    #[test]
    fn what_goes_and_what_comes_is_counted() {
        let carried = Carried::default();
        let mut there = Vec::new();
        carried.counting_sent(&mut there).write_all(b"12345").expect("into memory");
        let mut here = [0; 3];
        carried.counting_received(there.as_slice()).read_exact(&mut here).expect("it is there");
        assert_eq!((here, carried.get()), (*b"123", (5, 3)));
    }

    #[test]
    fn a_hosts_name_is_no_option() {
        let launch = Launch::on_host(&Ssh::default(), "-oProxyCommand=true");
        let command = launch.command();
        let arguments: Vec<&OsStr> = command.get_args().collect();
        let host = arguments.iter().position(|argument| *argument == "-oProxyCommand=true").expect("it is there");
        assert_eq!(arguments[host - 1], "--");
    }
}
