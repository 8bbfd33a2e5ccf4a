//! Copies between strided buffers as loops, and of one element as a load and a store: MLIR lowers only contiguous ones
//! to `memcpy`. A copy that caches do not hold, to an output, becomes loops over rows, whatever its shape: tasks share the rows, and
//! stage `vector` writes them past the caches.
//!
//! Before:
//! ```mlir
//! memref.copy %a, %b : memref<2x3xf32, strided<[8, 1]>> to memref<2x3xf32>
//! ```
//! After:
//! ```mlir
//! linalg.generic {… identity …} ins(%a) outs(%b) { ^bb0(%in, %out): linalg.yield %in }
//! ```

use strata_ir::{AffineMap, Builder, Context, Op, TypeExt as _, Value, linalg, memref};
use strata_options::{Options, Streaming, Tasks};
use strata_target::{
    Isa,
    tuning::streaming::{MIN_COPY_BYTES, MIN_ROW_BYTES},
};

/// Expands the copies in `root` that are not contiguous, or too short for a call of `memcpy`.
pub fn expand_strided<'c>(context: &'c Context, root: Op<'c>) {
    for op in root.collect(|op| op.is(memref::COPY)) {
        let (source, target) = (op.operand(0), op.operand(1));
        let is_element = source.ty().element_count() == Some(1);
        if is_contiguous(source) && is_contiguous(target) && !is_element {
            continue;
        }
        if copy_nest(&Builder::before(context, op), source, target) {
            op.erase();
        }
    }
}

/// Makes loops of the copies in the body of `entry` that are worth it.
pub fn cut_large<'c>(context: &'c Context, entry: Op<'c>, options: &Options) {
    let (least, row) = match (options.streaming, options.tasks) {
        (Streaming::Never, _) | (_, Tasks::Never) => return,
        (Streaming::Always, _) => (0, 1024),
        (Streaming::Worthwhile, _) => (MIN_COPY_BYTES, MIN_ROW_BYTES),
    };
    // Elsewhere `memcpy` is as fast on one thread.
    if !matches!(options.target.isa, Isa::Sse2 | Isa::Avx2 | Isa::Avx512) {
        return;
    }
    let Some(body) = entry.region(0).first_block() else { return };
    for op in body.ops().into_iter().filter(|op| op.is(memref::COPY)) {
        let buffers = [op.operand(0), op.operand(1)];
        let is_plain = buffers.into_iter().all(is_contiguous) && buffers[1].block_arg().is_some();
        let Some(shape) = rows(buffers[1], least, row).filter(|_| is_plain) else { continue };
        let emit = Builder::before(context, op);
        let views = buffers.map(|buffer| {
            let ty = strata_ir::memref(&shape, buffer.ty().element());
            memref::reinterpret_cast(&emit, buffer, &[0], &shape, &[shape[1], 1], ty).value()
        });
        if copy_nest(&emit, views[0], views[1]) {
            op.erase();
        }
    }
}

/// A shape of the elements of a buffer of at least `least` bytes: rows as short as possible, but of at least `row` bytes.
fn rows(buffer: Value<'_>, least: i64, row: i64) -> Option<[i64; 2]> {
    let count = i64::try_from(buffer.ty().element_count()?).ok()?;
    let bytes = i64::try_from(buffer.ty().element().byte_width()?).ok()?;
    let longest = 64 * row / bytes;
    let is_long = |length: &i64| length * bytes >= row && count % length == 0;
    let length = (count * bytes >= least).then(|| (1..=longest).find(is_long))??;
    (count > length).then_some([count / length, length])
}

fn is_contiguous(value: Value<'_>) -> bool {
    value.ty().shape().is_some_and(|shape| value.ty() == memref(&shape, value.ty().element()))
}

fn copy_nest<'c>(builder: &Builder<'c>, source: Value<'c>, target: Value<'c>) -> bool {
    let Some(rank) = source.ty().rank() else { return false };
    let element = source.ty().element();
    let body = builder.region(&[element, element], |inside, arguments| {
        linalg::yield_(inside, &[arguments[0]]).build();
    });
    let maps = vec![AffineMap::identity(rank); 2];
    let loops = vec![linalg::IteratorType::Parallel; rank];
    let copy = linalg::generic(builder, &maps, &loops, &[], body);
    copy.inputs(&[source]).outputs(&[target]).build();
    true
}
