//! `kernel-ladder tune`.

use super::arguments::{self, StudyArguments};
use super::devices::device_line;
use super::studying::{self, GeneratedArguments};
use super::{kept, output};
use crate::engine::Backend;
use crate::error::Result;
use crate::filters;
use crate::model::{Channels, HostMemory};
use crate::plot::units;
use crate::story::columns::{Align, Table};
use crate::study::{Cell, LocalSizes, Search, Sought, Tuned, Tuning, telling};
use crate::texts::failed;
use clap::Args;
use serde_json::json;

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  kernel-ladder tune coalesced+rows=8
  kernel-ladder tune coalesced --filter box --size 7680x4320 --search exhaustive

Each local size is verified and measured; the best is then compared with the driver's choice, in interleaved pairs. --local is not used.

A faster size is saved, unless other programs disturbed the search, and offered next time, also in the window.")]
pub struct Arguments {
    #[command(flatten)]
    study: StudyArguments,
    /// Extent of the search: rapid, normal or exhaustive
    #[arg(long, value_name = "SEARCH", default_value = "normal", value_parser = arguments::search_parser())]
    search: Search,
    #[command(flatten)]
    generated: GeneratedArguments,
}

/// Searches, and prints the times by size and what follows.
///
/// # Errors
/// Usage errors; failed where there is no device, or nothing could be measured.
pub fn run(arguments: &Arguments, backend: &mut dyn Backend) -> Result<()> {
    let found = arguments::devices(backend)?;
    let (info, spec, setting) = arguments.study.checked(&found, Channels::Rgb)?;
    let picture = arguments.generated.picture(setting.channels);
    let (width, height) = picture.size();
    let task = arguments.study.task(spec, picture, HostMemory::Copy);
    kept::offer(Sought::LocalSize, &task, info);
    let study = LocalSizes::new(task.clone(), arguments.search, info.clone(), Vec::new());
    let tuned = Tuned::of(&studying::findings(study, arguments.study.budget(), backend, |_| String::new())?);
    kept::keep(Tuning::of_local_size(&tuned, &task, info));
    if arguments.study.json {
        output::print_json(|| {
            json!({
                "spec": task.spec,
                "variant": arguments.study.variant.to_string(),
                "device": info.name,
                "width_px": width,
                "height_px": height,
                "search": arguments.search,
                "tuned": tuned,
                "best": tuned.best().map(|cell| cell.local),
            })
        })?;
    }
    if tuned.best().is_none() {
        let why = tuned.cells.iter().find_map(|cell| cell.why_not.as_ref()).map(ToString::to_string).unwrap_or_default();
        return Err(failed("errors.tune.nothing-measured", &[("why", &why)]));
    }
    if arguments.study.json {
        return Ok(());
    }
    let head = format!("{}, {width} x {height}, {}\n{}\n\n", filters::spec_text(&task.spec), arguments.study.variant, device_line(info));
    output::print(&(head + &render(&tuned)))
}

/// Times by dimension 0 across and dimension 1 down; what the kernel refused is a dash, what was not tried is empty.
fn render(tuned: &Tuned) -> String {
    let [xs, ys] = tuned.sides();
    let titles = xs.iter().map(|x| format!("x = {x}")).collect::<Vec<_>>();
    let columns = std::iter::once(("", Align::Right)).chain(titles.iter().map(|title| (title.as_str(), Align::Right))).collect::<Vec<_>>();
    let mut table = Table::new(&columns);
    for &y in &ys {
        let cells = xs.iter().map(|&x| tuned.cell([x, y]).map_or_else(String::new, cell_text));
        table.row(std::iter::once(format!("y = {y}")).chain(cells).collect());
    }
    let mut told = table.render() + "\n";
    for line in telling::tuned_sentences(tuned) {
        told.extend([line.as_str(), "\n"]);
    }
    told
}

fn cell_text(cell: &Cell) -> String {
    cell.time.map_or_else(|| "-".to_owned(), |time| units::time(time.median_ns))
}

#[cfg(test)]
mod tests {
    use super::render;
    use crate::measure::{Comparison, Verdict};
    use crate::study::{Cell, KernelTime, Tuned};

    #[test]
    fn times_stand_by_their_sizes() {
        let time =
            |median_ns| Some(KernelTime { median_ns, lower_quartile_ns: median_ns - 1e3, upper_quartile_ns: median_ns + 1e3, busy: false });
        let cell = |local, time: Option<KernelTime>| Cell { local, time, why_not: time.is_none().then(|| "too many".into()) };
        let cells = vec![cell([32, 1], time(90e3)), cell([64, 1], time(80e3)), cell([64, 2], None)];
        let gain = Comparison { ratio: 1.25, low: 1.2, high: 1.3, verdict: Verdict::Faster, starts: 1 };
        let told = render(&Tuned { driver: time(100e3), cells, gain: Some(gain), is_gain_busy: false, in_pairs: None });
        let lines = told.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>();
        assert_eq!(lines[..3], ["x = 32 x = 64", "y = 1 90 µs 80 µs", "y = 2 -"]);
        assert_eq!(
            lines[4..],
            [
                "Best: 64 × 1, 80 µs (79 µs to 81 µs); over the driver's choice, in interleaved pairs: 1.25× (1.20–1.30)",
                "Driver's choice: 100 µs (99 µs to 101 µs)",
                "Worst: 32 × 1, 90 µs (89 µs to 91 µs)",
            ]
        );
    }
}
