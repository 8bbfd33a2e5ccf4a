//! Whether the iterations of a loop may run concurrently and in any order.
//!
//! They may if each buffer that one of them writes is private (allocated in the iteration), or is partitioned along one
//! dimension, or along its memory, such that an iteration only accesses its own part. This is proved from the accesses alone,
//! whatever schedule created the loop.

use strata_ir::{
    AffineMap, AttributeExt as _, DYNAMIC, Op, Type, TypeExt as _, Value, WalkOrder, affine,
    memref, memref_layout, vector,
};

use super::ranges::{Range, Ranges};
use crate::nests::accumulators::{is_view, origin};

/// An access to a buffer from outside of the loop.
pub struct Access<'c> {
    /// The allocation, argument or constant.
    pub root: Value<'c>,
    /// The view of it.
    pub ty: Type<'c>,
    pub is_write: bool,
    /// The range accessed in each dimension; `None` if unknown.
    pub touched: Vec<Option<Range<'c>>>,
}

/// Whether the iterations of the loop `nest`, `step` apart, share no element that one of them writes.
pub fn trips_are_disjoint<'c>(nest: Op<'c>, step: i64) -> bool {
    let Some(accesses) = accesses(nest) else { return false };
    let mut written: Vec<Value<'c>> = Vec::new();
    for access in accesses.iter().filter(|access| access.is_write) {
        if !written.contains(&access.root) {
            written.push(access.root);
        }
    }
    written.into_iter().all(|root| {
        let own: Vec<&Access<'c>> = accesses.iter().filter(|one| one.root == root).collect();
        is_cut_along_a_dimension(&own, step) || is_cut_in_memory(&own, step)
    })
}

/// Whether a dimension of the buffer is partitioned.
fn is_cut_along_a_dimension(accesses: &[&Access<'_>], step: i64) -> bool {
    let Some((first, rest)) = accesses.split_first() else { return true };
    if rest.iter().any(|one| one.ty != first.ty) || !is_injective(first.ty) {
        return false;
    }
    (0..first.touched.len()).any(|dim| {
        let all: Option<Vec<_>> = accesses.iter().map(|one| one.touched[dim].as_ref()).collect();
        all.is_some_and(|all| are_apart(&all, step))
    })
}

/// Whether the memory between the first and the last element that an iteration accesses is its own.
fn is_cut_in_memory(accesses: &[&Access<'_>], step: i64) -> bool {
    let flat: Option<Vec<_>> = accesses.iter().map(|one| in_memory(one)).collect();
    flat.is_some_and(|flat| are_apart(&flat.iter().collect::<Vec<_>>(), step))
}

/// The elements from the start of the buffer.
fn in_memory<'c>(access: &Access<'c>) -> Option<Range<'c>> {
    let (strides, offset) = memref_layout(access.ty)?;
    if offset < 0 || strides.iter().any(|stride| *stride < 0) {
        return None;
    }
    let mut sum: Option<Range<'c>> = None;
    for (touched, stride) in access.touched.iter().zip(strides) {
        let part = touched.as_ref()?.times(stride)?;
        sum = Some(match sum {
            Some(sum) => sum.sum(&part)?,
            None => part,
        });
    }
    let mut sum = sum?;
    sum.low = sum.low.checked_add(offset)?;
    sum.high = sum.high.checked_add(offset)?;
    Some(sum)
}

/// Whether ranges advance with the loop, by more than their combined length.
fn are_apart(ranges: &[&Range<'_>], step: i64) -> bool {
    let Some((first, rest)) = ranges.split_first() else { return true };
    if !rest.iter().all(|one| one.moves_with(first)) {
        return false;
    }
    let low = ranges.iter().map(|one| one.low).min().unwrap_or(0);
    let high = ranges.iter().map(|one| one.high).max().unwrap_or(0);
    let length = high.checked_sub(low).and_then(|length| length.checked_add(1));
    let way = first.trip.checked_mul(step).map(i64::abs);
    matches!((length, way), (Some(length), Some(way)) if way >= length)
        || strata_ir::planted("tasks-apart")
}

/// Whether different indices are different elements.
pub fn is_injective(ty: Type<'_>) -> bool {
    let (Some((strides, _)), Some(shape)) = (memref_layout(ty), ty.shape()) else { return false };
    let mut dims: Vec<_> = strides.into_iter().zip(shape).filter(|(_, size)| *size != 1).collect();
    dims.sort_unstable();
    let mut reach = 1;
    dims.into_iter().all(|(stride, size)| {
        let fits = size >= 0 && stride >= reach;
        reach = stride.saturating_mul(size.max(1));
        fits
    })
}

/// The accesses to buffers from outside; `None` if something in the loop is unknown.
fn accesses<'c>(nest: Op<'c>) -> Option<Vec<Access<'c>>> {
    let mut ranges = Ranges::new(nest);
    let mut found = Some(Vec::new());
    nest.walk(WalkOrder::Pre, &mut |op| {
        if op == nest {
            return;
        }
        if let Some(all) = &mut found
            && look_at(op, Some(nest), &mut ranges, all).is_none()
        {
            found = None;
        }
    });
    found
}

/// Adds the accesses of an operation to buffers from outside of `nest`, if there is one; `None` if the operation is unknown.
pub fn look_at<'c>(
    op: Op<'c>,
    nest: Option<Op<'c>>,
    ranges: &mut Ranges<'c>,
    found: &mut Vec<Access<'c>>,
) -> Option<()> {
    let (buffer, is_write) = match op.name() {
        affine::LOAD | memref::LOAD | vector::TRANSFER_READ | vector::LOAD => (0, false),
        affine::STORE | memref::STORE | vector::TRANSFER_WRITE | vector::STORE => (1, true),
        vector::GATHER | vector::MASKEDLOAD => (0, false),
        memref::ALLOC | memref::PREFETCH | memref::DIM | memref::GET_GLOBAL => return Some(()),
        memref::COPY => {
            for (index, is_write) in [(0, false), (1, true)] {
                let buffer = op.operand(index);
                let touched = vec![None; buffer.ty().rank()?];
                let (root, touched) = in_whole(buffer, touched, ranges)?;
                add(found, nest, Access { root, ty: root.ty(), is_write, touched })?;
            }
            return Some(());
        }
        _ if is_view(op) => return Some(()),
        _ => {
            // Operations that may have other effects than on their results and buffer operands.
            let is_pure = matches!(
                op.dialect(),
                "arith"
                    | "math"
                    | "narrow"
                    | "vector"
                    | "scf"
                    | "affine"
                    | "index"
                    | "complex"
                    | "ub"
            );
            let buffers = op.operands().into_iter().chain(op.results());
            return (is_pure && !buffers.into_iter().any(|one| one.ty().is_memref_type()))
                .then_some(());
        }
    };
    let buffer = op.operand(buffer);
    let rank = buffer.ty().rank()?;
    let touched = match op.name() {
        vector::GATHER | vector::MASKEDLOAD => vec![None; rank],
        _ => touched(op, buffer, usize::from(is_write) + 1, rank, ranges),
    };
    let (root, touched) = in_whole(buffer, touched, ranges)?;
    add(found, nest, Access { root, ty: root.ty(), is_write, touched })
}

/// What `buffer` is a slice of, and the ranges accessed in that.
fn in_whole<'c>(
    mut buffer: Value<'c>,
    mut touched: Vec<Option<Range<'c>>>,
    ranges: &mut Ranges<'c>,
) -> Option<(Value<'c>, Vec<Option<Range<'c>>>)> {
    while let Some(slice) = buffer.owner().filter(|owner| owner.is(memref::SUBVIEW)) {
        let numbers = |name: &str| slice.attr(name)?.as_i64s();
        let (offsets, sizes) = (numbers("static_offsets")?, numbers("static_sizes")?);
        let strides = numbers("static_strides")?;
        if sizes.iter().chain(&strides).any(|one| *one == DYNAMIC) {
            return Some((buffer, touched));
        }
        // Dimensions of size 1 may be left out.
        let own = buffer.ty().shape()?.into_iter().zip(touched);
        let mut own = own.filter(|(size, _)| *size != 1).map(|(_, touched)| touched);
        let mut dynamic = slice.operands().into_iter().skip(1);
        let mut whole = Vec::with_capacity(sizes.len());
        for ((offset, size), stride) in offsets.into_iter().zip(sizes).zip(strides) {
            let start = match offset == DYNAMIC {
                true => ranges.of(dynamic.next()?),
                false => Some(Range::number(offset)),
            };
            let inside = match size {
                1 => Range::number(0),
                _ => own.next()?.unwrap_or_else(|| Range::between(0, size - 1)).times(stride)?,
            };
            whole.push(start.and_then(|start| start.sum(&inside)));
        }
        (buffer, touched) = (slice.operand(0), whole);
    }
    Some((buffer, touched))
}

/// Adds an access, unless the buffer is private to the iteration.
fn add<'c>(found: &mut Vec<Access<'c>>, nest: Option<Op<'c>>, access: Access<'c>) -> Option<()> {
    let root = origin(access.root)?;
    let Some(nest) = nest else {
        found.push(Access { root, ..access });
        return Some(());
    };
    let is_own = root.owner().is_some_and(|owner| nest.encloses(owner));
    if is_own {
        // Loop-carried buffers are not tracked.
        return root.owner().is_some_and(|owner| owner.is(memref::ALLOC)).then_some(());
    }
    if root.block_arg().and_then(|(block, _)| block.parent_op()).is_some_and(|op| nest.encloses(op))
    {
        return None;
    }
    found.push(Access { root, ..access });
    Some(())
}

/// The range of an access in each dimension of its buffer.
fn touched<'c>(
    op: Op<'c>,
    buffer: Value<'c>,
    first: usize,
    rank: usize,
    ranges: &mut Ranges<'c>,
) -> Vec<Option<Range<'c>>> {
    let operands = op.operands();
    let mut touched: Vec<Option<Range<'c>>> = match op.dialect() {
        "affine" => {
            let map = op.attr("map").and_then(AffineMap::of);
            let Some(map) = map.filter(|map| map.results.len() == rank) else {
                return vec![None; rank];
            };
            let indices = &operands[first..];
            map.results.iter().map(|one| ranges.computed(one, map.dims, indices)).collect()
        }
        _ => operands.iter().skip(first).take(rank).map(|index| ranges.of(*index)).collect(),
    };
    touched.resize(rank, None);
    let vector = match op.name() {
        vector::TRANSFER_READ | vector::LOAD => Some(op.result(0).ty()),
        vector::TRANSFER_WRITE | vector::STORE => Some(op.operand(0).ty()),
        _ => None,
    };
    let Some(shape) = vector.filter(|ty| ty.is_vector_type()).and_then(|ty| ty.shape()) else {
        return touched;
    };
    let dims = match op.attr("permutation_map").and_then(AffineMap::of) {
        Some(map) => map.results,
        None => (rank.saturating_sub(shape.len())..rank).map(strata_ir::AffineExpr::Dim).collect(),
    };
    // The elements of a buffer may be vectors themselves.
    if buffer.ty().element().is_vector_type() || dims.len() != shape.len() {
        return vec![None; rank];
    }
    for (dim, length) in dims.into_iter().zip(shape) {
        if let strata_ir::AffineExpr::Dim(dim) = dim {
            let Some(own) = touched.get_mut(dim) else { return vec![None; rank] };
            *own = own.take().and_then(|range| range.extended(length - 1));
        }
    }
    touched
}
