//! Work on a thread of its own whose newest result is shown: one thing at a time, the newest wish next.

use egui::Context;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// What is made of a `K`, and what is being made.
pub struct Background<K, T> {
    running: Option<Receiver<(K, T)>>,
    shown: Option<(K, T)>,
}

impl<K, T> Default for Background<K, T> {
    fn default() -> Self {
        Self { running: None, shown: None }
    }
}

impl<K, T> Background<K, T> {
    /// What was made last, and of what: it stays until the next one is there.
    pub const fn shown(&self) -> Option<&(K, T)> {
        self.shown.as_ref()
    }
}

#[cfg(test)]
impl<K, T> Background<K, T> {
    /// Whether nothing is being made.
    pub const fn is_at_rest(&self) -> bool {
        self.running.is_none()
    }
}

impl<K: PartialEq + Send + 'static, T: Send + 'static> Background<K, T> {
    /// Takes what has been made, and has `wanted` made on a thread of this name where it is not there. Whether something new came. The window is painted
    /// again once it is made; where the system refuses a thread, the next frame asks again.
    pub fn follow(&mut self, wanted: K, thread: &str, ctx: &Context, make: impl FnOnce(&K, &Context) -> T + Send + 'static) -> bool {
        let made = self.running.as_ref().map(Receiver::try_recv);
        if !matches!(made, None | Some(Err(TryRecvError::Empty))) {
            self.running = None;
        }
        let made = made.and_then(Result::ok);
        let is_new = made.is_some();
        self.shown = made.or(self.shown.take());
        if self.running.is_none() && self.shown.as_ref().is_none_or(|(shown, _)| *shown != wanted) {
            let (sender, receiver) = channel();
            let ctx = ctx.clone();
            let work = move || {
                let made = make(&wanted, &ctx);
                // Whoever asked may be gone.
                let _ = sender.send((wanted, made));
                ctx.request_repaint();
            };
            self.running = std::thread::Builder::new().name(thread.to_owned()).spawn(work).ok().map(|_| receiver);
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::Background;
    use egui::Context;

    #[test]
    fn the_newest_wish_is_made_next_and_what_is_there_stays_until_then() {
        let (mut background, ctx) = (Background::default(), Context::default());
        let mut follow = |wanted: u8| {
            let is_new = background.follow(wanted, "test", &ctx, |wanted, _| 10 * u32::from(*wanted));
            (is_new, background.shown().copied())
        };
        assert_eq!(follow(1), (false, None));
        let mut until = |wanted: u8, found| {
            while follow(wanted).1 != Some(found) {
                std::thread::yield_now();
            }
        };
        until(1, (1, 10));
        // Asked while another is made: that one comes first, or not at all, and the newest last.
        until(3, (3, 30));
        assert_eq!(follow(3), (false, Some((3, 30))), "it is there");
    }
}
