//! The claims of guides: devices × claims, with what was seen and why.

use super::html::{Cell, Page, Rows, Table, escaped};
use super::subject::Devices;
use crate::bundle::{Bundle, DeviceRun, Tested, is_same_device};
use crate::device::DeviceInfo;
use crate::filters::{self, Ladder};
use crate::plot::units;
use crate::study::Seen;
use crate::texts::{filled, joined, pair, text};
use std::fmt::Write as _;

/// With so few devices the reasons are open from the start.
const FEW_DEVICES: usize = 3;

/// A step of a ladder that its guide claims something of.
struct Claim {
    /// Its index.
    step: usize,
    /// Its number and label.
    title: String,
    /// What is claimed.
    says: String,
}

/// What came of a claim on a device, over one picture size.
#[derive(Clone, Copy)]
pub struct Verdict<'a> {
    /// What was compared.
    pub tested: &'a Tested,
    /// What came of the claim.
    pub seen: Seen,
}

impl Verdict<'_> {
    /// A mark and a word: "✓ confirmed".
    fn words(&self) -> String {
        format!("{} {}", mark(self.seen), self.seen.label())
    }

    /// The ratio with its interval, and what is to be known of it.
    fn figures(&self) -> String {
        let step = &self.tested.step;
        let ratio = units::comparison(&step.comparison);
        let same = step.is_same_work.then(|| text("code.compared.same").to_owned());
        units::with_note(
            &joined(
                "words.list.items",
                [Some(ratio), same, step.comparison.one_run().filter(|_| !step.is_same_work).map(str::to_owned)].into_iter().flatten(),
            ),
            step.is_busy,
        )
    }
}

/// Beside each word, so that it can be found at a glance.
fn mark(seen: Seen) -> &'static str {
    match seen {
        Seen::Confirmed => "✓",
        Seen::NotSeen => "=",
        Seen::Reversed => "✗",
        Seen::Unclear => "?",
    }
}

/// The class of the style sheet, and the word by which charts are filtered.
pub fn class(seen: Seen) -> &'static str {
    match seen {
        Seen::Confirmed => "confirmed",
        Seen::NotSeen => "not-seen",
        Seen::Reversed => "reversed",
        Seen::Unclear => "unclear",
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
fn matrix(bundle: &Bundle, ladder: &'static Ladder, devices: &Devices<'_>, page: &mut Page) {
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
    let heads = claims.iter().map(|claim| vec![claim.title.clone(), claim.says.clone()]);
    let cells = |(device, name): &(&DeviceInfo, &str)| {
        let of_claims = claims.iter().map(|claim| cell(&verdicts(bundle, ladder, Some(claim.step), device)));
        std::iter::once(Cell::text(name)).chain(of_claims).collect()
    };
    let counts = claims.iter().map(|claim| {
        let of_device = |(device, _): &(&DeviceInfo, &str)| verdicts(bundle, ladder, Some(claim.step), device);
        let all: Vec<Verdict<'_>> = rows.iter().flat_map(of_device).collect();
        let confirmed = all.iter().filter(|verdict| verdict.seen == Seen::Confirmed).count();
        Cell::text(&filled("report.claims.count", &[("confirmed", &confirmed), ("tested", &all.len())]))
    });
    let total = std::iter::once(Cell::text(text("report.claims.confirmed"))).chain(counts).collect();
    let table = Table {
        caption: filled("report.claims.caption", &[("ladder", &ladder.label())]),
        heads: std::iter::once(vec![text("report.device").to_owned()]).chain(heads).collect(),
        groups: vec![
            Rows { title: String::new(), rows: rows.iter().map(cells).collect() },
            Rows { title: String::new(), rows: vec![total] },
        ],
    };
    page.table(&table);
    for (device, name) in &rows {
        page.add(&reasons(&claims, &verdicts(bundle, ladder, None, device), name, rows.len() <= FEW_DEVICES));
    }
}

fn claims(ladder: &'static Ladder) -> Vec<Claim> {
    let claim = |step| Some(Claim { step, title: ladder.step_title(step)?, says: ladder.claim_line(step)? });
    (0..ladder.steps.len()).filter_map(claim).collect()
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
    Some(Verdict { tested, seen: tested.step.seen(claim.says) })
}

fn cell(verdicts: &[Verdict<'_>]) -> Cell {
    let [first, ..] = verdicts else { return Cell::text(text("report.claims.not-tested")) };
    let has_sizes = verdicts.len() > 1;
    let lines = verdicts.iter().flat_map(|verdict| {
        let [width, height] = verdict.tested.step.size_px;
        let words = if has_sizes { pair(&format!("{width} × {height}"), &verdict.words()) } else { verdict.words() };
        [words, verdict.figures()]
    });
    let lines: Vec<String> = lines.collect();
    let is_one = verdicts.iter().all(|verdict| verdict.seen == first.seen);
    Cell::lines(lines.iter().map(String::as_str)).of_class(if is_one { class(first.seen) } else { "" })
}

/// Why each step does what it does on a device, by the rules.
fn reasons(claims: &[Claim], verdicts: &[Verdict<'_>], device: &str, is_open: bool) -> String {
    let title = escaped(&filled("report.claims.why", &[("device", &device)]));
    let mut html = format!("<details{}><summary>{title}</summary>\n<dl>\n", if is_open { " open" } else { "" });
    for verdict in verdicts {
        let of = &verdict.tested.step;
        let ladder = filters::all().iter().find_map(|filter| filter.ladder(&of.ladder));
        let step = ladder.and_then(|ladder| ladder.steps.iter().position(|step| step.key == of.step));
        let Some(claim) = claims.iter().find(|claim| Some(claim.step) == step) else { continue };
        let [width, height] = of.size_px;
        let head = joined("words.list.items", [format!("{} · {width} × {height}", claim.title), claim.says.clone(), verdict.words()]);
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
