//! Which devices an operation that exchanges values names: groups, and pairs of sources and targets.

use super::{Devices, FLATTENED, channel_of, is_exchange, is_ragged};
use crate::{attrs::AttributeExt as _, handles::Op, kinds::OpKind, types::TypeExt as _};

/// The groups of devices of an exchange, each in the order of its members; for `collective_permute`, and `send` and `recv`, each
/// source with its target.
///
/// # Errors
/// What is wrong with them, in words.
pub fn groups_of(op: Op<'_>) -> Result<Vec<Vec<i64>>, String> {
    let devices = Devices::of(op);
    match op.kind() {
        OpKind::CollectivePermute => pairs(op, devices),
        OpKind::Send | OpKind::Recv => transfer(op, devices),
        _ => {
            let groups = groups(op, devices)?;
            check_sizes(op, &groups)?;
            Ok(groups)
        }
    }
}

/// Whether an operation exchanges values between replicas only, each partition with the same one of others: what values are split over
/// the partitions is exchanged part by part.
pub fn is_between_replicas(op: Op<'_>) -> bool {
    op.kind() == OpKind::ReplicaId
        || is_exchange(op.kind())
            && op.kind() != OpKind::PartitionId
            && Ids::of(op) == Ids::Replicas
            && crate::meshes::mesh_groups(op).is_none()
}

/// What an operation's ids count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ids {
    /// Replicas, for each partition separately.
    Replicas,
    /// Partitions, for each replica separately.
    Partitions,
    /// Replicas, with all partitions of each.
    Both,
    /// Devices.
    Devices,
}

impl Ids {
    fn of(op: Op<'_>) -> Self {
        let across_partitions = matches!(
            op.kind(),
            OpKind::AllToAll
                | OpKind::CollectiveBroadcast
                | OpKind::CollectivePermute
                | OpKind::CollectiveReduce
                | OpKind::CustomCall
        );
        match channel_of(op) > 0 {
            _ if op.has_attr(FLATTENED) || op.has_attr("use_global_device_ids") => Self::Devices,
            false => Self::Replicas,
            true if across_partitions => Self::Partitions,
            true => Self::Both,
        }
    }

    fn counted(self, devices: Devices) -> (i64, &'static str) {
        match self {
            Self::Replicas | Self::Both => (devices.replicas, "replica"),
            Self::Partitions => (devices.partitions, "partition"),
            Self::Devices => (devices.count(), "device"),
        }
    }

    /// Each group of ids as groups of devices.
    fn devices(self, group: &[i64], devices: Devices) -> Vec<Vec<i64>> {
        let number = |replica: i64, partition: i64| replica * devices.partitions + partition;
        match self {
            Self::Devices => vec![group.to_vec()],
            Self::Replicas => (0..devices.partitions)
                .map(|partition| group.iter().map(|id| number(*id, partition)).collect())
                .collect(),
            Self::Partitions => (0..devices.replicas)
                .map(|replica| group.iter().map(|id| number(replica, *id)).collect())
                .collect(),
            Self::Both => {
                let all = (0..devices.partitions)
                    .flat_map(|partition| group.iter().map(move |id| number(*id, partition)));
                vec![all.collect()]
            }
        }
    }
}

fn in_range(id: i64, (count, what): (i64, &str)) -> Result<(), String> {
    if (0..count).contains(&id) {
        return Ok(());
    }
    let plural = if count == 1 { "" } else { "s" };
    Err(format!("it names {what} {id}, and the module declares {count} {what}{plural}"))
}

fn groups(op: Op<'_>, devices: Devices) -> Result<Vec<Vec<i64>>, String> {
    let ids = Ids::of(op);
    let (count, what) = ids.counted(devices);
    let attribute = match is_ragged(op) {
        true => op.attr("backend_config").and_then(|config| config.entry("replica_groups")),
        false => op.attr("replica_groups"),
    };
    if let Some(along) = crate::meshes::mesh_groups(op) {
        along?;
    }
    let listed =
        attribute.and_then(|groups| groups.as_i64s()).ok_or("its groups are not listed")?;
    let width = attribute.and_then(|groups| groups.elements_type()?.shape()?.last().copied());
    let width = width.and_then(|width| usize::try_from(width).ok()).unwrap_or(0).max(1);
    // Groups of fewer members are filled up with -1, at their ends.
    let mut rows: Vec<Vec<i64>> = Vec::new();
    for row in listed.chunks(width) {
        let members = row.iter().rposition(|id| *id != -1).map_or(0, |last| last + 1);
        if row[..members].contains(&-1) {
            return Err(format!("group {row:?} has -1 before {what} {}", row[members - 1]));
        }
        rows.push(row[..members].to_vec());
    }
    rows.retain(|row| !row.is_empty());
    if rows.is_empty() && !listed.is_empty() {
        return Err(format!("no group has {what} 0"));
    }
    if rows.is_empty() {
        if ids == Ids::Partitions {
            return Err("it lists no group".to_owned());
        }
        rows.push((0..count).collect());
    }
    let mut seen = vec![false; usize::try_from(count).unwrap_or(0)];
    for id in rows.iter().flatten() {
        in_range(*id, (count, what))?;
        let seen = &mut seen[usize::try_from(*id).unwrap_or(0)];
        if std::mem::replace(seen, true) {
            return Err(format!("{what} {id} is in two groups"));
        }
    }
    // A broadcast may leave devices out: their results are zero.
    let lacking = seen.iter().position(|seen| !seen);
    if let (Some(id), false) = (lacking, op.kind() == OpKind::CollectiveBroadcast) {
        return Err(format!("no group has {what} {id}"));
    }
    Ok(rows.iter().flat_map(|row| ids.devices(row, devices)).collect())
}

fn pairs(op: Op<'_>, devices: Devices) -> Result<Vec<Vec<i64>>, String> {
    let ids = Ids::of(op);
    let listed = op.attr("source_target_pairs").and_then(|pairs| pairs.as_i64s());
    let listed = listed.ok_or("its pairs are not listed")?;
    listed.iter().try_for_each(|id| in_range(*id, ids.counted(devices)))?;
    Ok(listed.chunks(2).flat_map(|pair| ids.devices(pair, devices)).collect())
}

/// A send or receive between devices names all pairs.
fn transfer(op: Op<'_>, devices: Devices) -> Result<Vec<Vec<i64>>, String> {
    let listed = op.attr("source_target_pairs").and_then(|pairs| pairs.as_i64s());
    let listed =
        listed.filter(|listed| !listed.is_empty()).ok_or("it names no source and target")?;
    let counted = Ids::Devices.counted(devices);
    listed.iter().try_for_each(|id| in_range(*id, counted))?;
    for (side, name) in ["source", "target"].into_iter().enumerate() {
        let ids: Vec<_> = listed.iter().skip(side).step_by(2).collect();
        if let Some(at) = (1..ids.len()).find(|at| ids[..*at].contains(&ids[*at])) {
            return Err(format!("device {} is the {name} of two pairs", ids[at]));
        }
    }
    Ok(listed.chunks(2).map(<[i64]>::to_vec).collect())
}

/// The sizes of operands and results fit the number of members.
fn check_sizes(op: Op<'_>, groups: &[Vec<i64>]) -> Result<(), String> {
    let dimension = |name: &str| op.attr(name)?.as_i64().and_then(|dim| usize::try_from(dim).ok());
    let (dim, gathers) = match op.kind() {
        OpKind::AllGather => (dimension("all_gather_dim"), true),
        OpKind::ReduceScatter => (dimension("scatter_dimension"), false),
        OpKind::AllToAll => {
            let parts = op.attr("split_count").and_then(|count| count.as_i64());
            return match groups.iter().find(|group| Some(group.len() as i64) != parts) {
                Some(group) => Err(format!(
                    "a group has {} members, and it splits operands in {}",
                    group.len(),
                    parts.unwrap_or(0)
                )),
                None => Ok(()),
            };
        }
        _ => return Ok(()),
    };
    for (operand, result) in op.operands().into_iter().zip(op.results()) {
        let size = |ty: crate::Type<'_>| ty.shape()?.get(dim?).copied();
        let (Some(from), Some(to)) = (size(operand.ty()), size(result.ty())) else { continue };
        let (part, whole) = if gathers { (from, to) } else { (to, from) };
        for group in groups {
            let members = group.len() as i64;
            if part.checked_mul(members) != Some(whole) && part >= 0 && whole >= 0 {
                let plural = if members == 1 { "" } else { "s" };
                return Err(format!(
                    "a group has {members} member{plural}, and a part of {part} of each is not the whole of {whole}"
                ));
            }
        }
    }
    Ok(())
}
