//! Dots of integers times scales that a call computes, with weights whose scales are those of groups of rows.
//!
//! ```text
//! %a = multiply (subtract (convert %x : tensor<4x64xi8>), %point), %scale : tensor<4x64xf32>      // one of each for a row
//! %b = reshape (multiply (convert %w : tensor<2x32x8xi8>), %scales : tensor<2x32x8xf32>)          // one for a group and a column
//! %y = dot_general %a, %b
//!   → if (all scales from 2^-40 to 2^40, all zero points whole numbers of at most 255) {
//!       for each group: %sum += (convert (dot_general of the group's integers : i32) - %point * (the sums of %w)) * %scales
//!       multiply %sum, %scale
//!     } else {
//!       for each group: %sum += dot_general of the group's numbers, as the program computes them
//!     }
//! ```
//!
//! The sum of a group is exact, and rounded with its scale; with `k` products in groups of at least [`MIN_PRODUCTS`], what is added is
//! rounded less often than products in any order are. The other side has the program's products in an order of its own.

use std::collections::HashMap;

use strata_ir::{
    Builder, DotDimensionNumbers, Op, OpKind, QuantizedType, Type, TypeExt as _, Value,
    dense_bytes, f32_type, integer, stablehlo, tensor,
};
use strata_rewrite::{Guard as _, Outcome};
use strata_shapes::gcd;
use strata_target::tuning::simplification::{MAX_GROUPED_ROWS, MAX_SCALED_OPERATIONS};

use super::{
    Expansion,
    contraction::{Sums, known, offset, row_major},
    dynamic::{Rows, are_plain, whole},
    scaled::{MAX_EXPONENT, MIN_PRODUCTS, ValidRows, centered},
};
use crate::{
    emit::{Emit as _, counted},
    pattern::{defined_by, ints, new_constant},
    simplification::elements::Element,
};

/// Integers times constant scales, and how a dot reads them.
struct Groups<'c> {
    stored: Value<'c>,
    /// The shape in which integers have scales.
    shape: Vec<i64>,
    /// The scales, and how far apart they are along each dimension of it.
    scales: Vec<f32>,
    strides: Vec<usize>,
    /// For each dimension of the operand those of the integers that are joined in it; without those of one index.
    joined: Vec<Vec<usize>>,
}

/// What a dot multiplies: `rows` by `count` groups of `size` by `columns`.
#[derive(Clone, Copy)]
struct Shape {
    rows: i64,
    count: i64,
    size: i64,
    columns: i64,
}

/// The operands of both sides of the branch.
#[derive(Clone)]
struct Operands<'c> {
    /// `rows` by what is summed over.
    stored: Value<'c>,
    /// The scale and the zero point of each row.
    scale: Value<'c>,
    point: Option<Value<'c>>,
    /// Groups by their size by columns.
    weights: Value<'c>,
    /// Groups by columns: scales, and the sums of the weights.
    scales: Value<'c>,
    sums: Value<'c>,
    /// Of the stored integers and of the weights.
    types: [QuantizedType<'c>; 2],
}

/// The value of a dot of such numbers; `None` for others.
pub fn contracted<'c>(
    op: Op<'c>,
    builder: &Builder<'c>,
    (sums, rows): &(Sums, Rows<'c>),
    valid: ValidRows<'_, 'c>,
) -> Option<Value<'c>> {
    let [left, right] = [op.operand(0), op.operand(1)];
    let shape = left.ty().shape()?;
    let rank = sums.kept.iter().flatten().flatten().count();
    (op.result(0).ty().rank() == Some(rank)).then_some(())?;

    let groups = Groups::of(right, MAX_SCALED_OPERATIONS)?;
    let (inner, strides) = (&groups.shape, &groups.strides);
    let [summed] = sums.dims[1][..] else { return None };
    let (kind, weights, mut places) = known(groups.stored, MAX_SCALED_OPERATIONS)?;
    let own = groups.stored.ty().shape()?;
    if own != *inner {
        (places == row_major(&own)).then_some(())?;
        places = row_major(inner);
    }
    let joined = groups.joined.get(summed)?;
    let tail = joined.iter().rev().take_while(|dim| strides[**dim] == 0).count();
    let (outer, inside) = joined.split_at(joined.len() - tail);
    let kept = (0..groups.joined.len()).filter(|dim| *dim != summed);
    let columns: Vec<_> = kept.flat_map(|dim| groups.joined[dim].clone()).collect();
    let size = |dims: &[usize]| -> i64 { dims.iter().map(|dim| inner[*dim]).product() };
    let rows_of = |shape: &[i64]| -> i64 { shape[..shape.len() - 1].iter().product() };
    let shape = Shape {
        rows: rows_of(&shape),
        count: size(outer),
        size: size(inside),
        columns: size(&columns),
    };

    let types = [whole(rows.stored, left)?, whole(groups.stored, right)?];
    let bound = sums.bound(&types[0], &types[1])
        + sums.count * i128::from(u8::MAX) * i128::from(-types[1].min);
    let fits = shape.count > 1
        && shape.rows > 0
        && i128::from(shape.size) >= MIN_PRODUCTS
        && bound / i128::from(shape.count) <= i32::MAX.into();
    (fits && !types[1].storage.is_unsigned_int()).then_some(())?;

    // Groups by columns.
    let lines: Vec<_> = outer.iter().chain(&columns).copied().collect();
    let scales = at_all(inner, &lines, strides, |place| groups.scales.get(place).copied())?;
    let is_number = |scale: &f32| {
        let limit = 2_f64.powi(MAX_EXPONENT);
        (limit.recip()..=limit).contains(&f64::from(*scale))
    };
    scales.iter().all(is_number).then_some(())?;
    let width = kind.bytes();
    let weight = |place: usize| match kind.read(weights.get(place * width..)?.get(..width)?) {
        Element::Int(weight) => i32::try_from(weight).ok(),
        _ => None,
    };
    let sum = |place: usize| -> Option<i32> {
        at_all(inner, inside, &places, |step| weight(place + step))?
            .into_iter()
            .try_fold(0_i32, |sum, weight| sum.checked_add(weight))
    };
    let totals = at_all(inner, &lines, &places, sum)?;

    let flat = [shape.count, shape.columns];
    let constant = |bytes: Vec<u8>, element: Type<'c>| {
        let ty = tensor(&flat, element);
        Some(new_constant(builder, ty, dense_bytes(ty, &bytes)?))
    };
    let bytes_of = |numbers: &[f32]| numbers.iter().flat_map(|one| one.to_le_bytes()).collect();
    let total_bytes = totals.iter().flat_map(|one| one.to_le_bytes()).collect();
    let mut order: Vec<_> = outer.iter().chain(inside).chain(&columns).copied().collect();
    order.extend((0..inner.len()).filter(|dim| inner[*dim] == 1));
    let weights = builder.transposed(builder.reshaped(groups.stored, inner), &order);
    let (scale, point) = rows.numbers(builder, left)?;
    let holds = are_plain(builder, (scale, point), valid().ok()?).ok()?;
    let of_rows = |value: Value<'c>| builder.reshaped(value, &[shape.rows]);
    let operands = Operands {
        stored: builder.reshaped(rows.stored, &[shape.rows, shape.count * shape.size]),
        scale: of_rows(scale),
        point: point.map(of_rows),
        weights: builder.reshaped(weights, &[shape.count, shape.size, shape.columns]),
        scales: constant(bytes_of(&scales), f32_type(builder.context))?,
        sums: constant(total_bytes, integer(builder.context, 32))?,
        types,
    };
    let result = op.result(0).ty();
    let mut outcome = Some(());
    let mut side = |of: Side<'c>| {
        builder.region(&[], |inner, _| match by_rows(inner, &operands, shape, of) {
            Ok(value) => {
                inner.returned(&[inner.reshaped(value, &result.shape().unwrap_or_default())]);
            }
            Err(_) => outcome = None,
        })
    };
    let regions = [side(exact), side(plain)];
    outcome?;
    let [exact, plain] = regions;
    let branch = builder.op(stablehlo::IF).operand(holds).result(result);
    Some(branch.region(exact).region(plain).value())
}

/// A side of the branch, of some of the rows.
type Side<'c> = fn(&Builder<'c>, &Operands<'c>, Shape) -> Outcome<Value<'c>>;

/// What `of` gives, in blocks of rows where there are many. The last block starts where it ends with the rows, in others perhaps.
fn by_rows<'c>(
    b: &Builder<'c>,
    operands: &Operands<'c>,
    shape: Shape,
    of: Side<'c>,
) -> Outcome<Value<'c>> {
    let blocks = (shape.rows + MAX_GROUPED_ROWS - 1) / MAX_GROUPED_ROWS;
    if blocks <= 1 {
        return of(b, operands, shape);
    }
    let rows = (shape.rows + blocks - 1) / blocks;
    let all = b.zeros(tensor(&[shape.rows, shape.columns], f32_type(b.context)))?;
    let done = counted(b, blocks, &[all], |b, block, done| {
        // Slices that would end outside start earlier, and so does what is put.
        let start = b.same(stablehlo::MULTIPLY, &[block, b.counter(rows)]);
        let own = |value: Value<'c>| b.slid(value, 0, start, rows);
        let operands = Operands {
            stored: own(operands.stored)?,
            scale: own(operands.scale)?,
            point: operands.point.map(own).transpose()?,
            ..operands.clone()
        };
        let part = of(b, &operands, Shape { rows, ..shape })?;
        let put = b.op(stablehlo::DYNAMIC_UPDATE_SLICE).operands(&[done[0], part]);
        Ok(vec![put.operands(&[start, b.counter(0)]).result(done[0].ty()).value()])
    })?;
    done.first().copied().or_decline("the loop carries nothing")
}

/// The sums of the groups' integers times their scales, times the rows'.
fn exact<'c>(b: &Builder<'c>, of: &Operands<'c>, shape: Shape) -> Outcome<Value<'c>> {
    let wide = integer(b.context, 32);
    let expansion = Expansion { context: b.context, types: HashMap::new() };
    let [stored, weights] = [(of.stored, &of.types[0]), (of.weights, &of.types[1])]
        .map(|(value, ty)| expansion.bytes(b, value, ty));
    let mut point = of.point.map(|point| b.converted(point, wide));
    let less = offset(&of.types[0]);
    if less != 0 {
        let less = b.int_constant(tensor(&[shape.rows], wide), -less);
        point = Some(match point {
            Some(point) => b.same(stablehlo::ADD, &[point, less]),
            None => less,
        });
    }
    let sum = by_groups(b, shape, |b, place, start| {
        let own = b.slid(stored, 1, start, shape.size)?;
        let mut sum = product(b, own, b.taken(weights, 0, place)?, wide)?;
        if let Some(point) = point {
            let totals = b.taken(of.sums, 0, place)?;
            let ways = [along(b, point, shape, 0), along(b, totals, shape, 1)];
            sum = b.same(stablehlo::SUBTRACT, &[sum, b.same(stablehlo::MULTIPLY, &ways)]);
        }
        let scales = along(b, b.taken(of.scales, 0, place)?, shape, 1);
        Ok(b.same(stablehlo::MULTIPLY, &[b.converted(sum, f32_type(b.context)), scales]))
    })?;
    Ok(b.same(stablehlo::MULTIPLY, &[sum, along(b, of.scale, shape, 0)]))
}

/// The program's products.
fn plain<'c>(b: &Builder<'c>, of: &Operands<'c>, shape: Shape) -> Outcome<Value<'c>> {
    let single = f32_type(b.context);
    by_groups(b, shape, |b, place, start| {
        let mut own = b.converted(b.slid(of.stored, 1, start, shape.size)?, single);
        let sizes = [shape.rows, shape.size];
        if let Some(point) = of.point {
            let point = b.broadcast_in_dim(point, &sizes, &[0]);
            own = b.same(stablehlo::SUBTRACT, &[own, point]);
        }
        let scale = b.broadcast_in_dim(of.scale, &sizes, &[0]);
        let own = b.same(stablehlo::MULTIPLY, &[own, scale]);
        let weights = b.converted(b.taken(of.weights, 0, place)?, single);
        let scales = b.taken(of.scales, 0, place)?;
        let scales = b.broadcast_in_dim(scales, &[shape.size, shape.columns], &[1]);
        product(b, own, b.same(stablehlo::MULTIPLY, &[weights, scales]), single)
    })
}

/// The sum over all groups, from the number of each and where it starts.
fn by_groups<'c>(
    b: &Builder<'c>,
    shape: Shape,
    group: impl FnOnce(&Builder<'c>, Value<'c>, Value<'c>) -> Outcome<Value<'c>>,
) -> Outcome<Value<'c>> {
    let zeros = b.zeros(tensor(&[shape.rows, shape.columns], f32_type(b.context)))?;
    let sums = counted(b, shape.count, &[zeros], |b, place, sums| {
        let start = b.same(stablehlo::MULTIPLY, &[place, b.counter(shape.size)]);
        let sum = group(b, place, start)?;
        Ok(vec![b.same(stablehlo::ADD, &[sums[0], sum])])
    })?;
    sums.first().copied().or_decline("the loop carries nothing")
}

/// A matrix times another.
fn product<'c>(
    b: &Builder<'c>,
    left: Value<'c>,
    right: Value<'c>,
    element: Type<'c>,
) -> Outcome<Value<'c>> {
    let size = |value: Value<'c>, dim: usize| {
        value
            .ty()
            .shape()
            .and_then(|shape| shape.get(dim).copied())
            .or_decline("it is not a matrix")
    };
    let shape = [size(left, 0)?, size(right, 1)?];
    let numbers = DotDimensionNumbers {
        lhs_contracting_dimensions: vec![1],
        rhs_contracting_dimensions: vec![0],
        ..Default::default()
    };
    let dot = b.op(stablehlo::DOT_GENERAL).operands(&[left, right]);
    let numbers = numbers.to_attribute(b.context).or_decline("the dialect lacks the attribute")?;
    let dot = dot.attr("dot_dimension_numbers", numbers);
    Ok(dot.result(tensor(&shape, element)).value())
}

/// A number for each row (0) or column (1).
fn along<'c>(b: &Builder<'c>, value: Value<'c>, shape: Shape, dim: i64) -> Value<'c> {
    b.broadcast_in_dim(value, &[shape.rows, shape.columns], &[dim])
}

impl<'c> Groups<'c> {
    fn of(value: Value<'c>, steps: usize) -> Option<Self> {
        let steps = steps.checked_sub(1)?;
        let op = value.owner()?;
        match op.kind() {
            OpKind::Multiply => {
                let of = |integers: Value<'c>, scales: Value<'c>| {
                    let (stored, point) = centered(reshaped_from(integers), steps)?;
                    let scales = reshaped_from(scales);
                    let shape = scales.ty().shape()?;
                    let is_of_weights = point == 0 && shape.iter().all(|size| *size > 0);
                    is_of_weights.then_some(())?;
                    let (scales, strides) = spread(scales)?;
                    let (shape, strides) = in_blocks(&scales, shape, strides);
                    let single = |dim: usize| if shape[dim] > 1 { vec![dim] } else { vec![] };
                    let joined = (0..shape.len()).map(single).collect();
                    Self { stored, shape, scales, strides, joined }.reshaped(value)
                };
                let (left, right) = (op.operand(0), op.operand(1));
                of(left, right).or_else(|| of(right, left))
            }
            OpKind::Transpose => {
                let mut groups = Self::of(op.operand(0), steps)?;
                let order = ints(op, "permutation").ok()?;
                let joined = |dim: &i64| groups.joined.get(usize::try_from(*dim).ok()?).cloned();
                groups.joined = order.iter().map(joined).collect::<Option<_>>()?;
                Some(groups)
            }
            OpKind::Reshape => Self::of(op.operand(0), steps)?.reshaped(value),
            _ => None,
        }
    }

    /// The same in the shape of `value`, each dimension of which is some of these.
    fn reshaped(self, value: Value<'c>) -> Option<Self> {
        let mut dims = self.joined.concat().into_iter();
        let mut join = |size: &i64| {
            let (mut own, mut count) = (Vec::new(), 1);
            while count < *size {
                let dim = dims.next()?;
                count *= self.shape[dim];
                own.push(dim);
            }
            (count == *size).then_some(own)
        };
        let joined = value.ty().shape()?.iter().map(&mut join).collect::<Option<_>>()?;
        Some(Self { joined, ..self })
    }
}

/// What `value` has in another shape.
fn reshaped_from(mut value: Value<'_>) -> Value<'_> {
    while let Ok(op) = defined_by(value, OpKind::Reshape) {
        value = op.operand(0);
    }
    value
}

/// The first dimension along which `numbers`, all of them apart, are equal in blocks as two dimensions, of which the inner one repeats them.
fn in_blocks(
    numbers: &[f32],
    mut shape: Vec<i64>,
    mut strides: Vec<usize>,
) -> (Vec<i64>, Vec<usize>) {
    if strides != row_major(&shape) {
        return (shape, strides);
    }
    let block = |dim: usize| {
        let (size, step) = (shape[dim] as usize, strides[dim]);
        let starts = (step..numbers.len()).filter(|at| {
            at / step % size > 0 && numbers[*at].to_bits() != numbers[at - step].to_bits()
        });
        starts.fold(shape[dim], |block, at| gcd(block, (at / step % size) as i64))
    };
    let is_several =
        |dim: usize, block: i64| i128::from(block) >= MIN_PRODUCTS && block < shape[dim];
    let found =
        (0..shape.len()).map(|dim| (dim, block(dim))).find(|(dim, block)| is_several(*dim, *block));
    if let Some((dim, block)) = found {
        shape.splice(dim..=dim, [shape[dim] / block, block]);
        strides.splice(dim..=dim, [strides[dim] * block as usize, 0]);
    }
    (shape, strides)
}

/// The numbers of a constant that is repeated along dimensions, and how far apart they are along each.
fn spread(value: Value<'_>) -> Option<(Vec<f32>, Vec<usize>)> {
    let repeated = defined_by(value, OpKind::BroadcastInDim).ok();
    let constant = repeated.map_or(value, |op| op.operand(0));
    let (kind, bytes, own) = known(constant, MAX_SCALED_OPERATIONS)?;
    (kind.is_float() && kind.bits() == 32).then_some(())?;
    let read = |bytes: &[u8]| Some(f32::from_le_bytes(bytes.try_into().ok()?));
    let numbers = bytes.chunks_exact(kind.bytes()).map(read).collect::<Option<_>>()?;
    let Some(op) = repeated else { return Some((numbers, own)) };
    let sizes = constant.ty().shape()?;
    let mut strides = vec![0; value.ty().rank()?];
    for (from, dim) in ints(op, "broadcast_dimensions").ok()?.into_iter().enumerate() {
        if sizes[from] != 1 {
            *strides.get_mut(usize::try_from(dim).ok()?)? = own[from];
        }
    }
    Some((numbers, strides))
}

/// What is at all indices of dimensions `dims` of `shape`, the last fastest, from the place of each.
fn at_all<T>(
    shape: &[i64],
    dims: &[usize],
    strides: &[usize],
    at: impl Fn(usize) -> Option<T>,
) -> Option<Vec<T>> {
    let sizes: Vec<_> = dims.iter().map(|dim| shape[*dim]).collect();
    let own = row_major(&sizes);
    let place = |index: usize| {
        let along = dims.iter().zip(&own).zip(&sizes);
        along.map(|((dim, own), size)| index / own % *size as usize * strides[*dim]).sum()
    };
    (0..sizes.iter().product::<i64>() as usize).map(|index| at(place(index))).collect()
}
