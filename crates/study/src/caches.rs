//! Caches: how long a load waits for the one before it, from few bytes to many and in several orders, and where the chosen variant's picture lies on that curve.
//!
//! After Drepper, *What Every Programmer Should Know About Memory*, 2007, section 3.3.2. The waits are measured with the roofs, of which they are a part: what is known of a device is not
//! measured again.

use super::{Command, Finding, Kind, Probe, Question, Study, Subject};
use base::error::Result;
use base::texts::{Words, failed, filled, text};
use engine::Task;
use kernels::launch::Shape;
use model::{RoofKind, Roofs, Wait};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Display;
use std::sync::Arc;
use view::plot::{Curve, CurvePoint, Curves, Role, Scale, units};
use view::story::{self, Block, Cell, Column, Figure, Row, Story, Table, Tone, Unit, said};

/// How window and command line know it.
pub static KIND: Kind = Kind {
    name: "caches",
    subject: Subject::Variant,
    shortcut: ("K", true),
    command: Some(Command { name: "caches", picture: (2048, 2048), takes_file: true, example: "coalesced --filter dilate" }),
    goes_on: false,
    keeps: None,
    why_not: |_| None,
    begin: |asked| Box::new(Caches::new(&asked)),
};

/// The study.
struct Caches {
    device: usize,
    /// What is known already.
    known: Option<Arc<Roofs>>,
    /// Bytes that a run of the variant goes through.
    run_bytes: Option<usize>,
}

impl Caches {
    fn new(asked: &Question) -> Self {
        let known = asked.roofs.clone().filter(|roofs| !roofs.waits.is_empty());
        Self { device: asked.task.target.device().unwrap_or_default(), known, run_bytes: run_bytes(&asked.task, asked) }
    }

    fn roofs<'a>(&'a self, findings: &'a [Finding]) -> Option<&'a Roofs> {
        let found = findings.iter().find_map(|finding| if let Finding::Roofs(roofs) = finding { Some(&**roofs) } else { None });
        found.or(self.known.as_deref())
    }
}

/// Bytes that a run of the variant reads and writes, with what lies between its passes.
fn run_bytes(task: &Task, asked: &Question) -> Option<usize> {
    let (width_px, height_px) = task.picture.size();
    let variant = asked.variant();
    let shape = Shape { variant: &variant, setting: task.setting(), parameters: &task.spec.parameters, width_px, height_px };
    let bytes = (task.filter().launch)(&shape).total_bytes();
    (bytes > 0).then_some(bytes)
}

impl Study for Caches {
    fn next(&mut self, findings: &[Finding]) -> Option<Probe> {
        self.roofs(findings).is_none().then_some(Probe::Roofs(self.device))
    }

    fn total(&self) -> usize {
        1
    }

    fn conclude(&self, findings: &[Finding], _: bool) -> Option<Story> {
        Some(self.roofs(findings).map_or_else(Story::default, |roofs| story(roofs, self.run_bytes)))
    }

    fn facts(&self, findings: &[Finding]) -> Value {
        let Some(roofs) = self.roofs(findings) else { return json!({ "run_bytes": self.run_bytes, "waits": [], "levels": [] }) };
        let wait = |wait: &Wait| {
            let [median, lower, upper] = wait.load_ns();
            json!({
                "stride_bytes": wait.stride_bytes,
                "bytes": wait.roof.setup.bytes,
                "load_ns": { "median": median, "lower_quartile": lower, "upper_quartile": upper },
                "busy": wait.roof.busy,
            })
        };
        let levels = roofs.levels();
        json!({
            "run_bytes": self.run_bytes,
            "date": roofs.date,
            "waits": roofs.waits.iter().map(wait).collect::<Vec<_>>(),
            "levels": levels.iter().map(|level| json!({ "bytes": level.bytes, "bytes_per_ns": level.rate })).collect::<Vec<_>>(),
        })
    }

    fn check(&self, findings: &[Finding]) -> Result<()> {
        let Some(roofs) = self.roofs(findings) else { return Err(failed("errors.engine.nothing-found", &[])) };
        match roofs.missing.get(&RoofKind::Latency) {
            Some(why) if roofs.waits.is_empty() => Err(failed("errors.roofs.missing", &[("why", why)])),
            _ => Ok(()),
        }
    }
}

/// The orders that were measured, that without a pattern first.
fn orders(roofs: &Roofs) -> BTreeSet<Option<usize>> {
    roofs.waits.iter().map(|wait| wait.stride_bytes).collect()
}

fn of_order(roofs: &Roofs, stride_bytes: Option<usize>) -> impl Iterator<Item = &Wait> {
    roofs.waits.iter().filter(move |wait| wait.stride_bytes == stride_bytes)
}

/// "every 64 bytes".
fn order_text(stride_bytes: Option<usize>) -> String {
    stride_bytes.map_or_else(|| text("studies.caches.no-pattern").to_owned(), |bytes| filled("studies.caches.every", &[("bytes", &bytes)]))
}

fn story(roofs: &Roofs, run_bytes: Option<usize>) -> Story {
    let mut story = Story::default();
    if roofs.waits.iter().any(|wait| wait.roof.busy) {
        story.say(Tone::Warning, Words::text("studies.panel.busy"));
    }
    if roofs.waits.is_empty() {
        story.say(Tone::Warning, roofs.missing.get(&RoofKind::Latency).cloned().unwrap_or_else(|| Words::text("studies.host.not-measured")));
        return story;
    }
    for sentence in growth(roofs).into_iter().chain(run_bytes.map(run_sentence)) {
        story.say(Tone::Plain, sentence);
    }
    story.push(Block::Figure(figure(roofs, run_bytes)));
    story.push(Block::Table(table(roofs)));
    let date = roofs.date.split('T').next().unwrap_or_default().to_owned();
    story.say(Tone::Weak, said(move || filled("studies.caches.what", &[("date", &date)])));
    story.say(Tone::Weak, Words::text("studies.caches.how"));
    story
}

/// What the longest chains take over the shortest, of the order without a pattern and of the shortest steps: what an order saves.
fn growth(roofs: &Roofs) -> Option<Words> {
    let ends = |stride_bytes: Option<usize>| {
        let times: Vec<f64> = of_order(roofs, stride_bytes).map(|wait| wait.load_ns()[0]).collect();
        Some((*times.first()?, *times.last()?))
    };
    let shortest = orders(roofs).into_iter().flatten().next()?;
    let ((near, far), (_, in_order)) = (ends(None)?, ends(Some(shortest))?);
    Some(said(move || {
        let [near, far, in_order] = [near, far, in_order].map(units::time);
        let values: [(&str, &dyn Display); 4] = [("near", &near), ("far", &far), ("in_order", &in_order), ("bytes", &shortest)];
        filled("studies.caches.growth", &values)
    }))
}

fn run_sentence(bytes: usize) -> Words {
    said(move || filled("studies.caches.run", &[("bytes", &units::binary_bytes(bytes as u64))]))
}

const KIB: f64 = 1024.0;

fn figure(roofs: &Roofs, run_bytes: Option<usize>) -> Figure {
    // Their shapes tell them apart, too.
    let roles = [Role::Device, Role::Cpu, Role::Transfers, Role::Accent];
    let point = |wait: &Wait| {
        let (bytes, stride_bytes, [y, low, high]) = (wait.roof.setup.bytes, wait.stride_bytes, wait.load_ns());
        let name = said(move || {
            let (bytes, time) = (units::binary_bytes(bytes as u64), units::time_between(y, low, high));
            let values: [(&str, &dyn Display); 3] = [("order", &order_text(stride_bytes)), ("bytes", &bytes), ("time", &time)];
            filled("studies.caches.spoken", &values)
        });
        CurvePoint { x: bytes as f64 / KIB, y, low, high, name }
    };
    let curve = |(role, stride_bytes): (Role, Option<usize>)| Curve {
        label: said(move || order_text(stride_bytes)),
        role,
        points: of_order(roofs, stride_bytes).map(point).collect(),
        is_stepped: false,
    };
    Figure::Curves(Curves {
        curves: roles.into_iter().zip(orders(roofs)).map(curve).collect(),
        titles: ["studies.caches.horizontal", "studies.caches.vertical"].map(Words::text),
        units: [Unit::Count, Unit::Time],
        scale: Scale::Log,
        levels: Vec::new(),
        marks: run_bytes.map(|bytes| (bytes as f64 / KIB, Words::text("studies.caches.run-mark"))).into_iter().collect(),
        names: Vec::new(),
    })
}

fn table(roofs: &Roofs) -> Table {
    let orders = orders(roofs);
    let name = |stride_bytes: &Option<usize>| stride_bytes.map_or_else(|| "no_pattern_ns".to_owned(), |bytes| format!("every_{bytes}_ns"));
    let column = |stride_bytes: &Option<usize>| {
        let stride_bytes_of = *stride_bytes;
        Column::headed(&name(stride_bytes), story::Kind::Number, said(move || order_text(stride_bytes_of)))
    };
    let columns = std::iter::once(Column::new("bytes", story::Kind::Words, "studies.caches.bytes")).chain(orders.iter().map(column));
    let mut table = Table::new("waits", columns.collect());
    let sizes: BTreeSet<usize> = roofs.waits.iter().map(|wait| wait.roof.setup.bytes).collect();
    for bytes in sizes {
        let head = Cell::Words(said(move || units::binary_bytes(bytes as u64)));
        let cells = orders.iter().map(|stride_bytes| {
            let wait = of_order(roofs, *stride_bytes).find(|wait| wait.roof.setup.bytes == bytes);
            wait.map_or(Cell::Empty, |wait| Cell::Between(wait.load_ns(), Unit::Time))
        });
        table.row(Row::Cells(std::iter::once(head).chain(cells).collect()));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::{Caches, story};
    use crate::testing::measure;
    use crate::testing::records::roofs;
    use crate::{Finding, Probe, Study as _};
    use base::texts::Words;
    use model::{ProbeSetup, Roof, RoofKind, Roofs, Summary, Wait};
    use std::sync::Arc;
    use view::story::text;

    /// A load takes so many nanoseconds, the same of 8 KiB and more of 64 MiB.
    fn with_waits() -> Roofs {
        let wait = |stride_bytes: Option<usize>, bytes: usize, ns: u64| {
            let time = Summary::of(vec![1000 * ns; 5]).expect("samples");
            Wait { stride_bytes, roof: Roof { work: 1000.0, time, setup: ProbeSetup { bytes, ..ProbeSetup::default() }, busy: false } }
        };
        let waits = vec![wait(None, 8 << 10, 2), wait(None, 64 << 20, 90), wait(Some(16), 8 << 10, 2), wait(Some(16), 64 << 20, 4)];
        Roofs { waits, ..roofs() }
    }

    #[test]
    fn what_is_known_is_not_measured_again() {
        let mut study = Caches { device: 3, known: None, run_bytes: Some(1 << 20) };
        assert_eq!(study.next(&[]), Some(Probe::Roofs(3)));
        let findings = [Finding::Roofs(Arc::new(with_waits()))];
        assert_eq!(study.next(&findings), None);
        assert!(study.check(&[]).is_err() && study.check(&findings).is_ok());
        study.known = Some(Arc::new(with_waits()));
        assert_eq!(study.next(&[]), None);
        assert_eq!(study.facts(&[])["waits"].as_array().map(Vec::len), Some(4));
    }

    #[test]
    fn orders_are_curves_and_the_variant_has_its_mark() {
        let story = story(&with_waits(), Some(1 << 20));
        let scene = story.figures().next().expect("a figure").scene([600.0, 300.0], &measure);
        assert_eq!(scene.hits.len(), 4);
        let told = text::paint(&story);
        let row = |start: &str| told.lines().find(|line| line.starts_with(start)).map(str::to_owned);
        assert!(row("64 MiB").is_some_and(|row| row.contains("90 ns") && row.contains("4 ns")), "{told}");
        assert!(told.contains("1 MiB"), "{told}");
    }

    #[test]
    fn a_device_without_waits_says_why() {
        let mut roofs = roofs();
        roofs.missing.insert(RoofKind::Latency, Words::from("its clock stands still"));
        let study = Caches { device: 0, known: None, run_bytes: None };
        let findings = [Finding::Roofs(Arc::new(roofs))];
        assert!(text::paint(&study.conclude(&findings, true).expect("a story")).contains("its clock stands still"));
        assert!(study.check(&findings).is_err_and(|error| error.to_string().contains("its clock stands still")));
    }
}
