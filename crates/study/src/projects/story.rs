//! What is told of a search: the best configuration, how sure that is, what it differs in from the default, which parameters matter, and what failed.

use super::figures::{heat_map, progress_chart};
use super::kernel_tuner::{self, Invalidity};
use super::trials::{Ending, Trial};
use super::{Answer, Tune};
use crate::telling;
use base::texts::{self, Words, filled, text};
use kernels::project::{Project, Reference, Value};
use model::{CompiledKernel, Counted};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use view::plot::units::{self, Unit};
use view::story::{Block, Cell, Column, Figure, Kind, Row, Story, Table, Tone, said};

/// Where the comparisons say of the best one's time something that is this share away from what the search read, that is told.
const READ_OTHERWISE: f64 = 0.1;

/// So many of the fastest are listed.
const FASTEST: usize = 10;

/// What is told of a search that came to its end; `answer` is none where no configuration is right.
#[must_use]
pub fn story(tune: &Tune, answer: Option<&Answer>) -> Story {
    let (project, trials) = (&tune.project, &tune.trials);
    let mut story = words(tune, answer, true);
    story.blocks.extend(figures(project, trials, main_parameters(tune)));
    story
}

/// The best time so far over the trials, and the map of two parameters where there are two.
pub fn figures(project: &Project, trials: &[Trial], axes: Option<[usize; 2]>) -> impl Iterator<Item = Block> + use<> {
    let curves = progress_chart(project, trials).map(Figure::Curves);
    let map = axes.and_then(|axes| heat_map(project, trials, axes)).map(|(map, _)| Figure::Map(map));
    curves.into_iter().chain(map).map(Block::Figure)
}

/// The same without figures. Of a search that is not over yet, that no configuration is right is not said.
#[must_use]
pub fn words(tune: &Tune, answer: Option<&Answer>, is_over: bool) -> Story {
    let mut story = Story::default();
    let (project, trials) = (&tune.project, &tune.trials);
    if trials.iter().any(|trial| matches!(trial.ending, Ending::Timed { busy: true, .. })) {
        story.say(Tone::Warning, Words::text("studies.panel.busy"));
    }
    match answer {
        None if is_over && !trials.is_empty() => story.say(Tone::Strong, Words::text("project.told.none")),
        None => {}
        Some(answer) => found(&mut story, tune, answer),
    }
    story.say(Tone::Plain, counted(tune, answer));
    story.say(Tone::Weak, held_to(&project.reference));
    if let Some(answer) = answer.filter(|answer| answer.best != project.default_point()) {
        differences(&mut story, answer);
    }
    if tune.best().is_some() {
        fastest(&mut story, project, trials);
        importance(&mut story, tune);
    }
    failures(&mut story, trials);
    story
}

/// The two parameters that matter most, of those with several values: their indices, in order.
#[must_use]
pub fn main_parameters(tune: &Tune) -> Option<[usize; 2]> {
    let shares = tune.importance().unwrap_or_else(|| vec![0.0; tune.project.parameters.len()]);
    let several = tune.project.parameters.iter().enumerate().filter(|(_, parameter)| parameter.values.len() > 1);
    let mut ranked: Vec<usize> = several.map(|(index, _)| index).collect();
    let share = |index: &usize| shares.get(*index).copied().unwrap_or_default();
    ranked.sort_by(|one, other| share(other).total_cmp(&share(one)));
    let [one, other, ..] = ranked[..] else { return None };
    Some([one.min(other), one.max(other)])
}

fn found(story: &mut Story, tune: &Tune, answer: &Answer) {
    let label = tune.project.label(&answer.best);
    let time_ns = answer.best_ns;
    let read_ns = tune.time_ns(&answer.best).unwrap_or(time_ns);
    let best = said(|| filled("project.told.best", &[("label", &label), ("time", &units::time(time_ns))]));
    story.say(Tone::Strong, best);
    match &answer.gain {
        Some(Ok(compared)) => {
            let outcome = said(|| {
                filled(
                    "project.told.gain",
                    &[
                        ("outcome", &units::with_starts(units::outcome(&compared.comparison, compared.busy), &compared.comparison)),
                        ("default", &tune.project.label(&tune.project.default_point())),
                    ],
                )
            });
            story.say(Tone::Plain, outcome);
        }
        Some(Err(why)) => story.say(Tone::Plain, said(|| filled("project.told.no-gain", &[("why", &why.why)]))),
        None if answer.best == tune.project.default_point() => story.say(Tone::Plain, Words::text("project.told.default-is-best")),
        None => {}
    }
    if (time_ns / read_ns - 1.0).abs() > READ_OTHERWISE {
        story.say(Tone::Weak, said(|| filled("project.told.read-otherwise", &[("time", &units::time(read_ns))])));
    }
    let equal = answer.rivals.iter().filter(|(_, compared)| compared.as_ref().is_ok_and(|compared| compared.comparison.low <= 1.0)).count();
    if equal > 0 {
        story.say(Tone::Plain, said(|| filled("project.told.equal", &[("count", &equal)])));
    }
    if !answer.rivals.is_empty() {
        let columns = vec![
            Column::new("configuration", Kind::Words, "project.told.configuration"),
            Column::new("best_over_it", Kind::Words, "project.told.best-over-it"),
        ];
        let mut table = Table::new("rivals", columns);
        for (point, compared) in &answer.rivals {
            let label = Cell::Code(tune.project.label(point));
            table.row(match compared {
                Ok(compared) => Row::Cells(vec![label, Cell::Compared(compared.comparison, compared.busy)]),
                Err(why) => Row::Instead(label, Words::of(&why.why)),
            });
        }
        story.push(Block::Table(table));
    }
}

fn counted(tune: &Tune, answer: Option<&Answer>) -> Words {
    let (tried, count) = (tune.trials.len(), tune.points.len());
    said(|| match answer.map(|answer| format!("{:.1}", answer.seconds)) {
        Some(seconds) => filled("project.told.tried", &[("tried", &tried), ("count", &count), ("seconds", &seconds)]),
        None => filled("project.told.tried-only", &[("tried", &tried), ("count", &count)]),
    })
}

/// What the outputs were compared with.
fn held_to(reference: &Reference) -> Words {
    Words::text(match reference {
        Reference::Default => "project.told.held-to-default",
        Reference::Naive(_) => "project.told.held-to-naive",
        Reference::Command(_) => "project.told.held-to-command",
        Reference::Stored => "project.told.held-to-stored",
    })
}

/// What the compiled code of the best one and the default differ in.
fn differences(story: &mut Story, answer: &Answer) {
    if answer.gain.is_none() && answer.rivals.is_empty() {
        return;
    }
    if let Some(table) = code_table(&answer.code, [("default", "project.told.default"), ("best", "project.told.best-one")]) {
        story.push(Block::Table(table));
        story.say(Tone::Weak, Words::text("project.told.compiled-note"));
    }
}

/// Counts of the compiled code of two configurations side by side, under columns with these names and heads; nothing where there are none.
pub(super) fn code_table(code: &[Vec<CompiledKernel>; 2], heads: [(&str, &'static str); 2]) -> Option<Table> {
    if code.iter().any(Vec::is_empty) {
        return None;
    }
    let heads = heads.map(|(name, head)| (name, Kind::Number, head));
    let heads = [("count", Kind::Words, "project.told.compiled")].into_iter().chain(heads);
    let mut table = Table::new("compiled", heads.map(|(name, kind, head)| Column::new(name, kind, head)).collect());
    for (key, count) in COUNTS {
        let counted = code.each_ref().map(|kernels| count(kernels));
        if counted.iter().any(Option::is_some) {
            let [first, second] = counted.map(|value| Cell::number(value, Unit::Count));
            table.row([Cell::Words(Words::text(key)), first, second]);
        }
    }
    Some(table)
}

type Count = fn(&[CompiledKernel]) -> Option<f64>;

/// Counts over all kernels of a configuration.
const COUNTS: [(&str, Count); 7] = [
    ("project.count.instructions", |kernels| kernels.iter().map(|kernel| kernel.instructions().map(f64::from)).sum()),
    ("project.count.loads", |kernels| {
        kernels.iter().map(|kernel| Some(f64::from(kernel.whole.as_ref()?.loads.values().sum::<u32>()))).sum()
    }),
    ("project.count.load-bits", |kernels| {
        let widest =
            kernels.iter().filter_map(|kernel| kernel.mix(Counted::Whole)).flat_map(|mix| mix.loads.keys().map(|width| width.bits)).max();
        widest.map(f64::from)
    }),
    ("project.count.vector-bits", |kernels| {
        kernels.iter().filter_map(|kernel| kernel.whole.as_ref()?.vector_arithmetic.keys().max().copied()).max().map(f64::from)
    }),
    ("project.count.branches", |kernels| kernels.iter().map(|kernel| Some(f64::from(kernel.whole.as_ref()?.branches))).sum()),
    ("project.count.registers", |kernels| kernels.iter().filter_map(|kernel| kernel.resources.registers).max().map(f64::from)),
    ("project.count.spilled", |kernels| kernels.iter().filter_map(|kernel| kernel.resources.spill_store_bytes).max().map(f64::from)),
];

/// The counts of a configuration's compiled code in one line; empty where there are none.
#[must_use]
pub fn counts(code: &[CompiledKernel]) -> String {
    if code.is_empty() {
        return String::new();
    }
    let counted = COUNTS.into_iter().filter_map(|(key, count)| Some((text(key), count(code)?)));
    texts::joined("words.list.clauses", counted.map(|(name, count)| texts::pair(&name, &Unit::Count.text(count))))
}

fn fastest(story: &mut Story, project: &Project, trials: &[Trial]) {
    let mut timed: Vec<(&Trial, f64)> = trials.iter().filter_map(|trial| Some((trial, trial.time_ns()?))).collect();
    timed.sort_by(|one, other| one.1.total_cmp(&other.1));
    let mut columns: Vec<Column> = project
        .parameters
        .iter()
        .map(|parameter| Column::headed(&parameter.name, Kind::Number, Words::from(parameter.name.clone())))
        .collect();
    columns.push(Column::new("time", Kind::Number, "project.told.time"));
    let mut table = Table::new("fastest", columns).captioned(&filled("project.told.fastest", &[("count", &timed.len().min(FASTEST))]));
    for (trial, _) in timed.iter().take(FASTEST) {
        let Ending::Timed { median_ns, quartiles_ns: [low, high], .. } = trial.ending else { continue };
        let values = project.parameters.iter().zip(&trial.point).map(|(parameter, index)| match parameter.values.get(*index) {
            Some(Value::Number(number)) => Cell::Number(*number, Unit::Count),
            Some(Value::Word(word)) => Cell::Code(word.clone()),
            None => Cell::Missing,
        });
        table.row(values.chain([Cell::Between([median_ns, low, high], Unit::Time)]).collect::<Vec<_>>());
    }
    story.push(Block::Table(table));
    let is_once = |(trial, _): &(&Trial, f64)| matches!(&trial.ending, Ending::Timed { samples_ns, .. } if samples_ns.len() == 1);
    if timed.iter().take(FASTEST).any(is_once) {
        story.say(Tone::Weak, Words::text("project.told.once-note"));
    }
}

fn importance(story: &mut Story, tune: &Tune) {
    let Some(shares) = tune.importance() else { return };
    let names = tune.project.parameters.iter().map(|parameter| Cell::Code(parameter.name.clone()));
    story.blocks.extend(telling::importance(names.zip(shares).collect()));
}

/// How many failed for which reason.
fn failures(story: &mut Story, trials: &[Trial]) {
    let mut reasons: BTreeMap<String, (usize, Words)> = BTreeMap::new();
    for (_, why) in trials.iter().filter_map(Trial::why_not) {
        let words = why.reason_in_words();
        let entry = reasons.entry(words.to_string()).or_insert_with(|| (0, words));
        entry.0 += 1;
    }
    if reasons.is_empty() {
        return;
    }
    let columns = vec![Column::new("reason", Kind::Words, "project.told.reason"), Column::new("count", Kind::Number, "project.told.count")];
    let mut table = Table::new("failed", columns);
    let mut ranked: Vec<(usize, Words)> = reasons.into_values().collect();
    ranked.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    for (count, why) in ranked.into_iter().take(FASTEST) {
        table.row([Cell::Words(why), Cell::count(count)]);
    }
    story.push(Block::Table(table));
}

/// A header for C with the values of a configuration.
#[must_use]
pub fn header(project: &Project, point: &[usize], device: &str, time: &str, gain: Option<&str>) -> String {
    let guard: String =
        project.name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' }).collect();
    let mut text = format!(
        "/* {} {}; {}, {}{} */\n#ifndef KERNEL_LADDER_{guard}_H\n#define KERNEL_LADDER_{guard}_H\n\n",
        project.name,
        project.hash,
        // It would end the comment.
        device.replace("*/", "* /"),
        time,
        gain.map_or_else(String::new, |gain| format!("; {gain}")),
    );
    for (name, value) in project.configuration(point) {
        let _ = writeln!(text, "#define {name} {value}");
    }
    text + "\n#endif\n"
}

/// A trial as other programs read it.
#[must_use]
pub fn row<'a>(project: &'a Project, trial: &Trial) -> kernel_tuner::Row<'a> {
    let milliseconds = |ns: f64| ns / 1e6;
    let [compilation_ms, validation_ms, benchmark_ms] = trial.spent_ns.map(|ns| milliseconds(ns as f64));
    let times_ms = match &trial.ending {
        Ending::Timed { samples_ns, .. } => samples_ns.iter().map(|ns| milliseconds(*ns as f64)).collect(),
        _ => Vec::new(),
    };
    kernel_tuner::Row {
        configuration: project.configuration(&trial.point).into_iter().map(|(name, value)| (name, value.clone())).collect(),
        time_ms: trial.time_ns().map(milliseconds),
        times_ms,
        invalidity: match trial.ending {
            Ending::Timed { .. } => Invalidity::Correct,
            Ending::NotBuilt(_) => Invalidity::Compile,
            Ending::NotRun(_) => Invalidity::Runtime,
            Ending::Wrong(_) => Invalidity::Correctness,
        },
        compilation_ms,
        benchmark_ms,
        validation_ms,
        timestamp: trial.date.clone(),
    }
}
