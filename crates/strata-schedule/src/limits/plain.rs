//! Which loops of a reduction without a schedule keep what they are given from a size on.
//!
//! ```mlir
//! linalg.generic {iterator_types = ["parallel", "reduction"]} ins(%x, %m) outs(%t) {     // %m is false from column %s on
//! ^bb0(%a: f32, %valid: i1, %p: i32):
//!   …
//!   %q = arith.select %valid, %place, %c2147483647
//!   %n = arith.minsi %q, %p                                                              // %p in such a column
//!   linalg.yield %n
//! }
//! ```

use std::collections::HashMap;

use strata_ir::{AffineMap, Block, Context, Op, Value, linalg};

use super::{
    Bound, Need,
    demand::is_risky,
    facts::{Constant, Fact, Facts, Loops},
    reductions::{Known, arithmetic},
};
use crate::{
    fusion::merge::{is_mergeable, merge},
    structured::{Structured, is_identity},
    transform::tags::SCHEDULE,
};

/// The iterations of each loop of a reduction that may change its results; `None` if that is all of them.
pub fn changing<'c>(op: Op<'c>, facts: &Facts<'c>) -> Option<Vec<Need>> {
    // One without iterations, as along half of one element, has no loops to limit.
    Structured::of_generic(op)?;
    let nest = Loops::of(op)?;
    let inputs = op.operand_count().checked_sub(op.result_count())?;
    let written: Vec<Vec<usize>> =
        nest.maps[inputs..].iter().map(AffineMap::projected).collect::<Option<_>>()?;
    let is_other = |inner: Op<'c>| !inner.is(linalg::INDEX) && is_risky(inner);
    if op.body(0).ops().into_iter().any(is_other) {
        return None;
    }
    let known = facts.of_body(op, &nest);
    let need = |dim: usize| {
        if written.iter().any(|dims| dims.contains(&dim)) {
            return Need::All;
        }
        let mut bounds =
            op.body(0).args().into_iter().filter_map(|one| bound(known.get(&one)?, dim));
        let found = bounds.find(|bound| keeps(op, inputs, (dim, *bound), &known));
        found.map_or(Need::All, Need::Below)
    };
    let needs: Vec<_> = (0..nest.extents.len()).map(need).collect();
    needs.iter().any(|need| matches!(need, Need::Below(_))).then_some(needs)
}

/// Merges the elementwise operations in `block` that only one reduction without a schedule reads into that, masks above all: it ends where
/// they would, and then nothing is masked. Not those that are `waiting` for a schedule. Returns the results that were replaced, and by what.
pub fn merge_into_reductions<'c>(
    context: &'c Context,
    block: Block<'c>,
    waiting: &[Op<'c>],
) -> Vec<(Value<'c>, Value<'c>)> {
    let ops = block.ops();
    let mut replaced = Vec::new();
    for op in &ops {
        let is_free = !op.has_attr(SCHEDULE) && !waiting.contains(op);
        let own = Structured::of_generic(*op).filter(|_| is_free);
        let Some(reduction) = own.filter(|nest| !nest.is_parallel()) else { continue };
        let mut members = vec![reduction];
        let mut seen = 0;
        while let Some(member) = members.get(seen).cloned() {
            seen += 1;
            for value in member.op.operands().into_iter().take(member.inputs) {
                let found = value.owner().filter(|owner| owner.block() == Some(block));
                let is_known = |owner: &Op<'c>| members.iter().any(|other| other.op == *owner);
                let is_free =
                    |owner: &Op<'c>| !owner.has_attr(SCHEDULE) && !waiting.contains(owner);
                let found = found.filter(|owner| !is_known(owner) && is_free(owner));
                let read = found.and_then(Structured::of_generic).filter(|read| {
                    is_mergeable(read)
                        && read.is_pure_map()
                        && read.extents == members[0].extents
                        && read.op.result_count() == 1
                        && is_read_here(value, &members)
                });
                members.extend(read);
            }
        }
        if members.len() == 1 {
            continue;
        }
        members.sort_by_key(|member| ops.iter().position(|op| *op == member.op));
        let results = op.results();
        if let Some(merged) = merge(context, &members, &results) {
            replaced.extend(results.into_iter().zip(merged.results()));
        }
    }
    replaced
}

/// Whether all that reads a value are these operations, each in the iteration that computes it.
fn is_read_here<'c>(value: Value<'c>, members: &[Structured<'c>]) -> bool {
    value.uses().into_iter().all(|(user, operand)| {
        let reader = members.iter().find(|member| member.op == user);
        reader.is_some_and(|reader| {
            operand < reader.inputs && is_identity(&reader.maps[operand], reader.extents.len())
        })
    })
}

/// From where on in a dimension something is known.
fn bound(fact: &Fact, dim: usize) -> Option<Bound> {
    let (Fact::Below(list) | Fact::Filled(list, _)) = fact else { return None };
    list.iter().find(|(own, _)| *own == dim).map(|(_, bound)| *bound)
}

/// Whether an iteration beyond `from`, a dimension and its bound, yields the accumulators.
fn keeps<'c>(
    op: Op<'c>,
    inputs: usize,
    from: (usize, Bound),
    facts: &HashMap<Value<'c>, Fact>,
) -> bool {
    let body = op.body(0);
    let mut values: HashMap<Value<'c>, Known> = HashMap::new();
    for (number, accumulator) in body.args().into_iter().skip(inputs).enumerate() {
        values.insert(accumulator, Known::Carried(number));
    }
    let get = |values: &HashMap<Value<'c>, Known>, value: Value<'c>| {
        let own = values.get(&value).copied();
        let of_fact = || match facts.get(&value)? {
            Fact::Below(list) if list.contains(&from) => {
                Some(Known::Constant(Constant::Integer(0)))
            }
            Fact::Filled(list, constant) if list.contains(&from) => {
                Some(Known::Constant(*constant))
            }
            _ => None,
        };
        own.or_else(of_fact).or_else(|| Constant::of_value(value).map(Known::Constant))
    };
    for inner in body.ops() {
        if let [result] = inner.results()[..]
            && let Some(known) = arithmetic(inner, from.1, |value| get(&values, value))
        {
            values.insert(result, known);
        }
    }
    let end = body.terminator().map(Op::operands).unwrap_or_default();
    let mut end = end.into_iter().enumerate();
    end.all(|(number, value)| get(&values, value) == Some(Known::Carried(number)))
}
