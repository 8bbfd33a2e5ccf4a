//! Buffer rotation (double buffering): loops permute buffers instead of copying loop-carried tensors.
//!
//! An iteration that reads the old value until the new one is complete computes the new one in another buffer. If the
//! copies at the end of an iteration are a permutation of buffers, the loop carries the buffers instead of copying.
//!
//! Before:
//! ```mlir
//! scf.while : () -> () { …; scf.condition(%go) } do {
//!   … %old … %new …
//!   memref.copy %new, %old
//!   scf.yield
//! }
//! ```
//! After:
//! ```mlir
//! %r:2 = scf.while (%a = %old, %b = %new) … { …; scf.condition(%go) %a, %b } do {
//! ^bb0(%old: memref<4xf32>, %new: memref<4xf32>):
//!   … %old … %new …
//!   scf.yield %new, %old
//! }
//! ```
//! A rotated buffer is a temporary of one block, and each loop between that block and the rotating loop carries it.

use strata_ir::{Op, Value, scf};

use super::{
    paths::Steps,
    placement::{BufferId, Placement, Storage},
    values::Values,
};

/// A buffer that a loop carries, and the one that takes its role in the next iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The buffer.
    pub buffer: BufferId,
    /// What takes its role.
    pub next: BufferId,
}

/// A loop-carried tensor whose next value is in another buffer.
#[derive(Clone, Copy)]
struct Move<'c> {
    state: Value<'c>,
    value: Value<'c>,
    to: BufferId,
    from: BufferId,
}

/// Decides which loops of `entry` rotate buffers.
pub fn choose<'c>(
    entry: Op<'c>,
    values: &Values<'c>,
    steps: &mut Steps<'c>,
    placement: &mut Placement<'c>,
) {
    // Inner loops first: outer loops carry the buffers that they rotate.
    let mut loops = entry.collect(|op| op.is(scf::WHILE));
    loops.reverse();
    for op in loops {
        let moves = chosen(op, values, steps, placement);
        rename(op, values, placement, &moves);
    }
}

/// The copies at the end of an iteration of `op` that can be rotations.
fn chosen<'c>(
    op: Op<'c>,
    values: &Values<'c>,
    steps: &mut Steps<'c>,
    placement: &mut Placement<'c>,
) -> Vec<Move<'c>> {
    let after = op.body(1);
    let yields = after.terminator().map(Op::operands).unwrap_or_default();
    let mut moves = Vec::new();
    // Loop-carried tensors that stay in their buffer.
    let mut kept = Vec::new();
    for (state, value) in op.body(0).args().into_iter().zip(yields) {
        let Some(to) = placement.place(values, steps, state) else { continue };
        let Some(from) = placement.place(values, steps, value) else {
            kept.push(to.buffer);
            continue;
        };
        if to == from {
            kept.push(to.buffer);
            continue;
        }
        let one = Move { state, value, to: to.buffer, from: from.buffer };
        match can_move(op, values, steps, placement, &one) {
            true => moves.push(one),
            false => kept.push(to.buffer),
        }
    }
    // A buffer takes one role; one that keeps its role takes no other.
    loop {
        let is_refused = |index: usize| {
            let one = &moves[index];
            let is_taken = moves[..index].iter().any(|other: &Move<'c>| other.from == one.from);
            let is_shared = moves[..index].iter().any(|other| other.to == one.to);
            is_taken
                || is_shared
                || (kept.contains(&one.from) && !strata_ir::planted("rotation-kept"))
        };
        let Some(index) = (0..moves.len()).find(|index| is_refused(*index)) else { break };
        kept.push(moves.remove(index).to);
    }
    // Types last: they change if the next value has another shape.
    let is_renaming = moves.iter().all(|one| has_same_type(values, steps, placement, one));
    // One move may have reshaped the buffer of another.
    let is_renaming =
        is_renaming && moves.iter().all(|one| is_same_path(values, steps, placement, one));
    // Moves that depend on a dropped one are dropped, too.
    if is_renaming { moves } else { Vec::new() }
}

/// Whether the loop-carried tensor and its next value have equal paths in their buffers.
fn is_same_path<'c>(
    values: &Values<'c>,
    steps: &mut Steps<'c>,
    placement: &Placement<'c>,
    one: &Move<'c>,
) -> bool {
    let state = placement.place(values, steps, one.state);
    let value = placement.place(values, steps, one.value);
    let (Some(state), Some(value)) = (state, value) else { return false };
    state.path == value.path
        && placement.buffers[one.to].tensor == placement.buffers[one.from].tensor
}

fn can_move<'c>(
    op: Op<'c>,
    values: &Values<'c>,
    steps: &mut Steps<'c>,
    placement: &Placement<'c>,
    one: &Move<'c>,
) -> bool {
    let (to, from) = (&placement.buffers[one.to], &placement.buffers[one.from]);
    if to.storage != Storage::Temporary || from.storage != Storage::Temporary || one.to == one.from
    {
        return false;
    }
    let whole = |value: Value<'c>, steps: &mut Steps<'c>| {
        let place = placement.place(values, steps, value);
        place.is_some_and(|place| steps.inverse(&place.path).is_some())
    };
    let (start, end) = values.span(op.body(1));
    let is_inner = start <= from.hull().0 && from.hull().1 <= end;
    let is_state = op.body(0).args().into_iter().any(|state| {
        let place = placement.place(values, steps, state);
        place.is_some_and(|place| place.buffer == one.from)
    });
    whole(one.state, steps)
        && whole(one.value, steps)
        && (is_inner || is_state || strata_ir::planted("rotation-outlives"))
        && can_carry(op, values, placement, one.to)
        && (is_inner || can_carry(op, values, placement, one.from))
}

/// Whether the loop `op`, and those around it up to the block of the buffer, can carry the buffer.
fn can_carry<'c>(
    op: Op<'c>,
    values: &Values<'c>,
    placement: &Placement<'c>,
    buffer: BufferId,
) -> bool {
    let Some(home) = op.block() else { return false };
    if is_within(values.span(home), placement.buffers[buffer].hull()) {
        return true;
    }
    let outer = home.parent_op().filter(|outer| outer.is(scf::WHILE) && outer.body(1) == home);
    outer.is_some_and(|outer| can_carry(outer, values, placement, buffer))
}

fn is_within(outer: (u32, u32), inner: (u32, u32)) -> bool {
    outer.0 <= inner.0 && inner.1 <= outer.1
}

/// Gives both buffers of a move the type of the loop-carried tensor, unless another move of the loop needs another shape.
fn has_same_type<'c>(
    values: &Values<'c>,
    steps: &mut Steps<'c>,
    placement: &mut Placement<'c>,
    one: &Move<'c>,
) -> bool {
    for (value, buffer) in [(one.state, one.to), (one.value, one.from)] {
        let Some(place) = placement.place(values, steps, value) else { return false };
        if place.path.is_empty() {
            continue;
        }
        if placement.buffers[buffer].rotates_in.is_some()
            || !placement.reroot(steps, buffer, &place.path, value.ty())
        {
            return false;
        }
    }
    placement.buffers[one.to].tensor == placement.buffers[one.from].tensor
}

/// Records the buffers that the loop carries: those that it rotates itself, and those that inner loops rotate.
fn rename<'c>(op: Op<'c>, values: &Values<'c>, placement: &mut Placement<'c>, moves: &[Move<'c>]) {
    let mut slots: Vec<Slot> =
        moves.iter().map(|one| Slot { buffer: one.to, next: one.from }).collect();
    let mut carried: Vec<BufferId> = slots.iter().map(|slot| slot.buffer).collect();
    for from in moves.iter().map(|one| one.from) {
        if !carried.contains(&from) {
            carried.push(from);
        }
    }
    // Buffers without a new role take the remaining ones.
    let is_left = |buffer: &BufferId| slots.iter().all(|slot| slot.next != *buffer);
    let mut left: Vec<BufferId> = carried.iter().copied().filter(is_left).collect();
    for buffer in &carried[moves.len()..] {
        let tensor = placement.buffers[*buffer].tensor;
        let Some(found) = left.iter().position(|one| placement.buffers[*one].tensor == tensor)
        else {
            return;
        };
        slots.push(Slot { buffer: *buffer, next: left.swap_remove(found) });
    }
    let inherited = inherited(op, values, placement);
    for buffer in &inherited {
        if slots.iter().all(|slot| slot.buffer != *buffer) {
            slots.push(Slot { buffer: *buffer, next: *buffer });
        }
    }
    if slots.is_empty() {
        return;
    }
    // All in one block: the loop's result for one buffer may be the initial memory of another.
    let mut home = home(op, values, placement, &slots);
    let is_elsewhere =
        |slot: &Slot| placement.buffers[slot.buffer].rotates_in.is_some_and(|other| other != home);
    if slots.iter().any(is_elsewhere) {
        // Another loop's rotation would have to move as well: this one copies.
        slots = inherited.into_iter().map(|buffer| Slot { buffer, next: buffer }).collect();
        home = self::home(op, values, placement, &slots);
    }
    for slot in &slots {
        let buffer = &mut placement.buffers[slot.buffer];
        let is_wider = buffer.rotates_in.is_none_or(|own| is_within(home, own));
        if is_wider {
            buffer.rotates_in = Some(home);
        }
    }
    if !slots.is_empty() {
        placement.rotations.insert(op, slots);
    }
}

/// The points of the innermost block around `op` in which all of the buffers are.
fn home<'c>(
    op: Op<'c>,
    values: &Values<'c>,
    placement: &Placement<'c>,
    slots: &[Slot],
) -> (u32, u32) {
    let span = op.block().map_or((0, u32::MAX), |home| values.span(home));
    let body = op.body(1);
    let is_here = |slot: &Slot| {
        let buffer = &placement.buffers[slot.buffer];
        let own = buffer.rotates_in.filter(|own| !is_within(values.span(body), *own));
        is_within(span, own.unwrap_or_else(|| buffer.hull()))
    };
    let outer = op.block().and_then(|home| home.parent_op()).filter(|outer| outer.is(scf::WHILE));
    match outer {
        Some(outer) if !slots.iter().all(is_here) => home(outer, values, placement, slots),
        _ => span,
    }
}

/// The buffers that loops in the body of `op` rotate and that are live longer than an iteration.
fn inherited<'c>(op: Op<'c>, values: &Values<'c>, placement: &Placement<'c>) -> Vec<BufferId> {
    let body = op.body(1);
    let mut found = Vec::new();
    for inner in body.ops().into_iter().filter(|inner| inner.is(scf::WHILE)) {
        for slot in placement.rotations.get(&inner).into_iter().flatten() {
            let home = placement.buffers[slot.buffer].rotates_in;
            let is_outside = home.is_none_or(|home| !is_within(values.span(body), home));
            if is_outside && !found.contains(&slot.buffer) {
                found.push(slot.buffer);
            }
        }
    }
    found
}
