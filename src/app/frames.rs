//! How long the window's own thread works per frame: inside `App::logic` and `App::ui` together, without what the graphics driver paints. By the
//! clock, and by the processor time of the thread alone, which does not grow where other programs take the processor away.

use base::system::thread_time;
use base::texts::{filled, text};
use std::fmt::{Display, Write as _};
use std::ops::Add;
use std::time::{Duration, Instant};

/// More than this per frame and the window stutters at 120 Hz.
const LIMIT: Duration = Duration::from_millis(8);

/// Bins of a tenth of a millisecond; the last one holds everything longer.
const BINS: usize = 1000;

/// Of a millisecond.
const BINS_PER_MS: usize = 10;

/// What a piece of work took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    /// By the clock.
    wall: Duration,
    /// Of the thread, on a processor; zero where the system does not tell.
    processor: Duration,
}

impl Add for Spent {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { wall: self.wall + other.wall, processor: self.processor + other.processor }
    }
}

/// Where both clocks stood.
#[derive(Clone, Copy)]
pub struct Begun {
    /// By the clock.
    pub at: Instant,
    processor: Duration,
}

impl Begun {
    /// Now.
    pub fn now() -> Self {
        Self { at: Instant::now(), processor: thread_time() }
    }

    /// What this thread has spent since.
    pub fn spent(self) -> Spent {
        Spent { wall: self.at.elapsed(), processor: thread_time().saturating_sub(self.processor) }
    }
}

/// Counts of frames by time, in a fixed amount of memory.
struct Histogram {
    bins: Box<[u32; BINS]>,
    count: u64,
    over_limit: u64,
    longest: Duration,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { bins: Box::new([0; BINS]), count: 0, over_limit: 0, longest: Duration::ZERO }
    }
}

impl Histogram {
    fn add(&mut self, spent: Duration) {
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
        (bin.unwrap_or(0) + 1) as f64 / BINS_PER_MS as f64
    }

    /// "50 % within 0.4 ms, 99 % within 2.1 ms, longest 9.3 ms, 1 over 8 ms".
    fn text(&self) -> String {
        let [middle, most, longest] =
            [self.percentile_ms(50), self.percentile_ms(99), self.longest.as_secs_f64() * 1e3].map(|ms| format!("{ms:.1}"));
        let values: [(&str, &dyn Display); 5] =
            [("middle", &middle), ("most", &most), ("longest", &longest), ("over", &self.over_limit), ("limit", &LIMIT.as_millis())];
        filled("window.frames.times", &values)
    }

    /// Counts by whole milliseconds.
    fn by_ms(&self) -> impl Iterator<Item = u32> {
        self.bins.chunks(BINS_PER_MS).map(|bins| bins.iter().sum())
    }
}

/// The same frames by both clocks.
#[derive(Default)]
struct Both {
    wall: Histogram,
    processor: Histogram,
}

impl Both {
    fn add(&mut self, spent: Spent) {
        self.wall.add(spent.wall);
        self.processor.add(spent.processor);
    }

    /// "1234 frames: …; of the processor: …".
    fn text(&self, key: &'static str) -> String {
        let told = filled(key, &[("count", &self.wall.count), ("times", &self.wall.text())]);
        // Nothing at all is what a system says that does not tell.
        if self.processor.longest.is_zero() {
            return told;
        }
        filled("window.frames.processor", &[("told", &told), ("times", &self.processor.text())])
    }
}

/// All frames since the start, and those of measurements apart.
#[derive(Default)]
pub struct Frames {
    all: Both,
    measuring: Both,
    current: Spent,
}

impl Frames {
    /// Adds work to the frame that is being made.
    pub fn add(&mut self, spent: Spent) {
        self.current = self.current + spent;
    }

    /// The frame is made, during a measurement or not.
    pub fn end(&mut self, is_measuring: bool) {
        let spent = std::mem::take(&mut self.current);
        self.all.add(spent);
        if is_measuring {
            self.measuring.add(spent);
        }
    }

    /// "1234 frames: 50 % within 0.4 ms, 99 % within 2.1 ms, longest 9.3 ms, 1 over 8 ms; …", and the same of measurements, where there were any.
    #[must_use]
    pub fn text(&self) -> String {
        if self.all.wall.count == 0 {
            return text("window.frames.none").to_owned();
        }
        let mut told = self.all.text("window.frames.told");
        if self.measuring.wall.count > 0 {
            let _ = write!(told, "\n{}", self.measuring.text("window.frames.measuring"));
        }
        told
    }

    /// How many frames took how many milliseconds, for programs: comma-separated values.
    #[must_use]
    pub fn table(&self) -> String {
        let mut table = "ms,frames,frames_processor,measuring,measuring_processor".to_owned();
        let [all, measuring] = [&self.all, &self.measuring].map(|both| both.wall.by_ms().zip(both.processor.by_ms()));
        for (ms, ((wall, processor), (measuring_wall, measuring_processor))) in all.zip(measuring).enumerate() {
            if wall + processor > 0 {
                let _ = write!(table, "\n{ms},{wall},{processor},{measuring_wall},{measuring_processor}");
            }
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::{Begun, Frames, Spent};
    use std::time::Duration;

    fn spent(wall_us: u64, processor_us: u64) -> Spent {
        Spent { wall: Duration::from_micros(wall_us), processor: Duration::from_micros(processor_us) }
    }

    #[test]
    fn percentiles_and_frames_over_the_limit_are_counted_by_both_clocks_and_measurements_apart() {
        let mut frames = Frames::default();
        for index in 0..100 {
            frames.add(spent(250, 100));
            frames.add(spent(if index == 0 { 20_000 } else { 300 }, 150));
            frames.end(index >= 50);
        }
        assert_eq!(
            frames.text(),
            "100 frames: 50 % within 0.6 ms, 99 % within 0.6 ms, longest 20.2 ms, 1 over 8 ms; \
             CPU time: 50 % within 0.3 ms, 99 % within 0.3 ms, longest 0.2 ms, 0 over 8 ms\n\
             50 frames during a measurement: 50 % within 0.6 ms, 99 % within 0.6 ms, longest 0.6 ms, 0 over 8 ms; \
             CPU time: 50 % within 0.3 ms, 99 % within 0.3 ms, longest 0.2 ms, 0 over 8 ms"
        );
        assert_eq!(frames.table().lines().skip(1).collect::<Vec<_>>(), ["0,99,100,50,50", "20,1,0,0,0"]);
    }

    #[cfg(unix)]
    #[test]
    fn processor_time_does_not_pass_while_the_thread_waits() {
        let begun = Begun::now();
        std::thread::sleep(Duration::from_millis(50));
        let spent = begun.spent();
        assert!(spent.wall >= Duration::from_millis(50) && spent.processor < spent.wall, "{spent:?}");
    }
}
