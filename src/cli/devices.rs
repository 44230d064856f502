//! `kernel-ladder devices`.

use super::output;
use crate::device::{DeviceInfo, NoDevice, install_help};
use crate::engine::Backend;
use crate::error::{Error, Result};
use clap::Args;
use std::fmt::Write as _;

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(
    after_help = "The number before a device is the one for --device; the default is 0. GPUs come first, then devices with more compute units."
)]
pub struct Arguments {
    /// Print JSON, with all extensions
    #[arg(long)]
    json: bool,
}

/// Prints all devices, and what was left out as notes.
///
/// # Errors
/// Failed, with what to install, where there is none.
pub fn run(arguments: &Arguments, backend: &mut dyn Backend) -> Result<()> {
    let found = backend.rescan().map_err(|none| explain(&none));
    if arguments.json {
        output::print_json(&found.as_deref().unwrap_or_default())?;
        note_problems(backend);
        return found.map(|_| ());
    }
    let found = found?;
    output::print(&found.iter().map(describe).collect::<Vec<_>>().join("\n"))?;
    note_problems(backend);
    Ok(())
}

/// What was left out, and why.
fn note_problems(backend: &dyn Backend) {
    for problem in backend.device_problems() {
        output::note(problem);
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
    let mut line = |name: &str, value: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "   {name:<16}{value}");
    };
    line("name", info.name.clone());
    line("vendor", info.vendor.clone());
    line("platform", format!("{}, {}", info.platform, info.platform_version));
    line("driver", info.driver_version.clone());
    line("version", format!("{}; {}", info.opencl_version, info.opencl_c_version));
    if info.clock_mhz > 0 {
        line("clock", format!("{} MHz", info.clock_mhz));
    }
    let [x, y, z] = info.max_work_item_sizes;
    line("work-group", format!("up to {} work-items, up to {x} x {y} x {z}", info.max_work_group_size));
    let kind = if info.local_mem_is_dedicated { "dedicated" } else { "in ordinary memory" };
    line("local memory", format!("{}, {kind}", bytes(info.local_mem_bytes as u64)));
    line("global memory", format!("{}, up to {} per buffer", bytes(info.global_mem_bytes), bytes(info.max_alloc_bytes)));
    line("images", info.max_image_px.map_or_else(|| "none".to_owned(), |[width, height]| format!("up to {width} x {height}")));
    line("alignment", format!("{} bytes", info.base_align_bytes));
    line("timer", format!("{} ns", info.timer_resolution_ns));
    line("half precision", yes_no(info.has_fp16));
    line("shares memory", yes_no(info.has_unified_memory));
    line("extensions", format!("{}, listed by --json", info.extensions.len()));
    text
}

fn yes_no(value: bool) -> String {
    if value { "yes" } else { "no" }.to_owned()
}

/// In the largest binary unit that leaves a whole number or one decimal: 48 KiB, 1.5 GiB.
pub fn bytes(count: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let power = units.len().min(1 + (count.max(1).ilog2() / 10) as usize) - 1;
    let value = count as f64 / 1024_f64.powi(i32::try_from(power).unwrap_or(0));
    let unit = units.get(power).copied().unwrap_or_default();
    if value.fract() == 0.0 || power == 0 { format!("{value:.0} {unit}") } else { format!("{value:.1} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn memory_is_told_in_binary_units() {
        for (count, text) in [(0, "0 bytes"), (1023, "1023 bytes"), (49152, "48 KiB"), (1 << 20, "1 MiB"), (3 << 29, "1.5 GiB")] {
            assert_eq!(bytes(count), text);
        }
    }
}
