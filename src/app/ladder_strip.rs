//! The step of the ladder that is shown: why the guide takes it, what was published of it, and what it did here.

use super::action::Action;
use super::glossary::explained_after;
use super::state::State;
use super::theme::{self, space};
use super::widgets::again_button;
use crate::engine::{Compared, Task};
use crate::filters::{FigureKind, Ladder, Says, Step};
use crate::measure::Comparison;
use crate::model::{CpuEngine, Labelled, Summary};
use crate::plot::units;
use crate::study::Seen;
use crate::texts::{self, filled, text};
use egui::{Color32, RichText, ScrollArea, TextStyle, Ui};

/// Lines for what was published, measured and claimed, at the usual width and in a narrow window.
const FIGURE_LINES: [f32; 2] = [1.0, 2.0];

/// From this width on, at the usual type size, the figures of a step are on one line.
const WIDE_POINTS: f32 = 1400.0;

/// Draws the strip; the caller leaves it out where no ladder is being climbed. It is as high as the ladder's longest step needs, whatever is known of the
/// present one: what lies below does not move when its text changes. More than that scrolls.
pub fn ladder_strip(ui: &mut Ui, state: &State, ladder: &Ladder, index: usize, actions: &mut Vec<Action>) {
    let Some(step) = ladder.steps.get(index) else { return };
    // Lines of text, not rows of controls.
    ui.spacing_mut().interact_size.y = 0.0;
    let height = height(ui, ladder);
    ui.set_height(height);
    ScrollArea::vertical().max_height(height).auto_shrink([false, false]).show(ui, |ui| {
        let hint = format!("{}\n{}", ladder.label(), step.variant());
        explained_after(ui, Some((&title(ladder, index, step), &hint)), step.why());
        figures_ui(ui, state, ladder, index, actions);
    });
}

/// "Step 2 of 6: Vectorize".
pub(super) fn title(ladder: &Ladder, index: usize, step: &Step) -> String {
    filled("window.step.title", &[("number", &(index + 1)), ("count", &ladder.steps.len()), ("label", &step.label())])
}

/// That of the step whose reason takes the most lines.
fn height(ui: &Ui, ladder: &Ladder) -> f32 {
    let width = ui.available_width();
    let font = TextStyle::Body.resolve(ui.style());
    let reason = |(index, step): (usize, &Step)| {
        let words = format!("{}  {}", title(ladder, index, step), step.why());
        ui.painter().layout(words, font.clone(), Color32::PLACEHOLDER, width).size().y
    };
    let reasons = ladder.steps.iter().enumerate().map(reason).fold(0.0, f32::max);
    let [one, more] = FIGURE_LINES;
    let lines = if width >= WIDE_POINTS * theme::type_scale(ui) { one } else { more };
    reasons + ui.spacing().item_spacing.y + lines * (ui.text_style_height(&TextStyle::Body) + ui.spacing().item_spacing.y)
}

/// What was published, what was measured, and what became of the guide's claim.
fn figures_ui(ui: &mut Ui, state: &State, ladder: &Ladder, index: usize, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = space::LARGE;
        if let Some(figure) = published(state, ladder, index) {
            ui.label(RichText::new(filled("window.step.published", &[("device", &ladder.device()), ("figure", &figure)])).weak())
                .on_hover_text(ladder.source());
        }
        let figure = match here(state, ladder, index) {
            Here::Base => None,
            Here::NotMeasured => Some(not_measured()),
            Here::Figure(figure) => Some(filled("window.step.here", &[("figure", &figure)])),
        };
        if let Some(words) = figure {
            ui.label(RichText::new(words).weak()).on_hover_text(text("window.step.here-about"));
        }
        if let Some(claim) = claim(state, ladder, index) {
            let text = RichText::new(claim.text);
            let text = if let Some(color) = color(ui, claim.seen) { text.color(color) } else { text.weak() };
            let hint = [Some(claim.how.to_owned()), ladder.claim_line(index)].into_iter().flatten().collect::<Vec<_>>().join("\n");
            ui.label(text).on_hover_text(hint);
            claim_again(ui, state, ladder, index, claim.seen, actions);
        }
        if state.step().is_none() {
            ui.label(RichText::new(text("window.step.changed")).color(ui.visuals().warn_fg_color));
        }
    });
}

/// The color of a verdict; `None` for the text's own.
pub(super) fn color(ui: &Ui, seen: Option<Seen>) -> Option<Color32> {
    match seen? {
        Seen::Confirmed => Some(theme::right(ui.visuals().dark_mode)),
        Seen::Reversed => Some(ui.visuals().warn_fg_color),
        Seen::NotSeen | Seen::Unclear => None,
    }
}

/// A figure of a step, with what it is against.
fn with_against(kind: FigureKind, figure: String) -> String {
    match kind {
        FigureKind::OverCpu => filled("window.step.figure-over-cpu", &[("figure", &figure)]),
        FigureKind::OverFirst => filled("window.step.figure-over-first", &[("figure", &figure)]),
        FigureKind::Milliseconds => figure,
    }
}

fn figure_text(kind: FigureKind, figure: f64) -> String {
    match kind {
        FigureKind::OverCpu | FigureKind::OverFirst => units::speed_up(figure),
        FigureKind::Milliseconds => units::time(figure * 1e6),
    }
}

/// What was published of a step: "4.2× over step 1 at 2560 × 1600", or the range over all sizes.
pub(super) fn published(state: &State, ladder: &Ladder, index: usize) -> Option<String> {
    let kind = ladder.kind(index);
    let at = |(width, height): (usize, usize), figure: f64| {
        let figure = with_against(kind, figure_text(kind, figure));
        filled("window.step.at-size", &[("figure", &figure), ("width", &width), ("height", &height)])
    };
    let size = state.picture.as_ref().map(|opened| (opened.picture.picture.width_px(), opened.picture.picture.height_px()));
    if let Some((size, figure)) = size.and_then(|size| Some((size, ladder.published(index, size)?))) {
        return Some(at(size, figure));
    }
    if ladder.sizes.is_empty() {
        let figure = with_against(kind, figure_text(kind, *ladder.steps.get(index)?.published.first()?));
        return Some(filled("words.claim.no-size", &[("figure", &figure)]));
    }
    let figures: Vec<f64> = ladder.sizes.iter().filter_map(|&size| ladder.published(index, size)).collect();
    let [least, most] = [figures.iter().copied().reduce(f64::min)?, figures.iter().copied().reduce(f64::max)?];
    if let [size] = ladder.sizes.as_slice() {
        return Some(at(*size, least));
    }
    let [least, most] = [least, most].map(|figure| figure_text(kind, figure));
    let figure = with_against(kind, filled("window.step.range", &[("least", &least), ("most", &most)]));
    Some(filled("window.step.by-size", &[("figure", &figure)]))
}

/// What is known of a step here.
pub(super) enum Here {
    /// It is the step that the others are compared with.
    Base,
    /// Nothing yet.
    NotMeasured,
    /// Its figure, in the unit of the published ones: "3.10× (2.90–3.30) over step 1".
    Figure(String),
}

/// The step's figure on this device.
pub(super) fn here(state: &State, ladder: &Ladder, index: usize) -> Here {
    let known = |figure: Option<String>| figure.map_or(Here::NotMeasured, Here::Figure);
    let task_of = |index: usize| state.step_task(ladder, ladder.steps.get(index)?);
    let now = task_of(index);
    let (base, name) = match ladder.kind(index) {
        // Of the published milliseconds only the time itself is told here.
        FigureKind::Milliseconds => {
            let kernel = now.and_then(|task| state.history.newest_of(&task)?.record.kernel().cloned());
            return known(kernel.map(|kernel| time_between(&kernel)));
        }
        FigureKind::OverCpu => (state.ladder_task(ladder, CpuEngine::Scalar), CpuEngine::Scalar.label().to_owned()),
        FigureKind::OverFirst if index == 0 => return Here::Base,
        FigureKind::OverFirst => (task_of(0), filled("words.claim.step", &[("number", &1)])),
    };
    let comparison = base.zip(now).and_then(|(base, now)| state.comparison(&base, &now));
    known(comparison.map(|comparison| filled("window.step.over", &[("words", &units::comparison(&comparison)), ("name", &name)])))
}

/// "1.9 ms (1.8 ms to 2 ms)": the median with its quartiles.
fn time_between(kernel: &Summary) -> String {
    units::time_between(kernel.median_ns, kernel.lower_quartile_ns, kernel.upper_quartile_ns)
}

fn not_measured() -> String {
    text("window.step.not-measured").to_owned()
}

/// What is claimed of a step, and what became of it here.
#[derive(Debug, PartialEq)]
pub(super) struct Tested {
    /// "Guide: faster than step 2; here: 0.840× (0.806–0.885): the opposite".
    pub(super) text: String,
    /// What is claimed, and by whom: "Guide: faster than step 2".
    pub(super) says: String,
    /// What was found: "0.840× (0.806–0.885): the opposite".
    pub(super) found: String,
    /// What the strip's color says; `None` where the two steps were not interleaved.
    pub(super) seen: Option<Seen>,
    /// How it was found out.
    pub(super) how: &'static str,
}

/// The two that a step's claim is about.
fn claimed(state: &State, ladder: &Ladder, index: usize) -> Option<(Task, Task)> {
    let step = ladder.steps.get(index)?;
    state.step_task(ladder, ladder.steps.get(step.claim?.against)?).zip(state.step_task(ladder, step))
}

/// Where nothing is decided of a step's claim though both were measured, a button that compares them once more.
pub(super) fn claim_again(ui: &mut Ui, state: &State, ladder: &Ladder, index: usize, seen: Option<Seen>, actions: &mut Vec<Action>) {
    let is_undecided = seen.is_none_or(|seen| seen == Seen::Unclear);
    let pair = claimed(state, ladder, index).filter(|(first, second)| is_undecided && state.comparison(first, second).is_some());
    if let Some(pair) = pair {
        again_button(ui, state, || Action::CompareAgain(Box::new(pair)), actions);
    }
}

/// The claim of a step, where there is one.
pub(super) fn claim(state: &State, ladder: &Ladder, index: usize) -> Option<Tested> {
    let step = ladder.steps.get(index)?;
    let claim = step.claim?;
    let tasks = claimed(state, ladder, index)?;
    let other = filled("words.claim.step", &[("number", &(claim.against + 1))]);
    let mut says = claim.says.words(&other);
    if step.is_of_other_size(tasks.1.picture.size()) {
        // The sizes are told where the pointer rests: there may be many.
        says = filled("words.claim.not-its-size", &[("claim", &says)]);
    }
    let guide = claim.by(&says);
    Some(match state.compared(&tasks.0, &tasks.1) {
        Some(compared) => interleaved(&guide, claim.says, compared),
        None => apart(&guide, state.comparison(&tasks.0, &tasks.1).as_ref()),
    })
}

/// By the two steps interleaved.
fn interleaved(guide: &str, says: Says, compared: &Compared) -> Tested {
    let seen = Seen::of_compared(says, compared);
    let verdict = text(match seen {
        Seen::Confirmed => "window.step.confirmed",
        Seen::NotSeen => "window.step.not-seen",
        Seen::Reversed => "window.step.opposite",
        Seen::Unclear => "window.step.undecided",
    });
    let told = filled("window.step.found", &[("words", &units::comparison(&compared.comparison)), ("verdict", &verdict)]);
    let told = units::with_note(&told, compared.busy);
    let told = match compared.code.as_ref().filter(|code| code.is_same_code()) {
        Some(code) => filled("window.step.found-code", &[("found", &told), ("code", &code.label())]),
        None => units::with_starts(told, &compared.comparison),
    };
    let found = told;
    let text = filled("window.step.told", &[("claim", &guide), ("found", &found)]);
    Tested { text, says: guide.to_owned(), found, seen: Some(seen), how: texts::text("window.step.interleaved") }
}

/// By readings that were not interleaved: what disturbed one of them need not have disturbed the other, so nothing is decided.
fn apart(guide: &str, comparison: Option<&Comparison>) -> Tested {
    let (text, found) = match comparison.map(units::comparison) {
        Some(words) => (
            filled("window.step.told-apart", &[("claim", &guide), ("words", &words)]),
            filled("window.step.found-apart", &[("words", &words)]),
        ),
        None => (filled("window.step.told-nothing", &[("claim", &guide)]), text("window.step.found-nothing").to_owned()),
    };
    Tested { text, says: guide.to_owned(), found, seen: None, how: texts::text("window.step.apart") }
}

#[cfg(test)]
mod tests {
    use super::{apart, interleaved};
    use crate::engine::Compared;
    use crate::filters::Says;
    use crate::measure::{Comparison, Verdict};
    use crate::study::Seen;
    use crate::testing::{compared_as, same_code};

    fn compared(ratio: f64, low: f64, high: f64, verdict: Verdict) -> Compared {
        compared_as(Comparison { ratio, low, high, verdict, starts: 7 })
    }

    #[test]
    fn a_claim_is_answered_in_words() {
        let guide = "Guide: faster than step 2";
        let reversed = interleaved(guide, Says::Faster, &compared(0.84, 0.806, 0.885, Verdict::Slower));
        assert_eq!(reversed.text, "Guide: faster than step 2; here: 0.840× (0.806–0.885): the opposite");
        assert_eq!((reversed.seen, reversed.found.as_str()), (Some(Seen::Reversed), "0.840× (0.806–0.885): the opposite"));
        let unclear = Compared { busy: true, ..compared(1.05, 0.9, 1.2, Verdict::Unclear) };
        let unclear = interleaved(guide, Says::Faster, &unclear).text;
        assert_eq!(unclear, "Guide: faster than step 2; here: 1.05× (0.90–1.20): inconclusive, other programs were running");
        let code = same_code();
        let same = Compared { code: Some(code), ..compared(1.05, 1.03, 1.07, Verdict::Faster) };
        let same = interleaved(guide, Says::Faster, &same).text;
        assert_eq!(same, "Guide: faster than step 2; here: 1.05× (1.03–1.07): no difference observed (same code)");
        let separate = apart(guide, Some(&compared(1.25, 1.2, 1.31, Verdict::Faster).comparison));
        assert_eq!(separate.text, "Guide: faster than step 2; here, from separate runs: 1.25× (1.20–1.31)");
        assert_eq!((separate.seen, apart(guide, None).text.as_str()), (None, "Guide: faster than step 2; not measured here yet"));
    }
}
