//! `kernel-ladder devices`.

use super::output;
use super::schema::JsonOf;
use base::error::{Error, Result};
use base::texts::{filled, text as words};
use clap::Args;
use engine::Backend;
use engine::device::{DeviceInfo, NoDevice, install_help};
use std::fmt::{Display, Write as _};
use view::plot::units;
use view::story::text::width;

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  kernel-ladder devices
  kernel-ladder devices --on lab-pc --install

The number before a device is its number for --device; the default is 0. GPUs come first, then devices with more compute units.")]
pub struct Arguments {
    /// Print JSON, with all extensions
    #[arg(long)]
    json: bool,
    /// First copy this program to ~/.local/bin on the machine given by --on
    #[arg(long)]
    pub install: bool,
}

/// Prints all devices, and what was left out as notes.
///
/// # Errors
/// Failed, with what to install, where there is none.
pub fn run(arguments: &Arguments, backend: &mut dyn Backend) -> Result<()> {
    let found = backend.rescan().map_err(|none| explain(&none));
    if arguments.json {
        output::print_json(JsonOf::Devices, None, || found.as_deref().unwrap_or_default())?;
        note_problems(backend);
        return found.map(|_| ());
    }
    let found = found?;
    output::print(&found.iter().map(describe).collect::<Vec<_>>().join("\n"))?;
    note_problems(backend);
    if let Some(confinement) = backend.scanned().confinement {
        output::note(confinement.label());
    }
    Ok(())
}

/// What was left out, and why.
fn note_problems(backend: &mut dyn Backend) {
    for problem in backend.scanned().problems {
        output::note(&problem);
    }
}

/// What to install, on the present system and on all others.
fn explain(none: &NoDevice) -> Error {
    let help = install_help(none);
    let steps = help.steps.iter().map(|step| {
        let command = step.command.as_ref().map_or_else(String::new, |command| format!("    {command}\n"));
        format!("  {}\n{command}    {}", step.system, step.hint)
    });
    let detail = steps.collect::<Vec<_>>().join("\n\n");
    help.into_error().with_detail(detail)
}

fn describe(info: &DeviceInfo) -> String {
    let mut text = format!("{}  {}\n", info.index, info.label());
    let mut line = |name: &'static str, value: String| {
        let name = words(name);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "   {name}{}{value}", " ".repeat(NAME_COLUMNS.saturating_sub(width(name))));
    };
    line("tables.devices.name", info.name.clone());
    line("tables.devices.vendor", info.vendor.clone());
    line("tables.devices.platform", format!("{}, {}", info.platform, info.platform_version));
    line("tables.devices.driver", info.driver_version.clone());
    line("tables.devices.version", format!("{}; {}", info.opencl_version, info.opencl_c_version));
    if info.clock_mhz > 0 {
        line("tables.devices.clock", format!("{} MHz", info.clock_mhz));
    }
    let [x, y, z] = info.max_work_item_sizes;
    let values: [(&str, &dyn Display); 4] = [("items", &info.max_work_group_size), ("x", &x), ("y", &y), ("z", &z)];
    line("tables.devices.group", filled("tables.devices.group-limits", &values));
    let key = if info.local_mem_is_dedicated { "tables.devices.local-dedicated" } else { "tables.devices.local-ordinary" };
    line("tables.devices.local", filled(key, &[("bytes", &units::binary_bytes(info.local_mem_bytes as u64))]));
    let values: [(&str, &dyn Display); 2] =
        [("bytes", &units::binary_bytes(info.global_mem_bytes)), ("most", &units::binary_bytes(info.max_alloc_bytes))];
    line("tables.devices.global", filled("tables.devices.global-limits", &values));
    let images = |[width, height]: [usize; 2]| filled("tables.devices.images-limits", &[("width", &width), ("height", &height)]);
    line("tables.devices.images", info.max_image_px.map_or_else(|| words("tables.devices.no-images").to_owned(), images));
    line("tables.devices.alignment", filled("words.bytes", &[("count", &info.base_align_bytes)]));
    line("tables.devices.timer", format!("{} ns", info.timer_resolution_ns));
    line("tables.devices.half", yes_no(info.has_fp16));
    line("tables.devices.shared", yes_no(info.has_unified_memory));
    line("tables.devices.extensions", filled("tables.devices.extensions-count", &[("count", &info.extensions.len())]));
    text
}

/// The device in a line, as the heads of tables have it.
pub fn device_line(info: &DeviceInfo) -> String {
    let values: [(&str, &dyn Display); 4] =
        [("index", &info.index), ("device", &info.label()), ("platform", &info.platform), ("driver", &info.driver_version)];
    filled("tables.device", &values)
}

/// Columns of the names before their values.
const NAME_COLUMNS: usize = 16;

fn yes_no(value: bool) -> String {
    words(if value { "words.yes" } else { "words.no" }).to_owned()
}
