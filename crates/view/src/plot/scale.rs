//! The value axis: linear from zero, or a real logarithmic one.

use serde::{Deserialize, Serialize};

/// Spacing of the value axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Scale {
    /// From zero; lengths compare.
    #[default]
    Linear,
    /// Equal ratios are equally far apart; for contenders that are a hundred times apart.
    Log,
    /// Linear, from just below the least to just above the most, for points that lie close together: lengths mean nothing.
    Near,
}

impl Scale {
    /// Those that a person chooses from.
    pub const ALL: [Self; 2] = [Self::Linear, Self::Log];

    /// As in the window.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Linear => "Linear",
            Self::Log => "Log",
            Self::Near => "Near",
        }
    }
}

/// Most ticks that carry a label.
const MAX_TICKS: usize = 8;

/// Most ticks of things that are counted.
const MOST_COUNTED: usize = 24;

/// No time, ratio or bandwidth lies beyond these; they keep the arithmetic below finite whatever a driver claims.
const SMALLEST: f64 = 1e-30;
const LARGEST: f64 = 1e30;

/// A value axis with its ticks. Positions run from 0 (start) to 1 (end).
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    scale: Scale,
    start: f64,
    end: f64,
    origin: f64,
    ticks: Vec<f64>,
}

impl Axis {
    /// An axis that shows all of `values`; those that are not finite, and on a log axis those not above zero, do not count.
    /// `log_origin` is where bars begin on a log axis (1 for ratios); `None`: at the axis's start.
    #[must_use]
    pub fn new(scale: Scale, values: impl IntoIterator<Item = f64>, log_origin: Option<f64>) -> Self {
        let positive = values.into_iter().filter(|value| value.is_finite() && *value > 0.0);
        let mut shown: Vec<f64> = positive.map(|value| value.clamp(SMALLEST, LARGEST)).collect();
        if scale == Scale::Log {
            shown.extend(log_origin);
        }
        let least = shown.iter().copied().fold(f64::INFINITY, f64::min);
        let most = shown.iter().copied().fold(0.0, f64::max);
        if shown.is_empty() {
            return Self { scale: Scale::Linear, start: 0.0, end: 1.0, origin: 0.0, ticks: vec![0.0] };
        }
        match scale {
            Scale::Linear => Self::linear(most),
            Scale::Log => Self::log(least, most, log_origin),
            Scale::Near => Self::near(least, most),
        }
    }

    /// A tick for each of so many things that are counted from 1, or for every so many of them.
    #[must_use]
    pub fn counted(count: usize) -> Self {
        let every = count.div_ceil(MOST_COUNTED).max(1);
        let ticks = (1..=count).step_by(every).map(|number| number as f64).collect();
        Self { scale: Scale::Near, start: 0.5, end: count.max(1) as f64 + 0.5, origin: 0.5, ticks }
    }

    fn near(least: f64, most: f64) -> Self {
        // What lies on one line has some room around it, too.
        let step = round_up(((most - least) / 5.0).max(most * 1e-3));
        let first = (least / step - 0.25).floor().max(0.0);
        let last = (most / step + 0.25).ceil();
        let ticks = (first as usize..=last as usize).map(|index| index as f64 * step).collect();
        Self { scale: Scale::Near, start: first * step, end: last * step, origin: first * step, ticks }
    }

    fn linear(most: f64) -> Self {
        let step = round_up(most / 6.0);
        let count = (most / step).ceil().max(1.0);
        let ticks = (0..=count as usize).map(|index| index as f64 * step).collect();
        Self { scale: Scale::Linear, start: 0.0, end: step * count, origin: 0.0, ticks }
    }

    fn log(least: f64, most: f64, origin: Option<f64>) -> Self {
        // The shortest bar keeps a visible length: without an origin of their own, bars begin well below the least value.
        let start = round_down(if origin.is_some() { least } else { least / 1.5 });
        let end = round_up(most).max(start * 2.0);
        let decades = (end / start).log10();
        let candidates: &[f64] = if decades <= 2.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let first = start.log10().floor() as i32;
        let final_power = end.log10().ceil() as i32;
        let every = usize::max(1, (decades / MAX_TICKS as f64).ceil() as usize);
        let ticks = (first..=final_power)
            .step_by(every)
            .flat_map(|power| candidates.iter().map(move |factor| factor * 10f64.powi(power)))
            .filter(|tick| (start * 0.999..=end * 1.001).contains(tick))
            .collect();
        Self { scale: Scale::Log, start, end, origin: origin.unwrap_or(start), ticks }
    }

    /// Where `value` lies, from 0 to 1; values beyond the ends lie on them.
    #[must_use]
    pub fn position(&self, value: f64) -> f64 {
        let position = match self.scale {
            Scale::Linear | Scale::Near => (value - self.start) / (self.end - self.start),
            Scale::Log if value > 0.0 => (value / self.start).ln() / (self.end / self.start).ln(),
            Scale::Log => 0.0,
        };
        if position.is_nan() { 0.0 } else { position.clamp(0.0, 1.0) }
    }

    /// Whether lengths mean nothing here: values are then points and not bars.
    #[must_use]
    pub fn is_log(&self) -> bool {
        self.scale != Scale::Linear
    }

    /// Whether `value` lies beyond the axis's end.
    #[must_use]
    pub fn ends_before(&self, value: f64) -> bool {
        value > self.end
    }

    /// The least and the greatest value that it shows.
    #[must_use]
    pub fn ends(&self) -> [f64; 2] {
        [self.start, self.end]
    }

    /// Where bars begin.
    #[must_use]
    pub fn origin(&self) -> f64 {
        self.position(self.origin)
    }

    /// Values that carry a tick, ascending.
    #[must_use]
    pub fn ticks(&self) -> &[f64] {
        &self.ticks
    }
}

/// The next of … 1, 2, 5, 10, 20 … that is not below `value`.
pub(super) fn round_up(value: f64) -> f64 {
    neighbors(value).into_iter().find(|candidate| *candidate >= value * 0.999_999).unwrap_or(value)
}

/// The last of … 1, 2, 5, 10, 20 … that is not above `value`.
fn round_down(value: f64) -> f64 {
    neighbors(value).into_iter().rev().find(|candidate| *candidate <= value * 1.000_001).unwrap_or(value)
}

fn neighbors(value: f64) -> [f64; 5] {
    let power = 10f64.powi(value.log10().floor() as i32);
    [0.5, 1.0, 2.0, 5.0, 10.0].map(|factor| factor * power)
}

#[cfg(test)]
mod tests {
    use super::{Axis, Scale, round_up};

    fn near(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-9
    }

    #[test]
    fn linear_starts_at_zero_and_ends_on_a_tick() {
        let axis = Axis::new(Scale::Linear, [3.0, 9.3], None);
        assert_eq!(axis.ticks(), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert!(near(axis.position(0.0), 0.0) && near(axis.position(5.0), 0.5) && near(axis.position(10.0), 1.0));
        assert!(near(axis.origin(), 0.0));
    }

    #[test]
    fn log_puts_equal_ratios_equally_far_apart() {
        let axis = Axis::new(Scale::Log, [1.0, 900.0], None);
        let step = axis.position(10.0) - axis.position(1.0);
        assert!(near(axis.position(100.0) - axis.position(10.0), step));
        assert!(axis.position(1.0) > 0.03, "the shortest bar is visible");
        assert!(axis.position(900.0) <= 1.0);
        assert_eq!(axis.ticks(), [1.0, 10.0, 100.0, 1000.0]);
    }

    #[test]
    fn narrow_log_axes_have_ticks_between_decades() {
        let axis = Axis::new(Scale::Log, [3.0, 19.0], None);
        assert_eq!(axis.ticks(), [2.0, 5.0, 10.0, 20.0]);
    }

    #[test]
    fn what_lies_close_together_is_spread_out() {
        let axis = Axis::new(Scale::Near, [0.982, 1.0, 1.047], None);
        assert!(near(axis.ends()[0], 0.96) && near(axis.ends()[1], 1.06), "{:?}", axis.ends());
        assert!(near(axis.position(1.01), 0.5));
        assert_eq!(axis.ticks().len(), 6);
        let alone = Axis::new(Scale::Near, [1.0], None);
        assert!(alone.position(1.0) > 0.1 && alone.position(1.0) < 0.9);
    }

    #[test]
    fn counted_things_are_equally_far_apart() {
        let axis = Axis::counted(3);
        assert_eq!(axis.ticks(), [1.0, 2.0, 3.0]);
        assert!(near(axis.position(2.0), 0.5) && near(axis.position(3.0) - axis.position(2.0), 1.0 / 3.0));
        assert!(Axis::counted(1000).ticks().len() <= 24 && Axis::counted(0).ticks().is_empty());
    }

    #[test]
    fn ratios_begin_at_one() {
        let axis = Axis::new(Scale::Log, [0.25, 8.0], Some(1.0));
        assert!(axis.position(0.25) < axis.origin() && axis.origin() < axis.position(8.0));
        assert!(near(axis.origin(), axis.position(1.0)));
    }

    #[test]
    fn nothing_zero_and_huge_ratios_have_an_axis() {
        for scale in [Scale::Linear, Scale::Log, Scale::Near] {
            for values in [vec![], vec![0.0], vec![f64::NAN, f64::INFINITY], vec![1e-12, 1e15], vec![5e-324, f64::MAX], vec![7.0]] {
                let axis = Axis::new(scale, values.clone(), None);
                assert!(!axis.ticks().is_empty(), "{scale:?} {values:?}");
                assert!(axis.ticks().len() <= 24, "{scale:?} {values:?}: {}", axis.ticks().len());
                for value in values {
                    assert!((0.0..=1.0).contains(&axis.position(value)), "{scale:?} {value}");
                }
            }
        }
    }
    #[test]
    fn marks_stand_at_round_places_and_have_room() {
        for (all, most, step) in [(1000.0, 10.0, 100.0), (1001.0, 10.0, 200.0), (7.3e6, 8.0, 1e6), (41_000.0, 9.0, 5000.0), (3.0, 1.0, 5.0)]
        {
            let found = round_up(all / most);
            assert!((found / step - 1.0).abs() < 1e-9, "{all} in {most}: {found}");
        }
    }
}
