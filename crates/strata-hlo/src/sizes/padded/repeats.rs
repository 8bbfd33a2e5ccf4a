//! Rows that a broadcast repeats, before they are put after each other.
//!
//! ```text
//! %0 = broadcast_in_dim %x, dims = [1, 3] : (tensor<128x128xf32>) -> tensor<2x128x2x128xf32>          // jnp.tile(x, (2, 2))
//! %1 = reshape %0 : (tensor<2x128x2x128xf32>) -> tensor<256x256xf32>
//! ```
//! Along each dimension the elements of `%x` are taken again and again: none of the repeated ones is made before.

use strata_ir::{AttributeExt as _, Builder, Op, OpKind, TypeExt as _, Value};
use strata_shapes::DimExpr;

use super::{Padded, extent::Extent};
use crate::emit::Emit as _;

/// Takes the repetition out of a dimension of a value that is a number of equal rows along it: one of them is left, whose size is
/// returned.
pub fn row<'c>(builder: &Builder<'c>, padded: &mut Padded<'c>, dim: usize) -> Option<DimExpr> {
    let [count, row] = padded.dims[dim].factors() else { return None };
    let (count, row) = (count.clone(), row.clone());
    count.is_full().then_some(())?;
    let of = |value: Value<'c>, kind: OpKind| value.owner().filter(|op| op.kind() == kind);
    let joined = of(padded.value, OpKind::Reshape)?;
    let spread = of(joined.operand(0), OpKind::BroadcastInDim)?;
    let mut shape = spread.result(0).ty().shape()?;
    let mut target = padded.value.ty().shape()?;
    let at = place(&shape, &target, dim, [count.bound, row.bound])?;
    let (operand, places) = without(builder, spread, at)?;
    shape.remove(at);
    target[dim] = row.bound;
    let one = builder.broadcast_in_dim(operand, &shape, &places);
    padded.value = builder.reshaped(one, &target);
    let size = row.size.clone();
    padded.dims[dim] = Extent::nested(vec![row])?;
    Some(size)
}

/// The dimension of `shape` that is the first of the two which are dimension `dim` of a reshape to `target`.
fn place(shape: &[i64], target: &[i64], dim: usize, factors: [i64; 2]) -> Option<usize> {
    let before: i64 = target[..dim].iter().product();
    let mut at = 0;
    let mut inner = 1;
    while inner < before || shape.get(at) == Some(&1) {
        inner *= shape.get(at)?;
        at += 1;
    }
    let mut own = (at..shape.len()).filter(|other| shape[*other] != 1);
    let first = own.next()?;
    (inner == before && [shape[first], shape[own.next()?]] == factors).then_some(first)
}

/// The operand of a broadcast, and where its dimensions are in a result without dimension `at`, along which all elements are equal.
fn without<'c>(builder: &Builder<'c>, spread: Op<'c>, at: usize) -> Option<(Value<'c>, Vec<i64>)> {
    let operand = spread.operand(0);
    let mut own = operand.ty().shape()?;
    let mut places = spread.attr("broadcast_dimensions")?.as_i64s()?;
    if let Some(index) = places.iter().position(|place| *place == at as i64) {
        (own.remove(index) == 1).then_some(())?;
        places.remove(index);
    }
    let moved = places.into_iter().map(|place| place - i64::from(place > at as i64));
    Some((builder.reshaped(operand, &own), moved.collect()))
}
