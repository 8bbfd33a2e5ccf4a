//! Which operations of the program a sample is of.
//!
//! The instruction says it, or the innermost call around it that does. Nests that equal each other may share a function, which has the numbers
//! of the first of them: the call says which one runs, where that is known; else the sample is of all of them. So do equal nests of several
//! versions of a program with dynamic shapes. Which nests share which function, the calls in the object say: equal nests whose buffers are
//! aligned otherwise do not share theirs.

use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

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
    /// For each nest those that equal it, and itself.
    equal: BTreeMap<usize, Rc<BTreeSet<usize>>>,
    /// Nests of which a function of their own says that it is theirs.
    own: BTreeSet<usize>,
    /// For each function the nests that run it.
    runs: BTreeMap<usize, BTreeSet<usize>>,
    /// Nests of which it is known where the entry runs them.
    placed: BTreeSet<usize>,
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
        let mut kinds: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for (at, nest) in remarks.nests.iter().enumerate() {
            if let Some(kind) = kind(remarks, nest) {
                kinds.entry(kind).or_default().insert(at);
            }
        }
        let mut equal = BTreeMap::new();
        for nests in kinds.into_values().map(Rc::new) {
            equal.extend(nests.iter().map(|nest| (*nest, Rc::clone(&nests))));
        }
        let runs = runs(code, remarks);
        let placed = runs.values().flatten().copied().collect();
        Self { code, remarks, equal, own, runs, placed, prefix: prefix.to_owned(), entries }
    }

    /// The nests that code with the numbers of a nest may be of, in a function.
    fn sharing(&self, first: usize, function: usize) -> BTreeSet<usize> {
        let equal = self.equal.get(&first).into_iter().flat_map(|nests| nests.iter().copied());
        let here = self.runs.get(&function).filter(|_| !self.entries.contains(&function));
        let may_run = |nest: &usize| match here {
            Some(here) => here.contains(nest) || !self.placed.contains(nest),
            None => true,
        };
        let has_own = |nest: &usize| here.is_none() && self.own.contains(nest);
        equal.filter(|nest| may_run(nest) && !has_own(nest)).chain([first]).collect()
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
                known.extend(origin.map(|origin| (origin, is_entrys, place.function)));
            }
        }
        known.retain(|(origin, ..)| **origin != Origin::default());
        let Some((origin, is_entrys, function)) = known.first().copied() else {
            return Some(Part { is_call, ..Part::default() });
        };
        let around = known.iter().skip(1).map(|(origin, ..)| *origin);
        let mut part = match (origin.nests.first(), is_entrys) {
            (Some(nest), false) => {
                self.part_of_shared(&self.sharing(*nest, function), origin, around)
            }
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

    /// The part of code that these nests share, in which calls are `around`.
    fn part_of_shared<'o>(
        &self,
        sharing: &BTreeSet<usize>,
        origin: &Origin,
        around: impl Iterator<Item = &'o Origin>,
    ) -> Part {
        let nests = match sharing.len() {
            0 | 1 => origin.nests.clone(),
            _ => {
                // Inner calls may be shared code, too, with the numbers of the first nest.
                let of_call = |one: &Origin| -> BTreeSet<usize> { &one.nests & sharing };
                let caller = around.map(of_call).filter(|nests| !nests.is_empty()).last();
                caller.unwrap_or_else(|| sharing.clone())
            }
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

/// The nests that run each function: those of the places that name it, and of those that name what names it.
fn runs(code: &Code, remarks: &Remarks) -> BTreeMap<usize, BTreeSet<usize>> {
    let mut runs: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (function, one) in code.functions.iter().enumerate() {
        for (offset, named) in one.named() {
            let chain = code.origins(Position { function, offset });
            let mut origins =
                chain.iter().flatten().filter_map(|origin| remarks.origins.get(*origin));
            // The outermost, as above.
            let Some(origin) = origins.rfind(|origin| !origin.nests.is_empty()) else {
                continue;
            };
            let mut open = vec![named];
            let mut seen = BTreeSet::new();
            while let Some(next) = open.pop() {
                if seen.insert(next) {
                    runs.entry(next).or_default().extend(&origin.nests);
                    open.extend(code.functions[next].named().map(|(_, named)| named));
                }
            }
        }
    }
    runs
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
