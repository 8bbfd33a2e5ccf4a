//! Elementwise functions of one and two operands, and their accuracy.

use strata_ir as ir;
use strata_ir::{OpName, chlo, stablehlo};

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
    fn unary(&self, site: Site, name: OpName<'static>) -> Result<Op> {
        let value = self.graph.value(site, self)?;
        self.graph.emit_op(site, name, Results::Inferred, |op| op.operand(value))
    }

    /// A function with an accuracy. CHLO's functions do not define such an attribute and carry it as a discardable
    /// one.
    fn unary_within(
        &self,
        site: Site,
        name: OpName<'static>,
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
        name: OpName<'static>,
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
    ($($(#[$doc:meta])* $method:ident $document:literal $name:path;)*) => {
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
    abs "Abs" stablehlo::ABS;
    /// The smallest integral value that is not below the operand.
    ceil "Ceil" stablehlo::CEIL;
    /// The number of leading zero bits.
    clz "Clz" stablehlo::COUNT_LEADING_ZEROS;
    /// The largest integral value that is not above the operand.
    floor "Floor" stablehlo::FLOOR;
    /// Whether the operand is neither infinite nor NaN.
    is_finite "IsFinite" stablehlo::IS_FINITE;
    /// The negated operand.
    neg "Neg" stablehlo::NEGATE;
    /// Logical of booleans, bitwise of integers: the complement.
    not "Not" stablehlo::NOT;
    /// As [`Op::not`]: the older name.
    logical_not "LogicalNot" stablehlo::NOT;
    /// The number of bits that are one.
    population_count "PopulationCount" stablehlo::POPCNT;
    /// The nearest integral value, ties away from zero.
    round "Round" stablehlo::ROUND_NEAREST_AFZ;
    /// As [`Op::round`].
    round_nearest_afz "RoundNearestAfz" stablehlo::ROUND_NEAREST_AFZ;
    /// The nearest integral value, ties to even.
    round_nearest_even "RoundNearestEven" stablehlo::ROUND_NEAREST_EVEN;
    /// -1, 0 or 1 by the sign, zeros with their own sign, NaN for NaN; of complex numbers `z / |z|`.
    sign "Sign" stablehlo::SIGN;
    /// The arc cosine.
    acos "Acos" chlo::ACOS;
    /// The inverse hyperbolic cosine.
    acosh "Acosh" chlo::ACOSH;
    /// The arc sine.
    asin "Asin" chlo::ASIN;
    /// The inverse hyperbolic sine.
    asinh "Asinh" chlo::ASINH;
    /// The arc tangent.
    atan "Atan" chlo::ATAN;
    /// The inverse hyperbolic tangent.
    atanh "Atanh" chlo::ATANH;
    /// The complex conjugate.
    conj "Conj" chlo::CONJ;
    /// The derivative of the logarithm of the gamma function.
    digamma "Digamma" chlo::DIGAMMA;
    /// The complementary error function.
    erfc "Erfc" chlo::ERFC;
    /// The inverse error function.
    erf_inv "ErfInv" chlo::ERF_INV;
    /// The logarithm of the absolute value of the gamma function.
    lgamma "Lgamma" chlo::LGAMMA;
    /// The hyperbolic sine.
    sinh "Sinh" chlo::SINH;
    /// The square.
    square "Square" chlo::SQUARE;
}

impl Op {
    /// The real part; of real floats the operand itself.
    ///
    /// # Errors
    /// For integers and booleans.
    #[track_caller]
    pub fn real(&self) -> Result<Op> {
        self.unary(Site::new("Real"), stablehlo::REAL)
    }

    /// The imaginary part; of real floats zero.
    ///
    /// # Errors
    /// For integers and booleans.
    #[track_caller]
    pub fn imag(&self) -> Result<Op> {
        self.unary(Site::new("Imag"), stablehlo::IMAG)
    }
}

macro_rules! functions {
    ($($(#[$doc:meta])* $method:ident $within:ident $document:literal $name:path;)*) => {
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
    cbrt cbrt_with_accuracy "Cbrt" stablehlo::CBRT;
    /// The cosine.
    cos cos_with_accuracy "Cos" stablehlo::COSINE;
    /// The hyperbolic cosine.
    cosh cosh_with_accuracy "Cosh" chlo::COSH;
    /// The error function.
    erf erf_with_accuracy "Erf" chlo::ERF;
    /// The natural exponential.
    exp exp_with_accuracy "Exp" stablehlo::EXPONENTIAL;
    /// The natural exponential less one, accurate near zero.
    expm1 expm1_with_accuracy "Expm1" stablehlo::EXPONENTIAL_MINUS_ONE;
    /// The natural logarithm.
    log log_with_accuracy "Log" stablehlo::LOG;
    /// The logarithm of one plus the operand, accurate near zero.
    log1p log1p_with_accuracy "Log1p" stablehlo::LOG_PLUS_ONE;
    /// The logistic function `1 / (1 + exp(-x))`.
    logistic logistic_with_accuracy "Logistic" stablehlo::LOGISTIC;
    /// The reciprocal of the square root.
    rsqrt rsqrt_with_accuracy "Rsqrt" stablehlo::RSQRT;
    /// The sine.
    sin sin_with_accuracy "Sin" stablehlo::SINE;
    /// The square root.
    sqrt sqrt_with_accuracy "Sqrt" stablehlo::SQRT;
    /// The tangent.
    tan tan_with_accuracy "Tan" stablehlo::TAN;
    /// The hyperbolic tangent.
    tanh tanh_with_accuracy "Tanh" stablehlo::TANH;
}

macro_rules! binary {
    ($($(#[$doc:meta])* $method:ident $in_dim:ident $document:literal $name:path;)*) => {
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
    add add_in_dim "Add" stablehlo::ADD;
    #[doc = "The conjunction, logical or bitwise."]
    and and_in_dim "And" stablehlo::AND;
    #[doc = "The angle of the point (`rhs`, `self`)."]
    atan2 atan2_in_dim "Atan2" stablehlo::ATAN2;
    #[doc = "The complex number of a real part, `self`, and an imaginary one."]
    complex complex_in_dim "Complex" stablehlo::COMPLEX;
    #[doc = "The quotient."]
    div div_in_dim "Div" stablehlo::DIVIDE;
    #[doc = "As [`Op::and`]: the older name."]
    logical_and logical_and_in_dim "LogicalAnd" stablehlo::AND;
    #[doc = "As [`Op::or`]: the older name."]
    logical_or logical_or_in_dim "LogicalOr" stablehlo::OR;
    #[doc = "The larger of two."]
    max max_in_dim "Max" stablehlo::MAXIMUM;
    #[doc = "The smaller of two."]
    min min_in_dim "Min" stablehlo::MINIMUM;
    #[doc = "The product; of booleans the conjunction."]
    mul mul_in_dim "Mul" stablehlo::MULTIPLY;
    #[doc = "The disjunction, logical or bitwise."]
    or or_in_dim "Or" stablehlo::OR;
    #[doc = "`self` to the power of `rhs`."]
    pow pow_in_dim "Pow" stablehlo::POWER;
    #[doc = "The remainder of the division, with the sign of `self`."]
    rem rem_in_dim "Rem" stablehlo::REMAINDER;
    #[doc = "Bits moved towards the high end."]
    shift_left shift_left_in_dim "ShiftLeft" stablehlo::SHIFT_LEFT;
    #[doc = "Bits moved towards the low end, the sign kept."]
    shift_right_arithmetic shift_right_arithmetic_in_dim "ShiftRightArithmetic" stablehlo::SHIFT_RIGHT_ARITHMETIC;
    #[doc = "Bits moved towards the low end, filled with zeros."]
    shift_right_logical shift_right_logical_in_dim "ShiftRightLogical" stablehlo::SHIFT_RIGHT_LOGICAL;
    #[doc = "The difference."]
    sub sub_in_dim "Sub" stablehlo::SUBTRACT;
    #[doc = "The exclusive disjunction, logical or bitwise."]
    xor xor_in_dim "Xor" stablehlo::XOR;
    #[doc = "The next value after `self` in the direction of `rhs`."]
    next_after next_after_in_dim "NextAfter" chlo::NEXT_AFTER;
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
        self.graph.emit_op(site, stablehlo::CLAMP, Results::Inferred, |op| op.operands(&operands))
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
        self.graph.emit_op(site, stablehlo::REDUCE_PRECISION, Results::Inferred, |op| {
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
