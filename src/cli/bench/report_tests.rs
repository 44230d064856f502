//! Tests of the tables, over made-up readings.

use super::report::{Entry, Group, as_json, render, significant};
use crate::cpu::CpuEngine;
use crate::device::{DeviceInfo, HostMemory, LocalSize};
use crate::engine::Compared;
use crate::filters;
use crate::image::{BorderMode, Channels};
use crate::measure::{BuildFrom, Comparison, Contender, Measured, Reading, ReadingState, Summary, Verdict, Verification};

fn info() -> DeviceInfo {
    DeviceInfo { name: "A device".into(), platform: "A platform".into(), driver_version: "1.2".into(), ..DeviceInfo::example() }
}

fn entry(contender: Contender, step: Option<usize>, kernel_ns: u64) -> Entry {
    let verification = Verification { differing_pixels: 0, total_pixels: 1, max_difference: 0, first_differing: None, tolerance: 0 };
    let state = ReadingState::Measured(Box::new(Measured {
        passes: Vec::new(),
        counts: None,
        kernel: Summary::of(vec![kernel_ns]),
        upload: None,
        readback: None,
        round_trip: Summary::of(vec![2 * kernel_ns]).expect("a sample"),
        build_ns: None,
        build_from: BuildFrom::Nothing,
        bytes_moved: kernel_ns * 3,
        verification,
        discarded_share: 0.0,
        warm_cache: false,
        busy: false,
    }));
    let reading = Reading {
        filter: "laplace".into(),
        contender,
        device: "A processor".into(),
        driver: String::new(),
        program_version: "0.1.0".into(),
        width_px: 2560,
        height_px: 1600,
        channels: Channels::Rgb,
        border: BorderMode::Copy,
        date: "2026-01-02T03:04:05Z".into(),
        state,
    };
    Entry { reading, step, compared: None }
}

fn group() -> Group {
    let ladder = &filters::by_name("laplace").expect("laplace").ladders[0];
    let cpu = |engine, ns| entry(Contender::Cpu { engine, instructions: "AVX2".into() }, None, ns);
    let step = |index: usize, ns| {
        let contender = Contender::Device {
            variant: ladder.steps[index].variant(),
            local: LocalSize::Driver,
            local_used: None,
            host_memory: HostMemory::Copy,
        };
        entry(contender, Some(index), ns)
    };
    Group {
        device: info(),
        cpu: vec![cpu(CpuEngine::Scalar, 80_000_000), cpu(CpuEngine::Simd, 8_000_000), cpu(CpuEngine::Threads, 4_000_000)],
        entries: vec![step(0, 10_000_000), step(1, 2_000_000)],
    }
}

fn line_of<'a>(text: &'a str, start: &str, nth: usize) -> Vec<&'a str> {
    text.lines().filter(|line| line.starts_with(start)).nth(nth).expect(start).split_whitespace().collect()
}

#[test]
fn speed_ups_are_against_each_competitor_and_the_first_row() {
    let ladder = &filters::by_name("laplace").expect("laplace").ladders[0];
    let text = render(&[group()], "generated picture", Some(ladder));
    // 80, 8 and 4 ms over 2 ms; the first row's 10 ms over 2 ms; ×1.3 at 2560 × 1600.
    let line = line_of(&text, "1 Vectorize", 1);
    assert_eq!(line[3..], ["x40.0", "x4.00", "x2.00", "x5.00", "x1.3", "over", "its", "first", "step"], "{text}");
    let original = line_of(&text, "Original", 1);
    assert_eq!(original[2..], ["x8.00", "x0.800", "x0.400", "x1.00", "x0.7", "over", "the", "study's", "CPU"], "{text}");
}

#[test]
fn rows_without_figures_say_why() {
    let mut group = group();
    group.entries[1].reading.state = ReadingState::Unsupported("too large".into());
    let text = render(&[group], "generated picture", None);
    assert!(text.contains("padded+vectorize=5  unsupported: too large"), "{text}");
    assert_eq!(line_of(&text, "padded", 1)[1..], ["-", "-", "-", "-"]);
}

#[test]
fn times_have_spread_and_bandwidth() {
    let text = render(&[group()], "generated picture", None);
    assert_eq!(line_of(&text, "naive", 0), ["naive", "10.0", "10.0-10.0", "1", "3.00", "-", "-", "20.0", "bit-exact"], "{text}");
    assert!(text.contains("Device 0: A device (GPU, 4 units); A platform, driver 1.2"), "{text}");
}

#[test]
fn comparisons_have_a_verdict_in_table_and_json() {
    let mut group = group();
    let comparison = Comparison { ratio: 2.5, low: 2.4, high: 2.6, verdict: Verdict::Faster };
    group.entries[1].compared = Some(Ok(Compared { comparison, pairs: 40, busy: false }));
    let text = render(&[group.clone()], "generated picture", None);
    assert_eq!(line_of(&text, "padded", 2)[1..], ["FASTER", "x2.50", "2.40-2.60", "40"], "{text}");
    let readings: Vec<_> = group.entries.iter().map(|entry| entry.reading.clone()).collect();
    let compared: Vec<_> = group.entries.iter().map(|entry| entry.compared.clone()).collect();
    let rows = as_json(&readings, &compared).expect("JSON");
    assert_eq!(rows[0].get("compared_with_row_above"), None);
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
