//! Reorders reductions for vectorisation.
//!
//! The semantics of reductions and contractions leave the order of the combinations open, so the combining operation may be
//! reassociated (and contracted with the preceding multiplication), and the loops may be interchanged.

use strata_ir::{
    AffineExpr, AffineMap, AttributeExt as _, Context, FastMath, LIMIT, Op, TypeExt as _, arith,
    array, int, integer, linalg, linalg::IteratorType,
};
use strata_target::tuning::reductions::{MAX_ORDERED_SUM, MIN_INNERMOST_TRIPS};

/// Allows reassociation of the operations of reductions.
///
/// Before: `%s = arith.addf %out, %x : f32`.
/// After: `%s = arith.addf %out, %x fastmath<reassoc,contract> : f32`.
pub fn relax<'c>(context: &'c Context, root: Op<'c>) {
    let relaxed = (FastMath::REASSOC | FastMath::CONTRACT).to_attribute(context);
    for nest in root.collect(|op| op.is(linalg::GENERIC) && has_reduction(op)) {
        let is_short = terms(nest).is_some_and(|terms| terms <= MAX_ORDERED_SUM);
        let body = nest.body(0);
        let Some(end) = body.terminator() else { continue };
        let inputs = body.arg_count() - end.operand_count();
        for (position, value) in end.operands().into_iter().enumerate() {
            let carried = body.arg(inputs + position);
            let Some(combine) = value.owner() else { continue };
            if !matches!(combine.name(), arith::ADDF | arith::MULF)
                || !combine.operands().contains(&carried)
                || !carried.has_one_use()
            {
                continue;
            }
            let terms = combine.operands().into_iter().filter_map(|one| one.owner());
            let mut products: Vec<_> = terms.filter(|term| term.is(arith::MULF)).collect();
            products.retain(|_| combine.is(arith::ADDF));
            if is_short && !products.is_empty() {
                continue;
            }
            combine.set_attr("fastmath", relaxed);
            products.iter().for_each(|product| product.set_attr("fastmath", relaxed));
        }
    }
}

/// Makes a parallel loop of unit stride the innermost one of a contraction or reduction.
///
/// Before: a matmul as loops over (row, column, k).
/// After: a matmul as loops over (row, k, column).
pub fn innermost_parallel<'c>(context: &'c Context, root: Op<'c>) {
    for nest in root.collect(|op| op.is(linalg::GENERIC) && has_reduction(op)) {
        exchange(context, nest);
    }
}

fn has_reduction(nest: Op<'_>) -> bool {
    iterators(nest).is_some_and(|kinds| kinds.contains(&IteratorType::Reduction))
}

/// How the loops of a `linalg.generic` run.
fn iterators(nest: Op<'_>) -> Option<Vec<IteratorType>> {
    nest.cast::<linalg::Generic>()?.iterator_types()
}

/// The maps from the loops to the operands.
fn maps(nest: Op<'_>) -> Option<Vec<AffineMap>> {
    nest.cast::<linalg::Generic>()?.indexing_maps()
}

/// The number of elements combined into one; `None` if no operand determines it.
fn terms(nest: Op<'_>) -> Option<i64> {
    let loops = loops(nest)?;
    loops
        .iter()
        .filter(|one| one.reduces)
        .try_fold(1i64, |terms, one| terms.checked_mul(one.extent))
}

/// A loop of a nest.
pub struct Loop {
    /// Its trip count.
    pub extent: i64,
    /// Whether it is a reduction.
    pub reduces: bool,
}

/// The loops of a `linalg.generic`; `None` if no operand determines the extent of one.
pub fn loops(nest: Op<'_>) -> Option<Vec<Loop>> {
    let (kinds, maps) = (iterators(nest)?, maps(nest)?);
    let shapes: Vec<_> = nest.operands().into_iter().map(|value| value.ty().shape()).collect();
    let extent = |dim: usize| {
        maps.iter().zip(&shapes).find_map(|(map, shape)| {
            let result = map.results.iter().position(|result| result.as_dim() == Some(dim))?;
            shape.as_ref()?.get(result).copied()
        })
    };
    let one =
        |(dim, kind)| Some(Loop { extent: extent(dim)?, reduces: kind == IteratorType::Reduction });
    kinds.into_iter().enumerate().map(one).collect()
}

/// Whether the innermost loop reads contiguously.
pub fn reads_along_rows(nest: Op<'_>) -> bool {
    maps(nest).is_some_and(|maps| {
        let last = maps.first().map_or(0, |map| map.dims).wrapping_sub(1);
        maps.iter().all(|map| has_unit_stride(map, last))
    })
}

/// Whether the innermost loop will be a parallel one.
pub fn walks_along_results(nest: Op<'_>) -> bool {
    iterators(nest).is_some_and(|kinds| kinds.last() == Some(&IteratorType::Parallel))
        || exchangeable(nest).is_some()
}

/// The loop to make the innermost one, and the maps of the operands; `None` when a nest stays as it is.
fn exchangeable(nest: Op<'_>) -> Option<(usize, Vec<AffineMap>)> {
    let (kinds, maps) = (iterators(nest)?, maps(nest)?);
    let [inner] = maps.last()?.results.last()?.dims()[..] else { return None };
    if inner + 1 == kinds.len() || *kinds.get(inner)? != IteratorType::Parallel {
        return None;
    }
    let extent = nest.operands().last()?.ty().shape()?.last().copied()?;
    if extent < MIN_INNERMOST_TRIPS || !maps.iter().all(|map| has_unit_stride(map, inner)) {
        return None;
    }
    Some((inner, maps))
}

/// Interchanges the loops of one nest; `None` if it is not changed.
fn exchange<'c>(context: &'c Context, nest: Op<'c>) -> Option<()> {
    let (inner, maps) = exchangeable(nest)?;
    let kinds = nest.attr("iterator_types")?.as_array()?;
    // The new position of each loop: the chosen one goes last, the others keep their order.
    let last = kinds.len() - 1;
    let position: Vec<usize> = (0..kinds.len())
        .map(|dim| if dim == inner { last } else { dim - usize::from(dim > inner) })
        .collect();
    let mut exchanged = kinds.clone();
    for (dim, kind) in kinds.iter().enumerate() {
        exchanged[position[dim]] = *kind;
    }
    let position_of: Vec<_> = position.iter().map(|at| AffineExpr::Dim(*at)).collect();
    let exchanged_map = |map: &AffineMap| {
        let results = map.results.iter().map(|result| result.with_dims(&position_of));
        Some(AffineMap::new(map.dims, results.collect::<Option<_>>()?))
    };
    let maps = maps.iter().map(exchanged_map).collect::<Option<Vec<_>>>()?;
    nest.set_attr("indexing_maps", AffineMap::list(context, &maps));
    nest.set_attr("iterator_types", array(context, &exchanged));
    if let Some(limits) = nest.attr(LIMIT).and_then(|limits| limits.as_array()) {
        let mut moved = limits.clone();
        for (dim, limit) in limits.into_iter().enumerate() {
            moved[position[dim]] = limit;
        }
        nest.set_attr(LIMIT, array(context, &moved));
    }
    for op in nest.collect(|op| op.is(linalg::INDEX)) {
        let dim = op.attr("dim")?.as_i64()? as usize;
        if !strata_ir::planted("reductions-index") {
            op.set_attr("dim", int(integer(context, 64), position[dim] as i64));
        }
    }
    Some(())
}

/// Whether the stride along `dim` is 1 or 0.
fn has_unit_stride(map: &AffineMap, dim: usize) -> bool {
    let last = map.results.len().wrapping_sub(1);
    (0..map.results.len()).all(|result| {
        let index = &map.results[result];
        !index.dims().contains(&dim) || (result == last && index.as_dim() == Some(dim))
    })
}
