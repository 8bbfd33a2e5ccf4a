//! Conditions on sizes, as programs assert them.

use std::collections::BTreeSet;

use strata_ir::ComparisonDirection;

use crate::{DimExpr, Domain, Variable};

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// It holds, or does not, whatever the sizes.
    Known(bool),
    /// The expression is 0.
    Zero(DimExpr),
    /// It is not 0.
    NotZero(DimExpr),
    /// It is not negative.
    NotNegative(DimExpr),
    /// All of them hold.
    All(Vec<Self>),
}

impl Constraint {
    /// A comparison of values of a domain.
    pub fn compared(
        direction: ComparisonDirection,
        left: &DimExpr,
        right: &DimExpr,
        domain: &Domain,
    ) -> Option<Self> {
        use ComparisonDirection::{Eq, Ge, Gt, Le, Lt, Ne};
        let one = DimExpr::constant(1);
        match direction {
            Eq | Ne => {
                let equal = Self::zero(&left.minus(right)?, domain)?;
                if direction == Eq { Some(equal) } else { equal.opposite() }
            }
            Ge => Some(Self::not_negative(left.minus(right)?, domain)),
            Gt => Some(Self::not_negative(left.minus(right)?.minus(&one)?, domain)),
            Le => Some(Self::not_negative(right.minus(left)?, domain)),
            Lt => Some(Self::not_negative(right.minus(left)?.minus(&one)?, domain)),
        }
    }

    fn zero(size: &DimExpr, domain: &Domain) -> Option<Self> {
        if let Some(size) = size.as_constant() {
            return Some(Self::Known(size == 0));
        }
        let negated = size.times(&DimExpr::constant(-1))?;
        if domain.is_positive(size) || domain.is_positive(&negated) {
            return Some(Self::Known(false));
        }
        if size.has_functions() && domain.are_equal(size, &DimExpr::constant(0)) {
            return Some(Self::Known(true));
        }
        // The sign of what is not negative is 1 unless it is 0.
        let one = DimExpr::constant(1);
        for size in [size, &negated] {
            let sign = size.plus(&one)?;
            let positive = sign.as_sign().filter(|of| domain.is_at_least(of, 0));
            if let Some(of) = positive {
                return Some(Self::NotZero(of.clone()));
            }
        }
        Some(Self::Zero(size.primitive()))
    }

    fn not_negative(size: DimExpr, domain: &Domain) -> Self {
        if domain.is_at_least(&size, 0) {
            Self::Known(true)
        } else if domain.is_at_most(&size, -1) {
            Self::Known(false)
        } else {
            Self::NotNegative(size)
        }
    }

    /// The opposite.
    pub fn opposite(self) -> Option<Self> {
        match self {
            Self::Known(holds) => Some(Self::Known(!holds)),
            Self::Zero(size) => Some(Self::NotZero(size)),
            Self::NotZero(size) => Some(Self::Zero(size)),
            Self::NotNegative(size) => Some(Self::NotNegative(
                size.times(&DimExpr::constant(-1))?.minus(&DimExpr::constant(1))?,
            )),
            Self::All(_) => None,
        }
    }

    /// Whether both hold.
    pub fn and(self, other: Self) -> Self {
        let contradict = |one: &Self, other: &Self| match (one, other) {
            // Zero has no remainder.
            (Self::Zero(size), Self::NotZero(rest)) => {
                rest == size || rest.as_modulo().is_some_and(|(of, _)| of == size)
            }
            _ => false,
        };
        match (self, other) {
            (Self::Known(true), other) | (other, Self::Known(true)) => other,
            (Self::Known(false), _) | (_, Self::Known(false)) => Self::Known(false),
            (one, other) if contradict(&one, &other) || contradict(&other, &one) => {
                Self::Known(false)
            }
            (Self::All(mut list), other) | (other, Self::All(mut list)) => {
                list.push(other);
                Self::All(list)
            }
            (one, other) => Self::All(vec![one, other]),
        }
    }

    /// Whether it holds where variables have these values; `None` if an expression has no value.
    pub fn holds(&self, value: &impl Fn(Variable) -> Option<i64>) -> Option<bool> {
        match self {
            Self::Known(holds) => Some(*holds),
            Self::Zero(size) => Some(size.value(value)? == 0),
            Self::NotZero(size) => Some(size.value(value)? != 0),
            Self::NotNegative(size) => Some(size.value(value)? >= 0),
            Self::All(list) => {
                list.iter().try_fold(true, |all, one| Some(one.holds(value)? && all))
            }
        }
    }

    /// The variables in it.
    pub fn variables(&self) -> BTreeSet<Variable> {
        match self {
            Self::Known(_) => BTreeSet::new(),
            Self::Zero(size) | Self::NotZero(size) | Self::NotNegative(size) => size.variables(),
            Self::All(list) => list.iter().flat_map(Self::variables).collect(),
        }
    }

    /// Whether the other one holds wherever this one does, as far as that is seen: they are equal, or bounds of the same sum.
    pub fn implies(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::NotNegative(one), Self::NotNegative(other)) => {
                other.minus(one).and_then(|more| more.as_constant()) >= Some(0)
            }
            _ => self == other,
        }
    }

    /// The condition with each variable replaced, by expressions of a domain.
    pub fn replaced(
        &self,
        by: &impl Fn(Variable) -> Option<DimExpr>,
        domain: &Domain,
    ) -> Option<Self> {
        match self {
            Self::Known(holds) => Some(Self::Known(*holds)),
            Self::Zero(size) => Self::zero(&size.replaced(by)?, domain),
            Self::NotZero(size) => Self::zero(&size.replaced(by)?, domain)?.opposite(),
            Self::NotNegative(size) => Some(Self::not_negative(size.replaced(by)?, domain)),
            Self::All(list) => list
                .iter()
                .try_fold(Self::Known(true), |all, one| Some(all.and(one.replaced(by, domain)?))),
        }
    }

    /// The condition as text: `b >= 1`, `mod(n, 4) = 0`.
    pub fn text(&self, name: &dyn Fn(Variable) -> String) -> String {
        // The number goes to the right.
        let sides = |size: &DimExpr| {
            let number = size.number();
            let left = size.minus(&DimExpr::constant(number)).unwrap_or_default();
            // `-b + 9 >= 0` is `b <= 9`.
            let is_mirrored = left.terms().fold(0, |sum, (_, one)| one.saturating_add(sum)) < 0;
            match is_mirrored {
                true => (left.times(&DimExpr::constant(-1)).unwrap_or_default(), number, true),
                false => (left, number.wrapping_neg(), false),
            }
        };
        let compared = |size: &DimExpr, sign: &str, mirrored: &str| {
            let (left, number, is_mirrored) = sides(size);
            format!("{} {} {number}", left.text(name), if is_mirrored { mirrored } else { sign })
        };
        match self {
            Self::Known(holds) => holds.to_string(),
            Self::Zero(size) => compared(size, "=", "="),
            Self::NotZero(size) => compared(size, "!=", "!="),
            Self::NotNegative(size) => compared(size, ">=", "<="),
            Self::All(list) => {
                list.iter().map(|one| one.text(name)).collect::<Vec<_>>().join(" and ")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Interval;
    use ComparisonDirection::{Eq, Ge, Gt, Lt, Ne};

    fn n() -> DimExpr {
        DimExpr::variable(Variable::Symbol(0))
    }

    fn text(condition: &Constraint) -> String {
        condition.text(&|_| "n".to_owned())
    }

    #[test]
    fn bounds_decide() {
        let known = |size| DimExpr::constant(size);
        let compare = |direction, right: &DimExpr, low| {
            let mut domain = Domain::default();
            domain.set(Variable::Symbol(0), Interval { low: Some(low), high: None });
            Constraint::compared(direction, &n(), right, &domain).unwrap()
        };
        assert_eq!(compare(Ge, &known(1), 1), Constraint::Known(true));
        assert_eq!(compare(Lt, &known(1), 1), Constraint::Known(false));
        assert_eq!(compare(Eq, &known(0), 1), Constraint::Known(false));
        assert_eq!(compare(Ne, &n(), 0), Constraint::Known(false));
        assert_eq!(text(&compare(Ge, &known(4), 1)), "n >= 4");
        assert_eq!(text(&compare(Lt, &known(9), 1)), "n <= 8");
        assert_eq!(text(&compare(Gt, &known(9), 1).opposite().unwrap()), "n <= 9");
    }

    #[test]
    fn equality_is_decided_where_it_holds_for_all_values_or_for_none() {
        let domain = Domain::default();
        let two = DimExpr::constant(2);
        let rest = n().modulo(&two).unwrap();
        let square = rest.times(&rest).unwrap();
        let larger = n().maximum(&rest).unwrap();
        let compare = |left: &DimExpr, right: &DimExpr| {
            Constraint::compared(Eq, left, right, &domain).unwrap()
        };
        // The remainder is at most the number.
        assert_eq!(compare(&larger, &n()), Constraint::Known(true));
        assert_eq!(compare(&rest, &two), Constraint::Known(false));
        assert_eq!(text(&compare(&rest.times(&two).unwrap(), &two)), "mod(n, 2) = 1");
        // Products are not looked into.
        assert_eq!(compare(&square, &rest).holds(&|_| Some(3)), Some(true));
    }

    #[test]
    fn a_rounded_quotient_is_recognised() {
        // select(sign(n) != sign(4) and n mod 4 != 0, n / 4 - 1, n / 4): the condition never holds.
        let domain = Domain::default();
        let sign = n().sign();
        let differ = Constraint::compared(Ne, &sign, &DimExpr::constant(1), &domain).unwrap();
        assert_eq!(differ, Constraint::Zero(n()));
        let rest = n().modulo(&DimExpr::constant(4)).unwrap();
        let rest = Constraint::compared(Ne, &rest, &DimExpr::constant(0), &domain).unwrap();
        assert_eq!(text(&rest), "mod(n, 4) != 0");
        assert_eq!(differ.and(rest), Constraint::Known(false));
    }
}
