// The sdy dialect (Shardy): its name and attributes. JAX writes it to say how
// values are distributed over devices.

#ifndef STRATA_SDY_BASE
#define STRATA_SDY_BASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::strata::sdy";
  let summary = "How values are distributed over the devices of a mesh";
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
  private:
    void addAttributes();
    void addBytecode();
    void addOps();

  public:
  }];
}

// The text forms have brackets of their own, so all of them are written by
// hand in lib/attributes.cpp.
class Sdy_Attr<string name, string mnemonicText> : AttrDef<Sdy_Dialect, name> {
  let mnemonic = mnemonicText;
  let hasCustomAssemblyFormat = 1;
}

class Sdy_List<string name> : ArrayRefParameter<"::strata::sdy::" # name # "Attr">;
def Sdy_Indices : ArrayRefParameter<"int64_t">;

def Sdy_MeshAxisAttr : Sdy_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "a named axis of a mesh: \"a\"=2";
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$size);
  let genVerifyDecl = 1;
}

def Sdy_MeshAttr : Sdy_Attr<"Mesh", "mesh"> {
  let summary = "devices arranged along axes: <[\"a\"=2, \"b\"=2], device_ids=[3, 2, 1, 0]>";
  let parameters = (ins Sdy_List<"MeshAxis">:$axes, Sdy_Indices:$deviceIds);
  let genVerifyDecl = 1;
}

def Sdy_SubAxisInfoAttr : Sdy_Attr<"SubAxisInfo", "sub_axis_info"> {
  let summary = "a part of an axis: the product of the sizes before it, and its size: (1)2";
  let parameters = (ins "int64_t":$preSize, "int64_t":$size);
}

def Sdy_AxisRefAttr : Sdy_Attr<"AxisRef", "axis_ref"> {
  let summary = "an axis or a part of one: \"a\" or \"a\":(1)2";
  let parameters = (ins "::mlir::StringAttr":$name,
                        OptionalParameter<"::strata::sdy::SubAxisInfoAttr">:$subAxisInfo);
}

def Sdy_DimensionShardingAttr : Sdy_Attr<"DimensionSharding", "dimension_sharding"> {
  let summary = "axes that a dimension is split along; open when more may be added: {\"a\", ?}p1";
  let parameters = (ins Sdy_List<"AxisRef">:$axes, "bool":$isClosed,
                        OptionalParameter<"std::optional<int64_t>">:$priority);
}

def Sdy_TensorShardingAttr : Sdy_Attr<"TensorSharding", "sharding"> {
  let summary = "distribution of a tensor: <@mesh, [{\"a\"}, {}], replicated={\"b\"}>";
  let parameters = (ins "::mlir::Attribute":$meshOrRef, Sdy_List<"DimensionSharding">:$dimensions,
                        Sdy_List<"AxisRef">:$replicated, Sdy_List<"AxisRef">:$unreduced);
}

def Sdy_TensorShardingPerValueAttr
    : Sdy_Attr<"TensorShardingPerValue", "sharding_per_value"> {
  let summary = "distribution of each operand or result: <[<@mesh, [{}]>]>";
  let parameters = (ins Sdy_List<"TensorSharding">:$shardings);
}

def Sdy_ManualAxesAttr : Sdy_Attr<"ManualAxes", "manual_axes"> {
  let summary = "axes that a body deals with itself: {\"a\"}";
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$axes);
}

def Sdy_DimMappingAttr : Sdy_Attr<"DimMapping", "dim_mapping"> {
  let summary = "factors of a dimension: ij";
  let parameters = (ins Sdy_Indices:$factors);
}

def Sdy_TensorMappingAttr : Sdy_Attr<"TensorMapping", "tensor_mapping"> {
  let summary = "factors of each dimension: [i, jk]";
  let parameters = (ins Sdy_List<"DimMapping">:$dimensions);
}

def Sdy_OpShardingRuleAttr : Sdy_Attr<"OpShardingRule", "op_sharding_rule"> {
  let summary = "which factors operands and results share: <([i, j])->([i]) {i=2, j=3}>";
  let parameters = (ins Sdy_Indices:$factorSizes, Sdy_List<"TensorMapping">:$operands,
                        Sdy_List<"TensorMapping">:$results, Sdy_Indices:$reductionFactors,
                        Sdy_Indices:$needReplicationFactors, Sdy_Indices:$permutationFactors,
                        Sdy_Indices:$blockedPropagationFactors, "bool":$isCustom);
}

#endif // STRATA_SDY_BASE
