//! `kernel-ladder try`.

use super::arguments::{self, StudyArguments};
use super::output::{self, TerminalProgress};
use super::schema::JsonOf;
use crate::cli::arguments::LargeArgument;
use crate::cli::named_files::NamedFiles;
use base::error::{Error, Result};
use base::files;
use base::texts::{failed, filled, misused};
use clap::Args;
use engine::compiled::CodeComparison;
use engine::device::DeviceInfo;
use engine::{Backend, KernelText, PictureRef, Simulated, Task};
use kernels::filters;
use kernels::filters::FilterIdExt;
use kernels::kernel_source::{self, Mark};
use model::{Channels, HostMemory};
use serde_json::json;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use study::trial::{Tried, read_kernel, simulate_edited, try_edited};
use view::plot::units;

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  kernel-ladder try padded my.cl --start
  kernel-ladder try padded my.cl --watch
  kernel-ladder try padded my.cl --oclgrind
  kernel-ladder try --filter gaussian --channels gray coalesced my.cl --picture portrait.png

The file contains the kernel of the variant, as written by --start, with your changes. The host launches it like the variant: same kernels, arguments and \
work-items. Its output is compared with the plain reference; if correct, it is timed in interleaved pairs with the original kernel. Errors are reported \
with their lines. On a CPU device, a kernel is native code: giving a file here is consent to run it. A kernel that writes outside its buffers or crashes \
the driver affects this run only; one that does not respond is stopped after KERNEL_LADDER_PATIENCE seconds (300).")]
pub struct Arguments {
    #[command(flatten)]
    study: StudyArguments,
    /// The edited kernel
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Write the kernel of the variant to FILE, which must not exist, and exit
    #[arg(long, conflicts_with = "watch")]
    start: bool,
    /// Keep running, and repeat whenever the file changes
    #[arg(long, conflicts_with = "json")]
    watch: bool,
    /// Instead, run it on a small image in oclgrind, which checks every access, and print the errors with their lines
    #[arg(long, conflicts_with = "start")]
    oclgrind: bool,
    /// Picture [default: a generated one]
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    #[command(flatten)]
    large: LargeArgument,
    /// Size of the generated picture
    #[arg(long, value_name = "2048x2048", value_parser = arguments::parse_pixels, conflicts_with = "picture")]
    size: Option<(usize, usize)>,
}

impl Arguments {
    /// The files that it names.
    pub fn named_files(&self) -> NamedFiles<'_> {
        NamedFiles::default().reading(&self.picture).reading((!self.start).then_some(&self.file))
    }
}

/// Builds, checks, compares and prints.
///
/// # Errors
/// A usage error for a variant that is not allowed; failed where the kernel does not build or run, or its output is wrong.
pub fn run(arguments: &Arguments, backend: &mut dyn Backend) -> Result<()> {
    let loaded = arguments.picture.as_deref().map(|path| arguments::open_picture(path, arguments.large)).transpose()?;
    let own_channels = loaded.as_ref().map_or(Channels::Rgb, |loaded| loaded.picture.channels());
    let devices = arguments::devices(backend)?;
    let (info, spec, setting) = arguments.study.checked(&devices, own_channels)?;
    if arguments.start {
        let own = kernel_source::compose(spec.filter.filter(), &arguments.study.variant, setting, &spec.parameters)?;
        return start(&arguments.file, &own);
    }
    let (width, height) = arguments.size.unwrap_or((2048, 2048));
    let picture = loaded.map_or_else(|| pictures::generate(width, height, spec.channels, 1), |loaded| loaded.picture.with_alpha(None));
    let task = arguments.study.task(spec, PictureRef::new(Arc::new(picture)), HostMemory::Copy);
    let trial = Trial { arguments, info, task };
    if !arguments.watch {
        return trial.run(&read_kernel(&arguments.file)?, backend);
    }
    let mut tried: Option<Arc<str>> = None;
    loop {
        let changed = changed_at(&arguments.file);
        match read_kernel(&arguments.file) {
            Ok(source) if tried.as_ref() == Some(&source) => {}
            Ok(source) => {
                match trial.run(&source, backend) {
                    Err(error) if error.is_cancelled() => return Err(error),
                    Err(error) => output::complain(&error),
                    Ok(()) => {}
                }
                tried = Some(source);
                output::note(&filled("tables.trial.waiting", &[("file", &arguments.file.display())]));
            }
            // An editor may be writing it just now.
            Err(_) if tried.is_some() => {}
            Err(error) => return Err(error),
        }
        while changed_at(&arguments.file) == changed {
            std::thread::sleep(GLANCE);
        }
    }
}

/// How often the file is looked at.
const GLANCE: Duration = Duration::from_millis(200);

fn changed_at(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|facts| facts.modified()).ok()
}

fn start(path: &Path, own: &str) -> Result<()> {
    if path.exists() {
        return Err(misused("errors.trial.exists", &[("path", &path.display())]));
    }
    files::write_atomically(path, own.as_bytes())?;
    output::print(&format!("{}\n", filled("tables.trial.started", &[("file", &path.display())])))
}

/// What was found, as an error; `None` where nothing was.
fn faulty(simulated: &Simulated) -> Option<Error> {
    let count = simulated.marks.len();
    (count > 0).then(|| failed("errors.trial.faulty", &[("count", &count)]))
}

/// What a file is tried as.
struct Trial<'a> {
    arguments: &'a Arguments,
    info: &'a DeviceInfo,
    /// Of the variant's own kernel.
    task: Task,
}

impl Trial<'_> {
    fn run(&self, source: &Arc<str>, backend: &mut dyn Backend) -> Result<()> {
        let mut progress = TerminalProgress::new();
        self.name().clone_into(&mut progress.job);
        let edited = Task { text: KernelText::Edited(Arc::clone(source)), ..self.task.clone() };
        let tried = if self.arguments.oclgrind {
            simulate_edited(backend, &edited, &progress)
        } else {
            try_edited(backend, &edited, self.arguments.study.budget(), &progress, &|_| ())
        };
        progress.clear();
        let tried = tried?;
        if self.arguments.study.json {
            output::print_json(JsonOf::Try, Some(self.info), || self.as_json(&tried))?;
        } else {
            output::print(&self.told(&tried))?;
        }
        let Some(fault) = tried.fault.or_else(|| tried.simulated.as_ref().and_then(faulty)) else { return Ok(()) };
        let found = tried.simulated.iter().flat_map(|simulated| &simulated.marks);
        let marks: Vec<Mark> = tried.marks.iter().chain(found).cloned().collect();
        if !marks.iter().any(|mark| mark.is_error) && tried.simulated.is_none() {
            return Err(fault);
        }
        // The log as a compiler shows it, with the name of the person's file.
        Err(fault.with_detail(kernel_source::shown(&marks, &self.name(), source)))
    }

    fn name(&self) -> String {
        self.arguments.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    fn told(&self, tried: &Tried) -> String {
        if let Some(Simulated { marks, size: (width, height) }) = &tried.simulated {
            let values: [(&str, &dyn Display); 3] = [("file", &self.name()), ("width", width), ("height", height)];
            return if marks.is_empty() { filled("tables.trial.clean", &values) + "\n" } else { String::new() };
        }
        let Some(verification) = &tried.verification else { return String::new() };
        let (file, spec, device) = (self.name(), filters::spec_text(&self.task.spec), self.info.label());
        let (width, height) = self.task.picture.size();
        let head: [(&str, &dyn Display); 4] = [("spec", &spec), ("width", &width), ("height", &height), ("device", &device)];
        let mut lines =
            vec![filled("tables.trial.head", &head), filled("tables.trial.checked", &[("file", &file), ("how", &verification.label())])];
        if let Some(compared) = &tried.compared {
            let ratio = units::comparison(&compared.comparison);
            let verdict = units::verdict(compared.comparison.verdict, compared.busy) + &super::studying::one_run_mark(&compared.comparison);
            let values: [(&str, &dyn Display); 5] = [
                ("file", &file),
                ("variant", &self.arguments.study.variant),
                ("ratio", &ratio),
                ("verdict", &verdict),
                ("count", &compared.pairs.len()),
            ];
            lines.push(filled("tables.trial.compared", &values));
        }
        let code = tried.compared.as_ref().and_then(|compared| compared.code.as_ref());
        lines.extend(code.map(|code| filled("tables.trial.code", &[("verdict", &code.label())])));
        lines.into_iter().map(|line| line + "\n").collect()
    }

    fn as_json(&self, tried: &Tried) -> serde_json::Value {
        let mark = |mark: &Mark| json!({ "line": mark.line, "column": mark.column, "is_error": mark.is_error, "words": mark.words });
        json!({
            "file": self.arguments.file,
            "spec": self.task.spec,
            "variant": self.arguments.study.variant.to_string(),
            "device": self.info.name,
            "marks": tried.marks.iter().map(mark).collect::<Vec<_>>(),
            "oclgrind": tried.simulated.as_ref().map(|simulated| simulated.marks.iter().map(mark).collect::<Vec<_>>()),
            "verification": tried.verification,
            "comparison": tried.compared.as_ref().map(|compared| compared.comparison),
            "busy": tried.compared.as_ref().map(|compared| compared.busy),
            "code": tried.compared.as_ref().and_then(|compared| compared.code.as_ref()).map(CodeComparison::label),
            "error": tried.fault.as_ref().map(ToString::to_string),
        })
    }
}
