//! Code as text, with labels where jumps lead.

use super::code::{Callee, Flow, Function};
use super::{KernelCode, Piece};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What a line of a listing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// The name of a function.
    Function,
    /// A line of the source, of which the instructions below it were made.
    Source,
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
    /// The line of the text that was built, from 1, where it is one or was made of one.
    pub line: Option<u32>,
}

/// The lines of a source with their numbers: those of the file that they are from, where `#line` says so, with the name of each but the first one ("tools.h:12").
#[must_use]
pub fn numbered(source: &str) -> Vec<(String, &str)> {
    let (mut first, mut file, mut next) = (None, None, 1_usize);
    let mut all = Vec::new();
    for text in source.lines() {
        if let Some((number, name)) = renumbering(text) {
            next = number;
            file = name.or(file);
            first = first.or(file);
            all.push((String::new(), text));
            continue;
        }
        let label = match file.filter(|_| file != first) {
            Some(file) => format!("{file}:{next}"),
            None => next.to_string(),
        };
        all.push((label, text));
        next += 1;
    }
    all
}

/// What a `#line` directive says: the number of the line below it, and of which file.
#[must_use]
pub fn renumbering(line: &str) -> Option<(usize, Option<&str>)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("line")?.trim_start();
    let (number, name) = rest.split_once(' ').unwrap_or((rest, ""));
    let name = name.trim().trim_matches('"');
    Some((number.parse().ok()?, (!name.is_empty()).then_some(name)))
}

/// How many instructions were made of a line of the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LineCount {
    /// The line of the text that was built, from 1.
    pub line: u32,
    /// Of these in the hot block.
    pub hot_block: u32,
    /// In the innermost loop.
    pub innermost_loop: u32,
    /// In all code that the kernel reaches.
    pub whole: u32,
}

impl KernelCode {
    /// The lines of the source of which instructions were made, in order; empty where that is not known.
    #[must_use]
    pub fn by_line(&self) -> Vec<LineCount> {
        let mut counts: BTreeMap<u32, LineCount> = BTreeMap::new();
        for index in self.code.closure() {
            let Some(function) = self.code.functions.get(index) else { continue };
            let (hot, looped) = (blocks_of(self.hot_block.as_ref(), index), blocks_of(self.innermost_loop.as_ref(), index));
            for number in 0..function.blocks.len() {
                for line in function.block(number).iter().filter_map(|instruction| instruction.line) {
                    let count = counts.entry(line).or_insert(LineCount { line, ..LineCount::default() });
                    count.whole += 1;
                    count.hot_block += u32::from(hot.contains(&number));
                    count.innermost_loop += u32::from(looped.contains(&number));
                }
            }
        }
        counts.into_values().collect()
    }

    /// The kernel and the functions that it reaches, as lines; between them those of the `source`, where instructions know theirs.
    #[must_use]
    pub fn listing(&self, source: Option<&str>) -> Vec<ListingLine> {
        let source = source.map_or_else(Vec::new, numbered);
        let functions = self.code.closure().into_iter().filter_map(|index| Some((index, self.code.functions.get(index)?)));
        functions.flat_map(|(index, function)| self.function(index, function, &source)).collect()
    }

    fn function(&self, index: usize, function: &Function, source: &[(String, &str)]) -> Vec<ListingLine> {
        let (hot, looped) = (blocks_of(self.hot_block.as_ref(), index), blocks_of(self.innermost_loop.as_ref(), index));
        let target = |flow: Flow| match flow {
            Flow::Branch(Some(target)) | Flow::Jump(Some(target)) => Some(target),
            _ => None,
        };
        let targets: BTreeSet<usize> = function.instructions.iter().filter_map(|one| target(one.flow)).collect();
        let label = |target: usize| format!(".L{}", function.block_at(target).unwrap_or(target));
        let mut lines = vec![ListingLine { kind: LineKind::Function, text: format!("{}:", function.name), line: None }];
        let mut shown = None;
        for (number, block) in function.blocks.iter().enumerate() {
            if targets.contains(&block.start) {
                lines.push(ListingLine { kind: LineKind::Label, text: format!("{}:", label(block.start)), line: None });
            }
            let kind = if hot.contains(&number) {
                LineKind::Hot
            } else if looped.contains(&number) {
                LineKind::Loop
            } else {
                LineKind::Instruction
            };
            for instruction in function.block(number) {
                let of = instruction.line.filter(|line| shown != Some(*line));
                if let Some((line, (number, words))) = of.and_then(|line| Some((line, source.get(line as usize - 1)?))) {
                    shown = Some(line);
                    lines.push(ListingLine { kind: LineKind::Source, text: format!("// {number}: {}", words.trim()), line: Some(line) });
                }
                let mut text = format!("    {}", instruction.text);
                if let Some(target) = target(instruction.flow) {
                    text.extend([" ", label(target).as_str()]);
                }
                if instruction.callee == Some(Callee::Unknown) {
                    text += "  ; through a pointer";
                }
                lines.push(ListingLine { kind, text, line: instruction.line });
            }
        }
        lines
    }
}

/// The blocks of a function that a piece has.
fn blocks_of(piece: Option<&Piece>, function: usize) -> BTreeSet<usize> {
    piece.into_iter().filter(|piece| piece.function == function).flat_map(|piece| piece.blocks.iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::{numbered, renumbering};

    #[test]
    fn lines_have_the_numbers_of_their_files() {
        let source = "#line 1 \"k.cl\"\n// one\n#line 1 \"tools.h\"\nint f();\n\n#line 3 \"k.cl\"\nkernel\n";
        let labels: Vec<String> = numbered(source).into_iter().map(|(label, _)| label).collect();
        assert_eq!(labels, ["", "1", "", "tools.h:1", "tools.h:2", "", "3"]);
        assert_eq!(numbered("a\nb"), [("1".to_owned(), "a"), ("2".to_owned(), "b")]);
        assert_eq!(renumbering("  # line 7"), Some((7, None)));
        assert_eq!(renumbering("#line 2 \"a b.cl\""), Some((2, Some("a b.cl"))));
        for other in ["#define line 3", "line 3", "#line", "// #line 3"] {
            assert_eq!(renumbering(other), None, "{other}");
        }
    }
}
