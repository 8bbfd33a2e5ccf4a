//! Pointwise operations on constants.
//!
//! ```text
//! add(dense<[1, 2]>, dense<10>)              → dense<[11, 12]>
//! compare LT, dense<[1, 5]>, dense<3>        → dense<[true, false]>
//! convert(dense<1.5> : bf16) : i32           → dense<1>
//! select(dense<[true, false]>, a, b)         → the elements chosen, of constants
//! ```
//!
//! Splats of any size are one element. Only operations that IEEE 754 defines to the last bit are folded: `exp`, `sin` and the like could differ from
//! the run-time formulas. Integer rules: a quotient by zero has all bits set and the remainder is the dividend; a shift by the width or more shifts
//! everything out.

use strata_ir::{
    AttributeExt as _, ComparisonDirection, ComparisonType, Op, OpKind, TypeExt as _, Value,
};
use strata_rewrite::{Guard as _, Outcome, Pattern as _, Rewriter};
use strata_target::tuning::simplification::MAX_FOLDED_ELEMENTS;

use crate::{
    pattern::{ints, patterns},
    simplification::elements::{Element, Elements, Kind, constant_of},
};

/// Patterns on all operations that are folded.
macro_rules! on_pointwise {
    ($($(#[$doc:meta])* $pattern:ident = $name:literal by $rewrite:ident;)+) => {
        patterns! { $(
            $(#[$doc])*
            $pattern = $name on [
                Abs, Add, And, Ceil, Clamp, Compare, Convert, CountLeadingZeros, Divide, Floor, IsFinite, Maximum,
                Minimum, Multiply, Negate, Not, Or, Popcnt, Remainder, RoundNearestAfz, RoundNearestEven,
                Select, ShiftLeft, ShiftRightArithmetic, ShiftRightLogical, Sign, Sqrt, Subtract, Xor
            ] by $rewrite;
        )+ }
    };
}

on_pointwise! {
    /// Folds a pointwise operation on constants.
    FoldElementwise = "fold-elementwise" by fold;
    /// The same of numbers and lists, as sizes are: integers times scales, as weights are written, are recognised later.
    FoldSizes = "fold-sizes" by fold_sizes;
}

fn fold_sizes<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let is_list = op.result(0).ty().rank().is_some_and(|rank| rank <= 1);
    is_list.or_decline("sizes are numbers and lists")?;
    fold(op, rewriter)
}

fn fold<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let operands = op.operands().into_iter().map(Elements::of).collect::<Outcome<Vec<_>>>()?;
    let elements = computed(op, &operands)?;
    let ty = op.result(0).ty();
    let is_splat = elements.is_splat && ty.element_count() > Some(0);
    let value = constant_of(&rewriter.builder(), ty, &elements.list, is_splat)?;
    rewriter.replace(&[value]);
    Ok(())
}

/// The elements of the result of a pointwise operation on these.
fn computed(op: Op<'_>, operands: &[Elements]) -> Outcome<Elements> {
    let ty = op.result(0).ty();
    let count = ty.element_count().or_decline("the shape is not static")?;
    let result = Kind::of(ty.element()).or_decline("the elements are not real numbers")?;
    let first = operands.first().or_decline("there are no operands")?;
    let is_splat = operands.iter().all(|operand| operand.is_splat);
    (is_splat || count <= MAX_FOLDED_ELEMENTS).or_decline("the result is large")?;
    let rule = Rule::of(op)?;
    let indices = if is_splat { 0..1 } else { 0..count as usize };
    let mut list = Vec::with_capacity(indices.len());
    for index in indices {
        // A scalar operand, as `select` and `clamp` have them, is a splat of its shape.
        let args: Vec<_> = operands
            .iter()
            .map(|operand| operand.at(if operand.list.len() == 1 { 0 } else { index }))
            .collect();
        let value = rule.apply(first.kind, result, &args);
        let value = value.and_then(|value| result.fit(value)).map(|value| rule.without_sign(value));
        list.push(value.or_decline("the operation is not computed on constants")?);
    }
    Ok(Elements { kind: result, list, is_splat })
}

/// The elements of a value that follows from constants and places alone. `left` is how many operations may be looked at.
pub fn known_elements(value: Value<'_>, left: &mut usize) -> Outcome<Elements> {
    if let Ok(elements) = Elements::of(value) {
        return Ok(elements);
    }
    *left = left.checked_sub(1).or_decline("the value is a long computation")?;
    let op = value.owner().or_decline("the value is an argument")?;
    let shape = value.ty().shape().filter(|_| value.ty().has_static_shape());
    let shape = shape.or_decline("the shape is not static")?;
    let count = value.ty().element_count().filter(|count| *count <= MAX_FOLDED_ELEMENTS);
    let count = count.or_decline("the value is large")? as usize;
    let kind = Kind::of(value.ty().element()).or_decline("the elements are not real numbers")?;
    // Of the element at a place in row-major order.
    let along = |at: usize, dim: usize| {
        let inner: i64 = shape[dim + 1..].iter().product();
        at as i64 / inner % shape[dim]
    };
    match op.kind() {
        OpKind::Iota => {
            let dim = op.attr("iota_dimension").and_then(|dim| dim.as_i64());
            let dim = dim.or_decline("there is no such dimension")? as usize;
            let number = |at: usize| match kind.is_float() {
                true => kind.fit(Element::Float(along(at, dim) as f64)),
                false => kind.fit(Element::Int(along(at, dim).into())),
            };
            let list = (0..count).map(number).collect::<Option<Vec<_>>>();
            Ok(Elements { kind, list: list.or_decline("a number does not fit")?, is_splat: false })
        }
        OpKind::Reshape => known_elements(op.operand(0), left),
        OpKind::BroadcastInDim => {
            let elements = known_elements(op.operand(0), left)?;
            if elements.is_splat {
                return Ok(elements);
            }
            let dims = ints(op, "broadcast_dimensions")?;
            let from = op.operand(0).ty().shape().or_decline("the shape is not static")?;
            let place = |at: usize| {
                dims.iter().zip(&from).fold(0, |place, (dim, size)| {
                    place * size + if *size == 1 { 0 } else { along(at, *dim as usize) }
                })
            };
            let list = (0..count).map(|at| elements.at(place(at) as usize)).collect();
            Ok(Elements { kind, list, is_splat: false })
        }
        OpKind::Reverse => {
            let elements = known_elements(op.operand(0), left)?;
            let dims = ints(op, "dimensions")?;
            let place = |at: usize| {
                (0..shape.len()).fold(0, |place, dim| {
                    let index = along(at, dim);
                    let is_reversed = dims.contains(&(dim as i64));
                    place * shape[dim] + if is_reversed { shape[dim] - 1 - index } else { index }
                })
            };
            if elements.is_splat {
                return Ok(elements);
            }
            let list = (0..count).map(|at| elements.at(place(at) as usize)).collect();
            Ok(Elements { kind, list, is_splat: false })
        }
        _ if FoldElementwise.roots().contains(&op.kind()) => {
            let operands = op.operands().into_iter().map(|value| known_elements(value, left));
            computed(op, &operands.collect::<Outcome<Vec<_>>>()?)
        }
        _ => Err("the value does not follow from constants".into()),
    }
}

/// The operation, with its attributes.
struct Rule {
    kind: OpKind,
    compare: Option<(ComparisonDirection, bool)>,
}

impl Rule {
    fn of(op: Op<'_>) -> Outcome<Self> {
        let kind = op.kind();
        if kind != OpKind::Compare {
            return Ok(Self { kind, compare: None });
        }
        let direction = op.attr("comparison_direction");
        let direction = direction.and_then(ComparisonDirection::from_attribute);
        let order = op.attr("compare_type").and_then(ComparisonType::from_attribute);
        let total = order == Some(ComparisonType::TotalOrder);
        Ok(Self { kind, compare: Some((direction.or_decline("the direction is missing")?, total)) })
    }

    /// A canonical NaN, the same on every host: but where one is passed on, its sign would depend on the processor.
    fn without_sign(&self, value: Element) -> Element {
        match value {
            Element::Float(x)
                if x.is_nan() && !matches!(self.kind, OpKind::Convert | OpKind::Select) =>
            {
                Element::Float(f64::NAN)
            }
            _ => value,
        }
    }

    fn apply(&self, operand: Kind, result: Kind, args: &[Element]) -> Option<Element> {
        use Element::{Bool, Float, Int};
        match (self.kind, args) {
            (OpKind::Compare, [a, b]) => compare(self.compare?, *a, *b).map(Bool),
            (OpKind::Select, [Bool(condition), yes, no]) => {
                Some(if *condition { *yes } else { *no })
            }
            (OpKind::Clamp, [Int(low), Int(x), Int(high)]) => Some(Int(*x.max(low).min(high))),
            (OpKind::Clamp, [Float(low), Float(x), Float(high)]) => {
                Some(Float(minimum(maximum(*x, *low), *high)))
            }
            (OpKind::Convert, [Float(x)]) if x.is_nan() && result.is_float() => {
                Some(Float(f64::NAN.copysign(*x)))
            }
            (OpKind::Convert, [x]) => convert(*x, result),
            (OpKind::IsFinite, [Float(x)]) => Some(Bool(x.is_finite())),
            (kind, [Float(x)]) => unary(kind, *x).map(Float),
            (kind, [Float(x), Float(y)]) => binary(kind, *x, *y).map(Float),
            (kind, [Int(x)]) => unary_int(kind, *x, operand).map(Int),
            (kind, [Int(x), Int(y)]) => binary_int(kind, *x, *y, operand).map(Int),
            (OpKind::Not, [Bool(x)]) => Some(Bool(!x)),
            (OpKind::And | OpKind::Multiply | OpKind::Minimum, [Bool(x), Bool(y)]) => {
                Some(Bool(*x && *y))
            }
            (OpKind::Or | OpKind::Add | OpKind::Maximum, [Bool(x), Bool(y)]) => {
                Some(Bool(*x || *y))
            }
            (OpKind::Xor, [Bool(x), Bool(y)]) => Some(Bool(x != y)),
            _ => None,
        }
    }
}

/// A NaN operand gives NaN; -0 is below 0.
fn maximum(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        f64::NAN
    } else if x == y {
        if x.is_sign_negative() { y } else { x }
    } else {
        x.max(y)
    }
}

fn minimum(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() { f64::NAN } else { -maximum(-x, -y) }
}

fn compare(
    (direction, total): (ComparisonDirection, bool),
    a: Element,
    b: Element,
) -> Option<bool> {
    use std::cmp::Ordering;
    let order = match (a, b) {
        (Element::Bool(a), Element::Bool(b)) => Some(a.cmp(&b)),
        (Element::Int(a), Element::Int(b)) => Some(a.cmp(&b)),
        (Element::Float(a), Element::Float(b)) if total => Some(a.total_cmp(&b)),
        (Element::Float(a), Element::Float(b)) => a.partial_cmp(&b),
        _ => return None,
    };
    Some(match direction {
        ComparisonDirection::Eq => order == Some(Ordering::Equal),
        ComparisonDirection::Ne => order != Some(Ordering::Equal),
        ComparisonDirection::Ge => order.is_some_and(Ordering::is_ge),
        ComparisonDirection::Gt => order.is_some_and(Ordering::is_gt),
        ComparisonDirection::Le => order.is_some_and(Ordering::is_le),
        ComparisonDirection::Lt => order.is_some_and(Ordering::is_lt),
    })
}

/// Out-of-range floats as integers depend on the machine's rules: those are left to it.
fn convert(x: Element, to: Kind) -> Option<Element> {
    Some(match (x, to) {
        (Element::Bool(x), Kind::Bool) => Element::Bool(x),
        (Element::Int(x), Kind::Bool) => Element::Bool(x != 0),
        (Element::Float(x), Kind::Bool) => Element::Bool(x != 0.0),
        (Element::Bool(x), to) if to.is_float() => Element::Float(f64::from(u8::from(x))),
        (Element::Bool(x), _) => Element::Int(i128::from(x)),
        // Rounded once only where the integer is exact in f64.
        (Element::Int(x), to) if to.is_float() => {
            let exact = x.unsigned_abs() <= 1 << 53 || to == Kind::F64;
            return exact.then_some(Element::Float(x as f64));
        }
        (Element::Int(x), _) => Element::Int(x),
        (Element::Float(x), to) if to.is_float() => Element::Float(x),
        (Element::Float(x), to) => {
            let whole = Element::Int(x.trunc() as i128);
            return (x.is_finite() && to.fit(whole) == Some(whole)).then_some(whole);
        }
    })
}

fn unary(kind: OpKind, x: f64) -> Option<f64> {
    Some(match kind {
        OpKind::Abs => x.abs(),
        OpKind::Ceil => x.ceil(),
        OpKind::Floor => x.floor(),
        OpKind::Negate => -x,
        OpKind::RoundNearestAfz => x.round(),
        OpKind::RoundNearestEven => x.round_ties_even(),
        OpKind::Sign if x == 0.0 || x.is_nan() => x,
        OpKind::Sign => 1f64.copysign(x),
        OpKind::Sqrt => x.sqrt(),
        _ => return None,
    })
}

fn binary(kind: OpKind, x: f64, y: f64) -> Option<f64> {
    Some(match kind {
        OpKind::Add => x + y,
        OpKind::Divide => x / y,
        OpKind::Maximum => maximum(x, y),
        OpKind::Minimum => minimum(x, y),
        OpKind::Multiply => x * y,
        OpKind::Remainder => x % y,
        OpKind::Subtract => x - y,
        _ => return None,
    })
}

/// The bits of an integer as an unsigned number.
fn pattern(x: i128, kind: Kind) -> i128 {
    x & ((1i128 << kind.bits()) - 1)
}

fn unary_int(kind: OpKind, x: i128, operand: Kind) -> Option<i128> {
    let bits = operand.bits();
    Some(match kind {
        OpKind::Abs => x.abs(),
        OpKind::CountLeadingZeros => i128::from(pattern(x, operand).leading_zeros() - (128 - bits)),
        OpKind::Negate => -x,
        OpKind::Not => !x,
        OpKind::Popcnt => i128::from(pattern(x, operand).count_ones()),
        OpKind::Sign => x.signum(),
        _ => return None,
    })
}

fn binary_int(kind: OpKind, x: i128, y: i128, operand: Kind) -> Option<i128> {
    let bits = i128::from(operand.bits());
    // As an unsigned number, what is negative is too large as well.
    let by = pattern(y, operand);
    let is_out = by >= bits;
    Some(match kind {
        OpKind::Add => x + y,
        OpKind::And => x & y,
        OpKind::Divide if y == 0 => -1,
        OpKind::Divide => x / y,
        OpKind::Maximum => x.max(y),
        OpKind::Minimum => x.min(y),
        // Products of 64-bit numbers fit; the result keeps the low bits.
        OpKind::Multiply => x.wrapping_mul(y),
        OpKind::Or => x | y,
        OpKind::Remainder if y == 0 => x,
        OpKind::Remainder => x % y,
        OpKind::ShiftLeft if is_out => 0,
        OpKind::ShiftLeft => x << by,
        OpKind::ShiftRightLogical if is_out => 0,
        OpKind::ShiftRightLogical => pattern(x, operand) >> by,
        OpKind::ShiftRightArithmetic => {
            let signed = Kind::Signed(operand.bits()).fit(Element::Int(x));
            let Some(Element::Int(signed)) = signed else { return None };
            signed >> by.min(bits - 1)
        }
        OpKind::Subtract => x - y,
        OpKind::Xor => x ^ y,
        _ => return None,
    })
}
