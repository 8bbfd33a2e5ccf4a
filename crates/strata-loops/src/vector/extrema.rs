//! Maxima and minima of floats that a loop carries, as three integers each.
//!
//! ```mlir
//! %m = scf.for … iter_args(%a = %first) { %x = vector.load …; %b = arith.maximumf %a, %x : vector<8xf32>; scf.yield %b }
//! ```
//! becomes
//! ```mlir
//! %s, %l, %g = scf.for … iter_args(three times the bits of %first) {
//!   %x = arith.bitcast … ; scf.yield maxsi(%s, %x), minui(%l, %x), maxui(%g, %x)
//! }
//! %m = %g > the bits of -inf ? NaN : %s >= 0 ? %s : %l
//! ```
//! With AVX2 a maximum for which zeros have signs and NaN wins is five instructions, of which three wait for each other. Bits of
//! floats without a sign are in the order of the floats, those with one in the reverse order. So the greatest integer is the
//! maximum, also if it is NaN, if any element has no sign; otherwise the least one without regard to the sign is. The greatest
//! without regard to it shows whether there is NaN with a sign. Minima are found in the same three: of elements that have a sign the
//! greatest without regard to it is the least float, or NaN.

use strata_ir::{
    Builder, Context, Op, OpName, Type, TypeExt as _, Value, arith, f32_type, integer, scf,
};
use strata_target::{
    Isa, Target,
    tuning::extrema::{MAX_CARRIED, MIN_TRIPS},
};

use super::unroll::trips;

/// Rewrites the loops of `function`.
pub(super) fn apply<'c>(context: &'c Context, function: Op<'c>, target: &Target) {
    if target.isa != Isa::Avx2 {
        return;
    }
    for each in function.collect(|op| op.is(scf::FOR)) {
        let is_long = trips(each).is_none_or(|trips| trips >= MIN_TRIPS);
        let found: Vec<_> =
            (0..each.result_count()).map(|at| carried(context, each, at, target)).collect();
        let count = found.iter().flatten().count();
        if is_long && (1..=MAX_CARRIED).contains(&count) {
            rewrite(context, each, &found);
        }
    }
}

/// The only operation on the value that `each` carries at `place`, if it is an extremum of `f32`.
fn carried<'c>(
    context: &'c Context,
    each: Op<'c>,
    place: usize,
    target: &Target,
) -> Option<Op<'c>> {
    let (body, ty) = (each.body(0), each.result(place).ty());
    let lanes = ty.shape().filter(|_| ty.is_vector_type())?;
    let fits = lanes == [i64::from(target.lanes(32))] && ty.element() == f32_type(context);
    let argument = body.arg(place + 1);
    let only = |value: Value<'c>| match value.uses().into_iter().collect::<Vec<_>>()[..] {
        [(user, at)] => Some((user, at)),
        _ => None,
    };
    let (op, _) = only(argument).filter(|(op, _)| fits && op.block() == Some(body))?;
    let is_extremum = op.is(arith::MAXIMUMF) || op.is(arith::MINIMUMF);
    let (end, at) = only(op.result(0)).filter(|_| is_extremum)?;
    (body.terminator() == Some(end) && at == place).then_some(op)
}

/// Makes three integers of each of the values that `found` has an operation for.
fn rewrite<'c>(context: &'c Context, each: Op<'c>, found: &[Option<Op<'c>>]) {
    let before = Builder::before(context, each);
    let bits = |b: &Builder<'c>, value: Value<'c>| {
        b.apply(arith::BITCAST, &[value], value.ty().with_element(integer(context, 32)))
    };
    let operands = each.operands();
    let (bounds, starts) = operands.split_at(3);
    let mut next = Vec::new();
    for (start, op) in starts.iter().zip(found) {
        match op {
            Some(_) => next.extend([bits(&before, *start); 3]),
            None => next.push(*start),
        }
    }
    let types: Vec<Type<'c>> = next.iter().map(|value| value.ty()).collect();
    let body = each.body(0);
    let ends = body.terminator().map_or(Vec::new(), |end| end.operands());
    let mut arguments = vec![body.arg(0).ty()];
    arguments.extend(&types);
    let region = before.region(&arguments, |inside, new| {
        let end = inside.op(scf::YIELD).operands(&new[1..]).build();
        let mut moved = body.ops();
        moved.pop();
        moved.into_iter().for_each(|op| op.move_before(end));
        body.arg(0).replace_all_uses_with(new[0]);
        let mut at = 1;
        for (place, op) in found.iter().enumerate() {
            let old = body.arg(place + 1);
            let Some(op) = *op else {
                old.replace_all_uses_with(new[at]);
                end.set_operand(at - 1, ends[place]);
                at += 1;
                continue;
            };
            let emit = Builder { location: op.location(), ..Builder::before(context, op) };
            let own = usize::from(op.operand(0) != old);
            let other = op.operand(1 - own);
            // It is erased after the old loop, which must be without uses.
            op.set_operand(own, other);
            let other = bits(&emit, other);
            for name in [arith::MAXSI, arith::MINUI, arith::MAXUI] {
                end.set_operand(at - 1, emit.same(name, &[new[at], other]));
                at += 1;
            }
        }
    });
    let new = before.op(scf::FOR).operands(bounds).operands(&next).results(&types);
    let new = new.attrs(&each.discardable_attrs()).region(region).build();
    let mut results = new.results().into_iter();
    for (old, op) in each.results().into_iter().zip(found) {
        let value = match op {
            None => results.next(),
            Some(op) => {
                let three = [results.next(), results.next(), results.next()];
                let [Some(signed), Some(least), Some(greatest)] = three else { continue };
                Some(extremum(&before, op.name(), [signed, least, greatest], old.ty()))
            }
        };
        value.into_iter().for_each(|value| old.replace_all_uses_with(value));
    }
    each.erase();
    found.iter().flatten().for_each(|op| op.erase());
}

/// The maximum or minimum of the floats whose bits' greatest integer, and least and greatest ones without regard to the sign, are
/// given.
fn extremum<'c>(
    b: &Builder<'c>,
    name: OpName<'c>,
    [signed, least, greatest]: [Value<'c>; 3],
    ty: Type<'c>,
) -> Value<'c> {
    use arith::CmpIPredicate as Is;
    let number = |value: i64| b.int(signed.ty(), value);
    let bits_of = |float: f32| number(i64::from(float.to_bits().cast_signed()));
    let bits = if name == arith::MAXIMUMF {
        let has_plain = b.cmpi(Is::Sge, signed, number(0));
        let is_nan = b.cmpi(Is::Ugt, greatest, bits_of(f32::NEG_INFINITY));
        b.select(is_nan, greatest, b.select(has_plain, signed, least))
    } else {
        let has_sign = b.cmpi(Is::Slt, greatest, number(0));
        let is_nan = b.cmpi(Is::Sgt, signed, bits_of(f32::INFINITY));
        b.select(is_nan, signed, b.select(has_sign, greatest, least))
    };
    b.apply(arith::BITCAST, &[bits], ty)
}
