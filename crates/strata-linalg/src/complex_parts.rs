//! Arithmetic on the two parts of a complex number.

use strata_ir::{Builder, TypeExt as _, Value};
use strata_rewrite::Outcome;

use crate::emit::{Emit as _, FloatCmp};

/// The real and the imaginary part.
pub type Pair<'c> = (Value<'c>, Value<'c>);

/// Builds arithmetic on values of the parts' type, `f32` or `f64`.
pub struct Parts<'b, 'c> {
    /// Where the arithmetic goes.
    pub b: &'b Builder<'c>,
    like: Value<'c>,
}

/// Applies `parts` to the parts of a complex number.
pub fn with_parts<'c>(
    b: &Builder<'c>,
    z: &[Value<'c>],
    parts: impl FnOnce(&Parts<'_, 'c>, Value<'c>, Value<'c>) -> Pair<'c>,
) -> Outcome<Value<'c>> {
    let (re, im) = b.parts(z[0])?;
    let p = Parts { b, like: re };
    let (re, im) = parts(&p, re, im);
    Ok(b.complex(re, im))
}

impl<'c> Parts<'_, 'c> {
    /// A constant.
    pub fn number(&self, value: f64) -> Value<'c> {
        self.b.float(self.like.ty(), value)
    }

    /// An operation whose result has its operands' type.
    pub fn apply(&self, name: &'static str, args: &[Value<'c>]) -> Value<'c> {
        self.b.same(name, args)
    }

    /// Sum.
    pub fn add(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.apply("arith.addf", &[x, y])
    }

    /// Difference.
    pub fn sub(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.apply("arith.subf", &[x, y])
    }

    /// Product.
    pub fn mul(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.apply("arith.mulf", &[x, y])
    }

    /// Quotient.
    pub fn div(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.apply("arith.divf", &[x, y])
    }

    /// `-x`.
    pub fn negated(&self, x: Value<'c>) -> Value<'c> {
        self.apply("arith.negf", &[x])
    }

    /// `x / 2`.
    pub fn half(&self, x: Value<'c>) -> Value<'c> {
        self.mul(x, self.number(0.5))
    }

    /// Square root.
    pub fn root(&self, x: Value<'c>) -> Value<'c> {
        self.apply("math.sqrt", &[x])
    }

    /// `|x|`.
    pub fn size(&self, x: Value<'c>) -> Value<'c> {
        self.apply("math.absf", &[x])
    }

    /// `|x|` with the sign of `sign`.
    pub fn signed_like(&self, x: Value<'c>, sign: Value<'c>) -> Value<'c> {
        self.apply("math.copysign", &[x, sign])
    }

    /// `x < y`, false for NaN.
    pub fn is_less(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.b.cmpf(FloatCmp::Olt, x, y)
    }

    /// `x == y` for a constant, false for NaN.
    pub fn is(&self, x: Value<'c>, y: f64) -> Value<'c> {
        self.b.cmpf(FloatCmp::Oeq, x, self.number(y))
    }

    /// The smaller and the larger of two numbers.
    pub fn ordered(&self, x: Value<'c>, y: Value<'c>) -> Pair<'c> {
        let swaps = self.is_less(x, y);
        let high = self.b.select(swaps, y, x);
        (self.b.select(swaps, x, y), high)
    }

    /// `sqrt(x² + y²)` of two numbers that are not negative, without overflow.
    pub fn distance(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        let (low, high) = self.ordered(x, y);
        let ratio = self.div(low, high);
        let one = self.number(1.0);
        let scaled = self.mul(high, self.root(self.add(one, self.mul(ratio, ratio))));
        let is_zero = self.is(low, 0.0);
        // Where only the larger one is infinite, the ratio is zero; where both are, it is NaN.
        let infinite = self.is(low, f64::INFINITY);
        let distance = self.b.select(is_zero, high, scaled);
        self.b.select(infinite, low, distance)
    }

    /// Whether the parts are `f64`.
    pub fn is_double(&self) -> bool {
        self.like.ty().bit_width() == Some(64)
    }

    /// The largest finite number.
    pub fn largest(&self) -> f64 {
        if self.is_double() { f64::MAX } else { f64::from(f32::MAX) }
    }

    /// `a + b` as the rounded sum and its error (Knuth).
    pub fn exact_sum(&self, a: Value<'c>, b: Value<'c>) -> Pair<'c> {
        let sum = self.add(a, b);
        let other = self.sub(sum, a);
        let lost = self.sub(a, self.sub(sum, other));
        (sum, self.add(lost, self.sub(b, other)))
    }

    /// `a²` as the rounded square and its error (Dekker), for `a` far from overflow. No fused
    /// multiply-add: targets without one would call the C library.
    pub fn exact_square(&self, a: Value<'c>) -> Pair<'c> {
        let square = self.mul(a, a);
        // As many bits as half the significand has: 2^27 + 1 and 2^12 + 1.
        let splitter = if self.is_double() { 134_217_729.0 } else { 4097.0 };
        let grown = self.mul(a, self.number(splitter));
        let high = self.sub(grown, self.sub(grown, a));
        let low = self.sub(a, high);
        let cross = self.mul(high, low);
        let first = self.sub(self.mul(high, high), square);
        let error = self.add(self.add(first, self.add(cross, cross)), self.mul(low, low));
        (square, error)
    }
}
