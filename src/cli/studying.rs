//! A study on the command line: its probes taken one after the other, with progress on stderr; the picture that it is done on; and how its comparisons are told.

use super::arguments::parse_pixels;
use super::output::TerminalProgress;
use base::error::Result;
use base::texts::text;
use clap::Args;
use engine::{Backend, PictureRef};
use model::measure::{Comparison, Progress as _};
use model::{Budget, Channels};
use study::{Finding, Probe, Run, Study};

/// Large enough for kernels to outlast their start.
const LARGE_PX: (usize, usize) = (3840, 2160);

/// The generated picture that a variant is studied on.
#[derive(Args, Debug)]
pub struct GeneratedArguments {
    /// Size of the generated picture [default: 3840x2160]
    #[arg(long, value_name = "3840x2160", value_parser = parse_pixels)]
    pub size: Option<(usize, usize)>,
}

impl GeneratedArguments {
    /// The picture.
    pub fn picture(&self, channels: Channels) -> PictureRef {
        PictureRef::generated(self.size.unwrap_or(LARGE_PX), channels)
    }
}

/// What stands behind a ratio that only one process of the program stands for; nothing where several do.
pub fn one_run_mark(comparison: &Comparison) -> String {
    comparison.one_run().map_or_else(String::new, |one_run| format!(" ({one_run})"))
}

/// The note behind a figure that was taken while other programs ran; nothing where none did.
pub fn busy_mark(is_busy: bool) -> String {
    if is_busy { format!(" ({})", text("tables.busy")) } else { String::new() }
}

/// All that a study finds, with progress on stderr.
///
/// # Errors
/// Cancelled, or what keeps a probe from being taken: a task that could not be measured is a finding, too.
pub fn run(study: Box<dyn Study>, budget: Budget, backend: &mut dyn Backend) -> Result<Run> {
    told(Run::new(study, budget), backend, |run, probe| Ok(run.study().about(probe)))
}

fn told(mut run: Run, backend: &mut dyn Backend, mut about: impl FnMut(&Run, &Probe) -> Result<String>) -> Result<Run> {
    let mut progress = TerminalProgress::new();
    while let Some(probe) = run.next_probe() {
        let (done, total) = run.progress();
        let number = if total == 0 { format!("[{}]", done + 1) } else { format!("[{}/{total}]", done + 1) };
        let what = about(&run, &probe).inspect_err(|_| progress.clear())?;
        progress.job = if what.is_empty() { number } else { format!("{number} {what}") };
        let is_comparison = matches!(probe, Probe::Compare(..));
        progress.report(0, 1, text(if is_comparison { "progress.comparing" } else { "progress.measuring" }));
        run.take(probe, backend, &progress)?;
    }
    progress.clear();
    Ok(run)
}

/// All that a search finds that goes on with `earlier`. `about` says what a probe is of, given what was found so far; where it fails, the search ends.
///
/// # Errors
/// As [`run`], and those of `about`.
pub fn resumed(
    study: impl Study + 'static,
    earlier: Vec<Finding>,
    budget: Budget,
    backend: &mut dyn Backend,
    mut about: impl FnMut(&Probe, &[Finding]) -> Result<String>,
) -> Result<Vec<Finding>> {
    let run = Run::new(Box::new(study), budget).with_findings(earlier);
    Ok(told(run, backend, |run, probe| about(probe, run.findings()))?.into_findings())
}

/// All that a search finds. `about` says what a probe is of, given what was found so far.
///
/// # Errors
/// As [`run`].
pub fn findings(
    study: impl Study + 'static,
    budget: Budget,
    backend: &mut dyn Backend,
    mut about: impl FnMut(&Probe, &[Finding]) -> String,
) -> Result<Vec<Finding>> {
    resumed(study, Vec::new(), budget, backend, |probe, findings| Ok(about(probe, findings)))
}
