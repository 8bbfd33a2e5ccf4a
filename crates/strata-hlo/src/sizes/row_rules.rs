//! Which operations keep rows apart, and where the rows of their results are.

use strata_ir::{
    AttributeExt as _, ConvDimensionNumbers, DotDimensionNumbers, GatherDimensionNumbers, Op,
    OpKind, ScatterDimensionNumbers, TypeExt as _, Value, sizes::Size,
};
use strata_rewrite::{Guard as _, Outcome};

use super::rows::{
    Analysis,
    Kind::{self, Rows as Along, Same},
    is_pointwise,
};
use crate::{
    interop::custom_call::is_lapack,
    pattern::{defined_by, ints},
};

impl<'c> Analysis<'_, 'c> {
    /// An operation some of whose operands have rows.
    pub fn of_rows(&self, op: Op<'c>, kinds: &[Kind]) -> Outcome<Kind> {
        let first = kinds.iter().find(|kind| **kind != Same);
        let Some(Along { dim, factor }) = first.cloned() else {
            return Err("it has no rows".into());
        };
        let is_rows = |kind: &Kind| matches!(kind, Along { dim: own, factor: of } if *own == dim && *of == factor);
        let is_same = kinds.iter().all(is_rows);
        let all_or_scalars =
            op.operands().iter().zip(kinds).all(|(value, kind)| {
                is_rows(kind) || *kind == Same && value.ty().rank() == Some(0)
            });
        let rank = op.operand(0).ty().rank().unwrap_or_default();
        let kept = Ok(Along { dim, factor: factor.clone() });
        let attribute = |name: &str| op.attr(name).and_then(|value| value.as_i64());
        match op.kind() {
            kind if is_pointwise(kind) => {
                all_or_scalars.or_decline("rows meet in different dimensions")?;
                kept
            }
            OpKind::Transpose => {
                let order = ints(op, "permutation")?;
                let to = order.iter().position(|from| *from == dim as i64);
                Ok(Along { dim: to.or_decline("the permutation is incomplete")?, factor })
            }
            OpKind::Reverse => {
                let reversed = ints(op, "dimensions")?;
                (!reversed.contains(&(dim as i64))).or_decline("it reverses the rows")?;
                kept
            }
            OpKind::Concatenate => {
                let along = attribute("dimension").or_decline("there is no dimension")?;
                (is_same && along != dim as i64).or_decline("it appends rows")?;
                kept
            }
            OpKind::Reduce => self.reduce(op, kinds),
            OpKind::Sort => {
                let along = attribute("dimension").unwrap_or(-1);
                let along = if along < 0 { along + rank as i64 } else { along };
                (is_same && along != dim as i64).or_decline("it sorts rows")?;
                kept
            }
            OpKind::ReduceWindow | OpKind::SelectAndScatter => {
                let window = optional(op, "window_dimensions")?;
                let inputs = kinds.iter().filter(|kind| **kind != Same);
                inputs.into_iter().all(is_rows).or_decline("rows meet")?;
                window
                    .get(dim)
                    .is_none_or(|size| *size == 1)
                    .or_decline("its window spans rows")?;
                self.window_leaves(op, dim)?;
                kept
            }
            OpKind::Pad => {
                for name in ["edge_padding_low", "edge_padding_high", "interior_padding"] {
                    let amounts = ints(op, name)?;
                    (amounts.get(dim) == Some(&0)).or_decline("it adds rows")?;
                }
                (kinds[1] == Same).or_decline("the padding depends on rows")?;
                kept
            }
            OpKind::DynamicPad => {
                for amount in 2..5 {
                    let amounts = self.numbers(op.operand(amount)).or_decline("it is not known")?;
                    let amount =
                        amounts.get(dim).cloned().flatten().and_then(|size| size.as_known());
                    (amount == Some(0)).or_decline("it adds rows")?;
                }
                kept
            }
            OpKind::RealDynamicSlice => self.slice(op, dim, &factor),
            OpKind::DynamicUpdateSlice => {
                let starts = kinds[2..].iter().all(|kind| *kind == Same);
                (kinds[0] == kinds[1] && starts).or_decline("it updates some rows")?;
                kept
            }
            OpKind::DotGeneral => self.dot(op, kinds),
            OpKind::Convolution => self.convolution(op, kinds),
            OpKind::DynamicConv => {
                let padding = self.is_same_shape(op.operand(2));
                padding.or_decline("its padding depends on the number of rows")?;
                self.convolution(op, kinds)
            }
            OpKind::Gather | OpKind::DynamicGather => self.gather(op, kinds),
            OpKind::Scatter => self.scatter(op, kinds),
            OpKind::CustomCall => self.matrices(op, kinds),
            OpKind::Cholesky => {
                (dim + 2 < rank).or_decline("a matrix is of several rows")?;
                kept
            }
            OpKind::TriangularSolve => {
                (is_same && dim + 2 < rank).or_decline("a matrix is of several rows")?;
                kept
            }
            OpKind::Fft => {
                let lengths = ints(op, "fft_length")?.len();
                (dim + lengths < rank).or_decline("it transforms rows")?;
                kept
            }
            OpKind::ChloTopK => {
                (dim + 1 < rank).or_decline("it picks rows")?;
                kept
            }
            OpKind::BatchNormInference => {
                let feature = attribute("feature_index");
                let others = kinds[1..].iter().all(|kind| *kind == Same);
                (feature != Some(dim as i64) && others).or_decline("it normalises rows")?;
                kept
            }
            _ => Err("the operation is not known to keep them apart".into()),
        }
    }

    fn reduce(&self, op: Op<'c>, kinds: &[Kind]) -> Outcome<Kind> {
        let (inputs, inits) = kinds.split_at(kinds.len() / 2);
        let Along { dim, factor } = inputs[0].clone() else { return Err("rows meet".into()) };
        let alike = inputs.iter().all(|kind| *kind == inputs[0]);
        (alike && inits.iter().all(|kind| *kind == Same)).or_decline("rows meet")?;
        let reduced = ints(op, "dimensions")?;
        (!reduced.contains(&(dim as i64))).or_decline("it reduces over rows")?;
        let before = reduced.iter().filter(|one| **one < dim as i64).count();
        Ok(Along { dim: dim - before, factor })
    }

    /// A window moves along rows one by one and adds none.
    fn window_leaves(&self, op: Op<'c>, dim: usize) -> Outcome {
        for name in ["window_strides", "base_dilations", "window_dilations"] {
            let list = optional(op, name)?;
            list.get(dim).is_none_or(|step| *step == 1).or_decline("its window skips rows")?;
        }
        let padding = optional(op, "padding")?;
        let pads = padding.chunks(2).nth(dim).is_none_or(|pair| pair == [0, 0]);
        pads.or_decline("it adds rows")
    }

    /// All rows are taken, and the same of each: what is taken of other dimensions does not depend on the number of rows.
    fn slice(&self, op: Op<'c>, dim: usize, factor: &Size) -> Outcome<Kind> {
        let (start, limit) = (op.operand(1), op.operand(2));
        let at = |value: Value<'c>| {
            let numbers = self.numbers(value).or_decline("a bound is not known")?;
            numbers.get(dim).cloned().flatten().or_decline("it takes some of the rows")
        };
        let whole = at(start)?.as_known() == Some(0)
            && at(op.operand(3))?.as_known() == Some(1)
            && self.factor(&at(limit)?).as_ref() == Some(factor);
        whole.or_decline("it takes some of the rows")?;
        // Either all limits are known, or the start, which is the same for all, and all sizes.
        let sizes = match defined_by(limit, OpKind::Add) {
            Ok(sum) if sum.operand(0) == start => sum.operand(1),
            Ok(sum) if sum.operand(1) == start => sum.operand(0),
            _ => limit,
        };
        let sizes = self.numbers(sizes).or_decline("a bound is not known")?;
        let same = sizes
            .iter()
            .enumerate()
            .all(|(at, size)| at == dim || size.as_ref().is_some_and(|size| self.is_same(size)));
        let same = same && self.kind(start) == Same && self.kind(op.operand(3)) == Same;
        same.or_decline("what it takes depends on the number of rows")?;
        Ok(Along { dim, factor: factor.clone() })
    }

    fn dot(&self, op: Op<'c>, kinds: &[Kind]) -> Outcome<Kind> {
        let numbers = op.attr("dot_dimension_numbers").or_decline("it has no dimensions")?;
        let numbers = DotDimensionNumbers::from_attribute(numbers);
        let numbers = numbers.or_decline("it has no dimensions")?;
        let sides = [
            (&numbers.lhs_batching_dimensions, &numbers.lhs_contracting_dimensions),
            (&numbers.rhs_batching_dimensions, &numbers.rhs_contracting_dimensions),
        ];
        let place = |side: usize| -> Outcome<Option<(bool, usize, Size)>> {
            let Along { dim, factor } = kinds[side].clone() else { return Ok(None) };
            let (batching, contracting) = sides[side];
            let dim = dim as i64;
            (!contracting.contains(&dim)).or_decline("it sums over rows")?;
            if let Some(at) = batching.iter().position(|one| *one == dim) {
                return Ok(Some((true, at, factor)));
            }
            let free = (0..dim).filter(|one| !batching.contains(one) && !contracting.contains(one));
            Ok(Some((false, free.count(), factor)))
        };
        let batch = numbers.lhs_batching_dimensions.len();
        let lhs_rank = op.operand(0).ty().rank().unwrap_or_default();
        let lhs_free = lhs_rank - batch - numbers.lhs_contracting_dimensions.len();
        match (place(0)?, place(1)?) {
            (Some((true, at, factor)), Some((true, other, same))) => {
                (at == other && factor == same).or_decline("rows meet")?;
                Ok(Along { dim: at, factor })
            }
            (Some((false, at, factor)), None) => Ok(Along { dim: batch + at, factor }),
            (None, Some((false, at, factor))) => Ok(Along { dim: batch + lhs_free + at, factor }),
            _ => Err("each row meets all others".into()),
        }
    }

    fn convolution(&self, op: Op<'c>, kinds: &[Kind]) -> Outcome<Kind> {
        let numbers = op.attr("dimension_numbers").and_then(ConvDimensionNumbers::from_attribute);
        let numbers = numbers.or_decline("it has no dimensions")?;
        let groups = op.attr("batch_group_count").and_then(|count| count.as_i64()).unwrap_or(1);
        match kinds {
            [Along { dim, factor }, Same] if groups == 1 => {
                let is_batch = numbers.input_batch_dimension == *dim as i64;
                is_batch.or_decline("it convolves rows")?;
                Ok(Along { dim: numbers.output_batch_dimension as usize, factor: factor.clone() })
            }
            _ => Err("the kernel depends on rows".into()),
        }
    }

    /// Rows of indices into a table, whole rows of the operand, or a row of indices for each row of the operand.
    fn gather(&self, op: Op<'c>, kinds: &[Kind]) -> Outcome<Kind> {
        let numbers = op.attr("dimension_numbers");
        let numbers = numbers.and_then(GatherDimensionNumbers::from_attribute);
        let numbers = numbers.or_decline("it has no dimensions")?;
        let rank = op.result(0).ty().rank().unwrap_or_default() as i64;
        let sizes: Vec<Option<Size>> = match op.kind() {
            OpKind::DynamicGather => {
                self.numbers(op.operand(2)).or_decline("the sizes of slices are not known")?
            }
            _ => ints(op, "slice_sizes")?.into_iter().map(|size| Some(Size::known(size))).collect(),
        };
        let is_same = |dim: usize| {
            sizes.get(dim).is_some_and(|size| size.as_ref().is_some_and(|size| self.is_same(size)))
        };
        let from_indices: Vec<i64> =
            (0..rank).filter(|dim| !numbers.offset_dims.contains(dim)).collect();
        // The dimension of the result that one of the indices becomes.
        let batch = |dim: usize| -> Outcome<usize> {
            let (dim, vector) = (dim as i64, numbers.index_vector_dim);
            (dim != vector).or_decline("an index is of several rows")?;
            let at = dim - i64::from(vector < dim);
            let dim = from_indices.get(at as usize).or_decline("a dimension is missing")?;
            Ok(*dim as usize)
        };
        match &kinds[..2] {
            [Same, Along { dim, factor }] => {
                let all = (0..sizes.len()).all(is_same);
                all.or_decline("slices are as long as there are rows")?;
                Ok(Along { dim: batch(*dim)?, factor: factor.clone() })
            }
            [Along { dim, factor }, Same] => {
                let own = *dim as i64;
                let size = sizes.get(*dim).cloned().flatten().and_then(|size| self.factor(&size));
                let is_whole = size.as_ref() == Some(factor)
                    && (0..sizes.len()).all(|other| other == *dim || is_same(other));
                is_whole.or_decline("it takes some of the rows")?;
                let hidden = |dim: &i64| {
                    numbers.collapsed_slice_dims.contains(dim)
                        || numbers.operand_batching_dims.contains(dim)
                };
                (!hidden(&own)).or_decline("it takes some of the rows")?;
                let at = (0..own).filter(|dim| !hidden(dim)).count();
                let to = numbers.offset_dims.get(at).or_decline("a dimension is missing")?;
                Ok(Along { dim: *to as usize, factor: factor.clone() })
            }
            [Along { dim, factor }, Along { dim: other, factor: of }] => {
                let batching =
                    numbers.operand_batching_dims.iter().position(|one| *one == *dim as i64);
                let pair = batching.and_then(|at| numbers.start_indices_batching_dims.get(at));
                let paired = pair == Some(&(*other as i64)) && factor == of;
                let others = (0..sizes.len()).all(is_same);
                (paired && others).or_decline("it takes some of the rows")?;
                Ok(Along { dim: batch(*other)?, factor: factor.clone() })
            }
            _ => Err("it takes some of the rows".into()),
        }
    }

    /// Rows of updates go to the same rows of the inputs.
    fn scatter(&self, op: Op<'c>, kinds: &[Kind]) -> Outcome<Kind> {
        let numbers = op.attr("scatter_dimension_numbers");
        let numbers = numbers.and_then(ScatterDimensionNumbers::from_attribute);
        let numbers = numbers.or_decline("it has no dimensions")?;
        let (inputs, rest) = kinds.split_at(op.result_count());
        let (indices, updates) = rest.split_first().or_decline("it has no indices")?;
        let alike = |list: &[Kind]| list.iter().all(|kind| *kind == list[0]);
        let (Along { dim, factor }, Along { dim: update, factor: of }) =
            (&inputs[0], updates.first().or_decline("it has no updates")?)
        else {
            return Err("it updates some rows".into());
        };
        (alike(inputs) && alike(updates) && factor == of).or_decline("rows meet")?;
        let own = *dim as i64;
        let window = numbers.update_window_dims.iter().position(|dim| *dim == *update as i64);
        let is_paired = match (window, indices) {
            // Whole rows, each with its own update, at a position that is the same for all.
            (Some(at), Same) => {
                let hidden = |dim: &i64| {
                    numbers.inserted_window_dims.contains(dim)
                        || numbers.input_batching_dims.contains(dim)
                };
                let before = (0..own).filter(|dim| !hidden(dim)).count();
                let moves = numbers.scatter_dims_to_operand_dims.contains(&own);
                !hidden(&own) && before == at && !moves
            }
            (None, Along { dim: index, factor: by }) => {
                let batching = numbers.input_batching_dims.iter().position(|dim| *dim == own);
                let pair = batching.and_then(|at| numbers.scatter_indices_batching_dims.get(at));
                let vector = numbers.index_vector_dim;
                let rank = op.operand(inputs.len() + 1).ty().rank().unwrap_or_default() as i64;
                let outer = (0..rank).filter(|dim| !numbers.update_window_dims.contains(dim));
                let outer: Vec<i64> = outer.collect();
                let at = *index as i64 - i64::from(vector < *index as i64);
                pair == Some(&(*index as i64))
                    && by == factor
                    && outer.get(at as usize) == Some(&(*update as i64))
            }
            _ => false,
        };
        is_paired.or_decline("it updates some rows")?;
        Ok(Along { dim: *dim, factor: factor.clone() })
    }

    /// LAPACK's functions on a batch of matrices.
    fn matrices(&self, op: Op<'c>, kinds: &[Kind]) -> Outcome<Kind> {
        is_lapack(op).or_decline("the operation is not known to keep them apart")?;
        let mut found = None;
        for (value, kind) in op.operands().into_iter().zip(kinds) {
            let Along { dim, factor } = kind else { continue };
            let rank = value.ty().rank().unwrap_or_default();
            (dim + 2 < rank).or_decline("a matrix is of several rows")?;
            found.get_or_insert((*dim, factor.clone()));
            (found.as_ref() == Some(&(*dim, factor.clone()))).or_decline("rows meet")?;
        }
        let (dim, factor) = found.or_decline("it has no rows")?;
        Ok(Along { dim, factor })
    }
}

/// The integers of an attribute; none where it is absent.
fn optional(op: Op<'_>, name: &'static str) -> Outcome<Vec<i64>> {
    if op.attr(name).is_some() { ints(op, name) } else { Ok(Vec::new()) }
}
