//! Means of bytes, rounded half up: sums are divided by a multiplication.

/// The largest count whose reciprocal in 2^32nds is exact enough: 256 · 4096² = 2^32.
const MAX_BY_32_BITS: usize = 4096;

/// How means are computed of counts that are not too far apart, see [`MeanOf::largest`].
#[derive(Clone, Copy)]
pub struct MeanOf {
    /// The upper half of a product is shifted down by as much more.
    shift: u32,
}

/// What a sum is divided by.
#[derive(Clone, Copy, Default)]
pub struct Reciprocal {
    /// Added first, so that a half is rounded up.
    half: u32,
    factor: u32,
}

impl MeanOf {
    /// Means of at most `count` bytes, and at least as many as make the reciprocal fit 32 bits: more than 128 where `count` is more than 4096.
    ///
    /// With n = sum + half < 256 d, d being the count, and a factor that exceeds 2^k / d by less than 1, the product exceeds n · 2^k / d by less than 256 d.
    /// No quotient changes where that is at most 2^k / d: where 256 d² ≤ 2^k. This holds up to 4096 with k = 32, and up to 46 340 with k = 39.
    #[inline(always)]
    pub const fn largest(count: usize) -> Self {
        Self { shift: if count <= MAX_BY_32_BITS { 0 } else { 7 } }
    }

    /// The reciprocal of a count of at least 1.
    #[inline(always)]
    pub fn reciprocal(self, count: usize) -> Reciprocal {
        // 2^32 does not fit. (n + 1) · (2^32 − 1) / 2^32 lies between n and n + 1.
        if count <= 1 {
            return Reciprocal { half: 1, factor: u32::MAX };
        }
        let factor = (1_u64 << (32 + self.shift)).div_ceil(count as u64);
        Reciprocal { half: (count / 2) as u32, factor: factor as u32 }
    }

    /// The mean whose sum this is.
    #[inline(always)]
    pub fn mean(self, sum: u32, by: Reciprocal) -> u8 {
        let product = u64::from(sum + by.half) * u64::from(by.factor);
        ((product >> 32) as u32 >> self.shift) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::MeanOf;

    /// Around every sum at which the mean changes, which is all that can go wrong.
    fn assert_is_exact(means: MeanOf, count: usize) {
        let by = means.reciprocal(count);
        let boundaries = (0..=255).map(|mean| mean * count + count.div_ceil(2)).flat_map(|sum| [sum - 1, sum, sum + 1]);
        for sum in boundaries.chain([0, 255 * count]).filter(|&sum| sum <= 255 * count) {
            assert_eq!(usize::from(means.mean(sum as u32, by)), (sum + count / 2) / count, "{sum} / {count}");
        }
    }

    #[test]
    fn no_mean_of_few_is_wrong() {
        (1..=4096).for_each(|count| assert_is_exact(MeanOf::largest(count), count));
        (1..=4096).for_each(|count| assert_is_exact(MeanOf::largest(4096), count));
    }

    #[test]
    fn no_mean_of_many_is_wrong() {
        (129..=201 * 201).for_each(|count| assert_is_exact(MeanOf::largest(201 * 201), count));
    }
}
