//! The factors that an operation states itself.

use strata_ir::{AttributeExt as _, Op, OpKind, ShardingRule, Value};

use super::rank;
use crate::{DimRules, FactorKind, factors::size};

/// The factors in the `sdy.sharding_rule` of an operation, or those of the batch of a call; `None` if it has none that fits it. What
/// devices may compute apart is [`FactorKind::Parallel`], what they add [`FactorKind::Reduced`]. Factors of which each needs all, and
/// those of dimensions that the rule gives another size or its factors in another order, are [`FactorKind::Whole`]; so are factors that
/// no operand has, or not every result, such as the rows of a matrix and those of its factors: of a part of them nothing is known.
pub fn stated_rules(op: Op<'_>) -> Option<DimRules> {
    let Some(rule) = ShardingRule::of(op) else { return batch_rules(op) };
    let (operands, results) = (op.operands(), op.results());
    let mut kinds = vec![FactorKind::Parallel; rule.sizes.len()];
    let mut is_part = vec![false; rule.sizes.len()];
    for factor in &rule.reduction {
        *kinds.get_mut(*factor)? = FactorKind::Reduced;
    }
    for factor in &rule.held {
        *kinds.get_mut(*factor)? = FactorKind::Whole;
    }
    let sides: [(&[Value<'_>], _); 2] = [(&operands, &rule.operands), (&results, &rule.results)];
    for (values, mappings) in sides {
        if values.len() != mappings.len() {
            return None;
        }
        for (value, dims) in values.iter().zip(mappings) {
            if rank(*value) != dims.len() {
                return None;
            }
            for (dim, factors) in dims.iter().enumerate() {
                let sizes = factors.iter().map(|factor| rule.sizes.get(*factor).copied());
                let whole: i64 = sizes.collect::<Option<Vec<_>>>()?.iter().product();
                for factor in factors {
                    is_part[*factor] |= factors.len() > 1;
                    // The table has the factors of a dimension in one order.
                    if size(*value, dim) != Some(whole) || !factors.is_sorted() {
                        kinds[*factor] = FactorKind::Whole;
                    }
                }
            }
        }
    }
    let places = |mappings: &[Vec<Vec<usize>>], factor: usize| -> Vec<(usize, usize)> {
        let dims = mappings.iter().enumerate();
        let all = dims.flat_map(|(index, dims)| {
            dims.iter().enumerate().map(move |(dim, factors)| (index, dim, factors))
        });
        let with = all.filter(|(.., factors)| factors.contains(&factor));
        with.map(|(index, dim, _)| (index, dim)).collect()
    };
    let mut rules = DimRules::new();
    for (factor, (kind, is_part)) in kinds.into_iter().zip(is_part).enumerate() {
        let part = is_part.then_some(rule.sizes[factor]);
        let (taken, given) = (places(&rule.operands, factor), places(&rule.results, factor));
        let is_in_all = |(index, _): (usize, _)| given.iter().any(|(result, _)| *result == index);
        let is_apart = !taken.is_empty() && results.iter().enumerate().all(is_in_all);
        let kind = if kind == FactorKind::Parallel && !is_apart { FactorKind::Whole } else { kind };
        rules.add_stated(kind, part, taken, given);
    }
    Some(rules.complete(op))
}

/// The factors of a call that says how many leading dimensions of all its operands and results are a batch, of which it computes
/// each element apart: `mhlo.frontend_attributes = {num_batch_dims = "2"}`, as XLA reads it.
fn batch_rules(op: Op<'_>) -> Option<DimRules> {
    let attributes =
        op.attr("mhlo.frontend_attributes").filter(|_| op.kind() == OpKind::CustomCall);
    let dims: usize = attributes?.entry("num_batch_dims")?.as_str()?.parse().ok()?;
    let (operands, results) = (op.operands(), op.results());
    let mut rules = DimRules::new();
    for dim in 0..dims {
        let mut sizes = operands.iter().chain(&results).map(|value| size(*value, dim));
        let own = sizes.next()??;
        if sizes.any(|size| size != Some(own)) {
            return None;
        }
        let all = |count: usize| (0..count).map(|index| (index, dim)).collect();
        rules.add_stated(FactorKind::Parallel, None, all(operands.len()), all(results.len()));
    }
    (dims > 0).then(|| rules.complete(op))
}
