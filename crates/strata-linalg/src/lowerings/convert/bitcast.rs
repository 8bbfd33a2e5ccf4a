//! `bitcast_convert` between element types of different widths: one element to several narrower ones in
//! a new last dimension, or the last dimension to one wider element. The element with the smaller index
//! holds the lower bits.
//!
//! ```text
//! %1 = stablehlo.bitcast_convert %0 : (tensor<3xf32>) -> tensor<3x4xui8>
//! ```
//! becomes
//! ```text
//! %1 = linalg.generic ins(%0 through (d0, d1) -> (d0)) outs(empty) {
//!   trunci (shrui (bitcast %x : i32), 8 * linalg.index 1) : i8
//! }
//! ```

use strata_ir::{
    Builder, Op, OpKind, Type, TypeExt as _, Value, arith, integer, linalg::IteratorType,
};
use strata_rewrite::{Guard as _, Lowerer, Lowering, Outcome};

use crate::{
    dims::shape,
    generic::{Indexed, generic, loop_index},
    lowerings::convert::resize,
    numbers::narrow::{logical, storage, wrap},
};

/// The lowering of `bitcast_convert` where the shape changes.
pub struct BitcastWidth;

impl Lowering for BitcastWidth {
    fn name(&self) -> &'static str {
        "bitcast-width"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::BitcastConvert]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let builder = lowerer.builder();
        let [from, to] = logical(op);
        let (Some(from_width), Some(to_width)) = (from.bit_width(), to.bit_width()) else {
            return Err("the element types have no bits".into());
        };
        (from_width != to_width).or_decline("the width stays the same")?;
        let sizes = shape(op.result(0))?;
        let result = if from_width > to_width {
            split(&builder, operands[0], to, to_width, &sizes)?
        } else {
            join(&builder, operands[0], to, from_width, &sizes)?
        };
        Ok(vec![result])
    }
}

/// All bits of a number as one integer; the real part holds the lower half.
pub fn to_bits<'c>(b: &Builder<'c>, x: Value<'c>) -> Outcome<Value<'c>> {
    let width = x.ty().bit_width().or_decline("the element type has no bits")?;
    let ty = integer(b.context, width);
    if x.ty() == ty {
        return Ok(x);
    }
    if !x.ty().is_complex() {
        return Ok(b.cast(arith::BITCAST, x, ty));
    }
    let (re, im) = b.parts(x)?;
    let half = integer(b.context, width / 2);
    let low = b.cast(arith::EXTUI, b.cast(arith::BITCAST, re, half), ty);
    let high = b.cast(arith::EXTUI, b.cast(arith::BITCAST, im, half), ty);
    let shifted = b.same(arith::SHLI, &[high, b.int(ty, i64::from(width / 2))]);
    Ok(b.same(arith::ORI, &[low, shifted]))
}

/// The number of type `ty` with those bits.
pub fn from_bits<'c>(b: &Builder<'c>, bits: Value<'c>, ty: Type<'c>) -> Outcome<Value<'c>> {
    if bits.ty() == ty {
        return Ok(bits);
    }
    let Some(part) = ty.complex_element() else { return Ok(b.cast(arith::BITCAST, bits, ty)) };
    let width = part.bit_width().or_decline("the element type has no bits")?;
    let half = integer(b.context, width);
    let low = b.cast(arith::TRUNCI, bits, half);
    let shifted = b.same(arith::SHRUI, &[bits, b.int(bits.ty(), i64::from(width))]);
    let high = b.cast(arith::TRUNCI, shifted, half);
    let re = b.cast(arith::BITCAST, low, part);
    let im = b.cast(arith::BITCAST, high, part);
    Ok(b.complex(re, im))
}

/// The lowest `width` bits of an integer.
fn low_bits<'c>(b: &Builder<'c>, bits: Value<'c>, width: u32) -> Value<'c> {
    if bits.ty().bit_width().is_none_or(|stored| stored <= width) {
        return bits;
    }
    b.same(arith::ANDI, &[bits, b.int(bits.ty(), !(-1 << width))])
}

/// The first bit of the piece for the current iteration of loop `dim`, as an integer of type `ty`.
fn position<'c>(b: &Builder<'c>, dim: usize, width: u32, ty: Type<'c>) -> Value<'c> {
    let piece = b.cast(arith::INDEX_CAST, loop_index(b, dim), ty);
    b.same(arith::MULI, &[piece, b.int(ty, i64::from(width))])
}

/// The elements of `value` in pieces of `width` bits, the bits of a `to` before lowering.
fn split<'c>(
    builder: &Builder<'c>,
    value: Value<'c>,
    to: Type<'c>,
    width: u32,
    sizes: &[i64],
) -> Outcome<Value<'c>> {
    let element = storage(to);
    let stored = element.bit_width().or_decline("the element type has no bits")?;
    let last = sizes.len().checked_sub(1).or_decline("the result has no dimension")?;
    let input = Indexed::by(value, sizes.len(), &(0..last).collect::<Vec<_>>());
    let output = Indexed::identity(builder.empty(sizes, element));
    let loops = vec![IteratorType::Parallel; sizes.len()];
    let pieces = generic(builder, &[input], &[output], &loops, |b, args| {
        let bits = to_bits(b, args[0])?;
        let shifted = b.same(arith::SHRUI, &[bits, position(b, last, width, bits.ty())]);
        let piece = resize(b, shifted, integer(b.context, stored), false);
        Ok(vec![wrap(b, from_bits(b, piece, element)?, to)])
    })?;
    Ok(pieces[0])
}

/// The elements of `value`, of `width` bits each, packed into elements of `to` before lowering.
fn join<'c>(
    builder: &Builder<'c>,
    value: Value<'c>,
    to: Type<'c>,
    width: u32,
    sizes: &[i64],
) -> Outcome<Value<'c>> {
    let element = storage(to);
    let rank = sizes.len();
    let whole = element.bit_width().or_decline("the element type has no bits")?;
    let word = integer(builder.context, whole);
    let input = Indexed::identity(value);
    let zeros = builder.filled(builder.int(word, 0), sizes);
    let over: Vec<_> = (0..rank).collect();
    let mut loops = vec![IteratorType::Parallel; rank];
    loops.push(IteratorType::Reduction);
    let output = Indexed::by(zeros, rank + 1, &over);
    let words = generic(builder, &[input], &[output], &loops, |b, args| {
        let bits = resize(b, low_bits(b, to_bits(b, args[0])?, width), word, false);
        let shifted = b.same(arith::SHLI, &[bits, position(b, rank, width, word)]);
        Ok(vec![b.same(arith::ORI, &[args[1], shifted])])
    })?;
    if storage(to) == to.signless() && word == element {
        return Ok(words[0]);
    }
    let input = Indexed::identity(words[0]);
    let output = Indexed::identity(builder.empty(sizes, element));
    let numbers =
        generic(builder, &[input], &[output], &vec![IteratorType::Parallel; rank], |b, args| {
            Ok(vec![wrap(b, from_bits(b, args[0], element)?, to)])
        })?;
    Ok(numbers[0])
}
