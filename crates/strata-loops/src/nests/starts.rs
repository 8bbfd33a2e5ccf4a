//! Accumulators that start from one number take it, instead of reading it from a buffer that was filled with it before.
//!
//! ```mlir
//! affine.for %i = 0 to 128 { affine.store %zero, %acc[%i] : memref<128xf32> }
//! affine.for %i = 0 to 128 {
//!   %start = affine.load %acc[%i] : memref<128xf32>
//!   %sum = affine.for %k = 0 to 3 iter_args(%a = %start) -> (f32) { … }
//!   affine.store %sum, %acc[%i] : memref<128xf32>
//! }
//! ```
//! becomes
//! ```mlir
//! affine.for %i = 0 to 128 {
//!   %sum = affine.for %k = 0 to 3 iter_args(%a = %zero) -> (f32) { … }
//!   affine.store %sum, %acc[%i] : memref<128xf32>
//! }
//! ```
//! An output of a program for sizes up to bounds that is not read is written where the caller has it. Allocations are still distinct here.

use strata_ir::{AffineExpr, AffineMap, Op, TypeExt as _, Value, affine, scf};

use super::{accumulators::origin, is_outside, is_view};

/// A nest that fills a whole buffer.
struct Fill<'c> {
    nest: Op<'c>,
    store: Op<'c>,
    number: Value<'c>,
    buffer: Value<'c>,
}

/// Gives accumulators in `entry` their first numbers.
pub fn take_numbers(entry: Op<'_>) {
    let fills: Vec<_> =
        entry.collect(|op| op.is(affine::FOR)).into_iter().filter_map(Fill::of).collect();
    for fill in fills {
        let Some(loads) = fill.loads() else { continue };
        for load in loads {
            load.result(0).replace_all_uses_with(fill.number);
            load.erase();
        }
        fill.nest.erase();
    }
}

impl<'c> Fill<'c> {
    fn of(nest: Op<'c>) -> Option<Self> {
        let (mut loops, mut last) = (vec![nest], nest);
        let store = loop {
            match last.body(0).ops()[..] {
                [inner, _] if inner.is(affine::FOR) => {
                    loops.push(inner);
                    last = inner;
                }
                [store, _] if store.is(affine::STORE) => break store,
                _ => return None,
            }
        };
        let (number, buffer) = (store.operand(0), store.operand(1));
        let has_results = loops.iter().any(|each| each.result_count() > 0);
        (!has_results && is_outside(number, nest) && are_all(store, &loops)).then_some(())?;
        Some(Self { nest, store, number, buffer })
    }

    /// The reads of what was filled, if the next nest with the buffer, or with a view of the same memory, reads and writes each element once.
    fn loads(&self) -> Option<Vec<Op<'c>>> {
        let block = self.nest.block()?;
        let ops = block.ops();
        let place = |user: Op<'c>| {
            let mut around = std::iter::successors(Some(user), |op| op.parent());
            let top = around.find(|op| op.block() == Some(block))?;
            ops.iter().position(|op| *op == top)
        };
        let own = place(self.nest)?;
        let mut users = accesses(origin(self.buffer)?)?;
        users.retain(|user| *user != self.store);
        let places = users.iter().map(|user| place(*user)).collect::<Option<Vec<_>>>()?;
        let next = places.iter().copied().filter(|at| *at >= own).min()?;
        let inside = users.iter().zip(&places).filter(|(_, at)| **at == next);
        let (stores, loads): (Vec<_>, Vec<_>) =
            inside.map(|(user, _)| *user).partition(|user| user.is(affine::STORE));
        let ([store], nest) = (&stores[..], ops[next]) else { return None };
        (store.operand(1) == self.buffer).then_some(())?;
        let own = store.block()?.ops();
        let at = own.iter().position(|op| op == store)?;
        let is_start = |load: &Op<'c>| {
            load.is(affine::LOAD)
                && load.operand(0) == self.buffer
                && own[..at].contains(load)
                && load.attr("map") == store.attr("map")
                && load.operands()[1..] == store.operands()[2..]
                && load.result(0).ty() == self.number.ty()
        };
        let mut loops = Vec::new();
        let mut around = store.parent()?;
        loop {
            loops.push(around);
            if around == nest {
                break;
            }
            around = around.parent()?;
        }
        (!loads.is_empty() && loads.iter().all(is_start) && are_all(*store, &loops))
            .then_some(loads)
    }
}

/// What uses a buffer or a view of it, but views; `None` where the buffer becomes another value, as in a loop that carries it.
fn accesses<'c>(buffer: Value<'c>) -> Option<Vec<Op<'c>>> {
    let mut found = Vec::new();
    for (user, _) in buffer.uses() {
        if is_view(user) {
            found.extend(accesses(user.result(0))?);
            continue;
        }
        let passes =
            user.is(scf::YIELD) || user.results().iter().any(|result| result.ty().is_memref_type());
        (!passes).then_some(())?;
        found.push(user);
    }
    Some(found)
}

/// Whether a store writes each element of its buffer in one iteration of these loops.
fn are_all<'c>(store: Op<'c>, loops: &[Op<'c>]) -> bool {
    let operands = store.operands();
    let Some(map) = store.attr("map").and_then(AffineMap::of) else { return false };
    let counter = |index: &AffineExpr| operands.get(2 + index.as_dim()?).copied();
    let Some(counters) = map.results.iter().map(counter).collect::<Option<Vec<_>>>() else {
        return false;
    };
    let shape = operands[1].ty().shape().unwrap_or_default();
    let is_whole = |each: &Op<'c>| {
        let extent = extent(*each);
        let at = each.body(0).arg(0);
        let mut dims = counters.iter().zip(&shape).filter(|(counter, _)| **counter == at);
        dims.next().is_some_and(|(_, size)| Some(*size) == extent)
    };
    counters.len() == loops.len() && shape.len() == loops.len() && loops.iter().all(is_whole)
}

/// How often a loop runs that counts from 0 on by 1.
fn extent(each: Op<'_>) -> Option<i64> {
    let own = each.cast::<affine::For>().filter(|own| own.step() == Some(1))?;
    let constant = |map: AffineMap| match &map.results[..] {
        [only] => only.as_constant(),
        _ => None,
    };
    constant(own.upper_bound_map()?).filter(|_| own.lower_bound_map().and_then(constant) == Some(0))
}
