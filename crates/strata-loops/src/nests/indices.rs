//! Indices as sums of the counter of a loop and what is the same in each of its iterations.

use strata_ir::{AffineExpr, AffineMap, Builder, Op, Value, affine, arith, constant_index, scf};

/// `factor * counter + sum of terms + more`.
#[derive(Clone, Default)]
pub struct Place<'c> {
    pub factor: i64,
    pub terms: Vec<(Value<'c>, i64)>,
    pub more: i64,
}

impl<'c> Place<'c> {
    /// An index in the body of `each`.
    pub fn of(index: Value<'c>, each: Op<'c>) -> Option<Self> {
        Self::with_inner(index, each)
            .filter(|place| place.terms.iter().all(|(value, _)| counted(*value, each).is_none()))
    }

    /// What it is at least: counters of loops in the body are at their first values.
    pub fn least(index: Value<'c>, each: Op<'c>) -> Option<Self> {
        let mut place = Self::with_inner(index, each)?;
        for (value, factor) in std::mem::take(&mut place.terms) {
            match counted(value, each) {
                None => place.terms.push((value, factor)),
                Some(inner) => {
                    let first = constant_index(inner.operand(0)).filter(|_| factor >= 0)?;
                    place.more = place.more.checked_add(factor.checked_mul(first)?)?;
                }
            }
        }
        Some(place)
    }

    /// With counters of loops in the body as terms.
    pub fn with_inner(index: Value<'c>, each: Op<'c>) -> Option<Self> {
        if index == each.body(0).arg(0) {
            return Some(Self { factor: 1, ..Self::default() });
        }
        if let Some(number) = constant_index(index) {
            return Some(Self::constant(number));
        }
        let home = index.owner().or_else(|| index.block_arg()?.0.parent_op());
        let is_inside = home.is_some_and(|home| home == each || each.encloses(home));
        if !is_inside || counted(index, each).is_some() {
            return Some(Self { terms: vec![(index, 1)], ..Self::default() });
        }
        let owner = index.owner()?;
        let of = |value: Value<'c>| Self::with_inner(value, each);
        match owner.name() {
            arith::ADDI => of(owner.operand(0))?.plus(of(owner.operand(1))?),
            arith::MULI => of(owner.operand(0))?.times_place(of(owner.operand(1))?),
            affine::APPLY => {
                let map = owner.attr("map").and_then(AffineMap::of)?;
                let [result] = &map.results[..] else { return None };
                Self::of_expression(result, &owner.operands(), map.dims, &of)
            }
            _ => None,
        }
    }

    fn of_expression(
        expression: &AffineExpr,
        operands: &[Value<'c>],
        dims: usize,
        value: &dyn Fn(Value<'c>) -> Option<Self>,
    ) -> Option<Self> {
        let of = |part: &AffineExpr| Self::of_expression(part, operands, dims, value);
        match expression {
            AffineExpr::Constant(number) => Some(Self::constant(*number)),
            AffineExpr::Dim(at) => value(*operands.get(*at)?),
            AffineExpr::Symbol(at) => value(*operands.get(dims + at)?),
            AffineExpr::Add(left, right) => of(left)?.plus(of(right)?),
            AffineExpr::Mul(left, right) => of(left)?.times_place(of(right)?),
            _ => None,
        }
    }

    fn constant(number: i64) -> Self {
        Self { more: number, ..Self::default() }
    }

    fn plus(mut self, other: Self) -> Option<Self> {
        self.factor = self.factor.checked_add(other.factor)?;
        self.more = self.more.checked_add(other.more)?;
        for (value, factor) in other.terms {
            match self.terms.iter_mut().find(|(own, _)| *own == value) {
                Some((_, own)) => *own = own.checked_add(factor)?,
                None => self.terms.push((value, factor)),
            }
        }
        Some(self)
    }

    fn times_place(self, other: Self) -> Option<Self> {
        match (self.as_constant(), other.as_constant()) {
            (_, Some(by)) => self.times(by),
            (Some(by), _) => other.times(by),
            _ => None,
        }
    }

    fn as_constant(&self) -> Option<i64> {
        (self.factor == 0 && self.terms.is_empty()).then_some(self.more)
    }

    fn times(mut self, by: i64) -> Option<Self> {
        self.factor = self.factor.checked_mul(by)?;
        self.more = self.more.checked_mul(by)?;
        for (_, factor) in &mut self.terms {
            *factor = factor.checked_mul(by)?;
        }
        Some(self)
    }

    /// What is left of `size`, without the counter and the number.
    pub fn left(&self, before: &Builder<'c>, size: Value<'c>) -> Value<'c> {
        self.terms.iter().fold(size, |left, (value, factor)| {
            let term = match factor {
                1 => *value,
                factor => before.same(arith::MULI, &[*value, before.index(*factor)]),
            };
            before.same(arith::SUBI, &[left, term])
        })
    }
}

/// The loop in the body of `each` that counts with this value.
pub fn counted<'c>(value: Value<'c>, each: Op<'c>) -> Option<Op<'c>> {
    let (block, position) = value.block_arg()?;
    let inner = block.parent_op().filter(|inner| inner.is(scf::FOR) && position == 0)?;
    (inner != each && each.encloses(inner)).then_some(inner)
}
