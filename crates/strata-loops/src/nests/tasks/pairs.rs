//! Tasks over two loops at once, where the outer one has few iterations: panels of channels and rows of an image, images and rows.
//!
//! ```mlir
//! scf.for %j = 0 to 128 step 64 { %panel = memref.alloc() … scf.for %i = 0 to 28 step 1 { … %panel … } }
//! ```
//! with 14 parts of each panel:
//! ```mlir
//! scf.for %begin = 0 to 28 step 28 {
//!   %end = arith.addi %begin, %c28 {strata.end}
//!   scf.for %j = %begin / 14 * 64 to (%end + 13) / 14 * 64 step 64 {
//!     %panel = memref.alloc() …
//!     %first = %j / 64 * 14
//!     scf.for %i = max(%begin - %first, 0) * 2 to min(%end - %first, 14) * 2 step 1 { … %panel … }
//!   }
//! } {strata.tasks = 28, strata.parts = 14}
//! ```
//! A range of tasks does what is before the inner loop once for each iteration of the outer one, so that nothing is repeated on one
//! thread. What several tasks repeat is memory of their own ([`PARTS`]).

use strata_ir::{
    AffineExpr, AffineMap, Builder, Context, Op, RANGES, RegionBuilder, TASKS, Value, View as _,
    WalkOrder, affine, arith, index, int, integer, memref, scf, unit,
};
use strata_target::{
    Target,
    tuning::tasks::{ENOUGH_TASKS, FEW_TRIPS, LONGER_PARTS, MAX_REPEATED, MAX_TASKS},
};

use super::{
    Cut, END, Least, Nest, WHOLE,
    cost::{self, Estimate},
    disjoint::{self, Access},
    has_memory, is_order_free, most_in_memory_for_many,
    ranges::Ranges,
};
use crate::nests::panels;

/// The inner one of two loops whose iterations are tasks.
#[derive(Clone, Copy)]
pub struct Inner<'c> {
    pub nest: Nest<'c>,
    /// The tasks of each iteration of the outer loop.
    pub parts: i64,
    /// Whether these begin with equal work.
    repeats: bool,
}

impl<'c> Inner<'c> {
    /// The loop in `outer`, which has independent iterations and takes `cost`, whose iterations may be tasks, too.
    pub fn of(outer: Nest<'c>, cost: Estimate, target: &Target, least: Least) -> Option<Self> {
        if !(2..=ENOUGH_TASKS).contains(&outer.trips()) {
            return None;
        }
        let loops = outer.op.body(0).ops().into_iter().filter(|op| op.region_count() > 0);
        let loops = loops.map(|op| (op, cost::estimate(op, target).nanoseconds));
        let (op, inside) = loops.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        let nest = Nest::of(op)?;
        // A dot that packs its next panel beside a whole panel's multiplication.
        if panels::is_pipelined(outer.op) || !(op.is(scf::FOR) || outer.op.is(affine::FOR)) {
            return None;
        }
        let repeats = repeats(outer.op, op)?;
        // Without memory of their own, all threads get single tasks, one as well.
        if outer.trips() > FEW_TRIPS && !has_memory(outer.op) && least.nest > 0.0 {
            return None;
        }
        // One thread does it once for a range of tasks.
        let are_ranges = !repeats || (outer.op.is(scf::FOR) && is_order_free(outer.op));
        if !are_ranges || !disjoint::trips_are_disjoint(op, nest.step) {
            return None;
        }
        let before = (cost.nanoseconds / outer.trips() as f64 - inside).max(1.0);
        let fitting = (inside / before * MAX_REPEATED) as i64;
        let most = if least.nest == 0.0 { i64::MAX } else { fitting };
        let memory = most_in_memory_for_many(outer.op, cost.most_memory());
        let all = MAX_TASKS.min(least.most(cost) / LONGER_PARTS).min(memory);
        let most = most.min(all / outer.trips()).min(nest.trips());
        if most < 2 {
            return None;
        }
        let length = (nest.trips() + most - 1) / most;
        let parts = (nest.trips() + length - 1) / length;
        (parts > 1).then_some(Self { nest, parts, repeats })
    }
}

/// Whether what `outer` does before the loop `inner` fills memory of an iteration of its own, so that several tasks may do the same; `None`
/// if they may not, or if something is done after it.
pub(super) fn repeats<'c>(outer: Op<'c>, inner: Op<'c>) -> Option<bool> {
    let body = outer.body(0).ops();
    let at = body.iter().position(|op| *op == inner)?;
    let is_simple = |op: &Op<'c>| op.region_count() == 0 && !writes(*op);
    if !body[at + 1..].iter().all(is_simple) {
        return None;
    }
    let mut ranges = Ranges::new(outer);
    let mut accesses = |ops: &[Op<'c>]| {
        let mut found: Option<Vec<Access<'c>>> = Some(Vec::new());
        for op in ops {
            op.walk(WalkOrder::Pre, &mut |op| {
                if let Some(all) = &mut found
                    && disjoint::look_at(op, Some(outer), &mut ranges, all).is_none()
                {
                    found = None;
                }
            });
        }
        found
    };
    let (before, inside) = (accesses(&body[..at])?, accesses(&[inner])?);
    let is_written = |root| inside.iter().any(|one| one.is_write && one.root == root);
    if before.iter().any(|one| one.is_write || is_written(one.root)) {
        return None;
    }
    Some(!body[..at].iter().all(is_simple))
}

fn writes(op: Op<'_>) -> bool {
    let mut found = Vec::new();
    op.is(memref::COPY)
        || disjoint::look_at(op, None, &mut Ranges::new(op), &mut found).is_none()
        || found.iter().any(|access| access.is_write)
}

impl<'c> Cut<'c> {
    /// Splits two loops.
    pub(super) fn cut_pair(&self, context: &'c Context, inner: &Inner<'c>) -> Option<Op<'c>> {
        let Nest { op, first, last, step } = self.nest;
        let Inner { nest, repeats, .. } = *inner;
        let are_whole = [(first, last, step), (nest.first, nest.last, nest.step)]
            .map(|(first, last, step)| first == 0 && last % step == 0);
        let packs = are_whole == [true; 2] && has_memory(op) && is_order_free(op);
        if op.is(scf::FOR) {
            self.nest.mark_limited(context);
            nest.mark_limited(context);
        }
        match op.is(affine::FOR) {
            true => Some(self.cut_affine_pair(context, inner)),
            false if repeats || packs => {
                for (op, is_whole) in [op, nest.op].into_iter().zip(are_whole) {
                    if is_whole {
                        op.set_attr(WHOLE, unit(context));
                    }
                }
                self.cut_ranges(context, inner)
            }
            false => self.cut_counted_pair(context, inner),
        }
    }

    /// Splits two loops into ranges of tasks, in all iterations of the outer one that have tasks in a range.
    fn cut_ranges(&self, context: &'c Context, inner: &Inner<'c>) -> Option<Op<'c>> {
        let Nest { op, first, step, .. } = self.nest;
        let Inner { nest, parts, .. } = *inner;
        let outside = Builder { location: op.location(), ..Builder::before(context, op.next()?) };
        let (zero, count) = (outside.index(0), outside.index(self.tasks));
        let body = outside.region(&[index(context)], |emit, arguments| {
            let begin = arguments[0];
            let end = emit
                .op(arith::ADDI)
                .operands(&[begin, count])
                .attr(END, unit(context))
                .result(index(context))
                .value();
            let number = |task| emit.offset(scaled(emit, divided(emit, task, parts), step), first);
            let bounds = [number(begin), number(emit.offset(end, parts - 1))];
            emit.adopt(op);
            op.set_operand(0, bounds[0]);
            op.set_operand(1, bounds[1]);
            let start = Builder::at_start(context, op.body(0), nest.op.location());
            let passed = start.offset(op.body(0).arg(0), -first);
            let passed = scaled(&start, divided(&start, passed, step), parts);
            let [low, high] = [begin, end].map(|task| start.same(arith::SUBI, &[task, passed]));
            let low = start.same(arith::MAXSI, &[low, start.index(0)]);
            let high = start.same(arith::MINSI, &[high, start.index(parts)]);
            inner.bind(&start, [low, high]);
            emit.op(scf::YIELD).build();
        });
        let range = self.loop_of(&outside, [zero, count, count], body);
        range.set_attr(RANGES, unit(context));
        Some(range)
    }

    /// Splits two loops into single tasks: LLVM does not find the addresses of a loop whose start is a maximum.
    fn cut_counted_pair(&self, context: &'c Context, inner: &Inner<'c>) -> Option<Op<'c>> {
        let Nest { op, first, step, .. } = self.nest;
        let outside = Builder { location: op.location(), ..Builder::before(context, op.next()?) };
        let [zero, count, one] = [0, self.tasks, 1].map(|number| outside.index(number));
        let body = outside.region(&[index(context)], |emit, arguments| {
            let trip = divided(emit, arguments[0], inner.parts);
            let part = emit.same(arith::REMUI, &[arguments[0], emit.index(inner.parts)]);
            let number = emit.offset(scaled(emit, trip, step), first);
            emit.adopt(op);
            op.set_operand(0, number);
            let before = Builder::before(context, op);
            op.set_operand(1, before.offset(number, step));
            inner.bind(&before, [part, before.offset(part, 1)]);
            emit.op(scf::YIELD).build();
        });
        Some(self.loop_of(&outside, [zero, count, one], body))
    }

    fn cut_affine_pair(&self, context: &'c Context, inner: &Inner<'c>) -> Op<'c> {
        let Nest { op, first, step, .. } = self.nest;
        let Inner { nest, parts, .. } = *inner;
        let map = |result| AffineMap::new(1, vec![result]);
        let task = || AffineExpr::dim(0);
        let number = |more: i64| map((task().floor_div(parts) + more) * step + first);
        let part = || AffineExpr::Mod(Box::new(task()), Box::new(AffineExpr::Constant(parts)));
        let (none, all) = (AffineMap::constant(0), AffineMap::constant(self.tasks));
        let outside = Builder::before(context, op);
        let body = outside.region(&[index(context)], |inside, arguments| {
            let own = RegionBuilder::take(op.region(0));
            affine::for_(inside, &number(0), &number(1), step, &[], own)
                .lower_bound_operands(arguments)
                .upper_bound_operands(arguments)
                .attrs(&op.attrs())
                .build();
            let within = Builder::before(context, nest.op);
            if nest.op.is(scf::FOR) {
                let part = within.same(arith::REMUI, &[arguments[0], within.index(parts)]);
                inner.bind(&within, [part, within.offset(part, 1)]);
            } else {
                let bound = |more: i64| {
                    let trip = ((part() + more) * nest.trips()).floor_div(parts);
                    map(trip * nest.step + nest.first)
                };
                let body = RegionBuilder::take(nest.op.region(0));
                affine::for_(&within, &bound(0), &bound(1), nest.step, &[], body)
                    .lower_bound_operands(arguments)
                    .upper_bound_operands(arguments)
                    .attrs(&nest.op.attrs())
                    .build();
                nest.op.erase();
            }
            affine::yield_(inside, &[]).build();
        });
        let range = affine::for_(&outside, &none, &all, 1, &[], body)
            .attr(TASKS, int(integer(context, 64), self.tasks))
            .build();
        op.erase();
        range.op()
    }
}

impl<'c> Inner<'c> {
    /// Gives the loop a range of the parts of its trips.
    fn bind(&self, at: &Builder<'c>, parts: [Value<'c>; 2]) {
        let trips = self.nest.trips();
        for (operand, part) in parts.into_iter().enumerate() {
            let trip = match trips % self.parts {
                0 => scaled(at, part, trips / self.parts),
                _ => divided(at, scaled(at, part, trips), self.parts),
            };
            let bound = at.offset(scaled(at, trip, self.nest.step), self.nest.first);
            self.nest.op.set_operand(operand, bound);
        }
    }
}

fn scaled<'c>(at: &Builder<'c>, value: Value<'c>, by: i64) -> Value<'c> {
    if by == 1 { value } else { at.same(arith::MULI, &[value, at.index(by)]) }
}

fn divided<'c>(at: &Builder<'c>, value: Value<'c>, by: i64) -> Value<'c> {
    if by == 1 { value } else { at.same(arith::DIVUI, &[value, at.index(by)]) }
}
