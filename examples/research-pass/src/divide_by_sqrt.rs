//! A pattern over StableHLO:
//!
//! ```mlir
//! %r = stablehlo.sqrt %y
//! %q = stablehlo.divide %x, %r
//! ```
//! becomes
//! ```mlir
//! %i = stablehlo.rsqrt %y
//! %q = stablehlo.multiply %x, %i
//! ```
//!
//! One rounding more, and no division: the compiler itself does not do this.

use strata::Options;
use strata_diag::Diagnostic;
use strata_ir::{Context, Module, Op, OpKind, module_op, stablehlo};
use strata_rewrite::{Guard as _, Outcome, Pattern, Rewriter, apply_greedily};

/// What `--after hlo=…` calls the pass.
pub const NAME: &str = "divide-by-sqrt";

/// Applies the pattern until nothing changes.
pub fn run<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    _options: &Options,
) -> Result<(), Diagnostic> {
    apply_greedily(context, module_op(module), &[&DivideBySqrt]).map(|_| ())
}

/// The pattern.
pub struct DivideBySqrt;

impl Pattern for DivideBySqrt {
    fn name(&self) -> &'static str {
        NAME
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::Divide]
    }

    fn rewrite<'c>(&self, op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
        let root = op.operand(1).owner().filter(|owner| owner.kind() == OpKind::Sqrt);
        let root = root.or_decline("the divisor is not a square root")?;
        let builder = rewriter.builder();
        let ty = op.result(0).ty();
        let inverse = builder.op(stablehlo::RSQRT).operand(root.operand(0)).result(ty).value();
        let product =
            builder.op(stablehlo::MULTIPLY).operands(&[op.operand(0), inverse]).result(ty).value();
        rewriter.replace(&[product]);
        Ok(())
    }
}
