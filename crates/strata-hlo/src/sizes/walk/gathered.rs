//! Sizes that are taken from a list at given places, as exporters write the largest index along some of the dimensions of a shape.

use strata_ir::{AttributeExt as _, GatherDimensionNumbers, Op, Type, TypeExt as _};
use strata_shapes::DimExpr;

use super::{Known, Walk};

impl Walk<'_> {
    /// The elements of a list at known places, each of its own: `gather([n, 9], [1])` is 9 whatever `n` is.
    pub(super) fn gathered(&self, op: Op<'_>) -> Option<Known> {
        let numbers = op.attr("dimension_numbers");
        let numbers = numbers.and_then(GatherDimensionNumbers::from_attribute)?;
        let is_one = |ty: Type<'_>| ty.rank() == Some(1);
        (is_one(op.operand(0).ty()) && numbers.start_index_map == [0]).then_some(())?;
        let [list, places] = [0, 1].map(|at| self.sizes(op.operand(at)));
        let (list, places) = (list?, places?);
        // Slices of one element each: as many elements as places, in their order.
        let count = op.result(0).ty().element_count()?;
        let sizes = op.attr("slice_sizes")?.as_i64s()?;
        (sizes == [1] && count == places.len() as u64).then_some(())?;
        let last = list.len().checked_sub(1)?;
        let at = |place: &Option<DimExpr>| {
            // Places outside are moved inside.
            let place = place.as_ref()?.as_constant()?.max(0);
            list[usize::try_from(place).unwrap_or(last).min(last)].clone()
        };
        Some(Known::Sizes(places.iter().map(at).collect()))
    }
}
