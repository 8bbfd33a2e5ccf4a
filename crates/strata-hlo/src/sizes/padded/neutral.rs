//! What a reduction may meet in place of elements that are not valid: such an element changes no result, wherever it is met.
//!
//! That a reduction starts with a value does not make it one of these: a sum that starts with 10 must not meet 10 again.
//!
//! | a result | what it may meet |
//! |---|---|
//! | sum, product, exclusive or of its own elements | 0, 1, 0 |
//! | maximum, minimum, and, or of its own elements | its initial value, which it has met before |
//! | results that comparisons select | their initial values, if no three elements show a difference |
//! | an extremum and its place | the initial value at places after the valid ones, as `iota` has them there |
//! | any other | nothing: booleans beside the elements say which are left out |

use strata_ir::{
    AttributeExt as _, Block, Builder, ComparisonDirection as Direction, ComparisonType, Op,
    OpKind, TypeExt as _, Value, f64_type, tensor, wide_float,
};

use super::{
    Padded, Padding,
    compared::{Body, Order, Tried},
    reductions::is_zero,
};
use crate::pattern::{new_splat, splat};

/// No more triples of elements are tried to find out whether a reduction may meet its initial values again.
const MOST_TRIED: usize = 1 << 17;

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
    /// For each result of a reduction an element that it may meet any number of times, or nothing if it may meet those that are
    /// there; `None` if these are not known.
    pub fn neutral(
        &self,
        builder: &Builder<'c>,
        block: Block<'c>,
        (inputs, reduced): (&[Padded<'c>], &[usize]),
        inits: &[Value<'c>],
    ) -> Option<Vec<Option<Value<'c>>>> {
        let types = inputs.iter().zip(inits).zip(block.args());
        let mut types =
            types.map(|((one, init), arg)| (one.value.ty().element(), init.ty(), arg.ty()));
        if !types.all(|(ty, init, arg)| ty == init.element() && ty == arg.element()) {
            return None;
        }
        let own = |(index, init): (usize, &Value<'c>)| {
            self.neutral_of(builder, own_operation(block, index)?, *init).map(Some)
        };
        let each: Option<Vec<_>> = inits.iter().enumerate().map(own).collect();
        let met = inputs.iter().zip(inits).map(|(one, init)| match counts(one, reduced) {
            true => Met::Place(*init),
            false => Met::Initial(*init),
        });
        let met: Vec<_> = met.collect();
        let fill = |one: &Met<'c>| match one {
            Met::Initial(init) => Some(*init),
            Met::Place(_) => None,
        };
        each.or_else(|| stays(block, &met).then(|| met.iter().map(fill).collect())).or_else(|| {
            meets_again(block, inits).then(|| inits.iter().copied().map(Some).collect())
        })
    }

    /// What a reduction by one operation may meet.
    pub fn neutral_of(
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

/// Whether the elements of an operand are their places along the only dimension that is reduced, valid ones first.
fn counts(input: &Padded<'_>, reduced: &[usize]) -> bool {
    let [dim] = *reduced else { return false };
    let iota = input.value.owner().filter(|op| op.kind() == OpKind::Iota);
    let counted = iota.and_then(|op| op.attr("iota_dimension")?.as_i64());
    let extent = &input.dims[dim];
    let largest = match Order::of(input.value.ty().element()) {
        Some(Order::Integers { largest, .. }) => largest,
        _ => return false,
    };
    let fits = extent.bound().is_some_and(|bound| i128::from(bound) <= largest);
    counted == Some(dim as i64) && extent.is_prefix() && fits
}

/// Whether results of a body that only compares and selects stay what they are when they meet their initial values.
fn meets_again(block: Block<'_>, inits: &[Value<'_>]) -> bool {
    let met: Vec<_> = inits.iter().map(|init| Met::Initial(*init)).collect();
    stays(block, &met)
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
        Some(OpKind::Add) => is(*init, 0) || is_zero(*init),
        Some(OpKind::Xor) => is(*init, 0),
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

/// What a reduction by a body that only compares and selects may meet, in each operand.
enum Met<'c> {
    /// Its initial value.
    Initial(Value<'c>),
    /// The number of its place, after those of all valid elements: it has the initial value given here.
    Place(Value<'c>),
}

/// Whether results of a body that only compares and selects stay what they are when they meet elements that are not valid.
///
/// Such a body sees no more of its elements than their order and which are NaN or a zero. So what holds of all accumulators, elements
/// and initial values out of a few numbers that can be in any order holds of all numbers. It is shown by induction: the initial
/// values stay when they meet what is not valid, and if the accumulators stay then, so do those after one more element.
fn stays(block: Block<'_>, met: &[Met<'_>]) -> bool {
    let tried = || -> Option<bool> {
        // Constants and the total order tell more elements apart than are tried.
        let body =
            Body::of(block).filter(|body| body.constants().is_empty() && !body.is_total())?;
        let orders = body.arguments().get(..met.len())?.to_vec();
        let all = |of: fn(Order, &Met<'_>) -> Option<Vec<Tried>>| -> Option<Vec<Vec<Tried>>> {
            let mut tuples = vec![Vec::new()];
            for (order, one) in orders.iter().zip(met) {
                let own = of(*order, one)?;
                let longer = |tuple: &Vec<Tried>| {
                    own.iter().map(|one| [&tuple[..], &[*one]].concat()).collect::<Vec<_>>()
                };
                tuples = tuples.iter().flat_map(longer).collect();
                (tuples.len() <= MOST_TRIED).then_some(())?;
            }
            Some(tuples)
        };
        let (starts, sums, elements) = (all(starts)?, all(sums)?, all(elements)?);
        let places = met.iter().filter(|one| matches!(one, Met::Place(_))).count();
        let count = starts.len().checked_mul(sums.len())?.checked_mul(elements.len())?;
        (count <= MOST_TRIED && places <= 1).then_some(())?;
        let stays = |sum: &[Tried], with: &[Tried]| -> Option<bool> {
            let next = body.returned(&[sum, with].concat())?;
            let same = |((a, b), order): ((&Tried, &Tried), &Order)| order.is_same(*a, *b);
            Some(next.len() == sum.len() && next.iter().zip(sum).zip(&orders).all(same))
        };
        for start in &starts {
            // What is not valid has the place after the valid elements: the first one if there are none.
            let with = |place: i128| -> Vec<Tried> {
                let one = |(one, start): (&Met<'_>, &Tried)| match one {
                    Met::Initial(_) => *start,
                    Met::Place(_) => Tried::Number(place),
                };
                met.iter().zip(start).map(one).collect()
            };
            let (first, later) = (with(FIRST), with(AFTER));
            if !stays(start, &first)? || !stays(start, &later)? {
                return Some(false);
            }
            for sum in &sums {
                if !stays(sum, &later)? {
                    continue;
                }
                for element in &elements {
                    let next = body.returned(&[&sum[..], element].concat())?;
                    if !stays(&next, &later)? {
                        return Some(false);
                    }
                }
            }
        }
        Some(true)
    };
    tried().unwrap_or(false)
}

/// The first place of an element, and one after those of all valid elements that are tried.
const FIRST: i128 = 0;
const AFTER: i128 = 3;

/// Elements of an order of which three can be in any order, and its ends.
fn all_of(order: Order) -> Vec<Tried> {
    match order {
        Order::Truths => order.ends().to_vec(),
        Order::Integers { least, largest, .. } => {
            // A narrow type may not have as many.
            let mut all = vec![least, largest];
            all.extend((1..4).map(|more| (least + more).min(largest)));
            all.sort_unstable();
            all.dedup();
            all.into_iter().map(Tried::Number).collect()
        }
        Order::Floats { infinity, .. } => {
            let some = [infinity + 1, infinity, infinity - 1, infinity - 2, 0];
            let negative = [-1, -infinity, -infinity + 1, -infinity - 1];
            some.into_iter().chain(negative).map(Tried::Number).collect()
        }
    }
}

/// Those that an accumulator may be.
fn sums(order: Order, met: &Met<'_>) -> Option<Vec<Tried>> {
    match met {
        Met::Initial(_) => Some(all_of(order)),
        Met::Place(_) => Some((FIRST - 1..=AFTER + 1).map(Tried::Number).collect()),
    }
}

/// Those that an element may be.
fn elements(order: Order, met: &Met<'_>) -> Option<Vec<Tried>> {
    match met {
        Met::Initial(_) => Some(all_of(order)),
        Met::Place(_) => Some((FIRST..AFTER).map(Tried::Number).collect()),
    }
}

/// Those that an initial value may be.
fn starts(order: Order, met: &Met<'_>) -> Option<Vec<Tried>> {
    let all = sums(order, met)?;
    let (Met::Initial(init) | Met::Place(init)) = met;
    let Some(known) = splat(*init).ok() else { return Some(all) };
    let is_alike = |one: &Tried| -> bool {
        let Tried::Number(place) = *one else {
            return known.as_i64().is_none_or(|known| *one == Tried::Constraint(known != 0));
        };
        match (order, met) {
            (Order::Integers { least, largest, .. }, _) => {
                let Some(known) = known.as_i64() else { return true };
                let known = if least < 0 { i128::from(known) } else { i128::from(known as u64) };
                if matches!(met, Met::Place(_)) {
                    return known.signum() == place.signum();
                }
                let is_end = |place: i128| place == least || place == largest;
                if is_end(known) || is_end(place) { known == place } else { true }
            }
            (Order::Floats { infinity, .. }, _) => {
                let Some(known) = known.as_f64() else { return true };
                let ends = [infinity, -infinity - 1];
                match known {
                    _ if known.is_nan() => place > infinity,
                    _ if known.is_infinite() => place == ends[usize::from(known < 0.0)],
                    _ if known == 0.0 => place == if known.is_sign_negative() { -1 } else { 0 },
                    _ => ![0, -1].contains(&place) && !ends.contains(&place) && place <= infinity,
                }
            }
            (Order::Truths, _) => true,
        }
    };
    Some(all.into_iter().filter(is_alike).collect())
}
