//! Binary floating-point formats, described by a table row and converted through `f64`.
//!
//! Every format that StableHLO has is a subset of `f64`, so `f64` represents all of them exactly and
//! only [`FloatType::encode`] rounds (to nearest, ties to even). An operation that is computed in `f64`
//! and then rounded once is correctly rounded for `+ - * / sqrt` of every format with at most 25 bits
//! of precision.

/// A floating-point element type.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FloatType {
    F4E2M1FN,
    F6E2M3FN,
    F6E3M2FN,
    F8E3M4,
    F8E4M3,
    F8E4M3FN,
    F8E4M3FNUZ,
    F8E4M3B11FNUZ,
    F8E5M2,
    F8E5M2FNUZ,
    F8E8M0FNU,
    BF16,
    F16,
    F32,
    F64,
}

/// The encodings that are not finite numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Special {
    /// Infinities and NaNs share the largest exponent, as in IEEE 754.
    Ieee,
    /// Only the all-ones encoding of either sign is a NaN; no infinity.
    NanOnly,
    /// The encoding of negative zero is the only NaN; no infinity.
    NanIsNegativeZero,
    /// Finite numbers only.
    FiniteOnly,
    /// An exponent alone: no sign, no zero, all ones is NaN.
    ExponentOnly,
}

/// One row of the table.
struct Format {
    name: &'static str,
    exponent_bits: u32,
    mantissa_bits: u32,
    bias: i32,
    special: Special,
}

const fn row(
    name: &'static str,
    exponent_bits: u32,
    mantissa_bits: u32,
    bias: i32,
    special: Special,
) -> Format {
    Format { name, exponent_bits, mantissa_bits, bias, special }
}

/// 2 to the power of `exponent`, for exponents of normal `f64` numbers.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl FloatType {
    /// Every float type.
    pub const ALL: [FloatType; 15] = [
        FloatType::F4E2M1FN,
        FloatType::F6E2M3FN,
        FloatType::F6E3M2FN,
        FloatType::F8E3M4,
        FloatType::F8E4M3,
        FloatType::F8E4M3FN,
        FloatType::F8E4M3FNUZ,
        FloatType::F8E4M3B11FNUZ,
        FloatType::F8E5M2,
        FloatType::F8E5M2FNUZ,
        FloatType::F8E8M0FNU,
        FloatType::BF16,
        FloatType::F16,
        FloatType::F32,
        FloatType::F64,
    ];

    fn format(self) -> Format {
        use Special::*;
        match self {
            FloatType::F4E2M1FN => row("f4E2M1FN", 2, 1, 1, FiniteOnly),
            FloatType::F6E2M3FN => row("f6E2M3FN", 2, 3, 1, FiniteOnly),
            FloatType::F6E3M2FN => row("f6E3M2FN", 3, 2, 3, FiniteOnly),
            FloatType::F8E3M4 => row("f8E3M4", 3, 4, 3, Ieee),
            FloatType::F8E4M3 => row("f8E4M3", 4, 3, 7, Ieee),
            FloatType::F8E4M3FN => row("f8E4M3FN", 4, 3, 7, NanOnly),
            FloatType::F8E4M3FNUZ => row("f8E4M3FNUZ", 4, 3, 8, NanIsNegativeZero),
            FloatType::F8E4M3B11FNUZ => row("f8E4M3B11FNUZ", 4, 3, 11, NanIsNegativeZero),
            FloatType::F8E5M2 => row("f8E5M2", 5, 2, 15, Ieee),
            FloatType::F8E5M2FNUZ => row("f8E5M2FNUZ", 5, 2, 16, NanIsNegativeZero),
            FloatType::F8E8M0FNU => row("f8E8M0FNU", 8, 0, 127, ExponentOnly),
            FloatType::BF16 => row("bf16", 8, 7, 127, Ieee),
            FloatType::F16 => row("f16", 5, 10, 15, Ieee),
            FloatType::F32 => row("f32", 8, 23, 127, Ieee),
            FloatType::F64 => row("f64", 11, 52, 1023, Ieee),
        }
    }

    /// The name in MLIR's text form, such as `f8E4M3FN`.
    pub fn name(self) -> &'static str {
        self.format().name
    }

    /// Width in bits, without padding.
    pub fn bits(self) -> u32 {
        match self {
            FloatType::F8E8M0FNU => 8,
            _ => {
                let format = self.format();
                1 + format.exponent_bits + format.mantissa_bits
            }
        }
    }

    /// Bits of the mantissa without the hidden one.
    pub fn mantissa_bits(self) -> u32 {
        self.format().mantissa_bits
    }

    /// Bits of the exponent.
    pub fn exponent_bits(self) -> u32 {
        self.format().exponent_bits
    }

    /// The largest finite number.
    pub fn max_finite(self) -> f64 {
        match self {
            FloatType::F64 => f64::MAX,
            FloatType::F32 => f64::from(f32::MAX),
            _ => self.decode(self.format().max_finite_bits()),
        }
    }

    /// The number that `bits` stands for.
    pub fn decode(self, bits: u64) -> f64 {
        match self {
            FloatType::F64 => f64::from_bits(bits),
            FloatType::F32 => f64::from(f32::from_bits(bits as u32)),
            _ => self.format().decode(bits),
        }
    }

    /// The encoding of `value`, rounded to nearest with ties to even.
    ///
    /// Beyond the largest finite number: infinity where the format has one, else NaN where it has one,
    /// else the largest number. A format without NaN takes negative zero for it.
    pub fn encode(self, value: f64) -> u64 {
        match self {
            FloatType::F64 => value.to_bits(),
            FloatType::F32 => u64::from((value as f32).to_bits()),
            _ => self.format().encode(value),
        }
    }

    /// `value` rounded to this format.
    pub fn round(self, value: f64) -> f64 {
        match self {
            FloatType::F64 => value,
            FloatType::F32 => f64::from(value as f32),
            _ => self.decode(self.encode(value)),
        }
    }
}

impl Format {
    fn sign_bit(&self) -> u64 {
        match self.special {
            Special::ExponentOnly => 0,
            _ => 1 << (self.exponent_bits + self.mantissa_bits),
        }
    }

    fn max_finite_bits(&self) -> u64 {
        let all_ones = (1 << (self.exponent_bits + self.mantissa_bits)) - 1;
        match self.special {
            Special::Ieee => all_ones - (1 << self.mantissa_bits),
            Special::NanOnly | Special::ExponentOnly => all_ones - 1,
            Special::NanIsNegativeZero | Special::FiniteOnly => all_ones,
        }
    }

    fn nan_bits(&self, negative: bool) -> u64 {
        let all_ones = (1 << (self.exponent_bits + self.mantissa_bits)) - 1;
        let sign = if negative { self.sign_bit() } else { 0 };
        match self.special {
            // The quiet NaN: largest exponent, leading bit of the mantissa.
            Special::Ieee => {
                sign | (((1 << (self.exponent_bits + 1)) - 1) << (self.mantissa_bits - 1))
            }
            Special::NanOnly | Special::ExponentOnly => sign | all_ones,
            Special::NanIsNegativeZero | Special::FiniteOnly => self.sign_bit(),
        }
    }

    fn overflow_bits(&self, negative: bool) -> u64 {
        let sign = if negative { self.sign_bit() } else { 0 };
        match self.special {
            Special::Ieee => sign | (((1 << self.exponent_bits) - 1) << self.mantissa_bits),
            Special::FiniteOnly => sign | self.max_finite_bits(),
            _ => self.nan_bits(negative),
        }
    }

    fn decode(&self, bits: u64) -> f64 {
        let magnitude_mask = (1u64 << (self.exponent_bits + self.mantissa_bits)) - 1;
        let magnitude = bits & magnitude_mask;
        let negative = bits & self.sign_bit() != 0;
        let exponent = (magnitude >> self.mantissa_bits) as i32;
        let mantissa = magnitude & ((1 << self.mantissa_bits) - 1);
        let value = match self.special {
            Special::ExponentOnly if magnitude == magnitude_mask => f64::NAN,
            Special::ExponentOnly => return power_of_two(exponent - self.bias),
            Special::NanOnly if magnitude == magnitude_mask => f64::NAN,
            Special::NanIsNegativeZero if negative && magnitude == 0 => return f64::NAN,
            Special::Ieee if exponent == (1 << self.exponent_bits) - 1 => {
                if mantissa == 0 {
                    f64::INFINITY
                } else {
                    f64::NAN
                }
            }
            _ => {
                let hidden = if exponent == 0 { 0 } else { 1 << self.mantissa_bits };
                let scale = exponent.max(1) - self.bias - self.mantissa_bits as i32;
                (hidden + mantissa) as f64 * power_of_two(scale)
            }
        };
        if negative { -value } else { value }
    }

    fn encode(&self, value: f64) -> u64 {
        let negative = value.is_sign_negative();
        if value.is_nan() {
            return self.nan_bits(negative);
        }
        let magnitude = value.abs();
        if self.special == Special::ExponentOnly && (negative || magnitude == 0.0) {
            return self.nan_bits(false);
        }
        if magnitude.is_infinite() {
            return self.overflow_bits(negative);
        }
        let sign = if negative { self.sign_bit() } else { 0 };
        let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(1 - self.bias);
        let quotient = (magnitude * power_of_two(self.mantissa_bits as i32 - exponent))
            .round_ties_even() as u64;
        let bits = if self.special == Special::ExponentOnly {
            return self.encode_exponent(magnitude);
        } else if quotient < 1 << self.mantissa_bits {
            quotient
        } else {
            // A carry out of the mantissa goes into the exponent, as it should.
            let field = (exponent + self.bias) as u64;
            (field << self.mantissa_bits) + (quotient - (1 << self.mantissa_bits))
        };
        if bits > self.max_finite_bits() {
            return self.overflow_bits(negative);
        }
        match self.special {
            Special::NanIsNegativeZero if bits == 0 => 0,
            _ => sign | bits,
        }
    }

    /// The nearest power of two; a tie goes up, because the hidden one, the last place, is odd.
    fn encode_exponent(&self, magnitude: f64) -> u64 {
        let raw = magnitude.to_bits();
        let floor = (raw >> 52) as i32 - 1023 + self.bias;
        let fraction = raw & ((1 << 52) - 1);
        let half = 1 << 51;
        let up = fraction >= half;
        let encoded = floor + i32::from(up);
        if encoded > self.max_finite_bits() as i32 {
            return self.nan_bits(false);
        }
        encoded.max(0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_of_the_small_formats_survives_a_round_trip() {
        for ty in FloatType::ALL {
            if ty.bits() > 16 {
                continue;
            }
            for bits in 0..1u64 << ty.bits() {
                let value = ty.decode(bits);
                if !value.is_nan() {
                    assert_eq!(ty.encode(value), bits, "{} {bits:#x}", ty.name());
                } else {
                    assert!(ty.decode(ty.encode(value)).is_nan(), "{}", ty.name());
                }
            }
        }
    }

    #[test]
    fn half_precision_rounds_as_the_half_crate_does() {
        let mut bits = 1u32;
        for _ in 0..200_000 {
            bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let value = f32::from_bits(bits);
            if value.is_nan() {
                continue;
            }
            let wide = f64::from(value);
            assert_eq!(
                FloatType::F16.encode(wide) as u16,
                half::f16::from_f32(value).to_bits(),
                "{value:e}"
            );
            assert_eq!(
                FloatType::BF16.encode(wide) as u16,
                half::bf16::from_f32(value).to_bits(),
                "{value:e}"
            );
        }
    }

    #[test]
    fn largest_numbers_and_overflow() {
        let cases = [
            (FloatType::F4E2M1FN, 6.0, 6.0),
            (FloatType::F6E2M3FN, 7.5, 7.5),
            (FloatType::F6E3M2FN, 28.0, 28.0),
            (FloatType::F8E3M4, 15.5, f64::INFINITY),
            (FloatType::F8E4M3, 240.0, f64::INFINITY),
            (FloatType::F8E5M2, 57344.0, f64::INFINITY),
        ];
        for (ty, largest, beyond) in cases {
            assert_eq!(ty.max_finite(), largest, "{}", ty.name());
            assert_eq!(ty.round(1e30), beyond, "{}", ty.name());
        }
        for (ty, largest) in [
            (FloatType::F8E4M3FN, 448.0),
            (FloatType::F8E4M3FNUZ, 240.0),
            (FloatType::F8E4M3B11FNUZ, 30.0),
            (FloatType::F8E5M2FNUZ, 57344.0),
        ] {
            assert_eq!(ty.max_finite(), largest, "{}", ty.name());
            assert!(ty.round(1e30).is_nan(), "{}", ty.name());
        }
    }

    #[test]
    fn exponent_only_format_rounds_to_powers_of_two() {
        let ty = FloatType::F8E8M0FNU;
        assert_eq!(ty.round(3.1), 4.0);
        assert_eq!(ty.round(2.9), 2.0);
        assert_eq!(ty.round(3.0), 4.0);
        assert_eq!(ty.round(6.0), 8.0);
        assert_eq!(ty.round(1e-45), power_of_two(-127));
        assert!(ty.round(0.0).is_nan());
        assert!(ty.round(-1.0).is_nan());
    }

    #[test]
    fn fnuz_has_one_zero() {
        assert_eq!(FloatType::F8E4M3FNUZ.encode(-0.0), 0);
        assert_eq!(FloatType::F8E4M3FNUZ.encode(-1e-9), 0);
    }
}
