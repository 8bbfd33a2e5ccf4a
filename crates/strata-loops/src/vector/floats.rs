//! Emulation of formats that the target does not support, through `f32` and integers.
//!
//! Arithmetic first. Before:
//! ```mlir
//! %s = arith.addf %a, %b : bf16
//! ```
//! After:
//! ```mlir
//! %wa = arith.extf %a : bf16 to f32
//! %wb = arith.extf %b : bf16 to f32
//! %ws = arith.addf %wa, %wb : f32
//! %s = arith.truncf %ws : f32 to bf16
//! ```
//! Conversions become shifts and masks: LLVM would call a runtime library for them. Most wait until vectors have their final width.
//!
//! A `bf16` is the upper half of an `f32`, with the same exponents: rounding carries into the exponent, from subnormal numbers to normal
//! ones and to infinity, so that four integer operations and a selection for NaN round every number. AVX512-BF16 has an instruction,
//! which flushes subnormal numbers. A number that is rounded and used at once keeps its place: nothing is narrowed.

use rustc_hash::FxHashMap;
use strata_ir::{
    AttributeExt as _, Builder, Context, ElementType, Op, ROUNDED, Type, TypeExt as _, Value,
    WalkOrder, arith, f32_type, f64_type, half_exponent, int, integer, math as functions, vector,
};
use strata_target::{Isa, Target};

use super::{
    math::{self, Num},
    pairs::{self, is_bf16},
};

/// An emulated format. What is smaller than 16 bits is an integer since stage `linalg`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Bf16,
    F16,
}

/// The format of an element type that has to be emulated on `target`.
fn emulated(element: Type<'_>, target: &Target) -> Option<Format> {
    match ElementType::from_type(element)? {
        ElementType::BFloat16 => Some(Format::Bf16),
        // AVX2 machines and all of AArch64 convert f16.
        ElementType::Float(16) if matches!(target.isa, Isa::Scalar | Isa::Sse2) => {
            Some(Format::F16)
        }
        _ => None,
    }
}

/// Moves arithmetic on emulated formats to `f32`; conversions are kept.
pub fn widen<'c>(context: &'c Context, root: Op<'c>, target: &Target) {
    let moved = |op: &Op<'c>| match op.name() {
        arith::CONSTANT | arith::EXTF | arith::TRUNCF | arith::BITCAST => false,
        // Where the condition is of numbers in `f32`.
        arith::SELECT => {
            let condition = op.operand(0);
            condition.ty().is_vector_type()
                && condition.owner().is_some_and(|by| by.is(arith::CMPF))
        }
        _ => matches!(op.dialect(), "arith" | "math") && op.result_count() == 1,
    };
    for op in root.collect(|op| moved(&op)) {
        let is_small = |ty: Type<'c>| emulated(ty.element(), target).is_some();
        if !is_small(op.result(0).ty()) && !op.operands().iter().any(|one| is_small(one.ty())) {
            continue;
        }
        let emit = Builder::before(context, op);
        let wide = |ty: Type<'c>| {
            if is_small(ty) { emit.like(ty, f32_type(context)) } else { ty }
        };
        let operands: Vec<_> = op
            .operands()
            .into_iter()
            .map(|one| match wide(one.ty()) {
                ty if ty == one.ty() => one,
                ty => emit.apply(arith::EXTF, &[one], ty),
            })
            .collect();
        let ty = op.result(0).ty();
        let result =
            emit.op(op.name()).operands(&operands).attrs(&op.attrs()).result(wide(ty)).value();
        let result = if wide(ty) == ty { result } else { emit.apply(arith::TRUNCF, &[result], ty) };
        op.result(0).replace_all_uses_with(result);
        op.erase();
    }
}

/// Marks functions of `f32` whose results are only rounded to `bf16` or to `f16`, and the roundings to `bf16`: `math` has shorter formulas.
pub fn mark_rounded<'c>(context: &'c Context, root: Op<'c>) {
    for op in root.collect(math::is_shorter_if_rounded) {
        let users: Vec<_> = op.result(0).uses().into_iter().map(|(user, _)| user).collect();
        let formats = users.iter().map(|user| {
            user.is(arith::TRUNCF).then(|| half_exponent(user.result(0).ty())).flatten()
        });
        let format = formats.reduce(|one, other| one.filter(|_| one == other)).flatten();
        if op.result(0).ty().element() == f32_type(context)
            && let Some(exponent) = format
        {
            let bits = int(integer(context, 32), exponent);
            op.set_attr(ROUNDED, bits);
            if exponent == 8 {
                users.iter().for_each(|user| user.set_attr(ROUNDED, bits));
            }
        }
    }
}

/// Expands the conversions from and to `bf16` that need not move lanes ([`pairs`]), while vectors are whole.
pub fn place_pairs<'c>(context: &'c Context, root: Op<'c>, target: &Target) {
    let placed = pairs::find(root, target);
    if placed.is_empty() {
        return;
    }
    let known = lower_halves(root);
    let half = i64::from(target.lanes(32));
    let halves = [0, half].map(|start| (start..start + half).collect::<Vec<_>>());
    let mut rounded = Rounded::default();
    for op in root.collect(|op| placed.contains(&op)) {
        let (emit, source) = (Builder::before(context, op), op.operand(0));
        let number = Num::new(emit, target.has_fma(), source);
        if op.is(arith::TRUNCF) {
            rounded.add(op, round_to_bf16(number, known.get(&source).copied(), Ties::of(op)));
            continue;
        }
        let wide = match rounded.widened(number) {
            Some(wide) => wide.value,
            None => {
                let pairs = number.pairs();
                let [low, high] = [pairs.shl(16), pairs.upper_half()].map(Num::as_float);
                emit.shuffle(low.value, high.value, &halves.concat())
            }
        };
        op.result(0).replace_all_uses_with(wide);
        op.erase();
    }
    rounded.finish(|op, number| {
        let emit = Builder::before(context, op);
        let number = Num::new(emit, target.has_fma(), number);
        let [low, high] = halves
            .each_ref()
            .map(|lanes| number.with(emit.shuffle(number.value, number.value, lanes)));
        emit.apply(vector::BITCAST, &[(low.shr(16) | high.upper_half()).value], op.result(0).ty())
    });
}

/// Numbers that were rounded to `bf16`, in the upper halves of integers, by the result of the conversion.
#[derive(Default)]
struct Rounded<'c> {
    numbers: FxHashMap<Value<'c>, Value<'c>>,
    ops: Vec<Op<'c>>,
}

impl<'c> Rounded<'c> {
    fn add(&mut self, op: Op<'c>, number: Num<'c>) {
        self.numbers.insert(op.result(0), number.value);
        self.ops.push(op);
    }

    /// The `f32` that a rounded number is, without being narrowed before.
    fn widened(&self, number: Num<'c>) -> Option<Num<'c>> {
        let bits = self.numbers.get(&number.value)?;
        Some(number.with(*bits).upper_half().as_float())
    }

    /// Narrows the numbers that are used as `bf16`.
    fn finish(self, narrow: impl Fn(Op<'c>, Value<'c>) -> Value<'c>) {
        for op in self.ops {
            if let Some(number) = self.numbers.get(&op.result(0)).filter(|_| !op.is_unused()) {
                op.result(0).replace_all_uses_with(narrow(op, *number));
            }
            op.erase();
        }
    }
}

/// Expands the other conversions from and to emulated formats in `root`, whose vectors the target has.
pub fn expand_conversions<'c>(context: &'c Context, root: Op<'c>, target: &Target) {
    let formats = |op: Op<'c>| {
        [op.operand(0), op.result(0)].map(|value| emulated(value.ty().element(), target))
    };
    let converts = |op: &Op<'c>| {
        matches!(op.name(), arith::EXTF | arith::TRUNCF) && formats(*op) != [None, None]
    };
    if root.collect(|op| converts(&op)).is_empty() {
        return;
    }
    forward_halves(root);
    let known = lower_halves(root);
    let mut rounded = Rounded::default();
    for op in root.collect(|op| converts(&op)) {
        let (source, ty) = (op.operand(0), op.result(0).ty());
        let [from, to] = formats(op);
        let number = Num::new(Builder::before(context, op), target.has_fma(), source);
        let number = match from {
            Some(Format::Bf16) => rounded
                .widened(number)
                .unwrap_or_else(|| number.bits().zero_extended(32).shl(16).as_float()),
            Some(Format::F16) => decode_f16(number),
            None if source.ty().element() == f64_type(context) => to_odd(number),
            None => number.to_f32(),
        };
        let result = match to {
            Some(Format::Bf16) => {
                let lower = known.get(&source).copied();
                rounded.add(op, round_to_bf16(number, lower, Ties::of(op)));
                continue;
            }
            Some(Format::F16) => encode_f16(number).reinterpreted(ty.element()),
            None => number.to(ty.element()),
        };
        op.result(0).replace_all_uses_with(result.value);
        op.erase();
    }
    rounded.finish(|op, number| {
        let number = Num::new(Builder::before(context, op), target.has_fma(), number);
        for bits in extended_bits(op.result(0)) {
            bits.result(0).replace_all_uses_with(number.shr(16).value);
            bits.erase();
        }
        narrowed(number, target).reinterpreted(op.result(0).ty().element()).value
    });
}

/// The operations that extend the bits of a `bf16` to 32 bits with zeros.
fn extended_bits<'c>(value: Value<'c>) -> Vec<Op<'c>> {
    let users = |value: Value<'c>| value.uses().into_iter().map(|(user, _)| user);
    let bits = users(value).filter(|user| user.is(arith::BITCAST));
    let extended = bits.flat_map(|bits| users(bits.result(0)));
    extended
        .filter(|user| {
            user.is(arith::EXTUI) && user.result(0).ty().element().bit_width() == Some(32)
        })
        .collect()
}

/// Replaces halves of vectors of `bf16` that were just combined from two halves by these.
fn forward_halves(root: Op<'_>) {
    let is_shuffle = |op: &Op<'_>| op.is(vector::SHUFFLE) && is_bf16(op.result(0));
    for op in root.collect(|op| is_shuffle(&op)) {
        let Some(lanes) = origins(op.result(0), 3) else { continue };
        let Some((first, _)) = lanes.first().copied() else { continue };
        let is_all = lanes.iter().zip(0..).all(|(lane, at)| *lane == (first, at));
        if is_all && first.ty() == op.result(0).ty() {
            op.result(0).replace_all_uses_with(first);
            op.erase();
        }
    }
    // The last ones first: what combined the halves may be unused now.
    for op in root.collect(|op| is_shuffle(&op)).into_iter().rev().filter(|op| op.is_unused()) {
        op.erase();
    }
}

/// The value and the lane that each lane is, looking through `depth` shuffles.
fn origins(value: Value<'_>, depth: u32) -> Option<Vec<(Value<'_>, i64)>> {
    let lanes = i64::try_from(value.ty().element_count()?).ok()?;
    let Some(op) = value.owner().filter(|op| depth > 0 && op.is(vector::SHUFFLE)) else {
        return Some((0..lanes).map(|lane| (value, lane)).collect());
    };
    let mut all = origins(op.operand(0), depth - 1)?;
    all.extend(origins(op.operand(1), depth - 1)?);
    let mask = op.attr("mask").and_then(|mask| mask.as_i64s())?;
    mask.into_iter().map(|lane| all.get(usize::try_from(lane).ok()?).copied()).collect()
}

/// What is known of the bits that `bf16` lacks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lower {
    /// They are zero if the number is NaN.
    ZeroIfNan,
    /// They are zero: the number is one of `bf16`.
    Zero,
}

/// What is known of the numbers in `root`: those of `bf16` lack the bits, and so does a NaN that arithmetic makes of such. It comes from an
/// operand or is the processor's own, which is quiet and otherwise zero.
pub(super) fn lower_halves<'c>(root: Op<'c>) -> FxHashMap<Value<'c>, Lower> {
    let mut known = FxHashMap::default();
    root.walk(WalkOrder::Pre, &mut |op| {
        let floats = op.operands().into_iter().filter(|one| one.ty().element().is_float_type());
        // Of no operands nothing is known.
        let operands = || {
            floats.map(|one| known.get(&one).copied()).reduce(|one, other| one.min(other)).flatten()
        };
        let lower = match op.name() {
            arith::EXTF if is_bf16(op.operand(0)) => Some(Lower::Zero),
            // As many bits as a `bf16` has.
            arith::SITOFP | arith::UITOFP
                if op.operand(0).ty().element().bit_width().is_some_and(|bits| bits <= 8) =>
            {
                Some(Lower::Zero)
            }
            arith::SITOFP | arith::UITOFP => Some(Lower::ZeroIfNan),
            arith::CONSTANT => {
                let number = op.attr("value").map(|value| value.splat_value().unwrap_or(value));
                let number = number.and_then(|value| value.as_f64()).filter(|one| !one.is_nan());
                number.map(|number| match (number as f32).to_bits() & 0xffff {
                    0 if f64::from(number as f32) == number => Lower::Zero,
                    _ => Lower::ZeroIfNan,
                })
            }
            arith::NEGF
            | arith::MAXIMUMF
            | arith::MINIMUMF
            | arith::SELECT
            | functions::ABSF
            | functions::COPYSIGN
            | vector::BROADCAST => operands(),
            arith::ADDF
            | arith::SUBF
            | arith::MULF
            | arith::DIVF
            | functions::CEIL
            | functions::EXP
            | functions::FLOOR
            | functions::FMA
            | functions::ROUND
            | functions::ROUNDEVEN
            | functions::SQRT
            | functions::TANH
            | functions::TRUNC
            | vector::FMA => operands().map(|_| Lower::ZeroIfNan),
            _ => None,
        };
        if let Some(lower) = lower {
            known.extend(op.results().into_iter().map(|result| (result, lower)));
        }
    });
    known
}

/// An `f64` as the `f32` below it with the last bit set where it is not exact: rounding that once more equals
/// rounding the `f64`.
fn to_odd(x: Num<'_>) -> Num<'_> {
    let near = x.to_f32();
    let back = near.to_f64();
    let exact = back.eq(x) | x.is_nan();
    let bits = near.bits();
    let above = back.abs().gt(x.abs());
    let below = above.select(bits.minus(bits.integer(1)), bits);
    exact.select(bits, below | bits.integer(1)).as_float()
}

/// What becomes of a number between two of `bf16`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ties {
    ToEven,
    /// Either will do, for numbers that are not exact.
    Away,
}

impl Ties {
    fn of(rounding: Op<'_>) -> Self {
        if rounding.has_attr(ROUNDED) { Self::Away } else { Self::ToEven }
    }
}

/// The nearest `bf16` as the upper half of each integer; the lower half is arbitrary. `lower` is what is known of it.
fn round_to_bf16<'c>(x: Num<'c>, lower: Option<Lower>, ties: Ties) -> Num<'c> {
    let bits = x.bits();
    if lower == Some(Lower::Zero) {
        return bits;
    }
    let rounded = match ties {
        Ties::Away => bits.plus(bits.integer(0x8000)),
        // The last place that is kept makes a tie odd, so that adding just less than half of it carries.
        Ties::ToEven => {
            let last = i64::from(!strata_ir::planted("vector-bf16-ties"));
            (bits | (bits.shr(16) & bits.integer(last))).plus(bits.integer(0x7fff))
        }
    };
    match lower {
        Some(_) => rounded,
        None => x.is_nan().select(bits | bits.integer(1 << 22), rounded),
    }
}

/// The upper halves of 32-bit integers as integers of 16 bits.
fn narrowed<'c>(x: Num<'c>, target: &Target) -> Num<'c> {
    let lanes = i64::from(target.lanes(32));
    let is_full = x.ty().shape().is_some_and(|shape| shape == [lanes]);
    if target.isa != Isa::Avx512 || !is_full {
        return x.shr(16).resized(16);
    }
    // One instruction for two vectors, if they end up in one.
    x.upper_halves()
}

/// A format as in IEEE 754: infinities and NaN share the largest exponent.
struct Layout {
    exponent: i64,
    mantissa: i64,
    bias: i64,
    infinity: i64,
}

const F16: Layout = Layout { exponent: 5, mantissa: 10, bias: 15, infinity: 0x7c00 };

/// The `f32` that the encoding of an `f16` stands for.
fn decode_f16(x: Num<'_>) -> Num<'_> {
    let bits = x.bits().zero_extended(32);
    let magnitude = bits & bits.integer((1 << (F16.exponent + F16.mantissa)) - 1);
    // In place, the exponent only has another bias. Numbers below the normal range are what is added to the least normal one: nothing is
    // subnormal in `f32`, which a caller's mode may flush.
    let shifted = magnitude.shl(23 - F16.mantissa);
    let rebased = shifted.plus(shifted.integer((127 - F16.bias) << 23));
    let anchor = shifted.integer((128 - F16.bias) << 23);
    let below = ((shifted | anchor).as_float() - ((1 - F16.bias) as f64).exp2()).bits();
    let is_normal = magnitude.int_lt(magnitude.integer(1 << F16.mantissa)).not();
    let scaled = is_normal.select(rebased, below);
    let sign = (bits.shr(F16.exponent + F16.mantissa)).shl(31);
    let special = magnitude.int_lt(magnitude.integer(F16.infinity)).not();
    let value = special.select(shifted | shifted.integer(0x7f80_0000), scaled);
    (value | sign).as_float()
}

/// The encoding of the `f16` nearest to an `f32`, ties to even, as an integer.
fn encode_f16(x: Num<'_>) -> Num<'_> {
    let magnitude = x.abs();
    let bits = magnitude.bits();
    let drop = 23 - F16.mantissa;
    // Normal numbers: round away the low bits of the mantissa, then change the bias.
    let even = bits.shr(drop) & bits.integer(1);
    let rounded = bits.plus(bits.integer((1 << (drop - 1)) - 1)).plus(even).shr(drop);
    let rebased = rounded.minus(rounded.integer((127 - F16.bias) << F16.mantissa));
    // Below: a sum whose last place is the format's smallest number rounds to a multiple of it.
    let anchor = magnitude.constant(((24 - F16.bias - F16.mantissa) as f64).exp2());
    let multiple = (magnitude + anchor).bits().minus(anchor.bits());
    let small = magnitude.lt(magnitude.constant(((1 - F16.bias) as f64).exp2()));
    let finite = small.select(multiple, rebased);

    let sign = x.bits().shr(31).shl(15);
    let is_nan = x.is_nan();
    let beyond = finite.integer(F16.infinity - 1).int_lt(finite);
    let result = beyond.select(finite.integer(F16.infinity), finite);
    let quiet_nan = result.integer(F16.infinity | (1 << (F16.mantissa - 1)));
    (is_nan.select(quiet_nan, result) | sign).resized(16)
}
