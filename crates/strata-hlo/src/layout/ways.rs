//! How operations compute with other orders of dimensions of their operands and results.
//!
//! ```text
//! reduce %x across [2, 3] : tensor<NxCxHxW> -> tensor<NxC>      with %x as [0, 2, 3, 1]: the result as it was
//! reshape %x : tensor<NxGxC> -> tensor<NxGxKxD>                 with the result as [0, 2, 3, 1]: none, C is in two places
//! ```
//!
//! An order of a value names its dimensions as they are in the other layout. Which dimension of an operand is which of a result is what
//! [`strata_shapes::rules`] says.

use strata_ir::{AttributeExt as _, DotDimensionNumbers, Op, OpKind, TypeExt as _, Value};
use strata_shapes::rules;

use crate::pattern::{ints, is_pointwise};

/// Dimensions in the order in which another layout has them.
pub type Order = Vec<usize>;

/// An operand or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Operand(usize),
    Result(usize),
}

/// The orders of all operands and results with which an operation computes the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    pub operands: Vec<Order>,
    pub results: Vec<Order>,
}

/// The order that a value has as the program says.
pub fn own(value: Value<'_>) -> Order {
    (0..value.ty().rank().unwrap_or(0)).collect()
}

/// Where each dimension is in an order.
pub fn inverse(order: &[usize]) -> Order {
    let mut places = vec![0; order.len()];
    for (place, dim) in order.iter().enumerate() {
        places[*dim] = place;
    }
    places
}

/// What `first` has along each dimension, sizes or dimensions, in the order `then`.
pub fn composed<T: Copy>(first: &[T], then: &[usize]) -> Vec<T> {
    then.iter().map(|dim| first[*dim]).collect()
}

/// Whether elements are in memory as they were: only dimensions of one index change their places.
pub fn moves_nothing(shape: &[i64], order: &[usize]) -> bool {
    order.iter().filter(|dim| shape[**dim] != 1).is_sorted()
}

/// Whether a value is a tensor of known sizes whose dimensions have an order.
pub fn has_orders(value: Value<'_>) -> bool {
    let ty = value.ty();
    ty.is_tensor_type() && ty.has_static_shape() && ty.rank().is_some_and(|rank| rank > 1)
}

/// How `op` computes where `place` has that order; `None` if its kind has no such way, or if dimensions are joined that the order
/// parts.
pub fn way(op: Op<'_>, place: Place, order: &[usize]) -> Option<Way> {
    if !can_change(op) {
        return None;
    }
    match op.kind() {
        OpKind::Transpose => of_transpose(op, place, order),
        OpKind::Reshape => of_reshape(op, place, order),
        OpKind::DotGeneral => of_dot(op, place, order),
        _ => by_rules(op, place, order),
    }
}

/// Whether [`super::apply`] knows all attributes of such operations.
fn can_change(op: Op<'_>) -> bool {
    let values = [op.operands(), op.results()].concat();
    let is_known = |value: &Value<'_>| value.ty().is_tensor_type() && value.ty().has_static_shape();
    let moves = matches!(
        op.kind(),
        OpKind::BroadcastInDim
            | OpKind::Concatenate
            | OpKind::DotGeneral
            | OpKind::DynamicSlice
            | OpKind::DynamicUpdateSlice
            | OpKind::Iota
            | OpKind::Pad
            | OpKind::Reduce
            | OpKind::ReduceWindow
            | OpKind::Reshape
            | OpKind::Reverse
            | OpKind::SelectAndScatter
            | OpKind::Slice
            | OpKind::Sort
            | OpKind::Transpose
    );
    (moves || is_pointwise(op.kind()))
        && values.iter().all(is_known)
        && values.iter().all(|value| value.ty().element().dialect() != "quant")
        && op.discardable_attrs().is_empty()
}

/// Sorts dimensions by `rank`; those without one stay after the dimension before them.
fn sorted(count: usize, rank: impl Fn(usize) -> Option<usize>) -> Order {
    let mut keys: Vec<(Option<usize>, usize)> = Vec::new();
    let mut last = None;
    for dim in 0..count {
        last = rank(dim).or(last);
        keys.push((last, dim));
    }
    keys.sort();
    keys.into_iter().map(|(_, dim)| dim).collect()
}

/// By the factors of an operation: dimensions of the other values follow the order of those that are the same in `place`.
fn by_rules(op: Op<'_>, place: Place, order: &[usize]) -> Option<Way> {
    let rules = rules(op).ok()?;
    let ranks = inverse(order);
    // The rank of each factor.
    let factor_rank = |factor: &strata_shapes::Factor| {
        let dim = match place {
            Place::Operand(index) => factor.operand(index),
            Place::Result(index) => factor.result(index),
        };
        dim.map(|dim| ranks[dim])
    };
    if rules.factors().iter().any(|factor| factor.part.is_some()) {
        return None;
    }
    let of = |other: Place, value: Value<'_>| {
        if other == place {
            return order.to_vec();
        }
        let rank_of = |dim: usize| {
            let mut all: Box<dyn Iterator<Item = &strata_shapes::Factor>> = match other {
                Place::Operand(index) => Box::new(rules.of_operand(index, dim)),
                Place::Result(index) => Box::new(rules.of_result(index, dim)),
            };
            all.find_map(factor_rank)
        };
        sorted(value.ty().rank().unwrap_or(0), rank_of)
    };
    let operands = op.operands().into_iter().enumerate();
    let results = op.results().into_iter().enumerate();
    let way = Way {
        operands: operands.map(|(index, value)| of(Place::Operand(index), value)).collect(),
        results: results.map(|(index, value)| of(Place::Result(index), value)).collect(),
    };
    agrees(op, &way).then_some(way)
}

/// Whether values that have all dimensions in common have them in one order, as operations demand whose dimensions have no names.
fn agrees(op: Op<'_>, way: &Way) -> bool {
    match op.kind() {
        OpKind::BroadcastInDim | OpKind::Iota => true,
        // What is reduced is in one order, and the results in that of what is left.
        OpKind::Reduce => {
            let Ok(over) = ints(op, "dimensions") else { return false };
            let inputs = op.operand_count() / 2;
            let all = &way.operands[..inputs];
            let Some(first) = all.first() else { return false };
            let is_kept = |dim: &&usize| !over.contains(&(**dim as i64));
            // Dimensions that are left have the numbers of the result.
            let number = |dim: &usize| (0..*dim).filter(|dim| is_kept(&dim)).count();
            let left: Order = first.iter().filter(is_kept).map(number).collect();
            // With several inputs, which of equal elements is taken may depend on their order.
            let reduced = first.iter().filter(|dim| !is_kept(dim));
            (inputs == 1 || reduced.is_sorted())
                && all.iter().all(|order| order == first)
                && way.results.iter().all(|order| *order == left)
        }
        _ => {
            let all = way.operands.iter().chain(&way.results);
            let all: Vec<_> = all.filter(|order| !order.is_empty()).collect();
            let is_index = |order: &Order| order.len() < 2;
            let agree = all
                .windows(2)
                .all(|pair| pair[0] == pair[1] || is_index(pair[0]) || is_index(pair[1]));
            agree && has_window_in_order(op, &way.operands[0])
        }
    }
}

/// Whether elements of a window are in the order that they had, where it may matter: the first of equal ones is selected.
fn has_window_in_order(op: Op<'_>, order: &Order) -> bool {
    let selects = op.kind() == OpKind::SelectAndScatter
        || op.kind() == OpKind::ReduceWindow && op.operand_count() > 2;
    let window = op.attr("window_dimensions").and_then(|sizes| sizes.as_i64s()).unwrap_or_default();
    !selects
        || order.iter().filter(|dim| window.get(**dim).is_some_and(|size| *size != 1)).is_sorted()
}

/// The other value has the same elements in the same order of memory where that is possible.
fn of_transpose(op: Op<'_>, place: Place, order: &[usize]) -> Option<Way> {
    let permutation: Order =
        ints(op, "permutation").ok()?.into_iter().map(|dim| dim as usize).collect();
    let (operand, result) = match place {
        Place::Operand(_) => (order.to_vec(), composed(&inverse(&permutation), order)),
        Place::Result(_) => (composed(&permutation, order), order.to_vec()),
    };
    Some(Way { operands: vec![operand], results: vec![result] })
}

/// Dimensions of both shapes with the same elements, which stay beside each other. Dimensions of one index are in none.
fn groups(from: &[i64], to: &[i64]) -> Option<Vec<[Vec<usize>; 2]>> {
    let mut groups = Vec::new();
    let large = |shape: &[i64]| {
        let dims = (0..shape.len()).filter(|dim| shape[*dim] != 1);
        dims.collect::<Vec<_>>()
    };
    let (mut old, mut new) = (large(from).into_iter(), large(to).into_iter());
    if from.iter().chain(to).any(|size| *size <= 0) {
        return None;
    }
    while let Some(first) = old.next() {
        let second = new.next()?;
        let (mut left, mut right) = (vec![first], vec![second]);
        let (mut all_left, mut all_right) = (from[first], to[second]);
        while all_left != all_right {
            if all_left < all_right {
                let dim = old.next()?;
                all_left = all_left.checked_mul(from[dim])?;
                left.push(dim);
            } else {
                let dim = new.next()?;
                all_right = all_right.checked_mul(to[dim])?;
                right.push(dim);
            }
        }
        groups.push([left, right]);
    }
    new.next().is_none().then_some(groups)
}

fn of_reshape(op: Op<'_>, place: Place, order: &[usize]) -> Option<Way> {
    let (from, to) = (op.operand(0).ty().shape()?, op.result(0).ty().shape()?);
    let groups = groups(&from, &to)?;
    let (side, known, other) = match place {
        Place::Operand(_) => (0, &from, &to),
        Place::Result(_) => (1, &to, &from),
    };
    // Dimensions of a group stay in their order, one after another.
    let large: Order = order.iter().copied().filter(|dim| known[*dim] != 1).collect();
    let mut ranks = vec![None; groups.len()];
    let mut rest = &large[..];
    let mut count = 0;
    while let Some(first) = rest.first() {
        let at = groups.iter().position(|group| group[side].contains(first))?;
        rest = rest.strip_prefix(&groups[at][side][..])?;
        ranks[at] = Some(count);
        count += 1;
    }
    let rank_of = |dim: usize| {
        let at = groups.iter().position(|group| group[1 - side].contains(&dim));
        at.and_then(|at| ranks[at])
    };
    let found = sorted(other.len(), rank_of);
    let (operand, result) = match place {
        Place::Operand(_) => (order.to_vec(), found),
        Place::Result(_) => (found, order.to_vec()),
    };
    Some(Way { operands: vec![operand], results: vec![result] })
}

/// The dimensions of a dot's operand by what it does along them.
pub struct DotDims {
    pub numbers: DotDimensionNumbers,
}

impl DotDims {
    pub fn of(op: Op<'_>) -> Option<Self> {
        let numbers = op.attr("dot_dimension_numbers");
        numbers.and_then(DotDimensionNumbers::from_attribute).map(|numbers| Self { numbers })
    }

    fn batching(&self, operand: usize) -> &[i64] {
        match operand {
            0 => &self.numbers.lhs_batching_dimensions,
            _ => &self.numbers.rhs_batching_dimensions,
        }
    }

    fn contracting(&self, operand: usize) -> &[i64] {
        match operand {
            0 => &self.numbers.lhs_contracting_dimensions,
            _ => &self.numbers.rhs_contracting_dimensions,
        }
    }

    /// The numbers for operands in these orders.
    pub fn moved(&self, orders: &[Order]) -> DotDimensionNumbers {
        let moved = |dims: &[i64], index: usize| {
            let places = inverse(&orders[index]);
            dims.iter().map(|dim| places[*dim as usize] as i64).collect()
        };
        DotDimensionNumbers {
            lhs_batching_dimensions: moved(self.batching(0), 0),
            rhs_batching_dimensions: moved(self.batching(1), 1),
            lhs_contracting_dimensions: moved(self.contracting(0), 0),
            rhs_contracting_dimensions: moved(self.contracting(1), 1),
        }
    }

    fn is_free(&self, operand: usize, dim: usize) -> bool {
        let dim = dim as i64;
        !self.batching(operand).contains(&dim) && !self.contracting(operand).contains(&dim)
    }
}

/// A dot reads operands in any order; its result has what is left of them in their orders.
fn of_dot(op: Op<'_>, place: Place, order: &[usize]) -> Option<Way> {
    let dims = DotDims::of(op)?;
    let mut operands = vec![own(op.operand(0)), own(op.operand(1))];
    let batches = dims.numbers.lhs_batching_dimensions.len();
    let free = |operands: &[Order], index: usize| -> Order {
        let order = operands[index].iter().copied();
        order.filter(|dim| dims.is_free(index, *dim)).collect()
    };
    let all = [free(&operands, 0), free(&operands, 1)];
    let first = [batches, batches + all[0].len()];
    match place {
        Place::Operand(index) => operands[index] = order.to_vec(),
        Place::Result(_) => {
            (order[..batches].iter().copied().eq(0..batches)).then_some(())?;
            for index in 0..2 {
                // What is free of each operand stays together.
                let part = &order[first[index]..first[index] + all[index].len()];
                let numbers = part.iter().map(|dim| dim.checked_sub(first[index]));
                let moved: Option<Order> = numbers.map(|at| all[index].get(at?).copied()).collect();
                let mut moved = moved?.into_iter();
                for dim in &mut operands[index] {
                    if dims.is_free(index, *dim) {
                        *dim = moved.next()?;
                    }
                }
            }
        }
    }
    let mut result: Order = (0..batches).collect();
    for index in 0..2 {
        let number = |dim: usize| all[index].iter().position(|own| *own == dim);
        let moved = free(&operands, index).into_iter().map(number);
        for at in moved {
            result.push(first[index] + at?);
        }
    }
    Some(Way { operands, results: vec![result] })
}
