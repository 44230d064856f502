//! The only module that calls OpenCL, and the home of `unsafe`.
//!
//! Typed primitives on which runs are composed: discover devices, open a session on one, build a kernel, make buffers, write, run,
//! read. A session and everything made by it live on one thread (none of them is `Send`); what leaves the module is plain data.
//! Limits are checked here, before a driver sees them: drivers accept, crash or misbehave where they should refuse.
//!
//! One thing cannot be checked here: a kernel that writes outside its buffers. Some drivers end the process for it, so source that a
//! person edited belongs into a child process; [`GuardedBuffer`] finds the small overruns.
//!
//! ```no_run
//! use engine::device::{Access, Arg, CacheSettings, Devices, Session, check_local};
//! use model::LocalSize;
//!
//! # fn main() -> base::error::Result<()> {
//! let devices = Devices::discover().map_err(|none| engine::device::install_help(&none).into_error())?;
//! let session = Session::open(&devices, 0, &CacheSettings::from_env())?;
//! let source = "__kernel void invert(__global const uchar *source, __global uchar *target, int count) {
//!     int i = get_global_id(0);
//!     if (i < count) target[i] = 255 - source[i];
//! }";
//! let built = session.build(source, "", "invert")?;
//! let source = session.buffer(1000, Access::Read)?;
//! let target = session.guarded_buffer(1000)?;
//! session.write(&source, &[7; 1000])?;
//! let local = check_local(session.info(), Some(built.limits()), LocalSize::Explicit([64, 1]), &|_| 0)?;
//! let args = [Arg::Buffer(&source), Arg::Buffer(target.buffer()), Arg::Int(1000)];
//! let times = session.run(&built, &args, [1000, 1], local)?; // launches 1024 work-items
//! session.check_guards(&target)?;
//! let mut output = vec![0; 1000];
//! session.read(target.buffer(), &mut output)?;
//! println!("{:?} ns", times.kernel_ns());
//! # Ok(())
//! # }
//! ```

#![allow(unsafe_code, reason = "OpenCL is a C interface; every call to it is in this module, behind functions that check what they pass")]

mod arguments;
mod cache;
mod call;
mod discovery;
mod frames;
mod grain;
mod guard;
mod handle;
mod host_memory;
mod image;
mod info;
mod install;
mod launch;
mod loader;
mod local;
mod mapping;
mod memory;
mod naming;
mod poison;
mod program;
mod quirks;
mod registered;
mod sampler;
mod session;
mod staging;
#[cfg(test)]
mod tests;
mod texels;
mod timing;
mod transfer;
mod under_way;
mod user_cache;

pub use arguments::Arg;
pub use cache::{CACHE, CacheSettings};
pub use call::Call;
pub use discovery::Devices;
pub use frames::{FrameSet, FrameTimes, Lane, Waits};
pub use grain::{Grain, LINE_BYTES, MOST_SUB_GROUP, SECTOR_BYTES, USUAL_SUB_GROUP};
pub use guard::{GUARDS, GuardedBuffer};
pub use handle::objects_created;
pub use image::{Image, check_image_size};
pub use info::{DeviceInfo, DeviceKind, KernelLimits, NoDevice};
pub use install::{InstallHelp, InstallStep, install_help};
pub use launch::Launch;
pub use local::{check_local, largest_local_fitting, legal_max_x, legal_max_y, round_up_global};
pub use memory::Buffer;
pub use model::Access;
use model::{HostMemory, LocalSize, TexelFormat};
pub use naming::display_name;
pub use poison::Poison;
pub use program::{BuildReport, Built, Inspected};
pub use quirks::Quirk;
pub use sampler::Sampler;
pub use session::Session;
pub use staging::{Pinned, Rows, Staging};
#[cfg(test)]
pub(crate) use tests::host_memories;
pub use timing::{Command, EventTimes};
pub use under_way::{CallUnderWay, note_calls};
pub use user_cache::{
    cache_notice, driver_caches, own_temporary_folder, remove_empty_files_of_pocl, replace_unwritable_cache, replaced_cache,
};
