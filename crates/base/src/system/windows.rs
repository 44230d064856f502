//! Windows.
#![expect(
    unsafe_code,
    reason = "Windows is asked through a C interface; every call to it is in this file, behind functions that check what they pass"
)]

use super::CpuTime;
use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::windows::io::{AsHandle as _, AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::os::windows::process::CommandExt as _;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;
use windows_sys::Win32::Foundation::{
    CloseHandle, ERROR_ALREADY_EXISTS, FILETIME, GetLastError, HANDLE, HANDLE_FLAG_PROTECT_FROM_CLOSE, INVALID_HANDLE_VALUE,
    SetHandleInformation,
};
use windows_sys::Win32::Globalization::GetUserDefaultUILanguage;
use windows_sys::Win32::System::Console::{GetStdHandle, STD_ERROR_HANDLE, STD_OUTPUT_HANDLE, SetConsoleCtrlHandler, SetStdHandle};
use windows_sys::Win32::System::Diagnostics::Debug::{SEM_FAILCRITICALERRORS, SEM_NOGPFAULTERRORBOX, SetErrorMode};
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, PROCESSENTRY32W, Process32FirstW, Process32NextW, TH32CS_SNAPPROCESS,
};
use windows_sys::Win32::System::LibraryLoader::{GetModuleHandleA, GetProcAddress};
use windows_sys::Win32::System::Memory::{
    CreateFileMappingW, FILE_MAP, FILE_MAP_READ, FILE_MAP_WRITE, MEMORY_BASIC_INFORMATION, MapViewOfFile, OpenFileMappingW, PAGE_READWRITE,
    UnmapViewOfFile, VirtualQuery,
};
use windows_sys::Win32::System::Threading::{
    CREATE_NO_WINDOW, GetCurrentProcess, GetCurrentThread, GetProcessTimes, GetSystemTimes, GetThreadTimes, OpenProcess,
    PROCESS_QUERY_LIMITED_INFORMATION, TerminateProcess,
};
use windows_sys::Win32::UI::WindowsAndMessaging::{MB_ICONERROR, MB_OK, MessageBoxW};
use windows_sys::core::BOOL;

/// Windows counts time in these.
const NS_PER_COUNT: u64 = 100;

fn ns(time: FILETIME) -> u64 {
    (u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime)) * NS_PER_COUNT
}

pub fn cpu_time() -> Option<CpuTime> {
    let mut times = [FILETIME::default(); 3];
    let [idle, kernel, user] = &mut times;
    // SAFETY: all three are written.
    (unsafe { GetSystemTimes(idle, kernel, user) } != 0).then(|| {
        let [idle, kernel, user] = times.map(ns);
        // What the kernel takes has what is idle in it.
        CpuTime { busy_ns: (kernel + user).saturating_sub(idle), idle_ns: idle }
    })
}

/// Asks for four times, and adds the last two: of the kernel and of the process itself.
fn spent_ns(ask: impl FnOnce(&mut [FILETIME; 4]) -> BOOL) -> Option<u64> {
    let mut times = [FILETIME::default(); 4];
    if ask(&mut times) == 0 {
        return None;
    }
    let [_, _, kernel, user] = times.map(ns);
    Some(kernel + user)
}

pub fn process_time_ns(process: u32) -> Option<u64> {
    // SAFETY: the handle that comes back is this function's own, and checked.
    let handle = unsafe { OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, process) };
    if handle.is_null() {
        return None;
    }
    // SAFETY: it was just opened and belongs to nobody else.
    let handle = unsafe { OwnedHandle::from_raw_handle(handle) };
    spent_ns(|[created, ended, kernel, user]| {
        // SAFETY: the handle is open, and all four are written.
        unsafe { GetProcessTimes(handle.as_raw_handle(), created, ended, kernel, user) }
    })
}

pub fn thread_time() -> Duration {
    let spent = spent_ns(|[created, ended, kernel, user]| {
        // SAFETY: the handle means this thread and needs no closing; all four are written.
        unsafe { GetThreadTimes(GetCurrentThread(), created, ended, kernel, user) }
    });
    Duration::from_nanos(spent.unwrap_or_default())
}

/// The numbers of all processes, each with that of the one that started it.
fn processes() -> Vec<(u32, u32)> {
    // SAFETY: the handle that comes back is this function's own, and checked.
    let snapshot = unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0) };
    if snapshot == INVALID_HANDLE_VALUE || snapshot.is_null() {
        return Vec::new();
    }
    // SAFETY: it was just made and belongs to nobody else.
    let snapshot = unsafe { OwnedHandle::from_raw_handle(snapshot) };
    let mut entry = PROCESSENTRY32W { dwSize: size_of::<PROCESSENTRY32W>() as u32, ..Default::default() };
    let mut found = Vec::new();
    // SAFETY: the snapshot is open, and the entry says its own size, as both functions want it.
    let mut is_there = unsafe { Process32FirstW(snapshot.as_raw_handle(), &raw mut entry) } != 0;
    while is_there {
        found.push((entry.th32ProcessID, entry.th32ParentProcessID));
        // SAFETY: as above.
        is_there = unsafe { Process32NextW(snapshot.as_raw_handle(), &raw mut entry) } != 0;
    }
    found
}

pub fn children(of: &[u32]) -> Vec<u32> {
    processes().into_iter().filter(|(_, parent)| of.contains(parent)).map(|(process, _)| process).collect()
}

pub fn parent() -> Option<u32> {
    let own = std::process::id();
    processes().into_iter().find(|(process, _)| *process == own).map(|(_, parent)| parent)
}

/// The low ten bits of a language's number say which it is, without its country.
const PRIMARY: u16 = 0x3ff;

/// Chinese among those.
const CHINESE: u16 = 0x04;

#[expect(clippy::unnecessary_wraps, reason = "another system may not tell")]
pub fn chosen_language() -> Option<String> {
    // SAFETY: it takes nothing and returns a number.
    let number = unsafe { GetUserDefaultUILanguage() };
    // The program speaks two.
    Some(if number & PRIMARY == CHINESE { "zh" } else { "en" }.to_owned())
}

pub fn without_console(command: &mut Command) {
    command.creation_flags(CREATE_NO_WINDOW);
}

pub fn crash_without_dialog() {
    // SAFETY: it sets a flag of this process.
    unsafe { SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX) };
}

pub fn end_at_once() {
    // SAFETY: this process's own handle; nothing of it is used afterwards.
    unsafe { TerminateProcess(GetCurrentProcess(), 1) };
}

/// What is done before the process ends.
static AT_END: OnceLock<fn()> = OnceLock::new();

pub fn before_console_ends(act: fn()) {
    /// Called on a thread of its own; 0 lets the next handler end the process.
    unsafe extern "system" fn handle(_: u32) -> BOOL {
        if let Some(act) = AT_END.get() {
            act();
        }
        0
    }
    if AT_END.set(act).is_ok() {
        // SAFETY: the function lives as long as the process, and may be called on any thread.
        unsafe { SetConsoleCtrlHandler(Some(handle), 1) };
    }
}

/// As Windows wants text: UTF-16 with a 0 at its end.
fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().chain([0]).collect()
}

pub fn show_unseen(title: &str, words: &str) -> bool {
    // SAFETY: it takes a number.
    let stderr = unsafe { GetStdHandle(STD_ERROR_HANDLE) };
    if !stderr.is_null() && stderr != INVALID_HANDLE_VALUE {
        return false;
    }
    let (title, words) = (wide(title), wide(words));
    // SAFETY: both texts end with 0, and live until the person has closed the box.
    unsafe { MessageBoxW(std::ptr::null_mut(), words.as_ptr(), title.as_ptr(), MB_OK | MB_ICONERROR) };
    true
}

/// The C libraries that a driver may have been built with: each keeps a list of its own of what is open.
const C_LIBRARIES: [&[u8]; 4] = [b"msvcrt.dll\0", b"ucrtbase.dll\0", b"ucrtbased.dll\0", b"msvcr120.dll\0"];

/// Theirs for stdout and stderr.
const STDOUT: i32 = 1;
const STDERR: i32 = 2;

pub fn stdout_apart() -> Result<File> {
    let apart = std::io::stdout().as_handle().try_clone_to_owned()?;
    let (stdout, stderr) = (std::io::stdout().as_raw_handle(), std::io::stderr().as_raw_handle());
    if stdout.is_null() || stderr.is_null() {
        return Err(ErrorKind::NotFound.into());
    }
    // Every library closes what it takes for its own stdout, which is one and the same: after the first of them its number may already be that of something else.
    // SAFETY: the handle is open, as it was just cloned.
    unsafe { SetHandleInformation(stdout, HANDLE_FLAG_PROTECT_FROM_CLOSE, HANDLE_FLAG_PROTECT_FROM_CLOSE) };
    for library in C_LIBRARIES {
        redirect(library);
    }
    // Libraries that are loaded from now on find stderr in its place.
    // SAFETY: the handle is open, and stays so for as long as the process lives.
    let is_set = unsafe { SetStdHandle(STD_OUTPUT_HANDLE, stderr) } != 0;
    let error = Error::last_os_error();
    // SAFETY: nobody knows it as stdout any more. Programs that are started would inherit it, and keep the pipe open after a crash.
    unsafe {
        SetHandleInformation(stdout, HANDLE_FLAG_PROTECT_FROM_CLOSE, 0);
        if is_set && stdout != stderr {
            CloseHandle(stdout);
        }
    }
    if is_set { Ok(File::from(apart)) } else { Err(error) }
}

/// Has a C library that is loaded write its stdout to where its stderr goes.
fn redirect(library: &'static [u8]) {
    type Dup2 = unsafe extern "C" fn(i32, i32) -> i32;
    // SAFETY: the name ends with 0. A library that is loaded already is neither loaded again nor kept.
    let module = unsafe { GetModuleHandleA(library.as_ptr()) };
    if module.is_null() {
        return;
    }
    // SAFETY: the library is loaded, and the name ends with 0.
    if let Some(function) = unsafe { GetProcAddress(module, c"_dup2".as_ptr().cast()) } {
        // SAFETY: `_dup2` of every C library has that type.
        let dup2: Dup2 = unsafe { std::mem::transmute(function) };
        // SAFETY: both are open, as the process was started with pipes for them. Where it fails the library goes on as before.
        unsafe { dup2(STDERR, STDOUT) };
    }
}

/// Memory that others find by a name, and that is gone with the last process that has it: no file is behind it.
#[derive(Debug)]
pub struct Section {
    /// Keeps the name.
    _handle: OwnedHandle,
    start: *mut u8,
    len_bytes: usize,
    name: String,
}

// SAFETY: the memory is the section's own until it is dropped. Who writes it and when is said where it is used, as of any memory that is shared.
unsafe impl Send for Section {}
// SAFETY: as above.
unsafe impl Sync for Section {}

impl Section {
    /// So many bytes, all of them 0, for this name. `AlreadyExists` where somebody has that.
    pub fn made(name: String, len_bytes: usize) -> Result<Self> {
        let [high, low] = [(len_bytes as u64 >> 32) as u32, len_bytes as u32];
        // SAFETY: no file is behind it, the rights are the person's own, and the name ends with 0.
        let handle = unsafe { CreateFileMappingW(INVALID_HANDLE_VALUE, std::ptr::null(), PAGE_READWRITE, high, low, wide(&name).as_ptr()) };
        // SAFETY: it reads a number of this thread.
        let is_others = unsafe { GetLastError() } == ERROR_ALREADY_EXISTS;
        let handle = owned(handle)?;
        if is_others {
            return Err(ErrorKind::AlreadyExists.into());
        }
        Self::mapped(handle, name, len_bytes, FILE_MAP_READ | FILE_MAP_WRITE)
    }

    /// What another process has by this name, to be read.
    pub fn opened(name: String, len_bytes: usize) -> Result<Self> {
        // SAFETY: the name ends with 0.
        let handle = owned(unsafe { OpenFileMappingW(FILE_MAP_READ, 0, wide(&name).as_ptr()) })?;
        let mut section = Self::mapped(handle, name, 0, FILE_MAP_READ)?;
        let mut known = MEMORY_BASIC_INFORMATION::default();
        // SAFETY: the memory is mapped, and what is known of it fits.
        let written = unsafe { VirtualQuery(section.start.cast(), &raw mut known, size_of::<MEMORY_BASIC_INFORMATION>()) };
        // In whole pages: what is behind the last byte on its page is 0.
        if written == 0 || known.RegionSize < len_bytes {
            return Err(crate::files::incomplete());
        }
        section.len_bytes = len_bytes;
        Ok(section)
    }

    /// With 0 bytes all of it is mapped.
    fn mapped(handle: OwnedHandle, name: String, len_bytes: usize, access: FILE_MAP) -> Result<Self> {
        // SAFETY: the handle is that of a section, and open.
        let view = unsafe { MapViewOfFile(handle.as_raw_handle(), access, 0, 0, len_bytes) };
        if view.Value.is_null() {
            return Err(Error::last_os_error());
        }
        Ok(Self { _handle: handle, start: view.Value.cast(), len_bytes, name })
    }

    /// By what others find it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it begins.
    #[must_use]
    pub const fn start(&self) -> *mut u8 {
        self.start
    }

    /// How long it is.
    #[must_use]
    pub const fn len_bytes(&self) -> usize {
        self.len_bytes
    }
}

impl Drop for Section {
    fn drop(&mut self) {
        let view = windows_sys::Win32::System::Memory::MEMORY_MAPPED_VIEW_ADDRESS { Value: self.start.cast() };
        // SAFETY: it was mapped here, and nobody has a reference into it any more.
        unsafe { UnmapViewOfFile(view) };
    }
}

fn owned(handle: HANDLE) -> Result<OwnedHandle> {
    if handle.is_null() {
        return Err(Error::last_os_error());
    }
    // SAFETY: it was just made and belongs to nobody else.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}
