//! Functions that a program computes at many places, as functions of their own.
//!
//! A formula is 20 to 100 operations. Where a client waits for the compilation, a chain of many of them is mostly copies of few formulas:
//!
//! ```mlir
//! %1 = math.tanh %0 : vector<8xf32>
//! … three more of them
//! ```
//! becomes
//! ```mlir
//! %1 = call @strata.math.tanh.8xf32(%0)
//! func.func private @strata.math.tanh.8xf32(%x: vector<8xf32>) -> vector<8xf32> attributes {strata.math} { … math.tanh %x … }
//! ```
//! The formula is the same, and so are the results.

use std::collections::BTreeMap;

use strata_ir::{
    Builder, Context, MATH, Module, Op, ROUNDED, TASKS, Type, TypeExt as _, Value, func, math,
    module_op, scf, symbol,
};
use strata_target::tuning::quick::{MAX_CALLS, MIN_SHARED_MATH};

use super::{
    super::{
        formulas::define_private,
        unroll::{constant, trips},
    },
    TABLE,
};

/// Operations of one name and type, in the order of the program.
type Places<'c> = BTreeMap<String, Vec<Op<'c>>>;

/// Whether [`share`] finds something in `functions`.
pub fn occurs(functions: &[Op<'_>]) -> bool {
    !places(functions).is_empty()
}

/// Makes functions of operations that `functions`, whose vectors are those of the target, have at many places that few calls come by.
///
/// What is the same in each iteration of a loop has to be outside of it: a call is not moved.
pub fn share<'c>(context: &'c Context, module: &Module<'c>, functions: &[Op<'c>]) {
    for (name, ops) in places(functions) {
        define(context, module, &name, ops[0]);
        for op in ops {
            let call = Builder::before(context, op)
                .op(func::CALL)
                .operands(&op.operands())
                .attr("callee", symbol(context, &name))
                .results(&[op.result(0).ty()])
                .build();
            op.result(0).replace_all_uses_with(call.result(0));
            op.erase();
        }
    }
}

fn places<'c>(functions: &[Op<'c>]) -> Places<'c> {
    let mut places = Places::new();
    for function in functions {
        for op in function.collect(|op| is_formula(op) && is_short(op)) {
            places.entry(name(op)).or_default().push(op);
        }
    }
    places.retain(|_, ops| ops.len() >= MIN_SHARED_MATH);
    places
}

/// Whether it becomes a formula that is longer than a call, and takes and gives what targets pass in registers.
fn is_formula(op: Op<'_>) -> bool {
    let passes = |value: &Value<'_>| {
        let element = value.ty().element();
        element.is_float_type() && matches!(element.bit_width(), Some(32 | 64))
    };
    // A square root and a division.
    let is_long = !op.is(math::RSQRT) && TABLE.iter().any(|(name, ..)| op.is(*name));
    let is_rounded = op.has_attr(ROUNDED);
    is_long && !is_rounded && op.operands().iter().chain(&op.results()).all(passes)
}

/// Whether loops of known bounds, or of as many iterations as the task of a kernel has, compute it few times in a call.
fn is_short(op: Op<'_>) -> bool {
    let mut calls = Some(1_i64);
    let mut outer = op.parent();
    while let Some(each) = outer.filter(|each| !each.is(func::FUNC)) {
        calls = match each.name() {
            scf::FOR => {
                calls.zip(iterations(each)).and_then(|(calls, here)| calls.checked_mul(here))
            }
            scf::IF => calls,
            _ => None,
        };
        outer = each.parent();
    }
    calls.is_some_and(|calls| calls <= MAX_CALLS)
}

/// How often the body of a loop runs, at most: of one over a range of tasks, for all of them, as they are along a dimension of a buffer.
fn iterations(each: Op<'_>) -> Option<i64> {
    let of_ranges = || {
        let mut around = std::iter::successors(each.parent(), |op| op.parent());
        let function = around.find(|op| op.is(func::FUNC) && op.has_attr(TASKS))?;
        let step = constant(each.operand(2)).filter(|step| *step > 0)?;
        let buffers = function.body(0).args().into_iter().filter_map(|value| value.ty().shape());
        Some(buffers.flatten().max()?.max(step) / step)
    };
    trips(each).or_else(of_ranges)
}

/// The name of the function: the operation's and its type's.
fn name(op: Op<'_>) -> String {
    let ty = op.result(0).ty().to_string();
    let shape = ty.trim_start_matches("vector<").trim_end_matches('>');
    let short = op.name().as_str().rsplit('.').next().unwrap_or_default();
    format!("{MATH}.{short}.{shape}")
}

fn define<'c>(context: &'c Context, module: &Module<'c>, name: &str, op: Op<'c>) {
    let inputs: Vec<Type<'c>> = op.operands().iter().map(|value| value.ty()).collect();
    let outputs = [op.result(0).ty()];
    let top = Builder::at_end(context, module_op(module).body(0), op.location());
    define_private(&top, (name, MATH), [&inputs, &outputs], |inner, arguments| {
        inner.op(op.name()).operands(arguments).results(&outputs).build().results()
    });
}
