//! Bodies that each device of a mesh runs on its part of values. Outside of them values are whole; of terms of a sum, which the first
//! device has all of and the others none, they are the sum.

use strata_ir::{AxisPart, Devices, Mesh, MeshRef, TensorSharding, axis_parts, read_shardings};
use strata_processes::Id;

use super::collective::part_of;
use crate::{
    elementwise,
    error::{EvalError, Result},
    interpret::{Frame, Machine, Process, Value},
    program::{Attr, Operation},
    shape,
    tensor::Tensor,
};

/// The channel of exchanges that no operation names.
const OWN_CHANNEL: i64 = -1;

/// A computation that each device of a mesh does on its part of the values.
pub(super) fn manual_computation(
    machine: &Machine<'_>,
    process: &Process,
    op: &Operation,
    operands: &[Value],
    frame: &mut Frame,
) -> Result<Vec<Value>> {
    let text = |name: &str| match op.attr(name)? {
        Attr::Text(text) => Ok(text.as_str()),
        _ => Err(EvalError::unsupported(format!("`{name}` cannot be read"))),
    };
    let shardings = |name: &str| {
        read_shardings(text(name)?)
            .ok_or_else(|| EvalError::unsupported(format!("`{name}` cannot be read")))
    };
    let manual: Vec<_> =
        axis_parts(text("manual_axes")?).into_iter().map(|part| part.axis).collect();
    let (inputs, outputs) = (shardings("in_shardings")?, shardings("out_shardings")?);
    let body = op.region(0)?;
    let mut arguments = Vec::new();
    for (value, sharding) in operands.iter().zip(&inputs) {
        let part = own_part(machine, process, value.tensor()?, sharding, &manual)?;
        let is_first = match terms_of(machine, process, sharding, &manual)? {
            Some(group) => group.first() == Some(&process.id),
            None => true,
        };
        arguments.push(Value::Tensor(if is_first { part } else { no_term(&part) }));
    }
    let parts = machine.run(body, arguments, frame)?;
    let mut results = Vec::new();
    for (value, sharding) in parts.iter().zip(&outputs) {
        let mut part = value.tensor()?.clone();
        if let Some(group) = terms_of(machine, process, sharding, &manual)? {
            let brought =
                process.meet(&group, OWN_CHANNEL, vec![part]).map_err(EvalError::stuck)?;
            let mut terms = brought.into_iter().flatten();
            let first = terms.next().ok_or_else(|| EvalError::invalid("no term"))?;
            part = terms.try_fold(first, |sum, term| elementwise::add(&sum, &term))?;
        }
        let whole = joined_parts(machine, process, part, sharding, &manual)?;
        results.push(Value::Tensor(whole));
    }
    Ok(results)
}

fn mesh_of(machine: &Machine<'_>, process: &Process, sharding: &TensorSharding) -> Result<Mesh> {
    let mesh = match &sharding.mesh {
        MeshRef::Inline(mesh) => mesh.clone(),
        MeshRef::Named(name) => {
            let text = machine.program.meshes.get(name);
            Mesh::read(text.ok_or_else(|| EvalError::invalid("there is no such mesh"))?)
        }
    };
    let (replicas, partitions) = (process.grid.replicas as i64, process.grid.partitions as i64);
    let mesh = mesh.in_all_replicas(Devices { replicas, partitions });
    let (count, declared) = (mesh.count(), replicas * partitions);
    match count == declared {
        true => Ok(mesh),
        false => Err(EvalError::unsupported(format!(
            "its mesh has {count} devices, and the module declares {declared}"
        ))),
    }
}

/// The processes that have terms of the same sum as this one, in order; `None` where values are not terms.
fn terms_of(
    machine: &Machine<'_>,
    process: &Process,
    sharding: &TensorSharding,
    manual: &[String],
) -> Result<Option<Vec<Id>>> {
    let mut along = sharding.unreduced.clone();
    along.retain(|part| manual.contains(&part.axis));
    if along.is_empty() {
        return Ok(None);
    }
    let mesh = mesh_of(machine, process, sharding)?;
    let partitions = process.grid.partitions;
    let me = (process.id.0 * partitions + process.id.1) as i64;
    let groups = mesh.groups(&along).into_iter().flatten();
    let group = groups.into_iter().find(|group| group.contains(&me));
    let group = group.ok_or_else(|| EvalError::invalid("the mesh has no such axis or device"))?;
    let id = |device: i64| (device as usize / partitions, device as usize % partitions);
    Ok(Some(group.into_iter().map(id).collect()))
}

/// What a process has that has no term of a sum.
fn no_term(part: &Tensor) -> Tensor {
    let ty = part.element_type();
    Tensor::splat(part.shape(), ty, ty.neutral_of_sums())
}

/// For each dimension the index of every device along the manual axes that split it, and how many indices there are.
fn indices(
    mesh: &Mesh,
    sharding: &TensorSharding,
    manual: &[String],
) -> Result<Vec<(Vec<usize>, usize)>> {
    let of = |parts: &[AxisPart]| {
        let mut all = vec![0; mesh.count() as usize];
        let mut count = 1;
        for part in parts.iter().filter(|part| manual.contains(&part.axis)) {
            let size = mesh.size(part)? as usize;
            for position in 0..mesh.count() {
                let device = usize::try_from(mesh.device(position)).ok()?;
                let index = all.get_mut(device)?;
                *index = *index * size + mesh.index(position, part)? as usize;
            }
            count *= size;
        }
        Some((all, count))
    };
    let all = sharding.dims.iter().map(|dim| of(&dim.axes)).collect::<Option<_>>();
    all.ok_or_else(|| EvalError::invalid("the mesh has no such axis or device"))
}

/// The part of a value that a process has.
fn own_part(
    machine: &Machine<'_>,
    process: &Process,
    whole: &Tensor,
    sharding: &TensorSharding,
    manual: &[String],
) -> Result<Tensor> {
    let mesh = mesh_of(machine, process, sharding)?;
    let me = process.id.0 * process.grid.partitions + process.id.1;
    let mut part = whole.clone();
    for (dimension, (index, count)) in indices(&mesh, sharding, manual)?.iter().enumerate() {
        if *count > 1 {
            part = part_of(&part, dimension, *count, index[me])?;
        }
    }
    Ok(part)
}

/// The value whose parts all processes have.
fn joined_parts(
    machine: &Machine<'_>,
    process: &Process,
    part: Tensor,
    sharding: &TensorSharding,
    manual: &[String],
) -> Result<Tensor> {
    let mesh = mesh_of(machine, process, sharding)?;
    let partitions = process.grid.partitions;
    let me = process.id.0 * partitions + process.id.1;
    let all = indices(&mesh, sharding, manual)?;
    let mut whole = part;
    for (dimension, (index, count)) in all.iter().enumerate().filter(|(_, (_, count))| *count > 1) {
        // One device for each index: those that differ from this one along these axes only.
        let along = &sharding.dims[dimension].axes;
        let place = |device: usize| -> Option<Vec<i64>> {
            let position = (0..mesh.count()).find(|at| mesh.device(*at) == device as i64)?;
            let mut rest = Vec::new();
            for (name, size) in &mesh.axes {
                let whole = AxisPart { axis: name.clone(), part: None };
                let at = mesh.index(position, &whole)?;
                let mut seen: Vec<_> = along.iter().filter(|part| part.axis == *name).collect();
                seen.retain(|part| manual.contains(&part.axis));
                let split = seen.iter().any(|part| part.part.is_none());
                // Along a part of an axis the digits before and after it stay.
                rest.push(match (split, seen.as_slice()) {
                    (true, _) => 0,
                    (false, [part]) => {
                        let (before, own) = part.part?;
                        let after = size / (before * own);
                        at / (own * after) * after + at % after
                    }
                    (false, []) => at,
                    _ => return None,
                });
            }
            Some(rest)
        };
        let mine = place(me);
        let mut members = vec![None; *count];
        for device in (0..index.len()).filter(|device| place(*device) == mine) {
            members[index[device]] = Some((device / partitions, device % partitions));
        }
        let members: Option<Vec<Id>> = members.into_iter().collect();
        let members = members.filter(|_| mine.is_some());
        let members = members.ok_or_else(|| EvalError::unsupported("parts of one axis twice"))?;
        let brought = process.meet(&members, OWN_CHANNEL, vec![whole]).map_err(EvalError::stuck)?;
        let parts: Vec<Tensor> = brought.into_iter().flatten().collect();
        whole = shape::concatenate(&parts, dimension)?;
    }
    Ok(whole)
}
