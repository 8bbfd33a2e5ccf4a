//! Tokens: operations with effects keep their order anyway, so a token is a constant here.
//!
//! ```text
//! func.func @main(%t: !stablehlo.token, %x: tensor<3xf32>) -> (tensor<3xf32>, !stablehlo.token)
//! %1 = stablehlo.after_all %t, %u : !stablehlo.token
//! ```
//! becomes
//! ```text
//! func.func @main(%x: tensor<3xf32>) -> tensor<3xf32>
//! %1 = arith.constant true
//! ```
//! Tokens of the entry are dropped from the object's signature.

use strata_ir::{
    AttributeExt as _, Builder, Context, Op, OpKind, Type, TypeExt as _, Value, bool_type, func,
    function, function_types, recorded_types, stablehlo, type_attr,
};
use strata_rewrite::{Lowerer, Lowering, Outcome};

use crate::numbers::narrow::storage;

/// The type that a type of the program has after this stage.
pub fn converted<'c>(context: &'c Context, ty: Type<'c>) -> Type<'c> {
    if ty.is_token() { bool_type(context) } else { storage(ty) }
}

/// The constant for a token.
pub fn token<'c>(builder: &Builder<'c>) -> Value<'c> {
    builder.int(bool_type(builder.context), 1)
}

/// The lowering of the operations that make tokens.
pub struct Token;

impl Lowering for Token {
    fn name(&self) -> &'static str {
        "token"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::AfterAll, OpKind::CreateToken]
    }

    fn lower<'c>(
        &self,
        _: Op<'c>,
        _: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        Ok(vec![token(&lowerer.builder())])
    }
}

/// The original types that stage `hlo` recorded where it changed them, without the tokens.
pub fn recorded<'c>(func: Op<'c>) -> Option<(Vec<Type<'c>>, Vec<Type<'c>>)> {
    let (mut inputs, mut outputs) = recorded_types(func)?;
    inputs.retain(|ty| !ty.is_token());
    outputs.retain(|ty| !ty.is_token());
    Some((inputs, outputs))
}

/// Removes the tokens from the signature of `func`.
pub fn leave_signature<'c>(context: &'c Context, func: Op<'c>) {
    let ty = func.attr("function_type").and_then(|attr| attr.as_type());
    let Some((inputs, results)) = ty.and_then(function_types) else { return };
    if !inputs.iter().chain(&results).any(|ty| ty.is_token()) {
        return;
    }
    let [block] = func.region(0).blocks()[..] else { return };
    let start = Builder::at_start(context, block, func.location());
    for index in (0..block.arg_count()).rev().filter(|index| inputs[*index].is_token()) {
        let token = start.op(stablehlo::AFTER_ALL).result(inputs[index]).value();
        block.arg(index).replace_all_uses_with(token);
        block.erase_arg(index);
    }
    if let Some(end) = block.terminator() {
        let kept: Vec<_> =
            end.operands().into_iter().filter(|value| !value.ty().is_token()).collect();
        Builder::before(context, end).op(func::RETURN).operands(&kept).build();
        end.erase();
    }
    for name in ["arg_attrs", "res_attrs"] {
        func.remove_attr(name);
    }
    let kept = |types: &[Type<'c>]| -> Vec<Type<'c>> {
        types.iter().copied().filter(|ty| !ty.is_token()).collect()
    };
    func.set_attr("function_type", type_attr(function(context, &kept(&inputs), &kept(&results))));
}
