//! Does a kernel mind how wide the picture is? A row's first byte, the last vector of a row and the number of work-groups all depend on the width, so the same
//! variant is compared over pictures that are a few pixels narrower or wider.
//!
//! Pictures have different numbers of pixels, so what is compared is the time of a pixel: the ratio of the two kernel times, times the pixels of the one over
//! those of the other. Both numbers of pixels are exact, and the interval scales with the ratio.

use super::{Command, Finding, Kind, Probe, Question, Study, Subject, telling};
use base::texts::{Words, filled};
use engine::{Compared, PictureRef, Task};
use model::measure::{Comparison, Verdict};
use serde_json::{Value, json};
use std::collections::VecDeque;
use view::story::{self, Block, Cell, Column, Row, Story, Table, Tone, Unit, said, said_where};

/// How window and command line know it.
pub static KIND: Kind = Kind {
    name: "widths",
    subject: Subject::Sizes(&SIZES),
    shortcut: ("W", true),
    command: Some(Command { name: "widths", picture: (1, 1), takes_file: false, example: "coalesced+padded --filter gaussian" }),
    goes_on: false,
    keeps: None,
    why_not: |_| None,
    begin: |asked| Box::new(Widths::new(asked)),
};

/// Full HD, and up to eight pixels narrower and wider: each remainder of a division by 16 at least once. Rows of 1920 pixels begin at multiples of 128 bytes
/// in gray and in RGB, and 1920 is no power of two, at which caches have troubles of their own.
static SIZES: [(usize, usize); 17] = [
    (1912, 1080),
    (1913, 1080),
    (1914, 1080),
    (1915, 1080),
    (1916, 1080),
    (1917, 1080),
    (1918, 1080),
    (1919, 1080),
    (1920, 1080),
    (1921, 1080),
    (1922, 1080),
    (1923, 1080),
    (1924, 1080),
    (1925, 1080),
    (1926, 1080),
    (1927, 1080),
    (1928, 1080),
];

/// The largest power of two that is told apart: vectors of 16 bytes are the widest.
const WIDEST: usize = 16;

/// The largest power of two up to [`WIDEST`] that divides a width.
fn multiple_of(width: usize) -> usize {
    let powers = std::iter::successors(Some(WIDEST), |power| Some(power / 2));
    powers.take_while(|power| *power > 0).find(|power| width.is_multiple_of(*power)).unwrap_or(1)
}

/// The study.
struct Widths {
    like: Task,
    /// What the others are compared with; `None` of no sizes.
    base: Option<Task>,
    base_px: (usize, usize),
    left: VecDeque<(usize, usize)>,
    total: usize,
}

impl Widths {
    /// Compares with the size whose width has the most factors of two, of several the one in the middle.
    fn new(asked: Question) -> Self {
        let most = asked.sizes.iter().map(|(width, _)| width.trailing_zeros()).max();
        let best: Vec<_> = asked.sizes.iter().filter(|(width, _)| Some(width.trailing_zeros()) == most).copied().collect();
        let base_px = best.get(best.len() / 2).copied().unwrap_or_default();
        let left: VecDeque<_> = asked.sizes.into_iter().filter(|size| *size != base_px).collect();
        Self { like: asked.task, base: None, base_px, total: left.len(), left }
    }

    fn over(&self, size: (usize, usize)) -> Task {
        Task { picture: PictureRef::generated(size, self.like.spec.channels), ..self.like.clone() }
    }
}

impl Study for Widths {
    fn next(&mut self, _: &[Finding]) -> Option<Probe> {
        // A picture is made when it is its turn: not in the window's thread.
        let other = self.left.pop_front()?;
        let base = self.base.take().unwrap_or_else(|| self.over(self.base_px));
        self.base = Some(base.clone());
        Some(Probe::Compare(base, self.over(other)))
    }

    fn total(&self) -> usize {
        self.total
    }

    fn about(&self, probe: &Probe) -> String {
        let Probe::Compare(_, task) = probe else { return String::new() };
        let (width, height) = task.picture.size();
        format!("{width} x {height}:")
    }

    fn conclude(&self, findings: &[Finding], is_done: bool) -> Option<Story> {
        Some(story(&Found::of(self.base_px, findings), is_done))
    }

    fn facts(&self, findings: &[Finding]) -> Value {
        let found = Found::of(self.base_px, findings);
        let (width, height) = found.base_px;
        let row = |at: &At| {
            let compared = at.compared.as_ref().ok();
            json!({
                "width_px": at.size.0,
                "height_px": at.size.1,
                "multiple_of": multiple_of(at.size.0),
                "comparison": compared.map(|compared| compared.comparison),
                "busy": compared.map(|compared| compared.busy),
                "why_not": at.compared.as_ref().err(),
            })
        };
        json!({
            "base": { "width_px": width, "height_px": height },
            "widths": found.all.iter().map(row).collect::<Vec<_>>(),
            "slower_unless_multiple_of": found.slower_unless_multiple_of(),
        })
    }
}

/// A size over the one that it was compared with.
#[derive(Clone, Debug, PartialEq)]
pub struct At {
    /// Width and height.
    pub size: (usize, usize),
    /// By the time of a pixel; or why that is not known.
    pub compared: Result<Compared, Words>,
}

/// What was found at all sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Width and height that the others were compared with.
    pub base_px: (usize, usize),
    /// The others, in the order in which they were compared.
    pub all: Vec<At>,
}

impl Found {
    fn of(base_px: (usize, usize), findings: &[Finding]) -> Self {
        let at = |finding: &Finding| {
            let Finding::Compared(tasks, compared) = finding else { return None };
            let size = tasks.1.picture.size();
            let compared = match compared {
                Ok(compared) => Ok(Compared { comparison: by_pixel(compared.comparison, base_px, size), ..compared.clone() }),
                Err(error) => Err(Words::of(error)),
            };
            Some(At { size, compared })
        };
        Self { base_px, all: findings.iter().filter_map(at).collect() }
    }

    fn compared(&self) -> impl Iterator<Item = (usize, &Comparison)> {
        self.all.iter().filter_map(|at| Some((at.size.0, &at.compared.as_ref().ok()?.comparison)))
    }

    /// How many sizes that verdict has.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        self.compared().filter(|(_, comparison)| comparison.verdict == verdict).count()
    }

    /// How many sizes were compared.
    #[must_use]
    pub fn compared_count(&self) -> usize {
        self.compared().count()
    }

    /// The power of two such that exactly the widths that it does not divide are slower, each of them beyond its interval. At least two on either side: one
    /// alone is slower by chance more easily than by rule. The base is one of those that it divides.
    #[must_use]
    pub fn slower_unless_multiple_of(&self) -> Option<usize> {
        [2, 4, 8, WIDEST].into_iter().find(|power| {
            let (multiples, others): (Vec<_>, Vec<_>) = self.compared().partition(|(width, _)| width.is_multiple_of(*power));
            let is_slower = |(_, comparison): &(usize, &Comparison)| comparison.verdict == Verdict::Slower;
            let is_not_slower = |(_, comparison): &(usize, &Comparison)| matches!(comparison.verdict, Verdict::Same | Verdict::Faster);
            self.base_px.0.is_multiple_of(*power)
                && !multiples.is_empty()
                && others.len() > 1
                && others.iter().all(is_slower)
                && multiples.iter().all(is_not_slower)
        })
    }

    /// The smallest and the largest ratio of those that are slower; `None` where none is.
    #[must_use]
    pub fn slower_between(&self) -> Option<(f64, f64)> {
        let slower = self.compared().filter(|(_, comparison)| comparison.verdict == Verdict::Slower).map(|(_, comparison)| comparison.ratio);
        slower.fold(None, |ends: Option<(f64, f64)>, ratio| {
            Some(ends.map_or((ratio, ratio), |(least, most)| (least.min(ratio), most.max(ratio))))
        })
    }
}

/// A comparison of the times of two pictures as one of the times of a pixel. What was inconclusive stays so: its interval is not the only reason for that.
fn by_pixel(comparison: Comparison, first: (usize, usize), second: (usize, usize)) -> Comparison {
    let pixels = |(width, height): (usize, usize)| (width * height) as f64;
    let factor = pixels(second) / pixels(first);
    let [ratio, low, high] = [comparison.ratio, comparison.low, comparison.high].map(|value| value * factor);
    let verdict = if comparison.verdict == Verdict::Unclear { Verdict::Unclear } else { Verdict::of_interval(low, high) };
    Comparison { ratio, low, high, verdict, ..comparison }
}

fn story(found: &Found, is_done: bool) -> Story {
    let mut story = Story::default();
    if found.all.iter().any(|at| at.compared.as_ref().is_ok_and(|compared| compared.busy)) {
        story.say(Tone::Warning, Words::text("studies.panel.busy"));
    }
    if let Some(sentence) = said_where(|| telling::widths_sentence(found)).filter(|_| is_done) {
        story.say(Tone::Plain, sentence);
    }
    let (width, _) = found.base_px;
    let over = said(|| filled("studies.widths.over", &[("width", &width)]));
    let columns = vec![
        Column::new("size", story::Kind::Words, "studies.widths.size"),
        Column::new("multiple_of", story::Kind::Number, "studies.widths.multiple"),
        Column::headed("by_pixel", story::Kind::Words, over),
        Column::new("verdict", story::Kind::Words, "studies.widths.verdict"),
    ];
    let mut table = Table::new("widths", columns);
    for at in &found.all {
        let size = Cell::Size(at.size.into());
        table.row(match &at.compared {
            Ok(compared) => {
                let verdict = compared.comparison.verdict;
                Row::Cells(vec![
                    size,
                    Cell::Number(multiple_of(at.size.0) as f64, Unit::Count),
                    Cell::Compared(compared.comparison, compared.busy),
                    Cell::Words(said(|| verdict.label().to_owned())),
                ])
            }
            Err(why) => Row::Instead(size, why.clone()),
        });
    }
    story.push(Block::Table(table));
    if is_done && found.compared_count() > 0 {
        story.say(Tone::Weak, Words::text("studies.widths.chance"));
        story.say(Tone::Weak, Words::text("studies.widths.causes"));
    }
    story
}

#[cfg(test)]
mod tests {
    use super::{At, Found, SIZES, Widths, by_pixel, multiple_of};
    use crate::testing::{compared_as, measure};
    use crate::{Finding, Probe, Question, Search, Study as _, telling};
    use base::error::Error;
    use engine::device::DeviceInfo;
    use engine::{PictureRef, Target, Task};
    use model::measure::{Comparison, Verdict};
    use model::{BorderMode, Channels, HostMemory, LocalSize, Setting, Variant};
    use std::time::Duration;

    fn asked(sizes: &[(usize, usize)]) -> Question {
        let target = Target::Device { index: 0, variant: Variant::naive(), local: LocalSize::Driver, host_memory: HostMemory::Copy };
        Question {
            task: Task::new(PictureRef::generated((2, 2), Channels::Gray), target),
            device: DeviceInfo::example(),
            setting: Setting::new(Channels::Gray, BorderMode::Copy),
            roofs: None,
            sizes: sizes.to_vec(),
            earlier: Vec::new(),
            search: Search::default(),
            limit: Duration::MAX,
        }
    }

    fn comparison(ratio: f64) -> Comparison {
        let [low, high] = [ratio * 0.999, ratio * 1.001];
        Comparison { ratio, low, high, verdict: Verdict::of_interval(low, high), starts: 6 }
    }

    fn found(base: usize, widths: &[(usize, f64)]) -> Found {
        let at = |&(width, ratio): &(usize, f64)| At { size: (width, 9), compared: Ok(compared_as(comparison(ratio))) };
        Found { base_px: (base, 9), all: widths.iter().map(at).collect() }
    }

    #[test]
    fn every_other_width_is_compared_with_the_one_of_most_factors_of_two() {
        assert_eq!((SIZES[0], SIZES[8], SIZES[16]), ((1912, 1080), (1920, 1080), (1928, 1080)));
        let mut study = Widths::new(asked(&[(60, 3), (61, 3), (64, 3), (66, 3)]));
        assert_eq!(study.total(), 3);
        let pairs: Vec<_> = std::iter::from_fn(|| match study.next(&[])? {
            Probe::Compare(one, other) => Some((one.picture.size(), other.picture.size())),
            probe => panic!("{probe:?}"),
        })
        .collect();
        assert_eq!(pairs, [((64, 3), (60, 3)), ((64, 3), (61, 3)), ((64, 3), (66, 3))]);
        assert!(Widths::new(asked(&[])).next(&[]).is_none());
        assert_eq!([1, 2, 12, 24, 1920, 0].map(multiple_of), [1, 2, 4, 8, 16, 16]);
    }

    /// Of 64 pixels and then 80, a ratio of 0.8 is that of the pixels; the verdict is that of the new interval.
    #[test]
    fn times_are_those_of_a_pixel() {
        let slower = Comparison { ratio: 0.8, low: 0.79, high: 0.81, verdict: Verdict::Slower, starts: 6 };
        let same = by_pixel(slower, (64, 1), (80, 1));
        assert!((same.ratio - 1.0).abs() < 1e-12 && (same.low - 0.9875).abs() < 1e-12 && (same.high - 1.0125).abs() < 1e-12, "{same:?}");
        assert_eq!((same.verdict, same.starts), (Verdict::Same, 6));
        assert_eq!(by_pixel(Comparison { verdict: Verdict::Unclear, ..slower }, (64, 1), (80, 1)).verdict, Verdict::Unclear);
    }

    #[test]
    fn a_rule_has_no_exception() {
        let told = |widths: &[(usize, f64)]| telling::widths_sentence(&found(64, widths)).expect("compared");
        let rule = [(60, 1.0), (61, 0.8), (62, 0.5), (63, 0.8), (65, 0.8), (68, 1.0)];
        assert_eq!(found(64, &rule).slower_unless_multiple_of(), Some(4));
        assert_eq!(told(&rule), "Exactly the widths that are not multiples of 4 are slower per pixel than 64: 0.5× to 0.8×");
        // 62 is as fast as 60, and 63 is not: the rule is another one.
        let even = [(60, 1.0), (61, 0.8), (62, 1.0), (63, 0.8)];
        assert_eq!(found(64, &even).slower_unless_multiple_of(), Some(2));
        // One odd width is as fast as the even ones.
        let exception = [(60, 1.0), (61, 1.0), (62, 1.0), (63, 0.8), (65, 1.5)];
        assert_eq!(found(64, &exception).slower_unless_multiple_of(), None);
        assert_eq!(
            told(&exception),
            "Compared with 64, per pixel, of 5 widths: 1 slower, 1 faster, 3 the same, 0 inconclusive; no power of two up to 16 separates the slower ones"
        );
        assert_eq!(told(&[(60, 1.2), (61, 1.0)]), "Compared with 64, per pixel, of 2 widths: 0 slower, 1 faster, 1 the same, 0 inconclusive");
        assert_eq!(told(&[(60, 1.0), (61, 1.01)]), "The width makes no difference here: at each of 2 widths, the time per pixel is within ±2 % of that at 64");
        assert_eq!(telling::widths_sentence(&found(64, &[])), None);
    }

    #[test]
    fn what_could_not_be_compared_says_why() {
        let study = Widths::new(asked(&[(60, 3), (64, 3)]));
        let tasks = Box::new((study.over((64, 3)), study.over((60, 3))));
        let findings = [Finding::Compared(tasks, Err(Error::failed("it broke", "somehow", "mend it")))];
        let facts = study.facts(&findings);
        assert!(facts["widths"][0]["comparison"].is_null() && facts["widths"][0]["why_not"].is_object(), "{facts}");
        let story = study.conclude(&findings, true).expect("a story");
        assert!(view::story::text::paint(&story).contains("it broke"));
        assert!(story.figures().all(|figure| figure.scene([300.0, 200.0], &measure).hits.is_empty()));
        assert!(study.check(&findings).is_err());
    }
}
