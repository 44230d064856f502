//! Profiling timestamps of one command, believed only where they can be true.

use super::call::Call;
use super::handle::Handle;
use opencl3::event::{
    CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_SUBMIT,
    get_event_profiling_info,
};
use serde::{Deserialize, Serialize};

/// The four timestamps of a command, in nanoseconds of the device's clock. All 0 where the driver gave none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventTimes {
    /// QUEUED: the host asked for it.
    pub queued: u64,
    /// SUBMIT: handed to the device.
    pub submit: u64,
    /// START of execution.
    pub start: u64,
    /// END of execution.
    pub end: u64,
    /// How long the host waited for it, from before it was enqueued, on the host's clock; 0 where that was not taken.
    #[serde(default)]
    pub waited_ns: u64,
}

/// One command of the queue that was run to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// The OpenCL function that enqueued it, or the kernel's name.
    pub name: String,
    /// Bytes that it moved; 0 for a kernel.
    pub bytes: usize,
    /// Its timestamps.
    pub times: EventTimes,
}

impl Command {
    /// The same as if it had been enqueued and run so many nanoseconds before.
    #[must_use]
    pub fn earlier(&self, ns: u64) -> Self {
        let EventTimes { queued, submit, start, end, waited_ns } = self.times;
        let [queued, submit, start, end] = [queued, submit, start, end].map(|time| time.saturating_sub(ns));
        Self { times: EventTimes { queued, submit, start, end, waited_ns }, ..self.clone() }
    }
}

impl EventTimes {
    /// Queue wait, SUBMIT − QUEUED; `None` where the timestamps cannot be true.
    #[must_use]
    pub fn queue_wait_ns(&self) -> Option<u64> {
        self.difference(self.queued, self.submit)
    }

    /// Launch latency, START − SUBMIT; `None` where the timestamps cannot be true.
    #[must_use]
    pub fn launch_latency_ns(&self) -> Option<u64> {
        self.difference(self.submit, self.start)
    }

    /// Kernel time, END − START; `None` where the timestamps cannot be true. No kernel takes no time, so 0 is one of these.
    ///
    /// A START before SUBMIT spoils the launch latency alone: some drivers take the two from different clocks, START and END never.
    #[must_use]
    pub fn kernel_ns(&self) -> Option<u64> {
        self.difference(self.start, self.end).filter(|&elapsed_ns| elapsed_ns > 0)
    }

    fn difference(&self, from: u64, to: u64) -> Option<u64> {
        if self.is_made_up() { None } else { to.checked_sub(from) }
    }

    /// Untouched timestamps, and those of a driver that counts 0, 1, 2, 3 instead of looking at a clock (Mesa's rusticl on llvmpipe).
    fn is_made_up(&self) -> bool {
        self.start == 0 || self.end <= 3
    }
}

/// Two clocks differ by millionths, and both are read within some nanoseconds.
const SLACK: f64 = 1.05;

/// Of the host's own clock, and of the calls that read it.
const SLACK_NS: u64 = 1_000;

impl EventTimes {
    /// The same where the host waited for so long: no command takes longer than the host waits for it. Timestamps that say so are not those of a clock that counts
    /// nanoseconds; all are then 0. Whether they are far too short a single run cannot tell, as launching takes time, too: see [`model::measure::doubt`].
    pub(super) fn within(self, waited_ns: u64, resolution_ns: usize) -> Self {
        let most_ns = waited_ns as f64 * SLACK + (2 * resolution_ns as u64 + SLACK_NS) as f64;
        match self.kernel_ns() {
            Some(kernel_ns) if kernel_ns as f64 > most_ns => Self { waited_ns, ..Self::default() },
            _ => Self { waited_ns, ..self },
        }
    }

    /// The timestamps of a command that has ended; all 0 where the driver keeps none.
    pub(super) fn of(event: &Handle) -> Self {
        let read = |which| Call::GetEventProfilingInfo.run(|| get_event_profiling_info(event.raw(), which)).map_or(0, u64::from);
        Self {
            queued: read(CL_PROFILING_COMMAND_QUEUED),
            submit: read(CL_PROFILING_COMMAND_SUBMIT),
            start: read(CL_PROFILING_COMMAND_START),
            end: read(CL_PROFILING_COMMAND_END),
            waited_ns: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::EventTimes;

    const TRUE: EventTimes = EventTimes { queued: 1000, submit: 1100, start: 1500, end: 9500, waited_ns: 0 };

    #[test]
    fn differences_of_true_timestamps() {
        assert_eq!((TRUE.queue_wait_ns(), TRUE.launch_latency_ns(), TRUE.kernel_ns()), (Some(100), Some(400), Some(8000)));
    }

    #[test]
    fn no_kernel_takes_longer_than_the_host_waited_for_it() {
        let believed = |waited_ns| EventTimes { waited_ns, ..TRUE };
        assert_eq!(TRUE.within(8000, 0), believed(8000));
        // 8000 ns are at most 6666 ns and the twentieth part, and the slack of both clocks.
        assert_eq!(TRUE.within(6667, 0), believed(6667));
        assert_eq!(TRUE.within(6665, 0), EventTimes { waited_ns: 6665, ..EventTimes::default() });
        assert_eq!(TRUE.within(6665, 1), believed(6665));
        assert_eq!(TRUE.within(3000, 2000), believed(3000));
        assert_eq!(TRUE.within(2000, 2000).kernel_ns(), None);
    }

    #[test]
    fn an_end_before_the_start_is_no_kernel_time() {
        let times = EventTimes { end: 1499, ..TRUE };
        assert_eq!((times.launch_latency_ns(), times.kernel_ns()), (Some(400), None));
        assert_eq!(EventTimes { end: 1500, ..TRUE }.kernel_ns(), None);
        assert_eq!(EventTimes { end: 1501, ..TRUE }.kernel_ns(), Some(1));
    }

    #[test]
    fn a_start_before_the_submit_is_no_launch_latency() {
        let times = EventTimes { start: 1099, ..TRUE };
        assert_eq!((times.queue_wait_ns(), times.launch_latency_ns(), times.kernel_ns()), (Some(100), None, Some(8401)));
    }

    #[test]
    fn untouched_and_counted_timestamps_are_not_believed() {
        for times in [EventTimes::default(), EventTimes { queued: 0, submit: 1, start: 2, end: 3, waited_ns: 0 }] {
            assert_eq!((times.queue_wait_ns(), times.launch_latency_ns(), times.kernel_ns()), (None, None, None));
        }
    }
}
