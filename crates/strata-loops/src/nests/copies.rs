//! Copies between strided buffers as loops, and of one element as a load and a store: MLIR lowers only contiguous ones
//! to `memcpy`.
//!
//! Before:
//! ```mlir
//! memref.copy %a, %b : memref<2x3xf32, strided<[8, 1]>> to memref<2x3xf32>
//! ```
//! After:
//! ```mlir
//! linalg.generic {… identity …} ins(%a) outs(%b) { ^bb0(%in, %out): linalg.yield %in }
//! ```

use strata_ir::{AffineMap, Builder, Context, Op, TypeExt as _, Value, linalg, memref};

/// Expands the copies in `root` that are not contiguous, or too short for a call of `memcpy`.
pub fn expand_strided<'c>(context: &'c Context, root: Op<'c>) {
    for op in root.collect(|op| op.is(memref::COPY)) {
        let (source, target) = (op.operand(0), op.operand(1));
        let is_element = source.ty().element_count() == Some(1);
        if is_contiguous(source) && is_contiguous(target) && !is_element {
            continue;
        }
        if copy_nest(&Builder::before(context, op), source, target) {
            op.erase();
        }
    }
}

fn is_contiguous(value: Value<'_>) -> bool {
    value.ty().shape().is_some_and(|shape| value.ty() == memref(&shape, value.ty().element()))
}

fn copy_nest<'c>(builder: &Builder<'c>, source: Value<'c>, target: Value<'c>) -> bool {
    let Some(rank) = source.ty().rank() else { return false };
    let element = source.ty().element();
    let body = builder.region(&[element, element], |inside, arguments| {
        linalg::yield_(inside, &[arguments[0]]).build();
    });
    let maps = vec![AffineMap::identity(rank); 2];
    let loops = vec![linalg::IteratorType::Parallel; rank];
    let copy = linalg::generic(builder, &maps, &loops, &[], body);
    copy.inputs(&[source]).outputs(&[target]).build();
    true
}
