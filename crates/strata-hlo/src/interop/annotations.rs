//! Annotations without meaning for one device, and pass-through operations.
//!
//! ```text
//! sdy.sharding_constraint x, sdy.reshard x → x
//! get_tuple_element(tuple(x, y), 1)        → y
//! create_token                             → after_all()
//! ```

use strata_ir::{AttributeExt as _, Op, OpKind, stablehlo};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::pattern::{defined_by, patterns};

patterns! {
    /// The same in the dialect that describes shardings.
    ShardingConstraint = "sharding-constraint" on [SdyShardingConstraint, SdyReshard] by constraint;
    /// Groups of values with the same sharding.
    ShardingGroup = "sharding-group" on [SdyShardingGroup] by group;
    /// An element of a tuple that was just built.
    ElementOfTuple = "element-of-tuple" on [GetTupleElement] by element_of_tuple;
    /// The older form of `after_all` without operands.
    CreateTokenUpgrade = "create-token-upgrade" on [CreateToken] by create_token;
}

fn constraint<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    rewriter.replace(&[op.operand(0)]);
    Ok(())
}

fn group<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
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
