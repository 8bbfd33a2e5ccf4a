//! Numbers that a loop reads at one place in all iterations, and does not write: they are read before it.
//!
//! ```mlir
//! scf.for %j = %c0 to %c64 step %c1 {                  // copies row %p of a table
//!   %p = memref.load %places[%i] : memref<24xi32>
//!   …
//!   memref.store %e, %rows[%i, %j] : memref<24x64xf32>
//! }
//! ```
//! becomes
//! ```mlir
//! %p = memref.load %places[%i] : memref<24xi32>
//! scf.for %j = %c0 to %c64 step %c1 { … }
//! ```
//! `%places` and `%rows` are temporaries in one workspace, of which LLVM does not know that they are apart: it would read the place
//! again for each element, and copy one element after the other.

use std::ops::Range;

use rustc_hash::FxHashMap;
use strata_ir::{
    Builder, Context, DYNAMIC, Op, TypeExt as _, Value, constant_index, func, memref, scf, vector,
};

/// Moves such reads of `function` before the loops.
pub fn hoist<'c>(context: &'c Context, function: Op<'c>) {
    // Inner ones first: what leaves them may leave the loops around.
    for each in function.collect(|op| op.is(scf::FOR)).into_iter().rev() {
        let bounds = [0, 1].map(|at| constant_index(each.operand(at)));
        // Without iterations nothing is read.
        if matches!(bounds, [Some(first), Some(end)] if first < end) {
            hoist_from(context, each);
        }
    }
}

fn hoist_from<'c>(context: &'c Context, each: Op<'c>) -> Option<()> {
    let ops = each.body(0).ops();
    let is_outside = |value: Value<'c>| {
        let home = value.owner().or_else(|| value.block_arg()?.0.parent_op());
        home.is_some_and(|home| home != each && !each.encloses(home))
    };
    let is_same = |op: &Op<'c>| op.is(memref::LOAD) && op.operands().into_iter().all(is_outside);
    let reads: Vec<_> = ops.into_iter().filter(is_same).collect();
    if reads.is_empty() {
        return None;
    }
    let written = written(each)?;
    for read in reads {
        let own = Place::of(read.operand(0));
        // LLVM knows that arguments are apart.
        let is_hidden = written.iter().any(|other| own.buffer == other.buffer);
        if is_hidden && written.iter().all(|other| own.is_apart(other)) {
            let copy = Builder { location: read.location(), ..Builder::before(context, each) }
                .copy(read, &mut FxHashMap::default());
            read.result(0).replace_all_uses_with(copy.result(0));
            read.erase();
        }
    }
    Some(())
}

/// What the operations in a loop may write; `None` if that is not known.
fn written<'c>(each: Op<'c>) -> Option<Vec<Place<'c>>> {
    let mut found = Vec::new();
    for op in each.collect(|op| op != each) {
        let buffers: Vec<_> =
            op.operands().into_iter().filter(|value| value.ty().is_memref_type()).collect();
        match op.name() {
            func::CALL => return None,
            _ if buffers.is_empty() => {}
            memref::LOAD | vector::LOAD | vector::MASKEDLOAD | vector::TRANSFER_READ => {}
            memref::STORE | vector::STORE | vector::MASKEDSTORE | vector::TRANSFER_WRITE => {
                found.extend(buffers.into_iter().map(Place::of));
            }
            _ => return None,
        }
    }
    Some(found)
}

/// Memory that an access may be of.
struct Place<'c> {
    buffer: Value<'c>,
    /// The bytes of it, where these are known.
    bytes: Option<Range<i64>>,
}

impl<'c> Place<'c> {
    fn of(buffer: Value<'c>) -> Self {
        let whole = Self { buffer, bytes: None };
        let Some(view) = buffer.owner().filter(|owner| owner.is(memref::VIEW)) else {
            return whole;
        };
        let bytes = || {
            let start = constant_index(view.operand(1))?;
            let shape = buffer.ty().shape().filter(|shape| !shape.contains(&DYNAMIC))?;
            let width = i64::try_from(buffer.ty().element().byte_width()?).ok()?;
            let count = shape.iter().try_fold(width, |all, size| all.checked_mul(*size))?;
            Some(start..start.checked_add(count)?)
        };
        Self { buffer: view.operand(0), bytes: bytes() }
    }

    /// Whether no byte is of both. Arguments do not overlap.
    fn is_apart(&self, other: &Self) -> bool {
        let is_argument = |value: Value<'c>| {
            value
                .block_arg()
                .and_then(|(block, _)| block.parent_op())
                .is_some_and(|op| op.is(func::FUNC))
        };
        if self.buffer != other.buffer {
            return is_argument(self.buffer) && is_argument(other.buffer);
        }
        match (&self.bytes, &other.bytes) {
            (Some(own), Some(other)) => own.end <= other.start || other.end <= own.start,
            _ => false,
        }
    }
}
