//! Sizes and conditions as arithmetic on indices.

use strata_ir::{
    Builder, TypeExt as _, Value, arith, bool_type, constant_index, index, int, integer, memref,
};
use strata_shapes::{Constraint, DimExpr, DimFactor, Variable};

/// Emits expressions of variables whose values it has.
pub struct Sizes<'b, 'c> {
    pub builder: Builder<'c>,
    /// The value of each variable.
    pub value: &'b dyn Fn(Variable) -> Option<Value<'c>>,
}

/// `a * b`.
pub fn product<'c>(builder: &Builder<'c>, a: Value<'c>, b: Value<'c>) -> Value<'c> {
    match (constant_index(a), constant_index(b)) {
        (Some(a), Some(b)) => builder.index(a.wrapping_mul(b)),
        (Some(1), _) => b,
        (_, Some(1)) => a,
        _ => builder.same(arith::MULI, &[a, b]),
    }
}

/// `a + b`.
pub fn sum<'c>(builder: &Builder<'c>, a: Value<'c>, b: Value<'c>) -> Value<'c> {
    match (constant_index(a), constant_index(b)) {
        (Some(a), Some(b)) => builder.index(a.wrapping_add(b)),
        (Some(0), _) => b,
        (_, Some(0)) => a,
        _ => builder.same(arith::ADDI, &[a, b]),
    }
}

/// 1 where a condition holds, else 0.
pub fn number<'c>(builder: &Builder<'c>, condition: Value<'c>) -> Value<'c> {
    let byte = builder.cast(arith::EXTUI, condition, integer(builder.context, 64));
    builder.cast(arith::INDEX_CAST, byte, index(builder.context))
}

/// Reads the element of a list of `i64` as an index.
pub fn read<'c>(builder: &Builder<'c>, list: Value<'c>, at: usize) -> Value<'c> {
    let place = builder.index(at as i64);
    let word = memref::load(builder, list, &[place], list.ty().element()).value();
    builder.cast(arith::INDEX_CAST, word, index(builder.context))
}

impl<'c> Sizes<'_, 'c> {
    /// The value of an expression.
    pub fn size(&self, size: &DimExpr) -> Value<'c> {
        let builder = &self.builder;
        let terms = size.terms().map(|(factors, factor)| {
            let factors = factors.iter().map(|factor| self.factor(factor));
            factors.fold(builder.index(factor), |term, factor| product(builder, factor, term))
        });
        let terms: Vec<_> = terms.collect();
        terms.into_iter().reduce(|a, b| sum(builder, a, b)).unwrap_or_else(|| builder.index(0))
    }

    fn factor(&self, factor: &DimFactor) -> Value<'c> {
        let builder = &self.builder;
        match factor {
            DimFactor::Variable(variable) => {
                (self.value)(*variable).unwrap_or_else(|| builder.index(0))
            }
            DimFactor::Max(a, b) => builder.same(arith::MAXSI, &[self.size(a), self.size(b)]),
            DimFactor::Min(a, b) => builder.same(arith::MINSI, &[self.size(a), self.size(b)]),
            DimFactor::Sign(a) => {
                let low = builder.same(arith::MAXSI, &[self.size(a), builder.index(-1)]);
                builder.same(arith::MINSI, &[low, builder.index(1)])
            }
            // Rounded down: the remainder of a negative number is made positive.
            DimFactor::FloorDiv(a, by) | DimFactor::Mod(a, by) => {
                let (a, by) = (self.size(a), builder.index(by.as_constant().unwrap_or(1)));
                let rest = builder.same(arith::REMSI, &[a, by]);
                let is_negative = builder.cmpi(arith::CmpIPredicate::Slt, rest, builder.index(0));
                let more = builder.select(is_negative, by, builder.index(0));
                let rest = builder.same(arith::ADDI, &[rest, more]);
                if matches!(factor, DimFactor::Mod(..)) {
                    return rest;
                }
                let whole = builder.same(arith::SUBI, &[a, rest]);
                builder.same(arith::DIVSI, &[whole, by])
            }
        }
    }

    /// Whether a condition holds.
    pub fn holds(&self, condition: &Constraint) -> Value<'c> {
        let builder = &self.builder;
        let compare = |size: &DimExpr, how: arith::CmpIPredicate| {
            builder.cmpi(how, self.size(size), builder.index(0))
        };
        match condition {
            Constraint::Known(holds) => boolean(builder, *holds),
            Constraint::Zero(size) => compare(size, arith::CmpIPredicate::Eq),
            Constraint::NotZero(size) => compare(size, arith::CmpIPredicate::Ne),
            Constraint::NotNegative(size) => compare(size, arith::CmpIPredicate::Sge),
            Constraint::All(list) => {
                let all = list.iter().map(|one| self.holds(one));
                let all: Vec<_> = all.collect();
                all.into_iter()
                    .reduce(|a, b| builder.same(arith::ANDI, &[a, b]))
                    .unwrap_or_else(|| boolean(builder, true))
            }
        }
    }
}

/// A boolean constant.
pub fn boolean<'c>(builder: &Builder<'c>, value: bool) -> Value<'c> {
    let ty = bool_type(builder.context);
    arith::constant(builder, int(ty, i64::from(value)), ty).value()
}
