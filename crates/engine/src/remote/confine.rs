//! What a worker is kept from, by the system: a kernel is native code on a CPU device, and a driver is code of its vendor.
//!
//! Invariants:
//! - [`confine`] is called while the worker has one thread and has called no driver; all threads and programs that it starts later inherit it, and nothing takes it
//!   back.
//! - Files are written, made and removed, and devices are controlled, below `writable` alone (Landlock, Linux 5.13; without it nothing of files is restricted).
//!   Reading and executing stay free: drivers, their compilers and their linkers lie anywhere. Pipes that are open go on.
//! - No socket is made, no other process's memory is reached, and no signal goes to processes outside (seccomp; for signals Landlock of Linux 6.12).
//! - What goes to a worker as memory is handed over as an open file (see [`super::handed`]): Landlock keeps it from opening those of another process.
//! - The caches of drivers are those of the person's other programs, too, which believe what they find there: this keeps a kernel from files, not from a cache that is shared.
//! - What the system cannot do is told by the [`Confinement`] that is returned, never silently left out.
//!
//! `KERNEL_LADDER_CONFINE=0` switches it off, for a driver that needs a network or writes elsewhere.

use model::Confinement;

/// Confines this process so that it writes no files outside of `folder`, and has no network: for a program of a person's folder that was not written here.
pub fn confine_to(folder: &std::path::Path) -> Confinement {
    if std::env::var_os(CONFINE).is_some_and(|said| said == "0") {
        return Confinement::Off;
    }
    system::confine_to(folder)
}

/// The environment variable that switches it off.
const CONFINE: &str = "KERNEL_LADDER_CONFINE";

/// Confines this process for the rest of its life, as far as the system can. Called once, before the first thread and the first driver's code.
pub fn confine() -> Confinement {
    if std::env::var_os(CONFINE).is_some_and(|said| said == "0") {
        return Confinement::Off;
    }
    system::confine()
}

#[cfg(not(target_os = "linux"))]
mod system {
    use model::Confinement;

    /// Not written yet for this system.
    pub fn confine() -> Confinement {
        Confinement::Impossible
    }

    pub fn confine_to(_: &std::path::Path) -> Confinement {
        Confinement::Impossible
    }
}

#[cfg(target_os = "linux")]
mod system {
    use crate::device::driver_caches;
    use landlock::{
        ABI, Access as _, AccessFs, AccessNet, PathBeneath, PathFd, RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, RulesetStatus,
        Scope,
    };
    use model::Confinement;
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};
    use std::process::{Command, Stdio};

    /// The newest that this was written for. Of an older system's, what it knows is used.
    const NEWEST: ABI = ABI::V6;

    /// What begins like this in `/dev` is a device that computes, or none at all.
    const DEVICES: [&str; 15] =
        ["nvidia", "dri", "kfd", "accel", "dxg", "mali", "kgsl", "pvr", "galcore", "rknpu", "dma_heap", "ion", "udmabuf", "null", "zero"];

    /// Numbers of system calls from here on are those of the 32-bit way to call a 64-bit system, which has the same calls.
    #[cfg(target_arch = "x86_64")]
    const X32: i64 = 0x4000_0000;

    /// Has NVIDIA's devices made where they are missing. Its driver would start that program, which becomes root for it: a process that is confined cannot have that
    /// ([`Quirk::MakesDevices`](crate::device::Quirk)).
    fn make_nvidia_devices() {
        let helper = Path::new("/usr/bin/nvidia-modprobe");
        if helper.exists() && !["/dev/nvidiactl", "/dev/nvidia-uvm"].into_iter().all(|device| Path::new(device).exists()) {
            let mut command = Command::new(helper);
            command.args(["-c", "0", "-u"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            // Without such a device it fails, and there is nothing to be made.
            let _ = command.status();
        }
    }

    pub fn confine() -> Confinement {
        make_nvidia_devices();
        let keeps_files = keep_files(&writable()).is_ok_and(|status| status != RulesetStatus::NotEnforced);
        Confinement::of(keeps_files, keep_network().is_some())
    }

    pub fn confine_to(folder: &Path) -> Confinement {
        let writable = [folder.to_owned(), PathBuf::from("/dev/null")];
        let keeps_files = keep_files(&writable).is_ok_and(|status| status != RulesetStatus::NotEnforced);
        Confinement::of(keeps_files, keep_network().is_some())
    }

    /// Where a worker may write: folders of caches, made where they are missing, and devices.
    fn writable() -> Vec<PathBuf> {
        let caches = driver_caches();
        for folder in &caches {
            // One that cannot be made cannot be written either.
            let _ = std::fs::create_dir_all(folder);
        }
        let is_ours = |name: &std::ffi::OsStr| name.to_str().is_some_and(|name| DEVICES.iter().any(|device| name.starts_with(device)));
        let devices = std::fs::read_dir("/dev").into_iter().flatten().flatten().filter(|entry| is_ours(&entry.file_name()));
        caches.into_iter().chain(devices.map(|entry| entry.path())).collect()
    }

    fn keep_files(writable: &[PathBuf]) -> Result<RulesetStatus, RulesetError> {
        let writes = AccessFs::from_write(NEWEST);
        let mut rules = landlock::Ruleset::default()
            .handle_access(writes)?
            .handle_access(AccessNet::from_all(NEWEST))?
            .scope(Scope::from_all(NEWEST))?
            .create()?;
        for path in writable {
            let Ok(there) = PathFd::new(path) else { continue };
            let of_files = AccessFs::from_file(NEWEST);
            let access = if path.is_dir() { writes } else { writes & of_files };
            rules = rules.add_rule(PathBeneath::new(there, access))?;
        }
        Ok(rules.restrict_self()?.ruleset)
    }

    /// `None` where the system has no such filters.
    fn keep_network() -> Option<()> {
        // What makes a socket, by itself or by a queue of calls that no filter sees, and what reaches into other processes.
        let calls = [
            libc::SYS_socket,
            libc::SYS_io_uring_setup,
            libc::SYS_ptrace,
            libc::SYS_process_vm_readv,
            libc::SYS_process_vm_writev,
            libc::SYS_pidfd_getfd,
        ];
        let mut rules: BTreeMap<i64, Vec<_>> = calls.into_iter().map(|call| (call, Vec::new())).collect();
        #[cfg(target_arch = "x86_64")]
        rules.extend(calls.map(|call| (call + X32, Vec::new())));
        let arch = TargetArch::try_from(std::env::consts::ARCH).ok()?;
        let refuse = SeccompAction::Errno(libc::EACCES as u32);
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch).ok()?;
        let program = BpfProgram::try_from(filter).ok()?;
        seccompiler::apply_filter(&program).ok()
    }
}
