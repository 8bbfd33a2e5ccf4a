//! Functions of the formulas that few numbers need.
//!
//! The sine of large numbers takes ten times the operations of that of others, and nearly no vector has such numbers. Where an
//! unrolled loop has several sines, or the program has several such loops, these formulas are most of the code:
//!
//! ```mlir
//! %r = scf.if %any { …  scf.yield %large } else { scf.yield %near } {strata.rarely}
//! %s = scf.if %other { …  scf.yield %large1 } else { scf.yield %near1 } {strata.rarely}
//! ```
//! becomes
//! ```mlir
//! %r = scf.if %any { %large = call @strata.formula.0(%x, %near) … } else { scf.yield %near } {strata.rarely}
//! %s = scf.if %other { %large1 = call @strata.formula.0(%x1, %near1) … } else { scf.yield %near1 } {strata.rarely}
//! func.func private @strata.formula.0(…) -> … attributes {strata.formula}
//! ```
//! Equal formulas share a function, which is compiled once and whose code is not between that of the others.

use rustc_hash::{FxHashMap, FxHashSet};
use strata_ir::{
    Builder, Context, FORMULA, Module, Op, RARELY, Type, TypeExt as _, Value, View as _, WalkOrder,
    arith, func, function, module_op, scf, string, symbol, type_attr, ub, unit,
};
use strata_target::tuning::rare::{MAX_ARGUMENTS, MIN_FORMULA, MIN_SHARED};

use super::interleave::is_pure;
use crate::content::Content;

/// Moves the formulas of marked branches of `functions` that occur several times to functions.
pub fn share<'c>(
    context: &'c Context,
    module: &Module<'c>,
    functions: &[Op<'c>],
    with_locations: bool,
) {
    let mut formulas = Vec::new();
    let mut counts: FxHashMap<Vec<usize>, usize> = FxHashMap::default();
    for function in functions {
        for branch in function.collect(|op| op.is(scf::IF) && op.has_attr(RARELY)) {
            let is_inner = std::iter::successors(branch.parent(), |op| op.parent())
                .any(|op| op.is(scf::IF) && op.has_attr(RARELY));
            if let Some(formula) = (!is_inner).then(|| Formula::of(branch)).flatten() {
                let content = formula.content(with_locations);
                *counts.entry(content.clone()).or_default() += 1;
                formulas.push((formula, content));
            }
        }
    }
    let mut names: FxHashMap<&[usize], String> = FxHashMap::default();
    for (formula, content) in &formulas {
        if counts.get(content).is_some_and(|count| *count < MIN_SHARED) {
            continue;
        }
        let count = names.len();
        let name = names.entry(content).or_insert_with(|| {
            let name = format!("{FORMULA}.{count}");
            formula.define(context, module, &name);
            name
        });
        formula.call(context, name);
    }
}

/// Defines a function of the module with a mark, which returns what `body` makes of its arguments.
pub fn define_private<'c>(
    top: &Builder<'c>,
    (name, mark): (&str, &str),
    [inputs, outputs]: [&[Type<'c>]; 2],
    body: impl FnOnce(&Builder<'c>, &[Value<'c>]) -> Vec<Value<'c>>,
) {
    let context = top.context;
    let region = top.region(inputs, |inner, own| {
        let results = body(inner, own);
        inner.op(func::RETURN).operands(&results).build();
    });
    top.op(func::FUNC)
        .attr("sym_name", string(context, name))
        .attr("sym_visibility", string(context, "private"))
        .attr("function_type", type_attr(function(context, inputs, outputs)))
        .attr(mark, unit(context))
        .region(region)
        .build();
}

/// What a branch computes.
struct Formula<'c> {
    branch: Op<'c>,
    /// The values that it takes from outside.
    arguments: Vec<Value<'c>>,
    /// Constants and comparisons from outside, which the function has itself, in order.
    copies: Vec<Op<'c>>,
}

impl<'c> Formula<'c> {
    fn of(branch: Op<'c>) -> Option<Self> {
        let mut formula = Self { branch, arguments: Vec::new(), copies: Vec::new() };
        let mut known = FxHashSet::default();
        let mut size = 0;
        for op in branch.body(0).ops() {
            op.walk(WalkOrder::Pre, &mut |op| {
                size += 1;
                op.operands().into_iter().for_each(|value| formula.take(value, &mut known));
                known.extend(op.results());
            });
        }
        let passes = |value: &Value<'c>| {
            let bits = value.ty().element().bit_width();
            !value.ty().is_memref_type() && matches!(bits, Some(32 | 64))
        };
        let fits = size >= MIN_FORMULA
            && formula.arguments.len() <= MAX_ARGUMENTS
            && formula.arguments.iter().chain(&branch.results()).all(passes)
            && is_pure(branch);
        fits.then_some(formula)
    }

    /// Makes a value available in the function, unless it is `known` there.
    fn take(&mut self, value: Value<'c>, known: &mut FxHashSet<Value<'c>>) {
        if !known.insert(value) {
            return;
        }
        // Vectors of bits have no form in registers that all targets share: they are computed again.
        let is_cheap = |op: &Op<'c>| {
            matches!(op.name(), arith::CONSTANT | arith::CMPF | arith::CMPI | ub::POISON)
        };
        match value.owner().filter(is_cheap) {
            Some(owner) => {
                owner.operands().into_iter().for_each(|operand| self.take(operand, known));
                self.copies.push(owner);
            }
            None => self.arguments.push(value),
        }
    }

    /// Numbers that are equal for equal functions only.
    fn content(&self, with_locations: bool) -> Vec<usize> {
        let mut content = Content::default();
        self.arguments.iter().for_each(|value| content.define(*value));
        for op in self.copies.iter().copied().chain(self.branch.body(0).ops()) {
            content.add(op, with_locations);
        }
        content.into_words()
    }

    fn define(&self, context: &'c Context, module: &Module<'c>, name: &str) {
        let inputs: Vec<_> = self.arguments.iter().map(|value| value.ty()).collect();
        let outputs: Vec<_> = self.branch.results().iter().map(|value| value.ty()).collect();
        let top = Builder::at_end(context, module_op(module).body(0), self.branch.location());
        define_private(&top, (name, FORMULA), [&inputs, &outputs], |inner, own| {
            let mut known: FxHashMap<_, _> =
                self.arguments.iter().copied().zip(own.iter().copied()).collect();
            for op in &self.copies {
                inner.copy(*op, &mut known);
            }
            inner.copy_body(self.branch.body(0), &mut known)
        });
    }

    /// Replaces the branch by one that calls the function.
    fn call(&self, context: &'c Context, name: &str) {
        let types: Vec<_> = self.branch.results().iter().map(|value| value.ty()).collect();
        let builder = Builder::before(context, self.branch);
        let called = builder.region(&[], |inner, _| {
            let call = inner
                .op(func::CALL)
                .operands(&self.arguments)
                .attr("callee", symbol(context, name))
                .results(&types)
                .build();
            scf::yield_(inner, &call.results()).build();
        });
        let usual = builder.region(&[], |inner, _| {
            let mut known = FxHashMap::default();
            let results = inner.copy_body(self.branch.body(1), &mut known);
            scf::yield_(inner, &results).build();
        });
        let new = scf::if_(&builder, self.branch.operand(0), &types, called, usual).build().op();
        new.set_attr(RARELY, unit(context));
        for (old, new) in self.branch.results().into_iter().zip(new.results()) {
            old.replace_all_uses_with(new);
        }
        self.branch.erase();
    }
}
