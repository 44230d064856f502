//! NVIDIA's PTX: split into functions and statements, classified, normalized.
//!
//! PTX has as many registers as it likes, each of one type; the driver makes machine code of it afterwards. Equal PTX is the same program; unequal PTX
//! may still become equal machine code.

use super::code::{Access, AccessKind, Callee, Class, Code, Flow, Function, Instruction, Numbers, with_words};
use super::ptx_text::{Body, Statement, split};
use base::hash::sha256;
use base::texts::filled;
use model::{CodeForm, Space};
use std::collections::HashMap;

/// Reads the kernel of that name, with all functions of the text.
///
/// # Errors
/// A clause: the text has no such kernel, or a statement in it is not closed.
pub fn read(text: &str, kernel: &str) -> Result<Code, String> {
    let module = split(text)?;
    // Of several with one name the first.
    let names: HashMap<&str, usize> =
        module.functions.iter().enumerate().rev().map(|(index, function)| (function.name.as_str(), index)).collect();
    let Some(root) = names.get(kernel).copied() else {
        return Err(filled("code.reason.no-ptx-kernel", &[("name", &kernel)]));
    };
    let functions = module.functions.iter().map(|function| read_function(function, &names)).collect::<Result<_, _>>()?;
    let constants = sha256(module.declarations.join(";"));
    Ok(Code { form: CodeForm::Ptx, group: None, functions, root, constants, function_bytes: Vec::new() })
}

fn read_function(body: &Body, names: &HashMap<&str, usize>) -> Result<Function, String> {
    let mut labels: HashMap<&str, usize> = HashMap::new();
    let mut count = 0;
    for statement in &body.statements {
        match statement {
            Statement::Label(label) => {
                labels.insert(label, count);
            }
            Statement::Instruction(_) => count += 1,
            Statement::Declaration(_) => {}
        }
    }
    let mut renamed = Renamed::new(&body.name);
    let mut head = renamed.text(&body.head);
    let mut instructions = Vec::new();
    for statement in &body.statements {
        match statement {
            // How many registers there are of each type follows from their use.
            Statement::Declaration(text) if text.starts_with(".reg") => {}
            Statement::Declaration(text) => head.extend(["; ", renamed.text(text).as_str()]),
            Statement::Instruction(text) => instructions.push(instruction(text, &labels, names, &mut renamed)),
            Statement::Label(_) => {}
        }
    }
    Function::new(body.name.clone(), head, instructions)
}

fn instruction(text: &str, labels: &HashMap<&str, usize>, names: &HashMap<&str, usize>, renamed: &mut Renamed) -> Instruction {
    let (predicate, operation) = match text.split_once(' ') {
        Some((predicate, rest)) if predicate.starts_with('@') => (Some(predicate), rest),
        _ => (None, text),
    };
    let (opcode, operands) = operation.split_once(' ').unwrap_or((operation, ""));
    let parts: Vec<&str> = opcode.split('.').collect();
    let name = parts.first().copied().unwrap_or_default();
    let class = class_of(name, &parts);
    let target = (name == "bra").then(|| labels.get(operands.trim()).copied());
    let flow = match (name, predicate, target) {
        ("bra", None, Some(target)) => Flow::Jump(target),
        ("bra", Some(_), Some(target)) => Flow::Branch(target),
        ("brx", ..) => Flow::Jump(None),
        ("ret" | "exit" | "trap", None, _) => Flow::End,
        ("ret" | "exit", Some(_), _) => Flow::Branch(None),
        _ => Flow::Next,
    };
    let callee = (name == "call").then(|| {
        let words = operands.split(['(', ')', ',', ' ']).filter(|word| !word.is_empty());
        words.clone().find_map(|word| names.get_key_value(word)).map_or_else(
            || {
                (
                    words.clone().find(|word| !word.starts_with("retval")).map_or(Callee::Unknown, |word| Callee::Outside(word.to_owned())),
                    None,
                )
            },
            |(name, index)| (Callee::Inside(*index), Some(*name)),
        )
    });
    // The target is told by the flow, and a called function by its place.
    let shown = if target.is_some() { [predicate.unwrap_or_default(), opcode].join(" ").trim().to_owned() } else { text.to_owned() };
    let mut normal = renamed.text(&shown);
    let (callee, called) = callee.map_or((None, None), |(callee, called)| (Some(callee), called));
    if let Some(called) = called {
        normal = normal.replace(called, "function");
    }
    let (lanes, packed_bits) = lanes(&parts);
    let accesses = accesses(name, &parts);
    Instruction {
        text: shown,
        normal,
        class,
        vector_bits: if class == Class::VectorArithmetic { packed_bits } else { 0 },
        lanes,
        accesses,
        flow,
        callee,
        line: None,
    }
}

/// Opcodes by class, without their types and modes.
const CLASSES: &[(Class, &[&str])] = &[
    (Class::Move, &["mov", "ld", "ldu", "st", "prefetch", "prefetchu", "sust"]),
    (Class::Shuffle, &["prmt", "shfl"]),
    (Class::Conversion, &["cvt"]),
    (Class::Special, &["div", "rem", "rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh"]),
    (Class::TextureRead, &["tex", "tld4", "suld"]),
    (Class::Call, &["call"]),
    (Class::Branch, &["bra", "brx"]),
    (Class::Barrier, &["bar", "barrier", "membar", "fence"]),
    (Class::Other, &["ret", "exit", "trap", "cvta", "atom", "red", "txq", "suq", "isspacep", "vote", "match", "activemask", "nanosleep"]),
];

fn class_of(name: &str, parts: &[&str]) -> Class {
    if let Some((class, _)) = CLASSES.iter().find(|(_, names)| names.contains(&name)) {
        return *class;
    }
    let is_packed = parts.iter().any(|part| ["f16x2", "bf16x2", "u16x2", "s16x2"].contains(part));
    let is_video = ["dp4a", "dp2a"].contains(&name) || (name.starts_with('v') && name.ends_with(['2', '4']));
    if is_packed || is_video { Class::VectorArithmetic } else { Class::ScalarArithmetic }
}

/// Bits of a type such as `u8` or `f16x2`.
fn type_bits(part: &str) -> Option<u32> {
    let (base, times) = part.strip_suffix("x2").map_or((part, 1), |base| (base, 2));
    let digits = base.strip_prefix("bf").or_else(|| base.strip_prefix(['b', 'u', 's', 'f']))?;
    digits.parse::<u32>().ok().filter(|bits| [8, 16, 32, 64, 128].contains(bits)).map(|bits| bits * times)
}

/// Values that one instruction works on, and the bits of all together.
fn lanes(parts: &[&str]) -> (u32, u32) {
    let vector = parts.iter().find_map(|part| part.strip_prefix('v')?.parse::<u32>().ok()).unwrap_or(1);
    let bits = parts.iter().rev().find_map(|part| type_bits(part)).unwrap_or(0);
    match parts.first() {
        Some(&("dp4a" | "vadd4" | "vsub4" | "vmin4" | "vmax4" | "vavrg4" | "vabsdiff4" | "vset4")) => (4, 32),
        Some(name) if name.starts_with('v') && name.ends_with('2') => (2, 32),
        Some(&"dp2a") => (2, 32),
        _ if parts.iter().any(|part| part.ends_with("x2") && type_bits(part).is_some()) => (2 * vector, bits * vector),
        _ => (vector, bits * vector),
    }
}

fn accesses(name: &str, parts: &[&str]) -> Vec<Access> {
    let kinds: &[AccessKind] = match name {
        "ld" | "ldu" => &[AccessKind::Load],
        "st" | "sust" | "red" => &[AccessKind::Store],
        "atom" => &[AccessKind::Load, AccessKind::Store],
        _ => return Vec::new(),
    };
    let space = parts.iter().find_map(|part| match *part {
        "shared" => Some(Space::Local),
        "local" => Some(Space::Private),
        "const" => Some(Space::Constant),
        "param" => Some(Space::Parameter),
        _ => None,
    });
    let space = if name == "sust" { Space::Image } else { space.unwrap_or(Space::Global) };
    let (_, bits) = lanes(parts);
    kinds.iter().map(|&kind| Access { space, kind, bits }).collect()
}

/// Registers and labels by the order of first use, and the function's own name away from its parameters.
struct Renamed<'a> {
    function: &'a str,
    numbers: Numbers,
}

impl<'a> Renamed<'a> {
    fn new(function: &'a str) -> Self {
        Self { function, numbers: Numbers::default() }
    }

    /// The text with every register renamed: a percent sign, letters, digits. `%tid.x` and its like have no digits.
    fn text(&mut self, text: &str) -> String {
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '$' | '%');
        with_words(text, is_word, |word| self.word(word))
    }

    fn word(&mut self, word: &str) -> String {
        if let Some(own) = word.strip_prefix(self.function).filter(|own| own.is_empty() || own.starts_with("_param")) {
            return format!("kernel{own}");
        }
        let class = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let is_special = ["%envreg", "%clock", "%pm", "%reserved"].iter().any(|name| word.starts_with(name));
        let is_register = class.starts_with('%') && class.len() < word.len() && !is_special;
        if is_register { self.numbers.name(word, class, "") } else { word.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::same;
    use super::{AccessKind, Class, Flow, Space, read};
    use crate::compiled::code::Access;

    const TEXT: &str = "//
// Generated by NVIDIA NVVM Compiler
//
.version 8.7
.target sm_90, texmode_independent
.address_size 64

.const .align 4 .f32 weights[2] = {0f3F800000, 0f40000000};
	// .globl	copy
.entry copy(
	.param .u64 .ptr .global .align 1 copy_param_0,
	.param .u32 copy_param_1
)
.reqntid 16, 4, 1
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<9>;
	.shared .align 4 .b8 tile[64];

	ld.param.u64 	%rd1, [copy_param_0];
	mov.u32 	%r1, %tid.x;
	setp.lt.s32 	%p1, %r1, 1;
	@%p1 bra 	$L__BB0_2;

$L__BB0_1: // a loop
	ld.global.nc.v4.u8 	{%rs1, %rs2, %rs3, %rs4}, [%rd1+16];
	st.shared.f32 	[tile], %f1;
	{ // callseq 0, 0
	.reg .b32 temp_param_reg;
	call.uni (retval0), helper, (param0);
	}
	fma.rn.f16x2 	%r3, %r1, %r2, %r2;
	add.s32 	%r2, %r2, 1; setp.lt.s32 %p1, %r2, 9;
	@%p1 bra 	$L__BB0_1;
$L__BB0_2:
	ret;
}
.func (.param .b32 func_retval0) helper(
	.param .b32 helper_param_0
)
{
	ret;
}
";

    #[test]
    fn functions_statements_and_operands_are_told_apart() {
        let code = read(TEXT, "copy").expect("reads");
        let copy = &code.functions[code.root];
        let texts: Vec<&str> = copy.instructions.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(texts.len(), 12, "{texts:#?}");
        assert_eq!(texts[4], "ld.global.nc.v4.u8 {%rs1, %rs2, %rs3, %rs4}, [%rd1+16]");
        assert_eq!(copy.instructions[4].accesses, [Access { space: Space::Global, kind: AccessKind::Load, bits: 32 }]);
        assert_eq!(copy.instructions[5].accesses, [Access { space: Space::Local, kind: AccessKind::Store, bits: 32 }]);
        assert_eq!((copy.instructions[7].class, copy.instructions[7].lanes), (Class::VectorArithmetic, 2));
        assert_eq!(copy.instructions[3].flow, Flow::Branch(Some(11)));
        assert_eq!((code.closure(), code.functions[1].name.as_str()), (vec![0, 1], "helper"));
        assert_eq!(copy.loops.len(), 1);
        assert!(read(TEXT, "laplace").is_err());
    }

    #[test]
    fn registers_are_numbered_by_first_use_and_others_keep_their_names() {
        let code = read(TEXT, "copy").expect("reads");
        let renamed = TEXT.replace("%r1,", "%r77,").replace("$L__BB0_1", "$L__BB7_9").replace("copy", "duplicate");
        let other = read(&renamed, "duplicate").expect("reads");
        let normal = |code: &super::Code| code.functions[0].instructions.iter().map(|one| one.normal.clone()).collect::<Vec<_>>();
        assert_eq!(normal(&code), normal(&other));
        assert_eq!(code.functions[0].head, other.functions[0].head);
        assert_eq!(normal(&code)[1], "mov.u32 %r1, %tid.x");
        assert_ne!(normal(&code), normal(&read(&TEXT.replace("%tid.x", "%tid.y"), "copy").expect("reads")));
        assert_ne!(code.constants, read(&TEXT.replace("0f40", "0f41"), "copy").expect("reads").constants);
    }

    #[test]
    fn tens_of_thousands_of_labels_functions_and_calls_are_read_at_once() {
        let count = 30_000;
        let labels = (0..count).map(|index| format!("$L{index}: ")).collect::<Vec<_>>().concat();
        let loops = (0..count).map(|index| format!("$M{index}: @%p1 bra $M{index}; call.uni helper{index}; ")).collect::<Vec<_>>().concat();
        let helpers = (0..count).map(|index| format!(".func helper{index}() {{ ret; }} ")).collect::<Vec<_>>().concat();
        let code =
            read(&format!("{helpers} .entry copy() {{ {labels} add.s32 %r1, %r1, 1; {loops} @%p2 bra $L{}; ret; }}", count - 1), "copy")
                .expect("reads");
        assert_eq!(code.root, count);
        let copy = &code.functions[code.root];
        assert_eq!((copy.instructions.len(), copy.loops.len(), code.closure().len()), (2 * count + 3, count + 1, count + 1));
        assert_eq!(same::lines(&code).len(), 4 * count + 5);
    }

    #[test]
    fn text_that_is_cut_anywhere_is_no_harm() {
        for end in 0..TEXT.len() {
            let _ = read(&TEXT[..end], "copy");
        }
    }
}
