//! Which comparisons of a scheduled nest are true of places below a size.
//!
//! ```mlir
//! scf.for %i = %c0 to %c128 step %c1 {
//!   %place = vector.transfer_read %places[%i] : tensor<128xi32>, vector<1xi32>       // each is its coordinate
//!   %p = vector.broadcast %place : vector<1xi32> to vector<16xi32>
//!   %m = arith.cmpi slt, %p, %size {strata.mask = [0, affine_map<(d0) -> (d0)>]}
//!   %x = vector.transfer_read %a[%i, %c0] : tensor<128x16xf32>, vector<16xf32>
//!   %y = arith.select %m, %x, %none
//! }
//! ```
//! Stage `affine` leaves them out where it knows that the place is below the size, such as where an element of an input is there. Where
//! lanes have places of their own ([`PLACES`]), it counts them instead of reading them.

use std::collections::HashMap;

use strata_ir::{
    AffineMap, Builder, Context, MASK, Op, PLACES, TypeExt as _, Value,
    arith::{self, CmpIPredicate},
    array, index, int, integer, linalg, tensor, vector,
};

use super::facts::Fact;

/// Marks the comparisons in `func` of places that are the same for all lanes, where `facts` are those of its arguments.
pub fn mark<'c>(context: &'c Context, func: Op<'c>, facts: &[Option<Fact>], sizes: usize) {
    if !facts.iter().flatten().any(|fact| matches!(fact, Fact::Index(_))) {
        return;
    }
    let arguments = func.body(0).args().into_iter().zip(facts);
    let known: HashMap<Value<'c>, &Fact> =
        arguments.filter_map(|(argument, fact)| Some((argument, fact.as_ref()?))).collect();
    let fact = |value: Value<'c>| {
        let read = read(value)?;
        known.get(&read.operand(0)).map(|fact| (read, *fact))
    };
    for compare in func.collect(|op| op.is(arith::CMPI)) {
        let is_less =
            compare.attr("predicate").and_then(CmpIPredicate::of) == Some(CmpIPredicate::Slt);
        if is_less
            && let Some(read) = compare.operand(0).owner().filter(|op| op.is(vector::TRANSFER_READ))
            && let Some(Fact::Index(dim)) = known.get(&read.operand(0))
            && read.attr("permutation_map").and_then(AffineMap::of).and_then(|map| map.projected())
                == Some(vec![*dim])
            && read.result(0).ty().element_count() > Some(1)
        {
            compare.set_attr(PLACES, int(integer(context, 64), *dim as i64));
        } else if is_less
            && let Some((read, Fact::Index(dim))) = fact(compare.operand(0))
            && read.result(0).ty().element_count().is_none_or(|count| count == 1)
            && let Some((_, Fact::Number { bound, is_exact: true })) = fact(compare.operand(1))
        {
            let dim = int(integer(context, 64), *dim as i64);
            let limit = bound.to_map(sizes).to_attribute(context);
            compare.set_attr(MASK, array(context, &[dim, limit]));
        }
    }
}

/// Marks the comparisons of places in the body of an operation without a schedule, of which this is known.
pub fn mark_places<'c>(
    context: &'c Context,
    op: Op<'c>,
    known: &HashMap<Value<'c>, Fact>,
    sizes: usize,
) {
    for compare in op.body(0).ops().into_iter().filter(|op| op.is(arith::CMPI)) {
        let is_less =
            compare.attr("predicate").and_then(CmpIPredicate::of) == Some(CmpIPredicate::Slt);
        if is_less
            && let Some(Fact::Index(dim)) = known.get(&compare.operand(0))
            && let Some(Fact::Number { bound, is_exact: true }) = known.get(&compare.operand(1))
        {
            // The counter itself, where it was read from a tensor of all places.
            let before = Builder::before(context, compare);
            let mut place = linalg::index(&before, *dim as i64, index(context)).value();
            if compare.operand(0).ty() != place.ty() {
                place = before.cast(arith::INDEX_CAST, place, compare.operand(0).ty());
            }
            compare.set_operand(0, place);
            let dim = int(integer(context, 64), *dim as i64);
            let limit = bound.to_map(sizes).to_attribute(context);
            compare.set_attr(MASK, array(context, &[dim, limit]));
        }
    }
}

/// The read of one element that all lanes of a value are.
fn read(mut value: Value<'_>) -> Option<Op<'_>> {
    loop {
        let owner = value.owner()?;
        match owner.name() {
            vector::BROADCAST | vector::EXTRACT | vector::SHAPE_CAST => value = owner.operand(0),
            vector::TRANSFER_READ | tensor::EXTRACT => return Some(owner),
            _ => return None,
        }
    }
}
