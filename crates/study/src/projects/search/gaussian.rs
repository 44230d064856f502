//! A Gaussian process over the points of a space, to which observations are added one by one.
//!
//! Ordinary kriging, as in Rasmussen and Williams 2006, "Gaussian Processes for Machine Learning", chapters 2 and 5, and Jones, Schonlau, Welch 1998, "Efficient Global
//! Optimization of Expensive Black-Box Functions": a constant level and the variance follow from the observations by maximum likelihood in closed form, so that only the shape
//! of the covariance must be sought. The covariance is a product of one Matérn 3/2 function for each parameter, of its ranks from 0 to 1.

/// The shape of a covariance: how far each parameter's values tell about each other, and how much is noise. Steps on a scale, as the likelihood is flat between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    lengths: Vec<i32>,
    noise: i32,
}

/// Exponents of 2: from a tenth of a parameter's range, where neighbors hardly tell about each other, to a length at which it hardly matters.
const LENGTHS: std::ops::RangeInclusive<i32> = -3..=5;
/// Exponents of 10: the share of the variance that is not of the parameters.
const NOISES: std::ops::RangeInclusive<i32> = -4..=-1;
/// The length that is likely before anything is known, and how far from it, in steps, it may be: with few observations, the likelihood alone overfits.
const LIKELY: (f64, f64) = (0.5, 2.0);

impl Shape {
    fn of_length(parameters: usize, length: i32) -> Self {
        Self { lengths: vec![length; parameters], noise: -3 }
    }

    /// The covariance by the difference of ranks, for each parameter.
    fn tables(&self, counts: &[usize]) -> Vec<Vec<f64>> {
        let table = |(count, length): (&usize, &i32)| {
            let span = count.saturating_sub(1).max(1) as f64;
            let of = |difference: usize| {
                let distance = 3_f64.sqrt() * difference as f64 / span / 2_f64.powi(*length);
                (1.0 + distance) * (-distance).exp()
            };
            (0..*count).map(of).collect()
        };
        counts.iter().zip(&self.lengths).map(table).collect()
    }

    /// The likelihood of the observations with it, and of the shape itself.
    fn score(&self, counts: &[usize], observed: &[(&[usize], f64)]) -> f64 {
        let mut process = Gaussian::new(self, counts);
        for (point, value) in observed {
            process.observe(point, *value);
        }
        let surprise = |length: &i32| ((f64::from(*length) - LIKELY.0) / LIKELY.1).powi(2) / 2.0;
        process.log_likelihood() - self.lengths.iter().map(surprise).sum::<f64>()
    }

    /// With one step more or less; `None` at the end of the scale.
    fn stepped(&self, which: usize, step: i32) -> Option<Self> {
        let mut next = self.clone();
        match next.lengths.get_mut(which) {
            Some(length) => *length = Some(*length + step).filter(|length| LENGTHS.contains(length))?,
            None => next.noise = Some(next.noise + step).filter(|noise| NOISES.contains(noise))?,
        }
        Some(next)
    }

    /// The likeliest of the observations: from an earlier one, or the best with all lengths the same, one parameter after the other as long as it becomes likelier.
    pub(super) fn fitted(earlier: Option<&Self>, counts: &[usize], observed: &[(&[usize], f64)]) -> Self {
        let scored = |shape: Self| (shape.score(counts, observed), shape);
        let equal = || LENGTHS.map(|length| Self::of_length(counts.len(), length)).map(scored).max_by(|a, b| a.0.total_cmp(&b.0));
        let start = earlier.cloned().map(scored).or_else(equal);
        let (mut score, mut shape) = start.unwrap_or_else(|| scored(Self::of_length(counts.len(), 0)));
        for _ in 0..SWEEPS {
            let before = score;
            for which in 0..=counts.len() {
                for step in [-1, 1] {
                    while let Some((better, next)) = shape.stepped(which, step).map(scored).filter(|next| next.0 > score) {
                        (score, shape) = (better, next);
                    }
                }
            }
            if score <= before {
                break;
            }
        }
        shape
    }
}

/// How often all parameters are gone through.
const SWEEPS: usize = 3;

/// What is observed, and the points of which something is to be predicted.
#[derive(Clone, Debug)]
pub(super) struct Gaussian {
    tables: Vec<Vec<f64>>,
    noise: f64,
    observed: Vec<Vec<usize>>,
    /// The rows of the Cholesky factor L of the correlations of what is observed, each up to its diagonal.
    lower: Vec<Vec<f64>>,
    /// L⁻¹ times the values, and times ones.
    solved: Vec<[f64; 2]>,
    candidates: Vec<Candidate>,
    /// The rows of V = L⁻¹ times the correlations with the candidates.
    reached: Vec<Vec<f64>>,
}

/// A point of which something is to be predicted.
#[derive(Clone, Debug)]
struct Candidate {
    ranks: Vec<usize>,
    /// The products of its column of V with the solved values, with the solved ones, and with itself.
    sums: [f64; 3],
}

impl Gaussian {
    pub(super) fn new(shape: &Shape, counts: &[usize]) -> Self {
        Self {
            tables: shape.tables(counts),
            noise: 10_f64.powi(shape.noise),
            observed: Vec::new(),
            lower: Vec::new(),
            solved: Vec::new(),
            candidates: Vec::new(),
            reached: Vec::new(),
        }
    }

    /// The correlation of two points.
    fn correlation(&self, a: &[usize], b: &[usize]) -> f64 {
        let of = |((table, a), b): ((&Vec<f64>, &usize), &usize)| table.get(a.abs_diff(*b)).copied().unwrap_or(0.0);
        self.tables.iter().zip(a).zip(b).map(of).product()
    }

    /// L⁻¹ times the correlations of a point with what is observed.
    fn column(&self, ranks: &[usize]) -> Vec<f64> {
        let mut column = Vec::with_capacity(self.lower.len() + 1);
        for (other, lower) in self.observed.iter().zip(&self.lower) {
            let rest = self.correlation(ranks, other) - dot(lower, &column);
            column.push(rest / lower.last().copied().unwrap_or(1.0));
        }
        column
    }

    /// Adds a value: a row of L, of what is solved, and of V.
    pub(super) fn observe(&mut self, ranks: &[usize], value: f64) {
        let mut row = self.column(ranks);
        // Of the noise alone where a point is like another.
        let diagonal = (1.0 + self.noise - dot(&row, &row)).max(self.noise / 2.0).sqrt();
        let rest = |which: usize| row.iter().zip(&self.solved).map(|(row, solved)| row * solved.get(which).unwrap_or(&0.0)).sum::<f64>();
        let solved = [(value - rest(0)) / diagonal, (1.0 - rest(1)) / diagonal];
        let mut reached: Vec<_> = self.candidates.iter().map(|candidate| self.correlation(ranks, &candidate.ranks)).collect();
        for (factor, other) in row.iter().zip(&self.reached) {
            reached.iter_mut().zip(other).for_each(|(reached, other)| *reached -= factor * other);
        }
        for (reached, candidate) in reached.iter_mut().zip(&mut self.candidates) {
            *reached /= diagonal;
            candidate.take(*reached, solved);
        }
        row.push(diagonal);
        self.observed.push(ranks.to_vec());
        self.lower.push(row);
        self.solved.push(solved);
        self.reached.push(reached);
    }

    /// Adds a candidate: a column of V.
    pub(super) fn consider(&mut self, ranks: Vec<usize>) {
        let column = self.column(&ranks);
        let mut candidate = Candidate { ranks, sums: [0.0; 3] };
        for ((value, row), solved) in column.into_iter().zip(&mut self.reached).zip(&self.solved) {
            row.push(value);
            candidate.take(value, *solved);
        }
        self.candidates.push(candidate);
    }

    /// The level around which values are, its precision, and their variance.
    fn level(&self) -> [f64; 3] {
        let precision = self.solved.iter().map(|[_, one]| one * one).sum::<f64>();
        let level = self.solved.iter().map(|[value, one]| value * one).sum::<f64>() / precision;
        let squares = self.solved.iter().map(|[value, one]| (value - level * one).powi(2)).sum::<f64>();
        [level, precision, squares / self.solved.len() as f64]
    }

    fn log_likelihood(&self) -> f64 {
        let [_, _, variance] = self.level();
        let diagonal = self.lower.iter().filter_map(|row| row.last()).map(|diagonal| diagonal.ln()).sum::<f64>();
        // Times that are all the same are equally likely with any shape.
        -0.5 * self.solved.len() as f64 * variance.max(1e-12).ln() - diagonal
    }

    /// The mean and the standard deviation of each candidate's value, without noise.
    pub(super) fn predictions(&self) -> impl Iterator<Item = [f64; 2]> {
        let [level, precision, variance] = self.level();
        self.candidates.iter().map(move |Candidate { sums: [values, ones, squares], .. }| {
            // The last term is what is uncertain about the level.
            let share = 1.0 - squares + (1.0 - ones).powi(2) / precision;
            [level + values - level * ones, (variance * share.max(0.0)).sqrt()]
        })
    }
}

impl Candidate {
    fn take(&mut self, reached: f64, [value, one]: [f64; 2]) {
        let [values, ones, squares] = self.sums;
        self.sums = [values + reached * value, ones + reached * one, squares + reached * reached];
    }
}

/// The sum of the products, as far as both go. Four sums at once, which the compiler may keep in one register.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let least = a.len().min(b.len());
    let ((a, a_rest), (b, b_rest)) = (a.get(..least).unwrap_or(a).as_chunks::<4>(), b.get(..least).unwrap_or(b).as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::{Gaussian, Shape, dot};

    /// The inverse and the logarithm of the determinant, by elimination.
    fn inverse(mut matrix: Vec<Vec<f64>>) -> (Vec<Vec<f64>>, f64) {
        let n = matrix.len();
        let mut inverse: Vec<Vec<f64>> = (0..n).map(|row| (0..n).map(|column| f64::from(u8::from(row == column))).collect()).collect();
        let mut log = 0.0;
        for pivot in 0..n {
            let by = matrix[pivot][pivot];
            log += by.ln();
            for column in 0..n {
                matrix[pivot][column] /= by;
                inverse[pivot][column] /= by;
            }
            for row in (0..n).filter(|row| *row != pivot) {
                let factor = matrix[row][pivot];
                for column in 0..n {
                    matrix[row][column] -= factor * matrix[pivot][column];
                    inverse[row][column] -= factor * inverse[pivot][column];
                }
            }
        }
        (inverse, log)
    }

    /// a · M · b.
    fn form(a: &[f64], matrix: &[Vec<f64>], b: &[f64]) -> f64 {
        a.iter().zip(matrix).map(|(a, row)| a * row.iter().zip(b).map(|(m, b)| m * b).sum::<f64>()).sum()
    }

    #[test]
    fn it_is_as_solved_directly() {
        let (counts, shape) = ([5, 3, 2], Shape { lengths: vec![-1, 1, 0], noise: -2 });
        let observed: Vec<_> = (0..13_usize).map(|i| (vec![i * 3 % 5, i * 2 % 3, i / 7], (i as f64 * 1.7).sin() + 2.0)).collect();
        let correlation = |a: &[usize], b: &[usize]| -> f64 {
            let scales = [4.0 * 0.5, 2.0 * 2.0, 1.0 * 1.0];
            let of = |which: usize| 3_f64.sqrt() * (a[which] as f64 - b[which] as f64).abs() / scales[which];
            (0..3).map(|which| (1.0 + of(which)) * (-of(which)).exp()).product()
        };
        let candidates = [vec![0, 1, 1], vec![4, 2, 0], vec![2, 0, 1]];
        // One is considered from the beginning, one in the midst, one at the end.
        let mut process = Gaussian::new(&shape, &counts);
        process.consider(candidates[0].clone());
        for (which, (ranks, value)) in observed.iter().enumerate() {
            if which == 6 {
                process.consider(candidates[1].clone());
            }
            process.observe(ranks, *value);
        }
        process.consider(candidates[2].clone());

        let n = observed.len();
        let noise = |row: usize, column: usize| if row == column { 0.01 } else { 0.0 };
        let of = |row: usize| (0..n).map(|column| correlation(&observed[row].0, &observed[column].0) + noise(row, column)).collect();
        let (inverse, log_determinant) = inverse((0..n).map(of).collect());
        let (ones, values) = (vec![1.0; n], observed.iter().map(|(_, value)| *value).collect::<Vec<_>>());
        let precision = form(&ones, &inverse, &ones);
        let level = form(&ones, &inverse, &values) / precision;
        let around: Vec<_> = values.iter().map(|value| value - level).collect();
        let variance = form(&around, &inverse, &around) / n as f64;
        let log_likelihood = -0.5 * n as f64 * variance.ln() - 0.5 * log_determinant;
        assert!((process.log_likelihood() - log_likelihood).abs() < 1e-9, "{} {log_likelihood}", process.log_likelihood());
        assert_eq!(process.predictions().count(), 3);
        for ([mean, deviation], candidate) in process.predictions().zip(&candidates) {
            let near: Vec<_> = observed.iter().map(|(ranks, _)| correlation(ranks, candidate)).collect();
            let expected = level + form(&near, &inverse, &around);
            let share = 1.0 - form(&near, &inverse, &near) + (1.0 - form(&ones, &inverse, &near)).powi(2) / precision;
            let expected_deviation = (variance * share).sqrt();
            assert!(
                (mean - expected).abs() < 1e-9 && (deviation - expected_deviation).abs() < 1e-9,
                "{mean} {expected} {deviation} {expected_deviation}"
            );
        }
    }

    #[test]
    fn parameters_that_matter_get_shorter_lengths() {
        let points: Vec<_> = (0..60_usize).map(|i| [i * 7 % 8, i * 5 % 6, i / 3 % 4]).collect();
        let observed: Vec<_> = points.iter().map(|point| (&point[..], (point[0] as f64).sin() + 0.2 * point[1] as f64)).collect();
        let shape = Shape::fitted(None, &[8, 6, 4], &observed);
        let [first, second, third] = shape.lengths[..] else { panic!("three") };
        assert!(first < second && second < third, "{shape:?}");
        assert!(shape.score(&[8, 6, 4], &observed) > Shape::of_length(3, 0).score(&[8, 6, 4], &observed));
        assert_eq!(Shape::fitted(Some(&shape), &[8, 6, 4], &observed), shape);
    }

    #[test]
    fn products_are_summed_as_far_as_both_go() {
        let numbers: Vec<_> = (1..=11).map(f64::from).collect();
        for n in 0..=11 {
            let by_hand = (1..=n).map(|i| (i * i) as f64).sum::<f64>();
            let sums = [dot(&numbers, &numbers[..n]), dot(&numbers[..n], &numbers)];
            assert!(sums.iter().all(|sum| (sum - by_hand).abs() < 1e-9), "{sums:?} of {n}");
        }
    }
}
