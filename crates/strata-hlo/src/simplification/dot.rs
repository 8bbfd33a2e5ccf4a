//! Folds transposes into dots: a dot reads its operands in either order, a transpose is a pass over memory.
//!
//! ```text
//! dot_general(x, transpose(y)), contracting_dims = [1] x [0] → dot_general(x, y), contracting_dims = [1] x [1]
//! ```
//! The same holds with leading batch dimensions, and for the left operand.
//!
//! The transpose of a product is the product of the operands in the other order, with the same sums:
//!
//! ```text
//! transpose(dot_general(x, y), contracting_dims = [0] x [0]) → dot_general(y, x), contracting_dims = [0] x [0]
//! ```
//! Gradients of weights have this form in JAX. Where batch dimensions move besides, those alone are transposed, in whole rows.
//!
//! Bytes that are widened only to be multiplied are multiplied as bytes, with the same sums modulo 2³²; exporters write dots of two types so:
//!
//! ```text
//! dot_general(convert(x : ui8) : i32, convert(y : i8) : i32) : i32 → dot_general(x, y) : i32
//! ```

use strata_ir::{
    AttributeExt as _, DotDimensionNumbers, Op, OpKind, Type, TypeExt as _, Value, array, i64s,
    stablehlo, tensor,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::pattern::{defined_by, ints, patterns};

patterns! {
    /// A dot of a transposed matrix.
    DotOfTranspose = "dot-of-transpose" on [DotGeneral] by dot_of_transpose;
    /// A dot or convolution of widened bytes.
    NarrowOperands = "narrow-operands" on [DotGeneral, Convolution] by narrow_operands;
    /// The transpose of a dot that nothing else uses.
    TransposeOfDot = "transpose-of-dot" on [Transpose] by transpose_of_dot;
}

/// The attribute of a dot with a precision for each operand.
const PRECISION: &str = "precision_config";

fn dot_of_transpose<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let numbers = op.attr("dot_dimension_numbers").and_then(DotDimensionNumbers::from_attribute);
    let mut numbers = numbers.or_decline("it has no dimension numbers")?;
    let lhs = matrix(
        op.operand(0),
        &numbers.lhs_batching_dimensions,
        &mut numbers.lhs_contracting_dimensions,
    );
    let rhs = matrix(
        op.operand(1),
        &numbers.rhs_batching_dimensions,
        &mut numbers.rhs_contracting_dimensions,
    );
    (lhs.is_ok() || rhs.is_ok()).or_decline("no operand is a transposed matrix")?;
    let numbers = numbers.to_attribute(rewriter.context()).or_decline("they do not fit")?;
    let others: Vec<_> =
        op.attrs().into_iter().filter(|(name, _)| *name != "dot_dimension_numbers").collect();
    let product = rewriter.builder().op(stablehlo::DOT_GENERAL);
    let product = product
        .operands(&[lhs.unwrap_or(op.operand(0)), rhs.unwrap_or(op.operand(1))])
        .attr("dot_dimension_numbers", numbers)
        .attrs(&others);
    let value = product.result(op.result(0).ty()).value();
    rewriter.replace(&[value]);
    Ok(())
}

fn narrow_operands<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let sums = op.result(0).ty();
    let is_word = |ty: Type<'c>| {
        let element = ty.element();
        element.is_int() && !element.is_unsigned_int() && element.bit_width() == Some(32)
    };
    is_word(sums).or_decline("its sums are not integers of 32 bits")?;
    let narrow = |operand: usize| -> Outcome<Value<'c>> {
        is_word(op.operand(operand).ty()).or_decline("an operand has other elements")?;
        let source = defined_by(op.operand(operand), OpKind::Convert)?.operand(0);
        let element = source.ty().element();
        let is_byte =
            element.is_int() && element.bit_width().is_some_and(|bits| (2..=8).contains(&bits));
        is_byte.then_some(source).or_decline("an operand is not widened")
    };
    let [lhs, rhs] = [narrow(0)?, narrow(1)?];
    // A convolution has operands of one type.
    (op.is(stablehlo::DOT_GENERAL) || lhs.ty().element() == rhs.ty().element())
        .or_decline("its operands have different types")?;
    let product = rewriter.builder().op(op.name()).operands(&[lhs, rhs]).attrs(&op.attrs());
    let value = product.result(sums).value();
    rewriter.replace(&[value]);
    Ok(())
}

fn transpose_of_dot<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let dot = defined_by(op.operand(0), OpKind::DotGeneral)?;
    dot.result(0).has_one_use().or_decline("the dot has another use")?;
    dot.attr("algorithm").is_none().or_decline("its algorithm names its operands")?;
    let numbers = dot.attr("dot_dimension_numbers").and_then(DotDimensionNumbers::from_attribute);
    let numbers = numbers.or_decline("it has no dimension numbers")?;
    let (lhs, rhs) = (dot.operand(0), dot.operand(1));
    let is_float = |value: Value<'c>| value.ty().element().is_float_type();
    (is_float(lhs) && is_float(rhs)).or_decline("the operands are not floats")?;
    let [left, right] = [lhs, rhs].map(|value| value.ty().rank().unwrap_or(0));
    // Each operand's contracted dimensions are as many, and its others are dimensions of the result.
    let fixed = numbers.lhs_batching_dimensions.len();
    let contracted = numbers.lhs_contracting_dimensions.len();
    let [left_free, right_free] = [left, right].map(|rank| rank.saturating_sub(fixed + contracted));
    let first = fixed + left_free;
    let swapped: Vec<_> = (0..fixed).chain(first..first + right_free).chain(fixed..first).collect();
    let permutation = ints(op, "permutation")?;
    let place = |dim: &i64| swapped.iter().position(|other| *other as i64 == *dim);
    let rest: Vec<_> = permutation.iter().filter_map(place).collect();
    // Of the result of the other dot, batches alone may move, and rows stay whole.
    let free = rest.iter().filter(|dim| **dim >= fixed);
    let is_last = rest.last().is_some_and(|last| *last + 1 == rest.len());
    let is_swapped = left_free > 0 && right_free > 0 && free.is_sorted() && is_last;
    (is_swapped && rest.len() == swapped.len()).or_decline("other dimensions move")?;
    let shape = dot.result(0).ty().shape().or_decline("the shape is not known")?;
    let shape: Vec<_> = swapped.iter().map(|dim| shape[*dim]).collect();
    // What is contracted along its rows as right operand is transposed first, which may be more than the result.
    let along_rows = |rank: usize, contracted: &[i64]| contracted.contains(&(rank as i64 - 1));
    let is_better = !along_rows(left, &numbers.lhs_contracting_dimensions)
        || along_rows(right, &numbers.rhs_contracting_dimensions);
    is_better.or_decline("an operand would be transposed")?;
    let context = rewriter.context();
    let swapped = DotDimensionNumbers {
        lhs_batching_dimensions: numbers.rhs_batching_dimensions,
        rhs_batching_dimensions: numbers.lhs_batching_dimensions,
        lhs_contracting_dimensions: numbers.rhs_contracting_dimensions,
        rhs_contracting_dimensions: numbers.lhs_contracting_dimensions,
    };
    let numbers = swapped.to_attribute(context).or_decline("they do not fit")?;
    let kept: Vec<_> = op.attrs().into_iter().filter(|(name, _)| *name != "permutation").collect();
    let product = rewriter.builder().op(stablehlo::DOT_GENERAL).operands(&[rhs, lhs]);
    let product = product.attr("dot_dimension_numbers", numbers).attrs(&kept);
    let product = match dot.attr(PRECISION).and_then(|list| list.as_array()) {
        Some(mut precision) => {
            precision.reverse();
            product.attr(PRECISION, array(context, &precision))
        }
        None => product,
    };
    let result = op.result(0).ty();
    if rest.is_sorted() {
        let value = product.result(result).value();
        rewriter.replace(&[value]);
        return Ok(());
    }
    let value = product.result(tensor(&shape, result.element())).value();
    let rest: Vec<_> = rest.into_iter().map(|dim| dim as i64).collect();
    let rows = rewriter.builder().op(stablehlo::TRANSPOSE).operand(value);
    let rows = rows.attr("permutation", i64s(context, &rest)).result(result).value();
    rewriter.replace(&[rows]);
    Ok(())
}

/// The matrices, after batch dimensions, of which `operand` is the transpose; sets `contracting` to their
/// contracting dimension.
fn matrix<'c>(operand: Value<'c>, batching: &[i64], contracting: &mut [i64]) -> Outcome<Value<'c>> {
    let transpose = defined_by(operand, OpKind::Transpose)?;
    let source = transpose.operand(0);
    let rank = source.ty().rank().unwrap_or(0) as i64;
    let mut swapped: Vec<_> = (0..rank).collect();
    (rank >= 2).or_decline("it is not a matrix")?;
    swapped.swap(rank as usize - 1, rank as usize - 2);
    (ints(transpose, "permutation")? == swapped).or_decline("other dimensions move")?;
    batching.iter().copied().eq(0..rank - 2).or_decline("a batch dimension is not leading")?;
    let [contracted] = contracting else { return Err("not one dimension is contracted".into()) };
    *contracted = swapped[*contracted as usize];
    Ok(source)
}
