//! Values that are made without operands.

use strata_ir::{
    AttributeExt as _, Builder, Op, SHARDING, Type, TypeExt as _, int, integer, stablehlo,
};

use super::{Held, Partition};
use crate::grid::{Layout, shape_of};

impl<'c> Partition<'c, '_> {
    /// A constant: whole, or a part where its elements are equal.
    pub(super) fn constant(
        &mut self,
        builder: &Builder<'c>,
        op: Op<'c>,
        wanted: Option<&Layout>,
    ) -> Held<'c> {
        let ty = op.result(0).ty();
        let shape = shape_of(op.result(0));
        let value = op.attr("value");
        if let (Some(layout), Some(splat)) = (wanted, value.and_then(|value| value.splat_value())) {
            let value = self.emit(builder).splat(self.part_type(ty, layout), splat);
            return Held { value, layout: layout.clone(), shape };
        }
        let copy = op.clone_detached();
        copy.remove_attr(SHARDING);
        let value = builder.insert(copy).result(0);
        Held { value, layout: Layout::whole(shape.len()), shape }
    }

    /// The part of numbers that count along a dimension.
    pub(super) fn iota(
        &mut self,
        builder: &Builder<'c>,
        op: Op<'c>,
        wanted: Option<&Layout>,
    ) -> Held<'c> {
        let (ty, shape) = (op.result(0).ty(), shape_of(op.result(0)));
        let along = op.attr("iota_dimension").and_then(|dim| dim.as_i64()).unwrap_or(0);
        let layout = wanted.cloned().unwrap_or_else(|| Layout::whole(shape.len()));
        let pieces = layout.0.get(along as usize).cloned().unwrap_or_default();
        let part = self.part_type(ty, &layout);
        let emit = self.emit(builder);
        let word = integer(self.context, 64);
        let counted = |ty: Type<'c>| {
            builder.op(stablehlo::IOTA).attr("iota_dimension", int(word, along)).result(ty).value()
        };
        let value = if pieces.is_empty() {
            counted(part)
        } else {
            // Numbers are converted once they are those of the whole.
            let index = counted(part.with_element(word));
            let own = part.shape().unwrap_or_default();
            let first = emit.first(&pieces, own[along as usize]);
            let first = emit.spread(first, &own, &[]);
            emit.converted(emit.same(stablehlo::ADD, &[index, first]), part.element())
        };
        Held { value, layout, shape }
    }
}
