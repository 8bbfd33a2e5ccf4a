//! The groups of processes that exchange values.

use strata_ir::{Devices, FLATTENED, Mesh};
use strata_processes::Id;

use crate::{
    error::{EvalError, Result},
    interpret::{Machine, Process},
    program::{Attr, Fields, Operation},
};

/// What the ids of an operation's groups count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ids {
    /// Replicas, for each partition separately.
    Replicas,
    /// Partitions, for each replica separately.
    Partitions,
    /// Replicas, with all partitions of each.
    Both,
    /// Processes.
    Flattened,
}

impl Ids {
    /// Those of an operation with that channel.
    pub fn of(op: &Operation, channel: i64) -> Self {
        let across_partitions = matches!(
            op.name.as_str(),
            "stablehlo.all_to_all"
                | "stablehlo.collective_broadcast"
                | "stablehlo.collective_reduce"
                | "stablehlo.custom_call"
        );
        match channel > 0 {
            _ if op.flag("use_global_device_ids") || op.flag(FLATTENED) => Self::Flattened,
            true if across_partitions => Self::Partitions,
            true => Self::Both,
            false => Self::Replicas,
        }
    }
}

/// Every group of processes that exchange values, of the groups that an operation lists.
pub fn process_groups(
    machine: &Machine<'_>,
    process: &Process,
    groups: &Attr,
    ids: Ids,
) -> Result<Vec<Vec<Id>>> {
    let grid = &process.grid;
    let flattened = |groups: Vec<Vec<usize>>| {
        let place = |id: usize| (id / grid.partitions, id % grid.partitions);
        groups.into_iter().map(|group| group.into_iter().map(place).collect()).collect()
    };
    let groups: Vec<Vec<usize>> = match groups {
        Attr::Dense(tensor) => {
            let width = tensor.shape().last().copied().unwrap_or(0).max(1);
            let ids = tensor.to_i64s()?;
            // -1 fills up groups of fewer members.
            let member = |id: &i64| usize::try_from(*id).ok();
            ids.chunks(width).map(|group| group.iter().filter_map(member).collect()).collect()
        }
        Attr::Text(text) => {
            let devices =
                Devices { replicas: grid.replicas as i64, partitions: grid.partitions as i64 };
            return Ok(flattened(mesh_groups(machine, devices, text)?));
        }
        _ => return Err(EvalError::unsupported("the replica groups cannot be read")),
    };
    let all_replicas = || match groups.iter().all(Vec::is_empty) {
        true => vec![(0..grid.replicas).collect()],
        false => groups.clone(),
    };
    Ok(match ids {
        Ids::Flattened => flattened(groups),
        Ids::Partitions => {
            let of = |replica| {
                let group = move |group: &Vec<usize>| {
                    group.iter().map(|partition| (replica, *partition)).collect()
                };
                groups.iter().map(group)
            };
            (0..grid.replicas).flat_map(of).collect()
        }
        Ids::Both => {
            let group = |group: &Vec<usize>| {
                let members = (0..grid.partitions)
                    .flat_map(|partition| group.iter().map(move |replica| (*replica, partition)));
                members.collect()
            };
            all_replicas().iter().map(group).collect()
        }
        Ids::Replicas => {
            let mut all = Vec::new();
            for group in all_replicas() {
                for partition in 0..grid.partitions {
                    all.push(group.iter().map(|replica| (*replica, partition)).collect());
                }
            }
            all
        }
    })
}

/// The device groups of `#stablehlo.replica_group_mesh_axes<mesh = ..., axes = [...]>`: devices that differ
/// in the named axes only.
fn mesh_groups(machine: &Machine<'_>, devices: Devices, text: &str) -> Result<Vec<Vec<usize>>> {
    let malformed =
        || EvalError::unsupported(format!("the replica groups `{text}` cannot be read"));
    let fields = Fields::new(text);
    let mesh = fields.get("mesh").ok_or_else(malformed)?;
    let mesh = match mesh.strip_prefix('@') {
        Some(name) => machine.program.meshes.get(name).map(String::as_str).ok_or_else(malformed)?,
        None => mesh,
    };
    let mesh = Mesh::read(mesh).in_all_replicas(devices);
    let axes = fields.get("axes").ok_or_else(malformed)?;
    let groups = mesh.groups_of_list(axes).map_err(EvalError::unsupported)?;
    let group = |group: Vec<i64>| group.into_iter().map(|id| usize::try_from(id).ok()).collect();
    groups.into_iter().map(group).collect::<Option<_>>().ok_or_else(malformed)
}
