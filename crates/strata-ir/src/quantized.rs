//! Quantized element types: `!quant.uniform<i8:f32, 0.5:-3>` means `(stored - zero point) * scale`.

use melior::ir::{Type, TypeLike};
use mlir_sys as sys;

use crate::{
    signature::ElementType,
    types::{DYNAMIC, TypeExt as _, tuple, tuple_types},
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

/// What of a quantized type the specification does not permit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// The integers that are stored have another number of bits than StableHLO's.
    Storage,
    /// A scale is zero or negative.
    Sign,
    /// A scale is infinite or NaN.
    Infinite,
    /// A scale is none of the expressed type's numbers.
    Scale,
    /// The bounds of what is stored are reversed, equal, or outside of the storage type.
    Bounds,
    /// A zero point is outside of the bounds.
    ZeroPoint,
    /// The quantized dimension is negative.
    Negative,
    /// The quantized dimension is none of the tensor's.
    Axis,
    /// There are more or fewer scales than indices.
    Count,
    /// Scales are those of blocks.
    Blocks,
}

impl Misfit {
    /// What of a tensor's type, or of an element's, does not fit.
    pub fn of(ty: Type<'_>) -> Option<Self> {
        let element = ty.element();
        let Some(quantized) = QuantizedType::of(element) else {
            // SAFETY: the type lives as long as its context.
            let is_of_blocks =
                unsafe { sys::mlirTypeIsAUniformQuantizedSubChannelType(element.to_raw()) };
            return is_of_blocks.then_some(Self::Blocks);
        };
        let is_stored = |point: &i64| (quantized.min..=quantized.max).contains(point);
        let storage = quantized.storage;
        // SAFETY: it is an integer type, which lives as long as its context. `i8` has a sign, `si8` is another type.
        let is_written_so =
            storage.is_int() && unsafe { sys::mlirIntegerTypeIsSigned(storage.to_raw()) };
        if is_written_so || !storage.bit_width().is_some_and(|bits| STORED.contains(&bits)) {
            return Some(Self::Storage);
        }
        if let Some(scale) = quantized.scales.iter().find(|scale| scale.is_nan() || **scale <= 0.0)
        {
            return Some(if scale.is_nan() { Self::Infinite } else { Self::Sign });
        }
        if quantized.scales.iter().any(|scale| scale.is_infinite()) {
            return Some(Self::Infinite);
        }
        if !quantized.zero_points.iter().all(is_stored) {
            return Some(Self::ZeroPoint);
        }
        let (axis, shape) = (quantized.axis?, ty.shape()?);
        match shape.get(axis) {
            None => Some(Self::Axis),
            Some(size) => {
                let is_count = *size == DYNAMIC || *size == quantized.scales.len() as i64;
                (!is_count).then_some(Self::Count)
            }
        }
    }

    /// What does not fit, with the label of the constraint, where the specification has one.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Storage => "the storage type is not an integer of 2, 4, 8, 16 or 32 bits",
            Self::Sign => "a scale is not positive (quantized_type_c5)",
            Self::Infinite => "a scale is not a finite number (quantized_type_c6)",
            Self::Scale => {
                "a scale is outside of the range of the expressed type (quantized_type_c4)"
            }
            Self::Bounds => {
                "the bounds are not two increasing integers of the storage type (quantized_type_c3)"
            }
            Self::ZeroPoint => {
                "a zero point is outside of the bounds of the storage type (quantized_type_c7)"
            }
            Self::Negative => "the quantized dimension is negative (quantized_type_c11)",
            Self::Axis => "the quantized dimension is none of the tensor's (quantized_type_c12)",
            Self::Count => "there are more or fewer scales than indices (quantized_type_c13)",
            Self::Blocks => "StableHLO has no quantized types with scales of blocks",
        }
    }

    /// What to write instead.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Storage => "`!quant.uniform<i8:f32, 0.5>` stores `i8`; `u8` is one without sign",
            Self::Sign | Self::Infinite | Self::Scale => {
                "a scale is a positive and finite number of the expressed type: `!quant.uniform<i8:f32, 0.5>`"
            }
            Self::Bounds => {
                "bounds are written `!quant.uniform<i8<-127:127>:f32, 0.5>`, the smaller one first"
            }
            Self::ZeroPoint => {
                "zero points are stored integers: from -128 to 127 for `i8`, from 0 to 255 for `u8`, or within the bounds that the type has"
            }
            Self::Negative | Self::Axis => {
                "dimensions are numbered from 0, and the last one is the rank less 1"
            }
            Self::Count => {
                "give a scale for each index of the quantized dimension, in braces: `{0.5, 0.25:7}`"
            }
            Self::Blocks => "give one scale, or one for each index of a dimension",
        }
    }
}

/// Bits of the integers that may be stored.
const STORED: [u32; 5] = [2, 4, 8, 16, 32];

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
