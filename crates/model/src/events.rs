//! Events that a processor and its system count while a kernel runs.

use super::Summary;
use base::error::{Error, Result};
use base::texts::{Words, text};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Makes [`Event`] with its names in files and its texts.
macro_rules! events {
    ($($(#[$about:meta])+ $event:ident $name:literal $key:literal;)+) => {
        /// What is counted. In files it is its name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub enum Event {
            $($(#[$about])+ $event,)+
        }

        impl Event {
            /// All, in the order of tables.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$event),+];

            /// As files have it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$event => $name,)+ }
            }

            /// The key of its label.
            #[must_use]
            pub const fn key(self) -> &'static str {
                match self { $(Self::$event => $key,)+ }
            }
        }
    };
}

events! {
    /// Cycles of the cores that the kernel ran on.
    Cycles "cycles" "studies.counters.event.cycles";
    /// Instructions that were completed.
    Instructions "instructions" "studies.counters.event.instructions";
    /// Loads from the first data cache.
    FirstLoads "first-level-loads" "studies.counters.event.first-level-loads";
    /// Those of them that were not in it.
    FirstLoadMisses "first-level-load-misses" "studies.counters.event.first-level-load-misses";
    /// Accesses to the last cache.
    LastReferences "last-level-references" "studies.counters.event.last-level-references";
    /// Those of them that were not in it.
    LastMisses "last-level-misses" "studies.counters.event.last-level-misses";
    /// Branches.
    Branches "branches" "studies.counters.event.branches";
    /// Those of them whose target was guessed wrongly.
    BranchMisses "branch-misses" "studies.counters.event.branch-misses";
    /// Time that threads of this process ran, in nanoseconds, all together.
    CpuTime "cpu-time-ns" "studies.counters.event.cpu-time";
    /// Accesses to memory that the system had to provide first.
    PageFaults "page-faults" "studies.counters.event.page-faults";
    /// How often a thread gave its core to another one.
    ContextSwitches "context-switches" "studies.counters.event.context-switches";
}

impl Event {
    /// As tables show it.
    #[must_use]
    pub fn label(self) -> &'static str {
        text(self.key())
    }

    /// Whether the system counts it, and not the processor.
    #[must_use]
    pub const fn is_of_system(self) -> bool {
        matches!(self, Self::CpuTime | Self::PageFaults | Self::ContextSwitches)
    }
}

impl From<Event> for String {
    fn from(event: Event) -> Self {
        event.name().to_owned()
    }
}

impl TryFrom<String> for Event {
    type Error = Error;

    fn try_from(name: String) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|event| event.name() == name);
        known.ok_or_else(|| super::roofline::not_known("Event", &name))
    }
}

/// What was counted while a kernel ran several times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventCounts {
    /// How many runs.
    pub runs: usize,
    /// Threads of the process, whose counts are added up.
    pub threads: usize,
    /// Per run.
    pub counts: BTreeMap<Event, f64>,
    /// Why the others were not counted.
    pub missing: BTreeMap<Event, Words>,
    /// The share of the time that counters ran, at least: below 1 where the processor has fewer of them than are asked for, and counts were scaled up.
    pub share: f64,
    /// Kernel time of these runs; `None` where the driver's timestamps are invalid.
    pub kernel: Option<Summary>,
    /// Bytes per pixel that the kernels have to move at least; `None` of those whose accesses are not described.
    pub must_move_bytes: Option<f64>,
    /// Whether other programs ran throughout.
    pub busy: bool,
}

impl EventCounts {
    /// One over the other; `None` where one of them was not counted, or the other is 0.
    #[must_use]
    pub fn ratio(&self, of: Event, over: Event) -> Option<f64> {
        let (of, over) = (self.counts.get(&of)?, self.counts.get(&over)?);
        (*over > 0.0).then(|| of / over)
    }
}

#[cfg(test)]
mod tests {
    use super::{Event, EventCounts};
    use std::collections::BTreeMap;

    #[test]
    fn files_have_each_event_by_its_name() {
        for event in Event::ALL {
            let told = serde_json::to_string(&event).expect("a word");
            assert_eq!(serde_json::from_str::<Event>(&told).ok(), Some(event), "{told}");
        }
        assert!(serde_json::from_str::<Event>("\"moon\"").is_err());
    }

    #[test]
    fn ratios_are_of_what_was_counted() {
        let counts = BTreeMap::from([(Event::Instructions, 300.0), (Event::Cycles, 100.0), (Event::Branches, 0.0)]);
        let counts = EventCounts {
            runs: 1,
            threads: 1,
            counts,
            missing: BTreeMap::new(),
            share: 1.0,
            kernel: None,
            must_move_bytes: None,
            busy: false,
        };
        assert_eq!(counts.ratio(Event::Instructions, Event::Cycles), Some(3.0));
        assert_eq!(counts.ratio(Event::Cycles, Event::Branches), None);
        assert_eq!(counts.ratio(Event::LastMisses, Event::Cycles), None);
    }
}
