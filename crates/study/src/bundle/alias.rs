//! What machines are called in bundles, which promise no names: something that nobody else can make anything of, the same for one machine each time. Whoever
//! wants a name there says it.

use base::files::{self, Lock};
use std::collections::BTreeMap;
use std::io;
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
        let host = host.unwrap_or(HERE);
        let mut now = NOW.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = self.file.as_deref().and_then(|file| kept(file, host));
        kept.unwrap_or_else(|| now.entry(host.to_owned()).or_insert_with(fresh).clone())
    }
}

/// A name that is of no other machine.
fn fresh() -> String {
    format!("machine-{:06x}", fastrand::u32(..0x100_0000))
}

/// What the file calls `host`, from now on at least. Another window may be about to name the same machine: the file is held from before it is read until it is
/// written. `None` where it cannot be kept: the next start calls the machine something else.
fn kept(file: &Path, host: &str) -> Option<String> {
    // Where the folder cannot be written, what is known is read all the same.
    let lock = Lock::of(file);
    let mut known: BTreeMap<String, String> = match files::read(file) {
        // What cannot be read is written anew.
        Ok(text) => serde_json::from_slice(&text).unwrap_or_default(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
        Err(_) => return None,
    };
    if let Some(alias) = known.get(host) {
        return Some(alias.clone());
    }
    let _lock = lock.ok()?;
    let alias = fresh();
    known.insert(host.to_owned(), alias.clone());
    files::write_private(file, serde_json::to_string_pretty(&known).ok()?.as_bytes()).ok()?;
    Some(alias)
}

#[cfg(test)]
mod tests {
    use super::{Aliases, kept};
    use std::collections::{BTreeMap, BTreeSet};

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

    #[test]
    fn two_windows_that_name_machines_at_the_same_time_call_them_the_same_and_lose_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("data").join("machines.json");
        let hosts: Vec<String> = (0..40).map(|index| format!("lab{index}")).collect();
        // As windows do, each reads and writes by itself: nothing but the file is between them.
        let name_all = || hosts.iter().map(|host| kept(&file, host).expect("kept")).collect::<Vec<_>>();
        let named = std::thread::scope(|scope| {
            let windows: Vec<_> = (0..4).map(|_| scope.spawn(name_all)).collect();
            windows.into_iter().map(|window| window.join().expect("it ends")).collect::<BTreeSet<_>>()
        });
        let text = std::fs::read(&file).expect("written");
        let there: BTreeMap<String, String> = serde_json::from_slice(&text).expect("JSON");
        assert_eq!((named.len(), there.len()), (1, hosts.len()));
        #[cfg(unix)]
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&file.metadata().expect("there").permissions()) & 0o777, 0o600);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn where_the_file_cannot_be_kept_a_machine_has_one_name_all_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("machines.json");
        crate::testing::pipe(&pipe);
        let aliases = Aliases::kept_in(folder.path());
        assert_eq!(aliases.of(Some("a machine of this test")), aliases.of(Some("a machine of this test")));
    }
}
