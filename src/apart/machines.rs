//! This machine with others: one list of devices, and each question to the machine whose device it is about.
//!
//! CPU competitors run here. Other machines are asked beside: one that is slow to answer, or does not, keeps nobody waiting.

use super::ask::Apart;
use super::launch::Ssh;
use crate::compiled::Compiled;
use crate::device::{DeviceInfo, NoDevice};
use crate::engine::{Backend, Compared, Executed, Proof, Scanned, Simulated, Target, Task, Verified};
use crate::error::{Error, ErrorKind, Result};
use crate::measure::Progress;
use crate::model::{Budget, Record, Roofs};
use crate::texts::failed;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// Called on another thread once a machine has answered: then [`Backend::arrived`] has something to tell.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// What another machine said to the question of that number.
struct Answered {
    question: u64,
    machine: Apart,
    found: std::result::Result<Vec<DeviceInfo>, NoDevice>,
}

/// A machine that has not answered yet.
struct Awaited {
    host: String,
    question: u64,
    /// This program is copied there first.
    copies: bool,
}

/// A machine that has no devices for us.
struct Refused {
    host: String,
    why: String,
    lacks_program: bool,
}

/// Engines on several machines.
pub struct Machines {
    here: Apart,
    /// How many devices this machine has: the first ones of the list.
    devices_here: usize,
    /// Those that answered, each with how many devices it has: they follow in the list.
    others: Vec<(Apart, usize)>,
    awaited: Vec<Awaited>,
    refused: Vec<Refused>,
    hosts: Vec<String>,
    ssh: Ssh,
    /// How many questions were asked so far.
    questions: u64,
    tell: Sender<Answered>,
    told: Receiver<Answered>,
    wake: Wake,
}

impl Machines {
    /// This machine alone, until others are wanted.
    #[must_use]
    pub fn new(wake: Wake) -> Self {
        Self::by_ssh(Ssh::default(), Apart::new(), wake)
    }

    /// The same, with other machines reached in a way of one's own.
    #[must_use]
    pub fn by_ssh(ssh: Ssh, here: Apart, wake: Wake) -> Self {
        let (tell, told) = channel();
        let (others, awaited, refused, hosts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { here, devices_here: 0, others, awaited, refused, hosts, ssh, questions: 0, tell, told, wake }
    }

    /// Asks a machine for its devices, on a thread of its own, with `copies` once this program was copied there. One that is asked already is not asked again,
    /// unless it was asked without a copy before: then that answer is waited for no more.
    fn ask_host(&mut self, host: &str, copies: bool) {
        if self.awaited.iter().any(|awaited| awaited.host == host && (awaited.copies || !copies)) {
            return;
        }
        self.awaited.retain(|awaited| awaited.host != host);
        self.refused.retain(|refused| refused.host != host);
        self.questions += 1;
        let (question, ssh, host) = (self.questions, self.ssh.clone(), host.to_owned());
        let asked = thread::Builder::new().name("ssh".to_owned()).spawn({
            let (host, tell, wake) = (host.clone(), self.tell.clone(), Arc::clone(&self.wake));
            move || {
                let mut machine = Apart::by_ssh(&ssh, &host);
                let copied = if copies { machine.install(&ssh).map(drop) } else { Ok(()) };
                let found = copied.map_err(|error| NoDevice::Unreachable(Box::new(error))).and_then(|()| machine.rescan());
                // Asked here, where it keeps nobody waiting; asked again it is known.
                for device in 0..found.as_ref().map_or(0, Vec::len) {
                    let _ = machine.known_roofs(device, &());
                }
                if tell.send(Answered { question, machine, found }).is_ok() {
                    wake();
                }
            }
        });
        match asked {
            Ok(_) => self.awaited.push(Awaited { host, question, copies }),
            Err(error) => {
                let why = failed("errors.apart.not-reached", &[("host", &host), ("why", &error)]).to_string();
                self.refused.push(Refused { host, why, lacks_program: false });
            }
        }
    }

    /// A machine has no devices for us.
    fn refuse(&mut self, host: String, why: &NoDevice) {
        let (why, lacks_program) = match why {
            NoDevice::Unreachable(error) => (error.to_string(), error.kind == ErrorKind::NoProgram),
            missing => {
                let why = crate::device::install_help(missing).into_error().why;
                (failed("errors.apart.no-device-there", &[("host", &host), ("why", &why)]).to_string(), false)
            }
        };
        self.refused.push(Refused { host, why, lacks_program });
    }

    /// Which of the other machines has the device of this number; `None`: this one, or there is no such device.
    fn other_with(&self, device: usize) -> Option<usize> {
        let mut first = self.devices_here;
        let has_it = |(_, count): &(Apart, usize)| {
            let devices = first..first + count;
            first = devices.end;
            devices.contains(&device)
        };
        self.others.iter().position(has_it)
    }

    /// Which of the other machines a target is on.
    fn other_of(&self, target: &Target) -> Option<usize> {
        match target {
            Target::Cpu(_) => None,
            Target::Device { index, .. } => self.other_with(*index),
        }
    }

    /// That one of the other machines, or this one.
    fn at(&mut self, other: Option<usize>) -> &mut Apart {
        match other.and_then(|other| self.others.get_mut(other)) {
            Some((other, _)) => other,
            None => &mut self.here,
        }
    }

    fn of(&mut self, task: &Task) -> &mut Apart {
        self.at(self.other_of(&task.target))
    }

    fn of_device(&mut self, device: usize) -> &mut Apart {
        self.at(self.other_with(device))
    }
}

impl Backend for Machines {
    fn rescan(&mut self) -> std::result::Result<Vec<DeviceInfo>, NoDevice> {
        let others = std::mem::take(&mut self.others);
        // They may take a while to end, or never do by themselves. Where the system refuses a thread they are waited for.
        let _ = thread::Builder::new().name("ssh's end".to_owned()).spawn(move || drop(others));
        self.refused.clear();
        // A copy that is under way goes on, and its machine answers then.
        let hosts = self.hosts.clone();
        self.awaited.retain(|awaited| awaited.copies && hosts.contains(&awaited.host));
        for host in &hosts {
            self.ask_host(host, false);
        }
        let found = self.here.rescan();
        self.devices_here = found.as_ref().map_or(0, Vec::len);
        found
    }

    fn set_hosts(&mut self, hosts: &[String]) {
        self.hosts = hosts.to_vec();
    }

    fn copy_to(&mut self, hosts: &[String]) {
        for host in hosts {
            // It may have been taken out of the list since.
            if self.hosts.contains(host) {
                self.ask_host(host, true);
            }
        }
    }

    fn arrived(&mut self) -> Vec<DeviceInfo> {
        let mut arrived = Vec::new();
        while let Ok(Answered { question, mut machine, found }) = self.told.try_recv() {
            // It may not be wanted any more.
            let Some(place) = self.awaited.iter().position(|awaited| awaited.question == question) else { continue };
            let awaited = self.awaited.remove(place);
            match found {
                Ok(_) => {
                    let first = self.devices_here + self.others.iter().map(|(_, count)| count).sum::<usize>();
                    let devices = machine.listed_from(first);
                    self.others.push((machine, devices.len()));
                    arrived.extend(devices);
                }
                Err(why) => self.refuse(awaited.host, &why),
            }
        }
        arrived
    }

    fn has_other_devices(&self) -> bool {
        // Those of another machine are looked for when the person says so: it could keep this one at it.
        self.here.has_other_devices()
    }

    fn scanned(&self) -> Scanned {
        let machines = std::iter::once(&self.here).chain(self.others.iter().map(|(other, _)| other));
        let refused = self.refused.iter().map(|refused| refused.why.clone());
        let hosts = |copies: bool| {
            let asked = self.awaited.iter().filter(|awaited| awaited.copies == copies);
            asked.map(|awaited| awaited.host.clone()).collect()
        };
        Scanned {
            problems: machines.flat_map(|machine| machine.scanned().problems).chain(refused).collect(),
            confinement: self.here.scanned().confinement,
            awaited: hosts(false),
            copying: hosts(true),
            without_program: self.refused.iter().filter(|refused| refused.lacks_program).map(|refused| refused.host.clone()).collect(),
        }
    }

    fn carried(&self, device: usize) -> Option<(u64, u64)> {
        let (other, _) = self.others.get(self.other_with(device)?)?;
        Some(Apart::carried(other))
    }

    fn execute(&mut self, task: &Task, progress: &dyn Progress) -> Result<Executed> {
        self.of(task).execute(task, progress)
    }

    fn verify(&mut self, task: &Task, executed: &Executed, progress: &dyn Progress) -> Result<Verified> {
        self.of(task).verify(task, executed, progress)
    }

    fn measure(&mut self, proof: &Proof, budget: Budget, progress: &dyn Progress) -> Result<Record> {
        self.of(proof.task()).measure(proof, budget, progress)
    }

    fn glance(&mut self, proof: &Proof, progress: &dyn Progress) -> Result<f64> {
        self.of(proof.task()).glance(proof, progress)
    }

    fn refused(&mut self, task: &Task, why: &Error) -> Record {
        self.of(task).refused(task, why)
    }

    fn compare(&mut self, first: &Proof, second: &Proof, budget: Budget, progress: &dyn Progress) -> Result<Compared> {
        let [one, other] = [first, second].map(|proof| self.other_of(&proof.task().target));
        if one != other {
            return Err(failed("errors.apart.two-machines", &[]));
        }
        self.of(first.task()).compare(first, second, budget, progress)
    }

    fn compiled(&mut self, task: &Task, progress: &dyn Progress) -> Result<Arc<Compiled>> {
        self.of(task).compiled(task, progress)
    }

    fn note_code(&mut self, task: &Task, progress: &dyn Progress) -> Result<()> {
        self.of(task).note_code(task, progress)
    }

    fn simulate(&mut self, task: &Task, progress: &dyn Progress) -> Result<Simulated> {
        // The simulator runs here, whatever the device.
        self.here.simulate(task, progress)
    }

    fn known_roofs(&mut self, device: usize, progress: &dyn Progress) -> Option<Arc<Roofs>> {
        self.of_device(device).known_roofs(device, progress)
    }

    fn measure_roofs(&mut self, device: usize, progress: &dyn Progress) -> Result<Arc<Roofs>> {
        self.of_device(device).measure_roofs(device, progress)
    }

    fn tidy(&mut self) -> bool {
        // Another machine's worker saves what it built by itself, at its end; those that comparisons were repeated in have come to it.
        for (other, _) in &mut self.others {
            other.end_starts();
        }
        self.here.tidy()
    }

    fn objects_created(&mut self) -> u64 {
        self.here.objects_created() + self.others.iter_mut().map(|(other, _)| other.objects_created()).sum::<u64>()
    }

    fn prove(&mut self, task: &Task, progress: &dyn Progress) -> Result<Proof> {
        self.of(task).prove(task, progress)
    }
}

#[cfg(test)]
mod tests {
    use super::{Apart, Machines};
    use crate::engine::{Backend as _, Target};
    use crate::model::{CpuEngine, HostMemory, LocalSize, Variant};
    use std::sync::Arc;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn a_device_is_found_with_the_machine_that_has_it() {
        let mut machines = Machines::new(Arc::new(|| {}));
        machines.devices_here = 2;
        machines.others = vec![(Apart::new(), 1), (Apart::new(), 3)];
        assert_eq!([0, 1, 2, 3, 5, 6].map(|device| machines.other_with(device)), [None, None, Some(0), Some(1), Some(1), None]);
        let target = Target::Device { index: 2, variant: Variant::naive(), local: LocalSize::Driver, host_memory: HostMemory::Copy };
        assert_eq!([machines.other_of(&target), machines.other_of(&Target::Cpu(CpuEngine::Simd))], [Some(0), None]);
    }

    #[test]
    fn a_machine_that_cannot_be_reached_keeps_nobody_waiting_and_is_told() {
        let (tell, told) = channel();
        let mut machines = Machines::new(Arc::new(move || assert!(tell.send(()).is_ok())));
        // No name of a machine: ssh itself refuses it.
        machines.set_hosts(&["not a host".to_owned()]);
        let _ = machines.rescan();
        let here = machines.scanned().problems.len();
        assert_eq!(machines.scanned().awaited, ["not a host"]);
        told.recv_timeout(Duration::from_mins(1)).expect("it is told");
        assert!(machines.arrived().is_empty());
        let scanned = machines.scanned();
        let problems = &scanned.problems;
        assert!(scanned.awaited.is_empty() && scanned.without_program.is_empty());
        assert!(problems.len() == here + 1 && problems.last().is_some_and(|problem| problem.contains("not a host")), "{problems:?}");
        assert_eq!(machines.carried(0), None);
    }
}
