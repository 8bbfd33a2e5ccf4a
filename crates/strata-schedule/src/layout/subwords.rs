//! Unpacks integers of four or eight bits to lanes of `bf16`, where these are read.
//!
//! ```text
//! %l = narrow.pack "s4" %w to "bf16" along 0 : tensor<24x64xi32> -> tensor<96x64xi32>
//! … vector.transfer_read %l[%k, %j] : vector<16xi32>
//! ```
//! becomes
//! ```text
//! … %v = vector.transfer_read %w[%k floordiv 4, %j] : vector<16xi32>
//!   %s = arith.shrui %v, 4 * (%k mod 4)
//!   narrow.widen "s4" %s
//! ```
//! Lanes that are read too often for that are unpacked by loops, into memory. Those with a scale are scaled at once (`narrow.scale`). Lanes of
//! words that are a stride apart are read by as many:
//! ```text
//! %v = vector.transfer_read %w[%j, %k floordiv 64 * 16] : vector<16xi32>
//! %n = narrow.widen "s4" (arith.shrui %v, 4 * (%k floordiv 16 mod 4))
//! %s = vector.broadcast (tensor.extract %scales[%j, %k floordiv 64])
//! narrow.scale %n by %s
//! ```
//! or, where all lanes of words are copied, by as many times the lanes of a word, from which each are made and written.

use strata_ir::{
    AffineExpr, AffineMap, AttributeExt as _, Builder, Context, Op, TypeExt as _, Value, affine,
    arith, constant_index, index, integer, narrow, scf, string, vector,
};
use strata_target::Subword;

use super::lanes::{are_read_in_place, reshaped};
use crate::loops::counted;

/// Replaces all such operations in `top`; lanes are in vectors of `width`.
pub fn unpack_subwords<'c>(context: &'c Context, top: Op<'c>, width: i64) {
    for op in top.collect(|op| op.is(narrow::PACK)) {
        let Some(unpacking) = Unpacking::of(op) else { continue };
        let reads: Vec<_> = op.result(0).uses().into_iter().map(|(user, _)| user).collect();
        let fits = || reads.iter().all(|read| unpacking.has_words_of(*read));
        if are_read_in_place(op, &reads) && fits() {
            for read in reads {
                unpacking.read_row(&Builder::before(context, read), read);
                read.erase();
            }
            op.erase();
            continue;
        }
        let b = Builder { location: op.location(), ..Builder::before(context, op) };
        if let Some(lanes) = unpacking.emit(&b, op, width) {
            op.result(0).replace_all_uses_with(lanes);
            op.erase();
        }
    }
}

/// The positions of values that are unpacked where they are read.
pub fn unpacked(values: &[Value<'_>]) -> Vec<usize> {
    let is = |value: &Value<'_>| {
        value.owner().filter(|op| op.is(narrow::PACK)).and_then(Unpacking::of).is_some()
    };
    values.iter().enumerate().filter(|(_, value)| is(value)).map(|(at, _)| at).collect()
}

/// A `narrow.pack` of words of such integers.
struct Unpacking<'c> {
    words: Value<'c>,
    /// A scale of each group of words, and a zero point.
    params: Vec<Value<'c>>,
    dimension: usize,
    subword: Subword,
    /// How far apart the lanes of a word are, if they do not follow each other.
    stride: Option<i64>,
    /// Lanes of a group.
    group: i64,
}

/// Tensors of such words and of what they are scaled by, and along which dimension the words are.
type Source<'a, 'c> = (Value<'c>, &'a [Value<'c>], usize);

impl<'c> Unpacking<'c> {
    fn of(op: Op<'c>) -> Option<Self> {
        // Of others, lanes are packed.
        (op.operand(0).ty().element().bit_width() == Some(32)).then_some(())?;
        let subword = Subword::named(op.attr("from")?.as_str()?)?;
        let dimension = usize::try_from(op.attr("dimension")?.as_i64()?).ok()?;
        let (words, params) = (op.operand(0), op.operands().split_off(1));
        let count = |value: Value<'c>| value.ty().shape()?.get(dimension).copied();
        let groups = params.first().map_or(Some(1), |scale| count(*scale))?;
        let group = subword.lanes() * count(words)? / groups.max(1);
        let stride = op.attr("stride").and_then(|stride| stride.as_i64());
        Some(Self { words, params, dimension, subword, stride, group })
    }

    /// Whether the lanes that an operation reads are those of as many words at the same bits.
    fn has_words_of(&self, read: Op<'c>) -> bool {
        let of_word = self.subword.lanes();
        let is_of = |stride: i64| {
            let shape = read.result(0).ty().shape();
            let Some([lanes]) = shape.as_deref() else { return false };
            let is_whole = || *lanes == stride * of_word && copy_of(read).is_some();
            (*lanes == stride || is_whole())
                && rest(read.operand(1 + self.dimension), *lanes) == Some(0)
        };
        self.stride.is_none_or(is_of)
    }

    /// Replaces a read of lanes.
    fn read_row(&self, b: &Builder<'c>, op: Op<'c>) {
        let ty = op.result(0).ty();
        let width = ty.element_count().and_then(|width| i64::try_from(width).ok()).unwrap_or(1);
        let rank = self.words.ty().rank().unwrap_or_default();
        let source = (self.words, &self.params[..], self.dimension);
        let at = &op.operands()[1..=rank];
        let lanes = match self.stride {
            Some(stride) => {
                let others = at.iter().enumerate().filter(|(dim, _)| *dim != self.dimension);
                let others: Vec<_> = others.map(|(_, value)| *value).collect();
                let outer = Builder {
                    location: b.location,
                    ..Builder::before(b.context, outside(op, &others))
                };
                if let Some(copy) = copy_of(op).filter(|_| width > stride) {
                    self.copy([b, &outer], source, at, (stride, copy));
                    return;
                }
                self.strided([b, &outer], source, at, stride)
            }
            None => self.lanes(b, source, at, width),
        };
        let found = match ty.rank() {
            Some(0) => b.broadcast(b.lane(lanes, 0), ty),
            _ => lanes,
        };
        op.result(0).replace_all_uses_with(found);
    }

    /// `width` lanes along the last dimension from these indices on, of which that of `dimension` is of a lane.
    fn lanes(
        &self,
        b: &Builder<'c>,
        (words, params, dimension): Source<'_, 'c>,
        at: &[Value<'c>],
        width: i64,
    ) -> Value<'c> {
        let rank = at.len();
        let map = AffineMap::projection(rank, &[rank - 1]);
        // The row of a tensor that has one for so many lanes.
        let row = |from: Value<'c>, count: i64| {
            let mut place = at.to_vec();
            place[dimension] = applied(b, AffineExpr::dim(0).floor_div(count), at[dimension]);
            let element = from.ty().element();
            let ty = strata_ir::vector(&[width], element);
            let read = vector::transfer_read(b, from, &map, b.number(element, 0.0), &[true], ty);
            read.indices(&place).value()
        };
        let (bits, of_word) = (self.subword.bits(), self.subword.lanes());
        let read = row(words, of_word);
        let [lane, count] = [AffineExpr::dim(0), AffineExpr::Constant(of_word)].map(Box::new);
        let distance = applied(b, AffineExpr::Mod(lane, count) * bits, at[dimension]);
        let params: Vec<_> = params.iter().map(|param| row(*param, self.group)).collect();
        self.numbers(b, read, distance, &params)
    }

    /// The integers at so many bits of each half of `words`, scaled.
    fn numbers(
        &self,
        b: &Builder<'c>,
        words: Value<'c>,
        distance: Value<'c>,
        params: &[Value<'c>],
    ) -> Value<'c> {
        let shift = match constant_index(distance) {
            Some(distance) => b.int(words.ty(), distance),
            None => {
                b.broadcast(b.cast(arith::INDEX_CAST, distance, integer(b.context, 32)), words.ty())
            }
        };
        let words = b.same(arith::SHRUI, &[words, shift]);
        let from = string(b.context, self.subword.name());
        let numbers =
            b.op(narrow::WIDEN).operand(words).attr("from", from).result(words.ty()).value();
        if params.is_empty() {
            return numbers;
        }
        b.op(narrow::SCALE).operand(numbers).operands(params).result(words.ty()).value()
    }

    /// `stride` lanes along the last dimension, which words are along, from these indices on: a multiple of as many. A scale that all words
    /// of a row have is read by `outer`.
    fn strided(
        &self,
        builders: [&Builder<'c>; 2],
        source: Source<'_, 'c>,
        at: &[Value<'c>],
        stride: i64,
    ) -> Value<'c> {
        let (b, first) = (builders[0], at[source.2]);
        let (bits, of_word) = (self.subword.bits(), self.subword.lanes());
        let distance = match rest(first, of_word * stride) {
            Some(rest) => b.index(rest / stride * bits),
            None => {
                let [number, count] =
                    [AffineExpr::dim(0).floor_div(stride), AffineExpr::Constant(of_word)]
                        .map(Box::new);
                applied(b, AffineExpr::Mod(number, count) * bits, first)
            }
        };
        let (words, params) = self.words(builders, source, at, stride);
        self.numbers(b, words, distance, &params)
    }

    /// The words that have these lanes, and what they are scaled by.
    fn words(
        &self,
        [b, outer]: [&Builder<'c>; 2],
        (words, params, dimension): Source<'_, 'c>,
        at: &[Value<'c>],
        stride: i64,
    ) -> (Value<'c>, Vec<Value<'c>>) {
        let of_word = self.subword.lanes();
        let (word, all, first) = (integer(b.context, 32), of_word * stride, at[dimension]);
        let lanes = strata_ir::vector(&[stride], word);
        let with = |index: Value<'c>| {
            let mut place = at.to_vec();
            place[dimension] = index;
            place
        };
        // The index of the first lane of the words, for all of theirs the same expression where that is known.
        let known = rest(first, all);
        let start = AffineExpr::dim(0) + -known.unwrap_or(0);
        let place = with(applied(b, start.clone().floor_div(all) * stride, first));
        let map = AffineMap::projection(at.len(), &[dimension]);
        let read = vector::transfer_read(b, words, &map, b.number(word, 0.0), &[true], lanes);
        let read = read.indices(&place).value();
        // As above, of the groups.
        let known = if self.group % all == 0 { known } else { rest(first, self.group) };
        let start = AffineExpr::dim(0) + -known.unwrap_or(0);
        let is_one =
            words.ty().shape().is_some_and(|shape| shape[dimension] * of_word == self.group);
        let (params_at, group) = match is_one {
            true => (outer, outer.index(0)),
            false => (b, applied(b, start.floor_div(self.group), first)),
        };
        let place = with(group);
        let params: Vec<_> = params
            .iter()
            .map(|param| {
                let floats = strata_ir::vector(&[stride], param.ty().element());
                params_at.broadcast(params_at.extract(*param, &place), floats)
            })
            .collect();
        (read, params)
    }

    /// Writes all lanes of words that are read at once to where `copy` has them written.
    fn copy(
        &self,
        [b, outer]: [&Builder<'c>; 2],
        source: Source<'_, 'c>,
        at: &[Value<'c>],
        (stride, copy): (i64, Op<'c>),
    ) {
        let (bits, of_word, dimension) = (self.subword.bits(), self.subword.lanes(), source.2);
        let is_shared = self.group % (of_word * stride) == 0;
        let shared = is_shared.then(|| self.words([b, outer], source, at, stride));
        let (mut into, start) = (copy.operand(1), copy.operands().split_off(2));
        let Some(last) = start.len().checked_sub(1) else { return };
        let map = AffineMap::projection(start.len(), &[last]);
        for number in 0..of_word {
            let moved = |place: &[Value<'c>], dim: usize| {
                let mut place = place.to_vec();
                place[dim] = applied(b, AffineExpr::dim(0) + number * stride, place[dim]);
                place
            };
            let lanes = match &shared {
                Some((words, params)) => self.numbers(b, *words, b.index(number * bits), params),
                None => self.strided([b, outer], source, &moved(at, dimension), stride),
            };
            let to = moved(&start, last);
            let write = vector::transfer_write(b, lanes, into, &map, &[true], &[into.ty()]);
            into = write.indices(&to).value();
        }
        copy.result(0).replace_all_uses_with(into);
        copy.erase();
    }

    /// All lanes, by loops.
    fn emit(&self, b: &Builder<'c>, op: Op<'c>, width: i64) -> Option<Value<'c>> {
        let result = op.result(0).ty();
        let shape = result.shape()?;
        let rows = shape[..self.dimension].iter().product();
        let (depth, columns) =
            (shape[self.dimension], shape[self.dimension + 1..].iter().product());
        let words = self.words.ty().shape()?[self.dimension];
        let words_of = |value: Value<'c>, count| reshaped(b, value, &[rows, count, columns]);
        let groups = |param: Value<'c>| Some(param.ty().shape()?[self.dimension]);
        let params = self.params.iter().map(|param| Some(words_of(*param, groups(*param)?)));
        let params = params.collect::<Option<Vec<_>>>()?;
        let words = words_of(self.words, words);
        if let Some(stride) = self.stride {
            return self.emit_strided(b, (words, &params), [rows, depth, stride], &shape);
        }
        let whole: i64 = columns / width * width;
        let empty = b.empty(&[rows, depth, columns], integer(b.context, 32));
        let [lanes] = counted(b, [0, rows, 1], [empty], |b, row, [into]| {
            counted(b, [0, depth, 1], [into], |b, lane, [into]| {
                let write = |b: &Builder<'c>, column, width, into: Value<'c>| {
                    let source = (words, &params[..], 1);
                    let lanes = self.lanes(b, source, &[row, lane, column], width);
                    let map = AffineMap::projection(3, &[2]);
                    vector::transfer_write(b, lanes, into, &map, &[true], &[into.ty()])
                        .indices(&[row, lane, column])
                        .value()
                };
                let [into] = counted(b, [0, whole, width], [into], |b, column, [into]| {
                    Some([write(b, column, width, into)])
                })?;
                Some([match columns - whole {
                    0 => into,
                    rest => write(b, b.index(whole), rest, into),
                }])
            })
        })?;
        Some(reshaped(b, lanes, &shape))
    }

    /// The same where lanes of a word are `stride` apart.
    fn emit_strided(
        &self,
        b: &Builder<'c>,
        (words, params): (Value<'c>, &[Value<'c>]),
        [rows, depth, stride]: [i64; 3],
        shape: &[i64],
    ) -> Option<Value<'c>> {
        let vectors = |value: Value<'c>| {
            let sizes = value.ty().shape()?;
            Some(reshaped(b, value, &[rows, sizes[1]]))
        };
        let words = vectors(words)?;
        let params = params.iter().map(|param| vectors(*param)).collect::<Option<Vec<_>>>()?;
        let empty = b.empty(&[rows, depth], integer(b.context, 32));
        let [lanes] = counted(b, [0, rows, 1], [empty], |b, row, [into]| {
            counted(b, [0, depth, stride], [into], |b, lane, [into]| {
                let at = [row, lane];
                let lanes = self.strided([b, b], (words, &params, 1), &at, stride);
                let map = AffineMap::projection(2, &[1]);
                let write = vector::transfer_write(b, lanes, into, &map, &[true], &[into.ty()]);
                Some([write.indices(&at).value()])
            })
        })?;
        Some(reshaped(b, lanes, shape))
    }
}

/// The write of a vector along the last dimension that is the only use of what is read.
fn copy_of(read: Op<'_>) -> Option<Op<'_>> {
    let [(write, 0)] = read.result(0).uses()[..] else { return None };
    let rank = write.operands().len().checked_sub(2).filter(|rank| *rank > 0)?;
    let map = write.attr("permutation_map").and_then(AffineMap::of);
    let is_row = map == Some(AffineMap::projection(rank, &[rank - 1]));
    (write.is(vector::TRANSFER_WRITE) && is_row).then_some(write)
}

/// The outermost loop around an operation in which none of the values is computed; the operation itself without one.
fn outside<'c>(op: Op<'c>, values: &[Value<'c>]) -> Op<'c> {
    let is_outside = |parent: Op<'c>| {
        let homes = values.iter().map(|value| value.home());
        homes.into_iter().all(|home| home.is_some_and(|home| !parent.encloses(home)))
    };
    match op.parent().filter(|parent| parent.is(scf::FOR) && is_outside(*parent)) {
        Some(parent) => outside(parent, values),
        None => op,
    }
}

/// What an index leaves when it is divided by `by`, where loops and constants say so.
fn rest(index: Value<'_>, by: i64) -> Option<i64> {
    if let Some(index) = constant_index(index) {
        return Some(index.rem_euclid(by));
    }
    let Some(op) = index.owner() else {
        let (block, 0) = index.block_arg()? else { return None };
        let op = block.parent_op().filter(|op| op.is(scf::FOR))?;
        let [first, step] = [op.operand(0), op.operand(2)];
        return rest(first, by).filter(|_| rest(step, by) == Some(0));
    };
    let map = AffineMap::of(op.attr("map")?).filter(|_| op.is(affine::APPLY))?;
    let rests = op.operands().into_iter().map(|operand| rest(operand, by));
    let rests = rests.collect::<Option<Vec<_>>>()?;
    let [expr] = &map.results[..] else { return None };
    let is_linear = is_linear(expr);
    let found = expr.value(&rests[..map.dims], &rests[map.dims..])?;
    is_linear.then(|| found.rem_euclid(by))
}

/// Whether an expression is sums and products alone.
fn is_linear(expr: &AffineExpr) -> bool {
    match expr {
        AffineExpr::Dim(_) | AffineExpr::Symbol(_) | AffineExpr::Constant(_) => true,
        AffineExpr::Add(left, right) | AffineExpr::Mul(left, right) => {
            is_linear(left) && is_linear(right)
        }
        _ => false,
    }
}

/// An expression of an index.
fn applied<'c>(b: &Builder<'c>, expr: AffineExpr, at: Value<'c>) -> Value<'c> {
    if let Some(at) = constant_index(at)
        && let Some(found) = expr.value(&[at], &[])
    {
        return b.index(found);
    }
    affine::apply(b, &AffineMap::new(1, vec![expr]), &[at], index(b.context)).value()
}
