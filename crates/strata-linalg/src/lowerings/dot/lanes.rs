//! Dots and convolutions of integers of at most 8 bits by the machine's instruction for them ([`strata_ir::DOT_INSTRUCTIONS`]).
//!
//! Operands become lanes of several elements along the summed dimension, and the contraction one of lanes:
//!
//! ```text
//! %2 = stablehlo.dot_general %0, %1 … : (tensor<64x96xi8>, tensor<96x64xi8>) -> tensor<64x64xi32>
//! ```
//! becomes, where the instruction multiplies bytes without sign by bytes with one,
//! ```text
//! %l = narrow.pack "s8" %0 to "s8" along 1 : tensor<64x96xi8> -> tensor<64x24xi32>
//! %r = narrow.pack "s8" %1 to "u8" along 0 : tensor<96x64xi8> -> tensor<24x64xi32>      // 128 more each
//! %s = linalg.generic { arith.addi, arith.extsi } ins(%0) outs(zeros) : tensor<64xi32>  // the sums of its rows
//! %c = linalg.generic { arith.addi, narrow.dot "s8", "u8" } ins(%l, %r) outs(zeros)
//! %2 = linalg.generic { %c - 128 * %s }
//! ```
//! Sums wrap at 32 bits, as those of the program do.

use strata_ir::{
    AffineExpr, Builder, Lane, NarrowDot, NarrowInt, Target, Type, TypeExt as _, Value, arith, int,
    integer,
    linalg::IteratorType,
    narrow, string, tensor,
    tuning::lowering::{MIN_LANE_DEPTH, MIN_LANE_USES},
};
use strata_rewrite::{Guard as _, Outcome};

use crate::{
    dims::shape,
    generic::{Indexed, generic},
    lowerings::dot::{Operand, Role, Types, contract},
    numbers::element::Class,
};

/// How the target computes sums of products of these types, where it has an instruction for them.
pub fn way(types: &Types<'_>, target: &Target) -> Option<NarrowDot> {
    let is_sum =
        matches!(types.class, Class::Signed | Class::Unsigned) && types.sum.bit_width() == Some(32);
    NarrowDot::of(target, narrow_int(types.lhs)?, narrow_int(types.rhs)?).filter(|_| is_sum)
}

fn narrow_int(ty: Type<'_>) -> Option<NarrowInt> {
    let is_signed = match Class::of(ty)? {
        Class::Signed => true,
        Class::Unsigned => false,
        _ => return None,
    };
    Some(NarrowInt { bits: ty.bit_width().filter(|bits| *bits <= 8)?, is_signed })
}

/// The dot, if the target has an instruction for it and packing pays.
pub fn product<'c>(
    builder: &Builder<'c>,
    lhs: &Operand<'c>,
    rhs: &Operand<'c>,
    types: &Types<'c>,
    target: &Target,
) -> Outcome<Option<Value<'c>>> {
    let Some(way) = way(types, target) else { return Ok(None) };
    let uses = |other: &Operand<'c>| other.free().iter().product::<i64>();
    let (Some(left), Some(right)) = (lhs.summed(), rhs.summed()) else { return Ok(None) };
    if lhs.sizes.contains(&0)
        || uses(lhs) < MIN_LANE_USES
        || uses(rhs) < MIN_LANE_USES
        || lhs.sizes[left] < MIN_LANE_DEPTH
    {
        return Ok(None);
    }
    let in_lanes = |operand: &Operand<'c>, dim, lane| -> Outcome<Operand<'c>> {
        let value = packed(builder, operand.value, dim, lane)?;
        Ok(Operand { value, sizes: shape(value)?, roles: operand.roles.clone() })
    };
    let left = in_lanes(lhs, left, (types.lhs, way.lanes[0]))?;
    let right = in_lanes(rhs, right, (types.rhs, way.lanes[1]))?;
    let contract = || contract(builder, &left, &right, &types.of_lanes(way.lanes));
    if way.shift == 0 {
        return contract().map(Some);
    }
    // Batch and free dimensions of the left operand come first in the result, in this order.
    let kept = lhs.roles.iter().filter(|role| !matches!(role, Role::Contract(_))).count();
    let batches = lhs.roles.iter().filter(|role| matches!(role, Role::Batch(_))).count();
    let place = |role: &Role| match role {
        Role::Batch(index) => *index,
        Role::Free(index) => batches + index,
        Role::Contract(index) => kept + index,
    };
    let dims: Vec<_> = lhs.roles.iter().map(place).collect();
    // Before the contraction, so that the correction is fused with that, and not with these sums.
    let excess = sums_of(builder, Indexed::by(lhs.value, dims.len(), &dims), kept, types.lhs)?;
    let dims: Vec<_> = (0..kept).collect();
    corrected(builder, contract()?, excess, &dims, way.shift).map(Some)
}

/// The elements along a dimension as lanes.
pub fn packed<'c>(
    builder: &Builder<'c>,
    value: Value<'c>,
    dim: usize,
    (element, lane): (Type<'c>, Lane),
) -> Outcome<Value<'c>> {
    let mut sizes = shape(value)?;
    sizes[dim] = (sizes[dim] + lane.count() - 1) / lane.count();
    // What fits both is read as the lane needs it, so that nothing is shifted.
    let is_signed = match element.bit_width() {
        Some(8) => !element.is_unsigned_int(),
        _ if lane == Lane::S16 => !element.is_unsigned_int(),
        _ => lane.is_signed() || !element.is_unsigned_int(),
    };
    let from = if is_signed { Lane::S8 } else { Lane::U8 };
    let text = |lane: Lane| string(builder.context, lane.name());
    Ok(builder
        .op(narrow::PACK)
        .operand(value)
        .attr("dimension", int(integer(builder.context, 64), dim as i64))
        .attr("from", text(from))
        .attr("to", text(lane))
        .result(tensor(&sizes, integer(builder.context, 32)))
        .value())
}

/// The sums of the elements of a tensor along the loops from `kept` on.
pub fn sums_of<'c>(
    builder: &Builder<'c>,
    input: Indexed<'c>,
    kept: usize,
    element: Type<'c>,
) -> Outcome<Value<'c>> {
    let wide = integer(builder.context, 32);
    let loops = input.map.dims;
    let mut sizes = vec![1; kept];
    for (size, dim) in shape(input.value)?.iter().zip(&input.map.results) {
        if let AffineExpr::Dim(dim) = dim
            && *dim < kept
        {
            sizes[*dim] = *size;
        }
    }
    let zeros = builder.filled(builder.int(wide, 0), &sizes);
    let output = Indexed::by(zeros, loops, &(0..kept).collect::<Vec<_>>());
    let mut kinds = vec![IteratorType::Parallel; kept];
    kinds.resize(loops, IteratorType::Reduction);
    let extend = if element.is_unsigned_int() { arith::EXTUI } else { arith::EXTSI };
    let sums = generic(builder, &[input], &[output], &kinds, |b, args| {
        Ok(vec![b.same(arith::ADDI, &[args[1], b.cast(extend, args[0], wide)])])
    })?;
    sums.first().copied().or_decline("the nest has no result")
}

/// `sums` less `shift` times `excess`, whose dimensions are those in `dims` of `sums`.
pub fn corrected<'c>(
    builder: &Builder<'c>,
    sums: Value<'c>,
    excess: Value<'c>,
    dims: &[usize],
    shift: i64,
) -> Outcome<Value<'c>> {
    let sizes = shape(sums)?;
    let inputs = [Indexed::identity(sums), Indexed::by(excess, sizes.len(), dims)];
    let output = Indexed::identity(builder.empty(&sizes, sums.ty().element()));
    let loops = vec![IteratorType::Parallel; sizes.len()];
    let values = generic(builder, &inputs, &[output], &loops, |b, args| {
        let times = b.same(arith::MULI, &[args[1], b.int(args[1].ty(), shift)]);
        Ok(vec![b.same(arith::SUBI, &[args[0], times])])
    })?;
    values.first().copied().or_decline("the nest has no result")
}
