//! A prediction as it is kept and exported: what was asked, guessed and seen. It has no name, no picture, no path and no date.

use super::votes::{Hands, Votes};
use super::{Change, Predicted, Score, score};
use base::error::Result;
use base::files::{Line, LineStep};
use base::hash::short_sha256;
use base::texts::{failed, in_english, text};
use engine::Compared;
use engine::device::DeviceInfo;
use kernels::filters::FilterIdExt;
use kernels::filters::Ladder;
use model::FilterId;
use model::measure::{Comparison, flat, write_rows};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::io::Write;

/// A prediction, or the votes of a class, with what was seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PredictionRecord {
    /// Form of the record, see [`Self::SCHEMA`].
    pub schema: u32,
    /// Number of the answer, from 1.
    pub order: u64,
    /// Ladder, step, guess, truth, bots.
    #[serde(flatten)]
    pub predicted: Predicted,
    /// The step's key, which stays where steps are added before it; of a lesson's screen the two variants.
    pub step_key: String,
    /// The step that it was compared with, from 0.
    pub against: usize,
    /// The filter.
    pub filter: FilterId,
    /// Width of the picture.
    pub width_px: usize,
    /// Height of the picture.
    pub height_px: usize,
    /// See [`device_hash`].
    pub device: String,
    /// How the two compared.
    #[serde(flatten)]
    pub comparison: Comparison,
    /// Whether other programs ran meanwhile.
    #[serde(default)]
    pub busy: bool,
    /// Rules whose reasons were offered, in the order shown; empty where the reason was not asked.
    pub reasons_shown: Vec<String>,
    /// The rule whose reason was chosen.
    pub reason_chosen: Option<String>,
    /// The rule whose reason is true.
    pub reason_true: Option<String>,
    /// From the question to the guess.
    pub seconds: f64,
    /// Version of the rules, see [`crate::why::rules_version`].
    pub rules: String,
    /// Hands of a class, in place of a guess.
    pub votes: Option<Votes>,
    /// What was remembered of it at later starts; `None` where that was skipped.
    pub recalls: Vec<Option<Change>>,
}

impl PredictionRecord {
    /// The form that is written now.
    pub const SCHEMA: u32 = 1;

    /// The ladder and the step's index in it; `None` where this program has no such step.
    #[must_use]
    pub fn place(&self) -> Option<(&'static Ladder, usize)> {
        let ladder = self.filter.filter().ladder(&self.predicted.ladder)?;
        Some((ladder, ladder.steps.iter().position(|step| step.key == self.step_key)?))
    }

    /// Whether both tell of the same answer: of two such, the later one is complete. Two windows may give the same number, but nobody takes equally long
    /// twice.
    #[must_use]
    pub fn is_same_answer(&self, other: &Self) -> bool {
        let answer = |record: &Self| (record.order, record.seconds.to_bits());
        answer(self) == answer(other) && (&self.predicted.ladder, &self.step_key) == (&other.predicted.ladder, &other.step_key)
    }

    /// Whether both ask the same of the same device: who answers a second time may remember the first.
    #[must_use]
    pub fn is_same_question(&self, other: &Self) -> bool {
        (&self.predicted.ladder, &self.step_key, &self.device) == (&other.predicted.ladder, &other.step_key, &other.device)
    }

    fn score(&self) -> Option<Score> {
        score(self.predicted.guess?, &self.predicted.truth)
    }
}

impl Line for PredictionRecord {
    const FILE: &'static str = "predictions.jsonl";
    const MOST: usize = 5000;
    const UNREAD: [&'static str; 2] = ["errors.window.unread-prediction", "errors.window.unread-predictions"];

    fn current(self) -> Option<Self> {
        (self.schema == Self::SCHEMA).then_some(self)
    }

    fn refused(step: LineStep) -> &'static str {
        match step {
            LineStep::Read => "errors.predictions.not-read",
            LineStep::Copy => "errors.predictions.not-copied",
            LineStep::Append => "errors.predictions.not-appended",
            LineStep::Replace => "errors.predictions.not-kept",
        }
    }
}

/// The file's lines without those that a later line completes.
#[must_use]
pub fn complete(lines: Vec<PredictionRecord>) -> Vec<PredictionRecord> {
    let mut records: Vec<PredictionRecord> = Vec::new();
    for line in lines {
        match records.iter_mut().rev().find(|record| record.is_same_answer(&line)) {
            Some(record) => *record = line,
            None => records.push(line),
        }
    }
    records
}

/// Tells devices and drivers apart without naming them: the first 12 digits of the SHA-256 of platform, device and driver version.
#[must_use]
pub fn device_hash(device: &DeviceInfo) -> String {
    let text = [device.platform.as_str(), &device.name, &device.driver_version].join("\0");
    short_sha256(text, 12)
}

/// The columns of an export, each with the key of what it says.
pub const FIELDS: [(&str, &str); 29] = [
    ("order", "prediction.field.order"),
    ("ladder", "prediction.field.ladder"),
    ("step", "prediction.field.step"),
    ("step_key", "prediction.field.step-key"),
    ("against", "prediction.field.against"),
    ("filter", "prediction.field.filter"),
    ("width_px", "prediction.field.width-px"),
    ("height_px", "prediction.field.height-px"),
    ("device", "prediction.field.device"),
    ("ratio", "prediction.field.ratio"),
    ("low", "prediction.field.low"),
    ("high", "prediction.field.high"),
    ("verdict", "prediction.field.verdict"),
    ("busy", "prediction.field.busy"),
    ("truth", "prediction.field.truth"),
    ("guess", "prediction.field.guess"),
    ("sure", "prediction.field.sure"),
    ("points", "prediction.field.points"),
    ("ranked", "prediction.field.ranked"),
    ("bots", "prediction.field.bots"),
    ("reasons_shown", "prediction.field.reasons-shown"),
    ("reason_chosen", "prediction.field.reason-chosen"),
    ("reason_true", "prediction.field.reason-true"),
    ("right_reason", "prediction.field.right-reason"),
    ("seconds", "prediction.field.seconds"),
    ("rules", "prediction.field.rules"),
    ("first_vote", "prediction.field.first-vote"),
    ("second_vote", "prediction.field.second-vote"),
    ("recalls", "prediction.field.recalls"),
];

/// A row of an export: the fields of [`FIELDS`], in their order.
fn row(record: &PredictionRecord) -> Map<String, Value> {
    let PredictionRecord { predicted, comparison, votes, .. } = record;
    let hands = |hands: fn(&Votes) -> Hands| votes.as_ref().map(hands);
    let values = [
        json!(record.order),
        json!(predicted.ladder),
        json!(predicted.step.saturating_add(1)),
        json!(record.step_key),
        json!(record.against.saturating_add(1)),
        json!(record.filter),
        json!(record.width_px),
        json!(record.height_px),
        json!(record.device),
        json!(comparison.ratio),
        json!(comparison.low),
        json!(comparison.high),
        json!(comparison.verdict),
        json!(record.busy),
        json!(predicted.truth),
        json!(predicted.guess.map(|guess| guess.change)),
        json!(predicted.guess.map(|guess| guess.is_sure)),
        json!(record.score().map(|score| score.points)),
        json!(record.score().map(|score| (score.ranked * 1e4).round() / 1e4)),
        json!(predicted.bots.map(|guess| guess.change)),
        json!(record.reasons_shown),
        json!(record.reason_chosen),
        json!(record.reason_true),
        json!(predicted.has_right_reason),
        json!((record.seconds * 10.0).round() / 10.0),
        json!(record.rules),
        json!(hands(|votes| votes.first)),
        json!(hands(|votes| votes.second)),
        record.recalls.iter().map(|recall| recall.map_or_else(|| json!("skipped"), |change| json!(change))).collect(),
    ];
    FIELDS.iter().zip(values).map(|((name, _), value)| ((*name).to_owned(), value)).collect()
}

/// Writes predictions as comma-separated values with the columns of [`FIELDS`]; several values in one cell are joined by `|`.
///
/// # Errors
/// When `to` cannot be written.
pub fn write_predictions_csv(records: &[PredictionRecord], to: impl Write) -> Result<()> {
    let joined = |value: Value| match value {
        Value::Array(values) => {
            let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            json!(values.iter().map(text).collect::<Vec<_>>().join("|"))
        }
        // Every column is there, whatever the first row lacks.
        Value::Null => json!(""),
        value => value,
    };
    let cells =
        |record: &PredictionRecord| flat(&row(record).into_iter().map(|(name, value)| (name, joined(value))).collect::<Map<_, _>>());
    let rows = records.iter().map(cells).collect::<Result<Vec<_>>>()?;
    write_rows(&rows, to)
}

/// Predictions with what each field says.
#[must_use]
pub fn predictions_json(records: &[PredictionRecord]) -> Value {
    let about = |key| in_english(|| json!(text(key)));
    let fields: Map<String, Value> = FIELDS.iter().map(|(name, key)| ((*name).to_owned(), about(key))).collect();
    json!({ "fields": fields, "predictions": records.iter().map(row).collect::<Vec<_>>() })
}

/// Writes [`predictions_json`].
///
/// # Errors
/// When `to` cannot be written.
pub fn write_predictions_json(records: &[PredictionRecord], mut to: impl Write) -> Result<()> {
    let written = serde_json::to_writer_pretty(&mut to, &predictions_json(records)).map_err(std::io::Error::from);
    written
        .and_then(|()| writeln!(to))
        .and_then(|()| to.flush())
        .map_err(|error| failed("errors.predictions.not-exported", &[("why", &error)]))
}

/// What is known of a step, or of a screen of a lesson, when its outcome is there; the rest of its record is added as it comes.
pub struct Asked<'a> {
    /// The key of the step or screen.
    pub key: String,
    /// The step that it is compared with, from 0; a screen is compared within itself.
    pub against: usize,
    /// Of which filter.
    pub filter: FilterId,
    /// Width and height of the picture.
    pub size_px: (usize, usize),
    /// Where both ran.
    pub device: &'a DeviceInfo,
}

impl Asked<'_> {
    /// The record, without reasons. Its order is given when it is kept.
    #[must_use]
    pub fn record(&self, predicted: Predicted, compared: &Compared, votes: Option<Votes>, seconds: f64) -> PredictionRecord {
        PredictionRecord {
            schema: PredictionRecord::SCHEMA,
            order: 0,
            predicted,
            step_key: self.key.clone(),
            against: self.against,
            filter: self.filter,
            width_px: self.size_px.0,
            height_px: self.size_px.1,
            device: device_hash(self.device),
            comparison: compared.comparison,
            busy: compared.busy,
            reasons_shown: Vec::new(),
            reason_chosen: None,
            reason_true: None,
            seconds,
            rules: crate::why::rules_version().to_owned(),
            votes,
            recalls: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FIELDS, PredictionRecord, complete, predictions_json, write_predictions_csv};
    use crate::predict::Change;
    use crate::predict::votes::Votes;
    use crate::testing::predictions::{guessed, voted};
    use base::texts::text;

    fn csv(records: &[PredictionRecord]) -> (csv::StringRecord, Vec<csv::StringRecord>) {
        let mut bytes = Vec::new();
        write_predictions_csv(records, &mut bytes).expect("written");
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        (reader.headers().expect("a header").clone(), reader.records().map(|row| row.expect("as long as the header")).collect())
    }

    #[test]
    fn a_record_comes_back_as_it_was() {
        let votes = voted(2, Votes { first: [1, 2, 3, 4, 5], second: [0; 5] }, &[Change::Same]);
        for record in [guessed(1, Change::Faster, true, &[Change::Same, Change::Faster]), votes] {
            let text = serde_json::to_string(&record).expect("plain data");
            assert_eq!(serde_json::from_str::<PredictionRecord>(&text).expect("its own text"), record);
        }
    }

    #[test]
    fn a_later_line_completes_an_earlier_one() {
        let (first, second) = (guessed(1, Change::Faster, true, &[Change::Same]), guessed(2, Change::Same, true, &[Change::Same]));
        let with_reason = PredictionRecord { reason_chosen: Some("same-code".to_owned()), ..first.clone() };
        assert_eq!(complete(vec![first.clone(), second.clone(), with_reason.clone()]), [with_reason, second.clone()]);
        // Two windows that were open at once may both have given the number.
        let mut elsewhere = second.clone();
        elsewhere.step_key = "merged".to_owned();
        assert_eq!(complete(vec![second.clone(), elsewhere.clone()]), [second.clone(), elsewhere]);
        // Of the same step, too.
        let again = PredictionRecord { seconds: 5.67, ..second.clone() };
        assert_eq!(complete(vec![second.clone(), again.clone()]), [second, again]);
    }

    #[test]
    fn every_column_is_there_and_explained() {
        let one = guessed(1, Change::Faster, true, &[Change::Same, Change::Faster]);
        let (header, rows) = csv(&[voted(2, Votes { first: [1, 2, 3, 4, 5], second: [0; 5] }, &[Change::Same]), one]);
        assert_eq!(header.iter().collect::<Vec<_>>(), FIELDS.map(|(name, _)| name));
        let cell = |row: usize, name: &str| rows[row][header.iter().position(|column| column == name).expect("a column")].to_owned();
        assert_eq!([cell(0, "first_vote"), cell(0, "guess"), cell(0, "points")], ["1|2|3|4|5", "", ""]);
        assert_eq!([cell(1, "truth"), cell(1, "guess"), cell(1, "sure"), cell(1, "points")], ["same|faster", "faster", "true", "1.0"]);
        assert_eq!(
            [cell(1, "ladder"), cell(1, "step"), cell(1, "against")],
            ["mali-t600", "2", "1"],
            "steps are counted as the window does"
        );
        let document = include_str!("../../../../docs/predictions.md");
        for (name, key) in FIELDS {
            let about = text(key);
            assert!(document.contains(&format!("| `{name}` | {about} |")), "docs/predictions.md lacks {name}: {about}");
        }
    }

    #[test]
    fn json_explains_itself() {
        let json = predictions_json(&[guessed(1, Change::Faster, true, &[Change::Slower])]);
        assert_eq!(json["fields"]["truth"].as_str(), Some(text("prediction.field.truth")));
        assert_eq!((&json["predictions"][0]["points"], &json["predictions"][0]["truth"]), (&0.0.into(), &serde_json::json!(["slower"])));
    }
}
