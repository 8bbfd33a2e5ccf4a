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

use std::collections::{BTreeMap, BTreeSet, HashMap};

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

/// Makes bodies of all operations between these calls: those that use parts of one another are one.
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
        let bodies = Bodies::of(block, calls)?;
        for body in &bodies.all {
            body.build(context, meshes)?;
        }
        // Several bodies may take the same parts.
        for (op, _) in bodies.inputs.iter().rev() {
            op.erase();
        }
    }
    Ok(())
}

/// A value and how it is split: the call that takes parts of it, or makes it of parts.
type Split<'c> = (Op<'c>, TensorSharding);

/// Operations on parts of values.
#[derive(Default)]
struct Body<'c> {
    inputs: Vec<Split<'c>>,
    outputs: Vec<Split<'c>>,
    inside: Vec<Op<'c>>,
}

/// The bodies of a block.
struct Bodies<'c> {
    all: Vec<Body<'c>>,
    inputs: Vec<Split<'c>>,
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

/// What a part is: the operand of bodies, by its number, or computed in one.
#[derive(Clone, Copy)]
enum Part {
    Taken(usize),
    Computed(usize),
}

/// A body while the operations of its block are read; places are those in the block.
#[derive(Default)]
struct Draft<'c> {
    inputs: BTreeSet<usize>,
    inside: BTreeMap<usize, Op<'c>>,
    outputs: BTreeMap<usize, Split<'c>>,
}

impl Draft<'_> {
    fn join(&mut self, other: Self) {
        let Self { inputs, inside, outputs } = other;
        self.inputs.extend(inputs);
        self.inside.extend(inside);
        self.outputs.extend(outputs);
    }

    /// Where the last of its operations stands.
    fn end(&self) -> usize {
        self.inside.keys().chain(self.outputs.keys()).max().copied().unwrap_or_default()
    }
}

/// The values that an operation uses, also in its regions.
fn uses(op: Op<'_>) -> Vec<usize> {
    op.collect(|_| true).into_iter().flat_map(|op| op.operands()).map(value_address).collect()
}

impl<'c> Bodies<'c> {
    fn of(block: Block<'c>, calls: &Calls<'c>) -> Result<Self, Diagnostic> {
        let mut inputs: Vec<Split<'c>> = Vec::new();
        let mut parts: BTreeMap<usize, Part> = BTreeMap::new();
        // What is computed of wholes that a body gives.
        let mut later: BTreeSet<usize> = BTreeSet::new();
        // Those that became one with another are `None`, and `joined` says with which.
        let mut drafts: Vec<Option<Draft<'c>>> = Vec::new();
        let mut joined: Vec<usize> = Vec::new();
        for (place, op) in block.ops().into_iter().enumerate() {
            let uses = uses(op);
            let used: Vec<Part> =
                uses.iter().filter_map(|value| parts.get(value).copied()).collect();
            let is_later = uses.iter().any(|value| later.contains(value));
            let results = op.results().into_iter().map(value_address);
            match target(op) {
                Some(TO_PARTS) if is_whole(op, calls) => continue,
                Some(TO_PARTS) => {
                    let sharding = split_of(op.operand(0), calls)
                        .ok_or_else(|| refused(op, "it is not said how its operand is split"))?;
                    parts.extend(results.map(|value| (value, Part::Taken(inputs.len()))));
                    inputs.push((op, sharding));
                    continue;
                }
                _ if used.is_empty() => {
                    if is_later {
                        later.extend(results);
                    }
                    continue;
                }
                Some(TO_WHOLE) => {}
                _ if is_later => return Err(refused(op, "it uses parts of values and whole ones")),
                _ => {}
            }
            let number = drafts.len();
            drafts.push(None);
            joined.push(number);
            let mut draft = Draft::default();
            for part in used {
                match part {
                    Part::Taken(input) => {
                        draft.inputs.insert(input);
                    }
                    Part::Computed(mut body) => {
                        while joined[body] != body {
                            body = joined[body];
                        }
                        if let Some(other) = drafts[body].take() {
                            joined[body] = number;
                            draft.join(other);
                        }
                    }
                }
            }
            if target(op) == Some(TO_WHOLE) {
                let sharding = said(op, calls)
                    .ok_or_else(|| refused(op, "it is not said how its result is split"))?;
                draft.outputs.insert(place, (op, sharding));
                later.extend(results);
            } else {
                draft.inside.insert(place, op);
                parts.extend(results.map(|value| (value, Part::Computed(number))));
            }
            drafts[number] = Some(draft);
        }
        let (mut all, idle): (Vec<_>, Vec<_>) =
            drafts.into_iter().flatten().partition(|draft| !draft.outputs.is_empty());
        all.sort_by_key(Draft::end);
        // What gives nothing is done in a body that comes after it.
        for draft in idle {
            let next = all.iter_mut().find(|body| body.end() > draft.end());
            let first = draft.inside.values().next().copied();
            match (next, first) {
                (Some(next), _) => next.join(draft),
                (None, Some(first)) => {
                    return Err(refused(first, "no whole value is made of its parts"));
                }
                (None, None) => {}
            }
        }
        let body = |draft: Draft<'c>| Body {
            inputs: draft.inputs.iter().map(|input| inputs[*input].clone()).collect(),
            outputs: draft.outputs.into_values().collect(),
            inside: draft.inside.into_values().collect(),
        };
        Ok(Self { all: all.into_iter().map(body).collect(), inputs })
    }
}

impl<'c> Body<'c> {
    fn build(&self, context: &'c Context, meshes: &Meshes) -> Result<(), Diagnostic> {
        let (Some((first, split)), Some((place, _))) = (self.inputs.first(), self.outputs.last())
        else {
            return Ok(());
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
        let axes = meshes.axis_names(&split.mesh);
        let axes = parse_attr(context, &format!("#sdy<manual_axes{{{}}}>", axes.join(", ")));
        let (Some(inputs), Some(outputs), Some(axes)) =
            (listed(&self.inputs), listed(&self.outputs), axes)
        else {
            return Err(refused(*first, "its shardings cannot be written"));
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
        for op in self.inside.iter().rev() {
            op.erase();
        }
        Ok(())
    }
}
