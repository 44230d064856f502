//! On a real driver: whatever device comes first, PoCL where nothing else is installed.

mod builds;
mod host_memory;
mod images;
mod rescan;
mod runs;
mod staging;

use super::{Access, CacheSettings, Devices, Session};
use model::HostMemory;

/// A session on the first device. Without one these tests have nothing to test, which must not pass for success.
fn session(cache: &CacheSettings) -> Session {
    let devices = Devices::discover().unwrap_or_else(|none| panic!("these tests need an OpenCL device, and there is none: {none:?}"));
    Session::open(&devices, 0, cache).expect("the first device opens")
}

/// The host memories that the OpenCL library knows: Wine's is one of OpenCL 1.2, without shared virtual memory, whatever the device has.
pub(crate) fn host_memories() -> Vec<HostMemory> {
    let shared = session(&CacheSettings::off()).buffer_in(HostMemory::Shared, 1, Access::Read);
    let is_unknown = cfg!(windows) && shared.is_err_and(|error| error.why.contains("DLOPEN_FUNCTION_NOT_AVAILABLE"));
    HostMemory::ALL.into_iter().filter(|memory| !is_unknown || *memory != HostMemory::Shared).collect()
}

/// Each byte becomes 255 less itself; work-items beyond `count` are idle.
const INVERT: &str = "__kernel void invert(__global const uchar *source, __global uchar *target, int count) {
    int i = get_global_id(0);
    if (i < count) target[i] = 255 - source[i];
}
";
