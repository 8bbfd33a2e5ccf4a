//! Numbers in locations: what of the program an operation comes from, which passes carry along as they carry any location.

use std::collections::{BTreeSet, HashMap};

use strata_ir::{
    Attribute, AttributeExt as _, Context, Location, LocationParts, Module, Op, WalkOrder,
    dictionary, int, integer, location_address, location_of, location_parts, module_op,
};

use crate::{Origin, Subject, is_function};

/// The key of an operation's number in a fused location.
pub(super) const OPERATION: &str = "strata.operation";
/// The key of a nest's number in a fused location.
const NEST: &str = "strata.nest";
/// The file in locations that are positions in a list of origins, counted from 1 as lines are.
pub const ORIGINS: &str = "<origins>";

/// The number in the outermost layer of a location.
pub(super) fn own_number(location: Location<'_>) -> Option<usize> {
    match location_parts(location) {
        LocationParts::Fused(_, metadata) => {
            number_of(metadata).filter(|(key, _)| *key == OPERATION).map(|(_, number)| number)
        }
        _ => None,
    }
}

pub(super) fn wrapped<'c>(
    context: &'c Context,
    key: &str,
    number: usize,
    location: Location<'c>,
) -> Location<'c> {
    let number = int(integer(context, 64), i64::try_from(number).unwrap_or(i64::MAX));
    // A dictionary of one entry is always one.
    let Some(metadata) = dictionary(context, &[(key, number)]) else { return location };
    location_of(context, &LocationParts::Fused(vec![location], Some(metadata)))
}

/// Marks `op` and all in it as part of nest `number`.
pub fn mark<'c>(context: &'c Context, op: Op<'c>, number: usize) {
    op.walk(WalkOrder::Pre, &mut |inner| {
        inner.set_location(wrapped(context, NEST, number, inner.location()));
    });
}

/// What an operation comes from, and all in it.
pub fn subject(op: Op<'_>) -> Subject {
    let mut found = Subject::default();
    op.walk(WalkOrder::Pre, &mut |inner| collect(inner.location(), &mut found));
    found
}

/// What an operation itself comes from.
pub fn subject_of(location: Location<'_>) -> Subject {
    let mut found = Subject::default();
    collect(location, &mut found);
    found
}

/// What an operation itself comes from, with the operations in nests.
pub fn origin_of(location: Location<'_>) -> Origin {
    let mut found = Origin::default();
    found.calls = calls_around(location, &mut |number| {
        match number {
            Some((NEST, number)) => drop(found.nests.insert(number)),
            Some((_, number)) => drop(found.operations.insert(number)),
            None => {}
        }
        true
    });
    if found.operations.is_empty() {
        found.calls.clear();
    }
    found
}

/// Replaces the location of each operation by one of [`ORIGINS`], whose line is a position in the list that is returned; by an unknown one
/// where nothing is known. Debug information keeps these lines through stages that are not of MLIR. `before` is the length of the lists of
/// other modules, which come before this one where all become one module.
pub fn settle<'c>(context: &'c Context, module: &Module<'c>, before: usize) -> Vec<Origin> {
    let (mut list, mut lines, mut known) = (Vec::new(), HashMap::new(), HashMap::new());
    module_op(module).walk(WalkOrder::Pre, &mut |op| {
        let location = op.location();
        let settled = known.entry(location_address(location)).or_insert_with(|| {
            let origin = origin_of(location);
            if origin == Origin::default() && !is_function(op) {
                return Location::unknown(context);
            }
            let line = *lines.entry(origin.clone()).or_insert_with(|| {
                list.push(origin);
                before + list.len()
            });
            Location::new(context, ORIGINS, line, 1)
        });
        op.set_location(*settled);
    });
    list
}

fn collect(location: Location<'_>, found: &mut Subject) {
    let calls = calls_around(location, &mut |number| match number {
        // Equal nests share what was scheduled for the first of them: further inside are the operations of that one.
        Some((NEST, number)) => {
            found.nests.insert(number);
            false
        }
        number => {
            found.operations.extend(number.map(|(_, number)| number));
            true
        }
    });
    found.calls.extend(calls);
}

/// Calls `each` with the number of each part of a location, which says whether to look inside of the part; the numbers of the calls that
/// the parts are inlined from.
fn calls_around(
    location: Location<'_>,
    each: &mut dyn FnMut(Option<(&'static str, usize)>) -> bool,
) -> BTreeSet<usize> {
    let (mut calls, mut open) = (BTreeSet::new(), vec![location]);
    while let Some(location) = open.pop() {
        match location_parts(location) {
            LocationParts::Fused(parts, metadata) if each(number_of(metadata)) => {
                open.extend(parts)
            }
            LocationParts::Named(_, child) => open.push(child),
            LocationParts::CallSite(callee, caller) => {
                open.push(callee);
                collect_calls(caller, &mut calls);
            }
            LocationParts::Fused(..) | LocationParts::Leaf => {}
        }
    }
    calls
}

/// The numbers in the location of a call: the call is no more, and its own number, with those of calls around it, says where it was.
fn collect_calls(location: Location<'_>, found: &mut BTreeSet<usize>) {
    let mut open = vec![location];
    while let Some(location) = open.pop() {
        match location_parts(location) {
            LocationParts::Fused(parts, metadata) => {
                found.extend(
                    number_of(metadata).filter(|(key, _)| *key == OPERATION).map(|(_, call)| call),
                );
                open.extend(parts);
            }
            LocationParts::Named(_, child) => open.push(child),
            LocationParts::CallSite(callee, caller) => open.extend([callee, caller]),
            LocationParts::Leaf => {}
        }
    }
}

/// The number that is ours in the attribute of a fused location, and what it counts.
fn number_of(metadata: Option<Attribute<'_>>) -> Option<(&'static str, usize)> {
    [OPERATION, NEST].into_iter().find_map(|key| {
        let number = metadata?.entry(key)?.as_i64()?;
        Some((key, usize::try_from(number).ok()?))
    })
}

/// Removes all numbers from the locations of a module, so that what is after it sees the program's own.
pub fn unwrap<'c>(context: &'c Context, module: &Module<'c>) {
    let mut known = HashMap::new();
    module_op(module).walk(WalkOrder::Pre, &mut |op| {
        let location = op.location();
        op.set_location(own(context, location, &mut known));
        for block in op.regions().into_iter().flat_map(|region| region.blocks()) {
            for argument in block.args() {
                argument.set_location(own(context, argument.location(), &mut known));
            }
        }
    });
}

/// The location without numbers.
fn own<'c>(
    context: &'c Context,
    location: Location<'c>,
    known: &mut HashMap<usize, Location<'c>>,
) -> Location<'c> {
    let address = location_address(location);
    if let Some(known) = known.get(&address) {
        return *known;
    }
    let stripped = match location_parts(location) {
        LocationParts::Leaf => location,
        LocationParts::Fused(parts, metadata) => {
            let parts: Vec<_> = parts.into_iter().map(|part| own(context, part, known)).collect();
            match (number_of(metadata), parts.as_slice()) {
                (Some(_), [only]) => *only,
                _ => location_of(context, &LocationParts::Fused(parts, metadata)),
            }
        }
        LocationParts::Named(name, child) => {
            let child = own(context, child, known);
            location_of(context, &LocationParts::Named(name, child))
        }
        LocationParts::CallSite(callee, caller) => {
            let (callee, caller) = (own(context, callee, known), own(context, caller, known));
            location_of(context, &LocationParts::CallSite(callee, caller))
        }
    };
    known.insert(address, stripped);
    stripped
}
