//! Facts of the compiled code.
//!
//! Of PTX, which is one work-item's program, the whole kernel counts; of machine code of a processor, whose kernels are loops over a work-group, the
//! innermost loop with the functions that it calls. How wide accesses and arithmetic are is read in the block that moves most data. Several passes are
//! counted together, and of widths and registers the largest counts.

use super::fact::Facts;
use super::gather::Side;
use engine::compiled::{CodeComparison, Sameness};
use model::{CompiledKernel, Mix, Space};

/// Arithmetic without vector registers works on values of so many bits.
const SCALAR_BITS: u32 = 32;

impl Facts {
    /// What the compiler made of a variant's kernels; nothing where that was not looked at.
    pub fn add_code(&mut self, side: Side, kernels: &[CompiledKernel]) {
        if kernels.is_empty() {
            return;
        }
        let mut set = |name: &str, value: Option<f64>| self.set(&format!("{}.{name}", side.prefix()), value);
        // Of code that was not read there are no counts, but for the instructions, told apart by their lengths.
        let sum = |count: fn(&Mix) -> u32| kernels.iter().map(|kernel| kernel.body().map(count)).sum::<Option<u32>>().map(f64::from);
        let by_length = kernels.iter().map(CompiledKernel::instructions).sum::<Option<u32>>().map(f64::from);
        set("instructions", sum(|mix| mix.instructions).or(by_length));
        set("code_loads", sum(|mix| mix.loads_from(Space::Global)));
        set("code_byte_loads", sum(byte_loads));
        set("shuffles", sum(|mix| mix.shuffles));
        set("branches", sum(|mix| mix.branches));
        set("calls", sum(|mix| mix.calls));
        set("divisions", sum(|mix| mix.special_functions));
        set("conversions", sum(|mix| mix.conversions));
        set("fused", sum(|mix| mix.fused));
        let hot = |count: fn(&Mix) -> u32| {
            let blocks = kernels.iter().map(|kernel| kernel.hot_block.as_ref().map(count)).collect::<Option<Vec<_>>>();
            blocks.map(|counts| f64::from(counts.iter().sum::<u32>()))
        };
        set("hot_instructions", hot(|mix| mix.instructions));
        set("hot_loads", hot(|mix| mix.loads_from(Space::Global)));
        set("hot_divisions", hot(|mix| mix.special_functions));
        set("local_accesses", sum(|mix| mix.loads_from(Space::Local) + mix.stores_to(Space::Local)));
        let most = |width: fn(&Mix) -> u32| {
            let widths = kernels.iter().map(|kernel| kernel.core().map(width)).collect::<Option<Vec<_>>>();
            widths.and_then(|widths| widths.into_iter().max()).map(f64::from)
        };
        set("widest_access_bits", most(widest_access));
        set("vector_bits", most(|mix| mix.vector_arithmetic.keys().max().copied().unwrap_or(0).max(SCALAR_BITS)));
        set("registers", kernels.iter().filter_map(|kernel| kernel.resources.registers).max().map(f64::from));
        let spilled = kernels.iter().map(|kernel| Some(kernel.resources.spill_store_bytes? + kernel.resources.spill_load_bytes?));
        set("spilled_bytes", spilled.sum::<Option<u32>>().map(f64::from));
        let bytes = kernels.iter().map(|kernel| kernel.code_bytes).sum::<Option<u64>>();
        set("code_bytes", bytes.map(|bytes| bytes as f64));
    }

    /// How the code of the two compares. The same code over another layout or local size may well take another time, so it is no fact here.
    pub fn add_code_comparison(&mut self, code: &CodeComparison) {
        self.set_flag("same_text", code.is_same_text && code.is_same_local);
        match code.sameness {
            _ if code.is_same_work() => self.set_flag("same_code", true),
            _ if code.is_same_code() => {}
            Ok(sameness) => {
                self.set_flag("same_code", false);
                if let Sameness::SameButFor(count) = sameness {
                    self.set("different_instructions", count as f64);
                }
            }
            Err(_) => {}
        }
    }
}

fn byte_loads(mix: &Mix) -> u32 {
    mix.loads.iter().filter(|(width, _)| width.space == Space::Global && width.bits == 8).map(|(_, count)| count).sum()
}

fn widest_access(mix: &Mix) -> u32 {
    mix.loads.keys().chain(mix.stores.keys()).filter(|width| width.space.is_data()).map(|width| width.bits).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{Facts, Side};
    use engine::compiled::{CodeComparison, Sameness};
    use model::{CodeForm, CompiledKernel, Mix, Resources, Space, Width};

    fn mix(instructions: u32, loads: &[(u32, u32)]) -> Mix {
        let loads = loads.iter().map(|&(bits, count)| (Width { space: Space::Global, bits }, count)).collect();
        Mix { instructions, loads, ..Mix::default() }
    }

    fn kernel(form: CodeForm) -> CompiledKernel {
        CompiledKernel {
            kernel: "laplace".to_owned(),
            form,
            group: None,
            code_hash: String::new(),
            code_bytes: Some(700),
            resources: Resources { registers: Some(48), spill_store_bytes: Some(8), spill_load_bytes: Some(4), ..Resources::default() },
            hot_block: Some(Mix { vector_arithmetic: [(512, 3)].into(), ..mix(20, &[(128, 9)]) }),
            innermost_loop: Some(mix(90, &[(8, 9), (128, 9)])),
            whole: Some(mix(397, &[(8, 69), (32, 2)])),
        }
    }

    #[test]
    fn facts_of_code_by_hand() {
        let mut facts = Facts::default();
        facts.add_code(Side::Before, &[kernel(CodeForm::Ptx)]);
        facts.add_code(Side::After, &[kernel(CodeForm::X86), kernel(CodeForm::X86)]);
        for (name, value) in [
            ("before.instructions", 397.0),
            ("before.code_loads", 71.0),
            ("before.code_byte_loads", 69.0),
            ("before.registers", 48.0),
            ("before.spilled_bytes", 12.0),
            ("after.instructions", 180.0),
            ("after.code_loads", 36.0),
            ("after.code_byte_loads", 18.0),
            ("after.widest_access_bits", 128.0),
            ("after.vector_bits", 512.0),
            ("after.hot_instructions", 40.0),
            ("after.hot_loads", 18.0),
            ("after.hot_divisions", 0.0),
            ("after.registers", 48.0),
            ("after.code_bytes", 1400.0),
        ] {
            assert_eq!(facts.get(name), Some(value), "{name}");
        }
        let mut unread = Facts::default();
        let resources = Resources { instructions: Some(300), ..kernel(CodeForm::Gcn).resources };
        let of_binary = CompiledKernel { hot_block: None, innermost_loop: None, whole: None, resources, ..kernel(CodeForm::Gcn) };
        unread.add_code(Side::Before, &[of_binary]);
        let known = ["instructions", "registers", "spilled_bytes", "code_loads", "widest_access_bits", "hot_instructions"];
        let known = known.map(|name| unread.get(&format!("before.{name}")));
        assert_eq!(known, [Some(300.0), Some(48.0), Some(12.0), None, None, None], "registers are known, loads are not");
        let mut none = Facts::default();
        none.add_code(Side::Before, &[]);
        assert_eq!(none, Facts::default());
    }

    #[test]
    fn the_same_code_is_a_fact_where_the_launch_is_the_same_too() {
        let of = |is_same_text, is_same_local, is_same_launch, sameness| {
            let mut facts = Facts::default();
            let origins = ["".into(), "".into()];
            facts.add_code_comparison(&CodeComparison { is_same_text, is_same_local, is_same_launch, sameness, origins });
            ["same_text", "same_code", "different_instructions"].map(|name| facts.get(name))
        };
        assert_eq!(of(false, true, true, Ok(Sameness::Same)), [Some(0.0), Some(1.0), None]);
        assert_eq!(of(false, true, false, Ok(Sameness::Same)), [Some(0.0), None, None]);
        // Padded source on a scalar kernel: nothing to do, but another pitch.
        assert_eq!(of(true, true, false, Ok(Sameness::Same)), [Some(1.0), None, None]);
        assert_eq!(of(true, false, false, Ok(Sameness::Same)), [Some(0.0), None, None]);
        assert_eq!(of(false, true, true, Ok(Sameness::SameButFor(3))), [Some(0.0), Some(0.0), Some(3.0)]);
        assert_eq!(of(false, true, true, Err("no code".into())), [Some(0.0), None, None]);
    }
}
