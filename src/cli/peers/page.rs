//! What is told of filters beside their peers.

use super::process::Peer;
use crate::cli::devices::device_line;
use crate::cli::limits;
use crate::cli::roofs;
use crate::cli::studying::busy_mark;
use base::foreign::markdown;
use base::texts::{filled, speaking_keys, text};
use engine::device::DeviceInfo;
use kernels::filters;
use model::measure::Comparison;
use model::{CpuEngine, Labelled as _, Spec};
use serde_json::{Value, json};
use std::fmt::Display;
use study::Candidate;
use view::plot::units;
use view::story::markdown::{rows as painted_rows, table as painted};
use view::story::{Cell, Kind, Row, Table, Unit, said};

/// A row of the page: a filter in its channels.
pub struct Line {
    /// What is computed.
    pub spec: Spec,
    /// What is ours; `None` where no peer has the filter, or nothing could be measured.
    pub ours: Option<Ours>,
    /// What it was measured beside.
    pub beside: Vec<Beside>,
    /// What peers could not do, and why.
    pub failed: Vec<String>,
}

/// Where ours runs.
pub enum Place {
    /// On an OpenCL device, the fastest variant.
    Device(Box<DeviceInfo>),
    /// On the CPU, a competitor.
    Cpu(CpuEngine),
}

impl Place {
    /// The OpenCL device.
    pub fn device(&self) -> Option<&DeviceInfo> {
        match self {
            Self::Device(info) => Some(info),
            Self::Cpu(_) => None,
        }
    }

    fn engine_name(&self) -> &'static str {
        match self {
            Self::Device(_) => "opencl",
            Self::Cpu(engine) => engine.name(),
        }
    }
}

/// What is ours.
pub enum Program {
    /// The fastest variant that was found, with its local size.
    Kernel(Candidate),
    /// A CPU competitor.
    Competitor(CpuEngine),
}

impl Program {
    const fn candidate(&self) -> Option<Candidate> {
        match self {
            Self::Kernel(candidate) => Some(*candidate),
            Self::Competitor(_) => None,
        }
    }
}

/// What is ours, measured.
pub struct Ours {
    /// What ran.
    pub program: Program,
    /// Median time over the rounds: that of the kernels, or of a call on the CPU.
    pub ns: f64,
    /// Its speed over that of the filter copy, where it writes as much as it reads.
    pub copy: Option<Comparison>,
    /// Whether other programs ran meanwhile.
    pub is_busy: bool,
}

/// A function of a peer.
pub struct Beside {
    /// What the peer calls itself.
    pub peer: String,
    /// The function.
    pub function: String,
    /// Its median time over the rounds.
    pub ns: f64,
    /// Its time over ours.
    pub over: Comparison,
    /// How far its output is from the reference; `None` where nothing is compared.
    pub differs: Option<Differs>,
}

/// How far an output is from the reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Differs {
    /// There is no reference.
    Unknown,
    /// It has another size.
    Size,
    /// Byte by byte.
    Bytes {
        /// Of the bytes that are far enough from the edges, so many differ.
        share: f64,
        /// By so much at most.
        most: u8,
        /// Whether any differs nearer to the edges than the mask reaches; `None` where there is no mask.
        at_edge: Option<bool>,
    },
}

impl Differs {
    fn told(self) -> String {
        let Self::Bytes { share, most, at_edge } = self else {
            return text(if self == Self::Size { "tables.peers.other-size" } else { "tables.peers.no-reference" }).to_owned();
        };
        let is_same = share == 0.0;
        let percent = units::significant(100.0 * share);
        let values: [(&str, &dyn Display); 2] = [("percent", &percent), ("most", &most)];
        let inside = if is_same { text("tables.peers.same").to_owned() } else { filled("tables.peers.differs", &values) };
        let edge = at_edge.map(|differs| match (is_same, differs) {
            (true, false) => "tables.peers.edge-same-too",
            (true, true) => "tables.peers.edge-differs",
            (false, false) => "tables.peers.edge-same",
            (false, true) => "tables.peers.edge-differs-too",
        });
        edge.map_or_else(|| inside.clone(), |edge| filled("tables.peers.inside-and-edge", &[("inside", &inside), ("edge", &text(edge))]))
    }
}

/// How a page is made.
#[derive(Clone, Copy)]
pub struct Setting {
    /// Width and height of the picture.
    pub size: (usize, usize),
    /// How long each search for a variant may take.
    pub seconds: u64,
    /// Rounds.
    pub rounds: u64,
}

/// What the page is of, and the head of its table.
pub fn head(place: &Place, peers: &[Peer], setting: Setting) -> String {
    let Setting { size: (width, height), seconds, rounds } = setting;
    let size: [(&str, &dyn Display); 4] = [("width", &width), ("height", &height), ("seconds", &seconds), ("rounds", &rounds)];
    let (name, own, size, [legend, time, copy]) = match place {
        Place::Device(info) => (
            info.display_name(),
            device_line(info),
            filled("tables.peers.size", &size),
            ["tables.peers.legend-kernel", "tables.peers.time-kernel", "tables.peers.copy-kernel"].map(|key| text(key).to_owned()),
        ),
        Place::Cpu(engine) => (
            kernel_ladder_cpu::processor_name(),
            limits::cpu_line(*engine),
            filled("tables.peers.size-cpu", &size),
            ["tables.peers.legend-cpu", "tables.peers.time-cpu", "tables.peers.copy-cpu"].map(|key| text(key).to_owned()),
        ),
    };
    let mut lines = vec![own, format!("kernel-ladder {}", roofs::version_text(env!("CARGO_PKG_VERSION"), cfg!(debug_assertions))), size];
    lines.extend(peers.iter().map(|peer| filled("tables.peers.peer", &[("name", &peer.name), ("device", &peer.device)])));
    let lines = lines.iter().map(|line| format!("- {}\n", markdown(line))).collect::<Vec<_>>().concat();
    let title = filled("tables.peers.title", &[("device", &markdown(&name))]);
    let legend = filled("tables.peers.legend", &[("ours", &legend), ("time", &time), ("copy", &copy)]);
    format!("# {title}\n\n{lines}\n{legend}\n\n{}", painted(&empty()))
}

fn empty() -> Table {
    let heads = [
        (Kind::Words, "tables.peers.filter"),
        (Kind::Words, "tables.peers.ours"),
        (Kind::Number, "tables.peers.time"),
        (Kind::Number, "tables.peers.copy"),
        (Kind::Words, "tables.peers.function"),
        (Kind::Number, "tables.peers.its-time"),
        (Kind::Number, "tables.peers.over"),
        (Kind::Words, "tables.peers.output"),
    ];
    Table::headed("peers", heads)
}

/// The rows of a filter: one for each function that it was measured beside, or one without any.
pub fn rows(line: &Line) -> String {
    let mut table = empty();
    for row in table_rows(line) {
        table.row(row);
    }
    painted_rows(&table)
}

fn table_rows(line: &Line) -> Vec<Row> {
    let name = || Cell::of(&filters::spec_text(&line.spec));
    let own = || match &line.ours {
        None => [name(), Cell::Empty, Cell::Empty, Cell::Empty],
        Some(ours) => [
            name(),
            match &ours.program {
                Program::Kernel(candidate) => Cell::Code(format!("{} @ {}", candidate.variant, candidate.local)),
                Program::Competitor(engine) => Cell::of(&engine.label()),
            },
            Cell::Words(said(|| Unit::Time.text(ours.ns) + &busy_mark(ours.is_busy))),
            ours.copy.as_ref().map_or(Cell::Missing, Cell::ratio),
        ],
    };
    let with = |peer: [Cell; 4]| speaking_keys(|| own().into_iter().chain(peer).collect::<Vec<_>>()).into();
    let beside = line.beside.iter().map(|beside| {
        let values: [(&str, &dyn Display); 2] = [("peer", &beside.peer), ("function", &beside.function)];
        [
            Cell::of(&filled("tables.peers.function-of", &values)),
            Cell::Number(beside.ns, Unit::Time),
            Cell::ratio(&beside.over),
            Cell::or_missing(beside.differs.map(|differs| said(|| differs.told()))),
        ]
    });
    let failed = line.failed.iter().map(|why| [Cell::of(why), Cell::Empty, Cell::Empty, Cell::Empty]);
    let rows: Vec<Row> = beside.chain(failed).map(with).collect();
    if rows.is_empty() { vec![with([Cell::of(&text("tables.peers.nobody")), Cell::Empty, Cell::Empty, Cell::Empty])] } else { rows }
}

/// From where to where ours is faster than the fastest peer of each row; only rows that have one, and whose interval says something.
pub fn summary(lines: &[Line]) -> String {
    let fastest = |line: &Line| {
        line.beside.iter().map(|beside| beside.over).filter(|over| over.ratio > 0.0).min_by(|a, b| a.ratio.total_cmp(&b.ratio))
    };
    let mut overs: Vec<Comparison> = lines.iter().filter_map(fastest).collect();
    overs.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
    let (Some(least), Some(most)) = (overs.first(), overs.last()) else { return String::new() };
    let behind = overs.iter().filter(|over| over.high < 1.0).count();
    let [least, most] = [least, most].map(|over| units::speed_up_between(over.ratio, over.low, over.high));
    let values: [(&str, &dyn Display); 4] = [("rows", &overs.len()), ("least", &least), ("most", &most), ("behind", &behind)];
    format!("\n{}\n", filled("tables.peers.summary", &values))
}

/// All of it for programs.
pub fn as_json(place: &Place, peers: &[Peer], setting: Setting, lines: &[Line]) -> Value {
    let differs = |differs: Differs| match differs {
        Differs::Unknown => Value::Null,
        Differs::Size => json!({ "size": true }),
        Differs::Bytes { share, most, at_edge } => json!({ "share": share, "most": most, "at_edge": at_edge }),
    };
    let candidate = |line: &Line| line.ours.as_ref().and_then(|ours| ours.program.candidate());
    json!({
        "device": place.device().map(|info| &info.name),
        "driver": place.device().map(DeviceInfo::driver),
        "engine": place.engine_name(),
        "width_px": setting.size.0,
        "height_px": setting.size.1,
        "seconds": place.device().map(|_| setting.seconds),
        "rounds": setting.rounds,
        "peers": peers.iter().map(|peer| json!({ "key": peer.key, "name": peer.name, "device": peer.device })).collect::<Vec<_>>(),
        "rows": lines.iter().map(|line| json!({
            "spec": line.spec,
            "variant": candidate(line).map(|candidate| candidate.variant.to_string()),
            "local": candidate(line).map(|candidate| candidate.local.to_string()),
            "ns": line.ours.as_ref().map(|ours| ours.ns),
            "busy": line.ours.as_ref().map(|ours| ours.is_busy),
            "over_copy": line.ours.as_ref().and_then(|ours| ours.copy),
            "beside": line.beside.iter().map(|beside| json!({
                "peer": beside.peer,
                "function": beside.function,
                "ns": beside.ns,
                "ours_over_it": beside.over,
                "output": beside.differs.map(differs),
            })).collect::<Vec<_>>(),
            "failed": line.failed,
        })).collect::<Vec<_>>(),
    })
}
