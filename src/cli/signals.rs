//! What Ctrl-C and its like leave behind: nothing that is half done.

use std::sync::atomic::{AtomicBool, Ordering};

/// A signal ends the program: its processes are ended, and what is temporary is removed.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// Does not return where a signal is about to end the program. What failed as its processes were ended must not end it first, with an exit code of its own.
pub fn let_end() {
    while IS_ENDING.load(Ordering::SeqCst) {
        std::thread::sleep(std::time::Duration::from_secs(1));
    }
}

/// From now on signals that end the program first remove temporary files and folders. A worker leaves those that a terminal sends to all of its processes to the
/// process that it answers: with that it ends as well, and has saved what was built.
#[cfg(unix)]
pub fn mind(is_worker: bool) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    // `nohup` and shells that start something in the background let it ignore some of them.
    let wanted = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal));
    let Ok(mut signals) = Signals::new(wanted) else { return };
    let wait = move || {
        let ends = |signal: &i32| !is_worker || *signal == SIGTERM;
        if let Some(signal) = signals.forever().find(ends) {
            IS_ENDING.store(true, Ordering::SeqCst);
            engine::remote::end_before_cache();
            base::files::remove_unfinished();
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    };
    // Where the system refuses a thread they would not be heard at all.
    if std::thread::Builder::new().name("signals".to_owned()).spawn(wait).is_err() {
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            let _ = signal_hook::flag::register_conditional_default(signal, std::sync::Arc::new(true.into()));
        }
    }
}

/// The same where there are no signals. A worker has no console.
#[cfg(not(unix))]
pub fn mind(is_worker: bool) {
    if !is_worker {
        base::system::before_console_ends(|| {
            IS_ENDING.store(true, Ordering::SeqCst);
            base::files::remove_unfinished();
        });
    }
}

/// Whether whoever started this process lets it ignore a signal, where the system tells.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().filter_map(|line| line.split_once(':')).find(|(name, _)| *name == "SigIgn");
    let ignored = ignored.and_then(|(_, ignored)| u64::from_str_radix(ignored.trim(), 16).ok()).unwrap_or_default();
    u32::try_from(signal - 1).is_ok_and(|bit| ignored.checked_shr(bit).unwrap_or_default() & 1 == 1)
}
