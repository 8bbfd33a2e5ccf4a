//! Reductions over several of the last dimensions, of what depends on an earlier reduction, over one dimension instead.
//!
//! ```text
//! reduce((x - broadcast(m)) * (x - broadcast(m)) : tensor<4x32x32xf32>) add over dimensions 1, 2
//!   → y = reshape(x) : tensor<4x1024xf32>
//!     reduce((y - broadcast(m)) * (y - broadcast(m))) add over dimension 1
//! ```
//! A variance is such a sum, of a layer or group normalisation. Its nest has a loop over rows then, which are vectors. A reduction of what is only read has one anyway.
//!
//! One over rows whose elements depend on their places, or on numbers of the columns, is a reduction of each row and one of the results:
//!
//! ```text
//! reduce(select(broadcast(m), x, 0) : tensor<512x512xf32>) add over dimensions 0, 1      m : tensor<512xi1>
//!   → reduce(reduce(select(broadcast(m), x, 0)) add over dimension 1) add over dimension 0
//! ```
//!
//! Where dimensions before the last ones are kept, there are two reductions: along long rows first, of short rows as columns first.
//!
//! ```text
//! reduce(x : tensor<8x1024x8x4xf32>) add over dimensions 1, 3
//!   → y = reduce(reshape(x) : tensor<8x1024x32xf32>) add over dimension 1
//!     reduce(reshape(y) : tensor<8x8x4xf32>) add over dimension 2
//! ```

use std::collections::{HashMap, HashSet};

use strata_ir::{AttributeExt as _, Builder, Op, OpKind, TypeExt as _, Value, tensor};
use strata_rewrite::{Guard as _, Outcome, Rewriter};
use strata_target::tuning::simplification::{
    MAX_JOINED_OPERATIONS, MAX_ROW_OPERATIONS, MAX_RUN_BY_COLUMN, MIN_JOINED_ELEMENTS,
    MIN_ROW_OF_PLACES,
};

use crate::{
    emit::Emit as _,
    pattern::{combines, defined_by, ints, is_whole, patterns, splat},
    simplification::concatenate_splitting::is_elementwise,
};

patterns! {
    /// A reduction over several dimensions of elementwise operations on rows and their numbers.
    ReduceOfSpread = "reduce-of-spread" on [Reduce] by reduce_of_spread;
    /// A reduction over dimensions with others between them.
    ReduceOfSeparated = "reduce-of-separated" on [Reduce] by reduce_of_separated;
    /// A reduction over several dimensions of what repeats numbers along some of them.
    ReduceByRows = "reduce-by-rows" on [Reduce] by reduce_by_rows;
}

/// Operations that are cheaper to compute again than to read.
fn is_cheap(kind: OpKind) -> bool {
    use OpKind::{Abs, Add, Convert, Maximum, Minimum, Multiply, Negate, Subtract};
    matches!(kind, Abs | Add | Convert | Maximum | Minimum | Multiply | Negate | Subtract)
}

/// Values whose dimensions from `from` on are one.
struct Joined<'c, 'b> {
    builder: &'b Builder<'c>,
    from: usize,
    /// Dimensions along which broadcasts repeat elements.
    apart: Vec<usize>,
    /// The shape before, and with joined dimensions.
    whole: Vec<i64>,
    shape: Vec<i64>,
    own: HashSet<Op<'c>>,
    known: HashMap<Value<'c>, Value<'c>>,
}

impl<'c, 'b> Joined<'c, 'b> {
    fn new(builder: &'b Builder<'c>, whole: &[i64], from: usize, apart: Vec<usize>) -> Self {
        let mut shape = whole[..from].to_vec();
        shape.push(whole[from..].iter().product());
        let (whole, own, known) = (whole.to_vec(), HashSet::new(), HashMap::new());
        Self { builder, from, apart, whole, shape, own, known }
    }

    /// Finds what is computed again; whether there is a broadcast in it.
    fn find(&mut self, value: Value<'c>) -> Outcome<bool> {
        let mut open = vec![value];
        let mut is_spread = false;
        while let Some(value) = open.pop() {
            if splat(value).is_ok() {
                continue;
            }
            if let Ok(broadcast) = defined_by(value, OpKind::BroadcastInDim) {
                let dims = ints(broadcast, "broadcast_dimensions")?;
                let sizes = broadcast.operand(0).ty().shape();
                let sizes = sizes.or_decline("the shape is not static")?;
                let repeats = |(dim, size): (&i64, &i64)| {
                    *size == 1 || !self.apart.contains(&(*dim as usize))
                };
                dims.iter().zip(&sizes).all(repeats).or_decline("elements are not repeated")?;
                is_spread = true;
                continue;
            }
            let Some(owner) = value.owner().filter(|owner| is_cheap(owner.kind())) else {
                continue;
            };
            if self.own.insert(owner) {
                open.extend(owner.operands());
            }
            (self.own.len() <= MAX_JOINED_OPERATIONS).or_decline("there are many operations")?;
        }
        Ok(is_spread)
    }

    fn of(&mut self, value: Value<'c>) -> Outcome<Value<'c>> {
        if let Some(joined) = self.known.get(&value) {
            return Ok(*joined);
        }
        let ty = tensor(&self.shape, value.ty().element());
        let b = self.builder;
        let owner = value.owner();
        let joined = if let Ok(element) = splat(value) {
            crate::pattern::new_splat(b, ty, element)
        } else if let Ok(broadcast) = defined_by(value, OpKind::BroadcastInDim) {
            self.spread(broadcast)?
        } else if let Some(owner) = owner.filter(|owner| self.own.contains(owner)) {
            let operands = owner.operands().into_iter();
            let operands: Vec<_> = operands.map(|one| self.of(one)).collect::<Outcome<_>>()?;
            b.op(owner.name()).operands(&operands).attrs(&owner.attrs()).result(ty).value()
        } else {
            b.reshaped(value, &self.shape)
        };
        self.known.insert(value, joined);
        Ok(joined)
    }

    /// A broadcast, as one of what has the other dimensions.
    fn spread(&self, broadcast: Op<'c>) -> Outcome<Value<'c>> {
        let (b, source) = (self.builder, broadcast.operand(0));
        let dims = ints(broadcast, "broadcast_dimensions")?;
        let sizes = source.ty().shape().or_decline("the shape is not static")?;
        let others: Vec<_> =
            (0..self.whole.len()).filter(|dim| !self.apart.contains(dim)).collect();
        let mut kept = (Vec::new(), Vec::new());
        for (dim, size) in dims.iter().zip(&sizes) {
            if let Some(place) = others.iter().position(|other| *other as i64 == *dim) {
                kept.0.push(*size);
                kept.1.push(place as i64);
            }
        }
        let few: Vec<_> = others.iter().map(|dim| self.whole[*dim]).collect();
        let few = b.broadcast_in_dim(b.reshaped(source, &kept.0), &few, &kept.1);
        let mut at: Vec<_> = others.iter().filter(|dim| **dim < self.from).copied().collect();
        if others.iter().any(|dim| *dim >= self.from) {
            at.push(self.from);
        }
        let joined: Vec<_> = at.iter().map(|dim| self.shape[*dim]).collect();
        let at: Vec<_> = at.iter().map(|dim| *dim as i64).collect();
        Ok(b.broadcast_in_dim(b.reshaped(few, &joined), &self.shape, &at))
    }
}

/// The shape of what `reduce` reads, and its dimensions in order.
fn read(reduce: Op<'_>) -> Outcome<(Vec<i64>, Vec<usize>)> {
    is_whole(reduce)?;
    let shape = reduce.operand(0).ty().shape().or_decline("the shape is not static")?;
    let elements: i64 = shape.iter().product();
    (elements >= MIN_JOINED_ELEMENTS).or_decline("it has few elements")?;
    let mut dims: Vec<_> = ints(reduce, "dimensions")?.iter().map(|dim| *dim as usize).collect();
    dims.sort_unstable();
    Ok((shape, dims))
}

fn reduce_of_spread<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let combiner = combines(op)?;
    let (shape, dims) = read(op)?;
    let rows = shape.len() - dims.len();
    let is_last = dims.len() > 1 && dims[0] == rows;
    is_last.or_decline("not several of the last dimensions are reduced")?;
    let builder = rewriter.builder();
    let mut all = Joined::new(&builder, &shape, rows, dims);
    all.find(op.operand(0))?.or_decline("nothing differs by row")?;
    let value = all.of(op.operand(0))?;
    let value = builder.reduced(combiner.name(), [value, op.operand(1)], &[rows])?;
    rewriter.replace(&[value]);
    Ok(())
}

fn reduce_of_separated<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let combiner = combines(op)?;
    let (shape, dims) = read(op)?;
    let is_reduced = |dim: &usize| dims.contains(dim);
    let last = (0..shape.len()).rev().take_while(is_reduced).count();
    let last = shape.len() - last;
    let first: Vec<_> = dims.iter().copied().filter(|dim| *dim < last).collect();
    (last < shape.len() && !first.is_empty()).or_decline("the dimensions are not separated")?;
    let start = op.operand(1);
    let builder = rewriter.builder();
    let of_one = start_of_part(op, combiner, &builder)?;
    let left = |reduced: &[usize], dim: usize| {
        dim - reduced.iter().filter(|reduced| **reduced < dim).count()
    };
    let run: i64 = shape[last..].iter().product();
    if run > MAX_RUN_BY_COLUMN {
        let ends: Vec<_> = (last..shape.len()).collect();
        let value = builder.reduced(combiner.name(), [op.operand(0), of_one], &ends)?;
        let value = builder.reduced(combiner.name(), [value, start], &first)?;
        rewriter.replace(&[value]);
        return Ok(());
    }
    // The dimensions that are kept before the last ones are columns with them.
    let from = first[first.len() - 1] + 1;
    let mut all = Joined::new(&builder, &shape, from, first.clone());
    all.find(op.operand(0))?;
    let value = all.of(op.operand(0))?;
    let value = builder.reduced(combiner.name(), [value, of_one], &first)?;
    let kept = (0..shape.len()).filter(|dim| !first.contains(dim));
    let value = builder.reshaped(value, &kept.map(|dim| shape[dim]).collect::<Vec<_>>());
    let ends: Vec<_> = (last..shape.len()).map(|dim| left(&first, dim)).collect();
    let value = builder.reduced(combiner.name(), [value, start], &ends)?;
    rewriter.replace(&[value]);
    Ok(())
}

/// What the first of two reductions, one of the other's results, starts from.
fn start_of_part<'c>(op: Op<'c>, combiner: Op<'c>, builder: &Builder<'c>) -> Outcome<Value<'c>> {
    let element = op.result(0).ty().element();
    let start = op.operand(1);
    let of_one = match combiner.kind() {
        OpKind::Maximum | OpKind::Minimum => start,
        OpKind::Add => {
            // Of zeros that are all negative, and of nothing else, the sum would have another sign.
            let start = splat(start)?.as_f64().filter(|_| element.is_float_type());
            let is_negative = |start: f64| start == 0.0 && start.is_sign_negative();
            (!start.is_some_and(is_negative)).or_decline("the sum starts from -0")?;
            builder.zeros(tensor(&[], element))?
        }
        _ => return Err("it is neither a sum nor an extremum".into()),
    };
    let is_narrow = element.is_float_type() && element.bit_width().is_some_and(|bits| bits < 32);
    (!is_narrow).or_decline("a sum of narrow floats is widened first")?;
    Ok(of_one)
}

/// Whether a value, which nothing else reads, is computed from numbers that are repeated along some of the dimensions from `from` on, or
/// from places along one of several.
fn differs_by_place(value: Value<'_>, from: usize) -> Outcome<bool> {
    let mut open = vec![value];
    let mut count = 0;
    while let Some(value) = open.pop() {
        let Some(owner) = value.owner().filter(|_| splat(value).is_err()) else { continue };
        if owner.kind() == OpKind::Iota {
            return Ok(true);
        }
        if owner.kind() == OpKind::BroadcastInDim {
            let dims = ints(owner, "broadcast_dimensions")?;
            let sizes = owner.operand(0).ty().shape().or_decline("the shape is not static")?;
            let has = |(dim, size): (&i64, &i64)| *dim as usize >= from && *size != 1;
            if dims.iter().zip(&sizes).any(has) {
                return Ok(true);
            }
            continue;
        }
        let uses = value.uses();
        let is_own = uses.iter().all(|(user, _)| *user == uses[0].0);
        if is_elementwise(owner.kind()) && is_own {
            count += 1;
            (count <= MAX_ROW_OPERATIONS).or_decline("there are many operations")?;
            open.extend(owner.operands());
        }
    }
    Ok(false)
}

/// Whether a value is selected where two places are the same, or converted from that: a sum of a diagonal reads no more than this.
fn selects_diagonal(mut value: Value<'_>) -> bool {
    while let Ok(convert) = defined_by(value, OpKind::Convert) {
        value = convert.operand(0);
    }
    let Ok(select) = defined_by(value, OpKind::Select) else { return false };
    let mut open = vec![select.operand(0)];
    let mut count = 0;
    while let Some(owner) = open.pop().and_then(Value::owner) {
        count += 1;
        let is_place = |value: Value<'_>| {
            let from = |kind| defined_by(value, kind).map(|op| op.operand(0));
            let value = from(OpKind::Add).or_else(|_| from(OpKind::Convert)).unwrap_or(value);
            defined_by(value, OpKind::Iota).is_ok()
        };
        match owner.kind() {
            OpKind::Compare if owner.operands().into_iter().all(is_place) => return true,
            OpKind::Compare | OpKind::Convert | OpKind::BroadcastInDim
                if count <= MAX_JOINED_OPERATIONS =>
            {
                open.push(owner.operand(0));
            }
            _ => {}
        }
    }
    false
}

fn reduce_by_rows<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let combiner = combines(op)?;
    let (shape, dims) = read(op)?;
    let rows = shape.len() - dims.len();
    let last = shape.len() - 1;
    let is_last = dims.len() > 1 && dims[0] == rows;
    is_last.or_decline("not several of the last dimensions are reduced")?;
    (shape[last] >= MIN_ROW_OF_PLACES).or_decline("rows are short")?;
    differs_by_place(op.operand(0), rows)?.or_decline("it is one line")?;
    (!selects_diagonal(op.operand(0))).or_decline("it may be a sum of a diagonal")?;
    let builder = rewriter.builder();
    let start = start_of_part(op, combiner, &builder)?;
    let value = builder.reduced(combiner.name(), [op.operand(0), start], &[last])?;
    let others: Vec<_> = (rows..last).collect();
    let value = builder.reduced(combiner.name(), [value, op.operand(1)], &others)?;
    rewriter.replace(&[value]);
    Ok(())
}
