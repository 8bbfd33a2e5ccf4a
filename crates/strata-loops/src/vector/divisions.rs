//! Quotients and remainders of integers, of which no processor has vectors, through floats.
//!
//! ```mlir
//! %q = arith.divsi %a, %b : vector<8xi32>      %r = arith.remsi %a, %b : vector<8xi32>
//! ```
//! becomes
//! ```mlir
//! %x = arith.sitofp %a … f64   %y = arith.sitofp %b … f64   %z = arith.divf %x, %y   %q = arith.fptosi %z
//! %p = arith.muli %q, %b       %r = arith.subi %a, %p
//! ```
//! Integers of up to 16 bits are divided as `f32`, of 32 as `f64`, which have them exactly. The integer part of the quotient is exact, too: where
//! `a` is not a multiple of `b`, `a / b` differs from the next integer `n` by at least `1 / b`. `n * b` is at most 2^17 or 2^33, so that this is at
//! least a part of 2^-17 or 2^-33 of `n`, which rounding to 24 or 53 bits does not bridge. Divisors are not zero here, and quotients fit: for
//! others [`arith`]'s operations have no result. Divisors that are constants are multiplications in LLVM.

use strata_ir::{
    Builder, Context, Op, OpName, Type, TypeExt as _, Value, arith, f32_type, f64_type, integer,
};
use strata_target::tuning::divisions::MIN_LANES;

/// Rewrites the vectors of quotients and remainders in `root`.
pub(super) fn through_floats<'c>(context: &'c Context, root: Op<'c>) {
    for op in root.collect(|op| kind(op.name()).is_some()) {
        let Some((is_signed, is_rest)) = kind(op.name()) else { continue };
        let ty = op.result(0).ty();
        let lanes = ty.shape().and_then(|shape| shape.last().copied()).unwrap_or(1);
        let is_known = op.operand(1).owner().is_some_and(|owner| owner.is(arith::CONSTANT));
        let Some(bits) = ty.element().bit_width().filter(|bits| matches!(bits, 8 | 16 | 32)) else {
            continue;
        };
        if !ty.is_vector_type() || lanes < MIN_LANES || is_known {
            continue;
        }
        let emit = Builder { location: op.location(), ..Builder::before(context, op) };
        let quotient = Quotient { emit, is_signed, bits };
        let [dividend, divisor] = [0, 1].map(|at| op.operand(at));
        let mut value = quotient.of(dividend, divisor);
        if is_rest {
            let product = emit.same(arith::MULI, &[value, divisor]);
            value = emit.same(arith::SUBI, &[dividend, product]);
        }
        op.result(0).replace_all_uses_with(value);
        op.erase();
    }
}

/// Whether an operation divides signed integers, and whether it gives the remainder.
fn kind(name: OpName<'_>) -> Option<(bool, bool)> {
    match name {
        arith::DIVSI => Some((true, false)),
        arith::DIVUI => Some((false, false)),
        arith::REMSI => Some((true, true)),
        arith::REMUI => Some((false, true)),
        _ => None,
    }
}

struct Quotient<'c> {
    emit: Builder<'c>,
    is_signed: bool,
    bits: u32,
}

impl<'c> Quotient<'c> {
    fn of(&self, dividend: Value<'c>, divisor: Value<'c>) -> Value<'c> {
        let (emit, ty) = (&self.emit, dividend.ty());
        let quotient = emit.same(arith::DIVF, &[self.float(dividend), self.float(divisor)]);
        let word = emit.like(ty, integer(emit.context, 32));
        // Those of fewer bits are not negative as 32 bits, or have a sign there.
        let to_integer = match self.is_signed || self.bits < 32 {
            true => arith::FPTOSI,
            false => arith::FPTOUI,
        };
        let whole = emit.apply(to_integer, &[quotient], word);
        if self.bits < 32 { emit.apply(arith::TRUNCI, &[whole], ty) } else { whole }
    }

    /// A number as a float that has it exactly.
    fn float(&self, value: Value<'c>) -> Value<'c> {
        let (emit, ty) = (&self.emit, value.ty());
        let like = |element: Type<'c>| emit.like(ty, element);
        if self.bits < 32 {
            let widen = if self.is_signed { arith::EXTSI } else { arith::EXTUI };
            let word = emit.apply(widen, &[value], like(integer(emit.context, 32)));
            return emit.apply(arith::SITOFP, &[word], like(f32_type(emit.context)));
        }
        let convert = if self.is_signed { arith::SITOFP } else { arith::UITOFP };
        emit.apply(convert, &[value], like(f64_type(emit.context)))
    }
}
