//! `kernel-ladder run`.

use super::arguments::{self, EngineArgument, FilterArguments};
use super::kept;
use super::output::{self, TerminalProgress};
use super::schema::JsonOf;
use crate::cli::arguments::LargeArgument;
use crate::cli::named_files::NamedFiles;
use base::error::Result;
use base::texts::{failed, filled, text};
use clap::Args;
use engine::device::{DeviceInfo, Quirk};
use engine::{Backend, Executed, KernelText, PictureRef, Target, Task};
use kernels::filters::FilterIdExt as _;
use model::measure::Progress as _;
use model::{HostMemory, LocalSize, Spec, Variant, Verification};
use pictures::READABLE_EXTENSIONS;
use serde_json::json;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;
use study::Sought;

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  kernel-ladder run photo.jpg sharp.png
  kernel-ladder run photo.jpg sharp.png --variant coalesced+padded+vectorize=4 --local 32x4
  kernel-ladder run photo.jpg sharp.png --tuned
  kernel-ladder run coffee.png sharp.png --border replicate --engine cpu-threads

IN can also be a built-in sample: coffee.png, camera.png, chelsea.png or hubble_deep_field.jpg. The kernel time is from a single run; for measurements, \
use `kernel-ladder bench`.")]
pub struct Arguments {
    /// Picture to read: PNG, JPEG, BMP, TIFF, WebP, GIF
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// Picture to write; the extension sets the format
    #[arg(value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    large: LargeArgument,
    #[command(flatten)]
    filter: FilterArguments,
    /// Stages joined by '+', or naive; see `kernel-ladder list --filter NAME`
    #[arg(long, value_name = "V", value_parser = Variant::parse)]
    variant: Option<Variant>,
    /// Use the fastest variant and local size found by `kernel-ladder autotune`, or in the window, for a picture of about this size
    #[arg(long, conflicts_with_all = ["variant", "local"])]
    tuned: bool,
    /// OpenCL device, see `kernel-ladder devices` [default: 0]
    #[arg(long, value_name = "N")]
    device: Option<usize>,
    /// Local size, dimension 0 x dimension 1; `driver` leaves it to the driver [default: driver]
    #[arg(long, value_name = "32x4|driver", value_parser = arguments::parse_local)]
    local: Option<LocalSize>,
    /// Host memory for transfers: copy, map, use-host-ptr or svm [default: copy]
    #[arg(long, value_name = "MEMORY")]
    memory: Option<HostMemory>,
    /// Engine that computes
    #[arg(long, value_name = "ENGINE", default_value = "opencl", value_parser = arguments::engine_parser())]
    engine: EngineArgument,
    /// Parameter of the filter; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = arguments::parse_parameter)]
    parameters: Vec<(String, f64)>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// The files that it names.
    pub fn named_files(&self) -> NamedFiles<'_> {
        NamedFiles::default().reading([&self.input]).writing(&self.output, &READABLE_EXTENSIONS)
    }
}

/// Filters the picture, checks the output, writes it.
///
/// # Errors
/// Whatever kept it from running. A wrong output is written all the same, so that it can be looked at, and is an error.
pub fn run(arguments: &Arguments, backend: &mut dyn Backend) -> Result<()> {
    pictures::check_writable_extension(&arguments.output)?;
    let parameters = arguments::parameters(arguments.filter.filter(), &arguments.parameters)?;
    let (target, device) = target(arguments, backend)?;
    let picture = Arc::new(arguments::open_picture(&arguments.input, arguments.large)?.picture);
    let filter = arguments.filter.filter();
    let setting = arguments.filter.setting_or(filter, picture.channels(), None)?;
    let spec = Spec { filter: filter.id, parameters, channels: setting.channels, border: setting.border };
    let mut task = Task { spec, picture: PictureRef::new(picture), target, text: KernelText::Composed };
    if let Some(device) = device.as_ref().filter(|_| arguments.tuned) {
        task = tuned(&task, device)?;
    }
    let compiles_at_launch =
        device.as_ref().is_some_and(|device| Quirk::CompilesAtLaunch.is_of(device) || Quirk::CompilesPerLocalSize.is_of(device));
    let mut progress = TerminalProgress::new();
    filter.name().clone_into(&mut progress.job);
    progress.report(0, 2, text("tables.run.running"));
    if compiles_at_launch {
        // The times reported are those of the next launch, which compiles nothing.
        backend.execute(&task, &progress)?;
    }
    let executed = backend.execute(&task, &progress)?;
    progress.report(1, 2, text("progress.verifying"));
    let verification = backend.verify(&task, &executed, &progress)?.verification;
    progress.clear();
    let notes = pictures::save(&arguments.output, &executed.output)?;
    for note in executed.notes.iter().map(ToString::to_string).chain(notes) {
        output::note(&note);
    }
    report(arguments, &task, device.as_ref(), &executed, &verification)?;
    if verification.is_right() {
        return Ok(());
    }
    let values: [(&str, &dyn Display); 3] = [
        ("how", &verification.label()),
        ("most", &verification.max_difference),
        ("remedy", &engine::remedy_of_wrong(verification.held_to)),
    ];
    Err(failed("errors.run.wrong", &values))
}

/// The task with what an earlier search found for it.
fn tuned(task: &Task, device: &DeviceInfo) -> Result<Task> {
    kept::known(Sought::Variant, task, device)?.map(|tuning| tuning.found.task(task)).ok_or_else(|| {
        let (Spec { filter, parameters, channels, border }, (width, height)) = (&task.spec, task.picture.size());
        let set: Vec<_> = parameters.0.iter().map(|(name, value)| format!(" --set {name}={value}")).collect();
        let [channels, border] = [channels.name(), border.name()];
        let options = format!(
            "{} --channels {channels} --border {border}{} --size {width}x{height} --device {}",
            filter.filter().options(),
            set.concat(),
            device.index
        );
        failed("errors.run.not-tuned", &[("width", &width), ("height", &height), ("options", &options)])
    })
}

/// Engine that computes, and the device that it is.
fn target(arguments: &Arguments, backend: &mut dyn Backend) -> Result<(Target, Option<DeviceInfo>)> {
    let EngineArgument::Cpu(engine) = arguments.engine else {
        let found = arguments::devices(backend)?;
        let info = arguments::device(&found, arguments.device.unwrap_or(0))?;
        let (variant, local) = (arguments.variant.unwrap_or_default(), arguments.local.unwrap_or_default());
        return Ok((
            Target::Device { index: info.index, variant, local, host_memory: arguments.memory.unwrap_or_default() },
            Some(info.clone()),
        ));
    };
    let surplus = [
        ("--variant", arguments.variant.is_some()),
        ("--tuned", arguments.tuned),
        ("--device", arguments.device.is_some()),
        ("--local", arguments.local.is_some()),
        ("--memory", arguments.memory.is_some()),
    ];
    arguments::refuse_surplus(engine, &surplus)?;
    Ok((Target::Cpu(engine), None))
}

fn report(arguments: &Arguments, task: &Task, device: Option<&DeviceInfo>, executed: &Executed, verification: &Verification) -> Result<()> {
    let place = &device.map_or_else(kernel_ladder_cpu::processor_name, |device| device.name.clone());
    let (width, height) = (executed.output.width_px(), executed.output.height_px());
    // How long it took to compute what is wrong says nothing.
    let timings = verification.is_right().then_some(&executed.timings);
    let (engine, variant, host_memory) = match task.target {
        Target::Cpu(engine) => (engine.name(), None, None),
        Target::Device { variant, host_memory, .. } => ("opencl", Some(variant.to_string()), Some(host_memory)),
    };
    if arguments.json {
        return output::print_json(JsonOf::Run, device, || {
            json!({
                "input": arguments.input.display().to_string(),
                "output": arguments.output.display().to_string(),
                "spec": task.spec,
                "engine": engine,
                "variant": variant,
                "device": place,
                "width_px": width,
                "height_px": height,
                "global_size": executed.global,
                "local_size_used": executed.local_used,
                "host_memory": host_memory,
                "verification": verification,
                "kernel_ns": timings.and_then(|timings| timings.kernel_ns),
                "upload_ns": timings.map(|timings| timings.upload_ns),
                "readback_ns": timings.map(|timings| timings.readback_ns),
                "round_trip_ns": timings.map(|timings| timings.round_trip_ns),
                "build_ns": executed.build.build_ns,
                "notes": executed.notes,
            })
        });
    }
    let kernel = match timings.map(|timings| timings.kernel_ns) {
        Some(Some(ns)) => format!("{:.3} ms", ns as f64 / 1e6),
        Some(None) => text("tables.run.invalid").to_owned(),
        None => text("tables.run.of-wrong").to_owned(),
    };
    let place = match task.filter().border_words(task.spec.border) {
        Some(border) => filled("tables.run.computed-on", &[("place", &place), ("border", &border)]),
        None => place.to_owned(),
    };
    let values: [(&str, &dyn Display); 9] = [
        ("path", &arguments.output.display()),
        ("width", &width),
        ("height", &height),
        ("channels", &task.spec.channels.name()),
        ("computed", &task.spec.filter),
        ("variant", &variant.as_deref().unwrap_or(engine)),
        ("place", &place),
        ("verification", &verification.label()),
        ("time", &kernel),
    ];
    output::print(&(filled("tables.run.told", &values) + "\n"))
}
