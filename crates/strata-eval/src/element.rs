//! Element types, and one element of any type in a carrier wide enough for its class.

use std::fmt;

use num_complex::Complex64;

use crate::float_format::FloatType;

/// The type of a tensor's elements. Quantized tensors hold their storage type here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementType {
    /// `i1`: false or true.
    Bool,
    /// Signed integers of 2, 4, 8, 16, 32 or 64 bits in two's complement.
    Signed(u8),
    /// Unsigned integers of 2, 4, 8, 16, 32 or 64 bits.
    Unsigned(u8),
    /// Real floating-point numbers.
    Float(FloatType),
    /// Complex numbers with parts of that type (`f32` or `f64`).
    Complex(FloatType),
}

/// The `f32` element type.
pub const F32: ElementType = ElementType::Float(FloatType::F32);
/// The `f64` element type.
pub const F64: ElementType = ElementType::Float(FloatType::F64);
/// The `bf16` element type.
pub const BF16: ElementType = ElementType::Float(FloatType::BF16);
/// The `f16` element type.
pub const F16: ElementType = ElementType::Float(FloatType::F16);
/// The `complex<f32>` element type.
pub const C64: ElementType = ElementType::Complex(FloatType::F32);
/// The `complex<f64>` element type.
pub const C128: ElementType = ElementType::Complex(FloatType::F64);
/// The `i1` element type.
pub const I1: ElementType = ElementType::Bool;
/// The `i8` element type.
pub const I8: ElementType = ElementType::Signed(8);
/// The `i32` element type.
pub const I32: ElementType = ElementType::Signed(32);
/// The `i64` element type.
pub const I64: ElementType = ElementType::Signed(64);
/// The `ui8` element type.
pub const UI8: ElementType = ElementType::Unsigned(8);
/// The `ui32` element type.
pub const UI32: ElementType = ElementType::Unsigned(32);
/// The `ui64` element type.
pub const UI64: ElementType = ElementType::Unsigned(64);

/// One element. The carriers hold every value of their class exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Element {
    /// Of type `i1`.
    Bool(bool),
    /// Of a signed integer type.
    Signed(i64),
    /// Of an unsigned integer type.
    Unsigned(u64),
    /// Of a real floating-point type.
    Float(f64),
    /// Of a complex type.
    Complex(Complex64),
}

impl Element {
    /// The value as an index or size: integers and booleans only.
    pub fn as_integer(self) -> Option<i64> {
        match self {
            Element::Bool(value) => Some(i64::from(value)),
            Element::Signed(value) => Some(value),
            // An index beyond the signed range is out of bounds of everything either way.
            Element::Unsigned(value) => Some(i64::try_from(value).unwrap_or(i64::MAX)),
            _ => None,
        }
    }

    /// The truth value; `None` for other types than `i1`.
    pub fn as_bool(self) -> Option<bool> {
        match self {
            Element::Bool(value) => Some(value),
            _ => None,
        }
    }
}

impl ElementType {
    /// Bytes of one element in memory: sub-byte types take a byte each.
    pub fn bytes(self) -> usize {
        match self {
            ElementType::Bool => 1,
            ElementType::Signed(bits) | ElementType::Unsigned(bits) => {
                usize::from(bits).div_ceil(8)
            }
            ElementType::Float(ty) => ty.bits().div_ceil(8) as usize,
            ElementType::Complex(part) => 2 * part.bits().div_ceil(8) as usize,
        }
    }

    /// Width in bits, without padding.
    pub fn bits(self) -> u32 {
        match self {
            ElementType::Bool => 1,
            ElementType::Signed(bits) | ElementType::Unsigned(bits) => u32::from(bits),
            ElementType::Float(ty) => ty.bits(),
            ElementType::Complex(part) => 2 * part.bits(),
        }
    }

    /// Whether it is a real floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, ElementType::Float(_))
    }

    /// Whether it is a complex type.
    pub fn is_complex(self) -> bool {
        matches!(self, ElementType::Complex(_))
    }

    /// Whether it is a signed or unsigned integer type (`i1` is not).
    pub fn is_integer(self) -> bool {
        matches!(self, ElementType::Signed(_) | ElementType::Unsigned(_))
    }

    /// The type of the parts of a complex type, of a real one itself.
    pub fn real_part(self) -> ElementType {
        match self {
            ElementType::Complex(part) => ElementType::Float(part),
            other => other,
        }
    }

    /// The smallest signed integer of the type; 0 for all other types.
    pub fn min_integer(self) -> i64 {
        match self {
            ElementType::Signed(bits) => i64::MIN >> (64 - bits),
            _ => 0,
        }
    }

    /// The largest integer of the type; 1 for `i1`, 0 for types that are not integers.
    pub fn max_integer(self) -> u64 {
        match self {
            ElementType::Bool => 1,
            ElementType::Signed(bits) => (i64::MAX as u64) >> (64 - bits),
            ElementType::Unsigned(bits) => u64::MAX >> (64 - bits),
            _ => 0,
        }
    }

    /// Zero (false).
    pub fn zero(self) -> Element {
        self.from_i64(0)
    }

    /// The element that changes no sum: the negative zero where there is one, which keeps the sign of a zero.
    pub fn neutral_of_sums(self) -> Element {
        let zero = match self {
            ElementType::Float(_) => Element::Float(-0.0),
            ElementType::Complex(_) => Element::Complex(Complex64::new(-0.0, -0.0)),
            _ => self.zero(),
        };
        self.normalize(zero)
    }

    /// A small integer in this type, converted as by `convert`.
    #[allow(clippy::wrong_self_convention)]
    pub fn from_i64(self, value: i64) -> Element {
        self.normalize(match self {
            ElementType::Bool => Element::Bool(value != 0),
            ElementType::Signed(_) => Element::Signed(value),
            ElementType::Unsigned(_) => Element::Unsigned(value as u64),
            ElementType::Float(_) => Element::Float(value as f64),
            ElementType::Complex(_) => Element::Complex(Complex64::new(value as f64, 0.0)),
        })
    }

    /// `element` brought into the type's range: integers wrap around, floats are rounded.
    ///
    /// The element must be of the type's class; another class is returned unchanged.
    pub fn normalize(self, element: Element) -> Element {
        match (self, element) {
            (ElementType::Signed(bits), Element::Signed(value)) => {
                let shift = 64 - u32::from(bits);
                Element::Signed((value << shift) >> shift)
            }
            (ElementType::Unsigned(bits), Element::Unsigned(value)) => {
                Element::Unsigned(value & (u64::MAX >> (64 - u32::from(bits))))
            }
            (ElementType::Float(ty), Element::Float(value)) => Element::Float(ty.round(value)),
            (ElementType::Complex(part), Element::Complex(value)) => {
                Element::Complex(Complex64::new(part.round(value.re), part.round(value.im)))
            }
            (_, other) => other,
        }
    }

    /// Whether `element` is of this type's class.
    pub fn holds(self, element: Element) -> bool {
        matches!(
            (self, element),
            (ElementType::Bool, Element::Bool(_))
                | (ElementType::Signed(_), Element::Signed(_))
                | (ElementType::Unsigned(_), Element::Unsigned(_))
                | (ElementType::Float(_), Element::Float(_))
                | (ElementType::Complex(_), Element::Complex(_))
        )
    }

    /// Reads the element that `bytes` (exactly [`Self::bytes`] of them, little endian) hold.
    pub fn decode(self, bytes: &[u8]) -> Element {
        match self {
            ElementType::Bool => Element::Bool(bytes.first().is_some_and(|byte| *byte != 0)),
            ElementType::Signed(_) => {
                self.normalize(Element::Signed(read_little_endian(bytes) as i64))
            }
            ElementType::Unsigned(_) => {
                self.normalize(Element::Unsigned(read_little_endian(bytes)))
            }
            ElementType::Float(ty) => Element::Float(ty.decode(read_little_endian(bytes))),
            ElementType::Complex(part) => {
                let (re, im) = bytes.split_at(bytes.len() / 2);
                Element::Complex(Complex64::new(
                    part.decode(read_little_endian(re)),
                    part.decode(read_little_endian(im)),
                ))
            }
        }
    }

    /// Writes `element` into `bytes`, rounding or wrapping it to the type.
    ///
    /// An element of another class is a bug of the caller and writes zero.
    pub fn encode(self, element: Element, bytes: &mut [u8]) {
        debug_assert!(self.holds(element), "{self} cannot hold {element:?}");
        match (self, element) {
            (ElementType::Bool, Element::Bool(value)) => {
                write_little_endian(u64::from(value), bytes);
            }
            (ElementType::Signed(_), Element::Signed(_)) => {
                // A byte of fewer bits holds the number with its sign, as compiled code writes it.
                if let Element::Signed(value) = self.normalize(element) {
                    write_little_endian(value as u64, bytes);
                }
            }
            (ElementType::Unsigned(bits), Element::Unsigned(value)) => {
                write_little_endian(value & (u64::MAX >> (64 - u32::from(bits))), bytes);
            }
            (ElementType::Float(ty), Element::Float(value)) => {
                write_little_endian(ty.encode(value), bytes);
            }
            (ElementType::Complex(part), Element::Complex(value)) => {
                let middle = bytes.len() / 2;
                let (re, im) = bytes.split_at_mut(middle);
                write_little_endian(part.encode(value.re), re);
                write_little_endian(part.encode(value.im), im);
            }
            _ => bytes.fill(0),
        }
    }

    /// The type with that name in MLIR's text form (`i1`, `ui8`, `bf16`, `complex<f32>`, `index`).
    pub fn parse(name: &str) -> Option<ElementType> {
        if let Some(part) = name.strip_prefix("complex<").and_then(|rest| rest.strip_suffix('>')) {
            return match ElementType::parse(part)? {
                ElementType::Float(part) => Some(ElementType::Complex(part)),
                _ => None,
            };
        }
        let width = |digits: &str| {
            let bits = digits.parse::<u8>().ok()?;
            matches!(bits, 2 | 4 | 8 | 16 | 32 | 64).then_some(bits)
        };
        match name {
            "i1" => Some(ElementType::Bool),
            "index" => Some(I64),
            _ => {
                if let Some(ty) = FloatType::ALL.into_iter().find(|ty| ty.name() == name) {
                    return Some(ElementType::Float(ty));
                }
                if let Some(digits) = name.strip_prefix("ui") {
                    return width(digits).map(ElementType::Unsigned);
                }
                name.strip_prefix('i').and_then(width).map(ElementType::Signed)
            }
        }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ElementType::Bool => formatter.write_str("i1"),
            ElementType::Signed(bits) => write!(formatter, "i{bits}"),
            ElementType::Unsigned(bits) => write!(formatter, "ui{bits}"),
            ElementType::Float(ty) => formatter.write_str(ty.name()),
            ElementType::Complex(part) => write!(formatter, "complex<{}>", part.name()),
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Element::Bool(value) => write!(formatter, "{value}"),
            Element::Signed(value) => write!(formatter, "{value}"),
            Element::Unsigned(value) => write!(formatter, "{value}"),
            Element::Float(value) => write!(formatter, "{value:e}"),
            Element::Complex(value) => write!(formatter, "({:e}, {:e})", value.re, value.im),
        }
    }
}

fn read_little_endian(bytes: &[u8]) -> u64 {
    match *bytes {
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)),
    }
}

fn write_little_endian(value: u64, bytes: &mut [u8]) {
    match bytes.len() {
        1 => bytes[0] = value as u8,
        4 => bytes.copy_from_slice(&(value as u32).to_le_bytes()),
        8 => bytes.copy_from_slice(&value.to_le_bytes()),
        width => bytes.copy_from_slice(&value.to_le_bytes()[..width]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_to_their_width() {
        let cases = [
            (ElementType::Signed(2), Element::Signed(2), Element::Signed(-2)),
            (ElementType::Signed(4), Element::Signed(-9), Element::Signed(7)),
            (ElementType::Unsigned(4), Element::Unsigned(17), Element::Unsigned(1)),
            (I64, Element::Signed(i64::MIN), Element::Signed(i64::MIN)),
        ];
        for (ty, wide, wrapped) in cases {
            assert_eq!(ty.normalize(wide), wrapped, "{ty}");
            let mut bytes = vec![0; ty.bytes()];
            ty.encode(wide, &mut bytes);
            assert_eq!(ty.decode(&bytes), wrapped, "{ty}");
        }
        let mut byte = [0];
        ElementType::Signed(4).encode(Element::Signed(-8), &mut byte);
        assert_eq!(byte, [0xF8], "the byte holds the number with its sign");
    }

    #[test]
    fn names_are_read_back() {
        for name in ["i1", "i2", "ui4", "i64", "bf16", "f8E4M3B11FNUZ", "complex<f64>"] {
            assert_eq!(ElementType::parse(name).map(|ty| ty.to_string()).as_deref(), Some(name));
        }
        assert_eq!(ElementType::parse("i3"), None);
        assert_eq!(ElementType::parse("complex<i8>"), None);
    }

    #[test]
    fn ranges_of_integers() {
        assert_eq!((I8.min_integer(), I8.max_integer()), (-128, 127));
        assert_eq!((UI8.min_integer(), UI8.max_integer()), (0, 255));
        assert_eq!(UI64.max_integer(), u64::MAX);
        assert_eq!((I64.min_integer(), I64.max_integer()), (i64::MIN, i64::MAX as u64));
    }
}
