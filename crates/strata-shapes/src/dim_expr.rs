//! Sizes as expressions of dimension variables, in a normal form.
//!
//! An expression is a polynomial of factors: variables, and functions of expressions: `floordiv(p, q)`, `mod(p, q)`, `max`, `min`, the
//! sign. Multiples of the divisor are outside of quotients and remainders, common divisors of dividend and divisor are cancelled, and
//! of the quotient and the remainder of one division only one is left:
//!
//! ```text
//! -floordiv(-n, 2)                   n - floordiv(n, 2)
//! floordiv(n + mod(n, 2), 2)         n - floordiv(n, 2)
//! 2*floordiv(n, 2)                   n - mod(n, 2)
//! floordiv(4*n + 7, 8)               floordiv(n + 1, 2)
//! floordiv(floordiv(n, 2) + 1, 3)    floordiv(n + 2, 6)
//! ```
//!
//! So equal sizes are mostly equal expressions; of those that are not, [`Domain`](crate::Domain) knows.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

/// What a size depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Variable {
    /// A dimension of an input: the input's index and the dimension's.
    Dimension(usize, usize),
    /// The symbol of that index, which dimensions are expressed by.
    Symbol(usize),
}

/// What a polynomial is made of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DimFactor {
    /// A variable.
    Variable(Variable),
    /// The quotient, rounded down; the divisor is positive.
    FloorDiv(DimExpr, DimExpr),
    /// The remainder of that division.
    Mod(DimExpr, DimExpr),
    /// The larger one.
    Max(DimExpr, DimExpr),
    /// The smaller one.
    Min(DimExpr, DimExpr),
    /// 1 for a positive number, 0 for zero, -1 for a negative one.
    Sign(DimExpr),
}

/// A polynomial: the coefficient of each product of factors, which are sorted; never 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct DimExpr(BTreeMap<Vec<DimFactor>, i64>);

/// More terms than this are not kept: sizes of programs have a handful.
const MOST_TERMS: usize = 64;

/// A division: dividend and divisor without what is known of the quotient.
///
/// ```text
/// dividend = divisor*whole + common*rest + more,   divisor = common*by,   0 <= more < common
/// ```
struct Division {
    whole: DimExpr,
    /// Without remainders: these are written with quotients.
    rest: DimExpr,
    by: DimExpr,
    common: i64,
    more: i64,
}

impl DimExpr {
    /// A known size.
    pub fn constant(size: i64) -> Self {
        Self([(Vec::new(), size)].into_iter().filter(|(_, size)| *size != 0).collect())
    }

    /// A variable.
    pub fn variable(variable: Variable) -> Self {
        Self::factor(DimFactor::Variable(variable))
    }

    pub(crate) fn factor(factor: DimFactor) -> Self {
        Self([(vec![factor], 1)].into())
    }

    /// The number, if it is one.
    pub fn as_constant(&self) -> Option<i64> {
        match self.0.iter().next() {
            None => Some(0),
            Some((factors, size)) => (self.0.len() == 1 && factors.is_empty()).then_some(*size),
        }
    }

    /// The variable, if it is one.
    pub fn as_variable(&self) -> Option<Variable> {
        match self.as_factor()? {
            DimFactor::Variable(variable) => Some(*variable),
            _ => None,
        }
    }

    fn as_factor(&self) -> Option<&DimFactor> {
        match self.0.iter().next()? {
            (factors, 1) if self.0.len() == 1 && factors.len() == 1 => factors.first(),
            _ => None,
        }
    }

    /// The term without factors.
    pub(crate) fn number(&self) -> i64 {
        self.0.get([].as_slice()).copied().unwrap_or(0)
    }

    /// The sum; `None` if a number overflows or the expression is too large.
    pub fn plus(&self, other: &Self) -> Option<Self> {
        self.joined(other)?.normalized()
    }

    /// The sum of the terms, not in normal form.
    fn joined(&self, other: &Self) -> Option<Self> {
        let mut terms = self.0.clone();
        for (factors, coefficient) in &other.0 {
            let sum = terms.remove(factors).unwrap_or(0).checked_add(*coefficient)?;
            if sum != 0 {
                terms.insert(factors.clone(), sum);
            }
        }
        (terms.len() <= MOST_TERMS).then_some(Self(terms))
    }

    /// With one of quotient and remainder of each division: `q*floordiv(p, q) + mod(p, q)` is `p`, for each factor of both.
    fn normalized(self) -> Option<Self> {
        let related = self.0.iter().find_map(|(factors, coefficient)| {
            factors.iter().enumerate().find_map(|(at, factor)| {
                let DimFactor::FloorDiv(dividend, divisor) = factor else { return None };
                let number = divisor.as_constant()?;
                let mut others = factors.clone();
                others.remove(at);
                let mut beside = others.clone();
                beside.push(DimFactor::Mod(dividend.clone(), divisor.clone()));
                beside.sort();
                let remainders = self.0.get(&beside).copied().unwrap_or(0);
                (coefficient % number == 0 || remainders != 0).then(|| {
                    let quotients = (factors.clone(), *coefficient);
                    let remainders = (beside, remainders);
                    (Self([(others, 1)].into()), dividend.clone(), number, quotients, remainders)
                })
            })
        });
        let Some((others, dividend, number, quotients, remainders)) = related else {
            return Some(self);
        };
        let mut kept = self;
        kept.0.remove(&quotients.0);
        kept.0.remove(&remainders.0);
        // All as quotients, or as remainders where they are multiples of the divisor.
        let count = quotients.1.checked_sub(number.checked_mul(remainders.1)?)?;
        let more = if count % number == 0 {
            let remainder =
                [(remainders.0, -(count / number))].into_iter().filter(|(_, of)| *of != 0);
            let times = remainders.1.checked_add(count / number)?;
            others.product(&dividend, times)?.joined(&Self(remainder.collect()))?
        } else {
            others.product(&dividend, remainders.1)?.joined(&Self([(quotients.0, count)].into()))?
        };
        kept.joined(&more)?.normalized()
    }

    /// The difference.
    pub fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(&other.times(&Self::constant(-1))?)
    }

    /// The product.
    pub fn times(&self, other: &Self) -> Option<Self> {
        self.product(other, 1)?.normalized()
    }

    /// The product with a number, not in normal form.
    fn product(&self, other: &Self, number: i64) -> Option<Self> {
        let mut product = Self::default();
        for (left, a) in self.0.iter().filter(|_| number != 0) {
            for (right, b) in &other.0 {
                let mut factors = [left.as_slice(), right.as_slice()].concat();
                factors.sort();
                let coefficient = a.checked_mul(*b)?.checked_mul(number)?;
                product = product.joined(&Self([(factors, coefficient)].into()))?;
            }
        }
        Some(product)
    }

    /// The quotient, rounded down, of a positive divisor.
    pub fn floordiv(&self, divisor: &Self) -> Option<Self> {
        let Division { whole, rest, by, .. } = self.divided(divisor)?;
        if rest.0.is_empty() {
            return Some(whole);
        }
        let quotient = match by.as_constant() {
            // floordiv(-p, q) is -1 - floordiv(p - 1, q).
            None if rest.is_negated() => {
                let opposite = Self::constant(-1).minus(&rest)?.floordiv(&by)?;
                Self::constant(-1).minus(&opposite)?
            }
            None => Self::factor(DimFactor::FloorDiv(rest, by)),
            Some(number) => match rest.inner_quotient() {
                // floordiv(floordiv(p, a) + r, b) is floordiv(p + a*r, a*b).
                Some((inner, times, others)) => {
                    let dividend = inner.joined(&others.product(&Self::constant(times), 1)?)?;
                    dividend.floordiv(&Self::constant(number.checked_mul(times)?))?
                }
                None => Self::factor(DimFactor::FloorDiv(rest.normalized()?, by)),
            },
        };
        whole.plus(&quotient)
    }

    /// The remainder of that division.
    pub fn modulo(&self, divisor: &Self) -> Option<Self> {
        let Division { rest, by, common, more, .. } = self.divided(divisor)?;
        let remainder = if rest.0.is_empty() {
            rest
        } else if by.as_constant().is_none() && rest.is_negated() {
            // mod(-p, q) is q - 1 - mod(p - 1, q).
            let opposite = Self::constant(-1).minus(&rest)?.modulo(&by)?;
            by.minus(&Self::constant(1))?.minus(&opposite)?
        } else {
            Self::factor(DimFactor::Mod(rest.normalized()?, by))
        };
        remainder.times(&Self::constant(common))?.plus(&Self::constant(more))
    }

    /// Whether the last term is negative.
    fn is_negated(&self) -> bool {
        self.0.values().next_back().is_some_and(|coefficient| *coefficient < 0)
    }

    fn divided(&self, divisor: &Self) -> Option<Division> {
        if let Some(number) = divisor.as_constant() {
            return self.divided_by(number);
        }
        let (mut whole, mut rest) = (Self::default(), self.clone());
        if let Some(quotient) = self.quotient(divisor) {
            (whole, rest) = (quotient, Self::default());
        } else if let (Some((factors, number @ 1..)), 1) =
            (divisor.0.iter().next(), divisor.0.len())
        {
            for (own, coefficient) in &self.0 {
                let times = coefficient.div_euclid(*number);
                if let Some(left) = removed(own, factors).filter(|_| times != 0) {
                    let part = Self([(left, times)].into());
                    rest = rest.minus(&part.times(divisor)?)?;
                    whole = whole.plus(&part)?;
                }
            }
        }
        Some(Division { whole, rest, by: divisor.clone(), common: 1, more: 0 })
    }

    fn divided_by(&self, divisor: i64) -> Option<Division> {
        (divisor > 0).then_some(())?;
        let (mut whole, mut rest) = (BTreeMap::new(), BTreeMap::new());
        for (factors, coefficient) in self.without_remainders()?.0 {
            whole.insert(factors.clone(), coefficient.div_euclid(divisor));
            rest.insert(factors, coefficient.rem_euclid(divisor));
        }
        let number = rest.remove([].as_slice()).unwrap_or(0);
        let common = rest.values().fold(divisor, |common, other| gcd(common, *other));
        let rest = rest.into_iter().map(|(factors, coefficient)| (factors, coefficient / common));
        let rest = rest.chain([(Vec::new(), number / common)]);
        let whole = whole.into_iter();
        Some(Division {
            whole: Self(whole.filter(|(_, coefficient)| *coefficient != 0).collect())
                .normalized()?,
            rest: Self(rest.filter(|(_, coefficient)| *coefficient != 0).collect()),
            by: Self::constant(divisor / common),
            common,
            more: number % common,
        })
    }

    /// The same with `p - q*floordiv(p, q)` for remainders of numbers, not in normal form.
    fn without_remainders(&self) -> Option<Self> {
        let mut all = self.clone();
        loop {
            let remainder = all.0.iter().find_map(|(factors, coefficient)| {
                let of = |factor: &DimFactor| match factor {
                    DimFactor::Mod(dividend, divisor) => {
                        Some((dividend.clone(), divisor.as_constant()?))
                    }
                    _ => None,
                };
                let (at, (dividend, divisor)) =
                    factors.iter().enumerate().find_map(|(at, factor)| Some((at, of(factor)?)))?;
                Some((factors.clone(), *coefficient, at, dividend, divisor))
            });
            let Some((factors, coefficient, at, dividend, divisor)) = remainder else {
                return Some(all);
            };
            all.0.remove(&factors);
            let mut others = factors;
            others.remove(at);
            let quotient = dividend.floordiv(&Self::constant(divisor))?;
            let value = dividend.joined(&quotient.product(&Self::constant(-1), divisor)?)?;
            all = all.joined(&Self([(others, coefficient)].into()).product(&value, 1)?)?;
        }
    }

    /// Dividend and divisor of a quotient that is a term by itself, and the other terms.
    fn inner_quotient(&self) -> Option<(Self, i64, Self)> {
        let (term, dividend, divisor) =
            self.0.iter().find_map(|term| match (term.0.as_slice(), *term.1) {
                ([DimFactor::FloorDiv(dividend, divisor)], 1) => {
                    Some((term.0.clone(), dividend.clone(), divisor.as_constant()?))
                }
                _ => None,
            })?;
        let mut others = self.clone();
        others.0.remove(&term);
        Some((dividend, divisor, others))
    }

    /// The larger one.
    pub fn maximum(&self, other: &Self) -> Option<Self> {
        self.extreme(other, i64::max, DimFactor::Max)
    }

    /// The smaller one.
    pub fn minimum(&self, other: &Self) -> Option<Self> {
        self.extreme(other, i64::min, DimFactor::Min)
    }

    fn extreme(
        &self,
        other: &Self,
        of: fn(i64, i64) -> i64,
        factor: fn(Self, Self) -> DimFactor,
    ) -> Option<Self> {
        // Where the difference is a number, the comparison is decided.
        if let Some(difference) = self.minus(other)?.as_constant() {
            return Some(if of(difference, 0) == difference {
                self.clone()
            } else {
                other.clone()
            });
        }
        let (low, high) = if self <= other { (self, other) } else { (other, self) };
        Some(Self::factor(factor(low.clone(), high.clone())))
    }

    /// The terms: factors, and the coefficient of their product.
    pub fn terms(&self) -> impl Iterator<Item = (&[DimFactor], i64)> {
        self.0.iter().map(|(factors, coefficient)| (factors.as_slice(), *coefficient))
    }

    /// The sign.
    pub fn sign(&self) -> Self {
        match self.as_constant() {
            Some(size) => Self::constant(size.signum()),
            None => Self::factor(DimFactor::Sign(self.clone())),
        }
    }

    /// The same size divided by the largest number that divides all coefficients: it is 0 where this is.
    pub fn primitive(&self) -> Self {
        let common = self.0.values().fold(0, |common, coefficient| gcd(common, *coefficient));
        let terms = self.0.iter();
        Self(terms.map(|(factors, coefficient)| (factors.clone(), coefficient / common)).collect())
    }

    /// What this is the sign of.
    pub fn as_sign(&self) -> Option<&Self> {
        match self.as_factor()? {
            DimFactor::Sign(size) => Some(size),
            _ => None,
        }
    }

    /// Dividend and divisor, if this is a remainder.
    pub fn as_modulo(&self) -> Option<(&Self, &Self)> {
        match self.as_factor()? {
            DimFactor::Mod(size, divisor) => Some((size, divisor)),
            _ => None,
        }
    }

    /// Whether it is more than a polynomial of variables.
    pub fn has_functions(&self) -> bool {
        self.0.keys().flatten().any(|factor| !matches!(factor, DimFactor::Variable(_)))
    }

    /// The same without terms that `zero`, one factor that is 0, is a factor of.
    pub fn without(&self, zero: &Self) -> Self {
        let Some(zero) = zero.as_factor() else { return self.clone() };
        let kept = self.0.iter().filter(|(factors, _)| !factors.contains(zero));
        Self(kept.map(|(factors, coefficient)| (factors.clone(), *coefficient)).collect())
    }

    /// Dividend, divisor and number, if this is the sum of a quotient and a number.
    pub fn as_floordiv(&self) -> Option<(&Self, &Self, i64)> {
        let number = self.number();
        let terms: Vec<_> = self.terms().filter(|(factors, _)| !factors.is_empty()).collect();
        match terms[..] {
            [([DimFactor::FloorDiv(size, divisor)], 1)] => Some((size, divisor, number)),
            _ => None,
        }
    }

    /// The expression whose product with `divisor` this is, if there is one and it is found.
    pub fn quotient(&self, divisor: &Self) -> Option<Self> {
        let (factors, coefficient) = divisor.0.iter().next()?;
        if divisor.0.len() == 1 {
            let mut terms = BTreeMap::new();
            for (own, number) in &self.0 {
                let left = removed(own, factors)?;
                terms.insert(left, (number % coefficient == 0).then_some(number / coefficient)?);
            }
            return Some(Self(terms));
        }
        // A multiple by a number or a product of factors: found from the first terms.
        let (own, number) = self.0.iter().next()?;
        let first = Self([(own.clone(), *number)].into());
        let quotient = first.quotient(&Self([(factors.clone(), *coefficient)].into()))?;
        (quotient.times(divisor)? == *self).then_some(quotient)
    }

    /// The value where variables have the given values; `None` if it overflows, divides by zero or a variable has none.
    pub fn value(&self, size: &impl Fn(Variable) -> Option<i64>) -> Option<i64> {
        self.0.iter().try_fold(0_i64, |sum, (factors, coefficient)| {
            let term = factors.iter().try_fold(*coefficient, |product, factor| {
                product.checked_mul(factor.value(size)?)
            })?;
            sum.checked_add(term)
        })
    }

    /// The variables in it.
    pub fn variables(&self) -> BTreeSet<Variable> {
        self.0.keys().flatten().flat_map(DimFactor::variables).collect()
    }

    /// The expression with each variable replaced; `None` if it overflows.
    pub fn replaced(&self, by: &impl Fn(Variable) -> Option<Self>) -> Option<Self> {
        self.0.iter().try_fold(Self::default(), |sum, (factors, coefficient)| {
            let term =
                factors.iter().try_fold(Self::constant(*coefficient), |product, factor| {
                    product.times(&factor.replaced(by)?)
                })?;
            sum.plus(&term)
        })
    }

    /// The factor of a variable that stands alone in one term and nowhere else.
    pub fn linear_factor(&self, variable: Variable) -> Option<i64> {
        let mut factor = None;
        for (factors, number) in &self.0 {
            match factors.as_slice() {
                [DimFactor::Variable(one)] if *one == variable => factor = Some(*number),
                _ if factors.iter().any(|factor| factor.variables().contains(&variable)) => {
                    return None;
                }
                _ => {}
            }
        }
        factor
    }

    /// The expression as text, with these names of variables.
    pub fn text(&self, name: &dyn Fn(Variable) -> String) -> String {
        let mut text = String::new();
        // Numbers last, as in `2*n + 1`, and what is subtracted after what it is subtracted from.
        let part = |(factors, coefficient): &(&Vec<DimFactor>, &i64)| {
            (factors.is_empty(), **coefficient < 0)
        };
        let mut terms: Vec<_> = self.0.iter().rev().collect();
        terms.sort_by_key(part);
        for (factors, coefficient) in terms {
            let mut parts: Vec<String> = Vec::new();
            let size = coefficient.unsigned_abs();
            if size != 1 || factors.is_empty() {
                parts.push(size.to_string());
            }
            parts.extend(factors.iter().map(|factor| factor.text(name)));
            let sign = match (text.is_empty(), *coefficient < 0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            text = text + sign + &parts.join("*");
        }
        if text.is_empty() { "0".to_owned() } else { text }
    }
}

impl fmt::Display for DimExpr {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&self.text(&|variable| match variable {
            Variable::Dimension(input, dim) => format!("d{input}.{dim}"),
            Variable::Symbol(index) => format!("s{index}"),
        }))
    }
}

impl DimFactor {
    fn value(&self, size: &impl Fn(Variable) -> Option<i64>) -> Option<i64> {
        match self {
            Self::Variable(variable) => size(*variable),
            Self::FloorDiv(a, b) => a.value(size)?.checked_div_euclid(b.value(size)?),
            Self::Mod(a, b) => a.value(size)?.checked_rem_euclid(b.value(size)?),
            Self::Max(a, b) => Some(a.value(size)?.max(b.value(size)?)),
            Self::Min(a, b) => Some(a.value(size)?.min(b.value(size)?)),
            Self::Sign(a) => Some(a.value(size)?.signum()),
        }
    }

    fn operands(&self) -> Vec<&DimExpr> {
        match self {
            Self::Variable(_) => Vec::new(),
            Self::FloorDiv(a, b) | Self::Mod(a, b) | Self::Max(a, b) | Self::Min(a, b) => {
                vec![a, b]
            }
            Self::Sign(a) => vec![a],
        }
    }

    fn variables(&self) -> BTreeSet<Variable> {
        match self {
            Self::Variable(variable) => [*variable].into(),
            _ => self.operands().into_iter().flat_map(DimExpr::variables).collect(),
        }
    }

    fn replaced(&self, by: &impl Fn(Variable) -> Option<DimExpr>) -> Option<DimExpr> {
        match self {
            Self::Variable(variable) => by(*variable),
            Self::FloorDiv(a, b) => a.replaced(by)?.floordiv(&b.replaced(by)?),
            Self::Mod(a, b) => a.replaced(by)?.modulo(&b.replaced(by)?),
            Self::Max(a, b) => a.replaced(by)?.maximum(&b.replaced(by)?),
            Self::Min(a, b) => a.replaced(by)?.minimum(&b.replaced(by)?),
            Self::Sign(a) => Some(DimExpr::factor(Self::Sign(a.replaced(by)?))),
        }
    }

    fn text(&self, name: &dyn Fn(Variable) -> String) -> String {
        let list = |name: &str, a: &DimExpr, b: &DimExpr, text: &dyn Fn(&DimExpr) -> String| {
            format!("{name}({}, {})", text(a), text(b))
        };
        let text = |size: &DimExpr| size.text(name);
        match self {
            Self::Variable(variable) => name(*variable),
            Self::FloorDiv(a, b) => list("floordiv", a, b, &text),
            Self::Mod(a, b) => list("mod", a, b, &text),
            Self::Max(a, b) => list("max", a, b, &text),
            Self::Min(a, b) => list("min", a, b, &text),
            Self::Sign(a) => format!("sign({})", text(a)),
        }
    }
}

/// The factors of a product without those of another; `None` if it lacks one.
fn removed(product: &[DimFactor], others: &[DimFactor]) -> Option<Vec<DimFactor>> {
    let mut left = product.to_vec();
    for factor in others {
        let at = left.iter().position(|one| one == factor)?;
        left.remove(at);
    }
    Some(left)
}

/// The greatest common divisor of the numbers without their signs; 0 of zeros.
pub fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

#[cfg(test)]
pub mod tests;
