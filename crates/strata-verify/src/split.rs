//! Splits a program with expectations into a computation and its expectations.
//!
//! ```text
//! func.func @main() {                              func.func @main(%0: tensor<2xf32>) -> tensor<2xf32> {
//!   %0 = constant dense<[1.0, 2.0]>          =>      %1 = add %0, %0
//!   %1 = add %0, %0                                  return %1
//!   check.expect_eq_const %1, dense<…>             }
//!   return                                         func.func @main(%1: tensor<2xf32>) {
//! }                                                  check.expect_eq_const %1, dense<…>
//!                                                    return
//!                                                  }
//! ```
//!
//! The constants become inputs, so that the compiler cannot compute the results itself.

use std::collections::HashSet;

use strata_diag::Diagnostic;
use strata_eval::Tensor;
use strata_ir::{
    AttributeExt as _, Block, Builder, Context, Location, Module, Op, OpKind, Type, TypeExt as _,
    Value, check, entry_functions, func, function, interpreter, module_op, print, run_pipeline,
    string, type_attr,
};
use strata_shapes::attribute_operands;

/// The two parts, as text, and the computation's inputs.
#[derive(Clone, Debug)]
pub struct Split {
    /// The program to compile; its public function is `@main`.
    pub computation: String,
    /// The bytes of the computation's inputs.
    pub inputs: Vec<Vec<u8>>,
    /// The expectations: a function of the computation's results.
    pub expectations: String,
}

/// Why a program cannot be split.
#[derive(Clone, Debug)]
pub enum Uncut {
    /// It does not have the form that can be split; the evaluator can still run it.
    Reason(&'static str),
    /// Something is wrong.
    Error(Diagnostic),
}

impl From<Diagnostic> for Uncut {
    fn from(error: Diagnostic) -> Self {
        Self::Error(error)
    }
}

/// Operations with an operand that must be constant because their shape depends on it.
const SHAPED_BY_OPERANDS: &[OpKind] = &[
    OpKind::DynamicBroadcastInDim,
    OpKind::DynamicConv,
    OpKind::DynamicGather,
    OpKind::DynamicIota,
    OpKind::DynamicPad,
    OpKind::DynamicReshape,
    OpKind::RealDynamicSlice,
    OpKind::Rng,
    OpKind::SetDimensionSize,
];

/// Sizes, and paddings on both sides, of a tensor are lists of no more numbers.
const LONGEST_LIST: u64 = 64;

impl Split {
    /// Splits `module`, which is consumed. `arguments` are the entry's own inputs.
    ///
    /// # Errors
    /// Where the program is not one function with expectations at its top level.
    pub fn new<'c>(
        context: &'c Context,
        mut module: Module<'c>,
        arguments: &[Tensor],
    ) -> Result<Self, Uncut> {
        let entry = choose_entry(context, &module)?;
        if !module_op(&module).collect(|op| op.is(interpreter::RUN_PARALLEL)).is_empty() {
            return Err(Uncut::Reason("the case runs several processes"));
        }
        run_pipeline(context, &mut module, "builtin.module(inline{default-pipeline=},symbol-dce)")?;
        let body = entry.body(0);
        forget_observers(&module, body)?;
        // A probe is an expectation too: another one compares the probed values.
        let stays = |op: &Op<'_>| is_check(*op) || is_probe(*op);
        let checks: Vec<Op> = body.ops().into_iter().filter(stays).collect();
        if module_op(&module).collect(|op| stays(&op)).len() != checks.len() {
            return Err(Uncut::Reason("an expectation is in a region or in another function"));
        }
        let expectations = expectations(context, &checks, entry.location());
        if !checks.iter().all(|check| check.is_unused()) {
            return Err(Uncut::Reason("the program uses the result of an expectation"));
        }
        let mut inputs: Vec<_> = arguments.iter().map(|tensor| tensor.bytes().to_vec()).collect();
        for constant in body.ops() {
            if let Some(bytes) = liftable(constant) {
                let argument = body.add_arg(constant.result(0).ty(), constant.location());
                constant.result(0).replace_all_uses_with(argument);
                constant.erase();
                inputs.push(bytes);
            }
        }
        // After the lifting: an expected constant is an argument by now.
        let returned: Vec<Value> = checks.iter().flat_map(|check| check.operands()).collect();
        checks.into_iter().for_each(Op::erase);
        let terminator = body.terminator().ok_or(Uncut::Reason("the function does not return"))?;
        Builder::before(context, terminator).op(func::RETURN).operands(&returned).build();
        terminator.erase();
        let types =
            |values: &[Value<'c>]| values.iter().map(|value| value.ty()).collect::<Vec<_>>();
        let ty = function(context, &types(&body.args()), &types(&returned));
        entry.set_attr("function_type", type_attr(ty));
        entry.set_attr("sym_name", string(context, "main"));
        for name in ["arg_attrs", "res_attrs", "sym_visibility"] {
            entry.remove_attr(name);
        }
        Ok(Self { computation: print(&module, true), inputs, expectations })
    }
}

/// The only public function, or `@main` among several; the others become private.
fn choose_entry<'c>(context: &'c Context, module: &Module<'c>) -> Result<Op<'c>, Uncut> {
    let functions = entry_functions(module);
    let main = functions.iter().find(|op| strata_ir::function_name(**op) == "main");
    let entry = match (functions.as_slice(), main) {
        ([only], _) => *only,
        (_, Some(main)) => *main,
        _ => {
            return Err(Uncut::Reason("there is not exactly one public function"));
        }
    };
    for other in functions.into_iter().filter(|op| *op != entry) {
        other.set_attr("sym_visibility", string(context, "private"));
    }
    Ok(entry)
}

/// Removes operations that only print values; a probe at the top level of `body` is left without uses.
fn forget_observers<'c>(module: &Module<'c>, body: Block<'c>) -> Result<(), Uncut> {
    let root = module_op(module);
    let compared = !root.collect(|op| op.is(check::EXPECT_SERIALIZED_EQ)).is_empty();
    for op in root.collect(|op| op.is(interpreter::PRINT) || is_probe(op)) {
        if is_probe(op) {
            op.result(0).replace_all_uses_with(op.operand(0));
            if op.block() == Some(body) {
                continue;
            }
            if compared {
                return Err(Uncut::Reason("a probe whose values are compared is in a region"));
            }
        }
        op.erase();
    }
    Ok(())
}

fn is_probe(op: Op<'_>) -> bool {
    op.is(interpreter::PROBE)
}

fn is_check(op: Op<'_>) -> bool {
    op.dialect() == "check"
        || (op.kind() == OpKind::CustomCall
            && op
                .attr("call_target_name")
                .and_then(|name| name.as_str())
                .is_some_and(|name| name.starts_with("check.")))
}

/// The bytes of a constant that can be an input instead.
fn liftable(op: Op<'_>) -> Option<Vec<u8>> {
    if op.kind() != OpKind::Constant {
        return None;
    }
    if is_for_shapes(op.result(0), &mut HashSet::new()) {
        return None;
    }
    op.attr("value")?.raw_elements()
}

/// Whether an operation needs the value as a constant, or what lists of integers are computed from it.
fn is_for_shapes<'c>(value: Value<'c>, seen: &mut HashSet<Op<'c>>) -> bool {
    let is_attribute =
        |user, operand| attribute_operands(user).is_some_and(|all| all.contains(&operand));
    value.uses().into_iter().any(|(user, operand)| {
        if SHAPED_BY_OPERANDS.contains(&user.kind()) || is_attribute(user, operand) {
            return true;
        }
        let is_list = |result: &Value<'c>| {
            let ty = result.ty();
            let is_small = ty.element_count().is_some_and(|count| count <= LONGEST_LIST);
            is_small && ty.element().is_int()
        };
        let is_new = user.region_count() == 0 && seen.insert(user);
        is_new
            && user.results().into_iter().filter(is_list).any(|result| is_for_shapes(result, seen))
    })
}

/// A module whose function takes the operands of all `checks` and holds the checks.
fn expectations<'c>(context: &'c Context, checks: &[Op<'c>], location: Location<'c>) -> String {
    let module = Module::new(location);
    let types: Vec<Type> =
        checks.iter().flat_map(|check| check.operands()).map(|value| value.ty()).collect();
    let builder = Builder::at_end(context, module_op(&module).body(0), location);
    let region = builder.region(&types, |builder, args| {
        let mut next = 0;
        for check in checks {
            let copy = builder.insert(check.clone_detached());
            for index in 0..copy.operand_count() {
                copy.set_operand(index, args[next]);
                next += 1;
            }
        }
        builder.op(func::RETURN).build();
    });
    builder
        .op(func::FUNC)
        .attr("sym_name", string(context, "main"))
        .attr("function_type", type_attr(function(context, &types, &[])))
        .region(region)
        .build();
    print(&module, false)
}

#[cfg(test)]
mod tests {
    use strata_ir::{function_types, new_context, parse};

    use super::*;

    #[test]
    fn constants_become_inputs_and_checked_values_results() {
        let context = new_context();
        let text = "func.func @main() {\n\
            %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n\
            %1 = stablehlo.add %0, %0 : tensor<2xf32>\n\
            check.expect_eq_const %1, dense<[2.0, 4.0]> : tensor<2xf32>\n\
            func.return\n}";
        let module = parse(&context, "test.mlir", text.as_bytes()).expect("parses");
        let split = Split::new(&context, module, &[]).expect("splits");
        assert_eq!(split.inputs, [[0, 0, 128, 63, 0, 0, 0, 64]]);
        for part in [&split.computation, &split.expectations] {
            let module = parse(&context, "part.mlir", part.as_bytes()).expect("parses again");
            let entry = entry_functions(&module)[0];
            let ty = entry.attr("function_type").and_then(|ty| ty.as_type()).expect("a type");
            let (inputs, results) = function_types(ty).expect("a function type");
            assert_eq!(inputs.len(), 1);
            assert_eq!(results.len(), usize::from(part == &split.computation));
        }
    }
}
