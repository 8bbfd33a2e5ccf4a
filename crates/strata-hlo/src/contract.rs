//! The contract of the stage.

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    Devices, ElementType, Module, Op, OpKind, PARTITIONS, REPLICAS, Type, TypeExt as _,
    check_groups, check_size, communicates, diagnostic_at, dialect_hint, func, groups_of,
    module_op, tensor,
};
use strata_options::Options;
use strata_shapes::DynamicShapes;

use crate::{
    interop::{annotations::unsplit, custom_call, shards},
    legality::{Legality, legality},
    sizes,
};

/// Dialects allowed after the stage.
const DIALECTS: &[&str] = &["stablehlo", "func", "builtin"];

/// Checks the contract: one function, core StableHLO, static shapes of supported types.
///
/// # Errors
/// `S9002` for a second function or none and for sizes that are not those of the function, `S1009` for padding beyond any memory, `S1101` for dynamic dimensions, `S1102` for unsupported types, `S1103` for communication that cannot be compiled,
/// `S1107` for groups of other devices than the module's, `S1201` for unsupported operations, `S1202` for calls of what cannot be a linked function.
pub fn check(module: &Module<'_>, _options: &Options) -> Result<(), Diagnostic> {
    let mut first = Ok(());
    module_op(module).walk(strata_ir::WalkOrder::Pre, &mut |op| {
        if first.is_ok() {
            first = check_op(op);
        }
    });
    // After operations: one that takes functions is refused by its own words.
    first.and_then(|()| check_functions(module_op(module)))
}

/// All violations of the contract, in program order. A size that is unknown is one where it arises, not where it is used.
pub fn violations(module: &Module<'_>) -> Vec<Diagnostic> {
    let mut all = Vec::new();
    module_op(module).walk(strata_ir::WalkOrder::Pre, &mut |op| {
        let is_consequence = op.operands().iter().any(|value| sizes::is_dynamic(value.ty()));
        let found = check_op(op).err();
        all.extend(found.filter(|error| !is_consequence || error.code() != codes::S1101));
    });
    all
}

/// Calls are inlined, so that the entry is the only function.
fn check_functions(module: Op<'_>) -> Result<(), Diagnostic> {
    let functions = module.body(0).ops().into_iter().filter(|op| op.is(func::FUNC));
    match functions.collect::<Vec<_>>().as_slice() {
        [entry] => DynamicShapes::of(*entry)?.map_or(Ok(()), |shapes| shapes.check(*entry)),
        [] => Err(diagnostic_at(codes::S9002, module).reason("there is no function")),
        [_, second, ..] => {
            Err(diagnostic_at(codes::S9002, *second).reason("there is a function beside the entry"))
        }
    }
}

fn check_op(op: Op<'_>) -> Result<(), Diagnostic> {
    if op.kind() == OpKind::SdyMesh {
        // It is only left if something refers to it, which is reported itself.
        return Ok(());
    }
    if let Some(error) = sizes::declared::unknown(op) {
        return Err(error);
    }
    if op.kind() == OpKind::CustomCall {
        custom_call::check(op)?;
    }
    let legality = legality(op.kind());
    if legality == Legality::SizedAtRunTime || sizes::is_cause(op) {
        return Err(diagnostic_at(codes::S1101, op)
            .reason("the size of its result depends on values, not on sizes of inputs alone")
            .hint("sizes have to follow from the sizes of inputs and from constants"));
    }
    if is_split(op) && op.dialect() == "sdy" {
        return Ok(());
    }
    if op.kind() == OpKind::SdyManualComputation {
        return Err(shards::refused(op));
    }
    if communicates(op) {
        exchange(op)?;
    }
    // What the stage itself could not rewrite, the next stage reports: it knows what is not supported about it.
    if !DIALECTS.contains(&op.dialect()) && legality != Legality::Legal {
        let refused = diagnostic_at(codes::S1201, op)
            .reason(format!("operations of dialect `{}` cannot be compiled", op.dialect()));
        return Err(match dialect_hint(op.dialect()) {
            Some(hint) => refused.hint(hint),
            None => refused,
        });
    }
    let arguments = op.regions().into_iter().flat_map(|region| region.blocks());
    let arguments = arguments.flat_map(|block| block.args()).map(|argument| argument.ty());
    for ty in op.result_types().into_iter().chain(arguments) {
        check_type(op, ty)?;
    }
    // Padding may have become constant in this stage.
    check_size(op)
}

/// Whether stage `spmd` comes next, which the shardings are for.
fn is_split(op: Op<'_>) -> bool {
    unsplit(op).is_err()
}

/// The groups of an exchange are those of the module's devices, and the next stage lowers it.
fn exchange(op: Op<'_>) -> Result<(), Diagnostic> {
    let is_id = matches!(op.kind(), OpKind::PartitionId | OpKind::ReplicaId);
    let groups = if is_id { Ok(Vec::new()) } else { groups_of(op) };
    if Devices::of(op).count() == 1 {
        let reason =
            groups.err().unwrap_or_else(|| "it exchanges values between devices".to_owned());
        return Err(diagnostic_at(codes::S1103, op)
            .reason(format!("the program is for one device: {reason}"))
            .hint(format!("declare the devices: `module attributes {{{REPLICAS} = 4 : i32}}` for groups of replicas, `{PARTITIONS}` for those of partitions")));
    }
    if groups.is_err() {
        return check_groups(op);
    }
    let has_root = op.has_attr("has_dynamic_root") || op.kind() == OpKind::CollectiveReduce;
    match has_root {
        false => Ok(()),
        true => Err(diagnostic_at(codes::S1103, op)
            .reason("the root is known only at run time, and a device is in no group")
            .hint("list all devices in the groups")),
    }
}

/// What to do about elements of an unsupported type.
fn element_hint(element: Type<'_>) -> &'static str {
    match element.dialect() {
        "quant" => {
            "export the model with floats, or with integers that its own operations scale: docs/limits.md lists the element types"
        }
        _ => "convert them to a type that docs/limits.md lists before the program is exported",
    }
}

fn check_type(op: Op<'_>, ty: Type<'_>) -> Result<(), Diagnostic> {
    if !ty.is_tensor_type() {
        // Tokens and tuples: the next stage rejects the operations that create them, by name.
        let is_known = ty.is_tuple() || ty.dialect() == "stablehlo";
        return match is_known {
            true => Ok(()),
            false => Err(diagnostic_at(codes::S1102, op)
                .reason(format!("values of type `{ty}` cannot be compiled"))
                .hint("programs compute with tensors: `tensor<4x8xf32>`")),
        };
    }
    if !ty.has_static_shape() {
        return Err(diagnostic_at(codes::S1101, op)
            .reason(format!("type `{ty}` has a dimension that is known only at run time"))
            .hint("export the program with static shapes"));
    }
    if ElementType::from_type(ty.element()).is_none() {
        return Err(diagnostic_at(codes::S1102, op)
            .reason(format!("elements of type `{}` cannot be compiled", ty.element()))
            .hint(element_hint(ty.element())));
    }
    if ty.shape().is_some_and(|shape| ty != tensor(&shape, ty.element())) {
        return Err(diagnostic_at(codes::S1102, op)
            .reason(format!("the encoding of type `{ty}` cannot be compiled"))
            .hint("export the program with dense tensors"));
    }
    Ok(())
}
