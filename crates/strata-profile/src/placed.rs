//! Where the functions of an object are in a program or library that it was linked into.
//!
//! Objects of the compiler have functions with the same local names, and several of them may be in one file. A file's symbols are in groups,
//! one for each object that it was linked from: the object's group is the one with all of its local functions, and their code has to be
//! the object's, but for the bytes that linking fills in.

use std::collections::{BTreeMap, HashMap};

use object::{Object as _, ObjectKind, ObjectSection as _, ObjectSymbol as _, SymbolKind};

use crate::code::Code;

/// What a file has of an object.
#[derive(Debug)]
pub enum Found {
    /// The object.
    Placed(Placed),
    /// Code of the same program that is not the object's: the function that differs.
    Other(String),
    /// The object twice: which one samples are of cannot be said.
    Twice,
    /// Nothing.
    Absent,
}

/// An object in a file.
#[derive(Debug)]
pub struct Placed {
    /// By the function's position in the object.
    addresses: BTreeMap<usize, u64>,
    /// All functions of the file.
    symbols: HashMap<String, Vec<u64>>,
}

/// Places in memory differ from those in the file by a multiple of this at least.
pub const PAGE: u64 = 4096;

impl Placed {
    /// Where a function of the object is.
    pub fn address(&self, function: usize) -> Option<u64> {
        self.addresses.get(&function).copied()
    }

    /// The distance of memory and file by a function that begins at `start` in memory, whose name nothing else in the file has.
    pub fn distance(&self, symbol: &str, start: u64) -> Option<u64> {
        match self.symbols.get(symbol)?.as_slice() {
            [only] => Some(start.wrapping_sub(*only)).filter(|distance| distance % PAGE == 0),
            _ => None,
        }
    }

    /// How many functions with this name may begin at `start` in memory, as far as pages say it.
    pub fn candidates(&self, symbol: &str, start: u64) -> usize {
        let all = self.symbols.get(symbol).map_or(&[][..], Vec::as_slice);
        all.iter().filter(|address| start.wrapping_sub(**address) % PAGE == 0).count()
    }
}

/// Whether the bytes of a file are a program or a shared library.
#[must_use]
pub fn is_linked(data: &[u8]) -> bool {
    let is_linked = |kind| matches!(kind, ObjectKind::Executable | ObjectKind::Dynamic);
    object::File::parse(data).is_ok_and(|file| is_linked(file.kind()))
}

/// Finds an object in the bytes of a file; `is_own` are names that only this program's objects have. `None` for bytes that are not a
/// program or library.
pub fn find(data: &[u8], code: &Code, is_own: impl Fn(&str) -> bool) -> Option<Found> {
    let file = object::File::parse(data).ok()?;
    let mut symbols: HashMap<String, Vec<u64>> = HashMap::new();
    let mut groups: Vec<BTreeMap<&str, u64>> = vec![BTreeMap::new()];
    for symbol in file.symbols() {
        match symbol.kind() {
            SymbolKind::File => groups.push(BTreeMap::new()),
            SymbolKind::Text if symbol.is_definition() => {
                let Ok(name) = symbol.name() else { continue };
                let all = symbols.entry(name.to_owned()).or_default();
                // Folded functions, and other names of one, are there once.
                if !all.contains(&symbol.address()) {
                    all.push(symbol.address());
                }
                if let Some(group) = groups.last_mut() {
                    group.insert(name, symbol.address());
                }
            }
            _ => {}
        }
    }
    let bytes = |address: u64, size: u64| {
        let holds = |section: &object::Section<'_, '_>| {
            let from = section.address();
            from <= address && address + size <= from + section.size()
        };
        let section = file.sections().find(holds)?;
        let start = usize::try_from(address - section.address()).ok()?;
        section.data().ok()?.get(start..start + usize::try_from(size).ok()?)
    };
    let is_code = |function: usize, address: u64| {
        let size = code.functions[function].size;
        bytes(address, size).is_some_and(|found| code.functions[function].is_code(found))
    };
    let (mut addresses, mut locals) = (BTreeMap::new(), Vec::new());
    for (at, function) in code.functions.iter().enumerate() {
        if function.is_local {
            locals.push(at);
            continue;
        }
        // What nothing calls is not linked.
        let Some(all) = symbols.get(&function.name) else { continue };
        match all.iter().find(|address| is_code(at, **address)) {
            Some(address) => drop(addresses.insert(at, *address)),
            None => return Some(Found::Other(function.name.clone())),
        }
    }
    let has_all = |group: &&BTreeMap<&str, u64>| {
        locals.iter().all(|at| group.contains_key(code.functions[*at].name.as_str()))
    };
    let (mut fitting, mut differing) = (Vec::new(), None);
    for group in groups.iter().filter(has_all) {
        let place = |at: &usize| (*at, group[code.functions[*at].name.as_str()]);
        let places: Vec<_> = locals.iter().map(place).collect();
        match places.iter().find(|(at, address)| !is_code(*at, *address)) {
            None => fitting.push(places),
            // That of another program may have the same names.
            Some((at, _)) if group.keys().any(|name| is_own(name)) => differing = Some(*at),
            Some(_) => {}
        }
    }
    Some(match (fitting.as_slice(), differing) {
        ([own], _) => {
            addresses.extend(own.iter().copied());
            // Another program's code may be the same, but for its entry.
            match addresses.keys().any(|at| is_own(&code.functions[*at].name)) {
                true => Found::Placed(Placed { addresses, symbols }),
                false => Found::Absent,
            }
        }
        ([], Some(at)) => Found::Other(code.functions[at].name.clone()),
        ([], None) => Found::Absent,
        _ => Found::Twice,
    })
}
