//! A published ladder: its steps, its figures, and what its guide claims of them. `ladder_files` reads them.

use crate::model::{BorderMode, Channels, FilterId, LocalSize, Variant};
use crate::texts;
use serde::Deserialize;

/// A published list of variants, in the order in which a guide applies them. `assets/texts/LANGUAGE/ladders.toml` has its words.
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
    /// Picture sizes (width, height) of the published figures; may be empty.
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

    /// The published figure of a step at the size whose number of pixels is nearest to that of `size`, with that size.
    #[must_use]
    pub fn published_nearest(&self, step: usize, size: (usize, usize)) -> Option<((usize, usize), f64)> {
        let pixels = |(width, height): (usize, usize)| width as f64 * height as f64;
        // By ratio: half as many are as far away as twice as many.
        let distance = |known: &(usize, usize)| (pixels(*known) / pixels(size)).ln().abs();
        let nearest = *self.sizes.iter().min_by(|left, right| distance(left).total_cmp(&distance(right)))?;
        Some((nearest, self.published(step, nearest)?))
    }

    /// What the guide says of a step, as "faster than step 1 (Original)"; `None` where it says nothing.
    #[must_use]
    pub fn claim_text(&self, step: usize) -> Option<String> {
        let claim = self.steps.get(step)?.claim?;
        let against = self.steps.get(claim.against)?;
        let step = texts::filled("words.claim.step-named", &[("number", &(claim.against + 1)), ("label", &against.label())]);
        Some(claim.says.words(&step))
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
    pub(super) ladder: &'static str,
    /// Its variant.
    pub(super) variant: Variant,
    /// The local work size that belongs to the step; `None`: whatever the person has chosen.
    pub local: Option<[usize; 2]>,
    /// Published figure per size of the ladder, see [`Ladder::figures`]; empty where none was published.
    pub published: Vec<f64>,
    /// What the guide says that the step does; `None` for a step that nothing is claimed of.
    pub claim: Option<Claim>,
}

/// What a guide says of a step, to be put to the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The step of the same ladder that it is compared with.
    pub against: usize,
    /// How it compares.
    pub says: Says,
}

/// How a guide says that two steps compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// This step takes less time.
    Faster,
    /// This step takes more time.
    Slower,
    /// There is no difference worth the name.
    Same,
}

impl Says {
    /// "faster than step 2", of what is written of the other step.
    #[must_use]
    pub fn words(self, step: &str) -> String {
        let key = match self {
            Self::Faster => "words.claim.faster",
            Self::Slower => "words.claim.slower",
            Self::Same => "words.claim.same",
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
        assert_eq!(ladder.published_nearest(1, (7680, 4320)), Some(((7680, 4320), 3.7)));
        // 0.79 MP lies between 0.33 and 4.1 MP: 2.4 times the one, a fifth of the other.
        assert_eq!(ladder.published_nearest(1, (1024, 768)), Some(((768, 432), 1.5)));
        assert_eq!(ladder.published_nearest(1, (16000, 16000)), Some(((7680, 4320), 3.7)));
    }

    #[test]
    fn one_name_is_one_ladder() {
        let mut names: Vec<_> = filters::all().iter().flat_map(|filter| filter.ladders()).map(|ladder| ladder.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "bench --ladder NAME finds the filter by the ladder's name");
    }
}
