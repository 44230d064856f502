//! Binaries and PTX of real drivers: what an NVIDIA H200's driver, PoCL 3.1 (with the one work-group's code that ran) and Intel's CPU runtime 2026.22 made of this program's kernels.
//! Counts of the whole kernel are held to those of a disassembler that knows nothing of this one: `objdump -d -M intel`, operands counted by a script.

use super::{KernelCode, Sameness, read};
use model::{Mix, Space, Width};

const POCL_FIVE: &[u8] = include_bytes!("../../../../tests/compiled/pocl_laplace_five.bin");
const POCL_FIVE_MERGED: &[u8] = include_bytes!("../../../../tests/compiled/pocl_laplace_five_merged.bin");
const INTEL_FIVE: &[u8] = include_bytes!("../../../../tests/compiled/intel_laplace_five.bin");
const INTEL_FIVE_MERGED: &[u8] = include_bytes!("../../../../tests/compiled/intel_laplace_five_merged.bin");
const INTEL_GAUSSIAN: &[u8] = include_bytes!("../../../../tests/compiled/intel_gaussian_coalesced.bin");
const INTEL_GAUSSIAN_CONSTANT: &[u8] = include_bytes!("../../../../tests/compiled/intel_gaussian_coalesced_mask_constant.bin");

/// For work-groups of 64 × 32, gray: sixteen work-items at once, and a loop for what is left of a row.
const POCL_SOBEL: &[u8] = include_bytes!("../../../../tests/compiled/pocl_sobel_coalesced_padded.bin");

/// PTX of an NVIDIA H200, driver 580.159.04.
const H200_FIVE: &[u8] = include_bytes!("../../../../tests/compiled/h200_laplace_five.ptx");
const H200_FIVE_MERGED: &[u8] = include_bytes!("../../../../tests/compiled/h200_laplace_five_merged.ptx");
const H200_FIVE_MERGED_SHORT16: &[u8] = include_bytes!("../../../../tests/compiled/h200_laplace_five_merged_short16.ptx");

fn kernel(binary: &[u8], name: &str) -> KernelCode {
    read(binary, name, Some(&[16, 4]), &[512, 512]).expect("reads")
}

fn widths(map: &std::collections::BTreeMap<Width, u32>) -> Vec<(u32, u32)> {
    map.iter().filter(|(width, _)| width.space == Space::Global).map(|(width, count)| (width.bits, *count)).collect()
}

fn hot(binary: &[u8]) -> Mix {
    kernel(binary, "laplace").mixes().0.expect("a hot block")
}

#[test]
fn whole_kernels_have_the_instructions_that_objdump_lists() {
    // Of PoCL's: _pocl_kernel_laplace_workgroup and sharpen_own_pixels together.
    for (binary, instructions, loads, stores) in [
        (POCL_FIVE, 406 + 187, [(8, 4), (16, 1), (32, 25), (64, 13), (128, 2)].as_slice(), [(8, 34)].as_slice()),
        (POCL_FIVE_MERGED, 406 + 217, &[(8, 4), (16, 1), (32, 28), (64, 11)], &[(8, 34)]),
        (INTEL_FIVE, 171, &[(8, 9), (32, 7), (64, 6), (128, 9), (512, 1)], &[(8, 11), (16, 2), (32, 2), (64, 2)]),
    ] {
        let whole = kernel(binary, "laplace").mixes().2;
        assert_eq!(whole.instructions, instructions);
        assert_eq!(widths(&whole.loads), loads);
        assert_eq!(widths(&whole.stores), stores);
    }
}

#[test]
fn ptx_has_the_loads_and_stores_that_its_text_names() {
    for ptx in [H200_FIVE, H200_FIVE_MERGED, H200_FIVE_MERGED_SHORT16] {
        // Words of the text alone, counted without reading it: every load and store of global memory here is of one byte.
        let text = String::from_utf8_lossy(ptx);
        let count = |word: &str| text.matches(word).count() as u32;
        let (loads, stores) = (count("ld.global.nc.u8") + count("ld.global.u8"), count("st.global.u8"));
        assert_eq!((loads, stores), (69, 36));
        assert_eq!((count("ld.global") + count("ld.param.global"), count("st.global")), (69, 36));
        let whole = kernel(ptx, "laplace").mixes().2;
        assert_eq!(widths(&whole.loads), [(8, loads)]);
        assert_eq!(widths(&whole.stores), [(8, stores)]);
    }
}

#[test]
fn merged_loads_are_the_same_program_on_an_h200_and_16_bit_sums_are_not() {
    let compare = |first: &[u8], second: &[u8]| Sameness::of(&kernel(first, "laplace").normal, &kernel(second, "laplace").normal);
    assert_eq!(compare(H200_FIVE, H200_FIVE_MERGED), Sameness::Same);
    assert_ne!(compare(H200_FIVE_MERGED, H200_FIVE_MERGED_SHORT16), Sameness::Same);
}

#[test]
fn the_hot_block_shows_what_became_of_wide_loads_and_stores() {
    // Nine vload16 of bytes, and stores of 8, 4, 2 and 1 bytes: as they are by Intel's compiler, cut to pieces by PoCL's.
    let intel = hot(INTEL_FIVE);
    assert_eq!(widths(&intel.loads), [(128, 9)]);
    assert_eq!(widths(&intel.stores), [(8, 1), (16, 1), (32, 1), (64, 1)]);
    assert_eq!(intel.vector_arithmetic.into_iter().collect::<Vec<_>>(), [(512, 10)]);
    let pocl = hot(POCL_FIVE);
    assert_eq!(widths(&pocl.loads), [(16, 1), (32, 20), (64, 4), (128, 2)]);
    assert_eq!(widths(&pocl.stores), [(8, 15)]);
    // Six loads instead of nine, and more shuffles for them.
    let merged = hot(INTEL_FIVE_MERGED);
    assert_eq!(widths(&merged.loads), [(128, 6)]);
    assert!(merged.shuffles > intel.shuffles, "{merged:?}");
}

#[test]
fn vector_code_is_told_from_the_loop_for_the_remainder() {
    let (hot, innermost, whole) = read(POCL_SOBEL, "sobel", Some(&[64, 32]), &[4096, 4096]).expect("reads").mixes();
    // Both are in the kernel.
    assert_eq!(widths(&whole.stores), [(8, 1), (256, 2)]);
    for piece in [hot.expect("a hot block"), innermost.expect("a loop")] {
        assert_eq!(widths(&piece.stores), [(256, 2)]);
        assert!(widths(&piece.loads).contains(&(256, 16)) && !widths(&piece.loads).contains(&(8, 8)), "{:?}", piece.loads);
        assert!(!piece.vector_arithmetic.is_empty(), "it is vectorized");
    }
}

#[test]
fn code_of_the_local_size_is_told_from_code_for_every_one() {
    assert_eq!(kernel(POCL_FIVE, "laplace").code.group, Some([16, 4, 1]));
    let other = read(POCL_FIVE, "laplace", Some(&[8, 8]), &[512, 512]).expect("reads");
    assert_eq!(other.code.group, None);
    assert_ne!(other.normal, kernel(POCL_FIVE, "laplace").normal);
    assert!(read(POCL_FIVE_MERGED, "laplace", Some(&[8, 8]), &[512, 512]).is_err());
    // The driver chose among those that divide the NDRange.
    assert_eq!(read(POCL_FIVE, "laplace", None, &[512, 512]).expect("reads").code.group, Some([16, 4, 1]));
    assert_eq!(read(POCL_FIVE, "laplace", None, &[512, 510]).expect("reads").code.group, None);
    assert_eq!(kernel(INTEL_FIVE, "laplace").code.group, None);
    assert!(read(INTEL_FIVE, "gaussian", None, &[512, 512]).is_err());
}

#[test]
fn two_kernels_of_the_same_instructions_are_found_and_others_are_not() {
    let compare = |first: &[u8], second: &[u8], name: &str| Sameness::of(&kernel(first, name).normal, &kernel(second, name).normal);
    // A mask of literals and one in constant memory; two binaries that are not the same bytes.
    assert!(INTEL_GAUSSIAN != INTEL_GAUSSIAN_CONSTANT, "two binaries");
    assert_eq!(compare(INTEL_GAUSSIAN, INTEL_GAUSSIAN_CONSTANT, "gaussian"), Sameness::Same);
    assert_ne!(compare(POCL_FIVE, POCL_FIVE_MERGED, "laplace"), Sameness::Same);
    assert_eq!(compare(INTEL_FIVE, INTEL_FIVE_MERGED, "laplace"), Sameness::Different);
}

/// Flips each bit of the kernel's own machine code: every flip that the processor would notice has to be seen, or be no code at all.
#[test]
fn a_changed_instruction_or_constant_is_never_the_same() {
    let normal = kernel(INTEL_FIVE, "laplace").normal;
    let at = INTEL_FIVE.windows(4).skip(4).position(|window| window == b"\x7fELF").expect("an object") + 4;
    let code = at + 0x40..at + 0x40 + 700;
    let mut same = 0;
    for position in code.clone() {
        let mut changed = INTEL_FIVE.to_vec();
        changed[position] ^= 0x20;
        same += usize::from(read(&changed, "laplace", None, &[512, 512]).is_ok_and(|code| code.normal == normal));
    }
    // Those between the instructions: a nop's length, and bits that the processor ignores.
    assert!(same * 20 < code.len(), "{same} of {} changes made no difference", code.len());
}

#[test]
fn damaged_binaries_do_no_harm() {
    for binary in [POCL_FIVE_MERGED, INTEL_FIVE] {
        for end in (0..binary.len()).step_by(97) {
            let _ = read(&binary[..end], "laplace", None, &[512, 512]);
        }
        for position in (0..binary.len()).step_by(61) {
            let mut changed = binary.to_vec();
            changed[position] = !changed[position];
            let _ = read(&changed, "laplace", None, &[512, 512]);
        }
    }
}
