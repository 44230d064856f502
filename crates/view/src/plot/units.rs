//! Figures as people read them: three significant digits and a unit.

use base::texts;
use model::measure::{Comparison, Verdict};
use model::{Counts, Level, Shares};
use serde::{Deserialize, Serialize};
use std::fmt::Display;

/// What a number counts, and how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// A number of something.
    Count,
    /// Nanoseconds, written with a unit that fits.
    Time,
    /// Nanoseconds, written as milliseconds without a unit: the head of the column says it.
    Milliseconds,
    /// How many times as fast.
    Ratio,
    /// Bytes per nanosecond.
    Bandwidth,
}

impl Unit {
    /// A number of it.
    #[must_use]
    pub fn text(self, value: f64) -> String {
        self.writer()(value)
    }

    /// What writes numbers of it.
    #[must_use]
    pub fn writer(self) -> fn(f64) -> String {
        match self {
            Self::Count => number,
            Self::Time => time,
            Self::Milliseconds => |ns| significant(ns / 1e6),
            Self::Ratio => speed_up,
            Self::Bandwidth => bandwidth,
        }
    }

    /// A number of it with its interval: middle, low, high.
    #[must_use]
    pub fn between(self, [middle, low, high]: [f64; 3]) -> String {
        match self {
            Self::Ratio => speed_up_between(middle, low, high),
            Self::Time => time_between(middle, low, high),
            Self::Count | Self::Milliseconds | Self::Bandwidth => {
                let [middle, low, high] = [middle, low, high].map(|value| self.text(value));
                texts::filled("words.between.time", &[("middle", &middle), ("least", &low), ("most", &high)])
            }
        }
    }
}

/// `value` with three significant digits, without trailing zeros ("12.4", "0.5", "1 240").
fn three_digits(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".to_owned() } else { "–".to_owned() };
    }
    let decimals = (2 - magnitude(value)).clamp(0, 9);
    let text = format!("{value:.*}", usize::try_from(decimals).unwrap_or(0));
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Power of ten of the first digit, after rounding to three digits, so that 999.96 counts as 1000.
fn magnitude(value: f64) -> i32 {
    let exponent = value.abs().log10().floor() as i32;
    let rounded = (value.abs() / 10f64.powi(exponent - 2)).round();
    if rounded >= 1000.0 { exponent + 1 } else { exponent }
}

/// Three significant digits, and never fewer than the whole number has: figures below each other in a table.
#[must_use]
pub fn significant(value: f64) -> String {
    let decimals = match value.abs() {
        magnitude if magnitude >= 99.95 => 0,
        magnitude if magnitude >= 9.995 => 1,
        magnitude if magnitude >= 0.9995 => 2,
        magnitude if magnitude >= 0.099_95 => 3,
        _ => 4,
    };
    format!("{value:.decimals$}")
}

/// A count as "155,648".
#[must_use]
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Any number as "27", "1.81" or "155,648".
#[must_use]
pub fn number(value: f64) -> String {
    if (10_000.0..1e15).contains(&value) { grouped(value.round() as usize) } else { three_digits(value) }
}

/// Nanoseconds as "850 ns", "12.4 µs", "3.07 ms" or "1.2 s".
#[must_use]
pub fn time(nanoseconds: f64) -> String {
    if nanoseconds == 0.0 {
        return "0 ns".to_owned();
    }
    let power = magnitude(nanoseconds);
    let (divisor, unit) = match power {
        ..=2 => (1.0, "ns"),
        3..=5 => (1e3, "µs"),
        6..=8 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    format!("{} {unit}", three_digits(nanoseconds / divisor))
}

/// A time with its interval as "1.9 ms (1.8 ms to 2 ms)", or "1.9 ms" where the ends are equal.
#[must_use]
pub fn time_between(middle: f64, least: f64, most: f64) -> String {
    let [middle, least, most] = [middle, least, most].map(time);
    if least == most {
        return middle;
    }
    let values: [(&str, &dyn Display); 3] = [("middle", &middle), ("least", &least), ("most", &most)];
    texts::filled("words.between.time", &values)
}

/// A ratio as "3.5×".
#[must_use]
pub fn speed_up(ratio: f64) -> String {
    format!("{}×", three_digits(ratio))
}

/// A ratio with its interval as "0.180× (0.171–0.190)": three significant digits of the ratio, and as many decimals for the ends; "2.50×" where the ends
/// are then equal; words where there is no ratio.
#[must_use]
pub fn speed_up_between(ratio: f64, low: f64, high: f64) -> String {
    if ![ratio, low, high].iter().all(|value| value.is_finite() && *value > 0.0) {
        return texts::text("words.comparison.invalid").to_owned();
    }
    let decimals = usize::try_from((2 - magnitude(ratio)).clamp(0, 9)).unwrap_or(0);
    let [middle, least, most] = [ratio, low, high].map(|value| format!("{value:.decimals$}"));
    if least == most {
        return format!("{middle}×");
    }
    let values: [(&str, &dyn Display); 3] = [("middle", &middle), ("least", &least), ("most", &most)];
    texts::filled("words.between.ratio", &values)
}

/// The speed of the second of two that were compared, with that of the first as 1: "0.180× (0.171–0.190)". The one wording of a comparison, whether it
/// decides anything or not; its verdict is told beside it, see [`verdict`].
#[must_use]
pub fn comparison(comparison: &Comparison) -> String {
    speed_up_between(comparison.ratio, comparison.low, comparison.high)
}

/// `words`, with a note where the comparison is of one run of the program: another run may say something else.
#[must_use]
pub fn with_starts(words: String, comparison: &Comparison) -> String {
    texts::joined("words.list.items", std::iter::once(words).chain(comparison.one_run().map(str::to_owned)))
}

/// The same, for where no verdict stands beside it: "1.05× (0.90–1.20), inconclusive", with the note of [`with_note`].
#[must_use]
pub fn outcome(compared: &Comparison, is_busy: bool) -> String {
    let words = comparison(compared);
    let words = match compared.verdict {
        Verdict::Unclear if compared.ratio > 0.0 => texts::filled("words.comparison.undecided", &[("words", &words)]),
        _ => words,
    };
    with_note(&words, is_busy)
}

/// What the interval says, with the note of [`with_note`]: "FASTER (other programs were running)".
#[must_use]
pub fn verdict(verdict: Verdict, is_busy: bool) -> String {
    if is_busy { texts::filled("words.comparison.verdict-busy", &[("verdict", &verdict.label())]) } else { verdict.label().to_owned() }
}

/// `words`, with a note where other programs ran meanwhile: they widen an interval, and do not forbid an answer.
#[must_use]
pub fn with_note(words: &str, is_busy: bool) -> String {
    if is_busy { texts::filled("words.comparison.busy", &[("words", &words)]) } else { words.to_owned() }
}

/// The value with five significant digits: more than any text shows, for files that people read, too.
#[must_use]
pub fn rounded(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

/// Bandwidth beside its ceiling: "16.1 of 25 GB/s (64 %)".
#[must_use]
pub fn of_roof(shares: &Shares) -> String {
    part_of_roof(shares.gb_per_s, shares.roof_gb_per_s)
}

/// The same of two rates in GB/s.
#[must_use]
pub fn part_of_roof(rate: f64, roof: f64) -> String {
    let [rate, roof, share] = [three_digits(rate), bandwidth(roof), whole_percent(rate / roof)];
    texts::filled("studies.shares.of-roof", &[("rate", &rate), ("roof", &roof), ("share", &share)])
}

/// What bounds a kernel, with the shares that say so: "memory: 64 % of the copy roof, 20 % of the arithmetic roof by operations counted in the source
/// (mostly: Integer additions)".
#[must_use]
pub fn bound(shares: &Shares) -> String {
    let key = if shares.is_cached { "studies.shares.of-cache" } else { "studies.shares.of-copy" };
    let memory = texts::filled(key, &[("bound", &shares.bound.label()), ("memory", &whole_percent(shares.memory))]);
    let Some(share) = shares.arithmetic else { return memory };
    let bound = texts::filled("studies.shares.with-arithmetic", &[("memory", &memory), ("share", &whole_percent(share))]);
    match shares.arithmetic_roof {
        Some(class) => texts::filled("studies.shares.mostly", &[("bound", &bound), ("class", &class.label())]),
        None => bound,
    }
}

/// A share, of which 1 is all, in whole percent without the sign.
#[must_use]
pub fn whole_percent(share: f64) -> String {
    format!("{:.0}", 100.0 * share)
}

/// Bytes per nanosecond as "16.1 GB/s".
#[must_use]
pub fn bandwidth(gigabytes_per_second: f64) -> String {
    format!("{} GB/s", three_digits(gigabytes_per_second))
}

/// Operations per nanosecond as "16.1 Gop/s" or "31.1 Top/s".
#[must_use]
pub fn operations_rate(per_nanosecond: f64) -> String {
    if per_nanosecond < 999.5 {
        format!("{} Gop/s", three_digits(per_nanosecond))
    } else {
        format!("{} Top/s", three_digits(per_nanosecond / 1e3))
    }
}

/// "Reads, 32 KiB", in a chart.
#[must_use]
pub fn level_short(level: &Level) -> String {
    match level.bytes {
        Some(bytes) => texts::filled("studies.roof.level-short", &[("bytes", &binary_bytes(bytes as u64))]),
        None => texts::text("studies.roof.level-last").to_owned(),
    }
}

/// "Reads of up to 32 KiB per compute unit", "Reads of more".
#[must_use]
pub fn level(level: &Level) -> String {
    match level.bytes {
        Some(bytes) => texts::filled("studies.roof.level", &[("bytes", &binary_bytes(bytes as u64))]),
        None => texts::text("studies.roof.level-last").to_owned(),
    }
}

/// In the largest binary unit that leaves a whole number or one decimal: 48 KiB, 1.5 GiB.
#[must_use]
pub fn binary_bytes(count: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    let power = units.len().min((count.max(1).ilog2() / 10) as usize);
    let value = count as f64 / 1024_f64.powi(i32::try_from(power).unwrap_or(0));
    let Some(unit) = power.checked_sub(1).and_then(|index| units.get(index)) else {
        return texts::filled("words.bytes", &[("count", &count)]);
    };
    if value.fract() == 0.0 { format!("{value:.0} {unit}") } else { format!("{value:.1} {unit}") }
}

/// Memory operations as "0.375 loads, 0.125 stores per pixel".
#[must_use]
pub fn memory_operations(counts: &Counts) -> String {
    let loads = counted(counts.loads, ["words.count.load", "words.count.loads"]);
    let stores = counted(counts.stores, ["words.count.store", "words.count.stores"]);
    texts::filled("words.count.memory", &[("loads", &loads), ("stores", &stores)])
}

/// Bytes of memory operations as "27 bytes loaded, 3 stored per pixel".
#[must_use]
pub fn memory_bytes(counts: &Counts) -> String {
    let loaded = counted(counts.loaded_bytes, ["words.count.byte", "words.count.bytes"]);
    texts::filled("words.count.moved", &[("loaded", &loaded), ("stored", &three_digits(counts.stored_bytes))])
}

/// Arithmetic as "54 arithmetic operations per pixel".
#[must_use]
pub fn arithmetic(counts: &Counts) -> String {
    let operations = counted(counts.operations, ["words.count.operation", "words.count.operations"]);
    texts::filled("words.count.arithmetic", &[("operations", &operations)])
}

/// "1 load", "0.5 loads", by the keys of one and of several.
fn counted(count: f64, [one, several]: [&'static str; 2]) -> String {
    let digits = three_digits(count);
    texts::filled(if digits == "1" { one } else { several }, &[("count", &digits)])
}

#[cfg(test)]
mod tests {
    use super::{
        arithmetic, bandwidth, binary_bytes, bound, comparison, grouped, memory_bytes, memory_operations, number, of_roof, operations_rate,
        outcome, speed_up, speed_up_between, time, time_between, verdict,
    };
    use model::measure::{Comparison, Verdict};
    use model::{OperationClass, Shares};

    #[test]
    fn times_have_three_digits_and_the_unit_that_fits() {
        let cases = [
            (0.0, "0 ns"),
            (0.4, "0.4 ns"),
            (850.0, "850 ns"),
            (999.6, "1 µs"),
            (12_400.0, "12.4 µs"),
            (3_072_000.0, "3.07 ms"),
            (999_960_000.0, "1 s"),
            (1_200_000_000.0, "1.2 s"),
            (123_456_000_000.0, "123 s"),
        ];
        for (nanoseconds, text) in cases {
            assert_eq!(time(nanoseconds), text);
        }
    }

    #[test]
    fn a_time_has_its_interval_once() {
        assert_eq!(time_between(1.9e6, 1.8e6, 2e6), "1.9 ms (1.8 ms to 2 ms)");
        assert_eq!(time_between(1.9e6, 1.9e6, 1.9001e6), "1.9 ms");
    }

    #[test]
    fn large_counts_are_grouped() {
        assert_eq!([27.0, 1.8125, 155_648.0].map(number), ["27", "1.81", "155,648"]);
        assert_eq!((grouped(7), grouped(1000), grouped(1_234_567)), ("7".into(), "1,000".into(), "1,234,567".into()));
    }

    #[test]
    fn counts_of_memory_operations() {
        let counts =
            model::Counts { loads: 3.0 / 8.0, loaded_bytes: 6.75, stores: 1.0 / 16.0, stored_bytes: 1.0, ..model::Counts::default() };
        assert_eq!(memory_operations(&counts), "0.375 loads, 0.0625 stores per pixel");
        assert_eq!(memory_bytes(&counts), "6.75 bytes loaded, 1 stored per pixel");
        let counts = model::Counts { loads: 1.0, loaded_bytes: 1.0, stores: 1.0, stored_bytes: 1.0, ..model::Counts::default() };
        assert_eq!(memory_operations(&counts), "1 load, 1 store per pixel");
        assert_eq!(memory_bytes(&counts), "1 byte loaded, 1 stored per pixel");
        assert_eq!(arithmetic(&model::Counts { operations: 54.0, ..counts }), "54 arithmetic operations per pixel");
    }

    #[test]
    fn a_comparison_has_one_unit_and_one_wording() {
        let told = |ratio: f64, low: f64, high: f64| comparison(&Comparison { ratio, low, high, verdict: Verdict::Unclear, starts: 1 });
        assert_eq!(told(0.18, 0.171, 0.19), "0.180× (0.171–0.190)");
        assert_eq!(told(6.51, 6.44, 6.57), "6.51× (6.44–6.57)");
        assert_eq!(told(12.34, 9.876, 15.5), "12.3× (9.9–15.5)");
        assert_eq!(told(1234.0, 1200.4, 1300.0), "1234× (1200–1300)");
        // Three digits of the ratio, rounded: 0.9996 is 1.00, and its ends have as many decimals.
        assert_eq!(told(0.9996, 0.5, 1.2), "1.00× (0.50–1.20)");
        // Ends that are equal are not told twice.
        assert_eq!([told(1.63, 1.6301, 1.6299), told(1.0, 1.0, 1.0)], ["1.63×", "1.00×"]);
        assert_eq!(told(0.0, 0.0, 0.0), "no ratio: the times are invalid or too unstable");
    }

    #[test]
    fn other_programs_are_a_note_beside_the_verdict() {
        assert_eq!(verdict(Verdict::Faster, true), "FASTER (other programs were running)");
        assert_eq!(verdict(Verdict::Faster, false), "FASTER");
        let told = |verdict, is_busy| outcome(&Comparison { ratio: 1.5, low: 1.4, high: 1.6, verdict, starts: 1 }, is_busy);
        assert_eq!(told(Verdict::Faster, true), "1.50× (1.40–1.60), other programs were running");
        assert_eq!(told(Verdict::Unclear, true), "1.50× (1.40–1.60), inconclusive, other programs were running");
        assert_eq!(told(Verdict::Unclear, false), "1.50× (1.40–1.60), inconclusive");
        let nothing = Comparison { ratio: 0.0, low: 0.0, high: 0.0, verdict: Verdict::Unclear, starts: 1 };
        assert_eq!(outcome(&nothing, false), "no ratio: the times are invalid or too unstable");
    }

    #[test]
    fn memory_is_told_in_binary_units() {
        for (count, text) in [(0, "0 bytes"), (1023, "1023 bytes"), (49152, "48 KiB"), (1 << 20, "1 MiB"), (3 << 29, "1.5 GiB")] {
            assert_eq!(binary_bytes(count), text);
        }
    }

    #[test]
    fn ratios_and_bandwidths() {
        assert_eq!(speed_up_between(2.5, 2.25, 2.749), "2.50× (2.25–2.75)");
        assert_eq!(speed_up(3.504), "3.5×");
        assert_eq!(speed_up(0.0123), "0.0123×");
        assert_eq!(speed_up(1234.0), "1234×");
        assert_eq!(speed_up(f64::INFINITY), "–×");
        assert_eq!(bandwidth(16.06), "16.1 GB/s");
        assert_eq!(bandwidth(3860.0), "3860 GB/s");
        assert_eq!([0.5, 16.06, 31_100.0].map(operations_rate), ["0.5 Gop/s", "16.1 Gop/s", "31.1 Top/s"]);
        let shares = Shares::of(&crate::testing::records::measured(150_000.0), &crate::testing::records::roofs()).expect("roofs");
        assert_eq!(of_roof(&shares), "80 of 100 GB/s (80 %)");
        assert_eq!(bound(&shares), "memory, at the roof: 80 % of the copy roof");
        let compares = Shares { arithmetic: Some(0.4), arithmetic_roof: Some(OperationClass::IntegerMinMax.roof()), ..shares };
        let counted = "memory, at the roof: 80 % of the copy roof, 40 % of the arithmetic roof by operations counted in the source";
        assert_eq!(bound(&compares), format!("{counted} (mostly: Integer min and max)"));
    }
}
