//! Declaration of patterns, and common matchers.

use strata_ir::{
    Attribute, AttributeExt as _, Builder, Op, OpKind, Type, TypeExt as _, VALID, Value,
    dense_splat, stablehlo,
};
use strata_rewrite::{Guard as _, Outcome};
use strata_shapes::{Family, family};

use crate::{COMPARED, interop::annotations::unsplit};

/// Declares patterns: a unit struct each, with a stable name, the kinds it matches and its function.
macro_rules! patterns {
    ($($(#[$doc:meta])* $pattern:ident = $name:literal on [$($kind:ident),+] by $rewrite:ident;)+) => {
        $(
            $(#[$doc])*
            pub struct $pattern;

            impl strata_rewrite::Pattern for $pattern {
                fn name(&self) -> &'static str {
                    $name
                }

                fn roots(&self) -> &'static [strata_ir::OpKind] {
                    &[$(strata_ir::OpKind::$kind),+]
                }

                fn rewrite<'c>(
                    &self,
                    op: strata_ir::Op<'c>,
                    rewriter: &mut strata_rewrite::Rewriter<'c>,
                ) -> strata_rewrite::Outcome {
                    $rewrite(op, rewriter)
                }
            }
        )+
    };
}

pub(crate) use patterns;

/// The required integers of attribute `name`.
pub fn ints(op: Op<'_>, name: &'static str) -> Outcome<Vec<i64>> {
    let values = op.attr(name).and_then(|values| values.as_i64s());
    values.ok_or_else(|| format!("attribute `{name}` is missing").into())
}

/// The integers of attribute `name`; as many times `default` where it is absent.
pub fn ints_or(op: Op<'_>, name: &'static str, count: usize, default: i64) -> Outcome<Vec<i64>> {
    if op.attr(name).is_some() { ints(op, name) } else { Ok(vec![default; count]) }
}

/// The operation of kind `kind` that defines `value`.
pub fn defined_by(value: Value<'_>, kind: OpKind) -> Outcome<Op<'_>> {
    value
        .owner()
        .filter(|op| op.kind() == kind)
        .ok_or_else(|| format!("the operand is not defined by {}", kind.name()).into())
}

/// The attribute of the constant that defines `value`.
pub fn constant(value: Value<'_>) -> Outcome<Attribute<'_>> {
    let op = defined_by(value, OpKind::Constant)?;
    // Its elements are those of the storage, of which no other constant of the type is made.
    (value.ty().element().dialect() != "quant").or_decline("the constant is quantized")?;
    op.attr("value").ok_or_else(|| "the constant has no value".into())
}

/// The splat element of the constant that defines `value`, looking through broadcasts.
pub fn splat(mut value: Value<'_>) -> Outcome<Attribute<'_>> {
    while let Ok(broadcast) = defined_by(value, OpKind::BroadcastInDim) {
        value = broadcast.operand(0);
    }
    constant(value)?.splat_value().ok_or_else(|| "the constant is not a splat".into())
}

/// Declines where values are split over devices, and where sizes are bounds: loops end at the sizes of a call along the dimensions that the
/// program has, not along joined ones.
pub fn is_whole(op: Op<'_>) -> Outcome {
    is_compiled(op)?;
    let is_open = ancestors(op).any(|op| op.has_attr(VALID));
    (!is_open).or_decline("sizes are open")
}

/// Whether values are neither split over devices nor those of a program of one size, whose operations are compared with those of others:
/// for patterns that some sizes are too small for.
pub fn is_compiled(op: Op<'_>) -> Outcome {
    unsplit(op)?;
    let is_compared = ancestors(op).any(|op| op.has_attr(COMPARED));
    (!is_compared).or_decline("programs of several sizes are compared")
}

/// Whether each element of a result is computed from those at its place, by what the name and the attributes of the operation say.
pub fn is_pointwise(kind: OpKind) -> bool {
    family(kind) == Family::Pointwise
        && !matches!(kind, OpKind::Map | OpKind::UniformDequantize | OpKind::UniformQuantize)
}

/// The operation and those around it.
fn ancestors(op: Op<'_>) -> impl Iterator<Item = Op<'_>> {
    std::iter::successors(Some(op), |op| op.parent())
}

/// The commutative operation by which `reduce` combines the elements of one operand.
pub fn combines(reduce: Op<'_>) -> Outcome<Op<'_>> {
    (reduce.operand_count() == 2).or_decline("there are several inputs")?;
    let block = reduce.region(0).first_block().or_decline("the body is empty")?;
    let (ops, args) = (block.ops(), block.args());
    let [step, end] = ops[..] else { return Err("the body is not a single operation".into()) };
    use OpKind::{Add, And, Maximum, Minimum, Multiply, Or, Xor};
    let is_commutative = matches!(step.kind(), Add | And | Maximum | Minimum | Multiply | Or | Xor);
    let both = args.iter().all(|argument| step.operands().contains(argument));
    let ends = end.operands() == [step.result(0)];
    (is_commutative && both && ends).or_decline("the body combines its arguments otherwise")?;
    Ok(step)
}

/// Whether `reduce` is a sum of one operand.
pub fn sums(reduce: Op<'_>) -> Outcome {
    (combines(reduce)?.kind() == OpKind::Add).or_decline("it is not a sum")
}

/// `stablehlo.constant` with that value.
pub fn new_constant<'c>(builder: &Builder<'c>, ty: Type<'c>, value: Attribute<'c>) -> Value<'c> {
    builder.op(stablehlo::CONSTANT).attr("value", value).result(ty).value()
}

/// `stablehlo.constant` whose elements all equal `element`.
pub fn new_splat<'c>(builder: &Builder<'c>, ty: Type<'c>, element: Attribute<'c>) -> Value<'c> {
    new_constant(builder, ty, dense_splat(ty, element))
}
