//! What is known of the values of variables, and what follows from it for expressions.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Constraint, DimExpr, DimFactor, Variable, system::System};

/// Numbers that a value is between; `None` on a side without a limit, or with one that does not fit in 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// It is never below.
    pub low: Option<i64>,
    /// It is never above.
    pub high: Option<i64>,
}

impl Interval {
    /// One number.
    pub fn only(number: i64) -> Self {
        Self { low: Some(number), high: Some(number) }
    }
}

/// The values that variables take together: an interval of each, and conditions on them.
///
/// Answers about sums of variables with coefficients, of quotients and remainders of such sums by numbers, and of their minima, maxima
/// and signs are exact. A product of variables, or a quotient by one, is taken as a number of its own between what its interval says:
/// what is said to hold does, but not everything that holds is found.
#[derive(Clone, Debug, Default)]
pub struct Domain {
    intervals: BTreeMap<Variable, Interval>,
    conditions: Vec<Constraint>,
}

/// So many combinations of values are tried before a proof is looked for.
const SAMPLES: usize = 8;

impl Domain {
    /// Sizes of which nothing else is known: 0 or more.
    pub const SIZE: Interval = Interval { low: Some(0), high: None };

    /// Sets the interval of a variable.
    pub fn set(&mut self, variable: Variable, interval: Interval) {
        self.intervals.insert(variable, interval);
    }

    /// The interval of a variable; [`Self::SIZE`] if none was set.
    pub fn interval(&self, variable: Variable) -> Interval {
        self.intervals.get(&variable).copied().unwrap_or(Self::SIZE)
    }

    /// Adds a condition that the values satisfy.
    pub fn assume(&mut self, condition: Constraint) {
        self.conditions.push(condition);
    }

    /// The assumed conditions that depend on some of these variables only.
    pub(crate) fn conditions_on<'d>(
        &'d self,
        variables: &'d BTreeSet<Variable>,
    ) -> impl Iterator<Item = &'d Constraint> {
        self.conditions.iter().filter(|condition| condition.variables().is_subset(variables))
    }

    /// Numbers that an expression is between, by those that its parts are between: it may not reach them.
    pub fn bounds(&self, size: &DimExpr) -> Interval {
        self.wide_bounds(size).interval()
    }

    /// The same of a product of factors.
    pub(crate) fn factor_bounds(&self, factors: &[DimFactor]) -> Interval {
        self.product(factors).interval()
    }

    fn wide_bounds(&self, size: &DimExpr) -> Wide {
        size.terms().fold(Wide::number(0), |sum, (factors, coefficient)| {
            sum.plus(self.product(factors).times(Wide::number(coefficient)))
        })
    }

    fn product(&self, factors: &[DimFactor]) -> Wide {
        factors.iter().fold(Wide::number(1), |all, factor| all.times(self.of_factor(factor)))
    }

    fn of_factor(&self, factor: &DimFactor) -> Wide {
        let of = |size: &DimExpr| self.wide_bounds(size);
        match factor {
            DimFactor::Variable(variable) => Wide::from(self.interval(*variable)),
            DimFactor::FloorDiv(a, b) => of(a).floordiv(of(b)),
            DimFactor::Mod(a, b) => {
                let (a, by) = (of(a), of(b).high);
                let most = if by == Wide::INFINITE { by } else { (by - 1).max(0) };
                Wide { low: 0, high: if a.low >= 0 { a.high.min(most) } else { most } }
            }
            DimFactor::Max(a, b) => {
                let (a, b) = (of(a), of(b));
                Wide { low: a.low.max(b.low), high: a.high.max(b.high) }
            }
            DimFactor::Min(a, b) => {
                let (a, b) = (of(a), of(b));
                Wide { low: a.low.min(b.low), high: a.high.min(b.high) }
            }
            DimFactor::Sign(a) => {
                let a = of(a);
                Wide { low: a.low.signum(), high: a.high.signum() }
            }
        }
    }

    /// Whether an expression is never below a number.
    pub fn is_at_least(&self, size: &DimExpr, least: i64) -> bool {
        let bounds = self.wide_bounds(size);
        if bounds.low >= i128::from(least) {
            return true;
        }
        let is_below = |value: &dyn Fn(Variable) -> Option<i64>| {
            size.value(&value).is_some_and(|size| size < least)
        };
        if bounds.high < i128::from(least) || self.any_sample(&size.variables(), is_below) {
            return false;
        }
        // There are no values with which it is below.
        let below = DimExpr::constant(least).minus(&DimExpr::constant(1));
        let below = below.and_then(|most| most.minus(size));
        below.is_some_and(|below| System::of(self, &below).is_some_and(|one| one.is_empty()))
    }

    /// Whether an expression is always above 0.
    pub fn is_positive(&self, size: &DimExpr) -> bool {
        self.is_at_least(size, 1)
    }

    /// Whether two expressions have the same value for all values of variables.
    pub fn are_equal(&self, left: &DimExpr, right: &DimExpr) -> bool {
        let Some(difference) = left.minus(right) else { return false };
        if let Some(number) = difference.as_constant() {
            return number == 0;
        }
        let differs = |value: &dyn Fn(Variable) -> Option<i64>| {
            difference.value(&value).is_some_and(|size| size != 0)
        };
        !self.any_sample(&difference.variables(), differs)
            && self.is_at_least(&difference, 0)
            && self.is_at_most(&difference, 0)
    }

    /// Whether an expression is never above a number.
    pub fn is_at_most(&self, size: &DimExpr, most: i64) -> bool {
        let negated = size.times(&DimExpr::constant(-1));
        negated.zip(most.checked_neg()).is_some_and(|(size, least)| self.is_at_least(&size, least))
    }

    /// Whether an expression never becomes smaller where a variable becomes larger.
    pub fn is_increasing(&self, size: &DimExpr, variable: Variable) -> bool {
        let one = DimExpr::constant(1);
        let next = size.replaced(&|at| {
            let own = DimExpr::variable(at);
            if at == variable { own.plus(&one) } else { Some(own) }
        });
        let step = next.and_then(|next| next.minus(size));
        step.is_some_and(|step| self.is_at_least(&step, 0))
    }

    /// The largest value of an expression, conditions aside; `None` if it has none. Exact where the answers of the domain are, and
    /// where the expression only grows with its variables.
    pub fn largest(&self, size: &DimExpr) -> Option<i64> {
        let high = self.bounds(size).high?;
        let Some(corner) = size.value(&|at| self.interval(at).high) else { return Some(high) };
        let all = Self { intervals: self.intervals.clone(), conditions: Vec::new() };
        let is_increasing = || size.variables().into_iter().all(|at| all.is_increasing(size, at));
        if corner == high || is_increasing() || all.is_at_most(size, corner) {
            return Some(corner);
        }
        // It is above the first number somewhere, and never above the second one.
        let (mut below, mut most) = (corner, high);
        while most - below > 1 {
            let middle = below + (most - below) / 2;
            match all.is_at_most(size, middle) {
                true => most = middle,
                false => below = middle,
            }
        }
        Some(most)
    }

    /// Whether a test holds for one of some values that the variables can have together.
    fn any_sample(
        &self,
        variables: &BTreeSet<Variable>,
        test: impl Fn(&dyn Fn(Variable) -> Option<i64>) -> bool,
    ) -> bool {
        let conditions: Vec<_> = self.conditions_on(variables).collect();
        (0..SAMPLES).any(|sample| {
            let value = |variable| {
                let at = variables.iter().position(|one| *one == variable)?;
                self.sample(variable, sample, at)
            };
            let is_allowed = |one: &&Constraint| one.holds(&value) == Some(true);
            conditions.iter().all(is_allowed) && test(&value)
        })
    }

    /// A value of a variable: the least ones, the largest ones, and others between.
    fn sample(&self, variable: Variable, sample: usize, at: usize) -> Option<i64> {
        /// Values of a variable without a limit.
        const SPAN: i64 = 97;
        let Interval { low, high } = self.interval(variable);
        let (low, high) = match (low, high) {
            (Some(low), high) => (low, high.unwrap_or(low.checked_add(SPAN)?)),
            (None, high) => (high.unwrap_or(SPAN).checked_sub(SPAN)?, high.unwrap_or(SPAN)),
        };
        let span = high.checked_sub(low).filter(|span| *span >= 0)?;
        let sample = sample as i64;
        match sample {
            0 => Some(low),
            1 => Some(high),
            2 => Some(low + span.min(1)),
            3 => Some(low + span / 2),
            // Steps without a common divisor, different ones for each variable.
            _ => Some(low + (sample - 3) * (5 + 6 * at as i64) % span.saturating_add(1)),
        }
    }
}

/// An interval with numbers of more than 64 bits; [`Wide::INFINITE`] stands for all that are too large.
#[derive(Clone, Copy)]
struct Wide {
    low: i128,
    high: i128,
}

impl Wide {
    const INFINITE: i128 = 1 << 100;

    fn number(number: i64) -> Self {
        Self { low: number.into(), high: number.into() }
    }

    fn clamped(low: i128, high: i128) -> Self {
        let within = |number: i128| number.clamp(-Self::INFINITE, Self::INFINITE);
        Self { low: within(low), high: within(high) }
    }

    fn interval(self) -> Interval {
        let finite = |number: i128| i64::try_from(number).ok();
        Interval { low: finite(self.low), high: finite(self.high) }
    }

    fn plus(self, other: Self) -> Self {
        // An end without a limit stays one.
        let end = |a: i128, b: i128, none: i128| if a == none || b == none { none } else { a + b };
        Self::clamped(
            end(self.low, other.low, -Self::INFINITE),
            end(self.high, other.high, Self::INFINITE),
        )
    }

    fn times(self, other: Self) -> Self {
        let product =
            |a: i128, b: i128| a.checked_mul(b).unwrap_or(Self::INFINITE * a.signum() * b.signum());
        let ends = [
            product(self.low, other.low),
            product(self.low, other.high),
            product(self.high, other.low),
            product(self.high, other.high),
        ];
        Self::clamped(
            ends.into_iter().fold(i128::MAX, i128::min),
            ends.into_iter().fold(i128::MIN, i128::max),
        )
    }

    /// Rounded down; what a divisor that may be 0 gives is not defined.
    fn floordiv(self, by: Self) -> Self {
        let (least, most) = (by.low.max(1), by.high.max(1));
        let quotient = |end: i128, by: i128| match (end.abs(), by) {
            (Self::INFINITE, Self::INFINITE) => end.signum().min(0),
            (Self::INFINITE, _) => end,
            _ => end.div_euclid(by),
        };
        let ends = |end: i128| [quotient(end, least), quotient(end, most)];
        let [a, b] = ends(self.low);
        let [c, d] = ends(self.high);
        Self::clamped(a.min(b), c.max(d))
    }
}

impl From<Interval> for Wide {
    fn from(interval: Interval) -> Self {
        Self {
            low: interval.low.map_or(-Self::INFINITE, i128::from),
            high: interval.high.map_or(Self::INFINITE, i128::from),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim_expr::tests::Numbers;

    fn variable(at: usize) -> DimExpr {
        DimExpr::variable(Variable::Dimension(at, 0))
    }

    fn domain(intervals: [(i64, i64); 2]) -> Domain {
        let mut domain = Domain::default();
        for (at, (low, high)) in intervals.into_iter().enumerate() {
            let interval = Interval { low: Some(low), high: Some(high) };
            domain.set(Variable::Dimension(at, 0), interval);
        }
        domain
    }

    fn values(size: &DimExpr, [of_n, of_m]: [(i64, i64); 2]) -> Vec<i64> {
        let at = |n: i64, m: i64| {
            size.value(&|variable| Some(if variable == Variable::Dimension(0, 0) { n } else { m }))
        };
        (of_n.0..=of_n.1)
            .flat_map(|n| (of_m.0..=of_m.1).map(move |m| (n, m)))
            .map(|(n, m)| at(n, m).unwrap())
            .collect()
    }

    #[test]
    fn what_holds_for_all_values_is_found_for_sums_of_quotients() {
        let mut numbers = Numbers(7);
        let (mut equal, mut bounded) = (0, 0);
        for round in 0..600 {
            let intervals = [(0, 9 + round % 7), (round % 3, 6)];
            let domain = domain(intervals);
            let (a, _) = numbers.expression(2, true);
            let (b, _) = numbers.expression(2, true);
            let (left, right) = (values(&a, intervals), values(&b, intervals));
            assert_eq!(domain.are_equal(&a, &b), left == right, "{a} and {b}, {intervals:?}");
            equal += usize::from(a != b && left == right);
            let (least, most) = (*left.iter().min().unwrap(), *left.iter().max().unwrap());
            assert!(domain.is_at_least(&a, least) && !domain.is_at_least(&a, least + 1), "{a}");
            assert!(domain.is_at_most(&a, most) && !domain.is_at_most(&a, most - 1), "{a}");
            assert_eq!(domain.largest(&a), Some(most), "{a}, {intervals:?}");
            bounded += usize::from(domain.bounds(&a).high != Some(most));
        }
        // The cases are not all trivial.
        assert!(equal > 3 && bounded > 30, "{equal} equal, {bounded} bounds");
    }

    #[test]
    fn nothing_wrong_is_said_of_products() {
        let mut numbers = Numbers(3);
        for round in 0..600 {
            let intervals = [(0, 8), (round % 2, 5 + round % 4)];
            let domain = domain(intervals);
            let (a, _) = numbers.expression(2, false);
            let (b, _) = numbers.expression(2, false);
            let (left, right) = (values(&a, intervals), values(&b, intervals));
            assert!(!domain.are_equal(&a, &b) || left == right, "{a} and {b}");
            let (least, most) = (*left.iter().min().unwrap(), *left.iter().max().unwrap());
            let mut unlimited = Domain::default();
            unlimited.set(Variable::Dimension(round as usize % 2, 0), Interval::only(5));
            let some = if round % 2 == 0 { [(5, 5), (0, 40)] } else { [(0, 40), (5, 5)] };
            let few = values(&a, some);
            let all = [(domain.bounds(&a), least, most)].into_iter();
            let ends = (*few.iter().min().unwrap(), *few.iter().max().unwrap());
            for (bounds, least, most) in all.chain([(unlimited.bounds(&a), ends.0, ends.1)]) {
                assert!(bounds.low.is_none_or(|low| low <= least), "{a}: {bounds:?}, {least}");
                assert!(bounds.high.is_none_or(|high| high >= most), "{a}: {bounds:?}, {most}");
            }
            assert!(domain.largest(&a).is_none_or(|largest| largest >= most), "{a}");
            let step = |[n, m]: [i64; 2]| values(&a, [(n, n), (m, m)])[0];
            let grows = (0..8).all(|n| {
                (intervals[1].0..=intervals[1].1).all(|m| step([n, m]) <= step([n + 1, m]))
            });
            assert!(!domain.is_increasing(&a, Variable::Dimension(0, 0)) || grows, "{a}");
        }
    }

    #[test]
    fn bounds_are_of_any_size() {
        let (n, m, number) = (variable(0), variable(1), DimExpr::constant);
        let large = domain([(1, 1 << 31), (1, 1 << 31)]);
        let rounded = n.plus(&n.modulo(&number(8)).unwrap()).unwrap();
        let up = n.plus(&number(7)).unwrap().floordiv(&number(8)).unwrap();
        let padded = up.times(&number(8)).unwrap().minus(&n).unwrap();
        assert_eq!(large.largest(&padded), Some(7));
        assert!(large.is_at_least(&rounded, 2) && !large.is_at_least(&rounded, 3));
        assert_eq!(large.bounds(&n.times(&m).unwrap()).high, Some(1 << 62));
        let cube = n.times(&m).unwrap().times(&n).unwrap();
        assert_eq!(large.bounds(&cube), Interval { low: Some(1), high: None });
        assert_eq!(
            large.bounds(&m.minus(&cube).unwrap()),
            Interval { low: None, high: Some((1 << 31) - 1) }
        );
        assert_eq!(large.largest(&cube), None);
        // (m - 1)*n grows with both.
        let less = n.times(&m).unwrap().minus(&n).unwrap();
        assert_eq!(large.largest(&less), Some(((1 << 31) - 1) << 31));
        assert!(
            Domain::default().is_at_least(&up, 0) && !Domain::default().is_at_most(&up, 1 << 40)
        );
    }

    #[test]
    fn conditions_are_used() {
        let (n, m, number) = (variable(0), variable(1), DimExpr::constant);
        let mut domain = domain([(0, 100), (0, 100)]);
        let rest = n.modulo(&number(2)).unwrap();
        let double = n.floordiv(&number(2)).unwrap().times(&number(2)).unwrap();
        assert!(!domain.are_equal(&double, &n));
        domain.assume(Constraint::Zero(rest));
        assert!(domain.are_equal(&double, &n));
        let room = n.minus(&m).unwrap();
        assert!(!domain.is_at_least(&room, 0));
        domain.assume(Constraint::NotNegative(room.clone()));
        assert!(domain.is_at_least(&room, 0) && !domain.is_at_least(&room, 1));
        // The largest value is that of an object's buffer, whatever it refuses.
        assert_eq!(domain.largest(&m.minus(&n).unwrap()), Some(100));
    }
}
