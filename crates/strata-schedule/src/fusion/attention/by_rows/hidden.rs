//! Which keys a mask hides from blocks of rows, and what has to hold for them to be left out.
//!
//! ```text
//! %t = select(%i >= %j, %s, -1e9)             // hidden scores
//! %m = … the maximum of each row of %t …      // without them, if a visible one is larger
//! %e = exp(%t - %m)                           // 0, if it is larger by 128
//! %w = … %e over the sum of each row …        // 0
//! … dots of %w and %v …                       // 0 times %v, which is 0 if %v is finite
//! ```
//! Both conditions are checked in a call; blocks of rows for which they do not hold have all keys.

use std::collections::HashMap;

use strata_ir::{
    AffineExpr, Attribute, AttributeExt as _, Block, ElementType, Op, Type, TypeExt as _, Value,
    arith, linalg, math, narrow,
};
use strata_target::tuning::attention::{KEY_STEPS, MIN_LEFT_OUT, RANGES};

use super::{
    super::{
        coords::{Coords, is_reshape},
        masked::{Masked, Scores, masked},
    },
    find::{ByRows, loops, structured},
};
use crate::structured::Structured;

/// The keys that blocks of rows have.
pub struct Visible<'c> {
    /// What hidden scores are.
    pub hidden: f64,
    /// The maximum of each row: a member.
    pub maximum: Value<'c>,
    /// The maximum of integers in the order of the scores, if it is found by these, and that of hidden ones.
    pub key: Option<(Value<'c>, i64)>,
    /// Floats whose products with 0 have to be 0.
    pub values: Option<Value<'c>>,
    /// Blocks of rows that follow each other, each range with as many keys for all of its blocks.
    pub ranges: Vec<Range>,
}

/// Blocks of rows with as many keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The number of the first block.
    pub first: i64,
    /// The number of keys.
    pub keys: i64,
    /// The first key of each block.
    pub starts: Vec<i64>,
}

impl<'c> Visible<'c> {
    /// The keys that blocks of `rows` rows have; `None` if it does not pay to leave any out, or might change a result.
    pub fn of(found: &ByRows<'c>, home: Block<'c>, rows: i64) -> Option<Self> {
        let step = KEY_STEPS.into_iter().find(|step| found.keys % step == 0)?;
        let axes = found.axes();
        // As coordinates are numbered: what they have all of has no size of its own.
        let extents = [&found.batches[..], &[found.rows, 1, found.keys]].concat();
        let scores = Scores { extents: &extents, row: axes.row, key: axes.key };
        let hides = |op: Op<'c>| -> Option<Masked> {
            let nest = Structured::of_generic(op).filter(|nest| nest.is_parallel())?;
            let loops = loops(&nest, found.members.get(&op)?, axes)?;
            let chosen = op.body(0).terminator()?.operand(0);
            is_narrow_float(chosen).then(|| masked(&scores, (op, &loops), [rows, step]))?
        };
        let mut flow = Flow {
            of: found,
            hides: &hides,
            mask: None,
            has_others: false,
            ty: None,
            maximum: None,
            key: None,
            largest: None,
            states: HashMap::new(),
        };
        for op in home.ops().into_iter().filter(|op| found.members.contains_key(op)) {
            flow.operation(op)?;
        }
        let Masked { visible, value } = flow.mask?;
        let ranges = ranges(&visible, [step, found.keys], found.products)?;
        let values = found.last.0.operand(1 - found.last.1);
        let (maximum, values) = (flow.maximum?, floats(values)?);
        Some(Self { hidden: value, maximum, key: flow.key, values, ranges })
    }

    /// The keys of the range that has most.
    pub fn most_keys(&self) -> i64 {
        self.ranges.iter().map(|range| range.keys).max().unwrap_or(0)
    }
}

/// Ranges of blocks of rows, of which each sees the steps between two numbers, of dots with so many products: as few as leave out most of what
/// could be.
fn ranges(visible: &[[i64; 2]], [step, all]: [i64; 2], products: i64) -> Option<Vec<Range>> {
    let of = |count: usize| -> Vec<Range> {
        let size = visible.len().div_ceil(count);
        let range = |(number, seen): (usize, &[[i64; 2]])| {
            let most = seen.iter().map(|[first, last]| last - first).max().unwrap_or(0);
            let keys = most.max(1) * step;
            let starts = seen.iter().map(|[first, _]| (first * step).min(all - keys)).collect();
            Range { first: (number * size) as i64, keys, starts }
        };
        visible.chunks(size).enumerate().map(range).collect()
    };
    let cost = |ranges: &[Range]| -> i64 {
        ranges.iter().map(|range| range.keys * range.starts.len() as i64).sum()
    };
    let all_keys = all * visible.len() as i64;
    let pays =
        |less: i64, more: i64| less * MIN_LEFT_OUT.1 <= more * (MIN_LEFT_OUT.1 - MIN_LEFT_OUT.0);
    let mut best = of(1);
    for (count, least) in RANGES {
        let next = of(count);
        if products >= least && pays(cost(&next), cost(&best)) {
            best = next;
        }
    }
    pays(cost(&best), all_keys).then_some(best)
}

/// The floats that values are moved or packed from; nothing for integers, `None` where that is not known.
fn floats(values: Value<'_>) -> Option<Option<Value<'_>>> {
    let Some(op) = values.owner() else { return of_type(values) };
    if op.is(narrow::PACK) {
        // Wider ones may be rounded to infinities.
        let is_wide = |value: Value<'_>| value.ty().element().bit_width() > Some(16);
        return floats(op.operand(0)).filter(|found| !found.is_some_and(is_wide));
    }
    let moves = is_reshape(op) || op.is(linalg::TRANSPOSE);
    if moves || copies(op) { floats(op.operand(0)) } else { of_type(values) }
}

fn of_type(values: Value<'_>) -> Option<Option<Value<'_>>> {
    let element = values.ty().element();
    match element.is_float_type() {
        true => Some(Some(values)),
        // Wider ones may be lanes of floats.
        false => (element.is_int() && element.bit_width()? <= 8).then_some(None),
    }
}

/// Whether the operation yields what it reads.
fn copies(op: Op<'_>) -> bool {
    let is_copy = || {
        let body = op.body(0);
        body.terminator().is_some_and(|end| end.operands() == [body.arg(0)])
    };
    op.is(linalg::GENERIC) && op.operand_count() == 2 && is_copy()
}

fn is_narrow_float(value: Value<'_>) -> bool {
    let ty = value.ty();
    ty.is_float_type() && ty.bit_width().is_some_and(|bits| bits <= 32)
}

/// What an element is where its key is hidden; of values of rows, what they are for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The hidden score.
    Masked,
    /// What a reduction has so far.
    Carried,
    /// The maximum of the row.
    Maximum,
    /// An integer that is this where scores are hidden.
    Key(i64),
    /// An integer of the row: the largest key, or computed from it.
    RowKey,
    /// The hidden score less the maximum.
    Below,
    /// 0, and for visible keys the exponentials, of which the largest is 1.
    Power,
    /// The sum of the exponentials of the row.
    Sum,
    /// Its reciprocal.
    Reciprocal,
    /// 0.
    Zero,
}

/// Follows hidden elements from the mask to the last dot.
struct Flow<'a, 'c> {
    of: &'a ByRows<'c>,
    hides: &'a dyn Fn(Op<'c>) -> Option<Masked>,
    mask: Option<Masked>,
    /// Whether hidden scores may also be another number than the mask's, which is the largest of them then.
    has_others: bool,
    /// The type of hidden scores.
    ty: Option<Type<'c>>,
    maximum: Option<Value<'c>>,
    key: Option<(Value<'c>, i64)>,
    /// The hidden key of a reduction whose body is being followed.
    largest: Option<i64>,
    /// Results that depend on hidden scores.
    states: HashMap<Value<'c>, State>,
}

impl<'c> Flow<'_, 'c> {
    /// `None` where what the operation computes for visible keys may depend on hidden ones.
    fn operation(&mut self, op: Op<'c>) -> Option<()> {
        let inputs: Vec<_> =
            op.operands().into_iter().map(|operand| self.states.get(&operand).copied()).collect();
        if op == self.of.last.0 {
            let weights = inputs[self.of.last.1];
            return matches!(weights, Some(State::Power | State::Zero)).then_some(());
        }
        if inputs.iter().all(Option::is_none) {
            if self.mask.is_none() {
                self.mask = (self.hides)(op);
                let masked = self.mask.as_ref().map(|_| (op.result(0), State::Masked));
                self.ty = masked.map(|(value, _)| value.ty().element());
                self.states.extend(masked);
            }
            return Some(());
        }
        let state = if is_reshape(op) || op.is(narrow::PACK) {
            inputs[0]?
        } else {
            let nest = structured(op)?;
            let reduced = nest.reduction.iter().filter(|reduced| **reduced).count();
            // Along keys, and nothing else: hidden elements are at the same keys in all operands.
            let has_key = |coords: &Coords| coords.contains(&AffineExpr::Dim(self.of.axes().key));
            let is_of_keys = !has_key(self.of.members.get(&op)?);
            match reduced {
                0 => {}
                1 if is_of_keys => {}
                _ => return None,
            }
            self.body(&nest, &inputs)?
        };
        if state == State::Maximum && self.maximum.is_none() {
            self.maximum = Some(op.result(0));
        }
        if let Some(hidden) = self.largest.take() {
            (state == State::RowKey && self.key.is_none()).then_some(())?;
            self.key = Some((op.result(0), hidden));
        }
        self.states.insert(op.result(0), state);
        Some(())
    }

    /// What the body of an operation yields.
    fn body(&mut self, nest: &Structured<'c>, inputs: &[Option<State>]) -> Option<State> {
        let body = nest.op.body(0);
        let mut known: HashMap<Value<'c>, State> = HashMap::new();
        for (number, state) in inputs.iter().enumerate() {
            let carried = (number >= nest.inputs && !nest.is_parallel()).then_some(State::Carried);
            known.extend(state.or(carried).map(|state| (body.arg(number), state)));
        }
        for op in body.ops() {
            let operands: Vec<_> =
                op.operands().into_iter().map(|operand| known.get(&operand).copied()).collect();
            if operands.iter().all(Option::is_none) {
                continue;
            }
            if op.is(linalg::YIELD) {
                return operands[0].filter(|state| *state != State::Carried);
            }
            known.insert(op.result(0), self.element(op, &operands)?);
        }
        None
    }

    /// The state of what an operation on elements computes.
    fn element(&mut self, op: Op<'c>, operands: &[Option<State>]) -> Option<State> {
        use State::{Below, Carried, Masked, Maximum, Power, Reciprocal, RowKey, Sum, Zero};
        let is_scale =
            |operand| number(op, operand).is_some_and(|one| one.is_finite() && one != 0.0);
        let is_zero = |operand| number(op, operand) == Some(0.0);
        if op.results().iter().all(|result| result.ty().is_int()) {
            return self.integer(op, operands);
        }
        let ty = op.result_count().checked_sub(1).map(|_| op.result(0).ty());
        Some(match (op.name(), operands) {
            (arith::EXTF, [Some(state)]) => *state,
            // Maxima of numbers of this type.
            (arith::TRUNCF, [Some(Maximum)]) if ty == self.ty => Maximum,
            // Other roundings do not keep by how much a number is below another.
            (arith::TRUNCF, [Some(state)]) if ![Masked, Maximum].contains(state) => *state,
            (arith::MAXIMUMF, [Some(Carried), Some(Masked)] | [Some(Masked), Some(Carried)]) => {
                Maximum
            }
            // Another mask, which may leave hidden ones hidden by its own number.
            (arith::SELECT, [None, Some(Masked), None]) => self.also(number(op, 2)?)?,
            (arith::SELECT, [None, None, Some(Masked)]) => self.also(number(op, 1)?)?,
            (arith::BITCAST, [Some(RowKey)]) if ty == self.ty => Maximum,
            (arith::SUBF, [Some(Masked), Some(Maximum)]) if is_narrow_float(op.result(0)) => Below,
            (math::EXP, [Some(Below)]) => Power,
            (arith::ADDF, [Some(Carried), Some(Power)] | [Some(Power), Some(Carried)]) => Sum,
            (arith::DIVF, [Some(Power), Some(Sum)]) => Zero,
            (arith::DIVF, [None, Some(Sum)]) if is_scale(0) => Reciprocal,
            (arith::MULF, [Some(Power), Some(Reciprocal)] | [Some(Reciprocal), Some(Power)]) => {
                Zero
            }
            (arith::MULF | arith::DIVF, [Some(Zero), None]) if is_scale(1) => Zero,
            (arith::MULF, [None, Some(Zero)]) if is_scale(0) => Zero,
            (arith::SELECT, [None, Some(state @ (Power | Zero)), None]) if is_zero(2) => *state,
            (arith::SELECT, [None, None, Some(state @ (Power | Zero))]) if is_zero(1) => *state,
            _ => return None,
        })
    }

    /// The state of integers in the order of 16-bit floats, as their maxima are found by.
    fn integer(&mut self, op: Op<'c>, operands: &[Option<State>]) -> Option<State> {
        if let (arith::BITCAST, [Some(State::Masked)]) = (op.name(), operands) {
            // Keys need not be in the order of numbers: of several, each had to be checked.
            (!self.has_others).then_some(())?;
            return Some(State::Key(bits(self.mask.as_ref()?.value, self.ty?)?));
        }
        if let (arith::MAXSI, [Some(State::Carried), Some(State::Key(hidden))])
        | (arith::MAXSI, [Some(State::Key(hidden)), Some(State::Carried)]) =
            (op.name(), operands)
        {
            self.largest = Some(*hidden);
            return Some(State::RowKey);
        }
        let is_row = operands.contains(&Some(State::RowKey));
        let mut numbers = Vec::new();
        for (place, state) in operands.iter().enumerate() {
            numbers.push(match state {
                Some(State::Key(number)) if !is_row => *number,
                Some(State::RowKey) => 0,
                None => number_of(op, place)?.as_i64()?,
                _ => return None,
            });
        }
        let [one, other] = numbers[..] else { return None };
        let number = match op.name() {
            arith::ADDI => one + other,
            arith::SUBI => one - other,
            arith::ANDI => one & other,
            arith::XORI => one ^ other,
            arith::SHRSI if (0..16).contains(&other) => one >> other,
            _ => return None,
        };
        Some(if is_row { State::RowKey } else { State::Key(i64::from(number as i16)) })
    }

    /// Hidden scores may be this number.
    fn also(&mut self, number: f64) -> Option<State> {
        let mask = self.mask.as_mut().filter(|_| self.maximum.is_none() && !number.is_nan())?;
        self.has_others |= mask.value != number;
        mask.value = mask.value.max(number);
        Some(State::Masked)
    }
}

/// The constant that an operand is.
fn number(op: Op<'_>, operand: usize) -> Option<f64> {
    number_of(op, operand)?.as_f64()
}

fn number_of(op: Op<'_>, operand: usize) -> Option<Attribute<'_>> {
    let owner = op.operand(operand).owner().filter(|owner| owner.is(arith::CONSTANT))?;
    owner.attr("value")
}

/// The bits of a number of a type of 16 bits, as a signed integer.
fn bits(number: f64, ty: Type<'_>) -> Option<i64> {
    let bits = match ElementType::from_type(ty)? {
        ElementType::BFloat16 => half::bf16::from_f64(number).to_bits(),
        ElementType::Float(16) => half::f16::from_f64(number).to_bits(),
        _ => return None,
    };
    Some(i64::from(bits as i16))
}

#[cfg(test)]
mod tests {
    use super::{Range, ranges};

    /// As many ranges as pay, each with the keys of its largest block.
    #[test]
    fn ranges_have_the_keys_of_their_blocks() {
        let range = |first, keys, starts: &[i64]| Range { first, keys, starts: starts.to_vec() };
        // A causal mask: three quarters of the keys with two ranges, five eighths with four.
        let causal: Vec<_> = (1..=8).map(|last| [0, 2 * last]).collect();
        let four = [(0, 4), (2, 8), (4, 12), (6, 16)];
        let four = four.map(|(first, keys)| range(first, 32 * keys, &[0, 0]));
        assert_eq!(ranges(&causal, [32, 512], 1 << 30).expect("pays"), four);
        // Little work is not worth the code.
        assert_eq!(ranges(&causal, [32, 512], 1), None);
        // A window: one range, whose last block begins earlier.
        let window: Vec<_> = (0..24).map(|first| [first, (first + 2).min(24)]).collect();
        let starts: Vec<_> = (0..24).map(|first| 64 * i64::min(first, 22)).collect();
        assert_eq!(ranges(&window, [64, 1536], 1 << 30), Some(vec![range(0, 128, &starts)]));
        // Nothing is seen: one step, of which a call finds that it does not do.
        assert_eq!(ranges(&[[0, 0]], [16, 64], 1), Some(vec![range(0, 16, &[0])]));
        // One of 20 steps is not worth it.
        assert_eq!(ranges(&[[0, 19], [0, 20]], [16, 320], 1 << 30), None);
        assert_eq!(ranges(&[[0, 19], [1, 20]], [16, 320], 1 << 30), None);
    }
}
