//! What a person agreed to run: kernel text that was not typed here, which is code of a stranger's on this computer.
//!
//! Text that was typed in this program's editor, or made of its own kernels, runs unasked. Text of a file runs once the person agreed to that very text, and a
//! lesson's once they agreed to its folder; so does what is then made of either in the editor. What was agreed to is kept as hashes, a line each, in a file that is
//! the person's alone. The command line asks nothing: who names a file there has agreed to it.

use crate::files::{Line, LineStep, Lines};
use crate::hash::sha256;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

/// Where a kernel's text began.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// In the editor, or in a kernel of this program.
    Here,
    /// In a lesson of a folder: the hash of the folder's path.
    Folder(String),
    /// In a file: the hash of its text as it was read.
    Text(String),
}

impl Origin {
    /// In a lesson of this folder.
    #[must_use]
    pub fn folder(path: &Path) -> Self {
        Self::Folder(sha256(path.as_os_str().as_encoded_bytes()))
    }

    /// In a file with this text.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::Text(sha256(text))
    }
}

/// Something that the person agreed to, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreed {
    schema: u32,
    to: Origin,
}

impl Agreed {
    const SCHEMA: u32 = 1;
}

impl Line for Agreed {
    const FILE: &'static str = "agreed.jsonl";
    const MOST: usize = 5000;
    const UNREAD: [&'static str; 2] = ["errors.agreed.unread-one", "errors.agreed.unread"];

    fn current(self) -> Option<Self> {
        (self.schema == Self::SCHEMA).then_some(self)
    }

    fn refused(step: LineStep) -> &'static str {
        match step {
            LineStep::Read => "errors.agreed.not-read",
            LineStep::Copy => "errors.agreed.not-copied",
            LineStep::Append | LineStep::Replace => "errors.agreed.not-kept",
        }
    }
}

/// All that the person agreed to.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    agreed: BTreeSet<Origin>,
}

impl Trust {
    /// Whether text that began there may run.
    #[must_use]
    pub fn covers(&self, origin: &Origin) -> bool {
        *origin == Origin::Here || self.agreed.contains(origin)
    }

    /// The person agrees; what is to be kept of it.
    pub fn agree(&mut self, to: Origin) -> Agreed {
        self.agreed.insert(to.clone());
        Agreed { schema: Agreed::SCHEMA, to }
    }

    /// Takes what they agreed to before.
    pub fn take(&mut self, kept: Lines<Agreed>) {
        self.agreed.extend(kept.lines.into_iter().map(|agreed| agreed.to));
    }
}

#[cfg(test)]
mod tests {
    use super::{Agreed, Origin, Trust};
    use crate::files::{LinesJob, read_lines};
    use std::path::Path;

    #[test]
    fn what_was_agreed_to_once_is_known_at_the_next_start_and_nothing_else_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("data").join("agreed.jsonl");
        let (text, lessons) = (Origin::text("kernel"), Origin::folder(Path::new("/lessons")));
        let mut before = Trust::default();
        assert!(before.covers(&Origin::Here) && !before.covers(&text) && !before.covers(&lessons));
        for origin in [text.clone(), lessons.clone()] {
            let agreed = before.agree(origin.clone());
            assert!(before.covers(&origin));
            LinesJob::Append(Box::new(agreed)).run(&path).expect("written");
        }
        #[cfg(unix)]
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&path.metadata().expect("there").permissions()) & 0o777, 0o600);
        assert!(!std::fs::read_to_string(&path).expect("there").contains("lessons"), "hashes say no names");
        let mut after = Trust::default();
        after.take(read_lines::<Agreed>(&path).expect("read"));
        assert!(after.covers(&text) && after.covers(&lessons));
        assert!(!after.covers(&Origin::text("kernel ")) && !after.covers(&Origin::folder(Path::new("/lessons/other"))));
    }
}
