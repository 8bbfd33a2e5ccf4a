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
    Builder, Context, LIMIT, Op, RegionBuilder, TypeExt as _, Value, affine, arith, boolean,
    constant_index, index, int, integer, memref, scf,
    tuning::panels::{K_BLOCK, MAX_COPIED_ROWS, MIN_ACCUMULATORS, PREFETCH_DISTANCE},
    vector,
};

use super::{
    accumulators::{is_outside, is_view, origin},
    counted::{Counted, part_of},
    tasks::WHOLE,
};

/// Rewrites the matmuls in `root` with a packed operand.
pub fn interleave<'c>(context: &'c Context, root: Op<'c>) {
    let loops = root.collect(|op| op.is(scf::FOR) && op.result_count() == 0);
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
            .filter(|tiles| tiles.first == 0 && !tiles.op.has_attr(LIMIT))
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
        self.block(context, &Coming { columns, half: other, panels: both, slots });
        self.copy.op.erase();
        self.panel.erase();
    }

    /// Splits the reduction into blocks of steps with a packing slot before each.
    fn block(&self, context: &'c Context, coming: &Coming<'c>) {
        let Counted { op: whole, last, .. } = self.reduction;
        let before = Builder::before(context, whole);
        let emit = before;
        let cut = last / K_BLOCK * K_BLOCK;
        let types = whole.result_types();
        let zero = whole.operand(0);
        let arguments = [vec![index(context)], types.clone()].concat();
        let body = before.region(&arguments, |inside, arguments| {
            self.slot(inside, arguments[0], coming);
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

    /// Prefetches the next rows of the next panel and copies those prefetched before.
    fn slot(&self, at: &Builder<'c>, block: Value<'c>, coming: &Coming<'c>) {
        let emit = *at;
        let binary = |name, left, right: i64| emit.same(name, &[left, emit.index(right)]);
        let tile = binary(arith::DIVUI, self.tiles.counter(), self.tiles.step);
        let tile = binary(arith::MULI, tile, self.reduction.last / K_BLOCK);
        let asked = emit.same(arith::ADDI, &[tile, binary(arith::DIVUI, block, K_BLOCK)]);
        when(at, emit.cmpi(arith::CmpIPredicate::Ult, asked, coming.slots), |inside| {
            for row in self.rows_of(inside, asked) {
                prefetch(inside.context, &self.row(inside, row, coming));
            }
        });
        // Unsigned, so that the first slots, which have nothing to copy, fail the comparison.
        let copied = binary(arith::SUBI, asked, PREFETCH_DISTANCE);
        when(at, emit.cmpi(arith::CmpIPredicate::Ult, copied, coming.slots), |inside| {
            for row in self.rows_of(inside, copied) {
                let place = inside.same(arith::ADDI, &[row, coming.half]);
                for copied in self.row(inside, row, coming) {
                    for write in copied.collect(|op| op.is(vector::TRANSFER_WRITE)) {
                        write.set_operand(2, place);
                    }
                }
            }
        });
    }

    /// The rows of a slot.
    fn rows_of(&self, at: &Builder<'c>, slot: Value<'c>) -> Vec<Value<'c>> {
        let emit = *at;
        let first = emit.same(arith::MULI, &[slot, emit.index(self.rows)]);
        (0..self.rows).map(|row| emit.offset(first, row)).collect()
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
        Builder::before(context, read)
            .op(memref::PREFETCH)
            .operands(&read.operands()[..=rank])
            .attr("isWrite", boolean(context, false))
            // To L2: L1 is filled by the current panel.
            .attr("localityHint", int(integer(context, 32), 2))
            .attr("isDataCache", boolean(context, true))
            .build();
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
