//! The code of an object: its functions, and what each address in them comes from.
//!
//! Debug information says which place of the compiler's list of origins an instruction comes from, and where its frame is; the object and
//! its assembly, read in parallel, which line of the assembly it is.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::Range,
    rc::Rc,
};

use gimli::{
    AttributeValue, BaseAddresses, CfaRule, CieOrFde, DebugFrame, Dwarf, EndianSlice, FileEntry,
    LittleEndian, Reader as _, Register, RegisterRule, Relocate, RelocateReader, Unit,
    UnwindContext, UnwindSection as _,
};
use object::{
    Object as _, ObjectSection as _, ObjectSymbol as _, RelocationTarget, SectionIndex, SymbolKind,
};
use strata::ORIGINS;
use strata_codegen::Decoder;
use strata_diag::{Diagnostic, codes};
use strata_run::sampling::{Base, Frames, ReturnAddress, Row};
use strata_target::Target;

/// A place in a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The function, by position in [`Code::functions`].
    pub function: usize,
    /// Bytes from its begin.
    pub offset: u64,
}

/// A function of an object.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// Its symbol.
    pub name: String,
    /// Its bytes.
    pub size: u64,
    /// Whether only the object itself knows its symbol.
    pub is_local: bool,
    /// Its code in the object.
    code: Vec<u8>,
    /// The bytes of it that linking fills in.
    open: Vec<Range<usize>>,
    /// From each offset on, the position in the list of origins; `None` where nothing is known.
    origins: Vec<(u64, Option<usize>)>,
    /// Calls that were inlined, the outer ones first.
    inlined: Vec<Inlined>,
    /// From each offset on, the line of assembly, counted from 0; empty where object and text could not be matched.
    lines: Vec<(u64, usize)>,
    /// The offsets after calls.
    returns: BTreeSet<u64>,
    /// The functions of the object that its instructions name, with the offsets of these: it calls them, or passes them on.
    named: Vec<(u64, usize)>,
    /// How frames are found, by offset.
    frames: Vec<Row>,
}

/// Code of a function that was inlined.
#[derive(Clone, Copy, Debug)]
struct Inlined {
    /// The first byte, and that after the last.
    range: (u64, u64),
    /// The position of the call in the list of origins.
    call: Option<usize>,
}

impl Function {
    /// Whether linking may make these bytes of its code.
    pub fn is_code(&self, linked: &[u8]) -> bool {
        let is_open = |at: usize| self.open.iter().any(|open| open.contains(&at));
        let differs = |(at, (own, other)): (usize, (&u8, &u8))| own != other && !is_open(at);
        self.code.len() == linked.len() && !self.code.iter().zip(linked).enumerate().any(differs)
    }

    /// What its instructions come from.
    pub fn own_origins(&self) -> impl Iterator<Item = usize> {
        self.origins.iter().filter_map(|(_, origin)| *origin)
    }

    /// The functions that its instructions name, with the offsets of these.
    pub fn named(&self) -> impl Iterator<Item = (u64, usize)> {
        self.named.iter().copied()
    }
}

/// All functions of an object.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// In the order of the object.
    pub functions: Vec<Function>,
}

/// Addresses are those of sections, with the number of the section in the upper half: nothing is linked yet.
const SECTION: u32 = 32;

fn linear(section: SectionIndex, address: u64) -> u64 {
    (section.0 as u64) << SECTION | address
}

impl Code {
    /// The functions of an object that was compiled for `target` with origins, and whose assembly is `assembly`.
    ///
    /// # Errors
    /// `S9003` if the object cannot be read.
    pub fn read(object: &[u8], assembly: &str, target: &Target) -> Result<Self, Diagnostic> {
        let unreadable = |error: &dyn std::fmt::Display| {
            Diagnostic::new(codes::S9003).reason(format!("the object cannot be read: {error}"))
        };
        let file = object::File::parse(object).map_err(|error| unreadable(&error))?;
        let mut functions = BTreeMap::new();
        let mut contents = HashMap::new();
        for symbol in file.symbols() {
            let Some(section) = symbol.section_index() else { continue };
            if symbol.kind() != SymbolKind::Text {
                continue;
            }
            let name = symbol.name().map_err(|error| unreadable(&error))?.to_owned();
            let start = linear(section, symbol.address());
            let data = file.section_by_index(section).and_then(|section| section.data());
            let data = data.map_err(|error| unreadable(&error))?;
            contents.insert(name.clone(), (data, symbol.address(), symbol.size()));
            let range = symbol.address()..symbol.address() + symbol.size();
            let function = Function {
                name,
                size: symbol.size(),
                is_local: symbol.is_local(),
                code: bytes_at(data, &range).unwrap_or_default().to_vec(),
                open: filled_in(&file, section, &range),
                ..Function::default()
            };
            functions.insert(start, function);
        }
        let mut read = Debug { file: &file, functions: &mut functions };
        read.origins().map_err(|error| unreadable(&error))?;
        read.frames().map_err(|error| unreadable(&error))?;
        let mut code = Self { functions: functions.into_values().collect() };
        code.match_lines(assembly, &contents, target);
        Ok(code)
    }

    /// The function with a name.
    pub fn named(&self, name: &str) -> Option<usize> {
        self.functions.iter().position(|one| one.name == name)
    }

    /// Where the code is whose functions are at these addresses.
    pub fn loaded(&self, addresses: &BTreeMap<String, u64>) -> Loaded {
        let of = |(at, one): (usize, &Function)| Some((*addresses.get(&one.name)?, one.size, at));
        let mut places: Vec<_> = self.functions.iter().enumerate().filter_map(of).collect();
        places.sort_unstable();
        Loaded { places }
    }

    /// The frames of the code at these addresses.
    pub fn frames(&self, loaded: &Loaded) -> Frames {
        let mut rows = Vec::new();
        for (start, size, at) in &loaded.places {
            let unknown = Row {
                start: *start,
                frame: Some((Base::Stack, 0)),
                saved: None,
                back: ReturnAddress::Unknown,
            };
            let own = &self.functions[*at].frames;
            rows.extend(own.is_empty().then_some(unknown));
            rows.extend(own.iter().map(|row| Row { start: start + row.start, ..*row }));
            rows.push(Row::outside(start + size));
        }
        Frames::new(rows)
    }

    /// The positions in the list of origins of what is there, and of the calls around it that were inlined, the outermost last; `None`
    /// where one is not known.
    pub fn origins(&self, at: Position) -> Vec<Option<usize>> {
        let Some(function) = self.functions.get(at.function) else { return Vec::new() };
        let after = function.origins.partition_point(|(start, _)| *start <= at.offset);
        let own = after.checked_sub(1).and_then(|at| function.origins[at].1);
        let holds = |one: &&Inlined| (one.range.0..one.range.1).contains(&at.offset);
        let calls = function.inlined.iter().rev().filter(holds).map(|one| one.call);
        [own].into_iter().chain(calls).collect()
    }

    /// Whether an instruction may begin there: in a function whose instructions are known, only where one does.
    pub fn is_instruction(&self, at: Position) -> bool {
        let Some(function) = self.functions.get(at.function) else { return false };
        let begins = |(start, _): &(u64, usize)| start.cmp(&at.offset);
        at.offset < function.size
            && (function.lines.is_empty() || function.lines.binary_search_by(begins).is_ok())
    }

    /// Whether a call may return to what is there: in a function whose instructions are known, only after a call.
    pub fn is_return(&self, at: Position) -> bool {
        let Some(function) = self.functions.get(at.function) else { return false };
        function.lines.is_empty() || function.returns.contains(&at.offset)
    }

    /// The line of assembly of what is there, from 0.
    pub fn line(&self, at: Position) -> Option<usize> {
        let lines = &self.functions.get(at.function)?.lines;
        let after = lines.partition_point(|(start, _)| *start <= at.offset);
        Some(lines[after.checked_sub(1)?].1)
    }

    /// Reads instructions of the object and of the text in parallel. A function whose two forms differ has no lines.
    fn match_lines(
        &mut self,
        assembly: &str,
        contents: &HashMap<String, (&[u8], u64, u64)>,
        target: &Target,
    ) {
        let Some(mut decoder) = Decoder::new(target) else { return };
        let mut texts: HashMap<&str, Vec<(usize, &str)>> = HashMap::new();
        let mut current = None;
        for (number, line) in assembly.lines().enumerate() {
            let label = line.strip_suffix(':').filter(|label| !label.starts_with(['.', '\t', ' ']));
            if let Some(label) = label {
                current = Some(label.trim_matches('"'));
            } else if let (Some(name), Some(text)) = (current, line.strip_prefix('\t')) {
                texts.entry(name).or_default().push((number, text));
            }
        }
        for function in &mut self.functions {
            let text = texts.get(function.name.as_str());
            let Some((text, (data, start, size))) = text.zip(contents.get(&function.name)) else {
                continue;
            };
            let matched = lines_of(text, data, *start, *size, &mut decoder);
            (function.lines, function.returns) = matched.unwrap_or_default();
        }
        self.find_names(assembly);
    }

    /// Finds in the lines of functions which others they name.
    fn find_names(&mut self, assembly: &str) {
        let functions = self.functions.iter().enumerate();
        let known: HashMap<_, _> = functions.map(|(at, one)| (one.name.clone(), at)).collect();
        let text: Vec<&str> = assembly.lines().collect();
        let is_other = |one: char| !one.is_alphanumeric() && !matches!(one, '.' | '_' | '$');
        for function in &mut self.functions {
            for (offset, number) in &function.lines {
                let Some(line) = text.get(*number) else { continue };
                let words = line.split(is_other).filter_map(|word| known.get(word));
                function.named.extend(words.map(|named| (*offset, *named)));
            }
        }
    }
}

/// The bytes of a section in a range of its addresses.
fn bytes_at<'d>(data: &'d [u8], range: &Range<u64>) -> Option<&'d [u8]> {
    data.get(usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?)
}

/// What linking fills in of a function: the fields of relocations, and on x86-64 the instructions that they are in, which may become others
/// of the same length.
fn filled_in(
    file: &object::File<'_>,
    section: SectionIndex,
    function: &Range<u64>,
) -> Vec<Range<usize>> {
    let Ok(section) = file.section_by_index(section) else { return Vec::new() };
    let (before, after) = match file.architecture() {
        object::Architecture::X86_64 => (3, 4),
        _ => (0, 4),
    };
    let own = section.relocations().filter(|(at, _)| function.contains(at));
    own.filter_map(|(at, relocation)| {
        let at = usize::try_from(at - function.start).ok()?;
        let size = usize::from(relocation.size() / 8).max(after);
        Some(at.saturating_sub(before)..at + size)
    })
    .collect()
}

/// The offset of each instruction of a function with its line.
type Lines = Vec<(u64, usize)>;

/// The instructions of a function, and the offsets after calls. `None` where text and bytes are not the same instructions.
fn lines_of(
    text: &[(usize, &str)],
    data: &[u8],
    start: u64,
    size: u64,
    decoder: &mut Decoder,
) -> Option<(Lines, BTreeSet<u64>)> {
    let (start, size) = (usize::try_from(start).ok()?, usize::try_from(size).ok()?);
    let end = start.checked_add(size)?;
    let mut at = start;
    let (mut found, mut returns) = (Vec::new(), BTreeSet::new());
    for (number, line) in text {
        if let Some(alignment) = line.strip_prefix(".p2align") {
            let mut numbers = alignment.split(',').map(str::trim);
            let power: u32 = numbers.next()?.parse().ok()?;
            let most = numbers.nth(1).and_then(|most| most.parse().ok()).unwrap_or(usize::MAX);
            let aligned = at.next_multiple_of(1_usize.checked_shl(power)?);
            // Also the alignment of the next function, whose label comes after it.
            if aligned - at <= most && aligned < end {
                // What fills it up are instructions, too, which run where the code before goes on there.
                while at < aligned {
                    found.push(((at - start) as u64, *number));
                    at += decoder.length(data.get(at..aligned)?)?;
                }
            }
        } else if !line.starts_with(['.', '#']) && at < end {
            found.push(((at - start) as u64, *number));
            at += decoder.length(data.get(at..end)?)?;
            let name = line.split_whitespace().next().unwrap_or_default();
            if name.starts_with("call") || matches!(name, "bl" | "blr") {
                returns.insert((at - start) as u64);
            }
        } else if !line.starts_with(['.', '#']) {
            return None;
        }
    }
    (at == end).then_some((found, returns))
}

/// Where the functions of a [`Code`] are in memory.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// Begin, size and position of each, by begin.
    places: Vec<(u64, u64, usize)>,
}

impl Loaded {
    /// What is at an address.
    pub fn find(&self, address: u64) -> Option<Position> {
        let after = self.places.partition_point(|(start, ..)| *start <= address);
        let (start, size, function) = *self.places.get(after.checked_sub(1)?)?;
        let offset = address - start;
        (offset < size).then_some(Position { function, offset })
    }
}

type Section<'d> = RelocateReader<EndianSlice<'d, LittleEndian>, Fixups>;

/// What a section's relocations make of the fields that they are about.
#[derive(Clone, Debug, Default)]
struct Fixups(Rc<HashMap<usize, u64>>);

impl Relocate for Fixups {
    fn relocate_address(&self, offset: usize, value: u64) -> gimli::Result<u64> {
        Ok(self.0.get(&offset).copied().unwrap_or(value))
    }

    fn relocate_offset(&self, offset: usize, value: usize) -> gimli::Result<usize> {
        let fixed = self.0.get(&offset).copied().map(usize::try_from);
        Ok(fixed.transpose().map_err(|_| gimli::Error::UnsupportedOffset)?.unwrap_or(value))
    }
}

/// The debug information of an object that is not linked.
struct Debug<'d, 'f> {
    file: &'d object::File<'d>,
    /// By their linear addresses.
    functions: &'f mut BTreeMap<u64, Function>,
}

impl<'d> Debug<'d, '_> {
    fn section(&self, name: &str) -> Section<'d> {
        let section = self.file.section_by_name(name);
        let data = section.as_ref().and_then(|section| section.data().ok()).unwrap_or_default();
        let mut fixups = HashMap::new();
        for (offset, relocation) in section.iter().flat_map(|section| section.relocations()) {
            let RelocationTarget::Symbol(symbol) = relocation.target() else { continue };
            let Ok(symbol) = self.file.symbol_by_index(symbol) else { continue };
            let Some(section) = symbol.section_index() else { continue };
            let is_code = self
                .file
                .section_by_index(section)
                .is_ok_and(|section| section.kind() == object::SectionKind::Text);
            let base = if is_code { linear(section, symbol.address()) } else { symbol.address() };
            if let Ok(offset) = usize::try_from(offset) {
                fixups.insert(offset, base.wrapping_add_signed(relocation.addend()));
            }
        }
        RelocateReader::new(EndianSlice::new(data, LittleEndian), Fixups(Rc::new(fixups)))
    }

    /// The function that is at a linear address, and the offset in it.
    fn function(&mut self, address: u64) -> Option<(u64, &mut Function)> {
        let (start, function) = self.functions.range_mut(..=address).next_back()?;
        let offset = address - start;
        (offset < function.size).then_some((offset, function))
    }

    fn origins(&mut self) -> gimli::Result<()> {
        let dwarf = Dwarf::load(|id| Ok::<_, gimli::Error>(self.section(id.name())))?;
        let mut units = dwarf.units();
        while let Some(header) = units.next()? {
            let unit = dwarf.unit(header)?;
            self.inlined(&dwarf, &unit)?;
            let Some(program) = unit.line_program.clone() else { continue };
            let mut rows = program.rows();
            while let Some((header, row)) = rows.next_row()? {
                if row.end_sequence() {
                    continue;
                }
                let is_ours = match row.file(header) {
                    Some(file) => is_origins(&dwarf, &unit, file)?,
                    None => false,
                };
                let line = row.line().and_then(|line| usize::try_from(line.get()).ok());
                let origin = line.filter(|_| is_ours).map(|line| line - 1);
                if let Some((offset, function)) = self.function(row.address()) {
                    match function.origins.last_mut() {
                        // Of several rows for an address the last one counts.
                        Some((last, known)) if *last == offset => *known = origin,
                        _ => function.origins.push((offset, origin)),
                    }
                }
            }
        }
        for function in self.functions.values_mut() {
            function.origins.sort_by_key(|(offset, _)| *offset);
        }
        Ok(())
    }

    /// Calls that were inlined, which are nested as the entries are.
    fn inlined(
        &mut self,
        dwarf: &Dwarf<Section<'d>>,
        unit: &Unit<Section<'d>>,
    ) -> gimli::Result<()> {
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs()? {
            if entry.tag() != gimli::DW_TAG_inlined_subroutine {
                continue;
            }
            let number = |name| entry.attr_value(name).and_then(|value| value.udata_value());
            let file = match entry.attr_value(gimli::DW_AT_call_file) {
                Some(AttributeValue::FileIndex(file)) => Some(file),
                other => other.and_then(|value| value.udata_value()),
            };
            let file = unit.line_program.as_ref().zip(file);
            let is_ours = match file.and_then(|(program, file)| program.header().file(file)) {
                Some(file) => is_origins(dwarf, unit, file)?,
                None => false,
            };
            let line = number(gimli::DW_AT_call_line).filter(|_| is_ours);
            let line = line.and_then(|line| usize::try_from(line).ok());
            let call = line.and_then(|line| line.checked_sub(1));
            let mut ranges = dwarf.die_ranges(unit, entry)?;
            while let Some(range) = ranges.next()? {
                if let Some((start, function)) = self.function(range.begin) {
                    let range = (start, start + (range.end - range.begin));
                    function.inlined.push(Inlined { range, call });
                }
            }
        }
        Ok(())
    }

    fn frames(&mut self) -> gimli::Result<()> {
        let [stack, frame, back] = match self.file.architecture() {
            object::Architecture::Aarch64 => [31, 29, 30].map(Register),
            _ => [7, 6, 16].map(Register),
        };
        let mut section = DebugFrame::from(self.section(".debug_frame"));
        section.set_address_size(8);
        let bases = BaseAddresses::default();
        let mut entries = section.entries(&bases);
        while let Some(entry) = entries.next()? {
            let CieOrFde::Fde(partial) = entry else { continue };
            let entry =
                partial.parse(|section, bases, offset| section.cie_from_offset(bases, offset))?;
            let mut context = UnwindContext::new();
            let mut table = entry.rows(&section, &bases, &mut context)?;
            while let Some(row) = table.next_row()? {
                let from = match *row.cfa() {
                    CfaRule::RegisterAndOffset { register, offset } if register == stack => {
                        Some((Base::Stack, offset))
                    }
                    CfaRule::RegisterAndOffset { register, offset } if register == frame => {
                        Some((Base::Frame, offset))
                    }
                    _ => None,
                };
                let back = match row.register(back) {
                    _ if from.is_none() => ReturnAddress::Unknown,
                    Some(RegisterRule::Offset(offset)) => ReturnAddress::At(offset),
                    None | Some(RegisterRule::SameValue) => ReturnAddress::Link,
                    Some(_) => ReturnAddress::Unknown,
                };
                let saved = match row.register(frame) {
                    Some(RegisterRule::Offset(offset)) => Some(offset),
                    _ => None,
                };
                let Some((start, function)) = self.function(row.start_address()) else { continue };
                let frame = from.or(Some((Base::Stack, 0)));
                function.frames.push(Row { start, frame, saved, back });
            }
        }
        Ok(())
    }
}

/// Whether lines of a file are positions in the list of origins.
fn is_origins<'d>(
    dwarf: &Dwarf<Section<'d>>,
    unit: &Unit<Section<'d>>,
    file: &FileEntry<Section<'d>>,
) -> gimli::Result<bool> {
    let name = dwarf.attr_string(unit, file.path_name())?;
    Ok(name.to_string_lossy()? == ORIGINS)
}
