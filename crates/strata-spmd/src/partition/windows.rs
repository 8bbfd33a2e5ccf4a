//! Operations along whose split dimensions each part of the result needs a range of the operand: windows of convolutions and reductions,
//! slices, padding, reversed and concatenated dimensions. Devices get the elements that they lack from those that have them ([`halo`]).
//!
//! ```text
//! convolution of 8x16 with a window of 3, result split in 4 along 8   → each has 2 rows, gets 1 from each neighbour, and convolves 4
//! ```
//!
//! [`halo`]: crate::halo

use strata_ir::{
    AttributeExt as _, Builder, ConvDimensionNumbers, Op, OpKind, TypeExt as _, Value, i64_pairs,
    i64s, tensor,
};
use strata_shapes::{Factor, FactorKind, Steps, stepped_operands, steps};

use super::{Held, Outcome, Partition, choice::choose};
use crate::{
    factors::{factor_of, rules_of},
    grid::{Layout, shape_of},
    halo::{Fetch, Ranges},
    notes,
};

/// The ranges of an operand that devices need for `count` parts of `size` indices of the result.
fn ranges(steps: Steps, part: i64, count: i64, size: i64) -> Ranges {
    // A dimension that goes backwards ends where the others begin.
    let back = if steps.step < 0 { (size - 1) * -steps.step } else { 0 };
    let first = (0..count).map(|at| steps.first + at * size * steps.step - back).collect();
    Ranges { part, first, length: (size - 1) * steps.step.abs() + steps.window }
}

fn list(op: Op<'_>, name: &str) -> Option<Vec<i64>> {
    op.attr(name)?.as_i64s()
}

impl<'c> Partition<'c, '_> {
    /// An operation of which the program wants results split along such dimensions; `None` if it does not, or it cannot be done.
    pub(super) fn windowed(
        &mut self,
        builder: &Builder<'c>,
        op: Op<'c>,
        wanted: &[Option<Layout>],
    ) -> Outcome<Option<Vec<Held<'c>>>> {
        let (Some(Some(asked)), Some(rules)) = (wanted.first(), rules_of(op)) else {
            return Ok(None);
        };
        let shape = shape_of(op.result(0));
        let operands: Vec<_> = op.operands().into_iter().map(|value| self.held(value)).collect();
        if shape.contains(&0) || operands.iter().any(|held| held.shape.contains(&0)) {
            return Ok(None);
        }
        if op.kind() == OpKind::Concatenate {
            return self.concatenated(builder, op, &operands, asked);
        }
        let split = choose((self.context, self.grid), op, &rules, &operands, wanted);
        let of_parts = |factor: &Factor, pieces: &[usize]| {
            factor.kind == FactorKind::Reduced && !pieces.is_empty()
        };
        let mut all = rules.factors().iter().zip(&split);
        if all.any(|(factor, pieces)| of_parts(factor, pieces)) {
            return Ok(None);
        }
        let along = |has: &dyn Fn(&Factor) -> bool| -> Vec<usize> {
            factor_of(&rules, has).map(|factor| split[factor].clone()).unwrap_or_default()
        };
        let mut result = Layout(
            (0..shape.len()).map(|dim| along(&|one| one.results().contains(&(0, dim)))).collect(),
        );
        let mut ranged = Vec::new();
        for (dim, pieces) in asked.0.iter().enumerate() {
            let is_free = pieces.iter().all(|piece| {
                !result.uses(*piece) && !split.iter().flatten().any(|used| used == piece)
            });
            if !result.0[dim].is_empty() || pieces.is_empty() || !is_free {
                continue;
            }
            if let Some(needed) = steps(op, dim) {
                result.0[dim].clone_from(pieces);
                ranged.push((dim, needed));
            }
        }
        if ranged.is_empty() {
            return Ok(None);
        }
        let mut parts = Vec::new();
        for (index, held) in operands.iter().enumerate() {
            let is_moved_over = index < stepped_operands(op);
            let own = |dim: usize| along(&|one| one.operands().contains(&(index, dim)));
            let mut layout = Layout((0..held.shape.len()).map(own).collect());
            if is_moved_over {
                for (dim, needed) in &ranged {
                    // Parts of another number are gathered.
                    if held.layout.0[needed.dim] == result.0[*dim] {
                        layout.0[needed.dim].clone_from(&result.0[*dim]);
                    }
                }
            }
            let mut part = self.operand_in(builder, (op, index), held, &layout)?;
            let fill = match op.kind() {
                _ if !is_moved_over => None,
                OpKind::Pad => Some(self.part(builder, op.operand(1), &Layout::whole(0))?),
                OpKind::ReduceWindow => {
                    let initial = op.operand(index + stepped_operands(op));
                    Some(self.part(builder, initial, &Layout::whole(0))?)
                }
                OpKind::Convolution => {
                    let zero = self.emit(builder).zeros(tensor(&[], part.ty().element()));
                    if zero.is_none() {
                        return Ok(None);
                    }
                    zero
                }
                _ => None,
            };
            for (dim, needed) in ranged.iter().filter(|_| is_moved_over) {
                let pieces = &result.0[*dim];
                let size = self.grid.part(shape[*dim], pieces);
                let from = (held.shape[needed.dim], !layout.0[needed.dim].is_empty());
                let Some(fetched) =
                    self.fetched(builder, part, (*needed, pieces, size), from, fill)
                else {
                    return Ok(None);
                };
                part = fetched;
            }
            parts.push(part);
        }
        let results: Vec<_> = op.results().iter().map(|_| result.clone()).collect();
        let is_split: Vec<_> = (0..operands[0].shape.len())
            .map(|dim| !along(&|one| one.operands().contains(&(0, dim))).is_empty())
            .collect();
        let copy = self.copy(builder, op, &parts, &results, &is_split)?;
        for (dim, _) in &ranged {
            self.without_edges(copy, *dim);
        }
        let new = copy.results().into_iter().zip(op.results());
        Ok(Some(
            new.map(|(value, old)| Held { value, layout: result.clone(), shape: shape_of(old) })
                .collect(),
        ))
    }

    /// The operation takes all of a range, with nothing before and after it.
    fn without_edges(&self, copy: Op<'c>, dim: usize) {
        let put = |name: &str, at: usize, value: i64| {
            if let Some(mut all) = list(copy, name)
                && let Some(own) = all.get_mut(at)
            {
                *own = value;
                copy.set_attr(name, i64s(self.context, &all));
            }
        };
        let unpadded = |at: usize| {
            let Some(mut all) = list(copy, "padding") else { return };
            all[2 * at] = 0;
            all[2 * at + 1] = 0;
            if let Some(padding) = i64_pairs(self.context, &all) {
                copy.set_attr("padding", padding);
            }
        };
        match copy.kind() {
            OpKind::Slice => {
                put("start_indices", dim, 0);
                put("limit_indices", dim, shape_of(copy.operand(0))[dim]);
            }
            OpKind::Pad => {
                put("edge_padding_low", dim, 0);
                put("edge_padding_high", dim, 0);
            }
            OpKind::ReduceWindow => unpadded(dim),
            OpKind::Convolution => {
                let numbers = copy.attr("dimension_numbers");
                let numbers = numbers.and_then(ConvDimensionNumbers::from_attribute);
                let spatial = numbers.map(|numbers| numbers.output_spatial_dimensions);
                let at = spatial.and_then(|all| all.iter().position(|own| *own == dim as i64));
                at.into_iter().for_each(unpadded);
            }
            _ => {}
        }
    }

    /// The range of `part` that this device needs for its part of a result; `None` where the type has no zero. `whole` is the size of the
    /// dimension in all, and whether `part` is a part of it along the same pieces.
    fn fetched(
        &self,
        builder: &Builder<'c>,
        part: Value<'c>,
        (needed, pieces, size): (Steps, &[usize], i64),
        (whole, is_part): (i64, bool),
        fill: Option<Value<'c>>,
    ) -> Option<Value<'c>> {
        let emit = self.emit(builder);
        let count = self.grid.parts(pieces);
        let own = shape_of(part)[needed.dim];
        let ranges = ranges(needed, own, count, size);
        let fetch = if is_part { ranges.fetch() } else { Fetch::Whole };
        let first = |at: i64| ranges.first[at as usize];
        let range = match fetch {
            Fetch::Blocks { blocks, offset } => {
                let mut all = Vec::new();
                for block in &blocks {
                    notes::fetched(builder.location, part, needed.dim, block);
                    all.push(emit.block(part, needed.dim, pieces, block)?);
                }
                let joined = emit.joined(&all, needed.dim);
                emit.range(joined, needed.dim, (pieces, ranges.length), |at| offset[at as usize])
            }
            Fetch::Whole => {
                let mut value = part;
                if is_part {
                    let step =
                        crate::reshard::Step::Gather { dim: needed.dim, pieces: pieces.to_vec() };
                    notes::moved(builder.location, self.grid, value, (&step, notes::RESHARDED));
                    value = emit.step(value, &step)?;
                }
                let has = shape_of(value)[needed.dim];
                let low = (0..count).map(|at| -first(at)).max().unwrap_or(0).max(0);
                let end = (0..count).map(|at| first(at) + ranges.length).max().unwrap_or(0);
                value = emit.edged(value, needed.dim, low, (end - has).max(0))?;
                emit.range(value, needed.dim, (pieces, ranges.length), |at| first(at) + low)
            }
        };
        let is_outside = |first: &i64| *first < 0 || first + ranges.length > whole;
        match fill.filter(|_| ranges.first.iter().any(is_outside)) {
            Some(fill) => Some(emit.filled(range, needed.dim, (pieces, whole), first, fill)),
            None => Some(range),
        }
    }

    /// Values that follow one another along a dimension that is split: each device has what is in its part of the whole.
    fn concatenated(
        &mut self,
        builder: &Builder<'c>,
        op: Op<'c>,
        operands: &[Held<'c>],
        asked: &Layout,
    ) -> Outcome<Option<Vec<Held<'c>>>> {
        let dim = op.attr("dimension").and_then(|dim| dim.as_i64());
        let Some(dim) = dim.and_then(|dim| usize::try_from(dim).ok()) else { return Ok(None) };
        let Some(pieces) = asked.0.get(dim).filter(|pieces| !pieces.is_empty()) else {
            return Ok(None);
        };
        let shape = shape_of(op.result(0));
        let size = self.grid.part(shape[dim], pieces);
        let mut result: Option<Value<'c>> = None;
        let mut begin = 0;
        for held in operands {
            let mut layout = asked.clone();
            if held.layout.0[dim] != *pieces {
                layout.0[dim].clear();
            }
            let part = self.moved_to(builder, held, &layout)?;
            let needed = Steps { dim, first: -begin, step: 1, window: 1 };
            let from = (held.shape[dim], !layout.0[dim].is_empty());
            let Some(own) = self.fetched(builder, part, (needed, pieces, size), from, None) else {
                return Ok(None);
            };
            result = Some(match result {
                None => own,
                // What begins later replaces what is before it.
                Some(before) => {
                    let place = |at: i64| at * size;
                    self.emit(builder).switched_at(own, before, dim, (pieces, begin), place)
                }
            });
            begin += held.shape[dim];
        }
        let value = result;
        Ok(value.map(|value| vec![Held { value, layout: asked.clone(), shape }]))
    }
}
