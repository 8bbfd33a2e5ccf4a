//! Predicates of bytes that are packed, eight to a byte, as bits of masks.
//!
//! Before, where `%bits` is 128, 64, …, 1 in each row:
//! ```mlir
//! %x = vector.transfer_read %m[%i, %c0] : memref<800x8xi8>, vector<16x8xi8>
//! %p = arith.cmpi ne, %x, %zeros : vector<16x8xi8>
//! %b = arith.select %p, %bits, %zeros : vector<16x8xi1>, vector<16x8xi8>
//! %r = vector.multi_reduction <add>, %b, %zero [1] : vector<16x8xi8> to vector<16xi8>
//! ```
//! After: `%all` is `%m` with its rows as one, and lane 0 of a mask is the lowest bit.
//! ```mlir
//! %0 = vector.load %all[8 * %i] : memref<6400xi8>, vector<64xi8>
//! %1 = vector.shuffle %0, %0 [7, 6, …, 0, 15, 14, …]
//! %2 = arith.cmpi ne, %1, %zeros : vector<64xi8>
//! %3 = vector.bitcast %2 : vector<64xi1> to vector<8xi8>
//! … and the other 64 …
//! ```

use std::iter::successors;

use strata_ir::{
    AffineMap, AttributeExt as _, Builder, Context, Op, TypeExt as _, Value, arith, bool_type,
    constant_index, integer, memref, vector, vector::CombiningKind,
};
use strata_target::{Isa, Target};

use super::{Widths, columns::ShortRows};
use crate::nests::is_view;

/// The bits of a byte.
const BITS: i64 = 8;

/// Packs what `root` packs, on processors that have the lanes of a mask as bits of a register.
pub fn pack_bits<'c>(context: &'c Context, root: Op<'c>, target: &Target) {
    if !matches!(target.isa, Isa::Avx2 | Isa::Avx512) {
        return;
    }
    let lanes = Widths::of(target).lanes(integer(context, 8));
    for op in root.collect(|op| op.is(vector::MULTI_REDUCTION)) {
        if let Some(packed) = Packed::of(op).filter(|packed| packed.rows * BITS % lanes == 0) {
            packed.emit(context, lanes);
        }
    }
}

/// A sum of bits.
struct Packed<'c> {
    sum: Op<'c>,
    test: Op<'c>,
    read: Op<'c>,
    rows: i64,
    /// Whether the first of eight bytes is the highest bit.
    is_reversed: bool,
}

impl<'c> Packed<'c> {
    fn of(sum: Op<'c>) -> Option<Self> {
        let kind = sum.attr("kind").and_then(CombiningKind::of)?;
        let over = sum.attr("reduction_dims")?.as_i64s()?;
        let ty = sum.operand(0).ty();
        let [rows, BITS] = ty.shape()?[..] else { return None };
        let choice = sum.operand(0).owner().filter(|op| op.is(arith::SELECT))?;
        let fits = matches!(kind, CombiningKind::Add | CombiningKind::Or)
            && over == [1]
            && ty.element().bit_width() == Some(8)
            && is_zero(sum.operand(1))
            && is_zero(choice.operand(2));
        let bits = known_row(choice.operand(1)).filter(|_| fits)?;
        let rising = (0..BITS).map(|place| 1 << place);
        let is_reversed = match () {
            () if rising.clone().eq(bits.iter().copied()) => false,
            () if rising.rev().eq(bits.iter().copied()) => true,
            () => return None,
        };
        let test = choice.operand(0).owner()?;
        let is_test = test.is(arith::TRUNCI)
            || test.is(arith::CMPI)
                && arith::CmpIPredicate::of(test.attr("predicate")?)
                    == Some(arith::CmpIPredicate::Ne)
                && is_zero(test.operand(1));
        let read = test.operand(0).owner().filter(|op| is_test && is_of_rows(*op))?;
        (read.result(0).ty() == ty).then_some(Self { sum, test, read, rows, is_reversed })
    }

    fn emit(&self, context: &'c Context, lanes: i64) {
        let emit = Builder { location: self.sum.location(), ..Builder::before(context, self.sum) };
        let byte = integer(context, 8);
        let [wide, mask, part] = [
            vector(&[lanes], byte),
            vector(&[lanes], bool_type(context)),
            vector(&[lanes / BITS], byte),
        ];
        let operands = self.read.operands();
        let Some(rows) = ShortRows::up_to(operands[0], BITS) else { return };
        // Where the bytes were read.
        let at_read =
            Builder { location: self.read.location(), ..Builder::before(context, self.read) };
        let place = rows.joined(at_read, &operands[1..operands.len() - 1]);
        let order: Vec<_> = (0..lanes).map(|lane| lane ^ (BITS - 1)).collect();
        let pieces = (0..self.rows * BITS / lanes).map(|piece| {
            let bytes = at_read.apply(vector::LOAD, &place(piece * lanes), wide);
            let bytes = if self.is_reversed { emit.shuffle(bytes, bytes, &order) } else { bytes };
            let test = match self.test.is(arith::TRUNCI) {
                true => emit.cast(arith::TRUNCI, bytes, mask),
                false => emit.cmpi(arith::CmpIPredicate::Ne, bytes, emit.zero(wide)),
            };
            emit.cast(vector::BITCAST, test, part)
        });
        let whole = pieces.collect::<Vec<_>>().into_iter().reduce(|left, right| {
            let both = [left, right].map(|one| one.ty().shape().map_or(0, |shape| shape[0]));
            emit.shuffle(left, right, &(0..both.iter().sum()).collect::<Vec<_>>())
        });
        if let Some(whole) = whole {
            self.sum.result(0).replace_all_uses_with(whole);
            self.sum.erase();
        }
    }
}

fn is_zero(value: Value<'_>) -> bool {
    let constant =
        value.owner().filter(|op| op.is(arith::CONSTANT)).and_then(|op| op.attr("value"));
    let bytes = constant.and_then(|constant| constant.raw_elements());
    bytes.is_some_and(|bytes| bytes.iter().all(|byte| *byte == 0))
}

/// The bytes of each row of a vector of equal rows that are known.
fn known_row(value: Value<'_>) -> Option<Vec<u8>> {
    let read = value.owner().filter(|op| op.is(vector::BROADCAST))?.operand(0).owner()?;
    if !read.is(vector::TRANSFER_READ) {
        return None;
    }
    let mut buffer = read.operand(0);
    while let Some(view) = buffer.owner().filter(|owner| is_view(*owner)) {
        buffer = view.operand(0);
    }
    let global = buffer.owner().filter(|op| op.is(memref::GET_GLOBAL))?;
    let (name, module) = (global.attr("name")?, successors(Some(global), |op| op.parent()).last()?);
    let is_it = |op: &Op<'_>| {
        let symbol = op.attr("sym_name").and_then(|symbol| symbol.as_str());
        op.is(memref::GLOBAL) && symbol.is_some() && symbol == name.as_symbol()
    };
    let bytes =
        module.body(0).ops().into_iter().find(is_it)?.attr("initial_value")?.raw_elements()?;
    (bytes.len() == BITS as usize && is_of_rows(read)).then_some(bytes)
}

/// Whether a read is of all elements of the last dimension of its buffer.
fn is_of_rows(read: Op<'_>) -> bool {
    let (ty, operands) = (read.result(0).ty(), read.operands());
    let rank = operands[0].ty().rank().unwrap_or_default();
    let lanes = ty.rank().unwrap_or_default();
    let inside = read.attr("in_bounds").and_then(|inside| inside.as_array());
    let map = read.attr("permutation_map").and_then(AffineMap::of);
    read.is(vector::TRANSFER_READ)
        && lanes <= rank
        && operands.len() == rank + 2
        && constant_index(operands[rank]) == Some(0)
        && map == Some(AffineMap::projection(rank, &(rank - lanes..rank).collect::<Vec<_>>()))
        && inside.is_some_and(|all| all.iter().all(|one| one.as_bool() == Some(true)))
}
