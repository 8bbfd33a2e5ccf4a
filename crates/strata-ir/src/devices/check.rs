//! Whether a program fits the devices that it is for: its meshes, its groups and its transfers.
//!
//! Verifiers see one operation at a time: that axes are those of a mesh, and no id is in two groups. How many devices there are is known
//! of the module alone, and which send a receive belongs to of the program.

use std::collections::BTreeMap;

use melior::ir::{Module, Type};
use strata_diag::{Diagnostic, codes};

use super::{Devices, MOST_DEVICES, PARTITIONS, REPLICAS, communicates, groups_of, is_exchange};
use crate::{
    attrs::AttributeExt as _,
    devices::channel_of,
    diagnostics::diagnostic_at,
    handles::Op,
    kinds::OpKind,
    meshes::{Mesh, mesh_groups},
    module::{function_name, module_op},
    sharding_rule::{SHARDING_RULE, ShardingRule},
    shardings::{MeshRef, TensorSharding},
    shards::{SHARDS, Shards, check_declared, stated_at},
    types::{TypeExt as _, function_types},
};

/// Checks that the devices of meshes are those of the module, that groups have them, that what is sent is received, and that terms of sums are
/// numbers that can be added.
///
/// # Errors
/// `S1107`; `S1103` for terms of sums of quantized values.
pub fn check_devices(module: &Module<'_>) -> Result<(), Diagnostic> {
    let root = module_op(module);
    let devices = Devices::declared(root)?;
    check_meshes(root, devices)?;
    check_declared(module)?;
    root.collect(|op| op.has_attr(SHARDS))
        .into_iter()
        .try_for_each(|op| check_shards(op, devices))?;
    root.collect(|op| stated_at(op).iter().any(|one| !one.unreduced.is_empty()))
        .into_iter()
        .try_for_each(check_terms)?;
    root.collect(|op| op.kind() == OpKind::CustomCall && op.has_attr(SHARDING_RULE))
        .into_iter()
        .try_for_each(check_rule)?;
    if devices.count() > 1 {
        root.collect(names_devices).into_iter().try_for_each(check_groups)?;
        check_transfers(root)?;
    }
    Ok(())
}

/// A mesh without axes is one device, which has to be there: of those that the module declares, or else of the other meshes.
fn check_meshes(root: Op<'_>, devices: Devices) -> Result<(), Diagnostic> {
    let mut meshes: Vec<(Op<'_>, String, Mesh)> = Vec::new();
    for op in root.collect(|_| true) {
        if op.kind() == OpKind::SdyMesh {
            let Some(mesh) = op.attr("mesh") else { continue };
            let name = format!("@{}", function_name(op));
            meshes.push((op, name, Mesh::read(&mesh.to_string())));
        }
        for sharding in stated_at(op) {
            if let MeshRef::Inline(mesh) = sharding.mesh {
                meshes.push((op, mesh.to_string(), mesh));
            }
        }
    }
    let declared = root.attr(REPLICAS).or_else(|| root.attr(PARTITIONS));
    let of_meshes = || meshes.iter().map(|(.., mesh)| mesh.count()).max().unwrap_or(1);
    let count = declared.map_or_else(of_meshes, |_| devices.count()).min(MOST_DEVICES);
    let outside = meshes.iter().find_map(|(op, name, mesh)| {
        let device = mesh.device_ids.first().filter(|_| mesh.axes.is_empty())?;
        (*device >= count).then_some((*op, name, *device))
    });
    let Some((op, name, device)) = outside else { return Ok(()) };
    let plural = if count == 1 { "" } else { "s" };
    Err(diagnostic_at(codes::S1107, op)
        .reason(format!(
            "mesh `{name}` is device {device}, and the program is for {count} device{plural}"
        ))
        .hint("a mesh without axes is one device, by its number from 0 on: `<[], device_ids=[0]>`"))
}

/// What inputs and outputs of an entry are parts of is said of the devices that the module declares.
fn check_shards(func: Op<'_>, devices: Devices) -> Result<(), Diagnostic> {
    let Some(shards) = Shards::of(func) else {
        return Err(diagnostic_at(codes::S1107, func)
            .reason(format!("`{SHARDS}` cannot be read"))
            .hint("stage `spmd` writes it: `strata compile --to spmd`"));
    };
    let mut ids = shards.devices;
    ids.sort_unstable();
    if ids.iter().copied().eq(0..devices.count()) {
        return Ok(());
    }
    Err(diagnostic_at(codes::S1107, func)
        .reason(format!(
            "`{SHARDS}` is of devices {ids:?}, and the module declares {}",
            devices.count()
        ))
        .hint(format!(
            "declare as many: `module attributes {{{PARTITIONS} = {} : i32}}`",
            ids.len()
        )))
}

/// The sum of quantized values is not that of the integers that are stored, each with a zero point: no device has a term of it. What operations
/// compute is added where it is computed; only functions and bodies take and give terms.
fn check_terms(op: Op<'_>) -> Result<(), Diagnostic> {
    let mut stated: Vec<(TensorSharding, Type<'_>)> = Vec::new();
    let function = op.attr("function_type").and_then(|ty| ty.as_type()).and_then(function_types);
    if let Some((inputs, outputs)) = function {
        let of = |index, ty, is_result| {
            let read =
                if is_result { TensorSharding::of_result } else { TensorSharding::of_argument };
            read(op, index).map(|sharding| (sharding, ty))
        };
        stated.extend((0..).zip(inputs).filter_map(|(index, ty)| of(index, ty, false)));
        stated.extend((0..).zip(outputs).filter_map(|(index, ty)| of(index, ty, true)));
    }
    let operand_types: Vec<_> = op.operands().iter().map(|value| value.ty()).collect();
    for (name, types) in [("in_shardings", operand_types), ("out_shardings", op.result_types())] {
        let list = op.attr(name).and_then(TensorSharding::list_from_attribute);
        stated.extend(list.unwrap_or_default().into_iter().zip(types));
    }
    let is_quantized = |(sharding, ty): &(TensorSharding, Type<'_>)| {
        !sharding.unreduced.is_empty() && ty.element().dialect() == "quant"
    };
    let Some((_, ty)) = stated.into_iter().find(is_quantized) else { return Ok(()) };
    Err(diagnostic_at(codes::S1103, op)
        .reason(format!("a value of type `{ty}` is `unreduced`: what devices store of it cannot be added"))
        .hint("add floats: `stablehlo.uniform_dequantize` on each device, and `uniform_quantize` of the sum"))
}

/// Only a call's own rule says what devices may compute apart: factors along which they may have to be those of the dimensions.
fn check_rule(op: Op<'_>) -> Result<(), Diagnostic> {
    let Some(rule) = ShardingRule::of(op) else { return Ok(()) };
    let sides =
        [("operand", op.operands(), &rule.operands), ("result", op.results(), &rule.results)];
    for (side, values, mappings) in sides {
        for (index, (value, dims)) in values.into_iter().zip(mappings).enumerate() {
            let Some(shape) = value.ty().shape() else { continue };
            for (dim, (size, factors)) in shape.into_iter().zip(dims).enumerate() {
                let stated = factors.iter().try_fold(1_i64, |product, factor| {
                    product.checked_mul(*rule.sizes.get(*factor)?)
                });
                let is_split = !factors.iter().any(|factor| rule.held.contains(factor));
                if is_split && size >= 0 && stated != Some(size) {
                    let stated =
                        stated.map_or_else(|| "too many".to_owned(), |stated| stated.to_string());
                    return Err(diagnostic_at(codes::S1005, op)
                        .reason(format!(
                            "dimension {dim} of {side} {index} has {size} indices, and its factors in `{SHARDING_RULE}` have {stated}"
                        ))
                        .hint("the sizes of a dimension's factors multiply to its own: `([ij])->([ij]) {i=2, j=4}` for 8 indices"));
                }
            }
        }
    }
    Ok(())
}

/// Ragged exchanges are refused by what expands them, with what else may be wrong with them.
fn names_devices(op: Op<'_>) -> bool {
    let is_id = matches!(op.kind(), OpKind::PartitionId | OpKind::ReplicaId);
    // Groups along a mesh are listed first, and looked at then.
    let is_listed = !matches!(mesh_groups(op), Some(Ok(_)));
    is_exchange(op.kind()) && !is_id && is_listed || is_transfer(op)
}

/// Checks that the groups of an exchange, or its pairs, are of the devices that the module declares.
///
/// # Errors
/// `S1107`.
pub fn check_groups(op: Op<'_>) -> Result<(), Diagnostic> {
    let wrong = |reason: String| {
        diagnostic_at(codes::S1107, op).reason(reason).hint(format!(
            "devices are `{REPLICAS}` replicas of `{PARTITIONS}` partitions, attributes of the module"
        ))
    };
    groups_of(op).map(|_| ()).map_err(wrong)
}

fn is_transfer(op: Op<'_>) -> bool {
    matches!(op.kind(), OpKind::Send | OpKind::Recv) && communicates(op)
}

/// What one side of a channel does for a source and a target.
type Side<'c> = Vec<(Op<'c>, Vec<Type<'c>>)>;

/// Each pair of a `send` is one of a `recv` on its channel, of values of the same types, and the other way round. How often, loops and
/// branches decide.
fn check_transfers(root: Op<'_>) -> Result<(), Diagnostic> {
    let mut channels: BTreeMap<(i64, i64, i64), [Side<'_>; 2]> = BTreeMap::new();
    for op in root.collect(is_transfer) {
        let is_received = op.kind() == OpKind::Recv;
        let moved = if is_received { op.results() } else { op.operands() };
        let types = moved.into_iter().map(|value| value.ty()).filter(|ty| !ty.is_token());
        let types: Vec<_> = types.collect();
        for pair in groups_of(op).unwrap_or_default() {
            let sides = channels.entry((channel_of(op), pair[0], pair[1])).or_default();
            sides[usize::from(is_received)].push((op, types.clone()));
        }
    }
    for ((channel, source, target), [sent, received]) in channels {
        let places = format!("from device {source} to device {target} on channel {channel}");
        for (own, other, does, lacks) in
            [(&sent, &received, "sends", "receives"), (&received, &sent, "receives", "sends")]
        {
            let is_alone = |(_, types): &&(Op<'_>, Vec<Type<'_>>)| {
                other.iter().all(|(_, others)| others != types)
            };
            let Some((op, types)) = own.iter().find(is_alone) else { continue };
            let reason = match other.first() {
                None => format!("it {does} {places}, and nothing {lacks} there"),
                Some((_, others)) => format!(
                    "it {does} {} {places}, and what {lacks} there is of {}",
                    listed(types),
                    listed(others)
                ),
            };
            return Err(diagnostic_at(codes::S1107, *op).reason(reason).hint(
                "each pair of a `send` is one of a `recv` with the same channel, of values of the same types",
            ));
        }
    }
    Ok(())
}

fn listed(types: &[Type<'_>]) -> String {
    let all: Vec<_> = types.iter().map(|ty| format!("`{ty}`")).collect();
    all.join(" and ")
}
