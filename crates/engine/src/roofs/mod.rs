//! What a device can do at most, found by probe kernels of `kernels/roofs/`: no query tells it.
//!
//! A probe is held to what a filter is held to: its output is compared with what the host computes, word by word, before it is timed, so a compiler that left
//! work out is noticed. What it may not do and cannot be seen in an output, to find a shortcut through the arithmetic, shows in the time: twice the rounds have to
//! take about twice as long.
//!
//! Each figure is the best of several widths of loads and local work sizes. These are tried briefly; the winner is then measured anew, with the budget, gate and
//! busy rule that every measurement has, so that the luck of the trial is not in it. Of arithmetic this is done for one class of operations of each type of
//! number; the other classes are measured briefly with the width and the local work size of that one.

mod arithmetic;
mod bus;
mod chains;
mod kept;
mod latency;
mod levels;
mod memory;
mod probe;
mod proof;
mod trial;

pub use kept::{keep, known};
pub use proof::{fma, half_lanes};

use crate::device::{DeviceKind, Session};
use arithmetic::{Arithmetic, Chains, first_of};
use base::error::{Error, Result};
use base::texts::{Words, failed, text};
use bus::{Direction, bus};
use levels::Blocks;
use memory::{Copy, Field, Read, Write};
use model::measure::{Gate, Progress};
use model::{Machine, OperationClass, Roof, RoofKind, Roofs, cache_bytes};
use std::collections::BTreeMap;
use trial::{Trials, doubted};

/// Measures all roofs of the session's device, which takes less than a minute.
///
/// # Errors
/// Cancelled, or the device has no room for the smallest probe. A roof that could not be measured is in [`Roofs::missing`], with its reason.
pub fn measure(session: &Session, machine: Machine, date: String, gate: &mut dyn Gate, progress: &dyn Progress) -> Result<Roofs> {
    let steps = RoofKind::all().count() + 1;
    progress.report(0, steps, text("studies.roof.preparing"));
    let field = Field::new(session)?;
    let mut trials = Trials { gate, progress, doubt: None };
    let mut roofs = Roofs {
        schema: Roofs::SCHEMA,
        machine,
        date,
        found: BTreeMap::new(),
        missing: BTreeMap::new(),
        copies: Vec::new(),
        reads: Vec::new(),
        reads_missing: None,
        waits: Vec::new(),
        cache_bytes: None,
    };
    // Without them the others stand.
    match (Blocks { session, field: &field }).curve(&mut trials) {
        Err(error) if error.is_cancelled() => return Err(error),
        Err(error) => roofs.reads_missing = Some(told(&error)),
        Ok(reads) => roofs.reads = reads,
    }
    let mut done = 0;
    let mut step = |roofs: &mut Roofs, kind: RoofKind, find: &mut dyn FnMut(&mut Trials) -> Result<Roof>| -> Result<()> {
        done += 1;
        progress.report(done, steps, kind.label());
        match find(&mut trials) {
            Err(error) if error.is_cancelled() => return Err(error),
            Err(error) => drop(roofs.missing.insert(kind, told(&error))),
            Ok(roof) => drop(roofs.found.insert(kind, roof)),
        }
        Ok(())
    };
    let is_cpu = session.info().kind == DeviceKind::Cpu;
    let copy = Copy { session, field: &field, wraps: !is_cpu };
    step(&mut roofs, RoofKind::Copy, &mut |trials| trials.best_at(&copy, field.bytes))?;
    step(&mut roofs, RoofKind::Read, &mut |trials| trials.best_at(&Read { session, field: &field }, field.bytes))?;
    step(&mut roofs, RoofKind::Write, &mut |trials| trials.best_at(&Write { session, field: &field }, field.bytes))?;
    let mut copies = Vec::new();
    let large = roofs.get(RoofKind::Copy).cloned();
    step(&mut roofs, RoofKind::CachedCopy, &mut |trials| {
        let large = large.as_ref().ok_or_else(|| missing(text("roofs.measuring.no-copy")))?;
        copies = trials.over_sizes(&copy, large, field.bytes)?;
        let fastest = copies.iter_mut().max_by(|one, other| one.rate().total_cmp(&other.rate()));
        let Some(fastest) = fastest else { return Err(missing(text("roofs.measuring.no-copy"))) };
        // Anew and for longer: the luck of the fastest brief one is not in it. It then stands for that size in all tables.
        *fastest = trials.best_at(&copy, fastest.setup.bytes / 2)?;
        Ok(fastest.clone())
    })?;
    roofs.copies = copies;
    if let (Some(cached), Some(memory)) = (roofs.rate(RoofKind::CachedCopy), roofs.rate(RoofKind::Copy)) {
        roofs.cache_bytes = cache_bytes(&roofs.copies, cached, memory);
        if roofs.cache_bytes.is_none() {
            roofs.found.remove(&RoofKind::CachedCopy);
            roofs.missing.insert(RoofKind::CachedCopy, Words::text("roofs.measuring.no-cache"));
        }
    }
    for class in OperationClass::ALL {
        let first = first_of(class).and_then(|first| roofs.get(first.roof())).map(|first| first.setup);
        step(&mut roofs, class.roof(), &mut |trials| {
            if class.is_half() && !session.info().has_fp16 {
                return Err(missing(text("roofs.measuring.no-half")));
            }
            let arithmetic = Arithmetic::new(session, &field, Chains::Class(class))?;
            match first {
                Some(first) => trials.alike(&arithmetic, &first),
                None => trials.best_of(&arithmetic),
            }
        })?;
    }
    for (kind, is_uniform) in [(RoofKind::ConstantUniform, true), (RoofKind::ConstantDivergent, false)] {
        step(&mut roofs, kind, &mut |trials| trials.best_of(&Arithmetic::new(session, &field, Chains::Constant { is_uniform })?))?;
    }
    step(&mut roofs, RoofKind::Upload, &mut |trials| bus(session, &field, trials, Direction::Upload))?;
    step(&mut roofs, RoofKind::ReadBack, &mut |trials| bus(session, &field, trials, Direction::ReadBack))?;
    step(&mut roofs, RoofKind::Launch, &mut |trials| latency::launch(session, &field, trials))?;
    // The last one: it overwrites the field.
    let waits = &mut Vec::new();
    step(&mut roofs, RoofKind::Latency, &mut |trials| {
        let waiting = latency::Waiting::new(session, &field)?;
        *waits = waiting.curves(trials)?;
        waiting.load(trials)
    })?;
    roofs.waits.append(waits);
    // One clock tells them all, and of what is short a wait says nothing.
    if let Some(doubt) = trials.doubt {
        let why = told(&doubted(&doubt));
        roofs.missing.extend(std::mem::take(&mut roofs.found).into_keys().map(|kind| (kind, why.clone())));
        roofs.copies.clear();
        roofs.reads.clear();
        roofs.waits.clear();
        roofs.cache_bytes = None;
    }
    Ok(roofs)
}

/// Why a roof is missing, without a language.
fn told(error: &Error) -> Words {
    let (what, why) = error.keys.as_deref().map_or((&error.what, &error.why), |[what, why, _]| (what, why));
    Words::from(format!("{what}: {why}"))
}

fn missing(why: &str) -> Error {
    failed("errors.roofs.missing", &[("why", &why)])
}

#[cfg(test)]
mod tests;
