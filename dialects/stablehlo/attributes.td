// The attributes of the StableHLO dialect.

#ifndef STRATA_STABLEHLO_ATTRIBUTES
#define STRATA_STABLEHLO_ATTRIBUTES

include "stablehlo/base.td"

//===----------------------------------------------------------------------===//
// Enumerations. The numbers are part of the portable encoding.
//===----------------------------------------------------------------------===//

class StableHLO_Enum<string name, string text, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, text, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::strata::stablehlo";
}

// Printed bare inside operations; the dialect's printer adds the mnemonic and a
// space elsewhere.
class StableHLO_EnumAttr<EnumInfo info, string mnemonicText>
    : EnumAttr<StableHLO_Dialect, info, mnemonicText> {
  let assemblyFormat = "`` $value";
}

def StableHLO_Precision : StableHLO_Enum<"Precision", "how precisely operands are multiplied", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>, I32EnumAttrCase<"HIGHEST", 2>]>;
def StableHLO_PrecisionAttr : StableHLO_EnumAttr<StableHLO_Precision, "precision">;

def StableHLO_ResultAccuracyMode
    : StableHLO_Enum<"ResultAccuracyMode", "how the accuracy of a result is stated", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGHEST", 1>, I32EnumAttrCase<"TOLERANCE", 2>]>;
def StableHLO_ResultAccuracyModeAttr
    : StableHLO_EnumAttr<StableHLO_ResultAccuracyMode, "result_accuracy_mode"> {
  let assemblyFormat = "`<` $value `>`";
}

def StableHLO_FftType : StableHLO_Enum<"FftType", "kind of Fourier transform", [
  I32EnumAttrCase<"FFT", 0>, I32EnumAttrCase<"IFFT", 1>, I32EnumAttrCase<"RFFT", 2>,
  I32EnumAttrCase<"IRFFT", 3>]>;
def StableHLO_FftTypeAttr : StableHLO_EnumAttr<StableHLO_FftType, "fft_type">;

def StableHLO_ComparisonDirection : StableHLO_Enum<"ComparisonDirection", "relation to test", [
  I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"GE", 2>,
  I32EnumAttrCase<"GT", 3>, I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def StableHLO_ComparisonDirectionAttr
    : StableHLO_EnumAttr<StableHLO_ComparisonDirection, "comparison_direction">;

def StableHLO_ComparisonType : StableHLO_Enum<"ComparisonType", "order that is compared by", [
  I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>, I32EnumAttrCase<"TOTALORDER", 2>,
  I32EnumAttrCase<"SIGNED", 3>, I32EnumAttrCase<"UNSIGNED", 4>]>;
def StableHLO_ComparisonTypeAttr
    : StableHLO_EnumAttr<StableHLO_ComparisonType, "comparison_type">;

def StableHLO_Transpose : StableHLO_Enum<"Transpose", "form in which a matrix is used", [
  I32EnumAttrCase<"TRANSPOSE_INVALID", 0>, I32EnumAttrCase<"NO_TRANSPOSE", 1>,
  I32EnumAttrCase<"TRANSPOSE", 2>, I32EnumAttrCase<"ADJOINT", 3>]>;
def StableHLO_TransposeAttr : StableHLO_EnumAttr<StableHLO_Transpose, "transpose">;

def StableHLO_RngDistribution : StableHLO_Enum<"RngDistribution", "distribution of samples", [
  I32EnumAttrCase<"UNIFORM", 1>, I32EnumAttrCase<"NORMAL", 2>]>;
def StableHLO_RngDistributionAttr
    : StableHLO_EnumAttr<StableHLO_RngDistribution, "rng_distribution">;

def StableHLO_RngAlgorithm : StableHLO_Enum<"RngAlgorithm", "generator of random bits", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"THREE_FRY", 1>, I32EnumAttrCase<"PHILOX", 2>]>;
def StableHLO_RngAlgorithmAttr : StableHLO_EnumAttr<StableHLO_RngAlgorithm, "rng_algorithm">;

// Kept as a plain 32-bit integer in programs, as upstream does.
def StableHLO_CustomCallApiVersion
    : I32EnumAttr<"CustomCallApiVersion", "calling convention of a custom call", [
  I32EnumAttrCase<"API_VERSION_UNSPECIFIED", 0>, I32EnumAttrCase<"API_VERSION_ORIGINAL", 1>,
  I32EnumAttrCase<"API_VERSION_STATUS_RETURNING", 2>,
  I32EnumAttrCase<"API_VERSION_STATUS_RETURNING_UNIFIED", 3>,
  I32EnumAttrCase<"API_VERSION_TYPED_FFI", 4>]> {
  let cppNamespace = "::strata::stablehlo";
}

//===----------------------------------------------------------------------===//
// Structures
//===----------------------------------------------------------------------===//

class StableHLO_Attr<string name, string mnemonicText, list<Trait> traits = []>
    : AttrDef<StableHLO_Dialect, name, traits> {
  let mnemonic = mnemonicText;
}

def Dims : ArrayRefParameter<"int64_t">;

def StableHLO_DotDimensionNumbersAttr : StableHLO_Attr<"DotDimensionNumbers", "dot"> {
  let summary = "which dimensions a general dot product batches and contracts";
  let parameters = (ins Dims:$lhsBatchingDimensions, Dims:$rhsBatchingDimensions,
                        Dims:$lhsContractingDimensions, Dims:$rhsContractingDimensions);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_GatherDimensionNumbersAttr : StableHLO_Attr<"GatherDimensionNumbers", "gather"> {
  let summary = "how the indices and slices of a gather map to dimensions";
  let parameters = (ins Dims:$offsetDims, Dims:$collapsedSliceDims, Dims:$operandBatchingDims,
                        Dims:$startIndicesBatchingDims, Dims:$startIndexMap,
                        "int64_t":$indexVectorDim);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_ScatterDimensionNumbersAttr : StableHLO_Attr<"ScatterDimensionNumbers", "scatter"> {
  let summary = "how the indices and windows of a scatter map to dimensions";
  let parameters = (ins Dims:$updateWindowDims, Dims:$insertedWindowDims,
                        Dims:$inputBatchingDims, Dims:$scatterIndicesBatchingDims,
                        Dims:$scatterDimsToOperandDims, "int64_t":$indexVectorDim);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_ConvDimensionNumbersAttr : StableHLO_Attr<"ConvDimensionNumbers", "conv"> {
  let summary = "which dimensions of a convolution are batch, feature and space";
  let parameters = (ins "int64_t":$inputBatchDimension, "int64_t":$inputFeatureDimension,
                        Dims:$inputSpatialDimensions, "int64_t":$kernelInputFeatureDimension,
                        "int64_t":$kernelOutputFeatureDimension, Dims:$kernelSpatialDimensions,
                        "int64_t":$outputBatchDimension, "int64_t":$outputFeatureDimension,
                        Dims:$outputSpatialDimensions);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_OutputOperandAliasAttr
    : StableHLO_Attr<"OutputOperandAlias", "output_operand_alias"> {
  let summary = "a result that shares an operand's memory";
  let parameters = (ins Dims:$outputTupleIndices, "int64_t":$operandIndex,
                        Dims:$operandTupleIndices);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_ChannelHandleAttr : StableHLO_Attr<"ChannelHandle", "channel_handle"> {
  let summary = "a communication channel";
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
  let hasCustomAssemblyFormat = 1;
}

// Printed `bounds<8, ?>`; the older form `type_extensions<bounds = [8, ?]>` is
// still read.
def StableHLO_BoundsAttr
    : StableHLO_Attr<"Bounds", "bounds",
                     [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "upper bounds of a tensor's dynamic dimensions";
  let parameters = (ins Dims:$bounds);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_DotAlgorithmAttr : StableHLO_Attr<"DotAlgorithm", "dot_algorithm"> {
  let summary = "the arithmetic that a dot product is computed with";
  let parameters = (ins "::mlir::Type":$lhsPrecisionType, "::mlir::Type":$rhsPrecisionType,
                        "::mlir::Type":$accumulationType, "int64_t":$lhsComponentCount,
                        "int64_t":$rhsComponentCount, "int64_t":$numPrimitiveOperations,
                        "bool":$allowImpreciseAccumulation);
  let assemblyFormat = [{
    `<` `lhs_precision_type` `=` $lhsPrecisionType
    `,` `rhs_precision_type` `=` $rhsPrecisionType
    `,` `accumulation_type` `=` $accumulationType
    `,` `lhs_component_count` `=` $lhsComponentCount
    `,` `rhs_component_count` `=` $rhsComponentCount
    `,` `num_primitive_operations` `=` $numPrimitiveOperations
    `,` `allow_imprecise_accumulation` `=` $allowImpreciseAccumulation `>`
  }];
  let genVerifyDecl = 1;
}

def StableHLO_ResultAccuracyAttr : StableHLO_Attr<"ResultAccuracy", "result_accuracy"> {
  let summary = "the accuracy that a result must have";
  let parameters = (ins APFloatParameter<"absolute">:$atol, APFloatParameter<"relative">:$rtol,
                        "int64_t":$ulps, "::strata::stablehlo::ResultAccuracyModeAttr":$mode);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let constBuilderCall = "::strata::stablehlo::accuracyOfMode($_builder.getContext(), $0)";
}

def StableHLO_SubAxisInfoAttr : StableHLO_Attr<"SubAxisInfo", "sub_axis_info"> {
  let summary = "a part of a mesh axis: the product of the sizes before it, and its size";
  let parameters = (ins "int64_t":$preSize, "int64_t":$size);
  let assemblyFormat = "`(` $preSize `)` `` $size";
}

def StableHLO_AxisRefAttr : StableHLO_Attr<"AxisRef", "axis_ref"> {
  let summary = "a mesh axis or a part of one";
  let parameters = (ins "::mlir::StringAttr":$name,
                        OptionalParameter<"::strata::stablehlo::SubAxisInfoAttr">:$subAxisInfo);
  let assemblyFormat = "`<` `name` `=` $name (`,` `sub_axis_info` `=` $subAxisInfo^)? `>`";
}

def StableHLO_MeshAxisAttr : StableHLO_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "a named axis of a device mesh";
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$size);
  let assemblyFormat = "`<` `name` `=` $name `,` `size` `=` $size `>`";
}

def StableHLO_MeshAttr : StableHLO_Attr<"Mesh", "mesh"> {
  let summary = "devices arranged along named axes";
  let parameters = (ins ArrayRefParameter<"::strata::stablehlo::MeshAxisAttr">:$axes,
                        OptionalParameter<"::mlir::DenseIntElementsAttr">:$deviceIds);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_ReplicaGroupMeshAxesAttr
    : StableHLO_Attr<"ReplicaGroupMeshAxes", "replica_group_mesh_axes"> {
  let summary = "replica groups given by the axes of a mesh";
  let parameters = (ins "::mlir::Attribute":$mesh, "::mlir::ArrayAttr":$axes);
  let assemblyFormat = "`<` `mesh` `=` $mesh `,` `axes` `=` $axes `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Attribute constraints of operations
//===----------------------------------------------------------------------===//

def StableHLO_PrecisionConfig
    : OptionalAttr<TypedArrayAttrBase<StableHLO_PrecisionAttr, "array of precisions">>;
def StableHLO_Dimension : ConfinedAttr<I64Attr, [IntNonNegative]>;
def StableHLO_PositiveI64 : ConfinedAttr<I64Attr, [IntPositive]>;

def StableHLO_ReplicaGroups
    : Attr<CPred<"::strata::stablehlo::isReplicaGroups($_self)">,
           "2-dimensional i64 elements or mesh axes"> {
  let storageType = "::mlir::Attribute";
  let returnType = "::mlir::Attribute";
  let convertFromStorage = "$_self";
}

def StableHLO_OptionalResultAccuracy
    : DefaultValuedOptionalAttr<StableHLO_ResultAccuracyAttr,
                                "::strata::stablehlo::ResultAccuracyMode::DEFAULT">;

def StableHLO_Layout
    : Attr<CPred<"::strata::stablehlo::isLayout($_self)">, "1-dimensional index elements">;
def StableHLO_Layouts : TypedArrayAttrBase<StableHLO_Layout, "array of layouts">;
def StableHLO_Tilings
    : TypedArrayAttrBase<StableHLO_Layouts, "array of arrays of 1-dimensional index elements">;
def StableHLO_Aliases
    : TypedArrayAttrBase<StableHLO_OutputOperandAliasAttr, "array of output-operand aliases">;

#endif // STRATA_STABLEHLO_ATTRIBUTES
