//! Arithmetic on emitted values, written as formulas.
//!
//! A [`Num`] is a scalar or a vector of any shape; every operator emits one operation.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Sub};

use strata_ir::{
    Builder, OpName, RARELY, Type, TypeExt as _, Value, View, arith, f32_type, f64_type, integer,
    math, scf, unit, vector,
};

/// `1 / d` is about the number whose bits are these less those of `d`: to a part in 20.
const RECIPROCAL: u32 = 0x7ef3_340b;
/// `r (c - d r)` is closer to `1 / d` than `r` is: after two of these steps to 2^-20, after three to the last place.
const CORRECTIONS: [f64; 3] = [2.001_281_59, 2.000_000_82, 2.0];

/// A value of floating-point, integer or boolean elements.
#[derive(Clone, Copy)]
pub struct Num<'c> {
    emit: Builder<'c>,
    has_fma: bool,
    /// The emitted value.
    pub value: Value<'c>,
}

impl<'c> Num<'c> {
    /// Wraps a value; `has_fma` says whether a multiply-add is one instruction.
    pub fn new(emit: Builder<'c>, has_fma: bool, value: Value<'c>) -> Self {
        Self { emit, has_fma, value }
    }

    /// Another value in the same place.
    pub fn with(self, value: Value<'c>) -> Self {
        Self { value, ..self }
    }

    /// Whether a multiply-add is one instruction, and rounds once.
    pub fn has_fma(self) -> bool {
        self.has_fma
    }

    /// The type.
    pub fn ty(self) -> Type<'c> {
        self.value.ty()
    }

    /// Bits of an element.
    pub fn width(self) -> u32 {
        self.ty().element().bit_width().unwrap_or(32)
    }

    fn op(self, name: OpName<'c>, others: &[Self]) -> Self {
        let operands: Vec<_> =
            std::iter::once(self.value).chain(others.iter().map(|one| one.value)).collect();
        self.with(self.emit.same(name, &operands))
    }

    /// A floating-point constant of this type.
    pub fn constant(self, value: f64) -> Self {
        self.with(self.emit.float(self.ty(), value))
    }

    /// An integer constant of this type.
    pub fn integer(self, value: i64) -> Self {
        self.with(self.emit.int(self.ty(), value))
    }

    /// `self * factor + term`, fused where that is one instruction.
    pub fn mul_add(self, factor: Self, term: Self) -> Self {
        if self.has_fma { self.op(math::FMA, &[factor, term]) } else { self * factor + term }
    }

    /// The polynomial with these coefficients, the constant one first, by Horner's rule.
    pub fn polynomial(self, coefficients: &[f64]) -> Self {
        let mut rest = coefficients.iter().rev();
        let highest = self.constant(rest.next().copied().unwrap_or(0.0));
        rest.fold(highest, |sum, one| sum.mul_add(self, self.constant(*one)))
    }

    /// The absolute value.
    pub fn abs(self) -> Self {
        self.op(math::ABSF, &[])
    }

    /// The magnitude of `self` with the sign of `other`.
    pub fn copysign(self, other: Self) -> Self {
        self.op(math::COPYSIGN, &[other])
    }

    /// The square root, correctly rounded.
    pub fn sqrt(self) -> Self {
        self.op(math::SQRT, &[])
    }

    fn compare(self, predicate: arith::CmpFPredicate, other: Self) -> Self {
        self.with(self.emit.cmpf(predicate, self.value, other.value))
    }

    /// `self < other`, false for NaN.
    pub fn lt(self, other: Self) -> Self {
        self.compare(arith::CmpFPredicate::Olt, other)
    }

    /// `self > other`, false for NaN.
    pub fn gt(self, other: Self) -> Self {
        self.compare(arith::CmpFPredicate::Ogt, other)
    }

    /// `self >= other`, false for NaN.
    pub fn ge(self, other: Self) -> Self {
        self.compare(arith::CmpFPredicate::Oge, other)
    }

    /// `self == other`, false for NaN.
    pub fn eq(self, other: Self) -> Self {
        self.compare(arith::CmpFPredicate::Oeq, other)
    }

    /// Whether it is NaN.
    pub fn is_nan(self) -> Self {
        self.compare(arith::CmpFPredicate::Uno, self)
    }

    /// `self == other` on integers.
    pub fn int_eq(self, other: Self) -> Self {
        self.with(self.emit.cmpi(arith::CmpIPredicate::Eq, self.value, other.value))
    }

    /// `self < other` on signed integers.
    pub fn int_lt(self, other: Self) -> Self {
        self.with(self.emit.cmpi(arith::CmpIPredicate::Slt, self.value, other.value))
    }

    /// Lanes of `yes` where this condition holds, of `no` elsewhere.
    pub fn select(self, yes: Self, no: Self) -> Self {
        self.with(self.emit.select(self.value, yes.value, no.value))
    }

    /// The smaller of both; NaN stays NaN.
    pub fn at_most(self, limit: f64) -> Self {
        let limit = self.constant(limit);
        self.gt(limit).select(limit, self)
    }

    /// The larger of both; NaN stays NaN.
    pub fn at_least(self, limit: f64) -> Self {
        let limit = self.constant(limit);
        self.lt(limit).select(limit, self)
    }

    /// `1 / d` for `-d`, an `f32` between 2^-125 and 2^125, after that many steps of Newton's. A division takes longer.
    pub fn reciprocal_of_negative(self, steps: usize) -> Self {
        let sign = 1_u32 << 31;
        let bits = self.bits();
        let from = bits.integer(i64::from((RECIPROCAL ^ sign).cast_signed()));
        CORRECTIONS[..steps].iter().fold(from.minus(bits).as_float(), |reciprocal, correction| {
            reciprocal * self.mul_add(reciprocal, self.constant(*correction))
        })
    }

    /// The square root of an `f32`, of `self` less its square, and half of its reciprocal within 2^-9: the first step to the root of a number
    /// that is near. Of zero two zeros and a number.
    pub fn root_with_rest(self) -> [Self; 3] {
        let root = self.sqrt();
        let rest = if self.has_fma {
            (-root).mul_add(root, self)
        } else {
            let (square, error) = root.mul_exact(root);
            (self - square) - error
        };
        [root, rest, (root * -2.0).reciprocal_of_negative(1)]
    }

    /// `body` where this condition holds in any lane, `otherwise` where it holds in none.
    pub fn choose_any<const N: usize>(
        self,
        body: impl FnOnce(Self) -> [Self; N],
        of: Self,
        otherwise: [Self; N],
    ) -> [Self; N] {
        let builder = self.emit;
        let condition = match self.ty().is_vector_type() {
            true => self.emit.reduction(vector::CombiningKind::Or, self.value),
            false => self.value,
        };
        let give = |inside: &Builder<'c>, values: [Self; N]| {
            scf::yield_(inside, &values.map(|one| one.value)).build();
        };
        let then = builder.region(&[], |inside, _| {
            let of = Self { emit: *inside, ..of };
            give(inside, body(of));
        });
        let or_else = builder.region(&[], |inside, _| give(inside, otherwise));
        let types = otherwise.map(Self::ty);
        let op = scf::if_(&builder, condition, &types, then, or_else).build().op();
        op.set_attr(RARELY, unit(builder.context));
        std::array::from_fn(|index| self.with(op.result(index)))
    }

    /// The product as a sum of two numbers, exact.
    pub fn mul_exact(self, other: Self) -> (Self, Self) {
        let product = self * other;
        if self.has_fma {
            return (product, self.mul_add(other, -product));
        }
        // Halves of the mantissas, whose products are exact.
        let ((a, b), (c, d)) = (self.halves(), other.halves());
        let error = ((a * c - product) + a * d + b * c) + b * d;
        (product, error)
    }

    /// As a sum of two numbers of half as many bits; the square of the first is exact.
    pub fn halves(self) -> (Self, Self) {
        let kept = if self.width() == 64 { !0x7ff_ffff } else { !0xfff };
        let high = (self.bits() & self.bits().integer(kept)).as_float();
        (high, self - high)
    }

    /// The low and the high half of the product of unsigned integers.
    pub fn times_extended(self, other: Self) -> (Self, Self) {
        let op = self
            .emit
            .op(arith::MULUI_EXTENDED)
            .operands(&[self.value, other.value])
            .results(&[self.ty(), self.ty()])
            .build();
        (self.with(op.result(0)), self.with(op.result(1)))
    }

    /// `self < other` on unsigned integers.
    pub fn int_below(self, other: Self) -> Self {
        self.with(self.emit.cmpi(arith::CmpIPredicate::Ult, self.value, other.value))
    }

    /// Floats as signed integers of their width.
    pub fn to_integer(self) -> Self {
        self.as_element(arith::FPTOSI, integer(self.emit.context, self.width()))
    }

    fn as_element(self, name: OpName<'c>, element: Type<'c>) -> Self {
        let ty = self.emit.like(self.ty(), element);
        self.with(self.emit.apply(name, &[self.value], ty))
    }

    /// The bits of a float as integers.
    pub fn bits(self) -> Self {
        self.as_element(arith::BITCAST, integer(self.emit.context, self.width()))
    }

    /// The floats with these bits.
    pub fn as_float(self) -> Self {
        let context = self.emit.context;
        let element = if self.width() == 64 { f64_type(context) } else { f32_type(context) };
        self.as_element(arith::BITCAST, element)
    }

    /// The same bits as elements of another type of the same width.
    pub fn reinterpreted(self, element: Type<'c>) -> Self {
        self.as_element(arith::BITCAST, element)
    }

    /// As integers of `width` bits, sign-extended or cut off.
    pub fn resized(self, width: u32) -> Self {
        let name = if width > self.width() { arith::EXTSI } else { arith::TRUNCI };
        if width == self.width() {
            return self;
        }
        self.as_element(name, integer(self.emit.context, width))
    }

    /// 32-bit integers without their lower halves.
    pub fn upper_half(self) -> Self {
        self & self.integer(-1 << 16)
    }

    /// A vector of 16-bit elements as 32-bit integers: even lanes are lower halves.
    pub fn pairs(self) -> Self {
        let lanes = self.ty().shape().and_then(|shape| shape.last().copied()).unwrap_or(2);
        let ty = vector(&[lanes / 2], integer(self.emit.context, 32));
        self.with(self.emit.apply(vector::BITCAST, &[self.value], ty))
    }

    /// The upper halves of a vector of integers.
    pub fn upper_halves(self) -> Self {
        let lanes = self.ty().shape().and_then(|shape| shape.last().copied()).unwrap_or(1);
        let half = integer(self.emit.context, self.width() / 2);
        let halves = self.emit.apply(vector::BITCAST, &[self.value], vector(&[2 * lanes], half));
        let odd: Vec<_> = (0..lanes).map(|lane| 2 * lane + 1).collect();
        self.with(self.emit.shuffle(halves, halves, &odd))
    }

    /// As integers of `width` bits, zero-extended.
    pub fn zero_extended(self, width: u32) -> Self {
        self.as_element(arith::EXTUI, integer(self.emit.context, width))
    }

    /// Signed integers as floats of the width of the integers.
    pub fn to_float(self) -> Self {
        let context = self.emit.context;
        let element = if self.width() == 64 { f64_type(context) } else { f32_type(context) };
        self.as_element(arith::SITOFP, element)
    }

    /// As floats of another type, rounded where that is narrower.
    pub fn to(self, element: Type<'c>) -> Self {
        let target = element.bit_width().unwrap_or(32);
        if element == self.ty().element() {
            return self;
        }
        self.as_element(if target > self.width() { arith::EXTF } else { arith::TRUNCF }, element)
    }

    /// As `f32`.
    pub fn to_f32(self) -> Self {
        self.to(f32_type(self.emit.context))
    }

    /// As `f64`.
    pub fn to_f64(self) -> Self {
        self.to(f64_type(self.emit.context))
    }

    /// The integer sum.
    pub fn plus(self, other: Self) -> Self {
        self.op(arith::ADDI, &[other])
    }

    /// The integer difference.
    pub fn minus(self, other: Self) -> Self {
        self.op(arith::SUBI, &[other])
    }

    /// The integer product.
    pub fn times(self, other: Self) -> Self {
        self.op(arith::MULI, &[other])
    }

    /// The bits that differ.
    pub fn xor(self, other: Self) -> Self {
        self.op(arith::XORI, &[other])
    }

    /// The opposite condition.
    pub fn not(self) -> Self {
        self.xor(self.integer(1))
    }

    /// Shifted left by a constant.
    pub fn shl(self, by: i64) -> Self {
        self.op(arith::SHLI, &[self.integer(by)])
    }

    /// Shifted right by a constant; zeros come in.
    pub fn shr(self, by: i64) -> Self {
        self.op(arith::SHRUI, &[self.integer(by)])
    }

    /// Shifted right by a constant; the sign comes in.
    pub fn sar(self, by: i64) -> Self {
        self.op(arith::SHRSI, &[self.integer(by)])
    }

    /// Shifted left lane by lane.
    pub fn shl_by(self, by: Self) -> Self {
        self.op(arith::SHLI, &[by])
    }

    /// Shifted right lane by lane; zeros come in.
    pub fn shr_by(self, by: Self) -> Self {
        self.op(arith::SHRUI, &[by])
    }
}

macro_rules! operator {
    ($trait:ident $method:ident $name:path) => {
        impl<'c> $trait for Num<'c> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                self.op($name, &[other])
            }
        }
    };
}
operator!(Add add arith::ADDF);
operator!(Sub sub arith::SUBF);
operator!(Mul mul arith::MULF);
operator!(Div div arith::DIVF);
operator!(BitAnd bitand arith::ANDI);
operator!(BitOr bitor arith::ORI);

impl<'c> Add<f64> for Num<'c> {
    type Output = Self;
    fn add(self, other: f64) -> Self {
        self + self.constant(other)
    }
}

impl<'c> Sub<f64> for Num<'c> {
    type Output = Self;
    fn sub(self, other: f64) -> Self {
        self - self.constant(other)
    }
}

impl<'c> Mul<f64> for Num<'c> {
    type Output = Self;
    fn mul(self, other: f64) -> Self {
        self * self.constant(other)
    }
}

impl<'c> Neg for Num<'c> {
    type Output = Self;
    fn neg(self) -> Self {
        self.op(arith::NEGF, &[])
    }
}
