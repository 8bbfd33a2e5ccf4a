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
    AffineMap, Attribute, AttributeExt as _, Context, LIMIT, Op, TypeExt as _, Value,
    constant_index, scf, tensor, vector,
};

use super::{
    Bound, Need,
    demand::{set_limits, written},
    loops::{self, Start, offsets},
    temporaries,
};
use crate::structured::Structured;

/// Limits the loops of an operation, where `needs` are those of its results and nests after it have their limits. Returns whether it makes
/// less.
pub fn limit<'c>(context: &'c Context, op: Op<'c>, needs: &[Vec<Need>], sizes: usize) -> bool {
    let is_part = |need: &Need| matches!(need, Need::Below(_));
    if !needs.iter().flatten().any(is_part) {
        return false;
    }
    let is_plain = || Structured::of_generic(op).is_some_and(|nest| nest.is_parallel());
    match op.name() {
        scf::FOR if loops::limit_unscheduled(context, op, needs, sizes) > 0 => {
            temporaries::limit(op);
            true
        }
        tensor::PAD => limit_more(context, op, &needs[0], sizes),
        // A mask of an operand, say, whose rows are shorter than a vector.
        _ if is_plain() => {
            written(op, needs).is_some_and(|all| limit_more(context, op, &all, sizes))
        }
        _ => false,
    }
}

/// Gives the loops of an operation that have no limits those that are given.
fn limit_more<'c>(context: &'c Context, op: Op<'c>, more: &[Need], sizes: usize) -> bool {
    let known = op.attr(LIMIT).and_then(|list| list.as_array()).unwrap_or_default();
    let known: Vec<_> = known.into_iter().filter_map(AffineMap::of).collect();
    let limits: Vec<Need> = more
        .iter()
        .enumerate()
        .map(|(at, more)| {
            let own = known.get(at).and_then(|map| Bound::of(map.results.first()?, sizes));
            own.map_or(*more, Need::Below)
        })
        .collect();
    set_limits(context, op, &limits, sizes)
}

/// What an operation in a loop needs of each dimension of a tensor.
pub(super) fn of_use(user: Op<'_>, value: Value<'_>, sizes: usize) -> Vec<Need> {
    let need = |dim: usize| {
        let map = AffineMap::of(limit_of_use(user, value, dim)?)?;
        let [bound] = &map.results[..] else { return None };
        Bound::of(bound, sizes).map(Need::Below)
    };
    let rank = value.ty().rank().unwrap_or_default();
    let near = |dim: usize| within_steps(user, value, dim, sizes);
    let need =
        |dim| need(dim).or_else(|| first(user, dim)).or_else(|| near(dim)).unwrap_or(Need::All);
    (0..rank).map(need).collect()
}

/// What a read in a loop with a limit needs, whatever becomes of what it reads: the last step of the loop is read whole.
fn within_steps(read: Op<'_>, value: Value<'_>, dim: usize, sizes: usize) -> Option<Need> {
    let width = match read.name() {
        tensor::EXTRACT => 1,
        vector::TRANSFER_READ if read.operand(0) == value => {
            let map = read.attr("permutation_map").and_then(AffineMap::of)?;
            let at = map.projected()?.iter().position(|own| *own == dim);
            at.map_or(Some(1), |at| read.result(0).ty().shape()?.get(at).copied())?
        }
        _ => return None,
    };
    let index = *read.operands().get(1 + dim)?;
    let mut around = std::iter::successors(read.parent(), |op| op.parent());
    let (each, more) = around.find_map(|op| {
        let counter = op.is(scf::FOR).then(|| op.body(0).arg(0))?;
        Some((op, temporaries::offset(index, counter)?))
    })?;
    let [first, step] = [0, 2].map(|at| constant_index(each.operand(at)));
    let step = step.filter(|step| more >= 0 && more + width <= *step)?;
    first.filter(|first| *first >= 0)?;
    let map = AffineMap::of(each.attr(LIMIT)?)?;
    let [limit] = &map.results[..] else { return None };
    Bound::of(limit, sizes)?.plus(step - 1).map(Need::Below)
}

/// What one element at a constant place along dimension `dim` needs.
fn first(user: Op<'_>, dim: usize) -> Option<Need> {
    let is_along = |map: AffineMap| map.results.iter().any(|index| index.as_dim() == Some(dim));
    let is_one = match user.name() {
        tensor::EXTRACT => true,
        vector::TRANSFER_READ => !is_along(user.attr("permutation_map").and_then(AffineMap::of)?),
        _ => false,
    };
    let at = constant_index(*user.operands().get(1 + dim)?).filter(|at| is_one && *at >= 0)?;
    at.checked_add(1).map(Need::First)
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

/// The tensors that a loop carries, each to itself, and writes to at places of their own: no element is read or moved.
pub(super) fn only_written(each: Op<'_>) -> Vec<usize> {
    let end = each.body(0).terminator().map_or_else(Vec::new, |end| end.operands());
    let is_own = |at: &usize| {
        let own = each.body(0).arg(1 + at);
        start_of(end[*at]) == own && is_never_read(own)
    };
    (0..end.len()).filter(is_own).collect()
}

/// The tensor that a value in a loop was made from by writing to it, where inner loops carry each to itself.
fn start_of(mut value: Value<'_>) -> Value<'_> {
    while let Some(owner) = value.owner() {
        value = match (owner.name(), value.result_index()) {
            (tensor::INSERT | tensor::INSERT_SLICE | vector::TRANSFER_WRITE, _) => owner.operand(1),
            (scf::FOR, Some(at)) => owner.operand(3 + at),
            _ => break,
        };
    }
    value
}

/// Whether no element is read, of it or of what it becomes in its loop, and loops carry it to itself alone.
fn is_never_read(value: Value<'_>) -> bool {
    value.uses().into_iter().all(|(user, operand)| match user.name() {
        tensor::INSERT | tensor::INSERT_SLICE | vector::TRANSFER_WRITE => {
            operand == 1 && is_never_read(user.result(0))
        }
        scf::FOR => {
            operand > 2
                && is_never_read(user.body(0).arg(operand - 2))
                && is_never_read(user.result(operand - 3))
        }
        scf::YIELD => {
            let each = user.parent().filter(|each| each.is(scf::FOR));
            each.is_some_and(|each| start_of(value) == each.body(0).arg(1 + operand))
        }
        _ => false,
    })
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
