//! The root of a sum of two squares of `f32`, as the absolute value of a complex number has it.
//!
//! Before: `truncf(sqrt(x x + y y))` with `x` and `y` widened from `f32` to `f64`.
//! After: the same in `f32`, with squares, their sum and its root as sums of two numbers, of parts that are scaled by a power of two. A root of
//! `f64` takes as long as four of `f32`.

use strata_ir::{
    Builder, Context, Op, OpName, TypeExt as _, Value, arith, f32_type, f64_type, math,
};

use super::num::Num;

/// Rewrites these roots in `root`, for targets where a multiply-add is one instruction.
pub fn shorten<'c>(context: &'c Context, root: Op<'c>) {
    for op in root.collect(|op| op.is(arith::TRUNCF)) {
        let Some([x, y]) = parts(context, op) else { continue };
        let emit = Builder::before(context, op);
        let [x, y] = [x, y].map(|value| Num::new(emit, true, value));
        op.result(0).replace_all_uses_with(length(x, y).value);
        op.erase();
    }
}

/// What an operation of one user makes `value` of.
fn of<'c>(value: Value<'c>, name: OpName<'static>) -> Option<Op<'c>> {
    value.owner().filter(|op| op.is(name))
}

/// The parts whose length `rounded` is.
fn parts<'c>(context: &Context, rounded: Op<'c>) -> Option<[Value<'c>; 2]> {
    let root = of(rounded.operand(0), math::SQRT)?;
    let is_single = rounded.result(0).ty().element() == f32_type(context);
    let is_double = root.result(0).ty().element() == f64_type(context);
    let is_only = root.result(0).uses().len() == 1;
    if !(is_single && is_double && is_only) {
        return None;
    }
    let sum = of(root.operand(0), arith::ADDF)?;
    let part = |square: Value<'c>| {
        let square = of(square, arith::MULF)?;
        let wide = square.operand(0);
        let narrow = of(wide, arith::EXTF)?.operand(0);
        let is_square = wide == square.operand(1) && narrow.ty() == rounded.result(0).ty();
        is_square.then_some(narrow)
    };
    Some([part(sum.operand(0))?, part(sum.operand(1))?])
}

/// `sqrt(x^2 + y^2)` within 2^-9 of a unit in the last place before it is rounded. Where squares or what rounding takes from them leave the
/// range of `f32` it is computed in `f64`, and where a part is infinite or NaN.
fn length<'c>(x: Num<'c>, y: Num<'c>) -> Num<'c> {
    /// The largest square.
    const HIGHEST: i32 = 126;
    /// The smallest one but for zero: what it lacks is a multiple of 2^-148.
    const LOWEST: i32 = -100;
    let (first, first_error) = x.mul_exact(x);
    let (second, second_error) = y.mul_exact(y);
    let sum = first + second;
    let is_less = first.lt(second);
    let high = is_less.select(second, first);
    let low = is_less.select(first, second);
    let rest = ((high - sum) + low) + (first_error + second_error);
    let [root, root_rest, step] = sum.root_with_rest();
    let result = (root_rest + rest).mul_add(step, root);
    let power = |exponent: i32| sum.constant(f64::from(exponent).exp2()).bits();
    let above = sum.bits().minus(power(LOWEST));
    let magnitude = (x.bits() | y.bits()).shl(1);
    // Not as the opposite of a condition, from which MLIR would make a branch that is taken often.
    let is_outside = power(HIGHEST).minus(power(LOWEST)).int_below(above);
    let is_far = is_outside & magnitude.integer(0).int_below(magnitude);
    let [result] = is_far.choose_any(
        |x| {
            let [wide, high] = [x, x.with(y.value)].map(Num::to_f64);
            let far = (wide * wide + high * high).sqrt().to_f32();
            [x.with(is_far.value).select(far, result)]
        },
        x,
        [result],
    );
    result
}
