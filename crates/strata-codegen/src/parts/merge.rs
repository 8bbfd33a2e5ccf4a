//! One object of the objects of all parts.

use std::collections::{BTreeMap, BTreeSet};

use object::{
    build::{
        Id as _,
        elf::{Builder, Relocation, SectionData, SectionId, Symbol, SymbolId},
    },
    elf,
};
use strata_diag::Diagnostic;

use super::Parts;
use crate::machine::bug;

impl Parts {
    /// The object of the whole module; functions that are apart are local to it again.
    pub(crate) fn join(&self, objects: &[Vec<u8>]) -> Result<Vec<u8>, Diagnostic> {
        merge(objects, &self.names())
    }
}

/// Adds the sections and symbols of the later objects to the first one. The functions in `local` are visible in no object
/// but the merged one.
fn merge(objects: &[Vec<u8>], local: &BTreeSet<&[u8]>) -> Result<Vec<u8>, Diagnostic> {
    let broken =
        |error: object::build::Error| bug("a part's object cannot be parsed", &error.to_string());
    let mut parts = objects.iter();
    let first = parts.next().map(Vec::as_slice).unwrap_or_default();
    let mut whole = Builder::read(first).map_err(broken)?;
    // LLVM uses one string table for sections and symbols.
    let names = whole.sections.add();
    names.name = b".shstrtab"[..].into();
    names.sh_type = elf::SHT_STRTAB;
    names.sh_addralign = 1;
    names.data = SectionData::SectionString;
    for part in parts {
        add(&mut whole, Builder::read(part.as_slice()).map_err(broken)?);
    }
    for symbol in &mut whole.symbols {
        if local.contains(&symbol.name[..]) && symbol.section.is_some() {
            let kind = symbol.st_type();
            symbol.set_st_info(elf::STB_LOCAL, kind);
            symbol.st_other = elf::STV_DEFAULT;
        }
    }
    let mut bytes = Vec::new();
    whole.write(&mut bytes).map_err(broken)?;
    Ok(bytes)
}

fn add<'d>(whole: &mut Builder<'d>, part: Builder<'d>) {
    let table = whole.sections.iter().find(|one| matches!(one.data, SectionData::Symbol));
    let table = table.map(|one| one.id());
    let mut places: BTreeMap<usize, SectionId> = BTreeMap::new();
    let mut relocations: Vec<(SectionId, SectionId, Vec<Relocation>)> = Vec::new();
    let mut order = Vec::new();
    for section in &part.sections {
        let is_kept = match &section.data {
            SectionData::Data(bytes) | SectionData::Note(bytes) => {
                !bytes.is_empty() && section.sh_flags != 0
            }
            SectionData::UninitializedData(size) => *size > 0,
            SectionData::Relocation(_) => true,
            _ => false,
        };
        if is_kept {
            order.push(section.id());
        }
    }
    for id in order {
        let section = part.sections.get(id);
        let made = whole.sections.add();
        made.name = section.name.clone();
        made.sh_type = section.sh_type;
        made.sh_flags = section.sh_flags;
        made.sh_addralign = section.sh_addralign;
        made.sh_entsize = section.sh_entsize;
        let made_id = made.id();
        places.insert(id.index(), made_id);
        match &section.data {
            SectionData::Relocation(list) => {
                if let Some(target) = section.sh_info_section {
                    relocations.push((made_id, target, list.clone()));
                }
            }
            data => made.data = data.clone(),
        }
    }
    let mut known: BTreeMap<Vec<u8>, SymbolId> = whole
        .symbols
        .iter()
        .filter(|symbol| symbol.st_bind() != elf::STB_LOCAL)
        .map(|symbol| (symbol.name[..].to_vec(), symbol.id()))
        .collect();
    let mut symbols: BTreeMap<usize, SymbolId> = BTreeMap::new();
    for symbol in &part.symbols {
        let section = match symbol.section {
            None => None,
            Some(section) => match places.get(&section.index()) {
                Some(section) => Some(*section),
                // Of a section without contents.
                None => continue,
            },
        };
        if symbol.st_type() == elf::STT_FILE {
            continue;
        }
        let is_local = symbol.st_bind() == elf::STB_LOCAL;
        let found = if is_local { None } else { known.get(&symbol.name[..]).copied() };
        let id = match found {
            Some(id) => {
                let other = whole.symbols.get_mut(id);
                if other.section.is_none() && section.is_some() {
                    fill(other, symbol, section);
                }
                id
            }
            None => {
                let made = whole.symbols.add();
                made.name = symbol.name.clone();
                fill(made, symbol, section);
                let id = made.id();
                if !is_local {
                    known.insert(symbol.name[..].to_vec(), id);
                }
                id
            }
        };
        symbols.insert(symbol.id().index(), id);
    }
    for (id, target, list) in relocations {
        let moved = list.into_iter().map(|mut one| {
            one.symbol = one.symbol.and_then(|symbol| symbols.get(&symbol.index()).copied());
            one
        });
        let section = whole.sections.get_mut(id);
        section.data = SectionData::Relocation(moved.collect());
        section.sh_link_section = table;
        section.sh_info_section = places.get(&target.index()).copied();
    }
}

/// What a symbol is in its own object.
fn fill<'d>(made: &mut Symbol<'d>, symbol: &Symbol<'d>, section: Option<SectionId>) {
    made.section = section;
    made.st_info = symbol.st_info;
    made.st_other = symbol.st_other;
    made.st_shndx = symbol.st_shndx;
    made.st_value = symbol.st_value;
    made.st_size = symbol.st_size;
}
