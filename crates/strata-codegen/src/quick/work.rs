//! How much a program does in a call, and its scalar loops alone, found at the end of stage `vector`, where loops have bounds.

use std::collections::BTreeMap;

use melior::{Context, ir::Module};
use strata_ir::{
    AttributeExt as _, Block, Exchange, ExternalCall, Op, TensorSpec, TypeExt as _, arith, func,
    function_name, int, integer, marked_entry, memref, module_op, scf,
};
use strata_target::tuning::quick::MAX_SCALAR_WORK;

use super::is_vector_code;

/// The entry's attribute with the number of operations of scalar loops.
const SCALAR_WORK: &str = "strata.scalar_work";
/// The same of all operations.
const WORK: &str = "strata.work";

/// The number of operations in scalar loops that [`note`] has found.
pub(super) fn scalar(entry: Op<'_>) -> Option<i64> {
    entry.attr(SCALAR_WORK)?.as_i64()
}

/// The number of all operations that [`note`] has found.
pub(super) fn all(entry: Op<'_>) -> Option<i64> {
    entry.attr(WORK)?.as_i64()
}

/// Notes the numbers of operations on the entry.
pub(crate) fn note<'c>(context: &'c Context, module: &Module<'c>) {
    let Ok(entry) = marked_entry(module) else { return };
    for (name, counted) in [(SCALAR_WORK, Counted::ScalarLoops), (WORK, Counted::All)] {
        let functions = module_op(module).body(0).ops().into_iter().filter(|op| op.is(func::FUNC));
        let functions = functions.map(|function| (function_name(function), function)).collect();
        let work = Work { counted, functions, known: BTreeMap::new() }.of_function(entry);
        entry.set_attr(name, int(integer(context, 64), work));
    }
}

/// Which operations are counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counted {
    /// Those of loops that are not vector code.
    ScalarLoops,
    All,
}

struct Work<'c> {
    counted: Counted,
    functions: BTreeMap<&'c str, Op<'c>>,
    /// The work of functions that were looked at.
    known: BTreeMap<&'c str, i64>,
}

impl<'c> Work<'c> {
    fn of_function(&mut self, function: Op<'c>) -> i64 {
        let name = function_name(function);
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        // One that calls itself has no bound.
        self.known.insert(name, i64::MAX);
        let work = self.of_regions(function, 1);
        self.known.insert(name, work);
        work
    }

    /// What is in an operation, in so many runs.
    fn of_regions(&mut self, op: Op<'c>, runs: i64) -> i64 {
        let blocks = (0..op.region_count()).flat_map(|index| op.region(index).blocks());
        let ops: Vec<_> = blocks.flat_map(|block| block.ops()).collect();
        let each = match self.counted {
            Counted::All => runs.saturating_mul(ops.len() as i64),
            Counted::ScalarLoops => 0,
        };
        ops.into_iter().fold(each, |sum, op| sum.saturating_add(self.of_op(op, runs)))
    }

    fn of_op(&mut self, op: Op<'c>, runs: i64) -> i64 {
        match op.name() {
            scf::FOR => {
                let Some(runs) = trips(op).map(|trips| trips.saturating_mul(runs)) else {
                    return i64::MAX;
                };
                let own = match self.counted {
                    Counted::ScalarLoops => operations(op.body(0)).saturating_mul(runs),
                    Counted::All => 0,
                };
                self.of_regions(op, runs).saturating_add(own)
            }
            scf::IF => self.of_regions(op, runs),
            func::CALL => {
                let callee = op.attr("callee").and_then(|name| name.as_symbol());
                let called = callee.and_then(|name| self.functions.get(name).copied());
                let work = called.map_or(0, |function| match ExternalCall::of(function) {
                    Some(call) => call.as_ref().map_or(0, of_sum),
                    None => self.of_function(function),
                });
                work.saturating_mul(runs)
            }
            memref::COPY => {
                let elements = op.operand(0).ty().element_count();
                let elements = elements.and_then(|count| i64::try_from(count).ok());
                elements.unwrap_or(i64::MAX).saturating_mul(runs)
            }
            _ if op.region_count() > 0 => i64::MAX,
            _ => 0,
        }
    }
}

/// What a device does to combine the elements of others: a loop around a function, of which LLVM makes vectors only where its whole pipeline
/// has put the one into the other. More than a little has no bound, so that it is run.
fn of_sum(call: &ExternalCall<'_>) -> i64 {
    let Some(exchange) = Exchange::of(call).filter(|exchange| exchange.reduction.is_some()) else {
        return 0;
    };
    let others = exchange.groups.iter().map(Vec::len).max().unwrap_or(1).saturating_sub(1);
    let elements = call.outputs.iter().map(TensorSpec::element_count).sum::<u64>();
    // Two loads, the function and a store.
    let work = elements.saturating_mul(others as u64).saturating_mul(4);
    i64::try_from(work).ok().filter(|work| *work <= MAX_SCALAR_WORK).unwrap_or(i64::MAX)
}

/// The operations of a loop's body, unless it is vector code.
fn operations(body: Block<'_>) -> i64 {
    if is_vector_code(body) { 0 } else { body.ops().len() as i64 }
}

/// The trip count of a loop with constant bounds.
fn trips(each: Op<'_>) -> Option<i64> {
    let constant = |index| each.operand(index).owner().filter(|op| op.is(arith::CONSTANT));
    let bound = |index| constant(index)?.attr("value")?.as_i64();
    let (first, last, step) = (bound(0)?, bound(1)?, bound(2).filter(|step| *step > 0)?);
    let length = last.checked_sub(first)?.max(0);
    Some(length / step + i64::from(length % step > 0))
}
