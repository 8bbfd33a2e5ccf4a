//! Bodies of devices between two calls.
//!
//! ```text
//! %a = custom_call @SPMDFullToShardShape(%x split along "_0" : 4x3) : 2x3
//! %b = call @body(%a) : 2x3
//! %y = custom_call @SPMDShardToFullShape(%b) {split along "_0"} : 4x3
//! ```
//! becomes
//! ```text
//! %y = sdy.manual_computation(%x) in_shardings=[{"_0"}, {}] out_shardings=[{"_0"}, {}] manual_axes={"_0", "_1"} (%a : 2x3) { return call @body(%a) }
//! ```

use std::collections::{BTreeSet, HashMap};

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    Block, Builder, Context, Op, TensorSharding, Value, diagnostic_at, parse_attr, sdy,
    value_address,
};

use super::{Meshes, target};

const TO_PARTS: &str = "SPMDFullToShardShape";
const TO_WHOLE: &str = "SPMDShardToFullShape";

/// Operations with what their strings say of their results.
type Calls<'c> = [(Op<'c>, Vec<Option<TensorSharding>>)];

/// Makes bodies of all operations between these calls, one for each block that has any.
///
/// # Errors
/// `S1103` for operations that cannot be one body.
pub fn regions<'c>(
    context: &'c Context,
    root: Op<'c>,
    meshes: &Meshes,
    calls: &Calls<'c>,
) -> Result<(), Diagnostic> {
    let mut blocks: Vec<Block<'c>> = Vec::new();
    for call in root.collect(|op| target(op) == Some(TO_PARTS)) {
        let block = call.block().filter(|block| !blocks.contains(block));
        blocks.extend(block);
    }
    for block in blocks {
        // A body whose operands are results of another comes after it.
        while let Some(body) = Body::next(block, calls)? {
            body.build(context, meshes)?;
        }
    }
    Ok(())
}

/// Operations on parts of values.
struct Body<'c> {
    inputs: Vec<(Op<'c>, TensorSharding)>,
    outputs: Vec<(Op<'c>, TensorSharding)>,
    inside: Vec<Op<'c>>,
}

fn refused(op: Op<'_>, reason: &str) -> Diagnostic {
    diagnostic_at(codes::S1103, op)
        .reason(reason.to_owned())
        .hint("export the program again with a newer JAX, which writes `sdy.manual_computation`")
}

/// Whether a call gives each device all of its operand: on one device nothing is said of it.
fn is_whole<'c>(op: Op<'c>, calls: &Calls<'c>) -> bool {
    split_of(op.operand(0), calls).is_none() && op.operand(0).ty() == op.result(0).ty()
}

/// How the operand of a call is split.
fn split_of<'c>(value: Value<'c>, calls: &Calls<'c>) -> Option<TensorSharding> {
    let called = value.owner().and_then(|owner| said(owner, calls));
    called.or_else(|| TensorSharding::of_value(value))
}

/// The sharding that a call of this module has for its result.
fn said<'c>(op: Op<'c>, calls: &Calls<'c>) -> Option<TensorSharding> {
    let (_, shardings) = calls.iter().find(|(call, _)| *call == op)?;
    shardings.first()?.clone()
}

impl<'c> Body<'c> {
    /// The first body of a block.
    fn next(block: Block<'c>, calls: &Calls<'c>) -> Result<Option<Self>, Diagnostic> {
        let mut body = Self { inputs: Vec::new(), outputs: Vec::new(), inside: Vec::new() };
        // The parts, and what was computed from wholes that a body gave: that belongs to a later body.
        let (mut parts, mut later) = (BTreeSet::new(), BTreeSet::new());
        for op in block.ops() {
            let uses = |set: &BTreeSet<usize>| {
                op.operands().iter().any(|value| set.contains(&value_address(*value)))
            };
            let results = op.results();
            let results = results.iter().map(|value| value_address(*value));
            match target(op) {
                Some(TO_PARTS) if is_whole(op, calls) => {}
                Some(TO_PARTS) if uses(&later) => later.extend(results),
                Some(TO_PARTS) => {
                    let sharding = split_of(op.operand(0), calls)
                        .ok_or_else(|| refused(op, "it is not said how its operand is split"))?;
                    body.inputs.push((op, sharding));
                    parts.extend(results);
                }
                Some(TO_WHOLE) if uses(&parts) => {
                    let sharding = said(op, calls)
                        .ok_or_else(|| refused(op, "it is not said how its result is split"))?;
                    body.outputs.push((op, sharding));
                    later.extend(results);
                }
                _ if uses(&parts) && uses(&later) => {
                    return Err(refused(op, "it uses parts of values and whole ones"));
                }
                _ if uses(&parts) => {
                    parts.extend(results);
                    body.inside.push(op);
                }
                _ if uses(&later) => later.extend(results),
                _ => {}
            }
        }
        Ok((!body.inputs.is_empty()).then_some(body))
    }

    fn build(self, context: &'c Context, meshes: &Meshes) -> Result<(), Diagnostic> {
        let first = self.inputs[0].0;
        let Some((place, _)) = self.outputs.last() else {
            return Err(refused(first, "no whole value is made of its parts"));
        };
        // The body stands where the last of its values is given: all that it takes is there, and nothing that it gives is used yet.
        let is_late = |op: &Op<'c>| {
            std::iter::successors(op.next(), |op| op.next()).all(|next| next != *place)
        };
        let inputs = self.inputs.iter().map(|(op, _)| *op);
        if let Some(late) = inputs.chain(self.inside.iter().copied()).find(is_late) {
            return Err(refused(late, "it uses parts of values after the last whole one is given"));
        }
        let given = self.outputs.iter().flat_map(|(op, _)| op.result(0).uses());
        let before = |user: &Op<'c>| user.block() == place.block() && !is_late(user);
        if let Some(user) = given.map(|(user, _)| user).find(before) {
            return Err(refused(user, "it uses a value of a body that gives another one later"));
        }
        let types: Vec<_> = self.inputs.iter().map(|(op, _)| op.result(0).ty()).collect();
        let builder = Builder::before(context, *place);
        let region = builder.region(&types, |inner, arguments| {
            let mut values: HashMap<Value<'c>, Value<'c>> = HashMap::new();
            for ((op, _), argument) in self.inputs.iter().zip(arguments) {
                values.insert(op.result(0), *argument);
            }
            for op in &self.inside {
                inner.copy(*op, &mut values);
            }
            let of = |value: Value<'c>| values.get(&value).copied().unwrap_or(value);
            let returned: Vec<_> = self.outputs.iter().map(|(op, _)| of(op.operand(0))).collect();
            inner.op(sdy::RETURN).operands(&returned).build();
        });
        let listed = |all: &[(Op<'c>, TensorSharding)]| {
            let all: Vec<_> = all.iter().map(|(_, sharding)| sharding.to_string()).collect();
            parse_attr(context, &format!("#sdy.sharding_per_value<[{}]>", all.join(", ")))
        };
        let axes = meshes.axis_names(&self.inputs[0].1.mesh);
        let axes = parse_attr(context, &format!("#sdy<manual_axes{{{}}}>", axes.join(", ")));
        let (Some(inputs), Some(outputs), Some(axes)) =
            (listed(&self.inputs), listed(&self.outputs), axes)
        else {
            return Err(refused(first, "its shardings cannot be written"));
        };
        let wholes: Vec<_> = self.inputs.iter().map(|(op, _)| op.operand(0)).collect();
        let results: Vec<_> = self.outputs.iter().map(|(op, _)| op.result(0).ty()).collect();
        let new = builder
            .op(sdy::MANUAL_COMPUTATION)
            .operands(&wholes)
            .attr("in_shardings", inputs)
            .attr("out_shardings", outputs)
            .attr("manual_axes", axes)
            .results(&results)
            .region(region)
            .build();
        for ((op, _), result) in self.outputs.iter().zip(new.results()) {
            op.result(0).replace_all_uses_with(result);
            op.erase();
        }
        let inputs = self.inputs.iter().map(|(op, _)| op);
        for op in self.inside.iter().rev().chain(inputs) {
            op.erase();
        }
        Ok(())
    }
}
