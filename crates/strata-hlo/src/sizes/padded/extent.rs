//! How many elements of a padded dimension are valid, and which.

use strata_shapes::DimExpr;

/// Part of a dimension: `bound` elements, of which the first `size` are valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Factor {
    pub bound: i64,
    pub size: DimExpr,
}

impl Factor {
    /// `size` elements, all valid.
    pub fn full(size: i64) -> Self {
        Self { bound: size, size: DimExpr::constant(size) }
    }

    pub fn is_full(&self) -> bool {
        self.size.as_constant() == Some(self.bound)
    }
}

/// A dimension as nested factors, outermost first: an element is valid if its coordinate in each of them is. Adjacent ones whose
/// valid elements are contiguous are one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent(Vec<Factor>);

impl Extent {
    /// A dimension without padding.
    pub fn full(size: i64) -> Self {
        Self(vec![Factor::full(size)])
    }

    /// A dimension whose first `size` elements are valid.
    pub fn prefix(size: DimExpr, bound: i64) -> Self {
        Self(vec![Factor { bound, size }])
    }

    /// `None` if a number overflows.
    pub fn nested(factors: Vec<Factor>) -> Option<Self> {
        let mut merged: Vec<Factor> = Vec::new();
        for factor in factors {
            match merged.last_mut() {
                // What is valid stays contiguous if all of the inner factor is.
                Some(last) if factor.is_full() => {
                    last.bound = last.bound.checked_mul(factor.bound)?;
                    last.size = last.size.times(&factor.size)?;
                }
                Some(last) if last.is_full() && last.bound == 1 => *last = factor,
                _ => merged.push(factor),
            }
        }
        if merged.is_empty() {
            merged.push(Factor::full(1));
        }
        Some(Self(merged))
    }

    pub fn factors(&self) -> &[Factor] {
        &self.0
    }

    /// Each factor as a dimension.
    pub fn parts(&self) -> Vec<Self> {
        self.0.iter().map(|factor| Self(vec![factor.clone()])).collect()
    }

    pub fn is_full(&self) -> bool {
        self.0.iter().all(Factor::is_full)
    }

    /// Whether the valid elements are the first ones.
    pub fn is_prefix(&self) -> bool {
        self.0.len() == 1
    }

    /// The number of elements; `None` if it overflows.
    pub fn bound(&self) -> Option<i64> {
        self.0.iter().try_fold(1_i64, |all, factor| all.checked_mul(factor.bound))
    }

    /// The number of valid elements; `None` if it overflows.
    pub fn size(&self) -> Option<DimExpr> {
        self.0.iter().try_fold(DimExpr::constant(1), |all, factor| all.times(&factor.size))
    }
}

/// The dimensions of a reshape to sizes, from those of its operand, where elements stay where they are; `None` if valid elements
/// would move.
///
/// ```text
/// [b of 4, s of 64, 768]  to  [b*s, 768]     [(b of 4)(s of 64), 768]
/// [6*n of 48]             to  [n, 6]         [n of 8, 6]
/// [6*n of 48]             to  [6, n]         None
/// ```
pub fn reshaped(from: &[Extent], to: &[DimExpr]) -> Option<Vec<Extent>> {
    let mut left: Vec<Factor> =
        from.iter().rev().flat_map(|extent| extent.factors().iter().rev().cloned()).collect();
    let mut extents = Vec::new();
    for target in to {
        let mut target = target.clone();
        let mut factors = Vec::new();
        while target.as_constant() != Some(1) {
            let factor = left.pop()?;
            if let Some(rest) =
                target.quotient(&factor.size).filter(|_| factor.size != DimExpr::constant(0))
            {
                target = rest;
                factors.push(factor);
                continue;
            }
            // The outer part of the factor is what is looked for, if the inner one has no padding.
            let inner = factor.size.quotient(&target)?.as_constant().filter(|inner| *inner > 0)?;
            (factor.bound % inner == 0).then_some(())?;
            factors.push(Factor { bound: factor.bound / inner, size: target });
            left.push(Factor::full(inner));
            target = DimExpr::constant(1);
        }
        extents.push(Extent::nested(factors)?);
    }
    left.iter().all(|factor| factor.is_full() && factor.bound == 1).then_some(extents)
}

/// The dimensions of a buffer of that shape whose elements lie as those of `from`; `None` if what is valid of it would not be the first
/// elements of each.
pub fn laid(from: &[Extent], shape: &[i64]) -> Option<Vec<Extent>> {
    let mut left: Vec<Factor> =
        from.iter().rev().flat_map(|extent| extent.factors().iter().rev().cloned()).collect();
    left.retain(|factor| !factor.is_full() || factor.bound != 1);
    let mut extents = Vec::new();
    for own in shape {
        if *own == 1 && left.last().is_none_or(|factor| factor.bound != 1) {
            extents.push(Extent::full(1));
            continue;
        }
        let factor = left.pop()?;
        if factor.bound == *own {
            extents.push(Extent(vec![factor]));
            continue;
        }
        // The outer part of the factor, if the inner one has no padding.
        (*own > 0 && factor.bound % own == 0).then_some(())?;
        let inner = factor.bound / own;
        let size = factor.size.quotient(&DimExpr::constant(inner))?;
        extents.push(Extent::prefix(size, *own));
        left.push(Factor::full(inner));
    }
    left.is_empty().then_some(extents)
}

#[cfg(test)]
mod tests {
    use strata_shapes::Variable;

    use super::*;

    fn symbol(index: usize) -> DimExpr {
        DimExpr::variable(Variable::Symbol(index))
    }

    fn prefix(size: &DimExpr, bound: i64) -> Extent {
        Extent::prefix(size.clone(), bound)
    }

    fn times(size: &DimExpr, number: i64) -> DimExpr {
        size.times(&DimExpr::constant(number)).unwrap()
    }

    #[test]
    fn reshapes_that_move_no_element_split_and_merge_dimensions() {
        let (b, s) = (symbol(0), symbol(1));
        let from = [prefix(&b, 4), prefix(&s, 64), Extent::full(768)];
        let rows = b.times(&s).unwrap();
        let merged = reshaped(&from, &[rows.clone(), DimExpr::constant(768)]).unwrap();
        assert_eq!(merged[0].factors().len(), 2);
        assert_eq!((merged[0].size(), merged[0].bound()), (Some(rows), Some(256)));
        let split = [b.clone(), s.clone(), DimExpr::constant(12), DimExpr::constant(64)];
        let split = reshaped(&merged, &split).unwrap();
        let expected = [prefix(&b, 4), prefix(&s, 64), Extent::full(12), Extent::full(64)];
        assert_eq!(split, expected);
        let six = [prefix(&times(&s, 6), 48)];
        let outer = reshaped(&six, &[s.clone(), DimExpr::constant(6)]).unwrap();
        assert_eq!(outer, [prefix(&s, 8), Extent::full(6)]);
        let back = reshaped(&outer, &[times(&s, 6)]).unwrap();
        assert_eq!(back, six);
        let ones =
            reshaped(&six, &[DimExpr::constant(1), times(&s, 2), DimExpr::constant(3)]).unwrap();
        assert_eq!(ones, [Extent::full(1), prefix(&times(&s, 2), 16), Extent::full(3)]);
    }

    #[test]
    fn buffers_have_dimensions_for_the_parts_that_a_version_has() {
        let (b, s) = (symbol(0), symbol(1));
        let rows = reshaped(&[prefix(&b, 4), prefix(&s, 64)], &[b.times(&s).unwrap()]).unwrap();
        assert_eq!(laid(&rows, &[4, 64]).unwrap(), [prefix(&b, 4), prefix(&s, 64)]);
        assert_eq!(laid(&rows, &[256]), None);
        assert_eq!(laid(&[Extent::full(64)], &[8, 8]).unwrap(), [Extent::full(8), Extent::full(8)]);
        assert_eq!(laid(&[prefix(&s, 64)], &[1, 64]).unwrap(), [Extent::full(1), prefix(&s, 64)]);
        assert_eq!(
            laid(&[prefix(&times(&s, 3), 192)], &[64, 3]).unwrap(),
            [prefix(&s, 64), Extent::full(3)]
        );
        assert_eq!(laid(&[prefix(&s, 64)], &[8, 8]), None);
    }

    #[test]
    fn reshapes_that_move_elements_are_not_found() {
        let s = symbol(0);
        let six = [prefix(&times(&s, 6), 48)];
        assert_eq!(reshaped(&six, &[DimExpr::constant(6), s.clone()]), None);
        let rows = [prefix(&s, 8), Extent::full(6)];
        assert_eq!(reshaped(&rows, &[DimExpr::constant(2), times(&s, 3)]), None);
        let columns = [Extent::full(6), prefix(&s, 8)];
        assert_eq!(reshaped(&columns, &[times(&s, 6)]).unwrap()[0].factors().len(), 2);
        assert_eq!(reshaped(&columns, &[s, DimExpr::constant(6)]), None);
    }
}
