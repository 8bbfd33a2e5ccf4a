//! Divisions of sizes that round down, as exporters write them.

use strata_ir::{ComparisonDirection, Op, OpKind, Value};
use strata_shapes::Constraint;

use super::{Known, Walk};

impl<'c> Walk<'c> {
    /// Division that rounds down, in terms of one that rounds to zero, as exporters write it: with a positive divisor,
    ///
    /// ```text
    /// select(sign a != sign b & rem(a, b) != 0, div(a, b) - 1, div(a, b))
    /// select((rem(a, b) < 0) != (b < 0) & rem(a, b) != 0, rem(a, b) + b, rem(a, b))
    /// ```
    pub(super) fn rounded_down(&self, op: Op<'c>) -> Option<Known> {
        let both = self.computed(op.operand(0), OpKind::And)?;
        let rest = |value: Value<'c>, a: Value<'c>, b: Value<'c>| {
            self.computed(value, OpKind::Remainder)
                .is_some_and(|op| self.is_same(op.operand(0), a) && self.is_same(op.operand(1), b))
        };
        let number = |value: Value<'c>| match self.sizes(value) {
            Some([Some(size)]) => Some(size.clone()),
            _ => None,
        };
        let is_other_sign = |a: Value<'c>, b: Value<'c>| {
            let either = |is_first: bool| {
                let (first, second) = if is_first {
                    (both.operand(0), both.operand(1))
                } else {
                    (both.operand(1), both.operand(0))
                };
                let signs = |left: Value<'c>, right: Value<'c>| {
                    let sign = |value: Value<'c>, of: Value<'c>| {
                        let known = number(of).and_then(|of| self.sign(&of));
                        let is_negative = matches!(self.known.get(&value),
                            Some(Known::Conditions(list)) if *list == [Constraint::Known(known == Some(-1))]);
                        known.is_some_and(|sign| self.is_number(value, sign) || is_negative)
                            || self
                                .computed(value, OpKind::Sign)
                                .is_some_and(|op| self.is_same(op.operand(0), of))
                            || self.is_comparison(value, ComparisonDirection::Lt, &|own, zero| {
                                let is_of =
                                    self.is_same(own, of) || rest(own, a, b) && self.is_same(of, a);
                                is_of && self.is_number(zero, 0)
                            })
                    };
                    sign(left, a) && sign(right, b)
                };
                self.is_comparison(first, ComparisonDirection::Ne, &signs)
                    && self.is_comparison(second, ComparisonDirection::Ne, &|own, zero| {
                        rest(own, a, b) && self.is_number(zero, 0)
                    })
            };
            either(true) || either(false)
        };
        let (yes, no) = (op.operand(1), op.operand(2));
        if let (Some(less), Some(quotient)) =
            (self.computed(yes, OpKind::Subtract), self.computed(no, OpKind::Divide))
        {
            let (a, b) = (quotient.operand(0), quotient.operand(1));
            let own = self.computed(less.operand(0), OpKind::Divide) == Some(quotient)
                && self.is_number(less.operand(1), 1);
            let by = number(b).filter(|by| self.domain.is_positive(by))?;
            return (own && is_other_sign(a, b))
                .then(|| Some(Known::Sizes(vec![number(a)?.floordiv(&by)])))?;
        }
        let more = self.computed(yes, OpKind::Add)?;
        let remainder = self.computed(no, OpKind::Remainder)?;
        let (a, b) = (remainder.operand(0), remainder.operand(1));
        let own = self.computed(more.operand(0), OpKind::Remainder) == Some(remainder)
            && self.is_same(more.operand(1), b);
        let by = number(b).filter(|by| self.domain.is_positive(by))?;
        (own && is_other_sign(a, b)).then(|| Some(Known::Sizes(vec![number(a)?.modulo(&by)])))?
    }
}
