//! Custom calls that stand for operations of CHLO: how artifacts hold them, which know no CHLO.
//!
//! ```text
//! custom_call @mhlo.topk(x) {mhlo.attributes = {k = 2 : i64}, mhlo.version = 1 : i64}  =>  chlo.top_k(x, k = 2)
//! custom_call @mhlo.erf(x) {mhlo.attributes = {}, mhlo.version = 1 : i64}              =>  chlo.erf x
//! ```
//!
//! XLA writes them so, with the prefix `mhlo.` or `chlo.`, and JAX guarantees that they keep their meaning.

use strata_ir::{Attribute, AttributeExt as _, Op};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::{custom_call::target, pattern::patterns};

patterns! {
    /// The operation that the call stands for.
    RecomposeCall = "recompose-call" on [CustomCall] by recompose;
}

/// Names of targets without their prefix, what they stand for, and how many operands that has.
const POINTWISE: &[(&str, &str, usize)] = &[
    ("acos", "chlo.acos", 1),
    ("acosh", "chlo.acosh", 1),
    ("asin", "chlo.asin", 1),
    ("asinh", "chlo.asinh", 1),
    ("atanh", "chlo.atanh", 1),
    ("cosh", "chlo.cosh", 1),
    ("erf", "chlo.erf", 1),
    ("erfc", "chlo.erfc", 1),
    ("mulhi", "chlo.mulhi", 2),
    ("sinh", "chlo.sinh", 1),
    ("tan", "chlo.tan", 1),
];

/// The only version of this way to write them.
const VERSION: i64 = 1;

fn recompose<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let target = target(op);
    let name = target.strip_prefix("mhlo.").or_else(|| target.strip_prefix("chlo."));
    let name = name.or_decline("the call stands for no operation of CHLO")?;
    let entries = attributes(op)?;
    let operands = op.operands();
    let builder = rewriter.builder();
    let new = match name {
        "topk" | "top_k" => {
            (operands.len() == 1 && op.result_count() == 2).or_decline("it has other values")?;
            let find = |key| entries.iter().find(|(name, _)| *name == key).map(|entry| entry.1);
            let largest = find("largest").is_none_or(|it| it.as_bool() == Some(true));
            largest.or_decline("it wants the smallest elements")?;
            let k = find("k").or_decline("attribute `k` is missing")?;
            k.as_i64().filter(|k| *k >= 0).or_decline("attribute `k` is no number")?;
            builder.op("chlo.top_k").attr("k", k)
        }
        _ => {
            let row = POINTWISE.iter().find(|(row, ..)| *row == name);
            let (_, full, arity) = row.or_decline("no operation of CHLO has the name")?;
            (operands.len() == *arity && op.result_count() == 1)
                .or_decline("it has other values")?;
            let mut types = operands.iter().map(|value| value.ty());
            types.all(|ty| ty == op.result(0).ty()).or_decline("the types differ")?;
            builder.op(full)
        }
    };
    let new = new.operands(&operands).results(&op.result_types()).build();
    rewriter.replace(&new.results());
    Ok(())
}

/// The operation's own attributes.
fn attributes<'c>(op: Op<'c>) -> Outcome<Vec<(&'c str, Attribute<'c>)>> {
    let version = op.attr("mhlo.version").and_then(|version| version.as_i64());
    version.is_none_or(|version| version == VERSION).or_decline("it is of another version")?;
    let Some(entries) = op.attr("mhlo.attributes") else { return Ok(Vec::new()) };
    entries.as_dictionary().or_decline("`mhlo.attributes` is no dictionary")
}
