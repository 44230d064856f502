//! How long a person waits: from the frame in which a picture was asked for until the frame that shows all of it is on the screen.
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

/// One picture that was asked for and shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wait {
    total: Duration,
    /// Upload, kernel, read-back, the checks of the output and building.
    device: Duration,
    /// Frames that were painted meanwhile, the one in which it was asked for and the one that shows the picture included.
    frames: u32,
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
    asked: Option<(u64, Instant)>,
    frame_begun: Option<Instant>,
    next: Option<Next>,
    frames: u32,
    waits: VecDeque<Wait>,
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
            frame_begun: None,
            next: None,
            frames: 0,
            waits: VecDeque::new(),
            frame_times: VecDeque::new(),
        }
    }

    /// A frame begins at `now`.
    pub fn begin(&mut self, now: Instant) {
        self.frame_begun = Some(now);
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
        self.asked = Some((id, self.frame_begun.unwrap_or_else(Instant::now)));
        self.frames = 0;
    }

    /// A frame was painted; `shown` is the show that it shows in its final sharpness, with the time that device and build took. True where two
    /// more frames have to follow at once, to see when this one has ended and how long a frame is.
    pub fn paint(&mut self, shown: Option<(u64, Duration)>) -> bool {
        self.frames += 1;
        let (Some((asked_id, since)), Some((shown_id, device))) = (self.asked, shown) else { return false };
        if asked_id != shown_id {
            return false;
        }
        self.asked = None;
        self.next = Some(Next::Shown { since, device, frames: self.frames });
        true
    }

    /// "12 images: 50 % shown within 38.2 ms of the request = 17.9 ms of device and build + 1.1 frames of 18.5 ms (3 painted); 11 within device
    /// and build + 2 frames", with what the first one took since the start, or nothing before the first.
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
        filled(if self.waits.len() == 1 { "window.frames.latency-one" } else { "window.frames.latency" }, &values)
    }
}

fn keep<T>(all: &mut VecDeque<T>, one: T) {
    all.push_front(one);
    all.truncate(KEPT);
}

/// The middle one by `key`, the longer of two.
fn median<T: Copy>(all: &VecDeque<T>, key: impl Fn(&T) -> Duration) -> Option<T> {
    let mut sorted: Vec<T> = all.iter().copied().collect();
    sorted.sort_by_key(key);
    sorted.get(sorted.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::Latency;
    use std::time::{Duration, Instant};

    const MS: Duration = Duration::from_millis(1);

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
        assert!(!latency.paint(Some((6, MS * 5))), "the show before");
        latency.begin(zero + MS * 60);
        assert!(latency.paint(Some((7, MS * 30))));
        assert_eq!(latency.text(), "", "it is not on the screen yet");
        idle(&mut latency, zero, &[80, 96, 200]);
        assert!(!latency.paint(Some((7, MS * 30))), "nobody asked again");
        let expected = "1 image: 50 % shown within 80.0 ms of the request = 30.0 ms of device and build + 3.1 frames of 16.0 ms (4 painted); \
                        0 within device and build + 2 frames; the first appeared 980 ms after the start";
        assert_eq!(latency.text(), expected);
    }

    #[test]
    fn a_picture_that_was_replaced_is_not_counted() {
        let zero = Instant::now();
        let mut latency = Latency::new(zero);
        latency.begin(zero);
        latency.ask(1);
        latency.ask(2);
        assert!(!latency.paint(Some((1, MS))));
        latency.begin(zero + MS * 10);
        assert!(latency.paint(Some((2, MS))));
        idle(&mut latency, zero, &[20, 30]);
        assert!(latency.text().starts_with("1 image: 50 % shown within 20.0 ms") && latency.text().contains("(2 painted); 1 within"));
    }
}
