//! `dynamic_slice` and `dynamic_update_slice`: slices at run-time offsets, clamped into the operand.
//!
//! ```text
//! %1 = stablehlo.dynamic_slice %0, %i, sizes = [3] : (tensor<8xf32>, tensor<i32>) -> tensor<3xf32>
//! ```
//! becomes
//! ```text
//! %at = clamp(tensor.extract %i[], 0, 5)
//! %1 = tensor.extract_slice %0[%at] [3] [1] : tensor<8xf32> to tensor<3xf32>
//! ```

use strata_ir::{Builder, DYNAMIC, Op, OpKind, TypeExt as _, Value, i32s, i64s, tensor};
use strata_rewrite::{Lowerer, Lowering, Outcome};

use crate::{
    dims::{ints, shape},
    emit::Emit as _,
    lowerings::gather_scatter::gather::clamped,
};

/// The lowering of `dynamic_slice`.
pub struct DynamicSlice;

impl Lowering for DynamicSlice {
    fn name(&self) -> &'static str {
        "dynamic-slice"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::DynamicSlice]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let builder = lowerer.builder();
        let sizes = ints(op, "slice_sizes")?;
        let starts = starts(&builder, op, operands, 1, &sizes)?;
        let rank = sizes.len();
        let slice = builder
            .op("tensor.extract_slice")
            .operand(operands[0])
            .operands(&starts)
            .attr("static_offsets", i64s(builder.context, &vec![DYNAMIC; rank]))
            .attr("static_sizes", i64s(builder.context, &sizes))
            .attr("static_strides", i64s(builder.context, &vec![1; rank]))
            .attr("operandSegmentSizes", i32s(builder.context, &[1, rank as i32, 0, 0]))
            .result(tensor(&sizes, operands[0].ty().element()));
        Ok(vec![slice.value()])
    }
}

/// The lowering of `dynamic_update_slice`.
pub struct DynamicUpdateSlice;

impl Lowering for DynamicUpdateSlice {
    fn name(&self) -> &'static str {
        "dynamic-update-slice"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::DynamicUpdateSlice]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let builder = lowerer.builder();
        let sizes = shape(operands[1])?;
        let starts = starts(&builder, op, operands, 2, &sizes)?;
        let rank = sizes.len();
        let updated = builder
            .op("tensor.insert_slice")
            .operands(&[operands[1], operands[0]])
            .operands(&starts)
            .attr("static_offsets", i64s(builder.context, &vec![DYNAMIC; rank]))
            .attr("static_sizes", i64s(builder.context, &sizes))
            .attr("static_strides", i64s(builder.context, &vec![1; rank]))
            .attr("operandSegmentSizes", i32s(builder.context, &[1, 1, rank as i32, 0, 0]))
            .result(operands[0].ty());
        Ok(vec![updated.value()])
    }
}

/// The starts, operands `first` onwards, clamped so that a slice of `sizes` is in bounds of operand
/// 0.
fn starts<'c>(
    builder: &Builder<'c>,
    op: Op<'c>,
    operands: &[Value<'c>],
    first: usize,
    sizes: &[i64],
) -> Outcome<Vec<Value<'c>>> {
    let from = shape(operands[0])?;
    Ok((0..sizes.len())
        .map(|dim| {
            let signed = !op.operand(first + dim).ty().element().is_unsigned_int();
            let start = builder.extract(operands[first + dim], &[]);
            clamped(builder, start, from[dim] - sizes[dim], signed)
        })
        .collect())
}
