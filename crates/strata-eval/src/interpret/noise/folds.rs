//! Sums and products that are formed in `f64`, at random: where terms of a narrower type, or of another order, overflow, these do not.

use super::{mnemonic, narrowed, wide_type, with_parts};
use crate::{
    convert,
    element::{Element, F64},
    error::Result,
    fold::Order,
    interpret::{Value, arguments},
    program::Operation,
    reduce,
    rng::RngStream,
    tensor::Tensor,
    window,
};

/// A reduction, of windows or not, by one addition or multiplication in `f64`, chosen at random.
pub fn reduced(stream: &mut RngStream, op: &Operation, given: &[Value]) -> Option<Vec<Value>> {
    match mnemonic(op) {
        "reduce" => {
            let dimensions = op.sizes("dimensions").ok()?;
            in_wide(stream, op, given, false, &mut |input, init, call| {
                reduce::reduce(input, init, &dimensions, &[F64], Order::Given, call)
            })
        }
        "reduce_window" => {
            let rank = given.first()?.tensor().ok()?.rank();
            let window = arguments::window(op, rank).ok()?;
            in_wide(stream, op, given, true, &mut |input, init, call| {
                window::reduce_window(input, init, &window, &[F64], Order::Given, call)
            })
        }
        _ => None,
    }
}

/// A fold in `f64` of one tensor from one initial value.
type Folding<'a> =
    dyn FnMut(&[Tensor], &[Tensor], &mut reduce::Body<'_>) -> Result<Vec<Tensor>> + 'a;

/// Half of the folds by one addition or multiplication. Of `f64`, sums whose order is fixed are scaled if they may overflow.
fn in_wide(
    stream: &mut RngStream,
    op: &Operation,
    given: &[Value],
    is_fixed: bool,
    fold: &mut Folding<'_>,
) -> Option<Vec<Value>> {
    if given.len() != 2 || stream.next_u64().is_multiple_of(2) {
        return None;
    }
    let [inner] = &op.regions.first()?.operations[..] else { return None };
    let adds = match inner.mnemonic() {
        "add" => true,
        "multiply" => false,
        _ => return None,
    };
    let (input, init) = (given[0].tensor().ok()?, given[1].tensor().ok()?);
    let is_widest = input.element_type() == F64;
    (is_widest && is_fixed && adds || wide_type(input.element_type()) == Some(F64)).then_some(())?;
    let is_large = |tensor: &Tensor| (0..tensor.len()).any(|at| is_large(tensor.get(at)));
    if is_widest && !is_large(input) && !is_large(init) {
        return None;
    }
    let scale = if is_widest { SUMS } else { 1.0 };
    let scaled = |tensor: &Tensor, scale: f64| {
        with_parts(&convert::convert(tensor, F64), |number| number * scale)
    };
    let mut call = |arguments: &[Element]| match arguments {
        [Element::Float(a), Element::Float(b)] => {
            Ok(vec![Element::Float(if adds { a + b } else { a * b })])
        }
        other => Ok(other[..1].to_vec()),
    };
    let sums = fold(&[scaled(input, scale)], &[scaled(init, scale)], &mut call).ok()?;
    // As for narrower types, what is beyond the range of the type is infinite or NaN.
    let is_nan = is_widest && stream.next_u64().is_multiple_of(2);
    let unscaled = |number: f64| match number * scale.recip() {
        sum if is_nan && number.is_finite() && !sum.is_finite() => f64::NAN,
        sum => sum,
    };
    let sums = sums.iter().map(|sums| Value::Tensor(with_parts(sums, unscaled)));
    narrowed(stream, op, sums.collect())
}

/// What numbers are multiplied by so that no sum of them overflows.
const SUMS: f64 = 1.0 / (1_u64 << 63) as f64;

/// Whether sums of such numbers may overflow, and none of their digits is lost below the normal range.
fn is_large(element: Element) -> bool {
    matches!(element, Element::Float(number) if number.is_finite() && number.abs() > 1e200)
}
