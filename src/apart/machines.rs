//! This machine with others: one list of devices, and each question to the machine whose device it is about.
//!
//! CPU competitors run here. Other machines are asked beside: one that is slow to answer, or does not, keeps nobody waiting.

use super::ask::Apart;
use crate::compiled::Compiled;
use crate::device::{DeviceInfo, NoDevice};
use crate::engine::{Backend, Compared, Executed, Proof, Simulated, Target, Task, Verified};
use crate::error::{Error, Result};
use crate::measure::Progress;
use crate::model::{Budget, Record, Roofs};
use crate::texts::failed;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// Called on another thread once a machine has answered: then [`Backend::arrived`] has something to tell.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// What another machine said to the scan of that number.
struct Answered {
    scan: u64,
    machine: Apart,
    found: std::result::Result<Vec<DeviceInfo>, NoDevice>,
}

/// Engines on several machines.
pub struct Machines {
    /// This machine, then those that answered.
    engines: Vec<Apart>,
    /// How many devices each of them has.
    counts: Vec<usize>,
    hosts: Vec<String>,
    problems: Vec<String>,
    scan: u64,
    tell: Sender<Answered>,
    told: Receiver<Answered>,
    wake: Wake,
}

impl Machines {
    /// This machine alone, until others are wanted.
    #[must_use]
    pub fn new(wake: Wake) -> Self {
        let (tell, told) = channel();
        Self { engines: vec![Apart::new()], counts: vec![0], hosts: Vec::new(), problems: Vec::new(), scan: 0, tell, told, wake }
    }

    /// Asks each of the other machines, on a thread of its own.
    fn ask_others(&mut self) {
        for host in &self.hosts {
            let (host, scan, tell, wake) = (host.clone(), self.scan, self.tell.clone(), Arc::clone(&self.wake));
            let asked = thread::Builder::new().name("ssh".to_owned()).spawn({
                let host = host.clone();
                move || {
                    let mut machine = Apart::on_host(&host);
                    let found = machine.rescan();
                    if tell.send(Answered { scan, machine, found }).is_ok() {
                        wake();
                    }
                }
            });
            if let Err(error) = asked {
                self.problems.push(failed("errors.apart.not-reached", &[("host", &host), ("why", &error)]).to_string());
            }
        }
    }

    /// The machine that has the device of this number; this one where none has.
    fn of_device(&mut self, device: usize) -> Option<&mut Apart> {
        let machine = self.machine_of(device);
        self.engines.get_mut(machine)
    }

    fn machine_of(&self, device: usize) -> usize {
        let mut first = 0;
        let is_behind = |count: &usize| {
            first += count;
            device < first
        };
        self.counts.iter().position(is_behind).unwrap_or(0)
    }

    fn machine_of_target(&self, target: &Target) -> usize {
        match target {
            Target::Cpu(_) => 0,
            Target::Device { index, .. } => self.machine_of(*index),
        }
    }

    fn of(&mut self, task: &Task) -> Result<&mut Apart> {
        let machine = self.machine_of_target(&task.target);
        self.engines.get_mut(machine).ok_or_else(no_machine)
    }
}

fn no_machine() -> Error {
    failed("errors.engine.no-devices", &[])
}

impl Backend for Machines {
    fn rescan(&mut self) -> std::result::Result<Vec<DeviceInfo>, NoDevice> {
        self.engines.truncate(1);
        self.counts.truncate(1);
        self.problems.clear();
        self.scan += 1;
        self.ask_others();
        let found = self.engines.first_mut().map_or(Err(NoDevice::NoLoader), Apart::rescan);
        self.problems.extend(self.engines.first().into_iter().flat_map(|here| here.device_problems().iter().cloned()));
        self.counts = vec![found.as_ref().map_or(0, Vec::len)];
        found
    }

    fn set_hosts(&mut self, hosts: &[String]) {
        self.hosts = hosts.to_vec();
    }

    fn arrived(&mut self) -> Vec<DeviceInfo> {
        let mut arrived = Vec::new();
        while let Ok(Answered { scan, mut machine, found }) = self.told.try_recv() {
            // Others may be wanted by now.
            if scan != self.scan {
                continue;
            }
            match found {
                Ok(_) => {
                    let devices = machine.listed_from(self.counts.iter().sum());
                    self.counts.push(devices.len());
                    self.problems.extend(machine.device_problems().iter().cloned());
                    self.engines.push(machine);
                    arrived.extend(devices);
                }
                Err(NoDevice::Unreachable(error)) => self.problems.push(error.to_string()),
                Err(missing) => {
                    let why = crate::device::install_help(&missing).into_error();
                    let host = machine.host().unwrap_or_default().to_owned();
                    self.problems.push(failed("errors.apart.no-device-there", &[("host", &host), ("why", &why.why)]).to_string());
                }
            }
        }
        arrived
    }

    fn device_problems(&self) -> &[String] {
        &self.problems
    }

    fn carried(&self, device: usize) -> Option<(u64, u64)> {
        let machine = self.engines.get(self.machine_of(device))?;
        machine.host().map(|_| Apart::carried(machine))
    }

    fn execute(&mut self, task: &Task, progress: &dyn Progress) -> Result<Executed> {
        self.of(task)?.execute(task, progress)
    }

    fn verify(&mut self, task: &Task, executed: &Executed, progress: &dyn Progress) -> Result<Verified> {
        self.of(task)?.verify(task, executed, progress)
    }

    fn measure(&mut self, proof: &Proof, budget: Budget, progress: &dyn Progress) -> Result<Record> {
        self.of(proof.task())?.measure(proof, budget, progress)
    }

    fn glance(&mut self, proof: &Proof, progress: &dyn Progress) -> Result<f64> {
        self.of(proof.task())?.glance(proof, progress)
    }

    fn refused(&mut self, task: &Task, why: &Error) -> Record {
        let machine = self.machine_of_target(&task.target);
        match self.engines.get_mut(machine) {
            Some(machine) => machine.refused(task, why),
            None => Apart::new().refused(task, why),
        }
    }

    fn compare(&mut self, first: &Proof, second: &Proof, budget: Budget, progress: &dyn Progress) -> Result<Compared> {
        let [one, other] = [first, second].map(|proof| self.machine_of_target(&proof.task().target));
        if one != other {
            return Err(failed("errors.apart.two-machines", &[]));
        }
        self.of(first.task())?.compare(first, second, budget, progress)
    }

    fn compiled(&mut self, task: &Task) -> Result<Arc<Compiled>> {
        self.of(task)?.compiled(task)
    }

    fn simulate(&mut self, task: &Task, progress: &dyn Progress) -> Result<Simulated> {
        // The simulator runs here, whatever the device.
        self.engines.first_mut().ok_or_else(no_machine)?.simulate(task, progress)
    }

    fn known_roofs(&mut self, device: usize) -> Option<Arc<Roofs>> {
        self.of_device(device)?.known_roofs(device)
    }

    fn measure_roofs(&mut self, device: usize, progress: &dyn Progress) -> Result<Arc<Roofs>> {
        self.of_device(device).ok_or_else(no_machine)?.measure_roofs(device, progress)
    }

    fn tidy(&mut self) -> bool {
        // Another machine's worker saves what it built by itself, at its end.
        self.engines.first_mut().is_some_and(Apart::tidy)
    }

    fn objects_created(&mut self) -> u64 {
        self.engines.iter_mut().map(Apart::objects_created).sum()
    }

    fn prove(&mut self, task: &Task, progress: &dyn Progress) -> Result<Proof> {
        self.of(task)?.prove(task, progress)
    }
}

#[cfg(test)]
mod tests {
    use super::Machines;
    use crate::engine::{Backend as _, Target};
    use crate::model::{CpuEngine, HostMemory, LocalSize, Variant};
    use std::sync::Arc;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn a_device_is_found_with_the_machine_that_has_it() {
        let mut machines = Machines::new(Arc::new(|| {}));
        machines.counts = vec![2, 1, 3];
        let of = |index| machines.machine_of(index);
        assert_eq!([0, 1, 2, 3, 5, 6].map(of), [0, 0, 1, 2, 2, 0]);
        let target = Target::Device { index: 2, variant: Variant::naive(), local: LocalSize::Driver, host_memory: HostMemory::Copy };
        assert_eq!([machines.machine_of_target(&target), machines.machine_of_target(&Target::Cpu(CpuEngine::Simd))], [1, 0]);
    }

    #[test]
    fn a_machine_that_cannot_be_reached_keeps_nobody_waiting_and_is_told() {
        let (tell, told) = channel();
        let mut machines = Machines::new(Arc::new(move || assert!(tell.send(()).is_ok())));
        // No name of a machine: ssh itself refuses it.
        machines.set_hosts(&["not a host".to_owned()]);
        let _ = machines.rescan();
        let here = machines.device_problems().len();
        told.recv_timeout(Duration::from_mins(1)).expect("it is told");
        assert!(machines.arrived().is_empty());
        let problems = machines.device_problems();
        assert!(problems.len() == here + 1 && problems.last().is_some_and(|problem| problem.contains("not a host")), "{problems:?}");
        assert_eq!(machines.carried(0), None);
    }
}
