//! Computes what precedes the maximum on one block of rows and keys.

use strata_ir::{
    AffineExpr, AffineMap, Builder, Op, TypeExt as _, Value, arith, linalg, linalg::IteratorType,
};

use super::{
    coords::{Coords, backward, is_reshape, loop_coords, through},
    find::Attention,
    place::{Extent, Region, loop_of},
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

    /// The block as one of the loops.
    fn region(&self, b: &Builder<'c>) -> Region<'c> {
        let inner = self.of.inner();
        let extent = |dim: usize| match dim {
            _ if dim == self.of.row => Extent::Part(self.rows),
            _ if dim == self.of.key_dim() => Extent::Part(self.keys),
            _ if dim == inner => Extent::Whole,
            _ => Extent::One,
        };
        let starts = self.starts.iter().copied().chain([b.index(0)]).collect();
        Region { starts, extents: (0..=inner).map(extent).collect() }
    }

    /// The block of a tensor in memory.
    pub fn slice(&self, b: &Builder<'c>, from: (Value<'c>, &Coords)) -> Option<Tile<'c>> {
        let (value, dims) = self.region(b).slice(b, from)?;
        let axes = dims.into_iter().filter_map(|dim| self.axis(&AffineExpr::Dim(dim))).collect();
        Some(Tile { value, axes })
    }

    /// Writes the block of a tensor; the whole tensor afterwards.
    pub fn insert(
        &self,
        b: &Builder<'c>,
        part: Value<'c>,
        into: (Value<'c>, &Coords),
    ) -> Option<Value<'c>> {
        self.region(b).insert(b, part, into)
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
        let place = |number: usize| {
            let axis = self.axis(&loops[number]);
            axis.and_then(|axis| axes.iter().position(|own| *own == axis))
        };
        let body = self.region(&b).body(&b, op, &loops, &place);
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
