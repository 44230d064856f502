//! Binaries and PTX of real drivers: what an NVIDIA H200's driver, PoCL 3.1 (with the one work-group's code that ran) and Intel's CPU runtime 2026.22 made of this program's kernels.
//! Counts of the whole kernel are held to those of a disassembler that knows nothing of this one: `objdump -d -M intel`, operands counted by a script.

use super::{KernelCode, Sameness, read, resources, tools, unread};
use model::{CodeForm, Mix, Resources, Space, Width};

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

/// AMD's code objects by clang 19.1.7 and libclc, and stripped, as in `offline` but linked (without `-S`, by lld 19); gfx1100 and gfx90a with
/// `__attribute__((amdgpu_num_vgpr(24)))` before the kernel, so that registers are spilled. Of `source --filter equalize --channels gray --variant
/// coalesced+counters=local`, and of `source --channels gray --variant padded+vectorize=16+merged`.
const GFX1030_EQUALIZE: &[u8] = include_bytes!("../../../../tests/compiled/amd_gfx1030_equalize.o");
const GFX1100_SPILLS: &[u8] = include_bytes!("../../../../tests/compiled/amd_gfx1100_laplace_spills.o");
const GFX90A_SPILLS: &[u8] = include_bytes!("../../../../tests/compiled/amd_gfx90a_laplace_spills.o");

/// Of Intel's driver for an Arc A770, 22.43: `ocloc compile -device dg2 --format zebin -exclude_ir`, of the same kernel of Laplace; the second with
/// `__attribute__((intel_reqd_sub_group_size(32)))` before it, so that registers are spilled.
const DG2_LAPLACE: &[u8] = include_bytes!("../../../../tests/compiled/intel_dg2_laplace.bin");
const DG2_SPILLS: &[u8] = include_bytes!("../../../../tests/compiled/intel_dg2_laplace_spills.bin");

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

/// As `llvm-readelf --notes` and `llvm-objdump -d` of LLVM 19 say.
#[test]
fn amds_notes_and_lengths_say_what_llvms_tools_say() {
    let scalars = |registers, sub_group_registers, sub_group, instructions| Resources {
        registers: Some(registers),
        sub_group_registers: Some(sub_group_registers),
        sub_group: Some(sub_group),
        instructions: Some(instructions),
        sub_group_spills: Some(0),
        spill_store_bytes: Some(0),
        spill_load_bytes: Some(0),
        stack_bytes: Some(0),
        local_bytes: Some(0),
        ..Resources::default()
    };
    let spilled = |count: u32, stack, registers| {
        let bytes = Some(4 * count);
        Resources { spill_store_bytes: bytes, spill_load_bytes: bytes, stack_bytes: Some(stack), ..registers }
    };
    let with_accumulation = |registers| Resources { accumulation_registers: Some(0), ..registers };
    for (binary, name, expected, bytes) in [
        (GFX1030_EQUALIZE, "clear_counters", scalars(3, 12, 32, 24), 144),
        (GFX1030_EQUALIZE, "count_values", Resources { local_bytes: Some(1024), ..scalars(12, 18, 32, 119) }, 620),
        (GFX1030_EQUALIZE, "make_table", scalars(17, 15, 32, 190), 1084),
        (GFX1030_EQUALIZE, "map_values", scalars(6, 12, 32, 48), 292),
        (GFX1100_SPILLS, "laplace", spilled(86, 216, scalars(24, 18, 32, 648)), 4196),
        (GFX90A_SPILLS, "laplace", spilled(29, 100, with_accumulation(scalars(48, 24, 64, 419))), 2680),
    ] {
        assert_eq!(resources(binary, "", name), expected, "{name}");
        let known = unread(binary, name).expect("a code object");
        assert_eq!((known.form, known.code_bytes), (CodeForm::Gcn, bytes), "{name}");
        // An old disassembler knows no new processor.
        match read(binary, name, None, &[512, 512]) {
            Ok(code) => assert_eq!(Some(code.mixes().2.instructions), expected.instructions, "{name}"),
            Err(why) => assert!(tools::objdump().is_none() || binary == GFX1100_SPILLS, "{name}: {why}"),
        }
    }
    assert_eq!((resources(GFX1030_EQUALIZE, "", "laplace"), unread(GFX1030_EQUALIZE, "laplace")), (Resources::default(), None));
}

/// As the text in the file says, and `iga64 -d -p=12p71`, whose lines that are neither labels nor "illegal" were counted.
#[test]
fn intels_gpus_binaries_say_what_their_text_and_intels_disassembler_say() {
    let expected = |sub_group, instructions| Resources {
        sub_group_registers: Some(128),
        sub_group: Some(sub_group),
        instructions: Some(instructions),
        spill_store_bytes: Some(0),
        spill_load_bytes: Some(0),
        stack_bytes: Some(0),
        local_bytes: Some(0),
        barriers: Some(0),
        ..Resources::default()
    };
    assert_eq!(resources(DG2_LAPLACE, "", "laplace"), expected(16, 406));
    // 4096 bytes a sub-group, for private arrays and spilled registers together: of which is not told.
    let spills = Resources { spill_store_bytes: None, spill_load_bytes: None, stack_bytes: Some(128), ..expected(32, 907) };
    assert_eq!(resources(DG2_SPILLS, "", "laplace"), spills);
    let known = unread(DG2_LAPLACE, "laplace").expect("code");
    assert_eq!((known.form, known.code_bytes), (CodeForm::IntelGpu, 0x18c0));
    assert_ne!(known.code_hash, unread(DG2_SPILLS, "laplace").expect("code").code_hash);
    let why_not = |name: &str| read(DG2_LAPLACE, name, None, &[512, 512]).expect_err("it is not read");
    assert!(why_not("laplace").contains("counted") && why_not("sobel").contains("sobel"));
}

#[test]
fn damaged_binaries_do_no_harm() {
    for binary in [GFX1030_EQUALIZE, GFX90A_SPILLS, DG2_SPILLS] {
        let all = |bytes: &[u8]| {
            for name in ["laplace", "count_values"] {
                let _ = (resources(bytes, "", name), unread(bytes, name));
            }
        };
        (0..binary.len()).step_by(31).for_each(|end| all(&binary[..end]));
        for position in (0..binary.len()).step_by(7) {
            let mut changed = binary.to_vec();
            changed[position] = !changed[position];
            all(&changed);
        }
    }
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
