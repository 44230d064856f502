//! What a worker says on stderr: drivers write what they like there, and whoever answers on another machine may, too.

use crate::foreign::plain;
use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// So many lines are kept for when the worker ends.
const KEPT: usize = 30;

/// A line that is longer goes on as another one.
const LINE_BYTES: u64 = 4096;

/// So much of another machine's words is passed on at once, and in each second after that. It waits with the rest.
const BYTES_PER_SECOND: f64 = 65536.0;

/// The last lines that a worker wrote.
#[derive(Clone, Default)]
pub struct LastWords(Arc<Mutex<VecDeque<String>>>);

impl LastWords {
    fn lock(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, line: &str) {
        let mut kept = self.lock();
        if kept.len() >= KEPT {
            kept.pop_front();
        }
        kept.push_back(line.to_owned());
    }

    /// All that are kept, once the worker has ended. The last of them may still be on the way: whoever collects them ends with them.
    pub fn complete(&self) -> String {
        let begun = Instant::now();
        while Arc::strong_count(&self.0) > 1 && begun.elapsed() < Duration::from_millis(200) {
            std::thread::sleep(Duration::from_millis(2));
        }
        Vec::from(self.lock().clone()).join("\n")
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
    use super::{KEPT, LINE_BYTES, LastWords, overhear};

    #[test]
    fn lines_are_kept_in_pieces_without_what_terminals_obey() {
        let kept = LastWords::default();
        let long = "x".repeat(10_000);
        overhear(format!("first\nsecond \x1b[2J\r\n{long}\nlast").as_bytes(), &kept, false, std::io::sink());
        let complete = kept.complete();
        let lines: Vec<&str> = complete.lines().collect();
        let most = usize::try_from(LINE_BYTES).expect("small");
        assert_eq!(lines, ["first", "second \\u{1b}[2J", &long[..most], &long[..most], &long[..10_000 - 2 * most], "last"]);
        // Of a line without an end, only the last pieces stay.
        overhear(std::io::Read::take(std::io::repeat(b'y'), 1 << 20), &kept, false, std::io::sink());
        assert_eq!(kept.complete().len(), KEPT * (most + 1) - 1);
    }
}
