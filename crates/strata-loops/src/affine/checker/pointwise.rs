//! Nests that read each element of a tensor just before they overwrite it with the same element of their result.
//!
//! ```mlir
//! %r = scf.for %i = … step %c8 iter_args(%a = %empty) {
//!   %old = vector.transfer_read %x[%i] : tensor<64xf32>, vector<8xf32>
//!   %new = …
//!   %b = vector.transfer_write %new, %a[%i] : vector<8xf32>, tensor<64xf32>
//!   scf.yield %b
//! } {strata.schedule = …}
//! ```
//! Such a nest may write to the memory of `%x`. A stream consists of all writes of a nest's result, from an undefined
//! tensor to the last write. Since a schedule writes all elements of its result, and the number of elements written
//! equals the number of elements, each is written once; so a read before the write of its elements, in the same block,
//! sees the contents from before the stream. Nothing else may write to the memory in between.

use rustc_hash::{FxHashMap, FxHashSet};
use strata_ir::{
    AttributeExt as _, Block, DYNAMIC, Op, TypeExt as _, Value, affine, arith, map_sum, scf,
    tensor, value_address, vector,
};

use super::{Checked, Checker, facts::Fact, paths::Node, wrong};
use crate::affine::trace::Event;

/// An index as a sum of run-time numbers, in order, and a constant.
type Sum = (Vec<usize>, i64);

/// A vector write, and the offset of the slice that it writes to.
type Written<'c> = (Op<'c>, Vec<Sum>);

/// The writes of a nest's result.
pub struct Stream<'c> {
    region: Node,
    /// The facts about the memory before the stream.
    held: Vec<Fact>,
    parts: Parts<'c>,
    /// The writes that have happened.
    done: FxHashSet<Op<'c>>,
    is_disturbed: bool,
    is_used: bool,
}

/// The operations of a stream.
#[derive(Default)]
struct Parts<'c> {
    members: FxHashSet<Op<'c>>,
    writes: Vec<Written<'c>>,
    last: Option<Op<'c>>,
    /// The offset of each slice of the result.
    corners: FxHashMap<Value<'c>, Vec<Sum>>,
}

impl<'c> Checker<'c> {
    /// Records the streams that begin with `event`.
    pub(super) fn begin_streams(&mut self, event: &Event<'c>) -> Checked {
        let Event::Loop { op, args, .. } = event else { return Ok(()) };
        if !op.is(scf::FOR) || !op.has_attr(strata_ir::SCHEDULE) {
            return Ok(());
        }
        for (index, buffer) in args.iter().enumerate() {
            let Some(buffer) = buffer else { continue };
            let content = self.state.places.of_tensor(op.operand(3 + index));
            if !self.state.is_undefined(content) {
                continue;
            }
            if let Some(parts) = Parts::of(*op, index) {
                let region = self.place(*buffer)?;
                let held = self.state.known(region).to_vec();
                self.streams.push(Stream {
                    region,
                    held,
                    parts,
                    done: FxHashSet::default(),
                    is_disturbed: false,
                    is_used: false,
                });
            }
        }
        Ok(())
    }

    /// Ends the streams whose last part `event` is.
    pub(super) fn end_streams(&mut self, event: &Event<'c>) {
        if let Event::Loop { op, .. } | Event::Op { op, .. } = event {
            self.streams.retain(|stream| stream.parts.last != Some(*op));
        }
    }

    /// Records a write, by `op` or by a copy.
    pub(super) fn disturb(&mut self, op: Option<Op<'c>>, place: Node) -> Checked {
        for stream in &mut self.streams {
            let own = op.filter(|op| stream.parts.members.contains(op));
            stream.done.extend(own);
            if own.is_some() || self.state.places.paths.disjoint(place, stream.region) {
                continue;
            }
            if stream.is_used {
                return Err(wrong(
                    op,
                    "it overwrites the operand of a nest that computes in place",
                ));
            }
            stream.is_disturbed = true;
        }
        Ok(())
    }

    /// Whether `op` reads `value` from `place`, where a stream writes, before those elements were written.
    pub(super) fn is_read_before_written(
        &mut self,
        op: Op<'c>,
        value: Value<'c>,
        place: Node,
    ) -> bool {
        if !op.is(vector::TRANSFER_READ) || self.state.places.real(place) != [place] {
            return false;
        }
        let content = self.state.places.of_tensor(value);
        for index in 0..self.streams.len() {
            let stream = &self.streams[index];
            if stream.is_disturbed
                || stream.region != place
                || !stream.parts.follows(op, &stream.done)
            {
                continue;
            }
            let held = stream.held.clone();
            if self.state.is_shown(&held, place, content, None) {
                self.streams[index].is_used = true;
                return true;
            }
        }
        false
    }
}

impl<'c> Parts<'c> {
    /// The writes of result `index` of `nest`; `None` unless each element is written exactly once.
    fn of(nest: Op<'c>, index: usize) -> Option<Self> {
        let home = nest.block()?;
        let mut parts = Self { last: Some(nest), ..Self::default() };
        parts.inside(nest.body(0).arg(1 + index), &[])?;
        let mut value = nest.result(index);
        // The remaining elements, after the nest.
        loop {
            let uses = value.uses();
            if uses.is_empty() || uses.iter().any(|(user, _)| user.block() != Some(home)) {
                break;
            }
            let back = uses.iter().find(|(user, at)| user.is(tensor::INSERT_SLICE) && *at == 1);
            let (next, last) = match (uses[0].0.name(), back) {
                (_, Some((back, _))) if uses.len() > 1 => {
                    if !uses.iter().all(|(user, _)| user == back || user.is(tensor::EXTRACT_SLICE))
                    {
                        break;
                    }
                    parts.corners.insert(value, Vec::new());
                    parts.members.insert(*back);
                    for (slice, _) in uses.iter().filter(|(user, _)| user != back) {
                        parts.inside(slice.result(0), &corner(*slice, 1)?)?;
                    }
                    (back.result(0), *back)
                }
                (vector::TRANSFER_WRITE, None) if uses.len() == 1 && uses[0].1 == 1 => {
                    parts.write(uses[0].0, &[]);
                    (uses[0].0.result(0), uses[0].0)
                }
                (scf::FOR, None) if uses.len() == 1 && uses[0].1 >= 3 => {
                    parts.inside(uses[0].0.body(0).arg(uses[0].1 - 2), &[])?;
                    (uses[0].0.result(uses[0].1 - 3), uses[0].0)
                }
                _ => break,
            };
            (value, parts.last) = (next, Some(last));
        }
        let mut total: u64 = 0;
        // Writes in one block run equally often, and most are consecutive.
        let mut last = None;
        for (write, _) in &parts.writes {
            let each = write.operand(0).ty().element_count()?;
            let block = write.block()?;
            let trips = match last {
                Some((same, trips)) if same == block => trips,
                _ => trips(*write, home)?,
            };
            last = Some((block, trips));
            total = total.checked_add(each.checked_mul(trips)?)?;
        }
        (Some(total) == value.ty().element_count()).then_some(parts)
    }

    fn write(&mut self, op: Op<'c>, start: &[Sum]) {
        self.members.insert(op);
        self.writes.push((op, start.to_vec()));
    }

    /// Follows a tensor; `None` if it is used by anything but writes and loops.
    fn inside(&mut self, value: Value<'c>, start: &[Sum]) -> Option<()> {
        self.corners.insert(value, start.to_vec());
        for (user, operand) in value.uses() {
            match (user.name(), operand) {
                (scf::YIELD, _) => {}
                (vector::TRANSFER_WRITE, 1) => {
                    self.write(user, start);
                    self.inside(user.result(0), start)?;
                }
                (scf::FOR, operand) if operand >= 3 => {
                    self.inside(user.body(0).arg(operand - 2), start)?;
                    self.inside(user.result(operand - 3), start)?;
                }
                (tensor::EXTRACT_SLICE, _) => {
                    self.inside(user.result(0), &within(start, corner(user, 1)?))?;
                }
                // A slice is inserted where it was extracted.
                (tensor::INSERT_SLICE, 0) => {
                    let outer = self.corners.get(&user.operand(1))?;
                    if within(outer, corner(user, 2)?) != start {
                        return None;
                    }
                    self.members.insert(user);
                }
                (tensor::INSERT_SLICE, 1) => {
                    self.members.insert(user);
                    self.inside(user.result(0), start)?;
                }
                _ => return None,
            }
        }
        Some(())
    }

    /// Whether the elements that `read` reads are written after it, in its block.
    fn follows(&self, read: Op<'c>, done: &FxHashSet<Op<'c>>) -> bool {
        let found =
            self.writes.iter().find(|(write, start)| is_same(read, *write, start) == Some(true));
        found.is_some_and(|(write, _)| {
            !done.contains(write)
                && std::iter::successors(read.next(), |op| op.next()).any(|op| op == *write)
        })
    }
}

/// Whether both are unmasked, and touch the same elements.
fn is_same<'c>(read: Op<'c>, write: Op<'c>, start: &[Sum]) -> Option<bool> {
    let rank = read.operand(0).ty().rank()?;
    let fits = read.block() == write.block()
        && write.operand(1).ty().rank() == Some(rank)
        && read.operand_count() == rank + 2
        && write.operand_count() == rank + 2
        && read.result(0).ty() == write.operand(0).ty()
        && read.attr("permutation_map") == write.attr("permutation_map");
    if !fits {
        return Some(false);
    }
    for dim in 0..rank {
        let own = index(write.operand(2 + dim));
        let own = start.get(dim).map_or(own.clone(), |start| plus(start, &own));
        if own != index(read.operand(1 + dim)) {
            return Some(false);
        }
    }
    Some(true)
}

/// The offset of a slice of the same rank with strides of 1.
fn corner(slice: Op<'_>, first: usize) -> Option<Vec<Sum>> {
    let offsets = slice.attr("static_offsets")?.as_i64s()?;
    let strides = slice.attr("static_strides")?.as_i64s()?;
    let part = if first == 1 { slice.result(0) } else { slice.operand(0) };
    if strides.iter().any(|stride| *stride != 1) || part.ty().rank() != Some(offsets.len()) {
        return None;
    }
    let mut dynamic = slice.operands().into_iter().skip(first);
    offsets
        .into_iter()
        .map(|offset| match offset {
            DYNAMIC => dynamic.next().map(index),
            _ => Some((Vec::new(), offset)),
        })
        .collect()
}

/// An offset relative to a slice at `outer`.
fn within(outer: &[Sum], own: Vec<Sum>) -> Vec<Sum> {
    let add =
        |(dim, own): (usize, Sum)| outer.get(dim).map_or(own.clone(), |outer| plus(outer, &own));
    own.into_iter().enumerate().map(add).collect()
}

fn plus(left: &Sum, right: &Sum) -> Sum {
    let mut all = [left.0.as_slice(), right.0.as_slice()].concat();
    all.sort_unstable();
    (all, left.1 + right.1)
}

/// A number as a linear sum.
fn index(value: Value<'_>) -> Sum {
    shifted(value).unwrap_or_else(|| (vec![value_address(value)], 0))
}

/// `affine.apply` of a sum of symbols and constants, and constants.
fn shifted(value: Value<'_>) -> Option<Sum> {
    let owner = value.owner()?;
    if owner.is(arith::CONSTANT) {
        return Some((Vec::new(), owner.attr("value")?.as_i64()?));
    }
    let map = owner.attr("map").filter(|_| owner.is(affine::APPLY))?;
    let (terms, constant) = map_sum(map)?;
    let operands = owner.operands();
    terms.into_iter().try_fold((Vec::new(), constant), |all, term| {
        Some(plus(&all, &index(*operands.get(term)?)))
    })
}

/// How often `op` runs per execution of the block `home`.
fn trips<'c>(op: Op<'c>, home: Block<'c>) -> Option<u64> {
    if op.block()? == home {
        return Some(1);
    }
    let around = op.parent().filter(|around| around.is(scf::FOR))?;
    let bound = |position: usize| {
        around
            .operand(position)
            .owner()
            .filter(|owner| owner.is(arith::CONSTANT))?
            .attr("value")?
            .as_i64()
    };
    let distance = u64::try_from(bound(1)?.checked_sub(bound(0)?)?).ok()?;
    let step = u64::try_from(bound(2)?).ok().filter(|step| *step > 0)?;
    trips(around, home)?.checked_mul(distance.div_ceil(step))
}
