//! Bundles as a page: one HTML file that loads nothing from elsewhere, can be read without its script, prints, and is light or dark as its reader's screen is.
//!
//! | file | holds |
//! |---|---|
//! | `subject` | what of a bundle belongs together: the same filter over the same picture, device by device |
//! | `claims` | the claims of guides, devices × claims |
//! | `experiments` | explanations that were put to the test |
//! | `charts`, `tables`, `pictures`, `sources` | what was measured, and of what |
//! | `story_file` | what one study has to tell as a file |
//! | `method` | how it was measured, and how to repeat it |
//!
//! Texts from a bundle may be of anyone's making: all of them go through [`view::story::html`], and the page allows no script but its own.

mod charts;
mod claims;
pub mod class;
mod experiments;
mod method;
mod pictures;
mod sources;
pub mod story_file;
mod subject;
mod tables;
#[cfg(test)]
mod tests;

use base::error::Result;
use base::texts::{filled, language, text};
use sha2::{Digest as _, Sha256};
use std::fmt::Display;
use study::bundle::Bundle;
use subject::{Devices, subjects};
use view::plot;
use view::story::html::{Page, base64, escaped};

/// How the page looks; colors come from the charts' palette.
const STYLE: &str = include_str!("../../../assets/report/style.css");

/// Sorts and filters charts; the page is complete without it.
const SCRIPT: &str = include_str!("../../../assets/report/script.js");

/// The page of a bundle.
///
/// # Errors
/// Where a picture cannot be encoded.
pub fn html(bundle: &Bundle) -> Result<String> {
    html_without(bundle, &[])
}

/// The page of a bundle, and first of all which machines it should have and does not.
///
/// # Errors
/// Where a picture cannot be encoded.
pub fn html_without(bundle: &Bundle, missing: &[&str]) -> Result<String> {
    let devices = Devices::of(bundle);
    let subjects = subjects(bundle);
    let mut page = Page::default();
    page.paragraph(&lead(bundle, &devices));
    for machine in missing {
        page.add(&format!("<p class=\"banner\">{}</p>\n", escaped(&filled("report.missing", &[("machine", machine)]))));
    }
    tables::devices(bundle, &devices, &mut page);
    claims::section(bundle, &devices, &mut page);
    experiments::section(bundle, &devices, &mut page);
    answers(bundle, &mut page);
    for (index, subject) in subjects.iter().enumerate() {
        page.section(&format!("readings-{}", index + 1), &subject.title());
        pictures::add(subject, &mut page)?;
        charts::add(bundle, subject, index, &devices, &mut page);
        tables::readings(subject, &devices, &mut page);
        tables::compiled(subject, &devices, &mut page);
    }
    tables::foreign(bundle, &mut page);
    sources::section(bundle, &subjects, &mut page);
    method::section(&mut page);
    method::repeat(bundle, &devices, &mut page);
    Ok(document(text("report.title"), &page))
}

/// What studies answered.
fn answers(bundle: &Bundle, page: &mut Page) {
    if bundle.answers.is_empty() && bundle.foreign_answers.is_empty() {
        return;
    }
    page.section("studies", text("report.studies.title"));
    for answer in &bundle.answers {
        page.heading(&answer.title().to_string());
        page.paragraph(&answer.measured_on().to_string());
        if answer.busy {
            page.paragraph(text("studies.kept.busy"));
        }
        page.story(&answer.story);
    }
    if !bundle.foreign_answers.is_empty() {
        page.paragraph(&filled("report.studies.foreign", &[("count", &bundle.foreign_answers.len())]));
    }
}

/// How much it is, and when it was measured.
fn lead(bundle: &Bundle, devices: &Devices<'_>) -> String {
    let is_without_records = bundle.records().next().is_none() && bundle.foreign.is_empty();
    if is_without_records && !bundle.answers.is_empty() {
        return filled("report.lead-studies", &[("count", &bundle.answers.len())]);
    }
    if is_without_records {
        return text("report.empty").to_owned();
    }
    let day = |date: &str| date.split('T').next().unwrap_or_default().to_owned();
    let days = || bundle.records().map(|record| day(&record.date));
    let [first, last] = [days().min(), days().max()].map(Option::unwrap_or_default);
    let values: [(&str, &dyn Display); 4] =
        [("devices", &devices.count()), ("readings", &bundle.records().count()), ("first", &first), ("last", &last)];
    filled("report.lead", &values)
}

/// The whole file of a page.
#[must_use]
pub fn document(title: &str, page: &Page) -> String {
    let style = format!(
        ":root{{{}}}\n@media (prefers-color-scheme: dark){{:root{{{}}}}}\n@media print{{:root{{{}}}}}\n{STYLE}",
        plot::colors(false),
        plot::colors(true),
        plot::colors(false),
    );
    // No script but this one runs, whatever a bundle's texts hold.
    let script = base64(&Sha256::digest(SCRIPT.as_bytes()));
    let policy = format!("default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{script}'");
    let made = filled("report.made", &[("version", &env!("CARGO_PKG_VERSION"))]);
    let (title, language) = (escaped(title), language().code());
    let contents = page.contents(text("report.contents"));
    format!(
        "<!DOCTYPE html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n</header>\n{contents}<main>\n{}</main>\n\
         <footer><p>{}</p></footer>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
        page.body(),
        escaped(&made),
    )
}
