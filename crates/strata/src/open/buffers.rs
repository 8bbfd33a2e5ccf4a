//! How large the buffers of versions are.

use strata_shapes::{Bound, DimExpr, Domain, Interval, Variable};

/// The bound with more sizes, which are called for a range of sizes below one of its own. Their buffers have that one's size, which is
/// rounder: rows of 128 elements are whole vectors, those of 127 are not.
pub(super) fn with_more(bound: &Bound, sizes: Vec<u64>) -> Bound {
    let buffer = |at: usize| {
        let (size, next) = (sizes[at], sizes.get(at + 1).copied());
        let is_one_size = at.checked_sub(1).map_or(0, |before| sizes[before]) + 1 == size;
        let is_new = !bound.sizes.contains(&size);
        next.filter(|_| is_new && !is_one_size).unwrap_or(size)
    };
    let buffers = (0..sizes.len()).map(buffer).collect();
    Bound { symbol: bound.symbol, sizes, buffers }
}

/// Whether a size is never larger than at the next bounds of its symbols.
pub(super) fn grows(size: &DimExpr, bounds: &[Bound]) -> bool {
    let variables = size.variables();
    let own: Vec<&Bound> =
        bounds.iter().filter(|bound| variables.contains(&Variable::Symbol(bound.symbol))).collect();
    let mut domain = Domain::default();
    for bound in &own {
        let most = bound.sizes.last().map(|size| *size as i64);
        domain.set(Variable::Symbol(bound.symbol), Interval { low: Some(0), high: most });
    }
    if own.iter().all(|bound| domain.is_increasing(size, Variable::Symbol(bound.symbol))) {
        return true;
    }
    variables.len() == own.len() && is_largest_at_ends(size, &own, &domain, &mut Vec::new())
}

/// Whether a size is largest where symbols have the sizes of buffers of bounds, for each choice of one for the symbols that have none in `ends`.
fn is_largest_at_ends(
    size: &DimExpr,
    bounds: &[&Bound],
    domain: &Domain,
    ends: &mut Vec<(Variable, i64)>,
) -> bool {
    let Some((bound, others)) = bounds.split_first() else {
        let end = |at| ends.iter().find(|(own, _)| *own == at).map(|(_, end)| *end);
        return size.value(&end).is_some_and(|largest| domain.is_at_most(size, largest));
    };
    let mut low = 0;
    bound.sizes.iter().all(|end| {
        let (variable, last) = (Variable::Symbol(bound.symbol), *end as i64);
        let mut domain = domain.clone();
        domain.set(variable, Interval { low: Some(low), high: Some(last) });
        low = last + 1;
        ends.push((variable, bound.buffer(*end) as i64));
        let is_largest = is_largest_at_ends(size, others, &domain, ends);
        ends.pop();
        is_largest
    })
}
