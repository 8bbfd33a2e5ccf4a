//! Numbers in locations: what of the program an operation comes from, which passes carry along as they carry any location.

use std::collections::{BTreeSet, HashMap};

use melior::{
    Context,
    ir::{AttributeLike as _, Location, Module},
};
use mlir_sys as sys;

use super::{Origin, Subject, is_function};
use crate::{
    attrs::{AttributeExt as _, dictionary, int},
    diagnostics::fused_parts,
    handles::{Op, WalkOrder, location_address},
    module::module_op,
    types::integer,
};

/// The key of an operation's number in a fused location.
pub(super) const OPERATION: &str = "strata.operation";
/// The key of a nest's number in a fused location.
const NEST: &str = "strata.nest";
/// The file in locations that are positions in a list of origins, counted from 1 as lines are.
pub const ORIGINS: &str = "<origins>";

/// The number in the outermost layer of a location.
pub(super) fn own_number(location: Location<'_>) -> Option<usize> {
    match taken_apart(location) {
        Shape::Fused(_, Some((OPERATION, number))) => Some(number),
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
    let inner = location.to_raw();
    // SAFETY: the context outlives both, and one location is given.
    unsafe {
        let fused =
            sys::mlirLocationFusedGet(context.to_raw(), 1, &raw const inner, metadata.to_raw());
        Location::from_raw(fused)
    }
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
    let mut open = vec![location];
    while let Some(location) = open.pop() {
        match taken_apart(location) {
            Shape::Fused(parts, number) => {
                match number {
                    Some((NEST, number)) => drop(found.nests.insert(number)),
                    Some((_, number)) => drop(found.operations.insert(number)),
                    None => {}
                }
                open.extend(parts);
            }
            Shape::Named(child) => open.push(child),
            Shape::CallSite(callee, caller) => {
                open.push(callee);
                collect_calls(caller, &mut found.calls);
            }
            Shape::Leaf => {}
        }
    }
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
    let mut open = vec![location];
    while let Some(location) = open.pop() {
        match taken_apart(location) {
            Shape::Fused(parts, Some((key, number))) => {
                if key == NEST {
                    // Equal nests share what was scheduled for the first of them: further inside are the operations of that one.
                    found.nests.insert(number);
                } else {
                    found.operations.insert(number);
                    open.extend(parts);
                }
            }
            Shape::Fused(parts, None) => open.extend(parts),
            Shape::Named(child) => open.push(child),
            Shape::CallSite(callee, caller) => {
                open.push(callee);
                collect_calls(caller, &mut found.calls);
            }
            Shape::Leaf => {}
        }
    }
}

/// The numbers in the location of a call: the call is no more, and its own number, with those of calls around it, says where it was.
fn collect_calls(location: Location<'_>, found: &mut BTreeSet<usize>) {
    let mut open = vec![location];
    while let Some(location) = open.pop() {
        match taken_apart(location) {
            Shape::Fused(parts, number) => {
                found.extend(number.filter(|(key, _)| *key == OPERATION).map(|(_, call)| call));
                open.extend(parts);
            }
            Shape::Named(child) => open.push(child),
            Shape::CallSite(callee, caller) => open.extend([callee, caller]),
            Shape::Leaf => {}
        }
    }
}

enum Shape<'c> {
    Fused(Vec<Location<'c>>, Option<(&'static str, usize)>),
    Named(Location<'c>),
    CallSite(Location<'c>, Location<'c>),
    Leaf,
}

fn taken_apart<'c>(location: Location<'c>) -> Shape<'c> {
    let raw = location.to_raw();
    // SAFETY: the location is one of a context that is alive, and each accessor is called for its kind only.
    unsafe {
        if sys::mlirLocationIsAFused(raw) {
            let parts = fused_parts(raw).into_iter().map(|part| Location::from_raw(part)).collect();
            let metadata = sys::mlirLocationFusedGetMetadata(raw);
            let number = (!metadata.ptr.is_null())
                .then(|| melior::ir::Attribute::from_raw(metadata))
                .and_then(|metadata| {
                    [OPERATION, NEST].into_iter().find_map(|key| {
                        let number = metadata.entry(key)?.as_i64()?;
                        Some((key, usize::try_from(number).ok()?))
                    })
                });
            return Shape::Fused(parts, number);
        }
        if sys::mlirLocationIsAName(raw) {
            return Shape::Named(Location::from_raw(sys::mlirLocationNameGetChildLoc(raw)));
        }
        if sys::mlirLocationIsACallSite(raw) {
            return Shape::CallSite(
                Location::from_raw(sys::mlirLocationCallSiteGetCallee(raw)),
                Location::from_raw(sys::mlirLocationCallSiteGetCaller(raw)),
            );
        }
    }
    Shape::Leaf
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
    let raw = location.to_raw();
    let stripped = match taken_apart(location) {
        Shape::Leaf => location,
        Shape::Fused(parts, number) => {
            let parts: Vec<_> = parts.into_iter().map(|part| own(context, part, known)).collect();
            match (number, parts.as_slice()) {
                (Some(_), [only]) => *only,
                _ => {
                    let parts: Vec<_> = parts.iter().map(|part| part.to_raw()).collect();
                    // SAFETY: `raw` is fused, and its metadata, if any, is not ours: it stays.
                    unsafe {
                        let metadata = sys::mlirLocationFusedGetMetadata(raw);
                        let count = isize::try_from(parts.len()).unwrap_or_default();
                        Location::from_raw(sys::mlirLocationFusedGet(
                            context.to_raw(),
                            count,
                            parts.as_ptr(),
                            metadata,
                        ))
                    }
                }
            }
        }
        Shape::Named(child) => {
            let child = own(context, child, known);
            // SAFETY: `raw` is a name; the text lives as long as the context.
            unsafe {
                let name = sys::mlirIdentifierStr(sys::mlirLocationNameGetName(raw));
                Location::from_raw(sys::mlirLocationNameGet(context.to_raw(), name, child.to_raw()))
            }
        }
        Shape::CallSite(callee, caller) => {
            let (callee, caller) = (own(context, callee, known), own(context, caller, known));
            // SAFETY: both are locations of this context.
            unsafe {
                Location::from_raw(sys::mlirLocationCallSiteGet(callee.to_raw(), caller.to_raw()))
            }
        }
    };
    known.insert(address, stripped);
    stripped
}
