//! Masks of the first lanes of a vector as comparisons of numbers of the lanes' own size.
//!
//! Before: `%m = vector.create_mask %left : vector<8xi1>`, of which each lane is an index to MLIR: two registers of four numbers of 64 bits with
//! AVX2, which are compared and packed.
//! After, one register where the lanes that the mask chooses are of 32 bits:
//! ```mlir
//! %below = arith.minsi %left, %c8 : index                       // both as comparisons and selections
//! %count = arith.maxsi %below, %c0 : index
//! %number = arith.index_cast %count : index to i32
//! %all = vector.broadcast %number : i32 to vector<8xi32>
//! %m = arith.cmpi sgt, %all, dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
//! ```
//! The same lanes for every index: lane `i`, of `n`, is on where `i < left`, and `0 <= i < n`. Where `left` is negative none is on, as with a count of 0,
//! where it is above `n` all are, as with `n`, and a count from 0 to `n` keeps its value in `i8`, since no vector has more than 64 lanes.
//!
//! With AVX-512 masks are registers of their own, for which LLVM compares indices as they are.

use strata_ir::{
    Builder, Context, Op, TypeExt as _, Value, arith, constant_index, dense_bytes, integer, vector,
};
use strata_target::{Isa, Target};

/// Bits of an index.
const INDEX_BITS: u32 = 64;

/// The widest numbers that masks are compared in, instead of indices.
const WIDEST: u32 = 32;

/// Lanes whose numbers are in 8 bits.
const MAX_LANES: i64 = 64;

/// Rewrites the masks in `root` on machines whose masks are vectors.
pub(super) fn lower<'c>(context: &'c Context, root: Op<'c>, target: &Target) {
    if !matches!(target.isa, Isa::Sse2 | Isa::Avx2) {
        return;
    }
    for op in root.collect(|op| op.is(vector::CREATE_MASK)) {
        compare(context, op, target);
    }
}

fn compare<'c>(context: &'c Context, op: Op<'c>, target: &Target) -> Option<()> {
    let mask = op.result(0);
    let left = op.operand(0);
    let [lanes @ 1..=MAX_LANES] = mask.ty().shape()?[..] else { return None };
    let bits = bits_of_lanes(mask).unwrap_or(WIDEST.min(target.vector_bits() / lanes as u32));
    // Without masked reads, indices that are one register take fewer instructions; LLVM folds a mask of a constant number of lanes.
    let is_one = target.isa == Isa::Sse2 && lanes as u32 * INDEX_BITS <= target.vector_bits();
    if is_one || !matches!(bits, 8 | 16 | 32) || constant_index(left).is_some() {
        return None;
    }
    let at = Builder { location: op.location(), ..Builder::before(context, op) };
    let bound = |value, predicate, limit: i64| {
        let limit = at.index(limit);
        at.select(at.cmpi(predicate, value, limit), value, limit)
    };
    let below = bound(left, arith::CmpIPredicate::Slt, lanes);
    let count = bound(below, arith::CmpIPredicate::Sgt, 0);
    let number = integer(context, bits);
    let ty = vector(&[lanes], number);
    let bytes = (0..lanes).flat_map(|lane| lane.to_le_bytes().into_iter().take(bits as usize / 8));
    let places = dense_bytes(ty, &bytes.collect::<Vec<_>>())?;
    let all = at.broadcast(at.cast(arith::INDEX_CAST, count, number), ty);
    let places = arith::constant(&at, places, ty).value();
    mask.replace_all_uses_with(at.cmpi(arith::CmpIPredicate::Sgt, all, places));
    op.erase();
    Some(())
}

/// The bits of the widest lanes that a mask chooses; `None` if no user says which.
fn bits_of_lanes(mask: Value<'_>) -> Option<u32> {
    let chosen = mask.uses().into_iter().filter_map(|(user, _)| match user.name() {
        arith::SELECT | vector::MASKEDLOAD => Some(user.result(0)),
        vector::MASKEDSTORE => user.operands().last().copied(),
        _ => None,
    });
    chosen.filter_map(|value| value.ty().element().bit_width()).filter(|bits| *bits > 1).max()
}
