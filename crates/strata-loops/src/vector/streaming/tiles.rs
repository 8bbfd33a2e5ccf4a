//! Tiles of an output that a transpose writes: whole lines of several rows in each iteration.
//!
//! Every row of the output begins with a line if the output does and rows are whole lines, which is known when it is called:
//!
//! ```mlir
//! scf.for %i = … { 16 x vector.store %v, %out[%i + …, %j …] }
//! ```
//! becomes
//! ```mlir
//! %rest = …                                   // the address, up to a line
//! scf.if (%rest == 0) { the loop with … {alignment = 32, nontemporal} }
//! scf.if (%rest != 0) { the loop }
//! ```

use rustc_hash::FxHashMap;
use strata_ir::{
    Builder, Context, LIMIT, Op, TypeExt as _, Value, arith, boolean, constant_index, index, int,
    integer, memref, memref_layout, scf, vector,
};
use strata_target::tuning::streaming::MAX_OPEN_LINES;

use super::{LINE, Outputs, rows::is_pure_or_reads};

/// A loop whose iterations write whole lines of several rows of an output.
pub struct Tiles<'c> {
    op: Op<'c>,
    buffer: Value<'c>,
    /// Bytes of a vector.
    bytes: i64,
}

/// The stores to a row in an iteration: the value that all columns have in common, and what is added to it.
type Columns<'c> = (Option<Value<'c>>, Vec<i64>);

impl<'c> Tiles<'c> {
    /// Reads a loop; `None` if it is none such, or writes no output that bypasses the caches.
    pub fn of(op: Op<'c>, outputs: &Outputs<'c>) -> Option<Self> {
        if !op.is(scf::FOR) || op.result_count() > 0 || op.has_attr(LIMIT) {
            return None;
        }
        let ops = op.body(0).ops();
        let stores: Vec<_> = ops.iter().copied().filter(|op| op.is(vector::STORE)).collect();
        let first = stores.first()?;
        let (buffer, ty) = (first.operand(1), first.operand(0).ty());
        let written = |base: Value<'c>| base == buffer;
        let is_one = |store: &Op<'c>| store.operand(1) == buffer && store.operand(0).ty() == ty;
        let is_output = buffer.block_arg().is_some() && outputs.has(buffer);
        let is_known = |op: &Op<'c>| op.region_count() == 0 && is_pure_or_reads(*op, &written);
        if !is_output || !stores.iter().all(is_one) || !ops.iter().all(is_known) {
            return None;
        }
        let lanes = i64::try_from(ty.element_count()?).ok()?;
        let width = i64::try_from(ty.element().byte_width()?).ok()?;
        let (strides, offset) = memref_layout(buffer.ty())?;
        let (last, rows) = strides.split_last()?;
        // Strides that are not known are negative.
        let is_whole = |elements: &i64| *elements >= 0 && elements % LINE * width % LINE == 0;
        let fits = ty.rank() == Some(1)
            && ty.element() == buffer.ty().element()
            && matches!(lanes * width, 16 | 32 | 64)
            && (*last, offset) == (1, 0)
            && !rows.is_empty()
            && rows.iter().all(is_whole);
        if !fits {
            return None;
        }
        let mut written: FxHashMap<Vec<Value<'c>>, Columns<'c>> = FxHashMap::default();
        for store in &stores {
            let mut place = store.operands().split_off(2);
            let (base, more) = split(place.pop()?);
            let (known, columns) = written.entry(place).or_insert_with(|| (base, Vec::new()));
            if *known != base {
                return None;
            }
            columns.push(more);
        }
        let is_lines = |(base, columns): &mut Columns<'c>| {
            columns.sort_unstable();
            let first = columns[0];
            let is_dense =
                columns.iter().zip(0..).all(|(at, number)| *at == first + number * lanes);
            let begins = base.is_none_or(|base| is_whole(&divisor(base))) && is_whole(&first);
            is_dense && begins && is_whole(&(lanes * columns.len() as i64))
        };
        // Few lines are written in several pieces at a time.
        let is_open = lanes * width < LINE && written.len() > MAX_OPEN_LINES;
        #[expect(clippy::disallowed_methods, reason = "whether all are is the same in each order")]
        let all = written.values_mut().all(is_lines);
        (all && !is_open && written.len() > 1).then_some(Self { op, buffer, bytes: lanes * width })
    }

    /// Makes the lines bypass the caches where the output begins with one.
    pub fn stream(&self, context: &'c Context) {
        let emit = Builder::before(context, self.op);
        let start = memref::extract_aligned_pointer_as_index(&emit, self.buffer, index(context));
        let rest = emit.same(arith::ANDI, &[start.value(), emit.index(LINE - 1)]);
        for (predicate, is_streamed) in
            [(arith::CmpIPredicate::Eq, true), (arith::CmpIPredicate::Ne, false)]
        {
            let holds = emit.cmpi(predicate, rest, emit.index(0));
            let body = emit.region(&[], |inside, _| {
                let copy = inside.insert(self.op.clone_detached());
                for store in copy.body(0).ops().into_iter().filter(|op| op.is(vector::STORE)) {
                    if is_streamed {
                        store.set_attr("nontemporal", boolean(context, true));
                        store.set_attr("alignment", int(integer(context, 64), self.bytes));
                    }
                }
                scf::yield_(inside, &[]).build();
            });
            emit.when(holds, body);
        }
        self.op.erase();
    }
}

/// A value as another one and a constant, or as a constant.
fn split<'c>(value: Value<'c>) -> (Option<Value<'c>>, i64) {
    if let Some(known) = constant_index(value) {
        return (None, known);
    }
    let sum = value.owner().filter(|op| op.is(arith::ADDI));
    let known = sum.and_then(|op| Some((op.operand(0), constant_index(op.operand(1))?)));
    match known {
        Some((base, more)) => {
            let (base, less) = split(base);
            (base, more + less)
        }
        None => (Some(value), 0),
    }
}

/// A number that divides the value in every iteration; 0 for zero.
fn divisor(value: Value<'_>) -> i64 {
    if let Some(known) = constant_index(value) {
        return known.abs();
    }
    if let Some((block, 0)) = value.block_arg() {
        let each = block.parent_op().filter(|op| op.is(scf::FOR));
        return each.map_or(1, |op| common(divisor(op.operand(0)), divisor(op.operand(2))));
    }
    let Some(op) = value.owner() else { return 1 };
    match op.name() {
        arith::ADDI => common(divisor(op.operand(0)), divisor(op.operand(1))),
        arith::MULI => divisor(op.operand(0)).saturating_mul(divisor(op.operand(1))),
        _ => 1,
    }
}

fn common(one: i64, other: i64) -> i64 {
    if other == 0 { one } else { common(other, one % other) }
}
