//! Oclgrind, a simulator of an OpenCL device, as tests run it: in a process of their own, and over a selection of variants that stands for all.

#![allow(clippy::expect_used, reason = "a test may panic")]

use engine::device::CacheSettings;
use engine::{Engine, KernelText, PictureRef, Target, Task};
use kernels::filters::VariantExt;
use kernels::filters::{self, Filter};
use kernels::launch::Shape;
use model::{Abilities, HostMemory, LocalSize, Setting, StageId, Variant, stages, values};
use pictures::Picture;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

const DRIVER: &str = "/usr/lib/oclgrind/liboclgrind-rt-icd.so";
/// Of Debian's package of 21.10.
const HEADERS: &str = "/usr/include/oclgrind";
const CHILD: &str = "KERNEL_LADDER_OCLGRIND_CHILD";

/// Set where oclgrind can be installed, so that a test that could run is never skipped there.
const REQUIRED: &str = "KERNEL_LADDER_REQUIRE_OCLGRIND";

/// Debian 13 has no package of oclgrind: there the tests say so and check nothing.
pub fn is_installed() -> bool {
    let found = Path::new(DRIVER).exists();
    assert!(found || std::env::var_os(REQUIRED).is_none(), "{DRIVER} is missing: apt-get install oclgrind");
    if !found {
        println!("skipped: {DRIVER} is missing; where the system has it, apt-get install oclgrind");
    }
    found
}

/// What a child printed, and what oclgrind reported.
pub struct Ran {
    /// The child's two streams, one after the other.
    pub printed: String,
    /// Oclgrind's log.
    pub log: String,
}

/// Runs the ignored test `child` of the calling file under oclgrind, with these settings of it.
pub fn under_oclgrind(child: &str, settings: &[(&str, &str)]) -> Ran {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("oclgrind.icd"), DRIVER).expect("a vendor file");
    let log = folder.path().join("log");
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args(["--ignored", "--exact", child, "--nocapture", "--test-threads=1"]);
    command.env("OCL_ICD_VENDORS", folder.path()).env("OCLGRIND_LOG", &log).env(CHILD, "1").envs(settings.iter().copied());
    let output = command.output().expect("the child runs");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the child failed: {printed}");
    Ran { printed, log: std::fs::read_to_string(&log).unwrap_or_default() }
}

/// Builds a plugin of oclgrind from that source; `None` where the system has no compiler or not the headers.
#[allow(dead_code, reason = "not every test has a plugin")]
pub fn built_plugin(source: &Path, folder: &Path) -> Option<std::path::PathBuf> {
    let library = folder.join("plugin.so");
    let is_there = Path::new(HEADERS).exists();
    assert!(is_there || std::env::var_os(REQUIRED).is_none(), "{HEADERS} is missing: apt-get install liboclgrind-dev opencl-c-headers");
    let mut command = Command::new(std::env::var_os("CXX").unwrap_or_else(|| "c++".into()));
    command
        .args(["-std=c++17", "-fno-rtti", "-O1", "-shared", "-fPIC", "-I", HEADERS])
        .arg(source)
        .arg("-o")
        .arg(&library)
        .arg("-loclgrind-21.10");
    match command.output() {
        Ok(output) if is_there => {
            assert!(output.status.success(), "the plugin does not build: {}", String::from_utf8_lossy(&output.stderr));
            Some(library)
        }
        _ => {
            println!(
                "skipped: there is no C++ compiler or no {HEADERS}; where the system has them, apt-get install g++ liboclgrind-dev opencl-c-headers"
            );
            None
        }
    }
}

/// Whether this process was started by [`under_oclgrind`].
pub fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// Each value of each stage with what it needs, and the fullest variant with each stage taken out.
pub fn selection(filter: &'static Filter, setting: Setting) -> BTreeSet<Variant> {
    let mut chosen = BTreeSet::from([Variant::naive()]);
    let mut fullest = Variant::naive();
    for stage in stages() {
        for value in filter.values_for(stage.id, setting) {
            chosen.extend(Variant::naive().switched(stage.id, value.value, filter, setting).map(|switched| switched.variant));
            if let Ok(fuller) = fullest.switched(stage.id, value.value, filter, setting) {
                fullest = fuller.variant;
                chosen.insert(fullest);
            }
        }
    }
    for stage in stages() {
        chosen.extend(fullest.switched(stage.id, stage.off, filter, setting).map(|switched| switched.variant));
    }
    chosen
}

/// Oclgrind has no half precision and no dot products of bytes; what is loaded and stored is the same.
#[allow(dead_code, reason = "not every test that has this module runs over tasks")]
pub const ABILITIES: Abilities = Abilities { has_images: true, has_gray_images: true, has_fma: true, ..Abilities::NONE };

/// Whether a simulator without half precision and without dot products runs a stage's value.
#[allow(dead_code, reason = "not every test that has this module runs over tasks")]
pub fn is_run(stage: StageId, value: u8) -> bool {
    !matches!(stage, StageId::Half | StageId::Dot) && (stage, value) != (StageId::Lanes, values::LANES_HALF)
}

/// Whether somebody has described what the filter's work-items do. What nobody has described is not drawn, and there is nothing to compare.
#[allow(dead_code, reason = "not every test that has this module runs over tasks")]
pub fn is_described(filter: &Filter) -> bool {
    let setting = Setting::new(*filter.channels.first().expect("some channels"), filter.default_border);
    let (variant, parameters) = (&Variant::naive(), &filter.defaults());
    filter.counts(&Shape { variant, setting, parameters, width_px: 64, height_px: 64 }, [1, 1]).is_some()
}

/// What is run, in this order by the child and by its parent: every filter in all channels and border modes, over a picture of the first size. Over one of each
/// other size, a variant runs in one border mode, which its name decides, where that allows it.
#[allow(dead_code, reason = "not every test that has this module runs over tasks")]
pub fn tasks(sizes_px: &[[usize; 2]], local: [usize; 2]) -> Vec<Task> {
    let mut tasks = Vec::new();
    for filter in filters::all().iter().filter(|filter| is_described(filter)) {
        for channels in filter.channels {
            for (size_index, &[width, height]) in sizes_px.iter().enumerate() {
                let picture = Picture::from_fn(width, height, *channels, |x, y, channel| (x * x * 3 + y * 41 + channel * 99) as u8);
                let picture = PictureRef::new(Arc::new(picture));
                for (border_index, &border) in filter.borders.iter().enumerate() {
                    let variants = selection(filter, Setting::new(*channels, border).on(ABILITIES)).into_iter();
                    let of_name = |variant: &Variant| variant.to_string().bytes().map(usize::from).sum::<usize>() % filter.borders.len();
                    for variant in variants.filter(|variant| size_index == 0 || of_name(variant) == border_index) {
                        let (local, host_memory) = (LocalSize::Explicit(local), HostMemory::Copy);
                        let target = Target::Device { index: 0, variant, local, host_memory };
                        tasks.push(Task {
                            spec: filter.spec(*channels, border),
                            picture: picture.clone(),
                            target,
                            text: KernelText::Composed,
                        });
                    }
                }
            }
        }
    }
    tasks
}

/// The variant of one of these tasks.
#[allow(dead_code, reason = "not every test that has this module runs over tasks")]
pub fn variant_of(task: &Task) -> Variant {
    let Target::Device { variant, .. } = task.target else { unreachable!("all tasks are for a device") };
    variant
}

/// The engine of the process that [`under_oclgrind`] starts, which has that driver alone.
pub fn engine() -> Engine {
    let mut engine = Engine::with_cache(CacheSettings::off());
    let devices = engine.devices().expect("oclgrind is a device");
    assert!(devices.iter().all(|device| device.platform.contains("Oclgrind")), "another driver is in the way: {devices:?}");
    engine
}
