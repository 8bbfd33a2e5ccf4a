//! Loops that write a row of an output in vectors, and what they become.

use rustc_hash::FxHashMap;
use strata_ir::{
    Builder, Context, Op, TypeExt as _, Value, arith, boolean, constant_index, index, int, integer,
    memref, memref_layout, parse_attr, scf, vector,
};

use super::{LINE, Least, Loop, Outputs};
use crate::nests::is_outside;

/// A loop whose iterations write adjacent pieces of a row, whole lines each.
pub struct Row<'c> {
    op: Op<'c>,
    step: i64,
    /// The stores to the output, and the column of the first of them in an iteration, without the counter.
    stores: Vec<Op<'c>>,
    column: i64,
    /// Bytes of an element.
    width: i64,
    /// Whether the loop may have no iterations.
    may_be_empty: bool,
}

impl<'c> Row<'c> {
    /// Reads a loop; `None` if it is none such, or writes no output that bypasses the caches.
    pub fn of(each: Loop<'c>, outputs: &Outputs<'c>, least: &Least) -> Option<Self> {
        let op = each.op;
        if !op.is(scf::FOR) || op.result_count() > 0 {
            return None;
        }
        let step = constant_index(op.operand(2)).filter(|step| *step > 0)?;
        let (extent, may_be_empty) = extent(op, step)?;
        let ops = op.body(0).ops();
        if ops.iter().any(|op| op.region_count() > 0) {
            return None;
        }
        let all: Vec<_> = ops.iter().copied().filter(|op| op.is(vector::STORE)).collect();
        if ops.iter().filter(|op| computes(**op)).count() > least.work * all.len() {
            return None;
        }
        let (first, buffer) = all.first().map(|store| (*store, store.operand(1)))?;
        let written = |base: Value<'c>| all.iter().any(|store| store.operand(1) == base);
        let bypasses = |buffer| match each.is_copy {
            true => outputs.take_copies(buffer),
            false => outputs.has(buffer),
        };
        if !all.iter().all(|store| bypasses(store.operand(1)))
            || !ops.iter().all(|op| is_pure_or_reads(*op, &written))
        {
            return None;
        }
        let columns = columns(op, each.is_copy)?;
        let stores: Vec<_> = all.into_iter().filter(|store| store.operand(1) == buffer).collect();
        let ty = first.operand(0).ty();
        let lanes = i64::try_from(ty.element_count()?).ok()?;
        let width = i64::try_from(ty.element().byte_width()?).ok()?;
        let fits = ty.rank() == Some(1)
            && ty.element() == buffer.ty().element()
            && matches!(width, 1 | 2 | 4 | 8)
            && matches!(lanes * width, 16 | 32 | 64)
            && (step * width) % LINE == 0;
        if !fits || extent * width < least.row || extent < 2 * step {
            return None;
        }
        let mut places: Vec<i64> = Vec::new();
        for store in &stores {
            if store.operand(0).ty() != ty || rows(*store) != rows(first) {
                return None;
            }
            places.push(*columns.get(&store.operand(store.operand_count() - 1))?);
        }
        places.sort_unstable();
        let column = *places.first()?;
        let is_whole = places.iter().zip(0..).all(|(at, number)| *at == column + number * lanes)
            && i64::try_from(places.len()).ok()? * lanes == step
            && rows(first).into_iter().all(|row| is_outside(row, op));
        is_whole.then_some(Self { op, step, stores, column, width, may_be_empty })
    }

    /// Makes whole lines bypass the caches.
    pub fn stream(&self, context: &'c Context) {
        let emit = Builder::before(context, self.op);
        let [first, last] = [0, 1].map(|bound| self.op.operand(bound));
        let shift = self.shift(&emit, first);
        let begin = emit.same(arith::ADDI, &[first, shift]);
        let end = emit.offset(last, 1 - self.step);
        let after = match self.op.next() {
            Some(next) => {
                Builder { location: self.op.location(), ..Builder::before(context, next) }
            }
            None => return,
        };
        let mut is_shifted = after.cmpi(arith::CmpIPredicate::Ne, shift, after.index(0));
        if self.may_be_empty {
            let is_some = after.cmpi(arith::CmpIPredicate::Slt, first, last);
            is_shifted = after.same(arith::ANDI, &[is_shifted, is_some]);
        }
        let ends = after.region(&[], |inside, _| {
            for place in [first, inside.offset(last, -self.step)] {
                let mut known = FxHashMap::from_iter([(self.op.body(0).arg(0), place)]);
                inside.copy_body(self.op.body(0), &mut known);
            }
            scf::yield_(inside, &[]).build();
        });
        after.when(is_shifted, ends);
        self.op.set_operand(0, begin);
        self.op.set_operand(1, end);
        // As many vectors as an iteration has are enough, and LLVM would add a loop for the iterations that are left over.
        if let Some(rolled) =
            parse_attr(context, "#llvm.loop_annotation<unroll = <disable = true>>")
        {
            self.op.set_attr("loop_annotation", rolled);
        }
        for store in &self.stores {
            let bytes = store.operand(0).ty().element_count().unwrap_or(0) as i64 * self.width;
            store.set_attr("nontemporal", boolean(context, true));
            store.set_attr("alignment", int(integer(context, 64), bytes));
        }
    }

    /// The elements from the beginning of the row to that of a line.
    fn shift(&self, emit: &Builder<'c>, first: Value<'c>) -> Value<'c> {
        let (store, buffer) = (self.stores[0], self.stores[0].operand(1));
        let mut place = emit.offset(first, self.column);
        let strides = memref_layout(buffer.ty()).map(|(strides, _)| strides).unwrap_or_default();
        for (row, stride) in rows(store).into_iter().zip(strides) {
            let distance = emit.same(arith::MULI, &[row, emit.index(stride)]);
            place = emit.same(arith::ADDI, &[place, distance]);
        }
        let bytes = emit.same(arith::MULI, &[place, emit.index(self.width)]);
        let start =
            memref::extract_aligned_pointer_as_index(emit, buffer, index(emit.context)).value();
        let address = emit.same(arith::ADDI, &[start, bytes]);
        let back = emit.same(arith::SUBI, &[emit.index(0), address]);
        let missing = emit.same(arith::ANDI, &[back, emit.index(LINE - 1)]);
        emit.same(arith::DIVUI, &[missing, emit.index(self.width)])
    }
}

/// The indices of an access but the last.
fn rows<'c>(store: Op<'c>) -> Vec<Value<'c>> {
    store.operands()[2..store.operand_count() - 1].to_vec()
}

/// Whether the operation touches no memory, or is one of the accesses that are understood, and reads nothing that is written.
pub fn is_pure_or_reads<'c>(op: Op<'c>, written: &impl Fn(Value<'c>) -> bool) -> bool {
    match op.name() {
        vector::STORE | scf::YIELD => true,
        vector::LOAD | memref::LOAD => !written(op.operand(0)),
        _ => {
            matches!(op.dialect(), "arith" | "math" | "narrow" | "vector")
                && !op.operands().iter().any(|operand| operand.ty().is_memref_type())
        }
    }
}

/// Whether the operation is arithmetic on vectors.
fn computes(op: Op<'_>) -> bool {
    !op.is(vector::LOAD) && op.result_types().iter().any(|ty| ty.is_vector_type())
}

/// Elements of the row at least, and whether it may have none: bounds are constants, or the same multiple of two numbers of tasks.
fn extent(op: Op<'_>, step: i64) -> Option<(i64, bool)> {
    let [first, last] = [0, 1].map(|bound| op.operand(bound));
    let (known, may_be_empty) = match (constant_index(first), constant_index(last)) {
        (Some(first), Some(last)) => (last - first, false),
        _ => (factor(first).filter(|own| Some(*own) == factor(last))?, true),
    };
    (known > 0 && known % step == 0).then_some((known, may_be_empty))
}

/// The constant that a value is a multiple of.
fn factor(value: Value<'_>) -> Option<i64> {
    let product = value.owner().filter(|op| op.is(arith::MULI))?;
    constant_index(product.operand(1))
}

/// The values that are the counter and a constant, with the constant. `None` if an iteration depends on the counter in another way than by
/// the columns that it reads and writes: then a lane's place may not be its column.
fn columns<'c>(op: Op<'c>, is_copy: bool) -> Option<FxHashMap<Value<'c>, i64>> {
    let counter = op.body(0).arg(0);
    let mut columns = FxHashMap::from_iter([(counter, 0)]);
    let mut work = vec![counter];
    while let Some(value) = work.pop() {
        for (user, operand) in value.uses() {
            match user.name() {
                vector::LOAD | vector::STORE if operand + 1 == user.operand_count() => {}
                arith::ADDI => {
                    let more = constant_index(user.operand(1 - operand));
                    columns.insert(user.result(0), columns.get(&value)? + more?);
                    work.push(user.result(0));
                }
                // A copy reads every other element.
                arith::MULI if is_copy => {}
                _ => return None,
            }
        }
    }
    Some(columns)
}
