//! Custom calls that stand for CHLO operations, as in artifacts, which cannot contain CHLO.
//!
//! ```text
//! custom_call @mhlo.topk(x) {mhlo.attributes = {k = 2 : i64}, mhlo.version = 1 : i64}  =>  chlo.top_k(x, k = 2)
//! custom_call @mhlo.erf(x) {mhlo.attributes = {}, mhlo.version = 1 : i64}              =>  chlo.erf x
//! ```
//!
//! XLA writes them this way, with the prefix `mhlo.` or `chlo.`, and JAX guarantees that they are stable. Artifacts are
//! written the same way: [`express`] replaces all CHLO that StableHLO or such a call can express.

use strata_diag::Diagnostic;
use strata_ir::{
    Attribute, AttributeExt as _, Builder, Context, Module, Op, OpName, TypeExt as _, Value, chlo,
    dictionary, int, integer, module_op, stablehlo, string, tensor,
};
use strata_rewrite::{Guard as _, Outcome, Pattern, Rewriter, apply_greedily};

use crate::{
    expansion::{ragged_dot, scan, special, zeta},
    interop::custom_call::target,
    pattern::patterns,
};

patterns! {
    /// The operation that the call stands for.
    RecomposeCall = "recompose-call" on [CustomCall] by recompose;
    /// The angle of a point whose other coordinate is one.
    ExpandAtan = "expand-atan" on [ChloAtan] by expand_atan;
    /// The imaginary part negated.
    ExpandConj = "expand-conj" on [ChloConj] by expand_conj;
}

/// The patterns that expand CHLO to StableHLO.
const EXPANSIONS: &[&dyn Pattern] = &[
    &crate::expansion::chlo::ExpandBroadcast,
    &crate::expansion::chlo::ExpandBroadcastSelect,
    &crate::expansion::chlo::ExpandConstant,
    &crate::expansion::chlo::ExpandConstantLike,
    &crate::expansion::chlo::ExpandIsInf,
    &crate::expansion::chlo::ExpandSquare,
    &ExpandAtan,
    &ExpandConj,
    &ragged_dot::ExpandRaggedDot,
    &scan::ExpandScan,
    &special::ExpandBesselI1e,
    &special::ExpandDigamma,
    &special::ExpandComplex,
    &special::ExpandErfInv,
    &special::ExpandErfc,
    &special::ExpandLgamma,
    &special::ExpandNextAfter,
    &zeta::ExpandPolygamma,
    &zeta::ExpandZeta,
];

/// Targets without their prefix, the operation, and its number of operands.
const POINTWISE: &[(&str, OpName<'_>, usize)] = &[
    ("acos", chlo::ACOS, 1),
    ("acosh", chlo::ACOSH, 1),
    ("asin", chlo::ASIN, 1),
    ("asinh", chlo::ASINH, 1),
    ("atanh", chlo::ATANH, 1),
    ("cosh", chlo::COSH, 1),
    ("erf", chlo::ERF, 1),
    ("erfc", chlo::ERFC, 1),
    ("mulhi", chlo::MULHI, 2),
    ("sinh", chlo::SINH, 1),
    ("tan", chlo::TAN, 1),
];

/// The only version of this encoding.
const VERSION: i64 = 1;

fn recompose<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let target = target(op);
    let name = target.strip_prefix("mhlo.").or_else(|| target.strip_prefix("chlo."));
    let name = name.or_decline("the call does not stand for a CHLO operation")?;
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
            k.as_i64().filter(|k| *k >= 0).or_decline("attribute `k` is not a number")?;
            builder.op(chlo::TOP_K).attr("k", k)
        }
        _ => {
            let row = POINTWISE.iter().find(|(row, ..)| *row == name);
            let (_, full, arity) = row.or_decline("there is no CHLO operation of that name")?;
            (operands.len() == *arity && op.result_count() == 1)
                .or_decline("it has other values")?;
            let mut types = operands.iter().map(|value| value.ty());
            types.all(|ty| ty == op.result(0).ty()).or_decline("the types differ")?;
            builder.op(*full)
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
    entries.as_dictionary().or_decline("`mhlo.attributes` is not a dictionary")
}

/// Replaces CHLO by StableHLO or the custom calls above, for consumers of plain StableHLO. Operations without such a form
/// are left.
///
/// # Errors
/// If the rewriting fails, which is our bug.
pub fn express(context: &Context, module: &Module<'_>) -> Result<(), Diagnostic> {
    let root = module_op(module);
    if root.collect(|op| op.dialect() == "chlo").is_empty() {
        return Ok(());
    }
    apply_greedily(context, root, EXPANSIONS)?;
    for op in root.collect(|op| op.dialect() == "chlo") {
        as_call(context, op);
    }
    Ok(())
}

/// Replaces `op` by its custom call, if there is one.
fn as_call<'c>(context: &'c Context, op: Op<'c>) {
    let is_pointwise = POINTWISE.iter().any(|(_, name, _)| *name == op.name());
    let (target, attributes) = match op.name() {
        chlo::TOP_K => ("mhlo.topk".to_owned(), op.attr("k").map(|k| vec![("k", k)])),
        name if is_pointwise => (format!("mhlo.{}", name.mnemonic()), Some(Vec::new())),
        _ => return,
    };
    let attributes = attributes.and_then(|attributes| dictionary(context, &attributes));
    let Some(attributes) = attributes else { return };
    let call = Builder::before(context, op)
        .op(stablehlo::CUSTOM_CALL)
        .operands(&op.operands())
        .attr("call_target_name", string(context, &target))
        .attr("mhlo.attributes", attributes)
        .attr("mhlo.version", int(integer(context, 64), VERSION))
        .results(&op.result_types())
        .build();
    for (old, new) in op.results().into_iter().zip(call.results()) {
        old.replace_all_uses_with(new);
    }
    op.erase();
}

fn expand_atan<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let ty = op.operand(0).ty();
    (ty.has_static_shape() && ty.element().is_float_type())
        .or_decline("it is not of real numbers")?;
    let builder = rewriter.builder();
    let one = strata_ir::float(rewriter.context(), ty.element(), 1.0);
    let one = crate::pattern::new_splat(&builder, ty, one);
    rewriter.replace(&[builder.same(stablehlo::ATAN2, &[op.operand(0), one])]);
    Ok(())
}

fn expand_conj<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let value = op.operand(0);
    if value.ty().element().is_float_type() {
        rewriter.replace(&[value]);
        return Ok(());
    }
    let shape = value.ty().shape().or_decline("the shape is not known")?;
    let part = value.ty().element().complex_element().or_decline("it is not of complex numbers")?;
    let builder = rewriter.builder();
    let part_of = |name| builder.op(name).operand(value).result(tensor(&shape, part)).value();
    let negated = builder.same(stablehlo::NEGATE, &[part_of(stablehlo::IMAG)]);
    let parts: [Value<'c>; 2] = [part_of(stablehlo::REAL), negated];
    rewriter.replace(&[builder.op(stablehlo::COMPLEX).operands(&parts).result(value.ty()).value()]);
    Ok(())
}
