//! What studies of this session and of earlier ones answered: found again, opened in their panel, laid beside another one, exported, forgotten.

use super::action::{Action, Command, Export};
use super::notice::Topic;
use super::state::{Effect, FileJob, State};
use super::story_ui::{figure_size, scenes, story_ui};
use super::studies::Stand;
use super::studies_ui::{StudyPanel, warning};
use super::theme::space;
use super::widgets::{command_button, menu};
use base::error::Error;
use base::files::{Line as _, Lines, LinesJob};
use base::texts::{filled, joined, pair, text};
use egui::{RichText, ScrollArea, Ui};
use model::Spec;
use std::collections::HashMap;
use std::sync::Arc;
use study::{Answer, Finding, Kind};
use view::story::Story;

const MENU_POINTS: f32 = 150.0;

/// Answers that are known, and which of them are looked at.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// The newest last.
    all: Vec<Arc<Answer>>,
    /// Those of this session, the newest last.
    own: Vec<Arc<Answer>>,
    /// Whether those of earlier sessions are among them: what is appended before would be read once more.
    is_read: bool,
    /// What the panel of a study shows in the place of what is chosen, by the study's name.
    opened: HashMap<&'static str, Opened>,
}

/// An answer that is looked at.
#[derive(Clone, Debug)]
struct Opened {
    answer: Arc<Answer>,
    beside: Option<Arc<Answer>>,
    /// Of one, or of both.
    story: Story,
}

/// Something that is done with answers.
#[derive(Debug)]
pub enum AnswersAction {
    /// What earlier sessions left.
    Read(Lines<Answer>),
    /// They could not be kept.
    NotKept(Error),
    /// Show this one in its panel.
    Open(Arc<Answer>),
    /// Show both.
    Beside(Arc<Answer>, Arc<Answer>),
    /// Show what is chosen again.
    Close(&'static Kind),
    /// Drop it, also from the file.
    Forget(Arc<Answer>),
}

impl Answers {
    /// Those of a study, the newest first.
    fn of(&self, kind: &'static Kind) -> impl Iterator<Item = &Arc<Answer>> {
        self.all.iter().rev().filter(|answer| answer.study == kind.name)
    }

    /// Those of this session, the newest last.
    #[must_use]
    pub fn of_session(&self) -> &[Arc<Answer>] {
        &self.own
    }

    fn open(&mut self, answer: Arc<Answer>, beside: Option<Arc<Answer>>) {
        let Some(kind) = answer.kind() else { return };
        let story = beside.as_ref().map_or_else(|| answer.story.clone(), |other| answer.beside(other));
        self.opened.insert(kind.name, Opened { answer, beside, story });
    }

    /// What was computed in what is looked at.
    #[must_use]
    pub fn opened_spec(&self, kind: &Kind) -> Option<&Spec> {
        self.opened.get(kind.name).map(|opened| &opened.answer.spec)
    }

    /// What is looked at, where it is of that study.
    #[must_use]
    pub fn opened_story(&self, kind: &Kind) -> Option<&Story> {
        self.opened.get(kind.name).map(|opened| &opened.story)
    }
}

impl State {
    pub(super) fn act_on_answers(&mut self, action: AnswersAction) -> Vec<Effect> {
        match action {
            AnswersAction::Read(kept) => {
                self.notices.damaged(Topic::Files, &kept);
                let own = std::mem::take(&mut self.answers.all);
                self.answers.all = kept.lines.into_iter().map(Arc::new).collect();
                self.answers.is_read = true;
                return own.into_iter().flat_map(|answer| self.keep_answer(answer)).collect();
            }
            AnswersAction::NotKept(error) => self.notices.error(Topic::Files, error, Vec::new()),
            AnswersAction::Open(answer) => self.answers.open(answer, None),
            AnswersAction::Beside(answer, other) => self.answers.open(answer, Some(other)),
            AnswersAction::Close(kind) => drop(self.answers.opened.remove(kind.name)),
            AnswersAction::Forget(answer) => {
                self.answers.all.retain(|known| !Arc::ptr_eq(known, &answer));
                self.answers.own.retain(|known| !Arc::ptr_eq(known, &answer));
                let is_other = |known: &Arc<Answer>| !Arc::ptr_eq(known, &answer);
                self.answers.opened.retain(|_, opened| is_other(&opened.answer) && opened.beside.as_ref().is_none_or(is_other));
                return vec![Effect::Files(FileJob::Answers(LinesJob::Remove(vec![answer.as_ref().clone()])))];
            }
        }
        Vec::new()
    }

    fn keep_answer(&mut self, answer: Arc<Answer>) -> Vec<Effect> {
        let append = || Effect::Files(FileJob::Answers(LinesJob::Append(Box::new(answer.as_ref().clone()))));
        let effects = self.answers.is_read.then(append).into_iter().collect();
        self.answers.all.push(answer);
        let first = self.answers.all.len().saturating_sub(Answer::MOST);
        self.answers.all.drain(..first);
        effects
    }

    /// Keeps what the study of that request answered, if it is over; its panel shows it.
    pub(super) fn keep_answered(&mut self, id: u64) -> Vec<Effect> {
        let answered = self.studies.done(id).and_then(|studied| {
            let device = self.device_of(&studied.task)?;
            let is_busy = studied.findings.iter().any(Finding::is_busy);
            let answer = Answer::of(studied.kind, &studied.task, device, is_busy, studied.story.as_ref()?)?;
            Some((studied.kind, answer))
        });
        let Some((kind, answer)) = answered else { return Vec::new() };
        self.answers.opened.remove(kind.name);
        let answer = Arc::new(answer);
        self.answers.own.push(Arc::clone(&answer));
        self.keep_answer(answer)
    }

    /// What the panel of a study has to tell: a kept answer that is looked at, or what is chosen.
    #[must_use]
    pub fn told_by(&self, kind: &'static Kind) -> Option<Story> {
        let opened = || self.answers.opened_story(kind).cloned();
        opened().or_else(|| self.studied(kind).and_then(super::studies::Studied::titled))
    }

    /// Whether there is something to tell.
    pub(super) fn has_told(&self, kind: &'static Kind) -> bool {
        self.answers.opened.contains_key(kind.name) || self.studied(kind).is_some_and(|studied| studied.story.is_some())
    }

    /// How many answers of a study are kept.
    #[must_use]
    pub fn kept_answers(&self, kind: &'static Kind) -> usize {
        self.answers.of(kind).count()
    }

    /// The newest that answers what the panel would ask now.
    fn answer_of_choice(&self, kind: &'static Kind) -> Option<&Arc<Answer>> {
        let task = self.task_on_device()?;
        let machine = self.device_of(&task)?.machine();
        self.answers.of(kind).find(|answer| answer.answers(kind, &task, &machine))
    }

    /// What a kept answer is called in the menu of its study: "2026-11-26 22:31: Sobel, RGB, 600 × 400, padded, GPU".
    fn named(kind: &Kind, answer: &Answer) -> String {
        let of = kind.about(&answer.spec, answer.size_px, Some(answer.candidate.variant));
        let busy = answer.busy.then(|| text("tables.busy").to_owned());
        let parts = [Some(of), Some(answer.machine.label()), busy];
        pair(&answer.day_and_time(), &joined("words.list.items", parts.into_iter().flatten()))
    }
}

/// The panel of a study: above it what was answered before; in its place a kept answer that is looked at.
pub fn answered_ui(ui: &mut Ui, panel: &mut StudyPanel, state: &State, kind: &'static Kind, actions: &mut Vec<Action>) -> bool {
    let opened = state.answers.opened.get(kind.name);
    bar_ui(ui, state, kind, opened, actions);
    let Some(opened) = opened else { return false };
    ScrollArea::vertical().auto_shrink([false, false]).id_salt(("answer", kind.name)).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = space::SMALL;
        if opened.beside.is_none() {
            head_ui(ui, &opened.answer);
        } else if let Some(title) = &opened.story.title {
            ui.label(RichText::new(title.to_string()).strong());
        }
        let size = figure_size(ui);
        let drawn = panel.kept.get(ui, state, size, || scenes(ui, &opened.story, size));
        story_ui(ui, &opened.story, drawn);
    });
    true
}

/// What is shown is of another time, maybe of another device or version.
fn head_ui(ui: &mut Ui, answer: &Answer) {
    ui.label(RichText::new(answer.title().to_string()).strong());
    ui.label(RichText::new(answer.measured_on().to_string()).weak());
    if answer.busy {
        warning(ui, text("studies.kept.busy"));
    }
}

fn bar_ui(ui: &mut Ui, state: &State, kind: &'static Kind, opened: Option<&Opened>, actions: &mut Vec<Action>) {
    let count = state.kept_answers(kind);
    if count == 0 {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        let title = filled("studies.kept.menu", &[("count", &count)]);
        if let Some(answer) = pick_ui(ui, state, kind, text("studies.kept.menu-label"), &title, None) {
            actions.push(Action::Answers(AnswersAction::Open(answer)));
        }
        let is_here = state.studied(kind).is_some_and(|studied| studied.stand == Stand::Done);
        let of_choice = state.answer_of_choice(kind);
        let looked_at = opened.map(|opened| &opened.answer).or_else(|| of_choice.filter(|_| is_here));
        if let Some(answer) = looked_at.filter(|_| count > 1) {
            let label = text("studies.kept.beside");
            if let Some(other) = pick_ui(ui, state, kind, label, label, Some(answer)) {
                actions.push(Action::Answers(AnswersAction::Beside(Arc::clone(answer), other)));
            }
        }
        if opened.is_some() || is_here {
            command_button(ui, state, Command::Export(Export::Study(Some(kind))), false, actions);
        }
        if let Some(opened) = opened {
            if ui.button(text("studies.kept.forget")).on_hover_text(text("studies.kept.forget-about")).clicked() {
                actions.push(Action::Answers(AnswersAction::Forget(Arc::clone(&opened.answer))));
            }
            if ui.button(text("studies.kept.back")).clicked() {
                actions.push(Action::Answers(AnswersAction::Close(kind)));
            }
        } else if let Some(answer) = of_choice.filter(|_| state.studied(kind).is_none()) {
            ui.label(filled("studies.kept.before", &[("when", &answer.day_and_time())]));
            if ui.button(text("studies.kept.show")).clicked() {
                actions.push(Action::Answers(AnswersAction::Open(Arc::clone(answer))));
            }
        }
    });
    ui.add_space(space::SMALL);
}

/// A menu of all answers of a study but `without`; the one that was clicked.
fn pick_ui(
    ui: &mut Ui,
    state: &State,
    kind: &'static Kind,
    label: &str,
    title: &str,
    without: Option<&Arc<Answer>>,
) -> Option<Arc<Answer>> {
    let mut picked = None;
    menu(ui, label, title, MENU_POINTS, |ui| {
        for answer in state.answers.of(kind).filter(|answer| without.is_none_or(|without| !Arc::ptr_eq(answer, without))) {
            if ui.button(State::named(kind, answer)).clicked() {
                picked = Some(Arc::clone(answer));
                ui.close();
            }
        }
    });
    picked
}
