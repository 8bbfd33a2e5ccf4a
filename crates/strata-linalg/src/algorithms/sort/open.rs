//! Sorts in programs for sizes up to bounds: elements from some place of each line on are masked with ones that come before no others,
//! so that they stay where they are, and only those before are sorted.

use strata_ir::{Builder, MASK, Op, TypeExt as _, Value, arith, index};
use strata_rewrite::{Guard as _, Lowerer, Outcome};

use super::Line;
use crate::{
    loops::{for_loop, for_nest, insert},
    masked::Masked,
};

/// What is known of the operands of such a sort.
pub struct Open<'c> {
    /// How many elements of a line come first, a tensor.
    count: Value<'c>,
    /// The operands before they were masked, with what the mask leaves; `None` for one that is not masked.
    masked: Vec<Option<[Value<'c>; 2]>>,
}

impl<'c> Open<'c> {
    /// Reads a sort along dimension `dim`; `None` if all elements count.
    pub fn of(op: Op<'c>, dim: usize, lowerer: &Lowerer<'c>) -> Option<Self> {
        if !op.has_attr(MASK) {
            return None;
        }
        let all: Vec<_> =
            op.operands().into_iter().map(|operand| Masked::of(operand, dim)).collect();
        let count = all.iter().flatten().next()?.count;
        if all.iter().flatten().any(|one| one.count != count) {
            return None;
        }
        let lowered = |one: Option<Masked<'c>>| match one {
            None => Some(None),
            Some(one) => Some(Some([lowerer.lookup(one.plain)?, lowerer.lookup(one.rest)?])),
        };
        let masked = all.into_iter().map(lowered).collect::<Option<_>>()?;
        Some(Self { count: lowerer.lookup(count)?, masked })
    }

    /// The operands before they were masked.
    pub fn plain(&self, operands: &[Value<'c>]) -> Vec<Value<'c>> {
        let pairs = self.masked.iter().zip(operands);
        pairs.map(|(masked, operand)| masked.map_or(*operand, |[plain, _]| plain)).collect()
    }

    /// How many elements of each line count, from 0 to its length.
    pub fn count(&self, b: &Builder<'c>, line: &Line<'c>) -> Value<'c> {
        let count = b.cast(arith::INDEX_CAST, b.extract(self.count, &[]), index(b.context));
        let count = b.same(arith::MAXSI, &[count, b.index(0)]);
        b.same(arith::MINSI, &[count, b.index(line.length)])
    }

    /// The elements of all operands at a place, which has these before they are masked and is masked unless it `counts`.
    pub fn masked(&self, b: &Builder<'c>, own: &[Value<'c>], counts: Value<'c>) -> Vec<Value<'c>> {
        let element = |(own, masked): (&Value<'c>, &Option<[Value<'c>; 2]>)| {
            masked.map_or(*own, |[_, rest]| b.select(counts, *own, first(b, rest)))
        };
        own.iter().zip(&self.masked).map(element).collect()
    }

    /// The results with what stays where it is in `operands`.
    pub fn completed(
        &self,
        b: &Builder<'c>,
        line: &Line<'c>,
        operands: &[Value<'c>],
        sorted: &[Value<'c>],
    ) -> Outcome<Vec<Value<'c>>> {
        line.valid.or_decline("all elements are sorted")?;
        let end = b.index(line.length);
        for_loop(b, line.end(b), end, sorted, |b, position, carried| {
            for_nest(b, &line.others(), carried, &mut |b, others, carried| {
                let at = line.place(others, position);
                let all = self.masked.iter().zip(operands).zip(carried);
                let next = all.map(|((masked, operand), to)| {
                    let element = match masked {
                        Some([_, rest]) => first(b, *rest),
                        None => b.extract(*operand, &at),
                    };
                    insert(b, element, *to, &at)
                });
                Ok(next.collect())
            })
        })
    }
}

/// What all elements of a tensor are.
fn first<'c>(b: &Builder<'c>, splat: Value<'c>) -> Value<'c> {
    let rank = splat.ty().rank().unwrap_or_default();
    b.extract(splat, &vec![b.index(0); rank])
}
