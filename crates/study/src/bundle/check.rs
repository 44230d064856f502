//! What a bundle that is read is held to: figures that follow from its samples, sizes that can be, and no part that speaks of another one.

use super::{BenchRun, Bundle, DeviceRun, Reading, Tested};
use crate::claims::elsewhere::Cited;
use base::hash::sha256;
use base::texts::{filled, text};
use kernels::filters::FilterIdExt;
use model::measure::{Comparison, Pair, Places, Verdict, compare};
use model::{Budget, Channels, Contender, Counts, Machine, Measured, Outcome, Record, Summary};
use std::fmt::Display;

/// No reading has more samples.
const MOST_SAMPLES: usize = 100_000;

/// No experiment has more comparisons.
const MOST_ARMS: usize = 16;

/// No comparison has more pairs; the time to work out their interval grows with the square of it.
const MOST_PAIRS: usize = 2_000;

/// The largest count per pixel, and the most bytes and nanoseconds, that can be: far beyond every kernel, and small enough to be computed with.
const MOST: f64 = 1e15;

/// By how much a figure may differ from the one that follows from the samples: numbers are written with as many digits as they need.
const ROUNDING: f64 = 1e-9;

/// The same of ratios, which are rounded when they are kept.
const RATIO_ROUNDING: f64 = 2e-4;

/// What is wrong, as a clause.
type Fault = String;

/// Lets the interval decide what older versions of this program left unclear as other programs were running: the verdict follows from the pairs. What it
/// changes is right by itself, and is checked like the rest.
pub fn decide(bundle: &mut Bundle) {
    let decided = |said: &mut Comparison, pairs: &[Pair], places: Places, is_busy: bool| {
        if is_busy && said.verdict == Verdict::Unclear && pairs.len() <= MOST_PAIRS {
            said.verdict = compare(pairs, places).verdict;
        }
    };
    for device in bundle.runs.iter_mut().flat_map(|run| &mut run.devices) {
        for above in device.readings.iter_mut().filter_map(|reading| reading.above.as_mut()) {
            decided(&mut above.comparison, &above.pairs, above.places, above.busy);
        }
        for Tested { step, pairs, places } in &mut device.tested {
            decided(&mut step.comparison, pairs, *places, step.is_busy);
            step.forget_busy_reason();
        }
    }
}

/// Holds a bundle to what can be.
///
/// # Errors
/// A clause with the place and what is wrong there.
pub fn check(bundle: &Bundle) -> Result<(), Fault> {
    for (hash, kernel) in &bundle.kernels {
        if sha256(kernel.as_bytes()) != *hash {
            return Err(filled("errors.bundle.is.kernel", &[("hash", hash)]));
        }
    }
    for (index, run) in bundle.runs.iter().enumerate() {
        check_run(bundle, run).map_err(|why| filled("errors.bundle.is.in-run", &[("number", &(index + 1)), ("why", &why)]))?;
    }
    Ok(())
}

fn check_run(bundle: &Bundle, run: &BenchRun) -> Result<(), Fault> {
    for (index, record) in run.cpu.iter().enumerate() {
        let is_cpu = matches!(record.contender, Contender::Cpu { .. });
        let checked = check_record(record).and_then(|()| held(is_cpu, || text("errors.bundle.is.no-cpu").to_owned()));
        checked.map_err(|why| filled("errors.bundle.is.in-cpu", &[("number", &(index + 1)), ("why", &why)]))?;
    }
    for device in &run.devices {
        let place = |key, number: usize, why: Fault| {
            let values: [(&str, &dyn Display); 3] = [("device", &device.device.name), ("number", &number), ("why", &why)];
            filled(key, &values)
        };
        for (index, reading) in device.readings.iter().enumerate() {
            check_reading(bundle, device, reading).map_err(|why| place("errors.bundle.is.in-reading", index + 1, why))?;
        }
        for (index, tested) in device.tested.iter().enumerate() {
            check_tested(tested).map_err(|why| place("errors.bundle.is.in-tested", index + 1, why))?;
        }
    }
    Ok(())
}

fn held(is_so: bool, why: impl FnOnce() -> Fault) -> Result<(), Fault> {
    if is_so { Ok(()) } else { Err(why()) }
}

fn check_reading(bundle: &Bundle, device: &DeviceRun, reading: &Reading) -> Result<(), Fault> {
    check_record(&reading.record)?;
    reading.above.as_ref().map_or(Ok(()), |above| check_pairs(&above.comparison, &above.pairs, above.places))?;
    let Machine { device: name, driver, alias, .. } = &reading.record.machine;
    let is_of_device = matches!(reading.record.contender, Contender::Device { .. });
    let is_its_own = *name == device.device.name && *driver == device.device.driver() && *alias == device.machine;
    held(is_of_device && is_its_own, || filled("errors.bundle.is.of-another", &[("other", name), ("driver", driver)]))?;
    let kernel = reading.kernel.as_ref().filter(|hash| !bundle.kernels.contains_key(*hash));
    kernel.map_or(Ok(()), |hash| Err(filled("errors.bundle.is.no-kernel", &[("hash", hash)])))
}

fn check_record(record: &Record) -> Result<(), Fault> {
    let Record { schema, picture, spec, outcome, .. } = record;
    held(*schema == Record::SCHEMA, || filled("errors.bundle.is.schema", &[("found", schema), ("known", &Record::SCHEMA)]))?;
    pictures::check_size(picture.width_px, picture.height_px, spec.channels).map_err(|error| error.to_string())?;
    let is_hash = picture.sha256.len() == 64 && picture.sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
    held(is_hash, || text("errors.bundle.is.no-hash").to_owned())?;
    let complete = spec.filter.filter().complete(&spec.parameters).map_err(|error| error.to_string())?;
    held(complete == spec.parameters, || text("errors.bundle.is.incomplete").to_owned())?;
    match outcome {
        Outcome::Measured(measured) => check_measured(measured, picture.width_px * picture.height_px),
        Outcome::Unsupported(_) | Outcome::Failed(_) => Ok(()),
    }
}

fn check_measured(measured: &Measured, pixels: usize) -> Result<(), Fault> {
    let Measured { kernel, passes, queue_wait, launch_latency, round_trip, bytes_moved, counts, verification, doubt, .. } = measured;
    let mut shares = [Some(measured.discarded_share), measured.disturbed_share].into_iter().flatten();
    let parts = [kernel, queue_wait, launch_latency, &round_trip.upload, &round_trip.layout, &round_trip.kernel, &round_trip.readback];
    let mut summaries = parts.into_iter().flatten().chain(passes.iter().map(|pass| &pass.time)).chain([&round_trip.total]);
    summaries.try_for_each(check_summary)?;
    let is_checked = verification.total_pixels <= pixels && verification.differing_pixels <= verification.total_pixels;
    held(is_checked, || text("errors.bundle.is.pixels").to_owned())?;
    let numbers = counts.iter().flat_map(|counts| {
        let Counts { loads, loaded_bytes, stores, stored_bytes, operations, float_operations, by_class, must_move_bytes } = *counts;
        let own = [loads, loaded_bytes, stores, stored_bytes, operations, float_operations, must_move_bytes];
        own.into_iter().chain(by_class.iter().map(|(_, count)| count)).collect::<Vec<_>>()
    });
    let doubted = doubt.iter().flat_map(|doubt| [doubt.device_ns, doubt.host_ns]);
    let can_be = numbers.chain([*bytes_moved as f64]).chain(doubted).all(|number| (0.0..=MOST).contains(&number));
    held(can_be && shares.all(|share| (0.0..=1.0).contains(&share)), || text("errors.bundle.is.too-large").to_owned())
}

/// Median and quartiles follow from the samples. Nothing at all is what was not measured.
fn check_summary(summary: &Summary) -> Result<(), Fault> {
    if *summary == Summary::default() {
        return Ok(());
    }
    let samples = &summary.samples_ns;
    held(samples.len() <= MOST_SAMPLES, || filled("errors.bundle.is.samples", &[("count", &samples.len()), ("most", &MOST_SAMPLES)]))?;
    held(samples.iter().all(|sample| *sample as f64 <= MOST), || text("errors.bundle.is.too-large").to_owned())?;
    let follows = Summary::of(samples.clone()).is_some_and(|own| {
        let figures = |of: &Summary| [of.median_ns, of.min_ns, of.lower_quartile_ns, of.upper_quartile_ns, of.max_ns];
        own.count == summary.count && figures(&own).into_iter().zip(figures(summary)).all(|(own, said)| is_near(own, said, ROUNDING))
    });
    held(follows, || text("errors.bundle.is.summary").to_owned())
}

fn check_tested(Tested { step, pairs, places }: &Tested) -> Result<(), Fault> {
    let [width, height] = step.size_px;
    pictures::check_size(width, height, Channels::Gray).map_err(|error| error.to_string())?;
    check_pairs(&step.comparison, pairs, *places)?;
    step.why.iter().try_for_each(|cited| check_experiment(&step.comparison, cited))
}

/// An experiment is of the step's own difference, its numbers can be, and its conclusion follows from its comparisons. These have no pairs here.
fn check_experiment(effect: &Comparison, cited: &Cited) -> Result<(), Fault> {
    let Some(tested) = &cited.tested else { return Ok(()) };
    let can_be = |of: &Comparison| [0.0, of.low, of.ratio, of.high, MOST].is_sorted() && of.starts <= Budget::MOST_STARTS;
    let mut all = tested.arms.iter().filter_map(|arm| arm.comparison.as_ref());
    held(tested.arms.len() <= MOST_ARMS && all.all(can_be), || text("errors.bundle.is.too-large").to_owned())?;
    let ends = |of: &Comparison| [of.ratio, of.low, of.high];
    let is_its_own = ends(effect).into_iter().zip(ends(&tested.effect)).all(|(own, said)| is_near(own, said, RATIO_ROUNDING));
    held(is_its_own && tested.follows(), || filled("errors.bundle.is.experiment", &[("rule", &cited.rule)]))
}

/// Ratio, interval and verdict follow from the pairs.
fn check_pairs(said: &Comparison, pairs: &[Pair], places: Places) -> Result<(), Fault> {
    held(pairs.len() <= MOST_PAIRS, || filled("errors.bundle.is.pairs", &[("count", &pairs.len()), ("most", &MOST_PAIRS)]))?;
    let is_start = |pair: &Pair| pair.start < Budget::MOST_STARTS;
    held(pairs.iter().all(is_start), || filled("errors.bundle.is.starts", &[("most", &Budget::MOST_STARTS)]))?;
    let own = compare(pairs, places);
    let figures = |of: &Comparison| [of.ratio, of.low, of.high];
    let is_same = figures(&own).into_iter().zip(figures(said)).all(|(own, said)| is_near(own, said, RATIO_ROUNDING));
    held(is_same && own.verdict == said.verdict && own.starts == said.starts, || text("errors.bundle.is.comparison").to_owned())
}

fn is_near(own: f64, said: f64, rounding: f64) -> bool {
    said.is_finite() && (own - said).abs() <= rounding * own.abs().max(said.abs())
}
