//! Sizes as expressions of dimension variables, in a normal form: equal expressions are equal sizes.
//!
//! An expression is a polynomial of variables and of functions of expressions: `floor(p / q)`, `p mod q`, `max`,
//! `min`, the sign.

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

/// A polynomial: the coefficient of each product of atoms, which are sorted; never 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct DimExpr(BTreeMap<Vec<DimFactor>, i64>);

/// More terms than this are not kept: sizes of programs have a handful.
const MOST_TERMS: usize = 64;

impl DimExpr {
    /// A known size.
    pub fn constant(size: i64) -> Self {
        Self([(Vec::new(), size)].into_iter().filter(|(_, size)| *size != 0).collect())
    }

    /// A variable.
    pub fn variable(variable: Variable) -> Self {
        Self::atom(DimFactor::Variable(variable))
    }

    fn atom(atom: DimFactor) -> Self {
        Self([(vec![atom], 1)].into())
    }

    /// The number, if it is one.
    pub fn as_constant(&self) -> Option<i64> {
        match self.0.iter().next() {
            None => Some(0),
            Some((atoms, size)) => (self.0.len() == 1 && atoms.is_empty()).then_some(*size),
        }
    }

    /// The variable, if it is one.
    pub fn as_variable(&self) -> Option<Variable> {
        match self.as_atom()? {
            DimFactor::Variable(variable) => Some(*variable),
            _ => None,
        }
    }

    fn as_atom(&self) -> Option<&DimFactor> {
        match self.0.iter().next()? {
            (atoms, 1) if self.0.len() == 1 && atoms.len() == 1 => atoms.first(),
            _ => None,
        }
    }

    /// The sum; `None` if a number overflows or the expression is too large.
    pub fn plus(&self, other: &Self) -> Option<Self> {
        let mut terms = self.0.clone();
        for (atoms, factor) in &other.0 {
            let sum = terms.remove(atoms).unwrap_or(0).checked_add(*factor)?;
            if sum != 0 {
                terms.insert(atoms.clone(), sum);
            }
        }
        (terms.len() <= MOST_TERMS).then_some(Self(terms))?.without_multiples()
    }

    /// `q*floor(p / q)` is `p - p mod q`.
    fn without_multiples(mut self) -> Option<Self> {
        let multiple = self.0.iter().find_map(|(atoms, factor)| match atoms.as_slice() {
            [DimFactor::FloorDiv(size, divisor)] => {
                let number = divisor.as_constant().filter(|number| factor % number == 0)?;
                Some((atoms.clone(), size.clone(), divisor.clone(), factor / number))
            }
            _ => None,
        });
        let Some((atoms, size, divisor, times)) = multiple else { return Some(self) };
        self.0.remove(&atoms);
        let rounded = size.minus(&size.modulo(&divisor)?)?;
        self.plus(&rounded.times(&Self::constant(times))?)
    }

    /// The difference.
    pub fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(&other.times(&Self::constant(-1))?)
    }

    /// The product.
    pub fn times(&self, other: &Self) -> Option<Self> {
        let mut product = Self::default();
        for (left, a) in &self.0 {
            for (right, b) in &other.0 {
                let mut atoms = [left.as_slice(), right.as_slice()].concat();
                atoms.sort();
                product = product.plus(&Self([(atoms, a.checked_mul(*b)?)].into()))?;
            }
        }
        Some(product)
    }

    /// The quotient, rounded down, of a positive divisor.
    pub fn floordiv(&self, divisor: &Self) -> Option<Self> {
        match (self.as_constant(), divisor.as_constant()) {
            (Some(size), Some(divisor)) => {
                (divisor > 0).then(|| Self::constant(size.div_euclid(divisor)))
            }
            (_, Some(1)) => Some(self.clone()),
            (_, Some(divisor)) if self.is_multiple(divisor) => Some(Self(
                self.0.iter().map(|(atoms, factor)| (atoms.clone(), factor / divisor)).collect(),
            )),
            _ => Some(Self::atom(DimFactor::FloorDiv(self.clone(), divisor.clone()))),
        }
    }

    /// The remainder of that division.
    pub fn modulo(&self, divisor: &Self) -> Option<Self> {
        match (self.as_constant(), divisor.as_constant()) {
            (Some(size), Some(divisor)) => {
                (divisor > 0).then(|| Self::constant(size.rem_euclid(divisor)))
            }
            (_, Some(divisor)) if divisor == 1 || self.is_multiple(divisor) => {
                Some(Self::constant(0))
            }
            _ => Some(Self::atom(DimFactor::Mod(self.clone(), divisor.clone()))),
        }
    }

    fn is_multiple(&self, divisor: i64) -> bool {
        divisor > 0 && self.0.values().all(|factor| factor % divisor == 0)
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
        atom: fn(Self, Self) -> DimFactor,
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
        Some(Self::atom(atom(low.clone(), high.clone())))
    }

    /// The terms: atoms, and the factor of their product.
    pub fn terms(&self) -> impl Iterator<Item = (&[DimFactor], i64)> {
        self.0.iter().map(|(atoms, factor)| (atoms.as_slice(), *factor))
    }

    /// The sign of a size that may be negative only if `least` says so.
    pub fn sign(&self, least: impl Fn(Variable) -> i64) -> Self {
        match (self.as_constant(), self.lower_bound(&least)) {
            (Some(size), _) => Self::constant(size.signum()),
            (_, Some(1..)) => Self::constant(1),
            _ => Self::atom(DimFactor::Sign(self.clone())),
        }
    }

    /// What this is the sign of.
    pub fn as_sign(&self) -> Option<&Self> {
        match self.as_atom()? {
            DimFactor::Sign(size) => Some(size),
            _ => None,
        }
    }

    /// Dividend and divisor, if this is a remainder.
    pub fn as_modulo(&self) -> Option<(&Self, &Self)> {
        match self.as_atom()? {
            DimFactor::Mod(size, divisor) => Some((size, divisor)),
            _ => None,
        }
    }

    /// Whether it is more than a polynomial of variables.
    pub fn has_functions(&self) -> bool {
        self.0.keys().flatten().any(|atom| !matches!(atom, DimFactor::Variable(_)))
    }

    /// The same without terms that `zero`, one atom that is 0, is a factor of.
    pub fn without(&self, zero: &Self) -> Self {
        let Some(zero) = zero.as_atom() else { return self.clone() };
        let kept = self.0.iter().filter(|(atoms, _)| !atoms.contains(zero));
        Self(kept.map(|(atoms, factor)| (atoms.clone(), *factor)).collect())
    }

    /// Dividend and divisor, if this is a quotient.
    pub fn as_floordiv(&self) -> Option<(&Self, &Self)> {
        match self.as_atom()? {
            DimFactor::FloorDiv(size, divisor) => Some((size, divisor)),
            _ => None,
        }
    }

    /// A number that the expression is never below, where `least` is that of variables; `None` if none is known.
    pub fn lower_bound(&self, least: &impl Fn(Variable) -> i64) -> Option<i64> {
        let mut bound = 0_i64;
        for (atoms, factor) in &self.0 {
            let product = atoms.iter().try_fold(1_i64, |product, atom| {
                let low = atom.lower_bound(least).filter(|low| *low >= 0)?;
                product.checked_mul(low)
            });
            let term = match (atoms.as_slice(), *factor) {
                ([], factor) => factor,
                (_, 1..) => product?.checked_mul(*factor)?,
                // -(x mod q) is at least 1 - q.
                ([DimFactor::Mod(_, divisor)], factor) => {
                    factor.checked_mul(divisor.as_constant()? - 1)?
                }
                _ => return None,
            };
            bound = bound.checked_add(term)?;
        }
        Some(bound)
    }

    /// Numbers that the expression is never below and never above, where `range` is that of variables; `None` if none are known.
    pub fn range(&self, range: &impl Fn(Variable) -> Option<(i64, i64)>) -> Option<(i64, i64)> {
        self.0.iter().try_fold((0_i64, 0_i64), |(low, high), (atoms, factor)| {
            let product = atoms.iter().try_fold((*factor, *factor), |(low, high), atom| {
                let (a, b) = atom.range(range)?;
                let ends = [
                    low.checked_mul(a)?,
                    low.checked_mul(b)?,
                    high.checked_mul(a)?,
                    high.checked_mul(b)?,
                ];
                Some((ends.into_iter().min()?, ends.into_iter().max()?))
            })?;
            Some((low.checked_add(product.0)?, high.checked_add(product.1)?))
        })
    }

    /// The expression whose product with `divisor` this is, if there is one and it is found.
    pub fn quotient(&self, divisor: &Self) -> Option<Self> {
        let (atoms, factor) = divisor.0.iter().next()?;
        if divisor.0.len() == 1 {
            let mut terms = BTreeMap::new();
            for (own, number) in &self.0 {
                let mut left = own.clone();
                for atom in atoms {
                    let at = left.iter().position(|one| one == atom)?;
                    left.remove(at);
                }
                terms.insert(left, (number % factor == 0).then_some(number / factor)?);
            }
            return Some(Self(terms));
        }
        // A multiple by a number or a product of atoms: found from the first terms.
        let (own, number) = self.0.iter().next()?;
        let first = Self([(own.clone(), *number)].into());
        let quotient = first.quotient(&Self([(atoms.clone(), *factor)].into()))?;
        (quotient.times(divisor)? == *self).then_some(quotient)
    }

    /// The value where variables have the given values; `None` if it overflows, divides by zero or a variable has none.
    pub fn value(&self, size: &impl Fn(Variable) -> Option<i64>) -> Option<i64> {
        self.0.iter().try_fold(0_i64, |sum, (atoms, factor)| {
            let term = atoms
                .iter()
                .try_fold(*factor, |product, atom| product.checked_mul(atom.value(size)?))?;
            sum.checked_add(term)
        })
    }

    /// The variables in it.
    pub fn variables(&self) -> BTreeSet<Variable> {
        self.0.keys().flatten().flat_map(DimFactor::variables).collect()
    }

    /// The expression with each variable replaced; `None` if it overflows.
    pub fn replaced(&self, by: &impl Fn(Variable) -> Option<Self>) -> Option<Self> {
        self.0.iter().try_fold(Self::default(), |sum, (atoms, factor)| {
            let term = atoms.iter().try_fold(Self::constant(*factor), |product, atom| {
                product.times(&atom.replaced(by)?)
            })?;
            sum.plus(&term)
        })
    }

    /// The factor of a variable that stands alone in one term and nowhere else.
    pub fn linear_factor(&self, variable: Variable) -> Option<i64> {
        let mut factor = None;
        for (atoms, number) in &self.0 {
            match atoms.as_slice() {
                [DimFactor::Variable(one)] if *one == variable => factor = Some(*number),
                _ if atoms.iter().any(|atom| atom.variables().contains(&variable)) => return None,
                _ => {}
            }
        }
        factor
    }

    /// The expression as text, with these names of variables.
    pub fn text(&self, name: &dyn Fn(Variable) -> String) -> String {
        let mut text = String::new();
        // Numbers last, as in `2*n + 1`.
        for (atoms, factor) in self.0.iter().rev() {
            let mut parts: Vec<String> = Vec::new();
            let size = factor.unsigned_abs();
            if size != 1 || atoms.is_empty() {
                parts.push(size.to_string());
            }
            parts.extend(atoms.iter().map(|atom| atom.text(name)));
            let sign = match (text.is_empty(), *factor < 0) {
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
    fn lower_bound(&self, least: &impl Fn(Variable) -> i64) -> Option<i64> {
        match self {
            Self::Variable(variable) => Some(least(*variable)),
            Self::FloorDiv(size, divisor) => {
                let low = size.lower_bound(least)?;
                divisor
                    .as_constant()
                    .map(|divisor| low.div_euclid(divisor))
                    .or((low >= 0).then_some(0))
            }
            Self::Mod(..) => Some(0),
            Self::Max(a, b) => a.lower_bound(least).max(b.lower_bound(least)),
            Self::Min(a, b) => Some(a.lower_bound(least)?.min(b.lower_bound(least)?)),
            Self::Sign(size) => Some(size.lower_bound(least).map_or(-1, i64::signum)),
        }
    }

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

    fn range(&self, range: &impl Fn(Variable) -> Option<(i64, i64)>) -> Option<(i64, i64)> {
        let of = |size: &DimExpr| size.range(range);
        Some(match self {
            Self::Variable(variable) => range(*variable)?,
            Self::FloorDiv(a, b) => {
                let ((low, high), (least, most)) = (of(a)?, of(b)?);
                (least > 0).then_some(())?;
                let ends = [low, high].map(|end| [end.div_euclid(least), end.div_euclid(most)]);
                let ends = ends.concat();
                (ends.iter().copied().min()?, ends.into_iter().max()?)
            }
            Self::Mod(a, b) => {
                let ((low, high), (least, most)) = (of(a)?, of(b)?);
                (least > 0).then_some(())?;
                (0, if low >= 0 { high.min(most - 1) } else { most - 1 })
            }
            Self::Max(a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                (a.0.max(b.0), a.1.max(b.1))
            }
            Self::Min(a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                (a.0.min(b.0), a.1.min(b.1))
            }
            Self::Sign(a) => {
                let (low, high) = of(a)?;
                (low.signum(), high.signum())
            }
        })
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
            Self::Sign(a) => Some(DimExpr::atom(Self::Sign(a.replaced(by)?))),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn d(input: usize) -> DimExpr {
        DimExpr::variable(Variable::Dimension(input, 0))
    }

    #[test]
    fn equal_sizes_are_equal_expressions() {
        let (a, b) = (d(0), d(1));
        let left = a.plus(&b).unwrap().times(&a.minus(&b).unwrap()).unwrap();
        let right = a.times(&a).unwrap().minus(&b.times(&b).unwrap()).unwrap();
        assert_eq!(left, right);
        assert_eq!(a.minus(&a).unwrap().as_constant(), Some(0));
        let six = a.times(&DimExpr::constant(6)).unwrap();
        assert_eq!(
            six.floordiv(&DimExpr::constant(2)).unwrap(),
            a.times(&DimExpr::constant(3)).unwrap()
        );
        assert_eq!(six.modulo(&DimExpr::constant(3)).unwrap().as_constant(), Some(0));
        assert_eq!(
            a.maximum(&a.plus(&DimExpr::constant(1)).unwrap()).unwrap().to_string(),
            "d0.0 + 1"
        );
    }

    #[test]
    fn values_overflow_to_nothing() {
        let square = d(0).times(&d(0)).unwrap();
        assert_eq!(square.value(&|_| Some(5)), Some(25));
        assert_eq!(square.value(&|_| Some(1 << 40)), None);
        assert_eq!(square.value(&|_| None), None);
        let quotient = d(0).floordiv(&d(1)).unwrap();
        let of = |variable| Some(if variable == Variable::Dimension(0, 0) { 7 } else { 0 });
        assert_eq!(quotient.value(&of), None);
        assert_eq!(DimExpr::constant(i64::MAX).plus(&DimExpr::constant(1)), None);
    }

    #[test]
    fn bounds_are_below() {
        let two = DimExpr::constant(2);
        let half = d(0).floordiv(&two).unwrap();
        assert_eq!(half.lower_bound(&|_| 5), Some(2));
        let rest = DimExpr::constant(3).minus(&d(0).modulo(&two).unwrap()).unwrap();
        assert_eq!(rest.lower_bound(&|_| 0), Some(2));
        assert_eq!(d(0).minus(&d(1)).unwrap().lower_bound(&|_| 0), None);
        assert_eq!(d(0).sign(|_| 1).as_constant(), Some(1));
        assert_eq!(d(0).sign(|_| 0).as_sign(), Some(&d(0)));
    }

    #[test]
    fn text_is_as_programs_write_it() {
        let size = d(0).times(&DimExpr::constant(2)).unwrap().plus(&DimExpr::constant(-1)).unwrap();
        assert_eq!(size.text(&|_| "n".to_owned()), "2*n - 1");
        let size = d(0).floordiv(&DimExpr::constant(4)).unwrap();
        assert_eq!(size.text(&|_| "n".to_owned()), "floordiv(n, 4)");
    }
}
