//! Nests that start from a tensor of one number, and read each of its elements once, take the number, in programs for sizes up to bounds.
//!
//! ```mlir
//! %zeros = linalg.fill ins(%zero) outs(%e)
//! %s = linalg.generic {iterator_types = ["parallel", "reduction"]} ins(%x) outs(%zeros) { %n = arith.addf %out, %in … }
//! ```
//! becomes, where the reduction has one iteration,
//! ```mlir
//! %s = linalg.generic {iterator_types = ["parallel", "reduction"]} ins(%x) outs(%e) { %n = arith.addf %zero, %in … }
//! ```
//! An output that is not read is written where the caller has it.

use strata_ir::{Block, linalg};

use crate::structured::Structured;

/// Gives the nests of a block their numbers.
pub fn take_numbers(block: Block<'_>) {
    for op in block.ops() {
        let Some(nest) = Structured::of_generic(op) else { continue };
        let mut loops = nest.reduction.iter().zip(&nest.extents);
        if loops.any(|(reduces, extent)| *reduces && *extent != 1) {
            continue;
        }
        for at in nest.inputs..op.operand_count() {
            let Some(fill) = op.operand(at).owner().filter(|owner| owner.is(linalg::FILL)) else {
                continue;
            };
            let (number, started) = (fill.operand(0), op.body(0).arg(at));
            if started.has_uses() && number.ty() == started.ty() {
                started.replace_all_uses_with(number);
                op.set_operand(at, fill.operand(1));
            }
        }
    }
}
