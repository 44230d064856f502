//! What single drivers do that others do not, each with the way to see that it can go. Whoever works around a driver asks here, and nowhere else by its name.

use super::{DeviceInfo, DeviceKind};

/// A habit of one driver that this program works around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quirk {
    /// `PoCL` compiles a kernel anew for each local size, when it first runs with it. Seen with 3.1 to 7.1. It can go where a second run with another local size
    /// is launched as soon as one with the same local size: `kernel-ladder run` twice with `--local 32x4` and once with `--local 64x4`, cache switched off.
    CompilesPerLocalSize,
    /// Mesa's rusticl compiles a kernel when it is first launched, within the kernel's own timestamps: 25 s for a small median. Seen with 26.1 and 26.2 on
    /// llvmpipe. It can go where the first `kernel-ladder run --filter median` after clearing Mesa's cache reports the time of the second.
    CompilesAtLaunch,
    /// `PoCL` for CPUs keeps large functions as calls, and vectorizes no work-items across them. Seen with 3.1 to 7.1. It can go where
    /// `compiled --filter median` shows vectors of bytes without the forced inlining.
    KeepsCalls,
    /// Mesa's rusticl keeps functions as calls, and reads no image objects in them: "Unsupported `intrinsic image_deref_size`", then a crash or a wrong output. Seen
    /// with 26.1 and 26.2 on llvmpipe. It can go where `bench --ladder gaussian` has all rows right without the forced inlining.
    KeepsImageCalls,
    /// Mesa's rusticl builds `fma` only with Mesa's own libclc: with LLVM's, "`nir_shader` not fully linked". Seen with 26.2.6 as Debian builds it, not with
    /// 26.1.6; so a build tells (`roofs::has_fma`), not a version. It can go with the last distribution that links LLVM's.
    MayLackFma,
    /// Oclgrind checks every access of a kernel by itself, and needs no guard bytes for it.
    ChecksAccesses,
}

impl Quirk {
    /// Whether this device's driver has it.
    #[must_use]
    pub fn is_of(self, info: &DeviceInfo) -> bool {
        let platform = info.platform.as_str();
        match self {
            Self::CompilesPerLocalSize => is_pocl(platform),
            Self::KeepsCalls => is_pocl(platform) && info.kind == DeviceKind::Cpu,
            Self::CompilesAtLaunch | Self::KeepsImageCalls | Self::MayLackFma => platform == "rusticl",
            Self::ChecksAccesses => platform.contains("Oclgrind"),
        }
    }
}

fn is_pocl(platform: &str) -> bool {
    platform == "Portable Computing Language"
}

#[cfg(test)]
mod tests {
    use super::Quirk;
    use crate::device::{DeviceInfo, DeviceKind};

    #[test]
    fn each_is_of_its_driver_alone() {
        let device = |platform: &str, kind| DeviceInfo { platform: platform.to_owned(), kind, ..DeviceInfo::example() };
        let quirks = |info: &DeviceInfo| {
            use Quirk::{ChecksAccesses, CompilesAtLaunch, CompilesPerLocalSize, KeepsCalls, KeepsImageCalls, MayLackFma};
            let all = [CompilesPerLocalSize, CompilesAtLaunch, KeepsCalls, KeepsImageCalls, MayLackFma, ChecksAccesses];
            all.into_iter().filter(|quirk| quirk.is_of(info)).collect::<Vec<_>>()
        };
        let pocl = "Portable Computing Language";
        assert_eq!(quirks(&device(pocl, DeviceKind::Cpu)), [Quirk::CompilesPerLocalSize, Quirk::KeepsCalls]);
        assert_eq!(quirks(&device(pocl, DeviceKind::Gpu)), [Quirk::CompilesPerLocalSize]);
        assert_eq!(quirks(&device("rusticl", DeviceKind::Gpu)), [Quirk::CompilesAtLaunch, Quirk::KeepsImageCalls, Quirk::MayLackFma]);
        assert_eq!(quirks(&device("Oclgrind", DeviceKind::Other)), [Quirk::ChecksAccesses]);
        assert_eq!(quirks(&device("NVIDIA CUDA", DeviceKind::Gpu)), []);
    }

    #[test]
    fn dot_products_are_those_of_the_extension_in_a_version_that_declares_them() {
        let device = |version: &str, extension: &str| {
            let extensions = vec![extension.to_owned()];
            DeviceInfo { opencl_version: version.to_owned(), extensions, ..DeviceInfo::example() }.abilities().has_dot
        };
        assert!(device("OpenCL 3.1", "cl_khr_integer_dot_product") && device("OpenCL 3.0 PoCL", "cl_khr_integer_dot_product"));
        assert!(!device("OpenCL 1.2", "cl_khr_integer_dot_product") && !device("OpenCL 3.0", "cl_khr_fp16"));
    }
}
