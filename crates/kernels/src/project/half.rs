//! 16-bit floating-point numbers, which Rust has none of yet.

/// Bits of the fraction.
const FRACTION_BITS: u32 = 10;

/// What is added to the exponent.
const BIAS: i32 = 15;

/// The unit of the smallest numbers.
const LEAST: f64 = 1.0 / (1 << 24) as f64;

/// Numbers from here on are rounded to infinity: halfway between the largest one and what would come next.
const BEYOND: f64 = 65520.0;

/// The number that these bits are.
pub fn value(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff);
    let number = match i32::from(bits >> FRACTION_BITS & 0x1f) {
        0 => fraction * LEAST,
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1.0 + fraction / 1024.0) * 2_f64.powi(exponent - BIAS),
    };
    if bits & 0x8000 == 0 { number } else { -number }
}

/// The bits of the nearest number; of two that are equally near, those of the even one.
pub fn nearest(number: f64) -> u16 {
    let size = number.abs();
    let bits = if size.is_nan() {
        0x7e00
    } else if size >= BEYOND {
        0x7c00
    } else if size < 2_f64.powi(1 - BIAS) {
        (size / LEAST).round_ties_even() as u16
    } else {
        let exponent = (size.to_bits() >> 52) as i32 - 1023;
        let fraction = (size / 2_f64.powi(exponent) * 1024.0).round_ties_even() as i32 - 1024;
        // A fraction that is rounded up to the next power of two carries over to the exponent.
        (((exponent + BIAS) << FRACTION_BITS) + fraction) as u16
    };
    if number.is_sign_negative() { bits | 0x8000 } else { bits }
}

#[cfg(test)]
mod tests {
    use super::{nearest, value};

    #[test]
    fn every_half_is_read_and_written_as_itself() {
        for bits in 0..=u16::MAX {
            let number = value(bits);
            assert!(nearest(number) == bits || number.is_nan(), "{bits:x}");
            assert_eq!(number.is_nan(), bits & 0x7fff > 0x7c00, "{bits:x}");
        }
        for (bits, number) in [(0x3c00, 1.0), (0xc000, -2.0), (0x3555, 0.333_251_953_125), (0x7bff, 65504.0), (1, 2_f64.powi(-24))] {
            assert_eq!(value(bits).to_bits(), f64::to_bits(number), "{bits:x}");
        }
    }

    #[test]
    fn what_lies_between_goes_to_the_nearest_and_ties_to_the_even_one() {
        let cases = [
            (65519.9, 0x7bff),
            (65520.0, 0x7c00),
            (2049.0, 0x6800),
            (2051.0, 0x6802),
            (2_f64.powi(-25), 0),
            (1.5 * 2_f64.powi(-24), 2),
            (-0.1, 0xae66),
            (2047.9, 0x6800),
        ];
        for (number, bits) in cases {
            assert_eq!(nearest(number), bits, "{number}");
        }
        assert!(value(nearest(f64::NAN)).is_nan());
    }
}
