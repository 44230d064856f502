//! What files hold, what is refused, and what the page shows.

use super::file::text_of;
use super::{Class, HandedIn, Kept, LessonDone, Sent, TaskDone, TaskKind, TaskState, html, made_up, of_bytes};
use base::error::Error;
use base::texts::{Language, all, in_language, text};
use engine::device::DeviceInfo;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use study::PredictionRecord;
use study::bundle::{Aliases, Bundle};
use study::lessons::Shelf;
use study::predict::Change;
use study::predict::votes::Votes;
use study::testing::bundles::{bundle, run};
use study::testing::predictions::{guessed, voted};

/// What a student sends whose GPU does the second step in these times.
fn sent(alias: &str, times_ms: [u64; 2]) -> Sent {
    let machine = format!("machine-of-{alias}");
    let mut bundle = Bundle::default();
    bundle.add(run("GPU", times_ms), &Aliases::given(&machine));
    Sent { written: "2026-02-03T04:05:06Z".to_owned(), machine, alias: Some(alias.to_owned()), bundle, ..Sent::default() }
}

fn with_predictions(sent: Sent, records: &[PredictionRecord]) -> Sent {
    Sent { predictions: records.iter().cloned().map(|record| Kept::of(record).expect("plain data")).collect(), ..sent }
}

fn with_tasks(sent: Sent, states: [TaskState; 2]) -> Sent {
    let task = |(screen, state)| TaskDone { screen, kind: TaskKind::Task, state, answer: None, is_right: None };
    let tasks = [2, 4].into_iter().zip(states).map(task).collect();
    let lessons = vec![Kept::of(LessonDone { lesson: "1-memory-access".to_owned(), tasks }).expect("plain data")];
    Sent { lessons, ..sent }
}

fn file(sent: &Sent) -> String {
    text_of(sent).expect("plain data")
}

fn read(text: &str) -> Sent {
    match of_bytes(&"NAME", text.as_bytes()) {
        Ok(HandedIn::Sent(sent)) => *sent,
        other => panic!("{other:?}"),
    }
}

fn refused(text: &[u8]) -> Error {
    of_bytes(&"NAME", text).expect_err("it is refused")
}

/// The text with its sum made again, as a program of another version would.
fn sealed(value: &Value) -> String {
    let mut value = value.clone();
    value["sha256"] = json!("");
    study::bundle::sealed(&value.to_string())
}

fn class(sent: impl IntoIterator<Item = Sent>) -> Class {
    Class::of(&sent.into_iter().map(|sent| HandedIn::Sent(Box::new(sent))).collect::<Vec<_>>())
}

fn page(class: &Class) -> String {
    html(class, 0, &Shelf::default())
}

#[test]
fn a_file_comes_back_as_it_was() {
    let records = [guessed(1, Change::Faster, true, &[Change::Faster]), voted(2, Votes::default(), &[Change::Same])];
    let sent = with_tasks(with_predictions(sent("Ann", [20, 10]), &records), [TaskState::Done, TaskState::Skipped]);
    let sent = Sent { devices: vec![DeviceInfo::example()], ..sent };
    let text = file(&sent);
    assert_eq!(read(&text), sent);
    assert_eq!(file(&read(&text)), text, "what is written again is the same");
    // Whoever looks at it in an editor that sets JSON anew changes nothing.
    let pretty = serde_json::to_string_pretty(&serde_json::from_str::<Value>(&text).expect("JSON")).expect("plain data");
    assert_eq!(read(&pretty), sent);
    // The person's language has no part in it.
    assert_eq!(in_language(Language::Chinese, || file(&sent)), text);
}

#[test]
fn what_a_newer_version_adds_is_kept() {
    let record = guessed(1, Change::Faster, true, &[Change::Faster]);
    let sent = with_tasks(with_predictions(sent("Ann", [20, 10]), &[record]), [TaskState::Done, TaskState::Open]);
    let mut value: Value = serde_json::from_str(&file(&sent)).expect("JSON");
    value["mood"] = json!({ "of": [1, 2.5] });
    value["predictions"][0]["doubts"] = json!("some");
    value["predictions"].as_array_mut().expect("rows").push(json!({ "schema": 99, "about": "something" }));
    value["lessons"][0]["minutes"] = json!(12);
    value["lessons"]
        .as_array_mut()
        .expect("rows")
        .push(json!({ "lesson": "x", "tasks": [{ "screen": 0, "kind": "sing", "state": "done" }] }));
    let read = read(&sealed(&value));
    let again: Value = serde_json::from_str(&file(&read)).expect("JSON");
    for place in ["/mood/of", "/predictions/0/doubts", "/predictions/1/about", "/lessons/0/minutes", "/lessons/1/tasks/0/kind"] {
        assert!(value.pointer(place).is_some() && again.pointer(place) == value.pointer(place), "{place} is not kept: {again}");
    }
    // What is understood is shown, and the rest is counted.
    let class = class([read]);
    assert_eq!((class.unknown, class.lessons.len(), class.steps[0].voters()), (2, 1, 1));
}

#[test]
fn damage_is_refused_and_told() {
    let text = file(&sent("Ann", [20, 10]));
    let refusal = |text: &str| refused(text.as_bytes()).to_string();
    let cut = &text[..text.len() / 2];
    assert!(refusal(cut).contains("damaged") && refusal(cut).contains("NAME"), "{}", refusal(cut));
    let changed = text.replacen("machine-of-Ann", "machine-of-Bob", 1);
    assert!(refusal(&changed).contains("checksum"), "{}", refusal(&changed));
    // A bundle within that was changed is refused although the file's own sum is right.
    let mut value: Value = serde_json::from_str(&text).expect("JSON");
    value["bundle"]["kernels"] = json!({});
    assert!(refusal(&sealed(&value)).contains("checksum"), "{}", refusal(&sealed(&value)));
    let mut newer: Value = serde_json::from_str(&text).expect("JSON");
    newer["version"] = json!(2);
    assert!(refusal(&sealed(&newer)).contains("format 2"), "{}", refusal(&sealed(&newer)));
    for other in ["{}", "[]", "{\"format\":\"other\",\"version\":1}"] {
        assert!(refusal(other).contains("neither a file for a teacher nor a bundle"), "{}", refusal(other));
    }
    assert!(refusal("Dear teacher").contains("not JSON") && refused(&[0xff, 0xfe]).to_string().contains("not JSON"));
    let mut nameless: Value = serde_json::from_str(&text).expect("JSON");
    nameless.as_object_mut().expect("fields").remove("machine");
    assert!(refusal(&sealed(&nameless)).contains("machine"), "{}", refusal(&sealed(&nameless)));
}

#[test]
fn an_alias_is_short_and_in_one_line() {
    assert_eq!(Sent::alias_of("  Ann \n B\u{7} "), Some("Ann B".to_owned()));
    assert_eq!(Sent::alias_of(" \n"), None);
    assert_eq!(Sent::alias_of(&"x".repeat(500)).map(|alias| alias.len()), Some(40));
    // A text that looks like the sum is none.
    let tricky = Sent { alias: Some("\"sha256\":\"".to_owned()), ..sent("Ann", [20, 10]) };
    assert_eq!(read(&file(&tricky)).alias, tricky.alias);
}

#[test]
fn thirty_identical_machines_are_thirty_dots() {
    let class = class((0..30).map(|index| sent(&format!("student-{index}"), [20, 10])));
    assert_eq!((class.files, class.students.len(), class.devices(), class.kinds.len()), (30, 30, 30, 1));
    assert_eq!((class.steps.len(), class.steps[0].dots.len()), (1, 30));
    let page = page(&class);
    assert!(page.contains("Files: 30. Students: 30. Devices: 30. Kinds of devices: 1."), "{page}");
    let dots: Vec<&str> = page.split("<circle ").skip(1).filter_map(|circle| circle.split(" r=").next()).collect();
    assert_eq!((dots.len(), dots.iter().collect::<BTreeSet<_>>().len()), (30, 30), "none hides another: {dots:?}");
    // And each is where its ratio is.
    let places: BTreeSet<_> = dots.iter().filter_map(|dot| dot.split("cx=\"").nth(1)?.split('"').next()).collect();
    assert_eq!(places.len(), 1, "{places:?}");
    // Each is told when it is pointed at, with its interval.
    assert_eq!(page.matches("<title>student-").count(), 30);
    assert!(page.contains("student-7 · Example platform on GPU: 2.00×"), "{page}");
}

#[test]
fn a_large_class_is_shown_where_its_ratios_are_too() {
    let shown = |count: usize| page(&class((0..count).map(|index| sent(&format!("student-{index}"), [20, 10]))));
    let places = |page: &str| -> Vec<f64> {
        let circles = page.split("<circle cx=\"").skip(1);
        circles.filter_map(|circle| circle.split('"').next()?.parse().ok()).collect()
    };
    let (one, many) = (places(&shown(1)), places(&shown(200)));
    assert_eq!((one.len(), many.len()), (1, 200));
    assert!(many.iter().all(|x| (x - one[0]).abs() < 4.0), "{many:?}");
}

#[test]
fn of_two_files_by_one_student_the_later_one_counts() {
    let early = Sent { written: "2026-02-03T00:00:00Z".to_owned(), ..sent("Ann", [20, 40]) };
    let other = Sent { machine: "another machine".to_owned(), ..sent("Ann", [20, 40]) };
    for files in [[sent("Ann", [20, 10]), early.clone(), other.clone()], [early, sent("Ann", [20, 10]), other]] {
        let class = class(files);
        assert_eq!((class.files, class.replaced, class.students.len()), (3, 1, 2));
        let ratios: Vec<f64> = class.steps[0].dots.iter().map(|dot| dot.comparison.ratio.round()).collect();
        assert_eq!(ratios.len(), 2);
        assert!(ratios.contains(&2.0), "{ratios:?}");
        assert!(page(&class).contains("the same student sent a later one: 1"));
    }
    assert!(!page(&class([sent("Ann", [20, 10])])).contains("sent a later one"));
}

#[test]
fn bundles_are_accepted_as_well() {
    let merged = Bundle::merged(["box-1", "box-2"].map(|machine| {
        let mut bundle = Bundle::default();
        bundle.add(run("GPU", [20, 10]), &Aliases::given(machine));
        bundle
    }));
    let text = study::bundle::text_of(&merged.0).expect("plain data");
    let Ok(handed_in @ HandedIn::Bundle(_)) = of_bytes(&"NAME", text.as_bytes()) else { panic!("a bundle") };
    let class = Class::of(&[handed_in, HandedIn::Sent(Box::new(sent("Ann", [20, 10])))]);
    assert_eq!((class.files, class.bundles, class.students.len(), class.devices()), (2, 1, 3, 3));
    assert_eq!(class.steps[0].dots.len(), 3);
    assert_eq!(class.steps[0].confirmed(), Some((3, 3)));
    // The same bundle twice is the same machine once.
    let twice = Class::of(&[HandedIn::Bundle(bundle("GPU", [20, 10])), HandedIn::Bundle(bundle("GPU", [20, 40]))]);
    assert_eq!((twice.files, twice.steps[0].dots.len()), (2, 1));
}

#[test]
fn votes_are_counted_by_what_is_right_on_each_device() {
    let of = |alias: &str, records: &[PredictionRecord]| with_predictions(sent(alias, [20, 10]), records);
    let reasoned = |mut record: PredictionRecord, is_right| {
        record.predicted.has_right_reason = Some(is_right);
        record
    };
    let faster = [Change::Faster];
    let class = class([
        of("Ann", &[reasoned(guessed(1, Change::Faster, true, &faster), true)]),
        of("Bob", &[reasoned(guessed(1, Change::Faster, true, &[Change::Slower]), false)]),
        of("Cid", &[guessed(1, Change::Same, true, &Change::ALL)]),
        // The first answer counts, whatever is said later, and in whatever order it stands in the file.
        of("Dan", &[guessed(7, Change::Faster, true, &faster), guessed(2, Change::MuchSlower, true, &faster)]),
        of("Eve", &[voted(1, Votes { first: [0, 0, 1, 3, 0], second: [0, 0, 0, 4, 0] }, &faster)]),
    ]);
    let step = &class.steps[0];
    let counts = step.answers.map(|answers| (answers.right, answers.wrong, answers.open));
    assert_eq!(counts, [(0, 1, 0), (0, 0, 0), (0, 0, 1), (1, 1, 0), (0, 0, 0)]);
    assert_eq!((step.voters(), step.reasons), (4, (2, 1)));
    let page = page(&class);
    assert!(page.contains("Predictions: 4. Right: 1 of 3. Right reason: 1 of 2."), "{page}");
    assert!(page.contains("Class: 75 % correct before discussion, 100 % after"), "{page}");
    // Right ones are told by their shape: one full cell for the answer, and one in the legend.
    let chart = page.split("aria-label=\"Predictions: ").nth(1).and_then(|rest| rest.split("</svg>").next()).expect("the votes");
    assert_eq!(chart.matches("fill=\"var(--device)\"").count(), 2, "{chart}");
    assert!(chart.contains("right on the device of the student") && chart.contains(">2, right: 1<"), "{chart}");
}

#[test]
fn tasks_are_counted_by_what_became_of_them() {
    let [done, skipped, open] = [TaskState::Done, TaskState::Skipped, TaskState::Open];
    let class = class([
        with_tasks(sent("Ann", [20, 10]), [done, open]),
        with_tasks(sent("Bob", [20, 10]), [done, skipped]),
        with_tasks(sent("Cid", [20, 10]), [open, skipped]),
    ]);
    let page = page(&class);
    let table = page.split("<caption>Tasks and questions").nth(1).and_then(|rest| rest.split("</table>").next()).expect("a table");
    let cells: Vec<&str> = table.split("<td class=\"number\">").skip(1).filter_map(|cell| cell.split('<').next()).collect();
    assert_eq!(cells, ["2", "0", "1", "–", "0", "2", "1", "–"], "{table}");
    let title = Shelf::default().find("1-memory-access", Language::English).expect("built in").screens[2].title.clone();
    assert!(table.contains(&view::plot::escaped(&format!("3 {title}"))), "{title} is not in {table}");
}

#[test]
fn charts_come_before_tables_and_nothing_of_a_file_is_markup() {
    let evil = "<script>alert(1)</script><img src=x>";
    let mut record = guessed(1, Change::Faster, true, &[Change::Faster]);
    (record.predicted.ladder, record.step_key) = (evil.to_owned(), evil.to_owned());
    let mut own = with_tasks(with_predictions(sent("Ann", [20, 10]), &[record]), [TaskState::Done; 2]);
    (own.alias, own.machine) = (Some(evil.to_owned()), evil.to_owned());
    own.lessons.push(Kept::of(LessonDone { lesson: evil.to_owned(), tasks: Vec::new() }).expect("plain data"));
    let page = page(&class([own]));
    assert_eq!(page.matches("<script").count(), 1, "our own");
    assert!(!page.contains("<img"), "{page}");
    let place = |part: &str| page.find(part).unwrap_or_else(|| panic!("{part} is not in {page}"));
    assert!(
        place("<circle") < place("<table>")
            && place("id=\"tasks\"") < place("id=\"devices\"")
            && place("id=\"devices\"") < place("id=\"numbers\"")
    );
    let mut last = 1;
    for level in page.split("<h").skip(1).filter_map(|part| part.chars().next()?.to_digit(10)) {
        assert!(level <= last + 1, "h{level} after h{last}");
        last = level;
    }
    assert_eq!(page.matches("<svg ").count(), page.matches("role=\"img\" aria-label=\"").count());
    for attribute in ["src=\"", "href=\""] {
        assert!(page.split(attribute).skip(1).all(|value| value.starts_with('#')), "{attribute}");
    }
}

#[test]
fn an_odd_ratio_is_shown_at_the_end_of_the_axis_and_none_is_left_out() {
    let with = |ratio: f64| {
        let mut record = guessed(1, Change::Faster, true, &[Change::MuchFaster]);
        (record.comparison.ratio, record.comparison.low, record.comparison.high) = (ratio, ratio, ratio);
        Sent { bundle: Bundle::default(), ..with_predictions(sent("Ann", [20, 10]), &[record]) }
    };
    for (ratio, dots) in [(1e12, 1), (1e-12, 1), (0.0, 0), (-1.0, 0)] {
        let class = class([with(ratio)]);
        assert_eq!(class.steps[0].dots.len(), dots, "{ratio}");
        let page = page(&class);
        assert!(page.matches("<circle ").count() == dots && !page.contains("NaN") && !page.contains("inf\""), "{ratio}: {page}");
    }
}

#[test]
fn made_up_files_are_the_same_for_a_seed_and_say_that_they_are() {
    let files = made_up(6, 1).expect("plain data");
    let texts: Vec<String> = files.iter().map(file).collect();
    assert_eq!(made_up(6, 1).expect("plain data").iter().map(file).collect::<Vec<_>>(), texts);
    assert_ne!(made_up(6, 2).expect("plain data").iter().map(file).collect::<Vec<_>>(), texts);
    assert!(texts.iter().all(|text| text.contains("\"made_up\":true")));
    let read: Vec<Sent> = texts.iter().map(|text| read(text)).collect();
    assert_eq!(read, files, "as real ones are");
    let class = class(read);
    assert_eq!((class.students.len(), class.kinds.len()), (6, 3));
    assert!(class.steps.len() > 6 && class.steps.iter().all(|step| step.dots.len() > 3), "{:?}", class.steps);
    let made_up = page(&class);
    assert!(made_up.contains("<p class=\"banner\" role=\"note\">Made-up files: "), "{made_up}");
    let real = page(&super::Class::of(&[HandedIn::Sent(Box::new(sent("Ann", [20, 10])))]));
    assert!(!real.contains("class=\"banner\"") && !file(&sent("Ann", [20, 10])).contains("made_up"));
}

#[test]
fn in_chinese_nothing_of_the_page_is_english() {
    let class = class(made_up(12, 1).expect("plain data"));
    let chinese = in_language(Language::Chinese, || page(&class));
    assert!(chinese.contains("<html lang=\"zh") && chinese.contains("虚构的文件"), "{chinese}");
    let english: Vec<&str> = all(Language::English).filter(|(key, _)| key.starts_with("class.")).map(|(_, text)| text).collect();
    assert!(english.len() > 40);
    // What stands between places.
    for part in english.iter().flat_map(|text| text.split(['{', '}'])).filter(|part| part.trim().contains(' ') && part.len() > 8) {
        assert!(!chinese.contains(part.trim()), "'{part}' is English");
    }
    assert!(chinese.contains(in_language(Language::Chinese, || text("class.tasks.title"))));
    let shown = page(&class);
    let titles = |page: &str| page.matches("<h2 ").count();
    assert_eq!(titles(&shown), titles(&chinese));
}
