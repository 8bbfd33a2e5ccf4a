//! uniform_quantize, uniform_dequantize, and quantized tensors.
//!
//! A quantized tensor holds integers of its storage type; `(stored - zero_point) * scale` is the number
//! that is meant. Every other operation that computes means: dequantize, compute, quantize. The sums of dots and
//! convolutions of two quantized tensors are exact, as sums of integers, and are rescaled once.

use std::{fmt, sync::Arc};

use crate::{
    element::{Element, ElementType, I64},
    error::{EvalError, Result},
    float_format::FloatType,
    index,
    tensor::Tensor,
};

/// The parameters of a quantized element type.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantization {
    /// The integers that are stored.
    pub storage: ElementType,
    /// The numbers that are meant.
    pub expressed: FloatType,
    /// The dimension that has a scale and zero point per slice; `None`: one for all.
    pub axis: Option<usize>,
    /// One scale, or one per slice.
    pub scales: Vec<f64>,
    /// One zero point, or one per slice.
    pub zero_points: Vec<i64>,
    /// The smallest stored integer.
    pub min: i64,
    /// The largest stored integer.
    pub max: i64,
}

impl Quantization {
    /// The scale and zero point of the element at `index`.
    fn parameters(&self, index: &[usize]) -> Result<(f64, i64)> {
        let slice = self.axis.map_or(0, |axis| index.get(axis).copied().unwrap_or(usize::MAX));
        match (self.scales.get(slice), self.zero_points.get(slice)) {
            (Some(scale), Some(zero_point)) => Ok((*scale, *zero_point)),
            _ => Err(EvalError::invalid(format!(
                "the quantized dimension has {} scales, fewer than the tensor has slices",
                self.scales.len()
            ))),
        }
    }
}

impl fmt::Display for Quantization {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "!quant.uniform<{}:{}", self.storage, self.expressed.name())?;
        match self.axis {
            Some(axis) => write!(formatter, ":{axis}, {{")?,
            None => write!(formatter, ", ")?,
        }
        for (at, (scale, zero_point)) in self.scales.iter().zip(&self.zero_points).enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(formatter, "{comma}{scale}:{zero_point}")?;
        }
        formatter.write_str(if self.axis.is_some() { "}>" } else { ">" })
    }
}

/// The numbers that a quantized tensor means.
pub fn uniform_dequantize(operand: &Tensor) -> Result<Tensor> {
    let Some(quantization) = operand.quantization() else {
        return Err(EvalError::invalid("the operand is not quantized"));
    };
    let ty = quantization.expressed;
    Tensor::try_from_fn(operand.shape(), ElementType::Float(ty), |position| {
        let index = index::unravel(position, operand.shape());
        let (scale, zero_point) = quantization.parameters(&index)?;
        let stored = operand.get(position).as_integer().unwrap_or(0);
        let difference = ty.round((stored - zero_point) as f64);
        Ok(Element::Float(difference * ty.round(scale)))
    })
}

/// Numbers rounded to the nearest that `quantization` can express; a quantized operand is dequantized
/// first.
pub fn uniform_quantize(operand: &Tensor, quantization: &Arc<Quantization>) -> Result<Tensor> {
    if operand.quantization().is_some() {
        return uniform_quantize(&uniform_dequantize(operand)?, quantization);
    }
    let ty = quantization.expressed;
    let stored = Tensor::try_from_fn(operand.shape(), quantization.storage, |position| {
        let index = index::unravel(position, operand.shape());
        let (scale, zero_point) = quantization.parameters(&index)?;
        let Element::Float(value) = operand.get(position) else {
            return Err(EvalError::unsupported(format!(
                "{} cannot be quantized",
                operand.element_type()
            )));
        };
        let scaled = ty.round(value / ty.round(scale));
        let shifted = ty.round(scaled + ty.round(zero_point as f64));
        // The bounds in f64: i32's largest integer is not representable in f32.
        let clamped = shifted.clamp(quantization.min as f64, quantization.max as f64);
        let rounded = match clamped.is_nan() {
            true => 0.clamp(quantization.min, quantization.max),
            false => clamped.round_ties_even() as i64,
        };
        Ok(match quantization.storage {
            ElementType::Unsigned(_) => Element::Unsigned(rounded as u64),
            _ => Element::Signed(rounded),
        })
    })?;
    Ok(stored.with_quantization(Some(quantization.clone())))
}

/// Stored integers less their zero points.
pub fn centered(operand: &Tensor) -> Result<Tensor> {
    let Some(quantization) = operand.quantization() else {
        return Err(EvalError::invalid("the operand is not quantized"));
    };
    Tensor::try_from_fn(operand.shape(), I64, |position| {
        let index = index::unravel(position, operand.shape());
        let (_, zero_point) = quantization.parameters(&index)?;
        let stored = operand.get(position).as_integer().unwrap_or(0);
        Ok(Element::Signed(stored - zero_point))
    })
}

/// The largest difference from a zero point that any integer of the storage type has.
fn largest(quantization: &Quantization) -> i128 {
    let storage = quantization.storage;
    let (low, high) = (i128::from(storage.min_integer()), storage.max_integer() as i128);
    let points = quantization.zero_points.iter().map(|point| i128::from(*point));
    points.map(|point| (high - point).max(point - low)).max().unwrap_or(0)
}

/// Whether sums of `count` products of differences from zero points are exact in 64 bits.
pub fn sums_are_exact(count: usize, lhs: &Quantization, rhs: &Quantization) -> bool {
    count as i128 * largest(lhs) * largest(rhs) <= i128::from(i64::MAX)
}

/// The numbers that sums of products of differences from zero points mean. `axis` is the dimension of the sums along which each
/// index has the scale of the right operand with that index.
pub fn rescaled(
    sums: &Tensor,
    lhs: &Quantization,
    rhs: &Quantization,
    axis: Option<usize>,
) -> Result<Tensor> {
    let ty = lhs.expressed;
    let wide = if ty == FloatType::F64 { FloatType::F64 } else { FloatType::F32 };
    let left = ty.round(lhs.scales.first().copied().unwrap_or(f64::NAN));
    Tensor::try_from_fn(sums.shape(), ElementType::Float(ty), |position| {
        let index = index::unravel(position, sums.shape());
        let slice = axis.map_or(0, |axis| index[axis]);
        let right = rhs.scales.get(slice).copied().ok_or_else(|| {
            EvalError::invalid("the quantized dimension has fewer scales than slices")
        })?;
        let scale = wide.round(left * ty.round(right));
        let sum = sums.get(position).as_integer().unwrap_or(0);
        Ok(Element::Float(wide.round(wide.round(sum as f64) * scale)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{F32, I8};

    fn per_tensor(scale: f64, zero_point: i64) -> Arc<Quantization> {
        Arc::new(Quantization {
            storage: I8,
            expressed: FloatType::F32,
            axis: None,
            scales: vec![scale],
            zero_points: vec![zero_point],
            min: -128,
            max: 127,
        })
    }

    #[test]
    fn values_are_rounded_and_clamped() {
        let x = Tensor::from_f32(&[4], &[0.25, 0.75, 1000.0, -1000.0]);
        let stored = uniform_quantize(&x, &per_tensor(0.5, -1)).unwrap();
        assert_eq!(stored.to_i64s().unwrap(), [0, 0, 127, -128]);
        let back = uniform_dequantize(&stored).unwrap();
        assert_eq!(back.element_type(), F32);
        assert_eq!(back.to_f64s(), [0.5, 0.5, 64.0, -63.5]);
    }

    #[test]
    fn each_slice_has_its_scale() {
        let quantization = Arc::new(Quantization {
            axis: Some(0),
            scales: vec![0.5, 2.0],
            zero_points: vec![0, 1],
            ..(*per_tensor(1.0, 0)).clone()
        });
        let x = Tensor::from_f32(&[2, 1], &[4.0, 4.0]);
        let stored = uniform_quantize(&x, &quantization).unwrap();
        assert_eq!(stored.to_i64s().unwrap(), [8, 3]);
        assert!(uniform_quantize(&Tensor::from_f32(&[3], &[0.0; 3]), &quantization).is_err());
    }

    #[test]
    fn sums_are_exact_and_rescaled_once() {
        let x = Tensor::from_elements(&[3], I8, &[-128, 0, 127].map(Element::Signed)).unwrap();
        let x = x.with_quantization(Some(per_tensor(0.5, -1)));
        assert_eq!(centered(&x).unwrap().to_i64s().unwrap(), [-127, 1, 128]);
        let scales = Quantization {
            axis: Some(0),
            scales: vec![0.1, 2.0],
            zero_points: vec![0, 0],
            ..(*per_tensor(1.0, 0)).clone()
        };
        // The first sum is not a number of `f32`: it is rounded before it is multiplied.
        let sums = [16_777_217, 3].map(Element::Signed);
        let sums = Tensor::from_elements(&[1, 2], I64, &sums).unwrap();
        let numbers = rescaled(&sums, &per_tensor(0.5, -1), &scales, Some(1)).unwrap();
        let scale = f64::from((0.5 * f64::from(0.1_f32)) as f32);
        assert_eq!(numbers.to_f64s(), [f64::from((16_777_216.0 * scale) as f32), 3.0]);
        let wide = Quantization { storage: crate::element::I32, ..(*per_tensor(1.0, 0)).clone() };
        assert!(sums_are_exact(1, &wide, &wide) && !sums_are_exact(2, &wide, &wide));
        assert!(sums_are_exact(1 << 40, &per_tensor(1.0, 0), &per_tensor(1.0, 0)));
    }

    #[test]
    fn nan_and_infinities_become_stored_integers() {
        let x = Tensor::from_f32(&[3], &[f32::NAN, f32::INFINITY, f32::NEG_INFINITY]);
        let stored = uniform_quantize(&x, &per_tensor(0.5, 3)).unwrap();
        assert_eq!(stored.to_i64s().unwrap(), [0, 127, -128]);
        let narrow = Arc::new(Quantization { min: 2, max: 9, ..(*per_tensor(0.5, 3)).clone() });
        assert_eq!(uniform_quantize(&x, &narrow).unwrap().to_i64s().unwrap(), [2, 9, 2]);
    }

    #[test]
    fn requantizing_goes_through_the_numbers() {
        let x = uniform_quantize(&Tensor::from_f32(&[1], &[3.0]), &per_tensor(0.5, 0)).unwrap();
        let other = uniform_quantize(&x, &per_tensor(0.25, 5)).unwrap();
        assert_eq!(other.to_i64s().unwrap(), [17]);
    }
}
