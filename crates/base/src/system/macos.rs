//! macOS.
#![expect(
    unsafe_code,
    reason = "macOS is asked through a C interface; every call to it is in this file, behind functions that check what they pass"
)]

use super::CpuTime;
use core_foundation_sys::array::{CFArrayGetCount, CFArrayGetValueAtIndex};
use core_foundation_sys::base::CFRelease;
use core_foundation_sys::locale::CFLocaleCopyPreferredLanguages;
use core_foundation_sys::string::{CFStringGetCString, kCFStringEncodingUTF8};
use std::ffi::CStr;

/// Hundredths of a second, in which the system counts for all cores.
const NS_PER_TICK: u64 = 10_000_000;

pub fn cpu_time() -> Option<CpuTime> {
    // SAFETY: a record of plain numbers may be all 0.
    let mut load: libc::host_cpu_load_info = unsafe { std::mem::zeroed() };
    let mut count = (size_of::<libc::host_cpu_load_info>() / size_of::<libc::integer_t>()) as u32;
    #[expect(deprecated, reason = "for another crate with the same function")]
    // SAFETY: it takes nothing. The port is this process's, once and for all.
    let host = unsafe { libc::mach_host_self() };
    // SAFETY: the record is one of that kind, and `count` is its length in numbers.
    let code = unsafe { libc::host_statistics(host, libc::HOST_CPU_LOAD_INFO, (&raw mut load).cast(), &raw mut count) };
    let [user, system, idle, nice] = load.cpu_ticks.map(u64::from);
    (code == 0).then_some(CpuTime { busy_ns: (user + system + nice) * NS_PER_TICK, idle_ns: idle * NS_PER_TICK })
}

pub fn process_time_ns(process: u32) -> Option<u64> {
    let length = i32::try_from(size_of::<libc::proc_taskinfo>()).ok()?;
    // SAFETY: a record of plain numbers may be all 0.
    let mut info: libc::proc_taskinfo = unsafe { std::mem::zeroed() };
    // SAFETY: the record is one of that kind, and so long.
    let written = unsafe { libc::proc_pidinfo(process.cast_signed(), libc::PROC_PIDTASKINFO, 0, (&raw mut info).cast(), length) };
    let (numerator, denominator) = timebase()?;
    // In counts of the processor's clock, which are 41.67 ns on Apple Silicon.
    let counts = u128::from(info.pti_total_user) + u128::from(info.pti_total_system);
    (written == length).then(|| u64::try_from(counts * numerator / denominator).unwrap_or(u64::MAX))
}

/// Nanoseconds per count, as a fraction.
#[expect(deprecated, reason = "for another crate with the same function")]
fn timebase() -> Option<(u128, u128)> {
    let mut base = libc::mach_timebase_info { numer: 0, denom: 0 };
    // SAFETY: the record is written.
    let code = unsafe { libc::mach_timebase_info(&raw mut base) };
    (code == 0 && base.denom > 0).then(|| (u128::from(base.numer), u128::from(base.denom)))
}

pub fn ended_children_ns() -> u64 {
    // SAFETY: a record of plain numbers may be all 0.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the record is written.
    if unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) } != 0 {
        return 0;
    }
    let ns =
        |time: libc::timeval| u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_usec).unwrap_or(0) * 1000;
    ns(usage.ru_utime) + ns(usage.ru_stime)
}

/// Of one process: it has some workers and what a driver starts.
const MOST_CHILDREN: usize = 256;

pub fn children(of: &[u32]) -> Vec<u32> {
    let mut found = Vec::new();
    for process in of {
        let mut numbers = [0_i32; MOST_CHILDREN];
        let length = i32::try_from(size_of_val(&numbers)).unwrap_or(0);
        // SAFETY: the list has so many bytes.
        let count = unsafe { libc::proc_listchildpids(process.cast_signed(), numbers.as_mut_ptr().cast(), length) };
        let count = usize::try_from(count).unwrap_or(0);
        found.extend(numbers.into_iter().take(count).filter(|number| *number > 0).map(i32::cast_unsigned));
    }
    found
}

/// Whether there is no such process any more.
#[must_use]
pub fn process_ended(process: u32) -> bool {
    let process = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
    process.is_none_or(|process| rustix::process::test_kill_process(process) == Err(rustix::io::Errno::SRCH))
}

/// Names of languages are shorter.
const MOST_BYTES: usize = 64;

pub fn chosen_language() -> Option<String> {
    // SAFETY: it takes nothing; the list that comes back is released below.
    let languages = unsafe { CFLocaleCopyPreferredLanguages() };
    if languages.is_null() {
        return None;
    }
    let mut bytes = [0_u8; MOST_BYTES];
    // SAFETY: the list is alive and of strings; its first one is there where it has any, and is written with a 0 at its end into so many bytes.
    let is_told = unsafe {
        CFArrayGetCount(languages) > 0
            && CFStringGetCString(
                CFArrayGetValueAtIndex(languages, 0).cast(),
                bytes.as_mut_ptr().cast(),
                MOST_BYTES.cast_signed(),
                kCFStringEncodingUTF8,
            ) != 0
    };
    // SAFETY: it is this function's own by the rule of names with `Copy`.
    unsafe { CFRelease(languages.cast()) };
    let told = CStr::from_bytes_until_nul(&bytes).ok().filter(|_| is_told)?;
    Some(told.to_string_lossy().into_owned())
}
