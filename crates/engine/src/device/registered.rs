//! The drivers that are registered with the loader, whether or not they offer anything: so that a driver that stays silent is told apart from one
//! that is not there. On Linux, where registering is a file whose first line names a library; elsewhere nothing is known of them.

use super::call::code_name;
use base::texts::filled;
use dlopen2::Error;
use dlopen2::raw::Library;
use opencl3::error_codes::{CL_PLATFORM_NOT_FOUND_KHR, CL_SUCCESS};
use opencl3::types::cl_platform_id;
use std::ffi::{OsStr, c_char, c_void};
use std::path::{Path, PathBuf};

/// Where loaders look, unless the environment says otherwise.
const VENDORS: &str = "/etc/OpenCL/vendors";

/// `clGetExtensionFunctionAddress`, which every driver that registers itself exports.
type GetFunction = unsafe extern "C" fn(*const c_char) -> *mut c_void;

/// `clIcdGetPlatformIDsKHR`, by which loaders ask a driver for its platforms.
type GetPlatformIds = unsafe extern "C" fn(u32, *mut cl_platform_id, *mut u32) -> i32;

/// A driver that is registered.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Registered {
    /// The file's name, or the library's where no file registers it.
    name: String,
    /// The library; empty where the file cannot be read.
    library: String,
}

/// All drivers that the loader looks at.
pub(super) fn registered() -> Vec<Registered> {
    if !cfg!(target_os = "linux") {
        return Vec::new();
    }
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let folder = set("OPENCL_VENDOR_PATH").map_or_else(|| PathBuf::from(VENDORS), PathBuf::from);
    registered_as(set(VENDORS_VARIABLE).as_deref(), &folder)
}

/// As ocl-icd reads `OCL_ICD_VENDORS`: another folder, one .icd file (a bare name lies in `folder` or here), or a library itself.
fn registered_as(vendors: Option<&OsStr>, folder: &Path) -> Vec<Registered> {
    let Some(vendors) = vendors else { return files_in(folder) };
    let path = Path::new(vendors);
    if path.is_dir() {
        return files_in(path);
    }
    if path.extension().is_some_and(|extension| extension == "icd") {
        // Joining an absolute path leaves it as it is.
        let inside = folder.join(path);
        return vec![read(if inside.exists() { &inside } else { path })];
    }
    vec![Registered { name: path.display().to_string(), library: path.display().to_string() }]
}

/// The .icd files of `folder`, in the order of their names.
fn files_in(folder: &Path) -> Vec<Registered> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|it| it == "icd")).collect();
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> Registered {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let text = std::fs::read_to_string(path).unwrap_or_default();
    Registered { name, library: text.lines().next().unwrap_or_default().trim().to_owned() }
}

impl Registered {
    /// Why it offers no platform, as a clause; `None` where it does.
    pub(super) fn complaint(&self) -> Option<String> {
        let Self { name, library } = self;
        if library.is_empty() {
            return Some(filled("errors.driver.names-no-library", &[("driver", name)]));
        }
        let opened = match Library::open(library) {
            Ok(opened) => opened,
            Err(Error::OpeningLibraryError(why)) => {
                return Some(filled("errors.driver.not-opened", &[("driver", name), ("why", &why)]));
            }
            Err(error) => return Some(filled("errors.driver.not-opened", &[("driver", name), ("why", &error)])),
        };
        let asked = ask(&opened);
        // Never closed: drivers are seldom made for it, and the loader does the same.
        std::mem::forget(opened);
        match asked {
            Some((CL_SUCCESS, 1..)) => None,
            Some((CL_SUCCESS | CL_PLATFORM_NOT_FOUND_KHR, _)) => Some(filled("errors.driver.offers-nothing", &[("driver", name)])),
            Some((code, _)) => Some(filled("errors.driver.failed-with", &[("driver", name), ("code", &code_name(code))])),
            None => Some(filled("errors.driver.is-none", &[("driver", name), ("library", library)])),
        }
    }

    /// A clause for a driver that offers a platform when it is asked directly, where the loader lists none: Khronos' loader takes a folder from the
    /// environment, ocl-icd a file or a library as well.
    pub(super) fn skipped(&self) -> String {
        let set = std::env::var(VENDORS_VARIABLE).ok().filter(|set| !set.is_empty() && !Path::new(set).is_dir());
        match set {
            Some(set) => filled("errors.driver.skipped-file", &[("driver", &self.name), ("variable", &VENDORS_VARIABLE), ("set", &set)]),
            None => filled("errors.driver.skipped", &[("driver", &self.name)]),
        }
    }
}

/// The environment variable that says where loaders look instead.
const VENDORS_VARIABLE: &str = "OCL_ICD_VENDORS";

/// What the driver answers, and the number of its platforms; `None` where it lacks what a driver has to export.
fn ask(library: &Library) -> Option<(i32, u32)> {
    // SAFETY: the symbol, where it exists, has the type that the OpenCL specification gives it.
    let function: GetFunction = unsafe { library.symbol("clGetExtensionFunctionAddress") }.ok()?;
    // SAFETY: the name ends with a zero.
    let pointer = unsafe { function(c"clIcdGetPlatformIDsKHR".as_ptr()) };
    // SAFETY: null becomes `None`; what else the driver returns under this name has the type that cl_khr_icd gives it.
    let get: GetPlatformIds = unsafe { std::mem::transmute::<*mut c_void, Option<GetPlatformIds>>(pointer) }?;
    let mut count = 0;
    // SAFETY: 0 entries with a null list asks for the number alone, which is written to `count`.
    let code = unsafe { get(0, std::ptr::null_mut(), &raw mut count) };
    Some((code, count))
}

#[cfg(test)]
mod tests {
    use super::{Registered, registered_as};
    use std::ffi::OsStr;
    use std::path::Path;

    fn entry(name: &str, library: &str) -> Registered {
        Registered { name: name.to_owned(), library: library.to_owned() }
    }

    #[test]
    fn a_folder_a_file_and_a_library_register_drivers() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
        write("b.icd", "libb.so.1\n");
        write("a.icd", " /opt/liba.so \nnothing that counts");
        write("c.icd.old", "libc.so");
        let both = [entry("a.icd", "/opt/liba.so"), entry("b.icd", "libb.so.1")];
        assert_eq!(registered_as(None, folder.path()), both);
        assert_eq!(registered_as(Some(folder.path().as_os_str()), Path::new("elsewhere")), both);
        assert_eq!(registered_as(Some(OsStr::new("b.icd")), folder.path()), both[1..]);
        assert_eq!(registered_as(Some(folder.path().join("a.icd").as_os_str()), Path::new("elsewhere")), both[..1]);
        assert_eq!(registered_as(Some(OsStr::new("libd.so")), folder.path()), [entry("libd.so", "libd.so")]);
        assert_eq!(registered_as(None, &folder.path().join("missing")), []);
    }

    #[test]
    fn complaints_say_which_driver_and_why() {
        let folder = tempfile::tempdir().expect("a folder");
        let missing = folder.path().join("libgone.so");
        let complaint = entry("gone.icd", &missing.display().to_string()).complaint().expect("cannot be opened");
        // Windows does not say what it could not open.
        assert!(complaint.starts_with("gone.icd") && (cfg!(windows) || complaint.contains("libgone.so")), "{complaint}");
        assert_eq!(entry("empty.icd", "").complaint().as_deref(), Some("empty.icd is registered as a driver but names no library"));
        #[cfg(target_os = "linux")]
        assert_eq!(entry("c.icd", "libc.so.6").complaint().as_deref(), Some("c.icd is registered as a driver, but libc.so.6 is not one"));
    }
}
