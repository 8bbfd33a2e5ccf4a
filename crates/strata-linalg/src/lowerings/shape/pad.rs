//! `pad`: `tensor.pad` for plain edges, else an insertion into a filled tensor.
//!
//! ```text
//! %1 = stablehlo.pad %0, %z, low = [1], high = [-1], interior = [1] : (tensor<3xf32>, …) -> tensor<5xf32>
//! ```
//! becomes
//! ```text
//! %f = tensor.splat %z : tensor<6xf32>
//! %d = tensor.insert_slice %0 into %f[1] [3] [2] : tensor<3xf32> into tensor<6xf32>
//! %1 = tensor.extract_slice %d[0] [5] [1] : tensor<6xf32> to tensor<5xf32>
//! ```

use strata_ir::{Builder, Op, OpKind, TypeExt as _, Value, index, tensor};
use strata_rewrite::{Lowerer, Lowering, Outcome};

use crate::{
    dims::{ints, shape},
    lowerings::shape::{extract_slice, insert_slice},
};

/// The lowering of `pad`.
pub struct Pad;

impl Lowering for Pad {
    fn name(&self) -> &'static str {
        "pad"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::Pad]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let (low, high) = (ints(op, "edge_padding_low")?, ints(op, "edge_padding_high")?);
        let edges: Vec<_> = low.into_iter().zip(high).collect();
        let builder = lowerer.builder();
        let fill = builder.extract(operands[1], &[]);
        Ok(vec![pad(&builder, operands[0], fill, &edges, &ints(op, "interior_padding")?)?])
    }
}

/// `value` with `interior[i]` elements `fill` between neighbours of dimension `i` and `edges[i]` of them
/// before and after; negative edges crop.
pub fn pad<'c>(
    builder: &Builder<'c>,
    value: Value<'c>,
    fill: Value<'c>,
    edges: &[(i64, i64)],
    interior: &[i64],
) -> Outcome<Value<'c>> {
    let from = shape(value)?;
    let dilated = |dim: usize| dilated(from[dim], interior[dim] + 1);
    let plain = interior.iter().zip(&from).all(|(gap, size)| *gap == 0 || *size <= 1);
    let crops = edges.iter().any(|(low, high)| *low < 0 || *high < 0);
    if plain && edges.iter().all(|edge| *edge == (0, 0)) {
        return Ok(value);
    }
    let grown: Vec<i64> = (0..from.len())
        .map(|dim| dilated(dim) + edges[dim].0.max(0) + edges[dim].1.max(0))
        .collect();
    let low: Vec<i64> = edges.iter().map(|edge| edge.0.max(0)).collect();
    let high: Vec<i64> = edges.iter().map(|edge| edge.1.max(0)).collect();
    let padded = if plain {
        pad_edges(builder, value, fill, &low, &high, &grown)
    } else {
        let strides: Vec<i64> = interior.iter().map(|gap| gap + 1).collect();
        // Not a fill: MLIR folds a preceding pad into one, and ignores the strides.
        let filled =
            builder.op(tensor::SPLAT).operand(fill).result(tensor(&grown, fill.ty())).value();
        insert_slice(builder, value, filled, &low, &strides)?
    };
    if !crops {
        return Ok(padded);
    }
    let sizes: Vec<i64> =
        (0..from.len()).map(|dim| dilated(dim) + edges[dim].0 + edges[dim].1).collect();
    let from_zero = strata_ir::planted("linalg-pad-crop");
    let start = |edge: &(i64, i64)| if from_zero { 0 } else { (-edge.0).max(0) };
    let starts: Vec<i64> = edges.iter().map(start).collect();
    Ok(extract_slice(builder, padded, &starts, &sizes, &vec![1; sizes.len()]))
}

/// The size of a dimension whose elements lie `step` apart.
pub fn dilated(size: i64, step: i64) -> i64 {
    if size == 0 { 0 } else { (size - 1) * step + 1 }
}

/// The edges of a window's dimension of `size` elements, cropped if the window has a single position: the
/// position in the window is then the position in the operand, and the sizes must agree.
pub fn window_edges(
    size: i64,
    (low, high): (i64, i64),
    positions: i64,
    window: i64,
    dilation: i64,
) -> (i64, i64) {
    let read = (window - 1) * dilation + 1;
    if positions == 1 && !strata_ir::planted("linalg-window-edges") {
        (low, read - size - low)
    } else {
        (low, high)
    }
}

fn pad_edges<'c>(
    builder: &Builder<'c>,
    value: Value<'c>,
    fill: Value<'c>,
    low: &[i64],
    high: &[i64],
    grown: &[i64],
) -> Value<'c> {
    if low.iter().chain(high).all(|edge| *edge == 0) {
        return value;
    }
    let region = builder.region(&vec![index(builder.context); grown.len()], |body, _| {
        tensor::yield_(body, fill).build();
    });
    let ty = tensor(grown, value.ty().element());
    tensor::pad(builder, value, low, high, ty, region).value()
}
