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
//! is beyond what is needed, nothing is lost with it. A loop within a block of that dimension counts from the block's start:
//!
//! ```mlir
//! scf.for %block = %c0 to %c2048 step %c256 … {
//!   %rows = scf.for %i = %c0 to %c256 step %c4 … {strata.blocks = [0, affine_map<(d0) -> (d0)>]}   // up to d0 - %block
//!   %next = tensor.insert_slice %rows into %t[%block, 0] [256, 512] [1, 1]
//! } {strata.blocks = 0, strata.limit = affine_map<(d0) -> (d0)>}
//! ```

use std::collections::HashMap;

use strata_ir::{
    AffineExpr, AffineMap, Attribute, AttributeExt as _, BLOCKS, Block, Context, DYNAMIC, LIMIT,
    Op, TypeExt as _, Value, affine, arith, array, constant_index, func, int, integer, scf, tensor,
    vector,
};

use super::{
    Bound, Need,
    demand::is_risky,
    facts::{groups, long},
};

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
fn bounds_of<'c>(needs: &[Need]) -> Vec<Option<End<'c>>> {
    let bound = |need: &Need| match need {
        Need::Below(bound) => Some(End { bound: *bound, block: None }),
        Need::Nothing | Need::First(_) | Need::All => None,
    };
    needs.iter().map(bound).collect()
}

/// From where on elements are not needed.
#[derive(Clone, Copy, PartialEq, Eq)]
struct End<'c> {
    bound: Bound,
    /// The counter of a loop over blocks, where elements are those of the block that it is at.
    block: Option<Value<'c>>,
}

impl<'c> End<'c> {
    /// The same of a slice that begins there.
    fn of_slice(self, start: &Start<'c>) -> Option<Self> {
        match start {
            Start::At(start) => Some(Self { bound: self.bound.plus(-start)?, ..self }),
            Start::Computed(start) if self.block.is_none() && is_counter(*start) => {
                Some(Self { block: Some(*start), ..self })
            }
            Start::Computed(_) => None,
        }
    }
}

/// Whether it is the counter of a loop.
fn is_counter(value: Value<'_>) -> bool {
    let block = value.block_arg().filter(|(_, index)| *index == 0).map(|(block, _)| block);
    block.and_then(Block::parent_op).is_some_and(|owner| owner.is(scf::FOR))
}

/// What is needed of the results of loops that make parts of the function's results: for each dimension a bound on its own
/// coordinates, if they are those of the whole.
#[derive(Default)]
struct Parts<'c> {
    loops: HashMap<Value<'c>, Vec<Option<End<'c>>>>,
}

impl<'c> Parts<'c> {
    /// Gives the loops in `whole` their limits. Returns how many have one.
    fn limit(&self, context: &'c Context, whole: Op<'c>, sizes: usize) -> usize {
        let mut limited: Vec<(Op<'c>, End<'c>)> = Vec::new();
        let root = std::iter::successors(Some(whole), |op| op.parent()).last().unwrap_or(whole);
        let mut blocks = root.collect(|op| op.has_attr(BLOCKS)).len() as i64;
        // Outer ones first.
        for each in whole.collect(|op| op.is(scf::FOR)) {
            let mut others = limited.iter().rev();
            let around = others.find(|(other, _)| each.parent() == Some(*other)).copied();
            let Some(end) = self.bound(each, around) else { continue };
            if is_less(each.attr(LIMIT), end.bound, sizes) {
                continue;
            }
            let limit = end.bound.to_map(sizes).to_attribute(context);
            let outer = end.block.and_then(|block| block.block_arg()?.0.parent_op());
            match outer.filter(|outer| outer.encloses(each)) {
                None if end.block.is_some() => continue,
                None => each.set_attr(LIMIT, limit),
                Some(outer) => {
                    let number = outer.attr(BLOCKS).unwrap_or_else(|| {
                        blocks += 1;
                        int(integer(context, 64), blocks - 1)
                    });
                    outer.set_attr(BLOCKS, number);
                    each.set_attr(BLOCKS, array(context, &[number, limit]));
                }
            }
            limited.push((each, end));
        }
        limited.len()
    }

    /// Follows the writes that make a tensor back to where it comes from.
    fn follow(&mut self, value: Value<'c>, bounds: &[Option<End<'c>>]) {
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
                        let part = part.map(|(end, at)| (*end)?.of_slice(at));
                        self.follow(owner.operand(0), &part.collect::<Vec<_>>());
                    }
                    at = Some(owner.operand(1));
                }
                vector::TRANSFER_WRITE | tensor::INSERT => at = Some(owner.operand(1)),
                scf::IF => {
                    let made = branches(owner, value);
                    made.into_iter().for_each(|made| self.follow(made, bounds));
                }
                tensor::EXPAND_SHAPE => {
                    if let Some(flat) = flattened(owner, bounds) {
                        self.follow(owner.operand(0), &flat);
                    }
                }
                _ => {}
            }
        }
    }

    /// The bound of the counter of a loop, where `around` is the loop that it is in, with its bound.
    fn bound(&self, each: Op<'c>, around: Option<(Op<'c>, End<'c>)>) -> Option<End<'c>> {
        let step = constant_index(each.operand(2)).filter(|step| *step > 0)?;
        let results = each.results();
        let ends = [0, 1].map(|at| constant_index(each.operand(at)));
        let is_short = matches!(ends, [Some(first), Some(last)] if last - first <= step);
        if results.is_empty() || is_short || !is_not_negative(each.operand(0)) {
            return None;
        }
        let end = each.body(0).terminator()?.operands();
        let in_last = around.filter(|(around, _)| ends_with(each, *around));
        let mut common: Option<Vec<End<'c>>> = None;
        for (index, result) in results.into_iter().enumerate() {
            // What nothing reads after the last iteration.
            if !result.has_uses() {
                continue;
            }
            // What only iterations of the loop around read that are beyond its bound, if this loop ends early.
            if let Some((_, bound)) = in_last
                && !self.loops.contains_key(&result)
            {
                common = Some(common.map_or_else(
                    || vec![bound],
                    |known| known.into_iter().filter(|known| *known == bound).collect(),
                ));
                continue;
            }
            let bounds = self.loops.get(&result)?;
            let carried = each.body(0).arg(1 + index);
            let made = *end.get(index)?;
            let own = bounds.iter().enumerate().filter_map(|(dim, bound)| {
                (*bound).filter(|_| is_written_from(made, carried, each.body(0).arg(0), dim))
            });
            let own: Vec<End<'c>> = own.collect();
            common = Some(match common {
                None => own,
                Some(known) => known.into_iter().filter(|bound| own.contains(bound)).collect(),
            });
        }
        common?.first().copied()
    }
}

/// Whether a limit is less than a bound for all sizes: what is written from there on is there already.
fn is_less(limit: Option<Attribute<'_>>, bound: Bound, sizes: usize) -> bool {
    let own = limit.and_then(AffineMap::of).and_then(|map| Bound::of(map.results.first()?, sizes));
    own.is_some_and(|own| matches!(bound.minus(own), Some(Err(more)) if more > 0))
}

/// The bounds on the operand of an `expand_shape`: rows of `n` elements are needed up to `n` times as many of these.
fn flattened<'c>(expand: Op<'c>, bounds: &[Option<End<'c>>]) -> Option<Vec<Option<End<'c>>>> {
    let shape = expand.result(0).ty().shape()?;
    let of_group = |group: Vec<usize>| {
        let long = long(&shape, &group);
        let (first, rest) = long.split_first()?;
        let inner: i64 = rest.iter().map(|dim| shape[*dim]).product();
        let end = (*bounds.get(*first)?).filter(|end| end.block.is_none())?;
        match Need::Below(end.bound).moved(inner, inner - 1) {
            Need::Below(bound) => Some(End { bound, ..end }),
            Need::Nothing | Need::First(_) | Need::All => None,
        }
    };
    Some(groups(expand)?.into_iter().map(of_group).collect())
}

/// Whether a loop that ends early is in the last iteration of the loop around it, if both end at the same place, and nothing else that it
/// returns than what is written to a tensor is looked at then.
///
/// ```mlir
/// %r:2 = scf.for %block = %c1 to %c128 step %c16 iter_args(%t = %to, %total = %zero) {      // %r#1 has no user
///   %next = arith.addi %block, %c16
///   %end = arith.minui %next, %c128
///   %s:2 = scf.for %i = %block to %end step %c1 iter_args(%u = %t, %sum = %zero) { … }
///   %more = arith.addf %total, %s#1
///   scf.yield %s#0, %more
/// }
/// ```
fn ends_with<'c>(each: Op<'c>, around: Op<'c>) -> bool {
    let counter = around.body(0).arg(0);
    let step = constant_index(around.operand(2));
    let is_next = |value: Value<'c>| {
        let sum = value.owner().filter(|owner| owner.is(arith::ADDI));
        sum.is_some_and(|sum| {
            sum.operand(0) == counter && constant_index(sum.operand(1)) == step && step.is_some()
        })
    };
    let end = each.operand(1);
    let is_before = is_next(end)
        || end.owner().is_some_and(|owner| {
            owner.is(arith::MINUI) && owner.operands().into_iter().any(is_next)
        });
    let returned = around.body(0).terminator().map(Op::operands).unwrap_or_default();
    let mut carried = around.results().into_iter().zip(returned);
    // Of what the loop around returns, only this loop's own tensors are read.
    let are_own =
        carried.all(|(result, returned)| !result.has_uses() || returned.owner() == Some(each));
    // Numbers that would be places elsewhere, or that something is divided by.
    let is_safe = |op: Op<'c>| {
        matches!(op.dialect(), "arith" | "math" | "complex" | "tensor" | "scf" | "linalg")
            && !matches!(op.name(), arith::INDEX_CAST | arith::INDEX_CASTUI | scf::WHILE)
            && (op.region_count() > 0 || op.dialect() != "arith" || !is_risky(op))
    };
    let are_safe =
        around.collect(|op| op != around && !each.encloses(op) && !is_safe(op)).is_empty();
    let has_places = each.results().into_iter().any(|result| result.ty().is_index());
    is_before && are_own && are_safe && !has_places
}

/// What the branches of a conditional return as one of its results.
fn branches<'c>(choice: Op<'c>, result: Value<'c>) -> Vec<Value<'c>> {
    let Some(index) = result.result_index() else { return Vec::new() };
    let ends = (0..choice.region_count()).map(|at| choice.region(at).first_block()?.terminator());
    ends.flatten().filter_map(|end| end.operands().get(index).copied()).collect()
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
            // What it was before may be what one branch returns.
            scf::IF => {
                let made = branches(owner, at);
                let is_right = |made: &Value<'c>| {
                    *made == carried || is_written_from(*made, carried, counter, dim)
                };
                return made.len() == 2
                    && made.iter().all(is_right)
                    && (writes > 0 || made.iter().any(|made| *made != carried));
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
    starts(slice).filter(|_| is_dense)
}

/// Where a slice begins.
pub fn starts<'c>(slice: Op<'c>) -> Option<Vec<Start<'c>>> {
    let tensors = if slice.is(tensor::INSERT_SLICE) { 2 } else { 1 };
    let mut computed = slice.operands().into_iter().skip(tensors);
    let starts = slice.attr("static_offsets")?.as_i64s()?.into_iter().map(|start| match start {
        DYNAMIC => computed.next().map(Start::Computed),
        start => Some(Start::At(start)),
    });
    starts.collect()
}

/// Whether an index is `counter` and something not negative.
pub fn is_from<'c>(index: Value<'c>, counter: Value<'c>) -> bool {
    if index == counter {
        return true;
    }
    if let Some((block, 0)) = index.block_arg() {
        // A counter that begins there.
        let around = block.parent_op().filter(|around| around.is(scf::FOR));
        return around.is_some_and(|around| {
            constant_index(around.operand(2)).is_some_and(|step| step > 0)
                && is_from(around.operand(0), counter)
        });
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

/// Whether an index is known not to be negative: a constant, a counter of a loop from such an index, or an extreme of such.
fn is_not_negative(value: Value<'_>) -> bool {
    if let Some(number) = constant_index(value) {
        return number >= 0;
    }
    if let Some(owner) = value.owner() {
        let mut operands = owner.operands().into_iter();
        return match owner.name() {
            arith::MAXSI => operands.any(is_not_negative),
            arith::MINSI => operands.all(is_not_negative),
            _ => false,
        };
    }
    let Some((block, 0)) = value.block_arg() else { return false };
    let around = block.parent_op().filter(|around| around.is(scf::FOR));
    around.is_some_and(|around| {
        constant_index(around.operand(2)).is_some_and(|step| step > 0)
            && is_not_negative(around.operand(0))
    })
}
