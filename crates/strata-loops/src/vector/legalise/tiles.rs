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
use strata_ir::{Builder, Op, TypeExt as _, Value, arith, narrow, scf, vector};

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
        if !self.is_plain_transfer(op, first, ty) || !self.is_of_last_dimensions(op, rank) {
            return Err("a tile is not a part of a buffer as it is".to_owned());
        }
        let place = op.operands()[first..=first + rank].to_vec();
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
