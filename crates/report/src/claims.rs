//! The claims of guides: devices × claims, with what was seen and why.

use super::subject::Devices;
use base::texts::{Words, filled, joined, text};
use engine::device::DeviceInfo;
use kernels::filters::Ladder;
use std::fmt::Write as _;
use study::Seen;
use study::bundle::{Bundle, DeviceRun, Tested, is_same_device};
use study::claims::{Found, over_sizes};
use view::story::html::{Page, escaped};
use view::story::{Cell, Column, Group, Kind, Row, Table, said};

/// With so few devices the reasons are open from the start.
const FEW_DEVICES: usize = 3;

/// What came of a claim on a device, over one picture size.
pub struct Verdict<'a> {
    /// What was compared.
    pub tested: &'a Tested,
    /// What came of it.
    found: Found,
}

impl Verdict<'_> {
    /// What came of the claim.
    pub fn seen(&self) -> Seen {
        self.found.seen
    }
}

/// The section; nothing where no claim was tested.
pub fn section(bundle: &Bundle, devices: &Devices<'_>, page: &mut Page) {
    let mut ladders: Vec<&'static Ladder> = Vec::new();
    for (run, device) in bundle.devices() {
        let ladder = run.ladder().filter(|ladder| device.tested.iter().any(|tested| tested.step.ladder == ladder.name));
        if let Some(ladder) = ladder.filter(|ladder| !ladders.iter().any(|known| known.name == ladder.name)) {
            ladders.push(ladder);
        }
    }
    let all = || bundle.devices().flat_map(|(_, device)| &device.tested);
    let outdated = all().filter(|tested| !tested.step.is_current()).count();
    if ladders.is_empty() && outdated == 0 {
        return;
    }
    page.section("claims", text("report.claims.title"));
    page.paragraph(text("report.claims.about"));
    page.paragraph(text("report.claims.words"));
    if outdated > 0 {
        page.paragraph(&filled("report.claims.outdated", &[("count", &outdated)]));
    }
    for ladder in ladders {
        matrix(bundle, ladder, devices, page);
    }
}

/// A ladder's claims by device.
fn matrix(bundle: &Bundle, ladder: &Ladder, devices: &Devices<'_>, page: &mut Page) {
    let claims = claims(ladder);
    let tested = |(device, _): &(&DeviceInfo, &str)| !verdicts(bundle, ladder, None, device).is_empty();
    let rows: Vec<(&DeviceInfo, &str)> = devices.all().filter(tested).collect();
    if claims.is_empty() || rows.is_empty() {
        return;
    }
    page.heading(ladder.label());
    if ladder.is_own {
        page.paragraph(text("report.claims.ours"));
    }
    page.paragraph(&filled("tables.ladder.source", &[("source", &ladder.source())]));
    let sized = |verdict: Verdict<'_>| (verdict.found, verdict.tested.step.size_px);
    let cell =
        |step, device: &DeviceInfo| over_sizes(&verdicts(bundle, ladder, Some(step), device).into_iter().map(sized).collect::<Vec<_>>());
    let row = |(device, name): &(&DeviceInfo, &str)| {
        let of_claims = claims.iter().map(|claim| cell(*claim, device));
        Row::Cells(std::iter::once(Cell::Words(Words::of(name))).chain(of_claims).collect())
    };
    let counts = claims.iter().map(|step| {
        let of_device = |(device, _): &(&DeviceInfo, &str)| verdicts(bundle, ladder, Some(*step), device);
        let all: Vec<Verdict<'_>> = rows.iter().flat_map(of_device).collect();
        let confirmed = all.iter().filter(|verdict| verdict.seen() == Seen::Confirmed).count();
        Cell::Words(said(|| filled("report.claims.count", &[("confirmed", &confirmed), ("tested", &all.len())])))
    });
    let total = std::iter::once(Cell::Words(Words::text("report.claims.confirmed"))).chain(counts).collect();
    let head = |step: &usize| Column {
        name: ladder.steps.get(*step).map(|step| step.key.clone()).unwrap_or_default(),
        heads: vec![said(|| title(ladder, *step)), said(|| says(ladder, *step))],
        kind: Kind::Words,
    };
    let device = Column::new("device", Kind::Words, "report.device");
    let mut table = Table::new("claims", std::iter::once(device).chain(claims.iter().map(head)).collect());
    table.caption = Some(said(|| filled("report.claims.caption", &[("ladder", &ladder.label())])));
    table.groups = vec![Group { title: None, rows: rows.iter().map(row).collect() }, Group { title: None, rows: vec![Row::Cells(total)] }];
    page.table(&table);
    for (device, name) in &rows {
        page.add(&reasons(ladder, &verdicts(bundle, ladder, None, device), name, rows.len() <= FEW_DEVICES));
    }
}

/// The steps that something is claimed of.
fn claims(ladder: &Ladder) -> Vec<usize> {
    (0..ladder.steps.len()).filter(|step| ladder.steps.get(*step).is_some_and(|step| step.claim.is_some())).collect()
}

fn title(ladder: &Ladder, step: usize) -> String {
    ladder.step_title(step).unwrap_or_default()
}

fn says(ladder: &Ladder, step: usize) -> String {
    ladder.claim_line(step).unwrap_or_default()
}

/// What came of the claim about a step, or of all, on a device: a verdict for each picture size, of the newest benchmark.
pub fn verdicts<'a>(bundle: &'a Bundle, ladder: &Ladder, step: Option<usize>, device: &DeviceInfo) -> Vec<Verdict<'a>> {
    let mut runs: Vec<&DeviceRun> = bundle.devices().map(|(_, run)| run).filter(|run| is_same_device(&run.device, device)).collect();
    // The newest first; in a bundle of one benchmark it is the only one.
    runs.sort_by_key(|run| std::cmp::Reverse(run.readings.iter().map(|reading| reading.record.date.as_str()).max()));
    let mut verdicts: Vec<Verdict<'a>> = Vec::new();
    for tested in runs.into_iter().flat_map(|run| &run.tested) {
        let of = &tested.step;
        let is_known = |known: &Verdict<'_>| known.tested.step.step == of.step && known.tested.step.size_px == of.size_px;
        if verdicts.iter().any(is_known) {
            continue;
        }
        verdicts.extend(verdict(tested, ladder, step));
    }
    verdicts
}

/// `None` for another ladder's or step's, for one that nothing is claimed of, and for one that is not of today.
fn verdict<'a>(tested: &'a Tested, ladder: &Ladder, step: Option<usize>) -> Option<Verdict<'a>> {
    let index = ladder.steps.iter().position(|known| known.key == tested.step.step)?;
    let is_it = tested.step.ladder == ladder.name && step.is_none_or(|step| step == index) && tested.step.is_current();
    let claim = ladder.steps.get(index)?.claim.filter(|_| is_it)?;
    let there = &tested.step;
    let found = Found {
        comparison: there.comparison,
        seen: there.seen(claim.says),
        same_code: there.is_same_work.then(|| Words::text("code.compared.same")),
        is_same_work: there.is_same_work,
        is_busy: there.is_busy,
        pairs: tested.pairs.len(),
    };
    Some(Verdict { tested, found })
}

/// Why each step does what it does on a device, by the rules.
fn reasons(ladder: &Ladder, verdicts: &[Verdict<'_>], device: &str, is_open: bool) -> String {
    let summary = escaped(&filled("report.claims.why", &[("device", &device)]));
    let mut html = format!("<details{}><summary>{summary}</summary>\n<dl>\n", if is_open { " open" } else { "" });
    for verdict in verdicts {
        let of = &verdict.tested.step;
        let Some(step) = ladder.steps.iter().position(|step| step.key == of.step) else { continue };
        let [width, height] = of.size_px;
        let head = joined(
            "words.list.items",
            [format!("{} · {width} × {height}", title(ladder, step)), says(ladder, step), verdict.seen().marked()],
        );
        // Writing to a string does not fail.
        let _ = writeln!(html, "<dt>{}</dt>", escaped(&head));
        let reasons = of.reasons();
        if reasons.is_empty() {
            let _ = writeln!(html, "<dd>{}</dd>", escaped(text("tables.ladder.no-rule")));
        }
        for reason in &reasons {
            let _ = writeln!(html, "<dd>{}</dd>", escaped(&reason.line_with_evidence()));
        }
    }
    html + "</dl>\n</details>\n"
}
