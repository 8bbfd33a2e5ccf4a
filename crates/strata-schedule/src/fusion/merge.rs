//! Merges operations over the same elements into one operation.
//!
//! ```text
//! %a = linalg.generic { exp } ins(%x)
//! %b = linalg.generic { mulf } ins(%a, %a)
//! %c:2 = … %a and %b are used outside …
//! ```
//! becomes
//! ```text
//! %ab:2 = linalg.generic { exp, mulf } ins(%x)
//! ```
//! A value may have any number of users, and also be a result.

use std::collections::HashMap;

use strata_ir::{
    AffineMap, Attribute, AttributeExt as _, Builder, Context, Op, TypeExt as _, Value, View as _,
    arith, complex, int, linalg,
};

use crate::structured::{Index, Structured, indices, is_identity};

/// An operand of the merged operation: the tensor and its map.
struct Operand<'c> {
    value: Value<'c>,
    map: Attribute<'c>,
}

/// Merges `members`, which are in one block in that order and have the same loops, into one operation. All
/// but the last one are elementwise; `results` are those of their results that are used elsewhere.
///
/// The new operation replaces the last member, and its results replace `results`. `None` changes nothing.
pub fn merge<'c>(
    context: &'c Context,
    members: &[Structured<'c>],
    results: &[Value<'c>],
) -> Option<Op<'c>> {
    let last = members.last()?;
    let (inputs, arguments) = sources(members)?;
    let mut outputs: Vec<Operand<'c>> = Vec::new();
    for result in results {
        let (owner, index) = (result.owner()?, result.result_index()?);
        let member = members.iter().find(|member| member.op == owner)?;
        let operand = member.inputs + index;
        let map = *member.op.attr("indexing_maps")?.as_array()?.get(operand)?;
        outputs.push(Operand { value: owner.operand(operand), map });
    }
    let all = || inputs.iter().chain(&outputs);
    let maps = all().map(|operand| AffineMap::of(operand.map)).collect::<Option<Vec<_>>>()?;
    // A loop has the extent of a dimension that it indexes alone: not of one that is read backwards.
    let read: Vec<_> = maps.iter().flat_map(indices).collect();
    if !(0..last.extents.len()).all(|number| read.contains(&Index::Loop(number))) {
        return None;
    }
    let types: Vec<_> = all().map(|operand| operand.value.ty().element()).collect();
    let builder = Builder::before(context, last.op);
    let body = builder.region(&types, |body, args| {
        let (inputs, outputs) = args.split_at(inputs.len());
        fill(body, members, &arguments, results, inputs, outputs);
    });
    let operands: Vec<_> = all().map(|operand| operand.value).collect();
    let loops = last.op.cast::<linalg::Generic>()?.iterator_types()?;
    let types: Vec<_> = results.iter().map(|result| result.ty()).collect();
    let merged = linalg::generic(&builder, &maps, &loops, &types, body)
        .inputs(&operands[..inputs.len()])
        .outputs(&operands[inputs.len()..])
        .build()
        .op();
    for (from, to) in results.iter().zip(merged.results()) {
        from.replace_all_uses_with(to);
    }
    for member in members.iter().rev() {
        if member.op.is_unused() {
            member.op.erase();
        }
    }
    Some(merged)
}

/// The inputs of the merged operation, and for every member the sources of its block arguments.
fn sources<'c>(members: &[Structured<'c>]) -> Option<(Vec<Operand<'c>>, Vec<Vec<Argument<'c>>>)> {
    let mut inputs: Vec<Operand<'c>> = Vec::new();
    let mut arguments = Vec::new();
    for member in members {
        let maps = member.op.attr("indexing_maps")?.as_array()?;
        let mut own = Vec::new();
        for (value, map) in member.op.operands().into_iter().zip(maps).take(member.inputs) {
            let inside = value.owner().is_some_and(|op| members.iter().any(|m| m.op == op));
            let argument = if inside {
                Argument::Element(value)
            } else if let Some(element) = splat(value) {
                element
            } else {
                let known = inputs.iter().position(|other| {
                    other.value == value
                        && (other.map == map || strata_ir::planted("schedule-merge-maps"))
                });
                Argument::Input(known.unwrap_or_else(|| {
                    inputs.push(Operand { value, map });
                    inputs.len() - 1
                }))
            };
            own.push(argument);
        }
        arguments.push(own);
    }
    Some((inputs, arguments))
}

/// The body of the merged operation: those of the members in order, with `arguments` as the sources of their block
/// arguments. `inputs` and `outputs` are the arguments of the new block.
fn fill<'c>(
    body: &Builder<'c>,
    members: &[Structured<'c>],
    arguments: &[Vec<Argument<'c>>],
    results: &[Value<'c>],
    inputs: &[Value<'c>],
    outputs: &[Value<'c>],
) {
    let mut known = HashMap::new();
    for (member, own) in members.iter().zip(arguments) {
        let block = member.op.body(0);
        for (position, argument) in own.iter().enumerate() {
            let value = match argument {
                Argument::Element(value) => known.get(value).copied().unwrap_or(*value),
                Argument::Input(input) => inputs[*input],
                Argument::Scalar(value) => *value,
                Argument::Constant(value) => {
                    let ty = block.arg(position).ty();
                    let name = if ty.is_complex() { complex::CONSTANT } else { arith::CONSTANT };
                    body.op(name).attr("value", *value).result(ty).value()
                }
            };
            known.insert(block.arg(position), value);
        }
        // Only a reduction reads the initial value of its result.
        for (result, initial) in results.iter().zip(outputs) {
            if let (true, Some(index)) = (result.owner() == Some(member.op), result.result_index())
            {
                known.insert(block.arg(member.inputs + index), *initial);
            }
        }
        body.copy_body(block, &mut known);
        let yielded = block.terminator().map(Op::operands).unwrap_or_default();
        for (result, value) in member.op.results().into_iter().zip(yielded) {
            known.insert(result, known.get(&value).copied().unwrap_or(value));
        }
    }
    let yielded: Vec<_> =
        results.iter().map(|result| known.get(result).copied().unwrap_or(*result)).collect();
    linalg::yield_(body, &yielded).build();
}

/// The source of a block argument of a member in the merged operation.
pub(super) enum Argument<'c> {
    /// A value yielded by another member.
    Element(Value<'c>),
    /// An element of an input.
    Input(usize),
    /// The fill value of a tensor.
    Scalar(Value<'c>),
    /// The value of a splat constant.
    Constant(Attribute<'c>),
}

/// The value of all elements of a tensor, if uniform.
pub(super) fn splat<'c>(value: Value<'c>) -> Option<Argument<'c>> {
    let owner = value.owner()?;
    if owner.is(linalg::FILL) {
        let number = owner.operand(0);
        return (number.ty() == value.ty().element()).then_some(Argument::Scalar(number));
    }
    let constant = owner.is(arith::CONSTANT).then(|| owner.attr("value"))??.splat_value()?;
    let element = value.ty().element();
    let number = match (element.is_int(), constant.as_i64()) {
        (true, Some(number)) => int(element, number),
        (true, None) => return None,
        (false, _) => constant,
    };
    Some(Argument::Constant(number))
}

/// Whether the operation can be merged: elementwise, and its result depends on its inputs only.
pub fn is_mergeable(nest: &Structured<'_>) -> bool {
    nest.is_elementwise() && reads_inputs_only(nest)
}

/// Whether no element of the results depends on what they begin with.
pub fn reads_inputs_only(nest: &Structured<'_>) -> bool {
    let body = nest.op.body(0);
    (nest.inputs..nest.op.operand_count()).all(|operand| !body.arg(operand).has_uses())
}

/// Merges elementwise operations into their users, if those end up in one operation and read exactly the
/// computed elements. `nests` are operations of one block in order.
pub fn merge_into_users<'c>(context: &'c Context, nests: &[Structured<'c>]) {
    merge_groups(context, nests, is_mergeable, |_| true);
}

/// As [`merge_into_users`], of operations that `is_mergeable` holds for, and groups that `pays` does.
pub fn merge_groups<'c>(
    context: &'c Context,
    nests: &[Structured<'c>],
    is_mergeable: impl Fn(&Structured<'c>) -> bool,
    pays: impl Fn(&[Structured<'c>]) -> bool,
) {
    let positions: HashMap<Op<'c>, usize> =
        nests.iter().enumerate().map(|(place, nest)| (nest.op, place)).collect();
    // For every operation, the last one in its group.
    let mut leaders: Vec<usize> = (0..nests.len()).collect();
    for place in (0..nests.len()).rev() {
        if is_mergeable(&nests[place]) {
            let leader = sole_leader(&nests[place], nests, &positions, &leaders);
            leaders[place] = leader.unwrap_or(place);
        }
    }
    for (place, last) in nests.iter().enumerate() {
        let members: Vec<_> = nests
            .iter()
            .zip(&leaders)
            .filter(|(_, leader)| **leader == place)
            .map(|(nest, _)| nest.clone())
            .collect();
        if members.len() > 1 && pays(&members) {
            merge(context, &members, &last.op.results());
        }
    }
}

/// The group that all users of the operation are in, if it can take the operation.
fn sole_leader<'c>(
    nest: &Structured<'c>,
    nests: &[Structured<'c>],
    positions: &HashMap<Op<'c>, usize>,
    leaders: &[usize],
) -> Option<usize> {
    let mut found = None;
    for (user, operand) in nest.op.results().into_iter().flat_map(Value::uses) {
        let place = *positions.get(&user)?;
        let reader = &nests[place];
        let reads_same = reader.extents == nest.extents
            && operand < reader.inputs
            && is_identity(&reader.maps[operand], reader.extents.len());
        if !reads_same || *found.get_or_insert(leaders[place]) != leaders[place] {
            return None;
        }
    }
    found
}
