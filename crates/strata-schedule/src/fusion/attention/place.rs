//! Where a block of the loops is in a tensor.

use std::collections::HashMap;

use strata_ir::{
    AffineExpr, AffineMap, Builder, DYNAMIC, Op, RegionBuilder, TypeExt as _, Value, affine, arith,
    constant_index, index, linalg, tensor,
};

use super::coords::Coords;

/// How much of a dimension a block has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// One index.
    One,
    /// So many from the first one on.
    Part(i64),
    /// `part` from the first one on, of `all`, or of as many times fewer as a tensor has that packs several into a lane.
    Share { all: i64, part: i64 },
    /// All of a tensor's.
    Whole,
}

/// A block: of each dimension, the first index and how many there are.
pub struct Region<'c> {
    pub starts: Vec<Value<'c>>,
    pub extents: Vec<Extent>,
}

/// The dimensions of a block of a tensor, as `tensor.extract_slice` has them.
struct Place<'c> {
    /// The first index in each dimension, where it is known.
    offsets: Vec<i64>,
    /// Those that are not.
    dynamic: Vec<Value<'c>>,
    sizes: Vec<i64>,
    /// The dimensions of the region that it has.
    kept: Vec<usize>,
}

impl<'c> Region<'c> {
    /// The dimension that a coordinate runs along, if the block has more than one index of it.
    pub fn along(&self, coord: &AffineExpr) -> Option<usize> {
        coord.as_dim().filter(|dim| self.extents[*dim] != Extent::One)
    }

    /// How many indices the block has of a coordinate, of which a tensor has `size`.
    pub fn size(&self, coord: &AffineExpr, size: i64) -> i64 {
        match self.along(coord).map(|dim| self.extents[dim]) {
            Some(Extent::Part(part)) => part,
            Some(Extent::Share { all, part }) => part * size / all,
            Some(Extent::Whole) => size,
            Some(Extent::One) | None => 1,
        }
    }

    /// The first index of the block in a dimension of `size` indices.
    fn start_in(&self, b: &Builder<'c>, coord: &AffineExpr, size: i64) -> Value<'c> {
        let start = self.start(b, coord);
        let packed = match self.along(coord).map(|dim| self.extents[dim]) {
            Some(Extent::Share { all, .. }) => all / size.max(1),
            _ => 1,
        };
        if packed == 1 { start } else { quotient(b, start, packed) }
    }

    /// The first index of the block.
    pub fn start(&self, b: &Builder<'c>, coord: &AffineExpr) -> Value<'c> {
        match coord {
            AffineExpr::Constant(number) => b.index(*number),
            AffineExpr::Dim(dim) => self.starts[*dim],
            _ => {
                let map = AffineMap::new(self.starts.len(), vec![coord.clone()]);
                affine::apply(b, &map, &self.starts, index(b.context)).value()
            }
        }
    }

    fn place(&self, b: &Builder<'c>, (value, coords): (Value<'c>, &Coords)) -> Option<Place<'c>> {
        let mut place =
            Place { offsets: Vec::new(), dynamic: Vec::new(), sizes: Vec::new(), kept: Vec::new() };
        for (coord, size) in coords.iter().zip(value.ty().shape()?) {
            let start = self.start_in(b, coord, size);
            let known = constant_index(start);
            place.offsets.push(known.unwrap_or(DYNAMIC));
            place.dynamic.extend(known.is_none().then_some(start));
            place.sizes.push(self.size(coord, size));
            place.kept.extend(self.along(coord));
        }
        Some(place)
    }

    /// The block of a tensor in memory, and the dimensions that it has.
    pub fn slice(
        &self,
        b: &Builder<'c>,
        from: (Value<'c>, &Coords),
    ) -> Option<(Value<'c>, Vec<usize>)> {
        let Place { offsets, dynamic, sizes, kept } = self.place(b, from)?;
        let along = from.1.iter().zip(&sizes).filter(|(coord, _)| self.along(coord).is_some());
        let shape: Vec<i64> = along.map(|(_, size)| *size).collect();
        let ty = strata_ir::tensor(&shape, from.0.ty().element());
        let ones = vec![1; sizes.len()];
        let slice = tensor::extract_slice(b, from.0, &offsets, &sizes, &ones, ty);
        Some((slice.offsets(&dynamic).value(), kept))
    }

    /// Writes the block of a tensor; the whole tensor afterwards.
    pub fn insert(
        &self,
        b: &Builder<'c>,
        part: Value<'c>,
        (whole, coords): (Value<'c>, &Coords),
    ) -> Option<Value<'c>> {
        let Place { offsets, dynamic, sizes, .. } = self.place(b, (whole, coords))?;
        let ones = vec![1; sizes.len()];
        let inserted = tensor::insert_slice(b, part, whole, &offsets, &sizes, &ones, whole.ty());
        Some(inserted.offsets(&dynamic).value())
    }

    /// The body of an operation whose loops have the coordinates `loops`, in an operation on the block that has loop number `place` of
    /// a loop of it, if it has it.
    pub fn body(
        &self,
        b: &Builder<'c>,
        op: Op<'c>,
        loops: &Coords,
        place: &dyn Fn(usize) -> Option<usize>,
    ) -> RegionBuilder {
        let block = op.body(0);
        let types: Vec<_> = block.args().into_iter().map(|arg| arg.ty()).collect();
        let starts: Vec<_> = loops.iter().map(|coord| self.start(b, coord)).collect();
        b.region(&types, |b, args| {
            let mut known: HashMap<_, _> =
                block.args().into_iter().zip(args.iter().copied()).collect();
            for inner in block.ops() {
                if let Some(number) = loop_of(inner) {
                    let value = match place(number) {
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
        })
    }
}

/// An index divided by a number, rounded down.
pub fn quotient<'c>(b: &Builder<'c>, at: Value<'c>, by: i64) -> Value<'c> {
    match constant_index(at) {
        Some(known) => b.index(known.div_euclid(by)),
        None => {
            let map = AffineMap::new(1, vec![AffineExpr::Dim(0).floor_div(by)]);
            affine::apply(b, &map, &[at], index(b.context)).value()
        }
    }
}

/// The loop whose index the operation is.
pub fn loop_of(op: Op<'_>) -> Option<usize> {
    op.cast::<linalg::Index>().and_then(|index| usize::try_from(index.dim()?).ok())
}
