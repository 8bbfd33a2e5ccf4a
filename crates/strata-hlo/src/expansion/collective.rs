//! Collectives in a single process: each group has this process as its only member.
//!
//! ```text
//! all_reduce(x), all_gather(x), all_to_all(x), …  groups [[0]]  → x
//! collective_permute(x)                       pairs [[0, 0]]  → x
//! collective_permute(x)                                pairs []  → 0
//! replica_id, partition_id                                       → 0
//! ```
//!
//! Modules that declare several replicas or partitions, and groups with other members, are left, and
//! rejected at the end of the stage.

use strata_ir::{AttributeExt as _, Op, Type, TypeExt as _, Value, float, int, stablehlo};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::pattern::{new_splat, patterns};

patterns! {
    /// Collectives in a single process.
    CollectiveOfOne = "collective-of-one" on [
        AllGather, AllReduce, AllToAll, CollectiveBroadcast, CollectiveReduce, CrossReplicaSum, ReduceScatter
    ] by collective;
    /// A permutation in a single process.
    PermuteOfOne = "permute-of-one" on [CollectivePermute] by permute;
    /// The ids of the only process are 0.
    IdOfOne = "id-of-one" on [PartitionId, ReplicaId] by id;
}

/// Declines where the module runs in several processes.
fn alone(op: Op<'_>) -> Outcome {
    let mut root = op;
    while let Some(parent) = root.parent() {
        root = parent;
    }
    let one = ["mhlo.num_partitions", "mhlo.num_replicas"].into_iter().all(|name| {
        root.attr(name).and_then(|count| count.as_i64()).is_none_or(|count| count == 1)
    });
    one.or_decline("the program runs in several processes")
}

fn collective<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    alone(op)?;
    let groups = op.attr("replica_groups").and_then(|groups| groups.as_i64s());
    let groups = groups.or_decline("the groups are not listed")?;
    // Shorter groups are padded with -1.
    let only_this = groups.iter().all(|member| *member == 0 || *member == -1);
    only_this.or_decline("a group has another process")?;
    let operands = op.operands();
    (operands.len() == op.result_count()).or_decline("operands and results do not match")?;
    let values = operands
        .into_iter()
        .zip(op.result_types())
        .map(|(value, ty)| converted(rewriter, value, ty))
        .collect::<Outcome<Vec<_>>>()?;
    rewriter.replace(&values);
    Ok(())
}

/// `value` in the type of the result, whose elements may be wider.
fn converted<'c>(rewriter: &Rewriter<'c>, value: Value<'c>, ty: Type<'c>) -> Outcome<Value<'c>> {
    if value.ty() == ty {
        return Ok(value);
    }
    (value.ty().shape() == ty.shape()).or_decline("the shape changes")?;
    Ok(rewriter.builder().op(stablehlo::CONVERT).operand(value).result(ty).value())
}

fn permute<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    alone(op)?;
    let pairs = op.attr("source_target_pairs").and_then(|pairs| pairs.as_i64s());
    let value = match pairs.as_deref() {
        Some([0, 0]) => op.operand(0),
        Some([]) => zero(rewriter, op.result(0).ty())?,
        _ => return Err("a pair has another process".into()),
    };
    rewriter.replace(&[value]);
    Ok(())
}

fn id<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    alone(op)?;
    let value = zero(rewriter, op.result(0).ty())?;
    rewriter.replace(&[value]);
    Ok(())
}

/// Zeros of a real type.
fn zero<'c>(rewriter: &Rewriter<'c>, ty: Type<'c>) -> Outcome<Value<'c>> {
    let element = ty.element();
    ty.has_static_shape().or_decline("the shape is not static")?;
    let value = if element.is_int() {
        int(element, 0)
    } else if element.is_float_type() {
        float(rewriter.context(), element, 0.0)
    } else {
        return Err("zeros of this type are not supported".into());
    };
    Ok(new_splat(&rewriter.builder(), ty, value))
}
