//! ELF files with machine code: functions, constants, and what x86-64 instructions refer to. Linked (PoCL's shared objects, AMD's code objects) or not
//! (Intel's).

use base::hash::hexadecimal;
use base::texts::filled;
use gimli::{EndianSlice, LittleEndian, SectionId};
use object::{
    Object as _, ObjectSection as _, ObjectSymbol as _, ObjectSymbolTable as _, Relocation, RelocationKind, RelocationTarget, SectionIndex,
    SymbolIndex, SymbolKind,
};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::ops::Range;

/// A position in a file: sections of an object that is not linked have no addresses yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// The section's index.
    pub section: usize,
    /// Bytes from its beginning.
    pub offset: u64,
}

/// What an operand refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A place in this file.
    Here(Place),
    /// Something outside, by its name.
    Named(String),
}

/// A function.
#[derive(Clone, Debug)]
pub(super) struct Symbol {
    pub name: String,
    pub at: Place,
    pub bytes: u64,
}

/// A section with its content.
pub(super) struct Section<'a> {
    index: usize,
    pub name: String,
    pub address: u64,
    pub data: &'a [u8],
}

impl Section<'_> {
    /// Whether its bytes never change: neither the program nor the loader writes them.
    fn is_constant(&self) -> bool {
        [".rodata", ".lrodata"].iter().any(|name| self.name.starts_with(name))
    }

    /// Whether code reads data from it that is part of the file.
    fn holds_data(&self) -> bool {
        self.is_constant() || [".data", ".ldata", ".tdata"].iter().any(|name| self.name.starts_with(name))
    }
}

/// What a relocation puts into an instruction.
struct Reference {
    /// The symbol with the addend.
    target: Target,
    /// Whether the value is counted from the relocation's own place.
    is_relative: bool,
}

/// A file that was read.
pub(super) struct Object<'a> {
    sections: Vec<Section<'a>>,
    pub functions: Vec<Symbol>,
    references: BTreeMap<Place, Reference>,
    /// Names that the loader fills addresses in for, by where it does.
    imports: BTreeMap<u64, String>,
    is_linked: bool,
    lines: Vec<LineOf>,
}

/// Addresses that were made of a line of the source.
struct LineOf {
    addresses: Range<u64>,
    line: u32,
}

/// The lines of the file that a compiler was given, by address, in their order. Of other files, as of its headers, there is nothing; and nothing where the tables are not there or are
/// damaged.
fn lines<'a>(sections: &[Section<'a>]) -> Vec<LineOf> {
    let load = |id: SectionId| -> Result<EndianSlice<'a, LittleEndian>, gimli::Error> {
        let data = sections.iter().find(|section| section.name == id.name()).map_or(&[][..], |section| section.data);
        Ok(EndianSlice::new(data, LittleEndian))
    };
    let Ok(dwarf) = gimli::Dwarf::load(load) else { return Vec::new() };
    let mut lines = Vec::new();
    let mut headers = dwarf.units();
    while let Ok(Some(header)) = headers.next() {
        let unit = dwarf.unit(header).ok();
        let program = unit.as_ref().and_then(|unit| unit.line_program.clone());
        let Some((unit, program)) = unit.as_ref().zip(program) else { continue };
        let mut rows = program.rows();
        // An address holds its line until the next one.
        let mut open: Option<(u64, Option<u32>)> = None;
        while let Ok(Some((header, row))) = rows.next_row() {
            if let Some((begin, Some(line))) = open.filter(|(begin, _)| *begin < row.address()) {
                lines.push(LineOf { addresses: begin..row.address(), line });
            }
            // The compiler's own headers are no source of anybody's; what the driver calls the source is its own matter.
            let name = row.file(header).and_then(|file| dwarf.attr_string(unit, file.path_name()).ok());
            let is_own = name.is_some_and(|name| !name.slice().ends_with(b".h"));
            let line = row.line().and_then(|line| u32::try_from(line.get()).ok()).filter(|_| is_own);
            open = (!row.end_sequence()).then(|| (row.address(), line));
        }
    }
    lines.sort_by_key(|line| line.addresses.start);
    lines
}

impl<'a> Object<'a> {
    /// Reads the tables.
    ///
    /// # Errors
    /// A clause: the file is damaged.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, String> {
        let file = object::File::parse(bytes).map_err(|error| filled("code.reason.damaged-elf", &[("why", &error)]))?;
        let section = |section: object::Section<'a, '_>| {
            let (name, data) = (section.name().ok()?.to_owned(), section.data().ok()?);
            Some(Section { index: section.index().0, name, address: section.address(), data })
        };
        let sections: Vec<_> = file.sections().filter_map(section).collect();
        let is_linked = sections.iter().any(|section| section.address != 0);
        let mut object =
            Self { sections, functions: Vec::new(), references: BTreeMap::new(), imports: BTreeMap::new(), is_linked, lines: Vec::new() };
        object.functions = file.symbols().filter_map(|symbol| object.function(&symbol)).collect();
        if object.functions.is_empty() {
            // What was stripped still says what may be launched.
            object.functions = file.dynamic_symbols().filter_map(|symbol| object.function(&symbol)).collect();
        }
        object.functions.sort_by_key(|function| function.at);
        object.functions.dedup_by_key(|function| function.at);
        if is_linked {
            object.lines = lines(&object.sections);
            let names = file.dynamic_symbol_table();
            let name = |index: SymbolIndex| Some(names.as_ref()?.symbol_by_index(index).ok()?.name().ok()?.to_owned());
            let import = |(address, relocation): (u64, Relocation)| match relocation.target() {
                RelocationTarget::Symbol(index) => Some((address, format!("{}{:+}", name(index)?, relocation.addend()))),
                _ => None,
            };
            object.imports = file.dynamic_relocations().into_iter().flatten().filter_map(import).collect();
        } else {
            let all = file.sections().flat_map(|section| {
                let index = section.index().0;
                section.relocations().map(move |(offset, relocation)| (Place { section: index, offset }, relocation)).collect::<Vec<_>>()
            });
            object.references = all.filter_map(|(place, relocation)| Some((place, object.reference(&file, &relocation)?))).collect();
        }
        Ok(object)
    }

    fn function(&self, symbol: &object::Symbol<'a, '_>) -> Option<Symbol> {
        let section = self.section(symbol.section_index()?.0)?;
        let at = Place { section: section.index, offset: symbol.address().checked_sub(section.address)? };
        let is_function = symbol.kind() == SymbolKind::Text && symbol.size() > 0;
        is_function.then(|| symbol.name().ok()).flatten().map(|name| Symbol { name: name.to_owned(), at, bytes: symbol.size() })
    }

    fn reference(&self, file: &object::File<'a>, relocation: &Relocation) -> Option<Reference> {
        let kind = relocation.kind();
        let is_exact = matches!(kind, RelocationKind::Absolute | RelocationKind::Relative | RelocationKind::PltRelative);
        let (at, name) = match relocation.target() {
            RelocationTarget::Symbol(index) => {
                let symbol = file.symbol_by_index(index).ok()?;
                (symbol.section_index().map(|SectionIndex(section)| (section, symbol.address())), symbol.name().ok()?.to_owned())
            }
            RelocationTarget::Section(SectionIndex(section)) => (Some((section, 0)), format!("section {section}")),
            other => (None, format!("{other:?}")),
        };
        let place = at.filter(|_| is_exact).and_then(|(section, value)| {
            let offset = value.checked_sub(self.section(section)?.address)?.checked_add_signed(relocation.addend());
            // An addend that makes up for the instruction's end may lead before the section; the instruction adds it again.
            Some(Place { section, offset: offset.unwrap_or_else(|| value.wrapping_add_signed(relocation.addend())) })
        });
        let named = || Target::Named(format!("{kind:?} {name}{:+}", relocation.addend()));
        Some(Reference { target: place.map_or_else(named, Target::Here), is_relative: kind != RelocationKind::Absolute })
    }

    /// The line of the source that what lies at an address was made of, where the file tells.
    pub fn line_at(&self, address: u64) -> Option<u32> {
        let after = self.lines.partition_point(|line| line.addresses.start <= address);
        let line = self.lines.get(after.checked_sub(1)?)?;
        line.addresses.contains(&address).then_some(line.line)
    }

    pub fn section(&self, index: usize) -> Option<&Section<'a>> {
        self.sections.iter().find(|section| section.index == index)
    }

    /// The content of the section of that name.
    pub fn named(&self, name: &str) -> Option<&'a [u8]> {
        self.sections.iter().find(|section| section.name == name).map(|section| section.data)
    }

    /// The function that begins there.
    pub fn function_at(&self, at: Place) -> Option<usize> {
        self.functions.binary_search_by_key(&at, |function| function.at).ok()
    }

    /// The machine code of a function.
    pub fn code(&self, function: &Symbol) -> Option<&'a [u8]> {
        self.bytes(function.at, function.bytes)
    }

    /// Bytes from there on.
    pub fn bytes(&self, at: Place, count: u64) -> Option<&'a [u8]> {
        let (begin, end) = (usize::try_from(at.offset).ok()?, usize::try_from(at.offset.checked_add(count)?).ok()?);
        self.section(at.section)?.data.get(begin..end)
    }

    /// Bytes of a constant.
    pub fn constant(&self, at: Place, count: u64) -> Option<&'a [u8]> {
        self.section(at.section).filter(|section| section.is_constant())?;
        self.bytes(at, count)
    }

    /// What lies at an address that an instruction of section `own` computes.
    pub fn at_address(&self, own: usize, address: u64) -> Option<Place> {
        let holds = |section: &&Section<'_>| {
            section.address.checked_add(section.data.len() as u64).is_some_and(|end| (section.address..end).contains(&address))
        };
        let section = self.section(own).filter(holds).or_else(|| self.sections.iter().filter(|_| self.is_linked).find(holds))?;
        Some(Place { section: section.index, offset: address - section.address })
    }

    /// The name whose address the loader puts there.
    pub fn import_at(&self, at: Place) -> Option<&str> {
        let address = self.section(at.section)?.address.checked_add(at.offset)?;
        self.imports.get(&address).map(String::as_str)
    }

    /// What the relocation within an instruction of `length` bytes at `at` refers to, and its offset in the instruction.
    pub fn referred(&self, at: Place, length: u64) -> Option<(u64, Target)> {
        let end = Place { offset: at.offset.checked_add(length)?, ..at };
        let (place, reference) = self.references.range(at..end).next()?;
        let within = place.offset - at.offset;
        let target = match &reference.target {
            // Counted from the relocation; the processor counts from the instruction's end.
            Target::Here(to) if reference.is_relative => {
                Target::Here(Place { section: to.section, offset: to.offset.wrapping_add(length - within) })
            }
            target => target.clone(),
        };
        Some((within, target))
    }

    /// A name for a place that does not depend on how long the code is.
    pub fn name_of(&self, at: Place) -> String {
        self.section(at.section).map_or_else(|| format!("{at:?}"), |section| format!("{}+{:#x}", section.name, at.offset))
    }

    /// Hash of all data that code can reach without naming its bytes, a table say, and of the names that the loader fills in.
    pub fn constants(&self) -> String {
        let mut hash = Sha256::new();
        for section in self.sections.iter().filter(|section| section.holds_data()) {
            for part in [section.name.as_bytes(), section.data] {
                hash.update((part.len() as u64).to_le_bytes());
                hash.update(part);
            }
        }
        self.imports.values().for_each(|name| hash.update(name));
        hexadecimal(&hash.finalize())
    }
}
