//! Accesses that are known to be below limits: what a buffer has from there on is not touched.

use strata_ir::{
    AffineExpr, AffineMap, Attribute, AttributeExt as _, Context, LIMIT, Op, TypeExt as _, array,
    int, integer, memref, vector,
};

use crate::nests::indices::Place;

/// On an access of a buffer along dimensions of which the elements below limits are valid: each dimension and its limit, below which it
/// stays.
pub const BELOW: &str = "strata.below";

/// Says of accesses at the counter of a limited loop that they are below its limit.
pub fn stay_below<'c>(context: &'c Context, each: Op<'c>) -> Option<()> {
    let limit = each.attr(LIMIT)?;
    let accesses = [memref::LOAD, memref::STORE, vector::TRANSFER_READ, vector::TRANSFER_WRITE];
    for op in each.collect(|op| accesses.contains(&op.name())) {
        let first = usize::from(matches!(op.name(), memref::STORE | vector::TRANSFER_WRITE)) + 1;
        let rank = op.operand(first - 1).ty().rank()?;
        let map = op.attr("permutation_map").and_then(AffineMap::of);
        let of_vector = map.map(|map| map.results).unwrap_or_default();
        let vector = if first == 1 { op.results().first().copied() } else { Some(op.operand(0)) };
        let lanes = vector.and_then(|vector| vector.ty().shape()).unwrap_or_default();
        for dim in 0..rank {
            let place = Place::of(op.operand(first + dim), each);
            let place = place.filter(|place| place.factor == 1 && place.terms.is_empty());
            let Some(Place { more, .. }) = place else { continue };
            // Vectors of several elements along the dimension may end beyond it.
            let is_along =
                |(index, lanes): (&AffineExpr, &i64)| index.as_dim() == Some(dim) && *lanes > 1;
            if !of_vector.iter().zip(&lanes).any(is_along) {
                say_below(context, op, i64::try_from(dim).ok()?, beyond(context, limit, more));
            }
        }
    }
    Some(())
}

/// Says of an access that it is below `limit` along dimension `dim` of its buffer.
pub fn say_below<'c>(context: &'c Context, access: Op<'c>, dim: i64, limit: Attribute<'c>) {
    let mut list = below(access);
    list.extend([int(integer(context, 64), dim), limit]);
    access.set_attr(BELOW, array(context, &list));
}

/// The limit that is larger than another by a number.
pub fn beyond<'c>(context: &'c Context, limit: Attribute<'c>, more: i64) -> Attribute<'c> {
    match AffineMap::of(limit) {
        Some(map) if more != 0 => {
            let results = map.results.iter().map(|result| result.clone() + more).collect();
            AffineMap { results, ..map }.to_attribute(context)
        }
        _ => limit,
    }
}

/// Whether an access that the last tile is known to be below a limit of is below `size` in dimension `dim`.
pub fn is_below(access: Op<'_>, dim: usize, size: &AffineMap) -> bool {
    let is_below =
        |limit: AffineMap| limit == *size || excess(&limit, size).is_some_and(|more| more <= 0);
    below(access).chunks(2).any(|pair| {
        pair[0].as_i64() == i64::try_from(dim).ok() && AffineMap::of(pair[1]).is_some_and(is_below)
    })
}

/// By how much a limit is larger than a size, if that is a number.
pub fn excess(limit: &AffineMap, size: &AffineMap) -> Option<i64> {
    let linear = |map: &AffineMap| match &map.results[..] {
        [result] if map.symbols == 0 => result.linear(map.dims),
        _ => None,
    };
    let ((own, own_more), (other, more)) = (linear(limit)?, linear(size)?);
    (own == other).then_some(own_more - more)
}

fn below(access: Op<'_>) -> Vec<Attribute<'_>> {
    access.attr(BELOW).and_then(|list| list.as_array()).unwrap_or_default()
}
