//! Bodies that each device of a mesh runs on its part of the values (`shard_map` of JAX).
//!
//! ```text
//! sdy.mesh @m = <["x"=1]>
//! sdy.manual_computation(x) manual_axes={"x"} (a) { return f(a) }   →   f(x)
//! ```
//!
//! Along axes of one device the part is the whole. Others are left, and rejected at the end of the stage.

use std::collections::HashMap;

use strata_diag::{Diagnostic, codes};
use strata_ir::{Op, OpKind, Value, axis_names, diagnostic_at, has_mesh_inside, mesh_axes};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::pattern::patterns;

patterns! {
    /// A body that one device runs on whole values.
    ManualComputationOfOne = "manual-computation-of-one" on [SdyManualComputation] by manual_computation;
}

fn manual_computation<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let axes = manual_axes(op).or_decline("its axes have no mesh")?;
    axes.iter().all(|(_, size)| *size == 1).or_decline("several devices run the body")?;
    let body = op.region(0).first_block().or_decline("it has no body")?;
    let types = |values: Vec<Value<'c>>| values.into_iter().map(Value::ty).collect::<Vec<_>>();
    (types(body.args()) == types(op.operands())).or_decline("the body has parts of the values")?;
    let mut values: HashMap<_, _> = body.args().into_iter().zip(op.operands()).collect();
    let builder = rewriter.builder();
    let returned = body.terminator().map(Op::operands).unwrap_or_default();
    (types(returned) == op.result_types()).or_decline("the body returns parts of the values")?;
    let results = builder.copy_body(body, &mut values);
    rewriter.replace(&results);
    Ok(())
}

/// The axes of a body and the numbers of devices along them; `None` if one is not that of a named mesh, the same in all of them.
fn manual_axes(op: Op<'_>) -> Option<Vec<(String, i64)>> {
    let shardings = ["in_shardings", "out_shardings"].map(|name| op.attr(name));
    if shardings.into_iter().flatten().any(has_mesh_inside) {
        return None;
    }
    let root = std::iter::successors(Some(op), |op| op.parent()).last()?;
    let meshes = root.collect(|op| op.kind() == OpKind::SdyMesh);
    let meshes = meshes.iter().filter_map(|mesh| mesh.attr("mesh"));
    let known: Vec<(String, i64)> = meshes.flat_map(mesh_axes).collect();
    let sized = |name: String| {
        let mut sizes = known.iter().filter(|(known, _)| *known == name).map(|(_, size)| *size);
        let first = sizes.next()?;
        sizes.all(|size| size == first).then_some((name, first))
    };
    axis_names(op.attr("manual_axes")?).into_iter().map(sized).collect()
}

/// The error for a body that several devices run.
pub(crate) fn refused(op: Op<'_>) -> Diagnostic {
    let axes = manual_axes(op).unwrap_or_default();
    let axes: Vec<_> = axes.iter().filter(|(_, size)| *size != 1).collect();
    let count = axes.iter().fold(1_i64, |count, (_, size)| count.saturating_mul(*size));
    let listed: Vec<_> = axes.iter().map(|(name, size)| format!("`{name}` ({size})")).collect();
    let along = match listed.is_empty() {
        true => String::new(),
        false => format!(" of {count} devices along {}", listed.join(", ")),
    };
    diagnostic_at(codes::S1103, op)
        .reason(format!(
            "each{} computes a part of the results, and an object computes on one device",
            if along.is_empty() { " device of a mesh".to_owned() } else { along }
        ))
        .hint("export the function without `shard_map`, or with a mesh of one device")
}
