//! Element types as values (`F32`) and as Rust types (`f32`).

use half::{bf16, f16};
use num_complex::Complex;

pub use strata_ir::ElementType;

macro_rules! names {
    ($($name:ident = $value:expr, $doc:literal;)*) => {
        $(#[doc = $doc] pub const $name: ElementType = $value;)*
    };
}

names! {
    PRED = ElementType::Bool, "Booleans.";
    S2 = ElementType::Signed(2), "Signed integers of 2 bits.";
    S4 = ElementType::Signed(4), "Signed integers of 4 bits.";
    S8 = ElementType::Signed(8), "Signed integers of 8 bits.";
    S16 = ElementType::Signed(16), "Signed integers of 16 bits.";
    S32 = ElementType::Signed(32), "Signed integers of 32 bits.";
    S64 = ElementType::Signed(64), "Signed integers of 64 bits.";
    U2 = ElementType::Unsigned(2), "Unsigned integers of 2 bits.";
    U4 = ElementType::Unsigned(4), "Unsigned integers of 4 bits.";
    U8 = ElementType::Unsigned(8), "Unsigned integers of 8 bits.";
    U16 = ElementType::Unsigned(16), "Unsigned integers of 16 bits.";
    U32 = ElementType::Unsigned(32), "Unsigned integers of 32 bits.";
    U64 = ElementType::Unsigned(64), "Unsigned integers of 64 bits.";
    F16 = ElementType::Float(16), "IEEE half precision.";
    BF16 = ElementType::BFloat16, "The upper half of `F32`.";
    F32 = ElementType::Float(32), "IEEE single precision.";
    F64 = ElementType::Float(64), "IEEE double precision.";
    C64 = ElementType::Complex(64), "Complex numbers of two `F32`.";
    C128 = ElementType::Complex(128), "Complex numbers of two `F64`.";
    F4E2M1FN = ElementType::SmallFloat("f4E2M1FN"), "Floats of 4 bits.";
    F6E2M3FN = ElementType::SmallFloat("f6E2M3FN"), "Floats of 6 bits, 2 of them the exponent.";
    F6E3M2FN = ElementType::SmallFloat("f6E3M2FN"), "Floats of 6 bits, 3 of them the exponent.";
    F8E3M4 = ElementType::SmallFloat("f8E3M4"), "Floats of 8 bits, 3 of them the exponent.";
    F8E4M3 = ElementType::SmallFloat("f8E4M3"), "Floats of 8 bits, 4 of them the exponent.";
    F8E4M3FN = ElementType::SmallFloat("f8E4M3FN"), "As `F8E4M3`, without infinities.";
    F8E4M3FNUZ = ElementType::SmallFloat("f8E4M3FNUZ"), "As `F8E4M3FN`, without negative zero.";
    F8E4M3B11FNUZ = ElementType::SmallFloat("f8E4M3B11FNUZ"), "As `F8E4M3FNUZ`, with bias 11.";
    F8E5M2 = ElementType::SmallFloat("f8E5M2"), "Floats of 8 bits, 5 of them the exponent.";
    F8E5M2FNUZ = ElementType::SmallFloat("f8E5M2FNUZ"), "As `F8E5M2`, without infinities and negative zero.";
    F8E8M0FNU = ElementType::SmallFloat("f8E8M0FNU"), "Powers of two in 8 bits.";
}

/// A Rust type that is an element type.
pub trait Native: Copy + PartialEq + std::fmt::Debug + 'static {
    /// The element type as a value.
    const TYPE: ElementType;
    /// Appends the value's little-endian bytes.
    fn put(self, bytes: &mut Vec<u8>);
    /// The value of as many bytes as an element takes.
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! natives {
    ($($native:ty = $value:ident;)*) => {
        $(impl Native for $native {
            const TYPE: ElementType = $value;

            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }

            fn get(bytes: &[u8]) -> Self {
                let mut array = [0; size_of::<Self>()];
                array.copy_from_slice(bytes);
                Self::from_le_bytes(array)
            }
        })*
    };
}

natives! {
    i8 = S8; i16 = S16; i32 = S32; i64 = S64;
    u8 = U8; u16 = U16; u32 = U32; u64 = U64;
    f16 = F16; bf16 = BF16; f32 = F32; f64 = F64;
}

impl Native for bool {
    const TYPE: ElementType = PRED;

    fn put(self, bytes: &mut Vec<u8>) {
        bytes.push(u8::from(self));
    }

    fn get(bytes: &[u8]) -> Self {
        bytes.first().is_some_and(|byte| *byte != 0)
    }
}

macro_rules! complex {
    ($part:ty, $value:ident) => {
        impl Native for Complex<$part> {
            const TYPE: ElementType = $value;

            fn put(self, bytes: &mut Vec<u8>) {
                self.re.put(bytes);
                self.im.put(bytes);
            }

            fn get(bytes: &[u8]) -> Self {
                let (re, im) = bytes.split_at(bytes.len() / 2);
                Self::new(<$part>::get(re), <$part>::get(im))
            }
        }
    };
}

complex!(f32, C64);
complex!(f64, C128);

/// Whether the compiler supports the element type.
pub(crate) fn is_known(element: ElementType) -> bool {
    match element {
        ElementType::Bool | ElementType::BFloat16 => true,
        ElementType::Signed(bits) | ElementType::Unsigned(bits) => {
            matches!(bits, 2 | 4 | 8 | 16 | 32 | 64)
        }
        ElementType::Float(bits) => matches!(bits, 16 | 32 | 64),
        ElementType::Complex(bits) => matches!(bits, 64 | 128),
        ElementType::SmallFloat(_) => {
            strata_eval::ElementType::parse(&element.to_string()).is_some()
        }
    }
}
