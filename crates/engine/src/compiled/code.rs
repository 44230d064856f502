//! The one model of compiled code, whatever it was read from: functions of instructions, with their blocks and loops.

use base::texts::filled;
use model::{CodeForm, Space};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

/// All loops of a function have at most so many blocks together, each block counted in every loop that it lies in: kernels have thousands.
const MOST_IN_LOOPS: usize = 1 << 20;

/// What an instruction mainly does. One that also reads or writes memory says so in its accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Class {
    /// Copies a register, loads or stores.
    Move,
    /// Arithmetic on single values.
    ScalarArithmetic,
    /// Arithmetic on vector registers.
    VectorArithmetic,
    /// Moves lanes.
    Shuffle,
    /// From one type of number to another.
    Conversion,
    /// A function that takes several times as long as an addition.
    Special,
    /// A read of an image object by texture hardware.
    TextureRead,
    /// A call.
    Call,
    /// A jump.
    Branch,
    /// A wait for other work-items.
    Barrier,
    /// None of these.
    Other,
}

/// Load or store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AccessKind {
    /// Reads memory.
    Load,
    /// Writes memory.
    Store,
}

/// What an instruction does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Access {
    /// Where.
    pub space: Space,
    /// Which way.
    pub kind: AccessKind,
    /// Bits of all lanes together.
    pub bits: u32,
}

/// Where execution goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Flow {
    /// At the next instruction.
    Next,
    /// At the target or at the next instruction; `None`: the target is not known or in no function here.
    Branch(Option<usize>),
    /// At the target.
    Jump(Option<usize>),
    /// Nowhere in this function.
    End,
}

/// A function that an instruction calls, or takes the address of.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Callee {
    /// One of [`Code::functions`], by index.
    Inside(usize),
    /// Another, of this name.
    Outside(String),
    /// Through a pointer.
    Unknown,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instruction {
    /// As listings show it; of a jump, without its target.
    pub text: String,
    /// The same with registers numbered by first use: two programs whose normalized instructions are equal do the same.
    pub normal: String,
    /// What it does.
    pub class: Class,
    /// What it loads and stores.
    pub accesses: Vec<Access>,
    /// Bits of the widest vector register that it names; 0 where there is none.
    pub vector_bits: u32,
    /// Values that it works on at a time; 0 where that is not told.
    pub lanes: u32,
    /// What comes after it.
    pub flow: Flow,
    /// Which function it calls or names.
    pub callee: Option<Callee>,
    /// The line of the kernels' source that it was made of, from 1, where the compiler told.
    #[serde(default)]
    pub line: Option<u32>,
}

/// A natural loop: what can run again and again before execution leaves it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loop {
    /// Its blocks in ascending order, as indices.
    pub blocks: Vec<usize>,
    /// Whether it holds no smaller loop.
    pub is_innermost: bool,
}

/// A function of compiled code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// Its name in the binary.
    pub name: String,
    /// What its code does not show (declared parameters and memory), normalized; empty for machine code.
    pub head: String,
    /// In the order of the text.
    pub instructions: Vec<Instruction>,
    /// Straight-line pieces: ranges of instructions that are entered at their beginning and left at their end alone.
    pub blocks: Vec<Range<usize>>,
    /// All loops.
    pub loops: Vec<Loop>,
}

impl Function {
    /// Finds blocks and loops. Targets that lie outside of the instructions count as unknown.
    ///
    /// # Errors
    /// A clause, where loops lie in each other as in no kernel.
    pub fn new(name: String, head: String, instructions: Vec<Instruction>) -> Result<Self, String> {
        let blocks = blocks(&instructions);
        let successors = successors(&instructions, &blocks);
        let loops = loops(&successors).ok_or_else(|| filled("code.reason.too-many-loops", &[("name", &name)]))?;
        Ok(Self { name, head, instructions, blocks, loops })
    }

    /// The instructions of a block.
    #[must_use]
    pub fn block(&self, index: usize) -> &[Instruction] {
        self.blocks.get(index).and_then(|block| self.instructions.get(block.clone())).unwrap_or_default()
    }

    /// The block that begins at this instruction.
    #[must_use]
    pub fn block_at(&self, instruction: usize) -> Option<usize> {
        self.blocks.binary_search_by_key(&instruction, |block| block.start).ok()
    }

    /// Functions here that it names, in the order of first use.
    pub fn callees(&self) -> impl Iterator<Item = usize> {
        self.instructions.iter().filter_map(|instruction| match instruction.callee {
            Some(Callee::Inside(index)) => Some(index),
            _ => None,
        })
    }
}

/// A kernel's compiled code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Code {
    /// What it was read from.
    pub form: CodeForm,
    /// The work-group that it was compiled for, as the driver writes it; `None`: for every one.
    pub group: Option<[usize; 3]>,
    /// All functions of the binary, or those that belong to the kernel.
    pub functions: Vec<Function>,
    /// The kernel's own function.
    pub root: usize,
    /// Hash of the constants that the code can reach without naming their bytes.
    pub constants: String,
    /// Bytes of the functions' machine code in the order of `functions`; empty where it is not known.
    pub function_bytes: Vec<u64>,
}

impl Code {
    /// The root and all functions that it reaches, in the order of first use. Where one of them calls through a pointer, all functions of the binary.
    #[must_use]
    pub fn closure(&self) -> Vec<usize> {
        let mut closure = self.reached([self.root]);
        let calls_unknown = |function: &Function| function.instructions.iter().any(|one| one.callee == Some(Callee::Unknown));
        if closure.iter().filter_map(|&index| self.functions.get(index)).any(calls_unknown) {
            let known: HashSet<usize> = closure.iter().copied().collect();
            closure.extend((0..self.functions.len()).filter(|index| !known.contains(index)));
        }
        closure
    }

    /// These functions and all that they reach, in the order of first use.
    #[must_use]
    pub fn reached(&self, from: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let mut order: Vec<usize> = Vec::new();
        let mut seen = HashSet::new();
        let mut open: Vec<usize> = from.into_iter().collect();
        open.reverse();
        while let Some(index) = open.pop() {
            let Some(function) = self.functions.get(index) else { continue };
            if seen.insert(index) {
                order.push(index);
                let callees: Vec<_> = function.callees().collect();
                open.extend(callees.into_iter().rev());
            }
        }
        order
    }

    /// Bytes of machine code of the kernel with what it reaches; `None` where that is not known.
    #[must_use]
    pub fn code_bytes(&self) -> Option<u64> {
        self.closure().into_iter().map(|index| self.function_bytes.get(index)).sum()
    }
}

/// The text with what `replace` makes of each word; `is_word` says which letters words are of.
pub(super) fn with_words(text: &str, is_word: impl Fn(char) -> bool, mut replace: impl FnMut(&str) -> String) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let end = if is_word(letter) { rest.find(|other| !is_word(other)).unwrap_or(rest.len()) } else { letter.len_utf8() };
        let (word, behind) = rest.split_at(end);
        replaced += &replace(word);
        rest = behind;
    }
    replaced
}

/// Registers by the order of first use, each class by itself.
#[derive(Default)]
pub(super) struct Numbers {
    names: HashMap<String, String>,
    counts: HashMap<String, usize>,
}

impl Numbers {
    /// The name of a register: that of its class with the number of its first use, and `ending` behind it.
    pub(super) fn name(&mut self, register: &str, class: &str, ending: &str) -> String {
        let Self { names, counts } = self;
        let name = names.entry(register.to_owned()).or_insert_with(|| {
            let count = counts.entry(class.to_owned()).or_default();
            *count += 1;
            format!("{class}{count}{ending}")
        });
        name.clone()
    }
}

/// Cuts at jumps and their targets.
fn blocks(instructions: &[Instruction]) -> Vec<Range<usize>> {
    let count = instructions.len();
    let mut leaders: BTreeSet<usize> = [0, count].into();
    for (index, instruction) in instructions.iter().enumerate() {
        if instruction.flow != Flow::Next {
            leaders.insert(index + 1);
        }
        if let Flow::Branch(Some(target)) | Flow::Jump(Some(target)) = instruction.flow {
            leaders.insert(target);
        }
    }
    let leaders: Vec<usize> = leaders.into_iter().filter(|&leader| leader <= count).collect();
    leaders.windows(2).filter_map(|pair| Some(*pair.first()?..*pair.last()?)).collect()
}

/// The blocks that may follow each block.
fn successors(instructions: &[Instruction], blocks: &[Range<usize>]) -> Vec<Vec<usize>> {
    let block_at = |instruction: usize| blocks.binary_search_by_key(&instruction, |block| block.start).ok();
    let of = |block: &Range<usize>| {
        let last = block.end.checked_sub(1).and_then(|last| instructions.get(last));
        let next = block_at(block.end);
        match last.map_or(Flow::End, |last| last.flow) {
            Flow::Next => vec![next],
            Flow::Branch(target) => vec![next, target.and_then(block_at)],
            Flow::Jump(target) => vec![target.and_then(block_at)],
            Flow::End => Vec::new(),
        }
    };
    blocks.iter().map(|block| of(block).into_iter().flatten().collect()).collect()
}

/// Natural loops: a back edge leads to a block that is still open in a depth-first walk from the entry; its loop is that block and all that reach the
/// edge without passing it. Back edges to one block make one loop. `None` where all loops together have more than [`MOST_IN_LOOPS`] blocks.
fn loops(successors: &[Vec<usize>]) -> Option<Vec<Loop>> {
    let mut predecessors = vec![Vec::new(); successors.len()];
    for (from, targets) in successors.iter().enumerate() {
        for &to in targets {
            if let Some(list) = predecessors.get_mut(to) {
                list.push(from);
            }
        }
    }
    // By header: all edges back to one block make one loop.
    let mut edges: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (from, header) in back_edges(successors) {
        edges.entry(header).or_default().push(from);
    }
    let mut found = Vec::new();
    let mut in_loops = 0;
    for (header, mut open) in edges {
        let mut body: BTreeSet<usize> = [header].into();
        while let Some(block) = open.pop() {
            if body.insert(block) {
                in_loops += 1;
                open.extend(predecessors.get(block).into_iter().flatten());
            }
        }
        if in_loops > MOST_IN_LOOPS {
            return None;
        }
        found.push(Loop { blocks: body.into_iter().collect(), is_innermost: true });
    }
    found.sort_by(|one, other| one.blocks.cmp(&other.blocks));
    let nested = Nested::of(&found);
    let innermost: Vec<bool> = found.iter().map(|one| nested.within(one).next().is_none()).collect();
    Some(found.into_iter().zip(innermost).map(|(one, is_innermost)| Loop { is_innermost, ..one }).collect())
}

/// Which loops lie in which, without looking at every pair of them: code of strangers has tens of thousands.
pub struct Nested<'a> {
    /// By their first blocks, the smallest first.
    by_first: HashMap<usize, Vec<&'a Loop>>,
}

impl<'a> Nested<'a> {
    /// Of all loops of a function.
    #[must_use]
    pub fn of(loops: &'a [Loop]) -> Self {
        let mut by_first: HashMap<usize, Vec<&'a Loop>> = HashMap::new();
        for one in loops {
            let first = one.blocks.first().copied().unwrap_or_default();
            by_first.entry(first).or_default().push(one);
        }
        for loops in by_first.values_mut() {
            loops.sort_by_key(|one| one.blocks.len());
        }
        Self { by_first }
    }

    /// The smaller loops that lie in this one, at whatever depth.
    pub fn within<'b>(&'b self, one: &'b Loop) -> impl Iterator<Item = &'a Loop> + 'b {
        // A loop within has its first block here, too.
        let candidates = one.blocks.iter().filter_map(|block| self.by_first.get(block));
        let smaller = candidates.flat_map(|loops| loops.iter().take_while(|other| other.blocks.len() < one.blocks.len()));
        smaller.copied().filter(|other| other.blocks.iter().all(|block| one.blocks.binary_search(block).is_ok()))
    }
}

/// Edges to a block that the depth-first walk has entered and not left. Without recursion, as the code is input.
fn back_edges(successors: &[Vec<usize>]) -> Vec<(usize, usize)> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Left,
    }
    let mut states = vec![State::New; successors.len()];
    let mut edges = Vec::new();
    let mut path: Vec<(usize, usize)> = Vec::new();
    if let Some(state) = states.first_mut() {
        *state = State::Open;
        path.push((0, 0));
    }
    while let Some((block, turn)) = path.last_mut() {
        let (from, next) = (*block, successors.get(*block).and_then(|targets| targets.get(*turn)).copied());
        *turn += 1;
        let Some(to) = next else {
            if let Some(state) = states.get_mut(from) {
                *state = State::Left;
            }
            path.pop();
            continue;
        };
        match states.get_mut(to) {
            Some(state @ State::New) => {
                *state = State::Open;
                path.push((to, 0));
            }
            Some(State::Open) => edges.push((from, to)),
            _ => {}
        }
    }
    edges
}

#[cfg(test)]
pub(super) mod tests {
    use super::{Callee, Class, Code, Flow, Function, Instruction};
    use model::CodeForm;

    /// An instruction that only flows.
    pub fn plain(text: &str, flow: Flow) -> Instruction {
        let class = if flow == Flow::Next { Class::ScalarArithmetic } else { Class::Branch };
        Instruction {
            text: text.to_owned(),
            normal: text.to_owned(),
            class,
            accesses: Vec::new(),
            vector_bits: 0,
            lanes: 1,
            flow,
            callee: None,
            line: None,
        }
    }

    fn function(flows: &[Flow]) -> Function {
        let instructions = flows.iter().map(|&flow| plain("x", flow)).collect();
        Function::new("f".to_owned(), String::new(), instructions).expect("loops")
    }

    #[test]
    fn blocks_begin_at_targets_and_behind_jumps() {
        // 0, 1: branch to 4, 2, 3: jump to 5, 4, 5: end.
        let f = function(&[Flow::Next, Flow::Branch(Some(4)), Flow::Next, Flow::Jump(Some(5)), Flow::Next, Flow::End]);
        assert_eq!(f.blocks, [0..2, 2..4, 4..5, 5..6]);
        assert!(f.loops.is_empty());
        assert_eq!((f.block_at(4), f.block_at(3)), (Some(2), None));
    }

    #[test]
    fn loops_nest_and_the_smallest_is_innermost() {
        // 0 | 1: outer header | 2: inner, to itself | 3: back to 1 | 4.
        let f = function(&[Flow::Next, Flow::Next, Flow::Branch(Some(2)), Flow::Branch(Some(1)), Flow::End]);
        let told: Vec<_> = f.loops.iter().map(|one| (one.blocks.as_slice(), one.is_innermost)).collect();
        assert_eq!(told, [([1, 2, 3].as_slice(), false), ([2].as_slice(), true)]);
    }

    #[test]
    fn two_back_edges_to_one_block_are_one_loop() {
        let f = function(&[Flow::Next, Flow::Next, Flow::Branch(Some(1)), Flow::Branch(Some(1)), Flow::End]);
        assert_eq!(f.loops.len(), 1);
        assert_eq!(f.loops[0].blocks, [1, 2]);
    }

    #[test]
    fn loops_in_each_other_as_in_no_kernel_are_refused_and_many_beside_each_other_are_not() {
        let count = 30_000;
        // All begin in a row, and end in the opposite order.
        let nested = (0..count).map(|_| Flow::Branch(None)).chain((0..count).rev().map(|index| Flow::Branch(Some(index))));
        let instructions = nested.map(|flow| plain("x", flow)).collect();
        assert!(Function::new("f".to_owned(), String::new(), instructions).expect_err("refused").contains("loops"));
        // Each block jumps back to itself.
        let f = function(&(0..count).map(|index| Flow::Branch(Some(index))).collect::<Vec<_>>());
        assert_eq!((f.loops.len(), f.loops.iter().all(|one| one.is_innermost)), (count, true));
    }

    #[test]
    fn targets_that_lead_nowhere_do_no_harm() {
        let f = function(&[Flow::Branch(Some(99)), Flow::Jump(None), Flow::Jump(Some(0))]);
        assert_eq!(f.blocks, [0..1, 1..2, 2..3]);
        assert!(function(&[]).blocks.is_empty());
    }

    #[test]
    fn the_closure_is_in_the_order_of_first_use_and_everything_behind_a_pointer() {
        let calling = |callees: &[Callee]| {
            let call = |callee: &Callee| Instruction { callee: Some(callee.clone()), ..plain("call", Flow::Next) };
            Function::new("f".to_owned(), String::new(), callees.iter().map(call).collect()).expect("loops")
        };
        let inside = Callee::Inside;
        let mut code = Code {
            form: CodeForm::X86,
            group: None,
            functions: vec![calling(&[]), calling(&[inside(3), inside(0)]), calling(&[]), calling(&[inside(0), inside(1)])],
            root: 1,
            constants: String::new(),
            function_bytes: vec![10, 20, 30, 40],
        };
        assert_eq!(code.closure(), [1, 3, 0]);
        assert_eq!(code.code_bytes(), Some(70));
        code.functions[0] = calling(&[Callee::Unknown]);
        assert_eq!(code.closure(), [1, 3, 0, 2]);
        code.function_bytes.clear();
        assert_eq!(code.code_bytes(), None);
    }
}
