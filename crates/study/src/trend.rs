//! How a person's predictions do over all ladders, and whether they come closer. What few answers cannot show is not said.

use super::PredictionRecord;
use crate::predict::{Bot, Predicted, Score, Summary, score, summarize};
use base::texts::{filled, text};
use std::fmt::Display;

/// From so many answers on, it is said whether being sure means something.
const LEAST_CALIBRATED: usize = 10;

/// Least answers in each half for a verdict: the standard error of fewer is too much a matter of chance itself. Two equal scores would make it 0.
const LEAST_IN_HALF: usize = 10;

/// Least ladders for a verdict: a single one has too few steps, and its second half may just be the easier one.
const LEAST_LADDERS: usize = 2;

/// How often who is sure, and who is not, is right if well judged: the chances that a guess gives to its own category.
const EXPECTED: [(bool, f64); 2] = [(true, 0.80), (false, 0.40)];

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Right.
    pub right: usize,
    /// All.
    pub count: usize,
}

impl Part {
    fn of<'a>(scores: impl Iterator<Item = &'a Score>) -> Self {
        scores.fold(Self::default(), |part, score| Self { right: part.right + usize::from(score.is_right()), count: part.count + 1 })
    }

    /// The share that is right; `None` of none.
    #[must_use]
    pub fn share(self) -> Option<f64> {
        (self.count > 0).then(|| self.right as f64 / self.count as f64)
    }
}

/// Whether being sure means something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// Where the person was sure.
    pub sure: Part,
    /// Where not.
    pub unsure: Part,
}

impl Calibration {
    /// Share right minus what is expected, of sure and unsure answers; `None` where there is none of them. 0 is well judged, above it too modest.
    #[must_use]
    pub fn off(self) -> [Option<f64>; 2] {
        EXPECTED.map(|(is_sure, expected)| Some(self.part(is_sure).share()? - expected))
    }

    const fn part(self, is_sure: bool) -> Part {
        if is_sure { self.sure } else { self.unsure }
    }

    /// Share right where sure minus share right where not; 0 means that being sure tells nothing. `None` where one of the two is missing.
    #[must_use]
    pub fn resolution(self) -> Option<f64> {
        Some(self.sure.share()? - self.unsure.share()?)
    }
}

/// The second half of the answers against the first, with the steps' difficulty taken out: a step's points minus the mean points of the bots on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Improvement {
    /// Mean of the second half minus mean of the first, in points per step.
    pub delta: f64,
    /// Its standard error, √(v₁/n₁ + v₂/n₂) with the variances v of the halves.
    pub error: f64,
    /// Whether there are answers and ladders enough for a verdict.
    pub is_enough: bool,
}

impl Improvement {
    /// `Some(true)` where predictions have come closer, `Some(false)` where they have gone farther away, `None` where that cannot be told.
    #[must_use]
    pub fn verdict(self) -> Option<bool> {
        (self.is_enough && self.delta.abs() > 2.0 * self.error).then_some(self.delta > 0.0)
    }
}

/// One ladder's halves, as raw counts: more than that a ladder of five steps cannot say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LadderHalves {
    /// The ladder's name.
    pub ladder: String,
    /// Its steps in the order in which they were predicted; the middle one of an odd number counts in the second half.
    pub halves: [Part; 2],
}

impl LadderHalves {
    /// The ladder's label, or its name where this program does not have it.
    #[must_use]
    pub fn label(&self) -> &str {
        kernels::filters::ladder(&self.ladder).map_or(&self.ladder, |ladder| ladder.label())
    }
}

/// All of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Trend {
    /// Points, and the bots to compare with.
    pub summary: Summary,
    /// Answers to steps that were asked before on the same device: left out, as who answers again may remember.
    pub repeated: usize,
    /// `None` up to 9 answers.
    pub calibration: Option<Calibration>,
    /// `None` below two answers in each half.
    pub improvement: Option<Improvement>,
    /// Each ladder by itself.
    pub ladders: Vec<LadderHalves>,
}

impl Trend {
    /// Of predictions in the order in which they were made; `None` where none was scored.
    #[must_use]
    pub fn of(records: &[PredictionRecord]) -> Option<Self> {
        let guessed: Vec<&PredictionRecord> = records.iter().filter(|record| record.predicted.guess.is_some()).collect();
        let is_first = |index: usize, record: &PredictionRecord| !guessed.iter().take(index).any(|before| before.is_same_question(record));
        let first = guessed.iter().enumerate().filter(|(index, record)| is_first(*index, record));
        let first: Vec<&Predicted> = first.map(|(_, record)| &record.predicted).collect();
        let summary = summarize(&first.iter().copied().cloned().collect::<Vec<_>>())?;
        let scored: Vec<(&Predicted, Score)> =
            first.iter().filter_map(|predicted| Some((*predicted, score(predicted.guess?, &predicted.truth)?))).collect();
        let ladders = ladders(&scored);
        let is_enough = ladders.len() >= LEAST_LADDERS && scored.len() >= 2 * LEAST_IN_HALF;
        Some(Self {
            summary,
            repeated: guessed.len() - first.len(),
            calibration: (scored.len() >= LEAST_CALIBRATED).then(|| calibration(&scored)),
            improvement: improvement(&scored, is_enough),
            ladders,
        })
    }

    /// What it says, line by line, each with what it means.
    #[must_use]
    pub fn lines(&self) -> Vec<(String, &'static str)> {
        let Summary { scored, not_scored, points, best_bot, best_bot_points, ranked, best_bot_ranked, skill, reasons, .. } = self.summary;
        let mut lines = Vec::new();
        let mut add = |key: &'static str, about: &'static str, values: &[(&str, &dyn Display)]| {
            lines.push((filled(key, values), text(about)));
        };
        let bots = "prediction.trend.bots-about";
        add("prediction.trend.count", "prediction.trend.count-about", &[("count", &scored)]);
        if not_scored > 0 {
            add("prediction.trend.not-scored", "prediction.trend.count-about", &[("count", &not_scored)]);
        }
        if self.repeated > 0 {
            add("prediction.trend.repeated", "prediction.trend.repeated-about", &[("count", &self.repeated)]);
        }
        let of_all = |mean: f64| format!("{:.1}", mean * scored as f64);
        let label = best_bot.label();
        let bot: (&str, &dyn Display) = ("bot", &label);
        add("prediction.trend.points", bots, &[("points", &of_all(points)), bot, ("bot_points", &of_all(best_bot_points))]);
        let [ranked, bot_ranked] = [ranked, best_bot_ranked].map(|ranked| format!("{ranked:.2}"));
        add(
            "prediction.trend.skill",
            "prediction.trend.skill-about",
            &[("ranked", &ranked), bot, ("bot_ranked", &bot_ranked), ("skill", &signed(skill))],
        );
        if reasons.0 > 0 {
            add("prediction.trend.reasons", "prediction.trend.reasons-about", &[("right", &reasons.1), ("count", &reasons.0)]);
        }
        let about = "prediction.trend.calibration-about";
        match self.calibration {
            None => add("prediction.trend.calibration-later", about, &[]),
            Some(calibration) => {
                for (is_sure, key) in [(true, "prediction.trend.sure"), (false, "prediction.trend.unsure")] {
                    let part = calibration.part(is_sure);
                    if let Some(share) = part.share() {
                        let percent = format!("{:.0}", share * 100.0);
                        add(key, about, &[("right", &part.right), ("count", &part.count), ("percent", &percent)]);
                    }
                }
                if let Some(resolution) = calibration.resolution() {
                    add("prediction.trend.resolution", about, &[("points", &format!("{:+.0}", resolution * 100.0).replace('-', "−"))]);
                }
            }
        }
        let about = "prediction.trend.improvement-about";
        match self.improvement {
            None => add("prediction.trend.improvement-later", about, &[]),
            Some(improvement) => {
                let key = match improvement.verdict() {
                    Some(true) => "prediction.trend.closer",
                    Some(false) => "prediction.trend.farther",
                    None => "prediction.trend.not-enough",
                };
                add(key, about, &[("delta", &signed(improvement.delta)), ("error", &format!("{:.2}", improvement.error))]);
            }
        }
        lines
    }
}

/// With its sign and two decimals.
fn signed(value: f64) -> String {
    format!("{value:+.2}").replace('-', "−")
}

fn calibration(scored: &[(&Predicted, Score)]) -> Calibration {
    let part = |is_sure: bool| {
        let of = scored.iter().filter(|(predicted, _)| predicted.guess.is_some_and(|guess| guess.is_sure == is_sure));
        Part::of(of.map(|(_, score)| score))
    };
    Calibration { sure: part(true), unsure: part(false) }
}

/// The mean points of the bots on a step: how easy it is, without a cohort.
fn easiness(predicted: &Predicted) -> f64 {
    let points = predicted.bots.iter().filter_map(|bot| Some(score(*bot, &predicted.truth)?.points));
    points.sum::<f64>() / Bot::ALL.len() as f64
}

fn improvement(scored: &[(&Predicted, Score)], is_enough: bool) -> Option<Improvement> {
    let beyond: Vec<f64> = scored.iter().map(|(predicted, score)| score.points - easiness(predicted)).collect();
    let (first, second) = beyond.split_at(beyond.len() / 2);
    let ((mean_1, variance_1), (mean_2, variance_2)) = (mean_and_variance(first)?, mean_and_variance(second)?);
    let error = (variance_1 / first.len() as f64 + variance_2 / second.len() as f64).sqrt();
    Some(Improvement { delta: mean_2 - mean_1, error, is_enough })
}

/// Mean and sample variance; `None` of fewer than two.
fn mean_and_variance(values: &[f64]) -> Option<(f64, f64)> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    (values.len() >= 2).then(|| (mean, squares / (count - 1.0)))
}

/// Each ladder's halves, in the order in which the ladders were begun.
fn ladders(scored: &[(&Predicted, Score)]) -> Vec<LadderHalves> {
    let mut names: Vec<&str> = Vec::new();
    for (predicted, _) in scored {
        if !names.contains(&predicted.ladder.as_str()) {
            names.push(&predicted.ladder);
        }
    }
    let halves = |name: &&str| {
        let own: Vec<Score> = scored.iter().filter(|(predicted, _)| predicted.ladder == **name).map(|(_, score)| *score).collect();
        let (first, second) = own.split_at(own.len() / 2);
        LadderHalves { ladder: (*name).to_owned(), halves: [Part::of(first.iter()), Part::of(second.iter())] }
    };
    names.iter().map(halves).collect()
}

#[cfg(test)]
mod tests {
    use super::{Calibration, Improvement, Part, Trend};
    use crate::PredictionRecord;
    use crate::predict::{Bot, Change, Guess};
    use crate::testing::predictions::guessed;

    const SEEN: [Change; 1] = [Change::Same];

    /// Answers to steps that were the same; the bots' points on each are 0.5, 1, 0.5 and 0, on average a half.
    fn answers(changes: &[(Change, bool)]) -> Vec<PredictionRecord> {
        (1..).zip(changes).map(|(order, (change, is_sure))| guessed(order, *change, *is_sure, &SEEN)).collect()
    }

    const RIGHT: Change = Change::Same;
    const NEAR: Change = Change::Faster;
    const FAR: Change = Change::MuchFaster;

    fn close(found: f64, by_hand: f64) {
        assert!((found - by_hand).abs() < 1e-9, "{found} is not {by_hand}");
    }

    #[test]
    fn skill_by_hand() {
        // Sure and right: 0.80 on the third of five, 0.075 on both its neighbors, 0.025 on the outer ones; cumulated 0.025, 0.1, 0.9, 0.975 against
        // 0, 0, 1, 1. A quarter of 0.025² + 0.1² + 0.1² + 0.025² is 0.0053125.
        // Not sure, one too fast: 0.40 on the fourth, 0.20 on both its neighbors, 0.10 on the others; cumulated 0.1, 0.2, 0.4, 0.8 against 0, 0, 1, 1. A
        // quarter of 0.01 + 0.04 + 0.36 + 0.04 is 0.1125.
        // "Always the same" is not sure and right: 0.40, 0.20, 0.10; cumulated 0.1, 0.3, 0.7, 0.9. A quarter of 0.01 + 0.09 + 0.09 + 0.01 is 0.05.
        let trend = Trend::of(&answers(&[(RIGHT, true), (NEAR, false)])).expect("two are scored");
        assert_eq!(trend.summary.best_bot, Bot::AlwaysSame);
        close(trend.summary.best_bot_ranked, 0.05);
        close(trend.summary.ranked, f64::midpoint(0.005_312_5, 0.112_5));
        close(trend.summary.skill, 1.0 - f64::midpoint(0.005_312_5, 0.112_5) / 0.05);
        close(trend.summary.points, 0.75);
    }

    #[test]
    fn calibration_by_hand_and_not_before_ten_answers() {
        // Sure: 3 of 4 right. Not sure: 3 of 6.
        let mut all = [(RIGHT, true); 10];
        all[3].0 = NEAR;
        for (index, answer) in all.iter_mut().enumerate().skip(4) {
            *answer = (if index % 2 == 0 { RIGHT } else { FAR }, false);
        }
        let calibration = Trend::of(&answers(&all)).expect("scored").calibration.expect("ten are enough");
        assert_eq!(calibration, Calibration { sure: Part { right: 3, count: 4 }, unsure: Part { right: 3, count: 6 } });
        let [sure, unsure] = calibration.off().map(|off| off.expect("there are some"));
        close(sure, -0.05);
        close(unsure, 0.1);
        close(calibration.resolution().expect("there are both"), 0.25);
        assert_eq!(Trend::of(&answers(&all[..9])).expect("scored").calibration, None);
        let only_sure = Trend::of(&answers(&[(RIGHT, true); 10])).expect("scored").calibration.expect("ten are enough");
        assert_eq!((only_sure.resolution(), only_sure.off()[1]), (None, None));
    }

    #[test]
    fn improvement_by_hand() {
        // Beyond the bots' half point: −0.5, 0 | 0.5, 0.5, 0. Means −0.25 and 1/3; variances 0.125 and 1/12.
        let five = answers(&[(FAR, false), (NEAR, false), (RIGHT, false), (RIGHT, false), (NEAR, false)]);
        let improvement = Trend::of(&five).expect("scored").improvement.expect("two in each half");
        close(improvement.delta, 1.0 / 3.0 + 0.25);
        close(improvement.error, (0.125_f64 / 2.0 + 1.0 / 36.0).sqrt());
        assert_eq!(improvement.verdict(), None, "five answers decide nothing");
        assert_eq!(Trend::of(&five[..3]).expect("scored").improvement, None);
    }

    #[test]
    fn a_verdict_needs_twice_the_error_twenty_answers_and_two_ladders() {
        // 10 of the points 0, ½ by turns, then 10 of ½, 1 by turns: a rise of a half. Variances are 10/9 of 1/16 each: error √(2/9/16) = 0.1179.
        let turns = |pair: [Change; 2]| (0..10).map(move |index| (pair[index % 2], false));
        let rising: Vec<_> = turns([FAR, NEAR]).chain(turns([NEAR, RIGHT])).collect();
        let mut records = answers(&rising);
        let one_ladder = Trend::of(&records).expect("scored").improvement.expect("ten in each half");
        close(one_ladder.delta, 0.5);
        close(one_ladder.error, (2.0_f64 / 144.0).sqrt());
        assert_eq!(one_ladder.verdict(), None);
        for record in &mut records[10..] {
            record.predicted.ladder = "bifrost".to_owned();
        }
        assert_eq!(Trend::of(&records).expect("scored").improvement.and_then(Improvement::verdict), Some(true));
        records.rotate_left(10);
        assert_eq!(Trend::of(&records).expect("scored").improvement.and_then(Improvement::verdict), Some(false));
        assert_eq!(Trend::of(&records[..19]).expect("scored").improvement.and_then(Improvement::verdict), None, "too few");
        assert_eq!(Improvement { delta: 0.2, error: 0.1, is_enough: true }.verdict(), None, "twice the error is not more than it");
    }

    #[test]
    fn difficulty_is_taken_out() {
        // All right, but the second half is what every bot knows, too: nothing was learned.
        let mut records = answers(&[(RIGHT, false); 4]);
        for record in &mut records[2..] {
            record.predicted.bots = [Guess { change: RIGHT, is_sure: false }; 4];
        }
        close(Trend::of(&records).expect("scored").improvement.expect("two in each half").delta, -0.5);
    }

    #[test]
    fn a_step_counts_once_for_a_device_and_ladders_have_raw_halves() {
        let mut records = answers(&[(RIGHT, false), (NEAR, false), (RIGHT, false), (RIGHT, false)]);
        records[3].device = records[0].device.clone();
        records[2].predicted.truth = Change::ALL[..3].to_vec();
        let trend = Trend::of(&records).expect("scored");
        assert_eq!((trend.summary.scored, trend.summary.not_scored, trend.repeated), (2, 1, 1));
        let [ladder] = trend.ladders.as_slice() else { panic!("one ladder: {:?}", trend.ladders) };
        assert_eq!(ladder.halves, [Part { right: 1, count: 1 }, Part { right: 0, count: 1 }]);
        assert_eq!(ladder.label(), "Mali-T600 Laplace");
        assert!(trend.lines().iter().all(|(line, _)| !line.contains('{')), "{:?}", trend.lines());
        assert_eq!(Trend::of(&records[2..3]), None, "nothing is scored");
    }
}
