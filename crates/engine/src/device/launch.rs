//! Launching a kernel and waiting for it.

use super::arguments::{self, Arg};
use super::call::{Call, OrFailed as _, kernel_failed};
use super::handle::Handle;
use super::local::{check_sides, round_up_global};
use super::memory::wait;
use super::{Built, EventTimes, Session};
use base::error::Result;
use base::texts::{filled, misused};
use model::local_label;
use model::measure::Again;
use opencl3::command_queue::enqueue_nd_range_kernel;
use opencl3::event::{CL_EVENT_COMMAND_EXECUTION_STATUS, get_event_info};
use opencl3::kernel::set_kernel_arg;
use std::ffi::c_void;
use std::fmt::Display;
use std::rc::Rc;
use std::time::Instant;

impl Session {
    /// Launches `built` over an NDRange of `global` work-items, in one to three dimensions, and waits for its end. With a local size, the NDRange is rounded up to
    /// multiples of it: the kernel's guard has to make the surplus work-items idle.
    ///
    /// The arguments are checked against the kernel's declaration, and the local size against device and kernel. What the kernel does with
    /// its pointers cannot be checked; see the module's description.
    ///
    /// # Errors
    /// An empty NDRange, wrong arguments, an illegal local size, or the driver's refusal.
    pub fn run<const N: usize>(&self, built: &Built, args: &[Arg], global: [usize; N], local: Option<[usize; N]>) -> Result<EventTimes> {
        let global = self.check_launch(built, args, global, local)?;
        self.set_args(built, args)?;
        let begun = Instant::now();
        let event = self.enqueue_kernel(built, global, local)?;
        self.wait_for_kernel(built, &event)?;
        let times = EventTimes::of(&event).within(elapsed_ns(begun), self.info().timer_resolution_ns);
        self.note(&built.kernel.name, 0, times);
        Ok(times)
    }

    /// Runs these launches one after the other, or their starts alone, `count` times over, and waits for the last one alone. How long that took on the host's clock, in
    /// nanoseconds: with many of them, little of it is waiting.
    ///
    /// # Errors
    /// As [`Session::run`].
    pub fn run_again(&self, launches: Vec<Launch>, what: Again, count: usize) -> Result<u64> {
        if what == Again::Runs {
            return self.run_at_once(&launches, count);
        }
        let starts: Vec<Launch> = launches.into_iter().map(Launch::of_one_group).collect();
        // Drivers may compile for another number of work-items.
        self.run_at_once(&starts, 1)?;
        self.run_at_once(&starts, count)
    }

    fn run_at_once(&self, launches: &[Launch], count: usize) -> Result<u64> {
        let begun = Instant::now();
        // All of them: none may still run when the caller's memory goes.
        let mut events = Vec::with_capacity(count * launches.len());
        let mut enqueued = Ok(());
        for launch in std::iter::repeat_n(launches, count).flatten() {
            let Launch { built, args, global, local } = launch;
            let event = self
                .check_launch(built, args, *global, *local)
                .and_then(|global| self.set_args(built, args).and_then(|()| self.enqueue_kernel(built, global, *local)));
            match event {
                Ok(event) => events.push((*built, event)),
                Err(error) => {
                    enqueued = Err(error);
                    break;
                }
            }
        }
        // The queue is in order: when the last one has ended, so have all.
        let waited = events.last().map_or(Ok(()), |(built, event)| self.wait_for_kernel(built, event));
        enqueued.and(waited).map(|()| elapsed_ns(begun))
    }

    fn did_not_run(&self, built: &Built) -> String {
        filled("errors.device.did-not-run.what", &[("kernel", &built.kernel.name), ("device", &self.info().name)])
    }

    pub(super) fn set_args(&self, built: &Built, args: &[Arg]) -> Result<()> {
        for (index, arg) in args.iter().enumerate() {
            let values: [(&str, &dyn Display); 3] = [("kernel", &built.kernel.name), ("device", &self.info().name), ("index", &index)];
            Call::SetKernelArg
                .run(|| set_arg(&built.kernel.handle, index as u32, arg))
                .or_failed(|| filled("errors.device.argument-refused.what", &values))?;
        }
        Ok(())
    }

    /// Enqueues a kernel whose arguments are set. The caller holds on to all that it works on until its event has ended.
    fn enqueue_kernel<const N: usize>(&self, built: &Built, global: [usize; N], local: Option<[usize; N]>) -> Result<Handle> {
        let local_pointer = local.as_ref().map_or(std::ptr::null(), |local| local.as_ptr());
        // SAFETY: kernel and queue belong to one context and are alive; both sizes have the dimensions that are announced; all
        // arguments are set, and the memory objects among them are borrowed by the callers until the command has ended.
        let event = Call::EnqueueNDRangeKernel.run(|| unsafe {
            enqueue_nd_range_kernel(
                self.queue(),
                built.kernel.handle.raw(),
                N as u32,
                std::ptr::null(),
                global.as_ptr(),
                local_pointer,
                0,
                std::ptr::null(),
            )
        });
        Ok(Handle::of_event(event.or_failed(|| self.did_not_run(built))?))
    }

    fn wait_for_kernel(&self, built: &Built, event: &Handle) -> Result<()> {
        wait(event.raw()).map_err(|failed| {
            // The wait says only that something failed; the command's own status says what.
            let status = Call::GetEventInfo.run(|| get_event_info(event.raw(), CL_EVENT_COMMAND_EXECUTION_STATUS).map(i32::from));
            let code = status.ok().filter(|&status| status < 0).unwrap_or(failed.code);
            kernel_failed(code, self.did_not_run(built))
        })
    }

    /// Everything that can be checked before the driver sees it; the NDRange to launch.
    pub(super) fn check_launch<const N: usize>(
        &self,
        built: &Built,
        args: &[Arg],
        global: [usize; N],
        local: Option<[usize; N]>,
    ) -> Result<[usize; N]> {
        let kernel = &built.kernel;
        let refused = |key| misused(key, &[("kernel", &kernel.name), ("size", &local_label(global))]);
        if !Rc::ptr_eq(&kernel.owner, self.inner()) {
            return Err(misused("errors.device.built-elsewhere", &[("kernel", &kernel.name)]));
        }
        arguments::check(&kernel.name, kernel.arg_count, kernel.kinds.as_deref(), args)?;
        for arg in args {
            match arg {
                Arg::Buffer(buffer) => self.check_owner(buffer)?,
                Arg::Image(image) => self.check_image_owner(image)?,
                Arg::Sampler(sampler) if !Rc::ptr_eq(&sampler.owner, self.inner()) => {
                    return Err(misused("errors.device.of-another-device", &[]));
                }
                _ => {}
            }
        }
        if global.contains(&0) {
            return Err(refused("errors.device.ndrange-empty"));
        }
        let local_bytes = args.iter().map(|arg| if let Arg::LocalBytes(bytes) = arg { *bytes } else { 0 }).fold(0, usize::saturating_add);
        // The driver's choice has at least one work-item, whatever it is: its local memory has to fit too.
        check_sides(self.info(), Some(&kernel.limits), local.unwrap_or([1; N]), &|_| local_bytes)?;
        let Some(local) = local else { return Ok(global) };
        round_up_global(global, local).ok_or_else(|| refused("errors.device.ndrange-large"))
    }
}

/// One kernel over one NDRange, with its arguments.
#[derive(Debug)]
pub struct Launch<'a> {
    /// The kernel.
    pub built: &'a Built,
    /// Its arguments.
    pub args: Vec<Arg<'a>>,
    /// Work-items.
    pub global: [usize; 2],
    /// Local work size; `None` for NULL.
    pub local: Option<[usize; 2]>,
}

impl Launch<'_> {
    /// The same kernel over as few work-items as can be: what it takes is its start.
    fn of_one_group(self) -> Self {
        Self { global: self.local.unwrap_or([1, 1]), ..self }
    }
}

pub(super) fn elapsed_ns(begun: Instant) -> u64 {
    u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// The bytes of the longest value, a `double16`.
const MOST_BYTES: usize = 128;

/// A value where every type may lie.
#[repr(C, align(128))]
struct Aligned([u8; MOST_BYTES]);

/// Sets one argument.
fn set_arg(kernel: &Handle, index: u32, arg: &Arg) -> std::result::Result<(), i32> {
    fn value<T>(value: &T) -> (usize, *const c_void) {
        (size_of::<T>(), std::ptr::from_ref(value).cast())
    }
    let raw;
    let mut aligned = Aligned([0; MOST_BYTES]);
    let (size, pointer) = match arg {
        Arg::Buffer(buffer) => {
            raw = buffer.memory.raw();
            value(&raw)
        }
        Arg::Image(image) => {
            raw = image.memory.raw();
            value(&raw)
        }
        Arg::Int(number) => value(number),
        Arg::Float(number) => value(number),
        Arg::Value { bytes, .. } => {
            // A value that is longer than any is told by its size, which the driver refuses.
            aligned.0.iter_mut().zip(*bytes).for_each(|(to, from)| *to = *from);
            (bytes.len().min(MOST_BYTES), (&raw const aligned).cast())
        }
        Arg::Sampler(sampler) => {
            raw = sampler.handle.raw();
            value(&raw)
        }
        Arg::LocalBytes(bytes) => (*bytes, std::ptr::null()),
    };
    // SAFETY: the pointer leads to `size` bytes, which the call copies; null is how a local pointer's size is given. Index and kind were
    // checked against the kernel's declaration.
    unsafe { set_kernel_arg(kernel.raw(), index, size, pointer) }
}
