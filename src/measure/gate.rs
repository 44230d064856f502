//! The busy gate: how much processor time other processes used while samples were taken.

use std::sync::atomic::{AtomicU32, Ordering};
/// Other work above this many cores makes a CPU figure untrustworthy. Without the gate the same kernel took 2.5 to 7.9 ms on a machine that was
/// also compiling; with it the scatter fell to a few percent.
pub const BUSY_CORES: f64 = 0.15;

/// Watches the load of other processes over windows of samples.
pub trait Gate {
    /// Shortest window that the gate can judge; 0 where it judges nothing.
    fn window_ns(&self) -> u64;

    /// A window begins now.
    fn begin(&mut self);

    /// Processor time that other processes used since [`Gate::begin`], summed over all cores; `None` where it is not known, and then nothing
    /// is discarded.
    fn others_ns(&mut self) -> Option<u64>;

    /// Resolution of [`Gate::others_ns`]: less than this is noise.
    fn resolution_ns(&self) -> u64;
}

/// No gate: for devices with processors of their own, and for systems where the load of others is not known.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenGate;

impl Gate for OpenGate {
    fn window_ns(&self) -> u64 {
        0
    }

    fn begin(&mut self) {}

    fn others_ns(&mut self) -> Option<u64> {
        None
    }

    fn resolution_ns(&self) -> u64 {
        0
    }
}

/// Linux: busy time of all cores in `/proc/stat` less our own in `/proc/self/stat`. On other systems it knows nothing and says so
/// ([`CpuGate::is_watching`]).
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuGate {
    begun: Option<Ticks>,
}

impl CpuGate {
    /// The kernel counts in ticks of 10 ms (`USER_HZ` is 100 on every architecture that Linux still supports but Alpha).
    const TICK_NS: u64 = 10_000_000;

    /// A gate that has not begun.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether this system tells what others use.
    #[must_use]
    pub fn is_watching() -> bool {
        Ticks::now().is_some()
    }
}

impl Gate for CpuGate {
    /// Ten ticks: 0.15 core is then one and a half ticks, more than what counting in ticks gets wrong.
    fn window_ns(&self) -> u64 {
        10 * Self::TICK_NS
    }

    fn begin(&mut self) {
        self.begun = Ticks::now();
    }

    fn others_ns(&mut self) -> Option<u64> {
        let (begun, now) = (self.begun?, Ticks::now()?);
        Some(now.others_since(begun) * Self::TICK_NS)
    }

    fn resolution_ns(&self) -> u64 {
        Self::TICK_NS
    }
}

/// The process that this one works for, whose time is our own as well: a window that paints while its worker measures. 0: none.
static ASKER: AtomicU32 = AtomicU32::new(0);

/// This process measures for that one from now on.
pub fn work_for(process: u32) {
    ASKER.store(process, Ordering::Relaxed);
}

/// Ticks of a process, of its `/proc/NUMBER/stat`.
fn own_ticks(process: &str) -> Option<u64> {
    // The command's name is in parentheses and may hold spaces: count from the last one. utime is field 14, stime 15, the state 3.
    let mut after_name = process.rsplit_once(')')?.1.split_whitespace().skip(14 - 3);
    Some(after_name.next()?.parse::<u64>().ok()? + after_name.next()?.parse::<u64>().ok()?)
}

/// Processor time in ticks since the system started, all cores together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ticks {
    /// Not idle, interrupts and time stolen by a hypervisor included.
    busy: u64,
    /// Ours, all threads, and those of the process that we work for.
    own: u64,
}

impl Ticks {
    fn now() -> Option<Self> {
        let system = std::fs::read_to_string("/proc/stat").ok()?;
        let process = std::fs::read_to_string("/proc/self/stat").ok()?;
        let ticks = Self::parse(&system, &process)?;
        let asker = match ASKER.load(Ordering::Relaxed) {
            0 => None,
            asker => std::fs::read_to_string(format!("/proc/{asker}/stat")).ok(),
        };
        let asker = asker.as_deref().and_then(own_ticks).unwrap_or(0);
        Some(Self { own: ticks.own + asker, ..ticks })
    }

    /// The formats are those of proc(5).
    fn parse(system: &str, process: &str) -> Option<Self> {
        let fields: Vec<u64> =
            system.lines().next()?.strip_prefix("cpu ")?.split_whitespace().map_while(|field| field.parse().ok()).collect();
        // user nice system idle iowait irq softirq steal; guest time is part of user.
        let [user, nice, system, _idle, _iowait, irq, softirq, steal, ..] = *fields.as_slice() else { return None };
        Some(Self { busy: user + nice + system + irq + softirq + steal, own: own_ticks(process)? })
    }

    /// Both counts are rounded on their own, so the difference can come out below zero: that is zero.
    fn others_since(self, before: Self) -> u64 {
        self.busy.saturating_sub(before.busy).saturating_sub(self.own.saturating_sub(before.own))
    }
}

#[cfg(test)]
mod tests {
    use super::Ticks;

    const SYSTEM: &str = "cpu  100 20 30 9000 50 1 2 3 7 0\ncpu0 50 10 15 4500 25 0 1 1 0 0\n";

    #[test]
    fn proc_files_by_hand() {
        let process = "42 (a (b) c) R 1 1 1 0 -1 4194304 99 0 0 0 11 22 33 44 20 0 1 0 165713";
        // 100 + 20 + 30 + 1 + 2 + 3 busy; 11 + 22 ours, children's 33 and 44 not.
        assert_eq!(Ticks::parse(SYSTEM, process), Some(Ticks { busy: 156, own: 33 }));
    }

    #[test]
    fn files_of_another_shape_tell_nothing() {
        for (system, process) in [("", ""), (SYSTEM, ""), (SYSTEM, "42 (a) R 1"), ("intr 1 2", "42 (a) R")] {
            assert_eq!(Ticks::parse(system, process), None, "{system:?} {process:?}");
        }
    }

    #[test]
    fn our_own_time_is_not_the_others() {
        let begun = Ticks { busy: 100, own: 40 };
        assert_eq!(Ticks { busy: 130, own: 60 }.others_since(begun), 10);
        assert_eq!(Ticks { busy: 119, own: 60 }.others_since(begun), 0);
    }
}
