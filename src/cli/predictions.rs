//! `kernel-ladder predictions`.

use super::output;
use super::schema::JsonOf;
use base::error::Result;
use base::files::{read_lines, user_file};
use base::texts::{Words, failed, filled, speaking_keys};
use clap::Args;
use study::predict::Guess;
use study::trend::Trend;
use study::{FIELDS, PredictionRecord, complete, predictions_json, write_predictions_csv};
use view::plot::units;
use view::story::{self, Block, Cell, Kind, Story, Table, Tone};

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "Lessons in the window save predictions without name, picture or date; delete them in the Predictions panel.")]
pub struct Arguments {
    /// Print comma-separated values
    #[arg(long, conflicts_with_all = ["json", "fields"])]
    csv: bool,
    /// Print JSON, with a description of each field
    #[arg(long, conflicts_with = "fields")]
    json: bool,
    /// Print a description of each field of --csv and --json
    #[arg(long)]
    fields: bool,
}

/// Prints what was predicted in the window's lessons, and how it does.
///
/// # Errors
/// Failed where the file of predictions cannot be read, or the output not be printed.
pub fn run(arguments: &Arguments) -> Result<()> {
    if arguments.fields {
        let mut table = Table::headed("fields", ["prediction.field-head", "prediction.about-head"].map(|head| (Kind::Words, head)));
        for (name, about) in FIELDS {
            table.row([Cell::of(&name), Cell::Words(Words::text(about))]);
        }
        return output::print(&story::text::table(&table));
    }
    let path = user_file::<PredictionRecord>().ok_or_else(|| failed("errors.predictions.no-folder", &[]))?;
    let kept = read_lines(&path)?;
    if !kept.foreign.is_empty() {
        output::note(&filled("prediction.foreign", &[("count", &kept.foreign.len())]));
    }
    let records = complete(kept.lines);
    if arguments.csv {
        let mut bytes = Vec::new();
        write_predictions_csv(&records, &mut bytes)?;
        output::print(&String::from_utf8_lossy(&bytes))
    } else if arguments.json {
        output::print_json(JsonOf::Predictions, None, || predictions_json(&records))
    } else {
        output::print(&story::text::paint(&told(&records)))
    }
}

/// For people: a row for each, and how they do altogether.
fn told(records: &[PredictionRecord]) -> Story {
    let mut story = Story::default();
    if records.is_empty() {
        story.say(Tone::Plain, Words::text("prediction.none"));
        return story;
    }
    speaking_keys(|| {
        let heads = ["prediction.trend.ladder", "window.lesson.step", "window.lesson.you", "window.lesson.seen"];
        let mut table = Table::headed("predictions", heads.map(|head| (Kind::Words, head)));
        for record in records {
            let predicted = &record.predicted;
            let step = record.place().and_then(|(ladder, step)| ladder.step_title(step));
            let step = step.unwrap_or_else(|| format!("{} {}", predicted.step.saturating_add(1), record.step_key));
            let class = || record.votes?.in_words(&predicted.truth);
            let said = predicted.guess.map(Guess::label).or_else(class).unwrap_or_default();
            let seen = units::outcome(&record.comparison, record.busy);
            table.row([&predicted.ladder, &step, &said, &seen].map(|cell| Cell::of(cell)));
        }
        story.push(Block::Table(table));
        for (line, _) in Trend::of(records).iter().flat_map(Trend::lines) {
            story.say(Tone::Plain, line.into());
        }
    });
    story
}

#[cfg(test)]
mod tests {
    use super::told;
    use crate::testing::predictions::{guessed, voted};
    use study::predict::Change;
    use study::predict::votes::Votes;
    use view::story::text::paint;

    #[test]
    fn a_table_and_how_they_do() {
        let class = voted(2, Votes { first: [0, 0, 3, 1, 0], second: [0; 5] }, &[Change::Same]);
        let told = paint(&told(&[guessed(1, Change::Faster, true, &[Change::Faster]), class]));
        for words in ["mali-t600  2 Vectorize  faster, sure", "Class: 75 % correct before discussion", "Steps predicted and scored: 1"] {
            assert!(told.contains(words), "'{words}' is not in:\n{told}");
        }
    }
}
