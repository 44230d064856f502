//! How steps stand after experiments, counted.

use super::{Proof, PutToTest};
use model::measure::Verdict;
use view::story::{Cell, Kind, Table};

/// Steps whose explanations were put to the test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// All.
    pub steps: usize,
    /// How far they are proven, in the order of [`Proof::ALL`].
    pub by_proof: [usize; Proof::ALL.len()],
    /// Those of which an experiment refuted a reason.
    pub refuted: usize,
    /// Those whose comparison is inconclusive: there is nothing to explain.
    pub undecided: usize,
}

impl Counted {
    /// One step, that compared so and whose reasons were tested so.
    #[must_use]
    pub fn of(verdict: Verdict, tested: &[PutToTest]) -> Self {
        if verdict == Verdict::Unclear {
            return Self { steps: 1, undecided: 1, ..Self::default() };
        }
        let proof = Proof::of(tested);
        Self {
            steps: 1,
            by_proof: Proof::ALL.map(|known| usize::from(known == proof)),
            refuted: usize::from(tested.iter().any(PutToTest::is_refuted)),
            undecided: 0,
        }
    }

    /// Both together.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.by_proof.iter_mut().zip(other.by_proof).for_each(|(sum, more)| *sum += more);
        Self { steps: self.steps + other.steps, refuted: self.refuted + other.refuted, undecided: self.undecided + other.undecided, ..self }
    }

    /// Those of which a reason is left that is proven, or consistent with a cause that is large enough. What is only possible explains nothing yet.
    #[must_use]
    pub fn explained(&self) -> usize {
        let is_explained = |(proof, _): &(Proof, usize)| !matches!(proof, Proof::Possible | Proof::Unexplained);
        Proof::ALL.into_iter().zip(self.by_proof).filter(is_explained).map(|(_, count)| count).sum()
    }
}

/// A row for each of these under the head of that key.
#[must_use]
pub fn table(head: &'static str, counted: impl IntoIterator<Item = (String, Counted)>) -> Table {
    let before = ["experiments.table.steps", "experiments.table.explained"];
    let after = ["experiments.table.refuted", "experiments.table.undecided"];
    let counts = before.into_iter().chain(Proof::ALL.map(Proof::key)).chain(after).map(|key| (Kind::Number, key));
    let mut table = Table::headed("experiments", std::iter::once((Kind::Words, head)).chain(counts));
    for (name, of) in counted {
        let counts = [of.steps, of.explained()].into_iter().chain(of.by_proof).chain([of.refuted, of.undecided]);
        table.row(std::iter::once(Cell::of(&name)).chain(counts.map(Cell::count)).collect::<Vec<_>>());
    }
    table
}

#[cfg(test)]
mod tests {
    use super::{Counted, Proof, PutToTest, table};
    use crate::experiment::{Conclusion, Tested};
    use crate::why::{Facts, Level, Part, Reason};
    use base::texts::Words;
    use model::measure::{Comparison, Verdict};
    use std::collections::BTreeMap;
    use view::story::text;

    fn reason(level: Level, conclusion: Option<Conclusion>) -> PutToTest {
        let effect = Comparison { ratio: 2.0, low: 1.9, high: 2.1, verdict: Verdict::Faster, starts: 1 };
        let tested = conclusion.map(|conclusion| Tested {
            experiment: "saved-loads".to_owned(),
            effect,
            arms: Vec::new(),
            conclusion,
            other: BTreeMap::new(),
        });
        let reason = Reason {
            rule: "fewer-loads".to_owned(),
            level,
            part: Part::Cause,
            say: String::new(),
            evidence: Vec::new(),
            next: String::new(),
            facts: Facts::default(),
        };
        PutToTest { reason, tested: tested.ok_or_else(|| Words::text("experiments.none.rule")) }
    }

    #[test]
    fn steps_are_counted_by_what_is_left_to_say() {
        let refuted = || reason(Level::Consistent, Some(Conclusion::Refuted));
        let steps = [
            (Verdict::Same, vec![reason(Level::Final, None)]),
            (Verdict::Faster, vec![refuted(), reason(Level::Possible, Some(Conclusion::Confirmed))]),
            (Verdict::Faster, vec![reason(Level::Consistent, None)]),
            (Verdict::Slower, vec![refuted(), reason(Level::Possible, None)]),
            (Verdict::Slower, vec![refuted()]),
            (Verdict::Faster, Vec::new()),
            (Verdict::Unclear, vec![reason(Level::Final, None)]),
        ];
        let all = steps.iter().map(|(verdict, tested)| Counted::of(*verdict, tested)).fold(Counted::default(), Counted::and);
        assert_eq!(Proof::ALL, [Proof::Identity, Proof::Experiment, Proof::Consistent, Proof::Possible, Proof::Unexplained]);
        assert_eq!(all, Counted { steps: 7, by_proof: [1, 1, 1, 1, 2], refuted: 3, undecided: 1 });
        let told = text::table(&table("experiments.table.ladder", [("all".to_owned(), all)]));
        let [heads, counts] = told.lines().collect::<Vec<_>>().try_into().expect("two lines");
        assert_eq!(counts.split_whitespace().collect::<Vec<_>>(), ["all", "7", "3", "1", "1", "1", "1", "2", "3", "1"]);
        assert!(heads.starts_with("ladder  steps  explained") && heads.ends_with("comparison inconclusive"), "{heads}");
    }
}
