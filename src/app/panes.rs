//! What tiles show: one line for each panel, with its title, its place and its drawing.

use super::access_panel::{AccessFilm, AccessPanel, access_panel};
use super::action::{Action, Command};
use super::answers::answered_ui;
use super::autotune_panel::{AutotunePanel, autotune_panel};
use super::compiled_panel::{CompiledPanel, compiled_ui};
use super::concept_film::ConceptFilm;
use super::history_panel::{HistoryPanel, history_panel_ui};
use super::lessons_panel::LessonsPanel;
use super::local_sizes_panel::local_sizes_panel;
use super::pictures::{PicturesPanel, pictures_ui};
use super::predictions_panel::predictions_panel;
use super::project_panel::ProjectPanel;
use super::roofline_panel::{RooflineFilm, RooflinePanel, roofline_panel};
use super::source_panel::{SourcePanel, source_ui};
use super::start::StartPanel;
use super::state::State;
use super::studies_ui::{StudyPanel, study_panel};
use super::timeline_panel::{TimelineFilm, TimelinePanel, timeline_panel};
use super::timings::{TimingsPanel, timings_ui};
use super::verdicts_panel::verdicts_ui;
use base::error::Result;
use base::texts::text;
use egui::Ui;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use study::{AUTOTUNE, KINDS, Kind, LOCAL_SIZES};

/// What panels keep between frames; one that keeps nothing has no field here.
pub struct Panels {
    /// Its view thread is told of outputs by the worker's.
    pub pictures: PicturesPanel,
    timings: TimingsPanel,
    pub(super) source: SourcePanel,
    compiled: CompiledPanel,
    history: HistoryPanel,
    access: AccessPanel,
    roofline: RooflinePanel,
    studies: BTreeMap<&'static str, StudyPanel>,
    autotune: AutotunePanel,
    pub(super) project: ProjectPanel,
    pub(super) lessons: LessonsPanel,
    pub(super) start: StartPanel,
    timeline: TimelinePanel,
    pub(super) films: LessonFilms,
}

/// The figures of a lesson that play, each of its kind.
#[derive(Default)]
pub struct LessonFilms {
    /// Loads and stores.
    pub access: AccessFilm,
    /// The last run.
    pub timeline: TimelineFilm,
    /// A ladder's path.
    pub roofline: RooflineFilm,
    /// An idea.
    pub concept: ConceptFilm,
}

impl Panels {
    /// Starts what the panels need.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn new(ctx: &egui::Context) -> Result<Self> {
        Ok(Self {
            pictures: PicturesPanel::new(ctx)?,
            timings: TimingsPanel::default(),
            source: SourcePanel::default(),
            compiled: CompiledPanel::default(),
            history: HistoryPanel::default(),
            access: AccessPanel::default(),
            roofline: RooflinePanel::default(),
            studies: BTreeMap::new(),
            autotune: AutotunePanel::default(),
            project: ProjectPanel::default(),
            lessons: LessonsPanel::default(),
            start: StartPanel::default(),
            timeline: TimelinePanel::default(),
            films: LessonFilms::default(),
        })
    }
}

/// How a panel is drawn into all of its tile.
type Draw = fn(&mut Ui, &mut Panels, &State, &mut Vec<Action>);

/// Makes [`Pane`] from lines of documentation, name, key of the title, neighbor and drawing.
macro_rules! panes {
    ($($(#[$doc:meta])* $pane:ident, $title:literal, beside $beside:ident, $draw:expr;)+) => {
        /// A panel that tiles show. Saved arrangements know it by its name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Pane {
            $($(#[$doc])* $pane,)+
            /// A study.
            Study(&'static Kind),
        }

        impl Pane {
            /// All, in the order of the menu.
            #[must_use]
            pub fn all() -> &'static [Self] {
                static ALL: LazyLock<Vec<Pane>> =
                    LazyLock::new(|| [$(Pane::$pane),+].into_iter().chain(KINDS.iter().copied().map(Pane::Study)).collect());
                &ALL
            }

            /// On its tab and in the menu.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self {
                    $(Self::$pane => text($title),)+
                    Self::Study(kind) => kind.text("pane", ""),
                }
            }

            /// In saved arrangements.
            fn name(self) -> String {
                match self {
                    $(Self::$pane => stringify!($pane).to_owned(),)+
                    Self::Study(kind) => camel(kind.name),
                }
            }

            /// The panel that it is a tab beside where an arrangement gives it no place.
            #[must_use]
            pub const fn beside(self) -> Self {
                match self {
                    $(Self::$pane => Self::$beside,)+
                    Self::Study(_) => Self::Source,
                }
            }

            /// Draws the panel into all of `ui`.
            pub fn draw(self, ui: &mut Ui, panels: &mut Panels, state: &State, actions: &mut Vec<Action>) {
                if let Self::Study(kind) = self
                    && answered_ui(ui, panels.studies.entry(kind.name).or_default(), state, kind, actions)
                {
                    return;
                }
                let draw: Draw = match self {
                    $(Self::$pane => $draw,)+
                    Self::Study(kind) if kind == LOCAL_SIZES => |ui, _, state, actions| local_sizes_panel(ui, state, actions),
                    Self::Study(kind) if kind == AUTOTUNE => |ui, panels, state, actions| autotune_panel(ui, &mut panels.autotune, state, actions),
                    Self::Study(kind) => return study_panel(ui, panels.studies.entry(kind.name).or_default(), state, kind, actions),
                };
                draw(ui, panels, state, actions);
            }
        }
    };
}

// A new panel is a line here, and a field of `Panels` where it keeps something. Workspaces that do not name it show it as a tab of its neighbor.
panes! {
    /// Original and filtered picture.
    Pictures, "window.pane.pictures", beside Source, |ui, panels, state, actions| {
        let spot = panels.access.spot(ui.ctx());
        pictures_ui(ui, &mut panels.pictures, state, spot, actions);
    };
    /// A bar for everything that was measured.
    Timings, "window.pane.timings", beside Source, |ui, panels, state, actions| timings_ui(ui, &mut panels.timings, state, actions);
    /// The kernel that ran, and differences from others.
    Source, "window.pane.source", beside Timings, |ui, panels, state, actions| source_ui(ui, &mut panels.source, state, actions);
    /// What the driver's compiler made of the kernel.
    Compiled, "window.pane.compiled", beside Source, |ui, panels, state, actions| compiled_ui(ui, &mut panels.compiled, state, actions);
    /// How predictions do over all ladders.
    Predictions, "prediction.title", beside Source, |ui, _, state, actions| predictions_panel(ui, state, actions);
    /// The steps of the ladder: what the guide claims, and what was seen.
    Verdicts, "window.pane.verdicts", beside Source, |ui, _, state, actions| verdicts_ui(ui, state, actions);
    /// The last run to scale.
    Timeline, "window.pane.timeline", beside Source, |ui, panels, state, _| timeline_panel(ui, &mut panels.timeline, state);
    /// Every reading that is kept.
    Readings, "window.pane.readings", beside Source, |ui, panels, state, actions| history_panel_ui(ui, &mut panels.history, state, actions);
    /// How the pixel that was clicked is made.
    Access, "window.pane.access", beside Source, |ui, panels, state, actions| access_panel(ui, &mut panels.access, state, actions);
    /// Every measured variant under what the device can do at most.
    Roofline, "studies.pane.roofline", beside Source, |ui, panels, state, actions| roofline_panel(ui, &mut panels.roofline, state, actions);
}

impl Pane {
    /// The panel that lessons call by this name, see [`study::lessons::panels`].
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::all().iter().copied().find(|pane| pane.name().eq_ignore_ascii_case(&name.replace('-', "")))
    }

    /// Commands with a button on the bar of its tabs.
    #[must_use]
    pub const fn commands(self) -> &'static [Command] {
        match self {
            Self::Timings => &[Command::Measure, Command::MeasureCpu, Command::MeasureLadder],
            _ => &[],
        }
    }
}

/// `LocalSizes` of `local-sizes`.
fn camel(name: &str) -> String {
    name.split('-').flat_map(|word| word.chars().take(1).map(|letter| letter.to_ascii_uppercase()).chain(word.chars().skip(1))).collect()
}

impl Serialize for Pane {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name())
    }
}

impl<'de> Deserialize<'de> for Pane {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::all().iter().copied().find(|pane| pane.name() == name).ok_or_else(|| de::Error::custom(name))
    }
}
