//! `kernel-ladder compare`: the rows of a baseline, measured again; and how `bench --save` writes one.

use super::Ending;
use super::arguments::{self, LargeArgument};
use super::named_files::NamedFiles;
use super::output::{self, TerminalProgress};
use super::schema::JsonOf;
use base::error::Result;
use base::files;
use base::texts::{failed, filled, misused};
use clap::Args;
use engine::Backend;
use engine::device::DeviceInfo;
use model::Budget;
use pictures::Picture;
use serde_json::{Value, json};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Instant;
use study::baseline::{self, Baseline, Entry, Fingerprint, Judged, LEAST_PROCESSES, Outcome, Outlook, Rows, Terms};
use study::bundle::Bundle;
use view::story::{json as story_json, markdown, text as story_text};

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  kernel-ladder bench --variant coalesced+padded --size 2048x2048 --save baseline.json
  kernel-ladder compare baseline.json
  kernel-ladder compare baseline.json --fail-slower 5% --junit kernels.xml --markdown
  kernel-ladder --filters my-filters compare baseline.json --processes 15 --history times.jsonl
  kernel-ladder compare other-machine.json --across

In CI, keep the baseline in the repository or as an artifact of the main branch, and run on a machine that does nothing else:
  kernel-ladder --filters filters compare baseline.json --junit kernels.xml --markdown >> \"$GITHUB_STEP_SUMMARY\"

Each row is verified first, then measured in new processes. If the text of a kernel differs from the one in the baseline, both texts run now, in interleaved pairs: \
the ratio is that of the kernels, whatever the machine does meanwhile. If the text is the same, the medians of the processes then and now are compared: \
this finds a slower machine, driver or setting. A row that is slower is measured again in new processes, and counts only if it is slower then, too.

Another CPU, device or driver is an error; with --across, the times are printed side by side without verdicts. The stored kernels are run here: compare only \
files that you trust.

Exit codes: 0 no row is slower, 1 a row failed or its output is wrong, 2 usage error, 3 a row is slower, 4 inconclusive")]
pub struct Arguments {
    /// Baseline written by `kernel-ladder bench --save`
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Number of new processes in which each row is measured, 3 to 50 [default: as in the baseline]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(LEAST_PROCESSES as u64..=Budget::MOST_STARTS as u64))]
    processes: Option<u64>,
    /// Increase of the time, in percent, from which a row counts as slower
    #[arg(long, value_name = "PERCENT", default_value = "3%", value_parser = parse_percent)]
    fail_slower: f64,
    #[command(flatten)]
    machine: MachineArguments,
    /// The picture of the baseline, if it was measured over one of your own
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    #[command(flatten)]
    large: LargeArgument,
    /// Also write JUnit XML to this file, with a test for each row
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Also append the results to this file, as a line of JSON with commit and date, for `kernel-ladder history`
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
    /// Print Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What the machine of the baseline has to do with it.
#[derive(Args, Debug)]
struct MachineArguments {
    /// Also accept a baseline of another machine, device or driver: prints the times without verdicts
    #[arg(long)]
    across: bool,
    /// Also give verdicts on kernels that are the same as in the baseline: finds a slower machine or setting, but also its drift
    #[arg(long, conflicts_with = "across")]
    machine: bool,
}

/// "3%", "3 %" or "3": a share of 0.03.
///
/// # Errors
/// A usage error that shows the form.
fn parse_percent(text: &str) -> Result<f64> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>().ok();
    let percent = number.filter(|percent| *percent > 0.0 && *percent <= 1000.0);
    percent.map(|percent| percent / 100.0).ok_or_else(|| misused("errors.cli.percent", &[("text", &text)]))
}

impl Arguments {
    /// The files that it names.
    pub fn named_files(&self) -> NamedFiles<'_> {
        NamedFiles::default()
            .reading(&self.picture)
            .reading([&self.file])
            .writing(self.junit.as_ref(), &["xml"])
            .writing(self.history.as_ref(), &["jsonl", "json"])
    }
}

/// Measures the rows of a baseline again, and prints what follows.
///
/// # Errors
/// Failed where the baseline cannot be read, is of another machine, or a row fails, after all others are printed.
pub fn run(arguments: &Arguments, backend: &mut dyn Backend) -> Result<Ending> {
    let begun = Instant::now();
    let baseline = baseline::read(&arguments.file)?;
    let own = arguments.picture.as_deref().map(|path| arguments::open_picture(path, arguments.large)).transpose()?;
    let devices = arguments::devices(backend)?;
    let now = Fingerprint::of(&devices);
    let differences = baseline::differences(&baseline, &now, &devices);
    if !differences.is_empty() && !arguments.machine.across {
        return Err(failed("errors.baseline.other-machine", &[("why", &differences.join("; "))]));
    }
    let terms = Terms {
        processes: arguments.processes.map_or_else(|| baseline.processes(), |count| count as usize),
        threshold: arguments.fail_slower,
        is_across: !differences.is_empty(),
        is_of_machine: arguments.machine.machine,
    };
    let rows = Rows::of(&baseline, &devices, own.as_ref().map(|own| &own.picture))?;
    let progress = TerminalProgress::new();
    let judged = baseline::judge(&rows, &terms, &devices, backend, &progress);
    progress.clear();
    let judged = judged?;
    if let Some(path) = &arguments.junit {
        files::write_atomically(path, baseline::junit(&judged, begun.elapsed()).as_bytes())?;
    }
    let outlook = baseline::overall(&judged, &terms);
    if let Some(path) = &arguments.history {
        Entry::of(&baseline, &now, &terms, &judged, outlook).append(path)?;
    }
    let story = baseline::story(&baseline, &now, &differences, &terms, &judged);
    if arguments.json {
        output::print_json(JsonOf::Compare, None, || {
            let mut facts = story_json::paint(&story);
            if let Value::Object(fields) = &mut facts {
                fields.insert("verdict".to_owned(), json!(outlook.name()));
                fields.insert("fail_slower".to_owned(), json!(terms.threshold));
                fields.insert("processes".to_owned(), json!(terms.processes));
                fields.insert("baseline".to_owned(), json!(baseline.fingerprint));
                fields.insert("now".to_owned(), json!(now));
            }
            facts
        })?;
    } else if arguments.markdown {
        output::print(&markdown::paint(&story))?;
    } else {
        output::print(&story_text::paint(&story))?;
    }
    match outlook {
        Outlook::Failed(count) => Err(failure(&judged, count)),
        Outlook::Slower(_) => Ok(Ending::Slower),
        Outlook::Inconclusive(_) => Ok(Ending::Inconclusive),
        Outlook::NotSlower | Outlook::Across => Ok(Ending::Done),
    }
}

/// The first row that failed stands for all.
fn failure(judged: &[Judged], count: usize) -> base::error::Error {
    let first = judged.iter().find_map(|judged| if let Outcome::Failed(why) = &judged.outcome { Some((&judged.name, why)) } else { None });
    let (row, why) = first.map(|(row, why)| (row.to_string(), why.to_string())).unwrap_or_default();
    let values: [(&str, &dyn Display); 4] = [("failed", &count), ("count", &judged.len()), ("row", &row), ("why", &why)];
    failed("errors.baseline.failed", &values)
}

/// Writes a baseline of what a benchmark has just brought, after it was measured in more processes.
///
/// # Errors
/// A usage error of too few processes; cancelled; a row that fails in one of them; the file cannot be written.
pub fn save(
    path: &Path,
    bundle: Bundle,
    own: Option<&Picture>,
    devices: &[DeviceInfo],
    starts: usize,
    backend: &mut dyn Backend,
) -> Result<()> {
    let progress = TerminalProgress::new();
    let baseline: Result<Baseline> = baseline::save(bundle, own, devices, starts, backend, &progress);
    progress.clear();
    let baseline = baseline?;
    baseline::write(path, &baseline)?;
    let values: [(&str, &dyn Display); 3] =
        [("path", &path.display()), ("rows", &baseline.rows.len()), ("processes", &baseline.processes())];
    output::note(&filled("studies.gate.saved", &values));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::parse_percent;

    #[test]
    fn a_threshold_is_in_percent() {
        for (text, share) in [("3%", 0.03), ("3 %", 0.03), ("2.5", 0.025), ("100%", 1.0)] {
            assert!((parse_percent(text).expect("a share") - share).abs() < 1e-12, "{text}");
        }
        for text in ["", "%", "0", "-3%", "nan", "inf%", "three", "1001"] {
            assert!(parse_percent(text).is_err(), "{text}");
        }
    }
}
