//! How long a person waits: from asking for a picture to the frame that shows all of it.

use std::time::{Duration, Instant};

/// Waits that are kept; more would not change the median.
const KEPT: usize = 1000;

/// One picture that was asked for and shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wait {
    total: Duration,
    /// Upload, kernel, read-back and building.
    device: Duration,
    /// Frames that were painted meanwhile, the one that shows the picture included.
    frames: u32,
}

/// Waits since the start. Pictures that were replaced before they were shown are not counted.
#[derive(Default)]
pub struct Latency {
    asked: Option<(u64, Instant)>,
    frames: u32,
    waits: Vec<Wait>,
}

impl Latency {
    /// The show `id` was asked for now.
    pub fn ask(&mut self, id: u64) {
        self.asked = Some((id, Instant::now()));
        self.frames = 0;
    }

    /// A frame was painted; `shown` is the show that it shows in its final sharpness, with the time that device and build took.
    pub fn paint(&mut self, shown: Option<(u64, Duration)>) {
        self.frames += 1;
        let (Some((asked_id, since)), Some((shown_id, device))) = (self.asked, shown) else { return };
        if asked_id == shown_id {
            self.asked = None;
            self.waits.truncate(KEPT);
            self.waits.insert(0, Wait { total: since.elapsed(), device, frames: self.frames });
        }
    }

    /// "12 pictures: 50 % shown within 38.2 ms, 17.9 ms of it device and build, 3 frames", or nothing before the first.
    #[must_use]
    pub fn text(&self) -> String {
        let mut waits = self.waits.clone();
        waits.sort_by_key(|wait| wait.total);
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        waits.get(waits.len() / 2).map_or_else(String::new, |wait| {
            format!(
                "{} pictures: 50 % shown within {:.1} ms of asking, {:.1} ms of it device and build, {} frames",
                waits.len(),
                ms(wait.total),
                ms(wait.device),
                wait.frames
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Latency;
    use std::time::Duration;

    #[test]
    fn only_the_show_that_was_asked_for_last_ends_the_wait() {
        let mut latency = Latency::default();
        latency.ask(7);
        latency.paint(None);
        latency.paint(Some((6, Duration::from_millis(5))));
        assert_eq!(latency.text(), "");
        latency.paint(Some((7, Duration::from_millis(5))));
        latency.paint(Some((7, Duration::from_millis(5))));
        let text = latency.text();
        assert!(text.starts_with("1 pictures") && text.ends_with("5.0 ms of it device and build, 3 frames"), "{text}");
    }
}
