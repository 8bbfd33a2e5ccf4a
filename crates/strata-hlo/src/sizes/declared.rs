//! Sizes that the type of a result and an operand both say: they have to be the same.
//!
//! ```text
//! %0 = dynamic_iota %shape, dim = 0 : (tensor<1xi32>) -> tensor<4xi32>        %shape is [4]
//! ```
//!
//! Every place that takes a size from a type although an operand says it, too, asks here: the patterns for static results, and the
//! analyses of programs with open sizes.

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt as _, Builder, CONDITION, ComparisonDirection, Context, DYNAMIC, Op, OpKind,
    TypeExt as _, Value, boolean, capture, diagnostic_at, i64s, integer, stablehlo, string, tensor,
    unit,
};
use strata_rewrite::{Guard as _, Outcome, Pattern as _};
use strata_shapes::{DimExpr, attribute_operands, shape_operands};

use super::{
    refine,
    shapes::{self, Known},
};
use crate::{
    emit::Emit as _,
    interop::{annotations::unsplit, custom_call::target, dynamic_calls},
    pattern::{constant, defined_by},
    simplification::dynamic,
};

/// Why a type cannot have an open size.
pub const ONE_SIZE: &str = "its result has the size of its type for one size only";

/// A size that a type says.
pub struct Declared {
    /// The number of the result.
    pub result: usize,
    /// The dimension of the result.
    pub dim: usize,
    /// The size in the type.
    pub size: i64,
    /// The size that the operand says; `None` if that is not known.
    pub said: Option<DimExpr>,
}

impl Declared {
    /// Whether the operand says the size of the type; `None` if that is not known.
    pub fn agrees(&self) -> Option<bool> {
        self.said.as_ref()?.as_constant().map(|said| said == self.size)
    }

    /// The list of sizes that has this one, where there is one.
    #[allow(clippy::wildcard_enum_match_arm)] // Others have none, or several.
    pub fn list<'c>(&self, op: Op<'c>) -> Option<Value<'c>> {
        let shapes = shape_operands(op);
        let at = match op.kind() {
            OpKind::RealDynamicSlice => None,
            OpKind::CustomCall => shapes.get(self.result),
            _ => shapes.first(),
        };
        op.operands().get(*at?).copied()
    }

    /// What the two say.
    pub fn reason(&self) -> String {
        let Self { dim, size, said, .. } = self;
        match said.as_ref().and_then(DimExpr::as_constant) {
            Some(said) => {
                format!(
                    "its operands say that dimension {dim} of its result is {said}, and its type that it is {size}"
                )
            }
            None => format!(
                "dimension {dim} of its result is {size} in its type, and follows from operands that are not known to say so"
            ),
        }
    }
}

/// Whether an operand says the size of that dimension of a result.
#[allow(clippy::wildcard_enum_match_arm)] // Others have sizes that follow from those of operands and from attributes.
fn is_said(op: Op<'_>, result: usize, dim: usize) -> bool {
    match op.kind() {
        OpKind::DynamicBroadcastInDim
        | OpKind::DynamicReshape
        | OpKind::DynamicIota
        | OpKind::RealDynamicSlice
        | OpKind::Rng => true,
        OpKind::CustomCall => match target(op) {
            "stablehlo.dynamic_rng_bit_generator" => result == 1,
            "stablehlo.dynamic_top_k" => op.result(result).ty().rank() == Some(dim + 1),
            _ => shape_operands(op).get(result).is_some(),
        },
        _ => false,
    }
}

/// The sizes of an operation's results that types and operands say.
pub fn of<'c>(op: Op<'c>, known: &impl Known<'c>) -> Vec<Declared> {
    let mut all = Vec::new();
    for (index, result) in op.results().into_iter().enumerate() {
        let shape = result.ty().shape().unwrap_or_default().into_iter().enumerate();
        for (dim, size) in shape.filter(|(dim, size)| *size != DYNAMIC && is_said(op, index, *dim))
        {
            all.push(Declared {
                result: index,
                dim,
                size,
                said: shapes::stated(op, known, index, dim),
            });
        }
    }
    all
}

/// What constants and static types say.
struct Constants;

impl<'c> Known<'c> for Constants {
    fn dims(&self, value: Value<'c>) -> Option<Vec<Option<DimExpr>>> {
        let size = |size: i64| (size != DYNAMIC).then(|| DimExpr::constant(size));
        Some(value.ty().shape()?.into_iter().map(size).collect())
    }

    fn elements(&self, value: Value<'c>) -> Option<Vec<Option<DimExpr>>> {
        if let Ok(numbers) = constant(value) {
            let numbers = numbers.as_i64s()?.into_iter();
            return Some(numbers.map(|number| Some(DimExpr::constant(number))).collect());
        }
        let part = |part: Value<'c>| {
            let count = part.ty().element_count()? as usize;
            Some(self.elements(part).unwrap_or_else(|| vec![None; count]))
        };
        let parts = defined_by(value, OpKind::Concatenate).ok()?.operands().into_iter().map(part);
        Some(parts.collect::<Option<Vec<_>>>()?.concat())
    }
}

/// Declines where constant operands do not say all sizes of the results that types say, or say others.
pub fn agree(op: Op<'_>) -> Outcome {
    let agrees = of(op, &Constants).iter().all(|one| one.agrees() == Some(true));
    agrees.or_decline("the operands are not known to say the sizes of its type")
}

/// The first operation whose type contradicts what constant operands say. What sizes that were given forbid gets no hint about types:
/// other sizes are proposed for it.
///
/// # Errors
/// `S1106`.
pub fn check<'c>(context: &'c Context, func: Op<'c>, are_given: bool) -> Result<(), Diagnostic> {
    let reason = |op: Op<'c>| {
        let declared = of(op, &Constants);
        let wrong = declared.iter().find(|one| one.agrees() == Some(false));
        let wrong = wrong.map(Declared::reason).or_else(|| too_long(op, &declared));
        let wrong = wrong.map(|reason| (reason, true));
        wrong.or_else(|| Some((invalid(context, op)?, false)))
    };
    let all = func.collect(|_| true).into_iter();
    let beyond = all.filter_map(|op| Some((op, (refine::beyond_bound(op)?, true)))).next();
    let contradicts =
        || func.collect(takes_sizes).into_iter().find_map(|op| Some((op, reason(op)?)));
    match beyond.or_else(contradicts) {
        Some((op, (reason, is_of_type))) => {
            let error = diagnostic_at(codes::S1106, op)
                .reason(format!("sizes contradict each other: {reason}"));
            let hint = "give the result the type that its operands say, or `?` for its size";
            Err(if is_of_type || !are_given { error.hint(hint) } else { error })
        }
        None => Ok(()),
    }
}

/// Has the object check the sizes that operands of `rng` and of calls say, where these depend on values.
///
/// # Errors
/// `S1101` in a program that is split over devices, and as [`check`].
pub fn assert_drawn<'c>(context: &'c Context, func: Op<'c>) -> Result<(), Diagnostic> {
    for op in func.collect(|op| op.kind() == OpKind::Rng) {
        assert_unknown(op, &builder_at(context, op))?;
    }
    Ok(())
}

/// Makes operations static whose result has a static type, and whose shape is a value: the object checks that it is that of the type.
/// Says whether there are any.
///
/// # Errors
/// As [`assert_drawn`].
pub fn settle<'c>(context: &'c Context, func: Op<'c>) -> Result<bool, Diagnostic> {
    check(context, func, false)?;
    let mut changed = false;
    let has_shape = |op: Op<'c>| {
        let is_wrapper = target(op) == "stablehlo.shape_refinement_operand_wrapper";
        let is_call = op.kind() == OpKind::CustomCall && attribute_operands(op).is_none();
        is_call && !is_wrapper || dynamic::StaticShapeOperand.roots().contains(&op.kind())
    };
    for op in func.collect(has_shape) {
        let builder = builder_at(context, op);
        if op.kind() == OpKind::CustomCall {
            changed |= assert_unknown(op, &builder)?;
            continue;
        }
        let Ok(value) = dynamic::of_type(op, &builder) else { continue };
        assert_unknown(op, &builder)?;
        op.result(0).replace_all_uses_with(value);
        op.erase();
        changed = true;
    }
    Ok(changed)
}

fn builder_at<'c>(context: &'c Context, op: Op<'c>) -> Builder<'c> {
    Builder { location: op.location(), ..Builder::before(context, op) }
}

/// Has the object check sizes that the operation's type says, and a list of values; says whether there are any.
fn assert_unknown<'c>(op: Op<'c>, builder: &Builder<'c>) -> Result<bool, Diagnostic> {
    let mut conditions = Vec::new();
    for declared in of(op, &Constants).into_iter().filter(|one| one.agrees().is_none()) {
        let Some(list) = declared.list(op) else { continue };
        let number = element(builder, list, declared.dim);
        let holds = number.and_then(|number| is_size(builder, number, declared.size));
        conditions.push(holds.map_err(|why| refused(op, why.reason()))?);
    }
    let is_any = !conditions.is_empty();
    assert(op, builder, conditions).map_err(|why| refused(op, why.reason()))?;
    Ok(is_any)
}

fn refused(op: Op<'_>, why: &str) -> Diagnostic {
    diagnostic_at(codes::S1101, op)
        .reason(format!("the sizes that its operands say depend on values: {why}"))
        .hint("sizes have to follow from the sizes of inputs and from constants")
}

/// An element of a list, as `tensor<i64>`.
pub fn element<'c>(builder: &Builder<'c>, list: Value<'c>, at: usize) -> Outcome<Value<'c>> {
    let word = integer(builder.context, 64);
    if list.ty().element_count() == Some(1) {
        return Ok(builder.converted(builder.reshaped(list, &[]), word));
    }
    let bound = |at: usize| i64s(builder.context, &[at as i64]);
    let one = builder
        .op(stablehlo::SLICE)
        .operand(list)
        .attr("start_indices", bound(at))
        .attr("limit_indices", bound(at + 1))
        .attr("strides", bound(1))
        .result(tensor(&[1], list.ty().element()))
        .value();
    Ok(builder.converted(builder.reshaped(one, &[]), word))
}

/// Whether `number`, `tensor<i64>`, is that size.
pub fn is_size<'c>(builder: &Builder<'c>, number: Value<'c>, size: i64) -> Outcome<Value<'c>> {
    builder.compare(ComparisonDirection::Eq, number, builder.counter(size))
}

/// Has the object check conditions on values: it ends with `STRATA_WRONG_SIZES` where one does not hold.
pub fn assert<'c>(op: Op<'c>, builder: &Builder<'c>, conditions: Vec<Value<'c>>) -> Outcome {
    let both = |one, other| builder.same(stablehlo::AND, &[one, other]);
    let Some(all) = conditions.into_iter().reduce(both) else { return Ok(()) };
    unsplit(op).is_ok().or_decline("and the program is split over devices")?;
    let context = builder.context;
    let name = op.name().to_string();
    let message = format!("the size that an operand of `{name}` says is not that of its type");
    builder
        .op(stablehlo::CUSTOM_CALL)
        .operand(all)
        .attr("call_target_name", string(context, "shape_assertion"))
        .attr("has_side_effect", boolean(context, true))
        .attr("error_message", string(context, &message))
        .attr(CONDITION, unit(context))
        .build();
    Ok(())
}

/// Whether operands of the operation say sizes of its results.
fn takes_sizes(op: Op<'_>) -> bool {
    op.kind() == OpKind::SetDimensionSize
        || !shape_operands(op).is_empty()
        || attribute_operands(op).is_some()
}

/// Whether the program computes an operand that says sizes of results.
pub fn has_computed(func: Op<'_>) -> bool {
    !func.collect(is_computed).is_empty()
}

/// Whether an operand that says sizes of results is not a constant.
fn is_computed(op: Op<'_>) -> bool {
    let own = attribute_operands(op).unwrap_or_default().chain(shape_operands(op));
    own.filter_map(|at| op.operands().get(at).copied()).any(|value| constant(value).is_err())
}

/// Why a slice takes more than there is.
fn too_long(op: Op<'_>, declared: &[Declared]) -> Option<String> {
    let whole =
        op.operands().first().filter(|_| op.kind() == OpKind::RealDynamicSlice)?.ty().shape()?;
    let said =
        |one: &Declared| Some((one.dim, one.said.as_ref()?.as_constant()?, *whole.get(one.dim)?));
    let (dim, said, whole) = declared
        .iter()
        .filter_map(said)
        .find(|(_, said, whole)| *whole != DYNAMIC && said > whole)?;
    Some(format!("it takes {said} elements along dimension {dim}, and there are {whole}"))
}

/// The error for an operation of static type that takes sizes, which are not known.
pub fn unknown(op: Op<'_>) -> Option<Diagnostic> {
    let is_static = op.results().iter().all(|value| value.ty().has_static_shape());
    let is_refused = op.kind() != OpKind::CustomCall
        || attribute_operands(op).is_some()
        || target(op) == "stablehlo.shape_refinement_operand_wrapper";
    (is_static && is_refused && is_computed(op)).then(|| {
        diagnostic_at(codes::S1101, op)
            .reason("the sizes that its operands say depend on values, and its type says one size")
            .hint("sizes have to follow from the sizes of inputs and from constants")
    })
}

/// What its verifier, or that of its static form, says of an operation.
fn invalid<'c>(context: &'c Context, op: Op<'c>) -> Option<String> {
    let (is_valid, reports) = capture(context, || op.verify());
    match is_valid {
        true => {
            let builder = Builder::before(context, op);
            dynamic::contradiction(op, &builder)
                .or_else(|| dynamic_calls::contradiction(op, &builder))
        }
        false => reports.into_iter().find(|report| report.is_error).map(|report| report.message),
    }
}
