//! Reads and writes at computed positions.

use strata_ir::{GatherDimensionNumbers, Op, OpKind, ScatterDimensionNumbers};

use super::{NoRules, Ruled, dim, dims, rank};
use crate::{
    DimRules,
    FactorKind::{Gathered, Parallel, Scattered, Updated},
    factors::size,
};

#[allow(clippy::wildcard_enum_match_arm)] // `family` has the kinds.
pub fn rules(op: Op<'_>, rules: &mut DimRules) -> Ruled {
    match op.kind() {
        OpKind::Scatter => scatter(op, rules),
        OpKind::TorchIndexSelect => index_select(op, rules),
        _ => gather(op, rules),
    }
}

/// The dimensions of indices that are not index vectors.
fn outer(op: Op<'_>, indices: usize, vector: i64) -> Vec<usize> {
    (0..rank(op.operand(indices))).filter(|dim| *dim as i64 != vector).collect()
}

fn without(all: usize, some: &[usize], others: &[usize]) -> Vec<usize> {
    (0..all).filter(|dim| !some.contains(dim) && !others.contains(dim)).collect()
}

fn gather(op: Op<'_>, rules: &mut DimRules) -> Ruled {
    let numbers = op.attr("dimension_numbers").and_then(GatherDimensionNumbers::from_attribute);
    let numbers = numbers.ok_or(NoRules("it has no dimension numbers"))?;
    let offsets = dims(&numbers.offset_dims);
    let batching = dims(&numbers.operand_batching_dims);
    let collapsed = dims(&numbers.collapsed_slice_dims);
    let paired = dims(&numbers.start_indices_batching_dims);
    let batch = without(rank(op.result(0)), &offsets, &[]);
    for (from, to) in outer(op, 1, numbers.index_vector_dim).into_iter().zip(batch) {
        let pair = paired.iter().position(|dim| *dim == from).and_then(|at| batching.get(at));
        let operand = pair.map(|dim| (0, *dim));
        rules.add(Parallel, operand.into_iter().chain([(1, from)]), [(0, to)]);
    }
    for (from, to) in without(rank(op.operand(0)), &collapsed, &batching).into_iter().zip(offsets) {
        let whole = size(op.operand(0), from);
        let is_whole = whole.is_some() && whole == size(op.result(0), to);
        rules.add(if is_whole { Parallel } else { Gathered }, [(0, from)], [(0, to)]);
    }
    for dim in collapsed {
        rules.add(Gathered, [(0, dim)], []);
    }
    Ok(())
}

fn scatter(op: Op<'_>, rules: &mut DimRules) -> Ruled {
    let numbers = op.attr("scatter_dimension_numbers");
    let numbers = numbers.and_then(ScatterDimensionNumbers::from_attribute);
    let numbers = numbers.ok_or(NoRules("it has no dimension numbers"))?;
    let inputs = op.result_count();
    let window = dims(&numbers.update_window_dims);
    let batching = dims(&numbers.input_batching_dims);
    let inserted = dims(&numbers.inserted_window_dims);
    let paired = dims(&numbers.scatter_indices_batching_dims);
    let moved = dims(&numbers.scatter_dims_to_operand_dims);
    let all = |first: usize, dim: usize| (first..first + inputs).map(move |index| (index, dim));
    let updates = inputs + 1;
    let scattered = without(rank(op.operand(updates)), &window, &[]);
    for (from, update) in outer(op, inputs, numbers.index_vector_dim).into_iter().zip(scattered) {
        let both = all(updates, update).chain([(inputs, from)]);
        match paired.iter().position(|dim| *dim == from).and_then(|at| batching.get(at)) {
            Some(dim) => rules.add(Parallel, all(0, *dim).chain(both), all(0, *dim)),
            None => rules.add(Scattered, both, []),
        }
    }
    for (dim, update) in without(rank(op.operand(0)), &inserted, &batching).into_iter().zip(window)
    {
        let whole = size(op.operand(0), dim);
        let is_whole = whole.is_some() && whole == size(op.operand(updates), update);
        // A window that starts inside of a dimension reaches over its end, and is cut there.
        let kind = match (moved.contains(&dim), is_whole) {
            (true, _) => Scattered,
            (false, true) => Parallel,
            (false, false) => Updated,
        };
        rules.add(kind, all(0, dim).chain(all(updates, update)), all(0, dim));
    }
    for dim in inserted {
        rules.add(Scattered, all(0, dim), all(0, dim));
    }
    Ok(())
}

fn index_select(op: Op<'_>, rules: &mut DimRules) -> Ruled {
    let (along, batches) = (dim(op, "dim")?, dim(op, "batch_dims")?);
    let (operand, index) = (rank(op.operand(0)), rank(op.operand(1)));
    for dim in 0..along {
        let paired = (dim < batches).then_some((1, dim));
        rules.add(Parallel, [(0, dim)].into_iter().chain(paired), [(0, dim)]);
    }
    for dim in batches..index {
        rules.add(Parallel, [(1, dim)], [(0, along + dim - batches)]);
    }
    for dim in along + 1..operand {
        rules.add(Parallel, [(0, dim)], [(0, dim + index - batches - 1)]);
    }
    rules.add(Gathered, [(0, along)], []);
    Ok(())
}
