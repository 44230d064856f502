//! What a worker says on stderr: drivers write what they like there, and whoever answers on another machine may, too.

use crate::Printed;
use base::foreign::plain;
use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// So many lines are kept for when the worker ends.
const KEPT: usize = 30;

/// What was printed is complete where nothing more comes for so long.
const QUIET: Duration = Duration::from_millis(3);

/// Whoever prints on and on is not waited for.
const MOST_WAITED: Duration = Duration::from_millis(200);

/// A line that is longer goes on as another one.
const LINE_BYTES: u64 = 4096;

/// So much of another machine's words is passed on at once, and in each second after that. It waits with the rest.
const BYTES_PER_SECOND: f64 = 65536.0;

/// So many lines of what a run prints are kept.
const PRINTED: usize = 200;

#[derive(Default)]
struct Kept {
    last: VecDeque<String>,
    /// While somebody wants to know what comes.
    printed: Option<Printed>,
}

/// The last lines that a worker wrote.
#[derive(Clone, Default)]
pub struct LastWords(Arc<Mutex<Kept>>);

impl LastWords {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, line: &str) {
        let mut kept = self.lock();
        if kept.last.len() >= KEPT {
            kept.last.pop_front();
        }
        kept.last.push_back(line.to_owned());
        if let Some(printed) = &mut kept.printed {
            printed.count += 1;
            if printed.lines.len() < PRINTED {
                printed.lines.push(line.to_owned());
            }
        }
    }

    /// From now on what comes is what a run prints.
    pub fn listen(&self) {
        self.lock().printed = Some(Printed::default());
    }

    /// What came since [`LastWords::listen`], once nothing has come for a moment: it comes by another pipe than the answer.
    pub fn printed(&self) -> Printed {
        let begun = Instant::now();
        let mut count = None;
        while begun.elapsed() < MOST_WAITED {
            std::thread::sleep(QUIET);
            let now = self.lock().printed.as_ref().map_or(0, |printed| printed.count);
            if count == Some(now) {
                break;
            }
            count = Some(now);
        }
        self.lock().printed.take().unwrap_or_default()
    }

    /// All that are kept, once the worker has ended. The last of them may still be on the way: whoever collects them ends with them.
    pub fn complete(&self) -> String {
        let begun = Instant::now();
        while Arc::strong_count(&self.0) > 1 && begun.elapsed() < Duration::from_millis(200) {
            std::thread::sleep(Duration::from_millis(2));
        }
        Vec::from(self.lock().last.clone()).join("\n")
    }
}

/// Keeps what comes over `stderr` and passes it on, to its end.
pub fn overhear(stderr: impl Read, kept: &LastWords, is_host: bool, mut to: impl Write) {
    let mut from = BufReader::new(stderr);
    let (begun, mut heard) = (Instant::now(), 0.0);
    loop {
        let mut line = Vec::new();
        match (&mut from).take(LINE_BYTES).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(count) => heard += count as f64,
        }
        let line = String::from_utf8_lossy(&line);
        let line = plain(line.trim_end_matches(['\n', '\r']));
        kept.keep(&line);
        // Nobody may be left to read it.
        let _ = writeln!(to, "{line}");
        let ahead = heard / BYTES_PER_SECOND - 1.0 - begun.elapsed().as_secs_f64();
        if is_host && ahead > 0.0 {
            std::thread::sleep(Duration::from_secs_f64(ahead));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{KEPT, LINE_BYTES, LastWords, PRINTED, Printed, overhear};

    #[test]
    fn what_a_run_prints_is_told_apart_and_bounded() {
        let kept = LastWords::default();
        overhear("before\n".as_bytes(), &kept, false, std::io::sink());
        kept.listen();
        overhear("0\n".repeat(PRINTED + 5).as_bytes(), &kept, false, std::io::sink());
        let printed = kept.printed();
        assert_eq!((printed.count, printed.lines.len()), (PRINTED + 5, PRINTED));
        assert!(printed.lines.iter().all(|line| line == "0"));
        overhear("after\n".as_bytes(), &kept, false, std::io::sink());
        assert_eq!(kept.printed(), Printed::default());
        kept.listen();
        assert_eq!(kept.printed(), Printed::default(), "nothing of the run before");
    }

    #[test]
    fn lines_are_kept_in_pieces_without_what_terminals_obey() {
        let kept = LastWords::default();
        let long = "x".repeat(10_000);
        overhear(format!("first\nsecond \x1b[2J\r\n{long}\nlast").as_bytes(), &kept, false, std::io::sink());
        let complete = kept.complete();
        let lines: Vec<&str> = complete.lines().collect();
        let most = usize::try_from(LINE_BYTES).expect("small");
        assert_eq!(lines, ["first", "second \\u001b[2J", &long[..most], &long[..most], &long[..10_000 - 2 * most], "last"]);
        // Of a line without an end, only the last pieces stay.
        overhear(std::io::Read::take(std::io::repeat(b'y'), 1 << 20), &kept, false, std::io::sink());
        assert_eq!(kept.complete().len(), KEPT * (most + 1) - 1);
    }
}
