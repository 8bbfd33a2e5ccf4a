//! Dimensions of size 1 of nests with a named operation, such as a convolution of one image.
//!
//! Named operations keep the dimensions of size 1 that others lose, so that an elementwise operation after one reads a view of its result:
//!
//! ```text
//! %c = linalg.conv_2d_nhwc_hwcf … -> tensor<1x14x14x512xf32>
//! %d = tensor.collapse_shape %c [[0, 1], [2], [3]] : … into tensor<14x14x512xf32>
//! %r = linalg.generic { maximum } ins(%d)
//! ```
//! becomes, where the two are one nest,
//! ```text
//! %r = linalg.generic { maximum } ins(%c)          // and a view of the result for what reads it
//! ```

use strata_ir::{
    AffineExpr, AffineMap, Attribute, AttributeExt as _, Builder, Context, Op, TypeExt as _, Value,
    array, bounded_entry, i64s, linalg, tensor,
};

use super::{
    merge::splat,
    nest::{Nest, is_heavy},
};
use crate::structured::{Structured, is_identity, is_static};

/// The view without dimensions of size 1 through which alone the result of a named operation is read. Programs for sizes up to bounds have
/// none.
pub fn view(op: Op<'_>) -> Option<Value<'_>> {
    if !is_heavy(op.name()) || op.result_count() != 1 {
        return None;
    }
    let [(view, 0)] = op.result(0).uses()[..] else { return None };
    let is_one = view.is(tensor::COLLAPSE_SHAPE)
        && bounded_entry(op).is_none()
        && is_static(view.result(0))
        && Units::of(view).is_some();
    is_one.then(|| view.result(0))
}

/// What a view without dimensions of size 1 is of.
struct Units<'c> {
    wide: Vec<i64>,
    /// The shape of the view.
    shape: Vec<i64>,
    /// For each dimension of the view, the one of `wide` that it is.
    kept: Vec<usize>,
    /// That of the view, and of one back.
    reassociation: Attribute<'c>,
}

impl<'c> Units<'c> {
    /// `None` where dimensions of other sizes are one in the view.
    fn of(view: Op<'c>) -> Option<Self> {
        let wide = view.operand(0).ty().shape()?;
        let shape = view.result(0).ty().shape()?;
        let reassociation = view.attr("reassociation")?;
        let mut kept = Vec::new();
        for run in reassociation.as_array()? {
            let run = run.as_array()?.into_iter().map(|dim| usize::try_from(dim.as_i64()?).ok());
            let run = run.collect::<Option<Vec<_>>>()?;
            let mut long = run.iter().filter(|dim| wide.get(**dim) != Some(&1));
            kept.push(*long.next().or(run.last())?);
            if long.next().is_some() {
                return None;
            }
        }
        (!kept.is_empty()).then_some(Self { wide, shape, kept, reassociation })
    }

    /// A view of `value` with the dimensions of size 1, or what it is such a view of.
    fn widened(&self, builder: &Builder<'c>, value: Value<'c>) -> Value<'c> {
        let wide = tensor(&self.wide, value.ty().element());
        match value.owner() {
            Some(op) if op.is(tensor::COLLAPSE_SHAPE) && op.operand(0).ty() == wide => {
                op.operand(0)
            }
            Some(op) if op.is(tensor::EMPTY) => tensor::empty(builder, &[], wide).value(),
            _ => builder
                .op(tensor::EXPAND_SHAPE)
                .operand(value)
                .attr("reassociation", self.reassociation)
                .attr("static_output_shape", i64s(builder.context, &self.wide))
                .result(wide)
                .value(),
        }
    }

    /// Gives an elementwise operation the loops of one iteration; its results are widened.
    fn widen(&self, context: &'c Context, nest: &Structured<'c>) -> Option<()> {
        let op = nest.op;
        let builder = Builder::before(context, op);
        let dims: Vec<_> = self.kept.iter().map(|dim| AffineExpr::dim(*dim)).collect();
        let maps = op.cast::<linalg::Generic>()?.indexing_maps()?;
        let shift = |map: &AffineMap| {
            let results = map.results.iter().map(|result| result.with_dims(&dims));
            Some(AffineMap::new(self.wide.len(), results.collect::<Option<_>>()?))
        };
        let mut maps = maps.iter().map(shift).collect::<Option<Vec<_>>>()?;
        for (at, map) in maps.iter_mut().enumerate() {
            // What is one number stays so.
            let is_number = at < nest.inputs && splat(op.operand(at)).is_some();
            if is_identity(&nest.maps[at], self.kept.len()) && !is_number {
                *map = AffineMap::identity(self.wide.len());
                let value = op.operand(at);
                if value.ty().shape()? != self.wide {
                    op.set_operand(at, self.widened(&builder, value));
                }
            }
        }
        op.set_attr("indexing_maps", AffineMap::list(context, &maps));
        let kinds = vec![linalg::IteratorType::Parallel.to_attribute(context); self.wide.len()];
        op.set_attr("iterator_types", array(context, &kinds));
        for result in op.results() {
            result.set_ty(tensor(&self.wide, result.ty().element()));
        }
        Some(())
    }

    /// Has what reads a value that was widened read a view without the dimensions of size 1.
    fn narrow_reads(&self, context: &'c Context, op: Op<'c>, value: Value<'c>) {
        let mut uses = value.uses();
        uses.retain(|(user, _)| {
            let is_same = user.is(tensor::EXPAND_SHAPE) && user.result(0).ty() == value.ty();
            if is_same {
                user.result(0).replace_all_uses_with(value);
                user.erase();
            }
            !is_same
        });
        let Some(next) = op.next().filter(|_| !uses.is_empty()) else { return };
        let mut builder = Builder::before(context, next);
        builder.location = op.location();
        let narrow = builder
            .op(tensor::COLLAPSE_SHAPE)
            .operand(value)
            .attr("reassociation", self.reassociation)
            .result(tensor(&self.shape, value.ty().element()))
            .value();
        for (user, at) in uses {
            user.set_operand(at, narrow);
        }
    }
}

/// Whether an operation of a nest may get the dimensions of a named one.
pub fn is_fit(nest: &Structured<'_>, extents: &[i64]) -> bool {
    nest.extents == extents && nest.is_elementwise() && nest.is_pure_map()
}

/// Gives the elementwise operations of each nest the dimensions of the named one that they read without those of size 1.
pub fn keep_units<'c>(context: &'c Context, nests: &[Nest<'c>]) {
    for nest in nests {
        let Some((root, others)) = nest.ops.split_last() else { continue };
        for heavy in others {
            let view = view(*heavy).and_then(Value::owner);
            let Some((view, units)) = view.and_then(|op| Some((op, Units::of(op)?))) else {
                continue;
            };
            let generics = nest.ops.iter().filter_map(|op| Structured::of_generic(*op));
            for nest in generics.collect::<Vec<_>>() {
                units.widen(context, &nest);
            }
            for result in root.results() {
                units.narrow_reads(context, *root, result);
            }
            if view.is_unused() {
                view.erase();
            }
        }
    }
}
