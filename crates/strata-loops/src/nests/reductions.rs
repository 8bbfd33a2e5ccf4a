//! Reorders reductions for vectorisation.
//!
//! The semantics of reductions and contractions leave the order of the combinations open, so the combining operation may be
//! reassociated (and contracted with the preceding multiplication), and the loops may be interchanged.

use strata_ir::{
    AttributeExt as _, Context, Op, TypeExt as _, array, int, integer, parse_attr,
    tuning::reductions::{MAX_ORDERED_SUM, MIN_INNERMOST_TRIPS},
};

use crate::maps::Map;

/// Allows reassociation of the operations of reductions.
///
/// Before: `%s = arith.addf %out, %x : f32`.
/// After: `%s = arith.addf %out, %x fastmath<reassoc,contract> : f32`.
pub fn relax<'c>(context: &'c Context, root: Op<'c>) {
    let Some(relaxed) = parse_attr(context, "#arith.fastmath<reassoc,contract>") else { return };
    for nest in root.collect(|op| op.is("linalg.generic") && has_reduction(op)) {
        let is_short = terms(nest).is_some_and(|terms| terms <= MAX_ORDERED_SUM);
        let body = nest.body(0);
        let Some(end) = body.terminator() else { continue };
        let inputs = body.arg_count() - end.operand_count();
        for (position, value) in end.operands().into_iter().enumerate() {
            let carried = body.arg(inputs + position);
            let Some(combine) = value.owner() else { continue };
            if !matches!(combine.name(), "arith.addf" | "arith.mulf")
                || !combine.operands().contains(&carried)
                || !carried.has_one_use()
            {
                continue;
            }
            let terms = combine.operands().into_iter().filter_map(|one| one.owner());
            let mut products: Vec<_> = terms.filter(|term| term.is("arith.mulf")).collect();
            products.retain(|_| combine.is("arith.addf"));
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
    for nest in root.collect(|op| op.is("linalg.generic") && has_reduction(op)) {
        exchange(context, nest);
    }
}

fn has_reduction(nest: Op<'_>) -> bool {
    nest.attr("iterator_types").is_some_and(|kinds| kinds.to_string().contains("reduction"))
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
    let kinds = nest.attr("iterator_types")?.as_array()?;
    let maps = nest.attr("indexing_maps")?.as_array()?.into_iter().map(Map::read);
    let maps: Vec<Map> = maps.collect::<Option<_>>()?;
    let shapes: Vec<_> = nest.operands().into_iter().map(|value| value.ty().shape()).collect();
    let extent = |dim: usize| {
        maps.iter().zip(&shapes).find_map(|(map, shape)| {
            let result = map.results.iter().position(|result| *result == format!("d{dim}"))?;
            shape.as_ref()?.get(result).copied()
        })
    };
    let reduces = |kind: &strata_ir::Attribute<'_>| kind.to_string().contains("reduction");
    let loops = kinds.iter().enumerate();
    loops.map(|(dim, kind)| Some(Loop { extent: extent(dim)?, reduces: reduces(kind) })).collect()
}

/// Whether the innermost loop reads contiguously.
pub fn reads_along_rows(nest: Op<'_>) -> bool {
    let maps = || {
        let maps = nest.attr("indexing_maps")?.as_array()?.into_iter().map(Map::read);
        maps.collect::<Option<Vec<Map>>>()
    };
    maps().is_some_and(|maps| {
        let last = maps.first().map_or(0, |map| map.dims).wrapping_sub(1);
        maps.iter().all(|map| has_unit_stride(map, last))
    })
}

/// Whether the innermost loop will be a parallel one.
pub fn walks_along_results(nest: Op<'_>) -> bool {
    let is_last = || {
        let kinds = nest.attr("iterator_types")?.as_array()?;
        Some(kinds.last()?.to_string().contains("parallel"))
    };
    is_last() == Some(true) || exchangeable(nest).is_some()
}

/// The loop to make the innermost one, and the maps of the operands; `None` if the nest is not changed.
fn exchangeable(nest: Op<'_>) -> Option<(usize, Vec<Map>)> {
    let kinds = nest.attr("iterator_types")?.as_array()?;
    let maps: Vec<Map> = nest
        .attr("indexing_maps")?
        .as_array()?
        .into_iter()
        .map(Map::read)
        .collect::<Option<_>>()?;
    let output = maps.last()?;
    let [inner] = output.dims_of(output.results.len().checked_sub(1)?)[..] else { return None };
    if inner + 1 == kinds.len() || !kinds.get(inner)?.to_string().contains("parallel") {
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
    let maps =
        maps.iter().map(|map| map.renamed(&position).write(context)).collect::<Option<Vec<_>>>()?;
    nest.set_attr("indexing_maps", array(context, &maps));
    nest.set_attr("iterator_types", array(context, &exchanged));
    for op in nest.collect(|op| op.is("linalg.index")) {
        let dim = op.attr("dim")?.as_i64()? as usize;
        if !strata_ir::planted("reductions-index") {
            op.set_attr("dim", int(integer(context, 64), position[dim] as i64));
        }
    }
    Some(())
}

/// Whether the stride along `dim` is 1 or 0.
fn has_unit_stride(map: &Map, dim: usize) -> bool {
    let last = map.results.len().wrapping_sub(1);
    (0..map.results.len()).all(|result| {
        !map.dims_of(result).contains(&dim)
            || (result == last && map.results[result] == format!("d{dim}"))
    })
}
