//! `kernel-ladder ablation`.

use super::arguments::{self, StudyArguments};
use super::output::{self, TerminalProgress};
use super::table::{Align, Table};
use crate::engine::{Backend, Compared, PictureRef, Target, Task};
use crate::error::Result;
use crate::image;
use crate::model::{Channels, HostMemory, Setting, Spec, StageId, Variant};
use crate::plot::units;
use crate::study::Prober;
use crate::study::ablation::{self, Kind, Part};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  kernel-ladder ablation padded+vectorize=5+merged+short16
  kernel-ladder ablation --filter epsilon coalesced+image=rgba+vectorize=8 --size 3840x2160

Each stage that is on is compared three ways, as interleaved pairs: alone over naive, last over the variant without it, and added in an order \
in which every step is allowed. Where alone and last differ, the stage's worth depends on the others.")]
pub struct Arguments {
    #[command(flatten)]
    study: StudyArguments,
    /// Picture [default: a generated one]
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Size of the generated picture
    #[arg(long, value_name = "2048x2048", value_parser = arguments::parse_size, conflicts_with = "picture")]
    size: Option<arguments::SizeArgument>,
}

/// A part with how its two variants compare, or why they were not compared.
type Found = (Part, std::result::Result<Compared, String>);

/// Compares and prints.
///
/// # Errors
/// A usage error for a variant that is not allowed; failed where there is no device.
pub fn run(arguments: &Arguments, backend: &mut dyn Backend) -> Result<()> {
    let filter = arguments.study.filter.filter();
    let parameters = arguments.study.parameters()?;
    let loaded = arguments.picture.as_deref().map(arguments::open_picture).transpose()?;
    let own_channels = loaded.as_ref().map_or(Channels::Rgb, |loaded| loaded.picture.channels());
    let found = arguments::devices(backend)?;
    let info = arguments::device(&found, arguments.study.device)?;
    let setting: Setting =
        arguments.study.filter.setting_or(filter, own_channels, None).with_parameters(filter, &parameters).on(info.abilities());
    arguments.study.variant.check(filter, setting)?;
    let (width, height) = match arguments.size {
        Some(arguments::SizeArgument::Pixels(width, height)) => (width, height),
        _ => (2048, 2048),
    };
    let picture = loaded.map_or_else(|| image::generate(width, height, setting.channels, 1), |loaded| loaded.picture.with_alpha(None));
    let picture = PictureRef::new(Arc::new(picture));
    let spec = Spec { filter: filter.id, parameters, channels: setting.channels, border: setting.border };
    let task = |variant: Variant| Task {
        spec: spec.clone(),
        picture: picture.clone(),
        target: Target::Device { index: arguments.study.device, variant, local: arguments.study.local, host_memory: HostMemory::Copy },
        added: None,
    };
    let mut prober = Prober::new(arguments.study.budget());
    let mut progress = TerminalProgress::new();
    let parts = ablation::parts(&arguments.study.variant, filter, setting);
    let mut found: Vec<Found> = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        progress.job = format!("[{}/{}] {}", index + 1, parts.len(), ablation::name(&arguments.study.variant, part.stage));
        let compared = match &part.pair {
            Err(why) => Err(why.clone()),
            Ok((before, after)) => prober.compare(&task(*before), &task(*after), backend, &progress)?.map_err(|error| error.to_string()),
        };
        found.push((part.clone(), compared));
    }
    progress.clear();
    if arguments.study.json {
        return output::print_json(&as_json(&arguments.study.variant, &found));
    }
    let (width, height) = picture.size();
    let head = format!(
        "{}, {width} x {height}, {}\n{}; {}, driver {}\n\n",
        filter.label(),
        arguments.study.variant,
        info.label(),
        info.platform,
        info.driver_version
    );
    output::print(&(head + &render(&arguments.study.variant, &found)))
}

fn render(variant: &Variant, found: &[Found]) -> String {
    let left = Align::Left;
    let mut table =
        Table::new(&[("Speed-up by", left), ("alone, over naive", left), ("last, over the rest", left), ("added, over those above", left)]);
    for stage in stages(found) {
        let cell = |kind: Kind| {
            let of = found.iter().find(|(part, _)| part.stage == stage && part.kind == kind).map(|(_, compared)| compared);
            match of {
                Some(Ok(compared)) => {
                    let busy = if compared.busy { ", BUSY" } else { "" };
                    let comparison = compared.comparison;
                    let ratio = units::speed_up_between(comparison.ratio, comparison.low, comparison.high);
                    format!("{ratio} {}{busy}", comparison.verdict.label())
                }
                Some(Err(why)) => format!("- ({why})"),
                None => String::new(),
            }
        };
        table.row(vec![ablation::name(variant, stage), cell(Kind::Alone), cell(Kind::Last), cell(Kind::Added)]);
    }
    let interactions: Vec<String> = stages(found).into_iter().filter_map(|stage| interaction(variant, stage, found)).collect();
    let note =
        if interactions.is_empty() { String::new() } else { format!("\nStages that depend on the others:\n{}\n", interactions.join("\n")) };
    format!("{}{note}", table.render())
}

/// In the order of the table.
fn stages(found: &[Found]) -> Vec<StageId> {
    found.iter().filter(|(part, _)| part.kind == Kind::Added).map(|(part, _)| part.stage).collect()
}

/// A stage whose worth alone and last have intervals that do not meet.
fn interaction(variant: &Variant, stage: StageId, found: &[Found]) -> Option<String> {
    let of = |kind: Kind| {
        found.iter().find(|(part, _)| part.stage == stage && part.kind == kind).and_then(|(_, compared)| compared.as_ref().ok())
    };
    let (alone, last) = (of(Kind::Alone)?.comparison, of(Kind::Last)?.comparison);
    let apart = alone.high < last.low || last.high < alone.low;
    apart.then(|| {
        let [alone, last] = [alone.ratio, last.ratio].map(units::speed_up);
        format!("  {}: {alone} alone, {last} as the last one", ablation::name(variant, stage))
    })
}

fn as_json(variant: &Variant, found: &[Found]) -> serde_json::Value {
    let row = |(part, compared): &Found| {
        let pair = part.pair.as_ref().ok();
        json!({
            "stage": ablation::name(variant, part.stage),
            "kind": match part.kind { Kind::Alone => "alone", Kind::Last => "last", Kind::Added => "added" },
            "before": pair.map(|pair| pair.0.to_string()),
            "after": pair.map(|pair| pair.1.to_string()),
            "comparison": compared.as_ref().ok().map(|compared| compared.comparison),
            "busy": compared.as_ref().ok().map(|compared| compared.busy),
            "why_not": compared.as_ref().err(),
        })
    };
    json!({ "variant": variant.to_string(), "parts": found.iter().map(row).collect::<Vec<_>>() })
}
