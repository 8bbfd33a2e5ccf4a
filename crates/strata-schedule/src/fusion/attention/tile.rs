//! Computes what precedes the maximum on one block of rows and keys.

use std::collections::HashMap;

use strata_ir::{
    AffineExpr, AffineMap, Builder, DYNAMIC, Op, TypeExt as _, Value, affine, arith,
    constant_index, index, linalg, linalg::IteratorType, tensor,
};

use super::{
    coords::{Coords, backward, is_reshape, loop_coords, through},
    find::Attention,
};
use crate::structured::Structured;

/// A dimension of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Axis {
    /// Rows of the scores.
    Rows,
    /// Keys.
    Keys,
    /// The dimension that the scores do not have.
    Inner,
}

/// A part of a tensor, of the dimensions named.
#[derive(Clone)]
pub struct Tile<'c> {
    /// The part.
    pub value: Value<'c>,
    /// Its dimensions.
    pub axes: Vec<Axis>,
}

/// Where a block is in a tensor.
struct Place<'c> {
    /// The first index in each dimension, where it is known.
    offsets: Vec<i64>,
    /// Those that are not.
    dynamic: Vec<Value<'c>>,
    sizes: Vec<i64>,
    axes: Vec<Option<Axis>>,
}

/// A block of rows and keys.
pub struct Block<'a, 'c> {
    /// The attention.
    pub of: &'a Attention<'c>,
    /// The index of each dimension of the scores; of rows and keys, the first.
    pub starts: Vec<Value<'c>>,
    /// The number of rows.
    pub rows: i64,
    /// The number of keys.
    pub keys: i64,
}

impl<'c> Block<'_, 'c> {
    /// The size of an axis, where that of the inner dimension is `inner`.
    fn size(&self, axis: Axis, inner: i64) -> i64 {
        match axis {
            Axis::Rows => self.rows,
            Axis::Keys => self.keys,
            Axis::Inner => inner,
        }
    }

    /// The axis that a coordinate runs along.
    fn axis(&self, coord: &AffineExpr) -> Option<Axis> {
        match coord.as_dim()? {
            dim if dim == self.of.row => Some(Axis::Rows),
            dim if dim == self.of.key_dim() => Some(Axis::Keys),
            dim if dim == self.of.inner() => Some(Axis::Inner),
            _ => None,
        }
    }

    /// An index of the first element of the block.
    fn start(&self, b: &Builder<'c>, coord: &AffineExpr) -> Value<'c> {
        match coord {
            AffineExpr::Constant(number) => b.index(*number),
            AffineExpr::Dim(dim) if *dim == self.of.inner() => b.index(0),
            AffineExpr::Dim(dim) => self.starts[*dim],
            _ => {
                let map = AffineMap::new(self.starts.len(), vec![coord.clone()]);
                affine::apply(b, &map, &self.starts, index(b.context)).value()
            }
        }
    }

    /// Where the block is in a tensor.
    fn place(&self, b: &Builder<'c>, (value, coords): (Value<'c>, &Coords)) -> Option<Place<'c>> {
        let mut place =
            Place { offsets: Vec::new(), dynamic: Vec::new(), sizes: Vec::new(), axes: Vec::new() };
        for (coord, extent) in coords.iter().zip(value.ty().shape()?) {
            let start = self.start(b, coord);
            let known = constant_index(start);
            place.offsets.push(known.unwrap_or(DYNAMIC));
            place.dynamic.extend(known.is_none().then_some(start));
            let axis = self.axis(coord);
            place.sizes.push(axis.map_or(1, |axis| self.size(axis, extent)));
            place.axes.push(axis);
        }
        Some(place)
    }

    /// The block of a tensor in memory.
    pub fn slice(&self, b: &Builder<'c>, from: (Value<'c>, &Coords)) -> Option<Tile<'c>> {
        let Place { offsets, dynamic, sizes, axes } = self.place(b, from)?;
        let along = axes.iter().zip(&sizes).filter(|(axis, _)| axis.is_some());
        let shape: Vec<i64> = along.map(|(_, size)| *size).collect();
        let ty = strata_ir::tensor(&shape, from.0.ty().element());
        let ones = vec![1; sizes.len()];
        let slice = tensor::extract_slice(b, from.0, &offsets, &sizes, &ones, ty);
        let value = slice.offsets(&dynamic).value();
        Some(Tile { value, axes: axes.into_iter().flatten().collect() })
    }

    /// Writes the block of a tensor; the whole tensor afterwards.
    pub fn insert(
        &self,
        b: &Builder<'c>,
        part: Value<'c>,
        into: (Value<'c>, &Coords),
    ) -> Option<Value<'c>> {
        let Place { offsets, dynamic, sizes, .. } = self.place(b, into)?;
        let (whole, ones) = (into.0, vec![1; sizes.len()]);
        let inserted = tensor::insert_slice(b, part, whole, &offsets, &sizes, &ones, whole.ty());
        Some(inserted.offsets(&dynamic).value())
    }

    /// The scores of the block.
    pub fn scores(&self, b: &Builder<'c>) -> Option<Value<'c>> {
        let coords: Coords = (0..self.of.extents.len()).map(AffineExpr::Dim).collect();
        let tile = self.tile(b, self.of.scores, &coords, &mut Vec::new())?;
        (tile.axes == [Axis::Rows, Axis::Keys]).then_some(tile.value)
    }

    /// The block of a value: computed, or read from memory.
    fn tile(
        &self,
        b: &Builder<'c>,
        value: Value<'c>,
        coords: &Coords,
        known: &mut Vec<(Value<'c>, Coords, Tile<'c>)>,
    ) -> Option<Tile<'c>> {
        let is_known =
            |(own, at, _): &&(Value<'c>, Coords, Tile<'c>)| *own == value && at == coords;
        if let Some((_, _, tile)) = known.iter().find(is_known) {
            return Some(tile.clone());
        }
        let tile = match value.owner() {
            Some(op) if op == self.of.first.op => self.product(b)?,
            Some(op) if op.is(linalg::FILL) => {
                let value =
                    Builder { location: op.location(), ..*b }.filled(op.operand(0), &[self.rows]);
                Tile { value, axes: vec![Axis::Rows] }
            }
            Some(op) if self.of.members.contains(&op) => match is_reshape(op) {
                true => self.tile(b, op.operand(0), &backward(op, coords)?, known)?,
                false => self.computed(b, op, coords, known)?,
            },
            _ => self.slice(b, (value, coords))?,
        };
        known.push((value, coords.clone(), tile.clone()));
        Some(tile)
    }

    /// The first dot on the block.
    fn product(&self, b: &Builder<'c>) -> Option<Tile<'c>> {
        let Attention { query, key, first, .. } = self.of;
        let b = Builder { location: first.op.location(), ..*b };
        let left = self.slice(&b, (query.0, &query.1))?;
        let right = self.slice(&b, (key.0, &key.1))?;
        let zeros = b.filled(b.float(left.value.ty().element(), 0.0), &[self.rows, self.keys]);
        let axes = [Axis::Rows, Axis::Keys, Axis::Inner];
        let value = matmul(&b, [&left, &right], zeros, axes);
        Some(Tile { value, axes: axes[..2].to_vec() })
    }

    /// An elementwise operation on the block, along the axes that its operands have.
    fn computed(
        &self,
        b: &Builder<'c>,
        op: Op<'c>,
        coords: &Coords,
        known: &mut Vec<(Value<'c>, Coords, Tile<'c>)>,
    ) -> Option<Tile<'c>> {
        let nest = Structured::of_generic(op)?;
        let loops = loop_coords(&nest, coords)?;
        let b = Builder { location: op.location(), ..*b };
        let mut inputs: Vec<Option<Tile<'c>>> = vec![None; nest.inputs];
        // What depends on the dot comes last, so that the dot is next to what its tiles are fused with.
        let mut order: Vec<usize> = (0..nest.inputs).collect();
        order.sort_by_key(|input| self.depends(op.operand(*input)));
        for input in order {
            let coords = through(&nest.maps[input], &loops)?;
            inputs[input] = Some(self.tile(&b, op.operand(input), &coords, known)?);
        }
        let inputs: Vec<Tile<'c>> = inputs.into_iter().collect::<Option<_>>()?;
        let indices = op.body(0).ops().into_iter().filter(|inner| inner.is(linalg::INDEX));
        let mut axes: Vec<Axis> = inputs.iter().flat_map(|tile| tile.axes.clone()).collect();
        for inner in indices {
            axes.extend(self.axis(&loops[loop_of(inner)?]));
        }
        axes.sort_unstable();
        axes.dedup();
        if axes.is_empty() {
            axes.push(Axis::Rows);
        }
        let shape: Vec<i64> = axes.iter().map(|axis| self.size(*axis, 1)).collect();
        let element = op.result(0).ty().element();
        let values: Vec<_> = inputs.iter().map(|tile| tile.value).collect();
        let mut maps: Vec<_> = inputs.iter().map(|tile| map_of(&axes, &tile.axes)).collect();
        maps.push(AffineMap::identity(axes.len()));
        let mut types: Vec<_> = values.iter().map(|value| value.ty().element()).collect();
        types.push(element);
        let starts: Vec<_> = loops.iter().map(|coord| self.start(&b, coord)).collect();
        let body = b.region(&types, |b, args| {
            let block = op.body(0);
            let mut known: HashMap<_, _> =
                block.args().into_iter().zip(args.iter().copied()).collect();
            for inner in block.ops() {
                if let Some(number) = loop_of(inner) {
                    let axis = self.axis(&loops[number]);
                    let place = axis.and_then(|axis| axes.iter().position(|own| *own == axis));
                    let value = match place {
                        Some(place) => {
                            let own = linalg::index(b, place as i64, index(b.context)).value();
                            b.same(arith::ADDI, &[own, starts[number]])
                        }
                        None => starts[number],
                    };
                    known.insert(inner.result(0), value);
                } else {
                    b.copy(inner, &mut known);
                }
            }
        });
        let kinds = vec![IteratorType::Parallel; axes.len()];
        let out = b.empty(&shape, element);
        let value = linalg::generic(&b, &maps, &kinds, &[out.ty()], body)
            .inputs(&values)
            .outputs(&[out])
            .value();
        Some(Tile { value, axes })
    }

    /// Whether a value depends on the first dot.
    fn depends(&self, value: Value<'c>) -> bool {
        let Some(op) = value.owner() else { return false };
        op == self.of.first.op
            || (self.of.members.contains(&op)
                && op.operands().into_iter().any(|operand| self.depends(operand)))
    }
}

/// The loop whose index the operation is.
fn loop_of(op: Op<'_>) -> Option<usize> {
    op.cast::<linalg::Index>().and_then(|index| usize::try_from(index.dim()?).ok())
}

/// The map that picks `own` out of `axes`.
fn map_of(axes: &[Axis], own: &[Axis]) -> AffineMap {
    let place = |axis: &Axis| axes.iter().position(|other| other == axis);
    AffineMap::projection(axes.len(), &own.iter().filter_map(place).collect::<Vec<_>>())
}

/// The product of two tiles added to `sums`, which has the first two of the axes; the last one is summed.
pub fn matmul<'c>(
    b: &Builder<'c>,
    [left, right]: [&Tile<'c>; 2],
    sums: Value<'c>,
    axes: [Axis; 3],
) -> Value<'c> {
    let element = sums.ty().element();
    let body = b.region(&[element; 3], |b, args| {
        let product = b.same(arith::MULF, &args[..2]);
        let sum = b.same(arith::ADDF, &[args[2], product]);
        linalg::yield_(b, &[sum]).build();
    });
    let maps = [map_of(&axes, &left.axes), map_of(&axes, &right.axes), map_of(&axes, &axes[..2])];
    b.structured(linalg::MATMUL, &[left.value, right.value], &[sums], body)
        .attr("indexing_maps", AffineMap::list(b.context, &maps))
        .value()
}
