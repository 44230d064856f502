//! The chosen variant's kernel as an editor: what is typed is built, checked and timed against the variant's own.

use super::code_view::{Edited, edited_ui, select, selected};
use super::completion::Completion;
use super::find::Find;
use super::listing::Listing;
use super::{lines, settings_ui};
use crate::app::action::{Action, Command, Export};
use crate::app::editing::{DraftOf, Editing};
use crate::app::labels;
use crate::app::pictures::{Beside, Compared};
use crate::app::state::State;
use crate::app::theme::{right, space};
use crate::app::widgets::command_button;
use base::texts::{filled, text};
use base::trust::Origin;
use egui::style::ScrollStyle;
use egui::text::LayoutJob;
use egui::{Button, FontId, Label, RichText, ScrollArea, TextStyle, Ui};
use engine::Task;
use kernels::kernel_source::Mark;
use pictures::Picture;
use std::fmt::Display;
use std::sync::Arc;
use study::trial::Tried;
use study::why::{self, Facts};
use view::plot::units;

/// Height of what is said of the text, in points: always the same, so that nothing moves under the pointer when something new is said.
const MESSAGES_POINTS: f32 = 108.0;

/// In a low panel the messages leave this share to the code.
const LEAST_CODE: f32 = 0.62;

/// The field's id in the panel.
pub const FIELD: &str = "edited-kernel";

/// What the editor keeps between frames.
#[derive(Default)]
pub struct Editor {
    /// What is edited, and the variant's own kernel.
    own: Option<(DraftOf, Arc<str>)>,
    text: String,
    drawn: Option<Drawn>,
    completion: Completion,
    find: Find,
    /// A line that is to be brought into view, from 0.
    scroll_to: Option<usize>,
    /// Where the view of the text begins, in points.
    offset: f32,
    /// The pictures have the place of the text.
    shows_output: bool,
    output: Beside,
}

/// The text laid out, with the lines marked that differ from the variant's own.
pub struct Drawn {
    own: Arc<str>,
    font: FontId,
    is_dark: bool,
    /// Of `listing.text`.
    pub listing: Listing,
    /// See [`Listing::job`].
    pub job: LayoutJob,
}

impl Drawn {
    fn new(text: &str, own: &Arc<str>, font: FontId, is_dark: bool) -> Self {
        let listing = Listing::of_text(text, Some(own));
        let job = listing.job(&font, is_dark);
        Self { own: Arc::clone(own), font, is_dark, listing, job }
    }

    /// The same with another text: one that was typed this very frame.
    pub fn follow(&mut self, text: &str) {
        if self.listing.text != text {
            *self = Self::new(text, &self.own, self.font.clone(), self.is_dark);
        }
    }
}

/// Draws the editor of the variant's own kernel into what is left of `ui`; its letters have `zoomed` times their size of before.
pub fn editor_ui(
    ui: &mut Ui,
    editor: &mut Editor,
    (own, zoomed): (Result<Arc<str>, String>, f32),
    state: &State,
    actions: &mut Vec<Action>,
) {
    let choice = state.choice();
    let of = DraftOf::choice(choice);
    let own = match own {
        Ok(own) => own,
        Err(why) => {
            ui.horizontal_wrapped(|ui| settings_ui(ui, state, true, actions));
            ui.label(filled("window.source.none", &[("why", &why)]));
            return;
        }
    };
    let is_other = editor.own.as_ref().is_none_or(|(known, text)| (*known, text) != (of, &own));
    let draft = state.draft();
    let kept = draft.map_or(&*own, |draft| &**draft);
    let is_opened = is_other || *kept != editor.text;
    // The variant's own text, which has no changes to open at, in the place of another one is shown where the two begin to differ.
    let replaced = (is_opened && !is_other).then(|| common_lines(&editor.text, kept));
    if is_opened {
        kept.clone_into(&mut editor.text);
        editor.own = Some((of, Arc::clone(&own)));
    }
    let (font, is_dark) = (TextStyle::Monospace.resolve(ui.style()), ui.visuals().dark_mode);
    let fits = |drawn: &Drawn| drawn.own == own && drawn.font == font && drawn.is_dark == is_dark && drawn.listing.text == editor.text;
    if !editor.drawn.as_ref().is_some_and(fits) {
        editor.drawn = Some(Drawn::new(&editor.text, &own, font, is_dark));
    }
    let Some(drawn) = &mut editor.drawn else { return };
    let (added, _) = drawn.listing.counts();
    // A new text begins without an outcome: meanwhile the pictures of the text before stay.
    let compared = state.trials.last().filter(|_| draft.is_some()).and_then(|tried| compared(state, tried));
    controls_ui(ui, &mut editor.shows_output, state, compared.is_some(), actions);
    let values: [(&str, &dyn Display); 2] = [("name", &choice.variant), ("lines", &lines(added))];
    let heading = if draft.is_some() { filled("window.editor.changed", &values) } else { filled("window.editor.own", &values[..1]) };
    let field = ui.make_persistent_id(FIELD);
    let found = editor.find.show(ui, field, &editor.text, &selected(ui.ctx(), field, &editor.text));
    if let Some(part) = found.current.as_ref().filter(|_| found.is_moved || found.is_closed) {
        select(ui.ctx(), field, &editor.text, part);
    }
    if found.is_closed {
        ui.memory_mut(|memory| memory.request_focus(field));
    }
    let task = state.edited_task();
    let tried = task.as_ref().and_then(|task| state.trials.of(task));
    let simulated = state.task_to_simulate().and_then(|task| state.trials.simulated(&task));
    // Until more is known, what was said of lines that are still the same is better than nothing.
    let said = task.as_ref().map_or_else(Vec::new, |task| state.trials.marks_in(task, &editor.text));
    let all = simulated.into_iter().flat_map(|tried| tried.simulated.iter().flat_map(|simulated| &simulated.marks).chain(&tried.marks));
    let mut marks = said.clone();
    marks.extend(all.filter(|mark| !said.contains(mark)).cloned());
    let marks = marks.as_slice();
    // It opens at what differs from the variant's own, which a lesson has left to be written; else at the kernel, below its head of comments.
    let first = drawn.listing.changes().first().copied().or(replaced).or_else(|| drawn.listing.kernel_line());
    let scroll_to = editor.scroll_to.take().or_else(|| first.filter(|_| is_opened));
    let room = ui.available_height();
    let height = (room - MESSAGES_POINTS).max(room * LEAST_CODE);
    let (text, completion, found) = (&mut editor.text, &mut editor.completion, &found);
    let edited =
        Edited { field, drawn, text, completion, found, marks, name: labels::edited_kernel(), height, zoomed, offset: &mut editor.offset };
    if let Some(compared) = compared.filter(|_| editor.shows_output) {
        let area = ui.available_rect_before_wrap();
        editor.output.show(ui, area.with_max_y(area.top() + height), compared);
    } else if edited_ui(ui, edited, scroll_to) {
        actions.push(Action::Edit(Editing::Type(editor.text.as_str().into())));
    } else if state.is_trial_due() {
        actions.push(Action::Edit(Editing::Try));
    }
    ui.separator();
    // The bar is always there: nothing else says that there is more below.
    ui.spacing_mut().scroll = ScrollStyle::solid();
    ScrollArea::vertical().id_salt("messages").auto_shrink([false, false]).min_scrolled_height(0.0).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = space::SMALL;
        match state.waits_for_consent() {
            Some(origin) => consent_ui(ui, state, origin, actions),
            None => outcome_ui(ui, state, &heading, tried),
        }
        simulated_ui(ui, simulated);
        editor.scroll_to = marks_ui(ui, marks);
        printed_ui(ui, tried);
        why_ui(ui, state, task.as_ref().zip(tried));
    });
    if editor.scroll_to.is_some() {
        ui.ctx().request_repaint();
    }
}

/// How many lines two texts have in common at their beginning.
fn common_lines(one: &str, other: &str) -> usize {
    one.lines().zip(other.lines()).take_while(|(one, other)| one == other).count()
}

/// The row of controls above the text. Whether there is an output is known before: that of the text before stays until there is a newer one.
fn controls_ui(ui: &mut Ui, shows_output: &mut bool, state: &State, has_output: bool, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        // A press on a view of the text, also on the one that is chosen, leaves the output.
        if settings_ui(ui, state, !(*shows_output && has_output), actions) {
            *shows_output = false;
        }
        let is_shown = *shows_output && has_output;
        let output = ui.add_enabled(has_output, Button::selectable(is_shown, labels::edited_output()).frame_when_inactive(true));
        let output = output.on_hover_text(text("window.editor.output-about")).on_disabled_hover_text(text("window.editor.no-output"));
        if output.clicked() {
            *shows_output = !is_shown;
        }
        let revert = ui.add_enabled(state.draft().is_some(), Button::new(labels::revert_kernel()));
        let revert = revert.on_hover_text(text("window.editor.revert-about")).on_disabled_hover_text(text("window.editor.nothing-typed"));
        if revert.clicked() {
            actions.push(Action::Edit(Editing::Revert));
        }
        if state.has_text_before() && ui.button(labels::text_before()).on_hover_text(text("window.editor.text-before-about")).clicked() {
            actions.push(Action::Edit(Editing::Back));
        }
        for command in [Command::Open, Command::Export(Export::Source)] {
            command_button(ui, state, command, false, actions);
        }
        let may_simulate = !state.trials.is_simulating() && state.task_to_simulate().is_some();
        let simulate =
            ui.add_enabled(may_simulate, Button::new(labels::simulate_kernel())).on_hover_text(text("window.editor.simulate-about"));
        if simulate.clicked() {
            actions.push(Action::Edit(Editing::Simulate));
        }
    });
}

/// In the place of an outcome: what this kernel is, what it could do, and the button that has it run.
fn consent_ui(ui: &mut Ui, state: &State, origin: &Origin, actions: &mut Vec<Action>) {
    let folder = state.course.folder.as_ref().map_or_else(String::new, |folder| folder.display().to_string());
    let (told, label) = match origin {
        Origin::Folder(_) => (filled("window.editor.of-folder", &[("folder", &folder)]), labels::trust_folder()),
        Origin::Text(_) | Origin::Here => (text("window.editor.of-file").to_owned(), labels::run_kernel()),
    };
    ui.add_space(space::SMALL);
    ui.add(Label::new(told).wrap());
    // In sight without scrolling.
    if ui.button(label).on_hover_text(text("window.editor.agree-about")).clicked() {
        actions.push(Action::Edit(Editing::Agree));
    }
    if let Some(confinement) = state.scanned.confinement {
        ui.add(Label::new(RichText::new(confinement.label()).small().weak()).wrap());
    }
    ui.add_space(space::SMALL);
}

/// What came of it, in a line.
fn outcome_ui(ui: &mut Ui, state: &State, heading: &str, tried: Option<&Tried>) {
    ui.horizontal_wrapped(|ui| {
        // All of it small: the strip is low.
        ui.style_mut().override_text_style = Some(TextStyle::Small);
        ui.spacing_mut().interact_size.y = 0.0;
        ui.label(heading);
        let Some(tried) = tried else {
            let key = match (state.draft(), state.edited_task()) {
                (None, _) => "window.editor.type",
                (Some(_), None) => "window.editor.no-device",
                (Some(_), Some(_)) => "window.editor.trying",
            };
            ui.label(RichText::new(text(key)).weak().small());
            return;
        };
        // The error of a wrong output says it, too.
        if let Some(verification) = tried.verification.as_ref().filter(|verification| verification.is_right() || tried.fault.is_none()) {
            let ink = if verification.is_right() { right(ui.visuals().dark_mode) } else { ui.visuals().error_fg_color };
            ui.colored_label(ink, verification.label());
        }
        if let Some(fault) = &tried.fault {
            // Errors with lines stand below, each with its own.
            let is_listed = tried.marks.iter().any(|mark| mark.is_error);
            let told = filled("errors.told", &[("what", &fault.what), ("why", &fault.why)]);
            ui.colored_label(ui.visuals().error_fg_color, if is_listed { &fault.what } else { &told }).on_hover_text(fault.remedy.as_str());
        }
        first_ui(ui, tried);
        let Some(compared) = &tried.compared else {
            if tried.fault.is_none() {
                ui.weak(text("window.editor.comparing"));
            }
            return;
        };
        // A kernel against itself: the line below says so, and a ratio says nothing.
        if compared.code.as_ref().is_some_and(|code| code.is_same_text) {
            return;
        }
        let ratio = units::comparison(&compared.comparison);
        let verdict = units::verdict(compared.comparison.verdict, compared.busy);
        let values: [(&str, &dyn Display); 4] =
            [("variant", &state.choice().variant), ("ratio", &ratio), ("verdict", &verdict), ("count", &compared.pairs.len())];
        ui.label(filled("window.editor.compared", &values)).on_hover_text(text("window.editor.compared-about"));
        if let Some(one_run) = compared.comparison.one_run() {
            ui.weak(one_run).on_hover_text(text("window.editor.one-run-about"));
        }
        if let Some(code) = &compared.code {
            ui.weak(code.label());
        }
    });
}

/// How near it comes to the roof, and why it is faster or slower than the variant's own, as far as that is known of a text that nobody has described.
fn why_ui(ui: &mut Ui, state: &State, tried: Option<(&Task, &Tried)>) {
    let Some((task, compared)) = tried.and_then(|(task, tried)| Some((task, tried.compared.as_ref()?))) else { return };
    let small = |words: String| Label::new(RichText::new(words).small()).wrap();
    if let Some((rate, roof)) = state.edited_roof(task, compared) {
        ui.add(small(units::part_of_roof(rate, roof)));
    }
    let mut facts = Facts::default();
    if let Some(info) = state.device() {
        facts.add_device(info);
    }
    facts.add_compared(compared);
    if compared.code.as_ref().is_some_and(|code| code.is_same_text) {
        // No stage was changed: what explains two variants says nothing here.
        ui.add(small(text("window.editor.same-program").to_owned()));
        return;
    }
    for reason in why::explain(compared.comparison.verdict.into(), &facts) {
        ui.add(small(reason.line()));
    }
}

/// The pictures of what was tried, where it ran and was checked.
fn compared<'a>(state: &'a State, tried: &'a Tried) -> Option<Compared<'a>> {
    let original = &state.picture.as_ref()?.picture.picture;
    let (output, reference) = (&tried.executed.as_ref()?.output, tried.reference.as_ref()?);
    let size = |picture: &Picture| (picture.width_px(), picture.height_px());
    // Of another picture that was open before.
    let is_of_one = size(original) == size(output) && size(output) == size(reference);
    is_of_one.then_some(Compared { output, reference })
}

/// "At (3, 4): 12 30 5 instead of 12 30 4", after the error that names the place as the first one.
fn first_ui(ui: &mut Ui, tried: &Tried) {
    let first = || {
        let (x, y) = tried.verification?.first_differing?;
        let pixel = |picture: &Picture| Some(picture.pixel(x, y)?.iter().map(u8::to_string).collect::<Vec<_>>().join(" "));
        let (got, wanted) = (pixel(&tried.executed.as_ref()?.output)?, pixel(tried.reference.as_ref()?)?);
        let values: [(&str, &dyn Display); 4] = [("x", &x), ("y", &y), ("got", &got), ("wanted", &wanted)];
        Some(filled("window.editor.first", &values))
    };
    if let Some(told) = first() {
        ui.label(told);
    }
}

/// What the kernel printed.
fn printed_ui(ui: &mut Ui, tried: Option<&Tried>) {
    let Some(printed) = tried.and_then(|tried| Some(&tried.executed.as_ref()?.printed)).filter(|printed| printed.count > 0) else { return };
    let values: [(&str, &dyn Display); 2] = [("shown", &printed.lines.len()), ("lines", &lines(printed.count))];
    let key = if printed.lines.len() < printed.count { "window.editor.printed-first" } else { "window.editor.printed" };
    ui.label(RichText::new(filled(key, &values)).small().strong());
    ui.add(Label::new(RichText::new(printed.lines.join("\n")).monospace().small()).selectable(true).wrap());
}

/// What the simulator found, in a line.
fn simulated_ui(ui: &mut Ui, tried: Option<&Tried>) {
    let Some(tried) = tried else { return };
    if let Some(fault) = &tried.fault {
        let told = filled("errors.told", &[("what", &fault.what), ("why", &fault.why)]);
        ui.colored_label(ui.visuals().error_fg_color, told).on_hover_text(fault.remedy.as_str());
    }
    let Some(simulated) = &tried.simulated else { return };
    // It loses track of some values that were written: what it doubts is no error.
    let errors = simulated.marks.iter().filter(|mark| mark.is_error).count();
    let (key, count, ink) = match (errors, simulated.marks.len()) {
        (0, 0) => ("window.editor.simulated-clean", 0, right(ui.visuals().dark_mode)),
        (0, doubts) => ("window.editor.simulated-doubts", doubts, ui.visuals().warn_fg_color),
        (errors, _) => ("window.editor.simulated", errors, ui.visuals().error_fg_color),
    };
    let values: [(&str, &dyn Display); 3] = [("count", &count), ("width", &simulated.size.0), ("height", &simulated.size.1)];
    ui.colored_label(ink, filled(key, &values)).on_hover_text(text("window.editor.simulate-about"));
}

/// What the compiler says, each to be clicked; the line of that which was.
fn marks_ui(ui: &mut Ui, marks: &[Mark]) -> Option<usize> {
    let mut chosen = None;
    for mark in marks {
        let ink = if mark.is_error { ui.visuals().error_fg_color } else { ui.visuals().warn_fg_color };
        let key = if mark.is_error { "window.editor.error" } else { "window.editor.warning" };
        let values: [(&str, &dyn Display); 3] = [("line", &mark.line), ("column", &mark.column), ("words", &mark.words)];
        let told = RichText::new(filled(key, &values)).small().color(ink);
        if ui.add(Button::new(told).frame(false).wrap()).on_hover_text(text("window.editor.mark-about")).clicked() {
            chosen = mark.line.checked_sub(1);
        }
    }
    chosen
}
