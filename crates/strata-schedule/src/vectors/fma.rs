//! Fuses multiply-adds of reductions.
//!
//! The semantics allow contractions to round once per step, and in stage 30 reductions can still be
//! distinguished from other arithmetic:
//!
//! ```text
//! %p = arith.mulf %a, %b ; %s = arith.addf %sum, %p
//! ```
//! becomes
//! ```text
//! %s = math.fma %a, %b, %sum
//! ```

use strata_ir::{Builder, Context, TypeExt as _, arith, math};

use crate::structured::Structured;

/// Rewrites the additions of products to an output of the nest.
pub fn fuse_multiply_add<'c>(context: &'c Context, nest: &Structured<'c>) {
    let body = nest.op.body(0);
    let sums: Vec<_> = body.args().into_iter().skip(nest.inputs).collect();
    for add in body.ops() {
        if !add.is(arith::ADDF) || !matches!(add.result(0).ty().bit_width(), Some(32 | 64)) {
            continue;
        }
        let Some(side) = (0..2).find(|side| sums.contains(&add.operand(*side))) else { continue };
        let product = add.operand(1 - side).owner();
        let Some(product) = product.filter(|op| op.is(arith::MULF)) else { continue };
        let fused = Builder::before(context, add)
            .op(math::FMA)
            .operands(&[product.operand(0), product.operand(1), add.operand(side)])
            .result(add.result(0).ty())
            .value();
        add.result(0).replace_all_uses_with(fused);
        add.erase();
        if product.is_unused() {
            product.erase();
        }
    }
}
