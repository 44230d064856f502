//! Counting what the processor and the system do while kernels run: Linux's perf events of every thread of this process.
//!
//! A driver for processors has its threads already when a kernel is counted, and a counter of this thread alone would see none of them. So each thread that there is
//! has counters of its own, which are switched on before the runs and off behind them, and their counts are added up. What a thread does that begins meanwhile is not
//! in them. Where the processor has fewer counters than are asked for, the system gives them in turn, and counts are scaled by the time that each ran.

#[cfg(target_os = "linux")]
mod here {
    use base::texts::{Words, filled};
    use model::Event;
    use perf_event::events::{Cache, CacheId, CacheOp, CacheResult, Hardware, Software};
    use perf_event::{Builder, Counter};
    use std::collections::BTreeMap;
    use std::io;

    /// The counters of all threads.
    pub struct Counters {
        of: Vec<(Event, Counter)>,
        /// How many threads there are.
        pub threads: usize,
        /// Why an event is not counted.
        pub missing: BTreeMap<Event, Words>,
    }

    fn open(event: Event, thread: i32) -> io::Result<Counter> {
        let first = |result| Cache { which: CacheId::L1D, operation: CacheOp::READ, result };
        let mut builder = match event {
            Event::Cycles => Builder::new(Hardware::CPU_CYCLES),
            Event::Instructions => Builder::new(Hardware::INSTRUCTIONS),
            Event::FirstLoads => Builder::new(first(CacheResult::ACCESS)),
            Event::FirstLoadMisses => Builder::new(first(CacheResult::MISS)),
            Event::LastReferences => Builder::new(Hardware::CACHE_REFERENCES),
            Event::LastMisses => Builder::new(Hardware::CACHE_MISSES),
            Event::Branches => Builder::new(Hardware::BRANCH_INSTRUCTIONS),
            Event::BranchMisses => Builder::new(Hardware::BRANCH_MISSES),
            Event::CpuTime => Builder::new(Software::TASK_CLOCK),
            Event::PageFaults => Builder::new(Software::PAGE_FAULTS),
            Event::ContextSwitches => Builder::new(Software::CONTEXT_SWITCHES),
        };
        // What happens within the system only administrators may count on most machines. A thread gives its core away there and nowhere else.
        builder.observe_pid(thread).any_cpu().exclude_kernel(event != Event::ContextSwitches).exclude_hv(true).build()
    }

    fn why(event: Event, error: &io::Error) -> Words {
        match error.kind() {
            io::ErrorKind::PermissionDenied => Words::text("studies.counters.why-not.forbidden"),
            _ if event.is_of_system() => Words::from(error.to_string()),
            // A virtual machine shows no counters of its processor.
            io::ErrorKind::NotFound | io::ErrorKind::Unsupported => Words::text("studies.counters.why-not.no-counters"),
            _ => Words::from(filled("studies.counters.why-not.other", &[("why", error)])),
        }
    }

    impl Counters {
        /// Of every thread that there is now; they do not count yet.
        pub fn of_this_process() -> Self {
            let mut counters = Self { of: Vec::new(), threads: 0, missing: BTreeMap::new() };
            let threads: Vec<i32> = std::fs::read_dir("/proc/self/task")
                .into_iter()
                .flatten()
                .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
                .collect();
            counters.threads = threads.len();
            for event in Event::ALL {
                for thread in &threads {
                    match open(event, *thread) {
                        Ok(counter) => counters.of.push((event, counter)),
                        // A thread that has ended meanwhile has nothing to count.
                        Err(error) if error.raw_os_error() == Some(libc::ESRCH) => {}
                        Err(error) => {
                            counters.missing.insert(event, why(event, &error));
                            break;
                        }
                    }
                }
            }
            counters.of.retain(|(event, _)| !counters.missing.contains_key(event));
            counters
        }

        /// From now on.
        pub fn begin(&mut self) -> io::Result<()> {
            self.of.iter_mut().try_for_each(|(_, counter)| counter.reset().and_then(|()| counter.enable()))
        }

        /// No more; what was counted, and the least share of its time that a counter ran.
        pub fn end(&mut self) -> io::Result<(BTreeMap<Event, f64>, f64)> {
            self.of.iter_mut().try_for_each(|(_, counter)| counter.disable())?;
            let (mut counts, mut least) = (BTreeMap::new(), 1.0_f64);
            for (event, counter) in &mut self.of {
                let read = counter.read_count_and_time()?;
                let share = if read.time_enabled == 0 { 1.0 } else { read.time_running as f64 / read.time_enabled as f64 };
                // A thread that slept throughout ran no counter, and counted nothing.
                let count = if read.time_running == 0 { 0.0 } else { read.count as f64 / share };
                if read.time_running > 0 {
                    least = least.min(share);
                }
                *counts.entry(*event).or_insert(0.0) += count;
            }
            Ok((counts, least))
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod here {
    use base::texts::Words;
    use model::Event;
    use std::collections::BTreeMap;
    use std::io;

    /// There are none on this system.
    pub struct Counters {
        /// None is looked at.
        pub threads: usize,
        /// All events.
        pub missing: BTreeMap<Event, Words>,
    }

    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "on Linux there are counters that can fail")]
    impl Counters {
        /// None.
        pub fn of_this_process() -> Self {
            Self { threads: 0, missing: Event::ALL.map(|event| (event, Words::text("studies.counters.why-not.system"))).into() }
        }

        /// Nothing.
        pub fn begin(&mut self) -> io::Result<()> {
            Ok(())
        }

        /// Nothing.
        pub fn end(&mut self) -> io::Result<(BTreeMap<Event, f64>, f64)> {
            Ok((BTreeMap::new(), 1.0))
        }
    }
}

pub use here::Counters;

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::Counters;
    use model::Event;
    use std::hint::black_box;
    use std::sync::mpsc::channel;

    /// A thread that began before counters were opened works; this one only waits for it.
    #[test]
    fn what_other_threads_do_is_counted() {
        let (go, wait) = channel::<u64>();
        let (done, finished) = channel();
        let worker = std::thread::Builder::new()
            .name("counted".to_owned())
            .spawn(move || {
                for rounds in wait {
                    let sum = (0..rounds).fold(0_u64, |sum, round| black_box(sum ^ round.wrapping_mul(0x9E37_79B9)));
                    done.send(sum).expect("waited for");
                }
            })
            .expect("a thread");
        let counted = |rounds: u64| {
            let mut counters = Counters::of_this_process();
            assert!(counters.threads >= 2, "{}", counters.threads);
            counters.begin().expect("begun");
            go.send(rounds).expect("there");
            finished.recv().expect("done");
            let (counts, share) = counters.end().expect("ended");
            assert!(share > 0.0 && share <= 1.0, "{share}");
            for event in Event::ALL {
                assert!(counts.contains_key(&event) != counters.missing.contains_key(&event), "{event:?}");
            }
            counts
        };
        let (few, many) = (counted(1_000), counted(20_000_000));
        // The system's own events may be forbidden to whoever runs this.
        if let (Some(few), Some(many)) = (few.get(&Event::CpuTime), many.get(&Event::CpuTime)) {
            assert!(*many > few + 1e6, "{few} {many}");
        }
        if let Some(instructions) = many.get(&Event::Instructions) {
            assert!(*instructions >= 20e6, "{instructions}");
        }
        drop(go);
        worker.join().expect("ends");
    }
}
