//! Small changes of functions: what they return, and what a part of them uses.

use strata_ir::{
    AttributeExt as _, Builder, Context, Op, Value, WalkOrder, func, function, type_attr,
};

/// Makes the function return `values` instead of what it returns.
pub fn return_only<'c>(context: &'c Context, func: Op<'c>, values: &[Value<'c>]) {
    let Some(terminator) = func.body(0).terminator() else { return };
    Builder::before(context, terminator).op(func::RETURN).operands(values).build();
    terminator.erase();
    retype(context, func);
}

/// Gives the function the type that its body has, and drops what the attributes said about the old results.
pub fn retype<'c>(context: &'c Context, func: Op<'c>) {
    let body = func.body(0);
    let inputs: Vec<_> = body.args().iter().map(|value| value.ty()).collect();
    let returned = body.terminator().map(Op::operands).unwrap_or_default();
    let outputs: Vec<_> = returned.iter().map(|value| value.ty()).collect();
    func.set_attr("function_type", type_attr(function(context, &inputs, &outputs)));
    func.remove_attr("res_attrs");
    let described = func.attr("arg_attrs").and_then(|list| list.as_array()).map(|list| list.len());
    if described != Some(inputs.len()) {
        func.remove_attr("arg_attrs");
    }
}

/// The values from outside that operations and their regions use, each once.
pub fn free_values<'c>(ops: &[Op<'c>]) -> Vec<Value<'c>> {
    let mut found: Vec<Value<'c>> = Vec::new();
    let inside = |value: Value<'c>| {
        value.home().is_some_and(|owner| ops.iter().any(|op| *op == owner || op.encloses(owner)))
    };
    for op in ops {
        op.walk(WalkOrder::Pre, &mut |nested| {
            for value in nested.operands() {
                if !inside(value) && !found.contains(&value) {
                    found.push(value);
                }
            }
        });
    }
    found
}
