//! Expands CHLO to StableHLO: implicit broadcasts become explicit, and synonyms are replaced.
//!
//! ```text
//! chlo.broadcast_add(x : 2x3, y : 3)   =>  add(x, broadcast_in_dim(y, [1]) : 2x3)
//! chlo.square(x)                       =>  multiply(x, x)
//! chlo.is_inf(x : f32)                 =>  compare EQ, abs(x), +inf
//! ```

use strata_ir::{
    Attribute, AttributeExt, Context, ElementType, Op, OpKind, OpName, Type, TypeExt as _, Value,
    bool_type, chlo, dense_splat, float, i64s, parse_attr, stablehlo, stablehlo_equal,
};
use strata_rewrite::{Guard as _, Outcome, Pattern, Rewriter};

/// `chlo.broadcast_<op>` and the corresponding StableHLO operation, or CHLO's if StableHLO has
/// none.
const BROADCASTS: &[(OpKind, OpName<'_>)] = &[
    (OpKind::ChloBroadcastAdd, stablehlo::ADD),
    (OpKind::ChloBroadcastAnd, stablehlo::AND),
    (OpKind::ChloBroadcastAtan2, stablehlo::ATAN2),
    (OpKind::ChloBroadcastCompare, stablehlo::COMPARE),
    (OpKind::ChloBroadcastComplex, stablehlo::COMPLEX),
    (OpKind::ChloBroadcastDivide, stablehlo::DIVIDE),
    (OpKind::ChloBroadcastMaximum, stablehlo::MAXIMUM),
    (OpKind::ChloBroadcastMinimum, stablehlo::MINIMUM),
    (OpKind::ChloBroadcastMultiply, stablehlo::MULTIPLY),
    (OpKind::ChloBroadcastNextAfter, chlo::NEXT_AFTER),
    (OpKind::ChloBroadcastOr, stablehlo::OR),
    (OpKind::ChloBroadcastPolygamma, chlo::POLYGAMMA),
    (OpKind::ChloBroadcastPower, stablehlo::POWER),
    (OpKind::ChloBroadcastRemainder, stablehlo::REMAINDER),
    (OpKind::ChloBroadcastShiftLeft, stablehlo::SHIFT_LEFT),
    (OpKind::ChloBroadcastShiftRightArithmetic, stablehlo::SHIFT_RIGHT_ARITHMETIC),
    (OpKind::ChloBroadcastShiftRightLogical, stablehlo::SHIFT_RIGHT_LOGICAL),
    (OpKind::ChloBroadcastSubtract, stablehlo::SUBTRACT),
    (OpKind::ChloBroadcastXor, stablehlo::XOR),
    (OpKind::ChloBroadcastZeta, chlo::ZETA),
];

/// The dimensions of `shape` that `operand` maps to: those given, or the last ones.
fn broadcast<'c>(
    rewriter: &Rewriter<'c>,
    operand: Value<'c>,
    shape: &[i64],
    dims: Option<Vec<i64>>,
) -> Outcome<Value<'c>> {
    let ty = operand.ty();
    let rank = ty.rank().or_decline("an operand is unranked")?;
    let wanted = strata_ir::tensor(shape, ty.element());
    let low = shape.len().checked_sub(rank).or_decline("the result has too low a rank")?;
    let dims = match dims {
        Some(dims) if rank < shape.len() => dims,
        _ => (low..shape.len()).map(|dim| dim as i64).collect(),
    };
    Ok(rewriter
        .builder()
        .op(stablehlo::BROADCAST_IN_DIM)
        .operand(operand)
        .attr("broadcast_dimensions", i64s(rewriter.context(), &dims))
        .result(wanted)
        .value())
}

fn static_shape(op: Op<'_>) -> Outcome<Vec<i64>> {
    let ty = op.result(0).ty();
    ty.has_static_shape().or_decline("the shape is known only at run time")?;
    ty.shape().or_decline("the result is unranked")
}

/// Both operands broadcast to the result's shape, then the operation itself.
pub(crate) struct ExpandBroadcast;

impl Pattern for ExpandBroadcast {
    fn name(&self) -> &'static str {
        "expand-broadcast"
    }

    fn roots(&self) -> &'static [OpKind] {
        const ROOTS: [OpKind; BROADCASTS.len()] = {
            let mut roots = [OpKind::Foreign; BROADCASTS.len()];
            let mut index = 0;
            while index < BROADCASTS.len() {
                roots[index] = BROADCASTS[index].0;
                index += 1;
            }
            roots
        };
        &ROOTS
    }

    fn rewrite<'c>(&self, op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
        let kind = op.kind();
        let (_, name) = BROADCASTS
            .iter()
            .find(|(candidate, _)| *candidate == kind)
            .or_decline("it is not a broadcasting operation")?;
        let shape = static_shape(op)?;
        let dims = op.attr("broadcast_dimensions").and_then(AttributeExt::as_i64s);
        let attributes = compare_attributes(rewriter.context(), op)?;
        let lhs = broadcast(rewriter, op.operand(0), &shape, dims.clone())?;
        let rhs = broadcast(rewriter, op.operand(1), &shape, dims)?;
        let expanded = rewriter
            .builder()
            .op(*name)
            .operands(&[lhs, rhs])
            .attrs(&attributes)
            .result(op.result(0).ty())
            .value();
        rewriter.replace(&[expanded]);
        Ok(())
    }
}

/// Converts CHLO's comparison attributes to StableHLO's: only the dialect's name differs.
fn compare_attributes<'c>(
    context: &'c Context,
    op: Op<'c>,
) -> Outcome<Vec<(&'static str, Attribute<'c>)>> {
    let mut attributes = Vec::new();
    for name in ["comparison_direction", "compare_type"] {
        if let Some(value) = op.attr(name) {
            let value = stablehlo_equal(context, value).or_decline("an attribute has no equal")?;
            attributes.push((name, value));
        }
    }
    Ok(attributes)
}

/// All three operands broadcast to the result's shape; a scalar predicate stays one.
pub(crate) struct ExpandBroadcastSelect;

impl Pattern for ExpandBroadcastSelect {
    fn name(&self) -> &'static str {
        "expand-broadcast-select"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::ChloBroadcastSelect]
    }

    fn rewrite<'c>(&self, op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
        let shape = static_shape(op)?;
        let operands = op
            .operands()
            .into_iter()
            .map(|operand| broadcast(rewriter, operand, &shape, None))
            .collect::<Outcome<Vec<_>>>()?;
        let select = rewriter
            .builder()
            .op(stablehlo::SELECT)
            .operands(&operands)
            .result(op.result(0).ty())
            .value();
        rewriter.replace(&[select]);
        Ok(())
    }
}

fn constant<'c>(rewriter: &Rewriter<'c>, ty: Type<'c>, value: Attribute<'c>) -> Value<'c> {
    rewriter.builder().op(stablehlo::CONSTANT).attr("value", value).result(ty).value()
}

/// `chlo.constant` is `stablehlo.constant`.
pub(crate) struct ExpandConstant;

impl Pattern for ExpandConstant {
    fn name(&self) -> &'static str {
        "expand-constant"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::ChloConstant]
    }

    fn rewrite<'c>(&self, op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
        let value = op.attr("value").or_decline("it has no value")?;
        let constant = constant(rewriter, op.result(0).ty(), value);
        rewriter.replace(&[constant]);
        Ok(())
    }
}

/// A constant of a known shape is a splat.
pub(crate) struct ExpandConstantLike;

impl Pattern for ExpandConstantLike {
    fn name(&self) -> &'static str {
        "expand-constant-like"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::ChloConstantLike]
    }

    fn rewrite<'c>(&self, op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
        static_shape(op)?;
        let value = op.attr("value").or_decline("it has no value")?;
        let ty = op.result(0).ty();
        let constant = constant(rewriter, ty, dense_splat(ty, value));
        rewriter.replace(&[constant]);
        Ok(())
    }
}

/// `chlo.square` is a product.
pub(crate) struct ExpandSquare;

impl Pattern for ExpandSquare {
    fn name(&self) -> &'static str {
        "expand-square"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::ChloSquare]
    }

    fn rewrite<'c>(&self, op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
        let operand = op.operand(0);
        (!operand.ty().element().is_complex()).or_decline("complex squares round differently")?;
        let product = rewriter
            .builder()
            .op(stablehlo::MULTIPLY)
            .operands(&[operand, operand])
            .result(op.result(0).ty())
            .value();
        rewriter.replace(&[product]);
        Ok(())
    }
}

/// `chlo.tan` is `stablehlo.tan`.
pub(crate) struct ExpandTan;

impl Pattern for ExpandTan {
    fn name(&self) -> &'static str {
        "expand-tan"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::ChloTan]
    }

    fn rewrite<'c>(&self, op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
        let tan = rewriter
            .builder()
            .op(stablehlo::TAN)
            .operand(op.operand(0))
            .result(op.result(0).ty())
            .value();
        rewriter.replace(&[tan]);
        Ok(())
    }
}

/// Whether a format has no infinities, as its name says: only finite numbers and NaN.
fn is_bounded(element: Type<'_>) -> bool {
    let Some(ElementType::SmallFloat(name)) = ElementType::from_type(element) else { return false };
    ["FN", "FNU", "FNUZ"].iter().any(|ending| name.ends_with(ending))
}

/// Comparisons with infinity.
pub(crate) struct ExpandIsInf;

impl Pattern for ExpandIsInf {
    fn name(&self) -> &'static str {
        "expand-is-inf"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::ChloIsInf, OpKind::ChloIsNegInf, OpKind::ChloIsPosInf]
    }

    fn rewrite<'c>(&self, op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
        let shape = static_shape(op)?;
        let operand = op.operand(0);
        let ty = operand.ty();
        let context = rewriter.context();
        if is_bounded(ty.element()) {
            let ty = strata_ir::tensor(&shape, bool_type(context));
            let never = constant(rewriter, ty, dense_splat(ty, strata_ir::boolean(context, false)));
            rewriter.replace(&[never]);
            return Ok(());
        }
        let infinity =
            if op.kind() == OpKind::ChloIsNegInf { f64::NEG_INFINITY } else { f64::INFINITY };
        let direction = parse_attr(context, "#stablehlo<comparison_direction EQ>")
            .or_decline("the dialect lacks a direction")?;
        let infinity = dense_splat(ty, float(context, ty.element(), infinity));
        let infinity = constant(rewriter, ty, infinity);
        let builder = rewriter.builder();
        let compared = if op.kind() == OpKind::ChloIsInf {
            builder.op(stablehlo::ABS).operand(operand).result(ty).value()
        } else {
            operand
        };
        let equal = builder
            .op(stablehlo::COMPARE)
            .operands(&[compared, infinity])
            .attr("comparison_direction", direction)
            .result(strata_ir::tensor(&shape, bool_type(context)))
            .value();
        rewriter.replace(&[equal]);
        Ok(())
    }
}
