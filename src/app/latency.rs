//! How long a person waits: from the frame in which a picture was asked for until the frame that shows all of it is on the screen, and until the
//! one that shows its check is.
//!
//! What is allowed is the time of device and build and two frames: the frame in which the switch was clicked, and the one that shows the
//! picture. How long a frame is depends on display and graphics driver, so it is measured beside each wait.

use base::texts::filled;
use std::collections::VecDeque;
use std::fmt::Display;
use std::time::{Duration, Instant};

/// Waits that are kept; more would not change the median.
const KEPT: usize = 1000;

/// Frames that a wait may take beside device and build.
const ALLOWED_FRAMES: f64 = 2.0;

/// A show that a frame shows in its final sharpness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Painted {
    /// Of the show.
    pub id: u64,
    /// Upload, kernel and read-back.
    pub trip: Duration,
    /// Building its kernel.
    pub build: Duration,
    /// Whether its check is there, too.
    pub is_checked: bool,
}

/// One picture that was asked for and shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wait {
    total: Duration,
    /// Round trip and building.
    device: Duration,
    /// Frames that were painted meanwhile, the one in which it was asked for and the one that shows the picture included.
    frames: u32,
}

/// One picture whose check was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Checked {
    /// From the request on, without building.
    total: Duration,
    trip: Duration,
}

impl Checked {
    /// Thousandths of the round trip.
    fn of_trip(&self) -> u128 {
        self.total.as_nanos() * 1000 / self.trip.as_nanos().max(1)
    }
}

/// The last show that was asked for, until its check is painted.
#[derive(Clone, Copy)]
struct Asked {
    id: u64,
    since: Instant,
    /// Whether its picture was painted.
    is_painted: bool,
}

/// What the begins of the next frames tell. A frame ends where the next begins: only then its buffers are swapped.
#[derive(Clone, Copy)]
enum Next {
    /// The picture was painted: it is on the screen once the next frame begins.
    Shown { since: Instant, device: Duration, frames: u32 },
    /// A frame with nothing new in it has begun: how long it takes is how long a frame is.
    Plain { since: Instant },
}

/// Waits since the start. Pictures that were replaced before they were shown are not counted.
pub struct Latency {
    /// When the program began, and how long it took from then until the first picture was on the screen.
    begun: Instant,
    first: Option<Duration>,
    asked: Option<Asked>,
    /// When the show was asked for whose check was painted last.
    checked: Option<(Instant, Painted)>,
    frame_begun: Option<Instant>,
    next: Option<Next>,
    frames: u32,
    waits: VecDeque<Wait>,
    checks: VecDeque<Checked>,
    frame_times: VecDeque<Duration>,
}

impl Latency {
    /// None yet, of a program that began at `begun`.
    #[must_use]
    pub fn new(begun: Instant) -> Self {
        Self {
            begun,
            first: None,
            asked: None,
            checked: None,
            frame_begun: None,
            next: None,
            frames: 0,
            waits: VecDeque::new(),
            checks: VecDeque::new(),
            frame_times: VecDeque::new(),
        }
    }

    /// A frame begins at `now`.
    pub fn begin(&mut self, now: Instant) {
        self.frame_begun = Some(now);
        if let Some((since, painted)) = self.checked.take() {
            let total = now.saturating_duration_since(since).saturating_sub(painted.build);
            keep(&mut self.checks, Checked { total, trip: painted.trip });
        }
        self.next = match self.next.take() {
            Some(Next::Shown { since, device, frames }) => {
                self.first.get_or_insert(now.saturating_duration_since(self.begun));
                keep(&mut self.waits, Wait { total: now.saturating_duration_since(since), device, frames });
                Some(Next::Plain { since: now })
            }
            Some(Next::Plain { since }) => {
                keep(&mut self.frame_times, now.saturating_duration_since(since));
                None
            }
            None => None,
        };
    }

    /// The show `id` is asked for in the frame that has begun last.
    pub fn ask(&mut self, id: u64) {
        self.asked = Some(Asked { id, since: self.frame_begun.unwrap_or_else(Instant::now), is_painted: false });
        self.frames = 0;
    }

    /// A frame was painted. True where frames have to follow at once, to see when this one has ended and how long a frame is.
    pub fn paint(&mut self, shown: Option<Painted>) -> bool {
        self.frames += 1;
        let Some(painted) = shown else { return false };
        if let Some(asked) = self.asked.filter(|asked| asked.id == painted.id) {
            self.asked = (!painted.is_checked).then_some(Asked { is_painted: true, ..asked });
            if painted.is_checked {
                self.checked = Some((asked.since, painted));
            }
            if !asked.is_painted {
                self.next = Some(Next::Shown { since: asked.since, device: painted.trip + painted.build, frames: self.frames });
                return true;
            }
        }
        self.checked.is_some()
    }

    /// "12 images: 50 % shown within 38.2 ms of the request = 17.9 ms of device and build + 1.1 frames of 18.5 ms (3 painted); 11 within device
    /// and build + 2 frames", with what the first one took since the start, and how long checks take beside the round trip; or nothing before the
    /// first.
    #[must_use]
    pub fn text(&self) -> String {
        let Some(first) = self.first else { return String::new() };
        let (Some(wait), Some(frame)) = (median(&self.waits, |wait| wait.total), median(&self.frame_times, |&time| time)) else {
            return String::new();
        };
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let beside = |wait: &Wait| wait.total.saturating_sub(wait.device).as_secs_f64() / frame.as_secs_f64().max(1e-6);
        let [total, device, frames, frame] = [ms(wait.total), ms(wait.device), beside(&wait), ms(frame)].map(|value| format!("{value:.1}"));
        let first = format!("{:.0}", ms(first));
        let within = self.waits.iter().filter(|wait| beside(wait) <= ALLOWED_FRAMES).count();
        let values: [(&str, &dyn Display); 9] = [
            ("first", &first),
            ("count", &self.waits.len()),
            ("total", &total),
            ("device", &device),
            ("frames", &frames),
            ("frame", &frame),
            ("painted", &wait.frames),
            ("within", &within),
            ("allowed", &ALLOWED_FRAMES),
        ];
        let told = filled(if self.waits.len() == 1 { "window.frames.latency-one" } else { "window.frames.latency" }, &values);
        // Each median by itself: neither says anything of the other.
        let (Some(check), Some(of_trip)) = (median(&self.checks, |check| check.total), median(&self.checks, Checked::of_trip)) else {
            return told;
        };
        let (total, ratio) = (format!("{:.1}", ms(check.total)), format!("{:.2}", of_trip.of_trip() as f64 / 1e3));
        filled("window.frames.checked", &[("told", &told), ("total", &total), ("ratio", &ratio)])
    }
}

fn keep<T>(all: &mut VecDeque<T>, one: T) {
    all.push_front(one);
    all.truncate(KEPT);
}

/// The middle one by `key`, the longer of two.
fn median<T: Copy, K: Ord>(all: &VecDeque<T>, key: impl Fn(&T) -> K) -> Option<T> {
    let mut sorted: Vec<T> = all.iter().copied().collect();
    sorted.sort_by_key(key);
    sorted.get(sorted.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::{Latency, Painted};
    use std::time::{Duration, Instant};

    const MS: Duration = Duration::from_millis(1);

    const fn painted(id: u64, trip_ms: u32, build_ms: u32, is_checked: bool) -> Painted {
        Painted { id, trip: Duration::from_millis(trip_ms as u64), build: Duration::from_millis(build_ms as u64), is_checked }
    }

    /// Frames that begin at these milliseconds; each paints nothing new.
    fn idle(latency: &mut Latency, zero: Instant, begins_ms: &[u32]) {
        for &begin in begins_ms {
            latency.begin(zero + MS * begin);
            assert!(!latency.paint(None));
        }
    }

    #[test]
    fn a_wait_lasts_until_the_frame_after_the_picture_begins_and_is_told_in_frames() {
        let begun = Instant::now();
        let (mut latency, zero) = (Latency::new(begun), begun + MS * 900);
        latency.begin(zero);
        latency.ask(7);
        assert!(!latency.paint(None));
        idle(&mut latency, zero, &[20]);
        latency.begin(zero + MS * 40);
        assert!(!latency.paint(Some(painted(6, 5, 0, true))), "the show before");
        latency.begin(zero + MS * 60);
        assert!(latency.paint(Some(painted(7, 20, 10, false))));
        assert_eq!(latency.text(), "", "it is not on the screen yet");
        idle(&mut latency, zero, &[80, 96, 200]);
        assert!(!latency.paint(Some(painted(7, 20, 10, false))), "nobody asked again");
        let expected = "1 image: 50 % shown within 80.0 ms of the request = 30.0 ms of device and build + 3.1 frames of 16.0 ms (4 painted); \
                        0 within device and build + 2 frames; the first appeared 980 ms after the start";
        assert_eq!(latency.text(), expected);
        latency.begin(zero + MS * 220);
        assert!(latency.paint(Some(painted(7, 20, 10, true))), "its check is on the screen once another frame begins");
        idle(&mut latency, zero, &[250]);
        assert!(!latency.paint(Some(painted(7, 20, 10, true))));
        assert_eq!(
            latency.text(),
            format!("{expected}; 50 % checked and shown within 240.0 ms, 50 % within 12.00 × their round trip, both without building")
        );
    }

    #[test]
    fn a_picture_that_was_replaced_is_not_counted() {
        let zero = Instant::now();
        let mut latency = Latency::new(zero);
        latency.begin(zero);
        latency.ask(1);
        latency.ask(2);
        assert!(!latency.paint(Some(painted(1, 1, 0, true))));
        latency.begin(zero + MS * 10);
        assert!(latency.paint(Some(painted(2, 1, 0, true))));
        idle(&mut latency, zero, &[20, 30]);
        assert!(latency.text().starts_with("1 image: 50 % shown within 20.0 ms") && latency.text().contains("(2 painted); 1 within"));
    }
}
