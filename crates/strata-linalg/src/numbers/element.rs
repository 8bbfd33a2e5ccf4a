//! Classes of element types, and the types that arithmetic is done in.

use strata_ir::{Builder, Type, TypeExt as _, Value, arith, f32_type};

/// The class that determines an operation's semantics on an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// `i1`: addition is or, multiplication is and, order is false before true.
    Bool,
    /// Signed integers; StableHLO's signless ones are signed.
    Signed,
    /// `ui2` to `ui64`.
    Unsigned,
    /// Floating point of any format.
    Float,
    /// Complex numbers.
    Complex,
}

impl Class {
    /// The class of an element type, or `None` if it is not an element type.
    pub fn of(ty: Type<'_>) -> Option<Self> {
        if ty.is_complex() {
            Some(Self::Complex)
        } else if ty.is_float_type() {
            Some(Self::Float)
        } else if ty.is_unsigned_int() {
            Some(Self::Unsigned)
        } else if ty.is_int() {
            Some(if ty.bit_width() == Some(1) { Self::Bool } else { Self::Signed })
        } else {
            None
        }
    }
}

/// The type that values of `ty` are computed in: `f32` for narrower floats, else `ty` without a sign.
pub fn computed_in<'c>(builder: &Builder<'c>, ty: Type<'c>) -> Type<'c> {
    let narrow = ty.is_float_type() && ty.bit_width().is_some_and(|width| width < 32);
    if narrow { f32_type(builder.context) } else { ty.signless() }
}

/// `value` in the type that it is computed in.
pub fn widen<'c>(builder: &Builder<'c>, value: Value<'c>) -> Value<'c> {
    let wide = computed_in(builder, value.ty());
    if wide == value.ty() { value } else { builder.cast(arith::EXTF, value, wide) }
}

/// `value` rounded to `ty`, where it is a float that was computed in a wider type.
pub fn narrow<'c>(builder: &Builder<'c>, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
    if value.ty() == ty || !ty.is_float_type() {
        value
    } else {
        builder.cast(arith::TRUNCF, value, ty)
    }
}
