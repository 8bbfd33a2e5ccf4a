//! Sizes that differ by a number, as those of an input and of its pad do.

use strata_ir::{
    AffineMap, Attribute, LIMIT, Op, TypeExt as _, Value, affine, arith, constant_index, memref,
};

use crate::nests::rests;

/// A size of a call as a sum: what it grows with, and a number.
pub struct Size<'c> {
    terms: Vec<(Value<'c>, i64)>,
    more: i64,
}

impl<'c> Size<'c> {
    /// A value as such a sum.
    pub fn of(value: Value<'c>) -> Self {
        let sum = value.owner().filter(|owner| owner.is(affine::APPLY)).and_then(Self::of_map);
        sum.unwrap_or_else(|| Self { terms: vec![(read_from(value), 1)], more: 0 })
    }

    fn of_map(apply: Op<'c>) -> Option<Self> {
        let map = apply.attr("map").and_then(AffineMap::of).filter(|map| map.symbols == 0)?;
        let [result] = &map.results[..] else { return None };
        let (factors, more) = result.linear(map.dims)?;
        let terms = apply.operands().into_iter().zip(factors).filter(|(_, factor)| *factor != 0);
        let terms: Vec<_> = terms.map(|(value, factor)| (read_from(value), factor)).collect();
        // Those of other sizes may be negative.
        terms.iter().all(|(_, factor)| *factor > 0).then_some(Self { terms, more })
    }

    /// By how much it is larger than another one, if that is a number.
    pub fn minus(&self, other: &Self) -> Option<i64> {
        (self.terms == other.terms).then(|| self.more - other.more)
    }

    /// Whether a value is at most this size and `more`.
    fn is_end_of(&self, value: Value<'c>, more: i64) -> bool {
        if let Some(number) = constant_index(value) {
            return number <= self.more + more;
        }
        let mut operands = value.owner().map(Op::operands).unwrap_or_default().into_iter();
        match value.owner().map(|owner| owner.name()) {
            Some(arith::MINSI) => operands.any(|one| self.is_end_of(one, more)),
            Some(arith::MAXSI) => operands.all(|one| self.is_end_of(one, more)),
            _ => Self::of(value).minus(self).is_some_and(|rest| rest <= more),
        }
    }
}

/// Whether a loop runs up to a size and `more` at most.
pub fn ends_at<'c>(each: Op<'c>, size: Value<'c>, more: i64) -> bool {
    let map = |of: Option<Attribute<'c>>| of.and_then(AffineMap::of);
    let apply = size.owner().filter(|owner| owner.is(affine::APPLY));
    let maps = [map(each.attr(LIMIT)), apply.and_then(|apply| map(apply.attr("map")))];
    if let [Some(limit), Some(size)] = maps
        && rests::excess(&limit, &size).is_some_and(|excess| excess <= more)
    {
        return true;
    }
    Size::of(size).is_end_of(each.operand(1), more)
}

/// The argument that a number is read from, which no function of a program with open sizes writes; other values are themselves.
fn read_from(value: Value<'_>) -> Value<'_> {
    let number = value.owner().filter(|owner| owner.is(arith::INDEX_CAST));
    let load = number.and_then(|cast| cast.operand(0).owner());
    let load = load.filter(|load| matches!(load.name(), memref::LOAD | affine::LOAD));
    let argument = load.map(|load| load.operand(0));
    let is_size =
        |argument: &Value<'_>| argument.ty().rank() == Some(0) && argument.block_arg().is_some();
    argument.filter(is_size).unwrap_or(value)
}
