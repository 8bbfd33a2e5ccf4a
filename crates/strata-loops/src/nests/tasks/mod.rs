//! Splits loops with independent iterations into tasks, which the caller's executor may run concurrently.
//!
//! Before:
//! ```mlir
//! scf.for %i = %c0 to %c4096 step %c1 { %row = memref.alloc() : memref<256xi32> … }
//! ```
//! After [`split`], with 16 tasks:
//! ```mlir
//! scf.for %begin = %c0 to %c16 step %c16 {
//!   %end = arith.addi %begin, %c16 {strata.end}
//!   scf.for %i = %begin * 256 to %end * 256 step %c1 { %row = memref.alloc() : memref<256xi32> … }
//! } {strata.tasks = 16}
//! ```
//! The outer loop is a range of tasks; here it covers all of them, so the program's semantics are unchanged. After [`privatize`]:
//! ```mlir
//! %rows = memref.alloc() : memref<16384xi8>
//! scf.for %begin = … {
//!   %slot = arith.muli %begin, %c1024 {strata.slot}
//!   %row = memref.view %rows[%slot][] : memref<16384xi8> to memref<256xi32>
//! ```
//! [`super::kernels::outline`] outlines it to a function that takes a range of tasks and the number of a slot.
//!
//! The number of tasks depends on the program and the target alone, and each is a separate call: LLVM may use a different order of
//! operations in a loop's remainder, and results must be bit-identical whatever runs the tasks. Only if all arithmetic is on vectors may
//! one call run several tasks ([`RANGES`]): the panels of a dot are then packed ahead from one task to the next.

mod across;
mod cost;
mod disjoint;
mod pairs;
mod ranges;
mod remarks;
#[cfg(test)]
mod tests;

use strata_diag::Diagnostic;
use strata_ir::{
    AffineExpr, AffineMap, AttributeExt as _, Block, Builder, Context, LIMIT, Op, PARTS, RANGES,
    RegionBuilder, TASKS, TypeExt as _, Value, View as _, affine, arith, index, int, integer,
    memref, scf, unit,
};
use strata_options::{Options, Tasks};
use strata_remarks::wants_remarks;
use strata_target::{
    Target,
    tuning::tasks::{
        DISPATCH_TIME, ENOUGH_TASKS, FEWEST_TASK_COLUMNS, MAX_TASK_MEMORY, MAX_TASKS,
        MIN_NEST_TIME, MIN_OUTER_TRIPS, MIN_TASK_COLUMNS, MIN_TASK_TIME,
    },
};

use self::{across::Columns, cost::Estimate, pairs::Inner};
use super::{counted::Counted, panels};
use crate::affine::{
    liveness::{Temporary, temporaries},
    plan::{self, Lifetime},
};

/// Marks the end of a range of tasks.
pub const END: &str = "strata.end";
/// Marks the first byte of a slot of per-task memory: its first operand is the number of the slot.
pub const SLOT: &str = "strata.slot";
/// Marks a loop whose trip count is divisible by its step.
pub const WHOLE: &str = "strata.whole";
/// Marks a loop that ends at a size and whose bounds are those of tasks: all multiples of its step.
pub const OF_TASKS: &str = "strata.of_tasks";

/// Splits the loops of `entry` that are worth it.
pub fn split<'c>(context: &'c Context, entry: Op<'c>, options: &Options) {
    let Some(body) = entry.region(0).first_block() else { return };
    let least = match options.tasks {
        Tasks::Never => return,
        Tasks::Worthwhile => Least { nest: MIN_NEST_TIME, task: MIN_TASK_TIME },
        Tasks::Always => Least { nest: 0.0, task: 0.0 },
    };
    let mut cuts = Vec::new();
    for op in body.ops().into_iter().filter(|op| op.region_count() > 0) {
        let before = cuts.len();
        search_operation(op, &options.target, least, &mut cuts);
        if wants_remarks() {
            remarks::tell(op, &cuts[before..], &options.target, least);
        }
    }
    if wants_remarks() {
        remarks::tell_scratch(entry);
    }
    for cut in cuts {
        cut.apply(context);
    }
}

/// The minimum times of nests and tasks, in nanoseconds.
#[derive(Clone, Copy)]
struct Least {
    nest: f64,
    task: f64,
}

impl Least {
    /// The most tasks of a nest.
    fn most(self, cost: Estimate) -> i64 {
        (cost.nanoseconds / self.task.max(1e-3)) as i64
    }
}

/// A loop to split.
struct Cut<'c> {
    nest: Nest<'c>,
    /// The inner loops that are split instead.
    columns: Option<Columns<'c>>,
    /// A loop in it whose iterations are tasks, too.
    inner: Option<Inner<'c>>,
    /// The cost of the whole loop.
    cost: Estimate,
    tasks: i64,
    /// Of how many tasks that follow each other each range repeats work, or has memory of its own: an executor gets them in groups.
    parts: Option<i64>,
}

/// A loop with constant bounds and without results.
#[derive(Clone, Copy)]
struct Nest<'c> {
    op: Op<'c>,
    first: i64,
    last: i64,
    step: i64,
}

impl<'c> Nest<'c> {
    /// Notes that tasks begin and end at whole steps, where the loop ends at a size.
    fn mark_limited(&self, context: &'c Context) {
        if self.first == 0 && self.last % self.step == 0 && self.op.has_attr(LIMIT) {
            self.op.set_attr(OF_TASKS, unit(context));
        }
    }

    fn of(op: Op<'c>) -> Option<Self> {
        if op.result_count() > 0 {
            return None;
        }
        if let Some(Counted { first, last, step, .. }) = Counted::of(op) {
            return Some(Self { op, first, last, step });
        }
        let own = op.cast::<affine::For>()?;
        let first = own.lower_bound_map()?.as_constant()?;
        let last = own.upper_bound_map()?.as_constant()?;
        let step = own.step().filter(|step| *step > 0)?;
        (first < last).then_some(Self { op, first, last, step })
    }

    fn trips(&self) -> i64 {
        (self.last - self.first + self.step - 1) / self.step
    }
}

/// Collects the loops to split in a block.
fn search<'c>(block: Block<'c>, target: &Target, least: Least, cuts: &mut Vec<Cut<'c>>) {
    for op in block.ops().into_iter().filter(|op| op.region_count() > 0) {
        search_operation(op, target, least, cuts);
    }
}

/// Collects the cut of an operation, or else those in it.
fn search_operation<'c>(op: Op<'c>, target: &Target, least: Least, cuts: &mut Vec<Cut<'c>>) {
    match choose(op, target, least) {
        Some(cut) => cuts.push(cut),
        None => {
            for block in op.regions().into_iter().flat_map(|region| region.blocks()) {
                search(block, target, least, cuts);
            }
        }
    }
}

/// How `op` is split: itself, or the one inner loop that takes nearly all of its time.
fn choose<'c>(op: Op<'c>, target: &Target, least: Least) -> Option<Cut<'c>> {
    let nest = Nest::of(op)?;
    let estimate = cost::estimate(op, target);
    let cost = estimate.nanoseconds;
    if cost < least.nest {
        return None;
    }
    // What the nest reads of other cores is not counted: that is where their tasks have left it.
    let own = disjoint::trips_are_disjoint(op, nest.step);
    if own && nest.trips() >= MIN_OUTER_TRIPS {
        return Cut::of(nest, estimate, target, least);
    }
    let trips = nest.trips() as f64;
    let inner = op.body(0).ops().into_iter().filter(|op| op.region_count() > 0);
    let most = inner.map(|op| (op, cost::estimate(op, target).nanoseconds));
    let inside = most
        .filter(|(_, part)| part * trips > 0.9 * cost)
        .find_map(|(op, _)| choose(op, target, least));
    match (inside, own) {
        (inside, false) => {
            // On one thread all columns at once, in the order of memory: only if it makes no difference.
            let across = is_order_free(op).then(|| Columns::of(op)).flatten();
            let across = across.and_then(|columns| Cut::across(nest, columns, estimate, least));
            let is_slower = |across: &Cut<'c>| {
                let inside = inside.as_ref();
                inside.is_some_and(|inside| inside.is_better_than(&nest, cost, across.tasks))
            };
            across.filter(|across| !is_slower(across)).or(inside)
        }
        (Some(inside), true) if inside.is_better_than(&nest, cost, nest.trips()) => {
            let is_better = |both: &Cut<'c>| {
                let own = |threads| time_on(threads, cost, both.tasks);
                let is_as_good = |threads| own(threads) <= inside.time_in(&nest, cost, threads);
                both.inner.is_some() && is_as_good(2) && is_as_good(16)
            };
            let both = Cut::of(nest, estimate, target, least);
            both.filter(is_better).or(Some(inside))
        }
        (_, true) => Cut::of(nest, estimate, target, least),
    }
}

/// Nanoseconds of a loop with a trip count on a number of threads.
fn time_on(threads: i64, cost: f64, trips: i64) -> f64 {
    let longest = (trips + threads - 1) / threads;
    cost * longest as f64 / trips as f64 + DISPATCH_TIME
}

impl<'c> Cut<'c> {
    /// Whether splitting this inner loop is better than splitting the outer one of `cost` into so few tasks: much better on many threads,
    /// hardly worse on two.
    fn is_better_than(&self, around: &Nest<'c>, cost: f64, tasks: i64) -> bool {
        let inside = |threads| self.time_in(around, cost, threads);
        let own = |threads| time_on(threads, cost, tasks);
        inside(2) < 1.05 * own(2) && inside(16) < 0.7 * own(16)
    }

    /// Nanoseconds of the loop around, of `cost`, where this inner one is split among so many threads.
    fn time_in(&self, around: &Nest<'c>, cost: f64, threads: i64) -> f64 {
        let parents = std::iter::successors(self.nest.op.parent(), |op| op.parent());
        let within = parents.take_while(|op| *op != around.op).filter_map(Nest::of);
        let runs = within.map(|nest| nest.trips()).product::<i64>() * around.trips();
        let runs = runs as f64;
        let Estimate { nanoseconds, transfer, .. } = self.cost;
        // The rest runs on one thread, and its temporaries (packed panels) move to the other cores each time.
        let rest = (cost - runs * nanoseconds).max(0.0) + runs * transfer;
        runs * time_on(threads, nanoseconds, self.nest.trips()) + rest
    }

    /// As many tasks as the time allows, of about equal length.
    fn of(nest: Nest<'c>, cost: Estimate, target: &Target, least: Least) -> Option<Self> {
        let base = Self::count(nest, nest.trips(), cost, least);
        let one = base.map(|base| Self::finer(nest, nest.trips(), base, cost, least));
        let (tasks, parts) = one.unwrap_or_default();
        let inner = Inner::of(nest, cost, target, least);
        let both = |inner: &Inner<'c>| nest.trips() * inner.parts;
        if let Some(inner) = inner.filter(|inner| both(inner) > tasks) {
            let parts = has_memory(nest.op).then_some(inner.parts);
            return Some(Self {
                tasks: both(&inner),
                parts,
                inner: Some(inner),
                ..Self::plain(nest, cost)
            });
        }
        base.map(|_| Self { tasks, parts, ..Self::plain(nest, cost) })
    }

    fn plain(nest: Nest<'c>, cost: Estimate) -> Self {
        Self { nest, columns: None, inner: None, cost, tasks: 0, parts: None }
    }

    /// A split of a nest by columns.
    fn across(nest: Nest<'c>, columns: Columns<'c>, cost: Estimate, least: Least) -> Option<Self> {
        let Nest { first, last, .. } = *columns.loops.first()?;
        // Rows are read in pieces: short pieces are slow for memory and prefetchers.
        let pieces = |of: i64| match least.nest == 0.0 {
            true => i64::MAX,
            false => (last - first) / of,
        };
        let units = (last - first) / columns.unit;
        // Halves of short rows come from memory no faster, if that is what both wait for.
        let halves = if cost.nanoseconds < 2.0 * least.nest { 1 } else { 2 };
        let few = units.min(pieces(MIN_TASK_COLUMNS).max(halves));
        let base = Self::count(nest, few, cost, least)?;
        let most = units.min(pieces(FEWEST_TASK_COLUMNS));
        let (tasks, parts) = Self::finer(nest, most, base, cost, least);
        Some(Self { tasks, parts, columns: Some(columns), ..Self::plain(nest, cost) })
    }

    /// The number of tasks of a nest with `trips` independent parts.
    fn count(nest: Nest<'c>, trips: i64, cost: Estimate, least: Least) -> Option<i64> {
        // Of two panels, of which the next one is packed while one is multiplied.
        let memory = (most_in_memory(nest.op, MAX_TASK_MEMORY) / 2).max(2);
        let tasks = trips.min(MAX_TASKS).min(least.most(cost)).min(memory);
        // Tasks of about equal length, and an even number of them, like the cores of most machines.
        let even = |most: i64| {
            let length = (trips + most - 1) / most;
            (trips + length - 1) / length
        };
        let most = tasks.max(1);
        let found = (most * 2 / 3..=most).rev().filter(|most| *most > 1).map(even);
        let tasks = found.clone().find(|tasks| tasks % 2 == 0).or(found.clone().next())?;
        (tasks > 1).then_some(tasks)
    }

    /// The number of tasks of a nest with `trips` independent parts on many threads, and into how many each of the `base` ones is split then.
    fn finer(
        nest: Nest<'c>,
        trips: i64,
        base: i64,
        cost: Estimate,
        least: Least,
    ) -> (i64, Option<i64>) {
        let memory = most_in_memory_for_many(nest.op, cost.most_memory());
        let most = trips.min(MAX_TASKS).min(least.most(cost)).min(memory);
        match most / base {
            parts if parts > 1 && base <= ENOUGH_TASKS => (base * parts, Some(parts)),
            _ => (base, None),
        }
    }

    fn apply(&self, context: &'c Context) {
        let range = match (&self.inner, &self.columns, self.nest.op.is(affine::FOR)) {
            (Some(inner), ..) => self.cut_pair(context, inner),
            (_, Some(columns), _) => self.cut_columns(context, columns),
            (_, _, true) => Some(self.cut_affine(context)),
            (_, _, false) => self.cut_counted(context),
        };
        if let (Some(range), Some(parts)) = (range, self.parts) {
            range.set_attr(PARTS, int(integer(context, 64), parts));
        }
    }

    fn cut_counted(&self, context: &'c Context) -> Option<Op<'c>> {
        let Nest { op, first, last, step } = self.nest;
        // Before the operation after the loop, which itself moves inside.
        let next = op.next()?;
        let outside = Builder { location: op.location(), ..Builder::before(context, next) };
        let around = outside;
        let (zero, count) = (around.index(0), around.index(self.tasks));
        let body = outside.region(&[index(context)], |inside, arguments| {
            let begin = arguments[0];
            let end = inside
                .op(arith::ADDI)
                .operands(&[begin, count])
                .attr(END, unit(context))
                .result(index(context))
                .value();
            let bounds = [begin, end].map(|task| self.trip(inside, task));
            inside.adopt(op);
            op.set_operand(0, bounds[0]);
            op.set_operand(1, bounds[1]);
            if first == 0 && last % step == 0 {
                op.set_attr(WHOLE, unit(context));
            }
            self.nest.mark_limited(context);
            inside.op(scf::YIELD).build();
        });
        let range = self.loop_of(&outside, [zero, count, count], body);
        if op.has_attr(WHOLE) && has_memory(op) && is_order_free(op) {
            range.set_attr(RANGES, unit(context));
        }
        Some(range)
    }

    /// The loop over all tasks, between these bounds by that step.
    fn loop_of(
        &self,
        outside: &Builder<'c>,
        bounds: [Value<'c>; 3],
        body: RegionBuilder,
    ) -> Op<'c> {
        let tasks = int(integer(outside.context, 64), self.tasks);
        outside.op(scf::FOR).operands(&bounds).attr(TASKS, tasks).region(body).build()
    }

    /// The first index of a task.
    fn trip(&self, at: &Builder<'c>, task: Value<'c>) -> Value<'c> {
        let Nest { first, step, .. } = self.nest;
        let trips = self.nest.trips();
        let emit = *at;
        let scaled = |value, by: i64| match by {
            1 => value,
            by => emit.same(arith::MULI, &[value, emit.index(by)]),
        };
        let trip = match trips % self.tasks {
            0 => scaled(task, trips / self.tasks * step),
            _ => {
                let all = scaled(task, trips);
                scaled(emit.same(arith::DIVUI, &[all, emit.index(self.tasks)]), step)
            }
        };
        emit.offset(trip, first)
    }

    fn cut_affine(&self, context: &'c Context) -> Op<'c> {
        let Nest { op, first, step, .. } = self.nest;
        let (tasks, trips) = (self.tasks, self.nest.trips());
        let bound = first_trip(trips, tasks, step, first);
        let end = AffineMap::new(1, vec![AffineExpr::dim(0) + tasks]);
        let (none, all) = (AffineMap::constant(0), AffineMap::constant(tasks));
        let outside = Builder::before(context, op);
        let body = outside.region(&[index(context)], |inside, arguments| {
            let begin = arguments[0];
            let end = affine::apply(inside, &end, &[begin], index(context))
                .attr(END, unit(context))
                .value();
            let own = RegionBuilder::take(op.region(0));
            affine::for_(inside, &bound, &bound, step, &[], own)
                .lower_bound_operands(&[begin])
                .upper_bound_operands(&[end])
                .attrs(&op.attrs())
                .build();
            affine::yield_(inside, &[]).build();
        });
        let range = affine::for_(&outside, &none, &all, tasks, &[], body)
            .attr(TASKS, int(integer(context, 64), tasks))
            .build();
        op.erase();
        range.op()
    }
}

impl<'c> Cut<'c> {
    /// Splits the column loops.
    fn cut_columns(&self, context: &'c Context, columns: &Columns<'c>) -> Option<Op<'c>> {
        let (nest, tasks, unit) = (self.nest.op, self.tasks, columns.unit);
        let Nest { first, last, .. } = columns.loops.first().copied()?;
        let units = (last - first) / unit;
        let next = nest.next()?;
        let bound = first_trip(units, tasks, unit, first);
        let end = AffineMap::new(1, vec![AffineExpr::dim(0) + tasks]);
        let (none, all) = (AffineMap::constant(0), AffineMap::constant(tasks));
        let outside = Builder { location: nest.location(), ..Builder::before(context, next) };
        let body = outside.region(&[index(context)], |inside, arguments| {
            let apply =
                |value, map: &AffineMap| affine::apply(inside, map, &[value], index(context));
            let end = apply(arguments[0], &end).attr(END, strata_ir::unit(context)).value();
            let bounds = [arguments[0], end].map(|task| apply(task, &bound).value());
            inside.adopt(nest);
            for column in &columns.loops {
                bind(context, column, bounds);
            }
            affine::yield_(inside, &[]).build();
        });
        let range = affine::for_(&outside, &none, &all, tasks, &[], body)
            .attr(TASKS, int(integer(context, 64), tasks))
            .attr(RANGES, strata_ir::unit(context))
            .build();
        Some(range.op())
    }
}

/// `(task) -> (task * trips floordiv tasks * step + first)`: the index with which a task begins.
fn first_trip(trips: i64, tasks: i64, step: i64, first: i64) -> AffineMap {
    AffineMap::new(1, vec![(AffineExpr::dim(0) * trips).floor_div(tasks) * step + first])
}

/// Sets the bounds of bounds.
fn bind<'c>(context: &'c Context, Nest { op: nest, step, .. }: &Nest<'c>, bounds: [Value<'c>; 2]) {
    if nest.is(scf::FOR) {
        nest.set_operand(0, bounds[0]);
        nest.set_operand(1, bounds[1]);
        return;
    }
    let (outside, same) = (Builder::before(context, *nest), AffineMap::identity(1));
    affine::for_(&outside, &same, &same, *step, &[], RegionBuilder::take(nest.region(0)))
        .lower_bound_operands(&bounds[..1])
        .upper_bound_operands(&bounds[1..])
        .attrs(&nest.attrs())
        .build();
    nest.erase();
}

/// Whether results cannot depend on how LLVM vectorises the loop over the tasks: scalar arithmetic, which it may vectorise except in the
/// remainder, is a single operation on loaded values, with nothing to reorder or contract.
fn is_order_free(nest: Op<'_>) -> bool {
    let is_single = |op: Op<'_>| {
        let is_number = |value: &Value<'_>| value.ty().is_float_type() || value.ty().is_complex();
        matches!(op.dialect(), "arith" | "math" | "complex")
            && !op.is(arith::CONSTANT)
            && op.results().iter().any(is_number)
    };
    nest.collect(is_single).into_iter().all(|op| {
        let is_read = |value: Value<'_>| value.owner().is_some_and(|owner| !is_single(owner));
        op.dialect() == "arith" && op.operands().into_iter().all(is_read)
    })
}

/// How many tasks have memory for what an iteration allocates.
fn most_in_memory(nest: Op<'_>, limit: i64) -> i64 {
    let own = memory(nest);
    limit / i64::try_from(own).unwrap_or(i64::MAX).max(1)
}

/// The bytes that an operation allocates inside, at most: of operations after each other, those of the one that needs most.
fn memory(nest: Op<'_>) -> u64 {
    let of_block = |block: Block<'_>| {
        let (mut own, mut inside) = (0, 0);
        for op in block.ops() {
            match op.is(memref::ALLOC) {
                true => own += bytes(op.result(0)).unwrap_or(0),
                false => inside = memory(op).max(inside),
            }
        }
        own + inside
    };
    let blocks = nest.regions().into_iter().flat_map(|region| region.blocks());
    blocks.map(of_block).max().unwrap_or(0)
}

/// The same where only panels that are packed while others are multiplied are there twice.
fn most_in_memory_for_many(nest: Op<'_>, limit: i64) -> i64 {
    let copies = 1 + i64::from(!nest.collect(panels::is_pipelined).is_empty());
    most_in_memory(nest, limit) / copies
}

/// Whether a nest fills private memory, such as the panels of a dot.
fn has_memory(nest: Op<'_>) -> bool {
    !nest.collect(|op| op.is(memref::ALLOC)).is_empty()
}

/// Gives each range of tasks of `entry` a slot for the memory that its iterations allocate.
///
/// # Errors
/// `S9002` for an allocation whose size has no bound.
pub fn privatize<'c>(context: &'c Context, entry: Op<'c>) -> Result<(), Diagnostic> {
    let ranges = entry.collect(|op| op.has_attr(TASKS));
    if ranges.is_empty() {
        return Ok(());
    }
    let all = temporaries(entry)?;
    // All are identified before one is erased.
    let mut own: Vec<Vec<&Temporary<'c>>> = vec![Vec::new(); ranges.len()];
    for one in &all {
        if let Some(range) = ranges.iter().position(|range| range.encloses(one.allocation)) {
            own[range].push(one);
        }
    }
    for (range, own) in ranges.into_iter().zip(own) {
        for nest in range.collect(|op| op.has_attr(WHOLE)) {
            nest.remove_attr(WHOLE);
        }
        share(context, range, &own);
    }
    Ok(())
}

fn share<'c>(context: &'c Context, range: Op<'c>, own: &[&Temporary<'c>]) {
    let lifetimes: Vec<Lifetime> = own.iter().filter_map(|one| one.lifetime).collect();
    let layout = match lifetimes.is_empty() {
        true => plan::Layout::default(),
        false => plan::layout(&lifetimes),
    };
    let size = i64::try_from(layout.size.next_multiple_of(plan::ALIGNMENT)).unwrap_or(i64::MAX);
    let tasks = range.attr(TASKS).and_then(|tasks| tasks.as_i64()).unwrap_or(1);
    let outside = Builder::before(context, range);
    // An error here only shows when other tasks run.
    let stride = if strata_ir::planted("tasks-slot") { 0 } else { size };
    let region = (size > 0).then(|| {
        let ty = memref(&[size.saturating_mul(tasks)], integer(context, 8));
        memref::alloc(&outside, ty).alignment(plan::ALIGNMENT as i64).value()
    });
    let start = Builder::at_start(context, range.body(0), range.location());
    let first = region.map(|_| {
        arith::muli(&start, range.body(0).arg(0), start.index(stride))
            .attr(SLOT, unit(context))
            .value()
    });
    let mut offsets = layout.offsets.iter();
    for Temporary { allocation, lifetime } in own {
        let (Some(region), Some(first), Some(_)) = (region, first, lifetime) else {
            allocation.erase();
            continue;
        };
        let offset = offsets.next().copied().unwrap_or(0) as i64;
        // Invariant values are computed once for a range.
        let at = match allocation.operand_count() {
            0 => start,
            _ => Builder::before(context, *allocation),
        };
        let place = at.offset(first, offset);
        let ty = allocation.result(0).ty();
        let plain = ty.shape().map_or(ty, |shape| memref(&shape, ty.element()));
        let view = memref::view(&at, region, place, &allocation.operands(), plain).value();
        allocation.result(0).replace_all_uses_with(view);
        allocation.erase();
    }
}

fn bytes(value: Value<'_>) -> Option<u64> {
    let ty = value.ty();
    ty.element_count()?.checked_mul(ty.element().byte_width()?)
}
