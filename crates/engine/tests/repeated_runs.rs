//! What a run costs besides its commands, once it was made before: OpenCL objects, builds and large allocations, counted.

#![allow(clippy::expect_used, clippy::print_stderr, reason = "a test may panic, and says what it counted")]

use engine::device::{CacheSettings, objects_created};
use engine::{Backend as _, Build, Engine, KernelText, PictureRef, Target, Task};
use kernels::filters;
use model::{BuildFrom, Channels, HostMemory, LocalSize, Variant};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Far more than a run needs for its records, and far less than the picture has.
const LARGE_BYTES: usize = 64 * 1024;

thread_local! {
    static LARGE: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, which counts this thread's large allocations.
struct Counting;

fn count(bytes: usize) {
    if bytes >= LARGE_BYTES {
        // A thread that ends has no counter any more, and is none of those that are asked about.
        let _ = LARGE.try_with(|large| large.set(large.get() + 1));
    }
}

// SAFETY: every call is handed on as it is to the system's allocator.
#[allow(unsafe_code, reason = "an allocator is unsafe by its trait; this one only counts")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        count(bytes);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(memory, layout, bytes) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const RUNS: usize = 100;

#[test]
fn a_repeated_run_creates_and_builds_nothing() {
    let mut engine = Engine::with_cache(CacheSettings::off());
    let has_images = engine.devices().expect("a device").iter().any(|device| device.index == 0 && device.max_image_px.is_some());
    let picture = PictureRef::generated((641, 479), Channels::Rgb);
    for (filter, variant, memory) in [
        ("laplace", "naive", HostMemory::Copy),
        ("laplace", "coalesced+padded+rows=3+access=int4", HostMemory::Copy),
        ("laplace", "coalesced+padded", HostMemory::Map),
        ("gaussian", "coalesced+padded+separable", HostMemory::Copy),
        ("gaussian", "image+between+separable+walk", HostMemory::Copy),
    ] {
        if variant.starts_with("image") && !has_images {
            continue;
        }
        let filter = filters::by_name(filter).expect("a filter");
        let target = Target::Device {
            index: 0,
            variant: Variant::parse(variant).expect("a variant"),
            local: LocalSize::Driver,
            host_memory: memory,
        };
        let task =
            Task { spec: filter.spec(Channels::Rgb, filter.default_border), picture: picture.clone(), target, text: KernelText::Composed };
        // Kept, as by a person who looks at it: the second run has memory of its own, and the others that of the second.
        let first = engine.execute(&task, &()).expect("runs");
        let _ = engine.execute(&task, &()).expect("runs");
        assert_eq!(first.build.waited_ns, first.build.build_ns, "{variant}");
        assert_ne!(LARGE.get(), 0, "what is counted is counted");
        let (objects, large) = (objects_created(), LARGE.get());
        for _ in 0..RUNS {
            let executed = engine.execute(&task, &()).expect("runs");
            assert_eq!(executed.build, Build { waited_ns: 0, ..first.build.clone() }, "{variant}");
        }
        let (objects, large) = (objects_created() - objects, LARGE.get() - large);
        eprintln!(
            "{} {variant}, {memory:?}: {RUNS} runs, {objects} OpenCL objects, {large} allocations of {LARGE_BYTES} bytes or more",
            filter.name()
        );
        assert_eq!(objects, 0, "{variant}");
        assert_eq!(large, 0, "{variant}");
    }
    // Between a stage that lays rows out otherwise and none: both have memory.
    let of = |variant| {
        let variant = Variant::parse(variant).expect("a variant");
        Task::new(picture.clone(), Target::Device { index: 0, variant, local: LocalSize::Driver, host_memory: HostMemory::Copy })
    };
    let both = [of("coalesced"), of("coalesced+padded")];
    for task in &both {
        engine.execute(task, &()).expect("runs");
    }
    let before = objects_created();
    for task in both.iter().cycle().take(RUNS) {
        engine.execute(task, &()).expect("runs");
    }
    assert_eq!(objects_created(), before);
    // What is counted is counted: another variant is built, and has memory of its own.
    assert_ne!(engine.execute(&of("coalesced+rows=2"), &()).expect("runs").build.from, BuildFrom::Memory);
    assert!(objects_created() > before);
}
