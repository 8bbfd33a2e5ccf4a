//! Makes arguments without elements plain pointers too.
//!
//! ```text
//! func.func @main(%x: memref<3x0xf32>)   =>   func.func @main(%x: memref<1x1xf32>)
//! ```
//!
//! A stride of 0, which MLIR computes for the 3, keeps the conversion from passing a bare pointer.
//! Such a buffer is never accessed, so its shape can be replaced by ones.

use strata_ir::{
    AttributeExt as _, Context, Module, TypeExt as _, Value, func, function, function_types,
    memref, module_op, type_attr,
};

/// Gives arguments without elements a shape of ones.
pub(super) fn reshape<'c>(context: &'c Context, module: &Module<'c>) {
    for func in module_op(module).body(0).ops() {
        if !func.is(func::FUNC) {
            continue;
        }
        let Some(block) = func.region(0).first_block() else { continue };
        block.args().into_iter().for_each(reshape_value);
        let ty = func.attr("function_type").and_then(|ty| ty.as_type());
        if let Some((_, results)) = ty.and_then(function_types) {
            let inputs: Vec<_> = block.args().into_iter().map(|arg| arg.ty()).collect();
            func.set_attr("function_type", type_attr(function(context, &inputs, &results)));
        }
    }
}

fn reshape_value(value: Value<'_>) {
    let ty = value.ty();
    let (Some(rank), Some(0)) = (ty.rank(), ty.element_count()) else { return };
    if ty.is_memref_type() && rank > 1 {
        value.set_ty(memref(&vec![1; rank], ty.element()));
    }
}
