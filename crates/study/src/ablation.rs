//! Ablation: what each stage of a variant is worth, alone, last of all, and one after the other.
//!
//! A stage's worth depends on what is on already. Alone (naive against naive with the stage) and last (the whole against the whole without it) are the
//! two ends; where they differ, stages interact. The waterfall adds stages in an order in which every step is allowed.

use super::{Question, Command, Finding, Kind, Probe, Sequence, Study, Subject, telling};
use engine::{Compared, Target, Task};
use kernels::filters::Filter;
use kernels::filters::VariantExt;
use model::{Setting, StageId, Variant, spelled, stages};
use view::plot::units;
use view::story::{self, Block, Cell, Column, Figure, Row, Step, Story, Table, Tone, said, said_where};
use base::texts::{Words, filled, speaking_keys};
use serde_json::{Value, json};

/// How window and command line know it.
pub static KIND: Kind = Kind {
    name: "ablation",
    subject: Subject::Variant,
    shortcut: ("A", true),
    command: Some(Command { name: "ablation", picture: (2048, 2048), takes_file: true, example: "padded+vectorize=5+merged+short16" }),
    goes_on: false,
    keeps: None,
    why_not: |variant| (*variant == Variant::naive()).then_some("studies.why-not.naive"),
    begin: |asked| Box::new(Apart::new(&asked)),
};

/// How a stage is put to the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Naive, and naive with this stage alone.
    Alone,
    /// The variant without this stage, and the variant.
    Last,
    /// Everything that the waterfall has before this stage, and that with it.
    Added,
}

/// Two variants to compare, the one without the stage first; or why there are none.
pub type Pair = Result<(Variant, Variant), Words>;

/// One stage in one of the three ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The stage, with its value in the variant; or two that need each other.
    pub stages: Vec<StageId>,
    /// How.
    pub kind: Way,
    /// The two variants to compare, the one without the stage first; or why there are none.
    pub pair: Pair,
}

/// These stages, which are on, as the variant's name has them: "vectorize=5", or "rows=14+access=int4" where two come together.
#[must_use]
pub fn name(variant: &Variant, stages: &[StageId]) -> String {
    let name = |stage: &StageId| {
        let row = stage.stage();
        let value = row.values.iter().find(|value| value.value == variant.value(*stage));
        value.map_or_else(|| row.name.to_owned(), |value| spelled(row.name, value))
    };
    stages.iter().map(name).collect::<Vec<_>>().join("+")
}

/// The study.
struct Apart {
    variant: Variant,
    parts: Vec<Part>,
    pairs: Sequence,
}

impl Apart {
    fn new(asked: &Question) -> Self {
        let variant = asked.variant();
        let parts = parts(&variant, asked.task.filter(), asked.setting);
        Self { pairs: Sequence::new(probes(&variant, &parts, &asked.task)), variant, parts }
    }
}

impl Study for Apart {
    fn next(&mut self, findings: &[Finding]) -> Option<Probe> {
        self.pairs.next(findings)
    }

    fn total(&self) -> usize {
        self.pairs.total()
    }

    fn conclude(&self, findings: &[Finding], is_done: bool) -> Option<Story> {
        Some(story(&self.variant, &Ablation::of(&self.variant, &self.parts, findings), is_done))
    }

    fn facts(&self, findings: &[Finding]) -> Value {
        let found = Ablation::of(&self.variant, &self.parts, findings);
        let row = |part: &Part| {
            let pair = part.pair.as_ref().ok();
            let stage = found.stages.iter().find(|stage| stage.stages == part.stages);
            let (kind, worth) = match part.kind {
                Way::Alone => ("alone", stage.and_then(|stage| stage.alone.as_ref())),
                Way::Last => ("last", stage.and_then(|stage| stage.last.as_ref())),
                Way::Added => ("added", stage.and_then(|stage| stage.added.as_ref())),
            };
            let compared = worth.and_then(|worth| worth.as_ref().ok());
            json!({
                "stage": name(&self.variant, &part.stages),
                "kind": kind,
                "before": pair.map(|pair| pair.0.to_string()),
                "after": pair.map(|pair| pair.1.to_string()),
                "comparison": compared.map(|compared| compared.comparison),
                "busy": compared.map(|compared| compared.busy),
                "why_not": worth.and_then(|worth| worth.as_ref().err()),
            })
        };
        let whole = found.whole.as_ref().and_then(|whole| whole.as_ref().ok());
        json!({ "parts": self.parts.iter().map(row).collect::<Vec<_>>(), "whole": whole.map(|compared| compared.comparison) })
    }
}

fn story(variant: &Variant, found: &Ablation, is_done: bool) -> Story {
    let mut story = Story::default();
    let all = found.stages.iter().flat_map(|stage| [&stage.alone, &stage.last, &stage.added]).chain([&found.whole]);
    if all.filter_map(|worth| worth.as_ref()?.as_ref().ok()).any(|compared| compared.busy) {
        story.say(Tone::Warning, Words::text("studies.panel.busy"));
    }
    let label = |stage: &StageWorth| Words::Plain(name(variant, &stage.stages));
    let step = |stage: &StageWorth| Step { label: label(stage), worth: cell(&stage.added) };
    story.push(Block::Heading(Words::text("studies.ablation.waterfall")));
    story.push(Block::Figure(Figure::Waterfall { steps: found.stages.iter().map(step).collect(), whole: cell(&found.whole) }));
    let heads = [("stage", "studies.ablation.stage"), ("alone", "studies.ablation.alone"), ("last", "studies.ablation.last"), ("added", "studies.ablation.added")];
    let mut table = Table::new("stages", heads.map(|(name, head)| Column::new(name, story::Kind::Words, head)).into());
    for stage in &found.stages {
        let labels = stage.stages.iter().map(|stage| stage.stage().label().to_owned());
        let labels = said(|| labels.collect::<Vec<_>>().join(" + "));
        let first = Cell::Explained(Box::new(Cell::Words(label(stage))), labels);
        table.row(Row::Cells([first].into_iter().chain([&stage.alone, &stage.last, &stage.added].map(cell)).collect()));
    }
    let whole = Cell::Words(Words::text("studies.ablation.whole"));
    table.row(Row::Cells(vec![whole, Cell::Empty, Cell::Empty, cell(&found.whole)]));
    story.push(Block::Table(table));
    let interactions: Vec<Words> =
        found.stages.iter().filter_map(|stage| said_where(|| telling::interaction(variant, stage))).collect();
    if interactions.is_empty() && is_done {
        story.say(Tone::Weak, Words::text("studies.ablation.no-interaction"));
    }
    for words in interactions {
        story.say(Tone::Plain, words);
    }
    // Where steps interact, or the clock drifts, their product is another figure than that of the whole.
    if let Some(product) = found.steps().last().filter(|_| found.steps().len() == found.stages.len()) {
        story.say(Tone::Weak, said(|| filled("studies.ablation.steps", &[("ratio", &units::speed_up(*product))])));
    }
    story
}

/// How two compare, as a story has it.
#[must_use]
pub fn cell(worth: &Worth) -> Cell {
    match worth {
        None => Cell::Awaited,
        Some(Err(why)) => Cell::Refused(why.clone()),
        Some(Ok(compared)) => Cell::Compared(compared.comparison, compared.busy),
    }
}

/// Everything there is to compare of a variant, stage by stage in the waterfall's order, each alone, last and added.
#[must_use]
pub fn parts(variant: &Variant, filter: &Filter, setting: Setting) -> Vec<Part> {
    let allowed =
        |candidate: Variant| speaking_keys(|| candidate.check(filter, setting)).map(|()| candidate).map_err(|error| error.why_in_words());
    let of_stages = |(stages, added): (Vec<StageId>, Pair)| {
        let with = stages.iter().fold(Variant::naive(), |with, &stage| with.with(stage, variant.value(stage)));
        let without = stages.iter().fold(*variant, |without, &stage| without.without(stage));
        let alone = allowed(with).map(|with| (Variant::naive(), with));
        let last = allowed(without).map(|without| (without, *variant));
        [(Way::Alone, alone), (Way::Last, last), (Way::Added, added)].map(|(kind, pair)| Part { stages: stages.clone(), kind, pair })
    };
    waterfall(variant, filter, setting).into_iter().flat_map(of_stages).collect()
}

/// The stages that are on in an order in which each can be added, with what is before and after it. Of those that can be added, the first of the table
/// comes first, which is the order of the variant's name. Where none can be added alone, the first two that can be come together.
fn waterfall(variant: &Variant, filter: &Filter, setting: Setting) -> Vec<(Vec<StageId>, Pair)> {
    let mut left: Vec<StageId> = stages().map(|stage| stage.id).filter(|&id| variant.is_on(id)).collect();
    let (mut steps, mut now) = (Vec::new(), Variant::naive());
    while !left.is_empty() {
        let with = |stages: &[StageId]| stages.iter().fold(now, |with, &stage| with.with(stage, variant.value(stage)));
        let alone = left.iter().map(|&stage| vec![stage]);
        let pairs = left.iter().enumerate().flat_map(|(index, &one)| left.iter().skip(index + 1).map(move |&other| vec![one, other]));
        let Some(next) = alone.chain(pairs).find(|stages| with(stages).check(filter, setting).is_ok()) else {
            steps.extend(left.iter().map(|&stage| (vec![stage], Err(Words::text("studies.ablation.needs-others")))));
            break;
        };
        let after = with(&next);
        left.retain(|stage| !next.contains(stage));
        steps.push((next, Ok((now, after))));
        now = after;
    }
    steps
}

/// What compares the whole variant with naive, and then the variants of each part; each pair once. `like` is any task over the picture on the device.
#[must_use]
pub fn probes(variant: &Variant, parts: &[Part], like: &Task) -> Vec<Probe> {
    let mut pairs = vec![(Variant::naive(), *variant)];
    for pair in parts.iter().filter_map(|part| part.pair.clone().ok()) {
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    let is_on_device = matches!(like.target, Target::Device { .. });
    pairs
        .into_iter()
        .filter(|_| is_on_device)
        .map(|(before, after)| Probe::Compare(like.with_variant(before), like.with_variant(after)))
        .collect()
}

/// How two variants compare, or why they were not compared. `None`: not yet.
pub type Worth = Option<Result<Compared, Words>>;

/// What a stage is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct StageWorth {
    /// The stage, or two that need each other.
    pub stages: Vec<StageId>,
    /// Over naive.
    pub alone: Worth,
    /// Over the variant without it.
    pub last: Worth,
    /// Over what the waterfall has before it.
    pub added: Worth,
}

impl StageWorth {
    /// Alone and last, where their intervals do not meet: the stage's worth then depends on the others.
    #[must_use]
    pub fn interaction(&self) -> Option<(&Compared, &Compared)> {
        let (alone, last) = (self.alone.as_ref()?.as_ref().ok()?, self.last.as_ref()?.as_ref().ok()?);
        let (one, other) = (&alone.comparison, &last.comparison);
        (one.high < other.low || other.high < one.low).then_some((alone, last))
    }
}

/// What is known of a variant's stages.
#[derive(Clone, Debug, PartialEq)]
pub struct Ablation {
    /// In the waterfall's order.
    pub stages: Vec<StageWorth>,
    /// The variant over naive, compared as one pair.
    pub whole: Worth,
}

impl Ablation {
    /// Of the findings of [`probes`].
    #[must_use]
    pub fn of(variant: &Variant, parts: &[Part], findings: &[Finding]) -> Self {
        let worth = |stages: &[StageId], kind: Way| -> Worth {
            match &parts.iter().find(|part| part.stages == stages && part.kind == kind)?.pair {
                Err(why) => Some(Err(why.clone())),
                Ok((before, after)) => found(before, after, findings),
            }
        };
        let stages = parts.iter().filter(|part| part.kind == Way::Added).map(|part| &part.stages);
        let of_stages = |stages: &Vec<StageId>| StageWorth {
            stages: stages.clone(),
            alone: worth(stages, Way::Alone),
            last: worth(stages, Way::Last),
            added: worth(stages, Way::Added),
        };
        Self { stages: stages.map(of_stages).collect(), whole: found(&Variant::naive(), variant, findings) }
    }

    /// The product of the waterfall's steps up to each stage, as far as all of them were compared.
    #[must_use]
    pub fn steps(&self) -> Vec<f64> {
        let mut product = 1.0;
        let ratios = self.stages.iter().map_while(|stage| Some(stage.added.as_ref()?.as_ref().ok()?.comparison.ratio));
        ratios
            .map(|ratio| {
                product *= ratio;
                product
            })
            .collect()
    }
}

fn found(before: &Variant, after: &Variant, findings: &[Finding]) -> Worth {
    let is_of = |task: &Task, wanted: &Variant| matches!(&task.target, Target::Device { variant, .. } if variant == wanted);
    findings.iter().find_map(|finding| match finding {
        Finding::Compared(tasks, compared) if is_of(&tasks.0, before) && is_of(&tasks.1, after) => {
            Some(compared.clone().map_err(|error| Words::of(&error)))
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::{Ablation, Way, name, parts, probes};
    use engine::{PictureRef, Target, Task};
    use kernels::filters;
    use kernels::filters::VariantExt as _;
    use pictures::Picture;
    use model::measure::{Comparison, Verdict};
    use model::{BorderMode, Channels, Setting, StageId, Variant};
    use model::{HostMemory, LocalSize};
    use crate::{Finding, Probe};
    use crate::testing::compared_as;
    use std::sync::Arc;

    #[test]
    fn a_variant_is_taken_apart() {
        let laplace = filters::by_name("laplace").expect("laplace");
        let setting = Setting::new(Channels::Rgb, BorderMode::Copy);
        let variant = Variant::parse("padded+vectorize=5+merged+short16").expect("a variant");
        let parts = parts(&variant, laplace, setting);
        assert_eq!(parts.len(), 4 * 3);
        let of = |stage: StageId, kind: Way| &parts.iter().find(|part| part.stages == [stage] && part.kind == kind).expect("there").pair;
        let named =
            |stage, kind| of(stage, kind).as_ref().map(|(before, after)| (before.to_string(), after.to_string())).map_err(Clone::clone);
        assert_eq!(named(StageId::Padded, Way::Alone), Ok(("naive".into(), "padded".into())));
        assert_eq!(named(StageId::Merged, Way::Last), Ok(("padded+vectorize=5+short16".into(), variant.to_string())));
        assert_eq!(named(StageId::Short16, Way::Added), Ok(("padded+vectorize=5+merged".into(), variant.to_string())));
        // Merged loads need vectors: alone they cannot be.
        assert!(named(StageId::Merged, Way::Alone).is_err() && named(StageId::Vectorize, Way::Last).is_err());
        // The waterfall ends at the variant, and every step of it begins where the one before ended.
        let added: Vec<_> = parts.iter().filter(|part| part.kind == Way::Added).map(|part| part.pair.clone().expect("allowed")).collect();
        assert_eq!((added.first().map(|pair| pair.0), added.last().map(|pair| pair.1)), (Some(Variant::naive()), Some(variant)));
        assert!(added.windows(2).all(|pair| pair[0].1 == pair[1].0));
        assert_eq!(name(&variant, &[StageId::Vectorize]), "vectorize=5");
    }

    /// padded and vectorize, compared by made-up ratios: each pair once, with the whole first.
    #[test]
    fn worths_are_found_in_the_pairs_and_the_steps_multiply() {
        let laplace = filters::by_name("laplace").expect("laplace");
        let variant = Variant::parse("coalesced+padded").expect("a variant");
        let parts = parts(&variant, laplace, Setting::new(Channels::Rgb, BorderMode::Copy));
        let target = Target::Device { index: 0, variant, local: LocalSize::Driver, host_memory: HostMemory::Copy };
        let like = Task::new(PictureRef::new(Arc::new(Picture::from_fn(2, 2, Channels::Rgb, |_, _, _| 0))), target);
        let of = |task: &Task| match task.target {
            Target::Device { variant, .. } => variant.to_string(),
            Target::Cpu(engine) => engine.name().to_owned(),
        };
        let mut findings = Vec::new();
        let mut asked = Vec::new();
        for probe in probes(&variant, &parts, &like) {
            let Probe::Compare(before, after) = probe else { panic!("a comparison") };
            let ratio = match (of(&before).as_str(), of(&after).as_str()) {
                ("naive", "coalesced") => 2.0,
                ("naive", "padded") => 1.0,
                ("coalesced", _) => 1.5,
                ("padded", _) => 3.0,
                _ => 2.9,
            };
            asked.push((of(&before), of(&after)));
            let comparison = Comparison { ratio, low: ratio * 0.99, high: ratio * 1.01, verdict: Verdict::Faster, starts: 1 };
            let compared = compared_as(comparison);
            findings.push(Finding::Compared(Box::new((before, after)), Ok(compared)));
        }
        let pairs = [
            ("naive", "coalesced+padded"),
            ("naive", "coalesced"),
            ("padded", "coalesced+padded"),
            ("naive", "padded"),
            ("coalesced", "coalesced+padded"),
        ];
        assert_eq!(asked, pairs.map(|(before, after)| (before.to_owned(), after.to_owned())));
        let found = Ablation::of(&variant, &parts, &findings);
        let ratio = |worth: &super::Worth| worth.as_ref().expect("found").as_ref().expect("compared").comparison.ratio;
        let [coalesced, padded] = &found.stages[..] else { panic!("two stages: {found:?}") };
        assert_eq!([&coalesced.stages, &padded.stages], [&[StageId::Coalesced], &[StageId::Padded]]);
        assert_eq!([&coalesced.alone, &coalesced.last, &coalesced.added].map(ratio).to_vec(), vec![2.0, 3.0, 2.0]);
        assert_eq!([&padded.alone, &padded.last, &padded.added].map(ratio).to_vec(), vec![1.0, 1.5, 1.5]);
        // Step by step 2 and 1.5, which is 3; at once 2.9.
        assert_eq!((found.steps(), ratio(&found.whole)), (vec![2.0, 3.0], 2.9));
        assert!(coalesced.interaction().is_some(), "2 alone, 3 as the last one");
        let unfinished = Ablation::of(&variant, &parts, &findings[..2]);
        assert_eq!((unfinished.steps(), unfinished.stages[1].added.is_none()), (vec![2.0], true));
    }

    #[test]
    fn two_stages_that_need_each_other_come_together() {
        let gaussian = filters::by_name("gaussian").expect("gaussian");
        let variant = Variant::parse("coalesced+padded+rows=14+access=int4+dot").expect("a variant");
        let parts = parts(&variant, gaussian, Setting::new(Channels::Gray, BorderMode::Reflect101));
        let added: Vec<_> = parts.iter().filter(|part| part.kind == Way::Added).collect();
        assert_eq!(
            added.iter().map(|part| name(&variant, &part.stages)).collect::<Vec<_>>(),
            ["coalesced", "padded", "rows=14+access=int4", "dot"]
        );
        assert!(added.iter().all(|part| part.pair.is_ok()));
    }

    #[test]
    fn every_step_of_a_ladder_can_be_taken_apart() {
        for filter in filters::all() {
            for ladder in filter.ladders() {
                let setting = Setting::new(ladder.channels, ladder.border);
                for step in &ladder.steps {
                    for part in parts(&step.variant(), filter, setting) {
                        if let Ok((before, after)) = part.pair {
                            assert!(before.check(filter, setting).is_ok() && after.check(filter, setting).is_ok(), "{before} {after}");
                            assert_ne!(before, after);
                        }
                    }
                }
            }
        }
    }
}
