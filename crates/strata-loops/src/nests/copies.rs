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

use strata_ir::{
    AffineMap, Attribute, AttributeExt as _, Builder, Context, INPUTS, LIMIT, Op, TypeExt as _,
    VALID, Value, View as _, affine, array, index, linalg, memref, scf, ub, vector,
};
use strata_options::{Options, Streaming, Tasks};
use strata_target::{
    Isa,
    tuning::streaming::{MIN_COPY_BYTES, MIN_ROW_BYTES},
};

/// Expands the copies in `root` that are not contiguous, or too short for a call of `memcpy`, and those of slices of arguments that may
/// be used in place.
pub fn expand_strided<'c>(context: &'c Context, root: Op<'c>, options: &Options) {
    for op in root.collect(|op| op.is(memref::COPY)) {
        let (source, target) = (op.operand(0), op.operand(1));
        let is_element = source.ty().element_count() == Some(1);
        // What may be used in place, of which only elements are read and written.
        let is_slice = |value: Value<'c>| {
            let slice = value.owner().filter(|owner| owner.is(memref::SUBVIEW));
            slice.is_some_and(|slice| slice.operand(0).block_arg().is_some())
        };
        let is_open = options.is_specialization && (is_slice(source) || is_slice(target));
        if is_contiguous(source) && is_contiguous(target) && !is_element && !is_open {
            continue;
        }
        if copy_nest(&Builder::before(context, op), source, target).is_some() {
            op.erase();
        }
    }
}

/// Makes loops over vectors of the copies in the body of `entry` to an output of which callers take the first elements only, and which
/// nothing else reads: they end at the sizes, as others do, and read and write where callers have the tensors.
pub fn cut_open<'c>(context: &'c Context, entry: Op<'c>, options: &Options) {
    let list = |name: &str| entry.attr(name).and_then(|list| list.as_array()).unwrap_or_default();
    // Outputs come after all inputs.
    let (valid, first) = (list(VALID), list(INPUTS).len());
    let Some(body) = entry.region(0).first_block().filter(|_| options.is_specialization) else {
        return;
    };
    for op in body.ops().into_iter().filter(|op| op.is(memref::COPY)) {
        let buffers = [op.operand(0), op.operand(1)];
        let argument = buffers[1].block_arg().filter(|(block, _)| *block == body);
        let output = argument.and_then(|(_, at)| valid.get(at.checked_sub(first)?).copied());
        let Some(map) = output.and_then(AffineMap::of) else { continue };
        // Where each loop ends, if that is a size.
        let limits = map.results.iter().map(|size| {
            let is_open = size.as_constant().is_none();
            let own = AffineMap { results: vec![size.clone()], ..map.clone() };
            is_open.then(|| own.to_attribute(context))
        });
        let limits: Vec<_> = limits.collect();
        let is_plain = buffers.into_iter().all(is_contiguous)
            && limits.iter().any(Option::is_some)
            && is_only_written(buffers[1]);
        let before = Builder::before(context, op);
        if !is_plain {
            continue;
        }
        if copy_vectors(&before, buffers, &limits, options).is_none() {
            let Some(copy) = copy_nest(&before, buffers[0], buffers[1]) else { continue };
            let none = AffineMap::new(map.dims, Vec::new()).to_attribute(context);
            let limits: Vec<_> = limits.iter().map(|limit| limit.unwrap_or(none)).collect();
            copy.set_attr(LIMIT, array(context, &limits));
        }
        op.erase();
    }
}

/// Whether nothing reads a buffer, as far as its uses show.
fn is_only_written(buffer: Value<'_>) -> bool {
    buffer.uses().into_iter().all(|(user, operand)| match user.name() {
        memref::COPY | memref::STORE | affine::STORE | vector::TRANSFER_WRITE => operand == 1,
        linalg::FILL => true,
        linalg::GENERIC => !user.body(0).arg(operand).has_uses(),
        memref::SUBVIEW | memref::COLLAPSE_SHAPE | memref::EXPAND_SHAPE => {
            is_only_written(user.result(0))
        }
        _ => false,
    })
}

/// Loops over the elements of two buffers of one shape, in vectors along the innermost dimension, with these limits. `None` if no vector
/// fits.
fn copy_vectors<'c>(
    before: &Builder<'c>,
    [source, target]: [Value<'c>; 2],
    limits: &[Option<Attribute<'c>>],
    options: &Options,
) -> Option<()> {
    let shape = target.ty().shape().filter(|shape| shape.len() == limits.len())?;
    let element = target.ty().element();
    let bits = u32::try_from(element.byte_width()? * 8).ok()?;
    let (unit, step) = options.target.whole_vectors(bits, *shape.last()?);
    let has_vectors = unit > 1 && (element.is_float_type() || element.is_int());
    has_vectors.then_some(())?;
    let row = AffineMap::projection(shape.len(), &[shape.len() - 1]);
    let ty = strata_ir::vector(&[unit], element);
    let padding = before.op(ub::POISON).result(element).value();
    let mut around: Vec<Value<'c>> = Vec::new();
    let mut at = *before;
    // Outside: bodies of nothing but loops and accesses may become one loop.
    let last = shape.len() - 1;
    let bounds = |(dim, size): (usize, &i64)| {
        [0, *size, if dim == last { step } else { 1 }].map(|bound| before.index(bound))
    };
    let bounds: Vec<_> = shape.iter().enumerate().map(bounds).collect();
    for (dim, bounds) in bounds.into_iter().enumerate() {
        let body = at.region(&[index(at.context)], |inside, _| {
            scf::yield_(inside, &[]).build();
        });
        let each = scf::for_(&at, bounds[0], bounds[1], bounds[2], &[], &[], body).build().op();
        if let Some(limit) = limits[dim] {
            each.set_attr(LIMIT, limit);
        }
        around.push(each.body(0).arg(0));
        at = Builder::before(at.context, each.body(0).terminator()?);
    }
    let (counter, rows) = around.split_last()?;
    for more in (0..step).step_by(usize::try_from(unit).ok()?) {
        let places = [rows, &[at.offset(*counter, more)]].concat();
        let read = vector::transfer_read(&at, source, &row, padding, &[true], ty);
        let read = read.indices(&places).value();
        let write = vector::transfer_write(&at, read, target, &row, &[true], &[]);
        write.indices(&places).build();
    }
    Some(())
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
        if copy_nest(&emit, views[0], views[1]).is_some() {
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

fn copy_nest<'c>(builder: &Builder<'c>, source: Value<'c>, target: Value<'c>) -> Option<Op<'c>> {
    let rank = source.ty().rank()?;
    let element = source.ty().element();
    let body = builder.region(&[element, element], |inside, arguments| {
        linalg::yield_(inside, &[arguments[0]]).build();
    });
    let maps = vec![AffineMap::identity(rank); 2];
    let loops = vec![linalg::IteratorType::Parallel; rank];
    let copy = linalg::generic(builder, &maps, &loops, &[], body);
    Some(copy.inputs(&[source]).outputs(&[target]).build().op())
}
