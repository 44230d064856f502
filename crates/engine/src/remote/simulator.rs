//! Oclgrind, a simulator of a device that checks every access of a kernel, as the driver of a process of its own.

use super::Remote;
use crate::asking::NO_SIMULATOR;
use crate::{Backend as _, PictureRef, Simulated, Target, Task};
use base::error::{Error, Result};
use base::files::Unfinished;
use base::texts::failed;
use kernels::kernel_source::{marks, simulator_marks};
use model::measure::Progress;
use pictures::tile;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

/// Where its packages put the driver.
const DRIVERS: [&str; 3] = [
    "/usr/lib/oclgrind/liboclgrind-rt-icd.so",
    "/usr/local/lib/oclgrind/liboclgrind-rt-icd.so",
    "/usr/lib64/oclgrind/liboclgrind-rt-icd.so",
];

/// It takes a thousand times as long as a device: neither side is a multiple of a local size.
const SIZE: (usize, usize) = (61, 43);

/// Runs `task` on a small part of its picture.
///
/// # Errors
/// It is not installed, or cannot run the kernel; cancelled. A kernel that does not build says so in its error's detail.
pub fn simulate(program: &Path, task: &Task, progress: &dyn Progress) -> Result<Simulated> {
    let driver = DRIVERS.into_iter().find(|driver| Path::new(driver).exists());
    let driver = driver.ok_or_else(|| failed(NO_SIMULATOR, &[]))?;
    let no_folder = |error: std::io::Error| failed("errors.trial.no-simulator-folder", &[("why", &error)]);
    let (folder, _unfinished) = Unfinished::made(tempfile::tempdir, tempfile::TempDir::path).map_err(no_folder)?;
    std::fs::write(folder.path().join("oclgrind.icd"), driver).map_err(no_folder)?;
    let log = folder.path().join("log");
    let set = |name: &str, value: &Path| (OsString::from(name), Some(value.as_os_str().to_owned()));
    let environment = vec![
        set("OCL_ICD_VENDORS", folder.path()),
        ("OPENCL_DYLIB_PATH".into(), None),
        ("OCL_ICD_FILENAMES".into(), None),
        set("OCLGRIND_LOG", &log),
        set("OCLGRIND_DATA_RACES", Path::new("1")),
        set("OCLGRIND_UNINITIALIZED", Path::new("1")),
        set(crate::device::GUARDS, Path::new("0")),
        // What it builds serves nobody else.
        set(crate::device::CACHE, Path::new("")),
    ];
    let Target::Device { variant, local, host_memory, .. } = task.target else { return Err(failed("errors.engine.nothing-compiled", &[])) };
    let picture = PictureRef::new(Arc::new(tile(&task.picture.picture, SIZE.0, SIZE.1)));
    let small = Task { picture, target: Target::Device { index: 0, variant, local, host_memory }, ..task.clone() };
    let mut apart = Remote::of_program(program.to_owned()).with_environment(environment);
    apart.rescan().map_err(|none| Error::failed(failed(NO_SIMULATOR, &[]).what, format!("{none:?}"), ""))?;
    let ran = apart.execute(&small, progress);
    // Its log is complete when the process has ended.
    drop(apart);
    let found = simulator_marks(&std::fs::read_to_string(&log).unwrap_or_default());
    match ran {
        // What it found may be what kept it from going on.
        Err(error) if error.is_cancelled() || found.is_empty() => Err(error),
        Err(_) => Ok(Simulated { marks: found, size: SIZE }),
        Ok(run) => {
            Ok(Simulated { marks: marks(&run.build.log).into_iter().filter(|mark| mark.is_error).chain(found).collect(), size: SIZE })
        }
    }
}
