//! `linalg.generic` and its affine maps.

use strata_ir::{
    AffineExpr, AffineMap, Builder, TypeExt as _, Value, View as _, arith,
    linalg::{self, IteratorType},
};
use strata_rewrite::Outcome;

/// A tensor and its indexing map.
#[derive(Clone)]
pub struct Indexed<'c> {
    /// The tensor.
    pub value: Value<'c>,
    /// From the loops to the tensor's dimensions.
    pub map: AffineMap,
}

impl<'c> Indexed<'c> {
    /// Dimension `i` of the tensor is indexed by loop `dims[i]`.
    pub fn by(value: Value<'c>, loops: usize, dims: &[usize]) -> Self {
        Self { value, map: AffineMap::projection(loops, dims) }
    }

    /// The loops are the tensor's dimensions.
    pub fn identity(value: Value<'c>) -> Self {
        Self { value, map: AffineMap::identity(value.ty().rank().unwrap_or(0)) }
    }

    /// Dimension `i` of the tensor is indexed by the expression `exprs[i]` of the loops.
    pub fn at(value: Value<'c>, loops: usize, exprs: Vec<AffineExpr>) -> Self {
        Self { value, map: AffineMap::new(loops, exprs) }
    }
}

/// Builds `linalg.generic`; `body` gets one scalar per input and output and returns one per output.
pub fn generic<'c>(
    builder: &Builder<'c>,
    inputs: &[Indexed<'c>],
    outputs: &[Indexed<'c>],
    loops: &[IteratorType],
    body: impl FnOnce(&Builder<'c>, &[Value<'c>]) -> Outcome<Vec<Value<'c>>>,
) -> Outcome<Vec<Value<'c>>> {
    let operands = || inputs.iter().chain(outputs);
    let elements: Vec<_> = operands().map(|operand| operand.value.ty().element()).collect();
    let mut outcome = Ok(());
    let region = builder.region(&elements, |inner, args| match body(inner, args) {
        Ok(results) => {
            linalg::yield_(inner, &results).build();
        }
        Err(declined) => outcome = Err(declined),
    });
    outcome?;
    let values = |list: &[Indexed<'c>]| list.iter().map(|one| one.value).collect::<Vec<_>>();
    let maps: Vec<_> = operands().map(|operand| operand.map.clone()).collect();
    let types: Vec<_> = outputs.iter().map(|operand| operand.value.ty()).collect();
    let nest = linalg::generic(builder, &maps, loops, &types, region)
        .inputs(&values(inputs))
        .outputs(&values(outputs));
    Ok(nest.build().op().results())
}

/// `linalg.index`.
pub fn loop_index<'c>(builder: &Builder<'c>, dim: usize) -> Value<'c> {
    linalg::index(builder, dim as i64, strata_ir::index(builder.context)).value()
}

/// `linalg.index` as an integer of 32 bits, or 64 if `size` requires it: schedules do not support vectors of
/// `index`.
pub fn loop_position<'c>(builder: &Builder<'c>, dim: usize, size: i64) -> Value<'c> {
    builder
        .op(arith::INDEX_CAST)
        .operand(loop_index(builder, dim))
        .result(position_type(builder, size))
        .value()
}

/// The integer type for indices along a dimension of this size.
pub fn position_type<'c>(builder: &Builder<'c>, size: i64) -> strata_ir::Type<'c> {
    strata_ir::integer(builder.context, if size <= i64::from(i32::MAX) { 32 } else { 64 })
}
