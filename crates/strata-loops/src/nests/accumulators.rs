//! Keeps accumulators of reduction loops in registers.
//!
//! Before:
//! ```mlir
//! affine.for %k = 0 to 9 {
//!   %x = affine.load %m[%i, %k] : memref<5x9xf32>
//!   %a = affine.load %acc[%i] : memref<5xf32>
//!   %s = arith.addf %a, %x : f32
//!   affine.store %s, %acc[%i] : memref<5xf32>
//! }
//! ```
//! After:
//! ```mlir
//! %start = affine.load %acc[%i] : memref<5xf32>
//! %sum = affine.for %k = 0 to 9 iter_args(%a = %start) -> (f32) {
//!   %x = affine.load %m[%i, %k] : memref<5x9xf32>
//!   %s = arith.addf %a, %x : f32
//!   affine.yield %s : f32
//! }
//! affine.store %sum, %acc[%i] : memref<5xf32>
//! ```
//! This is done here because allocations are still distinct: in the arena every buffer is part of
//! one, and LLVM can no longer prove that the store does not change `%m`.

use strata_ir::{Builder, Context, Op, TypeExt as _, Value, View as _, affine, func, memref, scf};

/// One accumulator of a loop: its store, and the loads of the same element.
struct Accumulator<'c> {
    store: Op<'c>,
    loads: Vec<Op<'c>>,
}

/// Moves the accumulators of every affine loop in `root` to registers.
pub fn promote<'c>(context: &'c Context, root: Op<'c>) {
    // Inner loops first: what is hoisted from them may be hoisted from outer loops, too.
    let mut loops = root.collect(|op| op.is(affine::FOR) && op.result_count() == 0);
    loops.reverse();
    for nest in loops {
        if let Some(accumulators) = accumulators(nest)
            && !accumulators.is_empty()
        {
            rebuild(context, nest, &accumulators);
        }
    }
}

/// The accumulators of a loop; `None` if something in it may access any buffer.
fn accumulators<'c>(nest: Op<'c>) -> Option<Vec<Accumulator<'c>>> {
    let mut accesses = Vec::new();
    for op in nest.collect(|op| op != nest) {
        match op.name() {
            affine::LOAD | memref::LOAD => accesses.push((op, origin(op.operand(0))?)),
            affine::STORE | memref::STORE => accesses.push((op, origin(op.operand(1))?)),
            _ if op.operands().iter().any(|one| one.ty().is_memref_type()) && !is_view(op) => {
                return None;
            }
            _ => {}
        }
    }
    let body = nest.body(0);
    let own = body.ops();
    let mut found = Vec::new();
    for (store, place) in &accesses {
        if !store.is(affine::STORE) || store.block() != Some(body) {
            continue;
        }
        let others: Vec<Op<'c>> = accesses
            .iter()
            .filter(|(op, origin)| origin == place && op != store)
            .map(|(op, _)| *op)
            .collect();
        let position = own.iter().position(|op| op == store)?;
        let before = &own[..position];
        let same_element = |load: &Op<'c>| {
            load.is(affine::LOAD)
                && before.contains(load)
                && load.attr("map") == store.attr("map")
                && load.operands() == store.operands()[1..]
        };
        let fixed = store.operands()[1..].iter().all(|value| is_outside(*value, nest))
            || strata_ir::planted("accumulators-fixed");
        let is_same = others.iter().all(same_element) || strata_ir::planted("accumulators-same");
        if fixed && !others.is_empty() && is_same {
            found.push(Accumulator { store: *store, loads: others });
        }
    }
    Some(found)
}

/// The allocation, argument or global that a buffer is part of; `None` if unknown. Different ones
/// never overlap.
pub(super) fn origin(buffer: Value<'_>) -> Option<Value<'_>> {
    let buffer = viewed(buffer);
    // Loops carry buffers of their state, all of them different allocations.
    if let Some(owner) = buffer.owner() {
        let is_own = matches!(owner.name(), memref::ALLOC | memref::GET_GLOBAL | scf::WHILE);
        return is_own.then_some(buffer);
    }
    let (block, _) = buffer.block_arg()?;
    let parent = block.parent_op()?;
    matches!(parent.name(), func::FUNC | scf::WHILE).then_some(buffer)
}

/// The buffer that `buffer` is a view of, or itself.
pub(crate) fn viewed(mut buffer: Value<'_>) -> Value<'_> {
    while let Some(owner) = buffer.owner().filter(|owner| is_view(*owner)) {
        buffer = owner.operand(0);
    }
    buffer
}

/// Whether the result of `op` is a view of its first operand.
pub(crate) fn is_view(op: Op<'_>) -> bool {
    matches!(
        op.name(),
        memref::CAST
            | memref::SUBVIEW
            | memref::EXPAND_SHAPE
            | memref::COLLAPSE_SHAPE
            | memref::REINTERPRET_CAST
            | memref::TRANSPOSE
    )
}

/// Whether a value is available before `nest`.
pub(crate) fn is_outside(value: Value<'_>, nest: Op<'_>) -> bool {
    value.home().is_some_and(|home| !nest.encloses(home))
}

fn rebuild<'c>(context: &'c Context, nest: Op<'c>, accumulators: &[Accumulator<'c>]) {
    let outside = Builder::before(context, nest);
    let Some(next) = nest.next() else { return };
    let body = nest.body(0);
    let Some(end) = body.terminator() else { return };
    let Some(own) = nest.cast::<affine::For>().filter(|own| own.inits().is_empty()) else { return };
    let (Some(lower), Some(upper), Some(step)) =
        (own.lower_bound_map(), own.upper_bound_map(), own.step())
    else {
        return;
    };

    let starts: Vec<Value<'c>> = accumulators
        .iter()
        .map(|one| outside.insert(one.loads[0].clone_detached()).result(0))
        .collect();
    let types: Vec<_> = starts.iter().map(|start| start.ty()).collect();
    let arguments = [vec![body.arg(0).ty()], types.clone()].concat();
    let region = outside.region(&arguments, |_, _| {});
    let Some(fresh) = region.first_block(context) else { return };
    let replacement = affine::for_(&outside, &lower, &upper, step, &types, region)
        .lower_bound_operands(&own.lower_bound_operands())
        .upper_bound_operands(&own.upper_bound_operands())
        .inits(&starts)
        .attrs(&nest.attrs())
        .build()
        .op();

    body.arg(0).replace_all_uses_with(fresh.arg(0));
    // The old body is moved before the new terminator, whose operands are the stored values.
    let inside = Builder::at_end(context, fresh, nest.location());
    for (index, one) in accumulators.iter().enumerate() {
        for load in &one.loads {
            load.result(0).replace_all_uses_with(fresh.arg(1 + index));
        }
    }
    let stored: Vec<Value<'c>> = accumulators.iter().map(|one| one.store.operand(0)).collect();
    let finish = affine::yield_(&inside, &stored).build().op();
    for op in body.ops() {
        if op != end {
            op.move_before(finish);
        }
    }
    let after = Builder { location: nest.location(), ..Builder::before(context, next) };
    for (index, one) in accumulators.iter().enumerate() {
        for load in &one.loads {
            load.erase();
        }
        let store = after.insert(one.store.clone_detached());
        store.set_operand(0, replacement.result(index));
        one.store.erase();
    }
    nest.erase();
}
