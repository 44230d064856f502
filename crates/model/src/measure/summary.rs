//! Median and quartiles of a list of samples.

use crate::Summary;

impl Summary {
    /// Summarizes `samples_ns`, which is kept in the order taken; `None` where it is empty.
    ///
    /// Median and quartiles interpolate linearly between the two nearest ranks: quantile q of n sorted samples lies at rank (n − 1) · q, counted
    /// from 0 (method 7 of Hyndman and Fan 1996, the default of R and `NumPy`).
    #[must_use]
    pub fn of(samples_ns: Vec<u64>) -> Option<Self> {
        let mut sorted = samples_ns.clone();
        sorted.sort_unstable();
        Some(Self {
            median_ns: quantile(&sorted, 0.5)?,
            min_ns: quantile(&sorted, 0.0)?,
            lower_quartile_ns: quantile(&sorted, 0.25)?,
            upper_quartile_ns: quantile(&sorted, 0.75)?,
            max_ns: quantile(&sorted, 1.0)?,
            count: sorted.len(),
            samples_ns,
        })
    }

    /// Distance of the quartiles over the median: 0.02 means that the middle half of the samples lies within 2 %.
    #[must_use]
    pub fn relative_spread(&self) -> f64 {
        if self.median_ns > 0.0 { (self.upper_quartile_ns - self.lower_quartile_ns) / self.median_ns } else { 0.0 }
    }
}

/// Quantile `q` (0 to 1) of samples in ascending order, see [`Summary::of`]; `None` where there are none.
pub(super) fn quantile(sorted: &[u64], q: f64) -> Option<f64> {
    let rank = sorted.len().checked_sub(1)? as f64 * q.clamp(0.0, 1.0);
    let below = *sorted.get(rank.floor() as usize)? as f64;
    let above = *sorted.get(rank.ceil() as usize)? as f64;
    Some(below + (above - below) * rank.fract())
}

#[cfg(test)]
mod tests {
    use super::Summary;

    /// Minimum, quartiles with the median between them, and maximum, in hundredths: all are exact here.
    fn five(samples: &[u64]) -> [u64; 5] {
        let summary = Summary::of(samples.to_vec()).expect("samples");
        [summary.min_ns, summary.lower_quartile_ns, summary.median_ns, summary.upper_quartile_ns, summary.max_ns]
            .map(|value| (value * 100.0) as u64)
    }

    #[test]
    fn no_samples_have_no_summary() {
        assert_eq!(Summary::of(Vec::new()), None);
    }

    #[test]
    fn quartiles_by_hand() {
        assert_eq!(five(&[7]), [700; 5]);
        // Ranks 0.25, 0.5 and 0.75 between 10 and 20.
        assert_eq!(five(&[20, 10]), [1000, 1250, 1500, 1750, 2000]);
        // Ranks 1, 2 and 3 hit samples.
        assert_eq!(five(&[50, 10, 40, 20, 30]), [1000, 2000, 3000, 4000, 5000]);
        // Ranks 0.75, 1.5 and 2.25 of 1 2 4 8: 1 + 0.75, 2 + 1, 4 + 1.
        assert_eq!(five(&[8, 4, 2, 1]), [100, 175, 300, 500, 800]);
    }

    #[test]
    fn samples_keep_their_order() {
        let summary = Summary::of(vec![3, 1, 2]).expect("samples");
        assert_eq!((summary.count, summary.samples_ns.as_slice()), (3, [3, 1, 2].as_slice()));
        // Quartiles 1.5 and 2.5 around 2.
        assert!((summary.relative_spread() - 0.5).abs() < 1e-12);
    }
}
