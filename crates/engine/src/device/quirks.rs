//! The register of driver gates: every place where the program treats one driver unlike others asks here, by the gate's name, and no other file of the engine names
//! a driver. `docs/drivers.md` is written from the rows, and a test holds it to them.

use super::{DeviceInfo, DeviceKind};

/// What one driver does or can do that others do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quirk {
    /// Compiles a kernel anew for each local size.
    CompilesPerLocalSize,
    /// Compiles a kernel within the timestamps of its first launch.
    CompilesAtLaunch,
    /// Keeps large functions as calls, and vectorizes no work-items across them.
    KeepsCalls,
    /// Keeps functions as calls, and reads no image objects in them.
    KeepsImageCalls,
    /// May not build `fma`.
    MayLackFma,
    /// Checks every access of a kernel by itself.
    ChecksAccesses,
    /// Takes PTX in kernels.
    TakesPtx,
    /// Tells registers and spills.
    TellsRegisters,
    /// Has sub-groups of 32 work-items, and does not say so.
    RunsWarps,
    /// Vectorizes across work-items, whatever the kernel's own vectors.
    PacksWorkItems,
    /// Leaves an empty file in its cache for each process.
    LeavesEmptyFiles,
    /// Needs a folder that can be written.
    NeedsCacheFolder,
    /// Has its devices made by a program that runs as root.
    MakesDevices,
}

/// A row of the register, in the English of the repository's pages.
#[derive(Clone, Copy, Debug)]
pub struct Gate {
    /// Whose.
    pub driver: Driver,
    /// Where it was seen.
    pub versions: &'static str,
    /// What the driver does.
    pub because: &'static str,
    /// What this program does about it.
    pub effect: &'static str,
    /// A command and what it shows where the gate can go: it is run with the gate closed, [`Quirk::is_of`] saying no.
    pub goes: &'static str,
}

/// A driver, as its platform names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// Portable Computing Language.
    Pocl,
    /// Mesa's.
    Rusticl,
    /// NVIDIA's.
    Nvidia,
    /// Intel's CPU runtime.
    IntelCpu,
    /// The simulator.
    Oclgrind,
}

impl Driver {
    /// What pages call it, and what its platform's name begins with.
    const fn names(self) -> [&'static str; 2] {
        match self {
            Self::Pocl => ["PoCL", "Portable Computing Language"],
            Self::Rusticl => ["Mesa's rusticl", "rusticl"],
            Self::Nvidia => ["NVIDIA", "NVIDIA CUDA"],
            Self::IntelCpu => ["Intel's CPU runtime", "Intel(R) OpenCL"],
            Self::Oclgrind => ["Oclgrind", "Oclgrind"],
        }
    }
}

impl Quirk {
    /// In the order of the page.
    pub const ALL: [Self; 13] = [
        Self::CompilesPerLocalSize,
        Self::KeepsCalls,
        Self::LeavesEmptyFiles,
        Self::NeedsCacheFolder,
        Self::CompilesAtLaunch,
        Self::KeepsImageCalls,
        Self::MayLackFma,
        Self::TakesPtx,
        Self::TellsRegisters,
        Self::RunsWarps,
        Self::MakesDevices,
        Self::PacksWorkItems,
        Self::ChecksAccesses,
    ];

    /// Whether this device's driver has it.
    #[must_use]
    pub fn is_of(self, info: &DeviceInfo) -> bool {
        let has = |wanted: &str| info.extensions.iter().any(|extension| extension == wanted);
        match self {
            // What is told of the device decides, whatever the platform is called.
            Self::TakesPtx => info.compute_capability.is_some_and(|capability| capability >= [8, 0]),
            Self::TellsRegisters => has("cl_nv_compiler_options"),
            _ => {
                let is_of_cpus_alone = matches!(self, Self::KeepsCalls | Self::PacksWorkItems);
                self.is_of_platform(&info.platform) && (info.kind == DeviceKind::Cpu || !is_of_cpus_alone)
            }
        }
    }

    /// Whether its driver is the one of a platform, or of a platform with its driver's version, as records have it.
    #[must_use]
    pub fn is_of_platform(self, platform: &str) -> bool {
        let [_, name] = self.gate().driver.names();
        platform.starts_with(name)
    }

    /// Its row.
    #[must_use]
    pub const fn gate(self) -> Gate {
        match self {
            Self::CompilesPerLocalSize => Gate {
                driver: Driver::Pocl,
                versions: "3.1 to 7.1",
                because: "Compiles a kernel anew for each local size, when it first runs with it; its binary is frozen when it is first asked for.",
                effect: "A kernel runs once before its compiled code is read; `run` notes that the first run may include compiling.",
                goes: "`kernel-ladder compiled --local 16x4 naive` without a run before it lists the kernel's code",
            },
            Self::CompilesAtLaunch => Gate {
                driver: Driver::Rusticl,
                versions: "26.1 and 26.2, llvmpipe",
                because: "Compiles a kernel when it is first launched, within the kernel's own timestamps: 25 s for a small median.",
                effect: "`run` notes that the kernel time may include compiling.",
                goes: "`kernel-ladder run in.png out.png --filter median`, after clearing Mesa's cache, reports the kernel time of a second run",
            },
            Self::KeepsCalls => Gate {
                driver: Driver::Pocl,
                versions: "3.1 to 7.1, CPUs",
                because: "Keeps large functions as calls, and vectorizes no work-items across them: inlined, Median is 1.1 to 5.4 times as fast.",
                effect: "All functions of a filter that gains by it are inlined.",
                goes: "`kernel-ladder compiled --filter median padded` shows vectors of bytes",
            },
            Self::KeepsImageCalls => Gate {
                driver: Driver::Rusticl,
                versions: "26.1 and 26.2, llvmpipe",
                because: "Keeps functions as calls, and reads no image objects in them (\"Unsupported intrinsic image_deref_size\"): a crash or a wrong output.",
                effect: "All functions of a kernel that reads image objects are inlined.",
                goes: "`kernel-ladder bench --ladder gaussian` has every row right",
            },
            Self::MayLackFma => Gate {
                driver: Driver::Rusticl,
                versions: "26.2.6 as Debian builds it, not 26.1.6",
                because: "Builds `fma` only with Mesa's own libclc: with LLVM's, \"nir_shader not fully linked\". So a build tells, not a version.",
                effect: "A kernel with `fma` is built once when devices are listed; where that fails, the stage is disabled with the reason.",
                goes: "`kernel-ladder bench --filter bilateral --variant float=fma` is right with the last distribution that links LLVM's libclc",
            },
            Self::ChecksAccesses => Gate {
                driver: Driver::Oclgrind,
                versions: "all",
                because: "Checks every access of a kernel by itself, and names the line of one outside its buffer; guard bytes are inside.",
                effect: "With `KERNEL_LADDER_GUARDS=0`, buffers have no guard bytes.",
                goes: "`kernel-ladder try --oclgrind padded my.cl` names the line of a store one row behind the output all the same",
            },
            Self::TakesPtx => Gate {
                driver: Driver::Nvidia,
                versions: "compute capability 8.0 and later",
                because: "Its compiler takes PTX, which has two halves to an instruction, `relu`, `min` and `max`; OpenCL C has no words for them.",
                effect: "Stages of word lanes are written in PTX.",
                goes: "`kernel-ladder bench --ladder desktop-laplace` is as fast without PTX",
            },
            Self::TellsRegisters => Gate {
                driver: Driver::Nvidia,
                versions: "with `cl_nv_compiler_options`",
                because: "Tells registers and spills in the log of a build with `-cl-nv-verbose`, but not where it answers from its own cache, which knows kernels by their code.",
                effect: "A second build asks for them, and a third one under names that the cache cannot know.",
                goes: "`kernel-ladder compiled naive`, twice, lists registers both times after the second build alone",
            },
            Self::RunsWarps => Gate {
                driver: Driver::Nvidia,
                versions: "all",
                because: "Runs 32 work-items in step on every device, and has no sub-groups in OpenCL that would say so.",
                effect: "Explanations and the access picture count with 32.",
                goes: "`kernel-ladder devices` lists `cl_khr_subgroups` among the extensions",
            },
            Self::PacksWorkItems => Gate {
                driver: Driver::IntelCpu,
                versions: "2026.22",
                because: "Packs work-items into vectors whether or not the kernel has vectors of its own.",
                effect: "An explanation says so where a stage with vectors makes no difference.",
                goes: "`kernel-ladder compiled --filter laplace padded` shows no vectors of 128 bits",
            },
            Self::LeavesEmptyFiles => Gate {
                driver: Driver::Pocl,
                versions: "3.1",
                because: "Makes a file in its cache to see whether it may write there, and leaves it: one for each process.",
                effect: "Empty files that are older than an hour are removed from its cache when the program ends.",
                goes: "`kernel-ladder devices` leaves no `tempfile_…` in `~/.cache/pocl`",
            },
            Self::NeedsCacheFolder => Gate {
                driver: Driver::Pocl,
                versions: "3.1",
                because: "Offers no platform where it cannot write to its cache.",
                effect: "Before any driver is loaded, `POCL_CACHE_DIR` is set to a temporary folder where the person's cannot be written.",
                goes: "`POCL_CACHE_DIR=/proc/none kernel-ladder devices` lists it",
            },
            Self::MakesDevices => Gate {
                driver: Driver::Nvidia,
                versions: "580",
                because: "Starts `nvidia-modprobe`, which becomes root, where its devices are missing; a confined process cannot have that.",
                effect: "The program starts it before it confines the process.",
                goes: "`kernel-ladder devices` lists the device after a restart of the machine, with no other program before it",
            },
        }
    }

    /// All rows as a section of a page, in Markdown.
    #[must_use]
    pub fn page() -> String {
        let row = |quirk: Self| {
            let Gate { driver, versions, because, effect, goes } = quirk.gate();
            let [name, _] = driver.names();
            format!("- **{quirk:?}** ({name}; {versions}). {because} *Here:* {effect} *Goes when* {goes}.\n")
        };
        Self::ALL.map(row).concat()
    }
}

#[cfg(test)]
mod tests {
    use super::{Driver, Quirk};
    use crate::device::{DeviceInfo, DeviceKind};
    use std::path::{Path, PathBuf};

    #[test]
    fn each_is_of_its_driver_alone() {
        use Quirk::{CompilesAtLaunch, CompilesPerLocalSize, KeepsCalls, KeepsImageCalls, LeavesEmptyFiles, MayLackFma, NeedsCacheFolder};
        let device = |platform: &str, kind| DeviceInfo { platform: platform.to_owned(), kind, ..DeviceInfo::example() };
        let quirks = |info: &DeviceInfo| Quirk::ALL.into_iter().filter(|quirk| quirk.is_of(info)).collect::<Vec<_>>();
        let pocl = "Portable Computing Language";
        assert_eq!(quirks(&device(pocl, DeviceKind::Cpu)), [CompilesPerLocalSize, KeepsCalls, LeavesEmptyFiles, NeedsCacheFolder]);
        assert_eq!(quirks(&device(pocl, DeviceKind::Gpu)), [CompilesPerLocalSize, LeavesEmptyFiles, NeedsCacheFolder]);
        assert_eq!(quirks(&device("rusticl", DeviceKind::Gpu)), [CompilesAtLaunch, KeepsImageCalls, MayLackFma]);
        assert_eq!(quirks(&device("Oclgrind", DeviceKind::Other)), [Quirk::ChecksAccesses]);
        assert_eq!(quirks(&device("Intel(R) OpenCL", DeviceKind::Cpu)), [Quirk::PacksWorkItems]);
        assert_eq!(quirks(&device("Intel(R) OpenCL Graphics", DeviceKind::Gpu)), []);
        let nvidia = device("NVIDIA CUDA", DeviceKind::Gpu);
        assert_eq!(quirks(&nvidia), [Quirk::RunsWarps, Quirk::MakesDevices]);
        let told = |capability| DeviceInfo {
            compute_capability: Some(capability),
            extensions: vec!["cl_nv_compiler_options".to_owned()],
            ..nvidia.clone()
        };
        assert_eq!(quirks(&told([9, 0])), [Quirk::TakesPtx, Quirk::TellsRegisters, Quirk::RunsWarps, Quirk::MakesDevices]);
        assert_eq!(quirks(&told([7, 5])), [Quirk::TellsRegisters, Quirk::RunsWarps, Quirk::MakesDevices]);
    }

    #[test]
    fn the_page_of_drivers_has_the_register() {
        let page = std::fs::read_to_string(root().join("docs/drivers.md")).expect("docs/drivers.md");
        let page = page.replace("\r\n", "\n");
        assert!(page.contains(&Quirk::page()), "docs/drivers.md does not have the register as it is:\n{}", Quirk::page());
    }

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    /// Each file with what it says before its tests.
    fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
        let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        let read = |path: PathBuf| {
            if path.is_dir() {
                return sources(&path);
            }
            let text = std::fs::read_to_string(&path).expect("a source");
            vec![(path, text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned())]
        };
        entries.flat_map(read).filter(|(path, _)| !path.ends_with("quirks.rs")).collect()
    }

    #[test]
    fn every_gate_is_in_the_register_and_every_row_has_a_gate() {
        let crates = std::fs::read_dir(root().join("crates")).expect("crates").map(|entry| entry.expect("an entry").path());
        let sources: Vec<_> = crates.chain([root()]).flat_map(|folder| sources(&folder.join("src"))).collect();
        for quirk in Quirk::ALL {
            let name = format!("Quirk::{quirk:?}");
            assert!(sources.iter().any(|(_, text)| text.contains(&name)), "nothing asks for {name}: it can go");
        }
        // Words that are shown, and what a file format looks like, decide nothing.
        let shown = ["naming.rs", "tests", "testing"];
        let names = [Driver::Pocl, Driver::Rusticl, Driver::Nvidia, Driver::IntelCpu, Driver::Oclgrind].map(|driver| driver.names()[1]);
        for (path, text) in &sources {
            if path.iter().any(|part| shown.iter().any(|shown| part == *shown)) || path.to_string_lossy().ends_with("tests.rs") {
                continue;
            }
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            for (line, name) in code.flat_map(|line| names.map(|name| (line, name))) {
                assert!(!line.contains(&format!("\"{name}")), "{} names {name} itself: give it a row in the register", path.display());
            }
        }
    }

    #[test]
    fn functions_of_extensions_are_there_in_a_version_that_declares_them() {
        let device = |version: &str, extension: &str| {
            let extensions = vec![extension.to_owned()];
            let abilities = DeviceInfo { opencl_version: version.to_owned(), extensions, ..DeviceInfo::example() }.abilities();
            [abilities.has_dot, abilities.has_sub_groups]
        };
        assert_eq!(device("OpenCL 3.1", "cl_khr_integer_dot_product"), [true, false]);
        assert_eq!(device("OpenCL 3.0 PoCL", "cl_khr_integer_dot_product"), [true, false]);
        assert_eq!(device("OpenCL 3.0", "cl_khr_subgroups"), [false, true]);
        assert_eq!(device("OpenCL 3.1", "cl_intel_subgroups"), [false, true]);
        for (version, extension) in
            [("OpenCL 1.2", "cl_khr_integer_dot_product"), ("OpenCL 2.1", "cl_khr_subgroups"), ("OpenCL 3.0", "cl_khr_fp16")]
        {
            assert_eq!(device(version, extension), [false; 2], "{version} {extension}");
        }
    }
}
