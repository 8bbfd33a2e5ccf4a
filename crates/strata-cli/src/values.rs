//! Arrays as text for a terminal.

use std::fmt::Write;

use half::{bf16, f16};
use strata::{ElementType, TensorSpec};

/// Of arrays with more elements only the edges are shown.
const SHOWN_WHOLE: u64 = 1000;
/// How many elements of each edge of a dimension are shown then.
const EDGE: u64 = 3;

/// The elements in nested brackets, one innermost row per line. `bytes` must match `spec`.
pub fn render(spec: &TensorSpec, bytes: &[u8]) -> String {
    let mut text = String::new();
    let cut = spec.element_count() > SHOWN_WHOLE;
    let renderer = Renderer { spec, bytes, cut };
    renderer.level(&mut text, 0, 0, 1);
    text
}

struct Renderer<'a> {
    spec: &'a TensorSpec,
    bytes: &'a [u8],
    cut: bool,
}

impl Renderer<'_> {
    /// Writes dimension `level` and those inside it, from element `start` on.
    fn level(&self, text: &mut String, level: usize, start: u64, indent: usize) {
        let Some((&size, inner)) = self.spec.shape.get(level..).and_then(<[u64]>::split_first)
        else {
            text.push_str(&self.element(start));
            return;
        };
        let stride: u64 = inner.iter().product();
        let between =
            if inner.is_empty() { ", ".to_owned() } else { format!(",\n{}", " ".repeat(indent)) };
        text.push('[');
        let mut index = 0;
        while index < size {
            if index > 0 {
                text.push_str(&between);
            }
            if self.cut && index == EDGE && size > 2 * EDGE {
                text.push('…');
                index = size - EDGE;
                continue;
            }
            self.level(text, level + 1, start + index * stride, indent + 1);
            index += 1;
        }
        text.push(']');
    }

    fn element(&self, index: u64) -> String {
        let width = self.spec.element.byte_width();
        let start = usize::try_from(index * width).unwrap_or(usize::MAX);
        let end = start.saturating_add(usize::try_from(width).unwrap_or(0));
        let bytes = self.bytes.get(start..end).unwrap_or_default();
        element(self.spec.element, bytes)
    }
}

fn element(ty: ElementType, bytes: &[u8]) -> String {
    match ty {
        ElementType::Bool => (bytes != [0]).to_string(),
        ElementType::Signed(_) => {
            let negative = bytes.last().is_some_and(|byte| byte & 0x80 != 0);
            i64::from_le_bytes(padded(bytes, if negative { 0xff } else { 0 })).to_string()
        }
        ElementType::Unsigned(_) => u64::from_le_bytes(padded(bytes, 0)).to_string(),
        ElementType::Float(16) => float(f16::from_bits(low16(bytes)).to_f32()),
        ElementType::Float(32) => float(single(bytes)),
        ElementType::Float(_) => float(double(bytes)),
        ElementType::BFloat16 => float(bf16::from_bits(low16(bytes)).to_f32()),
        ElementType::SmallFloat(_) => bits(bytes),
        ElementType::Complex(_) => {
            let (re, im) = bytes.split_at(bytes.len() / 2);
            let part = |half: &[u8]| match half.len() {
                4 => float(single(half)),
                _ => float(double(half)),
            };
            format!("({}, {})", part(re), part(im))
        }
    }
}

/// The shortest decimal that reads back to the same value.
fn float(value: impl std::fmt::Debug) -> String {
    format!("{value:?}")
}

fn single(bytes: &[u8]) -> f32 {
    f32::from_bits(u64::from_le_bytes(padded(bytes, 0)) as u32)
}

fn double(bytes: &[u8]) -> f64 {
    f64::from_le_bytes(padded(bytes, 0))
}

fn low16(bytes: &[u8]) -> u16 {
    u64::from_le_bytes(padded(bytes, 0)) as u16
}

/// Types specific to machine learning are shown as their bits.
fn bits(bytes: &[u8]) -> String {
    bytes.iter().rev().fold("0x".to_owned(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn padded(bytes: &[u8], with: u8) -> [u8; 8] {
    let mut all = [with; 8];
    for (to, from) in all.iter_mut().zip(bytes) {
        *to = *from;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::render;
    use strata::{ElementType, TensorSpec};

    fn spec(shape: &[u64], element: ElementType) -> TensorSpec {
        TensorSpec::new(shape.to_vec(), element)
    }

    #[test]
    fn every_kind_of_element() {
        let one = |element, bytes: &[u8]| render(&spec(&[], element), bytes);
        assert_eq!(one(ElementType::Bool, &[1]), "true");
        assert_eq!(one(ElementType::Signed(4), &[0xf8]), "-8");
        assert_eq!(one(ElementType::Signed(32), &(-7i32).to_le_bytes()), "-7");
        assert_eq!(one(ElementType::Unsigned(64), &u64::MAX.to_le_bytes()), "18446744073709551615");
        assert_eq!(one(ElementType::Float(32), &0.1f32.to_le_bytes()), "0.1");
        assert_eq!(one(ElementType::Float(64), &f64::NAN.to_le_bytes()), "NaN");
        assert_eq!(one(ElementType::Float(16), &[0, 0x3c]), "1.0");
        assert_eq!(one(ElementType::BFloat16, &[0x80, 0x3f]), "1.0");
        assert_eq!(one(ElementType::SmallFloat("f8E5M2"), &[0x3c]), "0x3c");
        let pair: Vec<u8> = [1f32, -0.0].iter().flat_map(|part| part.to_le_bytes()).collect();
        assert_eq!(one(ElementType::Complex(64), &pair), "(1.0, -0.0)");
    }

    #[test]
    fn rows_are_lines_and_large_arrays_are_cut() {
        let bytes: Vec<u8> = (0..6).collect();
        assert_eq!(
            render(&spec(&[2, 3], ElementType::Unsigned(8)), &bytes),
            "[[0, 1, 2],\n [3, 4, 5]]"
        );
        assert_eq!(render(&spec(&[2, 0], ElementType::Unsigned(8)), &[]), "[[],\n []]");
        let text = render(&spec(&[2000], ElementType::Unsigned(8)), &[7; 2000]);
        assert_eq!(text, "[7, 7, 7, …, 7, 7, 7]");
    }
}
