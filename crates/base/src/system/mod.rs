//! What is asked of the system itself, where the standard library does not ask it: all calls into Windows and macOS are behind these functions.
//!
//! On Linux the files below `/proc` tell most of it, and whoever wants to know reads them.

#[cfg(target_os = "macos")]
mod macos;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "macos")]
use macos as here;
#[cfg(target_os = "macos")]
pub use macos::process_ended;
#[cfg(windows)]
use windows as here;
#[cfg(windows)]
pub use windows::Section;

use std::process::Command;
use std::time::Duration;

/// Time that all cores together were busy and idle since some moment, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuTime {
    /// Not idle.
    pub busy_ns: u64,
    /// Idle.
    pub idle_ns: u64,
}

/// Time of all cores; `None` on Linux, whose `/proc/stat` tells more, and where the system does not tell.
#[must_use]
pub fn cpu_time() -> Option<CpuTime> {
    #[cfg(any(windows, target_os = "macos"))]
    return here::cpu_time();
    #[cfg(not(any(windows, target_os = "macos")))]
    None
}

/// CPU time of a process, all its threads, in nanoseconds; `None` as for [`cpu_time`], and where there is no such process.
#[must_use]
pub fn process_time_ns(process: u32) -> Option<u64> {
    #[cfg(any(windows, target_os = "macos"))]
    return here::process_time_ns(process);
    #[cfg(not(any(windows, target_os = "macos")))]
    {
        let _ = process;
        None
    }
}

/// Children that have ended took so much CPU time; 0 where the system does not tell: Windows never does.
#[must_use]
pub fn ended_children_ns() -> u64 {
    #[cfg(target_os = "macos")]
    return here::ended_children_ns();
    #[cfg(not(target_os = "macos"))]
    0
}

/// Processes that these have started and that run now; none on Linux and where the system does not tell.
#[must_use]
pub fn children(of: &[u32]) -> Vec<u32> {
    #[cfg(any(windows, target_os = "macos"))]
    return here::children(of);
    #[cfg(not(any(windows, target_os = "macos")))]
    {
        let _ = of;
        Vec::new()
    }
}

/// The process that started this one, where the system tells.
#[must_use]
pub fn parent() -> Option<u32> {
    #[cfg(unix)]
    return Some(std::os::unix::process::parent_id());
    #[cfg(windows)]
    return here::parent();
    #[cfg(not(any(unix, windows)))]
    None
}

/// CPU time of this thread; zero where the system does not tell.
#[must_use]
pub fn thread_time() -> Duration {
    #[cfg(unix)]
    return Duration::try_from(rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime)).unwrap_or_default();
    #[cfg(windows)]
    return here::thread_time();
    #[cfg(not(any(unix, windows)))]
    Duration::ZERO
}

/// The language that the person chose for this system, as `zh-Hans-CN`; `None` where the environment alone tells it, as on Linux.
#[must_use]
pub fn chosen_language() -> Option<String> {
    #[cfg(any(windows, target_os = "macos"))]
    return here::chosen_language();
    #[cfg(not(any(windows, target_os = "macos")))]
    None
}

/// Has the command open no console of its own: on Windows a program without one, which the window is, would show one for each worker.
pub fn without_console(command: &mut Command) -> &mut Command {
    #[cfg(windows)]
    here::without_console(command);
    command
}

/// From now on what anybody writes to stdout goes to stderr, whether by this program, by a driver's library or by one that is loaded later. Returns stdout as it
/// was. Programs that are started do not get it: they would keep a pipe open after a crash.
///
/// # Errors
/// The system's.
pub fn stdout_apart() -> std::io::Result<std::fs::File> {
    #[cfg(unix)]
    {
        let apart = std::fs::File::from(rustix::io::fcntl_dupfd_cloexec(std::io::stdout(), 3)?);
        rustix::stdio::dup2_stdout(std::io::stderr())?;
        Ok(apart)
    }
    #[cfg(windows)]
    return here::stdout_apart();
    #[cfg(not(any(unix, windows)))]
    Err(std::io::ErrorKind::Unsupported.into())
}

/// A crash of this process opens no dialog: nobody would see it, and the process would wait for an answer.
pub fn crash_without_dialog() {
    #[cfg(windows)]
    here::crash_without_dialog();
}

/// Ends this process as it is: drivers' own ends, which may hang as well, are not waited for, and no dump with pictures in it is written.
pub fn end_at_once() -> ! {
    #[cfg(unix)]
    {
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
    #[cfg(windows)]
    here::end_at_once();
    std::process::abort()
}

/// Calls `act` before Ctrl-C, or a console that is closed, ends the process. Only Windows needs it: elsewhere these are signals. The first call counts.
pub fn before_console_ends(act: fn()) {
    #[cfg(windows)]
    here::before_console_ends(act);
    #[cfg(not(windows))]
    let _ = act;
}

/// Shows these words in a window of the system's own, where nobody sees stderr: a program without a console. Whether it did.
#[must_use]
pub fn show_unseen(title: &str, words: &str) -> bool {
    #[cfg(windows)]
    return here::show_unseen(title, words);
    #[cfg(not(windows))]
    {
        let _ = (title, words);
        false
    }
}

#[cfg(test)]
mod tests;
