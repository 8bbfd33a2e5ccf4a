//! Checks calls before inlining: rejects recursion, and code that would grow too large.

use std::{
    collections::{HashMap, HashSet},
    iter::Peekable,
};

use strata_diag::{Diagnostic, codes};
use strata_ir::{AttributeExt as _, Op, diagnostic_at, func, function_name};

/// The maximum number of operations of the entry with all calls inlined. The largest models have some ten
/// thousand.
const LARGEST: u64 = 1 << 20;

/// A function on the call path from the entry.
struct Visit<'c> {
    function: Op<'c>,
    calls: Peekable<std::vec::IntoIter<Op<'c>>>,
    /// Operations, including inlined calls so far.
    size: u64,
}

impl<'c> Visit<'c> {
    fn new(function: Op<'c>) -> Self {
        let ops = function.collect(|_| true);
        let calls: Vec<_> = ops.iter().copied().filter(|op| op.is(func::CALL)).collect();
        Self { function, size: ops.len() as u64, calls: calls.into_iter().peekable() }
    }
}

/// Checks all calls reachable from the entry, iteratively.
///
/// # Errors
/// `S1201` for a call that cannot be inlined, `S1104` for one that makes the entry too large.
pub fn check<'c>(root: Op<'c>, entry: Op<'c>) -> Result<(), Diagnostic> {
    let functions = root.body(0).ops().into_iter().filter(|op| op.is(func::FUNC));
    let functions: HashMap<_, _> = functions.map(|op| (function_name(op), op)).collect();
    let mut sizes: HashMap<Op<'c>, u64> = HashMap::new();
    let mut open: HashSet<Op<'c>> = HashSet::from([entry]);
    let mut path = vec![Visit::new(entry)];
    while let Some(last) = path.last_mut() {
        let Some(call) = last.calls.peek().copied() else {
            sizes.insert(last.function, last.size);
            open.remove(&last.function);
            path.pop();
            continue;
        };
        let name = call.attr("callee").and_then(|name| name.as_symbol()).unwrap_or("");
        let refuse = |why: &str| {
            diagnostic_at(codes::S1201, call)
                .reason(format!("the call of `@{name}` cannot be inlined: {why}"))
        };
        let callee = functions.get(name).ok_or_else(|| refuse("there is no such function"))?;
        if callee.region(0).first_block().is_none() {
            return Err(refuse("the function has no body")
                .hint("`stablehlo.custom_call` calls what is linked to the object"));
        }
        if open.contains(callee) {
            return Err(
                refuse("it is recursive").hint("StableHLO programs loop with `stablehlo.while`")
            );
        }
        match sizes.get(callee) {
            Some(size) => last.size = last.size.saturating_add(*size),
            // The call is revisited once the size of its callee is known.
            None => {
                open.insert(*callee);
                path.push(Visit::new(*callee));
                continue;
            }
        }
        last.calls.next();
        if last.size > LARGEST {
            return Err(diagnostic_at(codes::S1104, call)
                .reason(format!(
                    "with `@{name}` inlined, the function has more than {LARGEST} operations"
                ))
                .hint("a `stablehlo.while` repeats a computation without repeating its code"));
        }
    }
    Ok(())
}
