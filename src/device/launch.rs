//! Launching a kernel and waiting for it.

use super::arguments::{self, Arg};
use super::call::{Call, OrFailed as _, kernel_failed};
use super::handle::Handle;
use super::local::{check_local, round_up_global};
use super::memory::wait;
use super::{Built, EventTimes, LocalSize, Session};
use crate::error::Result;
use crate::texts::{filled, misused};
use opencl3::command_queue::enqueue_nd_range_kernel;
use opencl3::event::{CL_EVENT_COMMAND_EXECUTION_STATUS, get_event_info};
use opencl3::kernel::set_kernel_arg;
use std::ffi::c_void;
use std::fmt::Display;
use std::rc::Rc;
use std::time::Instant;

impl Session {
    /// Launches `built` over an NDRange of `global` work-items and waits for its end. With a local size, the NDRange is rounded up to
    /// multiples of it: the kernel's guard has to make the surplus work-items idle.
    ///
    /// The arguments are checked against the kernel's declaration, and the local size against device and kernel. What the kernel does with
    /// its pointers cannot be checked; see the module's description.
    ///
    /// # Errors
    /// An empty NDRange, wrong arguments, an illegal local size, or the driver's refusal.
    pub fn run(&self, built: &Built, args: &[Arg], global: [usize; 2], local: Option<[usize; 2]>) -> Result<EventTimes> {
        let place: [(&str, &dyn Display); 2] = [("kernel", &built.kernel.name), ("device", &self.info().name)];
        let what = || filled("errors.device.did-not-run.what", &place);
        let global = self.check_launch(built, args, global, local)?;
        for (index, arg) in args.iter().enumerate() {
            let [kernel, device] = place;
            Call::SetKernelArg
                .run(|| set_arg(&built.kernel.handle, index as u32, arg))
                .or_failed(|| filled("errors.device.argument-refused.what", &[kernel, device, ("index", &index)]))?;
        }
        let begun = Instant::now();
        let local_pointer = local.as_ref().map_or(std::ptr::null(), |local| local.as_ptr());
        // SAFETY: kernel and queue belong to one context and are alive; both sizes have the two dimensions that are announced; all
        // arguments are set, and the memory objects among them are borrowed until the command has ended, below.
        let event = Call::EnqueueNDRangeKernel.run(|| unsafe {
            enqueue_nd_range_kernel(
                self.queue(),
                built.kernel.handle.raw(),
                2,
                std::ptr::null(),
                global.as_ptr(),
                local_pointer,
                0,
                std::ptr::null(),
            )
        });
        let event = Handle::of_event(event.or_failed(what)?);
        if let Err(failed) = wait(event.raw()) {
            // The wait says only that something failed; the command's own status says what.
            let status = Call::GetEventInfo.run(|| get_event_info(event.raw(), CL_EVENT_COMMAND_EXECUTION_STATUS).map(i32::from));
            let code = status.ok().filter(|&status| status < 0).unwrap_or(failed.code);
            return Err(kernel_failed(code, what()));
        }
        let waited_ns = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let times = EventTimes::of(&event).within(waited_ns, self.info().timer_resolution_ns);
        self.note(&built.kernel.name, 0, times);
        Ok(times)
    }

    /// Everything that can be checked before the driver sees it; the NDRange to launch.
    fn check_launch(&self, built: &Built, args: &[Arg], global: [usize; 2], local: Option<[usize; 2]>) -> Result<[usize; 2]> {
        let kernel = &built.kernel;
        let refused = |key, [x, y]: [usize; 2]| misused(key, &[("kernel", &kernel.name), ("x", &x), ("y", &y)]);
        if !Rc::ptr_eq(&kernel.owner, self.inner()) {
            return Err(misused("errors.device.built-elsewhere", &[("kernel", &kernel.name)]));
        }
        arguments::check(&kernel.name, kernel.arg_count, kernel.kinds.as_deref(), args)?;
        for arg in args {
            match arg {
                Arg::Buffer(buffer) => self.check_owner(buffer)?,
                Arg::Image(image) => self.check_image_owner(image)?,
                _ => {}
            }
        }
        if global.contains(&0) {
            return Err(refused("errors.device.ndrange-empty", global));
        }
        let local_bytes = args.iter().map(|arg| if let Arg::LocalBytes(bytes) = arg { *bytes } else { 0 }).fold(0, usize::saturating_add);
        // The driver's choice has at least one work-item, whatever it is: its local memory has to fit too.
        let requested = LocalSize::Explicit(local.unwrap_or([1, 1]));
        check_local(self.info(), Some(&kernel.limits), requested, &|_| local_bytes)?;
        let Some(local) = local else { return Ok(global) };
        round_up_global(global, local).ok_or_else(|| refused("errors.device.ndrange-large", global))
    }
}

/// Sets one argument.
fn set_arg(kernel: &Handle, index: u32, arg: &Arg) -> std::result::Result<(), i32> {
    fn value<T>(value: &T) -> (usize, *const c_void) {
        (size_of::<T>(), std::ptr::from_ref(value).cast())
    }
    let memory;
    let (size, pointer) = match arg {
        Arg::Buffer(buffer) => {
            memory = buffer.memory.raw();
            value(&memory)
        }
        Arg::Image(image) => {
            memory = image.memory.raw();
            value(&memory)
        }
        Arg::Int(number) => value(number),
        Arg::Float(number) => value(number),
        Arg::LocalBytes(bytes) => (*bytes, std::ptr::null()),
    };
    // SAFETY: the pointer leads to `size` bytes, which the call copies; null is how a local pointer's size is given. Index and kind were
    // checked against the kernel's declaration.
    unsafe { set_kernel_arg(kernel.raw(), index, size, pointer) }
}
