//! Arithmetic on the two parts of a complex number.
//!
//! Functions of `complex<f32>` are computed in `f64` and rounded once, as the evaluator does: squares of parts neither
//! overflow nor vanish there, and cancellation leaves more digits than the result has.

use strata_ir::{
    Builder, FastMath, OpName, RARELY, Type, Value, arith, f64_type, integer, math, unit,
};
use strata_rewrite::Outcome;

/// The real and the imaginary part.
pub type Pair<'c> = (Value<'c>, Value<'c>);

/// Builds arithmetic on `f64` parts.
pub struct Parts<'b, 'c> {
    /// Where the arithmetic goes.
    pub b: &'b Builder<'c>,
    /// Whether all products are exact, or results are rounded to half of the digits, so that fusing one with a sum does not matter.
    pub has_exact_products: bool,
}

impl<'b, 'c> Parts<'b, 'c> {
    /// Builds arithmetic whose products are rounded.
    pub fn new(b: &'b Builder<'c>) -> Self {
        Self { b, has_exact_products: false }
    }
}

/// Applies `parts` to the parts of a complex number.
pub fn with_parts<'c>(
    b: &Builder<'c>,
    z: &[Value<'c>],
    parts: impl FnOnce(&Parts<'_, 'c>, Value<'c>, Value<'c>) -> Pair<'c>,
) -> Outcome<Value<'c>> {
    let (ty, (re, im)) = wide_parts(b, z[0])?;
    let (re, im) = parts(&Parts::new(b), re, im);
    Ok(narrow_complex(b, (re, im), ty))
}

/// Applies `parts` to the parts of two complex numbers.
pub fn with_two<'c>(
    b: &Builder<'c>,
    z: &[Value<'c>],
    parts: impl FnOnce(&Parts<'_, 'c>, Pair<'c>, Pair<'c>) -> Pair<'c>,
) -> Outcome<Value<'c>> {
    let (ty, first) = wide_parts(b, z[0])?;
    let (_, second) = wide_parts(b, z[1])?;
    let (re, im) = parts(&Parts::new(b), first, second);
    Ok(narrow_complex(b, (re, im), ty))
}

/// The type of the parts, and the parts in `f64`.
pub fn wide_parts<'c>(b: &Builder<'c>, z: Value<'c>) -> Outcome<(Type<'c>, Pair<'c>)> {
    let (re, im) = b.parts(z)?;
    let ty = re.ty();
    let double = f64_type(b.context);
    let wide = |x| if ty == double { x } else { b.cast(arith::EXTF, x, double) };
    Ok((ty, (wide(re), wide(im))))
}

/// A complex number with parts of type `ty`.
pub fn narrow_complex<'c>(b: &Builder<'c>, (re, im): Pair<'c>, ty: Type<'c>) -> Value<'c> {
    b.complex(narrowed(b, re, ty), narrowed(b, im, ty))
}

/// `x` in the type of the parts.
pub fn narrowed<'c>(b: &Builder<'c>, x: Value<'c>, ty: Type<'c>) -> Value<'c> {
    if x.ty() == ty { x } else { b.cast(arith::TRUNCF, x, ty) }
}

impl<'c> Parts<'_, 'c> {
    /// A constant.
    pub fn number(&self, value: f64) -> Value<'c> {
        self.b.float(f64_type(self.b.context), value)
    }

    /// An operation whose result has its operands' type.
    pub fn apply(&self, name: OpName<'static>, args: &[Value<'c>]) -> Value<'c> {
        self.b.same(name, args)
    }

    /// A part of a sum of products.
    fn term(&self, name: OpName<'static>, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        if !self.has_exact_products {
            return self.apply(name, &[x, y]);
        }
        let contract = FastMath::CONTRACT.to_attribute(self.b.context);
        self.b.op(name).operands(&[x, y]).attr("fastmath", contract).result(x.ty()).value()
    }

    /// Sum.
    pub fn add(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.term(arith::ADDF, x, y)
    }

    /// Difference.
    pub fn sub(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.term(arith::SUBF, x, y)
    }

    /// Product.
    pub fn mul(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.term(arith::MULF, x, y)
    }

    /// `yes` where a condition holds that hardly any number meets, `no` elsewhere.
    pub fn rarely(&self, condition: Value<'c>, yes: Value<'c>, no: Value<'c>) -> Value<'c> {
        let selection = arith::select(self.b, condition, yes, no, yes.ty());
        selection.attrs(&[(RARELY, unit(self.b.context))]).value()
    }

    /// Quotient.
    pub fn div(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.apply(arith::DIVF, &[x, y])
    }

    /// `-x`.
    pub fn negated(&self, x: Value<'c>) -> Value<'c> {
        self.apply(arith::NEGF, &[x])
    }

    /// `x / 2`.
    pub fn half(&self, x: Value<'c>) -> Value<'c> {
        self.mul(x, self.number(0.5))
    }

    /// Square root.
    pub fn root(&self, x: Value<'c>) -> Value<'c> {
        self.apply(math::SQRT, &[x])
    }

    /// `1 / sqrt(x)` within 2^-38 of it, for positive normal `x`; a number for zero. Twice the third-order step for `y = (1 + d) / sqrt(x)`,
    /// from what half of the exponent and of the mantissa give within 0.035 of it.
    pub fn reciprocal_root(&self, x: Value<'c>) -> Value<'c> {
        const GUESS: i64 = 0x5fe6_eb50_c7b5_37a9;
        let bits = integer(self.b.context, 64);
        let half = [self.b.cast(arith::BITCAST, x, bits), self.b.int(bits, 1)];
        let guess = [self.b.int(bits, GUESS), self.apply(arith::SHRUI, &half)];
        let guess = self.b.cast(arith::BITCAST, self.apply(arith::SUBI, &guess), x.ty());
        (0..2).fold(guess, |y, _| {
            let part = self.correction(self.mul(x, y), y);
            self.add(y, self.mul(y, part))
        })
    }

    /// `1 / sqrt(xy) - 1` for a product near one: `e/2 + 3e²/8` for `e = 1 - xy`.
    fn correction(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        let error = self.sub(self.number(1.0), self.mul(x, y));
        self.mul(error, self.add(self.number(0.5), self.mul(self.number(0.375), error)))
    }

    /// `|x|`.
    pub fn size(&self, x: Value<'c>) -> Value<'c> {
        self.apply(math::ABSF, &[x])
    }

    /// `|x|` with the sign of `sign`.
    pub fn signed_like(&self, x: Value<'c>, sign: Value<'c>) -> Value<'c> {
        self.apply(math::COPYSIGN, &[x, sign])
    }

    /// `x < y`, false for NaN.
    pub fn is_less(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.b.cmpf(arith::CmpFPredicate::Olt, x, y)
    }

    /// `x == y` for a constant, false for NaN.
    pub fn is(&self, x: Value<'c>, y: f64) -> Value<'c> {
        self.b.cmpf(arith::CmpFPredicate::Oeq, x, self.number(y))
    }

    /// Whether both hold.
    pub fn both(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.apply(arith::ANDI, &[x, y])
    }

    /// Whether one of the two holds.
    pub fn either(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.apply(arith::ORI, &[x, y])
    }

    /// Whether `x` is infinite.
    pub fn is_infinite(&self, x: Value<'c>) -> Value<'c> {
        self.is(self.size(x), f64::INFINITY)
    }

    /// Whether `x` is infinite or NaN.
    pub fn is_open(&self, x: Value<'c>) -> Value<'c> {
        self.b.cmpf(arith::CmpFPredicate::Uge, self.size(x), self.number(f64::INFINITY))
    }

    /// The smaller and the larger of two numbers.
    pub fn ordered(&self, x: Value<'c>, y: Value<'c>) -> Pair<'c> {
        let swaps = self.is_less(x, y);
        let high = self.b.select(swaps, y, x);
        (self.b.select(swaps, x, y), high)
    }

    /// `sqrt(x² + y²)` of two numbers that are not negative, without overflow; infinite where one of them is.
    pub fn distance(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        let (low, high) = self.ordered(x, y);
        let ratio = self.div(low, high);
        let one = self.number(1.0);
        let scaled = self.mul(high, self.root(self.add(one, self.mul(ratio, ratio))));
        let is_zero = self.is(low, 0.0);
        let distance = self.b.select(is_zero, high, scaled);
        let infinite = self.either(self.is(x, f64::INFINITY), self.is(y, f64::INFINITY));
        self.b.select(infinite, self.number(f64::INFINITY), distance)
    }

    /// Factors for a number whose larger part is `high`: a power of two that makes squares and quotients of the
    /// parts ordinary numbers, by its exponent where that part is small and where it is large.
    pub fn scale(&self, high: Value<'c>, small: i32, large: i32) -> Value<'c> {
        let is_large = self.b.cmpf(arith::CmpFPredicate::Ogt, high, self.number(1e300));
        let is_small = self.is_less(high, self.number(1e-290));
        let up = self.b.select(is_small, self.number(2f64.powi(small)), self.number(1.0));
        self.b.select(is_large, self.number(2f64.powi(large)), up)
    }

    /// `a + b` as the rounded sum and its error (Knuth).
    pub fn exact_sum(&self, a: Value<'c>, b: Value<'c>) -> Pair<'c> {
        let sum = self.add(a, b);
        let other = self.sub(sum, a);
        let lost = self.sub(a, self.sub(sum, other));
        (sum, self.add(lost, self.sub(b, other)))
    }

    /// `a b` as the rounded product and its error (Dekker), for factors far from overflow. No fused
    /// multiply-add: targets without one would call the C library.
    pub fn exact_product(&self, a: Value<'c>, b: Value<'c>) -> Pair<'c> {
        let product = self.mul(a, b);
        let ((a, a_low), (b, b_low)) = (self.halves(a), self.halves(b));
        let first = self.sub(self.mul(a, b), product);
        let cross = self.add(self.add(first, self.mul(a, b_low)), self.mul(a_low, b));
        (product, self.add(cross, self.mul(a_low, b_low)))
    }

    /// [`Self::exact_product`] of a number and itself.
    pub fn exact_square(&self, a: Value<'c>) -> Pair<'c> {
        self.exact_product(a, a)
    }

    /// A number as a sum of two of half as many bits (Veltkamp).
    fn halves(&self, a: Value<'c>) -> Pair<'c> {
        let grown = self.mul(a, self.number(134_217_729.0));
        let high = self.sub(grown, self.sub(grown, a));
        (high, self.sub(a, high))
    }

    /// The sum of some numbers, rounded as if it had been formed with three times as many bits (Ogita, Rump and Oishi, "Accurate
    /// sum and dot product", 2005).
    pub fn exact_total(&self, terms: &[Value<'c>]) -> Value<'c> {
        let mut terms = terms.to_vec();
        for _ in 0..2 {
            for index in 1..terms.len() {
                let (sum, error) = self.exact_sum(terms[index], terms[index - 1]);
                (terms[index], terms[index - 1]) = (sum, error);
            }
        }
        let mut terms = terms.into_iter();
        let first = terms.next().unwrap_or_else(|| self.number(0.0));
        terms.fold(first, |sum, term| self.add(sum, term))
    }
}
