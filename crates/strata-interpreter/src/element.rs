//! Elements: their type, and their bits in one common representation.

use strata_eval::FloatType;
use strata_ir::{Type, TypeExt as _};

/// The bits of one element: integers without sign extension, floats in their own format, of a complex number the
/// real part in the lower half.
pub(crate) type Bits = u128;

/// The type of an element of a tensor, a vector or a buffer, or of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Elem {
    /// Signless integers of up to 64 bits.
    Int(u32),
    /// `index`, 64 bits.
    Index,
    /// Floating-point numbers.
    Float(FloatType),
    /// Pairs of floating-point numbers.
    Complex(FloatType),
}

impl Elem {
    /// The element type of a shaped type, or what a scalar type is.
    pub fn of(ty: Type<'_>) -> Option<Self> {
        let element = ty.element();
        if let Some(part) = element.complex_element() {
            return match Self::of(part)? {
                Self::Float(part) => Some(Self::Complex(part)),
                _ => None,
            };
        }
        let bits = element.bit_width()?;
        if element.is_int() {
            return (bits <= 64).then_some(Self::Int(bits));
        }
        if element.is_float_type() {
            let name = element.to_string();
            return FloatType::ALL.into_iter().find(|ty| ty.name() == name).map(Self::Float);
        }
        Some(Self::Index)
    }

    /// Bits without padding.
    pub fn bits(self) -> u32 {
        match self {
            Self::Int(bits) => bits,
            Self::Index => 64,
            Self::Float(ty) => ty.bits(),
            Self::Complex(part) => 2 * part.bits(),
        }
    }

    /// Bytes in a buffer: types narrower than a byte take one.
    pub fn bytes(self) -> usize {
        self.bits().div_ceil(8).next_power_of_two() as usize
    }

    /// The mask of an element's bits.
    pub fn mask(self) -> Bits {
        match self {
            Self::Complex(_) => Bits::MAX,
            _ => Bits::MAX >> (128 - self.bits()),
        }
    }

    /// The element in [`Self::bytes`] bytes.
    pub fn load(self, bytes: &[u8]) -> Bits {
        let word = |bytes: &[u8]| {
            let mut word = [0_u8; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            Bits::from(u64::from_le_bytes(word))
        };
        match self {
            Self::Complex(_) => {
                let (re, im) = bytes.split_at(bytes.len() / 2);
                word(re) | word(im) << 64
            }
            _ => word(bytes) & self.mask(),
        }
    }

    /// Writes an element into its bytes.
    pub fn store(self, bits: Bits, bytes: &mut [u8]) {
        let low = (bits as u64).to_le_bytes();
        match self {
            Self::Complex(_) => {
                let half = bytes.len() / 2;
                let high = ((bits >> 64) as u64).to_le_bytes();
                bytes[..half].copy_from_slice(&low[..half]);
                bytes[half..].copy_from_slice(&high[..half]);
            }
            _ => bytes.copy_from_slice(&low[..bytes.len()]),
        }
    }

    /// The integer with its sign.
    pub fn signed(self, bits: Bits) -> i64 {
        let shift = 64 - self.bits();
        ((bits as u64) << shift) as i64 >> shift
    }

    /// An integer, wrapped to the type.
    pub fn wrap(self, value: i128) -> Bits {
        value as Bits & self.mask()
    }

    /// Poison: an unlikely bit pattern, so that a use of it shows.
    pub fn poison(self) -> Bits {
        match self {
            Self::Int(_) | Self::Index => 0xA5C3_96E1_7B2D_4F80 & self.mask(),
            Self::Float(ty) => Bits::from(ty.encode(f64::NAN)),
            Self::Complex(part) => {
                let nan = Bits::from(part.encode(f64::NAN));
                nan | nan << 64
            }
        }
    }
}

/// The number that the bits of a float encode.
pub(crate) fn number(ty: FloatType, bits: Bits) -> f64 {
    ty.decode(bits as u64)
}

/// A number, rounded to the format.
pub(crate) fn rounded(ty: FloatType, value: f64) -> Bits {
    Bits::from(ty.encode(value))
}

/// The parts of a complex number.
pub(crate) fn parts(bits: Bits) -> (Bits, Bits) {
    (bits & Bits::from(u64::MAX), bits >> 64)
}

/// An integer as a double, rounded to odd if it does not fit, so that rounding it again gives the correctly rounded
/// result.
pub(crate) fn to_odd(value: i128) -> f64 {
    let magnitude = value.unsigned_abs();
    let excess = (128 - magnitude.leading_zeros()).saturating_sub(53);
    let sticky = u128::from(magnitude & ((1 << excess) - 1) != 0);
    let shortened = (magnitude >> excess | sticky) as f64;
    let result = shortened * 2_f64.powi(excess as i32);
    if value < 0 { -result } else { result }
}

/// `a * b + c`, rounded once, for formats whose products fit a double.
pub(crate) fn fused(ty: FloatType, a: f64, b: f64, c: f64) -> f64 {
    match ty {
        FloatType::F64 => a.mul_add(b, c),
        FloatType::F32 => f64::from((a as f32).mul_add(b as f32, c as f32)),
        _ => {
            let product = a * b;
            let sum = product + c;
            let back = sum - product;
            let error = (product - (sum - back)) + (c - back);
            if error == 0.0 || !sum.is_finite() || !error.is_finite() || sum.to_bits() & 1 == 1 {
                return ty.round(sum);
            }
            // Round to odd: the second rounding then sees that it was inexact.
            let away = (error > 0.0) == (sum > 0.0);
            let bits = if away { sum.to_bits() + 1 } else { sum.to_bits() - 1 };
            ty.round(f64::from_bits(bits))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_round_once() {
        // A tie of bf16 except for the last bit, which does not fit a double.
        let value = (1_i128 << 60) + (1 << 52) + 1;
        assert_eq!(FloatType::BF16.round(to_odd(value)), 2_f64.powi(60) + 2_f64.powi(53));
        assert_eq!(FloatType::BF16.round(value as f64), 2_f64.powi(60));
        assert_eq!(to_odd(-3), -3.0);
        assert_eq!(to_odd(0), 0.0);
    }

    #[test]
    fn fused_sums_round_once() {
        // The product is a tie of bf16: the addend decides, although adding it in double precision loses it.
        let ty = FloatType::BF16;
        let tiny = 2_f64.powi(-100);
        assert_eq!(fused(ty, 1.007_812_5, 1.5, tiny), 1.515_625);
        assert_eq!(fused(ty, 1.007_812_5, 1.5, -tiny), 1.507_812_5);
        assert_eq!(fused(ty, -1.007_812_5, 1.5, tiny), -1.507_812_5);
        assert_eq!(fused(FloatType::F32, 3.0, 4.0, 5.0), 17.0);
    }

    #[test]
    fn elements_survive_their_bytes() {
        let mut bytes = [0; 16];
        let pair = Bits::from(1.5_f64.to_bits()) | Bits::from((-2.0_f64).to_bits()) << 64;
        Elem::Complex(FloatType::F64).store(pair, &mut bytes);
        assert_eq!(Elem::Complex(FloatType::F64).load(&bytes), pair);
        assert_eq!(Elem::Int(4).load(&[0xFF]), 0xF);
        assert_eq!(Elem::Int(4).signed(0xF), -1);
    }
}
