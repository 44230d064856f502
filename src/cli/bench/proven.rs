//! What experiments said of the steps' explanations: counted by ladder, and each refuted one with what is said then.

use super::report::{Entry, Group};
use crate::cli::table::{Align, Table};
use crate::measure::Verdict;
use crate::plot::units;
use crate::study::experiment::{Proof, PutToTest};
use crate::texts::{filled, pair, text};

/// The table, and the lists of what was refuted and of what is unexplained.
pub fn render(groups: &[Group]) -> String {
    let mut columns = vec![(text("experiments.table.ladder"), Align::Left), (text("experiments.table.steps"), Align::Right)];
    columns.push((text("experiments.table.explained"), Align::Right));
    columns.extend(Proof::ALL.map(|proof| (proof.label(), Align::Right)));
    columns.push((text("experiments.table.refuted"), Align::Right));
    columns.push((text("experiments.table.undecided"), Align::Right));
    let mut table = Table::new(&columns);
    let mut sums = Counted::default();
    for group in groups {
        let Some(ladder) = group.entries.iter().find_map(|entry| entry.place).map(|place| place.ladder) else { continue };
        let counted = group.entries.iter().filter_map(Counted::of).fold(Counted::default(), Counted::and);
        table.row(counted.cells(ladder.name));
        sums = sums.and(counted);
    }
    if groups.len() > 1 {
        table.row(sums.cells(text("experiments.table.all")));
    }
    let list = |head: &str, lines: Vec<String>| if lines.is_empty() { String::new() } else { format!("\n{head}\n{}", lines.concat()) };
    let entries = || groups.iter().flat_map(|group| &group.entries);
    let refuted = entries().flat_map(refuted_lines).collect();
    let unexplained = entries().filter(|entry| is_unexplained(entry)).map(|entry| format!("  {}\n", named(entry))).collect();
    let [refuted, unexplained] =
        [(text("experiments.table.refuted-head"), refuted), (text("experiments.table.unexplained-head"), unexplained)]
            .map(|(head, lines)| list(head, lines));
    format!("{}{refuted}{unexplained}", table.render())
}

/// How the steps stand.
#[derive(Clone, Copy, Default)]
struct Counted {
    steps: usize,
    by_proof: [usize; 4],
    refuted: usize,
    undecided: usize,
}

impl Counted {
    /// One step; `None` where it was not put to the test.
    fn of(entry: &Entry) -> Option<Self> {
        let tested = entry.proven.as_ref()?;
        if is_undecided(entry) {
            return Some(Self { steps: 1, undecided: 1, ..Self::default() });
        }
        let proof = Proof::of(tested);
        let by_proof = Proof::ALL.map(|known| usize::from(known == proof));
        let refuted = usize::from(tested.iter().any(PutToTest::is_refuted));
        Some(Self { steps: 1, by_proof, refuted, undecided: 0 })
    }

    fn and(self, other: Self) -> Self {
        let mut by_proof = self.by_proof;
        by_proof.iter_mut().zip(other.by_proof).for_each(|(sum, more)| *sum += more);
        Self {
            steps: self.steps + other.steps,
            by_proof,
            refuted: self.refuted + other.refuted,
            undecided: self.undecided + other.undecided,
        }
    }

    fn cells(self, name: &str) -> Vec<String> {
        let explained: usize =
            Proof::ALL.iter().zip(self.by_proof).filter(|(proof, _)| **proof != Proof::Unexplained).map(|(_, count)| count).sum();
        let counts = [self.steps, explained].into_iter().chain(self.by_proof).chain([self.refuted, self.undecided]);
        std::iter::once(name.to_owned()).chain(counts.map(|count| count.to_string())).collect()
    }
}

/// The comparison does not say which is faster: there is nothing to explain.
fn is_undecided(entry: &Entry) -> bool {
    let compared = entry.tested.as_ref().or(entry.compared.as_ref());
    compared.is_some_and(|compared| compared.as_ref().is_ok_and(|compared| compared.comparison.verdict == Verdict::Unclear))
}

fn is_unexplained(entry: &Entry) -> bool {
    !is_undecided(entry) && entry.proven.as_ref().is_some_and(|tested| Proof::of(tested) == Proof::Unexplained)
}

/// "Step 3 (Merged): 1.2× (1.1–1.3)".
fn named(entry: &Entry) -> String {
    let name = entry.place.and_then(|place| Some(format!("{}, {}", place.ladder.name, place.title()?))).unwrap_or_default();
    match entry.tested.as_ref().or(entry.compared.as_ref()) {
        Some(Ok(compared)) => pair(&name, &units::outcome(&compared.comparison, compared.busy)),
        _ => name,
    }
}

/// What was refuted of a step, and what is said then.
fn refuted_lines(entry: &Entry) -> Vec<String> {
    let Some(tested) = entry.proven.as_ref().filter(|tested| tested.iter().any(PutToTest::is_refuted)) else { return Vec::new() };
    let refuted = tested.iter().filter(|one| one.is_refuted()).map(|one| filled("experiments.table.was", &[("say", &one.reason.say)]));
    let then = tested.iter().find(|one| one.reason.part == crate::why::Part::Cause && !one.is_refuted());
    let then = then.map_or_else(|| text("experiments.proof.unexplained").to_owned(), |one| one.reason.say.clone());
    let lines = std::iter::once(named(entry)).chain(refuted).chain([filled("experiments.table.then", &[("say", &then)])]);
    lines.enumerate().map(|(index, line)| format!("  {}{line}\n", if index == 0 { "" } else { "  " })).collect()
}
