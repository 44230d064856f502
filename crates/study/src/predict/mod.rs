//! Predictions: what a person expects of a step before it is measured, held to what is then seen.
//!
//! The truth is a set of categories: all that the interval of the ratio touches. A guess within it is right; where it touches more than two, the step
//! is shown and explained but not scored, as the clock cannot tell. Scores are compared with bots that answer by a rule of thumb: who does no better than
//! "always faster" has learned nothing of this device.

mod expected;
mod record;
pub mod votes;

pub use expected::Expected;
pub use record::{Asked, FIELDS, PredictionRecord, complete, device_hash, predictions_json, write_predictions_csv, write_predictions_json};

use base::texts::{filled, text};
use kernels::filters::Says;
use model::measure::Comparison;
use serde::{Deserialize, Serialize};

/// Ratios whose logarithm is within this of 0 are the same to a person.
const SAME_LN: f64 = 0.05;

/// Beyond this, ln 1.5, it is much.
const MUCH_LN: f64 = 0.405;

/// How a step compares with the one before it, from slowest to fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// More than 1.5 times the time.
    MuchSlower,
    /// More than 5 % more time.
    Slower,
    /// Within 5 %.
    Same,
    /// More than 5 % less time.
    Faster,
    /// Less than two thirds of the time.
    MuchFaster,
}

impl Change {
    /// In order; the key `1` chooses the first.
    pub const ALL: [Self; 5] = [Self::MuchSlower, Self::Slower, Self::Same, Self::Faster, Self::MuchFaster];

    /// As buttons and tables show it.
    #[must_use]
    pub fn label(self) -> &'static str {
        text(match self {
            Self::MuchSlower => "words.change.much-slower",
            Self::Slower => "words.change.slower",
            Self::Same => "words.change.same",
            Self::Faster => "words.change.faster",
            Self::MuchFaster => "words.change.much-faster",
        })
    }

    /// The category of a ratio of times, before over after. Symmetric on a logarithmic scale.
    #[must_use]
    pub fn of_ratio(ratio: f64) -> Self {
        match ratio.ln() {
            ln if ln < -MUCH_LN => Self::MuchSlower,
            ln if ln < -SAME_LN => Self::Slower,
            ln if ln <= SAME_LN => Self::Same,
            ln if ln <= MUCH_LN => Self::Faster,
            _ => Self::MuchFaster,
        }
    }

    /// Its place in [`Self::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// What is true: every category that the interval touches, in order.
#[must_use]
pub fn truth(comparison: &Comparison) -> Vec<Change> {
    let ends = [comparison.low, comparison.high];
    if ends.iter().any(|end| !end.is_finite() || *end <= 0.0) {
        return Vec::new();
    }
    let [low, high] = ends.map(Change::of_ratio);
    Change::ALL.into_iter().filter(|change| (low..=high).contains(change)).collect()
}

/// How many categories lie between two sets, at their nearest: 0 where they share one. `None` where one of them is empty.
#[must_use]
pub fn apart(one: &[Change], other: &[Change]) -> Option<usize> {
    let to_other = |change: &Change| other.iter().map(|other| change.index().abs_diff(other.index())).min();
    one.iter().filter_map(to_other).min()
}

/// Whether the interval decides anything: it touches two categories at most.
#[must_use]
pub fn is_decided(truth: &[Change]) -> bool {
    (1..=2).contains(&truth.len())
}

/// A person's guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guess {
    /// What is expected.
    pub change: Change,
    /// Whether the person was sure.
    pub is_sure: bool,
}

impl Guess {
    /// "faster, sure".
    #[must_use]
    pub fn label(self) -> String {
        let change = self.change.label();
        if self.is_sure { filled("window.lesson.is-sure", &[("change", &change)]) } else { change.to_owned() }
    }

    /// The chances that the guess gives to each category: sure, 0.80 on the choice and 0.15 on its neighbors together; not sure, 0.40 and 0.40. The rest is
    /// shared by the others. What has no neighbor on one side gives its share to the other.
    fn chances(self) -> [f64; 5] {
        let [own, beside, rest] = if self.is_sure { [0.80, 0.15, 0.05] } else { [0.40, 0.40, 0.20] };
        let place = self.change.index();
        let is_beside = |index: usize| index.abs_diff(place) == 1;
        let neighbors = (0..5).filter(|&index| is_beside(index)).count() as f64;
        let others = 4.0 - neighbors;
        std::array::from_fn(|index| match index {
            index if index == place => own,
            index if is_beside(index) => beside / neighbors,
            _ => rest / others,
        })
    }
}

/// How a guess did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// 1 where the guess is true, a half where it is next to the truth, and else 0.
    pub points: f64,
    /// The ranked probability score: 0 is perfect, and being far off costs more than being near; being sure raises the stakes.
    pub ranked: f64,
}

impl Score {
    /// Whether the guess is true.
    #[must_use]
    pub fn is_right(self) -> bool {
        self.points >= 1.0
    }
}

/// Holds a guess to the truth. `None` where it is not scored: nothing is known, or more than two categories are true.
#[must_use]
pub fn score(guess: Guess, truth: &[Change]) -> Option<Score> {
    if !is_decided(truth) {
        return None;
    }
    let points = match apart(&[guess.change], truth)? {
        0 => 1.0,
        1 => 0.5,
        _ => 0.0,
    };
    let ranked = truth.iter().map(|&change| ranked(guess.chances(), change)).min_by(f64::total_cmp)?;
    Some(Score { points, ranked })
}

/// A quarter of the sum of the squared differences between the cumulated chances and the truth (Epstein 1969, over five categories).
fn ranked(chances: [f64; 5], truth: Change) -> f64 {
    let mut cumulated = 0.0;
    let sum: f64 = chances
        .iter()
        .take(4)
        .enumerate()
        .map(|(index, chance)| {
            cumulated += chance;
            let seen = if index >= truth.index() { 1.0 } else { 0.0 };
            (cumulated - seen) * (cumulated - seen)
        })
        .sum();
    sum / 4.0
}

/// A rule of thumb that guesses, to compare a person with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bot {
    /// Every stage makes it faster.
    AlwaysFaster,
    /// No stage does anything.
    AlwaysSame,
    /// What the guide claims.
    BelievesTheGuide,
    /// The time is as the loads per pixel.
    CountsLoads,
}

impl Bot {
    /// All there are.
    pub const ALL: [Self; 4] = [Self::AlwaysFaster, Self::AlwaysSame, Self::BelievesTheGuide, Self::CountsLoads];

    /// As tables show it.
    #[must_use]
    pub fn label(self) -> &'static str {
        text(match self {
            Self::AlwaysFaster => "words.bot.always-faster",
            Self::AlwaysSame => "words.bot.always-same",
            Self::BelievesTheGuide => "words.bot.believes-the-guide",
            Self::CountsLoads => "words.bot.counts-loads",
        })
    }

    /// What it guesses of a step; `loads` are those per pixel before and after, where they are counted.
    #[must_use]
    pub fn guess(self, says: Option<Says>, loads: Option<(f64, f64)>) -> Guess {
        let change = match self {
            Self::AlwaysFaster => Change::Faster,
            Self::AlwaysSame => Change::Same,
            Self::BelievesTheGuide => match says {
                Some(Says::Slower) => Change::Slower,
                Some(Says::Same | Says::NotFaster) => Change::Same,
                Some(Says::Faster) | None => Change::Faster,
            },
            Self::CountsLoads => loads.map_or(Change::Same, |(before, after)| Change::of_ratio(before / after)),
        };
        Guess { change, is_sure: false }
    }
}

/// A step that was predicted and seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Predicted {
    /// Ladder.
    pub ladder: String,
    /// Step, from 0.
    pub step: usize,
    /// What the person guessed; `None` where the step was skipped.
    pub guess: Option<Guess>,
    /// What was true.
    pub truth: Vec<Change>,
    /// What the bots guessed, in the order of [`Bot::ALL`].
    pub bots: [Guess; 4],
    /// Whether the reason was chosen rightly; `None` where it was not asked.
    pub has_right_reason: Option<bool>,
}

/// How predictions did altogether.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Steps that were guessed and scored.
    pub scored: usize,
    /// Steps that were guessed and not scored: the interval decided nothing.
    pub not_scored: usize,
    /// Mean of the points.
    pub points: f64,
    /// The bot that did best on the same steps.
    pub best_bot: Bot,
    /// Mean of its points.
    pub best_bot_points: f64,
    /// Mean of the ranked scores; 0 is perfect.
    pub ranked: f64,
    /// The same of that bot, of all the least.
    pub best_bot_ranked: f64,
    /// 1 − mean ranked score over that of the best bot: above 0, the person beats it.
    pub skill: f64,
    /// Points in the first and the second half of the scored steps; the middle one of an odd number counts in the second.
    pub halves: [f64; 2],
    /// Reasons that were asked, and those of them that were right.
    pub reasons: (usize, usize),
}

/// Sums predictions up, in the order in which they were made; `None` where none was scored.
#[must_use]
pub fn summarize(steps: &[Predicted]) -> Option<Summary> {
    let guessed: Vec<&Predicted> = steps.iter().filter(|step| step.guess.is_some()).collect();
    let scored: Vec<(&Predicted, Score)> = guessed.iter().filter_map(|step| Some((*step, score(step.guess?, &step.truth)?))).collect();
    let mean = |values: &mut dyn Iterator<Item = f64>| {
        let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
        if count > 0.0 { sum / count } else { 0.0 }
    };
    if scored.is_empty() {
        return None;
    }
    let bots = Bot::ALL.into_iter().enumerate().map(|(index, bot)| {
        let scores: Vec<Score> = scored.iter().filter_map(|(step, _)| score(*step.bots.get(index)?, &step.truth)).collect();
        (bot, mean(&mut scores.iter().map(|score| score.points)), mean(&mut scores.iter().map(|score| score.ranked)))
    });
    let (best_bot, best_bot_points, best_bot_ranked) = bots.min_by(|left, right| left.2.total_cmp(&right.2))?;
    let ranked = mean(&mut scored.iter().map(|(_, score)| score.ranked));
    let (first, second) = scored.split_at(scored.len() / 2);
    let points = |part: &[(&Predicted, Score)]| mean(&mut part.iter().map(|(_, score)| score.points));
    let reasons = guessed.iter().filter_map(|step| step.has_right_reason);
    Some(Summary {
        scored: scored.len(),
        not_scored: guessed.len() - scored.len(),
        points: points(&scored),
        best_bot,
        best_bot_points,
        ranked,
        best_bot_ranked,
        skill: if best_bot_ranked > 0.0 { 1.0 - ranked / best_bot_ranked } else { 0.0 },
        halves: [points(first), points(second)],
        reasons: reasons.fold((0, 0), |(asked, right), is_right| (asked + 1, right + usize::from(is_right))),
    })
}

#[cfg(test)]
mod tests {
    use super::{Bot, Change, Guess, Predicted, score, summarize, truth};
    use kernels::filters::Says;
    use model::measure::{Comparison, Verdict};

    fn between(low: f64, high: f64) -> Comparison {
        Comparison { ratio: (low * high).sqrt(), low, high, verdict: Verdict::Unclear, starts: 1 }
    }

    fn guess(change: Change, is_sure: bool) -> Guess {
        Guess { change, is_sure }
    }

    #[test]
    fn categories_are_symmetric() {
        for (ratio, change) in [
            (1.04, Change::Same),
            (1.06, Change::Faster),
            (1.49, Change::Faster),
            (1.51, Change::MuchFaster),
            (1.0 / 1.04, Change::Same),
            (1.0 / 1.06, Change::Slower),
            (1.0 / 1.51, Change::MuchSlower),
        ] {
            assert_eq!(Change::of_ratio(ratio), change, "{ratio}");
        }
    }

    #[test]
    fn the_truth_is_all_that_the_interval_touches() {
        assert_eq!(truth(&between(1.1, 1.3)), [Change::Faster]);
        assert_eq!(truth(&between(1.02, 1.3)), [Change::Same, Change::Faster]);
        assert_eq!(truth(&between(0.7, 1.3)), [Change::Slower, Change::Same, Change::Faster]);
        assert_eq!(truth(&between(0.0, 1.3)), []);
    }

    /// The figures are worked by hand: the guess "faster" and outcomes below it.
    #[test]
    fn scores_by_hand() {
        let of = |is_sure: bool, seen: Change| score(guess(Change::Faster, is_sure), &[seen]).expect("scored");
        for (is_sure, seen, points, ranked) in [
            (true, Change::Faster, 1.0, 0.006),
            (true, Change::Same, 0.5, 0.194),
            (true, Change::Slower, 0.0, 0.419),
            (false, Change::Faster, 1.0, 0.062),
            (false, Change::Same, 0.5, 0.113),
            (false, Change::Slower, 0.0, 0.263),
        ] {
            let scored = of(is_sure, seen);
            assert!((scored.points - points).abs() < 1e-12, "{is_sure} {seen:?}");
            assert!((scored.ranked - ranked).abs() < 0.0011, "{is_sure} {seen:?}: {}", scored.ranked);
        }
        // Two are true: the better one counts. Three: the clock cannot tell.
        let two = score(guess(Change::Faster, true), &[Change::Same, Change::Faster]).expect("scored");
        assert_eq!(two, of(true, Change::Faster));
        assert_eq!(score(guess(Change::Faster, true), &Change::ALL[..3]), None);
        assert_eq!(score(guess(Change::Faster, true), &[]), None);
    }

    #[test]
    fn chances_add_up_to_one() {
        for change in Change::ALL {
            for is_sure in [false, true] {
                let sum: f64 = guess(change, is_sure).chances().iter().sum();
                assert!((sum - 1.0).abs() < 1e-12, "{change:?}");
            }
        }
    }

    #[test]
    fn bots_follow_their_rule() {
        let of = |bot: Bot, says, loads| bot.guess(says, loads).change;
        assert_eq!(of(Bot::AlwaysFaster, Some(Says::Slower), None), Change::Faster);
        assert_eq!(of(Bot::BelievesTheGuide, Some(Says::Slower), None), Change::Slower);
        assert_eq!(of(Bot::CountsLoads, None, Some((27.0, 1.8))), Change::MuchFaster);
        assert_eq!(of(Bot::CountsLoads, None, Some((27.0, 27.0))), Change::Same);
    }

    fn predicted(guessed: Option<Change>, truth: &[Change], reason: Option<bool>) -> Predicted {
        Predicted {
            ladder: "mali-t600".to_owned(),
            step: 1,
            guess: guessed.map(|change| guess(change, false)),
            truth: truth.to_vec(),
            bots: Bot::ALL.map(|bot| bot.guess(Some(Says::Faster), Some((27.0, 1.8)))),
            has_right_reason: reason,
        }
    }

    #[test]
    fn a_ladder_is_summed_up() {
        let steps = [
            predicted(Some(Change::Faster), &[Change::Same], Some(false)),
            predicted(Some(Change::Same), &[Change::Same], Some(true)),
            predicted(Some(Change::Same), &[Change::Slower, Change::Same, Change::Faster], None),
            predicted(None, &[Change::Same], None),
            predicted(Some(Change::Slower), &[Change::Slower], None),
        ];
        let summary = summarize(&steps).expect("three are scored");
        assert_eq!((summary.scored, summary.not_scored, summary.reasons), (3, 1, (2, 1)));
        assert!((summary.points - 2.5 / 3.0).abs() < 1e-12);
        assert!((summary.halves[0] - 0.5).abs() < 1e-12 && (summary.halves[1] - 1.0).abs() < 1e-12);
        // Two of three were the same, and the third next to it.
        assert_eq!(summary.best_bot, Bot::AlwaysSame);
        assert!((summary.best_bot_points - 2.5 / 3.0).abs() < 1e-12);
        assert!(summary.skill < 0.5);
        assert_eq!(summarize(&steps[2..4]), None);
    }
}
