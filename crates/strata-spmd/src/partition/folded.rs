//! Reductions that take one of two tuples of elements, such as the largest with its index: each device finds that of its part, devices
//! gather these, in the order of their parts, and each takes one of them.
//!
//! ```text
//! argmax of 8x5 along the 8, in 2 parts   → of 4x5: values and indices of 5; all_gather to 2x5 each; of these, along the 2
//! ```

use strata_ir::{Builder, Op, TypeExt as _, Value, i64s, stablehlo, tensor};

use super::{Held, Outcome, Partition, held_results};
use crate::grid::{Layout, shape_of};

impl<'c> Partition<'c, '_> {
    /// What devices found in their parts along pieces, `found`, combined; the results have these layouts.
    pub(super) fn folded(
        &mut self,
        builder: &Builder<'c>,
        op: Op<'c>,
        (found, initial): (&[Value<'c>], &[Value<'c>]),
        pieces: &[usize],
        layouts: Vec<Layout>,
    ) -> Outcome<Vec<Held<'c>>> {
        let gathered: Vec<_> = found
            .iter()
            .map(|value| {
                let shape = [&[1], &shape_of(*value)[..]].concat();
                let ty = tensor(&shape, value.ty().element());
                let one = builder.op(stablehlo::RESHAPE).operand(*value).result(ty).value();
                self.gathered(builder, one, 0, pieces)
            })
            .collect();
        let operands = [&gathered[..], initial].concat();
        let copy = self.copy(builder, op, &operands, &layouts, &[])?;
        copy.set_attr("dimensions", i64s(self.context, &[0]));
        Ok(held_results(op, copy, layouts))
    }
}
