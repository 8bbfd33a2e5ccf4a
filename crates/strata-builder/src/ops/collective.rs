//! Collectives. The compiler rejects those that need several processes.

use strata_ir as ir;
use strata_ir::stablehlo;

use crate::{
    Builder, Computation,
    error::{Result, Site},
    graph::Results,
    op::Op,
    shape::Shape,
};

use super::{calls::ApiVersion, calls::CustomCall, window::pairs};

/// A communication channel: its number, and 1 from device to device, 2 from device to host, 3 from host to device.
pub use strata_ir::ChannelHandle;

/// Options of collectives besides their groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CollectiveOptions {
    /// Only operations of the same channel communicate.
    pub channel_id: Option<ChannelHandle>,
    /// The numbers in the groups are `replica_id * partition_count + partition_id`.
    pub use_global_device_ids: bool,
}

/// The maximum number of replicas in an implicit group.
const MOST_REPLICAS: i64 = 1 << 20;

type Attributes = Vec<(&'static str, ir::Attribute<'static>)>;

impl Op {
    /// Concatenates the operands of a group's processes along a dimension, which becomes `shard_count` times as large. No
    /// groups means one of all replicas.
    ///
    /// # Errors
    /// For a dimension out of range, and groups that are not of `shard_count` distinct replicas.
    #[track_caller]
    pub fn all_gather(
        &self,
        all_gather_dimension: i64,
        shard_count: i64,
        replica_groups: &[&[i64]],
        options: CollectiveOptions,
    ) -> Result<Op> {
        let site = Site::new("AllGather");
        let graph = &self.graph;
        let value = graph.value(site, self)?;
        let mut shape = self.array_at(site)?;
        sharded(site, shard_count, replica_groups)?;
        let at = usize::try_from(all_gather_dimension).ok().filter(|at| *at < shape.rank());
        let at = at.ok_or_else(|| {
            site.error(format!("dimension {all_gather_dimension} is not in {shape}"))
        })?;
        shape.dimensions[at] = shape.dimensions[at]
            .checked_mul(shard_count)
            .ok_or_else(|| site.error("the gathered dimension is too large"))?;
        let ty = graph.type_of(site, &Shape::Array(shape))?;
        let mut attributes = self.group_attributes(site, replica_groups, options)?;
        attributes.push(("all_gather_dim", self.builder().i64_attribute(all_gather_dimension)));
        graph.emit_op(site, stablehlo::ALL_GATHER, Results::Given(vec![ty]), |op| {
            op.operand(value).attrs(&attributes)
        })
    }

    /// Combines the operands of a group's processes by a computation; for a tuple, each element. The result is of the same
    /// shape.
    ///
    /// # Errors
    /// For groups that name a replica twice, and a computation of another type.
    #[track_caller]
    pub fn all_reduce(
        &self,
        computation: &Computation,
        replica_groups: &[&[i64]],
        options: CollectiveOptions,
    ) -> Result<Op> {
        self.all_reduced(Site::new("AllReduce"), computation, replica_groups, options)
    }

    fn all_reduced(
        &self,
        site: Site,
        computation: &Computation,
        groups: &[&[i64]],
        options: CollectiveOptions,
    ) -> Result<Op> {
        let graph = &self.graph;
        let values = graph.leaves(site, self)?;
        let shape = self.shape_at(site)?;
        arrays(site, &shape)?;
        computation.expect_scalars(site, 2)?;
        let attributes = self.group_attributes(site, groups, options)?;
        let region = graph.region(site, computation, &[]);
        let made = graph.emit(site, stablehlo::ALL_REDUCE, Results::Inferred, |op| {
            op.operands(&values).attrs(&attributes).region(region)
        })?;
        graph
            .gathered(&shape, &mut made.results().into_iter())
            .ok_or_else(|| site.error("the reduction has no result"))
    }

    /// The sum over a group's processes: the older form of [`Op::all_reduce`]. All elements are of one type.
    ///
    /// # Errors
    /// As [`Op::all_reduce`].
    #[track_caller]
    pub fn cross_replica_sum(&self, replica_groups: &[&[i64]]) -> Result<Op> {
        let site = Site::new("CrossReplicaSum");
        let shape = self.shape_at(site)?;
        let mut leaves = Vec::new();
        shape.leaves(&mut leaves);
        let first = leaves.first().and_then(|leaf| leaf.as_array());
        let first =
            first.ok_or_else(|| site.error(format!("arrays are expected, found {shape}")))?;
        let sum = Computation::add(first.element)?;
        self.all_reduced(site, &sum, replica_groups, CollectiveOptions::default())
    }

    /// Splits the operand into `split_count` blocks along one dimension; block `i` of each process goes to process `i` of
    /// the group, which concatenates the received blocks along another dimension.
    ///
    /// # Errors
    /// For dimensions out of range, a split dimension that is not divisible, and groups of another size.
    #[track_caller]
    pub fn all_to_all(
        &self,
        split_dimension: i64,
        concat_dimension: i64,
        split_count: i64,
        replica_groups: &[&[i64]],
        channel_id: Option<ChannelHandle>,
    ) -> Result<Op> {
        let site = Site::new("AllToAll");
        let graph = &self.graph;
        let value = graph.value(site, self)?;
        self.array_at(site)?;
        if split_count < 1 {
            return Err(site.error(format!("split_count is positive, found {split_count}")));
        }
        let options = CollectiveOptions { channel_id, use_global_device_ids: false };
        let mut attributes = match replica_groups {
            [] if split_count > MOST_REPLICAS => {
                return Err(site.error(format!(
                    "at most {MOST_REPLICAS} replicas exchange blocks, split_count is {split_count}"
                )));
            }
            // All replicas are one group, of as many as there are blocks.
            [] => {
                let all: Vec<i64> = (0..split_count).collect();
                self.group_attributes(site, &[&all], options)?
            }
            groups => self.group_attributes(site, groups, options)?,
        };
        for (name, number) in [
            ("split_dimension", split_dimension),
            ("concat_dimension", concat_dimension),
            ("split_count", split_count),
        ] {
            attributes.push((name, self.builder().i64_attribute(number)));
        }
        graph.emit_op(site, stablehlo::ALL_TO_ALL, Results::Inferred, |op| {
            op.operand(value).attrs(&attributes)
        })
    }

    /// The operand of the first process of a group, in all of them; zeros in processes of no group.
    ///
    /// # Errors
    /// For groups that name a replica twice.
    #[track_caller]
    pub fn collective_broadcast(
        &self,
        replica_groups: &[&[i64]],
        channel_id: Option<ChannelHandle>,
    ) -> Result<Op> {
        let site = Site::new("CollectiveBroadcast");
        let graph = &self.graph;
        let value = graph.value(site, self)?;
        self.array_at(site)?;
        let options = CollectiveOptions { channel_id, use_global_device_ids: false };
        let attributes = self.group_attributes(site, replica_groups, options)?;
        graph.emit_op(site, stablehlo::COLLECTIVE_BROADCAST, Results::Inferred, |op| {
            op.operand(value).attrs(&attributes)
        })
    }

    /// The operand sent from the first process of each pair to the second; zeros in processes that nothing is sent to.
    ///
    /// # Errors
    /// For a process that is the source, or the target, of two pairs.
    #[track_caller]
    pub fn collective_permute(
        &self,
        source_target_pairs: &[(i64, i64)],
        channel_id: Option<ChannelHandle>,
    ) -> Result<Op> {
        let site = Site::new("CollectivePermute");
        let graph = &self.graph;
        let value = graph.value(site, self)?;
        let table = pairs(graph.context(), source_target_pairs);
        let table = table.ok_or_else(|| site.error("the pairs are not a matrix"))?;
        let channel = channel_attribute(site, graph.context(), channel_id)?;
        graph.emit_op(site, stablehlo::COLLECTIVE_PERMUTE, Results::Inferred, |op| {
            let op = op.operand(value).attr("source_target_pairs", table);
            channel.into_iter().fold(op, |op, channel| op.attr("channel_handle", channel))
        })
    }

    /// The operands of a group's processes combined by a computation, and split into `shard_count` blocks along a
    /// dimension, one for each process; of a tuple each element.
    ///
    /// # Errors
    /// For a dimension out of range or not divisible, groups of another size, and a computation of another type.
    #[track_caller]
    pub fn reduce_scatter(
        &self,
        computation: &Computation,
        scatter_dimension: i64,
        shard_count: i64,
        replica_groups: &[&[i64]],
        options: CollectiveOptions,
    ) -> Result<Op> {
        let site = Site::new("ReduceScatter");
        let graph = &self.graph;
        sharded(site, shard_count, replica_groups)?;
        computation.expect_scalars(site, 2)?;
        if let crate::op::Node::Tuple(elements) = &self.node {
            arrays(site, &self.shape_at(site)?)?;
            let parts = elements.iter().map(|one| {
                one.reduce_scatter(
                    computation,
                    scatter_dimension,
                    shard_count,
                    replica_groups,
                    options,
                )
            });
            return Ok(graph.tuple(parts.collect::<Result<_>>()?));
        }
        let value = graph.value(site, self)?;
        let mut shape = self.array_at(site)?;
        let at = usize::try_from(scatter_dimension).ok().filter(|at| *at < shape.rank());
        let at = at.ok_or_else(|| {
            site.error(format!("dimension {scatter_dimension} is not in {shape}"))
        })?;
        if shape.dimensions[at] % shard_count != 0 {
            return Err(site.error(format!(
                "the scattered dimension is divisible by {shard_count}, found {}",
                shape.dimensions[at]
            )));
        }
        shape.dimensions[at] /= shard_count;
        let ty = graph.type_of(site, &Shape::Array(shape))?;
        let mut attributes = self.group_attributes(site, replica_groups, options)?;
        attributes.push(("scatter_dimension", self.builder().i64_attribute(scatter_dimension)));
        let region = graph.region(site, computation, &[]);
        graph.emit_op(site, stablehlo::REDUCE_SCATTER, Results::Given(vec![ty]), |op| {
            op.operand(value).attrs(&attributes).region(region)
        })
    }

    /// Rows of ragged arrays exchanged in a group: `send_sizes[i]` rows from `input_offsets[i]` on go to process `i`, into
    /// its output from `output_offsets[i]` on. All four lists are of one shape: `[devices]` or `[devices, updates]`.
    ///
    /// # Errors
    /// For lists of different shapes, and an output of another element type.
    #[track_caller]
    #[allow(clippy::too_many_arguments)] // the documents' list
    pub fn ragged_all_to_all(
        &self,
        input_offsets: &Op,
        send_sizes: &Op,
        output: &Op,
        output_offsets: &Op,
        recv_sizes: &Op,
        replica_groups: &[&[i64]],
        channel_id: Option<ChannelHandle>,
    ) -> Result<Op> {
        let site = Site::new("RaggedAllToAll");
        let wanted = input_offsets.array_at(site)?;
        for one in [send_sizes, output_offsets, recv_sizes] {
            let own = one.array_at(site)?;
            if own != wanted {
                return Err(site.error(format!(
                    "offsets and sizes are of one shape, found {wanted} and {own}"
                )));
            }
        }
        if !matches!(
            wanted.element,
            crate::ElementType::Signed(_) | crate::ElementType::Unsigned(_)
        ) || !(1..=2).contains(&wanted.rank())
        {
            return Err(site.error(format!(
                "offsets and sizes are integers of shape [devices] or [devices, updates], found {wanted}"
            )));
        }
        let (own, result) = (self.array_at(site)?, output.array_at(site)?);
        if own.element != result.element || own.dimensions.get(1..) != result.dimensions.get(1..) {
            return Err(site
                .error(format!("input and output have the same rows, found {own} and {result}")));
        }
        let operands =
            [self, output, input_offsets, send_sizes, output_offsets, recv_sizes].map(Op::clone);
        let groups = groups(site, self.graph.context(), replica_groups)?;
        let channel = channel_id.map_or(0, |channel| channel.handle);
        let config = format!("{{channel_id = {channel} : i64, replica_groups = {groups}}}");
        let call = CustomCall {
            target: "ragged_all_to_all",
            shape: Some(Shape::Array(result)),
            backend_config: &config,
            api_version: ApiVersion::TypedFfi,
            ..CustomCall::default()
        };
        self.builder().custom(site, &operands, &call)
    }

    fn group_attributes(
        &self,
        site: Site,
        replica_groups: &[&[i64]],
        options: CollectiveOptions,
    ) -> Result<Attributes> {
        let context = self.graph.context();
        let mut all = vec![("replica_groups", groups(site, context, replica_groups)?)];
        if let Some(channel) = channel_attribute(site, context, options.channel_id)? {
            all.push(("channel_handle", channel));
        }
        if options.use_global_device_ids {
            all.push(("use_global_device_ids", ir::unit(context)));
        }
        Ok(all)
    }
}

impl Builder {
    /// The number of the replica that runs the program, of `U32`.
    ///
    /// # Errors
    /// None.
    #[track_caller]
    pub fn replica_id(&self) -> Result<Op> {
        self.graph
            .emit_op(Site::new("ReplicaId"), stablehlo::REPLICA_ID, Results::Inferred, |op| op)
    }

    /// The number of the partition that runs the program, of `U32`: XLA's `BuildPartitionId`.
    ///
    /// # Errors
    /// None.
    #[track_caller]
    pub fn partition_id(&self) -> Result<Op> {
        let site = Site::new("PartitionId");
        self.graph.emit_op(site, stablehlo::PARTITION_ID, Results::Inferred, |op| op)
    }

    /// As [`Builder::partition_id`].
    ///
    /// # Errors
    /// None.
    #[track_caller]
    pub fn build_partition_id(&self) -> Result<Op> {
        let site = Site::new("BuildPartitionId");
        self.graph.emit_op(site, stablehlo::PARTITION_ID, Results::Inferred, |op| op)
    }
}

/// `dense<[[0, 1], [2, 3]]>`; smaller groups are padded with -1.
fn groups(
    site: Site,
    context: &'static ir::Context,
    groups: &[&[i64]],
) -> Result<ir::Attribute<'static>> {
    let longest = groups.iter().map(|group| group.len()).max().unwrap_or(0);
    if groups.iter().any(|group| group.is_empty()) {
        return Err(site.error("each group has at least one replica, found an empty one"));
    }
    let ids = groups.iter().flat_map(|group| {
        let filled = group.iter().copied().chain(std::iter::repeat(-1));
        filled.take(longest).collect::<Vec<_>>()
    });
    let bytes: Vec<u8> = ids.flat_map(i64::to_le_bytes).collect();
    let ty = ir::tensor(&[groups.len() as i64, longest as i64], ir::integer(context, 64));
    ir::dense_bytes(ty, &bytes).ok_or_else(|| site.error("the groups are not a matrix"))
}

pub(super) fn channel_attribute(
    site: Site,
    context: &'static ir::Context,
    channel: Option<ChannelHandle>,
) -> Result<Option<ir::Attribute<'static>>> {
    let attribute = |one: ChannelHandle| {
        let (made, _) = ir::capture(context, || one.to_attribute(context));
        made.ok_or_else(|| site.error(format!("{one:?} is not a channel")))
    };
    channel.map(attribute).transpose()
}

/// Blocks are positive in number, as many as each group has replicas.
fn sharded(site: Site, shard_count: i64, groups: &[&[i64]]) -> Result<()> {
    if shard_count < 1 {
        return Err(site.error(format!("shard_count is positive, found {shard_count}")));
    }
    match groups.iter().find(|group| group.len() as i64 != shard_count) {
        Some(group) => Err(site.error(format!(
            "each group has shard_count = {shard_count} replicas, found {}",
            group.len()
        ))),
        None => Ok(()),
    }
}

/// An array, or a tuple of at least one array and nothing else.
fn arrays(site: Site, shape: &Shape) -> Result<()> {
    let fits = match shape {
        Shape::Tuple(elements) => {
            !elements.is_empty() && elements.iter().all(|one| one.as_array().is_some())
        }
        other => other.as_array().is_some(),
    };
    if fits {
        Ok(())
    } else {
        Err(site
            .error(format!("an array or a non-empty tuple of arrays is expected, found {shape}")))
    }
}
