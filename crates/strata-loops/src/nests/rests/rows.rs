//! The rows of a tile that accesses are of.

use strata_ir::{AffineMap, Attribute, Op, ROWS, TypeExt as _, Value, memref, vector};

use super::sources::Source;
use crate::nests::{
    counted::Counted,
    indices::{Place, counted},
};

/// The rows that an access is of, relative to the counter of the loop.
#[derive(Clone)]
pub(super) struct Rows<'c> {
    pub(super) buffer: Value<'c>,
    /// The dimension of the buffer.
    pub(super) dim: usize,
    pub(super) first: i64,
    pub(super) count: i64,
    /// The loop in the body whose counter is added.
    pub(super) along: Option<Op<'c>>,
    /// What else is added, and the other indices.
    pub(super) others: Vec<(Value<'c>, i64)>,
    /// Whether something else is added.
    pub(super) is_shifted: bool,
}

impl<'c> Rows<'c> {
    /// The rows of an access; `Some(None)` if it is the same in all iterations, `None` if they are not known.
    pub(super) fn of(op: Op<'c>, each: Op<'c>) -> Option<Option<Self>> {
        let start = usize::from(matches!(op.name(), vector::TRANSFER_WRITE | memref::STORE));
        let buffer = op.operand(start);
        let rank = buffer.ty().rank()?;
        let indices = op.operands().into_iter().skip(start + 1).take(rank);
        let places =
            indices.map(|index| Place::with_inner(index, each)).collect::<Option<Vec<_>>>()?;
        let mut along = places.iter().enumerate().filter(|(_, place)| place.factor != 0);
        let Some((dim, row)) = along.next() else { return Some(None) };
        if row.factor != 1 || along.next().is_some() {
            return None;
        }
        let count = match op.attr("permutation_map") {
            None => 1,
            Some(map) => {
                let value = if start == 1 { op.operand(0) } else { op.result(0) };
                let map = AffineMap::of(map)?;
                let of_vector = map.results.iter().position(|index| index.as_dim() == Some(dim));
                of_vector.map_or(Some(1), |at| value.ty().shape()?.get(at).copied())?
            }
        };
        let mut along = None;
        let mut others = Vec::new();
        for (value, factor) in &row.terms {
            match counted(*value, each) {
                Some(inner) if *factor == 1 && along.is_none() => along = Some(inner),
                Some(_) => return None,
                None => others.push((*value, *factor)),
            }
        }
        let is_shifted = !others.is_empty();
        let first = row.more;
        let rest = (0..rank).filter(|other| *other != dim);
        others.extend(rest.map(|other| (op.operand(start + 1 + other), 0)));
        Some(Some(Self { buffer, dim, first, count, along, others, is_shifted }))
    }

    /// How many rows are put after each other whose elements below `limit` are taken.
    pub(super) fn joined(&self, limit: Attribute<'c>) -> Option<i64> {
        let mut shifts = self.others.iter().filter(|(_, factor)| *factor != 0);
        let (Some((start, 1)), None) = (shifts.next(), shifts.next()) else { return None };
        let start = start.owner().filter(|start| start.attr(ROWS) == Some(limit))?;
        let (counters, 0) = start.operand(0).block_arg()? else { return None };
        let rows = Counted::of(counters.parent_op()?)?;
        ((rows.first, rows.step) == (0, 1)).then_some(rows.last)
    }

    pub(super) fn source(&self) -> Source<'c> {
        match self.along {
            Some(inner) => Source::At(inner),
            None => Source::Before(self.first + self.count),
        }
    }
}
