// Communication between the processes of a program.

#ifndef STRATA_VHLO_COLLECTIVE
#define STRATA_VHLO_COLLECTIVE

include "vhlo/base.td"

def AllGatherOpV1 : VHLO_Op<"all_gather_v1", "0.9.0", "1.4.0"> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Attr:$all_gather_dim, VHLO_Attr:$channel_id,
                       VHLO_Attr:$replica_groups, VHLO_Attr:$use_global_device_ids);
  let results = (outs VHLO_Value:$result);
}

def AllGatherOpV2 : VHLO_Op<"all_gather_v2", "1.5.0", VHLO_Current> {
  let arguments = (ins VHLO_Values:$operands, VHLO_Attr:$all_gather_dim, VHLO_Attr:$channel_id,
                       VHLO_Attr:$replica_groups, VHLO_Attr:$use_global_device_ids);
  let results = (outs VHLO_Values:$results);
}

def AllReduceOpV1 : VHLO_Op<"all_reduce_v1", "0.9.0", "1.4.0"> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Attr:$channel_id, VHLO_Attr:$replica_groups,
                       VHLO_Attr:$use_global_device_ids);
  let regions = (region AnyRegion:$computation);
  let results = (outs VHLO_Value:$result);
}

def AllReduceOpV2 : VHLO_Op<"all_reduce_v2", "1.5.0", VHLO_Current> {
  let arguments = (ins VHLO_Values:$operands, VHLO_Attr:$channel_id, VHLO_Attr:$replica_groups,
                       VHLO_Attr:$use_global_device_ids);
  let regions = (region AnyRegion:$computation);
  let results = (outs VHLO_Values:$results);
}

def AllToAllOpV1 : VHLO_Op<"all_to_all_v1", "0.9.0", "1.4.0"> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Attr:$channel_id, VHLO_Attr:$concat_dimension,
                       VHLO_Attr:$replica_groups, VHLO_Attr:$split_count,
                       VHLO_Attr:$split_dimension);
  let results = (outs VHLO_Value:$result);
}

def AllToAllOpV2 : VHLO_Op<"all_to_all_v2", "1.5.0", VHLO_Current> {
  let arguments = (ins VHLO_Values:$operands, VHLO_Attr:$channel_id, VHLO_Attr:$concat_dimension,
                       VHLO_Attr:$replica_groups, VHLO_Attr:$split_count,
                       VHLO_Attr:$split_dimension);
  let results = (outs VHLO_Values:$results);
}

def AsyncDoneOpV1 : VHLO_Unary<"async_done_v1", "1.15.0", VHLO_Current>;

def AsyncStartOpV1 : VHLO_Op<"async_start_v1", "1.15.0", VHLO_Current> {
  let arguments = (ins VHLO_Values:$operands);
  let regions = (region AnyRegion:$collective);
  let results = (outs VHLO_Value:$result);
}

def CollectiveBroadcastOpV1 : VHLO_Op<"collective_broadcast_v1", "0.16.0", "1.19.0"> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Attr:$channel_id, VHLO_Attr:$replica_groups);
  let results = (outs VHLO_Value:$result);
}

def CollectiveBroadcastOpV2 : VHLO_Op<"collective_broadcast_v2", "1.20.0", VHLO_Current> {
  let arguments = (ins VHLO_Values:$operands, VHLO_Attr:$channel_id, VHLO_Attr:$has_dynamic_root,
                       VHLO_Attr:$replica_groups);
  let results = (outs VHLO_Values:$results);
}

def CollectivePermuteOpV1 : VHLO_Op<"collective_permute_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Attr:$channel_id,
                       VHLO_Attr:$source_target_pairs);
  let results = (outs VHLO_Value:$result);
}

def CollectiveReduceOpV1 : VHLO_Op<"collective_reduce_v1", "1.19.0", VHLO_Current> {
  let arguments = (ins VHLO_Values:$operands, VHLO_Attr:$channel_id, VHLO_Attr:$has_dynamic_root,
                       VHLO_Attr:$replica_groups, VHLO_Attr:$use_global_device_ids);
  let regions = (region AnyRegion:$computation);
  let results = (outs VHLO_Values:$results);
}

def CrossReplicaSumOpV1 : VHLO_Op<"cross-replica-sum_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Attr:$replica_groups);
  let results = (outs VHLO_Value:$result);
}

def PartitionIdOpV1 : VHLO_Op<"partition_id_v1", "0.9.0", VHLO_Current> {
  let results = (outs VHLO_Value:$result);
}

def ReduceScatterOpV1 : VHLO_Op<"reduce_scatter_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Attr:$channel_id, VHLO_Attr:$replica_groups,
                       VHLO_Attr:$scatter_dimension, VHLO_Attr:$use_global_device_ids);
  let regions = (region AnyRegion:$computation);
  let results = (outs VHLO_Value:$result);
}

def ReplicaIdOpV1 : VHLO_Op<"replica_id_v1", "0.9.0", VHLO_Current> {
  let results = (outs VHLO_Value:$result);
}

#endif // STRATA_VHLO_COLLECTIVE
