//! On a real driver: whatever device comes first, PoCL where nothing else is installed.

mod builds;
mod host_memory;
mod images;
mod rescan;
mod runs;
mod staging;

use super::{CacheSettings, Devices, Session};

/// A session on the first device. Without one these tests have nothing to test, which must not pass for success.
fn session(cache: &CacheSettings) -> Session {
    let devices = Devices::discover().unwrap_or_else(|none| panic!("these tests need an OpenCL device, and there is none: {none:?}"));
    Session::open(&devices, 0, cache).expect("the first device opens")
}

/// Each byte becomes 255 less itself; work-items beyond `count` are idle.
const INVERT: &str = "__kernel void invert(__global const uchar *source, __global uchar *target, int count) {
    int i = get_global_id(0);
    if (i < count) target[i] = 255 - source[i];
}
";
