//! Running and sampling a variant on an OpenCL device.

use super::sampling::{RoundTrip, Sample, rotation};
use super::{Budget, Executed, POISON, Progress, Task, Timings, elapsed_ns};
use crate::device::{self, Access, Arg, Buffer, Built, DeviceKind, EventTimes, GuardedBuffer, LocalSize, Session};
use crate::error::{Error, Result};
use crate::geometry::{self, Geometry};
use crate::image::{Layout, Picture};
use crate::measure::{CpuGate, Gate, OpenGate, Sampled, sample};
use crate::source;
use crate::variant::Variant;
use std::sync::Arc;
use std::time::Instant;

/// Samples of whole round trips: they cost much more than the kernel alone, and their spread is that of the host's memory.
const ROUND_TRIPS: usize = 25;

/// A variant built for a device and ready for a picture: nothing in it changes between samples.
pub struct Plan {
    /// The text that was built.
    pub source: Arc<str>,
    /// The kernel.
    pub built: Built,
    geometry: Geometry,
    /// What is passed to the driver; `None` for NULL.
    pub local: Option<[usize; 2]>,
    local_bytes: usize,
    notes: Vec<String>,
}

/// Source and destination on the device.
struct Pair {
    source: Buffer,
    destination: GuardedBuffer,
}

impl Plan {
    /// Composes, builds, lays out and chooses the local size.
    ///
    /// # Errors
    /// The variant is not allowed, does not build, the picture is too large for 32-bit indices, or the local size does not fit.
    pub fn new(session: &Session, task: &Task, variant: &Variant, local: LocalSize) -> Result<Self> {
        let setting = task.setting();
        let source = source::compose(task.filter, variant, setting)?;
        let built = session.build(&source, "", task.filter.kernel_name)?;
        let picture = &task.picture.picture;
        let geometry = geometry::geometry(task.filter, variant, setting, picture.width_px(), picture.height_px());
        let largest = geometry.source.total_bytes.max(geometry.destination.total_bytes);
        if i32::try_from(largest).is_err() {
            return Err(Error::failed(
                "The picture is too large for the kernels",
                format!("its buffer would have {largest} bytes, and their 32-bit indices end at {}", i32::MAX),
                "choose a smaller picture",
            ));
        }
        let local_bytes = |local: [usize; 2]| geometry::local_bytes(task.filter, variant, setting, local);
        let mut notes = Vec::new();
        // A tile has to have a size before the launch, so the driver cannot be left to choose.
        let needs_size = local == LocalSize::Driver && local_bytes([1, 1]) > 0;
        let wanted = [built.limits().preferred_multiple.clamp(8, 32), 8];
        let chosen =
            needs_size.then(|| device::largest_local_fitting(session.info(), Some(built.limits()), wanted, &local_bytes)).flatten();
        if let Some([x, y]) = chosen {
            notes.push(format!("Local memory needs a size that is known before the launch: {x} × {y} was used"));
        }
        let asked = chosen.map_or(if needs_size { LocalSize::Explicit(wanted) } else { local }, LocalSize::Explicit);
        let local = device::check_local(session.info(), Some(built.limits()), asked, &local_bytes)?;
        let local_bytes = local.map_or(0, local_bytes);
        Ok(Self { source, built, geometry, local, local_bytes, notes })
    }

    fn pair(&self, session: &Session) -> Result<Pair> {
        Ok(Pair {
            source: session.buffer(self.geometry.source.total_bytes, Access::Read)?,
            destination: session.guarded_buffer(self.geometry.destination.total_bytes)?,
        })
    }

    fn run(&self, session: &Session, pair: &Pair) -> Result<EventTimes> {
        let (from, to) = (&self.geometry.source, &self.geometry.destination);
        // Every size was held to 32 bits in `new`.
        let int = |value: usize| Arg::Int(i32::try_from(value).unwrap_or(i32::MAX));
        let mut arguments = vec![
            Arg::Buffer(&pair.source),
            int(from.origin_bytes),
            int(from.pitch_bytes),
            Arg::Buffer(pair.destination.buffer()),
            int(to.pitch_bytes),
            int(from.width_px),
            int(from.height_px),
        ];
        if self.local_bytes > 0 {
            arguments.push(Arg::LocalBytes(self.local_bytes));
        }
        session.run(&self.built, &arguments, self.geometry.global, self.local)
    }

    /// Packs and uploads, runs, reads back into `host.rows`: one round trip.
    fn round_trip(
        &self,
        session: &Session,
        pair: &Pair,
        task: &Task,
        source: &Picture,
        host: &mut HostBuffers,
    ) -> Result<(EventTimes, RoundTrip)> {
        let (from, to) = (&self.geometry.source, &self.geometry.destination);
        let begun = Instant::now();
        if from.is_tight() {
            session.write(&pair.source, source.bytes())?;
        } else {
            if host.layout.replace(*from) != Some(*from) {
                host.packed.clear();
            }
            from.pack_into(source, task.border, &mut host.packed);
            session.write(&pair.source, &host.packed)?;
        }
        let upload_ns = elapsed_ns(begun);
        let times = self.run(session, pair)?;
        let reading = Instant::now();
        host.rows.resize(to.row_bytes() * to.height_px, 0);
        session.read_rows(pair.destination.buffer(), to.pitch_bytes, to.row_bytes(), &mut host.rows)?;
        Ok((times, RoundTrip { upload_ns, readback_ns: elapsed_ns(reading), total_ns: elapsed_ns(begun) }))
    }
}

/// Host memory of a round trip, kept between samples so that page faults of fresh allocations are not taken for transfers.
#[derive(Default)]
struct HostBuffers {
    layout: Option<Layout>,
    packed: Vec<u8>,
    rows: Vec<u8>,
}

/// Buffers of the last run, for the next one of the same device and sizes: a person who goes through stages does not wait for fresh memory.
#[derive(Default)]
pub struct Kept {
    pair: Option<(usize, Pair)>,
    host: HostBuffers,
}

impl Kept {
    /// The kept pair, where it fits; it is put back after the run.
    fn take(&mut self, session: &Session, plan: &Plan) -> Result<Pair> {
        let sizes = (plan.geometry.source.total_bytes, plan.geometry.destination.total_bytes);
        let fits = |pair: &Pair| (pair.source.len_bytes(), pair.destination.buffer().len_bytes()) == sizes;
        match self.pair.take() {
            Some((index, pair)) if index == session.info().index && fits(&pair) => Ok(pair),
            _ => plan.pair(session),
        }
    }
}

/// Runs once over a poisoned output and checks its guard bytes. Alpha is taken over from the source.
///
/// # Errors
/// The driver's refusal, or a write outside the output.
pub fn execute(session: &Session, plan: &Plan, task: &Task, source: &Picture, kept: &mut Kept) -> Result<Executed> {
    let pair = kept.take(session, plan)?;
    session.fill(pair.destination.buffer(), POISON)?;
    let (times, trip) = plan.round_trip(session, &pair, task, source, &mut kept.host)?;
    session.check_guards(&pair.destination)?;
    kept.pair = Some((session.info().index, pair));
    let rows = std::mem::take(&mut kept.host.rows);
    let output = Picture::new(source.width_px(), source.height_px(), source.channels(), rows)?;
    let report = plan.built.report();
    Ok(Executed {
        output: Arc::new(output.with_alpha(source.alpha().map(<[u8]>::to_vec))),
        timings: Timings {
            queue_wait_ns: times.queue_wait_ns(),
            launch_latency_ns: times.launch_latency_ns(),
            kernel_ns: times.kernel_ns(),
            upload_ns: trip.upload_ns,
            readback_ns: trip.readback_ns,
            round_trip_ns: trip.total_ns,
        },
        source: Some(Arc::clone(&plan.source)),
        build_ns: report.build_ns,
        build_from: report.from,
        build_log: report.log.clone(),
        limits: Some(*plan.built.limits()),
        global: plan
            .local
            .map_or(plan.geometry.global, |local| device::round_up_global(plan.geometry.global, local).unwrap_or(plan.geometry.global)),
        local_used: plan.local,
        notes: plan.notes.clone(),
    })
}

/// The gate that fits the device: other work on the host disturbs a device that is the host's processor.
pub fn gate(session: &Session) -> Box<dyn Gate> {
    match session.info().kind {
        DeviceKind::Cpu => Box::new(CpuGate::new()),
        _ => Box::new(OpenGate),
    }
}

/// A plan ready to run again and again, over several pairs of buffers in turn.
pub struct Runner<'a> {
    session: &'a Session,
    plan: &'a Plan,
    pairs: Vec<Pair>,
    turn: usize,
}

impl<'a> Runner<'a> {
    /// Makes the pairs and uploads the source into each.
    ///
    /// # Errors
    /// The device's memory does not suffice.
    pub fn new(session: &'a Session, plan: &'a Plan, task: &Task, source: &Picture, budget: Budget) -> Result<Self> {
        let pair_bytes = plan.geometry.source.total_bytes + plan.geometry.destination.total_bytes;
        // A quarter of the device's memory leaves room for the person's other programs.
        let affordable = usize::try_from(session.info().global_mem_bytes / 4).unwrap_or(usize::MAX) / pair_bytes.max(1);
        let packed = plan.geometry.source.pack(source, task.border);
        let pair = |_| {
            let pair = plan.pair(session)?;
            session.write(&pair.source, &packed)?;
            Ok(pair)
        };
        let pairs = (0..rotation(budget, pair_bytes).min(affordable.max(1))).map(pair).collect::<Result<Vec<_>>>()?;
        Ok(Self { session, plan, pairs, turn: 0 })
    }

    fn next_pair(&mut self) -> Result<&Pair> {
        self.turn = (self.turn + 1) % self.pairs.len().max(1);
        self.pairs.get(self.turn).ok_or_else(|| Error::failed("Nothing to run on", "no buffer was made", "this is a defect: report it"))
    }

    /// Runs the kernel once, over the next pair; `None` where the driver's timestamps are invalid.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn kernel(&mut self) -> Result<Option<u64>> {
        let (session, plan) = (self.session, self.plan);
        Ok(plan.run(session, self.next_pair()?)?.kernel_ns())
    }
}

/// Warms up and samples kernels over several pairs of buffers in turn, then whole round trips.
///
/// # Errors
/// Cancelled, or the driver's refusal.
pub fn measure(
    session: &Session,
    plan: &Plan,
    task: &Task,
    source: &Picture,
    budget: Budget,
    progress: &dyn Progress,
) -> Result<(Sampled<Sample>, Sampled<Sample>)> {
    let mut gate = gate(session);
    let mut runner = Runner::new(session, plan, task, source, budget)?;
    let kernels = sample(&budget, gate.as_mut(), progress, || Ok(Sample { kernel_ns: runner.kernel()?, round_trip: None }))?;
    let fewer =
        Budget { warmup_runs: 1, warmup_ns: 0, sample_ns: budget.sample_ns / 2, max_samples: ROUND_TRIPS, min_samples: 3, ..budget };
    let mut host = HostBuffers::default();
    let trips = sample(&fewer, gate.as_mut(), progress, || {
        let (times, trip) = plan.round_trip(session, runner.next_pair()?, task, source, &mut host)?;
        Ok(Sample { kernel_ns: times.kernel_ns(), round_trip: Some(trip) })
    })?;
    Ok((kernels, trips))
}
