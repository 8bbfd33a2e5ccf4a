//! Programs for sizes up to bounds: which sizes are open, and operands of which only the first elements along a dimension count.
//!
//! ```text
//! %m = stablehlo.compare LT, %iota, %broadcast of %n : tensor<128xi1>
//! %x = stablehlo.select %broadcast of %m, %plain, %constant : tensor<64x128xf32>
//! ```
//! Lowerings that know what such a constant does to their result read `%plain`, and end where it begins.

use strata_ir::{
    AffineMap, AttributeExt as _, ComparisonDirection as Direction, Op, OpKind, TypeExt as _,
    VALID, Value, ZEROS, bounded_entry,
};

/// Whether a dimension of this size of an argument or a result of the function that `op` is in may have less valid elements.
pub fn is_open_size(op: Op<'_>, size: i64) -> bool {
    let Some(entry) = bounded_entry(op) else { return false };
    let body = entry.body(0);
    let results = body.terminator().map(Op::operands).unwrap_or_default();
    [(VALID, results), (ZEROS, body.args())].into_iter().any(|(name, values)| {
        let maps = entry.attr(name).and_then(|maps| maps.as_array()).unwrap_or_default();
        maps.into_iter().filter_map(AffineMap::of).zip(values).any(|(map, value)| {
            let sizes = value.ty().shape().unwrap_or_default();
            let mut pairs = map.results.iter().zip(sizes);
            pairs.any(|(valid, own)| own == size && valid.as_constant().is_none())
        })
    })
}

/// An operand that is a constant from some element of a dimension on.
pub struct Masked<'c> {
    /// Its elements before.
    pub plain: Value<'c>,
    /// How many are, an integer of rank 0; it may be negative, and more than there are.
    pub count: Value<'c>,
    /// The tensor whose elements all are the constant.
    pub rest: Value<'c>,
}

impl<'c> Masked<'c> {
    /// Reads an operand, before it is lowered, that is masked along dimension `dim`; `None` for others.
    pub fn of(operand: Value<'c>, dim: usize) -> Option<Self> {
        let select = operand.owner().filter(|op| op.kind() == OpKind::Select)?;
        let [condition, plain, rest] = select.operands()[..] else { return None };
        let constant = rest.owner().filter(|op| op.kind() == OpKind::Constant)?;
        constant.attr("value")?.splat_value()?;
        let shape = operand.ty().shape()?;
        if condition.ty().shape().as_ref() != Some(&shape) {
            return None;
        }
        let mask = match shape.len() {
            1 => condition,
            _ => broadcast(condition, &[i64::try_from(dim).ok()?])?,
        };
        let compare = mask.owner().filter(|op| op.kind() == OpKind::Compare)?;
        let direction = compare.attr("comparison_direction").and_then(Direction::from_attribute);
        let [places, size] = compare.operands()[..] else { return None };
        let iota = places.owner().filter(|op| op.kind() == OpKind::Iota)?;
        let count = broadcast(size, &[])?;
        let element = count.ty().element();
        let fits = mask.ty().shape()? == [*shape.get(dim)?]
            && direction == Some(Direction::Lt)
            && iota.attr("iota_dimension")?.as_i64()? == 0
            && element.is_int()
            && !element.is_unsigned_int()
            && element.bit_width().is_some_and(|bits| bits >= 32);
        fits.then_some(Self { plain, count, rest })
    }
}

/// What is broadcast along the other dimensions than `dims`.
fn broadcast<'c>(value: Value<'c>, dims: &[i64]) -> Option<Value<'c>> {
    let op = value.owner().filter(|op| op.kind() == OpKind::BroadcastInDim)?;
    (op.attr("broadcast_dimensions")?.as_i64s()? == dims).then(|| op.operand(0))
}
