//! What to install where OpenCL, or a device for it, is missing.

use super::NoDevice;
use base::error::Error;
use base::texts::{filled, joined, text};
use std::fmt::Display;

/// What is missing, and how to fix it on each system; the present one first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstallHelp {
    /// What was looked for and not found, in one sentence without a full stop.
    pub headline: String,
    /// Why, in the driver's own words or ours.
    pub why: String,
    /// One for each system, the present one first.
    pub steps: Vec<InstallStep>,
}

/// How to fix it on one system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstallStep {
    /// "Debian, Ubuntu", …
    pub system: String,
    /// A command to paste into a terminal; `None` where it takes more than one.
    pub command: Option<String>,
    /// What to do, or what else there is, in words.
    pub hint: String,
}

impl InstallHelp {
    /// The same as an error: the present system's step is what to do.
    #[must_use]
    pub fn into_error(self) -> Error {
        let remedy = self.steps.first().map_or_else(String::new, |step| match &step.command {
            Some(command) => {
                let values: [(&str, &dyn Display); 3] = [("system", &step.system), ("command", command), ("hint", &step.hint)];
                filled("errors.install.step-with-command", &values)
            }
            None => filled("errors.install.step", &[("system", &step.system), ("hint", &step.hint)]),
        });
        Error::failed(self.headline, self.why, remedy)
    }
}

/// How to fix `missing`, the present system first.
#[must_use]
pub fn install_help(missing: &NoDevice) -> InstallHelp {
    let (headline, why) = match missing {
        NoDevice::Unreachable(error) => {
            let step = InstallStep { system: text("errors.install.repair").to_owned(), command: None, hint: error.remedy.clone() };
            return InstallHelp { headline: error.what.clone(), why: error.why.clone(), steps: vec![step] };
        }
        NoDevice::NoLoader => ("errors.install.no-loader.what", text("errors.install.no-loader.why").to_owned()),
        NoDevice::NoDriver => ("errors.install.no-driver.what", text("errors.install.no-driver.why").to_owned()),
        NoDevice::NoPlatform(complaints) => ("errors.install.no-platform.what", joined("words.list.clauses", complaints.iter().cloned())),
        NoDevice::DriverFailed(words) => ("errors.install.no-device.what", words.clone()),
    };
    let mut systems: Vec<&System> = SYSTEMS.iter().collect();
    let present = present_system();
    systems.sort_by_key(|system| system.id != present);
    let is_repair = matches!(missing, NoDevice::NoPlatform(_) | NoDevice::DriverFailed(_));
    let repair = is_repair.then(|| InstallStep {
        system: text("errors.install.repair").to_owned(),
        command: None,
        hint: text(REPAIR_HINT).to_owned(),
    });
    let install = systems.into_iter().map(|system| InstallStep {
        system: text(system.name).to_owned(),
        command: system.packages.as_ref().map(|packages| match missing {
            NoDevice::NoLoader => format!("{} {} {}", packages.install, packages.loader, packages.driver),
            _ => format!("{} {}", packages.install, packages.driver),
        }),
        hint: text(system.hint).to_owned(),
    });
    InstallHelp { headline: text(headline).to_owned(), why, steps: repair.into_iter().chain(install).collect() }
}

/// How a driver that is there is repaired on this system.
const REPAIR_HINT: &str = if cfg!(windows) {
    "errors.install.repair-hint-windows"
} else if cfg!(target_os = "macos") {
    "errors.install.repair-hint-macos"
} else {
    "errors.install.repair-hint"
};

/// A row of the table below.
struct System {
    id: SystemId,
    /// The key of its name.
    name: &'static str,
    /// Where it takes one command.
    packages: Option<Packages>,
    /// The key of what to do, or of what else there is.
    hint: &'static str,
}

/// What the command installs.
struct Packages {
    /// The command without a package.
    install: &'static str,
    loader: &'static str,
    /// Runs on the processor, and so everywhere.
    driver: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SystemId {
    Debian,
    Fedora,
    Arch,
    Windows,
    MacOs,
    Other,
}

/// A driver for the processor, which works everywhere; GPUs by their vendors' drivers.
static SYSTEMS: [System; 5] = [
    System {
        id: SystemId::Debian,
        name: "errors.install.debian",
        packages: Some(Packages { install: "sudo apt install", loader: "ocl-icd-libopencl1", driver: "pocl-opencl-icd" }),
        hint: "errors.install.debian-hint",
    },
    System {
        id: SystemId::Fedora,
        name: "errors.install.fedora",
        packages: Some(Packages { install: "sudo dnf install", loader: "ocl-icd", driver: "pocl" }),
        hint: "errors.install.fedora-hint",
    },
    System {
        id: SystemId::Arch,
        name: "errors.install.arch",
        packages: Some(Packages { install: "sudo pacman -S", loader: "ocl-icd", driver: "pocl" }),
        hint: "errors.install.arch-hint",
    },
    System { id: SystemId::Windows, name: "errors.install.windows", packages: None, hint: "errors.install.windows-hint" },
    System { id: SystemId::MacOs, name: "errors.install.macos", packages: None, hint: "errors.install.macos-hint" },
];

/// The system that this runs on. On Linux by /etc/os-release, where a derived system names what it is like.
fn present_system() -> SystemId {
    if cfg!(target_os = "windows") {
        return SystemId::Windows;
    }
    if cfg!(target_os = "macos") {
        return SystemId::MacOs;
    }
    std::fs::read_to_string("/etc/os-release").map_or(SystemId::Other, |text| linux_system(&text))
}

/// The family of Linux that os-release's `text` names.
fn linux_system(text: &str) -> SystemId {
    let values = text.lines().filter_map(|line| line.strip_prefix("ID=").or_else(|| line.strip_prefix("ID_LIKE=")));
    for word in values.flat_map(|value| value.trim_matches('"').split_whitespace()) {
        match word {
            "debian" | "ubuntu" => return SystemId::Debian,
            "fedora" | "rhel" | "centos" => return SystemId::Fedora,
            "arch" => return SystemId::Arch,
            _ => {}
        }
    }
    SystemId::Other
}

#[cfg(test)]
mod tests {
    use super::{SystemId, install_help, linux_system};
    use crate::device::NoDevice;

    #[test]
    fn missing_loader_and_missing_driver_are_two_messages_with_two_commands() {
        let (loader, driver) = (install_help(&NoDevice::NoLoader), install_help(&NoDevice::NoDriver));
        assert_ne!(loader.headline, driver.headline);
        assert_eq!((loader.steps.len(), driver.steps.len()), (5, 5));
        let command = |help: &super::InstallHelp| {
            help.steps.iter().find(|step| step.system.starts_with("Debian")).and_then(|step| step.command.clone())
        };
        assert_eq!(command(&loader).as_deref(), Some("sudo apt install ocl-icd-libopencl1 pocl-opencl-icd"));
        assert_eq!(command(&driver).as_deref(), Some("sudo apt install pocl-opencl-icd"));
    }

    #[test]
    fn a_silent_driver_is_repaired_before_another_is_installed() {
        let silent = ["a.icd offers no platform", "b.icd cannot be opened"].map(str::to_owned).to_vec();
        let help = install_help(&NoDevice::NoPlatform(silent));
        assert_eq!(help.why, "a.icd offers no platform; b.icd cannot be opened");
        assert!(help.headline != install_help(&NoDevice::NoDriver).headline && help.steps.len() == 6);
        assert!(help.into_error().remedy.contains("POCL_CACHE_DIR"));
    }

    #[test]
    fn a_failing_driver_is_quoted() {
        assert_eq!(install_help(&NoDevice::DriverFailed("no GPU".to_owned())).into_error().why, "no GPU");
    }

    #[test]
    fn systems_are_known_by_what_they_are_like() {
        assert!(linux_system("NAME=x\nID=debian\n") == SystemId::Debian);
        assert!(linux_system("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n") == SystemId::Debian);
        assert!(linux_system("ID=nobara\nID_LIKE=\"rhel centos fedora\"\n") == SystemId::Fedora);
        assert!(linux_system("ID=manjaro\nID_LIKE=arch\n") == SystemId::Arch);
        assert!(linux_system("ID=nixos\n") == SystemId::Other);
    }
}
