//! Files are read as they were written, whatever is wrong with one is told, and gates rule as they say.

use super::file::{of_bytes, text_of};
use super::fingerprint::Power;
use super::judging::{Judged, Outcome, Outlook, Question, Terms, judge, overall, save};
use super::{Baseline, Fingerprint, Rows, differences, row_sentence, story};
use crate::bundle::{self, sealed};
use crate::testing::bundles::{bundle, device};
use crate::testing::records::{changed, on_device};
use base::error::{Error, Result};
use engine::device::DeviceInfo;
use engine::{Backend, Build, Compared, Executed, KernelText, Proven, Reply, Request, Scanned, Target, Task};
use model::Verification;
use model::measure::{Pair, Places, Progress, Ruling};
use serde_json::json;
use view::story::{json as story_json, markdown};

/// A machine that was made up.
struct Machine {
    /// Kernel times of the naive kernel and of all others, in nanoseconds.
    times: [f64; 2],
    /// Of a text that is not the variant's own.
    stored_ns: f64,
    /// A text that is not the variant's own does not build.
    refuses_stored: bool,
    /// Other programs run.
    busy: bool,
    /// From that process on, all outputs are wrong.
    wrong_from: usize,
    /// In these processes, times are twice as long.
    disturbed: std::ops::Range<usize>,
    processes: usize,
    devices: Vec<DeviceInfo>,
}

impl Machine {
    fn of(times: [f64; 2]) -> Self {
        Self {
            times,
            stored_ns: 10e6,
            refuses_stored: false,
            busy: false,
            wrong_from: usize::MAX,
            disturbed: 0..0,
            processes: 0,
            devices: vec![device("A device")],
        }
    }

    /// Processes differ by up to half a percent.
    fn time(&self, task: &Task) -> f64 {
        let Target::Device { variant, .. } = &task.target else { panic!("no device") };
        let own = if variant.to_string() == "naive" { self.times[0] } else { self.times[1] };
        let time = if task.text.is_composed() { own } else { self.stored_ns };
        let disturbance = if self.disturbed.contains(&self.processes) { 2.0 } else { 1.0 };
        time * disturbance * (1.0 + 0.001 * ((self.processes * 7) % 5) as f64)
    }

    fn verification(&self) -> Verification {
        Verification { differing_pixels: usize::from(self.processes >= self.wrong_from), total_pixels: 9216, ..Verification::default() }
    }
}

impl Backend for Machine {
    fn ask(&mut self, request: Request, _progress: &dyn Progress) -> Result<Reply> {
        Ok(match request {
            Request::Rescan(_) => {
                self.processes += 1;
                Reply::Devices(Ok(self.devices.clone()), Scanned::default())
            }
            Request::Execute(task) if self.refuses_stored && matches!(task.text, KernelText::Edited(_)) => {
                return Err(Error::failed("The kernel did not run", "it takes 9 arguments", ""));
            }
            Request::Execute(task) => Reply::Executed(Box::new(Executed::on_host(task.picture.picture.clone(), 1))),
            Request::Verify(task, _) => Reply::Verified(self.verification(), task.picture.picture.clone()),
            Request::Prove(_) => Reply::Proven(Proven { verification: self.verification(), build: Build::default(), kernel_ns: None }),
            Request::Measure(proof, _) => {
                let busy = self.busy;
                let record = on_device("naive", self.time(proof.task()));
                Reply::Record(Box::new(changed(record, |measured| measured.busy = busy)))
            }
            Request::Compare(pair, budget) => {
                let [first_ns, second_ns] = pair.each_ref().map(|proof| self.time(proof.task()) as u64);
                let pair = |index: usize| Pair {
                    first_ns: first_ns + index as u64 % 3,
                    second_ns,
                    first_place: 0,
                    second_place: 0,
                    start: index % budget.starts,
                };
                Reply::Compared(Box::new(Compared::of((0..10 * budget.starts).map(pair).collect(), Places::Shared, self.busy, None)))
            }
            request => return request.plain_reply(),
        })
    }
}

const TERMS: Terms = Terms { processes: 7, threshold: 0.03, is_across: false, is_of_machine: true };

/// Of two rows, of 20 and 10 ms.
fn baseline() -> Baseline {
    let mut machine = Machine::of([20e6, 10e6]);
    let devices = machine.devices.clone();
    save(bundle("A device", [20, 10]), None, &devices, 7, &mut machine, &()).expect("saved")
}

/// The same whose second row was of another text, one third as long again.
fn with_other_text() -> Baseline {
    let mut baseline = baseline();
    let reading = &mut baseline.bundle.runs[0].devices[0].readings[1];
    let text = "__kernel void laplace() {}\n".to_owned();
    let hash = base::hash::sha256(text.as_bytes());
    reading.kernel = Some(hash.clone());
    baseline.bundle.kernels.insert(hash, text);
    baseline
}

fn judged(baseline: &Baseline, machine: &mut Machine, terms: &Terms) -> Vec<Judged> {
    let devices = machine.devices.clone();
    let rows = Rows::of(baseline, &devices, None).expect("rows");
    judge(&rows, terms, &devices, machine, &()).expect("judged")
}

fn ruling(judged: &Judged) -> Option<Ruling> {
    if let Outcome::Compared(ratio) = &judged.outcome { ratio.ruling } else { None }
}

#[test]
fn what_is_the_same_is_not_slower_and_is_measured_once() {
    let baseline = baseline();
    assert!(baseline.rows.iter().all(|row| row.processes.len() == 7), "{:?}", baseline.rows);
    assert_eq!(baseline.processes(), 7);
    let mut machine = Machine::of([20e6, 10e6]);
    let judged = judged(&baseline, &mut machine, &TERMS);
    assert_eq!(judged.iter().map(ruling).collect::<Vec<_>>(), [Some(Ruling::NotSlower); 2]);
    assert_eq!((overall(&judged, &TERMS), machine.processes), (Outlook::NotSlower, 7));
}

#[test]
fn a_slower_machine_is_found_and_what_is_slower_is_measured_twice() {
    let mut machine = Machine::of([20e6, 11e6]);
    let judged = judged(&baseline(), &mut machine, &TERMS);
    assert_eq!(judged.iter().map(ruling).collect::<Vec<_>>(), [Some(Ruling::NotSlower), Some(Ruling::Slower)]);
    assert_eq!((overall(&judged, &TERMS), machine.processes), (Outlook::Slower(1), 14));
    let Outcome::Compared(ratio) = &judged[1].outcome else { panic!("{judged:?}") };
    let change = ratio.change.expect("a ratio");
    assert!(change.low > 1.09 && change.high < 1.11 && ratio.processes == 14 && ratio.question == Question::Machine, "{ratio:?}");
}

#[test]
fn a_kernel_that_is_the_same_is_not_slower_however_the_machine_drifts() {
    let terms = Terms { is_of_machine: false, ..TERMS };
    let mut machine = Machine::of([20e6, 11e6]);
    let baseline = baseline();
    assert!(baseline.rows.iter().all(|row| row.work.as_ref().is_some_and(|work| work.len() == 16)), "{:?}", baseline.rows);
    let same = judged(&baseline, &mut machine, &terms);
    assert_eq!(same.iter().map(ruling).collect::<Vec<_>>(), [Some(Ruling::NotSlower); 2]);
    // It is said, and not measured a second time.
    assert_eq!((overall(&same, &terms), machine.processes), (Outlook::NotSlower, 7));
    let told = markdown::paint(&story(&baseline, &baseline.fingerprint, &[], &terms, &same));
    assert!(told.contains("took longer: 1") && told.contains("the ratio is of the machine") && !told.contains("SLOWER |"), "{told}");
    // A wrong output fails as ever.
    let wrong = judged(&baseline, &mut Machine { wrong_from: 3, ..Machine::of([20e6, 1e6]) }, &terms);
    assert_eq!(overall(&wrong, &terms), Outlook::Failed(2));
    // Started in another way, or by who knows what, it may be slower.
    for work in [Some("another".to_owned()), None] {
        let mut other = baseline.clone();
        other.rows[1].work = work;
        let judged = judged(&other, &mut Machine::of([20e6, 11e6]), &terms);
        assert_eq!(judged.iter().map(ruling).collect::<Vec<_>>(), [Some(Ruling::NotSlower), Some(Ruling::Slower)]);
    }
    // And so it may be with another text.
    let changed = judged(&with_other_text(), &mut Machine { stored_ns: 10e6, ..Machine::of([20e6, 11e6]) }, &terms);
    assert_eq!(ruling(&changed[1]), Some(Ruling::Slower), "{changed:?}");
}

#[test]
fn what_is_slower_once_alone_is_inconclusive() {
    let mut machine = Machine { disturbed: 0..8, ..Machine::of([20e6, 10e6]) };
    let judged = judged(&baseline(), &mut machine, &TERMS);
    assert_eq!(judged.iter().map(ruling).collect::<Vec<_>>(), [Some(Ruling::Inconclusive); 2]);
    assert_eq!(overall(&judged, &TERMS), Outlook::Inconclusive(2));
    assert!(row_sentence(&judged[0]).contains("not when measured again"), "{}", row_sentence(&judged[0]));
}

#[test]
fn other_programs_that_run_decide_nothing_about_the_machine() {
    let mut machine = Machine { busy: true, ..Machine::of([30e6, 10e6]) };
    let judged_busy = judged(&baseline(), &mut machine, &TERMS);
    assert_eq!(judged_busy.iter().map(ruling).collect::<Vec<_>>(), [Some(Ruling::Inconclusive), Some(Ruling::NotSlower)]);
    // What was measured beside others may hide that it takes longer.
    let mut then = baseline();
    then.rows.iter_mut().flat_map(|row| &mut row.processes).for_each(|process| process.busy = true);
    let quiet = judged(&then, &mut Machine::of([20e6, 10e6]), &TERMS);
    assert_eq!(quiet.iter().map(ruling).collect::<Vec<_>>(), [Some(Ruling::Inconclusive); 2]);
}

#[test]
fn a_changed_kernel_is_compared_with_its_own_text_and_not_with_times_of_then() {
    // The machine is twice as slow as it was, and so are both texts.
    let mut machine = Machine { stored_ns: 20e6, ..Machine::of([20e6, 20.2e6]) };
    let judged_same = judged(&with_other_text(), &mut machine, &TERMS);
    assert_eq!(ruling(&judged_same[1]), Some(Ruling::NotSlower), "{judged_same:?}");
    let mut machine = Machine { stored_ns: 20e6, busy: true, ..Machine::of([20e6, 23e6]) };
    let judged = judged(&with_other_text(), &mut machine, &TERMS);
    let Outcome::Compared(ratio) = &judged[1].outcome else { panic!("{judged:?}") };
    // Other programs disturb both of a pair.
    assert_eq!((ratio.ruling, &ratio.question), (Some(Ruling::Slower), &Question::Kernel));
    assert!((ratio.change.expect("a ratio").ratio - 1.15).abs() < 0.001, "{ratio:?}");
}

#[test]
fn a_text_that_does_not_run_as_it_did_is_told_and_times_are_compared() {
    let mut machine = Machine { refuses_stored: true, ..Machine::of([20e6, 10e6]) };
    let judged = judged(&with_other_text(), &mut machine, &TERMS);
    let Outcome::Compared(ratio) = &judged[1].outcome else { panic!("{judged:?}") };
    assert_eq!(ratio.ruling, Some(Ruling::NotSlower));
    assert!(row_sentence(&judged[1]).contains("does not run as it did") && row_sentence(&judged[1]).contains("9 arguments"));
}

#[test]
fn a_wrong_output_is_a_failure_whatever_it_takes() {
    let mut machine = Machine { wrong_from: 3, ..Machine::of([20e6, 1e6]) };
    let judged = judged(&baseline(), &mut machine, &TERMS);
    assert_eq!(overall(&judged, &TERMS), Outlook::Failed(2));
    // In a process of a baseline that is being made, too.
    let mut machine = Machine { wrong_from: 3, ..Machine::of([20e6, 10e6]) };
    let devices = machine.devices.clone();
    let error = save(bundle("A device", [20, 10]), None, &devices, 7, &mut machine, &()).expect_err("wrong");
    assert!(error.to_string().contains("No baseline was written"), "{error}");
}

#[test]
fn another_device_driver_or_processor_is_another_machine_and_a_name_is_none() {
    let baseline = baseline();
    let here = &baseline.fingerprint;
    let of = |change: fn(&mut DeviceInfo)| {
        let mut device = device("A device");
        change(&mut device);
        differences(&baseline, here, &[device]).len()
    };
    assert_eq!(of(|device| device.host = Some("lab".to_owned())), 0);
    assert_eq!(of(|device| device.index = 3), 0);
    for change in [
        (|device| device.driver_version += ".1") as fn(&mut DeviceInfo),
        |device| device.name += " 2",
        |device| device.platform_version += " beta",
        |device| device.compute_units += 1,
    ] {
        assert_eq!(of(change), 1);
    }
    let elsewhere = Fingerprint { cpu: Some("Another CPU".to_owned()), cores: Some(999), ..here.clone() };
    let found = differences(&baseline, &elsewhere, &[device("A device")]);
    assert!(found.len() == 2 && found[0].contains("Another CPU") && found[1].contains("999"), "{found:?}");
}

#[test]
fn across_machines_there_is_a_table_and_no_verdict() {
    let terms = Terms { is_across: true, ..TERMS };
    let mut machine = Machine::of([40e6, 30e6]);
    machine.devices = vec![device("Another device")];
    let baseline = with_other_text();
    let found = judged(&baseline, &mut machine, &terms);
    assert_eq!(overall(&found, &terms), Outlook::Across);
    assert_eq!(found.iter().map(ruling).collect::<Vec<_>>(), [None; 2]);
    let differences = differences(&baseline, &baseline.fingerprint, &machine.devices);
    let told = markdown::paint(&story(&baseline, &baseline.fingerprint, &differences, &terms, &found));
    assert!(told.contains("Another device") && told.contains("no verdict") && !told.contains("SLOWER"), "{told}");
}

#[test]
fn programs_are_told_the_same_as_people() {
    let baseline = baseline();
    let judged = judged(&baseline, &mut Machine::of([20e6, 11e6]), &TERMS);
    let warned =
        Fingerprint { power: Power { governor: Some("powersave".to_owned()), on_battery: Some(true) }, ..baseline.fingerprint.clone() };
    let mut then = baseline.clone();
    then.fingerprint.power = Power { governor: Some("performance".to_owned()), on_battery: Some(false) };
    let story = story(&then, &warned, &[], &TERMS, &judged);
    let told = story_json::paint(&story);
    let row = &told["tables"]["rows"][1];
    assert_eq!((&row["verdict"], &row["question"]), (&json!("SLOWER"), &json!("same text, then and now")), "{told}");
    assert!(row["ratio"]["low"].as_f64().expect("a number") > 1.09, "{row}");
    let text = markdown::paint(&story);
    assert!(text.contains("powersave") && text.contains("battery") && text.contains("Slower: 1 of 2 rows"), "{text}");
}

#[test]
fn what_is_written_is_read_and_what_is_new_is_kept() {
    let mut baseline = baseline();
    baseline.other.insert("novelty".to_owned(), json!({ "a": [1, 2] }));
    baseline.fingerprint.other.insert("fan".to_owned(), json!("loud"));
    baseline.rows[1].other.insert("energy_j".to_owned(), json!(0.5));
    baseline.rows[0].processes[0].other.insert("clock".to_owned(), json!(3));
    let text = text_of(&baseline).expect("written");
    let read = of_bytes(&"x.json", text.as_bytes()).expect("read");
    assert_eq!(read, baseline);
    assert_eq!(text_of(&read).expect("written"), text);
    // An editor may set it anew.
    let pretty = serde_json::to_string_pretty(&serde_json::from_str::<serde_json::Value>(&text).expect("JSON")).expect("JSON");
    assert_eq!(of_bytes(&"x.json", pretty.as_bytes()).expect("read"), baseline);
}

/// The same with another part, and with a sum that fits.
fn signed(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from}");
    let start = text.find("\"sha256\":\"").expect("a sum") + 10;
    let without = format!("{}{}", &text[..start], &text[start + 64..]);
    sealed(without.replacen(from, to, 1).trim_end())
}

#[test]
fn a_filter_that_was_brought_is_held_to_its_definition_of_then() {
    let baseline = baseline();
    let filter = |name: &str| {
        // The sum of the bundle within, and then that of the whole.
        let own = bundle::text_of(&baseline.bundle).expect("written");
        let own = own.trim_end();
        let changed = signed(own, "", "").replace("\"filter\":\"laplace\"", &format!("\"filter\":\"{name}\""));
        let changed = signed(changed.trim_end(), "", "");
        signed(&text_of(&baseline).expect("written"), own, changed.trim_end())
    };
    let old = of_bytes(&"x.json", filter("laplace@0123abcd").as_bytes()).expect("the filter of that name");
    assert_eq!(old.bundle, baseline.bundle);
    let error = of_bytes(&"x.json", filter("gone@0123abcd").as_bytes()).expect_err("not there").to_string();
    assert!(error.contains("gone@0123abcd") && error.contains("--filters"), "{error}");
    // One that was damaged is not made whole by that.
    let text = filter("laplace@0123abcd");
    let at = text.find("\"bundle\":").expect("within");
    let (before, within) = text.split_at(at);
    let damaged = signed(&format!("{before}{}", within.replacen("\"driver\"", "\"drover\"", 1)), "", "");
    assert!(of_bytes(&"x.json", damaged.as_bytes()).is_err());
}

#[test]
fn whatever_is_wrong_with_a_file_is_told() {
    let baseline = baseline();
    let text = text_of(&baseline).expect("written");
    let refused = |text: &str| of_bytes(&"x.json", text.as_bytes()).expect_err("not to be read").to_string();
    let bundle = bundle::text_of(&baseline.bundle).expect("written");
    for (file, told) in [
        (text[..text.len() / 2].to_owned(), "damaged"),
        (text.replacen("\"median_ns\":2", "\"median_ns\":3", 1), "checksum mismatch"),
        (bundle, "it is a bundle"),
        ("{}".to_owned(), "not a baseline of this program"),
        ("picture".to_owned(), "it is not JSON"),
        (signed(&text, "\"version\":1", "\"version\":2"), "formats up to 1"),
        (signed(&text, "\"median_ns\":2", "\"median_ns\":-2"), "out of range"),
        (signed(&text, "\"rows\":[{", "\"rows\":[{\"processes\":[]},{"), "3 rows and measurements of 2"),
    ] {
        assert!(refused(&file).contains(told), "'{told}' is not in: {}", refused(&file));
    }
    // Every cut and a flipped bit anywhere is noticed.
    for at in (0..text.len() - 1).step_by(997) {
        let mut bytes = text.clone().into_bytes();
        bytes[at] ^= 1;
        assert!(of_bytes(&"x.json", &bytes).is_err() && of_bytes(&"x.json", &text.as_bytes()[..at]).is_err(), "{at}");
    }
}

#[test]
fn the_power_state_is_read_where_there_is_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    };
    assert_eq!(Power::of(folder.path()), Power::default());
    write("devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    write("class/power_supply/BAT0/type", "Battery\n");
    assert_eq!(Power::of(folder.path()), Power { governor: Some("powersave".to_owned()), on_battery: None });
    write("class/power_supply/AC/type", "Mains\n");
    write("class/power_supply/AC/online", "0\n");
    assert_eq!(Power::of(folder.path()).on_battery, Some(true));
    write("class/power_supply/AC/online", "1\n");
    assert_eq!(Power::of(folder.path()).on_battery, Some(false));
}
