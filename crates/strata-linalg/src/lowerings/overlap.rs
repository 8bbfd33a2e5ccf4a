//! Exchanges that may be under way while the program goes on.
//!
//! ```text
//! %0 = stablehlo.all_gather(%x)
//! …
//! %1 = stablehlo.optimization_barrier {strata.wait} %0
//! ```
//! becomes two calls, of which the second has the first one's operand, and its result as the destination:
//! ```text
//! %0 = func.call @strata.call.0(%x, %into)    // phase = "start", flight = 0
//! …
//! %1 = func.call @strata.call.1(%x, %0)       // phase = "wait", flight = 0
//! ```
//! So both buffers are in use until the wait. All of this is right, too, where the first call does everything and the second nothing,
//! which is what later stages fall back on.

use strata_ir::{
    AttributeExt as _, CALL, Convention, Exchange, ExternalCall, Op, Phase, TypeExt as _, Value,
    channel_of, func, function_name,
};
use strata_rewrite::{Guard as _, Lowerer, Outcome};

use crate::{
    lowerings::{
        collective::{EXCHANGES, target},
        external_call::{Argument, Foreign, module_around},
    },
    numbers::narrow::call_types,
};

/// The call that waits for what `barrier` names, whose operand became `value`; `None` where that is not an exchange that could be under way.
pub fn wait<'c>(
    barrier: Op<'c>,
    value: Value<'c>,
    lowerer: &Lowerer<'c>,
) -> Outcome<Option<Value<'c>>> {
    let awaited = barrier.operand(0);
    let (Some(exchange), Some(index)) = (awaited.owner(), awaited.result_index()) else {
        return Ok(None);
    };
    let Some(start) = value.owner().filter(|owner| owner.is(func::CALL)) else { return Ok(None) };
    let is_only_use = awaited.uses().len() == 1 && exchange.block() == barrier.block();
    if !EXCHANGES.contains(&exchange.kind()) || !is_only_use {
        return Ok(None);
    }
    let Some((declaration, mut call)) = called(barrier, start) else { return Ok(None) };
    let Some(begun) = Exchange::of(&call).filter(|begun| begun.phase.is_none()) else {
        return Ok(None);
    };
    let [operands, results] = call_types(exchange);
    let types = [operands[index], results[index]];
    if types.iter().any(|ty| ty.element_count() == Some(0)) {
        return Ok(None);
    }
    let context = lowerer.context();
    let number = started(declaration);
    // Only the first call needs to know how elements are combined.
    let ended = Exchange { phase: Some((Phase::Wait, number)), reduction: None, ..begun.clone() };
    let waiting = Foreign {
        target: target(exchange),
        convention: Convention::Collective,
        inputs: types.map(Argument::row_major).into(),
        outputs: vec![Argument::row_major(types[1])],
        aliases: vec![Some(1)],
        tuple: false,
        nesting: Vec::new(),
        config: ended.to_attribute(context),
        channel: channel_of(exchange),
    };
    let result = waiting.build(barrier, &[start.operand(0), value], lowerer)?[0];
    call.config = Exchange { phase: Some((Phase::Start, number)), ..begun }.to_attribute(context);
    let description = call.to_attribute(context).or_decline("a type cannot be described")?;
    declaration.set_attr(CALL, description);
    Ok(Some(result))
}

/// The declaration in the module around `op` that a call names, and what it says. The call may be in a region that is not in place yet.
fn called<'c>(op: Op<'c>, call: Op<'c>) -> Option<(Op<'c>, ExternalCall<'c>)> {
    let name = call.attr("callee")?.as_symbol()?;
    let mut declared = module_around(op).body(0).ops().into_iter().filter(|op| op.is(func::FUNC));
    let declaration = declared.find(|op| function_name(*op) == name)?;
    Some((declaration, ExternalCall::of(declaration)?.ok()?))
}

/// How many exchanges were begun by declarations before this one: a number of its own.
fn started(declaration: Op<'_>) -> i64 {
    let all = module_around(declaration).body(0).ops().into_iter();
    let calls = all.filter_map(|op| ExternalCall::of(op)?.ok());
    let phases = calls.filter_map(|call| Exchange::of(&call)?.phase);
    phases.filter(|(phase, _)| *phase == Phase::Start).count() as i64
}
