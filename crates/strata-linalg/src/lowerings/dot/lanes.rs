//! Dots and convolutions of integers of at most 8 bits, and of `bf16`, by the machine's instruction for them ([`strata_target::DOT_INSTRUCTIONS`]).
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
//! Sums wrap at 32 bits, as those of the program do. Those of `bf16` are in `f32`, without a correction.

use strata_ir::{
    AffineExpr, AttributeExt as _, Builder, ElementType, Type, TypeExt as _, Value, arith,
    dense_bytes, int, integer, linalg::IteratorType, narrow, string, tensor,
};
use strata_rewrite::{Guard as _, Outcome};
use strata_target::{
    Lane, NarrowDot, NarrowInt, TILE_ROWS, Target, TileInstruction, packed_lanes,
    tuning::{
        lowering::{
            LOOKED_UP_VECTORS, MIN_LANE_DEPTH, MIN_LANE_USES, MIN_LANE_WORK, MIN_TILED_WORK,
        },
        tiling::TILES_OF_SIDE,
    },
};

use crate::{
    dims::shape,
    generic::{Indexed, generic},
    lowerings::{
        dot::{
            Operand, Role, Types, contract, declined,
            subwords::{Numbers, constant, looked_up, unpacked},
            widened::part,
        },
        shape::transpose,
    },
    numbers::element::Class,
};

/// How the target computes sums of products of these types, where it has an instruction for them.
pub fn way(types: &Types<'_>, target: &Target) -> Option<NarrowDot> {
    let floats = |ty: Type<'_>| match ElementType::from_type(ty)? {
        ElementType::BFloat16 => Some(Lane::Bf16),
        ElementType::Float(16) => Some(Lane::F16),
        _ => None,
    };
    if let Some(lane) = floats(types.lhs).filter(|lane| floats(types.rhs) == Some(*lane)) {
        // The instructions take numbers of `f32` below the normal range as zero: sums of products of `f16` are none.
        let is_sum = types.class == Class::Float && types.sum.bit_width() == Some(32);
        let is_precise = types.is_precise && lane == Lane::Bf16;
        return NarrowDot::of_floats(target, lane).filter(|_| is_sum && !is_precise);
    }
    let is_sum =
        matches!(types.class, Class::Signed | Class::Unsigned) && types.sum.bit_width() == Some(32);
    NarrowDot::of(target, narrow_int(types.lhs)?, narrow_int(types.rhs)?).filter(|_| is_sum)
}

/// The lanes of a dot whose products are large enough for tiles, where the target has those of its types.
fn tiled(
    [lhs, rhs]: [&Operand<'_>; 2],
    dims: [usize; 2],
    types: &Types<'_>,
    target: &Target,
) -> Option<[Lane; 2]> {
    let way = way(types, target)?;
    let lanes = match way.lanes {
        [lane, _] if lane.is_float() => TileInstruction::of_lanes(target, way.lanes)?.lanes,
        _ => TileInstruction::of(target, narrow_int(types.lhs)?, narrow_int(types.rhs)?)?.lanes,
    };
    let depth = lhs.sizes[dims[0]];
    // Stage `schedule` drops dimensions of one element.
    let last = |operand: &Operand<'_>| operand.free().into_iter().rfind(|size| *size > 1);
    let work = lhs.vectors().saturating_mul(rhs.vectors()).saturating_mul(depth);
    let bytes = depth * i64::from(lanes[0].bits() / 8);
    let result = [last(lhs)?, last(rhs)?];
    TileInstruction::declined(result, bytes, work).is_none().then_some(lanes)
}

fn narrow_int(ty: Type<'_>) -> Option<NarrowInt> {
    let is_signed = match Class::of(ty)? {
        Class::Signed => true,
        Class::Unsigned => false,
        _ => return None,
    };
    Some(NarrowInt { bits: ty.bit_width().filter(|bits| *bits <= 8)?, is_signed })
}

/// The dot, if the target has an instruction for it.
pub fn product<'c>(
    builder: &Builder<'c>,
    lhs: &Operand<'c>,
    rhs: &Operand<'c>,
    types: &Types<'c>,
    (target, is_open): (&Target, bool),
) -> Outcome<Option<Value<'c>>> {
    let size = |operand: &Operand<'c>| operand.sizes.iter().product::<i64>();
    // Where one operand is shifted, the sums of the other are computed: of one that is known, or of the smaller.
    let is_swapped = match [lhs, rhs].map(|operand| known(operand.value).is_some()) {
        [false, true] => true,
        [true, false] => false,
        _ => size(lhs) > size(rhs),
    };
    let swapped = types.swapped();
    let Some(mut way) = way(if is_swapped { &swapped } else { types }, target) else {
        return Ok(declined::of_types(builder, types, target));
    };
    if is_swapped {
        way.lanes.reverse();
    }
    let (Some(left), Some(right)) = (lhs.summed(), rhs.summed()) else {
        return Ok(declined::lanes(builder, declined::SEVERAL));
    };
    let few = match way.lanes {
        [Lane::Bf16, _] => [(lhs, left, rhs), (rhs, right, lhs)]
            .map(|(operand, dim, other)| Numbers::of(operand.value, dim, other.vectors() == 1)),
        _ => [None, None],
    };
    if !is_open {
        let weights = [1, 0].into_iter().find_map(|side| {
            let numbers = few[side].as_ref()?;
            Weights::of([lhs, rhs], [left, right], (side, numbers), target)
        });
        if let Some(weights) = weights {
            return weights.product(builder, types).map(Some);
        }
    }
    // Tiles have an instruction for every pair of signs.
    let tiles = tiled([lhs, rhs], [left, right], types, target);
    if let Some(lanes) = tiles {
        (way.lanes, way.shift) = (lanes, 0);
    } else if !way.is_fast(target) && few.iter().all(Option::is_none) {
        return Ok(declined::lanes(builder, declined::NO_FASTER));
    }
    let (depth, count) = (lhs.sizes[left], way.lanes[0].count());
    let work = lhs.vectors().saturating_mul(rhs.vectors()).saturating_mul(depth);
    if lhs.sizes.contains(&0)
        || rhs.sizes.contains(&0)
        || depth < MIN_LANE_DEPTH
        || work < MIN_LANE_WORK
    {
        return Ok(declined::lanes(builder, declined::FEW));
    }
    let cut = depth / count * count;
    // Elements with few uses are read in place, which needs full lanes; constants are packed by the compiler.
    let is_packed = |side: usize| {
        let (operand, other) = ([lhs, rhs][side], [lhs, rhs][1 - side]);
        let is_constant = operand.value.owner().is_some_and(|owner| owner.is(arith::CONSTANT));
        is_constant || few[side].is_some() || other.vectors() >= MIN_LANE_USES
    };
    let is_whole = cut == depth || is_packed(0) && is_packed(1);
    // Of a part of an operand, the numbers are others.
    let few = if is_whole { few } else { [None, None] };
    let dot = Dot { builder, types, way, is_swapped, is_tiled: tiles.is_some(), few, target };
    if is_whole {
        return dot.sums([lhs, rhs], [left, right]).map(Some);
    }
    let parts = |start, length| {
        [(lhs, left), (rhs, right)].map(|(one, dim)| part(builder, one, dim, start, length))
    };
    let [whole, rest] = [parts(0, cut), parts(cut, depth - cut)];
    let sums = dot.sums([&whole[0], &whole[1]], [left, right])?;
    added(builder, sums, contract(builder, &rest[0], &rest[1], types)?).map(Some)
}

/// A dot by lanes.
struct Dot<'a, 'c> {
    builder: &'a Builder<'c>,
    types: &'a Types<'c>,
    way: NarrowDot,
    /// Whether the left operand is the one that may be shifted.
    is_swapped: bool,
    /// Whether rows of the operands are to be parts of tiles.
    is_tiled: bool,
    /// Operands that are constants of few bits.
    few: [Option<Numbers>; 2],
    target: &'a Target,
}

impl<'c> Dot<'_, 'c> {
    fn sums(&self, operands: [&Operand<'c>; 2], dims: [usize; 2]) -> Outcome<Value<'c>> {
        let in_lanes = |side: usize, element| -> Outcome<Operand<'c>> {
            let (operand, lane) = (operands[side], self.way.lanes[side]);
            let few = match &self.few[side] {
                Some(numbers) => {
                    let is_of_vector = operands[1 - side].vectors() == 1;
                    let stride = looked_up(operand, dims[side], numbers, self.target);
                    let stride = stride.filter(|_| is_of_vector);
                    unpacked(self.builder, operand, dims[side], numbers, stride)?
                }
                None => None,
            };
            if let Some(few) = few {
                return Ok(few);
            }
            let value = packed(self.builder, operand.value, dims[side], (element, lane))?;
            Ok(Operand { value, sizes: shape(value)?, roles: operand.roles.clone() })
        };
        let (mut left, mut right) = (in_lanes(0, self.types.lhs)?, in_lanes(1, self.types.rhs)?);
        if self.is_tiled {
            (left, right) =
                (left_of_tiles(self.builder, left)?, right_of_tiles(self.builder, right)?);
        }
        let types = self.types.of_lanes(self.way.lanes);
        let contract = || contract(self.builder, &left, &right, &types);
        if self.way.shift == 0 {
            return contract();
        }
        let (summed, element) = match self.is_swapped {
            true => (operands[1], self.types.rhs),
            false => (operands[0], self.types.lhs),
        };
        let kept = summed.roles.iter().filter(|role| !matches!(role, Role::Contract(_))).count();
        let batches = summed.roles.iter().filter(|role| matches!(role, Role::Batch(_))).count();
        let place = |role: &Role| match role {
            Role::Batch(index) => *index,
            Role::Free(index) => batches + index,
            Role::Contract(index) => kept + index,
        };
        let loops: Vec<_> = summed.roles.iter().map(place).collect();
        // Before the contraction, so that the correction is fused with that, and not with these sums.
        let input = Indexed::by(summed.value, loops.len(), &loops);
        let excess = sums_of(self.builder, input, kept, element)?;
        // Of the result, dimensions of batches come first, then those of the left operand.
        let skipped = if self.is_swapped { operands[0].free().len() } else { 0 };
        let dims: Vec<_> =
            (0..kept).map(|dim| if dim < batches { dim } else { dim + skipped }).collect();
        corrected(self.builder, contract()?, excess, &dims, self.way.shift)
    }
}

/// A matrix of constants of few bits that the target looks up, which a few vectors are multiplied by: rows of left tiles, whatever side they are on.
struct Weights<'a, 'c> {
    matrix: &'a Operand<'c>,
    vectors: &'a Operand<'c>,
    /// The dimensions that are summed, of both.
    dims: [usize; 2],
    numbers: &'a Numbers,
    stride: i64,
    /// Whether the vectors are the left operand.
    is_right: bool,
}

impl<'a, 'c> Weights<'a, 'c> {
    /// Those of the operand of number `side`.
    fn of(
        operands: [&'a Operand<'c>; 2],
        dims: [usize; 2],
        (side, numbers): (usize, &'a Numbers),
        target: &Target,
    ) -> Option<Self> {
        let (matrix, vectors) = (operands[side], operands[1 - side]);
        let [depth, rows, columns] =
            [matrix.sizes[dims[side]], matrix.vectors(), vectors.vectors()];
        let are_matrices = operands.iter().all(|operand| operand.roles.len() == 2);
        let work = depth.saturating_mul(rows).saturating_mul(columns);
        let fits = are_matrices
            && TileInstruction::of_lanes(target, [Lane::Bf16; 2]).is_some()
            && rows > TILES_OF_SIDE * TILE_ROWS
            && rows % (TILES_OF_SIDE * TILE_ROWS) == 0
            && LOOKED_UP_VECTORS.contains(&columns)
            && work >= MIN_TILED_WORK;
        let stride = looked_up(matrix, dims[side], numbers, target).filter(|_| fits)?;
        let (dims, is_right) = ([dims[side], dims[1 - side]], side == 1);
        Some(Self { matrix, vectors, dims, numbers, stride, is_right })
    }

    /// The dot. That of vectors on the left is the transpose of what tiles make.
    fn product(&self, builder: &Builder<'c>, types: &Types<'c>) -> Outcome<Value<'c>> {
        let Self { matrix, vectors, dims, numbers, .. } = self;
        let left = unpacked(builder, matrix, dims[0], numbers, Some(self.stride))?;
        let left = left.or_decline("its words are of one vector")?;
        let element = if self.is_right { types.lhs } else { types.rhs };
        let value = packed(builder, vectors.value, dims[1], (element, Lane::Bf16))?;
        let right = Operand { value, sizes: shape(value)?, roles: vectors.roles.clone() };
        let product = contract(builder, &left, &right, &types.of_lanes([Lane::Bf16; 2]))?;
        match self.is_right {
            true => transpose(builder, product, &[1, 0]),
            false => Ok(product),
        }
    }
}

/// A left operand whose lanes are adjacent, after its rows.
fn left_of_tiles<'c>(builder: &Builder<'c>, operand: Operand<'c>) -> Outcome<Operand<'c>> {
    match last_roles(&operand) {
        Some([Role::Free(_), Role::Contract(_)]) => Ok(operand),
        _ => ordered(builder, operand, |role| match role {
            Role::Batch(index) => (0, *index),
            Role::Free(index) => (1, *index),
            Role::Contract(index) => (2, *index),
        }),
    }
}

/// The roles of the last two dimensions of several elements: stage `schedule` drops the others.
fn last_roles<'a>(operand: &'a Operand<'_>) -> Option<[&'a Role; 2]> {
    let all = operand.roles.iter().zip(&operand.sizes);
    let mut several = all.rev().filter(|(_, size)| **size > 1).map(|(role, _)| role);
    let last = several.next()?;
    several.next().map(|before| [before, last])
}

/// A right operand with the columns of a batch beside each other, by lanes or lanes by columns.
fn right_of_tiles<'c>(builder: &Builder<'c>, operand: Operand<'c>) -> Outcome<Operand<'c>> {
    let last = operand.free().len().saturating_sub(1);
    match last_roles(&operand) {
        Some([Role::Free(_), Role::Contract(_)] | [Role::Contract(_), Role::Free(_)]) => {
            Ok(operand)
        }
        _ => ordered(builder, operand, |role| match role {
            Role::Batch(index) => (0, *index),
            Role::Free(index) if *index < last => (1, *index),
            Role::Contract(index) => (2, *index),
            Role::Free(index) => (3, *index),
        }),
    }
}

/// A copy of an operand with its dimensions in that order.
fn ordered<'c>(
    builder: &Builder<'c>,
    operand: Operand<'c>,
    place: impl Fn(&Role) -> (usize, usize),
) -> Outcome<Operand<'c>> {
    let mut dims: Vec<_> = (0..operand.roles.len()).collect();
    dims.sort_by_key(|dim| place(&operand.roles[*dim]));
    let sizes: Vec<_> = dims.iter().map(|dim| operand.sizes[*dim]).collect();
    let roles = dims.iter().map(|dim| operand.roles[*dim]).collect();
    let rank = sizes.len();
    // Loops are those of the copy.
    let mut places = vec![0; rank];
    for (at, dim) in dims.iter().enumerate() {
        places[*dim] = at;
    }
    let input = Indexed::by(operand.value, rank, &places);
    let output = Indexed::identity(builder.empty(&sizes, operand.value.ty().element()));
    let loops = vec![IteratorType::Parallel; rank];
    let values = generic(builder, &[input], &[output], &loops, |_, args| Ok(vec![args[0]]))?;
    let value = values.first().copied().or_decline("the nest has no result")?;
    Ok(Operand { value, sizes, roles })
}

/// The sums of two tensors.
pub fn added<'c>(builder: &Builder<'c>, left: Value<'c>, right: Value<'c>) -> Outcome<Value<'c>> {
    let sizes = shape(left)?;
    let inputs = [left, right].map(Indexed::identity);
    let output = Indexed::identity(builder.empty(&sizes, left.ty().element()));
    let loops = vec![IteratorType::Parallel; sizes.len()];
    let values = generic(builder, &inputs, &[output], &loops, |b, args| {
        let add = if args[0].ty().is_float_type() { arith::ADDF } else { arith::ADDI };
        Ok(vec![b.same(add, &args[..2])])
    })?;
    values.first().copied().or_decline("the nest has no result")
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
    let from = match lane {
        Lane::Bf16 | Lane::F16 => lane,
        _ if is_signed => Lane::S8,
        _ => Lane::U8,
    };
    if let Some(bytes) = known(value).filter(|_| !lane.is_float()) {
        let lanes = packed_lanes(&bytes, &shape(value)?, dim, (from, lane))
            .or_decline("its bytes are not those of its elements")?;
        let ty = tensor(&sizes, integer(builder.context, 32));
        let lanes = dense_bytes(ty, &lanes).or_decline("MLIR refuses its lanes")?;
        return Ok(arith::constant(builder, lanes, ty).value());
    }
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

/// The elements of a constant of bytes.
pub fn known(value: Value<'_>) -> Option<Vec<u8>> {
    let attribute = value.owner()?.cast::<arith::Constant>()?.value()?;
    let count = usize::try_from(value.ty().element_count()?).ok()?;
    attribute.raw_elements().filter(|bytes| bytes.len() == count)
}

/// The sums of the elements of a constant, perhaps reshaped and transposed, along the loops from `kept` on, whose sizes without those are `sizes`.
fn known_sums<'c>(
    builder: &Builder<'c>,
    input: &Indexed<'c>,
    sizes: &[i64],
    element: Type<'c>,
) -> Option<Value<'c>> {
    let (constant, view) = constant(input.value)?;
    let bytes = known(constant)?;
    let shape = input.value.ty().shape()?;
    let offsets: Vec<_> = (0..shape.len()).map(|dim| view.offsets(dim)).collect();
    let mut sums = vec![0_i32; usize::try_from(sizes.iter().product::<i64>()).ok()?];
    let mut index = vec![0; input.map.dims];
    for at in 0..shape.iter().product() {
        let (mut rest, mut from) = (at, 0);
        for ((size, result), offsets) in shape.iter().zip(&input.map.results).zip(&offsets).rev() {
            let AffineExpr::Dim(dim) = result else { return None };
            index[*dim] = rest % size;
            from += offsets.get(index[*dim] as usize)?;
            rest /= size;
        }
        let byte = *bytes.get(from)?;
        let place = sizes.iter().zip(&index).fold(0, |place, (size, at)| place * size + at);
        let value = match element.is_unsigned_int() {
            true => i32::from(byte),
            false => i32::from(byte.cast_signed()),
        };
        let sum = sums.get_mut(usize::try_from(place).ok()?)?;
        *sum = sum.wrapping_add(value);
    }
    let bytes: Vec<u8> = sums.into_iter().flat_map(i32::to_le_bytes).collect();
    let ty = tensor(sizes, integer(builder.context, 32));
    Some(arith::constant(builder, dense_bytes(ty, &bytes)?, ty).value())
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
    if let Some(sums) = known_sums(builder, &input, &sizes, element) {
        return Ok(sums);
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
