//! `kernel-ladder list`.

use super::output;
use super::schema::JsonOf;
use base::error::Result;
use base::texts::{filled, joined, pair, text as words};
use clap::Args;
use kernels::filters::{self, FigureKind, Figures, Filter, Ladder, Offer, Step};
use kernels::filters::{Condition, Kind};
use kernels::filters::{alternatives, rules};
use model::{Channels, Stage};
use serde_json::{Value, json};
use std::fmt::{Display, Write as _};

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "A variant is named by its stages, joined by '+': padded+vectorize=4+merged. The variant without stages is naive.")]
pub struct Arguments {
    /// One filter in full: its stages with their rules, and its ladders
    #[arg(long, value_name = "NAME", value_parser = filters::by_name)]
    filter: Option<&'static Filter>,
    /// Print JSON, always in full
    #[arg(long)]
    json: bool,
}

/// Prints the table of filters, or all of one filter.
///
/// # Errors
/// Only when printing fails.
pub fn run(arguments: &Arguments) -> Result<()> {
    let chosen = filters::all().iter().filter(|filter| arguments.filter.is_none_or(|wanted| wanted.id == filter.id));
    if arguments.json {
        return output::print_json(JsonOf::List, None, || chosen.map(|filter| filter_as_json(filter)).collect::<Vec<_>>());
    }
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = match arguments.filter {
        Some(filter) => describe(filter, &mut text),
        None => overview(&mut text),
    };
    output::print(&text)
}

/// A few lines for each filter.
fn overview(text: &mut String) -> std::fmt::Result {
    let widest = filters::all().iter().map(|filter| filter.name().len()).max().unwrap_or(0);
    for filter in filters::all() {
        writeln!(text, "{:widest$}  {}", filter.name(), pair(&filter.label(), &filter.summary()))?;
        let stages: Vec<_> = filter.stages.iter().map(|offer| offer.id.stage().name).collect();
        writeln!(text, "{:widest$}  {}", "", filled("tables.list.stages", &[("names", &stages.join(", "))]))?;
        let ladders: Vec<_> = filter.ladders().iter().map(|ladder| ladder.name).collect();
        if !ladders.is_empty() {
            writeln!(text, "{:widest$}  {}", "", filled("tables.list.ladders", &[("names", &ladders.join(", "))]))?;
        }
        writeln!(text)?;
    }
    writeln!(text, "{}", words("tables.list.hint"))
}

fn describe(filter: &Filter, text: &mut String) -> std::fmt::Result {
    writeln!(text, "{}", pair(&filter.name(), &filter.label()))?;
    writeln!(text, "  {}", filter.summary())?;
    let channels: Vec<_> = filter.channels.iter().map(|channels| channels.name()).collect();
    let channels = channels.join(", ");
    let line = match filter.output_channels {
        Some(output) => {
            let values: [(&str, &dyn Display); 3] = [("names", &channels), ("output", &output.name()), ("borders", &borders(filter))];
            filled("tables.list.channels-output", &values)
        }
        None => filled("tables.list.channels", &[("names", &channels), ("borders", &borders(filter))]),
    };
    writeln!(text, "  {line}")?;
    for parameter in filter.parameters {
        let (min, max, default) = (parameter.min, parameter.max, parameter.default);
        let values: [(&str, &dyn Display); 5] =
            [("name", &parameter.name), ("label", &parameter.label()), ("min", &min), ("max", &max), ("default", &default)];
        writeln!(text, "  {}", filled("tables.list.parameter", &values))?;
    }
    writeln!(text, "\n  {}", words("tables.list.stages-about"))?;
    for offer in filter.stages {
        let stage = offer.id.stage();
        describe_stage(filter, stage, text)?;
    }
    for ladder in filter.ladders() {
        describe_ladder(filter, ladder, text)?;
    }
    Ok(())
}

fn borders(filter: &Filter) -> String {
    if !filter.looks_at_neighbors() {
        return words(if filter.is_whole { "tables.list.whole-picture" } else { "tables.list.any-border" }).to_owned();
    }
    let names: Vec<_> = filter.borders.iter().map(|border| border.name()).collect();
    filled("tables.list.border", &[("names", &names.join(", ")), ("default", &filter.default_border.name())])
}

fn describe_stage(filter: &Filter, stage: &Stage, text: &mut String) -> std::fmt::Result {
    writeln!(text, "\n    {}", pair(&stage.label(), &spellings(filter, stage, &|_| true).join(" | ")))?;
    if let Some(offer) = filter.offer(stage.id) {
        writeln!(text, "      {}", offer.reason())?;
    }
    for channels in filter.channels {
        let own = spellings(filter, stage, &|value| value.channels.contains(channels));
        if own.len() < spellings(filter, stage, &|_| true).len() {
            let values: [(&str, &dyn Display); 2] = [("channels", &channels.name()), ("values", &own.join(", "))];
            writeln!(text, "      {}", filled("tables.list.for-channels", &values))?;
        }
    }
    let alternatives = alternatives(stage.id, filter);
    if let Some(group) = stage.group.filter(|_| !alternatives.is_empty()) {
        let labels: Vec<_> = alternatives.iter().map(|other| other.stage().label()).collect();
        let values: [(&str, &dyn Display); 2] = [("stages", &labels.join(", ")), ("what", &group.decides())];
        writeln!(text, "      {}", filled("tables.list.alternative", &values))?;
    }
    for rule in rules(stage.id, filter) {
        // What is needed, excluded or not built says so itself.
        let is_circumstance = matches!(
            rule.condition,
            Condition::NeedsAbility(_)
                | Condition::ValueNeedsAbility(..)
                | Condition::NeedsSums(_)
                | Condition::ValueNeedsSums(..)
                | Condition::NotWhere(_)
        );
        let sentence = rule.sentence(filter);
        let is_refusal = is_circumstance && rule.kind != Kind::NotBuilt;
        let line = if is_refusal { filled("tables.list.refused", &[("rule", &sentence)]) } else { sentence };
        writeln!(text, "      {line}")?;
    }
    Ok(())
}

/// How the stage's values are written in a variant's name.
fn spellings(filter: &Filter, stage: &Stage, choose: &dyn Fn(&model::StageValue) -> bool) -> Vec<String> {
    let exists = |value: &model::StageValue| value.channels.iter().any(|channels| filter.channels.contains(channels));
    let values = filter.offer(stage.id).into_iter().flat_map(Offer::values).filter(|value| exists(value) && choose(value));
    values.map(|value| if value.name.is_empty() { stage.name.to_owned() } else { format!("{}={}", stage.name, value.name) }).collect()
}

fn describe_ladder(filter: &Filter, ladder: &Ladder, text: &mut String) -> std::fmt::Result {
    let pictures = filled("tables.list.pictures", &[("channels", &ladder.channels.name())]);
    let setting = joined("words.list.items", std::iter::once(pictures).chain(filter.border_words(ladder.border)));
    let values: [(&str, &dyn Display); 3] = [("name", &ladder.name), ("label", &ladder.label()), ("setting", &setting)];
    writeln!(text, "\n  {}", filled("tables.list.ladder", &values))?;
    writeln!(text, "    {}", filled("tables.list.source", &[("source", &ladder.source())]))?;
    for (index, step) in ladder.steps.iter().enumerate() {
        let local = step.local.map_or_else(String::new, |[x, y]| format!(" @ {x}x{y}"));
        writeln!(text, "\n    {} {}: {}{local}", index + 1, step.label(), step.variant())?;
        writeln!(text, "      {}", step.why())?;
        if let Some(claim) = ladder.claim_line(index) {
            writeln!(text, "      {claim}")?;
        }
        if !step.published.is_empty() {
            writeln!(text, "      {}", filled("tables.list.published", &[("figures", &published(ladder, index, step))]))?;
        }
    }
    writeln!(text)
}

fn published(ladder: &Ladder, index: usize, step: &Step) -> String {
    let figures = ladder.sizes.iter().zip(&step.published);
    let figure = |((width, height), figure): (&(usize, usize), &f64)| {
        let key = match ladder.kind(index) {
            FigureKind::OverCpu | FigureKind::OverFirst => "tables.list.times-at",
            FigureKind::Milliseconds => "tables.list.milliseconds-at",
        };
        filled(key, &[("figure", figure), ("width", width), ("height", height)])
    };
    let figures = match (ladder.sizes.as_slice(), step.published.as_slice()) {
        ([], [figure]) => {
            let figure = if ladder.kind(index) == FigureKind::Milliseconds { format!("{figure} ms") } else { format!("x{figure}") };
            filled("words.claim.no-size", &[("figure", &figure)])
        }
        _ => joined("words.list.items", figures.map(figure)),
    };
    match ladder.kind(index) {
        FigureKind::OverCpu => filled("tables.list.over-cpu", &[("figures", &figures)]),
        FigureKind::OverFirst => filled("tables.list.over-first", &[("figures", &figures)]),
        FigureKind::Milliseconds => figures,
    }
}

fn filter_as_json(filter: &Filter) -> Value {
    let stage_as_json = |offer: &Offer| {
        let stage = offer.id.stage();
        json!({
            "name": stage.name,
            "label": stage.label(),
            "reason": offer.reason(),
            "more": offer.more(),
            "values": offer.values().map(|value| json!({
                "name": value.name,
                "label": value.label(),
                "channels": value.channels.iter().map(|channels| channels.name()).collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
            "alternative_to": alternatives(stage.id, filter).iter().map(|other| other.stage().name).collect::<Vec<_>>(),
            "rules": rules(stage.id, filter).map(|rule| json!({ "kind": rule.kind.name(), "sentence": rule.sentence(filter) })).collect::<Vec<_>>(),
        })
    };
    json!({
        "name": filter.name(),
        "label": filter.label(),
        "summary": filter.summary(),
        "channels": filter.channels.iter().map(|channels| channels.name()).collect::<Vec<_>>(),
        "output_channels": filter.output_channels.map(Channels::name),
        "borders": filter.borders.iter().map(|border| border.name()).collect::<Vec<_>>(),
        "default_border": filter.default_border.name(),
        "parameters": filter.parameters.iter().map(|parameter| json!({
            "name": parameter.name,
            "label": parameter.label(),
            "min": parameter.min,
            "max": parameter.max,
            "default": parameter.default,
        })).collect::<Vec<_>>(),
        "stages": filter.stages.iter().map(stage_as_json).collect::<Vec<_>>(),
        "ladders": filter.ladders().iter().map(ladder_as_json).collect::<Vec<_>>(),
    })
}

fn ladder_as_json(ladder: &Ladder) -> Value {
    json!({
        "name": ladder.name,
        "label": ladder.label(),
        "device": ladder.device(),
        "source": ladder.source(),
        "channels": ladder.channels.name(),
        "border": ladder.border.name(),
        "sizes_px": ladder.sizes,
        "figures": match ladder.figures {
            Figures::SpeedUpFirstAgainstCpu => "speed-up over the first step; for the first step, over the study's CPU",
            Figures::SpeedUp => "speed-up over the first step",
            Figures::Milliseconds => "milliseconds",
        },
        "steps": ladder.steps.iter().enumerate().map(|(index, step)| json!({
            "key": step.key,
            "label": step.label(),
            "variant": step.variant(),
            "local_size": step.local,
            "why": step.why(),
            "claimed": ladder.claim_text(index),
            "claimed_by": step.claim.map(|claim| if claim.is_ours { "ours" } else { "guide" }),
            "claimed_in": step.place,
            "claimed_for_sizes_px": step.claim.map(|_| &step.claim_sizes),
            "published": step.published,
        })).collect::<Vec<_>>(),
    })
}
