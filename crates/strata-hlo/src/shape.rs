//! Movements of data that move nothing, or that one movement can do.
//!
//! ```text
//! reshape(x : T) : T                          =>  x
//! transpose(x, [0, 1])                        =>  x
//! transpose(transpose(x, p), q)               =>  transpose(x, p∘q)
//! transpose(x : 1x3, [1, 0])                  =>  reshape(x) : 3x1
//! reshape(reshape(x))                         =>  reshape(x)
//! broadcast_in_dim(x : T, [0, 1]) : T         =>  x
//! broadcast_in_dim(broadcast_in_dim(x))       =>  broadcast_in_dim(x)
//! slice(x, all)                               =>  x
//! concatenate(x)                              =>  x
//! broadcast_in_dim, reshape, transpose, slice of a splat constant  =>  the splat constant
//! reshape(constant)                           =>  constant
//! ```

use strata_ir::{
    Attribute, AttributeExt, Op, OpKind, TypeExt as _, Value, dense_splat, i64s, reshaped_constant,
};
use strata_rewrite::{Declined, Guard as _, Outcome, Pattern, Rewriter};

macro_rules! pattern {
    ($(#[$doc:meta])* $type:ident, $name:literal, [$($root:ident),*], $rewrite:expr) => {
        $(#[$doc])*
        pub(crate) struct $type;

        impl Pattern for $type {
            fn name(&self) -> &'static str {
                $name
            }

            fn roots(&self) -> &'static [OpKind] {
                &[$(OpKind::$root),*]
            }

            fn rewrite<'c>(&self, op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
                let rewrite: for<'a> fn(Op<'a>, &mut Rewriter<'a>) -> Outcome = $rewrite;
                rewrite(op, rewriter)
            }
        }
    };
}

fn list(op: Op<'_>, name: &str) -> Outcome<Vec<i64>> {
    op.attr(name).and_then(AttributeExt::as_i64s).or_decline("an attribute is not a list")
}

fn is_iota(list: &[i64]) -> bool {
    list.iter().enumerate().all(|(position, value)| *value == position as i64)
}

fn same_type(op: Op<'_>) -> Outcome {
    (op.operand(0).ty() == op.result(0).ty()).or_decline("the type changes")
}

/// The operand's defining operation, if it is of `kind`.
fn producer<'c>(op: Op<'c>, kind: OpKind) -> Outcome<Op<'c>> {
    let producer = op.operand(0).owner().or_decline("the operand is an argument")?;
    (producer.kind() == kind).or_decline("the operand is computed otherwise")?;
    Ok(producer)
}

/// The value of the constant that defines `value`.
fn constant(value: Value<'_>) -> Outcome<Attribute<'_>> {
    let owner = value.owner().or_decline("the operand is an argument")?;
    (owner.kind() == OpKind::Constant).or_decline("the operand is not constant")?;
    owner.attr("value").or_decline("the constant has no value")
}

pattern!(
    /// A reshape to the operand's own type.
    DropIdentityReshape, "drop-identity-reshape", [Reshape], |op, rewriter| {
        same_type(op)?;
        rewriter.replace(&[op.operand(0)]);
        Ok(())
    }
);

pattern!(
    /// A broadcast to the operand's own type that keeps the order of dimensions.
    DropIdentityBroadcast, "drop-identity-broadcast", [BroadcastInDim], |op, rewriter| {
        same_type(op)?;
        is_iota(&list(op, "broadcast_dimensions")?).or_decline("dimensions are permuted")?;
        rewriter.replace(&[op.operand(0)]);
        Ok(())
    }
);

pattern!(
    /// A transpose that keeps the order of dimensions.
    DropIdentityTranspose, "drop-identity-transpose", [Transpose], |op, rewriter| {
        is_iota(&list(op, "permutation")?).or_decline("dimensions are permuted")?;
        same_type(op)?;
        rewriter.replace(&[op.operand(0)]);
        Ok(())
    }
);

pattern!(
    /// A slice of everything.
    DropIdentitySlice, "drop-identity-slice", [Slice], |op, rewriter| {
        same_type(op)?;
        op.result(0).ty().has_static_shape().or_decline("the shape is not known")?;
        rewriter.replace(&[op.operand(0)]);
        Ok(())
    }
);

pattern!(
    /// A concatenation of one tensor.
    UnwrapConcatenate, "unwrap-concatenate", [Concatenate], |op, rewriter| {
        (op.operand_count() == 1).or_decline("there are several operands")?;
        same_type(op)?;
        rewriter.replace(&[op.operand(0)]);
        Ok(())
    }
);

pattern!(
    /// Two reshapes in a row.
    MergeReshapes, "merge-reshapes", [Reshape], |op, rewriter| {
        let inner = producer(op, OpKind::Reshape)?;
        let merged = rewriter
            .builder()
            .op("stablehlo.reshape")
            .operand(inner.operand(0))
            .result(op.result(0).ty())
            .value();
        rewriter.replace(&[merged]);
        Ok(())
    }
);

pattern!(
    /// Two transposes in a row.
    MergeTransposes, "merge-transposes", [Transpose], |op, rewriter| {
        let inner = producer(op, OpKind::Transpose)?;
        let (first, second) = (list(inner, "permutation")?, list(op, "permutation")?);
        let composed: Option<Vec<i64>> = second
            .iter()
            .map(|dim| first.get(usize::try_from(*dim).ok()?).copied())
            .collect();
        let composed = composed.or_decline("a permutation is out of range")?;
        let context = rewriter.context();
        let merged = rewriter
            .builder()
            .op("stablehlo.transpose")
            .operand(inner.operand(0))
            .attr("permutation", i64s(context, &composed))
            .result(op.result(0).ty())
            .value();
        rewriter.replace(&[merged]);
        Ok(())
    }
);

pattern!(
    /// A transpose that moves only dimensions of size 1 keeps the order of the elements.
    TransposeToReshape, "transpose-to-reshape", [Transpose], |op, rewriter| {
        let shape = op.operand(0).ty().shape().or_decline("the operand is unranked")?;
        let permutation = list(op, "permutation")?;
        let moved = permutation.iter().filter(|dim| shape[**dim as usize] != 1);
        moved.is_sorted().or_decline("the order of elements changes")?;
        op.result(0).ty().has_static_shape().or_decline("the shape is not known")?;
        let reshaped = rewriter
            .builder()
            .op("stablehlo.reshape")
            .operand(op.operand(0))
            .result(op.result(0).ty())
            .value();
        rewriter.replace(&[reshaped]);
        Ok(())
    }
);

pattern!(
    /// Two broadcasts in a row.
    MergeBroadcasts, "merge-broadcasts", [BroadcastInDim], |op, rewriter| {
        let inner = producer(op, OpKind::BroadcastInDim)?;
        let (first, second) =
            (list(inner, "broadcast_dimensions")?, list(op, "broadcast_dimensions")?);
        let composed: Option<Vec<i64>> = first
            .iter()
            .map(|dim| second.get(usize::try_from(*dim).ok()?).copied())
            .collect();
        let composed = composed.or_decline("a dimension is out of range")?;
        let context = rewriter.context();
        let merged = rewriter
            .builder()
            .op("stablehlo.broadcast_in_dim")
            .operand(inner.operand(0))
            .attr("broadcast_dimensions", i64s(context, &composed))
            .result(op.result(0).ty())
            .value();
        rewriter.replace(&[merged]);
        Ok(())
    }
);

pattern!(
    /// Whatever rearranges equal elements gives equal elements; a splat takes no memory.
    FoldSplat, "fold-splat", [BroadcastInDim, Reshape, Transpose, Slice, Reverse], |op, rewriter| {
        let splat = constant(op.operand(0))?.splat_value().or_decline("elements differ")?;
        let ty = op.result(0).ty();
        ty.has_static_shape().or_decline("the shape is not known")?;
        let folded = rewriter
            .builder()
            .op("stablehlo.constant")
            .attr("value", dense_splat(ty, splat))
            .result(ty)
            .value();
        rewriter.replace(&[folded]);
        Ok(())
    }
);

pattern!(
    /// A reshaped constant shares the bytes of the original.
    ReshapeConstant, "reshape-constant", [Reshape], |op, rewriter| {
        let value = constant(op.operand(0))?;
        let ty = op.result(0).ty();
        let reshaped = reshaped_constant(value, ty).ok_or(Declined::from("it is not dense"))?;
        let folded = rewriter
            .builder()
            .op("stablehlo.constant")
            .attr("value", reshaped)
            .result(ty)
            .value();
        rewriter.replace(&[folded]);
        Ok(())
    }
);
