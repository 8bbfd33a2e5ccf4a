//! Outputs that share an input's buffer: the program finds the input in the output's buffer and
//! overwrites it there.
//!
//! Before:
//! ```mlir
//! func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {strata.donations = array<i64: 0>} {
//!   return %y : tensor<4xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%out: memref<4xf32>) {
//!   %x = bufferization.to_tensor %out restrict writable : memref<4xf32> to tensor<4xf32>
//!   %new = bufferization.to_buffer %y read_only : tensor<4xf32> to memref<4xf32>
//!   memref.copy %new, %out {strata.donated}
//!   return
//! }
//! ```
//! `writable` lets bufferization compute `%y` in place where nothing reads `%x` later; the copy is then one of
//! a buffer onto itself and goes away. Where it is not in place, the copy makes the result right.

use strata_ir::{
    AttributeExt as _, Builder, Context, DONATIONS, Op, Type, TypeExt as _, Value, memref, unit,
};

use crate::maps::Map;

/// Marks the copies that write donated buffers at the end.
const DONATED: &str = "strata.donated";

/// For each of `count` outputs the input whose buffer it shares.
pub fn input_of_outputs(entry: Op<'_>, count: usize) -> Vec<Option<usize>> {
    let listed = entry.attr(DONATIONS).and_then(|list| list.as_i64s()).unwrap_or_default();
    let input = |output: usize| usize::try_from(*listed.get(output)?).ok();
    (0..count).map(input).collect()
}

/// The input in the buffer `argument`.
pub fn read<'c>(start: &Builder<'c>, argument: Value<'c>, tensor: Type<'c>) -> Value<'c> {
    start
        .op("bufferization.to_tensor")
        .operand(argument)
        .result(tensor)
        .attrs(&[("restrict", unit(start.context)), ("writable", unit(start.context))])
        .value()
}

/// Writes the output to the buffer `argument`.
pub fn write<'c>(builder: &Builder<'c>, value: Value<'c>, argument: Value<'c>) {
    let mark = unit(builder.context);
    let source = builder
        .op("bufferization.to_buffer")
        .operand(value)
        .attr("read_only", mark)
        .result(argument.ty())
        .value();
    builder.op("memref.copy").operands(&[source, argument]).attr(DONATED, mark).build();
}

/// Lets the pointwise operation that computes a donated output from its own input write over it.
///
/// Before:
/// ```mlir
/// %y = linalg.generic … ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>)
/// ```
/// After:
/// ```mlir
/// %y = linalg.generic … ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>)
/// ```
/// Bufferization still allocates where something else reads `%x` later.
pub fn reuse_inputs(root: Op<'_>) {
    for copy in root.collect(|op| op.is("memref.copy") && op.has_attr(DONATED)) {
        let Some(value) = copy.operand(0).owner().map(|owner| owner.operand(0)) else { continue };
        if let Some((op, output, input)) = reusable(value, copy.operand(1)) {
            op.set_operand(output, input);
        }
    }
}

/// The operation that computes `value`, the position of its destination, and the input that lies in `buffer`.
fn reusable<'c>(value: Value<'c>, buffer: Value<'c>) -> Option<(Op<'c>, usize, Value<'c>)> {
    let op = value.owner().filter(|op| op.is("linalg.generic") && op.result_count() == 1)?;
    let iterators = op.attr("iterator_types")?.as_array()?;
    let maps = op.attr("indexing_maps")?.as_array()?;
    let output = op.operand_count().checked_sub(1)?;
    let is_pointwise = iterators.iter().all(|one| one.to_string().contains("parallel"))
        && op.operand(output).owner()?.is("tensor.empty")
        && !op.body(0).arg(output).has_uses()
        && maps.last().copied().and_then(Map::read)?.is_identity();
    let holds_the_input = |index: &usize| {
        let owner = op.operand(*index).owner();
        maps.get(*index) == maps.last()
            && op.operand(*index).ty() == value.ty()
            && owner
                .is_some_and(|one| one.is("bufferization.to_tensor") && one.operand(0) == buffer)
    };
    let input = (0..output).find(holds_the_input).filter(|_| is_pointwise)?;
    Some((op, output, op.operand(input)))
}

/// Takes copies apart whose source lies in a buffer that one of them writes: all sources are saved
/// before the first is overwritten.
///
/// Before:
/// ```mlir
/// memref.copy %a, %b {strata.donated}
/// memref.copy %b, %a {strata.donated}
/// ```
/// After:
/// ```mlir
/// %0 = memref.alloc() : memref<4xf32>
/// memref.copy %a, %0
/// %1 = memref.alloc() : memref<4xf32>
/// memref.copy %b, %1
/// memref.copy %0, %b
/// memref.copy %1, %a
/// ```
pub fn settle<'c>(context: &'c Context, entry: Op<'c>) {
    let copies = entry.collect(|op| op.is("memref.copy") && op.has_attr(DONATED));
    let Some(first) = copies.first() else { return };
    let builder = Builder::before(context, *first);
    let written: Vec<_> = copies.iter().map(|copy| copy.operand(1)).collect();
    for copy in &copies {
        copy.remove_attr(DONATED);
        let (source, target) = (copy.operand(0), copy.operand(1));
        if source == target || !may_lie_in(source, &written) {
            continue;
        }
        let Some(shape) = source.ty().shape() else { continue };
        let saved = builder
            .op("memref.alloc")
            .result(memref(&shape, source.ty().element()))
            .attr("operandSegmentSizes", strata_ir::i32s(context, &[0, 0]));
        let saved = saved.value();
        // Views of the source stand behind it, all of them in front of the first copy.
        builder.op("memref.copy").operands(&[source, saved]).build();
        copy.set_operand(0, saved);
    }
}

/// Whether the buffer may be, or be a part of, one of `written`.
fn may_lie_in<'c>(source: Value<'c>, written: &[Value<'c>]) -> bool {
    let Some(owner) = source.owner() else { return written.contains(&source) };
    match owner.name() {
        "memref.alloc" | "memref.get_global" => false,
        "memref.subview"
        | "memref.cast"
        | "memref.reinterpret_cast"
        | "memref.collapse_shape"
        | "memref.expand_shape"
        | "memref.transpose"
        | "memref.view" => may_lie_in(owner.operand(0), written),
        // Buffers that come out of loops and branches can be any of those that go in.
        _ => true,
    }
}
