//! Partitions of lanes as the target's instructions.
//!
//! Before:
//! ```text
//! %r, %n = narrow.partition %x by %m : vector<16xi32>, vector<16xi1>
//! ```
//! After, with AVX-512, both sides compressed, the others moved up past the selected ones:
//! ```text
//! %n = math.ctpop of the bits of %m
//! %o = llvm.call_intrinsic "llvm.x86.avx512.mask.compress"(%x, 0, not %m)
//! %u = llvm.call_intrinsic "llvm.x86.avx512.permvar.si.512"(%o, (0, 1, ... 15) - %n)
//! %r = llvm.call_intrinsic "llvm.x86.avx512.mask.compress"(%x, %u, %m)
//! ```
//! With AVX2, lanes of 32 bits in an order that a table has for each mask, 8 bytes of it:
//! ```text
//! %p = the bytes of @strata.partition.8 at the bits of %m : vector<8xi8>
//! %r = llvm.call_intrinsic "llvm.x86.avx2.permd"(%x, %p as vector<8xi32>)
//! ```

use std::fmt::Write as _;

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    Builder, Context, Op, Type, TypeExt as _, Value, arith, dense_bytes, diagnostic_at, index,
    integer, llvm, llvm_pointer, math, narrow, symbol, vector,
};
use strata_target::{Isa, Target};

use super::globals;

/// Lanes that `llvm.x86.avx2.permd` permutes, of 32 bits.
const PERMUTED: usize = 8;

/// Rewrites all partitions in `root`.
///
/// # Errors
/// `S9002` for one that the target has no instructions for.
pub(super) fn lower<'c>(
    context: &'c Context,
    root: Op<'c>,
    target: &Target,
) -> Result<(), Diagnostic> {
    // Tables of so many lanes.
    let mut tables = Vec::new();
    for op in root.collect(|op| op.is(narrow::PARTITION)) {
        let ty = op.result(0).ty();
        let width = ty.element().bit_width().unwrap_or(0);
        let lanes = ty.shape().and_then(|shape| shape.first().copied()).unwrap_or(0);
        let b = Builder::before(context, op);
        let bits = selected(&b, op.operand(1), lanes);
        let count = b.op(math::CTPOP).operand(bits).result(bits.ty()).value();
        let parted = match (target.isa, lanes, width) {
            (Isa::Avx512, 16, 32) => compressed(&b, op, count, "llvm.x86.avx512.permvar.si.512"),
            (Isa::Avx512, 8, 64) => compressed(&b, op, count, "llvm.x86.avx512.permvar.di.512"),
            (Isa::Avx2, 8, 32) | (Isa::Avx2, 4, 64) => {
                if !tables.contains(&lanes) {
                    tables.push(lanes);
                }
                Some(looked_up(&b, op, bits))
            }
            _ => {
                let reason = format!("the target does not partition `{ty}`");
                return Err(diagnostic_at(codes::S9002, op).reason(reason));
            }
        };
        let Some(parted) = parted else {
            return Err(diagnostic_at(codes::S9002, op).reason("MLIR refuses the places"));
        };
        op.result(0).replace_all_uses_with(parted);
        let count = b.cast(arith::INDEX_CASTUI, count, index(context));
        op.result(1).replace_all_uses_with(count);
        op.erase();
    }
    let text: String = tables.into_iter().map(table).collect();
    if text.is_empty() { Ok(()) } else { globals::add(context, root, &text) }
}

/// The bits of a mask.
fn selected<'c>(b: &Builder<'c>, mask: Value<'c>, lanes: i64) -> Value<'c> {
    let bits = integer(b.context, lanes as u32);
    let bits_of_mask = vector::bitcast(b, mask, vector(&[1], bits)).value();
    vector::extract(b, bits_of_mask, &[], &[0], bits).value()
}

/// Both sides compressed, with the instruction that permutes lanes; `None` where MLIR refuses their places.
fn compressed<'c>(
    b: &Builder<'c>,
    op: Op<'c>,
    count: Value<'c>,
    permute: &str,
) -> Option<Value<'c>> {
    let (lane, mask, ty) = (op.operand(0), op.operand(1), op.result(0).ty());
    let lanes = ty.shape()?.first().copied()?;
    let bytes = ty.element().bit_width()? as usize / 8;
    let moved = b.cast(arith::EXTUI, count, ty.element());
    let moved = b.broadcast(moved, ty);
    let places = (0..lanes).flat_map(|lane| lane.to_le_bytes()[..bytes].to_vec());
    let places = dense_bytes(ty, &places.collect::<Vec<_>>())?;
    let places = arith::constant(b, places, ty).value();
    let places = b.same(arith::SUBI, &[places, moved]);
    let all = b.int(mask.ty(), -1);
    let other = b.same(arith::XORI, &[mask, all]);
    let compress = |rest, mask| {
        let name = "llvm.x86.avx512.mask.compress";
        llvm::call_intrinsic(b, name, &[], &[ty]).args(&[lane, rest, mask]).value()
    };
    let others = compress(b.int(ty, 0), other);
    let moved = llvm::call_intrinsic(b, permute, &[], &[ty]).args(&[others, places]).value();
    Some(compress(moved, mask))
}

/// Lanes in the order that the table has for these bits.
fn looked_up<'c>(b: &Builder<'c>, op: Op<'c>, bits: Value<'c>) -> Value<'c> {
    let ty = op.result(0).ty();
    let lanes = bits.ty().bit_width().unwrap_or(0);
    let pointer = llvm_pointer(b.context);
    let row = |element: Type<'c>| vector(&[PERMUTED as i64], element);
    let (order, words) = (row(integer(b.context, 8)), row(integer(b.context, 32)));
    let table = b
        .op(llvm::MLIR_ADDRESSOF)
        .attr("global_name", symbol(b.context, &name(i64::from(lanes))))
        .result(pointer)
        .value();
    let number = b.cast(arith::EXTUI, bits, integer(b.context, 64));
    let at = llvm::getelementptr(b, table, &[number], &[i32::MIN], order, pointer).value();
    let places = b.cast(arith::EXTUI, llvm::load(b, at, order).value(), words);
    let lane = vector::bitcast(b, op.operand(0), words).value();
    let permute = "llvm.x86.avx2.permd";
    let parted = llvm::call_intrinsic(b, permute, &[], &[words]).args(&[lane, places]).value();
    vector::bitcast(b, parted, ty).value()
}

fn name(lanes: i64) -> String {
    format!("strata.partition.{lanes}")
}

/// For each mask of so many lanes, the places of the selected ones, then those of the others, as parts of 32 bits.
fn table(lanes: i64) -> String {
    let parts = PERMUTED as i64 / lanes;
    let mut places = Vec::new();
    for mask in 0..1 << lanes {
        let is_selected = |lane: &i64| mask >> lane & 1 == 1;
        let (first, last): (Vec<_>, Vec<_>) = (0..lanes).partition(is_selected);
        let all = first.into_iter().chain(last);
        places.extend(all.flat_map(|lane| (0..parts).map(move |part| lane * parts + part)));
    }
    let mut text = String::new();
    for (number, place) in places.iter().enumerate() {
        // Writing to a string does not fail.
        let _ = write!(text, "{}{place}", if number == 0 { "" } else { ", " });
    }
    let (name, count) = (name(lanes), places.len());
    format!(
        "llvm.mlir.global internal constant @{name}(dense<[{text}]> : tensor<{count}xi8>) \
         {{addr_space = 0 : i32, alignment = 64 : i64}} : !llvm.array<{count} x i8>\n"
    )
}
