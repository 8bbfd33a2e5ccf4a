//! Which loops make elements of a tensor that only limited loops of other nests read, and these do not need.
//!
//! ```mlir
//! %p = scf.for %i = … {                                        // softmax: exponentials and quotients of whole rows
//!   %row = scf.for %j = %c0 to %c128 step %c32 … {             // up to d1, as what is read of %p shows
//! }
//! %r = scf.for %i = … {
//!   %sums:4 = scf.for %k = %c0 to %c128 step %c1 … {
//!     %x = vector.transfer_read %p[%i, %k] : tensor<128x128xf32>, vector<f32>
//!   } {strata.limit = affine_map<(d0, d1) -> (d1)>}            // up to d1, as masks before it show
//! ```
//! Whether a reduction ends early follows from its schedule, so that this is known when all nests have one. A loop of step 1 reads
//! nothing beyond its limit; of others each lane that is beyond has to be masked, as of temporaries ([`super::temporaries`]).

use strata_ir::{
    AffineMap, Attribute, Block, Context, LIMIT, Op, TypeExt as _, Value, constant_index, scf,
    tensor, vector,
};

use super::{
    Bound, Need,
    demand::{set_limits, written},
    loops::{self, Start, offsets},
    temporaries,
};
use crate::structured::Structured;

/// Limits the loops of a block, in which nests have their limits, where the entry takes that many sizes. Returns how many make less.
pub fn limit<'c>(context: &'c Context, block: Block<'c>, sizes: usize) -> usize {
    let mut count = 0;
    // Those that read come after those that write.
    let makes = |op: &Op<'c>| {
        let is_plain = |op| Structured::of_generic(op).is_some_and(|nest| nest.is_parallel());
        op.is(scf::FOR) || !op.has_attr(LIMIT) && is_plain(*op)
    };
    for op in block.ops().into_iter().filter(makes).rev() {
        let needs: Vec<_> = op.results().into_iter().map(|result| read(result, sizes)).collect();
        let is_part = |need: &Need| matches!(need, Need::Below(_));
        if !needs.iter().flatten().any(is_part) {
            continue;
        }
        let is_limited = match op.is(scf::FOR) {
            true => loops::limit_unscheduled(context, op, &needs, sizes) > 0,
            // A mask of an operand, say, whose rows are shorter than a vector.
            false => written(op, &needs).is_some_and(|all| set_limits(context, op, &all, sizes)),
        };
        if is_limited {
            temporaries::limit(op);
            count += 1;
        }
    }
    count
}

/// What is read of each dimension of a tensor.
fn read(value: Value<'_>, sizes: usize) -> Vec<Need> {
    let rank = value.ty().rank().filter(|_| value.ty().is_tensor_type()).unwrap_or_default();
    let uses = value.uses();
    let need = |dim: usize| {
        let mut limits = uses.iter().map(|(user, _)| limit_of_use(*user, value, dim));
        let first = limits.next().flatten()?;
        let bound = AffineMap::of(first).filter(|map| map.results.len() == 1)?;
        let bound = Bound::of(&bound.results[0], sizes)?;
        limits.all(|other| other == Some(first)).then_some(Need::Below(bound))
    };
    (0..rank).map(|dim| need(dim).unwrap_or(Need::All)).collect()
}

/// From where on in dimension `dim` the elements of `value` that `user` takes are not needed.
pub(super) fn limit_of_use<'c>(
    user: Op<'c>,
    value: Value<'c>,
    dim: usize,
) -> Option<Attribute<'c>> {
    match user.name() {
        tensor::INSERT_SLICE if user.operand(0) == value && user.operand(1) != value => {
            let rank = user.operand(1).ty().rank();
            let starts = offsets(user).filter(|_| rank == value.ty().rank())?;
            matches!(starts.get(dim)?, Start::At(0)).then_some(())?;
            // What a loop carries, each part of which is read after it.
            let uses = user.result(0).uses();
            let [(end, index)] = uses[..] else { return None };
            let each = end.parent().filter(|each| end.is(scf::YIELD) && each.is(scf::FOR))?;
            is_only_written(each.body(0).arg(1 + index)).then_some(())?;
            let whole = each.result(index);
            let uses = whole.uses();
            let mut limits = uses.iter().map(|(reader, _)| limit_of_use(*reader, whole, dim));
            let first = limits.next()??;
            limits.all(|other| other == Some(first)).then_some(first)
        }
        tensor::EXTRACT_SLICE => {
            let part = user.result(0);
            let starts = offsets(user).filter(|_| part.ty().rank() == value.ty().rank())?;
            let uses = part.uses();
            let mut limits = uses.iter().map(|(inner, _)| limit_of_use(*inner, part, dim));
            let first = limits.next()??;
            let is_same = limits.all(|other| other == Some(first));
            (matches!(starts.get(dim)?, Start::At(0)) && is_same).then_some(first)
        }
        tensor::EXTRACT => limit_of_element(user, dim),
        vector::TRANSFER_READ => {
            let map = user.attr("permutation_map").and_then(AffineMap::of)?;
            match map.projected()?.contains(&dim) {
                true => temporaries::limit_of_read(user, value, dim),
                false => limit_of_element(user, dim),
            }
        }
        _ => None,
    }
}

/// Whether a tensor is only written to: no element of it is read where it is not whole yet.
fn is_only_written(value: Value<'_>) -> bool {
    value.uses().into_iter().all(|(user, operand)| match user.name() {
        tensor::INSERT_SLICE | vector::TRANSFER_WRITE => operand == 1,
        tensor::EXTRACT_SLICE => is_only_written(user.result(0)),
        scf::FOR => operand > 2 && is_only_written(user.body(0).arg(operand - 2)),
        scf::YIELD => true,
        _ => false,
    })
}

/// The limit of the loop that counts one element after the other along dimension `dim` of what is read.
fn limit_of_element<'c>(read: Op<'c>, dim: usize) -> Option<Attribute<'c>> {
    let (counters, 0) = read.operands().get(1 + dim)?.block_arg()? else { return None };
    let each = counters.parent_op().filter(|op| op.is(scf::FOR))?;
    let [first, step] = [0, 2].map(|at| constant_index(each.operand(at)));
    each.attr(LIMIT).filter(|_| first.is_some_and(|first| first >= 0) && step == Some(1))
}
