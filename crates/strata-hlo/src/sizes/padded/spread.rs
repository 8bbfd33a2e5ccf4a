//! Windows of updates whose size is open: each element along such a dimension is scattered by itself.
//!
//! A window of the bound's size would not fit where one of the valid size does, and one that does would write what is not valid.

use strata_ir::{
    Builder, ComparisonDirection, ScatterDimensionNumbers, Semantics, TypeExt as _, integer,
    stablehlo,
};
use strata_rewrite::{Guard as _, Outcome};

use super::{Padded, Padding, extent::Extent, padded_type};
use crate::emit::Emit as _;

impl<'c> Padding<'c> {
    /// The dimensions and positions of a scatter that takes the elements along `windows`, dimensions of its input and of its
    /// updates, one by one, and the dimensions of the updates in its order. Positions that are not in the input are those of what the
    /// scatter leaves out.
    pub fn spread_windows(
        &mut self,
        builder: &Builder<'c>,
        (numbers, semantics): (&ScatterDimensionNumbers, Semantics),
        (input, indices, update): (&Padded<'c>, &Padded<'c>, &Padded<'c>),
        windows: &[(usize, usize)],
    ) -> Outcome<(ScatterDimensionNumbers, Padded<'c>, Vec<usize>)> {
        let wide = integer(self.context, 64);
        let is_spread = |dim: usize| windows.iter().any(|(_, own)| *own == dim);
        let stays = |dim: &i64| !is_spread(*dim as usize);
        let mut new = numbers.clone();
        new.update_window_dims.retain(stays);
        let is_outer = |dim: &usize| !new.update_window_dims.contains(&(*dim as i64));
        let places: Vec<usize> = (0..update.dims.len()).filter(is_outer).collect();
        // All of a window is combined before the next index.
        let (inside, mut outer): (Vec<usize>, _) = places.iter().partition(|dim| is_spread(**dim));
        outer.extend(inside);
        let mut order: Vec<usize> = (0..update.dims.len()).collect();
        for (place, dim) in places.iter().zip(&outer) {
            order[*place] = *dim;
        }
        for (dim, _) in windows {
            let dim = *dim as i64;
            new.inserted_window_dims.push(dim);
            if !new.scatter_dims_to_operand_dims.contains(&dim) {
                new.scatter_dims_to_operand_dims.push(dim);
            }
        }
        new.inserted_window_dims.sort_unstable();
        let mut dims: Vec<Extent> = outer.iter().map(|dim| update.dims[*dim].clone()).collect();
        let last = dims.len();
        new.index_vector_dim = last as i64;
        let (known, all) =
            (numbers.scatter_dims_to_operand_dims.len(), new.scatter_dims_to_operand_dims.len());
        dims.push(Extent::full(all as i64));
        let ty = padded_type(&dims, wide)?;
        let shape = ty.shape().unwrap_or_default();

        let mut batches = (0..last).filter(|at| !is_spread(outer[*at]));
        let mut place = |dim: usize| match dim as i64 == numbers.index_vector_dim {
            true => Some(last as i64),
            false => batches.next().map(|at| at as i64),
        };
        let places: Option<Vec<i64>> = (0..indices.dims.len()).map(&mut place).collect();
        let places = places.or_decline("sizes of operands are not known to be equal")?;
        for dim in &mut new.scatter_indices_batching_dims {
            *dim = *places.get(*dim as usize).or_decline("there is no such dimension")?;
        }
        let with_last = |count: usize| {
            let mut shape = shape.clone();
            shape[last] = count as i64;
            shape
        };
        let starts = self.wide_positions(builder, indices.value);
        let mut starts = builder.broadcast_in_dim(starts, &with_last(known), &places);
        if known < all {
            let first = builder.zeros(strata_ir::tensor(&with_last(all - known), wide))?;
            starts = builder
                .op(stablehlo::CONCATENATE)
                .operands(&[starts, first])
                .attr("dimension", self.dimension_attr(last))
                .result(ty)
                .value();
        }

        let coordinate = builder.iota(&shape, wide, last as i64);
        for (dim, own) in windows {
            let is_along = |to: &i64| *to == *dim as i64;
            let at = new.scatter_dims_to_operand_dims.iter().position(is_along);
            let at = at.or_decline("there is no such dimension")?;
            let along = outer.iter().position(|outer| outer == own);
            let along = along.or_decline("there is no such dimension")?;
            let place = builder.iota(&shape, wide, along as i64);
            let mut moved = builder.same(stablehlo::ADD, &[starts, place]);
            let (whole, part) = (Self::size(&input.dims[*dim])?, Self::size(&update.dims[*own])?);
            self.fits_into(&part, &whole);
            if at < known && semantics == Semantics::Xla {
                // A window that is partly outside is left out as a whole.
                let most = whole.minus(&part).or_decline("a size is too large an expression")?;
                let most = builder.broadcast_in_dim(self.number(builder, &most)?, &shape, &[]);
                let zero = self.integers(builder, ty, 0);
                let begins = builder.compare(ComparisonDirection::Ge, starts, zero)?;
                let ends = builder.compare(ComparisonDirection::Le, starts, most)?;
                let fits = builder.same(stablehlo::AND, &[begins, ends]);
                moved = builder.selected(fits, moved, self.integers(builder, ty, -1));
            }
            let is_own = self.integers(builder, ty, at as i64);
            let is_own = builder.compare(ComparisonDirection::Eq, coordinate, is_own)?;
            starts = builder.selected(is_own, moved, starts);
        }
        Ok((new, Padded { value: starts, dims, zero: false }, order))
    }
}
