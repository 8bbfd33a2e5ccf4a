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
use strata_ir::{Op, OpKind, Value, diagnostic_at};
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
    // A mesh that has no name is within the attribute.
    if shardings.iter().flatten().any(|list| list.to_string().contains("mesh<")) {
        return None;
    }
    let root = std::iter::successors(Some(op), |op| op.parent()).last()?;
    let meshes = root.collect(|op| op.kind() == OpKind::SdyMesh);
    let meshes = meshes.iter().filter_map(|mesh| mesh.attr("mesh"));
    let known: Vec<(String, i64)> = meshes.flat_map(|mesh| sizes(&mesh.to_string())).collect();
    let names = op.attr("manual_axes")?.to_string();
    quoted(&names)
        .map(|name| {
            let mut sizes = known.iter().filter(|(known, _)| *known == name).map(|(_, size)| *size);
            let first = sizes.next()?;
            sizes.all(|size| size == first).then(|| (name.to_owned(), first))
        })
        .collect()
}

/// The sizes in `<["x"=2, "y"=4]>`.
fn sizes(mesh: &str) -> Vec<(String, i64)> {
    let mut found = Vec::new();
    let pieces: Vec<&str> = mesh.split('"').collect();
    for pair in pieces[1..].chunks_exact(2) {
        let digits: String = pair[1].chars().skip(1).take_while(char::is_ascii_digit).collect();
        found.extend(digits.parse().ok().map(|size| (pair[0].to_owned(), size)));
    }
    found
}

/// What stands in quotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').skip(1).step_by(2)
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

#[cfg(test)]
mod tests {
    use super::{quoted, sizes};

    #[test]
    fn meshes_are_read() {
        let pair = |name: &str, size| (name.to_owned(), size);
        assert_eq!(sizes("#sdy.mesh<[\"x\"=2, \"long\"=14]>"), [pair("x", 2), pair("long", 14)]);
        assert_eq!(sizes("#sdy.mesh<[], device_ids=[3]>"), []);
        assert_eq!(quoted("{\"x\", \"y\"}").collect::<Vec<_>>(), ["x", "y"]);
    }
}
