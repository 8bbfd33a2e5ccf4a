//! Positions along one dimension, where no nest over all dimensions computes them: numbers that it reads.
//!
//! ```text
//! %i = linalg.generic { index 1 } -> tensor<512x512xi32>
//! … %i is compared in a nest that sums rows …
//! ```
//! becomes
//! ```text
//! %i = linalg.generic { index 0 } -> tensor<512xi32>
//! … the nest reads it as (d0, d1) -> (d1) …
//! ```
//! Schedules of reductions have no vectors of positions, so that each of these was stored for every element.

use std::collections::{HashMap, HashSet};

use strata_ir::{
    AffineMap, AttributeExt as _, Block, Builder, Context, Op, TypeExt as _, int, integer, linalg,
    tensor,
};
use strata_target::tuning::fusion::MIN_SPREAD_POSITIONS;

use crate::{
    fusion::{merge::is_mergeable, nest::partition},
    structured::{Structured, is_identity},
};

/// Makes positions that are nests of their own, along one of several dimensions, tensors of one dimension.
pub fn spread_positions<'c>(context: &'c Context, block: Block<'c>) {
    let is_long =
        |op: &Op<'c>| Structured::of_generic(*op).is_some_and(|nest| dimension(&nest).is_some());
    let found: HashSet<_> = block.ops().into_iter().filter(is_long).collect();
    if found.is_empty() {
        return;
    }
    for nest in partition(block) {
        if let [op] = nest.ops[..]
            && found.contains(&op)
        {
            spread(context, op);
        }
    }
}

/// The dimension whose positions alone an operation without inputs computes from, if it has several.
fn dimension(nest: &Structured<'_>) -> Option<usize> {
    let is_fit = nest.inputs == 0
        && nest.extents.len() > 1
        && nest.extents.iter().product::<i64>() >= MIN_SPREAD_POSITIONS
        && nest.op.result_count() == 1
        && is_mergeable(nest);
    let indices = nest.op.body(0).ops().into_iter().filter(|op| op.is(linalg::INDEX));
    let mut dims = indices.filter_map(|index| index.attr("dim")?.as_i64());
    let dim = dims.next().filter(|_| is_fit)?;
    dims.all(|other| other == dim).then(|| dim.try_into().ok()).flatten()
}

fn spread<'c>(context: &'c Context, op: Op<'c>) -> Option<()> {
    let nest = Structured::of_generic(op)?;
    let dim = dimension(&nest)?;
    let size = *nest.extents.get(dim)?;
    let value = op.result(0);
    let uses = value.uses();
    let takes = |(user, operand): &(Op<'c>, usize)| {
        Structured::of_generic(*user).is_some_and(|reader| {
            let loops = reader.extents.len();
            // The loops have the extents of another operand.
            let others = (0..reader.maps.len()).filter(|other| user.operand(*other) != value);
            let mut others = others.map(|other| &reader.maps[other]);
            *operand < reader.inputs && others.any(|map| is_identity(map, loops))
        })
    };
    uses.iter().all(takes).then_some(())?;

    let builder = Builder::before(context, op);
    let element = value.ty().element();
    let body = builder.region(&[element], |inner, _| {
        let mut known = HashMap::new();
        inner.copy_body(op.body(0), &mut known);
        let yielded = op.body(0).terminator().map(Op::operands).unwrap_or_default();
        let yielded: Vec<_> =
            yielded.iter().map(|value| known.get(value).copied().unwrap_or(*value)).collect();
        linalg::yield_(inner, &yielded).build();
    });
    let ty = tensor(&[size], element);
    let maps = [AffineMap::identity(1)];
    let line = linalg::generic(&builder, &maps, &[linalg::IteratorType::Parallel], &[ty], body);
    let line = line.outputs(&[tensor::empty(&builder, &[], ty).value()]).value();
    for index in line.owner()?.body(0).ops().into_iter().filter(|op| op.is(linalg::INDEX)) {
        index.set_attr("dim", int(integer(context, 64), 0));
    }
    for (user, operand) in uses {
        let mut maps = user.indexing_maps()?;
        let map = maps.get_mut(operand)?;
        *map = AffineMap::new(map.dims, vec![map.results.get(dim)?.clone()]);
        user.set_attr("indexing_maps", AffineMap::list(context, &maps));
        user.set_operand(operand, line);
    }
    op.erase();
    Some(())
}
