//! What a machine is and how it runs. Processor, device and driver must be the same for times to be held to each other; the power state and the versions are
//! told where they differ.
//!
//! A machine is known by its hardware and not by its name: machines of a fleet are alike, and a container has a new name each time.

use engine::device::DeviceInfo;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// What a machine was, and how it ran. What cannot be known is not there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Name of the processor; `None` of a machine over the network.
    pub cpu: Option<String>,
    /// Logical cores that the program may use.
    pub cores: Option<usize>,
    /// Version of this program.
    pub program: String,
    /// How it is powered.
    #[serde(default)]
    pub power: Power,
    /// Commit of the folder that it was measured in, with "-dirty" where files were changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// When, in RFC 3339, UTC.
    pub date: String,
    /// What a newer version added.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What decides how high clocks rise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Power {
    /// The frequency governor of the processor: "performance", "powersave".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub governor: Option<String>,
    /// Whether it runs on a battery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_battery: Option<bool>,
}

impl Power {
    /// As Linux tells it; nothing elsewhere.
    fn of_here() -> Self {
        Self::of(Path::new("/sys"))
    }

    /// As files below that folder tell it.
    pub(super) fn of(sys: &Path) -> Self {
        let word = |path: &Path| fs::read_to_string(path).ok().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let governor = word(&sys.join("devices/system/cpu/cpu0/cpufreq/scaling_governor"));
        let supplies = fs::read_dir(sys.join("class/power_supply")).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
        // A computer without a mains supply in the list, as most without a battery, tells nothing.
        let mains = supplies.filter(|supply| word(&supply.join("type")).as_deref() == Some("Mains"));
        let is_on: Vec<bool> = mains.filter_map(|supply| word(&supply.join("online"))).map(|online| online == "1").collect();
        Self { governor, on_battery: (!is_on.is_empty()).then(|| !is_on.contains(&true)) }
    }
}

impl Fingerprint {
    /// Of the machine that has these devices. Of one over the network no more is known than its devices.
    #[must_use]
    pub fn of(devices: &[DeviceInfo]) -> Self {
        let is_here = devices.iter().all(|device| device.host.is_none());
        Self {
            cpu: is_here.then(kernel_ladder_cpu::processor_name),
            cores: if is_here { std::thread::available_parallelism().ok().map(usize::from) } else { None },
            program: env!("CARGO_PKG_VERSION").to_owned(),
            power: if is_here { Power::of_here() } else { Power::default() },
            commit: commit(),
            date: engine::now(),
            other: Map::new(),
        }
    }
}

/// The commit of the current folder; `None` where it is of no repository, or there is no git.
fn commit() -> Option<String> {
    let mut git = Command::new("git");
    base::system::without_console(&mut git);
    // Tags are names that a person gave.
    git.args(["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]).env("GIT_OPTIONAL_LOCKS", "0");
    let output = git.stdin(Stdio::null()).stderr(Stdio::null()).output().ok().filter(|output| output.status.success())?;
    let commit = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    let is_commit =
        commit.trim_end_matches("-dirty").len() >= 40 && commit.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_commit.then_some(commit)
}
