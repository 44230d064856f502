//! How it was measured, and how to measure it again.

use super::subject::Devices;
use base::texts::text;
use std::fmt::Write as _;
use study::bundle::{Bundle, OWN_PICTURE, is_same_device};
use view::story::html::{Page, escaped};

/// How every figure came about.
pub fn section(page: &mut Page) {
    page.section("method", text("report.method.title"));
    let parts = [
        ("report.method.checked.title", "report.method.checked.about"),
        ("report.method.times.title", "report.method.times.about"),
        ("report.method.medians.title", "report.method.medians.about"),
        ("report.method.pairs.title", "report.method.pairs.about"),
        ("report.method.verdicts.title", "report.method.verdicts.about"),
        ("report.method.code.title", "report.method.code.about"),
    ];
    page.add("<dl>\n");
    for (title, about) in parts {
        page.add(&format!("<dt>{}</dt><dd>{}</dd>\n", escaped(text(title)), escaped(text(about))));
    }
    page.add("</dl>\n");
}

/// The commands that measure it again.
pub fn repeat(bundle: &Bundle, devices: &Devices<'_>, page: &mut Page) {
    page.section("repeat", text("report.repeat.title"));
    page.paragraph(text("report.repeat.about"));
    if bundle.runs.iter().any(|run| run.recipe.picture.word() == Some(OWN_PICTURE)) {
        page.paragraph(text("report.repeat.own-picture"));
    }
    let mut html = String::new();
    for (info, name) in devices.all() {
        let runs = bundle.devices().filter(|(_, device)| is_same_device(&device.device, info));
        let mut commands: Vec<String> = runs.filter_map(|(run, device)| run.command(device)).collect();
        commands.dedup();
        let commands: Vec<String> = commands.iter().map(|command| escaped(command)).collect();
        // Writing to a string does not fail.
        let _ = writeln!(html, "<h3>{}</h3>\n<pre class=\"command\">{}</pre>", escaped(name), commands.join("\n"));
    }
    page.add(&html);
}
