//! One device, opened: its context and its queue.

use super::cache::{CacheSettings, DiskCache};
use super::call::{Call, OrFailed as _};
use super::handle::{Handle, Kind};
use super::program::Programs;
use super::{Command, DeviceInfo, Devices, EventTimes};
use base::error::Result;
use base::texts::{filled, misused};
use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, create_command_queue};
use opencl3::context::context::create_context;
use opencl3::types::{cl_command_queue, cl_device_id};
use std::cell::RefCell;
use std::rc::Rc;

/// One device with a context and an in-order queue that takes timestamps. Everything made by it stays on its thread, and keeps what it
/// needs of it alive.
#[derive(Debug)]
pub struct Session {
    inner: Rc<Inner>,
    pub(super) programs: RefCell<Programs>,
    pub(super) disk: Option<DiskCache>,
    /// What the queue ran, while that is being noted.
    commands: RefCell<Option<Vec<Command>>>,
}

/// What buffers and programs hold on to.
#[derive(Debug)]
pub(super) struct Inner {
    // In the order of dropping: the queue goes before its context.
    pub(super) queue: Handle,
    pub(super) context: Handle,
    pub(super) device: cl_device_id,
    pub(super) info: DeviceInfo,
}

impl Session {
    /// Opens the device at `index` of [`Devices::infos`].
    ///
    /// # Errors
    /// No such device, or the driver's refusal.
    pub fn open(devices: &Devices, index: usize, cache: &CacheSettings) -> Result<Self> {
        let (info, device) = devices.get(index).ok_or_else(|| {
            let count = devices.infos().len();
            misused("errors.device.no-such-device", &[("index", &index), ("count", &count), ("last", &count.saturating_sub(1))])
        })?;
        let what = || filled("errors.device.not-opened.what", &[("device", &info.name)]);
        let context =
            Call::CreateContext.run(|| create_context(&[device], std::ptr::null(), None, std::ptr::null_mut())).or_failed(what)?;
        let context = Handle::new(Kind::Context, context);
        // SAFETY: the device belongs to the context, which was made for it. The call of OpenCL 1.2, because 1.2 drivers lack its successor.
        let queue = Call::CreateCommandQueue.run(|| unsafe { create_command_queue(context.raw(), device, CL_QUEUE_PROFILING_ENABLE) });
        let queue = Handle::new(Kind::Queue, queue.or_failed(what)?);
        let inner = Rc::new(Inner { queue, context, device, info: info.clone() });
        Ok(Self { inner, programs: RefCell::default(), disk: DiskCache::open(cache), commands: RefCell::default() })
    }

    /// What is known of the device.
    #[must_use]
    pub fn info(&self) -> &DeviceInfo {
        &self.inner.info
    }

    /// Runs `work` and notes the commands that it brings to the queue, in their order.
    pub fn noting<R>(&self, work: impl FnOnce() -> R) -> (R, Vec<Command>) {
        self.commands.replace(Some(Vec::new()));
        let result = work();
        (result, self.commands.take().unwrap_or_default())
    }

    /// Notes a command that has ended, where commands are being noted.
    pub(super) fn note(&self, name: &str, bytes: usize, times: EventTimes) {
        if let Some(commands) = self.commands.borrow_mut().as_mut() {
            commands.push(Command { name: name.to_owned(), bytes, times });
        }
    }

    /// As [`Session::note`], with the timestamps still to be asked for.
    pub(super) fn note_event(&self, name: &str, bytes: usize, event: &Handle) {
        if self.commands.borrow().is_some() {
            self.note(name, bytes, EventTimes::of(event));
        }
    }

    /// What buffers and programs hold on to.
    pub(super) fn inner(&self) -> &Rc<Inner> {
        &self.inner
    }

    /// The queue, for passing on to OpenCL.
    pub(super) fn queue(&self) -> cl_command_queue {
        self.inner.queue.raw()
    }
}
