//! The page of a class: what everybody's devices did and what was predicted of it, before any table. It ranks nobody.

use super::gather::{Answers, Class, Step, StepKey, Tally};
use super::strip::{self, Axis};
use crate::document;
use base::texts::{filled, language, text};
use std::fmt::Display;
use study::lessons::Shelf;
use view::plot::{self, inline_svg, units};
use view::story::Kind::{Number, Words};
use view::story::html::{Page, escaped};
use view::story::{Cell, Table, Unit};

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
    let heads = [
        (Words, "class.tasks.task"),
        (Number, "class.tasks.done"),
        (Number, "class.tasks.skipped"),
        (Number, "class.tasks.open"),
        (Number, "class.tasks.right"),
    ];
    let mut table = Table::headed("tasks", heads).captioned(text("class.tasks.caption"));
    for (name, tallies) in &class.lessons {
        let lesson = shelf.find(name, language());
        table.group(&lesson.map_or(name, |lesson| &lesson.title));
        for (&screen, Tally { done, skipped, open, judged: (judged, right), .. }) in tallies {
            let title = lesson.and_then(|lesson| lesson.screens.get(screen)).map(|screen| screen.title.as_str());
            let right = (*judged > 0).then(|| filled("class.tasks.of", &[("right", right), ("judged", judged)]));
            let [done, skipped, open] = [done, skipped, open].map(|count| Cell::count(*count));
            table.row([Cell::of(&screen_title(screen, title)), done, skipped, open, Cell::or_missing(right)]);
        }
    }
    page.table(&table);
}

/// The devices by kind.
fn devices(class: &Class, page: &mut Page) {
    if class.kinds.is_empty() {
        return;
    }
    page.section("devices", text("report.devices.title"));
    let heads = [
        (Words, "report.device"),
        (Words, "report.devices.kind"),
        (Number, "report.devices.units"),
        (Words, "report.devices.driver"),
        (Number, "class.devices.count"),
    ];
    let mut table = Table::headed("devices", heads).captioned(text("class.devices.caption"));
    for kind in &class.kinds {
        let drivers = Cell::Lines(kind.drivers.iter().map(|driver| Cell::of(driver)).collect());
        let units = Cell::count(kind.info.compute_units as usize);
        table.row([Cell::of(&kind.name), Cell::of(&kind.info.kind.label()), units, drivers, Cell::count(kind.count)]);
    }
    page.table(&table);
}

/// Every step in numbers.
fn numbers(class: &Class, shelf: &Shelf, page: &mut Page) {
    if class.steps.is_empty() {
        return;
    }
    page.section("numbers", text("class.numbers.title"));
    let heads = [
        (Words, "window.lesson.step"),
        (Number, "class.numbers.devices"),
        (Number, "class.numbers.median"),
        (Number, "class.numbers.range"),
        (Number, "class.numbers.confirmed"),
    ];
    let mut table = Table::headed("numbers", heads).captioned(text("class.numbers.caption"));
    for steps in class.steps.chunk_by(|step, next| step.key.ladder == next.key.ladder) {
        table.group(&steps.first().map(|step| ladder_title(&step.key, shelf)).unwrap_or_default());
        for step in steps {
            table.row(number(step, shelf));
        }
    }
    page.table(&table);
}

fn number(step: &Step, shelf: &Shelf) -> [Cell; 5] {
    let speed_ups = step.speed_ups();
    let range = speed_ups.map(|[least, _, most]| {
        let [least, most] = [least, most].map(units::speed_up);
        filled("report.times.from-to", &[("low", &least), ("high", &most)])
    });
    let confirmed = step.confirmed().map(|(confirmed, tested)| {
        let share = units::whole_percent(confirmed as f64 / tested as f64);
        filled("class.numbers.share", &[("confirmed", &confirmed), ("tested", &tested), ("share", &share)])
    });
    [
        Cell::of(&step_title(&step.key, shelf)),
        Cell::count(step.dots.len()),
        Cell::number(speed_ups.map(|[_, median, _]| median), Unit::Ratio),
        Cell::or_missing(range),
        Cell::or_missing(confirmed),
    ]
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
