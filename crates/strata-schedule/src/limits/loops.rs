//! Which loops of a scheduled nest have iterations that write nothing that is needed.
//!
//! ```mlir
//! %r = scf.for %i = %c0 to %c128 step %c6 iter_args(%t = %init) -> (tensor<128x512xf32>) {
//!   …
//!   %next = tensor.insert_slice %tile into %t[%i, 0] [6, 512] [1, 1]
//!   scf.yield %next
//! }
//! return %r             // its rows below d0 are needed: the loop is over these
//! ```
//! An iteration writes at its counter or further on in that dimension, in each tensor that the loop carries; so once the counter
//! is beyond what is needed, nothing is lost with it.

use std::collections::HashMap;

use strata_ir::{
    AffineExpr, AffineMap, AttributeExt as _, Context, DYNAMIC, LIMIT, Op, TypeExt as _, Value,
    affine, arith, constant_index, func, scf, tensor, vector,
};

use super::{Bound, Need};

/// Limits the loops of `func`, of whose results `needs` is needed, where the entry takes that many sizes. Returns how many.
pub fn limit<'c>(context: &'c Context, func: Op<'c>, needs: &[Vec<Need>], sizes: usize) -> usize {
    let results = func.body(0).terminator().filter(|end| end.is(func::RETURN));
    let results = results.map(Op::operands).unwrap_or_default();
    limit_for(context, (func, results), needs, sizes)
}

/// Limits a loop outside of nests, and those in it, where `needs` is needed of its results.
pub fn limit_unscheduled<'c>(
    context: &'c Context,
    each: Op<'c>,
    needs: &[Vec<Need>],
    sizes: usize,
) -> usize {
    limit_for(context, (each, each.results()), needs, sizes)
}

/// Limits the loops in an operation, where `needs` is needed of values that they make.
fn limit_for<'c>(
    context: &'c Context,
    (within, values): (Op<'c>, Vec<Value<'c>>),
    needs: &[Vec<Need>],
    sizes: usize,
) -> usize {
    let mut parts = Parts::default();
    for (value, needs) in values.into_iter().zip(needs) {
        parts.follow(value, &bounds_of(needs));
    }
    parts.limit(context, within, sizes)
}

/// The bounds in what is needed of each dimension.
fn bounds_of(needs: &[Need]) -> Vec<Option<Bound>> {
    let bound = |need: &Need| match need {
        Need::Below(bound) => Some(*bound),
        Need::Nothing | Need::All => None,
    };
    needs.iter().map(bound).collect()
}

/// What is needed of the results of loops that make parts of the function's results: for each dimension a bound on its own
/// coordinates, if they are those of the whole.
#[derive(Default)]
struct Parts<'c> {
    loops: HashMap<Value<'c>, Vec<Option<Bound>>>,
}

impl<'c> Parts<'c> {
    /// Gives the loops in `whole` their limits. Returns how many have one.
    fn limit(&self, context: &'c Context, whole: Op<'c>, sizes: usize) -> usize {
        let mut count = 0;
        for each in whole.collect(|op| op.is(scf::FOR)) {
            if let Some(bound) = self.bound(each) {
                each.set_attr(LIMIT, bound.to_map(sizes).to_attribute(context));
                count += 1;
            }
        }
        count
    }

    /// Follows the writes that make a tensor back to where it comes from.
    fn follow(&mut self, value: Value<'c>, bounds: &[Option<Bound>]) {
        if bounds.iter().all(Option::is_none) {
            return;
        }
        let mut at = Some(value);
        while let Some(value) = at.take() {
            let Some(owner) = value.owner() else { return };
            match owner.name() {
                scf::FOR => {
                    let Some(index) = value.result_index() else { return };
                    let known = self.loops.entry(value).or_insert_with(|| bounds.to_vec());
                    known.iter_mut().zip(bounds).for_each(|(known, bound)| {
                        *known = known.filter(|known| Some(*known) == *bound);
                    });
                    let end = owner.body(0).terminator().map(Op::operands).unwrap_or_default();
                    if let Some(made) = end.get(index) {
                        self.follow(*made, bounds);
                    }
                    at = Some(owner.operand(3 + index));
                }
                tensor::INSERT_SLICE => {
                    if let Some(place) = place(owner) {
                        let part = bounds.iter().zip(&place);
                        let part = part.map(|(bound, at)| (*bound)?.plus(-at.number()?));
                        self.follow(owner.operand(0), &part.collect::<Vec<_>>());
                    }
                    at = Some(owner.operand(1));
                }
                vector::TRANSFER_WRITE | tensor::INSERT => at = Some(owner.operand(1)),
                _ => {}
            }
        }
    }

    /// The bound of the counter of a loop.
    fn bound(&self, each: Op<'c>) -> Option<Bound> {
        let first = constant_index(each.operand(0)).filter(|first| *first >= 0)?;
        let last = constant_index(each.operand(1))?;
        let step = constant_index(each.operand(2)).filter(|step| *step > 0)?;
        let results = each.results();
        if results.is_empty() || last - first <= step {
            return None;
        }
        let end = each.body(0).terminator()?.operands();
        let mut common: Option<Vec<Bound>> = None;
        for (index, result) in results.into_iter().enumerate() {
            // What nothing reads after the last iteration.
            if !result.ty().is_tensor_type() && !result.has_uses() {
                continue;
            }
            let bounds = self.loops.get(&result)?;
            let carried = each.body(0).arg(1 + index);
            let made = *end.get(index)?;
            let own = bounds.iter().enumerate().filter_map(|(dim, bound)| {
                (*bound).filter(|_| is_written_from(made, carried, each.body(0).arg(0), dim))
            });
            let own: Vec<Bound> = own.collect();
            common = Some(match common {
                None => own,
                Some(known) => known.into_iter().filter(|bound| own.contains(bound)).collect(),
            });
        }
        common?.first().copied()
    }
}

/// Whether `made` is `carried` with others written to it, all at `counter` or further on in dimension `dim`.
pub(super) fn is_written_from<'c>(
    made: Value<'c>,
    carried: Value<'c>,
    counter: Value<'c>,
    dim: usize,
) -> bool {
    let mut at = made;
    let mut writes = 0;
    while at != carried {
        let Some(owner) = at.owner() else { return false };
        at = match owner.name() {
            tensor::INSERT_SLICE => {
                let place = place(owner);
                if !place.is_some_and(|place| place[dim].is_from(counter)) {
                    return false;
                }
                owner.operand(1)
            }
            vector::TRANSFER_WRITE | tensor::INSERT => {
                let index = owner.operands().get(2 + dim).copied();
                let rank = owner.operand(1).ty().rank();
                let is_from = index.is_some_and(|index| is_from(index, counter));
                if rank.is_none_or(|rank| dim >= rank) || !is_from {
                    return false;
                }
                owner.operand(1)
            }
            scf::FOR => {
                let Some(index) = at.result_index() else { return false };
                let end = owner.body(0).terminator().map(Op::operands).unwrap_or_default();
                let Some(inner) = end.get(index) else { return false };
                if !is_written_from(*inner, owner.body(0).arg(1 + index), counter, dim) {
                    return false;
                }
                owner.operand(3 + index)
            }
            _ => return false,
        };
        writes += 1;
    }
    writes > 0
}

/// Where a slice begins in a dimension.
pub enum Start<'c> {
    /// At this element.
    At(i64),
    /// At the element that an index says.
    Computed(Value<'c>),
}

impl<'c> Start<'c> {
    fn number(&self) -> Option<i64> {
        match self {
            Self::At(start) => Some(*start),
            Self::Computed(_) => None,
        }
    }

    /// Whether it is known not to be negative.
    pub fn is_not_negative(&self) -> bool {
        match self {
            Self::At(start) => *start >= 0,
            Self::Computed(value) => is_not_negative(*value),
        }
    }

    /// Whether it is `counter` and something not negative.
    pub fn is_from(&self, counter: Value<'c>) -> bool {
        matches!(self, Self::Computed(value) if is_from(*value, counter))
    }
}

/// Where `insert_slice` writes, if it writes consecutive elements of a tensor of the same rank.
fn place<'c>(insert: Op<'c>) -> Option<Vec<Start<'c>>> {
    let rank = insert.operand(1).ty().rank()?;
    if insert.operand(0).ty().rank() != Some(rank) {
        return None;
    }
    offsets(insert)
}

/// Where a slice of consecutive elements begins.
pub fn offsets<'c>(slice: Op<'c>) -> Option<Vec<Start<'c>>> {
    let is_dense = slice.attr("static_strides")?.as_i64s()?.iter().all(|stride| *stride == 1);
    let tensors = if slice.is(tensor::INSERT_SLICE) { 2 } else { 1 };
    let mut computed = slice.operands().into_iter().skip(tensors);
    let starts = slice.attr("static_offsets")?.as_i64s()?.into_iter().map(|start| match start {
        DYNAMIC => computed.next().map(Start::Computed),
        start => Some(Start::At(start)),
    });
    starts.collect::<Option<_>>().filter(|_| is_dense)
}

/// Whether an index is `counter` and something not negative.
pub fn is_from<'c>(index: Value<'c>, counter: Value<'c>) -> bool {
    if index == counter {
        return true;
    }
    let Some(owner) = index.owner() else { return false };
    match owner.name() {
        arith::ADDI => {
            let [left, right] = [owner.operand(0), owner.operand(1)];
            is_from(left, counter) && is_not_negative(right)
                || is_from(right, counter) && is_not_negative(left)
        }
        affine::APPLY => {
            let operands = owner.operands();
            let map = owner.attr("map").and_then(AffineMap::of);
            let Some(AffineMap { dims, symbols, results }) = map else { return false };
            let [result] = &results[..] else { return false };
            let Some((factors, more)) = with_symbols_as_dims(result, dims).linear(dims + symbols)
            else {
                return false;
            };
            let terms = factors.into_iter().zip(operands);
            let (own, others): (Vec<_>, Vec<_>) =
                terms.partition(|(factor, value)| *factor == 1 && is_from(*value, counter));
            let is_sum = |(factor, value): &(i64, Value<'c>)| {
                *factor == 0 || *factor > 0 && is_not_negative(*value)
            };
            more >= 0 && own.len() == 1 && others.iter().all(is_sum)
        }
        _ => false,
    }
}

/// The expression with its symbols as dimensions after its own: operands are in that order.
pub(super) fn with_symbols_as_dims(expression: &AffineExpr, dims: usize) -> AffineExpr {
    let of = |part: &AffineExpr| Box::new(with_symbols_as_dims(part, dims));
    match expression {
        AffineExpr::Symbol(at) => AffineExpr::Dim(dims + at),
        AffineExpr::Add(left, right) => AffineExpr::Add(of(left), of(right)),
        AffineExpr::Mul(left, right) => AffineExpr::Mul(of(left), of(right)),
        other => other.clone(),
    }
}

/// Whether an index is known not to be negative: a constant, or a counter of a loop from such a constant.
fn is_not_negative(value: Value<'_>) -> bool {
    if let Some(number) = constant_index(value) {
        return number >= 0;
    }
    let Some((block, 0)) = value.block_arg() else { return false };
    let around = block.parent_op().filter(|around| around.is(scf::FOR));
    around.is_some_and(|around| {
        let [first, step] = [0, 2].map(|at| constant_index(around.operand(at)));
        first.is_some_and(|first| first >= 0) && step.is_some_and(|step| step > 0)
    })
}
