//! `linalg.generic` and its affine maps.

use strata_ir::{Attribute, Builder, TypeExt as _, Value, array, i32s, projection};
use strata_rewrite::Outcome;

use crate::emit::Emit as _;

/// The iterator type of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loop {
    /// In any order.
    Parallel,
    /// Accumulating into the outputs.
    Reduction,
}

/// A tensor and its indexing map.
#[derive(Clone, Copy)]
pub struct Indexed<'c> {
    /// The tensor.
    pub value: Value<'c>,
    /// An affine map attribute from the loops to the tensor's dimensions.
    pub map: Attribute<'c>,
}

impl<'c> Indexed<'c> {
    /// Dimension `i` of the tensor is indexed by loop `dims[i]`.
    pub fn by(builder: &Builder<'c>, value: Value<'c>, loops: usize, dims: &[usize]) -> Self {
        Self { value, map: projection(builder.context, loops, dims) }
    }

    /// The loops are the tensor's dimensions.
    pub fn identity(builder: &Builder<'c>, value: Value<'c>) -> Self {
        let rank = value.ty().rank().unwrap_or(0);
        Self::by(builder, value, rank, &(0..rank).collect::<Vec<_>>())
    }

    /// Dimension `i` of the tensor is indexed by the affine expression `exprs[i]` of `d0`, `d1`, ….
    pub fn at(
        builder: &Builder<'c>,
        value: Value<'c>,
        loops: usize,
        exprs: &[String],
    ) -> Outcome<Self> {
        let dims: Vec<_> = (0..loops).map(|dim| format!("d{dim}")).collect();
        let text = format!("affine_map<({}) -> ({})>", dims.join(", "), exprs.join(", "));
        Ok(Self { value, map: builder.parse(&text)? })
    }
}

/// The attribute `iterator_types`.
fn iterator_types<'c>(builder: &Builder<'c>, loops: &[Loop]) -> Outcome<Attribute<'c>> {
    let names: Vec<_> = loops
        .iter()
        .map(|kind| match kind {
            Loop::Parallel => "#linalg.iterator_type<parallel>",
            Loop::Reduction => "#linalg.iterator_type<reduction>",
        })
        .collect();
    builder.parse(&format!("[{}]", names.join(", ")))
}

/// Builds `linalg.generic`; `body` gets one scalar per input and output and returns one per output.
pub fn generic<'c>(
    builder: &Builder<'c>,
    inputs: &[Indexed<'c>],
    outputs: &[Indexed<'c>],
    loops: &[Loop],
    body: impl FnOnce(&Builder<'c>, &[Value<'c>]) -> Outcome<Vec<Value<'c>>>,
) -> Outcome<Vec<Value<'c>>> {
    let operands = || inputs.iter().chain(outputs);
    let elements: Vec<_> = operands().map(|operand| operand.value.ty().element()).collect();
    let mut outcome = Ok(());
    let region = builder.region(&elements, |inner, args| match body(inner, args) {
        Ok(results) => {
            inner.op("linalg.yield").operands(&results).build();
        }
        Err(declined) => outcome = Err(declined),
    });
    outcome?;
    let values: Vec<_> = operands().map(|operand| operand.value).collect();
    let maps: Vec<_> = operands().map(|operand| operand.map).collect();
    let results: Vec<_> = outputs.iter().map(|operand| operand.value.ty()).collect();
    let sizes = [inputs.len() as i32, outputs.len() as i32];
    Ok(builder
        .op("linalg.generic")
        .operands(&values)
        .attr("indexing_maps", array(builder.context, &maps))
        .attr("iterator_types", iterator_types(builder, loops)?)
        .attr("operandSegmentSizes", i32s(builder.context, &sizes))
        .results(&results)
        .region(region)
        .build()
        .results())
}

/// `linalg.index`.
pub fn loop_index<'c>(builder: &Builder<'c>, dim: usize) -> Value<'c> {
    let i64_type = strata_ir::integer(builder.context, 64);
    builder
        .op("linalg.index")
        .attr("dim", strata_ir::int(i64_type, dim as i64))
        .result(strata_ir::index(builder.context))
        .value()
}

/// `linalg.index` as an integer of 32 bits, or 64 if `size` requires it: schedules do not support vectors of
/// `index`.
pub fn loop_position<'c>(builder: &Builder<'c>, dim: usize, size: i64) -> Value<'c> {
    builder
        .op("arith.index_cast")
        .operand(loop_index(builder, dim))
        .result(position_type(builder, size))
        .value()
}

/// The integer type for indices along a dimension of this size.
pub fn position_type<'c>(builder: &Builder<'c>, size: i64) -> strata_ir::Type<'c> {
    strata_ir::integer(builder.context, if size <= i64::from(i32::MAX) { 32 } else { 64 })
}
