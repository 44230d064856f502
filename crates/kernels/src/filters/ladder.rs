//! A published ladder: its steps, its figures, and what its guide claims of them. [`super::definition`] reads them.

use crate::filters::FilterIdExt;
use base::texts;
use model::{BorderMode, Channels, FilterId, LocalSize, Variant};
use serde::Deserialize;

/// A published list of variants, in the order in which a guide applies them. The texts of its filter's folder have its words.
#[derive(Debug)]
pub struct Ladder {
    /// As in `--ladder NAME`.
    pub name: &'static str,
    /// The filter whose variants it lists.
    pub filter: FilterId,
    /// Whether it comes before its filter's other ladders.
    pub is_first: bool,
    /// This program's own: it goes on where the guides of its filter stop, and comes behind them.
    pub is_own: bool,
    /// The name of the ladder, of the same filter, that it goes on from; `None` where no guide has got there.
    pub continues: Option<String>,
    /// The channels the study used.
    pub channels: Channels,
    /// The border mode the study used.
    pub border: BorderMode,
    /// Picture sizes (width, height) of the published figures and claims; empty where the document does not state them.
    pub sizes: Vec<(usize, usize)>,
    /// What the published figures are.
    pub figures: Figures,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// What the figures of a ladder's steps say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Figures {
    /// Speed-up over the first step; that of the first step is over the study's own CPU.
    #[serde(rename = "speed-up, first step over CPU")]
    SpeedUpFirstAgainstCpu,
    /// Speed-up over the first step.
    #[default]
    #[serde(rename = "speed-up")]
    SpeedUp,
    /// Milliseconds.
    #[serde(rename = "milliseconds")]
    Milliseconds,
}

/// What one step's figures are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureKind {
    /// Speed-up over one core of the study's CPU.
    OverCpu,
    /// Speed-up over the ladder's first step.
    OverFirst,
    /// Milliseconds.
    Milliseconds,
}

impl FigureKind {
    /// For programs that read our output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Milliseconds => "milliseconds",
            Self::OverFirst => "speed-up over the first step",
            Self::OverCpu => "speed-up over one CPU core",
        }
    }
}

impl Ladder {
    /// As in the window.
    #[must_use]
    pub fn label(&self) -> &'static str {
        self.text("label")
    }

    /// The device of the published figures and claims, in short: it stands beside each figure.
    #[must_use]
    pub fn device(&self) -> &'static str {
        self.text("device")
    }

    /// Which document, which device exactly, what its figures mean.
    #[must_use]
    pub fn source(&self) -> &'static str {
        self.text("source")
    }

    fn text(&self, part: &str) -> &'static str {
        // A test holds every ladder to have all three.
        texts::find(&format!("ladders.{}.{part}", self.name)).unwrap_or_default()
    }

    /// The ladder that goes on where this one ends.
    #[must_use]
    pub fn continuation(&self) -> Option<&'static Self> {
        self.filter.filter().ladders().iter().find(|other| other.continues.as_deref() == Some(self.name))
    }

    /// The step that a step is compared with: the one that its claim names, else the one before. `None` for the first step, of which nothing is claimed.
    #[must_use]
    pub fn base(&self, step: usize) -> Option<usize> {
        let claim = self.steps.get(step)?.claim;
        claim.map_or(step.checked_sub(1), |claim| Some(claim.against))
    }

    /// What the figures of the step with this index are.
    #[must_use]
    pub fn kind(&self, step: usize) -> FigureKind {
        match self.figures {
            Figures::Milliseconds => FigureKind::Milliseconds,
            Figures::SpeedUpFirstAgainstCpu if step == 0 => FigureKind::OverCpu,
            Figures::SpeedUpFirstAgainstCpu | Figures::SpeedUp => FigureKind::OverFirst,
        }
    }

    /// The published figure of a step at a picture size (width, height).
    #[must_use]
    pub fn published(&self, step: usize, size: (usize, usize)) -> Option<f64> {
        let place = self.sizes.iter().position(|known| *known == size)?;
        self.steps.get(step)?.published.get(place).copied()
    }

    /// The published figure of a step at the size whose number of pixels is nearest to that of `size`, with that size; without one where the document does
    /// not state it.
    #[must_use]
    pub fn published_nearest(&self, step: usize, size: (usize, usize)) -> Option<(Option<(usize, usize)>, f64)> {
        if self.sizes.is_empty() {
            return Some((None, *self.steps.get(step)?.published.first()?));
        }
        let pixels = |(width, height): (usize, usize)| width as f64 * height as f64;
        // By ratio: half as many are as far away as twice as many.
        let distance = |known: &(usize, usize)| (pixels(*known) / pixels(size)).ln().abs();
        let nearest = *self.sizes.iter().min_by(|left, right| distance(left).total_cmp(&distance(right)))?;
        Some((Some(nearest), self.published(step, nearest)?))
    }

    /// What is claimed of a step, as "faster than step 1 (Original)"; `None` where nothing is.
    #[must_use]
    pub fn claim_text(&self, step: usize) -> Option<String> {
        let claim = self.steps.get(step)?.claim?;
        let against = self.steps.get(claim.against)?;
        let step = texts::filled("words.claim.step-named", &[("number", &(claim.against + 1)), ("label", &against.label())]);
        Some(claim.says.words(&step))
    }

    /// The same with whose claim it is, where that is made, and the sizes that it was published for: "Guide, § 9.2.3: faster than step 1 (Original) at 768 × 432".
    #[must_use]
    pub fn claim_line(&self, step: usize) -> Option<String> {
        let known = self.steps.get(step)?;
        known.claim_by(&known.at_its_sizes(&self.claim_text(step)?))
    }

    /// The same beside a picture of a size, which the claim may not have been published for.
    #[must_use]
    pub fn claim_line_at(&self, step: usize, size: (usize, usize)) -> Option<String> {
        let known = self.steps.get(step)?;
        known.claim_by(&known.beside(&self.claim_text(step)?, size))
    }

    /// A step's number, from 1, and its label: "2 Vectorize".
    #[must_use]
    pub fn step_title(&self, step: usize) -> Option<String> {
        Some(format!("{} {}", step + 1, self.steps.get(step)?.label()))
    }
}

/// The name under which texts stand that steps of several ladders have in common.
pub(super) const SHARED: &str = "any";

/// One step of a ladder.
#[derive(Debug)]
pub struct Step {
    /// The same in every language: texts, claims and programs know the step by it.
    pub key: String,
    /// The ladder's name.
    pub ladder: &'static str,
    /// Its variant.
    pub variant: Variant,
    /// The local work size that belongs to the step; `None`: whatever the person has chosen.
    pub local: Option<[usize; 2]>,
    /// Published figure per size of the ladder, see [`Ladder::figures`], or one whose size is not stated; empty where none was published.
    pub published: Vec<f64>,
    /// What is claimed of the step; `None` for a step that nothing is claimed of.
    pub claim: Option<Claim>,
    /// Where the document makes the claim: a section, a table, or a heading in its own language; `None` where the claim is ours, or there is none.
    pub place: Option<String>,
    /// Picture sizes (width, height) that the claim was published for; empty where the document does not state them.
    pub claim_sizes: Vec<(usize, usize)>,
}

/// What is claimed of a step, to be put to the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The step of the same ladder that it is compared with.
    pub against: usize,
    /// How it compares.
    pub says: Says,
    /// This program's claim, which no guide makes.
    pub is_ours: bool,
}

impl Claim {
    /// "Guide: faster than step 2", of what is claimed in words.
    #[must_use]
    pub fn by(self, claim: &str) -> String {
        texts::filled(if self.is_ours { "words.claim.ours" } else { "words.claim.guide" }, &[("claim", &claim)])
    }
}

/// How a claim says that two steps compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// This step takes less time.
    Faster,
    /// This step takes more time.
    Slower,
    /// There is no difference worth the name.
    Same,
    /// This step does not take less time.
    NotFaster,
}

impl Says {
    /// "faster than step 2", of what is written of the other step.
    #[must_use]
    pub fn words(self, step: &str) -> String {
        let key = match self {
            Self::Faster => "words.claim.faster",
            Self::Slower => "words.claim.slower",
            Self::Same => "words.claim.same",
            Self::NotFaster => "words.claim.not-faster",
        };
        texts::filled(key, &[("step", &step)])
    }
}

impl Step {
    /// Short title, without a number.
    #[must_use]
    pub fn label(&self) -> &'static str {
        self.text("label")
    }

    /// What is claimed of it in words, with whose claim it is and where that is made; `None` where nothing is claimed.
    fn claim_by(&self, claim: &str) -> Option<String> {
        let own = self.claim?;
        Some(match &self.place {
            Some(place) => texts::filled("words.claim.guide-in", &[("place", place), ("claim", &claim)]),
            None => own.by(claim),
        })
    }

    /// Why the guide takes this step, in our words.
    #[must_use]
    pub fn why(&self) -> &'static str {
        self.text("why")
    }

    fn text(&self, part: &str) -> &'static str {
        // As for the ladder.
        texts::find(&self.text_key(part)).unwrap_or_default()
    }

    /// The key of a text of this step: its own, or the one that steps of this name share.
    pub(super) fn text_key(&self, part: &str) -> String {
        let own = format!("ladders.{}.step.{}.{part}", self.ladder, self.key);
        if texts::find(&own).is_some() { own } else { format!("ladders.{SHARED}.step.{}.{part}", self.key) }
    }

    /// A claim in words with the sizes that it was published for.
    #[must_use]
    pub fn at_its_sizes(&self, claim: &str) -> String {
        if self.claim_sizes.is_empty() {
            return claim.to_owned();
        }
        texts::filled("words.claim.at-sizes", &[("claim", &claim), ("sizes", &self.claim_sizes_text())])
    }

    /// Whether the claim was published for other picture sizes than this one.
    #[must_use]
    pub fn is_of_other_size(&self, size: (usize, usize)) -> bool {
        !self.claim_sizes.is_empty() && !self.claim_sizes.contains(&size)
    }

    /// A claim in words beside a picture of a size, which it may not have been published for.
    #[must_use]
    pub fn beside(&self, claim: &str, size: (usize, usize)) -> String {
        if !self.is_of_other_size(size) {
            return claim.to_owned();
        }
        texts::filled("words.claim.other-size", &[("claim", &claim), ("sizes", &self.claim_sizes_text())])
    }

    fn claim_sizes_text(&self) -> String {
        let size = |(width, height): &(usize, usize)| format!("{width} × {height}");
        texts::joined("words.list.items", self.claim_sizes.iter().map(size))
    }

    /// The step's own local work size, or what was chosen where it has none.
    #[must_use]
    pub fn local_or(&self, chosen: LocalSize) -> LocalSize {
        self.local.map_or(chosen, LocalSize::Explicit)
    }

    /// The step's variant. Tests hold every step to one that is allowed.
    #[must_use]
    pub fn variant(&self) -> Variant {
        self.variant
    }
}

#[cfg(test)]
mod tests {
    use crate::filters;

    #[test]
    fn the_nearest_size_is_that_of_the_nearest_number_of_pixels() {
        let ladder = filters::by_name("laplace").expect("laplace").ladder("mali-t600").expect("its ladder");
        assert_eq!(ladder.published_nearest(1, (7680, 4320)), Some((Some((7680, 4320)), 3.7)));
        // 0.79 MP lies between 0.33 and 4.1 MP: 2.4 times the one, a fifth of the other.
        assert_eq!(ladder.published_nearest(1, (1024, 768)), Some((Some((768, 432)), 1.5)));
        assert_eq!(ladder.published_nearest(1, (16000, 16000)), Some((Some((7680, 4320)), 3.7)));
        // A size that the study does not state is not made up.
        let gaussian = filters::by_name("gaussian").expect("gaussian").ladder("gaussian").expect("its ladder");
        assert_eq!((gaussian.published_nearest(0, (1920, 1080)), gaussian.published(0, (1920, 1080))), (Some((None, 22.0)), None));
    }

    #[test]
    fn a_claim_carries_whose_it_is_and_the_sizes_that_it_was_published_for() {
        let ladder = filters::by_name("laplace").expect("laplace").ladder("mali-t600").expect("its ladder");
        // Of five sizes, three contradict it in the study itself.
        assert_eq!(
            ladder.claim_line(4).as_deref(),
            Some("Guide, “Optimisation 4 Results”: faster than step 4 (short16) at 768 × 432, 2048 × 2048")
        );
        assert_eq!(ladder.claim_line_at(4, (2048, 2048)).as_deref(), Some("Guide, “Optimisation 4 Results”: faster than step 4 (short16)"));
        let other =
            "Guide, “Optimisation 4 Results”: faster than step 4 (short16) (published for 768 × 432, 2048 × 2048: not tried at its size)";
        assert_eq!(ladder.claim_line_at(4, (2560, 1600)).as_deref(), Some(other));
        assert_eq!(ladder.claim_line(0), None);
        // Each claim of this program is marked as such, in its own ladders and in those of guides.
        for ladder in filters::ladders() {
            for (index, step) in ladder.steps.iter().enumerate() {
                let Some(claim) = step.claim else { continue };
                assert!(claim.is_ours || !ladder.is_own, "{}", ladder.name);
                let begin = if claim.is_ours {
                    "Not from a guide: ".to_owned()
                } else {
                    format!("Guide, {}: ", step.place.as_deref().expect("a place"))
                };
                assert!(ladder.claim_line(index).is_some_and(|line| line.starts_with(&begin)), "{}", ladder.name);
            }
        }
    }

    #[test]
    fn what_the_published_figures_contradict_is_not_claimed() {
        for ladder in filters::ladders() {
            for (index, step) in ladder.steps.iter().enumerate() {
                let Some(claim) = step.claim.filter(|claim| !claim.is_ours) else { continue };
                for &size in &step.claim_sizes {
                    let Some((own, other)) = ladder.published(index, size).zip(ladder.published(claim.against, size)) else { continue };
                    let is_time = ladder.figures == super::Figures::Milliseconds;
                    // The first step's figure may be over the CPU: over itself it is 1.
                    let other = if claim.against == 0 && !is_time { 1.0 } else { other };
                    let ratio = if is_time { other / own } else { own / other };
                    let holds = match claim.says {
                        super::Says::Faster => ratio > 1.0,
                        super::Says::Slower => ratio < 1.0,
                        super::Says::Same => (0.95..=1.05).contains(&ratio),
                        super::Says::NotFaster => ratio <= 1.0,
                    };
                    assert!(holds, "{}, {}, {size:?}: {own} against {other}", ladder.name, step.key);
                }
            }
        }
    }

    #[test]
    fn one_name_is_one_ladder() {
        let mut names: Vec<_> = filters::ladders().map(|ladder| ladder.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "bench --ladder NAME finds the filter by the ladder's name");
    }
}
