//! Queues of their own for one picture after the other: commands that are not waited for, one by one, but all together at the end.

use super::call::{Call, OrFailed as _};
use super::handle::{Handle, Kind};
use super::launch::elapsed_ns;
use super::memory::wait;
use super::session::Inner;
use super::{Buffer, Launch, Session};
use base::error::Result;
use base::texts::{filled, misused};
use opencl3::command_queue::{
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, create_command_queue, enqueue_nd_range_kernel, enqueue_read_buffer, enqueue_write_buffer, flush,
};
use opencl3::types::{CL_FALSE, cl_event};
use std::rc::Rc;
use std::time::Instant;

/// A queue beside the session's own.
#[derive(Debug)]
pub struct Lane {
    // Before its context, which the session keeps.
    queue: Handle,
    is_ordered: bool,
    owner: Rc<Inner>,
}

/// What each picture of a lane goes through, over memory of its own.
#[derive(Debug)]
pub struct FrameSet<'a> {
    /// Where the picture goes.
    pub source: &'a Buffer,
    /// Its bytes, as many as `source` has.
    pub upload: &'a [u8],
    /// What runs over it.
    pub launches: Vec<Launch<'a>>,
    /// Where the output is.
    pub destination: &'a Buffer,
    /// The first of its bytes that the host wants.
    pub offset: usize,
    /// Room for them.
    pub output: &'a mut [u8],
}

/// When the host waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// After each command.
    Each,
    /// Once, at the end.
    Once,
    /// Once, at the end; what was enqueued is handed over after each picture.
    OnceAndFlushes,
}

/// How long it took on the host's clock, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct FrameTimes {
    /// Until the last command was enqueued.
    pub enqueued_ns: u64,
    /// Until the last command had ended.
    pub total_ns: u64,
}

impl Session {
    /// A queue of the session's context. One that is not in order may begin a command before those enqueued earlier have ended, where no event forbids that.
    ///
    /// # Errors
    /// The driver's refusal: not every device has queues that reorder.
    pub fn lane(&self, is_ordered: bool) -> Result<Lane> {
        let properties = if is_ordered { 0 } else { CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE };
        let inner = self.inner();
        // SAFETY: the device belongs to the context, which was made for it.
        let queue = Call::CreateCommandQueue.run(|| unsafe { create_command_queue(inner.context.raw(), inner.device, properties) });
        let queue = queue.or_failed(|| filled("errors.device.not-opened.what", &[("device", &inner.info.name)]))?;
        Ok(Lane { queue: Handle::new(Kind::Queue, queue), is_ordered, owner: Rc::clone(inner) })
    }

    /// Brings `count` pictures through the sets in turn, and the sets to the lanes in turn. Sets that share memory need the same lane, and one that keeps the order.
    ///
    /// # Errors
    /// Wrong sizes or arguments, or the driver's refusal. Nothing is under way any more when this returns.
    pub fn frames(&self, lanes: &[Lane], sets: &mut [FrameSet], count: usize, waits: Waits) -> Result<FrameTimes> {
        if lanes.iter().any(|lane| !Rc::ptr_eq(&lane.owner, self.inner())) {
            return Err(misused("errors.device.of-another-device", &[]));
        }
        for set in sets.iter() {
            self.check_range(set.source, 0, set.upload.len())?;
            self.check_range(set.destination, set.offset, set.output.len())?;
        }
        let begun = Instant::now();
        // All of them: none may still run when the borrowed memory goes.
        let mut events = Vec::new();
        let enqueued = self.enqueue_frames(lanes, sets, count, waits, &mut events);
        let enqueued_ns = elapsed_ns(begun);
        // Each was waited for already, unless something went wrong in between.
        let mut waited = Ok(());
        for event in events.iter().filter(|_| waits != Waits::Each || enqueued.is_err()) {
            waited = waited.and(wait(event.raw()).or_failed(|| self.frames_failed()));
        }
        enqueued.and(waited)?;
        Ok(FrameTimes { enqueued_ns, total_ns: elapsed_ns(begun) })
    }

    fn enqueue_frames(&self, lanes: &[Lane], sets: &mut [FrameSet], count: usize, waits: Waits, events: &mut Vec<Handle>) -> Result<()> {
        let turns = sets.len().max(1);
        let push = |event: Handle, events: &mut Vec<Handle>| {
            let waited = if waits == Waits::Each { wait(event.raw()).or_failed(|| self.frames_failed()) } else { Ok(()) };
            events.push(event);
            waited
        };
        // The last command of each set, by its place among the events.
        let mut last: Vec<Option<usize>> = vec![None; turns];
        for frame in 0..count {
            let turn = frame % turns;
            let (Some(set), Some(lane)) = (sets.get_mut(turn), lanes.get(turn % lanes.len().max(1))) else { return Ok(()) };
            let after = last.get(turn).copied().flatten();
            let queue = lane.queue.raw();
            // Where the queue keeps the order, nothing has to be named.
            let named = |after: Option<usize>, events: &[Handle]| -> Option<cl_event> {
                after.filter(|_| !lane.is_ordered).and_then(|place| events.get(place)).map(Handle::raw)
            };
            let wait_list = |event: &Option<cl_event>| event.as_ref().map_or((0, std::ptr::null()), |event| (1, std::ptr::from_ref(event)));
            let (event, bytes) = (named(after, events), set.upload);
            let (number, list) = wait_list(&event);
            // SAFETY: the range lies in the buffer, of this context; the bytes are borrowed until `frames` has waited for this command.
            let written = Call::EnqueueWriteBuffer.run(|| unsafe {
                enqueue_write_buffer(queue, set.source.memory.raw(), CL_FALSE, 0, bytes.len(), bytes.as_ptr().cast(), number, list)
            });
            push(Handle::of_event(written.or_failed(|| self.frames_failed())?), events)?;
            for launch in &set.launches {
                let event = named(Some(events.len() - 1), events);
                let (number, list) = wait_list(&event);
                let global = self.check_launch(launch.built, &launch.args, launch.global, launch.local)?;
                self.set_args(launch.built, &launch.args)?;
                let local = launch.local.as_ref().map_or(std::ptr::null(), |local| local.as_ptr());
                // SAFETY: as in `Session::run`; what the kernel works on is borrowed until `frames` has waited for this command.
                let launched = Call::EnqueueNDRangeKernel.run(|| unsafe {
                    let kernel = launch.built.kernel.handle.raw();
                    enqueue_nd_range_kernel(queue, kernel, 2, std::ptr::null(), global.as_ptr(), local, number, list)
                });
                push(Handle::of_event(launched.or_failed(|| self.frames_failed())?), events)?;
            }
            let event = named(Some(events.len() - 1), events);
            let (number, list) = wait_list(&event);
            let output = &mut *set.output;
            // SAFETY: as for the write; `output` is borrowed exclusively until then. Reads of the same set end one after the other.
            let read = Call::EnqueueReadBuffer.run(|| unsafe {
                let to = output.as_mut_ptr().cast();
                enqueue_read_buffer(queue, set.destination.memory.raw(), CL_FALSE, set.offset, output.len(), to, number, list)
            });
            push(Handle::of_event(read.or_failed(|| self.frames_failed())?), events)?;
            if let Some(last) = last.get_mut(turn) {
                *last = Some(events.len() - 1);
            }
            if waits == Waits::OnceAndFlushes {
                Call::Flush.run(|| flush(queue)).or_failed(|| self.frames_failed())?;
            }
        }
        // A queue that nobody flushes need not begin before somebody waits for it: two of them are to run side by side.
        lanes.iter().try_for_each(|lane| Call::Flush.run(|| flush(lane.queue.raw())).or_failed(|| self.frames_failed()))
    }

    fn frames_failed(&self) -> String {
        filled("errors.device.frames.what", &[("device", &self.info().name)])
    }
}
