//! Launches of a project, and what each argument of a kernel is.

use super::Reader;
use super::memories::Memories;
use crate::filters::definition::Written;
use crate::project::job::{Element, Role};
use crate::project::rows::LaunchRow;
use crate::project::signature::{Declared, Signature, Space, typed};
use crate::project::{ArgumentOf, Extent, LaunchOf};
use base::expr::Expr;
use base::fault::{Fault, say};
use base::texts::meant;
use model::{Access, AddressMode, ImageKind, Sampling};
use std::fmt::Display;
use toml::Spanned;

/// A buffer or an image by its name.
pub(super) struct Named {
    name: String,
    element: Element,
    image: Option<ImageKind>,
    /// `None` of what only kernels see.
    role: Option<Role>,
    argument: ArgumentOf,
}

/// Everything that arguments may name.
pub(super) fn named(memories: &Memories) -> Vec<Named> {
    let of_problem = memories.problem.buffers.iter().enumerate().map(|(index, memory)| Named {
        name: memory.name.clone(),
        element: memory.element,
        image: memory.texels.map(|texels| texels.shape.kind),
        role: Some(memory.role),
        argument: ArgumentOf::Buffer(index),
    });
    let of_kernels = memories.scratch.iter().enumerate().map(|(index, scratch)| Named {
        name: scratch.name.clone(),
        element: scratch.element,
        image: if let Extent::Sides(kind, ..) = scratch.extent { Some(kind) } else { None },
        role: None,
        argument: ArgumentOf::Scratch(index),
    });
    of_problem.chain(of_kernels).collect()
}

/// Where an image is passed, and as what.
pub(super) struct ImageUse {
    name: String,
    byte: usize,
    declared: Declared,
}

/// What launches may name, and the kernels that there are.
#[derive(Clone, Copy)]
pub(super) struct Launching<'a> {
    /// Names of expressions.
    pub known: &'a [String],
    pub named: &'a [Named],
    pub signatures: &'a [Signature],
    pub file: &'a str,
}

impl Reader<'_> {
    pub(super) fn launch(&mut self, row: &LaunchRow, of: Launching) -> Option<LaunchOf> {
        let (kernel, byte) = (row.kernel.get_ref(), row.kernel.span().start);
        let signature = of.signatures.iter().find(|signature| signature.name == *kernel);
        if signature.is_none() {
            let there: Vec<&str> = of.signatures.iter().map(|signature| signature.name.as_str()).collect();
            let remedy = if there.is_empty() { String::new() } else { meant(kernel, there.into_iter()) };
            self.fault(Fault::at(self.text, byte, say("project.fault.no-kernel", &[("kernel", kernel), ("file", &of.file)]), remedy));
        }
        let given = row.arguments.get_ref();
        if let Some(signature) = signature.filter(|signature| signature.parameters.len() != given.len()) {
            let declared: Vec<String> = signature.parameters.iter().map(Declared::label).collect();
            let values: [(&str, &dyn Display); 4] =
                [("kernel", kernel), ("taken", &declared.len()), ("given", &given.len()), ("declared", &declared.join(", "))];
            self.tell(row.arguments.span().start, "project.fault.arguments", &values);
        }
        let declared = |index: usize| signature.and_then(|signature| signature.parameters.get(index));
        let arguments: Vec<Option<ArgumentOf>> =
            given.iter().enumerate().map(|(index, written)| self.argument(written, declared(index), of)).collect();
        let global = self.dimensions(&row.global, of.known);
        let local = row.local.as_ref().map(|local| self.dimensions(local, of.known));
        let when = row.when.as_ref().map(|when| self.condition(when, of.known));
        let (mut global, mut local) = (global?, local.map_or(Some(None), |local| local.map(Some))?);
        // Sides that one of them does not name are 1.
        if let (Some(local), Ok(one)) = (&mut local, Expr::number("1")) {
            let count = global.len().max(local.len());
            global.resize(count, one.clone());
            local.resize(count, one);
        }
        Some(LaunchOf {
            kernel: kernel.clone(),
            global,
            local,
            arguments: arguments.into_iter().collect::<Option<_>>()?,
            when: when.map_or(Some(None), |when| when.map(Some))?,
        })
    }

    fn dimensions(&mut self, row: &Spanned<Vec<Spanned<Written>>>, known: &[String]) -> Option<Vec<Expr>> {
        let sides = row.get_ref();
        if !(1..=3).contains(&sides.len()) {
            self.tell(row.span().start, "project.fault.dimensions", &[]);
            return None;
        }
        sides.iter().map(|side| self.expression(side, known)).collect()
    }

    /// "source", "local TILE * 4", "sampler clamp linear", "float 0.5", "float2 0.5, PX" or an expression, which has the type that the kernel declares.
    fn argument(&mut self, written: &Spanned<Written>, declared: Option<&Declared>, of: Launching) -> Option<ArgumentOf> {
        let (text, byte) = (written.get_ref().text(), written.span().start);
        if let Some(named) = of.named.iter().find(|named| named.name == text.trim()) {
            self.hold_named(named, declared, byte);
            return Some(named.argument.clone());
        }
        if self.broken.iter().any(|name| name == text.trim()) {
            return None;
        }
        if let Some(rest) = text.strip_prefix("local ") {
            if let Some(declared) = declared.filter(|declared| declared.space != Some(Space::Local)) {
                self.tell(byte, "project.fault.local-argument", &[("declared", &declared.label())]);
            }
            return self.expression_at(rest, byte + "local ".len(), of.known, Expr::number).map(ArgumentOf::Local);
        }
        if let Some(rest) = text.strip_prefix("sampler ") {
            if let Some(declared) = declared.filter(|declared| !declared.is_sampler()) {
                self.tell(byte, "project.fault.sampler-argument", &[("declared", &declared.label())]);
            }
            return self.sampling(rest, byte).map(ArgumentOf::Sampler);
        }
        if let Some(declared) = declared.filter(|declared| declared.space.is_some() || declared.image().is_some()) {
            let names: Vec<&str> = of.named.iter().map(|named| named.name.as_str()).collect();
            let remedy = meant(&text, names.into_iter());
            let key = if declared.image().is_some() { "project.fault.value-image" } else { "project.fault.value-argument" };
            self.fault(Fault::at(self.text, byte, say(key, &[("text", &text), ("declared", &declared.label())]), remedy));
            return None;
        }
        if let Some(declared) = declared.filter(|declared| declared.is_sampler()) {
            self.tell(byte, "project.fault.value-sampler", &[("text", &text), ("declared", &declared.label())]);
            return None;
        }
        self.value(&text, byte, declared, of.known)
    }

    /// That a kernel can take a buffer or an image where it is passed.
    fn hold_named(&mut self, named: &Named, declared: Option<&Declared>, byte: usize) {
        let Some(declared) = declared else { return };
        let Some(kind) = named.image else {
            let is_pointer = matches!(declared.space, Some(Space::Global | Space::Constant));
            let is_element = declared.element().is_none_or(|taken| taken == named.element);
            if !is_pointer || !is_element {
                let values: [(&str, &dyn Display); 3] =
                    [("name", &named.name), ("type", &named.element.name()), ("declared", &declared.label())];
                self.tell(byte, "project.fault.buffer-argument", &values);
            }
            return;
        };
        if declared.image() != Some(kind) {
            let values: [(&str, &dyn Display); 3] = [("name", &named.name), ("type", &kind.type_name()), ("declared", &declared.label())];
            return self.tell(byte, "project.fault.image-argument", &values);
        }
        if named.role == Some(Role::Input) && declared.access != Some(Access::Read) {
            self.tell(byte, "project.fault.image-input", &[("name", &named.name), ("declared", &declared.label())]);
        }
        if matches!(named.role, Some(Role::Output) | None) {
            self.image_uses.push(ImageUse { name: named.name.clone(), byte, declared: declared.clone() });
        }
    }

    /// That some kernel writes each image that is an output or lies between kernels.
    pub(super) fn hold_image_uses(&mut self) {
        let uses = std::mem::take(&mut self.image_uses);
        let mut told: Vec<&str> = Vec::new();
        for one in &uses {
            let is_written = |other: &ImageUse| other.name == one.name && other.declared.access != Some(Access::Read);
            if !uses.iter().any(is_written) && !told.contains(&one.name.as_str()) {
                self.tell(one.byte, "project.fault.image-output", &[("name", &one.name), ("declared", &one.declared.label())]);
                told.push(&one.name);
            }
        }
    }

    /// "clamp-to-edge nearest", "repeat linear normalized".
    fn sampling(&mut self, text: &str, byte: usize) -> Option<Sampling> {
        let (mut address, mut filter, mut is_normalized) = (None, None, false);
        for word in text.split_whitespace() {
            let mode = AddressMode::ALL.into_iter().find(|mode| mode.name() == word);
            let is_taken = match (word, mode) {
                (_, Some(mode)) => address.replace(mode).is_some(),
                ("nearest", _) => filter.replace(false).is_some(),
                ("linear", _) => filter.replace(true).is_some(),
                ("normalized", _) => std::mem::replace(&mut is_normalized, true),
                _ => true,
            };
            if is_taken {
                address = None;
                break;
            }
        }
        let Some((address, is_linear)) = address.zip(filter) else {
            self.tell(byte, "project.fault.sampler", &[("modes", &AddressMode::ALL.map(AddressMode::name).join(", "))]);
            return None;
        };
        if address.is_for_normalized() && !is_normalized {
            self.tell(byte, "project.fault.sampler-repeat", &[("mode", &address.name())]);
        }
        Some(Sampling { address, is_linear, is_normalized })
    }

    /// A number or a vector.
    fn value(&mut self, text: &str, byte: usize, declared: Option<&Declared>, known: &[String]) -> Option<ArgumentOf> {
        let taken = declared.and_then(|declared| Some((declared.element()?, declared.lanes())));
        let given = text.split_once(' ').and_then(|(word, rest)| Some((typed(word)?, word, rest)));
        let (kind, rest, byte) = match given {
            Some((kind, word, rest)) => (Some(kind), rest, byte + word.len() + 1),
            None => (taken, text, byte),
        };
        if let (Some((kind, word, _)), Some(taken), Some(declared)) = (given, taken, declared)
            && kind != taken
        {
            self.tell(byte, "project.fault.value-type", &[("type", &word), ("declared", &declared.label())]);
        }
        let (element, lanes) = kind.unwrap_or((Element::Int, 1));
        let parts = parts(rest);
        if parts.len() != 1 && parts.len() != lanes {
            let name = if lanes == 1 { element.name().to_owned() } else { format!("{}{lanes}", element.name()) };
            self.tell(byte, "project.fault.lanes", &[("type", &name), ("lanes", &lanes), ("given", &parts.len())]);
        }
        let numbers: Vec<Option<Expr>> =
            parts.into_iter().map(|(at, part)| self.expression_at(part, byte + at, known, Expr::parse)).collect();
        Some(ArgumentOf::Value { element, lanes, numbers: numbers.into_iter().collect::<Option<_>>()? })
    }
}

/// What lies between commas that are in no parentheses, with the byte at which each begins.
fn parts(text: &str) -> Vec<(usize, &str)> {
    let (mut parts, mut depth, mut begin) = (Vec::new(), 0, 0);
    let commas = text.char_indices().filter(|(_, letter)| {
        depth += match letter {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        *letter == ',' && depth == 0
    });
    let ends: Vec<usize> = commas.map(|(at, _)| at).chain([text.len()]).collect();
    for end in ends {
        let part = text.get(begin..end).unwrap_or_default();
        parts.push((begin + part.len() - part.trim_start().len(), part.trim()));
        begin = end + 1;
    }
    parts
}
