//! Work inside a bound: loops along a dimension of which only the first elements are needed end there.
//!
//! In a program for sizes up to bounds ([`strata_ir::VALID`] on the entry) callers take only the first elements of an output, as many as the
//! sizes of a call say. What is needed of every other tensor follows from its users ([`demand`]). A loop of a scheduled nest whose
//! iterations write what is not needed gets the number of the needed ones ([`loops`]):
//!
//! ```mlir
//! scf.for %i = %c0 to %c128 step %c6 … {strata.limit = affine_map<(d0) -> (d0)>}      // up to the size, at most 128
//! ```
//!
//! Reductions along such a dimension read masked tensors ([`facts`]), and end where all that they would add is neutral ([`reductions`], and [`plain`] where they have no schedule).
//! So do loops of algorithms that do nothing from there on ([`idle`]). What only such loops read ends there, too ([`reads`], [`temporaries`]). Masks that are true of whole vectors below a size say so ([`masks`]).
//! A loop keeps its bound until buffers are assigned and checked: the last step but one of stage `affine` lowers it. So what a
//! tensor has beyond is as if it were computed until then, and is whatever memory holds in the object.

pub mod carried;
pub mod columns;
pub mod copies;
pub mod demand;
pub mod elements;
pub mod facts;
pub mod idle;
pub mod joins;
pub mod loops;
pub mod masks;
pub mod pieces;
pub mod plain;
pub mod reads;
pub mod reductions;
pub mod temporaries;

use strata_ir::{AffineExpr, AffineMap};

/// How many elements of a dimension are needed, counted from the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// None, as far as is known.
    Nothing,
    /// The first so many, whatever the sizes are.
    First(i64),
    /// Those below a number.
    Below(Bound),
    /// All.
    All,
}

/// `(scale * size + more) / by`, rounded down, where `size` is the number of one of the sizes that the entry takes. What is not
/// such a number is rounded up to one: more may be computed than is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The number of the size.
    pub size: usize,
    /// Its factor, positive.
    pub scale: i64,
    /// What is added.
    pub more: i64,
    /// What the sum is divided by, positive and without a factor in common with `scale`.
    pub by: i64,
}

impl Need {
    /// What is needed by either of two.
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, one) | (one, Self::Nothing) => one,
            (Self::First(own), Self::First(other)) => Self::First(own.max(other)),
            (Self::First(count), Self::Below(bound)) | (Self::Below(bound), Self::First(count)) => {
                bound
                    .or(Bound { scale: 1, more: count, by: 1, ..bound })
                    .map_or(Self::All, Self::Below)
            }
            (Self::Below(own), Self::Below(other)) => own.or(other).map_or(Self::All, Self::Below),
            _ => Self::All,
        }
    }

    /// The need of elements at `scale * i + more` for the needed `i`.
    pub fn moved(self, scale: i64, more: i64) -> Self {
        if let Self::First(count) = self {
            let last = scale.checked_mul(count - 1).and_then(|last| last.checked_add(more));
            let count = last.and_then(|last| last.checked_add(1)).filter(|_| scale > 0);
            return count.map_or(Self::All, |count| Self::First(count.max(0)));
        }
        let Self::Below(bound) = self else { return self };
        // The last one is at `scale * (bound - 1) + more`.
        let rest = more.checked_add(1).and_then(|more| more.checked_sub(scale));
        bound
            .times(scale)
            .zip(rest)
            .and_then(|(bound, rest)| bound.plus(rest))
            .map_or(Self::All, Self::Below)
    }

    /// The need of what begins at a place that is at most this, if a number of the same size says it.
    pub fn from(self, start: Bound) -> Option<Self> {
        let Self::Below(bound) = self else { return None };
        // All are rounded down: the sum of two quotients is at most the quotient of the sum.
        let sum = |of: fn(Bound) -> i64| {
            of(bound).checked_mul(start.by)?.checked_add(of(start).checked_mul(bound.by)?)
        };
        let by = bound.by.checked_mul(start.by)?;
        (bound.size == start.size).then_some(())?;
        Bound::new(bound.size, sum(|one| one.scale)?, sum(|one| one.more)?, by).map(Self::Below)
    }

    /// The need of parts of `length` elements, where these elements are needed.
    pub fn parts(self, length: i64) -> Self {
        if let Self::First(count) = self {
            return Self::First((count + length - 1).div_euclid(length));
        }
        let Self::Below(bound) = self else { return self };
        let rounded = bound.plus(length - 1).and_then(|bound| bound.over(length));
        rounded.map_or(Self::All, Self::Below)
    }
}

impl Bound {
    /// Those of sizes up to this are the largest numbers that a bound is made of, so that no computation with them overflows.
    const LARGEST: i64 = 1 << 31;

    /// In lowest terms; `None` for numbers that are too large, and for what does not grow with the size.
    fn new(size: usize, scale: i64, more: i64, by: i64) -> Option<Self> {
        let common = greatest_common_divisor(scale, by);
        let bound =
            Self { size, scale: scale / common, more: more.div_euclid(common), by: by / common };
        let numbers = [bound.scale, bound.more, bound.by];
        (scale > 0 && by > 0 && numbers.iter().all(|number| number.abs() <= Self::LARGEST))
            .then_some(bound)
    }

    /// The bound in an expression of `sizes` sizes, or a larger one; `None` for others, constants too.
    pub fn of(expression: &AffineExpr, sizes: usize) -> Option<Self> {
        let Quotient { size, scale, more, by, .. } = Quotient::of(expression, sizes)?;
        Self::new(size, scale, more, by)
    }

    /// The map from all sizes to it.
    pub fn to_map(self, sizes: usize) -> AffineMap {
        let sum = AffineExpr::dim(self.size) * self.scale + self.more;
        let bound = match self.by {
            1 => sum,
            by => sum.floor_div(by),
        };
        AffineMap::new(sizes, vec![bound])
    }

    /// Whether it is a size itself.
    pub fn is_size(self) -> bool {
        (self.scale, self.more, self.by) == (1, 0, 1)
    }

    /// A bound that is at least as large as each of two.
    fn or(self, other: Self) -> Option<Self> {
        // Sizes are not negative: the larger factor and the larger rest.
        let larger = |of: fn(Self) -> i64| {
            Some((of(self).checked_mul(other.by)?).max(of(other).checked_mul(self.by)?))
        };
        let by = self.by.checked_mul(other.by)?;
        let bound = Self::new(self.size, larger(|one| one.scale)?, larger(|one| one.more)?, by)?;
        (self.size == other.size).then_some(bound)
    }

    /// The sum with a number.
    pub fn plus(self, more: i64) -> Option<Self> {
        let more = self.by.checked_mul(more)?.checked_add(self.more)?;
        Self::new(self.size, self.scale, more, self.by)
    }

    /// The difference to another bound of the same size, if it grows with that; a number otherwise.
    fn minus(self, other: Self) -> Option<Result<Self, i64>> {
        (self.size == other.size && self.by == 1 && other.by == 1).then_some(())?;
        let (scale, more) =
            (self.scale.checked_sub(other.scale)?, self.more.checked_sub(other.more)?);
        match scale {
            0 => Some(Err(more)),
            _ => Self::new(self.size, scale, more, 1).map(Ok),
        }
    }

    /// Its value where its size is this.
    fn at(self, size: i64) -> Option<i64> {
        Some(self.scale.checked_mul(size)?.checked_add(self.more)?.div_euclid(self.by))
    }

    /// The product with a number.
    fn times(self, factor: i64) -> Option<Self> {
        let scale = self.scale.checked_mul(factor)?;
        Self::new(self.size, scale, self.more.checked_mul(factor)?, self.by)
    }

    /// The quotient by a number, rounded down.
    pub fn over(self, divisor: i64) -> Option<Self> {
        Self::new(self.size, self.scale, self.more, self.by.checked_mul(divisor)?)
    }
}

/// `(scale * size + more) / by`, rounded down, where `by` is positive: an expression that may also become smaller with the size.
#[derive(Clone, Copy)]
struct Quotient {
    size: usize,
    scale: i64,
    more: i64,
    by: i64,
    /// Whether it is the value of the expression, not only at least that.
    is_exact: bool,
}

impl Quotient {
    fn of(expression: &AffineExpr, sizes: usize) -> Option<Self> {
        if let Some((factors, more)) = expression.linear(sizes) {
            let mut used = factors.iter().enumerate().filter(|(_, factor)| **factor != 0);
            let (Some((size, scale)), None) = (used.next(), used.next()) else { return None };
            return Some(Self { size, scale: *scale, more, by: 1, is_exact: true });
        }
        let number = AffineExpr::as_constant;
        match expression {
            AffineExpr::FloorDiv(of, by) => Self::of(of, sizes)?.over(number(by)?),
            AffineExpr::CeilDiv(of, by) => {
                Self::of(of, sizes)?.plus(number(by)?.checked_sub(1)?)?.over(number(by)?)
            }
            AffineExpr::Add(left, right) => match (number(left), number(right)) {
                (_, Some(more)) => Self::of(left, sizes)?.plus(more),
                (Some(more), _) => Self::of(right, sizes)?.plus(more),
                _ => Self::of(left, sizes)?.plus_other(Self::of(right, sizes)?),
            },
            AffineExpr::Mul(of, by) => Self::of(of, sizes)?.times(number(by)?),
            _ => None,
        }
    }

    fn plus(self, more: i64) -> Option<Self> {
        let more = self.by.checked_mul(more)?.checked_add(self.more)?;
        Some(Self { more, ..self })
    }

    /// The sum with a whole number of the same size: `s + (1 - s) / 2` is `(s + 1) / 2`.
    fn plus_other(self, other: Self) -> Option<Self> {
        let (whole, part) = if self.by == 1 { (self, other) } else { (other, self) };
        if whole.by != 1 || whole.size != part.size {
            return None;
        }
        let of = |whole: i64, own: i64| whole.checked_mul(part.by)?.checked_add(own);
        Some(Self {
            scale: of(whole.scale, part.scale)?,
            more: of(whole.more, part.more)?,
            is_exact: whole.is_exact && part.is_exact,
            ..part
        })
    }

    fn over(self, divisor: i64) -> Option<Self> {
        (divisor > 0).then_some(Self { by: self.by.checked_mul(divisor)?, ..self })
    }

    fn times(self, factor: i64) -> Option<Self> {
        // Of a quotient that is subtracted, what was rounded off is added.
        let rest = if factor < 0 { self.by - 1 } else { 0 };
        (factor >= 0 || self.is_exact).then_some(())?;
        Some(Self {
            scale: self.scale.checked_mul(factor)?,
            more: self.more.checked_sub(rest)?.checked_mul(factor)?,
            is_exact: self.is_exact && self.by == 1,
            ..self
        })
    }
}

fn greatest_common_divisor(left: i64, right: i64) -> i64 {
    let (mut left, mut right) = (left.unsigned_abs(), right.unsigned_abs());
    while right != 0 {
        (left, right) = (right, left % right);
    }
    i64::try_from(left).unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(scale: i64, more: i64, by: i64) -> Need {
        Need::Below(Bound::new(0, scale, more, by).expect("a bound"))
    }

    fn value(need: Need, size: i64) -> i64 {
        let Need::Below(bound) = need else { panic!("{need:?}, not a bound") };
        bound.to_map(1).results[0].value(&[size], &[]).expect("a number")
    }

    #[test]
    fn bounds_are_at_least_what_they_stand_for() {
        for size in 0..20_i64 {
            for (scale, more, by) in [(1, 0, 1), (1, 1, 2), (3, -2, 2), (2, 5, 4), (6, -7, 3)] {
                let own = (scale * size + more).div_euclid(by);
                let need = bound(scale, more, by);
                assert_eq!(value(need, size), own);
                for (factor, more) in [(1, 0), (2, 1), (3, -4), (1, 5)] {
                    let last = factor * (own - 1) + more;
                    let found = value(need.moved(factor, more), size);
                    assert!(found > last && (by > 1 || found == last + 1), "{found}, {last}");
                }
                for length in [1, 2, 7] {
                    let parts = (own + length - 1).div_euclid(length);
                    assert_eq!(value(need.parts(length), size), parts);
                }
                let other = value(bound(1, 1, 1), size);
                let both = value(need.or(bound(1, 1, 1)), size);
                assert!(both >= own.max(other), "{both}");
            }
        }
        for size in 0..20_i64 {
            let both = value(Need::First(3).or(bound(1, -7, 2)), size);
            assert!(both >= 3 && both >= (size - 7).div_euclid(2), "{both}");
        }
        assert_eq!(Need::First(3).or(Need::First(2)), Need::First(3));
        assert_eq!(Need::First(3).moved(2, 1), Need::First(6));
        assert_eq!(Need::First(3).parts(2), Need::First(2));
        assert_eq!(bound(2, 0, 2), bound(1, 0, 1));
        assert_eq!(bound(1, 0, 2).moved(2, 1), bound(1, 0, 1));
        let other = Need::Below(Bound::new(1, 1, 0, 1).expect("a bound"));
        assert_eq!(other.or(bound(1, 0, 1)), Need::All);
        assert_eq!(bound(1, 0, 1).moved(-1, 8), Need::All);
        assert_eq!(bound(1, 0, 1).moved(1 << 40, 0), Need::All);
    }

    #[test]
    fn bounds_are_read_from_expressions() {
        let size = || AffineExpr::dim(0);
        let of = |expression: &AffineExpr| Bound::of(expression, 2).map(Need::Below);
        let by = |number| Box::new(AffineExpr::Constant(number));
        let half = (size() + 1).floor_div(2);
        assert_eq!(of(&half), Some(bound(1, 1, 2)));
        assert_eq!(of(&AffineExpr::CeilDiv(Box::new(size()), by(2))), Some(bound(1, 1, 2)));
        assert_eq!(of(&(half.clone() + 3)), Some(bound(1, 7, 2)));
        assert_eq!(of(&(half.clone() * 2)), Some(bound(1, 1, 1)));
        // `s` without a half of it, rounded down or up.
        let other = (size() * -1 + 1).floor_div(2);
        assert_eq!(of(&(size() + other)), Some(bound(1, 1, 2)));
        assert_eq!(of(&(size() + half * -1)), Some(bound(1, 0, 2)));
        assert_eq!(of(&AffineExpr::Constant(4)), None);
        assert_eq!(of(&(size() + AffineExpr::dim(1))), None);
        assert_eq!(of(&(size() * -1 + 4)), None);
    }
}
