//! `kernel-ladder source` and `kernel-ladder diff`.

use super::arguments::{self, FilterArguments};
use super::output;
use super::schema::JsonOf;
use base::error::Result;
use clap::Args;
use kernels::kernel_source::{DEFAULT_GROUP, build_options, compose, unified};
use model::{Channels, Variant};
use serde_json::json;

/// Arguments of `source`.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  kernel-ladder source --filter laplace --variant padded+vectorize=4+merged")]
pub struct SourceArguments {
    #[command(flatten)]
    filter: FilterArguments,
    /// Stages joined by '+', or naive; see `kernel-ladder list --filter NAME`
    #[arg(long, default_value = Variant::NAIVE_NAME, value_parser = Variant::parse)]
    variant: Variant,
    /// Parameter of the filter, for those that are compiled in; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = arguments::parse_parameter)]
    parameters: Vec<(String, f64)>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Arguments of `diff`.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  kernel-ladder diff --filter laplace padded+vectorize=4 padded+vectorize=4+merged")]
pub struct DiffArguments {
    #[command(flatten)]
    filter: FilterArguments,
    /// First variant
    #[arg(value_name = "A", value_parser = Variant::parse)]
    before: Variant,
    /// Second variant
    #[arg(value_name = "B", value_parser = Variant::parse)]
    after: Variant,
    /// Parameter of the filter, for those that are compiled in; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = arguments::parse_parameter)]
    parameters: Vec<(String, f64)>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Prints the resolved kernel.
///
/// # Errors
/// A usage error where the variant is not allowed.
pub fn source(arguments: &SourceArguments) -> Result<()> {
    let setting = arguments.filter.setting_or(arguments.filter.filter(), Channels::Rgb, None)?;
    let parameters = arguments::parameters(arguments.filter.filter(), &arguments.parameters)?;
    let text = compose(arguments.filter.filter(), &arguments.variant, setting, &parameters)?;
    if !arguments.json {
        return output::print(&text);
    }
    output::print_json(JsonOf::Source, None, || {
        json!({
            "filter": arguments.filter.filter().name(),
            "variant": arguments.variant.to_string(),
            "channels": setting.channels.name(),
            "border": setting.border.name(),
            "options": build_options(&arguments.variant, setting.abilities, Some(DEFAULT_GROUP)),
            "source": &*text,
        })
    })
}

/// Prints the unified difference; nothing where there is none.
///
/// # Errors
/// A usage error where one of the variants is not allowed.
pub fn diff(arguments: &DiffArguments) -> Result<()> {
    let filter = arguments.filter.filter();
    let setting = arguments.filter.setting_or(arguments.filter.filter(), Channels::Rgb, None)?;
    let parameters = arguments::parameters(arguments.filter.filter(), &arguments.parameters)?;
    let composed = |variant: &Variant| compose(filter, variant, setting, &parameters);
    let (before, after) = (composed(&arguments.before)?, composed(&arguments.after)?);
    let names = [arguments.before.to_string(), arguments.after.to_string()];
    let [before_name, after_name] = &names;
    let difference = unified(before_name, &before, after_name, &after);
    if !arguments.json {
        return output::print(&difference);
    }
    output::print_json(JsonOf::Diff, None, || {
        json!({
            "filter": filter.name(),
            "before": before_name,
            "after": after_name,
            "channels": setting.channels.name(),
            "border": setting.border.name(),
            "diff": difference,
        })
    })
}
