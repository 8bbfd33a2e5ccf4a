//! Inputs with constraints on their values: drawn so that the program's behaviour is defined.
//!
//! Group sizes (`chlo.ragged_dot`) are not negative, and add up to at most the size of the dimension that they partition.

use strata_eval::{Element, Tensor, rng::RngStream};
use strata_ir::{AttributeExt as _, Module, Op, OpKind, TypeExt as _, Value, entry, module_op};

/// The maximum depth of calls that a value is followed through.
const DEEPEST: usize = 16;

/// Replaces those random `inputs` of the function `entry_name` that are constrained.
pub fn restrict(module: &Module<'_>, entry_name: &str, inputs: &mut [Tensor], seed: u64) {
    let Ok(function) = entry(module, Some(entry_name)) else { return };
    let mut stream = RngStream::new(seed);
    for product in module_op(module).collect(|op| op.kind() == OpKind::ChloRaggedDot) {
        let Some(size) = ragged_size(product) else { continue };
        let mut found = Vec::new();
        inputs_of(module, function, product.operand(2), DEEPEST, &mut found);
        for input in found {
            if let Some(tensor) = inputs.get_mut(input) {
                *tensor = groups(tensor, size, &mut stream);
            }
        }
    }
}

/// The size of the dimension that is partitioned into groups.
fn ragged_size(product: Op<'_>) -> Option<i64> {
    let text = product.attr("ragged_dot_dimension_numbers")?.to_string();
    let (_, list) = text.split_once("lhs_ragged_dimensions = [")?;
    let first = list.split([',', ']']).next()?;
    product.operand(0).ty().shape()?.get(first.trim().parse::<usize>().ok()?).copied()
}

/// The positions of the inputs of `function` that `value` is a conversion or reshape of.
fn inputs_of<'c>(
    module: &Module<'c>,
    function: Op<'c>,
    value: Value<'c>,
    depth: usize,
    found: &mut Vec<usize>,
) {
    if depth == 0 {
        return;
    }
    if let Some(owner) = value.owner() {
        let moves =
            matches!(owner.kind(), OpKind::Convert | OpKind::Reshape | OpKind::OptimizationBarrier);
        if moves && owner.operand_count() == 1 {
            inputs_of(module, function, owner.operand(0), depth - 1, found);
        }
        return;
    }
    let Some((block, position)) = value.block_arg() else { return };
    let Some(parent) = block.parent_op() else { return };
    if parent == function {
        found.push(position);
        return;
    }
    // An argument of another function is the operand of its callers.
    let Some(name) = parent.attr("sym_name").and_then(|name| name.as_str()) else { return };
    let calls = module_op(module).collect(|op| {
        let callee = op.attr("callee").or_else(|| op.attr("decomposition"));
        callee.and_then(|callee| callee.as_symbol()) == Some(name)
    });
    for call in calls.into_iter().filter(|call| position < call.operand_count()) {
        inputs_of(module, function, call.operand(position), depth - 1, found);
    }
}

/// Sizes of consecutive groups in `size` elements.
fn groups(like: &Tensor, size: i64, stream: &mut RngStream) -> Tensor {
    let per_row = like.shape().last().copied().unwrap_or(1).max(1);
    let size = size.min(i64::try_from(like.element_type().max_integer()).unwrap_or(i64::MAX));
    let mut elements = Vec::with_capacity(like.len());
    for _ in 0..like.len() / per_row {
        let draw = |_| (stream.next_u64() % (size.max(0) as u64 + 1)) as i64;
        let mut ends: Vec<i64> = (0..per_row).map(draw).collect();
        ends.sort_unstable();
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let sizes = ends.iter().zip(starts).map(|(end, start)| end - start);
        elements.extend(sizes.map(|size| like.element_type().from_i64(size)));
    }
    let fits = elements.len() == like.len();
    let at = |position: usize| elements.get(position).copied().unwrap_or(Element::Signed(0));
    if fits { Tensor::from_fn(like.shape(), like.element_type(), at) } else { like.clone() }
}
