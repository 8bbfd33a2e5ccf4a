//! Quantized programs on the integers that are stored, by the rules in `docs/semantics/quantized.md`.
//!
//! ```text
//! %0 = add %x, %y : tensor<3x!quant.uniform<i8:f32, 0.5:-3>>
//!   → %a = multiply (convert (subtract (convert %x : i32), -3) : f32), 0.5, %b of %y alike
//!     %1 = add %a, %b : tensor<3xf32>
//!     %0 = convert (round_nearest_even (clamp -128, (add (divide %1, 0.5), -3), 127)) : i8
//! ```
//!
//! What moves elements moves integers. Dots and convolutions of two quantized operands are sums of integers ([`contraction`]);
//! everything else that computes does so on the numbers that are meant. The entry's original types are recorded, for its signature.

mod contraction;
mod declined;
mod dynamic;
mod grouped;
mod numbers;
mod scaled;

use std::collections::HashMap;

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt as _, Builder, Context, ElementType, Misfit, Op, OpKind, QuantizedType, Type,
    TypeExt as _, Value, WalkOrder, dense_bytes, diagnostic_at, f64_type, function, function_types,
    record_types, stored_type, type_attr,
};

use self::numbers::{dequantized, quantized};
pub use self::scaled::{contract, contracted_dot};
use crate::{emit::Emit as _, pattern::new_constant};

/// What becomes of an operation on quantized tensors.
enum Treatment {
    /// It moves elements, or hands them to regions: on integers it does the same.
    Moves,
    /// It computes what one rounding determines: in the type of the numbers that are meant.
    Rounds,
    /// It computes what algorithms approximate: in `f64`, so that the rounding to the numbers that are meant hides the error.
    Approximates,
    /// A sum of products.
    Contracts,
    /// Integers in the program.
    Constant,
    Quantize,
    Dequantize,
    /// StableHLO does not define it on quantized tensors.
    Undefined,
}

#[rustfmt::skip]
fn treatment(kind: OpKind) -> Treatment {
    match kind {
        OpKind::AllGather | OpKind::AllReduce | OpKind::AllToAll | OpKind::BitcastConvert
        | OpKind::Broadcast | OpKind::BroadcastInDim | OpKind::Case | OpKind::CollectiveBroadcast
        | OpKind::CollectivePermute | OpKind::Concatenate | OpKind::CrossReplicaSum
        | OpKind::CustomCall | OpKind::DynamicBroadcastInDim | OpKind::DynamicGather
        | OpKind::DynamicPad | OpKind::DynamicReshape | OpKind::DynamicSlice
        | OpKind::DynamicUpdateSlice | OpKind::Gather | OpKind::GetDimensionSize
        | OpKind::GetTupleElement | OpKind::If | OpKind::Infeed | OpKind::Map
        | OpKind::OptimizationBarrier | OpKind::Outfeed | OpKind::Pad | OpKind::RealDynamicSlice
        | OpKind::Recv | OpKind::Reduce | OpKind::ReduceScatter | OpKind::ReduceWindow
        | OpKind::Reshape | OpKind::Return | OpKind::Reverse | OpKind::Scatter | OpKind::Select
        | OpKind::SelectAndScatter | OpKind::Send | OpKind::SetDimensionSize | OpKind::Slice
        | OpKind::Sort | OpKind::TorchIndexSelect | OpKind::Transpose | OpKind::Tuple
        | OpKind::While | OpKind::ChloScan | OpKind::SdyManualComputation | OpKind::SdyReshard
        | OpKind::SdyPropagationBarrier | OpKind::SdyReturn | OpKind::SdyShardingConstraint | OpKind::SdyShardingGroup => Treatment::Moves,
        OpKind::Abs | OpKind::Add | OpKind::Ceil | OpKind::Clamp | OpKind::Compare | OpKind::Divide
        | OpKind::DynamicIota | OpKind::Floor | OpKind::Iota | OpKind::IsFinite | OpKind::Maximum
        | OpKind::Minimum | OpKind::Multiply | OpKind::Negate | OpKind::ReducePrecision
        | OpKind::Remainder | OpKind::RoundNearestAfz | OpKind::RoundNearestEven | OpKind::Sign
        | OpKind::Sqrt | OpKind::Subtract => Treatment::Rounds,
        OpKind::Atan2 | OpKind::BatchNormGrad | OpKind::BatchNormInference
        | OpKind::BatchNormTraining | OpKind::Cbrt | OpKind::Cosine | OpKind::Exponential
        | OpKind::ExponentialMinusOne | OpKind::Log | OpKind::LogPlusOne | OpKind::Logistic
        | OpKind::Power | OpKind::Rsqrt | OpKind::Sine | OpKind::Tan | OpKind::Tanh => Treatment::Approximates,
        OpKind::Convolution | OpKind::Dot | OpKind::DotGeneral | OpKind::DynamicConv => Treatment::Contracts,
        OpKind::Constant => Treatment::Constant,
        OpKind::UniformQuantize => Treatment::Quantize,
        OpKind::UniformDequantize => Treatment::Dequantize,
        _ => Treatment::Undefined,
    }
}

/// The quantized values of a function, by the integers that they have become.
struct Expansion<'c> {
    context: &'c Context,
    types: HashMap<Value<'c>, QuantizedType<'c>>,
}

/// Rewrites `func` on stored integers, if it has quantized values.
///
/// # Errors
/// `S1101` for sizes that are known only at run time, `S1102` for operations that are not defined on quantized tensors.
pub fn expand<'c>(context: &'c Context, func: Op<'c>) -> Result<(), Diagnostic> {
    let mut found = Vec::new();
    let mut values = Vec::new();
    func.walk(WalkOrder::Pre, &mut |op| {
        let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
        let defined: Vec<_> =
            op.results().into_iter().chain(blocks.flat_map(|block| block.args())).collect();
        let is_quantized = |value: &&Value<'c>| stored_type(value.ty()) != value.ty();
        let count = values.len();
        values.extend(defined.iter().filter(is_quantized).copied());
        if values.len() > count || op.operands().iter().any(|value| is_quantized(&value)) {
            found.push(op);
        }
    });
    if found.is_empty() {
        return Ok(());
    }
    values.iter().try_for_each(|value| check_type(func, *value))?;
    found.iter().filter(|op| **op != func).try_for_each(|op| check(*op))?;
    record(context, func);
    let mut expansion = Expansion { context, types: HashMap::new() };
    for value in values {
        let ty = value.ty();
        if let Some(quantized) = QuantizedType::of(ty.element()).filter(|_| ty.is_tensor_type()) {
            expansion.types.insert(value, quantized);
        }
        value.set_ty(stored_type(ty));
    }
    found.into_iter().filter(|op| *op != func).try_for_each(|op| expansion.rewrite(op))
}

/// Refuses types that the verifier of no operation has seen: those of inputs that are only passed on.
fn check_type(func: Op<'_>, value: Value<'_>) -> Result<(), Diagnostic> {
    let ty = value.ty();
    let expressed = QuantizedType::of(ty.element()).map(|quantized| quantized.expressed);
    if let Some(number) = expressed.filter(|number| ElementType::from_type(*number).is_none()) {
        return Err(diagnostic_at(codes::S1102, value.owner().unwrap_or(func))
            .reason(format!("type `{ty}` means numbers of `{number}`, which are not supported"))
            .hint("integers that mean numbers of `f32`, `f64`, `f16` or `bf16` compile"));
    }
    let Some(misfit) = Misfit::of(ty).filter(|misfit| *misfit != Misfit::Blocks) else {
        return Ok(());
    };
    let at = value.owner().unwrap_or(func);
    Err(diagnostic_at(codes::S1005, at)
        .reason(format!("type `{ty}`: {}", misfit.reason()))
        .hint(misfit.hint()))
}

/// Refuses operations that mean nothing on quantized tensors, or that would give integers another meaning.
fn check(op: Op<'_>) -> Result<(), Diagnostic> {
    let treatment = treatment(op.kind());
    if matches!(treatment, Treatment::Undefined) && op.dialect() != "func" {
        return Err(diagnostic_at(codes::S1102, op)
            .reason("the operation is not defined on quantized tensors")
            .hint("convert to numbers with `uniform_dequantize` before it, and back with `uniform_quantize`"));
    }
    if let (Treatment::Moves, Some((from, to))) = (treatment, changed_meaning(op)) {
        return Err(diagnostic_at(codes::S1102, op)
            .reason(format!(
                "it would move stored integers of `{}` to `{}`, in which they mean other numbers",
                from.ty(),
                to.ty()
            ))
            .hint(
                "give both the same scales and zero points, or convert with `uniform_quantize`",
            ));
    }
    let values = op.operands().into_iter().chain(op.results());
    let is_open = |value: &Value<'_>| {
        QuantizedType::of(value.ty().element()).is_some() && !value.ty().has_static_shape()
    };
    match values.into_iter().find(is_open) {
        Some(value) => Err(diagnostic_at(codes::S1101, op)
            .reason(format!(
                "type `{}` has a dimension that is known only at run time, and is quantized",
                value.ty()
            ))
            .hint("give the sizes with `--bind` or `--input-shapes`")),
        None => Ok(()),
    }
}

/// Two values between which an operation moves elements, and whose stored integers mean other numbers. Verifiers take types for
/// compatible that differ in their scales.
fn changed_meaning<'c>(op: Op<'c>) -> Option<(Value<'c>, Value<'c>)> {
    let (operands, results) = (op.operands(), op.results());
    let count = results.len();
    let differ = |pair: &(Value<'c>, Value<'c>)| {
        let [from, to] = [pair.0, pair.1].map(|value| QuantizedType::of(value.ty().element()));
        from.zip(to).is_some_and(|(from, to)| !from.means_the_same(&to))
    };
    // What a region returns, and its parameters, each with the result of its number.
    let of_regions = || {
        op.regions().into_iter().filter_map(|region| region.first_block()).flat_map(|block| {
            let end = block.terminator().map(Op::operands).unwrap_or_default();
            let is_sort = op.kind() == OpKind::Sort;
            let number = move |at: usize| if is_sort { at / 2 } else { at % count.max(1) };
            let args = block.args().into_iter().enumerate();
            let returned = end.into_iter().enumerate();
            returned.chain(args.map(move |(at, arg)| (number(at), arg))).collect::<Vec<_>>()
        })
    };
    let with_result = |(at, value): (usize, Value<'c>)| Some((value, *results.get(at)?));
    let numbered = |values: Vec<Value<'c>>| values.into_iter().enumerate();
    let pairs: Vec<_> = match op.kind() {
        // They pass values of any types, or bits.
        OpKind::BitcastConvert
        | OpKind::CustomCall
        | OpKind::GetTupleElement
        | OpKind::Infeed
        | OpKind::Outfeed
        | OpKind::Recv
        | OpKind::Return
        | OpKind::Send
        | OpKind::Tuple => Vec::new(),
        OpKind::If | OpKind::Case => of_regions().filter_map(with_result).collect(),
        OpKind::While
        | OpKind::OptimizationBarrier
        | OpKind::Sort
        | OpKind::AllGather
        | OpKind::AllReduce
        | OpKind::AllToAll
        | OpKind::ReduceScatter => {
            numbered(operands).chain(of_regions()).filter_map(with_result).collect()
        }
        OpKind::Reduce | OpKind::ReduceWindow => {
            let number = |(at, value)| (at % count.max(1), value);
            numbered(operands).map(number).chain(of_regions()).filter_map(with_result).collect()
        }
        OpKind::Scatter => {
            // Inputs, indices, updates.
            let number = |(at, value)| (if at > count { at - count - 1 } else { at }, value);
            numbered(operands).map(number).chain(of_regions()).filter_map(with_result).collect()
        }
        // A region's parameters are the operands.
        OpKind::Map => {
            let blocks = op.regions().into_iter().filter_map(|region| region.first_block());
            let args = blocks.flat_map(|block| block.args());
            operands.into_iter().zip(args).collect()
        }
        _ => operands.into_iter().filter_map(|value| Some((value, *results.first()?))).collect(),
    };
    pairs.into_iter().find(differ)
}

/// Records the original types of inputs and outputs, and declares integers.
fn record<'c>(context: &'c Context, func: Op<'c>) {
    let ty = func.attr("function_type").and_then(|ty| ty.as_type());
    let Some((inputs, outputs)) = ty.and_then(function_types) else { return };
    let stored =
        |types: &[Type<'c>]| -> Vec<_> { types.iter().copied().map(stored_type).collect() };
    let (new_inputs, new_outputs) = (stored(&inputs), stored(&outputs));
    if (&new_inputs, &new_outputs) != (&inputs, &outputs) {
        record_types(context, func, &inputs, &outputs);
        let ty = function(context, &new_inputs, &new_outputs);
        func.set_attr("function_type", type_attr(ty));
    }
}

impl<'c> Expansion<'c> {
    fn rewrite(&mut self, op: Op<'c>) -> Result<(), Diagnostic> {
        let builder = Builder::before(self.context, op);
        let results = match treatment(op.kind()) {
            Treatment::Moves | Treatment::Undefined => return Ok(()),
            Treatment::Constant => match self.stored_constant(op, &builder) {
                Some(constant) => vec![constant],
                None => return Ok(()),
            },
            Treatment::Rounds => self.computed(op, &builder, false),
            Treatment::Approximates => self.computed(op, &builder, true),
            Treatment::Dequantize => vec![self.number(op.operand(0), &builder)],
            Treatment::Quantize => {
                let value = self.number(op.operand(0), &builder);
                vec![self.integer(value, op.result(0), &builder)]
            }
            Treatment::Contracts => vec![self.contracted(op, &builder)],
        };
        for (old, new) in op.results().into_iter().zip(results) {
            if let Some(ty) = self.types.get(&old).cloned() {
                self.types.insert(new, ty);
            }
            old.replace_all_uses_with(new);
        }
        op.erase();
        Ok(())
    }

    /// The number that a quantized value means; another value itself.
    fn number(&self, value: Value<'c>, builder: &Builder<'c>) -> Value<'c> {
        match self.types.get(&value) {
            Some(ty) => dequantized(builder, value, ty),
            None => value,
        }
    }

    /// `number` as integers of the type of `result`, if that is quantized.
    fn integer(&self, number: Value<'c>, result: Value<'c>, builder: &Builder<'c>) -> Value<'c> {
        match self.types.get(&result) {
            Some(ty) => quantized(builder, number, ty),
            None => number,
        }
    }

    /// Dequantizes, computes and quantizes; in `f64` if `is_wide`.
    fn computed(&self, op: Op<'c>, builder: &Builder<'c>, is_wide: bool) -> Vec<Value<'c>> {
        let wide = |element: Type<'c>| if is_wide { f64_type(self.context) } else { element };
        let widened = |value: Value<'c>| {
            let number = self.number(value, builder);
            let is_float = number.ty().element().is_float_type();
            if is_float { builder.converted(number, wide(number.ty().element())) } else { number }
        };
        let operands: Vec<_> = op.operands().into_iter().map(widened).collect();
        let element = |result: Value<'c>| match self.types.get(&result) {
            Some(ty) => ty.expressed,
            None => result.ty().element(),
        };
        let types = op.results().into_iter().map(|result| match element(result) {
            number if number.is_float_type() => result.ty().with_element(wide(number)),
            _ => result.ty(),
        });
        let types: Vec<_> = types.collect();
        let computed =
            builder.op(op.name()).operands(&operands).attrs(&op.attrs()).results(&types).build();
        let narrow = |(number, result): (Value<'c>, Value<'c>)| {
            self.integer(builder.converted(number, element(result)), result, builder)
        };
        computed.results().into_iter().zip(op.results()).map(narrow).collect()
    }

    /// The constant with the sign of its type; `None` if it has that.
    fn stored_constant(&self, op: Op<'c>, builder: &Builder<'c>) -> Option<Value<'c>> {
        let (value, ty) = (op.attr("value")?, op.result(0).ty());
        if value.elements_type() == Some(ty) {
            return None;
        }
        Some(new_constant(builder, ty, dense_bytes(ty, &value.raw_elements()?)?))
    }
}
