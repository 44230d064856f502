//! Headless commands. No window system is needed for any of them; results go to stdout, messages and progress to stderr.
//!
//! Exit codes: 0 done, 1 failed, 2 usage error; of `compare` also 3 a row is slower, 4 inconclusive. A reader that closes stdout early (`| head`) ends a command quietly.

mod access;
mod answers;
mod arguments;
mod autotune;
mod bench;
mod class;
mod compare;
mod compiled;
mod counters;
mod devices;
mod edited;
mod history;
mod kept;
mod lessons;
mod limits;
mod list;
mod manual;
mod merge;
mod named_files;
mod output;
mod own_filters;
mod peers;
mod predictions;
mod project;
mod report;
mod roofs;
mod run;
mod schema;
mod signals;
mod source;
mod study;
mod studying;
mod why;

use base::error::{Error, ErrorKind, Result};
use base::system::show_unseen;
use base::texts::{self, Language, filled};
use clap::{ColorChoice, CommandFactory, FromArgMatches as _, Parser, Subcommand, ValueEnum as _};
use engine::remote::{self, Carriage, Remote, Ssh};
use kernels::catalog::OwnFolder;
use named_files::NamedFiles;
use std::path::PathBuf;
use std::process::ExitCode;
use view::plot::units;

const EXAMPLES: &str = "\
Examples:
  kernel-ladder                                   open the window with a sample
  kernel-ladder photo.jpg                         open the window with this picture
  kernel-ladder devices                           OpenCL devices, or what to install
  kernel-ladder list                              filters; with --filter NAME its stages, rules and ladders
  kernel-ladder lessons                           lessons, including your own; --check FILE lists errors
  kernel-ladder run photo.jpg sharp.png           filter a picture with the naive kernel
  kernel-ladder bench --ladder mali-t600          measure a published ladder against the CPU
  kernel-ladder bench --bundle here.json          the same, also as one file without names and paths
  kernel-ladder merge a.json b.json --out c.json  merge several such files
  kernel-ladder report c.json --out c.html        such a file as a page: claims, charts, tables, sources
  kernel-ladder class handed-in --out class.html  the files of students as one page
  kernel-ladder diff naive padded+vectorize=4     the changes of these stages in the kernel
  kernel-ladder ablation padded+vectorize=4       the contribution of each stage
  kernel-ladder autotune --filter sobel           the fastest variant here, and the steps to it
  kernel-ladder studies                           the results of earlier studies
  kernel-ladder limits                            every filter compared with the roofs here, as a page
  kernel-ladder why naive coalesced --test        why one is faster, and a test of that
  kernel-ladder compiled naive coalesced          compare their compiled code
  kernel-ladder access --pixel 120,80             the bytes a pixel is computed from, and how they are fetched
  kernel-ladder bench --on lab-pc                 the same on another machine, over SSH
  kernel-ladder try padded my.cl --watch          build, verify and time an edited kernel after each save
  kernel-ladder bench --save baseline.json        save the times of these kernels
  kernel-ladder compare baseline.json             measure them again: has one become slower?
  kernel-ladder predictions --csv                 predictions made in lessons, without names
  kernel-ladder new mine --from mine.cl           a project folder for a kernel of your own
  kernel-ladder autotune mine --seconds 30        its fastest configuration here

Exit codes: 0 done, 1 failed, 2 usage error; compare: 3 a row is slower, 4 inconclusive";

/// Version and commit.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("KERNEL_LADDER_BUILT_FROM"), ")");

/// Teaches how OpenCL kernels become fast: turn optimization stages of an image filter on and off, and see the image, its verification, the kernel source and
/// the timings.
///
/// Without a command, the window opens; commands need no window system.
#[derive(Debug, Parser)]
#[command(name = "kernel-ladder", version = VERSION, after_help = EXAMPLES)]
struct Cli {
    /// Picture to open in the window [default: a sample]
    picture: Option<PathBuf>,
    /// Language of texts: en or zh [default: en; in the window: the saved choice, or the locale]
    #[arg(long, global = true, value_name = "LANGUAGE")]
    language: Option<Language>,
    /// Use the devices of this machine over SSH, with your keys; kernel-ladder must be installed there; bench: HOST,HOST for several at once; window: in
    /// addition to local devices [default: local devices]
    #[arg(long, global = true, value_name = "HOST", value_delimiter = ',')]
    on: Vec<String>,
    /// Use the filters of this folder, too: each is a folder with filter.toml, see docs/filters.md [default: the folder `filters` beside the settings]
    #[arg(long, global = true, value_name = "FOLDER")]
    filters: Vec<PathBuf>,
    /// Print results and errors only: no notes, no progress
    #[arg(long, short, global = true)]
    quiet: bool,
    /// Color help and errors [default: on terminals, unless `NO_COLOR` is set]
    #[arg(long, global = true, value_name = "WHEN")]
    color: Option<ColorChoice>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show devices, limits and driver versions, or what to install
    Devices(devices::Arguments),
    /// Show filters, stages with their rules, and published ladders
    List(list::Arguments),
    /// List the lessons, or check a lesson file
    Lessons(lessons::Arguments),
    /// Filter one picture and check the output against the reference
    Run(run::Arguments),
    /// Measure variants and CPU competitors, and compare them; each is verified first
    Bench(bench::Arguments),
    /// Measure the rows of a baseline written by `bench --save` again, and fail if one is slower
    Compare(compare::Arguments),
    /// Show what comparisons with baselines came to, commit by commit
    History(history::Arguments),
    /// Merge bundles written by `bench --bundle` into one
    Merge(merge::Arguments),
    /// Write bundles as one HTML page: claims, charts, tables, sources, how to repeat
    Report(report::Arguments),
    /// Write the files of students as one HTML page: speed-ups, votes, tasks
    Class(class::Arguments),
    #[command(flatten)]
    Study(study::Command),
    /// List, show, compare and export the results of earlier studies
    Studies(answers::Arguments),
    /// Measure the peak rates of a device: memory, cache, arithmetic, transfers, launch
    Roofs(roofs::Arguments),
    /// Find the fastest variant and local size of a filter on a device, and the steps to it
    Autotune(autotune::Arguments),
    /// Make a project folder for a kernel of your own, or from a tuning problem
    New(project::NewArguments),
    /// Check a project: list mistakes, run its kernels once, compare with the reference, and measure
    Check(project::CheckArguments),
    /// Write a page that compares the filters with the peak rates of a device
    Limits(limits::Arguments),
    /// Compare the fastest variants with NVIDIA's libraries, OpenCV, Halide, or a program of your own
    Peers(peers::Arguments),
    /// Print the resolved kernel source of a variant, as built
    Source(source::SourceArguments),
    /// Print the difference between the sources of two variants
    Diff(source::DiffArguments),
    /// Show the compiled code of a variant, or compare two: instructions, registers, same code or not
    Compiled(compiled::Arguments),
    /// Count hardware events while variants run on this machine's CPU: cycles, instructions, cache misses
    Counters(counters::Arguments),
    /// Explain why one variant is faster or slower than another on this device, and test the explanation
    Why(why::Arguments),
    /// Build, verify and time an edited kernel, compared with its variant
    Try(edited::Arguments),
    /// Show the predictions made in lessons, and export them without names
    Predictions(predictions::Arguments),
    /// Repeat a recorded run through CUDA, for a profiler
    #[command(hide = true)]
    Replay(counters::ReplayArguments),
    /// Run drivers for another process, over stdin and stdout
    #[command(hide = true)]
    Worker {
        /// The other process is on another machine: send pictures in messages
        #[arg(long)]
        carry: bool,
    },
    /// Run a program that writes only to one folder
    #[command(hide = true)]
    Confined {
        /// The folder
        folder: PathBuf,
        /// The program and its arguments
        #[arg(last = true)]
        words: Vec<std::ffi::OsString>,
    },
    /// Show which work-item computes a pixel, its loads and stores, and their memory transactions
    Access(access::Arguments),
    /// Print a script with completions for a shell
    Completions(manual::Completions),
    /// Print a manual page, or write all of them
    Man(manual::Manual),
    /// Print the JSON Schema of what a command prints with --json
    Schema(schema::Arguments),
    /// Print a page of the documentation: variants, measuring, filters, bundles and others
    Topic(manual::Topic),
}

/// The definition of the command line, with all its commands: for tests that parse what documents show.
#[must_use]
pub fn definition() -> clap::Command {
    Cli::command()
}

/// The whole program: parses the arguments, opens the window or runs a command, and prints what went wrong.
#[must_use]
pub fn main() -> ExitCode {
    // First of all, while there is no other thread; removed at the end. A worker has been told where its caches are.
    let is_worker = std::env::args_os().nth(1).is_some_and(|argument| argument == "worker");
    let _temporary = is_worker.then(engine::device::own_temporary_folder);
    if is_worker {
        engine::device::remove_empty_files_of_pocl();
    }
    let _temporary_cache = if is_worker { None } else { engine::device::replace_unwritable_cache() };
    signals::mind(is_worker);
    pictures::quiet_decoders();
    let is_confined = std::env::args_os().nth(1).is_some_and(|argument| argument == remote::CONFINED);
    let own = if is_worker || is_confined { own_filters::Found::default() } else { own_filters::read() };
    let color = own_filters::given("--color").and_then(|when| ColorChoice::from_str(&when, true).ok()).unwrap_or_default();
    output::choose_color(color);
    let matches = Cli::command().color(color).try_get_matches();
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => {
            // A filter that has mistakes in it is unknown to whoever names it: the mistakes are the reason.
            if let Some(reason) = own.error.filter(|_| error.exit_code() != 0) {
                output::complain(&reason);
                return exit_code(&reason);
            }
            // Help and version come this way too, with exit code 0. There is nobody to tell that printing failed.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    if cli.quiet {
        output::be_quiet();
    }
    let result = match cli.command {
        // The window says what is wrong, and reads it again once it was changed.
        None => start_threads().and_then(|()| open_window(cli.picture, cli.language, cli.on, own.folders)).map(|()| Ending::Done),
        Some(command) => {
            // English whatever the locale: output is read by programs, too.
            texts::set_language(cli.language.unwrap_or_default());
            let misplaced = cli.picture.map(|path| texts::misused("errors.cli.picture-and-command", &[("path", &path.display())]));
            match own.error.or(misplaced) {
                Some(error) => Err(error),
                None => start_threads().and_then(|()| run_command(&command, &cli.on)),
            }
        }
    };
    signals::let_end();
    match result {
        Ok(ending) => ending.exit_code(),
        Err(error) => {
            output::complain(&error);
            if error.kind != ErrorKind::Cancelled {
                // Without a console nobody reads that.
                let _ = show_unseen(TITLE, &error.to_string());
            }
            exit_code(&error)
        }
    }
}

/// Of what the system shows in the place of a console.
const TITLE: &str = "Kernel Ladder";

/// Starts the threads that share work: later, a refusal of the system would come in the midst of something else.
fn start_threads() -> Result<()> {
    rayon::ThreadPoolBuilder::new().build_global().map_err(|error| texts::failed("errors.cli.no-threads", &[("why", &error)]))
}

fn exit_code(error: &Error) -> ExitCode {
    match error.kind {
        ErrorKind::Cancelled => ExitCode::SUCCESS,
        ErrorKind::Failed | ErrorKind::Lost | ErrorKind::NoProgram => ExitCode::from(1),
        ErrorKind::Usage => ExitCode::from(2),
    }
}

/// How a command that did what it was asked for ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Done,
    /// A row takes longer than in the baseline.
    Slower,
    /// None is known to, and not all are known not to.
    Inconclusive,
}

impl Ending {
    fn exit_code(self) -> ExitCode {
        match self {
            Self::Done => ExitCode::SUCCESS,
            Self::Slower => ExitCode::from(3),
            Self::Inconclusive => ExitCode::from(4),
        }
    }
}

fn run_command(command: &Command, hosts: &[String]) -> Result<Ending> {
    named_files(command).check()?;
    let host = match (hosts, command) {
        ([] | [_], _) => hosts.first(),
        (_, Command::Bench(arguments)) => return bench::hosts::run(arguments, hosts).map(|()| Ending::Done),
        _ => return Err(texts::misused("errors.hosts.one", &[("hosts", &hosts.join(","))])),
    };
    // Starts its process when something is asked.
    let mut backend = host.map_or_else(Remote::new, |host| Remote::on_host(host));
    if let Command::Devices(devices::Arguments { install: true, .. }) = command {
        let host = host.ok_or_else(|| texts::misused("errors.hosts.nowhere", &[]))?;
        output::note(&filled("tables.installed", &[("host", host), ("version", &backend.install(&Ssh::default())?)]));
    }
    let result = run_over(command, &mut backend);
    note_carried(&backend);
    result
}

/// All files that a command names, to read and to write.
fn named_files(command: &Command) -> NamedFiles<'_> {
    match command {
        Command::Studies(arguments) => arguments.named_files(),
        Command::Lessons(arguments) => arguments.named_files(),
        Command::Run(arguments) => arguments.named_files(),
        Command::Bench(arguments) => arguments.named_files(),
        Command::Compare(arguments) => arguments.named_files(),
        Command::History(arguments) => arguments.named_files(),
        Command::Merge(arguments) => arguments.named_files(),
        Command::Report(arguments) => arguments.named_files(),
        Command::Class(arguments) => arguments.named_files(),
        Command::Study(command) => command.named_files(),
        Command::Autotune(arguments) => arguments.named_files(),
        Command::New(arguments) => arguments.named_files(),
        Command::Compiled(arguments) => arguments.named_files(),
        Command::Counters(arguments) => arguments.named_files(),
        Command::Why(arguments) => arguments.named_files(),
        Command::Try(arguments) => arguments.named_files(),
        Command::Access(arguments) => arguments.named_files(),
        Command::Devices(_)
        | Command::List(_)
        | Command::Roofs(_)
        | Command::Limits(_)
        | Command::Peers(_)
        | Command::Source(_)
        | Command::Diff(_)
        | Command::Predictions(_)
        | Command::Completions(_)
        | Command::Man(_)
        | Command::Topic(_)
        | Command::Schema(_)
        | Command::Check(_)
        | Command::Confined { .. }
        | Command::Replay(_)
        | Command::Worker { .. } => NamedFiles::default(),
    }
}

/// What went over the network, where the backend is on another machine.
fn note_carried(backend: &Remote) {
    if let Some(host) = backend.host() {
        let (sent, received) = backend.carried();
        let [sent, received] = [sent, received].map(units::binary_bytes);
        output::note(&filled("tables.carried", &[("host", &host), ("sent", &sent), ("received", &received)]));
    }
}

fn run_over(command: &Command, backend: &mut Remote) -> Result<Ending> {
    match command {
        Command::Compare(arguments) => return compare::run(arguments, backend),
        Command::Devices(arguments) => devices::run(arguments, backend),
        Command::List(arguments) => list::run(arguments),
        Command::Studies(arguments) => answers::run(arguments),
        Command::Lessons(arguments) => lessons::run(arguments),
        Command::Run(arguments) => run::run(arguments, backend),
        Command::Bench(arguments) => bench::run(arguments, backend),
        Command::History(arguments) => history::run(arguments),
        Command::Merge(arguments) => merge::run(arguments),
        Command::Report(arguments) => report::run(arguments),
        Command::Class(arguments) => class::run(arguments),
        Command::Study(command) => command.run(backend),
        Command::Roofs(arguments) => roofs::run(arguments, backend),
        Command::Autotune(arguments) => autotune::run(arguments, backend),
        Command::Limits(arguments) => limits::run(arguments, backend),
        Command::Peers(arguments) => peers::run(arguments, backend),
        Command::Source(arguments) => source::source(arguments),
        Command::Diff(arguments) => source::diff(arguments),
        Command::Compiled(arguments) => compiled::run(arguments, backend),
        Command::Counters(arguments) => counters::run(arguments, backend),
        Command::Why(arguments) => why::run(arguments, backend),
        Command::Try(arguments) => edited::run(arguments, backend),
        Command::Predictions(arguments) => predictions::run(arguments),
        Command::Access(arguments) => access::run(arguments),
        Command::Completions(arguments) => manual::completions(arguments),
        Command::Man(arguments) => manual::manual(arguments),
        Command::Topic(arguments) => manual::topic(arguments),
        Command::Schema(arguments) => schema::run(arguments),
        Command::New(arguments) => project::new(arguments),
        Command::Check(arguments) => project::check(arguments, backend),
        Command::Confined { folder, words } => remote::become_confined(folder, words),
        Command::Replay(arguments) => counters::replay(arguments),
        Command::Worker { carry } => remote::serve(if *carry { Carriage::Message } else { Carriage::Shared }),
    }
    .map(|()| Ending::Done)
}

/// A word that is neither a command nor a file is more likely a mistyped command than a picture.
fn open_window(picture: Option<PathBuf>, language: Option<Language>, hosts: Vec<String>, filters: Vec<OwnFolder>) -> Result<()> {
    if let Some(path) = picture.as_ref().filter(|path| !path.exists()) {
        texts::set_language(language.unwrap_or_else(Language::of_environment));
        return Err(texts::misused("errors.cli.nothing-to-open", &[("path", &path.display())]));
    }
    crate::app::run(picture, language, hosts, filters)
}

#[cfg(test)]
mod tests {
    use super::{Cli, Ending, exit_code};
    use base::error::Error;
    use base::texts::{Language, avoided};
    use clap::{CommandFactory as _, Parser as _};
    use std::process::ExitCode;

    #[test]
    fn the_definition_holds_together() {
        Cli::command().debug_assert();
        // An argument called as one of all commands would be read as that one, which Clap finds out when it is used.
        let program = Cli::command();
        let of_all: Vec<_> = program.get_arguments().filter(|argument| argument.is_global_set()).map(clap::Arg::get_id).collect();
        assert!(of_all.len() > 3, "{of_all:?}");
        for command in program.get_subcommands() {
            let taken = command.get_arguments().find(|argument| of_all.contains(&argument.get_id()));
            assert!(taken.is_none(), "{}: {taken:?}", command.get_name());
        }
    }

    #[test]
    fn exit_codes_tell_how_a_comparison_ends() {
        for (ending, code) in [(Ending::Done, 0), (Ending::Slower, 3), (Ending::Inconclusive, 4)] {
            assert_eq!(format!("{:?}", ending.exit_code()), format!("{:?}", ExitCode::from(code)));
        }
    }

    #[test]
    fn exit_codes_tell_failure_from_wrong_use() {
        for (error, code) in [(Error::failed("", "", ""), 1), (Error::usage("", "", ""), 2), (Error::cancelled(), 0)] {
            assert_eq!(format!("{:?}", exit_code(&error)), format!("{:?}", ExitCode::from(code)));
        }
    }

    #[test]
    fn every_example_of_the_help_parses() {
        let help = Cli::command().render_help().to_string();
        let lines: Vec<&str> = help.lines().filter_map(|line| line.strip_prefix("  kernel-ladder")).collect();
        assert!(lines.len() >= 7, "{help}");
        for line in lines {
            // The explanation stands apart by two blanks or more.
            let words = line.split("  ").next().unwrap_or_default().split_whitespace();
            assert!(Cli::try_parse_from(std::iter::once("kernel-ladder").chain(words)).is_ok(), "{line}");
        }
    }

    #[test]
    fn no_help_has_a_word_that_is_avoided() {
        let mut program = Cli::command();
        program.build();
        let of_commands = program.get_subcommands().cloned().map(|mut command| command.render_long_help().to_string());
        let helps: Vec<String> = of_commands.chain([program.clone().render_long_help().to_string()]).collect();
        assert!(helps.len() > 20);
        // Lines are broken to the width of the terminal.
        let line = |help: &String| help.split_whitespace().collect::<Vec<_>>().join(" ");
        for help in helps.iter().map(line) {
            assert_eq!(avoided(Language::English, &help), None, "{help}");
        }
    }

    #[test]
    fn an_option_keeps_its_former_name() {
        for name in ["--cpu", "--processor"] {
            assert!(Cli::try_parse_from(["kernel-ladder", "access", "--pixel", "1,2", name]).is_ok(), "{name}");
        }
    }
}
