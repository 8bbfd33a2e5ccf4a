//! What is the same along a dimension is computed once, where that saves more than a read of it takes.
//!
//! ```text
//! %b = broadcast_in_dim(%x), dims = [1] : [512] to [256, 512]
//! %y = multiply(%a, tanh(exponential(%b)))
//! ```
//! becomes
//! ```text
//! %t = broadcast_in_dim(tanh(exponential(%x))), dims = [1] : [512] to [256, 512]
//! %y = multiply(%a, %t)
//! ```
//! The same operations on the same numbers, so that no bit changes. One dimension at a time, the longest first; a value that is the same along
//! another one, too, is found again among the new operations.

use std::collections::HashSet;

use strata_ir::{Builder, Context, Op, OpKind, TypeExt as _, Value};
use strata_target::tuning::simplification::{MIN_REPEATED_ELEMENTS, MIN_REPEATED_WORK};

use crate::{
    emit::Emit as _,
    pattern::{is_pointwise, is_whole},
    simplification::repeated::{Repeated, along, without},
};

/// Computes values under `root` once that are the same along a dimension; returns whether there were any.
pub fn compute_once<'c>(context: &'c Context, root: Op<'c>) -> bool {
    let is_large = |op: Op<'c>| {
        let ty = op.result(0).ty();
        ty.has_static_shape() && ty.element_count() >= Some(MIN_REPEATED_ELEMENTS)
    };
    let all = root.collect(|op| is_pointwise(op.kind()) && is_large(op) && is_whole(op).is_ok());
    let mut repeated = Repeated::default();
    // In the order of the program, so that each has little to look at.
    for op in &all {
        if let Some(dim) = repeated.dim(*op) {
            repeated.narrowed(context, op.result(0), dim);
        }
    }
    let mut changed = false;
    for op in all {
        let value = op.result(0);
        let shape = value.ty().shape().unwrap_or_default();
        // What others are computed from takes nothing more, however little it is.
        let once = (0..shape.len()).find_map(|dim| Some((dim, repeated.made(value, dim)?)));
        let Some((dim, once)) = once else { continue };
        let is_computed_once =
            |user: Op<'c>| user.result_count() == 1 && repeated.made(user.result(0), dim).is_some();
        if value.uses().into_iter().all(|(user, _)| is_computed_once(user)) {
            continue;
        }
        let dims: Vec<_> = (0..shape.len() as i64).collect();
        let at = Builder::before(context, op);
        let whole = at.broadcast_in_dim(once, &shape, &without(&dims, dim));
        value.replace_all_uses_with(whole);
        // The original operations are dead, and erased by the next simplification.
        changed = true;
    }
    changed
}

impl<'c> Repeated<'c> {
    /// The longest dimension along which a value is the same, if computing it once pays.
    fn dim(&mut self, op: Op<'c>) -> Option<usize> {
        let shape = op.result(0).ty().shape()?;
        let mut dims: Vec<_> = (0..shape.len()).filter(|dim| shape[*dim] > 1).collect();
        dims.sort_by_key(|dim| -shape[*dim]);
        dims.into_iter().find(|dim| {
            let saved = |work: i64| work - work / shape[*dim];
            self.looks_again();
            self.is_same(op.result(0), *dim)
                && saved(work(op, *dim, &mut HashSet::new())) >= MIN_REPEATED_WORK
        })
    }
}

/// What a value that is the same along a dimension takes for each element, in vector instructions.
fn work<'c>(op: Op<'c>, dim: usize, seen: &mut HashSet<(Value<'c>, usize)>) -> i64 {
    if !seen.insert((op.result(0), dim))
        || seen.len() > MIN_REPEATED_WORK.unsigned_abs() as usize * 4
    {
        return 0;
    }
    let own = match op.kind() {
        OpKind::Divide | OpKind::Rsqrt | OpKind::Sqrt => 4,
        OpKind::Atan2
        | OpKind::Cbrt
        | OpKind::Cosine
        | OpKind::Exponential
        | OpKind::ExponentialMinusOne
        | OpKind::Log
        | OpKind::LogPlusOne
        | OpKind::Logistic
        | OpKind::Power
        | OpKind::Sine
        | OpKind::Tan
        | OpKind::Tanh => 16,
        kind if is_pointwise(kind) => {
            if op.dialect() == "chlo" {
                16
            } else {
                1
            }
        }
        _ => 0,
    };
    let operands = op.operands().into_iter().zip(along(op, dim).unwrap_or_default());
    let owners = operands.filter_map(|(operand, dim)| Some((operand.owner()?, dim?)));
    own + owners.map(|(owner, dim)| work(owner, dim, seen)).sum::<i64>()
}

#[cfg(test)]
mod tests {
    use crate::tests::simplified;

    /// `steps` make `%r` of a row and a column that are broadcast.
    fn of(steps: &str) -> String {
        let body = format!(
            "%p = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<64xf32>) -> tensor<48x64xf32>
            %q = stablehlo.broadcast_in_dim %y, dims = [0] : (tensor<48xf32>) -> tensor<48x64xf32>
            %one = stablehlo.constant dense<1.0> : tensor<48x64xf32>
            {steps}
            %0 = stablehlo.multiply %a, %r : tensor<48x64xf32>
            return %0 : tensor<48x64xf32>"
        );
        simplified(
            "(%a: tensor<48x64xf32>, %x: tensor<64xf32>, %y: tensor<48xf32>) -> tensor<48x64xf32>",
            &body,
        )
    }

    #[test]
    fn functions_of_rows_and_columns_are_computed_once() {
        let printed = of("%b = stablehlo.add %p, %one : tensor<48x64xf32>
            %c = stablehlo.exponential %b : tensor<48x64xf32>
            %r = stablehlo.tanh %c : tensor<48x64xf32>");
        assert!(printed.contains("stablehlo.tanh %1 : tensor<64xf32>"), "{printed}");
        let printed = of("%r = stablehlo.exponential %q : tensor<48x64xf32>");
        assert!(printed.contains("stablehlo.exponential %arg2 : tensor<48xf32>"), "{printed}");
        let printed = of("%s = stablehlo.exponential %q : tensor<48x64xf32>
            %t = stablehlo.exponential %p : tensor<48x64xf32>
            %r = stablehlo.add %s, %t : tensor<48x64xf32>");
        assert!(printed.contains("stablehlo.exponential %arg1 : tensor<64xf32>"), "{printed}");
        assert!(printed.contains("stablehlo.exponential %arg2 : tensor<48xf32>"), "{printed}");
        assert!(printed.contains("stablehlo.add %1, %3 : tensor<48x64xf32>"), "{printed}");
    }

    #[test]
    fn what_differs_or_takes_little_stays() {
        let printed = of("%s = stablehlo.add %p, %q : tensor<48x64xf32>
            %r = stablehlo.exponential %s : tensor<48x64xf32>");
        assert!(printed.contains("stablehlo.exponential %2 : tensor<48x64xf32>"), "{printed}");
        let printed = of("%r = stablehlo.add %p, %one : tensor<48x64xf32>");
        assert!(printed.contains("stablehlo.add %0, %cst : tensor<48x64xf32>"), "{printed}");
    }
}
