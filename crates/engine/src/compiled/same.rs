//! Whether two kernels were compiled to the same instructions.
//!
//! Compared are whole kernels with all functions that they reach: registers by the order of their first use, jumps as distances, calls by the order in which
//! functions are first called, constants by their bytes. Equal means the same program. Different may be another order of the same instructions; how many
//! differ is told, and is no verdict on speed.

use super::code::{Callee, Code, Flow};
use base::hash::hexadecimal;
use base::texts::{filled, text};
use kernels::kernel_source::differences;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::fmt::Write as _;

/// Differences of at most one instruction in this many are told as a number.
const FEW: usize = 10;

/// What comparing two kernels says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sameness {
    /// The same instructions.
    Same,
    /// The same but for so many instructions.
    SameButFor(usize),
    /// Different code.
    Different,
}

impl Sameness {
    /// Of two kernels' normalized lines.
    #[must_use]
    pub fn of(first: &[String], second: &[String]) -> Self {
        if first == second {
            return Self::Same;
        }
        let found = differences(first.iter().map(String::as_str), second.iter().map(String::as_str));
        let (removed, added) = (found.count_removals() as usize, found.count_additions() as usize);
        // One that was replaced is removed and added.
        let changed = removed.max(added);
        if changed * FEW <= first.len().max(second.len()) { Self::SameButFor(changed) } else { Self::Different }
    }

    /// Of several kernels that run one after the other: all their differences.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Same, other) => other,
            (one, Self::Same) => one,
            (Self::SameButFor(one), Self::SameButFor(other)) => Self::SameButFor(one + other),
            _ => Self::Different,
        }
    }

    /// "same code", "same code except 3 instructions", "different code".
    #[must_use]
    pub fn label(self) -> String {
        match self {
            Self::Same => text("code.compared.same").to_owned(),
            Self::SameButFor(1) => text("code.compared.same-but-for-one").to_owned(),
            Self::SameButFor(count) => filled("code.compared.same-but-for", &[("count", &count)]),
            Self::Different => text("code.compared.different").to_owned(),
        }
    }
}

/// The kernel's normalized instructions in the order of its functions' first use, with a head for each function and a line for constants.
#[must_use]
pub fn lines(code: &Code) -> Vec<String> {
    let closure = code.closure();
    let ordinals: HashMap<usize, usize> = closure.iter().copied().zip(0..).collect();
    let mut lines = Vec::new();
    for (ordinal, index) in closure.iter().enumerate() {
        let Some(function) = code.functions.get(*index) else { continue };
        lines.push(format!("function {ordinal}: {}", function.head));
        for (position, instruction) in function.instructions.iter().enumerate() {
            let mut line = instruction.normal.clone();
            if let Flow::Branch(Some(target)) | Flow::Jump(Some(target)) = instruction.flow {
                // Writing to a string cannot fail.
                let _ = if target < position { write!(line, " -{}", position - target) } else { write!(line, " +{}", target - position) };
            }
            if let Some(Callee::Inside(callee)) = instruction.callee {
                let ordinal = ordinals.get(&callee).copied().unwrap_or(usize::MAX);
                let _ = write!(line, " function {ordinal}");
            }
            lines.push(line);
        }
    }
    lines.push(format!("constants {}", code.constants));
    lines
}

/// SHA-256 of the normalized instructions.
#[must_use]
pub fn hash(lines: &[String]) -> String {
    let mut hash = Sha256::new();
    for line in lines {
        hash.update(line);
        hash.update(b"\n");
    }
    hexadecimal(&hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::Sameness;

    fn lines(count: usize, changed: &[usize]) -> Vec<String> {
        (0..count).map(|line| if changed.contains(&line) { format!("changed {line}") } else { format!("line {line}") }).collect()
    }

    #[test]
    fn few_differences_are_counted_and_many_are_another_code() {
        let base = lines(40, &[]);
        assert_eq!(Sameness::of(&base, &base), Sameness::Same);
        assert_eq!(Sameness::of(&base, &lines(40, &[7, 30, 31])), Sameness::SameButFor(3));
        assert_eq!(Sameness::of(&base, &lines(42, &[])), Sameness::SameButFor(2));
        assert_eq!(Sameness::of(&base, &lines(40, &[1, 2, 3, 4, 5])), Sameness::Different);
        // An order is a difference, too.
        let mut swapped = base.clone();
        swapped.swap(3, 4);
        assert_eq!(Sameness::of(&base, &swapped), Sameness::SameButFor(1));
    }

    #[test]
    fn several_kernels_differ_together() {
        use Sameness::{Different, Same, SameButFor};
        assert_eq!([Same.and(Same), Same.and(SameButFor(2)), SameButFor(1).and(SameButFor(2))], [Same, SameButFor(2), SameButFor(3)]);
        assert_eq!(SameButFor(1).and(Different), Different);
        assert_eq!(SameButFor(1).label(), "same code except 1 instruction");
    }
}
