//! What is counted, in words: the same on the command line, in the picture and in the window.

use super::memory::Segments;
use super::reuse::{self, Reuse};
use super::sums::SoFar;
use super::{Answer, Question, Step, index_in_group};
use base::texts::{filled, text};
use kernels::footprint::{Access, Kind, Place, Space};
use std::fmt::Display;

/// What must be known to read lanes, loads and sums.
#[must_use]
pub fn notes(question: &Question) -> [&'static str; 3] {
    let order = if question.is_loop { "access.note.loop" } else { "access.note.lanes" };
    [order, "access.note.text", "access.note.register"].map(text)
}

/// Of image objects.
#[must_use]
pub fn layout_is_secret() -> &'static str {
    text("access.totals.secret")
}

/// "Pixel 120,80 is computed by work-item (120, 80): local id (24, 0) in work-group (3, 80) of 32 × 1".
#[must_use]
pub fn who(question: &Question, answer: &Answer) -> String {
    let ([x, y], item) = (question.pixel, &answer.item);
    let [across, down] = item.local_size;
    let values: [(&str, &dyn Display); 7] = [
        ("x", &x),
        ("y", &y),
        ("global", &pair(item.global())),
        ("local", &pair(item.local)),
        ("group", &pair(item.group)),
        ("across", &across),
        ("down", &down),
    ];
    filled("access.who.pixel", &values)
}

/// "Lane 24 of sub-group 0, which has 32 work-items; components 3 to 5 of the vector it stores".
#[must_use]
pub fn lane(question: &Question, answer: &Answer) -> String {
    let place = if question.is_loop {
        // People count from one.
        let number = index_in_group(answer.item.local, answer.item.local_size) + 1;
        let all = items(answer.group.len());
        let values: [(&str, &dyn Display); 4] =
            [("number", &number), ("items", &all), ("width", &question.sub_group), ("lane", &answer.lane)];
        filled(if question.sub_group > 1 { "access.who.loop-packed" } else { "access.who.loop" }, &values)
    } else {
        let all = items(answer.sub_group_items);
        filled("access.who.lane", &[("lane", &answer.lane), ("number", &answer.sub_group), ("items", &all)])
    };
    let Some(lanes) = &answer.vector_lanes else { return place };
    let key = if lanes.len() == 1 { "access.who.vector-lane" } else { "access.who.vector-lanes" };
    let vector = filled(key, &[("first", &lanes.start), ("last", &lanes.end.saturating_sub(1))]);
    filled("access.and", &[("first", &place), ("second", &vector)])
}

/// "Pass 2 of 2, `gaussian_vertical`"; nothing where there is one.
#[must_use]
pub fn pass(answer: &Answer) -> Option<String> {
    let passes = &answer.launch.passes;
    let kernel = passes.get(answer.pass)?.kernel;
    let values: [(&str, &dyn Display); 3] = [("number", &(answer.pass + 1)), ("count", &passes.len()), ("kernel", &kernel)];
    (passes.len() > 1).then(|| filled("access.who.pass", &values))
}

/// "Load 16 bytes of the source".
#[must_use]
pub fn instruction(access: &Access) -> String {
    let key = match access.kind {
        Kind::Load => "access.instruction.load",
        Kind::Store => "access.instruction.store",
        Kind::ImageRead => "access.instruction.read-texel",
        Kind::ImageWrite => "access.instruction.write-texel",
    };
    let told = filled(key, &[("bytes", &bytes(access.bytes())), ("space", &space(access.space))]);
    if access.is_repeat { filled("access.instruction.again", &[("instruction", &told)]) } else { told }
}

/// "the source".
#[must_use]
pub fn space(space: Space) -> &'static str {
    text(match space {
        Space::Source => "access.space.source",
        Space::Between(_) => "access.space.between",
        Space::Destination => "access.space.output",
        Space::Table(_) => "access.space.table",
        Space::Constant => "access.space.constant",
        Space::Tile => "access.space.tile",
    })
}

/// "0x1a2b", "texel 12,7" or "by value".
#[must_use]
pub fn place(access: &Access) -> String {
    match access.place {
        Place::Bytes { first, .. } => address(first),
        Place::Texel { x, y, .. } => filled("access.place.texel", &[("x", &x), ("y", &y)]),
        Place::Somewhere { .. } => text("access.place.by-value").to_owned(),
    }
}

/// "0x1a2b".
#[must_use]
pub fn address(byte: usize) -> String {
    format!("{byte:#06x}")
}

/// "(120, 80)".
#[must_use]
pub fn pair([first, second]: [usize; 2]) -> String {
    format!("({first}, {second})")
}

/// "32 bytes wanted, 1 × 32 fetched"; for a tile the turns of its banks; of image objects the reads.
#[must_use]
pub fn counter(step: &Step, size_bytes: usize) -> String {
    let wanted = bytes(step.wanted_bytes);
    let of_wanted = |key| filled(key, &[("bytes", &wanted)]);
    if let Some(segments) = of_size(step, size_bytes) {
        let is_distinct = step.unique_bytes == step.wanted_bytes;
        let distinct = || filled("access.counter.distinct", &[("bytes", &wanted), ("distinct", &step.unique_bytes)]);
        let wanted = if is_distinct { wanted.clone() } else { distinct() };
        let key = if step.own.kind.is_load() { "access.counter.fetched" } else { "access.counter.written" };
        return filled(key, &[("bytes", &wanted), ("touched", &segments.touched), ("size", &size_bytes)]);
    }
    if let Some(banks) = &step.banks {
        let turns = turns(banks.cycles);
        return match banks.degree {
            0 | 1 if banks.cycles <= 1 => of_wanted("access.counter.no-conflict"),
            0 | 1 => filled("access.counter.in-turns", &[("bytes", &wanted), ("turns", &turns)]),
            degree => filled("access.counter.conflict", &[("bytes", &wanted), ("degree", &degree), ("turns", &turns)]),
        };
    }
    match step.own.kind {
        Kind::ImageRead => {
            let distinct = texels(step.unique_bytes / step.own.bytes().max(1));
            filled("access.counter.texels-read", &[("reads", &reads(step.lanes.len())), ("texels", &distinct)])
        }
        Kind::ImageWrite => filled("access.counter.texels-written", &[("texels", &texels(step.lanes.len()))]),
        _ if step.own.space == Space::Constant && step.unique_bytes <= step.own.bytes() => of_wanted("access.counter.same-for-all"),
        _ => of_wanted("access.counter.wanted"),
    }
}

/// The segments of that size.
#[must_use]
pub fn of_size(step: &Step, size_bytes: usize) -> Option<Segments> {
    step.segments.as_ref()?.iter().find(|segments| segments.size_bytes == size_bytes).copied()
}

/// "So far 96 bytes wanted, 5 × 32 fetched, 3 of them distinct".
#[must_use]
pub fn so_far(sums: &SoFar, size_bytes: usize) -> String {
    let mut parts = Vec::new();
    if sums.wanted_bytes > 0 {
        let values: [(&str, &dyn Display); 4] =
            [("bytes", &bytes(sums.wanted_bytes)), ("touched", &sums.touched), ("size", &size_bytes), ("distinct", &sums.distinct)];
        parts.push(filled("access.so-far.fetched", &values));
    }
    if sums.image_reads > 0 {
        parts.push(filled("access.so-far.read", &[("reads", &reads(sums.image_reads))]));
    }
    if sums.bank_turns > 0 {
        parts.push(filled("access.so-far.turns", &[("turns", &turns(sums.bank_turns))]));
    }
    if sums.stored_bytes > 0 {
        let values: [(&str, &dyn Display); 3] =
            [("bytes", &bytes(sums.stored_bytes)), ("touched", &sums.stored_segments), ("size", &size_bytes)];
        parts.push(filled("access.so-far.stored", &values));
    }
    let joined = parts.into_iter().reduce(|first, second| filled("access.and", &[("first", &first), ("second", &second)]));
    let joined = joined.unwrap_or_else(|| text("access.so-far.nothing").to_owned());
    filled("access.so-far.all", &[("parts", &joined)])
}

/// What is fetched per pixel, with its bounds; the reads of image objects; the turns of the tile; on processors, when lines are loaded from again. One
/// sentence each.
#[must_use]
pub fn totals(question: &Question, answer: &Answer, size_bytes: usize) -> Vec<String> {
    let (totals, mut lines) = (&answer.totals, Vec::new());
    if let Some(size) = totals.fetched(size_bytes) {
        let values: [(&str, &dyn Display); 4] = [
            ("size", &size_bytes),
            ("cold", &number(size.cold)),
            ("once", &number(size.once_per_sub_group)),
            ("group", &number(size.once_per_group)),
        ];
        lines.push(filled(if question.is_loop { "access.totals.fetched-loop" } else { "access.totals.fetched" }, &values));
        let [wanted, floor] = [totals.wanted_bytes_per_px, totals.floor_bytes_per_px].map(number);
        lines.push(filled("access.totals.asked", &[("wanted", &wanted), ("floor", &floor)]));
    }
    if totals.image_reads_per_px > 0.0 {
        lines.push(filled("access.totals.reads", &[("reads", &number(totals.image_reads_per_px))]));
        lines.push(layout_is_secret().to_owned());
    }
    if totals.bank_cycles_per_px > 0.0 {
        lines.push(filled("access.totals.turns", &[("banks", &question.banks), ("turns", &number(totals.bank_cycles_per_px))]));
    }
    if question.is_loop {
        lines.extend(reuse::summary(answer, size_bytes).into_iter().map(|(reuse, count)| of_reuse(reuse, count)));
    }
    if answer.other_accesses > 0 {
        lines.push(filled("access.totals.left-out", &[("accesses", &accesses(answer.other_accesses))]));
    }
    lines
}

/// "6 lines: loaded by 1 work-item earlier, and by 1 work-item later".
fn of_reuse(Reuse { before, after }: Reuse, count: usize) -> String {
    let key = match (before, after) {
        (Some(_), Some(_)) => "access.reuse.between",
        (None, Some(_)) => "access.reuse.first",
        (Some(_), None) => "access.reuse.last",
        (None, None) => "access.reuse.only",
    };
    let [before, after] = [before, after].map(|distance| items(distance.unwrap_or(0)));
    filled(key, &[("lines", &counted(count, ["access.count.line", "access.count.lines"])), ("before", &before), ("after", &after)])
}

/// "1 byte", "32 bytes".
#[must_use]
pub fn bytes(number: usize) -> String {
    counted(number, ["words.count.byte", "words.count.bytes"])
}

/// "1 work-item", "32 work-items".
#[must_use]
pub fn items(number: usize) -> String {
    counted(number, ["access.count.item", "access.count.items"])
}

/// "1 lane", "32 lanes".
#[must_use]
pub fn lanes(number: usize) -> String {
    counted(number, ["access.count.lane", "access.count.lanes"])
}

/// "1 segment", "4 segments"; on processors lines.
#[must_use]
pub fn segments(question: &Question, number: usize) -> String {
    let lines = ["access.count.line", "access.count.lines"];
    counted(number, if question.is_loop { lines } else { ["access.count.segment", "access.count.segments"] })
}

/// "33 loads and stores".
#[must_use]
pub fn accesses(number: usize) -> String {
    counted(number, ["access.count.access", "access.count.accesses"])
}

fn reads(number: usize) -> String {
    counted(number, ["access.count.read", "access.count.reads"])
}

fn texels(number: usize) -> String {
    counted(number, ["access.count.texel", "access.count.texels"])
}

fn turns(number: usize) -> String {
    counted(number, ["access.count.turn", "access.count.turns"])
}

/// By the keys of one and of several.
fn counted(number: usize, [one, several]: [&'static str; 2]) -> String {
    filled(if number == 1 { one } else { several }, &[("count", &number)])
}

/// At most two decimals.
#[must_use]
pub fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
