//! Reductions, sorts, factorisations: padding is neutral there, or left out.

use std::collections::HashMap;

use strata_ir::{
    Attribute, AttributeExt as _, Builder, ComparisonDirection, MASK, Op, OpKind, TypeExt as _,
    Value, i64s, integer, stablehlo, tensor, unit,
};
use strata_rewrite::{Guard as _, Outcome};
use strata_shapes::{DimExpr, FactorKind};

use super::{Padded, Padding, extent::Extent, neutral::own_operation, padded_type, parts};
use crate::{
    emit::Emit as _,
    pattern::{new_constant, splat},
};

/// Whether a scalar is known to be zero.
pub fn is_zero(value: Value<'_>) -> bool {
    let float = |number: f64| number == 0.0 && number.is_sign_positive();
    let is_zero = |one: Attribute<'_>| one.as_f64().map_or(one.as_i64() == Some(0), float);
    // Complex numbers have two parts.
    splat(value).is_ok_and(|one| match one.as_array() {
        Some(parts) => parts.into_iter().all(is_zero),
        None => is_zero(one),
    })
}

impl<'c> Padding<'c> {
    pub fn reduce(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Vec<Padded<'c>>> {
        let operands = self.operands(op)?;
        let (inputs, inits) = operands.split_at(operands.len() / 2);
        let inputs = self.alike(builder, inputs.to_vec())?;
        let first = inputs.first().or_decline("it has no operands")?;
        let reduced = Self::along(op, FactorKind::Reduced)?;
        let dims = Self::extents_of(op, &inputs)?.pop().or_decline("it has no results")?;
        if !parts::are_several(&first.dims) {
            return self.reduced(op, builder, (&inputs, inits), (&reduced, &dims));
        }
        let reduced = parts::places(&first.dims, &reduced);
        let inputs = inputs.iter().map(|one| self.in_parts(builder, one));
        let inputs = inputs.collect::<Outcome<Vec<_>>>()?;
        let own = (&reduced[..], &parts::of(&dims)[..]);
        let results = self.reduced(op, builder, (&inputs, inits), own)?;
        results.iter().map(|one| self.joined_parts(builder, one, &dims)).collect()
    }

    /// The reduction of inputs that lie alike along these dimensions, to results with the others.
    fn reduced(
        &self,
        op: Op<'c>,
        builder: &Builder<'c>,
        (inputs, inits): (&[Padded<'c>], &[Padded<'c>]),
        (reduced, dims): (&[usize], &[Extent]),
    ) -> Outcome<Vec<Padded<'c>>> {
        let first = inputs.first().or_decline("it has no operands")?;
        let is_full = reduced.iter().all(|dim| first.dims[*dim].is_full());
        if let ([input], [init], false) = (inputs, inits, is_full)
            && let Some(result) = self.reduce_stepwise(op, builder, (input, init.value), reduced)?
        {
            return Ok(vec![Padded { dims: dims.to_vec(), ..result }]);
        }
        let block = op.region(0).first_block().or_decline("it has no computation")?;
        let starts: Vec<_> = inits.iter().map(|init| init.value).collect();
        let fills = match is_full {
            true => Some(vec![None; starts.len()]),
            false => self.neutral(builder, block, (inputs, reduced), &starts),
        };
        let Some(fills) = fills else {
            return self.reduce_valid(op, builder, (inputs, inits), (reduced, dims));
        };
        let mut values = Vec::new();
        for (index, (input, fill)) in inputs.iter().zip(fills).enumerate() {
            let Some(fill) = fill else {
                values.push(input.value);
                continue;
            };
            // A zero of floats may be negative, which only sums and maxima that start with 0 do not show.
            let is_alike = !input.value.ty().element().is_float_type()
                || matches!(own_operation(block, index), Some(OpKind::Add | OpKind::Maximum));
            let is_clean = input.zero && is_zero(fill) && is_alike;
            values.push(match is_clean {
                true => input.value,
                false => self.masked(builder, input, reduced, fill)?,
            });
        }
        values.extend(starts);
        self.several(op, builder, &values, dims, &[("dimensions", self.list(reduced))])
    }

    /// The attribute of dimensions.
    fn list(&self, dims: &[usize]) -> Attribute<'c> {
        let dims: Vec<_> = dims.iter().map(|dim| *dim as i64).collect();
        i64s(self.context, &dims)
    }

    /// A reduction whose computation leaves out elements that are not valid: each has a boolean beside it that says so.
    fn reduce_valid(
        &self,
        op: Op<'c>,
        builder: &Builder<'c>,
        (inputs, inits): (&[Padded<'c>], &[Padded<'c>]),
        (reduced, dims): (&[usize], &[Extent]),
    ) -> Outcome<Vec<Padded<'c>>> {
        let flags = self.valid(builder, &inputs[0].dims, reduced)?;
        let flags = flags.or_decline("all elements are valid")?;
        let flag = tensor(&[], flags.ty().element());
        let mut values: Vec<_> = inputs.iter().map(|one| one.value).collect();
        values.push(flags);
        values.extend(inits.iter().map(|one| one.value));
        values.push(self.integers(builder, flag, 1));
        let block = op.region(0).first_block().or_decline("it has no computation")?;
        let types: Vec<_> = block.args().into_iter().map(|arg| arg.ty()).collect();
        let (lefts, rights) = types.split_at(inputs.len());
        let types = [lefts, &[flag], rights, &[flag]].concat();
        let region = builder.region(&types, |inner, args| {
            let (left, right) = args.split_at(args.len() / 2);
            let count = left.len() - 1;
            let mut known: HashMap<_, _> = self.known.clone();
            let own = left[..count].iter().chain(&right[..count]).copied();
            known.extend(block.args().into_iter().zip(own));
            let computed = inner.copy_body(block, &mut known);
            let pick = |at: usize| {
                let both = inner.selected(left[count], computed[at], right[at]);
                inner.selected(right[count], both, left[at])
            };
            let mut returned: Vec<_> = (0..count).map(pick).collect();
            returned.push(inner.same(stablehlo::OR, &[left[count], right[count]]));
            inner.returned(&returned);
        });
        let results = op.results().into_iter().map(|old| padded_type(dims, old.ty().element()));
        let mut results = results.collect::<Outcome<Vec<_>>>()?;
        results.push(padded_type(dims, flag.element())?);
        let mut attributes = op.attrs();
        attributes.retain(|(name, _)| *name != "dimensions");
        let new = builder
            .op(op.name())
            .operands(&values)
            .attrs(&attributes)
            .attr("dimensions", self.list(reduced))
            .results(&results)
            .region(region)
            .build();
        let own = new.results().into_iter().take(op.result_count());
        Ok(own.map(|value| Padded { value, dims: dims.to_vec(), zero: false }).collect())
    }

    /// The operation with results that all have these dimensions, and with some other attributes.
    pub fn several(
        &self,
        op: Op<'c>,
        builder: &Builder<'c>,
        values: &[Value<'c>],
        dims: &[Extent],
        others: &[(&str, Attribute<'c>)],
    ) -> Outcome<Vec<Padded<'c>>> {
        let types = op.results().into_iter().map(|old| padded_type(dims, old.ty().element()));
        let types = types.collect::<Outcome<Vec<_>>>()?;
        let new = self.rebuilt(builder, op, values, &types, others);
        let padded = |value| Padded { value, dims: dims.to_vec(), zero: false };
        Ok(new.results().into_iter().map(padded).collect())
    }

    /// What is not valid is sorted to the end: it gets elements that come before no other ones, or a key of its own.
    pub fn sort(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Vec<Padded<'c>>> {
        let operands = self.alike(builder, self.operands(op)?)?;
        let first = operands.first().or_decline("it has no operands")?;
        let dim = Self::along(op, FactorKind::Sorted)?.pop();
        let dim = dim.or_decline("there is no such dimension")?;
        if first.dims[dim].is_full() {
            let values: Vec<_> = operands.iter().map(|one| one.value).collect();
            return self.several(op, builder, &values, &first.dims, &[]);
        }
        let operands = operands.iter().map(|one| self.compact(builder, one));
        let operands = operands.collect::<Outcome<Vec<_>>>()?;
        let first = operands.first().or_decline("it has no operands")?;
        let block = op.region(0).first_block().or_decline("it has no comparison")?;
        let elements: Vec<_> = operands.iter().map(|one| one.value.ty().element()).collect();
        if let Some(fills) = self.last(builder, block, &elements) {
            let values = operands.iter().zip(fills).map(|(one, fill)| match fill {
                Some(fill) => self.masked(builder, one, &[dim], fill),
                None => Ok(one.value),
            });
            let values = values.collect::<Outcome<Vec<_>>>()?;
            let types: Vec<_> = values.iter().map(|value| value.ty()).collect();
            // Valid elements may be equal to these.
            let stable = [
                ("is_stable", strata_ir::boolean(self.context, true)),
                // What is masked comes last.
                (MASK, unit(self.context)),
            ];
            let new = self.rebuilt(builder, op, &values, &types, &stable);
            let results = new.results().into_iter().zip(&operands);
            return Ok(results
                .map(|(value, own)| Padded { value, dims: own.dims.clone(), zero: false })
                .collect());
        }
        let shape = first.value.ty().shape().unwrap_or_default();
        let valid = self.valid_along(builder, &first.dims[dim])?;
        let key = builder.same(stablehlo::NOT, &[valid]);
        let key = builder.converted(key, integer(self.context, 32));
        let key = builder.broadcast_in_dim(key, &shape, &[dim as i64]);
        let mut values: Vec<_> = operands.iter().map(|one| one.value).collect();
        values.push(key);
        let types: Vec<_> = values.iter().map(|value| value.ty()).collect();
        let region = self.by_key(op, builder)?;
        let new = builder
            .op(op.name())
            .operands(&values)
            .attrs(&op.attrs())
            .results(&types)
            .region(region)
            .build();
        let results = new.results().into_iter().zip(&operands);
        Ok(results
            .map(|(value, own)| Padded { value, dims: own.dims.clone(), zero: false })
            .collect())
    }

    /// The comparison of a sort, where a last pair of keys comes first.
    fn by_key(&self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<strata_ir::RegionBuilder> {
        let block = op.region(0).first_block().or_decline("it has no comparison")?;
        let key = tensor(&[], integer(self.context, 32));
        let mut types: Vec<_> = block.args().into_iter().map(|arg| arg.ty()).collect();
        types.extend([key, key]);
        let mut outcome = Ok(());
        let region = builder.region(&types, |inner, args| {
            let (own, keys) = args.split_at(args.len() - 2);
            let mut known: HashMap<_, _> = self.known.clone();
            known.extend(block.args().into_iter().zip(own.iter().copied()));
            let returned = inner.copy_body(block, &mut known);
            let is_first = || -> Outcome<Value<'c>> {
                let less = inner.compare(ComparisonDirection::Lt, keys[0], keys[1])?;
                let same = inner.compare(ComparisonDirection::Eq, keys[0], keys[1])?;
                let own = returned.first().copied().or_decline("it compares nothing")?;
                let own = inner.same(stablehlo::AND, &[same, own]);
                Ok(inner.same(stablehlo::OR, &[less, own]))
            };
            match is_first() {
                Ok(is_first) => inner.returned(&[is_first]),
                Err(why) => outcome = Err(why),
            }
        });
        outcome.map(|()| region)
    }

    /// The largest along the last dimension, where padding is the smallest there is.
    pub fn top_k(
        &mut self,
        op: Op<'c>,
        builder: &Builder<'c>,
        k: &DimExpr,
    ) -> Outcome<Vec<Padded<'c>>> {
        let mut operand = self.padded(op.operand(0))?;
        let last = operand.dims.len().checked_sub(1).or_decline("it has no dimension")?;
        let element = operand.value.ty().element();
        let taken = self.extent(k.clone())?;
        let count = taken.bound().unwrap_or(0);
        self.fits_into(k, &Self::size(&operand.dims[last])?);
        // Code for a size below `k` runs for no size that the program takes.
        let is_short = operand.dims[last].bound() < Some(count);
        if !operand.dims[last].is_full() || is_short {
            operand = self.compact(builder, &operand)?;
            let least = self.least_element(builder, element)?;
            operand.value = self.masked(builder, &operand, &[last], least)?;
            let mut shape = operand.value.ty().shape().unwrap_or_default();
            shape[last] = shape[last].max(count);
            operand.value = self.resized(builder, operand.value, &shape, Some(least))?;
        }
        let mut dims = operand.dims.clone();
        dims[last] = taken;
        let types =
            [padded_type(&dims, element)?, padded_type(&dims, op.result(1).ty().element())?];
        let new = builder
            .op(strata_ir::chlo::TOP_K)
            .operand(operand.value)
            .attr("k", strata_ir::int(integer(self.context, 64), count))
            .results(&types)
            .build();
        let padded = |value| Padded { value, dims: dims.clone(), zero: false };
        Ok(new.results().into_iter().map(padded).collect())
    }

    /// The first element in the order of a type: of floats a negative NaN.
    fn least_element(
        &self,
        builder: &Builder<'c>,
        element: strata_ir::Type<'c>,
    ) -> Outcome<Value<'c>> {
        let ty = tensor(&[], element);
        if element.is_float_type() {
            let width = element.byte_width().filter(|width| *width > 1);
            let width = width.or_decline("its elements have no known order")?;
            let least = strata_ir::dense_bytes(ty, &vec![0xff; width as usize]);
            let least = least.or_decline("its elements have no known order")?;
            return Ok(new_constant(builder, ty, least));
        }
        let width = element.bit_width().filter(|width| *width <= 64 && element.is_int());
        let width = width.or_decline("its elements have no order")?;
        let least = if element.is_unsigned_int() { 0 } else { i64::MIN >> (64 - width) };
        Ok(self.integers(builder, ty, least))
    }

    /// A matrix with ones on the part of the diagonal that is not valid, zeros around it.
    pub fn square(&self, builder: &Builder<'c>, padded: &Padded<'c>) -> Outcome<Value<'c>> {
        let rank = padded.dims.len();
        let (rows, columns) = (rank - 2, rank - 1);
        (padded.dims[rows] == padded.dims[columns]).or_decline("the matrix is not square")?;
        let Some(valid) = self.valid(builder, &padded.dims, &[rows, columns])? else {
            return Ok(padded.value);
        };
        let shape = padded.value.ty().shape().unwrap_or_default();
        let short = integer(self.context, 32);
        let row = builder.iota(&shape, short, rows as i64);
        let column = builder.iota(&shape, short, columns as i64);
        let diagonal = builder.compare(ComparisonDirection::Eq, row, column)?;
        let diagonal = builder.converted(diagonal, padded.value.ty().element());
        Ok(builder.selected(valid, padded.value, diagonal))
    }

    pub fn cholesky(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Padded<'c>> {
        let operand = self.compact(builder, &self.padded(op.operand(0))?)?;
        (operand.dims.len() >= 2).or_decline("it has no matrix")?;
        let value = self.square(builder, &operand)?;
        let new = self.rebuilt(builder, op, &[value], &[value.ty()], &[]);
        Ok(Padded { value: new.result(0), dims: operand.dims, zero: false })
    }

    pub fn triangular_solve(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Padded<'c>> {
        let matrix = self.compact(builder, &self.padded(op.operand(0))?)?;
        let sides = self.compact(builder, &self.padded(op.operand(1))?)?;
        let rank = matrix.dims.len();
        (rank >= 2 && sides.dims.len() == rank).or_decline("it has no matrix")?;
        let left = op.attr("left_side").and_then(|left| left.as_bool()).unwrap_or(false);
        let solved = if left { rank - 2 } else { rank - 1 };
        let fits = sides.dims[solved] == matrix.dims[rank - 1]
            && sides.dims[..rank - 2] == matrix.dims[..rank - 2];
        fits.or_decline("sizes of operands are not known to be equal")?;
        let a = self.square(builder, &matrix)?;
        let b = self.clean(builder, &sides, &[solved])?;
        let new = self.rebuilt(builder, op, &[a, b], &[b.ty()], &[]);
        Ok(Padded { value: new.result(0), dims: sides.dims, zero: false })
    }
}
