//! Tiles: matrices of lanes that the target multiplies as they are (`narrow.matmul`). They are not split.
//!
//! Before:
//! ```mlir
//! %t = vector.transfer_read %m[%i, %k], %zero {in_bounds = [true, true]} : memref<64x64xi32>, vector<16x16xi32>
//! %s = narrow.matmul "s8" %t, "s8" %u into %sums : vector<16x16xi32>, vector<16x16xi32> -> vector<16x16xi32>
//! ```
//! After:
//! ```mlir
//! %t = vector.load %m[%i, %k] : memref<64x64xi32>, vector<16x16xi32>
//! %s = narrow.matmul "s8" %t, "s8" %u into %sums : vector<16x16xi32>, vector<16x16xi32> -> vector<16x16xi32>
//! ```

use rustc_hash::FxHashSet;
use strata_ir::{
    AffineMap, Builder, DYNAMIC, Op, Type, TypeExt as _, Value, arith, memref, memref_layout,
    narrow, scf, strided_memref, vector,
};

use super::{Outcome, Parts};

/// The values that are tiles: operands and results of products, what these are read from, and what loops carry.
pub fn find<'c>(root: Op<'c>) -> FxHashSet<Value<'c>> {
    let mut found = FxHashSet::default();
    for op in root.collect(|op| op.is(narrow::MATMUL)) {
        for value in op.operands().into_iter().chain(op.results()) {
            found.insert(value);
            let elements = value.owner().filter(|owner| owner.is(vector::BITCAST));
            found.extend(elements.map(|cast| cast.operand(0)));
        }
    }
    if found.is_empty() {
        return found;
    }
    let loops = root.collect(|op| op.is(scf::FOR));
    loop {
        let before = found.len();
        for op in &loops {
            let body = op.body(0);
            let given = body.terminator().map(Op::operands).unwrap_or_default();
            for (at, (result, given)) in op.results().into_iter().zip(given).enumerate() {
                let carried = [op.operand(3 + at), body.arg(1 + at), given, result];
                if carried.iter().any(|value| found.contains(value)) {
                    found.extend(carried);
                }
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

impl<'c> Parts<'c> {
    /// Whether an operation has a tile, other than a constant that may be one.
    pub(super) fn has_tiles(&self, op: Op<'c>) -> bool {
        let is_tile = |value: &Value<'c>| self.tiles.contains(value);
        !self.tiles.is_empty()
            && !op.is(arith::CONSTANT)
            && op.operands().iter().chain(&op.results()).any(is_tile)
    }

    /// An operation on tiles: a transfer becomes a load or a store; whether it is replaced.
    pub(super) fn tile(&mut self, emit: Builder<'c>, op: Op<'c>) -> Outcome<bool> {
        let first = match op.name() {
            vector::TRANSFER_READ => 0,
            vector::TRANSFER_WRITE => 1,
            narrow::MATMUL | vector::BITCAST | vector::LOAD | vector::STORE | scf::YIELD => {
                return Ok(false);
            }
            _ => return Err("it takes a tile apart".to_owned()),
        };
        let ty = if first == 0 { op.result(0).ty() } else { op.operand(0).ty() };
        let buffer = op.operand(first);
        let rank = buffer.ty().rank().unwrap_or(0);
        let whole = "a tile is not a part of a buffer as it is";
        if !self.is_plain_transfer(op, first, ty) {
            return Err(whole.to_owned());
        }
        let place = match self.is_of_last_dimensions(op, rank) {
            true => op.operands()[first..=first + rank].to_vec(),
            false => slice(&emit, op, first, ty).ok_or(whole)?,
        };
        if first == 1 {
            emit.op(vector::STORE).operand(op.operand(0)).operands(&place).build();
        } else {
            let load = emit.op(vector::LOAD).operands(&place).result(ty).value();
            op.result(0).replace_all_uses_with(load);
            self.tiles.insert(load);
        }
        Ok(true)
    }
}

/// The part of a buffer that a transfer is of, and the place of its first element: the tile's rows are along another dimension than the
/// last but one.
fn slice<'c>(b: &Builder<'c>, op: Op<'c>, first: usize, ty: Type<'c>) -> Option<Vec<Value<'c>>> {
    let buffer = op.operand(first);
    let (shape, (strides, _)) = (ty.shape()?, memref_layout(buffer.ty())?);
    let dims = op.attr("permutation_map").and_then(AffineMap::of)?.projected()?;
    let [rows, columns] = dims[..] else { return None };
    (rows < columns && columns + 1 == strides.len()).then_some(())?;
    let mut sizes = vec![1; strides.len()];
    (sizes[rows], sizes[columns]) = (shape[0], shape[1]);
    let element = buffer.ty().element();
    let part = strided_memref(&shape, &[strides[rows], strides[columns]], DYNAMIC, element);
    let (offsets, ones) = (vec![DYNAMIC; strides.len()], vec![1; strides.len()]);
    let places = &op.operands()[first + 1..=first + strides.len()];
    let slice = memref::subview(b, buffer, &offsets, &sizes, &ones, part).offsets(places);
    Some(vec![slice.value(), b.index(0), b.index(0)])
}
