//! The code itself: the listing, and what differs from the other variant's.

use super::lines::{Line, lines_ui};
use super::{CompiledPanel, CompiledSettings, View};
use crate::app::action::Action;
use crate::app::labels;
use crate::app::source_panel::kept;
use crate::app::state::State;
use crate::app::theme::accent;
use crate::runner::{Listing, Looked, LookedKernel};
use base::texts::{filled, text};
use egui::{Color32, Response, RichText, Sense, Ui, vec2};
use engine::compiled::{LineKind, ListingLine};
use kernels::kernel_source::{DiffLine, LineOp};
use model::Counted;
use std::sync::Arc;

/// What is derived from an answer, once.
pub struct Drawn {
    of: Arc<Looked>,
    kernel: usize,
    view: View,
    all_lines: bool,
    /// Lines of the difference that are shown, by their place; `None` for a gap.
    kept: Vec<Option<usize>>,
    /// The most characters that one of them has.
    longest: usize,
    /// The first of them that is in view at first.
    begin: Option<usize>,
}

/// Lines above the first one that matters when a listing opens: a gap and what stays around a change.
const LINES_ABOVE: usize = 4;

/// Draws the listing; `is_new` opens it at the hot block.
pub fn listing_ui(ui: &mut Ui, kernel: &LookedKernel, is_new: bool) {
    ui.horizontal_wrapped(|ui| {
        copy_ui(ui, || kernel.listing.lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n"));
        ui.label(RichText::new(lines_text(kernel.listing.lines.len())).small());
        legend_ui(ui);
    });
    code_ui(ui, "compiled listing", &kernel.listing, is_new);
}

/// The lines of a listing; `is_new` opens it at the hot block.
pub(super) fn code_ui(ui: &mut Ui, salt: &str, listing: &Listing, is_new: bool) {
    let is_dark = ui.visuals().dark_mode;
    let begin = listing.hot.filter(|_| is_new).map(above);
    lines_ui(ui, salt, listing.lines.len(), listing.longest, begin, |index| {
        let ListingLine { kind, text, .. } = listing.lines.get(index)?;
        Some(Line { stripe: stripe(*kind, is_dark), ..Line::of(text) })
    });
}

/// The line that a pane begins with, which is to show this one.
pub(super) const fn above(line: usize) -> usize {
    line.saturating_sub(LINES_ABOVE)
}

/// Draws the difference; `is_new` opens it at the first change.
pub fn difference_ui(ui: &mut Ui, panel: &CompiledPanel, state: &State, kernel: &LookedKernel, is_new: bool, actions: &mut Vec<Action>) {
    let Some((difference, drawn)) = kernel.difference.as_ref().zip(panel.drawn.as_ref()) else {
        ui.label(text("code.panel.nothing-to-compare"));
        return;
    };
    let (removed, added) = difference.counts();
    if removed + added == 0 {
        ui.label(text("code.panel.no-difference"));
        return;
    }
    ui.horizontal_wrapped(|ui| {
        let mut settings = state.settings.compiled.clone();
        let mut only_changes = !settings.all_lines;
        if ui.checkbox(&mut only_changes, labels::only_code_changes()).on_hover_text(text("code.panel.only-changes-about")).changed() {
            settings.all_lines = !only_changes;
            actions.push(Action::SetCompiled(settings));
        }
        let changed = filled("code.panel.changed", &[("added", &added), ("removed", &removed)]);
        ui.label(RichText::new(changed).small()).on_hover_text(text("code.panel.changed-about"));
    });
    lines_ui(ui, "compiled difference", drawn.kept.len(), drawn.longest, drawn.begin.filter(|_| is_new), |index| {
        let line = drawn.kept.get(index)?.and_then(|place| difference.lines.get(place));
        Some(line.map_or(Line::of("…"), |line: &DiffLine| Line { op: line.op, ..Line::of(&line.text) }))
    });
}

fn copy_ui(ui: &mut Ui, code: impl FnOnce() -> String) -> Response {
    let response = ui.button(labels::copy_code()).on_hover_text(text("window.source.copy-about"));
    if response.clicked() {
        ui.ctx().copy_text(code());
    }
    response
}

fn lines_text(count: usize) -> String {
    if count == 1 { text("window.source.one-line").to_owned() } else { filled("window.source.lines", &[("count", &count)]) }
}

impl CompiledPanel {
    /// Derives what is drawn; true where it is another than in the last frame.
    pub fn draw(&mut self, looked: &Arc<Looked>, state: &State) -> bool {
        let CompiledSettings { view, all_lines, .. } = state.settings.compiled;
        let kernel = self.kernel;
        let is_known =
            |drawn: &Drawn| Arc::ptr_eq(&drawn.of, looked) && (drawn.kernel, drawn.view, drawn.all_lines) == (kernel, view, all_lines);
        if self.drawn.as_ref().is_some_and(is_known) {
            return false;
        }
        let Some(code) = looked.kernels.get(kernel) else { return false };
        let (kept, longest, begin) = if let (View::Difference, Some(difference)) = (view, &code.difference) {
            let kept = with_gaps(&kept(difference, !all_lines));
            let op = |place: &Option<usize>| place.and_then(|place| difference.lines.get(place)).map_or(LineOp::Same, |line| line.op);
            let begin = kept.iter().position(|place| op(place) != LineOp::Same);
            (kept, difference.lines.iter().map(|line| line.text.chars().count()).max().unwrap_or(0), begin.map(above))
        } else {
            (Vec::new(), 0, None)
        };
        self.drawn = Some(Drawn { of: Arc::clone(looked), kernel, view, all_lines, kept, longest, begin });
        true
    }
}

/// The places of what is kept, with one gap for lines in a row that are not.
fn with_gaps(kept: &[bool]) -> Vec<Option<usize>> {
    let mut places: Vec<Option<usize>> = Vec::new();
    for (place, is_kept) in kept.iter().enumerate() {
        if *is_kept {
            places.push(Some(place));
        } else if places.last() != Some(&None) {
            places.push(None);
        }
    }
    places
}

pub(super) fn legend_ui(ui: &mut Ui) {
    for (counted, kind) in [(Counted::HotBlock, LineKind::Hot), (Counted::InnermostLoop, LineKind::Loop)] {
        let (rect, _) = ui.allocate_exact_size(vec2(6.0, 14.0), Sense::hover());
        if let Some(color) = stripe(kind, ui.visuals().dark_mode) {
            ui.painter().rect_filled(rect, 1.0, color);
        }
        ui.label(RichText::new(counted.label()).small()).on_hover_text(counted.about());
    }
}

pub(super) fn stripe(kind: LineKind, is_dark: bool) -> Option<Color32> {
    match kind {
        LineKind::Hot => Some(accent(is_dark)),
        LineKind::Loop => Some(accent(is_dark).gamma_multiply(0.4)),
        LineKind::Function | LineKind::Source | LineKind::Label | LineKind::Instruction => None,
    }
}
