//! Random meshes and shardings for any program: its values are split over devices.

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AxisPart, Builder, Context, DimSharding, Mesh, MeshRef, Module, Op, PARTITIONS, REPLICAS,
    TensorSharding, TypeExt as _, Value, entry, int, integer, is_split, module_op, parse_attr, sdy,
    set_argument_sharding, set_result_sharding, set_shardings, string,
};

use crate::source::Source;

/// The sizes of the axes of meshes, up to 8 devices.
const MESHES: &[&[i64]] =
    &[&[2], &[3], &[4], &[5], &[8], &[2, 2], &[2, 3], &[4, 2], &[1, 4], &[2, 2, 2]];

/// The name of the mesh.
const NAME: &str = "devices";

/// Gives arguments, results and operations of the entry shardings. A program that has some keeps them, and one that exchanges values
/// its devices.
pub fn split<'c>(context: &'c Context, module: &Module<'c>, seed: u64) -> Result<(), Diagnostic> {
    if is_split(module) || strata_verify::communicates(module) {
        return Ok(());
    }
    let mut source = Source::new(seed);
    let mesh = mesh(&mut source);
    let root = module_op(module);
    for (name, count) in [(REPLICAS, 1), (PARTITIONS, mesh.count())] {
        root.set_attr(name, int(integer(context, 32), count));
    }
    let main = entry(module, None)?;
    let attribute = parse_attr(context, &format!("#sdy.mesh{mesh}"));
    let attribute = attribute.ok_or_else(|| broken("the mesh cannot be written"))?;
    Builder::before(context, main)
        .op(sdy::MESH)
        .attr("sym_name", string(context, NAME))
        .attr("mesh", attribute)
        .build();
    let block = main.body(0);
    for (index, value) in block.args().into_iter().enumerate() {
        if source.once_in(4) {
            continue;
        }
        if let Some(sharding) = sharding(&mut source, &mesh, value) {
            set_argument_sharding(context, main, index, &sharding);
        }
    }
    let returned = block.terminator().map(Op::operands).unwrap_or_default();
    for (index, value) in returned.into_iter().enumerate() {
        if source.once_in(3) {
            continue;
        }
        if let Some(sharding) = sharding(&mut source, &mesh, value) {
            set_result_sharding(context, main, index, &sharding);
        }
    }
    for op in block.ops() {
        if op.result_count() == 0 || !source.once_in(3) {
            continue;
        }
        let all = op.results().into_iter().map(|value| sharding(&mut source, &mesh, value));
        if let Some(all) = all.collect::<Option<Vec<_>>>() {
            set_shardings(context, op, &all);
        }
    }
    Ok(())
}

fn broken(reason: &str) -> Diagnostic {
    Diagnostic::new(codes::S9001).reason(reason)
}

fn mesh(source: &mut Source) -> Mesh {
    let sizes = source.pick(MESHES);
    let axes = sizes.iter().enumerate().map(|(at, size)| (format!("a{at}"), *size)).collect();
    let mut mesh = Mesh { axes, device_ids: Vec::new() };
    if source.once_in(4) {
        let order = source.permutation(mesh.count() as usize);
        mesh.device_ids = order.into_iter().map(|id| id as i64).collect();
    }
    mesh
}

/// A random one; `None` for values that are not tensors.
fn sharding(source: &mut Source, mesh: &Mesh, value: Value<'_>) -> Option<TensorSharding> {
    let rank = value.ty().rank().filter(|_| value.ty().is_tensor_type())?;
    let mut dims = vec![DimSharding::default(); rank];
    for part in parts(source, mesh) {
        if rank > 0 && !source.once_in(4) {
            let axes = &mut dims[source.below(rank as i64) as usize].axes;
            // Two halves in order are written as the whole.
            let continues = |last: &&mut AxisPart| {
                last.axis == part.axis && last.part.is_some_and(|(before, _)| before == 1)
            };
            match axes.last_mut().filter(|last| continues(last)) {
                Some(last) => last.part = None,
                None => axes.push(part),
            }
        }
    }
    Some(TensorSharding { dims, ..TensorSharding::replicated(MeshRef::Named(NAME.to_owned()), 0) })
}

/// The axes in any order; one of 4 or 8 devices may be cut in two.
fn parts(source: &mut Source, mesh: &Mesh) -> Vec<AxisPart> {
    let mut parts = Vec::new();
    for (axis, size) in &mesh.axes {
        if size % 4 == 0 && source.once_in(3) {
            let piece = |part| AxisPart { axis: axis.clone(), part: Some(part) };
            parts.extend([piece((1, 2)), piece((2, size / 2))]);
        } else {
            parts.push(AxisPart::whole(axis));
        }
    }
    let order = source.permutation(parts.len());
    order.into_iter().map(|at| parts[at].clone()).collect()
}
