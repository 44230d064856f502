//! The panel of compiled code: what the driver's compiler made of the kernel that ran, beside what it made of another variant.
//!
//! The worker looks and compares; here it is drawn. Counts are facts of the code, and no time follows from them.

mod code;
mod counts;
mod lexer;
mod lines;
mod looks;
mod panes;

pub use looks::Looks;
pub(super) use looks::{against, is_at_rest};

use super::action::Action;
use super::labels;
use super::source_panel::against_ui;
use super::state::State;
use super::theme::{right, space};
use super::widgets::segments;
use crate::runner::{Look, Looked, LookedKernel};
use base::texts::{filled, joined, text};
use code::{Drawn, difference_ui, listing_ui};
use counts::table_ui;
use egui::{Color32, Label, RichText, TextStyle, Ui};
use engine::compiled::{CodeComparison, Compiled, Kernel, Sameness};
use engine::{KernelText, Target, Task};
use kernels::filters;
use model::{CompiledKernel, Counted, Labelled, LocalSize, local_label};
use panes::{Linked, both_ui, source_ui};
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::sync::Arc;
use study::why::{self, Facts};

/// What of this panel is saved. What it compares with is the source panel's choice. A change is queued as [`Action::SetCompiled`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CompiledSettings {
    /// What is shown.
    pub view: View,
    /// The piece of the kernel that is counted; `None` for the one that runs for each work-item.
    pub counted: Option<Counted>,
    /// In the difference, show the lines far from any change, too.
    pub all_lines: bool,
}

/// Ways to look at code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum View {
    /// Instructions by what they do.
    #[default]
    Counts,
    /// The code.
    Listing,
    /// The source, and the code that was made of it.
    Source,
    /// The other variant's code, and this one's.
    Both,
    /// What differs from the other variant's.
    Difference,
}

/// What this panel keeps between frames.
#[derive(Default)]
pub struct CompiledPanel {
    /// Which of several kernels, by its place.
    kernel: usize,
    drawn: Option<Drawn>,
    linked: Linked,
}

/// Width of the choice of the other variant: beside the views in the narrowest usual tile.
const AGAINST_POINTS: f32 = 160.0;

/// Draws the panel into all of `ui`.
pub fn compiled_ui(ui: &mut Ui, panel: &mut CompiledPanel, state: &State, actions: &mut Vec<Action>) {
    let Some(shown) = &state.shown else {
        ui.label(text("code.panel.none"));
        return;
    };
    if let Target::Cpu(engine) = shown.task.target {
        let key = if state.device_list().is_empty() { "code.panel.on-cpu-alone" } else { "code.panel.on-cpu" };
        ui.label(filled(key, &[("engine", &engine.label())]));
        return;
    }
    // A kernel that the person edits stands beside the variant's own.
    let edited = state.edited_to_look_at();
    let task = edited.as_ref().unwrap_or(&shown.task);
    let against = match &edited {
        Some(edited) => Ok(Task { text: KernelText::Composed, ..edited.clone() }),
        None => looks::against(state, &shown.task, &state.settings.source.against),
    };
    let with_lines = matches!(state.settings.compiled.view, View::Listing | View::Source);
    let look = Look { task: task.clone(), against: against.as_ref().ok().cloned(), with_lines };
    if looks::is_at_rest(state) && state.looks.is_new(&look) {
        actions.push(Action::Look(Box::new(look.clone())));
    }
    // While the answer is awaited, what is known of this variant stays on the screen.
    let looked = state.looks.found(&look).or_else(|| state.looks.newest_of(task));
    settings_ui(ui, panel, state, (looked, edited.is_some()), actions);
    match looked {
        None => {
            ui.label(text("code.panel.looking"));
        }
        Some(looked) => {
            let why_alone = against.err();
            // Until the answer is there, an older one has neither lines nor this other variant.
            let is_answer = looked.look.covers(&look);
            looked_ui(ui, panel, state, (looked, is_answer), why_alone.as_deref(), actions);
        }
    }
}

/// The choices: what is shown, of which kernel, and beside what, unless that is fixed because the kernel is edited.
fn settings_ui(
    ui: &mut Ui,
    panel: &mut CompiledPanel,
    state: &State,
    (looked, is_edited): (Option<&Arc<Looked>>, bool),
    actions: &mut Vec<Action>,
) {
    let mut settings = state.settings.compiled.clone();
    let mut source = state.settings.source.clone();
    ui.horizontal_wrapped(|ui| {
        let views = [
            (View::Counts, text("code.panel.counts"), labels::code_counts()),
            (View::Listing, text("code.panel.listing"), labels::code_listing()),
            (View::Source, text("code.panel.source"), labels::code_source()),
            (View::Both, text("code.panel.both"), labels::code_both()),
            (View::Difference, text("code.panel.difference"), labels::code_difference()),
        ];
        let views = views.map(|(view, word, label)| (view, word.to_owned(), label.to_owned()));
        if let Some(chosen) = segments(ui, Some(settings.view), views.into_iter()) {
            settings.view = chosen;
        }
        if !is_edited {
            against_ui(ui, state, &mut source, AGAINST_POINTS);
        }
        let kernels = looked.map_or(&[][..], |looked| looked.kernels.as_slice());
        panel.kernel = panel.kernel.min(kernels.len().saturating_sub(1));
        if kernels.len() > 1 {
            let names = kernels
                .iter()
                .enumerate()
                .map(|(index, kernel)| (index, kernel.name.clone(), filled("code.panel.kernel", &[("name", &kernel.name)])));
            if let Some(chosen) = segments(ui, Some(panel.kernel), names) {
                panel.kernel = chosen;
            }
        }
    });
    if settings != state.settings.compiled {
        actions.push(Action::SetCompiled(settings));
    }
    if source != state.settings.source {
        actions.push(Action::SetSource(source));
    }
}

fn looked_ui(
    ui: &mut Ui,
    panel: &mut CompiledPanel,
    state: &State,
    (looked, is_answer): (&Arc<Looked>, bool),
    why_alone: Option<&str>,
    actions: &mut Vec<Action>,
) {
    let compiled = match &looked.compiled {
        Ok(compiled) => compiled,
        Err(error) => {
            ui.label(filled("code.panel.no-code", &[("why", &error.why)])).on_hover_text(error.to_string());
            return;
        }
    };
    ui.spacing_mut().item_spacing.y = 2.0;
    let names = names(&looked.look);
    verdict_ui(ui, looked, &names, why_alone);
    origin_ui(ui, looked, compiled);
    control_ui(ui, state, looked);
    ui.add_space(space::SMALL);
    let Some((kernel, compiled_kernel)) = looked.kernels.get(panel.kernel).zip(compiled.kernels.get(panel.kernel)) else { return };
    if let Err(why) = &compiled_kernel.code {
        no_code_ui(ui, compiled_kernel, why);
        if let Some(known) = &kernel.counts {
            known_ui(ui, kernel, known, &names, Counted::Whole);
        }
        return;
    }
    match state.settings.compiled.view {
        View::Counts => counts_ui(ui, state, kernel, &names, actions),
        View::Listing => {
            let is_new = panel.draw(looked, state);
            listing_ui(ui, kernel, is_new);
        }
        View::Source | View::Both if !is_answer => drop(ui.label(text("code.panel.looking"))),
        View::Source => {
            let is_new = panel.draw(looked, state);
            source_ui(ui, panel, kernel, is_new);
        }
        View::Both => {
            let is_new = panel.draw(looked, state);
            both_ui(ui, kernel, &names, is_new);
        }
        View::Difference => {
            let is_new = panel.draw(looked, state);
            difference_ui(ui, panel, state, kernel, is_new, actions);
        }
    }
}

/// What the two variants are called: by their stages; where sizes, channels or borders differ, by these, too.
fn names(look: &Look) -> (Option<String>, String) {
    let against = look.against.as_ref();
    let is_other_local = against.is_some_and(|against| against.local() != look.task.local());
    let is_other_spec = against.is_some_and(|against| against.spec != look.task.spec);
    let name = |task: &Task| {
        let mut parts = match task.target {
            Target::Device { variant, .. } if !task.text.is_composed() => vec![filled("code.panel.edited", &[("variant", &variant)])],
            Target::Device { variant, .. } => vec![variant.to_string()],
            Target::Cpu(engine) => vec![engine.label().to_owned()],
        };
        if is_other_local {
            parts.push(match task.local() {
                Some(LocalSize::Explicit(size)) => local_label(size),
                _ => text("code.panel.drivers-local").to_owned(),
            });
        }
        if is_other_spec {
            parts.push(filters::spec_text(&task.spec));
        }
        joined("words.list.items", parts)
    };
    (against.map(name), name(&look.task))
}

/// Whether the two are the same code, in a sentence.
fn verdict(comparison: &CodeComparison, other: &str) -> String {
    let told = |key| filled(key, &[("other", &other)]);
    comparison.with_launch(match &comparison.sameness {
        _ if comparison.is_same_text && comparison.is_same_local => told("code.panel.nothing-to-do"),
        _ if comparison.is_same_text => told("code.panel.same-source"),
        Ok(Sameness::Same) => told("code.panel.same"),
        Ok(Sameness::SameButFor(1)) => told("code.panel.same-but-for-one"),
        Ok(Sameness::SameButFor(count)) => filled("code.panel.same-but-for", &[("other", &other), ("count", count)]),
        Ok(Sameness::Different) => told("code.panel.different"),
        Err(why) => filled("code.panel.unknown", &[("other", &other), ("why", why)]),
    })
}

fn verdict_ui(ui: &mut Ui, looked: &Looked, names: &(Option<String>, String), why_alone: Option<&str>) {
    let is_dark = ui.visuals().dark_mode;
    let other = names.0.as_deref().unwrap_or("");
    let (words, ink) = match (&looked.comparison, &looked.against, why_alone) {
        (Some(comparison), ..) if comparison.is_same_code() => (verdict(comparison, other), right(is_dark)),
        (Some(comparison), ..) => (verdict(comparison, other), ui.visuals().text_color()),
        (None, Some(Err(error)), _) => {
            (filled("code.panel.not-compared", &[("other", &other), ("why", &error.why)]), ui.visuals().warn_fg_color)
        }
        (None, _, Some(why)) => (filled("code.panel.alone", &[("name", &names.1), ("why", &why)]), ui.visuals().text_color()),
        (None, ..) => (names.1.clone(), ui.visuals().text_color()),
    };
    let response = ui.add(Label::new(RichText::new(&words).strong().color(ink)).wrap());
    if looked.comparison.as_ref().is_some_and(|comparison| !comparison.is_same_launch) {
        response.on_hover_text(text("code.panel.launch-about"));
    }
}

/// Compiler and local size; on hover those of both.
fn origin_ui(ui: &mut Ui, looked: &Looked, compiled: &Compiled) {
    let own = compiled.origin.to_string();
    let both = looked.comparison.as_ref().filter(|comparison| comparison.origins[0] != comparison.origins[1]);
    let hover = both.map_or_else(
        || own.clone(),
        |comparison| format!("{own}\n{}", filled("code.panel.compared-with", &[("other", &comparison.origins[0])])),
    );
    // What a person changes here comes first: the line may be cut.
    let local = counts::capitalized(&compiled.origin.local_text());
    let words = filled("code.panel.origin", &[("local", &local), ("driver", &compiled.origin.driver)]);
    ui.add(Label::new(RichText::new(words).small().weak()).truncate()).on_hover_text(hover);
}

/// Two that do the same work are a test of the stopwatch: what their timings say, and whose difference that is.
fn control_ui(ui: &mut Ui, state: &State, looked: &Looked) {
    let Some((code, other)) = looked.comparison.as_ref().zip(looked.look.against.as_ref()).filter(|(code, _)| code.is_same_work()) else {
        return;
    };
    let Some(timed) = state.comparison(other, &looked.look.task) else { return };
    let mut facts = Facts::default();
    facts.add_code_comparison(code);
    facts.add_comparison(&timed, state.compared(other, &looked.look.task).map(|compared| compared.pairs.len()));
    for reason in why::explain(timed.verdict.into(), &facts) {
        ui.add(Label::new(RichText::new(reason.line()).small()).wrap()).on_hover_text(view::plot::units::comparison(&timed));
    }
}

fn no_code_ui(ui: &mut Ui, kernel: &Kernel, why: &str) {
    ui.label(filled("code.panel.no-code-of", &[("name", &kernel.name), ("why", &why)]));
    let queried = &kernel.queried;
    let values: [(&str, &dyn Display); 4] = [
        ("private", &queried.private_bytes),
        ("local", &queried.local_bytes),
        ("most", &queried.max_work_group_size),
        ("multiple", &queried.preferred_multiple),
    ];
    ui.label(filled("code.panel.queried", &values));
}

fn counts_ui(ui: &mut Ui, state: &State, kernel: &LookedKernel, names: &(Option<String>, String), actions: &mut Vec<Action>) {
    let Some(counts) = &kernel.counts else { return };
    let usual = counts.form.body();
    let usual = if counts.mix(usual).is_some() { usual } else { Counted::Whole };
    let counted = state.settings.compiled.counted.unwrap_or(usual);
    let about = || RichText::new(counted.about()).small().weak();
    let is_said = ui.horizontal(|ui| {
        let pieces = Counted::ALL.map(|piece| {
            let control = filled("code.panel.piece-control", &[("counted", &labels::counted()), ("piece", &piece.label())]);
            (piece, counts::capitalized(piece.label()), control)
        });
        if let Some(chosen) = segments(ui, Some(counted), pieces.into_iter()) {
            // The usual piece is another one for another driver.
            let counted = Some(chosen).filter(|chosen| *chosen != usual);
            actions.push(Action::SetCompiled(CompiledSettings { counted, ..state.settings.compiled.clone() }));
        }
        let font = TextStyle::Small.resolve(ui.style());
        let width = ui.painter().layout_no_wrap(counted.about().to_owned(), font, Color32::PLACEHOLDER).size().x;
        let has_room = width <= ui.available_width();
        if has_room {
            ui.label(about());
        }
        has_room
    });
    if !is_said.inner {
        ui.label(about());
    }
    known_ui(ui, kernel, counts, names, counted);
}

fn known_ui(ui: &mut Ui, kernel: &LookedKernel, known: &CompiledKernel, names: &(Option<String>, String), counted: Counted) {
    match counts::rows(known, kernel.counts_before.as_ref(), counted) {
        Ok(rows) => table_ui(ui, (kernel.counts_before.as_ref().and(names.0.as_deref()), &names.1), &rows),
        Err(why) => drop(ui.label(why)),
    }
}

#[cfg(test)]
mod tests {
    use super::verdict;
    use engine::compiled::{CodeComparison, Sameness};

    fn said(is_same_text: bool, [is_same_local, is_same_launch]: [bool; 2], sameness: Result<Sameness, base::texts::Words>) -> String {
        let origins = ["".into(), "".into()];
        verdict(&CodeComparison { is_same_text, is_same_local, is_same_launch, sameness, origins }, "naive")
    }

    #[test]
    fn verdicts_are_sentences() {
        for (said, sentence) in [
            (said(true, [true; 2], Ok(Sameness::Same)), "No effect here: same source as naive except comments"),
            (said(true, [false; 2], Err("other groups".into())), "Same source as naive, launched differently"),
            (said(false, [true; 2], Ok(Sameness::Same)), "Same code as naive"),
            (said(false, [true, false], Ok(Sameness::Same)), "Same code as naive, launched differently"),
            (said(false, [true, false], Ok(Sameness::SameButFor(1))), "Same code as naive except 1 instruction"),
            (said(false, [true; 2], Ok(Sameness::SameButFor(3))), "Same code as naive except 3 instructions"),
            (said(false, [true; 2], Ok(Sameness::Different)), "Different code than naive"),
            (said(false, [true; 2], Err("no code".into())), "No code comparison with naive: no code"),
        ] {
            assert_eq!(said, sentence);
        }
    }
}
