//! The source panel: the kernel that ran, what the last switch changed in it, and how it differs from others.

mod choose;
mod code_view;
mod lexer;
mod listing;
pub(super) mod palette;
#[cfg(test)]
mod tests;
mod words;

pub use choose::Against;
pub(super) use lexer::Class;
pub(super) use listing::kept;

use super::action::Action;
use super::labels;
use super::state::State;
use super::widgets::{name, segments};
use choose::{Named, Sources};
use code_view::{Code, code_ui};
use egui::text::LayoutJob;
use egui::{CollapsingHeader, ComboBox, FontId, Label, RichText, Role, ScrollArea, TextStyle, Ui};
use listing::Listing;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What of this panel is saved. A change is queued as [`Action::SetSource`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SourceSettings {
    /// Show the difference instead of the source with its changed lines marked.
    pub is_difference: bool,
    /// What the difference is against.
    pub against: Against,
    /// Leave lines out that are far from any change.
    pub only_changes: bool,
}

/// Height of the build log where it is unfolded, in points.
const BUILD_LOG_POINTS: f32 = 120.0;

/// What this panel keeps between frames that is neither saved nor anyone else's business.
#[derive(Default)]
pub struct SourcePanel {
    sources: Sources,
    drawn: Option<(Key, Drawn)>,
    /// The change that was brought into view last, as a line from 0.
    last_change: Option<usize>,
}

/// What the listing was made of: it is made again when one of these changes, not every frame.
#[derive(PartialEq)]
struct Key {
    shown: Arc<str>,
    other: Option<Arc<str>>,
    is_difference: bool,
    only_changes: bool,
    is_dark: bool,
    font: FontId,
}

struct Drawn {
    listing: Listing,
    job: LayoutJob,
}

/// Draws the panel into all of `ui`.
pub fn source_ui(ui: &mut Ui, panel: &mut SourcePanel, state: &State, actions: &mut Vec<Action>) {
    let settings = &state.settings.source;
    let shown = match panel.sources.shown(state) {
        Ok(shown) => shown,
        Err(why) => {
            ui.label(format!("There is no source for this choice: {why}"));
            return;
        }
    };
    let other = if settings.is_difference {
        panel.sources.against(state, &shown, &settings.against)
    } else {
        panel.sources.previous(state, &shown).ok_or_else(String::new)
    };
    let key = Key {
        shown: Arc::clone(&shown.text),
        other: other.as_ref().ok().map(|other| Arc::clone(&other.text)),
        is_difference: settings.is_difference && other.is_ok(),
        only_changes: settings.only_changes,
        is_dark: ui.visuals().dark_mode,
        font: TextStyle::Monospace.resolve(ui.style()),
    };
    let is_new = panel.drawn.as_ref().is_none_or(|(known, _)| *known != key);
    if is_new {
        panel.drawn = Some(drawn(key));
        panel.last_change = None;
    }
    let Some((_, Drawn { listing, job })) = &panel.drawn else { return };
    // Another source opens at what is new in it; the first one at the kernel, below its head of comments.
    let mut scroll_to = listing.changes().first().copied().or_else(|| listing.kernel_line()).filter(|_| is_new);
    ui.horizontal_wrapped(|ui| {
        settings_ui(ui, state, actions);
        if ui.button(labels::COPY_SOURCE).on_hover_text("Put the text below on the clipboard").clicked() {
            ui.ctx().copy_text(listing.text.clone());
        }
        scroll_to = next_change_ui(ui, &mut panel.last_change, listing).or(scroll_to);
    });
    heading_ui(ui, state, &shown, &other, listing);
    build_log_ui(ui, state);
    code_ui(ui, &Code { listing, job, name: labels::KERNEL_SOURCE }, scroll_to);
}

fn drawn(key: Key) -> (Key, Drawn) {
    let other = key.other.as_deref();
    let listing = match other.filter(|_| key.is_difference) {
        Some(other) => Listing::of_difference(other, &key.shown, key.only_changes),
        None => Listing::of_source(&key.shown, other),
    };
    let job = listing.job(&key.font, key.is_dark);
    (key, Drawn { listing, job })
}

fn settings_ui(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    let mut settings = state.settings.source.clone();
    let views = [(false, labels::WHOLE_SOURCE), (true, labels::DIFFERENCE_VIEW)];
    let views = views.map(|(is_difference, text)| (is_difference, text.to_owned(), text.to_owned()));
    if let Some(chosen) = segments(ui, Some(settings.is_difference), views.into_iter()) {
        settings.is_difference = chosen;
    }
    if settings.is_difference {
        against_ui(ui, state, &mut settings, 210.0);
        ui.checkbox(&mut settings.only_changes, labels::ONLY_CHANGES).on_hover_text("Leave out what is far from any change");
    }
    if settings != state.settings.source {
        actions.push(Action::SetSource(settings));
    }
}

/// The choice of the variant to compare with, `width` points wide.
pub(super) fn against_ui(ui: &mut Ui, state: &State, settings: &mut SourceSettings, width: f32) {
    let all = choose::all(state.choice().filter());
    let text = all.iter().find(|(against, _)| *against == settings.against).map_or("", |(_, text)| text.as_str());
    let combo = ComboBox::from_id_salt(labels::COMPARE_WITH).width(width).selected_text(text).truncate().show_ui(ui, |ui| {
        for (against, text) in &all {
            if ui.selectable_label(*against == settings.against, text.as_str()).clicked() {
                settings.against = against.clone();
            }
        }
    });
    name(&combo.response, Role::ComboBox, labels::COMPARE_WITH, Some(text));
}

/// Goes from change to change and starts over after the last. Returns the line to bring into view.
fn next_change_ui(ui: &mut Ui, last: &mut Option<usize>, listing: &Listing) -> Option<usize> {
    let changes = listing.changes();
    let button = ui.add_enabled(!changes.is_empty(), egui::Button::new(labels::NEXT_CHANGE)).on_disabled_hover_text("No line differs");
    if button.clicked() {
        *last = changes.iter().find(|line| last.is_none_or(|last| **line > last)).or(changes.first()).copied();
        return *last;
    }
    None
}

/// What is shown, against what, and how much differs; both names in full.
fn heading_ui(ui: &mut Ui, state: &State, shown: &Named, other: &Result<Named, String>, listing: &Listing) {
    let (added, removed) = listing.counts();
    let lines = |count: usize| if count == 1 { "1 line".to_owned() } else { format!("{count} lines") };
    let text = match (state.settings.source.is_difference, other) {
        (true, Ok(other)) if added + removed == 0 => format!("{} and {} have the same source", other.name, shown.name),
        (true, Ok(other)) => format!("From {} to {}: {} added, {removed} removed", other.name, shown.name, lines(added)),
        (true, Err(why)) => format!("{}; no difference is shown: {why}", shown.name),
        (false, Ok(other)) => format!("{}: {}, {added} new since {}", shown.name, lines(listing.lines.len()), other.name),
        (false, Err(_)) => format!("{}: {}", shown.name, lines(listing.lines.len())),
    };
    let is_run = state.shown_source().is_some();
    let text = if is_run { text } else { format!("{text} (no kernel has run; this is the chosen variant's)") };
    ui.add(Label::new(RichText::new(&text).small()).truncate()).on_hover_text(text);
}

/// What the driver said of the build, folded away; nothing where it said nothing.
fn build_log_ui(ui: &mut Ui, state: &State) {
    let log = state.shown.as_ref().map_or("", |shown| shown.executed.build.log.trim());
    if log.is_empty() {
        return;
    }
    let lines = log.lines().count();
    let title = format!("{}: {}", labels::BUILD_LOG, if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") });
    CollapsingHeader::new(RichText::new(title).small()).id_salt(labels::BUILD_LOG).show(ui, |ui| {
        ScrollArea::both().max_height(BUILD_LOG_POINTS).show(ui, |ui| {
            ui.add(Label::new(RichText::new(log).monospace().small()).selectable(true).extend());
        });
    });
}
