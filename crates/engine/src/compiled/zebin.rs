//! Code of Intel's GPUs: the ELF files ("zebin") that its driver hands out. What the compiler reserved for a kernel stands in a section of text, and its machine
//! code in a section of its own, whose instructions are counted by their lengths; what each does is not read.
//!
//! Sources: "ZE Info" and "ZEBIN" of Intel's graphics compiler, and of its instructions the encoding that all GPUs since Gen8 share: 16 bytes, or 8 where bit 29
//! says that it is compacted.

use super::Unread;
use super::elf::Object;
use base::texts::{filled, text};
use model::{CodeForm, Resources};

/// The section of text.
const INFO: &str = ".ze_info";

/// An instruction's length, and that of a compacted one.
const BYTES: usize = 16;
const COMPACTED_BYTES: usize = 8;

/// Whether an ELF file is one, as its section of text says.
pub fn is_zebin(elf: &[u8]) -> bool {
    Object::parse(elf).is_ok_and(|object| object.named(INFO).is_some())
}

/// What the text says of a kernel, and how many instructions it has.
pub fn resources(elf: &[u8], kernel: &str) -> Option<Resources> {
    let object = Object::parse(elf).ok()?;
    let info = std::str::from_utf8(object.named(INFO)?).ok()?;
    let mut found = reserved(info, kernel)?;
    found.instructions = code(&object, kernel).and_then(count);
    Some(found)
}

/// What is known of a kernel, whose instructions are not read.
pub fn unread(elf: &[u8], kernel: &str) -> Option<Unread> {
    let object = Object::parse(elf).ok()?;
    let own = code(&object, kernel)?;
    Some(Unread::of(CodeForm::IntelGpu, own, &object))
}

/// Why its instructions are not read, as a clause.
pub fn why_not(elf: &[u8], kernel: &str) -> String {
    match resources(elf, kernel) {
        Some(_) => text("code.reason.intel-gpu").to_owned(),
        None => filled("code.reason.no-intel-kernel", &[("name", &kernel)]),
    }
}

fn code<'a>(object: &Object<'a>, kernel: &str) -> Option<&'a [u8]> {
    object.named(&format!(".text.{kernel}"))
}

/// Instructions up to the first one whose operation is 0, "illegal": what fills the room behind a kernel. `None` where the code ends within one.
fn count(mut code: &[u8]) -> Option<u32> {
    const OPERATION: u32 = 0x7f;
    const IS_COMPACTED: u32 = 1 << 29;
    let mut count = 0_u32;
    while let Some(first) = code.first_chunk::<4>().map(|word| u32::from_le_bytes(*word)).filter(|word| word & OPERATION != 0) {
        code = code.get(if first & IS_COMPACTED == 0 { BYTES } else { COMPACTED_BYTES }..)?;
        count = count.checked_add(1)?;
    }
    Some(count)
}

/// A buffer that each thread or each work-item has.
#[derive(Clone, Copy, Default)]
struct Buffer<'a> {
    usage: &'a str,
    bytes: u32,
    is_of_work_item: bool,
}

/// What a kernel's entry has: one line for each key, as deep as it is indented; lists have dashes. No key that is read here stands twice in an entry but for
/// those of buffers.
fn reserved(info: &str, kernel: &str) -> Option<Resources> {
    let (mut found, mut part) = (Resources { barriers: Some(0), local_bytes: Some(0), ..Resources::default() }, "");
    let (mut spilled, mut private) = (None, None);
    let mut buffers: Vec<Buffer<'_>> = Vec::new();
    for (depth, is_item, key, value) in entry(info, kernel)? {
        let number = || value.parse::<u32>().ok();
        match (depth, part, key) {
            (4, ..) => part = key,
            (_, "execution_env", "grf_count") => found.sub_group_registers = number(),
            (_, "execution_env", "simd_size") => found.sub_group = number().filter(|size| *size > 0),
            (_, "execution_env", "slm_size") => found.local_bytes = number(),
            (_, "execution_env", "barrier_count") => found.barriers = number(),
            (_, "execution_env", "spill_size") => spilled = number(),
            (_, "execution_env", "private_size") => private = number(),
            (_, "per_thread_memory_buffers", _) => {
                if is_item {
                    buffers.push(Buffer::default());
                }
                if let Some(buffer) = buffers.last_mut() {
                    match key {
                        "usage" => buffer.usage = value,
                        "size" => buffer.bytes = number().unwrap_or_default(),
                        "is_simt_thread" => buffer.is_of_work_item = value == "true",
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    // Of a buffer for both it is not told what is spilled.
    let is_mixed = buffers.iter().any(|buffer| buffer.usage == "single_space");
    let lanes = found.sub_group.unwrap_or(1);
    let of_work_item = |usages: &[&str]| {
        let own = buffers.iter().filter(|buffer| usages.contains(&buffer.usage));
        own.map(|buffer| if buffer.is_of_work_item { buffer.bytes } else { buffer.bytes.div_ceil(lanes) }).fold(0, u32::saturating_add)
    };
    let spilled = spilled.map(|bytes| bytes.div_ceil(lanes)).or_else(|| (!is_mixed).then(|| of_work_item(&["spill_fill_space"])));
    (found.spill_store_bytes, found.spill_load_bytes) = (spilled, spilled);
    let of_buffers = of_work_item(&["private_space", "single_space"]);
    found.stack_bytes = Some(private.filter(|_| buffers.is_empty()).map_or(of_buffers, |bytes| bytes.div_ceil(lanes)));
    Some(found)
}

/// The lines of a kernel's entry: depth of the key, whether an item begins with it, key and value.
fn entry<'a>(info: &'a str, kernel: &str) -> Option<impl Iterator<Item = (usize, bool, &'a str, &'a str)>> {
    let parsed = |line: &'a str| {
        let bare = line.trim_start();
        let is_item = bare.starts_with("- ");
        let own = bare.strip_prefix("- ").unwrap_or(bare);
        let (key, value) = own.split_once(':')?;
        Some((line.len() - own.len(), is_item, key.trim(), value.trim().trim_matches('\'')))
    };
    let mut kernels =
        info.lines().skip_while(|line| line.trim_end() != "kernels:").skip(1).take_while(|line| line.starts_with(' ')).filter_map(parsed);
    kernels.find(|(depth, is_item, key, value)| (*depth, *is_item, *key, *value) == (4, true, "name", kernel))?;
    Some(kernels.take_while(|(depth, is_item, ..)| !(*depth == 4 && *is_item)))
}

#[cfg(test)]
mod tests {
    use super::{count, reserved};
    use model::Resources;

    /// As Intel's compiler writes it, of two kernels, and in the third of a later version.
    const INFO: &str = "---
version:         '1.20'
kernels:
  - name:            count_values
    execution_env:
      barrier_count:   1
      grf_count:       128
      simd_size:       16
      slm_size:        1024
    payload_arguments:
      - arg_type:        local_size
        offset:          12
        size:            12
    per_thread_memory_buffers:
      - type:            global
        usage:           private_space
        size:            256
        is_simt_thread:  true
      - type:            scratch
        usage:           spill_fill_space
        size:            2112
  - name:            map_values
    execution_env:
      grf_count:       256
      simd_size:       32
  - name:            later
    execution_env:
      grf_count:       128
      simd_size:       32
      private_size:    640
      spill_size:      2112
kernels_misc_info:
  - name:            elsewhere
    execution_env:
      grf_count:       7
...
";

    #[test]
    fn what_is_reserved_is_that_of_the_kernel_and_of_a_work_item() {
        let expected = |[sub_group_registers, sub_group, barriers]: [u32; 3], [local, spills, stack]: [u32; 3]| Resources {
            sub_group_registers: Some(sub_group_registers),
            sub_group: Some(sub_group),
            barriers: Some(barriers),
            local_bytes: Some(local),
            spill_store_bytes: Some(spills),
            spill_load_bytes: Some(spills),
            stack_bytes: Some(stack),
            ..Resources::default()
        };
        for (name, resources) in [
            ("count_values", expected([128, 16, 1], [1024, 132, 256])),
            ("map_values", expected([256, 32, 0], [0; 3])),
            ("later", expected([128, 32, 0], [0, 66, 20])),
        ] {
            assert_eq!(reserved(INFO, name), Some(resources), "{name}");
        }
        // One for both does not tell what is spilled.
        let mixed = reserved(&INFO.replace("spill_fill_space", "single_space"), "count_values").expect("known");
        assert_eq!((mixed.spill_store_bytes, mixed.stack_bytes), (None, Some(256 + 132)));
        assert_eq!(["elsewhere", "", "local_size"].map(|name| reserved(INFO, name)), [None, None, None]);
        for end in 0..INFO.len() {
            let _ = reserved(&INFO[..end], "later");
        }
    }

    #[test]
    fn instructions_are_counted_up_to_what_fills_the_room_behind_them() {
        let [long, short] =
            [(0x61_u32, 16), (0x2000_0061, 8)].map(|(word, bytes): (u32, usize)| [&word.to_le_bytes()[..], &vec![9; bytes - 4]].concat());
        let code = [&long[..], &short, &short, &long, &[0; 32]].concat();
        assert_eq!(count(&code), Some(4));
        assert_eq!([count(&code[..36]), count(&[]), count(&[0; 16])], [None, Some(0), Some(0)]);
    }
}
