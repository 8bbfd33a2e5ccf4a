//! Copies of rows, element by element, as vectors.
//!
//! ```mlir
//! scf.for %j = %c0 to %c1792 step %c1 {
//!   %x = memref.load %a[%r, %j * 2 + 256]
//!   memref.store %x, %out[%i, %j]
//! }
//! ```
//! becomes a loop over vectors: of every other element, half of two vectors. The second one ends with the last element that is
//! needed, since nothing after it may be readable. LLVM would make a call of `memcpy` of the whole, or gathers.

use strata_ir::{
    Builder, Context, Op, TypeExt as _, Value, View as _, arith, constant_index, index, memref,
    memref_layout, scf, vector,
};
use strata_target::{Target, tuning::streaming::COPIED_VECTORS};

use super::{Least, Outputs};
use crate::nests::{counted::Counted, is_outside};

/// A loop that copies elements of a row, and what vectors of it look like.
struct Copy<'c> {
    whole: Counted<'c>,
    load: Op<'c>,
    store: Op<'c>,
    /// The columns of an iteration, but for the counter: where it reads, and from how many columns one, and where it writes.
    from: i64,
    stride: i64,
    to: i64,
    lanes: i64,
}

/// Makes vectors of a copy to an output; returns the loop over them.
pub fn widen<'c>(
    context: &'c Context,
    op: Op<'c>,
    outputs: &Outputs<'c>,
    least: &Least,
    target: &Target,
) -> Option<Op<'c>> {
    let copy = Copy::of(op, target)?;
    let to = copy.store.operand(1);
    let is_streamed = outputs.take_copies(to) && copy.load.operand(0) != to;
    let step = copy.step();
    let bytes = copy.whole.trips() * i64::try_from(to.ty().element().byte_width()?).ok()?;
    if !is_streamed || bytes < least.row || copy.whole.trips() < 2 * step {
        return None;
    }
    copy.hoist_rows();
    Some(copy.replace(context))
}

impl<'c> Copy<'c> {
    fn of(op: Op<'c>, target: &Target) -> Option<Self> {
        let whole = Counted::of(op).filter(|each| each.step == 1 && op.result_count() == 0)?;
        let (mut load, mut store) = (None, None);
        for each in whole.body().ops() {
            match each.name() {
                memref::LOAD if load.is_none() => load = Some(each),
                memref::STORE if store.is_none() => store = Some(each),
                arith::CONSTANT | arith::ADDI | arith::MULI | scf::YIELD => {}
                _ => return None,
            }
        }
        let (load, store): (Op<'c>, Op<'c>) = (load?, store?);
        let counter = whole.counter();
        let (stride, from) = linear(load.operands().pop()?, counter)?;
        let (one, to) = linear(store.operands().pop()?, counter)?;
        let ty = load.result(0).ty();
        let width = i64::try_from(ty.byte_width()?).ok()?;
        let is_plain =
            ty.is_float_type() || ty.is_int() && ty.bit_width() == Some(8 * width as u32);
        let lanes = i64::from(target.lanes(8 * width as u32));
        let fits = store.operand(0) == load.result(0)
            && one == 1
            && (stride == 1 || stride == 2 && matches!(width, 4 | 8))
            && is_plain
            && matches!(width, 1 | 2 | 4 | 8)
            && load.operand_count() > 1
            && [load.operand(0), store.operand(1)].into_iter().all(|buffer| {
                let layout = memref_layout(buffer.ty());
                layout.is_some_and(|(strides, _)| strides.last() == Some(&1))
            });
        let is_fixed = |row: Value<'c>| linear(row, counter).is_some_and(|(by, _)| by == 0);
        let rows = [
            &load.operands()[1..load.operand_count() - 1],
            &store.operands()[2..store.operand_count() - 1],
        ]
        .concat();
        let are_rows =
            rows.into_iter().all(|row| is_fixed(row) || depends_on_outside_only(row, op));
        (fits && are_rows).then_some(Self { whole, load, store, from, stride, to, lanes })
    }

    /// Columns of an iteration over vectors.
    fn step(&self) -> i64 {
        self.lanes * COPIED_VECTORS
    }

    /// Moves the computation of rows before the loop.
    fn hoist_rows(&self) {
        for op in self.whole.body().ops() {
            let is_fixed = op.dialect() == "arith"
                && op.operands().into_iter().all(|value| is_outside(value, self.whole.op));
            if is_fixed {
                op.move_before(self.whole.op);
            }
        }
    }

    fn replace(&self, context: &'c Context) -> Op<'c> {
        let emit = Builder::before(context, self.whole.op);
        let (first, step) = (self.whole.first, self.step());
        let cut = first + self.whole.trips() / step * step;
        let body = emit.region(&[index(context)], |inside, arguments| {
            self.vectors(inside, arguments[0]);
            scf::yield_(inside, &[]).build();
        });
        let bounds = [first, cut, step].map(|bound| emit.index(bound));
        let vectors =
            scf::for_(&emit, bounds[0], bounds[1], bounds[2], &[], &[], body).build().op();
        if cut < self.whole.last {
            self.vectors(&emit, emit.index(self.whole.last - step));
        }
        self.whole.op.erase();
        vectors
    }

    /// Copies the elements from `column` on.
    fn vectors(&self, emit: &Builder<'c>, column: Value<'c>) {
        let ty = strata_ir::vector(&[self.lanes], self.load.result(0).ty());
        let all = self.load.operands();
        let read = |at: Value<'c>| {
            let place = [&all[1..all.len() - 1], &[at]].concat();
            vector::load(emit, all[0], &place, ty).value()
        };
        let source = match self.stride {
            1 => column,
            stride => emit.same(arith::MULI, &[column, emit.index(stride)]),
        };
        let own = self.store.operands();
        for number in 0..COPIED_VECTORS {
            let skipped = number * self.lanes;
            let at = emit.offset(source, self.from + skipped * self.stride);
            let value = match self.stride {
                1 => read(at),
                _ => {
                    let end = read(emit.offset(source, self.from + skipped * 2 + self.lanes - 1));
                    let even = (0..self.lanes / 2).map(|lane| 2 * lane);
                    let odd = (0..self.lanes / 2).map(|lane| self.lanes + 2 * lane + 1);
                    emit.shuffle(read(at), end, &even.chain(odd).collect::<Vec<_>>())
                }
            };
            let place = emit.offset(column, self.to + skipped);
            let indices = [&own[2..own.len() - 1], &[place]].concat();
            vector::store(emit, value, own[1], &indices).build();
        }
    }
}

/// Whether no operand of what computes `value` inside of the loop is the counter.
fn depends_on_outside_only<'c>(value: Value<'c>, each: Op<'c>) -> bool {
    is_outside(value, each)
        || value.owner().is_some_and(|op| {
            op.dialect() == "arith"
                && op.operands().into_iter().all(|operand| depends_on_outside_only(operand, each))
        })
}

/// `value` as a multiple of the counter and a constant.
fn linear<'c>(value: Value<'c>, counter: Value<'c>) -> Option<(i64, i64)> {
    if value == counter {
        return Some((1, 0));
    }
    if let Some(known) = constant_index(value) {
        return Some((0, known));
    }
    let op = value.owner()?;
    let part = |operand: usize| linear(op.operand(operand), counter);
    match op.name() {
        arith::ADDI => {
            let ((by, more), (other, rest)) = (part(0)?, part(1)?);
            Some((by + other, more + rest))
        }
        arith::MULI => match (part(0)?, part(1)?) {
            ((by, more), (0, factor)) | ((0, factor), (by, more)) => {
                Some((by * factor, more * factor))
            }
            _ => None,
        },
        _ => None,
    }
}
