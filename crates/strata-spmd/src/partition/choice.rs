//! Along which pieces devices split the factors of an operation.

use strata_ir::{Context, Op, OpKind, TypeExt as _};
use strata_shapes::{DimRules, FactorKind, grouped_rules};

use super::Held;
use crate::{
    factors::{combination, factor_of, may_split, selects},
    grid::{Grid, Layout},
};

/// The pieces along which devices split each factor of an operation.
pub(super) fn choose<'c>(
    (context, grid): (&'c Context, &Grid),
    op: Op<'c>,
    rules: &DimRules,
    operands: &[Held<'c>],
    wanted: &[Option<Layout>],
) -> Vec<Vec<usize>> {
    let mut split: Vec<Vec<usize>> = vec![Vec::new(); rules.factors().len()];
    let can: Vec<bool> = rules
        .factors()
        .iter()
        .map(|factor| {
            let is_known = can_sum(context, op) || selects(op);
            may_split(op, factor) && (factor.kind != FactorKind::Reduced || is_known)
        })
        .collect();
    let mut used: Vec<usize> = Vec::new();
    let mut give = |factor: Option<usize>, pieces: &[usize], used: &mut Vec<usize>| {
        let Some(factor) = factor.filter(|factor| can[*factor] && split[*factor].is_empty()) else {
            return;
        };
        let free = pieces.iter().take_while(|piece| !used.contains(piece));
        let mut free: Vec<_> = free.copied().collect();
        // A part of a dimension is split in equal parts only.
        let size = rules.factors()[factor].part;
        while size.is_some_and(|size| size % grid.parts(&free) != 0) {
            free.pop();
        }
        used.extend(&free);
        split[factor] = free;
    };
    for (result, layout) in wanted.iter().enumerate() {
        for (dim, pieces) in layout.iter().flat_map(|layout| layout.0.iter().enumerate()) {
            let factor = factor_of(rules, |factor| factor.results().contains(&(result, dim)));
            give(factor, pieces, &mut used);
        }
    }
    // Larger operands are left where they are.
    let mut order: Vec<_> = (0..operands.len()).collect();
    let size = |index: &usize| operands[*index].shape.iter().product::<i64>();
    order.sort_by_key(|index| std::cmp::Reverse(size(index)));
    for index in order {
        for (dim, pieces) in operands[index].layout.0.iter().enumerate() {
            let factor = factor_of(rules, |factor| factor.operands().contains(&(index, dim)));
            give(factor, pieces, &mut used);
        }
    }
    split
}

/// Whether an operand of a convolution in groups is split along these, and its parts in the layout that it is needed in are larger, because
/// they would have parts of groups.
pub(super) fn has_undivided_groups(
    op: Op<'_>,
    index: usize,
    held: &Held<'_>,
    layout: &Layout,
) -> bool {
    let Some(rules) = grouped_rules(op) else { return false };
    let is_lost = |(dim, needed): (usize, &Vec<usize>)| {
        let factor = factor_of(&rules, |factor| factor.operands().contains(&(index, dim)));
        let is_grouped = factor.is_some_and(|factor| rules.factors()[factor].part.is_some());
        is_grouped && needed.len() < held.layout.0[dim].len()
    };
    layout.0.iter().enumerate().any(is_lost)
}

/// Whether sums of what devices have are the result: the neutral element has to be known.
fn can_sum<'c>(context: &'c Context, op: Op<'c>) -> bool {
    combination(op).is_some_and(|how| {
        let element = op.result(0).ty().element();
        match op.kind() {
            OpKind::Reduce => how.neutral(context, element).is_some(),
            _ => element.is_int() || element.is_float_type() || element.is_complex(),
        }
    })
}

/// Splits another dimension along the pieces of one that has to be whole, where there is one that they divide: devices exchange parts
/// of their parts, each does its share of the work, and nothing is gathered.
///
/// ```text
/// sort of 6x8 along the 8, which are in 2 parts    → all_to_all to parts of 3x8, sort of 3x8
/// ```
pub(super) fn resplit(
    grid: &Grid,
    op: Op<'_>,
    rules: &DimRules,
    operands: &[Held<'_>],
    split: &mut [Vec<usize>],
) {
    let is_work =
        matches!(op.kind(), OpKind::Cholesky | OpKind::Fft | OpKind::ReduceWindow | OpKind::Sort);
    let Some(first) = operands.first().filter(|_| is_work) else { return };
    for (dim, pieces) in first.layout.0.iter().enumerate() {
        let of_dim = factor_of(rules, |factor| factor.operands().contains(&(0, dim)));
        let is_used = split.iter().flatten().any(|used| pieces.contains(used));
        let must_be_whole = of_dim.is_some_and(|factor| !may_split(op, &rules.factors()[factor]));
        if pieces.is_empty() || is_used || !must_be_whole {
            continue;
        }
        let divides = |other: &usize| {
            let parts = grid.parts(&split[*other]) * grid.parts(pieces);
            let factor = &rules.factors()[*other];
            let size = factor.operand(0).map_or(0, |own| first.shape[own]);
            let is_free = factor.kind == FactorKind::Parallel && may_split(op, factor);
            is_free && size > 0 && size % parts == 0
        };
        if let Some(other) = (0..split.len()).find(divides) {
            split[other].extend(pieces);
        }
    }
}
