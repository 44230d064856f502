//! A temporary cache where the user's own cannot be written: a full quota, a container, a lab machine without a home.
//!
//! PoCL keeps what it compiles below the home folder, and offers no platform at all where it cannot. It is told of another folder by an
//! environment variable, which has to be set before the driver is loaded and while no other thread can read the environment.

use super::cache::CACHE;
use base::files::{Unfinished, user_folders};
use base::texts::filled;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;
use tempfile::TempDir;

/// Where PoCL keeps what it compiles. What is done about it is done before a driver is loaded, so for every system ([`Quirk::NeedsCacheFolder`](super::Quirk)).
const POCL_CACHE_DIR: &str = "POCL_CACHE_DIR";

/// What the names of PoCL's temporary files begin with.
const POCL_EMPTY: &str = "tempfile_";

/// No file that is in use is empty for so long.
const EMPTY_FOR: Duration = Duration::from_hours(1);

/// What was replaced.
static REPLACED: OnceLock<Replaced> = OnceLock::new();

#[derive(Debug)]
struct Replaced {
    /// Where this program keeps what is built, if its own folder cannot be written.
    programs: Option<PathBuf>,
    /// The folder that cannot be written.
    unwritable: PathBuf,
}

/// Where the user's cache folder cannot be written, lets this program's cache ([`super::CacheSettings::from_env`]) and PoCL's lie in a temporary
/// folder, which is removed when the value returned is dropped. Folders that the environment names are left alone.
///
/// To be called first of all in `main`: with a second thread running it does nothing, as the environment cannot be changed safely then.
#[must_use]
pub fn replace_unwritable_cache() -> Option<(TempDir, Unfinished)> {
    let unwritable = |folder: Option<PathBuf>| folder.filter(|folder| !can_be_written(folder));
    let (pocl, programs) = (unwritable(pocl_folder()), unwritable(default_programs_folder()));
    let named = pocl.as_ref().or(programs.as_ref())?.clone();
    if !is_only_thread() {
        return None;
    }
    let make = || tempfile::Builder::new().prefix("kernel-ladder-cache-").tempdir();
    let (folder, unfinished) = Unfinished::made(make, TempDir::path).ok()?;
    if pocl.is_some() {
        // SAFETY: no other thread runs, so nothing reads the environment meanwhile.
        unsafe { std::env::set_var(POCL_CACHE_DIR, folder.path().join("pocl")) };
    }
    let programs = programs.map(|_| folder.path().join("programs"));
    REPLACED.set(Replaced { programs, unwritable: named }).ok()?;
    Some((folder, unfinished))
}

/// The folders in which drivers and this program keep what they build, and where they put what they need for a moment: nothing else has to be written by a process
/// that runs drivers. To be made where they are missing.
#[must_use]
pub fn driver_caches() -> Vec<PathBuf> {
    let named = |name: &str| variable(name).map(PathBuf::from);
    let home = named("HOME");
    let caches = named("XDG_CACHE_HOME").or_else(|| Some(home.as_ref()?.join(".cache")));
    let cached = |name: &str| caches.as_ref().map(|caches| caches.join(name));
    // A driver that is not there needs no folder.
    let by = |device: &str, folder: Option<PathBuf>| folder.filter(|_| Path::new(device).exists());
    let own = variable(CACHE).map(PathBuf::from).or_else(programs_folder);
    let pocl = named(POCL_CACHE_DIR).or_else(|| cached("pocl")).unwrap_or_else(|| PathBuf::from("/tmp/pocl"));
    let nvidia = named("CUDA_CACHE_PATH").or_else(|| Some(home.as_ref()?.join(".nv")));
    let mesa = [named("MESA_SHADER_CACHE_DIR"), cached("mesa_shader_cache"), cached("mesa_shader_cache_db")];
    let amd = named("AMD_COMGR_CACHE_DIR").or_else(|| cached("comgr"));
    let intel = [named("NEO_CACHE_DIR").or_else(|| cached("neo_compiler_cache")), cached("igc")];
    // Mesa's drivers for processors have no device.
    let has_mesa = Path::new("/dev/dri").exists() || variable("RUSTICL_ENABLE").is_some();
    // The simulator's, by its own variable.
    let log = named("OCLGRIND_LOG").and_then(|log| log.parent().map(Path::to_owned));
    [own, Some(pocl), by("/dev/nvidiactl", nvidia), by("/dev/kfd", amd), Some(std::env::temp_dir()), log]
        .into_iter()
        .chain(mesa.into_iter().filter(|_| has_mesa))
        .chain(intel.into_iter().map(|folder| by("/dev/dri", folder)))
        .flatten()
        .collect()
}

/// Where this program keeps what is built, unless the environment names a folder.
pub(super) fn programs_folder() -> Option<PathBuf> {
    replaced_cache().or_else(default_programs_folder)
}

/// Where a process that this one starts keeps what is built: the temporary folder, where one replaces its own.
#[must_use]
pub fn replaced_cache() -> Option<PathBuf> {
    REPLACED.get().and_then(|replaced| replaced.programs.clone())
}

/// What the person should know of a cache that was replaced, as a clause.
#[must_use]
pub fn cache_notice() -> Option<String> {
    let path = REPLACED.get()?.unwritable.display();
    Some(filled("errors.driver.no-cache", &[("path", &path)]))
}

/// Gives this process a folder for temporary files that is not everybody's: in the person's cache, or a new one that is removed when the value returned is dropped.
/// To be called first of all in the `main` of a process that is confined; with a second thread running it does nothing.
#[must_use]
pub fn own_temporary_folder() -> Option<TempDir> {
    if !cfg!(target_os = "linux") || !is_only_thread() {
        return None;
    }
    // Where the person's cache cannot be written, whoever started this process has told it of another one, and removes that: this one may not.
    let caches = [user_folders().map(|folders| folders.cache_dir().to_owned()), variable(CACHE).map(PathBuf::from)];
    let mut folders = caches.into_iter().flatten().map(|cache| cache.join("temporary"));
    let kept = folders.find(|folder| std::fs::create_dir_all(folder).is_ok() && can_be_written(folder));
    let made = if kept.is_none() { tempfile::Builder::new().prefix("kernel-ladder-worker-").tempdir().ok() } else { None };
    if let Some(folder) = kept.as_deref().or(made.as_ref().map(TempDir::path)) {
        // SAFETY: no other thread runs, so nothing reads the environment meanwhile.
        unsafe { std::env::set_var("TMPDIR", folder) };
    }
    made
}

/// Removes the empty files that PoCL leaves in its cache, one for each process that loads it: it makes one to see whether it may write there. Those of the last
/// hour stay, as another program may be about to fill one ([`Quirk::LeavesEmptyFiles`](super::Quirk)).
pub fn remove_empty_files_of_pocl() {
    let named = variable(POCL_CACHE_DIR).map(PathBuf::from);
    if let Some(folder) = named.or_else(pocl_folder) {
        // Where they stay, they do no harm.
        let _ = remove_empty_files(&folder);
    }
}

fn remove_empty_files(folder: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)?.flatten() {
        if !entry.file_name().to_string_lossy().starts_with(POCL_EMPTY) {
            continue;
        }
        // Of a link, of the link itself.
        let data = entry.metadata()?;
        let is_old = data.modified()?.elapsed().is_ok_and(|age| age > EMPTY_FOR);
        if data.is_file() && data.len() == 0 && is_old {
            // Another process may do the same.
            let _ = std::fs::remove_file(entry.path());
        }
    }
    Ok(())
}

fn default_programs_folder() -> Option<PathBuf> {
    user_folders().map(|folders| folders.cache_dir().join("programs"))
}

/// Where PoCL would look, by its own rules; `None` where it was told, or has no home to look in and uses /tmp.
fn pocl_folder() -> Option<PathBuf> {
    if !cfg!(target_os = "linux") || variable(POCL_CACHE_DIR).is_some() {
        return None;
    }
    let base = variable("XDG_CACHE_HOME").map(PathBuf::from).or_else(|| Some(Path::new(&variable("HOME")?).join(".cache")))?;
    Some(base.join("pocl/kcache"))
}

/// A variable that is set and not empty.
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Whether files can be made in `folder`, or where it would be made. Tried with some bytes, as a quota may allow the file and not its content.
fn can_be_written(folder: &Path) -> bool {
    let there = folder.ancestors().find(|folder| folder.exists());
    there.is_some_and(|there| tempfile::tempfile_in(there).and_then(|mut file| file.write_all(&[0; 4096])).is_ok())
}

/// Whether this is the process's only thread, where the system tells. Under Wine the folder is there as well, and is another process's.
fn is_only_thread() -> bool {
    cfg!(target_os = "linux") && std::fs::read_dir("/proc/self/task").is_ok_and(|threads| threads.count() == 1)
}

#[cfg(test)]
mod tests {
    use super::{can_be_written, is_only_thread};

    #[test]
    fn a_folder_below_a_file_cannot_be_written_and_one_to_be_made_can() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        std::fs::write(&file, "").expect("written");
        assert!(can_be_written(folder.path()));
        assert!(can_be_written(&folder.path().join("to/be/made")));
        assert!(!can_be_written(&file.join("cache")));
        assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 1, "nothing is left");
    }

    #[test]
    fn empty_files_that_pocl_left_go_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let now = std::time::SystemTime::now();
        for (name, bytes, hours) in
            [("tempfile_old", "", 2), ("tempfile_new", "", 0), ("tempfile_full", "kernel", 2), ("last_accessed", "", 2)]
        {
            std::fs::write(path(name), bytes).expect("written");
            let file = std::fs::File::options().append(true).open(path(name)).expect("there");
            file.set_modified(now - hours * super::EMPTY_FOR).expect("set");
        }
        std::fs::create_dir(path("tempfile_folder")).expect("made");
        super::remove_empty_files(folder.path()).expect("listed");
        let mut left: Vec<_> = std::fs::read_dir(folder.path()).expect("listed").flatten().map(|entry| entry.file_name()).collect();
        left.sort();
        assert_eq!(left, ["last_accessed", "tempfile_folder", "tempfile_full", "tempfile_new"]);
        super::remove_empty_files(&path("missing")).expect_err("there is none");
    }

    #[test]
    fn a_second_thread_is_seen() {
        // Tests run on threads of their own, beside the main one.
        assert!(!is_only_thread());
    }
}
