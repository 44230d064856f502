//! Kernel times of several devices along one axis, device by device.

use super::claims::verdicts;
use super::subject::{Devices, Part, Place, Row, Subject};
use base::texts::{filled, text};
use std::fmt::Write as _;
use study::Seen;
use study::bundle::Bundle;
use view::plot::{self, Entry, LadderStep, Options, Scale, inline_svg};
use view::story::html::{Page, escaped};

/// In the page's units; a narrow screen scrolls.
const WIDTH: f64 = 860.0;

/// Where the slowest takes so many times as long as the fastest, bars of the fast ones could not be seen: the axis is then logarithmic.
const LINEAR_UP_TO: f64 = 40.0;

/// The chart of a subject, with what sorts and filters it.
pub fn add(bundle: &Bundle, subject: &Subject<'_>, index: usize, devices: &Devices<'_>, page: &mut Page) {
    let entries: Vec<Vec<Entry<'_>>> =
        subject.parts.iter().map(|part| part.rows.iter().map(|row| entry(subject, row, part)).collect()).collect();
    let scale = scale(subject);
    let options = Options { round_trip: false, scale, ..Options::default() };
    let charts = plot::charts(entries.iter().map(Vec::as_slice), &options);
    let whole = plot::chart(&entries.concat(), &options);
    let (figures, legend) = (plot::aligned(&charts, WIDTH, &plot::measure), plot::figure(&whole, WIDTH, &plot::measure).legend);
    let title = subject.title();
    page.heading(text("report.chart.title"));
    let about = if scale == Scale::Log { "report.chart.logarithmic" } else { "report.chart.linear" };
    page.paragraph(text(about));
    let mut html = format!("<div class=\"chart\">\n{}", controls(subject, index));
    // Writing to a string does not fail.
    let _ = writeln!(html, "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">", escaped(text("report.chart.title")));
    if let Some(figure) = figures.first() {
        let _ = writeln!(html, "<div class=\"axis\">{}</div>", inline_svg(&figure.axis, text("report.chart.axis")));
    }
    for (part, figure) in subject.parts.iter().zip(&figures) {
        let name = part.place.name(devices);
        let label = filled("report.chart.label", &[("device", &name), ("subject", &title)]);
        let (heading, svg) = (escaped(&name), inline_svg(&figure.rows, &label));
        let _ = writeln!(html, "<section class=\"device\"{}>\n<h4>{heading}</h4>\n{svg}", data(bundle, subject, part, &name));
        for (note, _) in &figure.notes {
            let _ = writeln!(html, "<p class=\"note\">{}</p>", escaped(note));
        }
        html.push_str("</section>\n");
    }
    let _ = writeln!(html, "<div class=\"legend\">{}</div>\n</div>\n</div>", inline_svg(&legend, text("report.chart.legend")));
    page.add(&html);
}

fn entry<'a>(subject: &Subject<'a>, row: &Row<'a>, part: &Part<'a>) -> Entry<'a> {
    let step = row.step.and_then(|index| {
        let step = subject.ladder?.steps.get(index)?;
        Some(LadderStep { number: index + 1, name: step.label() })
    });
    let is_on_host = matches!(part.place, Place::Device(info) if info.kind == engine::device::DeviceKind::Cpu);
    Entry { step, is_on_host, ..Entry::new(row.record) }
}

fn medians(part: &Part<'_>) -> impl Iterator<Item = f64> {
    let right = part.rows.iter().filter(|row| row.record.measured().is_some_and(model::Measured::is_right));
    right.filter_map(|row| row.record.kernel().map(|kernel| kernel.median_ns))
}

fn scale(subject: &Subject<'_>) -> Scale {
    let all = || subject.parts.iter().flat_map(medians);
    let (least, most) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    if most > LINEAR_UP_TO * least { Scale::Log } else { Scale::Linear }
}

/// What a device is sorted and filtered by.
fn data(bundle: &Bundle, subject: &Subject<'_>, part: &Part<'_>, name: &str) -> String {
    let fastest = medians(part).fold(f64::INFINITY, f64::min);
    let fastest = if fastest.is_finite() { fastest.to_string() } else { String::new() };
    let claims = match (part.place, subject.ladder) {
        (Place::Device(info), Some(ladder)) => verdicts(bundle, ladder, None, info),
        _ => Vec::new(),
    };
    let (width, height) = subject.picture.size();
    let of_size = claims.iter().filter(|verdict| verdict.tested.step.size_px == [width, height]);
    let claims: Vec<String> = of_size.map(|verdict| format!("{}:{}", verdict.tested.step.step, verdict.seen().mark().class())).collect();
    let kind = if part.place.is_processor() { " data-processor" } else { "" };
    format!(" data-name=\"{}\" data-fastest=\"{fastest}\" data-claims=\"{}\"{kind}", escaped(name), escaped(&claims.join(" ")))
}

/// What the script sorts and filters by; hidden where there is none.
fn controls(subject: &Subject<'_>, index: usize) -> String {
    let select = |name: &str, label: &str, options: Vec<(String, String)>| {
        let id = format!("{name}-{index}");
        let option = |(value, label): &(String, String)| format!("<option value=\"{}\">{}</option>", escaped(value), escaped(label));
        let options: String = options.iter().map(option).collect();
        format!("<label for=\"{id}\">{}</label> <select id=\"{id}\" data-control=\"{name}\">{options}</select>\n", escaped(label))
    };
    let of = |value: &str, key: &'static str| (value.to_owned(), text(key).to_owned());
    let orders = vec![
        of("measured", "report.chart.order.measured"),
        of("name", "report.chart.order.name"),
        of("fastest", "report.chart.order.fastest"),
    ];
    let mut html = format!("<form class=\"controls\" hidden>\n{}", select("order", text("report.chart.order.label"), orders));
    let claimed = subject.ladder.into_iter().flat_map(|ladder| {
        let claim = |(index, step): (usize, &kernels::filters::Step)| {
            Some((step.key.clone(), format!("{}: {}", ladder.step_title(index)?, ladder.claim_line(index)?)))
        };
        ladder.steps.iter().enumerate().filter_map(claim).collect::<Vec<_>>()
    });
    let claims: Vec<(String, String)> = std::iter::once(of("", "report.chart.every-claim")).chain(claimed).collect();
    if claims.len() > 1 {
        html += &select("claim", text("report.chart.claim"), claims);
        let seen = Seen::ALL.map(|seen| (seen.mark().class().to_owned(), seen.label().to_owned()));
        html += &select("seen", text("report.chart.seen"), std::iter::once(of("", "report.chart.whatever")).chain(seen).collect());
    }
    let processors = escaped(text("report.chart.processors"));
    let _ = writeln!(html, "<label><input type=\"checkbox\" data-control=\"processors\" checked> {processors}</label>");
    let _ = writeln!(html, "<output></output>\n</form>");
    html
}
