//! Which call of OpenCL is under way, where another process sees it: when a driver ends this one, nobody here can say it any more.

use super::Call;
use base::shared_memory::Shared;
use std::io::Result;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

/// Where calls are noted, once [`note_calls`] was asked for.
static NOTES: OnceLock<Shared> = OnceLock::new();

/// From now on the call under way is noted where [`CallUnderWay::open`] finds it; `None` where the system has no room for it.
pub fn note_calls() -> Option<PathBuf> {
    let made = Shared::zeroed(1).ok()?;
    NOTES.get_or_init(|| made).path()
}

/// The note of a call: it is taken back when dropped.
pub(super) struct Noted<'a> {
    notes: Option<&'a Shared>,
    before: u8,
}

/// Notes that `call` is under way.
pub(super) fn note(call: Call) -> Noted<'static> {
    note_in(NOTES.get(), call)
}

fn note_in(notes: Option<&Shared>, call: Call) -> Noted<'_> {
    let number = call as u8 + 1;
    Noted { notes, before: notes.map_or(0, |notes| notes.first_byte().swap(number, Ordering::Relaxed)) }
}

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        if let Some(notes) = self.notes {
            notes.first_byte().store(self.before, Ordering::Relaxed);
        }
    }
}

/// What another process notes.
#[derive(Debug)]
pub struct CallUnderWay(Shared);

impl CallUnderWay {
    /// What [`note_calls`] said in that process, which still runs.
    ///
    /// # Errors
    /// The system's.
    pub fn open(path: &Path) -> Result<Self> {
        Shared::open(path, 1).map(Self)
    }

    /// The call that is under way there, or was when the process ended.
    #[must_use]
    pub fn call(&self) -> Option<Call> {
        let number = usize::from(self.0.first_byte().load(Ordering::Relaxed));
        Call::ALL.get(number.checked_sub(1)?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::{CallUnderWay, note_in};
    use crate::device::Call;
    use base::shared_memory::Shared;

    #[test]
    fn a_call_is_seen_while_it_is_under_way() {
        let notes = Shared::zeroed(1).expect("there is room");
        let seen = CallUnderWay::open(&notes.path().expect("it is ours")).expect("it is there");
        assert_eq!(seen.call(), None);
        let outer = note_in(Some(&notes), Call::GetPlatformIDs);
        let inner = note_in(Some(&notes), Call::ReleaseEvent);
        assert_eq!(seen.call(), Some(Call::ReleaseEvent));
        drop(inner);
        assert_eq!(seen.call(), Some(Call::GetPlatformIDs));
        drop(outer);
        assert_eq!(seen.call(), None);
    }
}
