//! *Test this explanation*: the experiment beside a reason, and what came of it.

use super::action::Action;
use super::state::{Effect, Job, State};
use super::theme::space;
use crate::engine::Task;
use crate::measure::Comparison;
use crate::model::{Budget, Contender};
use crate::plot::units;
use crate::study::experiment::{self, Planned, PutToTest, Tested, telling};
use crate::texts::{Words, find, text};
use crate::why::{self, Facts, Reason};
use crate::worker::Bench;
use egui::{Align2, Color32, FontId, Pos2, Rect, RichText, Sense, Stroke, Ui, Vec2};

/// Experiments of this session, the newest last.
#[derive(Clone, Debug, Default)]
pub struct Experiments(Vec<Asked>);

#[derive(Clone, Debug)]
struct Asked {
    /// The bench; 0 where there is none.
    id: u64,
    pair: (Task, Task),
    rule: String,
    stand: Stand,
}

/// How far an experiment is.
#[derive(Clone, Debug)]
pub enum Stand {
    /// It runs.
    Running,
    /// It was stopped, or failed.
    Ended,
    /// What it says; or why it cannot be made.
    Told(Result<Tested, Words>),
}

/// No session looks back on more.
const MOST: usize = 100;

impl Experiments {
    /// How the newest experiment on a rule for these two stands.
    #[must_use]
    pub fn of(&self, pair: &(Task, Task), rule: &str) -> Option<&Stand> {
        self.0.iter().rev().find(|asked| asked.pair == *pair && asked.rule == rule).map(|asked| &asked.stand)
    }

    /// Whether a bench is one.
    #[must_use]
    pub fn is_of(&self, id: u64) -> bool {
        self.0.iter().any(|asked| asked.id == id)
    }

    /// Takes what one says.
    pub(super) fn take(&mut self, id: u64, tested: Result<Tested, Words>) {
        if let Some(asked) = self.0.iter_mut().find(|asked| asked.id == id) {
            asked.stand = Stand::Told(tested);
        }
    }

    /// One has come to its end, or all have where none is named.
    pub(super) fn end(&mut self, id: Option<u64>) {
        for asked in self.0.iter_mut().filter(|asked| id.is_none_or(|id| asked.id == id)) {
            if matches!(asked.stand, Stand::Running) {
                asked.stand = Stand::Ended;
            }
        }
    }

    fn push(&mut self, asked: Asked) {
        self.0.push(asked);
        if self.0.len() > MOST {
            self.0.remove(0);
        }
    }
}

impl State {
    /// Puts a rule's explanation of how two compare to the test.
    pub(super) fn test_reason(&mut self, pair: &(Task, Task), rule: &str) -> Vec<Effect> {
        let asked = |id, stand| Asked { id, pair: pair.clone(), rule: rule.to_owned(), stand };
        match self.experiment(pair, rule) {
            Err(why) => {
                self.experiments.push(asked(0, Stand::Told(Err(why))));
                Vec::new()
            }
            Ok(experiment) => {
                let id = self.post(Job::Bench(text("experiments.window.job").to_owned()));
                self.experiments.push(asked(id, Stand::Running));
                vec![Effect::Bench(Bench { id, study: Box::new(experiment), budget: Budget::default() })]
            }
        }
    }

    fn experiment(&self, pair: &(Task, Task), rule: &str) -> Result<Planned, Words> {
        let missing = || Words::text("experiments.none.unclear");
        let compared = self.compared(&pair.0, &pair.1).ok_or_else(missing)?;
        let device = self.device_of(&pair.1).ok_or_else(missing)?;
        let local = |task: &Task| match self.history.newest_of(task)?.record.contender {
            Contender::Device { local_used, .. } => local_used,
            Contender::Cpu { .. } => None,
        };
        let locals = [local(&pair.0), local(&pair.1)];
        Planned::new(
            rule,
            self.lesson.facts_of(pair).unwrap_or(&Facts::default()),
            &experiment::Pair { device, tasks: [&pair.0, &pair.1], locals, compared },
        )
    }

    /// The reasons that are left to say: after one that was refuted the next that holds.
    #[must_use]
    pub fn reasons_left(&self, pair: &(Task, Task), first: &[Reason]) -> Vec<Reason> {
        let is_refuted = |reason: &Reason| matches!(self.experiments.of(pair, &reason.rule), Some(Stand::Told(Ok(tested))) if tested.conclusion == experiment::Conclusion::Refuted);
        if !first.iter().any(is_refuted) {
            return first.to_vec();
        }
        let Some((compared, facts)) = self.compared(&pair.0, &pair.1).zip(self.lesson.facts_of(pair)) else { return first.to_vec() };
        let mut left: Vec<Reason> = Vec::new();
        for reason in why::candidates(compared.comparison.verdict.into(), facts) {
            if !left.iter().any(|known| known.part == reason.part && !is_refuted(known)) {
                left.push(reason);
            }
        }
        left
    }
}

/// Beside a reason: the button, with what the experiment should show; then what it says, and the figure.
pub fn test_ui(ui: &mut Ui, state: &State, pair: &(Task, Task), reason: &Reason, actions: &mut Vec<Action>) {
    let Some(definition) = experiment::of_rule(&reason.rule).next() else { return };
    match state.experiments.of(pair, &reason.rule) {
        None | Some(Stand::Ended) => {
            let expected = telling::expectations(&definition.id).unwrap_or_default();
            let hover = format!("{}\n{}\n{}", definition.does(), expected[0], expected[1]);
            if ui.button(text("experiments.window.test")).on_hover_text(hover).clicked() {
                actions.push(Action::TestReason(Box::new(pair.clone()), reason.rule.clone()));
            }
        }
        Some(Stand::Running) => drop(ui.weak(text("experiments.window.running"))),
        Some(Stand::Told(told)) => {
            let put = PutToTest { reason: reason.clone(), tested: told.clone() };
            let mut lines = telling::lines(&put).into_iter().skip(1);
            ui.label(RichText::new(lines.next().unwrap_or_default()).strong());
            if let Ok(tested) = told {
                figure_ui(ui, tested);
            }
        }
    }
}

/// Height of a row of the figure.
const ROW_POINTS: f32 = 18.0;

/// Width of the bars, and of the names before them.
const BAR_POINTS: f32 = 160.0;
const NAME_POINTS: f32 = 250.0;

/// The two variants, and the two with the cause moved: ratios with their intervals on one logarithmic axis.
fn figure_ui(ui: &mut Ui, tested: &Tested) {
    let arms =
        tested.arms.iter().filter_map(|arm| Some((find(&format!("experiments.arm.{}", arm.name)).unwrap_or_default(), arm.comparison?)));
    let rows: Vec<(&str, Comparison)> = std::iter::once((text("experiments.window.as-measured"), tested.effect)).chain(arms).collect();
    let ends = rows.iter().flat_map(|(_, comparison)| [comparison.low, comparison.high]).filter(|end| *end > 0.0).map(f64::ln);
    let (low, high) = ends.fold((-0.1, 0.1), |(low, high): (f64, f64), end| (low.min(end), high.max(end)));
    let size = Vec2::new(ui.available_width().min(NAME_POINTS + BAR_POINTS + 150.0), ROW_POINTS * rows.len() as f32);
    let (area, response) = ui.allocate_exact_size(size, Sense::hover());
    let (painter, ink, weak) = (ui.painter_at(area), ui.visuals().text_color(), ui.visuals().weak_text_color());
    let accent = ui.visuals().hyperlink_color;
    let font = FontId::proportional(12.5);
    let place = |value: f64| area.left() + NAME_POINTS + BAR_POINTS * ((value - low) / (high - low)) as f32;
    let one = place(0.0);
    painter.line_segment([Pos2::new(one, area.top()), Pos2::new(one, area.bottom())], Stroke::new(1.0, weak));
    for (index, (name, comparison)) in rows.iter().enumerate() {
        let middle = area.top() + ROW_POINTS * (index as f32 + 0.5);
        let color: Color32 = if index == 0 { ink } else { accent };
        painter.text(Pos2::new(area.left(), middle), Align2::LEFT_CENTER, name, font.clone(), ink);
        if comparison.low > 0.0 {
            let [left, right] = [comparison.low, comparison.high].map(|end| place(end.ln()));
            painter.line_segment([Pos2::new(left, middle), Pos2::new(right, middle)], Stroke::new(2.0, color));
            painter.rect_filled(Rect::from_center_size(Pos2::new(place(comparison.ratio.ln()), middle), Vec2::splat(5.0)), 1.0, color);
        }
        let ratio = units::comparison(comparison);
        painter.text(
            Pos2::new(area.left() + NAME_POINTS + BAR_POINTS + space::SMALL, middle),
            Align2::LEFT_CENTER,
            ratio,
            font.clone(),
            color,
        );
    }
    let lines = tested.arms.iter().map(telling::arm).collect::<Vec<_>>().join("\n");
    response.on_hover_text(lines);
}

#[cfg(test)]
mod tests {
    use super::{Experiments, Stand};
    use crate::app::action::Action;
    use crate::app::settings::Settings;
    use crate::app::state::{Effect, State};
    use crate::device::DeviceInfo;
    use crate::engine::{PictureRef, Target, Task};
    use crate::image::Picture;
    use crate::measure::{Comparison, Verdict};
    use crate::model::{Channels, HostMemory, LocalSize, Variant};
    use crate::study::experiment::{Conclusion, Tested};
    use crate::testing::compared_as;
    use crate::testing::sessions::news;
    use crate::worker::Update;
    use std::sync::Arc;

    fn pair() -> (Task, Task) {
        let picture = PictureRef::new(Arc::new(Picture::from_fn(64, 64, Channels::Rgb, |_, _, _| 0)));
        let of = |variant: &str| {
            let variant = Variant::parse(variant).expect("known");
            let target = Target::Device { index: 0, variant, local: LocalSize::Explicit([16, 4]), host_memory: HostMemory::Copy };
            Task::new(picture.clone(), target)
        };
        (of("coalesced+padded"), of("coalesced+padded+vectorize=5"))
    }

    #[test]
    fn a_test_of_a_reason_runs_and_is_told() {
        let mut state = State::new(Settings::default());
        let _ = news(&mut state, Update::Devices(Ok(vec![DeviceInfo::example()])));
        let pair = pair();
        let comparison = Comparison { ratio: 2.0, low: 1.9, high: 2.1, verdict: Verdict::Faster, starts: 1 };
        let _ = news(&mut state, Update::Compared { id: 77, pair: Box::new(pair.clone()), compared: compared_as(comparison) });
        let effects = state.apply(Action::TestReason(Box::new(pair.clone()), "fewer-loads".to_owned()));
        let [Effect::Bench(bench)] = effects.as_slice() else { panic!("{effects:?}") };
        assert!(matches!(state.experiments.of(&pair, "fewer-loads"), Some(Stand::Running)));
        let id = bench.id;
        // What it compares on the way is no comparison of the person's.
        let before = state.compared.len();
        let _ = news(&mut state, Update::Compared { id, pair: Box::new(pair.clone()), compared: compared_as(comparison) });
        assert_eq!(state.compared.len(), before);
        let tested = Tested { experiment: "saved-loads".to_owned(), effect: comparison, arms: Vec::new(), conclusion: Conclusion::Refuted };
        let _ = news(&mut state, Update::Tested { id, tested: Box::new(Ok(tested)) });
        let _ = news(&mut state, Update::Finished { id, result: Ok(()) });
        assert!(
            matches!(state.experiments.of(&pair, "fewer-loads"), Some(Stand::Told(Ok(tested))) if tested.conclusion == Conclusion::Refuted)
        );
        // One that cannot be made says why at once.
        assert!(state.apply(Action::TestReason(Box::new(pair.clone()), "same-code".to_owned())).is_empty());
        assert!(matches!(state.experiments.of(&pair, "same-code"), Some(Stand::Told(Err(_)))));
        assert!(!Experiments::default().is_of(id));
    }
}
