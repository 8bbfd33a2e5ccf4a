//! Sizes that are known only at run time: the symbols that they depend on, their values if the caller gives them, and the types
//! that follow.
//!
//! ```text
//! func.func @main(%x: tensor<?x16xf32>)   with b=8   →   func.func @main(%x: tensor<8x16xf32>)
//! ```

pub mod declared;
mod open;
mod padded;
mod refine;
mod row_rules;
mod rows;
mod shapes;
mod symbols;
mod walk;

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt as _, Context, Op, OpKind, Type, TypeExt as _, Value, WalkOrder, capture,
    diagnostic_at, dimension_bounds, function, tensor, type_attr,
};
use strata_options::Options;
use strata_rewrite::{Pattern, apply_greedily};
use strata_shapes::{Variable, attribute_operands};

pub use open::of as open;
pub use refine::{is_dynamic, sizes_of};
pub use symbols::Symbols;
pub use walk::numbers_of;

use self::padded::Buffers;
use crate::{
    expansion::{chlo, einsum},
    interop::{custom_call, dynamic_calls},
    simplification::{
        broadcast, control_flow, dynamic, fold, fold_elementwise, fold_movement, reshape, slices,
    },
};

/// No dimension is larger: its size is a 32-bit number (`get_dimension_size`).
pub const LARGEST: i64 = i32::MAX as i64;

/// The patterns that find out sizes: arithmetic on constants, and types that follow from operands.
pub const PATTERNS: &[&dyn Pattern] = &[
    &refine::RefineTypes,
    &broadcast::BroadcastOfSplat,
    &broadcast::BroadcastUpgrade,
    &chlo::ExpandBroadcast,
    &chlo::ExpandBroadcastSelect,
    &chlo::ExpandConstant,
    &chlo::ExpandConstantLike,
    &control_flow::KnownBranch,
    &custom_call::ShapeAssertion,
    &custom_call::ShapeWrapper,
    &dynamic::SlidingSlice,
    &dynamic::StaticShapeOperand,
    &dynamic::StaticPad,
    &dynamic::StaticSlice,
    &dynamic::StaticGather,
    &dynamic::StaticConvolution,
    &dynamic::FullDimension,
    &dynamic::ShorterDimension,
    &dynamic_calls::DynamicCall,
    &einsum::ExpandEinsum,
    &einsum::ExpandUnaryEinsum,
    &einsum::ExpandIndexSelect,
    &fold::ReshapeOfConstant,
    &fold::MoveOfSplat,
    &fold::IdentityConvert,
    &fold::StaticDimensionSize,
    &fold_elementwise::FoldSizes,
    &fold_movement::FoldPick,
    &fold_movement::FoldConcatenate,
    &fold_movement::FoldPad,
    &reshape::IdentityReshape,
    &slices::StaticDynamicSlice,
];

/// Finds out the sizes that follow from those that are known.
///
/// # Errors
/// As [`apply_greedily`].
fn refine_types<'c>(context: &'c Context, func: Op<'c>) -> Result<(), Diagnostic> {
    // Inference also reports sizes that contradict each other in a branch that is not taken; elsewhere, the verifier finds them.
    capture(context, || apply_greedily(context, func, PATTERNS)).0.map(drop)
}

/// Whether a value of the function, or the type of one of its inputs, has a dimension of unknown size.
pub fn has_unknown_sizes(func: Op<'_>) -> bool {
    let mut found = false;
    func.walk(WalkOrder::Pre, &mut |op| {
        let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
        let arguments = blocks.flat_map(|block| block.args());
        found =
            found || op.results().into_iter().chain(arguments).any(|value| is_dynamic(value.ty()));
    });
    found
}

/// The inputs of the function.
fn inputs<'c>(func: Op<'c>) -> Vec<Value<'c>> {
    func.region(0).first_block().map(|block| block.args()).unwrap_or_default()
}

/// Makes the program one for any sizes up to the bounds of the options.
///
/// # Errors
/// `S1101` at an operation that cannot be computed so; `S1106` as [`resolve`].
pub fn pad<'c>(
    context: &'c Context,
    func: Op<'c>,
    symbols: &Symbols,
    options: &Options,
) -> Result<(), Diagnostic> {
    bind(context, func, symbols, options)?;
    refine_types(context, func)?;
    declared::check(context, func, false)?;
    let buffers = match options.is_specialization {
        true => Buffers::Given(&options.output_buffers),
        false => Buffers::InParts,
    };
    let padded::Shapes { outputs, laid, conditions } =
        padded::pad_to_bounds(context, func, symbols, options, buffers)?;
    let position = |(name, _): &(String, i64)| symbols.names.iter().position(|own| own == name);
    let open: Vec<usize> = options.bounds.iter().filter_map(position).collect();
    let bound = symbols.bound(&options.bind);
    let shapes = open::finish(bound, &open, (outputs, laid), (conditions, None), &options.bounds)?;
    shapes.set(context, func);
    Ok(())
}

/// Computes with sizes that values set (`set_dimension_size`) by masks, where all inputs are static.
///
/// # Errors
/// `S1101` at an operation that cannot be computed so.
pub fn mask<'c>(
    context: &'c Context,
    func: Op<'c>,
    symbols: &Symbols,
    options: &Options,
) -> Result<(), Diagnostic> {
    let mut sets = false;
    let is_bounded = |value: &Value<'_>| dimension_bounds(value.ty()).is_some();
    func.walk(WalkOrder::Pre, &mut |op| {
        sets |= op.kind() == OpKind::SetDimensionSize || op.results().iter().any(is_bounded);
    });
    if sets && has_unknown_sizes(func) {
        refine_types(context, func)?;
        declared::check(context, func, false)?;
    }
    if sets && has_unknown_sizes(func) {
        let mut options = options.clone();
        if let Some(shapes) = &options.input_shapes {
            let values = symbols.names.iter().cloned().zip(values_in(symbols, shapes));
            options.bind = values.filter_map(|(name, value)| Some((name, value?))).collect();
        }
        padded::pad_to_bounds(context, func, symbols, &options, Buffers::Whole)?;
    }
    Ok(())
}

/// Makes calls operations whose attributes they compute, in a program without open sizes; says whether it has any.
///
/// # Errors
/// `S1106` for sizes that contradict each other.
pub fn resolve_calls<'c>(context: &'c Context, func: Op<'c>) -> Result<bool, Diagnostic> {
    let has_calls = has_calls(func);
    if has_calls || declared::has_computed(func) {
        refine_types(context, func)?;
        declared::check(context, func, false)?;
    }
    Ok(has_calls)
}

/// Whether an operation of the function is a call with attributes that the program computes.
fn has_calls(func: Op<'_>) -> bool {
    !func.collect(|op| attribute_operands(op).is_some()).is_empty()
}

/// Bounds of symbols that the types of the inputs say: `tensor<?xf32, #stablehlo.bounds<8>>`.
fn typed_bounds(func: Op<'_>, symbols: &Symbols) -> Vec<(String, i64)> {
    let mut bounds: Vec<(String, i64)> = Vec::new();
    for (input, shape) in inputs(func).into_iter().zip(&symbols.shapes) {
        let own = dimension_bounds(input.ty()).unwrap_or_default();
        for (bound, size) in own.into_iter().zip(shape) {
            let (Some(bound), Some(Variable::Symbol(index))) = (bound, size.as_variable()) else {
                continue;
            };
            let name = &symbols.names[index];
            match bounds.iter_mut().find(|(known, _)| known == name) {
                Some((_, least)) => *least = bound.min(*least),
                None => bounds.push((name.clone(), bound)),
            }
        }
    }
    bounds
}

/// Gives the inputs the sizes that the options say, and all values the types that follow. Does nothing to a program some of whose
/// inputs have sizes that are not given.
///
/// # Errors
/// `S1106` for sizes that the program's symbols, its assertions or its operations contradict.
pub fn resolve<'c>(
    context: &'c Context,
    func: Op<'c>,
    symbols: &Symbols,
    options: &Options,
) -> Result<(), Diagnostic> {
    bind(context, func, symbols, options)?;
    let is_open = inputs(func).iter().any(|input| is_dynamic(input.ty()));
    if is_open {
        return Ok(());
    }
    if has_unknown_sizes(func) || has_calls(func) || declared::has_computed(func) {
        refine_types(context, func)?;
        set_signature(context, func);
    }
    check_counted(func)?;
    declared::check(context, func, !symbols.names.is_empty())?;
    let (valid, reports) = capture(context, || func.verify());
    if valid {
        return Ok(());
    }
    let report = reports.into_iter().find(|report| report.is_error);
    let mut error = Diagnostic::new(codes::S1106);
    if let Some(report) = report {
        error = error.reason(format!("sizes contradict each other: {}", report.message));
        if let Some(location) = report.location {
            error = error.at(location);
        }
    }
    Err(error)
}

/// Sizes that a program asks for are numbers of 32 bits, by the definition of `get_dimension_size`.
fn check_counted(func: Op<'_>) -> Result<(), Diagnostic> {
    let too_large = |op: Op<'_>| {
        let dim = usize::try_from(op.attr("dimension")?.as_i64()?).ok()?;
        let size = *op.operand(0).ty().shape()?.get(dim)?;
        (size > LARGEST).then_some(size)
    };
    let asked = func.collect(|op| op.kind() == OpKind::GetDimensionSize);
    match asked.into_iter().find_map(|op| Some((op, too_large(op)?))) {
        Some((op, size)) => Err(diagnostic_at(codes::S1106, op)
            .reason(format!(
                "a size is {size}, and the program computes with it in 32 bits: at most {LARGEST}"
            ))
            .hint("give a smaller size")),
        None => Ok(()),
    }
}

/// Gives the inputs the sizes that the options say.
fn bind<'c>(
    context: &'c Context,
    func: Op<'c>,
    symbols: &Symbols,
    options: &Options,
) -> Result<(), Diagnostic> {
    let shapes = match &options.input_shapes {
        Some(shapes) => given_shapes(func, symbols, shapes)?,
        None if options.bind.is_empty() => return Ok(()),
        None => bound_shapes(func, symbols, &options.bind)?,
    };
    set_sizes(context, func, &shapes);
    Ok(())
}

/// Gives dimensions of inputs without a size the one in `shapes`, where it has one.
fn set_sizes<'c>(context: &'c Context, func: Op<'c>, shapes: &[Vec<Option<i64>>]) {
    for (input, shape) in inputs(func).into_iter().zip(shapes) {
        let Some(mut sizes) = input.ty().shape() else { continue };
        if !is_dynamic(input.ty()) {
            continue;
        }
        for (size, given) in sizes.iter_mut().zip(shape) {
            *size = given.unwrap_or(*size);
        }
        input.set_ty(tensor(&sizes, input.ty().element()));
    }
    set_signature(context, func);
}

/// The function's type follows its inputs and what it returns.
fn set_signature<'c>(context: &'c Context, func: Op<'c>) {
    let returned = func.region(0).first_block().and_then(|block| block.terminator());
    let results = returned.map(|end| end.operands()).unwrap_or_default();
    let types = |values: Vec<Value<'c>>| -> Vec<Type<'c>> {
        values.into_iter().map(|value| value.ty()).collect()
    };
    let ty = function(context, &types(inputs(func)), &types(results));
    func.set_attr("function_type", type_attr(ty));
}

/// The sizes of arrays, where the program does not say them.
fn given_shapes(
    func: Op<'_>,
    symbols: &Symbols,
    given: &[Vec<i64>],
) -> Result<Vec<Vec<Option<i64>>>, Diagnostic> {
    let inputs = inputs(func);
    for (index, (input, shape)) in inputs.iter().zip(given).enumerate() {
        let rank = input.ty().rank().unwrap_or_default();
        if is_dynamic(input.ty()) && rank != shape.len() {
            return Err(diagnostic_at(codes::S1106, func).reason(format!(
                "input {index} (`{}`) has {rank} dimensions ({}), and the array has {}",
                symbols.inputs[index],
                symbols.shape_text(index),
                shape.len()
            )));
        }
    }
    let values = values_in(symbols, given);
    check_constraints(func, symbols, &values)?;
    let expected = symbols.shapes_at(&|index| values.get(index).copied().flatten());
    for (index, (shape, given)) in expected.iter().zip(given).enumerate() {
        let wrong = shape.iter().zip(given).position(|(size, given)| *size != Some(*given));
        if let Some(dim) = wrong.filter(|_| is_dynamic(inputs[index].ty())) {
            return Err(diagnostic_at(codes::S1106, func).reason(format!(
                "dimension {dim} of input {index} (`{}`) is {}, and the program's is {}{}",
                symbols.inputs[index],
                given[dim],
                symbols.shapes[index][dim].text(&|variable| symbols.name(variable)),
                described(symbols, &values)
            )));
        }
    }
    Ok(expected)
}

/// The values of symbols for inputs of these shapes.
fn values_in(symbols: &Symbols, given: &[Vec<i64>]) -> Vec<Option<i64>> {
    let size = |variable| match variable {
        Variable::Dimension(input, dim) => given.get(input)?.get(dim).copied(),
        Variable::Symbol(_) => None,
    };
    symbols.values.iter().map(|of| of.value(&size)).collect()
}

/// ` with b = 8, s = 4`.
fn described(symbols: &Symbols, values: &[Option<i64>]) -> String {
    let known = symbols.names.iter().zip(values);
    let known = known.filter_map(|(name, value)| Some(format!("{name} = {}", (*value)?)));
    let known: Vec<_> = known.collect();
    if known.is_empty() { String::new() } else { format!(" with {}", known.join(", ")) }
}

/// The sizes of inputs where symbols have the given values.
fn bound_shapes(
    func: Op<'_>,
    symbols: &Symbols,
    given: &[(String, i64)],
) -> Result<Vec<Vec<Option<i64>>>, Diagnostic> {
    let refuse = |reason: String| diagnostic_at(codes::S1106, func).reason(reason);
    let mut values: Vec<Option<i64>> = vec![None; symbols.names.len()];
    for (name, value) in given {
        let Some(index) = symbols.names.iter().position(|known| known == name) else {
            return Err(unknown_symbol(func, symbols, name));
        };
        if *value < 0 {
            return Err(refuse(format!("`{name}` is {value}, and sizes are not negative"))
                .hint("give a size of 0 or more"));
        }
        if let Some(other) = values[index].filter(|other| other != value) {
            return Err(refuse(format!("`{name}` is given as both {other} and {value}"))
                .hint("give each symbol one size"));
        }
        values[index] = Some(*value);
    }
    check_constraints(func, symbols, &values)?;
    let shapes = symbols.shapes_at(&|index| values.get(index).copied().flatten());
    let is_given = |variable: &Variable| match variable {
        Variable::Symbol(index) => values.get(*index).copied().flatten().is_some(),
        Variable::Dimension(..) => false,
    };
    for (input, (shape, sizes)) in shapes.iter().zip(&symbols.shapes).enumerate() {
        for (size, expression) in shape.iter().zip(sizes) {
            if size.is_none() && expression.variables().iter().all(is_given) {
                return Err(refuse(format!(
                    "a dimension of input {input} (`{}`), {}, is negative or too large{}",
                    symbols.inputs[input],
                    expression.text(&|variable| symbols.name(variable)),
                    described(symbols, &values)
                )));
            }
        }
    }
    Ok(shapes)
}

/// The error for a name that no symbol has.
fn unknown_symbol(func: Op<'_>, symbols: &Symbols, name: &str) -> Diagnostic {
    let error = diagnostic_at(codes::S1106, func)
        .reason(format!("no size of the program depends on a symbol `{name}`"));
    let quoted = |names: &[String]| {
        let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
        names.join(", ")
    };
    match symbols.dimension(name) {
        Some(size) => error.hint(format!("the program requires that it is {size}")),
        None if symbols.names.is_empty() => error.hint("all sizes of the program are static"),
        None => error.hint(format!("its symbols are {}", quoted(&symbols.names))),
    }
}

/// The first assertion of the program that these values of symbols violate.
fn check_constraints(
    func: Op<'_>,
    symbols: &Symbols,
    values: &[Option<i64>],
) -> Result<(), Diagnostic> {
    let value = |variable| match variable {
        Variable::Symbol(index) => values.get(index).copied().flatten(),
        Variable::Dimension(..) => None,
    };
    let broken = symbols.constraints.iter().find(|(truth, _)| truth.holds(&value) == Some(false));
    let Some((truth, message)) = broken else { return Ok(()) };
    let condition = truth.text(&|variable| symbols.name(variable));
    let reason = format!("the program asserts {condition}{}", described(symbols, values));
    let error = diagnostic_at(codes::S1106, func).reason(reason);
    Err(match message.split(['.', '{']).next().filter(|first| !first.is_empty()) {
        Some(first) => error.note(first.trim().to_owned()),
        None => error,
    })
}

/// One error for all sizes that are not given; `None` if the inputs are static. `symbols` have the values of those that are.
pub fn unbound(func: Op<'_>, symbols: &Symbols) -> Option<Diagnostic> {
    let inputs = inputs(func);
    let open = inputs.iter().enumerate().filter(|(_, input)| is_dynamic(input.ty()));
    let open: Vec<usize> = open.map(|(index, _)| index).collect();
    let first = *open.first()?;
    let shape = match symbols.shapes.get(first) {
        Some(shape) if !shape.is_empty() => symbols.shape_text(first),
        _ => inputs[first].ty().to_string(),
    };
    let name = symbols.inputs.get(first).cloned().unwrap_or_else(|| format!("input{first}"));
    let used = |index: &usize| {
        let variable = Variable::Symbol(*index);
        let sizes = open.iter().filter_map(|input| symbols.shapes.get(*input)).flatten();
        sizes.clone().any(|size| size.variables().contains(&variable))
    };
    let names = (0..symbols.names.len()).filter(used);
    let names: Vec<_> = names.map(|index| format!("`{}`", symbols.names[index])).collect();
    let what = match names.as_slice() {
        [] => "sizes have".to_owned(),
        [only] => format!("{only} has"),
        [first @ .., last] => format!("{} and {last} have", first.join(", ")),
    };
    let error = diagnostic_at(codes::S1101, func)
        .reason(format!("{what} no value: input {first} (`{name}`) is {shape}"));
    Some(error.hint("export the program with static shapes"))
}

/// Whether the size of the operation's results is an operand, which is not known although the sizes of all operands are.
pub fn is_cause(op: Op<'_>) -> bool {
    let is_open = |value: &Value<'_>| is_dynamic(value.ty());
    let takes_sizes = op.kind().definition().family == "dynamic"
        || matches!(op.kind(), OpKind::CustomCall | OpKind::DynamicConv | OpKind::DynamicGather);
    takes_sizes && op.results().iter().any(is_open) && !op.operands().iter().any(is_open)
}
