//! What do the CPU and a device do together? The same picture in two parts, the upper rows computed here and the others there, at the same time.
//!
//! If each is as fast as alone, the best share is that at which both end at the same time, and the rates add up. Each share is paired with the device alone, in an order that a
//! coin decides, and both parts of its output are verified: so it shows what is left of that sum where both use the same memory, or the same cores.

use super::{Command, Finding, Kind, Probe, Study, Subject};
use base::texts::{Words, filled};
use engine::Task;
use model::StageId;
use model::measure::{Comparison, Split, SplitWay, median_of, most_by_sharing};
use serde_json::{Value, json};
use std::fmt::Display;
use view::plot::{Curve, CurvePoint, Curves, Role, Scale, units};
use view::story::{self, Block, Cell, Column, Figure, Row, Story, Table, Tone, Unit, said};

/// How window and command line know it.
pub static KIND: Kind = Kind {
    name: "split",
    subject: Subject::Variant,
    shortcut: ("J", true),
    command: Some(Command { name: "split", picture: (2048, 2048), takes_file: true, example: "coalesced --filter dilate" }),
    goes_on: false,
    keeps: None,
    why_not: |variant| variant.is_on(StageId::Image).then_some("studies.split.image"),
    begin: |asked| Box::new(Shared { task: Some(asked.task) }),
};

/// The study.
struct Shared {
    /// Still to be asked.
    task: Option<Task>,
}

impl Study for Shared {
    fn next(&mut self, findings: &[Finding]) -> Option<Probe> {
        if split_in(findings).is_some() {
            return None;
        }
        self.task.take().map(|task| Probe::Split(Box::new(task)))
    }

    fn total(&self) -> usize {
        1
    }

    fn conclude(&self, findings: &[Finding], _: bool) -> Option<Story> {
        Some(match split_in(findings) {
            Some(Ok(split)) => story(split),
            Some(Err(why)) => {
                let mut story = Story::default();
                story.say(Tone::Warning, Words::of(why));
                story
            }
            None => Story::default(),
        })
    }

    fn facts(&self, findings: &[Finding]) -> Value {
        let Some(Ok(split)) = split_in(findings) else { return json!({ "ways": [] }) };
        let way = |way: &SplitWay| json!({ "cpu_rows": way.cpu_rows, "time_ns": time_ns(way), "comparison": way.comparison() });
        let [device_ns, cpu_ns] = split.alone_ns;
        json!({
            "device_alone_ns": device_ns,
            "cpu_alone_ns": cpu_ns,
            "even_rows": split.even_rows,
            "most": most_by_sharing(split.alone_ns),
            "busy": split.busy,
            "ways": split.ways.iter().map(way).collect::<Vec<_>>(),
        })
    }
}

fn split_in(findings: &[Finding]) -> Option<&base::error::Result<Box<Split>>> {
    findings.iter().find_map(|finding| if let Finding::Split(_, split) = finding { Some(split) } else { None })
}

/// Median time until both parts have ended, in nanoseconds; `None` where there is none.
fn time_ns(way: &SplitWay) -> Option<f64> {
    let times: Vec<f64> = way.pairs.iter().map(|pair| pair.second_ns as f64).collect();
    (!times.is_empty()).then(|| median_of(times))
}

/// The way at which both should end at the same time.
fn even(split: &Split) -> Option<&SplitWay> {
    split.ways.iter().find(|way| way.cpu_rows == split.even_rows)
}

/// The fastest way that was measured.
fn best(split: &Split) -> Option<(&SplitWay, Comparison)> {
    let all = split.ways.iter().map(|way| (way, way.comparison()));
    all.max_by(|one, other| one.1.ratio.total_cmp(&other.1.ratio))
}

/// "38 %".
fn share(rows: usize, height_px: usize) -> String {
    format!("{} %", units::whole_percent(rows as f64 / height_px.max(1) as f64))
}

fn story(split: &Split) -> Story {
    let mut story = Story::default();
    if split.busy {
        story.say(Tone::Warning, Words::text("studies.panel.busy"));
    }
    for sentence in expected_sentence(split).into_iter().chain(best_sentence(split)) {
        story.say(Tone::Plain, sentence);
    }
    story.push(Block::Figure(figure(split)));
    let columns = vec![
        Column::new("cpu_rows", story::Kind::Number, "studies.split.rows"),
        Column::new("share", story::Kind::Number, "studies.split.share"),
        Column::new("against_device", story::Kind::Words, "studies.split.against"),
        Column::new("time_ns", story::Kind::Number, "studies.split.time"),
    ];
    let mut table = Table::new("ways", columns);
    for way in &split.ways {
        let percent = 100.0 * way.cpu_rows as f64 / split.height_px.max(1) as f64;
        table.row(Row::Cells(vec![
            Cell::count(way.cpu_rows),
            Cell::Number(percent.round(), Unit::Count),
            Cell::Compared(way.comparison(), split.busy),
            Cell::number(time_ns(way), Unit::Time),
        ]));
    }
    story.push(Block::Table(table));
    story.say(Tone::Weak, Words::text("studies.split.what"));
    story
}

/// What the rates of both promise, and what was measured at that share.
fn expected_sentence(split: &Split) -> Option<Words> {
    let comparison = even(split)?.comparison();
    let (alone_ns, rows, height_px) = (split.alone_ns, split.even_rows, split.height_px);
    Some(said(move || {
        let [device, cpu] = alone_ns.map(units::time);
        let (share, most, measured) = (share(rows, height_px), units::speed_up(most_by_sharing(alone_ns)), units::comparison(&comparison));
        let values: [(&str, &dyn Display); 5] =
            [("device", &device), ("cpu", &cpu), ("share", &share), ("most", &most), ("measured", &measured)];
        filled("studies.split.expected", &values)
    }))
}

/// The fastest way, where its interval excludes that the device alone is as fast.
fn best_sentence(split: &Split) -> Option<Words> {
    let (way, comparison) = best(split)?;
    let (rows, height_px) = (way.cpu_rows, split.height_px);
    if comparison.low <= 1.0 {
        return Some(Words::text("studies.split.none-better"));
    }
    Some(said(move || filled("studies.split.best", &[("share", &share(rows, height_px)), ("change", &units::comparison(&comparison))])))
}

fn figure(split: &Split) -> Figure {
    let height_px = split.height_px;
    let point = |(index, way): (usize, &SplitWay)| {
        let (Comparison { ratio, low, high, .. }, rows) = (way.comparison(), way.cpu_rows);
        let name = said(move || {
            let (share, change) = (share(rows, height_px), units::speed_up_between(ratio, low, high));
            filled("studies.split.spoken", &[("share", &share), ("change", &change)])
        });
        CurvePoint { x: (index + 1) as f64, y: ratio, low, high, name }
    };
    let points = split.ways.iter().enumerate().map(point).collect();
    Figure::Curves(Curves {
        curves: vec![Curve { label: Words::text("studies.split.together"), role: Role::Device, points, is_stepped: false }],
        titles: ["studies.split.horizontal", "studies.split.vertical"].map(Words::text),
        units: [Unit::Count, Unit::Ratio],
        scale: Scale::Linear,
        levels: vec![1.0],
        marks: Vec::new(),
        names: split.ways.iter().map(|way| share(way.cpu_rows, height_px)).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::{Shared, best, story};
    use crate::testing::measure;
    use crate::{Finding, Probe, Study as _};
    use base::error::Error;
    use engine::{PictureRef, Target, Task};
    use model::measure::{Pair, Split, SplitWay, even_rows};
    use model::{Channels, CpuEngine};
    use view::story::text;

    fn task() -> Task {
        Task::new(PictureRef::generated((4, 4), Channels::Gray), Target::Cpu(CpuEngine::Scalar))
    }

    /// The device takes 10 ms for all rows, the CPU so many; both work side by side as fast as alone, or one after the other.
    fn split(cpu_ms: f64, is_beside: bool) -> Split {
        let alone_ns = [10e6, 1e6 * cpu_ms];
        let way = |cpu_rows: usize| {
            let share = cpu_rows as f64 / 80.0;
            let (device, cpu) = (10e6 * (1.0 - share), 1e6 * cpu_ms * share);
            let second = if is_beside { f64::max(device, cpu) } else { device + cpu };
            let pair = |index: u64| Pair { first_ns: 10_000_000 + index, second_ns: second as u64 + index, first_place: 0, second_place: 0, start: 0 };
            SplitWay { cpu_rows, pairs: (0..16).map(pair).collect() }
        };
        let even = even_rows(80, alone_ns);
        let mut rows: Vec<usize> = (0..=8).map(|part| 10 * part).chain([even]).collect();
        rows.sort_unstable();
        rows.dedup();
        Split { height_px: 80, ways: rows.into_iter().map(way).collect(), alone_ns, even_rows: even, busy: false }
    }

    #[test]
    fn rates_add_up_where_both_work_side_by_side() {
        // 10 and 30 ms: a quarter for the CPU, and both end after 7.5 ms.
        let shared = split(30.0, true);
        assert_eq!((shared.even_rows, best(&shared).expect("ways").0.cpu_rows), (20, 20));
        let told = text::paint(&story(&shared));
        assert!(told.contains("25 %") && told.contains("1.33×"), "{told}");
        let scene = story(&shared).figures().next().expect("a figure").scene([500.0, 260.0], &measure);
        assert_eq!(scene.hits.len(), 9);
        // On the same cores nothing is gained.
        let told = text::paint(&story(&split(30.0, false)));
        assert!(!told.contains("fastest"), "{told}");
    }

    #[test]
    fn one_probe_brings_all() {
        let mut study = Shared { task: Some(task()) };
        assert!(matches!(study.next(&[]), Some(Probe::Split(_))));
        let findings = [Finding::Split(Box::new(task()), Ok(Box::new(split(30.0, true))))];
        assert!(study.next(&findings).is_none());
        assert_eq!(study.facts(&findings)["even_rows"], 20);
        let failed = [Finding::Split(Box::new(task()), Err(Error::failed("it broke", "somehow", "mend it")))];
        assert!(text::paint(&study.conclude(&failed, true).expect("a story")).contains("it broke"));
        assert!(study.check(&failed).is_err());
    }
}
