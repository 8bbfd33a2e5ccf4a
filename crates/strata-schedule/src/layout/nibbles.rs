//! Unpacks integers of four bits to lanes of `bf16`, where these are read.
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
//! Lanes that are read too often for that are unpacked by loops, into memory. Those with a scale are scaled at once (`narrow.scale`).

use strata_ir::{
    AffineExpr, AffineMap, AttributeExt as _, Builder, Context, Op, TypeExt as _, Value, affine,
    arith, constant_index, index, integer, narrow, string, vector,
};
use strata_target::Nibble;

use super::lanes::{are_read_in_place, reshaped};
use crate::loops::counted;

/// Replaces all such operations in `top`; lanes are in vectors of `width`.
pub fn unpack_nibbles<'c>(context: &'c Context, top: Op<'c>, width: i64) {
    for op in top.collect(|op| op.is(narrow::PACK)) {
        let Some(unpacking) = Unpacking::of(op) else { continue };
        let reads: Vec<_> = op.result(0).uses().into_iter().map(|(user, _)| user).collect();
        if are_read_in_place(op, &reads) {
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
    nibble: Nibble,
    /// Words of a group.
    group: i64,
}

/// Tensors of such words and of what they are scaled by, and along which dimension the words are.
type Source<'a, 'c> = (Value<'c>, &'a [Value<'c>], usize);

impl<'c> Unpacking<'c> {
    fn of(op: Op<'c>) -> Option<Self> {
        let nibble = Nibble::named(op.attr("from")?.as_str()?)?;
        let dimension = usize::try_from(op.attr("dimension")?.as_i64()?).ok()?;
        let (words, params) = (op.operand(0), op.operands().split_off(1));
        let count = |value: Value<'c>| value.ty().shape()?.get(dimension).copied();
        let groups = params.first().map_or(Some(1), |scale| count(*scale))?;
        let group = count(words)? / groups.max(1);
        Some(Self { words, params, dimension, nibble, group })
    }

    /// Replaces a read of lanes.
    fn read_row(&self, b: &Builder<'c>, op: Op<'c>) {
        let ty = op.result(0).ty();
        let width = ty.element_count().and_then(|width| i64::try_from(width).ok()).unwrap_or(1);
        let rank = self.words.ty().rank().unwrap_or_default();
        let source = (self.words, &self.params[..], self.dimension);
        let lanes = self.lanes(b, source, &op.operands()[1..=rank], width);
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
        let (rank, word) = (at.len(), integer(b.context, 32));
        let lanes = strata_ir::vector(&[width], word);
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
        let read = row(words, Nibble::LANES);
        let lane = [AffineExpr::dim(0), AffineExpr::Constant(Nibble::LANES)].map(Box::new);
        let [number, count] = lane;
        let distance = applied(b, AffineExpr::Mod(number, count) * 4, at[dimension]);
        let shift = match constant_index(distance) {
            Some(distance) => b.int(lanes, distance),
            None => b.broadcast(b.cast(arith::INDEX_CAST, distance, word), lanes),
        };
        let shifted = b.same(arith::SHRUI, &[read, shift]);
        let numbers = b
            .op(narrow::WIDEN)
            .operand(shifted)
            .attr("from", string(b.context, self.nibble.name()))
            .result(lanes)
            .value();
        if params.is_empty() {
            return numbers;
        }
        let params: Vec<_> =
            params.iter().map(|param| row(*param, Nibble::LANES * self.group)).collect();
        b.op(narrow::SCALE).operand(numbers).operands(&params).result(lanes).value()
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
        let params = self.params.iter().map(|param| words_of(*param, words / self.group));
        let params: Vec<_> = params.collect();
        let words = words_of(self.words, words);
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
