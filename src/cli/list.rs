//! `kernel-ladder list`.

use super::output;
use crate::error::Result;
use crate::filters::{self, Filter, Ladder, Offer, Step};
use crate::stages::{Rule, Stage};
use crate::variant::rules;
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "A variant's name is its stages' names joined by '+', for example padded+vectorize=4+merged; naive has none.")]
pub struct Arguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Prints the tables of filters, stages and ladders.
///
/// # Errors
/// Only when printing fails.
pub fn run(arguments: &Arguments) -> Result<()> {
    if arguments.json {
        return output::print_json(&filters::all().iter().map(|filter| filter_as_json(filter)).collect::<Vec<_>>());
    }
    let mut text = String::new();
    for filter in filters::all() {
        // Writing to a string cannot fail.
        let _ = describe(filter, &mut text);
    }
    output::print(&text)
}

fn describe(filter: &Filter, text: &mut String) -> std::fmt::Result {
    writeln!(text, "{}: {}", filter.name, filter.label)?;
    writeln!(text, "  {}", filter.summary)?;
    let channels: Vec<_> = filter.channels.iter().map(|channels| channels.name()).collect();
    writeln!(text, "  Channels {}; border mode {} by default", channels.join(", "), filter.default_border.name())?;
    for parameter in filter.parameters {
        let (min, max, default) = (parameter.min, parameter.max, parameter.default);
        writeln!(text, "  --set {}=VALUE: {}, {min} to {max}, {default} by default", parameter.name, parameter.label)?;
    }
    writeln!(text, "\n  Stages; a variant is their names joined by '+', or naive")?;
    for offer in filter.stages {
        let stage = offer.id.stage();
        describe_stage(filter, stage, text)?;
    }
    for ladder in filter.ladders {
        describe_ladder(ladder, text)?;
    }
    Ok(())
}

fn describe_stage(filter: &Filter, stage: &Stage, text: &mut String) -> std::fmt::Result {
    writeln!(text, "\n    {}: {}", stage.label, spellings(filter, stage, &|_| true).join(" | "))?;
    writeln!(text, "      {}", stage.reason)?;
    for channels in filter.channels {
        let own = spellings(filter, stage, &|value| value.channels.contains(channels));
        if own.len() < spellings(filter, stage, &|_| true).len() {
            writeln!(text, "      For {} pictures: {}", channels.name(), own.join(", "))?;
        }
    }
    for rule in rules(stage.id, filter) {
        let heading = match rule {
            Rule::Needs(..) | Rule::NeedsOneOf(..) | Rule::ValueNeeds(..) | Rule::Excludes(..) => "Rule",
            Rule::NeedsSumIn16Bits(_) | Rule::NeedsAbility(..) | Rule::NothingToDo(..) => "Refused where",
        };
        writeln!(text, "      {heading}: {}", rule.sentence())?;
    }
    Ok(())
}

/// How the stage's values are written in a variant's name.
fn spellings(filter: &Filter, stage: &Stage, choose: &dyn Fn(&crate::stages::StageValue) -> bool) -> Vec<String> {
    let exists = |value: &crate::stages::StageValue| value.channels.iter().any(|channels| filter.channels.contains(channels));
    let values = filter.offer(stage.id).into_iter().flat_map(Offer::values).filter(|value| exists(value) && choose(value));
    values.map(|value| if value.name.is_empty() { stage.name.to_owned() } else { format!("{}={}", stage.name, value.name) }).collect()
}

fn describe_ladder(ladder: &Ladder, text: &mut String) -> std::fmt::Result {
    writeln!(
        text,
        "\n  Ladder {} ({}): {} pictures, border mode {}",
        ladder.name,
        ladder.label,
        ladder.channels.name(),
        ladder.border.name()
    )?;
    writeln!(text, "    Source: {}", ladder.source)?;
    for step in ladder.steps {
        writeln!(text, "\n    {}: {}", step.label, step.variant)?;
        writeln!(text, "      {}", step.why)?;
        if !step.published.is_empty() {
            writeln!(text, "      Published: {}", published(ladder, step))?;
        }
    }
    writeln!(text)
}

fn published(ladder: &Ladder, step: &Step) -> String {
    let figures = ladder.sizes.iter().zip(step.published);
    figures.map(|((width, height), speed_up)| format!("x{speed_up} at {width}x{height}")).collect::<Vec<_>>().join(", ")
}

fn filter_as_json(filter: &Filter) -> Value {
    let stage_as_json = |offer: &Offer| {
        let stage = offer.id.stage();
        json!({
            "name": stage.name,
            "label": stage.label,
            "reason": stage.reason,
            "more": stage.more,
            "values": offer.values().map(|value| json!({
                "name": value.name,
                "label": value.label,
                "channels": value.channels.iter().map(|channels| channels.name()).collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
            "rules": rules(stage.id, filter).map(Rule::sentence).collect::<Vec<_>>(),
        })
    };
    json!({
        "name": filter.name,
        "label": filter.label,
        "summary": filter.summary,
        "channels": filter.channels.iter().map(|channels| channels.name()).collect::<Vec<_>>(),
        "default_border": filter.default_border.name(),
        "parameters": filter.parameters.iter().map(|parameter| json!({
            "name": parameter.name,
            "label": parameter.label,
            "min": parameter.min,
            "max": parameter.max,
            "default": parameter.default,
        })).collect::<Vec<_>>(),
        "stages": filter.stages.iter().map(|offer| stage_as_json(offer)).collect::<Vec<_>>(),
        "ladders": filter.ladders.iter().map(ladder_as_json).collect::<Vec<_>>(),
    })
}

fn ladder_as_json(ladder: &Ladder) -> Value {
    json!({
        "name": ladder.name,
        "label": ladder.label,
        "source": ladder.source,
        "channels": ladder.channels.name(),
        "border": ladder.border.name(),
        "sizes_px": ladder.sizes,
        "steps": ladder.steps.iter().map(|step| json!({
            "label": step.label,
            "variant": step.variant,
            "why": step.why,
            "published_speed_ups": step.published,
        })).collect::<Vec<_>>(),
    })
}
