//! Buffers and images of a project, and what they hold.

use super::{MOST_BYTES, Names, Reader};
use crate::filters::definition::Written;
use crate::project::contents::{NumpyFault, counted, numpy_bytes, random};
use crate::project::job::{Element, Memory, Problem, Role, Texels, Tolerance};
use crate::project::resolve::shape;
use crate::project::rows::{BufferRow, FromRow, ImageRow, MemoryRow};
use crate::project::{Extent, ScratchOf, is_name};
use base::hash::sha256;
use model::{ChannelOrder, ChannelType, Channels, ImageKind};
use serde_bytes::ByteBuf;
use std::fmt::Display;
use std::path::Path;
use toml::Spanned;

/// What lies in memory, and where the file says how much of it.
#[derive(Clone, Copy)]
struct Sized {
    element: Element,
    count: usize,
    texels: Option<Texels>,
    byte: usize,
}

impl Sized {
    fn bytes(&self) -> usize {
        self.count.saturating_mul(self.element.bytes())
    }
}

/// What was read so far.
#[derive(Default)]
pub(super) struct Memories {
    pub problem: Problem,
    pub scratch: Vec<ScratchOf>,
}

impl Reader<'_> {
    pub(super) fn memories(&mut self, buffers: &[BufferRow], images: &[ImageRow], names: &Names) -> Memories {
        let (mut found, all) = (Memories::default(), names.all());
        for row in buffers {
            let (element, memory) = (row.element, row.memory());
            self.name(memory.name, &found, names);
            if let Some(role) = memory.role().role() {
                let count = self.fixed(&row.count, names);
                let sized = count.map(|count| Sized { element, count, texels: None, byte: row.count.span().start });
                let read = sized.and_then(|sized| self.memory(memory, sized, role, names));
                self.add(read, memory, &mut found);
            } else {
                let extent = self.expression(&row.count, &all).map(Extent::Count);
                self.add_scratch(extent, element, memory, &mut found);
            }
        }
        for row in images {
            let (element, memory, format) = (Element::of_channel(row.channel), row.memory(), row.format());
            self.name(memory.name, &found, names);
            let Some((kind, sides)) = self.sides(row) else {
                self.broken.push(memory.name.get_ref().clone());
                continue;
            };
            if let Some(role) = memory.role().role() {
                let sides: Option<Vec<usize>> = sides.into_iter().map(|side| self.fixed(side, names)).collect();
                let texels = sides.map(|sides| Texels { shape: shape(kind, &sides), format });
                let byte = row.size.span().start;
                let sized = texels.map(|texels| Sized { element, count: texels.elements(), texels: Some(texels), byte });
                let read = sized.and_then(|sized| self.memory(memory, sized, role, names));
                self.add(read, memory, &mut found);
            } else {
                let sides: Option<Vec<_>> = sides.into_iter().map(|side| self.expression(side, &all)).collect();
                self.add_scratch(sides.map(|sides| Extent::Sides(kind, sides, format)), element, memory, &mut found);
            }
        }
        found
    }

    fn name(&mut self, name: &Spanned<String>, found: &Memories, names: &Names) {
        let word = name.get_ref();
        let mut taken = found.problem.buffers.iter().map(|known| &known.name).chain(found.scratch.iter().map(|known| &known.name));
        if !is_name(word) || names.is_known(word) || taken.any(|known| known == word) {
            self.tell(name.span().start, "project.fault.name", &[("name", word)]);
        }
    }

    fn add(&mut self, memory: Option<Memory>, row: MemoryRow, found: &mut Memories) {
        let Some(memory) = memory else { return self.broken.push(row.name.get_ref().clone()) };
        let bytes = found.problem.total_bytes() as u64 + memory.len_bytes() as u64;
        if bytes > MOST_BYTES {
            self.tell(row.name.span().start, "project.fault.large", &[("bytes", &bytes), ("most", &MOST_BYTES)]);
        }
        found.problem.buffers.push(memory);
    }

    fn add_scratch(&mut self, extent: Option<Extent>, element: Element, row: MemoryRow, found: &mut Memories) {
        let name = row.name.get_ref().clone();
        match extent {
            Some(extent) => found.scratch.push(ScratchOf { name, element, extent }),
            None => self.broken.push(name),
        }
    }

    /// The kind of an image, and its sides as they are written.
    fn sides<'b>(&mut self, row: &'b ImageRow) -> Option<(ImageKind, Vec<&'b Spanned<Written>>)> {
        let sides: Vec<_> = row.size.get_ref().iter().collect();
        match (sides.len(), &row.layers) {
            (2, None) => Some((ImageKind::Plane, sides)),
            (3, None) => Some((ImageKind::Volume, sides)),
            (2, Some(layers)) => Some((ImageKind::Layers, sides.into_iter().chain([layers]).collect())),
            _ => {
                self.tell(row.size.span().start, "project.fault.image-size", &[]);
                None
            }
        }
    }

    fn memory(&mut self, row: MemoryRow, sized: Sized, role: Role, names: &Names) -> Option<Memory> {
        let (name, byte) = (row.name.get_ref().clone(), row.name.span().start);
        if sized.bytes() as u64 > MOST_BYTES {
            self.tell(sized.byte, "project.fault.large", &[("bytes", &sized.bytes()), ("most", &MOST_BYTES)]);
            return None;
        }
        let contents = match row.from {
            Some(from) => self.contents(from, sized, names)?,
            None if role == Role::Output => Vec::new(),
            None => {
                self.tell(byte, "project.fault.no-contents", &[("name", &name)]);
                return None;
            }
        };
        let expected = match row.expected {
            Some(file) => Some(ByteBuf::from(self.stored(file, sized)?)),
            None => None,
        };
        let given = row.tolerance;
        let tolerance = Tolerance { absolute: given.absolute, relative: given.relative, share: given.share };
        if [given.absolute, given.relative, given.share].iter().any(|part| !(0.0..f64::INFINITY).contains(part)) || given.share >= 1.0 {
            self.tell(byte, "project.fault.tolerance", &[("name", &name)]);
        }
        let contents = ByteBuf::from(if role == Role::Output { Vec::new() } else { contents });
        let Sized { element, count, texels, .. } = sized;
        Some(Memory { name, element, count, texels, role, contents, expected, tolerance })
    }

    /// A size that no parameter changes: buffers and images are made once.
    fn fixed(&mut self, written: &Spanned<Written>, names: &Names) -> Option<usize> {
        let byte = written.span().start;
        let expr = self.expression(written, &names.all())?;
        if let Some((name, _)) = expr.names().find(|(name, _)| !names.fixed.iter().any(|fixed| fixed == name)) {
            self.tell(byte, "project.fault.not-fixed", &[("name", &name)]);
            return None;
        }
        let value = expr.value(&|name| names.value(name));
        let whole = value.filter(|value| value.fract() == 0.0 && (1.0..9e15).contains(value));
        if whole.is_none() {
            self.tell(byte, "project.fault.size", &[("text", &expr)]);
        }
        whole.map(|whole| whole as usize)
    }

    fn contents(&mut self, from: &Spanned<FromRow>, sized: Sized, names: &Names) -> Option<Vec<u8>> {
        let (row, byte) = (from.get_ref(), from.span().start);
        let given = [row.value.is_some(), row.count_from.is_some(), row.random.is_some(), row.picture.is_some(), row.file.is_some()];
        if given.into_iter().filter(|is| *is).count() != 1 {
            self.tell(byte, "project.fault.from", &[]);
            return None;
        }
        if let Some(file) = &row.file {
            return self.stored(file, sized);
        }
        if let Some(sides) = &row.picture {
            return self.picture(sides, row, byte, sized, names);
        }
        let Sized { element, count, .. } = sized;
        Some(match (row.random, row.value, row.count_from) {
            (Some(ends), ..) => random(element, count, ends, row.seed),
            (_, Some(value), _) => counted(element, count, value, 0.0),
            (.., from) => counted(element, count, from.unwrap_or_default(), 1.0),
        })
    }

    /// The generated picture. Elements are 0 to 255, of 16-bit normalized channels as much of their range; a fourth channel is opaque.
    fn picture(&mut self, sides: &[Spanned<Written>; 2], row: &FromRow, byte: usize, sized: Sized, names: &Names) -> Option<Vec<u8>> {
        let [width, height] = sides;
        let (width, height) = (self.fixed(width, names)?, self.fixed(height, names)?);
        let given = row.channels.as_ref().map(|channels| (*channels.get_ref(), channels.span().start));
        // Those of the picture, and how many the image has beside them.
        let (wanted, more) = match sized.texels.map(|texels| texels.format.order) {
            None => (given.map_or(3, |(channels, _)| channels), 0),
            Some(ChannelOrder::R) => (1, 0),
            Some(ChannelOrder::Rg) => (0, 0),
            Some(ChannelOrder::Rgba) => (3, 1),
        };
        if sized.texels.is_some()
            && let Some((_, byte)) = given.map_or((wanted == 0).then_some((0, byte)), |given| (given.0 != wanted).then_some(given))
        {
            self.tell(byte, "project.fault.picture-channels", &[]);
            return None;
        }
        let channels = Channels::ALL.into_iter().find(|known| known.count() == wanted);
        let elements = width.saturating_mul(height).saturating_mul(wanted + more);
        let fits = elements == sized.count && sized.texels.is_none_or(|texels| texels.shape.width == width);
        let Some(channels) = channels.filter(|_| fits) else {
            match sized.texels {
                None => self.tell(byte, "project.fault.picture", &[("count", &sized.count)]),
                Some(texels) => self.tell(byte, "project.fault.picture-size", &[("size", &texels.shape.label())]),
            }
            return None;
        };
        let picture = pictures::generate(width, height, channels, row.seed.max(1));
        let mut bytes = Vec::with_capacity(sized.bytes());
        let is_wide = sized.texels.is_some_and(|texels| texels.format.channel == ChannelType::Unorm16);
        let mut push = |byte: u8| sized.element.push(f64::from(byte) * if is_wide { 257.0 } else { 1.0 }, &mut bytes);
        for pixel in picture.bytes().chunks_exact(channels.count()) {
            pixel.iter().copied().chain(std::iter::repeat_n(u8::MAX, more)).for_each(&mut push);
        }
        Some(bytes)
    }

    /// The elements of a file.
    fn stored(&mut self, file: &Spanned<String>, sized: Sized) -> Option<Vec<u8>> {
        let (name, byte, wanted) = (file.get_ref(), file.span().start, sized.bytes());
        // The header of a `.npy` file is a few hundred bytes. One that is far too large is not read at all.
        let most = wanted as u64 + (1 << 20);
        if let Some(length) = self.folder.length(name).filter(|length| *length > most) {
            self.tell(byte, "project.fault.file-size", &[("name", name), ("bytes", &length), ("wanted", &wanted)]);
            return None;
        }
        let bytes = match self.folder.bytes(name, most) {
            Ok(bytes) => bytes,
            Err(fault) => {
                self.fault(base::fault::Fault::at(self.text, byte, fault.why, fault.remedy));
                return None;
            }
        };
        // Its hash, not itself: data may be large.
        self.hashed.push(sha256(&bytes).into_bytes());
        if Path::new(name).extension().is_some_and(|extension| extension == "npy") {
            return match numpy_bytes(&bytes, sized.element, sized.count) {
                Ok(elements) => Some(elements.to_vec()),
                Err(fault) => {
                    self.numpy_fault(byte, name, &fault, sized);
                    None
                }
            };
        }
        if bytes.len() != wanted {
            self.tell(byte, "project.fault.file-size", &[("name", name), ("bytes", &bytes.len()), ("wanted", &wanted)]);
            return None;
        }
        Some(bytes)
    }

    fn numpy_fault(&mut self, byte: usize, name: &str, fault: &NumpyFault, sized: Sized) {
        let values: [(&str, &dyn Display); 4] = [("name", &name), ("why", fault), ("count", &sized.count), ("type", &sized.element.name())];
        self.tell(byte, "project.fault.numpy", &values);
    }
}
