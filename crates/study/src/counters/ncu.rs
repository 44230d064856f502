//! Counters that Nsight Compute reads, of runs that were repeated through CUDA ([`engine::replay`]), or from a file of its CSV: `ncu --csv` prints a line for each metric of each launch, `ncu --csv --page raw` a line for each launch with a
//! column for each metric and their units below the head. Nsight Compute profiles CUDA programs; what it counted is of a kernel's twin in CUDA, and said to be.

use base::error::Result;
use base::files;
use base::texts::{Words, failed, filled};
use model::measure::median_of;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use view::plot::units::Unit;
use view::story::{Block, Cell, Column, Kind, Story, Table, Tone, said};

/// A file of more bytes is not read.
const MOST_BYTES: u64 = 64 << 20;

/// A kernel's launches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// How many launches were profiled.
    pub launches: usize,
    /// For each metric, with its unit, its values: one for each launch.
    pub metrics: BTreeMap<(String, String), Vec<f64>>,
}

/// Columns of a file that are no metrics: what a launch was.
const OF_LAUNCH: [&str; 15] = [
    "ID",
    "Process ID",
    "Process Name",
    "Host Name",
    "Kernel Name",
    "Context",
    "Stream",
    "Block Size",
    "Grid Size",
    "Device",
    "CC",
    "Section Name",
    "Kernel Time",
    "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg",
    "Id:Domain:Start/Stop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg",
];

/// Reads a file.
///
/// # Errors
/// It cannot be read, or no line of it is of Nsight Compute.
pub fn read(path: &Path) -> Result<Vec<Kernel>> {
    let refuse = |why: &dyn std::fmt::Display| failed("errors.counters.not-read", &[("why", why), ("path", &path.display())]);
    let bytes = files::read_at_most(path, MOST_BYTES).map_err(|error| refuse(&error))?;
    let kernels = of(&String::from_utf8_lossy(&bytes)).map_err(|error| refuse(&error))?;
    if kernels.is_empty() { Err(failed("errors.counters.no-launches", &[("path", &path.display())])) } else { Ok(kernels) }
}

/// What Nsight Compute is asked for, with the key of what it is called here, and whether it is told per pixel.
const METRICS: [(&str, &str, bool); 15] = [
    ("dram__bytes_read.sum", "studies.counters.metrics.dram-read", true),
    ("dram__bytes_write.sum", "studies.counters.metrics.dram-written", true),
    ("lts__t_sector_hit_rate.pct", "studies.counters.metrics.second-hits", false),
    ("l1tex__t_sector_hit_rate.pct", "studies.counters.metrics.first-hits", false),
    ("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "studies.counters.metrics.load-requests", false),
    ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "studies.counters.metrics.load-sectors", false),
    ("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "studies.counters.metrics.store-requests", false),
    ("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "studies.counters.metrics.store-sectors", false),
    ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "studies.counters.metrics.bank-conflicts", false),
    ("smsp__inst_executed.sum", "studies.counters.metrics.instructions", false),
    ("sm__inst_executed.avg.per_cycle_active", "studies.counters.metrics.per-cycle", false),
    ("sm__warps_active.avg.pct_of_peak_sustained_active", "studies.counters.metrics.occupancy", false),
    ("launch__registers_per_thread", "studies.counters.metrics.registers", false),
    ("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "studies.counters.metrics.dram-busy", false),
    ("sm__throughput.avg.pct_of_peak_sustained_elapsed", "studies.counters.metrics.compute-busy", false),
];

/// Requests and sectors of loads and of stores, whose ratio says how well work-items' accesses fall together.
const PER_REQUEST: [(usize, usize, &str); 2] =
    [(4, 5, "studies.counters.metrics.sectors-per-load"), (6, 7, "studies.counters.metrics.sectors-per-store")];

/// The program, its arguments, and the environment variable with another place of it.
const PROGRAM: (&str, &str) = ("ncu", "KERNEL_LADDER_NCU");

/// Counts what a process does: its kernels, by Nsight Compute.
///
/// # Errors
/// The profiler is not there, or counted nothing.
pub fn profile(program: &Path, arguments: &[&OsStr]) -> Result<Vec<Kernel>> {
    let (name, variable) = PROGRAM;
    let ncu = std::env::var_os(variable).unwrap_or_else(|| name.into());
    let metrics = METRICS.map(|(metric, ..)| metric).join(",");
    let mut command = Command::new(ncu);
    base::system::without_console(&mut command);
    command.args(["--csv", "--page", "raw", "--print-units", "base", "--metrics", &metrics]).arg(program).args(arguments);
    let ran = command.stdin(Stdio::null()).output().map_err(|error| failed("errors.replay.no-ncu", &[("why", &error)]))?;
    let [told, complaints] = [&ran.stdout, &ran.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let kernels = of(&told).unwrap_or_default();
    if !ran.status.success() || kernels.is_empty() {
        let lines = || complaints.lines().chain(told.lines()).filter(|line| !line.trim().is_empty());
        // What was profiled says more of its end than the profiler does.
        let told = lines().find(|line| line.starts_with("kernel-ladder: ")).or_else(|| lines().next_back());
        let why = told.map_or_else(|| ran.status.to_string(), str::to_owned);
        return Err(failed("errors.replay.ncu", &[("why", &why)]));
    }
    Ok(kernels)
}

/// What was counted of a variant.
#[derive(Clone, Debug)]
pub struct Profiled {
    /// The variant.
    pub name: String,
    /// Its kernels.
    pub kernels: Vec<Kernel>,
    /// Pixels of a run.
    pub pixels: f64,
    /// Bytes per pixel that its kernels have to move at least, all together.
    pub must_move_bytes: Option<f64>,
}

/// What Nsight Compute counted of variants whose runs were repeated through CUDA, side by side.
#[must_use]
pub fn profiled_story(title: Words, all: &[Profiled]) -> Story {
    let mut story = Story { title: Some(title), ..Story::default() };
    let columns: Vec<(String, &Profiled, &Kernel)> = all
        .iter()
        .flat_map(|of| {
            let name = |kernel: &Kernel| if of.kernels.len() == 1 { of.name.clone() } else { format!("{} · {}", of.name, kernel.name) };
            of.kernels.iter().map(move |kernel| (name(kernel), of, kernel))
        })
        .collect();
    let mut heads = vec![Column::new("metric", Kind::Words, "studies.counters.metric")];
    let head = |(index, (name, ..)): (usize, &(String, &Profiled, &Kernel))| {
        Column::headed(&format!("variant_{}", index + 1), Kind::Number, Words::from(name.as_str()))
    };
    heads.extend(columns.iter().enumerate().map(head));
    let mut table = Table::new("metrics", heads);
    let value = |kernel: &Kernel, metric: &str| {
        kernel.metrics.iter().find(|((name, _), _)| name == metric).map(|(_, values)| median_of(values.clone()))
    };
    let mut row = |key: &'static str, cells: Vec<Option<f64>>| {
        if cells.iter().any(Option::is_some) {
            let cells = cells.into_iter().map(|value| value.map_or(Cell::Missing, |value| Cell::Number(value, Unit::Count)));
            table.row(std::iter::once(Cell::Words(Words::text(key))).chain(cells).collect::<Vec<_>>());
        }
    };
    row(
        "studies.counters.metrics.must-move",
        columns.iter().map(|(_, of, _)| of.must_move_bytes.filter(|_| of.kernels.len() == 1)).collect(),
    );
    for (metric, key, is_per_pixel) in METRICS {
        let scaled = |(_, of, kernel): &(String, &Profiled, &Kernel)| {
            value(kernel, metric).map(|value| if is_per_pixel { value / of.pixels } else { value })
        };
        row(key, columns.iter().map(scaled).collect());
    }
    for (requests, sectors, key) in PER_REQUEST {
        let [Some((requests, ..)), Some((sectors, ..))] = [METRICS.get(requests), METRICS.get(sectors)] else { continue };
        let ratio = |(_, _, kernel): &(String, &Profiled, &Kernel)| {
            value(kernel, sectors).zip(value(kernel, requests).filter(|count| *count > 0.0)).map(|(sectors, requests)| sectors / requests)
        };
        row(key, columns.iter().map(ratio).collect());
    }
    story.push(Block::Table(table));
    story.say(Tone::Weak, Words::text("studies.counters.replayed"));
    story
}

/// Of a file's text. Lines before the head are those of the profiler and of the program.
fn of(text: &str) -> std::result::Result<Vec<Kernel>, csv::Error> {
    let begin = text.lines().position(|line| line.starts_with("\"ID\"") || line.starts_with("ID,"));
    let Some(begin) = begin else { return Ok(Vec::new()) };
    let table: String = text.lines().skip(begin).filter(|line| !line.starts_with("==")).flat_map(|line| [line, "\n"]).collect();
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(table.as_bytes());
    let heads = reader.headers()?.clone();
    let place = |name: &str| heads.iter().position(|head| head == name);
    let [Some(id), Some(kernel)] = ["ID", "Kernel Name"].map(place) else { return Ok(Vec::new()) };
    let long = ["Metric Name", "Metric Unit", "Metric Value"].map(place);
    let rows = reader.records().collect::<std::result::Result<Vec<_>, _>>()?;
    let mut kernels: Vec<Kernel> = Vec::new();
    let mut launches: Vec<(String, String)> = Vec::new();
    let mut add = |row: &csv::StringRecord, metric: &str, unit: &str, value: &str| {
        let [id, name] = [id, kernel].map(|place| row.get(place).unwrap_or_default().to_owned());
        let index = kernels.iter().position(|known| known.name == name).unwrap_or_else(|| {
            kernels.push(Kernel { name: name.clone(), ..Kernel::default() });
            kernels.len() - 1
        });
        let Some(kernel) = kernels.get_mut(index) else { return };
        if !launches.contains(&(name.clone(), id.clone())) {
            launches.push((name, id));
            kernel.launches += 1;
        }
        // Thousands are set apart by commas.
        if let Ok(value) = value.replace(',', "").parse() {
            kernel.metrics.entry((metric.to_owned(), unit.to_owned())).or_default().push(value);
        }
    };
    if let [Some(metric), Some(unit), Some(value)] = long {
        for row in &rows {
            let [metric, unit, value] = [metric, unit, value].map(|place| row.get(place).unwrap_or_default());
            add(row, metric, unit, value);
        }
    } else if let Some((units, rows)) = rows.split_first().filter(|(units, _)| units.get(id).is_none_or(str::is_empty)) {
        for row in rows {
            for (index, metric) in heads.iter().enumerate().filter(|(_, head)| !OF_LAUNCH.contains(head)) {
                add(row, metric, units.get(index).unwrap_or_default(), row.get(index).unwrap_or_default());
            }
        }
    }
    Ok(kernels)
}

/// The median of each metric over a kernel's launches, kernels side by side.
#[must_use]
pub fn story(name: &str, kernels: &[Kernel]) -> Story {
    let name = name.to_owned();
    let mut story = Story { title: Some(said(|| filled("studies.counters.ncu", &[("name", &name)]))), ..Story::default() };
    let mut columns =
        vec![Column::new("metric", Kind::Words, "studies.counters.metric"), Column::new("unit", Kind::Words, "studies.counters.unit")];
    columns.extend(kernels.iter().enumerate().map(|(index, kernel)| {
        let (name, launches) = (kernel.name.clone(), kernel.launches);
        let head = said(|| filled("studies.counters.launches", &[("name", &name), ("count", &launches)]));
        Column::headed(&format!("kernel_{}", index + 1), Kind::Number, head)
    }));
    let mut table = Table::new("metrics", columns);
    let mut metrics: Vec<&(String, String)> = kernels.iter().flat_map(|kernel| kernel.metrics.keys()).collect();
    metrics.sort_unstable();
    metrics.dedup();
    for metric in metrics {
        let cell = |kernel: &Kernel| {
            kernel
                .metrics
                .get(metric)
                .map(|values| median_of(values.clone()))
                .map_or(Cell::Missing, |value| Cell::Number(value, Unit::Count))
        };
        let head = [Cell::Code(metric.0.clone()), Cell::Code(metric.1.clone())];
        table.row(head.into_iter().chain(kernels.iter().map(cell)).collect::<Vec<_>>());
    }
    story.push(Block::Table(table));
    story.say(Tone::Weak, Words::text("studies.counters.ncu-about"));
    story
}

#[cfg(test)]
mod tests {
    use super::{Kernel, Profiled, of, profiled_story, story};
    use view::story::text;

    const LONG: &str = "==PROF== Connected to process 7\nhello\n\"ID\",\"Process ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\
        \"0\",\"7\",\"blur(int)\",\"Command line profiler metrics\",\"dram__bytes_read.sum\",\"Mbyte\",\"1,024.5\"\n\
        \"1\",\"7\",\"blur(int)\",\"Command line profiler metrics\",\"dram__bytes_read.sum\",\"Mbyte\",\"1,026.5\"\n\
        \"1\",\"7\",\"blur(int)\",\"Launch Statistics\",\"Registers Per Thread\",\"register/thread\",\"32\"\n\
        \"2\",\"7\",\"copy\",\"Launch Statistics\",\"Registers Per Thread\",\"register/thread\",\"n/a\"\n==PROF== Disconnected\n";

    const RAW: &str = "\"ID\",\"Kernel Name\",\"Block Size\",\"dram__bytes_read.sum\",\"launch__registers_per_thread\"\n\
        \"\",\"\",\"\",\"Mbyte\",\"register/thread\"\n\"0\",\"blur\",\"(256, 1, 1)\",\"1.5\",\"32\"\n\"1\",\"blur\",\"(256, 1, 1)\",\"2.5\",\"32\"\n";

    #[test]
    fn both_forms_are_read() {
        let long = of(LONG).expect("CSV");
        assert_eq!(long.iter().map(|kernel| (kernel.name.as_str(), kernel.launches)).collect::<Vec<_>>(), [("blur(int)", 2), ("copy", 1)]);
        let told = text::paint(&story("a.csv", &long));
        assert!(told.contains("1 025.5") || told.contains("1026") || told.contains("1,026") || told.contains("1025.5"), "{told}");
        let raw = of(RAW).expect("CSV");
        assert_eq!(raw.len(), 1);
        let values: Vec<_> = raw[0].metrics.values().cloned().collect();
        assert_eq!((raw[0].launches, values), (2, vec![vec![1.5, 2.5], vec![32.0, 32.0]]));
    }

    #[test]
    fn repeated_runs_are_told_per_pixel_and_per_request() {
        let metric = |name: &str, value: f64| ((name.to_owned(), "byte".to_owned()), vec![value; 3]);
        let metrics = [
            metric("dram__bytes_read.sum", 4000.0),
            metric("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 100.0),
            metric("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 3200.0),
        ];
        let kernel = Kernel { name: "sobel".to_owned(), launches: 3, metrics: metrics.into() };
        let of = |name: &str| Profiled { name: name.to_owned(), kernels: vec![kernel.clone()], pixels: 1000.0, must_move_bytes: Some(2.0) };
        let told = text::paint(&profiled_story("title".into(), &[of("naive"), of("padded")]));
        let line = |start: &str| told.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{start}: {told}"));
        let ends = |start: &str, value: &str| assert!(line(start).split_whitespace().rev().take(2).all(|word| word == value), "{told}");
        ends("Bytes read from DRAM", "4");
        ends("Sectors per load request", "32");
        ends("Bytes that must be moved", "2");
        assert!(!told.contains("per store request") && !told.contains("Occupancy"), "{told}");
    }

    #[test]
    fn what_is_not_of_the_profiler_has_no_kernels() {
        for text in ["", "a,b\n1,2\n", "\"ID\",\"b\"\n1,2\n", "\"ID\",\"Kernel Name\",\"x\"\n"] {
            assert_eq!(of(text).expect("CSV"), [], "{text}");
        }
    }
}
