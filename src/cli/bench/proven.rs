//! What experiments said of the steps' explanations: counted by ladder, and each refuted one with what is said then.

use super::ladder_table::ladder;
use super::report::{Entry, Group};
use base::texts::{Words, speaking_keys, text};
use engine::Compared;
use study::experiment::{Counted, Proof, PutToTest, counted, telling};
use view::plot::units;
use view::story::{Block, Cell, Kind, Story, Table, Tone};

/// The table, and the lists of what was refuted and of what is unexplained.
pub fn story(groups: &[Group]) -> Story {
    speaking_keys(|| {
        let mut story = Story::default();
        story.push(Block::Heading(Words::text("experiments.table.title")));
        story.push(Block::Table(counted::table("experiments.table.ladder", rows(groups))));
        let mut list = |title: &'static str, heads: &[&'static str], rows: Vec<Vec<Cell>>| {
            if !rows.is_empty() {
                story.say(Tone::Plain, Words::text(title));
                let steps = ["experiments.table.step", "tables.bench.speed-up"];
                let mut table = Table::headed(title, steps.iter().chain(heads).map(|head| (Kind::Words, *head)));
                for row in rows {
                    table.row(row);
                }
                story.push(Block::Table(table));
            }
        };
        let refuted = steps(groups).filter(Step::has_refuted).map(|step| {
            let reasons = step.tested.iter().filter(|one| one.is_refuted()).map(|one| Cell::of(&one.reason.say));
            [step.cells(), vec![Cell::Lines(reasons.collect()), Cell::of(&telling::left(step.tested))]].concat()
        });
        let heads = ["experiments.table.was-refuted", "experiments.table.left"];
        list("experiments.table.refuted-head", &heads, refuted.collect());
        let unexplained = steps(groups).filter(Step::is_unexplained).map(|step| step.cells());
        list("experiments.table.unexplained-head", &[], unexplained.collect());
        story
    })
}

/// Each ladder over each picture size, and their sum where there are several.
fn rows(groups: &[Group]) -> Vec<(String, Counted)> {
    let sum = |steps: &mut dyn Iterator<Item = Step<'_>>| steps.map(|step| step.counted()).fold(Counted::default(), Counted::and);
    let mut rows: Vec<_> = groups.iter().filter_map(|group| Some((ladder(group)?.name.to_owned(), sum(&mut steps_of(group))))).collect();
    if rows.len() > 1 {
        rows.push((text("experiments.table.all").to_owned(), sum(&mut steps(groups))));
    }
    rows
}

/// A step that was compared, and whose reasons were put to the test.
struct Step<'a> {
    entry: &'a Entry,
    compared: &'a Compared,
    tested: &'a [PutToTest],
}

fn steps(groups: &[Group]) -> impl Iterator<Item = Step<'_>> {
    groups.iter().flat_map(steps_of)
}

fn steps_of(group: &Group) -> impl Iterator<Item = Step<'_>> {
    group.entries.iter().filter_map(|entry| {
        let compared = entry.tested.as_ref().or(entry.compared.as_ref())?.as_ref().ok()?;
        Some(Step { entry, compared, tested: entry.proven.as_deref()? })
    })
}

impl Step<'_> {
    fn counted(&self) -> Counted {
        Counted::of(self.compared.comparison.verdict, self.tested)
    }

    fn has_refuted(&self) -> bool {
        self.counted().refuted > 0
    }

    fn is_unexplained(&self) -> bool {
        let counted = self.counted();
        counted.undecided == 0 && Proof::of(self.tested) == Proof::Unexplained
    }

    /// "mali-t600, 3 Merged loads", and the speed-up.
    fn cells(&self) -> Vec<Cell> {
        let name = self.entry.place.and_then(|place| Some(format!("{}, {}", place.ladder.name, place.title()?))).unwrap_or_default();
        vec![Cell::of(&name), Cell::of(&units::outcome(&self.compared.comparison, self.compared.busy))]
    }
}
