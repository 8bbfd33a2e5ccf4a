//! Element types without hardware arithmetic: integers of 2 and 4 bits, floats of 4, 6 and 8.
//!
//! Before lowering, such values become bytes, and the operands and results of arithmetic on them are
//! widened and narrowed:
//!
//! ```text
//! %2 = stablehlo.add %0, %1 : tensor<9xf8E4M3FN>
//! %3 = stablehlo.reverse %2, dims = [0] : tensor<9xf8E4M3FN>
//! ```
//! becomes
//! ```text
//! %a = stablehlo.convert %0 {strata.from = f8E4M3FN} : (tensor<9xui8>) -> tensor<9xf32>
//! %b = stablehlo.convert %1 {strata.from = f8E4M3FN} : (tensor<9xui8>) -> tensor<9xf32>
//! %s = stablehlo.add %a, %b : tensor<9xf32>
//! %2 = stablehlo.convert %s {strata.to = f8E4M3FN} : (tensor<9xf32>) -> tensor<9xui8>
//! %3 = stablehlo.reverse %2, dims = [0] : tensor<9xui8>
//! ```
//!
//! Operations that only move elements move bytes, and no other lowering handles these types. A byte
//! always holds the sign- or zero-extended value: integers wrap when they are narrowed, and the upper
//! bits of inputs are cleared once, on entry.

use strata_ir::{
    Attribute, AttributeExt as _, Builder, Context, Op, OpKind, Type, TypeExt as _, Value, arith,
    array, dense_bytes, dense_splat, function, function_types, int, is_exchange, stablehlo,
    type_attr, wide_float,
};

use crate::{lowerings::elementwise, numbers::small_float::Format};

/// The element type before it became a byte, on a conversion's operand and on its result.
const FROM: &str = "strata.from";
const TO: &str = "strata.to";

/// The types of an external call, before they became bytes.
const OPERANDS: &str = "strata.operand_types";
const RESULTS: &str = "strata.result_types";

/// The type that values of `ty` are stored in: without a sign, narrow ones as bytes.
pub fn storage(ty: Type<'_>) -> Type<'_> {
    ty.in_bytes().signless()
}

/// The element types of a conversion's operand and result, narrow ones included.
pub fn logical<'c>(op: Op<'c>) -> [Type<'c>; 2] {
    let recorded = |name: &str| op.attr(name).and_then(|ty| ty.as_type());
    [
        recorded(FROM).unwrap_or_else(|| op.operand(0).ty().element()),
        recorded(TO).unwrap_or_else(|| op.result(0).ty().element()),
    ]
}

/// The byte `x` wrapped to the narrow type `ty`; values of other types are unchanged.
pub fn wrap<'c>(b: &Builder<'c>, x: Value<'c>, ty: Type<'c>) -> Value<'c> {
    let Some(width) = ty.bit_width().filter(|width| *width < 8 && ty.is_narrow()) else {
        return x;
    };
    if ty.is_int() && !ty.is_unsigned_int() {
        let distance = b.int(x.ty(), i64::from(8 - width));
        let high = b.same(arith::SHLI, &[x, distance]);
        return b.same(arith::SHRSI, &[high, distance]);
    }
    b.same(arith::ANDI, &[x, b.int(x.ty(), !(-1 << width))])
}

/// Converts all narrow types in `func` to bytes.
pub fn resolve<'c>(context: &'c Context, func: Op<'c>) {
    let values = |op: Op<'c>| {
        let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
        blocks.flat_map(|block| block.args()).chain(op.results())
    };
    let touched =
        func.collect(|op| values(op).chain(op.operands()).any(|value| value.ty().is_narrow()));
    // Types are changed last: an operation's original types can still be read.
    for op in touched.iter().copied().filter(|op| *op != func) {
        make_explicit(context, op);
    }
    clear_inputs(context, func);
    func.walk(strata_ir::WalkOrder::Pre, &mut |op| {
        for value in values(op) {
            value.set_ty(value.ty().in_bytes());
        }
        if op.kind() == OpKind::Constant
            && let Some(bytes) = op.attr("value").and_then(constant_in_bytes)
        {
            op.set_attr("value", bytes);
        }
    });
    if let Some((inputs, results)) =
        func.attr("function_type").and_then(|ty| ty.as_type()).and_then(function_types)
    {
        let in_bytes = |types: Vec<Type<'c>>| -> Vec<Type<'c>> {
            types.into_iter().map(|ty| ty.in_bytes()).collect()
        };
        let ty = function(context, &in_bytes(inputs), &in_bytes(results));
        func.set_attr("function_type", type_attr(ty));
    }
}

/// Adds conversions around `op`, if it computes with narrow numbers.
fn make_explicit<'c>(context: &'c Context, op: Op<'c>) {
    match op.kind() {
        OpKind::Convert | OpKind::BitcastConvert | OpKind::ChloNextAfter => {
            let record = |name: &str, value: Value<'c>| {
                if value.ty().is_narrow() {
                    op.set_attr(name, type_attr(value.ty().element()));
                }
            };
            record(FROM, op.operand(0));
            record(TO, op.result(0));
        }
        OpKind::Reduce | OpKind::ReduceWindow | OpKind::Scatter | OpKind::SelectAndScatter => {
            promote(context, op);
        }
        OpKind::RngBitGenerator => narrow_bits(context, op),
        OpKind::ChloMulhi => high_half(context, op),
        OpKind::CustomCall | OpKind::Infeed | OpKind::Outfeed | OpKind::Send | OpKind::Recv => {
            record_types(context, op);
        }
        kind if is_exchange(kind) => record_types(context, op),
        kind if computes(kind) => widen(context, op),
        _ => {}
    }
}

/// The upper half of a product of narrow integers: the whole product fits in a byte.
fn high_half<'c>(context: &'c Context, op: Op<'c>) {
    let ty = op.result(0).ty();
    if !ty.is_narrow() {
        return;
    }
    let builder = Builder::before(context, op);
    let wide = Extension::Own.wide(context, ty);
    let operands: Vec<_> =
        op.operands().into_iter().map(|one| convert(&builder, one, wide).result(0)).collect();
    let stored = ty.with_element(wide);
    let product = builder.op(stablehlo::MULTIPLY).operands(&operands).result(stored).value();
    let width = i64::from(ty.element().bit_width().unwrap_or(8));
    let width = dense_splat(stored, int(wide, width));
    let width = builder.op(stablehlo::CONSTANT).attr("value", width).result(stored).value();
    let name = match wide.is_unsigned_int() {
        true => stablehlo::SHIFT_RIGHT_LOGICAL,
        false => stablehlo::SHIFT_RIGHT_ARITHMETIC,
    };
    let half = builder.op(name).operands(&[product, width]).result(stored).value();
    op.result(0).replace_all_uses_with(convert(&builder, half, ty.element()).result(0));
    op.erase();
}

/// Draws random bits as bytes, of which the low bits are used.
fn narrow_bits<'c>(context: &'c Context, op: Op<'c>) {
    let bits = op.result(1);
    let ty = bits.ty();
    let Some(next) = op.next().filter(|_| ty.is_narrow()) else { return };
    bits.set_ty(ty.with_element(strata_ir::unsigned_integer(context, 8)));
    let after = Builder { location: op.location(), ..Builder::before(context, next) };
    let cut = after.op(stablehlo::BITCAST_CONVERT).operand(bits);
    let cut = cut.attr(TO, type_attr(ty.element())).result(ty).build();
    bits.replace_all_uses_with(cut.result(0));
    cut.set_operand(0, bits);
}

/// Records the types of an external call, which are passed to the target.
fn record_types<'c>(context: &'c Context, op: Op<'c>) {
    let types = |values: Vec<Value<'c>>| {
        let types: Vec<_> = values.into_iter().map(|value| type_attr(value.ty())).collect();
        array(context, &types)
    };
    op.set_attr(OPERANDS, types(op.operands()));
    op.set_attr(RESULTS, types(op.results()));
}

/// The types of the operands and results of an external call, narrow ones included.
pub fn call_types<'c>(op: Op<'c>) -> [Vec<Type<'c>>; 2] {
    let recorded = |name: &str, values: Vec<Value<'c>>| {
        let types = op.attr(name).and_then(|types| types.as_array());
        let types = types.and_then(|all| all.into_iter().map(|ty| ty.as_type()).collect());
        types.unwrap_or_else(|| values.into_iter().map(|value| value.ty()).collect())
    };
    [recorded(OPERANDS, op.operands()), recorded(RESULTS, op.results())]
}

/// Whether operations of that kind compute with their operands, instead of moving them.
fn computes(kind: OpKind) -> bool {
    elementwise::has_row(kind)
        || matches!(
            kind,
            OpKind::Cholesky
                | OpKind::Clamp
                | OpKind::Compare
                | OpKind::Convolution
                | OpKind::Dot
                | OpKind::DotGeneral
                | OpKind::Iota
                | OpKind::ReducePrecision
                | OpKind::Rng
                | OpKind::TriangularSolve
        )
}

/// The signedness of the bytes that integers are computed in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extension {
    /// The type's own.
    Own,
    /// Zero-extended: the operation is on bits.
    Zeros,
    /// Sign-extended, whatever the type.
    HighestBit,
}

impl Extension {
    fn of(kind: OpKind) -> Self {
        match kind {
            OpKind::ShiftRightLogical | OpKind::CountLeadingZeros | OpKind::Popcnt => Self::Zeros,
            OpKind::ShiftRightArithmetic => Self::HighestBit,
            _ => Self::Own,
        }
    }

    /// The type that elements of `ty` are computed in.
    fn wide<'c>(self, context: &'c Context, ty: Type<'c>) -> Type<'c> {
        let element = ty.element();
        match self {
            _ if element.is_float_type() => wide_float(context, element),
            Self::Own => element.in_bytes(),
            Self::Zeros => strata_ir::unsigned_integer(context, 8),
            Self::HighestBit => strata_ir::integer(context, 8),
        }
    }
}

/// A conversion before or after the insertion point of `builder`.
fn convert<'c>(builder: &Builder<'c>, value: Value<'c>, to: Type<'c>) -> Op<'c> {
    let from = value.ty().element();
    let mut op = builder.op(stablehlo::CONVERT).operand(value);
    if from.is_narrow() {
        op = op.attr(FROM, type_attr(from));
    }
    if to.is_narrow() {
        op = op.attr(TO, type_attr(to));
    }
    op.result(value.ty().with_element(to)).build()
}

/// Widens the operands of `op` and narrows its results.
fn widen<'c>(context: &'c Context, op: Op<'c>) {
    let extension = Extension::of(op.kind());
    let before = Builder::before(context, op);
    let contracts = matches!(op.kind(), OpKind::DotGeneral | OpKind::Dot | OpKind::Convolution);
    for (index, operand) in op.operands().into_iter().enumerate() {
        let ty = operand.ty();
        let is_float = ty.element().is_float_type();
        // Products of two types are computed in one, that of the result.
        let to = match contracts && is_float {
            true => wide_float(context, op.result(0).ty().element()),
            false => extension.wide(context, ty),
        };
        let beside = contracts && is_float && ty.element().bit_width() < to.bit_width();
        if ty.is_narrow() || beside {
            op.set_operand(index, by_sign(&before, operand, to));
        }
    }
    if op.kind() == OpKind::ReducePrecision {
        keep_range(context, op);
    }
    let Some(next) = op.next() else { return };
    let after = Builder { location: op.location(), ..Builder::before(context, next) };
    for result in op.results() {
        let ty = result.ty();
        if !ty.is_narrow() {
            continue;
        }
        result.set_ty(ty.with_element(extension.wide(context, ty)));
        let mut value = result;
        let mut first = None;
        if op.kind() == OpKind::CountLeadingZeros {
            // A byte has more leading zeros.
            let more = 8 - i64::from(ty.element().bit_width().unwrap_or(8));
            let byte = value.ty().element();
            let more = dense_splat(value.ty(), int(byte, more));
            let more = after.op(stablehlo::CONSTANT).attr("value", more).result(value.ty()).value();
            let difference = after.op(stablehlo::SUBTRACT).operands(&[value, more]);
            let difference = difference.result(value.ty()).build();
            first = Some(difference);
            value = difference.result(0);
        }
        let narrowed = convert(&after, value, ty.element());
        let first = first.unwrap_or(narrowed);
        result.replace_all_uses_with(narrowed.result(0));
        first.set_operand(0, result);
    }
}

/// `reduce_precision` to no fewer exponent bits than the narrow type has does not affect the range.
fn keep_range<'c>(context: &'c Context, op: Op<'c>) {
    let (Some(format), Some(exponent)) = (
        Format::of(op.result(0).ty().element()),
        op.attr("exponent_bits").and_then(|bits| bits.as_i64()),
    ) else {
        return;
    };
    if exponent >= i64::from(format.exponent_bits()) {
        let wide = wide_float(context, op.result(0).ty().element());
        let all = if wide.bit_width() == Some(64) { 11 } else { 8 };
        op.set_attr("exponent_bits", int(strata_ir::integer(context, 32), all));
    }
}

/// `value` as an element of type `to`; through its own bits for a byte of the other signedness.
fn by_sign<'c>(builder: &Builder<'c>, value: Value<'c>, to: Type<'c>) -> Value<'c> {
    let element = value.ty().element();
    let mut value = value;
    if to.is_int() && to.is_unsigned_int() != element.is_unsigned_int() {
        let width = element.bit_width().unwrap_or(8);
        let other = match to.is_unsigned_int() {
            true => strata_ir::unsigned_integer(builder.context, width),
            false => strata_ir::integer(builder.context, width),
        };
        value = convert(builder, value, other).result(0);
    }
    convert(builder, value, to).result(0)
}

/// Converts the operands of an operation with a region that takes them in another type: bytes no longer
/// have the type's semantics.
fn promote<'c>(context: &'c Context, op: Op<'c>) {
    let builder = Builder::before(context, op);
    let results = op.result_types();
    let count = results.len();
    let region = op.region_count().saturating_sub(1);
    for (index, operand) in op.operands().into_iter().enumerate() {
        let target = match op.kind() {
            OpKind::Scatter if index < count => results[index],
            OpKind::Scatter if index > count => results[index - count - 1],
            OpKind::Scatter => continue,
            // The operand of a selection is compared in the type of the selecting region.
            OpKind::SelectAndScatter if index == 0 => op.body(0).arg(0).ty(),
            OpKind::SelectAndScatter => op.body(region).arg(0).ty(),
            _ => results[index % count],
        };
        if operand.ty().element() != target.element()
            && (operand.ty().is_narrow() || target.is_narrow())
        {
            op.set_operand(index, convert(&builder, operand, target.element()).result(0));
        }
    }
}

/// Clears the upper bits of inputs that are narrower than a byte.
fn clear_inputs<'c>(context: &'c Context, func: Op<'c>) {
    let block = func.body(0);
    let builder = Builder::at_start(context, block, func.location());
    for input in block.args() {
        let ty = input.ty();
        if !ty.is_narrow() || ty.element().bit_width() == Some(8) || !input.has_uses() {
            continue;
        }
        // Bits to bits: of floats too.
        let cleared = builder.op(stablehlo::BITCAST_CONVERT).operand(input);
        let cleared = cleared.attr(TO, type_attr(ty.element())).result(ty).build();
        input.replace_all_uses_with(cleared.result(0));
        cleared.set_operand(0, input);
    }
}

/// A narrow constant's elements as bytes.
fn constant_in_bytes(elements: Attribute<'_>) -> Option<Attribute<'_>> {
    let ty = elements.elements_type().filter(|ty| ty.is_narrow())?;
    let element = ty.element();
    let width = element.bit_width()?;
    let signed = element.is_int() && !element.is_unsigned_int();
    let unused = 8 - width;
    let extend = |byte: &u8| {
        let high = byte << unused;
        if signed { ((high as i8) >> unused) as u8 } else { high >> unused }
    };
    let bytes: Vec<_> = elements.raw_elements()?.iter().map(extend).collect();
    let stored = ty.in_bytes();
    match bytes.first() {
        Some(first) if elements.is_splat() => {
            let value = if signed { i64::from(*first as i8) } else { i64::from(*first) };
            Some(dense_splat(stored, int(stored.element(), value)))
        }
        _ => dense_bytes(stored, &bytes),
    }
}
