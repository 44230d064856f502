//! Figures as people read them: three significant digits and a unit.

use crate::model::Counts;

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

/// Bytes per nanosecond as "16.1 GB/s".
#[must_use]
pub fn bandwidth(gigabytes_per_second: f64) -> String {
    format!("{} GB/s", three_digits(gigabytes_per_second))
}

/// Memory operations as "0.375 loads, 0.125 stores a pixel".
#[must_use]
pub fn memory_operations(counts: &Counts) -> String {
    format!("{}, {} a pixel", counted(counts.loads, "load"), counted(counts.stores, "store"))
}

/// Bytes of memory operations as "27 bytes loaded, 3 stored a pixel".
#[must_use]
pub fn memory_bytes(counts: &Counts) -> String {
    format!("{} loaded, {} stored a pixel", counted(counts.loaded_bytes, "byte"), three_digits(counts.stored_bytes))
}

/// "1 load", "0.5 loads".
fn counted(count: f64, word: &str) -> String {
    match three_digits(count).as_str() {
        "1" => format!("1 {word}"),
        digits => format!("{digits} {word}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::{bandwidth, memory_bytes, memory_operations, speed_up, time};

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
    fn counts_of_memory_operations() {
        let counts = crate::model::Counts { loads: 3.0 / 8.0, loaded_bytes: 6.75, stores: 1.0 / 16.0, stored_bytes: 1.0, operations: 0.0 };
        assert_eq!(memory_operations(&counts), "0.375 loads, 0.0625 stores a pixel");
        assert_eq!(memory_bytes(&counts), "6.75 bytes loaded, 1 stored a pixel");
        let counts = crate::model::Counts { loads: 1.0, loaded_bytes: 1.0, stores: 1.0, stored_bytes: 1.0, operations: 0.0 };
        assert_eq!(memory_operations(&counts), "1 load, 1 store a pixel");
        assert_eq!(memory_bytes(&counts), "1 byte loaded, 1 stored a pixel");
    }

    #[test]
    fn ratios_and_bandwidths() {
        assert_eq!(speed_up(3.504), "3.5×");
        assert_eq!(speed_up(0.0123), "0.0123×");
        assert_eq!(speed_up(1234.0), "1234×");
        assert_eq!(speed_up(f64::INFINITY), "–×");
        assert_eq!(bandwidth(16.06), "16.1 GB/s");
        assert_eq!(bandwidth(3860.0), "3860 GB/s");
    }
}
