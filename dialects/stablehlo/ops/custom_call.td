// Calls of foreign functions and of named compositions.

#ifndef STRATA_STABLEHLO_CUSTOM_CALL
#define STRATA_STABLEHLO_CUSTOM_CALL

include "stablehlo/attributes.td"

def CompositeOp : StableHLO_Op<"composite", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a named operation with its decomposition into others";
  let arguments = (ins Variadic<StableHLO_TensorTokenOrTuple>:$inputs, StrAttr:$name,
                       DefaultValuedOptionalAttr<DictionaryAttr, "{}">:$composite_attributes,
                       FlatSymbolRefAttr:$decomposition,
                       DefaultValuedOptionalAttr<I32Attr, "0">:$version);
  let regions = (region VariadicRegion<AnyRegion>:$composite_regions);
  let results = (outs Variadic<StableHLO_TensorTokenOrTuple>);
  let assemblyFormat = [{
    $name $inputs (`(` $composite_regions^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def CustomCallOp : StableHLO_Op<"custom_call", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a function that the program names and others implement";
  let arguments = (ins
    Variadic<StableHLO_CustomCallValue>:$inputs, StrAttr:$call_target_name,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$has_side_effect,
    OptionalAttr<AnyAttrOf<[StrAttr, DictionaryAttr]>>:$backend_config,
    DefaultValuedOptionalAttr<
      StableHLO_CustomCallApiVersion,
      "::strata::stablehlo::CustomCallApiVersion::API_VERSION_ORIGINAL">:$api_version,
    DefaultValuedOptionalAttr<TypedArrayAttrBase<FlatSymbolRefAttr, "array of symbols">,
                              "{}">:$called_computations,
    OptionalAttr<StableHLO_Layouts>:$operand_layouts,
    OptionalAttr<StableHLO_Layouts>:$result_layouts,
    DefaultValuedOptionalAttr<StableHLO_Aliases, "{}">:$output_operand_aliases,
    OptionalAttr<StableHLO_Tilings>:$result_tilings);
  let results = (outs Variadic<StableHLO_CustomCallValue>);
  let assemblyFormat = [{
    custom<CustomCallTarget>($call_target_name) `(` $inputs `)` attr-dict
      `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let useCustomPropertiesEncoding = 1;
}

#endif // STRATA_STABLEHLO_CUSTOM_CALL
