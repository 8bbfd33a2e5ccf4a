//! What operations that move elements need of their operands: pads, slices, insertions, lanes, joined and divided dimensions.

use strata_ir::{AttributeExt as _, DYNAMIC, Op, TypeExt as _};
use strata_target::Lane;

use super::Needs;
use crate::limits::{
    Need,
    facts::{Facts, groups, long, slice_places},
    loops::{Start, offsets},
};

impl<'c> Needs<'c> {
    pub(super) fn pad(&mut self, op: Op<'c>) -> Option<()> {
        let needs = self.of_padded(op)?;
        self.add(op.operand(0), needs);
        Some(())
    }

    pub(super) fn extract_slice(&mut self, op: Op<'c>, facts: &Facts<'c>) -> Option<()> {
        let needs = self.needed(op.result(0));
        let starts = offsets(op)?;
        // A dimension that the result lacks is one place.
        let needs = slice_places(op)?.into_iter().zip(starts).map(|((dim, at), start)| match dim {
            Some(dim) => {
                let most = match start {
                    Start::Computed(start) => facts.most(start),
                    Start::At(_) => None,
                };
                let from = most.and_then(|most| needs[dim].from(most));
                from.unwrap_or_else(|| needs[dim].moved(1, *at.end()))
            }
            None => Need::All,
        });
        self.add(op.operand(0), needs.collect());
        Some(())
    }

    pub(super) fn insert_slice(&mut self, op: Op<'c>, facts: &Facts<'c>) -> Option<()> {
        let (part, whole) = around(op, &self.needed(op.result(0)), facts)?;
        let rank = op.operand(0).ty().rank()?;
        let part = match rank == part.len() {
            true => part,
            // The piece lacks dimensions of one element.
            false => {
                let mut kept = vec![Need::All; rank];
                for ((dim, _), need) in slice_places(op)?.into_iter().zip(part) {
                    if let Some(dim) = dim {
                        kept[dim] = need;
                    }
                }
                kept
            }
        };
        self.add(op.operand(1), whole);
        self.add(op.operand(0), part);
        Some(())
    }

    /// Lanes that are needed have several elements each.
    pub(super) fn pack(&mut self, op: Op<'c>) -> Option<()> {
        let along = usize::try_from(op.attr("dimension")?.as_i64()?).ok()?;
        let count = Lane::named(op.attr("to")?.as_str()?)?.count();
        let needs = self.needed(op.result(0)).into_iter().enumerate();
        let needs =
            needs.map(|(dim, need)| if dim == along { need.moved(count, count - 1) } else { need });
        self.add(op.operand(0), needs.collect());
        Some(())
    }

    /// What a pad needs of what it pads.
    pub fn of_padded(&self, op: Op<'c>) -> Option<Vec<Need>> {
        let low = op.attr("static_low")?.as_i64s()?;
        let needs = self.needed(op.result(0)).into_iter().zip(low);
        let part = needs.map(|(need, low)| match low {
            DYNAMIC => Need::All,
            low => need.moved(1, -low),
        });
        Some(part.collect())
    }

    /// What an insertion needs of the piece, with the dimensions that it may lack, and of what it is inserted into.
    pub fn of_insertion(&self, op: Op<'c>) -> Option<(Vec<Need>, Vec<Need>)> {
        around(op, &self.needed(op.result(0)), &self.facts)
    }

    /// A group of dimensions of which only the first one has elements that are not needed.
    pub(super) fn collapse(&mut self, op: Op<'c>) -> Option<()> {
        let shape = op.operand(0).ty().shape()?;
        let mut needs = vec![Need::All; shape.len()];
        for (need, group) in self.needed(op.result(0)).into_iter().zip(groups(op)?) {
            let long = long(&shape, &group);
            let Some((first, rest)) = long.split_first() else { continue };
            let inner: i64 = rest.iter().map(|dim| shape[*dim]).product();
            needs[*first] = if inner > 0 { need.parts(inner) } else { Need::All };
        }
        self.add(op.operand(0), needs);
        Some(())
    }

    pub(super) fn expand(&mut self, op: Op<'c>) -> Option<()> {
        let shape = op.result(0).ty().shape()?;
        let own = self.needed(op.result(0));
        let groups = groups(op)?;
        let needs = groups.iter().map(|group| {
            let long = long(&shape, group);
            let Some((first, rest)) = long.split_first() else { return Need::All };
            let inner: i64 = rest.iter().map(|dim| shape[*dim]).product();
            // The last row is needed whole.
            own[*first].moved(inner, inner - 1)
        });
        let needs = needs.collect();
        self.add(op.operand(0), needs);
        Some(())
    }
}

/// What is needed of a piece, in each dimension of what it is inserted into, and of that, where `needs` are needed of the result.
fn around<'c>(op: Op<'c>, needs: &[Need], facts: &Facts<'c>) -> Option<(Vec<Need>, Vec<Need>)> {
    let (piece, into) = (op.attr("static_sizes")?.as_i64s()?, op.operand(1).ty().shape()?);
    let starts = offsets(op).filter(|starts| starts.len() == piece.len())?;
    (piece.len() == into.len() && needs.len() == into.len()).then_some(())?;
    let part = starts.iter().zip(needs).map(|(start, need)| match (start, need) {
        (Start::At(at), _) => need.moved(1, -at),
        (Start::Computed(start), Need::Below(bound)) => {
            // A place is not negative: as much as of the whole is more than enough.
            match facts.number(*start).map(|start| bound.minus(start)) {
                Some(Some(Ok(rest))) => Need::Below(rest),
                Some(Some(Err(_))) => Need::All,
                _ => *need,
            }
        }
        _ => *need,
    });
    let part: Vec<_> = part.collect();
    let mut before = needs.to_vec();
    let is_along = |dim: &usize| !matches!(starts[*dim], Start::At(0)) || piece[*dim] != into[*dim];
    let along: Vec<_> = (0..piece.len()).filter(is_along).collect();
    // Rows of which only the elements before the piece are of something else.
    if let [dim] = along[..] {
        let reaches = |rest: Option<i64>| rest.is_some_and(|rest| rest <= piece[dim]);
        before[dim] = match (&starts[dim], needs[dim]) {
            // None, as a number that is not positive: a fill has a limit then.
            (Start::At(0), Need::Below(bound)) if reaches(facts.largest(bound)) => {
                bound.plus(-piece[dim]).map_or(needs[dim], Need::Below)
            }
            (Start::Computed(start), Need::Below(bound)) => match facts.number(*start) {
                Some(start)
                    if reaches(match bound.minus(start) {
                        Some(Ok(rest)) => facts.largest(rest),
                        Some(Err(rest)) => Some(rest),
                        None => None,
                    }) =>
                {
                    Need::Below(start)
                }
                _ => needs[dim],
            },
            (_, own) => own,
        };
    }
    Some((part, before))
}
