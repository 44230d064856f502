//! Made-up predictions.

use crate::PredictionRecord;
use crate::predict::votes::Votes;
use crate::predict::{Bot, Change, Guess, Predicted};
use kernels::filters::Says;
use model::FilterId;
use model::measure::{Comparison, Verdict};

/// The second step of the first Laplace ladder, each of `order` on a device of its own, so that none repeats another. The guide says that it is faster.
#[must_use]
pub fn guessed(order: u64, change: Change, is_sure: bool, truth: &[Change]) -> PredictionRecord {
    let predicted = Predicted {
        ladder: "mali-t600".to_owned(),
        step: 1,
        guess: Some(Guess { change, is_sure }),
        truth: truth.to_vec(),
        bots: Bot::ALL.map(|bot| bot.guess(Some(Says::Faster), Some((27.0, 1.8)))),
        has_right_reason: None,
    };
    PredictionRecord {
        schema: PredictionRecord::SCHEMA,
        order,
        predicted,
        step_key: "vectorize".to_owned(),
        against: 0,
        filter: FilterId::Laplace,
        width_px: 600,
        height_px: 400,
        device: format!("{order:012x}"),
        comparison: Comparison { ratio: 1.25, low: 1.2, high: 1.3, verdict: Verdict::Faster, starts: 1 },
        busy: false,
        reasons_shown: Vec::new(),
        reason_chosen: None,
        reason_true: None,
        seconds: 12.34,
        rules: "00000000".to_owned(),
        votes: None,
        recalls: Vec::new(),
    }
}

/// The same, voted on by a class.
#[must_use]
pub fn voted(order: u64, votes: Votes, truth: &[Change]) -> PredictionRecord {
    let mut record = guessed(order, Change::Same, false, truth);
    record.predicted.guess = None;
    PredictionRecord { votes: Some(votes), ..record }
}
