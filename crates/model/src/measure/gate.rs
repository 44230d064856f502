//! The busy gate: how much processor time other processes used while samples were taken.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};

/// Watches the load of other processes over windows of samples.
pub trait Gate {
    /// Shortest window that the gate can judge well.
    fn window_ns(&self) -> u64;

    /// Whether runs go on until a window is that long, though there are samples enough.
    fn fills_windows(&self) -> bool;

    /// A window begins now.
    fn begin(&mut self);

    /// Processor time that other processes used since [`Gate::begin`], summed over all cores; `None` where it is not known, and then nothing
    /// is discarded.
    fn others_ns(&mut self) -> Option<u64>;

    /// So many cores of other work disturb what ran in the window that was asked about last.
    fn limit_cores(&self) -> f64;

    /// Resolution of [`Gate::others_ns`]: less than this is noise.
    fn resolution_ns(&self) -> u64;
}

/// Whether other work disturbed most of what is told in one figure: of its processes, or of its rounds.
#[must_use]
pub fn mostly_busy(parts: impl ExactSizeIterator<Item = bool>) -> bool {
    let count = parts.len();
    2 * parts.filter(|is_busy| *is_busy).count() > count
}

/// Where that computes whose samples are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Computes {
    /// On the host's processor: CPU competitors, and OpenCL devices that are the processor.
    #[default]
    OnHost,
    /// On a device that says that it has processors of its own.
    OnDevice,
}

impl Computes {
    /// Of two that take turns: the host's, if one of them is on it.
    #[must_use]
    pub fn of_both(self, other: Self) -> Self {
        if self == other { self } else { Self::OnHost }
    }

    /// So many cores of other work disturb it, on a host with `cores`, while this process kept `own_cores` of them busy.
    ///
    /// On the host, other work takes a share of the cores away: 7.5 % of them are too much, which are 0.15 of two cores. Without the gate the same kernel took
    /// 2.5 to 7.9 ms on two cores that were also compiling; with it the scatter fell to a few percent. A device with processors of its own hardly feels the
    /// host: only a load that keeps the host from feeding it counts. But some drivers compute on the host and call that a GPU: a host that only waits
    /// keeps one core busy at most, so a process that keeps more of them busy computes there itself.
    fn limit_cores(self, cores: f64, own_cores: f64) -> f64 {
        const LEAST_CORES: f64 = 0.15;
        const SHARE_ON_HOST: f64 = 0.075;
        const SHARE_ON_DEVICE: f64 = 0.4;
        const WAITING_CORES: f64 = 1.25;
        match self {
            Self::OnDevice if own_cores <= WAITING_CORES => SHARE_ON_DEVICE * cores,
            Self::OnDevice | Self::OnHost => (SHARE_ON_HOST * cores).max(LEAST_CORES),
        }
    }
}

/// Busy time of all cores less that of our own processes. Linux tells it in `/proc/stat`; Windows and macOS are asked by [`base::system`].
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuGate {
    computes: Computes,
    begun: Option<Ticks>,
    limit_cores: f64,
}

impl CpuGate {
    /// Linux and macOS count in ticks of 10 ms (`USER_HZ` is 100 on every architecture that Linux still supports but Alpha), Windows in those of its clock, 64 in a
    /// second.
    const TICK_NS: u64 = if cfg!(windows) { 15_625_000 } else { 10_000_000 };

    /// A gate that has not begun, for what computes there.
    #[must_use]
    pub fn of(computes: Computes) -> Self {
        Self { computes, ..Self::default() }
    }
}

impl Gate for CpuGate {
    /// Ten ticks: 0.15 core is then one and a half ticks, more than what counting in ticks gets wrong. A device is disturbed by much more.
    fn window_ns(&self) -> u64 {
        match self.computes {
            Computes::OnHost => 10 * Self::TICK_NS,
            Computes::OnDevice => 3 * Self::TICK_NS,
        }
    }

    /// Device times hardly depend on the load: no run is made to judge it better.
    fn fills_windows(&self) -> bool {
        self.computes == Computes::OnHost
    }

    fn begin(&mut self) {
        self.begun = Ticks::now();
    }

    fn others_ns(&mut self) -> Option<u64> {
        let (begun, now) = (self.begun?, Ticks::now()?);
        self.limit_cores = self.computes.limit_cores(now.cores as f64, now.own_cores_since(begun));
        Some(now.others_since(begun) * Self::TICK_NS)
    }

    fn limit_cores(&self) -> f64 {
        self.limit_cores
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

/// The first process of a system or a container, which adopts what others have left behind.
const FIRST_PROCESS: u32 = 1;

/// The processes that `own` works with: the one that asks it, and the children of both, which are workers like this one, compilers of drivers. Children of the
/// first process may be anybody's, though it asks itself where the program is all that a container runs.
fn companions(own: u32, children_of: impl Fn(&[u32]) -> Vec<u32>) -> BTreeSet<u32> {
    companions_of(own, Some(ASKER.load(Ordering::Relaxed)).filter(|asker| *asker != 0), children_of)
}

fn companions_of(own: u32, asker: Option<u32>, children_of: impl Fn(&[u32]) -> Vec<u32>) -> BTreeSet<u32> {
    let parents: Vec<u32> = std::iter::once(own).chain(asker.filter(|asker| *asker != FIRST_PROCESS)).collect();
    let mut companions: BTreeSet<u32> = children_of(&parents).into_iter().chain(asker).collect();
    companions.remove(&own);
    companions
}

/// Processor time in ticks since the system started, all cores together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ticks {
    /// Not idle, interrupts and time stolen by a hypervisor included.
    busy: u64,
    /// Idle, or waiting for disks.
    idle: u64,
    /// This process's, all threads.
    own: u64,
    /// Its ended children's, and those of the processes that it works with.
    companions: u64,
    /// Cores that these are counted over.
    cores: usize,
}

impl Ticks {
    /// Both counts are rounded on their own, so the difference can come out below zero: that is zero.
    fn others_since(self, before: Self) -> u64 {
        let ours = (self.own + self.companions).saturating_sub(before.own + before.companions);
        self.busy.saturating_sub(before.busy).saturating_sub(ours)
    }

    /// How many cores this process kept busy.
    fn own_cores_since(self, before: Self) -> f64 {
        let all = (self.busy + self.idle).saturating_sub(before.busy + before.idle);
        let own = self.own.saturating_sub(before.own);
        self.cores as f64 * own as f64 / all.max(1) as f64
    }
}

/// What Linux tells.
#[cfg(target_os = "linux")]
mod linux {
    use super::{Ticks, companions};

    /// Ticks of a process, of its `/proc/NUMBER/stat`: its own, and those of its children that have ended.
    fn ticks_of(process: &str) -> Option<[u64; 2]> {
        // The command's name is in parentheses and may hold spaces: count from the last one. utime is field 14, stime 15, cutime 16, cstime 17, the state 3.
        let after_name = process.rsplit_once(')')?.1.split_whitespace().skip(14 - 3);
        let fields: Vec<u64> = after_name.take(4).map_while(|field| field.parse().ok()).collect();
        let [user, system, of_children, system_of_children] = *fields.as_slice() else { return None };
        Some([user + system, of_children + system_of_children])
    }

    /// Children that these processes have now; none where the system does not tell.
    fn children_of(processes: &[u32]) -> Vec<u32> {
        let threads = processes.iter().filter_map(|process| std::fs::read_dir(format!("/proc/{process}/task")).ok()).flatten();
        let of_threads = threads.filter_map(|thread| std::fs::read_to_string(thread.ok()?.path().join("children")).ok());
        of_threads.flat_map(|children| children.split_whitespace().filter_map(|child| child.parse().ok()).collect::<Vec<_>>()).collect()
    }

    /// Ticks of the processes that this one works with.
    pub fn ticks_of_companions() -> u64 {
        let ticks = |process: u32| ticks_of(&std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?);
        companions(std::process::id(), children_of).into_iter().filter_map(ticks).flatten().sum()
    }

    impl Ticks {
        pub fn now() -> Option<Self> {
            let system = std::fs::read_to_string("/proc/stat").ok()?;
            let process = std::fs::read_to_string("/proc/self/stat").ok()?;
            let ticks = Self::parse(&system, &process)?;
            Some(Self { companions: ticks.companions + ticks_of_companions(), ..ticks })
        }

        /// The formats are those of proc(5).
        pub fn parse(system: &str, process: &str) -> Option<Self> {
            let fields: Vec<u64> =
                system.lines().next()?.strip_prefix("cpu ")?.split_whitespace().map_while(|field| field.parse().ok()).collect();
            // user nice system idle iowait irq softirq steal; guest time is part of user.
            let [user, nice, kernel, idle, iowait, irq, softirq, steal, ..] = *fields.as_slice() else { return None };
            let is_core = |line: &&str| line.strip_prefix("cpu").is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()));
            let [own, companions] = ticks_of(process)?;
            let cores = system.lines().filter(is_core).count().max(1);
            Some(Self { busy: user + nice + kernel + irq + softirq + steal, idle: idle + iowait, own, companions, cores })
        }
    }
}

/// What Windows and macOS tell, in nanoseconds; elsewhere nothing.
#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use super::{CpuGate, Ticks, companions};
    use base::system::{CpuTime, children, cpu_time, ended_children_ns, process_time_ns};

    /// Ticks of the processes that this one works with, as far as they still run, and of its children that have ended.
    fn ticks_of_companions() -> u64 {
        let companions = companions(std::process::id(), children);
        let running_ns: u64 = companions.into_iter().filter_map(process_time_ns).sum();
        (running_ns + ended_children_ns()) / CpuGate::TICK_NS
    }

    impl Ticks {
        pub fn now() -> Option<Self> {
            let CpuTime { busy_ns, idle_ns } = cpu_time()?;
            let own_ns = process_time_ns(std::process::id())?;
            let [busy, idle, own] = [busy_ns, idle_ns, own_ns].map(|ns| ns / CpuGate::TICK_NS);
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            Some(Self { busy, idle, own, companions: ticks_of_companions(), cores })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Computes, Ticks, companions_of};

    #[cfg(target_os = "linux")]
    const SYSTEM: &str = "cpu  100 20 30 9000 50 1 2 3 7 0\ncpu0 50 10 15 4500 25 0 1 1 0 0\ncpu1 50 10 15 4500 25 0 1 1 0 0\nintr 1\n";

    #[cfg(target_os = "linux")]
    #[test]
    fn proc_files_by_hand() {
        let process = "42 (a (b) c) R 1 1 1 0 -1 4194304 99 0 0 0 11 22 33 44 20 0 1 0 165713";
        // 100 + 20 + 30 + 1 + 2 + 3 busy, 9000 + 50 idle; 11 + 22 ours, 33 + 44 of children that have ended.
        assert_eq!(Ticks::parse(SYSTEM, process), Some(Ticks { busy: 156, idle: 9050, own: 33, companions: 77, cores: 2 }));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn files_of_another_shape_tell_nothing() {
        for (system, process) in [("", ""), (SYSTEM, ""), (SYSTEM, "42 (a) R 1"), ("intr 1 2", "42 (a) R")] {
            assert_eq!(Ticks::parse(system, process), None, "{system:?} {process:?}");
        }
    }

    #[test]
    fn our_own_time_is_not_the_others() {
        let begun = Ticks { busy: 100, idle: 0, own: 40, companions: 5, cores: 2 };
        assert_eq!(Ticks { busy: 130, own: 60, ..begun }.others_since(begun), 10);
        assert_eq!(Ticks { busy: 119, own: 60, ..begun }.others_since(begun), 0);
        assert_eq!(Ticks { busy: 130, own: 50, companions: 20, ..begun }.others_since(begun), 5, "workers of ours are not others");
        // 30 of 40 ticks of two cores.
        let own_cores = Ticks { busy: 130, idle: 10, own: 70, ..begun }.own_cores_since(begun);
        assert!((own_cores - 1.5).abs() < 1e-12, "{own_cores}");
    }

    #[test]
    fn the_limit_is_relative_to_the_cores_and_to_who_computes() {
        // In hundredths of a core.
        let limit = |computes: Computes, cores, own_cores| (computes.limit_cores(cores, own_cores) * 100.0).round() as u64;
        assert_eq!([1.0, 2.0, 64.0].map(|cores| limit(Computes::OnHost, cores, cores)), [15, 15, 480]);
        // A device's driver that waits keeps one core busy at most.
        assert_eq!([2.0, 64.0].map(|cores| limit(Computes::OnDevice, cores, 1.0)), [80, 2560]);
        // One that keeps more of them busy computes on the host, whatever it calls itself.
        assert_eq!([2.0, 64.0].map(|cores| limit(Computes::OnDevice, cores, 1.5)), [15, 480]);
        assert_eq!(Computes::OnDevice.of_both(Computes::OnHost), Computes::OnHost);
        assert_eq!(Computes::OnDevice.of_both(Computes::OnDevice), Computes::OnDevice);
    }

    /// A host that is loaded throughout is noted for a device, too: one that calls itself a GPU may be the processor.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_loaded_host_is_noted_for_a_device() {
        use super::{CpuGate, Gate as _};
        use std::time::{Duration, Instant};
        let _load = crate::testing::load::Load::begin(2, 120);
        let mut gate = CpuGate::of(Computes::OnDevice);
        gate.begin();
        let begun = Instant::now();
        // As a driver does that computes here: on every core.
        let cores = std::thread::available_parallelism().expect("cores").get();
        std::thread::scope(|scope| {
            for _ in 0..cores {
                scope.spawn(|| while begun.elapsed() < Duration::from_millis(500) {});
            }
        });
        let (others, wall) = (gate.others_ns().expect("Linux tells") as f64, begun.elapsed().as_nanos() as f64);
        assert!(others > gate.limit_cores() * wall, "{} cores of others, {} allowed", others / wall, gate.limit_cores());
    }

    /// Another process of ours that computes is no other program, neither while it runs nor once it has ended.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_time_of_our_children_is_ours() {
        use super::linux::ticks_of_companions;
        use std::process::{Command, Stdio};
        let begun = Ticks::now().expect("Linux tells");
        let companions = ticks_of_companions();
        let loops = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo done; read end";
        let mut child = Command::new("sh").args(["-c", loops]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a shell");
        let mut told = String::new();
        let mut output = std::io::BufReader::new(child.stdout.take().expect("piped"));
        std::io::BufRead::read_line(&mut output, &mut told).expect("it says when it has computed");
        let while_it_runs = ticks_of_companions();
        assert!(while_it_runs > companions, "{while_it_runs} ticks, {companions} before");
        drop(child.stdin.take());
        child.wait().expect("it ends");
        let now = Ticks::now().expect("Linux tells");
        assert!(now.companions > begun.companions, "{now:?} after {begun:?}");
    }

    #[test]
    fn children_of_the_first_process_are_others_and_it_itself_may_be_ours() {
        let children_of = |processes: &[u32]| processes.iter().flat_map(|process| [process * 10, process * 10 + 1]).collect();
        let companions = |asker| companions_of(20, asker, children_of).into_iter().collect::<Vec<_>>();
        assert_eq!(companions(None), [200, 201]);
        // The asker's other child is a worker, too.
        assert_eq!(companions(Some(2)), [2, 21, 200, 201]);
        assert_eq!(companions(Some(1)), [1, 200, 201]);
    }

    /// Where the system tells, this process's own work is seen and is not taken for that of others.
    #[test]
    fn own_work_is_seen_and_is_our_own() {
        use super::{CpuGate, Gate as _};
        use std::time::{Duration, Instant};
        let Some(before) = Ticks::now() else {
            #[cfg(any(target_os = "linux", target_os = "macos", windows))]
            panic!("this system tells");
            #[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
            return;
        };
        let mut gate = CpuGate::of(Computes::OnHost);
        gate.begin();
        let begun = Instant::now();
        while Ticks::now().expect("it told before").own - before.own < 20 {
            assert!(begun.elapsed() < Duration::from_mins(1), "{before:?}");
        }
        let now = Ticks::now().expect("it told before");
        assert!(gate.others_ns().is_some() && now.busy - before.busy + 2 >= 20, "{before:?} {now:?}");
    }
}
