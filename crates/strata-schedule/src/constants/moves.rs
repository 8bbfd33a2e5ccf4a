//! Operations that move elements, as programs on bytes.
//!
//! ```text
//! %v = vector.transfer_read %w[%i, %j] : tensor<512x520xf32>, vector<8xf32>
//! %q = vector.transfer_write %v, %p[%i, %c0] : vector<8xf32>, tensor<512x24xf32>
//! ```
//! becomes two copies of 32 bytes, at positions that are sums of multiples of `%i` and `%j`.

mod machine;

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use strata_ir::{
    AffineExpr, AffineMap, AttributeExt as _, Block as Ops, DYNAMIC, Op, Type, TypeExt as _, Value,
    affine, arith, linalg, narrow, scf, tensor, ub, vector,
};
use strata_target::Lane;

use super::boxes::{Block, Dim, row_major};

/// A number of a tensor, vector or scalar of a [`Machine`], or that of an index.
type Slot = usize;

/// A step of a program.
#[derive(Debug)]
enum Move<'c> {
    /// Computes an index.
    Index { to: Slot, expr: AffineExpr, operands: Vec<Slot> },
    /// A constant.
    Bytes { to: Slot, bytes: Cow<'c, [u8]> },
    /// The bytes of a scalar, again and again.
    Fill { to: Slot, value: Slot, bytes: usize },
    /// The same bytes as those of another value.
    Same { to: Slot, from: Slot },
    /// Copies a box of elements.
    Copy { from: Slot, at: Place, into: Target, place: Place, block: Block, to: Slot },
    /// Elements along a dimension of an array of this shape as lanes.
    Lanes { from: Slot, shape: Vec<i64>, dim: usize, lanes: [Lane; 2], to: Slot },
    /// The elements of a vector.
    Join { from: Vec<Slot>, to: Slot },
    /// Rows of two vectors, numbered through both.
    Rows { from: [Slot; 2], row: usize, rows: Vec<usize>, to: Slot },
    /// A loop that carries values.
    Loop {
        counter: Slot,
        bounds: [Slot; 3],
        carried: Vec<(Target, Slot)>,
        body: Vec<Self>,
        next: Vec<Target>,
        to: Vec<Slot>,
    },
}

/// A position in an array: a number of elements and multiples of indices.
#[derive(Clone, Debug, Default)]
struct Place {
    base: i64,
    terms: Vec<(Slot, i64)>,
    /// Indices that must be from 0 up to a number.
    limits: Vec<(Slot, i64)>,
}

/// An array that is written.
#[derive(Clone, Copy, Debug)]
enum Target {
    /// A new one of so many bytes.
    New(usize),
    /// That of a value, which is used afterwards.
    CopyOf(Slot),
    /// That of a value, which is not used any more.
    Own(Slot),
}

/// Runs programs.
#[derive(Debug, Default)]
pub(crate) struct Machine<'c> {
    data: Vec<Option<Cow<'c, [u8]>>>,
    indices: Vec<i64>,
    /// The bytes that were copied since constants were unloaded.
    loaded: usize,
}

/// Steps that are run one after the other.
#[derive(Debug, Default)]
pub(crate) struct Program<'c>(Vec<Move<'c>>);

/// Turns operations into programs for one machine.
#[derive(Debug, Default)]
pub(crate) struct Translator<'c> {
    data: FxHashMap<Value<'c>, Slot>,
    indices: FxHashMap<Value<'c>, Slot>,
    /// Positions of operations in their blocks.
    order: FxHashMap<Op<'c>, usize>,
    numbered: FxHashMap<Ops<'c>, ()>,
}

/// The sizes of a tensor or vector; none of a scalar. `None` where they are not known.
fn sizes(ty: Type<'_>) -> Option<Vec<i64>> {
    match ty.is_tensor_type() || ty.is_vector_type() {
        true => ty.shape().filter(|_| ty.has_static_shape()),
        false => Some(Vec::new()),
    }
}

/// The bytes of an element. `None` where elements have none of their own.
fn width(ty: Type<'_>) -> Option<usize> {
    let element = ty.element();
    let is_plain = element.is_int() || element.is_float_type() || element.is_complex();
    usize::try_from(element.byte_width()?).ok().filter(|width| is_plain && *width > 0)
}

/// The bytes of a tensor, vector or scalar.
pub(crate) fn byte_count(ty: Type<'_>) -> Option<usize> {
    let count = sizes(ty)?.iter().try_fold(1i64, |count, size| count.checked_mul(*size))?;
    usize::try_from(count).ok()?.checked_mul(width(ty)?)
}

/// Whether the operation only moves elements and computes where to, as far as its name and its types tell.
pub(crate) fn is_move(op: Op<'_>) -> bool {
    let has_bytes = |value: Value<'_>| value.ty().is_index() || byte_count(value.ty()).is_some();
    let named = match op.name() {
        linalg::GENERIC => copies(op).is_some(),
        arith::CONSTANT | arith::BITCAST | ub::POISON | scf::FOR => true,
        arith::ADDI | arith::SUBI | arith::MULI => op.result(0).ty().is_index(),
        affine::APPLY | tensor::EMPTY | tensor::EXTRACT_SLICE | tensor::INSERT_SLICE => true,
        tensor::EXPAND_SHAPE | tensor::COLLAPSE_SHAPE => true,
        linalg::FILL | linalg::COPY | narrow::PACK => true,
        vector::TRANSFER_READ | vector::TRANSFER_WRITE | vector::TRANSPOSE => true,
        vector::BROADCAST | vector::SHAPE_CAST | vector::BITCAST | vector::SHUFFLE => true,
        vector::EXTRACT | vector::INSERT | vector::TO_ELEMENTS | vector::FROM_ELEMENTS => true,
        vector::EXTRACT_STRIDED_SLICE | vector::INSERT_STRIDED_SLICE => true,
        _ => false,
    };
    named && op.operands().into_iter().chain(op.results()).all(has_bytes)
}

/// Whether the operation shows elements of its operand as they are, without a copy.
pub(crate) fn is_view(op: Op<'_>) -> bool {
    matches!(op.name(), tensor::EXTRACT_SLICE | tensor::EXPAND_SHAPE | tensor::COLLAPSE_SHAPE)
}

/// The maps of the source and the result, of an operation that copies elements of its only input, and its trip counts.
fn copies(op: Op<'_>) -> Option<[AffineMap; 2]> {
    let maps: [AffineMap; 2] = op.indexing_maps()?.try_into().ok()?;
    let body = op.body(0);
    let end = body.terminator().filter(|end| end.operand_count() == 1)?;
    let is_copy = body.ops().len() == 1 && end.operand(0) == body.arg(0);
    let target = maps[1].projected()?;
    let covers = (0..maps[1].dims).all(|dim| target.contains(&dim)) && target.len() == maps[1].dims;
    let is_linear = maps[0].results.iter().all(|index| index.linear(maps[0].dims).is_some());
    (is_copy && covers && is_linear && op.operand_count() == 2).then_some(maps)
}

impl<'c> Translator<'c> {
    fn data(&mut self, value: Value<'c>) -> Slot {
        let next = self.data.len();
        *self.data.entry(value).or_insert(next)
    }

    /// The slot of an index.
    pub(crate) fn index(&mut self, value: Value<'c>) -> Slot {
        let next = self.indices.len();
        *self.indices.entry(value).or_insert(next)
    }

    /// A machine for what was translated.
    pub(crate) fn machine(&self) -> Machine<'c> {
        let data = std::iter::repeat_with(|| None).take(self.data.len()).collect();
        Machine { data, indices: vec![0; self.indices.len()], loaded: 0 }
    }

    /// Adds an operation whose operands were added before to a program; `None` where it does more than to move elements.
    pub(crate) fn add(&mut self, op: Op<'c>, program: &mut Program<'c>) -> Option<()> {
        let moved = match op.name() {
            scf::FOR => self.counted(op)?,
            arith::CONSTANT => self.constant(op)?,
            ub::POISON | tensor::EMPTY => {
                let bytes = Cow::Owned(vec![0; byte_count(op.result(0).ty())?]);
                Move::Bytes { to: self.data(op.result(0)), bytes }
            }
            affine::APPLY => {
                let map = op.attr("map").and_then(AffineMap::of)?;
                let [expr] = map.results.try_into().ok()?;
                self.computed(op, expr, map.dims)
            }
            arith::ADDI | arith::SUBI | arith::MULI => {
                let (left, right) = (AffineExpr::dim(0), Box::new(AffineExpr::dim(1)));
                let expr = match op.name() {
                    arith::ADDI => left + *right,
                    arith::SUBI => left + *right * -1,
                    _ => AffineExpr::Mul(Box::new(left), right),
                };
                self.computed(op, expr, 2)
            }
            linalg::FILL => {
                let bytes = byte_count(op.result(0).ty())?;
                Move::Fill { to: self.data(op.result(0)), value: self.data(op.operand(0)), bytes }
            }
            tensor::EXPAND_SHAPE
            | tensor::COLLAPSE_SHAPE
            | vector::SHAPE_CAST
            | vector::BITCAST
            | arith::BITCAST => self.same(op)?,
            linalg::COPY => {
                Move::Same { to: self.data(op.result(0)), from: self.data(op.operand(0)) }
            }
            narrow::PACK => self.lanes(op)?,
            vector::SHUFFLE => self.shuffle(op)?,
            vector::FROM_ELEMENTS => {
                let from = op.operands().into_iter().map(|value| self.data(value)).collect();
                Move::Join { from, to: self.data(op.result(0)) }
            }
            vector::TO_ELEMENTS => {
                program.0.extend(self.elements(op)?);
                return Some(());
            }
            _ => self.copy(op)?,
        };
        program.0.push(moved);
        Some(())
    }

    fn computed(&mut self, op: Op<'c>, expr: AffineExpr, dims: usize) -> Move<'c> {
        let operands = op.operands().into_iter().map(|value| self.index(value)).collect();
        debug_assert!(dims <= op.operand_count());
        let expr = without_symbols(expr, dims);
        Move::Index { to: self.index(op.result(0)), expr, operands }
    }

    fn constant(&mut self, op: Op<'c>) -> Option<Move<'c>> {
        let (value, ty) = (op.attr("value")?, op.result(0).ty());
        if ty.is_index() {
            let expr = AffineExpr::Constant(value.as_i64()?);
            return Some(Move::Index { to: self.index(op.result(0)), expr, operands: Vec::new() });
        }
        let bytes = match value.dense_bytes() {
            Some(bytes) => bytes,
            None => Cow::Owned(scalar(ty, value.as_i64(), value.as_f64())?),
        };
        (bytes.len() == byte_count(ty)?).then(|| Move::Bytes { to: self.data(op.result(0)), bytes })
    }

    /// A reinterpretation; elements of less than a byte have no bytes of their own to be merged.
    fn same(&mut self, op: Op<'c>) -> Option<Move<'c>> {
        let bits = |value: Value<'c>| value.ty().element().bit_width();
        let (from, to) = (op.operand(0), op.result(0));
        let is_whole = bits(from) == bits(to)
            || [from, to].iter().all(|value| bits(*value).is_some_and(|bits| bits % 8 == 0));
        (is_whole && byte_count(from.ty()) == byte_count(to.ty()))
            .then(|| Move::Same { to: self.data(to), from: self.data(from) })
    }

    /// Copies of one element each.
    fn elements(&mut self, op: Op<'c>) -> Option<Vec<Move<'c>>> {
        let (from, width) = (self.data(op.operand(0)), width(op.operand(0).ty())?);
        let one = |(result, base): (Value<'c>, i64)| Move::Copy {
            from,
            at: Place { base, ..Place::default() },
            into: Target::New(width),
            place: Place::default(),
            block: Block::new(width, &[]),
            to: self.data(result),
        };
        Some(op.results().into_iter().zip(0..).map(one).collect())
    }

    fn lanes(&mut self, op: Op<'c>) -> Option<Move<'c>> {
        let lane = |name: &str| Lane::named(op.attr(name)?.as_str()?);
        Some(Move::Lanes {
            from: self.data(op.operand(0)),
            shape: sizes(op.operand(0).ty())?,
            dim: usize::try_from(op.attr("dimension")?.as_i64()?).ok()?,
            lanes: [lane("from")?, lane("to")?],
            to: self.data(op.result(0)),
        })
    }

    fn shuffle(&mut self, op: Op<'c>) -> Option<Move<'c>> {
        let mask = op.attr("mask")?.as_i64s()?;
        let rows = mask.into_iter().map(usize::try_from).collect::<Result<_, _>>().ok()?;
        let count = usize::try_from(*sizes(op.operand(0).ty())?.first()?).ok()?;
        let row = byte_count(op.operand(0).ty())?.checked_div(count)?;
        let from = [self.data(op.operand(0)), self.data(op.operand(1))];
        Some(Move::Rows { from, row, rows, to: self.data(op.result(0)) })
    }

    /// A loop, with all that is in it.
    fn counted(&mut self, op: Op<'c>) -> Option<Move<'c>> {
        let body = op.body(0);
        let end = body.terminator()?;
        let bounds = [0, 1, 2].map(|at| self.index(op.operand(at)));
        let is_data = |value: &Value<'c>| !value.ty().is_index();
        if !op.results().iter().all(is_data) {
            return None;
        }
        let carried = op.operands().into_iter().skip(3).zip(body.args().into_iter().skip(1));
        let carried = carried.map(|(first, arg)| (self.target(first, op), self.data(arg)));
        let carried = carried.collect();
        let counter = self.index(body.arg(0));
        let mut inside = Program::default();
        for inner in body.ops().into_iter().filter(|inner| *inner != end) {
            self.add(inner, &mut inside)?;
        }
        let next = end.operands().into_iter().map(|value| self.target(value, end)).collect();
        let to = op.results().into_iter().map(|value| self.data(value)).collect();
        Some(Move::Loop { counter, bounds, carried, body: inside.0, next, to })
    }

    /// What `user` writes to as the value: itself where this is its last use.
    fn target(&mut self, value: Value<'c>, user: Op<'c>) -> Target {
        let slot = self.data(value);
        let block = match (value.owner(), value.block_arg()) {
            (Some(owner), _) => owner.block(),
            (None, Some((block, _))) => Some(block),
            (None, None) => None,
        };
        let (Some(block), true) = (block, user.block() == block) else {
            return Target::CopyOf(slot);
        };
        let own = self.position(user, block);
        let is_before = |other: Op<'c>, this: &mut Self| {
            let around = std::iter::successors(Some(other), |op| op.parent());
            let around = around.into_iter().find(|op| op.block() == Some(block));
            around.is_some_and(|around| this.position(around, block) < own)
        };
        let mut uses = value.uses().into_iter().filter(|(other, _)| *other != user);
        let count = user.operands().into_iter().filter(|operand| *operand == value).count();
        match count == 1 && uses.all(|(other, _)| is_before(other, self)) {
            true => Target::Own(slot),
            false => Target::CopyOf(slot),
        }
    }

    fn position(&mut self, op: Op<'c>, block: Ops<'c>) -> usize {
        if self.numbered.insert(block, ()).is_none() {
            self.order.extend(block.ops().into_iter().zip(0..));
        }
        self.order.get(&op).copied().unwrap_or(usize::MAX)
    }

    /// An operation that copies a box.
    fn copy(&mut self, op: Op<'c>) -> Option<Move<'c>> {
        let ty = op.result(0).ty();
        let width = width(ty)?;
        let new = Target::New(byte_count(ty)?);
        let to = self.data(op.result(0));
        let (mut at, mut place) = (Place::default(), Place::default());
        let (from, into, dims) = match op.name() {
            tensor::EXTRACT_SLICE => {
                let dims = self.slice(op, 1, op.operand(0).ty(), ty, &mut at)?;
                (op.operand(0), new, dims)
            }
            tensor::INSERT_SLICE => {
                let (part, whole) = (op.operand(0), op.operand(1));
                let dims = self.slice(op, 2, whole.ty(), part.ty(), &mut place)?;
                (part, self.target(whole, op), dims.iter().map(reversed).collect())
            }
            vector::TRANSFER_READ => {
                let source = op.operand(0);
                let dims = self.transfer(op, 1, source.ty(), ty, &mut at)?;
                (source, new, dims)
            }
            vector::TRANSFER_WRITE => {
                let (part, whole) = (op.operand(0), op.operand(1));
                let dims = self.transfer(op, 2, whole.ty(), part.ty(), &mut place)?;
                if dims.iter().any(|dim| dim.from == 0 && dim.size > 1) {
                    return None;
                }
                (part, self.target(whole, op), dims.iter().map(reversed).collect())
            }
            linalg::GENERIC => {
                let [source, target] = copies(op)?;
                let dims = loops(op, &source, &target, &mut at)?;
                (op.operand(0), self.target(op.operand(1), op), dims)
            }
            vector::TRANSPOSE => {
                let from = row_major(&sizes(op.operand(0).ty())?);
                let order = op.attr("permutation")?.as_i64s()?;
                let from =
                    order.into_iter().map(|dim| from.get(usize::try_from(dim).ok()?).copied());
                (op.operand(0), new, dims(&sizes(ty)?, &from.collect::<Option<Vec<_>>>()?)?)
            }
            vector::BROADCAST => {
                let source = sizes(op.operand(0).ty())?;
                let result = sizes(ty)?;
                let missing = result.len().checked_sub(source.len())?;
                let strides = row_major(&source);
                let strides = source
                    .iter()
                    .zip(strides)
                    .map(|(size, stride)| if *size == 1 { 0 } else { stride });
                let strides: Vec<_> = std::iter::repeat_n(0, missing).chain(strides).collect();
                (op.operand(0), new, dims(&result, &strides)?)
            }
            vector::EXTRACT => {
                let whole = sizes(op.operand(0).ty())?;
                at.base = position(op, &whole)?;
                (op.operand(0), new, dims(&sizes(ty)?, &row_major(&sizes(ty)?))?)
            }
            vector::INSERT => {
                let (part, whole) = (op.operand(0), op.operand(1));
                place.base = position(op, &sizes(whole.ty())?)?;
                let size = sizes(part.ty())?;
                (part, self.target(whole, op), dims(&size, &row_major(&size))?)
            }
            vector::EXTRACT_STRIDED_SLICE => {
                let whole = sizes(op.operand(0).ty())?;
                let strides = strided(op, &whole, &mut at)?;
                (op.operand(0), new, dims(&sizes(ty)?, &strides)?)
            }
            vector::INSERT_STRIDED_SLICE => {
                let (part, whole) = (op.operand(0), op.operand(1));
                let strides = strided(op, &sizes(whole.ty())?, &mut place)?;
                let size = sizes(part.ty())?;
                let inner = strides.get(strides.len().checked_sub(size.len())?..)?;
                let dims = dims(&size, inner)?;
                (part, self.target(whole, op), dims.iter().map(reversed).collect())
            }
            _ => return None,
        };
        let block = Block::new(width, &dims);
        Some(Move::Copy { from: self.data(from), at, into, place, block, to })
    }

    /// The box of the part of a slice, from the whole to the part; its place in the whole goes to `place`.
    fn slice(
        &mut self,
        op: Op<'c>,
        first: usize,
        whole: Type<'c>,
        part: Type<'c>,
        place: &mut Place,
    ) -> Option<Vec<Dim>> {
        let list = |name: &str| op.attr(name)?.as_i64s();
        let (offsets, counts) = (list("static_offsets")?, list("static_sizes")?);
        let steps = list("static_strides")?;
        let operands = op.operands().split_off(first);
        let mut operands = operands.into_iter();
        let strides = row_major(&sizes(whole)?);
        for (offset, stride) in offsets.iter().zip(&strides) {
            match *offset == DYNAMIC {
                true => place.terms.push((self.index(operands.next()?), *stride)),
                false => place.base += offset * stride,
            }
        }
        if operands.next().is_some() || byte_count(part)? != byte_count_of(&counts, part)? {
            return None;
        }
        let strides: Vec<_> =
            strides.iter().zip(&steps).map(|(stride, step)| stride * step).collect();
        dims(&counts, &strides)
    }

    /// The box of a vector, from memory to the vector.
    fn transfer(
        &mut self,
        op: Op<'c>,
        first: usize,
        memory: Type<'c>,
        part: Type<'c>,
        place: &mut Place,
    ) -> Option<Vec<Dim>> {
        let (extents, shape) = (sizes(memory)?, sizes(part)?);
        let strides = row_major(&extents);
        let rest = usize::from(op.is(vector::TRANSFER_READ));
        if op.operand_count() != first + extents.len() + rest {
            return None;
        }
        let map = op.attr("permutation_map").and_then(AffineMap::of)?;
        let flags = op.attr("in_bounds").and_then(|list| list.as_array()).unwrap_or_default();
        let indices: Vec<_> =
            (0..extents.len()).map(|dim| self.index(op.operand(first + dim))).collect();
        place.terms.extend(indices.iter().copied().zip(strides.iter().copied()));
        let mut dims = Vec::new();
        for (at, (index, size)) in map.results.iter().zip(&shape).enumerate() {
            let (stride, dim) = match index {
                AffineExpr::Dim(dim) => (strides[*dim], Some(*dim)),
                AffineExpr::Constant(0) => (0, None),
                _ => return None,
            };
            if let Some(dim) = dim
                && flags.get(at).and_then(|flag| flag.as_bool()) != Some(true)
            {
                place.limits.push((indices[dim], extents[dim] - size));
            }
            dims.push((stride, *size));
        }
        let (strides, sizes): (Vec<_>, Vec<_>) = dims.into_iter().unzip();
        self::dims(&sizes, &strides)
    }
}

/// The box of these sizes with these strides in the source, to a row-major array of the sizes.
fn dims(sizes: &[i64], from: &[i64]) -> Option<Vec<Dim>> {
    let to = row_major(sizes);
    (sizes.len() == from.len()).then(|| {
        let both = sizes.iter().zip(from).zip(to);
        both.map(|((size, from), to)| Dim { size: *size, from: *from, to }).collect()
    })
}

/// The same box the other way.
fn reversed(dim: &Dim) -> Dim {
    Dim { size: dim.size, from: dim.to, to: dim.from }
}

fn byte_count_of(sizes: &[i64], ty: Type<'_>) -> Option<usize> {
    let count = sizes.iter().try_fold(1i64, |count, size| count.checked_mul(*size))?;
    usize::try_from(count).ok()?.checked_mul(width(ty)?)
}

/// The box of an operation of linalg that copies.
fn loops(op: Op<'_>, source: &AffineMap, target: &AffineMap, at: &mut Place) -> Option<Vec<Dim>> {
    let (from, to) = (sizes(op.operand(0).ty())?, sizes(op.operand(1).ty())?);
    let mut strides = vec![0; source.dims];
    for (index, stride) in source.results.iter().zip(row_major(&from)) {
        let (factors, constant) = index.linear(source.dims)?;
        at.base += constant * stride;
        strides.iter_mut().zip(factors).for_each(|(sum, factor)| *sum += factor * stride);
    }
    let order = target.projected()?;
    let dims = order.iter().zip(&to).zip(row_major(&to));
    Some(dims.map(|((dim, size), to)| Dim { size: *size, from: strides[*dim], to }).collect())
}

/// The position of the static indices of a vector operation.
fn position(op: Op<'_>, whole: &[i64]) -> Option<i64> {
    let fixed = op.attr("static_position")?.as_i64s()?;
    if fixed.contains(&DYNAMIC) || fixed.len() > whole.len() {
        return None;
    }
    Some(fixed.iter().zip(row_major(whole)).map(|(index, stride)| index * stride).sum())
}

/// The strides of the part of a slice of a vector in the whole; its offset goes to `place`.
fn strided(op: Op<'_>, whole: &[i64], place: &mut Place) -> Option<Vec<i64>> {
    let list = |name: &str| {
        let all = op.attr(name)?.as_array()?;
        all.into_iter().map(|one| one.as_i64()).collect::<Option<Vec<_>>>()
    };
    let (offsets, steps) = (list("offsets")?, list("strides")?);
    let mut strides = row_major(whole);
    place.base = offsets.iter().zip(&strides).map(|(offset, stride)| offset * stride).sum();
    // A part of fewer dimensions is one of the innermost.
    let first = strides.len().checked_sub(steps.len())?;
    let from = if op.is(vector::EXTRACT_STRIDED_SLICE) { 0 } else { first };
    strides.iter_mut().skip(from).zip(steps).for_each(|(stride, step)| *stride *= step);
    Some(strides)
}

/// The bytes of a scalar constant.
fn scalar(ty: Type<'_>, int: Option<i64>, float: Option<f64>) -> Option<Vec<u8>> {
    let width = width(ty)?;
    if let Some(int) = int.filter(|_| ty.is_int() && width <= 8) {
        return Some(int.to_le_bytes()[..width].to_vec());
    }
    let float = float.filter(|_| ty.is_float_type())?;
    match (ty.bit_width()?, float.to_bits()) {
        (_, 0) => Some(vec![0; width]),
        (32, _) => Some((float as f32).to_le_bytes().to_vec()),
        (64, _) => Some(float.to_le_bytes().to_vec()),
        _ => None,
    }
}

/// The expression with symbols as further dimensions.
fn without_symbols(expr: AffineExpr, dims: usize) -> AffineExpr {
    let both = |left: Box<AffineExpr>, right: Box<AffineExpr>| {
        (Box::new(without_symbols(*left, dims)), Box::new(without_symbols(*right, dims)))
    };
    match expr {
        AffineExpr::Symbol(at) => AffineExpr::Dim(dims + at),
        AffineExpr::Dim(_) | AffineExpr::Constant(_) => expr,
        AffineExpr::Add(left, right) => {
            let (left, right) = both(left, right);
            AffineExpr::Add(left, right)
        }
        AffineExpr::Mul(left, right) => {
            let (left, right) = both(left, right);
            AffineExpr::Mul(left, right)
        }
        AffineExpr::Mod(left, right) => {
            let (left, right) = both(left, right);
            AffineExpr::Mod(left, right)
        }
        AffineExpr::FloorDiv(left, right) => {
            let (left, right) = both(left, right);
            AffineExpr::FloorDiv(left, right)
        }
        AffineExpr::CeilDiv(left, right) => {
            let (left, right) = both(left, right);
            AffineExpr::CeilDiv(left, right)
        }
    }
}
