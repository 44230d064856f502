//! How does a host program best bring one picture after the other to a device? The same upload, kernels and read-back in each of the ways in which programs go about it: buffers made anew or
//! reused, each command waited for or only the last, one queue or two.
//!
//! Each run of a way is paired with one of the base, in an order that a coin decides, and its output is verified.

use super::{Command, Finding, Kind, Probe, Study, Subject};
use base::texts::{Words, filled};
use engine::Task;
use model::StageId;
use model::measure::{Frames, FramesOf, HostWay, Stream, median_of};
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
    begin: |asked| Box::new(Host { task: Some(asked.task), has_bus: asked.device.has_bus() }),
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
            "stream": frames.stream,
            "bands": frames.bands,
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
        let stream = frames.stream;
        story.say(Tone::Plain, said(|| bus_sentence(pinned, stream)));
    }
    if let Some((bands, time_ns)) = frames.bands.zip(banded_ns(frames)) {
        let bus_ns = frames.stream.filter(|_| has_bus).map(|stream| stream.bus_ns);
        story.say(Tone::Plain, said(|| bands_sentence(bands, time_ns, bus_ns)));
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

/// The median time of one picture in bands.
fn banded_ns(frames: &Frames) -> Option<f64> {
    frames.ways.iter().find(|of| of.way == HostWay::InBands).and_then(|of| picture_ns(frames, of))
}

fn bus_sentence(pinned_ns: [f64; 2], stream: Option<Stream>) -> String {
    let [upload, readback] = pinned_ns.map(units::time);
    let Some(Stream { count, picture_ns, bus_ns }) = stream else {
        return filled("studies.host.bus-alone", &[("upload", &upload), ("readback", &readback)]);
    };
    let (bus, took) = (units::time(bus_ns), units::time(picture_ns));
    let values: [(&str, &dyn Display); 5] =
        [("upload", &upload), ("readback", &readback), ("bus", &bus), ("count", &count), ("took", &took)];
    filled("studies.host.bus", &values)
}

/// With what the bus takes where pictures cross one: no picture of many is through in less, and none alone.
fn bands_sentence(bands: usize, time_ns: f64, bus_ns: Option<f64>) -> String {
    let time = units::time(time_ns);
    let Some(bus_ns) = bus_ns else { return filled("studies.host.bands", &[("bands", &bands), ("time", &time)]) };
    let bus = units::time(bus_ns);
    filled("studies.host.bands-of-bus", &[("bands", &bands), ("time", &time), ("bus", &bus)])
}

#[cfg(test)]
mod tests {
    use super::{Host, banded_ns, bands_sentence, bus_sentence, most_by_overlap, picture_ns, returned_share};
    use crate::{Finding, Probe, Study as _};
    use base::error::Error;
    use engine::{PictureRef, Target, Task};
    use model::measure::{Frames, FramesOf, HostWay, Pair, Stream};
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
        let ways = vec![way(HostWay::Wait, 1.0), way(HostWay::Batch, 0.5), refused, way(HostWay::InBands, 0.25)];
        let (parts_ns, pinned_ns) = ([1000.0, 3000.0, 500.0], Some([700.0, 300.0]));
        let stream = Some(Stream { count: 100, picture_ns: 4000.0, bus_ns: 3000.0 });
        let frames = Frames { count: 4, ways, parts_ns, pinned_ns, stream, bands: Some(8), busy: false };
        assert_eq!(picture_ns(&frames, &frames.ways[1]).map(|ns| (ns / 1000.0).round()), Some(501.0));
        assert_eq!(returned_share(&frames.ways[1]).map(|share| (share * 100.0).round()), Some(10.0));
        assert_eq!(picture_ns(&frames, &frames.ways[2]), None);
        let mut study = Host { task: Some(task()), has_bus: true };
        assert!(matches!(study.next(&[]), Some(Probe::Frames(_))));
        let findings = [Finding::Frames(Box::new(task()), Ok(Box::new(frames)))];
        assert!(study.next(&findings).is_none());
        let told = view::story::text::paint(&study.conclude(&findings, true).expect("a story"));
        assert!(told.contains("2.00× FASTER") && told.contains("the device has none"), "{told}");
        assert!(told.contains("In a stream of 100, an image takes 4 µs; transfers alone, in both directions at once, take 3 µs"), "{told}");
        assert!(told.contains("takes 250 µs (bands: 8)") && told.contains("transfers alone take 3 µs"), "{told}");
        study.has_bus = false;
        let told = view::story::text::paint(&study.conclude(&findings, true).expect("a story"));
        assert!(!told.contains("alone take"), "nothing crosses a bus: {told}");
        assert!(told.contains("takes 250 µs (bands: 8)"), "{told}");
        let facts = study.facts(&findings);
        assert_eq!((facts["pictures"].as_u64(), facts["ways"][1]["way"].as_str()), (Some(4), Some("batch")), "{facts}");
    }

    #[test]
    fn a_stream_is_told_beside_its_transfers() {
        let frames = |ways| Frames { count: 4, ways, parts_ns: [1.0; 3], pinned_ns: None, stream: None, bands: Some(2), busy: false };
        assert_eq!(banded_ns(&frames(vec![way(HostWay::Wait, 1.0), way(HostWay::InBands, 0.25)])).map(f64::round), Some(250_281.0));
        assert_eq!(banded_ns(&frames(vec![way(HostWay::Wait, 1.0)])), None);
        let stream = Stream { count: 100, picture_ns: 2.1e6, bus_ns: 2e6 };
        assert!(bus_sentence([2e6, 1e6], Some(stream)).contains("2.1 ms"));
        assert!(!bus_sentence([2e6, 1e6], None).contains("stream"));
        assert!(!bands_sentence(2, 3e6, None).contains("alone") && bands_sentence(2, 3e6, Some(2e6)).contains("2 ms"));
    }

    #[test]
    fn overlap_cannot_hide_the_longer_part() {
        assert!((most_by_overlap([1.0e6, 3.0e6, 1.0e6]) - 5.0 / 3.0).abs() < 1e-9);
        assert!((most_by_overlap([2.0e6, 1.0e6, 1.0e6]) - 2.0).abs() < 1e-9);
    }
}
