//! Rewrites that do not change a program's results.

use std::collections::HashMap;

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    Attribute, Builder, Context, Module, Op, TypeExt as _, Value, array, dictionary, entry, func,
    function, i64s, int, integer, module_op, stablehlo, string, symbol, type_attr,
};
use strata_verify::edit::{free_values, return_only};

use crate::source::Source;

/// Each output is returned twice in a row.
pub fn doubled<'c>(context: &'c Context, module: &Module<'c>, _: u64) -> Result<(), Diagnostic> {
    let main = entry(module, None)?;
    let values = returned_values(main)?;
    let twice: Vec<_> = values.into_iter().flat_map(|value| [value, value]).collect();
    return_only(context, main, &twice);
    Ok(())
}

/// Intermediate values are returned as well, after the outputs.
pub fn returned<'c>(context: &'c Context, module: &Module<'c>, _: u64) -> Result<(), Diagnostic> {
    let main = entry(module, None)?;
    let mut values = returned_values(main)?;
    let integers = |value: &Value<'_>| {
        let ty = value.ty();
        // Of floats only the outputs have a known tolerance.
        ty.is_tensor_type() && !ty.element().is_float_type() && !ty.element().is_complex()
    };
    let ops = main.body(0).ops();
    let computed = ops.iter().filter(|op| !op.is(stablehlo::CONSTANT));
    values.extend(computed.flat_map(|op| op.results()).filter(integers));
    return_only(context, main, &values);
    Ok(())
}

/// Inputs are donated to the first output of their type.
pub fn donated<'c>(context: &'c Context, module: &Module<'c>, _: u64) -> Result<(), Diagnostic> {
    let main = entry(module, None)?;
    let outputs: Vec<_> = returned_values(main)?.into_iter().map(|value| value.ty()).collect();
    let mut taken = vec![false; outputs.len()];
    let mut marks = Vec::new();
    for argument in main.body(0).args() {
        let at = (0..outputs.len()).find(|at| !taken[*at] && outputs[*at] == argument.ty());
        let number;
        let entries: &[(&str, Attribute<'_>)] = match at {
            Some(at) => {
                taken[at] = true;
                number = [("tf.aliasing_output", int(integer(context, 32), at as i64))];
                &number
            }
            None => &[],
        };
        marks.push(dictionary(context, entries).ok_or_else(broken)?);
    }
    main.set_attr("arg_attrs", array(context, &marks));
    Ok(())
}

/// Outlines some consecutive operations to a function.
pub fn outlined<'c>(
    context: &'c Context,
    module: &Module<'c>,
    seed: u64,
) -> Result<(), Diagnostic> {
    let main = entry(module, None)?;
    let mut ops = main.body(0).ops();
    ops.pop();
    if ops.is_empty() {
        return Ok(());
    }
    let mut source = Source::new(seed);
    let first = source.below(ops.len() as i64) as usize;
    let end = source.between(first as i64 + 1, ops.len() as i64) as usize;
    let chosen = &ops[first..end];
    let arguments = free_values(chosen);
    let is_read_outside = |value: &Value<'_>| {
        let uses = value.uses();
        uses.iter().any(|(user, _)| !chosen.iter().any(|op| op == user || op.encloses(*user)))
    };
    let results: Vec<Value<'_>> =
        chosen.iter().flat_map(|op| op.results()).filter(is_read_outside).collect();
    let inputs: Vec<_> = arguments.iter().map(|value| value.ty()).collect();
    let outputs: Vec<_> = results.iter().map(|value| value.ty()).collect();
    let call = Builder::before(context, chosen[0])
        .op(func::CALL)
        .operands(&arguments)
        .results(&outputs)
        .attr("callee", symbol(context, "outlined"))
        .build();
    let top = Builder::at_end(context, module_op(module).body(0), main.location());
    let region = top.region(&inputs, |inner, given| {
        let mut known: HashMap<_, _> =
            arguments.iter().copied().zip(given.iter().copied()).collect();
        for op in chosen {
            inner.copy(*op, &mut known);
        }
        let handed: Vec<_> = results.iter().map(|value| known[value]).collect();
        inner.op(func::RETURN).operands(&handed).build();
    });
    top.op(func::FUNC)
        .attr("sym_name", string(context, "outlined"))
        .attr("sym_visibility", string(context, "private"))
        .attr("function_type", type_attr(function(context, &inputs, &outputs)))
        .region(region)
        .build();
    for (old, new) in results.iter().zip(call.results()) {
        old.replace_all_uses_with(new);
    }
    for op in chosen.iter().rev() {
        op.erase();
    }
    Ok(())
}

/// Some values are read through a transpose and its inverse, with a barrier in between.
pub fn transposed<'c>(
    context: &'c Context,
    module: &Module<'c>,
    seed: u64,
) -> Result<(), Diagnostic> {
    let main = entry(module, None)?;
    let mut source = Source::new(seed);
    for op in main.body(0).ops() {
        let Some(next) = op.next() else { continue };
        for value in op.results() {
            let ty = value.ty();
            let Some(shape) = ty.shape().filter(|shape| shape.len() > 1 && ty.is_tensor_type())
            else {
                continue;
            };
            if !source.once_in(3) {
                continue;
            }
            let order = source.permutation(shape.len());
            let permuted: Vec<i64> = order.iter().map(|at| shape[*at]).collect();
            let there: Vec<i64> = order.iter().map(|at| *at as i64).collect();
            let back: Vec<i64> = (0..order.len())
                .map(|at| order.iter().position(|one| *one == at).unwrap_or(at) as i64)
                .collect();
            let at = Builder::before(context, next);
            let transpose = |value: Value<'c>, order: &[i64], shape: &[i64]| {
                at.op(stablehlo::TRANSPOSE)
                    .operand(value)
                    .attr("permutation", i64s(context, order))
                    .result(strata_ir::tensor(shape, ty.element()))
                    .build()
            };
            let first = transpose(value, &there, &permuted);
            let barrier = at
                .op(stablehlo::OPTIMIZATION_BARRIER)
                .operand(first.result(0))
                .result(first.result(0).ty())
                .value();
            let second = transpose(barrier, &back, &shape);
            value.replace_all_uses_with(second.result(0));
            first.set_operand(0, value);
        }
    }
    Ok(())
}

fn broken() -> Diagnostic {
    Diagnostic::new(codes::S9001).reason("the program has no form that can be rewritten")
}

fn returned_values<'c>(main: Op<'c>) -> Result<Vec<Value<'c>>, Diagnostic> {
    main.body(0).terminator().map(Op::operands).ok_or_else(broken)
}
