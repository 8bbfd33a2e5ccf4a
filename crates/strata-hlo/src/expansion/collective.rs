//! Collectives in the forms that the next stage lowers.
//!
//! In a single process each group has this process as its only member:
//!
//! ```text
//! all_reduce(x), all_gather(x), all_to_all(x), …  groups [[0]]  → x
//! collective_permute(x)                       pairs [[0, 0]]  → x
//! collective_permute(x)                                pairs []  → 0
//! replica_id, partition_id                                       → 0
//! ```
//!
//! Several devices exchange contiguous parts, so that operands and results are gathered, scattered and split along their
//! first dimension:
//!
//! ```text
//! all_gather(x : 4x2, dim 1) : 4x6   → reshape(transpose(all_gather(reshape(x) : 1x4x2, dim 0) : 3x4x2) : 4x3x2) : 4x6
//! reduce_scatter(x : 4x6, dim 1) : 4x2 → reshape(reduce_scatter(transpose(reshape(x) : 4x3x2) : 3x4x2, dim 0) : 1x4x2) : 4x2
//! ```

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    Attribute, AttributeExt as _, Builder, ComparisonDirection, Context, Devices, ElementType,
    FLATTENED, Module, Op, OpKind, PROGRAM, QuantizedType, RegionBuilder, Type, TypeExt as _,
    Value, WalkOrder, communicates, dense_bytes, diagnostic_at, float, groups_of, hash_of, int,
    integer, mesh_groups, module_op, print, stablehlo, tensor, unit, unsigned_integer,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::{
    emit::{Emit as _, is_without_zero, zero_of},
    pattern::{new_constant, new_splat, patterns},
};

patterns! {
    /// Collectives in a single process.
    CollectiveOfOne = "collective-of-one" on [
        AllGather, AllReduce, AllToAll, CollectiveBroadcast, CollectiveReduce, CrossReplicaSum, ReduceScatter
    ] by collective;
    /// A permutation in a single process.
    PermuteOfOne = "permute-of-one" on [CollectivePermute] by permute;
    /// The ids of the only replica, and of the only partition, are 0.
    IdOfOne = "id-of-one" on [PartitionId, ReplicaId] by id;
    /// A gathering along another dimension than the first.
    GatherAlongFirst = "gather-along-first" on [AllGather] by gather;
    /// A reduction scattered along another dimension than the first.
    ScatterAlongFirst = "scatter-along-first" on [ReduceScatter] by scatter;
    /// Parts along another dimension than the first.
    ExchangeAlongFirst = "exchange-along-first" on [AllToAll] by exchange;
    /// The older form of a sum over all members.
    SumToReduction = "sum-to-reduction" on [CrossReplicaSum] by sum;
    /// A broadcast from a member that is known at run time only.
    BroadcastFrom = "broadcast-from" on [CollectiveBroadcast] by broadcast_from;
    /// A reduction for one member of each group.
    ReduceForOne = "reduce-for-one" on [CollectiveReduce] by reduce_for_one;
    /// A reduction of operands that are narrower than what it combines.
    ReductionOfNarrower = "reduction-of-narrower" on [AllReduce, CollectiveReduce, ReduceScatter] by widen;
    /// Groups that the axes of a mesh give.
    GroupsOfMesh = "groups-of-mesh" on [
        AllGather, AllReduce, AllToAll, CollectiveBroadcast, CollectiveReduce, ReduceScatter
    ] by groups_of_mesh;
}

/// Declines where the module runs in several processes.
fn alone(op: Op<'_>) -> Outcome {
    (Devices::of(op).count() == 1).or_decline("the program runs in several processes")
}

/// Declines where the module runs in one process.
fn together(op: Op<'_>) -> Outcome {
    (Devices::of(op).count() != 1).or_decline("the program runs in one process")
}

fn collective<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    alone(op)?;
    let groups = op.attr("replica_groups").and_then(|groups| groups.as_i64s());
    let groups = groups.or_decline("the groups are not listed")?;
    // Shorter groups are padded with -1.
    let only_this = groups.iter().all(|member| *member == 0 || *member == -1);
    only_this.or_decline("a group has another process")?;
    let operands = op.operands();
    (operands.len() == op.result_count()).or_decline("operands and results do not match")?;
    let values = operands
        .into_iter()
        .zip(op.result_types())
        .map(|(value, ty)| converted(rewriter, value, ty))
        .collect::<Outcome<Vec<_>>>()?;
    rewriter.replace(&values);
    Ok(())
}

/// `value` in the type of the result, whose elements may be wider.
fn converted<'c>(rewriter: &Rewriter<'c>, value: Value<'c>, ty: Type<'c>) -> Outcome<Value<'c>> {
    if value.ty() == ty {
        return Ok(value);
    }
    (value.ty().shape() == ty.shape()).or_decline("the shape changes")?;
    Ok(rewriter.builder().op(stablehlo::CONVERT).operand(value).result(ty).value())
}

fn permute<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    alone(op)?;
    let pairs = op.attr("source_target_pairs").and_then(|pairs| pairs.as_i64s());
    let value = match pairs.as_deref() {
        Some([0, 0]) => op.operand(0),
        Some([]) => zero(rewriter, op.result(0).ty())?,
        _ => return Err("a pair has another process".into()),
    };
    rewriter.replace(&[value]);
    Ok(())
}

fn id<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let devices = Devices::of(op);
    let count = if op.kind() == OpKind::ReplicaId { devices.replicas } else { devices.partitions };
    (count == 1).or_decline("there are several")?;
    let value = zero(rewriter, op.result(0).ty())?;
    rewriter.replace(&[value]);
    Ok(())
}

/// Zeros of a real type.
fn zero<'c>(rewriter: &Rewriter<'c>, ty: Type<'c>) -> Outcome<Value<'c>> {
    let element = ty.element();
    ty.has_static_shape().or_decline("the shape is not static")?;
    let value = if element.is_int() {
        int(element, 0)
    } else if element.is_float_type() {
        float(rewriter.context(), element, zero_of(element))
    } else {
        return Err("zeros of this type are not supported".into());
    };
    Ok(new_splat(&rewriter.builder(), ty, value))
}

/// The size of `name`, a dimension of the operands.
fn dimension(op: Op<'_>, name: &str) -> Outcome<usize> {
    let dim = op.attr(name).and_then(|dim| dim.as_i64());
    dim.and_then(|dim| usize::try_from(dim).ok()).or_decline("a dimension is missing")
}

fn static_shape(value: Value<'_>) -> Outcome<Vec<i64>> {
    value.ty().has_static_shape().or_decline("the shape is not static")?;
    value.ty().shape().or_decline("it is not on tensors")
}

/// `value` with dimension `dim` cut in `parts`, which are the first dimension of the result.
fn cut<'c>(builder: &Builder<'c>, value: Value<'c>, dim: usize, parts: i64) -> Value<'c> {
    let mut shape = value.ty().shape().unwrap_or_default();
    shape[dim] /= parts;
    shape.insert(dim, parts);
    let whole = builder.reshaped(value, &shape);
    let rest = (0..shape.len()).filter(|one| *one != dim);
    builder.transposed(whole, &std::iter::once(dim).chain(rest).collect::<Vec<_>>())
}

/// `value` with the parts along its first dimension concatenated along dimension `dim` of the others.
fn joined<'c>(builder: &Builder<'c>, value: Value<'c>, dim: usize) -> Value<'c> {
    let shape = value.ty().shape().unwrap_or_default();
    let order = (1..=dim).chain([0]).chain(dim + 1..shape.len());
    let value = builder.transposed(value, &order.collect::<Vec<_>>());
    let mut whole = shape[1..].to_vec();
    whole[dim] *= shape[0];
    builder.reshaped(value, &whole)
}

/// A copy of `op` on other operands, with other result types and dimensions of 0.
fn along_first<'c>(
    op: Op<'c>,
    rewriter: &Rewriter<'c>,
    operands: &[Value<'c>],
    shapes: &[Vec<i64>],
    dimensions: &[&str],
) -> Vec<Value<'c>> {
    let copy = op.clone_detached();
    for (index, operand) in operands.iter().enumerate() {
        copy.set_operand(index, *operand);
    }
    for (result, shape) in copy.results().into_iter().zip(shapes) {
        result.set_ty(tensor(shape, result.ty().element()));
    }
    for name in dimensions {
        copy.set_attr(name, int(integer(rewriter.context(), 64), 0));
    }
    rewriter.builder().insert(copy).results()
}

fn gather<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    together(op)?;
    let dim = dimension(op, "all_gather_dim")?;
    (dim != 0).or_decline("it is along the first dimension")?;
    let (mut parts, mut shapes) = (Vec::new(), Vec::new());
    for (operand, result) in op.operands().into_iter().zip(op.results()) {
        let (from, to) = (static_shape(operand)?, static_shape(result)?);
        (from[dim] > 0).or_decline("a part is empty")?;
        let members = to[dim] / from[dim];
        parts.push([&[1], &from[..]].concat());
        shapes.push([&[members], &from[..]].concat());
    }
    let builder = rewriter.builder();
    let operands: Vec<_> = op
        .operands()
        .into_iter()
        .zip(&parts)
        .map(|(value, shape)| builder.reshaped(value, shape))
        .collect();
    let gathered = along_first(op, rewriter, &operands, &shapes, &["all_gather_dim"]);
    let results: Vec<_> = gathered.into_iter().map(|value| joined(&builder, value, dim)).collect();
    rewriter.replace(&results);
    Ok(())
}

fn scatter<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    together(op)?;
    let dim = dimension(op, "scatter_dimension")?;
    (dim != 0).or_decline("it is along the first dimension")?;
    let (from, to) = (static_shape(op.operand(0))?, static_shape(op.result(0))?);
    (to[dim] > 0).or_decline("a part is empty")?;
    let builder = rewriter.builder();
    let operand = cut(&builder, op.operand(0), dim, from[dim] / to[dim]);
    let part = [&[1], &to[..]].concat();
    let scattered = along_first(op, rewriter, &[operand], &[part], &["scatter_dimension"]);
    let result = builder.reshaped(scattered[0], &to);
    rewriter.replace(&[result]);
    Ok(())
}

fn exchange<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    together(op)?;
    let (split, concat) = (dimension(op, "split_dimension")?, dimension(op, "concat_dimension")?);
    ((split, concat) != (0, 0)).or_decline("it is along the first dimension")?;
    let parts = op.attr("split_count").and_then(|count| count.as_i64());
    let parts = parts.filter(|parts| *parts > 0).or_decline("it does not say in how many parts")?;
    for operand in op.operands() {
        static_shape(operand)?;
    }
    let builder = rewriter.builder();
    let operands: Vec<_> =
        op.operands().into_iter().map(|value| cut(&builder, value, split, parts)).collect();
    let shapes: Vec<_> = operands.iter().filter_map(|value| value.ty().shape()).collect();
    let dimensions = ["split_dimension", "concat_dimension"];
    let exchanged = along_first(op, rewriter, &operands, &shapes, &dimensions);
    let results: Vec<_> =
        exchanged.into_iter().map(|value| joined(&builder, value, concat)).collect();
    rewriter.replace(&results);
    Ok(())
}

fn sum<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    together(op)?;
    let groups = op.attr("replica_groups").or_decline("the groups are not listed")?;
    let builder = rewriter.builder();
    let scalar = tensor(&[], op.operand(0).ty().element());
    let region = builder.region(&[scalar, scalar], |inner, args| {
        let sum = inner.op(stablehlo::ADD).operands(args).result(scalar).value();
        inner.returned(&[sum]);
    });
    let reduced = builder
        .op(stablehlo::ALL_REDUCE)
        .operand(op.operand(0))
        .attr("replica_groups", groups)
        .region(region)
        .result(op.result(0).ty())
        .value();
    rewriter.replace(&[reduced]);
    Ok(())
}

/// Operands are promoted to the type of the results before they are combined.
fn widen<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    together(op)?;
    let element = op.result(0).ty().element();
    let (operands, roots) = data_and_roots(op);
    let is_narrower = operands.iter().any(|operand| operand.ty().element() != element);
    is_narrower.or_decline("the operands have the type of the results")?;
    let types = operands.iter().map(|operand| operand.ty().element()).chain([element]);
    let are_numbers = types.into_iter().all(|ty| ElementType::from_type(ty).is_some());
    are_numbers.or_decline("a type is quantized")?;
    let builder = rewriter.builder();
    let widened = operands.iter().map(|operand| builder.converted(*operand, element));
    let operands: Vec<_> = widened.chain(roots).collect();
    rewriter.modify(|op| {
        for (index, operand) in operands.iter().enumerate() {
            op.set_operand(index, *operand);
        }
    });
    Ok(())
}

fn groups_of_mesh<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let groups = mesh_groups(op).or_decline("the groups are listed")??;
    let groups = listed(&rewriter.builder(), &groups)?;
    let context = rewriter.context();
    rewriter.modify(|op| {
        op.set_attr("replica_groups", groups);
        op.set_attr(FLATTENED, unit(context));
    });
    Ok(())
}

/// The operands that are exchanged, and those roots that are known at run time only: for each operand its position in the group.
fn data_and_roots(op: Op<'_>) -> (Vec<Value<'_>>, Option<Value<'_>>) {
    let mut operands = op.operands();
    let roots = if op.has_attr("has_dynamic_root") { operands.pop() } else { None };
    (operands, roots)
}

/// The root of operand `index`.
fn root_of<'c>(builder: &Builder<'c>, roots: Value<'c>, index: usize) -> Outcome<Value<'c>> {
    match roots.ty().rank() {
        Some(0) => Ok(roots),
        _ => builder.taken(roots, 0, builder.counter(index as i64)),
    }
}

/// Each member gets all operands of the group, and takes that of the root.
fn broadcast_from<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    together(op)?;
    let (operands, roots) = data_and_roots(op);
    let roots = roots.or_decline("the root is the first member")?;
    let groups = groups_of(op)?;
    let members = groups.first().map_or(0, Vec::len) as i64;
    let whole = groups.concat().len() as i64 == Devices::of(op).count();
    whole.or_decline("a device is in no group")?;
    let builder = rewriter.builder();
    let groups = listed(&builder, &groups)?;
    let mut results = Vec::new();
    for (index, operand) in operands.into_iter().enumerate() {
        let shape = static_shape(operand)?;
        let part = builder.reshaped(operand, &[&[1], &shape[..]].concat());
        let all = [&[members], &shape[..]].concat();
        let gathered = builder
            .op(stablehlo::ALL_GATHER)
            .operand(part)
            .attr("all_gather_dim", int(integer(builder.context, 64), 0))
            .attr("replica_groups", groups)
            .attr(FLATTENED, unit(builder.context))
            .result(tensor(&all, operand.ty().element()))
            .value();
        results.push(builder.taken(gathered, 0, root_of(&builder, roots, index)?)?);
    }
    rewriter.replace(&results);
    Ok(())
}

/// A reduction for all members, of which the others than the root take zeros.
fn reduce_for_one<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    together(op)?;
    let (operands, roots) = data_and_roots(op);
    let groups = groups_of(op)?;
    let devices = Devices::of(op);
    let builder = rewriter.builder();
    let copy = op.clone_detached();
    let region = RegionBuilder::take(copy.region(0));
    let sums = builder
        .op(stablehlo::ALL_REDUCE)
        .operands(&operands)
        .attr("replica_groups", listed(&builder, &groups)?)
        .attr(FLATTENED, unit(builder.context))
        .region(region)
        .results(&op.result_types())
        .build();
    copy.erase();
    let mut places = vec![0_i64; usize::try_from(devices.count()).unwrap_or(0)];
    for (place, device) in groups.iter().flat_map(|group| (0..).zip(group)) {
        places[usize::try_from(*device).unwrap_or(0)] = place;
    }
    let places: Vec<_> = places.into_iter().flat_map(i64::to_le_bytes).collect();
    let places = table(&builder, integer(builder.context, 64), &places)?;
    let place = builder.taken(places, 0, device_number(&builder, devices))?;
    let mut results = Vec::new();
    for (index, sum) in sums.results().into_iter().enumerate() {
        let root = match roots {
            Some(roots) => {
                let root = root_of(&builder, roots, index)?;
                builder.converted(root, integer(builder.context, 64))
            }
            None => builder.counter(0),
        };
        let flag = builder.compare(ComparisonDirection::Eq, place, root)?;
        let shape = sum.ty().shape().or_decline("it is not on tensors")?;
        let flag = builder.broadcast_in_dim(flag, &shape, &[]);
        results.push(builder.selected(flag, sum, builder.zeros(sum.ty())?));
    }
    rewriter.replace(&results);
    Ok(())
}

/// The number of the device that the program runs on: `replica * partitions + partition`.
pub(crate) fn device_number<'c>(builder: &Builder<'c>, devices: Devices) -> Value<'c> {
    let id = |name| {
        let ty = tensor(&[], unsigned_integer(builder.context, 32));
        let id = builder.op(name).result(ty).value();
        builder.converted(id, integer(builder.context, 64))
    };
    let (replica, partition) = (id(stablehlo::REPLICA_ID), id(stablehlo::PARTITION_ID));
    let same = |name, operands: [Value<'c>; 2]| {
        builder.op(name).operands(&operands).result(operands[0].ty()).value()
    };
    let first = same(stablehlo::MULTIPLY, [replica, builder.counter(devices.partitions)]);
    same(stablehlo::ADD, [first, partition])
}

/// Gives devices that an exchange leaves out the zero of their type, where that is not all zero bits: the executor leaves zero bits
/// there. A quantized zero is the zero point; a type without zero has `NaN` for it.
///
/// ```text
/// collective_permute(x) → select(is_reached[device], collective_permute(x), 0)
/// ```
///
/// # Errors
/// `S1101` for sizes that are known only at run time.
pub(crate) fn fill_left_out<'c>(context: &'c Context, func: Op<'c>) -> Result<(), Diagnostic> {
    let mut found = Vec::new();
    func.walk(WalkOrder::Pre, &mut |op| {
        let leaves_out =
            matches!(op.kind(), OpKind::CollectiveBroadcast | OpKind::CollectivePermute);
        if leaves_out && op.results().into_iter().any(|result| has_bits_in_zero(result.ty())) {
            found.push(op);
        }
    });
    for op in found {
        // Groups that are wrong are refused where the exchange is lowered.
        let Ok(groups) = groups_of(op) else { continue };
        let devices = Devices::of(op);
        let mut reached = vec![0_u8; usize::try_from(devices.count()).unwrap_or(0)];
        let is_pairs = op.kind() == OpKind::CollectivePermute;
        for device in groups.iter().flat_map(|group| &group[usize::from(is_pairs)..]) {
            if let Some(reached) = usize::try_from(*device).ok().and_then(|at| reached.get_mut(at))
            {
                *reached = 1;
            }
        }
        if reached.contains(&0) {
            fill(context, op, devices, &reached).map_err(|declined| {
                diagnostic_at(codes::S1101, op).reason(format!("{declined}"))
            })?;
        }
    }
    Ok(())
}

fn fill<'c>(context: &'c Context, op: Op<'c>, devices: Devices, reached: &[u8]) -> Outcome {
    let builder = Builder::before(context, op);
    let exchange = builder.insert(op.clone_detached());
    let reached = table(&builder, unsigned_integer(context, 8), reached)?;
    let reached = builder.taken(reached, 0, device_number(&builder, devices))?;
    let none = builder.zeros(reached.ty())?;
    let flag = builder.compare(ComparisonDirection::Ne, reached, none)?;
    for (old, new) in op.results().into_iter().zip(exchange.results()) {
        let shape = static_shape(new)?;
        let zero = match QuantizedType::of(new.ty().element()) {
            None => builder.zeros(new.ty())?,
            Some(quantized) => {
                let zero = builder.zeros(tensor(&shape, quantized.expressed))?;
                builder.op(stablehlo::UNIFORM_QUANTIZE).operand(zero).result(new.ty()).value()
            }
        };
        let flag = builder.broadcast_in_dim(flag, &shape, &[]);
        old.replace_all_uses_with(builder.selected(flag, new, zero));
    }
    op.erase();
    Ok(())
}

/// Whether a zero of the type has other bits than zeros.
fn has_bits_in_zero(ty: Type<'_>) -> bool {
    QuantizedType::of(ty.element()).is_some() || is_without_zero(ty.element())
}

/// A constant with an element for each device.
pub(crate) fn table<'c>(
    builder: &Builder<'c>,
    element: Type<'c>,
    bytes: &[u8],
) -> Outcome<Value<'c>> {
    let width = usize::try_from(element.byte_width().unwrap_or(1)).unwrap_or(1);
    let ty = tensor(&[(bytes.len() / width) as i64], element);
    let value = dense_bytes(ty, bytes).or_decline("the table cannot be written")?;
    Ok(new_constant(builder, ty, value))
}

/// Groups as an attribute, shorter ones filled up with -1.
pub(crate) fn listed<'c>(builder: &Builder<'c>, groups: &[Vec<i64>]) -> Outcome<Attribute<'c>> {
    let width = groups.iter().map(Vec::len).max().unwrap_or(0);
    let members = |group: &Vec<i64>| {
        (0..width).map(|at| group.get(at).copied().unwrap_or(-1)).collect::<Vec<i64>>()
    };
    let bytes: Vec<_> =
        groups.iter().flat_map(members).flat_map(|member| member.to_le_bytes()).collect();
    let ty = tensor(&[groups.len() as i64, width as i64], integer(builder.context, 64));
    dense_bytes(ty, &bytes).or_decline("the groups cannot be listed")
}

/// Gives the module of a program that exchanges values a hash of the program: all devices have to run the same.
pub fn name_program<'c>(context: &'c Context, module: &Module<'c>) {
    let root = module_op(module);
    if root.has_attr(PROGRAM) || Devices::of(root).count() == 1 {
        return;
    }
    if !root.collect(communicates).is_empty() {
        root.set_attr(PROGRAM, int(integer(context, 64), hash_of(&print(module, false))));
    }
}
