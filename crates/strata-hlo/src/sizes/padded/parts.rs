//! Dimensions whose valid elements are rows within a buffer, as a reshape of `[4, s, s]` to `[4, s*s]` leaves them: elementwise operations
//! and reductions have a dimension for each part, whose first elements are valid.
//!
//! ```text
//! sum of [4, (s of 128)(s of 128)] along its last dimension      =>      sum of [4, s of 128, s of 128] along the last two
//! ```
//! Loops over both as one would not end before the bound's last row, and what is repeated along such a dimension is laid out as what it is
//! combined with: none of its elements differ.

use strata_ir::{AttributeExt as _, Builder, Op, OpKind, TypeExt as _, Value};
use strata_rewrite::{Guard as _, Outcome};

use super::{
    Padded, Padding,
    extent::{self, Extent},
    padded_type,
    rules::keeps_zero,
};
use crate::{emit::Emit as _, pattern::splat};

/// Whether a dimension has several parts.
pub fn are_several(dims: &[Extent]) -> bool {
    dims.iter().any(|dim| !dim.is_prefix())
}

/// Each part as a dimension.
pub fn of(dims: &[Extent]) -> Vec<Extent> {
    dims.iter().flat_map(Extent::parts).collect()
}

/// The dimensions that are the parts of these ones.
pub fn places(dims: &[Extent], along: &[usize]) -> Vec<usize> {
    let counts = dims.iter().enumerate().flat_map(|(dim, own)| vec![dim; own.factors().len()]);
    counts.enumerate().filter(|(_, dim)| along.contains(dim)).map(|(place, _)| place).collect()
}

impl<'c> Padding<'c> {
    /// The value with a dimension for each part.
    pub fn in_parts(&self, builder: &Builder<'c>, padded: &Padded<'c>) -> Outcome<Padded<'c>> {
        let dims = of(&padded.dims);
        let shape = padded_type(&dims, padded.value.ty().element())?.shape().unwrap_or_default();
        let value = repeated(builder, padded, &shape)
            .unwrap_or_else(|| builder.reshaped(padded.value, &shape));
        Ok(Padded { value, dims, zero: padded.zero })
    }

    /// The value in a buffer of that shape.
    pub fn laid(
        &self,
        builder: &Builder<'c>,
        padded: &Padded<'c>,
        shape: &[i64],
    ) -> Outcome<Padded<'c>> {
        let dims = extent::laid(&padded.dims, shape);
        let dims = dims.or_decline("the buffer of an output is not that of other versions")?;
        if dims == of(&padded.dims) {
            return self.in_parts(builder, padded);
        }
        Ok(Padded { value: builder.reshaped(padded.value, shape), dims, zero: padded.zero })
    }

    /// A value of parts with these dimensions, whose parts they are.
    pub fn joined_parts(
        &self,
        builder: &Builder<'c>,
        parts: &Padded<'c>,
        dims: &[Extent],
    ) -> Outcome<Padded<'c>> {
        let ty = padded_type(dims, parts.value.ty().element())?;
        let value = builder.reshaped(parts.value, &ty.shape().unwrap_or_default());
        Ok(Padded { value, dims: dims.to_vec(), zero: parts.zero })
    }

    /// An elementwise operation on operands that lie alike, part by part.
    pub fn pointwise(
        &self,
        op: Op<'c>,
        builder: &Builder<'c>,
        operands: &[Padded<'c>],
    ) -> Outcome<Vec<Padded<'c>>> {
        let dims = operands.iter().map(|one| &one.dims).find(|dims| !dims.is_empty());
        let has_dims =
            |ty: strata_ir::Type<'c>| !ty.is_float_type() && !ty.is_int() && !ty.is_complex();
        let elements = op.operands().into_iter().chain(op.results());
        // A type may name one of the dimensions, and so does a `map`.
        let is_whole =
            op.kind() == OpKind::Map || elements.map(|value| value.ty().element()).any(has_dims);
        let Some(dims) = dims.filter(|dims| are_several(dims) && !is_whole) else {
            return self.apart(op, builder, operands);
        };
        let own = operands.iter().map(|one| match one.dims.is_empty() {
            true => Ok(one.clone()),
            false => self.in_parts(builder, one),
        });
        let own = own.collect::<Outcome<Vec<_>>>()?;
        let parts = of(dims);
        let zero = keeps_zero(op.kind()) && own.iter().all(|one| one.zero);
        let types = op.results().into_iter().map(|old| padded_type(&parts, old.ty().element()));
        let types = types.collect::<Outcome<Vec<_>>>()?;
        let values: Vec<_> = own.iter().map(|one| one.value).collect();
        let new = self.rebuilt(builder, op, &values, &types, &[]);
        let results = new.results().into_iter().map(|value| {
            self.joined_parts(builder, &Padded { value, dims: parts.clone(), zero }, dims)
        });
        results.collect()
    }

    /// Operands of which those that are the same along a dimension lie as the others there; `None` where others differ.
    pub fn lying_alike(&self, operands: &[Padded<'c>]) -> Option<Vec<Padded<'c>>> {
        let mut all = operands.to_vec();
        let rank = all.iter().map(|one| one.dims.len()).max()?;
        for dim in 0..rank {
            let own = || all.iter().filter(|one| !one.dims.is_empty());
            let fixed = own().find(|one| !is_repeated(one.value, dim)).or_else(|| own().next())?;
            let extent = fixed.dims.get(dim)?.clone();
            let size = self.canonical(extent.size()?);
            for one in all.iter_mut().filter(|one| !one.dims.is_empty()) {
                let other = one.dims.get(dim)?;
                if *other == extent {
                    continue;
                }
                let is_same = self.canonical(other.size()?) == size
                    && other.bound() == extent.bound()
                    && is_repeated(one.value, dim);
                is_same.then_some(())?;
                one.dims[dim] = extent.clone();
                one.zero = false;
            }
        }
        Some(all)
    }
}

/// Whether all elements of a value along a dimension are the same one.
fn is_repeated(value: Value<'_>, dim: usize) -> bool {
    let own = || {
        let spread = value.owner().filter(|op| op.kind() == OpKind::BroadcastInDim)?;
        let places = spread.attr("broadcast_dimensions")?.as_i64s()?;
        let at = places.iter().position(|place| *place == dim as i64);
        Some(at.is_none_or(|at| {
            spread.operand(0).ty().shape().is_some_and(|shape| shape.get(at) == Some(&1))
        }))
    };
    own().unwrap_or_else(|| splat(value).is_ok())
}

/// What is repeated along all dimensions that have several parts, along these parts.
fn repeated<'c>(builder: &Builder<'c>, padded: &Padded<'c>, shape: &[i64]) -> Option<Value<'c>> {
    let spread = padded.value.owner().filter(|op| op.kind() == OpKind::BroadcastInDim)?;
    let operand = spread.operand(0);
    let (mut kept, mut own) = (Vec::new(), Vec::new());
    for (dim, size) in
        spread.attr("broadcast_dimensions")?.as_i64s()?.iter().zip(operand.ty().shape()?)
    {
        match places(&padded.dims, &[usize::try_from(*dim).ok()?])[..] {
            [place] => {
                kept.push(size);
                own.push(place as i64);
            }
            _ => (size == 1).then_some(())?,
        }
    }
    Some(builder.broadcast_in_dim(builder.reshaped(operand, &kept), shape, &own))
}
