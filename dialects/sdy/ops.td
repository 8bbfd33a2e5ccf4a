// The operations of the sdy dialect that programs contain: those of exporters,
// and the exchanges that Shardy's partitioner writes before it makes the
// program of one device.

#ifndef STRATA_SDY_OPS
#define STRATA_SDY_OPS

include "sdy/base.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Sdy_Op<string mnemonic, list<Trait> traits = []> : Op<Sdy_Dialect, mnemonic, traits>;

def MeshOp : Sdy_Op<"mesh", [Symbol]> {
  let summary = "a named mesh of devices";
  let arguments = (ins SymbolNameAttr:$sym_name, Sdy_MeshAttr:$mesh);
  let assemblyFormat = "$sym_name `=` $mesh attr-dict";
}

def ShardingConstraintOp : Sdy_Op<"sharding_constraint", [
    Pure, Elementwise, SameOperandsAndResultType]> {
  let summary = "its operand, with a distribution that is asked for";
  let arguments = (ins AnyType:$input, Sdy_TensorShardingAttr:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def ReshardOp : Sdy_Op<"reshard", [Pure, Elementwise, SameOperandsAndResultType]> {
  let summary = "its operand, redistributed";
  let arguments = (ins AnyType:$input, Sdy_TensorShardingAttr:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def PropagationBarrierOp : Sdy_Op<"propagation_barrier", [
    Pure, Elementwise, SameOperandsAndResultType]> {
  let summary = "its operand; shardings pass it in one direction, or in none";
  let arguments = (ins AnyType:$input, StrAttr:$allowed_direction);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $input `allowed_direction` `` `=` `` custom<Direction>($allowed_direction) attr-dict
    `:` type($result)
  }];
  let hasVerifier = 1;
}

def ConstantOp : Sdy_Op<"constant", [Pure]> {
  let summary = "a constant that is not merged with equal ones, which may be split otherwise";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyStaticShapeTensor:$output);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

// Exchanges of a value whose elements stay: devices have other parts of it
// afterwards, those that out_sharding says.
class Sdy_Exchange<string mnemonic, dag axes, string axesFormat>
    : Sdy_Op<mnemonic, [Pure, Elementwise, SameOperandsAndResultType]> {
  let arguments = !con(axes, (ins AnyType:$tensor, Sdy_TensorShardingAttr:$out_sharding));
  let results = (outs AnyType:$result);
  let assemblyFormat = axesFormat # [{
    $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def AllGatherOp : Sdy_Exchange<"all_gather", (ins ArrayAttr:$gathering_axes),
                               "custom<AxisLists>($gathering_axes)"> {
  let summary = "dimensions are no longer split along these axes, innermost ones";
}

def AllSliceOp : Sdy_Exchange<"all_slice", (ins ArrayAttr:$slicing_axes),
                              "custom<AxisLists>($slicing_axes)"> {
  let summary = "dimensions are split further, along these axes; nothing is sent";
}

def AllToAllOp : Sdy_Exchange<"all_to_all", (ins ArrayAttr:$params),
                              "custom<AxisMoves>($params)"> {
  let summary = "axes that split one dimension split another: [{\"a\"}: 0->1]";
}

def CollectivePermuteOp : Sdy_Exchange<"collective_permute", (ins), ""> {
  let summary = "the same dimensions are split in as many parts along other axes";
}

def AllReduceOp : Sdy_Exchange<"all_reduce", (ins ArrayAttr:$reduction_axes),
                               "custom<Axes>($reduction_axes)"> {
  let summary = "terms that devices along these axes have are added";
}

def ReduceScatterOp : Sdy_Exchange<"reduce_scatter", (ins ArrayAttr:$reduce_scatter_axes),
                                   "custom<AxisLists>($reduce_scatter_axes)"> {
  let summary = "terms are added, and dimensions split along these axes";
}

def ShardedToUnreducedOp : Sdy_Exchange<"sharded_to_unreduced", (ins ArrayAttr:$axes),
                                        "custom<AxisLists>($axes)"> {
  let summary = "each device has a term that is zero but for its part";
}

def ReplicatedToUnreducedOp : Sdy_Exchange<"replicated_to_unreduced", (ins ArrayAttr:$axes),
                                           "custom<Axes>($axes)"> {
  let summary = "one device along these axes has the value, the others have zeros";
}

def ShardingGroupOp : Sdy_Op<"sharding_group"> {
  let summary = "asks for one distribution of all values of a group";
  let arguments = (ins AnyType:$input, I64Attr:$group_id);
  let assemblyFormat = "$input `group_id` `` `=` `` $group_id attr-dict `:` type($input)";
}

def ManualComputationOp : Sdy_Op<"manual_computation", [
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "a body that works on the parts of values which one device has";
  let arguments = (ins Variadic<AnyType>:$tensors,
                       Sdy_TensorShardingPerValueAttr:$in_shardings,
                       Sdy_TensorShardingPerValueAttr:$out_shardings,
                       Sdy_ManualAxesAttr:$manual_axes);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<AnyType>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def NamedComputationOp : Sdy_Op<"named_computation", [
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "a body that stands for the call of a function";
  let arguments = (ins Variadic<AnyType>:$operands, StrAttr:$name,
                       OptionalAttr<Sdy_TensorShardingPerValueAttr>:$in_shardings,
                       OptionalAttr<Sdy_TensorShardingPerValueAttr>:$out_shardings);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<AnyType>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def ReturnOp : Sdy_Op<"return", [Pure, Terminator]> {
  let summary = "values that a body yields";
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

#endif // STRATA_SDY_OPS
