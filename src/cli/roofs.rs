//! `kernel-ladder roofs`.

use super::arguments;
use super::bench::significant;
use super::devices::device_line;
use super::output::{self, TerminalProgress};
use super::schema::JsonOf;
use base::error::Result;
use base::texts::{failed, filled, joined, speaking_keys, text};
use clap::Args;
use engine::Backend;
use engine::device::DeviceInfo;
use model::{LocalSize, Roof, RoofKind, RoofUnit, Roofs, Unit};
use std::fmt::Display;
use std::sync::Arc;
use view::plot::units;
use view::story::text::paint;
use view::story::{Block, Cell, Kind, Row, Story, Table, Tone};

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Each value is the best of several widths and local sizes of a probe kernel in kernels/roofs/, whose output is verified before timing. The values are saved \
per device and driver; those measured while other programs ran are measured again next time. With them, `kernel-ladder bench` shows the share of the peak \
rates that a variant reaches, and its limit.")]
pub struct Arguments {
    /// OpenCL device, see `kernel-ladder devices` [default: 0]
    #[arg(long, value_name = "N")]
    device: Option<usize>,
    /// Measure again even if a saved result exists
    #[arg(long)]
    again: bool,
    /// Print JSON with all samples
    #[arg(long)]
    json: bool,
}

/// Prints a device's roofs, measured now or before.
///
/// # Errors
/// A usage error for a device that is not there; failed where there is none at all or none of the probes runs.
pub fn run(arguments: &Arguments, backend: &mut dyn Backend) -> Result<()> {
    let found = arguments::devices(backend)?;
    let info = arguments::device(&found, arguments.device.unwrap_or(0))?;
    let known = known(backend, info.index).filter(|_| !arguments.again);
    let is_known = known.is_some();
    let roofs = known.map_or_else(|| measure(info, backend), Ok)?;
    if arguments.json {
        output::print_json(JsonOf::Roofs, Some(info), || &*roofs)?;
    } else {
        output::print(&paint(&story(&roofs, info, is_known)))?;
    }
    // What every device has.
    let is_of_all = |kind: RoofKind| match kind {
        RoofKind::CachedCopy => false,
        RoofKind::Operations(class) => !class.is_half(),
        _ => true,
    };
    let failure = roofs.missing.iter().find(|(kind, _)| is_of_all(**kind));
    failure.map_or(Ok(()), |(kind, why)| Err(failed("errors.roofs.not-complete", &[("roof", &kind.label()), ("why", why)])))
}

/// What is known of a device, unless other programs ran when it was measured: it is then to be measured again.
pub fn known(backend: &mut dyn Backend, device: usize) -> Option<Arc<Roofs>> {
    backend.known_roofs(device, &()).filter(|roofs| !roofs.is_busy())
}

/// A version of this program, with the word that it was not optimized where that is so.
pub fn version_text(version: &str, is_debug: bool) -> String {
    if is_debug { filled("tables.roofs.debug", &[("version", &version)]) } else { version.to_owned() }
}

/// Measures them, with progress on stderr.
///
/// # Errors
/// As [`Backend::measure_roofs`].
pub fn measure(info: &DeviceInfo, backend: &mut dyn Backend) -> Result<Arc<Roofs>> {
    let mut progress = TerminalProgress::new();
    progress.job = info.display_name();
    let roofs = backend.measure_roofs(info.index, &progress);
    progress.clear();
    roofs
}

fn story(roofs: &Roofs, info: &DeviceInfo, is_known: bool) -> Story {
    speaking_keys(|| {
        let measured = text(if is_known { "tables.roofs.known" } else { "tables.roofs.now" });
        let version = version_text(&roofs.machine.program_version, cfg!(debug_assertions) && !is_known);
        let values: [(&str, &dyn Display); 3] = [("version", &version), ("date", &roofs.date), ("measured", &measured)];
        let mut story = Story::default();
        story.say(Tone::Plain, device_line(info).into());
        story.say(Tone::Plain, filled("tables.roofs.told", &values).into());
        story.push(Block::Table(roof_table(roofs)));
        if !roofs.copies.is_empty() {
            story.push(Block::Table(copy_table(roofs)));
        }
        if !roofs.reads.is_empty() {
            story.push(Block::Table(read_table(roofs)));
            for level in roofs.levels() {
                let values: [(&str, &dyn Display); 2] = [("level", &units::level(&level)), ("rate", &units::bandwidth(level.rate))];
                story.say(Tone::Plain, filled("tables.roofs.level", &values).into());
            }
        }
        if let Some(why) = &roofs.reads_missing {
            story.say(Tone::Warning, filled("tables.roofs.no-reads", &[("why", why)]).into());
        }
        if let Some(cached) = roofs.cache_bytes {
            story.say(Tone::Plain, filled("tables.roofs.cache", &[("bytes", &units::binary_bytes(cached as u64))]).into());
        }
        story
    })
}

fn roof_table(roofs: &Roofs) -> Table {
    let heads = [
        (Kind::Words, "tables.roofs.roof"),
        (Kind::Number, "tables.roofs.median"),
        (Kind::Number, "tables.roofs.quartiles"),
        (Kind::Words, ""),
        (Kind::Number, "n"),
        (Kind::Words, "tables.roofs.best-with"),
    ];
    let mut table = Table::headed("roofs", heads);
    for kind in RoofKind::all() {
        let name = Cell::of(&kind.label());
        match (roofs.get(kind), roofs.missing.get(&kind)) {
            (Some(roof), _) => {
                let (factor, unit) = scale(kind.unit(), roof);
                let setup = setup(kind, roof);
                let setup = if roof.busy { filled("tables.roofs.busy", &[("setup", &setup)]) } else { setup };
                let [median, quartiles, count] = figures(roof, kind.unit(), factor);
                table.row([name, median, quartiles, Cell::of(&unit), count, Cell::of(&setup)]);
            }
            (None, Some(why)) => table.row(Row::Instead(name, why.clone())),
            (None, None) => {}
        }
    }
    table
}

/// Median, quartiles, and how many samples.
fn figures(roof: &Roof, unit: RoofUnit, factor: f64) -> [Cell; 3] {
    let [median, lower, upper] = roof.told_in(unit).map(|figure| significant(figure * factor));
    [Cell::of(&median), Cell::of(&format!("{lower}-{upper}")), Cell::count(roof.time.count)]
}

/// The unit in which figures have few digits, and what one of the roof's own unit is in it.
fn scale(unit: RoofUnit, roof: &Roof) -> (f64, &'static str) {
    let is_large = roof.told_in(unit).first().is_some_and(|median| *median >= 1000.0);
    match (unit, is_large) {
        (RoofUnit::GigabytesPerSecond, _) => (1.0, "GB/s"),
        (RoofUnit::GigaoperationsPerSecond, false) => (1.0, "Gop/s"),
        (RoofUnit::GigaoperationsPerSecond, true) => (1e-3, "Top/s"),
        (RoofUnit::Nanoseconds, false) => (1.0, "ns"),
        (RoofUnit::Nanoseconds, true) => (1e-3, "µs"),
    }
}

/// "512 MiB, uint4, local size 256x1".
fn setup(kind: RoofKind, roof: &Roof) -> String {
    let setup = &roof.setup;
    let local = match setup.local {
        LocalSize::Driver => text("tables.roofs.drivers-local").to_owned(),
        local @ LocalSize::Explicit(_) => filled("tables.roofs.local", &[("size", &local)]),
    };
    let word = match kind {
        RoofKind::Operations(class) if class.is_half() => "half",
        RoofKind::Operations(class) if !matches!(class.unit(), Unit::Integer | Unit::LocalMemory) => "float",
        _ => "uint",
    };
    let lanes = if setup.lanes == 1 { word.to_owned() } else { format!("{word}{}", setup.lanes) };
    let order = match (kind, setup.is_consecutive) {
        (RoofKind::Read, true) => Some("tables.roofs.follows-in-item"),
        (RoofKind::Read, false) => Some("tables.roofs.follows-in-row"),
        _ => None,
    };
    let items = filled("tables.roofs.items", &[("count", &setup.items)]);
    match kind {
        RoofKind::Launch => items,
        RoofKind::Upload | RoofKind::ReadBack => filled("tables.roofs.pinned", &[("bytes", &units::binary_bytes(setup.bytes as u64))]),
        RoofKind::Latency => filled("tables.roofs.chain", &[("bytes", &units::binary_bytes(setup.bytes as u64))]),
        _ if setup.bytes == 0 => joined("words.list.items", [items, lanes, local]),
        _ => {
            let parts = [Some(units::binary_bytes(setup.bytes as u64)), Some(lanes), Some(local), order.map(|key| text(key).to_owned())];
            joined("words.list.items", parts.into_iter().flatten())
        }
    }
}

fn copy_table(roofs: &Roofs) -> Table {
    curve_table("copies", "tables.roofs.copy", &roofs.copies)
}

fn read_table(roofs: &Roofs) -> Table {
    curve_table("reads", "tables.roofs.block", &roofs.reads)
}

/// Rates over bytes.
fn curve_table(name: &str, head: &'static str, curve: &[Roof]) -> Table {
    let heads = [head, "GB/s", "tables.roofs.quartiles", "n"];
    let mut table = Table::headed(name, heads.map(|head| (Kind::Number, head)));
    for copy in curve {
        let [median, quartiles, count] = figures(copy, RoofUnit::GigabytesPerSecond, 1.0);
        table.row([Cell::of(&units::binary_bytes(copy.setup.bytes as u64)), median, quartiles, count]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::{paint, story};
    use crate::testing::records::roofs;
    use engine::device::DeviceInfo;

    #[test]
    fn roofs_have_their_unit_their_spread_and_what_gave_them() {
        let text = paint(&story(&roofs(), &DeviceInfo::example(), true));
        let line =
            |start: &str| -> Vec<&str> { text.lines().find(|line| line.starts_with(start)).expect(start).split_whitespace().collect() };
        assert_eq!(line("Copy ")[1..], ["100", "100-100", "GB/s", "5", "256", "MiB,", "uint4,", "local", "size", "256x1"], "{text}");
        assert_eq!(line("Integer")[2..6], ["50.0", "50.0-50.0", "Gop/s", "5"], "{text}");
        assert_eq!(line("Launch")[5..8], ["1.00", "1.00-1.00", "µs"], "{text}");
        assert_eq!(line("Half")[2..5], ["Not", "measured:", "the"], "{text}");
        assert!(text.contains("up to 1 MiB"), "{text}");
    }
}
