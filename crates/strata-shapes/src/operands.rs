//! Operands that are not elements: shapes and bounds.

use std::ops::Range;

use strata_ir::{AttributeExt as _, Op, OpKind};

/// The operands of a custom call that are the shapes of its results.
pub const SHAPE_OPERANDS: &str = "indices_of_shape_operands";

/// The operands of an operation that are shapes or bounds, not elements.
#[allow(clippy::wildcard_enum_match_arm)] // Of all others, sizes of results follow from those of operands and from attributes.
pub fn shape_operands(op: Op<'_>) -> Vec<usize> {
    match op.kind() {
        OpKind::DynamicIota => vec![0],
        OpKind::DynamicBroadcastInDim | OpKind::DynamicReshape => vec![1],
        OpKind::DynamicGather | OpKind::DynamicConv | OpKind::Rng => vec![2],
        OpKind::RealDynamicSlice => vec![1, 2, 3],
        OpKind::DynamicPad => vec![2, 3, 4],
        OpKind::CustomCall => {
            let shapes = op.attr(SHAPE_OPERANDS).and_then(|list| list.as_i64s());
            let shapes = shapes.unwrap_or_default().into_iter();
            shapes.filter_map(|at| usize::try_from(at).ok()).collect()
        }
        _ => Vec::new(),
    }
}

/// The operands of a custom call that are attributes of the operation that it stands for; `None` for other operations.
pub fn attribute_operands(op: Op<'_>) -> Option<Range<usize>> {
    if op.kind() != OpKind::CustomCall {
        return None;
    }
    match op.attr("call_target_name")?.as_str()? {
        "stablehlo.dynamic_reduce_window" => Some(2 * op.result_count()..op.operand_count()),
        "stablehlo.dynamic_rng_bit_generator" | "stablehlo.dynamic_top_k" => Some(1..2),
        _ => None,
    }
}

/// Whether the operation is a call of one of JAX's functions of LAPACK, which work on each matrix of a batch.
pub fn is_lapack(op: Op<'_>) -> bool {
    let name = op.attr("call_target_name").and_then(|name| name.as_str()).unwrap_or_default();
    op.kind() == OpKind::CustomCall && name.starts_with("lapack_") && name.ends_with("_ffi")
}
