//! What the kernels differ in, from step to step.

use super::subject::{Row, Subject};
use base::texts::{filled, text};
use kernels::kernel_source::unified;
use std::collections::HashSet;
use std::fmt::Write as _;
use study::bundle::Bundle;
use view::story::html::{Page, escaped};

/// The section: for each subject the first kernel and then what each one changes; what was there already is left out. Nothing where no text is known.
pub fn section(bundle: &Bundle, subjects: &[Subject<'_>], page: &mut Page) {
    let mut seen = HashSet::new();
    let mut html = String::new();
    for subject in subjects {
        for part in &subject.parts {
            html += &steps(bundle, &part.rows, &mut seen);
        }
    }
    if !html.is_empty() {
        page.section("sources", text("report.sources.title"));
        page.paragraph(text("report.sources.about"));
        page.add(&html);
    }
}

fn steps<'a>(bundle: &'a Bundle, rows: &[Row<'a>], seen: &mut HashSet<[&'a str; 2]>) -> String {
    let mut html = String::new();
    let mut above: Option<(&str, &str, String)> = None;
    for row in rows {
        let Some(hash) = row.reading.and_then(|reading| reading.kernel.as_deref()) else { continue };
        let Some(kernel) = bundle.kernels.get(hash) else { continue };
        let label = row.record.label();
        let (before, shown) =
            above.as_ref().map_or(("", (text("report.sources.whole").to_owned(), listing(kernel))), |(before, text, name)| {
                (*before, difference([name.as_str(), *text], [&label, kernel]))
            });
        if before != hash && seen.insert([before, hash]) {
            let (what, lines) = shown;
            let title = filled("report.sources.step", &[("variant", &label), ("what", &what)]);
            // Writing to a string does not fail.
            let _ = writeln!(html, "<details><summary>{}</summary>\n<pre>{lines}</pre>\n</details>", escaped(&title));
        }
        above = Some((hash, kernel, label));
    }
    html
}

fn listing(kernel: &str) -> String {
    kernel.lines().fold(String::new(), |html, line| html + &escaped(line) + "\n")
}

/// How many lines came and went, and the difference line by line: "+" and "-" stand before each, whatever its color.
fn difference([old_name, old]: [&str; 2], [new_name, new]: [&str; 2]) -> (String, String) {
    let (mut added, mut removed, mut html) = (0, 0, String::new());
    for (index, line) in unified(old_name, old, new_name, new).lines().enumerate() {
        let class = match line.chars().next() {
            // The first two lines name both sides.
            _ if index < 2 => "head",
            Some('@') => "head",
            Some('+') => {
                added += 1;
                "added"
            }
            Some('-') => {
                removed += 1;
                "removed"
            }
            _ => "",
        };
        let line = escaped(line);
        let parts: &[&str] =
            if class.is_empty() { &[line.as_str(), "\n"] } else { &["<span class=\"", class, "\">", line.as_str(), "</span>\n"] };
        html.extend(parts.iter().copied());
    }
    (filled("report.sources.changes", &[("before", &old_name), ("added", &added), ("removed", &removed)]), html)
}
