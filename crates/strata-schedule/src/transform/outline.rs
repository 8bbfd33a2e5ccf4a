//! Outlines a nest to a function, and inlines it again.
//!
//! A schedule works on a small function with just the nest: matching is local, a failure does not
//! change the program, and equal nests are scheduled once.

use std::collections::HashMap;

use strata_ir::{
    AttributeExt as _, Block, Builder, Context, Module, Op, TypeExt as _, Value, WalkOrder, arith,
    func, function, linalg, module_op, string, tensor, type_attr,
};

use crate::fusion::nest::{Nest, Role, role};

/// A nest as a function, and the values that its arguments stand for.
pub struct Outlined<'c> {
    /// The module that holds the function.
    pub module: Module<'c>,
    /// What the arguments stand for.
    pub inputs: Vec<Value<'c>>,
}

/// The only function of an outlined module.
pub fn function_of<'c>(module: &Module<'c>) -> Option<Op<'c>> {
    module_op(module).body(0).first_op()
}

struct Copier<'c> {
    context: &'c Context,
    body: Block<'c>,
    copies: HashMap<Value<'c>, Value<'c>>,
    inputs: Vec<Value<'c>>,
    /// Fills that a nest with a reduction reads, and does not begin with.
    read: Vec<Value<'c>>,
}

/// Copies a nest into a new function `@nest` in a new module.
pub fn outline<'c>(context: &'c Context, nest: &Nest<'c>) -> Outlined<'c> {
    let root = nest.ops[nest.ops.len() - 1];
    let module = Module::new(root.location());
    let top = Builder::at_end(context, module_op(&module).body(0), root.location());
    let region = top.region(&[], |_, _| {});
    let body = region.first_block(context);
    let placeholder = function(context, &[], &[]);
    let func = top
        .op(func::FUNC)
        .attr("sym_name", string(context, "nest"))
        .attr("function_type", type_attr(placeholder))
        .region(region)
        .build();
    let body = body.unwrap_or_else(|| func.body(0));
    let mut copier = Copier {
        context,
        body,
        copies: HashMap::new(),
        inputs: Vec::new(),
        read: read_fills(nest),
    };
    for op in &nest.ops {
        copier.copy(*op);
    }
    let results: Vec<_> =
        nest.results.iter().filter_map(|result| copier.copies.get(result).copied()).collect();
    Builder::at_end(context, body, root.location()).op(func::RETURN).operands(&results).build();
    let inputs: Vec<_> = copier.inputs.iter().map(|value| value.ty()).collect();
    let outputs: Vec<_> = results.iter().map(|value| value.ty()).collect();
    func.set_attr("function_type", type_attr(function(context, &inputs, &outputs)));
    Outlined { module, inputs: copier.inputs }
}

impl<'c> Copier<'c> {
    fn copy(&mut self, op: Op<'c>) {
        let mut outside = Vec::new();
        op.walk(WalkOrder::Pre, &mut |nested| {
            for value in nested.operands() {
                let inner = match (value.owner(), value.block_arg()) {
                    (Some(owner), _) => op.encloses(owner) && owner != op,
                    (None, Some((block, _))) => {
                        block.parent_op().is_some_and(|parent| op.encloses(parent))
                    }
                    (None, None) => false,
                };
                if !inner && !outside.contains(&value) {
                    outside.push(value);
                }
            }
        });
        for value in outside {
            self.import(value);
        }
        Builder::at_end(self.context, self.body, op.location()).copy(op, &mut self.copies);
    }

    /// Makes a value from outside available: cheap definitions are copied, others are arguments.
    fn import(&mut self, value: Value<'c>) {
        if self.copies.contains_key(&value) {
            return;
        }
        let is_copied = |owner: &Op<'c>| is_cheap(*owner) && !self.read.contains(&value);
        match value.owner().filter(is_copied) {
            Some(owner) => self.copy(owner),
            None => {
                let argument = self.body.add_arg(value.ty(), self.location(value));
                self.copies.insert(value, argument);
                self.inputs.push(value);
            }
        }
    }

    fn location(&self, value: Value<'c>) -> strata_ir::Location<'c> {
        value.owner().map_or_else(|| strata_ir::Location::unknown(self.context), Op::location)
    }
}

/// Fills whose elements a nest with a reduction reads, such as equal weights. Schedules take fills for what reductions begin with.
fn read_fills<'c>(nest: &Nest<'c>) -> Vec<Value<'c>> {
    let reduces = |op: &Op<'c>| match role(*op) {
        Some(Role::Generic(generic)) => !generic.is_parallel(),
        Some(Role::Heavy(_)) => true,
        None => false,
    };
    if !nest.ops.iter().any(reduces) {
        return Vec::new();
    }
    let is_fill = |value: &Value<'c>| value.owner().is_some_and(|owner| owner.is(linalg::FILL));
    let (mut read, mut begun) = (Vec::new(), Vec::new());
    for op in &nest.ops {
        let operands = op.operands();
        let (inputs, outputs) = operands.split_at(operands.len().saturating_sub(op.result_count()));
        read.extend(inputs.iter().copied().filter(is_fill));
        begun.extend(outputs.iter().copied());
    }
    read.retain(|value| !begun.contains(value));
    read
}

/// Definitions that are copied to every nest.
fn is_cheap(op: Op<'_>) -> bool {
    match op.name() {
        tensor::EMPTY => op.operand_count() == 0,
        linalg::FILL => true,
        arith::CONSTANT => op
            .attr("value")
            .is_some_and(|value| !op.result(0).ty().is_tensor_type() || value.is_splat()),
        _ => false,
    }
}

/// Moves the body of `func` before `root` and replaces `results` by its return values.
///
/// `func` is emptied; `inputs` are what its arguments stand for.
pub fn inline_before<'c>(
    func: Op<'c>,
    inputs: &[Value<'c>],
    results: &[Value<'c>],
    root: Op<'c>,
) -> Vec<Op<'c>> {
    let body = func.body(0);
    for (argument, input) in body.args().into_iter().zip(inputs) {
        argument.replace_all_uses_with(*input);
    }
    let mut moved = Vec::new();
    for op in body.ops() {
        if op.is(func::RETURN) {
            for (from, to) in results.iter().zip(op.operands()) {
                from.replace_all_uses_with(to);
            }
            op.erase();
        } else {
            op.move_before(root);
            moved.push(op);
        }
    }
    moved
}
