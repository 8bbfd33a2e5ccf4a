//! Cumulative sums, products, minima and maxima along a dimension that is split: each device has those of its part, and combines them with
//! those of all parts before it, of which devices gather one slice each.
//!
//! ```text
//! reduce_window of 8 with a window of 8 and 7 before it, add, in 4 parts
//!   → of 2 with a window of 2 and 1 before it; all_gather of its last index: 4; the sum of those of the devices before, added
//! ```

use strata_ir::{AttributeExt as _, Builder, Op, OpKind, TypeExt as _, i64_pairs, i64s, tensor};
use strata_shapes::rules;

use super::{Held, Outcome, Partition, choice::choose};
use crate::{
    emit::Combination,
    factors::{combination_of_body, factor_of},
    grid::{Layout, shape_of},
};

/// A reduction over all that is before an index of a dimension, or after it.
struct Cumulative {
    dim: usize,
    how: Combination,
    is_reverse: bool,
}

/// What an operation is such a reduction of; `None` for all others.
fn cumulative(op: Op<'_>) -> Option<Cumulative> {
    if op.kind() != OpKind::ReduceWindow || op.operand_count() != 2 {
        return None;
    }
    let how = combination_of_body(op)?;
    let ty = op.result(0).ty();
    // Sums of narrow floats are rounded once.
    let adds = matches!(how, Combination::Add | Combination::Multiply);
    let is_narrow = ty.element().is_float_type() && ty.element().bit_width()? < 32;
    let shape = ty.shape().filter(|shape| !(shape.contains(&0) || adds && is_narrow))?;
    let list = |name: &str| op.attr(name).and_then(|list| list.as_i64s());
    let ones = ["base_dilations", "window_dilations", "window_strides"];
    let window = list("window_dimensions")?;
    let padding = list("padding")?;
    if !ones.into_iter().filter_map(list).flatten().all(|one| one == 1) {
        return None;
    }
    let mut found = None;
    for (dim, size) in shape.iter().enumerate() {
        let edges = (padding[2 * dim], padding[2 * dim + 1]);
        match (window[dim], edges) {
            (1, (0, 0)) => {}
            (own, edges) if own == *size && found.is_none() => {
                let is_reverse = edges == (0, size - 1);
                if !is_reverse && edges != (size - 1, 0) {
                    return None;
                }
                found = Some(Cumulative { dim, how, is_reverse });
            }
            _ => return None,
        }
    }
    found
}

impl<'c> Partition<'c, '_> {
    /// A cumulative operation along a dimension that is split; `None` for others, and where the initial value takes part.
    pub(super) fn cumulated(
        &mut self,
        builder: &Builder<'c>,
        op: Op<'c>,
        wanted: &[Option<Layout>],
    ) -> Outcome<Option<Vec<Held<'c>>>> {
        let (Some(Cumulative { dim, how, is_reverse }), Ok(rules)) = (cumulative(op), rules(op))
        else {
            return Ok(None);
        };
        let element = op.result(0).ty().element();
        let Some(neutral) = how.neutral(self.context, element) else { return Ok(None) };
        if !super::is_neutral(self.context, how, op.operand(1)) {
            return Ok(None);
        }
        let operands: Vec<_> = op.operands().into_iter().map(|value| self.held(value)).collect();
        let split = choose((self.context, self.grid), op, &rules, &operands, wanted);
        let own = |dim: usize| -> Vec<usize> {
            let factor = factor_of(&rules, |factor| factor.operands().contains(&(0, dim)));
            factor.map(|factor| split[factor].clone()).unwrap_or_default()
        };
        let shape = operands[0].shape.clone();
        let mut layout = Layout((0..shape.len()).map(own).collect());
        let asked = wanted.first().and_then(Option::as_ref).map(|layout| &layout.0[dim]);
        let asked = asked.filter(|pieces| !pieces.is_empty());
        let pieces = asked.unwrap_or(&operands[0].layout.0[dim]).clone();
        if pieces.is_empty() || pieces.iter().any(|piece| layout.uses(*piece)) {
            return Ok(None);
        }
        layout.0[dim].clone_from(&pieces);
        let emit = self.emit(builder);
        let neutral = emit.splat(tensor(&[], element), neutral);
        let part = self.moved_to(builder, &operands[0], &layout)?;
        let part = emit.masked(part, dim, (&pieces, shape[dim]), neutral);
        let initial = self.part(builder, op.operand(1), &Layout::whole(0))?;
        let results = std::slice::from_ref(&layout);
        let copy = self.copy(builder, op, &[part, initial], results, &[])?;
        let size = shape_of(part)[dim];
        self.resize_window(copy, dim, size, is_reverse);
        let own = copy.result(0);
        // What all parts amount to, and those that count for this one.
        let last = if is_reverse { 0 } else { size - 1 };
        let total = emit.cut(own, dim, last, last + 1);
        let totals = self.gathered(builder, total, dim, &pieces);
        let before = emit.beside(totals, dim, (&pieces, is_reverse), neutral);
        let before = emit.reduced_along(before, dim, (how, neutral));
        let kept: Vec<_> = (0..shape.len() as i64).filter(|one| *one != dim as i64).collect();
        let before = emit.spread(before, &shape_of(own), &kept);
        let value = emit.same(how.operation(), &[before, own]);
        Ok(Some(vec![Held { value, layout, shape }]))
    }

    /// A window over all of a part of `size` indices.
    fn resize_window(&self, copy: Op<'c>, dim: usize, size: i64, is_reverse: bool) {
        let list = |name: &str| copy.attr(name).and_then(|list| list.as_i64s());
        let (Some(mut window), Some(mut padding)) = (list("window_dimensions"), list("padding"))
        else {
            return;
        };
        window[dim] = size;
        copy.set_attr("window_dimensions", i64s(self.context, &window));
        padding[2 * dim + usize::from(is_reverse)] = size - 1;
        if let Some(padding) = i64_pairs(self.context, &padding) {
            copy.set_attr("padding", padding);
        }
    }
}
