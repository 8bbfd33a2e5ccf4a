//! Operations of XLA's own dialect, which exporters leave in StableHLO programs.
//!
//! ```text
//! %1 = mhlo.copy %0 : tensor<2xf32>    =>  %0
//! %1 = mhlo.erf %0 : tensor<2xf32>     =>  %1 = chlo.erf %0 : tensor<2xf32> -> tensor<2xf32>
//! ```

use strata_ir::{Builder, Context, Module, chlo, mhlo, module_op};

/// Removes the dialect from a program.
pub(crate) fn take_out(context: &Context, module: &Module<'_>) {
    for op in module_op(module).collect(|op| op.dialect() == "mhlo") {
        let operand = op.operand(0);
        let value = match op.name() {
            mhlo::COPY => operand,
            mhlo::ERF => {
                let builder = Builder::before(context, op).op(chlo::ERF).operand(operand);
                builder.result(op.result(0).ty()).value()
            }
            _ => continue,
        };
        op.result(0).replace_all_uses_with(value);
        op.erase();
    }
}
