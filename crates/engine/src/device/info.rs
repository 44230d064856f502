//! What is known of a device, as plain data that window, command line and tests share.

use super::Quirk;
use base::error::Error;
use base::texts;
use model::{Abilities, Machine};
use serde::{Deserialize, Serialize};
use std::fmt::Display;

/// The kind that the driver claims, in the order of our default choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum DeviceKind {
    /// A graphics processor.
    Gpu,
    /// Some other accelerator.
    Accelerator,
    /// The host's own processor.
    Cpu,
    /// Custom, or none of the above.
    Other,
}

impl DeviceKind {
    /// As tables show it.
    #[must_use]
    pub fn label(self) -> &'static str {
        texts::text(match self {
            Self::Gpu => "words.device.gpu",
            Self::Accelerator => "words.device.accelerator",
            Self::Cpu => "words.device.cpu",
            Self::Other => "words.device.other",
        })
    }
}

/// One OpenCL device with its limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent of each other")]
pub struct DeviceInfo {
    /// Position in the list of all devices of all platforms, the best first: the number of `--device N` and of [`crate::device::Session::open`].
    pub index: usize,
    /// The machine that has it, where it is another one. It is known here alone: no file and no message says it.
    #[serde(skip)]
    pub host: Option<String>,
    /// Platform name, for example "Portable Computing Language".
    pub platform: String,
    /// Platform version string.
    pub platform_version: String,
    /// Device name.
    pub name: String,
    /// Vendor.
    pub vendor: String,
    /// Driver version.
    pub driver_version: String,
    /// Device version string ("OpenCL 3.0 …").
    pub opencl_version: String,
    /// Highest OpenCL C version string.
    pub opencl_c_version: String,
    /// GPU, CPU, …
    pub kind: DeviceKind,
    /// Compute units.
    pub compute_units: u32,
    /// Clock in MHz as the driver claims it; 0 where unknown.
    pub clock_mhz: u32,
    /// Most work-items in a work-group.
    pub max_work_group_size: usize,
    /// Most work-items per dimension.
    pub max_work_item_sizes: [usize; 3],
    /// Local memory of a work-group.
    pub local_mem_bytes: usize,
    /// False where local memory is ordinary memory (CPU drivers).
    pub local_mem_is_dedicated: bool,
    /// All global memory.
    pub global_mem_bytes: u64,
    /// Largest single buffer.
    pub max_alloc_bytes: u64,
    /// Alignment that a sub-buffer's origin needs.
    pub base_align_bytes: usize,
    /// Resolution of profiling timestamps.
    pub timer_resolution_ns: usize,
    /// Largest 2-D image, where images are supported.
    pub max_image_px: Option<[usize; 2]>,
    /// Half precision in kernels.
    pub has_fp16: bool,
    /// See [`Abilities::has_half_lanes`].
    #[serde(default)]
    pub has_half_lanes: bool,
    /// See [`Abilities::has_gray_images`].
    #[serde(default)]
    pub lacks_gray_images: bool,
    /// See [`Abilities::has_fma`].
    #[serde(default)]
    pub lacks_fma: bool,
    /// NVIDIA's compute capability, major and minor; `None` on other devices.
    #[serde(default)]
    pub compute_capability: Option<[u32; 2]>,
    /// Work-items of a sub-group, as the device tells: AMD's and NVIDIA's have one width, Intel's GPUs several; often empty. See [`Self::grain`].
    #[serde(default)]
    pub sub_group_sizes: Vec<usize>,
    /// Bytes of a line of the cache of global memory; 0 where unknown.
    #[serde(default)]
    pub cache_line_bytes: u32,
    /// Device and host share memory.
    pub has_unified_memory: bool,
    /// Extensions, sorted.
    pub extensions: Vec<String>,
}

/// Extensions of which one has `sub_group_reduce_add`: of OpenCL 2.0 and later, and Intel's own.
const SUB_GROUPS: [&str; 2] = ["cl_khr_subgroups", "cl_intel_subgroups"];

impl DeviceInfo {
    /// A made-up small GPU without images or half precision, for whoever works with devices where there is none: tests of what a device's
    /// limits decide, here and in `tests/`. Tests that depend on a limit set it themselves.
    #[must_use]
    pub fn example() -> Self {
        Self {
            host: None,
            index: 0,
            platform: "Example platform".to_owned(),
            platform_version: "OpenCL 3.0".to_owned(),
            name: "Example device".to_owned(),
            vendor: "Nobody".to_owned(),
            driver_version: "1.0".to_owned(),
            opencl_version: "OpenCL 3.0".to_owned(),
            opencl_c_version: "OpenCL C 1.2".to_owned(),
            kind: DeviceKind::Gpu,
            compute_units: 4,
            clock_mhz: 1000,
            max_work_group_size: 256,
            max_work_item_sizes: [256, 256, 64],
            local_mem_bytes: 32 * 1024,
            local_mem_is_dedicated: true,
            global_mem_bytes: 1 << 30,
            max_alloc_bytes: 1 << 28,
            base_align_bytes: 128,
            timer_resolution_ns: 1,
            max_image_px: None,
            has_fp16: false,
            has_half_lanes: false,
            lacks_gray_images: false,
            lacks_fma: false,
            compute_capability: None,
            sub_group_sizes: Vec::new(),
            cache_line_bytes: 0,
            has_unified_memory: false,
            extensions: Vec::new(),
        }
    }

    /// What only some devices can do and kernels may want.
    #[must_use]
    pub fn abilities(&self) -> Abilities {
        Abilities {
            has_half: self.has_fp16,
            has_images: self.max_image_px.is_some(),
            has_half_lanes: self.has_half_lanes,
            has_ptx: Quirk::TakesPtx.is_of(self),
            has_dot: Quirk::TakesPtx.is_of(self) || self.has_in_new_version("cl_khr_integer_dot_product"),
            has_sub_groups: Quirk::TakesPtx.is_of(self) || SUB_GROUPS.iter().any(|extension| self.has_in_new_version(extension)),
            has_gray_images: self.max_image_px.is_some() && !self.lacks_gray_images,
            has_fma: !self.lacks_fma,
            keeps_calls: Quirk::KeepsCalls.is_of(self),
            keeps_image_calls: Quirk::KeepsImageCalls.is_of(self),
        }
    }

    /// Whether pictures cross a bus to the device. Elsewhere its memory is the host's, and what copies is what computes.
    #[must_use]
    pub fn has_bus(&self) -> bool {
        self.kind != DeviceKind::Cpu && !self.has_unified_memory
    }

    /// Whether kernels may use the functions of an extension that compilers declare for OpenCL C 3.0.
    fn has_in_new_version(&self, extension: &str) -> bool {
        let is_new = !["OpenCL 1.", "OpenCL 2."].iter().any(|old| self.opencl_version.starts_with(old));
        is_new && self.extensions.iter().any(|known| known == extension)
    }

    /// What makes it the same device, in the next process as well: where it stands in the list, platform, name and driver. What else a driver says may change
    /// from start to start, the memory that is free for it say.
    #[must_use]
    pub fn identity(&self) -> (usize, &str, &str, &str) {
        (self.index, &self.platform, &self.name, &self.driver_version)
    }

    /// Platform and driver version, as records name them.
    #[must_use]
    pub fn driver(&self) -> String {
        format!("{} {}", self.platform, self.driver_version)
    }

    /// As records name it, with the version of the program that runs.
    #[must_use]
    pub fn machine(&self) -> Machine {
        Machine::new(self.name.clone(), self.driver()).of(self.host.as_deref())
    }

    /// One short line for menus and status: name, kind, units.
    #[must_use]
    pub fn label(&self) -> String {
        let values: [(&str, &dyn Display); 3] =
            [("name", &self.display_name()), ("kind", &self.kind.label()), ("units", &self.compute_units)];
        texts::filled("words.device.label", &values)
    }
}

/// Limits of a kernel that is built for a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelLimits {
    /// Most work-items in a work-group of this kernel on this device.
    pub max_work_group_size: usize,
    /// The local size should be a multiple of this.
    pub preferred_multiple: usize,
    /// Local memory that the kernel uses by itself, without its `__local` arguments.
    pub local_mem_bytes: u64,
    /// Private memory a work-item.
    pub private_mem_bytes: u64,
}

/// Why no device is there at all. The cases have different remedies, see [`crate::device::install_help`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoDevice {
    /// The OpenCL library (the loader) is not installed.
    NoLoader,
    /// The loader is there, but no driver has registered with it.
    NoDriver,
    /// Drivers are registered, but none offers a platform; a clause for each with its reason.
    NoPlatform(Vec<String>),
    /// A driver is there, but has no device or refused to list it; the driver's own words.
    DriverFailed(String),
    /// Another machine was asked, and does not answer.
    Unreachable(Box<Error>),
}

impl NoDevice {
    /// What a process that speaks in keys found, in the language that is spoken here.
    #[must_use]
    pub fn heard(self) -> Self {
        match self {
            Self::NoLoader | Self::NoDriver => self,
            Self::NoPlatform(complaints) => Self::NoPlatform(complaints.iter().map(|text| texts::spoken(text)).collect()),
            Self::DriverFailed(why) => Self::DriverFailed(texts::spoken(&why)),
            Self::Unreachable(error) => Self::Unreachable(Box::new(error.heard())),
        }
    }
}
