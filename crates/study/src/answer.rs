//! What a study answered, as it is kept: over restarts, in bundles and in reports. It has no path and no pixel.

use super::{Candidate, Kind, Subject};
use base::files::{Line, LineStep};
use base::hash::sha256;
use base::texts::{Words, filled, joined, pair, text};
use engine::Task;
use engine::device::DeviceInfo;
use model::{Machine, Spec};
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use view::story::{Story, Tone, beside, said};

/// So many digits of its hash tell an answer from all others that a file has.
const ID_DIGITS: usize = 8;

/// The end of a study: of what it was, where and when, and what follows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Form of the record, see [`Self::SCHEMA`].
    pub schema: u32,
    /// [`Kind::name`] of the study.
    pub study: String,
    /// When it ended, in RFC 3339, UTC.
    pub date: String,
    /// Where, and by which version of this program.
    #[serde(flatten)]
    pub machine: Machine,
    /// What was computed.
    pub spec: Spec,
    /// Variant and local work size that it is of; those that were chosen then, where it is of a filter.
    #[serde(flatten)]
    pub candidate: Candidate,
    /// Width and height of the picture; `None` where the study has pictures of its own.
    pub size_px: Option<[usize; 2]>,
    /// Whether other programs ran meanwhile.
    #[serde(default)]
    pub busy: bool,
    /// What it told, without a language.
    pub story: Story,
}

impl Answer {
    /// The form that is written now.
    pub const SCHEMA: u32 = 1;

    /// What a study of `task` on `device` answered; `None` where that is no device's.
    #[must_use]
    pub fn of(kind: &Kind, task: &Task, device: &DeviceInfo, busy: bool, story: &Story) -> Option<Self> {
        let (width_px, height_px) = task.picture.size();
        Some(Self {
            schema: Self::SCHEMA,
            study: kind.name.to_owned(),
            date: engine::now(),
            machine: device.machine(),
            spec: task.spec.clone(),
            candidate: Candidate::of(task)?,
            size_px: (!kind.subject.has_own_pictures()).then_some([width_px, height_px]),
            busy,
            story: Story { title: Some(kind.title(task)), ..story.clone() },
        })
    }

    /// The study, where this version has it.
    #[must_use]
    pub fn kind(&self) -> Option<&'static Kind> {
        super::KINDS.iter().copied().find(|kind| kind.name == self.study)
    }

    /// What a person calls it by: the first digits of a hash of all of it.
    #[must_use]
    pub fn id(&self) -> String {
        let mut hash = sha256(self.identity().as_bytes());
        hash.truncate(ID_DIGITS);
        hash
    }

    /// What it is of.
    #[must_use]
    pub fn title(&self) -> Words {
        self.story.title.clone().unwrap_or_else(|| Words::Plain(self.study.clone()))
    }

    /// When and where: "2026-11-26 22:31, GPU".
    #[must_use]
    pub fn origin(&self) -> Words {
        said(|| joined("words.list.items", [self.day_and_time(), self.machine.label()]))
    }

    /// When and where, with driver and version of the program, as a sentence.
    #[must_use]
    pub fn measured_on(&self) -> Words {
        let values: [(&str, &dyn Display); 3] =
            [("origin", &self.origin()), ("driver", &self.machine.driver), ("version", &self.machine.program_version)];
        said(|| filled("studies.kept.origin", &values))
    }

    /// "2026-11-26 22:31", in UTC.
    #[must_use]
    pub fn day_and_time(&self) -> String {
        self.date.chars().take("2026-11-26T22:31".len()).map(|letter| if letter == 'T' { ' ' } else { letter }).collect()
    }

    /// Whether it answers what `kind` asks about `task` on `machine`.
    #[must_use]
    pub fn answers(&self, kind: &Kind, task: &Task, machine: &Machine) -> bool {
        let (width_px, height_px) = task.picture.size();
        let is_of = Candidate::of(task).is_some_and(|asked| match kind.subject {
            Subject::Filter => true,
            Subject::AnyLocal => asked.variant == self.candidate.variant,
            Subject::Variant | Subject::Sizes(_) => asked == self.candidate,
        });
        let is_over = self.size_px.is_none_or(|size| size == [width_px, height_px]);
        self.study == kind.name
            && self.spec == task.spec
            && is_of
            && is_over
            && (&self.machine.device, &self.machine.alias) == (&machine.device, &machine.alias)
    }

    /// Both as one, called A and B.
    #[must_use]
    pub fn beside(&self, other: &Self) -> Story {
        let names @ [one, two] = &["A", "B"].map(|name| Words::Plain(name.to_owned()));
        let mut both = Story::default();
        if self.title() == other.title() {
            both.title = Some(self.title());
        }
        let is_titled = both.title.is_some();
        for (name, answer) in names.iter().zip([self, other]) {
            both.say(
                Tone::Plain,
                said(|| {
                    let what = (!is_titled).then(|| answer.title().to_string());
                    pair(&name.to_string(), &joined("words.list.items", what.into_iter().chain([answer.measured_on().to_string()])))
                }),
            );
            if answer.busy {
                both.say(Tone::Warning, said(|| pair(&name.to_string(), &text("studies.kept.busy"))));
            }
        }
        both.blocks.extend(beside([one, two], [&self.story, &other.story]).blocks);
        both
    }
}

impl Line for Answer {
    const FILE: &'static str = "answers.jsonl";
    const MOST: usize = 500;
    const UNREAD: [&'static str; 2] = ["errors.window.unread-answer", "errors.window.unread-answers"];

    fn current(self) -> Option<Self> {
        (self.schema == Self::SCHEMA).then_some(self)
    }

    fn refused(step: LineStep) -> &'static str {
        match step {
            LineStep::Read => "errors.answers.not-read",
            LineStep::Copy => "errors.answers.not-copied",
            LineStep::Append => "errors.answers.not-appended",
            LineStep::Replace => "errors.answers.not-kept",
        }
    }
}
