//! One picture shared between the CPU and a device.

use super::{Comparison, Pair, Places, compare};
use serde::{Deserialize, Serialize};

/// A picture shared in several ways.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Split {
    /// Rows of the picture.
    pub height_px: usize,
    /// Each way, from no rows for the CPU to all of them.
    pub ways: Vec<SplitWay>,
    /// What the device takes for the whole picture, with its transfers, and what the CPU does: medians in nanoseconds on the host's clock.
    pub alone_ns: [f64; 2],
    /// The share of the CPU that makes both end at the same time, if each is as fast as alone: see [`even_rows`].
    pub even_rows: usize,
    /// Other programs took the CPU.
    pub busy: bool,
}

/// One way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SplitWay {
    /// Rows at the top of the picture, which the CPU computes; the device has the rest.
    pub cpu_rows: usize,
    /// Runs of it, each beside one of the device alone, which is the first of a pair. In nanoseconds on the host's clock, until both have ended.
    pub pairs: Vec<Pair>,
}

impl SplitWay {
    /// The device's time alone over its own: 2 means that it takes half the time.
    #[must_use]
    pub fn comparison(&self) -> Comparison {
        compare(&self.pairs, Places::Own)
    }
}

/// The rows of `height_px` that a CPU gets so that it and the device, of which each takes so long for all of them, end at the same time: their shares are as their rates are,
/// device : CPU = 1 / `device_ns` : 1 / `cpu_ns`.
#[must_use]
pub fn even_rows(height_px: usize, [device_ns, cpu_ns]: [f64; 2]) -> usize {
    let sum = device_ns + cpu_ns;
    if sum > 0.0 { ((height_px as f64 * device_ns / sum).round() as usize).min(height_px) } else { 0 }
}

/// How many times as fast as the device alone both can be together, if each is as fast as alone: the sum of their rates over that of the device.
#[must_use]
pub fn most_by_sharing([device_ns, cpu_ns]: [f64; 2]) -> f64 {
    if cpu_ns > 0.0 { 1.0 + device_ns / cpu_ns } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::{even_rows, most_by_sharing};

    #[test]
    fn shares_are_as_rates_are() {
        // The CPU takes three times as long: it gets a quarter, and both end after three quarters of the device's time.
        assert_eq!(even_rows(100, [1.0, 3.0]), 25);
        assert!((most_by_sharing([1.0, 3.0]) - 4.0 / 3.0).abs() < 1e-12);
        assert_eq!([even_rows(100, [3.0, 1.0]), even_rows(7, [1.0, 1.0]), even_rows(7, [0.0, 0.0])], [75, 4, 0]);
    }
}
