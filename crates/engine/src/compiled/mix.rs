//! Counting instructions, and choosing which: most of a kernel's text is prologue, loop over the work-group and edge path.
//!
//! The **hot block** is the straight-line block, in a loop or in a called function, that moves most data; where there is neither, the block of the kernel that
//! does. Of a branch-free body it is exactly the body. Where the body branches, the **innermost loop** with the functions it calls says more: that one which
//! moves most data.
//!
//! Which loop a block belongs to has to be told with care. An inner loop that only loads is a part of the work around it, as that over the taps of a mask: then
//! it is what runs most, and what lies around it does not count. An inner loop that loads and stores does whole work-items. Compilers that vectorize over
//! work-items make such a loop for the *remainder*, one work-item at a time, within a loop whose own blocks do many at a time without any loop of their own
//! (PoCL's AVX-512 code): these are then the body, and count as an innermost loop without the remainder.

use super::code::{AccessKind, Class, Code, Instruction, Loop, Nested};
use model::{Mix, Width};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// Counts instructions.
#[must_use]
pub fn count<'a>(instructions: impl IntoIterator<Item = &'a Instruction>) -> Mix {
    let mut mix = Mix::default();
    for instruction in instructions {
        mix.instructions += 1;
        mix.fused += u32::from(is_fused(&instruction.text));
        for access in &instruction.accesses {
            let map = match access.kind {
                AccessKind::Load => &mut mix.loads,
                AccessKind::Store => &mut mix.stores,
            };
            *map.entry(Width { space: access.space, bits: access.bits }).or_default() += 1;
        }
        *match instruction.class {
            Class::Move => &mut mix.moves,
            Class::ScalarArithmetic => &mut mix.scalar_arithmetic,
            Class::VectorArithmetic => mix.vector_arithmetic.entry(instruction.vector_bits).or_default(),
            Class::Shuffle => &mut mix.shuffles,
            Class::Conversion => &mut mix.conversions,
            Class::Special => &mut mix.special_functions,
            Class::TextureRead => &mut mix.texture_reads,
            Class::Call => &mut mix.calls,
            Class::Branch => &mut mix.branches,
            Class::Barrier => &mut mix.barriers,
            Class::Other => &mut mix.other,
        } += 1;
    }
    mix
}

/// A piece of a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// Which function.
    pub function: usize,
    /// Its blocks in ascending order.
    pub blocks: Vec<usize>,
}

impl Piece {
    fn instructions<'a>(&'a self, code: &'a Code) -> impl Iterator<Item = &'a Instruction> {
        let function = code.functions.get(self.function);
        self.blocks.iter().flat_map(move |&block| function.map(|function| function.block(block)).unwrap_or_default())
    }
}

/// Whether an instruction of PTX or x86 multiplies and adds with one rounding.
fn is_fused(text: &str) -> bool {
    // A predicate may stand before the opcode.
    let opcode = text.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or_default();
    opcode.starts_with("fma.") || ["vfmadd", "vfmsub", "vfnmadd", "vfnmsub"].iter().any(|begin| opcode.starts_with(begin))
}

/// All of the kernel and the functions that it reaches.
#[must_use]
pub fn whole(code: &Code) -> Mix {
    count(code.closure().into_iter().filter_map(|index| code.functions.get(index)).flat_map(|function| &function.instructions))
}

/// The block that moves most data, see this module's page. `None` where none moves any.
#[must_use]
pub fn hot_block(code: &Code) -> Option<Piece> {
    let closure = code.closure();
    let all = |index: usize| {
        let blocks = code.functions.get(index).map_or(0, |function| function.blocks.len());
        (0..blocks).map(move |block| (index, block))
    };
    let mut candidates: Vec<(usize, usize)> = bodies(code, code.root).flatten().map(|block| (code.root, block)).collect();
    candidates.extend(closure.iter().filter(|&&index| index != code.root).flat_map(|&index| all(index)));
    let within = heaviest(code, candidates.into_iter().map(|(function, block)| Piece { function, blocks: vec![block] }), false);
    within.or_else(|| heaviest(code, all(code.root).map(|(function, block)| Piece { function, blocks: vec![block] }), false))
}

/// The innermost loop that moves most data together with the functions it calls, see this module's page.
#[must_use]
pub fn innermost_loop(code: &Code) -> Option<Piece> {
    let loops = |index: usize| bodies(code, index).map(move |blocks| Piece { function: index, blocks });
    heaviest(code, code.closure().into_iter().flat_map(loops), true)
}

/// A piece's instructions, with those of the functions that they call where that is asked for.
#[must_use]
pub fn of_piece(code: &Code, piece: &Piece, with_callees: bool) -> Mix {
    let callees = if with_callees { called(code, piece) } else { Vec::new() };
    let callees = callees.into_iter().filter_map(|index| code.functions.get(index));
    count(piece.instructions(code).chain(callees.flat_map(|function| &function.instructions)))
}

/// The blocks of each innermost loop of a function, and of each loop around innermost ones that all do whole work-items, what lies outside of these.
fn bodies(code: &Code, index: usize) -> impl Iterator<Item = Vec<usize>> {
    let loops = code.functions.get(index).map_or([].as_slice(), |function| &function.loops);
    let nested = Nested::of(loops);
    loops.iter().filter_map(move |one| {
        if one.is_innermost {
            return Some(one.blocks.clone());
        }
        let mut inside: HashSet<usize> = HashSet::new();
        for inner in nested.within(one) {
            if !inner.is_innermost || !does_whole_items(code, index, inner) {
                return None;
            }
            inside.extend(&inner.blocks);
        }
        Some(one.blocks.iter().copied().filter(|block| !inside.contains(block)).collect())
    })
}

/// Whether a loop loads what the kernel works on, and stores it.
fn does_whole_items(code: &Code, function: usize, one: &Loop) -> bool {
    let mix = of_piece(code, &Piece { function, blocks: one.blocks.clone() }, true);
    let moves = |map: &BTreeMap<Width, u32>| map.keys().any(|width| width.space.is_data());
    moves(&mix.loads) && moves(&mix.stores)
}

fn called(code: &Code, piece: &Piece) -> Vec<usize> {
    use super::code::Callee;
    let callees = piece.instructions(code).filter_map(|instruction| match instruction.callee {
        Some(Callee::Inside(index)) if index != piece.function => Some(index),
        _ => None,
    });
    code.reached(callees)
}

/// The first of those that move most bits; `None` where none moves any.
fn heaviest(code: &Code, pieces: impl Iterator<Item = Piece>, with_callees: bool) -> Option<Piece> {
    let weighed = pieces.map(|piece| {
        let mix = of_piece(code, &piece, with_callees);
        let moved = mix.loads.iter().chain(&mix.stores).filter(|(width, _)| width.space.is_data());
        let bits: u64 = moved.map(|(width, count)| u64::from(width.bits) * u64::from(*count)).sum();
        (bits, piece)
    });
    let better = |best: Option<(u64, Piece)>, next: (u64, Piece)| match best {
        Some(best) if best.0 >= next.0 => Some(best),
        _ if next.0 == 0 => None,
        _ => Some(next),
    };
    weighed.fold(None, better).map(|(_, piece)| piece)
}

#[cfg(test)]
mod tests {
    use super::{hot_block, innermost_loop, of_piece, whole};
    use crate::compiled::code::tests::plain;
    use crate::compiled::code::{Access, AccessKind, Callee, Class, Code, Flow, Function, Instruction};
    use model::{CodeForm, Space, Width};

    fn load(space: Space, bits: u32) -> Instruction {
        let accesses = vec![Access { space, kind: AccessKind::Load, bits }];
        Instruction { accesses, class: Class::Move, ..plain("load", Flow::Next) }
    }

    fn code(functions: Vec<Vec<Instruction>>) -> Code {
        let functions = functions.into_iter().map(|list| Function::new("f".to_owned(), String::new(), list).expect("loops")).collect();
        Code { form: CodeForm::X86, group: None, functions, root: 0, constants: String::new(), function_bytes: Vec::new() }
    }

    #[test]
    fn fused_multiply_adds_are_counted_among_the_arithmetic() {
        let texts = [
            "fma.rn.f32 %f3, %f1, %f2, %f3",
            "@%p1 fma.rn.f32 %f3, %f1, %f2, %f3",
            "mad.lo.s32 %r3, %r1, %r2, %r3",
            "vfmadd231ps zmm1, zmm2, zmm3",
        ];
        let all = texts.map(|text| plain(text, Flow::Next));
        assert_eq!(super::count(&all).fused, 3);
    }

    #[test]
    fn the_hot_block_lies_in_a_loop_and_spills_do_not_count() {
        // A wide load before the loop; in the loop a block with spills and a block with a byte.
        let code = code(vec![vec![
            load(Space::Global, 512),
            load(Space::Private, 512),
            plain("jump", Flow::Branch(Some(4))),
            load(Space::Global, 8),
            plain("back", Flow::Branch(Some(1))),
            plain("ret", Flow::End),
        ]]);
        let hot = hot_block(&code).expect("one");
        assert_eq!(of_piece(&code, &hot, false).loads.into_iter().collect::<Vec<_>>(), [(Width { space: Space::Global, bits: 8 }, 1)]);
        let inner = innermost_loop(&code).expect("one");
        assert_eq!(of_piece(&code, &inner, true).instructions, 4);
        assert_eq!((whole(&code).instructions, whole(&code).moves, whole(&code).branches), (6, 3, 3));
    }

    fn store(bits: u32) -> Instruction {
        let accesses = vec![Access { space: Space::Global, kind: AccessKind::Store, bits }];
        Instruction { accesses, class: Class::Move, ..plain("store", Flow::Next) }
    }

    /// 0: the loop over rows; 1, 2: sixteen work-items at once; 4, 5: one after the other what is left of a row; 7: the next row.
    fn rows(remainder_stores: bool) -> Code {
        code(vec![vec![
            plain("row", Flow::Branch(Some(4))),
            load(Space::Global, 512),
            store(512),
            plain("skip", Flow::Branch(Some(4))),
            load(Space::Global, 8),
            if remainder_stores { store(8) } else { plain("add", Flow::Next) },
            plain("back", Flow::Branch(Some(4))),
            plain("next", Flow::Branch(Some(0))),
            plain("ret", Flow::End),
        ]])
    }

    #[test]
    fn the_vector_body_is_told_from_the_remainder_loop_beside_it() {
        let code = rows(true);
        let hot = hot_block(&code).expect("one");
        let wide = Width { space: Space::Global, bits: 512 };
        assert_eq!(of_piece(&code, &hot, false).loads.into_iter().collect::<Vec<_>>(), [(wide, 1)]);
        let body = of_piece(&code, &innermost_loop(&code).expect("one"), true);
        assert_eq!(body.stores.into_iter().collect::<Vec<_>>(), [(wide, 1)], "without the remainder's");
        assert_eq!(body.instructions, 5);
    }

    #[test]
    fn tens_of_thousands_of_loops_within_one_are_told_apart_at_once() {
        let count = 30_000;
        // Each reads and writes a byte by itself; around all of them one more reads and writes four.
        let inner = |index: usize| [load(Space::Global, 8), store(8), plain("back", Flow::Branch(Some(2 + 3 * index)))];
        let around = [load(Space::Global, 32), store(32)].into_iter().chain((0..count).flat_map(inner));
        let code = code(vec![around.chain([plain("next", Flow::Branch(Some(0))), plain("ret", Flow::End)]).collect()]);
        let loops = &code.functions[0].loops;
        assert_eq!((loops.len(), loops.iter().filter(|one| one.is_innermost).count()), (count + 1, count));
        // The blocks before and behind them.
        assert_eq!(innermost_loop(&code).expect("one").blocks, [0, count + 1]);
        assert_eq!(hot_block(&code).expect("one").blocks, [0]);
    }

    #[test]
    fn a_loop_over_taps_counts_and_not_what_lies_around_it() {
        let code = rows(false);
        let byte = Width { space: Space::Global, bits: 8 };
        for piece in [hot_block(&code), innermost_loop(&code)] {
            let mix = of_piece(&code, &piece.expect("one"), true);
            assert_eq!((mix.loads.into_iter().collect::<Vec<_>>(), mix.stores.len()), (vec![(byte, 1)], 0));
        }
    }

    #[test]
    fn a_loop_has_the_functions_that_it_calls_each_once() {
        let call = || Instruction { callee: Some(Callee::Inside(1)), class: Class::Call, ..plain("call", Flow::Next) };
        let root = vec![load(Space::Global, 64), call(), call(), plain("back", Flow::Branch(Some(1))), plain("ret", Flow::End)];
        let code = code(vec![root, vec![load(Space::Global, 128), load(Space::Global, 128), plain("ret", Flow::End)]]);
        let inner = innermost_loop(&code).expect("one");
        let mix = of_piece(&code, &inner, true);
        assert_eq!((mix.instructions, mix.calls, mix.loads_from(Space::Global)), (6, 2, 2));
        assert_eq!(hot_block(&code).expect("one").function, 1);
    }

    #[test]
    fn without_a_loop_the_kernels_own_blocks_count() {
        let code = code(vec![vec![plain("skip", Flow::Branch(Some(2))), load(Space::Global, 8), plain("ret", Flow::End)]]);
        assert_eq!(hot_block(&code).expect("one").blocks, [1]);
        assert_eq!(innermost_loop(&code), None);
    }
}
