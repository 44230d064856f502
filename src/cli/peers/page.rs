//! What is told of filters beside their peers.

use super::process::Peer;
use crate::cli::devices::device_line;
use crate::cli::roofs;
use crate::cli::studying::busy_mark;
use base::foreign::markdown;
use base::texts::{filled, speaking_keys, text};
use engine::device::DeviceInfo;
use kernels::filters;
use model::Spec;
use model::measure::Comparison;
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
    /// The fastest variant that was found; `None` where no peer has the filter, or nothing could be measured.
    pub ours: Option<Ours>,
    /// What it was measured beside.
    pub beside: Vec<Beside>,
    /// What peers could not do, and why.
    pub failed: Vec<String>,
}

/// The fastest variant that was found.
pub struct Ours {
    /// Stages and local size.
    pub candidate: Candidate,
    /// Median kernel time over the rounds.
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
    /// How long each search may take.
    pub seconds: u64,
    /// Rounds.
    pub rounds: u64,
}

/// What the page is of, and the head of its table.
pub fn head(info: &DeviceInfo, peers: &[Peer], setting: Setting) -> String {
    let Setting { size: (width, height), seconds, rounds } = setting;
    let mut lines = vec![markdown(&device_line(info)).into_owned()];
    lines.push(format!("kernel-ladder {}", roofs::version_text(env!("CARGO_PKG_VERSION"), cfg!(debug_assertions))));
    let values: [(&str, &dyn Display); 4] = [("width", &width), ("height", &height), ("seconds", &seconds), ("rounds", &rounds)];
    lines.push(filled("tables.peers.size", &values));
    lines.extend(peers.iter().map(|peer| {
        let values: [(&str, &dyn Display); 2] = [("name", &markdown(&peer.name)), ("device", &markdown(&peer.device))];
        filled("tables.peers.peer", &values)
    }));
    let lines = lines.iter().map(|line| format!("- {line}\n")).collect::<Vec<_>>().concat();
    let title = filled("tables.peers.title", &[("device", &markdown(&info.display_name()))]);
    format!("# {title}\n\n{lines}\n{}\n\n{}", text("tables.peers.legend"), painted(&empty()))
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
            Cell::Code(format!("{} @ {}", ours.candidate.variant, ours.candidate.local)),
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
pub fn as_json(info: &DeviceInfo, peers: &[Peer], setting: Setting, lines: &[Line]) -> Value {
    let differs = |differs: Differs| match differs {
        Differs::Unknown => Value::Null,
        Differs::Size => json!({ "size": true }),
        Differs::Bytes { share, most, at_edge } => json!({ "share": share, "most": most, "at_edge": at_edge }),
    };
    json!({
        "device": info.name,
        "driver": info.driver(),
        "width_px": setting.size.0,
        "height_px": setting.size.1,
        "seconds": setting.seconds,
        "rounds": setting.rounds,
        "peers": peers.iter().map(|peer| json!({ "key": peer.key, "name": peer.name, "device": peer.device })).collect::<Vec<_>>(),
        "rows": lines.iter().map(|line| json!({
            "spec": line.spec,
            "variant": line.ours.as_ref().map(|ours| ours.candidate.variant.to_string()),
            "local": line.ours.as_ref().map(|ours| ours.candidate.local.to_string()),
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
