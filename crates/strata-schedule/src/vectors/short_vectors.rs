//! Short vectors: arithmetic on short one-dimensional tensors becomes arithmetic on vectors.
//!
//! Before:
//! ```text
//! %x = tensor.extract_slice %from[%i, 0] [1, 16] [1, 1] : tensor<9x16xf32> to tensor<16xf32>
//! %y = arith.addf %x, %x : tensor<16xf32>
//! %z = tensor.insert_slice %y into %to[%i, 0] [1, 16] [1, 1]
//! ```
//! After:
//! ```text
//! %x = vector.transfer_read %from[%i, 0] : tensor<9x16xf32>, vector<16xf32>
//! %y = arith.addf %x, %x : vector<16xf32>
//! %z = vector.transfer_write %y, %to[%i, 0] : vector<16xf32>, tensor<9x16xf32>
//! ```
//! Elements of two short tensors at constant places (`tensor.gather` of `tensor.concat`) are a `vector.shuffle`; `narrow.partition` is
//! the same operation on vectors.

use std::collections::HashMap;

use strata_ir::{
    AffineMap, AttributeExt as _, Builder, Context, Op, Type, TypeExt as _, Value, arith,
    dense_splat, float, index, int, narrow, tensor, vector,
};

/// MLIR's mark for an offset that is an operand.
const DYNAMIC: i64 = i64::MIN;

/// Whether the operation computes on short vectors. All other arithmetic on tensors is linalg.
fn is_lane_op(op: Op<'_>) -> bool {
    let row = |value: Value<'_>| value.ty().is_tensor_type() && value.ty().rank() == Some(1);
    // A select between tensors: nothing is computed.
    let is_choice = op.is(arith::SELECT) && !op.operand(0).ty().is_tensor_type();
    matches!(op.dialect(), "arith" | "math")
        && !op.is(arith::CONSTANT)
        && !is_choice
        && op.results().into_iter().all(row)
        && op.result_count() > 0
        || is_shuffle(op)
        || op.is(narrow::PARTITION)
        || op.is(tensor::CONCAT)
            && op.result(0).uses().into_iter().all(|(user, _)| is_shuffle(user))
}

/// Whether the operation takes lanes of two short vectors at constant places.
fn is_shuffle(op: Op<'_>) -> bool {
    let is_row = |value: Value<'_>| value.ty().rank() == Some(1);
    let is_pair = |both: Op<'_>| match both.operands()[..] {
        [x, y] => both.is(tensor::CONCAT) && is_row(x) && x.ty() == y.ty(),
        _ => false,
    };
    op.is(tensor::GATHER)
        && is_row(op.result(0))
        && op.operand(0).owner().is_some_and(is_pair)
        && op.operand(1).owner().is_some_and(|places| places.is(arith::CONSTANT))
}

/// Converts all short tensors within `root` to vectors.
pub fn vectorize<'c>(context: &'c Context, root: Op<'c>) {
    let mut vectors = Vectors { context, known: HashMap::new() };
    let mut done = Vec::new();
    for op in root.collect(|op| {
        is_lane_op(op)
            || matches!(op.name(), tensor::EXTRACT_SLICE | tensor::INSERT_SLICE | tensor::SPLAT)
    }) {
        if vectors.replace(op) {
            done.push(op);
        }
    }
    for op in done.into_iter().rev() {
        if op.is_unused() {
            op.erase();
        }
    }
}

struct Vectors<'c> {
    context: &'c Context,
    /// The vector of each short tensor.
    known: HashMap<Value<'c>, Value<'c>>,
}

impl<'c> Vectors<'c> {
    /// Inserts the vector form before `op`; returns false if `op` has none.
    fn replace(&mut self, op: Op<'c>) -> bool {
        match op.name() {
            tensor::EXTRACT_SLICE => self.read(op).is_some(),
            tensor::SPLAT => self.splat(op).is_some(),
            tensor::INSERT_SLICE => self.write(op).is_some(),
            // What is taken from both together follows from each.
            tensor::CONCAT => true,
            tensor::GATHER => self.shuffle(op).is_some(),
            _ => self.compute(op).is_some(),
        }
    }

    fn builder(&self, op: Op<'c>) -> Builder<'c> {
        Builder::before(self.context, op)
    }

    fn read(&mut self, op: Op<'c>) -> Option<()> {
        let result = op.result(0);
        let users = result.uses();
        if users.is_empty() || !users.into_iter().all(|(user, _)| is_lane_op(user)) {
            return None;
        }
        let builder = self.builder(op);
        let at = self.row_start(op, op.operand(0).ty(), result.ty(), 1)?;
        let read = self.transfer_read(&builder, op.operand(0), &at, result.ty())?;
        self.known.insert(result, read);
        Some(())
    }

    fn splat(&mut self, op: Op<'c>) -> Option<()> {
        let result = op.result(0);
        if result.ty().rank() != Some(1) {
            return None;
        }
        let ty = row_vector(result.ty())?;
        let value =
            self.builder(op).op(vector::BROADCAST).operand(op.operand(0)).result(ty).value();
        self.known.insert(result, value);
        Some(())
    }

    fn shuffle(&mut self, op: Op<'c>) -> Option<()> {
        let builder = self.builder(op);
        let [x, y] = op.operand(0).owner()?.operands()[..] else { return None };
        let places = op.operand(1).owner()?.attr("value")?.as_i64s()?;
        let [x, y] = [self.vector_of(&builder, x)?, self.vector_of(&builder, y)?];
        let ty = row_vector(op.result(0).ty())?;
        let made = vector::shuffle(&builder, x, y, &places, ty).value();
        self.computed(&builder, op.result(0), made)
    }

    fn compute(&mut self, op: Op<'c>) -> Option<()> {
        let builder = self.builder(op);
        let operands = op
            .operands()
            .into_iter()
            .map(|value| self.vector_of(&builder, value))
            .collect::<Option<Vec<_>>>()?;
        // The number of lanes that a partition selects stays one.
        let row = |ty: Type<'c>| if ty.is_tensor_type() { row_vector(ty) } else { Some(ty) };
        let results = op.result_types().into_iter().map(row).collect::<Option<Vec<_>>>()?;
        let made =
            builder.op(op.name()).operands(&operands).attrs(&op.attrs()).results(&results).build();
        for (old, new) in op.results().into_iter().zip(made.results()) {
            match old.ty().is_tensor_type() {
                true => self.computed(&builder, old, new)?,
                false => old.replace_all_uses_with(new),
            }
        }
        Some(())
    }

    /// Records the vector of a short tensor; users that need a tensor get one.
    fn computed(&mut self, builder: &Builder<'c>, old: Value<'c>, new: Value<'c>) -> Option<()> {
        let others = old.uses().into_iter().any(|(user, _)| {
            let stored = user.is(tensor::INSERT_SLICE) && user.operand(0) == old;
            !(is_lane_op(user) || stored)
        });
        if others {
            let empty = builder.op(tensor::EMPTY).result(old.ty()).value();
            let zero = self.constant(builder, index(self.context), 0);
            let row = self.transfer_write(builder, new, empty, &[zero])?;
            for (user, operand) in old.uses() {
                if !is_lane_op(user) && !user.is(tensor::INSERT_SLICE) {
                    user.set_operand(operand, row);
                }
            }
        }
        self.known.insert(old, new);
        Some(())
    }

    fn write(&mut self, op: Op<'c>) -> Option<()> {
        let value = *self.known.get(&op.operand(0))?;
        let into = op.operand(1);
        let at = self.row_start(op, into.ty(), op.operand(0).ty(), 2)?;
        let builder = self.builder(op);
        let written = self.transfer_write(&builder, value, into, &at)?;
        op.result(0).replace_all_uses_with(written);
        Some(())
    }

    /// The offset of a slice with unit stride along the last dimension.
    fn row_start(
        &self,
        op: Op<'c>,
        whole: Type<'c>,
        row: Type<'c>,
        first_offset: usize,
    ) -> Option<Vec<Value<'c>>> {
        let sizes = op.attr("static_sizes")?.as_i64s()?;
        let strides = op.attr("static_strides")?.as_i64s()?;
        let (last, others) = sizes.split_last()?;
        let fits = row.shape()? == [*last]
            && others.iter().all(|size| *size == 1)
            && strides.iter().all(|stride| *stride == 1)
            && whole.rank()? == sizes.len();
        if !fits {
            return None;
        }
        let builder = self.builder(op);
        let mut dynamic = op.operands().into_iter().skip(first_offset);
        op.attr("static_offsets")?
            .as_i64s()?
            .into_iter()
            .map(|offset| match offset {
                DYNAMIC => dynamic.next(),
                known => Some(self.constant(&builder, index(self.context), known)),
            })
            .collect()
    }

    /// The vector of a short tensor.
    fn vector_of(&mut self, builder: &Builder<'c>, value: Value<'c>) -> Option<Value<'c>> {
        if let Some(known) = self.known.get(&value) {
            return Some(*known);
        }
        if !value.ty().is_tensor_type() {
            return Some(value);
        }
        let ty = row_vector(value.ty())?;
        let constant = value.owner().filter(|owner| owner.is(arith::CONSTANT));
        if let Some(element) = constant.and_then(|owner| owner.attr("value")?.splat_value()) {
            let attribute = match (ty.element().is_int(), element.as_i64()) {
                (true, Some(number)) => dense_splat(ty, int(ty.element(), number)),
                _ => dense_splat(ty, element),
            };
            return Some(builder.op(arith::CONSTANT).attr("value", attribute).result(ty).value());
        }
        let zero = self.constant(builder, index(self.context), 0);
        self.transfer_read(builder, value, &[zero], value.ty())
    }

    fn constant(&self, builder: &Builder<'c>, ty: Type<'c>, value: i64) -> Value<'c> {
        let value = match ty.is_float_type() {
            true => float(self.context, ty, value as f64),
            false => int(ty, value),
        };
        builder.op(arith::CONSTANT).attr("value", value).result(ty).value()
    }

    fn transfer_read(
        &self,
        builder: &Builder<'c>,
        from: Value<'c>,
        at: &[Value<'c>],
        row: Type<'c>,
    ) -> Option<Value<'c>> {
        let padding = self.constant(builder, row.element(), 0);
        let rank = at.len();
        let map = AffineMap::projection(rank, &[rank.checked_sub(1)?]);
        let row = row_vector(row)?;
        let read = vector::transfer_read(builder, from, &map, padding, &[true], row);
        Some(read.indices(at).value())
    }

    fn transfer_write(
        &self,
        builder: &Builder<'c>,
        value: Value<'c>,
        into: Value<'c>,
        at: &[Value<'c>],
    ) -> Option<Value<'c>> {
        let rank = at.len();
        let map = AffineMap::projection(rank, &[rank.checked_sub(1)?]);
        let written = vector::transfer_write(builder, value, into, &map, &[true], &[into.ty()]);
        Some(written.indices(at).value())
    }
}

/// The vector type of a short tensor.
fn row_vector(row: Type<'_>) -> Option<Type<'_>> {
    (row.rank() == Some(1)).then(|| row.shape())?.map(|shape| vector(&shape, row.element()))
}
