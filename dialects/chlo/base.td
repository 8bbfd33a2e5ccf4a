// The CHLO dialect: what programs write before StableHLO's core set, with
// implicit broadcasting and functions that expand into several operations.

#ifndef STRATA_CHLO_BASE
#define STRATA_CHLO_BASE

include "stablehlo/base.td"

def CHLO_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::strata::chlo";
  let summary = "Client operations that expand to StableHLO";
  let dependentDialects = ["::strata::stablehlo::StableHLODialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
  private:
    void addAttributes();
    void addBytecode();
    // One function per family, as in the StableHLO dialect.
    void addElementwiseOps();
    void addBroadcastOps();
    void addConstantOps();
    void addTopKOps();
    void addRaggedDotOps();
    void addScanOps();

  public:
  }];
}

//===----------------------------------------------------------------------===//
// Attributes. The numbers are part of the portable encoding.
//===----------------------------------------------------------------------===//

class CHLO_Enum<string name, string text, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, text, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::strata::chlo";
}

class CHLO_EnumAttr<EnumInfo info, string mnemonicText>
    : EnumAttr<CHLO_Dialect, info, mnemonicText>;

def CHLO_ComparisonDirection : CHLO_Enum<"ComparisonDirection", "relation to test", [
  I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"GE", 2>,
  I32EnumAttrCase<"GT", 3>, I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def CHLO_ComparisonDirectionAttr
    : CHLO_EnumAttr<CHLO_ComparisonDirection, "comparison_direction">;

def CHLO_ComparisonType : CHLO_Enum<"ComparisonType", "order that is compared by", [
  I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>, I32EnumAttrCase<"TOTALORDER", 2>,
  I32EnumAttrCase<"SIGNED", 3>, I32EnumAttrCase<"UNSIGNED", 4>]>;
def CHLO_ComparisonTypeAttr : CHLO_EnumAttr<CHLO_ComparisonType, "comparison_type">;

def CHLO_Precision : CHLO_Enum<"Precision", "how precisely operands are multiplied", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>, I32EnumAttrCase<"HIGHEST", 2>]>;
def CHLO_PrecisionAttr : CHLO_EnumAttr<CHLO_Precision, "precision">;
def CHLO_PrecisionConfig
    : OptionalAttr<TypedArrayAttrBase<CHLO_PrecisionAttr, "precision of each operand">>;

def CHLO_RaggedDotDimensionNumbersAttr : AttrDef<CHLO_Dialect, "RaggedDotDimensionNumbers"> {
  let mnemonic = "ragged_dot";
  let summary = "which dimensions a ragged dot product batches, contracts and groups";
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$lhsBatchingDimensions,
    ArrayRefParameter<"int64_t">:$rhsBatchingDimensions,
    ArrayRefParameter<"int64_t">:$lhsContractingDimensions,
    ArrayRefParameter<"int64_t">:$rhsContractingDimensions,
    ArrayRefParameter<"int64_t">:$lhsRaggedDimensions,
    ArrayRefParameter<"int64_t">:$rhsGroupDimensions);
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// Types and ops
//===----------------------------------------------------------------------===//

def CHLO_Tensor : TensorOf<[F, P, I, C, Q, A], [HasQuantizedDimension]>;
def CHLO_FloatTensor : TensorOf<[F]>;
def CHLO_BoolTensor : TensorOf<[P]>;
def CHLO_BoolOrIntTensor : TensorOf<[P, I]>;
def CHLO_FloatOrComplexTensor : TensorOf<[F, C]>;
def CHLO_ComplexTensor : TensorOf<[C]>;

class CHLO_Op<string mnemonic, list<Trait> traits = []> : Op<CHLO_Dialect, mnemonic, traits> {
  let extraClassDeclaration = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange left, ::mlir::TypeRange right) {
      return ::strata::stablehlo::areCompatibleTypes(left, right);
    }
  }];
}

#endif // STRATA_CHLO_BASE
