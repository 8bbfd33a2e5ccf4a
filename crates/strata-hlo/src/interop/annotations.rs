//! Annotations without meaning for one device, and pass-through operations.
//!
//! ```text
//! sdy.sharding_constraint x, sdy.reshard x → x
//! get_tuple_element(tuple(x, y), 1)        → y
//! create_token                             → after_all()
//! ```

use strata_ir::{
    AttributeExt as _, Builder, Context, Op, OpKind, SHARDING, SPLIT, sdy, shardings_of, stablehlo,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::pattern::{defined_by, patterns};

patterns! {
    /// The same in the dialect that describes shardings.
    ShardingConstraint = "sharding-constraint" on [
        SdyShardingConstraint, SdyReshard, SdyPropagationBarrier
    ] by constraint;
    /// Groups of values with the same sharding.
    ShardingGroup = "sharding-group" on [SdyShardingGroup] by group;
    /// An element of a tuple that was just built.
    ElementOfTuple = "element-of-tuple" on [GetTupleElement] by element_of_tuple;
    /// The older form of `after_all` without operands.
    CreateTokenUpgrade = "create-token-upgrade" on [CreateToken] by create_token;
}

fn constraint<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    unsplit(op)?;
    rewriter.replace(&[op.operand(0)]);
    Ok(())
}

/// Makes the shardings of operations constraints of their results, which patterns keep: they may replace the operations.
pub fn constrain<'c>(context: &'c Context, root: Op<'c>) {
    for op in root.collect(|op| op.has_attr(SHARDING)) {
        let (Some(shardings), Some(next)) = (shardings_of(op), op.next()) else { continue };
        op.remove_attr(SHARDING);
        let builder = Builder { location: op.location(), ..Builder::before(context, next) };
        for (result, sharding) in op.results().into_iter().zip(shardings) {
            let Some(sharding) = sharding.to_attribute(context) else { continue };
            let users = result.uses();
            let constraint = builder
                .op(sdy::SHARDING_CONSTRAINT)
                .operand(result)
                .attr("sharding", sharding)
                .result(result.ty())
                .value();
            users.into_iter().for_each(|(user, index)| user.set_operand(index, constraint));
        }
    }
}

/// Declines where values are split over devices, which stage `spmd` does.
pub fn unsplit(op: Op<'_>) -> Outcome {
    let root = std::iter::successors(Some(op), |op| op.parent()).last();
    let is_split = root.is_some_and(|root| root.has_attr(SPLIT));
    (!is_split).or_decline("values are split over devices")
}

fn group<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    unsplit(op)?;
    op.is_unused().or_decline("its results are used")?;
    rewriter.erase();
    Ok(())
}

fn element_of_tuple<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let tuple = defined_by(op.operand(0), OpKind::Tuple)?;
    let index = op.attr("index").and_then(|index| index.as_i64());
    let index = index.or_decline("attribute `index` is missing")? as usize;
    (index < tuple.operand_count()).or_decline("there is no such element")?;
    rewriter.replace(&[tuple.operand(index)]);
    Ok(())
}

fn create_token<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let builder = rewriter.builder();
    let value = builder.op(stablehlo::AFTER_ALL).result(op.result(0).ty()).value();
    rewriter.replace(&[value]);
    Ok(())
}
