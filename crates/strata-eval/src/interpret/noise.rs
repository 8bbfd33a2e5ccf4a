//! Rounding noise: an evaluation in which each inexact operation is off by what another accurate implementation may be off,
//! and sums are formed in another order. How far a result moves under it is how well the program determines it.
//!
//! * Functions move by some units in the last place; integral results are exact, and are kept.
//! * Sums add their terms in a random order, in the evaluator's accumulation type, so that they also overflow where they
//!   might. Their terms move by a unit; if the order is fixed, by more for more terms, as the error of a sum grows with their
//!   number.
//! * Functions whose result cancels near a zero move with their operands.
//!
//! Half of the dots of `bf16`, at random, take numbers below the normal range as zero, as the processor's instruction does.
//!
//! Some sums are formed term after term, as a loop forms them: the evaluator's own, in blocks, are closer to the exact ones. A
//! dot whose algorithm accumulates in fewer digits than its result has is off by units of the former.
//!
//! Half of the sums, at random, are computed in `f64` instead: products in a fused multiply-add do not overflow either. If
//! such a sum exceeds the range of its type, it is infinite or NaN, since overflow of partial sums is unspecified. Products of
//! large or small `f64`, for which there is no wider type, are scaled by a power of two.
//!
//! Results that are exact, or correctly rounded by every implementation, are unchanged.

mod folds;

use num_complex::Complex64;

use crate::{
    convert,
    element::{BF16, C128, Element, ElementType, F32, F64},
    error::Result,
    fft::{self, FftType},
    float_format::FloatType,
    index,
    interpret::{Value, arguments},
    program::{Block, Operation, Type},
    rng::RngStream,
    tensor::Tensor,
};

pub use self::folds::reduced;

/// The error of functions in units in the last place.
const FUNCTIONS: f64 = 4.0;
/// No more than so many units, however many terms there are.
const MOST: f64 = 4096.0;

/// Functions that accurate implementations round differently.
const ROUNDED: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bessel_i1e",
    "cbrt",
    "cosh",
    "cosine",
    "digamma",
    "erf",
    "erf_inv",
    "erfc",
    "exponential",
    "exponential_minus_one",
    "lgamma",
    "log",
    "log_plus_one",
    "logistic",
    "polygamma",
    "power",
    "rsqrt",
    "sine",
    "sinh",
    "tan",
    "tanh",
    "zeta",
];

/// Other operations that compute numbers: the sign of a NaN result is unspecified, and visible in a total order.
const COMPUTED: &[&str] = &[
    "add",
    "clamp",
    "convert",
    "convolution",
    "divide",
    "dot",
    "dot_general",
    "maximum",
    "minimum",
    "multiply",
    "reduce",
    "reduce_precision",
    "reduce_window",
    "remainder",
    "sqrt",
    "subtract",
];

/// Functions that are accurate for an operand next to theirs.
const SENSITIVE: &[&str] = &["digamma", "lgamma", "polygamma", "zeta"];

/// Operations of regions that combine elements without an error.
const EXACT: &[&str] = &[
    "and", "clamp", "compare", "constant", "convert", "maximum", "minimum", "not", "or", "reshape",
    "select", "xor",
];

/// Sums of products.
const PRODUCTS: &[&str] =
    &["dot", "dot_general", "einsum", "convolution", "dynamic_conv", "ragged_dot"];

/// The operands of a sum of products, each times the same power of two.
pub struct Scaled {
    /// The operands of the scaled operation.
    pub operands: Vec<Value>,
    /// By which power of two each of the two factors was multiplied.
    exponent: i32,
}

/// The operands of a sum of products of large or of small `f64`, chosen at random: smaller, so that nothing overflows, or
/// larger, so that no product underflows, as in a fused multiply-add. There is no wider type to compute it in.
pub fn scaled(stream: &mut RngStream, op: &Operation, given: &[Value]) -> Option<Scaled> {
    if !PRODUCTS.contains(&mnemonic(op)) || stream.next_u64().is_multiple_of(2) {
        return None;
    }
    let (mut is_large, mut is_small) = (false, false);
    for value in given.iter().take(2) {
        let tensor = value.tensor().ok()?;
        let ty = tensor.element_type();
        (ty == F64 || ty == C128).then_some(())?;
        with_parts(tensor, |part| {
            is_large |= part.is_finite() && part.abs() > 2f64.powi(SCALE - 48);
            is_small |= part != 0.0 && part.abs() < 0.5f64.powi(SCALE - 80);
            part
        });
    }
    let exponent = match (is_large, is_small) {
        (false, false) => return None,
        (true, false) => -SCALE,
        (false, true) => SCALE,
        (true, true) if stream.next_u64().is_multiple_of(2) => -SCALE,
        (true, true) => SCALE,
    };
    let mut operands = given.to_vec();
    for value in operands.iter_mut().take(2) {
        let Value::Tensor(tensor) = value else { return None };
        *tensor = with_parts(tensor, |part| {
            // Nonzero values stay nonzero: times infinity they differ from zero.
            let other = part * 2f64.powi(exponent);
            if other == 0.0 && part != 0.0 { f64::MIN_POSITIVE.copysign(part) } else { other }
        });
    }
    Some(Scaled { operands, exponent })
}

/// By which power of two [`scaled`] changes operands.
const SCALE: i32 = 540;

/// Replaces overflowed or underflowed results by those of scaled products (out of range: infinity or, as partial sums may have
/// overflowed to both, NaN).
pub fn unscale(stream: &mut RngStream, results: &mut [Value], scaled: &[Value], how: &Scaled) {
    let is_nan = stream.next_u64().is_multiple_of(2);
    let back = 2f64.powi(-how.exponent);
    let part = |plain: f64, scaled: f64| {
        let number = scaled * back * back;
        match () {
            () if how.exponent > 0 && scaled.is_finite() => number,
            () if how.exponent > 0 || plain.is_finite() => plain,
            () if scaled.is_finite() && !number.is_finite() && is_nan => f64::NAN,
            () => number,
        }
    };
    for (result, scaled) in results.iter_mut().zip(scaled) {
        let (Value::Tensor(result), Value::Tensor(scaled)) = (result, scaled) else { continue };
        let shape = result.shape().to_vec();
        let merged = Tensor::from_fn(&shape, result.element_type(), |position| {
            match (result.get(position), scaled.get(position)) {
                (Element::Float(a), Element::Float(b)) => Element::Float(part(a, b)),
                (Element::Complex(a), Element::Complex(b)) => {
                    Element::Complex(Complex64::new(part(a.re, b.re), part(a.im, b.im)))
                }
                (other, _) => other,
            }
        });
        *result = merged;
    }
}

/// The operation and its operands in `f64`, if it is a sum of narrower floats, chosen at random.
pub fn widened(
    stream: &mut RngStream,
    op: &Operation,
    given: &[Value],
) -> Option<(Operation, Vec<Value>)> {
    if !PRODUCTS.contains(&mnemonic(op)) || stream.next_u64().is_multiple_of(2) {
        return None;
    }
    let mut wide = op.clone();
    for ty in &mut wide.types {
        let Type::Tensor { element, quantization: None, .. } = ty else { return None };
        *element = wide_type(*element)?;
    }
    let tensor = |value: &Value| {
        let tensor = value.tensor().ok()?;
        let ty = wide_type(tensor.element_type()).unwrap_or(tensor.element_type());
        Some(Value::Tensor(convert::convert(tensor, ty)))
    };
    Some((wide, given.iter().map(tensor).collect::<Option<_>>()?))
}

/// Results in `f64` in the types of the operation's own; beyond their range an infinity or, as partial sums may have
/// overflowed to both, NaN.
pub fn narrowed(stream: &mut RngStream, op: &Operation, values: Vec<Value>) -> Option<Vec<Value>> {
    let is_nan = stream.next_u64().is_multiple_of(2);
    let narrow = |(value, ty): (Value, &Type)| {
        let (tensor, ty) = (value.tensor().ok()?, ty.element().ok()?);
        let converted = convert::convert(tensor, ty);
        let open = |wide: f64, narrow: f64| match wide.is_finite() && !narrow.is_finite() && is_nan
        {
            true => f64::NAN,
            false => narrow,
        };
        Some(Value::Tensor(Tensor::from_fn(tensor.shape(), ty, |position| {
            match (tensor.get(position), converted.get(position)) {
                (Element::Float(wide), Element::Float(narrow)) => {
                    Element::Float(open(wide, narrow))
                }
                (Element::Complex(wide), Element::Complex(narrow)) => Element::Complex(
                    Complex64::new(open(wide.re, narrow.re), open(wide.im, narrow.im)),
                ),
                (_, other) => other,
            }
        })))
    };
    values.into_iter().zip(&op.types).map(narrow).collect()
}

/// The type with the digits of `f64` for a narrower one of floats.
fn wide_type(ty: ElementType) -> Option<ElementType> {
    match ty {
        ElementType::Float(FloatType::F64) | ElementType::Complex(FloatType::F64) => None,
        ElementType::Float(_) => Some(F64),
        ElementType::Complex(_) => Some(C128),
        _ => None,
    }
}

/// Whether [`operands`] only reorders what an operation sums.
pub fn is_shuffled(op: &Operation) -> bool {
    matches!(mnemonic(op), "reduce" | "dot_general" | "dot")
}

/// The operands that the noisy operation gets.
pub fn operands(stream: &mut RngStream, op: &Operation, given: &[Value]) -> Result<Vec<Value>> {
    let mut values = given.to_vec();
    let name = mnemonic(op);
    let tensor = |index: usize| given.get(index).and_then(|value| value.tensor().ok());
    if PRODUCTS.contains(&name)
        && (0..2).all(|index| tensor(index).is_some_and(|one| one.element_type() == BF16))
        && stream.next_u64().is_multiple_of(2)
    {
        for value in values.iter_mut().take(2) {
            let Value::Tensor(tensor) = value else { continue };
            let normal =
                |part: f64| if part.abs() < f64::from(f32::MIN_POSITIVE) { 0.0 } else { part };
            *tensor = with_parts(tensor, normal);
        }
    }
    let terms = match name {
        "reduce" if combines_exactly(op) => return Ok(values),
        "reduce" => {
            let dimensions = op.sizes("dimensions")?;
            let inputs = given.len() / 2;
            let order = shuffles(stream, tensor(0), &dimensions);
            for value in &mut values[..inputs] {
                reorder(value, &dimensions, &order);
            }
            0
        }
        "dot_general" | "dot" => {
            let (left, right) = contracted(op, given)?;
            let order = shuffles(stream, tensor(0), &left);
            for (value, dimensions) in values.iter_mut().zip([left, right]) {
                reorder(value, &dimensions, &order);
            }
            0
        }
        "reduce_window" | "select_and_scatter" | "scatter" if combines_exactly(op) => {
            return Ok(values);
        }
        "reduce_window" | "select_and_scatter" => {
            op.ints("window_dimensions").unwrap_or_default().iter().product::<i64>() as usize
        }
        "scatter" => tensor(given.len() - 1).map_or(0, Tensor::len),
        "convolution" | "dynamic_conv" | "einsum" | "ragged_dot" => tensor(1).map_or(0, |kernel| {
            kernel.len() / kernel.shape().iter().copied().max().unwrap_or(1).max(1)
        }),
        "batch_norm_training" | "batch_norm_grad" => {
            tensor(0).map_or(0, Tensor::len) / tensor(1).map_or(1, Tensor::len).max(1)
        }
        "batch_norm_inference" => 4,
        "cholesky" | "triangular_solve" => {
            tensor(0).and_then(|matrix| matrix.shape().last().copied()).unwrap_or(0)
        }
        "fft" => 64,
        "power" | "divide" | "multiply" if is_complex(given) => 0,
        _ if SENSITIVE.contains(&name) => 0,
        _ => return Ok(values),
    };
    move_terms(stream, &mut values, terms);
    Ok(values)
}

/// The operands of a reduction of windows of so many elements by `body`, as those of `reduce_window` in [`operands`].
pub fn windowed(stream: &mut RngStream, body: &Block, terms: usize, given: &[Value]) -> Vec<Value> {
    let mut values = given.to_vec();
    if !is_exact(body) {
        move_terms(stream, &mut values, terms);
    }
    values
}

/// Moves the terms of sums of so many.
fn move_terms(stream: &mut RngStream, values: &mut [Value], terms: usize) {
    let units = (1.0 + terms as f64 / 4.0).min(MOST);
    values.iter_mut().for_each(|value| move_elements(stream, value, units, true));
}

/// The results of the noisy operation.
pub fn results(stream: &mut RngStream, op: &Operation, operands: &[Value], values: &mut [Value]) {
    if mnemonic(op) == "fft"
        && let ([Value::Tensor(operand), ..], [Value::Tensor(result)]) = (operands, &mut *values)
    {
        let lengths = op.sizes("fft_length").unwrap_or_default();
        let kind = op.word("fft_type").and_then(FftType::parse);
        let sparse = kind.and_then(|kind| fft::fft_without_zeros(operand, kind, &lengths).ok());
        move_transforms(stream, operand, lengths.len(), result, sparse.as_ref());
    }
    if arguments::dot_algorithm(op).is_ok_and(|it| it.is_some_and(|it| it.accumulation == "f32")) {
        values.iter_mut().for_each(|value| move_in_f32(stream, value));
    }
    if COMPUTED.contains(&mnemonic(op)) || ROUNDED.contains(&mnemonic(op)) {
        values.iter_mut().for_each(|value| sign_nans(stream, value));
    }
    if ROUNDED.contains(&mnemonic(op)) || (op.mnemonic() == "divide" && is_complex(values)) {
        values.iter_mut().for_each(|value| move_elements(stream, value, FUNCTIONS, false));
    }
}

fn mnemonic(op: &Operation) -> &str {
    let name = op.mnemonic();
    name.strip_prefix("broadcast_").unwrap_or(name)
}

fn is_complex(values: &[Value]) -> bool {
    let complex =
        |value: &Value| value.tensor().is_ok_and(|tensor| tensor.element_type().is_complex());
    values.first().is_some_and(complex)
}

/// Whether all regions of `op` choose among elements, or compute with bits.
fn combines_exactly(op: &Operation) -> bool {
    op.regions.iter().all(is_exact)
}

fn is_exact(body: &Block) -> bool {
    body.operations.iter().all(|inner| EXACT.contains(&inner.mnemonic()))
}

fn contracted(op: &Operation, operands: &[Value]) -> Result<(Vec<usize>, Vec<usize>)> {
    if op.mnemonic() == "dot" {
        let rank = arguments::tensor(operands, 0)?.rank();
        return Ok((vec![rank.saturating_sub(1)], vec![0]));
    }
    let dimensions = arguments::dot_dimensions(op)?;
    Ok((dimensions.lhs_contracting, dimensions.rhs_contracting))
}

/// A random order of the indices of each of `dimensions`.
fn shuffles(
    stream: &mut RngStream,
    tensor: Option<&Tensor>,
    dimensions: &[usize],
) -> Vec<Vec<usize>> {
    let size = |dimension: &usize| {
        tensor.and_then(|tensor| tensor.shape().get(*dimension)).copied().unwrap_or(0)
    };
    let mut shuffled = |size: usize| {
        let mut order: Vec<usize> = (0..size).collect();
        for at in (1..size).rev() {
            order.swap(at, (stream.next_u64() % (at as u64 + 1)) as usize);
        }
        order
    };
    dimensions.iter().map(size).map(&mut shuffled).collect()
}

/// Takes the elements along `dimensions` in other orders.
fn reorder(value: &mut Value, dimensions: &[usize], orders: &[Vec<usize>]) {
    let Value::Tensor(tensor) = value else { return };
    let shape = tensor.shape().to_vec();
    let moved = tensor.rearranged(&shape, |position| {
        let mut at = index::unravel(position, &shape);
        for (dimension, order) in dimensions.iter().zip(orders) {
            if let Some(place) = at.get_mut(*dimension) {
                *place = order.get(*place).copied().unwrap_or(*place);
            }
        }
        index::position(&at, &shape)
    });
    *tensor = moved;
}

/// Moves the elements of each transform of the last `rank` dimensions by units of its largest one, since small elements result
/// from cancellation. If terms are not finite, or partial sums may overflow, each part may be infinite or NaN: which products
/// with infinity are formed at all, and which partial sums, is left open. `sparse` is the result without products with zero.
fn move_transforms(
    stream: &mut RngStream,
    operand: &Tensor,
    rank: usize,
    result: &mut Tensor,
    sparse: Option<&Tensor>,
) {
    let ty = result.element_type();
    let (ElementType::Float(format) | ElementType::Complex(format)) = ty else { return };
    let count: usize = operand.shape().iter().rev().skip(rank).product();
    let (terms, size) = (operand.len() / count.max(1), result.len() / count.max(1));
    let per_element = if ty.is_complex() { 2 } else { 1 };
    let parts = |element: Element| match element {
        Element::Float(number) => [number, 0.0],
        Element::Complex(number) => [number.re, number.im],
        _ => [0.0, 0.0],
    };
    let magnitude = |tensor: &Tensor, range: std::ops::Range<usize>, fold: fn(f64, f64) -> f64| {
        range.flat_map(|at| parts(tensor.get(at))).map(f64::abs).fold(0.0, fold)
    };
    let blocks: Vec<(bool, bool, f64)> = (0..count)
        .map(|block| {
            // Of half a spectrum nearly all elements are added twice.
            let sum = 2.0 * magnitude(operand, block * terms..(block + 1) * terms, |a, b| a + b);
            let is_open = sum.is_nan() || sum >= format.max_finite();
            let own = block * size..(block + 1) * size;
            let is_finite =
                own.clone().all(|at| parts(result.get(at)).iter().all(|it| it.is_finite()));
            let overflows = is_open && (!is_finite || stream.next_u64().is_multiple_of(2));
            // Of a result that is not finite, the terms show what its parts are rounded to.
            let largest = match is_open {
                true => {
                    let terms = block * terms..(block + 1) * terms;
                    let sum =
                        magnitude(operand, terms, |a, b| if b.is_finite() { a + b } else { a });
                    sum.min(format.max_finite())
                }
                false => magnitude(result, own, f64::max),
            };
            (is_open, overflows, largest)
        })
        .collect();
    let sparse: Vec<f64> = sparse.map_or_else(Vec::new, |sparse| {
        let all = sparse.elements().into_iter();
        all.flat_map(|element| parts(element).into_iter().take(per_element)).collect()
    });
    let unit = FUNCTIONS * 0.5f64.powi(format.mantissa_bits() as i32);
    let mut position = 0;
    *result = with_parts(result, |part| {
        let (is_open, overflows, largest) = blocks[position / (per_element * size)];
        // What is left of a sum without the products that are NaN.
        let left = match part.is_finite() {
            true => Some(part),
            false => sparse.get(position).copied().filter(|it| it.is_finite()),
        };
        position += 1;
        let by = 2.0 * stream.next_unit() - 1.0;
        let next = part + by * largest * unit;
        match () {
            () if overflows && left.is_some() && by.abs() < 0.5 => {
                left.unwrap_or(part) + 2.0 * by * largest * unit
            }
            () if overflows && by > 0.5 => f64::NAN,
            () if overflows => f64::INFINITY.copysign(by),
            () if is_open || format.round(next).is_finite() => next,
            () => part,
        }
    });
}

/// Gives NaNs any sign: all the same one, as a processor does, or each its own.
fn sign_nans(stream: &mut RngStream, value: &mut Value) {
    let Value::Tensor(tensor) = value else { return };
    let ElementType::Float(_) = tensor.element_type() else { return };
    // Of many NaNs in a row signs of their own are almost never all equal, and the row's order is that of one sign.
    let common = match stream.next_u64() % 4 {
        0 => Some(1.0),
        1 => Some(-1.0),
        _ => None,
    };
    *tensor = with_parts(tensor, |part| match common {
        Some(sign) if part.is_nan() => part.copysign(sign),
        None if part.is_nan() && stream.next_u64().is_multiple_of(2) => -part,
        _ => part,
    });
}

/// The tensor with every number, of complex ones both parts, changed.
fn with_parts(tensor: &Tensor, mut change: impl FnMut(f64) -> f64) -> Tensor {
    let changed = Tensor::from_fn(tensor.shape(), tensor.element_type(), |position| {
        match tensor.get(position) {
            Element::Float(number) => Element::Float(change(number)),
            Element::Complex(number) => {
                Element::Complex(Complex64::new(change(number.re), change(number.im)))
            }
            other => other,
        }
    });
    changed.with_quantization(tensor.quantization().cloned())
}

/// Moves elements of wider types by units of `f32`.
fn move_in_f32(stream: &mut RngStream, value: &mut Value) {
    let Value::Tensor(tensor) = value else { return };
    let ty = tensor.element_type();
    if ty == F64 {
        let mut narrow = Value::Tensor(convert::convert(tensor, F32));
        move_elements(stream, &mut narrow, 1.0, true);
        if let Value::Tensor(moved) = narrow {
            *tensor = convert::convert(&moved, ty);
        }
    }
}

/// Moves floating-point elements by at most `units` in the last place; whole numbers only if `all` move.
fn move_elements(stream: &mut RngStream, value: &mut Value, units: f64, all: bool) {
    let Value::Tensor(tensor) = value else { return };
    let ty = tensor.element_type();
    let (ElementType::Float(format) | ElementType::Complex(format)) = ty else { return };
    let units = if format.bits() < 32 { units.min(1.0) } else { units };
    let step = units * 0.5f64.powi(format.mantissa_bits() as i32);
    let mut moved = |number: f64| {
        let by = 2.0 * stream.next_unit() - 1.0;
        let stays = !number.is_finite() || (!all && number == number.round());
        let next = number + number * by * step;
        // The largest numbers do not overflow by themselves.
        if stays || !format.round(next).is_finite() { number } else { next }
    };
    *tensor = with_parts(tensor, &mut moved);
}
