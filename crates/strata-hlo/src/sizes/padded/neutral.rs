//! What a reduction may meet in place of elements that are not valid: such an element changes no result, wherever it is met.
//!
//! That a reduction starts with a value does not make it one of these: a sum that starts with 10 must not meet 10 again.
//!
//! | a result | what it may meet |
//! |---|---|
//! | sum, product, exclusive or of its own elements | 0, 1, 0 |
//! | maximum, minimum, and, or of its own elements | its initial value, which it has met before |
//! | results that comparisons select | their initial values, if no three elements show a difference |
//! | any other | nothing: booleans beside the elements say which are left out |

use std::collections::HashMap;

use strata_ir::{
    AttributeExt as _, Block, Builder, ComparisonDirection as Direction, ComparisonType, Op,
    OpKind, Type, TypeExt as _, Value, f64_type, tensor, wide_float,
};

use super::{Padding, reductions::is_zero};
use crate::pattern::{new_splat, splat};

/// No more triples of elements are tried to find out whether a reduction may meet its initial values again.
const MOST_TRIED: usize = 1 << 14;

/// The operation that alone computes a result, of the accumulator and the element of the same number.
pub fn own_operation(block: Block<'_>, index: usize) -> Option<OpKind> {
    let args = block.args();
    let pair = [*args.get(index)?, *args.get(args.len() / 2 + index)?];
    let result = *block.terminator()?.operands().get(index)?;
    let op = result.owner().filter(|op| op.block() == Some(block))?;
    let operands = op.operands();
    (operands == pair || operands == [pair[1], pair[0]]).then(|| op.kind())
}

impl<'c> Padding<'c> {
    /// For each result of a reduction an element that it may meet any number of times; `None` if these are not known.
    pub fn neutral(
        &self,
        builder: &Builder<'c>,
        block: Block<'c>,
        elements: &[Type<'c>],
        inits: &[Value<'c>],
    ) -> Option<Vec<Value<'c>>> {
        let types = elements.iter().zip(inits).zip(block.args());
        let mut types = types.map(|((ty, init), arg)| (*ty, init.ty(), arg.ty()));
        if !types.all(|(ty, init, arg)| ty == init.element() && ty == arg.element()) {
            return None;
        }
        let own = |(index, init): (usize, &Value<'c>)| {
            self.neutral_of(builder, own_operation(block, index)?, *init)
        };
        let each: Option<Vec<_>> = inits.iter().enumerate().map(own).collect();
        each.or_else(|| meets_again(block, inits).then(|| inits.to_vec()))
    }

    /// What a reduction by one operation may meet.
    fn neutral_of(
        &self,
        builder: &Builder<'c>,
        kind: OpKind,
        init: Value<'c>,
    ) -> Option<Value<'c>> {
        let element = init.ty().element();
        let scalar = tensor(&[], element);
        let number = |float: f64, int: i64| match element.is_float_type() {
            true => {
                Some(new_splat(builder, scalar, strata_ir::float(self.context, element, float)))
            }
            false => element.is_int().then(|| self.integers(builder, scalar, int)),
        };
        match kind {
            OpKind::Maximum | OpKind::Minimum | OpKind::And | OpKind::Or => Some(init),
            OpKind::Add if is_zero(init) => Some(init),
            // A type of powers of two has no zero: it is computed in `f64`.
            OpKind::Add if wide_float(self.context, element) == f64_type(self.context) => None,
            OpKind::Add => number(-0.0, 0),
            OpKind::Multiply => number(1.0, 1),
            OpKind::Xor => number(0.0, 0).filter(|_| element.is_int()),
            _ => None,
        }
    }
}

/// Whether a reduction may meet its initial values any number of times more.
pub fn repeats(block: Block<'_>, inits: &[Value<'_>]) -> bool {
    let is = |value: Value<'_>, number: i64| {
        splat(value).is_ok_and(|one| match one.as_f64() {
            Some(float) => float == number as f64,
            None => one.as_i64() == Some(number),
        })
    };
    let own = |(index, init): (usize, &Value<'_>)| match own_operation(block, index) {
        Some(OpKind::Maximum | OpKind::Minimum | OpKind::And | OpKind::Or) => true,
        Some(OpKind::Add | OpKind::Xor) => is(*init, 0),
        Some(OpKind::Multiply) => is(*init, 1),
        _ => false,
    };
    let starts_with_nothing =
        |init: &Value<'_>| splat(*init).is_ok_and(|one| one.as_f64() == Some(f64::NEG_INFINITY));
    inits.iter().enumerate().all(own)
        || adds_exponentials(block).is_some() && inits.iter().all(starts_with_nothing)
        || meets_again(block, inits)
}

/// Whether the body is the logarithm of a sum of exponentials, `max(a, b) + log1p(exp(-|a - b|))`, or `a + b` if the difference
/// is NaN.
fn adds_exponentials<'c>(block: Block<'c>) -> Option<()> {
    let args = block.args();
    let of = |value: Value<'c>, kind| value.owner().filter(|op| op.kind() == kind);
    let [chosen] = block.terminator()?.operands()[..] else { return None };
    let [is_nan, plain, sum] = of(chosen, OpKind::Select)?.operands()[..] else { return None };
    let [most, mut rest] = of(sum, OpKind::Add)?.operands()[..] else { return None };
    for kind in [OpKind::LogPlusOne, OpKind::Exponential, OpKind::Negate, OpKind::Abs] {
        rest = of(rest, kind)?.operand(0);
    }
    let compare = of(is_nan, OpKind::Compare)?;
    let on_both =
        [of(most, OpKind::Maximum)?, of(plain, OpKind::Add)?, of(rest, OpKind::Subtract)?];
    let fits = direction(compare)? == Direction::Ne
        && compare.operands() == [rest, rest]
        && on_both.iter().all(|op| op.operands() == args);
    fits.then_some(())
}

/// The direction of a comparison that is not of the total order.
fn direction(compare: Op<'_>) -> Option<Direction> {
    let order = compare.attr("compare_type").and_then(ComparisonType::from_attribute);
    let direction = compare.attr("comparison_direction").and_then(Direction::from_attribute);
    direction.filter(|_| order != Some(ComparisonType::TotalOrder))
}

/// An element that a body is tried with: a number of any type, or a boolean.
#[derive(Clone, Copy, Debug)]
enum Tried {
    Number(f64),
    Truth(bool),
}

impl Tried {
    fn number(self) -> f64 {
        match self {
            Self::Number(number) => number,
            Self::Truth(truth) => f64::from(u8::from(truth)),
        }
    }

    fn is(self, other: Self) -> bool {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => {
                a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
            }
            (Self::Truth(a), Self::Truth(b)) => a == b,
            _ => false,
        }
    }
}

fn are(left: &[Tried], right: &[Tried]) -> bool {
    left.iter().zip(right).all(|(a, b)| a.is(*b))
}

/// Whether results of a body that only compares and selects stay what they are when they meet the initial values again.
///
/// Such a body sees no more of its elements than their order and which are NaN or a zero. So what holds of all accumulators, elements
/// and initial values out of a few numbers that can be in any order holds of all numbers. It is shown by induction: the initial
/// values stay when they meet themselves, and if the accumulators stay when they meet the initial values, so do those after one
/// more element.
fn meets_again(block: Block<'_>, inits: &[Value<'_>]) -> bool {
    let all = |of: fn(Value<'_>) -> Option<Vec<Tried>>| -> Option<Vec<Vec<Tried>>> {
        let mut tuples = vec![Vec::new()];
        for init in inits {
            let own = of(*init)?;
            let longer = |tuple: &Vec<Tried>| {
                own.iter().map(|one| [&tuple[..], &[*one]].concat()).collect::<Vec<_>>()
            };
            tuples = tuples.iter().flat_map(longer).collect();
            (tuples.len() <= MOST_TRIED).then_some(())?;
        }
        Some(tuples)
    };
    let stays = || -> Option<bool> {
        let (starts, tuples) = (all(first_tried)?, all(tried)?);
        let count = starts.len().checked_mul(tuples.len())?.checked_mul(tuples.len())?;
        (count <= MOST_TRIED).then_some(())?;
        for init in &starts {
            if !are(&computed(block, init, init)?, init) {
                return Some(false);
            }
            for sum in &tuples {
                if !are(&computed(block, sum, init)?, sum) {
                    continue;
                }
                for element in &tuples {
                    let next = computed(block, sum, element)?;
                    if !are(&computed(block, &next, init)?, &next) {
                        return Some(false);
                    }
                }
            }
        }
        Some(true)
    };
    stays().unwrap_or(false)
}

const FLOATS: [f64; 7] = [f64::NAN, -2.0, -1.0, -0.0, 0.0, 1.0, 2.0];

/// Elements of the type of a value of which three can be in any order.
fn tried(value: Value<'_>) -> Option<Vec<Tried>> {
    let element = value.ty().element();
    if element.is_float_type() {
        return Some(FLOATS.map(Tried::Number).to_vec());
    }
    element.is_int().then(|| match element.bit_width() {
        Some(1) => vec![Tried::Truth(false), Tried::Truth(true)],
        _ => [0.0, 1.0, 2.0].map(Tried::Number).to_vec(),
    })
}

/// Those of them that an initial value may be.
fn first_tried(init: Value<'_>) -> Option<Vec<Tried>> {
    let all = tried(init)?;
    let Some(known) = splat(init).ok().and_then(|one| one.as_f64()) else { return Some(all) };
    let is_alike = |one: &Tried| match one.number() {
        number if known.is_nan() || number.is_nan() => known.is_nan() && number.is_nan(),
        number if known == 0.0 => number.to_bits() == known.to_bits(),
        number => number != 0.0,
    };
    Some(all.into_iter().filter(is_alike).collect())
}

/// What a body computes of accumulators and elements; `None` if it does more than to compare and select.
fn computed(block: Block<'_>, sums: &[Tried], elements: &[Tried]) -> Option<Vec<Tried>> {
    let args = block.args().into_iter();
    let mut known: HashMap<Value<'_>, Tried> =
        args.zip(sums.iter().chain(elements).copied()).collect();
    let end = block.terminator()?;
    for op in block.ops().into_iter().filter(|op| *op != end) {
        let operands: Option<Vec<Tried>> =
            op.operands().iter().map(|value| known.get(value).copied()).collect();
        let result = operation(op, &operands?)?;
        known.insert(op.result(0), result);
    }
    end.operands().iter().map(|value| known.get(value).copied()).collect()
}

fn operation(op: Op<'_>, operands: &[Tried]) -> Option<Tried> {
    let extremum = |is_larger: fn(f64, f64) -> bool, a: f64, b: f64, of_zeros: f64| match (a, b) {
        _ if a.is_nan() || b.is_nan() => f64::NAN,
        _ if a == 0.0 && b == 0.0 && a.to_bits() != b.to_bits() => of_zeros,
        _ if is_larger(b, a) => b,
        _ => a,
    };
    match (op.kind(), operands) {
        (OpKind::Compare, [a, b]) => {
            let (a, b) = (a.number(), b.number());
            Some(Tried::Truth(match direction(op)? {
                Direction::Eq => a == b,
                Direction::Ne => a != b,
                Direction::Ge => a >= b,
                Direction::Gt => a > b,
                Direction::Le => a <= b,
                Direction::Lt => a < b,
            }))
        }
        (OpKind::Select, [Tried::Truth(condition), yes, no]) => {
            Some(if *condition { *yes } else { *no })
        }
        (OpKind::Not, [Tried::Truth(a)]) => Some(Tried::Truth(!a)),
        (OpKind::And | OpKind::Minimum, [Tried::Truth(a), Tried::Truth(b)]) => {
            Some(Tried::Truth(*a && *b))
        }
        (OpKind::Or | OpKind::Maximum, [Tried::Truth(a), Tried::Truth(b)]) => {
            Some(Tried::Truth(*a || *b))
        }
        (OpKind::Xor, [Tried::Truth(a), Tried::Truth(b)]) => Some(Tried::Truth(a != b)),
        (OpKind::Maximum, [Tried::Number(a), Tried::Number(b)]) => {
            Some(Tried::Number(extremum(|b, a| b > a, *a, *b, 0.0)))
        }
        (OpKind::Minimum, [Tried::Number(a), Tried::Number(b)]) => {
            Some(Tried::Number(extremum(|b, a| b < a, *a, *b, -0.0)))
        }
        _ => None,
    }
}
