//! Dots of lanes as the target's instruction.
//!
//! Before:
//! ```text
//! %p = narrow.dot "s8" %a, "u8" %b : vector<16xi32> -> vector<16xi32>
//! %s = arith.addi %sum, %p : vector<16xi32>
//! ```
//! After:
//! ```text
//! %l = vector.bitcast %b : vector<16xi32> to vector<64xi8>
//! %r = vector.bitcast %a : vector<16xi32> to vector<64xi8>
//! %s = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%sum, %l, %r)
//! ```
//! What the target has no instruction for is multiplied and added element by element. Instructions for `bf16` are written as
//! assembly: with AVX512-BF16, LLVM 22 computes on vectors of `bf16`, and aborts on some of their shuffles.

use strata_ir::{
    AttributeExt as _, Builder, Context, Op, Type, TypeExt as _, Value, arith, dense_bytes,
    f16_type, f32_type, integer, llvm, narrow, string, vector,
};
use strata_target::{DotInstruction, Isa, Lane, Subword, Target, has_avx512_bf16};

/// Rewrites all dots of lanes in `root`.
pub(super) fn lower<'c>(context: &'c Context, root: Op<'c>, target: &Target) {
    // Before what they scale, of which they make numbers in their own way.
    let mut tables = Vec::new();
    for op in root.collect(|op| op.is(narrow::SCALE)) {
        let numbers = looked_up(context, op, target, &mut tables);
        let numbers = numbers.unwrap_or_else(|| scaled(&Builder::before(context, op), op, target));
        op.result(0).replace_all_uses_with(numbers);
        op.erase();
    }
    for op in root.collect(|op| op.is(narrow::WIDEN)) {
        if let Some(subword) = subword(op).filter(|_| !op.is_unused()) {
            let numbers = widened(&Builder::before(context, op), op, subword, target);
            op.result(0).replace_all_uses_with(numbers);
        }
        op.erase();
    }
    for op in root.collect(|op| op.is(narrow::DOT)) {
        let lanes = ["left", "right"].map(|name| op.attr(name).and_then(|name| name.as_str()));
        let [Some(left), Some(right)] = lanes.map(|name| Lane::named(name?)) else { continue };
        let found = instruction(op, target, [left, right]);
        let flipped = flipped(left, right);
        match found {
            Some(found) => call(context, op, found),
            None if let Some(lanes) =
                flipped.filter(|own| instruction(op, target, *own).is_some()) =>
            {
                of_flipped(context, op, lanes, target);
            }
            None => {
                let products = products(&Builder::before(context, op), op, [left, right]);
                op.result(0).replace_all_uses_with(products);
            }
        }
        op.erase();
    }
}

/// The lanes of a dot of bytes of one kind, of which an instruction needs both: the left ones with their highest bits flipped.
pub(super) fn flipped(left: Lane, right: Lane) -> Option<[Lane; 2]> {
    match (left, right) {
        (Lane::S8, Lane::S8) => Some([Lane::U8, right]),
        (Lane::U8, Lane::U8) => Some([Lane::S8, right]),
        _ => None,
    }
}

/// A dot of flipped lanes, less that of the bits that are flipped: of lanes that loops read, LLVM computes the latter once.
fn of_flipped<'c>(context: &'c Context, op: Op<'c>, [left, right]: [Lane; 2], target: &Target) {
    let b = Builder::before(context, op);
    let (lhs, rhs) = (op.operand(0), op.operand(1));
    let bits = b.int(lhs.ty(), i64::from(0x8080_8080_u32.cast_signed()));
    let dot = |lhs: Value<'c>| {
        b.op(narrow::DOT)
            .operands(&[lhs, rhs])
            .attr("left", string(context, left.name()))
            .attr("right", string(context, right.name()))
            .result(op.result(0).ty())
            .build()
    };
    let dots = [dot(b.same(arith::XORI, &[lhs, bits])), dot(bits)];
    let less = b.same(arith::SUBI, &dots.map(|dot| dot.result(0)));
    op.result(0).replace_all_uses_with(less);
    for dot in dots {
        if let Some(found) = instruction(dot, target, [left, right]) {
            call(context, dot, found);
            dot.erase();
        }
    }
}

fn subword(op: Op<'_>) -> Option<Subword> {
    op.attr("from").and_then(|name| Subword::named(name.as_str()?))
}

/// Integers in each half of a lane as two of `bf16`: looked up where a register is a table of 32 numbers.
fn widened<'c>(b: &Builder<'c>, op: Op<'c>, subword: Subword, target: &Target) -> Value<'c> {
    let lanes = op.operand(0);
    let halves = vector(&[32], integer(b.context, 16));
    if is_table(op, subword, target) {
        // The lowest five bits of a half are its place in the table.
        let numbers = (0..32).flat_map(|at| subword.bf16_bits(at).to_le_bytes());
        if let Some(table) = dense_bytes(halves, &numbers.collect::<Vec<_>>()) {
            return permuted(b, arith::constant(b, table, halves).value(), lanes);
        }
    }
    let ty = lanes.ty();
    let numbers = converted(b, op, subword, b.like(ty, f32_type(b.context)));
    upper_halves(b, numbers.map(|number| b.cast(arith::BITCAST, number, ty)))
}

/// Whether integers of four bits are places in a register that has all numbers they may be.
fn is_table(op: Op<'_>, subword: Subword, target: &Target) -> bool {
    let is_whole = op.result(0).ty().shape().as_deref() == Some(&[16]);
    target.isa == Isa::Avx512 && subword.bits() == 4 && is_whole
}

/// The two integers of each lane as floats of type `ty`.
fn converted<'c>(b: &Builder<'c>, op: Op<'c>, subword: Subword, ty: Type<'c>) -> [Value<'c>; 2] {
    let (lanes, above) = (op.operand(0), 32 - subword.bits());
    let down = if subword.is_signed() { arith::SHRSI } else { arith::SHRUI };
    [0, 16].map(|start| {
        let up = b.same(arith::SHLI, &[lanes, b.int(lanes.ty(), above - start)]);
        b.cast(arith::SITOFP, b.same(down, &[up, b.int(lanes.ty(), above)]), ty)
    })
}

/// Scaled numbers, of the scales and zero points that lanes have in common.
type Table<'c> = (Subword, Vec<Value<'c>>, Value<'c>);

/// Numbers of four bits with one scale for all, looked up among the sixteen that there are; `None` where the target does not.
fn looked_up<'c>(
    context: &'c Context,
    op: Op<'c>,
    target: &Target,
    tables: &mut Vec<Table<'c>>,
) -> Option<Value<'c>> {
    let widen = op.operand(0).owner().filter(|widen| widen.is(narrow::WIDEN))?;
    let subword = subword(widen)?;
    let lanes = subword.looked_up(target)?;
    (op.result(0).ty().shape()? == [lanes]).then_some(())?;
    let params = op.operands().split_off(1);
    let splats = params.iter().map(|param| param.owner().filter(|op| op.is(vector::BROADCAST)));
    let splats = splats.collect::<Option<Vec<_>>>()?;
    splats.iter().all(|splat| splat.operand(0).ty().rank().is_none()).then_some(())?;
    let known = tables.iter().find(|(of, own, _)| (*of, own) == (subword, &params));
    let table = match known {
        Some((.., table)) => *table,
        None => {
            // Where the last of them is, so that loops in which none changes make no table.
            let point = splats.iter().copied().reduce(later).and_then(Op::next)?;
            let table = table(&Builder::before(context, point), subword, &params)?;
            tables.push((subword, params, table));
            table
        }
    };
    Some(permuted(&Builder::before(context, op), table, widen.operand(0)))
}

/// Of two operations that both dominate a third, the one that the other dominates.
fn later<'c>(one: Op<'c>, other: Op<'c>) -> Op<'c> {
    let mut next = Some(other);
    while let Some(op) = next {
        if op.encloses(one) {
            return one;
        }
        next = op.next();
    }
    other
}

/// The numbers that four bits may be, scaled, as the halves of eight lanes, and the same again.
fn table<'c>(b: &Builder<'c>, subword: Subword, params: &[Value<'c>]) -> Option<Value<'c>> {
    let ty = params.first()?.ty();
    let numbers = (0..16).flat_map(|bits| (subword.number(bits) as f32).to_le_bytes());
    let numbers = dense_bytes(ty, &numbers.collect::<Vec<_>>())?;
    let mut numbers = arith::constant(b, numbers, ty).value();
    if let [_, zero_point] = params {
        numbers = b.same(arith::SUBF, &[numbers, *zero_point]);
    }
    let word = integer(b.context, 32);
    let rounded = b
        .op(llvm::INLINE_ASM)
        .operand(b.same(arith::MULF, &[numbers, params[0]]))
        .attr("asm_string", string(b.context, "vcvtneps2bf16 $1, $0"))
        .attr("constraints", string(b.context, "=v,v"))
        .result(vector(&[8], word))
        .value();
    let twice: Vec<_> = (0..16_i64).map(|at| at % 8).collect();
    Some(b.shuffle(rounded, rounded, &twice))
}

/// 16 lanes of the halves of `lanes` that the halves of `places` say.
fn permuted<'c>(b: &Builder<'c>, lanes: Value<'c>, places: Value<'c>) -> Value<'c> {
    let halves = vector(&[32], integer(b.context, 16));
    let operands = [lanes, places].map(|one| vector::bitcast(b, one, halves).value());
    let name = "llvm.x86.avx512.permvar.hi.512";
    let found = llvm::call_intrinsic(b, name, &[], &[halves]).args(&operands).value();
    vector::bitcast(b, found, vector(&[16], integer(b.context, 32))).value()
}

/// The two numbers of `bf16` in each lane as `f32` of type `ty`.
fn numbers<'c>(b: &Builder<'c>, lanes: Value<'c>, ty: Type<'c>) -> [Value<'c>; 2] {
    let low = b.same(arith::SHLI, &[lanes, b.int(lanes.ty(), 16)]);
    let high = b.same(arith::ANDI, &[lanes, b.int(lanes.ty(), -1 << 16)]);
    [low, high].map(|bits| b.cast(arith::BITCAST, bits, ty))
}

/// The two numbers of `f16` in each lane as `f32` of type `ty`.
fn halves<'c>(b: &Builder<'c>, lanes: Value<'c>, ty: Type<'c>) -> [Value<'c>; 2] {
    let high = b.same(arith::SHRUI, &[lanes, b.int(lanes.ty(), 16)]);
    [lanes, high].map(|lanes| {
        let bits = b.cast(arith::TRUNCI, lanes, b.like(ty, integer(b.context, 16)));
        let numbers = b.cast(arith::BITCAST, bits, b.like(ty, f16_type(b.context)));
        b.cast(arith::EXTF, numbers, ty)
    })
}

/// The lanes of the upper halves of two lanes each.
fn upper_halves<'c>(b: &Builder<'c>, [low, high]: [Value<'c>; 2]) -> Value<'c> {
    let low = b.same(arith::SHRUI, &[low, b.int(low.ty(), 16)]);
    let high = b.same(arith::ANDI, &[high, b.int(high.ty(), -1 << 16)]);
    b.same(arith::ORI, &[low, high])
}

/// Both numbers of lanes less a zero point, times a scale, rounded to `bf16`. None is a NaN or subnormal, so that the instruction that takes
/// the latter for zero rounds as integers do.
fn scaled<'c>(b: &Builder<'c>, op: Op<'c>, target: &Target) -> Value<'c> {
    let (lanes, ty) = (op.operand(0), op.operand(0).ty());
    let scale = op.operand(1);
    let integers = lanes.owner().filter(|owner| owner.is(narrow::WIDEN));
    let integers = integers.and_then(|op| Some((op, subword(op)?)));
    let floats = match integers.filter(|(op, subword)| !is_table(*op, *subword, target)) {
        Some((op, subword)) => converted(b, op, subword, scale.ty()),
        None => numbers(b, lanes, scale.ty()),
    };
    let [low, high] = floats.map(|number| {
        let less = match op.operand_count() {
            3 => b.same(arith::SUBF, &[number, op.operand(2)]),
            _ => number,
        };
        b.same(arith::MULF, &[less, scale])
    });
    let halves = vector(&[32], integer(b.context, 16));
    let order = (0..32_u16).flat_map(|at| (at / 2 + 16 * (at % 2)).to_le_bytes());
    if has_avx512_bf16(target)
        && ty.shape().as_deref() == Some(&[16])
        && let Some(order) = dense_bytes(halves, &order.collect::<Vec<_>>())
    {
        // All low numbers, then all high ones.
        let rounded = b
            .op(llvm::INLINE_ASM)
            .operands(&[high, low])
            .attr("asm_string", string(b.context, "vcvtne2ps2bf16 $2, $1, $0"))
            .attr("constraints", string(b.context, "=v,v,v"))
            .result(ty)
            .value();
        return permuted(b, rounded, arith::constant(b, order, halves).value());
    }
    let rounded = [low, high].map(|number| {
        let bits = b.cast(arith::BITCAST, number, ty);
        let is_odd = b.same(arith::SHRUI, &[bits, b.int(ty, 16)]);
        let is_odd = b.same(arith::ANDI, &[is_odd, b.int(ty, 1)]);
        let half = b.same(arith::ADDI, &[is_odd, b.int(ty, 0x7FFF)]);
        b.same(arith::ADDI, &[bits, half])
    });
    upper_halves(b, rounded)
}

/// An instruction, LLVM's intrinsic for the vectors at hand, and whether its operands are in the other order.
type Found = (&'static DotInstruction, &'static str, bool);

fn instruction(op: Op<'_>, target: &Target, lanes: [Lane; 2]) -> Option<Found> {
    let [width] = op.result(0).ty().shape()?[..] else { return None };
    let found = DotInstruction::of_lanes(target, lanes)?;
    let (_, name) = found.forms.iter().find(|(bits, _)| i64::from(*bits) == 32 * width)?;
    Some((found, *name, found.lanes != lanes))
}

/// Replaces the dot, and the sum of it and another number where the instruction adds.
fn call<'c>(context: &'c Context, op: Op<'c>, (instruction, name, is_swapped): Found) {
    let result = op.result(0);
    let ty = result.ty();
    let users = result.uses();
    let sum = match users[..] {
        [(user, _)] if instruction.adds && (user.is(arith::ADDI) || user.is(arith::ADDF)) => {
            Some(user)
        }
        _ => None,
    };
    let b = Builder::before(context, sum.unwrap_or(op));
    let bits = instruction.lanes[0].bits();
    let count = instruction.lanes[0].count();
    let lanes = ty.shape().unwrap_or_default().first().copied().unwrap_or(1);
    // Assembly takes any vectors.
    let elements = match instruction.assembly {
        Some(_) => op.operand(0).ty(),
        None => vector(&[lanes * count], integer(context, bits)),
    };
    let mut operands = [0, 1].map(|index| vector::bitcast(&b, op.operand(index), elements).value());
    if is_swapped {
        operands.reverse();
    }
    let mut arguments = operands.to_vec();
    if instruction.adds {
        let other = sum.map(|sum| sum.operand(usize::from(sum.operand(0) == result)));
        let zero = || if ty.element().is_float_type() { b.float(ty, 0.0) } else { b.int(ty, 0) };
        arguments.insert(0, other.unwrap_or_else(zero));
    }
    let lowered = match instruction.assembly {
        Some([text, constraints]) => b
            .op(llvm::INLINE_ASM)
            .operands(&arguments)
            .attr("asm_string", string(context, text))
            .attr("constraints", string(context, constraints))
            .result(ty)
            .value(),
        None => llvm::call_intrinsic(&b, name, &[], &[ty]).args(&arguments).value(),
    };
    match sum {
        Some(sum) => {
            sum.result(0).replace_all_uses_with(lowered);
            sum.erase();
        }
        None => result.replace_all_uses_with(lowered),
    }
}

/// The sums of products of elements, by shifts and multiplications.
fn products<'c>(b: &Builder<'c>, op: Op<'c>, lanes: [Lane; 2]) -> Value<'c> {
    let ty = op.result(0).ty();
    if lanes[0].is_float() {
        let elements = [0, 1].map(|side| match lanes[0] {
            Lane::F16 => halves(b, op.operand(side), ty),
            _ => numbers(b, op.operand(side), ty),
        });
        let product = |at: usize| b.same(arith::MULF, &[elements[0][at], elements[1][at]]);
        return b.same(arith::ADDF, &[product(0), product(1)]);
    }
    let count = lanes[0].count();
    let element = |side: usize, number: i64| {
        let lane = lanes[side];
        let bits = i64::from(lane.bits());
        let up = b.same(arith::SHLI, &[op.operand(side), b.int(ty, bits * (count - 1 - number))]);
        let down = if lane.is_signed() { arith::SHRSI } else { arith::SHRUI };
        b.same(down, &[up, b.int(ty, 32 - bits)])
    };
    let product = |number| b.same(arith::MULI, &[element(0, number), element(1, number)]);
    let sum = |sum, number| b.same(arith::ADDI, &[sum, product(number)]);
    (1..count).fold(product(0), sum)
}
