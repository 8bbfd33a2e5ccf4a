//! The outputs that the program writes and does not read, and those that caches do not hold.

use rustc_hash::{FxHashMap, FxHashSet};
use strata_ir::{
    AttributeExt as _, KERNEL, Module, Op, Signature, TypeExt as _, Value, func, function_name,
    marked_entry, memref, module_op, vector,
};

use super::Least;
use crate::nests::viewed;

/// The arguments of the entry and of the kernels that are large outputs, or parts of the program's only writes to them.
pub struct Outputs<'c> {
    found: FxHashSet<Value<'c>>,
    /// Large ones, whether the program reads them or not.
    large: FxHashSet<Value<'c>>,
}

type Functions<'c> = FxHashMap<&'c str, Op<'c>>;
/// The calls of each function.
type Calls<'c> = FxHashMap<&'c str, Vec<Op<'c>>>;

impl<'c> Outputs<'c> {
    /// Those that are large enough; `None` if there are none.
    pub fn of(module: &Module<'c>, least: &Least) -> Option<Self> {
        let entry = marked_entry(module).ok()?;
        let count = Signature::of(entry).ok()?.outputs.len();
        let arguments = entry.region(0).first_block()?.args();
        // Inputs, outputs, the workspace.
        let first = arguments.len().checked_sub(count + 1)?;
        let all = module_op(module).body(0).ops();
        let functions: Functions<'c> =
            all.iter().filter(|op| op.is(func::FUNC)).map(|op| (function_name(*op), *op)).collect();
        let outputs = &arguments[first..first + count];
        let from = |bytes: i64| {
            let is_large =
                move |output: &Value<'c>| size_of(*output).is_some_and(|size| size >= bytes);
            outputs.iter().copied().filter(is_large)
        };
        let unread = from(least.output).filter(|output| is_unread(*output, &functions));
        let mut found: FxHashSet<_> = unread.collect();
        let mut large: FxHashSet<_> = from(least.copy).collect();
        if found.is_empty() && large.is_empty() {
            return None;
        }
        let mut calls = Calls::default();
        for call in module_op(module).collect(|op| op.is(func::CALL)) {
            if let Some(name) = callee(call) {
                calls.entry(name).or_default().push(call);
            }
        }
        for set in [&mut found, &mut large] {
            // Kernels may call kernels: from callers to callees, until nothing is added.
            while add_arguments(set, &all, &calls) {}
        }
        Some(Self { found, large })
    }

    /// Whether the value is one.
    pub fn has(&self, buffer: Value<'c>) -> bool {
        self.found.contains(&buffer)
    }

    /// Whether the value is one, or a large one in a function whose callers wait for its tasks, and so for its stores.
    pub fn take_copies(&self, buffer: Value<'c>) -> bool {
        let root = viewed(buffer);
        let function = root.block_arg().and_then(|(block, _)| block.parent_op());
        let is_kernel = function.is_some_and(|function| function.has_attr(KERNEL));
        self.has(buffer) || is_kernel && self.large.contains(&root)
    }
}

/// Adds the arguments that are such an output in every call; whether there were any.
fn add_arguments<'c>(
    found: &mut FxHashSet<Value<'c>>,
    functions: &[Op<'c>],
    calls: &Calls<'c>,
) -> bool {
    let before = found.len();
    for function in functions {
        let Some(body) = function.is(func::FUNC).then(|| function.region(0).first_block()) else {
            continue;
        };
        let Some(own) = calls.get(function_name(*function)) else { continue };
        for (position, argument) in body.iter().flat_map(|body| body.args()).enumerate() {
            let is_output = |call: &Op<'c>| found.contains(&viewed(call.operand(position)));
            if own.iter().all(is_output) {
                found.insert(argument);
            }
        }
    }
    found.len() > before
}

fn callee<'c>(call: Op<'c>) -> Option<&'c str> {
    call.attr("callee")?.as_symbol()
}

/// Bytes of a dense buffer.
fn size_of(buffer: Value<'_>) -> Option<i64> {
    let count = i64::try_from(buffer.ty().element_count()?).ok()?;
    count.checked_mul(i64::try_from(buffer.ty().element().byte_width()?).ok()?)
}

/// Whether all that is done with the buffer, here and in the kernels that are called with it, is to store to it.
fn is_unread<'c>(buffer: Value<'c>, functions: &Functions<'c>) -> bool {
    buffer.uses().into_iter().all(|(user, operand)| match user.name() {
        memref::STORE | vector::STORE => operand == 1,
        func::CALL => {
            let body = callee(user)
                .and_then(|name| functions.get(name))
                .and_then(|function| function.region(0).first_block());
            body.is_some_and(|body| is_unread(body.arg(operand), functions))
        }
        _ => false,
    })
}
