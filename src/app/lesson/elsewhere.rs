//! The same step on other devices, measured there: what holds on one device need not hold on the next, and whoever has climbed a ladder on one alone
//! believes that it does.

use super::axis::axis_ui;
use super::panel::reasons_ui;
use super::{Answer, Lesson};
use crate::app::action::Action;
use crate::app::state::State;
use crate::app::theme::space;
use base::texts::{filled, text};
use egui::{Button, RichText, Ui};
use engine::device::DeviceInfo;
use kernels::filters::Ladder;
use std::cmp::Reverse;
use study::claims::elsewhere::{DeviceClaims, StepThere};
use study::predict::{Change, apart, truth};
use study::why::Reason;
use view::plot::units;

/// So many devices at most beside one's own.
const MOST_DEVICES: usize = 3;

/// What a step did on another device.
#[derive(Clone, Copy, Debug)]
pub struct There {
    /// The device.
    pub device: &'static DeviceClaims,
    /// The step.
    pub row: &'static StepThere,
}

/// The last question of a ladder: a step on another device.
#[derive(Clone, Copy, Debug)]
pub struct Contrast {
    /// The ladder's name.
    pub ladder: &'static str,
    /// The step, from 0.
    pub step: usize,
    /// What it did there.
    pub there: There,
    /// The answer, once it is given.
    pub guess: Option<Change>,
}

impl There {
    /// "0.960× (0.950–0.970)".
    #[must_use]
    pub fn words(&self) -> String {
        if self.row.is_same_work {
            text("window.elsewhere.same-work").to_owned()
        } else {
            units::outcome(&self.row.comparison, self.row.is_busy)
        }
    }

    /// "On NVIDIA H200: 0.960× (0.950–0.970)".
    #[must_use]
    pub fn line(&self) -> String {
        filled("window.elsewhere.on", &[("device", &self.device.name()), ("words", &self.words())])
    }

    /// What was measured there, with what, and when.
    #[must_use]
    pub fn about(&self) -> String {
        let ([width, height], device) = (self.row.size_px, self.device);
        let date = device.date.split('T').next().unwrap_or_default();
        let about = filled(
            "window.elsewhere.about",
            &[("width", &width), ("height", &height), ("platform", &device.platform), ("driver", &device.driver_version), ("date", &date)],
        );
        if self.row.is_same_work { about } else { units::with_starts(about, &self.row.comparison) }
    }

    /// The same with why, in lines.
    #[must_use]
    pub fn explained(&self) -> String {
        let reasons = self.row.reasons().into_iter().map(|reason| reason.line_there());
        reasons.chain(std::iter::once(self.about())).collect::<Vec<_>>().join("\n")
    }
}

impl Lesson {
    fn contrast_of(&self, ladder: &Ladder) -> Option<Contrast> {
        self.contrasts.iter().find(|contrast| contrast.ladder == ladder.name).copied()
    }
}

impl State {
    /// The devices that were measured elsewhere, those of another kind than the one here first.
    fn other_devices(&self) -> Vec<&'static DeviceClaims> {
        let here = self.device().or_else(|| self.device_list().first());
        let is_own = |device: &DeviceClaims| here.is_some_and(|info| device.is_of(info));
        let mut others: Vec<_> = self.elsewhere.iter().filter(|device| !is_own(device)).collect();
        others.sort_by_key(|device| here.map(|info: &DeviceInfo| info.kind) == Some(device.kind));
        others
    }

    /// What a step did on other devices against the same step as here, those of another kind first.
    #[must_use]
    pub fn step_elsewhere(&self, ladder: &Ladder, index: usize) -> Vec<There> {
        let pixels = self.picture.as_ref().map_or(1, |opened| opened.picture.picture.width_px() * opened.picture.picture.height_px());
        let against = ladder.base(index).and_then(|against| ladder.steps.get(against));
        let there = |device: &'static DeviceClaims| Some(There { device, row: device.step(ladder, index, pixels)? });
        let is_asked = |there: &There| against.is_some_and(|against| there.row.against == against.key);
        self.other_devices().into_iter().filter_map(there).filter(is_asked).collect()
    }

    /// The other device whose steps of a ladder are beside those here: of another kind, where there is one.
    #[must_use]
    pub fn device_elsewhere(&self, ladder: &Ladder) -> Option<&'static DeviceClaims> {
        self.other_devices().into_iter().find(|device| device.steps.iter().any(|row| row.ladder == ladder.name))
    }

    /// What is true of a step here, where it was seen.
    fn truth_here(&self, ladder: &Ladder, index: usize) -> Option<Vec<Change>> {
        if let Some(told) = self.lesson.told_of(ladder.name, index) {
            return Some(told.predicted.truth.clone());
        }
        let step = ladder.steps.get(index)?;
        let against = ladder.steps.get(step.claim?.against)?;
        let pair = self.step_task(ladder, against).zip(self.step_task(ladder, step))?;
        self.compared(&pair.0, &pair.1).map(|compared| truth(&compared.comparison))
    }

    /// The ladder's last question: of the steps that were seen here, the first that another device contradicts most. `None` where none was seen, nothing
    /// was measured elsewhere, or the person is not asked.
    #[must_use]
    pub fn contrast(&self, ladder: &'static Ladder) -> Option<Contrast> {
        let candidate = |step: usize| {
            let here = self.truth_here(ladder, step)?;
            // What the intervals leave open is no contrast.
            let is_decided = |truth: &[Change]| (1..=2).contains(&truth.len());
            let there = self.step_elsewhere(ladder, step).into_iter().filter(|there| is_decided(&there.row.truth()));
            let distances = there.filter_map(|there| Some((apart(&here, &there.row.truth())?, there)));
            // The first of those that are farthest: devices of another kind come first.
            distances
                .filter(|_| is_decided(&here))
                .min_by_key(|(distance, _)| Reverse(*distance))
                .map(|(distance, there)| (distance, step, there))
        };
        let chosen = || (0..ladder.steps.len()).filter_map(candidate).max_by_key(|(distance, step, _)| (*distance, Reverse(*step)));
        let asked = || chosen().map(|(_, step, there)| Contrast { ladder: ladder.name, step, there, guess: None });
        self.lesson.contrast_of(ladder).or_else(asked)
    }

    /// Whether that is what the ladder's last question asks for: then it is not told before. A step that is told does not become the question later, as
    /// only one that is contradicted more takes the place of another.
    #[must_use]
    pub fn is_held_back(&self, ladder: &'static Ladder, index: usize, there: &There) -> bool {
        let asked = self.contrast(ladder).filter(|contrast| contrast.guess.is_none() && contrast.step == index);
        asked.is_some_and(|contrast| std::ptr::eq(contrast.there.device, there.device))
    }

    /// Takes the answer to the ladder's last question.
    pub(super) fn guess_elsewhere(&mut self, change: Change) {
        let asked = self.ladder().and_then(|(ladder, _)| self.contrast(ladder)).filter(|contrast| contrast.guess.is_none());
        self.lesson.contrasts.extend(asked.map(|contrast| Contrast { guess: Some(change), ..contrast }));
    }
}

/// The step on other devices, each with its cause there.
pub fn elsewhere_ui(ui: &mut Ui, state: &State, ladder: &'static Ladder, index: usize) {
    let there = state.step_elsewhere(ladder, index);
    if there.is_empty() {
        return;
    }
    ui.add_space(space::SMALL);
    ui.label(RichText::new(text("window.elsewhere.head")).strong());
    for there in there.iter().take(MOST_DEVICES) {
        if state.is_held_back(ladder, index, there) {
            ui.label(RichText::new(filled("window.elsewhere.later", &[("device", &there.device.name())])).weak());
            continue;
        }
        ui.label(there.line()).on_hover_text(there.about());
        if let Some(cause) = there.row.cause() {
            ui.indent(("elsewhere", &there.device.device, &there.device.platform), |ui| {
                ui.label(RichText::new(cause.line_there()).weak()).on_hover_text(cause.evidence.join("\n"));
            });
        }
    }
}

/// The last question of a ladder, and its answer.
pub fn contrast_ui(ui: &mut Ui, state: &State, ladder: &'static Ladder, actions: &mut Vec<Action>) {
    let Some(contrast) = state.contrast(ladder) else { return };
    let there = contrast.there;
    let against = ladder.steps.iter().position(|step| step.key == there.row.against);
    let [step, against] = [Some(contrast.step), against].map(|index| index.and_then(|index| ladder.step_title(index)).unwrap_or_default());
    ui.add_space(space::MEDIUM);
    ui.label(RichText::new(text("window.elsewhere.question-head")).strong());
    ui.label(filled("window.elsewhere.question", &[("device", &there.device.name()), ("step", &step), ("against", &against)]))
        .on_hover_text(there.about());
    if let Some(told) = state.lesson.told_of(ladder.name, contrast.step) {
        ui.label(
            RichText::new(filled(
                "window.elsewhere.was-here",
                &[("words", &units::outcome(&told.compared.comparison, told.compared.busy))],
            ))
            .weak(),
        );
    }
    let Some(guess) = contrast.guess else {
        ui.horizontal_wrapped(|ui| {
            for change in Change::ALL {
                if ui.add(Button::new(change.label())).clicked() {
                    actions.push(Action::Lesson(Answer::Contrast(change)));
                }
            }
        });
        ui.label(RichText::new(text("window.elsewhere.not-counted")).weak());
        return;
    };
    ui.label(RichText::new(there.line()).strong()).on_hover_text(there.about());
    axis_ui(ui, Some(guess), &there.row.comparison);
    let key = match apart(&[guess], &there.row.truth()) {
        Some(0) => "window.lesson.right",
        Some(1) => "window.lesson.next-to",
        _ => "window.elsewhere.otherwise",
    };
    ui.label(filled(key, &[("guess", &guess.label())]));
    reasons_ui(ui, &there.row.reasons(), Reason::line_there);
}

#[cfg(test)]
mod tests {
    use crate::app::lesson::Answer;
    use crate::app::lesson::tests::{begun, lesson, next, outcome};
    use crate::app::state::State;
    use crate::testing::compared_as;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;
    use engine::device::{DeviceInfo, DeviceKind};
    use kernels::filters::{self, Ladder};
    use model::measure::{Comparison, Verdict};
    use study::claims::elsewhere::{DeviceClaims, StepThere};
    use study::predict::Change;

    fn ladder() -> &'static Ladder {
        filters::by_name("laplace").expect("laplace").ladder("mali-t600").expect("its ladder")
    }

    fn row(step: usize, verdict: Verdict, [low, ratio, high]: [f64; 3]) -> StepThere {
        let compared = compared_as(Comparison { ratio, low, high, verdict, starts: 1 });
        let (own, ladder) = (&ladder().steps[step], ladder());
        let against = &ladder.steps[own.claim.expect("a claim").against].key;
        StepThere::of([ladder.name, &own.key, against], own.variant(), [64, 64], &compared, &[])
    }

    /// The example device itself, a second GPU and a CPU.
    fn devices() -> &'static [DeviceClaims] {
        let measured = |info: &DeviceInfo, steps: &[StepThere]| {
            let mut claims = DeviceClaims::new(info, "0.1.0", "2026-11-21T20:19:46Z");
            claims.steps = steps.to_vec();
            claims
        };
        let named = |name: &str, kind| DeviceInfo { name: name.into(), platform: String::new(), kind, ..DeviceInfo::example() };
        let like = [row(1, Verdict::Faster, [1.6, 1.7, 1.8]), row(2, Verdict::Slower, [0.8, 0.81, 0.82])];
        let other = [row(1, Verdict::Slower, [0.5, 0.51, 0.52]), row(2, Verdict::Same, [0.99, 1.0, 1.01])];
        Box::leak(Box::new([
            measured(&DeviceInfo::example(), &like),
            measured(&named("Second GPU", DeviceKind::Gpu), &like),
            measured(&named("A processor", DeviceKind::Cpu), &other),
        ]))
    }

    #[test]
    fn other_devices_are_told_of_and_the_last_question_is_the_step_that_contradicts_most() {
        let mut state = begun();
        state.elsewhere = devices();
        let names: Vec<_> = state.step_elsewhere(ladder(), 1).iter().map(super::There::line).collect();
        assert_eq!(names, ["On A processor: 0.510× (0.500–0.520)", "On Second GPU: 1.70× (1.60–1.80)"]);
        assert!(state.contrast(ladder()).is_none(), "nothing was seen here yet");
        let _ = next(&mut state);
        for change in [[1.6, 1.7, 1.8], [1.1, 1.2, 1.3]] {
            let _ = lesson(&mut state, Answer::Guess(Change::Faster));
            outcome(&mut state, Verdict::Faster, change);
            let _ = next(&mut state);
        }
        let asked = state.contrast(ladder()).expect("a question");
        assert_eq!((asked.step, asked.there.device.name().as_str(), asked.guess), (1, "A processor", None));
        let held: Vec<_> = state.step_elsewhere(ladder(), 1).iter().map(|there| state.is_held_back(ladder(), 1, there)).collect();
        assert_eq!(held, [true, false], "not told before it is asked");
        let _ = lesson(&mut state, Answer::Contrast(Change::Slower));
        // The first answer stands.
        let _ = lesson(&mut state, Answer::Contrast(Change::Faster));
        let answered = state.contrast(ladder()).expect("the same");
        assert_eq!((answered.step, answered.guess), (1, Some(Change::Slower)));
        assert_eq!(state.lesson.contrasts.len(), 1);
    }

    #[test]
    fn a_step_that_was_compared_with_another_one_there_is_not_told() {
        let mut state = begun();
        let mut claims = devices()[2].clone();
        claims.steps[0].against = "short16".into();
        state.elsewhere = Box::leak(Box::new([claims]));
        assert!(state.step_elsewhere(ladder(), 1).is_empty());
        assert_eq!(state.step_elsewhere(ladder(), 2).len(), 1);
    }

    #[test]
    fn the_last_question_is_answered_with_a_button_and_then_told() {
        let mut state = begun();
        state.elsewhere = devices();
        let _ = next(&mut state);
        let _ = lesson(&mut state, Answer::Guess(Change::Faster));
        outcome(&mut state, Verdict::Faster, [1.6, 1.7, 1.8]);
        let draw = |ui: &mut egui::Ui, state: &mut State| {
            let mut actions = Vec::new();
            super::elsewhere_ui(ui, state, ladder(), 1);
            super::contrast_ui(ui, state, ladder(), &mut actions);
            for action in actions {
                let _ = state.apply(action);
            }
        };
        let mut harness = Harness::builder().with_size(egui::vec2(700.0, 600.0)).build_ui_state(draw, state);
        harness.run();
        let there = "On A processor: 0.510× (0.500–0.520)";
        assert!(harness.query_by_label("On A processor: question at the end of the ladder").is_some());
        assert!(harness.query_by_label("On Second GPU: 1.70× (1.60–1.80)").is_some());
        assert!(harness.query_by_label(there).is_none(), "not before it is answered");
        harness.get_by_label(Change::MuchSlower.label()).click();
        harness.run();
        assert_eq!(harness.query_all_by_label(there).count(), 2, "in the list and as the answer");
        assert!(harness.query_by_label("Your prediction, much slower, is correct").is_some());
    }
}
