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

use strata_ir::{Builder, DYNAMIC, Op, OpKind, TypeExt as _, Value, tensor};
use strata_rewrite::{Lowerer, Lowering, Outcome};

use crate::{
    dims::{ints, shape},
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
        let (source, offsets, strides) = (operands[0], vec![DYNAMIC; rank], vec![1; rank]);
        let ty = tensor(&sizes, source.ty().element());
        let slice = tensor::extract_slice(&builder, source, &offsets, &sizes, &strides, ty);
        Ok(vec![slice.offsets(&starts).value()])
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
        let (part, into) = (operands[1], operands[0]);
        let (offsets, strides) = (vec![DYNAMIC; rank], vec![1; rank]);
        let updated =
            tensor::insert_slice(&builder, part, into, &offsets, &sizes, &strides, into.ty());
        Ok(vec![updated.offsets(&starts).value()])
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
