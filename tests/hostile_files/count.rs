//! The system's allocator, which counts what is allocated at once, in all threads.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

fn grown(bytes: usize) {
    let now = NOW.fetch_add(bytes, Ordering::Relaxed) + bytes;
    MOST.fetch_max(now, Ordering::Relaxed);
}

fn shrunk(bytes: usize) {
    NOW.fetch_sub(bytes, Ordering::Relaxed);
}

// SAFETY: every call is handed on as it is to the system's allocator.
#[allow(unsafe_code, reason = "an allocator is unsafe by its trait; this one only counts")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grown(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grown(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // The old block may have to stay until the new one is filled.
        grown(bytes);
        shrunk(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.realloc(memory, layout, bytes) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        shrunk(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// What is allocated from here on, and what of it is used.
pub struct Peak {
    allocated: usize,
    resident: usize,
}

impl Peak {
    pub fn begin() -> Self {
        // The system forgets the largest so far.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        let (allocated, resident) = (NOW.load(Ordering::Relaxed), resident_bytes("self"));
        MOST.store(allocated, Ordering::Relaxed);
        Self { allocated, resident }
    }

    /// The most bytes that were allocated at once since the beginning, without those of before.
    pub fn allocated(&self) -> usize {
        MOST.load(Ordering::Relaxed).saturating_sub(self.allocated)
    }

    /// The same of memory that the system had to find: what is only allocated is not there until it is written.
    pub fn resident(&self) -> usize {
        resident_bytes("self").saturating_sub(self.resident)
    }
}

/// The largest resident memory of a process; 0 where the system does not tell.
pub fn resident_bytes(process: &str) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok()).map_or(0, |kib| kib << 10)
}
