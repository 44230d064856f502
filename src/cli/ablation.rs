//! `kernel-ladder ablation`.

use super::arguments::{self, StudyArguments};
use super::output;
use super::studying;
use crate::cli::arguments::LargeArgument;
use crate::cli::named_files::NamedFiles;
use crate::engine::{Backend, PictureRef};
use crate::error::Result;
use crate::image;
use crate::model::{Channels, HostMemory, Variant};
use crate::story::columns::{Align, Table};
use crate::study::ablation::{self, Ablation, Kind, Part, StageWorth, Worth};
use crate::study::{Sequence, telling};
use crate::texts::{filled, text};
use clap::Args;
use serde_json::json;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  kernel-ladder ablation padded+vectorize=5+merged+short16
  kernel-ladder ablation --filter epsilon coalesced+image=rgba+vectorize=8 --size 3840x2160

Each stage is compared three ways, in interleaved pairs: alone, over naive; last, over the variant without it; and added in an order in which every step \
is allowed. If alone and last differ, the contribution of the stage depends on the others.")]
pub struct Arguments {
    #[command(flatten)]
    study: StudyArguments,
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
        NamedFiles::default().reading(&self.picture)
    }
}

/// Compares and prints.
///
/// # Errors
/// A usage error for a variant that is not allowed; failed where there is no device, or something could not be compared.
pub fn run(arguments: &Arguments, backend: &mut dyn Backend) -> Result<()> {
    let filter = arguments.study.filter.filter();
    let loaded = arguments.picture.as_deref().map(|path| arguments::open_picture(path, arguments.large)).transpose()?;
    let own_channels = loaded.as_ref().map_or(Channels::Rgb, |loaded| loaded.picture.channels());
    let devices = arguments::devices(backend)?;
    let (info, spec, setting) = arguments.study.checked(&devices, own_channels)?;
    let (width, height) = arguments.size.unwrap_or((2048, 2048));
    let picture = loaded.map_or_else(|| image::generate(width, height, setting.channels, 1), |loaded| loaded.picture.with_alpha(None));
    let picture = PictureRef::new(Arc::new(picture));
    let variant = &arguments.study.variant;
    let parts = ablation::parts(variant, filter, setting);
    let probes = ablation::probes(variant, &parts, &arguments.study.task(spec, picture.clone(), HostMemory::Copy));
    let findings = studying::findings(Sequence::new(probes), arguments.study.budget(), backend, |_| String::new())?;
    let found = Ablation::of(variant, &parts, &findings);
    if arguments.study.json {
        output::print_json(|| as_json(variant, &parts, &found))?;
        return studying::complete(&findings);
    }
    let (width, height) = picture.size();
    let (filter, device) = (filter.label(), info.label());
    let head: [(&str, &dyn Display); 4] = [("filter", &filter), ("width", &width), ("height", &height), ("variant", variant)];
    let place: [(&str, &dyn Display); 3] = [("device", &device), ("platform", &info.platform), ("driver", &info.driver_version)];
    let head = format!("{}\n{}\n\n", filled("tables.ablation.head", &head), filled("tables.ablation.device", &place));
    output::print(&(head + &render(variant, &found)))?;
    studying::complete(&findings)
}

fn render(variant: &Variant, found: &Ablation) -> String {
    let left = Align::Left;
    let mut table = Table::new(
        &["tables.ablation.speed-up-by", "tables.ablation.alone", "tables.ablation.last", "tables.ablation.added"]
            .map(|key| (text(key), left)),
    );
    for stage in &found.stages {
        table.row(vec![ablation::name(variant, &stage.stages), cell(&stage.alone), cell(&stage.last), cell(&stage.added)]);
    }
    let whole = filled("tables.ablation.whole", &[("variant", variant), ("ratio", &cell(&found.whole))]);
    let interactions: Vec<String> = found.stages.iter().filter_map(|stage| interaction(variant, stage)).collect();
    let note = if interactions.is_empty() {
        String::new()
    } else {
        format!("\n{}\n{}\n", text("tables.ablation.dependent"), interactions.join("\n"))
    };
    format!("{}{whole}\n{note}", table.render())
}

fn cell(worth: &Worth) -> String {
    studying::worth_text(worth).unwrap_or_default()
}

/// A stage whose worth alone and last have intervals that do not meet.
fn interaction(variant: &Variant, stage: &StageWorth) -> Option<String> {
    Some(format!("  {}", telling::interaction(variant, stage)?))
}

fn as_json(variant: &Variant, parts: &[Part], found: &Ablation) -> serde_json::Value {
    let row = |part: &Part| {
        let pair = part.pair.as_ref().ok();
        let stage = found.stages.iter().find(|stage| stage.stages == part.stages);
        let (kind, worth) = match part.kind {
            Kind::Alone => ("alone", stage.and_then(|stage| stage.alone.as_ref())),
            Kind::Last => ("last", stage.and_then(|stage| stage.last.as_ref())),
            Kind::Added => ("added", stage.and_then(|stage| stage.added.as_ref())),
        };
        let compared = worth.and_then(|worth| worth.as_ref().ok());
        json!({
            "stage": ablation::name(variant, &part.stages),
            "kind": kind,
            "before": pair.map(|pair| pair.0.to_string()),
            "after": pair.map(|pair| pair.1.to_string()),
            "comparison": compared.map(|compared| compared.comparison),
            "busy": compared.map(|compared| compared.busy),
            "why_not": worth.and_then(|worth| worth.as_ref().err()),
        })
    };
    let whole = found.whole.as_ref().and_then(|whole| whole.as_ref().ok());
    json!({
        "variant": variant.to_string(),
        "parts": parts.iter().map(row).collect::<Vec<_>>(),
        "whole": whole.map(|compared| compared.comparison),
    })
}
