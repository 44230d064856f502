//! Facts of a task that no measurement changes, its launch, its counts and its text: worked out once, on whichever thread asks first. The worker asks
//! before it tells of a reading, so that the window finds them.

use super::fact::Facts;
use engine::device::{Grain, SECTOR_BYTES};
use engine::{Target, Task};
use model::{Contender, Record, Spec};
use std::sync::{Arc, Mutex, PoisonError};

/// As many tasks as a long session looks back on.
const MOST: usize = 200;

/// All that the facts depend on.
#[derive(PartialEq)]
struct Key {
    spec: Spec,
    target: Target,
    size_px: (usize, usize),
    local_used: Option<[usize; 2]>,
    grain: Grain,
}

static KNOWN: Mutex<Vec<(Key, Arc<Facts>)>> = Mutex::new(Vec::new());

/// Those of `task`, noted as the ones of the variant that is explained.
pub fn facts(task: &Task, local_used: Option<[usize; 2]>, grain: Grain) -> Arc<Facts> {
    let key = Key { spec: task.spec.clone(), target: task.target, size_px: task.picture.size(), local_used, grain };
    // Whole entries only: what another thread left behind when it panicked is good.
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, facts)) = known().iter().find(|(known, _)| *known == key) {
        return Arc::clone(facts);
    }
    let facts = Arc::new(Facts::worked_out(task, local_used, grain));
    let mut known = known();
    if known.len() >= MOST {
        known.remove(0);
    }
    known.push((key, Arc::clone(&facts)));
    facts
}

/// Works out what a reading's explanation will need; nothing for a CPU competitor.
pub fn prepare(task: &Task, record: &Record) {
    if let Contender::Device { local_used, .. } = record.contender {
        // Of other makers' devices the record does not tell, and whoever asks works it out.
        if let Some(width) = Grain::of_driver(&record.machine.driver) {
            facts(task, local_used, Grain { sub_group: Some(width), segment_bytes: SECTOR_BYTES });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{KNOWN, facts};
    use engine::device::Grain;
    use engine::{PictureRef, Target, Task};
    use model::{Channels, HostMemory, LocalSize, Variant};
    use pictures::Picture;
    use std::sync::Arc;

    #[test]
    fn facts_are_worked_out_once_and_anew_where_something_they_depend_on_differs() {
        let picture = Picture::from_fn(64, 64, Channels::Gray, |_, _, _| 0);
        let variant = Variant::parse("coalesced").expect("a variant");
        let target = Target::Device { index: 0, variant, local: LocalSize::Driver, host_memory: HostMemory::Copy };
        let task = Task::new(PictureRef::new(Arc::new(picture)), target);
        let grain = |sub_group, segment_bytes| Grain { sub_group, segment_bytes };
        let first = facts(&task, Some([32, 1]), grain(Some(32), 32));
        assert!(first.get("after.loads").is_some(), "{first:?}");
        assert!(Arc::ptr_eq(&first, &facts(&task, Some([32, 1]), grain(Some(32), 32))));
        let tall = facts(&task, Some([1, 32]), grain(Some(32), 32));
        assert_ne!(first.get("after.segments"), tall.get("after.segments"));
        assert_eq!(facts(&task, Some([32, 1]), grain(None, 32)).get("after.segments"), None);
        // A sub-group of 64, as AMD's, with segments of 64 bytes: its 64 bytes of a load fit one.
        let wide = facts(&task, Some([64, 1]), grain(Some(64), 64));
        let narrow = facts(&task, Some([64, 1]), grain(Some(64), 32));
        assert_eq!([&wide, &narrow].map(|facts| facts.get("after.least_segments")), [Some(1.0), Some(2.0)]);
        assert!(KNOWN.lock().expect("whole").len() >= 3);
    }
}
