//! The processor's name, for readings.

use std::sync::OnceLock;

/// What the processor calls itself, or its architecture where it does not say.
#[must_use]
pub fn processor_name() -> String {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| brand().unwrap_or_else(|| format!("{} processor", std::env::consts::ARCH))).clone()
}

/// The brand string of CPUID: leaves `0x8000_0002` to `0x8000_0004`, 16 bytes of ASCII each, padded with NUL.
#[cfg(target_arch = "x86_64")]
fn brand() -> Option<String> {
    use std::arch::x86_64::__cpuid;
    if __cpuid(0x8000_0000).eax < 0x8000_0004 {
        return None;
    }
    let bytes: Vec<u8> = (0x8000_0002..=0x8000_0004_u32)
        .map(__cpuid)
        .flat_map(|leaf| [leaf.eax, leaf.ebx, leaf.ecx, leaf.edx])
        .flat_map(u32::to_le_bytes)
        .filter(|&byte| byte != 0)
        .collect();
    tidy(&String::from_utf8_lossy(&bytes))
}

/// "Apple M2", as macOS calls it.
#[cfg(all(target_os = "macos", not(target_arch = "x86_64")))]
fn brand() -> Option<String> {
    let mut bytes = [0_u8; 128];
    let mut length = bytes.len();
    let name = c"machdep.cpu.brand_string";
    // SAFETY: the name ends with 0, `length` says how long the place for the answer is, and nothing is set.
    let code = unsafe { libc::sysctlbyname(name.as_ptr(), bytes.as_mut_ptr().cast(), &raw mut length, std::ptr::null_mut(), 0) };
    let told = std::ffi::CStr::from_bytes_until_nul(&bytes).ok().filter(|_| code == 0)?;
    tidy(&told.to_string_lossy())
}

/// The first line of `/proc/cpuinfo` that names the processor; elsewhere nothing does without a library.
#[cfg(not(any(target_os = "macos", target_arch = "x86_64")))]
fn brand() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name") || line.starts_with("Model"))?;
    tidy(line.split_once(':')?.1)
}

/// Brand strings are padded with runs of spaces in places.
fn tidy(text: &str) -> Option<String> {
    let words: Vec<_> = text.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::{processor_name, tidy};

    #[test]
    fn there_is_always_a_name() {
        assert!(!processor_name().trim().is_empty());
    }

    #[test]
    fn runs_of_spaces_become_one_and_nothing_is_no_name() {
        assert_eq!(tidy("  Some(R)   CPU  @ 2.00GHz ").as_deref(), Some("Some(R) CPU @ 2.00GHz"));
        assert_eq!(tidy("   "), None);
    }
}
