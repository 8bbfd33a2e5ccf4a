//! Tensor types as signatures spell them, and how their elements lie in memory.

/// `tensor<2x3xf32>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorType {
    /// Dimensions.
    pub shape: Vec<u64>,
    /// Element type.
    pub element: Element,
}

impl TensorType {
    /// Takes the text of a type apart; `None` where it is no tensor of static shape and of numbers.
    pub fn parse(text: &str) -> Option<Self> {
        let mut rest = text.strip_prefix("tensor<")?.strip_suffix('>')?;
        let mut shape = Vec::new();
        while rest.starts_with(|c: char| c.is_ascii_digit()) {
            let (size, behind) = rest.split_once('x')?;
            shape.push(size.parse().ok()?);
            rest = behind;
        }
        let element = Element::parse(rest)?;
        Some(Self { shape, element })
    }

    /// How many elements there are; `None` where the number does not fit.
    pub fn count(&self) -> Option<usize> {
        if self.shape.contains(&0) {
            return Some(0);
        }
        self.shape.iter().try_fold(1usize, |all, &n| all.checked_mul(usize::try_from(n).ok()?))
    }

    /// How many bytes the elements take; `None` where the number does not fit.
    pub fn byte_size(&self) -> Option<usize> {
        self.count()?
            .checked_mul(self.element.size())
            .filter(|&bytes| isize::try_from(bytes).is_ok())
    }
}

/// What sort of number an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `i1`.
    Bool,
    /// `i2` to `i64`.
    Signed,
    /// `ui2` to `ui64`.
    Unsigned,
    /// `f16`, `f32`, `f64`.
    Float,
    /// Floating-point types that only machine learning has, as their bits.
    BitsOfFloat,
    /// A pair.
    Complex,
}

/// An element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    name: &'static str,
    kind: Kind,
    bits: u32,
}

const ELEMENTS: &[Element] = &[
    row("i1", Kind::Bool, 1),
    row("i2", Kind::Signed, 2),
    row("i4", Kind::Signed, 4),
    row("i8", Kind::Signed, 8),
    row("i16", Kind::Signed, 16),
    row("i32", Kind::Signed, 32),
    row("i64", Kind::Signed, 64),
    row("ui2", Kind::Unsigned, 2),
    row("ui4", Kind::Unsigned, 4),
    row("ui8", Kind::Unsigned, 8),
    row("ui16", Kind::Unsigned, 16),
    row("ui32", Kind::Unsigned, 32),
    row("ui64", Kind::Unsigned, 64),
    row("f4E2M1FN", Kind::BitsOfFloat, 4),
    row("f6E2M3FN", Kind::BitsOfFloat, 6),
    row("f6E3M2FN", Kind::BitsOfFloat, 6),
    row("f8E3M4", Kind::BitsOfFloat, 8),
    row("f8E4M3", Kind::BitsOfFloat, 8),
    row("f8E4M3FN", Kind::BitsOfFloat, 8),
    row("f8E4M3FNUZ", Kind::BitsOfFloat, 8),
    row("f8E4M3B11FNUZ", Kind::BitsOfFloat, 8),
    row("f8E5M2", Kind::BitsOfFloat, 8),
    row("f8E5M2FNUZ", Kind::BitsOfFloat, 8),
    row("f8E8M0FNU", Kind::BitsOfFloat, 8),
    row("bf16", Kind::BitsOfFloat, 16),
    row("f16", Kind::Float, 16),
    row("f32", Kind::Float, 32),
    row("f64", Kind::Float, 64),
    row("complex<f32>", Kind::Complex, 64),
    row("complex<f64>", Kind::Complex, 128),
];

const fn row(name: &'static str, kind: Kind, bits: u32) -> Element {
    Element { name, kind, bits }
}

impl Element {
    /// The type of that name.
    pub fn parse(name: &str) -> Option<Self> {
        ELEMENTS.iter().copied().find(|element| element.name == name)
    }

    /// The name in MLIR.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// What sort of number it is.
    pub fn kind(self) -> Kind {
        self.kind
    }

    /// How many bits carry the value.
    pub fn bits(self) -> u32 {
        self.bits
    }

    /// Bytes that an element takes: types narrower than a byte take a whole one.
    pub fn size(self) -> usize {
        self.bits.div_ceil(8) as usize
    }

    /// Bytes of a part that has a byte order of its own: half of a complex number.
    pub fn component_size(self) -> usize {
        match self.kind {
            Kind::Complex => self.size() / 2,
            _ => self.size(),
        }
    }

    /// Makes the unused bits of narrow elements what compiled code expects: `i1` is 0 or 1, signed
    /// integers are sign-extended, all else is zero-extended.
    pub fn normalize(self, bytes: &mut [u8]) {
        if self.bits >= 8 {
            return;
        }
        let unused = 8 - self.bits;
        for byte in bytes {
            *byte = match self.kind {
                Kind::Bool => u8::from(*byte != 0),
                Kind::Signed => (((*byte << unused) as i8) >> unused) as u8,
                _ => (*byte << unused) >> unused,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Element, TensorType};

    #[test]
    fn types_are_taken_apart() {
        let ty = TensorType::parse("tensor<2x0x3xcomplex<f32>>").expect("parsed");
        assert_eq!((ty.shape.as_slice(), ty.element.name()), (&[2, 0, 3][..], "complex<f32>"));
        assert_eq!((ty.count(), ty.byte_size()), (Some(0), Some(0)));
        let scalar = TensorType::parse("tensor<ui4>").expect("parsed");
        assert_eq!((scalar.count(), scalar.byte_size()), (Some(1), Some(1)));
        for no in ["tensor<?xf32>", "tensor<*xf32>", "tensor<3x!quant.any>", "f32", "tensor<3>"] {
            assert_eq!(TensorType::parse(no), None, "{no}");
        }
    }

    #[test]
    fn sizes_do_not_overflow() {
        let ty = TensorType::parse("tensor<99999999999x999999999xf32>").expect("parsed");
        assert_eq!(ty.byte_size(), None);
        let ty = TensorType::parse("tensor<4611686018427387904xf64>").expect("parsed");
        assert_eq!(ty.byte_size(), None);
    }

    #[test]
    fn unused_bits_are_made_regular() {
        let mut bytes = [0x0f, 0x17];
        Element::parse("i4").expect("known").normalize(&mut bytes);
        assert_eq!(bytes, [0xff, 0x07]);
        Element::parse("ui2").expect("known").normalize(&mut bytes);
        assert_eq!(bytes, [3, 3]);
    }
}
