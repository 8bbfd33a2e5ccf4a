//! Special functions that the math dialect lacks, for `f32` and `f64`: the formulas of `strata-special` in `arith` and `math`,
//! and the neighbour of a number.
//!
//! ```text
//! chlo.lgamma %x : f32  =>  arith.extf, a formula in f64, arith.truncf
//! ```

use strata_ir::{Builder, OpName, TypeExt as _, Value, arith, f64_type, math};
use strata_rewrite::{Declined, Outcome};
use strata_special::{Arithmetic, Function, Relation};

type Result<'c> = Outcome<Value<'c>>;

/// Arithmetic on values of one floating-point type.
pub struct Real<'b, 'c> {
    /// The builder.
    pub b: &'b Builder<'c>,
    /// A value of that type.
    pub like: Value<'c>,
}

impl<'c> Real<'_, 'c> {
    fn call(&self, name: OpName<'static>, x: Value<'c>) -> Value<'c> {
        self.b.same(name, &[x])
    }
}

impl<'c> Arithmetic for Real<'_, 'c> {
    type Value = Value<'c>;
    type Truth = Value<'c>;
    type Error = Declined;

    fn is_double(&self) -> bool {
        self.like.ty().bit_width() == Some(64)
    }

    fn number(&self, value: f64) -> Value<'c> {
        self.b.float(self.like.ty(), value)
    }

    fn add(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.b.same(arith::ADDF, &[x, y])
    }

    fn sub(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.b.same(arith::SUBF, &[x, y])
    }

    fn mul(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.b.same(arith::MULF, &[x, y])
    }

    fn div(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.b.same(arith::DIVF, &[x, y])
    }

    fn apply(&self, function: Function, x: Value<'c>) -> Value<'c> {
        self.call(
            match function {
                Function::Abs => math::ABSF,
                Function::Cos => math::COS,
                Function::Exp => math::EXP,
                Function::Floor => math::FLOOR,
                Function::Log => math::LOG,
                Function::Log1p => math::LOG1P,
                Function::Negate => arith::NEGF,
                Function::Sin => math::SIN,
                Function::Sqrt => math::SQRT,
            },
            x,
        )
    }

    fn atan2(&self, y: Value<'c>, x: Value<'c>) -> Value<'c> {
        self.b.same(math::ATAN2, &[y, x])
    }

    fn with_sign(&self, size: Value<'c>, of: Value<'c>) -> Result<'c> {
        Ok(self.b.same(math::COPYSIGN, &[size, of]))
    }

    fn holds(&self, x: Value<'c>, relation: Relation, y: Value<'c>) -> Result<'c> {
        let predicate = match relation {
            Relation::Equal => arith::CmpFPredicate::Oeq,
            Relation::Less => arith::CmpFPredicate::Olt,
            Relation::LessEqual => arith::CmpFPredicate::Ole,
            Relation::Greater => arith::CmpFPredicate::Ogt,
        };
        Ok(self.b.cmpf(predicate, x, y))
    }

    fn both(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.b.same(arith::ANDI, &[x, y])
    }

    fn select(&self, condition: Value<'c>, yes: Value<'c>, no: Value<'c>) -> Value<'c> {
        self.b.select(condition, yes, no)
    }
}

/// The inverse of the error function.
pub fn erf_inv<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    strata_special::erf_inv(&Real { b, like: x[0] }, x[0])
}

/// The logarithm of the absolute value of the gamma function.
pub fn lgamma<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    in_double(b, x, strata_special::lgamma)
}

/// The derivative of [`lgamma`].
pub fn digamma<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    in_double(b, x, strata_special::digamma)
}

/// The modified Bessel function of order 1, times `exp(-|x|)`.
pub fn bessel_i1e<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    in_double(b, x, strata_special::bessel_i1e)
}

/// Applies `function` to the operand as `f64`, and rounds once.
fn in_double<'b, 'c>(
    b: &'b Builder<'c>,
    x: &[Value<'c>],
    function: impl FnOnce(&Real<'b, 'c>, Value<'c>) -> Result<'c>,
) -> Result<'c> {
    let double = f64_type(b.context);
    let (x, ty) = (x[0], x[0].ty());
    if ty == double {
        return function(&Real { b, like: x }, x);
    }
    let wide = b.cast(arith::EXTF, x, double);
    let value = function(&Real { b, like: wide }, wide)?;
    Ok(b.cast(arith::TRUNCF, value, ty))
}

/// The next number after `x` toward `y`, of the operands' own type.
pub fn next_after<'c>(b: &Builder<'c>, x: Value<'c>, y: Value<'c>) -> Result<'c> {
    let ty = x.ty();
    let bits = crate::numbers::functions::bits_of(b, x)?;
    let int = bits.ty();
    let width = int.bit_width().unwrap_or(64);
    let (one, zero) = (b.int(int, 1), b.int(int, 0));
    let sign_mask = b.int(int, crate::numbers::functions::smallest(width));
    // Comparisons of narrow floats are computed in f32; the bits are those of the type.
    let (wide_x, wide_y) =
        (crate::numbers::element::widen(b, x), crate::numbers::element::widen(b, y));
    let r = Real { b, like: wide_x };
    let is_zero = b.cmpf(arith::CmpFPredicate::Oeq, wide_x, r.number(0.0));
    let upward = b.cmpf(arith::CmpFPredicate::Olt, wide_x, wide_y);
    let equal = b.cmpf(arith::CmpFPredicate::Oeq, wide_x, wide_y);
    let is_negative = b.cmpi(arith::CmpIPredicate::Slt, bits, zero);
    // The magnitude grows when a positive number goes up or a negative one down.
    let grows = b.same(arith::XORI, &[upward, is_negative]);
    let step = b.select(grows, one, b.int(int, -1));
    let moved = b.same(arith::ADDI, &[bits, step]);
    let toward = crate::numbers::functions::bits_of(b, y)?;
    let smallest = b.same(arith::ORI, &[b.same(arith::ANDI, &[toward, sign_mask]), one]);
    let moved = b.select(is_zero, smallest, moved);
    let moved = if int == ty { moved } else { b.cast(arith::BITCAST, moved, ty) };
    let x_nan = b.cmpf(arith::CmpFPredicate::Uno, wide_x, wide_x);
    let value = b.select(equal, y, moved);
    let value = b.select(x_nan, x, value);
    let y_nan = b.cmpf(arith::CmpFPredicate::Uno, wide_y, wide_y);
    Ok(b.select(y_nan, y, value))
}
