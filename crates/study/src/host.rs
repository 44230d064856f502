//! How does a host program best bring one picture after the other to a device? The same upload, kernels and read-back in each of the ways in which programs go about it: buffers made anew or
//! reused, each command waited for or only the last, one queue or two.
//!
//! Each run of a way is paired with one of the base, in an order that a coin decides, and its output is verified.

use super::{Command, Finding, Kind, Probe, Study, Subject};
use base::texts::{Words, filled};
use engine::Task;
use engine::device::DeviceKind;
use model::StageId;
use model::measure::{Frames, FramesOf, HostWay, median_of};
use serde_json::{Value, json};
use std::fmt::Display;
use view::plot::units;
use view::story::{self, Block, Cell, Column, Row, Story, Table, Tone, Unit, said};

/// How window and command line know it.
pub static KIND: Kind = Kind {
    name: "host",
    subject: Subject::Variant,
    shortcut: ("U", true),
    command: Some(Command { name: "host", picture: (1024, 1024), takes_file: true, example: "coalesced --filter dilate" }),
    goes_on: false,
    keeps: None,
    why_not: |variant| variant.is_on(StageId::Image).then_some("studies.host.image"),
    begin: |asked| Box::new(Host { task: Some(asked.task), has_bus: !asked.device.has_unified_memory && asked.device.kind != DeviceKind::Cpu }),
};

/// The study.
struct Host {
    /// Still to be asked.
    task: Option<Task>,
    /// Whether pictures cross a bus to the device: elsewhere a copy is made by what also computes.
    has_bus: bool,
}

impl Study for Host {
    fn next(&mut self, findings: &[Finding]) -> Option<Probe> {
        if frames_in(findings).is_some() {
            return None;
        }
        self.task.take().map(|task| Probe::Frames(Box::new(task)))
    }

    fn total(&self) -> usize {
        1
    }

    fn conclude(&self, findings: &[Finding], _: bool) -> Option<Story> {
        Some(match frames_in(findings) {
            Some(Ok(frames)) => story(frames, self.has_bus),
            Some(Err(why)) => {
                let mut story = Story::default();
                story.say(Tone::Warning, Words::of(why));
                story
            }
            None => Story::default(),
        })
    }

    fn facts(&self, findings: &[Finding]) -> Value {
        let Some(Ok(frames)) = frames_in(findings) else { return json!({ "pictures": 0, "ways": [] }) };
        let way = |of: &FramesOf| {
            json!({
                "way": of.way,
                "picture_ns": picture_ns(frames, of),
                "returned_share": returned_share(of),
                "comparison": of.why_not.is_none().then(|| of.comparison()),
                "why_not": of.why_not,
            })
        };
        let [upload_ns, kernel_ns, readback_ns] = frames.parts_ns;
        json!({
            "pictures": frames.count,
            "upload_ns": upload_ns,
            "kernel_ns": kernel_ns,
            "readback_ns": readback_ns,
            "pinned_upload_ns": frames.pinned_ns.map(|[upload, _]| upload),
            "pinned_readback_ns": frames.pinned_ns.map(|[_, readback]| readback),
            "busy": frames.busy,
            "ways": frames.ways.iter().map(way).collect::<Vec<_>>(),
        })
    }
}

fn frames_in(findings: &[Finding]) -> Option<&base::error::Result<Box<Frames>>> {
    findings.iter().find_map(|finding| if let Finding::Frames(_, frames) = finding { Some(frames) } else { None })
}

/// Median time of a picture, in nanoseconds; `None` where there is none.
fn picture_ns(frames: &Frames, of: &FramesOf) -> Option<f64> {
    let times: Vec<f64> = of.pairs.iter().map(|pair| pair.second_ns as f64 / frames.count.max(1) as f64).collect();
    (!times.is_empty()).then(|| median_of(times))
}

/// The share of the time after which the last call had returned: what a program takes for the whole that does not wait.
fn returned_share(of: &FramesOf) -> Option<f64> {
    let shares: Vec<f64> = of.enqueued_ns.iter().zip(&of.pairs).map(|(enqueued, pair)| *enqueued as f64 / pair.second_ns.max(1) as f64).collect();
    (!shares.is_empty()).then(|| median_of(shares))
}

/// How much faster it is where uploads, kernels and read-backs all go on side by side, and only the longest of them remains. Kernels that run beside each other, and waits that are saved, are not in it.
fn most_by_overlap(parts_ns: [f64; 3]) -> f64 {
    parts_ns.iter().sum::<f64>() / parts_ns.into_iter().fold(1.0, f64::max)
}

fn story(frames: &Frames, has_bus: bool) -> Story {
    let mut story = Story::default();
    if frames.busy {
        story.say(Tone::Warning, Words::text("studies.panel.busy"));
    }
    let columns = vec![
        Column::new("way", story::Kind::Words, "studies.host.head.way"),
        Column::new("against_waiting", story::Kind::Words, "studies.host.head.against"),
        Column::new("picture_ns", story::Kind::Number, "studies.host.head.time"),
        Column::new("per_second", story::Kind::Number, "studies.host.head.rate"),
        Column::new("returned", story::Kind::Number, "studies.host.head.returned"),
    ];
    let mut table = Table::new("ways", columns);
    for of in &frames.ways {
        let name = Cell::Words(Words::text(of.way.key()));
        table.row(match (&of.why_not, picture_ns(frames, of)) {
            (None, Some(time_ns)) => {
                let against = if of.way == HostWay::BASE { Cell::Empty } else { Cell::Compared(of.comparison(), frames.busy) };
                let percent = returned_share(of).map_or(Cell::Missing, |share| Cell::Number((100.0 * share).round(), Unit::Count));
                Row::Cells(vec![name, against, Cell::Number(time_ns, Unit::Time), Cell::Number(1e9 / time_ns.max(1.0), Unit::Count), percent])
            }
            (Some(why), _) => Row::Instead(name, Words::of(why)),
            (None, None) => Row::Instead(name, Words::text("studies.host.not-measured")),
        });
    }
    story.push(Block::Table(table));
    let count = frames.count;
    story.say(Tone::Weak, said(|| filled("studies.host.what", &[("count", &count)])));
    let parts = frames.parts_ns;
    story.say(Tone::Plain, said(|| overlap_sentence(parts)));
    if let Some(pinned) = frames.pinned_ns.filter(|_| has_bus) {
        let fastest = fastest_ns(frames).filter(|fastest| *fastest >= least_ns(pinned, parts));
        story.say(Tone::Plain, said(|| bus_sentence(pinned, parts, fastest)));
    }
    story.say(Tone::Weak, Words::text("studies.host.forgotten"));
    story
}

fn overlap_sentence(parts_ns: [f64; 3]) -> String {
    let [upload, kernel, readback] = parts_ns.map(units::time);
    let most = units::speed_up(most_by_overlap(parts_ns));
    let values: [(&str, &dyn Display); 4] = [("upload", &upload), ("kernel", &kernel), ("readback", &readback), ("most", &most)];
    filled("studies.host.overlap", &values)
}

/// The least median time of a picture.
fn fastest_ns(frames: &Frames) -> Option<f64> {
    frames.ways.iter().filter_map(|of| picture_ns(frames, of)).min_by(f64::total_cmp)
}

/// What a picture takes by two queues, which run two of its three parts at a time, with transfers as fast as the bus makes them: the longest part, and no less than half
/// of all. Waits that are saved are not in it.
fn least_ns([upload, readback]: [f64; 2], [_, kernel, _]: [f64; 3]) -> f64 {
    upload.max(kernel).max(readback).max((upload + kernel + readback) / 2.0)
}

/// Without a fastest way where that is faster than the parts tell: saved waits are most of a small picture's time.
fn bus_sentence(pinned_ns: [f64; 2], parts_ns: [f64; 3], fastest_ns: Option<f64>) -> String {
    let [upload, readback] = pinned_ns.map(units::time);
    let Some(fastest_ns) = fastest_ns else { return filled("studies.host.bus-alone", &[("upload", &upload), ("readback", &readback)]) };
    let (least, fastest) = (units::time(least_ns(pinned_ns, parts_ns)), units::time(fastest_ns));
    let values: [(&str, &dyn Display); 4] = [("upload", &upload), ("readback", &readback), ("least", &least), ("fastest", &fastest)];
    filled("studies.host.bus", &values)
}

#[cfg(test)]
mod tests {
    use super::{Host, bus_sentence, fastest_ns, least_ns, most_by_overlap, picture_ns, returned_share};
    use crate::{Finding, Probe, Study as _};
    use base::error::Error;
    use engine::{PictureRef, Target, Task};
    use model::measure::{Frames, FramesOf, HostWay, Pair};
    use model::{Channels, CpuEngine};

    fn task() -> Task {
        Task::new(PictureRef::generated((2, 2), Channels::Gray), Target::Cpu(CpuEngine::Scalar))
    }

    /// Ten pairs of runs of four pictures, of which the way's takes that share of the base's.
    fn way(way: HostWay, share: f64) -> FramesOf {
        let pair = |number: u64| {
            let first_ns = 4_000_000 + 1000 * number;
            Pair { first_ns, second_ns: (first_ns as f64 * share) as u64, first_place: 0, second_place: 0, start: 0 }
        };
        let pairs: Vec<Pair> = (0..10).map(pair).collect();
        let enqueued_ns = pairs.iter().map(|pair| pair.second_ns / 10).collect();
        FramesOf { way, why_not: None, pairs, enqueued_ns }
    }

    #[test]
    fn each_way_is_told_by_picture_and_against_waiting() {
        let mut refused = way(HostWay::OutOfOrder, 1.0);
        (refused.why_not, refused.pairs) = (Some(Error::failed("no such queue", "the device has none", "do without")), Vec::new());
        let ways = vec![way(HostWay::Wait, 1.0), way(HostWay::Batch, 0.5), refused];
        let frames = Frames { count: 4, ways, parts_ns: [1000.0, 3000.0, 500.0], pinned_ns: Some([700.0, 300.0]), busy: false };
        assert_eq!(picture_ns(&frames, &frames.ways[1]).map(|ns| (ns / 1000.0).round()), Some(501.0));
        assert_eq!(returned_share(&frames.ways[1]).map(|share| (share * 100.0).round()), Some(10.0));
        assert_eq!(picture_ns(&frames, &frames.ways[2]), None);
        let mut study = Host { task: Some(task()), has_bus: true };
        assert!(matches!(study.next(&[]), Some(Probe::Frames(_))));
        let findings = [Finding::Frames(Box::new(task()), Ok(Box::new(frames)))];
        assert!(study.next(&findings).is_none());
        let told = view::story::text::paint(&study.conclude(&findings, true).expect("a story"));
        assert!(told.contains("2.00× FASTER") && told.contains("the device has none"), "{told}");
        assert!(told.contains("takes 3 µs at best; the fastest way here takes 501 µs"), "{told}");
        study.has_bus = false;
        let told = view::story::text::paint(&study.conclude(&findings, true).expect("a story"));
        assert!(!told.contains("at best"), "nothing crosses a bus: {told}");
        let facts = study.facts(&findings);
        assert_eq!((facts["pictures"].as_u64(), facts["ways"][1]["way"].as_str()), (Some(4), Some("batch")), "{facts}");
    }

    #[test]
    fn two_queues_take_the_longest_part_or_half_of_all() {
        assert_eq!(least_ns([700.0, 300.0], [9000.0, 200.0, 9000.0]).to_bits(), 700.0_f64.to_bits(), "ordinary memory does not count");
        assert_eq!(least_ns([300.0, 300.0], [1.0, 900.0, 1.0]).to_bits(), 900.0_f64.to_bits());
        assert_eq!(least_ns([700.0, 1000.0], [1.0, 900.0, 1.0]).to_bits(), 1300.0_f64.to_bits(), "two at a time");
        let frames = |ways| Frames { count: 4, ways, parts_ns: [1.0; 3], pinned_ns: None, busy: false };
        assert_eq!(fastest_ns(&frames(vec![way(HostWay::Wait, 1.0), way(HostWay::Pinned, 0.25)])).map(f64::round), Some(250_281.0));
        assert_eq!(fastest_ns(&frames(Vec::new())), None);
        assert!(bus_sentence([2e6, 1e6], [1.0, 1e6, 1.0], Some(2.1e6)).contains("2.1 ms"), "the fastest is told");
        assert!(!bus_sentence([2e6, 1e6], [1.0, 1e6, 1.0], None).contains("at best"), "no bound where a way is faster");
    }

    #[test]
    fn overlap_cannot_hide_the_longer_part() {
        assert!((most_by_overlap([1.0e6, 3.0e6, 1.0e6]) - 5.0 / 3.0).abs() < 1e-9);
        assert!((most_by_overlap([2.0e6, 1.0e6, 1.0e6]) - 2.0).abs() < 1e-9);
    }
}
