//! How a GPU asks its memory: so many work-items at once, in segments of so many bytes. What a device tells through OpenCL comes first; then what its maker says of its
//! kind; where neither does, nothing is made up.

use super::{DeviceInfo, DeviceKind, Quirk};
use serde::{Deserialize, Serialize};

/// Work-items that run in step, and what memory hands over at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grain {
    /// Work-items of a sub-group; `None` where it is not known, or another one for each kernel.
    pub sub_group: Option<usize>,
    /// Bytes of a segment.
    pub segment_bytes: usize,
}

/// A sub-group of most GPUs, where nothing better is known, and what lessons count with.
pub const USUAL_SUB_GROUP: usize = 32;

/// No device has wider sub-groups: some of Adreno's have 128 work-items.
pub const MOST_SUB_GROUP: usize = 128;

/// A sector of NVIDIA's GPUs, which is less than a line (CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory": transactions of 32 bytes).
pub const SECTOR_BYTES: usize = 32;

/// A line of most GPUs' caches, and of CPUs: Intel's ("Intel oneAPI GPU Optimization Guide": 64 bytes), Mali's ("Arm Mali GPU Best Practices": 64), AMD's GCN (64;
/// RDNA has 128: "RDNA Architecture", white paper).
pub const LINE_BYTES: usize = 64;

/// Makers of GPUs that have such lines, as vendors or platforms are called.
const WITH_LINES: [&str; 5] = ["Advanced Micro Devices", "AMD", "Intel", "ARM", "QUALCOMM"];

impl DeviceInfo {
    /// How it asks its memory.
    #[must_use]
    pub fn grain(&self) -> Grain {
        if self.kind == DeviceKind::Cpu {
            return Grain { sub_group: None, segment_bytes: LINE_BYTES };
        }
        let sub_group = match self.sub_group_sizes.as_slice() {
            [only] => Some(*only),
            // Of several the compiler takes one for each kernel.
            [_, ..] => None,
            [] => Grain::of_driver(&self.platform).or_else(|| self.sub_group_of_maker()),
        };
        Grain { sub_group, segment_bytes: self.segment_bytes() }
    }

    fn segment_bytes(&self) -> usize {
        if Grain::of_driver(&self.platform).is_some() {
            return SECTOR_BYTES;
        }
        let line = self.cache_line_bytes as usize;
        // Others are no lines that a GPU has.
        if matches!(line, 32 | 64 | 128) {
            return line;
        }
        let is_of = |maker: &&str| [&self.vendor, &self.platform].iter().any(|name| name.contains(*maker));
        // Where nothing is known, as lessons count.
        if WITH_LINES.iter().any(is_of) { LINE_BYTES } else { SECTOR_BYTES }
    }

    /// What makers say of GPUs whose drivers do not: Apple's have 32 ("Metal Feature Set Tables": SIMD-group); of Arm's the Bifrost GPUs G71, G72, G31 and G51
    /// have 4, G52 and G76 have 8, and those since Valhall (G57, G77, Immortalis) 16 ("Arm Mali GPU Datasheet": warp width). Mali-T runs work-items one by one.
    fn sub_group_of_maker(&self) -> Option<usize> {
        let model = |names: &[&str]| names.iter().any(|name| self.name.contains(name));
        if self.vendor.starts_with("Apple") {
            return Some(32);
        }
        if model(&["Mali-G71", "Mali-G72", "Mali-G31", "Mali-G51"])
            && !model(&["Mali-G710", "Mali-G715", "Mali-G720", "Mali-G725", "Mali-G310", "Mali-G510"])
        {
            return Some(4);
        }
        if model(&["Mali-G52", "Mali-G76"]) {
            return Some(8);
        }
        model(&["Mali-G", "Immortalis"]).then_some(16)
    }
}

impl Grain {
    /// Work-items of a sub-group by platform, or by platform and driver as records have them: what is known without the device.
    #[must_use]
    pub fn of_driver(platform: &str) -> Option<usize> {
        Quirk::RunsWarps.is_of_platform(platform).then_some(32)
    }
}

#[cfg(test)]
mod tests {
    use super::{DeviceInfo, DeviceKind, Grain};

    fn grain(platform: &str, name: &str, sub_group_sizes: &[usize], cache_line_bytes: u32) -> (Option<usize>, usize) {
        let sub_group_sizes = sub_group_sizes.to_vec();
        let info =
            DeviceInfo { platform: platform.to_owned(), name: name.to_owned(), sub_group_sizes, cache_line_bytes, ..DeviceInfo::example() };
        let Grain { sub_group, segment_bytes } = info.grain();
        (sub_group, segment_bytes)
    }

    #[test]
    fn what_a_device_tells_comes_before_what_its_maker_says() {
        for (platform, name, told, line, expected) in [
            // A line of NVIDIA's has 128 bytes, and is fetched by sectors.
            ("NVIDIA CUDA", "NVIDIA H200", &[][..], 128, (Some(32), 32)),
            ("NVIDIA CUDA", "NVIDIA H200", &[32], 128, (Some(32), 32)),
            ("AMD Accelerated Parallel Processing", "gfx90a:sramecc+:xnack-", &[64], 128, (Some(64), 128)),
            ("AMD Accelerated Parallel Processing", "gfx1100", &[32], 64, (Some(32), 64)),
            ("Intel(R) OpenCL Graphics", "Intel(R) Arc(TM) A770 Graphics", &[8, 16, 32], 64, (None, 64)),
            ("ARM Platform", "Mali-G72 r0p1", &[], 64, (Some(4), 64)),
            ("ARM Platform", "Mali-G710 r0p0", &[], 64, (Some(16), 64)),
            ("ARM Platform", "Mali-G52 r1p0", &[], 0, (Some(8), 64)),
            ("ARM Platform", "Mali-T628", &[], 64, (None, 64)),
            ("QUALCOMM Snapdragon(TM)", "QUALCOMM Adreno(TM) 740", &[], 4096, (None, 64)),
        ] {
            assert_eq!(grain(platform, name, told, line), expected, "{name}");
        }
        assert_eq!(grain("A platform", "A device", &[], 0), (None, 32));
        let cpu = DeviceInfo { kind: DeviceKind::Cpu, sub_group_sizes: vec![64], ..DeviceInfo::example() };
        assert_eq!(cpu.grain(), Grain { sub_group: None, segment_bytes: 64 });
        let apple = DeviceInfo { vendor: "Apple".to_owned(), ..DeviceInfo::example() };
        assert_eq!(apple.grain().sub_group, Some(32));
    }
}
