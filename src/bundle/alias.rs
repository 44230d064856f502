//! What machines are called in bundles, which promise no names: something that nobody else can make anything of, the same for one machine each time. Whoever
//! wants a name there says it.

use crate::files;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Where this machine keeps what it calls itself and others.
const FILE: &str = "machines.json";

/// Stands for this machine in the file.
const HERE: &str = "";

/// What the machines of a bundle are called.
#[derive(Clone, Debug, Default)]
pub struct Aliases {
    given: Option<String>,
    file: Option<PathBuf>,
}

impl Aliases {
    /// Names that tell nothing, kept in the person's data.
    #[must_use]
    pub fn opaque() -> Self {
        Self { given: None, file: files::user_data().map(|folder| folder.join(FILE)) }
    }

    /// This one, as the person wants it.
    #[must_use]
    pub fn given(name: &str) -> Self {
        Self { given: Some(name.to_owned()), file: None }
    }

    #[cfg(test)]
    fn kept_in(folder: &Path) -> Self {
        Self { given: None, file: Some(folder.join(FILE)) }
    }

    /// Of the machine that the person calls so; `None`: this one.
    #[must_use]
    pub fn of(&self, host: Option<&str>) -> String {
        /// Several machines are measured at once.
        static NOW: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
        if let Some(given) = &self.given {
            return given.clone();
        }
        let mut now = NOW.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = self.file.as_deref().map_or_else(|| now.clone(), read);
        let host = host.unwrap_or(HERE);
        if let Some(alias) = known.get(host) {
            return alias.clone();
        }
        let alias = format!("machine-{:06x}", fastrand::u32(..0x100_0000));
        known.insert(host.to_owned(), alias.clone());
        match &self.file {
            // Where it cannot be kept, the next bundle has another machine.
            Some(file) => drop(write(file, &known)),
            None => *now = known,
        }
        alias
    }
}

fn read(file: &Path) -> BTreeMap<String, String> {
    let is_file = file.metadata().is_ok_and(|metadata| metadata.is_file());
    let text = is_file.then(|| std::fs::read(file).ok()).flatten();
    text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
}

fn write(file: &Path, known: &BTreeMap<String, String>) -> Option<()> {
    std::fs::create_dir_all(file.parent()?).ok()?;
    files::write_atomically(file, serde_json::to_string_pretty(known).ok()?.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::Aliases;

    #[test]
    fn a_machine_is_called_the_same_each_time_and_not_by_its_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let aliases = || Aliases::kept_in(folder.path());
        let (here, lab) = (aliases().of(None), aliases().of(Some("jane@lab1")));
        assert_ne!(here, lab);
        assert_eq!((aliases().of(None), aliases().of(Some("jane@lab1"))), (here, lab.clone()));
        assert!(lab.starts_with("machine-") && !lab.contains("lab1"), "{lab}");
        assert_eq!(Aliases::given("box 1").of(Some("lab2")), "box 1");
    }
}
