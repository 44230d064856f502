//! The bytes of `CL_PROGRAM_BINARIES`: what each driver puts in, and where the code lies in them. Nothing here trusts an offset.

use super::zebin;
use base::texts::text;

/// What a driver's binary holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents<'a> {
    /// PoCL's: a shared object for each kernel and work-group that was compiled so far.
    SharedObjects(Vec<SharedObject<'a>>),
    /// Intel's CPU runtime: one relocatable object with all kernels, for every work-group.
    Object(&'a [u8]),
    /// NVIDIA's PTX.
    Ptx(&'a str),
    /// AMD's code object, for every work-group.
    Amd(&'a [u8]),
    /// The ELF file of Intel's GPUs, for every work-group.
    IntelGpu(&'a [u8]),
    /// No code that can be read, and why, as a clause.
    Nothing(&'static str),
}

/// One file within PoCL's binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedObject<'a> {
    /// Name of the kernel.
    pub kernel: &'a str,
    /// The work-group that it was compiled for; all 0: for every one.
    pub group: [usize; 3],
    /// The ELF file.
    pub bytes: &'a [u8],
}

const ELF_MAGIC: &[u8; 4] = b"\x7fELF";

/// The machine in an ELF header that is an AMD GPU.
const EM_AMDGPU: u16 = 224;

/// Finds out what the bytes are.
#[must_use]
pub fn open(binary: &[u8]) -> Contents<'_> {
    if binary.is_empty() {
        Contents::Nothing(text("code.reason.no-binary"))
    } else if binary.starts_with(b"poclbin\0") {
        Contents::SharedObjects(shared_objects(binary))
    } else if binary.starts_with(ELF_MAGIC) {
        elf(binary)
    } else if let Some(text) = ptx(binary) {
        Contents::Ptx(text)
    } else if has_spirv(binary) {
        Contents::Nothing(text("code.reason.spirv"))
    } else {
        Contents::Nothing(text("code.reason.other-form"))
    }
}

/// PoCL stores files as path, length in 32 bits and bytes; what lies between them is not needed.
fn shared_objects(binary: &[u8]) -> Vec<SharedObject<'_>> {
    const MARK: &[u8] = b".so";
    let at = |index: usize| {
        let behind = binary.get(index..)?.strip_prefix(MARK)?;
        let (length, rest) = behind.split_first_chunk::<4>()?;
        let bytes = rest.get(..u32::from_le_bytes(*length) as usize).filter(|bytes| bytes.starts_with(ELF_MAGIC))?;
        let before = binary.get(..index)?;
        let is_in_path = |byte: &u8| byte.is_ascii_graphic() || *byte == b' ';
        let begin = before.iter().rposition(|byte| !is_in_path(byte)).map_or(0, |last| last + 1);
        // …/KERNEL/16-4-1-goffs0/KERNEL, without the ending.
        let mut parts = std::str::from_utf8(before.get(begin..)?).ok()?.rsplit('/');
        let (_, group, kernel) = (parts.next()?, parts.next()?, parts.next()?);
        Some(SharedObject { kernel, group: group_size(group)?, bytes })
    };
    let ends = binary.windows(MARK.len()).enumerate().filter(|(_, window)| *window == MARK);
    ends.filter_map(|(index, _)| at(index)).collect()
}

/// `16-4-1`, with anything behind it.
fn group_size(text: &str) -> Option<[usize; 3]> {
    let mut sides = text.split('-').map(str::parse::<usize>);
    Some([sides.next()?.ok()?, sides.next()?.ok()?, sides.next()?.ok()?])
}

fn elf(binary: &[u8]) -> Contents<'_> {
    if let Some(object) = intel_object(binary) {
        return Contents::Object(object);
    }
    let machine = binary.get(18..).and_then(|rest| rest.first_chunk::<2>()).map(|bytes| u16::from_le_bytes(*bytes));
    match machine {
        Some(EM_AMDGPU) => Contents::Amd(binary),
        _ if zebin::is_zebin(binary) => Contents::IntelGpu(binary),
        _ => Contents::Nothing(text("code.reason.no-code")),
    }
}

/// The section `.ocl.obj` of Intel's container. Its header lacks the version that readers of ELF insist on, so the few fields that are needed are read here:
/// section headers of 64 bytes with name (4 bytes) at 0, offset (8) at 24 and size (8) at 32; all little-endian.
fn intel_object(binary: &[u8]) -> Option<&[u8]> {
    let word = |at: usize| Some(u64::from_le_bytes(*binary.get(at..)?.first_chunk()?)).and_then(|value| usize::try_from(value).ok());
    let half = |at: usize| Some(usize::from(u16::from_le_bytes(*binary.get(at..)?.first_chunk()?)));
    let name = |at: usize| Some(u32::from_le_bytes(*binary.get(at..)?.first_chunk()?) as usize);
    let (table, size, count, names_index) = (word(40)?, half(58)?, half(60)?, half(62)?);
    let header = |index: usize| table.checked_add(index.checked_mul(size)?);
    let data = |header: usize| {
        let (offset, length) = (word(header.checked_add(24)?)?, word(header.checked_add(32)?)?);
        binary.get(offset..offset.checked_add(length)?)
    };
    let names = data(header(names_index)?)?;
    let is_named = |header: usize, wanted: &[u8]| {
        let text = name(header).and_then(|at| names.get(at..));
        text.is_some_and(|text| text.strip_prefix(wanted).is_some_and(|rest| rest.first() == Some(&0)))
    };
    let found = (0..count).filter_map(header).find(|&header| is_named(header, b".ocl.obj"))?;
    data(found).filter(|object| object.starts_with(ELF_MAGIC))
}

/// Text up to the first zero byte that says which version of PTX it is.
fn ptx(binary: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(binary.split(|byte| *byte == 0).next()?).ok()?;
    let mut lines = text.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.next().is_some_and(|line| line.starts_with(".version")).then_some(text)
}

/// The magic number at a word near the beginning: drivers put headers of their own before it.
fn has_spirv(binary: &[u8]) -> bool {
    const NEAR: usize = 4096;
    let magic = 0x0723_0203_u32.to_le_bytes();
    binary.get(..binary.len().min(NEAR)).unwrap_or_default().windows(4).any(|word| word == magic)
}

#[cfg(test)]
mod tests {
    use super::{Contents, SharedObject, open};

    fn pocl() -> Vec<u8> {
        let mut bytes = b"poclbin\0....".to_vec();
        for (path, elf) in [("/laplace/16-4-1-goffs0/laplace.so", "\x7fELFabc"), ("/laplace/0-0-0/laplace.so", "\x7fELF")] {
            bytes.extend((path.len() as u32).to_le_bytes());
            bytes.extend(path.as_bytes());
            bytes.extend((elf.len() as u32).to_le_bytes());
            bytes.extend(elf.as_bytes());
        }
        bytes
    }

    #[test]
    fn pocls_files_are_found_with_kernel_and_group() {
        let bytes = pocl();
        let Contents::SharedObjects(found) = open(&bytes) else { panic!("PoCL's") };
        let expected = |group, bytes| SharedObject { kernel: "laplace", group, bytes };
        assert_eq!(found, [expected([16, 4, 1], b"\x7fELFabc".as_slice()), expected([0, 0, 0], b"\x7fELF".as_slice())]);
    }

    #[test]
    fn a_binary_that_is_cut_anywhere_is_no_harm() {
        let bytes = pocl();
        for end in 0..bytes.len() {
            if let Contents::SharedObjects(found) = open(&bytes[..end]) {
                assert!(found.len() < 2, "cut at {end}");
            }
        }
    }

    #[test]
    fn ptx_is_text_that_begins_with_its_version() {
        let text = "//\n// Generated by NVIDIA NVVM Compiler\n//\n\n.version 8.7\n.target sm_90\n";
        assert_eq!(open(format!("{text}\0").as_bytes()), Contents::Ptx(text));
        assert!(matches!(open(b"// a comment alone\n"), Contents::Nothing(_)));
    }

    #[test]
    fn what_holds_no_code_says_what_it_is() {
        let spirv = [b"head".as_slice(), &0x0723_0203_u32.to_le_bytes()].concat();
        for (bytes, word) in [(spirv.as_slice(), "SPIR-V"), (b"?", "form"), (b"", "no binary"), (b"\x7fELF", "ELF")] {
            assert!(matches!(open(bytes), Contents::Nothing(why) if why.contains(word)), "{word}");
        }
    }
}
