//! How the window is arranged: plain data, saved with the other settings, apart from what draws it.

use super::panes::Pane;
use base::texts::text;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What the window is arranged for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Workspace {
    /// Source, pictures and timings at once.
    #[default]
    Learn,
    /// Large pictures.
    Compare,
    /// Large timings beside the source.
    Tune,
    /// For a projector: large type, no switches.
    Present,
}

/// Below this width, in points, three panels beside the stages are too narrow.
const NARROW_POINTS: f32 = 1200.0;

impl Workspace {
    /// All, in the order of the bar.
    pub const ALL: [Self; 4] = [Self::Learn, Self::Compare, Self::Tune, Self::Present];

    /// On its button.
    #[must_use]
    pub fn label(self) -> &'static str {
        text(self.keys().0)
    }

    /// The keys of its label and of what it is for.
    pub(super) const fn keys(self) -> (&'static str, &'static str) {
        match self {
            Self::Learn => ("window.workspace.learn", "window.workspace.learn-about"),
            Self::Compare => ("window.workspace.compare", "window.workspace.compare-about"),
            Self::Tune => ("window.workspace.tune", "window.workspace.tune-about"),
            Self::Present => ("window.workspace.present", "window.workspace.present-about"),
        }
    }

    /// How much larger than usual the panels' type is.
    #[must_use]
    pub const fn type_scale(self) -> f32 {
        match self {
            Self::Present => 1.35,
            Self::Learn | Self::Compare | Self::Tune => 1.0,
        }
    }

    /// The arrangement that it comes with, in a window of this width in points.
    #[must_use]
    pub fn arrangement(self, window_points: f32) -> Arrangement {
        use Pane::{Pictures, Source, Timings};
        let is_narrow = window_points < NARROW_POINTS;
        let timings_and_source = || if is_narrow { tabs(&[Timings, Source]) } else { Part::Row(vec![even(Timings), even(Source)]) };
        let root = match self {
            Self::Learn if is_narrow => Part::Column(vec![even(Pictures), (1.0, timings_and_source())]),
            Self::Learn => Part::Row(vec![(0.9, tabs(&[Source])), (1.1, Part::Column(vec![even(Pictures), even(Timings)]))]),
            Self::Compare => Part::Column(vec![(1.3, tabs(&[Pictures])), (0.7, timings_and_source())]),
            Self::Tune => Part::Row(vec![(1.1, tabs(&[Timings])), (0.9, tabs(&[Source, Pictures]))]),
            Self::Present if is_narrow => Part::Row(vec![even(Source), (1.0, tabs(&[Timings, Pictures]))]),
            Self::Present => Part::Row(vec![even(Source), (1.0, Part::Column(vec![(1.1, tabs(&[Pictures])), (0.9, tabs(&[Timings]))]))]),
        };
        Arrangement { root, hidden: BTreeSet::new(), stages: self != Self::Present }.complete().unwrap_or_default()
    }
}

fn tabs(panes: &[Pane]) -> Part {
    Part::Tabs { tabs: panes.iter().copied().map(Part::Pane).collect(), front: 0 }
}

fn even(pane: Pane) -> (f32, Part) {
    (1.0, tabs(&[pane]))
}

/// A part of the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Part {
    /// One panel.
    Pane(Pane),
    /// Parts behind each other, with the index of the one in front.
    Tabs {
        /// From left to right.
        tabs: Vec<Part>,
        /// Whose content shows.
        front: usize,
    },
    /// Parts beside each other, each with its share of the width.
    Row(Vec<(f32, Part)>),
    /// Parts above each other, each with its share of the height.
    Column(Vec<(f32, Part)>),
}

impl Part {
    /// Without what cannot be drawn: a panel that is there twice, a share that is no size, a part with nothing in it. `None` where nothing is left.
    fn mended(self, seen: &mut BTreeSet<Pane>) -> Option<Self> {
        let shares = |parts: Vec<(f32, Self)>, seen: &mut BTreeSet<Pane>| -> Option<Vec<(f32, Self)>> {
            let size = |share: f32| if share.is_finite() { share.clamp(0.02, 50.0) } else { 1.0 };
            let parts: Vec<_> = parts.into_iter().filter_map(|(share, part)| Some((size(share), part.mended(seen)?))).collect();
            Some(parts).filter(|parts| !parts.is_empty())
        };
        match self {
            Self::Pane(pane) => seen.insert(pane).then_some(self),
            Self::Row(parts) => shares(parts, seen).map(Self::Row),
            Self::Column(parts) => shares(parts, seen).map(Self::Column),
            Self::Tabs { tabs, front } => {
                let kept: Vec<_> = tabs.into_iter().enumerate().filter_map(|(index, part)| Some((index, part.mended(seen)?))).collect();
                let front = kept.iter().position(|(index, _)| *index == front).unwrap_or(0);
                let tabs: Vec<_> = kept.into_iter().map(|(_, part)| part).collect();
                (!tabs.is_empty()).then_some(Self::Tabs { tabs, front })
            }
        }
    }

    /// Makes `pane` the last tab beside `beside`; false where that is not in this part.
    fn join(&mut self, pane: Pane, beside: Pane) -> bool {
        match self {
            Self::Pane(own) if *own == beside => {
                *self = tabs(&[beside, pane]);
                true
            }
            Self::Pane(_) => false,
            Self::Tabs { tabs, .. } if tabs.contains(&Self::Pane(beside)) => {
                tabs.push(Self::Pane(pane));
                true
            }
            Self::Tabs { tabs, .. } => tabs.iter_mut().any(|part| part.join(pane, beside)),
            Self::Row(parts) | Self::Column(parts) => parts.iter_mut().any(|(_, part)| part.join(pane, beside)),
        }
    }

    /// Brings `pane` in front of the tabs before it; false where it is not in this part.
    fn bring_to_front(&mut self, pane: Pane) -> bool {
        match self {
            Self::Pane(own) => *own == pane,
            Self::Tabs { tabs, front } => {
                let found = tabs.iter_mut().position(|part| part.bring_to_front(pane));
                *front = found.unwrap_or(*front);
                found.is_some()
            }
            Self::Row(parts) | Self::Column(parts) => parts.iter_mut().any(|(_, part)| part.bring_to_front(pane)),
        }
    }
}

/// Where all panels of a workspace are. Hidden ones keep their place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arrangement {
    /// The whole, without the stages.
    pub root: Part,
    /// Panels that are not shown.
    pub hidden: BTreeSet<Pane>,
    /// Whether the stages are shown, at the left of everything.
    pub stages: bool,
}

impl Default for Arrangement {
    /// All panels as tabs.
    fn default() -> Self {
        Self { root: tabs(Pane::all()), hidden: BTreeSet::new(), stages: true }
    }
}

impl Arrangement {
    /// With every panel once: those that an older version did not have are tabs beside their neighbors. `None` where nothing of it can be drawn.
    #[must_use]
    fn complete(mut self) -> Option<Self> {
        let mut seen = BTreeSet::new();
        self.root = self.root.mended(&mut seen)?;
        for &pane in Pane::all() {
            if !seen.contains(&pane) && !self.root.join(pane, pane.beside()) {
                self.root = Part::Row(vec![(3.0, self.root), (1.0, tabs(&[pane]))]);
            }
        }
        Some(self)
    }

    /// Shows a panel, in front of others at its place, or hides it.
    pub fn show(&mut self, pane: Pane, is_shown: bool) {
        if is_shown {
            self.hidden.remove(&pane);
            self.root.bring_to_front(pane);
        } else {
            self.hidden.insert(pane);
        }
    }
}

/// The workspace that is shown, and those that a person has arranged.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Workspaces {
    /// The one that is shown.
    pub now: Workspace,
    /// Those that are not as they come.
    pub arranged: BTreeMap<Workspace, Arrangement>,
}

impl Workspaces {
    /// How the present one is arranged, in a window of this width in points.
    #[must_use]
    pub fn arrangement(&self, window_points: f32) -> Arrangement {
        let own = self.arranged.get(&self.now).cloned().and_then(Arrangement::complete);
        own.unwrap_or_else(|| self.now.arrangement(window_points))
    }
}

impl<'de> Deserialize<'de> for Workspaces {
    /// Never fails over what is in it: an arrangement that is damaged, or of another version, costs that one and no other setting.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let saved = serde_json::Value::deserialize(deserializer)?;
        let now = saved.get("now").and_then(|now| Workspace::deserialize(now).ok()).unwrap_or_default();
        // By the name that is saved, which is the same in every language.
        let name = |workspace: Workspace| serde_json::to_value(workspace).ok();
        let arrangement = |workspace: Workspace| {
            let saved = saved.get("arranged")?.get(name(workspace)?.as_str()?)?;
            Arrangement::deserialize(saved).ok()?.complete()
        };
        let arranged = Workspace::ALL.into_iter().filter_map(|workspace| Some((workspace, arrangement(workspace)?))).collect();
        Ok(Self { now, arranged })
    }
}

#[cfg(test)]
mod tests {
    use super::{Arrangement, Part, Workspace, Workspaces, tabs};
    use crate::app::panes::Pane;

    fn panes(part: &Part) -> Vec<Pane> {
        match part {
            Part::Pane(pane) => vec![*pane],
            Part::Tabs { tabs, .. } => tabs.iter().flat_map(panes).collect(),
            Part::Row(parts) | Part::Column(parts) => parts.iter().flat_map(|(_, part)| panes(part)).collect(),
        }
    }

    fn assert_whole(arrangement: &Arrangement) {
        let mut found = panes(&arrangement.root);
        found.sort();
        let mut all = Pane::all().to_vec();
        all.sort();
        assert_eq!(found, all, "{arrangement:?}");
    }

    #[test]
    fn every_workspace_has_every_panel_once_at_any_width() {
        for workspace in Workspace::ALL {
            for width in [800.0, 1024.0, 1280.0, 2560.0] {
                let arrangement = workspace.arrangement(width);
                assert_whole(&arrangement);
                assert_eq!(arrangement.clone().complete(), Some(arrangement));
            }
        }
    }

    #[test]
    fn an_arrangement_survives_saving() {
        let mut arrangement = Workspace::Tune.arrangement(1280.0);
        arrangement.show(Pane::Pictures, false);
        let mut workspaces = Workspaces { now: Workspace::Tune, ..Workspaces::default() };
        workspaces.arranged.insert(Workspace::Tune, arrangement.clone());
        let text = serde_json::to_string(&workspaces).expect("plain data");
        let read: Workspaces = serde_json::from_str(&text).expect("its own text");
        assert_eq!((read.arrangement(1280.0), &read), (arrangement, &workspaces));
    }

    #[test]
    fn what_cannot_be_drawn_is_mended_and_nothing_is_lost() {
        let broken = Part::Row(vec![
            (f32::INFINITY, tabs(&[Pane::Source, Pane::Source])),
            (-3.0, Part::Column(Vec::new())),
            (1.0, Part::Tabs { tabs: vec![Part::Row(Vec::new()), Part::Pane(Pane::Timings)], front: 1 }),
        ]);
        let mended = Arrangement { root: broken, ..Arrangement::default() }.complete().expect("something is left");
        assert_whole(&mended);
        let Part::Row(parts) = &mended.root else { panic!("a row: {mended:?}") };
        assert_eq!(
            (parts[0].0, &panes(&parts[0].1)[..2]),
            (1.0, &[Pane::Source, Pane::Pictures][..]),
            "what was not there is a tab beside its neighbor"
        );
        assert_eq!(parts[1], (1.0, tabs(&[Pane::Timings])));
        let nothing = Arrangement { root: Part::Row(Vec::new()), ..Arrangement::default() };
        assert_eq!(nothing.complete(), None);
    }

    #[test]
    fn a_damaged_arrangement_costs_itself_alone() {
        let mut workspaces = Workspaces { now: Workspace::Compare, ..Workspaces::default() };
        let own = Workspace::Present.arrangement(1280.0);
        workspaces.arranged.insert(Workspace::Compare, own.clone());
        let mut saved = serde_json::to_value(&workspaces).expect("plain data");
        saved["arranged"]["Tune"] = serde_json::json!({ "root": { "Pane": "Crystal ball" }, "hidden": [], "stages": true });
        saved["arranged"]["Learn"] = serde_json::json!(7);
        assert_eq!(serde_json::from_value::<Workspaces>(saved).expect("never fails"), workspaces);
        for damaged in ["7", "null", "[]", "{}", r#"{"now":"Dance","arranged":[]}"#] {
            assert_eq!(serde_json::from_str::<Workspaces>(damaged).expect("never fails"), Workspaces::default(), "{damaged}");
        }
    }

    #[test]
    fn a_panel_that_comes_back_is_in_front() {
        let mut arrangement = Workspace::Tune.arrangement(1280.0);
        arrangement.show(Pane::Pictures, false);
        assert!(arrangement.hidden.contains(&Pane::Pictures));
        arrangement.show(Pane::Pictures, true);
        let Part::Row(parts) = &arrangement.root else { panic!("a row: {arrangement:?}") };
        let Part::Tabs { tabs, front } = &parts[1].1 else { panic!("tabs: {arrangement:?}") };
        assert_eq!((arrangement.hidden.len(), &tabs[*front]), (0, &Part::Pane(Pane::Pictures)));
    }
}
