//! Quantized element types: `!quant.uniform<i8:f32, 0.5:-3>` means `(stored - zero point) * scale`.

use melior::ir::{Type, TypeLike};
use mlir_sys as sys;

use crate::{
    signature::ElementType,
    types::{TypeExt as _, tuple, tuple_types},
};

/// A number by its bits, so that types that hold one can be compared and hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scale(u64);

impl Scale {
    /// The scale of that value.
    pub fn new(value: f64) -> Self {
        Self(value.to_bits())
    }

    /// The value.
    pub fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

/// The parameters of a quantized type, as plain data.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Quantization {
    /// The type of the numbers that are meant.
    pub expressed: ElementType,
    /// The dimension along which each index has a scale and a zero point of its own; `None`: one for all.
    pub axis: Option<usize>,
    /// One scale, or one per index.
    pub scales: Vec<Scale>,
    /// One zero point, or one per index.
    pub zero_points: Vec<i64>,
    /// The smallest integer that stands for a number.
    pub min: i64,
    /// The largest integer that stands for a number.
    pub max: i64,
}

/// A quantized element type, taken apart.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantizedType<'c> {
    /// The integers that are stored, with their sign: `i8`, `ui8`.
    pub storage: Type<'c>,
    /// The type of the numbers that are meant.
    pub expressed: Type<'c>,
    /// The dimension along which each index has a scale and a zero point of its own; `None`: one for all.
    pub axis: Option<usize>,
    /// One scale, or one per index.
    pub scales: Vec<f64>,
    /// One zero point, or one per index.
    pub zero_points: Vec<i64>,
    /// The smallest integer that stands for a number.
    pub min: i64,
    /// The largest integer that stands for a number.
    pub max: i64,
}

impl<'c> QuantizedType<'c> {
    /// Whether a stored integer means the same number in both. One scale may be that of each index, and the dimension with scales of
    /// its own may have moved.
    pub fn means_the_same(&self, other: &Self) -> bool {
        let count = self.scales.len().max(other.scales.len());
        let at = |index: usize, ty: &Self| {
            let (scales, points) = (&ty.scales, &ty.zero_points);
            let scale = scales.get(index).or(scales.first()).map(|scale| scale.to_bits());
            (scale, points.get(index).or(points.first()).copied())
        };
        let are_counts_alike = [self, other].iter().all(|ty| [1, count].contains(&ty.scales.len()));
        are_counts_alike
            && (self.min, self.max) == (other.min, other.max)
            && (0..count).all(|index| at(index, self) == at(index, other))
    }

    /// Takes an element type apart; `None` for types that are not quantized, and for scales per block, which StableHLO does not have.
    pub fn of(ty: Type<'c>) -> Option<Self> {
        if ty.dialect() != "quant" {
            return None;
        }
        let raw = ty.to_raw();
        // SAFETY: the type lives as long as its context; each reader is asked for what the type was found to be.
        unsafe {
            let (axis, scales, zero_points) = if sys::mlirTypeIsAUniformQuantizedType(raw) {
                let scale = sys::mlirUniformQuantizedTypeGetScale(raw);
                (None, vec![scale], vec![sys::mlirUniformQuantizedTypeGetZeroPoint(raw)])
            } else if sys::mlirTypeIsAUniformQuantizedPerAxisType(raw) {
                let axis = sys::mlirUniformQuantizedPerAxisTypeGetQuantizedDimension(raw);
                let all = 0..sys::mlirUniformQuantizedPerAxisTypeGetNumDims(raw);
                let scale = |at| sys::mlirUniformQuantizedPerAxisTypeGetScale(raw, at);
                let zero_point = |at| sys::mlirUniformQuantizedPerAxisTypeGetZeroPoint(raw, at);
                let axis = usize::try_from(axis).ok()?;
                (Some(axis), all.clone().map(scale).collect(), all.map(zero_point).collect())
            } else {
                return None;
            };
            let storage = Type::from_raw(sys::mlirQuantizedTypeGetStorageType(raw));
            let storage = match sys::mlirQuantizedTypeIsSigned(raw) {
                true => storage,
                false => Type::from_raw(sys::mlirIntegerTypeUnsignedGet(
                    ty.context_raw(),
                    storage.bit_width()?,
                )),
            };
            Some(Self {
                storage,
                expressed: Type::from_raw(sys::mlirQuantizedTypeGetExpressedType(raw)),
                axis,
                scales,
                zero_points,
                min: sys::mlirQuantizedTypeGetStorageTypeMin(raw),
                max: sys::mlirQuantizedTypeGetStorageTypeMax(raw),
            })
        }
    }

    /// The parameters as plain data; `None` where the numbers that are meant are of an unsupported type.
    pub fn parameters(&self) -> Option<Quantization> {
        Some(Quantization {
            expressed: ElementType::from_type(self.expressed)?,
            axis: self.axis,
            scales: self.scales.iter().map(|scale| Scale::new(*scale)).collect(),
            zero_points: self.zero_points.clone(),
            min: self.min,
            max: self.max,
        })
    }
}

/// The type whose quantized elements are the integers that are stored, in tensors and in tuples of them; any other type itself.
pub fn stored_type(ty: Type<'_>) -> Type<'_> {
    if let Some(types) = tuple_types(ty) {
        let stored: Vec<_> = types.iter().map(|ty| stored_type(*ty)).collect();
        return if stored == types { ty } else { tuple(ty, &stored) };
    }
    match QuantizedType::of(ty.element()) {
        Some(quantized) if ty.is_tensor_type() => ty.with_element(quantized.storage),
        _ => ty,
    }
}
