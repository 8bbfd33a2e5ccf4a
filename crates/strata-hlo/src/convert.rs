//! Conversions that convert nothing.
//!
//! ```text
//! %1 = stablehlo.convert %0 : tensor<3xf32>   =>   %0
//! ```

use strata_ir::{Op, OpKind};
use strata_rewrite::{Guard as _, Outcome, Pattern, Rewriter};

/// See the module.
pub(crate) struct DropIdentityConvert;

impl Pattern for DropIdentityConvert {
    fn name(&self) -> &'static str {
        "drop-identity-convert"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::Convert]
    }

    fn rewrite<'c>(&self, op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
        let operand = op.operand(0);
        (operand.ty() == op.result(0).ty()).or_decline("the types differ")?;
        rewriter.replace(&[operand]);
        Ok(())
    }
}
