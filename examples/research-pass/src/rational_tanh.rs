//! A pass over linalg: `math.tanh` of f32 becomes a quotient of polynomials.
//!
//! ```text
//! tanh(x) ≈ x (135135 + 17325 x² + 378 x⁴ + x⁶) / (135135 + 62370 x² + 3150 x⁴ + 28 x⁶)      |x| ≤ 4.97
//! ```
//!
//! It is the seventh fraction of Lambert's continued fraction; beyond 4.97 the value there is kept. The error is less than
//! 2e-4, where the compiler's own function is within a few units in the last place: an approximation to be tried, such as
//! research on training in low precision asks for.

use strata::Options;
use strata_diag::Diagnostic;
use strata_ir::{Builder, Context, Module, Op, OpName, Type, Value, arith, math, module_op};

/// What `--after linalg=…` calls the pass.
pub const NAME: &str = "rational-tanh";

/// Replaces every `math.tanh` of f32.
pub fn run<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    _options: &Options,
) -> Result<(), Diagnostic> {
    for op in module_op(module).collect(|op| op.is(math::TANH)) {
        if op.result(0).ty().to_string() == "f32" {
            expand(context, op);
        }
    }
    Ok(())
}

fn expand<'c>(context: &'c Context, op: Op<'c>) {
    let emit = Emit { builder: Builder::before(context, op), ty: op.result(0).ty() };
    let most = emit.number(4.97);
    let least = emit.number(-4.97);
    let x = emit.two(arith::MINIMUMF, op.operand(0), most);
    let x = emit.two(arith::MAXIMUMF, x, least);
    let square = emit.two(arith::MULF, x, x);
    let above = emit.polynomial(square, &[1.0, 378.0, 17325.0, 135135.0]);
    let below = emit.polynomial(square, &[28.0, 3150.0, 62370.0, 135135.0]);
    let above = emit.two(arith::MULF, x, above);
    op.result(0).replace_all_uses_with(emit.two(arith::DIVF, above, below));
    op.erase();
}

/// Builds arithmetic on one type.
struct Emit<'c> {
    builder: Builder<'c>,
    ty: Type<'c>,
}

impl<'c> Emit<'c> {
    fn number(&self, value: f64) -> Value<'c> {
        self.builder.float(self.ty, value)
    }

    fn two(&self, name: OpName<'c>, left: Value<'c>, right: Value<'c>) -> Value<'c> {
        self.builder.same(name, &[left, right])
    }

    /// By Horner's rule, the highest power first.
    fn polynomial(&self, x: Value<'c>, coefficients: &[f64]) -> Value<'c> {
        let mut numbers = coefficients.iter().map(|value| self.number(*value));
        let first = numbers.next().expect("a coefficient");
        numbers.fold(first, |sum, next| {
            let product = self.two(arith::MULF, sum, x);
            self.two(arith::ADDF, product, next)
        })
    }
}
