//! Tests of the tables, over made-up readings.

use super::page;
use super::planning::Place;
use super::proven;
use super::report::write_csv;
use super::report::{Entry, Group, as_json, render, significant};
use crate::testing::records::{measured, on_cpu, roofs};
use engine::Compared;
use engine::device::DeviceInfo;
use kernels::filters;
use kernels::filters::FilterIdExt as _;
use model::measure::{Comparison, Pair, Places, Verdict};
use model::{
    Contender, CpuEngine, FilterId, HostMemory, LocalSize, Machine, Measured, Outcome, PictureFacts, Record, RoundTrip, Shares, Summary,
};
use std::sync::Arc;
use view::story::{markdown, text};

/// So many pairs that came to `comparison`.
fn compared(comparison: Comparison, pairs: usize) -> Compared {
    let pair = Pair { first_ns: 1, second_ns: 1, first_place: 0, second_place: 0, start: 0 };
    Compared { comparison, pairs: vec![pair; pairs], places: Places::Shared, busy: false, code: None }
}

fn info() -> DeviceInfo {
    DeviceInfo { name: "A device".into(), platform: "A platform".into(), driver_version: "1.2".into(), ..DeviceInfo::example() }
}

fn entry(contender: Contender, place: Option<Place>, kernel_ns: u64) -> Entry {
    let kernel = Summary::of(vec![kernel_ns]);
    let round_trip = RoundTrip { total: Summary::of(vec![2 * kernel_ns]).expect("a sample"), ..RoundTrip::default() };
    let made = Measured { kernel, round_trip, bytes_moved: kernel_ns * 3, ..measured(1e6) };
    let reading = Record {
        contender,
        machine: Machine { device: "A processor".into(), driver: String::new(), program_version: "0.1.0".into(), alias: None },
        picture: PictureFacts { width_px: 2560, height_px: 1600, sha256: String::new() },
        outcome: Outcome::Measured(Box::new(made)),
        ..on_cpu(CpuEngine::Scalar, 1e6)
    };
    Entry { place, ..Entry::of(reading) }
}

fn group() -> Group {
    let ladder = &filters::by_name("laplace").expect("laplace").ladders()[0];
    let cpu = |engine, ns| entry(Contender::Cpu { engine, instructions: "AVX2".into() }, None, ns);
    let step = |index: usize, ns| {
        let contender = Contender::Device {
            variant: ladder.steps[index].variant(),
            local: LocalSize::Driver,
            local_used: None,
            host_memory: HostMemory::Copy,
        };
        entry(contender, Some(Place { ladder, index }), ns)
    };
    Group {
        device: info(),
        cpu: vec![cpu(CpuEngine::Scalar, 80_000_000), cpu(CpuEngine::Simd, 8_000_000), cpu(CpuEngine::Threads, 4_000_000)],
        entries: vec![step(0, 10_000_000), step(1, 2_000_000)],
        roofs: None,
    }
}

fn line_of<'a>(text: &'a str, start: &str, nth: usize) -> Vec<&'a str> {
    text.lines().filter(|line| line.starts_with(start)).nth(nth).expect(start).split_whitespace().collect()
}

/// The same, with the second step compared with the first as its guide compares it.
fn tested() -> Group {
    let mut group = group();
    let comparison = Comparison { ratio: 5.0, low: 4.9, high: 5.1, verdict: Verdict::Faster, starts: 7 };
    group.entries[1].tested = Some(Ok(compared(comparison, 40)));
    group
}

#[test]
fn speed_ups_are_against_each_competitor_and_the_first_row() {
    let text = render(&[group()], "generated picture");
    // 80, 8 and 4 ms over 2 ms; the first row's 10 ms over 2 ms.
    assert_eq!(line_of(&text, "2 Vectorize", 1)[3..], ["40.0×", "4.00×", "2.00×", "5.00×"], "{text}");
    assert_eq!(line_of(&text, "1 Original", 1)[3..], ["8.00×", "0.800×", "0.400×", "–"], "{text}");
}

#[test]
fn a_ladders_steps_stand_beside_what_was_published_and_claimed() {
    let text = render(&[tested()], "generated picture");
    // Over the CPU's 80 ms where the study's figure is over a CPU, else over the first row; published for 2560 × 1600.
    assert_eq!(line_of(&text, "1 Original", 2)[3..], ["10.0", "8.00×", "(CPU)", "0.7×", "(CPU)"], "{text}");
    let expected =
        "2.00 5.00× 1.3× Guide, “Optimisation 1 Results”; “Summary”: faster than step 1 (Original) confirmed 5.00× (4.90–5.10) 40";
    assert_eq!(line_of(&text, "2 Vectorize", 2)[3..].join(" "), expected, "{text}");
    assert!(text.contains("Source: ARM, GPU Compute on Mobile Devices: Mali-T604"), "{text}");
}

#[test]
fn what_could_not_be_tested_says_why() {
    let mut group = tested();
    group.entries[1].tested = Some(Err(base::error::Error::failed("A", "the first is too large", "B")));
    let text = render(&[group.clone()], "generated picture");
    assert!(
        text.contains("Guide, “Optimisation 1 Results”; “Summary”: faster than step 1 (Original)  not tested: the first is too large"),
        "{text}"
    );
    assert_eq!(as_json(&group.entries).expect("JSON")[1]["ladder"]["seen"], serde_json::Value::Null);
}

#[test]
fn our_own_claims_stand_apart_from_those_of_guides() {
    let own = FilterId::Laplace.filter().ladder("desktop-laplace").expect("the ladder");
    let mut ours = tested();
    for entry in &mut ours.entries {
        entry.place = entry.place.map(|place| Place { ladder: own, ..place });
    }
    // Measured first, and told last.
    let page = page::render(&[ours, tested()]);
    let places = [
        "**Claims of the guides**\n\n| ladder |",
        "| Mali-T600 Laplace | 1 |",
        "**Claims of this program only**\n\n| ladder |",
        "| Desktop GPU Laplace | 1 |",
        "## Mali-T600 Laplace",
        "Source: ARM",
        "| Guide, “Optimisation 1 Results”; “Summary”: faster than step 1 (Original) | confirmed |",
        "## Desktop GPU Laplace",
        "Source: Not from a guide: continues",
        "| Not from a guide: faster than step 1 (Where the guide stops) (published for 2048 × 2048, 3840 × 2160: not tried at its size) | confirmed |",
    ]
    .map(|words| page.find(words).unwrap_or_else(|| panic!("'{words}' is not in: {page}")));
    assert!(places.is_sorted(), "{places:?}: {page}");
    assert!(!page.contains("the guide says"), "{page}");
}

#[test]
fn a_page_counts_claims_and_has_a_table_for_each_size() {
    let mut reversed = tested();
    for entry in &mut reversed.entries {
        (entry.reading.picture.width_px, entry.reading.picture.height_px) = (64, 48);
    }
    let comparison = Comparison { ratio: 0.5, low: 0.4, high: 0.6, verdict: Verdict::Slower, starts: 7 };
    reversed.entries[1].tested = Some(Ok(compared(comparison, 12)));
    let page = page::render(&[tested(), reversed]);
    assert!(page.contains("| Mali-T600 Laplace | 2 | 1 | 0 | 1 | 0 | 0 |"), "{page}");
    assert_eq!(page.matches("\n## ").count(), 1, "{page}");
    for row in [
        "| 2 Vectorize | `padded+vectorize=5` | 2.00 | 5.00× | 1.3× | Guide, “Optimisation 1 Results”; “Summary”: faster than step 1 (Original) | confirmed | 5.00× (4.90–5.10) |",
        "| 2 Vectorize | `padded+vectorize=5` | 2.00 | 5.00× | 1.5× at 768 × 432 | Guide, “Optimisation 1 Results”; “Summary”: faster than step 1 (Original) (published for 768 × 432, 2560 × 1600, 2048 × 2048, 5760 × 3240, 7680 × 4320: not tried at its size) | reversed | 0.500× (0.400–0.600) |",
        "### 64 × 48 on A device",
    ] {
        assert!(page.contains(row), "'{row}' is not in: {page}");
    }
}

#[test]
fn data_of_claims_are_the_steps_that_were_compared() {
    let claims = super::claims_data::collect(&[tested()]).expect("measured");
    assert_eq!((claims.name().as_str(), claims.driver_version.as_str(), claims.steps.len()), ("A device", "1.2", 1));
    let step = &claims.steps[0];
    assert_eq!([step.ladder.as_str(), &step.step, &step.against], ["mali-t600", "vectorize", "original"]);
    assert_eq!((step.size_px, step.comparison.ratio, step.comparison.verdict), ([2560, 1600], 5.0, Verdict::Faster));
    // A step that nothing is claimed of is compared with the row above.
    let mut group = tested();
    group.entries[0].place = group.entries[0].place.map(|place| Place { index: 2, ..place });
    let compared = group.entries[1].tested.take();
    group.entries[1].compared = compared;
    group.entries[1].place = group.entries[1].place.map(|place| Place { index: 0, ..place });
    let step = super::claims_data::collect(&[group]).expect("measured").steps.remove(0);
    assert_eq!([step.step.as_str(), &step.against], ["original", "merged-loads"]);
    assert!(super::claims_data::collect(&[]).is_none());
}

#[test]
fn json_and_csv_have_the_claim_and_what_was_seen() {
    let group = tested();
    let rows = as_json(&group.entries).expect("JSON");
    assert_eq!((&rows[0]["ladder"]["claim"], &rows[0]["ladder"]["published"]), (&serde_json::Value::Null, &serde_json::json!(0.7)));
    assert_eq!((&rows[1]["ladder"]["claim"], &rows[1]["ladder"]["seen"]), (&"faster than step 1 (Original)".into(), &"confirmed".into()));
    assert_eq!(rows[1]["ladder"]["compared"]["pairs"], 40);
    let mut bytes = Vec::new();
    let entries: Vec<_> = group.cpu.iter().chain(&group.entries).cloned().collect();
    write_csv(&entries, &mut bytes).expect("written");
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    let header = reader.headers().expect("a header").clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("as long as the header")).collect();
    let column = |name: &str| header.iter().position(|column| column == name).expect(name);
    let cells = |row: usize| {
        ["variant", "ladder.name", "ladder.step", "ladder.seen", "ladder.compared.speed_up", "ladder.compared.pairs"]
            .map(|name| rows[row][column(name)].to_owned())
    };
    assert_eq!(rows.len(), 5);
    assert_eq!(cells(0), ["", "", "", "", "", ""]);
    assert_eq!(cells(4), ["padded+vectorize=5", "mali-t600", "2", "confirmed", "5.0", "40"]);
}

#[test]
fn rows_without_figures_say_why() {
    let mut group = group();
    group.entries[1].reading.outcome = Outcome::Unsupported("too large".into());
    let text = render(&[group], "generated picture");
    assert!(text.contains("2 Vectorize: padded+vectorize=5  unsupported: too large"), "{text}");
    assert_eq!(line_of(&text, "2 Vectorize", 1)[3..], ["–", "–", "–", "–"]);
}

#[test]
fn times_have_spread_and_bandwidth() {
    let text = render(&[group()], "generated picture");
    assert_eq!(
        line_of(&text, "1 Original", 0),
        ["1", "Original:", "naive", "10.0", "10.0-10.0", "1", "3.00", "–", "–", "20.0", "bit-exact"],
        "{text}"
    );
    assert!(text.contains("Device 0: A device (GPU, 4 units); A platform, driver 1.2"), "{text}");
}

#[test]
fn where_roofs_are_known_bandwidth_stands_beside_its_ceiling() {
    let mut group = group();
    group.roofs = Some(Arc::new(roofs()));
    for entry in &mut group.entries {
        if let Outcome::Measured(measured) = &mut entry.reading.outcome {
            measured.roofline = Shares::of(measured, &roofs());
        }
    }
    let text = render(&[group.clone()], "generated picture");
    assert!(text.contains("GB/s (copy: 100)"), "{text}");
    // 3 of 100 GB/s; operations are not counted.
    let expected = ["10.0", "10.0-10.0", "1", "3.00", "3", "%", "–", "–", "20.0", "–", "unknown", "bit-exact"];
    assert_eq!(line_of(&text, "1 Original", 0)[3..], expected, "{text}");
    // The roofs are not those of the processor.
    assert_eq!(line_of(&text, "CPU scalar", 0)[2..], ["80.0", "80.0-80.0", "1", "3.00", "–", "–", "–", "160", "–", "bit-exact"], "{text}");
    assert_eq!(as_json(&group.entries).expect("JSON")[0]["record"]["outcome"]["measured"]["roofline"]["bound"], "unknown");
}

#[test]
fn comparisons_have_a_verdict_in_table_and_json() {
    let mut group = group();
    let comparison = Comparison { ratio: 2.5, low: 2.4, high: 2.6, verdict: Verdict::Faster, starts: 7 };
    group.entries[1].compared = Some(Ok(compared(comparison, 40)));
    let text = render(&[group.clone()], "generated picture");
    assert_eq!(line_of(&text, "2 Vectorize", 3)[3..], ["FASTER", "2.50×", "(2.40–2.60)", "40"], "{text}");
    let rows = as_json(&group.entries).expect("JSON");
    assert_eq!(rows[0]["compared_with_row_above"], serde_json::Value::Null);
    assert_eq!(rows[1]["compared_with_row_above"]["verdict"], "FASTER");
}

#[test]
fn figures_have_three_significant_digits() {
    let figures = [1234.4, 99.96, 12.34, 9.999, 1.0, 0.9996, 0.5, 0.0516, 0.0];
    let texts = ["1234", "100", "12.3", "10.0", "1.00", "1.00", "0.500", "0.0516", "0.0000"];
    for (value, text) in figures.into_iter().zip(texts) {
        assert_eq!(significant(value), text);
    }
}

/// The same, whose second step was put to the test: one reason was refuted, the next one confirmed.
fn put_to_the_test() -> Group {
    let mut group = tested();
    let comparison = group.entries[1].tested.as_ref().and_then(|tested| tested.as_ref().ok()).expect("compared").comparison;
    group.entries[1].proven = Some(crate::testing::bundles::put_to_test(comparison));
    group
}

#[test]
fn steps_are_counted_by_their_experiments_and_what_was_refuted_is_listed_with_what_is_left() {
    let mut unexplained = put_to_the_test();
    unexplained.entries[1].proven.as_mut().expect("tested").truncate(1);
    let groups = [put_to_the_test(), unexplained];
    let text = text::paint(&proven::story(&groups));
    assert_eq!(line_of(&text, "mali-t600", 0), ["mali-t600", "1", "1", "0", "1", "0", "0", "0", "1", "0"], "{text}");
    assert_eq!(line_of(&text, "all", 0), ["all", "2", "1", "0", "1", "0", "0", "1", "2", "0"], "{text}");
    let of_step = "mali-t600, 2 Vectorize  5.00× (4.90–5.10)";
    for line in [
        &format!(
            "{of_step}  There are fewer loads: 27 → 1.8 per pixel  Confirmed here by an experiment: There is less arithmetic: 40 → 20 operations per pixel"
        ),
        &format!("{of_step}  There are fewer loads: 27 → 1.8 per pixel  unexplained"),
        of_step,
    ] {
        assert!(text.lines().any(|own| own == line), "'{line}' is not in: {text}");
    }
    let page = markdown::paint(&proven::story(&groups));
    for line in [
        "| ladder | steps | explained | identity | experiment | only consistent | only possible | unexplained | with a refuted reason | comparison inconclusive |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
        "| all | 2 | 1 | 0 | 1 | 0 | 0 | 1 | 2 | 0 |",
        "| mali-t600, 2 Vectorize | 5.00× (4.90–5.10) | There are fewer loads: 27 → 1.8 per pixel | Confirmed here by an experiment: There is less arithmetic: 40 → 20 operations per pixel |",
        "| mali-t600, 2 Vectorize | 5.00× (4.90–5.10) |",
    ] {
        assert!(page.lines().any(|own| own == line), "'{line}' is not in: {page}");
    }
}

#[test]
fn claims_and_json_have_the_experiments() {
    let group = put_to_the_test();
    let claims = super::claims_data::collect(std::slice::from_ref(&group)).expect("measured");
    let whys: Vec<_> = claims.steps[0].why.iter().map(|cited| (cited.rule.as_str(), cited.tested.is_some())).collect();
    assert_eq!((whys, claims.steps[0].is_put_to_test), (vec![("fewer-loads", true), ("fewer-operations", true)], true));
    let rows = as_json(&group.entries).expect("JSON");
    let one = &rows[1]["ladder"]["proven"][0];
    assert_eq!((&one["reason"]["rule"], &one["tested"]["Ok"]["conclusion"]), (&"fewer-loads".into(), &"refuted".into()));
    // On the page each reason stands with its experiment.
    let page = page::render(&[group]);
    assert!(page.contains("Refuted here: There are fewer loads: 27 → 1.8 per pixel<br>Experiment: "), "{page}");
}
