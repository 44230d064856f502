//! What is counted, in words: the same on the command line, in the picture and in the window.

use super::memory::Segments;
use super::{Answer, Question, Step};
use crate::schedule::{Access, Kind, Place, Space};

/// What must be known to read lanes, loads and sums.
pub const NOTES: [&str; 3] = [
    "Lanes count along dimension 0 first, as in known drivers; OpenCL leaves that to the implementation",
    "Loads and stores are those of the kernel's text: a compiler may split a wide one, or join several",
    "What a work-item loads again it has in a register: the sums leave it out",
];

/// Of image objects.
pub const LAYOUT_IS_SECRET: &str = "How an image object lies in memory is the driver's secret: its reads are counted, and have no segments";

/// "Pixel 120,80 is made by work-item (120, 80): work-group (3, 80) of 32 × 1, place (24, 0) in it".
#[must_use]
pub fn who(question: &Question, answer: &Answer) -> String {
    let [x, y] = question.pixel;
    let pair = |[first, second]: [usize; 2]| format!("({first}, {second})");
    let [across, down] = answer.item.local_size;
    let (global, group, local) = (pair(answer.item.global()), pair(answer.item.group), pair(answer.item.local));
    format!("Pixel {x},{y} is made by work-item {global}: place {local} in work-group {group} of {across} × {down}")
}

/// "Lane 24 of sub-group 0, which has 32 work-items; lanes 3 to 5 of the vector that it stores".
#[must_use]
pub fn lane(question: &Question, answer: &Answer) -> String {
    let place = if question.sub_group > 1 {
        format!("Lane {} of sub-group {}, which has {}", answer.lane, answer.sub_group, count(answer.sub_group_items, "work-item"))
    } else {
        "Work-items of a group run one after the other, dimension 0 first".to_owned()
    };
    let vector = answer.vector_lanes.as_ref().map_or_else(String::new, |lanes| {
        if lanes.len() == 1 {
            format!("; lane {} of the vector that it stores", lanes.start)
        } else {
            format!("; lanes {} to {} of the vector that it stores", lanes.start, lanes.end.saturating_sub(1))
        }
    });
    place + &vector
}

/// "Pass 2 of 2, `gaussian_vertical`"; nothing where there is one.
#[must_use]
pub fn pass(answer: &Answer) -> Option<String> {
    let passes = &answer.launch.passes;
    let kernel = passes.get(answer.pass)?.kernel;
    (passes.len() > 1).then(|| format!("Pass {} of {}, {kernel}", answer.pass + 1, passes.len()))
}

/// "Load 16 bytes of the source".
#[must_use]
pub fn instruction(access: &Access) -> String {
    let verb = match access.kind {
        Kind::Load => "Load",
        Kind::Store => "Store",
        Kind::ImageRead => "Read a texel of",
        Kind::ImageWrite => "Write a texel of",
    };
    let what = space(access.space).to_lowercase();
    let again = if access.is_repeat { ", again" } else { "" };
    match access.place {
        Place::Texel { .. } => format!("{verb} {what}{again}"),
        _ => format!("{verb} {} of {what}{again}", count(access.bytes(), "byte")),
    }
}

/// "The source".
#[must_use]
pub const fn space(space: Space) -> &'static str {
    match space {
        Space::Source => "The source",
        Space::Between(_) => "The intermediate",
        Space::Destination => "The output",
        Space::Table(_) => "A table",
        Space::Constant => "Constant memory",
        Space::Tile => "The tile",
    }
}

/// "1 lane", "32 lanes".
#[must_use]
pub fn lanes(number: usize) -> String {
    count(number, "lane")
}

/// "1 segment", "4 segments".
#[must_use]
pub fn segments(number: usize) -> String {
    count(number, "segment")
}

/// "0x1a2b", "x 12 y 7" or "by value".
#[must_use]
pub fn place(access: &Access) -> String {
    match access.place {
        Place::Bytes { first, .. } => format!("{first:#06x}"),
        Place::Texel { x, y, .. } => format!("texel {x},{y}"),
        Place::Somewhere { .. } => "by value".to_owned(),
    }
}

/// "32 bytes wanted, 1 × 32 fetched"; for a tile the turns of its banks; of image objects the reads.
#[must_use]
pub fn counter(step: &Step, size_bytes: usize) -> String {
    let wanted = count(step.wanted_bytes, "byte");
    if let Some(segments) = of_size(step, size_bytes) {
        let verb = if step.own.kind.is_load() { "fetched" } else { "written" };
        let wanted = if step.unique_bytes == step.wanted_bytes { wanted } else { format!("{wanted} ({} distinct)", step.unique_bytes) };
        return format!("{wanted} wanted, {} × {size_bytes} {verb}", segments.touched);
    }
    if let Some(banks) = &step.banks {
        return match banks.degree {
            0 | 1 if banks.cycles <= 1 => format!("{wanted} wanted, no bank conflict"),
            0 | 1 => format!("{wanted} wanted, no bank conflict, in {} turns", banks.cycles),
            degree => format!("{wanted} wanted, {degree} words of one bank: {} turns", banks.cycles),
        };
    }
    match step.own.kind {
        Kind::ImageRead => {
            format!("{} of {}", count(step.lanes.len(), "read"), count(step.unique_bytes / step.own.bytes().max(1), "texel"))
        }
        Kind::ImageWrite => format!("{} written", count(step.lanes.len(), "texel")),
        _ if step.own.space == Space::Constant && step.unique_bytes <= step.own.bytes() => {
            format!("{wanted} wanted, the same for all lanes")
        }
        _ => format!("{wanted} wanted"),
    }
}

/// The segments of that size.
#[must_use]
pub fn of_size(step: &Step, size_bytes: usize) -> Option<Segments> {
    step.segments.as_ref()?.iter().find(|segments| segments.size_bytes == size_bytes).copied()
}

/// What is fetched per pixel, with its bounds; the reads of image objects; the turns of the tile. One sentence each.
#[must_use]
pub fn totals(question: &Question, answer: &Answer, size_bytes: usize) -> Vec<String> {
    let (totals, mut lines) = (&answer.totals, Vec::new());
    let who = if question.sub_group > 1 { "sub-group" } else { "work-item" };
    if let Some(size) = totals.by_size.iter().find(|size| size.size_bytes == size_bytes).filter(|size| size.cold > 0.0) {
        lines.push(format!(
            "Fetched per pixel, in segments of {size_bytes} bytes: {} bytes without a cache, {} where the {who} fetches each segment once, \
             {} where the work-group does",
            number(size.cold),
            number(size.once_per_sub_group),
            number(size.once_per_group)
        ));
        lines.push(format!(
            "The loads ask for {} bytes per pixel; what they load from has {} for each",
            number(totals.wanted_bytes_per_px),
            number(totals.floor_bytes_per_px)
        ));
    }
    if totals.image_reads_per_px > 0.0 {
        lines.push(format!("Reads of image objects per pixel: {}", number(totals.image_reads_per_px)));
        lines.push(LAYOUT_IS_SECRET.to_owned());
    }
    if totals.bank_cycles_per_px > 0.0 {
        lines.push(format!("Turns of the tile's {} banks per pixel: {}", question.banks, number(totals.bank_cycles_per_px)));
    }
    if answer.other_accesses > 0 {
        let words = count(answer.other_accesses, "load and store").replace("load and stores", "loads and stores");
        lines.push(format!("The work-item walks on: {words} that make its other pixels are left out"));
    }
    lines
}

/// "1 byte", "32 bytes".
fn count(count: usize, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

/// At most two decimals.
#[must_use]
pub fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
