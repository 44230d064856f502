//! All ladders as one Markdown page: the claims of guides and the results here; then our own ladders and claims, apart.

use super::ladder_table::{ladder, rows};
use super::report::{Entry, Group};
use base::foreign::markdown;
use base::texts::filled;
use kernels::filters::{self, Ladder};
use std::fmt::Write as _;
use study::Seen;
use study::claims::{self, Column};
use view::story::{self, Cell, Kind, Table};

/// How to read the tables.
const LEGEND: &str = "\
**The first columns**: *kernel ms* is the median kernel time of the step, sampled separately. *here* is computed from it, in the same unit as *published*: \
speed-up over the first step of the ladder, speed-up over one CPU core (marked *(CPU)*), each with the interval from the quartiles of both, or kernel time in ms.

**The last columns**: *claim* shows whose claim it is: a guide's, or ours if the guide makes none. A claim published for certain picture sizes lists them if this \
is another size. *speed-up* is the speed-up over the step named in the claim. It comes from separate runs: the two steps run interleaved, each pair in random \
order. The ratio and its 95 % interval follow from these pairs by signed ranks. The pairs are repeated in several processes, and the interval covers the ratio \
of each process; results of a single process are marked *from one run of the program*. The medians in *kernel ms* were sampled one after the other and may give \
a different ratio.

**Result here**: a difference counts if the whole interval lies beyond ±2 %. \
**confirmed**: the difference matches the claim. **reversed**: it is the opposite. **no difference observed**: the whole interval lies within ±2 %. \
**inconclusive**: the pairs do not decide. **other programs were running**: they widened the interval; it still decides. A claim that two steps are equally fast \
is confirmed within ±5 %. \
**same code**: the compiler produced the same instructions for both steps, or their sources differ only in comments; if they are also launched the same way, there is no \
difference, whatever the timings show.\n";

/// The page; groups of one ladder follow each other.
pub fn render(groups: &[Group]) -> String {
    let mut page = String::from("# Claims of the guides and results on this device\n\n");
    // Writing to a string cannot fail.
    let _ = head(groups, &mut page);
    let _ = summary(groups, "Claims of the guides", false, &mut page);
    let _ = summary(groups, "Claims of this program only", true, &mut page);
    let mut last = None;
    for is_own in [false, true] {
        let of = groups.iter().filter_map(|group| Some((group, ladder(group)?))).filter(|(_, ladder)| ladder.is_own == is_own);
        for (group, ladder) in of {
            if last != Some(ladder.name) {
                let _ = chapter(group, ladder, &mut page);
                last = Some(ladder.name);
            }
            let _ = table(group, &mut page);
        }
    }
    page
}

fn head(groups: &[Group], page: &mut String) -> std::fmt::Result {
    let mut devices: Vec<String> = Vec::new();
    for group in groups {
        let device = format!("{}; {}, driver {}", group.device.label(), group.device.platform, group.device.driver_version);
        let device = markdown(&device).into_owned();
        if !devices.contains(&device) {
            devices.push(device);
        }
    }
    for device in devices {
        writeln!(page, "- Device: {device}")?;
    }
    if let Some(cpu) = groups.first().and_then(|group| group.cpu.first()) {
        writeln!(page, "- CPU: {}", cpu.reading.machine.device)?;
        let build = if cfg!(debug_assertions) { " (debug build: do not quote CPU times)" } else { "" };
        writeln!(page, "- kernel-ladder {}{build}, {}", cpu.reading.machine.program_version, cpu.reading.date)?;
    }
    writeln!(page, "\n{LEGEND}")
}

/// The outcomes of each ladder's claims, counted: those that are ours, or a guide's.
fn summary(groups: &[Group], heading: &str, is_ours: bool, page: &mut String) -> std::fmt::Result {
    let is_counted = |ladder: &Ladder| ladder.steps.iter().any(|step| step.claim.is_some_and(|claim| claim.is_ours == is_ours));
    if !groups.iter().filter_map(ladder).any(is_counted) {
        return Ok(());
    }
    writeln!(page, "**{heading}**\n")?;
    let counts = ["claims tested"].into_iter().chain(Seen::ALL.map(Seen::label)).chain(["not tested"]).map(|head| (Kind::Number, head));
    let mut table = Table::headed("summary", std::iter::once((Kind::Words, "ladder")).chain(counts));
    let mut names: Vec<&Ladder> = Vec::new();
    for ladder in groups.iter().filter_map(ladder).filter(|ladder| is_counted(ladder)) {
        if !names.iter().any(|known| known.name == ladder.name) {
            names.push(ladder);
        }
    }
    for ladder in names {
        let is_one = |entry: &&Entry| entry.place.is_some_and(|place| place.ladder.name == ladder.name) && entry.is_ours() == Some(is_ours);
        let entries: Vec<_> = groups.iter().flat_map(|group| &group.entries).filter(is_one).collect();
        let count = |wanted: Option<Seen>| entries.iter().filter(|entry| entry.seen() == wanted).count();
        let untested = count(None);
        let counts = [entries.len() - untested].into_iter().chain(Seen::ALL.map(|seen| count(Some(seen)))).chain([untested]);
        table.row(std::iter::once(Cell::of(&ladder.label())).chain(counts.map(Cell::count)).collect::<Vec<_>>());
    }
    writeln!(page, "{}", story::markdown::table(&table))
}

fn chapter(group: &Group, ladder: &Ladder, page: &mut String) -> std::fmt::Result {
    let Some(reading) = group.entries.first().map(|entry| &entry.reading) else { return Ok(()) };
    writeln!(page, "## {}\n", ladder.label())?;
    writeln!(page, "`kernel-ladder bench --ladder {}`: {}\n", ladder.name, filters::spec_text(&reading.spec))?;
    writeln!(page, "{}\n", filled("tables.ladder.source", &[("source", &ladder.source())]))
}

fn table(group: &Group, page: &mut String) -> std::fmt::Result {
    let Some(reading) = group.entries.first().map(|entry| &entry.reading) else { return Ok(()) };
    writeln!(page, "### {} × {} on {}\n", reading.picture.width_px, reading.picture.height_px, markdown(&group.device.name))?;
    let Some(ladder) = ladder(group) else { return Ok(()) };
    let columns = [
        Column::Step,
        Column::Variant,
        Column::Kernel,
        Column::Here,
        Column::Published,
        Column::Claim,
        Column::Seen,
        Column::SpeedUp,
        Column::Why,
    ];
    writeln!(page, "{}", story::markdown::table(&claims::table(ladder, &rows(group), &columns)))
}
