//! Broadcasts.
//!
//! ```text
//! broadcast_in_dim(x) of the same type, dims = [0, 1, …] → x
//! broadcast_in_dim(broadcast_in_dim(x, p), q)            → broadcast_in_dim(x, q∘p)
//! broadcast_in_dim(reshape(x)) that only adds size-1 dims → broadcast_in_dim(x)
//! broadcast_in_dim(reshape(broadcast_in_dim(x))) that joins dimensions → reshape(broadcast_in_dim(x))
//! broadcast_in_dim(constant dense<v>)                    → constant dense<v>
//! broadcast(x, sizes)                                    → broadcast_in_dim(x)
//! ```

use strata_ir::{Op, OpKind, TypeExt as _, Value, i64s, stablehlo};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::{
    emit::Emit as _,
    pattern::{constant, defined_by, ints, new_splat, patterns},
};

patterns! {
    /// A broadcast to the same type with every dimension in place is its operand.
    IdentityBroadcast = "broadcast-identity" on [BroadcastInDim] by identity;
    /// Two broadcasts are one.
    BroadcastOfBroadcast = "broadcast-of-broadcast" on [BroadcastInDim] by of_broadcast;
    /// Folds a reshape that adds dimensions of size 1 into the broadcast.
    BroadcastOfReshape = "broadcast-of-reshape" on [BroadcastInDim] by of_reshape;
    /// A broadcast of repeated rows repeats them before they are joined.
    BroadcastOfJoined = "broadcast-of-joined" on [BroadcastInDim] by of_joined;
    /// A splat of any shape is a constant.
    BroadcastOfSplat = "broadcast-of-splat" on [BroadcastInDim] by of_splat;
    /// The older form that adds leading dimensions.
    BroadcastUpgrade = "broadcast-upgrade" on [Broadcast] by upgrade;
}

fn replace_by_broadcast<'c>(
    op: Op<'c>,
    rewriter: &mut Rewriter<'c>,
    source: Value<'c>,
    dims: &[i64],
) {
    let builder = rewriter.builder();
    let broadcast = builder.op(stablehlo::BROADCAST_IN_DIM).operand(source);
    let broadcast = broadcast.attr("broadcast_dimensions", i64s(rewriter.context(), dims));
    let value = broadcast.result(op.result(0).ty()).value();
    rewriter.replace(&[value]);
}

fn identity<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    ints(op, "broadcast_dimensions")?.is_sorted().or_decline("dimensions move")?;
    (op.operand(0).ty() == op.result(0).ty()).or_decline("the type changes")?;
    rewriter.replace(&[op.operand(0)]);
    Ok(())
}

fn of_broadcast<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let inner = defined_by(op.operand(0), OpKind::BroadcastInDim)?;
    let outer = ints(op, "broadcast_dimensions")?;
    let dims: Vec<_> =
        ints(inner, "broadcast_dimensions")?.iter().map(|dim| outer[*dim as usize]).collect();
    replace_by_broadcast(op, rewriter, inner.operand(0), &dims);
    Ok(())
}

fn of_reshape<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let inner = defined_by(op.operand(0), OpKind::Reshape)?;
    let shape = |value: Value<'_>| value.ty().shape();
    let (Some(from), Some(to)) = (shape(inner.operand(0)), shape(inner.result(0))) else {
        return Err("the shape is not static".into());
    };
    let outer = ints(op, "broadcast_dimensions")?;
    let mut left = from.iter().peekable();
    let mut dims = Vec::new();
    for (size, dim) in to.iter().zip(outer) {
        if left.peek() == Some(&size) {
            left.next();
            dims.push(dim);
        } else if *size != 1 {
            return Err("the reshape does more than add dimensions of size 1".into());
        }
    }
    left.next().is_none().or_decline("the reshape does more than add dimensions of size 1")?;
    replace_by_broadcast(op, rewriter, inner.operand(0), &dims);
    Ok(())
}

/// Rows that are repeated along one dimension and then another, as images are enlarged, are written once.
fn of_joined<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let join = defined_by(op.operand(0), OpKind::Reshape)?;
    let inner = defined_by(join.operand(0), OpKind::BroadcastInDim)?;
    // Other users read a broadcast of joined rows as it is, without a copy.
    let is_joined = op.result(0).uses().iter().all(|(user, _)| user.kind() == OpKind::Reshape);
    is_joined.or_decline("its dimensions are not joined")?;
    let shape = |value: Value<'_>| value.ty().shape().or_decline("the shape is not static");
    let (apart, joined, all) =
        (shape(inner.result(0))?, shape(join.result(0))?, shape(op.result(0))?);
    (apart.len() > joined.len()).or_decline("the reshape joins no dimensions")?;
    // The dimensions that each of the joined ones has.
    let mut parts = Vec::new();
    let mut left = apart.iter().peekable();
    for size in &joined {
        let mut part = Vec::new();
        while let Some(next) =
            left.next_if(|_| part.is_empty() || part.iter().product::<i64>() < *size)
        {
            part.push(*next);
        }
        (part.iter().product::<i64>() == *size && !part.is_empty())
            .or_decline("the reshape does more than join dimensions")?;
        parts.push(part);
    }
    left.next().is_none().or_decline("the reshape does more than join dimensions")?;
    let dims = ints(op, "broadcast_dimensions")?;
    dims.is_sorted().or_decline("dimensions move")?;
    let (mut sizes, mut places) = (Vec::new(), Vec::new());
    for (dim, size) in all.iter().enumerate() {
        match dims.iter().position(|one| *one == dim as i64) {
            Some(at) if joined[at] == *size => {
                places.extend(sizes.len() as i64..(sizes.len() + parts[at].len()) as i64);
                sizes.extend(&parts[at]);
            }
            Some(_) => return Err("a dimension of size 1 is repeated".into()),
            None => sizes.push(*size),
        }
    }
    let b = rewriter.builder();
    let repeated = b.broadcast_in_dim(inner.result(0), &sizes, &places);
    let value = b.reshaped(repeated, &all);
    rewriter.replace(&[value]);
    Ok(())
}

fn of_splat<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    use strata_ir::AttributeExt as _;
    let element =
        constant(op.operand(0))?.splat_value().or_decline("the constant is not a splat")?;
    op.result(0).ty().has_static_shape().or_decline("the shape is not static")?;
    (!op.result(0).ty().element().is_complex()).or_decline("complex splats stay broadcasts")?;
    let value = new_splat(&rewriter.builder(), op.result(0).ty(), element);
    rewriter.replace(&[value]);
    Ok(())
}

fn upgrade<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let added = ints(op, "broadcast_sizes")?.len() as i64;
    let rank = op.operand(0).ty().rank().or_decline("the operand is not ranked")? as i64;
    let dims: Vec<_> = (added..added + rank).collect();
    replace_by_broadcast(op, rewriter, op.operand(0), &dims);
    Ok(())
}
