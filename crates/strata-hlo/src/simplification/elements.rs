//! The elements of constants as numbers: read from and written to a constant's bytes.
//!
//! Arithmetic on floats is done in `f64` and rounded to the type once. For sums, products, quotients and
//! square roots of the narrower formats that is the correctly rounded result: `f64` has more than twice
//! their digits.

use half::{bf16, f16};
use strata_ir::{
    Attribute, AttributeExt as _, Builder, ElementType, OpKind, Type, TypeExt as _, Value,
    dense_bytes,
};
use strata_rewrite::{Guard as _, Outcome};
use strata_target::tuning::simplification::MAX_FOLDED_ELEMENTS;

use crate::pattern::{defined_by, new_constant, new_splat};

/// One element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Element {
    /// `i1`.
    Bool(bool),
    /// An integer: signless ones are signed. In range for the type.
    Int(i128),
    /// A float of any format.
    Float(f64),
}

/// Element types for constant folding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `i1`.
    Bool,
    /// Two's complement of so many bits.
    Signed(u32),
    /// So many bits.
    Unsigned(u32),
    /// `f16`.
    F16,
    /// `bf16`.
    Bf16,
    /// `f32`.
    F32,
    /// `f64`.
    F64,
}

impl Kind {
    /// The kind of an element type; `None` for complex, quantized and narrower floating-point types.
    pub fn of(ty: Type<'_>) -> Option<Self> {
        if ty.is_int() {
            let bits = ty.bit_width()?;
            return Some(match (bits, ty.is_unsigned_int()) {
                (1, false) => Self::Bool,
                (bits, true) => Self::Unsigned(bits),
                (bits, false) => Self::Signed(bits),
            });
        }
        match ElementType::from_type(ty)? {
            ElementType::Float(16) => Some(Self::F16),
            ElementType::BFloat16 => Some(Self::Bf16),
            ElementType::Float(32) => Some(Self::F32),
            ElementType::Float(64) => Some(Self::F64),
            _ => None,
        }
    }

    /// Whether elements are floats.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::Bf16 | Self::F32 | Self::F64)
    }

    /// Bits of an element.
    pub fn bits(self) -> u32 {
        match self {
            Self::Bool => 1,
            Self::Signed(bits) | Self::Unsigned(bits) => bits,
            Self::F16 | Self::Bf16 => 16,
            Self::F32 => 32,
            Self::F64 => 64,
        }
    }

    /// Bytes of an element.
    pub fn bytes(self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    /// The element of this type next to `value`: integers wrap, floats round to the nearest even.
    pub fn fit(self, value: Element) -> Option<Element> {
        Some(match (self, value) {
            (Self::Bool, Element::Bool(_)) => value,
            (Self::Signed(bits), Element::Int(value)) => {
                let shift = 128 - bits;
                Element::Int((value << shift) >> shift)
            }
            (Self::Unsigned(bits), Element::Int(value)) => {
                Element::Int(value & ((1i128 << bits) - 1))
            }
            (Self::F16, Element::Float(value)) => {
                Element::Float(f16::from_f32(odd(value)).to_f64())
            }
            (Self::Bf16, Element::Float(value)) => {
                Element::Float(bf16::from_f32(odd(value)).to_f64())
            }
            (Self::F32, Element::Float(value)) => Element::Float(f64::from(value as f32)),
            (Self::F64, Element::Float(_)) => value,
            _ => return None,
        })
    }

    /// The element of these bytes.
    pub fn read(self, bytes: &[u8]) -> Element {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        let word = u64::from_le_bytes(word);
        match self {
            Self::Bool => Element::Bool(word != 0),
            Self::Signed(bits) => {
                let shift = 128 - bits;
                Element::Int((i128::from(word) << shift) >> shift)
            }
            Self::Unsigned(bits) => Element::Int(i128::from(word) & ((1i128 << bits) - 1)),
            Self::F16 => Element::Float(f16::from_bits(word as u16).to_f64()),
            Self::Bf16 => Element::Float(bf16::from_bits(word as u16).to_f64()),
            Self::F32 => Element::Float(f64::from(f32::from_bits(word as u32))),
            Self::F64 => Element::Float(f64::from_bits(word)),
        }
    }

    fn write(self, element: Element, into: &mut Vec<u8>) {
        let word = match (self, element) {
            (_, Element::Bool(value)) => u64::from(value),
            (_, Element::Int(value)) => (value & ((1i128 << self.bits()) - 1)) as u64,
            (Self::F16, Element::Float(value)) => u64::from(f16::from_f32(odd(value)).to_bits()),
            (Self::Bf16, Element::Float(value)) => u64::from(bf16::from_f32(odd(value)).to_bits()),
            (Self::F32, Element::Float(value)) => u64::from((value as f32).to_bits()),
            (_, Element::Float(value)) => value.to_bits(),
        };
        into.extend_from_slice(&word.to_le_bytes()[..self.bytes()]);
    }
}

/// The `f32` nearest to `value` or, where that is another number, the neighbour of `value` whose last bit is set: rounding it once
/// more gives what rounding `value` would.
fn odd(value: f64) -> f32 {
    let near = value as f32;
    let back = f64::from(near);
    if back == value || value.is_nan() {
        return near;
    }
    let below = if back.abs() > value.abs() { near.to_bits() - 1 } else { near.to_bits() };
    f32::from_bits(below | 1)
}

/// The elements of a constant: a splat, or one each.
#[derive(Clone, Debug)]
pub struct Elements {
    /// What they are.
    pub kind: Kind,
    /// In row-major order; a single one for a splat.
    pub list: Vec<Element>,
    /// Whether all are equal.
    pub is_splat: bool,
}

impl Elements {
    /// The elements of the constant that defines `value`, of which there are at most [`MAX_FOLDED_ELEMENTS`] unless all are
    /// equal.
    pub fn of(value: Value<'_>) -> Outcome<Self> {
        let ty = value.ty();
        let kind = Kind::of(ty.element()).or_decline("the elements are not real numbers")?;
        let op = defined_by(value, OpKind::Constant)?;
        let attribute = op.attr("value").or_decline("the constant has no value")?;
        let count = ty.element_count().or_decline("the shape is not static")?;
        if let Some(element) = attribute.splat_value() {
            let element = of_attribute(kind, element).or_decline("the splat cannot be read")?;
            return Ok(Self { kind, list: vec![element], is_splat: true });
        }
        (count <= MAX_FOLDED_ELEMENTS).or_decline("the constant is large")?;
        let bytes = attribute.raw_elements().or_decline("the constant is not dense")?;
        let list = bytes.chunks_exact(kind.bytes()).map(|bytes| kind.read(bytes)).collect();
        Ok(Self { kind, list, is_splat: false })
    }

    /// Element `index` in row-major order.
    pub fn at(&self, index: usize) -> Element {
        if self.is_splat { self.list[0] } else { self.list[index] }
    }
}

fn of_attribute(kind: Kind, element: Attribute<'_>) -> Option<Element> {
    match kind {
        Kind::Bool => Some(Element::Bool(element.as_i64()? != 0)),
        Kind::Signed(_) => Some(Element::Int(i128::from(element.as_i64()?))),
        Kind::Unsigned(_) => kind.fit(Element::Int(i128::from(element.as_i64()?))),
        _ => Some(Element::Float(element.as_f64()?)),
    }
}

/// `stablehlo.constant` of type `ty` with these elements: a single one for a splat.
pub fn constant_of<'c>(
    builder: &Builder<'c>,
    ty: Type<'c>,
    elements: &[Element],
    is_splat: bool,
) -> Outcome<Value<'c>> {
    let element = ty.element();
    let kind = Kind::of(element).or_decline("the elements are not real numbers")?;
    let first = elements.first().copied();
    let same = is_splat || (elements.len() > 1 && elements.windows(2).all(|two| two[0] == two[1]));
    // Zeros are equal whatever their sign, and a NaN is not equal to itself: neither becomes a splat.
    let is_plain = |element: Element| !matches!(element, Element::Float(x) if x == 0.0);
    if let Some(first) = first.filter(|first| same && (is_splat || is_plain(*first))) {
        let attribute = match first {
            Element::Bool(value) => strata_ir::boolean(builder.context, value),
            Element::Int(value) => strata_ir::int(element, value as i64),
            Element::Float(value) => strata_ir::float(builder.context, element, value),
        };
        return Ok(new_splat(builder, ty, attribute));
    }
    let mut bytes = Vec::with_capacity(elements.len() * kind.bytes());
    elements.iter().for_each(|element| kind.write(*element, &mut bytes));
    let value = dense_bytes(ty, &bytes).or_decline("the elements do not fit the type")?;
    Ok(new_constant(builder, ty, value))
}
