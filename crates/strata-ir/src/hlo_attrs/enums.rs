//! Enumerations; their numbers are those of the portable encoding.

use melior::{
    Context,
    ir::{Attribute, AttributeLike},
};

use super::{Fields, strataEnumAttr, strataEnumAttrGet};
use crate::handles::string_ref;

macro_rules! enumeration {
    ($(#[$doc:meta])* $name:ident, $mnemonic:literal,
     { $($(#[$value_doc:meta])* $value:ident = $number:literal $keyword:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$value_doc])* $value = $number,)*
        }

        impl $name {
            /// Reads the attribute; `None` when it is another one.
            pub fn from_attribute(attribute: Attribute<'_>) -> Option<Self> {
                Fields::of(attribute, $mnemonic)?;
                let mut number = -1;
                // SAFETY: the attribute is alive; the keyword is not asked for.
                unsafe {
                    strataEnumAttr(attribute.to_raw(), &raw mut number, std::ptr::null_mut());
                }
                match number {
                    $($number => Some(Self::$value),)*
                    _ => None,
                }
            }

            /// The attribute; `None` when the context lacks the dialect.
            pub fn to_attribute(self, context: &Context) -> Option<Attribute<'_>> {
                // SAFETY: the context is alive; a null attribute becomes `None`.
                unsafe {
                    Attribute::from_option_raw(strataEnumAttrGet(
                        context.to_raw(),
                        string_ref($mnemonic),
                        self as i32,
                    ))
                }
            }

            /// The keyword of the text form.
            pub fn keyword(self) -> &'static str {
                match self {
                    $(Self::$value => $keyword,)*
                }
            }
        }
    };
}

enumeration! {
    /// `#stablehlo<comparison_direction …>`: the relation that `compare` tests.
    ComparisonDirection, "comparison_direction", {
        /// Equal.
        Eq = 0 "EQ",
        /// Not equal.
        Ne = 1 "NE",
        /// Greater or equal.
        Ge = 2 "GE",
        /// Greater.
        Gt = 3 "GT",
        /// Less or equal.
        Le = 4 "LE",
        /// Less.
        Lt = 5 "LT",
    }
}

enumeration! {
    /// `#stablehlo<comparison_type …>`: the order that `compare` compares by.
    ComparisonType, "comparison_type", {
        /// The order of the element type.
        NoType = 0 "NOTYPE",
        /// IEEE comparison: NaN is unordered.
        Float = 1 "FLOAT",
        /// IEEE total order: -NaN < -0 < +0 < NaN.
        TotalOrder = 2 "TOTALORDER",
        /// Signed integers.
        Signed = 3 "SIGNED",
        /// Unsigned integers and booleans.
        Unsigned = 4 "UNSIGNED",
    }
}

enumeration! {
    /// `#stablehlo<precision …>`: how precisely an operand is multiplied.
    Precision, "precision", {
        /// The fastest that the target has.
        Default = 0 "DEFAULT",
        /// Between the two.
        High = 1 "HIGH",
        /// The most precise that the target has.
        Highest = 2 "HIGHEST",
    }
}

enumeration! {
    /// `#stablehlo<fft_type …>`: kind of Fourier transform.
    FftType, "fft_type", {
        /// Forward, complex to complex.
        Fft = 0 "FFT",
        /// Inverse, complex to complex.
        Ifft = 1 "IFFT",
        /// Forward, real to complex.
        Rfft = 2 "RFFT",
        /// Inverse, complex to real.
        Irfft = 3 "IRFFT",
    }
}

enumeration! {
    /// `#stablehlo<transpose …>`: how `triangular_solve` uses its matrix.
    Transpose, "transpose", {
        /// No valid form.
        Invalid = 0 "TRANSPOSE_INVALID",
        /// Not transposed.
        NoTranspose = 1 "NO_TRANSPOSE",
        /// Transposed.
        Transpose = 2 "TRANSPOSE",
        /// Transposed and conjugated.
        Adjoint = 3 "ADJOINT",
    }
}

enumeration! {
    /// `#stablehlo<rng_distribution …>`: distribution of random numbers.
    RngDistribution, "rng_distribution", {
        /// Uniform over [a, b).
        Uniform = 1 "UNIFORM",
        /// Normal with mean a and standard deviation b.
        Normal = 2 "NORMAL",
    }
}

enumeration! {
    /// `#stablehlo<rng_algorithm …>`: generator of random bits.
    RngAlgorithm, "rng_algorithm", {
        /// The implementation's choice.
        Default = 0 "DEFAULT",
        /// Threefry 2x32.
        ThreeFry = 1 "THREE_FRY",
        /// Philox 4x32.
        Philox = 2 "PHILOX",
    }
}

enumeration! {
    /// `#stablehlo.result_accuracy_mode`: how the accuracy of a result is stated.
    ResultAccuracyMode, "result_accuracy_mode", {
        /// The implementation's own.
        Default = 0 "DEFAULT",
        /// The most accurate that the implementation has.
        Highest = 1 "HIGHEST",
        /// Within the tolerances.
        Tolerance = 2 "TOLERANCE",
    }
}
