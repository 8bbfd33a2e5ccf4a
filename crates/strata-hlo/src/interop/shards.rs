//! Bodies that each device of a mesh runs on its part of the values (`shard_map` of JAX).
//!
//! ```text
//! sdy.mesh @m = <["x"=2]>
//! %y = sdy.manual_computation(%a : 4x3) in_shardings=[{"x"}, {}] out_shardings=[{}, {"x"}] manual_axes={"x"} { return f(part : 2x3) : 2x3 }
//! ```
//! becomes
//! ```text
//! %part = dynamic_slice %a at [[0, 2][device], 0] : 2x3
//! %y = all_gather f(%part) along dimension 1, groups [[0, 1]] : 2x6
//! ```
//!
//! Outside of bodies values are whole on each device. Along axes of one device the part is the whole.

use std::collections::HashMap;

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AxisPart, Builder, Devices, FLATTENED, MOST_DEVICES, Mesh, Op, PARTITIONS, TensorSharding,
    TypeExt as _, Value, axis_names, diagnostic_at, int, integer, stablehlo, stated_at, tensor,
    unit,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::{
    emit::Emit as _,
    expansion::collective::{device_number, listed, table},
    interop::annotations::unsplit,
    pattern::patterns,
};

patterns! {
    /// A body that devices run on parts of values, or on whole ones.
    ManualComputation = "manual-computation" on [SdyManualComputation] by manual_computation;
}

fn manual_computation<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    unsplit(op)?;
    let plan = Plan::of(op)?;
    let body = op.region(0).first_block().or_decline("it has no body")?;
    let builder = rewriter.builder();
    let mut device = None;
    let mut values = HashMap::new();
    for ((argument, operand), split) in body.args().into_iter().zip(op.operands()).zip(&plan.inputs)
    {
        let part = plan.part(&builder, operand, split, &mut device)?;
        values.insert(argument, part);
    }
    let returned = builder.copy_body(body, &mut values);
    let results = returned.into_iter().zip(&plan.outputs);
    let results = results.map(|(value, split)| plan.whole(&builder, value, split));
    let results = results.collect::<Outcome<Vec<_>>>()?;
    rewriter.replace(&results);
    Ok(())
}

/// For each dimension of a value, the manual axes that it is split along.
type Split = Vec<Vec<AxisPart>>;

/// How the values of a body are split.
struct Plan {
    mesh: Mesh,
    devices: Devices,
    inputs: Vec<Split>,
    outputs: Vec<Split>,
}

impl Plan {
    /// # Errors
    /// Why the body cannot be run on the module's devices, in words.
    fn of(op: Op<'_>) -> Result<Self, String> {
        let read = |name: &str| {
            let attribute = op.attr(name).ok_or_else(|| format!("it has no `{name}`"))?;
            TensorSharding::list_from_attribute(attribute)
                .ok_or_else(|| format!("`{name}` cannot be read"))
        };
        let (inputs, outputs) = (read("in_shardings")?, read("out_shardings")?);
        let manual = op.attr("manual_axes").map(axis_names).unwrap_or_default();
        let mut all = inputs.iter().chain(&outputs);
        let named = all.next().map(|sharding| &sharding.mesh);
        if all.any(|sharding| Some(&sharding.mesh) != named) {
            return Err("its shardings are on several meshes".to_owned());
        }
        let mesh = match named {
            Some(named) => {
                named.resolve(op).ok_or_else(|| format!("there is no mesh `{named}`"))?
            }
            None => Mesh::default(),
        };
        let devices = Devices::of(op);
        let mesh = mesh.in_all_replicas(devices);
        let own = |sharding: TensorSharding| -> Split {
            let is_manual = |part: &AxisPart| {
                manual.contains(&part.axis) && mesh.size(part).is_none_or(|size| size != 1)
            };
            let along = |parts: Vec<AxisPart>| parts.into_iter().filter(is_manual).collect();
            sharding.dims.into_iter().map(|dim| along(dim.axes)).collect()
        };
        let plan = Self {
            inputs: inputs.into_iter().map(own).collect(),
            outputs: outputs.into_iter().map(own).collect(),
            devices,
            mesh: mesh.clone(),
        };
        let runs_alone = manual
            .iter()
            .all(|axis| mesh.size(&AxisPart::whole(axis)).is_some_and(|size| size == 1));
        if !runs_alone {
            plan.check_devices()?;
        }
        let body = op.region(0).first_block().ok_or("it has no body")?;
        let returned = body.terminator().map(Op::operands).unwrap_or_default();
        plan.check_parts(&op.operands(), &body.args(), &plan.inputs)?;
        plan.check_parts(&op.results(), &returned, &plan.outputs)?;
        Ok(plan)
    }

    /// The mesh has each of the module's devices once.
    fn check_devices(&self) -> Result<(), String> {
        let (count, declared) = (self.mesh.count(), self.devices.count());
        if count != declared {
            let plural = if declared == 1 { "" } else { "s" };
            return Err(format!(
                "its mesh has {count} devices, and the module declares {declared} device{plural}"
            ));
        }
        let mut ids: Vec<_> = (0..count).map(|position| self.mesh.device(position)).collect();
        ids.sort_unstable();
        match ids.into_iter().eq(0..count) {
            true => Ok(()),
            false => Err("its mesh lists a device twice, or one that the module lacks".to_owned()),
        }
    }

    /// Parts in the body are what the shardings say.
    fn check_parts(
        &self,
        whole: &[Value<'_>],
        parts: &[Value<'_>],
        splits: &[Split],
    ) -> Result<(), String> {
        if whole.len() != parts.len() || whole.len() != splits.len() {
            return Err("its body takes or returns other values than it says".to_owned());
        }
        for ((whole, part), split) in whole.iter().zip(parts).zip(splits) {
            let (from, to) = (whole.ty().shape(), part.ty().shape());
            let (Some(from), Some(to)) = (from, to) else {
                return Err("a value is not a tensor".to_owned());
            };
            // A sharding without dimensions is of a value that is whole.
            let fits = from.len() == to.len()
                && (split.is_empty() || split.len() == from.len())
                && (0..from.len()).all(|dim| {
                    let along = split.get(dim).map_or(Some(1), |parts| self.count_along(parts));
                    along.and_then(|count| to[dim].checked_mul(count)) == Some(from[dim])
                });
            if !fits {
                return Err(format!(
                    "its shardings do not divide `{}` in parts `{}`",
                    whole.ty(),
                    part.ty()
                ));
            }
        }
        Ok(())
    }

    fn count_along(&self, parts: &[AxisPart]) -> Option<i64> {
        Some(self.mesh.index_along(0, parts)?.1)
    }

    /// The part of `value` that this device has; `device` is its number, once it is known.
    fn part<'c>(
        &self,
        builder: &Builder<'c>,
        value: Value<'c>,
        split: &Split,
        device: &mut Option<Value<'c>>,
    ) -> Outcome<Value<'c>> {
        let mut value = value;
        for (dim, parts) in split.iter().enumerate().filter(|(_, parts)| !parts.is_empty()) {
            let size = value.ty().shape().map_or(0, |shape| shape[dim]);
            let count = self.count_along(parts).or_decline("an axis is missing")?;
            let size = size / count;
            let mut offsets = vec![0_i64; usize::try_from(self.mesh.count()).unwrap_or(0)];
            for position in 0..self.mesh.count() {
                let along =
                    self.mesh.index_along(position, parts).or_decline("an axis is missing")?;
                let id = usize::try_from(self.mesh.device(position)).unwrap_or(0);
                offsets[id] = along.0 * size;
            }
            let bytes: Vec<_> = offsets.iter().flat_map(|offset| offset.to_le_bytes()).collect();
            let table = table(builder, integer(builder.context, 64), &bytes)?;
            let device = *device.get_or_insert_with(|| device_number(builder, self.devices));
            let offset = builder.taken(table, 0, device)?;
            value = builder.slid(value, dim, offset, size)?;
        }
        Ok(value)
    }

    /// The value of which each device has the part `value`.
    fn whole<'c>(
        &self,
        builder: &Builder<'c>,
        value: Value<'c>,
        split: &Split,
    ) -> Outcome<Value<'c>> {
        let word = integer(builder.context, 64);
        let mut value = value;
        for (dim, parts) in split.iter().enumerate().filter(|(_, parts)| !parts.is_empty()) {
            let groups = self.mesh.groups(parts).or_decline("an axis is missing")?;
            let members = groups.first().map_or(1, Vec::len) as i64;
            let mut shape = value.ty().shape().or_decline("a value is not a tensor")?;
            shape[dim] *= members;
            if shape[dim] == 0 {
                // Parts without elements are the whole.
                continue;
            }
            let listed = listed(builder, &groups)?;
            value = builder
                .op(stablehlo::ALL_GATHER)
                .operand(value)
                .attr("all_gather_dim", int(word, dim as i64))
                .attr("replica_groups", listed)
                .attr(FLATTENED, unit(builder.context))
                .result(tensor(&shape, value.ty().element()))
                .value();
        }
        Ok(value)
    }
}

/// The error for a body that is left.
pub(crate) fn refused(op: Op<'_>) -> Diagnostic {
    let reason = Plan::of(op).err();
    let reason = reason.unwrap_or_else(|| "each device computes a part of the results".to_owned());
    let error = diagnostic_at(codes::S1103, op).reason(reason);
    let meshes = stated_at(op).into_iter().filter_map(|sharding| sharding.mesh.resolve(op));
    let count = meshes.map(|mesh| mesh.count()).max().unwrap_or(1);
    match Devices::of(op).count() {
        1 if count > MOST_DEVICES => error.hint(format!(
            "objects list the devices that exchange values, {MOST_DEVICES} at most: export the program for fewer"
        )),
        1 if count > 1 => error.hint(format!(
            "declare the devices: `module attributes {{{PARTITIONS} = {count} : i32}}`"
        )),
        _ => error.hint(
            "`shard_map` over all axes of one mesh, with sizes that they divide, is compiled",
        ),
    }
}
