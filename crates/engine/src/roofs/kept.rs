//! Roofs as a file in the user's cache, for each device with its driver.

use crate::device::{CacheSettings, DeviceInfo};
use base::error::Result;
use base::files;
use base::texts::failed;
use model::Roofs;

/// What the file's name begins with.
const NAME: &str = "roofs";

/// The roofs of this device that an earlier session measured with the same driver and the same probes; on a busy machine, too, and then they say so.
#[must_use]
pub fn known(cache: &CacheSettings, info: &DeviceInfo) -> Option<Roofs> {
    let text = files::read(&cache.device_file(NAME, info)?).ok()?;
    serde_json::from_slice(&text).ok().filter(|roofs: &Roofs| roofs.schema == Roofs::SCHEMA)
}

/// Keeps roofs for later sessions, where there is a cache.
///
/// # Errors
/// The file cannot be written.
pub fn keep(cache: &CacheSettings, info: &DeviceInfo, roofs: &Roofs) -> Result<()> {
    let Some(path) = cache.device_file(NAME, info) else { return Ok(()) };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| failed("errors.roofs.folder", &[("why", &error)]))?;
    }
    let text = serde_json::to_vec(roofs).map_err(|error| failed("errors.roofs.unwritable", &[("why", &error)]))?;
    files::write_atomically(&path, &text)
}

#[cfg(test)]
mod tests {
    use super::{keep, known};
    use crate::device::{CacheSettings, DeviceInfo};
    use crate::testing::records::roofs;
    use model::Roofs;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_pipe_in_their_place_is_told_instead_of_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let (cache, info) = (CacheSettings::at(folder.path()), DeviceInfo::example());
        let pipe = cache.device_file(super::NAME, &info).expect("a file");
        crate::testing::pipe(&pipe);
        // On a thread of its own, as the fault was to wait for ever.
        let (tell, told) = std::sync::mpsc::channel();
        let work = move || {
            let _ = tell.send((known(&cache, &info), keep(&cache, &info, &roofs()).is_err()));
        };
        std::thread::Builder::new().name("roofs".to_owned()).spawn(work).expect("a thread");
        assert_eq!(told.recv_timeout(std::time::Duration::from_secs(20)).expect("an answer"), (None, true));
    }

    #[test]
    fn roofs_are_found_again_for_the_same_driver_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = CacheSettings::at(folder.path().join("to be made"));
        let info = DeviceInfo::example();
        assert_eq!(known(&cache, &info), None);
        keep(&cache, &info, &roofs()).expect("kept");
        assert_eq!(known(&cache, &info), Some(roofs()));
        let newer = DeviceInfo { driver_version: "1.1".to_owned(), ..info.clone() };
        assert_eq!(known(&cache, &newer), None);
        // Another place in the list is no other device.
        assert_eq!(known(&cache, &DeviceInfo { index: 3, ..info.clone() }), Some(roofs()));
        // Those of a busy machine are kept, and say that they are.
        let mut busy = roofs();
        busy.found.values_mut().for_each(|roof| roof.busy = true);
        keep(&cache, &info, &busy).expect("kept");
        assert!(known(&cache, &info).is_some_and(|known| known == busy && known.is_busy()));
        keep(&cache, &info, &Roofs { schema: Roofs::SCHEMA + 1, ..roofs() }).expect("kept");
        assert_eq!(known(&cache, &info), None);
        keep(&CacheSettings::off(), &info, &roofs()).expect("nothing to keep");
    }
}
