//! The entry function takes its inputs and outputs as buffers.
//!
//! Before:
//! ```mlir
//! func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
//!   return %y : tensor<4xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%in: memref<4xf32>, %out: memref<4xf32>) {
//!   %x = bufferization.to_tensor %in restrict : memref<4xf32> to tensor<4xf32>
//!   bufferization.materialize_in_destination %y in restrict writable %out
//!   return
//! }
//! ```
//! `to_tensor` without `writable` is what keeps bufferization from writing an input. Donated inputs
//! are no arguments of their own: see [`super::donation`].

use strata_diag::{Diagnostic, codes};

use super::donation;
use strata_ir::{
    AttributeExt, Builder, Context, Op, Type, TypeExt as _, Value, diagnostic_at, function,
    function_types, i64s, memref, type_attr, unit,
};

/// Rewrites the signature of `entry`; its body stays on tensors.
pub fn take_buffers<'c>(context: &'c Context, entry: Op<'c>) -> Result<(), Diagnostic> {
    let broken = |reason: String| diagnostic_at(codes::S9002, entry).reason(reason);
    let (inputs, results) = entry
        .attr("function_type")
        .and_then(AttributeExt::as_type)
        .and_then(function_types)
        .ok_or_else(|| broken("the entry is not a function".to_owned()))?;
    let buffer = |ty: &Type<'c>| match ty.shape() {
        Some(shape) if ty.is_tensor_type() && ty.has_static_shape() => {
            Ok(memref(&shape, ty.element()))
        }
        _ => Err(broken(format!("`{ty}` in the signature is not a static tensor"))),
    };
    let input_buffers = inputs.iter().map(buffer).collect::<Result<Vec<_>, _>>()?;
    let output_buffers = results.iter().map(buffer).collect::<Result<Vec<_>, _>>()?;
    let [block] = entry.region(0).blocks()[..] else {
        return Err(broken("the entry has several blocks".to_owned()));
    };
    let Some(end) = block.terminator() else {
        return Err(broken("the entry has no terminator".to_owned()));
    };

    let donations = donation::input_of_outputs(entry, results.len());
    let start = Builder::at_start(context, block, entry.location());
    let mut kept = Vec::new();
    for (index, (tensor, buffer)) in inputs.iter().zip(&input_buffers).enumerate() {
        if donations.contains(&Some(index)) {
            continue;
        }
        kept.push(*buffer);
        let argument = block.add_arg(*buffer, entry.location());
        let value = start
            .op("bufferization.to_tensor")
            .operand(argument)
            .result(*tensor)
            .attr("restrict", unit(context))
            .value();
        block.arg(index).replace_all_uses_with(value);
    }
    let builder = Builder::before(context, end);
    let mut shared = Vec::new();
    for (index, buffer) in output_buffers.iter().enumerate() {
        let argument = block.add_arg(*buffer, entry.location());
        if let Some(input) = donations[index] {
            let value = donation::read(&start, argument, inputs[input]);
            block.arg(input).replace_all_uses_with(value);
            shared.push((index, argument));
            continue;
        }
        let (value, target) = behind_reshapes(&start, end.operand(index), argument);
        builder
            .op("bufferization.materialize_in_destination")
            .operands(&[value, target])
            .attrs(&[("restrict", unit(context)), ("writable", unit(context))])
            .build();
    }
    // Last, because all other results may still read what these overwrite.
    for (index, argument) in shared {
        donation::write(&builder, end.operand(index), argument);
    }
    builder.op("func.return").build();
    end.erase();
    for _ in &inputs {
        block.erase_arg(0);
    }
    for name in ["arg_attrs", "res_attrs"] {
        entry.remove_attr(name);
    }
    let arguments = [kept, output_buffers].concat();
    entry.set_attr("function_type", type_attr(function(context, &arguments, &[])));
    Ok(())
}

/// A result that is a reshape is computed in the reshaped output: the tensor in front of the reshapes, and the
/// buffer seen in its shape.
pub(super) fn behind_reshapes<'c>(
    start: &Builder<'c>,
    mut value: Value<'c>,
    mut buffer: Value<'c>,
) -> (Value<'c>, Value<'c>) {
    while let Some(reshape) = value.owner() {
        let back = match reshape.name() {
            "tensor.collapse_shape" => "memref.expand_shape",
            "tensor.expand_shape" => "memref.collapse_shape",
            _ => break,
        };
        let from = reshape.operand(0);
        let (Some(shape), Some(runs)) = (from.ty().shape(), reshape.attr("reassociation")) else {
            break;
        };
        let mut op = start.op(back).operand(buffer).attr("reassociation", runs);
        if back == "memref.expand_shape" {
            op = op.attr("static_output_shape", i64s(start.context, &shape));
        }
        buffer = op.result(memref(&shape, from.ty().element())).value();
        value = from;
    }
    (value, buffer)
}
