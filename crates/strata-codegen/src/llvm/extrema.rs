//! Maximum and minimum of floats as LLVM intrinsics.
//!
//! Before: `arith.maximumf %a, %b : vector<8xf32>`
//! After: `llvm.intr.maximum(%a, %b) : (vector<8xf32>, vector<8xf32>) -> vector<8xf32>`
//!
//! `arith-expand` would compare and select, which may return either zero for operands -0 and +0; LLVM's intrinsics are correct on
//! every machine. With AVX-512 LLVM does not use `vrange`, which orders zeros, and needs six instructions instead of three:
//!
//! ```text
//! %m = llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.512"(%a, %b, 5, …)
//! %u = llvm.fcmp "uno" %a, %b
//! %r = llvm.select %u, %nan, %m
//! ```
//! So is the extremum of the lanes of a vector, by halves down to 128 bits and by shuffles of these: of less than 512 bits LLVM takes eight
//! instructions a step, and moves the last ones to other registers.

use strata_ir::{
    Builder, Context, ElementType, Op, OpName, TypeExt as _, Value, arith, dense_splat, float, int,
    integer, llvm, vector, vector::CombiningKind,
};
use strata_target::Isa;

/// Bits of a group of lanes that processors shuffle within.
const GROUP_BITS: i64 = 128;

/// Rewrites all such operations in `root` on types that LLVM supports.
pub(super) fn lower<'c>(context: &'c Context, root: Op<'c>, isa: Isa) {
    if isa == Isa::Avx512 {
        for op in root.collect(|op| op.is(vector::REDUCTION)) {
            of_lanes(context, op);
        }
    }
    for op in root.collect(|op| intrinsic(op).is_some()) {
        let Some(name) = intrinsic(op) else { continue };
        let builder = Builder::before(context, op);
        let range = range(op).filter(|_| isa == Isa::Avx512);
        let lowered = match range {
            Some(range) => ordered(&builder, op, &range),
            None => builder.op(name).operands(&op.operands()).result(op.result(0).ty()).value(),
        };
        op.result(0).replace_all_uses_with(lowered);
        op.erase();
    }
}

fn intrinsic(op: Op<'_>) -> Option<OpName<'static>> {
    let name = match op.name() {
        arith::MAXIMUMF => llvm::INTR_MAXIMUM,
        arith::MINIMUMF => llvm::INTR_MINIMUM,
        _ => return None,
    };
    let element = ElementType::from_type(op.result(0).ty().element());
    let known = matches!(element, Some(ElementType::Float(_)));
    (known && !strata_ir::planted("codegen-zeros")).then_some(name)
}

/// Replaces the extremum of the lanes of a vector by those of two vectors.
fn of_lanes<'c>(context: &'c Context, op: Op<'c>) -> Option<()> {
    let name = match op.attr("kind").and_then(CombiningKind::of)? {
        CombiningKind::Maximumf => arith::MAXIMUMF,
        CombiningKind::Minimumf => arith::MINIMUMF,
        _ => return None,
    };
    let mut all = op.operand(0);
    let mut lanes = all.ty().shape()?.iter().product::<i64>();
    let ElementType::Float(bits @ (32 | 64)) = ElementType::from_type(all.ty().element())? else {
        return None;
    };
    let group = GROUP_BITS / i64::from(bits);
    if op.operand_count() > 1 || lanes < group || !lanes.cast_unsigned().is_power_of_two() {
        return None;
    }
    let at = Builder { location: op.location(), ..Builder::before(context, op) };
    while lanes > 1 {
        let half = lanes / 2;
        // Groups keep their lanes.
        let again = if lanes > group { 1 } else { group / half };
        let part = |first: i64| {
            let once = || first..first + half;
            at.shuffle(all, all, &(0..again).flat_map(|_| once()).collect::<Vec<_>>())
        };
        all = if lanes > group {
            at.same(name, &[part(0), part(half)])
        } else {
            at.same(name, &[all, part(half)])
        };
        lanes = half;
    }
    op.result(0).replace_all_uses_with(at.lane(all, 0));
    op.erase();
    Some(())
}

/// A form of `vrange`.
struct Range {
    name: &'static str,
    /// Lanes of the mask, at least 8.
    mask: u32,
    is_rounded: bool,
}

/// The instruction for vectors of the type of `op`. With a constant, whose sign is known, LLVM's code is shorter.
fn range(op: Op<'_>) -> Option<Range> {
    let is_constant = |value: &Value<'_>| {
        value
            .owner()
            .is_some_and(|owner| owner.is(arith::CONSTANT) || owner.is(llvm::MLIR_CONSTANT))
    };
    if op.operands().iter().any(is_constant) {
        return None;
    }
    let ty = op.result(0).ty();
    let lanes = ty.shape()?;
    let (name, mask, is_rounded) = match (lanes.as_slice(), ElementType::from_type(ty.element())?) {
        ([16], ElementType::Float(32)) => ("llvm.x86.avx512.mask.range.ps.512", 16, true),
        ([8], ElementType::Float(64)) => ("llvm.x86.avx512.mask.range.pd.512", 8, true),
        ([8], ElementType::Float(32)) => ("llvm.x86.avx512.mask.range.ps.256", 8, false),
        ([4], ElementType::Float(64)) => ("llvm.x86.avx512.mask.range.pd.256", 8, false),
        ([4], ElementType::Float(32)) => ("llvm.x86.avx512.mask.range.ps.128", 8, false),
        ([2], ElementType::Float(64)) => ("llvm.x86.avx512.mask.range.pd.128", 8, false),
        _ => return None,
    };
    Some(Range { name, mask, is_rounded })
}

fn ordered<'c>(builder: &Builder<'c>, op: Op<'c>, range: &Range) -> Value<'c> {
    let ty = op.result(0).ty();
    let [left, right] = [op.operand(0), op.operand(1)];
    let constant = |bits: u32, value: i64| {
        let ty = integer(builder.context, bits);
        llvm::mlir_constant(builder, int(ty, value), ty).value()
    };
    // The smaller or the larger; the sign is that of the result.
    let kind = if op.is(arith::MAXIMUMF) { 0b0101 } else { 0b0100 };
    let mut operands = vec![left, right, constant(32, kind), left, constant(range.mask, -1)];
    // According to the control register, which programs do not change.
    operands.extend(range.is_rounded.then(|| constant(32, 4)));
    let chosen = llvm::call_intrinsic(builder, range.name, &[], &[ty]).args(&operands).value();
    let lanes = ty.shape().unwrap_or_default();
    let bits = vector(&lanes, integer(builder.context, 1));
    let unordered = llvm::fcmp(builder, llvm::FCmpPredicate::Uno, left, right, bits).value();
    // Any NaN is allowed, and a constant is free.
    let nan = dense_splat(ty, float(builder.context, ty.element(), f64::NAN));
    let nan = arith::constant(builder, nan, ty).value();
    llvm::select(builder, unordered, nan, chosen, ty).value()
}
