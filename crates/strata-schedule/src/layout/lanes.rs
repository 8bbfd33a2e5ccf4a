//! Packs narrow elements into lanes.
//!
//! ```text
//! %l = narrow.pack "s8" %x to "u8" along 0 : tensor<96x64xi8> -> tensor<24x64xi32>
//! ```
//! becomes, for vectors of 16 lanes, where the elements of a lane come from rows,
//! ```text
//! scf.for %q = 0 to 24 step 1 {
//!   scf.for %j = 0 to 64 step 16 {
//!     4 × (vector.transfer_read %x[4 * %q + …, %j] : vector<16xi8>, arith.extui, arith.shli, arith.ori)
//!     arith.xori with 128 in each byte, vector.transfer_write
//!   }
//! }
//! ```
//! and, where they follow each other in memory, a copy of whole vectors of bytes as they are.

use strata_ir::{
    AffineExpr, AffineMap, AttributeExt as _, Builder, Context, Op, TILES, Type, TypeExt as _,
    Value, affine, arith, i64s, index, integer, narrow, reassociation, tensor, vector,
};
use strata_options::LaidOut;
use strata_target::{Lane, Target, tuning::lowering::MAX_LANE_READS};

use crate::{
    constants::is_weight,
    loops::{counted, executions},
};

/// Replaces packing in `top` by loops where lanes are not full; the rest waits for the schedules of its readers ([`read_in_place`]),
/// and that of weights for the compiler or the caller, who pack them. Constants are weights if `constants` are.
pub fn pack_lanes<'c>(context: &'c Context, top: Op<'c>, target: &Target, laid_out: &LaidOut) {
    for op in top.collect(|op| op.is(narrow::PACK) && !is_of_weight(op, laid_out)) {
        if Packing::of(op, target).is_some_and(|packing| !packing.has_full_lanes()) {
            emit(context, op, target);
        }
    }
}

/// Packs the lanes where they are read, if vectors of whole lanes are and few times, and by loops where not; none of
/// weights, which constants are if they are laid out.
pub fn read_in_place<'c>(context: &'c Context, top: Op<'c>, target: &Target, laid_out: &LaidOut) {
    for op in top.collect(|op| op.is(narrow::PACK) && !is_of_weight(op, laid_out)) {
        let Some(packing) = Packing::of(op, target) else { continue };
        let reads: Vec<_> = op.result(0).uses().into_iter().map(|(user, _)| user).collect();
        let rank = packing.shape.len();
        let is_whole = |read: &Op<'_>| packing.are_elements_lanes() && is_tile(*read, rank);
        let (tiles, rows): (Vec<_>, Vec<_>) = reads.into_iter().partition(is_whole);
        if !packing.has_full_lanes() || !are_read_in_place(op, &rows) {
            emit(context, op, target);
            continue;
        }
        for read in tiles {
            packing.read_tile(&Builder::before(context, read), read);
            read.erase();
        }
        for read in rows {
            packing.read_row(&Builder::before(context, read), read);
            read.erase();
        }
        op.erase();
    }
}

/// Whether an operation packs the elements of a weight, which constants are if they are laid out.
pub fn is_of_weight(op: Op<'_>, laid_out: &LaidOut) -> bool {
    // Integers in words stay such in the object.
    let is_copied = op.is(narrow::PACK) && Packing::lanes(op).is_some();
    is_copied && is_weight(op.operand(0), laid_out)
}

/// Whether these read lanes of rows, so few times that packing them at each read takes less time than through memory.
pub(super) fn are_read_in_place<'c>(op: Op<'c>, reads: &[Op<'c>]) -> bool {
    let result = op.result(0).ty();
    let count = |read: &Op<'c>| {
        let lanes = read.result(0).ty().element_count()?;
        Some(executions(*read, op)?.saturating_mul(lanes))
    };
    let are_rows = result.rank().is_some_and(|rank| reads.iter().all(|read| is_row(*read, rank)));
    let read =
        || reads.iter().map(count).try_fold(0_u64, |sum, one| Some(sum.saturating_add(one?)));
    let limit = result.element_count().map(|lanes| lanes.saturating_mul(MAX_LANE_READS));
    are_rows && read().zip(limit).is_some_and(|(read, limit)| read <= limit)
}

/// Whether the operation reads lanes of a row: a vector of them, or one.
fn is_row(op: Op<'_>, rank: usize) -> bool {
    let map = op.attr("permutation_map").and_then(AffineMap::of);
    op.is(vector::TRANSFER_READ)
        && op.operand_count() == rank + 2
        && match op.result(0).ty().rank() {
            Some(0) => true,
            Some(1) => map == Some(AffineMap::projection(rank, &[rank - 1])),
            _ => false,
        }
}

/// Whether the operation reads lanes of several rows.
fn is_tile(op: Op<'_>, rank: usize) -> bool {
    let map = op.attr("permutation_map").and_then(AffineMap::of);
    op.is(vector::TRANSFER_READ)
        && rank >= 2
        && op.operand_count() == rank + 2
        && op.result(0).ty().rank() == Some(2)
        && map == Some(AffineMap::projection(rank, &[rank - 2, rank - 1]))
}

fn emit<'c>(context: &'c Context, op: Op<'c>, target: &Target) {
    let Some(packing) = Packing::of(op, target) else { return };
    let builder = Builder { location: op.location(), ..Builder::before(context, op) };
    if let Some(lanes) = packing.emit(&builder) {
        op.result(0).replace_all_uses_with(lanes);
        op.erase();
    }
}

/// A `narrow.pack`, its operand seen as `rows × depth × columns`.
struct Packing<'c> {
    operand: Value<'c>,
    result: Type<'c>,
    shape: Vec<i64>,
    dimension: usize,
    rows: i64,
    depth: i64,
    columns: i64,
    lane: Lane,
    is_signed: bool,
    /// Lanes of a vector.
    width: i64,
}

impl<'c> Packing<'c> {
    fn of(op: Op<'c>, target: &Target) -> Option<Self> {
        let (operand, result) = (op.operand(0), op.result(0).ty());
        let shape = operand.ty().shape()?;
        let dimension = usize::try_from(op.attr("dimension")?.as_i64()?).ok()?;
        let [from, lane] = Self::lanes(op)?;
        let (mut rows, mut depth) = (shape[..dimension].iter().product(), shape[dimension]);
        let columns = shape[dimension + 1..].iter().product();
        if columns == 1 && depth % lane.count() == 0 {
            // No lane has elements of two rows.
            (rows, depth) = (1, rows * depth);
        }
        let is_signed = from.is_signed();
        let width = i64::from(target.lanes(32));
        Some(Self {
            operand,
            result,
            shape,
            dimension,
            rows,
            depth,
            columns,
            lane,
            is_signed,
            width,
        })
    }

    /// What elements are, and as what they are packed; `None` of integers in words, which are unpacked.
    fn lanes(op: Op<'c>) -> Option<[Lane; 2]> {
        (op.operand(0).ty().element().bit_width() != Some(32)).then_some(())?;
        let lane = |name: &str| Lane::named(op.attr(name)?.as_str()?);
        Some([lane("from")?, lane("to")?])
    }

    fn emit(&self, b: &Builder<'c>) -> Option<Value<'c>> {
        let count = self.lane.count();
        let (whole, left) = (self.depth / count, self.depth % count);
        let all = (self.depth + count - 1) / count;
        // A dimension of one element after that of a vector would part it.
        let rank = if self.columns == 1 { 2 } else { 3 };
        let [shape, from] = [all, self.depth].map(|depth| [self.rows, depth, self.columns]);
        let source = reshaped(b, self.operand, &from[..rank]);
        let empty = b.empty(&shape[..rank], integer(b.context, 32));
        let [packed] = counted(b, [0, self.rows, 1], [empty], |b, row, [into]| {
            let mut into = into;
            if self.columns > 1 {
                [into] = counted(b, [0, whole, 1], [into], |b, at, [into]| {
                    Some([self.across(b, source, [row, at], count, into)?])
                })?;
                if left > 0 {
                    into = self.across(b, source, [row, b.index(whole)], left, into)?;
                }
                return Some([into]);
            }
            let vectors = whole / self.width * self.width;
            [into] = counted(b, [0, vectors, self.width], [into], |b, at, [into]| {
                Some([self.along(b, source, [row, at], self.width, into)])
            })?;
            let (mut at, mut width) = (vectors, self.width);
            while at < whole {
                if width <= whole - at {
                    into = self.along(b, source, [row, b.index(at)], width, into);
                    at += width;
                } else {
                    width /= 2;
                }
            }
            if left > 0 {
                into = self.last(b, source, [row, b.index(whole)], left, into);
            }
            Some([into])
        })?;
        Some(reshaped(b, packed, &self.result.shape()?))
    }

    /// Whether all lanes have as many elements.
    fn has_full_lanes(&self) -> bool {
        self.shape[self.dimension] % self.lane.count() == 0
    }

    /// Whether lanes are the elements that follow each other in memory, as they are.
    fn are_elements_lanes(&self) -> bool {
        self.dimension + 1 == self.shape.len() && self.lane != Lane::S16 && !self.is_shifted()
    }

    /// Replaces a read of lanes of several rows by one of the elements that they are.
    fn read_tile(&self, b: &Builder<'c>, op: Op<'c>) {
        let (ty, rank) = (op.result(0).ty(), self.shape.len());
        let mut shape = ty.shape().unwrap_or_default();
        if let Some(last) = shape.last_mut() {
            *last *= self.lane.count();
        }
        let mut at = op.operands()[1..=rank].to_vec();
        at[self.dimension] = times(b, at[self.dimension], self.lane.count(), 0);
        let element = self.operand.ty().element();
        let map = AffineMap::projection(rank, &[rank - 2, rank - 1]);
        let zero = b.number(element, 0.0);
        let inside = [true, true];
        let elements = vector(&shape, element);
        let read = vector::transfer_read(b, self.operand, &map, zero, &inside, elements);
        let read = read.indices(&at).value();
        if let (Some(read), Some(region)) = (read.owner(), op.attr(TILES)) {
            read.set_attr(TILES, region);
        }
        let lanes = vector::bitcast(b, read, ty).value();
        op.result(0).replace_all_uses_with(lanes);
    }

    /// Replaces a read of lanes by one of what they are made of.
    fn read_row(&self, b: &Builder<'c>, op: Op<'c>) {
        let count = self.lane.count();
        let ty = op.result(0).ty();
        let width = ty.element_count().and_then(|width| i64::try_from(width).ok()).unwrap_or(1);
        let (rank, lanes) = (self.shape.len(), vector(&[width], integer(b.context, 32)));
        let at = op.operands()[1..=rank].to_vec();
        let map = AffineMap::projection(rank, &[rank - 1]);
        let read = |number: i64, width: i64| {
            let mut at = at.clone();
            at[self.dimension] = times(b, at[self.dimension], count, number);
            let element = self.operand.ty().element();
            let row = vector(&[width], element);
            let zero = b.number(element, 0.0);
            let read = vector::transfer_read(b, self.operand, &map, zero, &[true], row);
            read.indices(&at).value()
        };
        let found = match self.dimension + 1 == rank {
            true => self.cast(b, read(0, width * count), lanes),
            false => {
                let rows: Vec<_> = (0..count).map(|number| read(number, width)).collect();
                self.joined(b, &rows, lanes)
            }
        };
        let found = match ty.rank() {
            Some(0) => b.broadcast(b.lane(found, 0), ty),
            _ => found,
        };
        op.result(0).replace_all_uses_with(found);
    }

    /// `width` lanes whose elements follow each other in memory.
    fn along(
        &self,
        b: &Builder<'c>,
        source: Value<'c>,
        [row, at]: [Value<'c>; 2],
        width: i64,
        into: Value<'c>,
    ) -> Value<'c> {
        let count = self.lane.count();
        let zero = b.index(0);
        let bytes = self.read(b, source, [row, times(b, at, count, 0), zero], 1, width * count);
        let lanes = self.cast(b, bytes, vector(&[width], integer(b.context, 32)));
        self.write(b, lanes, into, [row, at, zero], 1)
    }

    /// Lanes from their elements, one after the other.
    fn cast(&self, b: &Builder<'c>, bytes: Value<'c>, lanes: Type<'c>) -> Value<'c> {
        let elements = match self.lane {
            Lane::S16 => {
                let wide = bytes.ty().with_element(integer(b.context, 16));
                b.cast(self.extension(), bytes, wide)
            }
            Lane::Bf16 | Lane::F16 => bytes,
            _ if self.is_shifted() => b.same(arith::XORI, &[bytes, b.int(bytes.ty(), -128)]),
            _ => bytes,
        };
        vector::bitcast(b, elements, lanes).value()
    }

    /// The lanes of `count` rows of the operand, lane by lane.
    fn across(
        &self,
        b: &Builder<'c>,
        source: Value<'c>,
        [row, at]: [Value<'c>; 2],
        count: i64,
        into: Value<'c>,
    ) -> Option<Value<'c>> {
        let vectors = self.columns / self.width * self.width;
        let lanes = |b: &Builder<'c>, column, width, into| {
            let ty = vector(&[width], integer(b.context, 32));
            let elements = (0..count).map(|number| {
                let place = [row, times(b, at, self.lane.count(), number), column];
                self.read(b, source, place, 2, width)
            });
            let lanes = self.joined(b, &elements.collect::<Vec<_>>(), ty);
            self.write(b, lanes, into, [row, at, column], 2)
        };
        let [into] = counted(b, [0, vectors, self.width], [into], |b, column, [into]| {
            Some([lanes(b, column, self.width, into)])
        })?;
        Some(match self.columns - vectors {
            0 => into,
            rest => lanes(b, b.index(vectors), rest, into),
        })
    }

    /// A lane that is not full.
    fn last(
        &self,
        b: &Builder<'c>,
        source: Value<'c>,
        [row, at]: [Value<'c>; 2],
        count: i64,
        into: Value<'c>,
    ) -> Value<'c> {
        let zero = b.index(0);
        let rank = into.ty().rank().unwrap_or_default();
        let elements = (0..count).map(|number| {
            let place = [row, times(b, at, self.lane.count(), number), zero];
            b.extract(source, &place[..rank])
        });
        let lane = self.joined(b, &elements.collect::<Vec<_>>(), integer(b.context, 32));
        tensor::insert(b, lane, into, &[row, at, zero][..rank], into.ty()).value()
    }

    /// Lanes of type `ty` from their elements.
    fn joined(&self, b: &Builder<'c>, elements: &[Value<'c>], ty: Type<'c>) -> Value<'c> {
        let bits = self.lane.bits();
        let mut lanes: Option<Value<'c>> = None;
        for (number, element) in elements.iter().enumerate() {
            let mut part = match self.lane {
                Lane::S16 => b.cast(self.extension(), *element, ty),
                Lane::Bf16 | Lane::F16 => {
                    let bits = b.like(element.ty(), integer(b.context, 16));
                    b.cast(arith::EXTUI, b.cast(arith::BITCAST, *element, bits), ty)
                }
                _ => b.cast(arith::EXTUI, *element, ty),
            };
            if self.lane == Lane::S16 && self.is_signed && number == 0 {
                part = b.same(arith::ANDI, &[part, b.int(ty, 0xFFFF)]);
            }
            if number > 0 {
                let distance = i64::from(bits) * number as i64;
                part = b.same(arith::SHLI, &[part, b.int(ty, distance)]);
            }
            lanes = Some(match lanes {
                Some(lanes) => b.same(arith::ORI, &[lanes, part]),
                None => part,
            });
        }
        let lanes = lanes.unwrap_or_else(|| b.int(ty, 0));
        match self.is_shifted() {
            // The other operand has zeros where there are no elements.
            true => {
                b.same(arith::XORI, &[lanes, b.int(ty, i64::from(0x8080_8080_u32.cast_signed()))])
            }
            false => lanes,
        }
    }

    /// Whether bytes with a sign become bytes without one, or the other way round: their highest bit is flipped.
    fn is_shifted(&self) -> bool {
        self.lane.bits() == 8 && self.is_signed != self.lane.is_signed()
    }

    fn extension(&self) -> strata_ir::OpName<'static> {
        if self.is_signed { arith::EXTSI } else { arith::EXTUI }
    }

    /// `width` elements along dimension `dim`.
    fn read(
        &self,
        b: &Builder<'c>,
        from: Value<'c>,
        at: [Value<'c>; 3],
        dim: usize,
        width: i64,
    ) -> Value<'c> {
        let (element, rank) = (from.ty().element(), from.ty().rank().unwrap_or_default());
        let map = AffineMap::projection(rank, &[dim]);
        let row = vector(&[width], element);
        vector::transfer_read(b, from, &map, b.number(element, 0.0), &[true], row)
            .indices(&at[..rank])
            .value()
    }

    fn write(
        &self,
        b: &Builder<'c>,
        lanes: Value<'c>,
        into: Value<'c>,
        at: [Value<'c>; 3],
        dim: usize,
    ) -> Value<'c> {
        let rank = into.ty().rank().unwrap_or_default();
        let map = AffineMap::projection(rank, &[dim]);
        let write = vector::transfer_write(b, lanes, into, &map, &[true], &[into.ty()]);
        write.indices(&at[..rank]).value()
    }
}

/// `by * at + offset`.
fn times<'c>(b: &Builder<'c>, at: Value<'c>, by: i64, offset: i64) -> Value<'c> {
    match strata_ir::constant_index(at) {
        Some(at) => b.index(by * at + offset),
        None => {
            let map = AffineMap::new(1, vec![AffineExpr::dim(0) * by + offset]);
            affine::apply(b, &map, &[at], index(b.context)).value()
        }
    }
}

/// The same elements in another shape.
pub(super) fn reshaped<'c>(b: &Builder<'c>, value: Value<'c>, shape: &[i64]) -> Value<'c> {
    // All dimensions of a tensor of that rank as one.
    let all = |rank: usize| reassociation(b.context, &[rank]);
    let (from, element) = (value.ty().shape().unwrap_or_default(), value.ty().element());
    if from == shape {
        return value;
    }
    let mut line = value;
    if from.len() > 1 {
        line = b
            .op(tensor::COLLAPSE_SHAPE)
            .operand(value)
            .attr("reassociation", all(from.len()))
            .result(tensor(&[from.iter().product()], element))
            .value();
    }
    if shape.len() == 1 {
        return line;
    }
    b.op(tensor::EXPAND_SHAPE)
        .operand(line)
        .attr("reassociation", all(shape.len()))
        .attr("static_output_shape", i64s(b.context, shape))
        .result(tensor(shape, element))
        .value()
}
