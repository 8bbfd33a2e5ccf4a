//! Quotients of `bf16` by the same number.
//!
//! ```mlir
//! scf.for … {  %q = arith.divf %x, %d : vector<32xf32>   %n = arith.truncf %q : vector<32xf32> to vector<32xbf16> … }
//! ```
//! where `%x` and `%d` are widened from `bf16`, and all lanes of `%d` are equal, becomes
//! ```mlir
//! %s = 2^64 if |d| < 2^-126, 2^-64 if |d| > 2^126, else 1     %r = 1 / (d * s)
//! scf.for … {  %y = arith.mulf %x, %s   %q = arith.mulf %y, %r   %n = arith.truncf %q … }
//! ```
//! Each bit is the same. Let `X` and `D` be the significands, below 2^8, and `M` a number in the middle of two of `bf16`, an odd one below 2^9
//! that is at least 2^8. `X * 2^k` is not a multiple of `M`, so that the quotient and `M` differ by at least a part in `D * M`, that is, 2^-17. Three
//! roundings to `f32` are off by 2^-23 in all. Below the normal range, where `M` has fewer bits, a quotient may be exactly in the middle; the
//! reciprocal of a normal number is off by 2^-24, which is less than half a unit of subnormal numbers of `f32`, so that the product is exact, too.
//! Where the quotient needs no more digits than its type in the program has, operands may have more: it is off by two more roundings.
//! The scale keeps `d * s` and its reciprocal in the normal range; what `x * s` loses or exceeds is far from the range of quotients. With zeros,
//! infinities and NaN both forms are the same.

use rustc_hash::FxHashMap;
use strata_ir::{Builder, Context, Op, ROUNDED, TypeExt as _, Value, arith, f32_type, scf, vector};
use strata_target::Target;

use super::{
    floats::{Lower, lower_halves},
    math::Num,
    pairs::is_bf16,
};
use crate::nests::is_outside;

/// Rewrites the quotients in the loops of `root` that are only rounded to `bf16`, or that need no more digits than `bf16` or `f16`.
pub(super) fn multiply<'c>(context: &'c Context, root: Op<'c>, target: &Target) {
    let is_rounded = |op: Op<'c>| {
        let is_narrowed =
            |(user, _): (Op<'c>, usize)| user.is(arith::TRUNCF) && is_bf16(user.result(0));
        op.is(arith::DIVF)
            && op.result(0).ty().is_vector_type()
            && (op.has_attr(ROUNDED) || op.result(0).uses().into_iter().all(is_narrowed))
    };
    let quotients = root.collect(is_rounded);
    if quotients.is_empty() {
        return;
    }
    let known = lower_halves(root);
    let mut divisors: FxHashMap<(Op<'c>, Value<'c>), [Value<'c>; 2]> = FxHashMap::default();
    for op in quotients {
        let [dividend, divisor] = [0, 1].map(|at| op.operand(at));
        let is_narrow = op.has_attr(ROUNDED)
            || [dividend, divisor].iter().all(|one| known.get(one) == Some(&Lower::Zero));
        let mut around = std::iter::successors(op.parent(), |op| op.parent());
        let around = around.find(|op| op.is(scf::FOR));
        let Some(around) = around.filter(|_| is_narrow) else { continue };
        let Some(number) = all_lanes(divisor).filter(|number| is_outside(*number, around)) else {
            continue;
        };
        let [scale, inverse] = *divisors.entry((around, number)).or_insert_with(|| {
            let emit = Builder { location: op.location(), ..Builder::before(context, around) };
            reciprocal(context, emit, number, target).map(|one| emit.broadcast(one, divisor.ty()))
        });
        let emit = Builder { location: op.location(), ..Builder::before(context, op) };
        let scaled = emit.same(arith::MULF, &[dividend, scale]);
        let product = emit.same(arith::MULF, &[scaled, inverse]);
        op.result(0).replace_all_uses_with(product);
        op.erase();
    }
}

/// A scale that brings `number` and its reciprocal into the normal range of `f32`, and the reciprocal of the product.
fn reciprocal<'c>(
    context: &'c Context,
    emit: Builder<'c>,
    number: Value<'c>,
    target: &Target,
) -> [Value<'c>; 2] {
    let wide = match is_bf16(number) {
        true => emit.apply(arith::EXTF, &[number], emit.like(number.ty(), f32_type(context))),
        false => number,
    };
    let divisor = Num::new(emit, target.has_fma(), wide);
    let size = divisor.abs();
    let [up, down, one] = [64.0_f64.exp2(), (-64.0_f64).exp2(), 1.0].map(|at| divisor.constant(at));
    let small = size.lt(divisor.constant((-126.0_f64).exp2()));
    let large = size.gt(divisor.constant(126.0_f64.exp2()));
    let scale = small.select(up, large.select(down, one));
    [scale.value, (one / (divisor * scale)).value]
}

/// What all lanes of a vector are, before it was widened: a scalar or a vector of one lane.
fn all_lanes(value: Value<'_>) -> Option<Value<'_>> {
    let mut at = value;
    loop {
        let ty = at.ty();
        if !ty.is_vector_type() || ty.element_count() == Some(1) {
            return Some(at);
        }
        let owner = at.owner()?;
        at = match owner.name() {
            arith::EXTF | vector::BROADCAST => owner.operand(0),
            _ => return None,
        };
        if ty.shape().and_then(|shape| shape.last().copied()) == Some(1) {
            return None;
        }
    }
}
