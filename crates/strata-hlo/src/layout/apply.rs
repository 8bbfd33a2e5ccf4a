//! Gives operations the orders that were chosen for them: types of results, attributes that name dimensions or are a list along them, and
//! transposes where a value is read in another order than it is computed in.

use std::collections::{BTreeMap, HashMap};

use strata_ir::{
    AttributeExt as _, Builder, Context, ConvDimensionNumbers, Op, OpKind, TypeExt as _, Value,
    i64_pairs, i64s, int, integer, tensor,
};

use strata_remarks::Decision;

use super::ways::{DotDims, Order, Place, Way, composed, inverse, moves_nothing, own, way};
use crate::{
    emit::Emit as _,
    pattern::{ints, new_splat},
};

/// The orders in which values are computed, where these are not the program's own.
pub struct Layouts<'c> {
    context: &'c Context,
    orders: HashMap<Value<'c>, Order>,
    /// How many values there are of each.
    counts: BTreeMap<Order, usize>,
    /// Values in other orders.
    others: HashMap<(Value<'c>, Order), Value<'c>>,
    /// The number of transposes that move elements, of constants left out, and their bytes.
    transposes: (usize, u64),
}

impl<'c> Layouts<'c> {
    pub fn new(context: &'c Context) -> Self {
        Self {
            context,
            orders: HashMap::new(),
            counts: BTreeMap::new(),
            others: HashMap::new(),
            transposes: (0, 0),
        }
    }

    /// What a remark says of them.
    pub fn told(&self) -> Decision {
        let (transposes, bytes) = self.transposes;
        Decision::Layouts { orders: self.counts.clone(), transposes, bytes }
    }

    /// The value is computed in that order.
    pub fn compute(&mut self, value: Value<'c>, order: &[usize]) {
        if order.is_sorted() {
            return;
        }
        let shape = value.ty().shape().unwrap_or_default();
        let shape = composed(&shape, order);
        value.set_ty(tensor(&shape, value.ty().element()));
        self.orders.insert(value, order.to_vec());
        *self.counts.entry(order.to_vec()).or_default() += 1;
    }

    /// Operand `index` of an operation is read in that order.
    pub fn read(&mut self, op: Op<'c>, index: usize, order: &[usize]) {
        let value = op.operand(index);
        let known = self.orders.get(&value).cloned().unwrap_or_else(|| own(value));
        if known == order {
            return;
        }
        let key = (value, order.to_vec());
        let other = match self.others.get(&key) {
            Some(other) => *other,
            None => {
                let other = self.reordered(op, value, &known, order);
                self.others.insert(key, other);
                other
            }
        };
        op.set_operand(index, other);
    }

    /// The value in another order than it has, right after it is computed.
    fn reordered(
        &mut self,
        reader: Op<'c>,
        value: Value<'c>,
        known: &[usize],
        order: &[usize],
    ) -> Value<'c> {
        let mut builder = match (value.owner(), value.block_arg()) {
            (Some(owner), _) => match owner.next() {
                Some(next) => Builder::before(self.context, next),
                None => Builder::before(self.context, reader),
            },
            (_, Some((block, _))) => Builder::at_start(self.context, block, reader.location()),
            _ => Builder::before(self.context, reader),
        };
        builder.location = reader.location();
        if let Some(copy) = self.computed_again(&builder, value, known, order) {
            return copy;
        }
        let permutation = composed(&inverse(known), order);
        let shape = value.ty().shape().unwrap_or_default();
        let is_constant = value.owner().is_some_and(|op| op.kind() == OpKind::Constant);
        if !is_constant && !moves_nothing(&shape, &permutation) {
            self.transposes.0 += 1;
            self.transposes.1 += bytes(value);
        }
        builder.transposed(value, &permutation)
    }

    /// What costs nothing in any order: constants of one element, counted places and repetitions of what is in memory as it was.
    fn computed_again(
        &mut self,
        builder: &Builder<'c>,
        value: Value<'c>,
        known: &[usize],
        order: &[usize],
    ) -> Option<Value<'c>> {
        let op = value.owner().filter(|_| known.is_sorted())?;
        let shape = composed(&value.ty().shape()?, order);
        let ty = tensor(&shape, value.ty().element());
        match op.kind() {
            OpKind::Constant => {
                let element = op.attr("value")?.splat_value()?;
                Some(new_splat(builder, ty, element))
            }
            OpKind::BroadcastInDim | OpKind::Iota => {
                let way = way(op, Place::Result(0), order)?;
                let copy = builder.insert(op.clone_detached());
                copy.result(0).set_ty(ty);
                reattribute(self.context, copy, &way);
                // Only dimensions of one index may change their places here.
                for (index, order) in way.operands.iter().enumerate() {
                    self.read(copy, index, order);
                }
                Some(copy.result(0))
            }
            _ => None,
        }
    }
}

/// The bytes of a tensor.
pub fn bytes(value: Value<'_>) -> u64 {
    let ty = value.ty();
    ty.element_count().unwrap_or(0).saturating_mul(ty.element().byte_width().unwrap_or(1))
}

/// Rewrites what an operation says of dimensions for a way to compute it. Operands and types are not changed, but for indices, of which
/// there is one for each dimension.
pub fn reattribute<'c>(context: &'c Context, op: Op<'c>, way: &Way) {
    let (operand, result) = (way.operands.first(), way.results.first());
    let along = |name: &str, order: &Order| {
        if let Some(list) = op.attr(name).and_then(|list| list.as_i64s()) {
            op.set_attr(name, i64s(context, &composed(&list, order)));
        }
    };
    let named = |name: &str, order: &Order| {
        if let Some(list) = op.attr(name).and_then(|list| list.as_i64s()) {
            let places = inverse(order);
            let mut list: Vec<_> = list.iter().map(|dim| places[*dim as usize] as i64).collect();
            list.sort_unstable();
            op.set_attr(name, i64s(context, &list));
        }
    };
    let one = |name: &str, order: &Order| {
        if let Some(dim) = op.attr(name).and_then(|dim| dim.as_i64()) {
            let dim = if dim < 0 { dim + order.len() as i64 } else { dim };
            let place = inverse(order)[dim as usize] as i64;
            op.set_attr(name, int(integer(context, 64), place));
        }
    };
    let (Some(first), Some(last)) = (operand.or(result), result) else { return };
    match op.kind() {
        OpKind::BroadcastInDim => {
            let Ok(dims) = ints(op, "broadcast_dimensions") else { return };
            let places = inverse(last);
            let dims: Vec<_> = first.iter().map(|dim| places[dims[*dim] as usize] as i64).collect();
            op.set_attr("broadcast_dimensions", i64s(context, &dims));
        }
        OpKind::Concatenate => one("dimension", first),
        OpKind::Sort => one("dimension", first),
        OpKind::Iota => one("iota_dimension", last),
        OpKind::Reverse | OpKind::Reduce => named("dimensions", first),
        OpKind::DynamicSlice => {
            along("slice_sizes", first);
            indices(op, 1, first);
        }
        OpKind::DynamicUpdateSlice => indices(op, 2, first),
        OpKind::Pad => {
            let names = ["edge_padding_low", "edge_padding_high", "interior_padding"];
            names.into_iter().for_each(|name| along(name, first));
        }
        OpKind::Slice => {
            let names = ["start_indices", "limit_indices", "strides"];
            names.into_iter().for_each(|name| along(name, first));
        }
        OpKind::ReduceWindow | OpKind::SelectAndScatter => {
            let names =
                ["window_dimensions", "window_strides", "base_dilations", "window_dilations"];
            names.into_iter().for_each(|name| along(name, first));
            pairs(context, op, first);
        }
        OpKind::Transpose => {
            let Ok(permutation) = ints(op, "permutation") else { return };
            let permutation: Order = permutation.into_iter().map(|dim| dim as usize).collect();
            let list = composed(&inverse(first), &composed(&permutation, last));
            let list: Vec<_> = list.into_iter().map(|dim| dim as i64).collect();
            op.set_attr("permutation", i64s(context, &list));
        }
        OpKind::DotGeneral => {
            let Some(dims) = DotDims::of(op) else { return };
            let numbers = dims.moved(&way.operands);
            if let Some(numbers) = numbers.to_attribute(context) {
                op.set_attr("dot_dimension_numbers", numbers);
            }
        }
        OpKind::Convolution => {
            let numbers = op.attr("dimension_numbers");
            let Some(old) = numbers.and_then(ConvDimensionNumbers::from_attribute) else { return };
            if let Some(numbers) = convolution(&old, way).to_attribute(context) {
                op.set_attr("dimension_numbers", numbers);
            }
        }
        _ => {}
    }
}

/// The operands from `first` on are indices along each dimension.
fn indices<'c>(op: Op<'c>, first: usize, order: &Order) {
    let old: Vec<_> = op.operands().split_off(first);
    for (index, dim) in order.iter().enumerate() {
        op.set_operand(first + index, old[*dim]);
    }
}

/// The padding of a window: a pair along each dimension.
fn pairs<'c>(context: &'c Context, op: Op<'c>, order: &Order) {
    let Some(list) = op.attr("padding").and_then(|list| list.as_i64s()) else { return };
    let pairs: Vec<_> = list.chunks(2).collect();
    let moved: Vec<_> = order.iter().flat_map(|dim| pairs[*dim]).copied().collect();
    if let Some(value) = i64_pairs(context, &moved) {
        op.set_attr("padding", value);
    }
}

fn convolution(old: &ConvDimensionNumbers, way: &Way) -> ConvDimensionNumbers {
    let places: Vec<_> =
        way.operands.iter().chain(&way.results).map(|order| inverse(order)).collect();
    let at = |value: usize, dim: i64| places[value][dim as usize] as i64;
    let all = |value: usize, dims: &[i64]| dims.iter().map(|dim| at(value, *dim)).collect();
    ConvDimensionNumbers {
        input_spatial_dimensions: all(0, &old.input_spatial_dimensions),
        kernel_spatial_dimensions: all(1, &old.kernel_spatial_dimensions),
        output_spatial_dimensions: all(2, &old.output_spatial_dimensions),
        input_batch_dimension: at(0, old.input_batch_dimension),
        input_feature_dimension: at(0, old.input_feature_dimension),
        kernel_input_feature_dimension: at(1, old.kernel_input_feature_dimension),
        kernel_output_feature_dimension: at(1, old.kernel_output_feature_dimension),
        output_batch_dimension: at(2, old.output_batch_dimension),
        output_feature_dimension: at(2, old.output_feature_dimension),
    }
}
