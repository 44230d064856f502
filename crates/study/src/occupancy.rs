//! Occupancy against work per work-item: how much a kernel needs many resident work-groups, and whether more work per work-item does their service.
//!
//! Latency is hidden by other sub-groups, of which a compute unit holds as many as have room, or by independent work of the same work-item (Volkov, *Better Performance at Lower
//! Occupancy*, 2010). Local memory that nothing uses limits the first and changes nothing else of the kernel; rows per work-item bring the second. Each cell of the map is one
//! choice of both, and what the limit costs is measured in interleaved pairs, for each amount of work.
//!
//! OpenCL does not tell how much local memory a compute unit has, only how much a work-group may have. So the axis is bytes of a group, and not the groups that are resident.

use super::{Command, Finding, KernelTime, Kind, Probe, Question, Sequence, Study, Subject};
use base::error::Result;
use base::texts::{Words, failed, filled};
use engine::device::{DeviceInfo, check_local};
use engine::{Compared, KernelText, Task};
use kernels::filters::VariantExt;
use kernels::launch::Shape;
use model::measure::Verdict;
use model::{LocalSize, Moved, Setting, StageId, Variant, spelled};
use serde_json::{Value, json};
use view::plot::{HeatMap, units};
use view::story::{self, Block, Cell, Column, Figure, Row, Story, Table, Tone, said};

/// How window and command line know it.
pub static KIND: Kind = Kind {
    name: "occupancy",
    subject: Subject::Variant,
    shortcut: ("O", true),
    command: Some(Command { name: "occupancy", picture: (2048, 2048), takes_file: true, example: "coalesced --filter dilate --local 64x1" }),
    goes_on: false,
    keeps: None,
    why_not: |_| None,
    begin: |asked| Box::new(Occupancy::new(&asked)),
};

/// The least local memory that is added: what all others are compared with has the same parameter.
const LEAST_BYTES: usize = 16;

/// Drivers keep some of a work-group's local memory for themselves.
const KEPT_BYTES: usize = 1024;

/// Parts of what a work-group may have.
const PARTS: [usize; 4] = [16, 8, 4, 2];

/// Stages that give a work-item more independent work, in the order in which they are looked for.
const MORE_WORK: [StageId; 3] = [StageId::Rows, StageId::Block, StageId::Vectorize];

/// Work-items of a group where the driver would choose: two sub-groups of most GPUs, so that many groups have room.
const GROUP: [usize; 2] = [64, 1];

/// The study.
struct Occupancy {
    grid: Grid,
    probes: Sequence,
}

/// What is measured.
#[derive(Clone, Debug)]
struct Grid {
    /// The variant's task, with the local size of all.
    like: Task,
    /// Variants that differ in the work of a work-item, from little to much.
    rows: Vec<Variant>,
    /// Unused local memory of a work-group in bytes, from little to much.
    bytes: Vec<usize>,
    /// Whether the device has memory of its own for it.
    is_dedicated: bool,
}

impl Grid {
    fn of(asked: &Question) -> Self {
        let local = match asked.task.local() {
            Some(LocalSize::Explicit(local)) => local,
            _ if is_allowed(&asked.device, GROUP) => GROUP,
            _ => [1, 1],
        };
        let like = asked.task.with_local(LocalSize::Explicit(local));
        let rows = rows(asked.variant(), &like, asked.setting);
        let used = rows.iter().map(|variant| local_bytes(&like, variant, local)).max().unwrap_or_default();
        let all = asked.device.local_mem_bytes;
        let most = all.saturating_sub(used).saturating_sub(KEPT_BYTES);
        let parts = PARTS.iter().map(|part| all / part).filter(|bytes| *bytes < most);
        let mut bytes: Vec<usize> = std::iter::once(LEAST_BYTES).chain(parts).chain([most]).collect();
        bytes.retain(|bytes| *bytes >= LEAST_BYTES);
        bytes.dedup();
        Self { like, rows, bytes, is_dedicated: asked.device.local_mem_is_dedicated }
    }

    fn task(&self, variant: Variant, bytes: usize) -> Task {
        let moved = Moved::LocalBytes(u32::try_from(bytes).unwrap_or(u32::MAX));
        Task { text: KernelText::Moved(moved), ..self.like.with_variant(variant) }
    }

    /// With the least local memory, and with so much.
    fn pair(&self, variant: Variant, bytes: usize) -> (Task, Task) {
        (self.task(variant, LEAST_BYTES), self.task(variant, bytes))
    }

    /// All that is measured: every amount of local memory but the least, for every amount of work.
    fn places(&self) -> impl Iterator<Item = (Variant, usize)> {
        let more = || self.bytes.iter().copied().filter(|bytes| *bytes > LEAST_BYTES);
        self.rows.iter().flat_map(move |variant| more().map(move |bytes| (*variant, bytes)))
    }

    fn probes(&self) -> Vec<Probe> {
        self.places().map(|(variant, bytes)| self.pair(variant, bytes)).map(|(least, more)| Probe::Compare(least, more)).collect()
    }
}

fn is_allowed(device: &DeviceInfo, local: [usize; 2]) -> bool {
    check_local(device, None, LocalSize::Explicit(local), &|_| 0).is_ok()
}

/// The variant with one pixel of work and with more, as far as its filter has them.
fn rows(variant: Variant, task: &Task, setting: Setting) -> Vec<Variant> {
    let filter = task.filter();
    let of_stage = |id: StageId| {
        let values = filter.values_for(id, setting).map(|value| value.value);
        let mut all: Vec<_> = std::iter::once(variant.without(id)).chain(values.map(|value| variant.with(id, value))).collect();
        all.retain(|variant| variant.check(filter, setting).is_ok());
        all.sort_by_key(|variant| variant.value(id));
        all
    };
    let offered = MORE_WORK.into_iter().filter(|id| filter.offer(*id).is_some()).map(of_stage);
    offered.into_iter().find(|all| all.len() > 1).unwrap_or_else(|| vec![variant])
}

/// Local memory that the variant's own groups have.
fn local_bytes(task: &Task, variant: &Variant, local: [usize; 2]) -> usize {
    let (width_px, height_px) = task.picture.size();
    let shape = Shape { variant, setting: task.setting(), parameters: &task.spec.parameters, width_px, height_px };
    (task.filter().launch)(&shape).local_bytes(local)
}

impl Occupancy {
    fn new(asked: &Question) -> Self {
        let grid = Grid::of(asked);
        Self { probes: Sequence::new(grid.probes()), grid }
    }
}

impl Study for Occupancy {
    fn next(&mut self, findings: &[Finding]) -> Option<Probe> {
        self.probes.next(findings)
    }

    fn total(&self) -> usize {
        self.probes.total()
    }

    fn about(&self, probe: &Probe) -> String {
        let Probe::Compare(_, task) = probe else { return String::new() };
        let KernelText::Moved(Moved::LocalBytes(bytes)) = task.text else { return String::new() };
        variant_of(task).map_or_else(String::new, |variant| format!("{variant}, {}:", units::binary_bytes(u64::from(bytes))))
    }

    fn conclude(&self, findings: &[Finding], is_done: bool) -> Option<Story> {
        Some(story(&self.grid, &Found::of(&self.grid, findings), is_done))
    }

    fn facts(&self, findings: &[Finding]) -> Value {
        let found = Found::of(&self.grid, findings);
        let cell = |cost: &Cost| {
            let compared = cost.compared.as_ref().ok();
            let times = compared.and_then(KernelTime::of_pairs);
            json!({
                "variant": cost.variant.to_string(),
                "unused_bytes": cost.bytes,
                "least_unused": times.map(|[least, _]| least),
                "time": times.map(|[_, time]| time),
                "against_least_unused": compared.map(|compared| compared.comparison),
                "busy": compared.map(|compared| compared.busy),
                "why_not": cost.compared.as_ref().err(),
            })
        };
        let local = if let Some(LocalSize::Explicit(local)) = self.grid.like.local() { Some(local) } else { None };
        json!({
            "local": local,
            "least_unused_bytes": LEAST_BYTES,
            "is_local_memory_dedicated": self.grid.is_dedicated,
            "cells": found.costs.iter().map(cell).collect::<Vec<_>>(),
            "effect": found.effect().map(Effect::name),
        })
    }

    /// What a device refuses is a cell of the map.
    fn check(&self, findings: &[Finding]) -> Result<()> {
        let found = Found::of(&self.grid, findings);
        if found.costs.iter().any(|cost| cost.compared.is_ok()) {
            return Ok(());
        }
        let why = found.costs.iter().find_map(|cost| cost.compared.as_ref().err()).map(ToString::to_string).unwrap_or_default();
        Err(failed("errors.tune.nothing-measured", &[("why", &why)]))
    }
}

fn variant_of(task: &Task) -> Option<Variant> {
    if let engine::Target::Device { variant, .. } = task.target { Some(variant) } else { None }
}

/// What so much local memory makes of the speed with the least.
struct Cost {
    variant: Variant,
    bytes: usize,
    compared: std::result::Result<Compared, Words>,
}

/// What was found.
struct Found {
    costs: Vec<Cost>,
    /// The most local memory that was asked for.
    most_bytes: usize,
}

/// What follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// Fewer groups change nothing, whatever the work of a work-item.
    None,
    /// They cost less where a work-item has more work.
    WorkReplacesGroups,
    /// They cost something, and more work does not help.
    WorkDoesNot,
    /// They cost more where a work-item has more work.
    WorkNeedsGroups,
}

impl Effect {
    const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::WorkReplacesGroups => "work-replaces-groups",
            Self::WorkDoesNot => "work-does-not-replace-groups",
            Self::WorkNeedsGroups => "work-needs-groups",
        }
    }
}

impl Found {
    fn of(grid: &Grid, findings: &[Finding]) -> Self {
        let cost = |(variant, bytes): (Variant, usize)| {
            let pair = grid.pair(variant, bytes);
            findings.iter().find_map(|finding| match finding {
                Finding::Compared(tasks, compared) if **tasks == pair => {
                    Some(Cost { variant, bytes, compared: compared.clone().map_err(|error| Words::of(&error)) })
                }
                _ => None,
            })
        };
        Self { costs: grid.places().filter_map(cost).collect(), most_bytes: grid.bytes.last().copied().unwrap_or_default() }
    }

    /// What the intervals of the least and of the most work say; `None` where they are not known, or one of them decides nothing.
    fn effect(&self) -> Option<Effect> {
        let of_most = self.costs.iter().filter(|cost| cost.bytes == self.most_bytes);
        let all: Vec<_> = of_most.map(|cost| cost.compared.as_ref().ok().map(|compared| &compared.comparison)).collect::<Option<_>>()?;
        let (least, most) = (all.first()?, all.last()?);
        if all.iter().any(|cost| cost.verdict == Verdict::Unclear) {
            return None;
        }
        if all.iter().all(|cost| cost.verdict == Verdict::Same) {
            return Some(Effect::None);
        }
        if all.len() < 2 {
            return None;
        }
        let is_slower = all.iter().any(|cost| cost.verdict == Verdict::Slower);
        match (least.high < most.low, most.high < least.low) {
            (true, _) if least.verdict == Verdict::Slower => Some(Effect::WorkReplacesGroups),
            (_, true) if most.verdict == Verdict::Slower => Some(Effect::WorkNeedsGroups),
            (false, false) if is_slower => Some(Effect::WorkDoesNot),
            _ => None,
        }
    }

    fn is_busy(&self) -> bool {
        self.costs.iter().any(|cost| cost.compared.as_ref().is_ok_and(|compared| compared.busy))
    }

    /// What tells the time of a cell: of the least local memory, the pairs with the most.
    fn cost(&self, variant: Variant, bytes: usize) -> Option<&Cost> {
        let wanted = if bytes == LEAST_BYTES { self.most_bytes } else { bytes };
        self.costs.iter().find(|cost| cost.variant == variant && cost.bytes == wanted)
    }
}

impl Cost {
    /// The median time with the least local memory, or with its own; `None` where it was not measured.
    fn time_ns(&self, is_of_least: bool) -> Option<f64> {
        let [least, own] = self.compared.as_ref().ok().and_then(KernelTime::of_pairs)?;
        Some(if is_of_least { least.median_ns } else { own.median_ns })
    }
}

/// How the variants of the map are told apart: by the stage that gives them work, where they have one.
fn name(variant: &Variant, grid: &Grid) -> String {
    let differing = MORE_WORK.into_iter().find(|id| grid.rows.iter().any(|other| other.value(*id) != variant.value(*id)));
    let Some(id) = differing else { return variant.to_string() };
    let stage = id.stage();
    let value = stage.values.iter().find(|value| value.value == variant.value(id));
    value.map_or_else(|| filled("studies.occupancy.without", &[("stage", &stage.name)]), |value| spelled(stage.name, value))
}

fn story(grid: &Grid, found: &Found, is_done: bool) -> Story {
    let mut story = Story::default();
    if found.is_busy() {
        story.say(Tone::Warning, Words::text("studies.panel.busy"));
    }
    let (effect, is_dedicated) = (found.effect(), grid.is_dedicated);
    if is_done {
        let key = match effect {
            Some(Effect::None) if is_dedicated => "studies.occupancy.effect.none",
            Some(Effect::None) => "studies.occupancy.effect.none-shared",
            Some(Effect::WorkReplacesGroups) => "studies.occupancy.effect.replaces",
            Some(Effect::WorkDoesNot) => "studies.occupancy.effect.does-not",
            Some(Effect::WorkNeedsGroups) => "studies.occupancy.effect.needs",
            None => "studies.occupancy.effect.open",
        };
        story.say(Tone::Strong, Words::text(key));
    }
    if !found.costs.is_empty() {
        story.push(Block::Table(costs(grid, found)));
    }
    if !found.costs.is_empty() {
        story.push(Block::Figure(Figure::Map(map(grid, found))));
    }
    let local = if let Some(LocalSize::Explicit([x, y])) = grid.like.local() { format!("{x} × {y}") } else { String::new() };
    story.say(Tone::Weak, said(move || filled("studies.occupancy.what", &[("local", &local)])));
    if !is_dedicated {
        story.say(Tone::Weak, Words::text("studies.occupancy.shared"));
    }
    story
}

/// How many times as fast as with the least, by bytes.
fn costs(grid: &Grid, found: &Found) -> Table {
    let more: Vec<usize> = grid.bytes.iter().copied().filter(|bytes| *bytes > LEAST_BYTES).collect();
    let column = |bytes: &usize| {
        let bytes = *bytes as u64;
        Column::headed(&format!("unused_{bytes}"), story::Kind::Words, said(move || units::binary_bytes(bytes)))
    };
    let columns = std::iter::once(Column::new("work", story::Kind::Words, "studies.occupancy.work")).chain(more.iter().map(column));
    let mut table = Table::new("costs", columns.collect());
    table.caption = Some(said(|| filled("studies.occupancy.against", &[("bytes", &LEAST_BYTES)])));
    for variant in &grid.rows {
        let cell = |bytes: &usize| {
            let cost = found.costs.iter().find(|cost| cost.variant == *variant && cost.bytes == *bytes);
            cost.map_or(Cell::Awaited, |cost| match &cost.compared {
                Ok(compared) => Cell::Compared(compared.comparison, compared.busy),
                Err(why) => Cell::Refused(why.clone()),
            })
        };
        let label = name(variant, grid);
        table.row(Row::Cells(std::iter::once(Cell::Words(said(|| label.clone()))).chain(more.iter().map(cell)).collect()));
    }
    table
}

fn map(grid: &Grid, found: &Found) -> HeatMap {
    let places = grid.rows.iter().enumerate().flat_map(|(row, variant)| grid.bytes.iter().enumerate().map(move |(column, bytes)| (row, variant, column, bytes)));
    HeatMap {
        corner: Words::Plain(String::new()),
        xs: grid.bytes.iter().map(|bytes| units::binary_bytes(*bytes as u64)).collect(),
        ys: grid.rows.iter().map(|variant| name(variant, grid)).collect(),
        cells: places
            .filter_map(|(row, variant, column, bytes)| {
                Some(([column, row], found.cost(*variant, *bytes)?.time_ns(*bytes == LEAST_BYTES)))
            })
            .collect(),
        lines: vec![Words::text("studies.occupancy.map")],
    }
}

#[cfg(test)]
mod tests {
    use super::{Effect, Found, Grid, KIND, Occupancy};
    use crate::testing::compared_as;
    use crate::{Finding, Probe, Question, Search, Study as _};
    use base::error::Error;
    use engine::device::DeviceInfo;
    use engine::{KernelText, PictureRef, Target, Task};
    use model::measure::{Comparison, Verdict};
    use model::{BorderMode, Channels, HostMemory, LocalSize, Moved, Setting, StageId, Variant};
    use std::time::Duration;

    fn asked(variant: &str, local: LocalSize, device: DeviceInfo) -> Question {
        let variant = Variant::parse(variant).expect("a variant");
        let target = Target::Device { index: 0, variant, local, host_memory: HostMemory::Copy };
        let mut task = Task::new(PictureRef::generated((64, 64), Channels::Gray), target);
        task.spec.channels = Channels::Gray;
        Question {
            setting: Setting::new(Channels::Gray, BorderMode::Copy),
            task,
            device,
            roofs: None,
            sizes: Vec::new(),
            earlier: Vec::new(),
            search: Search::default(),
            limit: Duration::MAX,
        }
    }

    fn bytes_of(task: &Task) -> u32 {
        if let KernelText::Moved(Moved::LocalBytes(bytes)) = task.text { bytes } else { panic!("{:?}", task.text) }
    }

    /// A device on which a group's local memory costs time, the less the more rows a work-item has.
    fn run(question: &Question, ratio: impl Fn(u8) -> (f64, Verdict)) -> (Occupancy, Vec<Finding>) {
        let mut study = Occupancy::new(question);
        let mut findings = Vec::new();
        while let Some(probe) = study.next(&findings) {
            findings.push(match probe {
                Probe::Compare(first, second) => {
                    assert!(bytes_of(&first) < bytes_of(&second));
                    let (ratio, verdict) = ratio(super::variant_of(&second).expect("a variant").value(StageId::Rows));
                    let comparison = Comparison { ratio, low: ratio * 0.99, high: ratio * 1.01, verdict, starts: 6 };
                    Finding::Compared(Box::new((first, second)), Ok(compared_as(comparison)))
                }
                probe => panic!("{probe:?}"),
            });
        }
        (study, findings)
    }

    #[test]
    fn a_cell_for_each_amount_of_work_and_of_local_memory() {
        let device = DeviceInfo { local_mem_bytes: 48 << 10, ..DeviceInfo::example() };
        let grid = Grid::of(&asked("coalesced", LocalSize::Driver, device.clone()));
        assert_eq!(grid.bytes, [16, 3 << 10, 6 << 10, 12 << 10, 24 << 10, 47 << 10]);
        assert_eq!(grid.like.local(), Some(LocalSize::Explicit([64, 1])), "the driver might choose another one for more memory");
        assert!(grid.rows.len() > 2 && grid.rows.contains(&Variant::parse("coalesced").expect("a variant")), "{:?}", grid.rows);
        assert_eq!(grid.probes().len(), grid.rows.len() * 5);
        let own = Grid::of(&asked("coalesced", LocalSize::Explicit([16, 2]), device));
        assert_eq!(own.like.local(), Some(LocalSize::Explicit([16, 2])));
        // Too little to limit anything.
        let none = Grid::of(&asked("coalesced", LocalSize::Driver, DeviceInfo { local_mem_bytes: 512, ..DeviceInfo::example() }));
        assert_eq!(none.bytes, [16]);
        assert!(none.probes().is_empty());
    }

    #[test]
    fn what_follows_is_what_the_intervals_allow() {
        let question = asked("coalesced", LocalSize::Driver, DeviceInfo::example());
        let effect = |ratio: &dyn Fn(u8) -> (f64, Verdict)| {
            let (study, findings) = run(&question, ratio);
            Found::of(&study.grid, &findings).effect()
        };
        assert_eq!(effect(&|_| (1.0, Verdict::Same)), Some(Effect::None));
        assert_eq!(effect(&|rows| if rows > 1 { (0.97, Verdict::Slower) } else { (0.5, Verdict::Slower) }), Some(Effect::WorkReplacesGroups));
        assert_eq!(effect(&|rows| if rows > 1 { (0.5, Verdict::Slower) } else { (1.0, Verdict::Same) }), Some(Effect::WorkNeedsGroups));
        assert_eq!(effect(&|_| (0.5, Verdict::Slower)), Some(Effect::WorkDoesNot));
        assert_eq!(effect(&|rows| if rows > 1 { (0.9, Verdict::Unclear) } else { (0.5, Verdict::Slower) }), None);
    }

    #[test]
    fn all_is_told_and_what_was_refused_says_why() {
        let question = asked("coalesced", LocalSize::Driver, DeviceInfo::example());
        let (study, mut findings) = run(&question, |rows| (if rows > 1 { 0.97 } else { 0.5 }, Verdict::Slower));
        let told = view::story::text::paint(&study.conclude(&findings, true).expect("a story"));
        assert!(told.contains("0.500×") || told.contains("0.50×"), "{told}");
        assert!(study.check(&findings).is_ok());
        assert_eq!(study.facts(&findings)["effect"], "work-replaces-groups");
        for finding in &mut findings {
            if let Finding::Compared(_, compared) = finding {
                *compared = Err(Error::failed("it broke", "too much local memory", "use less"));
            }
        }
        assert!(study.check(&findings).is_err_and(|error| error.to_string().contains("too much local memory")));
        assert!(view::story::text::paint(&study.conclude(&findings, true).expect("a story")).contains("it broke"));
        assert_eq!(KIND.command.map(|command| command.name), Some("occupancy"));
    }
}
