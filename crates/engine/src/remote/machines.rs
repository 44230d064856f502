//! This machine with others: one list of devices, and each question to the machine whose device it is about.
//!
//! CPU competitors run here. Other machines are asked beside: one that is slow to answer, or does not, keeps nobody waiting.

use super::ask::Remote;
use super::launch::Ssh;
use crate::device::{DeviceInfo, NoDevice};
use crate::{Backend, Reply, Request, Scanned};
use base::error::{ErrorKind, Result};
use base::texts::failed;
use model::measure::Progress;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// Called on another thread once a machine has answered: then [`Request::Arrived`] has something to tell.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// What another machine said to the question of that number.
struct Answered {
    question: u64,
    machine: Remote,
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
    here: Remote,
    /// How many devices this machine has: the first ones of the list.
    devices_here: usize,
    /// Those that answered, each with how many devices it has: they follow in the list.
    others: Vec<(Remote, usize)>,
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
        Self::by_ssh(Ssh::default(), Remote::new(), wake)
    }

    /// The same, with other machines reached in a way of one's own.
    #[must_use]
    pub fn by_ssh(ssh: Ssh, here: Remote, wake: Wake) -> Self {
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
                let mut machine = Remote::by_ssh(&ssh, &host);
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

    /// Which of the other machines has the device of this number, and the number of its first one; `None`: this one, or there is no such device.
    fn other_with(&self, device: usize) -> Option<(usize, usize)> {
        let mut end = self.devices_here;
        self.others.iter().enumerate().find_map(|(other, (_, count))| {
            let first = end;
            end += count;
            (first..end).contains(&device).then_some((other, first))
        })
    }

    /// Asks the machine whose devices it is about, which has its own numbers for them.
    fn forward(&mut self, mut request: Request, progress: &dyn Progress) -> Result<Reply> {
        let devices = request.devices_mut();
        let mut others = devices.iter().map(|device| device.as_deref().and_then(|device| self.other_with(*device)));
        let other = others.next().flatten();
        if others.any(|another| another != other) {
            return Err(failed("errors.apart.two-machines", &[]));
        }
        let Some((other, first)) = other else { return self.here.ask(request, progress) };
        devices.into_iter().flatten().for_each(|device| *device -= first);
        match self.others.get_mut(other) {
            Some((machine, _)) => machine.ask(request, progress),
            None => self.here.ask(request, progress),
        }
    }

    fn rescanned(&mut self, hosts: Vec<String>) -> std::result::Result<Vec<DeviceInfo>, NoDevice> {
        self.hosts = hosts;
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

    /// Those that answered since this was asked last.
    fn newly_arrived(&mut self) -> Vec<DeviceInfo> {
        let mut arrived = Vec::new();
        while let Ok(Answered { question, machine, found }) = self.told.try_recv() {
            // It may not be wanted any more.
            let Some(place) = self.awaited.iter().position(|awaited| awaited.question == question) else { continue };
            let awaited = self.awaited.remove(place);
            match found {
                Ok(_) => {
                    let first = self.devices_here + self.others.iter().map(|(_, count)| count).sum::<usize>();
                    let devices = machine.listed();
                    self.others.push((machine, devices.len()));
                    arrived.extend(devices.into_iter().map(|info| DeviceInfo { index: first + info.index, ..info }));
                }
                Err(why) => self.refuse(awaited.host, &why),
            }
        }
        arrived
    }

    fn met(&self) -> Scanned {
        let here = self.here.met();
        let others = self.others.iter().flat_map(|(other, _)| other.met().problems);
        let refused = self.refused.iter().map(|refused| refused.why.clone());
        let hosts = |copies: bool| {
            let asked = self.awaited.iter().filter(|awaited| awaited.copies == copies);
            asked.map(|awaited| awaited.host.clone()).collect()
        };
        Scanned {
            problems: here.problems.into_iter().chain(others).chain(refused).collect(),
            awaited: hosts(false),
            copying: hosts(true),
            without_program: self.refused.iter().filter(|refused| refused.lacks_program).map(|refused| refused.host.clone()).collect(),
            // Other devices of another machine are looked for when the person says so: it could keep this one at it.
            ..here
        }
    }
}

impl Backend for Machines {
    fn ask(&mut self, request: Request, progress: &dyn Progress) -> Result<Reply> {
        Ok(match request {
            Request::Rescan(hosts) => Reply::Devices(self.rescanned(hosts), self.met()),
            Request::Arrived => Reply::Devices(Ok(self.newly_arrived()), self.met()),
            Request::Scanned => Reply::Scanned(self.met()),
            Request::CopyTo(hosts) => {
                // One may have been taken out of the list since.
                for host in hosts.iter().filter(|host| self.hosts.contains(host)).cloned().collect::<Vec<_>>() {
                    self.ask_host(&host, true);
                }
                Reply::Scanned(self.met())
            }
            Request::Carried(device) => {
                let other = self.other_with(device).and_then(|(other, _)| self.others.get(other));
                Reply::Carried(other.map(|(other, _)| Remote::carried(other)))
            }
            Request::Tidy => {
                // Another machine's worker saves what it built by itself, at its end; those that comparisons were repeated in have come to it.
                self.others.iter_mut().for_each(|(other, _)| other.end_starts());
                Reply::Tidied(self.here.tidy())
            }
            Request::ObjectsCreated => {
                Reply::Objects(self.here.objects_created() + self.others.iter_mut().map(|(other, _)| other.objects_created()).sum::<u64>())
            }
            // The simulator runs here, whatever the device.
            Request::Simulate(_) => return self.here.ask(request, progress),
            request => return self.forward(request, progress),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Machines, Remote};
    use crate::{Backend as _, Build, PictureRef, Proven, Target, Task};
    use model::{Budget, Channels, CpuEngine, HostMemory, LocalSize, Variant, Verification};
    use std::sync::Arc;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn a_device_is_found_with_the_machine_that_has_it() {
        let mut machines = Machines::new(Arc::new(|| {}));
        machines.devices_here = 2;
        machines.others = vec![(Remote::new(), 1), (Remote::new(), 3)];
        let machine_of = |device| machines.other_with(device).map(|(other, _)| other);
        assert_eq!([0, 1, 2, 3, 5, 6].map(machine_of), [None, None, Some(0), Some(1), Some(1), None]);
        assert_eq!(machines.other_with(5), Some((1, 3)), "by its first device's number");
    }

    #[test]
    fn two_on_different_machines_are_not_compared() {
        let mut machines = Machines::new(Arc::new(|| {}));
        (machines.devices_here, machines.others) = (1, vec![(Remote::new(), 1)]);
        let on = |index| Target::Device { index, variant: Variant::naive(), local: LocalSize::Driver, host_memory: HostMemory::Copy };
        let picture = PictureRef::generated((4, 4), Channels::Gray);
        let right = Verification {
            differing_pixels: 0,
            total_pixels: 16,
            max_difference: 0,
            first_differing: None,
            tolerance: 0,
            ..Verification::default()
        };
        let proof = |target| {
            let proven = Proven { verification: right, build: Build::default(), kernel_ns: None };
            proven.of_task(Task::new(picture.clone(), target)).expect("right")
        };
        for (first, second) in [(on(0), on(1)), (Target::Cpu(CpuEngine::Simd), on(1)), (on(1), Target::Cpu(CpuEngine::Simd))] {
            let refused = machines.compare(&proof(first), &proof(second), Budget::GLANCE, &()).expect_err("on two machines");
            assert!(refused.what.contains("not compared"), "{refused}");
        }
    }

    #[test]
    fn a_machine_that_cannot_be_reached_keeps_nobody_waiting_and_is_told() {
        let (tell, told) = channel();
        let mut machines = Machines::new(Arc::new(move || assert!(tell.send(()).is_ok())));
        // No name of a machine: ssh itself refuses it.
        let _ = machines.rescan_with(&["not a host".to_owned()]);
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
