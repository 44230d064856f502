//! One picture after the other, in each of the ways in which host programs go about it.

mod in_bands;

use super::Task;
use super::expected::Expected;
use super::plan::{Asked, Memory, Plan};
use crate::device::{Access, Arg, FrameSet, FrameTimes, Lane, Launch, Pinned, Poison, Session, Waits};
use base::error::{Error, Result};
use base::texts::{misused, text};
use in_bands::InBands;
use model::HostMemory;
use model::measure::{Coin, Frames, FramesOf, Gate, HostWay, MIN_PAIRS, Pair, Progress, Stream, median_of};
use pictures::{Layout, Picture};
use std::borrow::Cow;
use std::time::Instant;

/// Most pictures of one run.
const MOST: usize = 100;

/// Fewest: two sets of buffers have to take turns.
const LEAST: usize = 4;

/// How long a run of the base should take where [`MOST`] pictures take so long, so that one start or wait, and the first upload and the last read-back, which nothing
/// hides, are little of it.
const RUN_NS: f64 = 60e6;

/// Readings of each part of a picture's way.
const TIMES: usize = 9;

/// Readings of a stream of at most [`MOST`] pictures.
const STREAMS: usize = 5;

/// How long a stream should take where fewer pictures than [`MOST`] do.
const STREAM_NS: f64 = 1e9;

/// Pairs of each way.
const PAIRS: usize = 2 * MIN_PAIRS;

/// Everything that runs need, for two sets of memory.
struct Ready<'a> {
    session: &'a Session,
    plan: &'a Plan,
    upload: Vec<u8>,
    memories: [Memory; 2],
    /// An ordered queue for each set.
    ordered: [Lane; 2],
    /// One that may reorder, where the device has such a one.
    free: Option<Lane>,
    outputs: [Vec<u8>; 2],
    /// The same, where the device copies from and to it at once.
    pinned: Option<PinnedCopies>,
    /// One picture in bands, where it can be cut.
    in_bands: Option<InBands>,
    expected: &'a Expected,
}

/// A picture's bytes and two outputs in pinned memory.
struct PinnedCopies {
    upload: Pinned,
    outputs: [Pinned; 2],
}

impl PinnedCopies {
    fn of(session: &Session, bytes: &[u8], output_bytes: usize) -> Result<Self> {
        let mut upload = session.pinned(bytes.len())?;
        upload.all_mut(session)?.copy_from_slice(bytes);
        Ok(Self { upload, outputs: [session.pinned(output_bytes)?, session.pinned(output_bytes)?] })
    }
}

/// Measures all ways with that plan.
///
/// # Errors
/// The source is no plain buffer; a wrong output; cancelled; the driver's refusal.
pub fn measure(
    session: &Session,
    plan: &Plan,
    (task, source): (&Task, &Picture),
    expected: &Expected,
    gate: &mut dyn Gate,
    progress: &dyn Progress,
) -> Result<Frames> {
    let layout = plan.launch.source.layout();
    let memories = [plan.memory(session)?, plan.memory(session)?];
    if memories.iter().any(|memory| memory.source_buffer().is_none()) {
        return Err(misused("errors.engine.frames-image", &[]));
    }
    let mut upload = vec![0; layout.total_bytes];
    layout.pack_into(source, task.spec.border, &mut upload);
    let output = || vec![0; plan.launch.destination.total_bytes];
    let ordered = [session.lane(true)?, session.lane(true)?];
    // Not every device has queues that reorder.
    let (free, no_free) = match session.lane(false) {
        Ok(lane) => (Some(lane), None),
        Err(why) => (None, Some(why)),
    };
    let (pinned, no_pinned) = match PinnedCopies::of(session, &upload, plan.launch.destination.total_bytes) {
        Ok(pinned) => (Some(pinned), None),
        Err(why) => (None, Some(why)),
    };
    let asked = Asked::of(task).ok_or_else(super::not_prepared)?;
    let (in_bands, no_bands) = match InBands::fastest(session, (task, &asked), source, expected, progress)? {
        Ok(in_bands) => (Some(in_bands), None),
        Err(why) => (None, Some(why)),
    };
    let mut ready = Ready { session, plan, upload, memories, ordered, free, outputs: [output(), output()], pinned, in_bands, expected };
    // The first runs of a driver are unlike all others.
    for _ in 0..2 {
        ready.run(HostWay::BASE, LEAST)?;
    }
    let one_ns = ready.run(HostWay::BASE, LEAST)?.total_ns as f64 / LEAST as f64;
    let count = ((RUN_NS / one_ns.max(1.0)) as usize).clamp(LEAST, MOST);
    let parts_ns = ready.parts()?;
    let pinned_ns = ready.pinned_parts()?;
    let stream = match pinned_ns.filter(|_| session.info().has_bus()) {
        Some([upload_ns, readback_ns]) => {
            Some(ready.stream(((STREAM_NS / (upload_ns + readback_ns).max(1.0)) as usize).clamp(LEAST, MOST), progress)?)
        }
        None => None,
    };
    let of_way = |way| {
        let why_not = match way {
            HostWay::OutOfOrder => no_free.clone(),
            HostWay::Pinned => no_pinned.clone(),
            HostWay::InBands => no_bands.clone(),
            _ => None,
        };
        FramesOf { way, why_not, pairs: Vec::new(), enqueued_ns: Vec::new() }
    };
    let mut ways: Vec<FramesOf> = HostWay::ALL.into_iter().map(of_way).collect();
    let mut coin = Coin::tossed_by_the_clock();
    let begun = Instant::now();
    gate.begin();
    for round in 0..PAIRS {
        progress.report(round, PAIRS, text("progress.measuring"));
        for of in ways.iter_mut().filter(|of| of.why_not.is_none()) {
            if progress.is_cancelled() {
                return Err(Error::cancelled());
            }
            let [base, own] = ready.pair(of.way, count, coin.is_heads())?;
            of.pairs.push(Pair { first_ns: base.total_ns, second_ns: own.total_ns, first_place: 0, second_place: 0, start: 0 });
            of.enqueued_ns.push(own.enqueued_ns);
        }
    }
    let others_ns = gate.others_ns().unwrap_or(0) as f64;
    let busy = others_ns > gate.limit_cores() * begun.elapsed().as_nanos() as f64;
    let bands = ready.in_bands.as_ref().map(InBands::count);
    Ok(Frames { count, ways, parts_ns, pinned_ns, stream, bands, busy })
}

impl Ready<'_> {
    /// The base and a way, one right after the other; which is first, a coin decides.
    fn pair(&mut self, way: HostWay, count: usize, is_base_first: bool) -> Result<[FrameTimes; 2]> {
        if is_base_first {
            let base = self.run(HostWay::BASE, count)?;
            Ok([base, self.run(way, count)?])
        } else {
            let own = self.run(way, count)?;
            Ok([self.run(HostWay::BASE, count)?, own])
        }
    }

    /// `count` pictures in a way, over poisoned outputs that are held to what they should be.
    fn run(&mut self, way: HostWay, count: usize) -> Result<FrameTimes> {
        let Self { session, plan, upload, memories, ordered, free, outputs, pinned, in_bands, expected } = self;
        if way == HostWay::InBands {
            return in_bands.as_mut().ok_or_else(super::not_prepared)?.run(session, expected, count);
        }
        let (from, mut to) = match pinned.as_mut().filter(|_| way == HostWay::Pinned) {
            Some(pinned) => {
                let [one, other] = &mut pinned.outputs;
                let [one, other] = [one, other].map(|output| output.all_mut(session));
                (&*pinned.upload.all_mut(session)?, [one?, other?])
            }
            None => (upload.as_slice(), outputs.each_mut().map(Vec::as_mut_slice)),
        };
        for (memory, output) in memories.iter().zip(&mut to) {
            memory.poison(session)?;
            Poison::random().fill(output);
        }
        let lanes = match way {
            HostWay::TwoQueues | HostWay::Pinned => &ordered[..],
            HostWay::OutOfOrder => free.as_slice(),
            HostWay::Create | HostWay::Wait | HostWay::Batch | HostWay::Flush | HostWay::InBands => &ordered[..1],
        };
        let is_double = matches!(way, HostWay::TwoQueues | HostWay::OutOfOrder | HostWay::Pinned);
        let waits = match way {
            HostWay::Create | HostWay::Wait => Waits::Each,
            HostWay::Batch => Waits::Once,
            HostWay::Flush | HostWay::TwoQueues | HostWay::OutOfOrder | HostWay::Pinned | HostWay::InBands => Waits::OnceAndFlushes,
        };
        let sets = if is_double { 2 } else { 1 };
        let times = if way == HostWay::Create {
            created_each(session, plan, &memories[0], from, to[0], lanes, count)?
        } else {
            let both = memories.iter().zip(&mut to).take(sets);
            let mut sets = both
                .map(|(memory, output)| set_of(memory, plan.launches(memory).collect::<Result<_>>()?, from, output))
                .collect::<Result<Vec<_>>>()?;
            session.frames(lanes, &mut sets, count, waits)?
        };
        for (memory, output) in memories.iter().zip(&to).take(sets) {
            expected.check_all(&rows_of(&plan.launch.destination, plan.launch.destination.height_px, output))?;
            memory.check_guards(session)?;
        }
        Ok(times)
    }

    /// Many pictures by two queues and pinned memory: so many that the first upload and the last read-back, which nothing hides, are little of it. Each such stream
    /// is followed by one of transfers alone.
    fn stream(&mut self, count: usize, progress: &dyn Progress) -> Result<Stream> {
        let [mut with, mut without] = [(), ()].map(|()| Vec::with_capacity(STREAMS));
        for round in 0..STREAMS {
            progress.report(round, STREAMS, text("progress.measuring"));
            if progress.is_cancelled() {
                return Err(Error::cancelled());
            }
            with.push(self.run(HostWay::Pinned, count)?.total_ns as f64 / count as f64);
            without.push(self.transfers(count)?.total_ns as f64 / count as f64);
        }
        Ok(Stream { count, picture_ns: median_of(with), bus_ns: median_of(without) })
    }

    /// What [`HostWay::Pinned`] does, without kernels.
    fn transfers(&mut self, count: usize) -> Result<FrameTimes> {
        let Self { session, memories, ordered, pinned, .. } = self;
        let PinnedCopies { upload, outputs: [one, other] } = pinned.as_mut().ok_or_else(super::not_prepared)?;
        let upload = &*upload.all_mut(session)?;
        let outputs = [one.all_mut(session)?, other.all_mut(session)?];
        let both = memories.iter().zip(outputs);
        let mut sets = both.map(|(memory, output)| set_of(memory, Vec::new(), upload, output)).collect::<Result<Vec<_>>>()?;
        session.frames(ordered, &mut sets, count, Waits::OnceAndFlushes)
    }

    /// Median times of one picture's upload and read-back by pinned memory, each alone and waited for; `None` where there is none, or where nothing is copied.
    fn pinned_parts(&mut self) -> Result<Option<[f64; 2]>> {
        let Self { session, memories, pinned, .. } = self;
        let Some(PinnedCopies { upload, outputs: [output, _] }) = pinned else { return Ok(None) };
        let memory = &memories[0];
        let (source, destination) = (memory.source_buffer().ok_or_else(super::not_prepared)?, memory.destination.buffer());
        // What the host reaches already is mapped, not copied.
        if [source, destination].iter().any(|buffer| buffer.host_memory() != HostMemory::Copy) {
            return Ok(None);
        }
        let mut parts: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
        for _ in 0..TIMES {
            let begun = Instant::now();
            session.write_pinned(source, upload, upload.len_bytes())?;
            let written = begun.elapsed();
            session.read_pinned(destination, output, output.len_bytes())?;
            let all = begun.elapsed();
            for (part, took) in parts.iter_mut().zip([written, all.saturating_sub(written)]) {
                part.push(took.as_nanos() as f64);
            }
        }
        Ok(Some(parts.map(median_of)))
    }

    /// Median times of upload, kernels and read-back of one picture, each waited for.
    fn parts(&mut self) -> Result<[f64; 3]> {
        let Self { session, plan, upload, memories, outputs, .. } = self;
        let memory = &memories[0];
        let mut parts: [Vec<f64>; 3] = [Vec::new(), Vec::new(), Vec::new()];
        for _ in 0..TIMES {
            let source = memory.source_buffer().ok_or_else(super::not_prepared)?;
            let begun = Instant::now();
            session.write(source, upload)?;
            let written = begun.elapsed();
            plan.run(session, memory)?;
            let run = begun.elapsed();
            session.read(memory.destination.buffer(), &mut outputs[0])?;
            let all = begun.elapsed();
            for (part, took) in parts.iter_mut().zip([written, run.saturating_sub(written), all.saturating_sub(run)]) {
                part.push(took.as_nanos() as f64);
            }
        }
        Ok(parts.map(median_of))
    }
}

fn set_of<'a>(memory: &'a Memory, launches: Vec<Launch<'a>>, upload: &'a [u8], output: &'a mut [u8]) -> Result<FrameSet<'a>> {
    let source = memory.source_buffer().ok_or_else(super::not_prepared)?;
    Ok(FrameSet { source, upload, launches, destination: memory.destination.buffer(), offset: 0, output })
}

/// Buffers of its own for each picture, released before the next.
fn created_each(
    session: &Session,
    plan: &Plan,
    like: &Memory,
    upload: &[u8],
    output: &mut [u8],
    lanes: &[Lane],
    count: usize,
) -> Result<FrameTimes> {
    let kept = like.buffers();
    let begun = Instant::now();
    for _ in 0..count {
        let created = kept.iter().map(|buffer| session.buffer(buffer.len_bytes(), Access::ReadWrite)).collect::<Result<Vec<_>>>()?;
        let mut launches = plan.launches(like).collect::<Result<Vec<_>>>()?;
        for arg in launches.iter_mut().flat_map(|launch| &mut launch.args) {
            if let Arg::Buffer(old) = arg
                && let Some((_, new)) = kept.iter().zip(&created).find(|(known, _)| std::ptr::eq(**known, *old))
            {
                *old = new;
            }
        }
        let [source, .., destination] = created.as_slice() else { return Err(super::not_prepared()) };
        session.frames(lanes, &mut [FrameSet { source, upload, launches, destination, offset: 0, output }], 1, Waits::Each)?;
    }
    let total_ns = super::elapsed_ns(begun);
    Ok(FrameTimes { enqueued_ns: total_ns, total_ns })
}

/// The `height_px` rows of an output, without what lies between them.
fn rows_of<'a>(layout: &Layout, height_px: usize, output: &'a [u8]) -> Cow<'a, [u8]> {
    let (row_bytes, pitch_bytes) = (layout.row_bytes(), layout.pitch_bytes.max(1));
    if row_bytes == pitch_bytes {
        return Cow::Borrowed(output.get(..row_bytes * height_px).unwrap_or(output));
    }
    let mut rows = Vec::with_capacity(row_bytes * height_px);
    // Row by row: byte by byte takes longer than the runs themselves.
    output.chunks(pitch_bytes).take(height_px).for_each(|row| rows.extend_from_slice(row.get(..row_bytes).unwrap_or(row)));
    Cow::Owned(rows)
}
