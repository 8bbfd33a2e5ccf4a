//! Software-pipelined packing: packs the next panel of a matmul during the multiplication of the
//! current one.
//!
//! Packing is bound by memory, multiplication by arithmetic. Done one after the other, their times
//! add up; packing a row of the next panel after every few steps of the reduction is nearly free.
//!
//! Before:
//! ```mlir
//! %panel = memref.alloc() : memref<512x64xf32>
//! scf.for %j = 0 to 512 step 64 {
//!   scf.for %row = 0 to 512 step 1 { … %b[%row, %j + …] to %panel[%row, …] }
//!   scf.for %i = 0 to 510 step 6 {
//!     %sums:24 = scf.for %k = 0 to 512 step 1 iter_args(…) { … %a[%i, %k] … %panel[%k, 0] … }
//!   }
//! }
//! ```
//! After:
//! ```mlir
//! %panels = memref.alloc() : memref<1024x64xf32>
//! scf.for %row = 0 to 512 step 1 { … %b[%row, 0 + …] to %panels[%row, …] }
//! scf.for %j = 0 to 512 step 64 {
//!   %this = … %j / 64 mod 2 * 512 …        // the half of %panels that this panel is in
//!   %next = 512 - %this
//!   scf.for %i = 0 to 510 step 6 {
//!     %sums:24 = scf.for %block = 0 to 512 step 64 iter_args(…) {
//!       %slot = … %i / 6 * 8 + %block / 64 …
//!       // a row asked for, and one that was asked for earlier copied, while there are any
//!       scf.if … { memref.prefetch %b[%slot, %j + 64 + …] }
//!       scf.if … { … %b[%slot - 8, %j + 64 + …] to %panels[%slot - 8 + %next, …] }
//!       scf.for %k = 0 to 64 step 1 iter_args(…) {
//!         … %a[%i, %block + %k] … %panels[%block + %k + %this, 0] …
//!       }
//!     }
//!   }
//! }
//! ```

use rustc_hash::FxHashMap;
use strata_ir::{
    Builder, Context, LIMIT, Op, PACKED, RegionBuilder, TypeExt as _, Value, affine, arith,
    boolean, constant_index, index, int, integer, memref, scf, vector,
};
use strata_target::tuning::panels::{
    K_BLOCK, LINE_BYTES, MAX_COPIED_ROWS, MIN_ACCUMULATORS, PREFETCH_DISTANCE,
};

use super::{
    accumulators::{is_outside, is_view, origin},
    counted::{Counted, part_of},
    limits,
    tasks::WHOLE,
};

/// Rewrites the matmuls in `root` with a packed operand.
pub fn interleave<'c>(context: &'c Context, root: Op<'c>) {
    let loops = root.collect(|op| op.is(scf::FOR) && op.result_count() == 0);
    let stored: Vec<_> = loops.iter().filter_map(|op| Stored::of(*op)).collect();
    stored.iter().for_each(|stored| stored.rewrite(context));
    // Finds all of them first: rewriting erases loops.
    let products: Vec<_> = loops.into_iter().filter_map(Product::of).collect();
    let mut done: Vec<Op<'c>> = Vec::new();
    for product in products {
        let own = product.panels.op;
        if done.iter().all(|other| !other.encloses(own) && !own.encloses(*other)) {
            product.rewrite(&Builder::before(context, own));
            done.push(own);
        }
    }
}

/// Whether [`interleave`] changes `op`, a loop over panels.
pub fn is_pipelined(op: Op<'_>) -> bool {
    op.is(scf::FOR)
        && op.result_count() == 0
        && (Stored::of(op).is_some() || Product::of(op).is_some())
}

/// A matmul over panels.
struct Product<'c> {
    panels: Panels<'c>,
    /// Packs one panel, a row per iteration.
    copy: Counted<'c>,
    panel: Op<'c>,
    height: i64,
    width: i64,
    /// Reads of the panel.
    reads: Vec<Op<'c>>,
    tiles: Counted<'c>,
    reduction: Counted<'c>,
    /// The number of rows copied at once.
    rows: i64,
}

impl<'c> Product<'c> {
    fn of(op: Op<'c>) -> Option<Self> {
        let panels = Panels::of(op)?;
        let loops: Vec<Counted<'c>> =
            panels.op.body(0).ops().into_iter().filter_map(Counted::of).collect();
        let (copy, panel) = loops.iter().find_map(|one| Some((*one, copied(*one, panels)?)))?;
        let [height, width] = panel.result(0).ty().shape()?[..] else { return None };
        if copy.first != 0 || copy.step != 1 || copy.last != height {
            return None;
        }
        let later: Vec<Op<'c>> =
            panels.op.body(0).ops().into_iter().skip_while(|op| *op != copy.op).collect();
        let mut reads = Vec::new();
        for (user, position) in panel.result(0).uses() {
            if copy.op.encloses(user) {
                continue;
            }
            let is_read = user.is(vector::TRANSFER_READ) && position == 0;
            if !is_read || !later.iter().any(|op| op.encloses(user)) {
                return None;
            }
            reads.push(user);
        }
        // The multiplication must not write to the source of packing.
        let written = written(panels.op, copy.op)?;
        for read in copy.op.collect(|op| op.is(vector::TRANSFER_READ)) {
            if written.contains(&origin(read.operand(0))?) {
                return None;
            }
        }
        let (tiles, reduction) = loops
            .into_iter()
            // A loop that may end before its bound has not all slots.
            .filter(|tiles| tiles.first == 0 && !limits::may_end_early(tiles.op))
            .filter_map(|tiles| Some((tiles, register_reduction(tiles)?)))
            .filter(|(_, reduction)| reads.iter().any(|read| reduction.op.encloses(*read)))
            .max_by_key(|(tiles, _)| tiles.trips())?;
        let slots = tiles.trips() * (reduction.last / K_BLOCK);
        let rows = (1..=MAX_COPIED_ROWS)
            .find(|rows| height % rows == 0 && height / rows + PREFETCH_DISTANCE <= slots)?;
        Some(Self { panels, copy, panel, height, width, reads, tiles, reduction, rows })
    }

    /// Rewrites the loop after `before`.
    fn rewrite(&self, before: &Builder<'c>) {
        let both = before
            .op(memref::ALLOC)
            .attrs(&self.panel.attrs())
            .result(memref(&[2 * self.height, self.width], self.panel.result(0).ty().element()))
            .value();
        let first = (self.panels.counter(), self.panels.op.operand(0));
        let mut known = FxHashMap::from_iter([first, (self.panel.result(0), both)]);
        before.copy(self.copy.op, &mut known);

        let context = before.context;
        let counter = self.panels.counter();
        let start = Builder::at_start(context, self.panels.op.body(0), self.panels.op.location());
        // Panels alternate between the two halves of a double buffer.
        let emit = start;
        let binary = |name, left, right: i64| emit.same(name, &[left, emit.index(right)]);
        let passed = match self.panels.last {
            Some(_) => counter,
            None => emit.same(arith::SUBI, &[counter, self.panels.op.operand(0)]),
        };
        let parity = binary(arith::REMUI, binary(arith::DIVUI, passed, self.panels.step), 2);
        let half = binary(arith::MULI, parity, self.height);
        let other = emit.same(arith::SUBI, &[emit.index(self.height), half]);
        for read in &self.reads {
            let emit = Builder::before(context, *read);
            let row = emit.same(arith::ADDI, &[read.operand(1), half]);
            read.set_operand(0, both);
            read.set_operand(1, row);
        }
        let columns = emit.offset(counter, self.panels.step);
        let last = self.panels.last.map(|last| emit.index(last));
        let any = emit.cmpi(
            arith::CmpIPredicate::Slt,
            columns,
            last.unwrap_or(self.panels.op.operand(1)),
        );
        let slots = emit.select(any, emit.index(self.height / self.rows), emit.index(0));
        let coming = Coming { columns, half: other, panels: both, slots };
        block(context, self.tiles, self.reduction, |at, slot| self.slot(at, slot, &coming));
        self.copy.op.erase();
        self.panel.erase();
    }

    /// Prefetches the next rows of the next panel and copies those prefetched before.
    fn slot(&self, at: &Builder<'c>, asked: Value<'c>, coming: &Coming<'c>) {
        let emit = *at;
        let binary = |name, left, right: i64| emit.same(name, &[left, emit.index(right)]);
        when(at, emit.cmpi(arith::CmpIPredicate::Ult, asked, coming.slots), |inside| {
            for row in rows_of(inside, asked, self.rows) {
                prefetch(inside.context, &self.row(inside, row, coming));
            }
        });
        // Unsigned, so that the first slots, which have nothing to copy, fail the comparison.
        let copied = binary(arith::SUBI, asked, PREFETCH_DISTANCE);
        when(at, emit.cmpi(arith::CmpIPredicate::Ult, copied, coming.slots), |inside| {
            for row in rows_of(inside, copied, self.rows) {
                let place = inside.same(arith::ADDI, &[row, coming.half]);
                for copied in self.row(inside, row, coming) {
                    for write in copied.collect(|op| op.is(vector::TRANSFER_WRITE)) {
                        write.set_operand(2, place);
                    }
                }
            }
        });
    }

    /// The operations that copy one row of the next panel.
    fn row(&self, at: &Builder<'c>, row: Value<'c>, coming: &Coming<'c>) -> Vec<Op<'c>> {
        let mut known = FxHashMap::from_iter([
            (self.copy.counter(), row),
            (self.panels.counter(), coming.columns),
            (self.panel.result(0), coming.panels),
        ]);
        let body = self.copy.body();
        let moves = body.ops().into_iter().filter(|op| Some(*op) != body.terminator());
        moves.map(|op| at.copy(op, &mut known)).collect()
    }
}

/// Splits the reduction of the tiles of a panel into blocks of steps; before each comes what `slot` builds, given the block's number in
/// the panel.
fn block<'c>(
    context: &'c Context,
    tiles: Counted<'c>,
    reduction: Counted<'c>,
    slot: impl Fn(&Builder<'c>, Value<'c>),
) {
    let Counted { op: whole, last, .. } = reduction;
    let before = Builder::before(context, whole);
    let emit = before;
    let cut = last / K_BLOCK * K_BLOCK;
    let types = whole.result_types();
    let zero = whole.operand(0);
    let arguments = [vec![index(context)], types.clone()].concat();
    let body = before.region(&arguments, |inside, arguments| {
        let binary = |name, left, right: i64| inside.same(name, &[left, inside.index(right)]);
        let tile = binary(arith::DIVUI, tiles.counter(), tiles.step);
        let tile = binary(arith::MULI, tile, last / K_BLOCK);
        let number = binary(arith::DIVUI, arguments[0], K_BLOCK);
        slot(inside, inside.same(arith::ADDI, &[tile, number]));
        let part = part_of(inside, whole, [zero, emit.index(K_BLOCK)], &arguments[1..]);
        let step = part.body(0).arg(0);
        let within = Builder::at_start(context, part.body(0), whole.location());
        let at = within.same(arith::ADDI, &[arguments[0], step]);
        step.replace_all_uses_with(at);
        if let Some(sum) = at.owner() {
            sum.set_operand(1, step);
        }
        inside.op(scf::YIELD).operands(&part.results()).build();
    });
    let blocks = before
        .op(scf::FOR)
        .operands(&[zero, emit.index(cut), emit.index(K_BLOCK)])
        .operands(&whole.operands()[3..])
        .results(&types)
        .region(body)
        .build();
    let done = match cut < last {
        true => {
            let bounds = [emit.index(cut), whole.operand(1)];
            part_of(&before, whole, bounds, &blocks.results())
        }
        false => blocks,
    };
    for (old, new) in whole.results().into_iter().zip(done.results()) {
        old.replace_all_uses_with(new);
    }
    whole.erase();
}

/// The `rows` rows of a slot.
fn rows_of<'c>(at: &Builder<'c>, slot: Value<'c>, rows: i64) -> Vec<Value<'c>> {
    let first = at.same(arith::MULI, &[slot, at.index(rows)]);
    (0..rows).map(|row| at.offset(first, row)).collect()
}

/// A matmul over panels of a constant, which were packed by the compiler: the next one is only asked for. Its reduction is split where that of
/// a [`Product`] would be, so that sums are added in the same order.
///
/// ```mlir
/// %panels = memref.get_global @w : memref<8x512x64xf32>
/// scf.for %j = 0 to 512 step 64 {
///   scf.for %i = 0 to 510 step 6 {
///     %sums:24 = scf.for %k = 0 to 512 step 1 iter_args(…) { … %a[%i, %k] … %panels[%j / 64, %k, 0] … }
///   }
/// }
/// ```
struct Stored<'c> {
    panels: Panels<'c>,
    tiles: Counted<'c>,
    reduction: Counted<'c>,
    /// A read of the current panel.
    read: Op<'c>,
    /// The number of rows that are asked for at once.
    rows: i64,
}

impl<'c> Stored<'c> {
    fn of(op: Op<'c>) -> Option<Self> {
        let panels = Panels::of(op)?;
        // The outermost loop of the nest says so.
        let mut around = std::iter::successors(Some(op), |op| op.parent());
        around.any(|op| op.has_attr(PACKED)).then_some(())?;
        let loops = panels.op.body(0).ops().into_iter().filter_map(Counted::of);
        let (tiles, reduction) = loops
            .filter(|tiles| tiles.first == 0 && !tiles.op.has_attr(LIMIT))
            .filter_map(|tiles| Some((tiles, register_reduction(tiles)?)))
            .max_by_key(|(tiles, _)| tiles.trips())?;
        let height = reduction.last;
        let slots = tiles.trips() * (height / K_BLOCK);
        let rows = (1..=MAX_COPIED_ROWS)
            .find(|rows| height % rows == 0 && height / rows + PREFETCH_DISTANCE <= slots)?;
        let read = reduction.body().ops().into_iter().find(|read| {
            read.is(vector::TRANSFER_READ) && is_stored_panel(*read, panels, reduction)
        })?;
        Some(Self { panels, tiles, reduction, read, rows })
    }

    fn rewrite(&self, context: &'c Context) {
        let start = Builder::at_start(context, self.panels.op.body(0), self.panels.op.location());
        let coming = start.offset(self.panels.counter(), self.panels.step);
        let last = self.panels.last.map_or(self.panels.op.operand(1), |last| start.index(last));
        let any = start.cmpi(arith::CmpIPredicate::Slt, coming, last);
        let slots = start.select(any, start.index(self.reduction.last / self.rows), start.index(0));
        let memory = self.read.operand(0);
        let shape = memory.ty().shape().unwrap_or_default();
        let mut known = FxHashMap::from_iter([(self.panels.counter(), coming)]);
        let around = (1..shape.len().saturating_sub(1)).map(|at| {
            let index = self.read.operand(at);
            index.owner().map_or(index, |owner| start.copy(owner, &mut known).result(0))
        });
        let around: Vec<_> = around.collect();
        let bytes = memory.ty().element().byte_width().unwrap_or(1);
        let line = (LINE_BYTES / bytes).max(1) as usize;
        block(context, self.tiles, self.reduction, |at, slot| {
            when(at, at.cmpi(arith::CmpIPredicate::Ult, slot, slots), |inside| {
                for row in rows_of(inside, slot, self.rows) {
                    for column in (0..shape.last().copied().unwrap_or(0)).step_by(line) {
                        let place = [row, inside.index(column)];
                        ask(inside, &[&[memory], around.as_slice(), &place].concat());
                    }
                }
            });
        });
    }
}

/// Whether `read` is of row `k` of the panel, where `reduction` counts to `k`, in a constant that has the panels one after the other.
fn is_stored_panel<'c>(read: Op<'c>, panels: Panels<'c>, reduction: Counted<'c>) -> bool {
    let memory = read.operand(0);
    let shape = memory.ty().shape().unwrap_or_default();
    let [_, .., height, _] = shape[..] else { return false };
    let rank = shape.len();
    let number = |at: usize| read.operand(at).owner().filter(|owner| owner.is(affine::APPLY));
    // What is computed from counters around the panel can be computed before it.
    let is_around = |at: usize| {
        let index = read.operand(at);
        let known = |value: Value<'c>| value == panels.counter() || is_outside(value, panels.op);
        is_outside(index, panels.op)
            || number(at).is_some_and(|op| op.operands().into_iter().all(known))
    };
    memory.owner().is_some_and(|owner| owner.is(memref::GET_GLOBAL))
        && height == reduction.last
        && read.operand(rank - 1) == reduction.counter()
        && number(rank - 2).is_some_and(|op| op.operands() == [panels.counter()])
        && (1..rank - 2).all(is_around)
}

/// Prefetches what is at an index of a buffer.
fn ask<'c>(at: &Builder<'c>, place: &[Value<'c>]) {
    at.op(memref::PREFETCH)
        .operands(place)
        .attr("isWrite", boolean(at.context, false))
        // To L2: L1 is filled by the current panel.
        .attr("localityHint", int(integer(at.context, 32), 2))
        .attr("isDataCache", boolean(at.context, true))
        .build();
}

/// The loop over the panels.
#[derive(Clone, Copy)]
struct Panels<'c> {
    op: Op<'c>,
    step: i64,
    /// The bounds of the loop, with `None` for a dynamic upper bound.
    last: Option<i64>,
}

impl<'c> Panels<'c> {
    /// Reads a loop over whole panels, of more than one.
    fn of(op: Op<'c>) -> Option<Self> {
        if op.has_attr(WHOLE) {
            let step = constant_index(op.operand(2))?;
            return Some(Self { op, step, last: None });
        }
        let Counted { first, last, step, .. } = Counted::of(op)?;
        (first == 0 && last % step == 0 && last > step).then_some(Self {
            op,
            step,
            last: Some(last),
        })
    }

    fn counter(&self) -> Value<'c> {
        self.op.body(0).arg(0)
    }
}

/// The panel after the current one.
struct Coming<'c> {
    /// Its first column in the operand.
    columns: Value<'c>,
    /// The first row of its half of `panels`.
    half: Value<'c>,
    /// The double buffer.
    panels: Value<'c>,
    /// The number of slots with rows to copy: 0 if there is no next panel.
    slots: Value<'c>,
}

/// The allocation that `copy`, in the loop over `panels`, fills with vectors, row by row.
fn copied<'c>(copy: Counted<'c>, panels: Panels<'c>) -> Option<Op<'c>> {
    let inside = copy.op.collect(|op| op != copy.op);
    let known = |value: &Value<'c>| {
        *value == panels.counter() || is_outside(*value, panels.op) || !is_outside(*value, copy.op)
    };
    let panel = inside.iter().find(|op| op.is(vector::TRANSFER_WRITE))?.operand(1);
    for op in &inside {
        let fits = match op.name() {
            vector::TRANSFER_WRITE => op.operand(1) == panel && op.operand(2) == copy.counter(),
            vector::TRANSFER_READ => {
                let users = op.result(0).uses();
                op.operand(0) != panel
                    && users.iter().all(|(user, _)| user.is(vector::TRANSFER_WRITE))
            }
            scf::FOR | scf::YIELD => true,
            _ => matches!(op.dialect(), "affine" | "arith") && op.region_count() == 0,
        };
        // The panel itself may be allocated where it is filled.
        if !fits || !op.operands().iter().all(|value| *value == panel || known(value)) {
            return None;
        }
    }
    panel.owner().filter(|owner| owner.is(memref::ALLOC) && owner.operand_count() == 0)
}

/// What operations in `root` but not in `except` write; `None` if unknown.
fn written<'c>(root: Op<'c>, except: Op<'c>) -> Option<Vec<Value<'c>>> {
    let mut found = Vec::new();
    for op in root.collect(|op| !except.encloses(op)) {
        match op.name() {
            vector::TRANSFER_WRITE | memref::STORE | affine::STORE => {
                found.push(origin(op.operand(1))?);
            }
            vector::TRANSFER_READ | memref::LOAD | affine::LOAD => {}
            _ if is_view(op) => {}
            _ if op.operands().iter().any(|one| one.ty().is_memref_type()) => return None,
            _ => {}
        }
    }
    Some(found)
}

/// The loop in `tiles` that keeps a register tile of sums.
fn register_reduction(tiles: Counted<'_>) -> Option<Counted<'_>> {
    let loops = tiles.body().ops().into_iter().filter_map(Counted::of);
    let mut reductions = loops.filter(|one| {
        one.first == 0
            && one.step == 1
            && one.last >= 2 * K_BLOCK
            && one.op.result_count() >= MIN_ACCUMULATORS
            && !limits::is_exact(one.op)
            && one.body().ops().iter().all(|op| op.region_count() == 0)
    });
    reductions.next()
}

/// Replaces the copy of a row by prefetches of its source.
fn prefetch<'c>(context: &'c Context, row: &[Op<'c>]) {
    let named = |name| row.iter().flat_map(|op| op.collect(|op| op.is(name))).collect::<Vec<_>>();
    let (reads, writes) = (named(vector::TRANSFER_READ), named(vector::TRANSFER_WRITE));
    writes.into_iter().for_each(Op::erase);
    for read in reads {
        let rank = read.operand(0).ty().rank().unwrap_or(0);
        ask(&Builder::before(context, read), &read.operands()[..=rank]);
        read.erase();
    }
}

/// `scf.if` without `else`.
fn when<'c>(at: &Builder<'c>, condition: Value<'c>, then: impl FnOnce(&Builder<'c>)) {
    let then = at.region(&[], |inside, _| {
        then(inside);
        inside.op(scf::YIELD).build();
    });
    at.op(scf::IF).operand(condition).region(then).region(RegionBuilder::empty()).build();
}
