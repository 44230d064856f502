//! Draws *Test this explanation*: the button, the question what the experiment will show, and its result.

use super::action::Action;
use super::experiments::{Asked, Stand, Testing};
use super::state::State;
use super::theme::{self, space};
use super::workspace::Workspace;
use base::texts::{Words, filled, find, text};
use egui::{Button, Color32, FontId, Label, Pos2, Rect, RichText, Sense, Stroke, Ui, Vec2};
use engine::Task;
use model::measure::Comparison;
use study::Expected;
use study::experiment::{self, Definition, Tested, telling};
use study::why::Reason;
use view::plot::units;

/// Beside a reason: the button, with what the experiment should show; then the question, and the result.
pub fn test_ui(ui: &mut Ui, state: &State, pair: &(Task, Task), reason: &Reason, actions: &mut Vec<Action>) {
    let facts = state.lesson.facts_of(pair).unwrap_or(&reason.facts);
    let Some(definition) = experiment::likely(&reason.rule, facts) else { return };
    let mut test = |testing| actions.push(Action::TestReason(Box::new(pair.clone()), reason.rule.clone(), testing));
    match state.experiments.of(pair, &reason.rule) {
        None | Some(Asked { stand: Stand::Ended, .. }) => {
            let expected = telling::expectations(&definition.id).unwrap_or_default();
            let hover = format!("{}\n{}\n{}", definition.does(), expected[0], expected[1]);
            if ui.button(text("experiments.window.test")).on_hover_text(hover).clicked() {
                // Who tunes is never asked.
                let is_tuning = state.settings.workspaces.now == Workspace::Tune;
                test(if is_tuning { Testing::Run(None) } else { Testing::Ask });
            }
        }
        Some(Asked { stand: Stand::Asked, .. }) => question_ui(ui, definition, |expected| test(Testing::Run(expected))),
        Some(asked) => {
            result_ui(ui, asked, definition);
        }
    }
}

/// What is done, and the question what it will show: `answer` takes the answer, or `None` where the person just runs it.
pub fn question_ui(ui: &mut Ui, definition: &Definition, mut answer: impl FnMut(Option<Expected>)) {
    ui.label(filled("experiments.would", &[("does", &definition.does())]));
    ui.label(RichText::new(text("experiments.ask.question")).strong());
    for expected in Expected::answers(definition) {
        if ui.add(Button::new(capitalized(expected.text(definition))).wrap()).clicked() {
            answer(Some(expected));
        }
    }
    let run = ui.button(text("experiments.ask.just-run")).on_hover_text(text("experiments.ask.just-run-about"));
    if is_new(ui, &definition.id) {
        // All answers are to be seen at once.
        run.scroll_to_me(None);
    }
    if run.clicked() {
        answer(None);
    }
}

/// Whether this was not drawn in the frame before.
fn is_new(ui: &Ui, name: &str) -> bool {
    let (id, now) = (ui.scope_id().with(name), ui.ctx().cumulative_frame_nr());
    let before = ui.data_mut(|data| std::mem::replace(data.get_temp_mut_or_default::<u64>(id), now));
    now > before + 1
}

/// How an experiment that was asked for stands: what it says once it is over, with the mark of the person's answer. Whether it is over.
pub fn result_ui(ui: &mut Ui, asked: &Asked, definition: &Definition) -> bool {
    match &asked.stand {
        Stand::Comparing => drop(ui.weak(text("experiments.window.comparing"))),
        Stand::Running => drop(ui.weak(text("experiments.window.running"))),
        Stand::Asked | Stand::Ended => {}
        Stand::Told(told) => {
            let line = told.as_ref().map_or_else(|why| filled("experiments.not-tested", &[("why", why)]), telling::sentence);
            ui.label(RichText::new(line).strong());
            mark_ui(ui, asked.expected, told, definition);
            if let Ok(tested) = told {
                figure_ui(ui, tested);
            }
            return true;
        }
    }
    if let Some(expected) = asked.expected {
        ui.weak(filled("experiments.ask.you-chose", &[("answer", &expected.text(definition))]));
    }
    false
}

/// The answer as right, wrong or neither. What was not tested, or by another experiment than the person was asked about, marks none.
fn mark_ui(ui: &mut Ui, expected: Option<Expected>, told: &Result<Tested, Words>, definition: &Definition) {
    let Some(expected) = expected else { return };
    let tested = told.as_ref().ok().filter(|tested| tested.experiment == definition.id);
    let is_right = tested.and_then(|tested| expected.is_right(tested.conclusion));
    let key = match is_right {
        Some(true) => "lessons.item.right-chosen",
        Some(false) => "experiments.ask.wrong",
        None => "experiments.ask.not-marked",
    };
    let line = RichText::new(filled(key, &[("answer", &expected.text(definition))]));
    ui.label(if is_right == Some(true) { line.color(theme::right(ui.visuals().dark_mode)) } else { line });
}

/// A clause as a sentence begins.
fn capitalized(clause: &str) -> String {
    let mut letters = clause.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Height of a row of the figure, under its name.
const ROW_POINTS: f32 = 16.0;

/// Size of its text.
const TEXT_POINTS: f32 = 12.5;

/// Its greatest width, and the least of its axis.
const MOST_POINTS: f32 = 560.0;
const LEAST_BAR_POINTS: f32 = 60.0;

/// The two variants, and the two with the cause moved: ratios with their intervals on one logarithmic axis.
fn figure_ui(ui: &mut Ui, tested: &Tested) {
    let arms = tested.arms.iter().filter_map(|arm| {
        Some((find(&format!("experiments.arm.{}", arm.name)).unwrap_or_default(), arm.comparison?, Some(telling::arm(arm))))
    });
    let rows: Vec<(&str, Comparison, Option<String>)> =
        std::iter::once((text("experiments.window.as-measured"), tested.effect, None)).chain(arms).collect();
    let ends = rows.iter().flat_map(|(_, comparison, _)| [comparison.low, comparison.high]).filter(|end| *end > 0.0).map(f64::ln);
    let (low, high) = ends.fold((-0.1, 0.1), |(low, high): (f64, f64), end| (low.min(end), high.max(end)));
    let (ink, weak, accent) = (ui.visuals().text_color(), ui.visuals().weak_text_color(), ui.visuals().hyperlink_color);
    let font = FontId::proportional(TEXT_POINTS);
    // The text of a ratio has the room that it needs, and the intervals what is left.
    let ratios: Vec<_> = rows
        .iter()
        .enumerate()
        .map(|(index, (_, comparison, _))| {
            let color: Color32 = if index == 0 { ink } else { accent };
            (ui.painter().layout_no_wrap(units::comparison(comparison), font.clone(), color), color)
        })
        .collect();
    let widest = ratios.iter().map(|(ratio, _)| ratio.size().x).fold(0.0, f32::max);
    let width = (ui.available_width() - space::LARGE).min(MOST_POINTS);
    let bars = (width - widest - space::SMALL).max(LEAST_BAR_POINTS);
    for ((name, comparison, told), (ratio, color)) in rows.iter().zip(ratios) {
        ui.add(Label::new(RichText::new(*name).size(TEXT_POINTS)).wrap());
        let (area, response) = ui.allocate_exact_size(Vec2::new(width, ROW_POINTS), Sense::hover());
        let (painter, middle) = (ui.painter(), area.center().y);
        let place = |value: f64| area.left() + bars * ((value - low) / (high - low)) as f32;
        painter.line_segment([Pos2::new(place(0.0), area.top()), Pos2::new(place(0.0), area.bottom())], Stroke::new(1.0, weak));
        if comparison.low > 0.0 {
            let [left, right] = [comparison.low, comparison.high].map(|end| place(end.ln()));
            painter.line_segment([Pos2::new(left, middle), Pos2::new(right, middle)], Stroke::new(2.0, color));
            painter.rect_filled(Rect::from_center_size(Pos2::new(place(comparison.ratio.ln()), middle), Vec2::splat(5.0)), 1.0, color);
        }
        let corner = Pos2::new(area.left() + bars + space::SMALL, middle - ratio.size().y / 2.0);
        painter.galley(corner, ratio, color);
        if let Some(told) = told {
            response.on_hover_text(told);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::test_ui;
    use crate::app::action::Action;
    use crate::app::experiments::Testing;
    use crate::app::settings::Settings;
    use crate::app::state::State;
    use crate::app::workspace::Workspace;
    use base::texts::text;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;
    use engine::{PictureRef, Target, Task};
    use model::{Channels, CpuEngine};
    use study::why::{Facts, recall};

    #[test]
    fn who_tunes_is_not_asked_what_an_experiment_will_show() {
        let task = Task::new(PictureRef::generated((8, 8), Channels::Rgb), Target::Cpu(CpuEngine::Scalar));
        let pair = (task.clone(), task);
        let mut facts = Facts::default();
        facts.set("before.loads", 27.0);
        facts.set("after.loads", 9.0);
        let reason = recall("fewer-loads", &facts).expect("a rule");
        for (workspace, testing) in [(Workspace::Learn, Testing::Ask), (Workspace::Tune, Testing::Run(None))] {
            let mut state = State::new(Settings::default());
            state.settings.workspaces.now = workspace;
            let mut actions = Vec::new();
            let mut harness = Harness::new_ui(|ui| test_ui(ui, &state, &pair, &reason, &mut actions));
            harness.get_by_label(text("experiments.window.test")).click();
            harness.run();
            drop(harness);
            assert!(
                matches!(actions.as_slice(), [Action::TestReason(_, rule, asked)] if rule == "fewer-loads" && *asked == testing),
                "{actions:?}"
            );
        }
    }
}
