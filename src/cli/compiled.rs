//! `kernel-ladder compiled`.

use super::arguments::{self, FilterArguments, Subjects};
use super::output::{self, TerminalProgress};
use super::schema::JsonOf;
use crate::cli::named_files::NamedFiles;
use base::error::Result;
use base::files;
use base::texts::{filled, misused, text as words};
use clap::Args;
use engine::compiled::offline::{self, Processor};
use engine::compiled::{Compiled, Kernel, KernelCode, LineKind, numbered};
use engine::device::DeviceInfo;
use engine::{Backend, KernelText, PictureRef, Target, Task};
use kernels::filters;
use kernels::kernel_source::{DEFAULT_GROUP, build_options, compose, unified};
use kernels::project::{Point, kernels as signatures};
use model::{Channels, CompiledKernel, Counted, HostMemory, LocalSize, Mix, Setting, Spec, Variant};
use serde_json::{Value, json};
use std::fmt::{Display, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use study::projects;
use view::story::{self, Cell, Column, Kind, Table};

/// Side lengths of the picture of a trial run where none are given.
const TRIAL_PX: (usize, usize) = (512, 512);

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  kernel-ladder compiled naive --local 16x4
  kernel-ladder compiled padded+vectorize=5 padded+vectorize=5+merged --local 16x4
  kernel-ladder compiled --filter gaussian --channels gray coalesced --listing
  kernel-ladder compiled padded+vectorize=4 padded+vectorize=16 --channels gray --for gfx1030
  kernel-ladder compiled my-kernel --set LX=64 --against LX=16 --listing

Read from the binary provided by the driver: x86-64 machine code of PoCL and the Intel CPU runtime; PTX of the NVIDIA driver, with registers and spills \
from its build log; of AMD and Intel GPUs, registers, spilled bytes, memory and the number of instructions, and AMD's machine code if llvm-objdump is installed \
(or KERNEL_LADDER_OBJDUMP names it). Each instruction of the code counts once, however often it runs. The hot block is the straight-line code that transfers most data, \
inside an innermost loop or a called function if there is one; the innermost loop includes called functions. 27x8 means 27 instructions of 8 bits each.

--for shows what clang makes of the kernel for an AMD GPU (gfx1030, gfx90a, …), or clang and ptxas for an NVIDIA GPU (sm_90, …), that is not here: registers, \
spilled bytes, instructions. The driver of such a GPU may make something else of it. It needs clang with libclc of the same version; set KERNEL_LADDER_CLANG, \
KERNEL_LADDER_LIBCLC or KERNEL_LADDER_PTXAS if they are not found.

Two variants are compared by normalized instructions: registers numbered by first use, constants by their bytes, all called functions. Same code means the \
same program; different code may be a reordering of the same instructions, and implies nothing about time.")]
pub struct Arguments {
    #[command(flatten)]
    filter: FilterArguments,
    /// One variant, or two to compare: stages joined by '+', or naive; or the folder of a project
    #[arg(value_name = "VARIANT|FOLDER", num_args = 1..=2, required = true)]
    subjects: Vec<String>,
    /// OpenCL device, see `kernel-ladder devices`
    #[arg(long, value_name = "N", default_value_t = 0)]
    device: usize,
    /// Local size: some drivers compile separately for each [default: driver]
    #[arg(long, value_name = "32x4|driver", value_parser = arguments::parse_local)]
    local: Option<LocalSize>,
    /// Image size of a trial run, for drivers that compile at launch [default: 512x512]
    #[arg(long, value_name = "WxH", value_parser = arguments::parse_pixels)]
    size: Option<(usize, usize)>,
    /// Parameter of the filter, or of the project's configuration; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = arguments::parse_setting)]
    settings: Vec<(String, String)>,
    /// Of a project: parameter of a configuration to compare with; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = arguments::parse_setting)]
    against: Vec<(String, String)>,
    /// Compile for this GPU, which need not be here, with clang (and ptxas), instead of reading the code of a driver: see below
    #[arg(long = "for", value_name = "GPU", conflicts_with_all = ["device", "local", "size"])]
    processor: Option<Processor>,
    /// Also print the code, and if the driver reports them, source lines and the instructions made of each: '*' marks the hot block, '|' the innermost loop
    #[arg(long)]
    listing: bool,
    /// Also write the binary of the driver to this file, for other tools (one variant only)
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// The files that it names.
    pub fn named_files(&self) -> NamedFiles<'_> {
        NamedFiles::default().writing(self.binary.as_ref(), &[])
    }

    /// An option that only filters have, where one was given.
    fn of_filters(&self) -> Option<&'static str> {
        let others = [(self.local.is_some(), "--local"), (self.size.is_some(), "--size"), (self.processor.is_some(), "--for")];
        self.filter.given().or_else(|| arguments::first_given(&others))
    }

    /// What is computed, of which kind of picture.
    fn spec(&self) -> Result<(Spec, Setting)> {
        let filter = self.filter.filter();
        let setting = self.filter.setting_or(filter, Channels::Rgb, None)?;
        let parameters = arguments::parameters(filter, &arguments::as_numbers(&self.settings)?)?;
        Ok((Spec { filter: filter.id, parameters, channels: setting.channels, border: setting.border }, setting))
    }
}

/// Looks at what the compiler made and prints it.
///
/// # Errors
/// A usage error where a variant is not allowed; failed where it does not build or run.
pub fn run(arguments: &Arguments, backend: &mut dyn Backend) -> Result<()> {
    match arguments::subjects(&arguments.subjects, arguments.of_filters())? {
        Subjects::Project(folder) => of_project(arguments, folder, backend),
        Subjects::Variants(_) if !arguments.against.is_empty() => Err(misused("errors.cli.only-for-projects", &[("option", &"--against")])),
        Subjects::Variants(variants) => match &arguments.processor {
            Some(processor) => of_processor(arguments, &variants, processor),
            None => of_variants(arguments, &variants, backend),
        },
    }
}

/// What the driver made of one configuration of a project, or of two.
fn of_project(arguments: &Arguments, folder: &Path, backend: &mut dyn Backend) -> Result<()> {
    let project = projects::read(folder)?;
    let found = arguments::devices(backend)?;
    let info = arguments::device(&found, arguments.device)?;
    let mut points = vec![project.point_of(&arguments.settings)?];
    if !arguments.against.is_empty() {
        points.insert(0, project.point_of(&arguments.against)?);
    }
    let progress = TerminalProgress::new();
    let compiled = |point: &Point| Ok((project.label(point), projects::compiled(&project, point, info, backend, &progress)?));
    let looked_at = points.iter().map(compiled).collect::<Result<Vec<_>>>();
    progress.clear();
    let subject = Subject { words: project.name.clone(), field: ("project", json!(project.name)), result: JsonOf::CompiledProject };
    tell(arguments, &subject, &looked_at?, Some(info), "")
}

/// What the driver made of the variants.
fn of_variants(arguments: &Arguments, variants: &[Variant], backend: &mut dyn Backend) -> Result<()> {
    let found = arguments::devices(backend)?;
    let info = arguments::device(&found, arguments.device)?;
    let (spec, _) = arguments.spec()?;
    let picture = PictureRef::generated(arguments.size.unwrap_or(TRIAL_PX), spec.channels);
    let mut looked_at = Vec::new();
    for &variant in variants {
        let local = arguments.local.unwrap_or(LocalSize::Driver);
        let target = Target::Device { index: info.index, variant, local, host_memory: HostMemory::Copy };
        let task = Task { spec: spec.clone(), picture: picture.clone(), target, text: KernelText::Composed };
        let compiled = if arguments.listing { backend.lines(&task, &()) } else { backend.compiled(&task, &()) };
        looked_at.push((variant.to_string(), compiled?));
    }
    tell(arguments, &of_filter(&spec), &looked_at, Some(info), "")
}

/// What compilers that are installed make of the variants for a GPU that is not here.
fn of_processor(arguments: &Arguments, variants: &[Variant], processor: &Processor) -> Result<()> {
    let filter = arguments.filter.filter();
    let (spec, setting) = arguments.spec()?;
    let mut looked_at = Vec::new();
    let mut notes = words("tables.compiled.offline").to_owned() + "\n";
    for variant in variants {
        let source = compose(filter, variant, setting, &spec.parameters)?;
        let kernels = signatures(&source);
        let names: Vec<&str> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
        let made = offline::compile(&source, &build_options(variant, setting.abilities, Some(DEFAULT_GROUP)), &names, processor)?;
        for (name, wavefronts) in names.iter().zip(&made.wavefronts) {
            let Some(wavefronts) = wavefronts else { continue };
            let values: [(&str, &dyn Display); 3] = [("variant", variant), ("kernel", name), ("count", wavefronts)];
            notes += &(filled("tables.compiled.wavefronts", &values) + "\n");
        }
        looked_at.push((variant.to_string(), Arc::new(made.compiled)));
    }
    tell(arguments, &of_filter(&spec), &looked_at, None, &notes)
}

/// What code is looked at of.
struct Subject {
    /// As a heading says it.
    words: String,
    /// In JSON.
    field: (&'static str, Value),
    /// What that is.
    result: JsonOf,
}

fn of_filter(spec: &Spec) -> Subject {
    Subject { words: filters::spec_text(spec), field: ("spec", json!(spec)), result: JsonOf::Compiled }
}

/// Writes the binary where that is asked for, and prints what was looked at, with `notes` below its origin.
fn tell(arguments: &Arguments, subject: &Subject, looked_at: &[Named], info: Option<&DeviceInfo>, notes: &str) -> Result<()> {
    match (&arguments.binary, looked_at) {
        (Some(path), [(_, compiled)]) => files::write_atomically(path, &compiled.binary)?,
        (Some(_), _) => return Err(misused("errors.cli.two-binaries", &[])),
        (None, _) => {}
    }
    if arguments.json {
        return output::print_json(subject.result, info, || as_json(subject, looked_at, arguments.listing));
    }
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut text, &subject.words, looked_at, notes, arguments.listing);
    output::print(&text)
}

type Named = (String, Arc<Compiled>);

/// A kernel of one of those that are looked at.
struct Shown<'a> {
    name: &'a str,
    kernel: &'a Kernel,
    /// The source, where instructions have lines of it.
    source: Option<&'a str>,
}

fn write<'a>(text: &mut String, spec: &str, looked_at: &'a [Named], notes: &str, with_listing: bool) -> std::fmt::Result {
    let Some((_, first)) = looked_at.first() else { return Ok(()) };
    write!(text, "{spec}\n{}\n{notes}", first.origin)?;
    let second = looked_at.get(1);
    if let Some((name, second)) = second {
        if second.origin != first.origin {
            writeln!(text, "{}", filled("tables.compiled.of-variant", &[("variant", name), ("origin", &second.origin)]))?;
        }
        writeln!(text, "\n{}", verdict(first, second))?;
    }
    let count = looked_at.iter().map(|(_, compiled)| compiled.kernels.len()).max().unwrap_or(0);
    for index in 0..count {
        let shown = |(name, compiled): &'a Named| {
            compiled.kernels.get(index).map(|kernel| Shown { name, kernel, source: compiled.source.as_deref() })
        };
        let kernels: Vec<Shown<'_>> = looked_at.iter().filter_map(shown).collect();
        write_kernel(text, &kernels, with_listing)?;
    }
    Ok(())
}

/// What comparing the two says, in sentences.
fn verdict(first: &Compiled, second: &Compiled) -> String {
    let comparison = first.compared_with(second);
    let verdict = match &comparison.sameness {
        _ if comparison.is_same_text => words("tables.compiled.nothing-to-do").to_owned(),
        Ok(engine::compiled::Sameness::Same) => words("tables.compiled.same").to_owned(),
        Ok(_) => filled("tables.compiled.verdict", &[("verdict", &capitalized(&comparison.label()))]),
        Err(why) => filled("tables.compiled.unknown", &[("why", why)]),
    };
    if comparison.is_same_launch {
        return verdict;
    }
    filled("tables.compiled.and", &[("first", &verdict), ("second", &words("tables.compiled.launched-differently"))])
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + letters.as_str())
}

fn write_kernel(text: &mut String, kernels: &[Shown<'_>], with_listing: bool) -> std::fmt::Result {
    for Shown { name, kernel, .. } in kernels {
        if let Err(why) = &kernel.code {
            let values: [(&str, &dyn Display); 3] = [("kernel", &kernel.name), ("variant", &name), ("why", why)];
            writeln!(text, "\n{}", filled("tables.compiled.no-code", &values))?;
            let queried = &kernel.queried;
            let values: [(&str, &dyn Display); 3] =
                [("private", &queried.private_bytes), ("local", &queried.local_bytes), ("most", &queried.max_work_group_size)];
            writeln!(text, "{}", filled("tables.compiled.queried", &values))?;
        }
    }
    let summaries: Vec<(&str, CompiledKernel)> = kernels.iter().filter_map(|shown| Some((shown.name, shown.kernel.summary()?))).collect();
    let with_code: Vec<(&Shown<'_>, &KernelCode)> =
        kernels.iter().filter_map(|shown| Some((shown, shown.kernel.code.as_ref().ok()?))).collect();
    let Some((_, kernel)) = summaries.first() else { return Ok(()) };
    let heading = filled("tables.compiled.kernel", &[("kernel", &kernel.kernel)]);
    for table in tables(&heading, &summaries).into_iter().filter(|table| table.rows().next().is_some()) {
        writeln!(text)?;
        text.push_str(&story::text::table(&table));
    }
    if let [(one, first), (other, second)] = with_code.as_slice()
        && first.normal != second.normal
    {
        writeln!(
            text,
            "\n{}\n{}",
            words("tables.compiled.normalized"),
            unified(one.name, &first.normal_text(), other.name, &second.normal_text())
        )?;
    }
    for (shown, code) in with_code.iter().filter(|_| with_listing) {
        writeln!(text, "\n{}", shown.name)?;
        let code = shown.kernel.lined.as_ref().unwrap_or(code);
        if let Some(table) = shown.source.map(|source| line_table(source, code)).filter(|table| table.rows().next().is_some()) {
            writeln!(text, "{}{}\n", story::text::table(&table), words("tables.compiled.lines-note"))?;
        }
        for line in code.listing(shown.source) {
            let mark = match line.kind {
                LineKind::Hot => '*',
                LineKind::Loop => '|',
                LineKind::Function | LineKind::Source | LineKind::Label | LineKind::Instruction => ' ',
            };
            writeln!(text, "{mark} {}", line.text)?;
        }
    }
    Ok(())
}

/// The lines of the source with the instructions that were made of them.
fn line_table(source: &str, code: &KernelCode) -> Table {
    let lines = numbered(source);
    let heads = std::iter::once(Column::new("line", Kind::Words, "tables.compiled.line"));
    let counted = Counted::ALL.iter().map(|piece| Column::headed(piece.label(), Kind::Number, piece.label().into()));
    let columns = heads.chain(counted).chain([Column::new("source", Kind::Words, "tables.compiled.source")]);
    let mut table = Table::new("lines", columns.collect());
    for count in code.by_line() {
        let Some((number, words)) = lines.get(count.line as usize - 1) else { continue };
        let of = |piece: &Counted| match piece {
            Counted::HotBlock => count.hot_block,
            Counted::InnermostLoop => count.innermost_loop,
            Counted::Whole => count.whole,
        };
        let counts = Counted::ALL.iter().map(|piece| Cell::count(of(piece) as usize));
        let cells = std::iter::once(Cell::of(number)).chain(counts).chain([Cell::Code(words.trim().to_owned())]);
        table.row(cells.collect::<Vec<_>>());
    }
    table
}

/// Of one variant a table with a column for each piece of code, of two a table for each piece with a column for each variant.
fn tables(heading: &str, codes: &[(&str, CompiledKernel)]) -> Vec<Table> {
    let facts: Vec<_> = codes.iter().map(|(_, kernel)| kernel.facts()).collect();
    if let [(_, only)] = codes {
        let columns: Vec<(&str, Option<&Mix>)> = Counted::ALL.iter().map(|&piece| (piece.label(), only.mix(piece))).collect();
        return vec![table(heading, &columns, &facts)];
    }
    let of_piece = |piece: &Counted| {
        let columns: Vec<(&str, Option<&Mix>)> = codes.iter().map(|(name, kernel)| (*name, kernel.mix(*piece))).collect();
        // What is known of the whole kernel stands below it.
        let facts = if *piece == Counted::Whole { facts.as_slice() } else { &[] };
        table(&filled("words.list.items", &[("before", &heading), ("next", &piece.label())]), &columns, facts)
    };
    Counted::ALL.iter().map(of_piece).collect()
}

/// A line for each quantity that any column has, and for each fact, which stand under the last columns.
fn table(heading: &str, columns: &[(&str, Option<&Mix>)], facts: &[Vec<(&'static str, Option<String>)>]) -> Table {
    let column = |(title, _): &(&str, _)| Column::headed(title, Kind::Number, (*title).into());
    let heads = std::iter::once(Column::headed("quantity", Kind::Words, heading.into()));
    let mut table = Table::new("code", heads.chain(columns.iter().map(column)).collect());
    let rows: Vec<Option<Vec<(&'static str, String)>>> = columns.iter().map(|(_, mix)| mix.map(Mix::rows)).collect();
    for (index, (label, _)) in Mix::default().rows().iter().enumerate() {
        let texts = || rows.iter().map(|rows| rows.as_ref().and_then(|rows| rows.get(index)).map(|(_, text)| text));
        if texts().flatten().any(|text| text != "0") {
            table.row(std::iter::once(Cell::of(label)).chain(texts().map(Cell::or_missing)).collect::<Vec<_>>());
        }
    }
    for (index, (label, _)) in facts.first().into_iter().flatten().enumerate() {
        let texts = || facts.iter().map(|facts| facts.get(index).and_then(|(_, text)| text.as_ref()));
        if texts().any(|text| text.is_some()) {
            let mut row = vec![Cell::of(label)];
            row.resize(1 + columns.len().saturating_sub(facts.len()), Cell::Empty);
            row.extend(texts().map(Cell::or_missing));
            table.row(row);
        }
    }
    table
}

fn as_json(subject: &Subject, looked_at: &[Named], with_listing: bool) -> Value {
    let kernel = |kernel: &Kernel, source: Option<&str>| match &kernel.code {
        Err(why) => json!({ "kernel": kernel.name, "no_code": why, "queried": kernel.queried, "resources": kernel.resources }),
        Ok(code) => {
            let code = kernel.lined.as_ref().unwrap_or(code);
            let listing = with_listing.then(|| code.listing(source).into_iter().map(|line| line.text).collect::<Vec<_>>());
            let lines = with_listing.then(|| code.by_line());
            json!({ "kernel": kernel.name, "queried": kernel.queried, "listing": listing, "lines": lines })
        }
    };
    let variant = |(name, compiled): &Named| {
        json!({
            "variant": name,
            "device": compiled.origin.device,
            "driver": compiled.origin.driver,
            "options": compiled.origin.options,
            "local_used": compiled.origin.local,
            "build_log": compiled.log,
            "compiled": compiled.summary(),
            "kernels": compiled.kernels.iter().map(|one| kernel(one, compiled.source.as_deref())).collect::<Vec<_>>(),
        })
    };
    let comparison = match looked_at {
        [(_, first), (_, second)] => {
            let comparison = first.compared_with(second);
            json!({
                "verdict": comparison.label(),
                "is_same_text": comparison.is_same_text,
                "is_same_code": comparison.is_same_code(),
                "is_same_launch": comparison.is_same_launch,
                "why_not_known": comparison.sameness.as_ref().err(),
                "differing_instructions": match comparison.sameness {
                    Ok(engine::compiled::Sameness::SameButFor(count)) => Some(count),
                    _ => None,
                },
            })
        }
        _ => Value::Null,
    };
    let (name, value) = &subject.field;
    json!({ *name: value, "variants": looked_at.iter().map(variant).collect::<Vec<_>>(), "comparison": comparison })
}
