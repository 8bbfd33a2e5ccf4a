//! Exchanges that may be under way between two calls: whether both have the same buffers.
//!
//! ```text
//! call @strata.call.0(%x, %r)    // begins to read %x and to write %r
//! …
//! call @strata.call.1(%x, %r)    // waits
//! ```
//!
//! On tensors the second call reads the first one's operand and its result, which nothing else uses, so that every check of this stage
//! keeps both buffers as they are until then. What is left to see is that they are the same ones: a tensor that is computed again, or
//! copied, has another buffer. Such an exchange is done where it begins.

use std::collections::BTreeMap;

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt as _, CALL, Context, Exchange, ExternalCall, Op, Phase, TypeExt as _, Value,
    arith, diagnostic_at, func, function_name, memref, received,
};
use strata_remarks::{Decision, Remark, remark, subject_of};

/// A call, the part of an exchange that it does, and the declaration that says so.
#[derive(Clone, Copy)]
struct Part<'c> {
    call: Op<'c>,
    phase: Phase,
    declaration: Op<'c>,
}

/// The calls of each exchange that may be under way, in order.
fn flights(module: Op<'_>) -> BTreeMap<i64, Vec<Part<'_>>> {
    let mut all: BTreeMap<i64, Vec<_>> = BTreeMap::new();
    let declared: BTreeMap<_, _> = module
        .body(0)
        .ops()
        .into_iter()
        .filter_map(|op| Some((function_name(op), (op, phase_of(op)?))))
        .collect();
    if declared.is_empty() {
        return all;
    }
    for call in module.collect(|op| op.is(func::CALL)) {
        let callee = call.attr("callee").and_then(|callee| callee.as_symbol());
        let Some((declaration, (phase, number))) = callee.and_then(|name| declared.get(name))
        else {
            continue;
        };
        let part = Part { call, phase: *phase, declaration: *declaration };
        all.entry(*number).or_default().push(part);
    }
    all
}

/// Which part of which exchange the calls of a declaration do; `None` of those that do all, and of other functions.
fn phase_of(declaration: Op<'_>) -> Option<(Phase, i64)> {
    Exchange::of(&ExternalCall::of(declaration)?.ok()?)?.phase
}

/// Whether a call waits for an exchange that was begun before.
pub fn is_wait(call: Op<'_>) -> bool {
    let name = call.attr("callee").filter(|_| call.is(func::CALL));
    let Some(name) = name.and_then(|name| name.as_symbol()) else { return false };
    let root = std::iter::successors(Some(call), |op| op.parent()).last().unwrap_or(call);
    let functions = root.body(0).ops().into_iter();
    let mut named = functions.filter(|op| op.is(func::FUNC) && function_name(*op) == name);
    named.next().and_then(phase_of).is_some_and(|(phase, _)| phase == Phase::Wait)
}

/// Lets exchanges whose calls have other buffers be done where they begin.
pub fn settle<'c>(context: &'c Context, module: Op<'c>) {
    for calls in flights(module).into_values() {
        if let Err(why) = pairs(&calls) {
            ground(context, &calls, why);
        }
    }
}

/// Checks that both calls of each exchange have the same buffers.
///
/// # Errors
/// `S9002` naming a call.
pub fn check(module: Op<'_>) -> Result<(), Diagnostic> {
    for calls in flights(module).into_values() {
        pairs(&calls).map_err(|why| {
            diagnostic_at(codes::S9002, calls[0].call)
                .reason(format!("an exchange may be under way between two calls, but {why}"))
        })?;
    }
    Ok(())
}

/// Whether the calls of an exchange are alternately a begin and the wait for it, both in the same block.
fn pairs(calls: &[Part<'_>]) -> Result<(), &'static str> {
    let (pairs, rest) = calls.as_chunks::<2>();
    if !rest.is_empty() {
        return Err("one of them is missing");
    }
    for pair in pairs {
        let [start, wait] = pair.map(|part| part.call);
        if pair.map(|part| part.phase) != [Phase::Start, Phase::Wait]
            || start.block() != wait.block()
        {
            return Err("they are not one after the other in a block");
        }
        if start.operand_count() != 2 || wait.operand_count() != 2 {
            return Err("they do not have an operand and a result each");
        }
        if !is_same(start.operand(0), wait.operand(0)) {
            return Err("its operand is in another buffer when it is waited for");
        }
        if !is_same(start.operand(1), wait.operand(1)) {
            return Err("its result is in another buffer when it is waited for");
        }
    }
    Ok(())
}

/// Whether two values are the same buffer, or the same part of one.
fn is_same(one: Value<'_>, other: Value<'_>) -> bool {
    if one == other {
        return true;
    }
    let (Some(left), Some(right)) = (one.owner(), other.owner()) else { return false };
    let is_view = [
        arith::CONSTANT,
        memref::CAST,
        memref::COLLAPSE_SHAPE,
        memref::EXPAND_SHAPE,
        memref::GET_GLOBAL,
        memref::REINTERPRET_CAST,
        memref::SUBVIEW,
        memref::VIEW,
    ];
    is_view.contains(&left.name())
        && left.name() == right.name()
        && one.ty() == other.ty()
        && left.attrs() == right.attrs()
        && left.operand_count() == right.operand_count()
        && left.operands().into_iter().zip(right.operands()).all(|(one, other)| is_same(one, other))
}

/// Makes the first call do all, and removes the other one.
fn ground<'c>(context: &'c Context, calls: &[Part<'c>], why: &str) {
    for Part { call, phase, declaration } in calls {
        if *phase == Phase::Wait {
            call.erase();
            continue;
        }
        let Some(Ok(mut described)) = ExternalCall::of(*declaration) else { continue };
        let Some(exchange) = Exchange::of(&described) else { continue };
        remark(|| {
            let (what, ty) = (described.target.clone(), call.operand(0).ty());
            let members = exchange.groups.first().map_or(0, Vec::len) as u64;
            let width = ty.element().byte_width().unwrap_or(0);
            let bytes = received(&what, members, ty.element_count().unwrap_or(0) * width);
            let purpose = format!("async_start, which is done at once after all: {why}");
            let subject = subject_of(call.location());
            Remark { subject, decision: Decision::Exchange { what, members, bytes, purpose } }
        });
        described.config = Exchange { phase: None, ..exchange }.to_attribute(context);
        if let Some(attribute) = described.to_attribute(context) {
            declaration.set_attr(CALL, attribute);
        }
    }
}
