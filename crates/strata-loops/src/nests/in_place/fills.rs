//! Outputs that are filled whole with one value: a loop over all elements, since rows follow each other where the caller has them.
//!
//! ```mlir
//! scf.for %i = %c0 to %c130 step %c1 {
//!   scf.for %j = %c0 to %c130 step %c1 {
//!     memref.store %zero, %y[%i, %j] : memref<?x?xf32>
//!   } {strata.limit = affine_map<(d0) -> (d0 + 2)>}
//! } {strata.limit = affine_map<(d0) -> (d0 + 2)>}
//! ```
//! becomes
//! ```mlir
//! %n = arith.muli %rows, %columns
//! %all = memref.view %output[%c0][%n] : memref<?xi8> to memref<?xf32>
//! scf.for %i = %c0 to %n step %c1 {
//!   memref.store %zero, %all[%i] : memref<?xf32>
//! }
//! ```
//! LLVM makes vectors of the loop, or one call of `memset` instead of one for each row.

use strata_ir::{
    AffineMap, BLOCKS, Builder, Context, DYNAMIC, LIMIT, Op, TASKS, TypeExt as _, Value, affine,
    arith, index, memref, scf,
};

use crate::nests::counted::Counted;

/// Makes one loop of each nest of `entry` that fills a whole view.
pub fn flatten<'c>(context: &'c Context, entry: Op<'c>) {
    for store in entry.collect(|op| op.is(memref::STORE)) {
        fill(context, store);
    }
}

fn fill<'c>(context: &'c Context, store: Op<'c>) -> Option<()> {
    let (value, buffer) = (store.operand(0), store.operand(1));
    let view = buffer.owner().filter(|owner| owner.is(memref::VIEW))?;
    let shape = buffer.ty().shape().filter(|shape| shape.len() > 1)?;
    let nest = nest(store, &shape, view)?;
    let is_inside = value.owner().is_some_and(|owner| nest.encloses(owner));
    (!is_inside && value.block_arg().is_none()).then_some(())?;
    let before = Builder { location: nest.location(), ..Builder::before(context, nest) };
    let known: i64 = shape.iter().filter(|size| **size != DYNAMIC).product();
    let sizes = view.operands().into_iter().skip(2);
    let all = sizes.reduce(|one, by| before.same(arith::MULI, &[one, by]))?;
    let all = if known == 1 { all } else { before.same(arith::MULI, &[all, before.index(known)]) };
    let ty = strata_ir::memref(&[DYNAMIC], buffer.ty().element());
    let flat = memref::view(&before, view.operand(0), view.operand(1), &[all], ty).value();
    let body = before.region(&[index(context)], |inside, at| {
        inside.op(memref::STORE).operands(&[value, flat, at[0]]).build();
        scf::yield_(inside, &[]).build();
    });
    scf::for_(&before, before.index(0), all, before.index(1), &[], &[], body).build();
    nest.erase();
    Some(())
}

/// The loops that do nothing but this store, to all elements of a view that are the caller's.
fn nest<'c>(store: Op<'c>, shape: &[i64], view: Op<'c>) -> Option<Op<'c>> {
    let indices = store.operands().split_off(2);
    let mut sizes: Vec<Value<'c>> = view.operands().split_off(2);
    let mut inner = store;
    for (length, at) in shape.iter().zip(indices).rev() {
        let each = Counted::of(inner.parent()?)?;
        let is_free =
            |op: &Op<'c>| *op == inner || matches!(op.name(), arith::CONSTANT | scf::YIELD);
        let is_plain = !each.op.has_attr(TASKS)
            && !each.op.has_attr(BLOCKS)
            && each.op.result_count() == 0
            && each.body().ops().iter().all(is_free);
        let limit = each.op.attr(LIMIT);
        let is_whole = match *length {
            DYNAMIC => {
                let size = sizes.pop()?.owner().filter(|size| size.is(affine::APPLY))?;
                limit.is_some()
                    && limit.and_then(AffineMap::of) == size.attr("map").and_then(AffineMap::of)
            }
            length => limit.is_none() && each.last == length,
        };
        ((each.first, each.step) == (0, 1) && is_plain && is_whole && at == each.counter())
            .then_some(())?;
        inner = each.op;
    }
    Some(inner)
}
