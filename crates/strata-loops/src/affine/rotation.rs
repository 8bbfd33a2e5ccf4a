//! Buffers change roles from trip to trip, so that no trip copies the state of its loop.
//!
//! A trip that needs the old state until the new one is there writes the new one to another buffer. The loop carries
//! which buffer is which; what was the old state is what the next trip may write to.
//!
//! Before:
//! ```mlir
//! scf.while : () -> () { …; scf.condition(%go) } do {
//!   %new = memref.alloc() : memref<4xf32>
//!   … %place … %new …
//!   memref.copy %new, %place {strata.state}
//!   scf.yield
//! }
//! ```
//! After (uses of `%place` behind the loop become `%r#0`):
//! ```mlir
//! %new = memref.alloc() : memref<4xf32>
//! %r:2 = scf.while (%a = %place, %b = %new) … { …; scf.condition(%go) %a, %b } do {
//! ^bb0(%old: memref<4xf32>, %next: memref<4xf32>):
//!   … %old … %next …
//!   scf.yield %next, %old
//! }
//! ```
//! Loops carry no other buffers than these, and the buffers of a loop are always different ones, in another order.

use std::collections::HashMap;

use strata_ir::{Block, Builder, Context, Op, RegionBuilder, TypeExt as _, Value, memref};

use super::{
    accumulators::{is_view, may_lie_in, viewed},
    branches,
    carried::follows,
    state::{STATE, allocate},
};

/// A copy at the end of a trip that writes a state.
#[derive(Clone, Copy)]
pub(super) struct Write<'c> {
    /// The copy.
    pub copy: Op<'c>,
    /// The buffer that it writes, or a view of which it writes.
    pub place: Value<'c>,
}

impl<'c> Write<'c> {
    /// What it copies.
    pub fn source(self) -> Value<'c> {
        self.copy.operand(0)
    }
}

/// Lets the loops in `entry` hand their buffers on instead of copying them.
pub fn rotate<'c>(context: &'c Context, entry: Op<'c>) {
    // Inner loops first: what they hand on is what the loops around them carry.
    let mut loops = entry.collect(|op| op.is("scf.while"));
    loops.reverse();
    for op in loops {
        let body = op.body(1);
        branches::settle(context, body);
        reuse_places(body);
        for copy in writes(body).iter().map(|write| write.copy) {
            unwrap(context, body, copy);
        }
        let Some(turn) = turn(op, &writes(body)) else {
            finish(context, body);
            continue;
        };
        let op = carry(context, op, &turn);
        finish(context, op.body(1));
    }
}

/// The copies at the end of the trip that `body` is.
pub(super) fn writes<'c>(body: Block<'c>) -> Vec<Write<'c>> {
    let copies = body.ops().into_iter().filter(|op| op.is("memref.copy") && op.has_attr(STATE));
    copies.map(|copy| Write { copy, place: viewed(copy.operand(1)) }).collect()
}

/// Computes a state in its own place where nothing reads the old one by then.
fn reuse_places<'c>(body: Block<'c>) {
    let Some(end) = body.terminator() else { return };
    for Write { copy, place } in writes(body) {
        let source = copy.operand(0);
        if source != copy.operand(1)
            && copy.operand(1) == place
            && follows(source, place, end, copy)
        {
            let owner = source.owner();
            source.replace_all_uses_with(place);
            owner.into_iter().for_each(Op::erase);
        }
        if copy.operand(0) == copy.operand(1) {
            copy.erase();
        }
    }
}

/// Gives a new buffer that is copied to a reshaped place the shape of the place.
fn unwrap<'c>(context: &'c Context, body: Block<'c>, copy: Op<'c>) {
    let (source, target) = (copy.operand(0), copy.operand(1));
    let mut chain = Vec::new();
    let mut place = target;
    while let Some(view) = place.owner().filter(|owner| is_view(*owner)) {
        if !matches!(view.name(), "memref.expand_shape" | "memref.collapse_shape") {
            return;
        }
        chain.push(view);
        place = view.operand(0);
    }
    let Some(owner) = fresh(source, body).filter(|_| !chain.is_empty()) else { return };
    if source.ty() != target.ty() {
        return;
    }
    let builder = Builder::before(context, owner);
    let plain = allocate(&builder, place.ty());
    let mut value = plain;
    for view in chain.into_iter().rev() {
        let again = builder.insert(view.clone_detached());
        again.set_operand(0, value);
        value = again.result(0);
    }
    source.replace_all_uses_with(value);
    owner.erase();
    copy.set_operand(0, plain);
    copy.set_operand(1, place);
}

/// The allocation in `body` that `value` is.
fn fresh<'c>(value: Value<'c>, body: Block<'c>) -> Option<Op<'c>> {
    let owner = value.owner().filter(|owner| owner.is("memref.alloc"))?;
    (owner.block() == Some(body) && owner.operand_count() == 0).then_some(owner)
}

/// Buffers that a loop carries from now on.
struct Turn<'c> {
    /// What the loop starts with: places, then buffers that its body allocated.
    buffers: Vec<Value<'c>>,
    /// What a trip hands on for each of them.
    next: Vec<Value<'c>>,
    /// The copies that are not needed then.
    copies: Vec<Op<'c>>,
}

/// How the buffers of the loop `op` can change roles; `None` where no copy would go away.
fn turn<'c>(op: Op<'c>, writes: &[Write<'c>]) -> Option<Turn<'c>> {
    let body = op.body(1);
    let places: Vec<_> = writes.iter().map(|write| write.place).collect();
    let groups: Vec<_> = writes
        .iter()
        .map(|write| {
            let is_whole = write.copy.operand(1) == write.place
                && write.source().ty() == write.place.ty()
                && may_turn(op, write.place);
            group(write.source(), body, &places).filter(|_| is_whole)
        })
        .collect();
    let mut turns: Vec<_> = groups.iter().map(Option::is_some).collect();
    // A place that stays what it is cannot be handed on, and nothing can be handed on twice.
    loop {
        let stays = |index: usize| {
            let stays = |base: &Value<'c>| {
                (0..writes.len()).any(|other| places[other] == *base && !turns[other])
            };
            let source = writes[index].source();
            let twice = (0..index).any(|other| turns[other] && writes[other].source() == source);
            twice || groups[index].iter().flatten().any(stays)
        };
        let Some(index) = (0..writes.len()).find(|index| turns[*index] && stays(*index)) else {
            break;
        };
        turns[index] = false;
    }
    let chosen: Vec<_> = (0..writes.len()).filter(|index| turns[*index]).collect();
    let mut buffers: Vec<_> = chosen.iter().map(|index| places[*index]).collect();
    let mut next: Vec<_> = chosen.iter().map(|index| writes[*index].source()).collect();
    for base in chosen.iter().flat_map(|index| groups[*index].iter().flatten()) {
        if !buffers.contains(base) {
            buffers.push(*base);
        }
    }
    let mut left: Vec<_> = buffers.iter().map(|base| latest(*base, body)).collect();
    for value in &next {
        left.swap_remove(left.iter().position(|one| one == value)?);
    }
    for base in &buffers[chosen.len()..] {
        let found = left.iter().position(|one| one.ty() == base.ty())?;
        next.push(left.swap_remove(found));
    }
    let copies = chosen.iter().map(|index| writes[*index].copy).collect();
    (!chosen.is_empty()).then_some(Turn { buffers, next, copies })
}

/// Whether what follows the loop `op` can be told that the place is another buffer by then: an allocation beside
/// the loop, or the place of a state of the loop around it, which is told in its turn.
fn may_turn<'c>(op: Op<'c>, place: Value<'c>) -> bool {
    let Some(owner) = place.owner().filter(|owner| owner.is("memref.alloc")) else { return false };
    let Some(home) = op.block() else { return false };
    let outer = home.parent_op().filter(|outer| outer.is("scf.while") && outer.body(1) == home);
    owner.block() == Some(home)
        || outer.is_some_and(|_| writes(home).iter().any(|write| write.place == place))
}

/// The buffers one of which `value` is, at the end of `body`.
fn group<'c>(value: Value<'c>, body: Block<'c>, places: &[Value<'c>]) -> Option<Vec<Value<'c>>> {
    if places.contains(&value) || fresh(value, body).is_some() {
        return Some(vec![value]);
    }
    let inner = value.owner().filter(|owner| owner.is("scf.while"))?;
    let operands = inner.operands().into_iter().filter(|operand| operand.ty().is_memref_type());
    let mut all = Vec::new();
    for operand in operands {
        for base in group(operand, body, places)? {
            if !all.contains(&base) {
                all.push(base);
            }
        }
    }
    (inner.block() == Some(body)).then_some(all)
}

/// What the loops of `body` leave of the buffer `base`, each of which may hand on another.
fn latest<'c>(base: Value<'c>, body: Block<'c>) -> Value<'c> {
    let mut value = base;
    let carrier = |value: Value<'c>| {
        value
            .uses()
            .into_iter()
            .find(|(user, _)| user.is("scf.while") && user.block() == Some(body))
    };
    while let Some((user, index)) = carrier(value) {
        // Buffers are the last operands and the last results.
        value = user.result(user.result_count() + index - user.operand_count());
    }
    value
}

/// Builds the loop `op` again so that it carries the buffers of `turn`.
fn carry<'c>(context: &'c Context, op: Op<'c>, turn: &Turn<'c>) -> Op<'c> {
    let (before, after) = (op.body(0), op.body(1));
    let (Some(condition), Some(end)) = (before.terminator(), after.terminator()) else { return op };
    let types: Vec<_> = turn.buffers.iter().map(|buffer| buffer.ty()).collect();
    Builder::before(context, end)
        .op("scf.yield")
        .operands(&end.operands())
        .operands(&turn.next)
        .build();
    end.erase();
    turn.copies.iter().for_each(|copy| copy.erase());
    let add = |block: Block<'c>| -> Vec<_> {
        types.iter().map(|ty| block.add_arg(*ty, op.location())).collect()
    };
    let (early, late) = (add(before), add(after));
    Builder::before(context, condition)
        .op("scf.condition")
        .operands(&condition.operands())
        .operands(&early)
        .build();
    condition.erase();
    for (buffer, inside) in turn.buffers.iter().zip(&late) {
        if let Some(owner) = fresh(*buffer, after) {
            buffer.replace_all_uses_with(*inside);
            owner.move_before(op);
        }
    }
    let replacement = Builder::before(context, op)
        .op("scf.while")
        .operands(&op.operands())
        .operands(&turn.buffers)
        .results(&op.result_types())
        .results(&types)
        .attrs(&op.attrs())
        .region(RegionBuilder::take(op.region(0)))
        .region(RegionBuilder::take(op.region(1)))
        .build();
    let count = op.result_count();
    for (index, result) in op.results().into_iter().enumerate() {
        result.replace_all_uses_with(replacement.result(index));
    }
    op.erase();
    let around = Around::of(replacement);
    for (index, buffer) in turn.buffers.iter().enumerate() {
        let now = [early[index], late[index], replacement.result(count + index)];
        around.redirect(context, *buffer, now);
    }
    replacement
}

/// A loop and the order of the operations beside it.
struct Around<'c> {
    op: Op<'c>,
    home: Option<Block<'c>>,
    positions: HashMap<Op<'c>, usize>,
}

/// Where an operation stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Condition,
    Body,
    Behind,
    /// In front of the loop, or not beside it at all.
    Elsewhere,
}

impl<'c> Around<'c> {
    fn of(op: Op<'c>) -> Self {
        let siblings = op.block().map(Block::ops).unwrap_or_default();
        Self { op, home: op.block(), positions: siblings.into_iter().zip(0..).collect() }
    }

    fn side(&self, user: Op<'c>) -> Side {
        let chain = || std::iter::successors(Some(user), |op| op.parent());
        if user != self.op && self.op.encloses(user) {
            let in_condition = chain().any(|op| op.block() == Some(self.op.body(0)));
            return if in_condition { Side::Condition } else { Side::Body };
        }
        let beside = chain().find(|op| op.block() == self.home);
        let position = |op: Op<'c>| self.positions.get(&op).copied();
        match beside.and_then(position) {
            Some(place) if Some(place) > position(self.op) => Side::Behind,
            _ => Side::Elsewhere,
        }
    }

    /// Replaces the uses of `value` in the condition, in the body and behind the loop.
    fn redirect(&self, context: &'c Context, value: Value<'c>, now: [Value<'c>; 3]) {
        for (user, index) in value.uses() {
            let is_target = user.has_attr(STATE) && index == 1 && user.block() == self.home;
            let replacement = match self.side(user) {
                Side::Condition => now[0],
                Side::Body => now[1],
                Side::Behind if !is_target => now[2],
                Side::Elsewhere if is_view(user) => {
                    self.view_again(context, user, now);
                    continue;
                }
                _ => continue,
            };
            user.set_operand(index, replacement);
        }
    }

    /// Views made in front of the loop are made again where they are used.
    fn view_again(&self, context: &'c Context, view: Op<'c>, now: [Value<'c>; 3]) {
        let Some(next) = self.op.next() else { return };
        let starts = [self.op.body(0).first_op(), self.op.body(1).first_op(), Some(next)];
        let mut again = Vec::new();
        for (start, value) in starts.into_iter().zip(now) {
            let Some(start) = start else { return };
            let copy = Builder::before(context, start).insert(view.clone_detached());
            copy.set_operand(0, value);
            again.push(copy);
        }
        if let [first, second, third] = again[..] {
            let now = [first.result(0), second.result(0), third.result(0)];
            self.redirect(context, view.result(0), now);
        }
        for copy in again.into_iter().filter(|copy| copy.is_unused()) {
            copy.erase();
        }
    }
}

/// Settles the copies that stay, as if all happened at once.
fn finish<'c>(context: &'c Context, body: Block<'c>) {
    let left = writes(body);
    for Write { copy, .. } in &left {
        let source = copy.operand(0);
        let is_written = |other: &Write<'c>| other.copy != *copy && may_lie_in(source, other.place);
        if left.iter().any(is_written) {
            let Some(shape) = source.ty().shape() else { continue };
            let builder = Builder::before(context, left[0].copy);
            let saved = allocate(&builder, memref(&shape, source.ty().element()));
            builder.op("memref.copy").operands(&[source, saved]).build();
            copy.set_operand(0, saved);
        }
    }
    for Write { copy, .. } in left {
        copy.remove_attr(STATE);
    }
}
