//! Figures as people read them: three significant digits and a unit.

use crate::measure::{Comparison, Verdict};
use crate::model::{Counts, Shares};
use crate::texts;
use std::fmt::Display;

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

/// A ratio as "3.5×".
#[must_use]
pub fn speed_up(ratio: f64) -> String {
    format!("{}×", three_digits(ratio))
}

/// A ratio with its interval as "3.5× (3.2 to 3.9)"; words where there is none.
#[must_use]
pub fn speed_up_between(ratio: f64, low: f64, high: f64) -> String {
    if ![ratio, low, high].iter().all(|value| value.is_finite() && *value > 0.0) {
        return texts::text("words.comparison.invalid").to_owned();
    }
    let values: [(&str, &dyn Display); 3] =
        [("middle", &three_digits(ratio)), ("least", &three_digits(low)), ("most", &three_digits(high))];
    texts::filled("words.between.ratio", &values)
}

/// What became of the second of two that were compared, in words: "25 % faster (20 to 31 %)", "takes 2.1 times as long (1.9 to 2.3 times)", "no
/// difference (1 % slower to 1 % faster)"; "between 5 % slower and 8 % faster", "perhaps 3 to 8 % faster" where the comparison does not decide.
///
/// Slower is told by the time that it takes more, faster by the work that it does more in the same time: 1.25 times the speed is 25 % faster, 1.25 times
/// the time is 25 % slower.
#[must_use]
pub fn in_words(comparison: &Comparison) -> String {
    let &Comparison { ratio, low, high, verdict, .. } = comparison;
    if ![ratio, low, high].iter().all(|value| value.is_finite() && *value > 0.0) {
        return texts::text("words.comparison.invalid").to_owned();
    }
    let between =
        |key, middle: String, least: String, most: String| texts::filled(key, &[("middle", &middle), ("least", &least), ("most", &most)]);
    let ends = |key, least: String, most: String| texts::filled(key, &[("least", &least), ("most", &most)]);
    // How much slower rises as the ratio falls.
    let (time, least_time, most_time) = (1.0 / ratio, 1.0 / high, 1.0 / low);
    match verdict {
        Verdict::Faster if ratio >= 2.0 => {
            between("words.comparison.times-as-fast", three_digits(ratio), three_digits(low), three_digits(high))
        }
        Verdict::Faster => {
            let [middle, least, most] = percents([ratio, low, high]);
            between("words.comparison.faster", middle, least, most)
        }
        Verdict::Slower if ratio <= 0.5 => {
            between("words.comparison.times-as-long", three_digits(time), three_digits(least_time), three_digits(most_time))
        }
        Verdict::Slower => {
            let [middle, least, most] = percents([time, least_time, most_time]);
            between("words.comparison.slower", middle, least, most)
        }
        Verdict::Same => ends("words.comparison.same", side(low), side(high)),
        Verdict::Unclear if low >= 2.0 => ends("words.comparison.perhaps-times-as-fast", three_digits(low), three_digits(high)),
        Verdict::Unclear if low > 1.0 => ends("words.comparison.perhaps-faster", percent(low), percent(high)),
        Verdict::Unclear if high < 1.0 => ends("words.comparison.perhaps-slower", percent(least_time), percent(most_time)),
        Verdict::Unclear => ends("words.comparison.unclear", side(low), side(high)),
    }
}

/// The same with a note where it is of one run of the program: another run may say something else.
#[must_use]
pub fn with_starts(words: String, comparison: &Comparison) -> String {
    texts::joined("words.list.items", std::iter::once(words).chain(comparison.one_run().map(str::to_owned)))
}

/// One end of an interval: "5 % slower", "8 % faster", "equal".
fn side(ratio: f64) -> String {
    let (over, key) = if ratio < 1.0 { (1.0 / ratio, "words.comparison.side-slower") } else { (ratio, "words.comparison.side-faster") };
    match percent(over).as_str() {
        "0" => texts::text("words.comparison.side-equal").to_owned(),
        percent => texts::filled(key, &[("percent", &percent)]),
    }
}

/// An estimate and the ends of its interval, see [`percent`]; in tenths where only they tell the ends apart: "9.0, 8.8, 9.3" for "9, 9, 9".
fn percents(ratios: [f64; 3]) -> [String; 3] {
    let (coarse, fine) = (ratios.map(percent), ratios.map(|ratio| format!("{:.1}", (ratio - 1.0) * 100.0)));
    if coarse[1] == coarse[2] && fine[1] != fine[2] { fine } else { coarse }
}

/// By how many percent a ratio of at least 1 is more than 1; halves of a percent count only below ten.
fn percent(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    if percent < 9.95 { three_digits((percent * 2.0).round() / 2.0) } else { format!("{percent:.0}") }
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

/// What bounds a kernel, with the shares that say so: "memory: 64 % of copy, 20 % of arithmetic by operations counted in the source".
#[must_use]
pub fn bound(shares: &Shares) -> String {
    let key = if shares.is_cached { "studies.shares.of-cache" } else { "studies.shares.of-copy" };
    let memory = texts::filled(key, &[("bound", &shares.bound.label()), ("memory", &whole_percent(shares.memory))]);
    match shares.arithmetic {
        Some(share) => texts::filled("studies.shares.with-arithmetic", &[("memory", &memory), ("share", &whole_percent(share))]),
        None => memory,
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
        arithmetic, bandwidth, binary_bytes, bound, grouped, in_words, memory_bytes, memory_operations, number, of_roof, operations_rate,
        speed_up, speed_up_between, time,
    };
    use crate::measure::{Comparison, Verdict};
    use crate::model::Shares;

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
    fn large_counts_are_grouped() {
        assert_eq!([27.0, 1.8125, 155_648.0].map(number), ["27", "1.81", "155,648"]);
        assert_eq!((grouped(7), grouped(1000), grouped(1_234_567)), ("7".into(), "1,000".into(), "1,234,567".into()));
    }

    #[test]
    fn counts_of_memory_operations() {
        let counts = crate::model::Counts {
            loads: 3.0 / 8.0,
            loaded_bytes: 6.75,
            stores: 1.0 / 16.0,
            stored_bytes: 1.0,
            ..crate::model::Counts::default()
        };
        assert_eq!(memory_operations(&counts), "0.375 loads, 0.0625 stores per pixel");
        assert_eq!(memory_bytes(&counts), "6.75 bytes loaded, 1 stored per pixel");
        let counts =
            crate::model::Counts { loads: 1.0, loaded_bytes: 1.0, stores: 1.0, stored_bytes: 1.0, ..crate::model::Counts::default() };
        assert_eq!(memory_operations(&counts), "1 load, 1 store per pixel");
        assert_eq!(memory_bytes(&counts), "1 byte loaded, 1 stored per pixel");
        assert_eq!(arithmetic(&crate::model::Counts { operations: 54.0, ..counts }), "54 arithmetic operations per pixel");
    }

    #[test]
    fn a_comparison_is_told_as_a_person_would() {
        let told = |ratio: f64, low: f64, high: f64, verdict: Verdict| in_words(&Comparison { ratio, low, high, verdict, starts: 1 });
        assert_eq!(told(1.25, 1.2, 1.31, Verdict::Faster), "25 % faster (20 to 31 %)");
        // Two ends are two numbers.
        assert_eq!(told(1.0904, 1.088, 1.0921, Verdict::Faster), "9.0 % faster (8.8 to 9.2 %)");
        assert_eq!(told(1.0 / 1.25, 1.0 / 1.252, 1.0 / 1.248, Verdict::Slower), "25.0 % slower (24.8 to 25.2 %)");
        assert_eq!(told(2.1, 1.9, 2.3, Verdict::Faster), "2.1 times as fast (1.9 to 2.3 times)");
        // Five quarters of the time are 25 % slower; the greatest ratio is the least loss.
        assert_eq!(told(0.8, 0.75, 0.9, Verdict::Slower), "25 % slower (11 to 33 %)");
        assert_eq!(told(0.4, 0.25, 0.5, Verdict::Slower), "takes 2.5 times as long (2 to 4 times)");
        assert_eq!(told(1.0, 0.99, 1.012, Verdict::Same), "no difference (1 % slower to 1 % faster)");
        assert_eq!(told(1.0, 0.999, 1.04, Verdict::Unclear), "between equal and 4 % faster");
        assert_eq!(told(1.9, 1.5, 2.35, Verdict::Unclear), "perhaps 50 to 135 % faster");
        assert_eq!(told(0.8, 0.75, 0.9, Verdict::Unclear), "perhaps 11 to 33 % slower");
        assert_eq!(told(1.0, 0.744, 1.43, Verdict::Unclear), "between 34 % slower and 43 % faster");
        assert_eq!(told(0.0, 0.0, 0.0, Verdict::Unclear), "no ratio: the times are not valid, or too unsteady");
    }

    #[test]
    fn memory_is_told_in_binary_units() {
        for (count, text) in [(0, "0 bytes"), (1023, "1023 bytes"), (49152, "48 KiB"), (1 << 20, "1 MiB"), (3 << 29, "1.5 GiB")] {
            assert_eq!(binary_bytes(count), text);
        }
    }

    #[test]
    fn ratios_and_bandwidths() {
        assert_eq!(speed_up_between(2.5, 2.25, 2.749), "2.5× (2.25 to 2.75)");
        assert_eq!(speed_up(3.504), "3.5×");
        assert_eq!(speed_up(0.0123), "0.0123×");
        assert_eq!(speed_up(1234.0), "1234×");
        assert_eq!(speed_up(f64::INFINITY), "–×");
        assert_eq!(bandwidth(16.06), "16.1 GB/s");
        assert_eq!(bandwidth(3860.0), "3860 GB/s");
        assert_eq!([0.5, 16.06, 31_100.0].map(operations_rate), ["0.5 Gop/s", "16.1 Gop/s", "31.1 Top/s"]);
        let shares = Shares::of(&crate::testing::records::measured(150_000.0), &crate::testing::records::roofs()).expect("roofs");
        assert_eq!(of_roof(&shares), "80 of 100 GB/s (80 %)");
        assert_eq!(bound(&shares), "memory, at the roof: 80 % of copy");
    }
}
