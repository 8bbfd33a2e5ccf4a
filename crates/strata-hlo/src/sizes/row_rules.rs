//! Which operations keep rows apart, and where the rows of their results are: by the rule of the dimension that has the rows.

use strata_ir::{Op, OpKind, Value};
use strata_rewrite::{Guard as _, Outcome};
use strata_shapes::{DimExpr, Factor, FactorKind, rules, size};

use super::{
    rows::{
        Analysis,
        Kind::{self, Rows as Along, Same},
    },
    shapes::{self, only},
};

impl<'c> Analysis<'_, 'c> {
    /// The kinds of the results of an operation some of whose operands have rows; shapes count as the same for all.
    pub fn of_rows(&self, op: Op<'c>, kinds: &[Kind]) -> Outcome<Vec<Kind>> {
        let first = kinds.iter().enumerate().find_map(|(index, kind)| match kind {
            Along { dim, factor } => Some((index, *dim, factor)),
            Same | Kind::Count => None,
        });
        let (index, dim, count) = first.or_decline("it has no rows")?;
        let table = rules(op).map_err(|why| why.reason())?;
        let rule = only(table.of_operand(index, dim)).or_decline(UNKNOWN)?;
        self.along(op, rule, kinds, count)
    }

    /// The same where the shape of the result is operand `shape`, which says how many rows there are.
    pub fn of_shape(&self, op: Op<'c>, shape: usize, kinds: &[Kind]) -> Outcome<Vec<Kind>> {
        let Some((dim, count)) = self.dimension_in(op.operand(shape))? else {
            kinds.iter().all(|kind| *kind == Same).or_decline("rows are lost")?;
            return Ok(vec![Same]);
        };
        let table = rules(op).map_err(|why| why.reason())?;
        let rule = only(table.of_result(0, dim)).or_decline(UNKNOWN)?;
        self.along(op, rule, kinds, &count)
    }

    /// The kinds of results, if rows are the indices of that factor, `count` for each row.
    fn along(
        &self,
        op: Op<'c>,
        rule: &Factor,
        kinds: &[Kind],
        count: &DimExpr,
    ) -> Outcome<Vec<Kind>> {
        match rule.kind {
            FactorKind::Parallel => {}
            // As large as the operands, it is all of them.
            FactorKind::Gathered
            | FactorKind::Updated
            | FactorKind::Concatenated
            | FactorKind::Sliced
            | FactorKind::Expanded => {
                let sizes = shapes::of(op, self);
                let is_whole = |(index, dim): &(usize, usize)| {
                    let size = sizes.get(*index).and_then(|sizes| sizes.get(*dim)?.as_ref());
                    size.and_then(|size| self.factor(size)).as_ref() == Some(count)
                };
                let is_kept = !rule.results().is_empty() && rule.results().iter().all(is_whole);
                is_kept.or_decline(reason(op, rule.kind))?;
            }
            FactorKind::Padded => self.adds_none(op, rule)?,
            FactorKind::Reduced
            | FactorKind::Window
            | FactorKind::Sorted
            | FactorKind::Reversed
            | FactorKind::Scattered
            | FactorKind::Whole => return Err(reason(op, rule.kind).into()),
        }
        for (index, kind) in kinds.iter().enumerate() {
            match (kind, rule.operand(index)) {
                (Along { dim, factor }, Some(own)) => {
                    let same = *dim == own && factor == count;
                    same.or_decline("rows meet in different dimensions")?;
                }
                (Along { .. }, None) => return Err("each row meets all others".into()),
                (Same | Kind::Count, Some(own)) => {
                    let is_repeated = rule.kind == FactorKind::Expanded
                        && size(op.operand(index), own) == Some(1);
                    is_repeated.or_decline("an operand without rows has elements for each")?;
                }
                (Same | Kind::Count, None) => {}
            }
        }
        self.shapes_are_same(op, rule)?;
        let result = |index: usize| match rule.result(index) {
            Some(dim) => Along { dim, factor: count.clone() },
            None => Same,
        };
        Ok((0..op.result_count()).map(result).collect())
    }

    /// Nothing is added to that dimension. The rule does not say so of amounts that are operands.
    fn adds_none(&self, op: Op<'c>, rule: &Factor) -> Outcome {
        (op.kind() == OpKind::DynamicPad).or_decline("it adds rows")?;
        let dim = rule.operand(0).or_decline("it adds rows")?;
        let is_zero = |amounts: Value<'c>| {
            let amount = self.numbers(amounts).and_then(|all| all.get(dim)?.clone());
            amount.and_then(|amount| amount.as_constant()) == Some(0)
        };
        op.operands()[2..].iter().all(|amounts| is_zero(*amounts)).or_decline("it adds rows")
    }

    /// Along all other dimensions, what shapes and bounds say does not depend on the number of rows.
    #[allow(clippy::wildcard_enum_match_arm)] // All others have no shape, or one that follows from operands.
    fn shapes_are_same(&self, op: Op<'c>, rule: &Factor) -> Outcome {
        // That of the rows is compared with their number, unless the rule does not depend on it.
        let own = (rule.kind != FactorKind::Parallel).then(|| rule.operand(0)).flatten();
        let same = |index: usize| self.is_same_but(op.operand(index), own);
        let is_same = match op.kind() {
            OpKind::DynamicGather | OpKind::DynamicConv => same(2),
            OpKind::DynamicPad => (2..5).all(same),
            OpKind::RealDynamicSlice => {
                let numbers = self.numbers(op.operand(2)).unwrap_or_default();
                let sizes = shapes::of(op, self).pop().unwrap_or_default();
                let is_same = |size: Option<&Option<DimExpr>>| {
                    size.and_then(Option::as_ref).is_some_and(|size| self.is_same(size))
                };
                let mut others = (0..sizes.len()).filter(|dim| Some(*dim) != own);
                let limited =
                    others.all(|dim| is_same(sizes.get(dim)) || is_same(numbers.get(dim)));
                limited && same(1) && same(3)
            }
            _ => true,
        };
        is_same.or_decline("what it takes depends on the number of rows")
    }
}

const UNKNOWN: &str = "the operation is not known to keep them apart";

/// Why rows along such a factor are not apart.
fn reason(op: Op<'_>, kind: FactorKind) -> &'static str {
    match kind {
        FactorKind::Reduced => "it reduces over rows",
        FactorKind::Window => "its window spans rows",
        FactorKind::Sorted => "it sorts rows",
        FactorKind::Reversed => "it reverses the rows",
        FactorKind::Gathered | FactorKind::Sliced => "it takes some of the rows",
        FactorKind::Updated | FactorKind::Scattered => "it updates some rows",
        FactorKind::Concatenated => "it appends rows",
        FactorKind::Padded => "it adds rows",
        FactorKind::Expanded => "rows are repeated",
        FactorKind::Parallel | FactorKind::Whole => {
            let counts = matches!(op.kind(), OpKind::Iota | OpKind::DynamicIota);
            if counts { "it numbers the rows" } else { UNKNOWN }
        }
    }
}
