//! Names of devices for people. Drivers write trade marks, clocks and parts of their own build into them, and some leave out who they are.

use super::{DeviceInfo, DeviceKind};
use base::texts::filled;

/// What drivers of the host's processor put before its name, each followed by the name of a microarchitecture (PoCL).
const DRIVER_PREFIXES: [&str; 3] = ["pthread-", "cpu-", "basic-"];

/// What says nothing.
const MARKS: [&str; 6] = ["(R)", "(r)", "(TM)", "(tm)", "®", "™"];

impl DeviceInfo {
    /// A short name for headings: "PoCL on Intel Xeon", "NVIDIA H200". The platform is left out where the name begins with the same word and the
    /// device is not the host's processor, which several platforms offer under one name.
    #[must_use]
    pub fn display_name(&self) -> String {
        let name = display_name(&self.platform, &self.name, self.kind);
        match &self.host {
            Some(host) => filled("words.device.on-host", &[("device", &name), ("host", host)]),
            None => name,
        }
    }

    /// Whether the device is this machine's own processor: the one that the CPU competitors run on.
    #[must_use]
    pub fn is_host_processor(&self) -> bool {
        self.kind == DeviceKind::Cpu && self.host.is_none()
    }
}

/// [`DeviceInfo::display_name`] of a device of which no more is known than this.
#[must_use]
pub fn display_name(platform: &str, name: &str, kind: DeviceKind) -> String {
    let (platform, name) = (short_platform(platform), short_device(name));
    let first_word = |text: &str| text.split_whitespace().next().unwrap_or_default().to_lowercase();
    if platform.is_empty() || (kind != DeviceKind::Cpu && first_word(&platform) == first_word(&name)) {
        name
    } else {
        format!("{platform} on {name}")
    }
}

fn short_platform(platform: &str) -> String {
    match platform {
        "Portable Computing Language" => "PoCL".to_owned(),
        "AMD Accelerated Parallel Processing" => "AMD".to_owned(),
        other => {
            let plain = without_marks(other);
            // "Intel CPU Runtime for OpenCL Applications", "ARM Platform".
            let own = plain.split(" for OpenCL").next().unwrap_or_default();
            own.trim_end_matches(" Platform").to_owned()
        }
    }
}

fn short_device(name: &str) -> String {
    let plain = without_marks(without_driver_prefix(name));
    // "@ 2.70GHz" and "(LLVM 15.0.6, 256 bits)".
    let own = plain.split([' ', '\t']).take_while(|word| *word != "@" && !word.starts_with('('));
    let words: Vec<&str> = own.filter(|word| !matches!(*word, "CPU" | "Processor") && !word.ends_with("-Core")).collect();
    if words.is_empty() { plain } else { words.join(" ") }
}

/// "pthread-skylake-avx512-Intel Xeon" without what stands before the processor's own name. Names of microarchitectures are in lower case and
/// without a blank; where nothing else follows, they stay.
fn without_driver_prefix(name: &str) -> &str {
    let Some(rest) = DRIVER_PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix)) else { return name };
    let is_own = |part: &str| part.contains(|letter: char| letter.is_uppercase() || letter.is_whitespace());
    let mut start = 0;
    for part in rest.split('-') {
        if is_own(part) {
            return rest.get(start..).unwrap_or(rest);
        }
        start += part.len() + 1;
    }
    rest
}

fn without_marks(text: &str) -> String {
    let plain = MARKS.iter().fold(text.to_owned(), |text, mark| text.replace(mark, " "));
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use crate::device::{DeviceInfo, DeviceKind};

    fn shown(platform: &str, name: &str, kind: DeviceKind) -> String {
        DeviceInfo { platform: platform.to_owned(), name: name.to_owned(), kind, ..DeviceInfo::example() }.display_name()
    }

    #[test]
    fn processors_are_named_with_the_platform_that_runs_on_them() {
        for (platform, name, expected) in [
            ("Portable Computing Language", "pthread-skylake-avx512-Intel(R) Xeon(R) Processor @ 2.70GHz", "PoCL on Intel Xeon"),
            ("Portable Computing Language", "pthread-skylake-avx512-AMD EPYC", "PoCL on AMD EPYC"),
            ("Portable Computing Language", "cpu-haswell-Intel(R) Core(TM) i7-4770 CPU @ 3.40GHz", "PoCL on Intel Core i7-4770"),
            ("Portable Computing Language", "cpu-alderlake-13th Gen Intel(R) Core(TM) i7-1360P", "PoCL on 13th Gen Intel Core i7-1360P"),
            ("Portable Computing Language", "pthread-znver3-AMD EPYC 7B13 64-Core Processor", "PoCL on AMD EPYC 7B13"),
            ("Portable Computing Language", "pthread-cortex-a72", "PoCL on cortex-a72"),
            ("Portable Computing Language", "pthread-AMD EPYC", "PoCL on AMD EPYC"),
            ("Intel(R) OpenCL", "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz", "Intel OpenCL on Intel Xeon Platinum 8481C"),
            ("Intel(R) CPU Runtime for OpenCL(TM) Applications", "Intel(R) Xeon(R) Processor", "Intel CPU Runtime on Intel Xeon"),
            ("rusticl", "llvmpipe (LLVM 15.0.6, 256 bits)", "rusticl on llvmpipe"),
        ] {
            assert_eq!(shown(platform, name, DeviceKind::Cpu), expected);
        }
    }

    #[test]
    fn a_makers_own_platform_is_not_named_twice() {
        for (platform, name, expected) in [
            ("NVIDIA CUDA", "NVIDIA H200", "NVIDIA H200"),
            ("Intel(R) OpenCL Graphics", "Intel(R) Arc(TM) A770 Graphics", "Intel Arc A770 Graphics"),
            ("QUALCOMM Snapdragon(TM)", "QUALCOMM Adreno(TM)", "QUALCOMM Adreno"),
            ("Oclgrind", "Oclgrind Simulator", "Oclgrind Simulator"),
            ("AMD Accelerated Parallel Processing", "gfx1030", "AMD on gfx1030"),
            ("ARM Platform", "Mali-G78", "ARM on Mali-G78"),
            ("rusticl", "AMD Radeon RX 6800 (navi21, LLVM 15.0.6)", "rusticl on AMD Radeon RX 6800"),
            ("Portable Computing Language", "NVIDIA GeForce RTX 2070", "PoCL on NVIDIA GeForce RTX 2070"),
            ("", "CPU", "CPU"),
        ] {
            assert_eq!(shown(platform, name, DeviceKind::Gpu), expected);
        }
    }

    #[test]
    fn a_cpu_device_is_the_hosts_processor_and_others_are_not() {
        let is_host = |kind| DeviceInfo { kind, ..DeviceInfo::example() }.is_host_processor();
        let kinds = [DeviceKind::Cpu, DeviceKind::Gpu, DeviceKind::Accelerator, DeviceKind::Other];
        assert_eq!(kinds.map(is_host), [true, false, false, false]);
    }
}
