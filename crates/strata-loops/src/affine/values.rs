//! The versions of a function, and their live ranges.
//!
//! Operations are numbered in program order, regions within their operation. Each has four points: at [`COPY`] the
//! contents of destinations are copied, at [`READ`] control flow reads the values that it passes on, at [`WRITE`]
//! operations read and write, and [`END`] is after the operation.
//!
//! A *version* is a tensor with contents of its own: the result of an operation or branch, a loop-carried tensor, an
//! input, a constant. Views (slices, reshapes) are not versions: reading a view reads the version. A version is written
//! at some points and live in intervals that end at its uses.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use strata_diag::{Diagnostic, codes};
use strata_ir::{Block, Op, TypeExt as _, Value, diagnostic_at, func, scf, tensor};

use super::{
    accesses::{self, Role},
    paths::{Path, Step, StepId, Steps},
};

/// Where the contents of a destination are copied, if necessary.
pub const COPY: u32 = 0;
/// Where control flow reads the values that it passes on.
pub const READ: u32 = 1;
/// Where operations read and write.
pub const WRITE: u32 = 2;
/// After the operation.
pub const END: u32 = 3;

/// The number of a version.
pub type VersionId = usize;

/// The origin of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The function computes it.
    Computed,
    /// An input that the caller wants to keep.
    Input(usize),
    /// An input that shares the buffer of this output.
    Donated(usize),
    /// A constant.
    Constant,
}

/// Why a version is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why<'c> {
    /// It is read.
    Read,
    /// It is passed on by control flow.
    Passed,
    /// This operation reads each element with the map of its results.
    Pointwise(Op<'c>),
    /// This operation writes a result over it.
    Destination(Op<'c>),
    /// This `tensor.insert_slice` overwrites a part of it, the elements at the end of this step.
    Around(Op<'c>, StepId),
    /// This `tensor.insert_slice` inserts it into another tensor.
    Part(Op<'c>),
}

/// A use of a version, at the end of a path of views.
#[derive(Clone, Debug)]
pub struct Use<'c> {
    /// The kind of use.
    pub why: Why<'c>,
    /// The operation that needs it.
    pub user: Op<'c>,
    /// The path from the version to the used part.
    pub path: Path,
}

/// An interval in which a version is live, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The first point.
    pub start: u32,
    /// The last point.
    pub end: u32,
    /// The use that it is needed for, among those of the version.
    pub reason: u32,
}

/// A version.
pub struct Version<'c> {
    /// The tensor; the region argument for a loop-carried one.
    pub value: Value<'c>,
    /// Its origin.
    pub origin: Origin,
    /// The points at which it is written.
    pub writes: Vec<u32>,
    /// The written elements of a `tensor.insert_slice`, which keeps the others.
    pub part: Option<StepId>,
    /// Its live intervals.
    pub alive: Vec<Interval>,
    /// The kind of use.
    pub uses: Vec<Use<'c>>,
    /// Whether it is passed to an external function, with the identity layout.
    pub is_plain: bool,
}

/// What a tensor value refers to.
#[derive(Clone, Debug)]
enum Known<'c> {
    Version(VersionId),
    View(Value<'c>, Step<'c>),
    Select(Value<'c>, Value<'c>),
    Undefined,
}

/// A version and the path from it to a tensor.
pub type Seen = (VersionId, Path);

/// The tensors of a function.
pub struct Values<'c> {
    /// All versions, in the order of their definition.
    pub versions: Vec<Version<'c>>,
    known: FxHashMap<Value<'c>, Known<'c>>,
    operations: FxHashMap<Op<'c>, (u32, u32)>,
    blocks: FxHashMap<Block<'c>, Body<'c>>,
}

/// The contents of a block of the function or of its control flow.
struct Body<'c> {
    span: (u32, u32),
    ops: Rc<[(Op<'c>, Role)]>,
}

impl<'c> Values<'c> {
    /// Numbers `entry` and finds its versions; `donated` says for each input the output that shares its buffer.
    ///
    /// # Errors
    /// `S9002` for an operation that stage `affine` does not support.
    pub fn of(
        entry: Op<'c>,
        donated: &[Option<usize>],
        steps: &mut Steps<'c>,
    ) -> Result<Self, Diagnostic> {
        let mut values = Self {
            versions: Vec::new(),
            known: FxHashMap::default(),
            operations: FxHashMap::default(),
            blocks: FxHashMap::default(),
        };
        let mut next = 1;
        values.number(entry, true, &mut next);
        let body = entry.body(0);
        for (index, argument) in body.args().into_iter().enumerate() {
            let origin = match donated.get(index).copied().flatten() {
                Some(output) => Origin::Donated(output),
                None => Origin::Input(index),
            };
            values.define(argument, origin, vec![0], None);
        }
        values.visit(body, steps)?;
        for version in &mut values.versions {
            settle(&mut version.alive, &version.writes);
        }
        Ok(values)
    }

    fn number(&mut self, op: Op<'c>, is_control: bool, next: &mut u32) {
        let first = *next;
        *next += 1;
        if is_control && op.region_count() > 0 {
            for block in op.regions().into_iter().flat_map(|region| region.blocks()) {
                let start = *next;
                *next += 1;
                let ops = block.ops().into_iter().map(|inner| (inner, accesses::role(inner)));
                let ops: Rc<[_]> = ops.collect();
                for (inner, role) in ops.iter() {
                    self.number(*inner, *role == Role::Control, next);
                }
                self.blocks.insert(block, Body { span: (start * 4, *next * 4 + END), ops });
                *next += 1;
            }
            *next += 1;
        }
        self.operations.insert(op, (first * 4, (*next - 1) * 4));
    }

    /// The operations of a block of the function or of its control flow, and their kinds.
    pub fn body(&self, block: Block<'c>) -> Rc<[(Op<'c>, Role)]> {
        self.blocks.get(&block).map(|body| Rc::clone(&body.ops)).unwrap_or_default()
    }

    /// A point of `op` before its regions.
    pub fn enter(&self, op: Op<'c>, point: u32) -> u32 {
        self.operations.get(&op).map_or(0, |(first, _)| first + point)
    }

    /// A point of `op` after its regions.
    pub fn exit(&self, op: Op<'c>, point: u32) -> u32 {
        self.operations.get(&op).map_or(0, |(_, last)| last + point)
    }

    /// The points of a block.
    pub fn span(&self, block: Block<'c>) -> (u32, u32) {
        self.blocks.get(&block).map_or((0, u32::MAX), |body| body.span)
    }

    /// Where `value` is available: its block, and the point after its definition.
    pub fn known_from(&self, value: Value<'c>) -> Option<(Block<'c>, u32)> {
        match (value.owner(), value.block_arg()) {
            (Some(owner), _) => Some((owner.block()?, self.exit(owner, END))),
            (None, Some((block, _))) => Some((block, self.span(block).0)),
            (None, None) => None,
        }
    }

    fn define(
        &mut self,
        value: Value<'c>,
        origin: Origin,
        writes: Vec<u32>,
        part: Option<StepId>,
    ) -> VersionId {
        let version = self.versions.len();
        self.versions.push(Version {
            value,
            origin,
            writes,
            part,
            alive: Vec::new(),
            uses: Vec::new(),
            is_plain: false,
        });
        self.known.insert(value, Known::Version(version));
        version
    }

    /// The version of `value`, if it is one.
    pub fn version(&self, value: Value<'c>) -> Option<VersionId> {
        match self.known.get(&value) {
            Some(Known::Version(version)) => Some(*version),
            _ => None,
        }
    }

    /// Whether `value` is undefined.
    pub fn is_undefined(&self, value: Value<'c>) -> bool {
        match self.known.get(&value) {
            Some(Known::Undefined) => true,
            Some(Known::View(of, _)) => self.is_undefined(*of),
            _ => false,
        }
    }

    /// Whether `value` is a select between tensors, or a view of one.
    pub fn is_chosen(&self, value: Value<'c>) -> bool {
        match self.known.get(&value) {
            Some(Known::Select(..)) => true,
            Some(Known::View(of, _)) => self.is_chosen(*of),
            _ => false,
        }
    }

    /// The version that `value` is a view of, and the path; `None` if there are several, or it is undefined.
    pub fn seen(&self, value: Value<'c>, steps: &mut Steps<'c>) -> Option<Seen> {
        match self.known.get(&value)? {
            Known::Version(version) => Some((*version, Path::new())),
            Known::View(of, step) => {
                let (of, step) = (*of, step.clone());
                let (version, mut path) = self.seen(of, steps)?;
                steps.push(&mut path, &step, &of.ty().shape()?);
                Some((version, path))
            }
            Known::Select(..) | Known::Undefined => None,
        }
    }

    /// All versions that `value` may be a view of. Paths through a select are not tracked: the whole version counts.
    pub fn all_seen(&self, value: Value<'c>, steps: &mut Steps<'c>) -> Vec<Seen> {
        if let Some(seen) = self.seen(value, steps) {
            return vec![seen];
        }
        match self.known.get(&value).cloned() {
            Some(Known::Select(yes, no)) => {
                let mut all = self.all_seen(yes, steps);
                all.extend(self.all_seen(no, steps));
                all
            }
            Some(Known::View(of, _)) => {
                let all = self.all_seen(of, steps);
                all.into_iter().map(|(version, _)| (version, Path::new())).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Records that `value` is live for `user` until `end`.
    fn need(
        &mut self,
        value: Value<'c>,
        user: Op<'c>,
        end: u32,
        why: Why<'c>,
        steps: &mut Steps<'c>,
    ) {
        if !accesses::is_tensor(value) {
            return;
        }
        // A select is read as a whole: its elements are not tracked.
        let why = if self.is_chosen(value) { Why::Read } else { why };
        for (version, path) in self.all_seen(value, steps) {
            let reason = self.versions[version].uses.len() as u32;
            let intervals = self.intervals(self.versions[version].value, user, end);
            let version = &mut self.versions[version];
            version.uses.push(Use { why, user, path });
            let interval = |(start, end)| Interval { start, end, reason };
            version.alive.extend(intervals.into_iter().map(interval));
        }
    }

    /// The intervals from the definition of `value` to `end` in `user`.
    fn intervals(&self, value: Value<'c>, user: Op<'c>, end: u32) -> Vec<(u32, u32)> {
        let around: Vec<Op<'c>> = std::iter::successors(Some(user), |op| op.parent()).collect();
        let mut intervals = Vec::new();
        let (home, start) = match (value.block_arg(), value.owner()) {
            (Some((block, _)), _) => {
                let Some(parent) = block.parent_op() else { return vec![(0, end)] };
                let is_inside = around.iter().any(|op| op.block() == Some(block));
                match parent.name() {
                    func::FUNC => (block, 0),
                    _ if is_inside => (block, self.enter_of_argument(parent, block)),
                    // The result of a loop is live from its last iteration on.
                    _ => {
                        let Some(home) = parent.block() else { return Vec::new() };
                        if let Some(end) = parent.body(0).terminator() {
                            let left = match parent.is(scf::FOR) {
                                true => self.exit(parent, END),
                                false => self.enter(end, END),
                            };
                            intervals.push((self.enter(end, WRITE), left));
                        }
                        (home, self.exit(parent, READ))
                    }
                }
            }
            (None, Some(owner)) => {
                let Some(home) = owner.block() else { return Vec::new() };
                if matches!(owner.name(), scf::IF | scf::INDEX_SWITCH) {
                    for region in owner.regions() {
                        let Some(block) = region.first_block() else { continue };
                        let end = block.terminator().map_or(0, |end| self.enter(end, WRITE));
                        intervals.push((end, self.span(block).1));
                    }
                    (home, self.exit(owner, READ))
                } else {
                    (home, self.write_of(owner, value))
                }
            }
            (None, None) => return Vec::new(),
        };
        let Some(level) = around.iter().position(|op| op.block() == Some(home)) else {
            return intervals;
        };
        // A value captured by a loop is read in every iteration.
        let outermost =
            (1..=level).rev().find(|index| matches!(around[*index].name(), scf::FOR | scf::WHILE));
        let (mut at, mut end) = match outermost {
            Some(index) => (index, self.exit(around[index], END)),
            None => (0, end),
        };
        while at < level {
            if let Some(block) = around[at].block() {
                intervals.push((self.span(block).0, end));
            }
            end = self.enter(around[at + 1], END);
            at += 1;
        }
        intervals.push((start, end));
        intervals
    }

    /// Where the argument of a region of the loop `parent` is defined.
    fn enter_of_argument(&self, parent: Op<'c>, block: Block<'c>) -> u32 {
        if parent.is(scf::WHILE) && parent.body(1) == block {
            let condition = parent.body(0).terminator();
            return condition.map_or(0, |condition| self.enter(condition, WRITE));
        }
        self.enter(parent, WRITE)
    }

    /// Whether the operation that computes `value` reads its destination.
    pub fn needs_content(&self, value: Value<'c>) -> bool {
        accesses::tie_of(value)
            .is_some_and(|(op, tie)| tie.is_read && !self.is_undefined(op.operand(tie.operand)))
    }

    /// The first point at which the result `value` of `op` is written.
    fn write_of(&self, op: Op<'c>, value: Value<'c>) -> u32 {
        self.enter(op, if self.needs_content(value) { COPY } else { WRITE })
    }

    fn visit(&mut self, block: Block<'c>, steps: &mut Steps<'c>) -> Result<(), Diagnostic> {
        for &(op, role) in self.body(block).iter() {
            match role {
                Role::None => {}
                Role::View => {
                    let Some(step) = Step::of(op) else { return Err(unknown(op)) };
                    self.known.insert(op.result(0), Known::View(op.operand(0), step));
                }
                Role::Select if op.operand(0).ty().is_tensor_type() => return Err(unknown(op)),
                Role::Select => {
                    let chosen = Known::Select(op.operand(1), op.operand(2));
                    self.known.insert(op.result(0), chosen);
                }
                Role::Undefined => {
                    self.known.insert(op.result(0), Known::Undefined);
                }
                Role::Constant => {
                    self.define(op.result(0), Origin::Constant, Vec::new(), None);
                }
                Role::Compute => self.compute(op, steps),
                Role::Control => self.control(op, steps)?,
            }
        }
        Ok(())
    }

    fn compute(&mut self, op: Op<'c>, steps: &mut Steps<'c>) {
        let end = self.enter(op, WRITE);
        let ties = accesses::ties(op);
        for (index, value) in op.operands().into_iter().enumerate() {
            let tie = ties.iter().find(|tie| tie.operand == index);
            let why = match (tie, op.name()) {
                (Some(tie), _) if !tie.is_read => continue,
                (Some(_), tensor::INSERT_SLICE) => match Step::of(op) {
                    Some(step) => Why::Around(op, steps.number(step)),
                    None => Why::Destination(op),
                },
                (Some(_), _) => Why::Destination(op),
                (None, tensor::INSERT_SLICE) if index == 0 => Why::Part(op),
                (None, _) if accesses::is_pointwise(op, index) => Why::Pointwise(op),
                (None, _) => Why::Read,
            };
            self.need(value, op, end, why, steps);
            if op.is(func::CALL) {
                for (version, _) in self.all_seen(value, steps) {
                    self.versions[version].is_plain = true;
                }
            }
        }
        if op.region_count() > 0 {
            for value in accesses::captured(op) {
                self.need(value, op, end, Why::Read, steps);
            }
        }
        let part = match op.is(tensor::INSERT_SLICE) {
            true => Step::of(op).map(|step| steps.number(step)),
            false => None,
        };
        for result in op.results().into_iter().filter(|value| accesses::is_tensor(*value)) {
            let write = self.write_of(op, result);
            let version = self.define(result, Origin::Computed, vec![write], part);
            self.versions[version].is_plain = op.is(func::CALL);
        }
    }

    fn control(&mut self, op: Op<'c>, steps: &mut Steps<'c>) -> Result<(), Diagnostic> {
        let read = self.enter(op, READ);
        for value in op.operands() {
            self.need(value, op, read, Why::Passed, steps);
        }
        match op.name() {
            scf::FOR => {
                let body = op.body(0);
                let writes = [self.enter(op, WRITE), self.end_of(body)];
                let arguments = body.args().split_off(1);
                self.carry(&arguments, &writes);
                self.leave(&op.results(), &arguments);
                self.visit(body, steps)?;
            }
            scf::WHILE => {
                let (before, after) = (op.body(0), op.body(1));
                let writes = [self.enter(op, WRITE), self.end_of(after)];
                self.carry(&before.args(), &writes);
                self.visit(before, steps)?;
                self.carry(&after.args(), &[self.end_of(before)]);
                self.leave(&op.results(), &after.args());
                self.visit(after, steps)?;
            }
            _ => {
                let regions = op.regions().into_iter();
                let blocks: Vec<_> = regions.filter_map(|region| region.first_block()).collect();
                for block in &blocks {
                    self.visit(*block, steps)?;
                }
                let writes: Vec<u32> = blocks.iter().map(|block| self.end_of(*block)).collect();
                self.carry(&op.results(), &writes);
            }
        }
        Ok(())
    }

    /// Defines the tensors among `values`, which control flow writes at `writes`.
    fn carry(&mut self, values: &[Value<'c>], writes: &[u32]) {
        for value in values.iter().filter(|value| accesses::is_tensor(**value)) {
            self.define(*value, Origin::Computed, writes.to_vec(), None);
        }
    }

    /// The results of a loop are the versions of its arguments.
    fn leave(&mut self, results: &[Value<'c>], arguments: &[Value<'c>]) {
        for (result, argument) in results.iter().zip(arguments) {
            if let Some(version) = self.version(*argument) {
                self.known.insert(*result, Known::Version(version));
            }
        }
    }

    /// Where the terminator of a block passes its values on.
    fn end_of(&self, block: Block<'c>) -> u32 {
        block.terminator().map_or(0, |end| self.enter(end, WRITE))
    }
}

fn unknown(op: Op<'_>) -> Diagnostic {
    diagnostic_at(codes::S9002, op)
        .reason(format!("`{}` on tensors cannot be emitted on buffers", op.name()))
}

/// Sorts the intervals of a version; each write is an interval, even if nothing reads it.
fn settle(alive: &mut Vec<Interval>, writes: &[u32]) {
    alive.extend(writes.iter().map(|write| Interval {
        start: *write,
        end: *write,
        reason: u32::MAX,
    }));
    alive.sort_by_key(|interval| (interval.start, interval.end, interval.reason));
    alive.dedup();
}
