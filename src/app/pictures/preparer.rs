//! The view thread: makes textures' colors out of byte pictures, the newest wish first.

use super::prepare::{Chunk, prepare};
use super::textures::UPLOAD_PX_PER_FRAME;
use base::error::Result;
use base::texts::failed;
use egui::ColorImage;
use pictures::Picture;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A chunk and its colors, ready to be uploaded.
#[derive(Debug)]
pub struct Made {
    /// What it is.
    pub chunk: Chunk,
    /// Its colors.
    pub image: Arc<ColorImage>,
}

/// Owner of the view thread; dropping it ends the thread.
pub struct Preparer {
    shared: Arc<Shared>,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// Tells the view thread of a new output before the window knows of it. Cheap to clone; usable from any thread.
#[derive(Clone)]
pub struct Announcer(Arc<Shared>);

struct Shared {
    mailbox: Mutex<Mailbox>,
    wake: Condvar,
    /// The chunk being made is not wanted any more.
    stale: AtomicBool,
}

#[derive(Default)]
struct Mailbox {
    /// Chunks of an output that was announced; they go first.
    ahead: VecDeque<Chunk>,
    /// Chunks that the window wants now, most urgent first.
    wanted: VecDeque<Chunk>,
    /// What is being made.
    busy: Option<Chunk>,
    /// It is of an output that was announced.
    is_busy_ahead: bool,
    made: Vec<Made>,
    /// The filtered picture's chunks that were on the screen last: what a new output will be asked for.
    template: Vec<Chunk>,
    quit: bool,
}

impl Preparer {
    /// Starts the thread. It calls `wake` after each chunk that it has put out for [`Preparer::take_made`]; of an output that was announced,
    /// only once there is enough for a frame.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn start(wake: impl Fn() + Send + 'static) -> Result<Self> {
        let refused = |why: String| failed("errors.window.view", &[("why", &why)]);
        // Threads of its own: those that compute references and CPU competitors may be busy for seconds, and are being timed.
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(4);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|index| format!("view-{index}")).build();
        let pool = pool.map_err(|error| refused(error.to_string()))?;
        let shared = Arc::new(Shared { mailbox: Mutex::default(), wake: Condvar::new(), stale: AtomicBool::new(false) });
        let theirs = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("view".to_owned())
            .spawn(move || serve(&theirs, &pool, &wake))
            .map_err(|error| refused(error.to_string()))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Replaces everything wanted before. What is made or being made already is not made again; what is being made in vain is
    /// given up. `template` is the part of the screen's chunks that a new output will replace.
    pub fn want(&self, wanted: Vec<Chunk>, template: Vec<Chunk>) {
        let mut mailbox = self.shared.lock();
        if !mailbox.is_busy_ahead && mailbox.busy.as_ref().is_some_and(|busy| !wanted.contains(busy)) {
            self.shared.stale.store(true, Ordering::Relaxed);
        }
        let is_new = |chunk: &Chunk| {
            let Mailbox { ahead, busy, made, .. } = &*mailbox;
            busy.as_ref() != Some(chunk) && !ahead.contains(chunk) && !made.iter().any(|made| made.chunk == *chunk)
        };
        let wanted: VecDeque<_> = wanted.into_iter().filter(is_new).collect();
        let is_idle = wanted.is_empty();
        mailbox.wanted = wanted;
        mailbox.template = template;
        drop(mailbox);
        if !is_idle {
            self.shared.wake.notify_one();
        }
    }

    /// What has been made since the last call.
    #[must_use]
    pub fn take_made(&self) -> Vec<Made> {
        std::mem::take(&mut self.shared.lock().made)
    }

    /// True where something waits to be taken.
    #[cfg(test)]
    pub fn has_made(&self) -> bool {
        !self.shared.lock().made.is_empty()
    }

    /// For the thread that has a new output before the window hears of it.
    #[must_use]
    pub fn announcer(&self) -> Announcer {
        Announcer(Arc::clone(&self.shared))
    }
}

impl Announcer {
    /// `filtered` is about to replace the filtered picture: begins with what is on the screen of it.
    /// Does nothing where the size differs, because another part will be looked at then.
    ///
    /// While the view thread is at it the window need not be woken for news, see [`Announcer::is_ahead`].
    pub fn announce(&self, filtered: &Arc<Picture>) {
        let mut mailbox = self.0.lock();
        let same_size = |chunk: &&Chunk| {
            let old = chunk.source.filtered();
            (old.width_px(), old.height_px()) == (filtered.width_px(), filtered.height_px())
        };
        let renew = |chunk: &Chunk| Chunk { source: chunk.source.with_filtered(filtered), place: chunk.place };
        mailbox.ahead = mailbox.template.iter().filter(same_size).map(renew).collect();
        if mailbox.is_busy_ahead {
            self.0.stale.store(true, Ordering::Relaxed);
        }
        drop(mailbox);
        self.0.wake.notify_one();
    }

    /// True while colors of an announced output are being made: the window is woken when they are there, and a frame before that would
    /// only keep the picture waiting.
    #[must_use]
    pub fn is_ahead(&self) -> bool {
        let mailbox = self.0.lock();
        mailbox.is_busy_ahead || !mailbox.ahead.is_empty()
    }
}

impl Drop for Preparer {
    fn drop(&mut self) {
        self.shared.lock().quit = true;
        self.shared.stale.store(true, Ordering::Relaxed);
        self.shared.wake.notify_one();
        if let Some(thread) = self.thread.take() {
            // Nobody is left to tell of a panic there.
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// A poisoned mailbox is still a mailbox: it holds whole wishes only.
    fn lock(&self) -> MutexGuard<'_, Mailbox> {
        self.mailbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> Option<Chunk> {
        let mut guard = self.lock();
        loop {
            let mailbox = &mut *guard;
            if mailbox.quit {
                return None;
            }
            mailbox.is_busy_ahead = !mailbox.ahead.is_empty();
            if let Some(chunk) = mailbox.ahead.pop_front().or_else(|| mailbox.wanted.pop_front()) {
                mailbox.busy = Some(chunk.clone());
                self.stale.store(false, Ordering::Relaxed);
                return Some(chunk);
            }
            guard = self.wake.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

fn serve(shared: &Shared, pool: &rayon::ThreadPool, wake: &impl Fn()) {
    while let Some(chunk) = shared.next() {
        let image = pool.install(|| prepare(&chunk, &|| shared.stale.load(Ordering::Relaxed)));
        let mut mailbox = shared.lock();
        mailbox.busy = None;
        // Who asked `is_ahead` counts on being woken, also where the output was replaced meanwhile.
        let is_awaited = std::mem::take(&mut mailbox.is_busy_ahead) || image.is_some();
        mailbox.made.extend(image.map(|image| Made { chunk, image: Arc::new(image) }));
        let made_px = mailbox.made.iter().map(|made| made.image.pixels.len()).sum::<usize>();
        let is_enough = mailbox.ahead.is_empty() || made_px >= UPLOAD_PX_PER_FRAME;
        drop(mailbox);
        if is_awaited && is_enough {
            wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::prepare::{Chunk, Source};
    use super::super::pyramid::Place;
    use super::{Made, Preparer};
    use model::Channels;
    use pictures::Picture;
    use std::sync::{Arc, mpsc};
    use std::time::Duration;

    fn chunk(picture: &Arc<Picture>) -> Chunk {
        Chunk { source: Source::Picture(Arc::clone(picture)), place: Place { level: 0, cell: None } }
    }

    fn gray(value: u8) -> Arc<Picture> {
        Arc::new(Picture::from_fn(8, 8, Channels::Gray, |_, _, _| value))
    }

    /// A preparer, and a function that waits for the next chunks.
    fn started() -> (Preparer, impl Fn(&Preparer) -> Vec<Made>) {
        let (sender, receiver) = mpsc::channel();
        let preparer = Preparer::start(move || sender.send(()).unwrap_or_default()).expect("threads");
        let wait = move |preparer: &Preparer| {
            receiver.recv_timeout(Duration::from_secs(20)).expect("woken");
            preparer.take_made()
        };
        (preparer, wait)
    }

    #[test]
    fn what_is_wanted_is_made_and_then_the_window_is_woken() {
        let (preparer, wait) = started();
        let wanted = chunk(&gray(7));
        preparer.want(vec![wanted.clone()], Vec::new());
        let made = wait(&preparer);
        assert_eq!(made.len(), 1);
        assert_eq!(made[0].chunk, wanted);
        assert_eq!(made[0].image.pixels[9].r(), 7);
    }

    #[test]
    fn an_announced_output_is_made_before_the_window_asks() {
        let (preparer, wait) = started();
        let (old, new) = (gray(1), gray(2));
        preparer.want(vec![chunk(&old)], vec![chunk(&old)]);
        assert_eq!(wait(&preparer)[0].chunk, chunk(&old));
        preparer.announcer().announce(&new);
        let made = wait(&preparer);
        assert_eq!(made[0].chunk, chunk(&new));
    }

    #[test]
    fn the_window_is_woken_once_for_all_of_an_announced_output() {
        let (sender, woken) = mpsc::channel();
        let preparer = Preparer::start(move || sender.send(()).unwrap_or_default()).expect("threads");
        let whole_and_half = |picture| [0, 1].map(|level| Chunk { place: Place { level, cell: None }, ..chunk(picture) });
        preparer.want(Vec::new(), whole_and_half(&gray(1)).to_vec());
        preparer.announcer().announce(&gray(2));
        let mut made = Vec::new();
        while made.len() < 2 {
            made.extend(preparer.take_made());
            std::thread::yield_now();
        }
        let announcer = preparer.announcer();
        drop(preparer);
        assert!(!announcer.is_ahead());
        assert_eq!(woken.try_iter().count(), 1);
    }

    #[test]
    fn an_output_of_another_size_is_not_made_ahead() {
        let (preparer, wait) = started();
        let (old, next) = (gray(1), gray(3));
        preparer.want(vec![chunk(&old)], vec![chunk(&old)]);
        assert_eq!(wait(&preparer).len(), 1);
        preparer.announcer().announce(&Arc::new(Picture::from_fn(9, 8, Channels::Gray, |_, _, _| 2)));
        preparer.want(vec![chunk(&next)], Vec::new());
        assert_eq!(wait(&preparer)[0].chunk, chunk(&next));
    }

    #[test]
    fn a_newer_wish_replaces_what_was_not_begun_and_what_is_under_way() {
        let (preparer, wait) = started();
        // Large enough that making it takes longer than replacing it.
        let large = Arc::new(Picture::from_fn(6000, 6000, Channels::Gray, |_, _, _| 0));
        let (slow, newest) = (chunk(&large), chunk(&gray(9)));
        let old: Vec<_> = (0..50).map(|_| slow.clone()).collect();
        preparer.want(old, Vec::new());
        preparer.want(vec![newest.clone()], Vec::new());
        let mut seen = Vec::new();
        while !seen.contains(&newest) {
            seen.extend(wait(&preparer).into_iter().map(|made| made.chunk));
        }
        assert!(seen.len() <= 2, "{} chunks were made in vain", seen.len() - 1);
    }
}
