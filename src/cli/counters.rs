//! `kernel-ladder counters`: what the processor and the system count while kernels run.

use super::arguments::{self, FilterArguments};
use super::named_files::NamedFiles;
use super::output::{self, TerminalProgress};
use super::schema::JsonOf;
use base::error::Result;
use base::files::write_atomically;
use base::texts::{Words, failed, misused};
use clap::Args;
use engine::device::DeviceKind;
use engine::replay::Recording;
use engine::{Backend, KernelText, PictureRef, Target, Task};
use kernels::filters;
use model::{Channels, HostMemory, LocalSize, Spec, Variant};
use report::story_file;
use serde_json::json;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use study::counters::{self, Counted, Profiled};
use view::story::{Story, json as story_json, markdown, text};

/// Side lengths of the picture where none are given.
const PX: (usize, usize) = (2048, 2048);

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  kernel-ladder counters naive coalesced+padded --filter sobel
  kernel-ladder counters coalesced --filter gaussian --size 4096x4096 --out counters.html
  kernel-ladder counters --ncu profile.csv

On an NVIDIA GPU, Nsight Compute (ncu) counts: bytes from DRAM, cache hits, sectors per request, bank conflicts, instructions, occupancy, registers. It counts nothing of OpenCL \
programs, so each run is recorded and repeated through CUDA with the code that the OpenCL driver compiled, over the same buffers; its output is compared with the recorded one. \
The local size is 32x4 unless --local says otherwise; variants with image objects are not supported.

On the CPU, counts events of every thread of the program that runs the kernels (Linux perf events): cycles, instructions, cache and branch misses, time on cores, page faults, \
threads scheduled out. A virtual machine often has no hardware counters, and the system may forbid them: events that \
cannot be counted are listed with the reason. `sysctl kernel.perf_event_paranoid=2` permits them for programs of your own.

--ncu prints what Nsight Compute counted, from the output of `ncu --csv` or `ncu --csv --page raw`. Those are counts of a CUDA program.")]
pub struct Arguments {
    #[command(flatten)]
    filter: FilterArguments,
    /// One variant, or several side by side: stages joined by '+', or naive
    #[arg(value_name = "VARIANT", required_unless_present = "ncu", conflicts_with = "ncu")]
    variants: Vec<String>,
    /// OpenCL device, see `kernel-ladder devices`
    #[arg(long, value_name = "N", default_value_t = 0)]
    device: usize,
    /// Local size [default: driver]
    #[arg(long, value_name = "32x4|driver", value_parser = arguments::parse_local)]
    local: Option<LocalSize>,
    /// Image size [default: 2048x2048]
    #[arg(long, value_name = "WxH", value_parser = arguments::parse_pixels)]
    size: Option<(usize, usize)>,
    /// Filter parameter; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = arguments::parse_setting)]
    settings: Vec<(String, String)>,
    /// Print what Nsight Compute counted
    #[arg(long, value_name = "FILE.csv")]
    ncu: Option<PathBuf>,
    /// Also write it to a file: .html, .md, .pdf, .json, .csv or .txt
    #[arg(long, value_name = "FILE", value_parser = arguments::parse_story_file)]
    out: Option<PathBuf>,
    /// Print Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "ncu")]
    json: bool,
}

impl Arguments {
    /// The files that it names.
    pub fn named_files(&self) -> NamedFiles<'_> {
        NamedFiles::default().reading(&self.ncu).writing(self.out.as_ref(), &story_file::EXTENSIONS)
    }
}

/// Counts, and prints what was counted.
///
/// # Errors
/// A usage error where a variant is not allowed or the device is no processor; failed where it does not run, or counters cannot be switched.
pub fn run(arguments: &Arguments, backend: &mut dyn Backend) -> Result<()> {
    if let Some(path) = &arguments.ncu {
        return tell(arguments, &of_ncu(path)?);
    }
    let found = arguments::devices(backend)?;
    let info = arguments::device(&found, arguments.device)?;
    let filter = arguments.filter.filter();
    let setting = arguments.filter.setting_or(filter, Channels::Rgb, None)?;
    let parameters = arguments::parameters(filter, &arguments::as_numbers(&arguments.settings)?)?;
    let spec = Spec { filter: filter.id, parameters, channels: setting.channels, border: setting.border };
    let (width, height) = arguments.size.unwrap_or(PX);
    let picture = PictureRef::generated((width, height), spec.channels);
    let title = Words::from(format!("{}, {width} x {height}, {}, {}", filters::spec_text(&spec), info.name, info.driver()));
    let progress = TerminalProgress::new();
    let is_cpu = info.kind == DeviceKind::Cpu;
    if let Some(host) = info.host.as_ref().filter(|_| !is_cpu) {
        return Err(misused("errors.replay.host", &[("host", host)]));
    }
    let mut all = Vec::new();
    let mut profiled = Vec::new();
    for name in &arguments.variants {
        let variant = Variant::parse(name)?;
        // What a driver chooses, a run through CUDA cannot.
        let local = arguments.local.unwrap_or(if is_cpu { LocalSize::Driver } else { LocalSize::Explicit(LocalSize::COMMON) });
        let target = Target::Device { index: info.index, variant, local, host_memory: HostMemory::Copy };
        let task = Task { spec: spec.clone(), picture: picture.clone(), target, text: KernelText::Composed };
        let (name, pixels) = (variant.to_string(), (width * height) as f64);
        if is_cpu {
            let counts = backend.prove(&task, &progress).and_then(|proof| backend.count_events(&proof, &progress));
            progress.clear();
            all.push(Counted { name, counts: counts?, pixels });
        } else {
            let recording = backend.prove(&task, &progress).and_then(|proof| backend.record_run(&proof, &progress));
            progress.clear();
            let recording = recording?;
            profiled.push(Profiled { name, kernels: replayed(&recording)?, pixels, must_move_bytes: recording.must_move_bytes });
        }
    }
    let story = if is_cpu { counters::story(title, &all) } else { counters::profiled_story(title, &profiled) };
    if !arguments.json {
        return tell(arguments, &story);
    }
    write_out(arguments, &story)?;
    if !is_cpu {
        return output::print_json(JsonOf::CountersOfGpu, Some(info), || story_json::paint(&story));
    }
    output::print_json(JsonOf::Counters, Some(info), || {
        let rows: Vec<_> = all.iter().map(|counted| json!({ "variant": counted.name, "events": counted.counts })).collect();
        json!({ "spec": spec, "width_px": width, "height_px": height, "variants": rows })
    })
}

/// What Nsight Compute counts of this program, which repeats a run.
fn replayed(recording: &Recording) -> Result<Vec<counters::Kernel>> {
    let not_made = |error: std::io::Error| failed("errors.replay.file", &[("path", &std::env::temp_dir().display()), ("why", &error)]);
    let folder = tempfile::tempdir().map_err(not_made)?;
    let file = folder.path().join("run");
    recording.write(&file)?;
    let program = std::env::current_exe().map_err(not_made)?;
    counters::profile(&program, &[OsStr::new("replay"), file.as_os_str()])
}

/// Arguments of `replay`.
#[derive(Args, Debug)]
pub struct ReplayArguments {
    /// File with a recorded run
    file: PathBuf,
}

/// Repeats a recorded run through CUDA, for a profiler.
///
/// # Errors
/// See [`Recording::replay`].
pub fn replay(arguments: &ReplayArguments) -> Result<()> {
    Recording::read(&arguments.file)?.replay()
}

fn of_ncu(path: &Path) -> Result<Story> {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    counters::read_ncu(path).map(|kernels| counters::ncu_story(&name, &kernels))
}

fn tell(arguments: &Arguments, story: &Story) -> Result<()> {
    write_out(arguments, story)?;
    output::print(&if arguments.markdown { markdown::paint(story) } else { text::paint(story) })
}

fn write_out(arguments: &Arguments, story: &Story) -> Result<()> {
    let Some(out) = &arguments.out else { return Ok(()) };
    write_atomically(out, &story_file::paint(story, out)?)
}
