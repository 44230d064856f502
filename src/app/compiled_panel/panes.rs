//! Two panes: the source beside the code that was made of it, and the code of two variants side by side.

use super::CompiledPanel;
use super::code::{above, code_ui, legend_ui, stripe};
use super::lines::{Line, clickable_lines_ui};
use crate::app::theme::space;
use crate::runner::{LookedKernel, SourceLine};
use base::texts::{filled, text};
use egui::{Frame, Panel, RichText, Sense, Ui};
use engine::compiled::{LineKind, ListingLine};
use std::fmt::Display;

/// Narrower, one pane is above the other.
const NARROW_POINTS: f32 = 560.0;

/// What was clicked in one pane, and is shown in the other.
#[derive(Debug, Default)]
pub struct Linked {
    /// The line of the text that was built, from 1.
    line: Option<u32>,
    /// Lines that the panes begin with in this frame: of the source, of the code.
    scroll_to: [Option<usize>; 2],
}

/// The source on the left, with the instructions of each line counted, and the code on the right: a click on a line shows what was made of it, one on an instruction
/// shows what it was made of. `is_new` opens both at the hot block.
pub fn source_ui(ui: &mut Ui, panel: &mut CompiledPanel, kernel: &LookedKernel, is_new: bool) {
    if kernel.source.is_empty() {
        ui.label(text("code.panel.no-lines"));
        return;
    }
    let is_dark = ui.visuals().dark_mode;
    if is_new {
        panel.linked = Linked { line: None, scroll_to: [hottest(&kernel.source), kernel.listing.hot.map(above)] };
    }
    let (source, listing) = (&kernel.source, &kernel.listing);
    let (linked, [source_at, code_at]) = (panel.linked.line, std::mem::take(&mut panel.linked.scroll_to));
    ui.horizontal_wrapped(|ui| {
        legend_ui(ui);
        let told = linked.and_then(|line| source.iter().find(|source| source.count.line == line)).map(made_of);
        ui.label(RichText::new(told.unwrap_or_else(|| text("code.panel.link-about").to_owned())).small());
    });
    let (mut of_source, mut of_code) = (None, None);
    two_panes(ui, "code-source", |ui, is_left| {
        if is_left {
            let longest = source.iter().map(|line| line.text.len()).max().unwrap_or(0);
            of_source = clickable_lines_ui(ui, ("code-source-lines", Sense::click()), source.len(), longest, source_at, |index| {
                let source = source.get(index)?;
                let kind = if source.count.hot_block > 0 {
                    LineKind::Hot
                } else if source.count.innermost_loop > 0 {
                    LineKind::Loop
                } else {
                    LineKind::Instruction
                };
                let is_linked = linked == Some(source.count.line);
                Some(Line { stripe: stripe(kind, is_dark), is_linked, is_source: true, ..Line::of(&source.text) })
            });
        } else {
            of_code = clickable_lines_ui(ui, ("code-made-lines", Sense::click()), listing.lines.len(), listing.longest, code_at, |index| {
                let ListingLine { kind, text, line } = listing.lines.get(index)?;
                Some(Line { stripe: stripe(*kind, is_dark), is_linked: line.is_some() && *line == linked, ..Line::of(text) })
            });
        }
    });
    if let Some(source) = of_source.and_then(|index| source.get(index)) {
        let line = source.count.line;
        let first = listing.lines.iter().position(|one| one.line == Some(line) && one.kind == LineKind::Hot);
        let first = first.or_else(|| listing.lines.iter().position(|one| one.line == Some(line)));
        panel.linked = Linked { line: Some(line), scroll_to: [None, first.map(above)] };
    }
    if let Some(line) = of_code.and_then(|index| listing.lines.get(index)?.line) {
        let at = source.iter().position(|source| source.count.line == line);
        panel.linked = Linked { line: Some(line), scroll_to: [at.map(above), None] };
    }
}

/// The other variant's code on the left, this one's on the right.
pub fn both_ui(ui: &mut Ui, kernel: &LookedKernel, names: &(Option<String>, String), is_new: bool) {
    let Some(other) = names.0.as_deref().filter(|_| !kernel.listing_before.lines.is_empty()) else {
        ui.label(text("code.panel.nothing-to-compare"));
        return;
    };
    two_panes(ui, "code-both", |ui, is_left| {
        let (name, salt, listing) = if is_left {
            (other, "code-before-lines", &kernel.listing_before)
        } else {
            (names.1.as_str(), "code-now-lines", &kernel.listing)
        };
        let values: [(&str, &dyn Display); 2] = [("name", &name), ("count", &listing.lines.len())];
        ui.label(RichText::new(filled("code.panel.pane", &values)).small().strong());
        code_ui(ui, salt, listing, is_new);
    });
}

/// Side by side, or one above the other where there is little room.
fn two_panes(ui: &mut Ui, salt: &str, mut pane: impl FnMut(&mut Ui, bool)) {
    let frame = Frame::new().inner_margin(space::SMALL as i8);
    if ui.available_width() >= NARROW_POINTS {
        let half = ui.available_width() / 2.0;
        Panel::left(salt.to_owned()).frame(frame).resizable(true).default_size(half).show(ui, |ui| pane(ui, true));
    } else {
        let half = ui.available_height() / 2.0;
        Panel::top(salt.to_owned()).frame(frame).resizable(true).default_size(half).show(ui, |ui| pane(ui, true));
    }
    egui::CentralPanel::default().frame(frame).show(ui, |ui| pane(ui, false));
}

/// The line of which most of the hot block was made.
fn hottest(source: &[SourceLine]) -> Option<usize> {
    let hot = source.iter().enumerate().max_by_key(|(_, line)| line.count.hot_block);
    hot.filter(|(_, line)| line.count.hot_block > 0).map(|(index, _)| above(index))
}

/// "Line 34: 12 instructions in the hot block, 3 in the rest of the loop, 4 elsewhere".
fn made_of(line: &SourceLine) -> String {
    let count = line.count;
    if count.whole == 0 {
        return filled("code.panel.made-of-none", &[("line", &line.number)]);
    }
    let (looped, rest) =
        (count.innermost_loop.saturating_sub(count.hot_block), count.whole.saturating_sub(count.innermost_loop.max(count.hot_block)));
    let values: [(&str, &dyn Display); 4] = [("line", &line.number), ("hot", &count.hot_block), ("looped", &looped), ("rest", &rest)];
    filled("code.panel.made-of", &values)
}
