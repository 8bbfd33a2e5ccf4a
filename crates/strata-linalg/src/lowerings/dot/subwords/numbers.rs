//! What constants of few bits are before a dot multiplies them: converted, less a zero point, times a scale.
//!
//! ```text
//! %f = linalg.generic { arith.sitofp } ins(constant : tensor<256x128xi8>) -> tensor<256x128xbf16>
//! %g = tensor.expand_shape %f [[0, 1], [2]] -> tensor<4x64x128xbf16>
//! %s = linalg.generic { arith.mulf } ins(%g, constant : tensor<4x128xbf16>) -> tensor<4x64x128xbf16>
//! %w = tensor.collapse_shape %s [[0, 1], [2]] -> tensor<256x128xbf16>
//! ```

use std::rc::Rc;

use rustc_hash::FxHashMap;
use strata_ir::{
    AffineMap, AttributeExt as _, ElementType, Op, Type, TypeExt as _, Value, arith, linalg, tensor,
};
use strata_target::Subword;

use super::view::View;

/// The largest difference from a zero point: up to it, all integers are exact in eight digits.
const MAX_DIFFERENCE: f32 = 256.0;

/// Numbers of few bits, and what is made of them.
#[derive(Clone)]
pub struct Numbers {
    /// Which numbers their bits are.
    pub subword: Subword,
    /// A constant of bytes.
    pub bytes: Rc<[u8]>,
    /// Where in it each of them is.
    pub place: View,
    /// What they are multiplied by.
    pub scale: Option<Floats>,
    /// What is taken from them before.
    pub zero_point: Option<Floats>,
}

/// A constant of floats in the places of the numbers.
#[derive(Clone)]
pub struct Floats {
    /// All elements of the constant.
    pub values: Rc<[f32]>,
    /// Where in it each of them is.
    pub place: View,
}

impl Numbers {
    /// The elements of a tensor of `bf16`, if they are such numbers, words along `dim` are of one group each, and unpacking them takes less
    /// time than converting them where they are read, by which a vector is multiplied or more than one.
    pub fn of(value: Value<'_>, dim: usize, is_of_vector: bool) -> Option<Self> {
        is_bf16(value.ty().element()).then_some(())?;
        let Seen::Numbers(numbers) = seen(value)? else { return None };
        let depth = *value.ty().shape()?.get(dim)?;
        let group = numbers.group(dim, depth);
        let fits = group == depth || group % numbers.subword.count() == 0;
        let is_scaled = numbers.groups(dim).next().is_some();
        let is_fast = is_scaled && !(is_of_vector && group == depth);
        let fits = fits && (numbers.subword.bits() < 8 || is_fast);
        (fits && numbers.groups(dim).all(|other| other % group == 0)).then_some(numbers)
    }

    /// How many neighbours along a dimension of `depth` numbers have their scale and their zero point in common.
    pub fn group(&self, dim: usize, depth: i64) -> i64 {
        self.groups(dim).min().unwrap_or(depth)
    }

    /// The same of each of the two.
    fn groups(&self, dim: usize) -> impl Iterator<Item = i64> {
        let params = [&self.scale, &self.zero_point].into_iter().flatten();
        params.map(move |floats| floats.place.group(dim))
    }

    fn moved(self, to: impl Fn(&View) -> Option<View>) -> Option<Self> {
        let moved = |floats: Floats| Some(Floats { place: to(&floats.place)?, ..floats });
        Some(Self {
            place: to(&self.place)?,
            scale: self.scale.map_or(Some(None), |one| moved(one).map(Some))?,
            zero_point: self.zero_point.map_or(Some(None), |one| moved(one).map(Some))?,
            ..self
        })
    }
}

/// What is known of a value.
#[derive(Clone)]
enum Seen<'c> {
    /// It has the elements of this constant.
    Constant(Value<'c>, View),
    /// A constant of floats, converted.
    Floats(Floats),
    Numbers(Numbers),
}

impl Seen<'_> {
    fn moved(self, to: impl Fn(&View) -> Option<View>) -> Option<Self> {
        match self {
            Self::Constant(constant, place) => Some(Self::Constant(constant, to(&place)?)),
            Self::Floats(floats) => {
                let place = to(&floats.place)?;
                Some(Self::Floats(Floats { place, ..floats }))
            }
            Self::Numbers(numbers) => numbers.moved(to).map(Self::Numbers),
        }
    }
}

/// The constant whose elements a tensor has in another shape or order, and where in it each of them is.
pub fn constant(value: Value<'_>) -> Option<(Value<'_>, View)> {
    match seen(value)? {
        Seen::Constant(constant, place) => Some((constant, place)),
        Seen::Floats(_) | Seen::Numbers(_) => None,
    }
}

fn seen(value: Value<'_>) -> Option<Seen<'_>> {
    let (op, shape) = (value.owner()?, value.ty().shape()?);
    // Of none, no two elements differ.
    (!shape.contains(&0)).then_some(())?;
    match op.name() {
        arith::CONSTANT => {
            let is_splat = op.attr("value").is_some_and(|elements| elements.is_splat());
            let place = if is_splat { View::of_scalar } else { View::whole };
            Some(Seen::Constant(value, place(&shape)))
        }
        tensor::EXPAND_SHAPE | tensor::COLLAPSE_SHAPE => {
            seen(op.operand(0))?.moved(|view| view.reshaped(&shape))
        }
        linalg::TRANSPOSE => {
            let dims = op.attr("permutation")?.as_i64s()?;
            seen(op.operand(0))?.moved(|view| view.transposed(&dims))
        }
        linalg::FILL => scalar(op.operand(0), &shape),
        linalg::GENERIC => computed(op, &shape),
        _ => None,
    }
}

/// A number in all places of a shape.
fn scalar<'c>(value: Value<'c>, shape: &[i64]) -> Option<Seen<'c>> {
    let is_number = value.owner()?.is(arith::CONSTANT) && value.ty().rank().is_none();
    is_number.then(|| Seen::Constant(value, View::of_scalar(shape)))
}

/// The result of a nest of `extents`, element by element.
fn computed<'c>(op: Op<'c>, extents: &[i64]) -> Option<Seen<'c>> {
    let maps = op.indexing_maps()?;
    let (last, inputs) = maps.split_last()?;
    let is_elementwise = op.result_count() == 1 && *last == AffineMap::identity(extents.len());
    is_elementwise.then_some(())?;
    let body = op.body(0);
    let mut values = FxHashMap::default();
    for (at, map) in inputs.iter().enumerate().filter(|(at, _)| body.arg(*at).has_uses()) {
        let input = seen(op.operand(at))?.moved(|view| view.indexed(map, extents))?;
        values.insert(body.arg(at), input);
    }
    for inner in body.ops() {
        let operand = |at: usize| -> Option<Seen<'c>> {
            let value = inner.operand(at);
            values.get(&value).cloned().or_else(|| scalar(value, extents))
        };
        if inner.is(linalg::YIELD) {
            return operand(0);
        }
        if inner.is(arith::CONSTANT) {
            // Known where it is used.
            continue;
        }
        let found = match inner.name() {
            arith::SITOFP | arith::UITOFP => converted(operand(0)?, inner)?,
            arith::EXTF => operand(0)?,
            arith::TRUNCF => rounded(operand(0)?, inner.result(0).ty())?,
            arith::MULF => match (operand(0)?, operand(1)?) {
                (Seen::Numbers(numbers), factor) | (factor, Seen::Numbers(numbers)) => {
                    scaled(numbers, factor, inner.result(0).ty())?
                }
                _ => return None,
            },
            arith::SUBF => match operand(0)? {
                Seen::Numbers(numbers) => less(numbers, operand(1)?)?,
                Seen::Constant(..) | Seen::Floats(_) => return None,
            },
            _ => return None,
        };
        values.insert(inner.result(0), found);
    }
    None
}

/// Bytes as floats, in all of which such numbers are exact.
fn converted<'c>(input: Seen<'c>, op: Op<'c>) -> Option<Seen<'c>> {
    let Seen::Constant(constant, place) = input else { return None };
    let bytes = elements(constant, 1)?;
    let is_signed = op.is(arith::SITOFP);
    let is_s4 = || bytes.iter().all(|byte| (-8..8).contains(&byte.cast_signed()));
    let subword = match () {
        () if is_signed && is_s4() => Subword::S4,
        () if bytes.iter().all(|byte| *byte < 16) => Subword::U4,
        () if is_signed => Subword::S8,
        () => Subword::U8,
    };
    let bytes = bytes.into();
    Some(Seen::Numbers(Numbers { subword, bytes, place, scale: None, zero_point: None }))
}

/// Integers are exact in all formats, and so are differences; what is scaled is rounded to `bf16` alone.
fn rounded<'c>(value: Seen<'c>, ty: Type<'c>) -> Option<Seen<'c>> {
    if let Seen::Numbers(numbers) = &value {
        let is_wide = || ty.element().bit_width().is_some_and(|width| width >= 16);
        return (is_bf16(ty) || numbers.scale.is_none() && is_wide()).then_some(value);
    }
    let floats = floats(value).filter(|_| is_bf16(ty))?;
    let values = floats.values.iter().map(|value| rounded_to_bf16(*value)).collect();
    Some(Seen::Floats(Floats { values, ..floats }))
}

/// The nearest number of `bf16`, the even one of two; a NaN stays one.
fn rounded_to_bf16(value: f32) -> f32 {
    let bits = value.to_bits();
    let nearest = bits.wrapping_add(0x7FFF + (bits >> 16 & 1)) & !0xFFFF;
    if value.is_nan() { value } else { f32::from_bits(nearest) }
}

/// Times a constant, in `f32` or in `bf16`: what is rounded to `bf16` later may be rounded to `f32` first.
fn scaled<'c>(numbers: Numbers, factor: Seen<'c>, ty: Type<'c>) -> Option<Seen<'c>> {
    let floats = floats(factor)?;
    let is_known = ElementType::from_type(ty) == Some(ElementType::Float(32)) || is_bf16(ty);
    let is_normal = |value: &f32| value.is_normal() || *value == 0.0;
    let fits = numbers.scale.is_none() && is_known && floats.values.iter().all(is_normal);
    fits.then_some(Seen::Numbers(Numbers { scale: Some(floats), ..numbers }))
}

/// Less an integer, before it is scaled.
fn less<'c>(numbers: Numbers, other: Seen<'c>) -> Option<Seen<'c>> {
    let floats = floats(other)?;
    let range = numbers.subword.range().map(|end| end as f32);
    let is_small = |value: &f32| {
        value.fract() == 0.0 && range.iter().all(|end| (end - value).abs() <= MAX_DIFFERENCE)
    };
    let fits = numbers.scale.is_none()
        && numbers.zero_point.is_none()
        && floats.values.iter().all(is_small);
    fits.then_some(Seen::Numbers(Numbers { zero_point: Some(floats), ..numbers }))
}

fn floats(value: Seen<'_>) -> Option<Floats> {
    let (constant, place) = match value {
        Seen::Constant(constant, place) => (constant, place),
        Seen::Floats(floats) => return Some(floats),
        Seen::Numbers(_) => return None,
    };
    let values = match ElementType::from_type(constant.ty().element())? {
        ElementType::Float(32) => {
            let bytes = elements(constant, 4)?;
            bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
        }
        ElementType::BFloat16 => {
            let bytes = elements(constant, 2)?;
            let number = |bits: &[u8; 2]| u32::from(u16::from_le_bytes(*bits)) << 16;
            bytes.as_chunks().0.iter().map(|bits| f32::from_bits(number(bits))).collect()
        }
        _ => return None,
    };
    Some(Floats { values, place })
}

/// The bytes of a constant whose elements have `width` of them.
fn elements(constant: Value<'_>, width: usize) -> Option<Vec<u8>> {
    let attribute = constant.owner()?.cast::<arith::Constant>()?.value()?;
    if constant.ty().rank().is_none() {
        // A number alone.
        let number = attribute.as_f64().filter(|_| constant.ty().is_float_type())? as f32;
        let bits = number.to_bits().to_le_bytes();
        return Some(bits[4 - width..].to_vec());
    }
    let count = usize::try_from(constant.ty().element_count()?).ok()?;
    attribute.raw_elements().filter(|bytes| bytes.len() == width * count)
}

fn is_bf16(ty: Type<'_>) -> bool {
    ElementType::from_type(ty.element()) == Some(ElementType::BFloat16)
}
