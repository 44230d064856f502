//! The source panel: the kernel that ran, what the last switch changed in it, and how it differs from others.

mod choose;
mod code_view;
mod completion;
mod editor;
mod find;
mod lexer;
mod listing;
pub(super) mod palette;
#[cfg(test)]
mod tests;
mod typing;
mod words;
mod zoom;

pub use choose::Against;
pub(super) use lexer::{Class, classify};
pub(super) use listing::kept;

use super::action::Action;
use super::labels;
use super::state::State;
use super::widgets::{name, segments};
use base::texts::{filled, text};
use choose::{Named, Sources};
use code_view::{Code, code_ui};
use editor::{Editor, editor_ui};
use egui::text::LayoutJob;
use egui::{CollapsingHeader, ComboBox, FontId, Label, RichText, Role, ScrollArea, TextStyle, Ui};
use listing::Listing;
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::sync::Arc;
use zoom::Zoom;

/// Keys of the editor, for the page of shortcuts.
pub const EDITOR_KEYS: [(&str, &str); 5] = [
    ("window.editor-keys.find", "window.editor-keys.find-about"),
    ("window.editor-keys.next", "window.editor-keys.next-about"),
    ("window.editor-keys.comment", "window.editor-keys.comment-about"),
    ("window.editor-keys.indent", "window.editor-keys.indent-about"),
    ("window.editor-keys.zoom", "window.editor-keys.zoom-about"),
];

/// What of this panel is saved. A change is queued as [`Action::SetSource`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SourceSettings {
    /// What is shown of it.
    pub view: View,
    /// What the difference is against.
    pub against: Against,
    /// Leave lines out that are far from any change.
    pub only_changes: bool,
}

/// What is shown of the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum View {
    /// All of it, with its changed lines marked.
    #[default]
    Whole,
    /// What differs from another.
    Difference,
    /// An editor.
    Edit,
}

/// Height of the build log where it is unfolded, in points.
const BUILD_LOG_POINTS: f32 = 120.0;

/// What this panel keeps between frames that is neither saved nor anyone else's business.
#[derive(Default)]
pub struct SourcePanel {
    sources: Sources,
    editor: Editor,
    zoom: Zoom,
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
    let zoomed = panel.zoom.apply(ui);
    if settings.view == View::Edit {
        let own = panel.sources.own(state);
        return editor_ui(ui, &mut panel.editor, (own, zoomed), state, actions);
    }
    let is_difference = settings.view == View::Difference;
    let shown = match panel.sources.shown(state) {
        Ok(shown) => shown,
        Err(why) => {
            ui.label(filled("window.source.none", &[("why", &why)]));
            return;
        }
    };
    let other = if is_difference {
        panel.sources.against(state, &shown, &settings.against)
    } else {
        panel.sources.previous(state, &shown).ok_or_else(String::new)
    };
    let key = Key {
        shown: Arc::clone(&shown.text),
        other: other.as_ref().ok().map(|other| Arc::clone(&other.text)),
        is_difference: is_difference && other.is_ok(),
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
        settings_ui(ui, state, true, actions);
        if ui.button(labels::copy_source()).on_hover_text(text("window.source.copy-about")).clicked() {
            ui.ctx().copy_text(listing.text.clone());
        }
        scroll_to = next_change_ui(ui, &mut panel.last_change, listing).or(scroll_to);
    });
    heading_ui(ui, state, &shown, &other, listing);
    build_log_ui(ui, state);
    code_ui(ui, &Code { listing, job, name: labels::kernel_source() }, scroll_to);
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

/// Whole, difference or edit, and what a difference is against. No view is marked where something else is shown in its place. Whether one was pressed.
fn settings_ui(ui: &mut Ui, state: &State, is_view_shown: bool, actions: &mut Vec<Action>) -> bool {
    let mut settings = state.settings.source.clone();
    let views = [(View::Whole, labels::whole_source()), (View::Difference, labels::difference_view()), (View::Edit, labels::edit_kernel())];
    let views = views.map(|(view, text)| (view, text.to_owned(), text.to_owned()));
    let chosen = segments(ui, is_view_shown.then_some(settings.view), views.into_iter());
    settings.view = chosen.unwrap_or(settings.view);
    if settings.view == View::Difference {
        against_ui(ui, state, &mut settings, 210.0);
        ui.checkbox(&mut settings.only_changes, labels::only_changes()).on_hover_text(text("window.source.only-changes-about"));
    }
    if settings != state.settings.source {
        actions.push(Action::SetSource(settings));
    }
    chosen.is_some()
}

/// The choice of the variant to compare with, `width` points wide.
pub(super) fn against_ui(ui: &mut Ui, state: &State, settings: &mut SourceSettings, width: f32) {
    let all = choose::all(state.choice().filter());
    let text = all.iter().find(|(against, _)| *against == settings.against).map_or("", |(_, text)| text.as_str());
    let combo = ComboBox::from_id_salt(labels::compare_with()).width(width).selected_text(text).truncate().show_ui(ui, |ui| {
        for (against, text) in &all {
            if ui.selectable_label(*against == settings.against, text.as_str()).clicked() {
                settings.against = against.clone();
            }
        }
    });
    name(&combo.response, Role::ComboBox, labels::compare_with(), Some(text));
}

/// Goes from change to change and starts over after the last. Returns the line to bring into view.
fn next_change_ui(ui: &mut Ui, last: &mut Option<usize>, listing: &Listing) -> Option<usize> {
    let changes = listing.changes();
    let button = ui
        .add_enabled(!changes.is_empty(), egui::Button::new(labels::next_change()))
        .on_disabled_hover_text(text("window.source.no-line-differs"));
    if button.clicked() {
        *last = changes.iter().find(|line| last.is_none_or(|last| **line > last)).or(changes.first()).copied();
        return *last;
    }
    None
}

/// What is shown, against what, and how much differs; both names in full.
fn heading_ui(ui: &mut Ui, state: &State, shown: &Named, other: &Result<Named, String>, listing: &Listing) {
    let (added, removed) = listing.counts();
    let name: (&str, &dyn Display) = ("name", &shown.name);
    let told = match (state.settings.source.view == View::Difference, other) {
        (true, Ok(other)) if added + removed == 0 => filled("window.source.same", &[name, ("other", &other.name)]),
        (true, Ok(other)) => {
            filled("window.source.changed", &[name, ("other", &other.name), ("added", &lines(added)), ("removed", &removed)])
        }
        (true, Err(why)) => filled("window.source.no-difference", &[name, ("why", why)]),
        (false, Ok(other)) => {
            let count = lines(listing.lines.len());
            filled("window.source.new-since", &[name, ("lines", &count), ("added", &added), ("other", &other.name)])
        }
        (false, Err(_)) => filled("window.source.whole", &[name, ("lines", &lines(listing.lines.len()))]),
    };
    let is_run = state.shown_source().is_some() && state.without_picture.is_none();
    let text = if is_run { told } else { filled("window.source.not-run", &[("told", &told)]) };
    ui.add(Label::new(RichText::new(&text).small()).truncate()).on_hover_text(text);
}

/// "1 line", "27 lines".
fn lines(count: usize) -> String {
    if count == 1 { text("window.source.one-line").to_owned() } else { filled("window.source.lines", &[("count", &count)]) }
}

/// What the driver said of the build, folded away; nothing where it said nothing.
fn build_log_ui(ui: &mut Ui, state: &State) {
    let log = state.shown.as_ref().map_or("", |shown| shown.executed.build.log.trim());
    if log.is_empty() {
        return;
    }
    let title = filled("window.source.build-log", &[("lines", &lines(log.lines().count()))]);
    CollapsingHeader::new(RichText::new(title).small()).id_salt(labels::build_log()).show(ui, |ui| {
        ScrollArea::both().max_height(BUILD_LOG_POINTS).show(ui, |ui| {
            ui.add(Label::new(RichText::new(log).monospace().small()).selectable(true).extend());
        });
    });
}
