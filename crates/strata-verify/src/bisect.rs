//! Which operation is the first whose compiled result differs, and a program that shows it alone.

use std::collections::HashMap;

use strata_diag::{Diagnostic, Location, codes};
use strata_ir::{
    Builder, Context, Module, Op, TypeExt as _, Value, WalkOrder, check, dense_bytes,
    diagnostic_at, entry, func, int, integer, parse_text, parse_type, print, source_location,
    stablehlo, stored_type, tensor as tensor_type,
};

use crate::{
    edit::{free_values, return_only, retype},
    judge::{Judgement, Tolerance, judge_all},
};
use strata_eval::Tensor;

/// The compiled side: runs the entry function of a program given as text.
pub type Compiled<'a> = dyn Fn(&str, &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> + 'a;

/// The evaluated side: runs a function of a module in the world that the compiled side has, with the rounding noise of a
/// seed where one is given.
pub type Reference<'a> =
    dyn Fn(&Module<'_>, &str, &[Tensor], Option<u64>) -> Result<Vec<Tensor>, Diagnostic> + 'a;

/// What is compared, and how near it has to be.
#[derive(Clone, Copy)]
pub struct Sides<'a> {
    /// The compiled side.
    pub compiled: &'a Compiled<'a>,
    /// The evaluated side.
    pub reference: &'a Reference<'a>,
    /// How far the two may be apart.
    pub tolerance: Tolerance,
}

/// The first operation whose results differ.
#[derive(Clone, Debug)]
pub struct Culprit {
    /// Its name.
    pub operation: String,
    /// Where it is in the source.
    pub location: Option<Location>,
    /// Whether the operation also differs on its own; otherwise only after the operations before it.
    pub alone: bool,
    /// A program without arguments that expects what the evaluator computes.
    pub reproducer: String,
}

impl Sides<'_> {
    /// Compares the results of the compiled code with the evaluated ones, and with those of evaluations with noise where
    /// they differ.
    ///
    /// # Errors
    /// `S9005` where the results have not the types of the evaluated ones.
    pub fn judge(
        &self,
        module: &Module<'_>,
        entry_name: &str,
        inputs: &[Tensor],
        [actual, expected]: [&[Tensor]; 2],
    ) -> Result<Vec<Judgement>, Diagnostic> {
        let wrong = |reason: String| Diagnostic::new(codes::S9005).reason(reason);
        if actual.len() != expected.len() {
            let (found, due) = (actual.len(), expected.len());
            return Err(wrong(format!("{found} outputs where there are {due}")));
        }
        let noisy = |seed| (self.reference)(module, entry_name, inputs, Some(seed)).ok();
        judge_all(actual, expected, |_| self.tolerance, noisy).map_err(|error| wrong(error.reason))
    }
}

/// Finds the first operation in the function `entry_name` of `text` whose compiled results are further from
/// the evaluated ones than the tolerance allows; `None` where none is.
///
/// Operations are counted in the entry function; a call or a loop is one. The time is that of a few runs per
/// power of two in the number of operations.
///
/// # Errors
/// Where the program cannot be evaluated, or the compiled side fails in another way than by its results.
pub fn first_difference(
    context: &Context,
    text: &str,
    entry_name: &str,
    inputs: &[Tensor],
    sides: Sides<'_>,
) -> Result<Option<Culprit>, Diagnostic> {
    let count = {
        let module = parse_text(context, text)?;
        entry(&module, Some(entry_name))?.body(0).ops().len().saturating_sub(1)
    };
    // Whether any of the first `length` operations differs: once true it stays true.
    let differs = |length: usize| -> Result<bool, Diagnostic> {
        let module = parse_text(context, text)?;
        let function = entry(&module, Some(entry_name))?;
        cut_after(context, function, length);
        any_difference(context, &module, entry_name, inputs, sides)
    };
    if count == 0 || !differs(count)? {
        return Ok(None);
    }
    let (mut same, mut different) = (0, count);
    while same + 1 < different {
        let middle = same + (different - same) / 2;
        if differs(middle)? { different = middle } else { same = middle }
    }
    culprit(context, text, entry_name, inputs, sides, different - 1).map(Some)
}

/// Whether the compiled program's results are too far from the evaluated ones. A result that the compiled
/// side does not give counts as different.
fn any_difference(
    context: &Context,
    module: &Module<'_>,
    entry_name: &str,
    inputs: &[Tensor],
    sides: Sides<'_>,
) -> Result<bool, Diagnostic> {
    // Printed and read again, so that the evaluator sees what the compiler sees.
    let text = print(module, false);
    let module = parse_text(context, &text)?;
    let expected = (sides.reference)(&module, entry_name, inputs, None)?;
    let actual = (sides.compiled)(&text, inputs)?;
    let judged = sides.judge(&module, entry_name, inputs, [&actual, &expected]);
    Ok(judged.map_or(true, |judged| judged.iter().any(|one| one.wrong.is_some())))
}

/// Makes the function return all tensors that its first `length` operations compute, and no more.
fn cut_after<'c>(context: &'c Context, function: Op<'c>, length: usize) {
    let ops = function.body(0).ops();
    let (kept, dropped) = ops.split_at(length.min(ops.len()));
    let results: Vec<Value<'c>> = kept
        .iter()
        // A constant differs from itself only where its users do.
        .filter(|op| !op.is(stablehlo::CONSTANT))
        .flat_map(|op| op.results())
        .filter(|value| value.ty().is_tensor_type())
        .collect();
    let location = kept.last().map_or(function, |op| *op).location();
    Builder::at_end(context, function.body(0), location)
        .op(func::RETURN)
        .operands(&results)
        .build();
    // Users before what they use.
    dropped.iter().rev().for_each(|op| op.erase());
    retype(context, function);
}

/// Describes operation `at` and builds the smallest program that shows the difference.
fn culprit(
    context: &Context,
    text: &str,
    entry_name: &str,
    inputs: &[Tensor],
    sides: Sides<'_>,
    at: usize,
) -> Result<Culprit, Diagnostic> {
    let module = parse_text(context, text)?;
    let func = entry(&module, Some(entry_name))?;
    let Some(op) = func.body(0).ops().get(at).copied() else {
        return Err(diagnostic_at(codes::S9001, func).reason("the operation to isolate is missing"));
    };
    let (operation, location) = (op.name().into(), source_location(op.location()));

    // What the operation uses, computed by the evaluator.
    let used = free_values(&[op]);
    let values = {
        let probe = parse_text(context, text)?;
        let func = entry(&probe, Some(entry_name))?;
        let twin = func.body(0).ops().get(at).copied();
        let twins = twin.map(|op| free_values(&[op])).unwrap_or_default();
        return_only(context, func, &twins);
        (sides.reference)(&probe, entry_name, inputs, None)?
    };
    isolate(context, func, op, &used);
    let alone =
        values.len() == used.len() && any_difference(context, &module, entry_name, &values, sides)?;
    let reproducer = if alone {
        with_expectations(context, &module, entry_name, &values, sides)?
    } else {
        let module = parse_text(context, text)?;
        cut_after(context, entry(&module, Some(entry_name))?, at + 1);
        with_expectations(context, &module, entry_name, inputs, sides)?
    };
    Ok(Culprit { operation, location, alone, reproducer })
}

/// Leaves `op` alone in the function, with what it uses as arguments and its tensors as results.
fn isolate<'c>(context: &'c Context, func: Op<'c>, op: Op<'c>, used: &[Value<'c>]) {
    let body = func.body(0);
    let old = body.arg_count();
    let fresh: HashMap<Value<'c>, Value<'c>> =
        used.iter().map(|value| (*value, body.add_arg(value.ty(), op.location()))).collect();
    op.walk(WalkOrder::Pre, &mut |nested| {
        for (index, value) in nested.operands().into_iter().enumerate() {
            if let Some(argument) = fresh.get(&value) {
                nested.set_operand(index, *argument);
            }
        }
    });
    let results: Vec<_> =
        op.results().into_iter().filter(|value| value.ty().is_tensor_type()).collect();
    if let Some(terminator) = body.terminator() {
        Builder::before(context, terminator).op(func::RETURN).operands(&results).build();
        terminator.erase();
    }
    let keep = body.terminator();
    for other in body.ops().into_iter().rev() {
        if other != op && Some(other) != keep {
            other.erase();
        }
    }
    (0..old).rev().for_each(|index| body.erase_arg(index));
    retype(context, func);
}

/// The program with its inputs as constants and what the evaluator computes as expectations.
fn with_expectations<'c>(
    context: &'c Context,
    module: &Module<'c>,
    entry_name: &str,
    inputs: &[Tensor],
    sides: Sides<'_>,
) -> Result<String, Diagnostic> {
    let module = parse_text(context, &print(module, false))?;
    let expected = (sides.reference)(&module, entry_name, inputs, None)?;
    let func = entry(&module, Some(entry_name))?;
    let body = func.body(0);
    let refuse =
        || diagnostic_at(codes::S1911, func).reason("a value cannot be written as a constant");
    let first = Builder::at_start(context, body, func.location());
    for (argument, tensor) in body.args().into_iter().zip(inputs) {
        let value = constant(&first, argument, tensor).ok_or_else(refuse)?;
        argument.replace_all_uses_with(value);
    }
    (0..body.arg_count()).rev().for_each(|index| body.erase_arg(index));
    let Some(terminator) = body.terminator() else { return Err(refuse()) };
    let last = Builder::before(context, terminator);
    for (result, tensor) in terminator.operands().into_iter().zip(&expected) {
        let value = constant(&last, result, tensor).ok_or_else(refuse)?;
        expect(context, &last, result, value, tensor, sides.tolerance);
    }
    last.op(func::RETURN).build();
    terminator.erase();
    retype(context, func);
    Ok(print(&module, false))
}

/// A value of the type of `like` with these elements; `None` where they cannot be written. Constants are static: where the type is not,
/// a constant of the tensor's shape is reshaped to it.
fn constant<'c>(builder: &Builder<'c>, like: Value<'c>, tensor: &Tensor) -> Option<Value<'c>> {
    let ty = like.ty();
    let sizes: Vec<i64> = tensor.shape().iter().map(|size| *size as i64).collect();
    let own = if ty.has_static_shape() { ty } else { tensor_type(&sizes, ty.element()) };
    // Stored integers are written without their sign.
    let stored = stored_type(own);
    let written = if stored == own { own } else { stored.signless() };
    let elements = dense_bytes(written, tensor.bytes())?;
    let value = builder.op(stablehlo::CONSTANT).attr("value", elements).result(own).value();
    if own == ty {
        return Some(value);
    }
    let shape = tensor_type(&[sizes.len() as i64], integer(builder.context, 64));
    let bytes: Vec<u8> = sizes.iter().flat_map(|size| size.to_le_bytes()).collect();
    let sizes = dense_bytes(shape, &bytes)?;
    let sizes = builder.op(stablehlo::CONSTANT).attr("value", sizes).result(shape).value();
    Some(builder.op(stablehlo::DYNAMIC_RESHAPE).operands(&[value, sizes]).result(ty).value())
}

/// The check of one result: as exact as the tolerance says, integers exactly.
fn expect<'c>(
    context: &'c Context,
    builder: &Builder<'c>,
    actual: Value<'c>,
    expected: Value<'c>,
    tensor: &Tensor,
    tolerance: Tolerance,
) {
    let element = tensor.element_type();
    if !element.is_float() && !element.is_complex() {
        builder.op(check::EXPECT_EQ).operands(&[actual, expected]).build();
        return;
    }
    let wide = parse_type(context, "ui64").unwrap_or_else(|| integer(context, 64));
    let most = int(wide, i64::try_from(tolerance.ulps).unwrap_or(i64::MAX));
    builder
        .op(check::EXPECT_CLOSE)
        .operands(&[actual, expected])
        .attr("max_ulp_difference", most)
        .build();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite;
    use strata_eval::{elementwise, evaluate};

    const PROGRAM: &str = "func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>) {
        %zero = stablehlo.constant dense<0.0> : tensor<f32>
        %a = stablehlo.add %x, %x : tensor<3xf32>
        %b = stablehlo.cosine %a : tensor<3xf32>
        %c = stablehlo.sine %b : tensor<3xf32>
        %s = stablehlo.reduce(%c init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
        return %c, %s : tensor<3xf32>, tensor<f32>
      }";

    /// A compiler that takes the cosine for the sine.
    fn wrong_cosine(text: &str, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
        let context = strata_ir::new_context();
        let wrong = text.replace("stablehlo.cosine", "stablehlo.sine");
        evaluate(&parse_text(&context, &wrong)?, Some("main"), inputs)
    }

    fn right(text: &str, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
        let context = strata_ir::new_context();
        evaluate(&parse_text(&context, text)?, Some("main"), inputs)
    }

    fn find(compiled: &Compiled<'_>) -> Option<Culprit> {
        let context = strata_ir::new_context();
        let inputs = [Tensor::from_f32(&[3], &[0.1, 0.2, 0.3])];
        let reference = |module: &Module<'_>, entry: &str, inputs: &[Tensor], _: Option<u64>| {
            evaluate(module, Some(entry), inputs)
        };
        let sides = Sides { compiled, reference: &reference, tolerance: Tolerance::default() };
        first_difference(&context, PROGRAM, "main", &inputs, sides)
            .unwrap_or_else(|error| panic!("{}", error.render()))
    }

    #[test]
    fn the_first_wrong_operation_is_found() {
        let culprit = find(&wrong_cosine).expect("a difference");
        assert_eq!((culprit.operation.as_str(), culprit.alone), ("stablehlo.cosine", true));
        assert_eq!(culprit.location.map(|location| location.line), Some(4));
        assert!(!culprit.reproducer.contains("stablehlo.add"), "{}", culprit.reproducer);
    }

    #[test]
    fn the_reproducer_is_a_test_that_the_evaluator_passes() {
        let culprit = find(&wrong_cosine).expect("a difference");
        let run = |text: String| {
            let source = suite::Source {
                name: "reproducer.mlir".to_owned(),
                text,
                ..suite::Source::default()
            };
            suite::Counts::of(&suite::run(&[source], 1, &|_| {}))
        };
        assert_eq!(run(culprit.reproducer.clone()).passed, 1, "{}", culprit.reproducer);
        let wrong = culprit.reproducer.replace("stablehlo.cosine", "stablehlo.sine");
        assert_eq!(run(wrong).failed, 1);
    }

    #[test]
    fn reproducers_of_open_sizes_have_those_of_the_inputs() {
        const OPEN: &str = "func.func @main(%x: tensor<?xf32>, %y: tensor<2x?xf32>) -> (tensor<?xf32>, tensor<2x?xf32>) {
            %a = stablehlo.add %x, %x : tensor<?xf32>
            %b = stablehlo.cosine %a : tensor<?xf32>
            %c = stablehlo.negate %y : tensor<2x?xf32>
            return %b, %c : tensor<?xf32>, tensor<2x?xf32>
          }";
        let context = strata_ir::new_context();
        let inputs = [
            Tensor::from_f32(&[3], &[0.1, 0.2, 0.3]),
            Tensor::from_f32(&[2, 4], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]),
        ];
        let reference = |module: &Module<'_>, entry: &str, inputs: &[Tensor], _: Option<u64>| {
            evaluate(module, Some(entry), inputs)
        };
        let tolerance = Tolerance::default();
        let sides = Sides { compiled: &wrong_cosine, reference: &reference, tolerance };
        let culprit = first_difference(&context, OPEN, "main", &inputs, sides)
            .unwrap_or_else(|error| panic!("{}", error.render()))
            .expect("a difference");
        assert_eq!((culprit.operation.as_str(), culprit.alone), ("stablehlo.cosine", true));
        let together = {
            let module = parse_text(&context, OPEN).expect("parses");
            with_expectations(&context, &module, "main", &inputs, sides).expect("written")
        };
        for text in [culprit.reproducer, together] {
            let name = "reproducer.mlir".to_owned();
            let source = suite::Source { name, text: text.clone(), ..suite::Source::default() };
            assert_eq!(suite::Counts::of(&suite::run(&[source], 1, &|_| {})).passed, 1, "{text}");
        }
    }

    #[test]
    fn an_error_that_needs_company_keeps_it() {
        // Wrong only where a sine follows a cosine in one program.
        let together = |text: &str, inputs: &[Tensor]| {
            if text.contains("stablehlo.sine") && text.contains("stablehlo.cosine") {
                let mut results = right(text, inputs)?;
                if let Some(last) = results.last_mut() {
                    *last = elementwise::negate(last)
                        .map_err(|error| Diagnostic::new(codes::S9001).reason(error.reason))?;
                }
                return Ok(results);
            }
            right(text, inputs)
        };
        let culprit = find(&together).expect("a difference");
        assert_eq!((culprit.operation.as_str(), culprit.alone), ("stablehlo.sine", false));
        assert!(culprit.reproducer.contains("stablehlo.cosine"), "{}", culprit.reproducer);
    }

    #[test]
    fn without_a_difference_there_is_no_culprit() {
        assert!(find(&right).is_none());
    }
}
