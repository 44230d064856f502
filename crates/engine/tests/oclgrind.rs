//! Every stage under a checking OpenCL runtime: no invalid access, no data race, no uninitialised read.
//!
//! Oclgrind interprets kernels about a thousand times slower than a CPU driver runs them, so the pictures are small and a selection of
//! variants stands for all of them: each value of each stage with the fewest others, and each stage left out of the fullest variant. It
//! replaces the driver by the loader's list of vendors, which is read once a process: the test re-executes itself.
//!
//! Where it says that a kernel file has no such kernel, its own compiler has made an intrinsic of it that it does not know: in nested loops, a
//! function that returns a struct is enough. Let that function fill the struct through a pointer.

#![allow(clippy::expect_used, reason = "a test may panic")]

mod simulator;

use engine::device::{Access, Arg, CacheSettings, Devices, Session};
use engine::{Backend as _, KernelText, PictureRef, Target, Task};
use kernels::filters::{self, Filter};
use kernels::kernel_source;
use model::{HostMemory, LocalSize, Moved, Parameters, Setting, Variant, Whose};
use pictures::Picture;
use simulator::{is_child, is_installed, selection};
use std::io::Write as _;
use std::sync::Arc;

/// See [`is_beyond_stencils`].
const BEYOND_STENCILS: &str = "child_runs_what_is_beyond_stencils";

/// Runs the ignored test `child` of this file under oclgrind; returns what oclgrind reported.
fn under_oclgrind(child: &str, checks_uninitialized: bool) -> String {
    let uninitialized = checks_uninitialized.then_some(("OCLGRIND_UNINITIALIZED", "1"));
    let plain = (child == BEYOND_STENCILS).then_some(("OCLGRIND_BUILD_OPTIONS", "-cl-opt-disable"));
    let always = [("OCLGRIND_DATA_RACES", "1"), ("OCLGRIND_CHECK_API", "1")];
    let settings: Vec<_> = always.into_iter().chain(uninitialized).chain(plain).collect();
    let ran = simulator::under_oclgrind(child, &settings);
    // Written past the test harness, which keeps what a passing test prints to itself.
    for line in ran.printed.lines().filter_map(|line| line.find("checked ").and_then(|start| line.get(start..))) {
        writeln!(std::io::stderr(), "oclgrind {line}").expect("stderr is open");
    }
    ran.log
}

/// Oclgrind 21.10 tracks uninitialised values through loads, arithmetic and stores, but not through image objects nor through swizzles that
/// change the number of lanes or vectors of three (it then reports values that were written, or crashes), structs of vectors (it crashes), nor the instruction that a
/// remainder beside a division becomes ('freeze': it stops). What a tile or a register holds in such a kernel is filled by the same lines as in
/// those that it can check.
fn is_beyond_the_uninitialized_check(filter: &'static Filter, variant: Variant, setting: Setting) -> bool {
    let text = kernel_source::compose(filter, &variant, setting, &Parameters::default()).expect("an allowed variant");
    let has_lanes = text.split(".s").skip(1).any(|rest| rest.starts_with(|letter: char| letter.is_ascii_hexdigit()));
    has_lanes || [".lo", ".hi", ".x", "vload3", "vstore3", "image2d_t", " % "].iter().any(|word| text.contains(word))
}

/// Filters beyond stencils. Their loops make an optimizing compiler write instructions that oclgrind does not have ('freeze' again: it then says that there is no such kernel), and it does not follow
/// integers that one pass hands to the next through a part of a buffer: they are built without optimization, and what is uninitialized is not looked for.
fn is_beyond_stencils(filter: &'static Filter) -> bool {
    filter.is_whole || matches!(filter.name(), "edges" | "curve" | "despeckle" | "match")
}

/// Runs the selection that `wanted` lets through and compares each output with the reference.
fn run_selection(wanted: fn(&'static Filter, Variant, Setting) -> bool) {
    let mut engine = simulator::engine();
    let abilities = engine.devices().expect("oclgrind is a device").first().expect("one").abilities();
    // Oclgrind has no shared virtual memory.
    let (mut runs, mut host_memories) = (0, HostMemory::ALL.into_iter().filter(|memory| *memory != HostMemory::Shared).cycle());
    for filter in filters::all() {
        for channels in filter.channels {
            let picture = Picture::from_fn(19, 11, *channels, |x, y, channel| (x * x * 3 + y * 41 + channel * 99) as u8);
            let picture = PictureRef::new(Arc::new(picture));
            for &border in filter.borders {
                let setting = Setting::new(*channels, border).on(abilities);
                for variant in selection(filter, setting).into_iter().filter(|variant| wanted(filter, *variant, setting)) {
                    // Where the simulator itself crashes, the last line tells on what.
                    eprintln!("{} {variant} {border:?}", filter.name());
                    let host_memory = host_memories.next().unwrap_or_default();
                    let target = Target::Device { index: 0, variant, local: LocalSize::Explicit([4, 3]), host_memory };
                    let task = Task { spec: filter.spec(*channels, border), picture: picture.clone(), target, text: KernelText::Composed };
                    let executed = engine.execute(&task, &()).unwrap_or_else(|error| panic!("{variant}: {error}"));
                    let check = engine.verify(&task, &executed, &()).expect("not cancelled").verification;
                    assert!(check.is_right(), "{} {variant} {setting:?}: {}", filter.name(), check.label());
                    runs += 1;
                }
            }
        }
    }
    println!("checked {runs} runs");
}

#[test]
fn no_stage_reads_or_writes_out_of_bounds_races_or_reads_what_nobody_wrote() {
    if !is_installed() {
        return;
    }
    for (child, checks_uninitialized) in
        [("child_runs_what_every_check_can_follow", true), ("child_runs_swizzles", false), (BEYOND_STENCILS, false)]
    {
        assert_eq!(under_oclgrind(child, checks_uninitialized), "", "oclgrind has something to report");
    }
}

#[test]
#[ignore = "run by its parent under oclgrind"]
fn child_runs_what_every_check_can_follow() {
    if is_child() {
        run_selection(|filter, variant, setting| {
            !is_beyond_stencils(filter) && !is_beyond_the_uninitialized_check(filter, variant, setting)
        });
    }
}

#[test]
#[ignore = "run by its parent under oclgrind"]
fn child_runs_swizzles() {
    if is_child() {
        run_selection(|filter, variant, setting| {
            !is_beyond_stencils(filter) && is_beyond_the_uninitialized_check(filter, variant, setting)
        });
    }
}

#[test]
#[ignore = "run by its parent under oclgrind"]
fn child_runs_what_is_beyond_stencils() {
    if is_child() {
        run_selection(|filter, _, _| is_beyond_stencils(filter));
    }
}

#[test]
fn what_experiments_add_stays_within_the_buffers() {
    if is_installed() {
        assert_eq!(under_oclgrind("child_runs_experiments", false), "", "oclgrind has something to report");
    }
}

/// Loads of another variant's addresses for pixels at every edge, over NDRanges that are rounded up to whole groups.
#[test]
#[ignore = "run by its parent under oclgrind"]
fn child_runs_experiments() {
    if !is_child() {
        return;
    }
    let mut engine = simulator::engine();
    let variant = |name: &str| Variant::parse(name).expect("known");
    let loads = |of: &str, count, places, stores| Moved::Loads { of: variant(of), count, places, stores, is_done: true };
    let experiments = [
        ("laplace", "coalesced", loads("naive", 9, Whose::Own, 1)),
        ("laplace", "coalesced", loads("naive", 9, Whose::Theirs, 1)),
        ("laplace", "coalesced+padded+vectorize=5", loads("coalesced+padded", 27, Whose::Own, 0)),
        ("laplace", "naive", loads("coalesced+padded+vectorize=5", 9, Whose::Theirs, 1)),
        ("laplace", "coalesced+padded+rows=3+access=int4", loads("naive", 20, Whose::Own, 0)),
        ("gaussian", "coalesced+separable", loads("coalesced", 40, Whose::Own, 0)),
        ("sobel", "coalesced+image+rows=2", loads("coalesced+image", 12, Whose::Own, 0)),
        ("sobel", "coalesced+image", loads("coalesced+image", 9, Whose::Own, 0)),
    ];
    for (filter, own, moved) in experiments {
        let filter = filters::by_name(filter).expect("a filter");
        let channels = filter.channels[0];
        let picture = PictureRef::new(Arc::new(Picture::from_fn(61, 47, channels, |x, y, channel| (x * 3 + y * 41 + channel * 99) as u8)));
        let spec = filter.spec(channels, filter.default_border);
        for local in [[4, 3], [16, 4], [1, 7]] {
            let local = LocalSize::Explicit(local);
            let target = Target::Device { index: 0, variant: variant(own), local, host_memory: HostMemory::Copy };
            let task = Task { spec: spec.clone(), picture: picture.clone(), target, text: KernelText::Moved(moved) };
            let executed = engine.execute(&task, &()).unwrap_or_else(|error| panic!("{own} {moved:?}: {error}"));
            assert!(engine.verify(&task, &executed, &()).expect("not cancelled").verification.is_right(), "{own} {moved:?}");
        }
    }
    println!("checked {} experiments", experiments.len());
}

/// One fault of each kind that the tests above are to exclude.
const FAULTS: &str = "
__kernel void reads_outside(__global const int *source, __global int *target) { target[get_global_id(0)] = source[get_global_id(0) + 1]; }
__kernel void writes_outside(__global const int *source, __global int *target) { target[get_global_id(0) + 1] = source[get_global_id(0)]; }
__kernel void races(__global const int *source, __global int *target) { target[0] = source[get_global_id(0)] + get_global_id(0); }
__kernel void reads_unwritten(__global const int *source, __global int *target) {
    __local int tile[8];
    if (get_local_id(0) == 0)
        tile[0] = source[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    target[get_global_id(0)] = tile[get_local_id(0)];
}";

#[test]
fn planted_faults_are_reported() {
    if !is_installed() {
        return;
    }
    for (child, words) in [
        ("child_reads_outside", "Invalid read of size 4 at global memory"),
        ("child_writes_outside", "Invalid write of size 4 at global memory"),
        ("child_races", "data race at global memory"),
        ("child_reads_unwritten", "ninitialized"),
    ] {
        let log = under_oclgrind(child, true);
        assert!(log.contains(words), "{child} was not reported: {log}");
    }
}

fn plant(kernel_name: &str) {
    if !is_child() {
        return;
    }
    let devices = Devices::discover().expect("oclgrind is a device");
    let session = Session::open(&devices, 0, &CacheSettings::off()).expect("a session");
    let built = session.build(FAULTS, "", kernel_name).expect("the faults build");
    let (source, target) = (session.buffer(32, Access::Read).expect("a buffer"), session.buffer(32, Access::ReadWrite).expect("a buffer"));
    session.write(&source, &[1; 32]).expect("written");
    session.run(&built, &[Arg::Buffer(&source), Arg::Buffer(&target)], [8, 1], Some([4, 1])).expect("oclgrind goes on");
}

#[test]
#[ignore = "run by its parent under oclgrind"]
fn child_reads_outside() {
    plant("reads_outside");
}

#[test]
#[ignore = "run by its parent under oclgrind"]
fn child_writes_outside() {
    plant("writes_outside");
}

#[test]
#[ignore = "run by its parent under oclgrind"]
fn child_races() {
    plant("races");
}

#[test]
#[ignore = "run by its parent under oclgrind"]
fn child_reads_unwritten() {
    plant("reads_unwritten");
}
