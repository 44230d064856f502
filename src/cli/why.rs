//! `kernel-ladder why`.

use super::arguments::{self, FilterArguments, Subjects};
use super::devices::device_line;
use super::output::{self, TerminalProgress};
use super::project::{self, WhyOfProject};
use super::schema::JsonOf;
use super::studying::GeneratedArguments;
use crate::cli::named_files::NamedFiles;
use base::error::Result;
use base::texts::{filled, misused, text};
use clap::Args;
use engine::{Backend, KernelText, Target, Task};
use kernels::filters;
use kernels::filters::SettingExt;
use kernels::filters::VariantExt;
use model::measure::Progress as _;
use model::{Budget, Channels, Contender, HostMemory, LocalSize, Record, Spec, Variant};
use report::story_file;
use serde_json::json;
use std::path::PathBuf;
use study::Prober;
use study::experiment::{self, Definition, PutToTest, telling};
use study::why::{self, Facts, Pair, Reason};
use view::plot::units;

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  kernel-ladder why naive coalesced --test
  kernel-ladder why naive coalesced --all
  kernel-ladder why coalesced+padded+vectorize=4 coalesced+padded+vectorize=4+merged --local 16x4 --size 2048x2048 --test
  kernel-ladder why my-kernel --set LX=64 --set PX=4

Measures both variants, compares them in interleaved pairs, and explains the difference by rules. With --test each explanation is put to the test: its cause \
alone is added or taken away, and the difference is expected to come or to go. An explanation that an experiment refutes is shown as refuted, and the next one is \
tested.

Of a project, a configuration is compared with the default or with --against. Each parameter that differs is changed alone, and last; empty work-items are added to \
both configurations, to see what part of the difference is starting them; and the compiled code is compared.")]
pub struct Arguments {
    /// Two variants: stages joined by '+', or naive; or the folder of a project
    #[arg(value_name = "VARIANT|FOLDER", num_args = 1..=2, required = true)]
    subjects: Vec<String>,
    #[command(flatten)]
    filter: FilterArguments,
    #[command(flatten)]
    generated: GeneratedArguments,
    /// OpenCL device, see `kernel-ladder devices`
    #[arg(long, value_name = "N", default_value_t = 0)]
    device: usize,
    /// Local size of both, or of each
    #[arg(long = "local", value_name = "32x4|driver", num_args = 1..=2, value_parser = arguments::parse_local)]
    locals: Vec<LocalSize>,
    /// Sampling time per measurement, in milliseconds
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=600_000))]
    budget_ms: u64,
    /// Number of processes in which every comparison is repeated [default: 7]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=Budget::MOST_STARTS as u64))]
    starts: Option<u64>,
    /// Parameter of the filter, or of the project's second configuration; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = arguments::parse_setting)]
    settings: Vec<(String, String)>,
    /// Of a project: parameter of the first configuration; may be given several times [default: the default of each]
    #[arg(long, value_name = "NAME=VALUE", value_parser = arguments::parse_setting)]
    against: Vec<(String, String)>,
    /// Of a project: also write the answer to this file, in the form that its extension names; may be given several times
    #[arg(long, value_name = "FILE", value_parser = arguments::parse_story_file)]
    out: Vec<PathBuf>,
    /// Test each explanation by an experiment, until one is confirmed
    #[arg(long)]
    test: bool,
    /// Also say why it is not something else: of each other rule, the condition that does not hold
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// The files that it names.
    pub fn named_files(&self) -> NamedFiles<'_> {
        NamedFiles::default().writing_all(&self.out, &story_file::EXTENSIONS)
    }

    /// An option that only filters have, where one was given.
    fn of_filters(&self) -> Option<&'static str> {
        let others = [
            (self.generated.size.is_some(), "--size"),
            (!self.locals.is_empty(), "--local"),
            (self.starts.is_some(), "--starts"),
            (self.test, "--test"),
            (self.all, "--all"),
        ];
        self.filter.given().or_else(|| arguments::first_given(&others))
    }
}

/// Measures, compares, explains, tests, and prints it.
///
/// # Errors
/// Usage errors; failed where there is no device, or the two could not be compared.
pub fn run(arguments: &Arguments, backend: &mut dyn Backend) -> Result<()> {
    let sample_ns = arguments.budget_ms * 1_000_000;
    match arguments::subjects(&arguments.subjects, arguments.of_filters())? {
        Subjects::Project(folder) => {
            let budget = Budget { sample_ns, starts: 1, ..Budget::default() };
            let Arguments { device, settings, against, out, json, .. } = arguments;
            project::why(&WhyOfProject { folder, device: *device, settings, against, budget, out, json: *json }, backend)
        }
        Subjects::Variants(variants) => {
            let others = [(!arguments.against.is_empty(), "--against"), (!arguments.out.is_empty(), "--out")];
            if let Some(option) = arguments::first_given(&others) {
                return Err(misused("errors.cli.only-for-projects", &[("option", &option)]));
            }
            let &[first, second] = variants.as_slice() else { return Err(misused("errors.cli.two-variants", &[])) };
            of_variants(arguments, [first, second], sample_ns, backend)
        }
    }
}

fn of_variants(arguments: &Arguments, variants: [Variant; 2], sample_ns: u64, backend: &mut dyn Backend) -> Result<()> {
    let found = arguments::devices(backend)?;
    let info = arguments::device(&found, arguments.device)?;
    let filter = arguments.filter.filter();
    let parameters = arguments::parameters(filter, &arguments::as_numbers(&arguments.settings)?)?;
    let setting = arguments.filter.setting_or(filter, Channels::Rgb, None)?.with_parameters(filter, &parameters).on(info.abilities());
    let spec = Spec { filter: filter.id, parameters, channels: setting.channels, border: setting.border };
    let picture = arguments.generated.picture(setting.channels);
    let local = |index: usize| arguments.locals.get(index).or_else(|| arguments.locals.last()).copied().unwrap_or_default();
    let mut tasks = Vec::new();
    for (index, variant) in variants.into_iter().enumerate() {
        variant.check(filter, setting)?;
        let target = Target::Device { index: info.index, variant, local: local(index), host_memory: HostMemory::Copy };
        tasks.push(Task { spec: spec.clone(), picture: picture.clone(), target, text: KernelText::Composed });
    }
    let [first, second] = tasks.as_slice() else { return Ok(()) };
    let budget = Budget { sample_ns, starts: arguments.starts.unwrap_or(Budget::STARTS as u64) as usize, ..Budget::default() };
    let mut prober = Prober::new(budget);
    let progress = TerminalProgress::new();
    progress.report(0, 1, text("progress.measuring"));
    let records = [prober.record(first, backend, &progress)?, prober.record(second, backend, &progress)?];
    let compared = prober.compare(first, second, backend, &progress)??;
    let facts = Facts::of_pair(&Pair {
        device: info,
        tasks: [first, second],
        records: [Some(&records[0]), Some(&records[1])],
        compared: Some(&compared),
    });
    let seen = compared.comparison.verdict.into();
    let tested = if arguments.test {
        let pair =
            experiment::Pair { device: info, tasks: [first, second], locals: records.each_ref().map(local_used), compared: &compared };
        experiment::test_reasons(why::candidates(seen, &facts), &pair, &mut prober, backend, &progress)?
    } else {
        Vec::new()
    };
    let reasons = if arguments.test { Vec::new() } else { why::explain(seen, &facts) };
    progress.clear();
    if arguments.json {
        return output::print_json(JsonOf::Why, Some(info), || {
            json!({
                "spec": spec,
                "variants": variants.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "device": info.name,
                "width_px": picture.size().0,
                "height_px": picture.size().1,
                "comparison": compared.comparison,
                "why": reasons,
                "tested": tested,
                "others": arguments.all.then(|| why::others(seen, &facts)),
            })
        });
    }
    let mut told = format!("{}, {} x {}\n{}\n\n", filters::spec_text(&spec), picture.size().0, picture.size().1, device_line(info));
    let names = variants.iter().map(ToString::to_string).collect::<Vec<_>>().join(" → ");
    told.extend([names.as_str(), ": ", &units::outcome(&compared.comparison, compared.busy), "\n\n"]);
    told += &if arguments.test { tested_text(&tested) } else { reasons_text(&reasons, &facts) };
    if arguments.all {
        told.extend(["\n", &others_text(&why::others_lines(seen, &facts), "")]);
    }
    output::print(&told)
}

/// The local size that a measurement ran with.
pub fn local_used(record: &Record) -> Option<[usize; 2]> {
    match record.contender {
        Contender::Device { local_used, .. } => local_used,
        Contender::Cpu { .. } => None,
    }
}

fn reasons_text(reasons: &[Reason], facts: &Facts) -> String {
    if reasons.is_empty() {
        return format!("{}\n", text("tables.ladder.no-rule"));
    }
    let of = |reason: &Reason| {
        let test = experiment::likely(&reason.rule, facts).map_or_else(String::new, expected_text);
        format!("{}\n{test}", reason.line_with_evidence())
    };
    reasons.iter().map(of).collect()
}

/// Why it is not something else, in a line each.
pub fn others_text(lines: &[String], indent: &str) -> String {
    let begin = format!("{indent}{}\n", text("why.other.title"));
    lines.iter().fold(begin, |told, line| told + indent + "    " + line + "\n")
}

/// What an experiment would do and should show.
fn expected_text(definition: &Definition) -> String {
    let does = filled("experiments.would", &[("does", &definition.does())]);
    let expected = telling::expectations(&definition.id).unwrap_or_default();
    format!("    {does}\n    {}\n    {}\n", expected[0], expected[1])
}

/// Each reason with its experiment, and what is left to say.
pub fn tested_text(tested: &[PutToTest]) -> String {
    if tested.is_empty() {
        return format!("{}\n", text("tables.ladder.no-rule"));
    }
    tested.iter().map(|one| telling::lines(one).join("\n    ") + "\n").collect()
}
