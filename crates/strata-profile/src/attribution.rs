//! Which operations of the program a sample is of.
//!
//! The instruction says it, or the innermost call around it that does. Nests that equal each other share a function, which has the numbers of
//! the first: the call says which one runs, where that is known; else the sample is of all of them. So do equal nests of several versions of a
//! program with dynamic shapes.

use std::collections::{BTreeMap, BTreeSet};

use strata::{NestRemark, Origin, Remarks};

use crate::code::{Code, Position};

/// What a sample is of. Where there are several, which of them is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    /// Nests, as positions in the remarks.
    pub nests: BTreeSet<usize>,
    /// Operations, as positions in the remarks; none where only the nest is known.
    pub operations: BTreeSet<usize>,
    /// Calls around them, likewise, as far as they are known.
    pub calls: BTreeSet<usize>,
    /// Whether it was taken in a function that the object calls.
    pub is_call: bool,
}

/// The operations of a program and the code that was made of them.
pub struct Attribution<'p> {
    code: &'p Code,
    remarks: &'p Remarks,
    /// For each nest those that equal it and have no code of their own, and itself.
    shared: BTreeMap<usize, BTreeSet<usize>>,
    /// What the entry's symbols begin with.
    prefix: String,
    /// Functions that belong to the entry alone.
    entries: BTreeSet<usize>,
}

impl<'p> Attribution<'p> {
    /// `prefix` is what the entry's symbols begin with.
    pub fn new(code: &'p Code, remarks: &'p Remarks, prefix: &str) -> Self {
        let functions = code.functions.iter().enumerate();
        let entries: BTreeSet<_> = functions
            .filter(|(_, function)| function.name.starts_with(prefix))
            .map(|(at, _)| at)
            .collect();
        let mut own = BTreeSet::new();
        for (at, function) in code.functions.iter().enumerate() {
            if !entries.contains(&at) {
                let origins =
                    function.own_origins().filter_map(|origin| remarks.origins.get(origin));
                own.extend(origins.flat_map(|origin| origin.nests.iter().copied()));
            }
        }
        let mut shared: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mut firsts: BTreeMap<String, usize> = BTreeMap::new();
        for (at, nest) in remarks.nests.iter().enumerate() {
            let known = kind(remarks, nest);
            let of_kernel = known.map_or(at, |kind| *firsts.entry(kind).or_insert(at));
            let first = if own.contains(&at) { at } else { of_kernel };
            shared.entry(first).or_default().insert(at);
        }
        Self { code, remarks, shared, prefix: prefix.to_owned(), entries }
    }

    /// Whether a symbol is of the entry alone, and so of no other program.
    pub fn is_entrys(&self, symbol: &str) -> bool {
        let rest = symbol.strip_prefix(&self.prefix);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// What a sample is of, whose places are those of the instruction and the calls around it; `None` for those outside of the object's
    /// code. A part without operations and nests where nothing is known.
    pub fn part(&self, stack: &[Option<Position>]) -> Option<Part> {
        let inside: Vec<Position> = stack.iter().copied().flatten().collect();
        if inside.is_empty() {
            return None;
        }
        let is_call = stack.first().is_some_and(Option::is_none);
        let mut known = Vec::new();
        for place in &inside {
            let chain = self.code.origins(*place);
            for (at, origin) in chain.iter().enumerate() {
                // What was inlined to the entry may be code that nests share.
                let is_entrys = at + 1 == chain.len() && self.entries.contains(&place.function);
                let origin = origin.and_then(|origin| self.remarks.origins.get(origin));
                known.extend(origin.map(|origin| (origin, is_entrys)));
            }
        }
        known.retain(|(origin, _)| **origin != Origin::default());
        let Some((origin, is_entrys)) = known.first().copied() else {
            return Some(Part { is_call, ..Part::default() });
        };
        let around = known.iter().skip(1).map(|(origin, _)| *origin);
        let mut part = match (origin.nests.first(), is_entrys) {
            (Some(nest), false) => self.part_of_shared(*nest, origin, around),
            _ => Part {
                nests: origin.nests.clone(),
                operations: self.operations_in(origin),
                calls: origin.calls.clone(),
                is_call: false,
            },
        };
        if part.nests.is_empty() {
            part.nests = self.remarks.unmarked_nests(&part.operations).collect();
        }
        part.is_call = is_call;
        Some(part)
    }

    /// The part of code that equal nests may share, in which calls are `around`.
    fn part_of_shared<'o>(
        &self,
        first: usize,
        origin: &Origin,
        mut around: impl Iterator<Item = &'o Origin>,
    ) -> Part {
        let nests = match self.shared.get(&first) {
            Some(equal) if equal.len() > 1 => {
                let caller = around.find_map(|one| one.nests.intersection(equal).next().copied());
                caller.map_or_else(|| equal.clone(), |nest| BTreeSet::from([nest]))
            }
            _ => origin.nests.clone(),
        };
        let mut operations = BTreeSet::new();
        for nest in &nests {
            let of = Origin { nests: BTreeSet::from([*nest]), ..origin.clone() };
            operations.extend(self.operations_in(&of));
        }
        let calls = match nests == origin.nests {
            true => origin.calls.clone(),
            false => {
                let of = nests.iter().filter_map(|nest| self.remarks.nests.get(*nest));
                of.flat_map(|nest| nest.calls.iter().copied()).collect()
            }
        };
        Part { nests, operations, calls, is_call: false }
    }

    /// The operations of an origin. In a nest that equals an earlier one these are those of that nest: its own are found by their order,
    /// which has to be that of the same operations.
    fn operations_in(&self, origin: &Origin) -> BTreeSet<usize> {
        let Some(nest) = origin.nests.first().filter(|_| origin.nests.len() == 1) else {
            return origin.operations.clone();
        };
        let Some(own) = self.remarks.nests.get(*nest) else { return origin.operations.clone() };
        let is_own = |operation: &usize| own.operations.contains(operation);
        if let [only] = own.operations[..] {
            return BTreeSet::from([only]);
        }
        if origin.operations.iter().all(is_own) {
            return origin.operations.clone();
        }
        let others = self.remarks.nests[..*nest].iter();
        let mut equal = others.filter(|other| other.kernel.is_some() && other.kernel == own.kernel);
        let Some(first) = equal.find(|first| {
            origin.operations.iter().all(|operation| first.operations.contains(operation))
        }) else {
            return BTreeSet::new();
        };
        let told = |at: &usize| {
            self.remarks.operations.get(*at).map(|one| (&one.operation.name, &one.operation.types))
        };
        if !first.operations.iter().map(told).eq(own.operations.iter().map(told)) {
            return BTreeSet::new();
        }
        let pairs = first.operations.iter().zip(&own.operations);
        pairs.filter(|(of, _)| origin.operations.contains(of)).map(|(_, own)| *own).collect()
    }
}

/// What is equal for nests that may share code; `None` where nothing says so. Names of kernels are those of one version.
fn kind(remarks: &Remarks, nest: &NestRemark) -> Option<String> {
    let kernel = nest.kernel.as_ref()?;
    if nest.version.is_empty() {
        return Some(kernel.clone());
    }
    let name = |at: &usize| remarks.operations.get(*at).map(|one| one.operation.name.as_str());
    let operations: Vec<_> = nest.operations.iter().map(name).collect();
    Some(format!("{:?} {:?} {:?} {operations:?}", nest.loops, nest.computes, nest.chosen()))
}
