//! How large the buffers of versions are.

use strata_ir::{Context, Module, entry};
use strata_options::Options;
use strata_shapes::{Bound, DimExpr, Domain, DynamicShapes, Interval, Specializations, Variable};

use super::exact_work::copy_of;

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

/// Leaves buffers that are larger than the bound of their symbol at that bound where sizes of outputs, found for symbols up to their
/// bounds, are others there, as `min(n, 5)` is `n` up to 5, and where the program cannot be computed for so large sizes.
pub(super) fn keep_where_sizes_hold<'c>(
    entry: &mut Specializations,
    options: &Options,
    source: (&'c Context, &Module<'c>),
) {
    let is_beyond = |bound: &Bound| bound.buffers.last() > bound.sizes.last();
    if !entry.bounds.iter().any(is_beyond) || hold_up_to_buffers(entry, options, source) {
        return;
    }
    for bound in &mut entry.bounds {
        let most = bound.sizes.last().copied().unwrap_or_default();
        bound.buffers.iter_mut().for_each(|buffer| *buffer = most.min(*buffer));
    }
}

/// Whether the sizes of buffers of outputs are those that follow for symbols up to the largest buffers.
fn hold_up_to_buffers<'c>(
    all: &Specializations,
    options: &Options,
    (context, module): (&'c Context, &Module<'c>),
) -> bool {
    let rows = all.versions.iter().filter_map(|version| version.batch).max();
    let name = |symbol: usize| all.shapes.symbols[symbol].clone();
    let most = |bound: &Bound| bound.buffers.last().map_or(0, |most| *most as i64);
    let mut own = Options { max: Vec::new(), specialize: Vec::new(), ..options.clone() };
    own.bounds = all.bounds.iter().map(|bound| (name(bound.symbol), most(bound))).collect();
    own.bind.extend(
        all.shapes.batch.as_ref().zip(rows).map(|(of, rows)| (name(of.symbol), rows as i64)),
    );
    let mut module = copy_of(context, module);
    let found = strata_hlo::open_up_to(context, &mut module, &own)
        .and_then(|()| DynamicShapes::of(entry(&module, options.entry.as_deref())?));
    let Ok(Some(found)) = found else { return false };
    all.versions.iter().filter(|version| version.batch == rows).all(|version| {
        // Only symbols with bounds are left, in their order.
        let left = |at| match at {
            Variable::Symbol(at) => {
                Some(all.bounds.get(at)?.buffer(*version.bounds.get(at)?) as i64)
            }
            Variable::Dimension(..) => None,
        };
        let value = all.values_of(version);
        let is_same =
            |(known, found): (&DimExpr, &DimExpr)| known.value(&value) == found.value(&left);
        let are_same = |known: &[Vec<DimExpr>], found: &[Vec<DimExpr>]| {
            known.iter().map(Vec::len).eq(found.iter().map(Vec::len))
                && known.iter().flatten().zip(found.iter().flatten()).all(is_same)
        };
        are_same(&all.shapes.outputs, &found.outputs)
            && (all.shapes.laid.is_empty() || are_same(&all.shapes.laid, &found.laid))
    })
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
