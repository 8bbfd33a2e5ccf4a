//! Ranges of the indices that an iteration of a loop uses.

use rustc_hash::FxHashMap;
use strata_ir::{AffineExpr, AffineMap, Op, Value, affine, arith, constant_index, scf};

use super::Nest;
use crate::nests::accumulators::is_outside;

/// `trip * index + the sum of factor * value + low … high`, where `index` is the loop's induction variable and the
/// values are loop-invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range<'c> {
    /// The factor of the loop's index.
    pub trip: i64,
    /// The loop-invariant values, in the order of first use, with their factors.
    fixed: Vec<(Value<'c>, i64)>,
    /// The lower end of the range.
    pub low: i64,
    /// The upper end of the range.
    pub high: i64,
}

impl<'c> Range<'c> {
    /// One index.
    pub fn number(value: i64) -> Self {
        Self { trip: 0, fixed: Vec::new(), low: value, high: value }
    }

    /// All indices from `low` to `high`.
    pub fn between(low: i64, high: i64) -> Self {
        Self { trip: 0, fixed: Vec::new(), low, high }
    }

    /// Whether both differ only by constants, in every iteration.
    pub fn moves_with(&self, other: &Self) -> bool {
        let has = |all: &[(Value<'c>, i64)], one| all.contains(one);
        self.trip == other.trip
            && self.fixed.len() == other.fixed.len()
            && self.fixed.iter().all(|one| has(&other.fixed, one))
    }

    /// Whether it is the loop's index plus constants.
    pub fn is_index(&self) -> bool {
        self.trip == 1 && self.fixed.is_empty()
    }

    fn plus(&self, other: &Self) -> Option<Self> {
        let mut fixed = self.fixed.clone();
        for (value, factor) in &other.fixed {
            match fixed.iter_mut().find(|(own, _)| own == value) {
                Some((_, own)) => *own = own.checked_add(*factor)?,
                None => fixed.push((*value, *factor)),
            }
        }
        fixed.retain(|(_, factor)| *factor != 0);
        Some(Self {
            trip: self.trip.checked_add(other.trip)?,
            fixed,
            low: self.low.checked_add(other.low)?,
            high: self.high.checked_add(other.high)?,
        })
    }

    /// The range of every index times `factor`.
    pub fn times(&self, factor: i64) -> Option<Self> {
        let (one, other) = (self.low.checked_mul(factor)?, self.high.checked_mul(factor)?);
        let fixed = self.fixed.iter().map(|(value, own)| Some((*value, own.checked_mul(factor)?)));
        let mut fixed: Vec<_> = fixed.collect::<Option<_>>()?;
        fixed.retain(|(_, factor)| *factor != 0);
        Some(Self {
            trip: self.trip.checked_mul(factor)?,
            fixed,
            low: one.min(other),
            high: one.max(other),
        })
    }

    /// The range of the sums of both.
    pub fn sum(&self, other: &Self) -> Option<Self> {
        self.plus(other)
    }

    /// Extended by `more` elements.
    pub fn extended(&self, more: i64) -> Option<Self> {
        Some(Self { high: self.high.checked_add(more)?, ..self.clone() })
    }

    /// The constant, if it is one.
    fn known(&self) -> Option<i64> {
        (self.is_number() && self.low == self.high).then_some(self.low)
    }

    fn is_number(&self) -> bool {
        self.trip == 0 && self.fixed.is_empty()
    }

    /// The quotients by `divisor`, rounded down.
    fn divided(&self, divisor: i64) -> Option<Self> {
        let divides = |factor: i64| factor % divisor == 0;
        if divisor <= 0 || !divides(self.trip) || !self.fixed.iter().all(|(_, one)| divides(*one)) {
            return None;
        }
        let fixed = self.fixed.iter().map(|(value, one)| (*value, one / divisor)).collect();
        let (low, high) = (self.low.div_euclid(divisor), self.high.div_euclid(divisor));
        Some(Self { trip: self.trip / divisor, fixed, low, high })
    }
}

/// The ranges of the values in a loop.
pub struct Ranges<'c> {
    nest: Op<'c>,
    known: FxHashMap<Value<'c>, Option<Range<'c>>>,
}

impl<'c> Ranges<'c> {
    /// Of the values in the loop `nest`.
    pub fn new(nest: Op<'c>) -> Self {
        Self { nest, known: FxHashMap::default() }
    }

    /// The range of `value`, an index, in an iteration; `None` if unknown.
    pub fn of(&mut self, value: Value<'c>) -> Option<Range<'c>> {
        if let Some(known) = self.known.get(&value) {
            return known.clone();
        }
        let found = self.find(value);
        self.known.insert(value, found.clone());
        found
    }

    fn find(&mut self, value: Value<'c>) -> Option<Range<'c>> {
        if let Some(number) = constant_index(value) {
            return Some(Range::number(number));
        }
        if is_outside(value, self.nest) {
            return Some(Range { fixed: vec![(value, 1)], ..Range::number(0) });
        }
        if let Some((block, position)) = value.block_arg() {
            let parent = block.parent_op()?;
            return match position {
                0 if parent == self.nest => Some(Range { trip: 1, ..Range::number(0) }),
                0 => self.index_of(parent),
                _ => None,
            };
        }
        let op = value.owner()?;
        match op.name() {
            arith::ADDI => self.of(op.operand(0))?.plus(&self.of(op.operand(1))?),
            arith::SUBI => self.of(op.operand(0))?.plus(&self.of(op.operand(1))?.times(-1)?),
            arith::MULI => {
                let (one, other) = (self.of(op.operand(0))?, self.of(op.operand(1))?);
                match (one.known(), other.known()) {
                    (_, Some(factor)) => one.times(factor),
                    (Some(factor), _) => other.times(factor),
                    _ => None,
                }
            }
            affine::APPLY => {
                let map = op.attr("map").and_then(AffineMap::of)?;
                let [result] = &map.results[..] else { return None };
                self.computed(result, map.dims, &op.operands())
            }
            _ => None,
        }
    }

    /// The range of an affine expression of `operands`, dimensions before symbols.
    pub fn computed(
        &mut self,
        expr: &AffineExpr,
        dims: usize,
        operands: &[Value<'c>],
    ) -> Option<Range<'c>> {
        let mut of = |expr: &AffineExpr| self.computed(expr, dims, operands);
        match expr {
            AffineExpr::Dim(at) => self.of(*operands.get(*at)?),
            AffineExpr::Symbol(at) => self.of(*operands.get(dims + at)?),
            AffineExpr::Constant(number) => Some(Range::number(*number)),
            AffineExpr::Add(left, right) => of(left)?.plus(&of(right)?),
            AffineExpr::Mul(left, right) => {
                let (left, factor) = (of(left)?, of(right)?.known()?);
                left.times(factor)
            }
            AffineExpr::FloorDiv(left, right) => {
                let (left, divisor) = (of(left)?, of(right)?.known()?);
                if self.is_below(&left, divisor) {
                    return Some(Range::number(0));
                }
                left.divided(divisor)
            }
            AffineExpr::CeilDiv(left, right) => {
                let (left, divisor) = (of(left)?, of(right)?.known()?);
                left.plus(&Range::number(divisor.checked_sub(1)?))?.divided(divisor)
            }
            AffineExpr::Mod(left, right) => {
                let (left, divisor) = (of(left), of(right)?.known().filter(|one| *one > 0)?);
                let own = left.filter(|left| self.is_below(left, divisor));
                Some(own.unwrap_or_else(|| Range::between(0, divisor - 1)))
            }
        }
    }

    /// Whether a range is from 0 to below `limit` in all iterations: its quotient by that is 0, and its rest itself.
    fn is_below(&self, range: &Range<'c>, limit: i64) -> bool {
        if !range.fixed.is_empty() {
            return false;
        }
        let [first, last] = match (range.trip, Nest::of(self.nest)) {
            (0, _) => [0, 0],
            (_, Some(nest)) => [nest.first, nest.last - 1],
            _ => return false,
        };
        let ends = [first, last].map(|index| range.trip.checked_mul(index));
        ends.iter().all(|at| at.and_then(|at| at.checked_add(range.low)).is_some_and(|at| at >= 0))
            && ends
                .iter()
                .all(|at| at.and_then(|at| at.checked_add(range.high)).is_some_and(|at| at < limit))
    }

    /// The indices of a loop inside of the nest.
    fn index_of(&mut self, op: Op<'c>) -> Option<Range<'c>> {
        let (lows, highs, step) = self.bounds(op)?;
        let pairs = lows.iter().flat_map(|low| highs.iter().map(move |high| (low, high)));
        let (low, high) = pairs.into_iter().find(|(low, high)| high.moves_with(low))?;
        let last = match low.low == low.high && high.low == high.high {
            true => low.low + (high.high - low.low - 1).max(0) / step * step,
            false => high.high - 1,
        };
        Some(Range { high: last.max(low.low), ..low.clone() })
    }

    /// The lower bounds; the upper bounds; the step.
    fn bounds(&mut self, op: Op<'c>) -> Option<(Vec<Range<'c>>, Vec<Range<'c>>, i64)> {
        let some = |found: Vec<Range<'c>>| (!found.is_empty()).then_some(found);
        match op.name() {
            scf::FOR => {
                let step = constant_index(op.operand(2)).filter(|step| *step > 0)?;
                let low = self.of(op.operand(0))?;
                Some((vec![low], some(self.least(op.operand(1)))?, step))
            }
            affine::FOR => {
                let own = op.cast::<affine::For>()?;
                let step = own.step().filter(|step| *step > 0)?;
                let mut side = |map: AffineMap, operands: &[Value<'c>]| {
                    let results = map.results.iter();
                    some(results.filter_map(|one| self.computed(one, map.dims, operands)).collect())
                };
                let lows = side(own.lower_bound_map()?, &own.lower_bound_operands())?;
                let highs = side(own.upper_bound_map()?, &own.upper_bound_operands())?;
                Some((lows, highs, step))
            }
            _ => None,
        }
    }

    /// Ranges that contain `value`.
    fn least(&mut self, value: Value<'c>) -> Vec<Range<'c>> {
        match value.owner() {
            Some(op) if op.is(affine::MIN) => {
                let Some(map) = op.attr("map").and_then(AffineMap::of) else { return Vec::new() };
                let results = map.results.iter();
                results.filter_map(|one| self.computed(one, map.dims, &op.operands())).collect()
            }
            Some(op) if op.is(arith::MINSI) => {
                op.operands().into_iter().flat_map(|one| self.least(one)).collect()
            }
            _ => self.of(value).into_iter().collect(),
        }
    }
}
