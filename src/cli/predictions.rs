//! `kernel-ladder predictions`.

use super::output;
use base::error::Result;
use base::files::{read_lines, user_file};
use base::texts::{failed, filled, text};
use clap::Args;
use std::fmt::Write as _;
use study::predict::Guess;
use study::trend::Trend;
use study::{FIELDS, PredictionRecord, complete, predictions_json, write_predictions_csv};
use view::plot::units;
use view::story::columns::{Align, Table};

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
        let mut table = Table::new(&[(text("prediction.field-head"), Align::Left), (text("prediction.about-head"), Align::Left)]);
        for (name, about) in FIELDS {
            table.row(vec![name.to_owned(), text(about).to_owned()]);
        }
        return output::print(&table.render());
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
        output::print_json(|| predictions_json(&records))
    } else {
        output::print(&told(&records))
    }
}

/// For people: a row for each, and how they do altogether.
fn told(records: &[PredictionRecord]) -> String {
    if records.is_empty() {
        return format!("{}\n", text("prediction.none"));
    }
    let heads = ["prediction.trend.ladder", "window.lesson.step", "window.lesson.you", "window.lesson.seen"];
    let mut table = Table::new(&heads.map(|head| (text(head), Align::Left)));
    for record in records {
        let predicted = &record.predicted;
        let step = record.place().and_then(|(ladder, step)| ladder.step_title(step));
        let step = step.unwrap_or_else(|| format!("{} {}", predicted.step.saturating_add(1), record.step_key));
        let class = || record.votes?.in_words(&predicted.truth);
        let said = predicted.guess.map(Guess::label).or_else(class).unwrap_or_default();
        table.row(vec![predicted.ladder.clone(), step, said, units::outcome(&record.comparison, record.busy)]);
    }
    let mut told = table.render();
    for (line, _) in Trend::of(records).iter().flat_map(Trend::lines) {
        // Writing to a string cannot fail.
        let _ = write!(told, "\n{line}");
    }
    told + "\n"
}

#[cfg(test)]
mod tests {
    use super::told;
    use crate::testing::predictions::{guessed, voted};
    use study::predict::Change;
    use study::predict::votes::Votes;

    #[test]
    fn a_table_and_how_they_do() {
        let class = voted(2, Votes { first: [0, 0, 3, 1, 0], second: [0; 5] }, &[Change::Same]);
        let told = told(&[guessed(1, Change::Faster, true, &[Change::Faster]), class]);
        for words in ["mali-t600  2 Vectorize  faster, sure", "Class: 75 % correct before discussion", "Steps predicted and scored: 1"] {
            assert!(told.contains(words), "'{words}' is not in:\n{told}");
        }
    }
}
