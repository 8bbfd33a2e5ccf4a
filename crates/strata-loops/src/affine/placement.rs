//! Assigns buffers to tensors by coalescing.
//!
//! At first each version has its own buffer. Each pair of tensors that should share a buffer is a [`Wish`]: a result and its
//! destination, a loop-carried argument and the yielded value, a branch's yielded value and the result, an inserted slice
//! and its destination, a result of the program and the output. Wishes are granted in order of benefit, unless the tensors
//! of the two buffers interfere ([`super::interference`]). A wish that is not granted becomes a copy ([`super::emit`]), or,
//! at the end of an iteration, a rotation of buffers ([`super::rotation`]).

use rustc_hash::FxHashMap;
use strata_ir::{Op, Type, TypeExt as _, Value, planted, scf};

use super::{
    columns,
    interference::{Interference, Placed},
    paths::{Layout, Path, Step, Steps},
    rotation::{self, Slot},
    streams::Streams,
    values::{Interval, Origin, Values, VersionId},
    wishes::{Wish, Wishes},
};

/// The number of a buffer.
pub type BufferId = usize;

/// The kind of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// A temporary.
    Temporary,
    /// An input that is only read.
    Input(usize),
    /// An output.
    Output(usize),
    /// A constant.
    Constant,
}

/// A buffer and the versions in it.
pub struct Buffer<'c> {
    /// Its kind.
    pub storage: Storage,
    /// The type of a tensor that covers all of it.
    pub tensor: Type<'c>,
    /// The versions.
    pub members: Vec<VersionId>,
    /// The points of the block in which loops rotate it.
    pub rotates_in: Option<(u32, u32)>,
    needed: Vec<(Interval, VersionId)>,
    /// For each interval of `needed` the largest end so far.
    ends: Vec<u32>,
    writes: Vec<(u32, VersionId)>,
}

impl Buffer<'_> {
    /// The first and the last point at which the buffer is live.
    pub fn hull(&self) -> (u32, u32) {
        let first = self.needed.first().map_or(0, |(interval, _)| interval.start);
        (first, self.ends.last().copied().unwrap_or(first))
    }
}

/// The location of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The buffer.
    pub buffer: BufferId,
    /// From the buffer to the version.
    pub path: Path,
}

/// A merge of one buffer into another.
#[derive(Clone, Copy)]
struct Merge<'m> {
    from: BufferId,
    into: BufferId,
    /// The path from the buffer `into` to the buffer `from`.
    prefix: &'m Path,
    /// The version that is in place after the merge.
    granting: Option<VersionId>,
}

/// The buffers of a function.
pub struct Placement<'c> {
    /// All of them; those without members were merged.
    pub buffers: Vec<Buffer<'c>>,
    /// The location of each version.
    pub places: Vec<Place>,
    /// For each version whether it is computed in its destination's buffer, or does not read the destination.
    pub in_place: Vec<bool>,
    /// For each loop the buffers that it rotates.
    pub rotations: FxHashMap<Op<'c>, Vec<Slot>>,
    /// The buffer of each output.
    pub outputs: FxHashMap<usize, BufferId>,
    streams: Streams<'c>,
}

impl<'c> Placement<'c> {
    /// Each version in its own buffer.
    pub fn new(entry: Op<'c>, values: &Values<'c>) -> Self {
        let mut placement = Self {
            buffers: Vec::new(),
            places: Vec::new(),
            in_place: Vec::new(),
            rotations: FxHashMap::default(),
            outputs: FxHashMap::default(),
            streams: Streams::of(entry, values),
        };
        for (id, version) in values.versions.iter().enumerate() {
            let storage = match version.origin {
                Origin::Computed => Storage::Temporary,
                Origin::Input(index) => Storage::Input(index),
                Origin::Donated(output) => Storage::Output(output),
                Origin::Constant => Storage::Constant,
            };
            placement.places.push(Place { buffer: placement.buffers.len(), path: Path::new() });
            let value = version.value;
            placement.in_place.push(value.owner().is_some() && !values.needs_content(value));
            placement.add(values, storage, version.value.ty(), Some(id));
        }
        placement
    }

    fn add(
        &mut self,
        values: &Values<'c>,
        storage: Storage,
        tensor: Type<'c>,
        member: Option<VersionId>,
    ) -> BufferId {
        let own = member.map(|id| (id, &values.versions[id]));
        let alive =
            own.iter().flat_map(|(id, version)| version.alive.iter().map(|one| (*one, *id)));
        let writes =
            own.iter().flat_map(|(id, version)| version.writes.iter().map(|at| (*at, *id)));
        let mut buffer = Buffer {
            storage,
            tensor,
            members: member.into_iter().collect(),
            rotates_in: None,
            needed: alive.collect(),
            ends: Vec::new(),
            writes: writes.collect(),
        };
        extend_ends(&mut buffer);
        let id = self.buffers.len();
        if let Storage::Output(index) = storage {
            self.outputs.insert(index, id);
        }
        self.buffers.push(buffer);
        id
    }

    /// The buffer of an output: that of the input which shares it, or a new one.
    pub fn output(&mut self, values: &Values<'c>, index: usize, tensor: Type<'c>) -> BufferId {
        match self.outputs.get(&index) {
            Some(known) => *known,
            None => self.add(values, Storage::Output(index), tensor, None),
        }
    }

    /// The location of `value`; `None` if there are several or none.
    pub fn place(
        &self,
        values: &Values<'c>,
        steps: &mut Steps<'c>,
        value: Value<'c>,
    ) -> Option<Place> {
        let (version, path) = values.seen(value, steps)?;
        Some(self.located(steps, version, &path))
    }

    /// The location of the part at `path` in `version`.
    fn located(&self, steps: &mut Steps<'c>, version: VersionId, path: &Path) -> Place {
        let place = &self.places[version];
        Place { buffer: place.buffer, path: steps.join(&place.path, path) }
    }

    /// All possible locations of `value`.
    pub fn all_places(
        &self,
        values: &Values<'c>,
        steps: &mut Steps<'c>,
        value: Value<'c>,
    ) -> Vec<Place> {
        let all = values.all_seen(value, steps);
        all.into_iter().map(|(version, path)| self.located(steps, version, &path)).collect()
    }

    /// Grants a wish if possible.
    pub fn try_grant(
        &mut self,
        values: &Values<'c>,
        steps: &mut Steps<'c>,
        wish: Wish<'c>,
    ) -> bool {
        let (mover, target, granting) = match wish {
            Wish::Tie(op, tie) => {
                let result = op.result(tie.result);
                let Some(target) = self.place(values, steps, op.operand(tie.operand)) else {
                    return false;
                };
                (result, target, values.version(result))
            }
            Wish::Passed(value, becomes) | Wish::Reuse(value, becomes) => {
                let Some(target) = self.place(values, steps, becomes) else { return false };
                if !self.is_contiguous_along_rows(steps, &target)
                    && !columns::is_of_nest(value, becomes)
                    && !columns::is_of_nest(becomes, value)
                {
                    return false;
                }
                (value, target, None)
            }
            Wish::Part(op) => {
                let result = op.result(0);
                let (Some(version), Some(step)) = (values.version(result), Step::of(op)) else {
                    return false;
                };
                if !self.in_place[version] {
                    return false;
                }
                let Some(mut target) = self.place(values, steps, result) else { return false };
                let Some(shape) = result.ty().shape() else { return false };
                steps.push(&mut target.path, &step, &shape);
                let is_fit = self.is_contiguous_along_rows(steps, &target)
                    || self.has_rows(steps, &target)
                        && columns::are_together(op)
                        && self.is_of_one_nest(values, steps, op.operand(0));
                if !is_fit {
                    return false;
                }
                (op.operand(0), target, None)
            }
            Wish::Output(value, index) => {
                let buffer = self.output(values, index, value.ty());
                (value, Place { buffer, path: Path::new() }, None)
            }
        };
        let granted = self.unite(values, steps, mover, &target, granting);
        if let (true, Some(version)) = (granted, granting) {
            self.in_place[version] = true;
        }
        granted
    }

    /// Moves `value` to `target`, with everything in its buffer.
    fn unite(
        &mut self,
        values: &Values<'c>,
        steps: &mut Steps<'c>,
        value: Value<'c>,
        target: &Place,
        granting: Option<VersionId>,
    ) -> bool {
        let Some(own) = self.place(values, steps, value) else { return false };
        if own.buffer == target.buffer {
            return own.path == target.path;
        }
        // From the buffer of the target to that of the value, or the other way round.
        let back = steps.inverse(&own.path).map(|back| steps.join(&target.path, &back));
        if let Some(prefix) = &back {
            let merge = Merge { from: own.buffer, into: target.buffer, prefix, granting };
            if self.merge(values, steps, merge) {
                return true;
            }
        }
        let back = steps.inverse(&target.path).map(|back| steps.join(&own.path, &back));
        back.is_some_and(|prefix| {
            let merge = Merge { from: target.buffer, into: own.buffer, prefix: &prefix, granting };
            self.merge(values, steps, merge)
        })
    }

    /// Merges a buffer into another if possible.
    fn merge(&mut self, values: &Values<'c>, steps: &Steps<'c>, merge: Merge<'_>) -> bool {
        let Merge { from, into, prefix, .. } = merge;
        if self.buffers[from].storage != Storage::Temporary
            || matches!(self.buffers[into].storage, Storage::Input(_) if !planted("placement-in-input"))
            || matches!(self.buffers[into].storage, Storage::Constant)
        {
            return false;
        }
        let is_moved = !prefix.is_empty();
        // A rotated buffer keeps its number and type, and nothing may be merged into it that is live beyond the renaming.
        if self.buffers[from].rotates_in.is_some() {
            return false;
        }
        if let Some(home) = self.buffers[into].rotates_in {
            let other = self.buffers[from].hull();
            // Nor a loop-carried tensor: its rotation was decided without this merge.
            let is_state = |member: &VersionId| {
                let block = values.versions[*member].value.block_arg().map(|(block, _)| block);
                let parent = block.and_then(|block| block.parent_op());
                parent.is_some_and(|parent| parent.is(scf::WHILE))
            };
            if other.0 < home.0
                || home.1 < other.1
                || self.buffers[from].members.iter().any(is_state)
            {
                return false;
            }
        }
        let same_type = self.buffers[from].tensor == self.buffers[into].tensor;
        if !is_moved && !same_type {
            return false;
        }
        if self.interferes(values, steps, merge) && !planted("placement-interferes") {
            return false;
        }
        if is_moved
            && !(self.is_known(values, steps, merge) && self.has_layouts(values, steps, merge))
        {
            return false;
        }
        self.absorb(steps, merge);
        true
    }

    fn absorb(&mut self, steps: &Steps<'c>, Merge { from, into, prefix, .. }: Merge<'_>) {
        let members = std::mem::take(&mut self.buffers[from].members);
        for member in &members {
            let place = &mut self.places[*member];
            if !prefix.is_empty() {
                place.path = steps.join(prefix, &place.path);
            }
            place.buffer = into;
        }
        let mut needed = std::mem::take(&mut self.buffers[from].needed);
        let mut ends = std::mem::take(&mut self.buffers[from].ends);
        let mut writes = std::mem::take(&mut self.buffers[from].writes);
        let buffer = &mut self.buffers[into];
        buffer.members.extend(members);
        // A buffer of many versions takes up others one at a time: the time is that of what is added.
        if needed.len() > buffer.needed.len() {
            std::mem::swap(&mut buffer.needed, &mut needed);
            std::mem::swap(&mut buffer.ends, &mut ends);
            std::mem::swap(&mut buffer.writes, &mut writes);
        }
        let changed = merge_sorted(&mut buffer.needed, needed, |(interval, version)| {
            (interval.start, interval.end, *version)
        });
        buffer.ends.truncate(changed);
        extend_ends(buffer);
        merge_sorted(&mut buffer.writes, writes, |write| *write);
    }

    fn interferes(&self, values: &Values<'c>, steps: &Steps<'c>, merge: Merge<'_>) -> bool {
        let (moved, kept) = (&self.buffers[merge.from], &self.buffers[merge.into]);
        self.clash(values, steps, merge, (moved, true), kept).is_some()
            || (self.clash(values, steps, merge, (kept, false), moved).is_some()
                && !planted("placement-one-way"))
    }

    /// The first write to the one buffer that destroys what the other is needed for: the version there, and why it is
    /// needed. With the first buffer, whether it is the one that moves.
    fn clash(
        &self,
        values: &Values<'c>,
        steps: &Steps<'c>,
        merge: Merge<'_>,
        (writers, writer_moves): (&Buffer<'c>, bool),
        needing: &Buffer<'c>,
    ) -> Option<(VersionId, Interval)> {
        let Merge { prefix, granting, .. } = merge;
        let rules = Interference {
            values,
            steps,
            in_place: &self.in_place,
            granting,
            streams: &self.streams,
        };
        let path_of = |version: VersionId, is_moved: bool| match is_moved {
            true => steps.join(prefix, &self.places[version].path),
            false => self.places[version].path.clone(),
        };
        let (first, last) = needing.hull();
        let start = writers.writes.partition_point(|(at, _)| *at < first);
        let mut writes = writers.writes[start..].iter().take_while(|(at, _)| *at <= last);
        writes.find_map(|(at, writer)| {
            let low = needing.ends.partition_point(|end| end < at);
            let high = needing.needed.partition_point(|(interval, _)| interval.start <= *at);
            let mut needed = needing.needed.get(low..high).unwrap_or_default().iter();
            needed
                .find(|(interval, version)| {
                    interval.end >= *at && {
                        let writer_path = path_of(*writer, writer_moves);
                        let needed_path = path_of(*version, !writer_moves);
                        rules.destroys(
                            Placed { version: *writer, path: &writer_path },
                            Placed { version: *version, path: &needed_path },
                            interval,
                        )
                    }
                })
                .map(|(interval, version)| (*version, *interval))
        })
    }

    /// Why `value` is not at `target`, for a remark. Where one of the two is written too early for the other, with the operation
    /// that still reads the other.
    pub fn why_apart(
        &self,
        values: &Values<'c>,
        steps: &mut Steps<'c>,
        value: Value<'c>,
        target: &Place,
    ) -> (&'static str, Option<Op<'c>>) {
        let Some(own) = self.place(values, steps, value) else {
            return ("its buffer is chosen at run time", None);
        };
        if own.buffer == target.buffer {
            return ("it is at another position of the same buffer", None);
        }
        match (self.buffers[own.buffer].storage, self.buffers[target.buffer].storage) {
            (Storage::Input(_), _) => {
                return ("it is an input, and inputs are never written", None);
            }
            (Storage::Constant, _) => {
                return ("it is a constant, and constants are never written", None);
            }
            (Storage::Output(_), Storage::Output(_)) => {
                return ("it is also an output; outputs never share a buffer", None);
            }
            _ => {}
        }
        if self.buffers[own.buffer].rotates_in.is_some()
            || self.buffers[target.buffer].rotates_in.is_some()
        {
            return ("its buffer rotates with others across iterations", None);
        }
        let ways = [
            (
                own.buffer,
                target.buffer,
                steps.inverse(&own.path).map(|back| steps.join(&target.path, &back)),
            ),
            (
                target.buffer,
                own.buffer,
                steps.inverse(&target.path).map(|back| steps.join(&own.path, &back)),
            ),
        ];
        for (from, into, prefix) in ways {
            let Some(prefix) = prefix else { continue };
            let merge = Merge { from, into, prefix: &prefix, granting: None };
            let (moved, kept) = (&self.buffers[from], &self.buffers[into]);
            let clash = self
                .clash(values, steps, merge, (moved, true), kept)
                .or_else(|| self.clash(values, steps, merge, (kept, false), moved));
            if let Some((version, interval)) = clash {
                let uses = &values.versions[version].uses;
                let user = uses.get(interval.reason as usize).map(|used| used.user);
                return ("one of the two is written while the other still has to be read", user);
            }
        }
        ("its memory layout differs", None)
    }

    /// Whether the run-time numbers of `prefix` are available wherever the buffer is live.
    fn is_known(&self, values: &Values<'c>, steps: &Steps<'c>, merge: Merge<'_>) -> bool {
        let (first, last) = self.buffers[merge.from].hull();
        steps.dynamic(merge.prefix).into_iter().all(|value| {
            values.known_from(value).is_some_and(|(block, point)| {
                let (_, end) = values.span(block);
                (point <= first && last <= end) || planted("placement-unknown-index")
            })
        })
    }

    /// Whether all tensors in the buffer, and their views, have a memref type after `prefix`.
    fn has_layouts(&self, values: &Values<'c>, steps: &Steps<'c>, merge: Merge<'_>) -> bool {
        let Merge { from, into, prefix, .. } = merge;
        let Some(shape) = self.buffers[into].tensor.shape() else { return false };
        let Some(base) = steps.layout(&shape, prefix) else { return false };
        if base.is_plain() {
            return true;
        }
        self.buffers[from].members.iter().all(|member| {
            let version = &values.versions[*member];
            let path = steps.join(prefix, &self.places[*member].path);
            let layout = steps.layout(&shape, &path);
            let fits = |layout: &Layout| !version.is_plain || layout.is_plain();
            let seen = |used: &super::values::Use<'c>| {
                steps.layout(&shape, &steps.join(&path, &used.path)).is_some()
            };
            layout.as_ref().is_some_and(fits) && version.uses.iter().all(seen)
        })
    }

    /// Whether the last dimension is contiguous: vectors are written along it.
    fn is_contiguous_along_rows(&self, steps: &Steps<'c>, place: &Place) -> bool {
        let layout = self.buffers[place.buffer]
            .tensor
            .shape()
            .and_then(|shape| steps.layout(&shape, &place.path));
        layout.is_some_and(|layout| {
            layout.shape.last().is_none_or(|size| *size == 1)
                || layout.strides.last().is_none_or(|stride| *stride == 1)
        })
    }

    /// Whether all that is in the buffer of `column` is of the nest that computes it.
    fn is_of_one_nest(
        &self,
        values: &Values<'c>,
        steps: &mut Steps<'c>,
        column: Value<'c>,
    ) -> bool {
        let members =
            self.place(values, steps, column).map(|own| &self.buffers[own.buffer].members);
        members.is_some_and(|members| {
            let mut all = members.iter().map(|member| values.versions[*member].value);
            all.all(|version| columns::is_of_nest(version, column))
        })
    }

    /// Whether a part of a buffer is one of all elements in order.
    fn has_rows(&self, steps: &Steps<'c>, place: &Place) -> bool {
        place.path.iter().rev().skip(1).all(|step| matches!(steps.get(*step), Step::Reshape { .. }))
    }

    /// Makes the tensor at the end of `path`, which keeps all elements, the shape of the buffer.
    pub fn reroot(
        &mut self,
        steps: &mut Steps<'c>,
        buffer: BufferId,
        path: &Path,
        tensor: Type<'c>,
    ) -> bool {
        let Some(back) = steps.inverse(path) else { return false };
        if self.buffers[buffer].storage != Storage::Temporary {
            return false;
        }
        for member in self.buffers[buffer].members.clone() {
            self.places[member].path = steps.join(&back, &self.places[member].path);
        }
        self.buffers[buffer].tensor = tensor;
        true
    }

    /// The pairs of tensors that vectorised nests allow to share a buffer.
    pub fn pairs(&self) -> &[(Value<'c>, Value<'c>)] {
        &self.streams.pairs
    }
}

/// Adds the elements of a sorted list to another one, and returns the position of the first of them.
fn merge_sorted<T, K: Ord>(list: &mut Vec<T>, added: Vec<T>, key: impl Fn(&T) -> K) -> usize {
    let Some(first) = added.first().map(&key) else { return list.len() };
    let at = list.partition_point(|one| key(one) < first);
    list.extend(added);
    // Stable, because that takes two sorted runs in one pass.
    list[at..].sort_by_key(key);
    at
}

fn extend_ends(buffer: &mut Buffer<'_>) {
    let mut last = buffer.ends.last().copied().unwrap_or(0);
    for (interval, _) in &buffer.needed[buffer.ends.len()..] {
        last = last.max(interval.end);
        buffer.ends.push(last);
    }
}

/// Grants all wishes of `entry` that can be granted.
pub fn place<'c>(entry: Op<'c>, values: &Values<'c>, steps: &mut Steps<'c>) -> Placement<'c> {
    let mut placement = Placement::new(entry, values);
    let wishes = Wishes::of(entry, values);
    let mut order = wishes.bindings;
    order.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    for (_, wish) in order {
        placement.try_grant(values, steps, wish);
    }
    rotation::choose(entry, values, steps, &mut placement);
    for wish in wishes.outputs {
        placement.try_grant(values, steps, wish);
    }
    let mut parts = wishes.parts;
    parts.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    for (_, wish) in parts {
        placement.try_grant(values, steps, wish);
    }
    let pairs: Vec<_> = placement.pairs().to_vec();
    for (value, result) in pairs {
        placement.try_grant(values, steps, Wish::Reuse(value, result));
    }
    for wish in wishes.reuses {
        placement.try_grant(values, steps, wish);
    }
    placement
}
