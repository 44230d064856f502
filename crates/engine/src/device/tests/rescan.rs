//! Looking again after something was installed, each time in a process of its own: what a loader has seen once, a process keeps.

#![cfg(target_os = "linux")]

use super::INVERT;
use crate::device::{Access, Arg, CacheSettings, Devices, NoDevice, Session};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the child finds what is to be "installed".
const INSTALL: &str = "KERNEL_LADDER_TEST_INSTALL";

/// Runs the ignored test `name` of this file in a process with `variables`.
fn in_a_child(name: &str, variables: &[(&str, &Path)]) {
    let own = std::env::current_exe().expect("the test's own program");
    let name = format!("device::tests::rescan::{name}");
    let mut command = Command::new(own);
    command.args(["--exact", &name, "--ignored", "--nocapture"]).env_remove("OPENCL_DYLIB_PATH");
    let output = command.envs(variables.iter().copied()).output().expect("starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// The path in the environment variable `name`.
fn path_in(name: &str) -> PathBuf {
    PathBuf::from(std::env::var_os(name).unwrap_or_else(|| panic!("{name} is set by the parent")))
}

/// That the device at `index` computes.
fn assert_runs(devices: &Devices, index: usize) {
    let session = Session::open(devices, index, &CacheSettings::off()).expect("opens");
    let built = session.build(INVERT, "", "invert").expect("builds");
    let (source, target) = (session.buffer(4, Access::Read).expect("small"), session.buffer(4, Access::Write).expect("small"));
    session.write(&source, &[1, 2, 3, 4]).expect("fits");
    session.run(&built, &[Arg::Buffer(&source), Arg::Buffer(&target), Arg::Int(4)], [4, 1], None).expect("runs");
    let mut bytes = [0; 4];
    session.read(&target, &mut bytes).expect("fits");
    assert_eq!(bytes, [254, 253, 252, 251]);
}

/// The folder in which drivers register.
fn vendors() -> PathBuf {
    std::env::var_os("OCL_ICD_VENDORS").map_or_else(|| PathBuf::from("/etc/OpenCL/vendors"), PathBuf::from)
}

/// Registers all drivers of `from` in `to`.
fn register(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        std::fs::copy(&path, to.join(path.file_name().expect("a name"))).expect("copied");
    }
}

/// Registers in `folder` a driver whose library is not there.
fn register_missing_library(folder: &Path) {
    let library = folder.join("libbroken.so");
    std::fs::write(folder.join("broken.icd"), library.as_os_str().as_encoded_bytes()).expect("written");
}

#[test]
fn a_loader_is_seen_as_soon_as_it_is_installed() {
    let devices = Devices::discover().expect("these tests need an OpenCL device");
    assert!(!devices.infos().is_empty());
    let installed = crate::device::loader::loaded_path().expect("loaded");
    let folder = tempfile::tempdir().expect("a temporary folder");
    in_a_child("without_a_loader", &[("OPENCL_DYLIB_PATH", &folder.path().join("libOpenCL.so.1")), (INSTALL, &installed)]);
}

#[test]
#[ignore = "run by its parent in a process of its own"]
fn without_a_loader() {
    for _ in 0..2 {
        assert_eq!(Devices::discover().map(drop), Err(NoDevice::NoLoader));
    }
    std::fs::copy(path_in(INSTALL), path_in("OPENCL_DYLIB_PATH")).expect("copied");
    assert_runs(&Devices::discover().expect("a loader with a driver"), 0);
}

#[test]
fn a_first_driver_is_seen_as_soon_as_it_is_installed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    in_a_child("without_a_driver", &[("OCL_ICD_VENDORS", folder.path()), (INSTALL, &vendors())]);
}

#[test]
#[ignore = "run by its parent in a process of its own"]
fn without_a_driver() {
    for _ in 0..2 {
        assert_eq!(Devices::discover().map(drop), Err(NoDevice::NoDriver));
    }
    register(&path_in(INSTALL), &path_in("OCL_ICD_VENDORS"));
    assert_runs(&Devices::discover().expect("a driver"), 0);
}

#[test]
fn a_second_driver_is_seen_as_soon_as_it_is_installed() {
    let second = Path::new("/usr/lib/oclgrind/liboclgrind-rt-icd.so");
    if !second.exists() {
        println!("not tested: needs the package oclgrind as a second driver");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    register(&vendors(), folder.path());
    in_a_child("with_one_driver", &[("OCL_ICD_VENDORS", folder.path()), (INSTALL, second)]);
}

#[test]
#[ignore = "run by its parent in a process of its own"]
fn with_one_driver() {
    let before = Devices::discover().expect("a driver");
    let session = Session::open(&before, 0, &CacheSettings::off()).expect("opens");
    let library = path_in(INSTALL);
    std::fs::write(path_in("OCL_ICD_VENDORS").join("second.icd"), library.as_os_str().as_encoded_bytes()).expect("written");
    let after = Devices::discover().expect("two drivers");
    assert_eq!(after.infos().len(), before.infos().len() + 1, "{:?}", after.problems());
    assert!(session.build(INVERT, "", "invert").is_ok(), "what was open before is still good");
    for index in 0..after.infos().len() {
        assert_runs(&after, index);
    }
}

#[test]
fn a_broken_driver_does_not_hide_the_others() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    register(&vendors(), folder.path());
    register_missing_library(folder.path());
    in_a_child("with_a_broken_driver", &[("OCL_ICD_VENDORS", folder.path())]);
}

#[test]
#[ignore = "run by its parent in a process of its own"]
fn with_a_broken_driver() {
    let devices = Devices::discover().expect("the driver that is not broken");
    let [problem] = devices.problems() else { panic!("one problem: {:?}", devices.problems()) };
    assert!(problem.starts_with("broken.icd") && problem.contains("libbroken.so"), "{problem}");
    assert_runs(&devices, 0);
}

#[test]
fn a_registered_driver_that_offers_nothing_is_told_apart_from_none() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    register_missing_library(folder.path());
    in_a_child("with_a_broken_driver_alone", &[("OCL_ICD_VENDORS", folder.path())]);
}

#[test]
#[ignore = "run by its parent in a process of its own"]
fn with_a_broken_driver_alone() {
    let Err(NoDevice::NoPlatform(complaints)) = Devices::discover() else { panic!("a driver is registered, and offers nothing") };
    assert!(complaints.len() == 1 && complaints[0].starts_with("broken.icd"), "{complaints:?}");
}
