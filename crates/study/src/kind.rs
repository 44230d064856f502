//! The register of studies: what window and command line have to know of each to offer it, run it and keep it. A study's own file has its row.

use super::{Finding, Search, Sought, Study, Tuning};
use base::texts::{self, Words};
use engine::device::DeviceInfo;
use engine::{Target, Task};
use kernels::filters;
use model::{LocalSize, Roofs, Setting, Spec, Variant};
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;
use view::story::said;

/// A study that can be asked for. Its texts are found by its name: `studies.command.NAME` and `NAME-about`, `studies.job.NAME`, `studies.pane.NAME`, and
/// `studies.NAME.none`, which explains it.
#[derive(Debug)]
pub struct Kind {
    /// Its name, in texts, in saved arrangements of panels and in lessons.
    pub name: &'static str,
    /// What it is of.
    pub subject: Subject,
    /// The letter that starts it in the window with Ctrl, or with Ctrl and Shift.
    pub shortcut: (&'static str, bool),
    /// Its command, where it has no command of its own.
    pub command: Option<Command>,
    /// Whether another one of the same subject goes on with what the last one found.
    pub goes_on: bool,
    /// What of its result is kept over restarts, and offered before it is asked again.
    pub keeps: Option<Keeps>,
    /// The key of why it cannot be made of a variant.
    pub why_not: fn(&Variant) -> Option<&'static str>,
    /// Begins it.
    pub begin: fn(Question) -> Box<dyn Study>,
}

/// What a study is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A variant over a picture.
    Variant,
    /// A variant over pictures of these sizes, from small to large.
    Sizes(&'static [(usize, usize)]),
    /// A variant over a picture, whatever its local size.
    AnyLocal,
    /// A filter over a picture, whatever the variant.
    Filter,
}

/// What is kept of a search.
#[derive(Clone, Copy, Debug)]
pub struct Keeps {
    /// The question that it answers.
    pub sought: Sought,
    /// The answer, where there is one worth keeping.
    pub found: fn(&Task, &DeviceInfo, &[Finding]) -> Option<Tuning>,
}

/// The command of a study.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// Its name.
    pub name: &'static str,
    /// The picture that a variant is studied over where none is given.
    pub picture: (usize, usize),
    /// Whether a file may be given in its place.
    pub takes_file: bool,
    /// Arguments that make an example.
    pub example: &'static str,
}

/// What a study is asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// A variant on a device, over a picture.
    pub task: Task,
    /// The device.
    pub device: DeviceInfo,
    /// What device and filter allow.
    pub setting: Setting,
    /// What the device can do at most, where that is known.
    pub roofs: Option<Arc<Roofs>>,
    /// Picture sizes, for a study over sizes.
    pub sizes: Vec<(usize, usize)>,
    /// What the last study of the same subject found, where this one goes on.
    pub earlier: Vec<Finding>,
    /// How many local sizes are tried.
    pub search: Search,
    /// How long it may take.
    pub limit: Duration,
}

impl Question {
    /// The variant.
    #[must_use]
    pub fn variant(&self) -> Variant {
        if let Target::Device { variant, .. } = self.task.target { variant } else { Variant::naive() }
    }
}

impl Subject {
    /// Whether two tasks are the same subject.
    #[must_use]
    pub fn is_same(self, one: &Task, other: &Task) -> bool {
        let any = |task: &Task| match self {
            Self::Variant | Self::Sizes(_) => task.clone(),
            Self::AnyLocal => task.with_local(LocalSize::Driver),
            Self::Filter => task.with_variant(Variant::naive()).with_local(LocalSize::Driver),
        };
        match self {
            Self::Sizes(_) => (&one.spec, one.target) == (&other.spec, other.target),
            _ => any(one) == any(other),
        }
    }

    /// Whether it has pictures of its own, and is not of the one that is shown.
    #[must_use]
    pub const fn has_own_pictures(self) -> bool {
        matches!(self, Self::Sizes(_))
    }
}

impl Kind {
    /// What a result of it is about: the study, and what it is of.
    #[must_use]
    pub fn title(&self, task: &Task) -> Words {
        let (width_px, height_px) = task.picture.size();
        let size = (!self.subject.has_own_pictures()).then_some([width_px, height_px]);
        let variant = if let Target::Device { variant, .. } = task.target { Some(variant) } else { None };
        said(|| texts::pair(&self.text("pane", ""), &self.about(&task.spec, size, variant)))
    }

    /// What a result of it is of: filter, size of the picture, variant.
    #[must_use]
    pub fn about(&self, spec: &Spec, size_px: Option<[usize; 2]>, variant: Option<Variant>) -> String {
        let size = size_px.map(|[width, height]| format!("{width} × {height}"));
        let variant = variant.filter(|_| self.subject != Subject::Filter).map(|variant| variant.to_string());
        texts::joined("words.list.items", [Some(filters::spec_text(spec)), size, variant].into_iter().flatten())
    }

    /// The text of this study of that name; a test holds every one to have them.
    #[must_use]
    pub fn text(&self, table: &str, ending: &str) -> &'static str {
        texts::find(&format!("studies.{table}.{}{ending}", self.name)).unwrap_or(self.name)
    }

    /// What it is for, in a paragraph.
    #[must_use]
    pub fn explained(&self) -> &'static str {
        texts::find(&format!("studies.{}.none", self.name)).unwrap_or(self.name)
    }
}

impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Kind {}

impl Hash for Kind {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl PartialOrd for Kind {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Kind {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name.cmp(other.name)
    }
}

#[cfg(test)]
mod tests {
    use crate::KINDS;
    use base::texts::{Language, find_in};

    #[test]
    fn every_study_has_its_texts_and_a_name_and_keys_of_its_own() {
        for (index, kind) in KINDS.iter().enumerate() {
            let name = kind.name;
            for key in [
                format!("command.{name}"),
                format!("command.{name}-about"),
                format!("job.{name}"),
                format!("pane.{name}"),
                format!("{name}.none"),
            ] {
                assert!(Language::ALL.into_iter().all(|language| find_in(language, &format!("studies.{key}")).is_some()), "studies.{key}");
            }
            let others = || KINDS.iter().skip(index + 1);
            assert!(others().all(|other| other.name != name && other.shortcut != kind.shortcut), "{name}");
        }
    }
}
