//! What hardware and system counted while kernels ran, as a story: counted here, or by Nsight Compute.
//!
//! No ratio of two variants' counts is told: they come from runs of different moments, and have no interval. Counts stand side by side.

mod ncu;

pub use ncu::{Kernel, Profiled, profile, profiled_story, read as read_ncu, story as ncu_story};

use base::texts::{Words, filled};
use model::{Event, EventCounts};
use std::collections::BTreeMap;
use std::fmt::Display;
use view::plot::units::{self, Unit};
use view::story::{Block, Cell, Column, Kind, Story, Table, Tone, said};

/// Bytes of a cache line of the processors that counters are read on: x86-64, and most of Arm's.
const LINE_BYTES: f64 = 64.0;

/// What was counted of a variant.
#[derive(Clone, Debug)]
pub struct Counted {
    /// The variant.
    pub name: String,
    /// Counts per run.
    pub counts: EventCounts,
    /// Pixels of a run.
    pub pixels: f64,
}

/// The counts of one variant or of several, side by side.
#[must_use]
pub fn story(title: Words, all: &[Counted]) -> Story {
    let mut story = Story { title: Some(title), ..Story::default() };
    let mut columns = vec![Column::new("event", Kind::Words, "studies.counters.per-pixel")];
    columns.extend(
        all.iter()
            .enumerate()
            .map(|(index, counted)| Column::headed(&format!("variant_{}", index + 1), Kind::Number, Words::from(counted.name.as_str()))),
    );
    let mut table = Table::new("events", columns);
    let mut row = |label: &'static str, cells: Vec<Cell>| {
        if cells.iter().any(|cell| *cell != Cell::Missing) {
            table.row(std::iter::once(Cell::Words(Words::text(label))).chain(cells).collect::<Vec<_>>());
        }
    };
    let number = |value: Option<f64>| value.map_or(Cell::Missing, |value| Cell::Number(value, Unit::Count));
    let per_pixel = |event: Event| {
        move |counted: &Counted| {
            let count = counted.counts.counts.get(&event)?;
            // Of what is rare, a run says more than a pixel; their labels say it.
            Some(if matches!(event, Event::PageFaults | Event::ContextSwitches) { *count } else { count / counted.pixels })
        }
    };
    for event in Event::ALL {
        row(event.key(), all.iter().map(|counted| number(per_pixel(event)(counted))).collect());
    }
    let cells = |of: &dyn Fn(&Counted) -> Option<f64>| all.iter().map(|counted| number(of(counted))).collect::<Vec<_>>();
    row("studies.counters.per-cycle", cells(&|counted| counted.counts.ratio(Event::Instructions, Event::Cycles)));
    row("studies.counters.from-memory", cells(&|counted| per_pixel(Event::LastMisses)(counted).map(|misses| misses * LINE_BYTES)));
    row("studies.counters.must-move", cells(&|counted| counted.counts.must_move_bytes));
    let times = all.iter().map(|counted| {
        let time = counted.counts.kernel.as_ref();
        time.map_or(Cell::Missing, |time| Cell::Between([time.median_ns, time.lower_quartile_ns, time.upper_quartile_ns], Unit::Time))
    });
    row("studies.counters.time", times.collect());
    story.push(Block::Table(table));
    for counted in all {
        let (name, runs, threads) = (counted.name.clone(), counted.counts.runs, counted.counts.threads);
        let values = move || {
            let values: [(&str, &dyn Display); 3] = [("name", &name), ("runs", &runs), ("threads", &threads)];
            filled("studies.counters.runs", &values)
        };
        story.say(Tone::Weak, said(values));
    }
    for (why, events) in reasons(all) {
        let values = move || {
            let events = base::texts::joined("words.list.items", events.iter().map(|event| event.label().to_owned()));
            filled("studies.counters.missing", &[("events", &events), ("why", &why)])
        };
        story.say(Tone::Warning, said(values));
    }
    if let Some(share) = all.iter().map(|counted| counted.counts.share).min_by(f64::total_cmp).filter(|share| *share < 0.999) {
        let percent = units::whole_percent(share);
        story.say(Tone::Weak, said(|| filled("studies.counters.shared", &[("percent", &percent)])));
    }
    if all.iter().any(|counted| counted.counts.busy) {
        story.say(Tone::Warning, Words::text("studies.counters.busy"));
    }
    story
}

/// Why events were not counted, with those that have the reason in common.
fn reasons(all: &[Counted]) -> BTreeMap<String, Vec<Event>> {
    let mut reasons: BTreeMap<String, Vec<Event>> = BTreeMap::new();
    for (event, why) in all.iter().flat_map(|counted| &counted.counts.missing) {
        let events = reasons.entry(why.to_string()).or_default();
        if !events.contains(event) {
            events.push(*event);
        }
    }
    reasons
}

#[cfg(test)]
mod tests {
    use super::{Counted, story};
    use base::texts::Words;
    use model::{Event, EventCounts};
    use view::story::text;

    fn counted(name: &str, counts: &[(Event, f64)]) -> Counted {
        let missing = Event::ALL.into_iter().filter(|event| counts.iter().all(|(known, _)| known != event));
        let missing = missing.map(|event| (event, Words::from("not here"))).collect();
        let counts = EventCounts {
            runs: 5,
            threads: 3,
            counts: counts.iter().copied().collect(),
            missing,
            share: 0.5,
            kernel: None,
            must_move_bytes: Some(6.0),
            busy: false,
        };
        Counted { name: name.to_owned(), counts, pixels: 1000.0 }
    }

    #[test]
    fn counts_are_per_pixel_and_what_is_missing_is_told_once() {
        let some = [(Event::Instructions, 30_000.0), (Event::Cycles, 10_000.0), (Event::LastMisses, 250.0)];
        let told = text::paint(&story("title".into(), &[counted("naive", &some), counted("padded", &some[..1])]));
        let line = |start: &str| told.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{start}: {told}")).to_owned();
        assert!(line("Instructions ").split_whitespace().eq(["Instructions", "30", "30"]), "{told}");
        assert!(line("Instructions per cycle").ends_with('–') || line("Instructions per cycle").contains('3'), "{told}");
        // 0.25 misses per pixel of 64 bytes.
        assert!(line("Bytes from memory").contains("16"), "{told}");
        assert_eq!(told.matches("not here").count(), 1, "{told}");
        assert!(told.contains("50 %"), "{told}");
    }
}
