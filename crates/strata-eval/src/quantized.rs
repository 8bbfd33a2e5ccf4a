//! uniform_quantize, uniform_dequantize, and quantized tensors.
//!
//! A quantized tensor holds integers of its storage type; `(stored - zero_point) * scale` is the number
//! that is meant. Every other operation on quantized tensors means: dequantize, compute, quantize.

use std::{fmt, sync::Arc};

use crate::{
    element::{Element, ElementType},
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
        let shifted = ty.round(scaled + zero_point as f64);
        // The bounds in f64: i32's largest integer is not representable in f32.
        let clamped = shifted.clamp(quantization.min as f64, quantization.max as f64);
        let rounded = if clamped.is_nan() { 0 } else { clamped.round_ties_even() as i64 };
        Ok(match quantization.storage {
            ElementType::Unsigned(_) => Element::Unsigned(rounded as u64),
            _ => Element::Signed(rounded),
        })
    })?;
    Ok(stored.with_quantization(Some(quantization.clone())))
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
    fn requantizing_goes_through_the_numbers() {
        let x = uniform_quantize(&Tensor::from_f32(&[1], &[3.0]), &per_tensor(0.5, 0)).unwrap();
        let other = uniform_quantize(&x, &per_tensor(0.25, 5)).unwrap();
        assert_eq!(other.to_i64s().unwrap(), [17]);
    }
}
