// Communication between the processes of a program.

#ifndef STRATA_STABLEHLO_COLLECTIVE
#define STRATA_STABLEHLO_COLLECTIVE

include "stablehlo/attributes.td"

class StableHLO_Collective<string mnemonic, list<Trait> traits = []>
    : StableHLO_Op<mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<SymbolUserOpInterface>])>;

def AllGatherOp : StableHLO_Collective<"all_gather", [
    DeclareOpInterfaceMethods<ConditionallySpeculatable>, PairwiseSameOperandAndResultElementType]> {
  let summary = "operands of all processes of a group, joined along a dimension";
  let arguments = (ins Variadic<StableHLO_Tensor>:$operands, StableHLO_Dimension:$all_gather_dim,
                       StableHLO_ReplicaGroups:$replica_groups,
                       OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle,
                       UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<StableHLO_Tensor>);
  let hasVerifier = 1;
}

def AllReduceOp : StableHLO_Collective<"all_reduce", [
    SpeculatableIfStaticDimInOutputIsStaticInInput, SingleBlockImplicitTerminator<"ReturnOp">,
    InferTypeOpAdaptor]> {
  let summary = "operands of all processes of a group, combined by a computation";
  let arguments = (ins Variadic<StableHLO_Tensor>:$operands,
                       StableHLO_ReplicaGroups:$replica_groups,
                       OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle,
                       UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Variadic<StableHLO_Tensor>);
  let hasVerifier = 1;
}

// all_to_all_c4: split_count is positive.
def AllToAllOp : StableHLO_Collective<"all_to_all", [
    DeclareOpInterfaceMethods<ConditionallySpeculatable>, PairwiseSameOperandAndResultElementType, InferTypeOpAdaptor]> {
  let summary = "parts of the operands exchanged within a group";
  let arguments = (ins Variadic<StableHLO_Tensor>:$operands, StableHLO_Dimension:$split_dimension,
                       StableHLO_Dimension:$concat_dimension, StableHLO_PositiveI64:$split_count,
                       StableHLO_ReplicaGroups:$replica_groups,
                       OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle);
  let results = (outs Variadic<StableHLO_Tensor>);
}

def AsyncDoneOp : StableHLO_Op<"async_done", [InferTypeOpAdaptor]> {
  let summary = "the results of a future, waited for";
  let arguments = (ins StableHLO_Future:$operand);
  let results = (outs Variadic<StableHLO_Tensor>);
}

def AsyncStartOp : StableHLO_Op<"async_start", [
    RecursivelySpeculatableIfAllInputsStatic, IsolatedFromAbove,
    SingleBlockImplicitTerminator<"ReturnOp">, InferTypeOpAdaptor]> {
  let summary = "a collective or slice begun without waiting for its results";
  let arguments = (ins Variadic<StableHLO_Tensor>:$operands);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs StableHLO_Future);
}

def CollectiveBroadcastOp : StableHLO_Collective<"collective_broadcast", [
    SpeculatableIfStaticDimInOutputIsStaticInInput,
    InferTypeOpAdaptor]> {
  let summary = "operands of the first process of a group, given to all";
  let arguments = (ins Variadic<StableHLO_Tensor>:$operands,
                       StableHLO_ReplicaGroups:$replica_groups,
                       OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle,
                       UnitAttr:$has_dynamic_root);
  let results = (outs Variadic<StableHLO_Tensor>);
  let hasVerifier = 1;
  let useCustomPropertiesEncoding = 1;
}

def CollectivePermuteOp : StableHLO_Op<"collective_permute", [
    SpeculatableIfStaticDimInOutputIsStaticInInput, SameElementTypes,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "operands sent from source to target processes";
  let arguments = (ins StableHLO_Tensor:$operand, I64ElementsAttr:$source_target_pairs,
                       OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle);
  let results = (outs StableHLO_Tensor);
  let hasVerifier = 1;
}

def CollectiveReduceOp : StableHLO_Collective<"collective_reduce", [
    SpeculatableIfStaticDimInOutputIsStaticInInput, SingleBlockImplicitTerminator<"ReturnOp">,
    InferTypeOpAdaptor]> {
  let summary = "operands of a group combined by a computation, for one process";
  let arguments = (ins Variadic<StableHLO_Tensor>:$operands,
                       StableHLO_ReplicaGroups:$replica_groups,
                       OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle,
                       UnitAttr:$use_global_device_ids, UnitAttr:$has_dynamic_root);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Variadic<StableHLO_Tensor>);
  let hasVerifier = 1;
}

def CrossReplicaSumOp : StableHLO_Op<"cross-replica-sum", [
    Pure, CompatibleOperandsAndResultType]> {
  let summary = "sum over a group (superseded by all_reduce)";
  let arguments = (ins StableHLO_Tensor:$operand, I64ElementsAttr:$replica_groups);
  let results = (outs StableHLO_Tensor);
}

def PartitionIdOp : StableHLO_Op<"partition_id", [
    Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "the process's partition";
  let results = (outs StableHLO_UInt32Tensor);
  let assemblyFormat = "attr-dict `:` type(results)";
}

def ReduceScatterOp : StableHLO_Collective<"reduce_scatter", [
    DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "operands of a group combined by a computation, one part for each process";
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_Dimension:$scatter_dimension,
                       StableHLO_ReplicaGroups:$replica_groups,
                       OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle,
                       UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs StableHLO_Tensor);
  let hasVerifier = 1;
}

def ReplicaIdOp : StableHLO_Op<"replica_id", [
    Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "the process's replica";
  let results = (outs StableHLO_UInt32Tensor);
  let assemblyFormat = "attr-dict `:` type(results)";
}

#endif // STRATA_STABLEHLO_COLLECTIVE
