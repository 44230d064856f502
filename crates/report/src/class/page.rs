//! The page of a class: what everybody's devices did and what was predicted of it, before any table. It ranks nobody.

use super::gather::{Answers, Class, Kind, Step, StepKey, Tally};
use super::strip::{self, Axis};
use crate::document;
use base::texts::{filled, language, text};
use std::fmt::Display;
use study::lessons::Shelf;
use view::plot::{self, inline_svg, units};
use view::story::html::{Cell, Page, Rows, Table, escaped};

/// What is not known or was not asked.
const NOTHING: &str = "–";

/// The page of a class. So many files were `unread`, which it says; `shelf` has the lessons whose titles it shows.
#[must_use]
pub fn html(class: &Class, unread: usize, shelf: &Shelf) -> String {
    let mut page = Page::default();
    if class.is_made_up {
        page.add(&format!("<p class=\"banner\" role=\"note\">{}</p>\n", escaped(text("class.made-up"))));
    }
    lead(class, unread, &mut page);
    steps(class, shelf, &mut page);
    tasks(class, shelf, &mut page);
    devices(class, &mut page);
    numbers(class, shelf, &mut page);
    page.section("method", text("class.method.title"));
    page.paragraph(text("class.method.students"));
    page.paragraph(text("class.method.figures"));
    document(text("class.title"), &page)
}

/// How much it is, and what is left out.
fn lead(class: &Class, unread: usize, page: &mut Page) {
    let values: [(&str, &dyn Display); 4] =
        [("files", &class.files), ("students", &class.students.len()), ("devices", &class.devices()), ("kinds", &class.kinds.len())];
    page.paragraph(&filled("class.lead", &values));
    let notes: [(&'static str, usize); 5] = [
        ("class.replaced", class.replaced),
        ("class.bundles", class.bundles),
        ("class.unread", unread),
        ("class.unknown", class.unknown),
        ("class.nameless-count", class.nameless),
    ];
    for (key, count) in notes.into_iter().filter(|(_, count)| *count > 0) {
        page.add(&format!("<p class=\"note\">{}</p>\n", escaped(&filled(key, &[("count", &count)]))));
    }
}

/// The steps, ladder by ladder.
fn steps(class: &Class, shelf: &Shelf, page: &mut Page) {
    if class.steps.is_empty() {
        page.paragraph(text("class.empty"));
        return;
    }
    page.paragraph(text("class.steps.about"));
    if class.has_votes() {
        page.paragraph(text("class.votes.about"));
    }
    let axis = Axis::of(class);
    let mut last: Option<&str> = None;
    for (index, step) in class.steps.iter().enumerate() {
        if last != Some(&step.key.ladder) {
            page.section(&format!("steps-{}", index + 1), &ladder_title(&step.key, shelf));
            last = Some(&step.key.ladder);
        }
        add(class, step, &axis, shelf, page);
    }
}

/// A step: its dots, and the votes below.
fn add(class: &Class, step: &Step, axis: &Axis, shelf: &Shelf, page: &mut Page) {
    let title = step_title(&step.key, shelf);
    page.add("<section class=\"step\">\n");
    page.heading(&title);
    if let Some(variants) = variants(&step.key) {
        page.add(&format!("<p class=\"note\">{}</p>\n", escaped(&variants)));
    }
    page.paragraph(&measured(step));
    if !step.dots.is_empty() {
        let scene = strip::dots(class, step, axis, &plot::measure);
        strip_of(&inline_svg(&scene, &filled("class.steps.label", &[("step", &title)])), &title, page);
    }
    if let Some(claim) = claimed(step) {
        page.add(&format!("<p class=\"note\">{}</p>\n", escaped(&claim)));
    }
    if class.has_votes() {
        page.paragraph(&voted(step));
    }
    for (votes, truth) in &step.hands {
        if let Some(words) = votes.in_words(truth) {
            page.paragraph(&words);
        }
    }
    if step.voters() > 0 {
        let scene = strip::votes(step, &plot::measure);
        strip_of(&inline_svg(&scene, &filled("class.votes.label", &[("step", &title)])), &title, page);
    }
    page.add("</section>\n");
}

fn strip_of(svg: &str, title: &str, page: &mut Page) {
    page.add(&format!("<div class=\"strip wide\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">{svg}</div>\n", escaped(title)));
}

/// How many devices, and how fast.
fn measured(step: &Step) -> String {
    let Some([least, median, most]) = step.speed_ups() else { return text("class.steps.not-measured").to_owned() };
    let [least, median, most] = [least, median, most].map(units::speed_up);
    let count = step.dots.len();
    let values: [(&str, &dyn Display); 4] = [("count", &count), ("median", &median), ("least", &least), ("most", &most)];
    filled(if count == 1 { "class.steps.measured-one" } else { "class.steps.measured" }, &values)
}

/// What the guide says of the step, and on how many devices it was confirmed.
fn claimed(step: &Step) -> Option<String> {
    let (confirmed, tested) = step.confirmed()?;
    let claim = step.key.ladder()?.claim_line(step.key.index)?;
    Some(filled("class.steps.claim", &[("claim", &claim), ("confirmed", &confirmed), ("tested", &tested)]))
}

/// How many predicted it, how many of them rightly, and for the right reason.
fn voted(step: &Step) -> String {
    let count = step.voters();
    if count == 0 {
        return text("class.votes.none").to_owned();
    }
    let right: usize = step.answers.iter().map(|answers| answers.right).sum();
    let scored = count - step.answers.iter().map(|answers: &Answers| answers.open).sum::<usize>();
    let (asked, chosen) = step.reasons;
    let values: [(&str, &dyn Display); 5] =
        [("count", &count), ("right", &right), ("scored", &scored), ("reasons", &asked), ("chosen", &chosen)];
    filled(if asked > 0 { "class.votes.told-reasons" } else { "class.votes.told" }, &values)
}

/// The tasks of lessons.
fn tasks(class: &Class, shelf: &Shelf, page: &mut Page) {
    let has_tasks = class.lessons.values().any(|lesson| !lesson.is_empty());
    if !has_tasks {
        return;
    }
    page.section("tasks", text("class.tasks.title"));
    page.paragraph(text("class.tasks.about"));
    let group = |(name, tallies): (&String, &std::collections::BTreeMap<usize, Tally>)| {
        let lesson = shelf.find(name, language());
        let title = lesson.map_or(name.as_str(), |lesson| lesson.title.as_str());
        let rows = tallies.iter().map(|(&screen, tally)| {
            let title = lesson.and_then(|lesson| lesson.screens.get(screen)).map(|screen| screen.title.as_str());
            task(&screen_title(screen, title), tally)
        });
        Rows { title: title.to_owned(), rows: rows.collect() }
    };
    let heads = ["class.tasks.task", "class.tasks.done", "class.tasks.skipped", "class.tasks.open", "class.tasks.right"];
    let groups = class.lessons.iter().map(group).collect();
    page.table(&Table { caption: text("class.tasks.caption").to_owned(), heads: heads_of(heads), groups });
}

fn task(title: &str, tally: &Tally) -> Vec<Cell> {
    let Tally { done, skipped, open, judged: (judged, right), .. } = tally;
    let right = if *judged > 0 { filled("class.tasks.of", &[("right", right), ("judged", judged)]) } else { NOTHING.to_owned() };
    let counts = [done, skipped, open].map(|count| Cell::number(&count.to_string()));
    std::iter::once(Cell::text(title)).chain(counts).chain([Cell::number(&right)]).collect()
}

/// The devices by kind.
fn devices(class: &Class, page: &mut Page) {
    if class.kinds.is_empty() {
        return;
    }
    page.section("devices", text("report.devices.title"));
    let row = |kind: &Kind| {
        let drivers: Vec<&str> = kind.drivers.iter().map(String::as_str).collect();
        vec![
            Cell::text(&kind.name),
            Cell::text(kind.info.kind.label()),
            Cell::number(&kind.info.compute_units.to_string()),
            Cell::lines(drivers),
            Cell::number(&kind.count.to_string()),
        ]
    };
    let heads = ["report.device", "report.devices.kind", "report.devices.units", "report.devices.driver", "class.devices.count"];
    let groups = vec![Rows { title: String::new(), rows: class.kinds.iter().map(row).collect() }];
    page.table(&Table { caption: text("class.devices.caption").to_owned(), heads: heads_of(heads), groups });
}

/// Every step in numbers.
fn numbers(class: &Class, shelf: &Shelf, page: &mut Page) {
    if class.steps.is_empty() {
        return;
    }
    page.section("numbers", text("class.numbers.title"));
    let mut groups: Vec<Rows> = Vec::new();
    let mut last: Option<&str> = None;
    for step in &class.steps {
        if last != Some(&step.key.ladder) {
            groups.push(Rows { title: ladder_title(&step.key, shelf), rows: Vec::new() });
            last = Some(&step.key.ladder);
        }
        if let Some(group) = groups.last_mut() {
            group.rows.push(number(step, shelf));
        }
    }
    let heads = ["window.lesson.step", "class.numbers.devices", "class.numbers.median", "class.numbers.range", "class.numbers.confirmed"];
    page.table(&Table { caption: text("class.numbers.caption").to_owned(), heads: heads_of(heads), groups });
}

fn number(step: &Step, shelf: &Shelf) -> Vec<Cell> {
    let [median, range] = match step.speed_ups() {
        Some([least, median, most]) => {
            let [least, median, most] = [least, median, most].map(units::speed_up);
            [median, filled("report.times.from-to", &[("low", &least), ("high", &most)])]
        }
        None => [NOTHING.to_owned(), NOTHING.to_owned()],
    };
    let confirmed = step.confirmed().map_or_else(
        || NOTHING.to_owned(),
        |(confirmed, tested)| {
            let share = units::whole_percent(confirmed as f64 / tested as f64);
            filled("class.numbers.share", &[("confirmed", &confirmed), ("tested", &tested), ("share", &share)])
        },
    );
    let counts = [step.dots.len().to_string(), median, range, confirmed].map(|text| Cell::number(&text));
    std::iter::once(Cell::text(&step_title(&step.key, shelf))).chain(counts).collect()
}

fn heads_of<const COUNT: usize>(keys: [&'static str; COUNT]) -> Vec<Vec<String>> {
    keys.map(|key| vec![text(key).to_owned()]).into()
}

/// The ladder's name, or the lesson's title where it is here.
fn ladder_title(key: &StepKey, shelf: &Shelf) -> String {
    match key.ladder() {
        Some(ladder) => ladder.label().to_owned(),
        None => shelf.find(&key.ladder, language()).map_or_else(|| key.ladder.clone(), |lesson| lesson.title.clone()),
    }
}

fn step_title(key: &StepKey, shelf: &Shelf) -> String {
    let Some(ladder) = key.ladder() else {
        let title = shelf.find(&key.ladder, language()).and_then(|lesson| Some(lesson.screens.get(key.index)?.title.clone()));
        return screen_title(key.index, title.as_deref());
    };
    let step = ladder.step_title(key.index).unwrap_or_else(|| key.step.clone());
    let against = ladder.steps.iter().position(|step| step.key == key.against).and_then(|index| ladder.step_title(index));
    match against {
        Some(against) => filled("class.steps.against", &[("step", &step), ("against", &against)]),
        None => step,
    }
}

/// The two variants of a screen, where they differ: else it compares sizes of work-groups, or ways into memory.
fn variants(key: &StepKey) -> Option<String> {
    let (before, after) = key.step.split_once(" > ").filter(|_| key.ladder().is_none())?;
    (before != after).then(|| filled("class.steps.variants", &[("before", &before), ("after", &after)]))
}

fn screen_title(screen: usize, title: Option<&str>) -> String {
    let number = screen.saturating_add(1);
    match title {
        Some(title) => format!("{number} {title}"),
        None => filled("class.screen", &[("number", &number)]),
    }
}
