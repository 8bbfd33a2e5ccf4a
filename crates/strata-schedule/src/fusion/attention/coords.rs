//! Where the elements of a tensor are among the loops of an attention.

use strata_ir::{
    AffineExpr, AffineMap, AttributeExt as _, Op, OpName, Type, TypeExt as _, Value, arith, linalg,
    tensor,
};

use crate::structured::{Index, Structured};

/// For each dimension of a tensor its index, as an expression of the loops of an attention.
pub type Coords = Vec<AffineExpr>;

/// A product of two tensors of `f32`, summed along one loop.
#[derive(Clone)]
pub struct Dot<'c> {
    /// The operation.
    pub op: Op<'c>,
    /// The loop that indexes each dimension of the operands and of the result.
    pub maps: Vec<Vec<usize>>,
    /// The trip count of each loop.
    pub extents: Vec<i64>,
    /// The loop of the sum.
    pub reduced: usize,
}

impl<'c> Dot<'c> {
    /// Reads a contraction whose sum starts from 0.
    pub fn of(op: Op<'c>) -> Option<Self> {
        if op.operand_count() != 3
            || op.result_count() != 1
            || fill_value(op.operand(2)) != Some(0.0)
        {
            return None;
        }
        if !op.operands().into_iter().all(|value| is_f32(value.ty().element())) {
            return None;
        }
        let maps = match op.name() {
            linalg::MATMUL | linalg::BATCH_MATMUL => named_maps(op)?,
            linalg::GENERIC => generic_maps(op)?,
            _ => return None,
        };
        let loops = maps.iter().flatten().max()? + 1;
        let mut extents = vec![0; loops];
        for (value, map) in op.operands().into_iter().zip(&maps) {
            for (size, number) in value.ty().shape()?.into_iter().zip(map) {
                extents[*number] = size;
            }
        }
        let mut reduced = (0..loops).filter(|number| !maps[2].contains(number));
        let (one, None) = (reduced.next()?, reduced.next()) else { return None };
        (maps[0].contains(&one) && maps[1].contains(&one)).then_some(())?;
        Some(Self { op, maps, extents, reduced: one })
    }

    /// The coordinates of an operand where those of the result are `result` and that of the sum is `inner`.
    pub fn operand_coords(&self, operand: usize, result: &Coords, inner: usize) -> Option<Coords> {
        let index = |number: &usize| match *number == self.reduced {
            true => Some(AffineExpr::Dim(inner)),
            false => {
                let place = self.maps[2].iter().position(|own| own == number)?;
                result.get(place).cloned()
            }
        };
        self.maps[operand].iter().map(index).collect()
    }
}

/// The maps of a matmul, or of a batch of them.
pub fn named_maps(op: Op<'_>) -> Option<Vec<Vec<usize>>> {
    match op.attr("indexing_maps").and_then(|maps| maps.as_array()) {
        Some(maps) => maps.into_iter().map(|map| AffineMap::of(map)?.projected()).collect(),
        None if op.is(linalg::MATMUL) => Some(vec![vec![0, 2], vec![2, 1], vec![0, 1]]),
        None => Some(vec![vec![0, 1, 3], vec![0, 3, 2], vec![0, 1, 2]]),
    }
}

/// The maps of a generic operation that adds products.
fn generic_maps(op: Op<'_>) -> Option<Vec<Vec<usize>>> {
    let nest = Structured::of_generic(op).filter(|nest| nest.inputs == 2)?;
    let body = op.body(0);
    let [product, sum, _] = body.ops()[..] else { return None };
    let adds = product.is(arith::MULF)
        && sum.is(arith::ADDF)
        && body.terminator()?.operand(0) == sum.result(0)
        && pair_of(product, body.arg(0), body.arg(1))
        && pair_of(sum, body.arg(2), product.result(0));
    adds.then(|| loops_of(&nest))?
}

/// The loop that indexes each dimension of each operand.
pub fn loops_of(nest: &Structured<'_>) -> Option<Vec<Vec<usize>>> {
    let number = |index: &Index| match index {
        Index::Loop(number) => Some(*number),
        Index::Mixed(_) => None,
    };
    nest.maps.iter().map(|map| map.iter().map(number).collect()).collect()
}

/// Whether the operands are these two, in any order.
pub fn pair_of<'c>(op: Op<'c>, one: Value<'c>, other: Value<'c>) -> bool {
    let operands = op.operands();
    operands == [one, other] || operands == [other, one]
}

/// Whether the type is `f32`.
pub fn is_f32(ty: Type<'_>) -> bool {
    ty.is_float_type() && ty.bit_width() == Some(32) && !ty.is_tf32()
}

/// The only operation in the body of a generic operation, whose result is the operation's.
pub fn sole_operation<'c>(op: Op<'c>, name: OpName<'_>) -> Option<Op<'c>> {
    let body = op.body(0);
    let [inner, end] = body.ops()[..] else { return None };
    (inner.is(name) && end.operands() == inner.results()).then_some(inner)
}

/// The number that a tensor is filled with.
pub fn fill_value(value: Value<'_>) -> Option<f64> {
    let fill = value.owner().filter(|owner| owner.is(linalg::FILL))?;
    fill.operand(0).owner().filter(|owner| owner.is(arith::CONSTANT))?.attr("value")?.as_f64()
}

/// Whether the operation is a reshape that splits or joins dimensions.
pub fn is_reshape(op: Op<'_>) -> bool {
    matches!(op.name(), tensor::EXPAND_SHAPE | tensor::COLLAPSE_SHAPE)
}

/// The coordinates of the source of a reshape from those of its result.
pub fn backward(op: Op<'_>, result: &Coords) -> Option<Coords> {
    let (source, target) = (op.operand(0).ty().shape()?, op.result(0).ty().shape()?);
    match op.is(tensor::EXPAND_SHAPE) {
        true => joined(op, result, &target),
        false => split(op, result, &source),
    }
}

/// The coordinates of the result of a reshape from those of its source.
pub fn forward(op: Op<'_>, source: &Coords) -> Option<Coords> {
    let (shape, target) = (op.operand(0).ty().shape()?, op.result(0).ty().shape()?);
    match op.is(tensor::EXPAND_SHAPE) {
        true => split(op, source, &target),
        false => joined(op, source, &shape),
    }
}

/// The dimensions of each group of a reshape.
fn groups(op: Op<'_>) -> Option<Vec<Vec<usize>>> {
    let group = |group: strata_ir::Attribute<'_>| -> Option<Vec<usize>> {
        let dims = group.as_array()?.into_iter();
        dims.map(|dim| usize::try_from(dim.as_i64()?).ok()).collect()
    };
    op.attr("reassociation")?.as_array()?.into_iter().map(group).collect()
}

/// One coordinate for each group of dimensions of these sizes.
fn joined(op: Op<'_>, coords: &Coords, sizes: &[i64]) -> Option<Coords> {
    let join = |group: Vec<usize>| {
        let mut all: Option<AffineExpr> = None;
        for dim in group.into_iter().filter(|dim| sizes[*dim] != 1) {
            let own = coords.get(dim)?.clone();
            all = Some(match all {
                Some(all) => all * sizes[dim] + own,
                None => own,
            });
        }
        Some(all.unwrap_or(AffineExpr::Constant(0)))
    };
    groups(op)?.into_iter().map(join).collect()
}

/// The coordinates of the dimensions of these sizes from one for each group.
fn split(op: Op<'_>, coords: &Coords, sizes: &[i64]) -> Option<Coords> {
    let mut all = vec![AffineExpr::Constant(0); sizes.len()];
    for (group, coord) in groups(op)?.into_iter().zip(coords) {
        let long: Vec<usize> = group.into_iter().filter(|dim| sizes[*dim] != 1).collect();
        let mut rest = coord.clone();
        for (place, dim) in long.iter().enumerate().rev() {
            let size = AffineExpr::Constant(sizes[*dim]);
            all[*dim] = match place {
                0 => rest.clone(),
                _ => AffineExpr::Mod(Box::new(rest.clone()), Box::new(size)),
            };
            rest = rest.floor_div(sizes[*dim]);
        }
    }
    Some(all)
}

/// The coordinates of the loops of an operation that writes its result in the order of its loops from those of the result.
pub fn loop_coords(nest: &Structured<'_>, result: &Coords) -> Option<Coords> {
    (nest.writes_identity() && nest.extents.len() == result.len()).then(|| result.clone())
}

/// The coordinates of an operand from those of the loops.
pub fn through(map: &[Index], loops: &Coords) -> Option<Coords> {
    let coord = |index: &Index| match index {
        Index::Loop(number) => loops.get(*number).cloned(),
        Index::Mixed(_) => None,
    };
    map.iter().map(coord).collect()
}
