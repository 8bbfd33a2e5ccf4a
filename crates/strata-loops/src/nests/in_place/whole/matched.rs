//! What reductions of columns, and of their results, have to be so that they are one of all elements.

use std::collections::HashMap;

use strata_ir::{
    AffineExpr, AffineMap, Attribute, AttributeExt as _, Context, LIMIT, MASK, Op, OpName, TASKS,
    TypeExt as _, Value, arith, constant_index, float, math, memref, scf, ub, vector,
};

use crate::nests::{
    counted::Counted,
    in_place::back::{is_one_lane, only_indexes},
    indices::Place,
    rests::is_idempotent,
};

/// One of the loops around the accesses, along a dimension.
pub struct Axis<'c> {
    pub extent: i64,
    pub count: AffineExpr,
    pub step: i64,
    pub counter: Value<'c>,
    /// What the place along the dimension is the sum of.
    pub terms: Vec<Value<'c>>,
}

/// The offset from the counter of columns of what a value is computed from, where all is from one.
pub type Offsets<'c> = HashMap<Value<'c>, i64>;

/// The loops in `columns`, each in the body of the one before, which carry as many values.
pub fn levels(columns: Op<'_>) -> Option<Vec<Op<'_>>> {
    let mut levels = Vec::new();
    let mut next = columns;
    loop {
        let ops = next.body(0).ops();
        let inner: Vec<_> = ops.into_iter().filter(|op| op.region_count() > 0).collect();
        match inner[..] {
            [] => return Some(levels),
            [one] if one.is(scf::FOR) && one.result_count() > 0 && !one.has_attr(TASKS) => {
                let first: Option<&Op<'_>> = levels.first();
                first
                    .is_none_or(|first| first.result_count() == one.result_count())
                    .then_some(())?;
                levels.push(one);
                next = one;
            }
            _ => return None,
        }
    }
}

/// The dimensions that the loops are along, from the outermost one on: each has a loop that counts by 1, which may be in blocks.
pub fn axes<'c>(levels: &[Op<'c>]) -> Option<Vec<Axis<'c>>> {
    let mut axes: Vec<Axis<'c>> = Vec::new();
    for (number, level) in levels.iter().enumerate() {
        let counter = level.body(0).arg(0);
        let is_cut = levels.get(number + 1).is_some_and(|next| next.operand(0) == counter);
        (is_cut || only_indexes(*level)).then_some(())?;
        let step = constant_index(level.operand(2)).filter(|step| *step > 0)?;
        let limit = level.attr(LIMIT).map(AffineMap::of);
        let block = axes.last_mut().filter(|axis| axis.step > 1);
        let is_part = block.as_ref().is_some_and(|axis| level.operand(0) == axis.counter);
        if is_part {
            // From the counter of blocks to that of the next one.
            let axis = block?;
            let next = level.operand(1).owner().filter(|next| next.is(arith::ADDI))?;
            // Only the loop over a block knows where that begins.
            let is_next = next.operand(0) == axis.counter
                && (axis.counter.uses().len(), next.result(0).uses().len()) == (2, 1)
                && constant_index(next.operand(1)) == Some(axis.step)
                && axis.step % step == 0;
            let is_limited = match limit {
                Some(map) => map?.results == [axis.count.clone()],
                None => axis.count.as_constant().is_some(),
            };
            (is_next && is_limited).then_some(())?;
            (axis.step, axis.counter, axis.terms) = (step, counter, vec![counter]);
            continue;
        }
        let own = Counted::of(*level).filter(|own| own.first == 0 && own.last % own.step == 0)?;
        match (block, limit) {
            (Some(axis), None) if own.last == axis.step && axis.count.as_constant().is_some() => {
                (axis.step, axis.counter) = (step, counter);
                axis.terms.push(counter);
            }
            (None, limit) => {
                let count = match limit {
                    None => AffineExpr::Constant(own.last),
                    Some(map) => map?.results.into_iter().next()?,
                };
                let terms = vec![counter];
                axes.push(Axis { extent: own.last, count, step, counter, terms });
            }
            _ => return None,
        }
    }
    (!axes.is_empty() && axes.iter().all(|axis| axis.step == 1)).then_some(axes)
}

/// Whether it reads elements of a tensor at indices.
pub fn is_of_elements(op: Op<'_>) -> bool {
    op.is(vector::TRANSFER_READ) && op.operand(0).ty().rank() != Some(0)
}

/// Which columns values of the innermost loop are computed from, if each is computed lane by lane from elements at one place.
pub fn offsets<'c>(
    columns: Op<'c>,
    innermost: Op<'c>,
    (axes, width): (&[&[Value<'c>]], i64),
) -> Option<Offsets<'c>> {
    let mut offsets = Offsets::new();
    let carried = innermost.body(0).args();
    for op in columns.collect(|op| op != columns) {
        if op.is(scf::FOR) || op.is(scf::YIELD) || op.is(vector::TRANSFER_WRITE) {
            continue;
        }
        let is_index = op.results().iter().all(|result| result.ty().is_index());
        if op.parent() != Some(innermost) {
            // Places, starts of blocks and their sums, which others have looked at.
            (is_index || matches!(op.name(), arith::CONSTANT | arith::ADDF | ub::POISON))
                .then_some(())?;
            continue;
        }
        if is_index {
            continue;
        }
        if is_of_elements(op) {
            let rank = op.operand(0).ty().rank()?;
            let map = op.attr("permutation_map").and_then(AffineMap::of)?;
            let place = |dim: usize| Place::with_inner(op.operand(1 + dim), columns);
            let is_at = |(dim, terms): (usize, &&[Value<'c>])| {
                let all = |place: &Place<'c>| {
                    place.terms.len() == terms.len()
                        && terms.iter().all(|term| place.terms.contains(&(*term, 1)))
                };
                place(dim).is_some_and(|place| (place.factor, place.more) == (0, 0) && all(&place))
            };
            let own = place(rank - 1)?;
            let is_row = rank == axes.len() + 1
                && op.operand_count() == rank + 2
                && map == AffineMap::projection(rank, &[rank - 1])
                && op.result(0).ty().shape()? == [width]
                && axes.iter().enumerate().all(is_at)
                && (own.factor, own.terms.len()) == (1, 0);
            is_row.then_some(())?;
            offsets.insert(op.result(0), own.more);
            continue;
        }
        let is_plain = match op.name() {
            vector::TRANSFER_READ | ub::POISON => true,
            memref::LOAD => op.operand_count() == 1,
            arith::CONSTANT => is_one_lane(op.result(0)),
            vector::BROADCAST => matches!(op.operand(0).ty().rank(), None | Some(0)),
            vector::FMA => true,
            _ => matches!(op.dialect(), "arith" | "math") && op.region_count() == 0,
        };
        is_plain.then_some(())?;
        let mut at = None;
        for operand in op.operands().into_iter().filter(|one| !carried.contains(one)) {
            let home = operand.owner().filter(|home| columns.encloses(*home));
            // From outside all lanes are one.
            let is_known = match home {
                Some(home) => home.parent() == Some(innermost),
                None => {
                    operand.block_arg().is_none_or(|(block, _)| {
                        block
                            .parent_op()
                            .is_none_or(|home| home != columns && !columns.encloses(home))
                    }) && (!operand.ty().is_vector_type() || is_one_lane(operand))
                }
            };
            is_known.then_some(())?;
            if let Some(own) = offsets.get(&operand) {
                (*at.get_or_insert(*own) == *own).then_some(())?;
            }
        }
        if let Some(at) = at {
            offsets.extend(op.results().into_iter().map(|result| (result, at)));
        }
    }
    Some(offsets)
}

/// What combines the elements of a result of the outermost loop, and the values that an iteration of the innermost one adds to it.
pub fn carried<'c>(
    context: &'c Context,
    levels: &[Op<'c>],
    position: usize,
) -> Option<(OpName<'c>, Vec<Value<'c>>)> {
    let (level, inner) = levels.split_first()?;
    let own = level.body(0).arg(1 + position);
    let [(user, operand)] = own.uses()[..] else { return None };
    let returns = |value: Value<'c>| {
        let [(end, at)] = value.uses()[..] else { return false };
        end.is(scf::YIELD) && end.parent() == Some(*level) && at == position
    };
    let Some(next) = inner.first() else {
        let name = match user.name() {
            math::FMA if operand == 2 => arith::ADDF,
            name if is_combination(name) => name,
            _ => return None,
        };
        let others = user.operands().into_iter().filter(|other| *other != own);
        return (user.parent() == Some(*level) && returns(user.result(0)))
            .then(|| (name, others.collect()));
    };
    if user == *next && operand >= 3 {
        // What it carries on is in any order.
        let end = level.body(0).terminator()?;
        let at = operand - 3;
        let is_own = end.operands().get(position) == Some(&next.result(at))
            && next.result(at).uses().len() == 1;
        return if is_own { carried(context, inner, at) } else { None };
    }
    // The sum of a block, which starts from nothing.
    (user.is(arith::ADDF) && returns(user.result(0))).then_some(())?;
    let part = user.operand(1 - operand);
    let at = part.result_index().filter(|_| part.owner() == Some(*next))?;
    let start = next.operand(3 + at).owner().filter(|start| start.is(arith::CONSTANT))?;
    let nothing = float(context, part.ty().element(), -0.0);
    let is_sum = part.uses().len() == 1 && start.attr("value")?.splat_value() == Some(nothing);
    let (name, values) = carried(context, inner, at)?;
    (is_sum && name == arith::ADDF).then_some((name, values))
}

/// Whether elements may be combined in any order by it, as parts of reductions are.
fn is_combination(name: OpName<'_>) -> bool {
    is_idempotent(name)
        || matches!(name, arith::ADDF | arith::MULF | arith::ADDI | arith::MULI | arith::XORI)
}

/// Whether a value that a reduction starts with is that of the second one, or another zero of sums.
pub fn is_start<'c>(
    context: &'c Context,
    value: Value<'c>,
    second: Attribute<'c>,
    name: OpName<'c>,
) -> bool {
    let Some(own) = value.owner().filter(|owner| owner.is(arith::CONSTANT)) else { return false };
    let ty = own.result(0).ty().element();
    let zero = |value: Attribute<'c>| {
        let nothing = |zero| Some(float(context, ty, zero));
        [0.0, -0.0].into_iter().any(|zero| value.splat_value() == nothing(zero))
    };
    let Some(own) = own.attr("value").filter(|own| own.is_splat()) else { return false };
    own == second || name == arith::ADDF && zero(own) && zero(second)
}

/// Whether the loop combines the elements of `target` up to the limit, in the same way, each once.
pub fn combines<'c>(
    context: &'c Context,
    each: Op<'c>,
    (target, name): (Value<'c>, OpName<'c>),
    (columns, limit, width): (&Counted<'c>, Attribute<'c>, i64),
    start: Attribute<'c>,
) -> bool {
    let found = || {
        let own = Counted::of(each)?;
        let end = own.body().terminator()?;
        let is_alike = (own.first, own.last) == (0, columns.last)
            && each.attr(LIMIT) == Some(limit)
            && !each.has_attr(TASKS)
            && each.collect(|op| op != each && op.region_count() > 0).is_empty()
            && each.collect(|op| op.is(vector::TRANSFER_WRITE) || op.is(memref::STORE)).is_empty();
        is_alike.then_some(())?;
        let mut read = Vec::new();
        for (position, value) in end.operands().into_iter().enumerate() {
            let carried = own.body().arg(1 + position);
            let combined =
                value.owner().filter(|op| op.name() == name && op.operand_count() == 2)?;
            let at = combined.operands().iter().position(|one| *one == carried)?;
            let select = combined.operand(1 - at).owner().filter(|op| op.is(arith::SELECT))?;
            let element = select.operand(1).owner().filter(|op| op.is(vector::TRANSFER_READ))?;
            let place = Place::of(element.operand(1), each)?;
            let is_masked = select.attr(MASK) == Some(limit)
                && is_start(context, select.operand(2), start, name)
                && is_start(context, each.operand(3 + position), start, name)
                && element.operand(0) == target
                && element.result(0).ty().shape()? == [width]
                && element.result(0).uses().len() == 1
                && (place.factor, place.terms.len()) == (1, 0);
            let is_alone = [carried, value, combined.operand(1 - at)]
                .iter()
                .all(|value| value.uses().len() == 1);
            (is_masked && is_alone).then_some(())?;
            read.push(place.more);
        }
        let all = each.collect(|op| op.operands().first() == Some(&target)).len();
        (all == read.len()).then_some(())?;
        is_all(read, width, own.step)
    };
    found().is_some()
}

/// Vectors of `width` elements from these places on are `step` elements.
pub fn is_all(mut places: Vec<i64>, width: i64, step: i64) -> Option<()> {
    places.sort_unstable();
    places.into_iter().eq((0..step).step_by(usize::try_from(width).ok()?)).then_some(())
}
