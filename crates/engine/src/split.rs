//! One picture shared between the CPU and a device: the upper rows here, on all cores, the others there, at the same time.
//!
//! Each part takes the rows around its own that these depend on, as the bands of a large picture do. What is timed is what a program would do that has the picture in
//! memory: the device's upload, kernels and read-back, and the CPU's work, until both have ended. That rows are cut out and put together again is no part of it: a program
//! would pass pointers into one picture.

use super::bands::{Band, mirrored};
use super::expected::Expected;
use super::plan::{Asked, Memory, Plan, Scratch};
use super::{Task, elapsed_ns, on_cpu};
use crate::device::{Poison, Session};
use base::error::{Error, Result};
use base::texts::{misused, text};
use model::measure::{Coin, Gate, MIN_PAIRS, Pair, Progress, Split, SplitWay, even_rows, median_of};
use model::{CpuEngine, Reach};
use pictures::{Picture, Sharing};
use std::ops::Range;
use std::time::Instant;

/// Shares of the CPU that are tried in any case, in eighths.
const PARTS: usize = 8;

/// Pairs of each way.
const PAIRS: usize = 2 * MIN_PAIRS;

/// Runs of each alone, before the shares are known.
const ALONE: usize = 7;

/// What computes on the CPU.
const ENGINE: CpuEngine = CpuEngine::Threads;

/// A band, with the rows of the source that it takes.
struct Part {
    band: Band,
    source: Picture,
}

impl Part {
    fn of(source: &Picture, own: Range<usize>, reach: Reach) -> Option<Self> {
        let band = Band::of(own, mirrored(reach), source.height_px());
        (!band.own.is_empty()).then(|| Self { source: source.rows(band.taken.clone()), band })
    }
}

/// The device's part, ready to run again and again.
struct OnDevice {
    part: Part,
    plan: Plan,
    memory: Memory,
    scratch: Scratch,
    output: Vec<u8>,
}

/// The CPU's.
struct OnCpu {
    part: Part,
    output: Picture,
}

/// Both parts of one way; one of them may have no rows.
struct Way {
    device: Option<OnDevice>,
    cpu: Option<OnCpu>,
}

/// What all ways need.
struct Ready<'a> {
    session: &'a Session,
    task: &'a Task,
    source: &'a Picture,
    expected: &'a Expected,
}

/// Measures all ways of a task whose output has the source's size and depends on nothing beyond its reach.
///
/// # Errors
/// It cannot be cut, or has no CPU implementation; a wrong output; cancelled; the driver's refusal.
pub fn measure(
    session: &Session,
    task: &Task,
    source: &Picture,
    expected: &Expected,
    gate: &mut dyn Gate,
    progress: &dyn Progress,
) -> Result<Split> {
    if task.filter().is_whole {
        return Err(misused("errors.engine.split-whole", &[]));
    }
    if !task.filter().competitors().contains(&ENGINE) {
        return Err(misused("errors.engine.split-no-cpu", &[]));
    }
    let ready = Ready { session, task, source, expected };
    let height_px = source.height_px();
    let mut alone = ready.way(0)?;
    let mut on_cpu = ready.way(height_px)?;
    let alone_ns = [ready.median(&mut alone)?, ready.median(&mut on_cpu)?];
    drop(on_cpu);
    let even = even_rows(height_px, alone_ns);
    let mut rows: Vec<usize> = (0..=PARTS).map(|part| height_px * part / PARTS).chain([even]).collect();
    rows.sort_unstable();
    rows.dedup();
    let mut ways: Vec<(SplitWay, Way)> =
        rows.into_iter().map(|cpu_rows| Ok((SplitWay { cpu_rows, pairs: Vec::new() }, ready.way(cpu_rows)?))).collect::<Result<_>>()?;
    let mut coin = Coin::tossed_by_the_clock();
    let begun = Instant::now();
    gate.begin();
    for round in 0..PAIRS {
        progress.report(round, PAIRS, text("progress.measuring"));
        for (of, way) in &mut ways {
            if progress.is_cancelled() {
                return Err(Error::cancelled());
            }
            let is_base_first = coin.is_heads();
            let before = if is_base_first { Some(ready.run(&mut alone)?) } else { None };
            let second_ns = ready.run(way)?;
            let first_ns = before.map_or_else(|| ready.run(&mut alone), Ok)?;
            of.pairs.push(Pair { first_ns, second_ns, first_place: 0, second_place: 0, start: 0 });
        }
    }
    let others_ns = gate.others_ns().unwrap_or(0) as f64;
    let busy = others_ns > gate.limit_cores() * begun.elapsed().as_nanos() as f64;
    Ok(Split { height_px, ways: ways.into_iter().map(|(of, _)| of).collect(), alone_ns, even_rows: even, busy })
}

impl Ready<'_> {
    /// With so many rows at the top for the CPU.
    fn way(&self, cpu_rows: usize) -> Result<Way> {
        let Self { session, task, source, .. } = *self;
        let reach = (task.filter().reach)(&task.spec.parameters);
        let height_px = source.height_px();
        let cpu = Part::of(source, 0..cpu_rows, reach).map(|part| {
            let output = task.filter().blank(&part.source, &task.spec.parameters, Sharing::Private);
            OnCpu { part, output }
        });
        let device = Part::of(source, cpu_rows..height_px, reach).map(|part| {
            let asked = Asked::of(task).ok_or_else(|| misused("errors.engine.frames-cpu", &[]))?;
            let plan = Plan::new(session, task, &asked, part.source.height_px())?;
            let memory = plan.memory(session)?;
            let output = vec![0; plan.launch.destination.row_bytes() * plan.launch.destination.height_px];
            Ok(OnDevice { part, plan, memory, scratch: Scratch::default(), output })
        });
        Ok(Way { device: device.transpose()?, cpu })
    }

    /// The median of some runs, after two that are not counted.
    fn median(&self, way: &mut Way) -> Result<f64> {
        let times = (0..ALONE + 2).map(|_| self.run(way).map(|time_ns| time_ns as f64)).collect::<Result<Vec<_>>>()?;
        Ok(median_of(times.into_iter().skip(2).collect()))
    }

    /// Runs both parts at the same time over poisoned outputs, which are held to what they should be; how long it took until both had ended.
    fn run(&self, way: &mut Way) -> Result<u64> {
        let Self { session, task, expected, .. } = *self;
        let Way { device, cpu } = way;
        if let Some(OnDevice { memory, output, .. }) = device {
            memory.poison(session)?;
            Poison::random().fill(output);
        }
        if let Some(OnCpu { output, .. }) = cpu {
            Poison::random().fill(output.bytes_mut());
        }
        let begun = Instant::now();
        let on_device = std::thread::scope(|scope| {
            let other = cpu.as_mut().map(|OnCpu { part, output }| scope.spawn(|| on_cpu::run(ENGINE, task, &part.source, output)));
            let on_device = device.as_mut().map_or(Ok(()), |OnDevice { part, plan, memory, scratch, output }| {
                plan.upload(session, memory, &part.source, task.spec.border, scratch)?;
                plan.run(session, memory)?;
                plan.read_back(session, memory, scratch, output)
            });
            // A panic there is one here.
            other.map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            on_device
        });
        let time_ns = elapsed_ns(begun);
        on_device?;
        if let Some(OnDevice { part, plan, memory, output, .. }) = device {
            memory.check_guards(session)?;
            expected.check(part.band.own_rows(output, plan.launch.destination.row_bytes())?, part.band.own.start)?;
        }
        if let Some(OnCpu { part, output }) = cpu {
            expected.check(part.band.own_rows(output.bytes(), output.row_bytes())?, part.band.own.start)?;
        }
        Ok(time_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::Part;
    use model::{Channels, Reach};
    use pictures::Picture;

    #[test]
    fn a_part_takes_the_rows_around_its_own() {
        let source = Picture::from_fn(3, 10, Channels::Gray, |x, y, _| (10 * y + x) as u8);
        let part = Part::of(&source, 4..10, Reach::around(2)).expect("rows");
        assert_eq!((part.source.height_px(), part.band.inside().start, part.source.bytes()[0]), (8, 2, 20));
        // What a filter that copies would make of it.
        assert_eq!(part.band.own_rows(part.source.bytes(), 3).expect("all"), &source.bytes()[12..]);
        assert!(part.band.own_rows(&part.source.bytes()[1..], 3).is_err(), "a byte is missing");
        let upper = Part::of(&source, 0..4, Reach::around(2)).expect("rows");
        assert_eq!((upper.source.height_px(), upper.band.inside().start), (6, 0));
        assert_eq!(upper.band.own_rows(upper.source.bytes(), 3).expect("all"), &source.bytes()[..12]);
        assert!(Part::of(&source, 0..0, Reach::around(2)).is_none());
    }
}
