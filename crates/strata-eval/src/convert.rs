//! convert, bitcast_convert, reduce_precision.

use num_complex::Complex64;

use crate::{
    element::{Element, ElementType},
    error::{EvalError, Result},
    float_format::FloatType,
    tensor::Tensor,
};

/// `value` as `f64` for one more rounding: inexact conversions set the last bit (round to odd), so that
/// the second rounding, to fewer bits, is correct.
fn integer_to_f64(magnitude: u64) -> f64 {
    let significant = 64 - magnitude.leading_zeros();
    if significant <= 53 {
        return magnitude as f64;
    }
    let dropped = significant - 53;
    let sticky = u64::from(magnitude & ((1 << dropped) - 1) != 0);
    ((magnitude >> dropped | sticky) << dropped) as f64
}

fn integer_to_float(negative: bool, magnitude: u64, ty: FloatType) -> f64 {
    let value = match ty {
        FloatType::F64 => magnitude as f64,
        _ => ty.round(integer_to_f64(magnitude)),
    };
    if negative { -value } else { value }
}

/// `element` in the type `to`.
///
/// Integers wrap; floats become integers by truncation, saturating at the ends of the range, NaN
/// becoming zero; of complex numbers the real part is taken; numbers become `i1` by comparison with zero.
pub fn convert_element(element: Element, to: ElementType) -> Element {
    let element = match (element, to) {
        (Element::Complex(value), ElementType::Complex(_)) => Element::Complex(value),
        (Element::Complex(value), _) => Element::Float(value.re),
        (other, _) => other,
    };
    let converted = match (element, to) {
        (Element::Bool(value), _) => to.from_i64(i64::from(value)),
        (Element::Signed(value), ElementType::Bool) => Element::Bool(value != 0),
        (Element::Unsigned(value), ElementType::Bool) => Element::Bool(value != 0),
        (Element::Float(value), ElementType::Bool) => Element::Bool(value != 0.0),
        (Element::Signed(value), ElementType::Signed(_)) => Element::Signed(value),
        (Element::Signed(value), ElementType::Unsigned(_)) => Element::Unsigned(value as u64),
        (Element::Unsigned(value), ElementType::Signed(_)) => Element::Signed(value as i64),
        (Element::Unsigned(value), ElementType::Unsigned(_)) => Element::Unsigned(value),
        (Element::Float(value), ElementType::Signed(_)) => {
            Element::Signed((value as i64).clamp(to.min_integer(), to.max_integer() as i64))
        }
        (Element::Float(value), ElementType::Unsigned(_)) => {
            Element::Unsigned((value as u64).min(to.max_integer()))
        }
        (Element::Float(value), ElementType::Float(_)) => Element::Float(value),
        (Element::Float(value), ElementType::Complex(_)) => {
            Element::Complex(Complex64::new(value, 0.0))
        }
        (Element::Signed(value), ElementType::Float(ty)) => {
            Element::Float(integer_to_float(value < 0, value.unsigned_abs(), ty))
        }
        (Element::Unsigned(value), ElementType::Float(ty)) => {
            Element::Float(integer_to_float(false, value, ty))
        }
        (Element::Signed(value), ElementType::Complex(part)) => {
            let real = integer_to_float(value < 0, value.unsigned_abs(), part);
            Element::Complex(Complex64::new(real, 0.0))
        }
        (Element::Unsigned(value), ElementType::Complex(part)) => {
            Element::Complex(Complex64::new(integer_to_float(false, value, part), 0.0))
        }
        (other, _) => other,
    };
    to.normalize(converted)
}

/// Converts every element to `to`; see [`convert_element`].
pub fn convert(operand: &Tensor, to: ElementType) -> Tensor {
    if operand.element_type() == to {
        return operand.clone();
    }
    Tensor::from_fn(operand.shape(), to, |position| convert_element(operand.get(position), to))
}

/// The bits of the element at a position, without padding.
fn raw_bits(tensor: &Tensor, position: usize) -> u128 {
    let bytes = tensor.element_bytes(position);
    let value = bytes.iter().rev().fold(0u128, |value, byte| value << 8 | u128::from(*byte));
    let bits = tensor.element_type().bits();
    if bits >= 128 { value } else { value & ((1 << bits) - 1) }
}

/// Reinterprets the bits as elements of type `to`.
///
/// To a narrower type a last dimension is added, to a wider one the last dimension is joined; the
/// element with the smaller index holds the lower bits.
pub fn bitcast_convert(operand: &Tensor, to: ElementType) -> Result<Tensor> {
    let (from_bits, to_bits) = (operand.element_type().bits(), to.bits());
    let mut shape = operand.shape().to_vec();
    let words: Vec<u128> = (0..operand.len()).map(|position| raw_bits(operand, position)).collect();
    let words: Vec<u128> = if from_bits == to_bits {
        words
    } else if from_bits > to_bits {
        let pieces = from_bits / to_bits;
        shape.push(pieces as usize);
        let mask = (1u128 << to_bits) - 1;
        words
            .iter()
            .flat_map(|word| (0..pieces).map(move |piece| word >> (piece * to_bits) & mask))
            .collect()
    } else {
        let pieces = (to_bits / from_bits) as usize;
        if shape.pop() != Some(pieces) {
            return Err(EvalError::invalid(format!(
                "the last dimension must be {pieces} to join into {to}"
            )));
        }
        words
            .chunks_exact(pieces)
            .map(|chunk| chunk.iter().rev().fold(0, |word, piece| word << from_bits | piece))
            .collect()
    };
    let width = to.bytes();
    let mut bytes = Vec::with_capacity(words.len() * width);
    for word in words {
        bytes.extend_from_slice(&word.to_le_bytes()[..width]);
    }
    Tensor::from_bytes(&shape, to, bytes)
}

/// Rounds to a format with that many exponent and mantissa bits and back.
///
/// Numbers beyond its range become infinite, numbers below its smallest normal number zero. NaN is kept, but
/// becomes positive infinity without mantissa bits to distinguish them.
pub fn reduce_precision(
    operand: &Tensor,
    exponent_bits: u32,
    mantissa_bits: u32,
) -> Result<Tensor> {
    let ElementType::Float(ty) = operand.element_type() else {
        return Err(EvalError::unsupported(format!(
            "reduce_precision is not defined for {}",
            operand.element_type()
        )));
    };
    Ok(Tensor::from_fn(operand.shape(), operand.element_type(), |position| {
        match operand.get(position) {
            Element::Float(value) => {
                Element::Float(reduce_float(value, ty, exponent_bits, mantissa_bits))
            }
            other => other,
        }
    }))
}

fn reduce_float(value: f64, ty: FloatType, exponent_bits: u32, mantissa_bits: u32) -> f64 {
    if value.is_nan() && mantissa_bits == 0 {
        return f64::INFINITY;
    }
    if !value.is_finite() {
        return value;
    }
    if ty.bits() <= 8 {
        // On the value: the small formats' biases and subnormal numbers are their own.
        let keeps_range = exponent_bits >= ty.exponent_bits();
        // The smallest number of the format is subnormal in `f32`.
        let wide = if ty == FloatType::F8E8M0FNU { FloatType::F64 } else { FloatType::F32 };
        let exponent_bits = if keeps_range { wide.exponent_bits() } else { exponent_bits };
        return reduce_float(value, wide, exponent_bits, mantissa_bits);
    }
    let source_mantissa = ty.mantissa_bits();
    let source_exponent = ty.exponent_bits();
    let sign_mask = 1u64 << (source_mantissa + source_exponent);
    let bits = ty.encode(value);
    let sign = bits & sign_mask;
    let mut magnitude = bits & !sign_mask;
    if mantissa_bits < source_mantissa {
        let dropped = source_mantissa - mantissa_bits;
        let last_bit = magnitude >> dropped & 1;
        let bias = last_bit + (1 << (dropped - 1)) - 1;
        magnitude = (magnitude + bias) >> dropped << dropped;
    }
    if exponent_bits < source_exponent {
        let bias = (1u64 << (source_exponent - 1)) - 1;
        let reduced_bias = (1u64 << (exponent_bits - 1)) - 1;
        let exponent = magnitude >> source_mantissa;
        if exponent > bias + reduced_bias {
            return f64::INFINITY.copysign(value);
        }
        if exponent <= bias - reduced_bias {
            return 0f64.copysign(value);
        }
    }
    ty.decode(sign | magnitude)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{BF16, C64, F32, I1, I8, I32, I64, UI8, UI64};

    #[test]
    fn integers_are_rounded_once() {
        // Halfway between two f32 numbers except for the last bit, which f64 would drop.
        let value = (1i64 << 60) + (1 << 36) + 1;
        let rounded = convert(&Tensor::from_i64(&[], &[value]), F32).to_f64s()[0];
        assert_eq!(rounded, f64::from(value as f32));
        let big = Tensor::from_elements(&[], UI64, &[Element::Unsigned(u64::MAX)]).unwrap();
        assert_eq!(convert(&big, F32).to_f64s(), [2f64.powi(64)]);
        assert_eq!(convert(&Tensor::from_i64(&[], &[257]), BF16).to_f64s(), [256.0]);
    }

    #[test]
    fn floats_saturate() {
        let x = Tensor::from_f32(&[5], &[300.7, -300.7, f32::NAN, -1.9, 1e30]);
        assert_eq!(convert(&x, I8).to_i64s().unwrap(), [127, -128, 0, -1, 127]);
        assert_eq!(convert(&x, UI8).to_i64s().unwrap(), [255, 0, 0, 0, 255]);
        assert_eq!(convert(&x, I64).to_i64s().unwrap()[4], i64::MAX);
        assert_eq!(convert(&x, I1).to_i64s().unwrap(), [1, 1, 1, 1, 1]);
    }

    #[test]
    fn integers_wrap_and_complex_loses_its_imaginary_part() {
        assert_eq!(convert(&Tensor::from_i32(&[], &[-1]), UI8).to_i64s().unwrap(), [255]);
        let z = Tensor::of_complexes(&[], C64, &[Complex64::new(2.5, 7.0)]);
        assert_eq!(convert(&z, I32).to_i64s().unwrap(), [2]);
    }

    #[test]
    fn bits_are_split_and_joined_from_the_low_end() {
        let x = Tensor::from_u32(&[1], &[0x0403_0201]);
        let bytes = bitcast_convert(&x, UI8).unwrap();
        assert_eq!((bytes.shape(), bytes.to_i64s().unwrap()), (&[1, 4][..], vec![1, 2, 3, 4]));
        assert_eq!(bitcast_convert(&bytes, ElementType::Unsigned(32)).unwrap(), x);
        let nibbles = bitcast_convert(&bytes, ElementType::Signed(4)).unwrap();
        assert_eq!(nibbles.shape(), [1, 4, 2]);
        assert_eq!(bitcast_convert(&nibbles, UI8).unwrap(), bytes);
        assert!(bitcast_convert(&Tensor::from_i32(&[3], &[0; 3]), I64).is_err());
    }

    #[test]
    fn precision_is_reduced() {
        let x = Tensor::from_f32(&[4], &[1.0 + 1.0 / 256.0, 1e30, 1e-10, f32::NAN]);
        let reduced = reduce_precision(&x, 5, 7).unwrap().to_f64s();
        assert_eq!(reduced[..3], [1.0, f64::INFINITY, 0.0]);
        assert!(reduced[3].is_nan());
    }
}
