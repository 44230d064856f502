//! How long the window's own thread works per frame: time inside `App::logic` and `App::ui` together.

use crate::texts::{filled, text};
use std::fmt::Display;
use std::time::Duration;

/// More than this per frame and the window stutters at 120 Hz.
const LIMIT: Duration = Duration::from_millis(8);

/// Bins of a tenth of a millisecond; the last one holds everything longer.
const BINS: usize = 1000;

/// Counts of all frames since the start, by time, in a fixed amount of memory.
pub struct Frames {
    bins: Box<[u32; BINS]>,
    count: u64,
    over_limit: u64,
    longest: Duration,
    current: Duration,
}

impl Default for Frames {
    fn default() -> Self {
        Self { bins: Box::new([0; BINS]), count: 0, over_limit: 0, longest: Duration::ZERO, current: Duration::ZERO }
    }
}

impl Frames {
    /// Adds time to the frame that is being made.
    pub fn add(&mut self, spent: Duration) {
        self.current += spent;
    }

    /// The frame is made.
    pub fn end(&mut self) {
        let spent = std::mem::take(&mut self.current);
        let bin = usize::try_from(spent.as_micros() / 100).unwrap_or(usize::MAX).min(BINS - 1);
        if let Some(count) = self.bins.get_mut(bin) {
            *count += 1;
        }
        self.count += 1;
        self.over_limit += u64::from(spent > LIMIT);
        self.longest = self.longest.max(spent);
    }

    /// The time that `percent` of all frames stay within, rounded up to 0.1 ms.
    fn percentile_ms(&self, percent: u64) -> f64 {
        let mut seen = 0;
        let bin = self.bins.iter().position(|&count| {
            seen += u64::from(count);
            seen * 100 >= self.count * percent
        });
        (bin.unwrap_or(0) + 1) as f64 / 10.0
    }

    /// "1234 frames: 50 % within 0.4 ms, 99 % within 2.1 ms, longest 9.3 ms, 1 over 8 ms".
    #[must_use]
    pub fn text(&self) -> String {
        if self.count == 0 {
            return text("window.frames.none").to_owned();
        }
        let [middle, most, longest] =
            [self.percentile_ms(50), self.percentile_ms(99), self.longest.as_secs_f64() * 1e3].map(|ms| format!("{ms:.1}"));
        let values: [(&str, &dyn Display); 6] = [
            ("count", &self.count),
            ("middle", &middle),
            ("most", &most),
            ("longest", &longest),
            ("over", &self.over_limit),
            ("limit", &LIMIT.as_millis()),
        ];
        filled("window.frames.told", &values)
    }
}

#[cfg(test)]
mod tests {
    use super::Frames;
    use std::time::Duration;

    #[test]
    fn percentiles_and_frames_over_the_limit_are_counted() {
        let mut frames = Frames::default();
        for index in 0..100 {
            frames.add(Duration::from_micros(250));
            frames.add(Duration::from_micros(if index == 0 { 20_000 } else { 300 }));
            frames.end();
        }
        assert_eq!(frames.text(), "100 frames: 50 % within 0.6 ms, 99 % within 0.6 ms, longest 20.2 ms, 1 over 8 ms");
    }
}
