//! A study on the command line: its probes taken one after the other, with progress on stderr; the picture that it is done on; and how its comparisons are told.

use super::arguments::parse_pixels;
use super::output::TerminalProgress;
use crate::engine::{Backend, PictureRef};
use crate::error::{Error, ErrorKind, Result};
use crate::measure::{Comparison, Progress as _};
use crate::model::{Budget, Channels, Outcome};
use crate::plot::units;
use crate::study::ablation::Worth;
use crate::study::{Finding, Probe, Run, Study};
use crate::texts::{failed, text};
use clap::Args;
use std::fmt::Display;

/// Large enough for kernels to outlast their start.
const LARGE_PX: (usize, usize) = (3840, 2160);

/// The generated picture that a variant is studied on.
#[derive(Args, Debug)]
pub struct GeneratedArguments {
    /// Size of the generated picture [default: 3840x2160]
    #[arg(long, value_name = "3840x2160", value_parser = parse_pixels)]
    size: Option<(usize, usize)>,
}

impl GeneratedArguments {
    /// The picture.
    pub fn picture(&self, channels: Channels) -> PictureRef {
        PictureRef::generated(self.size.unwrap_or(LARGE_PX), channels)
    }
}

/// A comparison with its verdict; or why it could not be made. `None` where it was not made.
pub fn worth_text(worth: &Worth) -> Option<String> {
    Some(match worth.as_ref()? {
        Ok(compared) => {
            let verdict = units::with_starts(units::verdict(compared.comparison.verdict, compared.busy), &compared.comparison);
            format!("{} {verdict}", units::comparison(&compared.comparison))
        }
        Err(why) => format!("- ({why})"),
    })
}

/// What stands behind a ratio that only one process of the program stands for; nothing where several do.
pub fn one_run_mark(comparison: &Comparison) -> String {
    comparison.one_run().map_or_else(String::new, |one_run| format!(" ({one_run})"))
}

/// The note behind a figure that was taken while other programs ran; nothing where none did.
pub fn busy_mark(is_busy: bool) -> String {
    if is_busy { format!(" ({})", text("tables.busy")) } else { String::new() }
}

/// That nothing of what was asked for failed: a wrong output or a driver's refusal, told in its place in the tables, is a failure of the whole. What is not supported is
/// not.
///
/// # Errors
/// Something failed.
pub fn complete(findings: &[Finding]) -> Result<()> {
    let failure = |error: &Error| (error.kind != ErrorKind::Usage).then(|| error.to_string());
    let failures: Vec<String> = findings
        .iter()
        .filter_map(|finding| match finding {
            Finding::Record(_, record) => match &record.outcome {
                Outcome::Failed(why) => Some(why.to_string()),
                Outcome::Measured(_) | Outcome::Unsupported(_) => None,
            },
            Finding::Glanced(_, Err(error)) | Finding::Compared(_, Err(error)) => failure(error),
            Finding::Glanced(_, Ok(_)) | Finding::Compared(_, Ok(_)) | Finding::Code(..) | Finding::Roofs(_) => None,
        })
        .collect();
    if failures.is_empty() {
        return Ok(());
    }
    let values: [(&str, &dyn Display); 2] = [("failed", &failures.len()), ("count", &findings.len())];
    Err(failed("errors.cli.not-complete", &values).with_detail(failures.join("\n")))
}

/// All that a study finds. `about` says what a probe is of, where its number alone says too little.
///
/// # Errors
/// Cancelled, or what keeps a probe from being taken: a task that could not be measured is a finding, too.
pub fn findings(
    study: impl Study + 'static,
    budget: Budget,
    backend: &mut dyn Backend,
    about: impl Fn(&Probe) -> String,
) -> Result<Vec<Finding>> {
    findings_told(study, budget, backend, |probe, _| about(probe))
}

/// The same where `about` also knows what was found so far.
///
/// # Errors
/// As [`findings`].
pub fn findings_told(
    study: impl Study + 'static,
    budget: Budget,
    backend: &mut dyn Backend,
    mut about: impl FnMut(&Probe, &[Finding]) -> String,
) -> Result<Vec<Finding>> {
    let mut run = Run::new(Box::new(study), budget);
    let mut progress = TerminalProgress::new();
    while let Some(probe) = run.next_probe() {
        let (done, total) = run.progress();
        let number = if total == 0 { format!("[{}]", done + 1) } else { format!("[{}/{total}]", done + 1) };
        let what = about(&probe, run.findings());
        progress.job = if what.is_empty() { number } else { format!("{number} {what}") };
        let is_comparison = matches!(probe, Probe::Compare(..));
        progress.report(0, 1, text(if is_comparison { "progress.comparing" } else { "progress.measuring" }));
        run.take(probe, backend, &progress)?;
    }
    progress.clear();
    Ok(run.into_findings())
}
