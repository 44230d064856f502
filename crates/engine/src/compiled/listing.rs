//! Code as text, with labels where jumps lead.

use super::code::{Callee, Flow, Function};
use super::{KernelCode, Piece};
use std::collections::BTreeSet;

/// What a line of a listing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// The name of a function.
    Function,
    /// Where jumps lead.
    Label,
    /// An instruction of the hot block.
    Hot,
    /// An instruction of the innermost loop, outside of its hot block.
    Loop,
    /// Another instruction.
    Instruction,
}

/// A line of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingLine {
    /// What it is.
    pub kind: LineKind,
    /// The text, instructions indented.
    pub text: String,
}

impl KernelCode {
    /// The kernel and the functions that it reaches, as lines.
    #[must_use]
    pub fn listing(&self) -> Vec<ListingLine> {
        let functions = self.code.closure().into_iter().filter_map(|index| Some((index, self.code.functions.get(index)?)));
        functions.flat_map(|(index, function)| self.function(index, function)).collect()
    }

    fn function(&self, index: usize, function: &Function) -> Vec<ListingLine> {
        let of = |piece: &Option<Piece>| -> BTreeSet<usize> {
            piece.iter().filter(|piece| piece.function == index).flat_map(|piece| piece.blocks.iter().copied()).collect()
        };
        let (hot, looped) = (of(&self.hot_block), of(&self.innermost_loop));
        let target = |flow: Flow| match flow {
            Flow::Branch(Some(target)) | Flow::Jump(Some(target)) => Some(target),
            _ => None,
        };
        let targets: BTreeSet<usize> = function.instructions.iter().filter_map(|one| target(one.flow)).collect();
        let label = |target: usize| format!(".L{}", function.block_at(target).unwrap_or(target));
        let mut lines = vec![ListingLine { kind: LineKind::Function, text: format!("{}:", function.name) }];
        for (number, block) in function.blocks.iter().enumerate() {
            if targets.contains(&block.start) {
                lines.push(ListingLine { kind: LineKind::Label, text: format!("{}:", label(block.start)) });
            }
            let kind = if hot.contains(&number) {
                LineKind::Hot
            } else if looped.contains(&number) {
                LineKind::Loop
            } else {
                LineKind::Instruction
            };
            for instruction in function.block(number) {
                let mut text = format!("    {}", instruction.text);
                if let Some(target) = target(instruction.flow) {
                    text.extend([" ", label(target).as_str()]);
                }
                if instruction.callee == Some(Callee::Unknown) {
                    text += "  ; through a pointer";
                }
                lines.push(ListingLine { kind, text });
            }
        }
        lines
    }
}
