//! Inputs and constants that are put beside each other, as a concatenation does: loops over vectors, which end where what is needed of each does.
//!
//! ```mlir
//! %zeros = linalg.fill …
//! %a = tensor.insert_slice %x into %zeros[0, 0] [64, 128] [1, 1]            // of %x, the first %s columns are needed
//! %b = tensor.insert_slice %y into %a[0, %s] [64, 128] [1, 1]
//! return %b                                                                 // its first 2 * %s columns
//! ```
//! becomes
//! ```mlir
//! %a = scf.for %i = %c0 to %c64 step %c1 iter_args(%t = %zeros) {
//!   scf.for %j = %c0 to %c128 step %c32 iter_args(%u = %t) {
//!     %v = vector.transfer_read %x[%i, %j]
//!     %w = vector.transfer_write %v, %u[%i, %j]
//!     …
//!   } {strata.limit = affine_map<(d0) -> (d0)>}
//! }
//! ```
//! Buffers are copied whole, and would not be the caller's. What other operations make is computed where it belongs, but for vectors whose
//! elements alternate with others there, which are copied, too, where the target has instructions that write lanes apart. Of `%zeros`,
//! what is needed is what no piece covers: nothing.

use strata_ir::{
    AffineMap, AttributeExt as _, Block, Builder, Context, DYNAMIC, LIMIT, Op, TypeExt as _, Value,
    View as _, arith, func, scf, tensor, ub, vector,
};
use strata_target::Target;

use super::{
    Need,
    demand::Needs,
    facts::{Constant, Fact},
    loops::{Start, offsets, starts},
};
use crate::loops::counted_list;

/// Makes loops of the pieces in `block` that are inputs or constants, or slices of these, where what they are put into is not needed whole,
/// and of slices of inputs that are outputs or are updated, as a row of a cache is. Returns how many.
pub fn copy<'c>(
    context: &'c Context,
    block: Block<'c>,
    needs: &Needs<'c>,
    target: &Target,
) -> usize {
    if needs.sizes == 0 {
        return 0;
    }
    let mut count = 0;
    for op in block.ops() {
        let b = Builder::before(context, op);
        let made = match op.name() {
            tensor::INSERT_SLICE => {
                let part = needs.of_insertion(op).map(|(part, _)| part).unwrap_or_default();
                let is_open = part.iter().any(|need| matches!(need, Need::Below(_)));
                let is_partial = is_open || needs.partial(op.result(0)).is_some();
                let how = (&part[..], needs.sizes, target);
                let piece = Piece::of(block, op.operand(0), Some(op), how);
                piece.filter(|_| is_partial).and_then(|piece| piece.over(&b, &[], op.operand(1)))
            }
            tensor::EXTRACT_SLICE if is_updated(op.result(0)) => {
                let value = op.result(0);
                let part = needs.partial(value);
                let piece = part
                    .and_then(|part| Piece::of(block, value, None, (part, needs.sizes, target)));
                piece.and_then(|piece| piece.alone(&b, value))
            }
            scf::FOR => needs.join(op).and_then(|join| join.joined(&b, needs, target)),
            tensor::PAD => {
                let part = needs.of_padded(op).unwrap_or_default();
                let part = of_elements(op, part, needs);
                padded(&b, block, op, (&part, needs.sizes, target))
            }
            func::RETURN => {
                for (index, value) in op.operands().into_iter().enumerate() {
                    let is_slice = |owner: &Op<'c>| owner.is(tensor::EXTRACT_SLICE);
                    let Some(slice) = value.owner().filter(is_slice) else { continue };
                    let part = needs.partial(value).unwrap_or_default();
                    let piece = Piece::of(block, value, None, (part, needs.sizes, target));
                    let is_whole = |piece: &Piece<'_, 'c>| {
                        piece.lacks[1].is_empty() && slice.operand(0) == piece.source
                    };
                    let piece = piece.filter(is_whole);
                    if let Some(copied) = piece.and_then(|piece| piece.alone(&b, value)) {
                        op.set_operand(index, copied);
                        count += 1;
                    }
                }
                None
            }
            _ => None,
        };
        if let Some(made) = made {
            op.result(0).replace_all_uses_with(made);
            op.erase();
            count += 1;
        }
    }
    count
}

/// The copy of the input that `insert` changes, up to what is needed of it: a copy that is made where buffers are assigned has all.
pub fn updated_input<'c>(
    context: &'c Context,
    block: Block<'c>,
    insert: Op<'c>,
    needs: &Needs<'c>,
    target: &Target,
) -> Option<Value<'c>> {
    let input = insert.operand(1);
    input.block_arg().filter(|(of, _)| *of == block)?;
    let (_, part) = needs.of_insertion(insert)?;
    part.iter().any(|need| matches!(need, Need::Below(_))).then_some(())?;
    Piece::of(block, input, None, (&part, needs.sizes, target))?
        .alone(&Builder::before(context, insert), input)
}

/// Whether something is inserted into a tensor, which is copied for that.
fn is_updated(value: Value<'_>) -> bool {
    value.uses().into_iter().any(|(user, operand)| match user.name() {
        tensor::INSERT_SLICE => operand == 1,
        tensor::COLLAPSE_SHAPE | tensor::EXPAND_SHAPE => is_updated(user.result(0)),
        _ => false,
    })
}

/// Elements that are put somewhere.
pub struct Piece<'a, 'c> {
    source: Value<'c>,
    shape: Vec<i64>,
    /// Where it begins in the source, and in what it is put into; nothing for its beginning.
    starts: [Vec<Start<'c>>; 2],
    /// How far its elements are apart in the source; nothing for what follows each other.
    strides: Vec<i64>,
    /// A dimension that only the source has, and the place along it.
    row: Option<(usize, Value<'c>)>,
    /// Dimensions of one element that the source lacks, and those that only the source has.
    lacks: [Vec<usize>; 2],
    /// What is needed of it.
    part: &'a [Need],
    sizes: usize,
    target: &'a Target,
}

impl<'a, 'c> Piece<'a, 'c> {
    /// The piece that a value is, an input or a constant or a slice of one, and that `insert` puts somewhere.
    fn of(
        block: Block<'c>,
        value: Value<'c>,
        insert: Option<Op<'c>>,
        (part, sizes, target): (&'a [Need], usize, &'a Target),
    ) -> Option<Self> {
        let is_apart = target.scatters() && insert.is_some_and(puts_apart);
        let is_plain = |value: Value<'c>| {
            value.block_arg().is_some_and(|(of, _)| of == block)
                || value.owner().is_some_and(|owner| {
                    owner.is(arith::CONSTANT) || is_apart && writes_vectors(owner)
                })
        };
        let slice = value.owner().filter(|owner| owner.is(tensor::EXTRACT_SLICE));
        let source = slice.map_or(value, |slice| slice.operand(0));
        // With the dimensions that it may have lost.
        let lengths = |op: Op<'c>| op.attr("static_sizes")?.as_i64s();
        let shapes = [
            slice.map_or_else(|| value.ty().shape(), lengths)?,
            insert.map_or_else(|| value.ty().shape(), lengths)?,
        ];
        let [shape, other] = shapes;
        let strides = slice.map(|slice| slice.attr("static_strides")?.as_i64s());
        let strides = strides.unwrap_or_else(|| Some(Vec::new()))?;
        let none = || Some(Vec::new());
        let starts = [slice.map_or_else(none, starts)?, insert.map_or_else(none, offsets)?];
        let lacks = match lacking(&shape, &other) {
            Some(lacks) => (lacks.is_empty() || slice.is_none()).then_some([lacks, Vec::new()])?,
            None => [Vec::new(), lacking(&other, &shape)?],
        };
        let are_known = !other.contains(&DYNAMIC) && strides.iter().all(|stride| *stride > 0);
        (is_plain(source) && !other.is_empty() && are_known).then_some(())?;
        Some(Self { source, shape: other, starts, strides, row: None, lacks, part, sizes, target })
    }

    /// A row of that shape, whole, of a tensor that has the rows along another dimension, where they all are not the same one.
    pub fn row(
        source: Value<'c>,
        shape: Vec<i64>,
        row: Option<(usize, Value<'c>)>,
        (part, sizes, target): (&'a [Need], usize, &'a Target),
    ) -> Self {
        let starts = [Vec::new(), Vec::new()];
        let (strides, lacks) = (Vec::new(), [Vec::new(), Vec::new()]);
        Self { source, shape, starts, strides, row, lacks, part, sizes, target }
    }

    /// The same put elsewhere.
    pub fn put_at(mut self, starts: Vec<Start<'c>>) -> Self {
        self.starts[1] = starts;
        self
    }

    /// The piece as a tensor of its own, of the type of `value`.
    fn alone(&self, b: &Builder<'c>, value: Value<'c>) -> Option<Value<'c>> {
        self.over(b, &[], tensor::empty(b, &[], value.ty()).value())
    }

    /// The tensor with the piece in it: the loops over the other dimensions, at these indices of the first ones.
    pub fn over(&self, b: &Builder<'c>, at: &[Value<'c>], into: Value<'c>) -> Option<Value<'c>> {
        let dim = at.len();
        let is_last = dim + 1 == self.shape.len();
        let length = self.shape[dim];
        let (unit, step) = if is_last { self.steps(length)? } else { (1, 1) };
        let made = counted_list(b, [0, length, step], &[into], &mut |b, index, carried| {
            let mut into = carried[0];
            if !is_last {
                return Some(vec![self.over(b, &[at, &[index]].concat(), into)?]);
            }
            for more in (0..step).step_by(usize::try_from(unit).ok()?) {
                let own = [at, &[b.offset(index, more)]].concat();
                let [lacks, gone] = &self.lacks;
                let mut from = own.clone();
                gone.iter().for_each(|dim| from.insert(*dim, b.index(0)));
                let mut from = moved(b, &from, &self.starts[0], &self.strides);
                for dim in lacks.iter().rev() {
                    from.remove(*dim);
                }
                if let Some((dim, row)) = self.row {
                    from.insert(dim, row);
                }
                let to = moved(b, &own, &self.starts[1], &[]);
                into = self.element(b, unit, (&from, &to), into);
            }
            Some(vec![into])
        })?;
        let made = *made.first()?;
        // A single iteration has no loop: what is made is that of the loops in it.
        if let (Some(Need::Below(bound)), Some(each)) = (self.part.get(dim), made.owner())
            && length > step
            && each.is(scf::FOR)
        {
            each.set_attr(LIMIT, bound.to_map(self.sizes).to_attribute(b.context));
        }
        Some(made)
    }

    /// How many elements a vector along a row of this length has, and an iteration.
    fn steps(&self, length: i64) -> Option<(i64, i64)> {
        let element = self.source.ty().element();
        let bits = u32::try_from(element.byte_width()? * 8).ok()?;
        // Not along a dimension of which there is one element.
        let last = self.source.ty().rank()?.checked_sub(1);
        let is_dense = self.strides.last().is_none_or(|stride| *stride == 1)
            && (last.is_none() || self.lacks[1].last().copied() != last);
        Some(match is_dense && (element.is_float_type() || element.is_int()) {
            true => self.target.whole_vectors(bits, length),
            false => (1, 1),
        })
    }

    /// One vector, or one element, of the piece in the tensor.
    fn element(
        &self,
        b: &Builder<'c>,
        unit: i64,
        (from, to): (&[Value<'c>], &[Value<'c>]),
        into: Value<'c>,
    ) -> Value<'c> {
        let source = self.source;
        let element = source.ty().element();
        if unit == 1 {
            let one = b.extract(source, from);
            return b
                .op(tensor::INSERT)
                .operands(&[one, into])
                .operands(to)
                .result(into.ty())
                .value();
        }
        let [row, into_row] = [from, to].map(|at| AffineMap::projection(at.len(), &[at.len() - 1]));
        let padding = b.op(ub::POISON).result(element).value();
        let ty = strata_ir::vector(&[unit], element);
        let read = vector::transfer_read(b, source, &row, padding, &[true], ty);
        let read = read.indices(from).value();
        let write = vector::transfer_write(b, read, into, &into_row, &[true], &[into.ty()]);
        write.indices(to).build().op().result(0)
    }
}

/// Whether an insertion puts elements that follow each other apart, as one of several values that alternate.
fn puts_apart(insert: Op<'_>) -> bool {
    let sizes = insert.attr("static_sizes").and_then(|sizes| sizes.as_i64s()).unwrap_or_default();
    let whole = insert.operand(1).ty().shape().unwrap_or_default();
    let of_one = sizes.iter().zip(&whole).rev().skip_while(|(_, whole)| **whole == 1);
    of_one.map(|(size, _)| *size).next() == Some(1)
}

/// Whether a nest writes vectors, which it cannot where elements are apart: its result has a buffer of its own.
fn writes_vectors(owner: Op<'_>) -> bool {
    owner.is(scf::FOR) && !owner.collect(|inner| inner.is(vector::TRANSFER_WRITE)).is_empty()
}

/// The dimensions of one element of `other` that `shape` lacks; `None` if they differ by more.
fn lacking(shape: &[i64], other: &[i64]) -> Option<Vec<usize>> {
    let mut own = shape.iter().peekable();
    let mut lacks = Vec::new();
    for (dim, size) in other.iter().enumerate() {
        match own.next_if_eq(&size) {
            Some(_) => {}
            None if *size == 1 => lacks.push(dim),
            None => return None,
        }
    }
    own.next().is_none().then_some(lacks)
}

/// What a pad needs of an input that is what it is filled up with from a size on: that is there already.
fn of_elements<'c>(pad: Op<'c>, mut part: Vec<Need>, needs: &Needs<'c>) -> Vec<Need> {
    let fill = pad.body(0).terminator().and_then(|end| Constant::of_value(end.operand(0)));
    if let Some(Fact::Filled(list, constant)) = needs.fact(pad.operand(0))
        && fill == Some(*constant)
    {
        for (dim, bound) in list {
            if let Some(Need::Below(own)) = part.get(*dim)
                && matches!(own.minus(*bound), Some(Err(more)) if more > 0)
            {
                part[*dim] = Need::Below(*bound);
            }
        }
    }
    part
}

/// A pad of an input that is not needed whole: what it is filled up with, up to what is needed, and then the input in it.
fn padded<'c>(
    b: &Builder<'c>,
    block: Block<'c>,
    pad: Op<'c>,
    (part, sizes, target): (&[Need], usize, &Target),
) -> Option<Value<'c>> {
    let limit = pad.attr(LIMIT)?;
    let amounts = |name: &str| pad.attr(name)?.as_i64s();
    let (low, high) = (amounts("static_low")?, amounts("static_high")?);
    let is_more = low.iter().chain(&high).all(|amount| *amount >= 0 && *amount != DYNAMIC);
    let fill = pad.body(0).terminator()?.operand(0);
    let is_outside = fill.owner().is_some_and(|owner| !pad.encloses(owner));
    (is_more && is_outside).then_some(())?;
    let mut piece = Piece::of(block, pad.operand(0), None, (part, sizes, target))?;
    piece.starts[1] = low.into_iter().map(Start::At).collect();
    let empty = tensor::empty(b, &[], pad.result(0).ty()).value();
    let filled = b.fill(fill, empty);
    filled.owner()?.set_attr(LIMIT, limit);
    piece.over(b, &[], filled)
}

/// Indices from these starts on, so far apart.
fn moved<'c>(
    b: &Builder<'c>,
    at: &[Value<'c>],
    starts: &[Start<'c>],
    strides: &[i64],
) -> Vec<Value<'c>> {
    let from = |(dim, index): (usize, &Value<'c>)| {
        let index = match strides.get(dim).copied().unwrap_or(1) {
            1 => *index,
            stride => b.same(arith::MULI, &[*index, b.index(stride)]),
        };
        match starts.get(dim) {
            None => index,
            Some(Start::At(start)) => b.offset(index, *start),
            Some(Start::Computed(start)) => b.same(arith::ADDI, &[index, *start]),
        }
    };
    at.iter().enumerate().map(from).collect()
}
