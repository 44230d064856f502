//! What is written is read, and whatever is wrong is told.

use super::file::text_of;
use super::{Aliases, BenchRun, Bundle, Session, of_bytes};
use crate::experiment::{Conclusion, Doubt, Proof, TestedArm, telling};
use crate::step_task;
use crate::testing::bundles::{bundle, compared, ladder, run, run_with_experiments, tested};
use crate::testing::records::on_device;
use base::error::Error;
use base::hash::sha256;
use base::texts::{Language, Words, in_language};
use engine::device::DeviceInfo;
use engine::{Compared, PictureRef, Target, Task};
use model::measure::Verdict;
use model::{Channels, HostMemory, LocalSize, Outcome, Record, Summary, Variant};

fn text() -> String {
    text_of(&bundle("A device", [20, 10])).expect("plain data")
}

fn refused(bytes: &[u8]) -> Error {
    of_bytes(&"x.json", bytes).expect_err("not to be read")
}

/// The same with a sum that fits, as a person could make it.
fn signed(text: &str) -> String {
    let start = text.find("\"sha256\":\"").expect("a sum") + 10;
    let without = format!("{}{}", &text[..start], &text[start + 64..]);
    let sum = sha256(without.trim_end().as_bytes());
    format!("{}{sum}{}", &without[..start], &without[start..])
}

/// The bundle with its first reading changed.
fn with(change: impl FnOnce(&mut Record)) -> Bundle {
    let mut bundle = bundle("A device", [20, 10]);
    change(&mut bundle.runs[0].devices[0].readings[0].record);
    bundle
}

fn measured(record: &mut Record) -> &mut model::Measured {
    match &mut record.outcome {
        Outcome::Measured(measured) => measured,
        other => panic!("{other:?}"),
    }
}

#[test]
fn answers_of_studies_are_kept_without_names_also_those_of_newer_versions() {
    let picture = PictureRef::generated((64, 32), Channels::Rgb);
    let device = DeviceInfo { host: Some("jane-laptop".to_owned()), ..DeviceInfo::example() };
    let target = Target::Device { index: 0, variant: Variant::naive(), local: LocalSize::Driver, host_memory: HostMemory::Copy };
    let mut story = crate::testing::stories::story();
    story.say(view::story::Tone::Warning, Words::Plain("clBuildProgram: '/home/jane/kernel.cl' is missing".to_owned()));
    let answer = crate::Answer::of(crate::BOTTLENECK, &Task::new(picture, target), &device, true, &story).expect("a device's");
    let mut bundle = bundle("A device", [20, 10]);
    for _ in 0..2 {
        bundle.add_answer(&answer, &Aliases::given("box"));
    }
    let text = text_of(&bundle).expect("plain data");
    assert!(bundle.answers.len() == 1 && text.contains("clBuildProgram") && !text.contains("jane"), "{text}");
    let read = of_bytes(&"x.json", text.as_bytes()).expect("read");
    assert_eq!(read, bundle);
    assert_eq!(read.answers[0].machine.alias.as_deref(), Some("box"));
    // One that a newer version wrote goes on unread.
    let newer = text.replace("\"schema\":1,\"study\"", "\"schema\":99,\"study\"");
    let read = of_bytes(&"x.json", signed(&newer).as_bytes()).expect("read");
    assert!(read.answers.is_empty() && read.foreign_answers.len() == 1);
    let (merged, _) = Bundle::merged([read.clone(), bundle, read]);
    assert_eq!((merged.answers.len(), merged.foreign_answers.len()), (1, 1));
    assert!(text_of(&merged).expect("plain data").contains("\"schema\":99,\"study\""));
}

#[test]
fn what_is_written_is_read() {
    let bundle = bundle("A device", [20, 10]);
    let text = text();
    assert_eq!(of_bytes(&"x.json", text.as_bytes()).expect("read"), bundle);
    assert_eq!(signed(&text), text, "the tests sign as the program does");
    // Two kernels, each once, with the texts that the readings name.
    assert_eq!(bundle.kernels.len(), 2);
    let kernel = bundle.runs[0].devices[0].readings[1].kernel.as_ref().expect("a hash");
    assert!(bundle.kernels[kernel].contains("vload"), "{}", bundle.kernels[kernel]);
    // An editor may set it anew.
    let pretty = serde_json::to_string_pretty(&serde_json::from_str::<serde_json::Value>(&text).expect("JSON")).expect("JSON");
    assert_ne!(pretty, text);
    assert_eq!(of_bytes(&"x.json", pretty.as_bytes()).expect("read"), bundle);
}

#[test]
fn a_bundle_that_is_cut_anywhere_is_told_to_be_damaged() {
    let text = text();
    let body = text.trim_end().len();
    for at in (0..body).step_by(97).chain(body - 40..body) {
        let error = refused(&text.as_bytes()[..at]);
        assert!(error.what == "The bundle is damaged" && error.why.contains("it is truncated"), "cut at {at}: {error}");
    }
}

#[test]
fn every_byte_that_is_flipped_is_noticed() {
    let text = text();
    let body = text.trim_end().len();
    for (at, bit) in (0..body).step_by(61).chain(0..120).flat_map(|at| [(at, 1), (at, 8), (at, 128)]) {
        let mut bytes = text.clone().into_bytes();
        bytes[at] ^= bit;
        // Never a panic, and never taken for the same.
        refused(&bytes);
    }
}

#[test]
fn other_files_are_told_from_bundles() {
    for (bytes, what, why) in [
        (b"PNG\r\n".as_slice(), "This is not a bundle", "it is not JSON"),
        (&[0xff, 0xfe, 0x00], "This is not a bundle", "it is not JSON"),
        (b"[]", "This is not a bundle", "but not a bundle of this program"),
        (b"{\"format\":\"kernel-ladder claims\",\"version\":1}", "This is not a bundle", "but not a bundle of this program"),
        (b"{\"format\":\"kernel-ladder bundle\",\"version\":-1}", "This is not a bundle", "but not a bundle of this program"),
        (
            b"{\"format\":\"kernel-ladder bundle\",\"version\":7,\"program_version\":\"9.1\"}",
            "The bundle could not be read",
            "it has format 7, written by kernel-ladder 9.1; this version supports formats up to 4",
        ),
        (b"{\"format\":\"kernel-ladder bundle\",\"version\":1}", "The bundle is damaged", "checksum mismatch"),
    ] {
        let error = refused(bytes);
        assert!(error.what == what && error.why.contains(why) && error.remedy.contains("x.json"), "{why}: {error}");
    }
    let deep = "[".repeat(100_000);
    refused(deep.as_bytes());
    let error = super::read(std::path::Path::new("no/such/bundle.json")).expect_err("not there");
    assert!(error.remedy.contains("no/such/bundle.json"), "{error}");
}

#[test]
fn what_another_program_wrote_with_a_right_sum_is_held_to_what_can_be() {
    let text = text();
    for (from, to, words) in [
        ("\"compute_units\":4", "\"compute_units\":4e99", "invalid type"),
        ("\"compute_units\":4", "\"compute_units\":99999999999999999999", "invalid type"),
        ("\"width_px\":96", "\"width_px\":18446744073709551615", "18446744073709551615"),
        ("\"median_ns\":20000000.0", "\"median_ns\":1e999", "number out of range"),
        ("\"median_ns\":20000000.0", "\"median_ns\":null", "invalid type: null"),
        ("\"recipe\":", "\"receipt\":", "unknown field `receipt`"),
        ("\"places\":\"Shared\"", "\"places\":\"Nowhere\"", "unknown variant `Nowhere`"),
    ] {
        let broken = text.replacen(from, to, 1);
        assert_ne!(broken, text, "{from} is not in: {text}");
        let error = refused(signed(&broken).as_bytes()).to_string();
        assert!(error.contains(words), "'{words}' is not in: {error}");
    }
}

#[test]
fn what_older_versions_left_unclear_on_a_busy_machine_is_decided_by_its_pairs() {
    let mut older = bundle("A device", [20, 10]);
    let device = &mut older.runs[0].devices[0];
    device.readings[1].above = Some(Compared { busy: true, ..compared(20, 10) });
    device.readings[1].above.as_mut().expect("pairs").comparison.verdict = Verdict::Unclear;
    (device.tested[0].step.is_busy, device.tested[0].step.comparison.verdict) = (true, Verdict::Unclear);
    let read = of_bytes(&"", text_of(&older).expect("plain data").as_bytes()).expect("it is read");
    let device = &read.runs[0].devices[0];
    let above = device.readings[1].above.as_ref().expect("pairs");
    assert_eq!((above.comparison.verdict, above.busy), (Verdict::Faster, true), "the note stays");
    assert_eq!((device.tested[0].step.comparison.verdict, device.tested[0].step.is_busy), (Verdict::Faster, true));
}

#[test]
fn figures_that_do_not_follow_from_their_samples_are_told() {
    let wrong = |bundle: &Bundle| refused(text_of(bundle).expect("plain data").as_bytes()).why;
    let summary = |change: fn(&mut Summary)| with(|record| change(measured(record).kernel.as_mut().expect("times")));
    for (bundle, words) in [
        (summary(|kernel| kernel.median_ns *= 0.9), "its median and quartiles do not match its samples"),
        (summary(|kernel| kernel.count += 1), "its median and quartiles do not match its samples"),
        (summary(|kernel| kernel.samples_ns.clear()), "its median and quartiles do not match its samples"),
        (summary(|kernel| *kernel = Summary::of(vec![u64::MAX; 5]).expect("samples")), "a number is out of range"),
        (with(|record| record.schema = 0), "its record has layout 0; this version supports 2"),
        (with(|record| record.picture.sha256 = "photo.png".into()), "the hash of the picture is invalid"),
        (with(|record| record.machine.device = "Another".into()), "it belongs to Another with"),
        (with(|record| measured(record).verification.total_pixels = 99_999), "more pixels are checked than the picture has"),
        (with(|record| measured(record).bytes_moved = u64::MAX), "a number is out of range"),
        (
            with(|record| {
                record.spec.parameters.0.insert("radius".into(), 3.0);
            }),
            "radius",
        ),
    ] {
        let why = wrong(&bundle);
        assert!(why.contains(words) && why.contains("benchmark 1: measurement 1 on A device"), "'{words}' is not in: {why}");
    }
    let mut other = bundle("A device", [20, 10]);
    other.runs[0].devices[0].tested[0].step.comparison.ratio = 3.0;
    assert!(wrong(&other).contains("comparison 1 on A device: its ratio, interval or verdict does not match its pairs"));
    let mut other = bundle("A device", [20, 10]);
    other.runs[0].devices[0].readings[1].above = Some(compared(20, 10));
    assert!(of_bytes(&"", text_of(&other).expect("plain data").as_bytes()).is_ok());
    other.runs[0].devices[0].readings[1].above.as_mut().expect("pairs").pairs.truncate(3);
    assert!(wrong(&other).contains("does not match its pairs"));
    // Nor does a verdict that a busy machine changed, of today's version.
    let mut other = bundle("A device", [20, 10]);
    other.runs[0].devices[0].tested[0].step.comparison.verdict = Verdict::Same;
    other.runs[0].devices[0].tested[0].step.is_busy = true;
    assert!(wrong(&other).contains("does not match its pairs"));
    let mut other = bundle("A device", [20, 10]);
    other.kernels.values_mut().next().expect("a kernel").push(' ');
    assert!(wrong(&other).contains("does not match this hash"));
    other.kernels.clear();
    assert!(wrong(&other).contains("is missing"));
}

#[test]
fn names_and_paths_are_not_kept() {
    let mut own: BenchRun = run("A device", [20, 10]);
    own.devices[0].readings[0].record.name = Some("Jane's first".to_owned());
    own.devices[0].readings[1].record.outcome = Outcome::Failed("cannot open '/home/jane doe/secret.png'".into());
    let mut bundle = Bundle::default();
    bundle.add(own, &Aliases::default());
    let text = text_of(&bundle).expect("plain data");
    for word in ["Jane", "jane", "secret.png", "/home"] {
        assert!(!text.contains(word), "{word} is in {text}");
    }
    assert!(text.contains("cannot open '…'"), "{text}");
}

#[test]
fn what_this_version_does_not_know_is_kept_as_it_is_and_merged() {
    let own = text();
    // The second reading has a stage of a newer version, and the CPU's another layout.
    let (variant, schema) =
        (own.match_indices("\"variant\":\"").nth(1).expect("a variant").0 + 11, own.find("\"schema\":2").expect("a record") + 9);
    let mut newer = own.clone();
    let end = variant + newer[variant..].find('"').expect("closed");
    newer.replace_range(variant..end, "coalesced+tensor");
    newer.replace_range(schema..=schema, "7");
    let newer = newer.replace("\"median_ns\":10000000.0", "\"median_ns\":1.00e7");
    let read = of_bytes(&"x.json", signed(&newer).as_bytes()).expect("read");
    let whys: Vec<String> = read.foreign.iter().flat_map(|run| &run.records).map(|record| record.why.to_string()).collect();
    assert_eq!(whys, ["needs a newer version: records with layout 7", "needs a newer version: variant 'coalesced+tensor'"]);
    assert_eq!((read.records().count(), read.runs[0].devices[0].readings.len()), (1, 1));
    // What was written is written again, to the byte; a third time nothing changes.
    let again = text_of(&read).expect("plain data");
    assert!(again.contains("coalesced+tensor") && again.contains("1.00e7"), "{again}");
    let second = of_bytes(&"x.json", again.as_bytes()).expect("read");
    assert_eq!(second, read);
    let (both, left_out) = Bundle::merged([read.clone(), second, bundle("A device", [20, 10])]);
    assert_eq!((both.foreign.len(), both.records().count(), left_out), (1, 3, 4));
}

#[test]
fn steps_of_an_unknown_filter_stay_beside_their_measurements() {
    let steps = |text: &str| text.matches("\"pairs\":").count();
    let own = text();
    let newer = own.replace("\"filter\":\"laplace\"", "\"filter\":\"sharpen\"");
    assert!(steps(&own) > 0 && newer != own, "{own}");
    let read = of_bytes(&"x.json", signed(&newer).as_bytes()).expect("read");
    assert_eq!((read.runs.len(), read.foreign.len()), (0, 1));
    assert_eq!(steps(&text_of(&read).expect("plain data")), steps(&own));
}

#[test]
fn machines_that_are_alike_are_two_and_have_no_names() {
    let on = |host: &str| {
        let mut run = run("A device", [20, 10]);
        run.devices[0].device.host = Some(host.to_owned());
        let records = run.cpu.iter_mut().chain(run.devices[0].readings.iter_mut().map(|reading| &mut reading.record));
        records.for_each(|record| record.machine.alias = Some(host.to_owned()));
        run
    };
    let mut both = Bundle::default();
    both.add(on("jane@box1"), &Aliases::default());
    both.add(on("jane@box2"), &Aliases::default());
    assert_eq!((both.distinct_devices().len(), both.records().count()), (2, 6));
    let text = text_of(&both).expect("plain data");
    assert!(!text.contains("box1") && !text.contains("jane"), "{text}");
    let read = of_bytes(&"x.json", text.as_bytes()).expect("read");
    assert_eq!((&read, read.distinct_devices().len()), (&both, 2));
    assert_eq!(Bundle::merged([read, both.clone()]), (both, 6));
    let mut named = Bundle::default();
    named.add(on("jane@box1"), &Aliases::given("box 1"));
    assert_eq!(named.records().next().and_then(|record| record.machine.alias.as_deref()), Some("box 1"));
}

#[test]
fn sizes_of_one_benchmark_are_one() {
    let mut bundle = bundle("A device", [20, 10]);
    bundle.add(run("A device", [40, 20]), &Aliases::default());
    assert_eq!((bundle.runs.len(), bundle.records().count()), (1, 6));
    bundle.add(run("Another", [40, 20]), &Aliases::default());
    assert_eq!((bundle.runs.len(), bundle.distinct_devices().len()), (2, 2));
}

#[test]
fn of_what_is_there_twice_one_is_left() {
    let (one, other) = (bundle("A device", [20, 10]), bundle("Another device", [40, 50]));
    // The CPU's reading is the same in both.
    let (both, left_out) = Bundle::merged([one.clone(), other.clone()]);
    assert_eq!((both.records().count(), both.distinct_devices().len(), both.kernels.len(), left_out), (5, 2, 2, 1));
    let (again, left_out) = Bundle::merged([both.clone(), other, one.clone(), both.clone()]);
    assert_eq!((again.records().count(), left_out), (5, 11));
    assert_eq!(again, both);
    assert_eq!(Bundle::merged([one.clone()]), (one.clone(), 0));
    // The same reading by another driver is another one.
    let mut newer = one.clone();
    let device = &mut newer.runs[0].devices[0];
    device.device.driver_version = "2.0".to_owned();
    for reading in &mut device.readings {
        reading.record.machine.driver = device.device.driver();
    }
    let (both, _) = Bundle::merged([one, newer]);
    assert_eq!((both.records().count(), both.distinct_devices().len()), (5, 2));
    assert!(of_bytes(&"", text_of(&both).expect("plain data").as_bytes()).is_ok());
}

#[test]
fn the_command_has_all_that_records_say() {
    use model::{HostMemory, LocalSize, Variant};
    let mut own = run("A device", [20, 10]);
    let command = |run: &BenchRun| run.command(&run.devices[0]).expect("readings");
    assert_eq!(
        command(&own),
        "kernel-ladder bench --filter laplace --channels rgb --border copy --ladder mali-t600 --size 96x96 --budget-ms 300 --starts 7 --device 0"
    );
    own.recipe = super::Recipe { ladder: None, picture: super::PictureOrigin::Own, compares_rows: true, ..own.recipe };
    own.recipe.budget.warm_cache = true;
    if let model::Contender::Device { variant, local, host_memory, .. } = &mut own.devices[0].readings[0].record.contender {
        (*variant, *local, *host_memory) = (Variant::naive(), LocalSize::Explicit([32, 4]), HostMemory::Map);
    }
    assert_eq!(
        command(&own),
        "kernel-ladder bench --filter laplace --channels rgb --border copy --variant naive padded+vectorize=5 --local 32x4 driver \
         --memory map copy --size 96x96 --picture PICTURE --budget-ms 300 --starts 7 --warm-cache --compare --device 0"
    );
}

/// As it was before pairs had a start.
fn forget(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(fields) => {
            fields.retain(|name, _| name != "start" && name != "starts");
            fields.values_mut().for_each(forget);
        }
        serde_json::Value::Array(values) => values.iter_mut().for_each(forget),
        _ => {}
    }
}

#[test]
fn pairs_of_several_processes_are_read_as_such_and_those_of_before_are_of_one() {
    use engine::Compared;
    use model::Budget;
    use model::measure::{Pair, Places};
    let with_starts = |starts: usize| {
        let mut run = run("A device", [20, 10]);
        let pair = |index: usize| Pair {
            first_ns: 2000 + index as u64 % 5,
            second_ns: 1000,
            first_place: 0,
            second_place: 0,
            start: index * starts / 40,
        };
        let compared = Compared::of((0..40).map(pair).collect(), Places::Shared, false, None);
        assert_eq!(compared.comparison.starts, starts);
        run.devices[0].readings[0].above = Some(compared);
        let mut bundle = Bundle::default();
        bundle.add(run, &Aliases::default());
        bundle
    };
    let text = text_of(&with_starts(4)).expect("plain data");
    let read = of_bytes(&"", text.as_bytes()).expect("it follows from its pairs");
    let above = read.runs[0].devices[0].readings[0].above.as_ref().expect("kept");
    assert_eq!((above.comparison.starts, above.pairs[39].start), (4, 3));
    let wrong = |mut bundle: Bundle, change: &dyn Fn(&mut Compared)| {
        change(bundle.runs[0].devices[0].readings[0].above.as_mut().expect("there"));
        of_bytes(&"", text_of(&bundle).expect("plain data").as_bytes()).expect_err("it is held to what can be").to_string()
    };
    // That it is of more processes than its pairs are.
    assert!(wrong(with_starts(1), &|above| above.comparison.starts = 7).contains("does not match its pairs"));
    let far = wrong(with_starts(4), &|above| above.pairs[0].start = Budget::MOST_STARTS);
    assert!(far.contains("more than 50 processes"), "{far}");
    // As it was written before pairs had a start.
    let mut one = with_starts(1);
    one.runs[0].recipe.budget.starts = 1;
    let mut value = serde_json::to_value(&one).expect("plain data");
    forget(&mut value);
    let mut older: Bundle = serde_json::from_value(value).expect("an older one is read");
    // What reading a file does.
    let device = &mut older.runs[0].devices[0];
    device.device.host.clone_from(&device.machine);
    assert_eq!(older, one);
}

#[test]
fn no_text_of_a_strangers_bundle_is_a_command() {
    let mut own = run("A device", [20, 10]);
    let command = |run: &BenchRun| run.command(&run.devices[0]).expect("readings");
    for name in ["$(touch owned).png", "a; reboot", "`id`", "unknown.png"] {
        own.recipe.picture = super::PictureOrigin::Sample(name.to_owned());
        let command = command(&own);
        assert!(command.contains("--picture PICTURE") && !command.contains(name), "{command}");
    }
    own.recipe.picture = super::PictureOrigin::Sample("coffee.png".to_owned());
    assert!(command(&own).contains("--picture coffee.png"));
}

#[test]
fn numbers_of_places_may_be_any() {
    use model::measure::{Places, compare};
    let mut own = bundle("A device", [20, 10]);
    let tested = &mut own.runs[0].devices[0].tested[0];
    tested.places = Places::Own;
    for (index, pair) in tested.pairs.iter_mut().enumerate() {
        // The largest there is, which once was counted up to.
        (pair.first_place, pair.second_place) = (usize::MAX - index % 3, usize::MAX - index % 3);
    }
    tested.step.comparison = compare(&tested.pairs, tested.places);
    assert!(of_bytes(&"", text_of(&own).expect("plain data").as_bytes()).is_ok());
}

/// A bundle with experiments, of which one arm failed, as it is made while a language is spoken.
fn with_experiments(language: Language) -> Bundle {
    in_language(language, || {
        let mut run = run_with_experiments("A device", [20, 10]);
        let arms = &mut run.devices[0].tested[0].step.why[0].tested.as_mut().expect("tested").arms;
        let failed = Words::of(&base::texts::failed("errors.hosts.panicked", &[("host", &"'/home/jane doe/x'")]));
        arms.push(TestedArm {
            name: "frame".to_owned(),
            comparison: None,
            share: None,
            failed: Some(failed),
            says: Some(Conclusion::Unclear(Doubt::Failed)),
            ..arms[0].clone()
        });
        let mut bundle = Bundle::default();
        bundle.add(run, &Aliases::given("here"));
        bundle
    })
}

#[test]
fn experiments_are_written_without_a_language_and_read_again() {
    let of = |language| in_language(language, || text_of(&with_experiments(language)).expect("plain data"));
    let [text, chinese] = Language::ALL.map(of);
    assert_eq!(text, chinese, "the same in every language");
    let bundle = with_experiments(Language::English);
    assert_eq!(of_bytes(&"x.json", text.as_bytes()).expect("read"), bundle);
    let step = &bundle.runs[0].devices[0].tested[0].step;
    for part in [
        r#""rule":"fewer-loads""#,
        r#""experiment":"saved-loads""#,
        r#""conclusion":"refuted""#,
        r#""name":"loads-again","comparison":{"ratio":0.9,"low":0.875,"high":0.925,"verdict":"SLOWER""#,
        r#""share":{"share":0.25,"low":0.125,"high":0.375}"#,
        r#""says":{"unclear":"failed"}"#,
        r#""is_put_to_test":true"#,
    ] {
        assert!(text.contains(part), "{part} is not in: {text}");
    }
    assert!(!text.contains("jane") && !text.contains("Refuted here"), "{text}");
    let ratio = step.comparison.ratio;
    assert!(step.why.iter().all(|cited| cited.tested.as_ref().is_some_and(|tested| (tested.effect.ratio - ratio).abs() < 1e-9)));
    // What is shown is of the reader's language.
    let told =
        |language| in_language(language, || step.tests().expect("put to the test").iter().flat_map(telling::lines).collect::<Vec<_>>());
    let [english, in_chinese] = Language::ALL.map(told);
    assert!(english[0].starts_with("Refuted here: There are fewer loads") && english.len() == in_chinese.len(), "{english:?}");
    assert!(english != in_chinese && in_chinese[0].contains("27"), "{in_chinese:?}");
}

#[test]
fn what_a_newer_version_says_of_an_experiment_is_kept_and_what_cannot_be_is_told() {
    let text = text_of(&with_experiments(Language::English)).expect("plain data");
    let changed = |from: &str, to: &str| {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from} is not in: {text}");
        signed(&changed)
    };
    let newer = changed(r#""conclusion":"refuted""#, r#""conclusion":"refuted","watts":7.5"#);
    let read = of_bytes(&"x.json", newer.as_bytes()).expect("read");
    assert!(text_of(&read).expect("plain data").contains(r#""watts":7.5"#));
    // One that this version does not have is shown by its name.
    let other = changed(r#""experiment":"saved-loads""#, r#""experiment":"more-voltage""#);
    let read = of_bytes(&"x.json", other.as_bytes()).expect("read");
    let tests = read.runs[0].devices[0].tested[0].step.tests().expect("put to the test");
    assert!(telling::lines(&tests[0])[1].contains("more-voltage"), "{:?}", telling::lines(&tests[0]));
    for (from, to, words) in [
        (r#""conclusion":"refuted""#, r#""conclusion":"confirmed""#, "the conclusion of the experiment on fewer-loads does not follow"),
        (r#""conclusion":"refuted""#, r#""conclusion":"perhaps""#, "unknown variant `perhaps`"),
        (r#""low":0.875"#, r#""low":0.99"#, "a number is out of range"),
        (r#""effect":{"ratio":2.0,"#, r#""effect":{"ratio":2.5,"#, "the conclusion of the experiment on fewer-loads does not follow"),
    ] {
        let why = refused(changed(from, to).as_bytes()).why;
        assert!(why.contains(words), "'{words}' is not in: {why}");
    }
}

#[test]
fn a_file_of_before_there_were_experiments_is_read() {
    let text = text();
    assert!(!text.contains("is_put_to_test") && !text.contains("\"tested\":null"), "{text}");
    let older = signed(&text.replacen("\"version\":3", "\"version\":2", 1));
    let read = of_bytes(&"x.json", older.as_bytes()).expect("read");
    assert_eq!(read, bundle("A device", [20, 10]));
    assert!(read.runs[0].devices[0].tested[0].step.tests().is_none());
}

#[test]
fn the_command_of_a_run_with_experiments_makes_them_again() {
    let run = run_with_experiments("A device", [20, 10]);
    assert!(run.command(&run.devices[0]).expect("readings").contains(" --why=test "));
}

#[test]
fn what_a_session_put_to_the_test_is_kept_with_the_reason_that_is_left() {
    let (ladder, device) = (ladder(), DeviceInfo::example());
    let target = Target::Device { index: device.index, variant: Variant::naive(), local: LocalSize::Driver, host_memory: HostMemory::Copy };
    let like = Task::new(PictureRef::generated((96, 96), Channels::Rgb), target);
    let pair =
        (step_task(ladder, &ladder.steps[0], &like, LocalSize::Driver), step_task(ladder, &ladder.steps[1], &like, LocalSize::Driver));
    let reading = |task: &Task, ms: f64| {
        let Target::Device { variant, .. } = task.target else { panic!("on a device") };
        (task.clone(), Record { machine: device.machine(), ..on_device(&variant.to_string(), ms * 1e6) })
    };
    let compared = compared(20_000_000, 10_000_000);
    let effect = compared.comparison;
    let session = Session {
        readings: vec![reading(&pair.0, 20.0), reading(&pair.1, 10.0)],
        compared: vec![(pair.clone(), compared)],
        devices: vec![device.clone()],
        ..Session::default()
    };
    let step = |session: &Session| session.runs()[0].devices[0].tested[0].step.clone();
    let untested = step(&session);
    assert!(!untested.is_put_to_test && untested.why.iter().all(|cited| cited.tested.is_none()), "{untested:?}");
    let rule = untested.why[0].rule.clone();
    let made = |conclusion| (pair.clone(), rule.clone(), Ok(tested("saved-loads", effect, conclusion)));
    let with = |conclusions: &[Conclusion]| {
        step(&Session { experiments: conclusions.iter().map(|conclusion| made(*conclusion)).collect(), ..session.clone() })
    };
    let refuted = with(&[Conclusion::Refuted]);
    assert_eq!((refuted.is_put_to_test, &refuted.why[0].rule, refuted.proof()), (true, &rule, Some(Proof::Unexplained)));
    assert_eq!(refuted.why[0].tested.as_ref().map(|tested| tested.conclusion), Some(Conclusion::Refuted));
    // Of several the newest counts.
    assert_eq!(with(&[Conclusion::Refuted, Conclusion::Confirmed]).proof(), Some(Proof::Experiment));
    // One of another rule leaves this one without.
    let other = vec![(pair.clone(), "wider-accesses".to_owned(), Ok(tested("narrow-loads", effect, Conclusion::Refuted)))];
    let other = step(&Session { experiments: other, ..session.clone() });
    let not_tested = other.why[0].not_tested.as_ref().map(Words::english);
    assert_eq!((other.proof(), not_tested.as_deref()), (Some(Proof::Consistent), Some("the experiment was not run")));
}
