//! Expands `chlo.ragged_dot` to a loop over the groups, with a masked dot for each.
//!
//! ```text
//! ragged dimension free (lhs rows in groups, a part of rhs per group):
//!   for g: if size[g] > 0 { acc = select(start <= row < start + size[g], dot(lhs, rhs[g]), acc) }
//! ragged dimension contracted (a result per group):
//!   for g: if size[g] > 0 { acc[g] = dot(lhs where inside, rhs where inside) }
//! ragged dimension batched:
//!   dot(lhs, rhs)
//! ```
//!
//! Empty groups are skipped. Rows outside of all groups are zero.

use strata_ir::{
    Attribute, AttributeExt as _, Builder, ComparisonDirection, DotDimensionNumbers, Op, OpKind,
    RaggedDotDimensionNumbers, Type, TypeExt as _, Value, array, integer, stablehlo,
    stablehlo_equal, tensor,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::{
    emit::{Emit as _, counted},
    pattern::patterns,
};

patterns! {
    /// One masked dot product per group.
    ExpandRaggedDot = "expand-ragged-dot" on [ChloRaggedDot] by expand;
}

/// A ragged dot.
struct Ragged<'c> {
    lhs: Value<'c>,
    rhs: Value<'c>,
    /// Group sizes as `i64`: `[…, groups]`.
    sizes: Value<'c>,
    groups: i64,
    dims: DotDimensionNumbers,
    precision: Option<Attribute<'c>>,
    ty: Type<'c>,
}

impl<'c> Ragged<'c> {
    fn dot(
        &self,
        builder: &Builder<'c>,
        lhs: Value<'c>,
        rhs: Value<'c>,
        dims: &DotDimensionNumbers,
        ty: Type<'c>,
    ) -> Outcome<Value<'c>> {
        let dims = dims.to_attribute(builder.context).or_decline("the dialect lacks `dot`")?;
        let dot = builder.op(stablehlo::DOT_GENERAL).operands(&[lhs, rhs]);
        let dot = dot.attr("dot_dimension_numbers", dims).result(ty);
        let dot = match self.precision {
            Some(precision) => dot.attr("precision_config", precision),
            None => dot,
        };
        Ok(dot.value())
    }

    /// A mask of the group along dimension `dim` of `shape`; `prefix` are the dimensions of `shape` that
    /// the bounds depend on.
    fn inside(
        &self,
        builder: &Builder<'c>,
        shape: &[i64],
        dim: i64,
        prefix: &[i64],
        [start, end]: [Value<'c>; 2],
    ) -> Outcome<Value<'c>> {
        let place = builder.iota(shape, integer(builder.context, 64), dim);
        let dims = if start.ty().rank() == Some(0) { &[] } else { prefix };
        let [start, end] = [start, end].map(|bound| builder.broadcast_in_dim(bound, shape, dims));
        let after = builder.compare(ComparisonDirection::Ge, place, start)?;
        let before = builder.compare(ComparisonDirection::Lt, place, end)?;
        Ok(builder.same(stablehlo::AND, &[after, before]))
    }

    /// The sum over the groups: `body` gets the group's number, its bounds and the result so far, and
    /// runs for nonempty groups.
    fn over_groups(
        &self,
        builder: &Builder<'c>,
        body: impl FnOnce(&Builder<'c>, Value<'c>, [Value<'c>; 2], Value<'c>) -> Outcome<Value<'c>>,
    ) -> Outcome<Value<'c>> {
        let mut shape = self.sizes.ty().shape().or_decline("the shape is not static")?;
        shape.pop();
        let i64_type = integer(builder.context, 64);
        let initial = [builder.zeros(self.ty)?, builder.zeros(tensor(&shape, i64_type))?];
        let ends = counted(builder, self.groups, &initial, |inner, group, carried| {
            let (result, start) = (carried[0], carried[1]);
            let size = inner.taken(self.sizes, shape.len(), group)?;
            let end = inner.same(stablehlo::ADD, &[start, size]);
            let total = total(inner, size)?;
            let zero = inner.counter(0);
            let has_rows = inner.compare(ComparisonDirection::Gt, total, zero)?;
            let mut outcome = Ok(());
            let then =
                inner.region(&[], |branch, _| match body(branch, group, [start, end], result) {
                    Ok(value) => branch.returned(&[value]),
                    Err(declined) => outcome = Err(declined),
                });
            outcome?;
            let otherwise = inner.region(&[], |branch, _| branch.returned(&[result]));
            let next = inner.op(stablehlo::IF).operand(has_rows).result(self.ty);
            let next = next.region(then).region(otherwise).value();
            Ok(vec![next, end])
        })?;
        Ok(ends[0])
    }
}

/// The sum of all elements.
fn total<'c>(builder: &Builder<'c>, values: Value<'c>) -> Outcome<Value<'c>> {
    let rank = values.ty().rank().unwrap_or(0) as i64;
    if rank == 0 {
        return Ok(values);
    }
    let zero = builder.counter(0);
    let scalar = zero.ty();
    let body = builder.region(&[scalar, scalar], |inner, args| {
        inner.returned(&[inner.same(stablehlo::ADD, args)]);
    });
    let dims: Vec<_> = (0..rank).collect();
    Ok(builder
        .op(stablehlo::REDUCE)
        .operands(&[values, zero])
        .attr("dimensions", strata_ir::i64s(builder.context, &dims))
        .result(scalar)
        .region(body)
        .value())
}

/// Converts CHLO's precisions to StableHLO's: only the dialect's name differs.
fn precision<'c>(op: Op<'c>, rewriter: &Rewriter<'c>) -> Outcome<Option<Attribute<'c>>> {
    let Some(list) = op.attr("precision_config").and_then(|list| list.as_array()) else {
        return Ok(None);
    };
    let list: Option<Vec<_>> =
        list.into_iter().map(|one| stablehlo_equal(rewriter.context(), one)).collect();
    let list = list.or_decline("a precision has no equal")?;
    Ok((!list.is_empty()).then(|| array(rewriter.context(), &list)))
}

fn expand<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    debug_assert!(op.kind() == OpKind::ChloRaggedDot);
    let numbers = op.attr("ragged_dot_dimension_numbers");
    let numbers = numbers.and_then(RaggedDotDimensionNumbers::from_attribute);
    let RaggedDotDimensionNumbers { dims, ragged, group } =
        numbers.or_decline("it has no dimensions")?;
    let ragged = *ragged.first().or_decline("it has no ragged dimension")?;
    let values = [op.operands(), op.results()].concat();
    let is_static = values.iter().all(|value| value.ty().has_static_shape());
    is_static.or_decline("a shape is known only at run time")?;
    let sizes = op.operand(2);
    let groups = sizes.ty().shape().and_then(|shape| shape.last().copied());
    let builder = rewriter.builder();
    let it = Ragged {
        lhs: op.operand(0),
        rhs: op.operand(1),
        sizes: builder.converted(sizes, integer(rewriter.context(), 64)),
        groups: groups.or_decline("the group sizes have no dimension")?,
        dims,
        precision: precision(op, rewriter)?,
        ty: op.result(0).ty(),
    };
    let value = if it.dims.lhs_batching_dimensions.contains(&ragged) {
        it.dot(&builder, it.lhs, it.rhs, &it.dims, it.ty)?
    } else if it.dims.lhs_contracting_dimensions.contains(&ragged) {
        contracted(&it, &builder, ragged)?
    } else {
        free(&it, &builder, ragged, *group.first().or_decline("it has no group dimension")?)?
    };
    rewriter.replace(&[value]);
    Ok(())
}

/// The groups partition a free dimension of lhs; each is multiplied by its own part of rhs.
fn free<'c>(it: &Ragged<'c>, builder: &Builder<'c>, ragged: i64, group: i64) -> Outcome<Value<'c>> {
    let without = |dims: &[i64]| dims.iter().map(|dim| dim - i64::from(*dim > group)).collect();
    let dims = DotDimensionNumbers {
        rhs_batching_dimensions: without(&it.dims.rhs_batching_dimensions),
        rhs_contracting_dimensions: without(&it.dims.rhs_contracting_dimensions),
        ..it.dims.clone()
    };
    let shape = it.ty.shape().or_decline("the shape is not static")?;
    let batches = dims.lhs_batching_dimensions.len() as i64;
    let is_bound = |dim: &i64| {
        dims.lhs_batching_dimensions.contains(dim) || dims.lhs_contracting_dimensions.contains(dim)
    };
    // In the result, the free dimensions of lhs come after the batch.
    let place = batches + (0..ragged).filter(|dim| !is_bound(dim)).count() as i64;
    let prefix: Vec<_> = (0..place).collect();
    it.over_groups(builder, |inner, number, bounds, result| {
        let part = inner.taken(it.rhs, group as usize, number)?;
        let product = it.dot(inner, it.lhs, part, &dims, it.ty)?;
        let inside = it.inside(inner, &shape, place, &prefix, bounds)?;
        Ok(inner.selected(inside, product, result))
    })
}

/// The groups partition a contracting dimension; each has its own result.
fn contracted<'c>(it: &Ragged<'c>, builder: &Builder<'c>, ragged: i64) -> Outcome<Value<'c>> {
    let at = it.dims.lhs_contracting_dimensions.iter().position(|dim| *dim == ragged);
    let at = at.or_decline("the ragged dimension is not contracted")?;
    let mut shape = it.ty.shape().or_decline("the shape is not static")?;
    shape.remove(0);
    let ty = tensor(&shape, it.ty.element());
    it.over_groups(builder, |inner, number, bounds, result| {
        let masked = |value: Value<'c>, batching: &[i64], contracting: &[i64]| {
            let shape = value.ty().shape().or_decline("the shape is not static")?;
            let prefix = [batching, &contracting[..at]].concat();
            let inside = it.inside(inner, &shape, contracting[at], &prefix, bounds)?;
            Outcome::Ok(inner.selected(inside, value, inner.zeros(value.ty())?))
        };
        let dims = &it.dims;
        let lhs = masked(it.lhs, &dims.lhs_batching_dimensions, &dims.lhs_contracting_dimensions)?;
        let rhs = masked(it.rhs, &dims.rhs_batching_dimensions, &dims.rhs_contracting_dimensions)?;
        let product = it.dot(inner, lhs, rhs, dims, ty)?;
        inner.put(result, product, 0, number)
    })
}
