//! Operands that are computed where they are read.
//!
//! ```text
//! %f = linalg.generic { arith.sitofp } ins(%w : tensor<64x96xi8>) -> tensor<64x96xf32>
//! … vector.transfer_read %f[%k, %j] : tensor<64x96xf32>, vector<16xf32>
//! ```
//! becomes
//! ```text
//! … %i = vector.transfer_read %w[%k, %j] : tensor<64x96xi8>, vector<16xi8>
//!   arith.sitofp %i : vector<16xi8> to vector<16xf32>
//! ```
//! Weights that are stored in few bits then never go through memory as numbers of many. How often an element is read follows from
//! the schedules of its readers, so the operation waits until these have theirs; one that is read too often gets a nest after all.

use std::collections::HashMap;

use strata_ir::{
    AffineMap, AttributeExt as _, Builder, Context, Op, Type, TypeExt as _, Value, arith, narrow,
    tensor, vector,
};
use strata_target::tuning::fusion::{MAX_OPERATIONS_AT_READS, MAX_READS};

use crate::{
    fusion::{
        merge::merge,
        nest::{Nest, is_heavy},
    },
    loops::executions,
    structured::{Index, Structured, is_division, vector_bits},
};

/// The operation that a nest is, if computing it at its readers reads less memory than its result takes.
pub fn waiting<'c>(context: &'c Context, nest: &Nest<'c>) -> Option<Op<'c>> {
    let (root, others) = nest.ops.split_last()?;
    let operand = Operand::of(*root)?;
    let parts = others.iter().map(|op| Operand::of(*op)).collect::<Option<Vec<_>>>()?;
    let has_loops = |other: &Operand<'c>| other.nest.extents == operand.nest.extents;
    let length: usize = nest.ops.iter().map(|op| op.body(0).ops().len() - 1).sum();
    if !nest.parts.is_empty() || length > MAX_OPERATIONS_AT_READS || !parts.iter().all(has_loops) {
        return None;
    }
    let mut readers = root.result(0).uses().into_iter();
    if !readers.all(|(reader, _)| is_contraction(reader)) {
        return None;
    }
    let values =
        nest.ops.iter().flat_map(|op| op.operands().into_iter().take(op.operand_count() - 1));
    let is_read = |value: &Value<'c>| {
        value.ty().is_tensor_type() && value.owner().is_none_or(|op| !nest.ops.contains(&op))
    };
    let mut bytes = 0_u64;
    for value in values.filter(is_read) {
        bytes = bytes.saturating_add(size(value)?);
    }
    if bytes >= size(root.result(0))? {
        return None;
    }
    if others.is_empty() {
        return Some(*root);
    }
    let members: Vec<_> = parts.into_iter().chain([operand]).map(|part| part.nest).collect();
    merge(context, &members, &nest.results)
}

/// Whether an operation sums products, or packs an operand of one that does: its schedule decides how often elements are read.
fn is_contraction(op: Op<'_>) -> bool {
    is_heavy(op.name())
        || op.is(narrow::PACK)
        || Structured::of_generic(op).is_some_and(|nest| nest.inputs > 1 && !nest.is_parallel())
}

/// Bytes of a tensor.
fn size(value: Value<'_>) -> Option<u64> {
    let ty = value.ty();
    Some(ty.element_count()?.saturating_mul(ty.element().byte_width()?))
}

/// Computes the result of `op` at each of its reads; returns false, and changes nothing, where it cannot or that would take longer.
pub fn compute_at_reads<'c>(context: &'c Context, op: Op<'c>) -> bool {
    let Some(operand) = Operand::of(op) else { return false };
    let Some(reads) = operand.reads() else { return false };
    let elements = op.result(0).ty().element_count().unwrap_or(0);
    let read = reads.iter().map(|read| read.executions.saturating_mul(read.lanes as u64));
    if read.fold(0, u64::saturating_add) > elements.saturating_mul(MAX_READS) {
        return false;
    }
    let mut views = Vec::new();
    for read in reads {
        let builder = Builder { location: op.location(), ..Builder::before(context, read.op) };
        let value = operand.value_at(&builder, &read);
        read.op.result(0).replace_all_uses_with(value);
        read.op.erase();
        views.extend(read.view);
    }
    for view in views {
        if !view.is_erased() && view.is_unused() {
            view.erase();
        }
    }
    op.erase();
    true
}

/// An elementwise operation that may be computed where it is read.
struct Operand<'c> {
    nest: Structured<'c>,
    /// For each input, the dimension of the result that each of its dimensions is indexed by.
    dims: Vec<Vec<usize>>,
}

/// A read of a vector along a dimension, or of one element.
struct Read<'c> {
    op: Op<'c>,
    /// Of the shape that the reader sees.
    view: Option<Op<'c>>,
    /// The dimension of the operand that each dimension of the view is; `None` for those of extent 1 that the operand lacks.
    dims: Vec<Option<usize>>,
    /// The index along each dimension of the view.
    at: Vec<Value<'c>>,
    /// The dimension of the operand along which lanes are read; `None` for a single element.
    along: Option<usize>,
    lanes: i64,
    executions: u64,
}

impl<'c> Operand<'c> {
    fn of(op: Op<'c>) -> Option<Self> {
        // Vectors of what is smaller than a byte are not in memory as their elements are.
        vector_bits(op)?;
        let nest = Structured::of_generic(op)?;
        let body = op.body(0).ops();
        let is_cheap = |op: &Op<'c>| {
            op.region_count() == 0
                && (op.dialect() == "linalg" || op.dialect() == "arith" && !is_division(op.name()))
        };
        if op.result_count() != 1
            || !nest.is_elementwise()
            || !nest.is_pure_map()
            || body.len() > MAX_OPERATIONS_AT_READS + 1
            || !body.iter().all(is_cheap)
            || op.body(0).args().last().is_some_and(|initial| initial.has_uses())
        {
            return None;
        }
        let dims = |map: &Vec<Index>| -> Option<Vec<usize>> {
            let dim = |index: &Index| match index {
                Index::Loop(dim) => Some(*dim),
                Index::Mixed(_) => None,
            };
            map.iter().map(dim).collect()
        };
        let dims = nest.maps[..nest.inputs].iter().map(dims).collect::<Option<_>>()?;
        Some(Self { nest, dims })
    }

    /// The reads of the result, if nothing else uses it.
    fn reads(&self) -> Option<Vec<Read<'c>>> {
        let result = self.nest.op.result(0);
        let rank = self.nest.extents.len();
        let mut reads = Vec::new();
        for (user, operand) in result.uses() {
            if user.is(tensor::EXPAND_SHAPE) {
                let dims = expanded(user)?;
                for (reader, operand) in user.result(0).uses() {
                    reads.push(self.read(reader, operand, Some(user), &dims)?);
                }
            } else {
                let dims: Vec<_> = (0..rank).map(Some).collect();
                reads.push(self.read(user, operand, None, &dims)?);
            }
        }
        Some(reads)
    }

    fn read(
        &self,
        op: Op<'c>,
        operand: usize,
        view: Option<Op<'c>>,
        dims: &[Option<usize>],
    ) -> Option<Read<'c>> {
        let rank = dims.len();
        let is_plain =
            op.is(vector::TRANSFER_READ) && operand == 0 && op.operand_count() == rank + 2;
        if !is_plain {
            return None;
        }
        let ty = op.result(0).ty();
        let inside = op.attr("in_bounds").and_then(|bounds| bounds.as_array()).unwrap_or_default();
        if !inside.into_iter().all(|bound| bound.as_bool() == Some(true)) {
            return None;
        }
        let along = match ty.rank()? {
            0 => None,
            1 => match AffineMap::of(op.attr("permutation_map")?)?.projected()?.as_slice() {
                [dim] => Some(dims[*dim]?),
                _ => return None,
            },
            _ => return None,
        };
        let lanes = i64::try_from(ty.element_count()?).ok()?;
        let executions = executions(op, self.nest.op)?;
        let at = op.operands()[1..=rank].to_vec();
        Some(Read { op, view, dims: dims.to_vec(), at, along, lanes, executions })
    }

    /// The elements that a read yields, computed from those of the inputs.
    fn value_at(&self, b: &Builder<'c>, read: &Read<'c>) -> Value<'c> {
        let at: Vec<_> = (0..self.nest.extents.len())
            .map(|dim| {
                let found = read.dims.iter().position(|own| *own == Some(dim));
                found.map_or_else(|| b.index(0), |place| read.at[place])
            })
            .collect();
        let lanes = |element: Type<'c>| strata_ir::vector(&[read.lanes], element);
        let block = self.nest.op.body(0);
        let mut known = HashMap::new();
        for (input, (arg, dims)) in block.args().into_iter().zip(&self.dims).enumerate() {
            let from = self.nest.op.operand(input);
            let at: Vec<_> = dims.iter().map(|dim| at[*dim]).collect();
            known.insert(arg, self.input(b, from, (dims, &at), read, lanes(arg.ty())));
        }
        let end = block.terminator();
        for op in block.ops().into_iter().filter(|op| Some(*op) != end) {
            self.compute(b, op, &mut known, &lanes);
        }
        let yielded = end.map(|end| end.operand(0)).unwrap_or_else(|| self.nest.op.result(0));
        let found = vector_of(b, yielded, &known, &lanes);
        let ty = read.op.result(0).ty();
        match ty.rank() {
            Some(0) => b.broadcast(b.lane(found, 0), ty),
            _ => found,
        }
    }

    /// The lanes of an input at the indices of a read.
    fn input(
        &self,
        b: &Builder<'c>,
        from: Value<'c>,
        (dims, at): (&[usize], &[Value<'c>]),
        read: &Read<'c>,
        lanes: Type<'c>,
    ) -> Value<'c> {
        if !from.ty().is_tensor_type() {
            return b.broadcast(from, lanes);
        }
        let picked = dims.iter().position(|dim| Some(*dim) == read.along);
        let Some(picked) = picked.filter(|_| read.lanes > 1) else {
            return b.broadcast(b.extract(from, at), lanes);
        };
        let map = AffineMap::projection(dims.len(), &[picked]);
        let zero = b.number(lanes.element(), 0.0);
        vector::transfer_read(b, from, &map, zero, &[true], lanes).indices(at).value()
    }

    /// An operation of the body on lanes.
    fn compute(
        &self,
        b: &Builder<'c>,
        op: Op<'c>,
        known: &mut HashMap<Value<'c>, Value<'c>>,
        lanes: &dyn Fn(Type<'c>) -> Type<'c>,
    ) {
        if op.is(arith::CONSTANT) {
            return;
        }
        let operands: Vec<_> =
            op.operands().into_iter().map(|value| vector_of(b, value, known, lanes)).collect();
        let copy = op.clone_detached();
        for (index, value) in operands.into_iter().enumerate() {
            copy.set_operand(index, value);
        }
        for (old, new) in op.results().into_iter().zip(copy.results()) {
            new.set_ty(lanes(old.ty()));
            known.insert(old, new);
        }
        b.insert(copy).set_location(b.location);
    }
}

/// A value of the body as lanes: constants, and values from outside, are the same in all.
fn vector_of<'c>(
    b: &Builder<'c>,
    value: Value<'c>,
    known: &HashMap<Value<'c>, Value<'c>>,
    lanes: &dyn Fn(Type<'c>) -> Type<'c>,
) -> Value<'c> {
    if let Some(found) = known.get(&value) {
        return *found;
    }
    let constant = value.owner().and_then(|op| op.cast::<arith::Constant>());
    match constant.and_then(|constant| constant.value()) {
        Some(element) => b.splat(lanes(value.ty()), element),
        None => b.broadcast(value, lanes(value.ty())),
    }
}

/// For each dimension of an expanded shape the one of the operand that it is; `None` if a dimension is split into several.
fn expanded(op: Op<'_>) -> Option<Vec<Option<usize>>> {
    let shape = op.result(0).ty().shape()?;
    let mut dims = vec![None; shape.len()];
    for (dim, group) in op.attr("reassociation")?.as_array()?.into_iter().enumerate() {
        let group: Option<Vec<_>> = group.as_array()?.into_iter().map(|at| at.as_i64()).collect();
        let group: Vec<usize> = group?.into_iter().filter_map(|at| at.try_into().ok()).collect();
        let long: Vec<_> = group.iter().copied().filter(|at| shape[*at] != 1).collect();
        let place = match long.as_slice() {
            [] => *group.last()?,
            [one] => *one,
            _ => return None,
        };
        dims[place] = Some(dim);
    }
    Some(dims)
}
