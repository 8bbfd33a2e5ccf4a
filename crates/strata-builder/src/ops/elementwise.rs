//! Elementwise functions of one and two operands, and their accuracy.

use strata_ir as ir;

use crate::{
    broadcast,
    error::{Result, Site},
    graph::Results,
    op::Op,
    operand::Operand,
};

/// How accurate the result of a function has to be.
pub use strata_ir::ResultAccuracy;
/// Whether an accuracy is the implementation's own, its highest, or a tolerance.
pub use strata_ir::ResultAccuracyMode as AccuracyMode;

impl Op {
    fn unary(&self, site: Site, name: &'static str) -> Result<Op> {
        let value = self.graph.value(site, self)?;
        self.graph.emit_op(site, name, Results::Inferred, |op| op.operand(value))
    }

    /// A function with an accuracy. CHLO's functions do not define such an attribute and carry it as a discardable
    /// one.
    fn unary_within(
        &self,
        site: Site,
        name: &'static str,
        accuracy: &ResultAccuracy,
    ) -> Result<Op> {
        let value = self.graph.value(site, self)?;
        let attribute =
            self.graph.made(|context| accuracy.to_attribute(context)).ok_or_else(|| {
                site.hinted(
                "the accuracy has a negative tolerance, or tolerances that its mode does not have",
                "only `Tolerance` has tolerances, none of them negative",
            )
            })?;
        self.graph.emit_op(site, name, Results::Inferred, |op| {
            op.operand(value).attr("result_accuracy", attribute)
        })
    }

    pub(crate) fn binary(
        &self,
        site: Site,
        name: &'static str,
        rhs: impl Operand,
        dimensions: Option<&[i64]>,
    ) -> Result<Op> {
        let graph = &self.graph;
        graph.value(site, self)?;
        let rhs = self.beside(site, rhs)?;
        let (left, right) = broadcast::pair(site, graph, self, &rhs, dimensions)?;
        let operands = [graph.value(site, &left)?, graph.value(site, &right)?];
        graph.emit_op(site, name, Results::Inferred, |op| op.operands(&operands))
    }
}

macro_rules! unary {
    ($($(#[$doc:meta])* $method:ident $document:literal $name:literal;)*) => {
        #[allow(clippy::should_implement_trait)]
        impl Op {$(
            $(#[$doc])*
            ///
            /// # Errors
            /// For operands of other element types than the operation has.
            #[track_caller]
            pub fn $method(&self) -> Result<Op> {
                self.unary(Site::new($document), $name)
            }
        )*}
    };
}

unary! {
    /// The absolute value; of complex numbers the modulus, which is real.
    abs "Abs" "stablehlo.abs";
    /// The smallest integral value that is not below the operand.
    ceil "Ceil" "stablehlo.ceil";
    /// The number of leading zero bits.
    clz "Clz" "stablehlo.count_leading_zeros";
    /// The largest integral value that is not above the operand.
    floor "Floor" "stablehlo.floor";
    /// Whether the operand is neither infinite nor NaN.
    is_finite "IsFinite" "stablehlo.is_finite";
    /// The negated operand.
    neg "Neg" "stablehlo.negate";
    /// Logical of booleans, bitwise of integers: the complement.
    not "Not" "stablehlo.not";
    /// As [`Op::not`]: the older name.
    logical_not "LogicalNot" "stablehlo.not";
    /// The number of bits that are one.
    population_count "PopulationCount" "stablehlo.popcnt";
    /// The nearest integral value, ties away from zero.
    round "Round" "stablehlo.round_nearest_afz";
    /// As [`Op::round`].
    round_nearest_afz "RoundNearestAfz" "stablehlo.round_nearest_afz";
    /// The nearest integral value, ties to even.
    round_nearest_even "RoundNearestEven" "stablehlo.round_nearest_even";
    /// -1, 0 or 1 by the sign, zeros with their own sign, NaN for NaN; of complex numbers `z / |z|`.
    sign "Sign" "stablehlo.sign";
    /// The arc cosine.
    acos "Acos" "chlo.acos";
    /// The inverse hyperbolic cosine.
    acosh "Acosh" "chlo.acosh";
    /// The arc sine.
    asin "Asin" "chlo.asin";
    /// The inverse hyperbolic sine.
    asinh "Asinh" "chlo.asinh";
    /// The arc tangent.
    atan "Atan" "chlo.atan";
    /// The inverse hyperbolic tangent.
    atanh "Atanh" "chlo.atanh";
    /// The complex conjugate.
    conj "Conj" "chlo.conj";
    /// The derivative of the logarithm of the gamma function.
    digamma "Digamma" "chlo.digamma";
    /// The complementary error function.
    erfc "Erfc" "chlo.erfc";
    /// The inverse error function.
    erf_inv "ErfInv" "chlo.erf_inv";
    /// The logarithm of the absolute value of the gamma function.
    lgamma "Lgamma" "chlo.lgamma";
    /// The hyperbolic sine.
    sinh "Sinh" "chlo.sinh";
    /// The square.
    square "Square" "chlo.square";
}

impl Op {
    /// The real part; of real floats the operand itself.
    ///
    /// # Errors
    /// For integers and booleans.
    #[track_caller]
    pub fn real(&self) -> Result<Op> {
        self.unary(Site::new("Real"), "stablehlo.real")
    }

    /// The imaginary part; of real floats zero.
    ///
    /// # Errors
    /// For integers and booleans.
    #[track_caller]
    pub fn imag(&self) -> Result<Op> {
        self.unary(Site::new("Imag"), "stablehlo.imag")
    }
}

macro_rules! functions {
    ($($(#[$doc:meta])* $method:ident $within:ident $document:literal $name:literal;)*) => {
        impl Op {$(
            $(#[$doc])*
            ///
            /// # Errors
            /// For operands that are not floats or complex.
            #[track_caller]
            pub fn $method(&self) -> Result<Op> {
                self.unary(Site::new($document), $name)
            }

            #[doc = concat!("As [`Op::", stringify!($method), "`], with an accuracy.")]
            ///
            /// # Errors
            #[doc = concat!("As [`Op::", stringify!($method), "`], and for invalid tolerances.")]
            #[track_caller]
            pub fn $within(&self, result_accuracy: &ResultAccuracy) -> Result<Op> {
                self.unary_within(Site::new($document), $name, result_accuracy)
            }
        )*}
    };
}

functions! {
    /// The cubic root.
    cbrt cbrt_with_accuracy "Cbrt" "stablehlo.cbrt";
    /// The cosine.
    cos cos_with_accuracy "Cos" "stablehlo.cosine";
    /// The hyperbolic cosine.
    cosh cosh_with_accuracy "Cosh" "chlo.cosh";
    /// The error function.
    erf erf_with_accuracy "Erf" "chlo.erf";
    /// The natural exponential.
    exp exp_with_accuracy "Exp" "stablehlo.exponential";
    /// The natural exponential less one, accurate near zero.
    expm1 expm1_with_accuracy "Expm1" "stablehlo.exponential_minus_one";
    /// The natural logarithm.
    log log_with_accuracy "Log" "stablehlo.log";
    /// The logarithm of one plus the operand, accurate near zero.
    log1p log1p_with_accuracy "Log1p" "stablehlo.log_plus_one";
    /// The logistic function `1 / (1 + exp(-x))`.
    logistic logistic_with_accuracy "Logistic" "stablehlo.logistic";
    /// The reciprocal of the square root.
    rsqrt rsqrt_with_accuracy "Rsqrt" "stablehlo.rsqrt";
    /// The sine.
    sin sin_with_accuracy "Sin" "stablehlo.sine";
    /// The square root.
    sqrt sqrt_with_accuracy "Sqrt" "stablehlo.sqrt";
    /// The tangent.
    tan tan_with_accuracy "Tan" "stablehlo.tan";
    /// The hyperbolic tangent.
    tanh tanh_with_accuracy "Tanh" "stablehlo.tanh";
}

macro_rules! binary {
    ($($(#[$doc:meta])* $method:ident $in_dim:ident $document:literal $name:literal;)*) => {
        #[allow(clippy::should_implement_trait)]
        impl Op {$(
            $(#[$doc])*
            /// A scalar is broadcast, and so are dimensions of size 1.
            ///
            /// # Errors
            /// For arrays of different rank, sizes that are not compatible, and element types that differ or that the
            /// operation does not have.
            #[track_caller]
            pub fn $method(&self, rhs: impl Operand) -> Result<Op> {
                self.binary(Site::new($document), $name, rhs, None)
            }

            #[doc = concat!("As [`Op::", stringify!($method), "`], of arrays of different rank.")]
            /// `broadcast_dimensions` are the dimensions of the higher-rank array that those of the other one match.
            ///
            /// # Errors
            #[doc = concat!("As [`Op::", stringify!($method), "`], and for dimensions that are not strictly")]
            /// increasing, out of range, or not one for each of the lower-rank array.
            #[track_caller]
            pub fn $in_dim(&self, rhs: impl Operand, broadcast_dimensions: &[i64]) -> Result<Op> {
                self.binary(Site::new($document), $name, rhs, Some(broadcast_dimensions))
            }
        )*}
    };
}

binary! {
    #[doc = "The sum; of booleans the disjunction."]
    add add_in_dim "Add" "stablehlo.add";
    #[doc = "The conjunction, logical or bitwise."]
    and and_in_dim "And" "stablehlo.and";
    #[doc = "The angle of the point (`rhs`, `self`)."]
    atan2 atan2_in_dim "Atan2" "stablehlo.atan2";
    #[doc = "The complex number of a real part, `self`, and an imaginary one."]
    complex complex_in_dim "Complex" "stablehlo.complex";
    #[doc = "The quotient."]
    div div_in_dim "Div" "stablehlo.divide";
    #[doc = "As [`Op::and`]: the older name."]
    logical_and logical_and_in_dim "LogicalAnd" "stablehlo.and";
    #[doc = "As [`Op::or`]: the older name."]
    logical_or logical_or_in_dim "LogicalOr" "stablehlo.or";
    #[doc = "The larger of two."]
    max max_in_dim "Max" "stablehlo.maximum";
    #[doc = "The smaller of two."]
    min min_in_dim "Min" "stablehlo.minimum";
    #[doc = "The product; of booleans the conjunction."]
    mul mul_in_dim "Mul" "stablehlo.multiply";
    #[doc = "The disjunction, logical or bitwise."]
    or or_in_dim "Or" "stablehlo.or";
    #[doc = "`self` to the power of `rhs`."]
    pow pow_in_dim "Pow" "stablehlo.power";
    #[doc = "The remainder of the division, with the sign of `self`."]
    rem rem_in_dim "Rem" "stablehlo.remainder";
    #[doc = "Bits moved towards the high end."]
    shift_left shift_left_in_dim "ShiftLeft" "stablehlo.shift_left";
    #[doc = "Bits moved towards the low end, the sign kept."]
    shift_right_arithmetic shift_right_arithmetic_in_dim "ShiftRightArithmetic" "stablehlo.shift_right_arithmetic";
    #[doc = "Bits moved towards the low end, filled with zeros."]
    shift_right_logical shift_right_logical_in_dim "ShiftRightLogical" "stablehlo.shift_right_logical";
    #[doc = "The difference."]
    sub sub_in_dim "Sub" "stablehlo.subtract";
    #[doc = "The exclusive disjunction, logical or bitwise."]
    xor xor_in_dim "Xor" "stablehlo.xor";
    #[doc = "The next value after `self` in the direction of `rhs`."]
    next_after next_after_in_dim "NextAfter" "chlo.next_after";
}

impl Op {
    /// The operand within bounds: `min(max(self, min), max)`. Each bound is a scalar or of the operand's shape. XLA's
    /// `Clamp(min, operand, max)` has the operand in the middle: so has [`crate::Builder::clamp`].
    ///
    /// # Errors
    /// For bounds of another shape or element type.
    #[track_caller]
    pub fn clamp(&self, min: impl Operand, max: impl Operand) -> Result<Op> {
        let site = Site::new("Clamp");
        let (min, max) = (self.beside(site, min)?, self.beside(site, max)?);
        let operands = self.graph.values(site, &[min, self.clone(), max])?;
        self.graph.emit_op(site, "stablehlo.clamp", Results::Inferred, |op| op.operands(&operands))
    }

    /// Rounds floats as if converted to a format of fewer bits and back.
    ///
    /// # Errors
    /// For other types, no bit of exponent, or a negative number of bits.
    #[track_caller]
    pub fn reduce_precision(&self, exponent_bits: i32, mantissa_bits: i32) -> Result<Op> {
        let site = Site::new("ReducePrecision");
        let value = self.graph.value(site, self)?;
        let bits = ir::integer(self.graph.context(), 32);
        let (exponent, mantissa) =
            (ir::int(bits, exponent_bits.into()), ir::int(bits, mantissa_bits.into()));
        self.graph.emit_op(site, "stablehlo.reduce_precision", Results::Inferred, |op| {
            op.operand(value).attr("exponent_bits", exponent).attr("mantissa_bits", mantissa)
        })
    }
}

impl crate::Builder {
    /// XLA's `Clamp(min, operand, max)`.
    ///
    /// # Errors
    /// As [`Op::clamp`].
    #[track_caller]
    pub fn clamp(&self, min: impl Operand, operand: &Op, max: impl Operand) -> Result<Op> {
        operand.clamp(min, max)
    }
}
