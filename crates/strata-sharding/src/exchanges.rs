//! What programs after propagation have, made what programs before it have: a sharding that is asked for.
//!
//! ```text
//! sdy.all_gather [{"x"}, {}] %a out_sharding=<@m, [{}, {}]>            → sdy.reshard %a <@m, [{}, {}]>
//! sdy.all_reduce {"x"} %a out_sharding=<@m, [{}, {}]>                  → sdy.reshard %a <@m, [{}, {}]>
//! sdy.constant {sdy.sharding = …} dense<…>                             → stablehlo.constant dense<…> {sdy.sharding = …}
//! sdy.named_computation<"f">(%a) in_shardings=[s] out_shardings=[t] …  → its body, between constraints s and t
//! ```
//!
//! Values are whole ones here, so that these exchanges change no element. Which devices send what follows from the shardings before
//! and after, in stage `spmd`.
//!
//! Sums that are not added (`unreduced`) are added where they are computed: inside of a function that is a matter of when, and never of values.

use std::collections::HashMap;

use strata_ir::{
    Builder, Context, Module, Op, OpKind, SHARDING, TensorSharding, Value, func, module_op, sdy,
    set_shardings, shardings_of, stablehlo,
};

/// Rewrites all of them.
pub fn read<'c>(context: &'c Context, module: &Module<'c>) {
    let root = module_op(module);
    // The innermost first: bodies move to where their operation is.
    for op in root.collect(|op| op.kind() == OpKind::SdyNamedComputation).into_iter().rev() {
        named(context, op);
    }
    for op in root.collect(|op| is_exchange(op.kind())) {
        let asked = op.attr("out_sharding").and_then(TensorSharding::from_attribute);
        let Some(asked) = asked else { continue };
        let value = asked_for(context, op, op.operand(0), asked);
        replace(op, &[value]);
    }
    for op in root.collect(|op| op.kind() == OpKind::SdyConstant) {
        let ty = op.result(0).ty();
        let builder = Builder::before(context, op);
        let constant = builder.op(stablehlo::CONSTANT).attrs(&op.attrs()).result(ty).value();
        replace(op, &[constant]);
    }
    for op in root.collect(|op| !op.is(func::FUNC)) {
        added(context, op);
    }
}

/// Whether it leaves elements as they are, for devices that have other parts of them afterwards.
fn is_exchange(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::SdyAllGather
            | OpKind::SdyAllReduce
            | OpKind::SdyAllSlice
            | OpKind::SdyAllToAll
            | OpKind::SdyCollectivePermute
            | OpKind::SdyReduceScatter
            | OpKind::SdyReplicatedToUnreduced
            | OpKind::SdyShardedToUnreduced
    )
}

fn replace<'c>(op: Op<'c>, values: &[Value<'c>]) {
    for (old, new) in op.results().into_iter().zip(values) {
        old.replace_all_uses_with(*new);
    }
    op.erase();
}

/// `value` with a sharding.
fn asked_for<'c>(
    context: &'c Context,
    op: Op<'c>,
    value: Value<'c>,
    sharding: TensorSharding,
) -> Value<'c> {
    let Some(sharding) = sharding.to_attribute(context) else { return value };
    Builder::before(context, op)
        .op(sdy::RESHARD)
        .operand(value)
        .attr("sharding", sharding)
        .result(value.ty())
        .value()
}

/// Replaces a named computation by its body.
fn named<'c>(context: &'c Context, op: Op<'c>) {
    let Some(body) = op.region(0).first_block() else { return };
    let listed = |name: &str, values: Vec<Value<'c>>| -> Vec<Value<'c>> {
        let list = op.attr(name).and_then(TensorSharding::list_from_attribute);
        let mut list = list.unwrap_or_default().into_iter();
        let one = |value| match list.next() {
            Some(sharding) => asked_for(context, op, value, sharding),
            None => value,
        };
        values.into_iter().map(one).collect()
    };
    let operands = listed("in_shardings", op.operands());
    let mut known: HashMap<_, _> = body.args().into_iter().zip(operands).collect();
    let returned = Builder::before(context, op).copy_body(body, &mut known);
    let results = listed("out_shardings", returned);
    replace(op, &results);
}

/// Shardings of an operation's results without sums that are not added.
fn added<'c>(context: &'c Context, op: Op<'c>) {
    let without = |mut sharding: TensorSharding| {
        sharding.unreduced.clear();
        sharding
    };
    if let Some(own) = op.attr("sharding").and_then(TensorSharding::from_attribute)
        && !own.unreduced.is_empty()
        && let Some(attribute) = without(own).to_attribute(context)
    {
        op.set_attr("sharding", attribute);
    }
    if !op.has_attr(SHARDING) {
        return;
    }
    let own = shardings_of(op).unwrap_or_default();
    if own.iter().any(|sharding| !sharding.unreduced.is_empty()) {
        set_shardings(context, op, &own.into_iter().map(without).collect::<Vec<_>>());
    }
}
